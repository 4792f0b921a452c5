"""Exchanges of two points: each once, in the order of what it costs."""

import numpy as np
import pytest

from unimds.distances.pairs import as_pairs
from unimds.losses import Absolute
from unimds.placecenter.problem import Problem
from unimds.spaces import Euclidean, Sphere
from unimds.starts.hopping.exchanges import Exchanges, promising


def problem_of(space, weights, asymmetric, missing, n=9):
    rng = np.random.default_rng(4)
    D = rng.uniform(0.5, 2.0, (n, n))
    D = D if asymmetric else D + D.T
    if missing:
        D[1, 4] = D[4, 1] = D[0, 7] = D[7, 0] = np.nan
    np.fill_diagonal(D, 0.0)
    W = rng.uniform(0.2, 3.0, (n, n))
    pairs = as_pairs(D, weights=W + W.T if weights else None)
    problem = Problem.posed(pairs, Absolute(), space, 2)
    X = rng.normal(size=(problem.n_coordinates, n))
    return problem, X / np.linalg.norm(X, axis=0) if isinstance(space, Sphere) else X


@pytest.mark.parametrize("space", [Euclidean(), Sphere(radius=2.0)], ids=["flat", "sphere"])
@pytest.mark.parametrize(("weights", "asymmetric", "missing"), np.eye(4, 3, dtype=bool).tolist())
def test_exchanges_come_in_the_order_of_what_they_cost(space, weights, asymmetric, missing):
    problem, X = problem_of(space, weights, asymmetric, missing)
    loss, exchanges, costs, seen = problem.frame.loss, Exchanges(problem), [], set()
    while (changed := exchanges.next(X)) is not None:
        seen.add(tuple(np.flatnonzero(np.any(changed != X, axis=0))))
        costs.append(problem.costs(changed, loss, problem.frame.space)[0])
    assert len(costs) == len(seen) == 9 * 8 // 2
    assert {len(two) for two in seen} == {2}
    assert np.all(np.diff(costs) > -1e-9)
    assert costs[-1] > costs[0]


def test_another_map_begins_anew():
    problem, X = problem_of(Euclidean(), False, False, False)
    exchanges = Exchanges(problem)
    first = exchanges.next(X)
    assert not np.array_equal(exchanges.next(X), first)
    assert np.array_equal(exchanges.next(X.copy()), first)
    assert len(promising(problem, X)) == 36
