"""What hops and starts are, whatever the problem: minima, and the ways from one to another."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.watch import Watch
from unimds.placecenter.minima import SAME
from unimds.placecenter.problem import Problem
from unimds.starts.seeds.initial import draw
from unimds.starts.shaking import SHAKE_SWEEPS, Shaker, rounded

Array = NDArray[Any]

CALL = 20_000  # pairs that take as long as a call of compiled code
NOT_TOLD = np.empty(0)


class Minimum(NamedTuple):
    """Where a descent ended: a configuration, its cost, and how much work it took, in pairs.

    For hops, `costs` may be those by ever sharper losses on the way down to it; `size` is that of
    the space, where a descent finds it too.
    """

    X: Array
    cost: float
    work: float
    costs: Array = NOT_TOLD
    size: float | None = None


class Hopping(ABC):
    """Hops of one problem, from one minimum to another.

    A hop that has no hope to end lower than it began is given up.
    """

    problem: Problem
    together = 1  # hops in one call

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


class Ways(Hopping):
    """Hops of one problem, and fresh starts.

    A fresh start that has no hope to end as low as `lowest`, the lowest cost so far, is given up.
    """

    batch = 16  # starts between two times of hopping, the same whatever the number of threads

    @abstractmethod
    def fresh(self, lowest: float, rng: np.random.Generator) -> Minimum:
        """Return the minimum that a random start leads to."""

    def several(self, count: int, rng: np.random.Generator) -> list[Minimum]:
        """Return the minima that so many random starts lead to, in less time for each."""
        return [self.fresh(np.inf, rng) for _ in range(count)]

    @abstractmethod
    def end(self, X: Array) -> Minimum:
        """Return the minimum that a configuration leads to."""

    def nearby(self) -> Hopping | None:
        """Return hops to minima nearby that these hops do not tell apart, if there are any."""
        return None


def hopped(
    ways: Hopping,
    here: Minimum,
    rng: np.random.Generator,
    patience: float,
    enough: Callable[[float], bool] = lambda work: False,
    reached: Callable[[Minimum], None] = lambda low: None,
) -> Minimum:
    """Hop on from a minimum, until hops are in vain or so much work is enough.

    Return where that led to, with the work of all; it is the same minimum if all was in vain.
    `reached` hears of each lower minimum on the way, which is not yet brought to the last digit.
    """
    first = low = ways.roughly(here)
    vain, work, zero = 0, first.work, ways.problem.exact_cost
    while vain < patience and low.cost > zero and not enough(work):
        there = ways.hop(low, rng, vain / patience)
        work += there.work
        vain = 0 if there.cost < (1.0 - SAME) * low.cost else vain + ways.together
        if there.cost < low.cost:
            low = there
            reached(low)
    end = here if low is first else ways.polished(low)
    work += 0.0 if end is here else end.work
    return (end if end.cost < here.cost else here)._replace(work=work)


def as_given(problem: Problem, X: Array) -> Minimum:
    """Return a map with its cost by the loss as given."""
    cost, _ = problem.costs(X, problem.frame.loss, problem.frame.space)
    return Minimum(X, cost, 0.0)


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
