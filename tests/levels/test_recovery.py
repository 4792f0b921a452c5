"""Points come back from the ranks of their distances, or from an unknown curve of them."""

import numpy as np
import pytest

from tests.support.parts import slow
from unimds import MDS, Euclidean, Hyperbolic, MonotoneSpline, Sphere, place_center
from unimds.datasets import corrupt
from unimds.quality import recovery_error
from unimds.spaces import distances


def ranks(D):
    """Return the ranks of the distances, and zero for the diagonal."""
    return np.unique(D, return_inverse=True)[1].reshape(D.shape).astype(float)


def error(found, truth):
    """Return how far a map is from the true points, whose unit nobody has told."""
    points, space = found.embedding, found.space
    if isinstance(space, Euclidean):
        points = points - points.mean(axis=0)
        truth = truth - truth.mean(axis=0)
        points = points * np.sqrt(np.sum(truth**2) / np.sum(points**2))
    return recovery_error(points, truth, space=space)


@pytest.mark.parametrize("space", [Euclidean(), slow(Sphere()), slow(Hyperbolic())], ids=repr)
def test_ranks_of_distances_tell_the_points(space):
    truth = space.random(100, 2, 1.5, np.random.default_rng(0))
    D = ranks(distances(truth, space=space))
    found = place_center(D, space=space, level="ordinal", n_init=1, random_state=0)
    assert found.stress < 1e-5
    assert error(found, truth) < 0.01


def test_a_curve_of_the_angles_tells_the_points_of_a_sphere():
    truth = Sphere().random(60, 2, 1.5, np.random.default_rng(0))
    angles = distances(truth, space="sphere")
    found = place_center(
        np.expm1(2.0 * angles), space="sphere", level="ordinal", n_init=1, random_state=0
    )
    apart = distances(found.embedding, space="sphere") - angles
    assert np.sqrt(np.mean(apart**2)) < 1e-3


def corrupted(seed, loss, share=0.1):
    """Return how far a map is from the points, a share of whose ranks is wrong."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=(40, 2))
    D, _ = corrupt(ranks(distances(truth)), share, rng=rng)
    return error(place_center(D, loss=loss, level="ordinal", n_init=1, random_state=0), truth)


def test_wrong_ranks_do_not_mislead_the_absolute_loss():
    assert corrupted(0, "absolute") <= 0.005 < 0.05 < corrupted(0, "squared")


@pytest.mark.slow
def test_wrong_ranks_mislead_the_absolute_loss_in_few_of_many_data_sets():
    errors = {
        loss: np.median([corrupted(seed, loss) for seed in range(20)])
        for loss in ("squared", "absolute")
    }
    assert errors["absolute"] <= 0.005
    assert errors["squared"] > 0.05


CURVES = {
    "power": lambda d: d**3,
    "logistic": lambda d: 1.0 / (1.0 + np.exp(-3.0 * (d - 1.5))) - 1.0 / (1.0 + np.exp(4.5)),
}


@pytest.mark.parametrize("curve", CURVES)
@pytest.mark.parametrize(
    ("level", "apart", "off"), [("ordinal", 1e-3, 1e-3), (MonotoneSpline(3, 6), 0.01, 0.02)]
)
def test_a_curve_of_the_distances_is_found(curve, level, apart, off):
    truth = np.random.default_rng(0).normal(size=(60, 2))
    d = distances(truth)
    given = CURVES[curve](d)
    np.fill_diagonal(given, 0.0)
    fit = MDS(level=level, metric="precomputed", n_init=1, random_state=0).fit(given)
    assert error(fit.result_, truth) < apart
    r = fit.transformation_(given)  # the curve back to distances, in a unit of its own
    r *= (r * d).sum() / (r * r).sum()
    assert np.sqrt(np.mean((r - d) ** 2)) < off * d.max()


def test_a_power_of_the_distances_is_found_exactly():
    truth = np.random.default_rng(0).normal(size=(30, 2))
    d = distances(truth)
    fit = MDS(level="power", metric="precomputed", n_init=1, random_state=0).fit(5.0 * d**2.5)
    assert error(fit.result_, truth) < 1e-5
    some = fit.transformation_.given
    slope = np.diff(np.log(fit.transformation_.disparities)) / np.diff(np.log(some))
    assert np.allclose(slope, 0.4, atol=1e-3)


def test_a_line_of_the_distances_is_found():
    truth = np.random.default_rng(0).normal(size=(30, 2))
    given = 3.0 + 2.0 * distances(truth)
    np.fill_diagonal(given, 0.0)
    fit = MDS(level="interval", metric="precomputed", n_init=1, random_state=0).fit(given)
    assert error(fit.result_, truth) < 1e-4
