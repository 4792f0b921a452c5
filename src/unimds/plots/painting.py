"""Layers as matplotlib draws them: marks in the coordinates of a view, on the axes of a picture."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.extras import require
from unimds.plots.axes import plain
from unimds.plots.layers.base import Arrow, Dots, Drawing, Line, Mark, Name
from unimds.plots.points import Section
from unimds.plots.themes import Theme, point_scale, theme_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[Any]

SIGN = 40.0
"""The area of a sign, in typographic points squared."""
FILL = 0.14
"""How densely an area is filled."""
STEPS, TRODDEN = 24, 2000
"""Places on a line that names should not cover, and lines of which that is asked at most."""
MANY = 100
"""Lines above which those that look alike are drawn as one: a line takes a millisecond."""


class Screen(ABC):
    """Where in a picture the places of a view are drawn."""

    @abstractmethod
    def lines(self, path: Array, closed: bool) -> list[Array]:
        """Return the parts of a line that are seen, in the plane."""

    def areas(self, path: Array) -> list[Array]:
        """Return the parts of an area that are seen, by their outlines in the plane."""
        return self.lines(path, closed=True)

    @abstractmethod
    def spots(self, places: Array) -> Array:
        """Return where places are drawn, in the plane."""


@final
class Sheet(Screen):
    """A view of two dimensions, which is drawn as it is."""

    def lines(self, path: Array, closed: bool) -> list[Array]:
        """Return the line."""
        return [path]

    def spots(self, places: Array) -> Array:
        """Return the places."""
        return places


@final
class Hemispheres(Screen):
    """A globe, drawn as its near half at the left and its far half, from behind, at the right."""

    def __init__(self, front: Array, right: Array, above: Array) -> None:
        self.front, self.right, self.above = front, right, above

    def middle(self, side: float) -> Array:
        """Return the centre of the near half, 1, or of the far half, −1."""
        return np.array([-1.05 * side, 0.0])

    def half(self, path: Array, side: float) -> tuple[Array, NDArray[np.bool_]]:
        """Return a path as it is seen from one side, and which part of it is on that side."""
        flat = np.stack([side * (path @ self.right), path @ self.above], axis=-1)
        return flat + self.middle(side), side * (path @ self.front) >= 0.0

    def lines(self, path: Array, closed: bool) -> list[Array]:
        """Return the parts on both halves."""
        parts = []
        for side in (1.0, -1.0):
            seen, ahead = self.half(path, side)
            if ahead.any():
                parts.append(
                    visible_part(seen, ahead) if closed else np.where(ahead[:, None], seen, np.nan)
                )
        return parts

    def areas(self, path: Array) -> list[Array]:
        """Return the parts on both halves; where the rim cuts an area, they end along the rim."""
        parts = []
        for side in (1.0, -1.0):
            seen, ahead = self.half(path, side)
            if ahead.any():
                part = visible_part(seen, ahead)
                rim = [] if ahead.all() else [_rim(part, self.middle(side))]
                parts.append(np.vstack([part, *rim]))
        return parts

    def spots(self, places: Array) -> Array:
        """Return each place on its half."""
        sides = np.where(places @ self.front >= 0.0, 1.0, -1.0)
        return np.column_stack([sides * (places @ self.right - 1.05), places @ self.above])


def _rim(part: Array, middle: Array) -> Array:
    """Return the way along the unit circle from the end of a line back to its beginning."""
    here, there = (np.arctan2(*(end - middle)[::-1]) for end in (part[-1], part[0]))
    turn = (there - here + np.pi) % (2.0 * np.pi) - np.pi
    angle = here + np.linspace(0.0, turn, 40)
    return np.asarray(middle + np.column_stack([np.cos(angle), np.sin(angle)]))


def visible_part(line: Array, ahead: NDArray[np.bool_]) -> Array:
    """Return the part of a closed line that is ahead, as one line.

    Examples
    --------
    >>> square = np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]])
    >>> visible_part(square, np.array([True, False, False, True, True])).tolist()
    [[0, 1], [0, 0]]
    """
    if ahead.all():
        return line
    once, seen = line[:-1], ahead[:-1]  # the last point is the first
    begins = np.flatnonzero(seen & ~np.roll(seen, 1))
    turned = np.roll(np.arange(len(once)), -int(begins[0]))
    return np.asarray(once[turned][seen[turned]])


def trodden(screen: Screen, drawings: Iterable[Drawing]) -> Array:
    """Return places along the lines and arrows of layers, which names should not cover."""
    ways = []
    for mark in (mark for drawing in drawings for mark in drawing.marks):
        if isinstance(mark, Line):
            ways += screen.lines(mark.path, mark.filled)
        elif isinstance(mark, Arrow):
            ways.append(screen.spots(np.stack([mark.start, mark.tip])))
    parts = [_stepped(way) for way in ways[:TRODDEN]]
    return np.vstack(parts) if parts else np.empty((0, 2))


def _stepped(way: Array) -> Array:
    """Return places at short steps along a line."""
    if len(way) > STEPS:
        return way[~np.isnan(way).any(axis=1)]
    t = np.linspace(0.0, 1.0, STEPS)[:, None]
    known = way[~np.isnan(way).any(axis=1)]  # a single place, at the rim of a globe, has no step
    steps = [(1.0 - t) * a + t * b for a, b in pairwise(way) if not np.isnan(a + b).any()]
    return np.vstack([known, *steps])


def paint(
    ax: Axes, screen: Screen, drawings: Iterable[Drawing]
) -> tuple[list[Section], list[Name]]:
    """Draw layers; return their sections of the legend, and the names that are still to write."""
    theme = theme_of(ax)
    sections, names = [], []
    for drawing in drawings:
        for mark in _fewer(drawing.marks):
            if isinstance(mark, Name):
                names.append(mark)
            else:
                _paint_mark(ax, screen, mark, theme)
        signs = [_legend_sign(entry.mark, theme) for entry in drawing.entries]
        sections.append(
            Section(drawing.title, signs, [plain(entry.text) for entry in drawing.entries])
        )
    return sections, names


def _fewer(marks: Sequence[Mark]) -> Sequence[Mark]:
    """Return marks in which very many lines are joined, with gaps."""
    open_ones = [mark for mark in marks if isinstance(mark, Line) and not mark.filled]
    if len(open_ones) <= MANY:
        return marks
    alike: dict[Any, list[Line]] = {}
    for line in open_ones:
        alike.setdefault((line.hue, line.width, line.dashed), []).append(line)
    gap = np.full((1, open_ones[0].path.shape[1]), np.nan)
    joined = [
        replace(some[0], path=np.vstack([part for line in some for part in (line.path, gap)]))
        for some in alike.values()
    ]
    others = [mark for mark in marks if not isinstance(mark, Line) or mark.filled]
    return [*joined, *others]


def _paint_mark(ax: Axes, screen: Screen, mark: Line | Dots | Arrow, theme: Theme) -> None:
    hue = theme.hue(mark.hue)
    if isinstance(mark, Line):
        for area in screen.areas(mark.path) if mark.filled else ():
            ax.fill(*area.T, facecolor=hue, alpha=FILL, edgecolor="none", zorder=1.9)
        for path in screen.lines(mark.path, mark.filled):
            ax.plot(*path.T, color=hue, zorder=2.0, **_stroke(mark))
    elif isinstance(mark, Dots):
        ax.scatter(*screen.spots(mark.places).T, **_sign(mark, hue, theme))
    else:
        ends = screen.spots(np.stack([mark.start, mark.tip]))
        ax.add_patch(_arrow(ends[0], ends[1], hue))
        ax.update_datalim(ends)  # matplotlib does not count arrows
        ax.autoscale_view()


def _stroke(mark: Line) -> dict[str, Any]:
    broad = mark.width > 4.0
    how: dict[str, Any] = {"linewidth": mark.width, "alpha": 0.35 if broad else 0.85}
    how["linestyle"] = "--" if mark.dashed else "-"
    return {**how, "solid_capstyle": "butt"} if broad else how


def _sign(mark: Dots, hue: str, theme: Theme) -> dict[str, Any]:
    areas = point_scale() * (SIGN if mark.areas is None else mark.areas)
    if mark.hollow:
        return {
            "s": areas,
            "facecolors": "none",
            "edgecolors": hue,
            "linewidths": 1.0,
            "zorder": 2.2,
        }
    if mark.sign in "+x":
        return {"s": areas, "marker": mark.sign, "color": hue, "linewidths": 1.2, "zorder": 3.4}
    look: dict[str, Any] = {"marker": mark.sign, "color": hue, "edgecolors": theme.page}
    return {"s": areas, "zorder": 3.5, **look}


def _arrow(start: Array, tip: Array, hue: str) -> Any:
    scale = float(np.sqrt(point_scale()))
    return require("matplotlib.patches", "plot").FancyArrowPatch(
        tuple(start),
        tuple(tip),
        arrowstyle="-|>",
        mutation_scale=11.0 * scale,
        shrinkA=0.0,
        shrinkB=0.0,
        linewidth=1.4 * scale,
        color=hue,
        zorder=3.0,
    )


def _legend_sign(mark: Mark, theme: Theme) -> Any:
    """Return the sign of a legend: a patch of an area, a line, or a ring as large as a bubble."""
    hue = theme.hue(mark.hue)
    if isinstance(mark, Line) and mark.filled:
        colour = require("matplotlib.colors", "plot").to_rgba
        patch = require("matplotlib.patches", "plot").Patch
        return patch(facecolor=colour(hue, FILL), edgecolor=hue, linewidth=mark.width)
    line = require("matplotlib.lines", "plot").Line2D
    if isinstance(mark, Dots):
        areas = SIGN if mark.areas is None else float(mark.areas[0])
        size = float(np.sqrt(point_scale() * areas))
        inside = "none" if mark.hollow else hue
        look = {"marker": mark.sign, "markersize": size, "markerfacecolor": inside}
        return line([], [], linestyle="none", markeredgecolor=hue, **look)
    return line([], [], color=hue, linewidth=getattr(mark, "width", 1.1))
