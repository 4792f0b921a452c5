r"""What the distances of a map are compared with: the given ones, or disparities that adapt.

At a level of measurement other than "ratio", the given dissimilarities are known only up to a
transformation. The transformed ones, the disparities :math:`r`, are found together with the map: a
sweep or a step moves the points, then the disparities move. With the arguments exchanged, the loss
has a parabola in its disparity, :math:`w (r - \rho)^2` with ``w = weight(r₀, u)`` and
``ρ = radius(r₀, u)``, so that the best disparities are a weighted regression
(`unimds.levels.Level.nearest`) and the cost never rises.

Without a bound the cheapest map would be a single point. So the size of the disparities,
:math:`M(r) = \sum \omega |r|^q`, is kept: q is 2 for the squared loss, and between 1 and 2 for
others, as the cost of a point far away grows. For the squared loss, r is the regression on the
distances, brought to that size. For others r stays within the half-space
:math:`\sum \omega r_0^{q-1} r \ge M(r_0)`: M is convex, so M cannot fall. Fixed points tell
the size, where the table knows how far they are apart: disparities take the one that matches the
distances between these, unless that would raise the cost.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from unimds.distances.coded import BINS, Coding, binned, ranked
from unimds.distances.pairs import Pairs
from unimds.distances.table import DistanceTable, LocalTable
from unimds.levels import Level, Transformation
from unimds.levels.base import Bound
from unimds.levels.by_row import ByRow
from unimds.losses import Loss
from unimds.placecenter.majorization.apart import Apart

Array = NDArray[Any]

Fixed = tuple[Array, Array]
"""Numbers of fixed points, and the distances between them."""

FEW = 200  # points up to which every pair is an entry of the regression
ORDER_BINS = 4096  # where there are more: their sums stay in the nearest cache
FEWEST = 1500  # bins: where ties are so long that there are fewer, ties must be parted


class Targets(ABC):
    """What the distances of a map are compared with; `r` are the targets of this moment."""

    @property
    @abstractmethod
    def first(self) -> Array:
        """The targets to begin with."""

    @abstractmethod
    def aimed(self, pairs: Pairs, r: Array) -> Pairs:
        """Return the pairs with the targets as their distances."""

    @abstractmethod
    def adapted(self, apart: Apart, loss: Loss, unit: float, r: Array) -> Array:
        """Return the targets that fit the distances of a map better, or as well.

        The distances are targets times `unit`.
        """

    @abstractmethod
    def fitted(self, apart: Apart, loss: Loss, unit: float, r: Array) -> Array:
        """Return the targets in the unit in which they fit the distances of a map best."""

    @abstractmethod
    def growth(self, r: Array) -> float:
        """Return what the targets must be multiplied by, to have the size of the data."""

    @abstractmethod
    def scaling(self, r: Array) -> Scaling | None:
        """Return the targets of a result, if they are not the given distances."""


@final
class Given(Targets):
    """The targets are the given distances."""

    first = np.empty(0)

    def aimed(self, pairs: Pairs, r: Array) -> Pairs:
        """Return the pairs themselves."""
        return pairs

    def adapted(self, apart: Apart, loss: Loss, unit: float, r: Array) -> Array:
        """Return the targets as they are."""
        return r

    def fitted(self, apart: Apart, loss: Loss, unit: float, r: Array) -> Array:
        """Return the targets as they are."""
        return r

    def growth(self, r: Array) -> float:
        """Return one."""
        return 1.0

    def scaling(self, r: Array) -> None:
        """Return None: nothing is transformed."""


GIVEN = Given()


@final
class Disparities(Targets):
    """The targets are a transformation of the given dissimilarities, which a level allows.

    Parameters
    ----------
    level : Level
        Which transformations are allowed.
    codes : Coding
        The entry of every pair.
    power : float
        The power q of disparities by which their size is measured.
    n_components : int
        Dimension of the map, on which the first disparities may depend.
    fixed : tuple of two ndarrays, or None
        Numbers of fixed points and the distances between them. They tell the size of the
        disparities, if some of the dissimilarities between these points are known.
    """

    def __init__(
        self, level: Level, codes: Coding, power: float, n_components: int, fixed: Fixed | None
    ):
        self.level, self.codes, self.power = level, codes, power
        self.fixed = fixed if fixed is not None and _tell_size(codes, fixed) else None
        self.family = level if len(codes.blocks) == 1 else ByRow(level, codes.blocks)
        self.size = self._measure(codes.d)
        self._first = self._begun(n_components)
        if self.fixed is not None:
            self._first = self._sized_by_fixed(self._first)
        self.known = self.family.prepare(codes.d, self._first)

    def _begun(self, n_components: int) -> Array:
        """Return the first disparities, in the unit of the data."""
        codes = self.codes
        begun = self.family.first(codes.d, codes.counts, n_components).astype(np.float64)
        size = self._measure(begun)
        return begun * (self.size / size) ** (1.0 / self.power) if size > 0.0 else begun

    @property
    def first(self) -> Array:
        """The disparities to begin with."""
        return self._first

    def _measure(self, r: Array) -> float:
        """Return the size of disparities."""
        return float(self.codes.weights @ np.abs(r) ** self.power)

    def aimed(self, pairs: Pairs, r: Array) -> Pairs:
        """Return the pairs with their disparities."""
        return pairs.through(self.codes.coded(r))

    def adapted(self, apart: Apart, loss: Loss, unit: float, r: Array) -> Array:
        """Return disparities that fit the distances of a map better, or as well."""
        family, known, omega = self.family, self.known, self.codes.weights
        w, t = apart.parabolas(self.codes, loss, unit, r)
        if self.fixed is not None:
            found = self._sized_by_fixed(family.nearer(known, t, w, r))
            if w @ (found - t) ** 2 <= w @ (r - t) ** 2:
                return found  # else the size is held, and the cost falls nevertheless
        if loss.is_parabola and family.is_cone:
            found = family.nearer(known, t, w, r)
            size = float(found @ (omega * found))
            return found * np.sqrt(float(r @ (omega * r)) / size) if size > 0.0 else r
        slope = omega * np.sign(r) * np.abs(r) ** (self.power - 1.0)
        return family.nearest(known, t, w, Bound(slope, float(slope @ r)), r)

    def _sized_by_fixed(self, r: Array) -> Array:
        """Return disparities in the unit in which they match the distances of fixed points best.

        Without it they could shrink together with the points that move: the cost would fall, and
        the map collapse.
        """
        assert self.fixed is not None
        among, apart = _among(self.codes, r, self.fixed), self.fixed[1]
        above, below = float((among * apart).sum()), float((among * among).sum())
        return r * (above / below) if above > 0.0 and below > 0.0 else r

    def fitted(self, apart: Apart, loss: Loss, unit: float, r: Array) -> Array:
        """Return the disparities in the unit in which they fit the distances of a map best.

        A fit holds their size, and so they are a little larger than the distances.
        """
        w, t = apart.parabolas(self.codes, loss, unit, r)
        above, below = float(w @ (t * r)), float(w @ (r * r))
        return r * (above / below) if above > 0.0 and below > 0.0 else r

    def growth(self, r: Array) -> float:
        """Return what the disparities must be multiplied by, to have the size of the data."""
        size = self._measure(r)
        if not (self.fixed is None and self.level.is_cone and size > 0.0):
            return 1.0
        return float((self.size / size) ** (1.0 / self.power))

    def scaling(self, r: Array) -> Scaling:
        """Return the disparities of a result."""
        codes = self.codes
        if len(codes.blocks) == 1:
            return Scaling(_transformation(self.level, codes, r, codes.blocks[0]), codes, r)
        rows = tuple(
            None if some is None else _transformation(self.level, codes, r, some)
            for some in codes.of_rows
        )
        mean = _transformation(self.level, codes, r, slice(None), rises=False)
        return Scaling(replace(mean, rows=rows), codes, r)


def _among(codes: Coding, r: Array, fixed: Fixed) -> Array:
    """Return what codes stand for between fixed points; 0 where a pair is missing."""
    points = fixed[0]
    return np.asarray(np.nan_to_num(codes.coded(r).block(points, points)[0][:, 0]))


def _tell_size(codes: Coding, fixed: Fixed) -> bool:
    """Whether fixed points tell the size of disparities: by known pairs of points that lie apart.

    Else the size must be held, as it is without fixed points: nothing would keep the map from
    collapsing.
    """
    return float((_among(codes, codes.d, fixed) * fixed[1]).sum()) > 0.0


def _transformation(
    level: Level, codes: Coding, r: Array, some: slice, *, rises: bool = True
) -> Transformation:
    """Return the function from dissimilarities to disparities of some entries, in means of ties."""
    d, group = np.unique(codes.d[some], return_inverse=True)
    weights = codes.weights[some]
    means = np.bincount(group, weights * r[some]) / np.bincount(group, weights)
    if rises:  # rounding must not make a mean fall
        means = np.maximum.accumulate(means)
    return Transformation(level, d, means)


@final
@dataclass(frozen=True, eq=False)
class Scaling:
    """The disparities of a result: how they came about, and what they are.

    Attributes
    ----------
    transformation : Transformation
        The function from given dissimilarities to disparities.
    codes : Coding
        The entry of every pair.
    numbers : ndarray
        The disparity of every entry.
    """

    transformation: Transformation
    codes: Coding
    numbers: Array

    def table(self) -> DistanceTable:
        """Return the table of disparities."""
        return self.codes.table(self.numbers)

    @property
    def disparities(self) -> Array:
        """The disparities as a square table; NaN where a pair is missing."""
        return np.asarray(self.table().whole()[0][:, 0])

    def times(self, factor: float) -> Scaling:
        """Return the disparities in another unit."""
        return Scaling(self.transformation.times(factor), self.codes, self.numbers * factor)


def scaled_pairs(
    pairs: Pairs, level: Level, loss: Loss, n_components: int, by_row: bool, fixed: Fixed | None
) -> tuple[Pairs, Disparities]:
    """Return the pairs with their first disparities, and what these adapt by."""
    check_symmetric(loss, pairs.typical, level)
    codes = _codes(pairs, level, by_row)
    power = power_of(loss.resolved(pairs.typical), pairs.typical)
    targets = Disparities(level, codes, power, n_components, fixed)
    r = targets.first
    order = np.argsort(r)
    middle = np.searchsorted(np.cumsum(codes.counts[order]), 0.5 * codes.counts.sum())
    typical = float(r[order[min(middle, r.size - 1)]]) if r.size else 1.0
    known = float(r.max(initial=0.0)), pairs.missing, pairs.weighing
    return Pairs(codes.table(r), pairs.free, typical or 1.0, *known), targets


def check_symmetric(loss: Loss, typical: float, level: Level) -> None:
    """Raise for a loss whose parabola in the distance is none in the disparity."""
    if not loss.is_symmetric(typical):
        where = 'conditional="row"' if level.is_given else f"the level {level}"
        plain = 'conditional="table"' if level.is_given else 'level="ratio"'
        raise ValueError(
            f"{loss} is not symmetric: value(u, r) and value(r, u) differ. A fit with {where} "
            "needs a symmetric loss, since it fits the disparities r to the distances u as well. "
            f"Use {plain}, or a loss of u − r alone, such as Absolute()"
        )


def _codes(pairs: Pairs, level: Level, by_row: bool) -> Coding:
    """Return the codes of a table: bins where pairs are many, unless ties are to be parted."""
    elsewhere = not isinstance(pairs.table, LocalTable)
    if elsewhere:
        check_bins(level, by_row)
    if elsewhere or (pairs.n > FEW and not by_row and level.bins):
        if level.keeps_ties:
            return binned(pairs, BINS, even=True)
        codes = binned(pairs, ORDER_BINS)
        if codes.d.size > FEWEST or (elsewhere and codes.d.size > 0.5 * codes.counts.sum()):
            return codes
        if elsewhere:
            raise ValueError(ON_CLUSTER.format(what=f"{level} with so many ties", remedy=SECONDARY))
    return ranked(pairs, level.keeps_ties, by_row)


ON_CLUSTER = (
    "{what} is not supported on a cluster, where transformations are fitted to bins. {remedy}; or "
    "fit the table in one process, D.compute()"
)
SECONDARY = 'Use Ordinal(ties="secondary")'


def check_bins(level: Level, by_row: bool) -> None:
    """Raise for a transformation that cannot be fitted to bins."""
    if by_row:
        what, remedy = 'conditional="row"', 'Use conditional="table"'
    elif not level.bins:
        what, remedy = f"level={level}", SECONDARY
    else:
        return
    raise ValueError(ON_CLUSTER.format(what=what, remedy=remedy))


def power_of(loss: Loss, scale: float) -> float:
    """Return how the cost of a distance grows that is missed altogether: a power from 1 to 2.

    Examples
    --------
    >>> from unimds.losses import Absolute, Squared
    >>> power_of(Squared(), 1.0), power_of(Absolute(), 1.0)
    (2.0, 1.0)
    """
    near, far = (float(loss.value(0.0, scale * factor)) for factor in (1.0, 2.0))
    return float(np.clip(np.log2(far / near), 1.0, 2.0)) if far > near > 0.0 else 1.0
