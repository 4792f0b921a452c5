"""What the commands make of files: coordinates, graphs and columns."""

import json

import matplotlib.axes
import networkx as nx
import numpy as np
import pytest
from matplotlib.collections import LineCollection

from tests.support.commands import ONE_START, run
from unimds import MDS, Hyperbolic
from unimds.files import read, write
from unimds.models import load
from unimds.plots.views import view_of
from unimds.spaces import from_latlon, from_poincare
from unimds.spaces.hyperbolic import recentred

# --- coordinates ----------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["csv", "tsv", "json", "npz", "parquet"])
def test_a_hyperbolic_map_has_the_columns_of_the_hyperboloid(cities, tmp_path, form):
    out = tmp_path / f"map.{form}"
    space = ("--space", "hyperbolic", "--curvature", "1e-6", "-q", *ONE_START)
    assert run("embed", cities, "-o", out, *space).code == 0
    table = read(out)
    assert (table.features, table.kind) == (["t", "x", "y"], "points")
    mds = MDS(metric="precomputed", space=Hyperbolic(1e-6), n_init=1, random_state=0)
    assert np.array_equal(table.values, mds.fit(read(cities).values).embedding_)
    disk = tmp_path / f"disk.{form}"
    assert run("embed", cities, "-o", disk, "--coordinates", "poincare", *space).code == 0
    table = read(disk)
    assert table.features == ["poincare_x", "poincare_y"]
    centred = recentred(mds.embedding_, mds.embedding_)  # as the picture has it
    assert np.allclose(from_poincare(table.values), centred)


def test_a_map_of_a_sphere_as_latitude_and_longitude(cities, tmp_path):
    space = ("--space", "sphere", "--radius", "6371", "-q", *ONE_START)
    run("embed", cities, "-o", tmp_path / "ball.csv", *space)
    said = run("embed", cities, *space, "--coordinates", "latlon", "--out-format", "json")
    rows = json.loads(said.out)
    assert list(rows[0]) == ["label", "latitude", "longitude"]
    found = from_latlon([[row["latitude"], row["longitude"]] for row in rows])
    assert np.allclose(found, read(tmp_path / "ball.csv").values)


def test_coordinates_that_do_not_suit_are_told_before_the_run(cities, tmp_path):
    out = tmp_path / "map.csv"
    said = run("embed", cities, "-o", out, "--coordinates", "latlon")
    assert said.code == 2
    assert "--coordinates: 'latlon' needs a map of two dimensions on a sphere" in said.err
    assert "auto or cartesian" in said.err
    assert not out.exists()


@pytest.mark.parametrize("names", [["t", "x", "y"], ["x", "y", "z"]])
def test_maps_with_new_and_old_names_can_be_read_again(tmp_path, names):
    # three points whose table is square, symmetric and has a zero diagonal: still points
    path = tmp_path / "map.csv"
    write(path, [[0.0, 1.0, 2.0], [1.0, 0.0, 3.0], [2.0, 3.0, 0.0]], names=names)
    assert (read(path).kind, read(path).features) == ("points", names)
    assert run("compare", path, "-k", "1", "--max-iter", "5", "-q").code == 0
    model = tmp_path / "model.npz"
    assert run("embed", path, "-o", tmp_path / "again.csv", "--model", model, "-q").code == 0
    assert run("place", model, path, "-o", tmp_path / "placed.csv", "-q").code == 0


def test_new_points_have_the_coordinates_of_the_map(cities, tmp_path):
    model, space = (
        tmp_path / "model.npz",
        ("--space", "hyperbolic", "--curvature", "1e-6", *ONE_START),
    )
    run("embed", cities, "-o", tmp_path / "map.csv", "--model", model, *space, "-q")
    said = run("place", model, cities, "-q")
    assert said.out.startswith("label,t,x,y\n")
    said = run("place", model, cities, "-q", "--coordinates", "poincare")
    assert said.out.startswith("label,poincare_x,poincare_y\n")
    assert run("place", model, cities, "--coordinates", "latlon").code == 2


# --- graphs ---------------------------------------------------------------------------------------


@pytest.fixture
def club(tmp_path):
    graph = nx.karate_club_graph()
    nx.set_node_attributes(graph, {node: float(node) for node in graph}, "x")
    nx.write_graphml(graph, tmp_path / "club.graphml")
    return tmp_path / "club.graphml"


def test_a_graph_says_what_its_weights_were_taken_for(club, tmp_path):
    said = run("embed", club, "-o", tmp_path / "map.csv", *ONE_START)
    assert said.code == 0
    assert "club.graphml: the 'weight' of an edge was taken as its length" in said.err
    assert all(f"--weight {choice}" in said.err for choice in ("strength", "length", "none"))
    for choice in ("strength", "length", "none"):
        files = ("-o", tmp_path / f"{choice}.csv", *ONE_START)
        again = run("embed", club, *files, "--weight", choice)
        assert (again.code, "taken as" in again.err) == (0, False)
    assert (tmp_path / "length.csv").read_text() == (tmp_path / "map.csv").read_text()
    assert (tmp_path / "strength.csv").read_text() != (tmp_path / "map.csv").read_text()
    assert run("embed", club, "--weight", "weights.csv").code == 2
    assert run("compare", club, "--weight", "none", "-q", "--max-iter", "3").code == 0


def test_the_map_of_a_graph_has_its_attributes_and_edges(club, tmp_path, monkeypatch):
    drawn = []
    add = matplotlib.axes.Axes.add_collection

    def watched(self, collection, *args, **options):
        drawn.append(collection)
        return add(self, collection, *args, **options)

    monkeypatch.setattr(matplotlib.axes.Axes, "add_collection", watched)
    out, plot = tmp_path / "map.csv", tmp_path / "map.png"
    run("embed", club, "-o", out, "--plot", plot, "--weight", "none", "-q", *ONE_START)
    header = out.read_text().splitlines()[0]
    assert header == "label,x,y,club,input_x"  # the x of the file stays, under another name
    assert read(out).columns["club"].count("Officer") == 17
    lines = [part for part in drawn if isinstance(part, LineCollection)]
    assert sum(len(part.get_segments()) for part in lines) == 78


# --- columns --------------------------------------------------------------------------------------


def test_a_column_that_the_model_has_never_seen_is_told_and_kept(tmp_path):
    rows = [f"p{i},{i % 3},{i % 5}.5,{i}" for i in range(9)]
    (tmp_path / "x.csv").write_text("\n".join(["name,a,b,c", *rows]) + "\n")
    model = tmp_path / "model.npz"
    run("embed", tmp_path / "x.csv", "-o", tmp_path / "map.csv", "--model", model, "-q")
    plain = "name,c,b,a\nq,1,2.5,0\n"
    (tmp_path / "new.csv").write_text(plain)
    expected = run("place", model, tmp_path / "new.csv").out
    (tmp_path / "new.csv").write_text("name,c,born,b,x,a\nq,1,1990,2.5,7,0\n")
    said = run("place", model, tmp_path / "new.csv")
    assert said.code == 0
    assert "new.csv: columns that the model does not know do not count" in said.err
    assert "'born', 'x'" in said.err
    head, row = said.out.splitlines()
    assert head == "label,x,y,born,input_x"
    assert row == expected.splitlines()[1] + ",1990,7"
    assert run("place", model, tmp_path / "new.csv", "-q").err == ""


@pytest.mark.parametrize(
    ("metric", "code", "message"),
    [
        ("bray", 2, "metric='bray' is unknown; did you mean 'braycurtis'?"),
        ("aitchison", 2, "take logarithms of the proportions"),
        ("haversine", 1, "needs two features, latitude and longitude in radians, and X has 3"),
    ],
)
def test_metrics_that_cannot_measure_are_told(tmp_path, metric, code, message):
    (tmp_path / "x.csv").write_text("a,b,c\n1,2,3\n4,5,7\n7,8,8\n2,2,1\n")
    said = run("embed", tmp_path / "x.csv", "--metric", metric)
    assert said.code == code  # an unknown name is wrong usage, as of a loss or a space
    assert message in said.err


def test_empty_rows_under_bray_curtis_are_told(tmp_path):
    (tmp_path / "x.csv").write_text("a,b,c\n1,2,3\n0,0,0\n7,8,8\n0,0,0\n2,2,1\n")
    said = run("embed", tmp_path / "x.csv", "--metric", "braycurtis", "-o", tmp_path / "map.csv")
    assert said.code == 0
    assert "no value between two rows of zeros (X[1] and X[3])" in said.err
    assert "are missing (NaN), and do not count" in said.err
    assert "row 2, row 4 are empty (all zeros)" in said.err


def test_a_stack_of_tables_is_told_what_to_do(tmp_path):
    np.save(tmp_path / "stack.npy", np.zeros((12, 20, 20)))
    said = run("embed", tmp_path / "stack.npy")
    assert said.code == 1
    assert "is a stack of 12 tables of 20 × 20, and one table is needed" in said.err
    assert "nanmean(array, axis=0)" in said.err
    assert "array[0]" in said.err


def test_embed_maps_the_largest_part_of_a_graph(tmp_path):
    path = tmp_path / "g.edges"
    path.write_text("a b\nb c\nc d\np q\n")
    said = run("embed", path, "-o", tmp_path / "m.csv")
    assert said.code == 1
    assert "2 parts" in said.err
    assert "--part largest" in said.err
    said = run("embed", path, "-o", tmp_path / "m.csv", "--part", "largest")
    assert said.code == 0, said.err
    assert "left out 2: 'p', 'q'" in said.err
    assert [line[0] for line in (tmp_path / "m.csv").read_text().splitlines()[1:]] == list("abcd")
    assert run("embed", path, "--part", "big").code == 2


def test_metadata_of_an_array_without_labels_names_the_npz(tmp_path):
    np.save(tmp_path / "x.npy", np.random.default_rng(0).normal(size=(4, 3)))
    (tmp_path / "about.csv").write_text("name,kind\na,1\nb,1\nc,2\nd,2\n")
    how = ("-o", tmp_path / "m.csv", "--metadata", tmp_path / "about.csv")
    said = run("embed", tmp_path / "x.npy", *how)
    assert said.code == 1
    assert "one .npz file, numpy.savez(path, X=array, labels=labels)" in said.err
    np.savez(tmp_path / "x.npz", X=np.load(tmp_path / "x.npy"), labels=list("abcd"))
    assert run("embed", tmp_path / "x.npz", *how).code == 0


def test_points_are_named_by_a_column(tmp_path):
    path = tmp_path / "plots.csv"
    path.write_text("plot,site,oak,elm\na,wood,3,5\nb,fen,1,2\nc,hill,7,1\nd,wood,2,2\n")
    out = tmp_path / "m.csv"
    assert run("embed", path, "--names", "site", *ONE_START, "-o", out).code == 0
    assert [line.split(",")[0] for line in out.read_text().splitlines()[1:]] == [
        *("wood", "fen", "hill", "wood")
    ]
    whole = tmp_path / "whole.csv"
    whole.write_text("number,oak,elm\n7,3,5\n9,1,2\n4,7,1\n")
    named = read(whole, names="number")
    assert (named.labels, named.features) == (["7", "9", "4"], ["oak", "elm"])
    said = run("embed", path, "--names", "sight")
    assert "there is no column 'sight' to name the points by; the columns are site, oak" in said.err
    model = tmp_path / "m.unimds"
    run("embed", path, *ONE_START, "-o", tmp_path / "n.csv", "--model", model)
    assert run("place", model, path, "--names", "site").out.splitlines()[2].startswith("fen,")


def test_poincare_coordinates_have_the_mean_of_the_map_at_the_centre(tmp_path):
    edges = tmp_path / "tree.csv"
    joined = [(k, (k - 1) // 2) for k in range(1, 15)]
    edges.write_text("source,target,length\n" + "".join(f"n{a},n{b},1\n" for a, b in joined))
    model, out, new = (tmp_path / name for name in ("m.unimds", "m.csv", "new.csv"))
    hyperbolic = ("--space", "hyperbolic", "--coordinates", "poincare", *ONE_START)
    assert run("embed", edges, *hyperbolic, "-o", out, "--model", model).code == 0
    table, mds = read(out), load(model)
    view = view_of(mds.embedding_, mds.space_)
    np.testing.assert_allclose(table.values, view.points, atol=1e-9)
    D = read(edges)
    rows = ["new," + ",".join(f"{x:g}" for x in D.values[3])]
    new.write_text(",".join(["point", *D.labels]) + "\n" + "\n".join(rows) + "\n")
    run("place", model, new, "--coordinates", "poincare", "-o", tmp_path / "p.csv")
    # a copy of a point lies where the point is: the new points are in the frame of the map
    np.testing.assert_allclose(read(tmp_path / "p.csv").values[0], table.values[3], atol=0.02)
