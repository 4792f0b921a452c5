"""What is done with some rows of a table: here, or on a worker that holds them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, final

import numpy as np
from numpy.typing import NDArray

from unimds.compiled.parts import in_precision
from unimds.distances.table import BLOCK
from unimds.kernels import shake as shaking
from unimds.kernels import sweep as kernels
from unimds.losses import Loss
from unimds.spaces import Space, distances

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
        (first, D, W), parts = read_only(*tile), _compiled(X, self.loss, self.space)
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
    draws: Array

    def __call__(self, tile: Tile, X: Array) -> None:
        """Move the points in place; the tile is the whole table, laid out by shifts."""
        (_, D, W), parts = read_only(*tile), _compiled(X, self.loss, self.space)
        shaking.shake(D, W, X, *self.form, *parts, self.unit, self.sizes, self.draws)


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
        (first, D, W), both = read_only(*tile), self.smooth != self.loss
        *losses, space = _compiled(X, self.loss, self.smooth, self.space)
        return tuple(kernels.evaluate(D, W, first, X, *self.form, *losses, both, space, self.unit))


@final
@dataclass(frozen=True)
class Sums:
    """The sums of `unimds.kernels.sweep.pair_sums`."""

    loss: Loss
    space: Space
    unit: float

    def __call__(self, tile: Tile, X: Array) -> tuple[float, ...]:
        """Return the four sums."""
        first, D, W = read_only(*tile)
        parts = _compiled(X, self.loss, self.space)
        return tuple(kernels.pair_sums(D, W, first, X, *parts, self.unit))


@final
@dataclass(frozen=True)
class Residuals:
    """Σ w (u − d)² and Σ w u² or Σ w d², all distances over `scale`, both directions counted."""

    space: Space
    scale: float
    by_mapped: bool = True

    def __call__(self, tile: Tile, X: Array) -> tuple[float, ...]:
        """Return both sums; the points are columns of `X`."""
        first, D, W = tile
        points, above, below = X.T, 0.0, 0.0
        step = max(1, BLOCK // len(points))
        for i in range(0, len(D), step):
            d = np.array(D[i : i + step, 0], dtype=np.float64) / self.scale
            own = np.arange(len(d))
            d[own, first + i + own] = 0.0
            rows = slice(first + i, first + i + len(d))
            u = distances(points[rows], points, space=self.space) / self.scale
            w = np.where(np.isnan(d), 0.0, 1.0 if W is None else W[i : i + len(d), 0])
            d = np.nan_to_num(d)
            above += float(np.sum(w * (u - d) ** 2))
            below += float(np.sum(w * (u if self.by_mapped else d) ** 2))
        return above, below


def read_only(first: int, D: Array, W: Array | None = None) -> Tile:
    """Return a tile that cannot be written to.

    Numba compiles everything once more where it can, and a data frame or a file cannot.
    """
    D, W = D.view(), None if W is None else W.view()
    for part in (D, W):
        if part is not None:
            part.flags.writeable = False
    return first, D, W


def _compiled(X: Array, *parts: Any) -> tuple[Any, ...]:
    return tuple(in_precision(part, X.dtype) for part in parts)


def total(task: Counting, tiles: Any, X: Array) -> Array:
    """Return what a task counts over some tiles."""
    return np.asarray(np.array([task(tile, X) for tile in tiles]).sum(axis=0))
