"""The record of a descent: its history and the best configuration so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, final

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.progress import Watch
from unimds.placecenter.result import Outcome, Result
from unimds.placecenter.schedule import PATIENCE, Level
from unimds.spaces.base import Space

if TYPE_CHECKING:
    from unimds.placecenter.problem import Problem

Array = NDArray[Any]


@final
@dataclass(frozen=True)
class State:
    """A configuration, the space at its present size, and what they cost."""

    X: Array
    space: Space
    cost: float  # by the loss as given
    smooth: float  # by the loss that the level judges by


@final
@dataclass(frozen=True)
class Motion:
    """Where a descent stands at one level, with all it needs to take the next sweep."""

    level: int
    state: State
    previous: State
    inertia: float
    costs: tuple[float, ...]  # the last ones by which the level judges
    sweeps: int = 0  # at this level

    def moved(self, state: State, inertia: float) -> Motion:
        """Return the motion after another sweep."""
        costs = (*self.costs[-PATIENCE:], state.smooth)
        return Motion(self.level, state, self.state, inertia, costs, self.sweeps + 1)


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


class Slot(Protocol):
    """Where the snapshots of one descent go, and where it finds the one to go on from."""

    begun: Snapshot | None

    def keep(self, snapshot: Snapshot) -> None:
        """Take a snapshot."""


@final
class Record:
    """Notes every sweep, tells the watch, and keeps the best configuration."""

    def __init__(self, problem: Problem, X: Array, watch: Watch, slot: Slot | None = None):
        self.problem, self.frame, self.watch = problem, problem.frame, watch
        cost, _ = problem.costs(X, self.frame.loss, self.frame.space)
        if not np.isfinite(cost):
            raise ValueError(
                f"the cost of the seed is {cost}: are the weights too large, or is the value of "
                f"{self.frame.loss} not finite for some distance?"
            )
        self.now = self.best = State(X, self.frame.space, cost, cost)
        self.history = [(watch.seconds(), cost * self.frame.cost_unit)]
        self.levels = [(0.0, cost * self.frame.cost_unit)]
        self.slot = slot
        self.begun = None if slot is None else slot.begun
        if self.begun is not None:
            self.now, self.best = self.begun.motion.state, self.begun.best
            self.history, self.levels = [*self.begun.history], [*self.begun.levels]

    @property
    def sweeps(self) -> int:
        """Number of sweeps so far."""
        return len(self.history) - 1

    def passed(self, number: int) -> bool:
        """Whether a run that goes on had left this level behind."""
        return self.begun is not None and number < self.begun.motion.level

    def enter(self, number: int, level: Level) -> Motion:
        """Return the motion at a new level: from rest, or from where an earlier run stood."""
        if self.begun is not None and number == self.begun.motion.level:
            return self.begun.motion
        now = self.now
        smooth = now.cost
        if level.judge != self.frame.loss:
            _, smooth = self.problem.costs(now.X, level.judge, now.space)
        self.now = State(now.X, now.space, now.cost, smooth)
        if not self.sweeps:
            smoothing = self.frame.outer_smoothing(level.smoothing)
            self.levels = [(smoothing, smooth * self.frame.cost_unit)]
        return Motion(number, self.now, self.now, 1.0, (smooth,))

    def keep(self, motion: Motion) -> None:
        """Offer a snapshot, if anyone wants it."""
        if self.slot is not None:
            self.slot.keep(Snapshot(motion, self.best, self.history, self.levels, self.sweeps))

    def note(self, state: State, level: Level) -> None:
        """Note a sweep."""
        self.now = state
        if state.cost <= self.best.cost:
            self.best = state
        frame, cost = self.frame, state.cost * self.frame.cost_unit
        self.history.append((self.watch.seconds(), cost))
        smooth = state.smooth * frame.cost_unit
        self.levels.append((frame.outer_smoothing(level.smoothing), smooth))
        self.watch.report(self.sweeps, cost, lambda: frame.outer(state.X))

    def result(self, outcome: Outcome) -> Result:
        """Return the best configuration and how it was found."""
        frame, best = self.frame, self.best
        embedding, cost = frame.outer(best.X), best.cost * frame.cost_unit
        if best.X.dtype == np.float32:  # its own rounding is not the map's
            cost = self.problem.cost_of(embedding, best.space)
        return Result(
            embedding=embedding,
            cost=cost,
            history=np.array(self.history),
            levels=np.array(self.levels),
            outcome=outcome,
            loss=frame.loss.scaled(1.0 / frame.unit),
            space=frame.outer_space(best.space),
        )
