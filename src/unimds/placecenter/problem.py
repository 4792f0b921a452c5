"""An MDS problem in a convenient unit of length: distances, a loss and a space."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.warning import warn
from unimds.compiled.parts import in_precision
from unimds.distances.pairs import Pairs
from unimds.distances.table import Rows
from unimds.kernels import sweep as kernels
from unimds.kernels.operations import Costs, Shake, Sums, Sweep
from unimds.losses import Loss
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
        The given distances, in their own unit; or a `unimds.cluster.spread.Spread`, which answers
        the same questions.
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

    def on(self, index: Array, *, single: bool = False) -> Problem:
        """Return the problem of some of the points, in `single` precision if that suffices."""
        dtype = np.float32 if single and self._single_suffices else None
        return replace(self, pairs=self.pairs.subset(index, dtype))

    def flatter(self) -> Problem:
        """Return the problem in a space where points pass each other more easily, or itself."""
        space = self.space.flatter(self.scale)
        return self if space is None else replace(self, space=space, resize=False)

    def distances(self, tol: float = 0.0) -> Array | Rows:
        """Return the distances of all pairs in the problem's unit: what a seed begins with."""
        if not (self.space.seed_reads_rows and self.pairs.plain):
            return self.pairs.complete() * self.unit
        rows = Rows(self.pairs.table, self.dtype, tol=tol)
        return rows.through(partial(_scaled, self.unit)) if self.unit != 1.0 else rows

    # --- what the kernels compute -----------------------------------------------------------

    def sweep(self, X: Array, loss: Loss, space: Space, inner_iter: int, eps: float) -> None:
        """Place every free point once, in place."""
        steps = None if inner_iter == 1 and space.unit_step_descends() else inner_iter
        self.pairs.place(Sweep(self._form(space), loss, space, self.unit, steps, eps), X)

    def shake(self, X: Array, loss: Loss, sizes: Array, draws: Array) -> None:
        """Place every point against few others, once for each of `sizes`, in place."""
        D, W = self.pairs.by_shift if self.fuses else (self.pairs.D, self.pairs.W)
        form = self._form(self.space)
        Shake(form, loss, self.space, self.unit, sizes, draws)((0, D, W), X)

    @property
    def fuses(self) -> bool:
        """Whether a row of the table is one loop; see `unimds.kernels.sweep`."""
        *_, many = self._form(self.space)
        return many is None

    def costs(self, X: Array, smooth: Loss, space: Space) -> tuple[float, float]:
        """Return the cost by the loss as given and by `smooth`."""
        exact, smoothed = self.pairs.total(
            Costs(self._form(space), self.loss, smooth, space, self.unit), X
        )
        return float(exact), float(smoothed)

    def mean_residual(self, X: Array, space: Space) -> float:
        """Return the mean error of the pairs, in the unit of the loss's smoothing."""
        residuals, weights, _, _ = self._sums(X, self.loss, space)
        return residuals / weights if weights > 0.0 else 0.0

    def resized(self, X: Array, loss: Loss, space: Space) -> Space:
        """Return the space at the size that lowers the majorizer of the cost the most."""
        _, _, above, below = self._sums(X, loss, space)
        factor = above / below if above > 0.0 and below > 0.0 else 1.0
        return space.sized(space.unit * factor)

    def _sums(self, X: Array, loss: Loss, space: Space) -> Array:
        return self.pairs.total(Sums(loss, space, self.unit), X) / self.pairs.layers

    def extrapolate(self, X: Array, previous: Array, beta: float, space: Space) -> Array:
        """Return the points beyond `X` as seen from `previous`."""
        out = np.empty_like(X)
        kernels.extrapolate(X, previous, beta, self.pairs.free, in_precision(space, X.dtype), out)
        return out

    def _form(self, space: Space) -> tuple[int | None, ...]:
        """Return which form of the kernels to use; see `unimds.kernels.sweep`."""
        return form(space, self.n_coordinates, self.pairs.layers)

    @cached_property
    def n_coordinates(self) -> int:
        """Number of coordinates of a point."""
        return self.space.n_coordinates(self.n_components)

    @cached_property
    def dtype(self) -> Any:
        """Precision of the arithmetic: that of the distances where the space can do with it."""
        single = self._single_suffices and self.pairs.dtype == np.float32
        return np.dtype(np.float32 if single else np.float64)

    @property
    def _single_suffices(self) -> bool:
        # a loss without a degree leaves the data in their own unit, however large; and so may D be
        largest = max(self.pairs.largest, 1.0 / self.pairs.typical)
        scales = self.loss.degree is not None and largest < 1e30
        light, heavy = self.pairs.lightest_weight / self.pairs.n**2, self.pairs.total_weight
        weighs = (light > 1e-30 or light == 0.0) and heavy < 1e30
        return self.space.single_precision and scales and weighs

    # --- to and from the user's units ---------------------------------------------------------

    def inner(self, embedding: Array) -> Array:
        """Return a configuration from rows of points in the user's unit."""
        factor = self.unit if self.space.scales_coordinates else 1.0
        points = self.space.project_points(np.asarray(embedding, dtype=np.float64) * factor)
        return np.ascontiguousarray(points.T, dtype=self.dtype)

    def outer(self, X: Array) -> Array:
        """Return rows of points in the user's unit."""
        points: Array = np.ascontiguousarray(X.T, dtype=np.float64)
        if X.dtype == np.float32:
            points = self.space.project_points(points)
        return points * (1.0 / self.unit if self.space.scales_coordinates else 1.0)

    def cost_of(self, embedding: Array, space: Space) -> float:
        """Return the cost of rows of points in the user's unit, in double precision."""
        factor = self.unit if self.space.scales_coordinates else 1.0
        cost, _ = self.costs(np.ascontiguousarray(embedding.T) * factor, self.loss, space)
        return self.outer_cost(cost)

    def outer_cost(self, cost: float) -> float:
        """Return a cost in the user's unit."""
        return cost * self._outer_cost

    @cached_property
    def _outer_cost(self) -> float:
        with np.errstate(over="ignore"):  # squares of 1e155 are not numbers any more
            return float(np.float64(1.0 / self.unit) ** (self.loss.degree or 0.0))

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
        wrong = 1e-11 if self.pairs.dtype == np.float64 else 1e-6
        r = self.scale
        value = float(self.loss.value(r * (1.0 + wrong), r)) - float(self.loss.value(r, r))
        return max(value, 0.0) * self.pairs.lightest_weight


def _scaled(factor: float, block: Array) -> Array:
    return np.multiply(block, factor, out=block)


def form(space: Space, n_coordinates: int, layers: int = 1) -> tuple[int | None, ...]:
    """Return the arguments of a kernel that choose its code; see `unimds.kernels.sweep`."""
    fused = layers == 1 and n_coordinates in (2, 3) and space.fuses()
    chosen = n_coordinates if fused else 4
    return tuple(0 if chosen == number else None for number in (2, 3, 4))


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
