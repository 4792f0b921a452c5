"""Quasi-Newton steps (L-BFGS): all points move together, by the curvature that past steps met.

In maps of many dimensions the cost falls much faster by these steps than by sweeps. The first guess
of the curvature is that of the majorizer: without a past, a step is a simultaneous placement of all
points.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from unimds.losses import Loss

if TYPE_CHECKING:
    from unimds.placecenter.problem import Problem

Array = NDArray[Any]

MEMORY = 20  # past steps; measured: with 10 maps of 150 dimensions end higher, 30 take longer
ENOUGH = 1e-4  # of the fall that the slope promises (Armijo)
TRIALS = 20
FLAT = 1e-10  # a cosine: below it, a step tells nothing of the curvature


@final
class QuasiNewton:
    """Lowers the cost by `loss`, from the last of some configurations that follow each other."""

    def __init__(self, problem: Problem, loss: Loss, trail: Iterable[Array]):
        self.problem, self.loss = problem, loss
        self.trail: tuple[Array, ...] = ()
        self._past: deque[tuple[Array, Array, float]] = deque(maxlen=MEMORY)
        self._slope: Array
        self._weights: Array
        for X in trail:
            self.arrive(X)

    def arrive(self, X: Array) -> None:
        """Learn from a step that was taken in another way."""
        self._note(X, *self._measured(X)[:2])

    def step(self, smooth: float) -> tuple[Array, float, float] | None:
        """Return a configuration of a lower cost than `smooth`, and its two costs; or None."""
        if not self._past:
            return None
        direction, start = self._direction(), self.trail[-1]
        fall, length = float(np.vdot(self._slope, direction)), 1.0
        for _ in range(TRIALS if fall < 0.0 else 0):
            X = (start + length * direction).astype(start.dtype)
            slope, weights, (exact, new) = self._measured(X)
            if new <= smooth + ENOUGH * length * fall:
                self._note(X, slope, weights)
                return X, exact, new
            # to the minimum of the parabola through both costs, with the slope of the first
            least = -0.5 * fall * length / (new - smooth - length * fall)
            length *= float(np.clip(least, 0.1, 0.5)) if np.isfinite(least) else 0.1
        self.trail = (start,)
        self._past.clear()
        return None

    def _measured(self, X: Array) -> tuple[Array, Array, tuple[float, float]]:
        pulls, weights, costs = self.problem.pulls(X, self.loss)
        return np.where(self.problem.pairs.free, -2.0 * pulls, 0.0), weights, costs

    def _note(self, X: Array, slope: Array, weights: Array) -> None:
        if self.trail:
            step, change = X - self.trail[-1], slope - self._slope
            bent = float(np.vdot(step, change))
            if bent > FLAT * np.linalg.norm(step) * np.linalg.norm(change):
                self._past.append((step, change, bent))
        self.trail = (*self.trail[-MEMORY:], X)
        self._slope, self._weights = slope, weights

    def _direction(self) -> Array:
        """Return minus the slope times the inverse of the curvature: the two loops of L-BFGS."""
        q, shares = self._slope.copy(), []
        for step, change, bent in reversed(self._past):
            shares.append(np.vdot(step, q) / bent)
            q -= shares[-1] * change
        _, change, bent = self._past[-1]
        placed = 0.5 / np.where(self._weights > 0.0, self._weights, np.inf)
        q *= placed * (bent / np.vdot(change, placed * change))
        for (step, change, bent), share in zip(self._past, reversed(shares), strict=True):
            q += (share - np.vdot(change, q) / bent) * step
        return -q
