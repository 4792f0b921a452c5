"""Lists of pairs and edges: which column is the distance, the length, the weight."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from unimds.files import FileError, FileWarning, read

ROADS = "origin_id,destination_id,km,minutes\n" + "".join(
    f"{i},{j},{10 * abs(i - j) + 0.5},{7 * abs(i - j)}\n"
    for i in range(6)
    for j in range(6)
    if i != j
)


@pytest.fixture
def roads(tmp_path: Path) -> Path:
    path = tmp_path / "roads.csv"
    path.write_text(ROADS)
    return path


def test_a_second_number_of_pairs_is_no_weight(roads: Path) -> None:
    with pytest.raises(FileError, match=r"'km' and 'minutes'.*give columns='km'"):
        read(roads, kind="pairs")


@pytest.mark.parametrize("choice", [{"columns": "km"}, {"columns": ["km"]}, {"drop": ["minutes"]}])
def test_the_distance_of_pairs_is_chosen(roads: Path, choice: dict) -> None:
    table = read(roads, kind="pairs", **choice)
    assert table.weights is None
    assert table.values[0, 3] == 30.5


def test_the_other_number_is_chosen(roads: Path) -> None:
    assert read(roads, kind="pairs", columns=["minutes"]).values[0, 3] == 21.0


def test_an_unknown_column_of_pairs_is_named(roads: Path) -> None:
    with pytest.raises(FileError, match=r"no column 'miles'.*'km', 'minutes'"):
        read(roads, kind="pairs", columns=["miles"])


def test_pairs_with_several_numbers_are_not_read_as_points(roads: Path) -> None:
    with pytest.raises(FileError, match=r"list of pairs.*'km', 'minutes'.*give kind='pairs'"):
        read(roads)


def test_a_column_called_weight_is_a_weight(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text("town,other,km,weight\na,b,3,1\na,c,4,0.5\nb,c,5,2\n")
    table = read(path, kind="pairs")
    assert table.weights is not None
    assert table.weights[0, 2] == 0.5
    assert table.values[0, 2] == 4.0


def test_a_fourth_column_without_a_name_is_a_weight_and_a_warning_says_so(tmp_path: Path) -> None:
    path = tmp_path / "pairs.txt"
    path.write_text("a b 3 1\na c 4 0.5\nb c 5 2\n")
    with pytest.warns(FileWarning, match="the fourth as its weight"):
        table = read(path, kind="pairs")
    assert table.weights is not None
    path.write_text("a b 3 1 7\na c 4 0.5 7\nb c 5 2 7\n")
    with pytest.raises(FileError, match="5 columns without names"):
        read(path, kind="pairs")


def test_pairs_are_found_by_the_names_of_their_ends_wherever_they_are(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text("no,km,source,target\n1,3,a,b\n2,4,a,c\n3,5,b,c\n")
    with pytest.raises(FileError, match="'no' and 'km'"):
        read(path, kind="pairs")
    table = read(path, kind="pairs", drop="no")
    assert table.labels == ["a", "b", "c"]
    np.testing.assert_array_equal(table.values[0], [0.0, 3.0, 4.0])


def test_features_are_chosen_while_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "points.csv"
    path.write_text("name,height,born\nAnn,1.6,1990\nBob,1.8,1985\nCyd,1.7,1970\n")
    assert read(path, drop="born").features == ["height"]
    with pytest.raises(FileError, match=r"points.csv: there is no column 'size'"):
        read(path, columns=["size"])
