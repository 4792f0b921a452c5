"""Pictures of properties, drift and two maps: what is drawn where."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.patches import FancyArrowPatch

from unimds import Hyperbolic
from unimds.interpret import drift_vectors, fit_properties, procrustes_test
from unimds.plots import plot_drift, plot_procrustes, plot_properties
from unimds.spaces import distances

RNG = np.random.default_rng(0)
NAMES = [f"p{i}" for i in range(12)]
X = pd.DataFrame(RNG.normal(size=(12, 2)) + 5.0, NAMES)
ABOUT = pd.DataFrame({"west": -X[0], "noise": RNG.normal(size=12), "side": ["a", "b"] * 6}, NAMES)


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def arrows(ax):
    """Return the ends of the arrows: their starts, and their tips."""
    ends = [p._posA_posB for p in ax.patches if isinstance(p, FancyArrowPatch)]
    return (np.array([end[k] for end in ends]) for k in (0, 1))


def texts(ax):
    return {text.get_text(): text for text in ax.texts}


def test_arrows_start_in_the_middle_and_are_as_long_as_the_fit_is_good():
    found = fit_properties(X, ABOUT, n_permutations=99, random_state=0)
    starts, tips = arrows(plot_properties(X, found))
    middle = X.to_numpy().mean(axis=0)
    assert np.allclose(starts, middle)
    farthest = np.linalg.norm(X.to_numpy() - middle, axis=1).max()
    assert np.allclose(tips[0] - middle, [-0.9 * farthest, 0.0], atol=1e-9)  # R² = 1
    assert np.linalg.norm(tips[1] - middle) == pytest.approx(
        0.9 * farthest * np.sqrt(found["noise"].r2)
    )


def test_names_stand_beside_tips_centroids_and_points():
    found = fit_properties(X, ABOUT, n_permutations=99, random_state=0)
    ax = plot_properties(X, found, title="T")
    seen = texts(ax)
    assert {"west", "side a", "side b", "p0"} <= set(seen)
    assert seen["west"].get_color() != seen["p0"].get_color()
    assert np.allclose(seen["side a"].xy, X.to_numpy()[::2].mean(axis=0))
    assert seen["west"].get_ha() == "right"  # beyond the tip, not on the arrow
    assert ax.get_title() == "T"


def test_poor_variables_and_names_can_be_left_out():
    found = fit_properties(X, ABOUT, n_permutations=99, random_state=0)
    assert found["noise"].p_value > 0.05
    ax = plot_properties(X, found, labels=False, p_max=0.05)
    assert set(texts(ax)) <= {"west", "side a", "side b"}
    assert "noise" not in texts(ax)
    constant = fit_properties(X, {"one": np.ones(12)}, n_permutations=0)
    assert not texts(plot_properties(X.to_numpy(), constant))


def test_a_map_of_three_dimensions_is_seen_in_its_principal_plane():
    Z = RNG.normal(size=(12, 3)) * [0.1, 5.0, 2.0]
    found = fit_properties(Z, {"second": Z[:, 1], "first": Z[:, 0]}, n_permutations=0)
    ax = plot_properties(Z, found)
    starts, tips = arrows(ax)
    lengths = np.linalg.norm(tips - starts, axis=1)
    assert lengths[0] > 0.8 * np.linalg.norm(Z - Z.mean(axis=0), axis=1).max()
    assert lengths[1] < 0.1 * lengths[0]  # it points out of the picture
    assert "principal coordinates" in ax.get_xlabel()
    with pytest.raises(ValueError, match="one dimension has no room"):
        plot_properties(Z[:, :1], fit_properties(Z[:, :1], {"a": Z[:, 0]}, n_permutations=0))


def test_drift_arrows_start_at_the_points():
    D = distances(X.to_numpy()) + RNG.uniform(size=(12, 12)) * ~np.eye(12, dtype=bool)
    found = drift_vectors(pd.DataFrame(D, NAMES, NAMES), X)
    ax = plot_drift(found, scale=2.0)
    starts, tips = arrows(ax)
    assert np.allclose(starts, X)
    assert np.allclose(tips - starts, 2.0 * found.vectors)
    assert "p3" in texts(ax)
    assert "asymmetric" in ax.get_xlabel()
    starts, tips = arrows(plot_drift(found, labels=False))
    reach = np.linalg.norm(X - X.mean(), axis=1).max()
    assert np.linalg.norm(tips - starts, axis=1).max() == pytest.approx(0.4 * reach)
    assert plot_drift(drift_vectors(distances(X.to_numpy()), X)) is not None  # nothing drifts


def test_two_maps_are_joined_point_by_point():
    other = X + 0.1 * RNG.normal(size=(12, 2))
    found = procrustes_test(X, other, n_permutations=0)
    ax = plot_procrustes(found, names=("before", "after"))
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["before", "after"]
    here, there = (np.asarray(dots.get_offsets()) for dots in ax.collections[-2:])
    assert np.allclose(here, found.points)
    assert np.allclose(there, found.moved)
    assert "p0" in texts(ax)


def test_two_maps_in_the_disk():
    space = Hyperbolic()
    A, B = (space.random(9, 2, 1.0, np.random.default_rng(seed)) for seed in (0, 1))
    ax = plot_procrustes(
        procrustes_test(A, B, space=space, n_permutations=0), labels=list("abcdefghi")
    )
    assert "a" in texts(ax)
    assert ax.get_legend() is not None
