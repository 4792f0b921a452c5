"""Variables fitted to a map: vegan's figures, least squares, and what may not matter."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import pdist, squareform
from scipy.stats import kstest

from tests.support.meadows import A1, COUNTS, MANAGEMENT, MOISTURE
from unimds import MDS, Sphere
from unimds.interpret import fit_properties, weighted_scores

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 2)) @ [[3.0, 0.5], [0.0, 1.0]] + [5.0, -2.0]
Y = X @ [0.5, -1.5] + RNG.normal(size=30)
GROUP = np.array(list("abc"))[RNG.integers(3, size=30)]


def turned(angle):
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


@pytest.fixture(scope="module")
def meadows():
    mds = MDS(2, level="ordinal", metric="braycurtis", random_state=0).fit(COUNTS)
    about = {"A1": A1, "Moisture": MOISTURE, "Management": MANAGEMENT}
    return mds, fit_properties(mds, about, random_state=0)


def test_the_meadows_have_the_figures_that_vegan_prints(meadows):
    """As envfit(metaMDS(dune) ~ A1 + Moisture + Management, dune.env)."""
    _, found = meadows
    r2 = {name: round(found[name].r2, 4) for name in ("A1", "Moisture", "Management")}
    assert r2 == {"A1": 0.3649, "Moisture": 0.5014, "Management": 0.4134}
    p = [found[name].p_value for name in r2]  # vegan has 0.014, 0.003 and 0.004, by chance
    assert p[0] < 0.04
    assert max(p[1:]) < 0.01


def test_centroids_and_directions_lie_as_vegan_prints_them(meadows):
    """The unit of vegan's map is another, and its axes are the principal ones."""
    _, found = meadows
    printed = np.array(
        [[-0.4534, -0.0102], [-0.2636, -0.1282], [0.2958, 0.5790], [0.1506, -0.4670]]
    )
    ours, theirs = pdist(found["Management"].centroids), pdist(printed)
    assert np.allclose(ours / ours[0], theirs / theirs[0], atol=0.003)
    axis = found["Management"].centroids[2] - found["Management"].centroids[0]
    other = printed[2] - printed[0]
    cosine = found["A1"].direction @ axis / np.linalg.norm(axis)
    assert cosine == pytest.approx([0.96474, 0.26322] @ other / np.linalg.norm(other), abs=0.003)


def test_a_vector_is_the_plane_of_least_squares():
    one = fit_properties(X, {"y": Y}, n_permutations=0)["y"]
    slope, rest = np.linalg.lstsq(np.column_stack([X, np.ones(30)]), Y, rcond=None)[:2]
    assert np.allclose(one.direction * one.slope, slope[:2])
    assert one.r2 == pytest.approx(1 - rest[0] / np.sum((Y - Y.mean()) ** 2))
    assert one.r2 == pytest.approx(np.corrcoef(X @ one.direction, Y)[0, 1] ** 2)
    assert np.allclose(one.arrow, one.direction * np.sqrt(one.r2))
    assert np.isnan(one.p_value)


def test_r2_of_groups_is_that_of_an_analysis_of_variance_of_distances():
    one = fit_properties(X, {"group": GROUP}, n_permutations=0)["group"]
    D2 = squareform(pdist(X)) ** 2
    inside = sum(D2[np.ix_(at, at)].sum() / at.sum() for at in (g == GROUP for g in "abc"))
    assert one.r2 == pytest.approx(1 - inside / (D2.sum() / 30))
    for level, centre in zip(one.levels, one.centroids, strict=True):
        assert np.allclose(centre, X[level == GROUP].mean(axis=0))


@given(st.floats(0.0, 6.3), st.floats(0.01, 100.0), st.floats(-50.0, 50.0))
def test_turning_a_map_turns_its_vectors_and_nothing_else(angle, size, shift):
    Q = turned(angle)
    about = {"y": Y, "group": GROUP}
    before = fit_properties(X, about, n_permutations=19, random_state=0)
    after = fit_properties(size * X @ Q + shift, about, n_permutations=19, random_state=0)
    assert np.allclose(after["y"].direction, before["y"].direction @ Q, atol=1e-6)
    assert after["y"].slope == pytest.approx(before["y"].slope / size)
    assert np.allclose(after["group"].centroids, size * before["group"].centroids @ Q + shift)
    for name in about:
        assert after[name].r2 == pytest.approx(before[name].r2)
        assert after[name].p_value == pytest.approx(before[name].p_value)


@given(st.floats(1e-6, 1e6), st.floats(-1e6, 1e6))
def test_the_unit_of_a_variable_does_not_matter(unit, shift):
    one = fit_properties(X, {"y": unit * Y + shift}, n_permutations=0)["y"]
    assert one.r2 == pytest.approx(fit_properties(X, {"y": Y}, n_permutations=0)["y"].r2, rel=1e-4)


def test_weights_count_points_several_times():
    times = RNG.integers(0, 4, size=30)
    about = {"y": Y, "group": GROUP}
    weighted = fit_properties(X, about, weights=times, n_permutations=0)
    at = np.repeat(np.arange(30), times)
    repeated = fit_properties(X[at], {"y": Y[at], "group": GROUP[at]}, n_permutations=0)
    assert weighted["y"].r2 == pytest.approx(repeated["y"].r2)
    assert np.allclose(weighted["y"].direction, repeated["y"].direction)
    assert weighted["group"].r2 == pytest.approx(repeated["group"].r2)
    assert np.allclose(weighted["group"].centroids, repeated["group"].centroids)


def test_a_missing_value_leaves_its_point_out_of_its_variable_only():
    holed = pd.DataFrame({"y": Y, "whole": Y, "group": GROUP})
    holed.loc[[3, 7], "y"] = np.nan
    holed.loc[5, "group"] = None
    found = fit_properties(X, holed, n_permutations=49, random_state=0)
    kept = np.setdiff1d(np.arange(30), [3, 7])
    alone = fit_properties(X[kept], {"y": Y[kept]}, n_permutations=49, random_state=0)
    assert found["y"].r2 == pytest.approx(alone["y"].r2)
    assert found["y"].p_value == alone["y"].p_value
    assert (found["y"].n, found["whole"].n, found["group"].n) == (28, 30, 29)
    assert "None" not in found["group"].levels


def test_a_p_value_does_not_depend_on_the_other_variables():
    noise = np.random.default_rng(5).normal(size=30)
    alone = fit_properties(X, {"z": noise}, random_state=3)["z"].p_value
    after = fit_properties(X, {"y": Y, "group": GROUP, "z": noise}, random_state=3)["z"].p_value
    assert alone == after


def test_frames_are_matched_by_label():
    names = [f"p{i}" for i in range(30)]
    frame = pd.DataFrame(X, names, ["x", "y"])
    about = pd.DataFrame({"y": Y, "group": GROUP}, names).iloc[::-1]
    there = fit_properties(frame, about, n_permutations=0)
    here = fit_properties(X, {"y": Y, "group": GROUP}, n_permutations=0)
    assert there["y"].r2 == here["y"].r2
    assert np.allclose(there["group"].centroids, here["group"].centroids)
    assert fit_properties(frame, about["y"], n_permutations=0)["y"].r2 == here["y"].r2


@pytest.mark.parametrize("kind", ["vector", "group"])
def test_p_values_are_uniform_without_structure(kind):
    rng = np.random.default_rng(7)
    found = []
    for _ in range(300):
        points = rng.normal(size=(15, 2))
        values = (
            rng.exponential(size=15) if kind == "vector" else rng.integers(3, size=15).astype(str)
        )
        found += [fit_properties(points, {"v": values}, n_permutations=199, random_state=rng)["v"]]
    assert kstest([one.p_value for one in found], "uniform").pvalue > 0.05


def test_weak_structure_is_found_more_often_than_chance():
    rng = np.random.default_rng(8)
    found = []
    for _ in range(60):
        points = rng.normal(size=(30, 2))
        values = points @ [0.6, 0.0] + rng.normal(size=30)
        one = fit_properties(points, {"v": values}, n_permutations=199, random_state=rng)
        found.append(one["v"].p_value)
    assert np.mean(np.array(found) <= 0.05) > 0.6


def test_strata_exchange_values_within_themselves_only():
    block = np.repeat(["a", "b", "c"], 10)
    shifted = np.repeat([0.0, 50.0, 100.0], 10)
    points = np.column_stack([shifted, np.zeros(30)]) + RNG.normal(size=(30, 2))
    values = shifted + np.random.default_rng(1).normal(size=30)  # only the blocks differ
    free = fit_properties(points, {"v": values}, n_permutations=199, random_state=0)
    within = fit_properties(points, {"v": values}, strata=block, n_permutations=199, random_state=0)
    assert free["v"].p_value == 0.005
    assert within["v"].p_value > 0.05
    assert free["v"].r2 == within["v"].r2


def test_a_constant_variable_explains_nothing():
    found = fit_properties(X, {"one": np.full(30, 3.7), "all": ["same"] * 30}, n_permutations=9)
    assert np.isnan([found["one"].r2, found["one"].p_value, found["all"].r2]).all()
    assert "nan" in repr(found)


def test_what_words_numbers_and_categories_are():
    order = pd.Categorical(GROUP, categories=["c", "b", "a"])
    about = pd.DataFrame({"n": np.arange(30), "yes": GROUP == "a", "level": order})
    about["nullable"] = pd.array([None, *range(29)], dtype="Int64")
    about["mixed"] = pd.Series([None, 1, 2.5] * 10, dtype=object)
    found = fit_properties(X, about, n_permutations=0)
    assert [one.name for one in found.vectors] == ["n", "nullable", "mixed"]
    assert found["level"].levels == ("c", "b", "a")
    assert found["yes"].levels == ("False", "True")
    assert (found["nullable"].n, found["mixed"].n) == (29, 20)


def test_the_table_has_a_row_for_each_direction_and_centroid(meadows):
    frame = meadows[1].to_frame()
    assert list(frame.columns) == ["variable", "level", "x", "y", "r2", "p_value", "points"]
    assert frame["level"].tolist() == ["", "1", "2", "4", "5", "BF", "HF", "NM", "SF"]
    text = repr(meadows[1])
    assert "0.3649" in text
    assert "Management SF" in text
    with pytest.raises(KeyError, match="no variable 'pH'; there are 'A1'"):
        meadows[1]["pH"]


@pytest.mark.parametrize(
    ("call", "error", "told"),
    [
        (lambda: fit_properties(X, {"y": Y[:5]}), ValueError, "30 points, but 'y' has 5"),
        (lambda: fit_properties(X[:3], {"y": Y[:3]}), ValueError, "3 points, and 4 are needed"),
        (lambda: fit_properties(X, {"y": Y}, weights=-Y), ValueError, "zero or more for each"),
        (lambda: fit_properties(X, {"y": Y}, strata=["a"]), ValueError, "strata has 1"),
        (lambda: fit_properties(X, {"y": Y}, n_permutations=-1), ValueError, "0 or more"),
        (lambda: fit_properties(X, {"y": np.full(30, np.inf)}), ValueError, "infinite; use NaN"),
        (lambda: fit_properties([1.0, 2.0], {"y": Y}), ValueError, "must be a map"),
        (
            lambda: fit_properties(np.eye(3), {"y": Y[:3]}, space=Sphere()),
            ValueError,
            "Sphere.*fit the map in Euclidean space.*color",
        ),
    ],
)
def test_what_cannot_be_is_an_error_that_says_what_to_do(call, error, told):
    with pytest.raises(error, match=told):
        call()


# --- species --------------------------------------------------------------------------------------


def test_a_species_is_at_the_mean_of_its_sites():
    points = np.random.default_rng(2).normal(size=(20, 2))
    found = weighted_scores(points, COUNTS)
    for j in range(30):
        assert np.allclose(found[j], np.average(points, axis=0, weights=COUNTS[:, j]))


def test_expanded_species_vary_as_much_as_the_sites():
    points = np.random.default_rng(2).normal(size=(20, 2))
    found = weighted_scores(points, COUNTS, expand=True)
    sites, species = COUNTS.sum(axis=1), COUNTS.sum(axis=0)
    for places, w in ((found, species), (points, sites)):
        centre = np.average(places, axis=0, weights=w)
        assert np.allclose(centre, np.average(points, axis=0, weights=sites))
        spread = np.average((places - centre) ** 2, axis=0, weights=w)
    assert np.allclose(spread, np.average((found - centre) ** 2, axis=0, weights=species))


def test_species_keep_their_names_and_may_be_absent():
    names = [f"m{i}" for i in range(20)]
    frame = pd.DataFrame(COUNTS, names, [f"s{j}" for j in range(30)]).assign(none=0.0)
    points = pd.DataFrame(np.random.default_rng(2).normal(size=(20, 2)), names)
    found = weighted_scores(points, frame.iloc[::-1])
    assert list(found.index) == list(frame.columns)
    assert list(found.columns) == ["x", "y"]
    assert found.loc["none"].isna().all()
    assert np.allclose(found.to_numpy()[:30], weighted_scores(points.to_numpy(), COUNTS))
    for wrong, told in ((COUNTS[:3], "each of the 20"), (-COUNTS, r"counts\[0, 0\] = -1")):
        with pytest.raises(ValueError, match=told):
            weighted_scores(points.to_numpy(), wrong)
