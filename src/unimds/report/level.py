"""The level of measurement of a map, in words and in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds.distances.table import HeldTable, LocalTable
from unimds.levels import Interval, Level, MonotoneSpline, Ordinal, PowerLaw, described
from unimds.placecenter.result import is_by_row, scaling_of, targets_of, transformation_of
from unimds.plots.transformation import Curve, curves_of, thinned

Array = NDArray[Any]

KRUSKAL = ((0.025, "excellent"), (0.05, "good"), (0.1, "fair"), (0.2, "poor"))
"""What Kruskal (1964) called the Stress-1 of ordinal maps whose ties may break."""
CURVES = 30
"""Maximum number of curves, where every row has one."""


@dataclass(frozen=True)
class Scaled:
    """What the distances of a map at a level of measurement are compared with.

    Attributes
    ----------
    level : Level
        The level.
    table : LocalTable or None
        The disparities.
    curves : list of pairs of arrays
        The transformation: one curve, or one for each of some rows.
    by_row : bool
        Whether every row has a transformation of its own.
    degeneracy : Degeneracy or None
        Why the map is degenerate, if it is.
    """

    level: Level
    table: LocalTable | None
    curves: list[Curve]
    by_row: bool
    degeneracy: Any

    @property
    def told(self) -> str:
        """The level in words."""
        return described(self.level) + ", each row by itself" * self.by_row

    @property
    def is_kruskals(self) -> bool:
        """Whether Kruskal's words for stress are meant for such maps."""
        level = self.level
        plain = isinstance(level, Ordinal) and level.ties == "primary" and level.strictness == 0.0
        return plain and not self.by_row and self.degeneracy is None


def scaled_of(mds: Any, given: LocalTable | None) -> Scaled | None:
    """Return what a map is compared with, or None at the level "ratio"."""
    found = transformation_of(mds)
    if found is None:
        return None
    curves = curves_of(mds)
    rows = np.linspace(0, len(curves) - 1, min(len(curves), CURVES)).astype(int)
    return Scaled(
        level=found.level,
        table=_disparities(mds, given),
        curves=[thinned(curves[i], found.level.in_steps) for i in rows],
        by_row=is_by_row(mds),
        degeneracy=getattr(getattr(mds, "result_", mds), "degeneracy", None),
    )


def _disparities(mds: Any, given: LocalTable | None) -> LocalTable | None:
    scaling = scaling_of(mds)
    if isinstance(given, HeldTable):
        return HeldTable(targets_of(given.D[:, 0].astype(np.float64), mds)[:, None])
    # distances that are computed when they are needed are those of the fit
    return None if given is None or scaling is None else HeldTable(scaling.disparities[:, None])


def meaning(level: Level) -> str:
    """Return what disparities are at a level, as a sentence.

    Examples
    --------
    >>> meaning(Interval())
    'Disparities are a straight line of the given dissimilarities, a + b d.'
    """
    if isinstance(level, Ordinal):
        return "Disparities rise with the given dissimilarities, of which only the order counts."
    words: dict[type[Level], str] = {
        Interval: "a straight line of the given dissimilarities, a + b d",
        MonotoneSpline: "a smooth rising curve of the given dissimilarities",
        PowerLaw: "a power of the given dissimilarities",
    }
    return f"Disparities are {words.get(type(level), 'transformed given dissimilarities')}."


def kruskals_word(stress: float) -> str:
    """Return what Kruskal called a Stress-1, as a sentence.

    Examples
    --------
    >>> print(kruskals_word(0.08))
    Of ordinal maps, Kruskal called a Stress-1 of 0.05 good and 0.1 fair: this one lies between.
    >>> print(kruskals_word(0.3))
    Of ordinal maps, Kruskal called a Stress-1 of 0.2 poor: this one is higher.
    """
    said = "Of ordinal maps, Kruskal called a Stress-1 of"
    (least, best), (most, worst) = KRUSKAL[0], KRUSKAL[-1]
    if stress <= least:
        return f"{said} {least:g} {best}: this one is as low, or lower."
    if stress > most:
        return f"{said} {most:g} {worst}: this one is higher."
    (low, better), (high, worse) = next(pair for pair in pairwise(KRUSKAL) if stress <= pair[1][0])
    return f"{said} {low:g} {better} and {high:g} {worse}: this one lies between."
