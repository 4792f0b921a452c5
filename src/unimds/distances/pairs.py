"""The given distances, checked once and laid out for the kernels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path
from sklearn.utils import gen_batches

from unimds.distances.scan import OUTER, survey
from unimds.distances.table import Computed, Held, Table, gathered
from unimds.distances.validate import (
    check_both_ways,
    check_connected,
    check_diagonal,
    check_not_triangular,
    check_range,
    check_tile,
    check_values,
    check_weights,
    rounding,
)
from unimds.kernels import shake as shaking
from unimds.kernels.operations import Counting, Placing, Tile, read_only, total

if TYPE_CHECKING:
    from unimds.placecenter.new_points import Extension

Array = NDArray[Any]

SAMPLE = 5_000, 20_000
"""Distances of which the typical one is the median, where they are not all: at least, and most."""

GOLDEN = 0.5 * (5.0**0.5 - 1.0)


@dataclass(frozen=True)
class Pairs:
    """Distances between n points, with weights and anchors.

    Attributes
    ----------
    table : Table of shape (n, layers, n)
        Given distances, NaN where missing; a second layer holds the transpose of an asymmetric
        table.
    W : ndarray of the shape of the table, or None
        Weights; None where all are one.
    free : ndarray of bool of shape (n,)
        Points that may move.
    typical : float
        The median positive distance, or 1 where there is none.
    largest : float
        The largest known distance.
    missing : int
        Number of missing distances, both directions of a pair counted.
    """

    table: Table
    W: Array | None
    free: Array
    typical: float
    largest: float
    missing: int

    @property
    def n(self) -> int:
        """Number of points."""
        return self.table.shape[0]

    @property
    def layers(self) -> int:
        """1 for a symmetric table, else 2."""
        return self.table.shape[1]

    @property
    def dtype(self) -> Any:
        """Precision of the given distances."""
        return self.table.dtype

    @property
    def D(self) -> Array:
        """The whole table as an array."""
        tiles = [D for _, D in self.table.tiles()]
        return tiles[0] if len(tiles) == 1 else np.concatenate(tiles)

    def tiles(self) -> Iterator[Tile]:
        """Yield rows of the table in turn: the number of the first, distances and weights."""
        for first, D in self.table.tiles():
            yield first, D, None if self.W is None else self.W[first : first + len(D)]

    remote = False

    def contents(self) -> Iterator[Any]:
        """Yield what changes with the data."""
        for _, D, W in self.tiles():
            yield from (np.ascontiguousarray(part).data for part in (D, W) if part is not None)

    def place(self, task: Placing, X: Array) -> None:
        """Move all points in place, row by row."""
        for tile in self.tiles():
            task(tile, X, self.free, (0, self.n))

    def extended(self, task: Extension) -> Array:
        """Return all points, placed against the map of a sample."""
        return task.among(0, self.n, self.cross)

    @cached_property
    def by_shift(self) -> tuple[Array, Array | None]:
        """The distances and weights of every point to that so many places after it."""
        _, D, W = read_only(0, self.D, self.W)
        return shaking.by_shift(D), None if W is None else shaking.by_shift(W)

    def total(self, task: Counting, X: Array) -> Array:
        """Return what a task counts over all pairs."""
        return total(task, self.tiles(), X)

    @cached_property
    def total_weight(self) -> float:
        """Sum of the weights of all known pairs, each counted once."""
        if self.W is None:
            return float((self.n * (self.n - 1) - self.missing) / 2)
        known = ~np.isnan(self.D)
        known[np.arange(self.n), :, np.arange(self.n)] = False
        return float(self.W[known].sum() / self.layers / 2)

    @cached_property
    def lightest_weight(self) -> float:
        """What all known pairs would weigh if each had the least positive weight."""
        if self.W is None or not (self.W > 0.0).any():
            return self.total_weight
        known = np.count_nonzero(self.W[~np.isnan(self.D)] > 0.0)
        return float(self.W[self.W > 0.0].min() * known / self.D.shape[1] / 2)

    @cached_property
    def complete_graph(self) -> bool:
        """Whether every pair is known, and counts."""
        if self.W is None:
            return self.missing == 0
        unknown = np.asarray(np.isnan(self.D).all(axis=1))
        unknown |= np.asarray((self.W == 0.0).all(axis=1))
        np.fill_diagonal(unknown, False)
        return not bool(unknown.any())

    def complete(self) -> Array:
        """Return an (n, n) symmetric table for a seed: missing pairs get their shortest path."""
        mean = self._mean_table()
        missing = np.isnan(mean)
        np.fill_diagonal(missing, False)
        np.fill_diagonal(mean, 0.0)
        if missing.any():
            i, j = np.nonzero(~missing)
            # a sparse graph, since in a dense one a distance of zero would be no edge
            graph = csr_array((mean[i, j], (i, j)), shape=mean.shape)
            paths = shortest_path(graph, directed=False)
            far = 2.0 * self.largest if self.largest > 0.0 else 1.0
            mean[missing] = np.where(np.isfinite(paths), paths, far)[missing]
        return mean

    def _mean_table(self) -> Array:
        """Return the mean of both directions, NaN where neither is known."""
        if self.D.shape[1] == 1:
            mean = np.array(self.D[:, 0], dtype=np.float64)
            if self.W is not None:
                mean[self.W[:, 0] == 0.0] = np.nan
            return mean
        D = self.D if self.W is None else np.where(self.W == 0.0, np.nan, self.D)
        known = ~np.isnan(D)
        total = np.where(known, D, 0.0).sum(axis=1)
        count = known.sum(axis=1)
        return np.where(count > 0, total / np.maximum(count, 1), np.nan)

    @property
    def plain(self) -> bool:
        """Whether the table is symmetric and complete, so that a seed can read it as it is."""
        return self.layers == 1 and self.complete_graph

    def cross(self, rows: Array, columns: Array) -> tuple[Array, Array | None]:
        """Return the distances and weights of some points to some others, of one direction."""
        W = None if self.W is None else self.W[:, 0][np.ix_(rows, columns)]
        return self.table.block(rows, columns)[:, 0], W

    def subset(self, index: Array, dtype: Any = None) -> Pairs:
        """Return the pairs among some of the points, in another precision where asked for."""
        D = self.table.block(index, index, dtype)
        W = None if self.W is None else gathered(self.W, index, index, dtype)
        missing = 0 if self.missing == 0 else _missing(D)
        return Pairs(Held(D), W, self.free[index], self.typical, self.largest, missing)


def as_pairs(
    D: ArrayLike | Computed,
    *,
    weights: ArrayLike | None = None,
    free: Array | None = None,
    connected: bool = True,
    dtype: str | None = None,
) -> Pairs:
    """Check a table of distances and its weights, and lay them out for the kernels.

    Where `connected`, known pairs must join all the points, as a map of them needs. `dtype` is
    the precision to round the table to, if any.
    """
    name = "D"
    if isinstance(D, Computed):
        return _computed_pairs(D, free, name)
    if hasattr(weights, "loc") and hasattr(D, "index") and hasattr(D, "loc"):
        weights = reordered(weights, D.index)
    table = as_float(aligned(D), name)
    if dtype is not None:
        with np.errstate(over="ignore"):  # what is too large is reported as infinite
            table = table.astype(dtype, copy=False)
    if table.ndim != 2 or table.shape[0] != table.shape[1]:
        raise ValueError(
            f"{name} must be a square table of distances; its shape is {table.shape}. "
            "For a table of features use MDS with another metric than 'precomputed'"
        )
    n = table.shape[0]
    if n == 0:
        raise ValueError(f"{name} is empty: at least one point is needed")
    free = np.ones(n, dtype=bool) if free is None else free
    W = None if weights is None else as_weights(weights, n)
    seen = survey(table, rounding(table))
    check_values(table, name, seen)
    check_not_triangular(seen.upper, seen.lower, n, name)
    if W is not None and ((W == 0.0) & (W.T == 0.0)).any():  # as good as missing
        table = np.where((W == 0.0) & (W.T == 0.0), np.nan, table)
        seen = survey(table, rounding(table))
    largest = seen.largest
    symmetric = not seen.asymmetric
    if seen.one_sided:  # a pair known in one direction is known: in the other it is the same
        unknown = np.isnan(table) & ~np.isnan(table.T)
        W = None if W is None else np.where(unknown, W.T, W)
        table = np.where(unknown, table.T, table)
    if symmetric and seen.uneven:
        table = _mean_of_both(table)
    if symmetric and W is not None:
        W = 0.5 * (W + W.T)  # the same cost, as distances are the same both ways
    if n > 1 and connected and (seen.missing or W is not None):
        known = ~np.isnan(table) if W is None else ~np.isnan(table) & (W > 0.0)
        np.fill_diagonal(known, False)
        check_connected(known, free, name)
    layers = _layers(table, symmetric)
    at = _sampled(n)
    typical = _typical(layers[at // n, 0, at % n], Held(layers))
    check_range(largest, typical, name)
    weight_layers = None if W is None else _layers(W, symmetric)
    missing = _missing(layers) if seen.missing else 0
    return Pairs(Held(layers), weight_layers, free, typical, float(largest), missing)


def _computed_pairs(table: Computed, free: Array | None, name: str) -> Pairs:
    """Check a table that is computed by rows, and describe it, in one pass."""
    n, largest, samples = table.shape[0], 0.0, []
    at = _sampled(n)
    for first, D in table.tiles():
        tile = D[:, 0]
        rows = slice(first, first + len(tile))
        check_tile(tile, first, name)
        largest = max(largest, float(tile.max()))
        check_both_ways(tile[:, rows], tile[:, rows].T, first, first, name)
        if first == 0:  # and one tile with all points: what is not symmetric shows there
            check_both_ways(tile, table.backward(rows).T, 0, 0, name)
        here = at[(at // n >= first) & (at // n < rows.stop)]
        samples.append(tile[here // n - first, here % n])
    check_diagonal(table.own(), largest, rounding(table), name)
    typical = _typical(np.concatenate(samples), table)
    check_range(largest, typical, name)
    free = np.ones(n, dtype=bool) if free is None else free
    return Pairs(table, None, free, typical, largest, 0)


def as_float(values: ArrayLike, name: str) -> Array:
    """Return an array of float64, or float32 where it is that already; nothing is copied if so."""
    columns = getattr(values, "dtypes", None)
    if columns is not None and hasattr(columns, "items"):
        for column, dtype in columns.items():
            if not (getattr(dtype, "kind", "O") in "fiub" or _numeric(values[column])):  # type: ignore[index]
                raise ValueError(
                    f"{name} has a column of text, {column!r}: only numbers are distances; "
                    "make it the index (df.set_index) or drop it"
                )
    if columns is not None and hasattr(values, "to_numpy") and np.ndim(values) == 2:
        values = values.to_numpy(dtype=_frame_dtype(columns), na_value=np.nan)
    if isinstance(values, np.ma.MaskedArray):
        values = np.ma.filled(values.astype(np.float64), np.nan)
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError(f"{name} must be a table: its rows differ in length") from None
    if array.dtype.kind in "cmM":
        raise ValueError(f"{name} must hold real numbers, but their type is {array.dtype}")
    if array.dtype == object or array.dtype.kind not in "fiub":
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{name} must hold numbers only: {error}") from None
    return array if array.dtype in (np.float32, np.float64) else array.astype(np.float64)


def _frame_dtype(columns: Any) -> type:
    return np.float32 if all(dtype == np.float32 for dtype in columns) else np.float64


def aligned(table: Any) -> Any:
    """Return a labelled square table with its columns in the order of its rows."""
    columns, index = getattr(table, "columns", None), getattr(table, "index", None)
    if columns is None or index is None or len(columns) != len(index):
        return table
    if list(columns) == list(index) or not set(columns) & set(index):
        return table
    odd = [label for label in index if label not in set(columns)]
    if odd:
        raise ValueError(
            f"the rows and columns of the table have different labels: {odd[0]!r} is a row, but "
            "not a column"
        )
    if not (columns.is_unique and index.is_unique):
        raise ValueError("the labels of the table are not unique: its columns cannot be matched")
    return table[list(index)]


def reordered(weights: Any, labels: Any) -> Any:
    """Return labelled weights with their rows in the order of the distances."""
    if set(weights.index) != set(labels):
        raise ValueError("weights: the labels are not those of the distances")
    return weights if list(weights.index) == list(labels) else weights.loc[list(labels)]


def _numeric(column: Any) -> bool:
    try:
        column.astype(float)
    except (TypeError, ValueError):
        return False
    return True


def as_weights(weights: ArrayLike, n: int) -> Array:
    """Check the weights of all pairs of `n` points."""
    W = as_float(aligned(weights), "weights")
    if W.shape != (n, n):
        raise ValueError(f"weights must have the shape of the distances, {(n, n)}; got {W.shape}")
    check_weights(W)
    return W


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
    squares = list(gen_batches(len(table), OUTER))
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


def _typical(sample: Array, table: Table) -> float:
    """Return the median positive distance of a sample; of the table where it has none."""
    positive = sample[sample > 0.0]
    if not positive.size:
        positive = np.concatenate([row[row > 0.0] for _, D in table.tiles() for row in D])
    with np.errstate(over="ignore"):  # a mean of two; what is too large is refused later
        return float(np.median(positive)) if positive.size else 1.0
