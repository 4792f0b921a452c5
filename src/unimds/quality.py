"""How good a map is: stress, residuals, Shepard data, alignment and recovery.

A map at another level of measurement than "ratio" is measured by its disparities: where a function
takes distances and such a map, the distances go through the transformation of the map.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unimds.distances.inputs import as_float, as_square, as_weights
from unimds.distances.joining import joined_table, rows_as
from unimds.distances.pairs import Pairs, as_pairs
from unimds.distances.table import HeldTable
from unimds.losses import Loss, as_loss
from unimds.placecenter.problem import Problem
from unimds.placecenter.result import (
    map_of,
    names_of,
    table_stress,
    targets_of,
    transformation_of,
    with_distances,
)
from unimds.spaces.base import Space, as_space, distances, pointwise

Array = NDArray[np.floating[Any]]

__all__ = [
    "Shepard",
    "align",
    "linear_r2",
    "monotone_r2",
    "normalized_stress",
    "point_stress",
    "recovery_error",
    "residuals",
    "shepard",
    "stress",
    "stress_1",
    "total_cost",
]


FITTED = ("permutation_test", "random_stress_norms", "jackknife", "bootstrap", "perturbation")


def __getattr__(name: str) -> Any:
    """Say where the studies are that fit maps: here finished maps are looked at."""
    advice = f"; it fits maps, and is unimds.trust.{name}" if name in FITTED else ""
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{advice}")


class _Pairs(NamedTuple):
    given: Array
    mapped: Array
    i: NDArray[np.intp]
    j: NDArray[np.intp]


class Shepard(_Pairs):
    """Given and mapped distances of the known pairs, by rising given distance.

    Attributes
    ----------
    given, mapped : ndarray
        The given distances or dissimilarities, and the distances on the map.
    i, j : ndarray of int
        The points of each pair.
    disparities : ndarray
        What the mapped distances are compared with; at the level "ratio", the given distances. It
        is no part of the tuple, which has four.
    """

    disparities: Array

    def __new__(
        cls, given: Array, mapped: Array, i: Any, j: Any, disparities: Array | None = None
    ) -> Shepard:
        """Return the tuple of four, with disparities beside it."""
        self = super().__new__(cls, given, mapped, i, j)
        self.disparities = given if disparities is None else disparities
        return self


def residuals(D: Any, X: Any = None, *, space: str | Space | None = None) -> Array:
    """Return the mapped minus the given distances, or disparities; NaN where none is given.

    Parameters
    ----------
    D : array-like of shape (n, n), or fitted estimator
        Given distances, NaN where missing. An estimator alone is measured by the distances that it
        was fitted to.
    X : array-like of shape (n, n_coordinates), Result or fitted estimator
        The map. A data frame of distances is matched with the points of an estimator by label.
    space : str or Space, default=None
        The space of the map; by default that of the result or estimator, or Euclidean.

    Returns
    -------
    ndarray of shape (n, n)

    Examples
    --------
    >>> residuals([[0.0, 4.0], [4.0, 0.0]], [[0.0], [5.0]])
    array([[0., 1.],
           [1., 0.]])
    """
    both = _both(D, X, space)
    return both.mapped - both.targets


def total_cost(
    D: Any,
    X: Any = None,
    *,
    loss: str | Loss = "squared",
    space: str | Space | None = None,
    weights: ArrayLike | None = None,
) -> float:
    """Return the cost of a map: the loss summed over known pairs, each counted once.

    The two directions of an asymmetric pair count half each. This is the function that
    `place_center` minimises, whatever method has made the map. At a level other than "ratio" it is
    that of the disparities.

    Parameters
    ----------
    D : array-like of shape (n, n), or fitted estimator
        Given distances, NaN where missing. An estimator alone is measured by the distances that it
        was fitted to.
    X : array-like of shape (n, n_coordinates), Result or fitted estimator
        The map. A data frame of distances is matched with the points of an estimator by label.
    loss : str or Loss, default="squared"
        What a wrong distance costs.
    space : str or Space, default=None
        The space of the map; by default that of the result or estimator, or Euclidean.
    weights : array-like of shape (n, n), default=None
        Weights of the pairs; those of a data frame are matched by label, as distances are.

    Returns
    -------
    float

    Examples
    --------
    >>> total_cost([[0.0, 4.0], [4.0, 0.0]], [[0.0], [5.0]], loss="absolute")
    1.0
    """
    own = _map(D, X)
    D, X, space = _matched(D, X, space)
    loss = as_loss(loss)
    pairs = as_pairs(D, weights=_by_label(weights, own), connected=False)
    if transformation_of(own) is not None:
        pairs = _through(pairs, targets_of(as_square(D, "D").astype(np.float64), own))
    points = _points(X, pairs.n, space)
    problem = Problem.make(pairs, loss, space, _dimension(points, space))
    return problem.cost_of(space.project_points(points), problem.frame.space)


def stress(
    D: Any,
    X: Any = None,
    *,
    kind: str = "stress_1",
    space: str | Space | None = None,
    weights: ArrayLike | None = None,
) -> float:
    r"""Return the stress of a map, by one of its definitions.

    With distances u on the map, given distances or disparities r, and weights w:

    ================ ================================================================
    kind             definition
    ================ ================================================================
    ``"stress_1"``   :math:`\sqrt{\sum w (u-r)^2 / \sum w u^2}`, Kruskal's Stress-1
    ``"stress_2"``   :math:`\sqrt{\sum w (u-r)^2 / \sum w (u-\bar u)^2}`, Kruskal's Stress-2
    ``"normalized"`` :math:`\sqrt{\sum w (u-r)^2 / \sum w r^2}`
    ``"raw"``        :math:`\sum w (u-r)^2`, each pair counted once
    ``"sstress"``    :math:`\sqrt{\sum w (u^2-r^2)^2 / \sum w r^4}`, Takane's S-stress
    ================ ================================================================

    Parameters
    ----------
    D, X, space, weights
        As in `total_cost`.
    kind : {"stress_1", "stress_2", "normalized", "raw", "sstress"}, default="stress_1"
        The definition.

    Returns
    -------
    float

    Notes
    -----
    At levels other than "ratio" r are the disparities, in the unit that fits the map: there
    Stress-1 is the number that Kruskal defines. :doc:`/stress` says which program tells which.

    Examples
    --------
    >>> D, X = [[0, 4, 5], [4, 0, 4], [5, 4, 0]], [[0.0], [3.0], [7.0]]
    >>> for kind in ("stress_1", "stress_2", "normalized", "raw", "sstress"):
    ...     print(f"{kind:10} {stress(D, X, kind=kind):.4f}")
    stress_1   0.2599
    stress_2   0.7596
    normalized 0.2962
    raw        5.0000
    sstress    0.7414
    """
    if kind == "raw":
        return total_cost(D, X, space=space, weights=weights)
    if kind not in KINDS:
        names = ", ".join(map(repr, (*KINDS, "raw")))
        raise ValueError(f"kind={kind!r} is not known: use one of {names}")
    if kind in IN_TILES and transformation_of(_map(D, X)) is None:
        return _stress_in_tiles(D, X, space, weights, by_mapped=kind == "stress_1")
    both = _both(D, X, space)
    above, below = KINDS[kind](*both.pairs(_by_label(weights, _map(D, X))))
    if below == 0.0:  # nothing to compare with: a perfect map, or an infinitely bad one
        return float("inf") if above > 0.0 else 0.0
    return float(np.sqrt(above / below))


def stress_1(
    D: Any,
    X: Any = None,
    *,
    space: str | Space | None = None,
    weights: ArrayLike | None = None,
) -> float:
    r"""Return Kruskal's Stress-1, :math:`\sqrt{\sum w (u - d)^2 / \sum w u^2}`.

    Kruskal called 0.2 poor, 0.1 fair, 0.05 good and 0.025 excellent, but for ordinal maps: the
    stress of a metric map is higher, and best compared with that of other maps of the same data.
    `stress` has other definitions.

    Examples
    --------
    >>> round(stress_1([[0.0, 4.0], [4.0, 0.0]], [[0.0], [5.0]]), 6)
    0.2
    """
    return stress(D, X, kind="stress_1", space=space, weights=weights)


def normalized_stress(
    D: Any,
    X: Any = None,
    *,
    space: str | Space | None = None,
    weights: ArrayLike | None = None,
) -> float:
    r"""Return the stress relative to the given distances, :math:`\sqrt{\sum w (u-d)^2/\sum w d^2}`.

    Examples
    --------
    >>> normalized_stress([[0.0, 4.0], [4.0, 0.0]], [[0.0], [5.0]])
    0.25
    """
    return stress(D, X, kind="normalized", space=space, weights=weights)


def monotone_r2(
    D: Any,
    X: Any = None,
    *,
    space: str | Space | None = None,
    weights: ArrayLike | None = None,
) -> float:
    """Return 1 − S², where S is Stress-1: vegan calls it the R² of the non-metric fit.

    It is the share of the sum of squared distances, not of their variance, so that it is near 1 for
    poor maps too.

    Examples
    --------
    >>> round(monotone_r2([[0.0, 4.0], [4.0, 0.0]], [[0.0], [5.0]]), 6)
    0.96
    """
    return 1.0 - stress_1(D, X, space=space, weights=weights) ** 2


def linear_r2(
    D: Any,
    X: Any = None,
    *,
    space: str | Space | None = None,
    weights: ArrayLike | None = None,
) -> float:
    """Return the squared correlation of mapped distances and given distances, or disparities.

    At levels other than "ratio" this is what vegan calls the R² of the linear fit. It is NaN where
    all mapped distances are equal, which leaves nothing to explain.

    Examples
    --------
    >>> D, X = [[0, 4, 5], [4, 0, 4], [5, 4, 0]], [[0.0], [3.0], [7.0]]
    >>> round(linear_r2(D, X), 6)
    0.942308
    """
    return squared_correlation(*_both(D, X, space).pairs(_by_label(weights, _map(D, X))))


def squared_correlation(u: Array, r: Array, w: Array) -> float:
    """Return the squared correlation of two lists of distances, by the residuals of a line."""
    u, r = (_in_unit(part - _mean(part, w)) for part in (_in_unit(u), _in_unit(r)))
    total, spread = float(w @ (u * u)), float(w @ (r * r))
    if total == 0.0:
        return float("nan")
    slope = float(w @ (u * r)) / spread if spread > 0.0 else 0.0
    return 1.0 - float(w @ (u - slope * r) ** 2) / total


def point_stress(
    D: Any,
    X: Any = None,
    *,
    space: str | Space | None = None,
    weights: ArrayLike | None = None,
) -> Array:
    """Return the point stress: each point's share of the squared error; the shares sum to 1.

    R's smacof calls it stress per point, and gives it in per cent, as reports do. Shares of a
    perfect map are all zero.

    Examples
    --------
    >>> point_stress([[0.0, 4.0], [4.0, 0.0]], [[0.0], [5.0]])
    array([0.5, 0.5])
    """
    both = _both(D, X, space)
    gap = both.mapped - both.targets
    largest = float(np.nanmax(np.abs(gap), initial=0.0))
    square = _weighted(
        (gap / (largest if largest > 0.0 else 1.0)) ** 2, _by_label(weights, _map(D, X))
    )
    share = np.nansum(square, axis=1) + np.nansum(square, axis=0)
    total = share.sum()
    return np.asarray(share / total if total > 0.0 else share)


def shepard(D: Any, X: Any = None, *, space: str | Space | None = None) -> Shepard:
    """Return the data of a Shepard diagram: one entry for each known pair.

    Examples
    --------
    >>> shepard([[0.0, 4.0], [4.0, 0.0]], [[0.0], [5.0]]).mapped
    array([5.])
    """
    both = _both(D, X, space)
    given, targets = both.given, both.targets
    pairs = as_pairs(given, connected=False)
    once = np.triu(np.ones(given.shape, dtype=bool), 1)
    if pairs.layers == 1:  # symmetric, but for rounding and for what is known one way only
        given = np.asarray(pairs.table.whole()[0][:, 0], dtype=np.float64)
        targets = _filled(targets) if both.is_scaled else given
    if pairs.layers == 2 or not np.array_equal(targets, targets.T, equal_nan=True):
        once |= once.T
    i, j = np.nonzero(once & ~np.isnan(targets))
    order = np.lexsort((targets[i, j], given[i, j]))
    i, j = i[order], j[order]
    return Shepard(given[i, j], both.mapped[i, j], i, j, targets[i, j])


def _filled(table: Array) -> Array:
    """Return a table where what is known one way is known both ways."""
    return np.where(np.isnan(table), table.T, table)


def align(X: Any, target: Any, *, space: str | Space | None = None) -> Array:
    """Return `X` moved by the isometry of the space that brings it nearest to `target`.

    Procrustes' problem: in Euclidean space a rotation or reflection and a shift (nothing is
    stretched), on spheres a rotation or reflection. In hyperbolic space both maps are moved to
    their means and one is rotated: exact for maps that are alike, nearly the best for others.
    Both may be arrays, frames, results or fitted estimators; points that have labels on both maps
    are matched by them. By default the space is that of the first that knows its space, or
    Euclidean.

    Examples
    --------
    >>> align([[0.0, 0.0], [0.0, 2.0]], [[5.0, 5.0], [7.0, 5.0]]).round(12)
    array([[5., 5.],
           [7., 5.]])
    """
    X, target, space = two_maps(X, target, space)
    A, B = as_float(X, "X").astype(float), as_float(target, "target").astype(float)
    if A.shape != B.shape or A.ndim != 2:
        raise ValueError(f"X and target differ in shape: {A.shape} and {B.shape}")
    return np.asarray(space.project_points(space.isometry(A, B)(A)))


def two_maps(X: Any, other: Any, space: str | Space | None) -> tuple[Any, Any, Space]:
    """Return the points of two maps, in the order of the first, and their space."""
    (A, here), (B, there) = (map_of(each, space) for each in (X, other))
    rows = rows_as(names_of(X), names_of(other), "the other map")
    if not isinstance(rows, slice):
        B = as_float(B, "the other map")[rows]
    return A, B, as_space(there if A is X else here)


def recovery_error(X: Any, truth: Any, *, space: str | Space | None = None) -> float:
    """Return how far a map is from the true points, after `align`: 0 is exact, 1 is no relation.

    The root mean square of the distances between the points and the true ones, divided by that of
    the distances between true points.

    Examples
    --------
    >>> round(recovery_error([[0.0, 0.0], [0.0, 2.0]], [[5.0, 5.0], [7.0, 5.0]]), 12)
    0.0
    """
    X, truth, space = two_maps(X, truth, space)
    B = as_float(truth, "truth").astype(float)
    moved = align(X, B, space=space)
    miss = pointwise(moved, B, space)
    spread = distances(B, space=space)
    scale = np.sqrt(np.mean(spread[~np.eye(len(B), dtype=bool)] ** 2)) if len(B) > 1 else 1.0
    return float(np.sqrt(np.mean(miss**2)) / (scale if scale > 0.0 else 1.0))


def _matched(D: Any, X: Any, space: str | Space | None) -> tuple[Any, Any, Space]:
    """Return distances in the order of the points of a map, the points, and their space."""
    D, X = with_distances(D, X)
    points, own = map_of(X, space)
    return joined_table(D, names_of(X)), points, _sized(own)


class _Both(NamedTuple):
    """Given distances, what the distances on the map are compared with, and these."""

    given: Array
    targets: Array
    mapped: Array
    is_scaled: bool

    def pairs(self, weights: ArrayLike | None) -> tuple[Array, Array, Array]:
        """Return mapped distances, targets and weights of known pairs, in a unit near one."""
        known = ~np.isnan(self.targets)
        np.fill_diagonal(known, False)
        u, r, w = self.mapped[known], self.targets[known], np.ones(np.count_nonzero(known))
        if weights is not None:
            w = as_weights(weights, len(known))[known].astype(np.float64)
        unit = _unit(np.append(u, r))
        return u / unit, r / unit, w


def _both(D: Any, X: Any, space: str | Space | None) -> _Both:
    if D is None:
        raise ValueError(
            "D is None: there are no distances to compare with. A model read from a file does not "
            "keep them (its dissimilarity_matrix_ is None); give the table that the map was made of"
        )
    own = _map(D, X)
    D, X, space = _matched(D, X, space)
    given = as_square(D, "D").astype(np.float64)
    mapped = distances(_points(X, len(given), space), space=space)
    return _Both(given, targets_of(given, own), mapped, transformation_of(own) is not None)


def _map(D: Any, X: Any) -> Any:
    """Return the map, where an estimator alone is both distances and map."""
    return D if X is None else X


def _by_label(weights: Any, own: Any) -> Any:
    """Return weights in the order of the points of a map, if both have labels."""
    return joined_table(weights, names_of(own), "weights")


def _through(pairs: Pairs, targets: Array) -> Pairs:
    """Return the pairs with their disparities."""
    both = pairs.layers == 2 or not np.array_equal(targets, targets.T, equal_nan=True)
    layers = np.stack([targets, targets.T], axis=1) if both else targets[:, None]
    W = pairs.table.whole()[1]
    if W is not None and both and W.shape[1] == 1:
        W = np.concatenate([W, W], axis=1)
    return pairs.through(HeldTable(np.ascontiguousarray(layers), W))


def _sized(space: str | Space) -> Space:
    space = as_space(space)
    if space.is_auto:
        raise ValueError(f'{space}: only a fit can find a size of "auto"; give the one it found')
    return space


def _dimension(points: Array, space: Space) -> int:
    """Return the dimension of a map by its number of coordinates, which choose the kernel."""
    width = int(points.shape[1])
    return width - 1 if space.n_coordinates(width - 1) == width else width


def _points(X: ArrayLike, n: int, space: Space) -> Array:
    points = as_float(X, "X")
    if points.ndim != 2 or len(points) != n:
        raise ValueError(
            f"X must have one row for each of the {n} points; its shape is {points.shape}"
        )
    if not np.isfinite(points).all():
        raise ValueError(f"X: row {np.argwhere(~np.isfinite(points))[0][0]} is not finite")
    space.check_points(points, "X")
    return points


def _weighted(values: Array, weights: ArrayLike | None) -> Array:
    return values if weights is None else values * as_weights(weights, len(values))


def _unit(values: Array) -> float:
    """Return a power of two near the largest: squares of 1e±200 leave the range of floats."""
    return float(2.0 ** np.clip(np.frexp(np.abs(values).max(initial=0.0))[1], -1020, 1020))


def _in_unit(values: Array) -> Array:
    return np.asarray(values / _unit(values))


def _mean(values: Array, w: Array) -> float:
    total = float(w.sum())
    return float(w @ values) / total if total > 0.0 else 0.0


def _stress_in_tiles(
    D: ArrayLike, X: Any, space: str | Space | None, weights: ArrayLike | None, *, by_mapped: bool
) -> float:
    weights = _by_label(weights, _map(D, X))
    D, X, space = _matched(D, X, space)
    given = as_square(D, "D")
    points = _points(X, len(given), space)
    W = None if weights is None else as_weights(weights, len(given))[:, None]
    return table_stress(HeldTable(given[:, None], W), points, space, by_mapped=by_mapped)


# --- definitions of stress: the squares above and below, of mapped distances u and targets r ------

Squares = tuple[float, float]


def _by_mapped(u: Array, r: Array, w: Array) -> Squares:
    return float(w @ (u - r) ** 2), float(w @ (u * u))


def _by_variance(u: Array, r: Array, w: Array) -> Squares:
    return float(w @ (u - r) ** 2), float(w @ (u - _mean(u, w)) ** 2)


def _by_targets(u: Array, r: Array, w: Array) -> Squares:
    return float(w @ (u - r) ** 2), float(w @ (r * r))


def _of_squares(u: Array, r: Array, w: Array) -> Squares:
    return _by_targets(u * u, r * r, w)


KINDS: dict[str, Callable[[Array, Array, Array], Squares]] = {
    "stress_1": _by_mapped,
    "stress_2": _by_variance,
    "normalized": _by_targets,
    "sstress": _of_squares,
}
"""Definitions of stress by name; the raw stress is a cost."""
IN_TILES = ("stress_1", "normalized")
"""Definitions that need no table of all distances on the map."""
