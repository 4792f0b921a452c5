"""Frames of polars, Arrow and pandas, and arrays of xarray: features or distances, with names."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import xarray as xr

from tests.support.tables import FRAME, LABELS, POINTS, D, N
from unimds import (
    MDS,
    DistributionEmbedding,
    HellingerMap,
    LandmarkMDS,
    Unfolding,
    place_center,
    place_points,
)
from unimds.quality import stress_1
from unimds.tables.individual import IndividualDifferences

QUICK = {"n_init": 1, "random_state": 0}
FEATURES = pd.DataFrame(POINTS, index=LABELS, columns=["height", "width"])
NAMED = FEATURES.rename_axis("site").reset_index()
SQUARE = FRAME.rename_axis("site").reset_index()

WITHOUT_INDEX = {"polars": pl.from_pandas, "arrow": pa.Table.from_pandas}
without_index = pytest.mark.parametrize("made", WITHOUT_INDEX.values(), ids=list(WITHOUT_INDEX))


def plain(X, **options):
    return MDS(**QUICK, **options).fit_transform(X)


@without_index
@pytest.mark.parametrize("kind", [MDS, LandmarkMDS])
def test_a_column_of_distinct_texts_names_the_points(made, kind):
    mds = kind(**QUICK).fit(made(NAMED))
    np.testing.assert_array_equal(mds.embedding_, kind(**QUICK).fit_transform(POINTS))
    assert mds.labels_.tolist() == LABELS
    assert mds.feature_names_in_.tolist() == ["height", "width"]
    turned = made(NAMED[["width", "site", "height"]].head(2))
    placed = mds.transform(turned)
    np.testing.assert_array_equal(placed, mds.transform(FEATURES.head(2)))


@without_index
def test_frames_without_names(made):
    mds = MDS(**QUICK).fit(made(FEATURES.reset_index(drop=True)))
    assert mds.labels_ is None
    np.testing.assert_array_equal(mds.embedding_, plain(POINTS))


@without_index
def test_distances_in_a_frame_are_matched_by_name(made):
    expected = plain(D, metric="precomputed")
    order = [*LABELS[::-1], "site"]
    for table in (SQUARE, SQUARE[order], FRAME.reset_index(drop=True)):
        mds = MDS(metric="precomputed", **QUICK).fit(made(table))
        np.testing.assert_array_equal(mds.embedding_, expected)
        assert mds.labels_.tolist() == LABELS
        placed = mds.transform(made(SQUARE[order].head(2)))
        np.testing.assert_array_equal(placed, mds.transform(FRAME.head(2)))
    table = made(SQUARE[order])
    np.testing.assert_array_equal(place_center(table, **QUICK).embedding, expected)
    assert stress_1(table, expected) == stress_1(D, expected)
    unnamed = pl.DataFrame(D)  # polars calls the columns column_0, column_1 and so on
    assert MDS(metric="precomputed", **QUICK).fit(unnamed).labels_ is None


@without_index
def test_missing_numbers_of_a_frame(made):
    holes = SQUARE.copy()
    holes.loc[0, "c"] = holes.loc[2, "a"] = np.nan
    mds = MDS(metric="precomputed", **QUICK).fit(made(holes))
    assert np.isnan(mds.dissimilarity_matrix_[0, 2])
    gaps = NAMED.copy()
    gaps.loc[1, "width"] = np.nan
    with pytest.raises(ValueError, match=r"X contains NaN.*nan_euclidean"):
        MDS().fit(made(gaps))


def test_null_in_polars_is_missing():
    table = pl.from_pandas(SQUARE).with_columns(
        pl.when(pl.col("site") == "b").then(None).otherwise(pl.col("a")).alias("a"),
        pl.when(pl.col("site") == "a").then(None).otherwise(pl.col("b")).alias("b"),
    )
    mds = MDS(metric="precomputed", **QUICK).fit(table)
    assert np.isnan(mds.dissimilarity_matrix_[[0, 1], [1, 0]]).all()


@without_index
def test_columns_that_are_no_numbers(made):
    with pytest.raises(ValueError, match=r"not of numbers, 'kind': drop it"):
        MDS().fit(made(NAMED.assign(kind=list("xxyyzz"))))
    twice = NAMED.assign(site=["a", "a", *LABELS[2:]])
    with pytest.raises(ValueError, match=r"not of numbers, 'site'.*distinct texts"):
        MDS().fit(made(twice))
    other = SQUARE.rename(columns={"c": "z"})
    with pytest.raises(ValueError, match=r"'c' is a row, but not a column"):
        MDS(metric="precomputed").fit(made(other))


def test_a_query_of_polars_must_be_run():
    with pytest.raises(TypeError, match=r"LazyFrame of polars, .*X\.collect\(\)"):
        MDS().fit(pl.from_pandas(NAMED).lazy())


def test_several_frames_and_a_rectangle():
    tables = [pl.from_pandas(SQUARE), pl.from_pandas(SQUARE.iloc[::-1])]
    both = IndividualDifferences(**QUICK).fit(tables)
    assert both.labels_.tolist() == LABELS
    same = IndividualDifferences(**QUICK).fit([FRAME, FRAME])
    np.testing.assert_allclose(both.embedding_, same.embedding_, atol=1e-6)
    rectangle = FRAME.iloc[:4, 2:]
    rows = Unfolding(**QUICK).fit(pl.from_pandas(rectangle.rename_axis("who").reset_index()))
    assert (rows.labels_.tolist(), rows.column_labels_.tolist()) == (LABELS[:4], LABELS[2:])


# --- xarray -------------------------------------------------------------------------------------


def labelled(values, rows=None, columns=None):
    coords = {name: at for name, at in (("row", rows), ("col", columns)) if at is not None}
    return xr.DataArray(values, dims=("row", "col"), coords=coords)


def test_coordinates_are_labels():
    mds = MDS(**QUICK).fit(labelled(POINTS, LABELS, ["height", "width"]))
    assert mds.labels_.tolist() == LABELS
    assert mds.feature_names_in_.tolist() == ["height", "width"]
    np.testing.assert_array_equal(mds.embedding_, plain(POINTS))
    bare = MDS(**QUICK).fit(labelled(POINTS))
    assert bare.labels_ is None
    assert MDS(**QUICK).fit(labelled(POINTS, LABELS)).labels_.tolist() == LABELS


def test_distances_of_xarray_are_matched_by_coordinate():
    expected = plain(D, metric="precomputed")
    turned = labelled(D[:, ::-1], LABELS, LABELS[::-1])
    with pytest.warns(UserWarning, match="in different orders"):
        mds = MDS(metric="precomputed", **QUICK).fit(turned)
    assert mds.labels_.tolist() == LABELS
    np.testing.assert_array_equal(mds.embedding_, expected)
    for table in (labelled(D, LABELS), labelled(D, None, LABELS)):
        assert MDS(metric="precomputed", **QUICK).fit(table).labels_.tolist() == LABELS
    placed = mds.transform(labelled(D[:2, ::-1], ["x", "y"], LABELS[::-1]))
    np.testing.assert_array_equal(placed, mds.transform(FRAME.head(2)))
    same = place_center(labelled(D, LABELS, LABELS), **QUICK)
    np.testing.assert_array_equal(same.embedding, expected)


def test_weights_of_xarray_are_matched_by_coordinate():
    W = np.arange(1.0, N * N + 1).reshape(N, N)
    W = W + W.T
    mds = MDS(metric="precomputed", **QUICK).fit(FRAME, weights=W)
    order = LABELS[::-1]
    given = labelled(W[::-1, ::-1], order, order)
    other = MDS(metric="precomputed", **QUICK).fit(FRAME, weights=given)
    np.testing.assert_array_equal(other.embedding_, mds.embedding_)


def test_other_shapes_of_xarray():
    stack = xr.DataArray(np.stack([D, D]), dims=("subject", "row", "col"))
    with pytest.raises(ValueError, match="stack of 2 tables"):
        MDS(metric="precomputed").fit(stack)
    assert IndividualDifferences(**QUICK).fit(stack).embedding_.shape == (N, 2)
    condensed = xr.DataArray(D[np.triu_indices(N, 1)], dims="pair")
    np.testing.assert_array_equal(
        plain(condensed, metric="precomputed"), plain(D, metric="precomputed")
    )
    with pytest.raises(TypeError, match=r"a Dataset of xarray, .*give one of 'apart'"):
        MDS().fit(xr.Dataset({"apart": labelled(D)}))


# --- pandas -------------------------------------------------------------------------------------


def test_an_index_of_two_levels_names_points_by_pairs():
    index = pd.MultiIndex.from_product([["x", "y"], [1, 2, 3]])
    mds = MDS(metric="precomputed", **QUICK).fit(pd.DataFrame(D, index=index, columns=index))
    assert mds.labels_.tolist() == [("x", 1), ("x", 2), ("x", 3), ("y", 1), ("y", 2), ("y", 3)]


# --- what comes out -----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [MDS, LandmarkMDS])
def test_maps_come_out_as_frames(kind):
    expected = kind(**QUICK).fit_transform(POINTS)
    names = [f"{kind.__name__.lower()}0", f"{kind.__name__.lower()}1"]
    frame = kind(**QUICK).set_output(transform="pandas").fit_transform(FEATURES)
    pd.testing.assert_frame_equal(frame, pd.DataFrame(expected, LABELS, names))
    mds = kind(**QUICK).set_output(transform="polars")
    found = mds.fit_transform(pl.from_pandas(NAMED))
    assert isinstance(found, pl.DataFrame)
    assert found.columns == names == mds.get_feature_names_out().tolist()
    np.testing.assert_array_equal(found.to_numpy(), expected)
    assert mds.transform(pl.from_pandas(NAMED)).columns == names


def test_frames_go_into_maps_of_distributions_and_functions_of_new_points():
    counts = NAMED.assign(height=[3, 1, 4, 1, 5, 9], width=[2, 6, 5, 3, 5, 8], depth=1)
    plain = HellingerMap().fit_transform(counts.drop(columns="site").to_numpy())
    np.testing.assert_array_equal(HellingerMap().fit_transform(pl.from_pandas(counts)), plain)
    few = DistributionEmbedding(1, method="jl", random_state=0).fit(pl.from_pandas(counts))
    assert few.labels_.tolist() == LABELS
    new = pl.from_pandas(SQUARE[["site", *LABELS[::-1]]].head(2))
    at = pd.DataFrame(POINTS, index=LABELS)
    np.testing.assert_array_equal(place_points(new, at), place_points(D[:2], POINTS))


def test_columns_of_arrow_have_different_names():
    twice = pa.table([[0.0, 1.0], [1.0, 0.0]], names=["a", "a"])
    for estimator in (MDS(), MDS(metric="precomputed")):
        with pytest.raises(ValueError, match="several columns called 'a': rename or drop them"):
            estimator.fit(twice)


def test_a_frame_without_columns_has_no_features():
    with pytest.raises(ValueError, match="X has no columns"):
        MDS().fit(pd.DataFrame(index=range(4)))


def test_distributions_are_numbers():
    words = pd.DataFrame({"x": [0.5, 0.5], "y": [0.5, 0.5], "site": ["fen", "wood"]})
    with pytest.raises(ValueError, match="X has a column of text, 'site'"):
        DistributionEmbedding().fit(words)
