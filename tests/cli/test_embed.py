"""`unimds embed`: the map it writes, its manners, and what it says to mistakes."""

import json
import re
import sys
import time
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from tests.support.commands import CITIES, ONE_START, apart, names, run
from unimds import MDS, Sphere, plots
from unimds.cli.commands import embed as module
from unimds.files import read
from unimds.models import load
from unimds.quality import point_stress
from unimds.spaces import distances

# --- what it writes -------------------------------------------------------------------------------


def test_the_map_is_that_of_the_library_with_its_labels(cities, tmp_path):
    said = run("embed", cities, "-o", tmp_path / "map.csv")
    assert said.code == 0
    assert said.out == ""
    table, given = read(tmp_path / "map.csv"), read(cities)
    mds = MDS(metric="precomputed", random_state=0).fit(given.values)
    assert np.array_equal(table.values, mds.embedding_)
    assert table.labels == given.labels
    assert f"cost {mds.cost_:.6g}, stress {mds.stress_:.4g}, found from " in said.err
    result = mds.result_
    assert f"found from {result.found} of {len(result.starts)} starts" in said.err
    assert "sweeps," not in said.err
    assert said.err.endswith(f"Written: {tmp_path / 'map.csv'}\n")


@pytest.mark.parametrize(
    ("options", "params"),
    [
        (["--variant", "rMDS"], {"variant": "rMDS"}),
        (["--loss", "absolute", "--dim", "3"], {"loss": "absolute", "n_components": 3}),
        (["--space", "sphere", "--radius", "500"], {"space": Sphere(500.0)}),
        (["--variant", "g-2-sMDS", "--radius", "auto"], {"space": Sphere("auto")}),
        (
            ["--seed", "7", "--n-init", "3", "--eps", "1e-3"],
            {"random_state": 7, "n_init": 3, "eps": 1e-3},
        ),
    ],
)
def test_options_are_parameters(cities, options, params):
    said = run("embed", cities, "-q", *ONE_START, *options)
    assert (said.code, said.err) == (0, "")
    mds = MDS(**{"metric": "precomputed", "random_state": 0, "n_init": 1, **params}).fit(
        read(cities).values
    )
    rows = [line.split(",")[1:] for line in said.out.splitlines()[1:]]
    assert np.array_equal(np.array(rows, dtype=float), mds.embedding_)


def test_points_classes_and_the_stress_of_points(tmp_path):
    X = np.random.default_rng(0).normal(size=(12, 4))
    lines = [f"p{i},{'ab'[i % 2]}," + ",".join(map(repr, row)) for i, row in enumerate(X.tolist())]
    (tmp_path / "x.csv").write_text("name,class,a,b,c,d\n" + "\n".join(lines) + "\n")
    options = ("--metric", "cityblock", "--point-stress", "--kind", "points", "-q")
    said = run("embed", tmp_path / "x.csv", "-o", tmp_path / "map.json", *options)
    assert (said.code, said.err) == (0, "")
    found = json.loads((tmp_path / "map.json").read_text())
    mds = MDS(metric="cityblock", random_state=0).fit(X)
    assert [row["x"] for row in found] == mds.embedding_[:, 0].tolist()
    assert [row["class"] for row in found] == ["a", "b"] * 6
    shares = point_stress(mds.dissimilarity_matrix_, mds.embedding_)
    np.testing.assert_allclose([row["point_stress"] for row in found], shares)


def test_weights_are_matched_by_their_labels(cities, tmp_path):
    weights = tmp_path / "w.csv"
    order = ["Jena", "Trier", "Ulm", "Kiel", "Bonn"]
    at = read(cities).labels
    W = np.arange(25.0).reshape(5, 5)
    W = W + W.T
    np.fill_diagonal(W, 0.0)
    rows = [f"{a}," + ",".join(str(W[at.index(a), at.index(b)]) for b in order) for a in order]
    weights.write_text("," + ",".join(order) + "\n" + "\n".join(rows) + "\n")
    said = run("embed", cities, "-o", tmp_path / "map.npy", "--weights", weights)
    assert said.code == 0, said.err
    mds = MDS(metric="precomputed", random_state=0).fit(read(cities).values, weights=W)
    assert np.array_equal(np.load(tmp_path / "map.npy"), mds.embedding_)


def test_landmarks_for_many_points(tmp_path):
    np.save(tmp_path / "x.npy", np.random.default_rng(0).normal(size=(80, 2)))
    said = run(
        "embed",
        tmp_path / "x.npy",
        "--landmarks",
        "20",
        "-o",
        tmp_path / "map.npy",
        "-q",
        *ONE_START,
    )
    assert (said.code, said.err) == (0, "")
    found = np.load(tmp_path / "map.npy")
    np.testing.assert_allclose(distances(found), distances(np.load(tmp_path / "x.npy")), atol=0.02)


def test_many_points_have_a_report_and_resume(tmp_path, monkeypatch):
    X = np.random.default_rng(0).normal(size=(80, 3))
    np.save(tmp_path / "x.npy", X)
    long = ("embed", tmp_path / "x.npy", "--landmarks", "20", "-q", *ONE_START)
    kept = ("--checkpoint", tmp_path / "run.ckpt")
    assert run(*long, "-o", tmp_path / "whole.npy").code == 0

    def struck(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("unimds.landmarks.place._placed", struck)
        said = run(*long, "-o", tmp_path / "map.npy", *kept)
    assert said.code == 130
    assert said.err == (
        "\nInterrupted before there was a map: nothing was written. "
        f"The same command resumes from {tmp_path / 'run.ckpt'}.\n"
    )
    with monkeypatch.context() as patch:
        patch.setattr("unimds.landmarks.refine._refined", struck)
        said = run(*long, "-o", tmp_path / "map.npy", *kept)
    assert said.code == 130  # a map, and a run that is not over
    assert said.err.count("nterrupted") == 1
    assert "The same command with --force resumes" in said.err
    report = ("--report", tmp_path / "r.html")
    assert run(*long, "-o", tmp_path / "map.npy", *kept, *report, "-f").code == 0
    assert np.array_equal(np.load(tmp_path / "map.npy"), np.load(tmp_path / "whole.npy"))
    assert not (tmp_path / "run.ckpt").exists()
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "LandmarkMDS" in page
    assert "Half of the distances are off by less than" in page  # it knows the given ones


@pytest.mark.parametrize("landmarks", [(), ("--landmarks", "20")])
def test_a_run_that_ended_at_its_limit_goes_on(tmp_path, landmarks):
    np.save(tmp_path / "x.npy", np.random.default_rng(0).normal(size=(60, 4)))
    base = ("embed", tmp_path / "x.npy", *ONE_START, "--eps", "1e-6", *landmarks)
    whole, out, kept = tmp_path / "whole.npy", tmp_path / "map.npy", tmp_path / "run.ckpt"
    assert run(*base, "-o", whole, "-q").code == 0
    said = run(*base, "-o", out, "--max-iter", "4", "--checkpoint", kept)
    assert said.code == 0
    again = f"To go on from {kept}, give the same command with --max-iter 8 --force.\n"
    assert said.err.endswith(again)
    assert kept.exists()
    assert run(*base, "-o", out, "--max-iter", "2000", "--checkpoint", kept, "-f").code == 0
    assert np.array_equal(np.load(out), np.load(whole))
    assert not kept.exists()


def test_a_map_that_was_written_before_is_a_start(cities, tmp_path):
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    base = ("embed", cities, "--loss", "absolute", "--n-init", "1", "--point-stress")
    said = run(*base, "-o", first, "--max-iter", "3")
    assert said.err.endswith(
        f"To go on from this map, give --init {first} and another name for OUT.\n"
    )
    head, *rows = first.read_text().splitlines()
    first.write_text("\n".join([head, *rows[::-1]]) + "\n")  # matched by label
    assert run(*base, "-o", second, "--init", first, "-q").code == 0
    start = read(first).values[::-1, :2]
    mds = MDS(metric="precomputed", loss="absolute", n_init=1, init=start, random_state=0)
    assert np.array_equal(read(second).values[:, :2], mds.fit(read(cities).values).embedding_)


def test_a_start_for_other_points_or_another_space_is_refused(cities, tmp_path):
    start = tmp_path / "start.csv"
    start.write_text("label,x,y\nUlm,1,2\nBonn,2,3\nKiel,3,1\nTrier,3,3\n")
    said = run("embed", cities, "--init", start)
    assert (said.code, said.out) == (1, "")
    assert "start.csv has no place for 'Jena'; give every point a row" in said.err
    said = run("embed", cities, "--init", start, "--dim", "3")
    assert said.code == 1
    assert "this map has the columns x, y, and a map of 3 dimensions in Euclidean()" in said.err


@pytest.mark.slow
def test_json_tells_all_and_a_pipe_gets_no_progress(cities, tmp_path):
    said = apart("embed", cities.name, "-o", "m.csv", "--model", "m", "--json", cwd=tmp_path)
    assert said.code == 0, said.err
    found = json.loads(said.out)
    assert found["cost"] == load(tmp_path / "m").cost_
    assert found["converged"] is True
    assert found["points"] == 5
    assert found["files"] == {"output": "m.csv", "model": "m"}
    assert {"stress", "n_iter", "seconds", "loss", "space", "message"} <= found.keys()
    assert not set("\x1b\r") & set(said.out + said.err)
    assert names(tmp_path) == ["cities.csv", "m", "m.csv"]


def test_from_a_pipe_into_a_pipe(tmp_path):
    said = apart("embed", "-", "--quiet", cwd=tmp_path, stdin=CITIES)
    assert (said.code, said.err) == (0, "")
    assert said.out.splitlines()[0] == "label,x,y"
    assert len(said.out.splitlines()) == 6
    assert names(tmp_path) == []


def test_report_and_plot_are_asked_for_with_all_they_need(cities, tmp_path, monkeypatch):
    asked = {}
    report = ModuleType("unimds.report")
    report.write_report = lambda mds, path, **rest: asked.update(path=path, mds=mds, **rest)
    monkeypatch.setitem(sys.modules, "unimds.report", report)

    def plot_embedding(X, labels=None, color=None, space=None, **further):
        asked.update(points=X, space=space)
        save = SimpleNamespace(savefig=lambda path, dpi: path.write_text(f"a picture, {dpi} dpi"))
        return SimpleNamespace(figure=save)

    monkeypatch.setattr(plots, "plot_embedding", plot_embedding, raising=False)
    said = run(
        "embed",
        cities,
        "-o",
        tmp_path / "m.csv",
        "--report",
        "r.html",
        "--plot",
        tmp_path / "p.png",
    )
    assert said.code == 0, said.err
    assert asked["path"] == "r.html"
    assert asked["labels"] == read(cities).labels
    assert np.array_equal(asked["D"], read(cities).values)
    assert asked["force"] is False
    assert np.array_equal(asked["points"], asked["mds"].embedding_)
    assert (tmp_path / "p.png").read_text() == "a picture, 150 dpi"


# --- mistakes -------------------------------------------------------------------------------------


def never(*_, **__):
    pytest.fail("it was computed")


@pytest.mark.parametrize("option", ["-o", "--model", "--plot"])
def test_files_are_never_replaced_without_force_and_nothing_is_computed(
    cities, tmp_path, monkeypatch, option
):
    target = tmp_path / {"-o": "there.csv", "--model": "there", "--plot": "there.png"}[option]
    target.write_text("mine")
    monkeypatch.setattr(module, "_fit", never)
    others = () if option == "-o" else ("-o", tmp_path / "new.csv")
    said = run("embed", cities, *others, option, target)
    assert (said.code, said.out) == (1, "")
    (line,) = said.err.splitlines()
    assert line.startswith(f"error: {target}: the file already exists")
    assert line.endswith("to replace it, give --force")
    assert target.read_text() == "mine"
    assert names(tmp_path) == sorted(["cities.csv", target.name])


def test_force_replaces(cities, tmp_path):
    (tmp_path / "m.csv").write_text("mine")
    assert run("embed", cities, "-o", tmp_path / "m.csv", "--force", "-q").code == 0
    assert read(tmp_path / "m.csv").n == 5


def test_a_folder_that_is_not_there_is_noticed_before_the_work(cities, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_fit", never)
    said = run("embed", cities, "-o", tmp_path / "no" / "m.csv")
    assert said.code == 1
    assert "there is no folder" in said.err


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--loss", "foo"], "loss='foo' is not known: use one of 'squared'"),
        (["--loss", "power:7"], "p must lie between 1 and 2"),
        (["--loss", "squared:7"], "only huber and power take a number"),
        (["--space", "torus"], "space='torus' is not known"),
        (["--variant", "xMDS"], "variant='xMDS' is not known"),
        (["--variant", "rMDS", "--loss", "huber"], "leave one out"),
        (["--radius", "5"], "has no size"),
        (["--space", "sphere", "--radius", "big"], "a number is needed"),
        (["--n-init", "many"], "must be auto, thorough or a number"),
        (["--dim", "0"], "--dim"),
        (["--format", "xls"], "must be one of"),
        (["--kind", "magic"], "must be one of"),
        (["-o", "map.xyz"], ".npz or .parquet, not in .xyz"),
        (["-o", "map"], "add one of these endings"),
        (["-o", "map.png"], ".png is the ending of a picture"),
        (["-o", "m.csv", "--plot", "m.txt"], "ends in .png, .svg or .pdf, not in .txt"),
        (["-o", "m.csv", "--report", "m.pdf"], ".pdf is the ending of a picture"),
        (["-o", "m.csv", "--model", "m.html"], ".html is the ending of a report"),
        (["-o", "m.csv", "--checkpoint", "m.json"], ".json is the ending of a table"),
        (["-o", "m.npz", "--model", "m.npz"], "name the same file"),
        (["-o", "m.csv", "--model", "-"], "needs the name of a file"),
        (["--landmarks", "3", "--weights", "w"], "does not work with --landmarks"),
        (["--color", "kind"], "there is nothing to colour; add --plot"),
        (["--init", "clasical"], "no kind of start 'clasical'; did you mean classical"),
        (["--surprise"], "There is no option --surprise"),
    ],
)
def test_bad_usage_is_2(cities, tmp_path, monkeypatch, options, says):
    monkeypatch.chdir(tmp_path)
    said = run("embed", cities, *options)
    assert (said.code, said.out) == (2, "")
    assert says in said.err
    assert names(tmp_path) == ["cities.csv"]


def test_a_report_never_replaces_a_picture(cities, tmp_path):
    picture = tmp_path / "map.png"
    picture.write_bytes(b"a picture")
    said = run("embed", cities, "-o", tmp_path / "m.csv", "--report", picture, "-f")
    assert said.code == 2
    assert "ends in .html or .htm, and .png is the ending of a picture" in said.err
    assert picture.read_bytes() == b"a picture"


def test_the_input_is_never_an_output(cities):
    said = run("embed", cities, "-o", cities, "--force")
    assert said.code == 2
    assert "is the input itself" in said.err
    assert cities.read_text() == CITIES


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "the file is empty"),
        ("a,b\nx,y\n", "holds no numbers"),
        (CITIES.replace("650", "abc", 1), "line 2, column 4: 'abc' is not a number"),
        (CITIES.replace("305", "-305"), "D['Ulm', 'Bonn'] = -305 is negative"),
        ("0,1\n1,2,3\n", "this row has"),
        ("0,1e308,1e308\n1e308,0,1e308\n1e308,1e308,0\n", "use another unit of length"),
        ("0,1\n1,0\n2,2\n", ""),
    ],
)
def test_a_bad_file_is_1_in_one_line(tmp_path, content, says):
    (tmp_path / "d.csv").write_text(content)
    said = run("embed", tmp_path / "d.csv", "-o", tmp_path / "m.csv", "--kind", "distances")
    assert (said.code, said.out) == (1, "")
    (line,) = said.err.splitlines()
    assert line.startswith("error: ")
    assert says in line
    assert names(tmp_path) == ["d.csv"]


def test_debug_shows_the_traceback(tmp_path):
    said = run("embed", tmp_path / "nowhere.csv", "--debug")
    assert said.code == 1
    assert "Traceback" in said.err
    assert "Traceback" not in run("embed", tmp_path / "nowhere.csv").err


def test_a_mistake_of_ours_is_one_line_too(cities, monkeypatch):
    monkeypatch.setattr(module, "_fit", lambda *_: {}["surprise"])
    said = run("embed", cities)
    assert said.code == 1
    assert said.err.startswith("error: unexpected KeyError: 'surprise'")


def test_warnings_are_messages_unless_nothing_is_to_be_said(cities):
    hasty = ("embed", cities, "--variant", "rMDS", "--max-iter", "1", "--n-init", "1")
    said = run(*hasty)
    assert said.code == 0
    assert said.err.count("Stopped after max_iter sweeps") == 1
    assert said.err.endswith("\nTo go further, give --max-iter 2.\n")
    assert "arning" not in said.err
    assert run(*hasty, "-q") == (0, said.out, "")


# --- what is seldom meant -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("a,b\n1,x\n", "holds a single point, read as points"),
        (",a\na,0\n", "holds a single point, read as distances"),
        (",a,a,b\na,0,1,2\na,1,0,3\nb,2,3,0\n", "2 points have the same label, 'a'"),
        (",a,b\na,0,1\nb,3,0\n", "is not symmetric: 1 from a to b, but 3 back"),
        ("0,1\n3,0\n", "is not symmetric: 1 from 1 to 2, but 3 back"),
    ],
)
def test_doubts_are_told_and_the_map_is_made(tmp_path, content, says):
    (tmp_path / "d.csv").write_text(content)
    said = run("embed", tmp_path / "d.csv", "-o", tmp_path / "m.csv")
    assert said.code == 0
    line, *others = said.err.splitlines()
    assert line.startswith("warning: ")
    assert says in line
    assert "warning" not in "".join(others)
    assert run("embed", tmp_path / "d.csv", "-q").err == ""


@pytest.mark.parametrize("content", [CITIES, CITIES.replace("305", "", 1), "1,2\n3,4\n"])
def test_there_is_no_doubt_without_reason(tmp_path, content):
    (tmp_path / "d.csv").write_text(content)
    said = run("embed", tmp_path / "d.csv", "-o", tmp_path / "m.csv")
    assert said.code == 0
    assert "warning" not in said.err


def test_one_point_is_not_called_points(tmp_path):
    (tmp_path / "d.csv").write_text("a,b\n1,x\n")
    said = run("embed", tmp_path / "d.csv", "-o", tmp_path / "m.csv")
    assert "\n1 point: cost 0" in said.err


def test_messages_name_options_and_not_arguments(tmp_path):
    (tmp_path / "d.csv").write_text("1,2\n")
    said = run("embed", tmp_path / "d.csv")
    assert said.code == 1
    assert said.err.endswith("give --kind points\n")


def test_an_old_encoding_is_named_and_can_be_given(tmp_path):
    (tmp_path / "d.csv").write_bytes(",Köln,Ulm\nKöln,0,1\nUlm,1,0\n".encode("latin-1"))
    said = run("embed", tmp_path / "d.csv")
    assert said.code == 1
    assert "give --encoding latin-1" in said.err
    said = run("embed", tmp_path / "d.csv", "--encoding", "latin-1", "-q")
    assert said.code == 0
    assert said.out.splitlines()[1].startswith("Köln,")


def test_a_folder_is_called_one(cities, tmp_path):
    said = run("embed", cities, "-o", tmp_path)
    assert said.code == 1
    assert "this is a folder; name a file in it" in said.err


@pytest.mark.parametrize(
    "options", [["--jobs", "0"], ["--seed", str(2**32)], ["--loss", "power:"], ["--loss", "huber:"]]
)
def test_numbers_that_cannot_be_are_bad_usage(cities, options):
    assert run("embed", cities, *options).code == 2


def test_a_label_with_dollars_is_drawn_as_it_is(tmp_path):
    (tmp_path / "d.csv").write_text(CITIES.replace("Ulm", "$x^{$").replace("Bonn", "_US$ and A$"))
    said = run("embed", tmp_path / "d.csv", "-o", tmp_path / "m.csv", "--plot", tmp_path / "p.svg")
    assert said.code == 0, said.err
    drawn = (tmp_path / "p.svg").read_text(encoding="utf-8")
    assert ">$x^{$</text>" in drawn
    assert ">\u200b_US$ and A$</text>" in drawn


def test_a_warning_is_told_once(tmp_path):
    (tmp_path / "d.csv").write_text(CITIES.replace("Ulm", "\N{UNICORN FACE}\N{UNICORN FACE}"))
    said = run("embed", tmp_path / "d.csv", "-o", tmp_path / "m.csv", "--plot", tmp_path / "p.png")
    assert said.err.count("UNICORN") == 1


def test_reading_a_file_shows_on_a_terminal_for_how_long(cities, tmp_path, monkeypatch):
    """As a large file would: this one is read after five ticks of the clock."""
    from unimds.files import reading

    read = reading.read_unjudged

    def slowly(*args, **options):
        time.sleep(0.5)
        return read(*args, **options)

    monkeypatch.setattr("unimds._runtime.watch.TICK", 0.1)
    monkeypatch.setattr(reading, "read_unjudged", slowly)
    monkeypatch.setattr("unimds.cli.progress.watched", lambda quiet: not quiet)
    said = run("embed", cities, "-o", tmp_path / "map.csv")
    assert f"reading {cities}"[:40] in said.err
    said = run("embed", cities, "-o", tmp_path / "map.csv", "-f", "-q")
    assert (said.code, said.err) == (0, "")


def test_sweeps_are_counted_where_there_is_no_search(cities):
    said = run("embed", cities, "--n-init", "1", "--json", "-o", cities.with_name("m.csv"))
    told = json.loads(said.out)
    assert f", {told['n_iter']} sweeps, " in said.err
    assert {"starts", "found"}.isdisjoint(told)


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("space", "name"), [("sphere", "radius"), ("hyperbolic", "curvature"), ("simplex", "size")]
)
def test_an_estimated_size_is_told(cities, tmp_path, space, name):
    files = ("-o", tmp_path / "m.csv", "--report", tmp_path / "r.html", *ONE_START)
    said = run("embed", cities, "--space", space, "--size", "auto", *files, "--json")
    found = float(re.search(rf"{name}=([\d.e+-]+)", json.loads(said.out)["space"])[1])
    assert f", {name} {found:.4g} (estimated), " in said.err
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert f"The {name} {found:.4g} was estimated from the distances." in page
    said = run("embed", cities, "--space", "sphere", "--radius", "500", "-q", "-o", "-")
    assert "estimated" not in said.err


@pytest.mark.parametrize(
    ("space", "coordinates"),
    [
        (("--space", "sphere", "--radius", "500"), "latlon"),
        (("--space", "hyperbolic", "--curvature", "1e-4"), "poincare"),
    ],
)
def test_a_map_in_other_coordinates_is_a_start(cities, tmp_path, space, coordinates):
    base = ("embed", cities, *space, "--n-init", "1", "--max-iter", "3")
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    said = run(*base, "-o", first, "--coordinates", coordinates)
    assert f"give --init {first} and another name for OUT." in said.err
    assert run(*base, "-o", tmp_path / "own.csv", "-q").code == 0  # the same map, as it is
    on = (*base[:-1], "50", "-q", "--init")
    assert run(*on, first, "-o", second).code == 0
    assert run(*on, tmp_path / "own.csv", "-o", tmp_path / "third.csv").code == 0
    maps = (read(tmp_path / name).values for name in ("second.csv", "third.csv"))
    # the same map: Poincaré coordinates have its mean at the centre, and are moved as a whole
    found, expected = (distances(points, space=space[1]) for points in maps)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)


def test_a_model_is_no_pickle(cities, tmp_path):
    said = run("embed", cities, "--model", tmp_path / "m.pkl")
    assert said.code == 2
    assert ".pkl is the ending of a pickle of Python" in " ".join(said.err.split())


def test_an_asymmetric_table_is_told_once(cities):
    cities.write_text(CITIES.replace("Kiel,650", "Kiel,700"))
    said = run("embed", cities, "-o", cities.with_name("m.csv"))
    assert said.err.count("not symmetric") == 1
    assert "700 from Kiel to Ulm" in said.err or "650 from Ulm to Kiel" in said.err


@pytest.mark.parametrize("quiet", [[], ["--quiet"]])
def test_json_lists_the_warnings(cities, tmp_path, quiet):
    table = CITIES.replace("Ulm,0,305", "Ulm,0,355")
    cities.write_text(table)
    files = ("-o", tmp_path / "m.csv", "--model", tmp_path / "m.unimds")
    said = run("embed", cities, *files, "--json", *quiet)
    told = json.loads(said.out)
    (warning,) = told["warnings"]
    assert "is not symmetric: 355 from Ulm to Bonn, but 305 back" in warning
    assert (f"warning: {warning}" in said.err) == (not quiet)
    assert 0.0 < told["seconds"] < told["total_seconds"]

    new = tmp_path / "new.csv"
    new.write_text("point,Ulm,Bonn,Kiel,Trier,Jena,Köln\nx,1,304,649,291,281,3\n")
    said = run("place", tmp_path / "m.unimds", new, "-o", tmp_path / "n.csv", "--json", *quiet)
    (warning,) = json.loads(said.out)["warnings"]
    assert "Köln" in warning


def test_json_tells_estimates_with_their_standard_errors(tmp_path):
    np.save(tmp_path / "x.npy", np.random.default_rng(0).normal(size=(300, 3)))
    how = ("embed", tmp_path / "x.npy", "-o", tmp_path / "m.csv", "--force", "--json")
    said = run(*how, "--landmarks", "40")
    told = json.loads(said.out)
    assert told["estimated"]
    assert 0.0 < told["cost_error"] < told["cost"]
    assert 0.0 < told["stress_error"] < told["stress"]
    assert {"starts", "found"}.isdisjoint(told)
    assert "(estimates with their standard errors)" in said.err
    told = json.loads(run(*how, "--landmarks", "300").out)  # all points are landmarks
    assert not told["estimated"]
    assert {"cost_error", "stress_error"}.isdisjoint(told)


def test_directions_that_differ_are_not_kept_quiet_where_no_pair_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("unimds.distances.doubts.tables.MANY", 3)
    (tmp_path / "d.csv").write_text(CITIES.replace("Ulm,0,305", "Ulm,0,355"))
    said = run("embed", tmp_path / "d.csv", "-o", tmp_path / "m.csv")
    assert "warning: D is not symmetric" in said.err
