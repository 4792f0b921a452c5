"""How a table of distances is laid out for the kernels."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from unimds.distances import pairs as pairs_module
from unimds.distances.inputs import as_float
from unimds.distances.pairs import as_pairs
from unimds.spaces import distances
from unimds.starts.seeds.initial import completed

N = 7


def symmetric(n=N, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, 3))
    D = cdist(X, X)
    return (D + D.T) / 2


def asymmetric(n=N, seed=0):
    D = np.random.default_rng(seed).uniform(1.0, 2.0, size=(n, n))
    np.fill_diagonal(D, 0.0)
    return D


def some_weights(n=N, seed=1):
    return np.random.default_rng(seed).uniform(0.5, 2.0, size=(n, n))


# --- layout --------------------------------------------------------------------------------------


def test_a_symmetric_table_has_one_layer():
    D = symmetric()
    pairs = as_pairs(D)
    assert pairs.table.D.shape == (N, 1, N)
    assert_array_equal(pairs.table.D[:, 0], D)
    assert pairs.table.W is None
    assert pairs.n == N
    assert pairs.free.all()
    assert pairs.table.D.flags.c_contiguous


def test_an_asymmetric_table_has_a_layer_for_each_direction():
    D = asymmetric()
    pairs = as_pairs(D)
    assert pairs.table.D.shape == (N, 2, N)
    assert_array_equal(pairs.table.D[:, 0], D)
    assert_array_equal(pairs.table.D[:, 1], D.T)
    assert pairs.table.D.flags.c_contiguous


def test_weights_are_laid_out_like_distances():
    W = some_weights()
    one = as_pairs(symmetric(), weights=W)
    assert one.table.W.shape == one.table.D.shape
    assert_allclose(one.table.W[:, 0], (W + W.T) / 2)  # distances are the same both ways
    two = as_pairs(asymmetric(), weights=W)
    assert_array_equal(two.table.W[:, 0], W)
    assert_array_equal(two.table.W[:, 1], W.T)


def test_missing_pairs_stay_missing():
    D = symmetric()
    D[1, 4] = D[4, 1] = np.nan
    pairs = as_pairs(D)
    assert_array_equal(pairs.table.D[:, 0], D)
    assert not pairs.weighing.complete
    assert as_pairs(symmetric()).weighing.complete


def test_points_that_are_not_free_are_noted():
    free = np.arange(N) > 2
    assert_array_equal(as_pairs(symmetric(), free=free).free, free)


# --- symmetry ------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rounding_is_no_asymmetry(dtype):
    D = symmetric().astype(dtype)
    D[1, 2] *= 1 + 8 * np.finfo(dtype).eps
    pairs = as_pairs(D)
    assert pairs.table.D.shape == (N, 1, N)
    assert_array_equal(pairs.table.D[:, 0], (D + D.T) / 2)
    assert pairs.table.D.dtype == dtype


@pytest.mark.parametrize(("dtype", "gap"), [(np.float64, 1e-6), (np.float32, 1e-3)])
def test_more_than_rounding_is_an_asymmetry(dtype, gap):
    D = symmetric().astype(dtype)
    D[1, 2] += gap * D.max()
    assert as_pairs(D).table.D.shape == (N, 2, N)


@pytest.mark.parametrize("keep", [np.tril, np.triu])
def test_one_triangle_is_the_whole_table(keep):
    D = symmetric()
    known = keep(np.ones((N, N), dtype=bool))
    pairs = as_pairs(np.where(known, D, np.nan))
    assert pairs.table.D.shape == (N, 1, N)
    assert_array_equal(pairs.table.D[:, 0], D)
    assert pairs.typical == as_pairs(D).typical


def test_a_pair_known_one_way_is_known():
    D = symmetric()
    D[2, 3] = np.nan
    assert_array_equal(as_pairs(D).table.D[:, 0], symmetric())


# --- memory --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_symmetric_table_is_not_copied(order, dtype):
    D = np.array(symmetric(), dtype=dtype, order=order)
    pairs = as_pairs(D)
    assert np.shares_memory(pairs.table.D, D)
    assert pairs.table.D.dtype == dtype
    assert_array_equal(pairs.table.D[:, 0], D)


def test_a_read_only_table_is_not_copied():
    D = symmetric()
    D.flags.writeable = False
    assert np.shares_memory(as_pairs(D).table.D, D)


@pytest.mark.parametrize("table", [symmetric(), asymmetric()], ids=["symmetric", "asymmetric"])
def test_a_strided_table_is_laid_out_anew(table):
    wide = np.zeros((N, 2 * N))
    wide[:, ::2] = table
    pairs = as_pairs(wide[:, ::2])
    assert pairs.table.D.flags.c_contiguous
    assert_array_equal(pairs.table.D[:, 0], table)


@pytest.mark.parametrize("make", [symmetric, asymmetric])
def test_the_input_is_never_written_to(make):
    D, W = make(), some_weights()
    D[1, 4] = np.nan
    D[0, 3] *= 1 + 1e-12
    before, weights = D.copy(), W.copy()
    pairs = as_pairs(D, weights=W)
    completed(pairs)
    assert pairs.weighing.total > 0.0
    assert_array_equal(D, before)
    assert_array_equal(W, weights)


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([[0, 1], [1, 0]], np.float64),
        (np.zeros((2, 2), dtype=np.int32), np.float64),
        (np.zeros((2, 2), dtype=bool), np.float64),
        (np.zeros((2, 2), dtype=np.float16), np.float64),
        (np.zeros((2, 2), dtype=np.longdouble), np.float64),
        (np.zeros((2, 2), dtype=">f8"), np.float64),
        (np.zeros((2, 2), dtype=np.float32), np.float32),
        (np.array([[0, None], [1.5, 0]], dtype=object), np.float64),
        (pd.DataFrame([[0.0, 1.0], [1.0, 0.0]]), np.float64),
        (pd.DataFrame([[0, 1], [1, 0]], dtype="Int64"), np.float64),
    ],
)
def test_as_float_gives_what_kernels_take(values, dtype):
    got = as_float(values, "D")
    assert got.dtype == np.dtype(dtype)
    assert got.dtype.isnative
    assert got.shape == (2, 2)


def test_as_float_copies_nothing_that_is_float_already():
    for dtype in (np.float32, np.float64):
        D = np.zeros((2, 2), dtype=dtype)
        assert as_float(D, "D") is D


@pytest.mark.parametrize("values", [[["a"]], np.array([[1j]]), np.array([["2020-01-01"]], "M8[D]")])
def test_as_float_refuses_what_is_no_real_number(values):
    with pytest.raises(ValueError, match="D must hold"):
        as_float(values, "D")


# --- numbers that describe the table -------------------------------------------------------------


def test_typical_is_the_median_positive_distance():
    D = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 9.0], [2.0, 9.0, 0.0]])
    assert as_pairs(D).typical == 2.0
    assert as_pairs(D).largest == 9.0
    with_zero = D.copy()
    with_zero[0, 1] = with_zero[1, 0] = 0.0
    assert as_pairs(with_zero).typical == 5.5  # zeros say nothing about the scale
    missing = D.copy()
    missing[1, 2] = missing[2, 1] = np.nan
    assert as_pairs(missing).typical == 1.5
    assert as_pairs(missing).largest == 2.0


def test_typical_of_nothing_is_one():
    assert as_pairs(np.zeros((3, 3))).typical == 1.0
    assert as_pairs([[0.0]]).typical == 1.0
    assert as_pairs([[0.0]]).largest == 0.0


def test_typical_of_a_large_table_is_near_the_median():
    D = np.random.default_rng(0).uniform(size=(2000, 2000)).astype(np.float32)
    D += D.T
    np.fill_diagonal(D, 0.0)
    assert_allclose(as_pairs(D).typical, np.median(D[D > 0.0]), rtol=5e-3)


def test_typical_finds_the_only_distance_of_a_large_table():
    D = np.zeros((2000, 2000))
    D[0, 1] = D[1, 0] = 5.0
    assert as_pairs(D).typical == 5.0


@pytest.mark.parametrize("diagonal", [0.0, np.nan])
def test_total_weight_counts_known_pairs_once(diagonal):
    D = symmetric()
    np.fill_diagonal(D, diagonal)
    assert as_pairs(D).weighing.total == N * (N - 1) / 2
    D[0, 1] = D[1, 0] = np.nan
    assert as_pairs(D).weighing.total == N * (N - 1) / 2 - 1
    A = asymmetric()
    np.fill_diagonal(A, diagonal)
    assert as_pairs(A).weighing.total == N * (N - 1) / 2


@pytest.mark.parametrize("make", [symmetric, asymmetric])
def test_total_weight_leaves_out_the_diagonal(make):
    W = some_weights()
    want = (W.sum() - np.trace(W)) / 2
    assert_allclose(as_pairs(make(), weights=W).weighing.total, want)


# --- completion ----------------------------------------------------------------------------------


def floyd(D):
    """Return all shortest paths, by the plainest algorithm there is."""
    paths = np.where(np.isnan(D), np.inf, D)
    for k in range(len(D)):
        paths = np.minimum(paths, paths[:, k : k + 1] + paths[k])
    return paths


@given(seed=st.integers(0, 10**6), share=st.floats(0.3, 0.9))
def test_complete_fills_missing_pairs_with_shortest_paths(seed, share):
    rng = np.random.default_rng(seed)
    D = symmetric(8, seed)
    hide = rng.random((8, 8)) < share
    hide &= ~np.roll(np.eye(8, dtype=bool), 1, axis=1)  # a ring stays
    hide &= hide.T & ~np.eye(8, dtype=bool)
    D[hide] = np.nan
    ring = np.roll(np.eye(8, dtype=bool), 1, axis=1)
    assert not np.isnan(D[ring | ring.T]).any()
    got = completed(as_pairs(D))
    assert_allclose(got, np.where(np.isnan(D), floyd(D), D), rtol=1e-12)
    assert_array_equal(got, got.T)


def test_complete_of_a_complete_table_is_the_table():
    D = symmetric()
    got = completed(as_pairs(D))
    assert_array_equal(got, D)
    assert not np.shares_memory(got, D)


def test_complete_takes_the_mean_of_both_directions():
    D = asymmetric()
    assert_allclose(completed(as_pairs(D)), (D + D.T) / 2)
    D[2, 5] = np.nan  # the other direction is known
    assert_allclose(completed(as_pairs(D))[2, 5], D[5, 2])


def test_complete_reads_weight_zero_as_missing():
    D, W = symmetric(), np.ones((N, N))
    D[0, 1] = D[1, 0] = 1000.0
    W[0, 1] = W[1, 0] = 0.0
    pairs = as_pairs(D, weights=W)
    assert not pairs.weighing.complete
    hidden = np.where(W > 0.0, D, np.nan)
    assert_allclose(completed(pairs)[0, 1], floyd(hidden)[0, 1])


def test_a_distance_of_zero_is_a_way():
    D = np.array([[0.0, 0.0, np.nan], [0.0, 0.0, 2.0], [np.nan, 2.0, 0.0]])
    assert_allclose(completed(as_pairs(D))[0, 2], 2.0)


def test_groups_that_only_anchors_join_are_put_far_apart():
    D = np.full((4, 4), np.nan)
    D[0, 1] = D[1, 0] = 3.0
    D[2, 3] = D[3, 2] = 1.0
    np.fill_diagonal(D, 0.0)
    free = np.array([False, True, False, True])
    got = completed(as_pairs(D, free=free))
    assert_array_equal(got[:2, 2:], 6.0)  # twice the largest


# --- subsets -------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [symmetric, asymmetric])
def test_subset_keeps_the_pairs_of_some_points(make):
    D, W = make(), some_weights()
    free = np.arange(N) != 4
    pairs = as_pairs(D, weights=W, free=free)
    index = np.array([1, 4, 6])
    small = pairs.subset(index)
    assert small.n == 3
    for layer in (0, -1):
        want = pairs.table.D[:, layer][np.ix_(index, index)]
        assert_array_equal(small.table.D[:, layer], want)
    assert_array_equal(small.table.W[:, 0], pairs.table.W[:, 0][np.ix_(index, index)])
    assert_array_equal(small.free, [True, False, True])
    assert small.table.D.flags.c_contiguous
    assert (small.typical, small.largest) == (pairs.typical, pairs.largest)  # one unit for both
    assert as_pairs(D).subset(index).table.W is None


# --- errors name the table ------------------------------------------------------------------------


def test_a_diagonal_of_rounding_is_zero():
    D = symmetric()
    np.fill_diagonal(D, 1e-12)
    as_pairs(D)
    np.fill_diagonal(D, 1e-3)
    with pytest.raises(ValueError, match=r"D\[0, 0\] = 0.001, but the distance of a point to"):
        as_pairs(D)


def test_the_scale_of_few_points_is_the_median():
    D = distances(np.random.default_rng(0).normal(size=(141, 1)))
    assert as_pairs(D).typical == np.median(D[D > 0.0])


@pytest.mark.parametrize("n", [142, 1000, 20_000, 50_000])
def test_the_sample_that_tells_the_scale_has_no_distance_of_a_point_to_itself(n):
    at = pairs_module._sampled(n)
    assert (at // n != at % n).all()
    assert at.min() >= 0
    assert at.max() < n * n
    assert (np.diff(at // n) >= 0).all()  # a file is read in order
