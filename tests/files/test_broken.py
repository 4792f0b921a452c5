"""Broken, hostile and impossible files: a FileError that says where, and nothing else ever."""

import gzip
import io
import os
import pickle
import struct
import sys
import zipfile

import numpy as np
import pandas as pd
import pytest

from tests.support.valid_files import SMALL, VALID, D, attempt, saved
from unimds.files import FileError, read, write
from unimds.files.formats.content import size


@pytest.mark.parametrize("name", VALID)
def test_the_files_to_be_broken_are_whole(tmp_path, name):
    assert attempt(tmp_path / "x", VALID[name]) is not None


BROKEN = {
    "word": ("0,1,2\n1,0,abc\n2,3,0\n", "line 2, column 3: 'abc' is not a number; correct it"),
    "word at first": ("0,abc,2\n1,0,3\n2,3,0\n", "line 1, column 2: 'abc' is not a number"),
    "word with labels": (",a,b\na,0,x y\nb,1,0\n", "line 2, column 3: 'x y' is not a number"),
    "word of a point": ("x,y\n1,2\n3,o\n5,6\n7,8\n", "line 3, column 2: 'o' is not a number"),
    "word in a triangle": ("0\n1 0\n2 x 0\n", "line 3, column 2: 'x' is not a number"),
    "word in a list": ("from,to,dist\na,b,1\nb,c,far\n", "line 3, column 3: 'far' is not a number"),
    "after lines in quotes": ('"a\nb",0,1\n\n#\nc,1,o\nd,1,2\n', "line 5, column 3: 'o' is not"),
    "no label": ("from,to,dist\na,,1\n", "line 2, column 2: a label is missing"),
    "short row": ("0,1,2\n1,0\n2,3,0\n", "line 2: this row has 2 cells, but most rows have 3"),
    "long row": ("0,1,2\n1,0,3\n2,3,0,4\n", "line 3: this row has 4 cells, but most rows have 3"),
    "labels": (",a,b\na,0,1\nc,1,0\n", "different labels: row 'c', column 'b'; correct"),
    "cut off": ("0,1,2,3\n1,0,4,5\n2,4,0,6\n", "a square of 4 points that lacks its last rows"),
    "cut off, labels": (",a,b,c\na,0,1,2\nb,1,0,3\n", "a square of 3 points that lacks its last"),
    "short header": ("0,abc\n1,0,3\n2,3,0\n", "line 1: this row has 2 cells, but most rows have 3"),
    "a label twice": (",a,a\na,0,1\nb,1,0\n", "'b' is a row, but not a column"),
    "other labels": (",a,b\na,0,1\na,1,0\n", "'b' is a column, but not a row"),
    "odd white space": ("3\x1d\nb0W\nc 2", "the first line says 3 points"),
    "empty": ("", "the file is empty"),
    "comments": ("# one\n\n#two", "the file holds only comments"),
    "no numbers": ("a,b,c\nd,e,f\n", "holds no numbers"),
    "no numbers at all": ("1,2\n", "2 numbers are not a condensed table"),
    "all missing": ("x,y\nNA,NA\n", "holds no numbers"),
    "twice": (
        "from,to,dist\na,b,1\na,c,2\na,b,3\n",
        "line 4: .*'a' and 'b' has two distances, 3 here and 1 in line 2",
    ),
    "weights differ": (
        "from,to,dist,weight\na,b,1,1\na,b,1,2\n",
        "line 3: .*two weights, 2 here and 1 in line 2",
    ),
    "itself": ("from,to,dist\na,a,1\n", "line 2: .*the distance of a point to itself"),
    "negative": ("from,to,dist\na,b,-1\n", "line 2: -1 between 'a' and 'b' is not a distance"),
    "length": ("source,target,length\na,b,-1\n", "line 2: .*not the length of an edge"),
    "no length": ("source,target,length\na,b,\n", "line 2: .*not the length of an edge"),
    "weight": ("from,to,dist,weight\na,b,1,-2\n", "line 2: the weight -2 .*zero or more"),
    "quote": ('"a,0,1\nb,1,0\n', "line 1: the quotes do not match"),
    "quotes": ('a,0\n"b"c,1\n', "line 2: the quotes do not match"),
    "huge cell": ('a,0\n"' + "b" * 200_000 + '",1\n', "line 2: a cell has more than 131072"),
    "html": ("<html><body>Sorry</body></html>", "is XML, but its root is <html>"),
    "not closed": ("<graphml>\n<graph>\n</graphml>", "line 3, column 3: is malformed XML"),
    "nested": ("<graphml>" + "<a>" * 200, "nested too deeply"),
    "no nodes": ("<graphml><graph edgedefault='directed'/></graphml>", "no nodes"),
    "json": ('[{"x": 1},', "the JSON file cannot be read"),
    "json rows": ("[[1, 2], [3]]", "row 2 differs from the first row"),
    "json deep": ("[" * 100_000, "the JSON file cannot be read"),
    "json cells": ("[[[1]]]", "a cell holds a list"),
    "json nothing": ("[[]]", "a list of rows was expected"),
    "json scalar": ("{}", "a list of rows was expected"),
    "phylip short": ("3\na 0 1 2\nb 1 0\nc 2 3 0\n", "line 3: 'b' has 2 distances, but 3"),
    "phylip word": ("3\na 0 1 2\nb 1 z 3\nc 2 3 0\n", "line 3, column 3: 'z' is not a number"),
    "phylip lines": ("4\na 0 1\nb 1 0\n", "the first line says 4 points, but 2 lines follow"),
    "phylip many": ("999999999\na 0 1\nb 1 0\n", "999999999 points need a table of"),
    "nul": ("0,1\n1,\0\n", "this is neither text nor"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_wrong_and_where(tmp_path, name):
    content, problem = BROKEN[name]
    path = tmp_path / "cities.csv"
    path.write_bytes(content.encode())
    with pytest.raises(FileError, match=rf"cities\.csv(, |: )(.|\n)*{problem}") as caught:
        read(path)
    assert isinstance(caught.value, ValueError)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.line, again.column) == (
        str(caught.value),
        caught.value.line,
        caught.value.column,
    )


def test_what_is_no_file(tmp_path):
    for path, problem in (
        (tmp_path, "this is a folder"),
        (tmp_path / "none.csv", "there is no such file"),
        (tmp_path / "none" / "x.csv", "there is no such file"),
        ("a\0b", "cannot be read"),
        ("x" * 5000, "cannot be read"),
    ):
        with pytest.raises(FileError, match=problem):
            read(path)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read all")
def test_no_permission(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("0,1\n1,0\n")
    path.chmod(0)
    with pytest.raises(FileError, match="no permission"):
        read(path)


def test_no_permission_told_by_the_system(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(FileError, match="no permission"):
        read(tmp_path / "x.csv")


@pytest.mark.parametrize("option", [{"format": "xls"}, {"kind": "tree"}])
def test_choices_that_are_none(tmp_path, option):
    with pytest.raises(ValueError, match="must be one of"):
        read(tmp_path / "x.csv", **option)


@pytest.mark.parametrize(
    ("content", "options", "problem"),
    [
        (VALID["npy"], {"kind": "pairs"}, "an array cannot list pairs"),
        (VALID["phylip"], {"kind": "points"}, "always of the kind 'distances'"),
        (VALID["graphml"], {"kind": "points"}, "always of the kind 'graph'"),
        (b"1,2\n3,4\n5,6\n", {"kind": "distances"}, "3 rows and 2 columns"),
        (b"1\n2\n", {"kind": "pairs"}, "two labels and a number"),
        (VALID["json"], {"kind": "graph"}, "'source' and 'target'"),
        (VALID["csv"], {"encoding": "klingon"}, "cannot be decoded as 'klingon'"),
        (VALID["csv"], {"format": "npy"}, "the NPY file cannot be read"),
        (VALID["csv"], {"format": "parquet"}, "the Parquet file cannot be read"),
        (VALID["csv"], {"format": "phylip"}, "starts with a line that holds the number"),
        (VALID["npy"], {"format": "csv"}, r"0x93 is not utf-8|neither text"),
    ],
)
def test_options_that_do_not_fit(tmp_path, content, options, problem):
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(FileError, match=problem):
        read(tmp_path / "x", **options)


# --- hostile files --------------------------------------------------------------------------------


class Bomb:
    """Whoever unpickles it runs code."""

    def __reduce__(self):
        return os.abort, ()


@pytest.mark.parametrize("save", [np.save, np.savez])
def test_nothing_in_a_file_is_executed(tmp_path, save):
    content = saved(lambda file: save(file, np.array([Bomb()], dtype=object), allow_pickle=True))
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(FileError, match="holds Python objects"):
        read(tmp_path / "x")
    (tmp_path / "x").write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(FileError):
        read(tmp_path / "x")


def header(shape, dtype="<f8", order=False):
    return saved(
        lambda file: np.lib.format.write_array_header_1_0(
            file, {"shape": shape, "descr": dtype, "fortran_order": order}
        )
    )


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (header((10**9, 10**9)), "cut off or broken"),
        (header((-1, 8)), "is impossible"),
        (header((2**40, 0)), "no numbers"),
        (header((2,), "<c16") + bytes(32), "holds values of type complex128"),
        (header((2,), "<U1") + bytes(8), "holds values of type"),
        (header((2,), "<M8[s]") + bytes(16), "holds values of type"),
        (header((1, 1, 1)) + bytes(8), "a table has two dimensions"),
        (header((2,), [("a", "<f8")]) + bytes(16), "holds values of type"),
        (b"\x93NUMPY\x03\x00" + bytes(100), "named fields"),
        (b"\x93NUMPY\x01\x00\xff\xff" + b"(" * 65535, "NPY file cannot be read"),
    ],
)
def test_arrays_that_cannot_be(tmp_path, content, problem):
    (tmp_path / "x.npy").write_bytes(content)
    with pytest.raises(FileError, match=problem):
        read(tmp_path / "x.npy")


@pytest.mark.parametrize(
    ("arrays", "problem"),
    [
        ({}, r"the arrays \(none\)"),
        ({"p": D, "q": D}, "the arrays 'p', 'q'"),
        ({"D": D, "labels": ["a"]}, "1 labels for 3 rows"),
        ({"D": D, "weights": [1.0]}, r"weights of shape \(1,\) for 3 points"),
        ({"X": D, "weights": D}, "only pairs have weights"),
    ],
)
def test_archives_that_do_not_fit(tmp_path, arrays, problem):
    np.savez(tmp_path / "x.npz", **arrays)
    with pytest.raises(FileError, match=problem):
        read(tmp_path / "x.npz")


def test_office_documents_are_told(tmp_path):
    with zipfile.ZipFile(tmp_path / "x.xlsx", "w") as archive:
        archive.writestr("[Content_Types].xml", "")
    with pytest.raises(FileError, match="office document; save the sheet as CSV"):
        read(tmp_path / "x.xlsx")


def zip_bomb(declared=None):
    """Return eight million zeros in an archive, which may lie about how many."""
    content = header((1000, 1000)) + bytes(8_000_000)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("D.npy", content)
    data = file.getvalue()
    if declared is not None:
        data = data.replace(struct.pack("<I", len(content)), struct.pack("<I", declared))
    return data


@pytest.mark.parametrize(
    ("declared", "problem"),
    [
        (None, "takes at least 8 MB unpacked"),
        (1000, "NPZ file cannot be read"),
        (0, "cut off|is impossible"),
    ],
)
def test_zip_bombs(tmp_path, declared, problem):
    content = zip_bomb(declared)
    assert len(content) < 20_000
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(FileError, match=problem):
        read(tmp_path / "x", max_bytes=SMALL)


def test_gzip_and_parquet_bombs(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(gzip.compress(b"0" * 20_000_000))
    with pytest.raises(FileError, match="takes at least"):
        read(path, max_bytes=SMALL)
    pd.DataFrame({"x": np.zeros(10_000_000)}).to_parquet(path)
    assert path.stat().st_size < 100_000
    with pytest.raises(FileError, match="takes at least"):
        read(path, max_bytes=SMALL)


def test_entities_are_not_unfolded(tmp_path):
    entities = "".join(f'<!ENTITY e{i + 1} "{f"&e{i};" * 10}">' for i in range(9))
    (tmp_path / "x").write_text(
        f'<?xml version="1.0"?>\n<!DOCTYPE graphml [<!ENTITY e0 "ha">{entities}]>\n'
        "<graphml>&e9;</graphml>"
    )
    with pytest.raises(FileError, match="line 2: declares a document type"):
        read(tmp_path / "x")


@pytest.mark.parametrize("kind", ["pairs", "graph"])
def test_a_table_that_does_not_fit(tmp_path, kind):
    header = "source target length\n" if kind == "graph" else ""
    lines = header + "".join(f"p{i} q{i} 1\n" for i in range(2000))
    (tmp_path / "x").write_text(lines)
    with pytest.raises(FileError, match=r"4000 labels need a table of 128 MB, .*take a sample"):
        read(tmp_path / "x", kind=kind, max_bytes=100_000_000)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"1\n" * 100_000, "line 2017: from here on the table takes more than 1.05 MB"),
        (b"1 " * 100_000, "a line of 200 kB takes about 1.6 MB"),
        (b"[" + b"[1]," * 50_000, "a JSON file of 200 kB takes about 1.6 MB"),
        (b"<graphml>" + b"<node/>" * 10_000, "a GraphML file of 70 kB takes about 2.24 MB"),
        (b"3\na 1 2 3\n" + b"\n" * 200_000, "a PHYLIP file of 200 kB takes about 1.6 MB"),
    ],
)
def test_what_would_grow_too_large(tmp_path, content, problem):
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(FileError, match=problem):
        read(tmp_path / "x", max_bytes=SMALL)


def test_a_missing_package_is_named(tmp_path, monkeypatch):
    package = "pyarrow"
    (tmp_path / "x").write_bytes(VALID["parquet"])
    for module in [module for module in sys.modules if module.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=rf"needs {package}: pip install 'unimds\[files\]'"):
        read(tmp_path / "x")


@pytest.mark.skipif(sys.platform == "win32", reason="no such device")
def test_an_endless_file(tmp_path):
    with pytest.raises(FileError, match=r"the limit is 1.05 MB"):
        read("/dev/zero", max_bytes=SMALL)
    with pytest.raises(FileError, match="not an ordinary file"):
        write("/dev/null", D, format="npy", force=True)


def test_sizes_for_people():
    assert [size(10**k) for k in (0, 3, 7, 12)] == ["1 bytes", "1 kB", "10 MB", "1.0 TB"]


@pytest.mark.parametrize("save", [np.save, np.savez])
def test_a_stack_of_tables(tmp_path, save):
    with open(tmp_path / "x", "wb") as file:
        save(file, np.zeros((12, 20, 20)))
    with pytest.raises(
        FileError, match=r"12 tables of 20 × 20, .*nanmean\(array, axis=0\).*array\[0\]"
    ):
        read(tmp_path / "x")


# --- formats of other programs --------------------------------------------------------------------


def test_neighbours_trees_and_tables_of_nodes_are_known(tmp_path):
    import networkx as nx

    nx.write_adjlist(nx.karate_club_graph(), tmp_path / "karate.txt")
    with pytest.raises(FileError, match=r"neighbours of each node.*networkx.write_edgelist"):
        read(tmp_path / "karate.txt")
    (tmp_path / "tree.nwk").write_text("((a:1,b:2):1,(c:1,d:3):2);\n")
    with pytest.raises(FileError, match=r"tree in the Newick format.*cophenetic"):
        read(tmp_path / "tree.nwk")
    (tmp_path / "nodes.csv").write_text("Id,Label,Club\n0,n0,Mr. Hi\n1,n1,Mr. Hi\n2,n2,Officer\n")
    with pytest.raises(FileError, match=r"nodes of a graph, as Gephi.*metadata"):
        read(tmp_path / "nodes.csv")


def test_word2vec_is_read_without_its_line_of_counts(tmp_path):
    path = tmp_path / "vectors.txt"
    vectors = "the 0.1 0.2 0.3\nof -1 2 5\n42 7 8 9\n"
    path.write_text(f"3 3\n{vectors}")
    table = read(path)
    assert (table.kind, table.labels) == ("points", ["the", "of", "42"])
    assert table.values.tolist() == [[0.1, 0.2, 0.3], [-1.0, 2.0, 5.0], [7.0, 8.0, 9.0]]
    path.write_text(f"5 3\n{vectors}")
    with pytest.raises(FileError, match=r"line 1: .*5 vectors, and the file holds 3"):
        read(path)
    path.write_text("3 3\nthe 0.1 0.2 0.3\nof -1 2 x\non 7 8 9\n")
    with pytest.raises(FileError, match="line 3"):
        read(path)
