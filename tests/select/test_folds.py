"""Folds share out the known pairs, evenly at every point, and leave the points joined."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components

from unimds.select.folds import NEVER, every_other, pair_folds


@st.composite
def graphs(draw):
    """Return a connected graph as a symmetric table, a number of folds, and a seed."""
    n, seed = draw(st.integers(4, 24)), draw(st.integers(0, 2**16))
    rng, share = np.random.default_rng(seed), draw(st.floats(0.0, 1.0))
    known = np.triu(rng.random((n, n)) < share, 1)
    order = rng.permutation(n)
    for k in range(1, n):
        i, j = sorted((order[k], order[rng.integers(k)]))
        known[i, j] = True
    return known | known.T, draw(st.integers(2, 10)), seed


def folds_of(known, count, seed):
    """Return folds, or None where no pair can be held out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return pair_folds(known, count, np.random.default_rng(seed))
        except ValueError:
            return None


@settings(deadline=None)
@given(graphs())
def test_folds_are_the_known_pairs_even_at_every_point_and_leave_the_others_joined(drawn):
    known, count, seed = drawn
    folds = folds_of(known, count, seed)
    if folds is None:
        return
    table = np.zeros(known.shape, dtype=int)
    for fold in range(folds.folds):
        out = folds.held_out(fold)
        assert out.any()
        assert (out == out.T).all()
        table += out
        assert connected_components(known & ~out, directed=False)[0] == 1
    never = folds.fold == NEVER
    table[folds.i[never], folds.j[never]] += 1
    table[folds.j[never], folds.i[never]] += 1
    assert (table == known).all()  # each known pair once, and no other
    # pairs that hold the points together are taken away afterwards
    lost = np.bincount(np.append(folds.i[never], folds.j[never]), minlength=len(known))
    assert (np.ptp(folds.per_point(), axis=1) <= 2 + lost).all()


@settings(deadline=None)
@given(graphs())
def test_halves_are_even_at_every_point(drawn):
    known, _, _ = drawn
    i, j = np.nonzero(np.triu(known))
    first = every_other(i, j, len(known))
    side = np.where(first, 1, -1)
    surplus = np.bincount(i, side, len(known)) + np.bincount(j, side, len(known))
    assert np.abs(surplus).max() <= 2
    odd = (known.sum(axis=0) % 2).astype(bool)
    assert np.abs(surplus[odd]).max(initial=0) <= 1


@pytest.mark.parametrize("n", [6, 20, 61])
def test_in_a_complete_table_every_point_loses_a_fifth_of_its_partners(n):
    folds = pair_folds(~np.eye(n, dtype=bool), 5, np.random.default_rng(0))
    assert (folds.fold != NEVER).all()
    assert np.ptp(np.bincount(folds.fold)) <= 3
    assert np.abs(folds.per_point() - (n - 1) / 5).max() <= 2.0
    assert folds.partners_left >= (n - 1) - (n - 1) / 5 - 2


def test_other_seeds_are_other_folds_and_the_same_seed_the_same():
    known = ~np.eye(15, dtype=bool)
    one, same, other = (pair_folds(known, 5, np.random.default_rng(s)).fold for s in (0, 0, 1))
    assert (one == same).all()
    assert (one != other).any()


def test_a_pair_that_joins_two_groups_is_never_held_out():
    known = np.zeros((10, 10), dtype=bool)
    known[:5, :5] = known[5:, 5:] = True
    known[4, 5] = known[5, 4] = True
    np.fill_diagonal(known, False)
    folds = pair_folds(known, 5, np.random.default_rng(0))
    (bridge,) = np.flatnonzero((folds.i == 4) & (folds.j == 5))
    assert folds.fold[bridge] == NEVER


def test_a_tree_has_no_pair_to_hold_out():
    known = np.eye(6, k=1, dtype=bool) | np.eye(6, k=-1, dtype=bool)
    with pytest.raises(ValueError, match=r"5 known pairs of n_samples = 6 points are too few"):
        pair_folds(known, 5, np.random.default_rng(0))


def test_there_are_no_more_folds_than_pairs():
    with pytest.warns(UserWarning, match="cv=9: there are 6 folds, as only 6 of the 6"):
        folds = pair_folds(~np.eye(4, dtype=bool), 9, np.random.default_rng(0))
    assert folds.folds == 6
