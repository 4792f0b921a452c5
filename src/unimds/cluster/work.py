"""What workers do with the rows that they hold: every function here runs on a worker."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from unimds.distances import coded as coding
from unimds.distances.metric import Metric
from unimds.distances.table import Count, Mover, RowWork, Work, gathered, total
from unimds.distances.tiles import BLOCK, Tile
from unimds.distances.validate import check_diagonal, check_tile, check_weights, rounding

Array = NDArray[Any]
Tiles = Sequence[Tile]


def laid_out(first: int, D: Array, W: Array | None, dtype: str | None) -> Tile:
    """Return rows as the kernels want them, or raise where they are no distances."""
    kind = np.dtype(dtype or (np.float32 if D.dtype == np.float32 else np.float64))
    with np.errstate(over="ignore"):  # what is too large is reported as infinite
        rows = np.ascontiguousarray(D, dtype=kind)
    if rows.size:
        check_tile(np.nan_to_num(rows, nan=0.0, posinf=np.inf, neginf=-np.inf), first, "D")
    own, largest = np.arange(len(rows)), float(np.nanmax(rows, initial=0.0))
    check_diagonal(rows[own, first + own], largest, rounding(rows.dtype), "D", first + own)
    weights = None if W is None else _weights(first, W, rows.shape)
    if weights is not None and (weights == 0.0).any():  # as good as missing
        rows = np.where(weights == 0.0, np.nan, rows)
    return first, rows[:, None, :], None if weights is None else weights[:, None, :]


def _weights(first: int, W: Array, shape: tuple[int, ...]) -> Array:
    weights = np.ascontiguousarray(W, dtype=np.float64)
    if weights.shape != shape:
        raise ValueError("weights must have the shape of the distances")
    check_weights(weights, first)
    return weights


def measured(
    first: int,
    stop: int,
    features: Array,
    metric: Metric,
    W: Array | None,
    dtype: str,
) -> Tile:
    """Return the distances of some points, computed from the features of all."""
    D = np.empty((stop - first, len(features)), dtype=dtype)
    step = max(1, 16 * BLOCK // len(features))
    for i in range(first, stop, step):
        rows = slice(i, min(i + step, stop))
        D[i - first : rows.stop - first] = metric.between(features[rows], features)
    own = np.arange(first, stop)
    D[own - first, own] = 0.0  # rounding, at most
    return laid_out(first, D, W, dtype)


@final
@dataclass(frozen=True)
class Sight:
    """What a worker sees in its rows, all that the client needs to know of them."""

    dtype: Any
    largest: float
    upper: bool  # whether anything above the diagonal is not zero
    lower: bool
    missing: int
    some: Array  # positive distances
    weight: float  # of all known pairs, both directions
    lightest: float
    along: Array  # which of the rows are known, times a vector of signs; the rows; their weights
    across: Array  # the same for the columns


def seen(tiles: Tiles, signs: Array, count: int) -> Sight:
    """Look at the rows of one worker once."""
    n, dtype = len(signs), tiles[0][1].dtype
    begin, end = tiles[0][0], tiles[-1][0] + len(tiles[-1][1])
    along, across = np.zeros((3, end - begin)), np.zeros((3, n))
    largest, missing, weight, lightest, some = 0.0, 0, 0.0, np.inf, []
    upper, lower, columns = False, False, np.arange(n)
    rng = np.random.default_rng(begin)
    for first, D, W in tiles:
        for i in range(0, len(D), max(1, BLOCK // n)):
            block = np.array(D[i : i + max(1, BLOCK // n), 0], dtype=np.float64)
            at = np.arange(first + i, first + i + len(block))
            known = ~np.isnan(block)
            known[np.arange(len(block)), at] = False
            block = np.where(known, block, 0.0)
            if W is None:
                w = known.astype(np.float64)
            else:
                w = np.where(known, W[i : i + len(block), 0], 0.0)
            largest = max(largest, float(block.max(initial=0.0)))
            upper = upper or bool(block[columns > at[:, None]].any())
            lower = lower or bool(block[columns < at[:, None]].any())
            missing += block.size - len(block) - int(known.sum())
            weight += float(w.sum())
            lightest = min(lightest, float(np.min(w, where=w > 0.0, initial=np.inf)))
            for row, values in enumerate((known, block, w)):
                along[row, at - begin] = values @ signs
                across[row] += signs[at] @ values
        few = D[rng.integers(len(D), size=count), 0, rng.integers(n, size=count)]
        some.append(few[few > 0.0])
    drawn = np.concatenate(some)
    return Sight(dtype, largest, upper, lower, missing, drawn, weight, lightest, along, across)


def same(shared: Any) -> Any:
    """Return what all workers share: as the result of a task it is there for all of them."""
    return shared


# --- codes in place of distances ------------------------------------------------------------------


def sampled(tiles: Tiles, size: tuple[int, int]) -> Array:
    """Return the worker's share of a sample of positive distances: of n points, so many of all."""
    return coding.sampled(tiles, *size)


def cells(tiles: Tiles, how: tuple[float, Array]) -> Array:
    """Return the number of pairs in every cell of the range, each pair in one of its rows."""
    return coding.counted(tiles, False, how)


def told(tiles: Tiles, cutting: coding.Cutting) -> Array:
    """Return the distance, the weight and the number of all pairs of each code."""
    return np.asarray(sum(_coded(tile, cutting)[1] for tile in tiles))


def coded(tile: Tile, cutting: coding.Cutting) -> Tile:
    """Return the codes of some rows, with their weights."""
    first, _, W = tile
    return first, _coded(tile, cutting)[0], W


def _coded(tile: Tile, cutting: coding.Cutting) -> tuple[Array, Array]:
    first, D, _ = tile
    codes = np.empty((len(D), D.shape[2]), dtype=np.uint16)
    return codes[:, None], coding.tell([tile], False, cutting, codes, first)


@final
class LookedUp(Sequence[Tile]):
    """Tiles of codes, read as the numbers of these codes."""

    def __init__(self, tiles: Tiles, numbers: Array):
        self.tiles, self.numbers = tiles, numbers

    def __len__(self) -> int:
        return len(self.tiles)

    def __getitem__(self, number: Any) -> Any:
        first, codes, W = self.tiles[number]
        found = np.empty(codes.shape, dtype=self.numbers.dtype)
        coding.look_up(np.ascontiguousarray(codes[:, 0]), self.numbers, 0, found)
        return first, found, W


def through(function: Callable[..., Any], tiles: Tiles, sent: Any, *own: Any) -> Any:
    """Call another of these functions with tiles of codes, read as numbers that were sent."""
    numbers, shared = sent
    parts = () if shared is None else (shared,)
    return function(LookedUp(tiles, np.array(numbers)), *parts, *own)


# --- rounds ---------------------------------------------------------------------------------------


def moved(tiles: Tiles, X: Array, mover: Mover, free: Array | None, band: tuple[int, int]) -> Array:
    """Return the points of the worker's rows, placed one after the other."""
    X = np.array(X)  # its own, and one that may be written to
    for tile in tiles:
        mover(tile, X, np.ones(X.shape[1], dtype=bool) if free is None else free, band)
    begin, end = tiles[0][0], tiles[-1][0] + len(tiles[-1][1])
    return np.ascontiguousarray(X[:, begin:end])


def counted(tiles: Tiles, X: Array, count: Count) -> Array:
    """Return what is counted over the worker's rows."""
    return total(count, tiles, np.array(X))


def each(tiles: Tiles, shared: tuple[Any, ...], task: Callable[..., Work]) -> list[Work]:
    """Return what a task makes of each of the worker's tiles."""
    return [task(tile, *shared) for tile in tiles]


def taken(tiles: Tiles, columns: Array, rows: Array) -> tuple[Array, Array | None]:
    """Return some columns of some rows, in the order of `rows`, and their weights."""
    D = np.empty((len(rows), len(columns)), dtype=tiles[0][1].dtype)
    W = None if tiles[0][2] is None else np.empty((len(rows), len(columns)))
    for first, table, weights in tiles:
        at = np.flatnonzero((rows >= first) & (rows < first + len(table)))
        D[at] = gathered(table, rows[at] - first, columns)[:, 0]
        if W is not None and weights is not None:
            W[at] = gathered(weights, rows[at] - first, columns)[:, 0]
    return D, W


def reached(tiles: Tiles, before: Array) -> Array:
    """Return which of the worker's points are known to be near one of some points."""
    return np.concatenate([~np.isnan(D[:, 0, before]).all(axis=1) for _, D, _ in tiles])


def against(tiles: Tiles, columns: Array, rows: Array, task: RowWork) -> Array:
    """Return what a task makes of some rows' distances to `columns`, a column for each."""
    step = max(BLOCK // len(columns), 1)
    parts = (rows[i : i + step] for i in range(0, len(rows), step))
    return np.concatenate([task(*taken(tiles, columns, some)) for some in parts], axis=1)


def digested(tiles: Tiles) -> bytes:
    """Return a number for each row that changes with it, so that tiles of any size say the same."""
    return b"".join(
        _digest(D[i], None if W is None else W[i]) for _, D, W in tiles for i in range(len(D))
    )


def _digest(*parts: Array | None) -> bytes:
    hashed = blake2b(digest_size=16)
    for part in parts:
        if part is not None:
            hashed.update(np.ascontiguousarray(part).data)
    return hashed.digest()
