"""How a cluster gets its rows: from dask arrays and tables, or measured from features."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.extras import require
from unimds._runtime.watch import Watch, warn
from unimds.cluster import work
from unimds.cluster.health import ClusterError, Need, awaited, check_memory, present
from unimds.cluster.sending import submit
from unimds.cluster.spread import Band, Reader, SpreadTable
from unimds.distances.inputs import as_float
from unimds.distances.pairs import Pairs, Weighing
from unimds.distances.table import ComputedTable
from unimds.distances.validate import check_not_triangular, check_range, check_square, rounding

Array = NDArray[Any]

TILES, TILE_BYTES = 32, 2**22
"""Parts in which a band is read, checked and given away: what needs a copy needs one of a part."""

SAMPLE = 50_000


def present_client() -> Any:
    """Return the client of the present cluster, if there is one, once it has workers."""
    try:
        client = require("distributed", "dask").get_client()
    except ValueError:
        return None
    if client.status != "running":
        raise ClusterError(f"the Dask client is {client.status}: open another one")
    awaited(client)
    return client


@contextmanager
def any_client(watch: Watch) -> Iterator[Any]:
    """Give the client of the present cluster, or one of threads in this process for a while."""
    distributed = require("distributed", "dask")
    client = present_client()
    if client is not None:
        yield client
        return
    watch.say("No Dask client: using threads of this process …")
    threads = os.cpu_count()
    with distributed.Client(
        processes=False,
        n_workers=1,
        threads_per_worker=threads,
        dashboard_address=":0",
        silence_logs=logging.CRITICAL,  # errors reach the caller anyway
    ) as client:
        yield client


def spread_out(
    D: Any, client: Any, weights: Any, free: Array | None, dtype: str | None, watch: Watch
) -> Pairs:
    """Read a table into the memory of a cluster, check it there, and describe it.

    `D` is a dask array of distances, a dask table of them, or computed from features.
    """
    table = D if isinstance(D, ComputedTable) else as_dask_square(D)
    n = table.shape[0]
    W = None if weights is None else _by_rows(as_array(weights, "weights"), "weights")
    if W is not None and W.shape != (n, n):
        raise ValueError(f"weights must have the shape of the distances, {(n, n)}; got {W.shape}")
    bands = _bands(n, client)
    if isinstance(table, ComputedTable):
        read = _measuring(table, W, client, dtype)
    else:
        read = _reading(_by_rows(table, "D"), W, client, dtype)
    need = _need(bands, dtype or table.dtype, W is not None)
    check_memory(client, need)
    watch.say(f"Reading {n:,} rows into {len(bands)} bands …")
    held = [read(*band) for band in bands]
    blank = SpreadTable(client, held, None, W is not None, need, read)
    return _described(blank, np.ones(n, dtype=bool) if free is None else free)


def as_array(D: Any, name: str) -> Any:
    """Return a dask array of numbers, with a known shape."""
    array = require("dask.array", "dask")
    if hasattr(D, "to_dask_array"):
        for column, kind in D.dtypes.items():
            if getattr(kind, "kind", "O") not in "fiub":
                raise ValueError(
                    f"{name} has a column of text, {column!r}: only numbers are distances; drop it"
                )
        D = D.to_dask_array(lengths=True)
    elif not isinstance(D, array.Array):
        values = as_float(D, name)
        D = array.from_array(values, chunks=(max(1, len(values) // 16), *values.shape[1:]))
    if any(np.isnan(size) for size in D.shape):
        D = D.compute_chunk_sizes()
    if D.dtype.kind not in "fiub":
        raise ValueError(f"{name} must hold numbers only; the type is {D.dtype}")
    return D


def as_dask_square(D: Any) -> Any:
    """Return a square dask array of numbers."""
    table = as_array(D, "D")
    check_square(table.shape, "D")
    if len(table) == 0:
        raise ValueError("D is empty: at least one point is needed")
    return table


def _by_rows(table: Any, name: str) -> Any:
    """Return the array; warn where its chunks do not hold whole rows."""
    if len(table.chunks[1]) > 1:
        warn(
            f"{name} has {len(table.chunks[1])} chunks a row: they are joined, which sends the "
            f"table over the network once; store it with whole rows, {name}.rechunk({{1: -1}})",
            UserWarning,
        )
    return table


def _bands(n: int, client: Any) -> list[tuple[int, int, str]]:
    """Return rows for every thread of every worker: an even number, but for the last."""
    workers = present(client)
    seats = [name for name, told in sorted(workers.items()) for _ in range(told["nthreads"])]
    share = max(2 * int(np.ceil(n / len(seats) / 2)), 2)
    edges = [*range(0, n, share), n]
    return [(edges[i], edges[i + 1], seats[i]) for i in range(len(edges) - 1)]


def _need(bands: list[tuple[int, int, str]], dtype: Any, weighted: bool) -> Need:
    """Return the memory that the rows take, and their weights."""
    n, single = bands[-1][1], np.dtype(dtype) == np.float32
    entry = (4 if single else 8) + (8 if weighted else 0)
    taken: dict[str, int] = {}
    for begin, end, worker in bands:
        taken[worker] = taken.get(worker, 0) + (end - begin) * n * entry
    return Need(taken, single)


def _tiles(begin: int, end: int, n: int, itemsize: int) -> list[tuple[int, int]]:
    step = max(2, TILE_BYTES // (n * itemsize) // 2 * 2, (end - begin) // TILES // 2 * 2)
    return [(i, min(i + step, end)) for i in range(begin, end, step)]


def _reading(table: Any, W: Any, client: Any, dtype: str | None) -> Reader:
    """Return what has a worker read, or compute, some rows."""
    delayed, n = require("dask", "dask").delayed, len(table)

    def read(begin: int, end: int, worker: str) -> Band:
        tiles = _tiles(begin, end, n, table.dtype.itemsize)
        tasks = [
            delayed(work.laid_out, pure=False)(i, D, weights, dtype)
            for (i, _), D, weights in zip(
                tiles, _blocks(table, tiles), _blocks(W, tiles), strict=True
            )
        ]
        futures = client.compute(tasks, workers=[worker], allow_other_workers=True)
        return Band(begin, end, worker, futures)

    return read


def _measuring(table: ComputedTable, W: Any, client: Any, dtype: str | None) -> Reader:
    """Return what has a worker compute some rows from the features of all points."""
    delayed, kind = require("dask", "dask").delayed, np.dtype(dtype or table.dtype)
    features = submit(client, work.same, table.features, pure=False)

    def read(begin: int, end: int, worker: str) -> Band:
        tiles = _tiles(begin, end, len(table.features), kind.itemsize)
        measure = delayed(work.measured, pure=False)
        tasks = [
            measure(i, j, features, table.metric, weights, kind.name)
            for (i, j), weights in zip(tiles, _blocks(W, tiles), strict=True)
        ]
        futures = client.compute(tasks, workers=[worker], allow_other_workers=True)
        return Band(begin, end, worker, futures)

    return read


def _blocks(table: Any, tiles: list[tuple[int, int]]) -> Any:
    """Return the rows of each tile, not computed yet; or None for each, where there is no table."""
    if table is None:
        return [None] * len(tiles)
    rows = tuple(j - i for i, j in tiles)
    return table[tiles[0][0] : tiles[-1][1]].rechunk((rows, -1)).to_delayed().ravel()


def _described(table: SpreadTable, free: Array) -> Pairs:
    """Look at all rows once, and refuse what is not symmetric or not connected."""
    n = table.n
    signs = np.random.default_rng(0).choice([-1.0, 1.0], size=n)
    count = max(1, SAMPLE // sum(len(band.tiles) for band in table.bands))
    sights = table.run("look", work.seen, signs, [(count,)] * len(table.bands))
    table.dtype = sights[0].dtype
    largest = max(sight.largest for sight in sights)
    some = np.concatenate([sight.some for sight in sights])
    typical = float(np.median(some)) if some.size else max(largest, 0.0) or 1.0
    missing = sum(sight.missing for sight in sights)
    check_range(largest, typical, "D")
    halves = (any(sight.upper for sight in sights), any(sight.lower for sight in sights))
    check_not_triangular(*halves, n, "D")
    _check_symmetric(sights, largest, table.dtype)
    known = n * (n - 1) - missing
    if n > 1 and not known and free.any():
        raise ValueError("D has no known pair: all are missing (NaN) or have weight 0")
    if missing:
        _check_connected(table, free)
    lightest = min(sight.lightest for sight in sights)
    light = (lightest if np.isfinite(lightest) else 1.0) * known / 2
    weighing = Weighing(sum(sight.weight for sight in sights) / 2, light, missing == 0)
    return Pairs(table, free, typical, largest, missing, weighing)


ONE_WAY = "known in one direction only: use D = da.where(da.isnan(D), D.T, D)"
UNEVEN = "not column {0}: both directions need the same weight, use W = (W + W.T) / 2"
ASYMMETRIC = (
    "not column {0}: a table on a cluster must be symmetric. Use D = (D + D.T) / 2, which for the "
    "squared loss gives the same map, or fit the table in one memory"
)


def _check_symmetric(sights: list[work.Sight], largest: float, dtype: Any) -> None:
    """Compare the table times a vector of signs with its transpose times it.

    They differ where the table is not symmetric, for all but a few vectors; and no rows need to
    be sent to where the columns are. Taking both directions, as one memory does, would need every
    column beside its row: the table twice, and once over the network.
    """
    along = np.concatenate([sight.along for sight in sights], axis=1)
    across = np.sum([sight.across for sight in sights], axis=0)
    n, apart = along.shape[1], np.abs(along - across)
    # what counts as rounding in every pair, added up with random signs
    same = 4.0 * np.sqrt(n) * rounding(dtype) * max(largest, 1e-300)
    heaviest = max(np.abs(along[2]).max(initial=0.0), 1.0)
    for row, (what, allowed, wrong) in enumerate(
        (
            ("a pair of row {0} of D is", 0.0, ONE_WAY),
            ("row {0} of D is", same, ASYMMETRIC),
            ("row {0} of weights is", 1e-9 * heaviest, UNEVEN),
        )
    ):
        found = np.flatnonzero(apart[row] > allowed)
        if found.size:
            raise ValueError(f"{what} {wrong}".format(found[0]))


def _check_connected(table: SpreadTable, free: Array) -> None:
    """Refuse points that no known pairs and no anchors join."""
    near = ~free if not free.all() else np.arange(table.n) == 0
    while True:
        found = table.run("reach", work.reached, near)
        wider = np.concatenate(found) | near
        if (wider == near).all():
            break
        near = wider
    if not near.all():
        raise ValueError(
            f"the known pairs of D fall into groups with nothing between them: {near.sum():,} "
            f"points hang together with the first, {(~near).sum():,} do not; their places relative "
            "to each other are not determined: add distances or embed each group alone"
        )
