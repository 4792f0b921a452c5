"""The layers of a map as data of the page: lines, signs, arrows and names, by their layers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds.plots.layers import Layer
from unimds.plots.layers.base import (
    Arrow,
    Dots,
    Drawing,
    Line,
    Mark,
    Name,
    Scene,
    UnsuitableLayer,
    as_layers,
)
from unimds.plots.views import view_of
from unimds.report.numbers import brief, with_gaps
from unimds.report.subject import Subject

Array = NDArray[Any]

SIGNS = {"o": "circle", "D": "diamond", "+": "cross", "x": "x"}
"""What plotly calls the signs of matplotlib."""


def layers_of(
    subject: Subject, given: Sequence[Layer], own: Sequence[Layer]
) -> list[dict[str, Any]]:
    """Return the data of layers: those given, and those of the report's own that the map can show.

    A layer that was given and makes no sense on this map is an error.
    """
    table = subject.table if given and subject.n <= MOST else None
    held = None if table is None else table.whole()[0][:, 0]
    view = view_of(subject.points, subject.space)
    labels = None if subject.keys[0] is None else list(subject.keys[0])
    scene = Scene(subject.points, subject.space, view, labels, held)
    drawn = [(layer.name, layer.draw(scene)) for layer in as_layers(given)]
    for layer in own:
        with suppress(UnsuitableLayer):
            drawn.append((layer.name, layer.draw(scene)))
    return [_layer(name, drawing) for name, drawing in drawn]


MOST = 4000
"""Points above which a layer does not get the table of all pairs."""


def _layer(name: str, drawing: Drawing) -> dict[str, Any]:
    marks = drawing.marks
    data: dict[str, Any] = {
        "name": name,
        "lines": list(_lines(mark for mark in marks if isinstance(mark, Line))),
        "dots": [_dots(mark) for mark in marks if isinstance(mark, Dots)],
        "arrows": [_arrow(mark) for mark in marks if isinstance(mark, Arrow)],
        "names": [_name(mark) for mark in marks if isinstance(mark, Name)],
        "legend": [[entry.text, entry.mark.hue, _size(entry.mark)] for entry in drawing.entries],
    }
    return {key: part for key, part in data.items() if part}


def _lines(lines: Iterable[Line]) -> Iterable[dict[str, Any]]:
    """Yield lines that look alike as one, with gaps: plotly draws it as one trace."""
    alike: dict[tuple[Any, ...], list[Array]] = {}
    for line in lines:
        same = (line.hue, line.width, line.filled, line.dashed)
        alike.setdefault(same, []).append(line.path)
    for (hue, width, filled, dashed), paths in alike.items():
        look = {"hue": hue, "width": width, "filled": filled, "dashed": dashed}
        yield {"at": with_gaps(paths), **look}


def _dots(mark: Dots) -> dict[str, Any]:
    sizes = None if mark.areas is None else brief(np.sqrt(mark.areas), 3)
    at = [brief(axis) for axis in mark.places.T]
    look = {"hue": mark.hue, "sign": SIGNS.get(mark.sign, "circle"), "hollow": mark.hollow}
    return {"at": at, "sizes": sizes, **look}


def _size(mark: Mark) -> float:
    """Return how wide the sign of a bubble is in the legend; 0 for that of a line."""
    if not isinstance(mark, Dots) or mark.areas is None:
        return 0.0
    return round(float(np.sqrt(mark.areas[0])), 1)


def _arrow(mark: Arrow) -> dict[str, Any]:
    return {"from": brief(mark.start), "to": brief(mark.tip), "hue": mark.hue}


def _name(mark: Name) -> dict[str, Any]:
    away = None if mark.away is None else brief(mark.away, 3)
    return {"at": brief(mark.place), "text": mark.text, "hue": mark.hue, "away": away}
