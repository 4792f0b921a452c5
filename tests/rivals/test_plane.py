"""The rivals on the plane against what is not ours: scikit-learn, SciPy, cvxpy, and formulas."""

from importlib import import_module
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import approx_fprime
from sklearn import manifold
from sklearn.exceptions import ConvergenceWarning

from tests.support.by_hand import (
    by_scipy,
    geodesic,
    noisy,
    smooth_stress,
    some_weights,
    straight,
    weighted_stress,
)
from tests.support.parts import LOSSES, SPACES, name
from tests.support.tables import table
from unimds import Absolute, Euclidean, Outcome, Sphere, Squared, SquaredDistance, place_center
from unimds.quality import align, total_cost
from unimds.rivals import classical_mds, lbfgs, robust_euclidean_embedding, sgd, smacof
from unimds.rivals.base import merged, pose
from unimds.rivals.majorisation import guttman
from unimds.rivals.robust import (
    nearest_psd,
    random_projection,
    solve_sdp,
    squared_distances,
    subgradient,
)
from unimds.rivals.stochastic import pass_over
from unimds.spaces import distances

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


def test_both_directions_of_a_pair_are_worth_one():
    """(w₁(u − d₁)² + w₂(u − d₂)²)/2 = w(u − d)² + const, whatever the u."""
    D, W = noisy(8, Euclidean()), some_weights(8)
    D *= np.random.default_rng(0).uniform(0.8, 1.2, size=D.shape)
    problem = pose(D, 2, "squared", Euclidean(), W)
    d, w = merged(problem)
    both = (W + W.T) / 2.0 * (1.0 - np.eye(8))
    np.testing.assert_allclose(w, both, rtol=1e-12)
    np.testing.assert_allclose(w * d, problem.frame.unit * (W * D + W.T * D.T) / 2.0, rtol=1e-12)


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


# --- stochastic gradient descent -----------------------------------------------------------------


def updated(D, W, X, eta, space, order=(0,)):
    """Points after one pass over the pairs of these numbers."""
    Y = np.ascontiguousarray(np.array(X, dtype=float).T)
    pass_over(D, W, np.array(order), Y, space, eta)
    return Y.T


def test_one_pair_by_hand():
    """Zheng, Pawar & Goodman: each end goes min(wη, 1)·(u − d)/2 along the line."""
    D, W = 10.0 * (1.0 - np.eye(2)), 0.2 * (1.0 - np.eye(2))
    X = [[0.0, 0.0], [3.0, 4.0]]  # 5 apart: they miss 5
    want = [[-0.6, -0.8], [3.6, 4.8]]  # 0.4 of it, half at each end
    np.testing.assert_allclose(updated(D, W, X, 2.0, Euclidean()), want, atol=1e-12)
    want = [[-1.5, -2.0], [4.5, 6.0]]  # never more than all of it
    np.testing.assert_allclose(updated(D, W, X, 1e9, Euclidean()), want, atol=1e-12)
    np.testing.assert_array_equal(updated(D, 0.0 * W, X, 1e9, Euclidean()), X)  # not known


def test_one_pair_on_the_sphere_by_hand():
    """The same along the great circle: here 1 apart, to be 2 apart, half of the way."""

    def at(turn):
        return [0.0, np.sin(turn), np.cos(turn)]

    D, W = 6.0 * (1.0 - np.eye(2)), 0.5 * (1.0 - np.eye(2))
    got = updated(D, W, [at(0.0), at(1.0)], 1.0, Sphere(3.0))
    np.testing.assert_allclose(got, [at(-0.25), at(1.25)], atol=1e-12)


def test_numbers_of_pairs():
    """Each number is another pair, and all pairs have one."""
    X, D = np.random.default_rng(0).normal(size=(9, 2)), np.zeros((9, 9))
    moved = [
        tuple(np.flatnonzero((updated(D, D + 1.0, X, 0.1, Euclidean(), [number]) != X).any(axis=1)))
        for number in range(36)
    ]
    assert sorted(moved) == [(i, j) for i in range(9) for j in range(i + 1, 9)]


def test_steps_fall_geometrically(monkeypatch):
    seen = []
    module = import_module("unimds.rivals.stochastic")
    monkeypatch.setattr(
        module, "pass_over", lambda D, W, order, X, space, eta: seen.append((eta, order.copy()))
    )
    D, W = noisy(12, Euclidean()), some_weights(12)
    W = W + W.T
    sgd(D, weights=W, max_iter=30, last_step=0.05, random_state=0)
    steps, orders = [eta for eta, _ in seen], [order for _, order in seen]
    off = W[~np.eye(12, dtype=bool)]
    assert steps[0] == pytest.approx(1.0 / off.min())
    assert steps[-1] == pytest.approx(0.05 / off.max())
    np.testing.assert_allclose(np.diff(np.log(steps)), np.log(steps[-1] / steps[0]) / 29)
    assert all((np.sort(order) == np.arange(66)).all() for order in orders)
    assert len({tuple(order) for order in orders}) == 30


def test_sgd_comes_near_the_best_of_scikit_learn():
    D = noisy(25, Euclidean(), k=5)
    _, best = manifold.smacof(
        D, n_init=10, random_state=0, max_iter=2000, eps=1e-9, normalized_stress=False
    )
    assert min(sgd(D, random_state=s).cost for s in range(4)) <= 1.01 * best


def test_sgd_with_the_weights_of_graph_drawing():
    D = noisy(15, Euclidean(), k=4)
    W = 1.0 / (D + np.eye(15)) ** 2
    for table_ in (D, D * np.random.default_rng(0).uniform(0.8, 1.2, size=D.shape)):
        result = sgd(table_, weights=W, random_state=0)
        assert result.cost == pytest.approx(weighted_stress(table_, W, result.embedding), rel=1e-9)
        lowest = by_scipy(smooth_stress(table_, W), result.embedding).fun
        assert lowest <= result.cost <= 1.01 * lowest


def test_sgd_on_the_sphere_ends_near_a_minimum():
    D = noisy(15, Sphere(), k=3)
    result = sgd(D, space="sphere", random_state=0)
    assert result.cost <= 1.01 * by_scipy(geodesic(D), result.embedding, jac=None).fun


@pytest.mark.sample(2)
@pytest.mark.parametrize("space", SPACES, ids=name)
def test_sgd_finds_exact_data_in_every_space(space):
    """With some of the distances missing; the best of some starts, as any may end elsewhere."""
    D, _ = table(np.random.default_rng(1), 15, space)
    hole = D.copy()
    hole[0, 1] = hole[1, 0] = hole[3, 8] = hole[8, 3] = np.nan
    best = min((sgd(hole, space=space, random_state=s) for s in range(5)), key=lambda r: r.cost)
    assert best.cost == pytest.approx(total_cost(hole, best.embedding, space=space), rel=1e-9)
    np.testing.assert_allclose(distances(best.embedding, space=space), D, atol=0.02 * D.max())


def test_sgd_is_reproducible():
    D = noisy(12, Euclidean())
    one, same, other = (sgd(D, random_state=s) for s in (0, np.random.RandomState(0), 1))
    np.testing.assert_array_equal(one.embedding, same.embedding)
    assert (one.embedding != other.embedding).all()
    # the seed is given: only the order of pairs is left to chance
    X = np.random.default_rng(0).normal(size=(12, 2))
    one, other = (sgd(D, init=X, random_state=s) for s in (0, 1))
    assert one.history[0, 1] == other.history[0, 1] != one.history[1, 1] != other.history[1, 1]


# --- L-BFGS --------------------------------------------------------------------------------------


def slopes():
    """Yield each loss in the plane, and two of them in other dimensions, which are compiled."""
    for loss, k in product(LOSSES, (1, 2, 3, 6, 7)):
        quick = k == 2 or loss in LOSSES[:2]
        marks = () if quick else pytest.mark.slow
        yield pytest.param(loss, k, marks=marks, id=f"{name(loss)}-{k}")


@pytest.mark.sample(9)
@pytest.mark.parametrize("directed", [False, True], ids=["symmetric", "directed"])
@pytest.mark.parametrize(("loss", "k"), list(slopes()))
def test_pulls_are_the_slope_of_the_cost(loss, directed, k):
    """By differences of the library's own cost, with weights, holes and points that nearly meet."""
    rng, (D, W) = np.random.default_rng(0), (noisy(9, Euclidean(), k=4), some_weights(9))
    D[0, 1] = D[1, 0] = np.nan
    if directed:
        D *= rng.uniform(0.8, 1.2, size=D.shape)
    problem = pose(D, k, loss, Euclidean(), W if directed else W + W.T, complete=False)
    X = rng.normal(size=(k, 9))
    X[:, 8] = X[:, 7] + 5e-4  # nearer than the length of either can tell
    smooth = problem.frame.loss.smoothed(0.1)

    def cost(flat):
        return problem.costs(flat.reshape(k, 9), smooth, problem.frame.space)[1]

    (*pulls, weights), (exact, total) = problem.pulls(X, smooth)
    assert exact == pytest.approx(problem.costs(X, smooth, problem.frame.space)[0], rel=1e-12)
    assert total == pytest.approx(cost(X.ravel()), rel=1e-12)
    steps = 1e-7 * np.eye(X.size)
    slope = [(cost(X.ravel() + step) - cost(X.ravel() - step)) / 2e-7 for step in steps]
    np.testing.assert_allclose(-2.0 * np.ravel(pulls), slope, rtol=1e-5, atol=1e-5)
    known = ~np.isnan(D) & ~np.eye(9, dtype=bool)
    if isinstance(loss, Squared):
        both = 0.5 * (np.where(known, W, 0.0) + np.where(known, W, 0.0).T)
        np.testing.assert_allclose(weights, both.sum(axis=1) * (1.0 if directed else 2.0))


@given(st.integers(2, 9), st.integers(0, 1000), st.booleans(), st.sampled_from(["classical", "r"]))
def test_lbfgs_never_raises_a_smooth_cost(n, seed, weighted, init):
    result = lbfgs(
        noisy(n, Euclidean(), k=3, noise=1.0, seed=seed),
        1,
        init=init if init == "classical" else "random",
        weights=some_weights(n, seed) if weighted else None,
        random_state=seed,
        callback=lambda i, cost, X: i == 20,
    )
    cost = result.history[:, 1]
    assert (np.diff(cost) <= 1e-12 * cost[0]).all()


@pytest.mark.sample(2)
@pytest.mark.parametrize("loss", LOSSES, ids=name)
def test_lbfgs_finds_exact_data(loss):
    """Though one distance is missing, and one is wrong where the loss ignores it."""
    truth = np.random.default_rng(5).normal(size=(12, 3))
    D = distances(truth)
    D[0, 1] = D[1, 0] = np.nan
    if isinstance(loss, Absolute | SquaredDistance):
        D[2, 3] = D[3, 2] = 1.5 * D[2, 3]
    result = lbfgs(D, 3, loss=loss, eps=1e-12)
    np.testing.assert_allclose(distances(result.embedding), distances(truth), atol=1e-4)


def test_lbfgs_ends_where_its_cost_has_no_slope():
    """Also where the table is asymmetric and some of it missing: both directions count half."""
    D, W = noisy(15, Euclidean(), k=4), some_weights(15)
    D *= np.random.default_rng(4).uniform(0.8, 1.2, size=D.shape)
    D[0, 1] = D[1, 0] = D[2, 9] = D[9, 2] = np.nan
    result = lbfgs(D, weights=W, eps=1e-14)
    assert result.cost == pytest.approx(weighted_stress(D, W, result.embedding), rel=1e-9)
    value = smooth_stress(D, W)
    assert np.abs(value(result.embedding.ravel())[1]).max() < 1e-4 * result.cost
    assert by_scipy(value, result.embedding).fun >= (1.0 - 1e-9) * result.cost


def test_lbfgs_is_annealed():
    """At once sharp, the absolute loss keeps it near the seed; few steps are shared by levels."""
    D = noisy(40, Euclidean(), k=6)
    annealed = lbfgs(D, loss="absolute")
    assert annealed.outcome is Outcome.CONVERGED
    assert annealed.cost <= 1.02 * place_center(D, loss="absolute", init="classical").cost
    with pytest.warns(ConvergenceWarning, match="Raise max_iter=30"):
        assert lbfgs(D, loss="absolute", max_iter=30).n_iter == 30
