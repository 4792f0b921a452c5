"""A map of the whole world, for points of S²."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unimds.plots.axes import check_length, new_axes, plain
from unimds.plots.labels import write_labels
from unimds.plots.room import make_room
from unimds.plots.themes import theme_of
from unimds.spaces import to_latlon
from unimds.spaces.vectors import normalised

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.floating[Any]]


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

    The Mollweide projection preserves areas; north is up. With `truth`, a line along the great
    circle joins every point to its true place.

    Parameters
    ----------
    X : array-like of shape (n, 3)
        Unit vectors.
    truth : array-like of shape (n, 3), default=None
        True places of the points; drawn as open circles.
    labels : sequence of n names, default=None
        Names of the points; None or "" for a point without a name. Names that do not fit are
        omitted.
    ax : Axes with projection="mollweide", default=None
        Axes to draw on; a new figure by default.
    center : float, default=0
        Longitude of the centre of the map, in degrees.
    title : str, default=None
        Title of the picture.
    legend : bool, default=True
        Whether to explain the symbols; without `truth` there is no legend.

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
    check_length(labels, len(found), "labels")
    ax = new_axes(9, 5, projection="mollweide") if ax is None else ax
    theme = theme_of(ax)
    _draw_graticule(ax)
    if truth is not None:
        ax.plot(*true.T, "o", mfc="none", mec=theme.ink, mew=0.6, ms=5.5, label="true place")
    ax.plot(*found.T, "o", color=theme.found, mec="none", ms=3.2, label="found place")
    if truth is not None:
        _draw_arcs(ax, np.asarray(truth, dtype=float), np.asarray(X, dtype=float), center)
    if title:
        ax.set_title(plain(title))
    if legend and truth is not None:
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.02), ncols=3, frameon=False)
    make_room(ax)
    if labels is not None:
        write_labels(ax, true, labels, dots=[true, found])
    return ax


# --- the globe ------------------------------------------------------------------------------------


def _on_map(X: ArrayLike, center: float) -> Array:
    """Return longitude relative to the centre of the map, and latitude, in radians."""
    latitude, longitude = to_latlon(X).T
    east = (longitude - center + 180.0) % 360.0 - 180.0
    return np.column_stack([np.radians(east), np.radians(latitude)])


def _draw_graticule(ax: Axes) -> None:
    """Draw meridians and parallels every 30 degrees; numbers would hide the points."""
    theme = theme_of(ax)
    ax.set_xticks(np.radians(np.arange(-150, 180, 30)), labels=[])
    ax.set_yticks(np.radians(np.arange(-60, 90, 30)), labels=[])
    ax.set_longitude_grid_ends(90)  # type: ignore[attr-defined]
    ax.grid(True, color=theme.quiet, linewidth=0.4)
    ax.set_axisbelow(True)
    ax.set_facecolor(theme.paper)
    ax.spines["geo"].set_edgecolor(theme.quiet)


def _draw_arcs(ax: Axes, A: Array, B: Array, center: float) -> None:
    """Draw the great circles between the rows of `A` and the rows of `B`."""
    arcs = []
    for a, b in zip(A, B, strict=True):
        arc = _on_map(_arc(a, b), center)
        # break the line where it crosses the edge of the map
        jump = np.flatnonzero(np.abs(np.diff(arc[:, 0])) > np.pi) + 1
        arcs += [np.insert(arc, jump, np.nan, axis=0), np.full((1, 2), np.nan)]
    ax.plot(*np.vstack(arcs).T, color=theme_of(ax).miss, linewidth=1.3, label="error", zorder=1.9)


def _arc(a: Array, b: Array, steps: int = 65) -> Array:
    """Return points along the great circle from `a` to `b`."""
    t = np.linspace(0.0, 1.0, steps)[:, None]
    chord = (1.0 - t) * a + t * b
    length = np.linalg.norm(chord, axis=1, keepdims=True)
    if length.min() < 1e-9:  # antipodes: any great circle joins them
        middle = np.roll(a, 1) - (np.roll(a, 1) @ a) * a
        middle = normalised(middle[None])[0]
        return np.vstack([_arc(a, middle, steps), _arc(middle, b, steps)])
    return np.asarray(chord / length)
