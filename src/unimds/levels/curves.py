"""Levels whose disparities are a curve of the dissimilarities: a line, a spline, a power."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import BSpline
from scipy.optimize import minimize_scalar, nnls

from unimds.levels.base import Bound, Level

Array = NDArray[Any]

EXPONENTS = (0.05, 20.0)  # of a power law


@final
@dataclass(frozen=True)
class Ratio(Level):
    """The dissimilarities are distances, up to their unit: nothing is transformed.

    Examples
    --------
    >>> Ratio().is_given
    True
    """

    @property
    def is_given(self) -> bool:
        return True

    def project(self, known: Array, t: Array, w: Array) -> Array:
        return known * _share(known, t, w)


@final
@dataclass(frozen=True)
class Interval(Level):
    r"""Disparities are a rising straight line of the dissimilarities, :math:`a + b\,d`.

    Neither the slope nor the least disparity is negative.

    Examples
    --------
    >>> import numpy as np
    >>> from unimds import MDS
    >>> from unimds.spaces import distances
    >>> X = np.random.default_rng(0).normal(size=(12, 2))
    >>> D = 3.0 + 2.0 * distances(X) * (1 - np.eye(12)) - 3.0 * np.eye(12)
    >>> mds = MDS(2, level="interval", metric="precomputed", random_state=0).fit(D)
    >>> bool(mds.stress_ < 1e-4)
    True
    """

    def project(self, known: Array, t: Array, w: Array) -> Array:
        x = known - known[0]
        total = w.sum()
        middle, mean = (w @ x) / total, (w @ t) / total
        away = x - middle
        spread = w @ (away * away)
        slope = (w @ (away * t)) / spread if spread > 0.0 else 0.0
        if slope <= 0.0:
            return np.full_like(t, max(mean, 0.0))
        if mean - slope * middle < 0.0:
            return np.asarray(x * _share(x, t, w))
        return np.asarray(mean + slope * away)


class Basis(NamedTuple):
    """Rising functions of the dissimilarities, a column each; the first is constant."""

    columns: Array


@final
@dataclass(frozen=True)
class MonotoneSpline(Level):
    """Disparities are a smooth rising curve of the dissimilarities: a spline.

    The curve is a sum of I-splines with nonnegative coefficients, and of a nonnegative constant.

    Parameters
    ----------
    degree : int, default=2
        Degree of the pieces; 1 is a broken line.
    knots : int, default=3
        Number of knots between the ends, at quantiles of the dissimilarities.

    Examples
    --------
    >>> import numpy as np
    >>> from unimds import MDS
    >>> from unimds.spaces import distances
    >>> D = np.sqrt(distances(np.random.default_rng(0).normal(size=(15, 2))))
    >>> mds = MDS(2, level="spline", metric="precomputed", random_state=0).fit(D)
    >>> bool(mds.stress_ < 0.01)
    True
    """

    degree: int = 2
    knots: int = 3

    def __post_init__(self) -> None:
        for name, least in (("degree", 1), ("knots", 0)):
            value = getattr(self, name)
            if not isinstance(value, Integral) or not least <= int(value) <= 20:
                raise ValueError(
                    f"MonotoneSpline({name}={value!r}): it must be a whole number from {least} "
                    "to 20"
                )

    def prepare(self, d: Array, first: Array) -> Basis:
        low, high = float(d[0]), float(d[-1])
        if not high > low:
            return Basis(np.ones((d.size, 1)))
        x = (d - low) / (high - low)
        inner = np.quantile(x, np.arange(1, self.knots + 1) / (self.knots + 1))
        inner = np.unique(inner[(inner > 0.0) & (inner < 1.0)])
        ends = np.repeat([0.0, 1.0], self.degree + 1)
        t = np.sort(np.concatenate([ends, inner]))
        pieces = BSpline.design_matrix(x, t, self.degree).toarray()
        # sums of the last B-splines rise from 0 to 1; the sum of all is 1
        return Basis(np.ascontiguousarray(pieces[:, ::-1].cumsum(axis=1)[:, ::-1]))

    def project(self, known: Basis, t: Array, w: Array) -> Array:
        weighed = known.columns * w[:, None]
        values, vectors = np.linalg.eigh(known.columns.T @ weighed)
        kept = values > 1e-13 * values[-1]
        root = np.sqrt(values[kept])
        A, b = root[:, None] * vectors[:, kept].T, (vectors[:, kept].T @ (weighed.T @ t)) / root
        return np.asarray(known.columns @ nnls(A, b)[0])


@final
@dataclass(frozen=True)
class PowerLaw(Level):
    r"""Disparities are a power of the dissimilarities, :math:`b\,d^a` with any a > 0.

    The powers form no convex cone: a step looks for a better exponent near the present one, and
    is taken only where it lowers the cost.

    Examples
    --------
    >>> import numpy as np
    >>> from unimds import MDS
    >>> from unimds.spaces import distances
    >>> D = distances(np.random.default_rng(0).normal(size=(15, 2))) ** 3
    >>> mds = MDS(2, level="power", metric="precomputed", random_state=0).fit(D)
    >>> bool(mds.stress_ < 1e-3)
    True
    """

    is_convex = False

    def prepare(self, d: Array, first: Array) -> Array:
        with np.errstate(divide="ignore"):
            return np.log(d / d[-1]) if d[-1] > 0.0 else np.zeros_like(d)

    def project(self, known: Array, t: Array, w: Array) -> Array:
        return self._best(known, t, w, Bound(np.zeros_like(t), 0.0))

    def nearest(self, known: Array, t: Array, w: Array, bound: Bound, now: Array) -> Array:
        found = self._best(known, t, w, bound)
        better = w @ (found - t) ** 2 < w @ (now - t) ** 2
        return found if better and bound.slope @ found >= (1.0 - 1e-12) * bound.least else now

    def _best(self, logs: Array, t: Array, w: Array, bound: Bound) -> Array:
        def at(log_exponent: float) -> Array:
            power = np.exp(np.exp(log_exponent) * logs)
            reached = float(bound.slope @ power)
            least = bound.least / reached if reached > 0.0 else 0.0
            return np.asarray(power * max(_share(power, t, w), least))

        def cost(log_exponent: float) -> float:
            return float(w @ (at(log_exponent) - t) ** 2)

        low, high = np.log(EXPONENTS)
        grid = np.linspace(low, high, 13)
        best = int(np.argmin([cost(x) for x in grid]))
        around = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
        found = minimize_scalar(cost, bounds=around, method="bounded", options={"xatol": 1e-10})
        # the search never reaches an end of the exponents, where the best one may be
        return at(min(float(found.x), float(grid[best]), key=cost))


def _share(x: Array, t: Array, w: Array) -> float:
    """Return the factor b ≥ 0 for which b·x is nearest to `t`."""
    below = float(w @ (x * x))
    return max(float(w @ (x * t)) / below, 0.0) if below > 0.0 else 0.0
