"""Placing new points on a map whose points stay where they are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning

from unimds._runtime.watch import warn
from unimds.distances.inputs import (
    as_float,
    check_same_labels,
    columns_by_label,
    labels_of,
    rows_by_label,
    weights_by_column,
)
from unimds.distances.joining import counts_rows
from unimds.distances.metric import RowsWarning
from unimds.distances.objects.taking import rows_to_points
from unimds.distances.validate import no_distance
from unimds.levels import Ordinal, Transformation
from unimds.losses import Loss, as_loss
from unimds.placecenter.descent.annealing import sharpened
from unimds.placecenter.frame import Frame
from unimds.spaces.base import Space, as_space, distances
from unimds.spaces.coordinates import dimension_of

Array = NDArray[Any]

STARTS = 5
STEPS, SOFT_STEPS = 20_000, 30
LARGEST = 1e154  # what can be squared
NEARLY_ZERO = 1e-4  # relative to the map: what features give for equal rows is not quite zero
FLAT = {1: "in one place", 2: "on one line", 3: "in one plane"}
"""How points lie that do not determine a place, by the dimension of the map."""


class Placed(NamedTuple):
    """New points, a column each; what they cost, and whether they have settled."""

    points: Array
    cost: Array
    settled: Array


def place_against(
    frame: Frame,
    D: Array,
    W: Array | None,
    X: Array,
    *,
    starts: int = STARTS,
    steps: int = STEPS,
) -> Placed:
    """Place new points against fixed ones; every row of `D` is on its own.

    A row starts at the fixed points that are nearest by its distances, in turn, with the loss
    annealed from a typical distance; the end of lowest cost is kept. A distance of (nearly) zero
    says that the point is one of the map's: it starts there, as it is, and stays unless another
    place costs less than half.
    """
    *soft_losses, sharp = sharpened(frame, frame.scale)
    # near a kink the cost goes on falling by next to nothing, step after step
    rest = 1e-10 if frame.loss.anneals else 1e-16
    known = D if W is None else np.where(W > 0.0, D, np.nan)
    given = np.where(np.isnan(known), np.inf, known)
    if starts == 1:
        nearest = np.argmin(given, axis=1)[:, None]
    else:
        nearest = np.argsort(given, axis=1, kind="stable")
    D, W = np.ascontiguousarray(D), None if W is None else np.ascontiguousarray(W)

    def settle(start: int, softer: list[Loss]) -> Placed:
        P = np.ascontiguousarray(X[:, nearest[:, start]])
        for soft in softer:
            replace(frame, loss=soft).place(D, W, X, P, SOFT_STEPS, 1e-6)
        return Placed(P, *replace(frame, loss=sharp).place(D, W, X, P, steps, rest))

    best = settle(0, [])
    same = np.nanmin(known, axis=1) * frame.unit <= NEARLY_ZERO * frame.scale
    bar = np.where(same, 0.5 * best.cost, best.cost)  # what another place must stay below
    for start in range(min(starts, X.shape[1])):
        if start == 0 and not soft_losses:
            continue  # this is what `best` began with
        other = settle(start, soft_losses)
        better = other.cost < bar
        best.points[:, better] = other.points[:, better]
        bar[better] = best.cost[better] = other.cost[better]
        best.settled[better] = other.settled[better]
    return best


def place_points(
    D: ArrayLike,
    X: ArrayLike,
    *,
    loss: str | Loss = "squared",
    space: str | Space = "euclidean",
    weights: ArrayLike | None = None,
) -> Array:
    r"""Place new points on a map, each by its distances to the points of the map.

    Each row minimises :math:`\sum_j loss(dist(x, x_j), d_j)` over :math:`x`, independently
    of the other rows.

    Parameters
    ----------
    D : array-like of shape (n_new, n)
        Distances of the new points to those of the map; NaN where one is missing. If both tables
        are data frames and the columns of `D` are the row labels of `X` in another order, they are
        matched by label.
    X : array-like of shape (n, n_coordinates)
        The map, one point a row.
    loss : str or Loss, default="squared"
        What a wrong distance costs.
    space : str or Space, default="euclidean"
        The space that the map lies in.
    weights : array-like of shape (n_new, n), default=None
        Weights of the distances; 0 leaves one out. A data frame is matched by its own labels. An
        array belongs to the rows and columns of `D` as given, in whatever order these are.

    Returns
    -------
    ndarray of shape (n_new, n_coordinates)

    Examples
    --------
    >>> place_points([[1.0, 5.0]], [[-3.0], [3.0]]).round(6)
    array([[-2.]])
    """
    loss, space = as_loss(loss), as_space(space)
    if space.is_auto:
        raise ValueError(f'{space}: only a fit can find a size of "auto"; give the one it found')
    given, names = rows_to_points(D, "D"), labels_of(X)
    points, table = as_float(X, "X"), as_float(columns_by_label(given, names), "D")
    if points.ndim != 2 or table.ndim != 2 or table.shape[1] != points.shape[0]:
        raise ValueError(
            "D must have one row for each new point and one column for each point of the map X; "
            f"the shapes are {table.shape} and {points.shape}"
        )
    if not points.size or not np.isfinite(points).all():
        raise ValueError("X, the map, must have at least one point and only finite coordinates")
    space.check_points(points, "X")
    W = None if weights is None else weights_like(given, weights, names, labels_of(D))
    placed = place_checked(table, points, loss, space, W)
    dimension = dimension_of(space, points.shape[1])
    warn_of_few_known(table, W, dimension, names_in(D), argument="D")
    return placed


def place_checked(
    D: Array,
    embedding: Array,
    loss: Loss,
    space: Space,
    W: Array | None = None,
    *,
    first: int = 0,
) -> Array:
    """Place rows of distances on a map that has been checked; the first has the number `first`."""
    _check_rows(D, W, first)
    reach(embedding, space)
    typical = _typical(embedding, space)  # of the map, so that rows stay independent
    frame = Frame.make(loss, space, typical)
    placed = place_against(frame, D, W, frame.inner(embedding))
    if not np.isfinite(placed.cost).all():
        i = int(np.argmin(np.isfinite(placed.cost)))
        raise ValueError(
            f"row {first + i} of the new distances cannot be placed, its cost is not finite: its "
            f"distances (up to {np.nanmax(D[i]):g}) are far larger than those on the map (about "
            f"{typical:g})"
        )
    if not placed.settled.all():
        warn(
            f"{np.count_nonzero(~placed.settled)} of {len(D)} points had not settled after "
            f"{STEPS} steps; the first is row {first + np.argmin(placed.settled)}",
            ConvergenceWarning,
        )
    return frame.outer(placed.points)


def warn_of_few_known(
    D: Array,
    W: Array | None,
    n_components: int,
    names: list[Any] | None = None,
    *,
    argument: str = "X",
) -> None:
    """Warn of rows with too few known distances to determine their places.

    A distance of zero determines the place by itself.

    Parameters
    ----------
    D : ndarray of shape (n_new, n)
        Distances of new points to those of a map, NaN where one is missing.
    W : ndarray of shape (n_new, n), or None
        Their weights.
    n_components : int
        Dimension of the map.
    names : list, default=None
        The names of the new points.
    argument : str, default="X"
        What the argument with the distances is called, where the points have no names.
    """
    needed = min(n_components + 1, D.shape[1])
    known = ~np.isnan(D) if W is None else ~np.isnan(D) & (W > 0.0)
    there = (known & (D == 0.0)).any(axis=1)
    rows = np.flatnonzero((known.sum(axis=1) < needed) & ~there)
    if not rows.size:
        return
    have = "point has" if len(D) == 1 else "points have"
    told = f"{rows.size} of {len(D)} new {have} fewer than {needed} known distances"
    effect = (
        f"on a map of {n_components} dimension{'s' * (n_components > 1)} several positions fit "
        f"equally well, and one was chosen; give at least {needed} distances, to points of the map "
        f"that do not lie {FLAT.get(n_components, 'in one hyperplane')}"
    )
    warn(RowsWarning(told, rows.tolist(), effect, names, argument), RowsWarning)


def names_in(D: Any) -> list[Any] | None:
    """Return the names of the rows of a frame; None where they are only numbered."""
    labels = labels_of(D)
    names = None if labels is None else labels.tolist()
    return None if names is None or counts_rows(names) else names


def fair_targets(transformation: Transformation, D: Array, u: Array) -> Array:
    """Return what distances on the map are judged by: disparities of new dissimilarities.

    In ranks, one between two known dissimilarities may have any disparity between theirs. One that
    is tied with a known one may have any disparity of the tie, if these may differ: those nearer to
    the mean of this tie than to that of the next. The map has had this freedom; the mean of a tie,
    by which new points are placed, has not.

    Parameters
    ----------
    transformation : Transformation
        The transformation of the map.
    D : ndarray
        Dissimilarities of new points, NaN where one is missing.
    u : ndarray
        Their distances on the map.

    Examples
    --------
    >>> from unimds.levels import Ordinal, Transformation
    >>> ranks = Transformation(Ordinal(), np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 7.0]))
    >>> fair_targets(ranks, np.array([1.5, 2.0, 3.0]), np.array([6.0, 6.0, 9.0]))
    array([5., 6., 9.])
    """
    level, target = transformation.level, transformation(D)
    if not isinstance(level, Ordinal) or level.strictness > 0.0:
        return target
    given, means = transformation.given, transformation.disparities
    ends = np.concatenate([[0.0], 0.5 * (means[:-1] + means[1:]), [np.inf]])  # of ties
    at = np.searchsorted(given, D)  # the known dissimilarity that is as large, or the next
    here, before = np.minimum(at, given.size - 1), np.maximum(at - 1, 0)
    tied = given[here] == D
    low = np.where(tied, ends[here], np.where(at > 0, means[before], 0.0))
    high = np.where(tied, ends[here + 1], means[here])
    free = (D > 0.0) & (given[-1] >= D) & (~tied | (level.ties == "primary"))
    return np.where(free, np.clip(u, low, high), target)


def placed_squares(
    D: Array,
    placed: Array,
    embedding: Array,
    space: Space,
    unit: float,
    transformation: Transformation | None = None,
) -> Array:
    """Return Σ (u − d)² and Σ u² in a unit of length, over the known distances of new points."""
    u = distances(placed, embedding, space=space)
    d = D.astype(np.float64) if transformation is None else fair_targets(transformation, D, u)
    known = ~np.isnan(d)
    error, size = ((u - d) / unit)[known], (u / unit)[known]
    return np.array([np.sum(error * error), np.sum(size * size)])


def reach(embedding: Array, space: Space) -> float:
    """Return the largest distance from a map's first point; refuse a map that has no squares."""
    with np.errstate(over="ignore", invalid="ignore"):
        farthest = float(distances(embedding[:1], embedding, space=space).max())
        spread = float(np.abs(embedding - embedding[:1]).max())
    # no two points are more than twice as far apart; and points may well be in one place
    if not 2.0 * farthest <= LARGEST or 0.0 < spread < 1.0 / LARGEST:
        raise ValueError(
            f"the map is about {spread:g} wide: the squares of its distances leave the range of "
            "numbers; give the map and the distances in another unit of length"
        )
    return farthest


def _typical(embedding: Array, space: Space) -> float:
    """Return the median distance of the map, the same whatever rows are placed on it."""
    sample = embedding[:: max(1, len(embedding) // 200)]
    apart = distances(sample, space=space)
    apart = apart[apart > 0.0]
    return float(np.median(apart)) if apart.size else space.unit


def weights_like(D: Any, weights: Any, names: Array | None, rows: Array | None) -> Array:
    """Return weights in the order of new distances `D`, by the labels of rows and columns.

    `names` are the columns of the map, `rows` the rows of the distances.
    """
    own = names_in(weights)
    if rows is not None and own is not None:
        if not counts_rows(rows.tolist()):
            check_same_labels(own, rows.tolist())
        weights = rows_by_label(weights, rows, "weights")
    return as_float(weights_by_column(weights, D, names), "weights")


def _check_rows(D: Array, W: Array | None, first: int) -> None:
    wrong = np.argwhere(np.isinf(D) | (D < 0.0))
    if wrong.size:
        i, j = wrong[0]
        raise ValueError(f"the distance [{first + i}, {j}] {no_distance(D[i, j])}")
    if W is not None and (W.shape != D.shape or not (np.isfinite(W) & (W >= 0.0)).all()):
        raise ValueError(
            f"weights must be finite, not negative and of the shape of the distances, {D.shape}"
        )
    known = ~np.isnan(D) if W is None else ~np.isnan(D) & (W > 0.0)
    empty = np.flatnonzero(~known.any(axis=1))
    if empty.size:
        raise ValueError(
            f"row {first + empty[0]} of the new distances has no known pair: all are missing"
        )
