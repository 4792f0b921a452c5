"""Descent of anything that knows how to take a step: momentum, annealing, the record of a run.

`unimds.placecenter.descent.driver` moves the points of one table. What has more unknowns than
points, such as the weights of subjects, or points that must obey, brings a `Movable` and is lowered
here: by steps that never raise the cost, carried on by momentum where that pays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, Generic, Protocol, TypeVar, final

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.watch import Watch
from unimds.losses import Loss
from unimds.placecenter.descent.annealing import ROUNDING, falling
from unimds.placecenter.descent.plan import STAGE_SWEEPS, Plan
from unimds.placecenter.descent.record import watch_outcome
from unimds.placecenter.frame import Frame, own_smoothing
from unimds.placecenter.result import Outcome

Array = NDArray[Any]

EXACT, ADAPTED = 1e-9, 1e-7
"""Errors of distances, as a share of a typical one, that count as none: of given ones, and of
disparities, which approach the distances without an end."""


HEAT, SHARPENING, FINISHED = 60, 12, 2
"""Steps of every start before the best go on, at each stage of a robust loss, and how many do."""


class Movable(Protocol):
    """Unknowns of which a step lowers the cost; it is never changed itself."""

    def cost(self, loss: Loss) -> float:
        """Return the cost, by the loss or a smoothed one."""

    def stepped(self, loss: Loss) -> Any:
        """Return the unknowns after a step, which does not raise the cost."""

    def beyond(self, previous: Any, beta: float) -> Any:
        """Return the unknowns carried on, as seen from previous ones."""

    def residual(self) -> float:
        """Return the mean error, where annealing begins."""

    def points(self) -> Array:
        """Return the map in the user's unit, for the callback."""


AnyMovable = TypeVar("AnyMovable", bound=Movable)


@final
@dataclass(frozen=True)
class Lowered(Generic[AnyMovable]):
    """Where a descent has ended, and how it went.

    Attributes
    ----------
    best : Movable
        The unknowns of lowest cost.
    cost : float
        Their cost, in the frame's unit.
    history, levels : list
        As in a `Result`, in the frame's unit.
    outcome : Outcome
        Why it ended.
    """

    best: AnyMovable
    cost: float
    history: list[tuple[float, float]]
    levels: list[tuple[float, float]]
    outcome: Outcome


def stages_of(loss: Loss, first: float, scale: float, smoothing: float | str) -> list[Loss]:
    """Return the loss ever sharper, from a mean error `first` on; a smooth one is itself.

    Examples
    --------
    >>> from unimds.losses import Absolute, Squared
    >>> len(stages_of(Absolute(), 0.1, 1.0, "auto")), stages_of(Squared(), 0.1, 1.0, "auto")
    (13, [Squared()])
    """
    if not loss.anneals:
        return [loss]
    floor = ROUNDING * scale
    if isinstance(smoothing, str):
        # a large mean error may be that of a few wrong distances: more would smooth all away
        cap = abs(float(loss.residual(1.3 * scale, scale)))
        return [loss.smoothed(s) for s in falling(min(first, cap), loss, floor)]
    return [loss.smoothed(max(smoothing, own_smoothing(loss), floor))]


def exact_cost(loss: Loss, scale: float, total: float, *, adapts: bool) -> float:
    """Return the cost that counts as zero: of next to no error at pairs that weigh `total`.

    Examples
    --------
    >>> from unimds.losses import Absolute
    >>> round(exact_cost(Absolute(), 1.0, 10.0, adapts=True), 9)
    1e-06
    """
    share = ADAPTED if adapts else EXACT
    value = float(loss.value(scale * (1.0 + share), scale)) - float(loss.value(scale, scale))
    return max(value, 0.0) * total


def lowest_of(
    starts: Sequence[AnyMovable],
    frame: Frame,
    plan: Plan,
    watch: Watch,
    each: Callable[[Callable[[AnyMovable], Any], Sequence[AnyMovable]], list[Any]],
    zero: float,
    cost_unit: float,
) -> Lowered[AnyMovable]:
    """Return the lowest of several descents: all take some steps, and the best are finished.

    `each` runs a task for every start, and `zero` is the cost that counts as none. The watch hears
    costs times `cost_unit`, in the user's unit.
    """
    plan, quiet = plan.in_unit(frame), watch.silent()

    def losses(start: AnyMovable) -> list[Loss]:
        return stages_of(frame.loss, start.residual(), frame.scale, plan.smoothing)

    def heat(start: AnyMovable) -> tuple[float, AnyMovable]:
        # a robust loss must be sharp to tell starts apart: while it is smooth, outliers decide
        stages = losses(start)
        brief = replace(plan, max_iter=max(HEAT, SHARPENING * len(stages)))
        tried = lower(start, stages, frame.loss, brief, quiet, zero, SHARPENING)
        return tried.cost, start if len(stages) > 1 else tried.best

    if len(starts) > FINISHED:
        heats = sorted(each(heat, starts), key=lambda one: one[0])
        starts = [start for _, start in heats[:FINISHED]]
    runs: list[Lowered[AnyMovable]] = each(
        lambda start: lower(
            start, losses(start), frame.loss, plan, watch, zero, cost_unit=cost_unit
        ),
        starts,
    )
    return min(runs, key=lambda run: run.cost)


def lower(
    start: AnyMovable,
    losses: Sequence[Loss],
    judge: Loss,
    plan: Plan,
    watch: Watch,
    zero: float = 0.0,
    stage: int = STAGE_SWEEPS,
    cost_unit: float = 1.0,
) -> Lowered[AnyMovable]:
    """Lower the cost by one loss after another; `judge`, the loss as given, says which is best.

    A cost of `zero` or less counts as none. All losses but the last get up to `stage` steps. The
    watch hears costs times `cost_unit`.
    """
    now, best, low = start, start, start.cost(judge)
    history, levels = [(watch.seconds(), low)], [(own_smoothing(losses[0]), start.cost(losses[0]))]
    outcome = Outcome.MAX_ITER
    try:
        for number, loss in enumerate(losses):
            last = number == len(losses) - 1
            outcome, previous, inertia = Outcome.MAX_ITER, now, 1.0
            costs = [now.cost(loss)]
            left = plan.max_iter - len(history) + 1
            for _ in range(left if last else min(left, stage)):
                if low <= zero:
                    return Lowered(best, low, history, levels, Outcome.EXACT)
                if plan.settled(costs):
                    outcome = Outcome.CONVERGED
                    break
                new, inertia, cost = _moved(now, previous, inertia, loss, costs[-1], plan)
                if not cost <= costs[-1]:
                    outcome = Outcome.STATIONARY  # only rounding is left
                    break
                previous, now = now, new
                costs.append(cost)
                exact = cost if loss == judge else now.cost(judge)
                if exact <= low:
                    best, low = now, exact
                history.append((watch.seconds(), exact))
                levels.append((own_smoothing(loss), cost))
                watch.report(len(history) - 1, exact * cost_unit, now.points)
                if watch.stopped:
                    return Lowered(best, low, history, levels, watch_outcome(watch))
    except KeyboardInterrupt:
        watch.interrupted.set()
        outcome = Outcome.INTERRUPTED
    return Lowered(best, low, history, levels, outcome)


def _moved(
    now: Any, previous: Any, inertia: float, loss: Loss, cost: float, plan: Plan
) -> tuple[Any, float, float]:
    """Take a step, carried on by momentum; return the new inertia and the cost as well."""
    grown = 0.5 * (1.0 + sqrt(1.0 + 4.0 * inertia * inertia))  # Nesterov's sequence
    beta = (inertia - 1.0) / grown if plan.accelerate else 0.0
    if beta > 0.0:
        new = now.beyond(previous, beta).stepped(loss)
        reached = new.cost(loss)
        if reached <= cost:
            return new, grown, reached
    new = now.stepped(loss)
    return new, (1.0 if beta > 0.0 else grown), new.cost(loss)


def in_units(lowered: Lowered[Any], cost_unit: float, frame: Frame) -> tuple[Array, Array]:
    """Return history and levels of a descent in the user's unit."""
    history, levels = np.array(lowered.history), np.array(lowered.levels)
    history[:, 1] *= cost_unit
    levels[:, 1] *= cost_unit
    if frame.loss.anneals:
        levels[:, 0] = [frame.smoothing_in(1.0 / frame.unit, s) if s else 0.0 for s in levels[:, 0]]
    return history, levels
