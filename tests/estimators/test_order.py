"""A table whose rows and columns are in different orders: the map has the order of the rows."""

import numpy as np
import pandas as pd
import pytest

from tests.support.commands import run
from unimds import MDS, LandmarkMDS, place_center
from unimds.files import read
from unimds.models import load, save
from unimds.quality import stress_1
from unimds.report.subject import subject_of

ROWS, COLUMNS = list("dbeca"), list("abcde")
X = np.random.default_rng(0).normal(size=(5, 3))
TABLE = pd.DataFrame(np.linalg.norm(X[:, None] - X, axis=2), index=COLUMNS, columns=COLUMNS)
MIXED = TABLE.loc[ROWS]
IN_ORDER = TABLE.loc[ROWS, ROWS]


def fitted():
    with pytest.warns(UserWarning, match="the points of the map are in the order of the rows"):
        return MDS(metric="precomputed", random_state=0).fit(MIXED)


def test_the_map_and_its_labels_are_in_the_order_of_the_rows():
    mds = fitted()
    want = MDS(metric="precomputed", random_state=0).fit(IN_ORDER.to_numpy())
    np.testing.assert_array_equal(mds.embedding_, want.embedding_)
    np.testing.assert_array_equal(mds.dissimilarity_matrix_, IN_ORDER)
    assert mds.labels_.tolist() == mds.feature_names_in_.tolist() == ROWS
    out = MDS(metric="precomputed", random_state=0).set_output(transform="pandas")
    with pytest.warns(UserWarning, match="order of the rows"):
        assert out.fit_transform(MIXED).index.tolist() == ROWS


def test_functions_and_landmarks_have_the_same_order():
    with pytest.warns(UserWarning, match="order of the rows"):
        result = place_center(MIXED, random_state=0)
    np.testing.assert_array_equal(result.embedding, fitted().embedding_)
    with pytest.warns(UserWarning, match="order of the rows"):
        assert stress_1(MIXED, result.embedding) == pytest.approx(result.stress)
    with pytest.warns(UserWarning, match="order of the rows"):
        mds = LandmarkMDS(metric="precomputed", random_state=0).fit(MIXED)
    assert mds.labels_.tolist() == ROWS
    assert mds.stress_ == pytest.approx(result.stress)


def test_a_table_in_one_order_says_nothing(recwarn):
    MDS(metric="precomputed", random_state=0).fit(IN_ORDER)
    assert not recwarn.list


@pytest.mark.parametrize("given", [None, MIXED, TABLE, TABLE.loc[:, ROWS]], ids=range(4))
def test_a_report_has_the_order_of_the_map(given):
    subject = subject_of(fitted(), given, None)
    assert subject.labels == ROWS
    np.testing.assert_array_equal(subject.table.whole()[0][:, 0], IN_ORDER)


def test_new_points_are_placed_in_the_same_order(tmp_path):
    mds = fitted()
    save(mds, tmp_path / "m")
    want = mds.transform(IN_ORDER)
    np.testing.assert_allclose(want, mds.embedding_, atol=1e-3)
    for model in (mds, load(tmp_path / "m")):
        for new in (IN_ORDER, MIXED, IN_ORDER[COLUMNS[::-1]]):
            np.testing.assert_array_equal(model.transform(new), want)


def test_the_command_line_has_the_same_order(tmp_path):
    MIXED.to_csv(tmp_path / "t.csv")
    assert read(tmp_path / "t.csv").labels == ROWS
    said = run("embed", tmp_path / "t.csv", "-o", tmp_path / "m.csv", "--model", tmp_path / "m")
    assert said.code == 0, said.err
    points = pd.read_csv(tmp_path / "m.csv", index_col=0)
    assert points.index.tolist() == ROWS == load(tmp_path / "m").labels_.tolist()
    np.testing.assert_allclose(points, fitted().embedding_, atol=1e-6)
    said = run("place", tmp_path / "m", tmp_path / "t.csv", "-o", tmp_path / "p.csv")
    assert said.code == 0, said.err
    placed = pd.read_csv(tmp_path / "p.csv", index_col=0)
    np.testing.assert_allclose(placed, fitted().transform(IN_ORDER), atol=1e-6)
