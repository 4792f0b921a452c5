"""Where a cluster finds its rows: dask arrays, features, and stores that workers read."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds._extras import require
from unimds._warn import warn
from unimds.cluster import work
from unimds.cluster.health import STUCK, Need, check_memory, present
from unimds.cluster.sending import submit
from unimds.cluster.spread import Band, Reader, Spread
from unimds.faults import check_range
from unimds.table import Apart, Computed, is_dask
from unimds.watch import Watch

Array = NDArray[Any]

TILES, TILE_BYTES = 32, 2**22
"""Parts in which a band is read, checked and given away: what needs a copy needs one of a part."""

SAMPLE = 50_000


def present_client() -> Any:
    """Return the client of the present cluster, if there is one."""
    try:
        return require("distributed", "dask").get_client()
    except ValueError:
        return None


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
) -> Spread:
    """Read a table into the memory of a cluster, check it there, and describe it.

    `D` is a dask array of distances, a dask table of them, or `Apart`, computed from features.
    """
    n = _checked_shape(D)
    bands = _bands(n, client)
    if isinstance(D, Apart):
        kind, read = dtype or D.computed.dtype, _measuring(D.computed, client, dtype)
    else:
        table = _by_rows(as_array(D), "D", watch)
        W = None if weights is None else _by_rows(as_array(weights), "weights", watch)
        if W is not None and W.shape != table.shape:
            raise ValueError(
                f"weights must have the shape of the distances, {table.shape}; got {W.shape}"
            )
        kind, read = dtype or table.dtype, _reading(table, W, client, dtype)
    need = _need(bands, kind, weights is not None)
    check_memory(client, need)
    watch.say(f"Reading {n:,} rows into {len(bands)} bands …")
    free = np.ones(n, dtype=bool) if free is None else free
    held = [read(*band) for band in bands]
    blank = Spread(client, held, free, None, 1.0, 0.0, 0, weights is not None, 0.0, 0.0, need, read)
    return _described(blank)


def as_array(D: Any) -> Any:
    """Return a dask array with a known shape."""
    array = require("dask.array", "dask")
    if hasattr(D, "to_dask_array"):
        return D.to_dask_array(lengths=True)
    if not is_dask(D):
        return array.from_array(np.asarray(D), chunks=(max(1, len(D) // 16), -1))
    if any(np.isnan(size) for size in D.shape):
        D = D.compute_chunk_sizes()
    return D


def _checked_shape(D: Any) -> int:
    shape = D.shape if isinstance(D, Apart) else as_array(D).shape
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ValueError(
            f"D must be a square table of distances; its shape is {shape}. "
            "For a table of features use MDS with another metric than 'precomputed'"
        )
    if shape[0] == 0:
        raise ValueError("D is empty: at least one point is needed")
    return int(shape[0])


def _by_rows(table: Any, name: str, watch: Watch) -> Any:
    """Return the array with whole rows in its chunks."""
    if table.dtype.kind not in "fiub":
        raise ValueError(f"{name} must hold numbers only; the type is {table.dtype}")
    if len(table.chunks[1]) > 1:
        warn(
            f"{name} has {len(table.chunks[1])} chunks a row: they are joined, which sends the "
            f"table over the network once; store it with whole rows, {name}.rechunk({{1: -1}})",
            UserWarning,
        )
    return table


def _bands(n: int, client: Any) -> list[tuple[int, int, str]]:
    """Return rows for every thread of every worker: an even number, but for the last."""
    if not present(client):
        client.wait_for_workers(1, timeout=STUCK)
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
        rows = tuple(j - i for i, j in tiles)
        blocks, weights = (
            [None] * len(tiles)
            if part is None
            else part[begin:end].rechunk((rows, -1)).to_delayed().ravel()
            for part in (table, W)
        )
        tasks = [
            delayed(work.laid_out, pure=False)(i, D, w, dtype)
            for (i, _), D, w in zip(tiles, blocks, weights, strict=True)
        ]
        futures = client.compute(tasks, workers=[worker], allow_other_workers=True)
        return Band(begin, end, worker, futures)

    return read


def _measuring(table: Computed, client: Any, dtype: str | None) -> Reader:
    """Return what has a worker compute some rows from the features of all points."""
    kind, n = np.dtype(dtype or table.dtype), len(table.features)
    features = submit(client, work.same, table.features, pure=False)

    def read(begin: int, end: int, worker: str) -> Band:
        futures = [
            client.submit(
                work.measured,
                i,
                j,
                features,
                table.distance,
                kind.name,
                workers=[worker],
                allow_other_workers=True,
                pure=False,
            )
            for i, j in _tiles(begin, end, n, kind.itemsize)
        ]
        return Band(begin, end, worker, futures)

    return read


def _described(blank: Spread) -> Spread:
    """Look at all rows once, and refuse what is not symmetric or not connected."""
    n = blank.n
    signs = np.random.default_rng(0).choice([-1.0, 1.0], size=n)
    count = max(1, SAMPLE // sum(len(band.tiles) for band in blank.bands))
    sights = blank.run("look", work.seen, signs, [(count,)] * len(blank.bands))
    largest = max(sight.largest for sight in sights)
    some = np.concatenate([sight.some for sight in sights])
    typical = float(np.median(some)) if some.size else max(largest, 0.0) or 1.0
    missing = sum(sight.missing for sight in sights)
    dtype = sights[0].dtype
    check_range(largest, typical, "D")
    _check_symmetric(sights, largest, dtype)
    known = n * (n - 1) - missing
    lightest = min(sight.lightest for sight in sights)
    spread = Spread(
        blank.client,
        blank.bands,
        blank.free,
        dtype,
        typical,
        largest,
        missing,
        blank.weighted,
        sum(sight.weight for sight in sights) / 2,
        (lightest if np.isfinite(lightest) else 1.0) * known / 2,
        blank.need,
        blank.read,
    )
    if missing:
        _check_connected(spread)
    return spread


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
    rounding = 4.0 * n * np.finfo(dtype).eps
    heaviest = max(np.abs(along[2]).max(initial=0.0), 1.0)
    for row, (what, allowed, wrong) in enumerate(
        (
            ("a pair of row {0} of D is", 0.0, ONE_WAY),
            ("row {0} of D is", rounding * max(largest, 1e-300), ASYMMETRIC),
            ("row {0} of weights is", 1e-9 * heaviest, UNEVEN),
        )
    ):
        found = np.flatnonzero(apart[row] > allowed)
        if found.size:
            raise ValueError(f"{what} {wrong}".format(found[0]))


def _check_connected(spread: Spread) -> None:
    """Refuse points that no known pairs and no anchors join."""
    near = ~spread.free if not spread.free.all() else np.arange(spread.n) == 0
    while True:
        found = spread.run("reach", work.reached, near)
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


# --- stores -------------------------------------------------------------------------------------


def read_rows(path: str | os.PathLike[str]) -> Any:
    """Open a table that workers read themselves: a Zarr store, Parquet files, or .npy row blocks.

    Parameters
    ----------
    path : str or PathLike
        A Zarr array (a folder that ends in .zarr), one or a folder of Parquet files, or a folder
        of .npy files, each with some of the rows, in the order of their names.

    Returns
    -------
    dask.array.Array
        The table; nothing of it is read yet.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     for i in range(2):
    ...         np.save(Path(folder, f"rows-{i}.npy"), np.zeros((3, 6)))
    ...     print(read_rows(folder).shape)
    (6, 6)
    """
    place = Path(path)
    if not place.exists():
        raise FileNotFoundError(f"{place} is not there")
    if place.suffix == ".zarr" or any((place / name).exists() for name in (".zarray", "zarr.json")):
        require("zarr", "dask")
        return require("dask.array", "dask").from_zarr(str(place))
    if place.suffix == ".parquet" or any(place.glob("*.parquet")):
        frame = require("dask.dataframe", "dask").read_parquet(str(place))
        return frame.select_dtypes("number").to_dask_array(lengths=True)
    blocks = sorted(place.glob("*.npy")) if place.is_dir() else []
    if not blocks:
        raise ValueError(
            f"{place} holds no table for a cluster: it needs a Zarr array, Parquet files, or a "
            "folder of .npy files with some rows each"
        )
    return _npy_blocks(blocks)


def _npy_blocks(paths: list[Path]) -> Any:
    dask, array = require("dask", "dask"), require("dask.array", "dask")
    heads = [np.load(path, mmap_mode="r") for path in paths]
    for path, head in zip(paths, heads, strict=True):
        if head.ndim != 2 or head.shape[1] != heads[0].shape[1]:
            raise ValueError(
                f"{path} has the shape {head.shape}, but rows of {heads[0].shape[1]} columns are "
                f"needed, as in {paths[0].name}"
            )
    load = dask.delayed(np.load, pure=True)
    return array.concatenate(
        [
            array.from_delayed(load(str(path)), shape=head.shape, dtype=head.dtype)
            for path, head in zip(paths, heads, strict=True)
        ]
    )
