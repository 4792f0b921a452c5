"""New points that a map can hardly have a place for."""

import warnings

import numpy as np
import pandas as pd
import pytest

from unimds import MDS, LandmarkMDS, place_points
from unimds.distances.metric import RowsWarning
from unimds.estimators.newcomers import StrangersWarning
from unimds.spaces import distances

SPECIES = [f"species {j}" for j in range(25)]


def counts(seed=0, sites=40):
    rng = np.random.default_rng(seed)
    found = rng.random((sites, len(SPECIES))) < 0.5
    X = rng.negative_binomial(0.6, 0.05, size=found.shape) * found
    return pd.DataFrame(X, [f"site {i}" for i in range(sites)], SPECIES)


def wisconsin(table, maxima):
    shares = table / maxima
    return shares.div(shares.sum(axis=1), axis=0)


def fitted(X, **how):
    return MDS(2, n_init=1, random_state=0, **how).fit(X)


def warned(mds, X):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        mds.transform(X)
    return [str(one.message) for one in told if issubclass(one.category, StrangersWarning)]


@pytest.mark.parametrize("level", ["ratio", "ordinal"])
def test_raw_counts_on_a_map_of_standardised_counts_are_told(level):
    old, new = counts().iloc[:30], counts().iloc[30:]
    mds = fitted(wisconsin(old, old.max()), metric="braycurtis", level=level)
    (told,) = warned(mds, new)
    assert "10 of 10 new points are far from every point of the map" in told
    assert "('site 30' and 'site 31', and 8 more)" in told
    assert "times as large as any of the map" in told
    assert "standardised" in told
    assert warned(mds, wisconsin(new, old.max())) == []


def test_standardised_counts_on_a_map_of_raw_counts_are_told():
    old, new = counts().iloc[:30], counts().iloc[30:]
    mds = fitted(old, metric="braycurtis")
    (told,) = warned(mds, wisconsin(new, old.max()))
    assert "times as small as any of the map" in told
    assert warned(mds, new) == []


def test_a_metric_that_minds_no_sizes_needs_no_warning():
    old, new = counts().iloc[:30], counts().iloc[30:]
    for metric in ("hellinger", "cosine"):
        assert warned(fitted(old / 1000.0, metric=metric), new) == []


def test_raw_features_on_a_map_of_z_scores_are_told():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5)) * [3, 10, 20, 4, 1] + [170, 65, 30, 5, 2]
    Z = (X - X[:40].mean(axis=0)) / X[:40].std(axis=0)
    for old, new in ((Z, X), (X, Z)):
        mds = fitted(old[:40])
        assert "Their numbers are" in warned(mds, new[40:])[0]
        assert warned(mds, old[40:]) == []
    assert warned(fitted(Z[:40]), np.zeros((1, 5))) == []  # the mean is small, and near to others


@pytest.mark.parametrize(
    ("factor", "told"), [(1000.0, "far from every point"), (1e-3, "too short")]
)
def test_distances_in_another_unit_are_told(factor, told):
    D = distances(np.random.default_rng(0).normal(size=(30, 2)))
    mds = fitted(D[:20, :20], metric="precomputed")
    (found,) = warned(mds, factor * D[20:, :20])
    assert told in found
    assert "in the same unit?" in found
    assert warned(mds, D[20:, :20]) == []


def test_landmarks_warn_as_well():
    X = np.random.default_rng(0).normal(size=(80, 3))
    mds = LandmarkMDS(2, n_landmarks=30, refine=1, random_state=0).fit(X[:60])
    (told,) = warned(mds, 50.0 + X[60:])
    assert "20 of 20 new points" in told


def test_ordinary_new_points_are_placed_without_a_word():
    """Of the same kind as the map's, in many dimensions, of few points and of equal distances."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        for X in (
            rng.normal(size=(40, 2)),
            rng.normal(size=(40, 50)),
            rng.lognormal(size=(40, 4)),
            rng.random((10, 3)) + 100.0,
            counts(seed).to_numpy(dtype=float),
        ):
            n = len(X) - 5
            assert warned(fitted(X[:n], max_iter=50, eps=1e-3), X[n:]) == []
    equal = 1.0 - np.eye(4)
    assert warned(fitted(equal[:3, :3], metric="precomputed"), equal[3:, :3]) == []


def test_points_with_too_few_known_distances_are_named():
    D = distances(np.random.default_rng(0).normal(size=(30, 2)))
    new = pd.DataFrame(D[20:, :20], index=list("abcdefghij"))
    new.iloc[1, 2:] = np.nan
    new.iloc[3, 1:] = np.nan
    few = r"2 of 10 new points have fewer than 3 known distances \('b' and 'd'\)"
    mds = fitted(D[:20, :20], metric="precomputed")
    with pytest.warns(RowsWarning, match=few):
        mds.transform(new)
    with pytest.warns(RowsWarning, match=few):
        place_points(new, mds.embedding_)
    few = r"2 of 10 new points have fewer than 3 known distances \({0}\[1\] and {0}\[3\]\)"
    with pytest.warns(RowsWarning, match=few.format("D")):
        place_points(new.to_numpy(), mds.embedding_)
    with pytest.warns(RowsWarning, match=few.format("X")):
        mds.transform(new.to_numpy())
    weights = np.where(new.isna(), 0.0, 1.0)
    with pytest.warns(RowsWarning, match="fewer than 3 known distances"):
        place_points(new.fillna(1.0), mds.embedding_, weights=weights)


def test_a_distance_of_zero_determines_a_place():
    X = np.random.default_rng(0).normal(size=(20, 2))
    row = np.full((1, 20), np.nan)
    row[0, 7] = 0.0
    np.testing.assert_allclose(place_points(row, X), X[7:8])


def test_a_map_of_two_points_has_no_third_distance_to_ask_for():
    place_points([[1.0, 1.0]], [[0.0, 0.0], [1.0, 0.0]])
