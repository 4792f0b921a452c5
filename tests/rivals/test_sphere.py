"""The rivals on the sphere against what is not ours: SciPy, and formulas by hand."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import approx_fprime

from tests.support.by_hand import (
    angles,
    by_scipy,
    geodesic,
    noisy,
    smooth_stress,
    unit_vectors,
    weighted_stress,
)
from unimds import ChordalSphere, Euclidean, Sphere
from unimds.experiments.data import near_sphere
from unimds.quality import align, total_cost
from unimds.rivals import multiresolution, renormalised, smacof_q
from unimds.rivals.coarse_to_fine import between, descent, farthest_points, geodesic_stress
from unimds.rivals.majorisation import guttman, with_centre
from unimds.rivals.normalisation import sphere_centre, unit_sphere_centre
from unimds.spaces import distances
from unimds.spaces.spectral import classical

# --- SMACOF-Q ------------------------------------------------------------------------------------


@pytest.mark.parametrize("space", [Sphere(), ChordalSphere(), Sphere(30.0), ChordalSphere(0.01)])
def test_smacof_q_is_exact_for_exact_data(space):
    truth = unit_vectors(15)
    D = distances(truth, space=space)
    near = truth + 0.1 * np.random.default_rng(1).normal(size=truth.shape)
    near /= np.linalg.norm(near, axis=1, keepdims=True)
    result = smacof_q(D, space=space, init=near, eps=1e-14, max_iter=5000)
    assert result.cost < 1e-10 * space.unit**2
    np.testing.assert_allclose(align(result.embedding, truth, space=space), truth, atol=1e-5)


@pytest.mark.parametrize("kappa", [0.3, 1.0, 30.0])
def test_smacof_with_a_centre_minimises_the_penalised_stress(kappa):
    """De Leeuw & Mair's own problem, whose points are near the sphere but not on it."""
    chords = noisy(12, ChordalSphere())
    D = np.pad(chords, (1, 0), constant_values=1.0)
    W = np.pad(np.ones_like(chords), (1, 0), constant_values=kappa)
    D[0, 0] = W[0, 0] = 0.0
    path = guttman(*with_centre(chords, kappa), np.vstack([np.zeros(3), unit_vectors(12)]))
    costs = []
    for _ in range(4000):
        Y, stress = next(path)
        costs.append(weighted_stress(D, W, Y))
        assert stress == pytest.approx(costs[-1], rel=1e-9)
    assert (np.diff(costs) <= 1e-12 * costs[0]).all()
    assert by_scipy(smooth_stress(D, W), Y).fun >= (1.0 - 1e-5) * costs[-1]


def test_a_large_kappa_holds_points_on_the_sphere():
    chords = noisy(12, ChordalSphere(), noise=0.5)
    off = []
    for kappa in (1.0, 1e3):
        path = guttman(*with_centre(chords, kappa), np.vstack([np.zeros(3), unit_vectors(12)]))
        for _ in range(2000):
            Y, _ = next(path)
        off.append(np.abs(np.linalg.norm(Y[1:] - Y[0], axis=1) - 1.0).max())
    assert off[1] < 5e-3 < 0.05 < off[0]


@pytest.mark.parametrize("kappa", [0.3, 1.0, 30.0])
def test_smacof_q_steps_along_the_slope_on_the_sphere(kappa):
    """Pushed to the sphere after each step, it is descent by 1/(2n + 2κ) of the slope."""
    D, X = noisy(12, ChordalSphere()), unit_vectors(12)
    seen = [X]
    smacof_q(D, kappa=kappa, init=X, callback=lambda i, cost, X: seen.append(X) or i == 2)
    for before, after in pairwise(seen):
        _, slope = smooth_stress(D, np.ones_like(D))(before.ravel())
        want = before - slope.reshape(before.shape) / (2.0 * (12 + kappa))
        want /= np.linalg.norm(want, axis=1, keepdims=True)
        np.testing.assert_allclose(after, want, atol=1e-9)


@pytest.mark.parametrize("kappa", [1.0, 30.0])
def test_smacof_q_ends_where_scipy_finds_nothing_lower(kappa):
    D = noisy(15, ChordalSphere(), k=3)
    result = smacof_q(D, kappa=kappa, eps=1e-12, max_iter=50_000)
    assert (np.diff(result.history[:, 1]) <= 1e-12 * result.cost).all()

    def value(flat):
        return 0.5 * np.sum((2.0 * np.sin(0.5 * angles(flat.reshape(15, 3))) - D) ** 2)

    assert value(result.embedding.ravel()) == pytest.approx(result.cost, rel=1e-9)
    assert by_scipy(value, result.embedding, jac=None).fun >= (1.0 - 1e-6) * result.cost


def test_geodesic_and_chordal_input_take_the_same_steps():
    D = noisy(12, Sphere(), noise=0.3)
    chords = 2.0 * np.sin(0.5 * D)
    paths = []
    for given_, space in ((D, Sphere()), (chords, ChordalSphere()), (9 * D, Sphere(9.0))):
        paths.append([])
        smacof_q(
            given_, space=space, callback=lambda i, cost, X: paths[-1].append(angles(X)) or i == 30
        )
    np.testing.assert_allclose(paths[0], paths[1], atol=1e-6)
    np.testing.assert_allclose(paths[0], paths[2], atol=1e-6)


# --- Elad, Keller & Kimmel -----------------------------------------------------------------------


def test_slope_of_the_geodesic_stress():
    D, X = noisy(9, Sphere()), unit_vectors(9, seed=3)
    value = geodesic(D)
    stress, slope = geodesic_stress(D, X)
    assert stress == pytest.approx(value(X.ravel()), rel=1e-9)
    np.testing.assert_allclose(slope.ravel(), approx_fprime(X.ravel(), value, 1e-7), atol=1e-4)


@pytest.mark.parametrize("coarsest", [2, 5, 16, 100])
def test_multiresolution_ends_where_scipy_finds_nothing_lower(coarsest):
    D = noisy(25, Sphere(), k=3)
    result = multiresolution(D, coarsest=coarsest, eps=1e-12, max_iter=10_000)
    assert (np.diff(result.history[:, 1]) <= 1e-12 * result.cost).all()
    value = geodesic(D)
    assert value(result.embedding.ravel()) == pytest.approx(result.cost, rel=1e-9)
    assert by_scipy(value, result.embedding, jac=None).fun >= (1.0 - 1e-6) * result.cost


@pytest.mark.parametrize(("n", "seed", "bent"), [(6, 0, True), (3, 18, False)])
def test_lengths_of_the_steps(n, seed, bent):
    """Barzilai & Borwein's after the first, or twice the last where the slope does not bend."""
    D = noisy(n, Sphere(), seed=seed)
    path = descent(D, unit_vectors(n, seed=seed))
    X, Y, Z = (next(path)[0] for _ in range(3))
    dx, dy = (approx_fprime(P.ravel(), geodesic(D), 1e-7).reshape(n, 3) for P in (X, Y))
    curvature = np.sum((Y - X) * (dy - dx))
    assert (curvature > 0.0) == bent
    second = np.sum((Y - X) ** 2) / curvature if bent else 1.0 / n
    for before, after, step in ((X, Y, 0.5 / n * dx), (Y, Z, second * dy)):
        want = (before - step) / np.linalg.norm(before - step, axis=1, keepdims=True)
        np.testing.assert_allclose(after, want, atol=1e-4)


@pytest.mark.parametrize("space", [Sphere(), Sphere(6371.0)])
@pytest.mark.parametrize("coarsest", [2, 4, 16, 50])
def test_multiresolution_is_exact_for_exact_data(space, coarsest):
    truth = unit_vectors(50)
    D = distances(truth, space=space)
    result = multiresolution(D, space=space, coarsest=coarsest, eps=1e-12)
    assert result.cost < 1e-9 * space.radius**2
    np.testing.assert_allclose(align(result.embedding, truth, space=space), truth, atol=1e-5)


def test_each_point_is_the_farthest_from_those_before_it():
    D = noisy(20, Euclidean())
    order = list(farthest_points(D))
    assert sorted(order) == list(range(20))
    assert order[0] == np.argmax(D.sum(axis=0))
    for m in range(1, 20):
        gap = {i: min(D[i, j] for j in order[:m]) for i in order[m:]}
        assert gap[order[m]] == max(gap.values())


def test_new_points_start_between_the_three_nearest():
    """Each pulls by one over its distance; a point that is there already pulls all the way."""
    placed = np.vstack([np.eye(3), -np.eye(3)])
    near = [[0.0, 1.0, 1.0], [0.5, 0.5, 0.5], [0.5, 1.0, 1.0]]
    D = np.column_stack([near, np.full((3, 3), 2.0)])
    want = [placed[0], np.full(3, 3**-0.5), np.array([2.0, 1.0, 1.0]) / np.sqrt(6.0)]
    # a seed may lie a little aside
    np.testing.assert_allclose(between(D, placed), want, atol=5e-3)


def test_equal_distances_do_not_leave_points_in_one_place():
    """A pair in one place has no direction to part in: the seeds must not put it there."""
    for n in (10, 20, 40):
        result = multiresolution(1.0 - np.eye(n))
        apart = distances(result.embedding, space="sphere") + np.eye(n)
        assert apart.min() > 1e-3


# --- Pless & Simon -------------------------------------------------------------------------------


def cap(n, angle):
    X = unit_vectors(n)
    X[:, 2] += 1.0 / angle
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def small_circle(n):
    turn = np.random.default_rng(0).uniform(0.0, 6.0, size=n)
    return np.column_stack([0.6 * np.cos(turn), 0.6 * np.sin(turn), np.full(n, 0.8)])


@pytest.mark.parametrize("space", [Sphere(), ChordalSphere(), Sphere(6371.0)])
@pytest.mark.parametrize(
    "truth",
    [unit_vectors(20), cap(20, 0.3), cap(20, 1e-4), small_circle(20), np.eye(3), np.eye(3)[:2]],
    ids=["all", "cap", "small cap", "small circle", "three", "two"],
)
def test_renormalised_is_exact_for_exact_data(space, truth):
    D = distances(truth, space=space)
    result = renormalised(D, space=space)
    assert result.cost < 1e-12 * space.unit**2
    np.testing.assert_allclose(distances(result.embedding, space=space), D, atol=1e-6 * D.max())


@pytest.mark.parametrize(
    "truth", [unit_vectors(20), cap(20, 0.3), small_circle(20)], ids=["all", "cap", "small circle"]
)
def test_a_little_noise_moves_points_a_little(truth):
    """Also where points are nearly flat, and it is the radius that tells where the centre is."""
    D = distances(truth, space="sphere")
    noise = np.triu(1e-6 * np.random.default_rng(0).normal(size=D.shape), 1)
    result = renormalised(np.maximum(D + noise + noise.T, 0.0) * (1.0 - np.eye(20)))
    np.testing.assert_allclose(distances(result.embedding, space="sphere"), D, atol=0.01)


def test_the_centre_suits_the_data():
    """Noise in other dimensions makes the sphere smaller: then its radius must not count."""
    D = near_sphere(60, ChordalSphere(), seed=0)
    result = renormalised(D, 10, space="chordal_sphere")
    X = classical(D, 11)
    for centre in (np.zeros(11), sphere_centre(X), unit_sphere_centre(X)):
        Y = X - centre
        Y /= np.linalg.norm(Y, axis=1, keepdims=True)
        assert result.cost <= total_cost(D, Y, space="chordal_sphere") * (1.0 + 1e-12)


@pytest.mark.slow
@given(st.integers(2, 4), st.integers(0, 1000))
def test_centre_of_a_sphere(k, seed):
    centre = np.random.default_rng(seed).normal(size=k)
    X = centre + unit_vectors(3 * k + 3, k, seed)
    np.testing.assert_allclose(unit_sphere_centre(X), centre, atol=1e-6)
