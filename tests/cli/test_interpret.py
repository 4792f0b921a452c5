"""Dissimilarities, properties, two maps, drift and species on the command line."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.support.commands import ONE_START, names, run
from tests.support.meadows import A1, MANAGEMENT, MOISTURE
from unimds.dissimilarity import METHODS, from_confusions
from unimds.interpret import drift_vectors, fit_properties, procrustes_test, weighted_scores

LABELS = [f"m{i}" for i in range(20)]
X = np.random.default_rng(0).normal(size=(20, 2))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a folder with a map, another, what is known of the points, and some tables."""
    monkeypatch.chdir(tmp_path)
    points = pd.DataFrame(X, LABELS, ["x", "y"])
    points.to_csv("map.csv", index_label="label")
    turned = points @ pd.DataFrame([[0.0, 2.0], [2.0, 0.0]], ["x", "y"], ["x", "y"])
    turned.iloc[::-1].iloc[:18].to_csv("other.csv", index_label="label")
    about = pd.DataFrame({"A1": A1, "Moisture": MOISTURE, "Management": MANAGEMENT}, LABELS)
    about.iloc[::-1].to_csv("about.csv", index_label="site")
    letters = list("abcd")
    C = np.array([[88, 9, 2, 1], [12, 80, 6, 2], [3, 7, 79, 11], [1, 2, 14, 83]])
    pd.DataFrame(C, letters, letters).to_csv("confusions.csv")
    return tmp_path


def frame(file):
    return pd.read_csv(file, index_col=0, float_precision="round_trip")


# --- dissimilarity --------------------------------------------------------------------------------


def test_confusions_become_distances_that_embed_takes(folder):
    said = run("dissimilarity", "confusions.csv", "--from", "confusions", "-o", "d.csv")
    assert (said.code, said.err) == (0, "4 points. Written: d.csv\n")
    expected = from_confusions(frame("confusions.csv"))
    assert np.allclose(frame("d.csv"), expected)
    assert list(frame("d.csv").index) == list("abcd")
    assert run("embed", "d.csv", *ONE_START, "--quiet").code == 0
    printed = run("dissimilarity", "confusions.csv", "--from", "confusions", "--method", "shepard")
    assert printed.out.startswith(",a,b,c,d\na,0.0,2.0")


@pytest.mark.parametrize("source", METHODS)
def test_every_kind_of_data_has_its_function(folder, source):
    R = np.array([[1.0, 0.5, 0.2], [0.5, 1.0, 0.3], [0.2, 0.3, 1.0]])
    pd.DataFrame(R).to_csv("bare.csv", index=False, header=["p", "q", "r"])  # columns have names
    said = run("dissimilarity", "bare.csv", "--from", source, "--json", "-o", "d.csv")
    assert said.code == 0, said.err
    told = json.loads(said.out)
    assert (told["from"], told["points"], told["missing"]) == (source, 3, 0)
    assert frame("d.csv").shape == (3, 3)


@pytest.mark.parametrize(
    "text",
    [
        "a,1\nb,.5,1\nc,-.2,.3,1\n",
        "a\nb .5\nc -.2 .3\n",
        ",a,b,c\na,1\nb,.5,1\nc,-.2,.3,1\n",
        "a,1,.5,-.2\nb,1,.3\nc,1\n",
    ],
)
def test_a_triangle_of_correlations_is_half_of_a_square(folder, text):
    Path("half.csv").write_text(text)
    said = run("dissimilarity", "half.csv", "--from", "correlations", "--method", "linear")
    assert said.code == 0, said.err
    Path("d.csv").write_text(said.out)
    wanted = [[0.0, 0.5, 1.2], [0.5, 0.0, 0.7], [1.2, 0.7, 0.0]]
    assert np.allclose(frame("d.csv"), wanted)
    assert list(frame("d.csv").columns) == list("abc")


@pytest.mark.parametrize(
    ("text", "source"),
    [
        (",a,b,c\na,1,.5,.2\nb,.5,1,.3\nc,.2,.3,1\n", "correlations"),
        ("a,1\nb,.5,1\nc,-.2,.3,1\n", "correlations"),
        (",a,b,c\na,7,5,2\nb,5,7,3\nc,2,3,7\n", "similarities"),
        (",a,b,c\na,70,5,2\nb,9,81,3\nc,2,7,77\n", "confusions"),
    ],
)
def test_embed_names_the_command_that_makes_distances(folder, text, source):
    Path("like.csv").write_text(text)
    said = run("embed", "like.csv", *ONE_START)
    assert said.code == 1
    assert f"unimds dissimilarity --from {source}, does it" in said.err


def test_a_pair_that_is_infinitely_far_is_left_empty_and_told(folder):
    holed = frame("confusions.csv")
    holed.loc["a", "d"] = 0
    holed.to_csv("holed.csv")
    said = run("dissimilarity", "holed.csv", "--from", "confusions", "-o", "d.csv", "--json")
    told = json.loads(said.out)
    assert told["missing"] == 1
    assert "1 pair is infinitely far" in told["warnings"][0]
    assert run("embed", "d.csv", *ONE_START, "--quiet").code == 0


@pytest.mark.parametrize(
    ("more", "code", "told"),
    [
        (["--from", "corelations"], 2, "did you mean correlations?"),
        (["--from", "correlations", "--method", "x"], 2, "use one of 'chord'"),
        (["--from", "correlations"], 1, "confusions.csv: R['a', 'a'] = 88 is no correlation"),
        ([], 2, "--from"),
    ],
)
def test_what_cannot_be_dissimilarities(folder, more, code, told):
    said = run("dissimilarity", "confusions.csv", *more)
    assert said.code == code
    assert told in said.err


def test_a_table_that_is_not_square_is_refused(folder):
    said = run("dissimilarity", "map.csv", "--from", "correlations")
    assert said.code == 1
    assert "20 rows and 2 columns of numbers, and a square table is needed" in said.err


# --- fit-properties -------------------------------------------------------------------------------


def test_properties_are_those_of_the_library(folder):
    about = {"A1": A1, "Moisture": np.array(MOISTURE, dtype=float), "Management": MANAGEMENT}
    expected = fit_properties(X, about, random_state=0)
    said = run("fit-properties", "map.csv", "--metadata", "about.csv")
    assert said.code == 0, said.err
    assert said.out == f"{expected}\n"
    told = json.loads(run("fit-properties", "map.csv", "--metadata", "about.csv", "--json").out)
    assert told["properties"] == list(expected.rows())


def test_properties_in_a_table_and_a_picture(folder):
    more = ["-o", "out.csv", "--plot", "p.png", "--permutations", "9", "--title", "T"]
    said = run("fit-properties", "map.csv", "--metadata", "about.csv", *more)
    assert said.err == "Written: out.csv, p.png\n"
    assert said.out == ""
    written = frame("out.csv")
    assert written.loc["A1", "r2"] == fit_properties(X, {"A1": A1}, n_permutations=0)["A1"].r2
    assert set(written.loc["Management", "level"]) == {"BF", "HF", "NM", "SF"}
    assert {"out.csv", "p.png"} <= set(names(folder))


def test_columns_of_the_map_and_groups_of_numbers(folder):
    points = frame("map.csv").assign(point_stress=0.05, A1=A1, plot=[1, 2] * 10, word=MANAGEMENT)
    points.to_csv("rich.csv", index_label="label")
    found = run("fit-properties", "rich.csv", "--groups", "plot", "--permutations", "0", "--json")
    seen = {row["variable"]: row["level"] for row in json.loads(found.out)["properties"]}
    assert seen == {"A1": "", "plot": "2", "word": "SF"}
    some = run("fit-properties", "rich.csv", "--drop", "plot,word", "--json", "--permutations", "0")
    assert [row["variable"] for row in json.loads(some.out)["properties"]] == ["A1"]
    blocks = run("fit-properties", "rich.csv", "--strata", "word", "--columns", "A1", "--json")
    strata = {"strata": MANAGEMENT, "random_state": 0}
    expected = fit_properties(X, {"A1": A1}, **strata)["A1"].p_value
    assert json.loads(blocks.out)["properties"][0]["p_value"] == expected


def test_a_model_is_a_map_too(folder):
    run("embed", "map.csv", "--model", "m.unimds", "-o", "again.csv", *ONE_START, "--quiet")
    more = ["--metadata", "about.csv", "--columns", "A1", "--json", "--permutations", "0"]
    told = [json.loads(run("fit-properties", m, *more).out) for m in ("m.unimds", "again.csv")]
    one, other = (found["properties"][0]["r2"] for found in told)
    assert one == pytest.approx(other)


@pytest.mark.parametrize(
    ("line", "code", "told"),
    [
        (["map.csv"], 1, "no variable to fit to the map; give --metadata FILE"),
        (["about.csv"], 1, "no coordinates of a map"),
        (
            ["map.csv", "--metadata", "about.csv", "--columns", "pH"],
            1,
            "its columns are Management, A1",
        ),
        (["map.csv", "--metadata", "about.csv", "--groups", "pH"], 2, "no variable 'pH'"),
        (["map.csv", "--metadata", "about.csv", "--strata", "pH"], 2, "no column 'pH'"),
        (["map.csv", "--metadata", "about.csv", "-o", "x.png"], 2, "--plot"),
        (["globe.csv", "--metadata", "about.csv"], 1, "fit the map in Euclidean space"),
    ],
)
def test_what_cannot_be_fitted(folder, line, code, told):
    globe = pd.DataFrame(20.0 * X, LABELS, ["latitude", "longitude"])
    globe.to_csv("globe.csv", index_label="label")
    said = run("fit-properties", *line)
    assert (said.code, told in " ".join(said.err.split())) == (code, True), said.err


# --- procrustes and drift -------------------------------------------------------------------------


def test_two_maps_are_compared_by_label(folder):
    more = ["-o", "out.csv", "--plot", "p.png", "--json"]
    said = run("procrustes", "map.csv", "other.csv", *more)
    told = json.loads(said.out)
    assert told["points"] == 18
    assert told["correlation"] == pytest.approx(1.0)
    assert told["p_value"] == 0.001
    assert told["scale"] == pytest.approx(0.5)
    assert "2 points are on one map only" in told["warnings"][0]
    assert frame("out.csv")["residual"].max() < 1e-9
    assert told["files"] == ["out.csv", "p.png"]


def test_the_comparison_is_told_in_words(folder):
    noise = X + 0.5 * np.random.default_rng(1).normal(size=X.shape)
    pd.DataFrame(noise, LABELS, ["x", "y"]).to_csv("noise.csv", index_label="label")
    said = run("procrustes", "map.csv", "noise.csv", "--no-scale", "--seed", "3")
    points = (pd.DataFrame(each, LABELS) for each in (X, noise))
    assert said.out == f"{procrustes_test(*points, scale=False, random_state=3)}\n"


def test_maps_on_a_globe(folder):
    globe = pd.DataFrame(20.0 * X, LABELS, ["latitude", "longitude"])
    globe.to_csv("globe.csv", index_label="label")
    globe.assign(longitude=globe["longitude"] + 70.0).to_csv("east.csv", index_label="label")
    told = json.loads(run("procrustes", "globe.csv", "east.csv", "--json").out)
    assert told["correlation"] == pytest.approx(1.0)
    said = run("procrustes", "globe.csv", "map.csv")
    assert said.code == 1
    assert "make both maps in one space" in said.err


def test_drift_of_a_table_on_its_map(folder):
    D = np.abs(np.random.default_rng(2).normal(size=(20, 20))) * ~np.eye(20, dtype=bool)
    order = LABELS[::-1]
    pd.DataFrame(D, LABELS, LABELS).loc[order, order].to_csv("d.csv")
    said = run("drift", "d.csv", "map.csv", "-o", "out.csv", "--plot", "p.png")
    assert said.code == 0, said.err
    expected = drift_vectors(D, X)
    assert np.allclose(frame("out.csv")[["x_drift", "y_drift"]], expected.vectors)
    told = json.loads(run("drift", "d.csv", "map.csv", "--json").out)
    assert told["share"] == pytest.approx(expected.share)
    assert "of the sum of squares is asymmetric" in run("drift", "d.csv", "map.csv").out
    assert "no row for 'm0'" in run("drift", "confusions.csv", "map.csv").err


# --- weighted-scores ------------------------------------------------------------------------------


@pytest.fixture
def counts(folder):
    """Return counts of three species at the sites of the map, the last never found."""
    found = np.random.default_rng(3).poisson(2.0, (20, 3)) * [1, 1, 0]
    counts = pd.DataFrame(found, LABELS, ["heron", "tern", "dodo"])
    counts.iloc[::-1].to_csv("counts.csv", index_label="site")
    return counts


@pytest.mark.parametrize("expand", [False, True])
def test_species_stand_where_the_library_places_them(counts, expand):
    expected = weighted_scores(X, counts.to_numpy(), expand=expand)
    more = ["--expand"] if expand else []
    said = run("weighted-scores", "counts.csv", "map.csv", "-o", "out.csv", *more)
    assert (said.code, said.out, said.err) == (0, "", "Written: out.csv\n")
    written = frame("out.csv")
    assert list(written.index) == ["heron", "tern", "dodo"]
    np.testing.assert_allclose(written[["x", "y"]], expected, rtol=1e-12)


def test_species_are_printed_drawn_and_told_as_json(counts):
    said = run("weighted-scores", "counts.csv", "map.csv", "--plot", "p.png", "--drop", "tern")
    assert said.out.split()[:4] == ["species", "x", "y", "heron"]
    assert "tern" not in said.out
    assert said.err == "Written: p.png\n"
    told = json.loads(run("weighted-scores", "counts.csv", "map.csv", "--json").out)
    assert [row["species"] for row in told["species"]] == ["heron", "tern", "dodo"]
    assert told["species"][2]["x"] is None
    assert told["points"] == 20


def test_what_has_no_weighted_scores(counts):
    counts.iloc[:5].to_csv("few.csv")
    assert "no row for 'm5'" in run("weighted-scores", "few.csv", "map.csv").err
    (-counts).to_csv("negative.csv")
    said = run("weighted-scores", "negative.csv", "map.csv")
    assert (said.code, "counts are finite and not negative" in said.err) == (1, True)
    assert "unimds weighted-scores COUNTS MAP" in run("wascores", "counts.csv").err
