"""Rows of their own: all rows at once are as good as one after the other."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unimds import Interval, MonotoneSpline, Ordinal, PowerLaw
from unimds.levels import Level, Ratio, powers
from unimds.levels.base import Bound
from unimds.levels.by_row import ByRow

seeds = st.integers(0, 2**32 - 1)
LEVELS = [
    Ordinal(),
    Ordinal("secondary"),
    Ordinal("tertiary"),
    Ordinal(strictness=0.2),
    Ratio(),
    Interval(),
    MonotoneSpline(),
    MonotoneSpline(3, 5),
    PowerLaw(),
]


def cost(r, t, w):
    return float(w @ (r - t) ** 2)


def drawn(seed, level):
    """Return the level of some rows, and their dissimilarities, targets and weights."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 9, rng.integers(1, 6))
    ends = np.cumsum(sizes)
    blocks = [slice(int(b - a), int(b)) for a, b in zip(sizes, ends, strict=True)]
    steps = rng.random(ends[-1]) if level.keeps_ties else rng.integers(0, 3, ends[-1])
    d = np.concatenate([0.1 + np.cumsum(steps[rows]) for rows in blocks])
    t = rng.random(d.size) * rng.choice([0.1, 1.0, 5.0])
    return ByRow(level, blocks), d, t, rng.uniform(0.1, 3.0, d.size), rng


@pytest.mark.parametrize("level", LEVELS, ids=repr)
@given(seed=seeds)
def test_all_rows_at_once_are_projected_as_one_after_the_other(level, seed):
    rows, d, t, w, _ = drawn(seed, level)
    found = rows.project(rows.prepare(d, d), t, w)
    for some in rows.blocks:
        alone = level.project(level.prepare(d[some], d[some]), t[some], w[some])
        assert np.allclose(found[some], alone, atol=1e-7 * np.abs(t).max())


def bounded(seed, level):
    """Return a problem with a bound, and present disparities that are within it."""
    rows, d, t, w, rng = drawn(seed, level)
    known = rows.prepare(d, d)
    now = rows.project(known, 0.1 + rng.random(d.size), w)
    slope = rng.uniform(0.5, 2.0, d.size) * now ** rng.choice([0.0, 0.5, 1.0])
    return rows, known, t, w, Bound(slope, float(slope @ now)), now


@pytest.mark.parametrize("level", LEVELS[:-1], ids=repr)
@given(seed=seeds)
def test_rows_share_a_bound(level, seed):
    rows, known, t, w, bound, now = bounded(seed, level)
    found = rows.nearest(known, t, w, bound, now)
    assert bound.slope @ found >= bound.least * (1.0 - 1e-9)
    searched = Level.nearest(rows, known, t, w, bound, now)  # one projection after another
    assert cost(found, t, w) <= cost(searched, t, w) * (1.0 + 1e-7) + 1e-12
    assert np.allclose(found, searched, atol=1e-5 * np.abs(now).max())


@given(seed=seeds)
def test_powers_of_rows_are_no_worse_than_the_best_factors_of_the_present_ones(seed):
    rows, known, t, w, bound, now = bounded(seed, PowerLaw())
    found = rows.nearest(known, t, w, bound, now)
    assert bound.slope @ found >= bound.least * (1.0 - 1e-9)
    # factors of the present powers: a cone with a function for each row
    columns = np.zeros((t.size, len(rows.blocks)))
    for k, some in enumerate(rows.blocks):
        columns[some, k] = now[some]
    A, B, S = columns.T @ (w * t), (columns**2).T @ w, columns.T @ bound.slope
    low, high = 0.0, 1.0
    while S @ ((A + high * S).clip(0.0) / B) < bound.least:
        high *= 2.0
    for _ in range(100):
        middle = 0.5 * (low + high)
        short = S @ ((A + middle * S).clip(0.0) / B) < bound.least
        low, high = (middle, high) if short else (low, middle)
    free = S @ (A.clip(0.0) / B) >= bound.least
    best = columns @ ((A + (0.0 if free else high) * S).clip(0.0) / B)
    assert cost(found, t, w) <= cost(best, t, w) * (1.0 + 1e-7) + 1e-12


@given(seed=seeds)
def test_a_search_that_begins_at_present_powers_ends_no_farther(seed):
    rows, d, t, w, rng = drawn(seed, PowerLaw())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(powers, "CELLS", 2)  # too coarse a grid to find the best exponent
        known = rows.prepare(d, d)
    now = rows.project(known, 0.1 + rng.random(d.size), w)
    found = rows.level.nearer(known, t, w, now)
    for some in rows.blocks:
        factor = max((w[some] * now[some]) @ t[some] / (w[some] @ now[some] ** 2), 0.0)
        present = cost(factor * now[some], t[some], w[some])
        assert cost(found[some], t[some], w[some]) <= present * (1.0 + 1e-9) + 1e-12


@given(seed=seeds)
def test_the_grid_of_cells_finds_the_exponent_of_many_entries(seed):
    rng = np.random.default_rng(seed)
    d = np.sort(rng.random(2000)) + 1e-3
    exponent = float(np.exp(rng.uniform(np.log(0.06), np.log(18.0))))
    level, want = PowerLaw(), 3.0 * (d / d[-1]) ** exponent
    found = level.project(level.prepare(d, d), want, rng.uniform(0.5, 2.0, d.size))
    assert np.allclose(found, want, atol=1e-7)
