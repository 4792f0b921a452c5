"""The ending of a name decides what a file is, or is refused."""

import numpy as np
import pytest

from unimds import MDS, place_center
from unimds.checkpoint import Checkpoint
from unimds.files import FileError, write
from unimds.models import save
from unimds.report import write_report

D = np.array([[0.0, 3.0, 4.0], [3.0, 0.0, 5.0], [4.0, 5.0, 0.0]])
WRITERS = {
    "report": lambda path: write_report(place_center(D), path, force=True),
    "model": lambda path: save(MDS(metric="precomputed").fit(D), path, force=True),
    "table": lambda path: write(path, D, force=True),
    "forced table": lambda path: write(path, D, format="csv", force=True),
    "checkpoint": lambda path: place_center(D, checkpoint=Checkpoint(path, every=0.0)),
}


@pytest.mark.parametrize(
    ("writer", "name", "says"),
    [
        ("report", "x.pdf", "a report ends in .html or .htm, and .pdf is the ending of a picture"),
        ("report", "x.csv", "a report ends in .html or .htm, and .csv is the ending of a table"),
        ("report", "x.txt", "ends in .html or .htm, not in .txt"),
        ("report", "x", "ends in .html or .htm; add one of these endings"),
        ("model", "x.html", ".html is the ending of a report"),
        ("model", "x.CSV", ".csv is the ending of a table"),
        ("model", "x.png", ".png is the ending of a picture"),
        ("table", "x.png", ".png is the ending of a picture"),
        ("table", "x.unimds", ".unimds is the ending of a model"),
        ("forced table", "x.html", ".html is the ending of a report"),
        ("forced table", "x.json", "ends in .json, and the format is 'csv'"),
        ("checkpoint", "x.csv.gz", ".csv is the ending of a table"),
    ],
)
def test_the_ending_of_another_kind_of_file_is_refused_and_the_file_stays(
    tmp_path, writer, name, says
):
    path = tmp_path / name
    path.write_bytes(b"mine")
    with pytest.raises(FileError, match=says):
        WRITERS[writer](path)
    assert path.read_bytes() == b"mine"
    assert [file.name for file in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(
    ("writer", "name"),
    [
        ("report", "x.html"),
        ("report", "X.HTM"),
        ("model", "x"),
        ("model", "x.unimds"),
        ("model", "x.npz"),
        ("model", "x.of.today"),
        ("table", "x.csv.gz"),
        ("forced table", "x.txt"),
        ("forced table", "x"),
        ("forced table", "x.csv"),
    ],
)
def test_other_endings_are_fine(tmp_path, writer, name):
    WRITERS[writer](tmp_path / name)
    assert (tmp_path / name).stat().st_size > 10
