"""What may happen to a cluster: answers are waited for as long as they can come, and no longer."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, final

from unimds._runtime.extras import require

LOOK = 2.0
"""Seconds without an answer after which one looks at the workers."""

STUCK = 60.0
"""Seconds for which no worker may compute: paused ones may go on, and lost ones come back."""

TERMINATE = 0.95
"""Share of its memory at which Dask ends a worker, unless told otherwise."""

KEPT = "With a checkpoint, the same call goes on from the last round"


class ClusterError(OSError):
    """A cluster that cannot go on; the message says why, and what is kept."""


class AdriftError(Exception):
    """Rows are lost with their workers, and Dask will not read them again by itself."""


@final
@dataclass(frozen=True)
class Need:
    """The memory that rows take: bytes of every worker, and whether they are float32 already."""

    bytes: Mapping[str, int]
    single: bool

    def __str__(self) -> str:
        rounded = "" if self.single else 'dtype="float32", '
        return (
            f"the rows of the table take {_size(max(self.bytes.values()))} a worker: use more "
            f"workers or more memory for each, {rounded}or landmarks (LandmarkMDS)"
        )


def check_memory(client: Any, need: Need) -> None:
    """Refuse rows that the memory of their workers cannot hold."""
    workers = present(client)
    for address, rows in need.bytes.items():
        limit = workers[address]["memory_limit"] if address in workers else 0
        if limit and rows > TERMINATE * limit:
            raise ClusterError(f"worker {address} may use {_size(limit)} of memory, but {need}")


def present(client: Any) -> dict[str, Any]:
    """Return what the scheduler knows of its workers; it must answer within `STUCK` seconds."""
    told = client.sync(client.scheduler.identity, n_workers=-1, callback_timeout=STUCK)
    found: dict[str, Any] = told["workers"]
    return found


def awaited(client: Any) -> dict[str, Any]:
    """Return what the scheduler knows of its workers, once there is one."""
    if not present(client):
        try:
            client.wait_for_workers(1, timeout=STUCK)
        except TimeoutError:
            raise ClusterError("the cluster has no workers: start some") from None
    return present(client)


def answers(
    client: Any, send: Callable[[], tuple[list[Any], Collection[str]]], need: Need
) -> list[Any]:
    """Return the results of the tasks that `send` submits, or raise in words that help.

    It says which workers they are meant for, too. A worker whose memory is full is paused by Dask,
    and one that is lost may come back; where nothing is computed meanwhile, they are waited for
    `STUCK` seconds.
    """
    distributed = require("distributed", "dask")
    with _within_reach(distributed, client):
        futures, hosts = send()
        try:
            _wait(distributed, client, futures, hosts, need)
        except TimeoutError:  # whom one could tell does not answer
            raise
        except BaseException:
            client.cancel(futures)
            raise
        failed = next((future for future in futures if future.status == "error"), None)
        if failed is None:
            return list(client.gather(futures))
        error = failed.exception()
    raise _explained(distributed, error, need)


@contextmanager
def _within_reach(distributed: Any, client: Any) -> Iterator[None]:
    """Say in words that help where the cluster is gone, or what it held."""
    gone = (OSError, CancelledError, distributed.client.ClosedClientError)
    try:
        yield
    except ClusterError:
        raise
    except gone as error:
        if isinstance(error, CancelledError) and client.status == "running":
            raise AdriftError from error
        reason = " ".join(str(error).split()) or type(error).__name__
        raise ClusterError(
            f"the cluster does not answer ({reason}): is it still there? {KEPT}, on any cluster"
        ) from error


def _wait(
    distributed: Any, client: Any, futures: list[Any], hosts: Collection[str], need: Need
) -> None:
    """Wait until all tasks have ended; raise where they cannot."""
    moved, done = time.monotonic(), 0
    while True:
        try:
            distributed.wait(futures, timeout=LOOK)
            return
        except TimeoutError:
            workers, before = present(client), done
        done = sum(future.done() for future in futures)
        if done > before or _busy(workers):
            moved = time.monotonic()
        idle = time.monotonic() - moved
        paused = [address for address, told in workers.items() if told["status"] == "paused"]
        if idle > STUCK and not workers:
            raise ClusterError(f"the cluster has had no workers for {STUCK:.0f} s. {KEPT}")
        if idle > STUCK and paused:
            limit = _size(workers[paused[0]]["memory_limit"])
            raise ClusterError(
                f"worker {paused[0]} has been paused for {STUCK:.0f} s as its memory, {limit}, is "
                f"full: {need}. {KEPT}"
            )
        # tasks that are meant for a worker that is gone wait for it where all others were gone too
        waiting = LOOK if set(hosts) - set(workers) else STUCK
        if idle > waiting and workers and not paused:
            raise AdriftError


def _busy(workers: Mapping[str, Any]) -> bool:
    """Whether some worker computes or receives something."""
    counts = [told["metrics"].get("task_counts", {}) for told in workers.values()]
    return any(count.get(state) for count in counts for state in ("executing", "flight"))


def _explained(distributed: Any, error: Exception, need: Need) -> Exception:
    """Return what was raised on a worker, in words that help where memory is short."""
    if isinstance(error, distributed.scheduler.KilledWorker):
        worker = error.last_worker
        return lost_again(worker.address, worker.memory_limit, need)
    if isinstance(error, MemoryError):
        return ClusterError(f"a worker has no memory left ({error}): {need}. {KEPT}")
    return error


def lost_again(worker: str, limit: int, need: Need) -> ClusterError:
    """Return the error of workers that do not live long enough; `worker` was the last one."""
    memory = f"its memory, {_size(limit)}," if limit else "its memory"
    return ClusterError(
        f"workers died again and again, the last one was {worker}: most likely {memory} is too "
        f"small, as {need}. {KEPT}"
    )


def _size(count: float) -> str:
    """Return bytes in a unit for people."""
    return str(require("dask.utils", "dask").format_bytes(int(count)))
