"""What a layer is: something to draw on a map, said in marks that a picture and a page can show."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from unimds.distances.joining import joined
from unimds.plots.axes import check_length
from unimds.plots.views import MapView
from unimds.spaces import Space

Array = NDArray[Any]
Hue = int | str
"""The number of a group, or a colour of the theme by its name."""


@final
@dataclass(frozen=True, eq=False)
class Line:
    """A line, or the outline of an area, in the coordinates of the view.

    Attributes
    ----------
    path : ndarray of shape (m, 2) or (m, 3)
        The line; that of an area ends where it begins.
    hue : int or str
        Its colour.
    width : float
        In typographic points.
    filled : bool
        Whether it is the outline of an area, which is filled lightly.
    dashed : bool
        Whether it is dashed.
    """

    path: Array
    hue: Hue
    width: float = 1.1
    filled: bool = False
    dashed: bool = False


@final
@dataclass(frozen=True, eq=False)
class Dots:
    """Signs at places; `areas` are those of matplotlib's ``scatter``, and None for usual ones."""

    places: Array
    hue: Hue
    sign: str = "o"
    areas: Array | None = None
    hollow: bool = False


@final
@dataclass(frozen=True, eq=False)
class Arrow:
    """An arrow from one place to another."""

    start: Array
    tip: Array
    hue: Hue = "miss"


@final
@dataclass(frozen=True, eq=False)
class Name:
    """A text beside a place, which should stand in a direction if one is given."""

    place: Array
    text: str
    hue: Hue = "miss"
    away: Array | None = None


Mark = Line | Dots | Arrow | Name


@final
@dataclass(frozen=True, eq=False)
class Entry:
    """An entry of the legend: a line, an area or a sign, and its meaning."""

    text: str
    mark: Mark


@final
@dataclass(frozen=True, eq=False)
class Drawing:
    """What a layer draws on a map: marks, and a section of the legend with its title."""

    marks: Sequence[Mark]
    entries: Sequence[Entry] = ()
    title: str | None = None


@final
@dataclass(frozen=True, eq=False)
class Scene:
    """A map as layers see it.

    Attributes
    ----------
    points : ndarray of shape (n, n_coordinates)
        The points, in the coordinates of the space.
    space : Space
        Where they lie.
    view : MapView
        How they are drawn.
    labels : list or None
        The labels of the points, to match values by.
    given : ndarray of shape (n, n) or None
        The dissimilarities that the map was fitted to, if they are known.
    groups : dict
        The number of the colour of each category that the points are coloured by.
    """

    points: Array
    space: Space
    view: MapView
    labels: list[Any] | None = None
    given: Array | None = None
    groups: dict[str, int] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """Number of points."""
        return len(self.points)

    def free_hues(self) -> Iterator[int]:
        """Yield the numbers of colours that no category of the points has, without end."""
        used = set(self.groups.values())
        return (hue for hue in count() if hue not in used)

    def matched(self, values: Any, what: str) -> Any:
        """Return values in the order of the points, one for each."""
        if values is None:
            raise TypeError(f"{what} must be a sequence, one for each of the {self.n} points")
        found = joined(values, what, self.labels)
        check_length(found, self.n, what)
        return found

    @property
    def middle(self) -> Array:
        """The mean of the points as they are drawn."""
        return np.asarray(self.view.points.mean(axis=0))

    @property
    def reach(self) -> float:
        """How far the farthest point is from the mean, as they are drawn."""
        return float(np.linalg.norm(self.view.points - self.middle, axis=1).max())


class UnsuitableLayer(ValueError):
    """A layer makes no sense on this map: hulls on a line, arrows on a sphere."""


class Layer(ABC):
    """Something to draw on a map: hulls, ellipses, a tree, arrows, bubbles.

    Give layers to `plot_embedding`, `plot_maps` or `unimds.report.write_report`. To write one,
    derive from this class and return marks.
    """

    @property
    @abstractmethod
    def name(self) -> str:
        """What the report calls the layer, to switch it on and off."""

    @abstractmethod
    def draw(self, scene: Scene) -> Drawing:
        """Return what to draw on a map.

        Parameters
        ----------
        scene : Scene
            The map: its points, its space, and how it is drawn.

        Returns
        -------
        Drawing

        Raises
        ------
        UnsuitableLayer
            If the layer makes no sense on this map.
        """


def as_layers(layers: Any) -> tuple[Layer, ...]:
    """Return layers; raise if something else was given.

    Examples
    --------
    >>> as_layers([])
    ()
    """
    given = layers if isinstance(layers, list | tuple) else [layers]
    wrong = next((one for one in given if not isinstance(one, Layer)), None)
    if wrong is not None or not isinstance(layers, list | tuple):
        told = repr(wrong) if isinstance(wrong, str | type) else type(given[0]).__name__
        raise TypeError(f"layers must be a list of layers, such as [Hulls(groups)], not {told}")
    return tuple(given)
