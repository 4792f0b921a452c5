"""How to descend: for how long, and by which levels of smoothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds.losses import Loss
from unimds.placecenter.problem import ROUNDING, Problem

Array = NDArray[Any]

LEVELS_PER_DECADE = 2
LEVEL_SWEEPS = 100  # most levels settle in far fewer
LAST_LEVEL = 1e-6  # of the mean error of the seed: true distances are then met to that precision
PATIENCE = 5  # with momentum the cost falls in waves: judge a whole wave


@dataclass(frozen=True)
class Plan:
    """How to descend; `unimds.place_center` says what the parameters mean."""

    max_iter: int = 2000
    eps: float = 1e-7
    smoothing: float | str = "auto"
    accelerate: bool = True
    inner_iter: int = 1

    @property
    def window(self) -> int:
        """Over how many sweeps the decrease of the cost is averaged."""
        return PATIENCE if self.accelerate else 1

    def settled(self, costs: Sequence[float]) -> bool:
        """Whether the cost has fallen by less than `eps` a sweep, relative to itself."""
        if len(costs) <= self.window:
            return False
        fall = costs[-1 - self.window] - costs[-1]
        return fall <= self.window * self.eps * abs(costs[-1])

    def heat(self, sweeps: int, smoothing: float) -> Plan:
        """Return the plan of a short trial run at one level."""
        return replace(self, max_iter=sweeps, smoothing=smoothing, accelerate=True, inner_iter=1)


@dataclass(frozen=True)
class Level:
    """One level of smoothing: the loss to sweep with, the loss to judge by, and for how long."""

    smoothing: float
    loss: Loss
    judge: Loss
    sweeps: int


def levels(problem: Problem, X: Array, plan: Plan) -> Iterator[Level]:
    """Yield one level for a smooth loss, falling ones for a robust one."""
    loss = problem.loss
    if not loss.anneals:
        yield Level(0.0, loss, loss, plan.max_iter)
    elif plan.smoothing == "auto":
        steps = annealing(problem, X)
        for smoothing in steps:
            soft = loss.smoothed(smoothing)
            sweeps = LEVEL_SWEEPS if smoothing > steps[-1] else plan.max_iter
            yield Level(smoothing, soft, soft, sweeps)
    else:  # one level; the paper's is 0, where only a floor keeps the weights finite
        fixed = max(float(plan.smoothing), getattr(loss, "smoothing", 0.0))
        floor = ROUNDING * problem.scale
        soft = loss.smoothed(max(fixed, floor))
        yield Level(fixed, soft, soft if fixed > floor else loss, plan.max_iter)


def annealing(problem: Problem, X: Array) -> list[float]:
    """Return falling smoothings, from the mean error of `X` to where the loss is as given."""
    # the mean error may be that of a few corrupted distances: more than this smooths all away
    scale = problem.scale
    cap = abs(float(problem.loss.residual(1.3 * scale, scale)))
    first = min(problem.mean_residual(X, problem.space), cap)
    return falling(first, problem.loss, ROUNDING * problem.scale)


def falling(first: float, loss: Loss, floor: float = 0.0) -> list[float]:
    """Return smoothings that fall geometrically from `first` to the loss's own."""
    last = max(getattr(loss, "smoothing", 0.0), LAST_LEVEL * first, floor)
    first = max(first, last)
    count = 1 + round(LEVELS_PER_DECADE * np.log10(first / last))
    return [*np.geomspace(first, last, count)[:-1].tolist(), last]
