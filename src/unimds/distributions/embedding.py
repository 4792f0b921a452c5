"""Maps of distributions (counts, histograms, mixtures) by Hellinger's distance.

Distributions form the positive part of a sphere (see `unimds.distributions.hellinger`). So they can
be mapped to a smaller sphere, or to a smaller simplex, where they remain distributions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from unimds.distances.inputs import labels_of
from unimds.distributions.hellinger import checked, root_rows, tagged
from unimds.distributions.projection import SphericalRandomProjection
from unimds.distributions.unit_rows import angles, squared_chords
from unimds.estimators.parameters import AMOUNT, CONSTRAINTS, StrOptions, documented
from unimds.estimators.place_center import place_center
from unimds.estimators.shown import MapEstimator
from unimds.losses import Loss
from unimds.placecenter.new_points import place_points
from unimds.placecenter.result import Result
from unimds.quality import stress_1
from unimds.spaces import Simplex, Space, Sphere
from unimds.spaces.spectral import into_orthant

Array = NDArray[np.floating[Any]]

TARGETS: dict[str, Space] = {"sphere": Sphere(), "simplex": Simplex()}
TECHNIQUES = ("mds", "jl", "jl+mds")
SCALED = (
    *("cost_", "n_iter_", "stress_", "loss_", "history_", "starts_"),
    *("_points", "_projection"),
)
"""Attributes that not every method leaves behind."""


@documented
class DistributionEmbedding(
    MapEstimator,
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    """Map distributions or counts to a small sphere, or to distributions of a few outcomes.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the sphere or simplex; a row of the result has one number more.
    space : "sphere" or "simplex", default="sphere"
        "sphere": unit vectors; angles are to be kept. "simplex": distributions of
        ``n_components + 1`` outcomes; Hellinger's distances are to be kept.
    method : "mds", "jl" or "jl+mds", default="mds"
        "mds": multidimensional scaling, which makes the most of few dimensions; needs the table of
        all distances. "jl": a Gaussian random projection (`SphericalRandomProjection`), fast for
        any number of rows, for hundreds of dimensions; only to the sphere. It takes the dimension
        given: ``spherical_jl_min_dim(n_samples, eps, delta) - 1`` keeps every angle. "jl+mds":
        scaling that starts from the random projection.
    {loss}
    smoothing : float, default=0
        Added to every entry, so that an empty row becomes uniform; see `HellingerMap`.
    {max_iter}
    {eps}
        It is no error of angles: that is the `eps` of `spherical_jl_min_dim`.
    {random_state}

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components + 1)
        Where the rows given to `fit` came to lie, in the form that `transform` returns. On the
        simplex these are distributions, not square roots as `unimds.MDS` has them: take `np.sqrt`
        before `unimds.spaces.distances` or a function of `unimds.quality`.
    cost_, n_iter_ : float, int
        The cost of the map and the number of sweeps, for scaling.
    stress_ : float
        Stress-1 of the map, for scaling; see `unimds.quality.stress_1`.
    loss_, history_, starts_
        As in `unimds.MDS`, for scaling.
    dissimilarity_matrix_ : ndarray of shape (n_samples, n_samples), or None
        The distances that were embedded; None for "jl".
    space_ : Space
        The space of the map.
    result_ : Result
        All about the scaling run; None for "jl".
    labels_ : ndarray of shape (n_samples,), or None
        The row labels of a data frame: the points are in the order of the rows.
    n_features_in_ : int
        Number of outcomes seen by `fit`.

    Examples
    --------
    >>> from unimds import DistributionEmbedding
    >>> counts = [[8, 1, 1, 0], [1, 7, 1, 1], [0, 1, 8, 1], [3, 3, 3, 1], [0, 2, 6, 2]]
    >>> few = DistributionEmbedding(2, space="simplex", random_state=0).fit_transform(counts)
    >>> few.shape, few.sum(axis=1).round(9).tolist(), bool((few >= 0).all())
    ((5, 3), [1.0, 1.0, 1.0, 1.0, 1.0], True)
    """

    _parameter_constraints: dict[str, list[Any]] = {
        name: CONSTRAINTS[name]
        for name in ("n_components", "loss", "max_iter", "eps", "random_state")
    } | {
        "space": [StrOptions(set(TARGETS))],
        "method": [StrOptions(set(TECHNIQUES))],
        "smoothing": [AMOUNT],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        space: str = "sphere",
        method: str = "mds",
        loss: str | Loss = "squared",
        smoothing: float = 0.0,
        max_iter: int = 2000,
        eps: float = 1e-7,
        random_state: Any = None,
    ):
        self.n_components = n_components
        self.space = space
        self.method = method
        self.loss = loss
        self.smoothing = smoothing
        self.max_iter = max_iter
        self.eps = eps
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> DistributionEmbedding:
        """Find the map.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Distributions or counts in rows.
        y : ignored

        Returns
        -------
        self
        """
        self.fit_transform(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Array:
        """Find the map and return the points of the rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Distributions or counts in rows.
        y : ignored

        Returns
        -------
        ndarray of shape (n_samples, n_components + 1)
        """
        self._validate_params()
        if self.method == "jl" and self.space == "simplex":
            raise ValueError(
                'method="jl" leaves the simplex: use method="jl+mds" or "mds", or space="sphere"'
            )
        points = root_rows(checked(self, X, reset=True), "X", self.smoothing)
        rng = check_random_state(self.random_state)
        self._n_features_out = self.n_components + 1
        self.result_ = None
        for name in SCALED:  # attributes of a fit by another method
            self.__dict__.pop(name, None)
        self.labels_, self.space_ = labels_of(X), TARGETS[self.space]
        self.dissimilarity_matrix_: Array | None = None
        projected = self._projected(points, rng) if self.method != "mds" else None
        if self.method == "jl":
            self.embedding_ = np.asarray(projected)
            return self.embedding_
        D = self._distances(points, points)
        init: Any = "auto" if projected is None else projected
        if projected is not None and self.space == "simplex":
            init = into_orthant(projected)
        self.result_ = place_center(
            D,
            self.n_components,
            loss=self.loss,
            space=TARGETS[self.space],
            init=init,
            max_iter=self.max_iter,
            eps=self.eps,
            random_state=rng,
        )
        self.stress_ = stress_1(D, self.result_.embedding, space=self.result_.space)
        self.dissimilarity_matrix_, self._points = D, points
        self._keep(self.result_)
        self.embedding_ = self._outer(self.result_.embedding).astype(points.dtype, copy=False)
        return self.embedding_

    def _keep(self, result: Result) -> None:
        """Take over what a scaling run has found."""
        self.result_, self.starts_, self.history_ = result, result.starts, result.history
        # a sweep that finds nothing to do is one as well, as scikit-learn expects
        self.cost_, self.n_iter_ = result.cost, max(1, result.n_iter)
        self.loss_, self.space_ = result.loss, result.space

    def transform(self, X: Any) -> Array:
        """Place new distributions on the map, which stays fixed.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Distributions or counts over the same outcomes.

        Returns
        -------
        ndarray of shape (n_samples, n_components + 1)
        """
        check_is_fitted(self)
        points = root_rows(checked(self, X, reset=False), "X", self.smoothing)
        if self.result_ is None:
            return np.asarray(self._projection.transform(points))
        placed = place_points(
            self._distances(points, self._points),
            self.result_.embedding,
            loss=self.result_.loss,
            space=self.result_.space,
        )
        return self._outer(placed).astype(points.dtype, copy=False)

    def _projected(self, points: Any, rng: np.random.RandomState) -> Array:
        self._projection = SphericalRandomProjection(
            self.n_components + 1, method="gaussian", random_state=rng
        )
        return np.asarray(self._projection.fit_transform(points))

    def _distances(self, A: Any, B: Any) -> Array:
        D = angles(A, B) if self.space == "sphere" else np.sqrt(0.5 * squared_chords(A, B))
        if A is B:
            np.fill_diagonal(D, 0.0)
            D = 0.5 * (D + D.T)
        return np.asarray(D)

    def _outer(self, embedding: Array) -> Array:
        """Return points in the form that users expect: unit vectors, or distributions."""
        if self.space == "sphere":
            return np.array(embedding)  # a copy: new points are placed against the map itself
        squares = np.asarray(embedding) ** 2
        return np.asarray(squares / squares.sum(axis=1, keepdims=True))

    def __sklearn_tags__(self) -> Any:
        return tagged(super().__sklearn_tags__(), self.smoothing)
