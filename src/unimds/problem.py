"""An MDS problem in a convenient unit of length: distances, a loss and a space."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds import kernels
from unimds._warn import warn
from unimds.losses import Loss
from unimds.pairs import Pairs
from unimds.spaces import Space

Array = NDArray[Any]

ROUNDING = 1e-14
"""Smoothing that only rounding sees, relative to a typical distance."""


@dataclass(frozen=True)
class Problem:
    """Distances, loss and space, all in a unit of length in which distances are about one.

    The unit is a power of two, so that changing to it and back is exact: data in kilometres and
    in metres take the same steps. Configurations are coordinate-major: ``X[axis, point]``.

    Attributes
    ----------
    pairs : Pairs
        The given distances, in their own unit.
    loss, space : Loss, Space
        In the problem's unit. The size of the space is a first guess where `resize` is set.
    unit : float
        What a given distance is multiplied by.
    n_components : int
        Dimension of the map.
    resize : bool
        Whether the size of the space is to be estimated.
    """

    pairs: Pairs
    loss: Loss
    space: Space
    unit: float
    n_components: int
    resize: bool = False

    @classmethod
    def make(cls, pairs: Pairs, loss: Loss, space: Space, n_components: int) -> Problem:
        """Bring distances, loss and space to a common unit; a space of "auto" size gets one."""
        loss, resize = loss.resolved(pairs.typical), space.is_auto
        sized = space.sized(1.0) if resize else space
        unit = working_unit(loss, sized, pairs.typical)
        inner = space.sized(pairs.typical * unit) if resize else in_unit(space, unit)
        return cls(pairs, loss.scaled(unit), inner, unit, n_components, resize)

    def on(self, index: Array) -> Problem:
        """Return the problem of some of the points."""
        return replace(self, pairs=self.pairs.subset(index))

    # --- what the kernels compute -----------------------------------------------------------

    def sweep(self, X: Array, loss: Loss, space: Space, inner_iter: int, eps: float) -> None:
        """Place every free point once, in place."""
        pairs = self.pairs
        kernels.sweep(pairs.D, pairs.W, pairs.free, X, loss, space, self.unit, inner_iter, eps)

    def sampled_sweep(self, X: Array, loss: Loss, size: int, order: Array, offset: Array) -> None:
        """Place every free point once against `size` others, in place."""
        pairs = self.pairs
        kernels.sampled_sweep(
            pairs.D, pairs.W, pairs.free, X, loss, self.space, self.unit, size, order, offset
        )

    def costs(self, X: Array, smooth: Loss, space: Space) -> tuple[float, float]:
        """Return the cost by the loss as given and by `smooth`."""
        exact, smoothed, _, _ = self._evaluate(X, smooth, space)
        return exact, smoothed

    def mean_residual(self, X: Array, space: Space) -> float:
        """Return the mean error of the pairs, in the unit of the loss's smoothing."""
        _, _, residuals, weights = self._evaluate(X, self.loss, space)
        return residuals / weights if weights > 0.0 else 0.0

    def _evaluate(self, X: Array, smooth: Loss, space: Space) -> tuple[float, float, float, float]:
        pairs = self.pairs
        values: tuple[float, float, float, float] = kernels.evaluate(
            pairs.D, pairs.W, X, self.loss, smooth, space, self.unit
        )
        return values

    def resized(self, X: Array, loss: Loss, space: Space) -> Space:
        """Return the space at the size that lowers the majorizer of the cost the most."""
        pairs = self.pairs
        factor = kernels.best_size(pairs.D, pairs.W, X, loss, space, self.unit)
        return space.sized(space.unit * factor)

    def extrapolate(self, X: Array, previous: Array, beta: float, space: Space) -> Array:
        """Return the points beyond `X` as seen from `previous`."""
        out = np.empty_like(X)
        kernels.extrapolate(X, previous, beta, self.pairs.free, space, out)
        return out

    # --- to and from the user's units ---------------------------------------------------------

    def inner(self, embedding: Array) -> Array:
        """Return a configuration from rows of points in the user's unit."""
        factor = self.unit if self.space.scales_coordinates else 1.0
        points = self.space.project_points(np.asarray(embedding, dtype=np.float64) * factor)
        return np.ascontiguousarray(points.T)

    def outer(self, X: Array) -> Array:
        """Return rows of points in the user's unit."""
        return np.ascontiguousarray(X.T) * (1.0 / self.unit if self.space.scales_coordinates else 1)

    def outer_cost(self, cost: float) -> float:
        """Return a cost in the user's unit."""
        with np.errstate(over="ignore"):  # squares of 1e155 are not numbers any more
            return float(cost * np.float64(1.0 / self.unit) ** (self.loss.degree or 0.0))

    def outer_space(self, space: Space) -> Space:
        """Return a space in the user's unit."""
        return in_unit(space, 1.0 / self.unit)

    def outer_smoothing(self, smoothing: float) -> float:
        """Return a level of smoothing in the user's unit; 0 for a loss that has none."""
        if not self.loss.anneals:
            return 0.0
        return float(self.loss.smoothed(smoothing).scaled(1.0 / self.unit).smoothing)  # type: ignore[attr-defined]

    @property
    def scale(self) -> float:
        """A typical distance in the problem's unit: about 1 where losses and spaces allow it."""
        return self.pairs.typical * self.unit

    def outer_loss(self) -> Loss:
        """Return the loss in the user's unit."""
        return self.loss.scaled(1.0 / self.unit)

    @cached_property
    def exact_cost(self) -> float:
        """Cost of being wrong by rounding everywhere: what counts as zero."""
        wrong = 1e-11 if self.pairs.D.dtype == np.float64 else 1e-6
        r = self.scale
        value = float(self.loss.value(r * (1.0 + wrong), r)) - float(self.loss.value(r, r))
        return max(value, 0.0) * self.pairs.lightest_weight


def working_unit(loss: Loss, space: Space, typical: float) -> float:
    """Return the power of two that makes a typical distance about one; 1 where parts object."""
    if loss.degree is None or space.scaled(1.0) is None:
        return 1.0
    return float(2.0 ** -np.clip(round(np.log2(typical)), -1000, 1000))


def in_unit(space: Space, unit: float) -> Space:
    """Return the space with its distances multiplied by `unit`."""
    scaled = space.scaled(unit) if unit != 1.0 else space
    assert scaled is not None  # only spaces that can are asked to
    return scaled


def check_room(pairs: Pairs, n_components: int, space: Space) -> None:
    """Raise where the points cannot fill the dimensions, or the space cannot hold the distances."""
    n, largest = pairs.n, pairs.largest
    # up to three points get their answer in any dimension: loops over small groups rely on it
    if n_components >= n > 3:
        raise ValueError(
            f"n_components={n_components} needs more than {n_components} points, and there are "
            f"{n}; {n} points always fit in {n - 1} dimensions: use n_components={n - 1} or less"
        )
    if largest == 0.0 and n > 1:
        warn("all distances are zero: all points are put in one place", UserWarning)
    if not space.is_auto:
        space.check_distances(largest)
