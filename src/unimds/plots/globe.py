"""Pictures of maps: one function draws one picture on one pair of axes, and returns the axes.

matplotlib is an extra, ``pip install 'unimds[plot]'``, and is imported only when something is
drawn. Colours are told apart by people who are colour-blind, and shapes differ too, so that a
picture can be read in grey.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unimds._extras import require
from unimds.spaces import to_latlon
from unimds.spaces.base import normalised

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.transforms import Bbox

__all__ = ["plot_globe"]

Array = NDArray[np.floating[Any]]

# Okabe and Ito's palette: safe for the colour-blind, and each of another grey.
FOUND, MISS, TRUE = "#0072B2", "#D55E00", "#000000"
QUIET, PAPER = "#BFC5CC", "#F5F8FB"


def plot_globe(
    X: ArrayLike,
    truth: ArrayLike | None = None,
    labels: Sequence[str | None] | None = None,
    ax: Axes | None = None,
    *,
    center: float = 0.0,
    title: str | None = None,
    legend: bool = True,
) -> Axes:
    """Draw points of the sphere S² on a map of the whole world.

    The map is Mollweide's: equal areas have equal size, north is up. With `truth`, every point is
    joined to where it belongs by a line along the great circle.

    Parameters
    ----------
    X : array-like of shape (n, 3)
        Unit vectors.
    truth : array-like of shape (n, 3), default=None
        Where the points belong; drawn as open circles.
    labels : sequence of n names, default=None
        Names of the points; None or "" for those that need none. A name for which there is no
        room is left out.
    ax : Axes with projection="mollweide", default=None
        Where to draw; a new figure by default.
    center : float, default=0
        Longitude in the middle of the map, in degrees.
    title : str, default=None
        Title of the picture.
    legend : bool, default=True
        Whether to say what the signs mean; there is nothing to say without `truth`.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from unimds.datasets import load_cities
    >>> cities = load_cities()
    >>> plot_globe(cities.points, labels=cities.names)  # doctest: +SKIP
    """
    found = _on_map(X, center)
    true = found if truth is None else _on_map(truth, center)
    if len(true) != len(found):
        raise ValueError(f"X has {len(found)} points, but truth has {len(true)}")
    if labels is not None and len(labels) != len(found):
        raise ValueError(f"X has {len(found)} points, but there are {len(labels)} labels")
    ax = _globe_axes() if ax is None else ax
    _draw_graticule(ax)
    if truth is not None:
        ax.plot(*true.T, "o", mfc="none", mec=TRUE, mew=0.6, ms=5.5, label="true place")
    ax.plot(*found.T, "o", color=FOUND, mec="none", ms=3.2, label="found place")
    if truth is not None:
        _draw_arcs(ax, np.asarray(truth, dtype=float), np.asarray(X, dtype=float), center)
    if title:
        ax.set_title(title)
    if legend and truth is not None:
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.02), ncols=3, frameon=False)
    if labels is not None:
        _write_names(ax, true, labels, avoid=np.vstack([true, found]))
    return ax


# --- the globe ------------------------------------------------------------------------------------


def _globe_axes() -> Axes:
    pyplot = require("matplotlib.pyplot", "plot")
    figure = pyplot.figure(figsize=(9, 5), layout="constrained")
    ax: Axes = figure.add_subplot(projection="mollweide")
    return ax


def _on_map(X: ArrayLike, center: float) -> Array:
    """Return longitude from the middle of the map and latitude, in radians."""
    latitude, longitude = to_latlon(X).T
    east = (longitude - center + 180.0) % 360.0 - 180.0
    return np.column_stack([np.radians(east), np.radians(latitude)])


def _draw_graticule(ax: Axes) -> None:
    """Draw meridians and parallels every 30 degrees, without numbers: they hide the points."""
    ax.set_xticks(np.radians(np.arange(-150, 180, 30)), labels=[])
    ax.set_yticks(np.radians(np.arange(-60, 90, 30)), labels=[])
    ax.set_longitude_grid_ends(90)  # type: ignore[attr-defined]
    ax.grid(True, color=QUIET, linewidth=0.4)
    ax.set_axisbelow(True)
    ax.set_facecolor(PAPER)
    ax.spines["geo"].set_edgecolor(QUIET)


def _draw_arcs(ax: Axes, A: Array, B: Array, center: float) -> None:
    """Draw the great circle between each row of `A` and that of `B`."""
    arcs = []
    for a, b in zip(A, B, strict=True):
        arc = _on_map(_arc(a, b), center)
        # where the line leaves the map at one edge and comes in at the other, lift the pen
        jump = np.flatnonzero(np.abs(np.diff(arc[:, 0])) > np.pi) + 1
        arcs += [np.insert(arc, jump, np.nan, axis=0), np.full((1, 2), np.nan)]
    ax.plot(*np.vstack(arcs).T, color=MISS, linewidth=1.3, label="error", zorder=1.9)


def _arc(a: Array, b: Array, steps: int = 65) -> Array:
    """Return points along the great circle from `a` to `b`."""
    t = np.linspace(0.0, 1.0, steps)[:, None]
    chord = (1.0 - t) * a + t * b
    length = np.linalg.norm(chord, axis=1, keepdims=True)
    if length.min() < 1e-9:  # antipodes: every great circle joins them, any one does
        middle = np.roll(a, 1) - (np.roll(a, 1) @ a) * a
        middle = normalised(middle[None])[0]
        return np.vstack([_arc(a, middle, steps), _arc(middle, b, steps)])
    return np.asarray(chord / length)


# --- names ----------------------------------------------------------------------------------------

# Where a name may stand, seen from its point: shift and alignment, the usual places first.
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


def _write_names(
    ax: Axes, places: Array, names: Sequence[str | None], avoid: Array, gap: float = 4.0
) -> None:
    """Write names beside their points: never over another name, and over as few points as can be.

    The layout of the figure must be final, as room is measured in pixels. `gap` is the distance of
    a name from its point, in typographic points.
    """
    figure: Any = ax.figure
    figure.draw_without_rendering()
    points = np.asarray(ax.transData.transform(avoid))
    margin = (
        0.6 * gap * figure.dpi / 72.0
    )  # less than the gap: a name keeps clear of others' points
    taken: list[Bbox] = []
    for place, name in zip(places, names, strict=True):
        if not name:
            continue
        texts = [_name_at(ax, place, name, gap, *where) for where in PLACES]
        boxes = [text.get_window_extent() for text in texts]
        free = [k for k, box in enumerate(boxes) if not any(map(box.overlaps, taken))]
        cost = [_covered(box, points, margin) + _outside(box, ax.bbox) for box in boxes]
        best = min(free, key=cost.__getitem__, default=None)
        for k, text in enumerate(texts):
            if k != best:
                text.remove()
        if best is not None:
            taken.append(boxes[best])


def _name_at(
    ax: Axes, place: Array, name: str, gap: float, shift: tuple[float, float], ha: str, va: str
) -> Any:
    text = ax.annotate(
        name,
        (place[0], place[1]),
        xytext=(gap * shift[0], gap * shift[1]),
        textcoords="offset points",
        ha=ha,
        va=va,
        fontsize="small",
        annotation_clip=False,
    )
    text.set_in_layout(False)  # otherwise the axes would shrink, and the names meet after all
    effects = require("matplotlib.patheffects", "plot")
    text.set_path_effects([effects.withStroke(linewidth=2.0, foreground=PAPER)])
    return text


def _covered(box: Bbox, points: Array, margin: float) -> int:
    """Return how many points lie in a box or closer to it than `margin`."""
    low, high = np.array(box.min) - margin, np.array(box.max) + margin
    return int(((points > low) & (points < high)).all(axis=1).sum())


def _outside(box: Bbox, frame: Bbox) -> bool:
    """Whether a box leaves a frame."""
    return bool(np.any(box.min < frame.min) or np.any(box.max > frame.max))
