"""Ways to look for minima of a small table: fresh starts, and hops from one minimum to another.

Most problems have hops by ever sharper losses, see `unimds.starts.hopping.sharpening`. Along a line
or a circle, the absolute and the squared loss have ways of their own: maps of the absolute loss are
crossed with each other, too, where some points of one go where they lie in another.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.watch import Watch
from unimds.losses import Squared
from unimds.placecenter.descent.driver import lowered
from unimds.placecenter.descent.plan import Plan
from unimds.placecenter.problem import Problem
from unimds.starts.hopping.base import CALL, Minimum, Ways, kicked, scattered
from unimds.starts.hopping.sharpening import Sharpening
from unimds.starts.seriation.curves import AbsoluteCurve, Curve, Lowered, SquaredCurve, curve_of
from unimds.starts.shaking import Shaker

Array = NDArray[Any]

SWEEP = 60_000  # pairs that take as long as all else in a sweep
BOUND = 10.0  # what a sweep costs where disparities are found within a bound
FEW = 4  # starts in a batch along a curve by the absolute loss: hops are worth more
TOGETHER = 8  # hops or crossings along a curve in one call, each of which takes less than a call


def hopping(problem: Problem, plan: Plan, watch: Watch, rng: np.random.Generator) -> Ways:
    """Return the way that suits a problem."""
    curve = curve_of(problem)
    if problem.adapts:
        return Watched(problem, plan, watch, rng, curve)
    if isinstance(curve, AbsoluteCurve):
        return AlongAbsolute(problem, curve)
    if isinstance(curve, SquaredCurve) and type(problem.frame.loss) is Squared:
        return AlongSquared(problem, curve)
    plain = plan.solver == "sweeps" or not plan.accelerate or plan.inner_iter > 1
    if problem.anneals_compiled and plan.smoothing == "auto" and not plain:
        return Sharpening(problem, curve, plan.eps, watch, rng)
    return Watched(problem, plan, watch, rng, None)


class AlongCurve(Ways):
    """A line or a circle: see `unimds.starts.seriation.curves`."""

    curve: Curve

    def fresh(self, lowest: float, rng: np.random.Generator) -> Minimum:
        return self._found(self.curve.lowered(self.curve.random(rng)))

    def end(self, X: Array) -> Minimum:
        return self._found(self.curve.lowered(self.curve.positions(X)))

    def _found(self, found: Lowered) -> Minimum:
        x, cost, work = found
        X = self.curve.points(x, self.problem.dtype)
        if self.problem.pairs.layers > 1:  # the curve knows the mean of both directions only
            cost, _ = self.problem.costs(X, self.problem.frame.loss, self.problem.frame.space)
        return Minimum(X, cost, CALL + work)


@final
class AlongSquared(AlongCurve):
    """The squared loss on a line or a circle, where starts find more than hops."""

    def __init__(self, problem: Problem, curve: SquaredCurve):
        self.problem, self.curve = problem, curve

    def hop(self, there: Minimum, rng: np.random.Generator, tired: float = 0.0) -> Minimum:
        return self.end(kicked(self.problem, there.X, rng))


@final
class AlongAbsolute(AlongCurve):
    """The absolute loss on a line or a circle."""

    batch, together = FEW, TOGETHER

    def __init__(self, problem: Problem, curve: AbsoluteCurve):
        self.problem, self.curve, self.alone = problem, curve, curve.alone()

    def hop(self, there: Minimum, rng: np.random.Generator, tired: float = 0.0) -> Minimum:
        return self._found(self.alone.hopped(self.curve.positions(there.X), TOGETHER, rng))

    def crossed(self, maps: list[Minimum], rng: np.random.Generator) -> tuple[list[Minimum], float]:
        """Cross maps with each other; return them, the lower ones for some, and the work."""
        before = np.array([self.curve.positions(one.X) for one in maps])
        after, work = self.alone.crossed(before, TOGETHER, rng)
        maps, work = list(maps), CALL + work
        for i in np.flatnonzero((after != before).any(axis=1)):
            maps[i] = self._found(self.alone.lowered(after[i]))
            work += maps[i].work
        return maps, work


@final
class Watched(Ways):
    """Descents that come back after every sweep: any space, any solver."""

    def __init__(
        self,
        problem: Problem,
        plan: Plan,
        watch: Watch,
        rng: np.random.Generator,
        curve: Curve | None,
    ):
        self.problem, self.watch, self.shaker = problem, watch, Shaker(problem, rng)
        self.curve = curve
        # a regression within a bound takes several projections
        bound = problem.adapts and type(problem.frame.loss) is not Squared
        self.price = BOUND if bound else 1.0
        self.plan = replace(plan, eps=max(plan.eps, 1e-7))

    def fresh(self, lowest: float, rng: np.random.Generator) -> Minimum:
        if self.curve is None:
            return self.end(scattered(self.shaker, rng, self.watch))
        x = self.curve.lowered(self.curve.random(rng)).x  # a good order, whatever the targets
        return self.end(self.curve.points(x, self.problem.dtype))

    def hop(self, there: Minimum, rng: np.random.Generator, tired: float = 0.0) -> Minimum:
        return self.end(kicked(self.problem, there.X, rng))

    def end(self, X: Array) -> Minimum:
        record, _ = lowered(self.problem, X, self.plan, self.watch)
        each = self.price * (0.5 * self.problem.pairs.n**2 + SWEEP)
        size = record.best.space.unit if self.problem.frame.resize else None
        work = CALL + record.sweeps * each
        return Minimum(record.best.X, record.best.cost, work, size=size)
