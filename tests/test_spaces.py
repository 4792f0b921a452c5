"""The target spaces: distances, logarithms and exponentials against their formulas."""

from math import cosh, pi, sinh, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.spatial.distance import cdist
from scipy.special import logsumexp

from unimds import ChordalSphere, Euclidean, Hyperbolic, Simplex, Sphere
from unimds._part import kernel
from unimds.spaces import SPACES, as_space, distances

ROUND = [Sphere(), ChordalSphere(), Simplex(), Hyperbolic()]
ALL = [Euclidean(), *ROUND]
SIZED = [
    Euclidean(),
    Sphere(),
    Sphere(radius=6371.0),
    ChordalSphere(),
    ChordalSphere(radius=0.01),
    Hyperbolic(),
    Hyperbolic(curvature=0.04),
    Simplex(),
    Simplex(size=30.0),
]


@kernel
def _log(space, p, x, v):
    u, slope = np.empty(1), np.empty(1)
    space.measure(p, x, u, slope)
    space.gather(p, x, slope, v)
    space.project(p, v)


@kernel
def _exp(space, p, v):
    space.exp(p, v)


@kernel
def _wander(space, p, X, share):
    """Walk a share of the way to each column of X in turn."""
    v = np.empty(p.size)
    for j in range(X.shape[1]):
        _log(space, p, X[:, j : j + 1].copy(), v)
        for a in range(v.size):
            v[a] *= share
        space.exp(p, v)


def log(space, p, x):
    v = np.empty(len(p))
    _log(space, np.array(p, dtype=float), np.array(x, dtype=float)[:, None].copy(), v)
    return v


def exp(space, p, v):
    p = np.array(p, dtype=float)
    _exp(space, p, np.array(v, dtype=float))
    return p


def dist(space, x, y):
    return distances([x], [y], space=space)[0, 0]


def minkowski(x, y):
    return x[..., 1:] @ y[..., 1:] - x[..., 0] * y[..., 0]


def points(space, n, k=2, seed=0, spread=None):
    rng = np.random.default_rng(seed)
    return space.random(n, k, space.unit if spread is None else spread, rng)


# --- independent formulas, in extended precision where the platform has it -----------------------


def exact_distance(space, x, y):
    x, y = np.asarray(x, np.longdouble), np.asarray(y, np.longdouble)
    if isinstance(space, Sphere):
        return space.radius * np.arccos(np.clip(x @ y, -1, 1))
    if isinstance(space, ChordalSphere):
        return space.radius * np.sqrt(np.maximum(2 - 2 * (x @ y), 0))
    if isinstance(space, Simplex):  # Hellinger's, from the probabilities and not their roots
        return space.size * np.sqrt(np.maximum(1 - np.sum(np.sqrt(x**2 * y**2)), 0))
    if isinstance(space, Hyperbolic):
        return np.arccosh(np.maximum(-minkowski(x, y), 1)) / np.sqrt(space.curvature)
    return np.sqrt(np.sum((x - y) ** 2))


def exact_log(space, p, x):
    p, x = np.asarray(p, np.longdouble), np.asarray(x, np.longdouble)
    if isinstance(space, Sphere):
        angle = np.arccos(p @ x)
        return angle / np.sin(angle) * (x - np.cos(angle) * p)
    if isinstance(space, Hyperbolic):
        length = np.arccosh(-minkowski(p, x))
        return length / np.sinh(length) * (x - np.cosh(length) * p)
    return x - p


def exact_exp(space, p, v):
    p, v = np.asarray(p, np.longdouble), np.asarray(v, np.longdouble)
    if isinstance(space, Sphere):
        angle = np.linalg.norm(v)
        return np.cos(angle) * p + np.sin(angle) / angle * v
    if isinstance(space, Hyperbolic):
        length = np.sqrt(minkowski(v, v))
        return np.cosh(length) * p + np.sinh(length) / length * v
    if isinstance(space, ChordalSphere):
        return (p + v) / np.linalg.norm(p + v)
    if isinstance(space, Simplex):
        q = np.maximum(p + v, 0)
        return q / np.linalg.norm(q)
    return p + v


# --- distances -----------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("space", SIZED, ids=repr)
def test_distance_is_the_formula(space, k):
    X, Y = points(space, 20, k, seed=1), points(space, 15, k, seed=2)
    want = np.array([[float(exact_distance(space, x, y)) for y in Y] for x in X])
    assert_allclose(distances(X, Y, space=space), want, rtol=1e-9, atol=1e-9 * space.unit)


@pytest.mark.parametrize("space", SIZED, ids=repr)
def test_distances_to_each_other_are_a_metric_table(space):
    X = points(space, 12, 3)
    D = distances(X, space=space)
    assert_array_equal(np.diagonal(D), 0.0)
    assert_allclose(D, D.T, rtol=1e-13, atol=1e-13 * space.unit)
    assert_array_equal(D, distances(X, X, space=space))


@pytest.mark.parametrize("k", [1, 2, 7])
def test_euclidean_distances_are_those_of_scipy(k):
    rng = np.random.default_rng(k)
    X, Y = rng.normal(size=(30, k)), rng.normal(size=(20, k))
    assert_allclose(distances(X, Y), cdist(X, Y), rtol=1e-13)
    assert_allclose(distances(X), cdist(X, X), rtol=1e-13)


def test_chordal_distances_are_those_of_scipy():
    X, Y = points(Sphere(), 30, 3, seed=1), points(Sphere(), 20, 3, seed=2)
    got = distances(X, Y, space=ChordalSphere(radius=3.0))
    assert_allclose(got, 3.0 * cdist(X, Y), rtol=1e-13)


def test_geodesic_distances_are_the_haversine_formula():
    lat, lon = np.random.default_rng(0).uniform(-1.5, 1.5, size=(2, 25))
    X = np.column_stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)])
    haversine = (
        np.sin((lat[:, None] - lat) / 2) ** 2
        + np.cos(lat[:, None]) * np.cos(lat) * np.sin((lon[:, None] - lon) / 2) ** 2
    )
    want = 2 * 6371.0 * np.arcsin(np.sqrt(haversine))
    assert_allclose(distances(X, space=Sphere(radius=6371.0)), want, rtol=1e-12, atol=1e-11)


@pytest.mark.parametrize("angle", [1e-150, 1e-15, 1e-9, 1e-4, 1.0, 3.0])
def test_near_points_of_a_sphere_keep_all_digits(angle):
    # from the first axis, sin(angle) holds the angle to the last digit
    x = [np.cos(angle), np.sin(angle), 0.0]
    assert_allclose(dist(Sphere(radius=2.0), [1.0, 0.0, 0.0], x), 2.0 * angle, rtol=1e-14)


@pytest.mark.parametrize("gap", [0.0, 1e-15, 1e-9, 1e-7, 1e-3])
def test_near_antipodes_keep_all_digits(gap):
    x = [-np.cos(gap), np.sin(gap), 0.0]
    assert abs(dist(Sphere(), [1.0, 0.0, 0.0], x) - (pi - gap)) <= 2 * np.spacing(pi)


@pytest.mark.parametrize("angle", [1e-9, pi - 1e-9])
def test_extreme_angles_anywhere_are_right_to_rounding(angle):
    # coordinates are rounded to about 1e-16: so is the angle, where arccos would be off by 1e-8
    rng = np.random.default_rng(0)
    for _ in range(50):
        p, q = np.linalg.qr(rng.normal(size=(4, 2)).astype(float))[0].T
        x = np.cos(np.longdouble(angle)) * p + np.sin(np.longdouble(angle)) * q
        assert abs(dist(Sphere(), p, x.astype(float)) - angle) < 2e-15


@pytest.mark.parametrize("space", [Hyperbolic(), Hyperbolic(curvature=4.0)], ids=repr)
@pytest.mark.parametrize("length", [1e-150, 1e-15, 1e-9, 1e-3, 1.0, 10.0, 20.0, 40.0])
def test_hyperbolic_distance_from_the_origin(space, length):
    x = [cosh(length), sinh(length), 0.0]
    assert_allclose(dist(space, [1.0, 0.0, 0.0], x), length * space.unit, rtol=1e-13)


@pytest.mark.parametrize("length", [1e-9, 1.0, 20.0, 300.0])
def test_hyperbolic_distance_across_the_origin(length):
    x, y = [cosh(length), sinh(length), 0.0], [cosh(length), -sinh(length), 0.0]
    assert_allclose(dist(Hyperbolic(), x, y), 2 * length, rtol=1e-13)


def test_far_hyperbolic_points_at_a_right_angle():
    # the hyperbolic law of cosines: cosh c = cosh a · cosh b
    for a, b in ((1.0, 2.0), (10.0, 12.0), (19.0, 20.0)):
        x, y = [cosh(a), sinh(a), 0.0], [cosh(b), 0.0, sinh(b)]
        want = logsumexp([a, -a]) + logsumexp([b, -b]) - np.log(2.0)  # log(2 cosh a cosh b)
        want += np.log1p(np.sqrt(1.0 - 1.0 / (cosh(a) * cosh(b)) ** 2)) - np.log(2.0)
        assert_allclose(dist(Hyperbolic(), x, y), want, rtol=1e-12)


def test_simplex_distance_is_hellingers():
    P, Q = np.random.default_rng(0).dirichlet(np.ones(5), size=(2, 10))
    want = np.sqrt(0.5 * ((np.sqrt(P)[:, None] - np.sqrt(Q)[None]) ** 2).sum(axis=2))
    assert_allclose(distances(np.sqrt(P), np.sqrt(Q), space=Simplex()), want, rtol=1e-12)
    assert_allclose(distances(np.sqrt(P), np.sqrt(Q), space=Simplex(size=7.0)), 7.0 * want)


@pytest.mark.parametrize("scale", [1e150, 1e-150])
def test_euclidean_distances_at_extreme_scales(scale):
    X = np.random.default_rng(0).normal(size=(6, 3))
    assert_allclose(distances(X * scale), scale * cdist(X, X), rtol=1e-13)


def test_distances_takes_lists_and_integers():
    assert_array_equal(distances([[0, 0], [3, 4]]), [[0.0, 5.0], [5.0, 0.0]])
    assert distances(np.zeros((0, 2))).shape == (0, 0)
    assert distances(np.zeros((3, 2)), np.zeros((0, 2))).shape == (3, 0)


@pytest.mark.parametrize(
    ("X", "Y"), [([1.0, 2.0], None), ([[1.0, 2.0]], [[1.0]]), ([[1.0, 2.0]], [1.0, 2.0])]
)
def test_distances_refuses_what_is_no_table_of_points(X, Y):
    with pytest.raises(ValueError, match="same number of coordinates"):
        distances(X, Y)


# --- logarithms and exponentials -----------------------------------------------------------------


@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("space", SIZED, ids=repr)
def test_log_is_the_formula(space, k):
    for p, x in zip(points(space, 20, k, seed=1), points(space, 20, k, seed=2), strict=True):
        assert_allclose(log(space, p, x), exact_log(space, p, x).astype(float), atol=1e-8)


@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("space", SIZED, ids=repr)
def test_exp_is_the_formula(space, k):
    rng = np.random.default_rng(3)
    for p in points(space, 20, k, seed=1):
        v = rng.normal(size=p.size)
        space.project(p, v)
        v *= 0.9 / sqrt(abs(minkowski(v, v)) if isinstance(space, Hyperbolic) else v @ v)
        want = exact_exp(space, p, v).astype(float)
        assert_allclose(exp(space, p, v), want, rtol=1e-12, atol=1e-12 * np.abs(want).max())


@pytest.mark.parametrize("space", SIZED, ids=repr)
def test_exp_undoes_log(space):
    for p, x in zip(points(space, 20, 3, seed=1), points(space, 20, 3, seed=2), strict=True):
        assert_allclose(exp(space, p, log(space, p, x)), x, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("space", [Sphere(), Sphere(radius=5.0), Hyperbolic(), Hyperbolic(0.1)])
def test_log_is_tangent_and_as_long_as_the_way(space):
    for p, x in zip(points(space, 20, 3, seed=1), points(space, 20, 3, seed=2), strict=True):
        v = log(space, p, x)
        product = minkowski if isinstance(space, Hyperbolic) else np.dot
        assert abs(product(p, v)) < 1e-12 * max(1.0, p[0] ** 2)
        length = sqrt(product(v, v))
        assert_allclose(space.unit * length, dist(space, p, x), rtol=1e-11)


@pytest.mark.parametrize("angle", [1e-9, 1e-3, pi - 1e-3, pi - 1e-6])
def test_log_on_a_sphere_near_0_and_near_the_antipode(angle):
    p, q = np.linalg.qr(np.random.default_rng(0).normal(size=(4, 2)))[0].T
    x = np.cos(np.longdouble(angle)) * p + np.sin(np.longdouble(angle)) * q
    # the direction is known to rounding over the sine of the angle
    slack = angle * 1e-15 / np.sin(angle)
    assert_allclose(log(Sphere(), p, x.astype(float)), angle * q, atol=slack)


@pytest.mark.parametrize("space", ALL, ids=repr)
def test_log_to_the_point_itself_is_zero_and_leads_nowhere(space):
    for p in points(space, 5):
        assert_array_equal(log(space, p, p), 0.0)
        assert_allclose(exp(space, p, np.zeros(p.size)), p, rtol=1e-15)


def test_log_to_the_exact_antipode_is_finite():
    p = np.array([0.6, 0.0, 0.8])
    assert_array_equal(log(Sphere(), p, -p), 0.0)  # no direction is better than another


@pytest.mark.parametrize("length", [1e-150, 1e-9, 1.0, 10.0])
def test_hyperbolic_exp_from_the_origin(length):
    got = exp(Hyperbolic(), [1.0, 0.0, 0.0], [0.0, 0.0, length])
    assert_allclose(got, [cosh(length), 0.0, sinh(length)], rtol=1e-14)


def test_exp_on_the_sphere_goes_around():
    p, v = [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]
    for turns in (1, 3, 100):
        assert_allclose(exp(Sphere(), p, 2 * pi * turns * np.array(v)), p, atol=1e-12)
    assert_allclose(exp(Sphere(), p, pi * np.array(v)), [0.0, 0.0, -1.0], atol=1e-15)


def test_chordal_exp_without_a_direction_stays():
    assert_array_equal(exp(ChordalSphere(), [1.0, 0.0], [-1.0, 0.0]), [1.0, 0.0])


def test_simplex_exp_clips_and_falls_back_on_a_corner():
    assert_allclose(exp(Simplex(), [1.0, 0.0, 0.0], [0.0, 1.0, -1.0]), [sqrt(0.5), sqrt(0.5), 0])
    assert_array_equal(exp(Simplex(), [1.0, 0.0, 0.0], [-3.0, -1.0, -2.0]), [0.0, 1.0, 0.0])


@pytest.mark.parametrize("k", [1, 2, 10])
@pytest.mark.parametrize("space", ROUND, ids=repr)
def test_points_stay_on_the_space_after_a_long_walk(space, k):
    targets = np.ascontiguousarray(points(space, 20_000, k, seed=1).T)
    for share in (0.7, 1.4):  # 1.4 overshoots, off the simplex too
        p = points(space, 1, k, seed=2)[0].copy()
        _wander(space, p, targets, share)
        norm = -minkowski(p, p) if isinstance(space, Hyperbolic) else p @ p
        assert abs(norm - 1.0) <= 1e-12 * max(1.0, p[0] ** 2)
        if isinstance(space, Simplex):
            assert (p >= 0.0).all()
        if isinstance(space, Hyperbolic):
            assert p[0] > 0.0


# --- why a unit step descends --------------------------------------------------------------------


def bends(space, k, seed):
    """Return ½dist² after a step v, minus the parabola of curvature 1 that touches it before."""
    rng = np.random.default_rng(seed)
    p, y = space.random(2, k, 3.0, rng)
    v = rng.uniform(0.0, 3.0) * rng.normal(size=p.size) / sqrt(k)
    space.project(p, v)
    product = minkowski if isinstance(space, Hyperbolic) else np.dot
    parabola = 0.5 * dist(space, p, y) ** 2 - product(v, log(space, p, y)) + 0.5 * product(v, v)
    return 0.5 * dist(space, exp(space, p, v), y) ** 2 - parabola


@given(k=st.integers(1, 6), seed=st.integers(0, 2**32 - 1))
def test_half_the_squared_distance_bends_at_most_1_on_the_sphere(k, seed):
    assert bends(Sphere(), k, seed) <= 1e-9
    assert Sphere().unit_step_descends()


@given(k=st.integers(1, 6), seed=st.integers(0, 2**32 - 1))
def test_half_the_squared_distance_bends_exactly_1_in_the_plane(k, seed):
    assert abs(bends(Euclidean(), k, seed)) <= 1e-9
    assert Euclidean().unit_step_descends()


@given(k=st.integers(2, 6), seed=st.integers(0, 2**32 - 1))
def test_half_the_squared_distance_bends_at_least_1_in_hyperbolic_space(k, seed):
    assert bends(Hyperbolic(), k, seed) >= -1e-6
    assert not Hyperbolic().unit_step_descends()  # so steps must be checked there


def test_the_sphere_bends_less_than_1_and_hyperbolic_space_more():
    assert min(bends(Sphere(), 2, seed) for seed in range(20)) < -0.1
    assert max(bends(Hyperbolic(), 2, seed) for seed in range(20)) > 0.1


@pytest.mark.parametrize("space", [ChordalSphere(), Simplex()], ids=repr)
def test_the_chordal_step_is_the_exact_minimiser(space):
    rng = np.random.default_rng(0)
    others = points(space, 5000, 2, seed=1)
    for _ in range(20):
        centres, w = rng.normal(size=(6, 3)), rng.uniform(0.1, 1.0, size=6)
        cost = lambda x: float(w @ ((x - centres) ** 2).sum(axis=1))  # noqa: B023, E731
        p = points(space, 1, 2, seed=2)[0]
        best = exp(space, p, w @ (centres - p) / w.sum())
        assert cost(best) <= min(cost(x) for x in others) + 1e-12
        found = minimize(
            lambda x: cost(space.project_points(x[None])[0]),  # noqa: B023
            best + 0.01 * rng.normal(size=3),
            method="Nelder-Mead",
            options={"xatol": 1e-8, "fatol": 1e-12},
        )
        assert cost(best) <= found.fun + 1e-12
    assert space.unit_step_descends()


# --- sizes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("factor", [1e-3, 0.5, 4.0, 1e6])
@pytest.mark.parametrize("space", SIZED, ids=repr)
def test_scaled_multiplies_all_distances(space, factor):
    X = points(space, 8)
    Y = factor * X if space.scales_coordinates else X
    scaled = space.scaled(factor)
    assert_allclose(distances(Y, space=scaled), factor * distances(X, space=space), rtol=1e-12)
    assert type(scaled) is type(space)


@pytest.mark.parametrize("space", ROUND, ids=repr)
def test_sized_sets_the_unit(space):
    sized = space.sized(2.5)
    assert_allclose(sized.unit, 2.5, rtol=1e-15)
    X = points(space, 5)
    want = distances(X, space=space) * 2.5 / space.unit
    assert_allclose(distances(X, space=sized), want, rtol=1e-12)


def test_sizes_by_hand():
    assert (Sphere(2.0).unit, Sphere(2.0).diameter) == (2.0, 2.0 * pi)
    assert (ChordalSphere(2.0).unit, ChordalSphere(2.0).diameter) == (2.0, 4.0)
    assert (Hyperbolic(4.0).unit, Hyperbolic(4.0).diameter) == (0.5, np.inf)
    assert (Simplex(2.0).unit, Simplex(2.0).diameter) == (pytest.approx(sqrt(2.0)), 2.0)
    assert (Euclidean().unit, Euclidean().diameter) == (1.0, np.inf)
    assert Sphere(2.0).cut_locus() == 2.0 * pi
    assert Hyperbolic().cut_locus() == Euclidean().cut_locus() == np.inf


@pytest.mark.parametrize("space", [Sphere(3.0), ChordalSphere(3.0), Simplex(3.0)], ids=repr)
def test_no_two_points_are_further_apart_than_the_diameter(space):
    corners = np.eye(4) if isinstance(space, Simplex) else np.vstack([np.eye(4), -np.eye(4)])
    D = distances(np.vstack([points(space, 200, 3), corners]), space=space)
    assert_allclose(D.max(), space.diameter, rtol=1e-12)


def test_euclidean_space_has_no_size():
    with pytest.raises(TypeError, match="Euclidean has no size"):
        Euclidean().sized(2.0)


@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("space", ALL, ids=repr)
def test_number_of_coordinates(space, k):
    width = k if isinstance(space, Euclidean) else k + 1
    assert space.n_coordinates(k) == width
    assert points(space, 3, k).shape == (3, width)


# --- isometries ----------------------------------------------------------------------------------


def some_isometry(space, width, rng):
    """Return a random isometry as a function on rows of points."""
    Q = np.linalg.qr(rng.normal(size=(width, width)))[0]
    if isinstance(space, Euclidean):
        shift = rng.normal(size=width)
        return lambda X: X @ Q + shift
    if isinstance(space, Hyperbolic):
        turn = np.eye(width)
        turn[1:, 1:] = np.linalg.qr(rng.normal(size=(width - 1, width - 1)))[0]
        boost = np.eye(width)
        boost[:2, :2] = [[cosh(1.3), sinh(1.3)], [sinh(1.3), cosh(1.3)]]
        return lambda X: X @ turn @ boost @ turn
    if isinstance(space, Simplex):
        order = rng.permutation(width)
        return lambda X: X[:, order]
    return lambda X: X @ Q


@pytest.mark.parametrize("k", [1, 2, 4])
@pytest.mark.parametrize("space", ALL, ids=repr)
def test_isometry_finds_how_points_were_moved(space, k):
    rng = np.random.default_rng(k)
    X = points(space, 20, k)
    moved = some_isometry(space, X.shape[1], rng)(X)
    assert_allclose(distances(moved, space=space), distances(X, space=space), atol=1e-7)
    assert_allclose(space.isometry(X, moved)(X), moved, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("space", ALL, ids=repr)
def test_isometry_keeps_distances_whatever_it_is_to_match(space):
    X, Y = points(space, 12, 3, seed=1), points(space, 12, 3, seed=2)
    moved = space.isometry(X, Y)(X)
    assert_allclose(distances(moved, space=space), distances(X, space=space), atol=1e-7)


@pytest.mark.parametrize("space", ALL, ids=repr)
def test_isometry_of_one_point(space):
    X, Y = points(space, 1, seed=1), points(space, 1, seed=2)
    assert_allclose(space.isometry(X, Y)(X), Y, atol=1e-12)


# --- random points, projections, checks ----------------------------------------------------------


@pytest.mark.parametrize("space", SIZED, ids=repr)
def test_random_points_are_points_and_repeat(space):
    X = points(space, 50, 3, seed=5)
    space.check_points(X, "X")
    assert_array_equal(X, points(space, 50, 3, seed=5))
    assert not np.array_equal(X, points(space, 50, 3, seed=6))


@pytest.mark.parametrize(
    "space", [Euclidean(), Sphere(), Sphere(50.0), ChordalSphere(), Hyperbolic(), Hyperbolic(0.01)]
)
def test_random_points_are_about_the_spread_apart(space):
    spread = 0.3 * space.unit
    D = distances(points(space, 400, 2, spread=spread), space=space)
    assert np.sqrt(np.mean(D[np.triu_indices(400, 1)] ** 2)) == pytest.approx(spread, rel=0.1)


@pytest.mark.parametrize("space", [Sphere(), ChordalSphere()], ids=repr)
def test_a_large_spread_draws_from_all_the_sphere(space):
    X = points(space, 4000, 2, spread=100.0)
    assert_allclose(X.mean(axis=0), 0.0, atol=0.05)
    assert_allclose(X.T @ X / 4000, np.eye(3) / 3, atol=0.03)


def test_a_large_spread_stays_within_what_the_hyperboloid_can_hold():
    X = points(Hyperbolic(), 1000, 2, spread=1e9)
    assert np.isfinite(X).all()
    assert distances(X, space=Hyperbolic()).max() < 20.0


def test_random_distributions_are_uniform():
    P = points(Simplex(), 4000, 3) ** 2
    assert_allclose(P.sum(axis=1), 1.0)
    assert_allclose(P.mean(axis=0), 0.25, atol=0.02)


def test_project_points_brings_rows_back():
    assert_allclose(Sphere().project_points(np.array([[3.0, 4.0], [0, 0]])), [[0.6, 0.8], [1, 0]])
    assert_allclose(ChordalSphere().project_points(np.array([[0.0, -2.0]])), [[0.0, -1.0]])
    assert_allclose(Simplex().project_points(np.array([[-1.0, 0.5], [-1, -2]])), [[0, 1], [1, 0]])
    got = Hyperbolic().project_points(np.array([[7.0, 3.0, 4.0]]))
    assert_allclose(got, [[sqrt(26.0), 3.0, 4.0]])
    assert_array_equal(Euclidean().project_points(np.array([[7.0]])), [[7.0]])


@pytest.mark.parametrize("space", ROUND, ids=repr)
def test_project_points_leaves_its_input_alone(space):
    X = np.array([[1.0, -2.0, 3.0]])
    space.project_points(X)
    assert_array_equal(X, [[1.0, -2.0, 3.0]])


@pytest.mark.parametrize("space", ROUND, ids=repr)
def test_check_points_takes_rounded_points_only(space):
    X = points(space, 10)
    space.check_points(X + 1e-9, "X")
    space.check_points(X.astype(np.float32), "X")
    with pytest.raises(ValueError, match=r"seed: row 3 has .* = 1|seed: row 3 .* unit length"):
        space.check_points(np.vstack([X[:3], X[3:] * 1.001]), "seed")
    with pytest.raises(ValueError, match="seed: row 0"):
        space.check_points(np.full((1, 3), np.nan), "seed")


def test_check_points_tells_the_remedy():
    with pytest.raises(ValueError, match="divide each row by its length"):
        Sphere().check_points(np.array([[2.0, 0.0]]), "seed")
    with pytest.raises(ValueError, match="row 0 has a negative entry"):
        Simplex().check_points(np.array([[0.6, -0.8]]), "seed")
    with pytest.raises(ValueError, match="use from_poincare"):
        Hyperbolic().check_points(np.array([[0.5, 0.1]]), "seed")
    with pytest.raises(ValueError, match="t > 0"):
        Hyperbolic().check_points(np.array([[-1.25, 0.75]]), "seed")


# --- names and constructors ----------------------------------------------------------------------


def test_as_space_knows_the_names():
    got = {name: as_space(name) for name in SPACES}
    assert got == {
        "euclidean": Euclidean(),
        "sphere": Sphere(radius=1.0),
        "chordal_sphere": ChordalSphere(radius=1.0),
        "hyperbolic": Hyperbolic(curvature=1.0),
        "simplex": Simplex(size=1.0),
    }


def test_as_space_returns_a_space_itself():
    space = Sphere(radius=3.0)
    assert as_space(space) is space


@pytest.mark.parametrize("wrong", ["torus", "Sphere", "", 3, None, Sphere, ["sphere"]])
def test_as_space_names_the_choices(wrong):
    with pytest.raises(ValueError, match=r"space=.* is not known: use one of 'euclidean'"):
        as_space(wrong)


@pytest.mark.parametrize("size", [0.0, -1.0, np.nan, np.inf, "big", None, [1.0]])
@pytest.mark.parametrize(
    ("kind", "field"),
    [(Sphere, "radius"), (ChordalSphere, "radius"), (Hyperbolic, "curvature"), (Simplex, "size")],
)
def test_a_size_must_be_positive_or_auto(kind, field, size):
    with pytest.raises(ValueError, match=rf'{kind.__name__}\({field}=.*must be positive or "auto"'):
        kind(size)


@pytest.mark.parametrize("kind", [Sphere, ChordalSphere, Hyperbolic, Simplex])
def test_sizes_that_are_taken(kind):
    assert kind("auto").is_auto
    for size in (2, 2.0, np.float32(2.0), np.int64(2)):
        assert not kind(size).is_auto
        X = points(kind(2.0), 4)
        assert_array_equal(distances(X, space=kind(size)), distances(X, space=kind(2.0)))


@pytest.mark.parametrize("kind", [Sphere, ChordalSphere, Hyperbolic, Simplex])
def test_a_space_without_a_size_yet_cannot_measure(kind):
    with pytest.raises(ValueError, match='"auto"'):
        distances(points(kind(1.0), 3), space=kind("auto"))
