"""A small live map: a page of its own, of a few kilobytes, that can be moved, zoomed and asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.frame import framed
from unimds.plots.shapes import facing
from unimds.plots.views import MapView, principal_plane, view_of
from unimds.report.html import embedded, filled
from unimds.report.subject import Subject

Array = NDArray[Any]

MANY = 2000
"""Points that a small map shows at most."""
NODES = 31
"""Points of a line of the grid; more would make the page heavier, and look the same."""
TALL, LOW, SLANTED = "22em", "7em", "12em"
"""Heights of frames: of maps, of lines, and of lines with names, which are slanted."""


@final
@dataclass(frozen=True)
class Sketch:
    """A small map as data for its page, and what readers must know of it."""

    kind: str
    data: dict[str, Any]
    notes: list[str]

    def framed(self, title: str) -> str:
        """Return the page of the map in an isolated frame."""
        page = (files("unimds.notebook") / "map.html").read_text(encoding="utf-8")
        data = embedded({**self.data, "title": title})
        line = SLANTED if "names" in self.data else LOW
        height = line if self.kind == "line" else TALL
        return framed(filled(page, {"data": data}), title, f"width: 100%; height: {height}")


def sketch_of(
    subject: Subject, names: Sequence[str | None] | None, kinds: Sequence[str] | None = None
) -> Sketch:
    """Return the small map of a subject.

    Parameters
    ----------
    subject : Subject
        The map.
    names : sequence of n names, or None
        Names to write beside the points.
    kinds : sequence of "row" or "column", or None
        What each point is, on a joint map.
    """
    view = _sized(_turned(view_of(subject.points, subject.space)))
    some = _sample(len(view.points))
    data: dict[str, Any] = {
        "kind": view.kind,
        "points": _axes(view.points[some]),
        "numbers": None if len(some) == len(view.points) else some.tolist(),
        "grid": [_axes(_thinned(line)) for line in view.grid],
        "edge": [_axes(line) for line in view.edge],
    }
    if names is not None:
        data["names"] = ["" if names[i] is None else str(names[i]) for i in some]
    if kinds is not None:
        data["columns"] = [int(kinds[i] == "column") for i in some]
    notes = [view.note] if view.note else []
    if len(some) < len(view.points):
        notes.append(
            f"The small map shows {len(some):,} of the {len(view.points):,} points, the same ones "
            "every time."
        )
    return Sketch(view.kind, {key: part for key, part in data.items() if part is not None}, notes)


def _turned(view: MapView) -> MapView:
    """Return a view in three dimensions as the reader first sees it: right, up, and nearer."""
    if view.kind == "globe":
        front, right, above = facing(view.points)
        look = np.column_stack([right, above, front])
        middle = np.zeros(3)
    elif view.kind == "space":
        ball = bool(view.grid)  # the Poincaré ball, whose centre is that of the picture
        middle = np.zeros(3) if ball else view.points.mean(axis=0)
        plane = principal_plane(view.points - middle)[0]
        look = np.column_stack([plane, np.cross(*plane.T)]) if plane.shape[1] == 2 else np.eye(3)
    else:
        return view
    grid = [line @ look for line in view.grid]
    return replace(view, points=(view.points - middle) @ look, grid=grid)


def _sized(view: MapView) -> MapView:
    """Return a view between −1 and 1, if its space has no size of its own."""
    if view.kind not in ("line", "plane", "space") or view.grid:
        return view
    low, high = view.points.min(axis=0), view.points.max(axis=0)
    size = 0.5 * float(np.max(high - low)) or 1.0
    return replace(view, points=(view.points - 0.5 * (low + high)) / size)


def _sample(n: int) -> Array:
    """Return the numbers of the points to show: all, or a sample that is always the same."""
    if n <= MANY:
        return np.arange(n)
    return np.sort(np.random.default_rng(0).choice(n, MANY, replace=False))


def _thinned(line: Array) -> Array:
    rows = np.unique(np.linspace(0, len(line) - 1, NODES).round().astype(int))
    return np.asarray(line[rows] if len(line) > NODES else line)


def _axes(points: Array) -> list[list[float | None]]:
    """Return coordinates axis by axis, to a thousandth of a small picture; NaN is a gap."""
    return [[None if x != x else x for x in axis] for axis in np.round(points, 4).T.tolist()]
