"""Isotonic regression, and what the three kinds of ties make of it."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression, minimize, nnls
from sklearn.isotonic import IsotonicRegression

from unimds import Ordinal
from unimds.levels import as_level
from unimds.levels.pooling import rising

seeds = st.integers(0, 2**32 - 1)


def drawn(seed, most=40, tied=False):
    """Return rising dissimilarities, targets and weights."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, most + 1))
    d = rng.integers(1, max(2, n // 2) + 1, n).astype(float) if tied else rng.random(n) + 0.1
    t = np.round(rng.normal(1.0, 1.0, n), 1 if seed % 2 else 16)  # equal targets as well
    return np.sort(d), t, rng.uniform(0.1, 3.0, n)


def projected(level, d, t, w, first=None):
    d, t, w = (np.array(part, dtype=float) for part in (d, t, w))
    return level.project(level.prepare(d, d if first is None else first), t, w)


def cost(r, t, w):
    return float(w @ (r - t) ** 2)


# --- pool adjacent violators --------------------------------------------------------------------


@given(seed=seeds)
def test_rising_is_isotonic_regression(seed):
    _, t, w = drawn(seed, most=300)
    found = rising(t, w)
    assert np.allclose(found, isotonic_regression(t, weights=w).x, rtol=0, atol=1e-12)
    others = IsotonicRegression().fit_transform(np.arange(t.size), t, sample_weight=w)
    assert np.allclose(found, others, rtol=0, atol=1e-12)
    assert (np.diff(found) >= 0.0).all()


def test_rising_leaves_its_arguments_alone():
    t, w = np.array([3.0, 1.0, 2.0]), np.array([1.0, 2.0, 1.0])
    rising(t, w)
    assert t.tolist() == [3.0, 1.0, 2.0]
    assert w.tolist() == [1.0, 2.0, 1.0]


def test_rising_takes_any_kind_of_array():
    t = np.array([9, 3, 0, 1, 0, 2], dtype=np.int32)[::2]
    assert rising(t, np.ones(3, dtype=np.float32)).tolist() == [3.0, 3.0, 3.0]
    assert rising(np.empty(0), np.empty(0)).size == 0


def test_rising_of_numbers_that_span_many_orders():
    t = np.array([1e-12, 3e-12, 2e-12, 1e12, 5e11])
    assert np.allclose(rising(t, np.ones(5)), [1e-12, 2.5e-12, 2.5e-12, 7.5e11, 7.5e11], rtol=1e-12)


# --- ties, by hand -------------------------------------------------------------------------------

TIED = [1.0, 2.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("ties", "t", "w", "want"),
    [
        # the tie may come in any order: 3, 2 becomes 2, 3
        ("primary", [1, 3, 2, 4], [1, 1, 1, 1], [1, 3, 2, 4]),
        ("secondary", [1, 3, 2, 4], [1, 1, 1, 1], [1, 2.5, 2.5, 4]),
        ("tertiary", [1, 3, 2, 4], [1, 1, 1, 1], [1, 3, 2, 4]),
        # the larger of the tie lies above the last: 6 and 4 share their mean
        ("primary", [1, 6, 2, 4], [1, 1, 1, 1], [1, 5, 2, 5]),
        ("secondary", [1, 6, 2, 4], [1, 1, 1, 1], [1, 4, 4, 4]),
        ("tertiary", [1, 6, 2, 4], [1, 1, 1, 1], [1, 6, 2, 4]),  # the mean of 6 and 2 is not above
        # weights: 6 counts three times as much as 4
        ("primary", [1, 6, 2, 4], [1, 3, 1, 1], [1, 5.5, 2, 5.5]),
        ("secondary", [1, 6, 2, 4], [1, 3, 1, 1], [1, 24 / 5, 24 / 5, 24 / 5]),
        # the mean of the tie, 5, lies above 3 and counts twice: both meet at (2·5 + 3)/3
        ("tertiary", [1, 8, 2, 3], [1, 1, 1, 1], [1, 22 / 3, 4 / 3, 13 / 3]),
        # n²/S = 4/(1/3 + 1) = 3: they meet at (3·5 + 3)/4 = 4.5, and 8 moves a third as far as 2
        ("tertiary", [1, 8, 2, 3], [1, 3, 1, 1], [1, 7.75, 1.25, 4.5]),
        # no disparity is negative
        ("primary", [-3, -1, 1, 2], [1, 1, 1, 1], [0, 0, 1, 2]),
        ("secondary", [-3, -1, 1, 2], [1, 1, 1, 1], [0, 0, 0, 2]),
        ("tertiary", [-3, -2, 1, 2], [1, 1, 1, 1], [0, -1.5, 1.5, 2]),  # no mean of a tie
    ],
)
def test_ties_by_hand(ties, t, w, want):
    d, t, w = np.array(TIED), np.array(t, dtype=float), np.array(w, dtype=float)
    if ties != "secondary":
        assert np.allclose(projected(Ordinal(ties), d, t, w), want, atol=1e-12)
        return
    # one entry for each different dissimilarity, at the mean of its targets
    group = np.array([0, 1, 1, 2])
    heavy = np.bincount(group, w)
    found = projected(Ordinal(ties), [1.0, 2.0, 3.0], np.bincount(group, w * t) / heavy, heavy)
    assert np.allclose(found[group], want, atol=1e-12)


def test_without_ties_the_three_kinds_agree():
    d, t, w = drawn(7)
    first, *others = (projected(Ordinal(ties), d, t, w) for ties in ("primary", "secondary"))
    assert np.array_equal(first, others[0])
    assert np.allclose(projected(Ordinal("tertiary"), d, t, w), first, atol=1e-12)


# --- ties, against other solvers -----------------------------------------------------------------


def in_every_order(d, t, w):
    """Return the least cost of rising, nonnegative numbers, over all orders within ties."""
    groups = [np.flatnonzero(d == value) for value in np.unique(d)]
    least = np.inf
    for orders in product(*(permutations(group) for group in groups)):
        order = np.concatenate(orders).astype(int)
        found = np.maximum(isotonic_regression(t[order], weights=w[order]).x, 0.0)
        least = min(least, cost(found, t[order], w[order]))
    return least


@given(seed=seeds)
def test_primary_ties_are_the_best_of_all_orders(seed):
    d, t, w = drawn(seed, most=7, tied=True)
    found = projected(Ordinal("primary"), d, t, w)
    assert np.isclose(cost(found, t, w), in_every_order(d, t, w), rtol=1e-10, atol=1e-12)
    for value in np.unique(d)[1:]:
        assert found[d < value].max() <= found[d == value].min()


@given(seed=seeds)
def test_secondary_ties_are_nonnegative_least_squares(seed):
    d, t, w = drawn(seed, tied=True)
    d, group = np.unique(d, return_inverse=True)
    steps = np.tri(d.size)[group]  # a sum of steps up, none of them down
    root = np.sqrt(w)
    want = np.tri(d.size) @ nnls(root[:, None] * steps, root * t)[0]
    heavy = np.bincount(group, w)
    found = projected(Ordinal("secondary"), d, np.bincount(group, w * t) / heavy, heavy)
    assert np.allclose(found, want, atol=1e-9)


@given(seed=seeds)
def test_tertiary_ties_are_a_quadratic_programme(seed):
    d, t, w = drawn(seed, most=10, tied=True)
    group = np.unique(d, return_inverse=True)[1]
    means = (group == np.arange(group.max() + 1)[:, None]) / np.bincount(group)[:, None]
    rises = np.vstack([means[:1], np.diff(means, axis=0)])
    want = minimize(
        lambda r: cost(r, t, w),
        np.full(t.size, t.mean()),
        jac=lambda r: 2.0 * w * (r - t),
        method="SLSQP",
        constraints={"type": "ineq", "fun": lambda r: rises @ r, "jac": lambda r: rises},
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    found = projected(Ordinal("tertiary"), d, t, w)
    assert (rises @ found >= -1e-12).all()
    assert np.allclose(found, want.x, atol=1e-5)
    assert cost(found, t, w) <= want.fun + 1e-9


# --- strictness ----------------------------------------------------------------------------------


@pytest.mark.parametrize("ties", ["primary", "secondary", "tertiary"])
@given(seed=seeds)
def test_strict_disparities_rise_by_a_share_of_the_first(ties, seed):
    d, t, w = drawn(seed, tied=ties != "secondary")
    level = Ordinal(ties, 0.25)
    first = np.linspace(1.0, 2.0, d.size)[np.searchsorted(d, d)]
    found = projected(level, d, t, w, first)
    plain = projected(Ordinal(ties), d, t - 0.25 * first, w)
    assert np.allclose(found, plain + 0.25 * first, atol=1e-12)
    if ties == "secondary":
        assert (np.diff(found) >= 0.25 * np.diff(first) - 1e-12).all()
        assert found[0] >= 0.25 * first[0] - 1e-12


def test_strictness_of_one_keeps_at_least_the_first_disparities():
    d, first = np.arange(1.0, 6.0), np.arange(1.0, 6.0)
    assert projected(Ordinal(strictness=1.0), d, np.zeros(5), np.ones(5), first).tolist() == [
        *first
    ]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"ties": "quaternary"}, "use one of primary, secondary, tertiary"),
        ({"strictness": -0.1}, "from 0 to 1"),
        ({"strictness": 1.5}, "from 0 to 1"),
        ({"strictness": "much"}, "from 0 to 1"),
        ({"strictness": float("nan")}, "from 0 to 1"),
    ],
)
def test_parameters_that_make_no_sense(options, words):
    with pytest.raises(ValueError, match=words):
        Ordinal(**options)


def test_a_level_that_is_not_known():
    with pytest.raises(ValueError, match="'ratio', 'interval', 'ordinal', 'spline', 'power'"):
        as_level("nominal")


# --- the first disparities -----------------------------------------------------------------------


def test_the_first_disparities_depend_on_ranks_alone():
    d = np.sort(np.random.default_rng(0).random(30))
    first = [Ordinal().first(f(d), np.ones(30), 2) for f in (np.log1p, np.exp, np.sqrt)]
    assert np.array_equal(first[0], first[1])
    assert np.array_equal(first[0], first[2])


def test_the_first_disparities_of_ties_are_those_of_their_middle():
    tied = Ordinal("primary").first(np.array([1.0, 2.0, 2.0, 2.0, 5.0]), np.ones(5), 2)
    counted = Ordinal("secondary").first(np.array([1.0, 2.0, 5.0]), np.array([1.0, 3.0, 1.0]), 2)
    assert np.allclose(tied, counted[[0, 1, 1, 1, 2]], rtol=1e-14)


def test_the_first_disparities_are_quantiles_of_distances_of_normal_points():
    rng = np.random.default_rng(0)
    for k in (1, 2, 3):
        d = np.sort(np.linalg.norm(rng.normal(size=(20000, k)), axis=1))
        first = Ordinal().first(d, np.ones(d.size), k)
        unit = np.sqrt(np.mean(d**2) / np.mean(first**2))
        assert np.abs(unit * first - d)[200:-200].max() < 0.05
