"""Single precision saves time and changes nothing else: costs, records and units hold."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.by_hand import straight
from tests.support.parts import slow
from unimds import MDS, Absolute, Huber, Squared, place_center

each_loss = pytest.mark.parametrize("loss", ["absolute", "squared", slow("huber")])


def cost_by_hand(D, X, loss, weights=None):
    """Return the cost of a map by NumPy alone."""
    D, pair = np.asarray(D, dtype=float), np.triu_indices(len(D), 1)
    u, r = straight(np.asarray(X, dtype=float))[pair], D[pair]
    e = np.abs(u - r)
    if isinstance(loss, Squared):
        value = e**2
    elif isinstance(loss, Absolute):
        value = e
    else:
        assert isinstance(loss, Huber)
        value = np.where(e <= loss.delta, e**2, loss.delta * (2.0 * e - loss.delta))
    return float(np.sum(value if weights is None else weights[pair] * value))


@st.composite
def tables(draw):
    """Distances of 3 to 12 points in single precision, and weights over many decades or none."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, k = draw(st.integers(3, 12)), draw(st.sampled_from([1, 2]))
    points = straight(rng.normal(size=(n, k)))
    noise = draw(st.sampled_from([0.0, 0.1, 1.0]))
    D = np.abs(points * (1.0 + noise * rng.normal(size=(n, n))))
    weights, decades = None, draw(st.sampled_from([0.0, 1.0, 7.0]))
    if decades:
        weights = 10.0 ** rng.uniform(-decades, decades, size=(n, n))
        weights = np.triu(weights, 1) + np.triu(weights, 1).T
    return (np.triu(D, 1) + np.triu(D, 1).T).astype(np.float32), weights, k


# of four tables one is searched for its lowest map, which takes as long as a hundred descents
starts = st.sampled_from([1, 1, 1, "auto"])


def check_record(result, D, weights):
    """The lowest cost of the record is the cost, and both are the map's."""
    by_hand = cost_by_hand(D, result.embedding, result.loss, weights)
    heaviest = 1.0 if weights is None else weights.max()
    rounding = 1e-13 * float(D.max()) * heaviest * D.size
    np.testing.assert_allclose(result.cost, by_hand, rtol=1e-9, atol=rounding)
    assert result.history[:, 1].min() == result.cost


@pytest.mark.slow
@each_loss
@settings(max_examples=40)
@given(problem=tables(), n_init=starts)
def test_record_and_cost_of_a_float32_table_belong_to_one_map(loss, problem, n_init):
    D, weights, k = problem
    result = place_center(D, k, loss=loss, weights=weights, n_init=n_init, random_state=0)
    check_record(result, D, weights)


def test_cost_that_single_precision_rounds_away_is_in_the_record():
    """In single precision these three points meet all distances: the record ended at 1e-9."""
    rng = np.random.default_rng(1)
    D = np.array([[0.0, 0.7, 1.9], [0.7, 0.0, 1.6], [1.9, 1.6, 0.0]], dtype=np.float32)
    weights = 1e7 * rng.random((3, 3))
    weights += weights.T
    mds = MDS(metric="precomputed", loss="absolute", random_state=0).fit(D, weights=weights)
    assert mds.embedding_.dtype == np.float32
    assert mds.history_[:, 1].min() == mds.cost_ < 1e-3
    check_record(mds.result_, D, weights)


@each_loss
@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_record_of_a_large_float32_table(loss, noise):
    """Many points descend in single precision, and in double where that cannot tell."""
    rng = np.random.default_rng(0)
    D = straight(rng.normal(size=(210, 2))) + noise * np.abs(rng.normal(size=(210, 210)))
    D = (np.triu(D, 1) + np.triu(D, 1).T).astype(np.float32)
    result = place_center(D, loss=loss, init="random", n_init=1, random_state=0)
    check_record(result, D, None)


@pytest.mark.sample(1)
@each_loss
@given(problem=tables(), power=st.sampled_from([-30, -3, 10, 40]), n_init=starts)
def test_powers_of_two_change_nothing_in_single_precision(loss, problem, power, n_init):
    D, weights, k = problem
    factor, degree = np.float32(2.0**power), 1 if loss == "absolute" else 2
    options = {"loss": loss, "weights": weights, "n_init": n_init, "random_state": 0}
    one = place_center(D, k, **options)
    other = place_center(D * factor, k, **options)
    np.testing.assert_array_equal(other.embedding, one.embedding * float(factor))
    assert other.cost == one.cost * float(factor) ** degree


@pytest.mark.slow
@each_loss
def test_data_in_metres_cost_what_data_in_kilometres_cost(loss):
    """In single precision the cost of these ended within the rounding of their heaviest pair.

    One start may end in another minimum, as the rounding of metres to single precision has it.
    """
    rng, degree = np.random.default_rng(0), 1 if loss == "absolute" else 2
    for _ in range(60):
        n = int(rng.integers(3, 5))
        D, weights = rng.exponential(size=(n, n)) ** 3, 10.0 ** rng.uniform(-3.0, 3.0, size=(n, n))
        D, weights = (np.triu(part, 1) + np.triu(part, 1).T for part in (D, weights))
        D = D.astype(np.float32)
        fit = {"loss": loss, "weights": weights, "random_state": 0}
        one = place_center(D, **fit).cost
        other = place_center(1000 * D, **fit).cost / 1000.0**degree
        rounding = 1e-7 * float((weights * D**degree).sum())  # of the data themselves
        np.testing.assert_allclose(other, one, rtol=1e-3, atol=rounding)
