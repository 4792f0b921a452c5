"""Measure PlaceCenter on Dask: rounds per second, bytes moved, and the overhead of the cluster.

Run it with ``make bench-dask``; it writes docs/scale-measured.md and docs/scale.json. Workers are
single-threaded processes, each pinned to a core. It needs ``python -P``, because the file has the
name of a package.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import time
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster, get_task_stream
from threadpoolctl import threadpool_limits

from unimds import losses, spaces
from unimds._runtime.watch import Watch
from unimds.cluster.read import spread_out
from unimds.distances.pairs import as_pairs
from unimds.placecenter.problem import Problem

sys.path.append(str(Path(__file__).parent))  # last: see above

import scale

DOCS = Path(__file__).parents[1] / "docs"
SIZES = (2_000, 5_000, 10_000, 20_000)
WORKERS = (1, 2)
ROUNDS = 24


def pin(workers: list[str], dask_worker: Any) -> None:
    """Pin a worker to a core; runs on the worker."""
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[workers.index(dask_worker.address) % len(cores)]})


def rows(block: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return rows of distances of points in the plane."""
    at = block[:, 0].astype(int)
    return np.hypot(*(points[at, None] - points[None]).T).T.astype(np.float32)


def table(n: int) -> da.Array:
    """Return a float32 table that workers compute themselves."""
    points = np.random.default_rng(0).random((n, 2))
    step = max(1, 2**21 // n)
    chunks = tuple(np.diff([*range(0, n, step), n]))
    index = da.arange(n, chunks=(chunks,))[:, None]
    return da.map_blocks(
        rows, index, points, chunks=(chunks, (n,)), dtype=np.float32, meta=np.empty((0, 0), "f4")
    )


def seconds_of(problem: Problem, X: np.ndarray) -> tuple[float, float]:
    """Return the shortest time to place all points, and to compute the cost."""
    placing, counting = [], []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        problem.sweep(X, problem.frame.loss, problem.frame.space, 1, 0.0)
        placed = time.perf_counter()
        problem.costs(X, problem.frame.loss, problem.frame.space)
        placing.append(placed - began)
        counting.append(time.perf_counter() - placed)
    return min(placing), min(counting)


def start(n: int) -> np.ndarray:
    """Return points to place."""
    return np.random.default_rng(1).random((2, n)).astype(np.float32)


def in_memory(n: int) -> tuple[float, float]:
    """Return the time of a sweep and of the cost without a cluster, on one core."""
    D = table(n).compute(scheduler="synchronous")
    problem = Problem.make(as_pairs(D), losses.Squared(), spaces.Euclidean(), 2)
    return seconds_of(problem, start(n))


def moved_bytes(client: Client) -> int:
    """Return the bytes that all workers have received from each other so far."""

    def received(dask_worker: Any) -> int:
        return sum(int(entry["total"]) for entry in dask_worker.transfer_incoming_log)

    return sum(client.run(received).values())


def busy_seconds(stream: list[dict[str, Any]], name: str) -> float:
    """Return the computing time of the slowest worker in the fastest of all calls."""
    calls: dict[str, float] = {}
    for task in stream:
        call = str(task["key"]).rpartition("-")[0]
        if call.startswith(f"unimds-{name}-"):
            spans = (s["stop"] - s["start"] for s in task["startstops"] if s["action"] == "compute")
            calls[call] = max(calls.get(call, 0.0), sum(spans))
    return min(calls.values())


def on_cluster(n: int, client: Client) -> dict[str, float]:
    """Return the time of a round and the bytes that it moves."""
    spread = spread_out(table(n), client, None, None, None, Watch(None, 0, 1e-7))
    problem = Problem.make(spread, losses.Squared(), spaces.Euclidean(), 2)
    problem.sweep(start(n), problem.frame.loss, problem.frame.space, 1, 0.0)  # compiled
    before = moved_bytes(client)
    with get_task_stream(client) as stream:
        placing, counting = seconds_of(problem, start(n))
    busy = busy_seconds(stream.data, "place") + busy_seconds(stream.data, "count")
    between = (moved_bytes(client) - before) / ROUNDS
    bands = len(spread.table.bands)
    sent = 2 * n * 2 * 4 + bands * 2 * n // bands * 4  # points out twice, and back once
    return {
        "place": placing,
        "count": counting,
        "busy": busy,
        "between workers": between,
        "by client": sent,
    }


def main() -> None:
    """Measure, and write the page."""
    measured = []
    with threadpool_limits(1):
        for n in SIZES:
            sweep, cost = in_memory(n)
            for count in WORKERS:
                with (
                    LocalCluster(
                        n_workers=count, threads_per_worker=1, dashboard_address=":0",
                        memory_limit=0,
                    ) as cluster,
                    Client(cluster) as client,
                ):  # fmt: skip
                    client.run(pin, sorted(client.scheduler_info()["workers"]))
                    row = {"n": n, "workers": count, "sweep": sweep, "cost": cost}
                    measured.append({**row, **on_cluster(n, client)})
                    print(measured[-1], flush=True)
    (DOCS / "scale.json").write_text(json.dumps(measured, indent=1) + "\n")
    lines = [*page(measured), *scale.page(measured)]
    (DOCS / "scale-measured.md").write_text("\n".join(lines) + "\n")


def page(measured: list[dict[str, float]]) -> list[str]:
    """Return the page."""
    lines = [
        "# Cluster benchmarks",
        "",
        f"Written by `make bench-dask` (Python {platform.python_version()}, {platform.machine()},",
        f"{os.cpu_count()} cores); do not edit. A round places all points and computes the cost.",
        "Workers are single-threaded processes, each pinned to a core. Squared loss, k = 2,",
        f"float32. Times are the shortest of {ROUNDS} rounds. *Relative time* is the time of a",
        "round divided by the time without a cluster, on one core. *Idle* is the share of a round",
        "in which even the slowest worker waits for Dask or the network. The last two columns are",
        "the data that a round moves between workers and by the client: points, never distances.",
        "",
        "| n | workers | rounds per second | relative time | idle | between workers | client |",
        "|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for row in measured:
        round_, alone = row["place"] + row["count"], row["sweep"] + row["cost"]
        lines.append(
            f"| {row['n']:,} | {row['workers']} | {1 / round_:.1f} | {round_ / alone:.2f}× | "
            f"{100 * (1 - row['busy'] / round_):.0f} % | "
            f"{row['between workers'] / 1e6:.2f} MB | {row['by client'] / 1e6:.2f} MB |"
        )
    return lines


if __name__ == "__main__":
    main()
