"""Tables whose entries are numbers of a short list: the same table through any transformation.

A table of dissimilarities becomes a table of *codes*, the ranks of its entries among all different
ones. A transformation of the dissimilarities is then a list of numbers, one for each code. Where
pairs are very many, a code stands for a bin: a few dissimilarities that are next to each other.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import gen_batches

from unimds.compiled.functions import looping
from unimds.compiled.parts import inlined
from unimds.distances.pairs import Pairs
from unimds.distances.table import DistanceTable, HeldTable, Index, LocalTable
from unimds.distances.tiles import Tile
from unimds.distances.validate import EntryError

Array = NDArray[Any]

BINS = 65_535 - 2  # what two bytes can tell, less the codes of missing pairs and of the diagonal
CELLS = 2**18  # equal parts of the range, of which bins are made
FEW_SAMPLED, SAMPLED = 2**15, 2**17  # dissimilarities that tell if most fall into few cells, and
# bins where they do
CROWDED = 16  # times the pairs of a bin: more in one cell, and its bins would be too coarse
HELD = 10**6  # entries up to which a table is looked up once for all
LOOKED_UP = 2**18  # entries that are looked up together: little memory, and in the cache


@dataclass(frozen=True, eq=False)
class Coding(ABC):
    """The entries of a table, by their rank, wherever the table is.

    Attributes
    ----------
    d : ndarray
        The dissimilarity of every code, the mean of a bin; rising within a block.
    counts, weights : ndarray
        How many pairs have the code, and what they weigh.
    blocks : list of slice
        The codes that one transformation is for: all, or those of one row.
    layers : int
        As in a `DistanceTable`.
    dtype : dtype
        Precision of tables through a transformation.
    bins : bool
        Whether codes stand for bins, and not for single dissimilarities.
    """

    d: Array
    counts: Array
    weights: Array
    blocks: list[slice]
    layers: int
    dtype: Any
    bins: bool

    @abstractmethod
    def table(self, r: Array) -> DistanceTable:
        """Return the table through a transformation, a number for every code."""

    @abstractmethod
    def coded(self, r: Array) -> DistanceTable:
        """Return the same table, to be looked up whenever it is read."""

    @abstractmethod
    def added_up(self, count: Callable[[Tile, Array], Array], X: Array) -> Array:
        """Return the sums of what `count` returns for every tile of codes, where the tiles are."""

    @property
    def of_rows(self) -> list[slice | None]:
        """The block of each row, where rows have blocks of their own; None if it knows no pair."""
        raise NotImplementedError

    def numbers(self, r: Array) -> Array:
        """Return the number of every code, with those of missing pairs and of the diagonal."""
        numbers = np.empty(r.size + 2, dtype=self.dtype)
        numbers[:-2] = r
        numbers[-2:] = np.nan, 0.0
        return numbers


@final
@dataclass(frozen=True, eq=False)
class Codes(Coding):
    """The entries of a table in this process.

    Attributes
    ----------
    of_pairs : ndarray of int of shape (n, n)
        The code of every pair: beyond all others, that of missing pairs and that of the diagonal.
    W : ndarray of shape (n, layers, n), or None
        The weights of the pairs.
    """

    of_pairs: Array
    W: Array | None

    @property
    def of_rows(self) -> list[slice | None]:
        """The block of each row, by the codes of its pairs."""
        ends = np.array([block.stop for block in self.blocks])
        least = self.of_pairs.min(axis=1)  # missing pairs and the diagonal lie beyond all others
        at = np.searchsorted(ends, least, side="right")
        return [self.blocks[i] if i < len(ends) else None for i in at]

    def table(self, r: Array) -> LocalTable:
        coded = self.coded(r)
        return coded if self.of_pairs.size > HELD else HeldTable(*coded.whole())

    def coded(self, r: Array) -> CodedTable:
        return CodedTable(self.of_pairs, self.numbers(r), self.W, self.layers)

    def added_up(self, count: Callable[[Tile, Array], Array], X: Array) -> Array:
        """Return what `count` returns for all codes."""
        weights = None if self.W is None else self.weights_of_pairs[:, None]
        return count((0, self.of_pairs[:, None], weights), X)

    @cached_property
    def weights_of_pairs(self) -> Array:
        """The weights of pairs, row by row in memory."""
        assert self.W is not None
        return np.ascontiguousarray(self.W[:, 0])


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

    def __len__(self) -> int:
        return self.n

    def tiles(self) -> Iterator[Tile]:
        everyone = np.arange(self.n)
        for rows in gen_batches(self.n, max(2, LOOKED_UP // self.n // 2 * 2)):
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
    code, order, first = ranks(rows, d, ties)
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
        bins=False,
    )


def ranks(rows: Array, d: Array, ties: bool) -> tuple[Array, Array, Array]:
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


def binned(pairs: Pairs, bins: int = BINS, *, even: bool = False) -> Coding:
    """Return codes that stand for bins; equal dissimilarities are in one bin.

    Bins have equal width, as a curve needs it (`even`), or go by rank, as an order does: a share p
    of the pairs falls into the first 2/π asin √p of them. So bins are finest at both ends, where a
    few far points may count most, and it hardly matters how the dissimilarities are spaced.

    The range is cut into very many cells, and a bin is some of them: one pass over the table counts
    the pairs of every cell, and another tells the code of every pair.
    """
    held, both = pairs.table, pairs.layers == 2
    if not isinstance(held, LocalTable):
        found: Coding = held.binned(pairs, bins, even)
        return found
    cells = cells_for(lambda size: sampled(held.tiles(), pairs.n, size), pairs, bins, even)
    code_of, count = bins_of(counted(held.tiles(), both, cells), bins, even)
    cutting, table = Cutting(cells, code_of, count), np.empty((pairs.n, pairs.n), dtype=np.uint16)
    told = tell(held.tiles(), both, cutting, table)
    return Codes(**described(told, pairs), of_pairs=table, W=held.W)


class Cutting(NamedTuple):
    """How dissimilarities become codes: their cells, the code of each cell, and how many codes."""

    cells: tuple[float, Array]
    code_of: Array
    codes: int


def described(told: Array, pairs: Pairs) -> dict[str, Any]:
    """Return what is known of bins from the sums of `tell`."""
    sums, weights, pairs_of = told
    fits_single = pairs.largest < 1e30 and pairs.typical > 1e-30
    return {
        "d": sums / np.maximum(pairs_of, 1.0),
        "counts": pairs_of,
        "weights": weights,
        "blocks": [slice(0, sums.size)],
        "layers": pairs.layers,
        "dtype": np.dtype(np.float32 if fits_single else np.float64),
        "bins": True,
    }


def counted(tiles: Iterable[Tile], both: bool, cells: tuple[float, Array]) -> Array:
    """Return the number of pairs in every cell."""
    counts = np.zeros(CELLS, dtype=np.int32)
    for rows in _rows(tiles):
        count_up(*rows, both, *cells, counts)
    return counts


def tell(
    tiles: Iterable[Tile], both: bool, cutting: Cutting, table: Array, first: int = 0
) -> Array:
    """Fill in the codes of rows, from row `first` on.

    Return the dissimilarity, the weight and the number of all pairs of each code.
    """
    cells, code_of, codes = cutting
    told = np.zeros((3, codes))
    for begin, D, W in _rows(tiles):
        tell_codes(begin, D, W, both, *cells, code_of, codes, table[begin - first :], told)
    return told


def bins_of(counts: Array, bins: int, even: bool) -> tuple[Array, int]:
    """Return the code of every cell, and how many codes there are."""
    occupied = np.flatnonzero(counts)
    if even:
        place = occupied * bins // CELLS
    else:
        found = counts[occupied]
        share = (np.cumsum(found) - found) / max(float(found.sum()), 1.0)
        place = (np.arcsin(np.sqrt(share)) * (2.0 / np.pi) * bins).astype(np.int64)
    number = np.cumsum(np.diff(place, prepend=-1) > 0, dtype=np.int32) - 1
    code_of = np.zeros(CELLS, dtype=np.uint16)
    code_of[occupied] = number
    return code_of, int(number[-1]) + 1 if number.size else 0


def _rows(tiles: Iterable[Tile]) -> Iterator[tuple[int, Array, Array]]:
    """Yield the rows of a table, and their weights or nothing, as compiled code reads them."""
    for first, D, W in tiles:
        for some in gen_batches(len(D), max(1, LOOKED_UP // D.shape[2])):
            weigh = np.empty((0, 0, 0)) if W is None else W[some]
            yield first + some.start, _read_only(D[some]), _read_only(weigh)


def _read_only(part: Array) -> Array:
    """Return an array in order that cannot be written to: Numba compiles for each kind of array."""
    view = np.ascontiguousarray(part).view()
    view.flags.writeable = False
    return view


def cells_for(
    sample_of: Callable[[int], Array], pairs: Pairs, bins: int, even: bool
) -> tuple[float, Array]:
    """Return what tells the cell of a dissimilarity: see `cell_of`.

    `sample_of` returns about so many dissimilarities, see `sampled`.
    """
    scale = (CELLS - 1) / pairs.largest if pairs.largest > 0.0 else 0.0
    if even:
        return scale, np.empty(0)
    sample = sample_of(FEW_SAMPLED)
    fullest = np.bincount((sample * scale).astype(np.int64)).max(initial=0)
    if fullest * bins <= CROWDED * sample.size:
        return scale, np.empty(0)
    return 0.0, np.unique(sample_of(SAMPLED))


def sampled(tiles: Iterable[Tile], n: int, size: int) -> Array:
    """Return about so many positive dissimilarities: zeros are ties, which share a bin anyway."""
    some, step = [], max(n**2 // size, 1)
    for first, D, _ in _rows(tiles):
        found = D[:, 0].reshape(-1)[-(first * n) % step :: step]
        some.append(found[found > 0.0].astype(np.float64))
    return np.concatenate(some)


# --- compiled loops over tables -------------------------------------------------------------------


@looping
def look_up(codes, numbers, layer, found):  # type: ignore[no-untyped-def]
    """Fill a layer of a table with the numbers of codes."""
    for i in range(codes.shape[0]):
        for j in range(codes.shape[1]):
            found[i, layer, j] = numbers[codes[i, j]]


@inlined
def cell_of(d, scale, edges):  # type: ignore[no-untyped-def]
    """Return the cell of a dissimilarity: an equal part of the range, or its place in a sample."""
    if edges.size == 0:
        return int(d * scale)
    low, high = 0, edges.size
    while low < high:
        middle = (low + high) // 2
        if edges[middle] < d:
            low = middle + 1
        else:
            high = middle
    return low


@looping
def count_up(first, D, W, both, scale, edges, counts):  # type: ignore[no-untyped-def]
    """Count the pairs of every cell; those with earlier points, if `both` directions are one."""
    for i in range(D.shape[0]):
        own = first + i
        for j in range(D.shape[2] if both else own):
            d = D[i, 0, j]
            if d == d and j != own and (W.size == 0 or W[i, 0, j] > 0.0):
                counts[cell_of(d, scale, edges)] += 1


@looping
def tell_codes(first, D, W, both, scale, edges, code_of, count, table, told):  # type: ignore[no-untyped-def]
    """Fill in the code of each pair; add up dissimilarity, weight and number by code."""
    for i in range(D.shape[0]):
        own = first + i
        for j in range(D.shape[2]):
            d, code, weight = D[i, 0, j], count, 1.0
            if W.size:
                weight = W[i, 0, j]
            if d == d and j != own and weight > 0.0:
                code = int(code_of[cell_of(d, scale, edges)])
                if both or j < own:
                    told[0, code] += d
                    told[1, code] += weight
                    told[2, code] += 1.0
            table[i, j] = code
        table[i, own] = count + 1
