"""Errors in a table of distances: each says where, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

if TYPE_CHECKING:
    from unimds.distances.scan import Scan

Array = NDArray[Any]


class HasPrecision(Protocol):
    """Something with the precision of its numbers: an array or a table."""

    @property
    def dtype(self) -> Any:
        """The precision."""


REMEDY = {
    "infinite": "use NaN for a pair whose distance is not known",
    "negative": "distances must be zero or more",
    "missing": "only a table in memory may have gaps, see memory_limit",
}


def check_not_triangular(upper: bool, lower: bool, n: int, name: str) -> None:
    """Refuse a table with one half left out as zeros: they would count as distances.

    `upper` and `lower` say whether anything above, and below, the diagonal is not zero.
    """
    if n > 2 and upper != lower:
        raise ValueError(
            f"{name} is triangular, and zeros are distances too: fill the other half "
            f"({name} + {name}.T), or put NaN where nothing is known"
        )


def rounding(D: HasPrecision) -> float:
    """Relative size of what counts as rounding in a table."""
    return 1e-5 if D.dtype == np.float32 else 1e-8


def check_values(D: Array, name: str, seen: Scan) -> None:
    """Refuse a table that holds anything but distances."""
    for at in (seen.infinite, seen.negative):
        if at >= 0:
            i, j = divmod(at, len(D))
            raise wrong_value(f"{name}[{i}, {j}]", D[i, j])
    check_diagonal(np.diagonal(D), seen.largest, rounding(D), name)


def wrong_value(entry: str, value: float) -> ValueError:
    """Return the error of an entry that is no distance."""
    what = "infinite" if np.isinf(value) else "missing" if np.isnan(value) else "negative"
    return ValueError(f"{entry} = {value:g} is {what}: {REMEDY[what]}")


def check_tile(tile: Array, first: int, name: str) -> None:
    """Refuse rows that hold anything but distances."""
    if tile.min() >= 0.0 and tile.max() < np.inf:  # never so where there is a NaN
        return
    for wrong in (np.isinf(tile), tile < 0.0, np.isnan(tile)):
        if wrong.any():
            i, j = np.argwhere(wrong)[0]
            raise wrong_value(f"{name}[{first + i}, {j}]", tile[i, j])


def check_both_ways(there: Array, back: Array, i: int, j: int, name: str) -> None:
    """Refuse rows, from `i` on, that are not the columns from `j` on."""
    largest = max(there.max(), back.max(), np.finfo(there.dtype).tiny)
    # of squares: a distance may be the root of a difference that only rounding is left of
    apart = np.abs(there - back) / largest * ((there + back) / largest)
    if apart.max() > rounding(there):
        a, b = np.unravel_index(np.argmax(apart), apart.shape)
        raise ValueError(
            f"{name}[{i + a}, {j + b}] = {there[a, b]:g}, but {back[a, b]:g} the other way: only a "
            "table in memory can be asymmetric, see memory_limit"
        )


def check_symmetric(D: Array, name: str, index: Array) -> None:
    """Raise where the table between the points `index` is not symmetric."""
    odd = np.argwhere(np.abs(D - D.T) > rounding(D) * np.fmax.reduce(D, axis=None))
    if odd.size:
        (a, b), (i, j) = odd[0], index[odd[0]]
        raise ValueError(
            f"{name}[{i}, {j}] = {D[b, a]:g}, but {name}[{j}, {i}] = {D[a, b]:g}: landmarks need a "
            f"symmetric table; use MDS, which takes both directions, or ({name} + {name}.T) / 2"
        )


def check_diagonal(
    diagonal: Array, largest: float, rounding: float, name: str, index: Array | None = None
) -> None:
    """Raise if a point's distance to itself is not zero; `index` has the points' numbers."""
    wrong = np.flatnonzero(np.abs(diagonal) > rounding * largest)
    if wrong.size:
        i = wrong[0] if index is None else index[wrong[0]]
        raise ValueError(
            f"{name}[{i}, {i}] = {diagonal[wrong[0]]:g}, but the distance of a point to itself is "
            f"0; is {name} a table of similarities?"
        )


def check_weights(W: Array, first: int = 0) -> None:
    """Refuse rows, from `first` on, of anything but weights."""
    wrong = ~(np.isfinite(W) & (W >= 0.0))
    if wrong.any():
        i, j = np.argwhere(wrong)[0]
        raise ValueError(
            f"weights[{first + i}, {j}] = {W[i, j]:g}, but weights must be finite and not "
            "negative; use 0 for a pair that should not count"
        )


def check_range(largest: float, typical: float, name: str) -> None:
    """Refuse distances whose squares are no numbers."""
    if largest > 1e154 or typical < 1e-154:
        raise ValueError(
            f"{name} holds distances up to {largest:g}, about {typical:g}: their squares are not "
            "numbers any more; use another unit of length"
        )


def _components(table: Array, anchored: Array) -> list[int]:
    """Sizes of the groups of points that known pairs join, largest first."""
    i, j = np.nonzero(~np.isnan(table))
    held = np.flatnonzero(anchored)  # anchors are joined by their coordinates
    i = np.concatenate([i, held[1:]])
    j = np.concatenate([j, np.full(max(held.size - 1, 0), held[0] if held.size else 0)])
    graph = csr_array((np.ones(i.size, dtype=np.int8), (i, j)), shape=table.shape)
    _, label = connected_components(graph, directed=False)
    return sorted(np.bincount(label).tolist(), reverse=True)


def check_connected(known: Array, free: Array, name: str) -> None:
    """Refuse points that no known pairs and no anchors join."""
    if known.sum() == known.size - known.shape[0]:
        return
    if not known.any() and free.any():
        raise ValueError(f"{name} has no known pair: all are missing (NaN) or have weight 0")
    sizes = _components(np.where(known, 0.0, np.nan), ~free)
    if len(sizes) > 1:
        shown = ", ".join(map(str, sizes[:10])) + (", …" if len(sizes) > 10 else "")
        raise ValueError(
            f"the known pairs of {name} fall into {len(sizes)} groups with nothing between them, "
            f"of {shown} points; their places relative to each other are not determined: "
            "add distances between the groups or embed each one alone"
        )
