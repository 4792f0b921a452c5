"""Labels decide which number belongs to which point, whatever package they come from."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import xarray as xr
from skbio import DistanceMatrix

from unimds import MDS, IndividualDifferences, LandmarkMDS, MDSSearchCV, Unfolding, place_center
from unimds.constraints import LinearIn, OnLine, Regions
from unimds.dissimilarity import from_counts, from_flows, from_graph, from_similarities
from unimds.distances.joining import joined
from unimds.interpret import fit_properties, weighted_scores
from unimds.placecenter.new_points import place_points
from unimds.plots import plot_maps
from unimds.quality import align, linear_r2, point_stress, stress_1, total_cost
from unimds.report import report
from unimds.spaces import distances
from unimds.trust import jackknife

N = 6
RNG = np.random.default_rng(0)
POINTS = RNG.normal(size=(N, 2))
NAMES = list("fbadec")
ROWS, COLUMNS = np.array([3, 0, 5, 1, 4, 2]), np.array([5, 4, 0, 2, 3, 1])
NOISE = np.triu(RNG.uniform(size=(N, N)), 1)
D = pd.DataFrame(distances(POINTS) + NOISE + NOISE.T, NAMES, NAMES)
W = pd.DataFrame(1.0 + NOISE + NOISE.T, NAMES, NAMES)
QUICK = {"n_init": 1, "random_state": 0}
MDS_OF_D = MDS(metric="precomputed", **QUICK).fit(D)


def in_polars(frame):
    columns = {name: frame[name].to_numpy() for name in frame}
    return pl.DataFrame({"id": frame.index.tolist(), **columns})


PACKAGES = {
    "pandas": lambda frame: frame,
    "polars": in_polars,
    "Arrow": lambda frame: in_polars(frame).to_arrow(),
    "xarray": lambda frame: xr.DataArray(frame, dims=("i", "j")),
}
WEIGHED = {
    "MDS": lambda W: MDS(metric="precomputed", **QUICK).fit(D, weights=W).cost_,
    "MDS of polars": lambda W: (
        MDS(metric="precomputed", **QUICK).fit(in_polars(D), weights=W).cost_
    ),
    "place_center": lambda W: place_center(D, weights=W, **QUICK).cost,
    "place_center of polars": lambda W: place_center(in_polars(D), weights=W, **QUICK).cost,
    "jackknife": lambda W: jackknife(MDS_OF_D, D, weights=W).maps,
    "MDSSearchCV": lambda W: (
        MDSSearchCV(MDS_OF_D, {"n_components": [1]}, cv=3, random_state=0)
        .fit(D, weights=W)
        .cv_results_["mean_test_score"]
    ),
    "total_cost": lambda W: total_cost(MDS_OF_D, weights=W),
    "stress_1": lambda W: stress_1(D, MDS_OF_D, weights=W),
    "linear_r2": lambda W: linear_r2(D, MDS_OF_D, weights=W),
    "point_stress": lambda W: point_stress(D, MDS_OF_D, weights=W),
}


@pytest.mark.sample(14)
@pytest.mark.filterwarnings("ignore:the rows and the columns")
@pytest.mark.parametrize("package", PACKAGES)
@pytest.mark.parametrize("use", WEIGHED)
def test_weights_are_matched_by_label(use, package):
    mixed = PACKAGES[package](W.iloc[ROWS, COLUMNS])
    np.testing.assert_allclose(WEIGHED[use](mixed), WEIGHED[use](W))


MADE = {
    "from_similarities": from_similarities,
    "from_flows": from_flows,
    "from_graph": lambda table: from_graph(table, weight="weight"),
}


@pytest.mark.filterwarnings("ignore:the rows and the columns")
@pytest.mark.parametrize("package", PACKAGES)
@pytest.mark.parametrize("make", MADE)
def test_what_dissimilarities_are_made_of_is_matched_by_label(make, package):
    likeness = W.round(1)
    made = MADE[make](PACKAGES[package](likeness.iloc[ROWS, COLUMNS]))
    assert list(made.index) == list(made.columns) == [NAMES[i] for i in ROWS]
    pd.testing.assert_frame_equal(made.loc[NAMES, NAMES], MADE[make](likeness))


@pytest.mark.parametrize("package", PACKAGES)
def test_sites_keep_the_labels_of_every_package(package):
    counts = pd.DataFrame([[3, 0], [1, 2], [0, 5]], ["fen", "wood", "heath"], ["ant", "bee"])
    assert list(from_counts(PACKAGES[package](counts)).index) == ["fen", "wood", "heath"]


def test_a_table_may_be_labelled_on_one_side_only():
    some = D.iloc[ROWS, ROWS]
    names = [NAMES[i] for i in ROWS]
    columns = pl.DataFrame({name: some[name].to_numpy() for name in names})
    sides = [columns, columns.to_arrow()]
    sides += [xr.DataArray(some.to_numpy(), {dim: names}, ("i", "j")) for dim in "ij"]
    for table in sides:
        assert list(from_similarities(table).index) == names
        np.testing.assert_allclose(WEIGHED["MDS"](table), WEIGHED["MDS"](D))


TABLES = {"first": D, "second": D + 0.1 * (1.0 - np.eye(N))}
RATED = pd.DataFrame(RNG.uniform(1.0, 3.0, size=(N, 3)), NAMES, list("xyz"))
HEAVY = pd.DataFrame(RNG.uniform(1.0, 3.0, size=(N, 3)), NAMES, list("xyz"))


@pytest.mark.parametrize("package", PACKAGES)
def test_weights_of_several_tables_and_of_ratings_are_matched_by_label(package):
    several = IndividualDifferences(**QUICK)
    mixed = PACKAGES[package](W.iloc[ROWS, COLUMNS])
    expected = several.fit(TABLES, weights=[2.0 * W, W]).cost_
    given = {"second": mixed, "first": 2.0 * W}
    assert several.fit(TABLES, weights=given).cost_ == pytest.approx(expected)
    rated = Unfolding(**QUICK)
    expected = rated.fit(RATED, weights=HEAVY).cost_
    for table in (RATED, in_polars(RATED)):
        heavy = PACKAGES[package](HEAVY.iloc[ROWS, ::-1])
        assert rated.fit(table, weights=heavy).cost_ == pytest.approx(expected)


@pytest.mark.parametrize(
    ("names", "says"),
    [
        (["first"], "no weights for the table 'second'"),
        (["first", "second", "third"], "weights for the table 'third'"),
    ],
)
def test_weights_of_other_tables_are_named(names, says):
    with pytest.raises(ValueError, match=says):
        IndividualDifferences(**QUICK).fit(TABLES, weights=dict.fromkeys(names, W))


@pytest.mark.sample(2)
@pytest.mark.parametrize("package", PACKAGES)
def test_variables_and_groups_of_constraints_are_matched_by_label(package):
    mds = MDS(metric="precomputed", **QUICK)
    variables = pd.DataFrame(POINTS, NAMES, ["u", "v"])
    expected = mds.fit(D, constraints=LinearIn(variables)).cost_
    mixed = PACKAGES[package](variables.iloc[ROWS])
    assert mds.fit(D, constraints=LinearIn(mixed)).cost_ == pytest.approx(expected)
    groups = pd.Series(list("uvuvuv"), NAMES)
    expected = mds.fit(D, constraints=Regions(groups)).cost_
    mixed = xr.DataArray(groups.iloc[ROWS], dims="site")
    assert mds.fit(D, constraints=Regions(mixed)).cost_ == pytest.approx(expected)


def test_a_whole_number_names_no_place_where_points_are_named_by_whole_numbers():
    years = D.set_axis(range(2000, 2006)).set_axis(range(2000, 2006), axis=1)
    with pytest.raises(ValueError, match="OnLine: 1 is no point of the table"):
        MDS(metric="precomputed", **QUICK).fit(years, constraints=OnLine([1, 2, 3]))


NEW = {
    "pandas": lambda frame: frame,
    "polars": in_polars,
    "xarray": lambda frame: xr.DataArray(
        frame.to_numpy(), {"point": list(frame.columns)}, ("new", "point")
    ),
    "Arrow": lambda frame: pa.table({name: frame[name].to_numpy() for name in frame}),
}


@pytest.mark.parametrize("package", NEW)
@pytest.mark.parametrize("kind", [MDS, LandmarkMDS])
def test_distances_of_new_points_are_matched_by_label(kind, package):
    mds = kind(metric="precomputed", **QUICK).fit(D)
    new = D.iloc[:2] + 0.1
    placed = mds.transform(NEW[package](new.iloc[:, COLUMNS]))
    np.testing.assert_allclose(placed, mds.transform(new))
    points = pd.DataFrame(mds.embedding_, NAMES)
    alone = place_points(NEW[package](new.iloc[:, COLUMNS]), points)
    np.testing.assert_allclose(alone, place_points(new, points))


def test_ids_of_scikit_bio_lead_new_points_to_the_map():
    mixed = [NAMES[i] for i in ROWS]
    new = DistanceMatrix(np.ascontiguousarray(D.loc[mixed, mixed]), mixed)
    placed = pd.DataFrame(MDS_OF_D.transform(new), mixed)
    np.testing.assert_allclose(placed.loc[NAMES], MDS_OF_D.transform(D))


ABOUT = pd.DataFrame({"height": RNG.normal(size=N), "side": list("xyxyxy")}, NAMES)
VALUES = {
    "pandas": lambda frame: frame,
    "polars": in_polars,
    "Arrow": lambda frame: in_polars(frame).to_arrow(),
    "xarray": lambda frame: xr.DataArray(frame, dims=("site", "variable")),
}


@pytest.mark.parametrize("package", VALUES)
def test_outside_variables_are_matched_by_label(package):
    mixed = VALUES[package](ABOUT[["height"]].iloc[ROWS])
    found = fit_properties(MDS_OF_D, mixed, n_permutations=0)
    expected = fit_properties(MDS_OF_D, ABOUT[["height"]], n_permutations=0)
    assert found.vectors[0].name == "height"
    assert found.vectors[0].r2 == pytest.approx(expected.vectors[0].r2, abs=1e-12)
    counts = ABOUT[["height"]].abs()
    scores = weighted_scores(MDS_OF_D, VALUES[package](counts.iloc[ROWS]))
    np.testing.assert_allclose(scores, weighted_scores(MDS_OF_D, counts))
    page = report(MDS_OF_D, columns=VALUES[package](ABOUT.iloc[ROWS]))
    if package != "xarray":  # which holds numbers, or words
        assert page == report(MDS_OF_D, columns=ABOUT)


def test_single_columns_are_matched_by_label():
    height = ABOUT["height"].iloc[ROWS]
    for values in (height, dict(height), xr.DataArray(height, dims="site")):
        assert list(joined(values, "color", NAMES)) == ABOUT["height"].tolist()
    bare = ABOUT["height"].to_numpy()
    for values in (pl.Series("height", bare), pa.array(bare), pa.chunked_array([bare])):
        assert list(joined(values, "color", NAMES)) == bare.tolist()


def test_what_is_masked_has_no_value():
    masked = np.ma.masked_array([1, 2, 3], mask=[False, True, False])
    assert list(joined(masked, "color", None)) == [1, None, 3]


def test_several_maps_are_matched_by_label():
    other = MDS(metric="precomputed", **QUICK).fit(D.iloc[ROWS, ROWS])
    first, second = plot_maps([MDS_OF_D, other], labels=False)
    here, there = (ax.collections[0].get_offsets() for ax in (first, second))
    np.testing.assert_allclose(here, there, atol=1e-6)
    np.testing.assert_allclose(
        align(other, MDS_OF_D)[np.argsort(ROWS)], MDS_OF_D.embedding_, atol=1e-6
    )
    renamed = D.rename({"f": "g"}).rename({"f": "g"}, axis=1)
    with pytest.raises(ValueError, match="map '2' has no row for 'f' of the 6 points"):
        plot_maps([MDS_OF_D, MDS(metric="precomputed", **QUICK).fit(renamed)])


@pytest.mark.filterwarnings("ignore:the rows and the columns")
@pytest.mark.parametrize("package", PACKAGES)
def test_a_finished_map_is_judged_by_distances_matched_by_label(package):
    mixed = PACKAGES[package](D.iloc[ROWS, COLUMNS])
    assert stress_1(mixed, MDS_OF_D) == pytest.approx(MDS_OF_D.stress_)
