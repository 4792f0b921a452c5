"""Files: every format by hand and there and back, recognised without an ending; whole writes."""

import gzip
import io
import os
import pickle
import sys

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy.spatial.distance import squareform

from tests.support.pages import ROOT, blocks
from tests.support.valid_files import D
from unimds.distances.metric import distances_of
from unimds.files import FileError, read, write
from unimds.files.table import as_texts

ABC = ["a", "b", "c"]
TOWNS, PEOPLE, APES = ["Ulm", "Bonn", "Kiel"], ["Ada", "Bob", "Cy"], ["Human", "Chimp", "Gorilla"]
NAN = float("nan")


@pytest.fixture
def put(tmp_path):
    """Write a file by hand, and read it."""

    def read_back(content, name="table", **options):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
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


SQUARES = {
    "comma": ("0,1,2.5\n1,0,3\n2.5,3,0\n", "csv", None),
    "semicolon, decimal comma": ("0;1;2,5\n1;0;3\n2,5;3;0\n", "csv", None),
    "white space": (" 0   1 2.5\n1 0\t3\n\n2.5 3 0  \n", "text", None),
    "white space, decimal comma": ("0 1 2,5\n1 0 3\n2,5 3 0\n", "text", None),
    "tabs": ("0\t1\t2.5\n1\t0\t3\n2.5\t3\t0\n", "tsv", None),
    "no end of line": ("0,1,2.5\r\n1,0,3\r\n2.5,3,0", "csv", None),
    "old Mac": ("0,1,2.5\r1,0,3\r2.5,3,0\r", "csv", None),
    "comments": ("# distances\n0,1,2.5\n\n# more\n1,0,3\n2.5,3,0\n", "csv", None),
    "trailing commas": ("0,1,2.5,\n1,0,3,\n2.5,3,0,\n", "csv", None),
    "row labels": ("a,0,1,2.5\nb,1,0,3\nc,2.5,3,0\n", "csv", ABC),
    "column labels": ("a,b,c\n0,1,2.5\n1,0,3\n2.5,3,0\n", "csv", ABC),
    "both labels": (",a,b,c\na,0,1,2.5\nb,1,0,3\nc,2.5,3,0\n", "csv", ABC),
    "another order": ("x,c,a,b\na,2.5,0,1\nb,3,1,0\nc,0,2.5,3\n", "csv", ABC),
    "as R writes": ("a b c\na 0 1 2.5\nb 1 0 3\nc 2.5 3 0\n", "text", ABC),
    "numbers as labels": (",01,02,3\n01,0,1,2.5\n02,1,0,3\n3,2.5,3,0\n", "csv", ["01", "02", "3"]),
    "mixed labels": (",1,b,3\n1,0,1,2.5\nb,1,0,3\n3,2.5,3,0\n", "csv", ["1", "b", "3"]),
    "no diagonal": ("-,1,2.5\n1,-,3\n2.5,3,-\n", "csv", None),
    "half of it": ("0,,\n1,0,\n2.5,3,0\n", "csv", None),
    "labels, half of it": ("a,,,\nb,1,,\nc,2.5,3,\n", "csv", ABC),
    "half, no diagonal": (",,\n1,,\n2.5,3,\n", "csv", None),
    "upper half, no diagonal": (",1,2.5\n,,3\n,,\n", "csv", None),
    "header, half": (",a,b,c\na,,,\nb,1,,\nc,2.5,3,\n", "csv", ABC),
    "as R counts": ('"1" "2" "3"\n"1" 0 1 2.5\n"2" 1 0 3\n"3" 2.5 3 0\n', "text", list("123")),
    "as pandas counts": ("0,1,2\n0,1,2.5\n1,0,3\n2.5,3,0\n", "csv", list("012")),
    "lsmat": ("# skbio\n\ta\tb\tc\na\t0\t1\t2.5\nb\t1\t0\t3\nc\t2.5\t3\t0\n", "lsmat", ABC),
    "PHYLIP": ("3\na 0 1 2.5\nb 1 0 3\nc 2.5 3 0\n", "phylip", ABC),
    "PHYLIP, numbers": (" 3 \n1 0 1 2.5\n2 1 0 3\n3 2.5 3 0\n", "phylip", ["1", "2", "3"]),
    "PHYLIP, long rows": ("3\na 0 1\n  2.5\nb 1 0\n  3\nc 2.5 3\n  0\n", "phylip", ABC),
    "PHYLIP, strict": (
        "3\nHomo sapie0.0 1.0 2.5\nPan trog  1.0 0.0 3.0\nGorilla   2.5 3.0 0.0\n",
        "phylip",
        ["Homo sapie", "Pan trog", "Gorilla"],
    ),
    "JSON": ("[[0, 1, 2.5], [1, 0, 3], [2.5, 3, 0]]", "json", None),
}
TRIANGLES = {
    "lower": ("0\n1 0\n2.5 3 0\n", "lower triangle", None),
    "lower, no diagonal": ("1\n2.5 3\n", "lower triangle", None),
    "lower, labels": ("a,0\nb,1,0\nc,2.5,3,0\n", "lower triangle", ABC),
    "lower, labels, no diagonal": ("a\nb,1\nc,2.5,3\n", "lower triangle", ABC),
    "lower, header": ("a b c\n0\n1 0\n2.5 3 0\n", "lower triangle", ABC),
    "upper": ("0 1 2.5\n0 3\n0\n", "upper triangle", None),
    "upper, no diagonal": ("1 2.5\n3\n", "upper triangle", None),
    "upper, labels": ("a\t0\t1\t2.5\nb\t0\t3\nc\t0\n", "upper triangle", ABC),
    "upper, labels, no diagonal": ("a,1,2.5\nb,3\nc\n", "upper triangle", ABC),
    "PHYLIP": ("3\na\nb 1\nc 2.5 3\n", "lower triangle", ABC),
    "PHYLIP, diagonal": ("3\na 0\nb 1 0\nc 2.5 3 0\n", "lower triangle", ABC),
    "column": ("1\n2.5\n3\n", "condensed", None),
    "row": ("1,2.5,3\n", "condensed", None),
}


@pytest.mark.parametrize("name", SQUARES)
def test_squares(put, name):
    content, format, labels = SQUARES[name]
    table = put(content)
    assert (table.kind, table.format, table.layout) == ("distances", format, "square")
    assert table.labels == labels
    assert table.features is None
    assert_array_equal(table.values, D)
    assert table.values.flags.writeable
    assert table.values.flags.c_contiguous


@pytest.mark.parametrize("name", TRIANGLES)
def test_triangles_and_vectors(put, name):
    content, layout, labels = TRIANGLES[name]
    table = put(content)
    assert (table.kind, table.layout, table.labels) == ("distances", layout, labels)
    assert_array_equal(table.values, D)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_encodings_that_can_be_told_apart(put, encoding):
    table = put(",Köln,東京\nKöln,0,1\n東京,1,0\n".encode(encoding))
    assert table.labels == ["Köln", "東京"]


def test_latin_1_is_no_guess(put):
    content = "a,b\nx,Köln\n".encode("latin-1") + b"y,1\n"
    with pytest.raises(FileError, match=r"table, line 2: the byte 0xf6 is not utf-8; .*latin-1"):
        put(content)
    content = "Köln,0,1\nUlm,1,0\n".encode("latin-1")
    assert put(content, encoding="latin-1").labels == ["Köln", "Ulm"]


def test_gzip_by_content(put):
    assert_array_equal(put(gzip.compress(SQUARES["comma"][0].encode()), "x.csv.gz").values, D)
    assert_array_equal(put(gzip.compress(SQUARES["comma"][0].encode()), "x").values, D)


def test_quotes(put):
    table = put('"a, ""b""",0,1\n"two\n# lines",1,0\n')
    assert table.labels == ['a, "b"', "two\n# lines"]


@pytest.mark.parametrize("missing", ["", "NA", "nan", "-", "N/A", "null", "#N/A", " "])
def test_missing(put, missing):
    table = put(f"0,{missing},2\n1,0,3\n2,3,0\n")
    assert_array_equal(table.values, [[0, NAN, 2], [1, 0, 3], [2, 3, 0]])


def test_points(put):
    table = put("class,name,x,y\nA,p,1,2\nA,q,-3,\nB,r,5,6e3\n")
    assert (table.kind, table.layout, table.precomputed) == ("points", "rows", False)
    assert (table.labels, table.features) == (["p", "q", "r"], ["x", "y"])
    assert table.columns == {"class": ["A", "A", "B"]}
    assert_array_equal(table.values, [[1, 2], [-3, NAN], [5, 6000]])


@pytest.mark.parametrize(
    ("content", "labels", "features", "values"),
    [
        ("1,2\n3,4\n5,6\n", None, None, [[1, 2], [3, 4], [5, 6]]),
        ("id,x\n7,1\n8,2\n9,2\n", ["7", "8", "9"], ["x"], [[1], [2], [2]]),
        (",x\n0,1\n1,2\n2,2\n", ["0", "1", "2"], ["x"], [[1], [2], [2]]),
        ("name,2001,2002\np,1,2\nq,3,4\nr,3,5\n", ["p", "q", "r"], ["2001", "2002"], None),
        ("p,1,2\nq,3,4\nr,3,5\n", ["p", "q", "r"], None, [[1, 2], [3, 4], [3, 5]]),
        ("x\n1\n2\n3\n4\n", None, ["x"], [[1], [2], [3], [4]]),
        ("x,y\n0,1\n1,0\n", None, ["x", "y"], [[0, 1], [1, 0]]),
        (",0,1\np,1,2\nq,3,4\nr,3,5\n", ["p", "q", "r"], ["0", "1"], [[1, 2], [3, 4], [3, 5]]),
        (",0,1\n0,1,2\n1,3,4\n2,3,5\n", ["0", "1", "2"], ["0", "1"], [[1, 2], [3, 4], [3, 5]]),
        ("0,1\n.5,2\n3,4.5\n3,5.5\n", None, ["0", "1"], [[0.5, 2], [3, 4.5], [3, 5.5]]),
        ("0,1\n5,2\n3,4\n3,5\n", None, None, [[0, 1], [5, 2], [3, 4], [3, 5]]),
        (
            "p,x,y\np1,,2\nq,,4\nr,,5\n",
            ["p1", "q", "r"],
            ["x", "y"],
            [[NAN, 2], [NAN, 4], [NAN, 5]],
        ),
        ("x,y\n0,0\n3,4\n", None, ["x", "y"], [[0, 0], [3, 4]]),
        ("a,b,c\n1,2,3\n4,5,6\n7,8,9\n", None, ["a", "b", "c"], None),
    ],
)
def test_points_in_other_ways(put, content, labels, features, values):
    table = put(content)
    assert (table.kind, table.labels, table.features) == ("points", labels, features)
    if values is not None:
        assert_array_equal(table.values, values)


def test_distances_on_a_line_have_no_header(put):
    table = put("0,1,2\n1,0,1.0\n2,1.0,0\n")
    assert_array_equal(table.values, [[0, 1, 2], [1, 0, 1], [2, 1, 0]])


def test_columns_of_one_name_are_kept(put):
    table = put("t,t,name,x\nu,v,p,1\nu,w,q,2\nu,w,r,4\n")
    assert table.labels == ["p", "q", "r"]
    assert table.columns == {"t": ["u", "u", "u"], "t 2": ["v", "w", "w"]}


def test_what_is_assumed_of_a_square_can_be_overruled(put):
    square = SQUARES["comma"][0]
    assert put(square, kind="points").kind == "points"
    assert put("1,2\n3,4\n").kind == "points"
    assert put("1,2\n3,4\n", kind="distances").kind == "distances"
    assert put("0,1\n2,0\n").kind == "distances"  # asymmetric
    similar = put("1,.5,.2\n.5,1,.3\n.2,.3,1\n")  # the engine says that these are similarities
    assert similar.kind == "distances"
    assert put("1\n2\n3\n", kind="points").values.shape == (3, 1)
    assert put("1 2 3\n1 3 4\n2 3 1\n", kind="pairs").labels == ["1", "2", "3"]
    assert put("1 2 3\n1 3 4\n", "net.edges", weight="length").kind == "graph"
    assert put("a b 3\na c 4\n", kind="graph", weight="length").values[1, 2] == 7.0


@pytest.mark.parametrize(
    "header", ["source,target,distance", "from,to,dist", "a,b,dissimilarity", "I,J,Value", None]
)
def test_lists_of_pairs(put, header):
    table = put((header + "\n" if header else "") + "q,p,1\nq,r,2\nq,p,1\n")
    assert (table.kind, table.layout, table.labels) == ("pairs", "list", ["q", "p", "r"])
    assert_array_equal(table.values, [[0, 1, 2], [1, 0, NAN], [2, NAN, 0]])
    assert table.weights is None


def test_pairs_under_other_names_are_known_by_their_words(put):
    table = put("von,nach,km\nq,p,1\nq,r,2\np,r,3\n")
    assert (table.kind, table.labels) == ("pairs", ["q", "p", "r"])
    assert put("name,friend,age\nq,p,1\np,r,2\nr,p,3\n").kind == "points"  # each name once
    assert put("kind,shade,age,size\nq,x,1,1\nq,y,2,3\np,x,3,3\n").kind == "points"


@pytest.mark.parametrize("form", ["csv", "json", "parquet"])
def test_every_format_knows_pairs_by_their_words(tmp_path, form):
    path = tmp_path / "pairs"
    frame = pd.DataFrame({"von": list("qqp"), "nach": list("prr"), "km": [1.0, 2.0, 3.0]})

    save(frame, path, form)
    table = read(path)
    assert (table.kind, table.format, table.labels) == ("pairs", form, ["q", "p", "r"])
    assert_array_equal(table.values, [[0, 1, 2], [1, 0, 3], [2, 3, 0]])

    frame["Gewicht"] = [1.0, 1.0, 0.5]  # or a second feature: who knows?
    save(frame, path, form)
    with pytest.raises(FileError, match=r"share words.*kind 'points'.*give kind='pairs'"):
        read(path)
    with pytest.raises(FileError, match=r"'km' and 'Gewicht'.*give columns='km'"):
        read(path, kind="pairs")
    assert read(path, kind="pairs", columns="km").weights is None
    save(frame.rename(columns={"Gewicht": "weight"}), path, form)
    assert read(path, kind="pairs").weights[1, 2] == 0.5
    save(frame, path, form)
    table = read(path, kind="points")
    assert (table.kind, table.features) == ("points", ["km", "Gewicht"])


def test_pairs_with_weights_in_any_order_and_both_directions(put):
    table = put("weight,to,distance,from\n2,b,1,a\n3,a,5,b\n4,c,NA,a\n")
    assert table.labels == ABC
    assert_array_equal(table.values, [[0, 1, NAN], [5, 0, NAN], [NAN, NAN, 0]])
    assert_array_equal(table.weights, [[0, 2, 0], [3, 0, 0], [0, 0, 0]])


@pytest.mark.parametrize("dtype", [np.float64, np.float32, ">f8", np.int32, np.float16, bool])
@pytest.mark.parametrize("order", ["C", "F"])
def test_npy(tmp_path, dtype, order):
    X = np.array([[1, 0, 3], [0, 5, 6]], dtype=dtype, order=order)
    np.save(tmp_path / "x.npy", X)
    os.rename(tmp_path / "x.npy", tmp_path / "x")
    table = read(tmp_path / "x")
    assert (table.kind, table.format) == ("points", "npy")
    assert table.values.dtype == (np.float32 if X.dtype == np.float32 else np.float64)
    assert_array_equal(table.values, X.astype(float))


def test_npy_vectors_are_condensed(tmp_path):
    np.save(tmp_path / "x.npy", squareform(D))
    table = read(tmp_path / "x.npy")
    assert (table.layout, table.kind) == ("condensed", "distances")
    assert_array_equal(table.values, D)


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_npz(tmp_path, save):
    save(tmp_path / "x.npz", D=D, labels=np.array(ABC), weights=np.ones((3, 3)), other=[1, 2])
    table = read(tmp_path / "x.npz")
    assert (table.kind, table.format, table.labels) == ("distances", "npz", ABC)
    assert_array_equal(table.values, D)
    assert_array_equal(table.weights, np.ones((3, 3)))
    save(tmp_path / "x.npz", D)
    assert_array_equal(read(tmp_path / "x.npz").values, D)
    save(tmp_path / "x.npz", points=D)
    assert read(tmp_path / "x.npz").kind == "points"


def test_parquet_of_pandas(tmp_path):
    path = tmp_path / "x"
    pd.DataFrame(D, index=ABC, columns=ABC).to_parquet(path)
    table = read(path)
    assert (table.kind, table.format, table.labels) == ("distances", "parquet", ABC)
    assert_array_equal(table.values, D)

    frame = pd.DataFrame({"x": [1.0, 2.0], "kind": pd.Categorical(["u", "u"]), "y": [3, 4]})
    frame.index = pd.Index([10, 20], name="number")
    frame.to_parquet(path)
    table = read(path)
    assert (table.kind, table.labels, table.features) == ("points", ["10", "20"], ["x", "y"])
    assert table.columns == {"kind": ["u", "u"]}
    assert_array_equal(table.values, [[1, 3], [2, 4]])

    pd.DataFrame({"from": [1, 1], "to": [2, 3], "dist": [5.0, 6.0]}).to_parquet(path)
    table = read(path)
    assert (table.kind, table.labels) == ("pairs", ["1", "2", "3"])
    pd.DataFrame({"source": ["a"], "target": ["b"]}).to_parquet(path)
    assert read(path).kind == "graph"


@pytest.mark.parametrize("form", ["csv", "json", "parquet"])
def test_a_column_of_names_holds_the_labels_even_where_some_are_the_same(tmp_path, form):
    path = tmp_path / "points"
    frame = pd.DataFrame({"name": ["Ada", "Ada"], "mail": ["u", "v"], "x": [1.0, 2.0]})
    save(frame, path, form)
    table = read(path)
    assert (table.labels, table.columns) == (["Ada", "Ada"], {"mail": ["u", "v"]})


def test_the_standard_streams(monkeypatch, capsysbinary):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"0,1\n1,0\n")))
    assert read("-").n == 2
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"0,x\n1,0\n")))
    with pytest.raises(FileError, match="standard input, line 1, column 2"):
        read("-")
    write("-", [[1.0]], labels=["é"])
    assert capsysbinary.readouterr().out == "label,x\né,1.0\n".encode()
    write("-", [[1.0]], format="npy")
    assert capsysbinary.readouterr().out.startswith(b"\x93NUMPY")


def test_what_a_table_can_do(put):
    points = put("name,x,y\np,0,0\nq,3,4\n")
    assert_array_equal(distances_of(points, "euclidean"), [[0, 5], [5, 0]])
    assert_array_equal(distances_of(points, "cityblock"), [[0, 7], [7, 0]])
    assert list(points.to_frame().index) == ["p", "q"]
    square = put(SQUARES["both labels"][0])
    assert distances_of(square, "euclidean") is square.values
    assert list(square.to_frame().columns) == ABC
    assert as_texts(np.array([1.0, 2.5])) == ["1", "2.5"]


def test_the_examples_of_the_documentation(put):
    page = ROOT / "docs/files.md"
    plain = [block.body for block in blocks(page.read_text("utf-8")) if not block.language]
    tables = [put(body) for body in plain if not body.startswith("pip")]
    assert [(table.kind, table.layout) for table in tables] == [
        ("distances", "square"),
        ("distances", "lower triangle"),
        ("distances", "square"),
        ("points", "rows"),
        ("pairs", "list"),
        ("graph", "list"),
    ]
    assert all(table.labels in (TOWNS, PEOPLE, APES) for table in tables)


# --- files of other programs ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "start", "says"),
    [
        ("D.mat", b"MATLAB 5.0 MAT-file, Platform: GLNXA64\x00\x91", "a MATLAB file.*writematrix"),
        ("D.mat", b"\x00\x00\x00\x00\x06\x00\x00\x00", "a MATLAB file"),
        ("D.bin", pickle.dumps([1.0, 2.0]), r"a Python pickle.*numpy\.save\('D\.npy', D\)"),
        ("D.pkl", b"cnumpy\nfoo\x00", "a Python pickle"),
        ("D.h5", b"\x89HDF\r\n\x1a\n\x00", "an HDF5 file"),
        ("D.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old office document"),
    ],
)
def test_files_of_other_programs_are_named(tmp_path, name, start, says):
    path = tmp_path / name
    path.write_bytes(start)
    with pytest.raises(FileError, match=says):
        read(path)


def test_a_row_of_distances_is_a_condensed_vector(tmp_path):
    path = tmp_path / "row.npy"
    np.save(path, np.array([[1.0, 2.5, 3.0]]))
    table = read(path)
    assert (table.kind, table.layout) == ("distances", "condensed")
    assert_array_equal(table.values, D)
    assert read(path, kind="points").values.shape == (1, 3)
    np.save(path, np.array([[1.0, 2.5, 3.0, 4.0]]))
    assert read(path).kind == "points"
