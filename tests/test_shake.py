"""Shaking: every point is placed against a few others, which are neither it nor its partner."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unimds import spaces
from unimds.losses import Squared
from unimds.pairs import as_pairs
from unimds.problem import Problem


def neighbours(share, i, j, size, n):
    """Return the place at `share` of all places for `size` neighbours without `i` and `j`."""
    places = [range(b, b + size) for b in range(n - size + 1)]
    places = [place for place in places if i not in place and j not in place]
    return list(places[int(float(share) * len(places))])


def shaken(D, X, sizes, starts):
    """Do the same with numpy, a row a point."""
    X, n = X.copy(), len(X)
    for size, shares in zip(sizes, starts, strict=True):
        for i in range(0, n, 2):
            pair = sorted({i, min(i + 1, n - 1)})
            few = neighbours(shares[i // 2], pair[0], pair[-1], size, n)
            ways = [X[few] - X[p] for p in pair]
            for p, way in zip(pair, ways, strict=True):
                pull = 1.0 - D[p, few] / np.linalg.norm(way, axis=1)
                X[p] += (pull[:, None] * way).mean(axis=0)
    return X


@settings(max_examples=60, deadline=None)
@given(n=st.integers(4, 40), k=st.sampled_from([2, 3, 5]), data=st.data())
def test_shaking_places_points_against_few_others(n, k, data):
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    sizes = np.array(data.draw(st.lists(st.integers(1, (n - 2) // 2), min_size=1, max_size=4)))
    D = spaces.distances(rng.normal(size=(n, 6)))
    problem = Problem.make(as_pairs(D), Squared(), spaces.Euclidean(), k)
    X = np.ascontiguousarray(rng.normal(size=(k, n)))
    starts = rng.random((len(sizes), (n + 1) // 2), dtype=np.float32)
    want = shaken(D * problem.unit, X.T, sizes, starts).T
    problem.shake(X, problem.loss, sizes, starts)
    np.testing.assert_allclose(X, want, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("n", [4, 5, 9, 60])
def test_there_is_a_place_for_half_of_the_others(n):
    size = (n - 2) // 2
    for i in range(0, n, 2):
        for share in (0.0, 0.5, 0.999):
            few = neighbours(share, i, min(i + 1, n - 1), size, n)
            assert len(few) == size
