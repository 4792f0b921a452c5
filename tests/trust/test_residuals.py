"""Residuals on the scale where they are alike, as large as errors."""

import numpy as np
import pytest

from unimds import MDS, Loss
from unimds.spaces import distances
from unimds.trust.residuals import errors_of, grown
from unimds.trust.study import study_of


def table(n=25, noise=0.1, seed=0, share=False):
    rng = np.random.default_rng(seed)
    d = distances(rng.normal(size=(n, 2)))
    e = np.triu(noise * rng.normal(size=(n, n)), 1)
    D = np.abs(np.triu(d * (1.0 + e) if share else d + e, 1))
    return D + D.T


def errors(D, weights=None, **how):
    mds = MDS(metric="precomputed", n_init=1, random_state=0, **how)
    return errors_of(study_of(mds, D, weights))


def test_drawn_errors_are_as_large_as_errors():
    """The variance of residuals, divided by degrees of freedom, is that of the errors."""
    variance = [errors(table(12, 0.1, seed)).pool.var() for seed in range(40)]
    assert np.mean(variance) == pytest.approx(0.01, rel=0.1)
    naive = [errors(table(12, 0.1, seed)) for seed in range(3)]
    assert naive[0].freedom == 66 - 24 + 3


def test_pools_have_mean_zero_and_tables_are_the_map_with_errors():
    found = errors(table())
    assert found.pool.mean() == pytest.approx(0.0, abs=1e-12)
    drawn = np.array([found.drawn(np.random.default_rng(s)) for s in range(400)])
    far = found.mapped > 0.5
    np.testing.assert_allclose(drawn[:, far].mean(axis=0), found.mapped[far], atol=0.03)
    np.testing.assert_allclose(drawn[:, far].std(axis=0), found.pool.std(), rtol=0.2)
    assert drawn.min() >= 0.0


def test_errors_that_grow_with_distances_are_drawn_so():
    found = errors(table(30, 0.1, share=True))
    assert found.power > 0.6
    assert found.size[np.argmax(found.mapped)] > 2.0 * found.size[np.argmin(found.mapped)]
    assert errors(table(30, 0.1)).power < 0.35


def test_no_power_is_found_where_there_is_nothing_to_see():
    assert grown(np.ones(5), np.arange(1.0, 6.0)) == 0.0
    assert grown(np.zeros(50), np.ones(50)) == 0.0
    assert grown(np.random.default_rng(0).random(50), np.ones(50)) == 0.0


def test_errors_of_heavier_pairs_are_smaller():
    rng = np.random.default_rng(0)
    W = np.triu(rng.choice([1.0, 100.0], (25, 25)), 1)
    W = W + W.T
    d = distances(rng.normal(size=(25, 2)))
    e = np.triu(rng.normal(size=d.shape), 1)
    D = d + 0.2 * (e + e.T) / np.sqrt(np.where(W > 0.0, W, 1.0))
    np.fill_diagonal(D, 0.0)
    found = errors(np.abs(D), W)
    heavy = W[found.i, found.j] == 100.0
    assert found.size[~heavy].mean() == pytest.approx(10.0 * found.size[heavy].mean(), rel=0.15)
    assert found.pool.std() * np.median(found.size[~heavy]) == pytest.approx(0.2, rel=0.2)


def test_distances_that_a_robust_map_meets_exactly_say_nothing_of_errors():
    found = errors(table(15), loss="absolute", eps=1e-12, max_iter=20000)
    coordinates = 30 - 3
    assert len(found.pool) <= 105 - 0.6 * coordinates
    assert found.pool.std() == pytest.approx(0.1, rel=0.3)


def test_squares_of_distances_are_drawn_as_squares():
    found = errors(table(), loss="squared_distance")
    assert found.squared
    drawn = np.array([found.drawn(np.random.default_rng(s)) for s in range(300)])
    np.testing.assert_allclose(
        (drawn**2).mean(axis=0), found.mapped**2, atol=0.15 * found.mapped.max()
    )


@pytest.mark.parametrize("level", ["interval", "ordinal", "spline", "power"])
def test_levels_have_errors_around_their_curve(level):
    shift = 3.0 * (1.0 - np.eye(25)) if level == "interval" else 0.0
    found = errors(shift + table(25, 0.1), level=level)
    unit = found.mapped.mean() / table(25, 0.1)[np.triu_indices(25, 1)].mean()
    assert (found.pool * found.size.mean()).std() == pytest.approx(0.1 * unit, rel=0.35)


def test_perfect_maps_have_no_errors():
    found = errors(table(noise=0.0))
    np.testing.assert_allclose(found.pool, 0.0, atol=1e-6)
    np.testing.assert_allclose(found.drawn(np.random.default_rng(0)), found.mapped, atol=1e-5)


def test_what_cannot_tell_errors_says_so():
    with pytest.raises(ValueError, match=r"3 known pairs are too few to tell their errors from 3"):
        errors(table(3))
    asymmetric = table(8) * np.random.default_rng(0).uniform(0.9, 1.1, (8, 8))
    with pytest.raises(ValueError, match='conditional="row" gives every row'):
        errors(asymmetric, level="ordinal", conditional="row")

    class Odd(Loss):
        def value(self, u, r):
            return (u - r) * (u - r)

        def weight(self, u, r):
            return 1.0

        def residual(self, u, r):
            return u / r

    from unimds.trust.residuals import _is_of_squares

    with pytest.raises(ValueError, match="measures errors on a scale of its own"):
        _is_of_squares(Odd())
