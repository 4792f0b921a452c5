"""Levels whose disparities are a curve of the dissimilarities: a line, a spline."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from itertools import pairwise
from numbers import Integral
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import BSpline

from unimds.levels.base import Bound, within
from unimds.levels.blocks import InBlocks
from unimds.levels.combining import Basis

Array = NDArray[Any]


@dataclass(frozen=True)
class Combination(InBlocks):
    """Disparities are sums of a few functions with nonnegative factors."""

    @abstractmethod
    def pieces(self, d: Array) -> tuple[Array, Array, int]:
        """Return the pieces that each dissimilarity lies in: values, number of the first, count.

        A function is the sum of the pieces from its own on.
        """

    def prepare_blocks(self, d: Array, first: Array, edges: Array) -> Basis:
        parts = [self.pieces(d[begin:end]) for begin, end in pairwise(edges)]
        values, at, counts = zip(*parts, strict=True)
        return Basis(np.concatenate(values), np.concatenate(at), edges, max(counts))

    def project(self, known: Basis, t: Array, w: Array) -> Array:
        found = known.nearest(t, w, None)
        assert found is not None  # nothing bounds it
        return found

    def nearest(self, known: Basis, t: Array, w: Array, bound: Bound, now: Array) -> Array:
        found = known.nearest(t, w, bound)
        if found is None:
            return now
        found = within(found, bound)
        # the present ones are within the bound; weights of many sizes may leave no digits
        return found if w @ (found - t) ** 2 <= w @ (now - t) ** 2 else now


@final
@dataclass(frozen=True)
class Ratio(Combination):
    """The dissimilarities are distances, up to their unit: nothing is transformed.

    Examples
    --------
    >>> Ratio().is_given
    True
    """

    @property
    def is_given(self) -> bool:
        return True

    def pieces(self, d: Array) -> tuple[Array, Array, int]:
        return d[:, None] / (d[-1] or 1.0), np.zeros(d.size, dtype=np.int64), 1


@final
@dataclass(frozen=True)
class Interval(Combination):
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

    def pieces(self, d: Array) -> tuple[Array, Array, int]:
        return _splines(d, 1, 0)


@final
@dataclass(frozen=True)
class MonotoneSpline(Combination):
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

    def pieces(self, d: Array) -> tuple[Array, Array, int]:
        return _splines(d, self.degree, self.knots)


def _splines(d: Array, degree: int, knots: int) -> tuple[Array, Array, int]:
    """Return the B-splines that each dissimilarity lies in: values, number of the first, count.

    Sums of the last B-splines rise from 0 to 1: these are the I-splines. The sum of all is 1.
    """
    low, high = float(d[0]), float(d[-1])
    if not high > low:  # as wide as the others, or rows could not be joined
        values = np.zeros((d.size, degree + 1))
        values[:, 0] = 1.0
        return values, np.zeros(d.size, dtype=np.int64), degree + 1
    x = (d - low) / (high - low)
    inner = np.quantile(x, np.arange(1, knots + 1) / (knots + 1))
    inner = np.unique(inner[(inner > 0.0) & (inner < 1.0)])
    ends = np.repeat([0.0, 1.0], degree + 1)
    t = np.sort(np.concatenate([ends, inner]))
    matrix = BSpline.design_matrix(x, t, degree)
    at = matrix.indices.reshape(d.size, degree + 1)[:, 0]
    return matrix.data.reshape(at.size, -1), at.astype(np.int64), t.size - degree - 1
