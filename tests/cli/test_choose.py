"""`unimds choose`: which map predicts held-out pairs best."""

import json

import numpy as np
import pandas as pd
import pytest

from tests.support.commands import names, run
from tests.support.tables import distances
from unimds import MDS, MDSSearchCV
from unimds.select import search as module

LABELS = [f"p{i}" for i in range(16)]


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    factors = np.triu(rng.normal(1.0, 0.05, (16, 16)), 1)
    return distances(rng.normal(size=(16, 2))) * (factors + factors.T)


@pytest.fixture
def file(table, tmp_path):
    path = tmp_path / "d.csv"
    pd.DataFrame(table, index=LABELS, columns=LABELS).to_csv(path)
    return path


def test_the_table_says_what_is_chosen_and_the_sentence_why(file):
    said = run("choose", file, "--dimensions", "1-3", "--folds", 4)
    assert said.code == 0, said.err
    rows = [line for line in said.out.splitlines() if line.startswith("│")]
    assert len(rows) == 4
    assert "chosen" in rows[1]
    assert "one distance for all pairs" in rows[3]
    assert "The plane predicts held-out distances" in said.err
    assert f"The map: unimds embed {file} --dim 2" in said.err


def test_json_has_all_of_it_as_the_library_tells_it(file, table):
    said = run("choose", file, "-k", "2,1", "--json", "-q", "--seed", 3)
    assert (said.code, said.err) == (0, "")
    found = json.loads(said.out)
    grid = {"n_components": [1, 2]}
    own = MDSSearchCV(MDS(metric="precomputed"), grid, random_state=3, refit=False).fit(table)
    errors = [row["error"] for row in found["candidates"]]
    assert errors == own.cv_results_["mean_error"].tolist()
    assert found["sentence"] == own.sentence_
    assert found["one_distance"] == own.null_error_
    plain = {"space": "euclidean", "loss": "squared", "level": "ratio"}
    assert found["chosen"] == {"dimensions": 2, **plain}
    assert (found["points"], found["folds"], found["structure"]) == (16, 5, True)
    assert found["warnings"] == []


@pytest.mark.slow
def test_counts_are_standardised_before_candidates_are_compared(tmp_path):
    counts = np.random.default_rng(0).poisson(3.0, (12, 6)) + 1
    pd.DataFrame(counts, columns=list("abcdef")).to_csv(tmp_path / "c.csv", index=False)
    how = ("--metric", "braycurtis", "--standardise", "wisconsin")
    said = run("choose", tmp_path / "c.csv", *how, "-k", "1,2", "--folds", 3, "--json", "-q")
    metric = {"metric": "braycurtis", "metric_params": {"standardise": "wisconsin"}}
    grid = {"n_components": [1, 2]}
    own = MDSSearchCV(MDS(**metric), grid, cv=3, random_state=0, refit=False).fit(counts)
    found = json.loads(said.out)
    assert found["one_distance"] == pytest.approx(own.null_error_, rel=1e-12)
    assert "--metric braycurtis --standardise wisconsin" in found["command"]
    compared = run("compare", tmp_path / "c.csv", *how, "--max-iter", 1, "--json", "-q")
    plain = run("compare", tmp_path / "c.csv", *how[:2], "--max-iter", 1, "--json", "-q")
    first, second = (json.loads(one.out)["methods"][0]["cost"] for one in (compared, plain))
    assert first != pytest.approx(second, rel=0.1)


@pytest.mark.slow  # every pair of a loss and a space is compiled
def test_lists_of_spaces_losses_and_levels(file):
    lists = ("--spaces", "euclidean, sphere", "--losses", "squared", "--levels", "ratio,interval")
    said = run("choose", file, "-k", 2, *lists, "--folds", 3, "--json")
    assert said.code == 0, said.err
    found = json.loads(said.out)
    ways = {(row["space"], row["level"]) for row in found["candidates"]}
    assert ways == {(s, lv) for s in ("euclidean", "sphere") for lv in ("ratio", "interval")}
    assert found["command"] == f"unimds embed {file} --dim 2"


@pytest.mark.slow
def test_the_command_that_is_shown_makes_the_map(file, tmp_path):
    said = run("choose", file, "-k", 2, "--spaces", "sphere", "--levels", "ordinal", "--json")
    command = json.loads(said.out)["command"].split()
    assert " ".join(command[3:]) == "--dim 2 --space sphere --size auto --level ordinal"
    done = run(*command[1:], "--n-init", 1, "-o", tmp_path / "map.csv")
    assert done.code == 0, done.err


def test_points_are_measured(tmp_path):
    X = np.random.default_rng(0).normal(size=(14, 3))
    pd.DataFrame(X, columns=list("abc"), index=LABELS[:14]).to_csv(tmp_path / "x.csv")
    said = run("choose", tmp_path / "x.csv", "--metric", "cityblock", "-k", 1, "--json")
    assert said.code == 0, said.err
    found = json.loads(said.out)
    own = MDSSearchCV(MDS(metric="cityblock"), {"n_components": [1]}, random_state=0).fit(X)
    assert found["candidates"][0]["error"] == own.cv_results_["mean_error"][0]
    assert "--metric cityblock" in found["command"]


def test_a_picture_and_a_checkpoint_are_written(file, tmp_path):
    options = ("-k", "1,2", "--plot", tmp_path / "s.png", "--checkpoint", tmp_path / "c.ckpt")
    said = run("choose", file, *options)
    assert said.code == 0, said.err
    assert f"Written: {tmp_path / 's.png'}" in said.err
    assert names(tmp_path) == ["c.ckpt", "d.csv", "s.png"]
    again = run("choose", file, *options)
    assert again.code == 1
    assert "--force" in again.err


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("-k", "0-2"), "give dimensions such as 1-6 or 2,3,5, not '0-2'"),
        (("-k", "3-2"), "not '3-2'"),
        (("-k", "two"), "not 'two'"),
        (("-k", ","), "give at least one name"),
        (("--spaces", "torus"), "space='torus' is not known"),
        (("--losses", "cubic"), "loss='cubic' is not known"),
        (("--levels", "nonmetric"), "did you mean ordinal?"),
        (("--scoring", "best"), "use one of stress, absolute, median, not 'best'"),
        (("--rule", "simple"), "use one of one_standard_error, lowest, not 'simple'"),
        (("--jobs", "0"), "--jobs 0: give a number of threads"),
        (("--plot", "p.csv"), "--plot"),
    ],
)
def test_wrong_usage_says_what_to_write(file, options, told):
    said = run("choose", file, *options)
    assert said.code == 2
    assert told in " ".join(said.err.replace("│", " ").split())


def test_a_table_that_has_no_pairs_to_spare_is_an_error(tmp_path):
    (tmp_path / "d.csv").write_text(",a,b\na,0,1\nb,1,0\n")
    said = run("choose", tmp_path / "d.csv", "-k", 1)
    assert said.code == 1
    assert "are too few to hold any out" in said.err


def test_an_interruption_shows_what_is_done(file, monkeypatch):
    original, count = module.scored, []

    def scored(*args):
        count.append(args)
        if len(count) == 7:
            raise KeyboardInterrupt
        return original(*args)

    monkeypatch.setattr(module, "scored", scored)
    said = run("choose", file, "-k", "2,3,4", "--folds", 3, "--json")
    assert said.code == 130
    found = json.loads(said.out)
    assert found["interrupted"]
    assert [row["error"] is None for row in found["candidates"]] == [False, False, True]
    assert "Interrupted: 2 of 3 candidates were scored" in said.err


def test_words_of_other_programs_lead_here():
    assert "use unimds choose" in run("scree", "d.csv").err
