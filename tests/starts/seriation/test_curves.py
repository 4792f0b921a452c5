"""Orders on a line and a circle."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from unimds import Sphere, place_center
from unimds.kernels.shifts import ANYWHERE, EXCHANGED, best_place, cross, downhill, kick, settle
from unimds.starts.seriation.curves import AbsoluteCurve, SquaredCurve


def problem(n, seed, length):
    """Return random distances and weights, with ties, zeros and missing pairs."""
    rng = np.random.default_rng(seed)
    D = np.triu(rng.uniform(0.0, 0.5 * length or 1.0, (n, n)).round(rng.integers(1, 4)), 1)
    W = np.triu(rng.uniform(0.2, 2.0, (n, n)) * (rng.random((n, n)) < 0.9), 1)
    return D + D.T, W + W.T


def together(curve):
    """Return the squared errors of all points in one place."""
    return 0.5 * np.sum(curve.W * curve.D**2)


def cost_of(D, W, length, x, power=2):
    """Return Σ_{i<j} w |u − d|^power, computed the plain way."""
    u = np.abs(x[:, None] - x)
    if length:
        u %= length
        u = np.minimum(u, length - u)
    return 0.5 * np.sum(W * np.abs(u - D) ** power)


lengths = st.sampled_from([0.0, 2.0 * np.pi, 1.0])


@settings(max_examples=150, deadline=None)
@given(st.integers(2, 12), st.integers(0, 10**6), lengths)
def test_the_cost_never_rises_and_is_that_of_the_map(n, seed, length):
    D, W = problem(n, seed, length)
    curve = SquaredCurve(D, W, length)
    first = curve.random(np.random.default_rng(seed))
    x, cost, _ = curve.lowered(first)
    assert cost == pytest.approx(cost_of(D, W, length, x), abs=1e-9 * together(curve) + 1e-12)
    assert cost <= cost_of(D, W, length, first) + 1e-9 * together(curve)


@settings(max_examples=60, deadline=None)
@given(st.integers(3, 9), st.integers(0, 10**6), lengths)
def test_no_point_has_a_better_place(n, seed, length):
    D, W = problem(n, seed, length)
    curve = SquaredCurve(D, W, length)
    x, cost, _ = curve.lowered(curve.random(np.random.default_rng(seed)))
    reach = length or 4.0
    for i in range(n):
        for place in np.linspace(0.0, reach, 60) - (0.0 if length else 2.0):
            y = x.copy()
            y[i] = place
            assert cost_of(D, W, length, y) >= cost * (1.0 - 1e-6) - 1e-9 * together(curve)


def test_on_a_line_the_best_of_some_orders_is_the_best_of_all():
    for seed in range(10):
        D, _ = problem(6, seed, 0.0)
        W = 1.0 - np.eye(6)
        curve, rng = SquaredCurve(D, W), np.random.default_rng(seed)
        found = min(curve.lowered(curve.random(rng))[1] for _ in range(30))
        place = np.argsort(list(permutations(range(6))), axis=1)
        t = np.einsum("oij,ij->oi", np.sign(place[:, :, None] - place[:, None, :]), D)
        assert found == pytest.approx(together(curve) - np.max(np.sum(t**2, axis=1)) / 6, rel=1e-9)


@settings(max_examples=100, deadline=None)
@given(st.integers(2, 12), st.integers(0, 10**6), lengths, st.floats(0.5, 1.5))
def test_absolute_errors_never_rise_and_end_in_a_minimum(n, seed, length, stretch):
    D, W = problem(n, seed, length)
    D, rng = stretch * D, np.random.default_rng(seed)  # on a circle, some are too long for it
    curve, total = AbsoluteCurve(D, W, length), np.sum(W * D)
    first = rng.uniform(0.0, length or 2.0, n)
    x, cost, work = curve.lowered(first)
    assert work > 0.0
    assert cost == pytest.approx(cost_of(D, W, length, x, 1), abs=1e-9 * total + 1e-12)
    assert cost <= cost_of(D, W, length, first, 1) + 1e-9 * total
    for _ in range(50):  # near by, all errors are linear
        way = rng.normal(size=n) * (rng.random(n) < rng.random())
        assert cost_of(D, W, length, x + 1e-7 * way, 1) >= cost - 1e-9 * total - 1e-12


@settings(max_examples=60, deadline=None)
@given(st.integers(3, 9), st.integers(0, 10**6), lengths)
def test_no_point_has_a_better_place_by_absolute_errors(n, seed, length):
    D, W = problem(n, seed, length)
    curve = AbsoluteCurve(D, W, length)
    x, cost, _ = curve.lowered(curve.random(np.random.default_rng(seed)))
    for i in range(n):
        for place in np.linspace(0.0, length or 4.0, 60) - (0.0 if length else 2.0):
            y = x.copy()
            y[i] = place
            assert cost_of(D, W, length, y, 1) >= cost - 1e-9 * np.sum(W * D) - 1e-12


@settings(max_examples=100, deadline=None)
@given(st.integers(2, 12), st.integers(0, 10**6), st.sampled_from([0.0, 2.0 * np.pi]))
def test_what_a_shift_promises_is_what_it_gains(n, seed, length):
    """Else points would be shifted to and fro for ever; places and distances have many ties."""
    rng, unit = np.random.default_rng(seed), (length or 4.0) / 16.0
    D = np.triu(unit * rng.integers(0, 9, (n, n)), 1)
    D, W, x = D + D.T, 1.0 - np.eye(n), unit * rng.integers(-16, 17, n)
    orders, events, *_ = AbsoluteCurve(D, W, length)._memory()
    for i in range(n):
        gain, place = best_place(D, W, length, x, i, orders[i], events)
        y = x.copy()
        y[i] = place
        before, after = (cost_of(D, W, length, points, 1) for points in (x, y))
        assert gain == pytest.approx(before - after, abs=1e-9)


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(st.integers(2, 10), st.integers(0, 10**6), lengths)
def test_the_best_place_of_a_point_is_the_best_of_a_fine_grid(n, seed, length):
    D, W = problem(n, seed, length)
    x = np.random.default_rng(seed).uniform(-1.0, 2.0, n)
    orders, events, *_ = AbsoluteCurve(D, W, length)._memory()
    for i in range(n):
        gain, _ = best_place(D, W, length, x, i, orders[i], events)
        grid = np.tile(x, (500, 1))
        grid[:, i] = np.linspace(0.0, length, 500) if length else np.linspace(-3.0, 4.0, 500)
        least = min(cost_of(D, W, length, y, 1) for y in grid)
        assert cost_of(D, W, length, x, 1) - gain <= least + 1e-9


@settings(max_examples=150, deadline=None)
@given(st.integers(2, 10), st.integers(0, 10**6), lengths, st.booleans(), st.sampled_from([-1, 1]))
def test_a_group_is_shifted_downhill_to_the_first_minimum(n, seed, length, tied, way):
    """Ties, antipodes, zero distances and points in one place are common where `tied`."""
    rng = np.random.default_rng(seed)
    D, W = problem(n, seed, length)
    x = rng.uniform(-1.0, 2.0, n)
    if tied:
        unit = (length or 4.0) / 16.0
        D = np.triu(unit * rng.integers(0, 9, (n, n)), 1)
        D, x = D + D.T, unit * rng.integers(-16, 17, n)
    few = int(rng.integers(1, n))
    mixed, groups = rng.permutation(n), np.zeros((5, n), dtype=np.intp)
    groups[0, :few], groups[1, : n - few] = mixed[:few], mixed[few:]
    shift, _ = downhill(D, W, length, x, groups, few, n - few, float(way), 1e-10)

    def cost(by):
        y = x.copy()
        y[mixed[:few]] += way * by
        return cost_of(D, W, length, y, 1)

    assert shift * way >= 0.0
    assert cost(abs(shift) + 1e-6) >= cost(abs(shift)) - 1e-9
    steps = [cost(by) for by in np.linspace(0.0, abs(shift), 200)]
    assert np.all(np.diff(steps) <= 1e-8)


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 12), st.integers(0, 10**6), lengths)
def test_hops_never_raise_the_cost_and_end_in_a_minimum(n, seed, length):
    D, W = problem(n, seed, length)
    curve, total = AbsoluteCurve(D, W, length).alone(), np.sum(W * D)
    x, before, _ = curve.lowered(curve.random(np.random.default_rng(seed)))
    kept = x.copy()
    found, cost, _ = curve.hopped(x, 8, np.random.default_rng(seed))
    assert np.array_equal(x, kept)
    assert cost <= before + 1e-9 * total
    assert cost == pytest.approx(cost_of(D, W, length, found, 1), abs=1e-9 * total + 1e-12)
    assert curve.lowered(found).cost == pytest.approx(cost, abs=1e-9 * total + 1e-12)
    again = AbsoluteCurve(D, W, length).hopped(x, 8, np.random.default_rng(seed))
    assert again.cost == pytest.approx(cost, abs=1e-9 * total + 1e-12)


def test_a_settling_that_is_hopeless_is_given_up():
    D, W = problem(30, 1, 0.0)
    curve, rng = AbsoluteCurve(D, W).alone(), np.random.default_rng(0)
    x = rng.normal(size=30)
    ends = [x.copy(), x.copy()]
    works = [
        settle(D, W, 0.0, ends[i], 1.0, bar, *curve.memory) for i, bar in enumerate((np.inf, 0.0))
    ]
    costs = [cost_of(D, W, 0.0, y, 1) for y in ends]
    assert works[1] < works[0]
    assert costs[0] < costs[1] < cost_of(D, W, 0.0, x, 1)


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 12), st.integers(2, 6), st.integers(0, 10**6), lengths)
def test_crossings_never_raise_a_cost_and_end_in_minima(n, many, seed, length):
    D, W = problem(n, seed, length)
    curve, rng = AbsoluteCurve(D, W, length).alone(), np.random.default_rng(seed)
    maps = np.array([curve.lowered(curve.random(rng)).x for _ in range(many)])
    kept, total = maps.copy(), np.sum(W * D)
    after, work = curve.crossed(maps, 8, rng)
    assert np.array_equal(maps, kept)
    assert work > 0.0
    for x, y in zip(maps, after, strict=True):
        cost = cost_of(D, W, length, y, 1)
        assert cost <= cost_of(D, W, length, x, 1) + 1e-9 * total
        assert curve.lowered(y).cost == pytest.approx(cost, abs=1e-9 * total + 1e-12)


def test_crossings_lead_lower():
    D, W = problem(24, 2, 0.0)
    curve, rng = AbsoluteCurve(D, W).alone(), np.random.default_rng(0)
    maps = np.array([curve.lowered(curve.random(rng)).x for _ in range(12)])
    after, _ = curve.crossed(maps, 100, rng)
    before, now = ([cost_of(D, W, 0.0, x, 1) for x in some] for some in (maps, after))
    assert min(now) < 0.999 * min(before)
    assert len({round(cost, 6) for cost in now}) == len(now)  # no map is there twice


@settings(max_examples=100, deadline=None)
@given(st.integers(2, 9), st.integers(0, 10**6), lengths, st.sampled_from([1.0, -1.0]))
def test_a_map_crossed_with_itself_turned_is_the_same(n, seed, length, sign):
    rng = np.random.default_rng(seed)
    x, trial = rng.random(n) * (length or 3.0), np.empty(n)
    y = sign * x + rng.normal()
    cross(x, y, length, 1e-9, rng.random(4 + n), trial)
    off = trial - x
    off -= length * np.round(off / length) if length else 0.0
    np.testing.assert_allclose(off, 0.0, atol=1e-9)


def test_a_crossing_takes_less_than_half_of_the_points_from_the_other_map():
    rng, n, shares = np.random.default_rng(0), 40, []
    for _ in range(50):
        x = rng.random(n)
        y = x.copy()
        y[rng.permutation(n)[:10]] += 0.3
        trial = np.empty(n)
        cross(x, y, 0.0, 1e-9, rng.random(4 + n), trial)
        assert np.all((trial == x) | np.isclose(trial, y, atol=1e-12))
        shares.append(np.mean(trial[x != y] != x[x != y]))
    assert 0.15 < np.mean(shares) < 0.35


@settings(max_examples=100, deadline=None)
@given(st.integers(2, 9), st.integers(0, 10**6), lengths)
def test_a_kick_moves_two_points_within_the_curve(n, seed, length):
    rng = np.random.default_rng(seed)
    x, draw = rng.permutation(n) * (length or 3.0) / n, rng.random(5)
    draw[0] *= EXCHANGED + ANYWHERE
    y = x.copy()
    kick(y, length, draw)
    assert np.sum(x != y) == 2
    assert y.min() >= (0.0 if length else x.min())
    assert y.max() <= (length or x.max())
    assert (sorted(x) == sorted(y)) == (draw[0] < EXCHANGED)


@settings(max_examples=100, deadline=None)
@given(st.integers(2, 9), st.integers(0, 10**6), lengths)
def test_a_kick_mirrors_a_stretch(n, seed, length):
    """It begins at a point, and is up to half the map long; all other points stay."""
    rng = np.random.default_rng(seed)
    x, draw = rng.random(n) * (length or 3.0), rng.random(5)
    draw[0], y = 1.0, x.copy()
    kick(y, length, draw)
    begin, stretch = x[int(draw[1] * n)], 0.5 * (length or np.ptp(x)) * draw[3]
    along = (x - begin) % length if length else x - begin
    inside = (along >= 0.0) & (along < stretch)
    assert inside.any()  # the point that it begins at
    mirrored = begin + stretch - along
    mirrored = mirrored % length if length else mirrored
    np.testing.assert_allclose(y[inside], mirrored[inside], atol=1e-12)
    assert np.array_equal(y[~inside], x[~inside])
    if length:
        assert 0.0 <= y.min() <= y.max() < length
    kept = y.copy()
    kick(y, length, np.array([1.0, draw[1], draw[2], 0.0, 0.0]))  # none is shorter than nothing
    assert np.array_equal(y, kept)


def test_a_cube_ends_on_a_circle():
    """Equal distances and antipodes: its shifts once went on for ever."""
    D = 0.75 * np.array([[(a ^ b).bit_count() for a in range(16)] for b in range(16)], dtype=float)
    costs = [
        place_center(D, 1, space=Sphere(), loss="absolute", random_state=s).cost for s in (0, 1)
    ]
    assert costs[0] == pytest.approx(costs[1], rel=1e-6)


def test_the_lowest_absolute_errors_on_a_line_are_those_of_the_best_order():
    # for a given order the lowest map is a linear programme
    D, _ = problem(5, 3, 0.0)
    curve, rng = AbsoluteCurve(D, 1.0 - np.eye(5)), np.random.default_rng(0)
    found = min(curve.lowered(curve.random(rng)).cost for _ in range(30))
    assert found == pytest.approx(min(by_programme(D, p) for p in permutations(range(5))), rel=1e-9)


def by_programme(D, order):
    """Return the lowest Σ |x_j − x_i − d_ij| over the pairs of an order, i before j."""
    pairs = [(order[a], order[b]) for a in range(len(D)) for b in range(a + 1, len(D))]
    A, d = np.zeros((len(pairs), len(D))), np.array([D[i, j] for i, j in pairs])
    for row, (i, j) in enumerate(pairs):
        A[row, i], A[row, j] = -1.0, 1.0
    off = np.eye(len(pairs))
    costs = np.concatenate([np.zeros(len(D)), np.ones(2 * len(pairs))])
    free = [(None, None)] * len(D) + [(0.0, None)] * (2 * len(pairs))
    return linprog(costs, A_eq=np.hstack([A, -off, off]), b_eq=d, bounds=free).fun


def test_points_and_positions_belong_together():
    x = np.array([-2.0, 0.5, 3.0])
    for length in (0.0, 7.0):
        curve = SquaredCurve(np.ones((3, 3)), np.ones((3, 3)), length)
        assert curve.positions(curve.points(x, np.float64)) == pytest.approx(x)


@pytest.mark.sample(1)
@pytest.mark.parametrize("loss", ["squared", "absolute"])
@pytest.mark.parametrize("asymmetric", [False, True])
def test_circles_with_weights_and_missing_pairs_end_in_the_same_map(loss, asymmetric):
    D, W = problem(11, 5, 2.0 * np.pi)
    if asymmetric:
        D = np.minimum(D * np.random.default_rng(1).uniform(0.8, 1.0, D.shape), np.pi)
    options = {"loss": loss, "space": Sphere(), "weights": W}
    runs = [place_center(D, 1, random_state=state, **options) for state in range(3)]
    costs = [run.cost for run in runs]
    assert max(costs) <= min(costs) * (1.0 + 1e-6)
    assert runs[0].starts.costs.min() >= runs[0].cost * (1.0 - 1e-6)


def test_an_exact_circle_is_found():
    angle = np.random.default_rng(0).uniform(0.0, 2.0 * np.pi, 20)
    D = np.abs(angle[:, None] - angle)
    D = np.minimum(D, 2.0 * np.pi - D)
    assert place_center(D, 1, space=Sphere(), random_state=0).stress < 1e-9
    D[0, 1:9] = D[1:9, 0] = 3.0  # some wrong distances do no harm
    X = place_center(D, 1, space=Sphere(), random_state=0, loss="absolute").embedding
    found = np.arccos(np.clip(X[1:] @ X[1:].T, -1.0, 1.0))
    assert found == pytest.approx(D[1:, 1:], abs=1e-6)


@pytest.mark.parametrize("unit", [1e-12, 1e12])
@pytest.mark.parametrize("length", [0.0, 6.0])
def test_the_unit_of_the_weights_does_not_matter(unit, length):
    rng = np.random.default_rng(0)
    x, W = rng.uniform(0.0, 6.0, 12), 1.0 - np.eye(12)
    D = np.abs(rng.uniform(0.0, 3.0, (12, 12)))
    D = np.triu(D, 1) + np.triu(D, 1).T
    one, other = (AbsoluteCurve(D, unit * W, length).lowered(x) for unit in (1.0, unit))
    assert other.cost == pytest.approx(unit * one.cost, rel=1e-12)
    assert other.x == pytest.approx(one.x, abs=1e-9)


def test_a_heavy_pair_leaves_the_cost_that_of_the_map():
    rng = np.random.default_rng(0)
    W, D = 1.0 - np.eye(9), np.triu(rng.uniform(1.0, 3.0, (9, 9)), 1)
    D, W[0, 1], W[1, 0] = D + D.T, 1e8, 1e8
    found = SquaredCurve(D, W).lowered(rng.uniform(0.0, 3.0, 9))
    assert found.cost == pytest.approx(cost_of(D, W, 0.0, found.x), rel=1e-9)
    assert abs(abs(found.x[0] - found.x[1]) - D[0, 1]) < 1e-6  # which almost decides
