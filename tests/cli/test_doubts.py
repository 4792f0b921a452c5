"""What the commands say of tables that are not what they seem."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist

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
