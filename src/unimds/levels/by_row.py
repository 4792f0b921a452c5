"""Row-conditional data: every row has a transformation of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from unimds.levels.base import Bound, Level
from unimds.levels.blocks import InBlocks

Array = NDArray[Any]


@final
@dataclass(frozen=True, eq=False)
class ByRow(Level):
    """A level that holds for the dissimilarities of each row, whatever those of other rows.

    The rows share one bound: a row of short distances gets small disparities.

    Attributes
    ----------
    level : Level
        The level of each row.
    blocks : list of slice
        The entries of each row.
    """

    level: Level
    blocks: list[slice]

    @property
    def is_cone(self) -> bool:  # type: ignore[override]
        return self.level.is_cone

    @property
    def is_convex(self) -> bool:  # type: ignore[override]
        return self.level.is_convex

    @property
    def keeps_ties(self) -> bool:
        return self.level.keeps_ties

    def first(self, d: Array, counts: Array, n_components: int) -> Array:
        rows = [self.level.first(d[rows], counts[rows], n_components) for rows in self.blocks]
        return np.concatenate(rows)

    def prepare(self, d: Array, first: Array) -> Any:
        if isinstance(self.level, InBlocks):
            edges = np.array([0, *(rows.stop for rows in self.blocks)])
            return self.level.prepare_blocks(d, first, edges)
        return [self.level.prepare(d[rows], first[rows]) for rows in self.blocks]

    def project(self, known: Any, t: Array, w: Array) -> Array:
        if isinstance(self.level, InBlocks):
            return self.level.project(known, t, w)
        found = np.empty_like(t)
        for row, rows in zip(known, self.blocks, strict=True):
            found[rows] = self.level.project(row, t[rows], w[rows])
        return found

    def nearer(self, known: Any, t: Array, w: Array, now: Array) -> Array:
        if isinstance(self.level, InBlocks):
            return self.level.nearer(known, t, w, now)
        found = np.empty_like(t)
        for row, rows in zip(known, self.blocks, strict=True):
            found[rows] = self.level.nearer(row, t[rows], w[rows], now[rows])
        return found

    def nearest(self, known: Any, t: Array, w: Array, bound: Bound, now: Array) -> Array:
        if isinstance(self.level, InBlocks):
            return self.level.nearest(known, t, w, bound, now)
        found = super().nearest(known, t, w, bound, now)
        # where a level is not convex, nothing says that this is the nearest
        return found if w @ (found - t) ** 2 <= w @ (now - t) ** 2 else now
