"""Two maps compared: scipy's disparity, moves that may not matter, and chance."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import procrustes
from scipy.stats import kstest

from unimds import ChordalSphere, Euclidean, Hyperbolic, Result, Simplex, Sphere, place_center
from unimds.interpret import procrustes_test
from unimds.spaces import distances

RNG = np.random.default_rng(0)
A = RNG.normal(size=(25, 2))
B = 4.0 * A @ [[0.6, -0.8], [0.8, 0.6]] + 0.8 * RNG.normal(size=(25, 2)) + 7.0
SPACES = [Euclidean(), Sphere(2.0), ChordalSphere(), Hyperbolic(0.5), Simplex()]
IDS = [type(space).__name__ for space in SPACES]


def some_points(space, n, seed=0):
    return space.random(n, 2, 0.5, np.random.default_rng(seed))


def named(labels):
    return pd.DataFrame(A[: len(labels)], list(labels))


def test_m2_is_the_disparity_of_scipy():
    found = procrustes_test(A, B, n_permutations=0)
    assert found.m2 == pytest.approx(procrustes(A, B)[2])
    assert found.correlation == pytest.approx(np.sqrt(1 - found.m2))
    size = np.linalg.norm(A - A.mean(axis=0))
    assert np.sum(found.residuals**2) == pytest.approx(found.m2 * size**2)
    assert found.rmse == pytest.approx(np.sqrt(np.mean(found.residuals**2)))
    assert np.isnan(found.p_value)


@given(st.floats(0.0, 6.3), st.floats(0.01, 100.0), st.floats(-50.0, 50.0), st.booleans())
def test_turning_mirroring_shifting_and_stretching_a_map_change_nothing(angle, size, shift, flip):
    Q = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    moved = size * (B * ([-1.0, 1.0] if flip else 1.0)) @ Q + shift
    before, after = (
        procrustes_test(A, each, n_permutations=9, random_state=0) for each in (B, moved)
    )
    assert after.m2 == pytest.approx(before.m2)
    assert after.p_value == before.p_value
    assert np.allclose(after.moved, before.moved, atol=1e-6)
    assert np.allclose(after.residuals, before.residuals, atol=1e-6)


@pytest.mark.parametrize("space", SPACES, ids=IDS)
def test_a_moved_map_is_the_same_map_in_every_space(space):
    X = some_points(space, 12)
    onto = some_points(space, 12, seed=1)
    moved = space.project_points(space.isometry(X, onto)(X))
    if isinstance(space, Simplex):  # a rotation leaves the simplex; a permutation does not
        moved = X[:, [2, 0, 1]]
    found = procrustes_test(X, moved, n_permutations=99, random_state=0, space=space)
    assert found.correlation == pytest.approx(1.0, abs=1e-9)
    assert found.p_value == 0.01
    assert np.allclose(distances(found.moved, space=space), distances(X, space=space), atol=1e-6)
    assert found.residuals.max() < 1e-6


@pytest.mark.parametrize("space", [Sphere(2.0), Hyperbolic(0.5)], ids=["sphere", "hyperbolic"])
def test_noise_lowers_the_agreement_and_other_maps_do_not_agree(space):
    X = some_points(space, 20)
    near = space.project_points(X + 0.02 * np.random.default_rng(2).normal(size=X.shape))
    how = {"n_permutations": 99, "random_state": 0, "space": space}
    same, other = (procrustes_test(X, each, **how) for each in (near, some_points(space, 20, 5)))
    assert 0.9 < same.correlation < 1.0
    assert same.p_value == 0.01
    assert other.correlation < 0.5
    assert other.p_value > 0.05


def test_without_stretching_maps_of_one_size_have_the_same_correlation():
    gap = A - A.mean(axis=0)
    same = (B - B.mean(axis=0)) / np.linalg.norm(B - B.mean(axis=0)) * np.linalg.norm(gap)
    stretched, rigid = (procrustes_test(A, same, scale=s, n_permutations=0) for s in (True, False))
    assert rigid.correlation == pytest.approx(stretched.correlation)
    assert rigid.scale == 1.0
    assert procrustes_test(A, B, scale=False, n_permutations=0).correlation < rigid.correlation


def test_a_line_lies_in_the_plane():
    line = A[:, :1]
    flat = np.column_stack([line, np.zeros(25)])
    found = procrustes_test(A, line, n_permutations=0)
    assert found.m2 == pytest.approx(procrustes(A, flat)[2])
    assert found.moved.shape == (25, 2)


@pytest.mark.slow
@pytest.mark.parametrize("space", [Euclidean(), Sphere()], ids=["plane", "sphere"])
def test_p_values_are_uniform_without_structure(space):
    rng = np.random.default_rng(3)
    n, count = (12, 250) if isinstance(space, Euclidean) else (8, 200)
    found = []
    for _ in range(count):
        X, Y = (space.random(n, 2, 1.0, rng) for _ in range(2))
        how = {"n_permutations": 59, "random_state": rng, "space": space}
        found.append(procrustes_test(X, Y, **how).p_value)
    assert kstest(found, "uniform").pvalue > 0.05


def test_points_are_matched_by_label_and_others_left_out():
    names = [f"p{i}" for i in range(25)]
    one, other = pd.DataFrame(A, names), pd.DataFrame(B, names).iloc[::-1]
    found = procrustes_test(one, other, n_permutations=0)
    assert found.m2 == pytest.approx(procrustes(A, B)[2])
    assert found.labels == names
    with pytest.warns(UserWarning, match="5 points are on one map only.*20 are compared"):
        some = procrustes_test(one, other.iloc[5:], n_permutations=9, strata=["a"] * 25)
    assert some.m2 == pytest.approx(procrustes(A[:20], B[:20])[2])
    assert list(some.to_frame().index) == names[:20]
    assert list(some.to_frame().columns) == ["x", "y", "x_moved", "y_moved", "residual"]


def test_results_know_their_space():
    X = some_points(Sphere(), 8)
    fit = place_center(distances(X, space="sphere"), 2, space="sphere", random_state=0)
    assert isinstance(fit, Result)
    found = procrustes_test(fit, X, n_permutations=0)
    assert isinstance(found.space, Sphere)
    assert found.correlation == pytest.approx(1.0, abs=1e-6)
    flat = place_center(distances(A[:8]), 2, random_state=0)
    with pytest.raises(ValueError, match="different spaces"):
        procrustes_test(fit, flat)


def test_the_outcome_is_told_in_words():
    found = procrustes_test(pd.DataFrame(A, [f"p{i}" for i in range(25)]), B, random_state=0)
    assert f"25 points: correlation {found.correlation:.4f}" in repr(found)
    assert f"'{found.labels[int(np.argmax(found.residuals))]}'" in repr(found)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: procrustes_test(A, B[:5]), "25 and 5 points: give maps of the same points"),
        (lambda: procrustes_test(A[:2], B[:2]), "2 points in common, and 3 are needed"),
        (lambda: procrustes_test(A, np.ones((25, 2))), "other: all points are in one place"),
        (
            lambda: procrustes_test(
                some_points(Sphere(), 5), some_points(Sphere(), 5), space="sphere", scale=True
            ),
            "cannot be stretched; leave scale out",
        ),
        (
            lambda: procrustes_test(
                pd.DataFrame(A, [f"p{i}" for i in range(25)]),
                pd.DataFrame(B, [f"q{i}" for i in range(25)]),
            ),
            "no point in common.*spell the labels alike",
        ),
        (
            lambda: procrustes_test(
                pd.DataFrame(A[:3], list("aab")), pd.DataFrame(B[:3], list("abc"))
            ),
            "'a' stands for several points",
        ),
    ],
)
def test_what_cannot_be_is_an_error_that_says_what_to_do(call, told):
    with pytest.raises(ValueError, match=told):
        call()
