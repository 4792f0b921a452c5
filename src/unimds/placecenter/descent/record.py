"""The record of a descent: every sweep, the best configuration, and what a checkpoint keeps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, final

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.watch import Watch
from unimds.losses import Loss
from unimds.placecenter.descent.plan import PATIENCE, Stage
from unimds.placecenter.problem import Problem
from unimds.placecenter.result import Outcome, Result
from unimds.placecenter.targets import GIVEN
from unimds.spaces.base import Space

Array = NDArray[Any]

STRETCH, MOST = 10**8, 10**4  # pairs, and steps, without looking up: a tenth of a second
BLUR = 1e-6  # share of a cost that single precision may be wrong by


@final
@dataclass(frozen=True, eq=False)
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
@dataclass(frozen=True, eq=False)
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
@dataclass(frozen=True, eq=False)
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
        self.now = self.best = judged(problem, X, frame.space, first, frame.loss)
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
            self.now = judged(self.problem, *here, stage.judge)
        if not self.sweeps:
            self.levels = [(self._outer(stage.smoothing), self.now.smooth * self.frame.cost_unit)]
        return Motion(number, self.now, self.now, 1.0, (self.now.smooth,))

    def finish(self) -> None:
        """Bring the best configuration to the unit of the data, where targets have changed it."""
        if self.problem.adapts:
            here = self.problem.normalised(*self.best.placed)
            self.best = judged(self.problem, *here, self.frame.loss)

    def fit_targets(self) -> None:
        """Bring adapting targets to the unit that fits the best configuration."""
        if self.problem.adapts:
            soft = self.frame.loss.smoothed(1e-9 * self.frame.scale)  # no infinite weights
            X, space, targets = self.best.placed
            targets = self.problem.fitted(X, soft, space, targets)
            self.best = judged(self.problem, X, space, targets, self.frame.loss)

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


def judged(problem: Problem, X: Array, space: Space, targets: Array, judge: Loss) -> State:
    """Return the state of a configuration."""
    pulls, (cost, smooth) = problem.aimed(targets).measured(X, judge, space)
    return State(X, space, cost, smooth, pulls, targets)


def watch_outcome(watch: Watch) -> Outcome:
    """Return why a run ends that was stopped."""
    return Outcome.CALLBACK if watch.called_off.is_set() else Outcome.INTERRUPTED
