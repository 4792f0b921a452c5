"""Small tables: many starts, until the lowest map has been found again and again.

Where points are few, a start takes about a millisecond: a random configuration is shaken (see
`unimds.starts.shaking`) and descends. Of most tables a third of such starts or more lead to the
lowest map, of a hard one a hundredth. So starts go on until the lowest map has been found `AGAIN`
times, or until they have taken all the work that a small table is worth.

The rule has a stated risk: after N starts, a map that a share p of all starts leads to has been
missed with a probability of (1 − p)^N. Where every second start leads to the lowest map so far, N
is about fifty, and a lower map with p = 0.1 is missed in one of two hundred fits.

On a line the squared loss leaves no doubt: see `unimds.starts.line`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unimds.losses import Squared
from unimds.placecenter.descent import State, lowered
from unimds.placecenter.problem import Problem
from unimds.placecenter.result import Outcome, Result, alike
from unimds.spaces.euclidean import Euclidean
from unimds.starts.initial import completed, draw, first_seed
from unimds.starts.line import PROVEN, best_order, inserted, placed
from unimds.starts.search import Search
from unimds.starts.shaking import SHAKE_SWEEPS, rounded, shaken

Array = NDArray[Any]

FEW = 100
"""Points up to which there are many starts."""
BATCH = 16  # starts between two looks, the same whatever the number of threads
AGAIN = 25  # times that the lowest map must be found
WORK = 3e7  # pairs that all starts may compute, or what takes as long
STEP, SWEEP = 2_000, 60_000  # pairs that take as long as all else in a step, and in a sweep


class Chosen(NamedTuple):
    """Where to descend from, what all starts cost, and whether the lowest map is known for sure."""

    starts: list[Array]
    costs: Array | None = None
    proven: bool = False

    def told(self, result: Result, unit: float) -> Result:
        """Return the result of the last descent with what is known of the starts."""
        if self.costs is not None:
            result = replace(result, starts=self.costs * unit)
        if self.proven and result.outcome.converged and result.outcome is not Outcome.EXACT:
            result = replace(result, outcome=Outcome.PROVEN)
        return result


def small_table(search: Search, problem: Problem, rng: np.random.Generator) -> Chosen:
    """Return the lowest map of a table of few points."""
    n, line = problem.pairs.n, on_line(problem)
    if line and n <= PROVEN and _is_plain(problem):
        table = _mean_distances(problem)
        return Chosen([_placed(table, best_order(table), problem)], proven=True)
    search.watch.say("Looking for the lowest map …")
    order = rng.permutation(n)  # shaking needs points in random order
    mixed, quiet = problem.on(order), search.watch.silent()
    plan = replace(search.plan, eps=max(search.plan.eps, 1e-7))

    def end(X: Array) -> tuple[State, int]:
        record, _ = lowered(mixed, X, plan, quiet)
        return record.best, record.sweeps

    D = _mean_distances(mixed) if line else np.empty(0)

    def start(own: np.random.Generator) -> tuple[State, int]:
        if line:
            return end(_placed(D, inserted(D, own.permutation(n)), mixed))
        X = draw(mixed, own)
        _, loss = rounded(mixed, X)
        return end(shaken(mixed, loss, X, SHAKE_SWEEPS, own, quiet))

    runs, work = [], 0.0
    if search.init != "random":
        runs.append(end(np.ascontiguousarray(first_seed(problem, search.init, rng)[:, order])))
    while not _enough(runs, mixed.exact_cost) and work < WORK and not search.watch.stopped:
        batch = search.each(start, rng.spawn(BATCH))
        each = 0.5 * n * n + (STEP if plan.moves_together(mixed) else SWEEP)
        work += sum(steps for _, steps in batch) * each
        runs += batch
    best = min((state for state, _ in runs), key=lambda state: state.cost)
    costs = np.array([state.cost for state, _ in runs])
    return Chosen([np.ascontiguousarray(best.X[:, np.argsort(order)])], costs)


def _enough(runs: list[tuple[State, int]], zero: float) -> bool:
    """Whether the lowest map has been found often enough, or is exact."""
    costs = np.array([state.cost for state, _ in runs])
    return costs.size > 0 and (alike(costs) >= AGAIN or costs.min() <= zero)


def on_line(problem: Problem) -> bool:
    """Whether the map is a line."""
    return problem.n_components == 1 and type(problem.frame.space) is Euclidean


def _is_plain(problem: Problem) -> bool:
    """Whether the cost is the sum of all squared errors, with equal weights."""
    pairs = problem.pairs
    _, W = pairs.table.whole()
    return type(problem.frame.loss) is Squared and pairs.weighing.complete and W is None


def _mean_distances(problem: Problem) -> Array:
    return completed(problem.pairs) * problem.frame.unit


def _placed(D: Array, order: Array, problem: Problem) -> Array:
    """Return the lowest map of an order, as a configuration."""
    return np.ascontiguousarray(placed(D, order)[None], dtype=problem.dtype)
