"""Degenerate maps: where a transformation has fitted everything, and the map says nothing.

A rising transformation may make nearly all dissimilarities equal. A map with a few clusters, or
with all points equally far apart, then fits without an error, and its stress tells nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from unimds.distances.coded import Coding
from unimds.levels import Level
from unimds.placecenter.targets import Scaling
from unimds.spaces.base import Space, distances

Array = NDArray[Any]

SAME = 0.01  # of a typical distance on the map: nearer points count as one
EQUAL = 1e-6  # of the largest disparity
ONE_BLOCK = 0.9  # share of the pairs
NO_STRESS = 1e-4
FEW = 4  # points for each dimension
LOOKED_AT = 1000  # points: of more, a sample tells
ROWS = 50  # points whose distances tell a typical one


class DegenerateWarning(UserWarning):
    """The map is degenerate: the transformation has fitted the dissimilarities without a map."""


@final
@dataclass(frozen=True)
class Degeneracy:
    """Why a map is degenerate.

    Attributes
    ----------
    points, distinct : int
        How many points there are, and how many of them lie apart on the map.
    levels : int
        How many different disparities there are.
    largest : float
        Share of the pairs that have the most frequent disparity.
    alone : int
        How many points have the largest dissimilarity to all other points, as empty sites have:
        nothing is known about their places.
    reason : str
        Why a stress of zero tells nothing although the points lie apart: there are "few" of them,
        the table has "two" different numbers, or all are "equal", or ties are "tertiary".

    Examples
    --------
    >>> print(Degeneracy(20, 3, 2, 0.6))
    The map is degenerate: its 20 points lie in 3 places. The transformation ...
    """

    points: int
    distinct: int
    levels: int
    largest: float
    alone: int = 0
    reason: str = ""

    @property
    def finding(self) -> str:
        """What is wrong with the map, without the remedies."""
        if self.levels == 1:
            fits = ", and any map fits it" if self.reason == "equal" else ""
            return f"All dissimilarities are equal: the table says nothing about an order{fits}."
        if self.reason:
            return f"The stress is zero, which tells nothing: {FREEDOM[self.reason]}."
        if self.distinct < self.points:
            what = f"its {self.points} points lie in {self.distinct} places"
        else:
            what = f"{self.largest:.0%} of all disparities are equal"
        return (
            f"The map is degenerate: {what}. The transformation alone reproduces the order of the "
            f"dissimilarities, so a low stress says nothing about the map.{self._cause}"
        )

    @property
    def remedies(self) -> str:
        """How to begin what else may help."""
        return "Other remedies:" if self.alone else "Remedies:"

    @property
    def _cause(self) -> str:
        """Which points to remove before anything else is tried."""
        if not self.alone:
            return ""
        points, these = ("points have", "these") if self.alone > 1 else ("point has", "this point")
        return (
            f" {self.alone} {points} the largest dissimilarity to all others, as an empty site "
            f"has, which says nothing about a place: remove {these} first."
        )

    def __str__(self) -> str:
        if self.levels == 1:
            return self.finding
        return f"{self.finding} {self.remedies} {REMEDIES[self.reason]}"


FREEDOM = {
    "few": "so few points in so many dimensions fit nearly any order",
    "two": "the table has only two distinct values, so their order says little about the map",
    "tertiary": "only the mean of each group of ties must be in order",
}
"""Why a transformation fits without an error, where the points lie apart."""

REMEDIES = {
    "": 'Ordinal(strictness=0.1), Ordinal(ties="secondary"), level="interval" or "spline"',
    "few": 'more points, fewer dimensions, level="interval" or "spline"',
    "two": 'finer dissimilarities, such as the lengths of paths, or level="ratio"',
    "tertiary": 'Ordinal(ties="primary") or Ordinal(ties="secondary")',
}
"""What helps."""


def degeneracy_of(
    embedding: Array, space: Space, scaling: Scaling, stress: float
) -> Degeneracy | None:
    """Return why a map is degenerate, or says nothing by its stress; None if neither is so."""
    codes = scaling.codes
    values, weights = scaling.numbers, codes.counts
    top = float(np.abs(values).max(initial=0.0))
    n, kinds = len(embedding), np.unique(codes.d).size
    level = scaling.transformation.level
    if kinds == 1 and n > 3 and top > 0.0:
        free = stress < NO_STRESS and level.in_steps and not level.keeps_ties
        return Degeneracy(n, n, 1, 1.0, reason="equal" if free else "")
    if top == 0.0 or kinds < 2 or n < 4:
        return None
    k = embedding.shape[1] + 1 - space.n_coordinates(1)
    reason = _freedom(level, n, k, kinds) if stress < NO_STRESS else ""
    _, block = np.unique(np.round(values / (EQUAL * top)), return_inverse=True)
    shares = np.bincount(block, weights) / weights.sum()
    some = np.linspace(0, n - 1, min(n, LOOKED_AT)).astype(int)
    distinct, expected = _places(embedding[some], space), _groups(codes, some)
    # data that know two distances may know one for nearly all pairs, and points in one place
    collapsed = kinds > 2 and (2 * distinct <= expected or shares.max() >= ONE_BLOCK)
    if not collapsed and not reason:
        return None
    told = some.size, distinct, shares.size, float(shares.max()), _alone(codes, some)
    return Degeneracy(*told, "" if collapsed else reason)


def _freedom(level: Level, n: int, k: int, kinds: int) -> str:
    """Return why an order alone fits `n` points in `k` dimensions in any case, or nothing."""
    if not (level.in_steps and level.is_cone):
        return ""
    if getattr(level, "ties", "") == "tertiary":
        return "tertiary"
    return "two" if kinds == 2 else "few" if n <= FEW * k else ""


def _places(points: Array, space: Space) -> int:
    """Return in how many places the points lie."""
    apart, everyone = distances(points, space=space), np.arange(len(points))
    some = everyone[:: len(points) // ROWS + 1]
    others = apart[some][some[:, None] != everyone]
    typical = float(np.median(others)) if others.size else 0.0
    near = apart <= SAME * max(typical, 0.1 * float(apart.max(initial=0.0)))
    return _parts(near)


def _groups(codes: Coding, some: Array) -> int:
    """Return into how many groups of equal things the points fall by their dissimilarities."""
    equal = codes.coded((codes.d == 0.0).astype(float)).block(some, some)[0][:, 0]
    return _parts((equal == 1.0) | np.eye(some.size, dtype=bool))


def _alone(codes: Coding, some: Array) -> int:
    """Return how many points have the largest dissimilarity to all others; 0 if most of them do."""
    largest = codes.coded((codes.d == codes.d.max()).astype(float)).block(some, some)[0][:, 0]
    count = int(((largest != 0.0) | np.eye(some.size, dtype=bool)).all(axis=1).sum())
    return count if 2 * count < some.size else 0


def _parts(joined: Array) -> int:
    """Return into how many parts points fall, each of which is joined with itself."""
    if np.count_nonzero(joined) <= len(joined):  # each with itself
        return len(joined)
    return int(connected_components(csr_array(joined), directed=False)[0])
