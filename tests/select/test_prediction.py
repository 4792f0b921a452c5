"""What a map predicts at each level, and how errors are measured."""

import numpy as np
import pytest

from tests.support.tables import distances
from unimds import place_center
from unimds.select.fits import Data
from unimds.select.folds import pair_folds
from unimds.select.prediction import SCORINGS, line, predicted

POINTS = np.random.default_rng(0).normal(size=(25, 2))


def data(D, W=None):
    folds = pair_folds(~np.eye(len(D), dtype=bool), 5, np.random.default_rng(0))
    return Data(D, W, folds, both=not np.array_equal(D, D.T))


def errors(D, level, W=None, **how):
    """Return given and predicted dissimilarities of one fold."""
    table = data(D, W)
    seen, unseen = table.samples(0)
    how = {"n_init": 1, "random_state": 0, **how}
    result = place_center(table.without(0), level=level, weights=W, **how)
    return unseen.d, predicted(result, seen, unseen)


@pytest.mark.parametrize(
    ("level", "curve", "near"),
    [
        ("ratio", lambda d: d, 1e-4),
        ("interval", lambda d: 2.0 * d + 1.0, 1e-3),
        ("power", lambda d: d**1.5, 1e-3),
        ("ordinal", lambda d: np.exp(d), 0.05),
        ("spline", lambda d: d + 0.2 * d**2, 0.05),
    ],
)
def test_a_level_predicts_dissimilarities_in_their_own_unit(level, curve, near):
    D = 100.0 * curve(distances(POINTS))
    np.fill_diagonal(D, 0.0)
    given, found = errors(D, level)
    assert np.abs(found - given).max() <= near * given.max()


def test_predictions_of_the_line_are_no_wider_than_what_they_predict():
    """The inverse of a regression exaggerates: without the line this slope would be above 1."""
    rng = np.random.default_rng(1)
    noise = np.triu(rng.normal(size=(25, 25)), 1)
    D = distances(POINTS) + 3.0 + 0.6 * (noise + noise.T)
    np.fill_diagonal(D, 0.0)
    table = data(D)
    seen, _ = table.samples(0)
    result = place_center(table.without(0), level="interval", n_init=1, random_state=0)
    slope, shift = line(predicted(result, seen, seen), seen.d, seen.w)
    assert (slope, shift) == pytest.approx((1.0, 0.0), abs=1e-9)


def test_rows_of_their_own_are_predicted_by_their_own_functions():
    D = distances(POINTS) * np.linspace(1.0, 9.0, 25)[:, None] + np.arange(25.0)[:, None]
    np.fill_diagonal(D, 0.0)
    given, by_row = errors(D, "interval", conditional="row")
    _, by_table = errors(D, "interval")
    assert np.abs(by_row - given).mean() < 0.1 * np.abs(by_table - given).mean()


def test_both_directions_of_an_asymmetric_table_are_held_out_together():
    D = distances(POINTS)
    D[np.triu_indices(25, 1)] *= 1.2
    table = data(D)
    without = table.without(0)
    assert (np.isnan(without) == np.isnan(without.T)).all()
    seen, unseen = table.samples(0)
    held = {(i, j) for i, j in zip(unseen.i, unseen.j, strict=True)}
    assert held == {(j, i) for i, j in held}
    assert len(seen.d) + len(unseen.d) == 25 * 24


def test_pairs_without_weight_are_in_no_sample():
    W = np.ones((25, 25))
    W[0, 1] = W[1, 0] = 0.0
    D = distances(POINTS)
    for sample in (part for fold in range(5) for part in data(D, W).samples(fold)):
        assert not ((sample.i == 0) & (sample.j == 1)).any()


@pytest.mark.parametrize(
    ("scoring", "error"), [("stress", 0.2), ("absolute", 0.1), ("median", 0.0)]
)
def test_errors_are_relative_to_the_dissimilarities(scoring, error):
    given, found = np.ones(4), np.array([1.0, 1.0, 1.0, 1.4])
    for unit in (1.0, 1e-200, 1e200):
        assert SCORINGS[scoring](unit * given, unit * found, np.ones(4)) == pytest.approx(error)


@pytest.mark.parametrize("scoring", SCORINGS)
def test_a_pair_of_twice_the_weight_counts_as_two_pairs(scoring):
    rng = np.random.default_rng(0)
    given, found = rng.random(9) + 1.0, rng.random(9) + 1.0
    w = np.array([1.0, 2.0, 1.0, 1.0, 3.0, 1.0, 1.0, 1.0, 2.0])
    some = np.repeat(np.arange(9), w.astype(int))
    twice = SCORINGS[scoring](given[some], found[some], np.ones(some.size))
    assert SCORINGS[scoring](given, found, w) == pytest.approx(twice)


def test_a_robust_line_ignores_what_is_far_off():
    x = np.arange(20.0)
    y = 3.0 * x + 2.0
    y[[3, 11, 17]] = 500.0
    assert line(x, y, np.ones(20), robust=True) == pytest.approx((3.0, 2.0), abs=0.02)
    assert line(x, -y, np.ones(20))[0] == 0.0  # a prediction that falls is none
