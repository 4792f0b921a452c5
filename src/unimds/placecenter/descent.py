"""PlaceCenter: pick a point, move it to where its distances fit better, repeat.

The paper's algorithm, on one screen, is `descend`: every sweep places each point in turn
(`unimds.kernels.drivers`) and sweeps go on until the cost no longer falls. The additions can be
switched off. *Momentum* carries the movement of a sweep on; where that would raise the cost, the
sweep is repeated without it. In most maps *quasi-Newton steps* replace sweeps
(`unimds.placecenter.quasi_newton`). *Annealing* rounds the kink of a robust loss and sharpens it
stage by stage (`unimds.placecenter.annealing`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import sqrt
from typing import Any, Protocol, final

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.watch import Watch
from unimds.losses import Loss
from unimds.placecenter.annealing import FORK, ROUNDING, annealing, slowly
from unimds.placecenter.frame import Frame, own_smoothing
from unimds.placecenter.problem import Problem
from unimds.placecenter.quasi_newton import EXACT, SETTLED, STUCK, Limits, QuasiNewton
from unimds.placecenter.result import Outcome, Result
from unimds.placecenter.targets import GIVEN
from unimds.spaces.base import Space

Array = NDArray[Any]

STAGE_SWEEPS = 100  # most stages settle in far fewer
STRETCH, MOST = 10**8, 10**4  # pairs, and steps, without looking up: a tenth of a second
PATIENCE = 5  # with momentum the cost falls in waves: judge a whole wave
BLUR = 1e-6  # share of a cost that single precision may be wrong by
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


def watch_outcome(watch: Watch) -> Outcome:
    """Return why a run ends that was stopped."""
    return Outcome.CALLBACK if watch.called_off.is_set() else Outcome.INTERRUPTED


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
    return _judged(problem, X, space, targets, stage.judge)


def _judged(problem: Problem, X: Array, space: Space, targets: Array, judge: Loss) -> State:
    """Return the state of a configuration."""
    pulls, (cost, smooth) = problem.aimed(targets).measured(X, judge, space)
    return State(X, space, cost, smooth, pulls, targets)


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


# --- for how long, and by which losses --------------------------------------------------------


@final
@dataclass(frozen=True)
class Plan:
    """How to descend; `unimds.place_center` says what the parameters mean."""

    # a run may go on with another limit: no part of what a checkpoint knows a plan by
    max_iter: int = field(default=2000, repr=False)
    eps: float = 1e-7
    smoothing: float | str = "auto"
    accelerate: bool = True
    inner_iter: int = 1
    # nor are these
    solver: str = field(default="auto", repr=False)
    threads: int = field(default=1, repr=False)
    slow: bool = field(default=True, repr=False)  # small steps of smoothing, in many dimensions

    def settled(self, costs: Sequence[float]) -> bool:
        """Whether the cost has fallen by less than `eps` a sweep, relative to itself."""
        window = PATIENCE if self.accelerate else 1
        if len(costs) <= window:
            return False
        return costs[-1 - window] - costs[-1] <= window * self.eps * abs(costs[-1])

    def moves_together(self, problem: Problem) -> bool:
        """Whether all points move together, by quasi-Newton steps."""
        plain = self.solver == "sweeps" or not self.accelerate or self.inner_iter > 1
        return not plain and problem.moves_together

    def anneals_far(self, problem: Problem) -> bool:
        """Whether smoothing decides between many minima: a robust loss, in many dimensions."""
        robust = problem.frame.loss.anneals and self.smoothing == "auto"
        return robust and problem.n_components > 3 and self.moves_together(problem)

    def limits(self, steps: int, zero: float) -> Limits:
        """Return when quasi-Newton steps stop."""
        return Limits(steps, PATIENCE, self.eps, zero, self.threads)

    def in_unit(self, frame: Frame) -> Plan:
        """Return the plan with a fixed smoothing in the unit of a frame."""
        if self.smoothing == "auto" or not frame.loss.anneals:
            return self
        return replace(self, smoothing=frame.smoothing_in(frame.unit, float(self.smoothing)))


@final
@dataclass(frozen=True)
class Stage:
    """One stage of smoothing: the loss to sweep with, the loss to judge by, and for how long."""

    smoothing: float
    loss: Loss
    judge: Loss
    sweeps: int


def stages(problem: Problem, X: Array, plan: Plan) -> Iterator[Stage]:
    """Yield one stage for a smooth loss, falling ones for a robust one."""
    frame = problem.frame
    loss = frame.loss
    if not loss.anneals:
        yield Stage(0.0, loss, loss, plan.max_iter)
    elif plan.smoothing == "auto":
        steps, most = annealing(problem, X), STAGE_SWEEPS
        if plan.anneals_far(problem):  # all stages can use all
            steps = slowly(steps) if plan.slow else steps
            most = max(plan.max_iter // len(steps), 1)
        for smoothing in steps:
            soft = loss.smoothed(smoothing)
            sweeps = most if smoothing > steps[-1] else plan.max_iter
            yield Stage(smoothing, soft, soft, sweeps)
    else:  # one stage; the paper's is 0, where only a floor keeps the weights finite
        fixed = max(float(plan.smoothing), own_smoothing(loss))
        floor = ROUNDING * frame.scale
        soft = loss.smoothed(max(fixed, floor))
        yield Stage(fixed, soft, soft if fixed > floor else loss, plan.max_iter)


# --- the record of a descent -------------------------------------------------------------------


@final
@dataclass(frozen=True)
class State:
    """A configuration, the space at its present size, and what they cost."""

    X: Array
    space: Space
    cost: float  # by the loss as given
    smooth: float  # by the loss that the stage judges by
    pulls: Array | None = None  # by that loss; None where nobody has measured them
    # what the distances are compared with, where that adapts
    targets: Array = field(default_factory=lambda: GIVEN.first)

    @property
    def placed(self) -> tuple[Array, Space, Array]:
        """The configuration, the space, and what the distances are compared with."""
        return self.X, self.space, self.targets

    @property
    def measured(self) -> tuple[float, Array | None]:
        """The cost that the stage judges by, and the pulls."""
        return self.smooth, self.pulls


@final
@dataclass(frozen=True)
class Motion:
    """Where a descent stands at one stage, with all it needs to take the next sweep."""

    stage: int
    state: State
    previous: State
    inertia: float
    costs: tuple[float, ...]  # the last ones by which the stage judges
    sweeps: int = 0  # at this stage
    quasi: tuple[Array, ...] = ()  # what quasi-Newton steps have learnt

    def moved(self, state: State, inertia: float) -> Motion:
        """Return the motion after another sweep."""
        return replace(self.passed([state.smooth], state), inertia=inertia)

    def passed(self, costs: Sequence[float], state: State) -> Motion:
        """Return the motion after some sweeps or steps, from their costs."""
        last = (*self.costs, *costs)[-1 - PATIENCE :]
        return Motion(self.stage, state, self.state, 1.0, last, self.sweeps + len(costs))


@final
@dataclass(frozen=True)
class Snapshot:
    """A descent as it can be kept in a file: its motion and its record so far.

    The lists are those of the record, which grow: what belongs to the snapshot is their first
    ``sweeps + 1`` entries.
    """

    motion: Motion
    best: State
    history: list[tuple[float, float]]
    levels: list[tuple[float, float]]
    sweeps: int


class Keep(Protocol):
    """Takes the snapshots of one descent, and has the snapshot to go on from."""

    begun: Snapshot | None

    def keep(self, snapshot: Snapshot) -> None:
        """Take a snapshot."""


@final
class Record:
    """Notes every sweep, tells the watch, and keeps the best configuration."""

    def __init__(self, problem: Problem, X: Array, watch: Watch, slot: Keep | None = None):
        self.problem, self.frame, self.watch = problem, problem.frame, watch
        frame = self.frame
        # a rounded loss: the weights of one with a kink are infinite where it is met
        soft, first = frame.loss.smoothed(frame.scale), problem.targets.first
        first = problem.adapted(X, soft, frame.space, first)
        self.now = self.best = _judged(problem, X, frame.space, first, frame.loss)
        problem.check_costs()
        cost = self.now.cost
        if not np.isfinite(cost):
            raise ValueError(
                f"the cost of the seed is {cost}: are the weights too large, or is the value of "
                f"{self.frame.loss.scaled(1.0 / self.frame.unit)} not finite for some distance?"
            )
        self.history: list[tuple[float, float]] = []
        self.levels: list[tuple[float, float]] = []
        self._outers: dict[float, float] = {}
        self._log([(self.now.smooth, self.now.cost)], 0.0)
        self.slot = slot
        self.begun = None if slot is None else slot.begun
        if self.begun is not None:
            self.now, self.best = self.begun.motion.state, self.begun.best
            self.history, self.levels = [*self.begun.history], [*self.begun.levels]
        # how many stages it has passed
        self.stage = 0 if self.begun is None else self.begun.motion.stage

    @property
    def sweeps(self) -> int:
        """Number of sweeps so far."""
        return len(self.history) - 1

    def enter(self, number: int, stage: Stage) -> Motion:
        """Return the motion at a new stage: from rest, or from where an earlier run stood."""
        if self.begun is not None and number == self.begun.motion.stage:
            return self.begun.motion
        if stage.judge == self.frame.loss:
            self.now = replace(self.now, smooth=self.now.cost)
        else:
            here = self.problem.normalised(*self.now.placed)
            self.now = _judged(self.problem, *here, stage.judge)
        if not self.sweeps:
            self.levels = [(self._outer(stage.smoothing), self.now.smooth * self.frame.cost_unit)]
        return Motion(number, self.now, self.now, 1.0, (self.now.smooth,))

    def finish(self) -> None:
        """Bring the best configuration to the unit of the data, where targets have changed it."""
        if self.problem.adapts:
            here = self.problem.normalised(*self.best.placed)
            self.best = _judged(self.problem, *here, self.frame.loss)

    def fit_targets(self) -> None:
        """Bring adapting targets to the unit that fits the best configuration."""
        if self.problem.adapts:
            soft = self.frame.loss.smoothed(1e-9 * self.frame.scale)  # no infinite weights
            X, space, targets = self.best.placed
            targets = self.problem.fitted(X, soft, space, targets)
            self.best = _judged(self.problem, X, space, targets, self.frame.loss)

    def keep(self, motion: Motion) -> None:
        """Offer a snapshot, if anyone wants it."""
        if self.slot is not None:
            self.slot.keep(Snapshot(motion, self.best, self.history, self.levels, self.sweeps))

    @property
    def stretch(self) -> int:
        """How many steps may be taken before anyone must know: few on a large table, for ^C."""
        if self.watch.listens or self.slot is not None:
            return 1
        return min(max(STRETCH // self.problem.pairs.n**2, 1), MOST)

    def note(self, state: State, stage: Stage) -> None:
        """Note a sweep."""
        best = state.X if state.cost <= self.best.cost else None
        self.note_all([(state.smooth, state.cost)], best, state, stage, state.targets)

    def note_all(
        self,
        costs: list[tuple[float, float]],
        best: Array | None,
        state: State,
        stage: Stage,
        targets: Array,
    ) -> None:
        """Note some sweeps or steps that end in a state.

        `best` is their best configuration, if there is a better one, and `targets` belong to it.
        """
        self.now = state
        if best is not None:
            smooth, cost = min(reversed(costs), key=lambda pair: pair[1])
            self.best = State(best, state.space, cost, smooth, targets=targets)
        self._log(costs, stage.smoothing)
        _, cost = self.history[-1]
        self.watch.report(self.sweeps, cost, lambda: self.frame.outer(state.X))

    def _log(self, costs: list[tuple[float, float]], smoothing: float) -> None:
        """Log costs; the time since the last of them is shared among them."""
        unit, stage, now = self.frame.cost_unit, self._outer(smoothing), self.watch.seconds()
        times: Any = [now]  # in most cases: to divide the time would take longer than to look
        if len(costs) > 1:
            times = np.linspace(self.history[-1][0], now, len(costs) + 1)[1:]
        for (smooth, cost), time in zip(costs, times, strict=True):
            self.levels.append((stage, smooth * unit))
            self.history.append((float(time), cost * unit))

    def _outer(self, smoothing: float) -> float:
        """Return a smoothing in the user's unit, computed once for all sweeps of a stage."""
        if smoothing and smoothing not in self._outers:
            self._outers[smoothing] = self.frame.smoothing_in(1.0 / self.frame.unit, smoothing)
        return self._outers[smoothing] if smoothing else 0.0

    @property
    def single(self) -> bool:
        """Whether the costs were found in single precision: their rounding is not the map's."""
        return bool(self.best.X.dtype == np.float32)

    @property
    def cost(self) -> float:
        """The cost of the best configuration in the user's unit, in double precision."""
        best = self.best
        if not self.single:
            return best.cost * self.frame.cost_unit
        return self.problem.aimed(best.targets).cost_of(self.frame.outer(best.X), best.space)

    @property
    def blurred(self) -> bool:
        """Whether single precision cannot tell the costs apart that the descent ended with."""
        if not self.single:
            return False
        found, cost = self.best.cost * self.frame.cost_unit, self.cost
        return not abs(found - cost) <= BLUR * cost

    def result(self, outcome: Outcome) -> Result:
        """Return the best configuration and how it was found."""
        embedding, loss, space = self.frame.outer_all(self.best.X, self.best.space)
        history, levels, cost = np.array(self.history), np.array(self.levels), self.cost
        scaling = self.problem.targets.scaling(self.best.targets)
        lowest = history[:, 1].min()
        if self.problem.adapts and lowest > 0.0:  # all costs in the unit of the best
            history[:, 1] *= cost / lowest
            levels[:, 1] *= cost / lowest
        if self.single:  # the best of the costs becomes the cost, and no other lies below it
            lowest = history[:, 1].min()
            history[history[:, 1] <= max(lowest, cost), 1] = cost
        return Result(
            embedding=embedding,
            cost=cost,
            history=history,
            levels=levels,
            outcome=outcome,
            loss=loss,
            space=space,
            scaling=scaling,
            transformation=None if scaling is None else scaling.transformation,
        )
