"""Many points: codes that stand for bins, and tables that are looked up."""

import numpy as np
import pytest

from tests.support.tables import distances
from unimds import Ordinal, place_center
from unimds.distances.pairs import as_pairs
from unimds.levels import as_level
from unimds.placecenter.result import targets_of
from unimds.placecenter.targets import _codes

QUICK = {"init": "classical", "n_init": 1, "max_iter": 3, "eps": 1.0}


def points(n, seed=0):
    return np.random.default_rng(seed).normal(size=(n, 2))


@pytest.mark.sample(1)
@pytest.mark.filterwarnings("ignore:Stopped after max_iter", "ignore:D is not symmetric")
@pytest.mark.parametrize("asymmetric", [False, True])
def test_tables_that_are_looked_up_keep_their_weights(asymmetric):
    n = 1500
    D = distances(points(n))
    W = np.random.default_rng(1).uniform(0.5, 1.0, (n, n))
    W = W if asymmetric else W + W.T
    if asymmetric:
        D = D * np.random.default_rng(2).uniform(0.9, 1.1, (n, n))
    found = place_center(D, level="interval", weights=W, **QUICK)
    assert np.isfinite(found.embedding).all()


@pytest.mark.filterwarnings("ignore:Stopped after max_iter")
@pytest.mark.parametrize("level", ["ordinal", "interval"])
def test_maps_of_many_points_do_not_depend_on_the_unit(level):
    D = distances(points(205))
    maps = [
        place_center(D * unit, level=level, **QUICK).embedding / unit for unit in (1.0, 2.0**330)
    ]
    assert np.allclose(*maps, rtol=0, atol=1e-3)


def test_a_curve_through_bins_is_the_curve():
    D = distances(points(700))
    codes = _codes(as_pairs(D), as_level("interval"), by_row=False)
    assert codes.bins
    assert codes.counts @ codes.d == pytest.approx(D.sum() / 2, rel=1e-12)
    off = np.abs(codes.table(codes.d).whole()[0][:, 0] - D).max()
    assert off < 1e-4 * D.max()


def test_ties_are_parted_where_they_are_long():
    D = np.round(10.0 * distances(points(260)))
    assert not _codes(as_pairs(D), Ordinal(), by_row=False).bins
    fine = distances(points(260))
    assert _codes(as_pairs(fine), Ordinal(), by_row=False).bins
    assert not _codes(as_pairs(fine), Ordinal("tertiary"), by_row=False).bins


@pytest.mark.filterwarnings("ignore:Stopped after max_iter")
def test_a_result_knows_its_own_dissimilarities():
    D = distances(points(300))
    found = place_center(D, level="ordinal", **QUICK)
    assert np.array_equal(targets_of(D, found), found.scaling.disparities)
    assert not np.array_equal(targets_of(1.01 * D, found), found.scaling.disparities)


@pytest.mark.filterwarnings("ignore:Stopped after max_iter")
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("level", ["ordinal", "interval"])
def test_a_table_in_another_order_is_not_the_one_of_the_fit(level, weighted):
    rng = np.random.default_rng(0)
    D = distances(points(230))
    gone = np.triu(rng.random(D.shape) < 0.1, 1)
    W = np.where(weighted & (gone | gone.T), 0.0, 1.0)  # a pair without weight has no disparity
    found = place_center(D, level=level, weights=W, **QUICK)
    assert np.array_equal(targets_of(D, found), found.scaling.disparities, equal_nan=True)
    order = rng.permutation(len(D))
    other = D[np.ix_(order, order)]
    assert targets_of(other, found)[order.argsort()][:, order.argsort()] == pytest.approx(
        found.transformation(D) * (1.0 - np.eye(len(D)))
    )
