"""The other commands: place, compare, project, demo, warmup, info; and how fast they start."""

import inspect
import json
import os
import re
import subprocess
import sys
import tomllib

import numpy as np
import pandas as pd
import pytest

from tests.support.commands import CITIES, ENVIRONMENT, NEW, names, run
from tests.support.pages import ROOT
from unimds import MDS, LandmarkMDS, SphericalRandomProjection, experiments
from unimds._runtime.extras import PACKAGES, PURPOSES
from unimds.cli.commands.compare import suitable
from unimds.cli.commands.embed import embed
from unimds.cli.commands.info import cache_folder
from unimds.cli.commands.project import project
from unimds.estimators.parameters import VARIANTS
from unimds.files import KINDS, read
from unimds.losses import LOSSES
from unimds.models import load, save
from unimds.spaces import SPACES, Euclidean, Hyperbolic, Sphere


@pytest.fixture
def model(cities, tmp_path):
    said = run("embed", cities, "-o", tmp_path / "map.csv", "--model", tmp_path / "m", "-q")
    assert said.code == 0, said.err
    return tmp_path / "m"


# --- place ----------------------------------------------------------------------------------------


def test_new_points_are_placed_by_distances_whose_labels_are_matched(cities, model, tmp_path):
    (tmp_path / "new.csv").write_text(NEW)
    said = run("place", model, tmp_path / "new.csv", "-o", tmp_path / "placed.csv", "-q")
    assert (said.code, said.out, said.err) == (0, "", "")
    given, new = read(cities), read(tmp_path / "new.csv", kind="points")
    mds = MDS(metric="precomputed", random_state=0).fit(given.values)
    order = [new.features.index(label) for label in given.labels]
    placed = read(tmp_path / "placed.csv", kind="points")
    assert np.array_equal(placed.values, mds.transform(new.values[:, order]))
    assert placed.labels == ["near Ulm", "near Jena"]


def test_distances_without_names_are_taken_in_order(cities, model, tmp_path):
    np.save(tmp_path / "new.npy", read(cities).values[:2] + 0.5)
    said = run("place", model, tmp_path / "new.npy")
    assert said.code == 0, said.err
    assert len(said.out.splitlines()) == 3


def test_features_are_matched_by_their_names(tmp_path):
    X = np.random.default_rng(0).normal(size=(12, 3))
    rows = "\n".join(",".join(map(repr, row)) for row in X.tolist())
    (tmp_path / "x.csv").write_text(f"f1,f2,f3\n{rows}\n")
    assert (
        run("embed", tmp_path / "x.csv", "-o", tmp_path / "y.csv", "--model", tmp_path / "m").code
        == 0
    )
    (tmp_path / "n.csv").write_text("f3,f1,f2\n0.3,0.1,0.2\n1.3,1.1,1.2\n")
    said = run("place", tmp_path / "m", tmp_path / "n.csv", "-q")
    assert (said.code, said.err) == (0, "")
    placed = np.array([line.split(",") for line in said.out.splitlines()[1:]], dtype=float)
    mds = MDS(random_state=0).fit(X)
    expected = mds.transform([[0.1, 0.2, 0.3], [1.1, 1.2, 1.3]])
    np.testing.assert_allclose(placed, expected, atol=1e-6)


def test_distances_to_landmarks_will_do(tmp_path):
    X = np.random.default_rng(0).normal(size=(40, 2))
    D = np.linalg.norm(X[:, None] - X, axis=2)
    mds = LandmarkMDS(n_landmarks=10, metric="precomputed", random_state=0).fit(D)
    labels = [f"p{i}" for i in range(40)]
    save(mds, tmp_path / "m", labels=labels, features=labels)
    marks = [labels[i] for i in mds.landmarks_][::-1]
    row = D[3, mds.landmarks_][::-1]
    (tmp_path / "n.csv").write_text(
        ",".join(marks) + "\n" + ",".join(map(repr, row.tolist())) + "\n"
    )
    said = run("place", tmp_path / "m", tmp_path / "n.csv", "-q")
    assert (said.code, said.err) == (0, "")
    placed = np.array(said.out.splitlines()[1].split(","), dtype=float)
    assert np.array_equal(placed, mds.transform(D[3:4, mds.landmarks_])[0])


def test_a_missing_column_is_named(model, tmp_path):
    (tmp_path / "new.csv").write_text(NEW.replace("Kiel", "Hamburg"))
    said = run("place", model, tmp_path / "new.csv", "-o", tmp_path / "placed.csv")
    assert (said.code, said.out) == (1, "")
    assert "lacks the distances to 'Kiel', which the model needs" in said.err
    assert not (tmp_path / "placed.csv").exists()


def test_what_is_no_model_is_refused_and_where_models_come_from_is_told(cities):
    said = run("place", cities, cities)
    assert (said.code, said.out) == (1, "")
    assert "not a model of unimds" in said.err
    assert "create a model with `unimds embed --model FILE`" in said.err


# --- compare --------------------------------------------------------------------------------------


def test_all_suitable_methods_are_compared_by_one_cost(cities, tmp_path):
    said = run("compare", cities, "--variant", "rMDS", "--json", "--plot", tmp_path / "c.png")
    assert said.code == 0, said.err
    found = {row["method"]: row for row in json.loads(said.out)["methods"]}
    assert list(found) == ["pc-unimds", "pc-paper", "lbfgs", "smacof", "cd-svd", "sgd", "svd"]
    mds = MDS(variant="rMDS", metric="precomputed", random_state=0).fit(read(cities).values)
    assert found["pc-unimds"]["cost"] == pytest.approx(mds.cost_, rel=1e-6)
    assert found["pc-unimds"]["stress"] == pytest.approx(mds.stress_, rel=1e-4)
    assert all(row["cost"] >= 0.999 * mds.cost_ for row in found.values())
    assert (tmp_path / "c.png").read_bytes().startswith(b"\x89PNG")


def test_the_table_is_the_result(cities):
    said = run("compare", cities, "--max-iter", "50")
    assert (said.code, said.err) == (0, "")
    for word in ("PC, unimds", "SMACOF", "SVD (cMDS)", "stress", "seconds"):
        assert word in said.out


def test_points_far_from_zero_are_compared_by_their_true_distances(tmp_path):
    """Dates in seconds, for example: the distances are tiny beside the coordinates."""
    X = 2e9 + np.random.default_rng(0).integers(0, 60, size=(8, 2))
    np.savetxt(tmp_path / "x.csv", X, fmt="%d", delimiter=",", header="a,b", comments="")
    said = run("compare", tmp_path / "x.csv", "--max-iter", "50", "--json")
    assert said.code == 0, said.err
    stress = {row["method"]: row["stress"] for row in json.loads(said.out)["methods"]}
    assert stress["svd"] < 1e-6  # points in the plane, found again
    assert stress["pc-unimds"] < 1e-3


def test_a_method_that_cannot_do_it_says_why(tmp_path):
    (tmp_path / "d.csv").write_text(CITIES.replace("650", ""))
    said = run("compare", tmp_path / "d.csv", "--max-iter", "50")
    assert said.code == 0, said.err
    assert "SVD (cMDS): D has missing distances" in said.err
    assert run("compare", tmp_path / "d.csv", "--max-iter", "50", "-q").err == ""


def test_a_table_that_no_method_can_map_is_a_failed_run(tmp_path):
    (tmp_path / "d.csv").write_text(CITIES.replace("305", "inf"))
    said = run("compare", tmp_path / "d.csv", "--json", "--max-iter", "5")
    assert said.code == 1
    assert "D['Ulm', 'Bonn'] = inf is infinite" in said.err
    assert "D['Ulm', 'Bonn'] = inf is infinite" in json.loads(said.out)["error"]


def test_each_space_has_its_methods():
    names = {
        space: [m.name for m in suitable(space)] for space in (Euclidean(), Sphere(), Hyperbolic())
    }
    assert "svd" in names[Euclidean()]
    assert "elad" in names[Sphere()]
    assert names[Hyperbolic()] == ["pc-unimds", "pc-paper", "sgd"]


def test_shares_of_nothing_are_not_shown(tmp_path):
    (tmp_path / "d.csv").write_text(",a,b,c\na,0,3.5,6.25\nb,3.5,0,4\nc,6.25,4,0\n")
    said = run("compare", tmp_path / "d.csv", "--max-iter", "5")
    assert said.code == 0, said.err
    assert "SMACOF" in said.out
    assert "%" not in said.out


# --- project --------------------------------------------------------------------------------------


def test_points_are_projected(tmp_path):
    X = np.random.default_rng(0).normal(size=(10, 600))
    np.save(tmp_path / "x.npy", X)
    options = ("--eps", "0.3", "--delta", "0.1", "--method", "gaussian", "--seed", "3")
    said = run("project", tmp_path / "x.npy", "-o", tmp_path / "y.npy", "--json", *options)
    assert said.code == 0, said.err
    projection = SphericalRandomProjection(eps=0.3, delta=0.1, method="gaussian", random_state=3)
    expected = projection.fit_transform(X)
    assert np.array_equal(np.load(tmp_path / "y.npy"), expected)
    assert json.loads(said.out)["to"] == expected.shape[1]


@pytest.mark.parametrize(
    "options", [("--eps", "2"), ("--delta", "0"), ("--method", "magic"), ("--dim", "0")]
)
def test_bad_usage_of_project_is_2(tmp_path, options):
    assert run("project", "x.npy", *options).code == 2


@pytest.mark.sample(2)
@pytest.mark.parametrize("command", ["embed", "compare", "project"])
@pytest.mark.parametrize(("cell", "wrong"), [("", "missing"), ("inf", "infinite")])
def test_a_feature_that_is_no_number_is_named(tmp_path, command, cell, wrong):
    (tmp_path / "p.csv").write_text(f"name,h,w\nA,1,2\nB,{cell},3\nC,3,4\nD,5,1\n")
    said = run(command, tmp_path / "p.csv")
    assert (said.code, said.out) == (1, "")
    assert f"p.csv: feature 'h' of 'B' is {wrong}; give a number" in said.err


# --- demo, warmup, info ---------------------------------------------------------------------------


def test_the_demo_is_run(monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr("unimds.demo.main", lambda argv: asked.append(argv) or 0)
    assert run("demo", "-o", tmp_path / "d.png", "--force").code == 0
    assert asked == [["--output", str(tmp_path / "d.png"), "--force"]]
    assert run("demo", "-o", tmp_path / "d.txt").code == 2


def test_warmup_compiles_what_it_is_asked_for():
    said = run("warmup", "--loss", "squared", "--space", "euclidean", "--json", "-q")
    assert (said.code, said.err) == (0, "")
    assert json.loads(said.out) == {"compiled": 2}
    assert run("warmup", "--loss", "magic").code == 2


def test_warmup_tells_how_far_it_is(monkeypatch):
    monkeypatch.setattr("unimds.cli.commands.warmup._compile", lambda *job: None)
    told = run("warmup", "--all").err.splitlines()
    assert told[0] == "1 of 50: Squared, Euclidean, float64"
    assert told[49].startswith("50 of 50: Power, Simplex, float32; about 0 s left")
    assert told[50:] == ["50 kinds of map are compiled."]
    assert run("warmup", "--all", "-q").err == ""


def test_on_a_terminal_a_bar_shows_the_tasks_and_is_removed(monkeypatch):
    monkeypatch.setattr("unimds.cli.commands.warmup._compile", lambda *job: None)
    monkeypatch.setattr("unimds.cli.progress.watched", lambda quiet: not quiet)
    drawn = run("warmup", "--loss", "squared", "--space", "sphere").err.split("\r")
    assert drawn[1] == 24 * "·" + " 1 of 2: Squared, Sphere, float64 "
    assert drawn[2].startswith(12 * "█" + 12 * "·" + " 2 of 2: Squared, Sphere, float32")
    assert drawn[3] == len(drawn[2]) * " "
    assert drawn[4:] == ["2 kinds of map are compiled.\n"]


def test_info_tells_versions_and_extras():
    found = json.loads(run("info", "--json").out)
    assert found["packages"]["numpy"] == np.__version__
    assert found["cores"] >= 1
    assert found["cache"]
    assert found["extras"]["cli"] == "installed"
    assert {"plot", "report", "sdp", "files"} < set(found["extras"])
    assert "numpy" in run("info").out


def test_info_says_where_compiled_code_is_truly_kept(monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "given"))
    assert cache_folder() == str(tmp_path / "given")
    assert not names(tmp_path)
    home = tmp_path / "home"
    monkeypatch.setattr("numba.misc.appdirs.user_cache_dir", lambda *_, **__: str(home))
    monkeypatch.setattr(os, "access", lambda folder, _: folder == home)
    home.mkdir()
    assert cache_folder() == str(home)
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert cache_folder().startswith("none")


def test_info_says_what_an_extra_lacks(monkeypatch):
    extras = {"one": ("numpy", "no-such-package"), "none": ("no-such-package",)}
    monkeypatch.setattr("unimds.cli.commands.info.PACKAGES", extras)
    found = json.loads(run("info", "--json").out)["extras"]
    assert found == {"one": "lacks no-such-package", "none": "not installed"}


def test_the_extras_are_those_of_the_project():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    named = {
        extra: tuple(re.split(r"[<>=[]", need)[0] for need in needs if "unimds[" not in need)
        for extra, needs in extras.items()
        if extra not in ("dev", "docs", "release")  # for those who work on it
    }
    assert named == PACKAGES
    assert set(PURPOSES) == set(PACKAGES)


def helped(command):
    """The help of a command, on one line and without its frame."""
    return " ".join(re.sub(r"[│╭╮╰╯─]", " ", run(command, "--help").out).split())


def test_the_help_lists_the_names_that_the_library_knows():
    for command, known in {
        "embed": [*VARIANTS, *LOSSES, *SPACES, *KINDS],
        "project": ["subspace", "gaussian", "sparse"],
        "reproduce": experiments.NAMES,
    }.items():
        said = set(re.findall(r"[\w-]+", helped(command)))
        assert said.issuperset(known), command


def test_the_defaults_are_those_of_the_library():
    mds, shown = inspect.signature(MDS).parameters, inspect.signature(embed).parameters
    for option, name in {
        "dim": "n_components",
        "n_init": "n_init",
        "max_iter": "max_iter",
        "eps": "eps",
        "metric": "metric",
    }.items():
        assert shown[option].default == mds[name].default
    own = inspect.signature(project).parameters
    for name in ("eps", "delta", "method"):
        assert own[name].default == SphericalRandomProjection().get_params()[name]


# --- a fast start ---------------------------------------------------------------------------------

HEAVY = {"numba", "sklearn", "scipy", "pandas", "matplotlib", "plotly"}


def imported(*arguments, cwd):
    """Which heavy packages a command imports."""
    code = (
        "import sys; sys.argv = ['unimds', *sys.argv[1:]]\nfrom unimds.cli import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        "print(*{name.partition('.')[0] for name in sys.modules}, file=sys.stderr)"
    )
    line = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(
        line, cwd=cwd, env=ENVIRONMENT, capture_output=True, encoding="utf-8", check=True
    )
    return HEAVY & set(done.stderr.splitlines()[-1].split())


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], ["info"], ["embed", "--help"], ["reproduce", "--help"]]
)
def test_help_and_info_import_nothing_heavy(tmp_path, arguments):
    assert imported(*arguments, cwd=tmp_path) == set()


@pytest.mark.slow
def test_embed_imports_no_more_than_it_needs(cities, tmp_path):
    heavy = imported("embed", cities.name, "-o", "m.csv", cwd=tmp_path)
    assert (tmp_path / "m.csv").exists()
    assert "numba" in heavy
    assert not heavy & {"matplotlib", "plotly"}  # pandas is scikit-learn's own wish


def test_commands_are_completed(tmp_path):
    code = "import sys; sys.argv = ['unimds']; from unimds.cli import main; main()"
    asked = {"_UNIMDS_COMPLETE": "complete_bash", "COMP_WORDS": "unimds em", "COMP_CWORD": "1"}
    line = [sys.executable, "-c", code]
    done = subprocess.run(
        line, cwd=tmp_path, env=ENVIRONMENT | asked, capture_output=True, encoding="utf-8"
    )
    assert done.stdout.split() == ["embed"]


# --- the fit of new points ------------------------------------------------------------------------


def test_place_tells_how_well_the_new_points_fit(model, tmp_path):
    (tmp_path / "new.csv").write_text(NEW)
    said = run("place", model, tmp_path / "new.csv", "-o", tmp_path / "placed.csv", "--json")
    found = json.loads(said.out)
    own = read(tmp_path / "new.csv", kind="points")
    order = [own.features.index(name) for name in ("Ulm", "Bonn", "Kiel", "Trier", "Jena")]
    mds = load(model)
    rows = pd.DataFrame(own.values[:, order], columns=[own.features[j] for j in order])
    assert found["stress"] == pytest.approx(-mds.score(rows))
    assert found["map_stress"] == pytest.approx(mds.stress_)
    assert found["known"] == []
    beside = f"2 points placed, stress {found['stress']:.4g} (the map itself has {mds.stress_:.4g})"
    assert beside in said.err
    assert "much worse" not in said.err


def test_place_doubts_new_points_that_fit_badly_or_are_known(model, tmp_path):
    far = "point,Jena,Kiel,Ulm,Trier,Bonn\nodd,900,5,900,5,900\nUlm,280,650,0,290,305\n"
    (tmp_path / "new.csv").write_text(far)
    said = run("place", model, tmp_path / "new.csv")
    assert "the new points fit much worse than the map" in said.err
    assert "'Ulm' is a point of the map already" in said.err
    assert run("place", model, tmp_path / "new.csv", "-q").err == ""


def test_place_warns_of_an_unknown_column_where_points_are_called_by_numbers(tmp_path):
    graph = "".join(f"{i} {i + 1}\n" for i in range(6))
    (tmp_path / "path.edges").write_text(graph)
    model = tmp_path / "m.unimds"
    run("embed", tmp_path / "path.edges", "-o", tmp_path / "m.csv", "--model", model, "-q")
    new = tmp_path / "new.csv"
    new.write_text("label,0,1,2,3,4,5,6,zzz\nnew,1,1,2,3,4,5,6,8\n")
    said = run("place", model, new)
    assert said.code == 0, said.err
    assert "columns that the model does not know do not count" in said.err
    assert said.out.splitlines()[0] == "label,x,y,zzz"


def test_place_names_the_file_whose_features_are_too_few(tmp_path):
    X = np.random.default_rng(0).normal(size=(20, 5))
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "new.npy", X[:2, :4])
    model = tmp_path / "m.unimds"
    run("embed", tmp_path / "x.npy", "-o", tmp_path / "m.csv", "--model", model, "-q")
    said = run("place", model, tmp_path / "new.npy")
    assert said.code == 1
    assert "new.npy has 4 features, and the model needs 5" in said.err


def test_place_tells_points_with_few_distances_and_another_unit(model, tmp_path):
    new = tmp_path / "new.csv"
    new.write_text("point,Jena,Kiel,Ulm,Trier,Bonn\nlost,,,300,200,\nfar,8e5,5e5,9e5,7e5,6e5\n")
    said = run("place", model, new, "--json", "-o", tmp_path / "placed.csv")
    assert "1 of 2 new points have fewer than 3 known distances ('lost')" in said.err
    assert "1 of 2 new points are far from every point of the map ('far')" in said.err
    assert len(json.loads(said.out)["warnings"]) >= 2


@pytest.mark.parametrize(
    ("rows", "what"),
    [
        ("source,target\nnew,Ulm\nnew,Kiel\n", "the edges of a graph"),
        ("from,to,distance\nnew,Ulm,20\nnew,Kiel,30\n", "a list of pairs"),
    ],
)
def test_place_says_that_it_takes_no_edges_and_no_pairs(model, tmp_path, rows, what):
    (tmp_path / "links.csv").write_text(rows)
    said = run("place", model, tmp_path / "links.csv")
    assert said.code == 1
    assert f"holds {what}, and new points are placed by their distances" in said.err
    assert "a row for each new point and a column for each point of the map" in said.err
