"""Directions at the points of a map, and what leaving points out does to first order."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unimds import ChordalSphere, Euclidean, Hyperbolic, Simplex, Sphere
from unimds.spaces import distances
from unimds.trust.geometry import gradients, jackknife_excess
from unimds.trust.tangent import tangents_at

SPACES = [
    Euclidean(),
    Sphere(2.0),
    ChordalSphere(0.5),
    Hyperbolic(0.3),
    Hyperbolic(4.0),
    Simplex(3.0),
]


def some_points(space, n, k, seed):
    return space.random(n, k, 1.2 * space.unit, np.random.default_rng(seed))


@pytest.mark.parametrize("space", SPACES, ids=str)
@given(k=st.integers(1, 4), seed=st.integers(0, 2**32))
def test_vectors_are_as_long_as_distances_and_lead_back_to_the_places(space, k, seed):
    X = some_points(space, 5, k, seed)
    here = tangents_at(X, space)
    assert here.k == k
    vectors = here.vectors(0, X[1:])
    far = distances(X[:1], X[1:], space=here.space)[0]
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), far, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(here.places(0, vectors), X[1:], atol=1e-7 * np.abs(X).max())


def test_a_point_that_was_left_out_has_no_vector():
    X = some_points(Sphere(), 4, 2, 0)
    maps = np.stack([X, X])
    maps[1, 2] = np.nan
    vectors = tangents_at(X, Sphere()).all_vectors(maps)
    assert np.isnan(vectors[1, 2]).all()
    np.testing.assert_allclose(vectors[0], 0.0, atol=1e-12)


@pytest.mark.parametrize("space", SPACES, ids=str)
def test_gradients_are_finite_differences(space):
    n, k = 5, 2
    X = some_points(space, n, k, 3)
    here = tangents_at(X, space)
    i, j = np.triu_indices(n, 1)
    G = gradients(here, space, i, j)
    step = 1e-5 * space.unit
    for point in range(n):
        for axis in range(k):
            ends = []
            for sign in (-1.0, 1.0):
                moved = X.copy()
                moved[point] = here.places(point, sign * step * np.eye(k)[axis : axis + 1])[0]
                ends.append(distances(moved, space=space)[i, j])
            slope = (ends[1] - ends[0]) / (2.0 * step)
            np.testing.assert_allclose(G[:, point * k + axis], slope, atol=1e-4)


def deleted(X, w, k):
    """Leave each point out of the linear model of the plane, the long way."""
    n = len(X)
    i, j = np.triu_indices(n, 1)
    G = gradients(tangents_at(X, Euclidean()), Euclidean(), i, j) * np.sqrt(w)[:, None]
    M = np.linalg.pinv(G.T @ G)
    spread = np.zeros((n, k, k))
    for out in range(n):
        kept, columns = (i != out) & (j != out), np.repeat(np.arange(n) != out, k)
        less = np.zeros((columns.sum(), len(i)))
        less[:, kept] = np.linalg.pinv(G[kept][:, columns])
        turned = less[:, kept] @ G[kept][:, columns]  # what no turn or shift explains
        moves = less - turned @ (M @ G.T)[columns]
        square = moves @ moves.T
        for at, point in enumerate(np.flatnonzero(np.arange(n) != out)):
            spread[point] += square[at * k : (at + 1) * k, at * k : (at + 1) * k]
    blocks = [M[p * k : (p + 1) * k, p * k : (p + 1) * k] for p in range(n)]
    return np.array(
        [np.trace(np.linalg.solve(b, s)) / k for b, s in zip(blocks, spread, strict=True)]
    )


@pytest.mark.parametrize(("n", "k"), [(12, 1), (12, 2), (20, 2), (20, 3)])
def test_the_excess_is_that_of_leaving_points_out_of_the_linear_model(n, k):
    rng = np.random.default_rng(n + k)
    X, w = rng.normal(size=(n, k)), rng.uniform(0.5, 2.0, n * (n - 1) // 2)
    i, j = np.triu_indices(n, 1)
    found = jackknife_excess(X, Euclidean(), i, j, w)
    # to the alignment of what is left, which has one point less
    np.testing.assert_allclose(found.ratio, deleted(X, w, k), rtol=0.12)
    assert found.ratio.mean() == pytest.approx(deleted(X, w, k).mean(), rel=0.04)


def test_many_points_hardly_exceed():
    X = np.random.default_rng(0).normal(size=(160, 2))
    i, j = np.triu_indices(160, 1)
    found = jackknife_excess(X, Euclidean(), i, j, np.ones(len(i)))
    np.testing.assert_allclose(found.ratio, 1.0, atol=0.02)
    np.testing.assert_allclose(found.freedom, 159 * 4 / 6)
    fewer = jackknife_excess(X[:149], Euclidean(), *np.triu_indices(149, 1), np.ones(149 * 74))
    np.testing.assert_allclose(fewer.ratio, 1.0, atol=0.03)
    assert fewer.freedom.mean() == pytest.approx(148 * 4 / 6, rel=0.1)


def test_a_point_with_few_partners_has_few_degrees_of_freedom():
    X = np.random.default_rng(0).normal(size=(12, 2))
    i, j = np.triu_indices(12, 1)
    some = (i != 0) | (j <= 4)  # the first point has four
    found = jackknife_excess(X, Euclidean(), i[some], j[some], np.ones(some.sum()))
    assert found.freedom[0] < 4.0 < found.freedom[1:].min()
