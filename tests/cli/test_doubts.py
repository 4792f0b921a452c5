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


def test_a_column_of_consecutive_numbers_is_told_by_any_name(put):
    rows = "a,3,5,11\nb,1,2,12\nc,7,1,13\nd,0,9,14\ne,4,4,15\n"
    said = run("embed", put(f"site,oak,elm,Lfd\n{rows}"))
    assert "the column 'Lfd' counts as a feature" in said.err
    assert "give --drop Lfd" in said.err
    ranks = "a,3,1\nb,1,2\nc,2,5\nd,5,3\ne,4,4\n"
    assert "counts as a feature" not in run("embed", put(f"item,judge 1,judge 2\n{ranks}")).err


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


COUNTS = np.array([[7, 0, 2, 3], [0, 2, 3, 9], [1, 8, 0, 0], [4, 4, 1, 0], [0, 6, 5, 2]])


def plots(**columns):
    """A table of counts, with more columns."""
    frame = pd.DataFrame(COUNTS, list("abcde"), ["oak", "elm", "ash", "fir"])
    return frame.assign(**columns).to_csv(index_label="site")


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("metric", "what"),
    [
        ("braycurtis", "of the sums that Bray–Curtis divides by"),
        ("cosine", "of the squared lengths of the rows"),
        ("correlation", "of the squared lengths of the centred rows"),
    ],
)
@pytest.mark.parametrize("years", [[2024] * 5, [2020, 2021, 2022, 2020, 2021]])
def test_a_year_that_swamps_the_counts_is_told_by_every_metric(put, metric, what, years):
    path = put(plots(Jahr=years))
    said = run("embed", path, "--metric", metric)
    assert "the column 'Jahr' alone makes" in said.err
    assert what in said.err
    assert "give --drop Jahr" in said.err
    assert "alone makes" not in run("embed", path, "--metric", metric, "--drop", "Jahr").err


def test_the_share_of_a_column_is_its_share_in_what_the_metric_measures(put):
    X = np.column_stack([COUNTS, np.full(5, 2024.0)])
    share = (X[:, None] + X).sum(axis=(0, 1)) / (X[:, None] + X).sum()
    told = run("embed", put(plots(year=2024)), "--metric", "braycurtis").err
    assert f"alone makes {100.0 * share[4]:.4g} %" in told
    far = put(plots(height=[100, 2000, 30000, 5, 60000]))
    assert "the column 'height' alone makes" in run("embed", far, "--metric", "manhattan").err
    few = put("site,oak,elm\na,1,5\nb,2,5\nc,9,5\nd,4,5\n")
    assert "the column 'oak' alone makes 99.99 %" in run("embed", few, "--metric", "canberra").err


def test_totals_are_told(put):
    X = np.column_stack([COUNTS, COUNTS.sum(axis=1)])
    frame = pd.DataFrame(np.vstack([X, X.sum(axis=0)]), [*"abcde", "All"], [*"wxyz", "Sum"])
    said = run("embed", put(frame.to_csv(index_label="site")), "--metric", "braycurtis").err
    assert "the column 'Sum' is the sum of the other columns" in said
    assert "give --drop Sum" in said
    assert "the row 'All' is the sum of the other rows; remove it if it is no point" in said
    said = run("embed", put(plots()), "--metric", "braycurtis").err
    assert "is the sum of" not in said
    zeros = "site,oak,elm,ash\na,0,4,4\nb,0,1,1\nc,0,2,2\nd,0,0,0\n"
    assert "the sum of the other rows" not in run("embed", put(zeros)).err
    parts = "site,sand,silt,clay\na,0.1,0.2,0.3\nb,0.3,0.3,0.6\nc,0.2,0.5,0.7\n"
    assert "the column 'clay' is the sum of the other columns" in run("embed", put(parts)).err


def test_marks_of_presence_are_told_and_what_to_write_instead(put):
    path = put("site,oak,elm,height\na,x,,3\nb,,x,4\nc,x,x,6\n")
    said = run("embed", path, "--n-init", "1").err
    assert "the columns 'oak', 'elm' mark what is present, and do not count" in said
    assert "to keep them as words, give --drop oak,elm" in said
    assert "mark what" not in run("embed", path, "--n-init", "1", "--drop", "oak,elm").err


def test_counts_get_a_hint_at_a_metric_for_counts(put):
    sparse = np.where(COUNTS < 3, 0, COUNTS)
    frame = pd.DataFrame(sparse, list("abcde"), ["oak", "elm", "ash", "fir"])
    path = put(frame.to_csv(index_label="site"))
    said = run("embed", path).err
    assert f"holds whole numbers, {np.mean(sparse == 0):.0%} of them 0" in said.replace(" %", "%")
    assert "--metric braycurtis" in said
    assert "to confirm, give --metric euclidean" in said
    assert "holds whole numbers" in run("compare", path).err
    for metric in ("euclidean", "braycurtis"):
        assert "holds whole numbers" not in run("embed", path, "--metric", metric).err
    assert "holds whole numbers" not in run("embed", put((frame + 0.5).to_csv())).err
    assert "holds whole numbers" not in run("embed", put((frame + 1).to_csv())).err


def test_latitude_and_longitude_get_a_hint_at_the_globe(put):
    rows = "a,48.4,9.7\nb,47.9,11.7\nc,47.8,8.5\nd,49.1,7.0\n"
    path = put(f"site,Lat,lon\n{rows}")
    said = run("embed", path).err
    assert "the columns 'Lat' and 'lon' are taken for places on a flat map" in said
    assert "unimds.datasets.great_circle" in said
    assert "--metric haversine" in said
    assert "flat map" not in run("embed", path, "--metric", "euclidean").err
    assert "flat map" not in run("embed", put(f"site,Lat,height\n{rows}")).err


def test_negative_numbers_under_bray_and_curtis_are_told(put):
    frame = pd.DataFrame(COUNTS - 1, list("abcde"), ["oak", "elm", "ash", "fir"])
    said = run("embed", put(frame.to_csv(index_label="site")), "--metric", "braycurtis").err
    assert "metric='braycurtis' is meant for counts, and some rows hold negative numbers" in said
    assert "('a' and 'b', and 3 more)" in said


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
    assert "says nothing about its place: remove it" in said.err
    assert "--metric" not in said.err
    assert run("place", model, new, "-q").err == ""


@pytest.fixture
def meadows(put, tmp_path):
    """The model of a map of meadows."""
    model = tmp_path / "m.unimds"
    rows = "A,3,5,1\nB,1,6,0\nC,7,1,2\nD,0,2,2\n"
    path = put(f"site,Poa annua,Carex acuta,Galium verum\n{rows}")
    out = ("-o", tmp_path / "m.csv")
    assert run("embed", path, "--metric", "braycurtis", "--model", model, *out, "-q").code == 0
    return model


def test_hellinger_on_the_command_line(put, tmp_path):
    path, model, out = put(plots()), tmp_path / "h.unimds", tmp_path / "h.csv"
    how = ("--metric", "hellinger")
    assert run("embed", path, *how, "--model", model, "-o", out).code == 0
    placed = tmp_path / "placed.csv"
    assert run("place", model, path, "-o", placed).code == 0
    gaps = np.linalg.norm(read(placed, kind="points").values - read(out, kind="points").values)
    assert gaps < 0.1
    assert run("compare", path, *how, "--max-iter", "5").code == 0
    empty = put("site,oak,elm\nA,3,5\nB,0,0\nC,7,1\n", "empty.csv")
    said = run("embed", empty, *how)
    assert (said.code, said.out) == (1, "")
    assert "empty.csv: 'B' is empty (all zeros), and has no proportions" in said.err
    less = put("site,oak,elm\nA,3,5\nB,-1,4\nC,7,1\n", "less.csv")
    assert (
        "feature 'oak' of 'B' is negative, and has no proportions" in run("embed", less, *how).err
    )


def test_all_species_that_new_sites_lack_are_named(put, meadows):
    said = run("place", meadows, put("site,Poa annua,oak\nE,1,2\nF,1,1\n", "new.csv"))
    assert said.code == 1
    assert "lacks 2 features that the model needs, 'Carex acuta', 'Galium verum'" in said.err
    assert "add columns of these names, of zeros if what is absent counts 0" in said.err


def test_names_that_r_has_changed_are_told(put, meadows):
    head = "site,Poa.annua,Carex.acuta,Galium.verum"
    said = run("place", meadows, put(f"{head}\nE,1,2,1\nF,1,1,0\n", "new.csv"))
    assert said.code == 1
    assert "'Poa.annua' may be 'Poa annua': rename such columns" in said.err


def test_what_the_model_does_not_know_may_be_missing_in_new_points(put, meadows, tmp_path):
    head = "site,Poa annua,Carex acuta,Galium verum,depth"
    new = put(f"{head}\nE,1,2,1,NA\nF,1,1,0,3.5\n", "new.csv")
    assert run("place", meadows, new, "-o", tmp_path / "placed.csv").code == 0
    blank = put(f"{head}\nE,1,,1,2\nF,1,1,0,3.5\n", "new.csv")
    said = run("place", meadows, blank)
    assert said.code == 1
    assert "feature 'Carex acuta' of 'E' is missing" in said.err
    assert "--drop" not in said.err


def test_blanks_may_mean_zero_and_empty_columns_may_be_left_out(put):
    said = run("embed", put("site,oak,elm\nA,3,\nB,,6\nC,7,1\n"))
    assert said.code == 1
    assert "feature 'elm' of 'A' is missing; give a number (0 if a blank means 0)" in said.err
    said = run("embed", put('"pH" "depth" "my notes"\n"A" 5 3 NA\n"B" 6 3 NA\n"C" 7 1 NA\n'))
    assert "the column 'my notes' holds no numbers; give --drop 'my notes'" in said.err


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
    assert "lacks 2 features that the model needs, 'site', 'elm'" in said.err
