"""Shaking: a way out of poor minima, as in simulated annealing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.watch import Watch
from unimds.losses import Loss
from unimds.placecenter.annealing import annealing

if TYPE_CHECKING:
    from unimds.placecenter.problem import Problem

Array = NDArray[Any]

SHAKE_SWEEPS = 500
COOLING = np.repeat([3.0, 4.0], 12)  # the last sweeps: twelve against 64 points, and 128


def shaken(
    problem: Problem,
    loss: Loss,
    X: Array,
    sweeps: int,
    rng: np.random.Generator,
    watch: Watch,
) -> Array:
    """Return a configuration near `X`, but not in the first minimum on the way down.

    Every point is placed against a few others only; there are more of them from sweep to sweep,
    and the more, the less a point strays. The order of the points must be random.
    """
    first, X, n, space = X, X.copy(), problem.pairs.n, problem.frame.space
    doublings = np.concatenate([np.linspace(-0.4, 2.0, sweeps), COOLING])
    sizes = np.minimum(8 << doublings.round().clip(0).astype(int), (n + 2) // 4 * 2)
    for part in np.array_split(sizes, max(sweeps // 100, 1)):
        problem.shake(X, loss, part, rng)
        X = np.ascontiguousarray(space.centred(X.T).T, dtype=X.dtype)  # all wander together
        if watch.stopped:
            break
    # where curvature is strong, points may be thrown farther than numbers reach
    flat = problem.frame.engine(X).flat
    far = X if flat else problem.costs(X, loss, space)[1]
    return X if np.isfinite(far).all() else first


def rounded(problem: Problem, X: Array) -> tuple[float, Loss]:
    """Return the first smoothing, and the loss with it."""
    loss = problem.frame.loss
    if not loss.anneals:
        return 0.0, loss
    smoothing = annealing(problem, X)[0]
    return smoothing, loss.smoothed(smoothing)
