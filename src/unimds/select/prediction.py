r"""What a map predicts for pairs that it has not seen, and how wrong that is.

All candidates predict the same thing, the given dissimilarity of a pair, so that maps of any loss,
space and level can be compared. At the level "ratio" the prediction is the distance on the map. At
another level the map has found a function from dissimilarities to disparities; its inverse leads
from a distance on the map back to a dissimilarity. With noise, an inverse exaggerates: a
dissimilarity that is large by chance belongs to a distance that is less so. So the predictions of
the pairs that the map has seen are regressed on their dissimilarities, and this straight line is
part of the prediction.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unimds.losses import Squared
from unimds.placecenter.result import Result
from unimds.spaces import distances

Array = NDArray[Any]
Scoring = Callable[[Array, Array, Array], float]
"""Returns the error of given and predicted dissimilarities, with weights: less is better."""

ROUNDS = 30  # of the regression by absolute errors
TINY = 1e-9


class Sample(NamedTuple):
    """Some pairs of a table: their points, dissimilarities and weights.

    Each direction of a pair of an asymmetric table is a pair of its own.
    """

    i: Array
    j: Array
    d: Array
    w: Array


def predicted(result: Result, seen: Sample, unseen: Sample) -> Array:
    """Return the dissimilarities that a map predicts for pairs that it has not seen."""
    u = np.asarray(distances(result.embedding, space=result.space), dtype=np.float64)
    there = u[unseen.i, unseen.j]
    if result.scaling is None:
        return np.asarray(there)
    curves = _curves(result, seen)
    robust = type(result.loss) is not Squared
    back = _inverse(curves, seen.i, u[seen.i, seen.j])
    slope, shift = line(back, seen.d, seen.w, robust)
    return slope * _inverse(curves, unseen.i, there) + shift


Curve = tuple[Array, Array]
"""Rising disparities, and the mean dissimilarity of each."""


def _curves(result: Result, seen: Sample) -> list[Curve]:
    """Return the function from disparities to dissimilarities: one, or one for each row."""
    assert result.scaling is not None
    r = result.scaling.disparities[seen.i, seen.j]
    if len(result.scaling.codes.blocks) == 1:
        return [_means(r, seen.d, seen.w)]
    rows = (seen.i == row for row in range(len(result.embedding)))
    return [_means(r[own], seen.d[own], seen.w[own]) for own in rows]


def _means(r: Array, d: Array, w: Array) -> Curve:
    """Return the different disparities, and the mean dissimilarity of each."""
    different, group = np.unique(r, return_inverse=True)
    return different, np.bincount(group, w * d) / np.bincount(group, w)


def _inverse(curves: list[Curve], rows: Array, u: Array) -> Array:
    """Return the dissimilarities of distances on the map, by the curve of their rows."""
    if len(curves) == 1:
        return np.interp(u, *curves[0])
    found = np.full(u.shape, np.nan)
    for row, curve in enumerate(curves):
        own = rows == row
        if own.any() and curve[0].size:  # a row of which nothing was seen has no curve
            found[own] = np.interp(u[own], *curve)
    return np.where(np.isnan(found), u, found)


def line(x: Array, y: Array, w: Array, robust: bool = False) -> tuple[float, float]:
    """Return slope and shift of the line through y that does not fall, with weights.

    The squares of errors are least, or, where `robust`, their absolute values.

    Examples
    --------
    >>> x = np.arange(5.0)
    >>> y = np.array([1.0, 3.0, 5.0, 7.0, 90.0])
    >>> slope, shift = line(x, y, np.ones(5), robust=True)
    >>> round(slope, 1), round(shift, 1)
    (2.0, 1.0)
    """
    slope, shift = _least_squares(x, y, w)
    if robust:
        least = TINY * (float(np.abs(y).max(initial=0.0)) or 1.0)
        for _ in range(ROUNDS):
            away = np.maximum(np.abs(y - slope * x - shift), least)
            slope, shift = _least_squares(x, y, w / away)
    return slope, shift


def _least_squares(x: Array, y: Array, w: Array) -> tuple[float, float]:
    total = float(w.sum())
    middle, level = float(w @ x) / total, float(w @ y) / total
    spread = float(w @ (x - middle) ** 2)
    slope = max(float(w @ ((x - middle) * (y - level))) / spread, 0.0) if spread > 0.0 else 0.0
    return slope, level - slope * middle


# --- errors ---------------------------------------------------------------------------------------


def stress(given: Array, predicted: Array, weights: Array) -> float:
    """Return the root of the squared errors relative to the squared dissimilarities."""
    unit = float(np.abs(given).max(initial=0.0)) or 1.0  # squares of 1e±200 are no numbers
    given, predicted = given / unit, predicted / unit
    above = float(weights @ (given - predicted) ** 2)
    return float(np.sqrt(_share(above, float(weights @ given**2))))


def absolute(given: Array, predicted: Array, weights: Array) -> float:
    """Return the absolute errors relative to the dissimilarities."""
    return _share(float(weights @ np.abs(given - predicted)), float(weights @ np.abs(given)))


def median(given: Array, predicted: Array, weights: Array) -> float:
    """Return the median absolute error relative to the median dissimilarity."""
    error = weighted_median(np.abs(given - predicted), weights)
    return _share(error, weighted_median(np.abs(given), weights))


def _share(above: float, below: float) -> float:
    return above / below if below > 0.0 else 0.0 if above == 0.0 else float("inf")


SCORINGS: dict[str, Scoring] = {"stress": stress, "absolute": absolute, "median": median}
"""Errors by name."""


def weighted_median(x: Array, w: Array) -> float:
    """Return the median of numbers that count as much as their weights.

    Examples
    --------
    >>> weighted_median(np.array([3.0, 1.0, 2.0]), np.ones(3))
    2.0
    >>> weighted_median(np.array([3.0, 1.0, 2.0]), np.array([5.0, 1.0, 1.0]))
    3.0
    """
    order = np.argsort(x, kind="stable")
    below = np.cumsum(w[order])
    half = 0.5 * float(below[-1])
    low, high = (x[order[np.searchsorted(below, half, side=side)]] for side in ("left", "right"))
    return float(0.5 * (low + high)) if float(below[-1]) > 0.0 else float(x[order[0]])


def constants(seen: Sample) -> tuple[float, float]:
    """Return what to predict of all pairs alike: the mean dissimilarity, and the median."""
    total = float(seen.w.sum())
    return float(seen.w @ seen.d) / total, weighted_median(seen.d, seen.w)
