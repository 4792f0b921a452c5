"""The given distances, checked once and described: what is known of them before a descent."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import gen_batches

from unimds._runtime.watch import warn
from unimds.distances.inputs import as_square, as_weights, reordered
from unimds.distances.table import ComputedTable, DistanceTable, HeldTable
from unimds.distances.validate import (
    PATCH,
    Scan,
    check_both_ways,
    check_connected,
    check_diagonal,
    check_range,
    check_table,
    check_tile,
    rounding,
    scan,
)
from unimds.files.meaning.similarities import ASKED, SimilarityWarning, seem_similar
from unimds.files.meaning.squares import PATHS, AdjacencyWarning, edges_in

Array = NDArray[Any]

SAMPLE = 5_000, 20_000
"""The least and the largest sample of which the median is the typical distance."""

GOLDEN = 0.5 * (5.0**0.5 - 1.0)


@final
@dataclass(frozen=True)
class Weighing:
    """What the known pairs weigh, each counted once.

    Attributes
    ----------
    total : float
        Sum of their weights.
    lightest : float
        What they would weigh if each had the least positive weight.
    complete : bool
        Whether every pair is known, and counts.
    """

    total: float
    lightest: float
    complete: bool


@final
class Pairs:
    """Distances between n points, wherever they are, and what is known of them.

    Attributes
    ----------
    table : DistanceTable
        Distances, NaN where missing, and weights.
    n, layers, dtype
        Those of the table.
    free : ndarray of bool of shape (n,)
        Points that may move.
    typical : float
        The median positive distance, or 1 where there is none.
    largest : float
        The largest known distance.
    missing : int
        Number of missing distances, both directions of a pair counted.
    weighing : Weighing
        What the known pairs weigh.
    """

    def __init__(
        self,
        table: DistanceTable,
        free: Array,
        typical: float,
        largest: float,
        missing: int,
        weighing: Weighing,
    ):
        self.table, self.n, self.layers, self.dtype = table, table.n, table.layers, table.dtype
        self.free, self.typical, self.largest = free, typical, largest
        self.missing, self.weighing = missing, weighing

    def through(self, table: DistanceTable) -> Pairs:
        """Return the same pairs with other distances, of about the same size."""
        known = self.typical, self.largest, self.missing, self.weighing
        return Pairs(table, self.free, *known)

    def subset(self, index: Array, dtype: Any = None) -> Pairs:
        """Return the pairs among some of the points in memory, in another precision if asked."""
        held = self.table.held(index, dtype)
        missing = 0 if self.missing == 0 else _missing(held.D)
        weighing = _weighing(held.D, held.W, missing)
        return Pairs(held, self.free[index], self.typical, self.largest, missing, weighing)


def as_pairs(
    D: ArrayLike | ComputedTable,
    *,
    weights: ArrayLike | None = None,
    free: Array | None = None,
    connected: bool = True,
    dtype: str | None = None,
) -> Pairs:
    """Check a table of distances and its weights, and describe them.

    Where `connected`, known pairs must join all the points, as a map of them needs. `dtype` is
    the precision to round the table to, if any.
    """
    name = "D"
    if isinstance(D, ComputedTable):
        return _computed_pairs(D, free, name)
    if hasattr(weights, "loc") and hasattr(D, "index") and hasattr(D, "loc"):
        weights = reordered(weights, D.index)
    table = as_square(D, name)
    if dtype is not None:
        with np.errstate(over="ignore"):  # what is too large is reported as infinite
            table = table.astype(dtype, copy=False)
    n = table.shape[0]
    if n == 0:
        raise ValueError(f"{name} is empty: at least one point is needed")
    W = None if weights is None else as_weights(weights, n)
    table, W, seen = _symmetrised(table, W, name)
    free = np.ones(n, dtype=bool) if free is None else free
    if n > 1 and connected and (seen.missing or W is not None):
        known = ~np.isnan(table) if W is None else ~np.isnan(table) & (W > 0.0)
        np.fill_diagonal(known, False)
        check_connected(known, free, name)
    layers = _layers(table, not seen.asymmetric)
    held = HeldTable(layers, None if W is None else _layers(W, not seen.asymmetric))
    at = _sampled(n)
    typical = _typical(layers[at // n, 0, at % n], held)
    check_range(seen.largest, typical, name)
    missing = _missing(layers) if seen.missing else 0
    weighing = _weighing(held.D, held.W, missing)
    return Pairs(held, free, typical, float(seen.largest), missing, weighing)


def warn_of_kind(table: DistanceTable) -> None:
    """Warn if the distances of a table in memory seem to be edges of a graph, or similarities."""
    edges = edges_in(table.D[:, 0]) if isinstance(table, HeldTable) else None
    if edges is not None:
        warn(f"D: {edges}; {PATHS}", AdjacencyWarning)
    elif seem_similarities(table):
        warn(f"D: {ASKED}", SimilarityWarning)


def seem_similarities(table: DistanceTable) -> bool:
    """Whether the numbers of a table in memory seem to be similarities."""
    return isinstance(table, HeldTable) and seem_similar(table.D[:, 0])


def _symmetrised(table: Array, W: Array | None, name: str) -> tuple[Array, Array | None, Scan]:
    """Check all entries; make the same what differs by rounding or is known one way only."""
    seen = check_table(table, name)
    if W is not None and ((W == 0.0) & (W.T == 0.0)).any():  # as good as missing
        table = np.where((W == 0.0) & (W.T == 0.0), np.nan, table)
        seen = scan(table)
    if seen.one_sided:  # a pair known in one direction is known: in the other it is the same
        unknown = np.isnan(table) & ~np.isnan(table.T)
        W = None if W is None else np.where(unknown, W.T, W)
        table = np.where(unknown, table.T, table)
    if not seen.asymmetric and seen.uneven:
        table = _mean_of_both(table)
    if not seen.asymmetric and W is not None:
        W = 0.5 * (W + W.T)  # the same cost, as distances are the same both ways
    return table, W, seen


def _computed_pairs(table: ComputedTable, free: Array | None, name: str) -> Pairs:
    """Check a table that is computed by rows, and describe it, in one pass."""
    n, largest, samples = table.n, 0.0, []
    at = _sampled(n)
    for first, D, _ in table.tiles():
        tile = D[:, 0]
        rows = slice(first, first + len(tile))
        check_tile(tile, first, name)
        largest = max(largest, float(tile.max()))
        check_both_ways(tile[:, rows], tile[:, rows].T, first, first, name)
        if first == 0:  # and one tile with all points: what is not symmetric shows there
            check_both_ways(tile, table.backward(rows).T, 0, 0, name)
        here = at[(at // n >= first) & (at // n < rows.stop)]
        samples.append(tile[here // n - first, here % n])
    check_diagonal(table.own(), largest, rounding(table.dtype), name)
    typical = _typical(np.concatenate(samples), table)
    check_range(largest, typical, name)
    free = np.ones(n, dtype=bool) if free is None else free
    return Pairs(table, free, typical, largest, 0, equal_weights(n))


def equal_weights(n: int) -> Weighing:
    """Return what all pairs weigh where each weighs one."""
    total = float(n * (n - 1) / 2)
    return Weighing(total, total, True)


def _weighing(D: Array, W: Array | None, missing: int) -> Weighing:
    """Return what the known pairs of a table with layers weigh."""
    n, layers = D.shape[:2]
    if W is None:
        total = float((n * (n - 1) - missing) / 2)
        return Weighing(total, total, missing == 0)
    known, positive = ~np.isnan(D), W > 0.0
    unknown = np.asarray((~known).all(axis=1)) | np.asarray((W == 0.0).all(axis=1))
    np.fill_diagonal(unknown, False)
    count = np.count_nonzero(positive[known])
    known[np.arange(n), :, np.arange(n)] = False
    total = float(W[known].sum() / layers / 2)
    light = float(W[positive].min() * count / layers / 2) if positive.any() else total
    return Weighing(total, light, not unknown.any())


def _missing(D: Array) -> int:
    """Count the pairs that are missing, over the layers of a table."""
    own = np.count_nonzero(np.isnan(D[np.arange(len(D)), :, np.arange(len(D))]))
    return int(np.count_nonzero(np.isnan(D)) - own) // int(D.shape[1])


def _layers(table: Array, symmetric: bool) -> Array:
    if not symmetric:
        return np.stack([table, table.T], axis=1)
    # the transpose of a symmetric table is the same table: no copy in either order of memory
    return np.ascontiguousarray(table.T if table.flags.f_contiguous else table)[:, None, :]


def _mean_of_both(table: Array) -> Array:
    """Return ½ (D + Dᵀ), in no more memory than its own."""
    mean = np.empty(table.shape, dtype=table.dtype)
    squares = list(gen_batches(len(table), PATCH))
    for i, j in product(squares, squares):
        np.add(table[i, j], table[j, i].T, out=mean[i, j])
        mean[i, j] *= 0.5
    return mean


def _sampled(n: int) -> Array:
    """Return the places, row by row, of distances that stand for all."""
    if n * n <= SAMPLE[1]:
        return np.arange(n * n)
    size = min(max(16 * n, SAMPLE[0]), SAMPLE[1])
    turn = np.arange(size)
    rows = turn * n // size  # in order, as a file wants it
    # multiples of the golden ratio spread evenly, and in step with no pattern of the table
    away = 1 + (turn * GOLDEN % 1.0 * (n - 1)).astype(np.intp)  # never on the diagonal
    return rows * n + (rows + away) % n


def _typical(sample: Array, table: DistanceTable) -> float:
    """Return the median positive distance of a sample; of the table where it has none."""
    positive = sample[sample > 0.0]
    if not positive.size:
        positive = np.concatenate([row[row > 0.0] for _, D, _ in table.tiles() for row in D])
    with np.errstate(over="ignore"):  # a mean of two; what is too large is refused later
        return float(np.median(positive)) if positive.size else 1.0
