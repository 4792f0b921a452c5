"""Tables that are not what they seem: refused, read as what they are, or a warning says so."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from tests.support.valid_files import D
from unimds.files import FileError, read

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


# --- squares with labels that differ --------------------------------------------------------------


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_misspelt_label_of_a_shuffled_square_is_named(tmp_path, form):
    square = np.array([[3.0, 4, 0, 1], [2, 5, 1, 0], [0, 6, 3, 2], [6, 0, 4, 5]])
    frame = pd.DataFrame(square, index=TOWNS, columns=SHUFFLED)
    path = tmp_path / f"towns.{form}"
    getattr(frame, f"to_{form}")(path)
    with pytest.raises(FileError, match="row 'Bristol', column 'Bristal'; .*kind='points'"):
        read(path)
    assert read(path, kind="points").features == SHUFFLED
    with pytest.raises(FileError, match="different orders.* row 'Bristol', column 'Bristal'"):
        read(path, kind="distances")


def test_columns_with_other_labels_in_the_order_of_the_rows_go_by_their_place(put):
    square = ",a,b,X.c\na,0,1,2.5\nb,1,0,3\nc!,2.5,3,0\n"
    with pytest.raises(FileError, match="row 'c!', column 'X.c'"):
        put(square)
    table = put(square, kind="distances")
    assert table.labels == ["a", "b", "c!"]
    assert_array_equal(table.values, D)


def test_features_may_have_the_name_of_a_point(put):
    assert put("name,oak,elm,ash\noak,1,2,3\nb,4,5,6\nc,7,8,9\n").kind == "points"
