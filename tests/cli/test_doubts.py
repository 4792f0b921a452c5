"""What the commands say of tables that are not what they seem."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from scipy.spatial.distance import pdist

from tests.support.commands import run
from unimds import MDS
from unimds.files import read, write
from unimds.models import save


@pytest.fixture
def put(tmp_path):
    """Write a file by hand."""

    def path_of(content, name="table.csv"):
        path = tmp_path / name
        path.write_text(content)
        return path

    return path_of


def test_a_column_that_numbers_the_points_is_told(put):
    path = put("oak,elm,plot\n3,5,1\n1,2,2\n7,1,3\n0,9,4\n")
    said = run("embed", path)
    assert "the column 'plot' counts as a feature" in said.err
    assert "give --drop plot" in said.err
    assert "counts as a feature" not in run("embed", path, "--drop", "plot").err


def test_numbers_of_sites_do_not_enter_the_distances(put, tmp_path):
    rows = "1,3,5\n2,1,2\n3,7,1\n4,0,9\n"
    run("embed", put(f"site,oak,elm\n{rows}"), "-o", tmp_path / "m.csv", "-q")
    found = read(tmp_path / "m.csv")
    assert found.labels == ["1", "2", "3", "4"]
    assert np.isclose(np.linalg.norm(found.values[0] - found.values[1]), np.hypot(2, 3))


def test_a_column_that_alone_makes_the_distances_is_told(put):
    rows = "a,7.1,3,1990\nb,6.9,4,2000\nc,7.3,3.5,2020\nd,7.0,3.1,1950\n"
    path = put(f"name,ph,temp,year of birth\n{rows}")
    said = run("embed", path)
    X = read(path).values
    share = (pdist(X[:, 2:]) ** 2).sum() / (pdist(X) ** 2).sum()
    told = f"the column 'year of birth' alone makes {100.0 * share:.4g} % of the squared distances"
    assert told in said.err
    assert "give --drop 'year of birth'" in said.err
    assert "--metric seuclidean" in said.err
    for choice in (("--drop", "year of birth"), ("--metric", "seuclidean")):
        assert "squared distances" not in run("embed", path, *choice).err
    bare = put("7.1 3 1990\n6.9 4 2000\n7.3 3.5 2020\n7.0 3.1 1950\n", "bare.txt")
    assert "the column number 3 alone makes" in run("embed", bare).err


def test_integers_beside_the_map_are_written_as_they_were(put, tmp_path):
    path = put("name,x,y,class\na,1,2,5\nb,2,1,5\nc,4,3,3\n")
    run("embed", path, "--drop", "class", "-o", tmp_path / "m.csv", "-q")
    lines = (tmp_path / "m.csv").read_text().splitlines()
    assert [line.rpartition(",")[2] for line in lines] == ["class", "5", "5", "3"]


def test_classes_that_are_numbers_get_a_legend_and_colours_are_drawn(put, tmp_path, monkeypatch):
    path = put("name,x,y,class,paint\na,1,2,5,#e41a1c\nb,2,1,5,red\nc,4,3,3,\n")
    drawn = []
    save = Figure.savefig
    monkeypatch.setattr(
        Figure, "savefig", lambda self, *a, **b: drawn.append(self) or save(self, *a, **b)
    )
    for column in ("class", "paint"):
        files = ("-o", tmp_path / f"{column}.csv", "--plot", tmp_path / f"{column}.png")
        assert run("embed", path, *files, "--color", column, "-q").code == 0
    classes, paint = (figure.axes for figure in drawn)
    assert len(classes) == len(paint) == 1  # no bar of colours
    assert [text.get_text() for text in classes[0].get_legend().get_texts()] == ["3", "5"]
    assert paint[0].get_legend() is None
    colours = [to_hex(colour) for colour in paint[0].collections[0].get_facecolors()]
    assert colours[:2] == ["#e41a1c", "#ff0000"]


# --- sites ----------------------------------------------------------------------------------------


def test_empty_sites_are_named_by_their_labels(put, tmp_path):
    options = ("--metric", "braycurtis", "-o", tmp_path / "m.csv", "--force")
    said = run("embed", put("site,oak,elm\nA,3,5\nB,0,0\nC,7,1\nD,0,2\n"), *options)
    assert said.code == 0
    assert "'B' is empty (all zeros); by braycurtis an empty point is at the distance 1" in said.err
    said = run("embed", put("site,oak,elm\nA,3,5\nB,0,0\nC,7,1\nD,0,0\n"), *options)
    assert "'B', 'D' are empty (all zeros)" in said.err
    assert "no value between two rows of zeros ('B' and 'D')" in said.err
    path = put("site,oak,elm\nA,3,5\nB,0,0\nC,7,1\nD,0,0\n")
    assert "('B' and 'D')" in run("compare", path, *options[:2], "--max-iter", "5").err


def test_an_empty_site_is_told_when_it_is_placed(put, tmp_path):
    model = tmp_path / "m.unimds"
    path = put("site,oak,elm\nA,3,5\nB,1,6\nC,7,1\nD,0,2\n")
    out = ("-o", tmp_path / "m.csv")
    assert run("embed", path, "--metric", "braycurtis", "--model", model, *out, "-q").code == 0
    new = put("site,oak,elm\nE,0,0\nF,1,1\n", "new.csv")
    said = run("place", model, new)
    assert said.code == 0
    assert "'E' is empty (all zeros)" in said.err
    assert run("place", model, new, "-q").err == ""


def test_sites_of_the_same_name_keep_their_labels(put, tmp_path):
    said = run("embed", put("site,oak,elm\nA,3,5\nB,1,2\nA,7,1\nC,0,9\n"), "-o", tmp_path / "m.csv")
    assert "2 points have the same label, 'A'" in said.err
    assert read(tmp_path / "m.csv").labels == ["A", "B", "A", "C"]


# --- parts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("source,target\na,b\nb,c\nc,d\nx,y\n", "the graph has 2 parts with no edge between them"),
        ("from,to,dist\na,b,1\nb,c,2\nc,d,2\nx,y,1\n", "the pairs fall into 2 parts with no pair"),
    ],
)
@pytest.mark.parametrize("command", ["embed", "compare"])
def test_the_parts_of_a_graph_are_named(put, content, says, command):
    path = put(content)
    said = run(command, path)
    assert said.code == 1
    assert f"error: {path}: {says}" in said.err
    assert "4 points (a, b, c, …); 2 points (x, y)" in said.err
    assert "make a map of each part alone" in said.err


@pytest.mark.parametrize("ending", ["csv", "parquet", "npz"])
def test_a_model_may_have_the_numbers_of_sites_as_a_feature(tmp_path, ending):
    frame = pd.DataFrame({"site": [1, 2, 3, 4], "oak": [3, 1, 7, 0], "elm": [5, 2, 1, 9]})
    model, new, out = tmp_path / "m.unimds", tmp_path / f"new.{ending}", tmp_path / "placed.csv"
    mds = MDS(random_state=0).fit(frame.astype(float))
    save(mds, model)
    if ending == "npz":
        np.savez(new, points=frame.to_numpy(float))
    else:
        getattr(frame, f"to_{ending}")(new, index=False)
    said = run("place", model, new, "-o", out)
    assert said.code == 0, said.err
    assert np.allclose(read(out, kind="points").values, mds.transform(frame.astype(float)))
    write(tmp_path / f"short.{ending}", [[1.0]], names=["oak"])
    said = run("place", model, tmp_path / f"short.{ending}")
    assert "lacks the feature 'site', which the model needs" in said.err
