"""How to descend: for how long, and by which losses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, final

from numpy.typing import NDArray

from unimds.losses import Loss
from unimds.placecenter.descent.annealing import ROUNDING, annealing, slowly
from unimds.placecenter.descent.quasi_newton import Limits
from unimds.placecenter.frame import Frame, own_smoothing
from unimds.placecenter.problem import Problem

Array = NDArray[Any]

STAGE_SWEEPS = 100  # most stages settle in far fewer
PATIENCE = 5  # with momentum the cost falls in waves: judge a whole wave


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
