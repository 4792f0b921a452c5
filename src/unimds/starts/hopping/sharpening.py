"""Starts and hops that descend by ever sharper losses.

A hop exchanges two points, puts two of them anywhere, mirrors some neighbours, or lets all points
stray: they follow a table with random errors for a while. From there it descends again, by ever
sharper losses, and gives up as soon as it is clear that it will not end lower: the map that it left
from is known by each of these losses, so that like is compared with like, and the way back to that
map is noticed. Hops end at a loss that is nearly sharp, since the last levels take most of the
steps of a descent; the map that a series of hops leads to is brought to the last digit. Where most
fresh starts end in a poor minimum, hops lead from it to better ones nearby.

Some minima are one until the loss is sharp: their costs differ by some millionths. `Nearby` has
hops from one to another, which begin where the loss is nearly sharp and end at the last digit.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import lru_cache
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.watch import Watch
from unimds.losses import Loss
from unimds.placecenter.descent.annealing import LEVELS_PER_DECADE, annealing
from unimds.placecenter.descent.plan import PATIENCE, STAGE_SWEEPS
from unimds.placecenter.descent.quasi_newton import Descent, Limits, annealed, annealed_each
from unimds.placecenter.minima import SAME
from unimds.placecenter.problem import Problem
from unimds.spaces.euclidean import Euclidean
from unimds.starts.hopping.base import (
    CALL,
    Hopping,
    Minimum,
    Ways,
    as_given,
    kicked,
    scattered,
)
from unimds.starts.hopping.exchanges import Exchanges
from unimds.starts.hopping.mirrors import MIRRORS, mirrored
from unimds.starts.seeds.initial import draw
from unimds.starts.seriation.curves import Curve
from unimds.starts.shaking import Shaker

Array = NDArray[Any]

STEP = 300  # pairs that take as long as all else in a step
FLAT, CURVED = 0.8, 1.6  # what a pair costs in flat space, and in curved space
SHARPER = 5  # levels of smoothing, two in a decade, some of which a descent leaves out at first
DETAILED = 2  # levels that it leaves out in any case after an exchange, which they would undo
SMOOTHED = 0.2  # of the cost, times the smoothing over the first: more than what sharpening gains
JUDGED = 0.9e-4  # smoothing over the first down to which hops descend: sharper losses take long
EARLY = 3e-5  # share of the cost, a step: less is not waited for while the loss is still smooth
# the same, times the smoothing over the first, where the cost is to tell how low it will end
PRECISE, MOST_PRECISE = 1e-5, 1e-9
SHARP = 8  # losses of the last four decades, where the cost is nearly that of the loss as given
SOME = 4  # starts in a batch by a robust loss: hops are worth more
ABREAST = 8  # hops in one call, of which the first that ends lower is the last
NEAR = 1e-3  # of the goal: within it, a descent goes on to the last digit
LAST_STEPS = 2000
KICKED = 0.6  # share of hops that move two points, the others let all points stray
MIRRORED = 0.15  # of them, the share that mirrors some points in place of moving two
EXCHANGED = 0.85  # of the others, the share that exchanges the two
ASTRAY = 30  # steps that they follow a table with random errors, at most
SPREAD = -0.4, 0.5  # decades of the size of the errors
COARSE = 3  # levels of smoothing, from the first on, at which they begin to
FAR, FINE = 0.6, 1.0  # from this share of the patience on, errors fall by so many decades
# of hops nearby: the share that moves one point, the levels they begin at, and the size of errors
MOVED, SHARPEST, LITTLE = 0.6, (4, 9), (-1.5, -0.5)
LEAST = 1e-7  # share of the cost that such a hop gains, at least: some of them make a difference


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


class ByLevels(Hopping):
    """Hops that are one call of compiled code each, with levels of smoothing."""

    together = ABREAST
    gain = SAME  # share of the cost: minima that differ by less are one
    # share of what sharpening gains that may differ between two maps; the standard deviation is
    # 0.01 to 0.2
    doubt = 0.1

    def __init__(self, problem: Problem, eps: float):
        self.problem = problem
        self.levels = Levels([], np.empty(0))  # by which hops are judged
        self.error_of = lru_cache(maxsize=1)(problem.error_of)
        self.price = FLAT if type(problem.frame.space) is Euclidean else CURVED
        self.limits = Limits(STAGE_SWEEPS, PATIENCE, eps, problem.exact_cost)
        self.last = self.limits._replace(steps=LAST_STEPS, eps=0.01 * eps)

    @abstractmethod
    def judging(self, X: Array) -> Levels:
        """Return the levels down to which hops from a map descend, and are judged."""

    def roughly(self, there: Minimum) -> Minimum:
        self.levels = self.judging(there.X)
        return self._with_costs(there.X, np.full(len(self.levels.losses), np.nan), 0.0)

    def _descended(
        self, there: Minimum, X: Array, first: Array, known: Array | float = np.nan
    ) -> Minimum:
        """Descend from each of some maps, by levels from its first on, until one ends lower."""
        last, goal = np.full_like(first, len(self.levels.losses)), (1.0 - self.gain) * there.cost
        found = annealed_each(
            self.problem, X, self.levels.losses, self.last,
            spans=np.stack([first, last], axis=1), slowest=self.levels.slowest,
            bars=there.costs + self.doubt * (there.costs - there.cost), known=known, goal=goal,
        )  # fmt: skip
        end, work = found[-1], self._work(found)
        if end.cost <= self.limits.zero:
            return Minimum(end.X, end.cost, work)
        if end.ends[-1] < goal:
            return self._with_costs(end.X, end.ends, work)
        return Minimum(end.X, np.inf, work)  # all were given up

    def _strayed(
        self, X: Array, first: Array, decades: Array, cost: float, rng: np.random.Generator
    ) -> tuple[Array, float]:
        """Let points stray from a map, once for each first level; return the maps, and the work.

        The size of the errors that they follow is, in decades, that of the errors of the map.
        """
        # a map that meets a table with errors exactly is not the one that is looked for: go on
        limits = self.limits._replace(steps=ASTRAY, eps=EARLY, zero=-np.inf)
        found = annealed_each(
            self.problem, np.repeat(X[None], first.size, axis=0), self.levels.losses, limits,
            spans=np.stack([first, first + 1], axis=1),
            tables=self.problem.with_errors(10.0**decades * self.error_of(cost), rng),
        )  # fmt: skip
        return np.array([one.X for one in found]), self._work(found)

    def _with_costs(self, X: Array, costs: Array, work: float) -> Minimum:
        """Return a minimum with its costs by all losses, of which the last may be known.

        Where the loss is smoother, its points give way: like is compared with like.
        """
        unknown = np.count_nonzero(np.isnan(costs))
        if unknown:
            levels = Levels(self.levels.losses[:unknown][::-1], self.levels.sizes[:unknown][::-1])
            back = annealed(self.problem, X, levels.losses, self.last, slowest=levels.slowest)
            costs[:unknown], work = back.ends[::-1], work + self._work([back])
        return Minimum(X, float(costs[-1]), work, costs)

    def _work(self, descents: list[Descent]) -> float:
        """Return what a call with some descents costs, in pairs."""
        steps = sum(one.steps for one in descents)
        return CALL + steps * self.price * (0.5 * self.problem.pairs.n**2 + STEP)


def levels_of(problem: Problem, X: Array) -> Levels:
    """Return the losses to descend by from `X`."""
    loss = problem.frame.loss
    if not loss.anneals:
        return Levels([loss], np.zeros(1))
    smoothings = annealing(problem, X)
    losses = [loss.smoothed(smoothing) for smoothing in smoothings]
    return Levels(losses, np.array(smoothings) / smoothings[0])


@final
class Nearby(ByLevels):
    """Hops between minima that are one until the loss is sharp."""

    gain, doubt = LEAST, 0.5

    def judging(self, X: Array) -> Levels:
        return levels_of(self.problem, X)

    def hop(self, there: Minimum, rng: np.random.Generator, tired: float = 0.0) -> Minimum:
        X, n = np.repeat(there.X[None], self.together, axis=0), there.X.shape[1]
        first = rng.integers(*SHARPEST, size=len(X)).clip(max=len(self.levels.losses) - 1)
        moved, work = rng.random(len(X)) < MOVED, 0.0
        for one in np.flatnonzero(moved):
            point = rng.integers(n)
            X[one, :, point] = draw(self.problem, rng)[:, point]
        astray = ~moved
        if astray.any():
            decades = rng.uniform(*LITTLE, np.count_nonzero(astray))
            X[astray], work = self._strayed(there.X, first[astray], decades, there.cost, rng)
        found = self._descended(there, X, first)
        return found._replace(work=found.work + work)

    def polished(self, there: Minimum) -> Minimum:
        """Return it as it is: a descent might leave it."""
        return as_given(self.problem, there.X)


@final
class Sharpening(ByLevels, Ways):
    """Descents that are one call of compiled code each, with all levels of smoothing."""

    def __init__(
        self,
        problem: Problem,
        curve: Curve | None,
        eps: float,
        watch: Watch,
        rng: np.random.Generator,
    ):
        super().__init__(problem, max(eps, 1e-7))
        self.curve, self.watch, self.shaker = curve, watch, Shaker(problem, rng)
        self.robust = problem.frame.loss.anneals
        if self.robust:  # most starts end in poor minima
            self.batch = SOME
        self.mirrors = self.robust and type(problem.frame.space) in MIRRORS
        self.exchanges = Exchanges(problem)

    def judging(self, X: Array) -> Levels:
        return levels_of(self.problem, X).down_to(JUDGED)

    def nearby(self) -> Hopping | None:
        return Nearby(self.problem, self.limits.eps) if self.robust else None

    def fresh(self, lowest: float, rng: np.random.Generator) -> Minimum:
        if self.curve is None:
            X = scattered(self.shaker, rng, self.watch)
        else:  # the order is what matters: the squared loss finds good ones, but not all
            x = self.curve.random(rng)
            x = self.curve.lowered(x).x if rng.random() < 0.5 else x
            X = self.curve.points(x, self.problem.dtype)
        levels = levels_of(self.problem, X)
        return self._begun(X, levels.sharper(rng, SHARPER), (1.0 + 2.0 * SAME) * lowest)

    def several(self, count: int, rng: np.random.Generator) -> list[Minimum]:
        X = np.stack([draw(self.problem, rng) for _ in range(count)])
        losses = levels_of(self.problem, X[0]).losses
        found = annealed_each(self.problem, X, losses, self.limits)
        return [Minimum(one.X, one.cost, self._work([one])) for one in found]

    def hop(self, there: Minimum, rng: np.random.Generator, tired: float = 0.0) -> Minimum:
        X, first, work = self._begins(there, rng, tired)
        found = self._descended(there, X, first, there.costs)
        return found._replace(work=found.work + work)

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
        sizes = rng.uniform(*SPREAD, count) - decades
        X[far], work = self._strayed(there.X, first[far], sizes, there.cost, rng)
        return X, first, work

    def polished(self, there: Minimum) -> Minimum:
        exactly = as_given(self.problem, there.X)
        return self._ended(exactly, levels_of(self.problem, there.X), np.inf)

    def end(self, X: Array) -> Minimum:
        return self._begun(X, levels_of(self.problem, X), np.inf)

    def _kicked(self, X: Array, rng: np.random.Generator) -> Array:
        """Return the map with points mirrored, the next two exchanged, or any two moved."""
        if self.mirrors and rng.random() < MIRRORED:
            return mirrored(self.problem.frame.space, X, rng)
        exchanged = self.exchanges.next(X) if rng.random() < EXCHANGED else None
        return kicked(self.problem, X, rng) if exchanged is None else exchanged

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
        return Minimum(found.X, found.cost, self._work([found]))
