"""Starts in hyperbolic space are looked for at less curvature, where points pass each other."""

import numpy as np
import pytest

from unimds import Hyperbolic, place_center
from unimds.spaces import Euclidean, distances
from unimds.spaces.hyperbolic import boost


def a_tree(depth):
    """Return the numbers of edges between the nodes of a balanced binary tree."""
    nodes = [bin(i)[2:] for i in range(1, 2**depth)]
    common = [
        [next((k for k in range(len(a)) if a[: k + 1] != b[: k + 1]), len(a)) for b in nodes]
        for a in nodes
    ]
    length = np.array([len(node) for node in nodes])
    return length[:, None] + length - 2.0 * np.array(common)


@pytest.mark.parametrize("random_state", range(5))
def test_a_tree_does_not_end_tangled(random_state):
    result = place_center(a_tree(5), space="hyperbolic", random_state=random_state)
    assert result.cost < 22.0  # from the spectral seed alone it is 37


def test_points_of_a_flatter_space_keep_their_ways_from_the_mean():
    flat, space = Hyperbolic(0.01), Hyperbolic(4.0)
    X = flat.random(20, 2, 8.0, np.random.default_rng(0))
    bent = space.from_flatter(X, flat)
    space.check_points(bent, "bent")
    middle = np.array([[1.0, 0.0, 0.0]])
    centred = X @ boost(X)
    np.testing.assert_allclose(
        distances(middle, bent, space=space), distances(middle, centred, space=flat)
    )
    angles, kept = (np.arctan2(points[:, 2], points[:, 1]) for points in (bent, centred))
    np.testing.assert_allclose(angles, kept)


def test_only_strong_curvature_calls_for_a_flatter_space():
    assert Euclidean().flatter(1.0) is None
    assert Hyperbolic(0.1).flatter(1.0) is None
    assert Hyperbolic(1.0).flatter(1.0).curvature < 1.0
