"""Written files: there and back bit for bit, whole or not at all, never over another one."""

import errno
import os
import stat
import sys
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal

from tests.support.valid_files import D
from unimds.files import FileError, Table, atomic, read, write
from unimds.files.writing import renamed

ABC = ["a", "b", "c"]
NAN = float("nan")
FLOATS = st.floats(allow_nan=False, allow_infinity=False, width=64)
LABELS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8).map(str.strip)


@pytest.mark.parametrize("ending", ["csv", "tsv", "json", "npz", "parquet", "csv.gz", "npy"])
@given(data=st.data())
def test_a_map_there_and_back_is_the_same_bit_for_bit(tmp_path_factory, ending, data):
    n, k = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 5))
    X = data.draw(arrays(np.float64, (n, k), elements=FLOATS))
    labels = data.draw(st.lists(LABELS, min_size=n, max_size=n, unique=True))
    path = tmp_path_factory.mktemp("maps") / f"map.{ending}"
    write(path, X, labels=labels, columns={"class": ["word"] * n} if n > 1 else None)
    table = read(path, kind="points" if ending == "npy" else "auto")
    assert table.kind == "points"
    assert table.values.tobytes() == X.tobytes()
    if ending != "npy":
        assert table.labels == labels
    if ending not in ("npy", "npz"):
        assert table.features == (["x", "y", "z"][:k] if k < 4 else [f"x{i + 1}" for i in range(k)])


@pytest.mark.parametrize("ending", ["csv", "tsv", "json", "npz", "parquet", "npy"])
@pytest.mark.parametrize("labels", [ABC, None, ["#1", 'say "x"', "a,b\r\nc"], ["1", "2", "NA"]])
def test_a_table_there_and_back(tmp_path, ending, labels):
    table = Table(D, "distances", "", "", labels)
    write(tmp_path / f"t.{ending}", table)
    again = read(tmp_path / f"t.{ending}")
    assert again.kind == "distances"
    assert_array_equal(again.values, D)
    if ending != "npy" and (labels or ending == "npz"):
        assert again.labels == labels


def test_further_columns_and_missing_numbers(tmp_path):
    path = tmp_path / "map.csv"
    write(path, [[1.0, NAN]], labels=["p"], columns={"stress": [0.5], "class": ["u"]})
    assert path.read_text() == "label,x,y,stress,class\np,1.0,nan,0.5,u\n"
    write(tmp_path / "map.json", [[1.0, NAN]], labels=["p"])
    assert (tmp_path / "map.json").read_text() == '[\n{"label": "p", "x": 1.0, "y": null}\n]\n'
    write(tmp_path / "map.npz", [[1.0, NAN]], columns={"stress": [0.5]})
    assert np.load(tmp_path / "map.npz")["stress"] == 0.5


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"labels": ["p", "q"]}, "labels: 2 values for 1 points"),
        ({"columns": {"s": [1, 2]}}, "s: 2 values for 1 points"),
        ({"columns": {"x": [1]}}, "the same name"),
    ],
)
def test_what_does_not_fit_is_not_written(tmp_path, options, problem):
    with pytest.raises(ValueError, match=problem):
        write(tmp_path / "map.csv", [[1.0]], **options)
    assert not list(tmp_path.iterdir())


def test_no_file_is_overwritten_without_force(tmp_path):
    path = tmp_path / "map.csv"
    path.write_text("old")
    with pytest.raises(FileError, match=r"map\.csv: the file already exists; .* give force=True"):
        write(path, [[1.0]])
    assert path.read_text() == "old"
    write(path, [[1.0]], force=True)
    assert path.read_text() == "x\n1.0\n"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
@pytest.mark.parametrize("force", [False, True])
def test_an_interrupted_write_leaves_no_trace(tmp_path, error, force):
    path = tmp_path / "report.html"
    if force:
        path.write_text("old")

    def halfway():
        with atomic(path, force=force) as partial:
            assert partial.suffix == ".html"
            partial.write_text("new")
            raise error

    with pytest.raises(error):
        halfway()
    assert [file.read_text() for file in tmp_path.iterdir()] == ["old"] * force


def test_a_file_that_appears_meanwhile_stays(tmp_path):
    path = tmp_path / "x.txt"

    def late():
        with atomic(path) as partial:
            partial.write_text("mine")
            path.write_text("theirs")

    with pytest.raises(FileError, match="already exists"):
        late()
    assert path.read_text() == "theirs"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("links", [True, False])
def test_of_many_writers_one_wins(tmp_path, monkeypatch, links):
    if not links:  # as on some file systems

        def refuse(*_):
            raise PermissionError

        monkeypatch.setattr(os, "link", refuse)
    path, wins = tmp_path / "x.csv", []

    def writer(i):
        try:
            write(path, [[float(i)]])
            wins.append(i)
        except FileError:
            pass

    threads = [threading.Thread(target=writer, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(wins) == 1
    assert path.read_text() == f"x\n{float(wins[0])}\n"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_told_with_the_name_of_the_file(tmp_path, number):
    def fill():
        with atomic(tmp_path / "report.html"):
            raise OSError(number, "no room")  # as a write says it, without a name

    with pytest.raises(FileError, match=r"report\.html: cannot be written: no room"):
        fill()
    assert not list(tmp_path.iterdir())


def test_errors_of_other_files_are_left_alone(tmp_path):
    def look():
        with atomic(tmp_path / "report.html"):
            (tmp_path / "none").read_text()

    with pytest.raises(FileNotFoundError):
        look()


def test_without_links_a_name_is_not_left_taken(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError

    monkeypatch.setattr(os, "link", refuse)
    monkeypatch.setattr(type(tmp_path), "replace", refuse)
    with pytest.raises(FileError, match="no permission"):
        write(tmp_path / "x.csv", [[1.0]])
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions and links")
def test_permissions_and_links_stay(tmp_path):
    umask = os.umask(0o027)
    try:
        write(tmp_path / "a.csv", [[1.0]])
    finally:
        os.umask(umask)
    assert stat.S_IMODE((tmp_path / "a.csv").stat().st_mode) == 0o640
    (tmp_path / "link.csv").symlink_to("a.csv")
    write(tmp_path / "link.csv", [[2.0]], force=True)
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "a.csv").read_text() == "x\n2.0\n"
    assert stat.S_IMODE((tmp_path / "a.csv").stat().st_mode) == 0o640


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*is the sum of the other columns")  # of some it is
@settings(max_examples=500)
@given(arrays(np.float64, (4, 3), elements=st.floats(width=64, allow_nan=False)))
def test_odd_numbers_there_and_back(tmp_path_factory, X):
    path = tmp_path_factory.mktemp("odd") / "map.csv"
    write(path, X, labels=list("abcd"))
    assert read(path).values.tobytes() == X.tobytes()


def test_what_cannot_be_written(tmp_path):
    (tmp_path / "folder.csv").mkdir()
    for name, problem in (
        ("x.docx", "a table ends in .csv, .tsv.* or .parquet, not in .docx"),
        ("x", "a table ends in .csv.*; add one of these endings"),
        ("folder.csv", "this is a folder"),
        ("none/x.csv", "there is no folder"),
        ("x" * 300 + ".csv", "cannot be written"),
    ):
        with pytest.raises(FileError, match=problem):
            write(tmp_path / name, D)
    assert [path.name for path in tmp_path.iterdir()] == ["folder.csv"]
    for values in ([1.0, 2.0], [["a"]], np.empty((0, 2))):
        with pytest.raises(ValueError, match="a table of numbers is needed"):
            write(tmp_path / "x.csv", values)


def test_a_full_disk_leaves_no_trace(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FileError, match=r"x\.csv: cannot be written: No space left"):
        write(tmp_path / "x.csv", D)
    assert not list(tmp_path.iterdir())


def test_names_of_coordinates(tmp_path):
    points = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]])
    for form in ("csv", "tsv", "json", "npz", "parquet"):
        path = tmp_path / f"map.{form}"
        write(path, points, names=["poincare_x", "poincare_y"])
        table = read(path)
        assert (table.kind, table.features) == ("points", ["poincare_x", "poincare_y"])
        assert_array_equal(table.values, points)
    with pytest.raises(ValueError, match="names: 1 names for 2 coordinates"):
        write("-", points, names=["x"])
    with pytest.raises(ValueError, match="a table has names of its own"):
        write("-", table, names=["x", "y"])
    with pytest.raises(ValueError, match="two columns have the same name, 'x'; rename"):
        write("-", points, columns={"x": [1, 2, 3]})


def test_another_array_called_coordinates_is_left_alone(tmp_path):
    D, points = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    np.savez(tmp_path / "x.npz", D=D, coordinates=points)
    assert_array_equal(read(tmp_path / "x.npz").values, D)
    np.savez(tmp_path / "x.npz", coordinates=points)  # the only array
    assert_array_equal(read(tmp_path / "x.npz").values, points)
    np.savez(tmp_path / "x.npz", points=points, coordinates=["a", "b"])
    assert read(tmp_path / "x.npz").features is None


def test_columns_give_way_to_coordinates():
    columns = {"x": [1], "input_x": [2], "class": [3], "stress": [4]}
    found = renamed(columns, ["label", "x", "y", "stress"])
    assert list(found) == ["input_input_x", "input_x", "class", "input_stress"]
    assert found["input_input_x"] == [1]
