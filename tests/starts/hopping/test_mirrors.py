"""Mirror images of neighbours in a map."""

import numpy as np
import pytest

from tests.support.parts import name
from unimds.spaces import ChordalSphere, Euclidean, Sphere, distances
from unimds.starts.hopping.mirrors import mirrored


@pytest.mark.parametrize("space", [Euclidean(), Sphere(), ChordalSphere()], ids=name)
@pytest.mark.parametrize("seed", range(20))
def test_neighbours_are_mirrored_as_a_group(space, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(3, 12))
    X = X if isinstance(space, Euclidean) else X / np.linalg.norm(X, axis=0)
    kept = X.copy()
    Y = mirrored(space, X, rng)
    assert np.array_equal(X, kept)
    moved = (X != Y).any(axis=0)
    assert 1 <= moved.sum() <= 6
    before, after = X[:, moved], Y[:, moved]
    np.testing.assert_allclose(distances(before.T), distances(after.T), atol=1e-12)
    if not isinstance(space, Euclidean):
        np.testing.assert_allclose(np.linalg.norm(Y, axis=0), 1.0, rtol=1e-12)
    # all move across the same plane
    shifts = (after - before).T
    directions = np.linalg.svd(shifts)[1]
    assert directions[1:].max(initial=0.0) < 1e-9 * max(directions[0], 1e-3)


def test_points_close_together_go_together():
    rng = np.random.default_rng(0)
    corner = np.repeat(np.eye(3) * 10.0, 4, axis=1) + 0.1 * rng.normal(size=(3, 12))
    groups = np.arange(12) // 4
    for _ in range(50):
        moved = (mirrored(Euclidean(), corner, rng) != corner).any(axis=0)
        if moved.sum() <= 4:
            assert len(set(groups[moved])) == 1
