"""Distances, logarithms and exponentials against independent formulas."""

from math import cosh, pi, sinh, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from scipy.special import logsumexp

from tests.support.formulas import (
    ALL,
    ROUND,
    SIZED,
    _wander,
    dist,
    exact_distance,
    exact_exp,
    exact_log,
    exp,
    log,
    minkowski,
    points,
)
from unimds import ChordalSphere, Hyperbolic, Simplex, Sphere
from unimds.spaces import distances
from unimds.spaces.base import measured

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


@given(st.floats(-150.0, -1e-9) | st.floats(1e-9, 1.0))
def test_compiled_angles_keep_all_digits(number):
    # close to 0 by their exponent, and over the half circle up to the antipode
    angle = 10.0**number if number < 0.0 else min(pi * number, pi)
    p, x = np.array([[1.0], [0.0]]), np.array([[np.cos(angle)], [np.sin(angle)]])
    near, far = (np.hypot(*(x[:, 0] + sign * p[:, 0]).astype(np.longdouble)) for sign in (-1, 1))
    want = 3.0 * 2.0 * np.arctan2(near, far)
    assert abs(measured(Sphere(radius=3.0), p, x)[0, 0] - want) <= 6 * np.spacing(float(want))


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


@pytest.mark.sample(9)
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


@pytest.mark.sample(4)
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
