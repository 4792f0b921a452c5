"""`unimds test` and `unimds stability`: how far to trust a map."""

import json

import numpy as np
import pandas as pd
import pytest

from tests.support.commands import names, run
from tests.support.tables import distances
from unimds import MDS
from unimds.trust import bootstrap, jackknife, permutation_test, resampling, structure
from unimds.trust.study import Study

LABELS = [f"p{i}" for i in range(12)]


def noisy(seed):
    rng = np.random.default_rng(seed)
    X = np.random.default_rng(0).normal(size=(12, 2))
    D = np.triu(distances(X) * rng.normal(1.0, 0.1, (12, 12)), 1)
    return D + D.T


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "d.csv"
    pd.DataFrame(noisy(1), LABELS, LABELS).to_csv(path)
    return path


@pytest.fixture
def subjects(tmp_path):
    paths = []
    for seed in range(4):
        order = LABELS[::-1] if seed == 2 else LABELS
        frame = pd.DataFrame(noisy(seed), LABELS, LABELS).loc[order, order]
        paths.append(tmp_path / f"s{seed}.csv")
        frame.to_csv(paths[-1])
    return paths


@pytest.fixture(autouse=True)
def cache(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("UNIMDS_CACHE", str(tmp_path_factory.mktemp("cache")))


# --- test -----------------------------------------------------------------------------------------


def test_the_sentence_says_whether_there_is_structure(file):
    said = run("test", file, "--permutations", 19)
    assert said.code == 0, said.err
    assert said.out.startswith("There is structure. Stress-1 0.")
    assert "of 19 permuted tables none has so little" in said.out
    assert "12 points, " in said.err


def test_json_has_all_that_the_library_tells(file):
    said = run("test", file, "--permutations", 9, "--seed", 3, "--level", "ordinal", "--json", "-q")
    assert (said.code, said.err) == (0, "")
    found = json.loads(said.out)
    mds = MDS(metric="precomputed", level="ordinal", random_state=3)
    own = permutation_test(mds, pd.read_csv(file, index_col=0), n_permutations=9, random_state=3)
    assert found["permuted"] == own.permuted.tolist()
    assert found["observed"] == own.observed
    assert (found["p_value"], found["permute"], found["points"]) == (0.1, "pairs", 12)
    assert found["warnings"] == []


def test_points_pictures_and_norms(tmp_path):
    X = np.random.default_rng(0).normal(size=(12, 2)) @ np.random.default_rng(1).normal(size=(2, 5))
    pd.DataFrame(X, LABELS, list("abcde")).to_csv(tmp_path / "x.csv")
    options = ("--permutations", 9, "--norms", 5, "--plot", tmp_path / "t.png", "--title", "T")
    said = run("test", tmp_path / "x.csv", *options, "--json")
    assert said.code == 0, said.err
    found = json.loads(said.out)
    assert found["permute"] == "columns"
    assert found["norms"]["tables"] == 5
    assert 0.0 < found["norms"]["mean"] < 1.0
    assert names(tmp_path) == ["t.png", "x.csv"]
    assert run("test", tmp_path / "x.csv", *options).code == 1  # the picture is there already
    told = run("test", tmp_path / "x.csv", "--permute", "pairs", "--permutations", 9, "--norms", 5)
    assert "5 tables of random numbers, 12 points" in told.out


def test_weights_of_a_file_count(file, tmp_path):
    pd.DataFrame(np.ones((12, 12)), LABELS, LABELS).to_csv(tmp_path / "w.csv")
    plain, weighted = (
        json.loads(run("test", file, "--permutations", 3, "--json", *more).out)["observed"]
        for more in ((), ("--weights", tmp_path / "w.csv"))
    )
    assert plain == pytest.approx(weighted, rel=1e-3)


def test_an_interrupted_test_counts_what_is_done(file, monkeypatch):
    original, count = structure.fit_anew, []

    def interrupted(*args):
        count.append(args)
        if len(count) == 5:
            raise KeyboardInterrupt
        return original(*args)

    monkeypatch.setattr(structure, "fit_anew", interrupted)
    said = run("test", file, "--json")
    assert said.code == 130
    found = json.loads(said.out)
    assert found["interrupted"]
    assert len(found["permuted"]) == 3


# --- stability ------------------------------------------------------------------------------------


def test_a_jackknife_is_shown_by_default(file):
    said = run("stability", file, "--pairs", 2)
    assert said.code == 0, said.err
    lines = said.out.splitlines()
    assert lines[0] == "Jackknife: 12 maps of 12 points."
    own = jackknife(MDS(metric="precomputed", random_state=0), pd.read_csv(file, index_col=0))
    assert lines[1].startswith(f"stability {own.stability:.4f}")
    assert "without the pair" in said.out
    assert said.out.count(" – p") == 2


def test_json_tables_pictures_and_reports(file, tmp_path):
    files = (
        "-o",
        tmp_path / "o.csv",
        "--plot",
        tmp_path / "s.png",
        "--report",
        tmp_path / "r.html",
    )
    how = ("--method", "bootstrap", "--maps", 8, "--seed", 5, "--confidence", 0.8)
    said = run("stability", file, *how, *files, "--json", "--permutations", 3)
    assert said.code == 0, said.err
    found = json.loads(said.out)
    mds = MDS(metric="precomputed", random_state=5).fit(pd.read_csv(file, index_col=0))
    own = bootstrap(mds, n_maps=8, random_state=5)
    assert found["stability"] == pytest.approx(own.stability)
    assert [one["radius"] for one in found["places"]] == pytest.approx(own.regions(0.8).radii)
    assert found["places"][3]["label"] == "p3"
    assert len(found["pairs"]) == 5
    assert set(found["pairs"][0]["pair"]) <= set(LABELS)
    assert found["p_value"] == 0.25
    table = pd.read_csv(tmp_path / "o.csv", index_col=0)
    np.testing.assert_allclose(table["error"], own.errors, rtol=1e-6)
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    for title in ("How certain are the places?", "Which pairs decide?", "Is there structure?"):
        assert title in page
    assert names(tmp_path) == ["d.csv", "o.csv", "r.html", "s.png"]


def test_several_tables_are_subjects_whatever_the_order_of_their_rows(subjects):
    said = run("stability", *subjects, "--maps", 6, "--json", "--pairs", 0)
    assert said.code == 0, said.err
    found = json.loads(said.out)
    assert found["method"] == "Bootstrap of 4 subjects"
    stack = np.stack([noisy(seed) for seed in (0, 1, 3)])
    assert found["stability"] > 0.9
    assert found["pairs"] == []
    # the third was written in another order, and read by its labels
    points = np.array([[one["x"], one["y"]] for one in found["places"]])
    apart = distances(points)
    mean = (stack.sum(axis=0) + noisy(2)) / 4.0
    assert np.corrcoef(apart[mean > 0.0], mean[mean > 0.0])[0, 1] > 0.98


@pytest.mark.slow
def test_noise_and_a_sphere(file):
    how = ("--method", "noise", "--noise", 0.02, "--maps", 5, "--space", "sphere", "--size", "auto")
    said = run("stability", file, *how, "--pairs", 0)
    assert said.code == 0, said.err
    assert said.out.startswith("Noise of 2 %: 5 maps of 12 points.")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--method", "jack"), "use one of jackknife, bootstrap, noise, not 'jack'"),
        (("--over", "points"), "use one of auto, subjects, features, residuals, not 'points'"),
        (("--maps", "2"), "--maps"),
        (("--jobs", "0"), "--jobs 0: give a number of threads"),
        (("--space", "torus"), "space='torus' is not known"),
        (("--title", "T"), "there is nothing to entitle"),
        (("--plot", "p.csv"), "--plot"),
    ],
)
def test_wrong_usage_says_what_to_write(file, options, told):
    said = run("stability", file, *options)
    assert said.code == 2
    assert told in " ".join(said.err.replace("│", " ").split())


def test_wrong_data_say_what_to_do(file, subjects, tmp_path):
    said = run("stability", file, "--method", "bootstrap", "--over", "subjects")
    assert said.code == 1
    assert "needs the tables of several subjects" in said.err
    said = run("stability", *subjects, "--method", "jackknife")
    assert said.code == 2
    assert "jackknife is for one table, and there are 4" in said.err
    pd.DataFrame(noisy(0)[:5, :5], LABELS[:5], LABELS[:5]).to_csv(tmp_path / "few.csv")
    said = run("stability", file, file, tmp_path / "few.csv")
    assert said.code == 1
    assert "has no row for 'p5'" in said.err
    assert run("test", file, "--permute", "rows").code == 2
    pd.DataFrame(-0.1 * noisy(0), LABELS, LABELS).to_csv(tmp_path / "below.csv")
    said = run("stability", file, file, tmp_path / "below.csv")
    assert said.code == 1
    assert "below.csv: D['p0', 'p1'] = " in said.err
    assert "is negative" in said.err


def test_an_interrupted_study_counts_what_is_done(file, monkeypatch):
    original, count = Study.refitted, []

    def refitted(self, *args):
        count.append(args)
        if len(count) == 7:
            raise KeyboardInterrupt
        return original(self, *args)

    monkeypatch.setattr(Study, "refitted", refitted)
    said = run("stability", file, "--json", "--method", "bootstrap")
    assert said.code == 130
    found = json.loads(said.out)
    assert found["interrupted"]
    assert (found["maps"], found["pairs"]) == (6, [])
    assert "Interrupted: 6 of 100 fits were done" in said.err


def test_words_of_other_programs_lead_here():
    assert "use unimds stability --method jackknife" in run("jackmds", "d.csv").err
    assert "use unimds stability" in run("bootmds", "d.csv").err
    assert "use unimds test" in run("permtest", "d.csv").err
    assert resampling.OVER == ("auto", "subjects", "features", "residuals")
