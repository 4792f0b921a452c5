"""How good a map is: stress, residuals, Shepard data, alignment and recovery."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unimds.distances.inputs import as_float, as_square, as_weights
from unimds.distances.joining import joined_table
from unimds.distances.pairs import as_pairs
from unimds.distances.table import HeldTable
from unimds.losses import Loss, as_loss
from unimds.placecenter.problem import Problem
from unimds.placecenter.result import map_of, names_of, table_stress, with_distances
from unimds.spaces.base import Space, as_space, distances

Array = NDArray[np.floating[Any]]

__all__ = [
    "Shepard",
    "align",
    "normalized_stress",
    "point_stress",
    "recovery_error",
    "residuals",
    "shepard",
    "stress_1",
    "total_cost",
]


class Shepard(NamedTuple):
    """Given and mapped distances of the known pairs, by rising given distance."""

    given: Array
    mapped: Array
    i: NDArray[np.intp]
    j: NDArray[np.intp]


def residuals(D: Any, X: Any = None, *, space: str | Space | None = None) -> Array:
    """Return the mapped minus the given distances; NaN where none is given.

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
    given, mapped = _both(D, X, space)
    return mapped - given


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
    `place_center` minimises, whatever method has made the map.

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
        Weights of the pairs.

    Returns
    -------
    float

    Examples
    --------
    >>> total_cost([[0.0, 4.0], [4.0, 0.0]], [[0.0], [5.0]], loss="absolute")
    1.0
    """
    D, X, space = _matched(D, X, space)
    loss = as_loss(loss)
    pairs = as_pairs(D, weights=weights, connected=False)
    points = _points(X, pairs.n, space)
    problem = Problem.make(pairs, loss, space, _dimension(points, space))
    return problem.cost_of(space.project_points(points), problem.frame.space)


def stress_1(
    D: Any,
    X: Any = None,
    *,
    space: str | Space | None = None,
    weights: ArrayLike | None = None,
) -> float:
    r"""Return Kruskal's Stress-1, :math:`\sqrt{\sum w (u - d)^2 / \sum w u^2}`.

    Kruskal called 0.2 poor, 0.1 fair, 0.05 good and 0.025 excellent, but for nonmetric maps: the
    stress of a metric map is higher, and best compared with that of other maps of the same data.

    Examples
    --------
    >>> round(stress_1([[0.0, 4.0], [4.0, 0.0]], [[0.0], [5.0]]), 6)
    0.2
    """
    return _stress(D, X, space, weights, by_mapped=True)


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
    return _stress(D, X, space, weights, by_mapped=False)


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
    given, mapped = _both(D, X, space)
    gap = mapped - given
    largest = float(np.nanmax(np.abs(gap), initial=0.0))
    square = _weighted((gap / (largest if largest > 0.0 else 1.0)) ** 2, weights)
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
    D, X, space = _matched(D, X, space)
    given, mapped = _both(D, X, space)
    pairs = as_pairs(D, connected=False)
    once = np.triu(np.ones(given.shape, dtype=bool), 1)
    if pairs.layers == 1:  # symmetric, but for rounding and for what is known one way only
        given = np.asarray(pairs.table.whole()[0][:, 0], dtype=np.float64)
    else:
        once |= once.T
    i, j = np.nonzero(once & ~np.isnan(given))
    order = np.argsort(given[i, j], kind="stable")
    i, j = i[order], j[order]
    return Shepard(given[i, j], mapped[i, j], i, j)


def align(X: Any, target: Any, *, space: str | Space | None = None) -> Array:
    """Return `X` moved by the isometry of the space that brings it nearest to `target`.

    Procrustes' problem: in Euclidean space a rotation or reflection and a shift (nothing is
    stretched), on spheres a rotation or reflection. In hyperbolic space both maps are moved to
    their means and one is rotated: exact for maps that are alike, nearly the best for others.
    Both may be arrays, results or fitted estimators; by default the space is that of the first
    that knows its space, or Euclidean.

    Examples
    --------
    >>> align([[0.0, 0.0], [0.0, 2.0]], [[5.0, 5.0], [7.0, 5.0]]).round(12)
    array([[5., 5.],
           [7., 5.]])
    """
    X, target, space = _two_maps(X, target, space)
    A, B = as_float(X, "X").astype(float), as_float(target, "target").astype(float)
    if A.shape != B.shape or A.ndim != 2:
        raise ValueError(f"X and target differ in shape: {A.shape} and {B.shape}")
    return np.asarray(space.project_points(space.isometry(A, B)(A)))


def _two_maps(X: Any, other: Any, space: str | Space | None) -> tuple[Any, Any, Space]:
    """Return the points of two maps and their space."""
    (A, here), (B, there) = (map_of(each, space) for each in (X, other))
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
    X, truth, space = _two_maps(X, truth, space)
    B = as_float(truth, "truth").astype(float)
    moved = align(X, B, space=space)
    miss = np.array(
        [distances(a[None], b[None], space=space)[0, 0] for a, b in zip(moved, B, strict=True)]
    )
    spread = distances(B, space=space)
    scale = np.sqrt(np.mean(spread[~np.eye(len(B), dtype=bool)] ** 2)) if len(B) > 1 else 1.0
    return float(np.sqrt(np.mean(miss**2)) / (scale if scale > 0.0 else 1.0))


def _matched(D: Any, X: Any, space: str | Space | None) -> tuple[Any, Any, Space]:
    """Return distances in the order of the points of a map, the points, and their space."""
    D, X = with_distances(D, X)
    points, own = map_of(X, space)
    return joined_table(D, names_of(X)), points, _sized(own)


def _both(D: ArrayLike, X: Any, space: str | Space | None) -> tuple[Array, Array]:
    if D is None:
        raise ValueError(
            "D is None: there are no distances to compare with. A model read from a file does not "
            "keep them (its dissimilarity_matrix_ is None); give the table that the map was made of"
        )
    D, X, space = _matched(D, X, space)
    given = as_square(D, "D")
    mapped = distances(_points(X, len(given), space), space=space)
    return given.astype(np.float64), mapped


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


def _stress(
    D: ArrayLike, X: Any, space: str | Space | None, weights: ArrayLike | None, *, by_mapped: bool
) -> float:
    D, X, space = _matched(D, X, space)
    given = as_square(D, "D")
    points = _points(X, len(given), space)
    W = None if weights is None else as_weights(weights, len(given))[:, None]
    return table_stress(HeldTable(given[:, None], W), points, space, by_mapped=by_mapped)
