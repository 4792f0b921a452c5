"""Points that ended on the wrong side of a map: all others would have them elsewhere.

A descent hardly takes a point across the map. So where points do not fit, some are left on the
wrong side: they cost more than most. Each of the costliest is tried from several places all over
the map, as if it were new there, and goes to where it costs less.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds.placecenter.problem import Problem
from unimds.spaces.base import Space

Array = NDArray[Any]

COSTLY, MOST = 16, 20  # one point in so many is tried, and not more than some: few are wrong
JUDGES = 500  # points that tell which of many are the costliest
PLACES = 8  # that each of them is tried from
STEPS, MORE_STEPS = 2, 8  # from every place, and from the best of them
REST = 1e-3  # share of the cost of a point: when it falls less in a step, the point stays
GAIN = 0.01  # share of its cost that is worth going elsewhere


def corrected(problem: Problem, X: Array) -> Array:
    """Return the map with points where they cost less, if that lowers the cost of all."""
    points, place = costly(problem, X), problem.frame.place
    D, W = _to_others(problem, points)
    low, _ = place(D, W, X, np.ascontiguousarray(X[:, points]), 1, REST)
    tried = np.repeat(X[:, spread(problem.frame.space, X)], points.size, axis=1)
    every = np.tile(np.arange(points.size), PLACES)
    costs, _ = place(D[every], None if W is None else W[every], X, tried, STEPS, REST)
    best = costs.reshape(PLACES, -1).argmin(axis=0) * points.size + np.arange(points.size)
    there = np.ascontiguousarray(tried[:, best])
    costs, _ = place(D, W, X, there, MORE_STEPS, REST)
    goes = costs < (1.0 - GAIN) * low
    found = X.copy()
    found[:, points[goes]] = there[:, goes]
    return found if goes.any() and _cost(problem, found) < _cost(problem, X) else X


def _cost(problem: Problem, X: Array) -> float:
    return problem.costs(X, problem.frame.loss, problem.frame.space)[0]


def costly(problem: Problem, X: Array) -> Array:
    """Return the points that cost most for the lengths of their distances.

    Of many points some tell that. By its cost alone, every point far from all others is costly.
    """
    (D, W), n = problem.pairs.table.whole(), X.shape[1]
    some = slice(None, None, 1 + n // JUDGES)
    D, W = D[:, 0, some], None if W is None else W[:, 0, some]
    costs, _ = problem.frame.place(D, W, np.ascontiguousarray(X[:, some]), X.copy(), 1, REST)
    total = np.sum if problem.pairs.missing == 0 else np.nansum  # which takes three times as long
    lengths = np.maximum(total(D, axis=1), np.finfo(D.dtype).tiny)
    return np.argsort(costs / lengths, kind="stable")[-min(1 + n // COSTLY, MOST) :]


def _to_others(problem: Problem, points: Array) -> tuple[Array, Array | None]:
    """Return the distances and weights of some points; none to itself, which would hold it."""
    D, W = problem.pairs.table.block(points, np.arange(problem.pairs.n))
    D = np.array(D[:, 0])
    D[np.arange(points.size), points] = np.nan
    return D, None if W is None else np.ascontiguousarray(W[:, 0])


def spread(space: Space, X: Array) -> list[int]:
    """Return points all over a map: each is the farthest from those before it."""
    at = np.ascontiguousarray(X, dtype=np.float64)
    found, far = [0], np.full(X.shape[1], np.inf)
    for _ in range(PLACES):
        far = np.minimum(far, space.between(np.ascontiguousarray(at[:, found[-1:]]), at)[0])
        found.append(int(far.argmax()))
    return found[1:]
