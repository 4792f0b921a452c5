"""Sizes, weights and smoothings at the ends of the numbers: right, or refused in a sentence."""

from decimal import Decimal, localcontext

import numpy as np
import pytest

from tests.support.by_hand import straight
from tests.support.parts import slow
from unimds import Absolute, Huber, Hyperbolic, Power, Sphere, Squared, place_center
from unimds.distances.pairs import as_pairs
from unimds.placecenter.problem import Problem

PAIR = np.triu_indices(9, 1)


def random_table(seed=0):
    upper = np.triu(np.random.default_rng(seed).random((9, 9)), 1)
    return upper + upper.T


def flat_table(seed=0):
    """Distances in a plane: the best curvature is as small as can be."""
    return straight(np.random.default_rng(seed).normal(size=(9, 2)))


def hyperbolic_by_hand(X, curvature):
    """Return distances on the hyperboloid, in more digits than a double has."""
    X = np.asarray(X, dtype=np.longdouble)
    steps = X[:, None, 1:] - X[None, :, 1:]
    times = X[:, None, 0] - X[None, :, 0]
    half = 0.5 * np.maximum(np.sum(steps**2, axis=-1) - times**2, 0.0)  # cosh − 1
    return np.log1p(half + np.sqrt(half * (half + 2.0))) / np.sqrt(np.longdouble(curvature))


@pytest.mark.sample(2)
@pytest.mark.parametrize("table", [random_table, flat_table])
@pytest.mark.parametrize("scale", [1e-150, slow(1e-100), 1.0, slow(1e100), 1e151])
@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_cost_with_a_curvature_of_auto_is_that_of_the_map(table, scale, loss):
    D = table() * scale
    # a search takes seconds with the absolute loss, and so it searches with the other one only
    options = {"max_iter": 3000, "n_init": "auto" if loss == "squared" else 1, "random_state": 0}
    result = place_center(D, loss=loss, space=Hyperbolic("auto"), **options)
    curvature = result.space.curvature
    assert curvature >= np.finfo(float).tiny
    error = np.abs(hyperbolic_by_hand(result.embedding, curvature) - D)[PAIR] / scale
    by_hand = float(np.sum(error**2 if loss == "squared" else error))
    degree = 2 if loss == "squared" else 1
    rounding = 1e-30 if loss == "squared" else 1e-12
    assert result.cost / scale**degree == pytest.approx(by_hand, rel=1e-9, abs=rounding)


def exact_hyperbolic(x, y):
    """Return the distance of two points, whose first coordinate follows from the others."""
    with localcontext(prec=60):
        x, y = ([Decimal(float(c)) for c in p[1:]] for p in (x, y))
        t, u = ((1 + sum(c * c for c in p)).sqrt() for p in (x, y))
        cosh = t * u - sum(a * b for a, b in zip(x, y, strict=True))
        return float((cosh + (cosh * cosh - 1).sqrt()).ln())


def skewed_table(seed):
    """Many short distances and a few long ones: the best curvature is strong."""
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.random((9, 9)) ** rng.uniform(0.3, 3.0), 1)
    return (upper + upper.T) * 10.0 ** rng.uniform(-5.0, 5.0)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("seed", [40, 41, 42])
def test_an_estimated_curvature_leaves_coordinates_their_digits(seed):
    D = skewed_table(seed)
    result = place_center(D, loss="huber", space=Hyperbolic("auto"), max_iter=500, random_state=0)
    X, unit, total, lost = result.embedding, result.space.curvature**-0.5, 0.0, 0.0
    for i, j in zip(*PAIR, strict=True):
        u, loss = exact_hyperbolic(X[i], X[j]), result.loss
        total += loss.value(u * unit, D[i, j])
        # cosh u is a difference of products of coordinates; each of these and each product rounds
        off = np.finfo(float).eps * X[i, 0] * X[j, 0] / np.sinh(u) * unit
        error = u * unit - loss.radius(u * unit, D[i, j])
        lost += 2.0 * loss.weight(u * unit, D[i, j]) * abs(error) * off
    assert lost < 1e-4 * total
    assert result.cost == pytest.approx(total, rel=1e-9, abs=8.0 * lost)


def test_distances_beyond_any_curvature_are_refused():
    with pytest.raises(
        ValueError, match=r"distances of about .*e\+15. leave the range of an \"auto"
    ):
        place_center(random_table() * 1e154, loss="absolute", space=Hyperbolic("auto"))


@pytest.mark.parametrize("make", [Hyperbolic, Sphere])
def test_sizes_that_have_lost_digits_are_refused(make):
    with pytest.raises(ValueError, match=r"=1e-320\): smaller numbers than 2.2e-308 have lost"):
        make(1e-320)


@pytest.mark.parametrize("space", [Hyperbolic(1e-300), Sphere(1e160), Sphere(1e200)])
def test_spaces_that_are_flat_to_the_last_digit_are_refused(space):
    with pytest.raises(ValueError, match=r"is flat to the last digit for distances up to .*Euclid"):
        place_center(random_table(), space=space)


@pytest.mark.parametrize("weight", [1e-320, 1e-300, 1e-240, 1e-100, 1e100])
def test_tiny_weights_are_right_or_refused(weight):
    D, weights = random_table(), np.full((9, 9), weight)
    if weight < 1e-249:
        with pytest.raises(ValueError, match=r"weights add up to .* multiply all weights"):
            place_center(D, weights=weights, random_state=0)
        return
    result = place_center(D, weights=weights, random_state=0)
    error = (straight(result.embedding.astype(np.longdouble)) - D)[PAIR]
    assert result.cost == pytest.approx(float(weight * np.sum(error**2)), rel=1e-9)


def test_one_tiny_weight_among_others_is_no_matter():
    D, weights = random_table(), np.ones((9, 9))
    weights[2, 5] = weights[5, 2] = 1e-320
    result = place_center(D, weights=weights, random_state=0)
    error = (straight(result.embedding) - D)[PAIR]
    assert result.cost == pytest.approx(np.sum(weights[PAIR] * error**2), rel=1e-9)


@pytest.mark.parametrize("loss", [Absolute(1e300), Absolute(1e12), Power(1.5, 1e300)])
def test_smoothings_that_hide_every_error_are_refused(loss):
    told = f"smoothing={loss.smoothing:g} is .* times the error"
    for fit in ({"loss": loss}, {"loss": type(loss)(), "smoothing": loss.smoothing}):
        with pytest.raises(ValueError, match=told.replace("+", r"\+")):
            place_center(random_table(), **fit)


@pytest.mark.sample(2)
@pytest.mark.parametrize("loss", [Absolute(1e3), Absolute(1e-200), Power(1.5, 1e4), Squared()])
def test_other_smoothings_cost_what_the_map_costs(loss):
    D = random_table()
    result = place_center(D, loss=loss, random_state=0)
    s, p = getattr(loss, "smoothing", 0.0), loss.degree
    error = (straight(result.embedding) - D)[PAIR]
    assert result.cost == pytest.approx(np.sum((error**2 + s**2) ** (0.5 * p)), rel=1e-9)


def test_a_loss_with_values_too_small_for_digits_is_refused():
    with pytest.raises(ValueError, match=r"Huber\(delta=1e-320\) costs .* use a loss with larger"):
        place_center(random_table(), loss=Huber(1e-320))


def test_a_size_grows_no_further_than_its_curvature_is_a_number():
    """These points lie too close together: only a larger space would bring them apart."""
    problem = Problem.posed(as_pairs(flat_table() * 1e152), Squared(), Hyperbolic("auto"), 2)
    frame = problem.frame
    largest = frame.space.sized(6e153 * frame.unit)  # in the user's unit, a curvature of 3e-308
    for space, spread, grows in ((frame.space, 0.3, True), (largest, 1e-5, False)):
        X = Hyperbolic().random(9, 2, spread, np.random.default_rng(0)).T.copy()
        found = problem.resized(X, Squared(), space)
        assert (found.unit > space.unit) if grows else found == space
