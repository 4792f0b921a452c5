"""The search for the lowest minimum: several starts, of which the best result is returned."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from unimds._runtime.progress import Silent
from unimds.checkpoint import Keeper
from unimds.placecenter.fixed import Anchors
from unimds.placecenter.problem import Problem
from unimds.placecenter.result import Outcome, Result
from unimds.placecenter.schedule import Plan
from unimds.spaces import Space
from unimds.starts.initial import configuration, draw, first_seed
from unimds.starts.race import (
    RACE_SAMPLE,
    RANDOM_STARTS,
    Search,
    extended,
    race,
    race_pays,
    shaken_start,
)

Array = NDArray[Any]

SIZE_SAMPLE, SIZE_SWEEPS = 150, 10


def lowest(
    search: Search,
    problem: Problem,
    random: np.random.Generator,
    anchors: Anchors | None = None,
    keeper: Keeper | None = None,
) -> Result:
    """Descend from one or several starts and return the best result."""
    watch = search.watch
    begun = None if keeper is None else keeper.begun(problem)
    if begun is None:
        if problem.resize:
            watch.say("Estimating the size of the space …")
            problem = replace(problem, space=estimate_size(search, problem))
        starts = _starts(search, problem, anchors, random)
        if keeper is not None and not watch.interrupted.is_set():  # else they are not the best
            keeper.begin(problem, starts)
    else:
        watch.say("Going on from the checkpoint …")
        problem, starts = begun
    plan = _in_unit(search.plan, problem)

    def finish(number: int) -> Result:
        slot = None if keeper is None else keeper.slot(number)
        try:
            return search.descend(problem, starts[number], plan, watch, slot)
        except Exception:  # as where a cluster is lost: what there is must not be lost with it
            if keeper is not None:
                keeper.write()
            raise

    runs = search.each(finish, range(len(starts)))
    best = min(runs, key=lambda run: run.cost)  # the first of equals: the same on any threads
    if watch.interrupted.is_set():
        best = replace(best, outcome=Outcome.INTERRUPTED)
        if keeper is not None:
            keeper.write()
    return best


def _starts(
    search: Search, problem: Problem, anchors: Anchors | None, random: np.random.Generator
) -> list[Array]:
    """Return what to descend from."""
    init = search.init if isinstance(search.init, str) else "given"
    if problem.pairs.remote and init in ("auto", "shaken"):
        first = _from_sample(search, problem, random)
        return [first if anchors is None else _held(problem, first, anchors)]
    if search.n_init == "auto" and anchors is None and race_pays(problem, init):
        search.watch.say(f"Choosing among {2 + RANDOM_STARTS} starts …")
        return race(_in_units(search, problem), problem, random)
    count = 1 if search.n_init == "auto" else int(search.n_init)
    if init == "shaken":
        own = _in_units(search, problem)
        starts = search.each(lambda rng: shaken_start(own, problem, rng), random.spawn(count))
    else:
        starts = [first_seed(problem, search.init, random)]
        if init in ("auto", "random"):
            starts += [draw(problem, random) for _ in range(count - 1)]
    return [_held(problem, X, anchors) if anchors else X for X in starts]


def _from_sample(search: Search, problem: Problem, rng: np.random.Generator) -> Array:
    """Return the map of a sample of the points, with all others placed where their rows are."""
    sample = np.sort(rng.permutation(problem.pairs.n)[:RACE_SAMPLE])
    search.watch.say(f"Mapping {len(sample):,} of the points …")
    small = replace(problem.on(sample), resize=False)
    run = lowest(replace(search, watch=Silent(search.watch)), small, rng)
    return extended(problem, sample, small.inner(run.embedding))


def _in_units(search: Search, problem: Problem) -> Search:
    return replace(search, plan=_in_unit(search.plan, problem))


def _in_unit(plan: Plan, problem: Problem) -> Plan:
    """Return the plan with a fixed smoothing in the unit of the problem."""
    if plan.smoothing == "auto" or not problem.loss.anneals:
        return plan
    loss = problem.loss.smoothed(float(plan.smoothing)).scaled(problem.unit)
    return replace(plan, smoothing=float(loss.smoothing))  # type: ignore[attr-defined]


def _held(problem: Problem, X: Array, anchors: Anchors) -> Array:
    return problem.inner(anchors.hold(problem.outer(X), problem.space))


def estimate_size(search: Search, problem: Problem) -> Space:
    """Return the space at the size whose seed fits best, after a few sweeps on a sample."""
    n = problem.pairs.n
    rng = np.random.default_rng(0)
    sample = np.sort(rng.permutation(n)[:SIZE_SAMPLE])
    # without all pairs a sample might not hang together; but no table of a cluster comes here
    whole = not problem.pairs.remote and (sample.size == n or not problem.pairs.complete_graph)
    small = problem if whole else problem.on(sample)
    D = small.pairs.complete() * small.unit
    apart = D[D > 0.0]
    if not apart.size:
        return problem.space.sized(1.0)
    typical = float(np.median(apart))  # not the largest, which may be corrupted
    plan = Plan(max_iter=SIZE_SWEEPS, smoothing=0.2 * typical)

    def cost_at(log_unit: float) -> float:
        trial = replace(small, space=small.space.sized(np.exp(log_unit)), resize=False)
        seed = trial.space.seed(D, problem.n_components)
        X = draw(trial, np.random.default_rng(0)) if seed is None else configuration(seed, trial)
        return float(search.descend(trial, X, plan, Silent(search.watch)).cost)

    # Beyond the upper end any space is as good as flat.
    low, high = problem.space.sizes(typical)
    grid = np.linspace(np.log(low), np.log(high), 16)
    at = int(np.argmin([cost_at(x) for x in grid]))
    around = (grid[max(at - 1, 0)], grid[min(at + 1, len(grid) - 1)])
    found = minimize_scalar(cost_at, bounds=around, method="bounded", options={"xatol": 1e-5})
    return problem.space.sized(float(np.exp(found.x)))
