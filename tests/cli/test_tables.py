"""`unimds individual`, `unimds unfold`, and the constraints of `unimds embed`."""

import json

import numpy as np
import pandas as pd
import pytest

from tests.support.commands import run
from unimds import MDS, IndividualDifferences, Unfolding
from unimds.constraints import OnCircle
from unimds.models import load
from unimds.spaces import distances

NAMES = [f"o{i}" for i in range(9)]


@pytest.fixture(scope="module")
def tables():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(9, 2))
    return {
        name: pd.DataFrame(distances(X * rng.uniform(0.4, 1.6, 2)), index=NAMES, columns=NAMES)
        for name in ("Ann", "Bob", "Cem")
    }


@pytest.fixture
def files(tables, tmp_path):
    paths = [tmp_path / f"{name}.csv" for name in tables]
    for path, table in zip(paths, tables.values(), strict=True):
        table.to_csv(path)
    mixed = tables["Bob"].loc[NAMES[::-1], NAMES[::-1]]  # files are matched by label
    mixed.to_csv(paths[1])
    return paths


@pytest.fixture
def preferences(tmp_path):
    rng = np.random.default_rng(1)
    D = distances(rng.normal(size=(20, 2)), rng.normal(size=(6, 2)))
    ranks = pd.DataFrame(D.argsort(1).argsort(1) + 1.0, columns=list("uvwxyz"))
    ranks.index = [f"p{i}" for i in range(20)]
    ranks.to_csv(tmp_path / "prefs.csv")
    return tmp_path / "prefs.csv", ranks


def test_individual_writes_the_common_map_and_the_subjects(files, tables, tmp_path):
    out, subjects = tmp_path / "m.csv", tmp_path / "s.csv"
    pictures = ("--plot", tmp_path / "m.png", "--weights-plot", tmp_path / "w.png")
    more = ("--subjects", subjects, "--report", tmp_path / "r.html", *pictures)
    said = run("individual", *files, "-o", out, *more)
    assert said.code == 0, said.err
    own = IndividualDifferences(2, random_state=0).fit(tables)
    found = pd.read_csv(out, index_col=0)
    assert list(found.index) == NAMES
    np.testing.assert_allclose(found.to_numpy(), own.embedding_, atol=1e-8)
    weights = pd.read_csv(subjects, index_col=0)
    assert list(weights.index) == ["Ann", "Bob", "Cem"]
    np.testing.assert_allclose(weights[["weight_1", "weight_2"]], own.weights_, atol=1e-8)
    assert "How the subjects differ" in (tmp_path / "r.html").read_text(encoding="utf-8")
    assert (tmp_path / "m.png").stat().st_size > 1000
    assert (tmp_path / "w.png").stat().st_size > 1000
    assert "3 tables of 9 objects, indscal" in said.err


def test_one_subject_is_one_table(files, tmp_path):
    said = run("individual", files[0], "-o", tmp_path / "m.csv", "--model", "identity")
    assert said.err.startswith("1 table of 9 objects, identity: Stress-1 ")


def test_individual_as_json(files, tmp_path):
    out = ("-o", tmp_path / "m.csv")
    said = run("individual", *files, "--model", "identity", "--loss", "absolute", "--json", *out)
    found = json.loads(said.out)
    assert (found["objects"], found["model"], len(found["subjects"])) == (9, "identity", 3)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--model", "indscl"), "use one of indscal"),
        (("--model", "identity", "--weights-plot", "w.png"), "has no weights to draw"),
        (("--n-init", "many"), "--n-init must be auto"),
        (("--conditional", "matrix"), "use table or row"),
    ],
)
def test_individual_refuses_what_does_not_suit(files, options, told):
    said = run("individual", *files, *options)
    assert said.code == 2
    assert told in " ".join(said.err.replace("│", " ").split())


def test_unfold_writes_rows_and_columns_and_a_model(preferences, tmp_path):
    file, ranks = preferences
    out, model = tmp_path / "m.csv", tmp_path / "m.unimds"
    more = ("--plot", tmp_path / "m.png", "--report", tmp_path / "r.html", "--model", model)
    said = run("unfold", file, "--level", "ordinal", "-o", out, *more)
    assert said.code == 0, said.err
    own = Unfolding(2, level="ordinal", random_state=0).fit(ranks)
    found = pd.read_csv(out, index_col=0)
    assert list(found["point"]) == ["row"] * 20 + ["column"] * 6
    assert list(found.index) == [*ranks.index, *ranks.columns]
    np.testing.assert_allclose(found[["x", "y"]].to_numpy(), own.embedding_, atol=1e-8)
    again = load(model)
    np.testing.assert_allclose(again.transform(ranks[:2]), own.transform(ranks[:2]), atol=1e-6)
    assert "Rows and columns" in (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "20 rows and 6 columns" in said.err


@pytest.mark.slow
def test_ratings_need_to_be_turned_round(preferences, tmp_path):
    file, ranks = preferences
    (7.0 - ranks).to_csv(tmp_path / "ratings.csv")
    one = run("unfold", file, "--level", "ordinal")
    two = run("unfold", tmp_path / "ratings.csv", "--level", "ordinal", "--larger", "nearer")
    assert one.out == two.out
    said = run("unfold", file, "--larger", "nearer")
    assert said.code == 1
    assert 'level="ordinal"' in said.err


def test_embed_on_a_circle(files, tables, tmp_path):
    out = tmp_path / "m.csv"
    said = run("embed", files[0], "--on", "circle", "-o", out)
    assert said.code == 0, said.err
    own = MDS(2, metric="precomputed", random_state=0).fit(tables["Ann"], constraints=OnCircle())
    found = pd.read_csv(out, index_col=0).to_numpy()
    np.testing.assert_allclose(found, own.embedding_, atol=1e-8)


def test_embed_linear_in_variables_of_a_file_matched_by_label(files, tables, tmp_path):
    X = MDS(2, metric="precomputed", random_state=0).fit(tables["Ann"]).embedding_
    frame = pd.DataFrame(X @ [[1.0, 2.0], [0.5, -1.0]], index=NAMES, columns=["p", "q"])
    frame.loc[NAMES[::-1]].to_csv(tmp_path / "vars.csv")
    out = ("-o", tmp_path / "m.csv", "--json")
    said = run("embed", files[0], "--linear-in", tmp_path / "vars.csv", *out)
    assert json.loads(said.out)["stress"] < 1e-5


def test_embed_in_regions_of_a_column(files, tmp_path):
    about = pd.DataFrame({"label": NAMES, "group": list("abcabcabc")})
    about.to_csv(tmp_path / "about.csv", index=False)
    out = tmp_path / "m.csv"
    more = ("--metadata", tmp_path / "about.csv", "--regions", "group", "--regions-as", "sectors")
    said = run("embed", files[0], *more, "-o", out)
    assert said.code == 0, said.err
    found = pd.read_csv(out, index_col=0)
    angle = np.arctan2(found["y"], found["x"]) - 2 * np.pi / 3 * np.tile([0, 1, 2], 3)
    away = np.abs(np.angle(np.exp(1j * angle)))
    assert away[np.hypot(found["x"], found["y"]) > 1e-9].max() < np.pi / 3 + 1e-6


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--on", "square"), "use line or circle"),
        (("--on", "line", "--regions", "group"), "a map obeys one of them"),
        (("--on", "line", "--landmarks", "5"), "does not work with --on"),
    ],
)
def test_constraints_that_do_not_suit(files, options, told):
    said = run("embed", files[0], *options)
    assert said.code == 2
    assert told in " ".join(said.err.replace("│", " ").split())
