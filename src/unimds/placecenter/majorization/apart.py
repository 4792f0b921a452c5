"""How far the points of a map are apart: what targets adapt to.

Nothing here holds a table of distances. They are computed some rows at a time, and added up by the
codes of the pairs (`unimds.distances.coded`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from unimds.compiled.parts import explained, kernel
from unimds.distances.coded import Coding
from unimds.distances.tiles import Tile
from unimds.kernels.engine import engine_for
from unimds.losses import Loss, Squared
from unimds.spaces.base import Space

Array = NDArray[Any]

MEASURING = Squared()  # where only distances are asked for, any loss will do
LIGHTEST = 1e-12  # weight of a parabola, as a share of the largest


@final
@dataclass(frozen=True, eq=False)
class Apart:
    """The distances between the points of a map.

    Attributes
    ----------
    space : Space
        Measures them.
    X : ndarray of shape (n_coordinates, n)
        The points.
    """

    space: Space
    X: Array

    def parabolas(self, codes: Coding, loss: Loss, unit: float, r: Array) -> tuple[Array, Array]:
        """Return weight and centre of the sum of parabolas of every code, at the disparities `r`.

        These and the centres are distances over `unit`. Where the loss is its own parabola, the
        centres are the mean distances.
        """
        size, both = codes.d.size + 2, codes.layers == 2
        X = np.ascontiguousarray(self.X)  # compiled code reads it row by row
        if loss.is_parabola:
            (total,) = codes.added_up(Distances(self.space, size, both), X)
            t, w = total[:-2], codes.weights
            t /= w
        else:
            now = np.append(r * unit, [0.0, 0.0])
            sums = codes.added_up(Parabolas(self.space, loss, now, both), X)
            w, t = _held(sums[0, :-2], sums[1, :-2], now[:-2])
        t /= unit
        return w, t


def _held(above: Array, below: Array, r: Array) -> tuple[Array, Array]:
    """Return weights and centres from sums w ρ and w.

    A loss may give no weight to large errors: they get a little, which holds to what there is.
    """
    least = LIGHTEST * (float(below.max(initial=0.0)) or 1.0)
    more = np.maximum(least - below, 0.0)
    return below + more, (above + more * r) / (below + more)


@final
@dataclass(frozen=True, eq=False)
class Distances:
    """Adds up the distances of pairs by their codes, for the rows of a tile of codes."""

    space: Space
    size: int
    both: bool

    def __call__(self, tile: Tile, X: Array) -> Array:
        """Return the sums."""
        (first, codes, W), total = _flat(tile), np.zeros((1, self.size))
        engine = engine_for(MEASURING, self.space, X)
        engine.add_by_code(X, codes, W, self.both, total[0], first)
        return total


@final
@dataclass(frozen=True, eq=False)
class Parabolas:
    """Adds up w ρ and w of the parabolas in the disparities in the same way."""

    space: Space
    loss: Loss
    r: Array
    both: bool

    def __call__(self, tile: Tile, X: Array) -> Array:
        """Return the sums."""
        (first, codes, W), sums = _flat(tile), np.zeros((2, self.r.size))
        engine = engine_for(MEASURING, self.space, X)
        with explained(self.loss):
            for begin, U in engine.earlier_rows(X, first, len(codes)):
                known = codes, W, begin, first, self.both
                add_parabolas(self.loss, U, *known, self.r, sums[0], sums[1])
        return sums


def _flat(tile: Tile) -> tuple[int, Array, Array]:
    """Return the rows of a tile without layers; and no weights where all pairs weigh one."""
    first, codes, W = tile
    return first, codes[:, 0], np.empty((0, 0)) if W is None else np.ascontiguousarray(W[:, 0])


@kernel
def add_parabolas(loss, U, codes, W, first, origin, both, r, above, below):  # type: ignore[no-untyped-def]
    """Add w and w ρ of the parabolas in the disparities, by the codes of the pairs.

    `origin` is the point of the first row of codes and weights.
    """
    for i in range(U.shape[0]):
        own = first + i
        for direction in range(2 if both else 1):
            for j in range(own):
                u = float(U[i, j])
                row, column = (own - origin, j) if direction == 0 else (j, own)
                code = codes[row, column]
                w = (W[row, column] if W.size else 1.0) * loss.weight(r[code], u)
                below[code] += w
                above[code] += w * loss.radius(r[code], u)
