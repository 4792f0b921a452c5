"""``unimds embed --dask``: the same map, computed by the workers of a cluster."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unimds._runtime.extras import require
from unimds.cli.inputs import check_suits
from unimds.cli.messages import say

if TYPE_CHECKING:
    from unimds.files import Table

LOCAL = "local"


@contextmanager
def connected(address: str | None, quiet: bool) -> Iterator[None]:
    """Connect to a scheduler, or start workers on this machine; close everything at the end."""
    if address is None:
        yield
        return
    distributed = require("distributed", "dask")
    cluster: Any = None
    if address == LOCAL:
        cluster = distributed.LocalCluster(
            threads_per_worker=1, dashboard_address=":0", silence_logs=logging.CRITICAL
        )
    try:
        client = distributed.Client(address if cluster is None else cluster, timeout="10s")
    except (OSError, TimeoutError, ValueError) as error:
        raise ValueError(
            f"no Dask scheduler answers at {address} ({error}); start one with `dask scheduler` "
            "and workers with `dask worker`, or use --dask local"
        ) from None
    try:
        if not quiet:
            say(f"Dask: {client.dashboard_link}")
        yield
    finally:
        client.close()
        if cluster is not None:
            cluster.close()


def is_store(file: str) -> bool:
    """Return whether the workers can read a table themselves: a folder, or a Zarr store."""
    return Path(file).is_dir()


def open_store(file: str, kind: str, metric: str) -> Table:
    """Return a table whose values are not read yet: distances if it is square, else points."""
    from unimds.cluster import read_rows
    from unimds.files import Table

    if kind in ("pairs", "graph"):
        raise ValueError(
            f"{file} is a folder, which holds distances or points for the workers, not {kind}"
        )
    values = read_rows(file)
    format = Path(file).suffix.lstrip(".") or "npy"
    square = values.ndim == 2 and values.shape[0] == values.shape[1]
    table = Table(values, "distances", format, "square")
    if kind == "points" or (kind == "auto" and not square):
        table = Table(values, "points", format, "rows")
    check_suits(table, file, metric)
    return table


def spread(values: Any) -> Any:
    """Return a table in memory as a Dask array."""
    array = require("dask.array", "dask")
    return values if hasattr(values, "dask") else array.from_array(values, chunks=("auto", -1))
