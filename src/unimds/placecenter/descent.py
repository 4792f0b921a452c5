"""PlaceCenter: pick a point, move it to where its distances fit better, repeat.

The paper's algorithm, on one screen, is `descend`: every sweep places each point in turn
(`unimds.kernels.sweep.place`) and sweeps go on until the cost no longer falls. Two additions can
be switched off. *Momentum* carries the movement of a sweep on; where that would raise the cost, the
sweep is repeated without it. *Annealing* rounds the kink of a robust loss and sharpens it level by
level: otherwise points stick to the first few pairs that they satisfy exactly.
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from unimds._runtime.progress import Watch
from unimds.placecenter.record import Motion, Record, Slot, State
from unimds.placecenter.result import Outcome, Result
from unimds.placecenter.schedule import Level, Plan, levels
from unimds.spaces.base import Space

if TYPE_CHECKING:
    from unimds.placecenter.problem import Problem

Array = NDArray[Any]


def descend(
    problem: Problem, X: Array, plan: Plan, watch: Watch, slot: Slot | None = None
) -> Result:
    """Sweep over all points until the cost no longer falls, from the configuration `X`."""
    record = Record(problem, X, watch, slot)
    if not problem.pairs.free.any() and not problem.resize:
        return record.result(Outcome.NOTHING_TO_DO)
    outcome = Outcome.MAX_ITER
    try:
        for number, level in enumerate(levels(problem, X, plan)):
            if record.passed(number):
                continue
            outcome = _descend_at(level, record, plan, record.enter(number, level))
            if outcome not in (Outcome.CONVERGED, Outcome.STATIONARY, Outcome.MAX_ITER):
                break
    except KeyboardInterrupt:
        watch.interrupted.set()
        outcome = Outcome.INTERRUPTED
    return record.result(outcome)


def _descend_at(level: Level, record: Record, plan: Plan, motion: Motion) -> Outcome:
    """Sweep at one level of smoothing. Its cost never rises."""
    problem, watch = record.problem, record.watch
    for _ in range(min(level.sweeps - motion.sweeps, plan.max_iter - record.sweeps)):
        state = motion.state
        if plan.settled(motion.costs):
            return Outcome.CONVERGED
        if state.cost <= problem.exact_cost:
            return Outcome.EXACT
        inertia = motion.inertia
        grown = 0.5 * (1.0 + sqrt(1.0 + 4.0 * inertia * inertia))  # Nesterov's sequence
        beta = (inertia - 1.0) / grown if plan.accelerate else 0.0
        new = _swept(problem, *_beyond(problem, state, motion.previous, beta), level, plan)
        if beta > 0.0 and not new.smooth <= state.smooth:
            grown = 1.0  # restart: the same sweep without momentum
            new = _swept(problem, state.X.copy(), state.space, level, plan)
        if not new.smooth <= state.smooth:
            return Outcome.STATIONARY  # only rounding is left
        motion = motion.moved(new, grown)
        record.note(new, level)
        record.keep(motion)
        if watch.stopped:
            return Outcome.CALLBACK if watch.called_off.is_set() else Outcome.INTERRUPTED
    return Outcome.CONVERGED if plan.settled(motion.costs) else Outcome.MAX_ITER


def _beyond(problem: Problem, state: State, previous: State, beta: float) -> tuple[Array, Space]:
    """Carry on the movement since the previous state: of the points, and of the space's size."""
    if beta == 0.0:
        return state.X.copy(), state.space
    X = problem.extrapolate(state.X, previous.X, beta, state.space)
    if not problem.resize:
        return X, state.space
    growth = state.space.unit / previous.space.unit
    return X, state.space.sized(state.space.unit * growth**beta)


def _swept(problem: Problem, X: Array, space: Space, level: Level, plan: Plan) -> State:
    """Place every point of `X` once, then adjust the size of the space where that is free."""
    problem.sweep(X, level.loss, space, plan.inner_iter, plan.eps)
    if problem.resize:
        space = problem.resized(X, level.loss, space)
    return State(X, space, *problem.costs(X, level.judge, space))
