"""Tables of some hundred points: starts of all points, until several lead to the lowest map.

A start is *shaken* (`unimds.starts.shaking`) and takes a few steps: then its cost tells whether it
may be the lowest. The best starts of every batch settle. The first start is the seed, which finds
the best arrangement of points that nearly fit; all others are random, and find other arrangements
of clusters, or other ways to flatten what does not fit. Starts end when the lowest map has been
found three times, or when they would take longer than all the rest.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds.placecenter.descent import Plan, State, lowered
from unimds.placecenter.problem import Problem
from unimds.starts.initial import draw
from unimds.starts.search import Search
from unimds.starts.shaking import Shaker

Array = NDArray[Any]

MIDDLE = 1000  # points from here on take too long for starts of all of them
BATCH, SETTLING = 4, 3  # starts, and the best of them that settle
FEWEST, MOST, POINTS = 2, 3, 160  # batches at most: one for so many points, within these limits
AGAIN, SAME = 3, 1e-4  # how often the lowest map must be found, and within what share of its cost
SWEEPS = 400  # of shaking
WARM_STEPS, NEAR = 3, 0.003  # after so many steps, a start so much above the lowest is given up


def is_middle(problem: Problem, plan: Plan) -> bool:
    """Whether starts of all points pay: by sweeps, or for robust losses, they take too long."""
    quick = plan.moves_together(problem) and not problem.frame.loss.anneals
    return quick and problem.pairs.n < MIDDLE


def most_starts(n: int) -> int:
    """Return how many starts there may be: more points, whose descents take longer, afford more.

    Examples
    --------
    >>> most_starts(150), most_starts(500), most_starts(999)
    (8, 12, 12)
    """
    return BATCH * min(max(n // POINTS, FEWEST), MOST)


def agreed(search: Search, problem: Problem, plan: Plan, seed: Array, rng: Any) -> Array:
    """Return the lowest map that the seed and other starts lead to."""
    watch, shaker, loss = search.watch.silent(), Shaker(problem, rng), problem.frame.loss
    warm, count = replace(plan, max_iter=WARM_STEPS), most_starts(problem.pairs.n)

    def warmed(start: tuple[int, np.random.Generator]) -> State:
        number, own = start
        X = seed if number == 0 else draw(problem, own)
        X = shaker.shaken(loss, X, SWEEPS, own, watch)
        return lowered(problem, X, warm, watch)[0].now

    def settled(X: Array) -> State:
        return lowered(problem, X, plan, watch)[0].best

    found = [settled(seed)]
    for first in range(0, count, BATCH):
        starts = zip(range(first, first + BATCH), rng.spawn(BATCH), strict=True)
        best = sorted(search.each(warmed, starts), key=_cost)[:SETTLING]
        low = min(map(_cost, found))
        found += search.each(settled, [one.X for one in best if one.cost <= (1.0 + NEAR) * low])
        low = min(map(_cost, found))
        if watch.stopped or sum(one.cost <= (1.0 + SAME) * low for one in found[1:]) >= AGAIN:
            break
    return min(found, key=_cost).X


def _cost(state: State) -> float:
    return state.cost
