"""What is done with some rows of a table: here, or on a worker that holds them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, final

import numpy as np
from numpy.typing import NDArray

from unimds import kernels
from unimds._part import in_precision
from unimds.losses import Loss
from unimds.spaces import Space

Array = NDArray[Any]
Form = tuple[int | None, ...]
Tile = tuple[int, Array, Array | None]
"""The number of the first row, distances and weights."""


class Placing(Protocol):
    """A task that moves the points of its rows."""

    def __call__(self, tile: Tile, X: Array, free: Array, band: tuple[int, int]) -> None:
        """Move the points in place; those beyond `band` move at the same time, elsewhere."""


class Counting(Protocol):
    """A task that adds something up over the pairs of its rows."""

    def __call__(self, tile: Tile, X: Array) -> tuple[float, ...]:
        """Return the sums."""


@final
@dataclass(frozen=True)
class Sweep:
    """Place every free point once."""

    form: Form
    loss: Loss
    space: Space
    unit: float
    inner_iter: int | None
    eps: float

    def __call__(self, tile: Tile, X: Array, free: Array, band: tuple[int, int]) -> None:
        """Move the points in place."""
        (first, D, W), parts = tile, _compiled(X, self.loss, self.space)
        kernels.sweep(
            D, W, first, free, band, X, *self.form, *parts, self.unit, self.inner_iter, self.eps
        )


@final
@dataclass(frozen=True)
class Shake:
    """Place every point against few others, once for each of `sizes`."""

    form: Form
    loss: Loss
    space: Space
    unit: float
    sizes: Array
    starts: Array

    def __call__(self, tile: Tile, X: Array, free: Array, band: tuple[int, int]) -> None:
        """Move the points in place."""
        (_, D, W), parts = tile, _compiled(X, self.loss, self.space)
        kernels.shake(D, W, X, *self.form, *parts, self.unit, self.sizes, self.starts)


@final
@dataclass(frozen=True)
class Costs:
    """The cost by the loss as given and by `smooth`."""

    form: Form
    loss: Loss
    smooth: Loss
    space: Space
    unit: float

    def __call__(self, tile: Tile, X: Array) -> tuple[float, ...]:
        """Return both costs."""
        (first, D, W), both = tile, self.smooth != self.loss
        *losses, space = _compiled(X, self.loss, self.smooth, self.space)
        return tuple(kernels.evaluate(D, W, first, X, *self.form, *losses, both, space, self.unit))


@final
@dataclass(frozen=True)
class Sums:
    """The sums of `unimds.kernels.pair_sums`."""

    loss: Loss
    space: Space
    unit: float

    def __call__(self, tile: Tile, X: Array) -> tuple[float, ...]:
        """Return the four sums."""
        first, D, W = tile
        parts = _compiled(X, self.loss, self.space)
        return tuple(kernels.pair_sums(D, W, first, X, *parts, self.unit))


def _compiled(X: Array, *parts: Any) -> tuple[Any, ...]:
    return tuple(in_precision(part, X.dtype) for part in parts)


def total(task: Counting, tiles: Any, X: Array) -> Array:
    """Return what a task counts over some tiles."""
    return np.asarray(np.sum([task(tile, X) for tile in tiles], axis=0))
