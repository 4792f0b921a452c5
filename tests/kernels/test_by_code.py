"""Pairs that are known by their codes: sums and pulls are those of the tables they stand for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from unimds import Euclidean, Sphere, Squared
from unimds.distances.coded import CodedTable
from unimds.kernels.engine import engine_for
from unimds.spaces import distances


def coded(rng, n, both, weighted):
    """Return codes of pairs, beyond all others that of the diagonal, and weights or nothing."""
    codes = rng.integers(0, 7, (n, n)).astype(np.uint16)
    W = rng.random((n, n)) if weighted else np.empty((0, 0))
    if not both:
        codes = np.maximum(codes, codes.T)
        W = W + W.T if weighted else W
    np.fill_diagonal(codes, 8)
    return codes, W


@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("k", [2, 7])
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 9))
def test_sums_by_code_are_those_of_all_pairs(k, weighted, both, seed, n):
    rng = np.random.default_rng(seed)
    X, (codes, W) = rng.normal(size=(k, n)), coded(rng, n, both, weighted)
    total = np.zeros(9)
    engine_for(Squared(), Euclidean(), X).add_by_code(X, codes, W, both, total)
    counted = ~np.eye(n, dtype=bool) if both else np.tri(n, k=-1, dtype=bool)
    apart = distances(X.T) * (W if weighted else 1.0)
    assert_allclose(total, np.bincount(codes[counted], apart[counted], 9), atol=1e-12)


@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("space", [Euclidean(), Sphere()], ids=repr)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 9))
def test_pulls_by_code_are_those_of_the_table(space, both, seed, n):
    rng = np.random.default_rng(seed)
    X = space.project_points(rng.normal(size=(n, space.n_coordinates(2)))).T.copy()
    codes, _ = coded(rng, n, both, weighted=False)
    numbers = np.append(rng.random(7), [np.nan, 0.0])
    table = CodedTable(codes, numbers, None, 2 if both else 1)
    engine, loss = engine_for(Squared(), space, X, table), Squared()
    begin = int(rng.integers(n))
    for rows in (slice(0, begin), slice(begin, n)):
        found = []
        for D in (table, table.whole()[0]):
            slope = np.zeros((len(X) + 1, n))
            costs = engine.pulls(D, None, 0, rows, X, 1.0, loss, slope)
            found.append(np.append(slope, costs))
        assert_allclose(*found, atol=1e-12)
