"""One map for several tables, by the ordinary engine: the tables are layers of one.

The cost is the sum of the losses of all tables. Compiled rows add up any number of layers, so that
every loss, every space, all starts and quasi-Newton steps work as for one table.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from unimds.distances.pairs import Pairs
from unimds.distances.table import HeldTable
from unimds.levels import Level
from unimds.losses import Loss
from unimds.placecenter.majorization.apart import Apart
from unimds.placecenter.problem import Problem
from unimds.placecenter.result import Result, in_size
from unimds.placecenter.solvable import check_room
from unimds.placecenter.targets import Disparities, Scaling, Targets, power_of, scaled_pairs
from unimds.spaces.base import Space
from unimds.starts.race import lowest, starts_in_memory
from unimds.starts.search import Search
from unimds.tables.stack import Stack, described

Array = NDArray[Any]


@final
@dataclass(frozen=True, eq=False)
class Scalings:
    """The disparities of every subject."""

    parts: tuple[Scaling, ...]
    transformation: None = None

    def times(self, factor: float) -> Scalings:
        """Return the disparities in another unit."""
        return Scalings(tuple(part.times(factor) for part in self.parts))


@final
class Several(Targets):
    """Every subject has disparities of its own; their sizes are held one by one."""

    def __init__(self, parts: list[Disparities], layers: int):
        self.parts, self.layers = parts, layers
        self.edges = np.cumsum([0, *(part.first.size for part in parts)])

    @property
    def first(self) -> Array:
        """The disparities to begin with, of one subject after another."""
        return np.concatenate([part.first for part in self.parts])

    def of(self, r: Array) -> list[Array]:
        """Return the disparities of each subject."""
        return [r[a:b] for a, b in pairwise(self.edges)]

    def aimed(self, pairs: Pairs, r: Array) -> Pairs:
        """Return the pairs with their disparities."""
        tables = [
            part.codes.table(own).whole()[0]
            for part, own in zip(self.parts, self.of(r), strict=True)
        ]
        D = np.concatenate(
            [np.concatenate([t] * (self.layers // t.shape[1]), 1) for t in tables], 1
        )
        return pairs.through(HeldTable(np.ascontiguousarray(D, dtype=np.float64), pairs.table.W))

    def adapted(self, apart: Apart, loss: Loss, unit: float, r: Array) -> Array:
        """Return disparities that fit the distances of a map better, or as well."""
        every = zip(self.parts, self.of(r), strict=True)
        return np.concatenate([part.adapted(apart, loss, unit, own) for part, own in every])

    def fitted(self, apart: Apart, loss: Loss, unit: float, r: Array) -> Array:
        """Return each subject's disparities in the unit in which they fit the map best."""
        every = zip(self.parts, self.of(r), strict=True)
        return np.concatenate([part.fitted(apart, loss, unit, own) for part, own in every])

    def growth(self, r: Array) -> float:
        """Return what all disparities must be multiplied by, to have the size of the data."""
        part = self.parts[0]
        size = sum(p._measure(own) for p, own in zip(self.parts, self.of(r), strict=True))
        if not (part.level.is_cone and size > 0.0):
            return 1.0
        return float((sum(p.size for p in self.parts) / size) ** (1.0 / part.power))

    def scaling(self, r: Array) -> Any:
        """Return the disparities of a result."""
        every = zip(self.parts, self.of(r), strict=True)
        return Scalings(tuple(part.scaling(own) for part, own in every))


def sized_alike(stack: Stack, loss: Loss) -> tuple[Stack, Array]:
    """Return the tables brought to one mean size, and what each was multiplied by.

    Where dissimilarities are transformed, their units mean nothing, and no subject should count for
    more than another because its numbers are larger.
    """
    power = power_of(loss.resolved(stack.typical), stack.typical)
    sizes = []
    for table in stack.tables:
        D, W = table.table.whole()
        each = np.where(np.isnan(D), 0.0, 1.0 if W is None else W)
        each[np.arange(len(D)), :, np.arange(len(D))] = 0.0
        total = float(each.sum())
        mean = float((each * np.nan_to_num(D) ** power).sum()) / total if total > 0.0 else 0.0
        sizes.append(mean ** (1.0 / power) if mean > 0.0 else np.nan)
    middle = float(np.nanmedian(sizes)) if np.isfinite(sizes).any() else 1.0
    factors = np.where(np.isfinite(sizes), middle / np.array(sizes), 1.0)
    tables = [_times(t, f) for t, f in zip(stack.tables, factors, strict=True)]
    return Stack(tables, stack.labels, stack.subjects), factors


def _times(pairs: Pairs, factor: float) -> Pairs:
    D, W = pairs.table.whole()
    return described(D * factor, W)


def disparities_of(
    stack: Stack, level: Level, loss: Loss, n_components: int, by_row: bool
) -> list[Disparities]:
    """Return what each subject's disparities adapt by."""
    every = (scaled_pairs(t, level, loss, n_components, by_row, None) for t in stack.tables)
    return [targets for _, targets in every]


def posed(
    stack: Stack,
    loss: Loss,
    space: Space,
    n_components: int,
    level: Level,
    by_row: bool,
    sized: bool = False,
) -> Problem:
    """Return the problem of one map for all tables, at a level of measurement.

    Where subjects are to be `sized`, distances may be longer than the space is.
    """
    pairs = stack.joined()
    check_room(pairs, n_components)
    if level.is_given and not by_row:
        fixed = sized and not space.is_auto
        return (Problem.make if fixed else Problem.posed)(pairs, loss, space, n_components)
    parts = disparities_of(stack, level, loss, n_components, by_row)
    layers = max(part.codes.layers for part in parts)
    if pairs.layers < layers * len(stack):  # rows have transformations of their own
        D, W = pairs.table.whole()
        pairs = described(np.repeat(D, 2, axis=1), None if W is None else np.repeat(W, 2, axis=1))
    targets = Several(parts, layers)
    pairs = targets.aimed(pairs, targets.first)
    free = type(space).unit_length is not Space.unit_length  # the size of the space
    problem = replace(Problem.make(pairs, loss, space, n_components), targets=targets)
    return problem.within(problem.frame.space, resize=True) if free else problem


def consensus(problem: Problem, search: Search, space: Space, rng: np.random.Generator) -> Result:
    """Return the map of lowest cost; its cost is the mean over the tables."""
    return in_size(lowest(search, problem, rng, None, None, starts_in_memory), space)
