"""Seeds: spectral ones are exact for exact data and agree with scikit-learn's and scipy's."""

import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse.csgraph import shortest_path
from scipy.sparse.linalg import ArpackError
from scipy.spatial.distance import cdist

from unimds import (
    ChordalSphere,
    Euclidean,
    Hyperbolic,
    Simplex,
    Space,
    Sphere,
    Squared,
    place_center,
)
from unimds.distances.pairs import as_pairs
from unimds.placecenter.problem import Problem
from unimds.spaces import distances, spectral
from unimds.starts.seeds.initial import _seed_table, completed

CURVED = [Sphere(), Sphere(3.0), ChordalSphere(2.0), Hyperbolic(), Hyperbolic(0.3), Simplex(4.0)]
ALL = [Euclidean(), *CURVED]
N = 60


@pytest.fixture(params=["dense", "partial"])
def solver(request, monkeypatch):
    """Use the full and the partial eigensolver in turn, on tables that both take fast."""
    monkeypatch.setattr(spectral, "DENSE", N if request.param == "dense" else N - 1)
    return request.param


def points(space, n, k=2, seed=0):
    return space.random(n, k, 2.0 * space.unit, np.random.default_rng(seed))


def noisy(n, k=3, seed=0):
    """Return distances that no Euclidean points have: some eigenvalues are negative."""
    rng = np.random.default_rng(seed)
    D = cdist(*[rng.normal(size=(n, k))] * 2) * rng.uniform(0.8, 1.2, size=(n, n))
    return np.tril(D, -1) + np.tril(D, -1).T


@pytest.mark.slow
def test_spectral_seeds_can_be_imported_first():
    subprocess.run([sys.executable, "-c", "import unimds.spaces.spectral"], check=True)


# --- classical MDS -------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [1, 2, 4])
@pytest.mark.usefixtures("solver")
def test_classical_is_that_of_scikit_learn(k):
    manifold = pytest.importorskip("sklearn.manifold")
    if not hasattr(manifold, "ClassicalMDS"):
        pytest.skip("this scikit-learn has no ClassicalMDS")
    D = noisy(N)
    want = manifold.ClassicalMDS(n_components=k, metric="precomputed").fit_transform(D)
    got = spectral.classical(D, k)
    assert_allclose(got @ got.T, want @ want.T, atol=1e-8)


@pytest.mark.parametrize("k", [1, 2, 4])
def test_classical_is_the_textbook_formula(k):
    D = noisy(12)
    J = np.eye(12) - 1.0 / 12
    values, vectors = np.linalg.eigh(-0.5 * J @ D**2 @ J)
    want = (vectors[:, -k:] * values[-k:]) @ vectors[:, -k:].T
    got = spectral.classical(D, k)
    assert_allclose(got @ got.T, want, atol=1e-10)
    assert_allclose(got.mean(axis=0), 0.0, atol=1e-10)
    assert (np.diff((got**2).sum(axis=0)) <= 0.0).all()  # axes by falling importance


@pytest.mark.parametrize("scale", [1e150, 1.0, 1e-150])
def test_classical_at_any_scale(scale):
    X = np.random.default_rng(0).normal(size=(10, 2))
    got = spectral.classical(scale * cdist(X, X), 2)
    assert_allclose(distances(got), scale * cdist(X, X), rtol=1e-10, atol=1e-10 * scale)


# --- exact for exact data ------------------------------------------------------------------------


@pytest.mark.parametrize("n", [8, 40])
@pytest.mark.parametrize("k", [1, 2, 3, 5])
@pytest.mark.parametrize("space", ALL, ids=repr)
def test_seed_is_exact_for_exact_data(space, k, n):
    D = distances(points(space, n, k), space=space)
    X = space.seed(D, k)
    space.check_points(X, "seed")
    assert X.shape == (n, space.n_coordinates(k))
    # on the simplex a rotation into the orthant must be found too, by iteration
    assert_allclose(distances(X, space=space), D, atol=(1e-6 if k > 2 else 1e-9) * space.unit)


@pytest.mark.usefixtures("solver")
@pytest.mark.parametrize("space", ALL[:-1], ids=repr)
def test_seed_is_exact_by_either_solver(space):
    D = distances(points(space, N), space=space)
    X = space.seed(D, 2)
    assert_allclose(distances(X, space=space), D, atol=1e-9 * space.unit)


def test_the_simplex_seed_is_near_and_the_descent_finishes_it():
    # the rotation into the orthant is found by iteration: slowly, where points crowd its walls
    D = distances(points(Simplex(), N), space=Simplex())
    seed = Simplex().seed(D, 2)
    assert_allclose(distances(seed, space=Simplex()), D, atol=1e-3)
    assert place_center(D, space=Simplex(), n_init=1).cost < 1e-15


def test_far_hyperbolic_points_are_found():
    space = Hyperbolic()
    angles = np.linspace(0.0, 2 * np.pi, 12, endpoint=False)
    X = np.column_stack(
        [np.full(12, np.cosh(8.0)), *(np.sinh(8.0) * f(angles) for f in (np.cos, np.sin))]
    )
    D = distances(X, space=space)
    assert D.max() > 15.9
    assert_allclose(distances(space.seed(D, 2), space=space), D, atol=1e-5)


@pytest.mark.parametrize("space", ALL, ids=repr)
def test_the_descent_begins_at_the_seed(space):
    D = distances(points(space, 10), space=space)
    result = place_center(D, space=space, n_init=1)
    assert result.history[0, 1] < 1e-12 * (D**2).sum()
    named = {Euclidean: "classical", Hyperbolic: "hyperbolic"}.get(type(space), "spherical")
    again = place_center(D, space=space, n_init=1, init=named)
    assert_array_equal(again.embedding, result.embedding)


def test_a_seed_takes_distances_that_are_too_long():
    # longer than half way around, or than the hyperboloid can hold: cut, not refused
    long = 100.0 * (1.0 - np.eye(5))
    for space in CURVED:
        X = space.seed(long, 2)
        assert np.isfinite(X).all()
        space.check_points(X, "seed")


@dataclass(frozen=True)
class Taxicab(Space):
    def exp(self, p, v):
        for a in range(p.shape[0]):
            p[a] += v[a]

    def random(self, n, n_components, spread, rng):
        return rng.normal(size=(n, n_components))


def test_a_space_of_ones_own_has_no_spectral_seed():
    assert Taxicab().seed(noisy(5), 2) is None


# --- eigenpairs ----------------------------------------------------------------------------------


@pytest.mark.usefixtures("solver")
@pytest.mark.parametrize("n", [12, N])
def test_eigenpairs_are_those_of_numpy(n):
    B = -0.5 * noisy(n) ** 2
    B = B - B.mean(axis=0) - B.mean(axis=0)[:, None] + B.mean()
    values, vectors = spectral.top_eigenpairs(B, 3)
    want, axes = np.linalg.eigh(B)
    assert_allclose(values, want[-3:][::-1], rtol=1e-9)
    assert_allclose(vectors.T @ vectors, np.eye(3), atol=1e-9)
    assert_allclose(np.abs(np.sum(vectors * axes[:, -3:][:, ::-1], axis=0)), 1.0, atol=1e-9)


def test_many_points_get_the_partial_solver(monkeypatch):
    n = spectral.DENSE + 1
    want = np.arange(1.0, n + 1.0)
    monkeypatch.delattr(spectral, "eigh")  # the full solver would be slow: it must not be called
    values, _ = spectral.top_eigenpairs(np.diag(want), 2)
    assert_allclose(values, [n, n - 1], rtol=1e-12)


@pytest.mark.usefixtures("solver")
def test_eigenvectors_have_a_fixed_sign():
    _, vectors = spectral.top_eigenpairs(noisy(N), 4)
    strongest = vectors[np.abs(vectors).argmax(axis=0), np.arange(4)]
    assert (strongest > 0.0).all()


@pytest.mark.parametrize("code", [3, -9])
def test_where_the_partial_solver_fails_the_full_one_answers(code, monkeypatch):
    def failing(*arguments, **options):
        raise ArpackError(code)

    B = noisy(N)
    want, _ = spectral.top_eigenpairs(B, 4)
    monkeypatch.setattr(spectral, "DENSE", 5)
    monkeypatch.setattr(spectral, "eigsh", failing)
    assert_allclose(spectral.top_eigenpairs(B, 4)[0], want)


@pytest.mark.parametrize("n", [5, 30, 100, 200])
@pytest.mark.parametrize("m", [1, 2, 5])
def test_equal_eigenvalues_are_all_found(n, m):
    """All points at the same distance: LAPACK's solver for a few of them finds none."""
    B = 0.5 * (np.eye(n) - 1.0 / n)
    values, vectors = spectral.top_eigenpairs(B, m)
    want = np.linalg.eigvalsh(B)[::-1][:m]
    assert_allclose(values, want, atol=1e-12)
    assert_allclose(B @ vectors, vectors * want, atol=1e-12)
    assert_allclose(vectors.T @ vectors, np.eye(m), atol=1e-12)


def test_eigenpairs_beyond_the_number_of_rows_are_zero():
    values, vectors = spectral.top_eigenpairs(np.diag([1.0, 3.0]), 4)
    assert_array_equal(values, [3.0, 1.0, 0.0, 0.0])
    assert_array_equal(vectors, [[0, 1, 0, 0], [1, 0, 0, 0]])


@pytest.mark.usefixtures("solver")
@pytest.mark.parametrize("space", ALL, ids=repr)
def test_seeds_repeat_to_the_bit(space):
    D = np.minimum(noisy(N), 3.0)
    assert_array_equal(space.seed(D, 2), space.seed(D.copy(), 2))


@pytest.mark.parametrize("space", ALL, ids=repr)
def test_seeds_leave_their_table_alone(space):
    D = np.minimum(noisy(10), 3.0)
    before = D.copy()
    space.seed(D, 2)
    assert_array_equal(D, before)


# --- flat and degenerate data --------------------------------------------------------------------


def test_data_on_a_line_stay_on_a_line():
    x = np.array([0.0, 1.0, 2.5, 4.0, 7.0])
    D = np.abs(x[:, None] - x)
    X = spectral.classical(D, 3)
    assert_allclose(distances(X), D, atol=1e-12)
    assert_allclose(X[:, 1:], 0.0, atol=1e-7)


def test_an_axis_without_variance_gets_some_where_data_are_not_flat():
    # the triangle inequality is broken: one eigenvalue is positive, and the plane would help
    D = np.array([[0.0, 1.0, 3.0], [1.0, 0.0, 1.0], [3.0, 1.0, 0.0]])
    X = spectral.classical(D, 2)
    spread = X.std(axis=0)
    assert 0.0 < spread[1] < 1e-2 * spread[0]


def test_a_great_circle_stays_one():
    circle = np.column_stack([*(f(np.linspace(0, 5, 9)) for f in (np.cos, np.sin)), np.zeros(9)])
    D = distances(circle, space=Sphere())
    X = Sphere().seed(D, 2)
    assert_allclose(distances(X, space=Sphere()), D, atol=1e-9)
    assert np.linalg.svd(X)[1][2] < 1e-6


def test_a_hyperbolic_line_stays_one():
    D = np.abs(np.subtract.outer(np.arange(6.0), np.arange(6.0)))
    X = Hyperbolic().seed(D, 2)
    assert_allclose(distances(X, space=Hyperbolic()), D, atol=1e-7)


@pytest.mark.usefixtures("solver")
@pytest.mark.parametrize("n", [1, 2, 5, N])
@pytest.mark.parametrize("space", ALL, ids=repr)
def test_points_in_one_place_get_one_place(space, n):
    X = space.seed(np.zeros((n, n)), 2)
    space.check_points(X, "seed")
    # coordinates are roots of eigenvalues: rounding of 1e-14 there is 1e-7 here
    assert_allclose(X, X[:1].repeat(n, axis=0), atol=1e-6)


@pytest.mark.parametrize("space", ALL, ids=repr)
def test_two_points_are_at_their_distance(space):
    D = np.array([[0.0, 0.8], [0.8, 0.0]])
    for k in (1, 2, 3):
        X = space.seed(D, k)
        assert_allclose(distances(X, space=space), D, atol=1e-9)


@pytest.mark.usefixtures("solver")
@pytest.mark.parametrize("space", ALL, ids=repr)
@pytest.mark.parametrize("n", [6, N])
def test_duplicates_coincide(space, n):
    X = points(space, n // 2)
    D = distances(np.repeat(X, 2, axis=0), space=space)
    seed = space.seed(D, 2)
    assert_allclose(seed[::2], seed[1::2], atol=1e-6)


@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_points_that_a_seed_puts_together_are_parted(loss):
    # a thin rhombus: on a line, classical MDS puts its near corners in one place
    D = cdist(*[np.array([[-5.0, 0.0], [5.0, 0.0], [0.0, 1.0], [0.0, -1.0]])] * 2)
    assert_allclose(np.ptp(spectral.classical(D, 1)[2:]), 0.0, atol=1e-7)
    result = place_center(D, 1, loss=loss, init="classical")
    assert abs(result.embedding[2, 0] - result.embedding[3, 0]) > 0.05


# --- incomplete tables ---------------------------------------------------------------------------


def sparse_table(n=12, seed=0):
    """Return distances with two thirds missing, all joined by a ring."""
    D = noisy(n, 2, seed)
    keep = np.random.default_rng(seed).random((n, n)) < 0.3
    ring = np.roll(np.eye(n, dtype=bool), 1, axis=1)
    keep |= ring
    keep |= keep.T
    np.fill_diagonal(keep, True)
    return np.where(keep, D, np.nan)


def test_missing_pairs_get_their_shortest_path():
    D = sparse_table()
    graph = np.where(np.isnan(D), 0.0, D)  # scipy reads 0 as no edge
    want = np.where(np.isnan(D), shortest_path(graph, directed=False), D)
    assert_allclose(completed(as_pairs(D)), want, rtol=1e-12)


@pytest.mark.parametrize("space", [Euclidean(), Sphere(5.0), Hyperbolic(0.1)], ids=repr)
def test_the_seed_of_an_incomplete_table_is_that_of_the_completed_one(space):
    D = sparse_table()
    X = space.seed(completed(as_pairs(D)), 2)
    known = ~np.isnan(D)
    want = 0.5 * ((distances(X, space=space) - D)[known] ** 2).sum()
    result = place_center(D, space=space, n_init=1, loss=Squared())
    assert_allclose(result.history[0, 1], want, rtol=1e-9)


def test_an_incomplete_grid_is_found():
    # a 5 × 5 grid of which only near neighbours know their distance
    grid = np.array([[i, j] for i in range(5) for j in range(5)], dtype=float)
    D = cdist(grid, grid)
    result = place_center(np.where(D < 2.3, D, np.nan), n_init=1)
    assert_allclose(distances(result.embedding), D, atol=1e-3)


# --- tables that are read by rows ----------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("space", ALL, ids=repr)
def test_rows_of_a_table_give_the_seed_of_the_table(space, dtype, monkeypatch):
    monkeypatch.setattr(spectral, "BLOCK", 7 * N)  # the last block is shorter
    monkeypatch.setattr(spectral, "DENSE", N - 1)
    D = np.minimum(noisy(N), 3.0).astype(dtype)
    np.fill_diagonal(D, 1e-9)  # rounding
    problem = Problem.make(as_pairs(D), Squared(), space, 2)
    rows = _seed_table(problem, 0.0)
    assert isinstance(rows, spectral.Rows)
    want = problem.frame.space.seed(completed(problem.pairs) * problem.frame.unit, 2)
    atol = 1e-4 if dtype == np.float32 else 1e-7
    got = problem.frame.space.seed(rows, 2)
    assert_allclose(
        distances(got, space=problem.frame.space),
        distances(want, space=problem.frame.space),
        atol=atol,
    )


def test_a_seed_of_ones_own_is_given_an_array():
    problem = Problem.make(as_pairs(noisy(5)), Squared(), Taxicab(), 2)
    assert isinstance(_seed_table(problem, 0.0), np.ndarray)


@pytest.mark.parametrize("space", ALL[:-1], ids=repr)
def test_many_points_get_an_exact_seed(space):
    D = distances(points(space, spectral.DENSE + 100), space=space)
    X = space.seed(D, 2)
    assert_allclose(distances(X, space=space), D, atol=1e-8 * space.unit)


@pytest.mark.parametrize("k", [1, 3])
def test_many_points_on_a_line_stay_on_a_line_and_others_do_not(k):
    x = np.random.default_rng(0).normal(size=spectral.DENSE + 50)
    D = np.abs(x[:, None] - x)
    X = spectral.classical(D, k)
    assert_allclose(distances(X), D, atol=1e-9)
    # squares of distances break the triangle inequality: too few eigenvalues are positive
    assert (spectral.classical(D**2, k).std(axis=0) > 1e-4).all()


def test_eigenpairs_by_products_are_those_of_the_matrix():
    rng = np.random.default_rng(0)
    Q = np.linalg.qr(rng.normal(size=(300, 300)))[0]
    want = np.concatenate([-np.linspace(50.0, 1.0, 290), [1, 2, 3, 3, 3, 4, 5, 6, 7, 20]])
    A = (Q * want) @ Q.T
    values, vectors = spectral.largest_eigenpairs(lambda V: A @ V, 300, 4, 1e-10)
    assert_allclose(values, [5.0, 6.0, 7.0, 20.0], rtol=1e-12)
    assert_allclose(np.abs(np.sum(vectors * Q[:, -4:], axis=0)), 1.0, atol=1e-12)


def test_products_end_where_nothing_settles():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(400, 400))
    values, vectors = spectral.largest_eigenpairs(lambda V: (A + A.T) @ V, 400, 2, 0.0)
    assert_allclose(values, np.linalg.eigvalsh(A + A.T)[-2:], rtol=1e-3)
    assert_allclose(vectors.T @ vectors, np.eye(2), atol=1e-12)
