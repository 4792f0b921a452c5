"""Errors in a table of distances: each says where, and what to do about it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import combinations_with_replacement
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from unimds.files.meaning.similarities import diagonal_told, negative_told, unequal_told
from unimds.files.meaning.squares import is_condensed

Array = NDArray[Any]

PATCH = 512
"""Side of the squares in which D[i, j] meets D[j, i]: pages of a file, in little memory."""

REMEDY = {
    "infinite": "use NaN for a pair whose distance is not known",
    "negative": "distances must be zero or more",
    "missing": "only a table in memory may have gaps, see memory_limit",
}

SMALL = 2_000
"""Points of a table that is searched for what its diagonal or negative numbers may mean."""


class PointsError(ValueError, ABC):
    """An error about some points of a table, whose labels can stand for their numbers."""

    def __str__(self) -> str:
        return self.told(None)

    @abstractmethod
    def told(self, labels: Sequence[Any] | None) -> str:
        """Return the message with labels, if there are any, in place of the numbers of points."""


@contextmanager
def points_named(labels: Iterable[Any] | None) -> Iterator[None]:
    """Name the points that an error is about by their labels, which people can find."""
    try:
        yield
    except PointsError as error:
        if labels is None:
            raise
        raise ValueError(error.told(list(labels))) from error


@final
class EntryError(PointsError):
    """A wrong entry of a table: the name of the table, row, column and problem."""

    def __init__(self, name: str, i: Any, j: Any, problem: str):
        super().__init__(name, int(i), int(j), problem)

    def told(self, labels: Sequence[Any] | None) -> str:
        """Return the message with labels, if there are any, in place of row and column."""
        name, i, j, problem = self.args
        row, column = (i, j) if labels is None else (labels[i], labels[j])
        return f"{name}[{row!r}, {column!r}] {problem}"


@final
class PartsError(PointsError):
    """Groups of points with nothing between them: the table, sizes, lone and first points."""

    def __init__(self, name: str, sizes: list[int], alone: list[int], first: list[int]):
        super().__init__(name, sizes, alone, first)

    def told(self, labels: Sequence[Any] | None) -> str:
        """Return the message with labels, if there are any, of the lone points."""
        name, sizes, alone, first = self.args
        shown = ", ".join(map(str, sizes[:10])) + (", …" if len(sizes) > 10 else "")
        names = [f"point {i}" if labels is None else repr(labels[i]) for i in alone[:3]]
        lone = ""
        if alone:
            more = f" and {len(alone) - 3} more" if len(alone) > 3 else ""
            has = "has" if len(alone) == 1 else "have"
            lone = f" ({', '.join(names)}{more} {has} no known distance)"
        held = ""
        if labels is not None:
            held = f" (the largest with {labels[first[0]]!r}, the next with {labels[first[1]]!r})"
        return (
            f"the known pairs of {name} fall into {len(sizes)} groups with nothing between them, "
            f"of {shown} points{held}{lone}; their places relative to each other are not "
            "determined: add distances between the groups or embed each one alone"
        )


def check_square(shape: tuple[int, ...], name: str) -> None:
    """Refuse a table that is not square."""
    if len(shape) == 2 and 1 in shape and is_condensed(shape[0] * shape[1]):
        raise ValueError(
            f"{name} must be a square table of distances; its shape is {shape}. If they are "
            f"condensed, write scipy.spatial.distance.squareform(numpy.ravel({name}))"
        )
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ValueError(
            f"{name} must be a square table of distances; its shape is {shape}. For a table of "
            "features choose a metric such as 'euclidean' instead of 'precomputed'"
        )


def check_table(D: Array, name: str) -> Scan:
    """Scan a square table, and refuse one that holds anything but distances."""
    seen = scan(D)
    for at in (seen.infinite, seen.negative):
        if at >= 0:
            i, j = divmod(at, len(D))
            raise EntryError(name, i, j, no_distance(D[i, j]) + _hint(D, D[i, j]))
    check_diagonal(np.diagonal(D), seen.largest, rounding(D.dtype), name, square=D)
    check_not_triangular(seen.upper, seen.lower, len(D), name)
    return seen


def _hint(D: Array, value: float) -> str:
    """Return what a negative entry may mean."""
    told = negative_told(D, value) if value < 0.0 and len(D) <= SMALL else None
    return "" if told is None else f"; {told}"


def check_not_triangular(upper: bool, lower: bool, n: int, name: str) -> None:
    """Refuse a table with one half left out as zeros: they would count as distances.

    `upper` and `lower` say whether anything above, and below, the diagonal is not zero.
    """
    if n > 2 and upper != lower:
        raise ValueError(
            f"{name} is triangular, and zeros are distances too: fill the other half "
            f"({name} + {name}.T), or put NaN where nothing is known"
        )


def rounding(dtype: Any) -> float:
    """Relative size of what counts as rounding in a table."""
    return 1e-5 if dtype == np.float32 else 1e-8


def no_distance(value: float) -> str:
    """Return what is wrong with an entry that is no distance, and what to do about it."""
    what = "infinite" if np.isinf(value) else "missing" if np.isnan(value) else "negative"
    return f"= {value:g} is {what}: {REMEDY[what]}"


def check_tile(tile: Array, first: int, name: str) -> None:
    """Refuse rows that hold anything but distances."""
    if tile.min() >= 0.0 and tile.max() < np.inf:  # never so where there is a NaN
        return
    for wrong in (np.isinf(tile), tile < 0.0, np.isnan(tile)):
        if wrong.any():
            i, j = np.argwhere(wrong)[0]
            raise EntryError(name, first + i, j, no_distance(tile[i, j]))


def check_both_ways(there: Array, back: Array, i: int, j: int, name: str) -> None:
    """Refuse rows, from `i` on, that are not the columns from `j` on."""
    largest = max(there.max(), back.max(), np.finfo(there.dtype).tiny)
    # of squares: a distance may be the root of a difference that only rounding is left of
    apart = np.abs(there - back) / largest * ((there + back) / largest)
    if apart.max() > rounding(there.dtype):
        a, b = np.unravel_index(np.argmax(apart), apart.shape)
        problem = f"= {there[a, b]:g}, but {back[a, b]:g} the other way"
        remedy = "only a table in memory can be asymmetric, see memory_limit"
        raise EntryError(name, i + a, j + b, f"{problem}: {remedy}")


def check_symmetric(D: Array, name: str, index: Array) -> None:
    """Raise where the table between the points `index` is not symmetric."""
    odd = np.argwhere(np.abs(D - D.T) > rounding(D.dtype) * np.fmax.reduce(D, axis=None))
    if odd.size:
        (a, b), (i, j) = odd[0], index[odd[0]]
        problem = f"= {D[b, a]:g}, but {D[a, b]:g} the other way: landmarks need a symmetric table"
        remedy = f"use MDS, which takes both directions, or ({name} + {name}.T) / 2"
        raise EntryError(name, i, j, f"{problem}; {remedy}")


def check_diagonal(
    diagonal: Array,
    largest: float,
    rounding: float,
    name: str,
    index: Array | None = None,
    square: Array | None = None,
) -> None:
    """Raise if a point's distance to itself is not zero.

    `index` has the points' numbers, and `square`, where there is one, says what else it may be.
    """
    wrong = np.flatnonzero(np.abs(diagonal) > rounding * largest)
    if wrong.size:
        i = wrong[0] if index is None else index[wrong[0]]
        problem = f"= {diagonal[wrong[0]]:g}, but the distance of a point to itself is 0"
        told = unequal_told(name)
        if square is not None and len(square) <= SMALL:
            told = diagonal_told(square, name)
        raise EntryError(name, i, i, f"{problem}; {told}")


def check_weights(W: Array, first: int = 0) -> None:
    """Refuse rows, from `first` on, of anything but weights."""
    wrong = ~(np.isfinite(W) & (W >= 0.0))
    if wrong.any():
        i, j = np.argwhere(wrong)[0]
        problem = f"= {W[i, j]:g}, but weights must be finite and not negative"
        remedy = "use 0 for a pair that should not count"
        raise EntryError("weights", first + i, j, f"{problem}; {remedy}")


def check_range(largest: float, typical: float, name: str) -> None:
    """Refuse distances whose squares are no numbers."""
    if largest > 1e154 or typical < 1e-154:
        raise ValueError(
            f"{name} holds distances up to {largest:g}, about {typical:g}: their squares leave "
            "the range of numbers; use another unit of length"
        )


def _components(table: Array, anchored: Array) -> Array:
    """Return the number of each point's group, which known pairs join."""
    i, j = np.nonzero(~np.isnan(table))
    held = np.flatnonzero(anchored)  # anchors are joined by their coordinates
    i = np.concatenate([i, held[1:]])
    j = np.concatenate([j, np.full(max(held.size - 1, 0), held[0] if held.size else 0)])
    graph = csr_array((np.ones(i.size, dtype=np.int8), (i, j)), shape=table.shape)
    return np.asarray(connected_components(graph, directed=False)[1])


def check_connected(known: Array, free: Array, name: str) -> None:
    """Refuse points that no known pairs and no anchors join."""
    if known.sum() == known.size - known.shape[0]:
        return
    if not known.any() and free.any():
        raise ValueError(f"{name} has no known pair: all are missing (NaN) or have weight 0")
    group = _components(np.where(known, 0.0, np.nan), ~free)
    sizes = np.bincount(group)
    if len(sizes) > 1:
        alone = np.flatnonzero(sizes[group] == 1).tolist()
        order = np.argsort(-sizes, kind="stable")
        first = [int(np.argmax(group == number)) for number in order[:2]]
        raise PartsError(name, sizes[order].tolist(), alone, first)


class Scan(NamedTuple):
    """What is known of a table after one pass.

    Attributes
    ----------
    negative, infinite : int
        Place of the first bad entry, row by row; −1 where there is none.
    missing : int
        Number of NaN off the diagonal.
    largest : float
        The largest entry.
    uneven, asymmetric : bool
        Whether some D[i, j] and D[j, i] differ at all, and by more than rounding.
    one_sided : bool
        Whether some D[i, j] is missing where D[j, i] is not.
    upper, lower : bool
        Whether there is anything but zeros above and below the diagonal.
    """

    negative: int
    infinite: int
    missing: int
    largest: float
    uneven: bool
    asymmetric: bool
    one_sided: bool
    upper: bool
    lower: bool


def scan(D: Array) -> Scan:
    """Return what checks ask of a square table; it is read square by square, and never copied.

    Entries that differ by less than rounding are the same.
    """
    D = np.asarray(D)  # slices of a mapped file take longer
    turned = D.flags.f_contiguous and not D.flags.c_contiguous  # frames of pandas are such
    rows = D.T if turned else D
    bands = [slice(first, first + PATCH) for first in range(0, len(D), PATCH)]
    least = most = apart = D.dtype.type(0.0)
    missing, one_sided = -int(np.count_nonzero(np.isnan(np.diagonal(D)))), False
    with np.errstate(all="ignore"):
        for i, j in combinations_with_replacement(bands, 2):
            there, back = rows[i, j], rows[j, i].T
            if (there == back).all():  # never so where there is a NaN
                least, most = there.min(initial=least), there.max(initial=most)
                continue
            apart = np.fmax.reduce(np.abs(there - back), axis=None, initial=apart)
            for square in (there,) if i == j else (there, back):
                least = np.fmin.reduce(square, axis=None, initial=least)
                most = np.fmax.reduce(square, axis=None, initial=most)
                missing += int(np.count_nonzero(np.isnan(square)))
            one_sided = one_sided or bool((np.isnan(there) != np.isnan(back)).any())
        largest = float(max(abs(least), most))
        uneven = bool(apart > 0.0)
        asymmetric = bool(apart > D.dtype.type(rounding(D.dtype) * largest))
    negative = infinite = -1
    if least < 0.0:  # the diagonal has a check of its own
        off_diagonal = (at for at in _places(D, lambda row: row < 0.0) if at % (len(D) + 1))
        negative = next(off_diagonal, -1)
    if largest == np.inf:
        infinite = next(_places(D, np.isinf))
    upper = any(row[i + 1 :].any() for i, row in enumerate(rows))
    lower = any(row[:i].any() for i, row in enumerate(rows))
    upper, lower = (lower, upper) if turned else (upper, lower)
    return Scan(negative, infinite, missing, largest, uneven, asymmetric, one_sided, upper, lower)


def _places(D: Array, odd: Callable[[Array], Array]) -> Iterator[int]:
    """Yield the places of odd entries, row by row."""
    for i, row in enumerate(D):
        yield from (i * len(D) + np.flatnonzero(odd(row))).tolist()
