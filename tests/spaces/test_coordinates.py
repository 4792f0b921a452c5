"""Latitude and longitude, the Poincaré ball: conversions against known places and formulas."""

from math import cosh, sinh, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from unimds import Hyperbolic, Sphere
from unimds.spaces import (
    distances,
    from_latlon,
    from_poincare,
    in_coordinates,
    to_latlon,
    to_poincare,
)

EARTH = Sphere(radius=6371.0)

# --- latitude and longitude ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("latlon", "point"),
    [
        ((0, 0), (1, 0, 0)),
        ((0, 90), (0, 1, 0)),
        ((0, -90), (0, -1, 0)),
        ((0, 180), (-1, 0, 0)),
        ((90, 0), (0, 0, 1)),
        ((-90, 123), (0, 0, -1)),
        ((45, 45), (0.5, 0.5, sqrt(0.5))),
        ((30, 0), (sqrt(0.75), 0, 0.5)),
    ],
)
def test_known_points_of_the_sphere(latlon, point):
    assert_allclose(from_latlon([latlon]), [point], atol=1e-15)


@given(lat=st.floats(-89.999, 89.999), lon=st.floats(-179.999, 179.999))
def test_latlon_there_and_back(lat, lon):
    assert_allclose(to_latlon(from_latlon([[lat, lon]])), [[lat, lon]], rtol=1e-11, atol=1e-11)


@given(X=arrays(float, (4, 3), elements=st.floats(-1, 1)))
def test_unit_vectors_there_and_back(X):
    lengths = np.linalg.norm(X, axis=1, keepdims=True)
    X = np.where(lengths > 1e-3, X / np.maximum(lengths, 1e-3), [1.0, 0.0, 0.0])
    assert_allclose(from_latlon(to_latlon(X)), X, atol=1e-14)


@given(lat=st.floats(-90, 90), lon=st.floats(-720, 720))
def test_latlon_gives_unit_vectors_that_repeat_every_turn(lat, lon):
    X = from_latlon([[lat, lon]])
    assert_allclose(np.linalg.norm(X, axis=1), 1.0, rtol=1e-15)
    assert_allclose(from_latlon([[lat, lon + 360.0]]), X, atol=1e-14)


@pytest.mark.parametrize("lat", [90.0, -90.0])
def test_poles_are_exact(lat):
    assert_array_equal(to_latlon([[0.0, 0.0, lat / 90.0]]), [[lat, 0.0]])
    back = to_latlon(from_latlon([[lat, 77.0]]))
    assert_allclose(back[:, 0], lat, rtol=1e-15)


@pytest.mark.parametrize("gap", [1e-5, 1e-9, 1e-12])
def test_latitudes_near_a_pole_keep_their_digits(gap):
    # asin would have lost them: the third coordinate is 1 to the last digit
    angle = np.radians(gap)
    lat = to_latlon([[np.sin(angle), 0.0, np.cos(angle)]])[0, 0]
    assert abs(lat - (90.0 - gap)) <= 2 * np.spacing(90.0)


def test_longitudes_end_at_180():
    lon = to_latlon([[-1.0, 0.0, 0.0], [-1.0, 1e-17, 0.0], [-1.0, -1e-17, 0.0]])[:, 1]
    assert_allclose(np.abs(lon), 180.0)


def test_known_distances_on_earth():
    # Nashville to Los Angeles, the usual example of the haversine formula
    airports = from_latlon([[36.12, -86.67], [33.94, -118.40]])
    got = distances(airports, space=Sphere(radius=6372.8))[0, 1]
    assert_allclose(got, 2887.2599506071106, rtol=1e-12)
    # a degree along a meridian, a quarter of the equator, from pole to pole
    places = from_latlon([[10, 20], [11, 20], [0, 0], [0, 90], [90, 5], [-90, 60]])
    D = distances(places, space=EARTH)
    assert_allclose(
        [D[0, 1], D[2, 3], D[4, 5]], np.array([1 / 180, 0.5, 1]) * np.pi * 6371, rtol=1e-12
    )


def test_latlon_takes_lists_and_integers_and_leaves_its_input_alone():
    latlon = np.array([[10.0, 20.0], [30.0, 40.0]])
    before = latlon.copy()
    assert_array_equal(from_latlon(latlon), from_latlon([[10, 20], [30, 40]]))
    assert_array_equal(latlon, before)


@pytest.mark.parametrize(
    ("latlon", "message"),
    [
        ([[120.0, 30.0]], "row 0 has latitude 120, outside −90…90; the columns are latitude"),
        ([[0.0, 0.0], [-91.0, 0.0]], "row 1 has latitude -91"),
        ([10.0, 20.0], r"latlon must be rows of 2 numbers; its shape is \(2,\)"),
        ([[1.0, 2.0, 3.0]], r"latlon must be rows of 2 numbers; its shape is \(1, 3\)"),
        ([[np.nan, 0.0]], "latlon has a value that is not finite"),
        ([[0.0, np.inf]], "latlon has a value that is not finite"),
    ],
    ids=["swapped", "south", "flat", "width", "NaN", "infinite"],
)
def test_from_latlon_says_what_is_wrong(latlon, message):
    with pytest.raises(ValueError, match=message):
        from_latlon(latlon)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[1.0, 1.0, 0.0]], "X: row 0 has length 1.41421, but points of S² have unit length"),
        ([[0.0, 0.0, 0.0]], "divide each row by its length"),
        ([[1.0, 0.0]], r"X must be rows of 3 numbers; its shape is \(1, 2\)"),
        ([1.0, 0.0, 0.0], r"X must be rows of 3 numbers; its shape is \(3,\)"),
        ([[np.nan, 0.0, 1.0]], "X has a value that is not finite"),
    ],
    ids=["length", "zero", "width", "flat", "NaN"],
)
def test_to_latlon_says_what_is_wrong(X, message):
    with pytest.raises(ValueError, match=message):
        to_latlon(X)


# --- the Poincaré ball ---------------------------------------------------------------------------


def poincare_distances(Y):
    square = (Y**2).sum(axis=1)
    gap = ((Y[:, None] - Y[None]) ** 2).sum(axis=2)
    return np.arccosh(1 + 2 * gap / np.outer(1 - square, 1 - square))


@pytest.mark.parametrize("length", [0.0, 1e-9, 0.5, 1.0, 3.0, 10.0])
def test_distance_from_the_centre(length):
    # hyperbolic distance s from the centre is Euclidean distance tanh(s/2)
    X = np.array([[cosh(length), sinh(length), 0.0]])
    Y = np.array([[np.tanh(length / 2), 0.0]])
    assert_allclose(to_poincare(X), Y, rtol=1e-14)
    assert_allclose(from_poincare(Y), X, rtol=1e-11)


@given(Y=arrays(float, (5, 3), elements=st.floats(-0.57, 0.57)))
def test_poincare_there_and_back(Y):
    assert_allclose(to_poincare(from_poincare(Y)), Y, atol=1e-14)


@given(v=arrays(float, (5, 2), elements=st.floats(-50, 50)))
def test_hyperboloid_there_and_back(v):
    X = np.column_stack([np.sqrt(1 + (v**2).sum(axis=1)), v])
    Y = to_poincare(X)
    assert (np.linalg.norm(Y, axis=1) < 1.0).all()
    assert_allclose(from_poincare(Y), X, rtol=1e-11, atol=1e-11)


@given(Y=arrays(float, (5, 2), elements=st.floats(-0.69, 0.69)))
def test_from_poincare_gives_points_of_the_hyperboloid(Y):
    X = from_poincare(Y)
    Hyperbolic().check_points(X, "X")
    assert_allclose(X[:, 0] ** 2 - (X[:, 1:] ** 2).sum(axis=1), 1.0, rtol=1e-9)


def test_distances_are_those_of_the_ball():
    Y = np.random.default_rng(0).uniform(-0.5, 0.5, size=(20, 3))
    got = distances(from_poincare(Y), space=Hyperbolic())
    assert_allclose(got, poincare_distances(Y), rtol=1e-9, atol=1e-7)


def test_the_ball_does_not_depend_on_the_curvature():
    Y = np.random.default_rng(0).uniform(-0.5, 0.5, size=(5, 2))
    got = distances(from_poincare(Y), space=Hyperbolic(curvature=0.25))
    assert_allclose(got, 2.0 * poincare_distances(Y), rtol=1e-9, atol=1e-7)


@pytest.mark.parametrize(
    ("Y", "message"),
    [
        ([[0.0, 0.0], [1.0, 0.0]], "Y: row 1 has length 1, not inside the unit ball"),
        ([[3.0, 4.0]], "Y: row 0 has length 5, not inside the unit ball"),
        ([0.1, 0.2], r"Y must be a table of rows; its shape is \(2,\)"),
        ([[np.nan, 0.0]], "Y has a value that is not finite"),
    ],
    ids=["boundary", "outside", "flat", "NaN"],
)
def test_from_poincare_says_what_is_wrong(Y, message):
    with pytest.raises(ValueError, match=message):
        from_poincare(Y)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[1.0, 1.0]], "X: row 0 has t² − ‖x‖² = 0 and t = 1, but points of the hyperboloid"),
        ([[-1.25, 0.75]], "t > 0"),
        ([1.0, 0.0], r"X must be a table of rows; its shape is \(2,\)"),
        ([[np.inf, 0.0]], "X has a value that is not finite"),
    ],
    ids=["light cone", "lower sheet", "flat", "infinite"],
)
def test_to_poincare_says_what_is_wrong(X, message):
    with pytest.raises(ValueError, match=message):
        to_poincare(X)


# --- coordinates by name --------------------------------------------------------------------------


def test_maps_of_hyperbolic_space_begin_with_time():
    X = from_poincare([[0.1, 0.2], [-0.3, 0.4]])
    names, values = in_coordinates(X, "hyperbolic")
    assert names == ["t", "x", "y"]
    assert_array_equal(values, X)
    assert in_coordinates(X, "hyperbolic", "hyperboloid")[0] == names
    names, values = in_coordinates(X, "hyperbolic", "poincare")
    assert names == ["poincare_x", "poincare_y"]
    assert_allclose(from_poincare(values), X)
    high = from_poincare(np.full((1, 5), 0.1))
    assert in_coordinates(high, "hyperbolic")[0] == ["t", "x1", "x2", "x3", "x4", "x5"]
    assert in_coordinates(high, "hyperbolic", "poincare")[0][0] == "poincare_x1"


@pytest.mark.parametrize("space", ["sphere", "chordal_sphere"])
def test_maps_of_a_sphere_as_latitude_and_longitude(space):
    X = from_latlon([[48.4, 10.0], [-33.9, 151.2]])
    assert in_coordinates(X, space)[0] == ["x", "y", "z"]
    for points in (X, X.astype(np.float32)):
        names, values = in_coordinates(points, space, "latlon")
        assert names == ["latitude", "longitude"]
        assert_allclose(values, [[48.4, 10.0], [-33.9, 151.2]], atol=1e-4)


def test_single_precision_becomes_points_of_the_disk():
    X = from_poincare([[0.9, 0.3], [-0.3, 0.4]]).astype(np.float32)
    assert_allclose(in_coordinates(X, "hyperbolic", "poincare")[1], [[0.9, 0.3], [-0.3, 0.4]], 1e-4)


@pytest.mark.parametrize(
    ("X", "space", "name", "message"),
    [
        (np.eye(2), "euclidean", "poincare", "needs a map in hyperbolic space.*auto or cartesian"),
        (np.eye(4), "sphere", "latlon", "needs a map of two dimensions on a sphere.*3 dimensions"),
        (
            from_poincare(np.eye(2) / 2),
            "hyperbolic",
            "cartesian",
            "use auto or hyperboloid or poin",
        ),
        (np.eye(2), "euclidean", "polar", "'polar' is unknown; use one of auto, cartesian"),
        (2.0 * np.eye(3), "sphere", "latlon", "row 0"),
        (np.ones(3), "sphere", "latlon", "table of rows"),
    ],
)
def test_coordinates_that_do_not_suit(X, space, name, message):
    with pytest.raises(ValueError, match=message):
        in_coordinates(X, space, name)
