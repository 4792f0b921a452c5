"""What the commands say of tables that are not what they seem."""

import numpy as np
import pytest

from tests.support.commands import run
from unimds.files import read


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


def test_numbers_of_sites_do_not_enter_the_distances(put, tmp_path):
    rows = "1,3,5\n2,1,2\n3,7,1\n4,0,9\n"
    run("embed", put(f"site,oak,elm\n{rows}"), "-o", tmp_path / "m.csv", "-q")
    found = read(tmp_path / "m.csv")
    assert found.labels == ["1", "2", "3", "4"]
    assert np.isclose(np.linalg.norm(found.values[0] - found.values[1]), np.hypot(2, 3))
