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
`SquaredCurve` moves one point after another to its best place. That is a bound: where the signs of
the new map differ from the goals, it costs even less.

For the absolute loss, the cost of a group of points is linear in a shift of the group, between the
shifts that change the sign of an error or the direction of a pair. So one round along the curve
tells the best place of a point, which meets some distance exactly. In a minimum, the pairs whose
distances are met connect all points, by a tree: it is one if no branch of the tree gains by a
shift. `AbsoluteCurve` moves single points to their best places, and shifts such branches downhill.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from unimds.kernels.orders import insert
from unimds.kernels.shifts import cross_on, hop_on, settle, total
from unimds.losses import Absolute
from unimds.placecenter.problem import Problem
from unimds.spaces.euclidean import Euclidean
from unimds.spaces.sphere import Sphere

Array = NDArray[Any]

REST = 1e-13  # of the largest eigenvalue: a smaller one is zero, up to rounding
STRAIGHT, ROUND = 1.6, 1.9  # pairs that take as long as a shift along a pair, on line and circle
ORDERED = (
    0.7  # share of the starts by the absolute loss that begin with an order by the squared one
)


class Lowered(NamedTuple):
    """A map along a curve, its cost, and how much work it took, in pairs."""

    x: Array
    cost: float
    work: float


@dataclass(frozen=True)
class Curve(ABC):
    """A table to be met by points of a line, or of a circle.

    Parameters
    ----------
    D, W : ndarray of shape (n, n)
        Symmetric distances and weights; what is missing has a weight of zero.
    length : float
        Circumference of the circle; 0 for a line.
    """

    D: Array
    W: Array
    length: float = 0.0

    @property
    def n(self) -> int:
        """Number of points."""
        return len(self.D)

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

    def alone(self) -> Curve:
        """Return the same curve for one thread, where that is faster."""
        return self

    @abstractmethod
    def lowered(self, x: Array) -> Lowered:
        """Return a map that no point can better by changing its place."""


@final
@dataclass(frozen=True)
class SquaredCurve(Curve):
    """Squared errors along a curve.

    Examples
    --------
    >>> x = np.array([3.0, 0.0, 7.0, 1.0])
    >>> line = SquaredCurve(np.abs(x[:, None] - x), 1.0 - np.eye(4))
    >>> found = line.lowered(np.array([0.0, 1.0, 2.0, 3.0])).x
    >>> np.abs(found[:, None] - found).round(6)[0]
    array([0., 3., 4., 2.])
    """

    @cached_property
    def _inverse(self) -> Array:
        """The pseudo-inverse of the Laplacian of the weights."""
        laplacian = np.diag(self.W.sum(axis=1)) - self.W
        return np.ascontiguousarray(np.linalg.pinv(laplacian, rcond=REST, hermitian=True))

    def lowered(self, x: Array) -> Lowered:
        """Move one point after another to its best place."""
        x = np.array(x, dtype=np.float64)
        ring = np.arange(2 * self.n if self.length else self.n)
        memory = np.empty(ring.size), *np.empty((3, self.n))
        insert(self.D, self.W, self._inverse, self.length, x, ring, *memory)
        # its cost is a difference of large numbers
        cost = 0.5 * np.sum(self.W * (self._apart(x) - self.D) ** 2)
        return Lowered(x, float(cost), 2.0 * self.n**3)

    def _apart(self, x: Array) -> Array:
        """Return the distances of a map."""
        gaps = x[:, None] - x
        turns = np.round(gaps / self.length) if self.length else 0.0
        return np.asarray(np.abs(gaps - turns * self.length))


@final
@dataclass(frozen=True)
class AbsoluteCurve(Curve):
    """Absolute errors along a curve.

    Examples
    --------
    A wrong distance does no harm:

    >>> x = np.array([3.0, 0.0, 7.0, 1.0, 5.0])
    >>> D = np.abs(x[:, None] - x)
    >>> D[0, 1] = D[1, 0] = 30.0
    >>> found = AbsoluteCurve(D, 1.0 - np.eye(5)).lowered(np.arange(5.0)).x
    >>> np.abs(found[:, None] - found).round(6)[0]
    array([0., 3., 4., 2., 2.])
    """

    memory: tuple[Array, ...] | None = None  # of one thread; else each call has its own

    @cached_property
    def squared(self) -> SquaredCurve:
        """The same table by the squared loss, which finds good orders in less time."""
        return SquaredCurve(self.D, self.W, self.length)

    @cached_property
    def _reached(self) -> Array:
        """The distances, of a circle as far as it reaches: what is beyond is the same anywhere."""
        return np.minimum(self.D, 0.5 * self.length) if self.length else self.D

    def random(self, rng: np.random.Generator) -> Array:
        """Return a random map, or where such a one leads to by the squared loss."""
        x = super().random(rng)
        return self.squared.lowered(x).x if rng.random() < ORDERED else x

    def alone(self) -> AbsoluteCurve:
        """Return the same curve, which remembers how points lay: for maps that differ little."""
        return replace(self, memory=self._memory())

    def lowered(self, x: Array) -> Lowered:
        """Shift points and groups of them until that gains nothing."""
        x, memory = np.array(x, dtype=np.float64), self.memory or self._memory()
        table = self._reached, self._weights, self.length
        return self._told(x, settle(*table, x, self._scale, np.inf, *memory))

    def hopped(self, x: Array, hops: int, rng: np.random.Generator) -> Lowered:
        """Return the lowest map of some hops, each of which begins from the lowest so far."""
        x, memory = np.array(x, dtype=np.float64), self.memory or self._memory()
        draws, trial = rng.random((hops, 5)), np.empty_like(x)
        table = self._reached, self._weights, self.length
        return self._told(x, hop_on(*table, x, self._scale, draws, trial, *memory))

    def crossed(self, maps: Array, times: int, rng: np.random.Generator) -> tuple[Array, float]:
        """Cross maps with each other; return them, the lower ones for some, and the work."""
        maps, memory = np.array(maps, dtype=np.float64), self.memory or self._memory()
        draws, (many, n) = rng.random((times, 4 + self.n)), maps.shape
        room = np.empty(many), draws, np.empty(n)
        table = self._reached, self._weights, self.length
        return maps, self._price * cross_on(*table, maps, self._scale, *room, *memory)

    @cached_property
    def _weights(self) -> Array:
        """The weights in a unit of their own, so that slopes are not taken for rounding.

        The unit is a power of two: weights of one stay what they are.
        """
        mean = float(np.mean(self.W[self.W > 0.0])) if self.W.any() else 1.0
        return np.asarray(np.ldexp(self.W, -np.frexp(mean / np.sqrt(2.0))[1]))

    @cached_property
    def _scale(self) -> float:
        """A typical distance."""
        return float(np.mean(self._reached))

    def _told(self, x: Array, work: float) -> Lowered:
        """Return a map with its cost."""
        return Lowered(x, float(total(self.D, self.W, self.length, x)), self._price * work)

    @property
    def _price(self) -> float:
        return ROUND if self.length else STRAIGHT

    def _memory(self) -> tuple[Array, ...]:
        """Return the memory of `settle`."""
        n, own = self.n, (4 if self.length else 3) * (self.n - 1)
        orders = np.tile(np.arange(own), (n, 1))
        return orders, np.empty((2, own)), np.empty((5, n), dtype=np.intp), np.empty(n)


def curve_of(problem: Problem) -> Curve | None:
    """Return the line or circle that a problem's map lies on, or None if it is neither.

    Both directions of a pair become their mean, and losses other than the absolute one the squared
    one.
    """
    space, kind = problem.frame.space, type(problem.frame.space)
    if problem.n_components > 1 or kind not in (Euclidean, Sphere) or problem.frame.resize:
        return None
    D, W = problem.pairs.table.whole()
    known = ~np.isnan(D)
    weights = known.astype(np.float64) if W is None else np.where(known, W, 0.0)
    weight = weights.sum(axis=1)
    mean = np.where(known, weights * D, 0.0).sum(axis=1) / np.where(weight > 0.0, weight, 1.0)
    np.fill_diagonal(weight, 0.0)
    length = 2.0 * np.pi * space.unit if kind is Sphere else 0.0
    plain = problem.frame.loss == Absolute() and problem.pairs.layers == 1
    kind_of = AbsoluteCurve if plain and not problem.adapts else SquaredCurve
    return kind_of(mean * problem.frame.unit, weight / problem.pairs.layers, length)
