"""Shaking: every point is placed against a few others."""

from copy import copy
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import pdist

from tests.support.parts import slow
from unimds import spaces
from unimds.distances.pairs import as_pairs
from unimds.distances.table import HeldTable
from unimds.kernels.engine import by_shift
from unimds.kernels.rows import UNROLLED
from unimds.losses import Squared
from unimds.placecenter.problem import Problem
from unimds.starts.seeds.initial import draw
from unimds.starts.shaking import Shaker


def shaken(D, W, X, sizes, draws, together):
    """Do the same with numpy, a row a point; all points may move at the same time."""
    X, n = X.copy(), len(X)
    for size, mine in zip(sizes, np.split(draws, np.cumsum(sizes)[:-1]), strict=True):
        stretches = (np.arange(size) + mine.astype(np.float64)) / size
        shifts = 1 + np.minimum((stretches * (n - 1)).astype(int), n - 2)
        before = X.copy() if together else X
        for p in range(n):
            few = (p + shifts) % n
            way, weight = before[few] - before[p], W[p, few]
            pull = weight * (1.0 - D[p, few] / np.linalg.norm(way, axis=1))
            X[p] += (pull[:, None] * way).sum(axis=0) / weight.sum()
    return X


def shake(problem, X, sizes, draws):
    """Shake in place, all points at once where that can be."""
    D, W = problem.pairs.table.whole()
    engine = problem.frame.engine(X, D, W)
    if problem.pairs.layers == 1 and engine.shakes_together:
        each = np.arange(len(D))
        by = by_shift(D, each), None if W is None else by_shift(W, each)
        engine.shake_together(*by, X, sizes, draws, problem.frame.unit)
    else:
        engine.shake_in_turn(D, W, X, sizes, draws, problem.frame.unit)


@pytest.mark.sample(1)
@pytest.mark.parametrize("k", [2, 3, slow(5), 7])
@given(
    n=st.one_of(st.integers(4, 80), st.integers(500, 530)),
    weighted=st.booleans(),
    data=st.data(),
)
def test_shaking_places_points_against_few_others(k, n, weighted, data):
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    most = min(n // 2, 64)
    sizes = 2 * np.array(data.draw(st.lists(st.integers(1, most), min_size=1, max_size=4)))
    D = spaces.distances(rng.normal(size=(n, 6)))
    W = rng.random((n, n)) if weighted else np.ones((n, n))
    W += W.T
    pairs = as_pairs(D, weights=W if weighted else None).subset(np.arange(n))
    problem = Problem.make(pairs, Squared(), spaces.Euclidean(), k)
    X = np.ascontiguousarray(rng.normal(size=(k, n)))
    draws = rng.random(sizes.sum(), dtype=np.float32)
    want = shaken(D * problem.frame.unit, W, X.T, sizes, draws, together=k <= UNROLLED).T
    shake(problem, X, sizes, draws)
    np.testing.assert_allclose(X, want, rtol=1e-9, atol=1e-9)


def one_by_one(problem, X, loss):
    """Place each point against all others, with the kernel of sweeps, from where all were."""
    moved = X.copy()
    for i in range(problem.pairs.n):
        free, Y = np.arange(problem.pairs.n) == i, X.copy()
        pairs = copy(problem.pairs)
        pairs.free = free
        alone = replace(problem, pairs=pairs)
        alone.sweep(Y, loss, problem.frame.space, 1, 0.0)
        moved[:, i] = Y[:, i]
    return moved


SPACES = [
    spaces.Euclidean(),
    spaces.Sphere(1.0),
    spaces.Hyperbolic(1.0),
    spaces.ChordalSphere(1.0),
    spaces.Simplex(1.0),
]
TABLES = ["plain", "weighted", "missing", "single", "asymmetric"]


def is_slow(space, table):
    """Tell whether a case is compiled for itself alone, and another one is nearly the same."""
    return space not in SPACES[:1] and (space, table) not in product(SPACES[1:3], ["plain"])


@pytest.mark.parametrize(
    ("space", "table"),
    [slow(*case) if is_slow(*case) else case for case in product(SPACES, TABLES)],
    ids=lambda x: x if isinstance(x, str) else type(x).__name__,
)
def test_placed_against_all_others_points_go_where_a_sweep_puts_them(space, table):
    n, rng = 21, np.random.default_rng(0)
    D = spaces.distances(space.random(n, 2, 1.0, rng), space=space) * rng.uniform(0.7, 1.2, (n, n))
    D = D if table == "asymmetric" else 0.5 * (D + D.T)
    weights = rng.uniform(0.5, 2.0, (n, n)) if table in ("weighted", "asymmetric") else None
    if table == "missing":
        D[3, 8:] = D[8:, 3] = np.nan
    D = D.astype(np.float32 if table == "single" else np.float64)
    problem = Problem.make(as_pairs(D, weights=weights), Squared(), space, 2)
    X = draw(problem, rng)
    # every stretch holds one shift: the n − 1 of them are all others
    draws, together = np.full(n - 1, 0.5, dtype=np.float32), table != "asymmetric"
    want = one_by_one(problem, X, problem.frame.loss) if together else X.copy()
    if not together:
        problem.sweep(want, problem.frame.loss, problem.frame.space, 1, 0.0)
    shake(problem, X, np.array([n - 1]), draws)
    np.testing.assert_allclose(X, want, atol=1e-5 if X.dtype == np.float32 else 1e-12)


def test_a_table_by_shift():
    rng = np.random.default_rng(0)
    D, order, i = rng.random((150, 150)), rng.permutation(150), np.arange(150)
    want = [D[order, order[(i + s) % 150]] for s in range(1, 150)]
    np.testing.assert_array_equal(by_shift(D[:, None, :], order)[:, 0], want)


@pytest.mark.parametrize("k", [2, 3])
def test_points_in_one_place_part_and_points_without_neighbours_stay(k):
    n = 12
    D = np.where(np.eye(n, dtype=bool), 0.0, 1.0)
    problem = Problem.make(as_pairs(D).subset(np.arange(n)), Squared(), spaces.Euclidean(), k)
    X, sizes = np.zeros((k, n)), np.full(30, 4)
    rng = np.random.default_rng(0)
    Shaker(problem, rng).shake(X, problem.frame.loss, sizes, rng)
    assert pdist(X.T).min() > 0.01
    pairs = copy(problem.pairs)
    pairs.table = HeldTable(np.full((n, 1, n), np.nan))
    unknown = replace(problem, pairs=pairs)
    before = X.copy()
    Shaker(unknown, rng).shake(X, problem.frame.loss, sizes, rng)
    np.testing.assert_array_equal(X, before)
