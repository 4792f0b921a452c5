r"""Orders on a line and on a circle: good ones of any number of points.

On a line, an order says of every pair which of its points lies ahead, so each distance becomes a
goal :math:`c_{ij} = \pm d_{ij}` for the difference :math:`x_i - x_j`. On a circle of circumference
L the goals are :math:`\pm d_{ij}` plus a multiple of L. For the squared loss the lowest map with
given goals has a formula: with the Laplacian V of the weights and
:math:`t_i = \sum_j w_{ij} c_{ij}`,

.. math:: x = V^+ t, \qquad \sum_{i<j} w_{ij} (x_i - x_j - c_{ij})^2
          = \sum_{i<j} w_{ij} c_{ij}^2 - t^\top V^+ t.

A point that passes another one, or its antipode, changes one goal. So one round along the curve
tells for every place of a point what the best map would cost if all the others followed, and
`Curve.lowered` moves one point after another to its best place. That is a bound: where the signs of
the new map differ from the goals, it costs even less.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from unimds.kernels.orders import insert
from unimds.placecenter.problem import Problem
from unimds.spaces.euclidean import Euclidean
from unimds.spaces.sphere import Sphere

Array = NDArray[Any]


@final
@dataclass(frozen=True)
class Curve:
    """A table to be met by points of a line, or of a circle.

    Parameters
    ----------
    D, W : ndarray of shape (n, n)
        Symmetric distances and weights; what is missing has a weight of zero.
    length : float
        Circumference of the circle; 0 for a line.

    Examples
    --------
    >>> x = np.array([3.0, 0.0, 7.0, 1.0])
    >>> line = Curve(np.abs(x[:, None] - x), 1.0 - np.eye(4))
    >>> found, cost = line.lowered(np.array([0.0, 1.0, 2.0, 3.0]))
    >>> np.abs(found[:, None] - found).round(6)[0]
    array([0., 3., 4., 2.])
    """

    D: Array
    W: Array
    length: float = 0.0

    @property
    def n(self) -> int:
        """Number of points."""
        return len(self.D)

    @cached_property
    def _inverse(self) -> Array:
        """The pseudo-inverse of the Laplacian of the weights."""
        laplacian = np.diag(self.W.sum(axis=1)) - self.W
        return np.ascontiguousarray(np.linalg.pinv(laplacian, rcond=1e-10, hermitian=True))

    @property
    def total(self) -> float:
        """The cost of all points in one place."""
        return 0.5 * float(np.sum(self.W * self.D**2))

    def points(self, x: Array, dtype: Any) -> Array:
        """Return a map as a configuration."""
        radius = self.length / (2.0 * np.pi)
        angle = x / radius if self.length else x
        both = np.stack([np.cos(angle), np.sin(angle)]) if self.length else x[None]
        return np.ascontiguousarray(both, dtype=dtype)

    def positions(self, X: Array) -> Array:
        """Return a configuration as positions along the curve."""
        radius = self.length / (2.0 * np.pi)
        return np.asarray(np.arctan2(X[1], X[0]) * radius if self.length else X[0])

    def random(self, rng: np.random.Generator) -> Array:
        """Return a random map."""
        reach = self.length or 2.0 * float(self.D.max(initial=0.0))
        return rng.uniform(0.0, reach, self.n)

    def lowered(self, x: Array) -> tuple[Array, float]:
        """Return a map, and its cost, that no point can better by changing its place."""
        x = np.array(x, dtype=np.float64)
        ring = np.arange(2 * self.n if self.length else self.n)
        memory = np.empty(ring.size), np.empty((3, self.n))
        cost = insert(self.D, self.W, self._inverse, self.length, x, ring, *memory)
        return x, float(cost)


def curve_of(problem: Problem) -> Curve | None:
    """Return the line or circle that a problem's map lies on, or None if it is neither.

    Both directions of a pair become their mean.
    """
    space, kind = problem.frame.space, type(problem.frame.space)
    if problem.n_components > 1 or kind not in (Euclidean, Sphere) or problem.frame.resize:
        return None
    D, W = problem.pairs.table.whole()
    known = ~np.isnan(D)
    weights = known.astype(np.float64) if W is None else np.where(known, W, 0.0)
    total = weights.sum(axis=1)
    mean = np.where(known, weights * D, 0.0).sum(axis=1) / np.where(total > 0.0, total, 1.0)
    np.fill_diagonal(total, 0.0)
    length = 2.0 * np.pi * space.unit if kind is Sphere else 0.0
    return Curve(mean * problem.frame.unit, total / problem.pairs.layers, length)
