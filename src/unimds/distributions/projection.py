r"""Random projections from sphere to sphere: Johnson & Lindenstrauss's lemma for angles.

Points of :math:`S^d` go to a random subspace of m dimensions and, divided by their length, to the
sphere :math:`S^{m-1}` in it. Angles change little, all of them at once, if m is large enough:
`spherical_jl_min_dim` says how large.
"""

from __future__ import annotations

import warnings
from functools import cache
from math import log, log10
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr
from scipy.stats import chi, f, norm
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import DataDimensionalityWarning
from sklearn.random_projection import GaussianRandomProjection, SparseRandomProjection
from sklearn.utils import check_array, check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted, validate_data

from unimds._runtime.warning import warn
from unimds.distributions.unit_rows import (
    balanced_rows,
    canonical,
    check_no_zero_rows,
    largest_entries,
    unit_rows,
)

Array = NDArray[np.floating[Any]]

BOUNDS = ("exact", "theorem")
METHODS = ("subspace", "gaussian", "sparse")
FEWEST = 5  # from so many coordinates on small angles are the worst case
TINY_ANGLE = 1e-8  # below it only rounding tells an angle from the limit of small ones
LOST = {
    "sparse": "a sparse projection may lose a row with few entries; raise density, or use "
    'method="gaussian"'
}


def spherical_jl_min_dim(
    n_samples: int, eps: float = 0.1, delta: float = 0.05, *, bound: str = "exact"
) -> int:
    r"""Return how many coordinates keep all angles between points within a factor of 1 ± eps.

    Parameters
    ----------
    n_samples : int
        Number of points.
    eps : float, default=0.1
        Largest relative error of an angle, above 0 and below 1; for the theorem at most 1/4.
    delta : float, default=0.05
        Probability at most that some angle is off by more than that.
    bound : "exact" or "theorem", default="exact"
        "exact": the distribution of one projected angle, and a union bound over the pairs.
        "theorem": the constants of the paper's proof.

    Returns
    -------
    int
        Number of coordinates m: the sphere is :math:`S^{m-1}`.

    Notes
    -----
    For a Gaussian projection the projected angle of a pair depends on its true angle θ and on m
    alone. From 5 coordinates on its relative error is largest for small θ, where
    :math:`(\hat\theta/\theta)^2` is the ratio of independent :math:`\chi^2_{m-1}` and
    :math:`\chi^2_m`; see `pair_failure`. Hence no fewer than 5 are returned. The orthonormal basis
    of a random subspace does a little better.

    Examples
    --------
    >>> spherical_jl_min_dim(1000, eps=0.25)
    544
    >>> spherical_jl_min_dim(1000, eps=0.25, bound="theorem")
    81050
    """
    if not (isinstance(n_samples, Integral) and n_samples >= 1):
        raise ValueError(f"n_samples={n_samples!r} must be an integer of at least 1")
    if bound not in BOUNDS:
        raise ValueError(f"bound={bound!r} is not known: use one of {', '.join(map(repr, BOUNDS))}")
    largest = 0.25 if bound == "theorem" else 1.0
    if not (isinstance(eps, Real) and 0.0 < eps < 1.0 and eps <= largest):
        raise ValueError(
            f"eps={eps!r} must be above 0 and "
            + ("at most 0.25, as the theorem asks" if bound == "theorem" else "below 1")
        )
    if not (isinstance(delta, Real) and 0.0 < delta < 1.0):
        raise ValueError(f"delta={delta!r} must be above 0 and below 1")
    pairs = int(n_samples) * (int(n_samples) - 1) // 2
    if pairs == 0:
        return 2
    if log(pairs) - log(delta) > 600.0:  # probabilities of 1e-300 are not numbers any more
        raise ValueError(
            f"delta={delta:.3g} shared by 10^{log10(pairs):.0f} pairs is too small a probability "
            "to compute with; raise delta, or lower n_samples"
        )
    if bound == "theorem":
        return _theorem_dim(int(n_samples), float(eps), float(delta))
    return _smallest(lambda m: pairs * float(pair_failure(0.0, m, eps)) <= delta)


def _theorem_dim(n: int, eps: float, delta: float) -> int:
    """Return the paper's dimension: JL at ε/8 for all lengths and chords that its proof uses.

    A far pair has 6 points added on its arc, hence 6 more lengths and 7 short chords; all of them
    keep their square within 1 ± ε/8 if 2·exp(−m(s²/4 − s³/6)) ≤ δ/count (Dasgupta & Gupta 2003).
    One step of that proof fails; the repaired one of docs/spherical-jl.md needs fewer lengths, to
    the same precision, so that the number holds.
    """
    pairs = n * (n - 1) // 2
    count = n + (6 + 7) * pairs
    s = eps / 8.0
    return int(np.ceil(np.log(2.0 * count / delta) / (s**2 / 4.0 - s**3 / 6.0)))


def _smallest(fits: Any) -> int:
    """Return the smallest m that fits, from `FEWEST` on, where all larger ones do."""
    if fits(FEWEST):
        return FEWEST
    high = 2 * FEWEST
    while not fits(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    return high


def pair_failure(theta: float, n_components: int, eps: float) -> float:
    r"""Return the probability that a Gaussian projection changes an angle by more than `eps` of it.

    With x, y at the angle θ and G Gaussian of m rows, :math:`Gx = u` and
    :math:`Gy = \cos\theta\,u + \sin\theta\,w` for independent u, w. Along u the second one is
    :math:`\cos\theta\,U + \sin\theta\,z`, across it :math:`\sin\theta\,V`, with U of the
    distribution :math:`\chi_m`, V of :math:`\chi_{m-1}` and z normal. So the new angle exceeds a
    where :math:`z < V\cot a - U\cot\theta`; the probability is an integral over two of the three
    variables, of the distribution function of the third.

    Parameters
    ----------
    theta : float
        The true angle, from 0 to π; 0 stands for the limit of small angles.
    n_components : int
        Number of coordinates after the projection, at least 2.
    eps : float
        The relative error that counts as a failure.

    Returns
    -------
    float

    Examples
    --------
    >>> round(pair_failure(0.0, 60, 0.25), 3), round(pair_failure(1.6, 60, 0.25), 3)
    (0.055, 0.002)
    """
    if not (isinstance(n_components, Integral) and n_components >= 2):
        raise ValueError(f"n_components={n_components!r} must be an integer of at least 2")
    if not (isinstance(theta, Real) and 0.0 <= theta <= np.pi):
        raise ValueError(f"theta={theta!r} must be an angle from 0 to pi")
    if not (isinstance(eps, Real) and 0.0 < eps < np.inf):
        raise ValueError(f"eps={eps!r} must be a positive number")
    m = int(n_components)
    if theta < TINY_ANGLE:
        scale = m / (m - 1)  # from a ratio of sums of squares to one of their means
        low, high = scale * max(1.0 - eps, 0.0) ** 2, scale * (1.0 + eps) ** 2
        return float(f.cdf(low, m - 1, m) + f.sf(high, m - 1, m))
    flat = 1.0 / np.tan(theta)

    def share(angle: float, above: bool) -> float:
        """Probability that the new angle lies above `angle`, or below: 1 − p would lose digits."""
        slope = 1.0 / np.tan(angle)
        V, wV = _nodes(chi(m - 1))
        if abs(flat) < 1.0:
            U, wU = _nodes(chi(m))
            gap = V[:, None] * slope - U * flat
            return float(wV @ ndtr(gap if above else -gap) @ wU)
        # near 0 and π the other way round: Φ would be too steep a function of U
        z, wz = _nodes(norm())
        law = chi(m)
        inside = law.cdf if (flat > 0.0) == above else law.sf
        return float(wV @ inside((V[:, None] * slope - z) / flat) @ wz)

    too_large = share((1.0 + eps) * theta, True) if (1.0 + eps) * theta < np.pi else 0.0
    return float(too_large + (share((1.0 - eps) * theta, False) if eps < 1.0 else 0.0))


@cache
def _gauss() -> tuple[Array, Array]:
    return np.polynomial.legendre.leggauss(200)


def _nodes(law: Any) -> tuple[Array, Array]:
    """Return where to evaluate an integral over a distribution, and the weights."""
    nodes, weights = _gauss()
    low, high = law.ppf(1e-15), law.isf(1e-15)
    x = 0.5 * (high - low) * nodes + 0.5 * (high + low)
    return x, weights * 0.5 * (high - low) * law.pdf(x)


class SphericalRandomProjection(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    r"""Reduce the dimension of points on a sphere and stay on a sphere; angles hardly change.

    Rows are projected to a random subspace and divided by their length. Rows need not have unit
    length: only their directions count.

    Parameters
    ----------
    n_components : int or "auto", default="auto"
        Number of coordinates m of the result, which lies on :math:`S^{m-1}`; "auto" takes as many
        as `eps` and `delta` need for the number of rows given to `fit`. Where rows to come count
        as well, give ``spherical_jl_min_dim(n_train + n_test, eps, delta)``.
    eps : float, default=0.1
        Largest relative error of an angle, for "auto".
    delta : float, default=0.05
        Probability at most that some angle is off by more than `eps`, for "auto".
    method : "subspace", "gaussian" or "sparse", default="subspace"
        "subspace": an orthonormal basis of a random subspace, as in the paper. "gaussian": a
        matrix of normal numbers, cheaper to make. "sparse": a sparse matrix of signs, fastest for
        thousands of features; what "auto" promises does not hold for it where a few entries carry
        much of a row or of the difference of two, as in word counts: raise `density`, or use
        "gaussian".
    density : float or "auto", default="auto"
        Share of the entries of a sparse projection that are not zero; "auto" is
        ``1 / sqrt(n_features)``, as in scikit-learn.
    random_state : int, RandomState or None, default=None
        Seed of the projection.

    Attributes
    ----------
    components_ : ndarray or sparse array of shape (n_components, n_features)
        What rows are multiplied with.
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
        "method": [StrOptions(set(METHODS))],
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
        """Draw the projection; of `X` only the shape and the dtype count.

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
            f"{m} dimensions are not fewer than the {d} that the points have: "
            + ("the points are only turned" if turned else "nothing is saved")
            + "; raise eps, set a smaller n_components, or leave the projection out",
            UserWarning,
        )
        return d if turned else m

    def transform(self, X: Any) -> Array:
        """Return unit rows of `n_components_` coordinates.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Points. A row of zeros is an error: it has no direction.

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

        Where there are fewer coordinates than features they are projected to `X` itself.

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
                "coordinates; give rows as `transform` returns them"
            )
        components = self.components_
        if self.method != "subspace":
            dense = components.toarray() if hasattr(components, "toarray") else components
            return np.asarray(unit_rows(X @ np.linalg.pinv(dense).T, "X"))
        return np.asarray(unit_rows(X @ components, "X"))

    def _checked(self, X: Any, *, reset: bool) -> Any:
        return canonical(
            validate_data(
                self, X, accept_sparse=["csr", "csc"], dtype=[np.float64, np.float32], reset=reset
            )
        )

    def _basis(self, m: int, d: int, rng: np.random.RandomState, dtype: Any) -> Any:
        """Return the rows that points are multiplied with."""
        if self.method == "subspace":
            Q, _ = np.linalg.qr(rng.normal(size=(d, m)))
            return np.ascontiguousarray(Q.T, dtype=dtype)
        if self.method == "gaussian":
            family = GaussianRandomProjection(m, random_state=rng)
        else:
            family = SparseRandomProjection(m, density=self.density, random_state=rng)
        shape_only = np.zeros((1, d), dtype=dtype)  # its fit looks at nothing else
        with warnings.catch_warnings():  # of too many dimensions we warn ourselves
            warnings.simplefilter("ignore", DataDimensionalityWarning)
            return family.fit(shape_only).components_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
