"""Tables whose entries are numbers of a short list: the same table through any transformation.

A table of dissimilarities becomes a table of *codes*, the ranks of its entries among all different
ones. A transformation of the dissimilarities is then a list of numbers, one for each code. Where
pairs are very many, a code stands for a bin: a few dissimilarities that are next to each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import gen_batches

from unimds.compiled.functions import driver
from unimds.distances.pairs import Pairs
from unimds.distances.table import TILE, HeldTable, Index, LocalTable
from unimds.distances.tiles import Tile
from unimds.distances.validate import EntryError

Array = NDArray[Any]

BINS = 65_535 - 2  # what two bytes can tell, less the codes of missing pairs and of the diagonal
CELLS = 2**20  # equal parts of the range, of which bins are made
SAMPLED = 2**20  # dissimilarities that tell the bins where most fall into few cells
CROWDED = 64  # times the pairs of a bin: more in one cell, and its bins would be too coarse


@final
@dataclass(frozen=True, eq=False)
class Codes:
    """The entries of a table, by their rank.

    Attributes
    ----------
    d : ndarray
        The dissimilarity of every code; rising within a block.
    counts, weights : ndarray
        How many pairs have the code, and what they weigh.
    blocks : list of slice
        The codes that one transformation is for: all, or those of one row.
    of_pairs : ndarray of int of shape (n, n)
        The code of every pair: beyond all others, that of missing pairs and that of the diagonal.
    W : ndarray of shape (n, layers, n), or None
        The weights of the pairs.
    layers : int
        As in a `DistanceTable`.
    dtype : dtype
        Precision of tables through a transformation.
    total : float or None
        The sum of all dissimilarities where codes stand for bins; else None.
    """

    d: Array
    counts: Array
    weights: Array
    blocks: list[slice]
    of_pairs: Array
    W: Array | None
    layers: int
    dtype: Any
    total: float | None = None

    def table(self, r: Array) -> LocalTable:
        """Return the table through a transformation, a number for every code."""
        numbers = np.append(r, [np.nan, 0.0]).astype(self.dtype)
        coded = CodedTable(self.of_pairs, numbers, self.W, self.layers)
        return coded if len(self.of_pairs) ** 2 > TILE else HeldTable(*coded.whole())

    @cached_property
    def weights_of_pairs(self) -> Array:
        """The weights of pairs, or nothing where all weigh one."""
        return np.empty((0, 0)) if self.W is None else np.ascontiguousarray(self.W[:, 0])


@final
class CodedTable(LocalTable):
    """A table that is looked up in a list of numbers, some rows at a time.

    Parameters
    ----------
    codes : ndarray of int of shape (n, n)
        The place of every distance in the list.
    numbers : ndarray
        The list.
    W : ndarray of shape (n, layers, n), or None
        Weights.
    layers : int
        Whether the transpose is a second layer.
    """

    def __init__(self, codes: Array, numbers: Array, W: Array | None, layers: int):
        self.codes, self.numbers, self.W, self.layers = codes, numbers, W, layers
        self.n, self.dtype = len(codes), numbers.dtype

    def tiles(self) -> Iterator[Tile]:
        everyone = np.arange(self.n)
        for rows in gen_batches(self.n, max(2, TILE // self.n // 2 * 2)):
            W = None if self.W is None else self.W[rows]
            yield rows.start, self._looked_up(rows, everyone), W

    def _looked_up(self, rows: Index, columns: Array, dtype: Any = None) -> Array:
        """Return the distances of some points to others, of all layers."""
        numbers = self.numbers if dtype is None else self.numbers.astype(dtype)
        whole = columns.size == self.n and isinstance(rows, slice)
        codes = [self.codes[rows] if whole else self.codes[self._numbered(rows)][:, columns]]
        if self.layers == 2:
            codes.append(self.codes[np.ix_(columns, self._numbered(rows))].T)
        found = np.empty((len(codes[0]), self.layers, columns.size), dtype=numbers.dtype)
        for layer, part in enumerate(codes):
            look_up(np.ascontiguousarray(part), numbers, layer, found)
        return found

    def _numbered(self, rows: Index) -> Array:
        return np.arange(self.n)[rows]

    def block(self, rows: Array, columns: Array, dtype: Any = None) -> tuple[Array, Array | None]:
        W = None
        if self.W is not None:
            W = np.stack([part[np.ix_(rows, columns)] for part in self.W.swapaxes(0, 1)], axis=1)
        return self._looked_up(rows, columns, dtype), W

    def on(self, index: Array) -> LocalTable:
        """Return the distances between some of the points."""
        return self.held(index)

    def number(self, point: int) -> int:
        return point

    def _read(self, rows: Index, columns: Array) -> Array:
        return self._looked_up(rows, columns)[:, 0]

    def _wrong(self, row: int, column: int, problem: str) -> ValueError:
        return EntryError("D", column, row, problem)


# --- from a table to its codes --------------------------------------------------------------------


def ranked(pairs: Pairs, ties: bool, by_row: bool = False) -> Codes:
    """Return the codes of a table: one for each pair, or, with `ties`, for each dissimilarity.

    With `by_row` every row has codes of its own.
    """
    D, W = pairs.table.whole()
    layers = pairs.layers
    if by_row and layers == 1:  # row and column of a pair no longer agree
        D, layers = np.concatenate([D, D], axis=1), 2
        W = None if W is None else np.concatenate([W, W], axis=1)
    n = len(D)
    values = D[:, 0].astype(np.float64)
    weigh = np.ones((n, n)) if W is None else W[:, 0].astype(np.float64)
    known = ~np.isnan(values) & (weigh > 0.0)
    known &= ~np.eye(n, dtype=bool) if layers == 2 else np.tri(n, k=-1, dtype=bool)
    i, j = np.nonzero(known)
    d, weights, rows = values[i, j], weigh[i, j], i if by_row else np.zeros_like(i)
    code, order, first = _ranks(rows, d, ties)
    count = first.size
    edges = np.flatnonzero(np.diff(rows[order[first]], prepend=-1, append=-2))
    table = np.full((n, n), count, dtype=np.int32)
    table[i, j] = code
    if layers == 1:
        table[j, i] = code
    np.fill_diagonal(table, count + 1)
    return Codes(
        d=d[order[first]],
        counts=np.bincount(code, minlength=count).astype(float),
        weights=np.bincount(code, weights, minlength=count),
        blocks=[slice(int(a), int(b)) for a, b in pairwise(edges)],
        of_pairs=table,
        W=W,
        layers=layers,
        dtype=D.dtype,
    )


def _ranks(rows: Array, d: Array, ties: bool) -> tuple[Array, Array, Array]:
    """Return the rank of every entry among those of its row and before, and how they are ordered.

    With `ties`, equal entries of a row have one rank. The last array tells where ranks begin.
    """
    order = np.lexsort((d, rows)) if rows.any() else np.argsort(d, kind="stable")
    new = np.ones(d.size, dtype=bool)
    if ties:
        new[1:] = (np.diff(d[order]) > 0.0) | (np.diff(rows[order]) > 0)
    code = np.empty(d.size, dtype=np.intp)
    code[order] = np.cumsum(new) - 1
    return code, order, np.flatnonzero(new)


def binned(pairs: Pairs, bins: int = BINS, *, even: bool = False) -> Codes:
    """Return codes that stand for bins; equal dissimilarities are in one bin.

    Bins have about equally many pairs, as an order needs it, or equal width, as a curve does.

    The range is cut into very many cells, and a bin is some of them: one pass over the table counts
    the pairs of every cell, and another tells the code of every pair.
    """
    cells, W = (
        _cells(pairs, bins, even),
        getattr(pairs.table, "W", None),
    )  # computed tables have none
    counts = np.zeros(CELLS + 1, dtype=np.int64)
    for _, D in _known(pairs):
        count_up(cells(D), counts)
    occupied = counts[:-1] > 0
    before = np.cumsum(counts[:-1]) - counts[:-1]
    share = max(float(counts[:-1].sum()) / bins, 1.0)
    where = np.flatnonzero(occupied) * bins / CELLS if even else before[occupied] / share
    _, number = np.unique(where.astype(np.int64), return_inverse=True)
    code_of = np.full(CELLS + 1, number.max(initial=-1) + 1, dtype=np.uint16)
    code_of[:-1][occupied] = number
    count = int(code_of[-1])  # the code of missing pairs
    table = np.empty((pairs.n, pairs.n), dtype=np.uint16)
    told = np.zeros((3, count + 1))
    for rows, D in _known(pairs):
        weigh = np.empty((0, 0)) if W is None else np.ascontiguousarray(W[rows, 0])
        tell_codes(cells(D), code_of, D, weigh, table[rows], told)
    np.fill_diagonal(table, count + 1)
    sums, weights, pairs_of = told
    fits_single = pairs.largest < 1e30 and pairs.typical > 1e-30
    once = 1.0 if pairs.layers == 2 else 0.5  # a symmetric table tells every pair twice
    return Codes(
        d=(sums / np.maximum(pairs_of, 1.0))[:-1],
        counts=once * pairs_of[:-1],
        weights=once * weights[:-1],
        blocks=[slice(0, count)],
        of_pairs=table,
        W=W,
        layers=pairs.layers,
        dtype=np.dtype(np.float32 if fits_single else np.float64),
        total=once * float(sums[:-1].sum()),
    )


def _known(pairs: Pairs) -> Iterator[tuple[slice, Array]]:
    """Yield the dissimilarities of some rows at a time; NaN for those that do not count."""
    for first, D, W in pairs.table.tiles():
        for some in gen_batches(len(D), max(1, TILE // pairs.n)):
            rows = np.array(D[some, 0], dtype=np.float64)
            begin = first + some.start
            each = np.arange(len(rows))
            rows[each, begin + each] = np.nan
            if W is not None:
                rows[W[some, 0] == 0.0] = np.nan
            yield slice(begin, begin + len(rows)), rows


def _cells(pairs: Pairs, bins: int, even: bool) -> Callable[[Array], Array]:
    """Return a function that tells the cell of dissimilarities: equal parts, or as many pairs."""
    top = pairs.largest if pairs.largest > 0.0 else 1.0

    def equal_parts(D: Array) -> Array:
        cells = np.empty(D.shape, dtype=np.int32)
        cut(np.atleast_2d(D), (CELLS - 1) / top, np.atleast_2d(cells))
        return cells

    if even:
        return equal_parts
    step = max(pairs.n**2 // SAMPLED, 1)
    some = np.concatenate([D.ravel()[::step] for _, D in _known(pairs)])
    some = some[~np.isnan(some)]
    fullest = np.bincount(equal_parts(some)).max(initial=0)
    if fullest * bins <= CROWDED * some.size:
        return equal_parts
    edges = np.unique(some)

    def as_many(D: Array) -> Array:
        found = np.searchsorted(edges, D).clip(max=CELLS - 1)
        return np.where(np.isnan(D), CELLS, found).astype(np.int32)

    return as_many


@driver
def look_up(codes, numbers, layer, found):  # type: ignore[no-untyped-def]
    """Fill a layer of a table with the numbers of codes."""
    for i in range(codes.shape[0]):
        for j in range(codes.shape[1]):
            found[i, layer, j] = numbers[codes[i, j]]


@driver
def cut(D, scale, cells):  # type: ignore[no-untyped-def]
    """Fill in the cell of each dissimilarity: equal parts of the range."""
    for i in range(D.shape[0]):
        for j in range(D.shape[1]):
            cells[i, j] = int(D[i, j] * scale) if D[i, j] == D[i, j] else CELLS


@driver
def count_up(cells, counts):  # type: ignore[no-untyped-def]
    """Count the pairs of every cell."""
    for i in range(cells.shape[0]):
        for j in range(cells.shape[1]):
            counts[cells[i, j]] += 1


@driver
def tell_codes(cells, code_of, D, W, table, told):  # type: ignore[no-untyped-def]
    """Fill in the code of each pair; add up dissimilarity, weight and number by code."""
    for i in range(cells.shape[0]):
        for j in range(cells.shape[1]):
            code = code_of[cells[i, j]]
            table[i, j] = code
            if D[i, j] == D[i, j]:
                told[0, code] += D[i, j]
                told[1, code] += W[i, j] if W.size else 1.0
                told[2, code] += 1.0
