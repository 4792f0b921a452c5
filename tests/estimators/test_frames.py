"""Frames of features: what is wrong with one is said in its own words, and columns go by name."""

import warnings

import numpy as np
import pandas as pd
import pytest

from unimds import MDS, LandmarkMDS
from unimds.distances.metric import EmptyRowsWarning
from unimds.files import Table
from unimds.models import load, save
from unimds.quality import align, point_stress, recovery_error
from unimds.report import report

SITES = [f"W{i}" for i in range(8)]
COUNTS = pd.DataFrame(
    np.random.default_rng(0).poisson(3.0, size=(8, 4)) + 1.0, SITES, ["ant", "bee", "cat", "dog"]
)


def test_missing_features_are_told_in_our_own_words():
    holed = COUNTS.copy()
    holed.loc["W2", "bee"] = np.nan
    with pytest.raises(ValueError, match=r"X contains NaN \(row 'W2', column 'bee'\).*fillna"):
        MDS().fit(holed)
    with pytest.raises(ValueError, match=r"X contains NaN \(X\[2, 1\]\).*nan_euclidean"):
        LandmarkMDS().fit(holed.to_numpy())
    MDS(metric="nan_euclidean", n_init=1, random_state=0).fit(holed)


def test_a_column_of_text_is_named():
    with pytest.raises(ValueError, match="X has a column of text, 'habitat', and features are"):
        MDS().fit(COUNTS.assign(habitat="wet"))
    MDS(n_init=1, random_state=0).fit(COUNTS.astype(object))


def test_a_table_of_a_file_is_its_frame():
    table = Table(COUNTS.to_numpy(), "points", "csv", "rows", SITES, features=[*COUNTS])
    mds, frame = (MDS(n_init=1, random_state=0).fit(X) for X in (table, table.to_frame()))
    np.testing.assert_array_equal(mds.embedding_, frame.embedding_)
    assert mds.labels_.tolist() == frame.labels_.tolist() == SITES


@pytest.mark.parametrize("kind", [MDS, LandmarkMDS])
def test_columns_of_new_points_go_by_name(kind):
    mds = kind(random_state=0).fit(COUNTS)
    new = COUNTS.iloc[:3] + 0.5
    np.testing.assert_array_equal(mds.transform(new[new.columns[::-1]]), mds.transform(new))
    with pytest.raises(ValueError, match="feature names"):
        mds.transform(new.rename(columns={"ant": "gnu"}))


@pytest.mark.parametrize("metric", ["braycurtis", "cosine", "jaccard", "dice"])
def test_an_empty_row_is_warned_of_in_the_fit_in_new_points_and_in_the_report(metric):
    empty = (COUNTS > 3.0).astype(float)
    empty["ant"] = 1.0
    empty.loc["W3"] = 0.0
    with pytest.warns(EmptyRowsWarning, match=r"a row is empty \(all zeros\) \(X\[3\]\)"):
        mds = MDS(metric=metric, random_state=0, n_init=1).fit(empty)
    with pytest.warns(EmptyRowsWarning, match=r"X\[0\]"):
        mds.transform(empty.loc[["W3"]])
    assert f"W3 is empty (all zeros): by {metric}, an empty point" in report(mds)
    full = empty.drop(index="W3")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "is empty (all zeros)" not in report(
            MDS(metric=metric, random_state=0, n_init=1).fit(full)
        )


def test_amounts_under_a_metric_of_presence_are_told_once_and_in_our_own_words():
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        mds = MDS(metric="jaccard", random_state=0, n_init=1).fit(COUNTS)
        mds.transform(COUNTS)
    texts = [str(one.message) for one in said]
    assert sum("compares presence and absence" in text for text in texts) == 1
    assert not any("converted to boolean" in text for text in texts)
    present = COUNTS > 3.0
    present["ant"] = True
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        one = MDS(metric="jaccard", random_state=0, n_init=1).fit(present.astype(float))
        MDS(metric="jaccard", random_state=0, n_init=1).fit(present)
    rows = present.to_numpy()
    both = (rows[:, None] & rows).sum(axis=2) / (rows[:, None] | rows).sum(axis=2)
    np.testing.assert_allclose(one.dissimilarity_matrix_, 1.0 - both)


def test_maps_are_aligned_as_estimators():
    one, other = (MDS(random_state=seed, n_init=1).fit(COUNTS) for seed in (0, 1))
    np.testing.assert_array_equal(align(one, other), align(one.embedding_, other.embedding_))
    assert recovery_error(one, other) == recovery_error(one.embedding_, other.embedding_)
    ball = MDS(space="sphere", random_state=0, n_init=1).fit(COUNTS / 20.0)
    expected = align(ball.embedding_, ball.embedding_[:, ::-1], space=ball.space_)
    np.testing.assert_array_equal(align(ball, ball.embedding_[:, ::-1]), expected)


def test_a_loaded_map_says_that_it_keeps_no_distances(tmp_path):
    save(MDS(random_state=0, n_init=1).fit(COUNTS), tmp_path / "m")
    mds = load(tmp_path / "m")
    with pytest.raises(ValueError, match=r"D is None: .* give the table that the map was made of"):
        point_stress(mds.dissimilarity_matrix_, mds)


def test_a_report_opens_with_the_chosen_column():
    mds = MDS(random_state=0, n_init=1).fit(COUNTS)
    page = report(mds, columns={"ant": COUNTS["ant"], "kind": ["a", "b"] * 4}, color="kind")
    assert page.index('"name":"kind"') < page.index('"name":"ant"')
    with pytest.raises(ValueError, match="color='knd' is not among the columns: 'ant'"):
        report(mds, columns={"ant": COUNTS["ant"]}, color="knd")
