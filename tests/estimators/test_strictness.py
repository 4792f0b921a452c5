"""Strictness parts the points of a degenerate map, because the size of disparities is held."""

import numpy as np
import pytest

from benchmarks.tables import FOLDER, read
from unimds import MDS, DegenerateWarning, Ordinal

DEGENERATE = ("harman-8-measurements", "harman-8-political")


def fit(name, level, **options):
    D = read(FOLDER / f"{name}.txt").D
    mds = MDS(level=level, metric="precomputed", random_state=0, **options).fit(D)
    above = np.triu_indices(len(D), 1)
    return mds, np.linalg.norm(mds.disparities_[above]) / np.linalg.norm(D[above])


@pytest.mark.parametrize("name", DEGENERATE)
def test_ranks_alone_let_a_map_degenerate(name):
    with pytest.warns(DegenerateWarning):
        mds, size = fit(name, "ordinal")
    assert mds.degeneracy_.distinct < 5
    assert size == pytest.approx(1.0)


@pytest.mark.parametrize("loss", ["squared", "huber"])
@pytest.mark.parametrize("name", DEGENERATE)
def test_strictness_parts_the_points(name, loss):
    mds, size = fit(name, Ordinal(strictness=0.1), loss=loss)
    assert mds.degeneracy_ is None
    assert 0.9 < size < 1.25  # disparities that grow without end would leave strictness behind
    assert mds.stress_ > 1e-3


def test_full_strictness_leaves_the_first_disparities():
    mds, size = fit(DEGENERATE[0], Ordinal(strictness=1.0))
    assert size == pytest.approx(1.0, abs=0.05)  # told in the unit that fits the map
    assert mds.stress_ > 0.05
