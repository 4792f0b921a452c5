"""Ways to look for minima of a small table: a fresh start, and a hop from one minimum to another.

A hop exchanges two points, puts two of them anywhere, mirrors some neighbours, or lets all points
stray: they follow a table with random errors for a while. From there it descends again, by ever
sharper losses, and gives up as soon as it is clear that it will not end lower: the map that it left
from is known by each of these losses, so that like is compared with like, and the way back to that
map is noticed. Hops end at a loss that is nearly sharp, since the last levels take most of the
steps of a descent; the map that a series of hops leads to is brought to the last digit. Where most
fresh starts end in a poor minimum, hops lead from it to better ones nearby.

Along a line or a circle, maps of a robust loss are crossed with each other, too: some points of one
go where they lie in another.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.watch import Watch
from unimds.losses import Loss, Squared
from unimds.placecenter.descent.annealing import LEVELS_PER_DECADE, annealing
from unimds.placecenter.descent.driver import lowered
from unimds.placecenter.descent.plan import PATIENCE, STAGE_SWEEPS, Plan
from unimds.placecenter.descent.quasi_newton import Limits, annealed, annealed_each
from unimds.placecenter.minima import SAME
from unimds.placecenter.problem import Problem
from unimds.spaces.euclidean import Euclidean
from unimds.starts.hopping.exchanges import Exchanges
from unimds.starts.hopping.mirrors import MIRRORS, mirrored
from unimds.starts.seeds.initial import draw
from unimds.starts.seriation.curves import AbsoluteCurve, Curve, Lowered, SquaredCurve, curve_of
from unimds.starts.shaking import SHAKE_SWEEPS, Shaker, rounded

Array = NDArray[Any]

CALL, STEP, SWEEP = 20_000, 300, 60_000  # pairs that take as long as all else in each of them
BOUND = 10.0  # what a sweep costs where disparities are found within a bound
FLAT, CURVED = 0.8, 1.6  # what a pair costs in flat space, and in curved space
SHARPER = 7  # levels of smoothing, two in a decade, some of which a descent leaves out at first
DETAILED = 2  # levels that it leaves out in any case after an exchange, which they would undo
SMOOTHED = 0.2  # of the cost, times the smoothing over the first: more than what sharpening gains
# share of what sharpening gains that may differ between two maps; the standard deviation is 0.01
# to 0.2
DOUBT = 0.1
JUDGED = 0.9e-4  # smoothing over the first down to which hops descend: sharper losses take long
EARLY = 3e-5  # share of the cost, a step: less is not waited for while the loss is still smooth
# the same, times the smoothing over the first, where the cost is to tell how low it will end
PRECISE, MOST_PRECISE = 1e-5, 1e-9
SHARP = 8  # losses of the last four decades, where the cost is nearly that of the loss as given
FEW, SOME = 4, 4  # starts in a batch along a curve, and by a robust loss: hops are worth more
TOGETHER = 8  # hops or crossings along a curve in one call, each of which takes less than a call
ABREAST = 8  # other hops in one call, of which the first that ends lower is the last
NEAR = 1e-3  # of the goal: within it, a descent goes on to the last digit
LAST_STEPS = 2000
KICKED = 0.6  # share of hops that move two points, the others let all points stray
MIRRORED = 0.15  # of them, the share that mirrors some points in place of moving two
EXCHANGED = 0.85  # of the others, the share that exchanges the two
ASTRAY = 60  # steps that they follow a table with random errors, at most
SPREAD = -0.5, 0.5  # decades of the size of the errors
COARSE = 3  # levels of smoothing, from the first on, at which they begin to
FAR, FINE = 0.6, 1.0  # from this share of the patience on, errors fall by so many decades
NOT_TOLD = np.empty(0)


class Minimum(NamedTuple):
    """Where a descent ended: a configuration, its cost, and how much work it took, in pairs.

    For hops, `costs` may be those by ever sharper losses on the way down to it.
    """

    X: Array
    cost: float
    work: float
    costs: Array = NOT_TOLD


class Hopping(ABC):
    """Fresh starts and hops of one problem.

    Descents end early where they have no hope: fresh starts to end as low as `lowest`, the lowest
    cost so far, and hops to end lower than they began.
    """

    problem: Problem
    together = 1  # hops in one call
    batch = 16  # starts between two times of hopping, the same whatever the number of threads

    @abstractmethod
    def fresh(self, lowest: float, rng: np.random.Generator) -> Minimum:
        """Return the minimum that a random start leads to."""

    def several(self, count: int, rng: np.random.Generator) -> list[Minimum]:
        """Return the minima that so many random starts lead to, in less time for each."""
        return [self.fresh(np.inf, rng) for _ in range(count)]

    @abstractmethod
    def hop(self, there: Minimum, rng: np.random.Generator, tired: float = 0.0) -> Minimum:
        """Return the minimum that a hop leads to.

        Of several `together` it is the lowest, or the first that is lower than the one they left.
        `tired` grows from 0 to 1 while hops from there are in vain.
        """

    def roughly(self, there: Minimum) -> Minimum:
        """Return a minimum to leave from, with its cost as hops tell it."""
        return there._replace(work=0.0)

    def polished(self, there: Minimum) -> Minimum:
        """Return a minimum that hops have led to, to the last digit."""
        return there._replace(work=0.0)

    @abstractmethod
    def end(self, X: Array) -> Minimum:
        """Return the minimum that a configuration leads to."""


def hopping(problem: Problem, plan: Plan, watch: Watch, rng: np.random.Generator) -> Hopping:
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
        return Compiled(problem, curve, plan.eps, watch, rng)
    return Watched(problem, plan, watch, rng, None)


def hopped(
    ways: Hopping,
    here: Minimum,
    rng: np.random.Generator,
    patience: float,
    enough: Callable[[float], bool] = lambda work: False,
) -> Minimum:
    """Hop on from a minimum, until hops are in vain or so much work is enough.

    Return where that led to, with the work of all; it is the same configuration if all was in vain.
    """
    first = low = ways.roughly(here)
    vain, work, zero = 0, first.work, ways.problem.exact_cost
    while vain < patience and low.cost > zero and not enough(work):
        there = ways.hop(low, rng, vain / patience)
        work += there.work
        vain = 0 if there.cost < (1.0 - SAME) * low.cost else vain + ways.together
        low = there if there.cost < low.cost else low
    if low is first:
        return here._replace(work=work)
    end = ways.polished(low)
    return end._replace(work=work + end.work)


def kicked(problem: Problem, X: Array, rng: np.random.Generator) -> Array:
    """Return the map with two points exchanged, or both of them anywhere."""
    X, two = X.copy(), rng.choice(X.shape[1], 2, replace=False)
    X[:, two] = X[:, two[::-1]] if rng.random() < 0.5 else draw(problem, rng)[:, two]
    return X


def scattered(shaker: Shaker, rng: np.random.Generator, watch: Watch) -> Array:
    """Return a random configuration, shaken."""
    X = draw(shaker.problem, rng)
    _, loss = rounded(shaker.problem, X)
    return shaker.shaken(loss, X, SHAKE_SWEEPS, rng, watch)


class AlongCurve(Hopping):
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
class Levels(NamedTuple):
    """Ever sharper losses, and how smooth they are, as a share of the first."""

    losses: list[Loss]
    sizes: Array

    def bars(self, cost: float) -> Array:
        """Return what the cost by each loss must be to end below another."""
        return cost * (1.0 + SMOOTHED * self.sizes)

    def after(self, first: int) -> Levels:
        """Return them from a number on, or the last."""
        first = min(max(first, 0), len(self.losses) - 1)
        return Levels(self.losses[first:], self.sizes[first:])

    def down_to(self, size: float) -> Levels:
        """Return those that are at least so smooth, or the first."""
        many = max(int(np.count_nonzero(self.sizes >= size)), 1)
        return Levels(self.losses[:many], self.sizes[:many])

    @property
    def slowest(self) -> Array:
        """How slowly the cost may fall by each loss, so that it tells how low it will end."""
        return np.clip(PRECISE * self.sizes, MOST_PRECISE, EARLY)

    def sharper(self, rng: np.random.Generator, most: int) -> Levels:
        """Leave out some of the first, less than `most`.

        With all, most descents end in one and the same minimum, which need not be the lowest.
        """
        return self.after(int(rng.integers(most)))


@final
class Compiled(Hopping):
    """Descents that are one call of compiled code each, with all levels of smoothing."""

    def __init__(
        self,
        problem: Problem,
        curve: Curve | None,
        eps: float,
        watch: Watch,
        rng: np.random.Generator,
    ):
        self.problem, self.curve, self.watch, self.together = problem, curve, watch, ABREAST
        self.shaker = Shaker(problem, rng)
        robust = problem.frame.loss.anneals
        if robust:  # most starts end in poor minima
            self.batch = SOME
        self.mirrors = robust and type(problem.frame.space) in MIRRORS
        self.exchanges = Exchanges(problem)
        self.levels = Levels([], np.empty(0))  # by which hops are judged
        self.error_of = lru_cache(maxsize=1)(problem.error_of)
        self.price = FLAT if type(problem.frame.space) is Euclidean else CURVED
        self.limits = Limits(STAGE_SWEEPS, PATIENCE, max(eps, 1e-7), problem.exact_cost)
        self.last = self.limits._replace(steps=LAST_STEPS, eps=0.01 * self.limits.eps)

    def fresh(self, lowest: float, rng: np.random.Generator) -> Minimum:
        if self.curve is None:
            X = scattered(self.shaker, rng, self.watch)
        else:  # the order is what matters: the squared loss finds good ones, but not all
            x = self.curve.random(rng)
            x = self.curve.lowered(x).x if rng.random() < 0.5 else x
            X = self.curve.points(x, self.problem.dtype)
        levels = self._levels(X)
        return self._begun(X, levels.sharper(rng, SHARPER), (1.0 + 2.0 * SAME) * lowest)

    def several(self, count: int, rng: np.random.Generator) -> list[Minimum]:
        X = np.stack([draw(self.problem, rng) for _ in range(count)])
        found = annealed_each(self.problem, X, self._levels(X[0]).losses, self.limits)
        return [Minimum(one.X, one.cost, CALL + self._work(one.steps)) for one in found]

    def roughly(self, there: Minimum) -> Minimum:
        self.levels = self._levels(there.X).down_to(JUDGED)
        return self._with_costs(there.X, np.full(len(self.levels.losses), np.nan), 0.0)

    def hop(self, there: Minimum, rng: np.random.Generator, tired: float = 0.0) -> Minimum:
        levels, goal = self.levels, (1.0 - SAME) * there.cost
        X, first, work = self._begins(there, rng, tired)
        found = annealed_each(
            self.problem, X, levels.losses, self.last,
            spans=np.stack([first, np.full_like(first, len(levels.losses))], axis=1),
            slowest=levels.slowest, bars=there.costs + DOUBT * (there.costs - there.cost),
            known=there.costs, goal=goal,
        )  # fmt: skip
        last, work = found[-1], work + CALL + self._work(sum(one.steps for one in found))
        if last.cost <= self.limits.zero:
            return Minimum(last.X, last.cost, work)
        if last.ends[-1] < goal:
            return self._with_costs(last.X, last.ends, work)
        return Minimum(last.X, np.inf, work)  # all were given up

    def _begins(
        self, there: Minimum, rng: np.random.Generator, tired: float
    ) -> tuple[Array, Array, float]:
        """Return where hops begin to descend, by which of the losses, and the work so far."""
        far = rng.random(self.together) >= KICKED  # these stray
        decades = FINE * max(tired - FAR, 0.0) / (1.0 - FAR)
        finer, count = round(LEVELS_PER_DECADE * decades), np.count_nonzero(far)
        first = np.where(
            far,
            finer + rng.integers(COARSE, size=far.size),
            DETAILED + rng.integers(SHARPER - DETAILED, size=far.size),
        ).clip(max=len(self.levels.losses) - 1)
        X = np.empty((far.size, *there.X.shape), there.X.dtype)
        for one in np.flatnonzero(~far):
            X[one] = self._kicked(there.X, rng)
        if not count:
            return X, first, 0.0
        sizes = 10.0 ** (rng.uniform(*SPREAD, count) - decades) * self.error_of(there.cost)
        # a map that meets a table with errors exactly is not the one that is looked for: go on
        astray = annealed_each(
            self.problem, np.repeat(there.X[None], count, axis=0), self.levels.losses,
            self.limits._replace(steps=ASTRAY, eps=EARLY, zero=-np.inf),
            spans=np.stack([first[far], first[far] + 1], axis=1),
            tables=self.problem.with_errors(sizes, rng),
        )  # fmt: skip
        X[far] = [one.X for one in astray]
        return X, first, CALL + self._work(sum(one.steps for one in astray))

    def polished(self, there: Minimum) -> Minimum:
        return self._ended(there._replace(work=0.0), self._levels(there.X), np.inf)

    def _with_costs(self, X: Array, costs: Array, work: float) -> Minimum:
        """Return a minimum with its costs by all losses, of which the last may be known.

        Where the loss is smoother, its points give way: like is compared with like.
        """
        unknown = np.count_nonzero(np.isnan(costs))
        if unknown:
            levels = Levels(self.levels.losses[:unknown][::-1], self.levels.sizes[:unknown][::-1])
            back = annealed(self.problem, X, levels.losses, self.last, slowest=levels.slowest)
            costs[:unknown], work = back.ends[::-1], work + CALL + self._work(back.steps)
        return Minimum(X, float(costs[-1]), work, costs)

    def end(self, X: Array) -> Minimum:
        return self._begun(X, self._levels(X), np.inf)

    def _kicked(self, X: Array, rng: np.random.Generator) -> Array:
        """Return the map with points mirrored, the next two exchanged, or any two moved."""
        if self.mirrors and rng.random() < MIRRORED:
            return mirrored(self.problem.frame.space, X, rng)
        exchanged = self.exchanges.next(X) if rng.random() < EXCHANGED else None
        return kicked(self.problem, X, rng) if exchanged is None else exchanged

    def _levels(self, X: Array) -> Levels:
        """Return the losses to descend by from `X`."""
        loss = self.problem.frame.loss
        if not loss.anneals:
            return Levels([loss], np.zeros(1))
        smoothings = annealing(self.problem, X)
        losses = [loss.smoothed(smoothing) for smoothing in smoothings]
        return Levels(losses, np.array(smoothings) / smoothings[0])

    def _begun(self, X: Array, levels: Levels, goal: float) -> Minimum:
        """Descend, roughly; and then to the last digit, as long as that may come below `goal`."""
        slowest = np.full(len(levels.losses), EARLY)
        slowest[-1] = self.limits.eps
        found = self._annealed(X, levels, self.limits, slowest=slowest)
        return self._ended(found, levels, goal) if found.cost <= (1.0 + NEAR) * goal else found

    def _ended(self, found: Minimum, levels: Levels, goal: float) -> Minimum:
        """Descend on to the last digit, as long as that may come below `goal`."""
        last = levels.after(len(levels.losses) - SHARP)
        ended = self._annealed(found.X, last, self.last, bars=last.bars(goal))
        lower = ended if ended.cost < found.cost else found
        return lower._replace(work=found.work + ended.work)

    def _annealed(self, X: Array, levels: Levels, limits: Limits, **until: Any) -> Minimum:
        found = annealed(self.problem, X, levels.losses, limits, **until)
        return Minimum(found.X, found.cost, CALL + self._work(found.steps))

    def _work(self, steps: int) -> float:
        """Return what steps cost, in pairs."""
        return steps * self.price * (0.5 * self.problem.pairs.n**2 + STEP)


@final
class Watched(Hopping):
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
        return Minimum(record.best.X, record.best.cost, CALL + record.sweeps * each)
