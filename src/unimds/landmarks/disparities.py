"""What very many points are placed by: their distances, or the disparities of these."""

from __future__ import annotations

from typing import Any, Protocol, final

import numpy as np
from numpy.typing import NDArray

from unimds.compiled.functions import looping
from unimds.distances.table import Index
from unimds.levels import Transformation

Array = NDArray[Any]

BUCKETS = 2
"""Buckets for each entry of a transformation, to find it by."""


class Source(Protocol):
    """The distances that points are placed by: `unimds.distances.table.LocalTable` is one."""

    @property
    def n(self) -> int:
        """Number of points."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Precision of the distances."""

    def between(self, rows: Index, columns: Array) -> Array:
        """Return the distances of some points to some others; NaN where one is missing."""

    def on(self, index: Array) -> Source:
        """Return the distances between some of the points."""

    def number(self, point: int) -> int:
        """Return the number of a point among the points that were given."""


@final
class Through:
    """Disparities: what a transformation, found on the landmarks, makes of dissimilarities.

    Parameters
    ----------
    source : Source
        The dissimilarities.
    transformation : Transformation
        The transformation.
    """

    def __init__(self, source: Source, transformation: Transformation):
        self.source, self.transformation = source, transformation.corners()
        self.n, self.dtype = source.n, source.dtype
        given = self.transformation.given
        edges = np.linspace(given[0], given[-1], BUCKETS * given.size + 1)
        self._starts = np.searchsorted(given, edges, side="right") - 1

    def between(self, rows: Index, columns: Array) -> Array:
        """Return the disparities of some points to some others; NaN where one is missing."""
        D = self.source.between(rows, columns)
        known = self.transformation
        look_up(D.reshape(-1), known.given, known.disparities, self._starts)
        return D

    def on(self, index: Array) -> Through:
        """Return the disparities between some of the points."""
        return Through(self.source.on(index), self.transformation)

    def number(self, point: int) -> int:
        """Return the number of a point among the points that were given."""
        return self.source.number(point)


def through(source: Source, transformation: Transformation | None) -> Source:
    """Return the disparities of all points; at the level "ratio", their distances."""
    return source if transformation is None else Through(source, transformation)


@looping
def look_up(d, given, disparities, starts):  # type: ignore[no-untyped-def]
    """Put disparities in the place of dissimilarities, as `Transformation` does.

    `starts` has the last entry before each of as many buckets, equally wide, that make up the range
    of the dissimilarities: within a bucket there are few entries to search.
    """
    last, buckets = given.size - 1, starts.size - 1
    low, high = given[0], given[last]
    per_unit = buckets / (high - low) if high > low else 0.0
    for i in range(d.size):
        x = d[i]
        if x == 0.0 and low > 0.0:
            continue
        if x <= low:
            d[i] = disparities[0]
        elif x >= high:
            d[i] = disparities[last]
        elif x == x:  # NaN stays NaN
            bucket = min(int((x - low) * per_unit), buckets - 1)
            left, right = starts[bucket], starts[bucket + 1]
            while given[left] > x:  # the bucket is one too far, by rounding
                left -= 1
            while given[right] <= x:
                right += 1
            while right - left > 1:
                middle = (left + right) // 2
                if given[middle] <= x:
                    left = middle
                else:
                    right = middle
            slope = (disparities[right] - disparities[left]) / (given[right] - given[left])
            d[i] = disparities[left] + slope * (x - given[left])
