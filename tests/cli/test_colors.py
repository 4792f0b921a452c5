"""Columns: which count, which colour, and where they come from; pictures of new points."""

import json
import re

import numpy as np
import pytest
from matplotlib.image import imread

from tests.support.commands import NEW, ONE_START, names, run
from unimds import MDS, plots
from unimds.files import read
from unimds.models import load
from unimds.spaces import distances


@pytest.fixture
def plants(tmp_path):
    """Points with a class, and a year that is no measurement."""
    rng = np.random.default_rng(0)
    rows = [
        f"p{i},{'ab'[i % 2]},{a:.3f},{b:.3f},{1900 + i}"
        for i, (a, b) in enumerate(rng.normal(size=(8, 2)))
    ]
    path = tmp_path / "plants.csv"
    path.write_text("name,kind,height,width,year\n" + "\n".join(rows) + "\n")
    return path


@pytest.fixture
def drawn(monkeypatch):
    """What is drawn, and in which colours."""
    asked = []
    draw = plots.plot_embedding

    def watched(X, labels=None, color=None, **rest):
        asked.append({"X": X, "labels": labels, "color": color, "new": rest.get("new")})
        return draw(X, labels, color, **rest)

    monkeypatch.setattr(plots, "plot_embedding", watched)
    return asked


def data_of(text):
    """The data of a report."""
    return json.loads(re.search(r'id="data">(.*?)</script>', text, re.S)[1])


def columns_of(page):
    """The columns of a report, in order."""
    text = page.read_text(encoding="utf-8")
    start = text.index('"columns":[') + len('"columns":')
    return json.JSONDecoder().raw_decode(text[start:])[0]


@pytest.mark.parametrize("choice", [("--drop", "year"), ("--columns", "height,width")])
def test_columns_that_do_not_count_stay_beside_the_map(plants, tmp_path, choice):
    assert run("embed", plants, "-o", tmp_path / "m.csv", *choice, "-q").code == 0
    table = read(plants)
    mds = MDS(random_state=0).fit(table.values[:, :2])
    found = read(tmp_path / "m.csv")
    assert found.features == ["x", "y", "year"]
    assert np.array_equal(found.values[:, :2], mds.embedding_)
    assert found.values[:, 2].tolist() == table.values[:, 2].tolist()
    assert found.columns["kind"] == table.columns["kind"]


def test_a_model_knows_the_columns_that_count(plants, tmp_path):
    model = tmp_path / "m.unimds"
    assert run("embed", plants, "--drop", "year", "--model", model, "-q", *ONE_START).code == 0
    (tmp_path / "new.csv").write_text("width,height\n1,2\n")
    assert run("place", model, tmp_path / "new.csv", "-q").code == 0


@pytest.mark.parametrize("column", ["kind", "year", "height"])
def test_a_column_colours_picture_and_report(plants, tmp_path, drawn, column):
    files = ("--plot", tmp_path / "p.png", "--report", tmp_path / "r.html", *ONE_START)
    said = run("embed", plants, "-o", tmp_path / "m.csv", *files, "--color", column)
    assert said.code == 0, said.err
    table = read(plants)
    expected = table.columns.get(column)
    if expected is None:
        expected = table.values[:, table.features.index(column)].tolist()
    assert list(drawn[0]["color"]) == list(expected)
    assert columns_of(tmp_path / "r.html")[0]["name"] == column
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")


def test_metadata_are_joined_by_label(cities, tmp_path, drawn):
    about = tmp_path / "about.csv"
    about.write_text("town,river,people\nKiel,none,246\nBonn,Rhine,336\nUlm,Danube,129\n")
    files = ("-o", tmp_path / "m.csv", "--plot", tmp_path / "p.png", *ONE_START)
    said = run("embed", cities, *files, "--metadata", about, "--color", "river")
    assert said.code == 0
    assert "warning: the metadata have no row for 'Trier' and 1 more of the 5 labels" in said.err
    assert drawn.pop()["color"] == ["Danube", "Rhine", "none", "", ""]
    with about.open("a") as file:
        file.write("Jena,Saale,110\nTrier,Moselle,112\nMetz,Moselle,120\n")
    said = run("embed", cities, *files, "--metadata", about, "--color", "river", "-q", "-f")
    assert (said.code, said.err) == (0, "")
    assert drawn[0]["color"] == ["Danube", "Rhine", "none", "Moselle", "Saale"]
    found = read(tmp_path / "m.csv")
    assert found.columns["river"] == drawn[0]["color"]
    assert found.values[:, found.features.index("people")].tolist() == [129, 336, 246, 112, 110]
    plain = run("embed", cities, "-q", *ONE_START).out.splitlines()
    assert [line.split(",")[:3] for line in plain] == [
        line.split(",")[:3] for line in (tmp_path / "m.csv").read_text().splitlines()
    ]  # the distances are those of the file


def test_metadata_without_labels_are_told(cities, tmp_path):
    about = tmp_path / "about.csv"
    about.write_text("river\nblue Danube\nRhine\nnone\nMoselle\nSaale\n")
    said = run("embed", cities, "--metadata", about)
    assert said.code == 1
    assert f"error: --metadata {about}: none of the labels, such as 'Ulm'" in said.err
    assert "add a column of labels" in said.err


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--drop", "yeer"], "plants.csv: "),
        (["--columns", "kind"], "plants.csv: "),
        (["--plot", "p.png", "--color", "knd"], "no column 'knd' to colour by; did you mean kind?"),
        (["--plot", "p.png", "--color", "zzz"], "its columns are kind, height, width, year"),
        (["--metadata", "nowhere.csv"], "nowhere.csv"),
    ],
)
def test_a_column_that_is_not_there_is_told_before_the_run(
    plants, tmp_path, monkeypatch, options, says
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("unimds.cli.commands.embed._fit", lambda *_: pytest.fail("computed"))
    said = run("embed", plants, "-o", "m.csv", *options)
    assert (said.code, said.out) == (1, "")
    assert says in said.err
    assert names(tmp_path) == ["plants.csv"]


def test_project_and_compare_choose_columns(plants):
    said = run("project", plants, "--drop", "year", "--dim", "1")
    assert said.err == "8 points: from 2 coordinates to 1.\n"
    said = run("compare", plants, "--columns", "height", "-k", "1", "--max-iter", "9", "--json")
    stress = {row["method"]: row["stress"] for row in json.loads(said.out)["methods"]}
    assert stress["svd"] < 1e-6  # one column is one dimension


# --- new points -----------------------------------------------------------------------------------


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "kind", [(), ("--landmarks", "5"), ("--space", "sphere", "--radius", "auto")]
)
def test_new_points_are_told_apart_from_the_map(plants, tmp_path, drawn, kind):
    model = tmp_path / "m.unimds"
    base = ("embed", plants, "--drop", "year", "--model", model, "-o", tmp_path / "m.csv", "-q")
    assert run(*base, *kind, *ONE_START).code == 0
    (tmp_path / "new.csv").write_text("name,height,width\nq1,0.3,0.4\nq2,-1,0.2\n")
    files = ("--plot", tmp_path / "p.png", "--report", tmp_path / "r.html")
    said = run("place", model, tmp_path / "new.csv", "-o", tmp_path / "placed.csv", *files)
    assert said.code == 0, said.err
    assert said.err.startswith("2 points placed, stress ")
    assert "). Written: " in said.err
    assert drawn[0]["color"] is None
    assert drawn[0]["new"] == [False] * 8 + [True] * 2
    assert drawn[0]["labels"] == [f"p{i}" for i in range(8)] + ["q1", "q2"]
    placed = read(tmp_path / "placed.csv", kind="points").values
    assert np.array_equal(drawn[0]["X"][8:], placed)
    (column,) = columns_of(tmp_path / "r.html")
    assert column == {"name": "origin", "names": ["map", "new"], "codes": [0] * 8 + [1] * 2}
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "A map of 8 points and 2 new" in page
    assert (data_of(page)["fresh"], data_of(page)["origin"]) == (2, 0)
    assert '<tr><th scope="row">metric</th><td>euclidean</td></tr>' in page
    assert "Half of the distances are off by less than" in page


def test_on_a_crowded_map_only_new_points_are_named(tmp_path, drawn):
    X = np.random.default_rng(0).normal(size=(70, 2))
    np.savetxt(tmp_path / "x.csv", X, delimiter=",", header="a,b", comments="")
    model = tmp_path / "m.unimds"
    run("embed", tmp_path / "x.csv", "--model", model, "-o", tmp_path / "m.csv", "-q", *ONE_START)
    (tmp_path / "new.csv").write_text("a,b\n1,2\n")
    said = run("place", model, tmp_path / "new.csv", "--plot", tmp_path / "p.png", "-q")
    assert said.code == 0, said.err
    assert drawn[0]["labels"] == [None] * 70 + ["new 1"]


def test_the_report_on_new_points_judges_their_own_distances(cities, tmp_path):
    model = tmp_path / "m.unimds"
    run("embed", cities, "--model", model, "-o", tmp_path / "m.csv", "-q", *ONE_START)
    (tmp_path / "new.csv").write_text(NEW)
    files = ("-o", tmp_path / "placed.csv", "--report", tmp_path / "r.html")
    said = run("place", model, tmp_path / "new.csv", *files, "--json", "-q")
    assert said.code == 0, said.err
    written = json.loads(said.out)["files"]
    assert written == {"output": str(files[1]), "report": str(files[3])}
    page = files[3].read_text(encoding="utf-8")
    mds = load(model)
    assert "2 new points were placed on a map of 5 points, which did not move." in page
    new = read(tmp_path / "placed.csv", kind="points").values
    given = np.array([[1, 304, 649, 291, 281], [281, 321, 401, 379, 2.0]])
    mapped = distances(new, mds.embedding_)
    settings = dict(re.findall(r'<tr><th scope="row">(.*?)</th><td>(.*?)</td></tr>', page))
    assert float(settings["cost of the map"]) == pytest.approx(mds.cost_, rel=1e-5)
    assert float(settings["Stress-1 of the map"]) == pytest.approx(mds.stress_, rel=1e-5)
    cost = ((mapped - given) ** 2).sum()
    assert float(settings["cost of the new points"]) == pytest.approx(cost, rel=1e-5)
    stress = np.sqrt(cost / (mapped**2).sum())
    assert float(settings["Stress-1 of the new points"]) == pytest.approx(stress, rel=1e-5)


def test_a_single_new_point_is_blamed_only_for_its_own_misfit(cities, tmp_path):
    model = tmp_path / "m.unimds"
    run("embed", cities, "--model", model, "-o", tmp_path / "m.csv", "-q", *ONE_START)
    head = "point,Ulm,Bonn,Kiel,Trier,Jena\n"
    (tmp_path / "good.csv").write_text(head + "near Ulm,1,304,649,291,281\n")
    (tmp_path / "bad.csv").write_text(head + "far,900,20,900,900,30\n")
    pages = {}
    for name in ("good", "bad"):
        out = tmp_path / f"{name}.html"
        assert run("place", model, tmp_path / f"{name}.csv", "--report", out, "-q").code == 0
        pages[name] = out.read_text(encoding="utf-8")
    assert "The new point does not fit more than twice as badly as the map." in pages["good"]
    assert data_of(pages["good"])["worst"] == []
    assert "The new point fits more than twice as badly as the map:" in pages["bad"]
    assert data_of(pages["bad"])["worst"] == [5]
    assert "share" not in data_of(pages["bad"])


@pytest.mark.sample(1)
def test_new_points_have_metadata_and_colours(cities, tmp_path, drawn):
    model, about = tmp_path / "m.unimds", tmp_path / "about.csv"
    run("embed", cities, "--model", model, "-o", tmp_path / "m.csv", "-q", *ONE_START)
    (tmp_path / "new.csv").write_text(NEW)
    about.write_text("place,river\nnear Jena,Saale\nnear Ulm,Danube\n")
    files = (
        "-o",
        tmp_path / "o.csv",
        "--plot",
        tmp_path / "p.png",
        "--report",
        tmp_path / "r.html",
    )
    base = ("place", model, tmp_path / "new.csv", *files, "-q", "-f", "--metadata", about)
    said = run(*base, "--color", "river")
    assert said.code == 0, said.err
    assert drawn[-1]["color"] == [None] * 5 + ["Danube", "Saale"]
    said = run(*(option for option in base if option != "-q"), "--color", "river")
    assert "Only the new points have a value of 'river'; the points of the map are grey" in said.err
    assert read(tmp_path / "o.csv").columns["river"] == ["Danube", "Saale"]
    assert columns_of(tmp_path / "r.html")[0]["name"] == "river"
    with about.open("a") as file:  # the points of the map as well
        file.write("Ulm,Danube\nBonn,Rhine\nKiel,none\nTrier,Moselle\nJena,Saale\n")
    assert run(*base, "--color", "river").code == 0
    rivers = ["Danube", "Rhine", "none", "Moselle", "Saale", "Danube", "Saale"]
    assert drawn[-1]["color"] == rivers
    # the colours of the map's own picture stay, whatever the new points bring along
    about.write_text(about.read_text().replace("near Ulm,Danube", "near Ulm,Aare"))
    assert run(*base, "--color", "river").code == 0
    column = columns_of(tmp_path / "r.html")[0]
    assert column["names"] == ["Danube", "Moselle", "none", "Rhine", "Saale", "Aare"]
    about.write_text(about.read_text().replace("near Ulm,Aare", "near Ulm,Danube"))
    assert run(*base).code == 0
    assert [column["name"] for column in columns_of(tmp_path / "r.html")] == ["origin", "river"]
    said = run(*base, "--color", "rivr")
    assert said.code == 1
    assert "did you mean river or Trier?" in said.err


def test_pictures_of_new_points_follow_the_rules_for_files(cities, tmp_path):
    model = tmp_path / "m.unimds"
    run("embed", cities, "--model", model, "-o", tmp_path / "m.csv", "-q", *ONE_START)
    said = run("place", model, cities, "--plot", tmp_path / "p.html")
    assert said.code == 2
    assert ".html is the ending of a report" in said.err
    (tmp_path / "p.png").write_text("mine")
    said = run("place", model, cities, "--plot", tmp_path / "p.png")
    assert said.code == 1
    assert (tmp_path / "p.png").read_text() == "mine"


# --- titles ---------------------------------------------------------------------------------------


def test_pictures_and_reports_have_a_title_and_a_resolution(plants, tmp_path, monkeypatch):
    axes = []
    draw = plots.plot_embedding
    monkeypatch.setattr(
        plots, "plot_embedding", lambda *a, **k: axes.append(draw(*a, **k)) or axes[-1]
    )
    model, picture, page = tmp_path / "m.unimds", tmp_path / "p.png", tmp_path / "r.html"
    looks = ("--plot", picture, "--report", page, "--title", "My <plants>", "--color", "kind")
    small = ("--dpi", "50", "-q", "-f")
    base = ("-o", tmp_path / "m.csv", *looks, *small)
    said = run("embed", plants, "--drop", "year", "--model", model, *base, *ONE_START)
    assert said.code == 0, said.err
    assert "<title>My &lt;plants&gt;</title>" in page.read_text(encoding="utf-8")
    assert axes[-1].get_title() == "My <plants>"
    assert axes[-1].get_legend().get_title().get_text() == "kind"
    assert imread(picture).shape[1] == 50 * axes[-1].figure.get_size_inches()[0]
    (tmp_path / "new.csv").write_text("name,kind,height,width\nq,a,0.3,0.4\n")
    said = run("place", model, tmp_path / "new.csv", *base)
    assert said.code == 0, said.err
    assert "<title>My &lt;plants&gt;</title>" in page.read_text(encoding="utf-8")
    assert axes[-1].get_title() == "My <plants>"
    told = [text.get_text() for text in axes[-1].get_legend().get_texts()]
    assert (told[0], told[-1]) == ("kind", "new (outlined)")  # two sections, the first with a title


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--title", "T"), "there is nothing to entitle; add --plot P.png or --report R.html"),
        (("--dpi", "90", "--report", "r.html"), "there is no picture; add --plot P.png"),
    ],
)
def test_looks_need_a_picture(plants, options, says):
    said = run("embed", plants, *options)
    assert said.code == 2
    assert says in " ".join(said.err.replace("│", " ").split())


def test_a_picture_without_names(plants, tmp_path):
    """SVG holds text as text: the names are there, or they are not."""
    for how, there in (([], True), (["--no-names"], False)):
        path = tmp_path / "p.svg"
        said = run("embed", plants, "-o", tmp_path / "m.csv", "--plot", path, "--force", *how)
        assert said.code == 0, said.err
        label = (tmp_path / "m.csv").read_text().splitlines()[1].split(",")[0]
        assert (f">{label}<" in path.read_text()) == there
    said = run("embed", plants, "--no-names")
    assert said.code == 2
    assert "there is no picture" in said.err
