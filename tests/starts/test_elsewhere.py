"""Points that lie in the wrong place of a map."""

import numpy as np
import pytest
from sklearn.datasets import load_wine

from unimds import place_center, spaces
from unimds.distances.pairs import as_pairs
from unimds.losses import Squared
from unimds.placecenter.problem import Problem
from unimds.starts.elsewhere import PLACES, corrected, costly, spread


def posed(D, space=None, weights=None):
    """Return the problem of a map of a table."""
    return Problem.posed(as_pairs(D, weights=weights), Squared(), space or spaces.Euclidean(), 2)


def cost(problem, X):
    """Return the cost of a map."""
    return problem.costs(X, problem.frame.loss, problem.frame.space)[0]


def plane(n=150):
    """Return a map and its distances."""
    X = np.random.default_rng(0).normal(size=(n, 2))
    return X, spaces.distances(X)


@pytest.mark.parametrize("kind", ["plain", "missing", "weighted", "asymmetric"])
def test_points_on_the_wrong_side_go_back(kind):
    X, D = plane()
    rng, weights = np.random.default_rng(1), None
    if kind == "missing":
        gaps = np.triu(rng.random(D.shape) < 0.2, 1)
        D[gaps | gaps.T] = np.nan
    if kind == "weighted":
        weights = rng.uniform(0.5, 1.0, D.shape)
    if kind == "asymmetric":
        D = D * rng.uniform(0.99, 1.01, D.shape)
    problem = posed(D, weights=weights)
    wrong = X.copy()
    wrong[[3, 70]] = -2.0 * X[[3, 70]]
    before = problem.inner(wrong)
    assert {3, 70} <= set(costly(problem, before))
    after = problem.frame.outer(corrected(problem, before))
    np.testing.assert_allclose(after[[3, 70]], X[[3, 70]], atol=0.1)
    others = np.delete(np.arange(len(X)), [3, 70])
    np.testing.assert_allclose(after[others], wrong[others])


def test_a_map_without_such_points_stays():
    X, D = plane()
    problem = posed(D)
    there = problem.inner(X)
    assert corrected(problem, there) is there


def test_points_leave_the_far_side_of_a_sphere():
    sphere = spaces.Sphere()
    X = sphere.project_points(np.random.default_rng(0).normal(size=(150, 3)))
    problem = posed(spaces.distances(X, space=sphere), sphere)
    wrong = X.copy()
    wrong[5] *= -1.0
    after = corrected(problem, problem.inner(wrong))
    assert cost(problem, after) < 0.1 * cost(problem, problem.inner(wrong))


def test_points_far_from_all_others_are_not_the_costliest_for_their_distances():
    X, D = plane(200)
    far, wrong = 7, int(np.linalg.norm(X, axis=1).argmax())
    X[far] = 30.0, 0.0
    D = spaces.distances(X)
    there = X.copy()
    there[far], there[wrong] = (40.0, 0.0), -X[wrong]
    errors = ((spaces.distances(there) - D) ** 2).sum(axis=1)
    assert errors[far] > errors[wrong]  # or nothing is tested
    assert costly(posed(D), posed(D).inner(there))[-1] == wrong


def test_places_lie_all_over_the_map():
    X = np.concatenate([corner + 0.1 * plane(20)[0] for corner in 9.0 * np.eye(PLACES, 2, -3)])
    X = np.concatenate([X, [[9.0, 9.0], [-9.0, 0.0], [0.0, -9.0], [-9.0, -9.0]]])
    found = X[spread(spaces.Euclidean(), np.ascontiguousarray(X.T))]
    for corner in ([9.0, 9.0], [-9.0, 0.0], [0.0, -9.0], [-9.0, -9.0], [9.0, 0.0], [0.0, 9.0]):
        assert np.linalg.norm(found - corner, axis=1).min() < 1.0


def test_one_wine_is_found_to_lie_on_the_wrong_side():
    X = load_wine().data
    D = spaces.distances((X - X.mean(axis=0)) / X.std(axis=0))
    ends = [place_center(D, random_state=state).cost for state in range(3)]
    assert max(ends) < 0.999 * place_center(D, n_init=1).cost
