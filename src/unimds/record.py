"""The record of a descent: its history and the best configuration seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds.plan import Level
from unimds.problem import Problem
from unimds.result import Outcome, Result
from unimds.spaces import Space
from unimds.watch import Watch

Array = NDArray[Any]


@dataclass(frozen=True)
class State:
    """A configuration, the space at its present size, and what they cost."""

    X: Array
    space: Space
    cost: float  # by the loss as given
    smooth: float  # by the loss that the level judges by


class Record:
    """Notes every sweep, tells the watch, and keeps the best configuration."""

    def __init__(self, problem: Problem, X: Array, watch: Watch):
        self.problem, self.watch = problem, watch
        cost, _ = problem.costs(X, problem.loss, problem.space)
        if not np.isfinite(cost):
            raise ValueError(
                f"the cost of the seed is {cost}: are the weights too large, or is the value of "
                f"{problem.loss} not finite for some distance?"
            )
        self.now = self.best = State(X, problem.space, cost, cost)
        self.history = [(watch.seconds(), problem.outer_cost(cost))]
        self.levels = [(0.0, problem.outer_cost(cost))]

    @property
    def sweeps(self) -> int:
        """Number of sweeps so far."""
        return len(self.history) - 1

    def enter(self, level: Level) -> State:
        """Return the present state, judged at a new level."""
        now = self.now
        _, smooth = self.problem.costs(now.X, level.judge, now.space)
        self.now = State(now.X, now.space, now.cost, smooth)
        if not self.sweeps:
            smoothing = self.problem.outer_smoothing(level.smoothing)
            self.levels = [(smoothing, self.problem.outer_cost(smooth))]
        return self.now

    def note(self, state: State, level: Level) -> None:
        """Note a sweep."""
        self.now = state
        if state.cost <= self.best.cost:
            self.best = state
        cost, smooth = map(self.problem.outer_cost, (state.cost, state.smooth))
        self.history.append((self.watch.seconds(), cost))
        self.levels.append((self.problem.outer_smoothing(level.smoothing), smooth))
        self.watch.report(self.sweeps, cost, lambda: self.problem.outer(state.X))

    def result(self, outcome: Outcome) -> Result:
        """Return the best configuration and how it was found."""
        problem, best = self.problem, self.best
        embedding, cost = problem.outer(best.X), problem.outer_cost(best.cost)
        if best.X.dtype == np.float32:  # its own rounding is not the map's
            cost = problem.cost_of(embedding, best.space)
        return Result(
            embedding=embedding,
            cost=cost,
            history=np.array(self.history),
            levels=np.array(self.levels),
            outcome=outcome,
            loss=problem.outer_loss(),
            space=problem.outer_space(best.space),
        )
