"""The ways to work off a row agree: in one loop, in blocks or measured, one row or two."""

from dataclasses import dataclass, replace
from itertools import pairwise, product

import numpy as np
import pytest

from tests.support.parts import LOSSES, SPACES, name, slow
from tests.support.tables import table
from unimds import Euclidean
from unimds.kernels import drivers, rows
from unimds.kernels.drivers import GROUP
from unimds.kernels.engine import COST, ERRORS, engine_for
from unimds.kernels.rows import MANY, MEASURED, PULL


def cases():
    """Return every loss with every space, without weights and with."""
    for loss, space, weighted in product(LOSSES, SPACES, (False, True)):
        quick = loss is LOSSES[0] and space in (SPACES[:1] if weighted else SPACES[:2])
        marks = () if quick else pytest.mark.slow
        label = "-".join([name(loss), name(space), "weighted" if weighted else "plain"])
        yield pytest.param(loss, space, weighted, marks=marks, id=label)


def problem(loss, space, n, seed=0, dtype=np.float64, k=2):
    """Return a table with missing pairs, weights, points with one tie, and a smooth loss."""
    rng = np.random.default_rng(seed)
    D, points = table(rng, n, space, noise=0.3, k=k)
    D[1, 3] = D[3, 1] = np.nan
    W = rng.random((n, n))
    X = space.project_points(points + 0.1 * rng.normal(size=points.shape))
    X[5] = X[4]
    loss = loss.smoothed(0.1) if loss.anneals else loss
    X = np.ascontiguousarray(X.T, dtype=dtype)
    return D[:, None, :].astype(dtype), (W + W.T)[:, None, :].astype(dtype), X, loss


def in_form(form, loss, space, X, D, W):
    """Return an engine whose rows work in another form."""
    engine = replace(engine_for(loss, space, X, D, W))  # a copy, with nothing compiled yet
    engine.__dict__["form"] = form
    return engine


def swept(engine, D, W, X, free=None):
    """Return the points after a sweep, and their cost."""
    X = X.copy()
    free = np.ones(X.shape[1], dtype=bool) if free is None else free
    engine.sweep(D, W, 0, X, free, (0, len(free)), 1.0)
    return X, engine.total(COST, D, W, 0, X, 1.0)[0]


@pytest.mark.sample(1)
@pytest.mark.parametrize(("loss", "space", "weighted"), list(cases()))
def test_one_loop_does_what_blocks_and_measured_rows_do(loss, space, weighted):
    for n in (6, 37):  # an even and an odd number of rows
        D, W, X, smooth = problem(loss, space, n)
        W = W if weighted else None
        assert engine_for(smooth, space, X, D, W).form == len(X)
        X, cost = (found := [swept(in_form(form, smooth, space, X, D, W), D, W, X)
                             for form in (len(X), MANY, MEASURED)])[0]  # fmt: skip
        for Y, other in found[1:]:
            np.testing.assert_allclose(Y, X, rtol=1e-9, atol=1e-9)
            np.testing.assert_allclose(other, cost, rtol=1e-9)


@pytest.mark.parametrize("k", [1, slow(4), 6, 7, 9, 20])
@pytest.mark.parametrize("space", [SPACES[0], slow(SPACES[1]), slow(SPACES[3])], ids=name)
def test_any_number_of_coordinates_moves_points_as_the_formula_does(space, k):
    """More than a block of points, against NumPy in flat space and against `measure` elsewhere."""
    n, loss, free = 300, LOSSES[0], np.arange(300) == 7
    D, W, X, _ = problem(loss, space, n, k=k)
    engine = engine_for(loss, space, X, D, W)
    assert engine.form == (len(X) if len(X) <= rows.UNROLLED else MANY)
    moved, cost = swept(engine, D, W, X, free)
    if space is SPACES[0]:
        way = np.delete(X - X[:, [7]], 7, axis=1)
        weight, given = np.delete(W[7, 0], 7), np.delete(D[7, 0], 7)
        pull = (way * weight * (1.0 - given / np.linalg.norm(way, axis=0))).sum(axis=1)
        np.testing.assert_allclose(moved[:, 7], X[:, 7] + pull / weight.sum(), rtol=1e-10)
    Y, other = swept(in_form(MEASURED, loss, space, X, D, W), D, W, X, free)
    np.testing.assert_allclose(moved, Y, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(cost, other, rtol=1e-9)


def test_points_that_are_held_stay_in_either_row_of_two():
    D, _, X, loss = problem(LOSSES[0], SPACES[0], 12)
    free = np.random.default_rng(1).random(12) < 0.5
    moved, _ = swept(engine_for(loss, SPACES[0], X, D), D, None, X, free)
    assert (moved[:, ~free] == X[:, ~free]).all()
    assert (moved[:, free] != X[:, free]).any(axis=0).all()
    alone = X.copy()  # a sweep in which one point at a time may move
    for i in np.flatnonzero(free):
        alone, _ = swept(engine_for(loss, SPACES[0], X, D), D, None, alone, np.arange(12) == i)
    np.testing.assert_allclose(moved, alone, rtol=1e-12)


@pytest.mark.parametrize("space", [SPACES[0], SPACES[1]], ids=name)
def test_rows_of_a_tile_are_rows_of_the_table(space):
    D, W, X, loss = problem(LOSSES[0], space, 15)
    engine, free = engine_for(loss, space, X, D, W), np.ones(15, dtype=bool)
    whole, cost = swept(engine, D, W, X)
    tiled, costs = X.copy(), []
    tiles = slice(0, 5), slice(5, 6), slice(6, 15)
    for some in tiles:
        engine.sweep(D[some], W[some], some.start, tiled, free, (0, 15), 1.0)
    np.testing.assert_allclose(tiled, whole, rtol=1e-12, atol=1e-12)
    for some in tiles:
        costs.append(engine.total(COST, D[some], W[some], some.start, tiled, 1.0)[0])
    np.testing.assert_allclose(sum(costs), cost, rtol=1e-12)


@pytest.mark.sample(2)
@pytest.mark.parametrize("form", [2, MEASURED])
@pytest.mark.parametrize("n", [700, 2048, 2300])  # two groups of points, four, and five
def test_every_pair_is_counted_once_and_all_rows_count_as_many(n, form):
    """Points in one place, whose distances should be 1: then the cost is the number of pairs."""
    loss, space = LOSSES[0], SPACES[0]
    X, edges = np.zeros((2, n)), [0, n // 4, n // 2, n - 301, n]
    D = np.ones((n, 1, n))
    assert loss.value(0.0, 1.0) == 1.0
    engine = in_form(form, loss, space, X, D, None)
    counts, sums = (
        [engine.total(kind, D[i:j], None, i, X, 1.0) for i, j in pairwise(edges)]
        for kind in (COST, ERRORS)
    )
    counts = [count for (count,) in counts]
    assert sum(counts) == n * (n - 1) / 2
    assert [total for _, total, _, _ in sums] == counts
    # half of all points, and a group more or less
    assert (np.abs(np.array(counts) / np.diff(edges) - n / 2) <= GROUP).all()


def test_both_layers_of_an_asymmetric_table_pull_and_cost_half_each():
    rng, loss, space = np.random.default_rng(0), LOSSES[0], SPACES[0]
    A, X = rng.random((9, 9)), rng.normal(size=(2, 9))
    np.fill_diagonal(A, 0.0)
    D, mean = np.stack([A, A.T], axis=1), (0.5 * (A + A.T))[:, None]
    one, two = engine_for(loss, space, X, mean), engine_for(loss, space, X, D)
    X, cost = swept(two, D, None, X)[0], two.total(COST, D, None, 0, X, 1.0)[0]
    u = np.linalg.norm(X[:, :, None] - X[:, None], axis=0)
    del cost
    assert two.total(COST, D, None, 0, X, 1.0)[0] == pytest.approx(0.5 * ((u - A) ** 2).sum())
    # for the squared loss two directions pull as their mean
    Y = swept(one, mean, None, X)[0]
    np.testing.assert_allclose(swept(two, D, None, X)[0], Y, rtol=1e-12)


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "space",
    [s if s in SPACES[:2] else slow(s) for s in SPACES if s.single_precision],
    ids=name,
)
def test_single_precision_is_double_precision_rounded(space):
    (X, cost), (Y, rounded) = (
        swept(engine_for(loss, space, X, D), D, None, X)
        for D, _, X, loss in (problem(LOSSES[0], space, 37, dtype=t) for t in (float, np.float32))
    )
    assert Y.dtype == np.float32
    np.testing.assert_allclose(Y, X, atol=2e-5)
    np.testing.assert_allclose(rounded, cost, rtol=1e-4)


def test_a_driver_is_compiled_once_for_all_losses_and_spaces():
    one, two = np.float32, np.float64
    cases = [(0, 0, 2, two), (1, 0, 2, two), (0, 1, 2, two), (0, 0, 7, two), (0, 0, 2, one)]
    for loss, space, k, dtype in cases:  # each differs from the first in one thing
        D, _, X, smooth = problem(LOSSES[loss], SPACES[space], 8, dtype=dtype, k=k)
        swept(engine_for(smooth, SPACES[space], X, D), D, None, X)
    assert len(drivers.sweep.signatures) == len(drivers.total.signatures) == 1


def test_a_row_of_one_point_is_half_a_row_of_two():
    D, _, X, loss = problem(LOSSES[0], SPACES[0], 12)
    engine = engine_for(loss, SPACES[0], X, D)
    assert engine.row(PULL, 1) != engine.row(PULL, 2)
    one, two = X.copy(), X.copy()
    engine.sweep(D, None, 0, two, np.arange(12) == 3, (0, 12), 1.0)
    engine.sweep_in_turn(D, None, 0, one, np.arange(12) == 3, 1, 0.0, 1.0)
    np.testing.assert_allclose(one, two, rtol=1e-12)


@pytest.mark.parametrize(
    ("space", "used"),
    [
        (SPACES[0], ("near",)),
        (SPACES[1], ("near", "far")),
        (SPACES[3], ("near", "inner", "gap")),
        (SPACES[4], ("near",)),
    ],
    ids=name,
)
def test_blocks_compute_the_invariants_that_a_space_reads(space, used):
    assert rows.asked(space) == used


def test_invariants_go_by_their_place_and_count_wherever_they_are_read():
    class Odd(type(SPACES[0])):
        def pair(self, a, b, c, d):
            return (a if a > 1e300 else self.other(d)), 1.0, 1.0

        def other(self, d):
            return d

    assert rows.asked(Odd()) == ("near", "gap")


@dataclass(frozen=True)
class Counting(Euclidean):
    def exp(self, p, v):
        for a in range(p.shape[0]):
            p[a] += v[a] * p.shape[0]


@pytest.mark.parametrize("k", [slow(2), 7, 9])
def test_a_space_sees_its_own_coordinates_and_none_that_fill_up_rows(k):
    rng = np.random.default_rng(0)
    X, D = rng.normal(size=(k, 12)), rng.random((12, 1, 12))
    plain, counted = X.copy(), X.copy()
    free = np.arange(12) == 3
    for space, Y in ((Euclidean(), plain), (Counting(), counted)):
        engine_for(LOSSES[0], space, X, D).sweep(D, None, 0, Y, free, (0, 12), 1.0)
    np.testing.assert_allclose(counted - X, k * (plain - X), rtol=1e-12, atol=1e-12)
