"""A loss and a space in a convenient unit of length, and the compiled loops for them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from unimds.distances.coded import CodedTable
from unimds.distances.tiles import Tile
from unimds.kernels.engine import COST, ERRORS, MUTUAL, Engine, engine_for
from unimds.kernels.rows import Kind
from unimds.losses import Loss
from unimds.spaces.base import Space

Array = NDArray[Any]
Rows = tuple[int, Array | CodedTable, Array | None]
"""A tile, or a table that compiled code looks up."""

SHARED_FROM, STRIPES = 5000, 8  # points from which threads share a table, and its parts


@final
@dataclass(frozen=True)
class Frame:
    """A loss and a space in a unit of length in which distances are about one.

    The unit is a power of two, so that changing to it and back is exact: data in kilometres and
    in metres take the same steps. All compiled loops are called from here. Configurations are
    coordinate-major, ``X[axis, point]``; given distances keep their own unit.

    Attributes
    ----------
    loss, space : Loss, Space
        In the frame's unit.
    unit : float
        What a given distance is multiplied by.
    scale : float
        A typical distance in the frame's unit: about 1 where loss and space allow it.
    cost_unit : float
        What a cost in the frame's unit is multiplied by, to be one in the user's.
    resize : bool
        Whether the size of the space is a first guess, to be estimated.
    """

    loss: Loss
    space: Space
    unit: float
    scale: float
    cost_unit: float
    resize: bool = False

    @classmethod
    def make(cls, loss: Loss, space: Space, typical: float) -> Frame:
        """Bring loss and space to the unit of a typical distance; "auto" becomes a number."""
        loss, resize = loss.resolved(typical), space.is_auto
        space = space.sized(typical) if resize else space
        unit = 1.0 if loss.degree is None else _working_unit(typical)
        inner = _in_unit(space, unit)
        if inner is None:  # the data keep their own unit
            inner, unit = space, 1.0
        with np.errstate(over="ignore"):  # squares of 1e155 are not numbers any more
            cost_unit = float(np.float64(1.0 / unit) ** (loss.degree or 0.0))
        return cls(loss.scaled(unit), inner, unit, typical * unit, cost_unit, resize)

    def at(self, loss: Loss, space: Space) -> Frame:
        """Return the frame with another loss and space, which mostly are its own."""
        if loss is self.loss and space is self.space:
            return self
        # every sweep does this: `dataclasses.replace` takes three times as long
        return Frame(loss, space, self.unit, self.scale, self.cost_unit, self.resize)

    # --- compiled loops over the rows of a tile ------------------------------------------------

    def engine(
        self, X: Array, D: Array | CodedTable | None = None, W: Array | None = None
    ) -> Engine:
        """Return the compiled loops for a configuration and a table."""
        return engine_for(self.loss, self.space, X, D, W)

    def sweep(
        self,
        steps: int | None,
        eps: float,
        tile: Tile,
        X: Array,
        free: Array,
        band: tuple[int, int],
    ) -> None:
        """Place every free point of the rows once, in place."""
        first, D, W = contiguous(tile)
        free = free if free.flags.writeable else free.copy()  # or Numba would compile once more
        engine = self.engine(X, D, W)
        if steps is None:
            engine.sweep(D, W, first, X, free, band, self.unit)
        else:
            engine.sweep_in_turn(D, W, first, X, free, steps, eps, self.unit)

    def costs(self, smooth: Loss, tile: Tile, X: Array) -> tuple[float, ...]:
        """Return the cost of the rows by the loss as given and by `smooth`."""
        (exact,) = self._total(COST, tile, X)
        if smooth == self.loss:
            return exact, exact
        return exact, *self.at(smooth, self.space)._total(COST, tile, X)

    def sums(self, tile: Tile, X: Array) -> tuple[float, ...]:
        """Return the sums of `unimds.kernels.rows.errors` over the rows."""
        return self._total(ERRORS, tile, X)

    def _total(self, kind: Kind, tile: Tile, X: Array) -> tuple[float, ...]:
        first, D, W = contiguous(tile)
        return self.engine(X, D, W).total(kind, D, W, first, X, self.unit)

    def add_pulls(self, tile: Rows, X: Array, judge: Loss, pulls: Array, threads: int) -> Array:
        """Add the pulls of the pairs of some rows, see `Engine.pulls`; return their costs.

        Threads share the stripes of a large table, whose sums are added in their order: the result
        does not depend on how many threads there are.
        """
        first, D, W = tile
        engine, stripes = self.engine(X, D, W), _stripes(first, len(D), X.shape[1])
        if len(stripes) == 1:
            return np.array(engine.pulls(D, W, first, stripes[0], X, self.unit, judge, pulls))

        def work(rows: slice) -> tuple[Array, tuple[float, float]]:
            found = np.zeros_like(pulls)
            return found, engine.pulls(D, W, first, rows, X, self.unit, judge, found)

        if threads > 1 and len(stripes) > 1:
            engine.row(MUTUAL)  # compiled before threads ask for it
            with ThreadPoolExecutor(threads) as pool:
                parts = list(pool.map(work, stripes))
        else:
            parts = [work(rows) for rows in stripes]
        for found, _ in parts:
            pulls += found
        return np.asarray(np.sum([costs for _, costs in parts], axis=0))

    def place(
        self, D: Array, W: Array | None, X: Array, P: Array, steps: int | None, eps: float
    ) -> tuple[Array, Array]:
        """Move the columns of `P` by their distances to `X`; return costs, and who has settled."""
        _, D, W = contiguous((0, D[:, None, :], None if W is None else W[:, None, :]))
        return self.engine(X, D, W).place(D, W, X, P, steps or 0, eps, self.unit)

    def extrapolate(self, X: Array, previous: Array, beta: float, free: Array) -> Array:
        """Return the points beyond `X` as seen from `previous`."""
        X, previous = (
            np.ascontiguousarray(X),
            np.ascontiguousarray(previous),
        )  # as compiled code reads
        out = self.engine(X).carry_on(X, previous, beta)
        out[:, ~free] = X[:, ~free]
        return out

    # --- to and from the user's units ---------------------------------------------------------

    @property
    def factor(self) -> float:
        """What coordinates in the user's unit are multiplied by."""
        return self.unit if self.space.scales_coordinates else 1.0

    def inner(self, embedding: Array, dtype: Any = np.float64) -> Array:
        """Return a configuration from rows of points in the user's unit."""
        points = self.space.project_points(np.asarray(embedding, dtype=np.float64) * self.factor)
        return np.ascontiguousarray(points.T, dtype=dtype)

    def outer(self, X: Array) -> Array:
        """Return rows of points in the user's unit."""
        points: Array = np.ascontiguousarray(X.T, dtype=np.float64)
        if X.dtype == np.float32:
            points = self.space.project_points(points)
        return points / self.factor

    def outer_all(self, X: Array, space: Space) -> tuple[Array, Loss, Space]:
        """Return rows of points, the loss and a space, all in the user's unit."""
        return self.outer(X), self.loss.scaled(1.0 / self.unit), self.outer_space(space)

    def outer_space(self, space: Space) -> Space:
        """Return a space in the user's unit."""
        outer = _in_unit(space, 1.0 / self.unit)
        assert outer is not None  # it came to the frame's unit
        return outer

    def smoothing_in(self, factor: float, smoothing: float) -> float:
        """Return a level of smoothing in a unit in which distances are `factor` times as large."""
        return float(self.loss.smoothed(smoothing).scaled(factor).smoothing)  # type: ignore[attr-defined]


def contiguous(tile: Tile) -> Tile:
    """Return a tile whose rows follow each other in memory, as compiled code reads them."""
    first, D, W = tile
    return first, np.ascontiguousarray(D), None if W is None else np.ascontiguousarray(W)


def is_shared(n: int) -> bool:
    """Whether threads share a table of so many points."""
    return n >= SHARED_FROM


def _stripes(first: int, count: int, n: int) -> list[slice]:
    """Return parts of the rows with equally many pairs, by the size of the table alone."""
    if not is_shared(n):
        return [slice(0, count)]
    pairs = np.linspace(first**2, (first + count) ** 2, STRIPES + 1)
    ends = np.sqrt(pairs).round().astype(int) - first
    return [slice(int(a), int(b)) for a, b in pairwise(ends) if b > a]


def _working_unit(typical: float) -> float:
    """Return the power of two that makes a typical distance about one."""
    return float(2.0 ** -np.clip(round(np.log2(typical)), -1000, 1000))


def _in_unit(space: Space, unit: float) -> Space | None:
    """Return the space with its distances multiplied by `unit`, or None where it cannot be."""
    return space.scaled(unit) if unit != 1.0 else space


def own_smoothing(loss: Loss) -> float:
    """Return the smoothing that a loss was given."""
    return float(getattr(loss, "smoothing", 0.0))
