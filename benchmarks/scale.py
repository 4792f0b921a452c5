"""A model of rounds on a cluster: fitted to what was measured, simulated, and carried on.

`unimds.cluster` does three things in a round, twice: the points go out, all workers compute at the
same time, and what they found comes back. `Model` says how long each takes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import nnls

K, BYTES = 2, 4
ROUNDS, STEPS, LANDMARKS = 300, 20, 10_000
TASK = 1e-3
"""Seconds of the scheduler for a task, at least: two workers are too few to tell."""

NETWORKS = {"1 Gbit/s": 1.25e8, "10 Gbit/s": 1.25e9, "100 Gbit/s": 1.25e10}
"""Bytes a second of one connection."""


@dataclass(frozen=True)
class Model:
    """How long a round takes.

    Attributes
    ----------
    sweep, cost : float
        Seconds a pair, to place and to count.
    call : float
        Seconds that Dask takes for a call of all workers, whatever they do.
    task : float
        Seconds that it takes for each of them.
    """

    sweep: float
    cost: float
    call: float
    task: float

    def work(self, n: int, workers: int) -> tuple[float, float]:
        """Return the seconds of a worker: to place, and to count. All have as much to do."""
        return self.sweep * n * n / workers, self.cost * n * n / workers

    def reach(self, n: int, workers: int, network: float) -> float:
        """Return the seconds in which a call reaches all workers.

        Points go to the scheduler, to a worker, and from worker to worker as in a tree.
        """
        sent = n * K * BYTES / network * (2 + np.log2(workers))
        return float(self.call + self.task * workers + sent)

    def round(self, n: int, workers: int, network: float) -> float:
        """Return the seconds of a round: placing, after which points come back, and counting."""
        back = n * K * BYTES / network
        return sum(self.work(n, workers)) + 2 * self.reach(n, workers, network) + back


def fitted(measured: list[dict[str, Any]]) -> Model:
    """Return the model whose calls fit the measured rounds; work is that of one memory."""
    large = max(measured, key=lambda row: row["n"])
    sweep, cost = large["sweep"] / large["n"] ** 2, large["cost"] / large["n"] ** 2
    bare = Model(sweep, cost, 0.0, 0.0)
    rest = [
        row["place"] + row["count"] - bare.round(row["n"], row["workers"], np.inf)
        for row in measured
    ]
    calls = [[2.0, 2.0 * row["workers"]] for row in measured]
    # relative to the round: else only the longest would count
    weight = np.array([1.0 / (row["place"] + row["count"]) for row in measured])
    (call, task), _ = nnls(np.array(calls) * weight[:, None], np.array(rest) * weight)
    return Model(sweep, cost, float(call), max(float(task), TASK))


def simulated(model: Model, n: int, workers: int, rng: np.random.Generator) -> float:
    """Return the seconds of a round, event by event, on workers that are not equally fast.

    A worker begins when the points have reached it, one task after the other leaves the scheduler,
    and the round is over when the last one has answered.
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
    """Return what the model says, as a page's section."""
    model, rng = fitted(measured), np.random.default_rng(0)
    lines = [
        "",
        "## A model",
        "",
        "A round takes as long as its slowest worker computes, and twice as long as a call takes:",
        f"{1e9 * model.sweep:.2f} ns a pair to place and {1e9 * model.cost:.2f} ns to count, as in",
        f"one memory; {1e3 * model.call:.1f} ms a call and {1e3 * model.task:.1f} ms for each "
        f"worker, fitted to the rounds above (the latter is {1e3 * TASK:.0f} ms at least: two "
        "workers are too few to tell). Beside",
        "them, the same rounds simulated event by event, on workers that differ by 3 % in speed.",
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
        "## Larger ones, on paper",
        "",
        f"What the model says of clusters that were not at hand, k = 2: {ROUNDS} rounds for all",
        f"pairs of 10⁵ points; for 10⁶, {LANDMARKS:,} landmarks in full on one worker, and the",
        f"others placed against them in {STEPS} steps of two passes; for 10⁷, as many landmarks of",
        "10⁵ landmarks, and each point against the 10⁴ first.",
        "",
        "| n | workers | memory a worker | " + " | ".join(NETWORKS) + " |",
        "|---:|---:|---:|" + "---:|" * len(NETWORKS),
    ]
    for n in (10**5, 10**6, 10**7):
        for workers in (8, 64, 512):
            times = " | ".join(told(seconds(model, n, workers, v)) for v in NETWORKS.values())
            lines.append(f"| {n:,} | {workers} | {memory(n, workers):.2g} GB | {times} |")
    return lines


def overlap(model: Model) -> list[str]:
    """Return what it would be worth to count a round while the next one is being placed."""
    lines = [
        "",
        "## Overlap",
        "",
        "The points of a round are counted before those of the next one go out. Sent out at once,",
        "one of the two calls of a round would be hidden, at best; both have to be computed in any",
        "case. By the model, of 10⁵ points and 10 Gbit/s:",
        "",
        "| workers | a round, ms | computing | one call |",
        "|---:|---:|---:|---:|",
    ]
    for workers in (1, 2, 8, 64):
        n, network = 10**5, NETWORKS["10 Gbit/s"]
        whole = model.round(n, workers, network)
        shares = sum(model.work(n, workers)) / whole, model.reach(n, workers, network) / whole
        told = " | ".join(f"{100 * share:.0f} %" for share in shares)
        lines.append(f"| {workers} | {1e3 * whole:,.0f} | {told} |")
    return lines


def seconds(model: Model, n: int, workers: int, network: float) -> float:
    """Return the seconds of a whole fit."""
    if n <= 10**5:
        return ROUNDS * model.round(n, workers, network)
    landmarks = ROUNDS * (model.sweep + model.cost) * LANDMARKS**2
    first = 0 if n <= 10**6 else 10**5  # landmarks that are placed before all others
    placed = 2 * STEPS * model.sweep * (n + first) * LANDMARKS / workers
    features = n * 50 * BYTES / network / workers + LANDMARKS * 50 * BYTES / network
    return float(landmarks + placed + features + model.call + model.task * workers)


def memory(n: int, workers: int) -> float:
    """Return the gigabytes of a worker."""
    rows = n * n if n <= 10**5 else n * 50 + LANDMARKS**2
    return rows * BYTES / workers / 1e9


def told(duration: float) -> str:
    """Return seconds in a unit for people."""
    return f"{duration:.0f} s" if duration < 120 else f"{duration / 60:.0f} min"
