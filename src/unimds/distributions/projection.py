r"""Random projections from sphere to sphere: the lemma of Johnson & Lindenstrauss for angles.

Points of :math:`S^d` are projected to a random subspace of m dimensions and divided by their
length, which puts them on the sphere :math:`S^{m-1}`. If m is large enough, all angles change
little at once: `spherical_jl_min_dim` returns such an m.
"""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import DataDimensionalityWarning
from sklearn.random_projection import GaussianRandomProjection, SparseRandomProjection
from sklearn.utils import check_array, check_random_state
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted, validate_data

from unimds._runtime.watch import warn
from unimds.distances.objects.taking import dense_or_sparse
from unimds.distributions.bounds import spherical_jl_min_dim
from unimds.distributions.unit_rows import (
    balanced_rows,
    canonical,
    check_no_zero_rows,
    largest_entries,
    unit_rows,
)
from unimds.estimators.parameters import Interval, StrOptions

Array = NDArray[np.floating[Any]]

PROJECTIONS = ("subspace", "gaussian", "sparse")
LOST = {
    "sparse": "a sparse projection may lose a row with few entries; raise density, or use "
    'method="gaussian"'
}


class SphericalRandomProjection(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    r"""Project points of a sphere to a smaller sphere at random; angles hardly change.

    Rows are projected to a random subspace and divided by their length. Rows need not have unit
    length: only their directions matter.

    Parameters
    ----------
    n_components : int or "auto", default="auto"
        Number of coordinates m of the result, which lies on :math:`S^{m-1}`. "auto" chooses it by
        `eps` and `delta` for the number of rows given to `fit`. If the bound must also cover later
        rows, use ``spherical_jl_min_dim(n_train + n_test, eps, delta)``.
    eps : float, default=0.1
        Maximum relative error of an angle, for "auto".
    delta : float, default=0.05
        Maximum probability that some angle is off by more than `eps`, for "auto".
    method : "subspace", "gaussian" or "sparse", default="subspace"
        "subspace": an orthonormal basis of a random subspace, as in the paper. "gaussian": a
        matrix of normally distributed numbers, cheaper to draw. "sparse": a sparse matrix of
        signs, fastest for thousands of features. The bound of "auto" does not hold for "sparse" if
        a few entries dominate a row or the difference of two rows, as in word counts: raise
        `density`, or use "gaussian".
    density : float or "auto", default="auto"
        Share of non-zero entries of a sparse projection; "auto" is ``1 / sqrt(n_features)``, as in
        scikit-learn.
    random_state : int, RandomState or None, default=None
        Seed of the projection.

    Attributes
    ----------
    components_ : ndarray or sparse array of shape (n_components, n_features)
        The matrix of the projection.
    n_components_ : int
        Number of coordinates of the result.
    n_features_in_ : int
        Number of features seen by `fit`.

    Examples
    --------
    >>> import numpy as np
    >>> from unimds import SphericalRandomProjection
    >>> X = np.random.default_rng(0).normal(size=(50, 3000))
    >>> Y = SphericalRandomProjection(eps=0.25, random_state=0).fit_transform(X)
    >>> Y.shape, bool(np.allclose(np.linalg.norm(Y, axis=1), 1.0))
    ((50, 311), True)
    """

    _parameter_constraints: dict[str, list[Any]] = {  # noqa: RUF012
        "n_components": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        "eps": [Interval(Real, 0, 1, closed="neither")],
        "delta": [Interval(Real, 0, 1, closed="neither")],
        "method": [StrOptions(set(PROJECTIONS))],
        "density": [StrOptions({"auto"}), Interval(Real, 0, 1, closed="right")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components: int | str = "auto",
        *,
        eps: float = 0.1,
        delta: float = 0.05,
        method: str = "subspace",
        density: float | str = "auto",
        random_state: Any = None,
    ):
        self.n_components = n_components
        self.eps = eps
        self.delta = delta
        self.method = method
        self.density = density
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> SphericalRandomProjection:
        """Draw the projection; only the shape and the dtype of `X` matter.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Points.
        y : ignored

        Returns
        -------
        self
        """
        self._validate_params()
        X = self._checked(X, reset=True)
        n, d = X.shape
        self.n_components_ = self._dimension(n, d)
        rng = check_random_state(self.random_state)
        self.components_ = self._basis(self.n_components_, d, rng, X.dtype)
        self._n_features_out = self.n_components_
        return self

    def _dimension(self, n: int, d: int) -> int:
        auto = self.n_components == "auto"
        m = spherical_jl_min_dim(n, self.eps, self.delta) if auto else int(self.n_components)
        if m < d:
            return m
        turned = self.method == "subspace"
        warn(
            f"{m} dimensions are not fewer than the {d} dimensions of the points: "
            + ("the points are only rotated" if turned else "the projection saves nothing")
            + "; raise eps, set a smaller n_components, or skip the projection",
            UserWarning,
        )
        return d if turned else m

    def transform(self, X: Any) -> Array:
        """Return the projected points: unit rows of `n_components_` coordinates.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Points. A row of zeros has no direction and raises an error.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        check_is_fitted(self)
        points = self._checked(X, reset=False)
        largest = largest_entries(points)
        check_no_zero_rows(largest, "X", "remove it, or give it a direction")
        points = balanced_rows(points, largest)
        components = self.components_.astype(points.dtype, copy=False)
        image = np.asarray(safe_sparse_dot(points, components.T, dense_output=True))
        remedy = LOST.get(self.method, "another random_state keeps it")
        return np.asarray(unit_rows(image, "the projection of X", remedy, copy=False))

    def inverse_transform(self, X: Any) -> Array:
        """Return the points of the original sphere whose projections are nearest to `X`.

        If there are fewer coordinates than features, their projections are `X` itself.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            Points of the small sphere.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        X = check_array(X, dtype=[np.float64, np.float32], input_name="X")
        if X.shape[1] != self.n_components_:
            raise ValueError(
                f"X has {X.shape[1]} columns, but the small sphere has {self.n_components_} "
                "coordinates; pass rows that `transform` returned"
            )
        components = self.components_
        if self.method != "subspace":
            dense = components.toarray() if hasattr(components, "toarray") else components
            return np.asarray(unit_rows(X @ np.linalg.pinv(dense).T, "X"))
        return np.asarray(unit_rows(X @ components, "X"))

    def _checked(self, X: Any, *, reset: bool) -> Any:
        kind = {"accept_sparse": ["csr", "csc"], "dtype": [np.float64, np.float32]}
        return canonical(validate_data(self, dense_or_sparse(X), **kind, reset=reset))

    def _basis(self, m: int, d: int, rng: np.random.RandomState, dtype: Any) -> Any:
        """Return the matrix of the projection."""
        if self.method == "subspace":
            Q, _ = np.linalg.qr(rng.normal(size=(d, m)))
            return np.ascontiguousarray(Q.T, dtype=dtype)
        if self.method == "gaussian":
            family = GaussianRandomProjection(m, random_state=rng)
        else:
            family = SparseRandomProjection(m, density=self.density, random_state=rng)
        shape_only = np.zeros((1, d), dtype=dtype)  # fit reads only the shape and the dtype
        with warnings.catch_warnings():  # `_dimension` has its own warning
            warnings.simplefilter("ignore", DataDimensionalityWarning)
            return family.fit(shape_only).components_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
