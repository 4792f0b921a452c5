"""Groups on a map: hulls, ellipses and spiders, as vegan's ordihull, ordiellipse and ordispider."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from unimds.plots.axes import MOST, title_of
from unimds.plots.columns import as_categories
from unimds.plots.layers.base import Drawing, Entry, Layer, Line, Mark, Name, Scene
from unimds.plots.layers.grounds import Ground, ground_of
from unimds.trust.stability import hotelling

Array = NDArray[Any]


class Group(NamedTuple):
    """A group of points: its name, the number of its colour, and its points."""

    name: str
    hue: int
    rows: NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class GroupLayer(Layer):
    """A layer that draws something for each group of points."""

    groups: Sequence[Any]
    names: bool = False

    @property
    def name(self) -> str:
        """What the report calls the layer."""
        title = getattr(self.groups, "name", None)
        return self._what if title is None else f"{self._what} of {title}"

    @property
    @abstractmethod
    def _what(self) -> str:
        """What is drawn, in the plural."""

    @abstractmethod
    def _lines(self, ground: Ground, group: Group) -> list[Line]:
        """Return the lines of a group."""

    def draw(self, scene: Scene) -> Drawing:
        """Return the lines of all groups, in the colours of their points."""
        ground = ground_of(scene, self._what)
        marks: list[Mark] = []
        entries = []
        for group in groups_of(scene, self.groups):
            lines = self._lines(ground, group)
            marks += lines
            if lines and self.names:
                marks.append(Name(_middle(lines), group.name, group.hue))
            elif lines and group.name not in scene.groups:
                entries.append(Entry(group.name, lines[0]))
        return Drawing(marks, entries, title_of(self.groups))


def _middle(lines: Sequence[Line]) -> Array:
    return np.asarray(np.vstack([line.path for line in lines]).mean(axis=0))


def groups_of(scene: Scene, values: Any) -> Iterator[Group]:
    """Yield the groups of a column, those that the points are coloured by in the same colours."""
    column = scene.matched(values, "groups")
    names, codes, _ = as_categories(column, MOST)
    free = scene.free_hues()
    for k, name in enumerate(names):
        rows = np.flatnonzero(codes == k)
        known = scene.groups.get(name)
        if len(rows):
            yield Group(name, next(free) if known is None else known, rows)


@final
@dataclass(frozen=True, eq=False)
class Hulls(GroupLayer):
    """The convex hull of each group, as vegan's ``ordihull``.

    On a sphere, in the Poincaré disk and in a triangle its sides are geodesics. The hull of two
    points is a line, and one point has none.

    Parameters
    ----------
    groups : sequence of n values
        The group of each point; a pandas Series is matched with the points by label. Points
        without a value are in no group, and of more than 14 groups the rarest have no hull.
    names : bool, default=False
        Whether to write the name of each group at its middle, in place of the legend.

    Examples
    --------
    >>> from unimds.plots import Hulls, plot_embedding
    >>> plot_embedding(mds, color=kind, layers=[Hulls(kind)])  # doctest: +SKIP
    """

    @property
    def _what(self) -> str:
        return "hulls"

    def _lines(self, ground: Ground, group: Group) -> list[Line]:
        return [Line(path, group.hue, filled=True) for path in ground.hull(group.rows)]


@final
@dataclass(frozen=True, eq=False)
class Ellipses(GroupLayer):
    """An ellipse for each group that holds a share of its points, as ``ordiellipse(kind="sd")``.

    The ellipse is vᵀ C⁻¹ v = χ², where C is the covariance of the group and χ² the quantile
    of the chi-squared distribution with 2 degrees of freedom: it holds the share `confidence` of
    points that are normally distributed. Without `confidence` it is one standard deviation. In a
    curved space v is a direction at the mean of the group, and the ellipse bends along with the
    space. A report on a map of three dimensions shows ellipsoids, with 3 degrees of freedom. A
    group of fewer than three points has none.

    Parameters
    ----------
    groups : sequence of n values
        As for `Hulls`.
    names : bool, default=False
        As for `Hulls`.
    confidence : float, default=0.95
        The share of the points; None for one standard deviation.

    Examples
    --------
    >>> from unimds.plots import Ellipses, plot_embedding
    >>> plot_embedding(mds, color=kind, layers=[Ellipses(kind)])  # doctest: +SKIP
    """

    confidence: float | None = 0.95

    @property
    def _what(self) -> str:
        return "ellipses"

    def _lines(self, ground: Ground, group: Group) -> list[Line]:
        bound = chi_squared(self.confidence, ground.dimensions)
        return [Line(path, group.hue, filled=True) for path in ground.ellipse(group.rows, bound)]


@final
@dataclass(frozen=True, eq=False)
class CentroidEllipses(GroupLayer):
    """A confidence ellipse of the mean of each group, as vegan's ``ordiellipse(kind="se")``.

    As `Ellipses`, with the covariance of the mean, C / m for a group of m points. It shrinks as
    groups grow: where the ellipses of two groups are apart, their means differ.

    Parameters
    ----------
    groups : sequence of n values
        As for `Hulls`.
    names : bool, default=False
        As for `Hulls`.
    confidence : float, default=0.95
        How often the ellipse should hold the true mean; None for one standard error.
    few : bool, default=False
        Whether to use Hotelling's bound, which is right for few points, and larger. vegan uses the
        chi-squared distribution, which is right for many.

    Examples
    --------
    >>> from unimds.plots import CentroidEllipses, plot_embedding
    >>> plot_embedding(mds, color=kind, layers=[CentroidEllipses(kind)])  # doctest: +SKIP
    """

    confidence: float | None = 0.95
    few: bool = False

    @property
    def _what(self) -> str:
        return "ellipses of means"

    def _lines(self, ground: Ground, group: Group) -> list[Line]:
        m, k = len(group.rows), ground.dimensions
        bound = chi_squared(self.confidence, k)
        if self.few and self.confidence is not None:
            bound = hotelling(self.confidence, k, m - 1.0)
        paths = ground.ellipse(group.rows, bound / m)
        return [Line(path, group.hue, filled=True) for path in paths]


def chi_squared(confidence: float | None, k: int) -> float:
    """Return the bound of an ellipse of k dimensions; 1 where no share is asked for.

    Examples
    --------
    >>> round(chi_squared(0.95, 2), 3), round(chi_squared(0.95, 3), 3), chi_squared(None, 2)
    (5.991, 7.815, 1.0)
    """
    if confidence is None:
        return 1.0
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence={confidence!r} must lie between 0 and 1, or be None")
    return float(chi2.ppf(confidence, k))


@final
@dataclass(frozen=True, eq=False)
class Spiders(GroupLayer):
    """A line from the mean of each group to each of its points, as vegan's ``ordispider``.

    In a curved space the mean is Fréchet's, and the lines are geodesics.

    Parameters
    ----------
    groups : sequence of n values
        As for `Hulls`.
    names : bool, default=False
        As for `Hulls`.

    Examples
    --------
    >>> from unimds.plots import Spiders, plot_embedding
    >>> plot_embedding(mds, color=kind, layers=[Spiders(kind, names=True)])  # doctest: +SKIP
    """

    @property
    def _what(self) -> str:
        return "spiders"

    def _lines(self, ground: Ground, group: Group) -> list[Line]:
        ends = ground.places[group.rows]
        starts = np.broadcast_to(ground.mean(group.rows), ends.shape)
        return [Line(path, group.hue, width=0.8) for path in ground.paths(starts, ends)]
