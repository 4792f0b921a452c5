"""PlaceCenter: pick a point, move it to where its distances fit better, repeat.

The paper's algorithm, on one screen, is `descend`: every sweep places each point in turn
(`unimds.kernels.drivers`) and sweeps go on until the cost no longer falls. The additions can be
switched off. *Momentum* carries the movement of a sweep on; where that would raise the cost, the
sweep is repeated without it. In most maps *quasi-Newton steps* replace sweeps
(`unimds.placecenter.descent.quasi_newton`). *Annealing* rounds the kink of a robust loss and
sharpens it stage by stage (`unimds.placecenter.descent.annealing`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.watch import Watch
from unimds.placecenter.descent.annealing import FORK
from unimds.placecenter.descent.plan import Plan, Stage, stages
from unimds.placecenter.descent.quasi_newton import EXACT, SETTLED, STUCK, QuasiNewton
from unimds.placecenter.descent.record import Keep, Motion, Record, State, judged, watch_outcome
from unimds.placecenter.problem import Problem
from unimds.placecenter.result import Outcome, Result
from unimds.spaces.base import Space

Array = NDArray[Any]

UNDERWAY = (Outcome.CONVERGED, Outcome.STATIONARY, Outcome.MAX_ITER)  # a sharper stage may follow

Each = Callable[[Callable[[int], Outcome], Iterable[int]], list[Outcome]]
"""Does something for each of some numbers, one after another or on threads."""


def descend(
    problem: Problem, X: Array, plan: Plan, watch: Watch, slot: Keep | None = None
) -> Result:
    """Sweep over all points until the cost no longer falls, from the configuration `X`."""
    return _ended(*lowered(problem, X, plan, watch, slot), X, plan)


def lowered(
    problem: Problem, X: Array, plan: Plan, watch: Watch, slot: Keep | None = None
) -> tuple[Record, Outcome]:
    """Return the record of such a descent, and why it ended."""
    record = Record(problem, X, watch, slot)
    return record, _go_on(record, stages(problem, X, plan), plan)


def _go_on(record: Record, stages: Iterable[Stage], plan: Plan) -> Outcome:
    """Go through all stages that the record has not passed; return why it ended."""
    outcome = Outcome.MAX_ITER
    if not record.problem.pairs.free.any() and not record.problem.frame.resize:
        return Outcome.NOTHING_TO_DO
    try:
        for number, stage in enumerate(stages):
            if number < record.stage:
                continue
            outcome = _descend_at(stage, record, plan, record.enter(number, stage))
            if outcome not in UNDERWAY:
                break
            record.stage = number + 1
    except KeyboardInterrupt:
        record.watch.interrupted.set()
        outcome = Outcome.INTERRUPTED
    record.finish()
    return outcome


def _ended(record: Record, outcome: Outcome, X: Array, plan: Plan) -> Result:
    """Return the result of a descent from `X`."""
    problem, watch = record.problem, record.watch
    if record.blurred and not watch.stopped:  # most of what was minimised was rounding
        record, outcome = lowered(problem.in_double(), X.astype(np.float64), plan, watch)
    record.fit_targets()
    return record.result(outcome)


def _descend_at(stage: Stage, record: Record, plan: Plan, motion: Motion) -> Outcome:
    """Lower the cost at one stage of smoothing. It never rises."""
    if plan.moves_together(record.problem) and stage.judge is stage.loss:
        return _together(stage, record, plan, motion)
    problem, watch = record.problem, record.watch
    for _ in range(_left(stage, record, plan, motion)):
        state = motion.state
        if plan.settled(motion.costs):
            return Outcome.CONVERGED
        if state.cost <= problem.exact_cost:
            return Outcome.EXACT
        new, inertia = _placed(problem, motion, stage, plan)
        if not new.smooth <= state.smooth:
            return Outcome.STATIONARY  # only rounding is left
        motion = motion.moved(new, inertia)
        record.note(new, stage)
        record.keep(motion)
        if watch.stopped:
            return watch_outcome(watch)
    return Outcome.CONVERGED if plan.settled(motion.costs) else Outcome.MAX_ITER


def _placed(problem: Problem, motion: Motion, stage: Stage, plan: Plan) -> tuple[State, float]:
    """Place every point once, carried on by momentum; return its new inertia as well."""
    state, inertia = motion.state, motion.inertia
    grown = 0.5 * (1.0 + sqrt(1.0 + 4.0 * inertia * inertia))  # Nesterov's sequence
    beta = (inertia - 1.0) / grown if plan.accelerate else 0.0
    there = _beyond(problem, state, motion.previous, beta)
    new = _swept(problem, *there, state.targets, stage, plan)
    if beta > 0.0 and not new.smooth <= state.smooth:
        grown = 1.0  # restart: the same sweep without momentum
        new = _swept(problem, state.X.copy(), state.space, state.targets, stage, plan)
    return new, grown


def _together(stage: Stage, record: Record, plan: Plan, motion: Motion) -> Outcome:
    """Lower the cost by quasi-Newton steps, and by a sweep where these find no way down."""
    problem, watch, state = record.problem, record.watch, motion.state
    aims = state.measured, state.targets
    quasi = QuasiNewton(problem, stage.loss, state.X, *aims, motion.quasi)
    while (left := _left(stage, record, plan, motion)) > 0:
        limits = plan.limits(min(left, record.stretch), problem.exact_cost)
        costs = [*((cost, np.inf) for cost in motion.costs[:-1]), (state.smooth, state.cost)]
        new, why, X, best = quasi.descend(costs, record.best.cost, limits)
        if new:
            smooth, cost = new[-1]
            state = State(X, state.space, cost, smooth, targets=quasi.targets)
            motion = motion.passed([smooth for smooth, _ in new], state)
            record.note_all(new, best, state, stage, quasi.best_targets)
        if why == STUCK and len(new) < left:
            swept = _swept(problem, state.X.copy(), state.space, state.targets, stage, plan)
            if not swept.smooth <= state.smooth:
                return Outcome.STATIONARY  # only rounding is left
            state, motion = swept, motion.passed([swept.smooth], swept)
            quasi.arrive(swept.X, swept.measured, swept.targets)
            record.note(swept, stage)
        elif why in (SETTLED, EXACT):
            return Outcome.CONVERGED if why == SETTLED else Outcome.EXACT
        if record.slot is not None:
            motion = replace(motion, quasi=quasi.kept)
            record.keep(motion)
        if watch.stopped:
            return watch_outcome(watch)
    return Outcome.CONVERGED if plan.settled(motion.costs) else Outcome.MAX_ITER


def _left(stage: Stage, record: Record, plan: Plan, motion: Motion) -> int:
    """Return how many sweeps or steps may follow at a stage."""
    return min(stage.sweeps - motion.sweeps, plan.max_iter - record.sweeps)


def _beyond(problem: Problem, state: State, previous: State, beta: float) -> tuple[Array, Space]:
    """Carry on the movement since the previous state: of the points, and of the space's size."""
    if beta == 0.0:
        return state.X.copy(), state.space
    X = problem.extrapolate(state.X, previous.X, beta, state.space)
    if not problem.frame.resize:
        return X, state.space
    growth = state.space.unit / previous.space.unit
    return X, state.space.sized(state.space.unit * growth**beta)


def _swept(
    problem: Problem, X: Array, space: Space, targets: Array, stage: Stage, plan: Plan
) -> State:
    """Place every point of `X` once, then adjust the size of the space where that is free.

    At last the targets adapt, where they do.
    """
    aimed = problem.aimed(targets)
    aimed.sweep(X, stage.loss, space, plan.inner_iter, plan.eps)
    if problem.frame.resize:
        space = aimed.resized(X, stage.loss, space)
    targets = problem.adapted(X, stage.loss, space, targets)
    return judged(problem, X, space, targets, stage.judge)


# --- two ways down ------------------------------------------------------------------------------


def descend_both_ways(
    problem: Problem, X: Array, plan: Plan, watch: Watch, slots: Sequence[Keep | None], each: Each
) -> Result:
    """Descend by smaller and by larger steps of smoothing, and then on by the lower way.

    At `FORK` of the first smoothing it is decided which of them ends lower.
    """
    plans = [replace(plan, slow=slow) for slow in (True, False)]
    steps = [list(stages(problem, X, own)) for own in plans]
    records = [Record(problem, X, watch, slot) for slot in slots]
    fork = 0.99 * FORK * steps[0][0].smoothing

    def begin(way: int) -> Outcome:
        first = [stage for stage in steps[way] if stage.smoothing > fork]
        return _go_on(records[way], first, plans[way])

    outcomes = each(begin, range(2))
    stopped = [outcome for outcome in outcomes if outcome not in UNDERWAY]
    if stopped:
        best = min(range(2), key=lambda way: records[way].best.cost)
        return _ended(records[best], stopped[0], X, plans[best])
    best = min(range(2), key=lambda way: records[way].now.smooth)
    outcome = _go_on(records[best], steps[best], plans[best])
    return _ended(records[best], outcome, X, plans[best])
