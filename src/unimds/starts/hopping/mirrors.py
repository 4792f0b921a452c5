"""Mirror images of neighbours in a map.

Where a map is thin in some direction, minima differ by the side on which points lie: single ones,
or some that lie close together, are mirrored at the hyperplane in which the map is thin.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds.spaces.base import Space
from unimds.spaces.euclidean import Euclidean
from unimds.spaces.sphere import ChordalSphere, Sphere

Array = NDArray[Any]

MIRRORS = (Euclidean, Sphere, ChordalSphere)
"""Spaces in which a mirror image of a point is one of its points; not their subclasses."""

LOCAL = 0.5  # share of the mirrors that suit the points around; others suit the whole map
AROUND = 3  # times as many points around as are mirrored, and two more for each coordinate


def mirrored(space: Space, X: Array, rng: np.random.Generator) -> Array:
    """Return a map with a point, or some neighbours, mirrored: often one, at most half of all."""
    k, n = X.shape
    from_one = X - X[:, rng.integers(n), None]
    order = np.argsort(np.sum(from_one**2, axis=0), kind="stable")
    count = max(int((0.5 * n) ** rng.random()), 1)
    around = order[: AROUND * count + 2 * k] if rng.random() < LOCAL else order
    centre = X[:, around].mean(axis=1, keepdims=True) if type(space) is Euclidean else 0.0
    across = _thin(X[:, around] - centre, rng)
    X, group = X.copy(), order[:count]
    X[:, group] -= 2.0 * across * (across.T @ (X[:, group] - centre))
    return X


def _thin(X: Array, rng: np.random.Generator) -> Array:
    """Return one of the directions in which points spread, more often one of little spread."""
    _, directions = np.linalg.eigh(X @ X.T)
    which = int(len(X) * rng.random() ** 2)
    return np.asarray(directions[:, which, None])
