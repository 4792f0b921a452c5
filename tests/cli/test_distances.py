"""`unimds embed` and `unimds compare` measure the same distances between the points of a file."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from tests.support.commands import ONE_START, run
from unimds.placecenter.problem import Problem

POINTS = np.random.default_rng(0).integers(-300, 300, size=(12, 3))
CLOUDS = {"near zero": POINTS, "near 2e9": POINTS + 2_000_000_000}  # as timestamps are


def embedded(monkeypatch, *command):
    """Run a command, and return the first table of distances that is embedded."""
    tables = []

    def noted(pairs, *parts):
        tables.append(np.array(pairs.table.whole()[0]))
        return make(pairs, *parts)

    make = Problem.make
    with monkeypatch.context() as patch:
        patch.setattr(Problem, "make", noted)
        said = run(*command, "--max-iter", "3", "--quiet")
    assert said.code == 0, said.err
    return tables[0][:, 0]


@pytest.mark.sample(2)
@pytest.mark.parametrize("metric", ["euclidean", "cityblock"])
@pytest.mark.parametrize("where", CLOUDS)
def test_embed_and_compare_measure_the_same_distances(tmp_path, monkeypatch, where, metric):
    points = tmp_path / "points.csv"
    np.savetxt(points, CLOUDS[where], fmt="%d", delimiter=",", header="x,y,z", comments="")
    options = (points, "--metric", metric)
    one = embedded(monkeypatch, "embed", *options, "-o", tmp_path / "map.csv", *ONE_START)
    other = embedded(monkeypatch, "compare", *options)
    assert_allclose(one, cdist(POINTS, POINTS, metric), rtol=1e-12)
    assert_array_equal(other, one)
