"""The losses against formulas written independently, and their majorizers."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unimds import Absolute, Huber, Loss, Power, Squared, SquaredDistance
from unimds.losses import LOSSES, as_loss

# --- the formulas again, analytic in u so that they can be differentiated by a complex step -------


def squared(loss, u, r):
    return u**2 - 2.0 * u * r + r**2


def absolute(loss, u, r):
    return np.sqrt((u - r) ** 2 + loss.smoothing**2)


def power(loss, u, r):
    return np.exp(0.5 * loss.p * np.log((u - r) ** 2 + loss.smoothing**2))


def huber(loss, u, r):
    e = (u - r) * np.sign(np.real(u) - r)
    return e**2 if np.real(e) <= loss.delta else 2.0 * loss.delta * e - loss.delta**2


def squared_distance(loss, u, r):
    return np.sqrt((u**2 - r**2) ** 2 + loss.smoothing**2)


FORMULA = {
    Squared: squared,
    Absolute: absolute,
    Power: power,
    Huber: huber,
    SquaredDistance: squared_distance,
}


def derivative(loss, u, r):
    """Return d value / du by a complex step, which loses no digits."""
    step = 1e-30
    return np.imag(FORMULA[type(loss)](loss, u + 1j * step, r)) / step


def parabola(loss, t, u, r):
    """Return the majorizer that touches the loss at u, taken at t."""
    w, rho = loss.weight(u, r), loss.radius(u, r)
    return loss.value(u, r) + w * (t - u) * (t + u - 2.0 * rho)


def rounding(loss, t, u, r):
    """Return what the parabola may be off by: the largest of its terms, rounded."""
    w, rho = loss.weight(u, r), loss.radius(u, r)
    return 1e-13 * (w * (t + u + rho) ** 2 + loss.value(u, r) + loss.value(t, r))


# --- what hypothesis draws ------------------------------------------------------------------------

lengths = st.floats(0.0, 100.0)
smoothings = st.floats(1e-4, 10.0)
smooth_losses = st.one_of(
    st.just(Squared()),
    smoothings.map(Absolute),
    st.builds(Power, st.floats(1.0, 2.0), smoothings),
    st.floats(1e-3, 50.0).map(Huber),
    smoothings.map(SquaredDistance),
)
sharp_losses = st.one_of(
    st.just(Absolute()), st.floats(1.0, 2.0).map(Power), st.just(SquaredDistance())
)
EACH = pytest.mark.parametrize(
    "loss",
    [Squared(), Absolute(0.2), Power(1.3, 0.2), Huber(0.7), SquaredDistance(0.2)],
    ids=lambda loss: type(loss).__name__,
)


# --- values, weights and radii --------------------------------------------------------------------


@settings(max_examples=200)
@given(smooth_losses, lengths, lengths)
def test_value(loss, u, r):
    want = FORMULA[type(loss)](loss, u, r)
    # (u − r)² and u² − 2ur + r² are equal but for the rounding of their terms
    assert loss.value(u, r) == pytest.approx(want, rel=1e-9, abs=1e-13 * (u + r) ** 2)


@settings(max_examples=200)
@given(smooth_losses, lengths, lengths)
def test_weight_and_radius_give_the_slope_of_the_value(loss, u, r):
    slope = 2.0 * loss.weight(u, r) * (u - loss.radius(u, r))
    terms = 2.0 * loss.weight(u, r) * (u + r)
    assert slope == pytest.approx(derivative(loss, u, r), rel=1e-9, abs=1e-12 * terms)


@given(smooth_losses, lengths, lengths)
def test_weights_are_positive_and_radii_are_distances(loss, u, r):
    assert 0.0 < loss.weight(u, r) < np.inf
    assert 0.0 <= loss.radius(u, r) <= 2.0 * (u + r)


def test_values_by_hand():
    assert Squared().value(5.0, 2.0) == 9.0
    assert Absolute().value(5.0, 2.0) == 3.0
    assert Absolute(4.0).value(5.0, 2.0) == 5.0
    assert Power(1.5).value(6.0, 2.0) == pytest.approx(8.0)
    assert Huber(2.0).value(3.5, 2.0) == 2.25
    assert Huber(2.0).value(5.0, 2.0) == 8.0
    assert SquaredDistance().value(5.0, 2.0) == 21.0
    assert SquaredDistance(20.0).value(5.0, 2.0) == 29.0


def test_weights_by_hand():
    assert Squared().weight(5.0, 2.0) == 1.0
    assert Absolute().weight(5.0, 2.0) == pytest.approx(1.0 / 6.0)
    assert Power(1.5).weight(6.0, 2.0) == pytest.approx(0.375)
    assert Huber(2.0).weight(3.5, 2.0) == 1.0
    assert Huber(2.0).weight(5.0, 2.0) == pytest.approx(2.0 / 3.0)
    assert SquaredDistance().weight(5.0, 2.0) == pytest.approx(29.0 / 21.0)
    assert SquaredDistance().radius(5.0, 2.0) == pytest.approx(40.0 / 29.0)


@EACH
def test_only_squared_distance_has_a_radius_of_its_own(loss):
    own = isinstance(loss, SquaredDistance)
    assert (loss.radius(3.0, 1.0) != 1.0) == own
    assert loss.radius(1.0, 1.0) == pytest.approx(1.0)  # nothing pulls where nothing is wrong


@EACH
def test_residual_is_what_the_value_measures(loss):
    want = 8.0 if isinstance(loss, SquaredDistance) else 2.0
    assert loss.residual(3.0, 1.0) == want
    assert loss.residual(1.0, 3.0) == -want


# --- the majorizer --------------------------------------------------------------------------------


@settings(max_examples=500)
@given(smooth_losses, lengths, lengths, st.floats(0.0, 300.0))
def test_the_majorizer_lies_above_the_loss(loss, u, r, t):
    assert parabola(loss, t, u, r) >= loss.value(t, r) - rounding(loss, t, u, r)


@settings(max_examples=300)
@given(sharp_losses, lengths, lengths, st.floats(0.0, 300.0))
def test_the_majorizer_lies_above_the_loss_without_smoothing(loss, u, r, t):
    if abs(u - r) > 1e-6:  # on the kink itself no parabola is wide enough
        assert parabola(loss, t, u, r) >= loss.value(t, r) - rounding(loss, t, u, r)


@EACH
def test_the_majorizer_touches_where_it_should(loss):
    for u in (0.0, 0.3, 1.0, 4.0):
        assert parabola(loss, u, u, 1.0) == loss.value(u, 1.0)


@pytest.mark.parametrize("smoothing", [1e-3, 0.1, 1.0, 30.0])
def test_squared_distance_is_majorized_on_a_fine_grid(smoothing):
    loss = SquaredDistance(smoothing)
    grid = np.linspace(0.0, 6.0, 601)
    for u in grid[::20]:
        for r in grid[::20]:
            w, rho = loss.weight(u, r), loss.radius(u, r)
            above = loss.value(u, r) + w * (grid - u) * (grid + u - 2.0 * rho)
            below = np.sqrt((grid**2 - r**2) ** 2 + smoothing**2)
            assert (above - below).min() >= -1e-12 * w * 200.0


def test_the_papers_recipe_for_squared_distances_does_not_majorize():
    # "setting r_j = d_ij²" draws the pair to the distance r². At u = 3, r = 2 that is 4, and any
    # parabola centred there falls from 3 to 4, where the loss rises from 5 to 12.
    u, r = 3.0, 2.0
    loss = SquaredDistance()
    assert (loss.value(u, r), loss.value(r**2, r)) == (5.0, 12.0)
    for w in np.geomspace(1e-6, 1e6, 25):
        at_centre = loss.value(u, r) + w * ((r**2 - r**2) ** 2 - (u - r**2) ** 2)
        assert at_centre < loss.value(r**2, r)
    # ours falls from 3 towards 2, and the loss with it
    rho = loss.radius(u, r)
    assert rho == pytest.approx(24.0 / 13.0)
    assert loss.value(rho, r) < loss.value(u, r)


def test_no_parabola_lies_above_a_power_above_two():
    # why Power stops at 2: far enough out, |t − r|³ is above the parabola that touches it at u
    u, r, p = 1.0, 0.0, 3.0
    w = 0.5 * p * abs(u - r) ** (p - 2.0)
    assert abs(u - r) ** p + w * ((10.0 - r) ** 2 - (u - r) ** 2) < abs(10.0 - r) ** p


# --- limits ---------------------------------------------------------------------------------------


@given(lengths, lengths, smoothings)
def test_power_one_is_absolute(u, r, s):
    assert Power(1.0, s).value(u, r) == pytest.approx(Absolute(s).value(u, r), rel=1e-14)
    assert Power(1.0, s).weight(u, r) == pytest.approx(Absolute(s).weight(u, r), rel=1e-14)


@given(lengths, lengths)
def test_power_two_is_squared(u, r):
    assert Power(2.0).value(u, r) == pytest.approx(Squared().value(u, r), rel=1e-14)
    assert Power(2.0).weight(u, r) == 1.0


@given(lengths, lengths)
def test_a_wide_huber_is_squared(u, r):
    for delta in (100.0, np.inf):
        assert Huber(delta).value(u, r) == Squared().value(u, r)
        assert Huber(delta).weight(u, r) == 1.0


@given(lengths, lengths)
def test_a_narrow_huber_is_absolute(u, r):
    narrow, delta = Huber(1e-9), 1e-9
    assert narrow.value(u, r) / (2.0 * delta) == pytest.approx(Absolute().value(u, r), abs=delta)
    if abs(u - r) > delta:
        assert narrow.weight(u, r) / (2.0 * delta) == pytest.approx(Absolute().weight(u, r))


@pytest.mark.parametrize("loss", [Absolute(), Power(1.4), SquaredDistance()])
def test_smoothing_falls_to_the_loss_itself(loss):
    for u, r in ((3.0, 1.0), (1.0, 3.0), (2.0, 2.0)):
        values = [loss.smoothed(s).value(u, r) for s in (1.0, 1e-1, 1e-2, 1e-4, 0.0)]
        assert values == sorted(values, reverse=True)
        assert values[-1] == loss.value(u, r)
        assert values[-2] == pytest.approx(values[-1], abs=1e-4)


# --- units ----------------------------------------------------------------------------------------


@given(smooth_losses, lengths, lengths, st.floats(1e-3, 1e3))
def test_scaled_and_degree(loss, u, r, a):
    scaled = loss.scaled(a)
    assert type(scaled) is type(loss)
    value, weight = loss.value(u, r), loss.weight(u, r)
    slack = 1e-13 * a**loss.degree * (u + r) ** 2  # a·u − a·r is rounded otherwise than u − r
    assert scaled.value(a * u, a * r) == pytest.approx(a**loss.degree * value, rel=1e-9, abs=slack)
    assert scaled.radius(a * u, a * r) == pytest.approx(a * loss.radius(u, r), rel=1e-9)
    assert scaled.weight(a * u, a * r) == pytest.approx(a ** (loss.degree - 2) * weight, rel=1e-6)


def test_degrees():
    degrees = {Squared(): 2, Absolute(): 1, Power(1.7): 1.7, Huber(): 2, SquaredDistance(): 2}
    for loss, degree in degrees.items():
        assert loss.degree == degree
    assert Loss.degree is None


def test_auto_is_resolved_from_the_data():
    assert Huber().delta == "auto"
    assert Huber().resolved(30.0) == Huber(3.0)
    assert Huber(2.0).resolved(30.0) == Huber(2.0)
    assert Huber().scaled(5.0) == Huber()
    for loss in (Squared(), Absolute(0.1), Power(1.2, 0.1), SquaredDistance(0.1)):
        assert loss.resolved(30.0) == loss


def test_which_losses_anneal():
    for loss in (Absolute(), Power(1.5), SquaredDistance()):
        assert loss.anneals
        assert loss.smoothed(0.25).smoothing == 0.25
        assert loss.smoothing == 0.0
    for loss in (Squared(), Huber(1.0), Power(2.0)):
        assert not loss.anneals
        assert loss.smoothed(0.25) is loss


# --- names, constructors, extremes ----------------------------------------------------------------


def test_names():
    assert set(LOSSES) == {"squared", "absolute", "huber", "squared_distance", "power"}
    assert as_loss("squared") == Squared()
    assert as_loss("absolute") == Absolute()
    assert as_loss("huber") == Huber("auto")
    assert as_loss("squared_distance") == SquaredDistance()
    assert as_loss("power") == Power(1.5)
    own = Power(1.2)
    assert as_loss(own) is own


@pytest.mark.parametrize(
    ("name", "loss"),
    [
        ("power:1.2", Power(1.2)),
        ("power:2", Power(2.0)),
        ("huber:0.5", Huber(0.5)),
        ("huber:auto", Huber("auto")),
    ],
)
def test_a_number_may_follow_a_name(name, loss):
    assert as_loss(name) == loss


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ("squared:2", "only huber and power take a number; write 'squared'"),
        ("power:", "a number is needed after the colon"),
        ("power:high", "a number is needed after the colon"),
        ("power:3", r"Power\(p=3.0\): p must lie between 1 and 2"),
        ("power:auto", r"Power\(p='auto'\): p must lie between 1 and 2"),
        ("huber:-1", "delta must be positive"),
    ],
)
def test_a_number_that_does_not_suit_is_told(wrong, says):
    with pytest.raises(ValueError, match=says):
        as_loss(wrong)


@pytest.mark.parametrize("wrong", ["cubic", "Squared", "", None, 2, Squared])
def test_an_unknown_name_is_told_the_known_ones(wrong):
    with pytest.raises(ValueError, match="is not known") as caught:
        as_loss(wrong)
    message = str(caught.value)
    assert repr(wrong) in message
    assert all(repr(name) in message for name in LOSSES)
    assert "power:1.2" in message
    assert ("Power(1.5)" in message) == (not isinstance(wrong, str))


@pytest.mark.parametrize("p", [0.99, 2.01, -1.0, np.nan, np.inf])
def test_power_refuses_exponents_without_a_majorizer(p):
    with pytest.raises(ValueError, match=r"Power\(p=.*\): p must lie between 1 and 2"):
        Power(p)


@pytest.mark.parametrize("delta", [0.0, -1.0, np.nan, "Auto", "", None])
def test_huber_refuses_a_delta_that_is_no_length(delta):
    with pytest.raises(ValueError, match='delta must be positive or "auto"'):
        Huber(delta)


@pytest.mark.parametrize("delta", [1, np.float32(0.5), np.int64(3)])
def test_huber_takes_any_number(delta):
    assert Huber(delta).value(10.0, 0.0) == pytest.approx(20.0 * delta - delta**2)


@pytest.mark.parametrize("smoothing", [-1.0, np.nan])
@pytest.mark.parametrize("kind", [Absolute, Power, SquaredDistance])
def test_smoothing_is_not_negative(kind, smoothing):
    with pytest.raises(ValueError, match="smoothing"):
        kind(smoothing=smoothing)


def test_losses_are_values():
    assert Power(1.5, 0.1) == Power(1.5, 0.1) != Power(1.5, 0.2)
    assert len({Squared(), Squared(), Absolute(), Absolute(0.1)}) == 3
    with pytest.raises(FrozenInstanceError):
        Absolute().smoothing = 1.0


@EACH
def test_extreme_distances_give_finite_numbers(loss):
    extremes = [0.0, 5e-324, 1e-200, 1e-70, 1.0, 1e70]
    for u in extremes:
        for r in extremes:
            results = loss.value(u, r), loss.weight(u, r), loss.radius(u, r), loss.residual(u, r)
            assert np.isfinite(results).all(), (u, r)
            assert loss.value(u, r) >= 0.0
            assert loss.weight(u, r) >= 0.0


def test_only_the_squared_error_is_its_own_parabola():
    class Heavier(Squared):
        def weight(self, u, r):
            return 2.0

    assert Squared().is_parabola
    assert not any(loss.is_parabola for loss in (Absolute(), Huber(1.0), Heavier()))
