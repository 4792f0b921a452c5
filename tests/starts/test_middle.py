"""Tables of some hundred points: tournaments of starts of all points."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_s_curve

from unimds import MDS, place_center, spaces
from unimds._runtime.watch import Watch
from unimds.distances.pairs import as_pairs
from unimds.losses import Squared
from unimds.placecenter.descent.plan import Plan
from unimds.placecenter.problem import Problem
from unimds.starts import middle
from unimds.starts.search import Search
from unimds.starts.seeds.initial import draw, first_seed
from unimds.starts.shaking import Shaker


def cube(n=500):
    """Return distances of points of a cube that can be flattened in several ways."""
    return spaces.distances(np.random.default_rng(2).random((n, 4)))


def test_most_random_states_end_in_one_map_that_is_lower_than_the_seed_leads_to():
    D = cube()
    ends = np.array([place_center(D, random_state=state).cost for state in range(8)])
    assert (ends <= 1.0005 * ends.min()).sum() >= 6
    assert ends.min() < 0.995 * place_center(D, n_init=1).cost


@settings(max_examples=15, deadline=None)
@given(n=st.integers(101, 260), k=st.sampled_from([2, 3]), data=st.data())
def test_no_table_ends_higher_than_its_seed_leads_to(n, k, data):
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    D = spaces.distances(rng.normal(size=(n, 6)))
    if data.draw(st.booleans()):
        D *= 1.0 + 0.2 * rng.random(D.shape)
    if data.draw(st.booleans()):
        D[rng.random(D.shape) < 0.2] = np.nan
    cost = place_center(D, k, random_state=0).cost
    assert cost <= place_center(D, k, n_init=1).cost * (1.0 + 1e-6)


@pytest.mark.usefixtures("threads_of_blas")
def test_the_map_does_not_depend_on_threads():
    D = cube(150)
    one, two = (place_center(D, n_jobs=jobs, random_state=3).embedding for jobs in (1, 2))
    np.testing.assert_array_equal(one, two)


def posed(D):
    """Return the problem of a map of a table, and its seed."""
    problem = Problem.posed(as_pairs(D), Squared(), spaces.Euclidean(), 2)
    return problem, first_seed(problem, "auto", np.random.default_rng(0))


def random_table(n):
    """Return random numbers: each start ends elsewhere."""
    upper = np.triu(np.random.default_rng(0).random((n, n)), 1)
    return upper + upper.T


def test_few_starts_try_a_table_that_nearly_fits_and_all_try_one_that_does_not(monkeypatch):
    drawn = []
    monkeypatch.setattr(middle, "draw", lambda *given: drawn.append(1) or draw(*given))

    def random_starts(D, adapts=False):
        (problem, seed), rng = posed(D), np.random.default_rng(0)
        drawn.clear()
        middle.lowest_map(Search(Plan(), Watch(None, 0, 0.0)), problem, Plan(), seed, rng, adapts)
        return len(drawn)

    ((count, seeded),) = middle.rounds(300, fits=True)
    fitting = spaces.distances(make_s_curve(300, random_state=0)[0])
    assert random_starts(fitting) == count - seeded
    assert random_starts(random_table(200)) == middle.most_starts(200) - 2  # one seed each
    assert random_starts(random_table(200), adapts=True) == middle.most_starts(200, True) - 1


WATCH = Watch(None, 0, 0.0)


def test_the_better_half_of_the_starts_goes_on_after_each_stage():
    (problem, seed), rng = posed(cube(150)), np.random.default_rng(0)
    shaker, search = Shaker(problem, rng), Search(Plan(), Watch(None, 0, 0.0))
    starts = [draw(problem, rng) for _ in range(9)]
    calls = []
    shaker.along = lambda loss, X, *given: calls.append(1) or X  # as if nothing moved
    left = middle.tournament(search, shaker, [*starts, seed], rng)
    assert len(calls) == 10 + 5 + 3
    np.testing.assert_array_equal(left[0], seed)  # the lowest of all

    def cost(X):
        return problem.costs(X, problem.frame.loss, problem.frame.space)[0]

    assert [cost(X) for X in left] == sorted(map(cost, [*starts, seed]))[:3]


def test_the_map_of_the_seed_is_kept_unless_another_one_ends_lower():
    problem, seed = posed(random_table(150))
    rough = middle.descended(problem, Plan(eps=1e-4), seed, WATCH)
    end = middle.descended(problem, Plan(), seed, WATCH)
    assert end.cost < (1.0 - middle.SAME) * rough.cost  # or nothing is tested
    other = middle.Map(seed, rough.cost * (1.0 - 0.5 * middle.NEAR))  # not its true cost
    X = middle.lower(problem, Plan(), rough, other, WATCH)  # both descend on
    cost, _ = problem.costs(X, problem.frame.loss, problem.frame.space)
    assert cost < (1.0 - middle.SAME) * rough.cost
    same, far = (end._replace(cost=share * rough.cost) for share in (1.0, 0.9))
    assert middle.lower(problem, Plan(), rough, same, WATCH) is rough.X
    assert middle.lower(problem, Plan(), rough, far, WATCH) is end.X


def test_a_descent_without_hope_is_given_up():
    problem, seed = posed(random_table(150))
    end = middle.descended(problem, Plan(), seed, WATCH)
    near = middle.descended(problem, Plan(), seed, WATCH, low=end.cost)
    given_up = middle.descended(problem, Plan(), seed, WATCH, low=0.5 * end.cost)
    assert near.cost <= (1.0 + 1e-5) * end.cost < given_up.cost


def test_a_descent_ends_when_the_watch_is_stopped():
    problem, seed = posed(random_table(150))
    stopped = Watch(None, 0, 0.0)
    stopped.interrupted.set()
    assert middle.descended(problem, Plan(), seed, stopped).X is seed


def test_a_start_in_a_minimum_has_its_cost():
    problem = Problem.posed(as_pairs(3.0 * (1.0 - np.eye(4))), Squared(), spaces.Euclidean(), 2)
    X = np.full((2, 4), 5.0)  # points in one place do not pull at each other
    cost, _ = problem.costs(X, problem.frame.loss, problem.frame.space)
    assert middle.descended(problem, Plan(), X, WATCH).cost == pytest.approx(cost, rel=1e-12)


def test_missing_pairs_are_no_reason_for_a_single_start():
    D = cube()
    D[np.triu(np.random.default_rng(1).random(D.shape) < 0.1, 1)] = np.nan
    D = np.where(np.isnan(D + D.T), np.nan, D)
    ends = [place_center(D, random_state=state).cost for state in range(3)]
    assert np.median(ends) < 0.995 * place_center(D, n_init=1).cost


@pytest.mark.parametrize(("n", "level"), [(150, "ratio"), (400, "ratio"), (250, "ordinal")])
def test_the_number_of_starts_is_told(capsys, n, level):
    MDS(metric="precomputed", level=level, verbose=1, random_state=0).fit(cube(n))
    told, count = capsys.readouterr(), middle.most_starts(n, level == "ordinal")
    assert f"Choosing among {count} starts" in told.out + told.err
