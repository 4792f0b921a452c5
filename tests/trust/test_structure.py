"""Permutation tests: exact under chance, and they find weak structure."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kstest

from tests.support.tables import distances
from unimds import MDS, LandmarkMDS
from unimds.trust import permutation_test, structure
from unimds.trust.structure import among_pairs, within_rows
from unimds.trust.study import StudiedTable

PLANE = MDS(metric="precomputed")
QUICK = MDS(metric="precomputed", n_init=1, init="classical")


def noisy(n, noise, seed=0):
    rng = np.random.default_rng(seed)
    D = distances(rng.normal(size=(n, 2))) + np.triu(rng.normal(0.0, noise, (n, n)), 1)
    D = np.abs(np.triu(D, 1))
    return D + D.T


def chance(n, seed):
    D = np.triu(np.random.default_rng([9, seed]).uniform(size=(n, n)), 1)
    return D + D.T


def test_the_p_value_counts_permutations_that_are_as_low_and_the_data_themselves():
    found = permutation_test(QUICK, chance(8, 5), n_permutations=19, random_state=0)
    low = np.count_nonzero(found.permuted <= found.observed)
    assert 0 < low < 19
    assert found.p_value == (1 + low) / 20
    assert found.n_permutations == 19
    assert found.statistic == "stress_1"


def test_structure_is_found_and_told():
    found = permutation_test(PLANE, noisy(14, 0.2), n_permutations=39, random_state=0)
    assert found.p_value == 1 / 40
    assert found.z > 3.0
    assert found.sentence.startswith("There is structure. Stress-1 0.")
    assert "of 39 permuted tables none has so little" in repr(found)


def test_random_numbers_have_none():
    found = permutation_test(PLANE, chance(12, 0), n_permutations=39, random_state=0)
    assert found.p_value > 0.05
    assert found.sentence.startswith("No structure that this map shows: maps of the same numbers")


def test_too_few_permutations_say_nothing_and_the_words_say_so():
    found = permutation_test(QUICK, noisy(12, 0.05), n_permutations=4, random_state=0)
    assert found.p_value == 0.2
    assert "With so few permutations p cannot be less than 0.05" in found.sentence


def test_rounding_does_not_decide_between_perfect_maps():
    features = np.random.default_rng(0).normal(size=(7, 1))
    found = permutation_test(MDS(1), features, n_permutations=19, random_state=0)
    assert found.observed < 1e-9
    assert found.permuted.max() < 1e-9  # a line fits them all
    assert found.p_value == 1.0


def test_the_starts_of_maps_do_not_decide_between_equal_tables():
    mds = MDS(metric="precomputed", n_init=1, init="random", eps=1e-3)
    found = permutation_test(mds, 1.0 - np.eye(7), n_permutations=9, random_state=0)
    assert np.ptp(found.permuted) > 0.0
    assert found.p_value == 1.0


def test_a_perfect_map_has_the_least_p_value():
    D = distances(np.random.default_rng(0).normal(size=(10, 2)))
    assert permutation_test(QUICK, D, n_permutations=9, random_state=0).p_value == 0.1


def test_equal_dissimilarities_are_the_same_in_any_order():
    D = 1.0 - np.eye(8)
    assert permutation_test(QUICK, D, n_permutations=9, random_state=0).p_value == 1.0


@pytest.mark.parametrize("how", [{"level": "ordinal"}, {"loss": "absolute"}, {"space": "sphere"}])
def test_levels_losses_and_spaces(how):
    mds = MDS(metric="precomputed", n_init=1, **how)
    found = permutation_test(mds, noisy(12, 0.1) / 3.0, n_permutations=19, random_state=0)
    assert found.p_value == 1 / 20
    assert found.statistic == ("relative_cost" if "loss" in how else "stress_1")


def test_the_cost_of_a_robust_loss_is_relative_to_all_points_in_one_place():
    D = noisy(8, 0.1)
    found = permutation_test(
        MDS(metric="precomputed", loss="absolute", n_init=1), D, n_permutations=1, random_state=0
    )
    fitted = MDS(metric="precomputed", loss="absolute", n_init=1, eps=1e-5, random_state=0).fit(D)
    assert found.observed == pytest.approx(fitted.cost_ / (0.5 * D.sum()), rel=0.05)


def test_wrong_distances_do_not_hide_structure_from_a_robust_loss():
    D = noisy(15, 0.05)
    rng = np.random.default_rng(1)
    out = np.triu(rng.random(D.shape) < 0.1, 1)
    D[out | out.T] *= 20.0
    robust = MDS(metric="precomputed", loss="absolute", n_init=1)
    assert permutation_test(robust, D, n_permutations=19, random_state=0).p_value == 1 / 20


def test_features_are_permuted_within_columns_unless_asked():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(25, 1)) @ rng.normal(size=(1, 5)) + 0.5 * rng.normal(size=(25, 5))
    mds = MDS(n_init=1)
    together = permutation_test(mds, X, n_permutations=19, random_state=0)
    assert (together.permute, together.p_value) == ("columns", 1 / 20)
    alone = permutation_test(mds, rng.normal(size=(25, 5)), n_permutations=19, random_state=0)
    assert alone.p_value > 0.05
    pairs = permutation_test(mds, X, permute="pairs", n_permutations=9, random_state=0)
    assert pairs.permute == "pairs"
    fitted = MDS(n_init=1, random_state=0).fit(X)
    assert permutation_test(fitted, n_permutations=9, random_state=0).permute == "columns"


def test_a_fitted_estimator_has_its_own_data():
    D = noisy(10, 0.1)
    fitted = MDS(metric="precomputed", n_init=1, random_state=0).fit(D)
    one = permutation_test(fitted, n_permutations=9, random_state=0)
    other = permutation_test(fitted, D, n_permutations=9, random_state=0)
    assert one.observed == other.observed
    np.testing.assert_array_equal(one.permuted, other.permuted)


def test_the_outcome_does_not_depend_on_threads():
    one, other = (
        permutation_test(QUICK, noisy(10, 0.3), n_permutations=9, random_state=0, n_jobs=jobs)
        for jobs in (None, 2)
    )
    np.testing.assert_array_equal(one.permuted, other.permuted)


# --- permutations ---------------------------------------------------------------------------------


@st.composite
def tables(draw, both=False):
    n = draw(st.integers(4, 9))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    D, W = rng.uniform(1.0, 2.0, (n, n)), rng.uniform(1.0, 2.0, (n, n))
    gone = np.triu(rng.random((n, n)) < draw(st.floats(0.0, 0.5)), 1)
    if not both:
        D, W = np.triu(D, 1), np.triu(W, 1)
        D, W = D + D.T, W + W.T
    D[gone | gone.T] = np.nan
    np.fill_diagonal(D, 0.0)
    conditional = MDS(metric="precomputed", conditional="row")
    return StudiedTable(conditional, D, W, both, None, None), rng


@settings(max_examples=60, deadline=None)
@given(tables())
def test_permuted_tables_have_the_same_numbers_with_their_weights_and_the_same_gaps(drawn):
    table, rng = drawn
    D, W = among_pairs(table, rng)
    np.testing.assert_array_equal(np.isnan(D), np.isnan(table.D))
    np.testing.assert_array_equal(D, D.T)
    np.testing.assert_array_equal(np.diag(D), 0.0)
    known = np.triu(~np.isnan(D), 1)
    before = sorted(zip(table.D[known], table.W[known], strict=True))
    assert sorted(zip(D[known], W[known], strict=True)) == before


@settings(max_examples=60, deadline=None)
@given(tables(both=True))
def test_the_two_directions_of_a_pair_stay_together(drawn):
    table, rng = drawn
    D, _ = among_pairs(table, rng)
    known = np.triu(~np.isnan(D), 1)
    before = sorted(zip(table.D[known], table.D.T[known], strict=True))
    assert sorted(zip(D[known], D.T[known], strict=True)) == before


@settings(max_examples=60, deadline=None)
@given(tables(both=True))
def test_rows_that_have_scales_of_their_own_keep_their_numbers(drawn):
    table, rng = drawn
    D, W = within_rows(table, rng)
    np.testing.assert_array_equal(np.isnan(D), np.isnan(table.D))
    for row in range(table.n):
        known = ~np.isnan(D[row]) & (np.arange(table.n) != row)
        before = sorted(zip(table.D[row, known], table.W[row, known], strict=True))
        assert sorted(zip(D[row, known], W[row, known], strict=True)) == before


def test_missing_pairs_and_weights():
    D, W = noisy(12, 0.1), np.ones((12, 12))
    D[1, 2] = D[2, 1] = np.nan
    W[3, 4] = W[4, 3] = 0.0
    found = permutation_test(QUICK, D, weights=W, n_permutations=9, random_state=0)
    assert found.p_value == 0.1


# --- what cannot be done --------------------------------------------------------------------------


def test_what_cannot_be_permuted_is_an_error_that_says_why():
    D = noisy(8, 0.1)
    with pytest.raises(ValueError, match=r"permute='rows' is not known: use one of auto, pairs"):
        permutation_test(PLANE, D, permute="rows")
    with pytest.raises(ValueError, match=r'needs features.* use permute="pairs"'):
        permutation_test(PLANE, D, permute="columns")
    with pytest.raises(ValueError, match=r"n_permutations=0 must be a whole number, 1 or more"):
        permutation_test(PLANE, D, n_permutations=0)
    with pytest.raises(ValueError, match="permuting the pairs of 3 points changes nothing"):
        permutation_test(PLANE, D[:3, :3])
    with pytest.raises(ValueError, match="mds is not fitted: give the data too"):
        permutation_test(PLANE)
    with pytest.raises(TypeError, match="give MDS a sample"):
        permutation_test(LandmarkMDS(), D)
    with pytest.raises(TypeError, match="dict is no MDS estimator"):
        permutation_test({}, D)


def test_interrupted_tests_keep_what_is_done(monkeypatch):
    original, count = structure.fit_anew, []

    def interrupted(*args):
        count.append(args)
        if len(count) == 6:
            raise KeyboardInterrupt
        return original(*args)

    monkeypatch.setattr(structure, "fit_anew", interrupted)
    with pytest.warns(RuntimeWarning, match="Interrupted: 4 of 19 permutations were done"):
        found = permutation_test(QUICK, noisy(8, 0.1), n_permutations=19, random_state=0)
    assert found.interrupted
    assert found.n_permutations == 4


def test_a_test_that_is_interrupted_at_once_has_nothing_to_tell(monkeypatch):
    def interrupted(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr(structure, "fit_anew", interrupted)
    with pytest.raises(KeyboardInterrupt):
        permutation_test(QUICK, noisy(8, 0.1))


def test_where_others_would_look_the_way_is_told():
    import unimds
    from unimds import quality

    with pytest.raises(
        AttributeError, match=r"it fits maps, and is unimds\.trust\.permutation_test"
    ):
        quality.permutation_test  # noqa: B018
    with pytest.raises(AttributeError, match=r"has no attribute 'tress'$"):
        quality.tress  # noqa: B018
    for name, place in (("permtest", "permutation_test"), ("jackmds", "jackknife")):
        with pytest.raises(AttributeError, match=rf"use unimds\.trust\.{place}"):
            getattr(unimds, name)
    assert unimds.trust.permutation_test is permutation_test


# --- long simulations -----------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("level", ["ratio", "ordinal"])
def test_p_values_without_structure_are_uniform(level):
    mds = MDS(metric="precomputed", level=level, n_init=1, init="classical", eps=1e-4)
    p = [
        permutation_test(mds, chance(10, 1000 + seed), n_permutations=39, random_state=seed).p_value
        for seed in range(200)
    ]
    # p has steps of 1/40: spread evenly within them, it is uniform
    spread = np.array(p) - np.random.default_rng(0).uniform(0.0, 1.0 / 40.0, len(p))
    assert kstest(spread, "uniform").pvalue > 0.01
