"""Counts that are standardised before their distances are measured."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist

from unimds import MDS, LandmarkMDS
from unimds.distances.metric import Metric
from unimds.distances.standard import standardised
from unimds.models import load, save

RNG = np.random.default_rng(0)
COUNTS = RNG.poisson(3.0, size=(24, 9)).astype(float)
COUNTS[:, 8] = 0.0  # a species that was never found
OLD, NEW = COUNTS[:18], np.column_stack([COUNTS[18:, :8], np.ones(6)])


def wisconsin(X, by):
    """vegan's wisconsin(x), by the maxima of other sites."""
    maxima = by.max(axis=0)
    shares = X[:, maxima > 0] / maxima[maxima > 0]
    return shares / shares.sum(axis=1, keepdims=True)


@pytest.mark.parametrize(("steps", "root"), [("wisconsin", False), ("sqrt,wisconsin", True)])
def test_distances_are_those_of_standardised_counts(steps, root):
    metric = Metric("braycurtis", {"standardise": steps}).learnt(OLD)
    A, B = (np.sqrt(X) if root else X for X in (NEW, OLD))
    wanted = cdist(wisconsin(A, B), wisconsin(B, B), "braycurtis")
    assert_allclose(metric.between(NEW, OLD), wanted, rtol=1e-12)


@given(st.integers(0, 10**6), st.floats(0.1, 100.0))
def test_wisconsin_minds_neither_units_of_species_nor_sizes_of_new_sites(seed, factor):
    rng = np.random.default_rng(seed)
    X = rng.poisson(2.0, size=(6, 4)) + 1.0
    unit = rng.uniform(0.1, 10.0, size=4)
    plain = standardised(X, "wisconsin", X.max(axis=0))
    assert_allclose(plain.sum(axis=1), 1.0)
    assert_allclose(standardised(X * unit, "wisconsin", (X * unit).max(axis=0)), plain)
    assert_allclose(standardised(factor * X, "wisconsin", X.max(axis=0)), plain)


@pytest.mark.parametrize("kind", [MDS, LandmarkMDS])
def test_new_sites_are_standardised_by_the_maxima_of_the_map(tmp_path, kind):
    how = {"random_state": 0, "n_init": 1, "metric": "braycurtis"}
    mds = kind(2, **how, metric_params={"standardise": "wisconsin"}).fit(OLD)
    by_hand = kind(2, **how).fit(wisconsin(OLD, OLD))
    assert_allclose(mds.embedding_, by_hand.embedding_, atol=1e-9)
    placed = by_hand.transform(wisconsin(NEW, OLD))
    assert_allclose(mds.transform(NEW), placed, atol=1e-6)
    save(mds, tmp_path / "m.unimds")
    assert_allclose(load(tmp_path / "m.unimds").transform(NEW), placed, atol=1e-6)


def test_bad_steps_and_bad_counts_are_refused():
    for steps in ("log", "wisconsin,sqrt", "", None, 3):
        with pytest.raises(ValueError, match="use 'sqrt', 'wisconsin' or 'sqrt,wisconsin'"):
            MDS(metric="braycurtis", metric_params={"standardise": steps}).fit(OLD)
    with pytest.raises(ValueError, match=r"is for counts, and X\[0, 0\] = -1 is negative"):
        MDS(metric_params={"standardise": "sqrt"}).fit(OLD - OLD[0, 0] - 1.0)
