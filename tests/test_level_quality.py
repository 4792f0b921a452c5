"""Quality of maps at a level of measurement: disparities, and stress by its definitions."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.isotonic import IsotonicRegression
from sklearn.manifold import smacof

from unimds import MDS, Ordinal, place_center
from unimds.quality import (
    Shepard,
    linear_r2,
    monotone_r2,
    normalized_stress,
    point_stress,
    residuals,
    shepard,
    stress,
    stress_1,
    total_cost,
)

LEVELS = ["ordinal", Ordinal(ties="secondary"), "interval", "spline", "power"]
KINDS = ["stress_1", "stress_2", "normalized", "raw", "sstress"]


def dissimilarities(n=12, seed=0, ties=False):
    """Return dissimilarities that rise with distances in space, with some noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    D = np.exp(cdist(X, X)) * rng.uniform(0.8, 1.2, size=(n, n))
    D = np.round(np.log(D) * 2.0) + 1.0 if ties else D
    return np.tril(D, -1) + np.tril(D, -1).T


def fitted(level, D, **how):
    return MDS(2, level=level, metric="precomputed", n_init=1, random_state=0, **how).fit(D)


def pairs_of(mds):
    """Return mapped distances and disparities of all pairs."""
    once = np.triu_indices(len(mds.embedding_), 1)
    return cdist(mds.embedding_, mds.embedding_)[once], mds.disparities_[once]


def by_hand(u, r, w, kind):
    if kind == "raw":
        return np.sum(w * (u - r) ** 2)
    if kind == "sstress":
        return np.sqrt(np.sum(w * (u**2 - r**2) ** 2) / np.sum(w * r**4))
    mean = np.sum(w * u) / np.sum(w)
    below = {"stress_1": u**2, "stress_2": (u - mean) ** 2, "normalized": r**2}[kind]
    return np.sqrt(np.sum(w * (u - r) ** 2) / np.sum(w * below))


# --- definitions of stress ------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scale", [1.0, 1e-30, 1e30])
def test_each_stress_is_what_it_says(kind, scale):
    rng = np.random.default_rng(1)
    X, D = scale * rng.normal(size=(9, 2)), scale * dissimilarities(9)
    W = rng.uniform(size=(9, 9))
    W = W + W.T
    once = np.triu_indices(9, 1)
    u = cdist(X, X)[once] / scale
    want = by_hand(u, D[once] / scale, W[once], kind) * (scale**2 if kind == "raw" else 1.0)
    assert_allclose(stress(D, X, kind=kind, weights=W), want, rtol=1e-12)


@given(st.integers(0, 10**6), st.booleans())
def test_missing_pairs_do_not_count_in_any_stress(seed, weighted):
    rng = np.random.default_rng(seed)
    D, X = dissimilarities(7, seed), rng.normal(size=(7, 2))
    gone = np.triu(rng.uniform(size=(7, 7)) < 0.3, 1)
    holes = np.where(gone | gone.T, np.nan, D)
    W = np.where(gone | gone.T, 0.0, 1.0)
    for kind in ("stress_2", "sstress", "stress_1"):
        told = {"weights": np.ones((7, 7))} if weighted else {}
        got = stress(holes, X, kind=kind, **told)
        assert_allclose(got, stress(D, X, kind=kind, weights=W), rtol=1e-12)
    assert_allclose(linear_r2(holes, X), linear_r2(D, X, weights=W), rtol=1e-9)


def test_an_unknown_stress_is_named():
    with pytest.raises(ValueError, match=r"kind='stress' is not known: use one of 'stress_1', 's"):
        stress(dissimilarities(4), np.eye(4), kind="stress")


def test_both_kinds_of_explained_share():
    D, X = dissimilarities(10), np.random.default_rng(3).normal(size=(10, 2))
    once = np.triu_indices(10, 1)
    u, d = cdist(X, X)[once], D[once]
    assert_allclose(linear_r2(D, X), np.corrcoef(u, d)[0, 1] ** 2, rtol=1e-12)
    assert_allclose(monotone_r2(D, X), 1.0 - np.sum((u - d) ** 2) / np.sum(u**2), rtol=1e-12)


def test_a_perfect_map_explains_everything_and_equal_distances_nothing():
    X = np.random.default_rng(3).normal(size=(10, 2))
    assert linear_r2(3.0 * cdist(X, X) + 1.0 - np.eye(10), X) == pytest.approx(1.0, abs=1e-15)
    assert np.isnan(linear_r2(dissimilarities(2), np.eye(2)))


# --- maps at a level ------------------------------------------------------------------------------


@pytest.mark.parametrize("level", LEVELS, ids=str)
def test_a_map_at_a_level_is_measured_by_its_disparities(level):
    D = dissimilarities()
    mds = fitted(level, D)
    U = cdist(mds.embedding_, mds.embedding_)
    assert_allclose(residuals(mds), U - mds.disparities_, atol=1e-12)
    gap = (U - mds.disparities_) ** 2
    assert_allclose(point_stress(mds), gap.sum(axis=0) / gap.sum(), rtol=1e-9)
    assert_allclose(total_cost(mds), gap.sum() / 2.0, rtol=1e-9)
    assert_allclose(total_cost(mds), mds.cost_, rtol=1e-9)
    for run in (mds, mds.result_):  # its own dissimilarities have its disparities
        assert_array_equal(residuals(D, run), residuals(mds))
        assert stress_1(D, run) == pytest.approx(mds.stress_, rel=1e-12)


@pytest.mark.parametrize("level", ["interval", "ordinal"])
def test_other_dissimilarities_go_through_the_transformation(level):
    D = dissimilarities()
    mds = fitted(level, D)
    other = np.minimum(D, 0.7 * D.max()) * (1.0 - np.eye(12))
    want = cdist(mds.embedding_, mds.embedding_) - mds.transformation_(other)
    for run in (mds, mds.result_):
        assert_allclose(residuals(other, run), want, atol=1e-12)


def test_the_stress_of_an_ordinal_map_is_that_of_the_regression():
    """Kruskal's: the disparities are the isotonic regression on the distances of the map."""
    D = dissimilarities(15)
    mds = fitted("ordinal", D)
    u, _ = pairs_of(mds)
    best = IsotonicRegression().fit_transform(D[np.triu_indices(15, 1)], u)
    want = np.sqrt(np.sum((u - best) ** 2) / np.sum(u**2))
    assert want > 0.05  # where s and s/√(1 − s²) differ
    assert mds.stress_ == pytest.approx(want, rel=1e-12)
    assert stress_1(mds) == pytest.approx(want, rel=1e-12)
    assert normalized_stress(mds) == pytest.approx(want / np.sqrt(1.0 - want**2), rel=1e-9)
    assert monotone_r2(mds) == pytest.approx(1.0 - want**2, rel=1e-12)
    assert linear_r2(mds) == pytest.approx(np.corrcoef(u, best)[0, 1] ** 2, rel=1e-9)


def test_rows_with_transformations_of_their_own_have_pairs_in_both_directions():
    D = dissimilarities(10)
    mds = fitted("ordinal", D, conditional="row")
    gap = cdist(mds.embedding_, mds.embedding_) - mds.disparities_
    assert_allclose(residuals(mds), gap, atol=1e-12)
    assert stress_1(mds) == pytest.approx(mds.stress_, rel=1e-9)
    assert shepard(mds).given.size == 10 * 9
    with pytest.raises(ValueError, match="every row a transformation of its own"):
        residuals(2.0 * D, mds)


@pytest.mark.parametrize("level", ["interval", Ordinal(strictness=0.3)], ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_each_stress_of_a_level_is_that_of_its_disparities(level, kind):
    mds = fitted(level, dissimilarities())
    u, r = pairs_of(mds)
    assert stress(mds, kind=kind) == pytest.approx(by_hand(u, r, np.ones_like(u), kind), rel=1e-9)


def test_the_stress_of_a_weighted_map_is_that_of_the_weighted_regression():
    D = dissimilarities()
    W = np.random.default_rng(5).uniform(0.1, 3.0, size=D.shape)
    W = W + W.T
    mds = MDS(2, level="ordinal", metric="precomputed", n_init=1, random_state=0).fit(D, weights=W)
    u, _ = pairs_of(mds)
    w, d = (table[np.triu_indices(12, 1)] for table in (W, D))
    best = IsotonicRegression().fit_transform(d, u, sample_weight=w)
    assert mds.stress_ == pytest.approx(np.sqrt(w @ (u - best) ** 2 / (w @ u**2)), rel=1e-12)
    assert stress_1(mds, weights=W) == pytest.approx(mds.stress_, rel=1e-12)


def test_shepard_tells_dissimilarity_disparity_and_distance():
    D = dissimilarities(ties=True)
    mds = fitted("ordinal", D)
    got = shepard(mds)
    given, mapped, i, j = got
    assert_array_equal(given, D[i, j])
    assert_array_equal(got.disparities, mds.disparities_[i, j])
    assert_allclose(mapped, cdist(mds.embedding_, mds.embedding_)[i, j])
    assert (np.diff(given) >= 0.0).all()
    assert (np.diff(got.disparities) >= 0.0).all()  # ties by their disparities
    again = pickle.loads(pickle.dumps(got))
    assert isinstance(again, Shepard)
    assert_array_equal(again.disparities, got.disparities)


def test_missing_pairs_have_no_disparity():
    D = dissimilarities()
    D[2, 5] = D[5, 2] = np.nan
    mds = fitted("ordinal", D)
    assert np.isnan(residuals(mds)[2, 5])
    assert shepard(mds).given.size == 12 * 11 // 2 - 1
    lower = np.where(np.tri(12, dtype=bool), D, np.nan)  # the same, known one way only
    assert_array_equal(shepard(lower, mds).disparities, shepard(mds).disparities)


def test_scikit_learn_tells_another_number():
    """Its normalised stress of a nonmetric map is s/√(1 − s²), as docs/stress.md says."""
    D = dissimilarities(15)
    start = place_center(D, level="ordinal", n_init=1).embedding
    X, told = smacof(
        D, metric=False, init=start, n_init=1, normalized_stress=True, eps=1e-12, max_iter=3000
    )
    once = np.triu_indices(15, 1)
    u = cdist(X, X)[once]
    best = IsotonicRegression().fit_transform(D[once], u)
    s = np.sqrt(np.sum((u - best) ** 2) / np.sum(u**2))
    assert told == pytest.approx(s / np.sqrt(1.0 - s**2), rel=1e-4)
    assert told > s * (1.0 + 1e-3)


def test_disparities_beside_their_map_are_taken_as_they_are():
    D = np.random.default_rng(3).random((9, 9))
    D = np.triu(D, 1) + np.triu(D, 1).T
    mds = MDS(level="ordinal", metric="precomputed", random_state=0).fit(D)
    assert np.array_equal(point_stress(mds.disparities_, mds), point_stress(mds))
