"""Shaking: a way out of poor minima, as in simulated annealing."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.watch import Watch
from unimds.kernels.engine import by_shift
from unimds.losses import Loss
from unimds.placecenter.descent.annealing import annealing

if TYPE_CHECKING:
    from unimds.placecenter.problem import Problem

Array = NDArray[Any]

SHAKE_SWEEPS = 500
COOLING = np.repeat([3.0, 4.0], 12)  # the last sweeps: twelve against 64 points, and 128
LOOK = 10**7  # pairs without looking up, some milliseconds


def schedule(sweeps: int, n: int) -> Array:
    """Return how many others a point meets in each sweep, followed by the cooling sweeps."""
    doublings = np.concatenate([np.linspace(-0.4, 2.0, sweeps), COOLING])
    sizes: Array = 8 << doublings.round().clip(0).astype(int)
    return np.minimum(sizes, (n + 2) // 4 * 2)


@final
class Shaker:
    """Shakes the maps of a problem.

    Every point is placed against a few others only; their number grows from sweep to sweep, and
    points stray less and less. Points stand on a circle in random order, and meet those that are
    some places after them.
    """

    def __init__(self, problem: Problem, rng: np.random.Generator):
        self.problem, self.order = problem, rng.permutation(problem.pairs.n)
        self._back = np.argsort(self.order)

    def shaken(
        self, loss: Loss, X: Array, sweeps: int, rng: np.random.Generator, watch: Watch
    ) -> Array:
        """Return a configuration near `X`, but not in the first minimum on the way down."""
        return self.along(loss, X, schedule(sweeps, self.problem.pairs.n), rng, watch)

    def along(
        self, loss: Loss, X: Array, sizes: Array, rng: np.random.Generator, watch: Watch
    ) -> Array:
        """Do so with a part of a `schedule`."""
        problem, space = self.problem, self.problem.frame.space
        mixed = X.take(self.order, axis=1)
        parts = 1 + X.shape[1] * int(sizes.sum()) // LOOK
        for part in np.array_split(sizes, parts) if parts > 1 else [sizes]:
            self.shake(mixed, loss, part, rng)
            # all wander together
            mixed = np.ascontiguousarray(space.centred(mixed.T).T, dtype=X.dtype)
            if watch.stopped:
                break
        found: Array = mixed.take(self._back, axis=1)
        # where curvature is strong, points may be thrown farther than numbers reach
        flat = problem.frame.engine(X).flat
        far = found if flat else problem.costs(found, loss, space)[1]
        return found if np.isfinite(far).all() else X

    def shake(self, mixed: Array, loss: Loss, sizes: Array, rng: np.random.Generator) -> None:
        """Place every point against few others, once for each of `sizes`, in place."""
        frame, (D, W) = replace(self.problem.frame, loss=loss), self.problem.pairs.table.whole()
        engine = frame.engine(mixed, D, W)
        if self.problem.pairs.layers == 1 and engine.shakes_together:
            draws = rng.random(sizes.sum(), dtype=np.float32)
            engine.shake_together(*self._by_shift, mixed, sizes, draws, frame.unit)
            return
        # one point after another takes longer: a third of the sweeps must do
        few = sizes[(sizes >= 64) | (np.arange(sizes.size) % 3 == 0)]
        draws = rng.random(few.sum(), dtype=np.float32)
        engine.shake_in_turn(*self._in_order, mixed, few, draws, frame.unit)

    @cached_property
    def _by_shift(self) -> tuple[Array, Array | None]:
        """The distances and weights of every point to the point that many places after it."""
        D, W = self.problem.pairs.table.whole()
        return by_shift(D, self.order), None if W is None else by_shift(W, self.order)

    @cached_property
    def _in_order(self) -> tuple[Array, Array | None]:
        """All distances and weights, the points in the order of the circle."""
        return self.problem.pairs.table.held(self.order).whole()


def rounded(problem: Problem, X: Array) -> tuple[float, Loss]:
    """Return the first smoothing, and the loss with it."""
    loss = problem.frame.loss
    if not loss.anneals:
        return 0.0, loss
    smoothing = annealing(problem, X)[0]
    return smoothing, loss.smoothed(smoothing)
