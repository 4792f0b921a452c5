"""Descent among the maps that a constraint allows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from unimds.constraints.base import Constraint
from unimds.losses import Loss
from unimds.placecenter.descent.lowering import Lowered, exact_cost, in_units, lower, lowest_of
from unimds.placecenter.majorization.parabolas import parabolas, values
from unimds.placecenter.problem import Problem
from unimds.placecenter.result import Result
from unimds.placecenter.targets import GIVEN
from unimds.spaces.base import Space
from unimds.spaces.euclidean import Euclidean
from unimds.starts.race import lowest, starts_in_memory
from unimds.starts.search import Search

Array = NDArray[Any]

SHIFTS = 5  # of a map to where it obeys best
FIRST = 100  # steps before disparities adapt
RANDOM, FEW_RANDOM, MANY = (
    5,
    1,
    200,
)  # starts besides the free map, and points from which few will do


@final
@dataclass(frozen=True, eq=False)
class Obeying:
    """A map that obeys a constraint, and its targets: what is lowered. Points are columns."""

    problem: Problem
    constraint: Constraint
    X: Array
    r: Array

    @cached_property
    def aimed(self) -> Problem:
        """The problem of meeting the present targets."""
        return self.problem.aimed(self.r)

    def cost(self, loss: Loss) -> float:
        """Return the cost, in the frame's unit."""
        return self.aimed.costs(self.X, loss, self.problem.frame.space)[1]

    def residual(self) -> float:
        """Return the mean error of the pairs."""
        return self.aimed.mean_residual(self.X)

    def points(self) -> Array:
        """Return the map in the user's unit."""
        return self.problem.frame.outer(self.X)

    def laplacians(self, loss: Loss) -> tuple[Array, Array]:
        """Return V and B of the parabolas, see `unimds.constraints.base`."""
        D, W = self.aimed.pairs.table.whole()
        u = self.problem.frame.space.between(self.X, self.X)
        away = u > 0.0
        n, layers = D.shape[:2]
        heavy, pull = np.zeros((n, n)), np.zeros((n, n))
        for layer in range(layers):
            w, rho = parabolas(loss, u, D[:, layer] * self.problem.frame.unit)
            w = w / layers if W is None else w * W[:, layer] / layers
            heavy += w
            pull += np.where(away, w * rho / np.where(away, u, 1.0), 0.0)
        return _laplacian(heavy), _laplacian(pull)

    def stepped(self, loss: Loss) -> Obeying:
        """Return the map after a step, then the targets."""
        V, B = self.laplacians(loss)
        right = B @ self.X.T
        found = self.constraint.solved(V, right)
        if found is not None:
            return self._adapted(np.ascontiguousarray(found.T), loss)
        # SMACOF's step is longer; brought back to the set it mostly lowers the cost as well
        bold = self._at(_free_step(V, right), V)
        if not bold.cost(loss) < self.cost(loss):
            bold = self.cautious(V, right)
        return self._adapted(bold.X, loss)

    def cautious(self, V: Array, right: Array) -> Obeying:
        """Return the map after a step that never raises the cost."""
        X = self.X.T
        return self._at(X - (V @ X - right) / _heavy(V)[:, None], V)

    def _at(self, Y: Array, V: Array) -> Obeying:
        """Return the allowed map next to `Y`."""
        found = _brought(self.constraint, Y, _heavy(V))
        return replace(self, X=np.ascontiguousarray(found.T))

    def _adapted(self, X: Array, loss: Loss) -> Obeying:
        problem, space = self.problem, self.problem.frame.space
        if not problem.adapts:
            return replace(self, X=X)
        r = problem.adapted(X, loss, space, self.r)
        X, _, r = problem.normalised(X, space, r)
        return replace(self, X=X, r=r)

    def beyond(self, previous: Obeying, beta: float) -> Obeying:
        """Return the map carried on, from where a step leads back to what is allowed."""
        return replace(self, X=self.X + beta * (self.X - previous.X))


def _heavy(V: Array) -> Array:
    """Return the diagonal matrix that lies above V; one for points that nothing is known of."""
    m = 2.0 * np.diagonal(V)
    return np.where(m > 0.0, m, 1.0)


def _brought(constraint: Constraint, Y: Array, m: Array) -> Array:
    """Return the nearest allowed map to `Y`, which may be shifted: that changes no distance."""
    X = constraint.nearest(Y, m)
    for _ in range(SHIFTS):
        X = constraint.nearest(Y + np.average(X - Y, axis=0, weights=m), m)
    return X


def _free_step(V: Array, right: Array) -> Array:
    """Return V⁺ right, where the majorizer of the cost is least among all maps."""
    n = len(V)
    heavy = float(np.trace(V)) / n or 1.0
    try:
        found: Array = np.linalg.solve(V + heavy / n, right)
    except np.linalg.LinAlgError:
        found = np.linalg.lstsq(V, right, rcond=None)[0]
    return found


def _laplacian(table: Array) -> Array:
    np.fill_diagonal(table, 0.0)
    table = 0.5 * (table + table.T)
    found: Array = np.diag(table.sum(axis=1)) - table
    return found


def lowest_obeying(
    search: Search, problem: Problem, constraint: Constraint, rng: np.random.Generator
) -> Result:
    """Return the best map that obeys: from the free map, and from random ones."""
    frame = problem.frame
    if type(frame.space) is not Euclidean:
        raise ValueError(
            f"{constraint} is for maps in Euclidean space, and this is {frame.space}; leave the "
            'constraint out, or use space="euclidean"'
        )
    quiet = replace(search, watch=search.watch.silent(), n_init="auto")
    free = lowest(quiet, problem, rng, None, None, starts_in_memory)
    n = problem.pairs.n
    auto = 1 + (RANDOM if n <= MANY else FEW_RANDOM)
    count = int(search.n_init) if not isinstance(search.n_init, str) else auto
    maps = [np.asarray(frame.inner(free.embedding).T)]
    k = problem.n_components
    flat: Space = frame.space
    maps += [flat.random(n, k, frame.scale, rng) for _ in range(count - 1)]
    if isinstance(search.n_init, str):
        maps += _openings(problem, constraint, maps[0], rng)
    plan, watch = search.plan.in_unit(frame), search.watch
    total = problem.pairs.weighing.total
    zero = exact_cost(frame.loss, frame.scale, total, adapts=problem.adapts)

    rounded = frame.loss.smoothed(frame.scale)

    def begun(start: Array) -> Obeying:
        X = np.ascontiguousarray(constraint.begun(np.asarray(start, dtype=np.float64)).T)
        first, soft = Obeying(problem, constraint, X, problem.targets.first), rounded
        if problem.adapts:  # disparities that adapt at once would keep the map as it is
            still = Obeying(replace(problem, targets=GIVEN), constraint, X, problem.targets.first)
            X = lower(still, [soft], soft, replace(plan, max_iter=FIRST), quiet.watch).best.X
            first = first._adapted(X, soft)
        return first

    with threadpool_limits(1):  # on more threads BLAS rounds in another way
        starts = search.each(begun, maps)
        low = lowest_of(starts, frame, search.plan, watch, search.each, zero, frame.cost_unit)
    return _result(low, problem)


def _openings(
    problem: Problem, constraint: Constraint, X: Array, rng: np.random.Generator
) -> list[Array]:
    """Return what a constraint begins with by itself, against the mean of all layers."""
    D, W = problem.aimed(problem.targets.first).pairs.table.whole()
    known = ~np.isnan(D)
    weigh = np.where(known, 1.0 if W is None else W, 0.0).astype(np.float64)
    total = weigh.sum(axis=1)
    mean = (weigh * np.nan_to_num(D)).sum(axis=1) / np.where(total > 0.0, total, 1.0)
    np.fill_diagonal(total, 0.0)
    loss = problem.frame.loss
    cost = partial(values, loss)
    return constraint.openings(mean * problem.frame.unit, total, cost, X, rng)


def _result(low: Lowered[Obeying], problem: Problem) -> Result:
    frame, best = problem.frame, low.best
    history, levels = in_units(low, frame.cost_unit, frame)
    cost = low.cost
    if problem.adapts:
        soft = frame.loss.smoothed(1e-9 * frame.scale)
        best = replace(best, r=problem.fitted(best.X, soft, frame.space, best.r))
        cost = best.cost(frame.loss)
        if low.cost > 0.0:  # all costs in the unit of the best
            history[:, 1] *= cost / low.cost
            levels[:, 1] *= cost / low.cost
    embedding, loss, space = frame.outer_all(best.X, frame.space)
    scaling = problem.targets.scaling(best.r)
    return Result(
        embedding=embedding,
        cost=cost * frame.cost_unit,
        history=history,
        levels=levels,
        outcome=low.outcome,
        loss=loss,
        space=space,
        scaling=scaling,
        transformation=None if scaling is None else scaling.transformation,
    )
