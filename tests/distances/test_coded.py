"""Codes of tables: what they stand for, and how fine their bins are."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tests.support.tables import distances
from unimds.distances.coded import binned
from unimds.distances.pairs import as_pairs


def check(codes, D, W):
    """Check that counts, weights and means of codes are those of their pairs."""
    n, count, table = len(D), codes.d.size, codes.of_pairs
    known = ~np.isnan(D) & ~np.eye(n, dtype=bool) & (W > 0.0)
    assert (np.diagonal(table) == count + 1).all()
    assert (table[~known & ~np.eye(n, dtype=bool)] == count).all()
    once = known if codes.layers == 2 else known & np.tri(n, dtype=bool)
    of = table[once]
    assert_allclose(codes.counts, np.bincount(of, minlength=count))
    assert_allclose(codes.weights, np.bincount(of, W[once], count))
    assert_allclose(codes.counts * codes.d, np.bincount(of, D[once], count))
    assert codes.bins
    order = np.argsort(D[once], kind="stable")
    assert (np.diff(of[order].astype(int)) >= 0).all()  # codes rise with the dissimilarities


@pytest.mark.parametrize("even", [False, True])
@pytest.mark.parametrize("power", [1.0, 40.0])  # the second falls into few of the cells
@settings(max_examples=15)
@given(seed=st.integers(0, 2**32 - 1))
def test_bins_are_what_they_stand_for(even, power, seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 40))
    D, W = rng.random((n, n)) ** power, np.ones((n, n))
    if rng.random() < 0.5:
        D = np.maximum(D, D.T)
    if rng.random() < 0.5:
        W = rng.random((n, n)) * (rng.random((n, n)) < 0.8)
        W = W + W.T
    gaps = np.triu(rng.random((n, n)) < 0.1, 1)
    D[gaps | gaps.T] = np.nan
    np.fill_diagonal(D, 0.0)
    pairs = as_pairs(D, weights=W, connected=False)
    check(binned(pairs, 50, even=even), pairs.table.D[:, 0], W)


def test_bins_are_finest_at_both_ends_however_dissimilarities_are_spaced():
    D = distances(np.random.default_rng(0).normal(size=(400, 2)))
    for power in (1.0, 3.0, 20.0):
        codes = binned(as_pairs(D**power), 1000)
        share = codes.counts / codes.counts.sum()
        assert codes.d.size > 900
        assert share[-50:].sum() < 0.01  # by a twentieth of the bins
        assert share.max() < 0.01
