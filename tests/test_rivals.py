"""The rivals against what is not ours: scikit-learn, SciPy, cvxpy, and formulas by hand."""

from importlib import import_module

import numpy as np
import pytest
from common import Euclidean, table
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import approx_fprime, minimize
from sklearn import manifold
from sklearn.exceptions import ConvergenceWarning

from unimds import ChordalSphere, Sphere
from unimds.quality import align, total_cost
from unimds.rivals import (
    classical_mds,
    multiresolution,
    renormalised,
    robust_euclidean_embedding,
    sgd,
    smacof,
    smacof_q,
)
from unimds.rivals.elad import between, descent, farthest_points, geodesic_stress
from unimds.rivals.ree import (
    nearest_psd,
    random_projection,
    solve_sdp,
    squared_distances,
    subgradient,
)
from unimds.rivals.renormalised import sphere_centre
from unimds.rivals.sgd import pass_over
from unimds.rivals.smacof import guttman
from unimds.rivals.smacof_q import with_centre
from unimds.spaces import distances


def noisy(n, space, k=2, noise=0.3, seed=0):
    return table(np.random.default_rng(seed), n, space, noise=noise, k=k)[0]


def unit_vectors(n, k=3, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, k))
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def some_weights(n, seed=1):
    """Weights over two decades, not the same both ways."""
    return 10.0 ** np.random.default_rng(seed).uniform(-1.0, 1.0, size=(n, n))


def straight(X):
    """Distances by another formula than the library's."""
    return np.sqrt(np.sum((X[:, None] - X[None]) ** 2, axis=-1))


def angles(X):
    X = X / np.linalg.norm(X, axis=1, keepdims=True)
    return np.arccos(np.clip(X @ X.T, -1.0, 1.0)) * (1.0 - np.eye(len(X)))


def weighted_stress(D, W, X):
    """Σ w (u − d)² over both directions of each pair, halved; NaN where nothing is known."""
    off = ~np.eye(len(D), dtype=bool)
    return 0.5 * np.nansum((W * (straight(X) - D) ** 2)[off])


def smooth_stress(D, W, chord=False):
    """The same as a function of flat coordinates that SciPy can take, with its gradient."""
    W, D = W * ~np.isnan(D) * (1.0 - np.eye(len(D))), np.nan_to_num(D)

    def value(flat):
        X = flat.reshape(len(D), -1)
        U = straight(X) + np.eye(len(D))
        pull = W * (1.0 - D / U)
        pull = pull + pull.T
        slope = pull.sum(axis=1)[:, None] * X - pull @ X
        return 0.5 * np.sum(W * (U - D) ** 2), slope.ravel()

    return value


def by_scipy(value, X, jac=True):
    """The lowest that SciPy finds downhill from a configuration."""
    tight = {"maxiter": 5000, "maxfun": 10**6, "ftol": 1e-15, "gtol": 1e-10}
    return minimize(value, X.ravel(), jac=jac, method="L-BFGS-B", options=tight)


# --- classical MDS -------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(manifold, "ClassicalMDS"), reason="scikit-learn before 1.8")
@pytest.mark.parametrize("k", [1, 2, 4])
def test_classical_is_that_of_scikit_learn(k):
    D = noisy(30, Euclidean(), k=6)
    want = manifold.ClassicalMDS(n_components=k, metric="precomputed").fit_transform(D)
    result = classical_mds(D, k)
    np.testing.assert_allclose(align(result.embedding, want), want, atol=1e-9)
    assert result.cost == pytest.approx(0.5 * np.sum((straight(want) - D) ** 2), rel=1e-9)


def test_classical_takes_the_mean_of_both_directions():
    D = noisy(15, Euclidean()) * np.random.default_rng(3).uniform(0.8, 1.2, size=(15, 15))
    want = classical_mds(0.5 * (D + D.T)).embedding
    np.testing.assert_allclose(classical_mds(D).embedding, want, atol=1e-12)


# --- SMACOF --------------------------------------------------------------------------------------


@pytest.mark.parametrize("steps", [1, 7, 60])
@pytest.mark.parametrize("weights", [None, np.full((20, 20), 3.0)], ids=["none", "equal"])
def test_smacof_is_that_of_scikit_learn(steps, weights):
    D = noisy(20, Euclidean(), k=5)
    X = np.random.default_rng(2).normal(size=(20, 2))
    want, stress = manifold.smacof(
        D, init=X, n_init=1, max_iter=steps, eps=0.0, normalized_stress=False
    )
    with pytest.warns(ConvergenceWarning):
        result = smacof(D, init=X, weights=weights, max_iter=steps, eps=0.0)
    np.testing.assert_allclose(result.embedding, want, rtol=1e-8, atol=1e-10)
    assert result.cost == pytest.approx(stress * (1.0 if weights is None else 3.0), rel=1e-9)
    assert result.n_iter == steps


def test_weighted_smacof_ends_where_scipy_finds_nothing_lower():
    """Also where the table is asymmetric and some of it missing: both directions count half."""
    rng = np.random.default_rng(4)
    D, W = noisy(15, Euclidean(), k=4), some_weights(15)
    D *= rng.uniform(0.8, 1.2, size=D.shape)
    D[0, 1] = D[1, 0] = D[2, 9] = D[9, 2] = np.nan
    result = smacof(D, weights=W, eps=1e-13, max_iter=50_000)
    assert result.cost == pytest.approx(weighted_stress(D, W, result.embedding), rel=1e-9)
    value = smooth_stress(D, W)
    slope = approx_fprime(result.embedding.ravel(), lambda flat: value(flat)[0], 1e-7)
    np.testing.assert_allclose(value(result.embedding.ravel())[1], slope, atol=1e-3)  # by SciPy
    assert by_scipy(value, result.embedding).fun >= (1.0 - 1e-6) * result.cost


def test_one_step_minimises_the_majoriser():
    """Σ w (‖x − y‖² − 2 d ⟨x − y, x₀ − y₀⟩ / ‖x₀ − y₀‖): the step is where its slope is zero."""
    D, W = noisy(9, Euclidean(), k=4), some_weights(9)
    W = W + W.T
    X = np.random.default_rng(0).normal(size=(9, 2))
    path = guttman(D, W * (1.0 - np.eye(9)), X)
    next(path)
    step, U = next(path)[0], straight(X) + np.eye(9)
    slope = [
        sum(W[i, j] * ((step[i] - step[j]) - D[i, j] * (X[i] - X[j]) / U[i, j]) for j in range(9))
        for i in range(9)
    ]
    np.testing.assert_allclose(slope, 0.0, atol=1e-9)


def test_missing_is_weight_zero():
    D = noisy(12, Euclidean(), k=4)
    hole, W = D.copy(), np.ones_like(D)
    hole[3, 5] = hole[5, 3] = np.nan
    W[3, 5] = W[5, 3] = 0.0
    for method in (smacof, lambda D, **options: sgd(D, random_state=0, **options)):
        want = method(hole)
        np.testing.assert_allclose(method(D, weights=W).embedding, want.embedding, atol=1e-9)
        assert want.cost == pytest.approx(total_cost(hole, want.embedding), rel=1e-9)


@given(st.integers(2, 9), st.integers(0, 1000), st.booleans(), st.sampled_from(["classical", "r"]))
def test_smacof_never_raises_its_stress(n, seed, weighted, init):
    D = noisy(n, Euclidean(), k=3, noise=1.0, seed=seed)
    result = smacof(
        D,
        1,
        init=init if init == "classical" else "random",
        weights=some_weights(n, seed) if weighted else None,
        random_state=seed,
        callback=lambda i, cost, X: i == 20,
    )
    cost = result.history[:, 1]
    assert (np.diff(cost) <= 1e-12 * cost[0]).all()


def test_equal_distances_have_known_minima():
    """On a line every order has (n − 1)(n − 2)/6, at x = (2i − n − 1)/n; four points a square."""
    for n in (3, 5, 10):
        D = 1.0 - np.eye(n)
        result = smacof(D, 1, init="random", random_state=0)
        assert result.cost == pytest.approx((n - 1) * (n - 2) / 6, rel=1e-9)
        spaced = (2.0 * np.arange(1, n + 1) - n - 1) / n
        np.testing.assert_allclose(np.sort(result.embedding[:, 0]), spaced, atol=1e-9)
        assert sgd(D, 1, random_state=0).cost == pytest.approx(result.cost, rel=1e-3)
    best = 3.0 - 2.0 * np.sqrt(2.0)
    D = 1.0 - np.eye(4)
    assert smacof(D, 2, eps=1e-12).cost == pytest.approx(best, rel=1e-9)
    assert sgd(D, 2, random_state=0).cost == pytest.approx(best, rel=1e-3)


# --- robust Euclidean embedding ------------------------------------------------------------------


def absolute_squares(B, squares):
    return 0.5 * np.sum(np.abs(squared_distances(B) - squares))


def any_rank_by_scipy(squares):
    """The same optimum through B = XXᵀ with a rounded kink that gets sharper."""
    n = len(squares)
    X = np.random.default_rng(0).normal(size=(n, n))
    for s in 10.0 ** np.arange(0.0, -7.0, -1.0):

        def value(flat, s=s):
            X = flat.reshape(n, n)
            gap = straight(X) ** 2 - squares
            rounded = np.sqrt(gap**2 + s**2)
            pull = 2.0 * gap / rounded
            return 0.5 * rounded.sum(), (pull.sum(axis=1)[:, None] * X - pull @ X).ravel()

        X = by_scipy(value, X).x.reshape(n, n)
    return absolute_squares(X @ X.T, squares)


@pytest.mark.parametrize(("n", "seed"), [(10, 0), (12, 1), (15, 2)])
def test_subgradient_comes_near_the_semidefinite_program(n, seed):
    squares = noisy(n, Euclidean(), noise=0.5, seed=seed) ** 2
    best = absolute_squares(solve_sdp(squares), squares)
    assert best == pytest.approx(any_rank_by_scipy(squares), rel=1e-4)
    X = classical_mds(np.sqrt(squares)).embedding
    for start in (X, random_projection(squares, 2, 0)):
        path = list(subgradient(squares, start @ start.T, 0.3, 400))
        found = min(absolute_squares(B, squares) for B in path)
        assert (1.0 - 1e-5) * best <= found <= 1.003 * best
        assert absolute_squares(path[-1], squares) <= 1.01 * best  # it settles there


@pytest.mark.parametrize("method", ["sdp", "subgradient"])
def test_one_wrong_distance_is_ignored(method):
    """Cayton & Dasgupta's point; classical MDS, which the search starts from, is misled."""
    truth = np.random.default_rng(5).normal(size=(12, 2))
    D = distances(truth)
    assert robust_euclidean_embedding(D, method=method).cost < 1e-5
    wrong = D.copy()
    wrong[0, 1] = wrong[1, 0] = D[0, 1] + 3.0
    result = robust_euclidean_embedding(wrong, method=method)
    assert result.cost == pytest.approx(wrong[0, 1] ** 2 - D[0, 1] ** 2, rel=1e-3)
    np.testing.assert_allclose(align(result.embedding, truth), truth, atol=0.02)
    assert np.abs(align(classical_mds(wrong).embedding, truth) - truth).max() > 0.2


def test_the_seeds_of_cayton_and_dasgupta():
    D = noisy(14, Euclidean(), k=5)
    run = robust_euclidean_embedding(D, max_iter=3)
    seed = classical_mds(D, loss="squared_distance")
    assert run.history[0, 1] == pytest.approx(seed.cost, rel=1e-9)
    one, same, other = (
        robust_euclidean_embedding(D, init="random", random_state=s, max_iter=3) for s in (0, 0, 1)
    )
    np.testing.assert_array_equal(one.embedding, same.embedding)
    assert len({run.history[0, 1], one.history[0, 1], other.history[0, 1]}) == 3
    # a random projection keeps the squares of distances, on average
    D = distances(np.random.default_rng(0).normal(size=(10, 6)))
    rng = np.random.RandomState(0)
    mean = np.mean([straight(random_projection(D**2, 3, rng)) ** 2 for _ in range(2000)], axis=0)
    off = ~np.eye(10, dtype=bool)
    np.testing.assert_allclose((mean / np.where(off, D, 1.0) ** 2)[off], 1.0, atol=0.1)


def test_a_subgradient_step_goes_against_the_slope():
    D = noisy(7, Euclidean(), k=3)
    X = np.random.default_rng(0).normal(size=(7, 7))
    B = 10.0 * np.eye(7) + X @ X.T  # far from the boundary: no projection
    flat = approx_fprime(B.ravel(), lambda b: absolute_squares(b.reshape(7, 7), D**2), 1e-7)
    slope = flat.reshape(7, 7)
    first, second, last = list(subgradient(D**2, B, 0.01, 2))
    centre = np.eye(7) - 1.0 / 7.0
    length = 0.01 * np.linalg.norm(0.5 * centre @ D**2 @ centre)
    np.testing.assert_array_equal(first, B)
    np.testing.assert_allclose(second - B, -length * slope / np.linalg.norm(slope), atol=1e-6)
    assert np.linalg.norm(last - second) == pytest.approx(1e-4 * length, rel=1e-6)


def test_nearest_semidefinite_matrix():
    """Moreau: B = P − N, both semidefinite and orthogonal to each other, has only one solution."""
    B = np.random.default_rng(0).normal(size=(8, 8))
    B = B + B.T
    P = nearest_psd(B)
    N = P - B
    assert np.linalg.eigvalsh(P).min() > -1e-12
    assert np.linalg.eigvalsh(N).min() > -1e-12
    assert np.sum(P * N) == pytest.approx(0.0, abs=1e-10)
    assert np.linalg.eigvalsh(N).max() > 1.0  # there was something to do


# --- spheres: SMACOF-Q ---------------------------------------------------------------------------


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
def test_smacof_q_minimises_its_penalised_stress(kappa):
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


# --- spheres: Elad, Keller & Kimmel --------------------------------------------------------------


def test_slope_of_the_geodesic_stress():
    D, X = noisy(9, Sphere()), unit_vectors(9, seed=3)

    def value(flat):
        return 0.5 * np.sum((angles(flat.reshape(9, 3)) - D) ** 2)

    stress, slope = geodesic_stress(D, X)
    assert stress == pytest.approx(value(X.ravel()), rel=1e-9)
    np.testing.assert_allclose(slope.ravel(), approx_fprime(X.ravel(), value, 1e-7), atol=1e-4)


@pytest.mark.parametrize("coarsest", [2, 5, 16, 100])
def test_multiresolution_ends_where_scipy_finds_nothing_lower(coarsest):
    D = noisy(25, Sphere(), k=3)
    result = multiresolution(D, coarsest=coarsest, eps=1e-12, max_iter=10_000)
    assert (np.diff(result.history[:, 1]) <= 1e-12 * result.cost).all()

    def value(flat):
        return 0.5 * np.sum((angles(flat.reshape(25, 3)) - D) ** 2)

    assert value(result.embedding) == pytest.approx(result.cost, rel=1e-9)
    assert by_scipy(value, result.embedding, jac=None).fun >= (1.0 - 1e-6) * result.cost


@pytest.mark.parametrize("space", [Sphere(), Sphere(6371.0)])
@pytest.mark.parametrize("coarsest", [4, 16, 50])
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
    placed = np.vstack([np.eye(3), -np.eye(3)])
    D = np.array([[0.0, 1.0, 1.0, 2.0, 2.0, 2.0], [0.5, 0.5, 0.5, 2.0, 2.0, 2.0]])
    middle = np.full(3, 3**-0.5)
    np.testing.assert_allclose(between(D, placed), [placed[0], middle], atol=1e-8)
    nearer = between(np.array([[0.5, 1.0, 1.0, 2.0, 2.0, 2.0]]), placed)[0]
    np.testing.assert_allclose(nearer, np.array([2.0, 1.0, 1.0]) / np.sqrt(6.0))


def test_equal_distances_do_not_leave_points_in_one_place():
    """A pair in one place has no direction to part in: the seeds must not put it there."""
    for n in (10, 20, 40):
        result = multiresolution(1.0 - np.eye(n))
        apart = distances(result.embedding, space="sphere") + np.eye(n)
        assert apart.min() > 1e-3


# --- spheres: Pless & Simon ----------------------------------------------------------------------


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
    [unit_vectors(20), cap(20, 0.3), cap(20, 0.03), small_circle(20), np.eye(3), np.eye(3)[:2]],
    ids=["all", "cap", "small cap", "small circle", "three", "two"],
)
def test_renormalised_is_exact_for_exact_data(space, truth):
    D = distances(truth, space=space)
    result = renormalised(D, space=space)
    assert result.cost < 1e-12 * space.unit**2
    np.testing.assert_allclose(distances(result.embedding, space=space), D, atol=1e-6 * D.max())


@given(st.integers(1, 4), st.integers(0, 1000), st.floats(0.1, 10.0))
def test_centre_of_a_sphere(k, seed, radius):
    rng = np.random.default_rng(seed)
    centre = rng.normal(size=k)
    X = centre + radius * unit_vectors(3 * k + 3, k, seed)
    np.testing.assert_allclose(sphere_centre(X), centre, atol=1e-6 * max(radius, 1.0))
