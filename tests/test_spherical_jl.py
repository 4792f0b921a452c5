"""The paper's JL lemma for spherical data: its key lemma, its theorem and our number of dimensions.

The law of a projected angle is checked against Hotelling's density of a sample correlation, a
single integral that the library does not use, and against simulation.
"""

from itertools import pairwise

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq
from scipy.special import gammaln, hyp2f1
from threadpoolctl import threadpool_limits

from unimds import SphericalRandomProjection, angular_distortion, spherical_jl_min_dim
from unimds.projection import pair_failure

NODES, WEIGHTS = np.polynomial.legendre.leggauss(200)


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """Threads of linear algebra wait for each other where several test processes run."""
    with threadpool_limits(1):
        yield


def limit_failure(m, eps):
    """The limit of small angles by the beta distribution: χ²_{m−1} over the sum with χ²_m."""
    share = stats.beta((m - 1) / 2, m / 2)
    low, high = (1 - eps) ** 2, (1 + eps) ** 2
    return share.cdf(low / (1 + low)) + share.sf(high / (1 + high))


def angle_density(t, theta, m):
    """Hotelling (1953): the angle whose cosine is the correlation of m normal pairs of mean 0."""
    apart = np.sin((theta - t) / 2) ** 2 + np.sin((theta + t) / 2) ** 2  # 1 − cos θ cos t
    constant = np.log(m - 1) + gammaln(m) - gammaln(m + 0.5) - 0.5 * np.log(2 * np.pi)
    power = m * np.log(np.sin(theta)) + (m - 2) * np.log(np.sin(t)) - (m - 0.5) * np.log(apart)
    return np.exp(constant + power) * hyp2f1(0.5, 0.5, m + 0.5, 1 - apart / 2)


def hotelling_failure(theta, m, eps):
    edges = [(1 + eps) * theta]
    while edges[-1] < np.pi:  # pieces that grow with the angle, as the density spreads
        edges.append(min(1.6 * edges[-1], np.pi))
    pieces = [(0.0, (1 - eps) * theta), *pairwise(edges)]
    return sum(
        (b - a) / 2 * WEIGHTS @ angle_density((b - a) / 2 * NODES + (a + b) / 2, theta, m)
        for a, b in pieces
    )


def simulated_failure(theta, m, eps, count, rng):
    u, w = rng.normal(size=(2, count, m))
    v = np.cos(theta) * u + np.sin(theta) * w
    u, v = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in (u, v))
    angle = 2 * np.arctan2(np.linalg.norm(u - v, axis=1), np.linalg.norm(u + v, axis=1))
    return np.mean(np.abs(angle / theta - 1) > eps)


# --- how many dimensions ------------------------------------------------------------------------


def test_known_numbers():
    assert spherical_jl_min_dim(1000, 0.25, 0.05) == 544
    assert spherical_jl_min_dim(1000, 0.25, 0.05, bound="theorem") == 81050
    assert spherical_jl_min_dim(1) == 2
    assert spherical_jl_min_dim(1, 0.2, bound="theorem") == 2


@pytest.mark.parametrize("n", [2, 30, 1000, 10**6])
@pytest.mark.parametrize("eps", [0.02, 0.1, 0.25, 0.5])
@pytest.mark.parametrize("delta", [1e-6, 0.05, 0.3])
def test_exact_is_the_smallest_that_a_union_bound_allows(n, eps, delta):
    pairs = n * (n - 1) / 2
    m = spherical_jl_min_dim(n, eps, delta)
    assert pairs * limit_failure(m, eps) <= delta
    assert pairs * limit_failure(m - 1, eps) > delta


@pytest.mark.parametrize("eps", [0.1, 0.25, 0.6, 0.75, 0.9, 0.99])
@pytest.mark.parametrize("delta", [0.09, 0.12, 0.17, 0.22, 0.25, 0.3, 0.5, 0.8])
def test_exact_holds_for_pairs_at_any_angle(eps, delta):
    """A single pair, where few dimensions do and the worst angle is not always a small one."""
    m = spherical_jl_min_dim(2, eps, delta)
    assert max(hotelling_failure(t, m, eps) for t in np.linspace(0.05, 3.1, 60)) <= delta


@pytest.mark.parametrize("n", [2, 100, 1000])
@pytest.mark.parametrize("eps", [0.05, 0.25])
def test_the_theorem_counts_all_lengths_of_its_proof(n, eps):
    """The points, and for each pair 6 points on the arc and 7 chords, at a precision of ε/8."""
    delta, s = 0.05, eps / 8
    count = n + 13 * n * (n - 1) // 2
    m = spherical_jl_min_dim(n, eps, delta, bound="theorem")

    def tail(m):
        return 2 * np.exp(-m * (s**2 / 4 - s**3 / 6))

    assert count * tail(m) <= delta < count * tail(m - 1)
    length = stats.chi2(m)
    off = length.cdf((1 - s) * m) + length.sf((1 + s) * m)
    assert count * off <= delta  # the true law of a squared length, which the bound estimates


def test_exact_saves_a_factor_of_more_than_fifty():
    exact, theorem = (spherical_jl_min_dim(1000, 0.25, 0.05, bound=b) for b in ("exact", "theorem"))
    assert 50 * exact < theorem


@pytest.mark.parametrize("bound", ["exact", "theorem"])
def test_dimensions_grow_with_points_precision_and_certainty(bound):
    def dims(name, values):
        options = {"n_samples": 500, "eps": 0.2, "delta": 0.05}
        return [spherical_jl_min_dim(**(options | {name: v}), bound=bound) for v in values]

    assert np.all(np.diff(dims("n_samples", [1, 2, 3, 10, 100, 1000, 10**6])) > 0)
    assert np.all(np.diff(dims("eps", [0.01, 0.02, 0.05, 0.1, 0.2, 0.25])) < 0)
    assert np.all(np.diff(dims("delta", [1e-9, 1e-3, 0.01, 0.05, 0.2, 0.9])) < 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_samples": 0}, "n_samples=0 must be an integer of at least 1"),
        ({"n_samples": 10.0}, "n_samples=10.0 must be an integer"),
        ({"eps": 0.0}, "eps=0.0 must be above 0 and below 1"),
        ({"eps": 1.0}, "eps=1.0 must be above 0 and below 1"),
        ({"eps": np.nan}, "eps=nan must be above 0"),
        ({"eps": "0.1"}, "eps='0.1' must be above 0"),
        ({"eps": 0.26, "bound": "theorem"}, "at most 0.25, as the theorem asks"),
        ({"delta": 0.0}, "delta=0.0 must be above 0 and below 1"),
        ({"delta": 1.0}, "delta=1.0 must be above 0 and below 1"),
        ({"bound": "best"}, "bound='best' is not known: use one of 'exact', 'theorem'"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        spherical_jl_min_dim(**({"n_samples": 10} | arguments))


# --- the law of one projected angle --------------------------------------------------------------


@pytest.mark.parametrize("m", [2, 3, 5, 20, 60])
@pytest.mark.parametrize("theta", [0.01, 0.5, 1.6, 2.6])
def test_pair_failure_is_what_simulation_finds(m, theta):
    """Within 4.5 standard errors: 20 cases, so that a right formula would pass with any seed."""
    count = 20_000
    expected = pair_failure(theta, m, 0.25)
    found = simulated_failure(theta, m, 0.25, count, np.random.default_rng([m, int(100 * theta)]))
    assert abs(found - expected) <= 4.5 * np.sqrt(expected * (1 - expected) / count) + 1 / count


@pytest.mark.parametrize(("m", "tolerance"), [(2, 1e-6), (3, 1e-8), (5, 1e-11), (60, 1e-11)])
@pytest.mark.parametrize("theta", [0.1, 0.78, 0.79, 1.6, 2.36, 3.1])
def test_pair_failure_agrees_with_hotellings_density(m, tolerance, theta):
    expected = hotelling_failure(theta, m, 0.2)
    assert pair_failure(theta, m, 0.2) == pytest.approx(expected, rel=0, abs=tolerance)


@pytest.mark.parametrize(("m", "tolerance"), [(2, 1e-6), (3, 1e-8), (60, 1e-11)])
@pytest.mark.parametrize("theta", [np.pi / 4, 3 * np.pi / 4])
def test_pair_failure_does_not_jump_where_the_variables_change(m, tolerance, theta):
    """At |cot θ| = 1 another pair of variables is integrated over."""
    below, above = theta - 1e-12, theta + 1e-12
    assert (abs(np.tan(below)) > 1) != (abs(np.tan(above)) > 1)
    jump = pair_failure(above, m, 0.25) - pair_failure(below, m, 0.25)
    assert jump == pytest.approx(0.0, abs=tolerance)


@pytest.mark.parametrize("m", [2, 3, 5, 60, 544])
@pytest.mark.parametrize("eps", [0.1, 0.25, 0.9])
def test_zero_stands_for_the_limit_of_small_angles(m, eps):
    limit = pair_failure(0.0, m, eps)
    assert limit == pytest.approx(limit_failure(m, eps), rel=1e-9)
    assert pair_failure(1e-5, m, eps) == pytest.approx(limit, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("m", [5, 8, 20, 60, 200])
@pytest.mark.parametrize("eps", [0.05, 0.25, 0.5, 0.9])
def test_small_angles_are_the_worst(m, eps):
    """The limit is an upper bound that nothing smaller would be; with fewer than 5 it is none."""
    limit = pair_failure(0.0, m, eps)
    angles = np.concatenate([[0.02, 0.05], np.linspace(0.1, np.pi - 0.001, 150)])
    failures = np.array([hotelling_failure(t, m, eps) for t in angles])
    assert failures.max() <= limit * (1 + 1e-9)
    assert failures[0] == pytest.approx(limit, rel=0.01)


def test_opposite_points_stay_opposite():
    assert pair_failure(np.pi, 10, 0.25) == pytest.approx(0.0, abs=1e-12)


def test_a_random_subspace_fails_no_more_often_than_gaussian_numbers():
    """Twenty of forty dimensions: with as many as there are, no angle would change."""
    d, m, eps, count = 40, 20, 0.25, 400
    for theta in (0.01, 1.0):
        pair = np.zeros((2, d))
        pair[:, 0], pair[1, 1] = (1.0, np.cos(theta)), np.sin(theta)
        failures = 0
        for seed in range(count):
            jl = SphericalRandomProjection(m, random_state=seed)
            failures += angular_distortion(pair, jl.fit_transform(pair)).largest > eps
        expected = pair_failure(theta, m, eps)
        assert failures / count <= expected + 4 * np.sqrt(expected * (1 - expected) / count)


# --- the paper's proof ---------------------------------------------------------------------------


def lower(x, eps):
    """What part 1 of the small-angle lemma says is not negative."""
    return (1 - eps) * np.sin(x) - np.sin((1 - 2 * eps) * x)


def upper(x, eps):
    """The same for part 2."""
    return np.sin((1 + 2 * eps) * x) - (1 + eps) * np.sin(x)


def first_failure(side):
    """The smallest x beyond the lemma's domain where it fails, over all ε, and that ε."""
    x = np.linspace(0.5, np.pi, 2000)
    found = []
    for eps in np.linspace(1e-5, 0.5, 500):
        negative = np.flatnonzero(side(x, eps) < 0)
        if negative.size:
            k = negative[0]
            found.append((brentq(side, x[k - 1], x[k], args=(eps,)), eps))
    return min(found)


@pytest.mark.parametrize("side", [lower, upper])
def test_the_small_angle_lemma_on_its_domain(side):
    x, eps = np.meshgrid(np.linspace(0.0, 0.7, 701), np.linspace(0.0, 0.5, 501))
    assert side(x, eps).min() >= -1e-16  # zero at x = 0 and at ε = 0


def test_where_the_small_angle_lemma_ends():
    """Part 2 ends where cos x = 3/4 (ε = ½), "slightly over 0.72"; part 1 at tan x = 2x (ε → 0)."""
    x, eps = first_failure(upper)
    assert (round(x, 3), eps) == (0.723, 0.5)
    assert x == pytest.approx(np.arccos(0.75))
    x, eps = first_failure(lower)
    assert (round(x, 3), round(eps, 4)) == (1.166, 0.0)
    assert x == pytest.approx(brentq(lambda x: np.tan(x) - 2 * x, 1.0, 1.3), rel=1e-4)


def test_the_numbers_of_the_proof():
    assert 2 * np.arcsin(0.25) < 0.7  # a chord of ½: the lemma may be used
    assert np.pi / 7 < 0.5  # six points more on an arc: seven short chords
    eps = np.linspace(0.0, 0.25, 1001)
    assert np.all((1 + eps / 8) / (1 - eps / 8) <= 1 + eps / 2)
    assert np.all((1 - eps / 8) / (1 + eps / 8) >= 1 - eps / 2)


# --- the theorem ---------------------------------------------------------------------------------


def half_close(n, d, seed=0):
    """Points of which half lie close together: small angles are the worst."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, d))
    points[n // 2 :] = points[0] + 0.05 * rng.normal(size=(n - n // 2, d))
    return points


@pytest.mark.parametrize(
    ("eps", "n", "d", "method"),
    [
        (0.1, 60, 2200, "gaussian"),
        (0.1, 20, 1600, "subspace"),
        (0.2, 100, 1000, "gaussian"),
        (0.2, 100, 1000, "subspace"),
        (0.25, 100, 1000, "gaussian"),
        (0.25, 100, 1000, "subspace"),
    ],
)
def test_all_angles_stay_within_eps(eps, n, d, method):
    points = half_close(n, d)
    for seed in range(3):
        jl = SphericalRandomProjection(eps=eps, method=method, random_state=seed)
        image = jl.fit_transform(points)
        assert image.shape[1] == spherical_jl_min_dim(n, eps) < d
        assert angular_distortion(points, image).largest <= eps


def test_a_fifth_of_the_dimensions_would_not_do():
    points = half_close(100, 1000)
    m = spherical_jl_min_dim(100, 0.2) // 5
    jl = SphericalRandomProjection(m, random_state=0)
    assert angular_distortion(points, jl.fit_transform(points)).largest > 0.2


@pytest.mark.slow
@pytest.mark.parametrize("method", ["subspace", "gaussian"])
def test_the_promise_of_auto(method):
    """In at least 1 − δ of the draws all of two million angles stay within ε."""
    eps, delta, draws = 0.25, 0.05, 200
    points = half_close(2000, 1000)
    kept = 0
    for seed in range(draws):
        jl = SphericalRandomProjection(eps=eps, delta=delta, method=method, random_state=seed)
        kept += angular_distortion(points, jl.fit_transform(points)).largest <= eps
    assert kept >= (1 - delta) * draws
