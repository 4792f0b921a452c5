"""Spherical MDS by multiresolution descent (Elad, Keller & Kimmel 2005)."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unimds._runtime.watch import Callback
from unimds.losses import Loss
from unimds.placecenter.result import Result
from unimds.rivals.base import Steps, follow, pose, table
from unimds.spaces import Space, Sphere, as_space, distances
from unimds.spaces.vectors import normalised

Array = NDArray[Any]

COARSE_STEPS = 50  # on every level but the last: a coarse level only seeds the next level


def multiresolution(
    D: ArrayLike,
    n_components: int = 2,
    *,
    loss: str | Loss = "squared",
    space: str | Space = "sphere",
    coarsest: int = 16,
    max_iter: int = 2000,
    eps: float = 1e-7,
    callback: Callback | None = None,
    verbose: int = 0,
) -> Result:
    """Elad, Keller & Kimmel: geodesic stress on the sphere, from a few points to all points.

    The points are sorted so that each is the farthest from the points before it. The first level
    has a few points, and each next level twice as many. Gradient descent lowers the stress of a
    level; the new points of the next level start between the nearest points already placed.

    Parameters
    ----------
    D : array-like of shape (n, n)
        Geodesic distances without missing values.
    n_components : int, default=2
        Dimension of the sphere.
    loss : str or Loss, default="squared"
        Measures the cost in the result; the method minimises the squared error.
    space : str or Space, default="sphere"
        "sphere", or an instance with its radius.
    coarsest : int, default=16
        Number of points on the first level.
    max_iter : int, default=2000
        Maximum number of steps on the last level, which has all points.
    eps, callback, verbose
        As in `unimds.place_center`; callback and history cover the last level only.

    Returns
    -------
    Result

    Examples
    --------
    >>> import numpy as np
    >>> from unimds.rivals import multiresolution
    >>> right = np.pi / 2 * (1.0 - np.eye(3))
    >>> multiresolution(right, 2).cost < 1e-9
    True
    """
    if not (isinstance(coarsest, Integral) and coarsest >= 2):
        raise ValueError(f"coarsest={coarsest!r} must be an integer of at least 2")
    problem = pose(D, n_components, loss, space, spaces=(Sphere,))

    def steps() -> Steps:
        angles = table(problem) / problem.frame.space.unit
        order = farthest_points(angles)
        X, placed = finest_seed(angles, order, n_components, coarsest)
        back = np.argsort(placed)
        yield from descent(angles, X[back])

    return follow(
        problem,
        steps(),
        max_iter=max_iter,
        eps=eps,
        callback=callback,
        verbose=verbose,
        patience=5,
    )


def farthest_points(D: Array) -> Array:
    """Return the points sorted so that each is the farthest from the points before it."""
    order = [int(np.argmax(D.sum(axis=1)))]
    gap = D[order[0]].copy()
    while len(order) < len(D):
        gap[order] = -1.0
        order.append(int(np.argmax(gap)))
        gap = np.minimum(gap, D[order[-1]])
    return np.array(order)


def finest_seed(D: Array, order: Array, k: int, coarsest: int) -> tuple[Array, Array]:
    """Return a seed of all points, refined level by level, and the point that each row holds."""
    n, m = len(D), min(coarsest, len(D))
    placed, sphere = order[:m], as_space("sphere")
    first = D[np.ix_(placed, placed)]
    X = nudged(np.asarray(sphere.seed(first, k)), first.mean(axis=1)[:, None])
    while m < n:
        for step, (Y, _) in enumerate(descent(D[np.ix_(placed, placed)], X)):
            X = Y
            if step == COARSE_STEPS:
                break
        m = min(2 * m, n)
        new = order[len(placed) : m]
        X = np.vstack([X, between(D[np.ix_(new, placed)], X)])
        placed = order[:m]
    return X, placed


def between(D: Array, X: Array) -> Array:
    """Start new points between the three nearest placed points, closer to the nearer ones.

    A small nudge is needed: descent never leaves a great circle that holds all points, and never
    separates points in the same place.
    """
    nearest = np.argsort(D, axis=1)[:, :3]
    gap = np.take_along_axis(D, nearest, axis=1)
    pull = 1.0 / np.maximum(gap, 1e-9)
    middle = normalised(np.einsum("ij,ijk->ik", pull, X[nearest]))
    return nudged(middle, gap[:, :1])


def nudged(X: Array, gap: Array) -> Array:
    """Return points of the sphere, each moved by a small share of the gap to its neighbours."""
    noise = np.random.default_rng(len(X)).normal(size=X.shape)
    return normalised(X + 1e-3 * np.minimum(gap, 1.0) * noise)


def descent(D: Array, X: Array) -> Steps:
    """Yield unit vectors of decreasing geodesic stress, by gradient steps of Barzilai & Borwein.

    A step that would raise the stress is halved until it does not.
    """
    length = 0.5 / len(D)
    stress, slope = geodesic_stress(D, X)
    while True:
        yield X, stress
        for _ in range(60):
            Y = normalised(X - length * slope)
            new, new_slope = geodesic_stress(D, Y)
            if new <= stress:
                break
            length *= 0.5
        else:
            return
        moved, turned = Y - X, new_slope - slope
        curvature = float(np.sum(moved * turned))
        length = float(np.sum(moved * moved)) / curvature if curvature > 0.0 else 2.0 * length
        X, stress, slope = Y, new, new_slope


def geodesic_stress(D: Array, X: Array) -> tuple[float, Array]:
    """Return Σ (angle − d)² over the pairs of unit vectors, and its gradient along the sphere."""
    angle = distances(X, space=Sphere())
    sine = np.sin(angle)
    ratio = np.divide(angle - D, sine, out=np.zeros_like(D), where=sine > 1e-9)
    slope = -2.0 * ratio @ X
    slope -= np.einsum("ij,ij->i", slope, X)[:, None] * X
    return float(0.5 * np.sum((angle - D) ** 2)), slope
