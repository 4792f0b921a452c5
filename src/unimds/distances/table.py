"""Tables of distances that are read some rows at a time, wherever they are kept.

`DistanceTable` is what PlaceCenter asks of a table. Tables of this process are `HeldTable`, in
memory or mapped from a file, and `ComputedTable`, measured from features on demand;
`unimds.cluster.spread` has the table on the workers of a cluster.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any, Protocol, TypeVar, final

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import gen_batches

from unimds.distances.metric import Metric
from unimds.distances.tiles import BLOCK, Tile
from unimds.distances.validate import (
    EntryError,
    check_diagonal,
    check_symmetric,
    no_distance,
    rounding,
)

Array = NDArray[Any]
Work = TypeVar("Work")
Index = Array | slice

TILE = 2**21
"""Distances that are computed together."""


class Mover(Protocol):
    """Moves the points of a tile's rows."""

    def __call__(self, tile: Tile, X: Array, free: Array, band: tuple[int, int]) -> None:
        """Move the points in place; points outside `band` move at the same time, elsewhere."""


RowWork = Callable[[Array, Array | None], Array]
"""Makes a column of each row of distances and weights."""

Count = Callable[[Tile, Array], tuple[float, ...] | Array]
"""Adds something up over the pairs of a tile's rows."""


class DistanceTable(ABC):
    """Distances ``D[row, layer, column]`` of n points and their weights: what PlaceCenter asks.

    Attributes
    ----------
    n : int
        Number of points.
    layers : int
        1 for a symmetric table; 2 for an asymmetric one, whose second layer is the transpose.
    dtype : dtype
        Precision of the distances.
    W : ndarray of shape (n, layers, n), or None
        All weights, where they are in memory and pairs do not weigh the same.
    """

    n: int
    layers: int
    dtype: np.dtype[Any]
    W: Array | None = None

    @abstractmethod
    def tiles(self) -> Iterator[Tile]:
        """Yield all rows in order, some at a time."""

    @abstractmethod
    def each(self, work: Callable[..., Work], *shared: Any) -> list[Work]:
        """Return ``work(tile, *shared)`` for every tile in order, computed where the tile is."""

    @abstractmethod
    def total(self, count: Count, X: Array) -> Array:
        """Return the sums of what `count` returns for every tile."""

    @abstractmethod
    def move(self, mover: Mover, X: Array, free: Array) -> None:
        """Move the points in place, those of different tiles at the same time where that pays."""

    @abstractmethod
    def move_in_turn(self, mover: Mover, X: Array, free: Array) -> None:
        """Move the points in place, tile after tile: each sees where the tiles before have gone."""

    @abstractmethod
    def block(self, rows: Array, columns: Array, dtype: Any = None) -> tuple[Array, Array | None]:
        """Return distances and weights of some points to some others, of all layers."""

    def held(self, index: Array, dtype: Any = None) -> HeldTable:
        """Return the table between some of the points, in memory."""
        return HeldTable(*self.block(index, index, dtype))

    @abstractmethod
    def against(self, rows: Array, columns: Array, work: RowWork) -> Array:
        """Return ``work(D, W)`` of the distances of `rows` to `columns`, where the rows are.

        It returns a column for each row, and rows are independent of each other.
        """

    @abstractmethod
    def whole(self) -> tuple[Array, Array | None]:
        """Return all distances and weights as arrays."""

    def binned(self, pairs: Any, bins: int, even: bool) -> Any:
        """Return the codes of a table that is elsewhere, see `unimds.distances.coded.binned`."""
        raise NotImplementedError

    @abstractmethod
    def contents(self) -> Iterator[Any]:
        """Yield bytes that change with the data."""

    @abstractmethod
    def sample(self, size: int, complete: bool, rng: np.random.Generator) -> Array | None:
        """Return a random sample of the points, or None to use all of them."""


class LocalTable(DistanceTable):
    """A table whose rows are within reach of this process."""

    def each(self, work: Callable[..., Work], *shared: Any) -> list[Work]:
        return [work(tile, *shared) for tile in self.tiles()]

    def total(self, count: Count, X: Array) -> Array:
        return total(count, self.tiles(), X)

    def move(self, mover: Mover, X: Array, free: Array) -> None:
        for tile in self.tiles():
            mover(tile, X, free, (0, self.n))

    def move_in_turn(self, mover: Mover, X: Array, free: Array) -> None:
        self.move(mover, X, free)

    def against(self, rows: Array, columns: Array, work: RowWork) -> Array:
        step, parts = max(BLOCK // len(columns), 1), []
        for some in (rows[i : i + step] for i in range(0, len(rows), step)):
            D, W = self.block(some, columns)
            parts.append(work(D[:, 0], None if W is None else W[:, 0]))
        return np.concatenate(parts, axis=1)

    def whole(self) -> tuple[Array, Array | None]:
        tiles = list(self.tiles())
        _, D, W = tiles[0]
        if len(tiles) == 1:
            return D, W
        D = np.concatenate([D for _, D, _ in tiles])
        return D, None if W is None else np.concatenate([W for _, _, W in tiles])

    def contents(self) -> Iterator[Any]:
        for _, *parts in self.tiles():
            yield from (np.ascontiguousarray(part).data for part in parts if part is not None)

    def sample(self, size: int, complete: bool, rng: np.random.Generator) -> Array | None:
        # where pairs are missing, a sample might fall apart
        return np.sort(rng.permutation(self.n)[:size]) if complete else None

    # --- very many points: what is read is checked, and nothing else is ------------------------

    @abstractmethod
    def on(self, index: Array) -> LocalTable:
        """Return the distances between some of the points."""

    @abstractmethod
    def number(self, point: int) -> int:
        """Return the number of a point among the points that were given."""

    @abstractmethod
    def _read(self, rows: Index, columns: Array) -> Array:
        """Return a new array of distances, row by row in memory."""

    @abstractmethod
    def _wrong(self, row: int, column: int, problem: str) -> ValueError:
        """Return the error of a distance between two of the given points."""

    def between(self, rows: Index, columns: Array) -> Array:
        """Return the distances of some points to some others, checked; NaN where one is missing.

        A point has no distance to itself: that entry is NaN too.
        """
        D = self._read(rows, columns)
        if np.fmin.reduce(D, axis=None) < 0.0 or np.fmax.reduce(D, axis=None) == np.inf:
            i, j = np.argwhere((D < 0.0) | np.isinf(D))[0]
            row, column = self.number(np.arange(self.n)[rows][i]), self.number(columns[j])
            raise self._wrong(row, column, no_distance(D[i, j]))
        if isinstance(rows, slice):
            own = np.flatnonzero((columns >= rows.start) & (columns < rows.stop))
            D[columns[own] - rows.start, own] = np.nan
        else:
            D[rows[:, None] == columns] = np.nan
        return D

    def square(self, index: Array) -> Array:
        """Return the table of distances between some points, with zeros on its diagonal."""
        D = self.between(index, index)
        np.fill_diagonal(D, 0.0)
        return D


@final
class HeldTable(LocalTable):
    """A table in memory, or in a file that is mapped to it: its one tile is a view.

    A file is read in order, and the operating system keeps as much of it in memory as fits.

    Parameters
    ----------
    D : ndarray of shape (n, layers, n)
        The distances.
    W : ndarray of the shape of `D`, optional
        Weights; without them all pairs weigh one.
    numbers : ndarray of int, optional
        The points that are meant, where `D` holds more.
    """

    def __init__(self, D: Array, W: Array | None = None, numbers: Array | None = None):
        self.D, self.W, self.numbers = D, W, numbers
        self.n, self.layers = len(D if numbers is None else numbers), D.shape[1]
        self.dtype = D.dtype

    def tiles(self) -> Iterator[Tile]:
        everyone = np.arange(self.n)
        D, W = (self.D, self.W) if self.numbers is None else self.block(everyone, everyone)
        yield 0, D, W

    def block(self, rows: Array, columns: Array, dtype: Any = None) -> tuple[Array, Array | None]:
        rows, columns = self._given(rows), self._given(columns)
        W = None if self.W is None else gathered(self.W, rows, columns, dtype)
        return gathered(self.D, rows, columns, dtype), W

    def on(self, index: Array) -> HeldTable:
        """Return the distances between some of the points; nothing is copied."""
        return HeldTable(self.D, self.W, self._given(index))

    def number(self, point: int) -> int:
        return int(self._given(point))

    def _given(self, points: Any) -> Any:
        """Return the numbers of points among those that were given."""
        return points if self.numbers is None else self.numbers[points]

    def square(self, index: Array) -> Array:
        """Return the table between some points; raise where it is not symmetric."""
        D = self._read(index, index)
        largest = np.fmax.reduce(D, axis=None)
        check_diagonal(np.diagonal(D), largest, rounding(D.dtype), "D", index, D)
        check_symmetric(D, "D", index)
        return super().square(index)

    def _wrong(self, row: int, column: int, problem: str) -> ValueError:
        return EntryError("D", column, row, problem)

    def _read(self, rows: Index, columns: Array) -> Array:
        rows, columns = self._given(rows), self._given(columns)
        # column by column: a run of points is then a run of memory, and the table is symmetric
        at = (columns, rows) if isinstance(rows, slice) else np.ix_(columns, rows)
        return np.array(self.D[:, 0][at].T, order="C")


@final
class ComputedTable(LocalTable):
    """A symmetric table that is computed from features, some rows at a time, whenever it is read.

    Parameters
    ----------
    features : ndarray of shape (n, n_features)
        One point a row; may be mapped from a file.
    metric : Metric
        Measures the distances.
    dtype : dtype
        Precision of the distances.
    numbers : ndarray of int, optional
        The numbers of the points among those that were given.

    Attributes
    ----------
    told : callable, optional
        Gets the share of a pass over all rows that is done, tile by tile.
    """

    layers = 1
    told: Callable[[float], object] | None = None

    def __init__(self, features: Array, metric: Metric, dtype: Any, numbers: Array | None = None):
        self.features, self.metric, self.numbers = features, metric, numbers
        self.n, self.dtype = len(features), np.dtype(dtype)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns, as of an array."""
        return self.n, self.n

    def tiles(self) -> Iterator[Tile]:
        for rows in gen_batches(self.n, max(1, TILE // self.n)):
            yield rows.start, self._zeroed(rows, slice(self.n))[:, None, :], None
            if self.told is not None:
                self.told(rows.stop / self.n)

    def block(self, rows: Array, columns: Array, dtype: Any = None) -> tuple[Array, Array | None]:
        out = np.empty((len(rows), 1, len(columns)), dtype=dtype or self.dtype)
        step = max(1, TILE // len(columns))
        for i in range(0, len(rows), step):
            out[i : i + step, 0] = self._zeroed(rows[i : i + step], columns)
        return out, None

    def on(self, index: Array) -> ComputedTable:
        """Return the distances between some of the points; their features are copied."""
        return ComputedTable(self.features[index], self.metric, self.dtype, index)

    def number(self, point: int) -> int:
        return point if self.numbers is None else int(self.numbers[point])

    def own(self) -> Array:
        """Return the distances of all points to themselves by the metric: zeros, if it is one."""
        batches = gen_batches(self.n, 256)
        tables = (self.metric.between(self.features[rows]) for rows in batches)
        return np.concatenate([np.diagonal(D) for D in tables])

    def backward(self, rows: slice) -> Array:
        """Return the distances of all points to some of them."""
        return self._zeroed(slice(self.n), rows)

    def _zeroed(self, rows: Index, columns: Index) -> Array:
        points, D = np.arange(self.n), self._read(rows, columns)
        D[points[rows, None] == points[columns]] = 0.0  # rounding, at most: see `own`
        return D

    def _wrong(self, row: int, column: int, problem: str) -> ValueError:
        metric = f"metric={self.metric.name!r}"
        return ValueError(f"the distance of X[{row}] and X[{column}] by {metric} {problem}")

    def _read(self, rows: Index, columns: Index) -> Array:
        with np.errstate(over="ignore"):  # what is too large is reported as infinite
            D = self.metric.between(self.features[rows], self.features[columns])
            return np.require(D, dtype=self.dtype, requirements=["C", "W"])


def total(count: Count, tiles: Any, X: Array) -> Array:
    """Return the sums of what `count` returns for some tiles."""
    parts = (np.asarray(count(tile, X)) for tile in tiles)
    return np.asarray(reduce(np.add, parts))  # one after the other: they may be long


def gathered(D: Array, rows: Array, columns: Array, dtype: Any = None) -> Array:
    """Return some rows and columns of a table with layers, in any precision.

    Rows are read a few at a time in their order in the table, as a file wants it, and little but
    the result takes memory.
    """
    if _all_of(rows, len(D)) and _all_of(columns, D.shape[2]):
        return np.array(D, dtype=dtype or D.dtype, order="C")
    out = np.empty((len(rows), D.shape[1], len(columns)), dtype=dtype or D.dtype)
    order = np.argsort(rows, kind="stable")
    step = max(1, BLOCK // D[0].size)
    for at in (order[i : i + step] for i in range(0, len(order), step)):
        # "clip" is faster, and columns are in range
        out[at] = np.take(D[rows[at]], columns, axis=2, mode="clip")
    return out


def _all_of(index: Array, n: int) -> bool:
    """Whether an index tells all of `n` points in their order."""
    return len(index) == n and np.array_equal(index, np.arange(n))
