"""Fixed points of the theory, against computations that are not ours."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.manifold import smacof

from tests.support.parts import pair, slow
from tests.support.tables import paper_data, table
from unimds import Absolute, Euclidean, Huber, Power, Sphere, place_center, place_points
from unimds.quality import recovery_error, total_cost
from unimds.spaces import distances


def test_squared_euclidean_ends_where_smacof_stands_still():
    """At a minimum the Guttman transform is the identity and the gradient vanishes."""
    D, _ = table(np.random.default_rng(0), 40, Euclidean(), noise=0.3, k=5)
    X = place_center(D, 2, eps=1e-13, random_state=0).embedding
    u = distances(X)
    ratio = np.divide(D, u, out=np.zeros_like(D), where=u > 0)
    B = np.diag(ratio.sum(axis=1)) - ratio
    guttman = B @ X / len(X)
    centred = X - X.mean(axis=0)
    assert np.abs(guttman - centred).max() <= 1e-4 * np.abs(centred).max()


def test_no_worse_than_scikit_learns_smacof():
    D, _ = table(np.random.default_rng(1), 50, Euclidean(), noise=0.3, k=5)
    ours = place_center(D, 2, random_state=0)
    _, theirs = smacof(
        D, init=None, n_init=8, eps=1e-9, max_iter=3000, random_state=0, normalized_stress=False
    )
    assert ours.cost <= theirs * 1.001


def test_absolute_place_on_a_line_is_the_weighted_median():
    """With targets of zero, Σ w|x − x_j| is least at the weighted median."""
    rng = np.random.default_rng(2)
    for _ in range(20):
        x, w = np.sort(rng.normal(size=9)), rng.uniform(0.1, 2.0, size=9)
        median = x[np.searchsorted(np.cumsum(w), w.sum() / 2)]
        placed = place_points(
            np.zeros((1, 9)) + 1e-3, x[:, None], loss="absolute", weights=w[None]
        )  # 1e-3 away from all: nothing to start exactly on
        exact = min(np.sum(w * np.abs(np.abs(x - c) - 1e-3)) for c in candidates(x, 1e-3))
        got = np.sum(w * np.abs(np.abs(x - placed[0, 0]) - 1e-3))
        assert got <= exact * (1 + 1e-6)
        assert abs(placed[0, 0] - median) <= 2.1e-3


def test_absolute_place_on_a_line_solves_its_median_problem():
    """Where it ends, x is a weighted median of x_j ± r_j, each on the side that x is on."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        x, w = rng.normal(size=9), rng.uniform(0.1, 2.0, size=9)
        centre = rng.normal()
        r = np.abs(x - centre) * np.where(rng.random(9) < 0.7, 1.0, rng.uniform(0.5, 1.5, 9))
        placed = place_points(r[None], x[:, None], loss="absolute", weights=w[None])[0, 0]
        hat = x + np.sign(placed - x) * r
        order = np.argsort(hat)
        median = hat[order][np.searchsorted(np.cumsum(w[order]), w.sum() / 2)]
        assert np.sum(w * np.abs(placed - hat)) <= np.sum(w * np.abs(median - hat)) + 1e-5


def candidates(x, r):
    return np.concatenate([x, x - r, x + r])


def mean_on_sphere(points, weights, power, start):
    """Minimise Σ w·angle^power over the sphere with scipy, from the outside."""

    def cost(z):
        z = z / np.linalg.norm(z)
        angle = 2.0 * np.arctan2(
            np.linalg.norm(points - z, axis=1), np.linalg.norm(points + z, axis=1)
        )
        return np.sum(weights * angle**power)

    found = minimize(
        cost,
        start,
        method="Nelder-Mead",
        options={"xatol": 1e-10, "fatol": 1e-14, "maxiter": 20000},
    )
    return found.x / np.linalg.norm(found.x)


@pytest.mark.parametrize(
    ("loss", "power"), [("squared", 2), ("absolute", 1), slow(Power(1.5), 1.5)]
)
def test_centres_on_the_sphere_agree_with_scipy(loss, power):
    """Targets of zero: the Karcher mean and the geometric median of points on S²."""
    rng = np.random.default_rng(4)
    for _ in range(5):
        points = Sphere().random(12, 2, 0.7, rng)
        weights = rng.uniform(0.2, 2.0, size=12)
        D = np.full((1, 12), 1e-9)
        # all pairs are nearly zero, so each start counts as the answer: place from the middle
        placed = place_points(D + 0.001, points, loss=loss, space="sphere", weights=weights[None])
        there = mean_on_sphere(points, weights, power, placed[0])
        assert distances(placed, there[None], space=Sphere())[0, 0] <= 3e-3


def test_karcher_mean_is_where_logarithms_cancel():
    rng = np.random.default_rng(5)
    points = Sphere().random(15, 2, 0.8, rng)
    x = centre_by_sweeps(points, "squared")
    cosine = points @ x
    angle = np.arccos(np.clip(cosine, -1, 1))
    logs = (points - cosine[:, None] * x) * (angle / np.sin(angle))[:, None]
    assert np.linalg.norm(logs.sum(axis=0)) <= 1e-6


def test_geometric_median_is_where_directions_cancel():
    rng = np.random.default_rng(6)
    points = Sphere().random(15, 2, 0.8, rng)
    x = centre_by_sweeps(points, "absolute")
    cosine = points @ x
    toward = points - cosine[:, None] * x
    toward /= np.linalg.norm(toward, axis=1, keepdims=True)
    assert np.linalg.norm(toward.sum(axis=0)) <= 1e-4


def centre_by_sweeps(points, loss):
    """One free point at distance zero from all others, which are fixed."""
    n = len(points)
    D = np.zeros((n + 1, n + 1))
    D[:n, :n] = distances(points, space=Sphere())
    fixed = np.vstack([points, np.full(3, np.nan)])
    start = np.vstack([points, points.mean(axis=0) / np.linalg.norm(points.mean(axis=0))])
    result = place_center(D, 2, loss=loss, space="sphere", fixed=fixed, init=start, eps=1e-15)
    return result.embedding[n]


@pytest.mark.parametrize(("loss", "power"), [("squared", 2), ("absolute", 1)])
def test_centres_by_sweeps_agree_with_scipy(loss, power):
    rng = np.random.default_rng(7)
    for _ in range(5):
        points = Sphere().random(12, 2, 0.8, rng)
        x = centre_by_sweeps(points, loss)
        there = mean_on_sphere(points, np.ones(12), power, x)
        assert distances(x[None], there[None], space=Sphere())[0, 0] <= 1e-5


@pytest.mark.parametrize(
    ("loss", "space"),
    [
        pair(loss, space, id=f"{space}-{loss}")
        for loss, space in product([Huber(0.2), Power(1.5)], ["euclidean", "sphere", "hyperbolic"])
    ],
)
def test_no_scipy_optimiser_goes_lower_from_the_answer(loss, space):
    """L-BFGS on free coordinates, from where PlaceCenter ended, finds nothing to gain."""
    from unimds.spaces import as_space

    where = as_space(space)
    D, _ = table(np.random.default_rng(8), 12, where, noise=0.3)
    result = place_center(D, 2, loss=loss, space=space, random_state=0, eps=1e-12)
    shape = result.embedding.shape

    def cost(z):
        return total_cost(D, where.project_points(z.reshape(shape)), loss=loss, space=space)

    found = minimize(cost, result.embedding.ravel(), method="L-BFGS-B")
    assert found.fun >= result.cost * (1.0 - 1e-5)


@pytest.mark.sample(1)
@pytest.mark.parametrize("share", [0.02, 0.1, 0.3])
def test_exact_recovery_from_corrupted_distances(share):
    """The paper's data: the robust map is the true one, the squared one is not."""
    D, points = paper_data(share)
    truth = np.abs(distances(points) - D).sum() / 2
    robust = place_center(D, 10, loss="absolute")
    assert robust.cost <= truth * 1.001
    assert recovery_error(robust.embedding, points) <= 1e-3
    squared = place_center(D, 10, loss="squared")
    assert recovery_error(squared.embedding, points) > 0.02
    assert np.abs(distances(squared.embedding) - D).sum() / 2 > 1.02 * truth


def test_exact_recovery_on_the_sphere():
    rng = np.random.default_rng(9)
    points = Sphere().random(150, 2, 3.0, rng)
    D = distances(points, space=Sphere())
    i, j = np.triu_indices(150, 1)
    wrong = rng.choice(i.size, i.size // 10, replace=False)
    D[i[wrong], j[wrong]] = rng.uniform(0.0, np.pi, size=wrong.size)
    D[j, i] = D[i, j]
    truth = np.abs(distances(points, space=Sphere()) - D).sum() / 2
    robust = place_center(D, 2, loss="absolute", space="sphere", random_state=0)
    assert robust.cost <= truth * 1.001
    assert recovery_error(robust.embedding, points, space="sphere") <= 1e-3
    squared = place_center(D, 2, loss="squared", space="sphere", random_state=0)
    assert recovery_error(squared.embedding, points, space="sphere") > 0.02


@pytest.mark.slow
def test_r2mds_recovers_too():
    D, points = paper_data(0.1)
    result = place_center(D, 10, loss="squared_distance")
    truth = np.abs(distances(points) ** 2 - D**2).sum() / 2
    assert result.cost <= truth * 1.001
    assert recovery_error(result.embedding, points) <= 1e-3


def test_absolute_is_the_limit_of_its_smoothings():
    D, _ = table(np.random.default_rng(10), 20, Euclidean(), noise=0.3)
    exact = place_center(D, 2, loss=Absolute(), random_state=0).cost
    near = place_center(D, 2, loss=Absolute(1e-6), random_state=0).cost
    assert near == pytest.approx(exact, rel=1e-3)
