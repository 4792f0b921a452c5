"""The paper's JL lemma for spherical data: its key lemma, its theorem and our number of dimensions.

The law of a projected angle is checked against Hotelling's density of a sample correlation, a
single integral that the library does not use, and against simulation.
"""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats
from scipy.optimize import brentq
from scipy.special import gammaln, hyp2f1

from unimds import SphericalRandomProjection, angular_distortion, spherical_jl_min_dim
from unimds.distributions.bounds import pair_failure

NODES, WEIGHTS = np.polynomial.legendre.leggauss(200)


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


def angle_between(u, v):
    """Row by row, accurate for small angles and large ones."""
    u, v = (x / np.linalg.norm(x, axis=-1, keepdims=True) for x in (u, v))
    return 2 * np.arctan2(np.linalg.norm(u - v, axis=-1), np.linalg.norm(u + v, axis=-1))


def simulated_failure(theta, m, eps, count, rng):
    u, w = rng.normal(size=(2, count, m))
    v = np.cos(theta) * u + np.sin(theta) * w
    return np.mean(np.abs(angle_between(u, v) / theta - 1) > eps)


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


@pytest.mark.sample(16)
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
        ({"eps": 0.26, "bound": "theorem"}, "at most 0.25, as the theorem requires"),
        ({"delta": 0.0}, "delta=0.0 must be above 0 and below 1"),
        ({"delta": 1.0}, "delta=1.0 must be above 0 and below 1"),
        ({"bound": "best"}, "bound='best' is not known: use one of 'exact', 'theorem'"),
        ({"n_samples": 10**200}, "delta=0.05 divided by .* raise delta, or lower n_samples"),
        ({"n_samples": 10**400}, "divided by 10.800 pairs is too small"),
        ({"delta": 1e-300}, "delta=1e-300 divided by .* pairs is too small a probability"),
        ({"delta": 1e-300, "bound": "theorem"}, "delta=1e-300 divided by"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        spherical_jl_min_dim(**({"n_samples": 10} | arguments))


@pytest.mark.parametrize(("n", "delta"), [(10**100, 0.05), (10**50, 1e-150), (2, 1e-250)])
def test_as_many_points_as_anyone_might_ask_for(n, delta):
    """Up to probabilities of 1e-260 a pair, where the limit still has digits."""
    pairs = n * (n - 1) // 2
    m = spherical_jl_min_dim(n, 0.2, delta)
    assert pairs * limit_failure(m, 0.2) <= delta < pairs * limit_failure(m - 1, 0.2)
    theorem = spherical_jl_min_dim(n, 0.2, delta, bound="theorem")
    s = 0.2 / 8
    events = np.log(2.0) + np.log(float(n + 13 * pairs)) - np.log(delta)
    assert theorem == pytest.approx(events / (s**2 / 4 - s**3 / 6), rel=1e-6)


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


@pytest.mark.parametrize("theta", [0.5, 0.9, 1.6, 2.2, 2.5])
@pytest.mark.parametrize(("m", "eps"), [(60, 0.5), (300, 0.25), (1000, 0.1), (544, 0.25)])
def test_small_probabilities_keep_their_digits(theta, m, eps):
    """Down to 1e-16, where 1 − p would be 0, or rounding."""
    expected = hotelling_failure(theta, m, eps)
    assert expected < 0.05
    assert pair_failure(theta, m, eps) == pytest.approx(expected, rel=1e-5, abs=1e-20)


@pytest.mark.parametrize("theta", [1e-300, 1e-16, 1e-12, 1e-9, 3e-8, 1e-6, 1e-4])
@pytest.mark.parametrize("m", [3, 60, 544])
def test_angles_too_small_for_quadrature(theta, m):
    """cot θ of 1e300 leaves no digits to integrate with; the limit stands for it."""
    assert pair_failure(theta, m, 0.25) == pytest.approx(limit_failure(m, 0.25), rel=1e-5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"theta": -0.1}, "theta=-0.1 must be an angle from 0 to pi"),
        ({"theta": 3.2}, "theta=3.2 must be an angle"),
        ({"theta": np.nan}, "theta=nan must be an angle"),
        ({"n_components": 1}, "n_components=1 must be an integer of at least 2"),
        ({"n_components": 9.5}, "n_components=9.5 must be an integer"),
        ({"eps": 0.0}, "eps=0.0 must be a positive number"),
        ({"eps": np.inf}, "eps=inf must be a positive number"),
    ],
)
def test_bad_arguments_of_pair_failure(arguments, message):
    with pytest.raises(ValueError, match=message):
        pair_failure(**({"theta": 1.0, "n_components": 10, "eps": 0.1} | arguments))


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


@pytest.mark.slow
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


SMALL = [(2, 3), (2, 5), (3, 4), (5, 6), (5, 8), (8, 9), (8, 20)]
"""Subspaces of few dimensions in spaces of few, where the laws differ most: (m, d)."""


def subspace_limit_failure(m, d, eps):
    """The limit of small angles for a random subspace: a ratio of independent betas."""
    U2, V2 = stats.beta(m / 2, (d - m) / 2), stats.beta((m - 1) / 2, (d - m) / 2)
    u2 = U2.ppf((NODES + 1) / 2)
    outside = V2.cdf((1 - eps) ** 2 * u2) + V2.sf((1 + eps) ** 2 * u2)
    return WEIGHTS @ outside / 2


@pytest.mark.sample(1)
@pytest.mark.parametrize(("m", "d"), SMALL)
def test_the_law_of_a_random_subspace(m, d):
    """U² and V² are independent betas, narrower for their mean than χ².

    Drawn by the estimator itself, so that a basis that is not uniform would be noticed.
    """
    count = 1500
    x, across = np.linalg.qr(np.random.default_rng(0).normal(size=(d, 2)))[0].T
    U2, V2 = np.empty(count), np.empty(count)
    for seed in range(count):
        basis = SphericalRandomProjection(m, random_state=seed).fit(x[None]).components_
        u, w = basis @ x, basis @ across
        U2[seed] = u @ u
        V2[seed] = w @ w - (w @ u) ** 2 / U2[seed]
    laws = stats.beta(m / 2, (d - m) / 2), stats.beta((m - 1) / 2, (d - m) / 2)
    assert stats.kstest(U2, laws[0].cdf).pvalue > 1e-3
    assert stats.kstest(V2, laws[1].cdf).pvalue > 1e-3
    assert abs(stats.spearmanr(U2, V2).statistic) < 4.0 / np.sqrt(count)
    for law, freedom in zip(laws, (m, m - 1), strict=True):
        gaussian = stats.chi2(freedom)
        assert law.std() / law.mean() < gaussian.std() / gaussian.mean()
    for eps in (0.1, 0.25, 0.5):
        expected = subspace_limit_failure(m, d, eps)
        found = np.mean(np.abs(np.sqrt(V2 / U2) - 1) > eps)
        assert abs(found - expected) <= 4 * np.sqrt(expected * (1 - expected) / count)


@pytest.mark.parametrize("eps", [0.05, 0.25, 0.5, 0.9])
def test_small_angles_in_a_subspace_fail_less_often(eps):
    """In the limit of small angles, from two dimensions on, up to one less than there are."""
    for m in (2, 3, 5, 8, 20, 60):
        for d in (m + 1, m + 2, 2 * m, 10 * m):
            assert subspace_limit_failure(m, d, eps) < pair_failure(0.0, m, eps)


@pytest.mark.sample(3)
@pytest.mark.parametrize(("m", "d"), SMALL)
def test_no_angle_in_a_subspace_fails_more_often(m, d):
    """By simulation: a random pair and a fixed subspace are as good as the reverse."""
    count, rng = 20_000, np.random.default_rng([m, d])
    x, w = rng.normal(size=(2, count, d))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    w -= np.sum(x * w, axis=1, keepdims=True) * x
    w /= np.linalg.norm(w, axis=1, keepdims=True)
    for theta in (0.01, 0.5, 1.0, 1.6, 2.4):
        angle = angle_between(x[:, :m], (np.cos(theta) * x + np.sin(theta) * w)[:, :m])
        for eps in (0.1, 0.25, 0.5):
            failures = np.mean(np.abs(angle / theta - 1) > eps)
            expected = pair_failure(theta, m, eps)
            error = np.sqrt(expected * (1 - expected) / count)
            assert failures <= expected + 4 * error + 1 / count


# --- the paper's proof, and how it is repaired ----------------------------------------------------


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


def test_lengths_and_the_chord_do_not_bound_an_angle_from_below():
    """Where the paper's proof fails: all three are kept at ε/8, and the angle is lost."""
    eps, theta = 0.25, 0.01
    s = eps / 8
    x, y = np.array([1.0, 0.0]), np.array([np.cos(theta), np.sin(theta)])
    image = np.array([[1.0, 0.0], [1.01, 0.0]])
    A = np.linalg.solve(np.array([x, y]), image).T  # there is such a linear map
    np.testing.assert_allclose([A @ x, A @ y], image, atol=1e-13)
    for vector in (x, y, y - x):
        assert abs(np.sum((A @ vector) ** 2) / np.sum(vector**2) - 1) < s
    assert angle_between(A @ x, A @ y) == pytest.approx(0.0, abs=1e-12)
    w, v = (y + x) / np.linalg.norm(y + x), (y - x) / np.linalg.norm(y - x)
    kept = [np.sum((A @ z) ** 2) for z in (w, v, (w + v) / np.sqrt(2))]
    assert max(np.abs(np.array(kept) - 1)) > s  # which the repaired proof does not let pass


matrices = arrays(np.float64, (2, 2), elements=st.floats(-10, 10)).filter(
    lambda A: np.linalg.svd(A, compute_uv=False)[1] > 1e-3
)


@given(matrices, st.floats(0.0, 2 * np.pi), st.floats(1e-3, np.pi))
def test_a_linear_map_of_a_plane_changes_angles_by_its_condition_at_most(A, start, theta):
    """dθ̂/dθ = |det A| / ‖Au‖², which lies between σ₂/σ₁ and σ₁/σ₂."""
    u, v = (np.array([np.cos(t), np.sin(t)]) for t in (start, start + theta))
    condition = np.linalg.cond(A)
    ratio = angle_between(A @ u, A @ v) / theta
    assert 1 / condition * (1 - 1e-6) <= ratio <= condition * (1 + 1e-6)


@given(matrices, st.floats(0.0, 2 * np.pi))
def test_how_fast_the_image_of_a_direction_turns(A, start):
    h = 1e-4
    u, left, right = (
        np.array([np.cos(t), np.sin(t)]) for t in (start, start - h / 2, start + h / 2)
    )
    speed = abs(np.linalg.det(A)) / np.sum((A @ u) ** 2)
    turned = angle_between(A @ left, A @ right)
    # the curve is smooth on the scale of σ₂/σ₁, which may be small
    if h * np.linalg.cond(A) < 1e-2:
        assert turned / h == pytest.approx(speed, rel=1e-3)


@pytest.mark.parametrize("s", [1 / 400, 1 / 32, 0.1, 0.3])
def test_three_lengths_bound_the_map_of_a_plane(s):
    """Those of w, v and (w + v)/√2 within 1 ± s: eigenvalues within 1 ± 3s, and no better.

    Their ratio is at most (1 + s)/(1 − 3s), which is attained as well.
    """
    grid = 1 + s * np.linspace(-1, 1, 41)
    a, b, c = np.meshgrid(grid, grid, grid)  # the squared lengths of the three images
    product = c - (a + b) / 2
    gram = np.stack([np.stack([a, product], -1), np.stack([product, b], -1)], -1)
    values = np.linalg.eigvalsh(gram)
    assert values.max() == pytest.approx(1 + 3 * s, rel=1e-12)
    assert values.min() == pytest.approx(1 - 3 * s, rel=1e-12)
    ratio = values[..., 1] / values[..., 0]
    assert ratio.max() == pytest.approx((1 + s) / (1 - 3 * s), rel=1e-12)


def test_the_constants_of_the_repaired_proof():
    """At ε/8, for 3 lengths a pair: fewer than the theorem counts, and enough for 1 ± ε."""
    eps = np.linspace(0.0, 0.25, 1001)
    s = eps / 8
    factor = np.sqrt((1 + 3 * s) / (1 - 3 * s))
    assert np.all(factor <= 1 + eps)
    assert np.all(1 / factor >= 1 - eps)
    for n in (2, 3, 10, 1000, 10**6):
        pairs = n * (n - 1) // 2
        assert 3 * pairs < n + 13 * pairs


def test_what_the_repaired_proof_needs_by_itself():
    """The largest s with (1 + s)/(1 − 3s) ≤ (1 + ε)², for 3 lengths a pair: the page's 7,841."""
    n, eps, delta = 1000, 0.25, 0.05
    s = eps * (2 + eps) / (4 + 6 * eps + 3 * eps**2)
    assert np.sqrt((1 + s) / (1 - 3 * s)) == pytest.approx(1 + eps, rel=1e-12)
    count = 3 * n * (n - 1) // 2
    assert int(np.ceil(np.log(2 * count / delta) / (s**2 / 4 - s**3 / 6))) == 7841


@pytest.mark.slow
def test_the_repaired_proof_end_to_end():
    """Where the three lengths of each pair are kept, so are the angles: random plane maps."""
    rng = np.random.default_rng(0)
    eps = 0.25
    s = eps / 8
    tried = 0
    while tried < 2000:
        A = np.eye(2) + 0.04 * rng.normal(size=(2, 2))
        theta = rng.choice([1e-6, 0.01, 0.5, 1.6, 3.0])
        x, y = (np.array([np.cos(t), np.sin(t)]) for t in (0.0, theta))
        w, v = (y + x) / np.linalg.norm(y + x), (y - x) / np.linalg.norm(y - x)
        if any(abs(np.sum((A @ z) ** 2) - 1) > s for z in (w, v, (w + v) / np.sqrt(2))):
            continue
        tried += 1
        # the bound of the page is tighter than ε: √((1 + s)/(1 − 3s)) is 1.067
        assert abs(angle_between(A @ x, A @ y) / theta - 1) <= np.sqrt((1 + s) / (1 - 3 * s)) - 1


# --- the theorem ---------------------------------------------------------------------------------


def half_close(n, d, seed=0):
    """Points of which half lie close together: small angles are the worst."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, d))
    points[n // 2 :] = points[0] + 0.05 * rng.normal(size=(n - n // 2, d))
    return points


@pytest.mark.sample(2)
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


@pytest.mark.parametrize("eps", [1.0, 1.5])
@pytest.mark.parametrize("theta", [0.3, 1.2])
def test_an_error_of_the_whole_angle_can_only_be_of_growth(eps, theta):
    share = simulated_failure(theta, 5, eps, 200_000, np.random.default_rng(0))
    assert pair_failure(theta, 5, eps) == pytest.approx(share, abs=5 * np.sqrt(share / 200_000))
