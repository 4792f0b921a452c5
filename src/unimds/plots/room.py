"""Room for what stands beside a picture: legends, colour bars and long names of rows.

A figure with a layout engine makes room by itself. In a plain figure, such as that of
``plt.subplots()``, axes keep their place, and what stands beside them would leave the page or cover
the next picture.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.extras import require

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.floating[Any]]

MARGIN = 3.0
"""Pixels to keep free."""
ROUNDS = 8
NARROW = 4.5
"""Width of a figure in inches below which a legend goes below its axes."""
WIDE = 0.4
"""A legend that would take more than this share of the width of its axes goes below them."""
SIDES = (2, 0, 1, 3)  # of a box (left, bottom, right, top): most things stand at the right


def box_of(box: Any) -> Array:
    """Return a box of matplotlib as (left, bottom, right, top)."""
    return np.array([box.x0, box.y0, box.x1, box.y1])


def has_layout(ax: Axes) -> bool:
    """Whether the figure arranges its axes by itself."""
    return ax.figure.get_layout_engine() is not None


def arranges_bars(ax: Axes) -> bool:
    """Whether the figure keeps colour bars off the numbers of their axes."""
    engine = ax.figure.get_layout_engine()
    return engine is not None and not engine.colorbar_gridspec


def neighbours(ax: Axes, *own: Axes) -> list[Array]:
    """Return the boxes of the other axes of the figure, with all that stands beside them."""
    mine = box_of(ax.bbox)
    others = [
        other
        for other in ax.figure.axes
        if other not in (ax, *own, *ax.child_axes, *_children(own))
    ]
    # axes on top of these, such as a twin, share their place
    apart = [other for other in others if not _overlap(box_of(other.bbox), mine)]
    return [box_of(other.get_tightbbox() or other.bbox) for other in apart]


def make_room(ax: Axes, *more: Axes) -> None:
    """Shrink axes, with their colour bars, until all that belongs to them stays on its part."""
    if has_layout(ax):
        wide = ax.figure.bbox.width
        if wide < NARROW * ax.figure.dpi:
            _move_legend_below(ax, wide - 2.0 * MARGIN)
        return
    part = _part(ax, *more)
    if _overhang(2, part, ax, *more) > WIDE * ax.bbox.width:
        _move_legend_below(ax, part[2] - part[0])
    for side in SIDES:
        over = _overhang(side, part, ax, *more)
        for _ in range(ROUNDS):
            if over <= 0.5:
                break
            before, wider = _places(ax, *more), over
            _shrink(side, over, ax, *more)
            over = _overhang(side, part, ax, *more)
            if over > 0.7 * wider:  # a tall legend does not move with a side
                _restore(before, ax, *more)
                break


def _move_legend_below(ax: Axes, room: float) -> None:
    """Move the legend below the axes, in as many columns as there is room for."""
    old = ax.get_legend()
    if old is None:
        return
    title = old.get_title().get_text() or None
    signs: list[Any] = list(old.legend_handles)
    names = [text.get_text() for text in old.get_texts()]
    bold = [text.get_fontweight() for text in old.get_texts()]
    old.remove()
    below = (ax.bbox.y0 - box_of(ax.get_tightbbox())[1]) / ax.figure.dpi  # numbers and their title
    shift = require("matplotlib.transforms", "plot").ScaledTranslation
    where = ax.transAxes + shift(0.0, -below, ax.figure.dpi_scale_trans)
    for columns in range(len(names), 0, -1):
        legend = ax.legend(
            signs,
            names,
            title=title,
            ncols=columns,
            loc="upper center",
            bbox_to_anchor=(0.5, 0.0),
            bbox_transform=where,
            frameon=False,
            fontsize="small",
            columnspacing=1.0,
            handletextpad=0.3,
        )
        for text, weight in zip(legend.get_texts(), bold, strict=True):
            text.set_fontweight(weight)
        if legend.get_window_extent().width <= room:
            return


def _overhang(side: int, part: Array, *group: Axes) -> float:
    """Return by how many pixels axes leave their part of the page at one side."""
    over = _around([ax.get_tightbbox() or ax.bbox for ax in group])[side] - part[side]
    return float(over if side >= 2 else -over)


def _part(ax: Axes, *more: Axes) -> Array:
    """Return the part of the page that belongs to axes: as far as their neighbours, in pixels."""
    part = box_of(ax.figure.bbox) + MARGIN * np.array([1, 1, -1, -1])
    mine = _around([each.bbox for each in (ax, *more)])
    for other in neighbours(ax, *more):
        for side in SIDES:
            across, opposite = 1 - side % 2, (side + 2) % 4
            beside = other[across] < mine[across + 2] and mine[across] < other[across + 2]
            ahead = other[side] + other[opposite] - mine[side] - mine[opposite]
            if beside and side >= 2 and ahead > 0.0:
                part[side] = min(part[side], other[opposite] - MARGIN)
            elif beside and side < 2 and ahead < 0.0:
                part[side] = max(part[side], other[opposite] + MARGIN)
    return part


def _around(boxes: list[Any]) -> Array:
    """Return the box around some boxes."""
    all_of = np.array([box_of(box) for box in boxes])
    return np.concatenate([all_of[:, :2].min(axis=0), all_of[:, 2:].max(axis=0)])


def _shrink(side: int, by: float, ax: Axes, *more: Axes) -> None:
    """Move one side of axes inwards by some pixels; what stands beyond it moves along."""
    places = _places(ax, *more)
    axis, page = side % 2, box_of(ax.figure.bbox)
    size = page[axis + 2] - page[axis]
    low, high = places[0, axis], places[0, axis + 2]
    step = min(by / size, 0.8 * (high - low)) * (-1.0 if side >= 2 else 1.0)
    fixed = low if side >= 2 else high
    inwards = step * np.clip(np.abs(places - fixed) / (high - low), 0.0, 1.0)
    beyond = (places > fixed) if side >= 2 else (places < fixed)
    places[:, axis::2] += np.where(beyond, inwards, 0.0)[:, axis::2]
    _restore(places, ax, *more)


def _places(*group: Axes) -> Array:
    """Return the places of axes, as fractions of the figure."""
    return np.array([box_of(ax.get_position(original=True)) for ax in group])


def _restore(places: Array, *group: Axes) -> None:
    for ax, (left, bottom, right, top) in zip(group, places, strict=True):
        ax.set_position((left, bottom, right - left, top - bottom))


def _children(axes: tuple[Axes, ...]) -> list[Any]:
    return [child for ax in axes for child in ax.child_axes]


def _overlap(a: Array, b: Array) -> bool:
    return bool(np.all(a[:2] < b[2:] - 1.0) and np.all(b[:2] < a[2:] - 1.0))
