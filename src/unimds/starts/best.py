"""The search for the lowest minimum: several starts, of which the best result is returned."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unimds.placecenter.descent import descend
from unimds.placecenter.fixed import Anchors
from unimds.placecenter.result import Outcome, Result
from unimds.starts.initial import draw, first_seed
from unimds.starts.keep import Keeper
from unimds.starts.race import RANDOM_STARTS, Search, race, race_pays, shaken_start
from unimds.starts.size import estimate_size

if TYPE_CHECKING:
    from unimds.placecenter.problem import Problem

Array = NDArray[Any]

Starts = Callable[[Search, "Problem", Anchors | None, np.random.Generator], list[Array]]
"""Finds the configurations to descend from."""


def starts_in_memory(
    search: Search, problem: Problem, anchors: Anchors | None, random: np.random.Generator
) -> list[Array]:
    """Return the configurations to descend from, found by looking at any of the pairs."""
    init = search.init if isinstance(search.init, str) else "given"
    if search.n_init == "auto" and anchors is None and race_pays(problem, init):
        search.watch.say(f"Choosing among {2 + RANDOM_STARTS} starts …")
        return race(search.in_unit(problem.frame), problem, random)
    count = 1 if search.n_init == "auto" else int(search.n_init)
    if init == "shaken":
        own = search.in_unit(problem.frame)
        starts = search.each(lambda rng: shaken_start(own, problem, rng), random.spawn(count))
    else:
        starts = [first_seed(problem, search.init, random)]
        if init in ("auto", "random"):
            starts += [draw(problem, random) for _ in range(count - 1)]
    return [held(problem, X, anchors) for X in starts]


def held(problem: Problem, X: Array, anchors: Anchors | None) -> Array:
    """Return a start turned to meet the fixed points, if there are any."""
    if anchors is None:
        return X
    return problem.inner(anchors.hold(problem.frame.outer(X), problem.frame.space))


def lowest(
    search: Search,
    problem: Problem,
    random: np.random.Generator,
    anchors: Anchors | None = None,
    keeper: Keeper | None = None,
    find: Starts = starts_in_memory,
) -> Result:
    """Descend from one or several starts and return the best result."""
    watch = search.watch
    begun = None if keeper is None else keeper.begun(problem)
    if begun is None:
        if problem.resize:
            watch.say("Estimating the size of the space …")
            problem = problem.within(estimate_size(problem, watch), resize=True)
        starts = find(search, problem, anchors, random)
        if keeper is not None and not watch.interrupted.is_set():  # else they are not the best
            keeper.begin(problem, starts)
    else:
        watch.say("Going on from the checkpoint …")
        problem, starts = begun
    plan = search.plan.in_unit(problem.frame)

    def finish(number: int) -> Result:
        slot = None if keeper is None else keeper.slot(number)
        try:
            return descend(problem, starts[number], plan, watch, slot)
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
