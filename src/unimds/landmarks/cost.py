"""What a map of very many points costs, estimated from a sample of their pairs."""

from __future__ import annotations

from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.watch import Progress
from unimds.compiled.parts import kernel
from unimds.landmarks.disparities import Source
from unimds.losses import Loss
from unimds.spaces import Space

Array = NDArray[Any]

BLOCKS, SIDE = 2000, 16
"""Blocks of pairs in a sample, and points on either side of a block."""


@kernel
def _measure(A, B, D, loss, space, value, residual, dist):
    """Fill in loss, residual and mapped distance of all pairs, block by block."""
    slope = np.empty(B.shape[2])
    for g in range(A.shape[0]):
        for i in range(A.shape[2]):
            u = dist[g, i]
            space.measure(A[g, :, i].copy(), B[g], u, slope)
            for j in range(u.shape[0]):
                value[g, i, j] = loss.value(u[j], D[g, i, j])
                residual[g, i, j] = loss.residual(u[j], D[g, i, j])


class Estimate(NamedTuple):
    """Cost and Stress-1 of a map, and the standard errors of the two."""

    cost: float
    error: float
    stress: float
    stress_error: float
    residual: float  # the median, in the unit of the loss's smoothing


@final
class PairSample:
    r"""Random pairs of points: blocks of 16 × 16, drawn one independently of the other.

    Both points of a pair are drawn from all n, so that a sum over all pairs is :math:`n^2/2` times
    the expected value of a block's mean, where a point paired with itself counts zero. The means of
    the blocks are independent, and their spread tells the standard error.

    Parameters
    ----------
    table : Source
        The given distances.
    rng : numpy.random.Generator
        Draws the pairs.
    unit : float
        What a given distance is multiplied by.
    bar : Progress
        Told of every block.
    """

    def __init__(self, table: Source, rng: np.random.Generator, unit: float, bar: Progress) -> None:
        self.n = table.n
        self.rows, self.columns = rng.integers(self.n, size=(2, BLOCKS, SIDE))
        self.D = np.empty((BLOCKS, SIDE, SIDE))
        if self.n**2 <= self.D.size:  # fewer pairs than the sample has: each is read once
            everyone = np.arange(self.n)
            whole = table.between(everyone, everyone)
            self.D[:] = whole[self.rows[:, :, None], self.columns[:, None, :]]
            bar.step(1.0)
        else:
            for g, (rows, columns) in enumerate(zip(self.rows, self.columns, strict=True)):
                self.D[g] = table.between(rows, columns)
                bar.step(1.0 / BLOCKS)
        self.D *= unit

    def estimate(self, X: Array, loss: Loss, space: Space) -> Estimate:
        """Estimate cost, in the unit of the loss, and stress of the points ``X[axis, point]``."""
        A, B = (
            np.ascontiguousarray(X[:, index].transpose(1, 0, 2), dtype=np.float64)
            for index in (self.rows, self.columns)
        )
        value, residual, dist = (np.empty(self.D.shape) for _ in range(3))
        _measure(A, B, self.D, loss, space, value, residual, dist)
        known = ~np.isnan(self.D)
        value, above, below = (
            np.where(known, values, 0.0).mean(axis=(1, 2))
            for values in (value, (dist - self.D) ** 2, dist**2)
        )
        whole = 0.5 * float(self.n) ** 2
        return Estimate(
            whole * float(value.mean()),
            whole * _standard_error(value),
            *_root_of_ratio(above, below),
            float(np.median(np.abs(residual[known]))) if known.any() else 0.0,
        )


def _standard_error(means: Array) -> float:
    return float(means.std(ddof=1)) / len(means) ** 0.5


def _root_of_ratio(above: Array, below: Array) -> tuple[float, float]:
    """Return √(mean of `above` / mean of `below`) and its standard error, by the delta method."""
    if below.mean() == 0.0:  # nothing to compare with: a perfect map, or an infinitely bad one
        return (np.inf, np.inf) if above.mean() > 0.0 else (0.0, 0.0)
    ratio = float(above.mean() / below.mean())
    if ratio == 0.0:
        return 0.0, 0.0
    root = ratio**0.5
    return root, _standard_error(above - ratio * below) / float(below.mean()) / (2.0 * root)
