"""Small tables: many starts, until the lowest map has been found again and again.

Where points are few, a start takes about a millisecond. Of most tables a third of all starts or
more lead to the lowest map, of a hard one a hundredth. So starts go on until the lowest map has
been found `Effort.again` times, or until they have taken all the work that a small table is worth.
In between, hops look for a better map: `Quest` has the ways to go on from the last starts. A series
of hops that ends lower than it began counts as a start.

The rule has a stated risk: after N starts, a map that a share p of all starts leads to has been
missed with a probability of (1 − p)^N. Where every second start leads to the lowest map so far, N
is about fifty, and a lower map with p = 0.1 is missed in one of two hundred fits; with
``n_init="thorough"`` N is about two hundred, and a lower map with p = 0.03 is missed in one of four
hundred.

On a line the squared loss leaves no doubt: see `unimds.starts.seriation.line`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from unimds.losses import Squared
from unimds.placecenter.minima import SAME, Starts, alike, turned
from unimds.placecenter.problem import Problem
from unimds.placecenter.result import Outcome, Result
from unimds.spaces.euclidean import Euclidean
from unimds.starts.hopping.base import Hopping, Minimum, Ways, hopped
from unimds.starts.hopping.ways import AlongAbsolute, AlongSquared, hopping
from unimds.starts.search import Search
from unimds.starts.seeds.initial import completed, configuration, first_seed
from unimds.starts.seriation.line import PROVEN, best_order, placed

Array = NDArray[Any]

KEPT = 20  # maps that are kept
ADAPTING = 1.6  # times the work, where targets adapt
GENERATION = 1200  # points in the maps that are crossed with each other: of few points many maps
CROSSED = 0.6  # share of the work that is left for crossings, at least
BARREN = 10.0  # crossings in vain for each map of a generation, before the next one begins
NEARBY = 0.1  # share of the work that is left for hops nearby
VAIN = 30 + 50  # as many hops nearby may be in vain as other hops of fifty points
ALIKE = 2e-5  # of its cost: so far above the lowest map are others from which they leave, too
SILENCE = 2.0  # seconds between two words on how far it is


class Effort(NamedTuple):
    """How much is done: up to how many points, until when, and within how much work.

    `again` is how often the lowest map must be found, `work` how many pairs may be computed, or
    what takes as long, and `patience` how many hops may be in vain, for each point and thirty more.
    `races` is how often starts are compared where points are many.
    """

    few: int
    again: int
    work: float
    patience: float
    races: int


EFFORTS = {"auto": Effort(100, 25, 1.3e8, 1.25, 1), "thorough": Effort(300, 100, 1.6e9, 4.0, 8)}
"""By the `n_init` that asks for it."""


class Chosen(NamedTuple):
    """Where to descend from, what is known of the starts, and whether the lowest map is proven.

    `size` is that of the space at which to begin, where it has been found with the starts.
    """

    starts: list[Array]
    minima: Starts | None = None
    proven: bool = False
    size: float | None = None

    def sized(self, problem: Problem) -> Problem:
        """Return the problem at the size at which to begin."""
        if self.size is None:
            return problem
        return problem.within(problem.frame.space.sized(self.size), resize=True)

    def told(self, result: Result) -> Result:
        """Return the result of the last descent with what is known of the starts."""
        if self.minima is not None:
            minima = self.minima.onto(result.embedding)
            if result.scaling is not None:  # disparities are told in another unit at last
                minima = minima.in_unit_of(result.cost)
            result = replace(result, starts=minima)
        if self.proven and result.outcome.converged and result.outcome is not Outcome.EXACT:
            result = replace(result, outcome=Outcome.PROVEN)
        return result


def small_table(search: Search, problem: Problem, rng: np.random.Generator) -> Chosen:
    """Return the lowest map of a table of few points."""
    n, effort = problem.pairs.n, EFFORTS[str(search.n_init)]
    if problem.adapts:  # fewer starts lead to the lowest map where disparities follow it
        effort = effort._replace(work=ADAPTING * effort.work)
    seed = first_seed(problem, search.init, rng)
    if on_line(problem) and n <= PROVEN and _is_plain(problem):
        table = completed(problem.pairs) * problem.frame.unit
        x = placed(table, best_order(table))
        return Chosen([_turned(problem, x[None], seed)], proven=True)
    search.watch.say("Looking for the lowest map …")
    held = problem if problem.held else problem.on(np.arange(n))
    ways = hopping(held, search.plan, search.watch.silent(), rng)
    quest = quest_by(ways)(ways, effort, search, rng)
    found = quest.found
    try:
        quest.look(seed)
    except KeyboardInterrupt:
        quest.give_up()
        if not found.best_maps:  # perhaps while code was being compiled: it is not compiled anew
            raise
        search.watch.interrupted.set()
    if not found.best_maps:  # stopped before the first start
        return Chosen([seed])
    lowest = _turned(problem, found.best.X, seed)
    return Chosen([lowest], found.told(problem), size=found.best.size)


def _turned(problem: Problem, X: Array, seed: Array) -> Array:
    """Turn a map onto the seed: else its directions would depend on the start that led to it."""
    rows = np.ascontiguousarray(X.T, dtype=np.float64)
    onto = np.ascontiguousarray(seed.T, dtype=np.float64)
    return configuration(turned(problem.frame.space, rows, onto), problem)


class Quest(ABC):
    """A look for the lowest map, until the rule says enough."""

    def __init__(self, ways: Ways, effort: Effort, search: Search, rng: np.random.Generator):
        self.ways, self.effort, self.search, self.rng = ways, effort, search, rng
        self.watch, self.found = search.watch, Found()
        self.reached: Callable[[], Minimum] | None = None  # by a series of hops that goes on

    def look(self, seed: Array) -> None:
        """Run one batch of starts after another, and go on from each."""
        found, ways, spoken = self.found, self.ways, self.watch.seconds()
        if self.search.init != "random":
            found.add([self._from(seed)])
        while not self._enough():
            if self.watch.seconds() > spoken + SILENCE:
                spoken = self.watch.seconds()
                self.watch.say(f"  {len(found.costs)} starts, the lowest map found {found.times} ×")
            fresh = partial(ways.fresh, found.lowest)
            batch = self.search.each(fresh, self.rng.spawn(ways.batch))
            found.add(batch)
            self.go_on(batch)

    @abstractmethod
    def go_on(self, batch: list[Minimum]) -> None:
        """Look for a lower map from where the last starts have led."""

    def _enough(self) -> bool:
        """Whether to end: the lowest map has been found often enough, or cannot be lower."""
        found, zero = self.found, self.ways.problem.exact_cost
        return found.enough(self.effort) or found.lowest <= zero or self.watch.stopped

    def _from(self, seed: Array) -> Minimum:
        """Return the minimum that the seed leads to: itself, if it is exact."""
        problem = self.ways.problem
        cost, _ = problem.costs(seed, problem.frame.loss, problem.frame.space)
        return Minimum(seed, cost, 0.0) if cost <= problem.exact_cost else self.ways.end(seed)

    def hop_on(
        self, hops: Hopping, here: Minimum, patience: float, effort: Effort, *, counts: bool = True
    ) -> None:
        """Hop on from a map until that was in vain for long, or all work is done."""
        found = self.found

        def enough(work: float) -> bool:
            return found.work + work >= effort.work or self.watch.stopped

        def reach(low: Minimum) -> None:
            self.reached = partial(hops.polished, low)

        there = hopped(hops, here, self.rng, patience, enough, reach)
        self.reached = None
        self._note(there, here, counts=counts)

    def give_up(self) -> None:
        """Keep what the last series of hops has reached."""
        if self.reached is not None:
            self.found.add([self.reached()], counts=False)

    def _note(self, there: Minimum, here: Minimum, *, counts: bool = True) -> None:
        """Note what hops have led to, and their work; it counts as a start if it is lower."""
        self.found.work += there.work
        if there.cost < here.cost:
            lower = there.cost < (1.0 - SAME) * here.cost
            self.found.add([there._replace(work=0.0)], counts=counts and lower)


@final
class Restarts(Quest):
    """Starts alone."""

    def go_on(self, batch: list[Minimum]) -> None:
        """Begin anew."""


@final
class Hops(Quest):
    """Series of hops, by turns from the lowest map and from another that may lead lower.

    At last hops go from the lowest maps to minima nearby, where there are some.
    """

    anew = False

    def __init__(self, ways: Ways, effort: Effort, search: Search, rng: np.random.Generator):
        super().__init__(ways, effort, search, rng)
        self.nearby = ways.nearby()
        if self.nearby is not None:
            self.effort = effort._replace(work=(1.0 - NEARBY) * effort.work)

    def look(self, seed: Array) -> None:
        """Run batches of starts and series of hops, and then hops nearby."""
        super().look(seed)
        if self.nearby is None:
            return
        found, zero = self.found, self.ways.problem.exact_cost
        effort = self.effort._replace(work=found.work / (1.0 - NEARBY))
        for here in found.best_maps:
            done = found.work >= effort.work or found.lowest <= zero or self.watch.stopped
            if done or here.cost > (1.0 + ALIKE) * found.lowest:
                break
            # these minima are one with those of the starts until the loss is sharp
            self.hop_on(self.nearby, here, VAIN * effort.patience, effort, counts=False)

    def go_on(self, batch: list[Minimum]) -> None:
        """Hop on from the best of these starts, or from the lowest map."""
        here = min(batch, key=_cost) if self.anew else self.found.best
        patience = self.effort.patience * (30 + here.X.shape[1])
        self.hop_on(self.ways, here, patience, self.effort)
        self.anew = not self.anew


@final
class Crossings(Quest):
    """Generations of maps, some hops away from random ones, which are crossed with each other."""

    def __init__(
        self, ways: AlongAbsolute, effort: Effort, search: Search, rng: np.random.Generator
    ):
        super().__init__(ways, effort, search, rng)
        self.cross = ways.crossed
        self.maps: list[Minimum] = []
        self.begun = 0.0  # the work before this generation

    def go_on(self, batch: list[Minimum]) -> None:
        """Hop some times from each start; once they are a generation, cross them."""
        for here in batch:
            there = self.ways.hop(here, self.rng)
            self._note(there, here)
            self.maps.append(there)
            if self._enough():
                return
        work, left = self.found.work - self.begun, self.effort.work - self.begun
        whole = len(self.maps) >= GENERATION // self.maps[0].X.shape[1]
        if whole or work >= (1.0 - CROSSED) * left:
            self.cross_all()
            self.maps, self.begun = [], self.found.work

    def cross_all(self) -> None:
        """Cross the maps of this generation, until that is in vain."""
        maps, vain = self.maps, 0
        low = min(maps, key=_cost)
        while vain < BARREN * len(maps) and not self._enough():
            before = maps
            maps, work = self.cross(before, self.rng)
            same = all(one is other for one, other in zip(maps, before, strict=True))
            vain = vain + self.ways.together if same else 0
            best = min(maps, key=_cost)
            self._note(best._replace(work=work), low)
            low = best


def quest_by(ways: Ways) -> type[Quest]:
    """Return how to look for the lowest map, where starts and hops are of this kind."""
    kinds: dict[type[Ways], type[Quest]] = {AlongSquared: Restarts, AlongAbsolute: Crossings}
    return kinds.get(type(ways), Hops)


@final
@dataclass
class Found:
    """What has been found so far: all costs, and the best maps with different costs."""

    costs: list[float] = field(default_factory=list)
    best_maps: list[Minimum] = field(default_factory=list)
    work: float = 0.0

    @property
    def best(self) -> Minimum:
        """The lowest of all."""
        return self.best_maps[0]

    @property
    def lowest(self) -> float:
        """Its cost."""
        return self.best_maps[0].cost if self.best_maps else np.inf

    @property
    def times(self) -> int:
        """How often the lowest map has been found."""
        return alike(np.array(self.costs)) if self.costs else 0

    def add(self, minima: list[Minimum], *, counts: bool = True) -> None:
        """Note some minima; they count as starts, or do not."""
        self.costs += [one.cost for one in minima] if counts else []
        self.work += sum(one.work for one in minima)
        maps: list[Minimum] = []
        for one in sorted([*self.best_maps, *minima], key=_cost):
            if not maps or one.cost > (1.0 + SAME) * maps[-1].cost:
                maps.append(one)
        self.best_maps = maps[:KEPT]

    def enough(self, effort: Effort) -> bool:
        """Whether the lowest map has been found often enough, or all work is done."""
        return self.times >= effort.again or self.work >= effort.work

    def told(self, problem: Problem) -> Starts:
        """Return it in the user's unit."""
        frame = problem.frame
        maps = [frame.outer(one.X) for one in self.best_maps]
        costs = [one.cost * frame.cost_unit for one in self.best_maps]
        size = self.best.size
        space = frame.outer_space(frame.space if size is None else frame.space.sized(size))
        return Starts(
            np.array(self.costs) * frame.cost_unit, np.array(maps), np.array(costs), space
        )


def _cost(minimum: Minimum) -> float:
    return minimum.cost


def on_line(problem: Problem) -> bool:
    """Whether the map is a line."""
    return problem.n_components == 1 and type(problem.frame.space) is Euclidean


def _is_plain(problem: Problem) -> bool:
    """Whether the cost is the sum of all squared errors, with equal weights."""
    pairs = problem.pairs
    _, W = pairs.table.whole()
    plain = type(problem.frame.loss) is Squared and not problem.adapts
    return plain and pairs.weighing.complete and W is None
