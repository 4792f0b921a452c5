"""A model of rounds on a cluster: fitted to measurements, simulated, and extrapolated.

A round of `unimds.cluster` makes two calls. In each, the points are sent out, all workers compute
at the same time, and their results come back. `Model` says how long each part takes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import nnls

K, BYTES = 2, 4
ROUNDS, STEPS, LANDMARKS = 300, 20, 10_000
TASK = 1e-3
"""Lower bound on the scheduler's seconds per task: two workers are too few to measure it."""

NETWORKS = {"1 Gbit/s": 1.25e8, "10 Gbit/s": 1.25e9, "100 Gbit/s": 1.25e10}
"""Bytes per second of one connection."""


@dataclass(frozen=True)
class Model:
    """How long a round takes.

    Attributes
    ----------
    sweep, cost : float
        Seconds per pair, to place points and to compute the cost.
    call : float
        Seconds that Dask takes to call all workers, whatever they do.
    task : float
        Seconds that it adds for each worker.
    """

    sweep: float
    cost: float
    call: float
    task: float

    def work(self, n: int, workers: int) -> tuple[float, float]:
        """Return a worker's seconds to place points and to compute the cost; all share equally."""
        return self.sweep * n * n / workers, self.cost * n * n / workers

    def reach(self, n: int, workers: int, network: float) -> float:
        """Return the seconds until a call has reached all workers.

        Points go to the scheduler, to a worker, and from worker to worker along a tree.
        """
        sent = n * K * BYTES / network * (2 + np.log2(workers))
        return float(self.call + self.task * workers + sent)

    def round(self, n: int, workers: int, network: float) -> float:
        """Return the seconds of a round: place, send the points back, compute the cost."""
        back = n * K * BYTES / network
        return sum(self.work(n, workers)) + 2 * self.reach(n, workers, network) + back


def fitted(measured: list[dict[str, Any]]) -> Model:
    """Return the model whose calls fit the measured rounds; work is as without a cluster."""
    large = max(measured, key=lambda row: row["n"])
    sweep, cost = large["sweep"] / large["n"] ** 2, large["cost"] / large["n"] ** 2
    bare = Model(sweep, cost, 0.0, 0.0)
    rest = [
        row["place"] + row["count"] - bare.round(row["n"], row["workers"], np.inf)
        for row in measured
    ]
    calls = [[2.0, 2.0 * row["workers"]] for row in measured]
    # relative to the round, or else the longest rounds would dominate
    weight = np.array([1.0 / (row["place"] + row["count"]) for row in measured])
    (call, task), _ = nnls(np.array(calls) * weight[:, None], np.array(rest) * weight)
    return Model(sweep, cost, float(call), max(float(task), TASK))


def simulated(model: Model, n: int, workers: int, rng: np.random.Generator) -> float:
    """Return the seconds of a round, event by event, on workers that are not equally fast.

    The scheduler sends one task after the other, a worker starts when the points have reached it,
    and the round is over when the last worker has answered.
    """
    total = 0.0
    for busy in model.work(n, workers):
        free, ends = model.call, []
        for _ in range(workers):
            free += model.task  # the scheduler does one thing at a time
            ends.append(free + busy * rng.lognormal(0.0, 0.03))
        total += max(ends)
    return total


def page(measured: list[dict[str, Any]]) -> list[str]:
    """Return the sections of the page on the model."""
    model, rng = fitted(measured), np.random.default_rng(0)
    lines = [
        "",
        "## A model",
        "",
        "A round takes the computing time of its slowest worker plus the time of two calls.",
        f"Placing takes {1e9 * model.sweep:.2f} ns per pair and the cost {1e9 * model.cost:.2f}",
        f"ns, as without a cluster. A call takes {1e3 * model.call:.1f} ms plus",
        f"{1e3 * model.task:.1f} ms per worker, fitted to the rounds above (at least",
        f"{1e3 * TASK:.0f} ms per worker: two workers are too few to measure it). The last column",
        "simulates the same rounds event by event, on workers that differ by 3 % in speed.",
        "",
        "| n | workers | measured, ms | model, ms | simulated, ms |",
        "|---:|---:|---:|---:|---:|",
    ]
    for row in measured:
        n, workers = row["n"], row["workers"]
        found = row["place"] + row["count"]
        drawn = np.mean([simulated(model, n, workers, rng) for _ in range(100)])
        lines.append(
            f"| {n:,} | {workers} | {1e3 * found:.0f} | "
            f"{1e3 * model.round(n, workers, np.inf):.0f} | {1e3 * drawn:.0f} |"
        )
    lines += overlap(model)
    lines += [
        "",
        "## Larger clusters, by the model",
        "",
        "Predictions of the model for clusters that we could not measure, k = 2. For 10⁵ points:",
        f"{ROUNDS} rounds over all pairs. For 10⁶: {LANDMARKS:,} landmarks are fitted in full on",
        f"one worker, and all other points are placed against them in {STEPS} steps of two passes.",
        "For 10⁷: as many landmarks are fitted in full, 10⁵ landmarks are placed against them, and",
        "then every point is placed against the first 10⁴ landmarks.",
        "",
        "| n | workers | memory per worker | " + " | ".join(NETWORKS) + " |",
        "|---:|---:|---:|" + "---:|" * len(NETWORKS),
    ]
    for n in (10**5, 10**6, 10**7):
        for workers in (8, 64, 512):
            times = " | ".join(told(seconds(model, n, workers, v)) for v in NETWORKS.values())
            lines.append(f"| {n:,} | {workers} | {memory(n, workers):.2g} GB | {times} |")
    return lines


def overlap(model: Model) -> list[str]:
    """Return the gain from computing the cost of a round while the next one is being placed."""
    lines = [
        "",
        "## Overlap",
        "",
        "The cost of a round is computed before the points of the next round are sent out. Sending",
        "them at once would hide at best one of the two calls of a round; the computing time would",
        "stay the same. Shares of a round by the model, with 10 Gbit/s:",
        "",
        "| n | workers | round, ms | computing | one call |",
        "|---:|---:|---:|---:|---:|",
    ]
    for n, workers in ((20_000, 1), (20_000, 2), (10**5, 8), (10**5, 64)):
        network = NETWORKS["10 Gbit/s"]
        whole = model.round(n, workers, network)
        shares = sum(model.work(n, workers)) / whole, model.reach(n, workers, network) / whole
        told = " | ".join(f"{100 * share:.0f} %" for share in shares)
        lines.append(f"| {n:,} | {workers} | {1e3 * whole:,.0f} | {told} |")
    return lines


def seconds(model: Model, n: int, workers: int, network: float) -> float:
    """Return the seconds of a whole fit."""
    if n <= 10**5:
        return ROUNDS * model.round(n, workers, network)
    landmarks = ROUNDS * (model.sweep + model.cost) * LANDMARKS**2
    first = 0 if n <= 10**6 else 10**5  # landmarks that are placed before all other points
    placed = 2 * STEPS * model.sweep * (n + first) * LANDMARKS / workers
    features = n * 50 * BYTES / network / workers + LANDMARKS * 50 * BYTES / network
    return float(landmarks + placed + features + model.call + model.task * workers)


def memory(n: int, workers: int) -> float:
    """Return the gigabytes that a worker holds."""
    rows = n * n if n <= 10**5 else n * 50 + LANDMARKS**2
    return rows * BYTES / workers / 1e9


def told(duration: float) -> str:
    """Return seconds in a readable unit."""
    return f"{duration:.0f} s" if duration < 120 else f"{duration / 60:.0f} min"
