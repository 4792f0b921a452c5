"""Sizes, isometries, random points, names: what a space says besides its distance."""

from dataclasses import dataclass
from math import cosh, pi, sinh, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

from tests.support.formulas import (
    ALL,
    ROUND,
    SIZED,
    dist,
    exp,
    log,
    minkowski,
    points,
)
from unimds import ChordalSphere, Euclidean, Hyperbolic, Simplex, Space, Sphere
from unimds.spaces import SPACES, as_space, distances
from unimds.spaces.base import measured

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
    assert Hyperbolic(4.0).bend() == 2.0  # so steps are shortened there


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


@dataclass(frozen=True)
class Twice(Sphere):
    def pair(self, near, far, inner, gap):
        dist, slope, lean = Sphere.pair(self, near, far, inner, gap)
        return 2.0 * dist, slope, 0.5 * lean


@pytest.mark.parametrize("kind", [Euclidean, Sphere, ChordalSphere, Hyperbolic, Simplex])
def test_distances_by_a_shortcut_are_those_that_compiled_code_measures(kind):
    X = np.ascontiguousarray(points(kind(), 7).T)
    assert_allclose(kind().between(X, X), measured(kind(), X, X), rtol=1e-12, atol=1e-15)


def test_a_subclass_with_another_distance_inherits_no_shortcut():
    assert Twice.between is Space.between
    assert Sphere.between is not Space.between
