"""Tables of some hundred points: starts go on until several lead to the lowest map."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_s_curve

from unimds import MDS, place_center, spaces
from unimds._runtime.watch import Watch
from unimds.distances.pairs import as_pairs
from unimds.losses import Squared
from unimds.placecenter.descent import Plan
from unimds.placecenter.problem import Problem
from unimds.starts import middle
from unimds.starts.initial import draw, first_seed
from unimds.starts.search import Search


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


def test_the_map_does_not_depend_on_threads():
    D = cube(150)
    one, two = (place_center(D, n_jobs=jobs, random_state=3).embedding for jobs in (1, 2))
    np.testing.assert_array_equal(one, two)


def test_starts_end_when_the_lowest_map_has_been_found_three_times(monkeypatch):
    drawn = []
    monkeypatch.setattr(middle, "draw", lambda *given: drawn.append(1) or draw(*given))

    def starts(D):
        problem = Problem.posed(as_pairs(D), Squared(), spaces.Euclidean(), 2)
        drawn.clear()
        seed = first_seed(problem, "auto", np.random.default_rng(0))
        search, rng = Search(Plan(), Watch(None, 0, 0.0)), np.random.default_rng(0)
        middle.agreed(search, problem, Plan(), seed, rng)
        return len(drawn)

    assert starts(spaces.distances(make_s_curve(300, random_state=0)[0])) == middle.BATCH - 1
    upper = np.triu(np.random.default_rng(0).random((200, 200)), 1)  # each start ends elsewhere
    assert starts(upper + upper.T) == middle.most_starts(200) - 1


def test_missing_pairs_are_no_reason_for_a_single_start():
    D = cube()
    D[np.triu(np.random.default_rng(1).random(D.shape) < 0.1, 1)] = np.nan
    D = np.where(np.isnan(D + D.T), np.nan, D)
    ends = [place_center(D, random_state=state).cost for state in range(3)]
    assert np.median(ends) < 0.995 * place_center(D, n_init=1).cost


@pytest.mark.parametrize("n", [150, 400])
def test_the_number_of_starts_is_told(capsys, n):
    MDS(metric="precomputed", verbose=1, random_state=0).fit(cube(n))
    told = capsys.readouterr()
    assert f"Choosing among {middle.most_starts(n)} starts" in told.out + told.err
