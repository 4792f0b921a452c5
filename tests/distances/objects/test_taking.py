"""Arrays, lists, stacks and dicts: what is taken, and what to write instead of the rest."""

import networkx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tests.support.tables import D, N
from unimds import MDS, LandmarkMDS, place_center

PRECOMPUTED = MDS(metric="precomputed", random_state=0)


STACKS = {
    "array": np.stack([D] * 12),
    "list of arrays": [D] * 12,
    "list of lists": [D.tolist()] * 12,
    "list of frames": [pd.DataFrame(D)] * 12,
}


@pytest.mark.parametrize("stack", STACKS.values(), ids=list(STACKS))
def test_a_stack_of_tables_is_told_what_to_do(stack):
    with pytest.raises(ValueError, match=r"D is a stack of 12 tables of 6 × 6, .*nanmean"):
        PRECOMPUTED.fit(stack)
    with pytest.raises(ValueError, match=r"D is a stack of 12 tables of 6 × 6, .*nanmean"):
        place_center(stack)
    with pytest.raises(ValueError, match=r"X has three dimensions, 12 × 6 × 6, .*\(12, -1\)"):
        MDS().fit(stack)


def test_the_advice_for_stacks_works():
    stack = np.stack([D] * 12)
    assert PRECOMPUTED.fit_transform(np.nanmean(stack, axis=0)).shape == (N, 2)
    X = np.random.default_rng(0).normal(size=(12, 6, 6))
    assert MDS(random_state=0).fit_transform(np.reshape(X, (12, -1))).shape == (12, 2)


def test_what_is_masked_is_missing():
    X = np.random.default_rng(0).normal(size=(N, 3))
    masked = np.ma.masked_array(X.copy(), mask=np.zeros_like(X, dtype=bool))
    masked[0, 0] = 1e6
    masked.mask[0, 0] = True
    with pytest.raises(ValueError, match=r"X contains NaN \(X\[0, 0\]\)"):
        MDS().fit(masked)
    gaps = np.where(masked.mask, np.nan, X)
    mds = MDS(metric="nan_euclidean", n_init=1, random_state=0)
    np.testing.assert_array_equal(mds.fit_transform(masked), mds.fit_transform(gaps))


WRONG = {
    "complex": (D * 1j, "D must hold real numbers, but their type is complex128"),
    "durations": (D.astype("timedelta64[s]"), "D must hold real numbers, but their type is time"),
    "masked complex": (np.ma.masked_array(D * 1j, mask=D > 0.5), "must hold numbers only"),
    "complex frame": (pd.DataFrame(D * 1j), "those of the column 0 are complex128"),
    "frame of dates": (pd.DataFrame(D.astype("M8[s]")), "those of the column 0 are datetime64"),
    "huge": (np.array([[0, 10**400], [10**400, 0]], dtype=object), "must hold numbers only"),
    "nothing": ([], r"D must be a square table of distances; its shape is \(0,\)"),
    "Series": (pd.Series(D[0]), r"condensed distances, .* series.to_numpy\(\)"),
}


@pytest.mark.parametrize(("table", "says"), WRONG.values(), ids=list(WRONG))
def test_what_holds_no_distances_is_told_in_our_own_words(table, says):
    with pytest.raises(ValueError, match=says):
        PRECOMPUTED.fit(table)


def test_dates_and_complex_numbers_are_no_features():
    dates = pd.DataFrame({"day": pd.date_range("2020", periods=3), "x": [1.0, 2.0, 4.0]})
    with pytest.raises(ValueError, match="those of the column 'day' are datetime64"):
        MDS().fit(dates)
    with pytest.raises(ValueError, match="those of the column 0 are complex128"):
        MDS().fit(pd.DataFrame(D * 1j))


def test_the_name_of_a_file_is_no_table(tmp_path):
    for wrong in ("towns.csv", tmp_path / "towns.csv"):
        for embed in (PRECOMPUTED.fit, MDS().fit, LandmarkMDS().fit, place_center):
            with pytest.raises(
                TypeError, match=r"read it, with unimds.files.read\('.*towns.csv'\)"
            ):
                embed(wrong)


def test_categories_and_columns_of_one_name_are_no_features():
    classes = pd.DataFrame({"x": [1.0, 2.0, 4.0], "class": pd.Categorical([1, 2, 1])})
    with pytest.raises(ValueError, match=r"a column of categories, 'class', .*astype\(float\)"):
        MDS().fit(classes)
    with pytest.raises(ValueError, match="several columns called 'x': rename or drop them"):
        MDS().fit(pd.DataFrame(D[:, :2], columns=["x", "x"]))


def test_a_gap_among_whole_numbers_of_pandas_is_named():
    whole = pd.array([1, None, 3], dtype="Int64")
    gaps = pd.DataFrame({"x": whole, "y": [0.5, 1.5, 2.5]}, list("abc"))
    with pytest.raises(ValueError, match=r"X contains NaN \(row 'b', column 'x'\)"):
        MDS().fit(gaps)


def test_condensed_distances_may_be_texts_gaps_or_columns():
    vector = D[np.triu_indices(N, 1)]
    expected = PRECOMPUTED.fit_transform(vector)
    words, gap = vector.astype(str), [None, *vector[1:].tolist()]
    for same in (words, words.tolist(), pl.Series(vector), pa.array(vector), vector.astype(object)):
        np.testing.assert_array_equal(PRECOMPUTED.fit_transform(same), expected)
    assert np.isnan(PRECOMPUTED.fit(gap).dissimilarity_matrix_[0, 1])


LABELS = {
    "mixed": [1, "a", (2, 3), 2.5, frozenset({4}), "b"],
    "None": [None, *"bcdef"],
    "NaN": [np.nan, *"bcdef"],
}


@pytest.mark.parametrize("labels", LABELS.values(), ids=list(LABELS))
def test_labels_may_be_anything(labels):
    frame = pd.DataFrame(D, *[pd.Index(labels, dtype=object, tupleize_cols=False)] * 2)
    plain = PRECOMPUTED.fit(D).embedding_
    mds = MDS(metric="precomputed", random_state=0).fit(frame)
    assert mds.labels_.tolist() == labels
    np.testing.assert_array_equal(mds.embedding_, plain)
    with pytest.warns(UserWarning, match="in different orders"):
        mixed = MDS(metric="precomputed", random_state=0).fit(frame.iloc[:, ::-1])
    np.testing.assert_array_equal(mixed.embedding_, plain)
    np.testing.assert_allclose(mds.transform(frame.iloc[:, ::-1]), mds.transform(D))


def test_labels_may_be_true_and_false():
    frame = pd.DataFrame([[0.0, 3.0], [3.0, 0.0]], [True, False], [True, False])
    with pytest.warns(UserWarning, match="in different orders"):
        mds = MDS(metric="precomputed", random_state=0).fit(frame.iloc[:, ::-1])
    assert mds.stress_ == pytest.approx(0.0)
    assert mds.labels_.tolist() == [True, False]


def test_labels_that_are_not_unique_are_named():
    twice = pd.DataFrame(D, list("abbdef"), list("abbdef"))
    with pytest.raises(ValueError, match=r"the columns of D .* 'b' stands there twice.*to_numpy"):
        PRECOMPUTED.fit(twice)


def test_a_whole_number_is_the_name_of_a_fixed_point_where_points_have_such_names():
    years = [2003, 2001, 2000, 2002, 2005, 2004]
    frame = pd.DataFrame(D, years, years)
    mds = MDS(metric="precomputed", n_init=1, random_state=0)
    assert mds.fit(frame, fixed={2001: [9.0, 9.0]}).embedding_[1].tolist() == [9.0, 9.0]
    with pytest.raises(ValueError, match="fixed: 3 is not among the labels"):
        mds.fit(frame, fixed={3: [9.0, 9.0]})
    assert mds.fit(pd.DataFrame(D), fixed={-1: [9.0, 9.0]}).embedding_[-1].tolist() == [9.0, 9.0]


def test_fixed_points_and_starts_are_matched_by_the_labels_of_every_package():
    names, order = list("abcdef"), [3, 1, 5, 0, 4, 2]
    frame = pd.DataFrame(D, names, names)
    held = np.full((N, 2), np.nan)
    held[0] = 9.0
    mixed = pl.DataFrame(
        {"id": [names[i] for i in order], "x": held[order, 0], "y": held[order, 1]}
    )
    mds = MDS(metric="precomputed", n_init=1, random_state=0)
    assert mds.fit(frame, fixed=mixed).embedding_[0].tolist() == [9.0, 9.0]


def test_a_dict_of_path_lengths_says_what_to_write():
    graph = networkx.cycle_graph(8)
    paths = dict(networkx.all_pairs_shortest_path_length(graph))
    for estimator in (MDS(metric="precomputed"), MDS(), LandmarkMDS()):
        with pytest.raises(TypeError, match=r"is a dict, .*pandas.DataFrame\(dict\(paths\)\)"):
            estimator.fit(paths)
    with pytest.raises(TypeError, match="is a dict"):
        place_center(paths)
    D = pd.DataFrame(dict(paths))
    mds = MDS(metric="precomputed", n_init=1, random_state=0).fit(D.loc[D.columns])
    assert list(mds.labels_) == list(graph)
