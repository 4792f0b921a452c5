"""The race: what it hands over to the descent."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from unimds import place_center
from unimds.starts import race

N = 600  # from 200 on, starts of a double table are looked for in single precision


def table(noise: float, n: int = N) -> np.ndarray:
    rng = np.random.default_rng(0)
    points = rng.normal(size=(n, 2))
    D = cdist(points, points) * (1.0 + noise * rng.normal(size=(n, n)))
    return np.abs(0.5 * (D + D.T))


@pytest.mark.parametrize("init", ["auto", "shaken"])
def test_a_double_table_is_fitted_as_low_after_single_precision(monkeypatch, init):
    D = table(0.2, 1100 if init == "auto" else N)  # fewer points have a search of their own
    quick = place_center(D, init=init, random_state=0)
    monkeypatch.setattr(race, "_settles", lambda problem, small: False)
    plain = place_center(D, init=init, random_state=0)
    assert quick.cost <= plain.cost * (1.0 + 1e-6)
    assert quick.n_iter < 10  # most sweeps were single; a start alone takes 15 in double precision
    assert quick.converged
    u = cdist(quick.embedding, quick.embedding)
    assert quick.cost == pytest.approx(0.5 * ((u - D) ** 2).sum(), rel=1e-12)


@pytest.mark.parametrize("init", ["auto", "shaken", "random"])
def test_an_exact_double_table_is_met_to_double_precision(init):
    D = table(0.0)
    result = place_center(D, init=init, random_state=0)
    assert result.cost <= 1e-12 * 0.5 * (D**2).sum()
    if init == "auto":
        assert result.cost <= 1e-22 * 0.5 * (D**2).sum()


@pytest.mark.filterwarnings("ignore:Stopped after max_iter")
def test_the_largest_step_of_single_precision_is_not_the_last():
    """What single precision leaves undone, double does: the end is stationary for a sweep."""
    D = table(0.2)
    result = place_center(D, random_state=0, eps=1e-9)
    more = place_center(D, init=result.embedding, n_init=1, eps=0.0, max_iter=20, accelerate=False)
    assert result.cost - more.cost <= 20 * 1e-8 * result.cost
