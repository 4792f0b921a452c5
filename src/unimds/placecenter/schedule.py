"""The schedule of a descent: for how long, and by which levels of smoothing.

A robust loss has a kink, where points would stick to the first few pairs that they satisfy
exactly. Its smoothing rounds the kink, and annealing lowers the smoothing level by level.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from unimds.losses import Loss

if TYPE_CHECKING:
    from unimds.placecenter.problem import Frame, Problem

Array = NDArray[Any]

LEVELS_PER_DECADE = 2
LEVEL_SWEEPS = 100  # most levels settle in far fewer
LAST_LEVEL = 1e-6  # of the mean error of the seed: true distances are then met to that precision
PATIENCE = 5  # with momentum the cost falls in waves: judge a whole wave
ROUNDING = 1e-14  # smoothing that only rounding sees, of a typical distance
COARSE = (1.0, 0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-5, 1e-6)  # of a typical distance


@final
@dataclass(frozen=True)
class Plan:
    """How to descend; `unimds.place_center` says what the parameters mean."""

    max_iter: int = 2000
    eps: float = 1e-7
    smoothing: float | str = "auto"
    accelerate: bool = True
    inner_iter: int = 1

    def settled(self, costs: Sequence[float]) -> bool:
        """Whether the cost has fallen by less than `eps` a sweep, relative to itself."""
        window = PATIENCE if self.accelerate else 1
        if len(costs) <= window:
            return False
        return costs[-1 - window] - costs[-1] <= window * self.eps * abs(costs[-1])

    def heat(self, sweeps: int, smoothing: float) -> Plan:
        """Return the plan of a short trial run at one level."""
        return replace(self, max_iter=sweeps, smoothing=smoothing, accelerate=True, inner_iter=1)

    def in_unit(self, frame: Frame) -> Plan:
        """Return the plan with a fixed smoothing in the unit of a frame."""
        if self.smoothing == "auto" or not frame.loss.anneals:
            return self
        loss = frame.loss.smoothed(float(self.smoothing)).scaled(frame.unit)
        return replace(self, smoothing=float(loss.smoothing))  # type: ignore[attr-defined]


@final
@dataclass(frozen=True)
class Level:
    """One level of smoothing: the loss to sweep with, the loss to judge by, and for how long."""

    smoothing: float
    loss: Loss
    judge: Loss
    sweeps: int


def levels(problem: Problem, X: Array, plan: Plan) -> Iterator[Level]:
    """Yield one level for a smooth loss, falling ones for a robust one."""
    frame = problem.frame
    loss = frame.loss
    if not loss.anneals:
        yield Level(0.0, loss, loss, plan.max_iter)
    elif plan.smoothing == "auto":
        steps = annealing(problem, X)
        for smoothing in steps:
            soft = loss.smoothed(smoothing)
            sweeps = LEVEL_SWEEPS if smoothing > steps[-1] else plan.max_iter
            yield Level(smoothing, soft, soft, sweeps)
    else:  # one level; the paper's is 0, where only a floor keeps the weights finite
        fixed = max(float(plan.smoothing), own_smoothing(loss))
        floor = ROUNDING * frame.scale
        soft = loss.smoothed(max(fixed, floor))
        yield Level(fixed, soft, soft if fixed > floor else loss, plan.max_iter)


def annealing(problem: Problem, X: Array) -> list[float]:
    """Return falling smoothings, from the mean error of `X` to where the loss is as given."""
    # the mean error may be that of a few corrupted distances: more than this smooths all away
    loss, scale = problem.frame.loss, problem.frame.scale
    cap = abs(float(loss.residual(1.3 * scale, scale)))
    return falling(min(problem.mean_residual(X), cap), loss, ROUNDING * scale)


def falling(first: float, loss: Loss, floor: float = 0.0) -> list[float]:
    """Return smoothings that fall geometrically from `first` to the loss's own."""
    last = max(own_smoothing(loss), LAST_LEVEL * first, floor)
    first = max(first, last)
    count = 1 + round(LEVELS_PER_DECADE * np.log10(first / last))
    return [*np.geomspace(first, last, count)[:-1].tolist(), last]


def sharpened(frame: Frame, first: float | None = None) -> list[Loss]:
    """Return the losses to place new points by in turn, a robust one ever sharper.

    The smoothings fall from `first` in even steps, or from a typical distance in coarse ones.
    """
    loss = frame.loss
    if not loss.anneals:
        return [loss]
    if first is not None:
        return [loss.smoothed(smoothing) for smoothing in falling(first, loss)]
    return [rounded(frame, share * frame.scale) for share in COARSE]


def rounded(frame: Frame, smoothing: float) -> Loss:
    """Return the loss with its kink rounded by at least `smoothing`, if it has one."""
    loss = frame.loss
    return loss.smoothed(max(own_smoothing(loss), smoothing)) if loss.anneals else loss


def own_smoothing(loss: Loss) -> float:
    """Return the smoothing that a loss was given."""
    return float(getattr(loss, "smoothing", 0.0))
