"""Folds over the known pairs of a table, balanced at every point.

All pairs belong to few folds, and a fold is held out at a time. So that no point is left without
partners, every point has about as many pairs in one fold as in another. In a table without gaps the
*rounds* of a tournament do that: in a round every point meets one other, and a fold is some rounds.
Where pairs are missing, two folds that differ at a point are shared out anew: along trails through
their pairs, every other pair goes to one fold and the next to the other, so that a point loses as
much as it gains.

A pair without which the points would fall apart is never held out.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from unimds._runtime.watch import warn

Array = NDArray[Any]

NEVER = -1
"""The fold of a pair that is never held out."""
SPREAD = 2
"""The most by which the pairs of a point may differ between two folds."""
SHARED = 100_000
"""Pairs up to which folds are shared out anew; of more, rounds are balanced well enough."""
TURNS = 5
"""How often all folds are compared with each other."""
FEWEST = 2


class Folds(NamedTuple):
    """The known pairs, i < j, and the fold of each; `NEVER` is no fold.

    Attributes
    ----------
    i, j : ndarray of int
        The points of each pair.
    fold : ndarray of int
        The fold of each pair.
    folds : int
        Number of folds.
    n : int
        Number of points.
    """

    i: Array
    j: Array
    fold: Array
    folds: int
    n: int

    def held_out(self, fold: int) -> Array:
        """Return a symmetric table of the pairs of a fold."""
        table = np.zeros((self.n, self.n), dtype=bool)
        mine = self.fold == fold
        table[self.i[mine], self.j[mine]] = table[self.j[mine], self.i[mine]] = True
        return table

    def per_point(self) -> Array:
        """Return how many pairs every point has in every fold, a row a point."""
        return _per_point(self.i, self.j, self.fold, self.n, self.folds)

    @property
    def partners_left(self) -> int:
        """The fewest partners that a point keeps while a fold is held out."""
        partners = np.bincount(self.i, minlength=self.n) + np.bincount(self.j, minlength=self.n)
        return int((partners[:, None] - self.per_point()).min())


def pair_folds(known: Array, count: int, rng: np.random.Generator) -> Folds:
    """Share the known pairs out to folds.

    Parameters
    ----------
    known : ndarray of bool of shape (n, n)
        Which pairs are known, both ways.
    count : int
        Number of folds; there are fewer if there are not so many pairs.
    rng : Generator
        Random numbers.

    Returns
    -------
    Folds

    Examples
    --------
    >>> known = ~np.eye(6, dtype=bool)
    >>> folds = pair_folds(known, 5, np.random.default_rng(0))
    >>> np.bincount(folds.fold)
    array([3, 3, 3, 3, 3])
    >>> int(np.ptp(folds.per_point(), axis=1).max()) <= 2
    True
    """
    i, j = np.nonzero(np.triu(known, 1))
    n, pairs = len(known), len(i)
    asked, count = count, min(count, pairs)
    fold = _rounds(i, j, n, max(count, 1), rng)
    if pairs <= SHARED:
        fold = _shared_out(i, j, fold, n, count)
    fold = _joined(i, j, fold, n, count)
    used = np.unique(fold[fold != NEVER])
    if len(used) < FEWEST:
        raise ValueError(
            f"the {pairs} known pairs of n_samples = {n} points are too few to hold any out: "
            "without them the points would not hang together. Give more distances, or fit a map of "
            "each candidate and look at its stress"
        )
    if len(used) < asked:
        warn(
            f"cv={asked}: there are {len(used)} folds, as only {(fold != NEVER).sum()} of the "
            f"{pairs} known pairs can be held out without the points falling apart",
            UserWarning,
        )
    fold = np.where(fold == NEVER, NEVER, np.searchsorted(used, fold))
    return Folds(i, j, fold, len(used), n)


def _rounds(i: Array, j: Array, n: int, count: int, rng: np.random.Generator) -> Array:
    """Return folds of equal size that are rounds of a tournament, in random order."""
    place, turn = rng.permutation(n), rng.permutation(n)
    order = np.lexsort((rng.permutation(len(i)), turn[(place[i] + place[j]) % n]))
    fold = np.empty(len(i), dtype=np.int64)
    fold[order] = np.arange(len(i)) * count // max(len(i), 1)
    return fold


def _per_point(i: Array, j: Array, fold: Array, n: int, count: int) -> Array:
    held = fold != NEVER
    at = np.concatenate([i[held], j[held]]) * count + np.concatenate([fold[held], fold[held]])
    return np.bincount(at, minlength=n * count).reshape(n, count)


def _shared_out(i: Array, j: Array, fold: Array, n: int, count: int) -> Array:
    """Return folds that differ little at any point."""
    fold = fold.copy()
    for _ in range(TURNS):
        changed = False
        for a, b in combinations(range(count), 2):
            some = np.flatnonzero((fold == a) | (fold == b))
            own = _per_point(i[some], j[some], np.where(fold[some] == a, 0, 1), n, 2)
            if np.abs(own[:, 0] - own[:, 1]).max(initial=0) > SPREAD:
                fold[some] = np.where(every_other(i[some], j[some], n), a, b)
                changed = True
        if not changed:
            break
    return fold


def every_other(i: Array, j: Array, n: int) -> Array:
    """Return which pairs belong to the first half, if every point shares its pairs evenly.

    A trail begins where a point has an odd number of pairs, as long as there is one, and goes on
    along pairs not yet taken, to one half and to the other in turn. Halves differ by at most 2 at
    any point.

    Examples
    --------
    >>> every_other(np.array([0, 1, 2, 0]), np.array([1, 2, 3, 3]), 4).astype(int).tolist()
    [0, 1, 0, 1]
    """
    ends = list(zip(i.tolist(), j.tolist(), strict=True))
    at: list[list[int]] = [[] for _ in range(n)]
    for pair, (one, other) in enumerate(ends):
        at[one].append(pair)
        at[other].append(pair)
    left, surplus = [len(pairs) for pairs in at], [0] * n  # of the first half
    first, taken = np.zeros(len(ends), dtype=bool), [False] * len(ends)
    more = 0  # pairs of the first half than of the other

    def trail(point: int) -> None:
        nonlocal more
        half = (surplus[point] or more) <= 0
        while left[point]:
            pair = at[point].pop()
            if taken[pair]:
                continue
            taken[pair], first[pair] = True, half
            for end in ends[pair]:
                left[end] -= 1
                surplus[end] += 1 if half else -1
            more += 1 if half else -1
            point, half = sum(ends[pair]) - point, not half

    for point in range(n):
        if left[point] % 2:
            trail(point)
    for point in range(n):
        while left[point]:
            trail(point)
    return first


def _joined(i: Array, j: Array, fold: Array, n: int, count: int) -> Array:
    """Return folds without the pairs that hold the other points together."""
    fold = fold.copy()
    for number in range(count):
        rest, held = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
        graph = csr_array((np.ones(len(rest)), (i[rest], j[rest])), shape=(n, n))
        parts, part = connected_components(graph, directed=False)
        if parts > 1:
            fold[held[_bridges(part[i[held]], part[j[held]], parts)]] = NEVER
    return fold


def _bridges(one: Array, other: Array, parts: int) -> list[int]:
    """Return as few pairs as can join the parts: those between parts that are not joined yet."""
    root = list(range(parts))

    def top(part: int) -> int:
        while root[part] != part:
            part = root[part]
        return part

    bridges = []
    for pair, (a, b) in enumerate(zip(one.tolist(), other.tolist(), strict=True)):
        if top(a) != top(b):
            root[top(a)] = top(b)
            bridges.append(pair)
    return bridges
