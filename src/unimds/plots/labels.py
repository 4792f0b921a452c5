"""Names beside points, without overlaps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unimds.plots.axes import plain
from unimds.plots.room import box_of, neighbours

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.floating[Any]]

# Places of a name relative to its point: shift and alignment, the preferred places first.
PLACES = (
    ((1.0, 0.0), "left", "center"),
    ((-1.0, 0.0), "right", "center"),
    ((0.0, 1.0), "center", "bottom"),
    ((0.0, -1.0), "center", "top"),
    ((0.7, 0.7), "left", "bottom"),
    ((0.7, -0.7), "left", "top"),
    ((-0.7, 0.7), "right", "bottom"),
    ((-0.7, -0.7), "right", "top"),
)


def write_labels(
    ax: Axes, places: Array, names: Sequence[str | None], avoid: Array, gap: float = 4.0
) -> None:
    """Write names beside their points; names never overlap, and cover as few points as possible.

    Names stay on the page, and off the legend, the title and other pictures. The layout of the
    figure must be final, since space is measured in pixels. `gap` is the distance of a name from
    its point, in typographic points.
    """
    figure: Any = ax.figure
    figure.figure.draw_without_rendering()  # of the whole page, if the figure is a part of it
    pixels = np.asarray(ax.transData.transform(avoid))
    points = np.asarray(ax.transData.transform(np.asarray(places)))
    far = gap * figure.dpi / 72.0
    frame, page = box_of(ax.bbox), box_of(figure.bbox)
    taken = _taken(ax)
    probe = _name_at(ax, places[0], "", gap, *PLACES[0]) if len(places) else None
    for place, point, name in zip(places, points, names, strict=True):
        if not name:
            continue
        size = _size(probe, name)
        boxes = [_box(point, size, far, *where) for where in PLACES]
        free = [
            k for k, box in enumerate(boxes) if not _overlap(box, taken) and not _outside(box, page)
        ]
        # a margin below the gap, so that a name keeps away from the points of other names
        cost = {k: _covered(boxes[k], pixels, 0.6 * far) + _outside(boxes[k], frame) for k in free}
        if free:
            best = min(free, key=cost.__getitem__)
            _name_at(ax, place, name, gap, *PLACES[best])
            taken = np.vstack([taken, boxes[best]])
    if probe is not None:
        probe.remove()


SLANT = 55.0
"""Degrees by which names on a line are turned, to stand side by side."""


def write_slanted(ax: Axes, places: Array, names: Sequence[str | None], gap: float = 4.0) -> None:
    """Write slanted names above points on a horizontal line; names that are too near are omitted.

    The layout of the figure must be final, and `gap` is as in `write_labels`.
    """
    figure: Any = ax.figure
    figure.figure.draw_without_rendering()
    across = np.asarray(ax.transData.transform(np.asarray(places)))[:, 0]
    apart = 11.0 * figure.dpi / 72.0  # the height of a line of small text
    taken: list[float] = []
    for x, place, name in zip(across, places, names, strict=True):
        if not name or any(abs(x - other) < apart for other in taken):
            continue
        taken.append(float(x))
        text = ax.annotate(
            plain(name),
            (place[0], place[1]),
            xytext=(-2.0, gap),
            textcoords="offset points",
            ha="left",
            va="bottom",
            rotation=SLANT,
            rotation_mode="anchor",
            fontsize="small",
            annotation_clip=False,
        )
        text.set_in_layout(False)


def _taken(ax: Axes) -> Array:
    """Return the boxes of what is already on the page: texts, legend and other pictures."""
    own: list[Any] = [*ax.texts, *([ax.title] if ax.get_title() else [])]
    if (legend := ax.get_legend()) is not None:
        own.append(legend)
    boxes = [*(box_of(part.get_window_extent()) for part in own), *neighbours(ax)]
    return np.array(boxes) if boxes else np.empty((0, 4))


def _name_at(
    ax: Axes, place: Array, name: str, gap: float, shift: tuple[float, float], ha: str, va: str
) -> Any:
    text = ax.annotate(
        plain(name),
        (place[0], place[1]),
        xytext=(gap * shift[0], gap * shift[1]),
        textcoords="offset points",
        ha=ha,
        va=va,
        fontsize="small",
        annotation_clip=False,
        # a light box, since a light outline would turn the text of an SVG into shapes
        bbox={"facecolor": "white", "alpha": 0.6, "edgecolor": "none", "pad": 0.5},
    )
    text.set_in_layout(False)  # otherwise the axes would shrink, and names overlap
    return text


def _size(probe: Any, name: str) -> tuple[float, float]:
    """Return the width and height of a name in pixels, from one text: new texts are slow."""
    probe.set_text(plain(name))
    box = probe.get_window_extent()
    return box.width, box.height


def _box(
    point: Array,
    size: tuple[float, float],
    far: float,
    shift: tuple[float, float],
    ha: str,
    va: str,
) -> Array:
    """Return the box of a name beside a point: left, bottom, right, top."""
    behind = {"left": 0.0, "bottom": 0.0, "center": 0.5, "right": 1.0, "top": 1.0}
    low = point + far * np.array(shift) - np.array(size) * [behind[ha], behind[va]]
    return np.concatenate([low, low + size])


def _overlap(box: Array, others: Array) -> bool:
    """Whether a box overlaps another box."""
    apart = (others[:, :2] > box[2:]) | (others[:, 2:] < box[:2])
    return bool((~apart.any(axis=1)).any())


def _covered(box: Array, points: Array, margin: float) -> int:
    """Return the number of points in a box or within `margin` of it."""
    inside = (points > box[:2] - margin) & (points < box[2:] + margin)
    return int(inside.all(axis=1).sum())


def _outside(box: Array, frame: Array) -> bool:
    """Whether a box leaves a frame."""
    return bool(np.any(box[:2] < frame[:2]) or np.any(box[2:] > frame[2:]))
