"""Quasi-Newton steps (L-BFGS): all points move together, by the curvature that past steps met.

The cost falls faster by these steps than by sweeps, and a step computes each pair once. The
mathematics is in `unimds.kernels.steps`. The whole descent of a table in memory is one call of
compiled code; where there are many coordinates or points, and for tables that are computed, this
module measures one trial after another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from unimds.compiled.functions import once
from unimds.kernels.drivers import BAR, KNOWN, SLOWEST
from unimds.kernels.steps import (
    ACROSS,
    AIM,
    BEGUN,
    BENT,
    BEST,
    EXACT,
    HERE,
    LOWEST,
    MEMORY,
    ONTO,
    PAST,
    PLACED,
    SETTLED,
    SHORTER,
    SLOPE,
    STUCK,
    TAKEN,
    TRIAL,
    VERDICT,
    WENT,
    step_functions,
)
from unimds.losses import Loss
from unimds.placecenter.targets import GIVEN

if TYPE_CHECKING:
    from unimds.placecenter.problem import Problem

Array = NDArray[Any]

__all__ = [
    "EXACT",
    "SETTLED",
    "STUCK",
    "WENT",
    "Descent",
    "Limits",
    "QuasiNewton",
    "annealed",
    "annealed_each",
]


FILED = [HERE, SLOPE, TRIAL, AIM, PLACED, BEST, *range(PAST, PAST + 2 * MEMORY)]
"""The rows of the memory in the order in which checkpoints have them."""
# past steps that count in the many descents of few points: a quarter of the points, so that a step
# takes less time; one descent to the end takes fewer steps with all
FEWEST, SHARE = 8, 4
UNKNOWN = (np.inf, None)  # cost and pulls of points that nobody has measured


class Limits(NamedTuple):
    """When to stop: after so many steps, or when the cost falls too slowly or is zero."""

    steps: int
    window: int
    eps: float
    zero: float
    threads: int = 1


class Descent(NamedTuple):
    """Where a descent ended that nobody watched: its points, their cost, and how many steps.

    `ends` are the costs at the end by each loss; they are NaN where it did not come to that loss.
    """

    X: Array
    cost: float
    steps: int
    ends: Array


def annealed(
    problem: Problem, X: Array, losses: list[Loss], limits: Limits, **options: Any
) -> Descent:
    """Descend by one loss after another in one call of compiled code; see `annealed_each`."""
    return annealed_each(problem, X[None], losses, limits, **options)[0]


def annealed_each(
    problem: Problem,
    starts: Array,
    losses: list[Loss],
    limits: Limits,
    *,
    spans: Array | None = None,
    slowest: Array | float | None = None,
    bars: Array | float = np.inf,
    known: Array | float = np.nan,
    goal: float = -np.inf,
    tables: Array | None = None,
) -> list[Descent]:
    """Descend from one configuration after another, in one call of compiled code.

    Parameters
    ----------
    problem : Problem
        What to descend in.
    starts : ndarray of shape (count, k, n)
        Where to begin.
    losses : list of Loss
        By which to descend, one after another, ever sharper ones.
    limits : Limits
        When to stop; there are at most `limits.steps` with each loss.
    spans : ndarray of int of shape (count, 2), optional
        For each start, the numbers of its first loss and of that after its last: else it has all.
    slowest : float or ndarray, optional
        How slowly the cost may fall by each loss, in place of `limits.eps`.
    bars : float or ndarray, default inf
        A cost for each loss: a descent is given up that has no hope to come below, or has not.
    known : float or ndarray, default nan
        The costs of a map that is known: a descent to it is given up, too.
    goal : float, default -inf
        A descent that ends below it by its last loss is the last.
    tables : ndarray of shape (count, n, layers, n), optional
        For each start the distances, in place of the problem's.

    Returns
    -------
    list of Descent
        One for each start up to the last.
    """
    memory, numbers = empty_memory(starts[0].size)
    state = memory, numbers, problem.pairs.free.astype(np.float64)
    (steps, window, eps, zero, _), many = limits, len(losses)
    marks, costs = np.empty((3, many)), np.empty((2, 1 + steps))
    past = min(max(starts.shape[2] // SHARE, FEWEST), MEMORY)
    marks[SLOWEST], marks[BAR], marks[KNOWN] = eps if slowest is None else slowest, bars, known
    X = starts.reshape(len(starts), -1).astype(np.float64)
    spans = np.tile([0, many], (len(X), 1)) if spans is None else spans
    ends, told = np.full((len(X), many), np.nan), np.empty((len(X), 3))
    done = problem.anneal_compiled(
        np.empty_like(starts[0]), losses, tables, ((steps, 1, window, past), (zero, goal)),
        marks, costs, (X, spans, ends, told), state,
    )  # fmt: skip
    best = X[:done].astype(starts.dtype).reshape(-1, *starts[0].shape)
    rows = zip(best, told.tolist(), ends, strict=False)
    return [Descent(x, low, int(taken), own) for x, (low, taken, _), own in rows]


def empty_memory(size: int) -> tuple[Array, Array]:
    """Return the memory of steps, and their numbers, for points with so many coordinates."""
    return np.zeros((PAST + 2 * MEMORY, size)), np.zeros(BENT + MEMORY)


@final
class QuasiNewton:
    """Lowers the cost by `loss` from the points `X`, or goes on where an earlier run stood."""

    def __init__(
        self,
        problem: Problem,
        loss: Loss,
        X: Array,
        measured: tuple[float, Array | None] = UNKNOWN,
        targets: Array = GIVEN.first,
        kept: tuple[Array, ...] = (),
    ):
        self.problem, self.loss, self.shape, self.dtype = problem, loss, X.shape, X.dtype
        self.free = problem.pairs.free.astype(np.float64)
        self.engine = problem.frame.engine(X)
        self.take, self.aim, self.judge, self.keep = step_functions()
        self.targets = self.best_targets = self.tried = targets
        self.memory, self.numbers = empty_memory(X.size)
        fields, self.room = self.engine.fields.ctypes.data, np.empty(MEMORY)
        self.where = self.memory.ctypes.data, X.size, 0, 0
        self.known = self.numbers.ctypes.data, fields
        if kept:
            self.memory[FILED], self.numbers[:] = kept
            return
        self.memory[HERE] = X.ravel()
        self.arrive(X, measured, targets)

    @property
    def kept(self) -> tuple[Array, ...]:
        """All that is needed to go on later."""
        return self.memory[FILED], self.numbers.copy()

    @property
    def lowest(self) -> float:
        """The lowest cost so far by the loss as given: that of the points in row `BEST`."""
        return float(self.numbers[LOWEST])

    def points(self, row: int = HERE) -> Array:
        """Return the points of this moment, or of another row of the memory."""
        return np.array(self.memory[row].reshape(self.shape), dtype=self.dtype)

    def arrive(
        self,
        X: Array,
        measured: tuple[float, Array | None] = UNKNOWN,
        targets: Array = GIVEN.first,
    ) -> None:
        """Go to points that were found in another way; only the way there is remembered.

        Unless their cost and pulls are known, these are measured before the first step.
        """
        self.numbers[:] = 0.0
        self.targets = targets
        self.memory[TRIAL] = X.ravel()
        cost, pulls = measured
        if pulls is None:
            self.numbers[VERDICT] = BEGUN
            return
        self.numbers[VERDICT], pulls = TAKEN, pulls.copy()
        self._carry(ACROSS, pulls)
        self._call(self.take, cost, pulls)

    def descend(
        self, costs: list[tuple[float, float]], best: float, limits: Limits
    ) -> tuple[list[tuple[float, float]], int, Array, Array | None]:
        """Take steps until the cost no longer falls.

        Parameters
        ----------
        costs : list of tuple of two floats
            The last costs, by the loss and by the loss as given.
        best : float
            The lowest cost so far by the loss as given.
        limits : Limits
            When to stop.

        Returns
        -------
        list of tuple of two floats
            The new costs.
        int
            Why it ended: `WENT`, `SETTLED`, `EXACT` or `STUCK`.
        ndarray
            The points.
        ndarray or None
            The points of the lowest cost by the loss as given, if that is lower than `best`.
        """
        known = len(costs)
        table = np.empty((2, known + limits.steps))
        table[:, :known] = np.transpose(costs)
        self.numbers[LOWEST] = best
        run = self._run_here if self.problem.descends_compiled else self._run
        done, why = run(table, known, limits)
        new = [(float(a), float(b)) for a, b in table[:, known : known + done].T]
        lower = self.numbers[LOWEST] < best or any(exact <= best for _, exact in new)
        return new, why, self.points(), self.points(BEST) if lower else None

    def _run_here(self, costs: Array, known: int, limits: Limits) -> tuple[int, int]:
        steps, window, eps, zero, _ = limits
        state = self.memory, self.numbers, self.free
        until = (steps, known, window, MEMORY), (eps, zero)
        X = np.empty(self.shape, dtype=self.dtype)
        return self.problem.descend_compiled(X, self.loss, until, costs, state)

    def _run(self, costs: Array, known: int, limits: Limits) -> tuple[int, int]:
        """Do the same as `unimds.kernels.drivers.descend`, which cannot measure these tables."""
        steps, window, eps, zero, threads = limits
        last, begun = known - 1, np.inf
        while True:
            done, now, fresh = last + 1 - known, costs[0, last], self.numbers[VERDICT] == BEGUN
            if not fresh:
                if last >= window and costs[0, last - window] - now <= window * eps * abs(now):
                    return done, SETTLED
                if costs[1, last] <= zero:
                    return done, EXACT
                if done == steps:
                    return done, WENT
                self._call(self.aim, MEMORY)
            while self.numbers[VERDICT] in (SHORTER, BEGUN):
                if not fresh:
                    self._carry(ONTO)
                measured, (exact, cost) = self._measured(threads, fresh)
                self._call(self.judge, cost)
            if self.numbers[VERDICT] == STUCK:
                if done == 0:  # it began in a minimum
                    self._keep(begun)
                return done, STUCK
            self.targets = self.tried
            self._carry(ACROSS, measured)
            # the cost before may have been found in another way, with other rounding
            self._call(self.take, min(cost, now) if fresh else cost, measured)
            if fresh:
                begun = exact
                continue
            last += 1
            costs[:, last] = cost, exact
            self._keep(exact)

    def _keep(self, exact: float) -> None:
        """Keep the points as the best, with their targets, if there were no better ones."""
        if exact <= self.numbers[LOWEST]:
            self.best_targets = self.targets
        self._call(self.keep, exact)

    def _measured(self, threads: int, fresh: bool) -> tuple[Array, tuple[float, float]]:
        """Return the pulls on the points of the trial with their weights, and its costs."""
        problem, X = self.problem, self.points(TRIAL)
        self.memory[TRIAL] = X.ravel()  # rounded, in single precision
        space, now = problem.frame.space, self.targets
        self.tried = now if fresh else problem.adapted(X, self.loss, space, now)
        return problem.aimed(self.tried).pulls(X, self.loss, threads)

    def _call(self, function: int, cost: float = 0.0, measured: Array | None = None) -> None:
        """Call one of the functions of a step, by its address."""
        self._once(function, self.free, 1 if self.engine.carry else 0, cost, measured)

    def _carry(self, mode: int, measured: Array | None = None) -> None:
        """Do what a step needs where space is curved."""
        if self.engine.carry:
            work = np.empty(2 * self.shape[0])
            self._once(self.engine.carry, work, mode, 1.0, measured)

    def _once(
        self, function: int, others: Array, mode: int, unit: float, measured: Array | None
    ) -> None:
        (k, n), room = self.shape, self.room if measured is None else measured
        met, memory = (others.ctypes.data, n, k), (room.ctypes.data, *self.known)
        once(function, self.where, met, (0, 0, 0, 0), (0, 0, mode), unit, memory)
