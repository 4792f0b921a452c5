"""Strictness parts the points of a degenerate map, because the size of disparities is held."""

import warnings

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


@pytest.mark.sample(1)
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


@pytest.mark.parametrize("count", [1, 2])
def test_empty_sites_that_make_a_map_degenerate_are_to_be_removed_first(count):
    rng = np.random.default_rng(0)
    X = rng.poisson(3.0, size=(20, 12)).astype(float) + 1.0
    X[:count] = 0.0
    mds = MDS(2, metric="braycurtis", level="ordinal", n_init=2, random_state=0)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        mds.fit(X)
    told = next(str(w.message) for w in warned if w.category is DegenerateWarning)
    assert mds.degeneracy_.alone == count
    assert "as an empty site has" in told
    assert told.index("remove th") < told.index("Other remedies: Ordinal(strictness=0.1)")
