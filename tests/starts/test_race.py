"""The race: what it hands over to the descent."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from unimds import Outcome, place_center
from unimds.spaces import Sphere
from unimds.starts import middle, race
from unimds.starts.seeds import size
from unimds.starts.shaking import Shaker

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


def interrupting(function, at=1):
    """Return a function that ^C ends when it is called for the so-manieth time."""
    calls = []

    def call(*given, **named):
        calls.append(given)
        if len(calls) == at:
            raise KeyboardInterrupt
        return function(*given, **named)

    return call


def interrupted(D, **options):
    """Return the result of a fit that ^C ends, which is told."""
    with pytest.warns(RuntimeWarning, match="Interrupted by the user"):
        result = place_center(D, random_state=0, **options)
    assert result.outcome is Outcome.INTERRUPTED
    return result


@pytest.mark.parametrize("jobs", [None, 2])
def test_an_interrupted_tournament_leaves_the_lowest_map_so_far(monkeypatch, jobs):
    D = table(0.5, 120)
    seed = place_center(D, n_init=1).cost
    monkeypatch.setattr(middle, "corrected", interrupting(middle.corrected))
    assert interrupted(D, n_jobs=jobs).cost <= 1.001 * seed  # the descent from the seed was over


@pytest.mark.parametrize("at", [1, 3])
@pytest.mark.parametrize(
    ("n", "options"),
    [(120, {"loss": "absolute"}), (1100, {}), (120, {"init": "shaken", "n_init": 4})],
    ids=str,
)
def test_an_interrupted_search_for_starts_leaves_the_seed(monkeypatch, n, options, at):
    D = table(0.5, n)
    monkeypatch.setattr(Shaker, "along", interrupting(Shaker.along, at))
    cost = interrupted(D, **options).cost
    spectral = place_center(D, **{**options, "init": "auto", "n_init": 1})
    assert cost <= 1.001 * spectral.history[0, 1]


def test_an_interruption_while_the_size_is_estimated_leaves_the_first_start(monkeypatch):
    calls, descend = [], size.descend

    def stopped_at_the_third(problem, X, plan, watch):
        calls.append(X)
        if len(calls) == 3:
            watch.interrupted.set()
        return descend(problem, X, plan, watch)

    monkeypatch.setattr(size, "descend", stopped_at_the_third)
    result = interrupted(table(0.5, 12), space=Sphere("auto"), init="random")
    assert np.isfinite(result.cost)
    assert len(calls) >= 3


@pytest.mark.parametrize("jobs", [None, 2])
def test_after_an_interruption_no_other_race_begins(monkeypatch, jobs):
    D, ended, run = table(0.5, 310), [], race.race

    def first(search, problem, rng):
        ended.append(run(search, problem, rng))
        if len(ended) == 2:
            search.watch.interrupted.set()
        return ended[-1]

    monkeypatch.setattr(race, "race", first)
    interrupted(D, n_init="thorough", n_jobs=jobs)
    assert len(ended) == 2
    monkeypatch.setattr(race, "race", interrupting(run, 2))
    cost = interrupted(D, n_init="thorough", n_jobs=jobs).cost
    assert cost <= 1.001 * place_center(D, n_init=1).cost
