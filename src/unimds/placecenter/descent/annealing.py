"""Annealing: the levels of smoothing by which a robust loss is sharpened.

A robust loss has a kink, where points would stick to the first few pairs that they satisfy
exactly. Its smoothing rounds the kink, and annealing lowers the smoothing level by level.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds.losses import Loss
from unimds.placecenter.frame import Frame, own_smoothing
from unimds.placecenter.problem import Problem

Array = NDArray[Any]

LEVELS_PER_DECADE = 2
SLOW_LEVELS, SLOW_DECADES = 8, 1.5
FORK = 1e-2  # of the first smoothing: below it no way down overtakes another
LAST_LEVEL = 1e-6  # of the mean error of the seed: true distances are then met to that precision
ROUNDING = 1e-14  # smoothing that only rounding sees, of a typical distance
COARSE = (1.0, 0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-5, 1e-6)  # of a typical distance


def annealing(problem: Problem, X: Array) -> list[float]:
    """Return falling smoothings, from the mean error of `X` to where the loss is as given."""
    # the mean error may be that of a few corrupted distances: more than this smooths all away
    loss, scale = problem.frame.loss, problem.frame.scale
    cap = abs(float(loss.residual(1.3 * scale, scale)))
    return falling(min(problem.mean_residual(X), cap), loss, ROUNDING * scale)


def falling(first: float, loss: Loss, floor: float = 0.0) -> list[float]:
    """Return smoothings that fall geometrically from `first` to the loss's own."""
    last = max(own_smoothing(loss), LAST_LEVEL * first, floor)
    first = max(first, last)
    count = 1 + round(LEVELS_PER_DECADE * np.log10(first / last))
    return [*np.geomspace(first, last, count)[:-1].tolist(), last]


def slowly(smoothings: list[float]) -> list[float]:
    """Return smoothings that begin to fall in smaller steps.

    In many dimensions a robust loss has many minima. In which of them a descent ends is decided
    early, and points that follow the falling smoothing closely end lower.

    Examples
    --------
    >>> levels = slowly([1.0, 0.3, 0.1, 0.03, 0.01, 0.001])
    >>> len(levels), [round(level, 3) for level in levels[:3]], levels[-2:]
    (16, [1.0, 0.75, 0.562], [0.01, 0.001])
    """
    first = smoothings[0]
    last = max(first * 10.0**-SLOW_DECADES, smoothings[-1])
    count = 1 + round(SLOW_LEVELS * np.log10(first / last))
    below = [smoothing for smoothing in smoothings if smoothing < last]
    return [*np.geomspace(first, last, count).tolist(), *below] if count > 1 else smoothings


def sharpened(frame: Frame, first: float | None = None) -> list[Loss]:
    """Return the losses to place new points by in turn, a robust one ever sharper.

    The smoothings fall from `first` in even steps, or from a typical distance in coarse ones.
    """
    loss = frame.loss
    if not loss.anneals:
        return [loss]
    if first is not None:
        return [loss.smoothed(smoothing) for smoothing in falling(first, loss)]
    return [rounded(frame, share * frame.scale) for share in COARSE]


def rounded(frame: Frame, smoothing: float) -> Loss:
    """Return the loss with its kink rounded by at least `smoothing`, if it has one."""
    return frame.loss.smoothed(max(own_smoothing(frame.loss), smoothing))
