"""Where to begin on a circle: angles that no move of a single point improves.

Points on a circle do not pass each other in a descent, so that the order of the start decides. Here
every point in turn jumps to the best of many angles, wherever that is, from random angles on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Cost = Callable[[Array, Array], Array]
"""The loss of distances and given distances, element by element; zero where one is missing."""

ANGLES, SWEEPS = 72, 30
MOST, FEWEST, WORK = 60, 2, 2e4  # starts, and pairs that all of them may have together
KEPT = 4  # of the lowest


def circular(D: Array, W: Array, cost: Cost, X: Array, rng: np.random.Generator) -> list[Array]:
    """Return the lowest maps on a circle that were found, from the angles of `X` and random ones.

    Examples
    --------
    >>> from unimds.spaces import distances
    >>> angles = np.random.default_rng(0).uniform(0, 6, size=8)
    >>> D = distances(np.column_stack([np.cos(angles), np.sin(angles)]))
    >>> rng = np.random.default_rng(1)
    >>> W, start = np.ones((8, 8)), rng.normal(size=(8, 2))
    >>> maps = circular(D, W, lambda u, r: (u - r) ** 2, start, rng)
    >>> bool(np.abs(distances(maps[0]) - D).max() < 0.2)
    True
    """
    n = len(D)
    away = X - X.mean(axis=0)
    count = int(np.clip(WORK // n**2, FEWEST, MOST))
    angles = [np.arctan2(away[:, 1], away[:, 0])]
    angles += list(rng.uniform(-np.pi, np.pi, size=(count - 1, n)))
    found = [_settled(D, W, cost, own) for own in angles]
    maps: list[Array] = []
    lowest: list[float] = []
    for low, own, radius in sorted(found, key=lambda one: one[0]):
        if len(maps) < KEPT and not any(low <= other * (1.0 + 1e-6) for other in lowest):
            lowest.append(low)
            maps.append(radius * np.column_stack([np.cos(own), np.sin(own)]))
    return maps


def _settled(D: Array, W: Array, cost: Cost, angles: Array) -> tuple[float, Array, float]:
    """Return cost, angles and radius when no point gains by a jump."""
    grid = np.linspace(-np.pi, np.pi, ANGLES, endpoint=False)
    angles, low = angles.copy(), np.inf
    known = np.where(W > 0.0, D, 0.0)
    radius = 0.0
    for _ in range(SWEEPS):
        chords = _chords(angles[:, None] - angles)
        below = float((W * chords**2).sum())
        radius = float((W * known * chords).sum()) / below if below > 0.0 else 0.0
        for i in range(len(D)):
            tried = np.append(grid, angles[i])
            u = radius * _chords(tried[:, None] - angles)
            u[:, i] = 0.0
            sums = (W[i] * cost(u, np.broadcast_to(known[i], u.shape))).sum(axis=1)
            best = int(np.argmin(sums))
            angles[i] = tried[best]
        new = float((W * cost(radius * _chords(angles[:, None] - angles), known)).sum())
        if not new < low * (1.0 - 1e-6):
            break
        low = new
    return low, angles, radius


def _chords(angles: Array) -> Array:
    """Return the distances between points on a circle of radius one."""
    found: Array = 2.0 * np.abs(np.sin(0.5 * angles))
    return found
