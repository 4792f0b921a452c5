"""How much memory a fit needs on top of its table, which may be in a file."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from tests.support.memory import most_allocated, peak
from tests.support.parts import slow
from unimds import MDS, Euclidean, Hyperbolic, Sphere, Squared, place_center
from unimds.distances.pairs import as_pairs
from unimds.placecenter.problem import Problem
from unimds.quality import stress_1
from unimds.spaces import spectral as seeds
from unimds.starts.seeds.initial import first_seed


def cloud(n, dtype=np.float64, k=5, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, k))
    return cdist(X, X).astype(dtype)


# --- peaks of a process --------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    "call",
    [
        "place_center(D, max_iter=3, random_state=0)",
        "place_center(D, 5, max_iter=3, n_init=1)",
        "MDS(2, loss='absolute', metric='precomputed', max_iter=3, random_state=0).fit(D)",
    ],
)
def test_a_fit_needs_a_third_of_its_table_at_most(call, dtype):
    script = f"""
X = np.random.default_rng(0).normal(size=(3000, 5)).astype({dtype!r})
D = distances(X)
print(peak_of(lambda: {call}) / D.nbytes)
"""
    assert peak(script) < 0.3


@pytest.mark.filterwarnings("ignore:Stopped after max_iter")
@pytest.mark.parametrize("n", [1500, slow(3000)])
@pytest.mark.parametrize("dtype", [slow(np.float32), np.float64])
def test_ranks_need_two_bytes_a_pair_more_than_distances(n, dtype):
    D = cloud(n, dtype)
    fits = (
        most_allocated(lambda level=level: place_center(D, level=level, max_iter=3, random_state=0))
        for level in ("ratio", "ordinal")
    )
    ratio, ordinal = fits
    assert ordinal - ratio < 2 * n * n + 5e5  # and some lists as long as there are bins


# --- arrays --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dtype", "order"),
    [(np.float32, "C"), (np.float64, "C"), (np.float64, "F"), slow(np.float32, "F")],
)
def test_checking_a_table_copies_nothing(dtype, order):
    D = np.asarray(cloud(2000, dtype), order=order)
    assert most_allocated(lambda: as_pairs(D)) < 0.5 * D.nbytes


@pytest.mark.sample(2)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("space", [Euclidean(), Sphere(9.0), Hyperbolic(0.1)], ids=repr)
def test_a_seed_makes_no_table(space, dtype):
    D = cloud(3000, dtype)
    problem = Problem.make(as_pairs(D), Squared(), space, 2)
    rng = np.random.default_rng(0)
    assert most_allocated(lambda: first_seed(problem, "auto", rng)) < 0.25 * D.size * 8


def test_a_seed_on_a_line_makes_no_table_either():
    x = np.random.default_rng(0).normal(size=2000)
    D = np.abs(x[:, None] - x)
    assert most_allocated(lambda: seeds.classical(D, 2)) < 0.25 * D.nbytes


def test_rounding_is_averaged_in_the_memory_of_one_table():
    D = cloud(1500)
    D[1, 2] *= 1.0 + 1e-12
    assert most_allocated(lambda: as_pairs(D)) < 1.5 * D.nbytes
    assert_array_equal(as_pairs(D).table.D[:, 0], 0.5 * (D + D.T))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_stress_is_added_up_by_rows(dtype):
    D = cloud(2000, dtype)
    X = np.random.default_rng(0).normal(size=(2000, 2))
    assert most_allocated(lambda: stress_1(D, X)) < 0.3 * D.nbytes


# --- files ---------------------------------------------------------------------------------------


@pytest.fixture
def on_disk(tmp_path):
    def save(D):
        np.save(tmp_path / "D.npy", D)
        return np.load(tmp_path / "D.npy", mmap_mode="r")

    return save


@pytest.mark.parametrize("dtype", [slow(np.float32), np.float64])
@pytest.mark.parametrize("n_init", [1, "auto"])
def test_a_table_in_a_file_gives_the_same_map_to_the_bit(on_disk, dtype, n_init):
    D = cloud(1200, dtype)
    options = {"n_init": n_init, "max_iter": 20, "eps": 0.0, "random_state": 0}
    with pytest.warns(UserWarning, match="sweeps"):
        want = place_center(D, **options)
    with pytest.warns(UserWarning, match="sweeps"):
        got = place_center(on_disk(D), **options)
    assert_array_equal(got.embedding, want.embedding)
    assert_array_equal(got.history[:, 1], want.history[:, 1])
    with pytest.warns(UserWarning, match="sweeps"):
        mds = MDS(metric="precomputed", **options).fit(on_disk(D))
    assert_array_equal(mds.embedding_, want.embedding.astype(dtype))


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_table_in_a_file_stays_there(on_disk, order):
    D = on_disk(np.asarray(cloud(50), order=order))
    assert np.shares_memory(as_pairs(D).table.D, D)
    with pytest.warns(UserWarning, match="sweeps"):
        mds = MDS(metric="precomputed", max_iter=1).fit(D)
    assert np.shares_memory(mds.dissimilarity_matrix_, D)


# --- precision -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_dtype_rounds_the_table():
    D = cloud(60)
    want = place_center(D.astype(np.float32), random_state=0)
    got = place_center(D, dtype="float32", random_state=0)
    assert_array_equal(got.embedding, want.embedding)
    mds = MDS(metric="precomputed", dtype="float32", random_state=0).fit(D)
    assert mds.embedding_.dtype == np.float64  # as given
    assert_array_equal(mds.embedding_, want.embedding)
    double = place_center(D.astype(np.float32), dtype="float64", random_state=0)
    assert_allclose(double.cost, want.cost, rtol=1e-5)


def test_dtype_says_what_it_may_be():
    with pytest.raises(ValueError, match="'dtype' parameter of place_center must be"):
        place_center(cloud(4), dtype="float16")
    with pytest.raises(ValueError, match=r"D\[0, 1\] = inf is infinite"):
        place_center(np.array([[0.0, 1e40], [1e40, 0.0]]), dtype="float32")
