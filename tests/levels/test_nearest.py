"""The nearest disparities within a bound, against a general solver."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from unimds import Interval, MonotoneSpline, Ordinal, PowerLaw
from unimds.levels.base import Bound

seeds = st.integers(0, 2**32 - 1)


def cost(r, t, w):
    return float(w @ (r - t) ** 2)


def by_programme(columns, t, w, bound):
    """Return the nearest sum of columns with nonnegative factors, within a bound."""
    along = bound.slope @ columns
    begin = np.full(columns.shape[1], 2.0 * bound.least / along.sum())
    found = minimize(
        lambda x: cost(columns @ x, t, w),
        begin,
        jac=lambda x: 2.0 * columns.T @ (w * (columns @ x - t)),
        method="SLSQP",
        bounds=[(0.0, None)] * begin.size,
        constraints={
            "type": "ineq",
            "fun": lambda x: along @ x - bound.least,
            "jac": lambda x: along,
        },
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    return columns @ np.maximum(found.x, 0.0)


CONES = {
    "ordinal": (Ordinal(), lambda d: np.tri(d.size)),
    "interval": (Interval(), lambda d: np.column_stack([np.ones_like(d), d - d[0]])),
    "spline": (MonotoneSpline(), lambda d: MonotoneSpline().prepare(d, d).columns),
}


def drawn(seed, n=8):
    """Return dissimilarities, targets, weights, present disparities and their bound."""
    rng = np.random.default_rng(seed)
    d = np.sort(rng.random(n)) + 0.1
    t, w = rng.random(n) * rng.choice([0.1, 1.0, 5.0]), rng.uniform(0.1, 3.0, n)
    now = np.sort(rng.random(n)) + 0.1
    return d, t, w, now, rng.uniform(0.5, 2.0, n) * now ** rng.choice([0.0, 0.5, 1.0])


@pytest.mark.parametrize("name", CONES)
@given(seed=seeds)
def test_nearest_is_a_quadratic_programme(name, seed):
    level, columns = CONES[name]
    d, t, w, now, slope = drawn(seed)
    known = level.prepare(d, d)
    now = level.project(known, now, w)
    bound = Bound(slope, float(slope @ now))
    found = level.nearest(known, t, w, bound, now)
    want = by_programme(columns(d), t, w, bound)
    assert slope @ found >= bound.least * (1.0 - 1e-12)
    assert np.allclose(found, want, atol=2e-5 * max(t.max(), now.max()))
    assert cost(found, t, w) <= cost(want, t, w) * (1.0 + 1e-7) + 1e-12


@pytest.mark.parametrize("name", CONES)
def test_a_bound_that_is_kept_anyway_changes_nothing(name):
    level, _ = CONES[name]
    d, t, w, _, slope = drawn(0)
    known = level.prepare(d, d)
    free = level.project(known, t, w)
    now = 0.1 * free
    assert np.array_equal(level.nearest(known, t, w, Bound(slope, slope @ now), now), free)


def test_nearest_by_hand():
    # towards (1, 1): without a bound r = t = (1, 2); with r₁ + r₂ ≥ 5 both rise by one
    level, t, w = Ordinal(), np.array([1.0, 2.0]), np.ones(2)
    known, now = level.prepare(np.array([1.0, 2.0]), t), np.array([2.5, 2.5])
    found = level.nearest(known, t, w, Bound(np.ones(2), 5.0), now)
    assert np.allclose(found, [2.0, 3.0], atol=1e-12)
    # what weighs three times as much rises a third as far: 0.5 and 1.5
    found = level.nearest(known, t, np.array([3.0, 1.0]), Bound(np.ones(2), 5.0), now)
    assert np.allclose(found, [1.5, 3.5], atol=1e-12)


def test_present_disparities_stay_where_no_multiple_reaches_the_bound():
    level, t, w = Ordinal(), np.zeros(2), np.ones(2)
    known, now = level.prepare(np.array([1.0, 2.0]), t), np.array([1.0, 2.0])
    assert level.nearest(known, t, w, Bound(-np.ones(2), 1.0), now) is now


@given(seed=seeds)
def test_no_power_within_the_bound_is_nearer(seed):
    level = PowerLaw()
    d, t, w, now, slope = drawn(seed)
    known = level.prepare(d, d)
    now = level.project(known, now, w)
    bound = Bound(slope, float(slope @ now))
    found = level.nearest(known, t, w, bound, now)
    assert slope @ found >= bound.least * (1.0 - 1e-9)
    for exponent in np.geomspace(0.05, 20.0, 200):
        x = (d / d[-1]) ** exponent
        best = max((w * x) @ t / ((w * x) @ x), bound.least / (slope @ x))
        assert cost(found, t, w) <= cost(best * x, t, w) * (1.0 + 1e-7)


@given(seed=seeds)
def test_disparities_that_cannot_be_shrunk_meet_the_bound(seed):
    """In a family that is no cone, nothing could bring disparities that grow back to their size."""
    level = Ordinal(strictness=0.3)
    d, t, w, now, slope = drawn(seed)
    known = level.prepare(d, d)
    now = level.project(known, now, w)
    bound = Bound(slope, float(slope @ now))
    found = level.nearest(known, t, w, bound, now)
    assert np.isclose(slope @ found, bound.least, rtol=1e-9)
    assert cost(found, t, w) <= cost(now, t, w) * (1.0 + 1e-9)
    above = found - 0.3 * d
    assert above[0] >= -1e-9
    assert (np.diff(above) >= -1e-9).all()
