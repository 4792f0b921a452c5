"""New points that a map can hardly have a place for: what was probably forgotten."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.watch import warn
from unimds.distances.metric import RowsWarning
from unimds.spaces.base import Space, distances

Array = NDArray[Any]

LONELY = 2.0
"""A point is far if its nearest is so many times as far away as is usual on the map, and farther
than the largest distance there."""
OTHER_SIZE = 2.0  # times as large as the largest row of the map, or as small as the smallest
NEARER = 0.9  # share of its distance that a row of the usual size has, if the metric minds sizes
TOO_SHORT = 0.25
"""By the triangle inequality the longest distance of a point is at least half of the map's."""
SAMPLE = 200  # points of the map whose neighbours are looked at

ALIKE = (
    "If the table of the map was transformed, standardised or in another unit, treat the new rows "
    "alike, with the means, maxima and so on of that table"
)
SAME_KIND = "Are these distances of the same kind as those of the map, and in the same unit?"


class StrangersWarning(RowsWarning):
    """A warning of new points that are far from all points of a map, or impossibly near to all."""


@final
class Spread(NamedTuple):
    """How far points of a map are from their nearest, half of them at most, and from each other."""

    nearest: float
    largest: float


def spread_of(apart: Array, own: Array) -> Spread | None:
    """Return the spread of a map, by the distances of some of its points, `own`, to all of them.

    Examples
    --------
    >>> apart = np.abs(np.subtract.outer([0.0, 3.0], [0.0, 1.0, 3.0]))
    >>> spread_of(apart, np.array([0, 2]))
    Spread(nearest=1.5, largest=3.0)
    """
    others = np.array(apart, dtype=np.float64)
    others[np.arange(len(own)), own] = np.nan
    others = others[~np.isnan(others).all(axis=1)]
    if not others.size:
        return None
    return Spread(float(np.median(np.nanmin(others, axis=1))), float(np.nanmax(others)))


def some_of(count: int, most: int = SAMPLE) -> Array:
    """Return so many numbers below `count`, evenly spaced, or all of them."""
    return np.unique(np.linspace(0, count - 1, max(1, min(count, most))).astype(int))


@final
class Rows(NamedTuple):
    """Features of some new points and of the points of a map, and the metric between them."""

    new: Array
    old: Array
    between: Callable[[Array, Array], Array]

    def times(self) -> Array:
        """Return how many times as large as any row of the map new rows are, or as small.

        It is 1 where a row of the map is as large, and also where the metric does not mind sizes:
        a row of the usual size would not be nearer.
        """
        new, old = (np.nanmean(np.abs(X.astype(np.float64)), axis=1) for X in (self.new, self.old))
        tiny = np.finfo(np.float64).tiny
        old = np.fmax(old[old > 0.0] if old.any() else old, tiny)
        times = np.fmax(new, tiny) / np.clip(new, old.min(), old.max())
        odd = np.flatnonzero(np.fmax(times, 1.0 / times) > OTHER_SIZE)
        found = np.ones(len(times))
        if odd.size:
            usual = self.new[odd] / times[odd, None].astype(self.new.dtype)
            here, there = (_nearest(self.between(X, self.old)) for X in (self.new[odd], usual))
            odd = odd[there < NEARER * here]
            found[odd] = times[odd]
        return found


def warn_of_strangers(
    apart: Array, spread: Spread, rows: Array, names: Any, features: Rows | None = None
) -> None:
    """Warn of new points that are far from every point of a map.

    Parameters
    ----------
    apart : ndarray of shape (m, n)
        Distances of some new points to the points of the map.
    spread : Spread
        How far these are from each other.
    rows : ndarray of int
        The numbers of the new points.
    names : list or None
        The names of all new points.
    features : Rows, default=None
        What the distances were measured between.
    """
    nearest = _nearest(apart)
    far = nearest > max(LONELY * spread.nearest, spread.largest)
    reason = SAME_KIND
    if features is not None:
        times = features.times()
        other = (nearest > spread.nearest) & (times != 1.0)
        if 2 * other.sum() > len(other):  # what was forgotten was forgotten for the whole table
            far |= other
        reason = f"{_sizes_told(times[far & other])}{ALIKE}"
    if far.any():
        are = "point is" if len(far) == 1 else "points are"
        told = f"{far.sum()} of {len(far)} new {are} far from every point of the map"
        effect = (
            f"the nearest is {nearest[far].min():.3g} away, and half of the points of the map have "
            f"another within {spread.nearest:.3g}. {reason}"
        )
        warn(StrangersWarning(told, rows[far].tolist(), effect, names), StrangersWarning)


def warn_of_short(apart: Array, points: Array, space: Space, rows: Array, names: Any) -> None:
    """Warn of new points that are impossibly near to all points of a map."""
    known = ~np.isnan(apart)
    nearest = np.argmin(np.where(known, apart, np.inf), axis=1)
    across = np.where(known, distances(points[nearest], points, space=space), 0.0).max(axis=1)
    longest = np.where(known, apart, 0.0).max(axis=1)
    short = longest < TOO_SHORT * across
    if short.any():
        are = "point has" if len(short) == 1 else "points have"
        told = f"{short.sum()} of {len(short)} new {are} only distances that are too short"
        effect = (
            f"up to {longest[short].max():.3g}, to points of the map that are "
            f"{across[short].max():.3g} apart. {SAME_KIND}"
        )
        warn(StrangersWarning(told, rows[short].tolist(), effect, names), StrangersWarning)


def _nearest(apart: Array) -> Array:
    return np.asarray(np.fmin.reduce(apart, axis=1))


def _sizes_told(times: Array) -> str:
    if not times.size:
        return ""
    typical = float(np.median(times))
    how, factor = ("large", typical) if typical > 1.0 else ("small", 1.0 / typical)
    return f"Their numbers are {float(f'{factor:.2g}'):,g} times as {how} as any of the map. "
