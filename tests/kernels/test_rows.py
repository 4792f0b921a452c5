"""The ways to work off a row agree: one loop or groups, one row or two, single or double."""

from itertools import pairwise, product

import numpy as np
import pytest

from tests.support.parts import LOSSES, SPACES, name, slow
from tests.support.tables import table
from unimds.compiled.parts import in_precision
from unimds.kernels import sweep as kernels
from unimds.kernels.rows import WIDTH
from unimds.placecenter.problem import form, read_only

GROUPED = (None, None, 0)


def cases():
    """Return every loss with every space, without weights and with; compiling takes long."""
    for loss, space, weighted in product(LOSSES, SPACES, (False, True)):
        quick = loss is LOSSES[0] and space in (SPACES[:1] if weighted else SPACES[:2])
        marks = () if quick else pytest.mark.slow
        label = "-".join([name(loss), name(space), "weighted" if weighted else "plain"])
        yield pytest.param(loss, space, weighted, marks=marks, id=label)


def problem(loss, space, n, seed=0, dtype=np.float64, k=2):
    """Return a table with missing pairs, weights, points with one tie, and compiled parts."""
    rng = np.random.default_rng(seed)
    D, points = table(rng, n, space, noise=0.3, k=k)
    D[1, 3] = D[3, 1] = np.nan
    W = rng.random((n, n))
    X = space.project_points(points + 0.1 * rng.normal(size=points.shape))
    X[5] = X[4]
    loss = loss.smoothed(0.1) if loss.anneals else loss
    parts = [in_precision(part, dtype) for part in (loss, space)]
    X = np.ascontiguousarray(X.T, dtype=dtype)
    _, D, W = read_only(0, D[:, None, :].astype(dtype), (W + W.T)[:, None, :].astype(dtype))
    return D, W, X, parts


def swept(D, W, X, code, parts, free=None):
    """Return the points after a sweep, and their cost."""
    X = X.copy()
    free = np.ones(X.shape[1], dtype=bool) if free is None else free
    kernels.sweep(D, W, 0, free, (0, len(free)), X, *code, *parts, 1.0, None, 0.0)
    loss, space = parts
    cost, _ = kernels.evaluate(D, W, 0, X, *code, loss, loss, False, space, 1.0)
    return X, cost


@pytest.mark.parametrize(("loss", "space", "weighted"), list(cases()))
def test_one_loop_does_what_groups_do(loss, space, weighted):
    for n in (6, 37):  # an even and an odd number of rows
        D, W, X, parts = problem(loss, space, n)
        code = form(space, X.shape[0])
        assert code != GROUPED
        weights = W if weighted else None
        fused, groups = (swept(D, weights, X, c, parts) for c in (code, GROUPED))
        np.testing.assert_allclose(fused[0], groups[0], rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(fused[1], groups[1], rtol=1e-9)


def test_points_that_are_held_stay_in_either_row_of_two():
    D, _, X, parts = problem(LOSSES[0], SPACES[0], 12)
    free = np.random.default_rng(1).random(12) < 0.5
    fused, groups = (swept(D, None, X, c, parts, free) for c in (form(SPACES[0], 2), GROUPED))
    assert (fused[0][:, ~free] == X[:, ~free]).all()
    assert (fused[0][:, free] != X[:, free]).any(axis=0).all()
    np.testing.assert_allclose(fused[0], groups[0], rtol=1e-12)


@pytest.mark.parametrize("space", [SPACES[0], SPACES[1]], ids=name)
def test_rows_of_a_tile_are_rows_of_the_table(space):
    D, W, X, parts = problem(LOSSES[0], space, 15)
    code, free = form(space, X.shape[0]), np.ones(15, dtype=bool)
    whole, cost = swept(D, W, X, code, parts)
    loss, tiled, everyone = parts[0], X.copy(), (0, 15)
    for rows in (slice(0, 5), slice(5, 6), slice(6, 15)):
        kernels.sweep(
            D[rows], W[rows], rows.start, free, everyone, tiled, *code, *parts, 1.0, None, 0.0
        )
    np.testing.assert_allclose(tiled, whole, rtol=1e-12, atol=1e-12)
    costs = [
        kernels.evaluate(
            D[rows], W[rows], rows.start, tiled, *code, loss, loss, False, parts[1], 1.0
        )[0]
        for rows in (slice(0, 5), slice(5, 6), slice(6, 15))
    ]
    np.testing.assert_allclose(sum(costs), cost, rtol=1e-12)


@pytest.mark.parametrize("code", [form(SPACES[0], 2), GROUPED], ids=["loop", "groups"])
@pytest.mark.parametrize("n", [700, 2048, 2300])  # two groups of points, four, and five
def test_every_pair_is_counted_once_and_all_rows_count_as_many(n, code):
    """Points in one place, whose distances should be 1: then the cost is the number of pairs."""
    loss, space = LOSSES[0], SPACES[0]
    X, edges = np.zeros((2, n)), [0, n // 4, n // 2, n - 301, n]
    _, D, _ = read_only(0, np.ones((n, 1, n)))
    assert loss.value(0.0, 1.0) == 1.0
    counts = [
        kernels.evaluate(D[i:j], None, i, X, *code, loss, loss, False, space, 1.0)[0]
        for i, j in pairwise(edges)
    ]
    assert sum(counts) == n * (n - 1) / 2
    sums = [kernels.pair_sums(D[i:j], None, i, X, loss, space, 1.0) for i, j in pairwise(edges)]
    assert [total for _, total, _, _ in sums] == counts
    # half of all points, and a group more or less
    assert (np.abs(np.array(counts) / np.diff(edges) - n / 2) <= WIDTH).all()


@pytest.mark.parametrize(
    "space",
    [s if s in SPACES[:2] else slow(s) for s in SPACES if s.single_precision],
    ids=name,
)
def test_single_precision_is_double_precision_rounded(space):
    double, single = (problem(LOSSES[0], space, 37, dtype=t) for t in (np.float64, np.float32))
    (X, cost), (Y, rounded) = (
        swept(D, None, X, form(space, X.shape[0]), parts) for D, _, X, parts in (double, single)
    )
    assert Y.dtype == np.float32
    np.testing.assert_allclose(Y, X, atol=2e-5)
    np.testing.assert_allclose(rounded, cost, rtol=1e-4)
