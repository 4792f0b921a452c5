"""Names beside points, without overlaps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unimds.plots.axes import plain
from unimds.plots.columns import is_missing
from unimds.plots.room import box_of, neighbours
from unimds.plots.themes import theme_of

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
GAP = 4.0
"""The distance of a name from its point, in typographic points."""


def write_labels(
    ax: Axes,
    places: Array,
    names: Sequence[str | None],
    *,
    dots: Sequence[Array] | None = None,
    first: Any = None,
    outward: bool = False,
    away: Array | None = None,
    gap: float = GAP,
    colors: Sequence[str | None] | None = None,
    lines: Array | None = None,
) -> None:
    """Write names beside their points: each name is nearest to its own point, and covers no other.

    A name for which there is no such place is omitted. Names stay on the page, and off each other,
    the legend, the title and other pictures. The layout of the figure must be final, since space is
    measured in pixels.

    Parameters
    ----------
    ax : Axes
        The picture.
    places : ndarray of shape (n, 2)
        Where the points are that the names stand beside.
    names : sequence of n names
        The names; None or "" for a point without a name.
    dots : sequence of ndarrays of shape (n, 2), default=None
        Where each point has a dot, if it has several or stands elsewhere too.
    first : ndarray of n booleans or numbers, default=None
        Points whose names are written first; of numbers, the largest come first.
    outward : bool, default=False
        Whether names stand on the far side of their points, seen from the origin.
    away : ndarray of shape (n, 2), default=None
        The direction in which each name should stand, such as that of an arrow; zero for any.
    gap : float
        The distance of a name from its point, in typographic points.
    colors : sequence of n colours, default=None
        The colours of the names; None for that of all text.
    lines : ndarray of shape (m, 2), default=None
        Places on lines that names should not cover, where they can.
    """
    if not len(places):
        return
    names = _texts(names)
    figure: Any = ax.figure
    figure.figure.draw_without_rendering()  # of the whole page, if the figure is a part of it
    points = np.asarray(ax.transData.transform(np.asarray(places)))
    own = [np.asarray(ax.transData.transform(each)) for each in (dots or [places])]
    far = gap * figure.dpi / 72.0
    frame, page = box_of(ax.bbox), box_of(figure.bbox)
    taken = _taken(ax)
    drawn = np.empty((0, 2)) if lines is None else np.asarray(ax.transData.transform(lines))
    probe = _name_at(ax, places[0], "", gap, *PLACES[0])
    for i in _in_turn(len(places), first):
        if not (name := names[i]):
            continue
        size = _size(probe, name)
        others = np.vstack([dot[np.abs(dot - dot[i]).max(axis=1) > 1.0] for dot in own])
        mine = np.vstack([dot[i : i + 1] for dot in own])
        around = _outside_of(np.asarray(places[i])) if outward else _towards(away, i)
        free = [
            (where, box)
            for where in around
            if not _overlap(box := _box(points[i], size, far, *where), taken)
            and not _outside(box, page)
            and _apart(box, others) >= _apart(box, mine) + 0.2 * far
        ]
        if free:
            where, box = min(free, key=lambda one: _drawback(one[1], frame, drawn))
            text = _name_at(ax, places[i], name, gap, *where)
            if colors is not None and (hue := colors[i]) is not None:
                text.set_color(hue)
            taken = np.vstack([taken, box])
    probe.remove()


def _texts(names: Sequence[Any]) -> list[str]:
    """Return names as texts; one that is missing is empty."""
    return ["" if is_missing(name) else str(name) for name in names]


def _drawback(box: Array, frame: Array, drawn: Array) -> float:
    """Return what speaks against a place: it leaves the frame, or covers lines."""
    covered = ((drawn >= box[:2]) & (drawn <= box[2:])).all(axis=1).any() if len(drawn) else False
    return 2.0 * _outside(box, frame) + float(covered)


def _in_turn(n: int, first: Any) -> list[int]:
    """Return the numbers of the points in the order in which their names are written."""
    if first is None:
        return list(range(n))
    return [int(i) for i in np.argsort(-np.asarray(first, dtype=float), kind="stable")]


def _towards(away: Array | None, i: int) -> Sequence[Any]:
    """Return the places of a name, those in its direction first."""
    if away is None or not away[i].any():
        return PLACES
    return sorted(PLACES, key=lambda where: -float(np.dot(where[0], away[i])))


def _outside_of(place: Array) -> list[Any]:
    """Return the places of a name beyond its point, seen from the origin, the best first."""
    facing = {where: float(np.dot(where[0], place)) for where in PLACES}
    length = float(np.linalg.norm(place))
    beyond = [where for where in PLACES if facing[where] > 0.5 * length]
    return sorted(beyond, key=lambda where: -facing[where])


SLANT = 55.0
"""Degrees by which names on a line are turned, to stand side by side."""
LINE = 11.0
"""The height of a line of small text, in typographic points."""
STEM = 14.0
"""The height at which names begin that are moved aside from their points."""


def write_slanted(
    ax: Axes, places: Array, names: Sequence[str | None], first: Any = None, gap: float = GAP
) -> None:
    """Write slanted names above points on a horizontal line, and below it if they are many.

    Names of points that are too near to each other are moved aside, and a thin line leads from each
    name to its point. Names that do not fit on either side are omitted. The layout of the figure
    must be final; `first` and `gap` are as in `write_labels`.
    """
    figure: Any = ax.figure
    figure.figure.draw_without_rendering()
    names = _texts(names)
    unit = figure.dpi / 72.0
    across = np.asarray(ax.transData.transform(np.asarray(places)))[:, 0] / unit
    low, high = ax.bbox.x0 / unit, ax.bbox.x1 / unit
    fit = max(1, int((high - low) / LINE))
    named = sorted(
        _chosen([i for i in range(len(places)) if names[i]], across, first, 2 * fit),
        key=lambda i: float(across[i]),
    )
    sides = [named] if len(named) <= fit else [named[::2], named[1::2]]
    for side, some in zip((1.0, -1.0), sides, strict=False):
        wanted = across[some]
        spread = spaced(wanted, LINE, low, high)
        moved = bool(np.abs(spread - wanted).max(initial=0.0) > 1.0)
        for i, shift in zip(some, spread - wanted, strict=True):
            _slanted(ax, places[i], str(names[i]), shift, side * (STEM if moved else gap), moved)


def _chosen(named: list[int], across: Array, first: Any, most: int) -> list[int]:
    """Return up to `most` points: those that come first, and the rest spread along the line."""
    chosen = [] if first is None else [i for i in named if first[i]][:most]
    rest = sorted(set(named) - set(chosen), key=lambda i: float(across[i]))
    room = most - len(chosen)
    at = np.linspace(0, len(rest) - 1, min(room, len(rest))).round().astype(int)
    return chosen + [rest[k] for k in at]


def spaced(wanted: Array, apart: float, low: float, high: float) -> Array:
    """Return increasing places, at least `apart` from each other, near the wanted places.

    The sum of squared moves is the least possible, if the places fit between `low` and `high`.

    Examples
    --------
    >>> spaced(np.array([1.0, 1.0, 5.0]), 2.0, 0.0, 9.0)
    array([0., 2., 5.])
    """
    step = apart * np.arange(len(wanted))
    groups: list[list[float]] = []  # sum and count of neighbours that move together
    for value in wanted - step:
        groups.append([float(value), 1.0])
        while len(groups) > 1 and groups[-2][0] / groups[-2][1] > groups[-1][0] / groups[-1][1]:
            total, count = groups.pop()
            groups[-1][0] += total
            groups[-1][1] += count
    level = np.array([total / count for total, count in groups for _ in range(int(count))])
    return np.asarray(np.clip(level, low, max(low, high - step[-1:].sum())) + step)


def _slanted(ax: Axes, place: Array, name: str, shift: float, up: float, moved: bool) -> None:
    below = up < 0.0
    end = (1.0, 1.0) if below else (0.0, 0.0)  # where the name begins in its box
    stem = {
        "arrowstyle": "-",
        "color": theme_of(ax).edge,
        "linewidth": 0.6,
        "shrinkA": 1.0,
        "shrinkB": 3.0,
    }
    text = ax.annotate(
        plain(name),
        (place[0], place[1]),
        xytext=(shift + (2.0 if below else -2.0), up),
        textcoords="offset points",
        ha="right" if below else "left",
        va="top" if below else "bottom",
        rotation=SLANT,
        rotation_mode="anchor",
        fontsize="small",
        annotation_clip=False,
        arrowprops={**stem, "relpos": end} if moved else None,
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
        bbox={"facecolor": theme_of(ax).page, "alpha": 0.6, "edgecolor": "none", "pad": 0.5},
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


def _apart(box: Array, dots: Array) -> float:
    """Return the distance from a box to the nearest dot."""
    gaps = np.maximum(np.maximum(box[:2] - dots, dots - box[2:]), 0.0)
    return float(np.hypot(*gaps.T).min(initial=np.inf))


def _outside(box: Array, frame: Array) -> bool:
    """Whether a box leaves a frame."""
    return bool(np.any(box[:2] < frame[:2]) or np.any(box[2:] > frame[2:]))
