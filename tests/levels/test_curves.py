"""Lines, splines and powers: the projections agree with general solvers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import make_lsq_spline
from scipy.optimize import lsq_linear, nnls

from unimds import Interval, MonotoneSpline, PowerLaw
from unimds.levels import Ratio
from unimds.levels.powers import EXPONENTS

seeds = st.integers(0, 2**32 - 1)


def drawn(seed, least=1, most=40):
    """Return rising dissimilarities, all different, targets that rise more or less, and weights."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(least, most + 1))
    d = np.sort(rng.random(n)) * 10.0 ** rng.integers(-3, 4) + 1e-3
    slope = rng.choice([-1.0, 0.0, 1.0, 3.0])
    t = slope * d / d[-1] + rng.normal(0.5, 0.5, n)
    return d, t, rng.uniform(0.1, 3.0, n)


def projected(level, d, t, w):
    return level.project(level.prepare(d, d), t, w)


def cost(r, t, w):
    return float(w @ (r - t) ** 2)


# --- a line --------------------------------------------------------------------------------------


@given(seed=seeds)
def test_a_line_is_nonnegative_least_squares(seed):
    d, t, w = drawn(seed)
    columns = np.column_stack([np.ones_like(d), (d - d[0]) / d[-1]])
    root = np.sqrt(w)
    want = columns @ nnls(root[:, None] * columns, root * t)[0]
    assert np.allclose(projected(Interval(), d, t, w), want, atol=1e-9)


@pytest.mark.parametrize(
    ("t", "want"),
    [
        ([1, 2, 4], [1, 2, 4]),  # a line already: d is 1, 2, 4
        ([5, 3, 1], [3, 3, 3]),  # falls: a constant
        ([-3, -2, -1], [0, 0, 0]),
        # the line from the first, Σ x t / Σ x² = (0·−2 + 1·1 + 3·3)/(1 + 9)
        ([-2, 1, 3], [0, 1, 3]),
    ],
)
def test_lines_by_hand(t, want):
    found = projected(Interval(), np.array([1.0, 2.0, 4.0]), np.array(t, dtype=float), np.ones(3))
    assert np.allclose(found, want, atol=1e-12)


def test_a_line_far_from_zero_keeps_its_digits():
    d = 1e9 + np.arange(5.0)
    assert np.allclose(projected(Interval(), d, np.arange(1.0, 6.0), np.ones(5)), d - 1e9 + 1.0)


def test_a_ratio_is_one_factor():
    d, t, w = np.array([1.0, 2.0]), np.array([3.0, 5.0]), np.array([2.0, 1.0])
    assert np.allclose(projected(Ratio(), d, t, w), 16.0 / 6.0 * d)
    assert projected(Ratio(), d, -t, w).tolist() == [0.0, 0.0]


# --- a spline ------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [MonotoneSpline(), MonotoneSpline(1, 0), MonotoneSpline(3, 5)])
@given(seed=seeds)
def test_a_spline_is_the_best_of_its_columns(level, seed):
    d, t, w = drawn(seed, least=2)
    columns = level.prepare(d, d).columns
    root = np.sqrt(w)
    best = lsq_linear(root[:, None] * columns, root * t, (0.0, np.inf), tol=1e-14, max_iter=500)
    found = projected(level, d, t, w)
    assert (np.diff(found) >= -1e-12).all()
    assert found[0] >= 0.0
    assert cost(found, t, w) <= 2.0 * best.cost * (1.0 + 1e-8) + 1e-10


@given(seed=seeds)
def test_a_spline_that_rises_by_itself_is_the_spline_of_scipy(seed):
    rng = np.random.default_rng(seed)
    d = np.linspace(0.0, 1.0, 60)
    level = MonotoneSpline(2, 3)
    w = rng.uniform(0.5, 2.0, d.size)
    t = 1.0 + d + 0.4 * d**3 + 1e-3 * rng.normal(size=d.size)
    knots = np.concatenate([np.zeros(3), [0.25, 0.5, 0.75], np.ones(3)])
    want = make_lsq_spline(d, t, knots, k=2, w=np.sqrt(w))(d)
    assert np.allclose(projected(level, d, t, w), want, atol=1e-7)


def test_a_spline_of_degree_one_without_knots_is_a_line():
    d, t, w = drawn(3, least=10)
    line = projected(Interval(), d, t, w)
    assert np.allclose(projected(MonotoneSpline(1, 0), d, t, w), line, atol=1e-9)


@pytest.mark.parametrize("d", [[2.0], [2.0, 3.0], [2.0, 2.0 + 1e-15, 3.0]])
def test_splines_of_very_few_dissimilarities(d):
    d = np.array(d)
    found = projected(MonotoneSpline(3, 8), d, np.arange(1.0, 1.0 + d.size), np.ones(d.size))
    assert np.isfinite(found).all()
    assert (np.diff(found) >= -1e-12).all()


def test_knots_lie_at_quantiles_of_the_dissimilarities():
    skewed = np.exp(np.linspace(0.0, 8.0, 200))
    columns = MonotoneSpline(1, 1).prepare(skewed, skewed).columns
    kink = skewed[np.flatnonzero(columns[:, 2] > 0.0)[0]]
    assert np.isclose(kink, np.median(skewed), rtol=0.1)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"degree": 0}, r"degree=0.* from 1 to 20"),
        ({"degree": 1.5}, r"degree=1\.5"),
        ({"knots": -1}, r"knots=-1.* from 0 to 20"),
        ({"knots": 50}, r"knots=50"),
    ],
)
def test_splines_that_make_no_sense(options, words):
    with pytest.raises(ValueError, match=words):
        MonotoneSpline(**options)


# --- a power -------------------------------------------------------------------------------------


@pytest.mark.slow
@given(seed=seeds)
def test_no_power_of_a_fine_grid_is_nearer(seed):
    d, t, w = drawn(seed, least=2)
    found = cost(projected(PowerLaw(), d, t, w), t, w)
    for exponent in np.geomspace(*EXPONENTS, 400):
        x = (d / d[-1]) ** exponent
        b = max((w * x) @ t / ((w * x) @ x), 0.0)
        assert found <= cost(b * x, t, w) * (1.0 + 1e-9)


@pytest.mark.parametrize("exponent", [0.1, 0.5, 1.0, 3.0, 10.0])
def test_a_power_is_found(exponent):
    d = np.linspace(1.0, 5.0, 30)
    assert np.allclose(projected(PowerLaw(), d, 2.0 * d**exponent, np.ones(30)), 2.0 * d**exponent)


def test_a_power_of_zero_is_zero():
    found = projected(PowerLaw(), np.array([0.0, 1.0, 2.0]), np.array([1.0, 1.0, 4.0]), np.ones(3))
    assert found[0] == 0.0
    assert np.allclose(found, [0.0, 1.0, 4.0], atol=1e-6)
