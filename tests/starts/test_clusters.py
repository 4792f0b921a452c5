"""Arrangements of clusters."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from unimds import place_center, spaces
from unimds._runtime.watch import Watch
from unimds.distances.pairs import as_pairs
from unimds.losses import Squared
from unimds.placecenter.descent.plan import Plan
from unimds.placecenter.problem import Problem
from unimds.starts.clusters import arranged, members_of
from unimds.starts.middle import descended
from unimds.starts.search import Search


def blobs(n=400, count=10):
    """Return distances of points in clusters, and their clusters."""
    X, label = make_blobs(n, 50, centers=count, random_state=0)
    return spaces.distances(X), label


def start(D, n_jobs=None, weights=None, state=0):
    """Return the problem of a table, and its starts from clusters."""
    problem = Problem.posed(as_pairs(D, weights=weights), Squared(), spaces.Euclidean(), 2)
    search = Search(Plan(), Watch(None, 0, 0.0), n_jobs=n_jobs)
    return problem, arranged(search, problem, np.random.default_rng(state))


def test_clusters_are_found():
    D, label = blobs()
    members = members_of(D, np.random.default_rng(0))
    assert members.shape == (400, 10)
    np.testing.assert_array_equal(members @ members.T, label[:, None] == label)


def test_there_are_none_where_points_lie_in_none():
    rng = np.random.default_rng(0)
    assert members_of(spaces.distances(rng.normal(size=(400, 5))), rng) is None
    outliers = rng.normal(size=(400, 5))
    outliers[:20] += 1000.0 * np.repeat(rng.normal(size=(5, 5)), 4, axis=0)
    assert members_of(spaces.distances(outliers), rng) is None  # nearly all lie in one


@pytest.mark.parametrize("kind", ["missing", "weighted", "asymmetric"])
def test_tables_whose_pairs_differ_have_no_such_start(kind):
    (D, _), rng, weights = blobs(), np.random.default_rng(0), None
    if kind == "missing":
        gaps = np.triu(rng.random(D.shape) < 0.01, 1)
        D[gaps | gaps.T] = np.nan
    if kind == "weighted":
        weights = rng.uniform(0.5, 1.0, D.shape)
    if kind == "asymmetric":
        D = D * rng.uniform(0.9, 1.1, D.shape)
    assert start(blobs()[0])[1]
    assert not start(D, weights=weights)[1]


def test_the_arrangement_leads_lower_than_the_seed_whatever_the_random_state():
    D, _ = blobs()
    seed = place_center(D, n_init=1)
    ends = []
    for state in range(4):
        problem, (X,) = start(D, state=state)
        ends.append(
            descended(problem, Plan(), X, Watch(None, 0, 0.0)).cost * problem.frame.cost_unit
        )
    assert max(ends) < 0.999 * seed.cost
    assert max(ends) < 1.0001 * min(ends)


def test_the_arrangement_does_not_depend_on_threads():
    D, _ = blobs()
    (_, (one,)), (_, (two,)) = (start(D, n_jobs=jobs) for jobs in (1, 2))
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("n", [400, 1000])
def test_fits_of_clusters_end_in_one_map(n):
    D, _ = blobs(n)
    ends = np.array([place_center(D, random_state=state).cost for state in range(4)])
    assert ends.max() < 1.0005 * ends.min()
