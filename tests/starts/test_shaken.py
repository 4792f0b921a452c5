"""`init="shaken"`: a start that is made by shaking."""

import numpy as np
import pytest

from unimds import place_center, spaces
from unimds._runtime.watch import Watch
from unimds.distances.pairs import as_pairs
from unimds.losses import Squared
from unimds.placecenter.problem import Problem
from unimds.starts import race
from unimds.starts.seeds.initial import first_seed
from unimds.starts.shaking import Shaker


def misfit(n=200, dimensions=20, dtype=np.float32):
    """Return distances that do not fit in the plane."""
    points = np.random.default_rng(0).normal(size=(n, dimensions))
    return spaces.distances(points).astype(dtype)


def error(D, result):
    """Return the cost over that of a map of a single place."""
    return 2.0 * result.cost / max(np.nansum(D**2), 1e-300)


def test_points_do_not_arrange_themselves_by_who_meets_whom():
    problem = Problem.make(as_pairs(misfit()), Squared(), spaces.Euclidean(), 2)
    rng = np.random.default_rng(0)
    loss, space = problem.frame.loss, problem.frame.space
    seed = first_seed(problem, "auto", rng)
    X = Shaker(problem, rng).shaken(loss, seed, 200, rng, Watch(None, 0, 0.0))
    cost, _ = problem.costs(X, loss, space)
    least = place_center(misfit(), init=problem.frame.outer(X)).cost
    assert (
        problem.frame.cost_unit * cost < 1.03 * least
    )  # 1.18 where a point never meets its neighbours


def test_a_shaken_start_ends_lower_than_its_seed():
    D = misfit(60)
    seed = place_center(D, n_init=1).cost
    ends = [place_center(D, init="shaken", random_state=state).cost for state in range(9)]
    assert np.median(ends) < 0.995 * seed


def test_the_random_state_decides_and_several_are_never_worse_than_the_first():
    D = misfit()
    a, b, other = (place_center(D, init="shaken", random_state=s).embedding for s in (0, 0, 1))
    np.testing.assert_array_equal(a, b)
    assert not np.array_equal(a, other)
    costs = [place_center(D, init="shaken", n_init=m, random_state=3).cost for m in (1, 2, 4)]
    assert costs == sorted(costs, reverse=True)


def test_after_an_interruption_shaken_starts_that_have_ended_are_kept(monkeypatch):
    D, made, chosen = misfit(60), [], []

    def start(*given):
        if len(made) == 2:
            made.append(None)
            raise KeyboardInterrupt
        made.append(shaken(*given))
        return made[-1]

    def descents(search, problem, starts, keeper):
        chosen.extend(starts)
        return descend_from(search, problem, starts, keeper)

    shaken, descend_from = race.shaken_start, race._descents
    monkeypatch.setattr(race, "shaken_start", start)
    monkeypatch.setattr(race, "_descents", descents)
    with pytest.warns(RuntimeWarning, match="Interrupted"):
        place_center(D, init="shaken", n_init=4, random_state=0)
    assert len(chosen) == 4
    for one, other in zip(chosen, made[:2], strict=False):
        np.testing.assert_array_equal(one, other)


@pytest.mark.usefixtures("threads_of_blas")
def test_the_result_does_not_depend_on_threads():
    D = misfit(60)
    one, two = (
        place_center(D, init="shaken", n_init=3, n_jobs=jobs, random_state=0).embedding
        for jobs in (1, 2)
    )
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 9, 40])
def test_exact_distances_are_met_however_few(n):
    D = spaces.distances(np.random.default_rng(n).normal(size=(n, 2)))
    assert error(D, place_center(D, init="shaken", random_state=0)) < 1e-10


def test_large_tables_are_shaken_on_a_sample(monkeypatch):
    monkeypatch.setattr(race, "LARGE", 100)
    D = misfit()
    result = place_center(D, init="shaken", random_state=0)
    assert result.converged
    assert result.cost < 1.02 * place_center(D, random_state=0).cost


def test_missing_pairs_and_anchors():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(200, 2))
    D = spaces.distances(points)
    hidden = np.triu(rng.random(D.shape) < 0.7, 1)
    D[hidden | hidden.T] = np.nan
    assert error(D, place_center(D, init="shaken", random_state=0)) < 1e-8
    fixed = {i: points[i] for i in (0, 7, 31)}
    held = place_center(D, init="shaken", fixed=fixed, random_state=0)
    np.testing.assert_allclose(held.embedding, points, atol=1e-3)


@pytest.mark.parametrize("space", ["sphere", spaces.Hyperbolic(1.0)], ids=str)
def test_curved_spaces(space):
    space = spaces.as_space(space)
    D = spaces.distances(space.random(80, 2, 1.0, np.random.default_rng(0)), space=space)
    result = place_center(D, space=space, init="shaken", random_state=0)
    assert error(D, result) < 1e-6


def test_a_robust_loss():
    D = spaces.distances(np.random.default_rng(0).normal(size=(60, 2)))
    D[0, 1:9] = D[1:9, 0] = 30.0
    result = place_center(D, loss="absolute", init="shaken", random_state=0)
    fitted = spaces.distances(result.embedding)
    np.testing.assert_allclose(fitted[9:, 9:], D[9:, 9:], atol=1e-4)


@pytest.mark.parametrize("init", ["auto", "shaken"])
@pytest.mark.parametrize("k", [2, 4])
def test_weights_of_an_asymmetric_table(k, init):
    rng = np.random.default_rng(0)
    D = spaces.distances(rng.normal(size=(30, 4)))
    D *= 1.0 + 0.1 * rng.random(D.shape)
    weights = 1.0 + rng.random(D.shape)
    result = place_center(D, k, weights=weights, init=init, random_state=0)
    assert result.cost <= 1.001 * place_center(D, k, weights=weights, n_init=1).cost
