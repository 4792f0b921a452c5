"""The function that a fit has found: from dissimilarities to disparities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unimds._runtime.extras import require
from unimds.levels.base import Level

Array = NDArray[Any]


@final
@dataclass(frozen=True, eq=False)
class Transformation:
    """A fitted transformation of dissimilarities: ``mds.transformation_``.

    Call it with dissimilarities. Between known ones it interpolates; beyond them it is constant,
    since nothing is known there, but for zero, the dissimilarity of equal things, which stays zero.
    Where ties may differ, it tells their mean.

    Attributes
    ----------
    level : Level
        The level of measurement.
    given : ndarray
        Different given dissimilarities, rising.
    disparities : ndarray
        What they became; with ``conditional="row"``, in the mean of the rows.
    rows : tuple of Transformation
        With ``conditional="row"``, the transformation of each row (None where a row has no known
        pair); else empty. ``transformation[3]`` is that of row 3.

    Examples
    --------
    >>> from unimds.levels import Interval, Transformation
    >>> line = Transformation(Interval(), np.array([1.0, 3.0]), np.array([2.0, 6.0]))
    >>> line([0.0, 0.5, 2.0, 9.0])
    array([0., 2., 4., 6.])
    """

    level: Level
    given: Array
    disparities: Array
    rows: tuple[Transformation | None, ...] = ()

    def __getitem__(self, row: int) -> Transformation | None:
        """Return the transformation of a row."""
        if not self.rows:
            raise TypeError(
                "there is one transformation for the whole table, which can be called; with "
                'conditional="row" each row has one'
            )
        return self.rows[row]

    def times(self, factor: float) -> Transformation:
        """Return the same function with disparities in another unit."""
        rows = tuple(None if row is None else row.times(factor) for row in self.rows)
        return Transformation(self.level, self.given, self.disparities * factor, rows)

    def __call__(self, d: ArrayLike) -> Array:
        """Return the disparities of dissimilarities; NaN stays NaN."""
        d = np.asarray(d, dtype=np.float64)
        found = np.interp(d, self.given, self.disparities)
        found = np.where(np.isnan(d), np.nan, found)  # which a single entry would hide
        return np.where((d == 0.0) & (self.given[0] > 0.0), 0.0, found)

    def beyond(self, d: ArrayLike) -> float:
        """Return the share of dissimilarities that lie beyond the known ones."""
        d = np.asarray(d, dtype=np.float64)
        known = d[~np.isnan(d) & (d != 0.0)]
        out = (known < self.given[0]) | (known > self.given[-1])
        return float(out.mean()) if known.size else 0.0

    def corners(self) -> Transformation:
        """Return the same function by fewer numbers: the ends of its steps.

        Examples
        --------
        >>> from unimds.levels import Ordinal, Transformation
        >>> steps = np.array([1.0, 1.0, 1.0, 2.0])
        >>> Transformation(Ordinal(), np.arange(4.0), steps).corners().given
        array([0., 2., 3.])
        """
        bends = np.diff(self.disparities) != 0.0
        kept = np.append(True, bends) | np.append(bends, True)
        return Transformation(self.level, self.given[kept], self.disparities[kept])

    def __repr__(self) -> str:
        low, high = self.given[0], self.given[-1]
        return f"Transformation({self.level}, {low:g} to {high:g} becomes " + (
            f"{self.disparities[0]:.4g} to {self.disparities[-1]:.4g})"
        )

    def plot(self, ax: Any = None, **style: Any) -> Any:
        """Draw the function into axes, or into those of a new figure, and return them.

        What is known in ranks only is drawn as steps. `style` goes to matplotlib's ``plot``.
        """
        if ax is None:
            ax = require("matplotlib.pyplot", "plot").figure(layout="constrained").add_subplot()
            ax.set(xlabel="given dissimilarity", ylabel="disparity")
        drawn = "steps-mid" if self.level.in_steps else "default"
        ax.plot(self.given, self.disparities, **{"drawstyle": drawn, "color": "#D55E00", **style})
        return ax
