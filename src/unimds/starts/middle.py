"""Tables of some hundred points: tournaments of starts of all points.

Starts are *shaken* (`unimds.starts.shaking`) in stages: first every point meets few others, later
more. Early sweeps take least, and already tell good arrangements from poor ones. So there are many
starts in the first stage, and the better half of them goes on after each; those left at the end
descend, as long as they may end lower than the lowest map so far. Some starts are the seed, which
finds the best arrangement of points that nearly fit; all others are random, and find other
arrangements of clusters, or other ways to flatten what does not fit. The seed descends unshaken
too: a table is never worse off than without a tournament.

How many starts there are depends on what is found. The seed of a table that nearly fits in the map
is rarely beaten: few starts try. Where the maps of a tournament lie far apart, its winner is the
best arrangement. Where they lie close together, every start ends in a map of its own: a second
tournament follows, unless the lowest map has been found twice, or the map is to be fitted to
disparities: starts meet only the first of these, which do not tell close maps apart. Points in
clusters have one more start, `unimds.starts.clusters`, and need only the second tournament.

At last, single points of the lowest map that lie in the wrong place go to a better one, see
`unimds.starts.elsewhere`: most maps that lie close together differ by no more than that.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.watch import Watch
from unimds.placecenter.descent.plan import PATIENCE, Plan
from unimds.placecenter.descent.quasi_newton import WENT, QuasiNewton
from unimds.placecenter.problem import Problem
from unimds.starts.clusters import arranged
from unimds.starts.elsewhere import corrected
from unimds.starts.search import Search
from unimds.starts.seeds.initial import draw
from unimds.starts.shaking import Shaker, schedule

Array = NDArray[Any]

MIDDLE = 1000  # points from here on take too long for starts of all of them
MORE = 350  # points from here on get more starts; a fit of less takes some ten milliseconds
FITS = 0.225  # mean error, as a share of a typical distance, of a map that nearly fits
SWEEPS, COOLED = 360, 12  # of shaking, and of those that follow: descents do the rest
STAGES = 8, 16  # a stage ends after the last sweep in which a point meets so many others
SAME, CLOSE = 1e-4, 0.005  # how much higher, as a share, a map costs that is the same, or close
# how slowly the cost may fall in a rough descent, and how much lower it may still end
ROUGH, NEAR = 5e-6, 0.003
STRETCH, LONG = 10, 100  # steps between two looks at whether there is hope, and at ^C alone
HOPE = 4.0  # what a descent may yet fall, by its last fall


Run = tuple[Array, np.random.Generator]
"""A start on its way, and what shakes it."""


class Map(NamedTuple):
    """A configuration, and its cost."""

    X: Array
    cost: float


def is_quick(problem: Problem, plan: Plan) -> bool:
    """Whether descents are: by sweeps, or for robust losses, they take too long."""
    return plan.moves_together(problem) and not problem.frame.loss.anneals


def is_middle(problem: Problem, plan: Plan) -> bool:
    """Whether starts of all points pay."""
    return is_quick(problem, plan) and problem.pairs.n < MIDDLE


def most_starts(n: int, adapts: bool = False) -> int:
    """Return how many starts there may be.

    Examples
    --------
    >>> most_starts(150), most_starts(500)
    (10, 34)
    """
    return sum(count for count, _ in rounds(n, fits=False, adapts=adapts))


def rounds(n: int, fits: bool, adapts: bool = False) -> list[tuple[int, int]]:
    """Return the starts of each tournament, and how many of them are the seed.

    A table that nearly `fits` has one tournament, and so has one whose distances are to be
    replaced by disparities that adapt to the map; others have two.
    """
    if fits:
        return [(2, 1) if n < MORE else (6, 3)]
    first, second = [(4, 1), (6, 1)] if n < MORE else [(24, 1), (10, 1)]
    return [first] if adapts else [first, second]


def lowest_map(
    search: Search,
    problem: Problem,
    plan: Plan,
    seed: Array,
    rng: np.random.Generator,
    adapts: bool = False,
) -> Array:
    """Return the lowest map that the seed and other starts lead to; see `rounds`.

    After ^C it is the lowest so far.
    """
    watch, rough = search.watch, replace(plan, eps=max(plan.eps, ROUGH))
    found = [descended(problem, rough, seed, watch)]
    try:
        _compete(search, problem, rough, seed, rng, adapts, found)
        if not watch.stopped:
            own, low = found[0], min(found, key=_cost)
            return corrected(problem, lower(problem, plan, own, low, watch))
    except KeyboardInterrupt:
        watch.interrupted.set()
    return min(found, key=_cost).X


def _compete(
    search: Search,
    problem: Problem,
    rough: Plan,
    seed: Array,
    rng: np.random.Generator,
    adapts: bool,
    found: list[Map],
) -> None:
    """Add the maps that other starts lead to, to that of the seed."""
    watch, shaker = search.watch, Shaker(problem, rng)
    fits = found[0].cost <= problem.cost_of_errors(FITS)
    rest = rounds(problem.pairs.n, fits, adapts)
    if not fits and problem.pairs.n >= MORE:
        known = arranged(search, problem, rng)
        found += [descended(problem, rough, X, watch) for X in known]
        rest = rest[-1:] if known else rest
    for count, seeded in rest:
        starts = [seed if i < seeded else draw(problem, rng) for i in range(count)]
        best = tournament(search, shaker, starts, rng)
        low = min(map(_cost, found))
        descent = partial(descended, problem, rough, watch=watch, low=low)
        found += search.each(descent, best)
        if watch.stopped or decided([one.cost for one in found]):
            break


def settled(problem: Problem, plan: Plan, X: Array, watch: Watch) -> Array:
    """Return roughly where a start leads to, corrected."""
    rough = replace(plan, eps=max(plan.eps, ROUGH))
    return corrected(problem, descended(problem, rough, X, watch).X)


def lower(problem: Problem, plan: Plan, own: Map, other: Map, watch: Watch) -> Array:
    """Return the seed's own map, or another one if it ends lower.

    Where rough descents do not tell, both descend on.
    """
    if own.cost <= (1.0 + SAME) * other.cost:
        return own.X
    if own.cost <= (1.0 + NEAR) * other.cost:
        own, other = (descended(problem, plan, one.X, watch) for one in (own, other))
    return min(other, own, key=_cost).X


def decided(costs: list[float]) -> bool:
    """Whether another tournament is not worth it, by the costs of all maps that were found.

    Examples
    --------
    Found twice; far apart; and close together:

    >>> decided([1.0, 1.00001, 1.001]), decided([1.0, 1.02]), decided([1.0, 1.001])
    (True, True, False)
    """
    low, *others = sorted(costs)
    return not others or not low * (1.0 + SAME) < others[0] <= low * (1.0 + CLOSE)


def tournament(
    search: Search, shaker: Shaker, starts: list[Array], rng: np.random.Generator
) -> list[Array]:
    """Shake all starts, the better half of them further, and so on; return those that are left."""
    problem, watch = shaker.problem, search.watch.silent()
    loss, space = problem.frame.loss, problem.frame.space
    sizes = schedule(SWEEPS, problem.pairs.n)[: SWEEPS + COOLED]
    runs = list(zip(starts, rng.spawn(len(starts)), strict=True))

    def shaken(stage: Array, run: Run) -> Run:
        X, own = run
        return shaker.along(loss, X, stage, own, watch), own

    def cost(run: Run) -> float:
        return problem.costs(run[0], loss, space)[0]

    *stages, last = np.split(sizes, np.searchsorted(sizes, STAGES, side="right"))
    for stage in stages:
        runs = sorted(search.each(partial(shaken, stage), runs), key=cost)
        runs = runs[: -(-len(runs) // 2)]
    return [X for X, _ in search.each(partial(shaken, last), runs)]


def descended(problem: Problem, plan: Plan, X: Array, watch: Watch, low: float = np.inf) -> Map:
    """Return where a start leads to, or how far it came before it had no hope to end below `low`.

    The fall of the last steps tells how far it may yet fall. It is stopped, too, when the watch is.
    """
    quasi, best = QuasiNewton(problem, problem.frame.loss, X), Map(X, np.inf)
    costs, why, left = [(np.inf, np.inf)], WENT, plan.max_iter
    while why == WENT and left > 0 and not watch.stopped:
        steps = min(LONG if low == np.inf else STRETCH, left)
        limits = plan.limits(steps, problem.exact_cost)
        new, why, _, lower = quasi.descend(costs, best.cost, limits)
        before, costs, left = best.cost, [*costs, *new][-1 - PATIENCE :], left - steps
        if lower is not None:
            best = Map(lower, quasi.lowest)
        if low < best.cost - HOPE * (before - best.cost) < np.inf:
            break
    return best


def _cost(one: Map) -> float:
    return one.cost
