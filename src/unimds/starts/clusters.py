"""Clusters: the lowest map of points in clusters is one of the best arrangement of these.

No descent takes one cluster past another, and random starts of all points take long. But most of
the cost is that of the mean distances between clusters: a small table, of which many starts take
some milliseconds. All points are then placed against the lowest map of the centres.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import squareform

from unimds.distances.pairs import as_pairs
from unimds.placecenter.new_points import place_against
from unimds.placecenter.problem import Problem
from unimds.placecenter.targets import GIVEN
from unimds.starts.hopping.base import Minimum, hopped
from unimds.starts.hopping.ways import hopping
from unimds.starts.search import Search

Array = NDArray[Any]

SAMPLE = 200  # points that clusters are looked for among
FEWEST, MOST = 5, 50  # clusters; fewer have so few arrangements that any search finds all
GAP = 1.4  # how much farther apart, on average, two clusters are than the parts of one
LARGEST = 0.5  # share of the points in one cluster; where it has more, the others are outliers
STARTS = 2, 40  # for each cluster, and at most; as many hops may be in vain
STEPS = 3  # that every point takes against the centres


def arranged(search: Search, problem: Problem, rng: np.random.Generator) -> list[Array]:
    """Return the map of the best arrangement of clusters that is found; none without clusters."""
    D, W = problem.pairs.table.whole()
    if W is not None or problem.pairs.layers > 1 or not problem.pairs.weighing.complete:
        return []
    members = members_of(D[:, 0], rng)
    if members is None:
        return []
    sizes = members.sum(axis=0)
    apart = D[:, 0] @ (members / sizes)  # every point from every cluster
    between = (members / sizes).T @ apart
    centres = _lowest(search, _between(problem, between, sizes), rng).X.astype(problem.dtype)
    weights = np.tile(sizes, (len(apart), 1))
    return [place_against(problem.frame, apart, weights, centres, starts=1, steps=STEPS).points]


def _between(problem: Problem, table: Array, sizes: Array) -> Problem:
    """Return the problem of the centres: a pair of clusters weighs as much as all its pairs."""
    np.fill_diagonal(table, 0.0)
    pairs = as_pairs(0.5 * (table + table.T), weights=np.outer(sizes, sizes))
    return replace(problem, pairs=pairs, single=False, targets=GIVEN)


def _lowest(search: Search, centres: Problem, rng: np.random.Generator) -> Minimum:
    """Return the lowest map of the centres that random starts, and hops from the best, lead to."""
    ways = hopping(centres, search.plan, search.watch.silent(), rng)
    each, most = STARTS
    count = min(each * centres.pairs.n, most)
    best = min(ways.several(count, rng), key=lambda one: one.cost)
    return hopped(ways, best, rng, count, lambda work: search.watch.stopped)


def members_of(D: Array, rng: np.random.Generator) -> Array | None:
    """Return zeros and ones: which point, a row, is in which cluster; None without clusters.

    Clusters are those of a sample by average linkage, and other points join the nearest.
    """
    from scipy.cluster.hierarchy import fcluster, linkage  # to import it takes as long as a fit

    some = np.sort(rng.permutation(len(D))[:SAMPLE])
    tree = linkage(squareform(D[np.ix_(some, some)], checks=False), "average")
    count = count_of(tree[::-1, 2])
    if count is None:
        return None
    members = np.eye(count, dtype=D.dtype)[fcluster(tree, count, "maxclust") - 1]
    sizes = np.maximum(members.sum(axis=0), 1.0)
    members = np.eye(count, dtype=D.dtype)[(D[:, some] @ (members / sizes)).argmin(axis=1)]
    sizes = members.sum(axis=0)
    return members if sizes.min() > 0.0 and sizes.max() <= LARGEST * len(D) else None


def count_of(heights: Array) -> int | None:
    """Return how many clusters there are, by the heights at which they merge, the last first.

    Examples
    --------
    >>> count_of(np.array([9.0, 8.0, 8.0, 7.0, 2.0, 1.9])), count_of(np.arange(9.0, 4.0, -0.5))
    (5, None)
    """
    last = heights[FEWEST - 2 : MOST]
    gaps = last[:-1] > GAP * last[1:]
    return int(FEWEST + gaps.argmax()) if gaps.any() else None
