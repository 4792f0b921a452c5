"""Files of R, SPSS and Stata: tables with their labels, and what is missing to read them."""

import bz2
import gzip
import lzma
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyreadstat
import pytest
import rdata

from tests.support.commands import run
from tests.support.r_files import (
    ATTRIBUTES,
    CLASS,
    dist,
    frame,
    integer,
    listed,
    matrix,
    rda,
    rds,
    reals,
    texts,
)
from unimds import MDS
from unimds.files import FileError, FileWarning, read, read_metadata

LABELS = ["Ulm", "Bonn", "Kiel", "Köln"]
D = np.array([[0.0, 3, 7, 4], [3, 0, 5, 1], [7, 5, 0, 6], [4, 1, 6, 0]])
LOWER = D[np.triu_indices(4, 1)]  # the lower triangle by columns is the upper by rows
FRAME = pd.DataFrame(D, LABELS, LABELS)
GENUINE = Path(str(rdata.TESTDATA_PATH))  # R itself has written these


def written(tmp_path, name, data):
    (tmp_path / name).write_bytes(data)
    return tmp_path / name


PACKED = {"plain": bytes, "gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress}


@pytest.mark.parametrize("packed", PACKED.values(), ids=list(PACKED))
@pytest.mark.parametrize("ending", ["rds", "rda", "RData"])
def test_a_dist_of_r(tmp_path, packed, ending):
    thing = dist(LOWER, 4, LABELS)
    data = rds(thing) if ending == "rds" else rda(apart=thing, year=integer(1984), by=texts(["me"]))
    table = read(written(tmp_path, f"D.{ending}", packed(data)))
    assert (table.kind, table.format, table.layout) == ("distances", "r", "condensed")
    assert table.labels == LABELS
    np.testing.assert_array_equal(table.values, D)


def test_a_dist_goes_into_a_fit_and_into_the_command_line(tmp_path):
    path = written(tmp_path, "D.rds", gzip.compress(rds(dist(LOWER, 4, LABELS))))
    mds = MDS(n_init=1, random_state=0).fit(read(path))
    assert (mds.labels_.tolist(), mds.metric_) == (LABELS, "precomputed")
    run("embed", path, "--n-init", 1, "--seed", 0, "-o", tmp_path / "map.csv")
    found = pd.read_csv(tmp_path / "map.csv", index_col=0)
    assert found.index.tolist() == LABELS
    np.testing.assert_allclose(found.to_numpy(), mds.embedding_)


def test_a_dist_without_labels_with_gaps_and_of_few_points(tmp_path):
    gaps = LOWER.copy()
    gaps[1] = np.nan
    table = read(written(tmp_path, "D.rds", rds(dist(gaps, 4))))
    assert table.labels is None
    assert np.isnan(table.values[0, 2])
    assert read(written(tmp_path, "D.rds", rds(dist([], 1, ["a"])))).values.tolist() == [[0.0]]
    assert read(written(tmp_path, "D.rds", rds(dist([2.0], 2)))).values.tolist() == [[0, 2], [2, 0]]


@pytest.mark.parametrize("how", ["ascii", "xdr"])
def test_objects_that_rdata_writes(tmp_path, how):
    path, options = tmp_path / "X.rds", {"file_format": how}
    rdata.write_rds(path, FRAME, **options)
    square = read(path)
    assert (square.kind, square.labels) == ("distances", LABELS)
    np.testing.assert_array_equal(square.values, D)
    people = pd.DataFrame(
        {"name": LABELS, "x": [1.5, 2, 3, 4], "sex": pd.Categorical(list("mfmf"))}
    )
    rdata.write_rda(path, {"people": people}, **options)
    points = read(path)
    assert (points.kind, points.labels, points.features) == ("points", LABELS, ["x"])
    assert dict(points.columns) == {"sex": list("mfmf")}
    assert read_metadata(path).columns["sex"] == list("mfmf")
    rdata.write_rds(path, D, **options)
    assert read(path).kind == "distances"
    with pytest.raises(FileError, match="metadata are columns with names"):
        read_metadata(path)


@pytest.mark.parametrize("names", [["", ""], ["gone", "gone"], ["from", "to"]])
def test_dimensions_of_a_table_of_r_may_have_any_names(tmp_path, names):
    table = matrix(D, LABELS, LABELS[::-1], names)
    square = read(written(tmp_path, "T.rds", rds(table)))
    assert (square.kind, square.labels) == ("distances", LABELS)
    np.testing.assert_array_equal(square.values, D[:, ::-1])


def test_dates_of_r_are_no_coordinates(tmp_path):
    columns = {
        "name": texts(["a", "b", "c"]),
        "x": reals([1.0, 2.0, 4.0]),
        "day": reals([18000.0, 18001.0, np.nan], CLASS | ATTRIBUTES)
        + listed(**{"class": texts(["Date"])}),
        "time": reals([0.0, 1.0, 2.0], CLASS | ATTRIBUTES)
        + listed(**{"class": texts(["POSIXct", "POSIXt"])}),
    }
    points = read(written(tmp_path, "X.rds", rds(frame(columns, 3))))
    assert points.features == ["x"]
    assert points.columns["day"] == ["2019-04-14 00:00:00", "2019-04-15 00:00:00", ""]
    assert points.columns["time"][1] == "1970-01-01 00:00:01"


@pytest.mark.parametrize("way", ["xdr__version_3", "ascii__version_3", "binary__version_2"])
def test_objects_that_r_has_written(way):
    bare = read(GENUINE / f"generated/test_matrix__{way}.rds")
    assert (bare.kind, bare.labels, bare.values.tolist()) == (
        "points",
        None,
        [[1, 2, 3], [4, 5, 6]],
    )
    named = read(GENUINE / f"generated/test_full_named_matrix__{way}.rds")
    assert named.labels == ["dim0_0", "dim0_1"]
    assert named.features == ["dim1_0", "dim1_1", "dim1_2"]
    rows = read(GENUINE / f"generated/test_dataframe_int_rownames__{way}.rds")
    assert (rows.labels, rows.values.ravel().tolist()) == (["3", "6", "9"], [10, 20, 30])
    gaps = read(GENUINE / f"generated/test_dataframe_dtypes_with_na__{way}.rds")
    assert gaps.features == ["int", "float", "bool"]
    assert np.isnan(gaps.values[3]).all()
    assert read(GENUINE / "test_dataframe.rda").columns == {"class": ["a", "b", "b"]}


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (rds(dist(LOWER, 5, LABELS)), "a dist of 5 points cannot have 6 distances"),
        (rds(dist(LOWER, 4, LABELS[:3])), "a dist of 4 points cannot have"),
        (rds(texts(["a", "b"])), "holds no dist"),
        (rda(A=dist(LOWER, 4), B=dist(LOWER, 4)), r"holds 2 tables, 'A', 'B'; in R, save one"),
        (rda(n=texts(["a"])), r"holds no dist, matrix or data frame, but 'n' \(ndarray\); in R"),
        (rds(reals(LOWER))[:60], "the file of R cannot be read"),
        (rds(dist(LOWER, 4, LABELS))[:-30], "the file of R cannot be read"),
        (b"X\n\0\0\0\3", "the file of R cannot be read"),
    ],
)
def test_files_of_r_that_hold_no_table(tmp_path, data, says):
    with pytest.raises(FileError, match=says):
        read(written(tmp_path, "D.rds", data))


def test_a_dist_is_of_one_kind(tmp_path):
    path = written(tmp_path, "D.rds", rds(dist(LOWER, 4)))
    with pytest.raises(FileError, match="always of the kind 'distances'"):
        read(path, kind="points")
    assert read(path, kind="distances", format="r").n == 4


def test_a_sequence_that_would_fill_the_memory(tmp_path):
    genuine = GENUINE / "generated/test_altrep_compact_intseq__xdr__version_3.rds"
    data = genuine.read_bytes()
    ends = np.array([1000.0, 0.0, 1.0]).astype(">f8").tobytes()
    assert ends in data
    huge = data.replace(ends, np.array([1e10, 0.0, 1.0]).astype(">f8").tobytes())
    with pytest.raises(FileError, match="unpacked, and the limit is"):
        read(written(tmp_path, "x.rds", huge))


# --- SPSS and Stata -----------------------------------------------------------------------------

PEOPLE = pd.DataFrame(
    {
        "who": ["Ann", "Bob", "Cy"],
        "sex": [1.0, 2.0, 1.0],
        "agree": [5.0, 4.0, 1.0],
        "age": [30, 40, 50],
    }
)
SEX = {1.0: "female", 2.0: "male"}
AGREE = {1.0: "not at all", 5.0: "fully"}


@pytest.mark.parametrize("ending", ["sav", "zsav"])
def test_a_table_of_spss(tmp_path, ending):
    path = tmp_path / f"people.{ending}"
    pyreadstat.write_sav(
        PEOPLE,
        str(path),
        compress=ending == "zsav",
        variable_value_labels={"sex": SEX, "agree": AGREE},
        variable_measure={"sex": "nominal", "agree": "ordinal", "age": "scale"},
    )
    table = read(path)
    assert (table.kind, table.format, table.labels) == ("points", "spss", ["Ann", "Bob", "Cy"])
    assert table.features == ["agree", "age"]
    assert dict(table.columns) == {"sex": ["female", "male", "female"]}
    assert table.values[:, 0].tolist() == [5.0, 4.0, 1.0]
    assert read_metadata(path).columns["sex"] == ["female", "male", "female"]


def test_a_value_of_spss_without_a_label_is_no_gap(tmp_path):
    path = tmp_path / "people.sav"
    people = PEOPLE.assign(sex=[1.0, 9.0, np.nan], town=["a", "b", "b"])
    pyreadstat.write_sav(
        people,
        str(path),
        variable_value_labels={"sex": SEX, "town": {"a": "Ulm"}},
        variable_measure={"sex": "nominal", "town": "nominal"},
    )
    assert dict(read(path).columns) == {"sex": ["female", "9", ""], "town": ["Ulm", "b", "b"]}


@pytest.mark.parametrize("version", [114, 118])
def test_a_table_of_stata(tmp_path, version):
    path = tmp_path / "people.dta"
    PEOPLE.to_stata(path, version=version, write_index=False, value_labels={"sex": SEX})
    with pytest.warns(FileWarning, match=r"of 'sex' have labels, .* give drop=\['sex'\]"):
        table = read(path)
    assert (table.kind, table.format, table.labels) == ("points", "stata", ["Ann", "Bob", "Cy"])
    assert table.features == ["sex", "agree", "age"]
    PEOPLE.assign(age=[30.0, np.nan, 50.0]).to_stata(path, version=version, write_index=False)
    assert np.isnan(read(path).values[1, 2])


def test_a_square_of_stata_holds_distances(tmp_path):
    FRAME.rename(columns={"Köln": "Koeln"}).to_stata(tmp_path / "D.dta", write_index=False)
    table = read(tmp_path / "D.dta")
    assert (table.kind, table.labels) == ("distances", ["Ulm", "Bonn", "Kiel", "Koeln"])


@pytest.mark.parametrize(
    ("name", "data", "what"),
    [
        ("x.sav", b"$FL2@(#) SPSS DATA FILE", "the file of SPSS"),
        ("x.dta", b"<stata_dta><header><release>118", "the file of Stata"),
        ("x.dta", b"\x72\x01\x01\x00", "the file of Stata"),
    ],
)
def test_broken_tables(tmp_path, name, data, what):
    with pytest.raises(FileError, match=f"{what} cannot be read"):
        read(written(tmp_path, name, data))


@pytest.mark.parametrize(
    ("name", "data", "package", "extra"),
    [
        ("D.rds", rds(dist(LOWER, 4)), "rdata", "r"),
        ("x.sav", b"$FL2@(#) SPSS DATA FILE", "pyreadstat", "spss"),
        ("x.sav", b"$FL2@(#) SPSS DATA FILE", "pandas", "spss"),
        ("x.dta", b"<stata_dta>", "pandas", "files"),
    ],
)
def test_what_is_missing_is_named(tmp_path, monkeypatch, name, data, package, extra):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=rf"needs {package}: pip install 'unimds\[{extra}\]'"):
        read(written(tmp_path, name, data))
