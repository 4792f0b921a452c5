"""Tables that are not what they seem: refused, read as what they are, or a warning says so."""

import io

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from tests.support.valid_files import D
from unimds import MDS
from unimds.files import FileError, FileWarning, read, read_metadata

TOWNS = ["Ulm", "Bonn", "Kiel", "Bristol"]
SHUFFLED = ["Kiel", "Bristal", "Ulm", "Bonn"]


@pytest.fixture
def put(tmp_path):
    """Write a file by hand, and read it."""

    def read_back(content, name="table.csv", **options):
        path = tmp_path / name
        path.write_text(content)
        return read(path, **options)

    return read_back


def save(frame, path, form):
    """Write a table of pandas in a format."""
    if form == "csv":
        frame.to_csv(path, index=False)
    elif form == "json":
        frame.to_json(path, orient="records")
    else:
        frame.to_parquet(path)


# --- squares with labels that differ --------------------------------------------------------------


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_misspelt_label_of_a_shuffled_square_is_named(tmp_path, form):
    square = np.array([[3.0, 4, 0, 1], [2, 5, 1, 0], [0, 6, 3, 2], [6, 0, 4, 5]])
    frame = pd.DataFrame(square, index=TOWNS, columns=SHUFFLED)
    path = tmp_path / f"towns.{form}"
    getattr(frame, f"to_{form}")(path)
    with pytest.raises(FileError, match=r"row 'Bristol', column 'Bristal'; .*kind='points'"):
        read(path)
    assert read(path, kind="points").features == SHUFFLED
    with pytest.raises(FileError, match=r"different orders.* row 'Bristol', column 'Bristal'"):
        read(path, kind="distances")


def test_columns_with_other_labels_in_the_order_of_the_rows_go_by_their_place(put):
    square = ",a,b,X.c\na,0,1,2.5\nb,1,0,3\nc!,2.5,3,0\n"
    with pytest.raises(FileError, match=r"row 'c!', column 'X\.c'"):
        put(square)
    table = put(square, kind="distances")
    assert table.labels == ["a", "b", "c!"]
    assert_array_equal(table.values, D)


def test_features_may_have_the_name_of_a_point(put):
    assert put("name,oak,elm,ash\noak,1,2,3\nb,4,5,6\nc,7,8,9\n").kind == "points"


# --- long lists -----------------------------------------------------------------------------------

COUNTS = ["A,oak,3", "A,elm,5", "B,oak,1", "B,elm,2", "C,oak,7", "C,ash,1"]
RATINGS = ["s,cat,dog,3", "s,cat,cow,5", "s,dog,cow,4", "t,cat,dog,2", "t,cat,cow,6", "t,dog,cow,4"]


def numbered(rows):
    """Rows with numbers in place of the first letters."""
    return [str(ord(row[0]) % 32) + row[1:] for row in rows]


def text(header, rows):
    return "\n".join([header, *rows]) + "\n"


def counted(header, rows):
    """Rows with their number in front, as R and pandas write them."""
    return text("," + header, [f"{i},{row}" for i, row in enumerate(rows, 1)])


@pytest.mark.parametrize("rows", [COUNTS, numbered(COUNTS)])
@pytest.mark.parametrize("written", [text, counted])
def test_a_long_list_of_counts_is_refused(put, rows, written):
    content = written("site,species,count", rows)
    with pytest.raises(FileError, match="a long list: each row holds one number, 'count'") as told:
        put(content)
    assert "a row for each 'site' and a column for each 'species'" in str(told.value)
    assert "pivot_table" in str(told.value)
    assert str(told.value).endswith("give kind='points'")
    assert put(content, kind="points").n == 6


def test_years_and_visits_are_no_features_of_a_long_list(put):
    rows = [f"{row[:-2]},{2000 + i % 3}{row[-2:]}" for i, row in enumerate(COUNTS)]
    with pytest.raises(FileError, match="a row for each 'site' and a column for each 'species'"):
        put(text("site,species,year,count", rows))
    content = "country,Year,gdp\nDE,2000,1.5\nDE,2001,2\nAT,2000,3\nAT,2001,2.5\n"
    with pytest.raises(FileError, match="a row for each 'country' and a column for each 'Year'"):
        put(content)
    assert put("year,month,rain\n1,1,2.5\n1,2,3\n2,1,1\n2,2,4\n").kind == "points"


@pytest.mark.parametrize("form", ["csv", "json", "parquet"])
def test_long_lists_are_known_in_every_format(tmp_path, form):
    frame = pd.DataFrame([row.split(",") for row in COUNTS], columns=["site", "species", "count"])
    frame["count"] = frame["count"].astype(float)
    path = tmp_path / "long"
    save(frame, path, form)
    with pytest.raises(FileError, match="a long list"):
        read(path)


@pytest.mark.parametrize("rows", [RATINGS, numbered(RATINGS)])
@pytest.mark.parametrize("written", [text, counted])
def test_ratings_of_several_subjects_are_refused(put, rows, written):
    with pytest.raises(FileError, match=r"a list of pairs, 'a' and 'b', .*'rating'") as told:
        put(written("subject,a,b,rating", rows))
    assert "take its mean over 'subject', or one of the lists" in str(told.value)


def test_long_lists_without_a_header(put):
    with pytest.raises(FileError, match=r"no label is in both columns.*kind='pairs'"):
        put("\n".join(COUNTS))
    assert put("\n".join(COUNTS), kind="pairs").n == 6
    assert put("hub,x,1\nhub,y,2\n").kind == "pairs"  # from one point to each of the rest


def test_so_few_pairs_that_many_maps_fit_may_be_edges(put):
    ties = "Ann Bob 3\nAnn Cem 1\nBob Cem 2\nCem Dana 1\nDana Eva 4\n"
    with pytest.warns(FileWarning, match=r"5 of 10 pairs .* too few .* kind='graph'"):
        assert put(ties).kind == "pairs"
    assert put(ties, kind="pairs").kind == "pairs"


def test_pairs_with_similarities_are_refused(put):
    content = "one,other,{}\na,b,5\na,c,2\nb,c,3\n"
    with pytest.raises(FileError, match=r"pairs with a 'Similarity', .*1 − r.*kind='pairs'"):
        put(content.format("Similarity"))
    assert put(content.format("Similarity"), kind="pairs").kind == "pairs"
    with pytest.warns(FileWarning, match="the 'ratings' of a pair was taken as its distance"):
        assert put(content.format("ratings")).kind == "pairs"
    assert put(content.format("ratings"), kind="pairs").kind == "pairs"


def listed(columns, subjects=(3,), numbers=False):
    """A list of all pairs of four animals: one row for each pair and subject."""
    animals = ["1", "2", "3", "4"] if numbers else ["ape", "bee", "cat", "dog"]
    rows = []
    for subject in subjects:
        for i, j in zip(*np.triu_indices(4, 1), strict=True):
            known = {
                **{"subject": str(subject), "stim1": animals[i], "stim2": animals[j]},
                **{"rating": str(1 + (i * j + subject) % 7), "rt": f"{900 + 31 * i + 7 * j}.5"},
                **{"mean": f"{i + j}.25", "std": f"0.{i}{j}", "count": "20"},
            }
            rows.append(",".join(known[name] for name in columns.split(",")))
    return text(columns, rows)


@pytest.mark.parametrize(
    ("columns", "subjects", "numbers", "told"),
    [
        (
            "stim1,stim2,mean,std,count",
            (3,),
            False,
            "with the numbers 'mean', 'std', 'count'. Keep",
        ),
        ("subject,stim1,stim2,rating", (3,), True, "with the number 'rating'. Call the columns"),
        ("subject,stim1,stim2,rating", (1, 2), True, "take its mean over 'subject'"),
        ("stim1,stim2,rating", (1, 2), True, "pairs repeat. Each pair needs one number"),
        ("stim1,stim2,rating", (3,), True, "pairs with a distance? For pairs, give kind='pairs'"),
        ("subject,stim1,stim2,rating,rt", (1, 2), False, "over 'subject', or one of the lists"),
        ("subject,stim1,stim2,rating,mean", (1, 2), True, "with the numbers 'rating', 'mean'"),
        ("subject,stim1,stim2,rating,mean", (3,), False, "with the numbers 'rating', 'mean'"),
    ],
)
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_lists_of_pairs_with_more_columns_are_refused(
    put, tmp_path, columns, subjects, numbers, told, form
):
    content = listed(columns, subjects, numbers)
    if form == "parquet":
        pd.read_csv(io.StringIO(content)).to_parquet(tmp_path / "list.parquet")
    with pytest.raises(FileError, match="a list of pairs") as error:
        put(content) if form == "csv" else read(tmp_path / "list.parquet")
    assert told in str(error.value)
    assert put(content, kind="points").kind == "points"


def test_two_columns_that_are_no_ends_of_pairs(put):
    rng = np.random.default_rng(0)
    marks = [f"{'no' if i % 3 else 'yes'},{'yes' if i % 2 else 'no'}" for i in range(12)]
    people = [f"{mark},{i}.5,{i * i}.5,{40 - i}" for i, mark in enumerate(marks)]
    assert put(text("smoker,diabetic,weight,dose,age", people)).kind == "points"
    answers = [",".join(map(str, row)) for row in rng.integers(1, 6, size=(30, 3))]
    assert put(text("q1,q2,age", answers)).kind == "points"
    pressure = [f"{120 + i},{140 - i},{i}.5" for i in range(10)]
    assert put(text("pressure1,pressure2,dose", pressure)).kind == "points"


def test_a_sorting_gets_a_row_for_each_item(put):
    rows = [f"S{s},{item},{1 + (s + k) % 2}" for s in range(3) for k, item in enumerate(TOWNS)]
    for rows_of, judge in ((rows, "subject"), ([row[1:] for row in rows], "Participant")):
        with pytest.raises(FileError, match="this looks like a sorting") as told:
            put(text(f"{judge},item,pile", rows_of))
        wanted = f"a row for each 'item' and a column for each '{judge}'"
        assert wanted in str(told.value)
        assert "the metric 'hamming'" in str(told.value)


def test_one_number_with_a_label_for_each_row_is_no_long_list(put):
    rows = [f"{name},{row}" for name, row in zip("uvwxyz", COUNTS, strict=True)]
    assert put(text("name,sex,group,score", rows)).labels == list("uvwxyz")


# --- stacks of tables -----------------------------------------------------------------------------

ONE, TWO = ["0,1,2", "1,0,3", "2,3,0"], ["0,2,2", "2,0,1", "2,1,0"]


def labelled(rows):
    return [f"{label},{row}" for label, row in zip("abc", rows, strict=True)]


def joined(*parts):
    return "\n".join(line for part in parts for line in part) + "\n"


STACKS = {
    "plain": joined(ONE, TWO),
    "blank line": joined(ONE, [""], TWO),
    "labels": joined(labelled(ONE), labelled(TWO)),
    "headers": joined(["a,b,c"], ONE, ["a,b,c"], TWO),
    "headers and labels": joined([",a,b,c"], labelled(ONE), [""], [",a,b,c"], labelled(TWO)),
    "titles": joined(["Ada", ",a,b,c"], labelled(ONE), ["", "Bob", ",a,b,c"], labelled(TWO)),
    "titles of a sheet": joined(["Ada,,,"], labelled(ONE), [",,,", "Bob,,,"], labelled(TWO)),
    "numbered": joined(
        ["subject,item,a,b,c"],
        [f"1,{row}" for row in labelled(ONE)],
        [f"2,{row}" for row in labelled(TWO)],
    ),
    "numbers as labels": joined([",1,2,3", "1,0,1,2", "2,1,0,3", "3,2,3,0", ""], [",1,2,3"])
    + "1,0,2,2\n2,2,0,1\n3,2,1,0\n",
    "triangles": "0\n1 0\n2 3 0\n0\n2 0\n2 1 0\n",
    "triangles with titles": "Ada\n1\n2 3\nBob\n2\n2 1\n",
    "upper triangles": "1 2\n3\n2 2\n1\n",
}


@pytest.mark.parametrize("name", STACKS)
def test_stacked_tables_are_refused(put, name):
    with pytest.raises(FileError, match=r"2 tables of 3 × 3, one below another.* their mean"):
        put(STACKS[name])


ALIKE = [["7,6,2", "6,7,3", "2,3,7"], ["7,5,1", "5,7,4", "1,4,7"]]
STACKS_OF_SIMILARITIES = {
    "plain": joined(*ALIKE),
    "header": joined(["a,b,c"], *ALIKE),
    "items": joined(["item,a,b,c"], *map(labelled, ALIKE)),
    "subjects": joined(
        ["subject,item,a,b,c"],
        [f"S1,{row}" for row in labelled(ALIKE[0])],
        [f"S2,{row}" for row in labelled(ALIKE[1])],
    ),
    "numbers of subjects": joined(
        ["subject,item,a,b,c"],
        [f"1,{row}" for row in labelled(ALIKE[0])],
        [f"2,{row}" for row in labelled(ALIKE[1])],
    ),
    "blank line": joined(ALIKE[0], [""], ALIKE[1]),
    "white space": joined(*ALIKE).replace(",", " "),
    "lower halves": joined(["item,a,b,c"], *[["a,7,,", "b,6,7,", "c,2,3,7"]] * 2),
    "not the same both ways": joined(["item,a,b,c"], *[["a,9,1,4", "b,2,9,3", "c,0,5,8"]] * 2),
}


@pytest.mark.parametrize("name", STACKS_OF_SIMILARITIES)
def test_stacked_similarities_are_refused(put, name):
    with pytest.raises(FileError, match=r"2 tables of 3 × 3, one below another.* their mean"):
        put(STACKS_OF_SIMILARITIES[name])
    assert put(STACKS_OF_SIMILARITIES[name], kind="points").values.shape == (6, 3)


def test_rows_that_are_no_stack(put):
    assert put("x,y,z\n" + "1,0,0\n0,1,0\n0,0,1\n" * 2).kind == "points"  # marks of classes
    assert put("x,y,z\n" + "1,1,0\n1,0,1\n0,1,1\n" * 2).kind == "points"
    assert put("x,y,z\n0,1,2\n1,0,3\n2,3,0\n0,2,2\n2,0,1\n2,2,0\n").kind == "points"
    assert put("0,1,2\n\n1,0,3\n\n2,3,0\n").kind == "distances"
    assert put(STACKS["plain"], kind="points").values.shape == (6, 3)


# --- numbers that are names -----------------------------------------------------------------------

PLOTS = ["101,3,5", "102,1,2", "103,7,1", "104,0,9"]


@pytest.mark.parametrize("head", ["site", "Plot No.", "sample_id", "subjectID", "ID", "no", "Nr"])
@pytest.mark.parametrize("form", ["csv", "json", "parquet"])
def test_numbers_of_sites_are_labels(tmp_path, head, form):
    frame = pd.DataFrame([row.split(",") for row in PLOTS], columns=[head, "oak", "elm"])
    path = tmp_path / "plots"
    save(frame.astype(int), path, form)
    table = read(path)
    assert (table.labels, table.features) == (["101", "102", "103", "104"], ["oak", "elm"])
    assert_array_equal(table.values[0], [3.0, 5.0])


def test_numbers_that_are_no_names(put):
    assert put("NO,O3\n30,5\n12,2\n17,1\n").features == ["NO", "O3"]  # in no order
    assert put("site,oak\n1.5,5\n2,2\n3,1\n").features == ["site", "oak"]
    assert put("oak,site\n3,1\n1,2\n7,3\n").features == ["oak", "site"]
    assert put("points,goals\n3,1\n1,2\n7,3\n").features == ["points", "goals"]
    assert put("sample\n3\n1\n7\n").features == ["sample"]


def test_numbers_of_sites_that_repeat_are_a_class(put):
    with pytest.warns(FileWarning, match="2 names for 4 rows, so the points have no labels"):
        table = put("site,oak,elm\n1,3,5\n1,1,2\n2,7,1\n2,0,9\n")
    assert (table.labels, table.features) == (None, ["oak", "elm"])
    assert table.columns == {"site": ["1", "1", "2", "2"]}


def test_a_square_below_numbers_of_items(put):
    table = put("item,1,2,3\n1,0,1,2.5\n2,1,0,3\n3,2.5,3,0\n")
    assert (table.kind, table.labels) == ("distances", ["1", "2", "3"])
    assert_array_equal(table.values, D)


# --- lists of numbers that may be edges -----------------------------------------------------------


def test_edges_of_numbers_are_taken_for_points_and_that_is_said(put):
    with pytest.warns(FileWarning, match="taken for points with 2 features each") as told:
        table = put("1 2\n2 3\n3 4\n1 4\n4 5\n", "net.txt")
    assert (table.kind, table.values.shape) == ("points", (5, 2))
    message = str(told[0].message)
    assert "if each row is an edge between two nodes, give kind='graph'" in message
    assert "kind='pairs'" not in message
    with pytest.warns(
        FileWarning, match=r"3 features each; .*with its distance, give kind='pairs'"
    ):
        put("1 2 0.5\n2 3 1.5\n3 4 1\n1 4 2.5\n4 5 0.2\n", "net.txt")
    assert put("1 2\n2 3\n3 4\n", "net.txt", kind="points").kind == "points"
    assert put("1 2\n2 3\n3 4\n", "net.txt", kind="graph").labels == ["1", "2", "3", "4"]


@pytest.mark.parametrize("form", ["csv", "json", "parquet"])
def test_pairs_of_numbers_with_a_distance_are_refused(tmp_path, form):
    frame = pd.DataFrame({"stim1": [1, 1, 2], "stim2": [2, 3, 3], "dissim": [3.5, 4.5, 2.0]})
    path = tmp_path / "pairs"
    save(frame, path, form)
    with pytest.raises(FileError, match=r"a list of pairs.*'dissim'.*give kind='pairs'"):
        read(path)
    table = read(path, kind="pairs")
    assert (table.labels, table.values[0].tolist()) == (["1", "2", "3"], [0.0, 3.5, 4.5])
    assert read(path, kind="points").features == ["stim1", "stim2", "dissim"]


def test_whole_numbers_that_are_no_edges(put):
    assert put("x y\n1 2\n2 3\n3 4\n", "map.txt").kind == "points"
    rng = np.random.default_rng(0)
    answers = "\n".join(f"{a} {b}" for a, b in rng.integers(1, 6, size=(30, 2)))
    assert put(answers, "likert.txt").kind == "points"


# --- adjacency matrices ---------------------------------------------------------------------------

PATH = np.diag([1.0, 1, 1], 1) + np.diag([1.0, 1, 1], -1)
STEPS = np.abs(np.subtract.outer(np.arange(4.0), np.arange(4.0)))


def test_an_adjacency_matrix_is_taken_for_distances_and_that_is_said(put):
    content = ",a,b,c,d\na,0,1,0,0\nb,1,0,1,0\nc,0,1,0,1\nd,0,0,1,0\n"
    with pytest.warns(FileWarning, match="6 of 12 numbers between different points are 0") as told:
        assert put(content).kind == "distances"
    message = str(told[0].message)
    assert "the adjacency matrix of a graph, give kind='graph'" in message
    assert "kind='points'" in message
    assert "to confirm distances, give kind='distances'" in message
    assert put(content, kind="distances").kind == "distances"
    table = put(content, kind="graph")
    assert (table.kind, table.labels, len(table.edges)) == ("graph", list("abcd"), 3)
    assert_array_equal(table.values, STEPS)


@pytest.mark.parametrize("form", ["txt", "npy", "npz", "json", "parquet"])
def test_adjacency_matrices_in_every_format(tmp_path, form):
    path = tmp_path / f"net.{form}"
    frame = pd.DataFrame(PATH, columns=list("abcd"))
    if form == "txt":
        np.savetxt(path, PATH)
    elif form in ("npy", "npz"):
        (np.save if form == "npy" else np.savez)(path, PATH)
    else:
        save(frame, path, form)
    with pytest.warns(FileWarning, match="kind='graph'"):
        read(path)
    assert_array_equal(read(path, kind="graph").values, STEPS)


def test_the_numbers_of_an_adjacency_matrix(put):
    content = "0,2,0,0\n2,0,4,0\n0,4,0,0\n0,0,0,0\n"
    with pytest.warns(FileWarning, match="numbers of the matrix were taken as the lengths"):
        assert put(content, kind="graph").values[0].tolist()[:3] == [0.0, 2.0, 6.0]
    assert put(content, kind="graph", weight="strength").values[0, 2] == 0.75
    table = put(content, kind="graph", weight="none")
    assert table.labels is None
    assert table.values[0, 2] == 2.0
    assert np.isnan(table.values[0, 3])


def test_zeros_between_points_that_are_alike_are_distances(put):
    assert put("0,0,1,1\n0,0,1,1\n1,1,0,0\n1,1,0,0\n").kind == "distances"  # two classes
    assert put("0,0,2,5\n0,0,3,4\n2,3,0,1\n5,4,1,0\n").kind == "distances"  # one zero


# --- similarities ---------------------------------------------------------------------------------


def square_text(square, diagonal):
    """Write a square as CSV, with its own diagonal."""
    cells = [[f"{x:.4g}" for x in row] for row in square]
    for i, row in enumerate(cells):
        row[i] = diagonal
    return "\n".join(map(",".join, cells)) + "\n"


def lower_text(square):
    return "\n".join(" ".join(f"{x:.4g}" for x in square[i, :i]) for i in range(1, len(square)))


def test_similarities_without_a_diagonal_are_noticed(put):
    X = np.random.default_rng(0).normal(size=(8, 2))
    far = np.linalg.norm(X[:, None] - X, axis=-1)
    for content in (square_text(far, ""), lower_text(far)):
        assert put(content).kind == "distances"
    for content in (square_text(9.0 - far, ""), lower_text(9.0 - far)):
        with pytest.warns(FileWarning, match=r"are these similarities\? .*largest value minus s"):
            put(content)
        assert put(content, kind="distances").n == 8


def test_a_triangle_of_correlations_is_no_triangle_without_diagonal(put):
    content = "1\n.5 1\n.2 .3 1\n"
    with pytest.raises(FileError, match=r"the diagonal holds the largest number, 1.* 1 − s"):
        put(content)
    assert put(content, kind="distances").n == 4
    assert put("2\n2 2\n2 2 2\n").n == 4  # all points equally far apart


def test_confusions_without_labels_are_no_points(put):
    rows = ["9,2,4,0,1", "3,8,1,0,2", "5,1,9,2,2", "0,0,3,7,1", "1,4,0,2,6"]
    table = put("\n".join(rows))
    assert table.kind == "distances"
    with pytest.raises(ValueError, match=r"is D a table of confusions or other counts\?"):
        MDS(metric="precomputed").fit(table.values)


# --- numbers of edges -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["strength", "Similarity"])
def test_strengths_of_edges_are_known_by_their_name(put, name):
    content = f"source,target,{name}\na,b,4\nb,c,1\n"
    with pytest.warns(FileWarning, match="was taken as its strength, whose inverse") as told:
        assert_array_equal(put(content).values[0], [0.0, 0.25, 1.25])
    message = str(told[0].message)
    assert all(f"give weight='{choice}'" in message for choice in ("strength", "length", "none"))
    assert_array_equal(put(content, weight="strength").values[0], [0.0, 0.25, 1.25])
    assert_array_equal(put(content, weight="length").values[0], [0.0, 4.0, 5.0])


@pytest.mark.parametrize("form", ["csv", "json", "parquet"])
def test_a_column_of_edges_that_is_not_used_is_told(tmp_path, form):
    frame = pd.DataFrame({"source": list("ab"), "target": list("bc"), "mails": [4, 1]})
    path = tmp_path / "edges"
    save(frame, path, form)
    with pytest.warns(FileWarning, match="every edge has the length 1, and 'mails'"):
        assert_array_equal(read(path).values[0], [0.0, 1.0, 2.0])
    assert_array_equal(read(path, weight="none").values[0], [0.0, 1.0, 2.0])


def test_edges_without_a_length_are_told(put):
    links = '[{"source": "a", "target": "b", "length": 4}, {"source": "b", "target": "c"}]'
    nodes = '[{"id": "a"}, {"id": "b"}, {"id": "c"}]'
    with pytest.warns(FileWarning, match="1 of 2 edges have no 'length', .*'b' and 'c', and 1 was"):
        table = put(f'{{"nodes": {nodes}, "links": {links}}}')
    assert_array_equal(table.values[0], [0.0, 4.0, 5.0])


# --- triangles as R prints them -------------------------------------------------------------------

PRINTED = {
    "words": "    a   b\nb 1.0    \nc 2.5 3.0\n",
    "numbers": "    1   2\n2 1.0    \n3 2.5 3.0\n",
    "diagonal": "    a   b   c\na 0.0        \nb 1.0 0.0    \nc 2.5 3.0 0.0\n",
    "numbers, diagonal": "    1   2   3\n1 0.0        \n2 1.0 0.0    \n3 2.5 3.0 0.0\n",
    "both halves": "    a   b   c\na     1.0 2.5\nb 1.0     3.0\nc 2.5 3.0    \n",
    "numbers, both halves": "    1   2   3\n1     1.0 2.5\n2 1.0     3.0\n3 2.5 3.0    \n",
    "a sheet": ",a,b\nb,1,\nc,2.5,3\n",
    "a sheet, upper half": ",b,c\na,1,2.5\nb,,3\n",
}


@pytest.mark.parametrize("name", PRINTED)
@pytest.mark.parametrize("kind", ["auto", "distances"])
def test_triangles_as_r_prints_them(put, name, kind):
    table = put(PRINTED[name], kind=kind)
    assert table.kind == "distances"
    assert table.labels == list("123" if "numbers" in name else "abc")
    assert_array_equal(table.values, D)


def test_a_triangle_without_the_name_of_its_first_point(put):
    with pytest.raises(
        FileError, match=r"the first point .* has no label; add a first line with it"
    ):
        put("b 1.0\nc 2.5 3.0\n")


# --- words and classes ----------------------------------------------------------------------------


def test_metadata_of_words_with_blanks_and_digits(tmp_path):
    path = tmp_path / "about.csv"
    path.write_text("name,place\nAda,New York 5\nBob,Old Town 7\nCy,Ulm 9\n")
    found = read_metadata(path)
    assert found.columns["place"] == ["New York 5", "Old Town 7", "Ulm 9"]


def test_integers_in_a_file_stay_integers(put, tmp_path):
    points = put("name,x,y,cluster\na,1,2.5,5\nb,2,1,5\nc,4,3,3\n").chosen(drop=["cluster"])
    assert points.columns["cluster"].tolist() == [5, 5, 3]
    assert points.columns["cluster"].dtype == np.int64
    about = tmp_path / "about.csv"
    about.write_text("name,class,size,more\na,1,1.5,1\nb,2,2,\nc,1,3,2\n")
    joined = points.joined(read_metadata(about)).columns
    assert joined["class"].dtype == np.int64
    assert joined["size"].dtype == joined["more"].dtype == np.float64
    graph = put('{"nodes": [{"id": "a", "group": 1}, {"id": "b", "group": 2}], "links": []}')
    assert graph.columns["group"].dtype == np.int64


def test_unknown_words_are_no_class(put, tmp_path):
    table = put("name,coast,x\na,yes,1\nb,NA,2\nNA,yes,4\n")
    assert (table.labels, table.columns) == (["a", "b", "NA"], {"coast": ["yes", "", "yes"]})
    about = tmp_path / "about.csv"
    about.write_text("who,coast\nb,N/A\na,yes\nNA,yes\n")
    points = put("name,x\na,1\nb,2\nNA,4\n")
    assert points.joined(read_metadata(about)).columns == {"coast": ["yes", "", "yes"]}


# --- names that repeat ----------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["csv", "json", "parquet"])
def test_names_of_sites_that_repeat_are_labels(tmp_path, form):
    frame = pd.DataFrame({"site": list("ABAC"), "oak": [3, 1, 7, 0], "elm": [5, 2, 1, 9]})
    path = tmp_path / "sites"
    save(frame, path, form)
    assert read(path).labels == ["A", "B", "A", "C"]
    save(frame.rename(columns={"site": "class"}), path, form)
    assert read(path).columns == {"class": ["A", "B", "A", "C"]}
    save(frame.assign(site=list("AABB")), path, form)
    with pytest.warns(FileWarning, match="2 names for 4 rows, so the points have no labels"):
        table = read(path)
    assert table.columns == {"site": ["A", "A", "B", "B"]}


# --- lists of edges as networkx writes them -------------------------------------------------------


@pytest.mark.parametrize("delimiter", [" ", "\t", ","])
def test_lists_of_edges_as_networkx_writes_them(tmp_path, delimiter):
    graph = nx.path_graph(4)
    path = tmp_path / "net.txt"
    nx.write_edgelist(graph, path, delimiter=delimiter)
    table = read(path)
    assert (table.kind, table.format, table.labels) == ("graph", "edgelist", list("0123"))
    assert_array_equal(table.values, STEPS)
    for i, (_, _, data) in enumerate(graph.edges(data=True)):
        data["weight"] = [3, 2.5, np.float64(1.0)][i]
    nx.write_edgelist(graph, path, delimiter=delimiter)
    with pytest.warns(FileWarning, match="the 'weight' of an edge was taken as its length"):
        assert_array_equal(read(path).values[0], [0.0, 3.0, 5.5, 6.5])
    assert read(path, weight="none", format="edgelist").values[0, 3] == 3.0


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("0 1 {}\n1 2\n", "line 2: .*two nodes without blanks, and attributes in braces"),
        ("0 1 {}\n1 2 {'weight': os}\n", "line 2: .*holds no attributes of an edge"),
        ("0 1 {1, 2}\n", "line 1: '{1, 2}' holds no attributes"),
    ],
)
def test_broken_lists_of_edges(put, content, problem):
    with pytest.raises(FileError, match=problem):
        put(content)
    with pytest.raises(FileError, match="is always of the kind 'graph'"):
        put(content, kind="points")


# --- totals and marks -----------------------------------------------------------------------------

TOTALS = "site,oak,elm,ash,Sum\na,1,2,0,3\nb,4,0,5,9\nc,2,2,1,5\nAll,7,4,6,17\n"


def test_totals_are_told_in_python_too(put):
    with pytest.warns(FileWarning) as told:
        table = put(TOTALS)
    column, row = (str(one.message) for one in told)
    assert "the column 'Sum' is the sum of the other columns" in column
    assert column.endswith("if it should not count, give drop='Sum'")
    assert "the row 'All' is the sum of the other rows; remove it if it is no point" in row
    assert table.features == ["oak", "elm", "ash", "Sum"]
    with pytest.warns(FileWarning, match="the row 'All'") as told:
        put(TOTALS, drop="Sum")
    assert len(told) == 1
    put(TOTALS.replace("All,7,4,6,17\n", ""), columns=["oak", "elm", "ash"])  # no warning


def test_numbers_without_end_are_no_total(put):
    assert put("x,y,z\ninf,1,0\n0,0,0\n0,0,0\n0,0,0\n").values.shape == (4, 3)


@pytest.mark.parametrize("rows", [5, 500])
def test_totals_are_found_in_tables_of_any_length(put, rows):
    X = np.random.default_rng(0).integers(0, 99, (rows, 4))
    frame = pd.DataFrame(np.column_stack([X, X.sum(axis=1)]), columns=[*"abcde"])
    with pytest.warns(FileWarning, match="the column 'e' is the sum of the other columns"):
        put(frame.to_csv(index=False), kind="points")
    frame.loc[rows - 1, "e"] += 1
    put(frame.to_csv(index=False), kind="points")  # no warning: it would be an error


@pytest.mark.parametrize(("yes", "no"), [("x", ""), ("+", ""), ("TRUE", "FALSE"), ("T", "F")])
@pytest.mark.parametrize("form", ["csv", "json"])
def test_marks_of_presence_beside_numbers_are_told(tmp_path, yes, no, form):
    there = np.array([[1, 0], [0, 1], [1, 1], [0, 1]], dtype=bool)
    frame = pd.DataFrame(np.where(there, yes, no), columns=["oak", "elm"])
    frame.insert(0, "site", [*"abcd"])
    frame["height"] = [3.0, 4.0, 5.0, 7.0]
    path = tmp_path / f"table.{form}"
    save(frame, path, form)
    with pytest.warns(FileWarning, match=r"'oak', 'elm' mark what is present, and do not count"):
        table = read(path)
    assert table.features == ["height"]
    assert list(table.columns) == ["oak", "elm"]
    with pytest.warns(FileWarning, match=r"the column 'elm' marks .* write 1 and 0 in their"):
        read(path, drop="oak")
    read(path, drop=["oak", "elm"])  # no warning: it would be an error


def test_truths_of_parquet_are_numbers(tmp_path):
    frame = pd.DataFrame({"site": [*"abc"], "oak": [True, False, True], "height": [3.0, 4.0, 5.5]})
    save(frame, tmp_path / "table.parquet", "parquet")
    assert read(tmp_path / "table.parquet").values[:, 0].tolist() == [1.0, 0.0, 1.0]


def test_words_that_colour_are_no_marks(put):
    put("site,sex,smokes,note,height\na,m,yes,x,3\nb,f,no,old,4\nc,f,no,,5.5\n")
