"""Distributions as points of a sphere: counts, histograms, mixtures, by Hellinger's distance.

The square root of a distribution has unit length: distributions are the positive part of a sphere,
and Hellinger's distance is the length of a chord of it, divided by √2. So their dimension can be
reduced on a sphere, or on a smaller simplex, where they stay distributions.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    OneToOneFeatureMixin,
    TransformerMixin,
)
from sklearn.utils import check_array, check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from unimds.losses import LOSSES, Loss
from unimds.placecenter import place_center
from unimds.placing import place_points
from unimds.projection import SphericalRandomProjection
from unimds.quality import stress_1
from unimds.seeds import into_orthant
from unimds.spaces import Simplex, Space, Sphere
from unimds.unitrows import (
    angles,
    balanced_rows,
    canonical,
    largest_entries,
    scaled_rows,
    squared_chords,
    unit_rows,
)

Array = NDArray[np.floating[Any]]

SPACES: dict[str, Space] = {"sphere": Sphere(), "simplex": Simplex()}
METHODS = ("mds", "jl", "jl+mds")


def check_counts(P: Any, name: str) -> None:
    """Raise where an entry is negative."""
    if (P.data if issparse(P) else P).min(initial=0.0) >= 0.0:
        return
    rows, columns = (P < 0.0).nonzero()
    i, j = rows[0], columns[0]
    raise ValueError(
        f"Negative values in data: {name}[{i}, {j}] = {P[i, j]:g}, but counts and probabilities "
        "are zero or more"
    )


def check_smoothing(smoothing: float, P: Any) -> None:
    """Raise where a table cannot be smoothed by that much, or would lose its sparsity."""
    if smoothing > 0.0 and issparse(P):
        raise ValueError(
            f"smoothing={smoothing:g} makes every entry positive, so that a sparse table would "
            "become a dense one; use smoothing=0, or call toarray() first"
        )
    with np.errstate(over="ignore"):
        rounded = P.dtype.type(smoothing)
    if smoothing > 0.0 and not 0.0 < rounded < np.inf:
        raise ValueError(f"smoothing={smoothing:g} is not a number in {P.dtype}; use float64")


def root_rows(P: Any, name: str, smoothing: float | None = None) -> Any:
    """Return √(p / Σp) for every row: a point of the sphere. Sparse stays sparse.

    `smoothing` is None where the caller has no such parameter.
    """
    check_counts(P, name)
    if smoothing is not None and smoothing > 0.0:
        check_smoothing(smoothing, P)
        P = P + np.asarray(smoothing, dtype=P.dtype)
    largest = largest_entries(P)
    empty = np.flatnonzero(largest == 0.0)
    if empty.size:
        smooth = (
            "" if smoothing is None or issparse(P) else ", or set smoothing, which makes it uniform"
        )
        raise ValueError(
            f"{name}: row {empty[0]} is empty and is no distribution "
            f"({empty.size} of {P.shape[0]} rows are empty); drop such rows first, as by "
            f"{name}[np.ravel({name}.sum(axis=1)) > 0]{smooth}"
        )
    P = balanced_rows(P, largest)  # sums of 1e308 are not numbers
    total = np.asarray(P.sum(axis=1)).ravel()
    return np.sqrt(scaled_rows(P, 1.0 / total))


def check_same_outcomes(P: Any, Q: Any) -> None:
    """Raise where both tables have names of columns, and not the same ones in the same order."""
    names, others = _names(P), _names(Q)
    if names is None or others is None or names == others:
        return
    for one, other, mine, theirs in (("P", "Q", names, others), ("Q", "P", others, names)):
        known = set(theirs)
        only = [name for name in mine if name not in known]
        if only:
            raise ValueError(
                f"P and Q must have the same outcomes, but {only[0]!r} is a column of {one} only "
                f"({len(only)} such columns); add it to {other} with zeros, or drop it from {one}"
            )
    if len(names) != len(others):  # one name twice: the number of columns says it
        return
    at = next(j for j, name in enumerate(names) if name != others[j])
    raise ValueError(
        f"column {at} is {names[at]!r} in P and {others[at]!r} in Q; reorder the columns of Q, as "
        "by Q[list(P.columns)]"
    )


def _names(P: Any) -> list[Any] | None:
    """Return the names of the columns of a data frame; None where they are only numbered."""
    columns = getattr(P, "columns", None)
    if columns is None:
        return None
    names = list(columns)
    return None if names == list(range(len(names))) else names


def hellinger_distances(P: Any, Q: Any = None) -> Array:
    r"""Return Hellinger's distances between distributions: :math:`\|\sqrt p-\sqrt q\|/\sqrt 2`.

    Parameters
    ----------
    P : array-like or sparse matrix of shape (n, d)
        Distributions or counts, one a row; rows are divided by their sum.
    Q : array-like or sparse matrix of shape (m, d), default=None
        Others over the same outcomes, in the same order (names of columns are compared); by
        default `P` itself.

    Returns
    -------
    ndarray of shape (n, m)
        From 0 for equal distributions to 1 for those that have no outcome in common.

    Examples
    --------
    >>> hellinger_distances([[1, 0], [0, 5], [2, 0]])
    array([[0., 1., 0.],
           [1., 0., 1.],
           [0., 1., 0.]])
    """
    check_same_outcomes(P, Q)
    A = root_rows(_counts(P, "P"), "P")
    B = A if Q is None else root_rows(_counts(Q, "Q"), "Q")
    if A.shape[1] != B.shape[1]:
        raise ValueError(
            f"P and Q must have the same outcomes, but have {A.shape[1]} and {B.shape[1]} columns"
        )
    H = np.sqrt(0.5 * squared_chords(A, B))
    if Q is None:
        np.fill_diagonal(H, 0.0)
    return np.asarray(H)


def _counts(P: Any, name: str) -> Any:
    return canonical(
        check_array(P, accept_sparse="csr", dtype=[np.float64, np.float32], input_name=name)
    )


class HellingerMap(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    r"""Map distributions or counts to the sphere, :math:`p \mapsto \sqrt{p}`, and back.

    Straight distances between the results are √2 times Hellinger's; angles are the distances of
    Fisher and Rao, halved.

    Parameters
    ----------
    smoothing : float, default=0
        Added to every entry before a row is divided by its sum, as for counts of rare events. An
        empty row, otherwise an error, becomes the uniform distribution. A sparse table would
        become dense, and is refused.

    Examples
    --------
    >>> HellingerMap().fit_transform([[1, 3], [2, 2]]).round(3)
    array([[0.5  , 0.866],
           [0.707, 0.707]])
    """

    _parameter_constraints: dict[str, list[Any]] = {  # noqa: RUF012
        "smoothing": [Interval(Real, 0, None, closed="left")]
    }

    def __init__(self, smoothing: float = 0.0):
        self.smoothing = smoothing

    def fit(self, X: Any, y: Any = None) -> HellingerMap:
        """Check the table; there is nothing to learn.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Distributions or counts.
        y : ignored

        Returns
        -------
        self
        """
        self._validate_params()
        counts = _checked(self, X, reset=True)
        check_counts(counts, "X")
        check_smoothing(self.smoothing, counts)
        return self

    def transform(self, X: Any) -> Any:
        """Return the square roots of the distributions: unit rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Distributions or counts.

        Returns
        -------
        ndarray or sparse array of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        return root_rows(_checked(self, X, reset=False), "X", self.smoothing)

    def inverse_transform(self, X: Any) -> Any:
        """Return the distributions of points of the sphere: their squares.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Points of the sphere; they need not have unit length.

        Returns
        -------
        ndarray or sparse array of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        return unit_rows(_checked(self, X, reset=False), "X") ** 2

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "n_features_in_")

    def __sklearn_tags__(self) -> Any:
        return _tagged(super().__sklearn_tags__(), self.smoothing)


class DistributionEmbedding(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
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
    loss : str or Loss, default="squared"
        What a wrong distance costs, for scaling; see `unimds.MDS`.
    smoothing : float, default=0
        Added to every entry, so that an empty row becomes uniform; see `HellingerMap`.
    max_iter : int, default=2000
        Sweeps of scaling at most.
    eps : float, default=1e-7
        Scaling ends when a sweep lowers the cost by less than this share of it; see `unimds.MDS`.
        It is no error of angles: that is the `eps` of `spherical_jl_min_dim`.
    random_state : int, RandomState or None, default=None
        Seed of projection and starts.

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
    space_ : Space
        The space of the map, for scaling.
    result_ : Result
        All about the scaling run; None for "jl".
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

    _parameter_constraints: dict[str, list[Any]] = {  # noqa: RUF012
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "space": [StrOptions(set(SPACES))],
        "method": [StrOptions(set(METHODS))],
        "loss": [StrOptions(set(LOSSES)), Loss],
        "smoothing": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "eps": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
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
            Distributions or counts, one a row.
        y : ignored

        Returns
        -------
        self
        """
        self.fit_transform(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Array:
        """Find the map and return where the rows came to lie.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Distributions or counts, one a row.
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
        points = root_rows(_checked(self, X, reset=True), "X", self.smoothing)
        rng = check_random_state(self.random_state)
        self._n_features_out = self.n_components + 1
        self.result_ = None
        earlier = ("cost_", "n_iter_", "stress_", "space_", "_points", "_projection")
        for name in earlier:  # of a fit by another method
            self.__dict__.pop(name, None)
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
            space=SPACES[self.space],
            init=init,
            max_iter=self.max_iter,
            eps=self.eps,
            random_state=rng,
        )
        self.cost_, self.n_iter_ = self.result_.cost, self.result_.n_iter
        self.space_ = self.result_.space
        self.stress_ = stress_1(D, self.result_.embedding, space=self.space_)
        self._points = points
        self.embedding_ = self._outer(self.result_.embedding).astype(points.dtype, copy=False)
        return self.embedding_

    def transform(self, X: Any) -> Array:
        """Place new distributions on the map, which does not move.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Distributions or counts over the same outcomes.

        Returns
        -------
        ndarray of shape (n_samples, n_components + 1)
        """
        check_is_fitted(self)
        points = root_rows(_checked(self, X, reset=False), "X", self.smoothing)
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
        """Return points in the form a person expects: unit vectors, or distributions."""
        if self.space == "sphere":
            return np.array(embedding)  # a copy: new points are placed against the map itself
        squares = np.asarray(embedding) ** 2
        return np.asarray(squares / squares.sum(axis=1, keepdims=True))

    def __sklearn_tags__(self) -> Any:
        return _tagged(super().__sklearn_tags__(), self.smoothing)


def _checked(owner: Any, X: Any, *, reset: bool) -> Any:
    return canonical(
        validate_data(owner, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=reset)
    )


def _tagged(tags: Any, smoothing: Any) -> Any:
    tags.input_tags.sparse = smoothing == 0.0
    tags.input_tags.positive_only = True
    tags.transformer_tags.preserves_dtype = ["float64", "float32"]
    return tags
