"""Tables of distances that are read by rows, whether or not they are in memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import gen_batches

Array = NDArray[Any]

BLOCK = 2**16
"""Entries of a table that are looked at together: they stay in a processor's cache."""

TILE = 2**21
"""Distances that are computed together."""


class Table(ABC):
    """Distances ``D[row, layer, column]`` of n points, in the order of the rows."""

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int, int]:
        """Rows, layers and columns."""

    @property
    @abstractmethod
    def dtype(self) -> Any:
        """Precision of the distances."""

    @abstractmethod
    def tiles(self) -> Iterator[tuple[int, Array]]:
        """Yield all rows in turn, some at a time: the number of the first, and distances."""

    @abstractmethod
    def block(self, rows: Array, columns: Array, dtype: Any = None) -> Array:
        """Return the distances of some points to some others, of all layers, as an array."""

    def largest(self) -> float:
        """Return the largest known distance."""
        return max(float(np.fmax.reduce(D, axis=None, initial=0.0)) for _, D in self.tiles())


class Held(Table):
    """A table in memory, or in a file that is mapped to it: its tiles are views.

    There is one tile. A file is read in order all the same, and the operating system keeps as much
    of it in memory as there is room for.
    """

    def __init__(self, D: Array):
        self.D = D

    @property
    def shape(self) -> tuple[int, int, int]:
        """Rows, layers and columns."""
        n, layers, columns = self.D.shape
        return n, layers, columns

    @property
    def dtype(self) -> Any:
        """Precision of the distances."""
        return self.D.dtype

    def tiles(self) -> Iterator[tuple[int, Array]]:
        """Yield the whole table."""
        yield 0, self.D

    def block(self, rows: Array, columns: Array, dtype: Any = None) -> Array:
        """Return the distances of some points to some others, of all layers, as an array."""
        return gathered(self.D, rows, columns, dtype)


class Computed(Table):
    """A symmetric table that is computed from features, some rows at a time, whenever it is read.

    Parameters
    ----------
    features : ndarray of shape (n, n_features)
        One point a row.
    distance : callable
        Returns the distances of some rows to others, and of rows among each other where the
        second argument is None.
    dtype : dtype
        Precision of the distances.
    """

    def __init__(
        self, features: Array, distance: Callable[[Array, Array | None], Array], dtype: Any
    ):
        self.features, self.distance, self._dtype = features, distance, np.dtype(dtype)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Rows, layers and columns."""
        return len(self.features), 1, len(self.features)

    @property
    def dtype(self) -> Any:
        """Precision of the distances."""
        return self._dtype

    def tiles(self) -> Iterator[tuple[int, Array]]:
        """Yield all rows in turn, some at a time: the number of the first, and distances."""
        n = len(self.features)
        for rows in gen_batches(n, max(1, TILE // n)):
            yield rows.start, self._between(rows, slice(n))[:, None, :]

    def block(self, rows: Array, columns: Array, dtype: Any = None) -> Array:
        """Return the distances of some points to some others, of all layers, as an array."""
        out = np.empty((len(rows), 1, len(columns)), dtype=dtype or self.dtype)
        step = max(1, TILE // len(columns))
        for i in range(0, len(rows), step):
            out[i : i + step, 0] = self._between(rows[i : i + step], columns)
        return out

    def own(self) -> Array:
        """Return the distances of all points to themselves, by the metric: zeros, if it is one."""
        batches = gen_batches(len(self.features), 256)
        tables = (self.distance(self.features[rows], None) for rows in batches)
        return np.concatenate([np.diagonal(D) for D in tables])

    def backward(self, rows: slice) -> Array:
        """Return the distances of all points to some of them."""
        return self._between(slice(len(self.features)), rows)

    def _between(self, rows: Array | slice, columns: Array | slice) -> Array:
        points = np.arange(len(self.features))
        with np.errstate(over="ignore"):  # what is too large is reported as infinite
            D = self.distance(self.features[rows], self.features[columns])
            D = np.ascontiguousarray(D, dtype=self._dtype)
        D[points[rows, None] == points[columns]] = 0.0  # rounding, at most: see `own`
        return D


@dataclass(frozen=True)
class Apart:
    """A table to be computed by the workers of a cluster, each its own rows."""

    computed: Computed

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.computed.shape[0], self.computed.shape[2]


def is_dask(data: Any) -> bool:
    """Return whether something is one of Dask's collections; Dask need not be installed."""
    return type(data).__module__.partition(".")[0] in ("dask", "dask_expr")


def gathered(D: Array, rows: Array, columns: Array, dtype: Any = None) -> Array:
    """Return some rows and columns of a table with layers, in any precision.

    Rows are read a few at a time in their order in the table, as a file wants it, and little but
    the result takes memory.
    """
    out = np.empty((len(rows), D.shape[1], len(columns)), dtype=dtype or D.dtype)
    order = np.argsort(rows, kind="stable")
    step = max(1, BLOCK // D[0].size)
    for at in (order[i : i + step] for i in range(0, len(order), step)):
        # "clip" is faster, and columns are in range
        out[at] = np.take(D[rows[at]], columns, axis=2, mode="clip")
    return out


@runtime_checkable
class Elsewhere(Protocol):
    """A table whose rows are not here: products with it are made where they are."""

    def times(self, rows: Rows, V: Array) -> Array:
        """Return the table, through the functions of `rows`, times the columns of `V`."""


@dataclass(frozen=True)
class Rows:
    """A symmetric table seen a few rows at a time, each entry through a function.

    Attributes
    ----------
    table : Table
        Distances of one layer; the distance of a point to itself is taken as zero.
    dtype : dtype
        Precision of what the function is given.
    functions : tuple of callables
        What is done to a block of distances, one after the other; each may write into its block.
    tol : float
        How exact a seed made from them need be; the default is as exact as the data.
    """

    table: Table
    dtype: Any
    functions: tuple[Callable[[Array], Array], ...] = ()
    tol: float = 0.0

    @property
    def n(self) -> int:
        """Number of points."""
        return self.table.shape[-1]

    def through(self, function: Callable[[Array], Array]) -> Rows:
        """Return the rows with another function applied to them."""
        return replace(self, functions=(*self.functions, function))

    def __iter__(self) -> Iterator[tuple[slice, Array]]:
        return self._blocks(self.table.tiles())

    def times(self, V: Array) -> Array:
        """Return all rows times the columns of `V`."""
        if isinstance(self.table, Elsewhere):
            return self.table.times(self, V)
        out = np.empty_like(V)
        for at, B in self.products(self.table.tiles(), V):
            out[at] = B
        return out

    def products(
        self, tiles: Iterable[tuple[int, Array]], V: Array
    ) -> Iterator[tuple[slice, Array]]:
        """Yield rows of some tiles times `V`, in the precision of the rows."""
        single = np.dtype(np.float32)
        factor = {V.dtype: V, single: V.astype(single)}
        for at, block in self._blocks(tiles):
            yield at, block @ factor[block.dtype]

    def _blocks(self, tiles: Iterable[tuple[int, Array]]) -> Iterator[tuple[slice, Array]]:
        step = max(1, BLOCK // self.n)
        for first, D in tiles:
            for i in range(0, len(D), step):
                block = np.array(D[i : i + step, 0], dtype=self.dtype)
                own = np.arange(len(block))
                block[own, first + i + own] = 0.0
                for function in self.functions:
                    block = function(block)
                yield slice(first + i, first + i + len(block)), block

    def whole(self) -> Array:
        """Return all rows as one array."""
        blocks = [block for _, block in self]
        return blocks[0] if len(blocks) == 1 else np.concatenate(blocks)


def as_rows(D: ArrayLike | Rows) -> Rows:
    """Return the rows of a square array, or what is rows already."""
    if isinstance(D, Rows):
        return D
    array = np.asarray(D)
    return Rows(Held(array[:, None, :]), np.float64)
