"""Odd input that has an answer all the same, for every loss and every space."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import squareform

from tests.support.parts import pair, slow
from tests.support.tables import LABELS, POINTS, D, N, by_estimator, by_function, changed
from unimds import (
    MDS,
    ChordalSphere,
    Euclidean,
    Hyperbolic,
    Power,
    Simplex,
    Sphere,
)
from unimds.quality import stress_1, total_cost
from unimds.spaces import distances

LOSSES = ["squared", "absolute", Power(1.5), "huber", "squared_distance"]
SPACES = [Euclidean(), Sphere(), ChordalSphere(), Hyperbolic(), Simplex()]
EVERY = [(loss, space) for loss in LOSSES for space in SPACES]
every_pair = pytest.mark.parametrize(("loss", "space"), [pair(*case) for case in EVERY], ids=str)
# each loss once and each space once: for what neither has a say in
SOME = list(zip(LOSSES, SPACES, strict=True))
# the same where what is tested is compiled anew
FEW = [SOME[0], *(slow(*pair) for pair in SOME[1:])]
LINE = np.linspace(0.0, 0.9, 6)[:, None]
ONE_WAY = np.random.default_rng(1).uniform(0.2, 0.9, size=(5, 5)) * (1 - np.eye(5))
ODD = {
    "one point": np.zeros((1, 1)),
    "two points": D[:2, :2],
    "three points": D[:3, :3],
    "three points that break the triangle inequality": 0.1
    * np.array([[0, 1, 9], [1, 0, 1], [9, 1, 0]]),
    "duplicates": distances(np.repeat(POINTS[:3], 2, axis=0)),
    "collinear": distances(LINE),
    "all equally far apart": 0.5 * (1.0 - np.eye(6)),
    "asymmetric": ONE_WAY,
}


def check_sound(result, table, loss, space):
    assert np.isfinite(result.embedding).all()
    assert result.embedding.shape == (len(table), space.n_coordinates(2))
    space.check_points(result.embedding, "embedding")
    want = total_cost(table, result.embedding, loss=loss, space=space)
    assert_allclose(result.cost, want, rtol=1e-9, atol=1e-12)


def cases(pairs, tables, anew):
    """Yield tables with losses and spaces; the table called `anew` is quick with one pair only.

    An asymmetric table and a read-only one, which a data frame holds, are compiled anew.
    """
    for (loss, space), (name, table) in product(pairs, tables.items()):
        quick = name != anew or (loss, space) == SOME[0]
        yield pair(loss, space, table, quick=quick, id=f"{loss}-{space}-{name}")


@pytest.mark.sample(20)
@pytest.mark.parametrize(("loss", "space", "table"), list(cases(EVERY, ODD, "asymmetric")))
def test_odd_tables_give_a_finite_map(loss, space, table):
    check_sound(by_function(table, loss=loss, space=space), table, loss, space)


@pytest.mark.parametrize(("loss", "space", "table"), list(cases(SOME, ODD, "asymmetric")))
def test_the_estimator_gives_the_same_map(loss, space, table):
    got, want = (f(table, loss=loss, space=space) for f in (by_estimator, by_function))
    assert_array_equal(got.embedding, want.embedding)


@pytest.mark.parametrize("n", [2, 4])
@every_pair
def test_points_without_distance_are_put_in_one_place_with_a_warning(loss, space, n):
    table = np.zeros((n, n))
    with pytest.warns(UserWarning, match="all distances are zero: all points are put in one place"):
        result = by_function(table, loss=loss, space=space)
    check_sound(result, table, loss, space)
    assert distances(result.embedding, space=space).max() < 1e-7


@pytest.mark.parametrize("n", [1, 2, 3])
@every_pair
def test_up_to_three_points_are_exact(loss, space, n):
    result = by_function(D[:n, :n], loss=loss, space=space)
    assert_allclose(distances(result.embedding, space=space), D[:n, :n], atol=1e-3)


@pytest.mark.parametrize("table", [D, ODD["duplicates"]], ids=["all apart", "duplicates"])
@every_pair
def test_a_seed_may_have_all_points_in_one_place(loss, space, table):
    # there is no direction to part in, and no division by their distance
    seed = space.random(1, 2, 0.5, np.random.default_rng(0)).repeat(N, axis=0)
    result = by_function(table, loss=loss, space=space, init=seed)
    check_sound(result, table, loss, space)
    # u² is flat at 0: that loss alone sees no gain in parting
    share = 1.0 if loss == "squared_distance" else 0.1
    assert result.cost <= share * result.history[0, 1]


def imperfect():
    """Return distances that no plane has: the answer depends on all of them."""
    table = D * np.random.default_rng(2).uniform(0.8, 1.1, size=D.shape)
    return (table + table.T) / 2


SAME = {
    "list": imperfect().tolist(),
    "tuple": tuple(map(tuple, imperfect().tolist())),
    "Fortran order": np.asfortranarray(imperfect()),
    "strided": np.repeat(imperfect(), 2, axis=1)[:, ::2],
    "long double": imperfect().astype(np.longdouble),
    "big-endian": imperfect().astype(">f8"),
    "objects": imperfect().astype(object),
    "data frame": pd.DataFrame(imperfect(), index=LABELS, columns=LABELS),
    "lower triangle": np.where(np.tri(N, dtype=bool), imperfect(), np.nan),
    "upper triangle": np.where(np.tri(N, dtype=bool).T, imperfect(), np.nan),
    "diagonal unknown": np.where(np.eye(N, dtype=bool), np.nan, imperfect()),
}


@pytest.mark.parametrize(("loss", "space", "table"), list(cases(SOME, SAME, "data frame")))
def test_other_ways_to_write_a_table_give_the_same_map(loss, space, table):
    got, want = (by_function(D, loss=loss, space=space, n_init=1) for D in (table, imperfect()))
    assert_array_equal(got.embedding, want.embedding)
    assert got.cost == want.cost


@pytest.mark.parametrize(("loss", "space"), [pair(*case) for case in SOME], ids=str)
def test_rounding_does_not_make_a_table_asymmetric(loss, space):
    rounded = imperfect()
    rounded[np.triu_indices(N, 1)] *= 1.0 + 1e-15 * np.arange(15)
    mean = (rounded + rounded.T) / 2
    got, want = (by_function(D, loss=loss, space=space, n_init=1) for D in (rounded, mean))
    assert_array_equal(got.embedding, want.embedding)


def test_a_read_only_table_gives_the_same_map(embed):
    table = imperfect()
    table.flags.writeable = False
    assert_array_equal(embed(table).embedding, by_function(imperfect()).embedding)


@pytest.mark.parametrize(("loss", "space"), FEW, ids=str)
def test_float32_gives_nearly_the_same_map(loss, space):
    single = by_function(imperfect().astype(np.float32), loss=loss, space=space)
    double = by_function(imperfect(), loss=loss, space=space)
    check_sound(single, imperfect().astype(np.float32), loss, space)
    assert_allclose(single.cost, double.cost, rtol=1e-3)


def test_float32_stays_float32_in_the_estimator():
    found = MDS(metric="precomputed", random_state=0).fit(imperfect().astype(np.float32))
    assert found.embedding_.dtype == np.float32


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint8, bool])
def test_whole_numbers(embed, dtype):
    table = np.array([[0, 1, 1, 1], [1, 0, 1, 1], [1, 1, 0, 1], [1, 1, 1, 0]])
    got, want = embed(table.astype(dtype)), embed(table.astype(float))
    assert_array_equal(got.embedding, want.embedding)


def test_columns_of_a_data_frame_may_come_in_any_order():
    frame = pd.DataFrame(imperfect(), index=LABELS, columns=LABELS)
    with pytest.warns(UserWarning, match="the points of the map are in the order of the rows"):
        got = MDS(metric="precomputed", random_state=0).fit(frame[LABELS[::-1]])
    assert_array_equal(got.embedding_, by_function(imperfect()).embedding)
    assert_array_equal(got.labels_, LABELS)


def test_labelled_weights_may_come_in_any_order():
    frame = pd.DataFrame(imperfect(), index=LABELS, columns=LABELS)
    W = np.random.default_rng(3).uniform(0.1, 2.0, size=(N, N))
    weights = pd.DataFrame(W + W.T, index=LABELS, columns=LABELS)
    want = by_estimator(frame, weights=weights).embedding
    turned = weights.loc[LABELS[::-1]]
    assert_array_equal(by_estimator(frame, weights=turned).embedding, want)
    assert_array_equal(by_estimator(frame, weights=turned[LABELS[::-1]]).embedding, want)
    with pytest.warns(UserWarning, match="matched by label"):
        assert_array_equal(by_estimator(frame[LABELS[::-1]], weights=weights).embedding, want)


@pytest.mark.parametrize(
    ("space", "make"),
    [
        pytest.param("euclidean", imperfect, id="euclidean-symmetric"),
        pytest.param("euclidean", ONE_WAY.copy, id="euclidean-one way"),
        pytest.param("sphere", imperfect, id="sphere-symmetric"),
        slow("sphere", ONE_WAY.copy, id="sphere-one way"),
    ],
)
def test_the_input_is_never_modified(embed, make, space):
    table = make()
    table[0, 3] = np.nan
    width = 2 if space == "euclidean" else 3
    init = np.random.default_rng(0).normal(size=(len(table), width))
    init /= np.linalg.norm(init, axis=1, keepdims=True)
    fixed = np.full(init.shape, np.nan)
    fixed[1] = init[0]
    data = {"weights": np.ones(table.shape), "fixed": fixed, "init": init}
    before = {name: array.copy() for name, array in data.items()}
    copy = table.copy()
    embed(table, space=space, **data)
    assert_array_equal(table, copy)
    for name, array in data.items():
        assert_array_equal(array, before[name])


@pytest.mark.parametrize("space", SPACES, ids=repr)
def test_the_seed_is_not_returned_as_the_map(space):
    # the map is an array of its own: writing to one leaves the other alone
    seed = space.random(N, 2, 0.5, np.random.default_rng(0))
    result = by_function(D, space=space, init=seed)
    assert not np.shares_memory(result.embedding, seed)


def test_a_triangle_of_zeros_is_refused(embed):
    for half in (np.triu(D), np.tril(D)):
        with pytest.raises(ValueError, match=r"D is triangular.*fill the other half \(D \+ D\.T\)"):
            embed(half)


@pytest.mark.parametrize("kind", [np.asarray, list, np.ma.masked_array, np.float32])
def test_condensed_distances_are_a_square(embed, kind):
    vector = kind(D[np.triu_indices(N, 1)])
    square = squareform(np.asarray(vector))
    np.testing.assert_array_equal(embed(vector).embedding, embed(square).embedding)
    weights = np.linspace(1.0, 2.0, len(vector))
    weighted = embed(vector, weights=weights).embedding
    plain = embed(square, weights=squareform(weights)).embedding
    np.testing.assert_array_equal(weighted, plain)


def test_condensed_distances_with_gaps():
    vector = D[np.triu_indices(N, 1)]
    vector[3] = np.nan
    mds = MDS(metric="precomputed", n_init=1, random_state=0).fit(vector)
    assert np.isnan(mds.dissimilarity_matrix_[0, 4])
    masked = np.ma.masked_invalid(vector)
    np.testing.assert_array_equal(
        MDS(metric="precomputed", n_init=1, random_state=0).fit_transform(masked), mds.embedding_
    )
    assert stress_1(vector, mds.embedding_) == stress_1(squareform(vector), mds.embedding_)
    with pytest.raises(ValueError, match=r"Expected 2D array"):
        MDS().fit(vector)


def test_masked_distances_are_missing():
    masked = np.ma.masked_array(changed(1, 2, 99.0), mask=np.zeros(D.shape, dtype=bool))
    masked.mask[1, 2] = masked.mask[2, 1] = True
    holes = D.copy()
    holes[1, 2] = holes[2, 1] = np.nan
    one = MDS(metric="precomputed", random_state=0).fit(masked)
    other = MDS(metric="precomputed", random_state=0).fit(holes)
    np.testing.assert_array_equal(one.embedding_, other.embedding_)


def test_labels_that_disagree_are_told():
    frame = pd.DataFrame(D, index=list("abcdef"), columns=list("abcdeF"))
    with pytest.raises(ValueError, match="different labels: row 'f', column 'F'; correct"):
        MDS(metric="precomputed").fit(frame)
    double = pd.DataFrame(D, index=list("aabcde"), columns=list("aabcde"))
    with pytest.raises(ValueError, match="not unique"):
        MDS(metric="precomputed").fit(double)


def test_nullable_columns_are_numbers():
    frame = pd.DataFrame(D).astype("Float64")
    frame.iloc[1, 2] = frame.iloc[2, 1] = pd.NA
    assert np.isfinite(MDS(metric="precomputed", random_state=0).fit_transform(frame)).all()
