"""Bands of rows that are placed at the same time: the cost of all does not rise."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.parts import name, pair
from unimds import losses, spaces
from unimds.kernels.engine import COST, engine_for

LOSSES = [
    losses.Squared(),
    losses.Absolute(0.1),
    losses.Power(1.5, 0.1),
    losses.Huber(0.3),
    losses.SquaredDistance(),
]
SPACES = [
    spaces.Euclidean(),
    spaces.Sphere(),
    spaces.ChordalSphere(),
    spaces.Hyperbolic(),
    spaces.Simplex(),
]


def cases():
    """Yield every loss with every space, without weights and with; weights are compiled anew."""
    for loss in LOSSES:
        for space in SPACES:
            yield pair(loss, space, False)
            yield pair(loss, space, True, quick=loss is LOSSES[0] and space in SPACES[:2])


def label(part):
    """Return what a case is called."""
    return ("plain", "weighted")[part] if isinstance(part, bool) else name(part)


def round_of(D, W, X, engine, edges):
    """Return the points after all bands have been placed, each against the others as they were."""
    free, Y = np.ones(len(D), dtype=bool), X.copy()
    for begin, end in pairwise(edges):
        own, rows = X.copy(), slice(begin, end)
        weights = None if W is None else W[rows]
        engine.sweep(D[rows], weights, begin, own, free, (begin, end), 1.0)
        Y[:, rows] = own[:, rows]
    return Y


def cost_of(D, W, X, engine):
    return engine.total(COST, D, W, 0, X, 1.0)[0]


@pytest.mark.sample(4)
@pytest.mark.parametrize(("loss", "space", "weighted"), list(cases()), ids=label)
@given(seed=st.integers(0, 2**32 - 1), bands=st.integers(2, 8), spread=st.floats(0.1, 3.0))
def test_no_round_raises_the_cost(loss, space, weighted, seed, bands, spread):
    rng, n = np.random.default_rng(seed), 14
    X = np.ascontiguousarray(space.project_points(space.random(n, 2, spread, rng)).T)
    D = np.abs(rng.normal(size=(n, n))) * min(spread, 1.0)
    D = np.minimum(np.maximum(D, D.T), 3.0)[:, None]
    D[np.arange(n), 0, np.arange(n)] = 0.0
    W = rng.random((n, n)) ** 4
    W = (W + W.T)[:, None] if weighted else None
    edges = [0, *sorted(rng.choice(np.arange(1, n), size=bands - 1, replace=False)), n]
    engine = engine_for(loss, space, X, D, W)
    cost = cost_of(D, W, X, engine)
    for _ in range(4):
        X = round_of(D, W, X, engine, edges)
        before, cost = cost, cost_of(D, W, X, engine)
        assert cost <= before * (1.0 + 1e-12)


def test_one_band_is_an_ordinary_sweep():
    rng, space, loss = np.random.default_rng(0), SPACES[0], LOSSES[0]
    X, D = rng.normal(size=(2, 9)), rng.random((9, 9))
    D, alone = (D + D.T)[:, None], X.copy()
    engine = engine_for(loss, space, X, D)
    engine.sweep(D, None, 0, alone, np.ones(9, dtype=bool), (0, 9), 1.0)
    np.testing.assert_array_equal(round_of(D, None, X, engine, [0, 9]), alone)


@pytest.mark.parametrize("k", [2, 5, 7])
def test_pairs_across_bands_count_twice_in_the_divisor(k):
    """The step of one point, written out: the pull is that of all, the divisor has more."""
    rng, space, loss = np.random.default_rng(1), SPACES[0], LOSSES[0]
    X, D = rng.normal(size=(k, 8)), rng.random((8, 8))
    D, moved = (D + D.T)[:, None], X.copy()
    engine_for(loss, space, X, D).sweep(D, None, 0, moved, np.arange(8) == 2, (1, 4), 1.0)
    others = [j for j in range(8) if j != 2]
    to = X[:, others] - X[:, [2]]
    pull = (to * (1.0 - D[2, 0, others] / np.linalg.norm(to, axis=0))).sum(axis=1)
    divisor = sum(1.0 if 1 <= j < 4 else 2.0 for j in others)
    np.testing.assert_allclose(moved[:, 2] - X[:, 2], pull / divisor, rtol=1e-12)
