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
from unimds.distances.coded import Codes
from unimds.kernels.engine import Engine
from unimds.losses import Loss

Array = NDArray[Any]

LIGHTEST = 1e-12  # weight of a parabola, as a share of the largest


@final
@dataclass(frozen=True, eq=False)
class Apart:
    """The distances between the points of a map.

    Attributes
    ----------
    engine : Engine
        Measures them.
    X : ndarray of shape (n_coordinates, n)
        The points.
    """

    engine: Engine
    X: Array

    def parabolas(self, codes: Codes, loss: Loss, unit: float, r: Array) -> tuple[Array, Array]:
        """Return weight and centre of the sum of parabolas of every code, at the disparities `r`.

        These and the centres are distances over `unit`. Where the loss is its own parabola, the
        centres are the mean distances.
        """
        if loss.is_parabola:
            total = np.zeros(codes.d.size + 2)
            known = codes.of_pairs, codes.weights_of_pairs, codes.layers == 2
            self.engine.add_by_code(self.X, *known, total)
            t, w = total[:-2], codes.weights
            t /= w
        else:
            with explained(loss):
                w, t = self._parabolas(codes, loss, r * unit)
        t /= unit
        return w, t

    def _parabolas(self, codes: Codes, loss: Loss, r: Array) -> tuple[Array, Array]:
        above, below = np.zeros(codes.d.size + 2), np.zeros(codes.d.size + 2)
        r, known = np.append(r, [0.0, 0.0]), (codes.of_pairs, codes.weights_of_pairs)
        for first, U in self.engine.earlier_rows(self.X):
            add_parabolas(loss, U, *known, first, codes.layers == 2, r, above, below)
        above, below, r = above[:-2], below[:-2], r[:-2]
        # a loss may give no weight to large errors: a little more, which holds to what there is
        least = LIGHTEST * (float(below.max(initial=0.0)) or 1.0)
        more = np.maximum(least - below, 0.0)
        return below + more, (above + more * r) / (below + more)


@kernel
def add_parabolas(loss, U, codes, W, first, both, r, above, below):  # type: ignore[no-untyped-def]
    """Add w and w ρ of the parabolas in the disparities, by the codes of the pairs."""
    for i in range(U.shape[0]):
        own = first + i
        for direction in range(2 if both else 1):
            for j in range(own):
                u = float(U[i, j])
                row, column = (own, j) if direction == 0 else (j, own)
                code = codes[row, column]
                w = (W[row, column] if W.size else 1.0) * loss.weight(r[code], u)
                below[code] += w
                above[code] += w * loss.radius(r[code], u)
