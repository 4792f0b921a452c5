"""Shared parts of all pictures: axes, colours, points and legends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.extras import require
from unimds.plots.columns import as_categories, as_colours, as_numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from unimds.plots.picture import Picture

Array = NDArray[np.floating[Any]]

# The palette of Okabe and Ito: safe for colour-blind readers, and distinct in grey.
HUES = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#000000", "#8C8C8C")
SHAPES = ("o", "D", "s", "P", "X", "^", "v")
FOUND, MISS, TRUE = "#0072B2", "#D55E00", "#000000"
QUIET, PAPER, INK = "#BFC5CC", "#F5F8FB", "#1B2430"
MISSING = "no value"
"""What a legend calls points without a number or a category."""
MOST = 14
"""Maximum number of categories in a picture; if there are more, the rarest share the last."""


def new_figure(width: float, height: float, **how: Any) -> Picture:
    """Return a new figure, without pyplot, which may open a window."""
    return _picture()(figsize=(width, height), **how)


def new_axes(width: float, height: float, **how: Any) -> Axes:
    """Return the axes of a new figure, which pyplot can show."""
    pyplot = require("matplotlib.pyplot", "plot")
    size = (width, height)
    figure = pyplot.figure(figsize=size, layout="constrained", FigureClass=_picture())
    ax: Axes = figure.add_subplot(**how)
    return ax


def _picture() -> type[Picture]:
    require("matplotlib", "plot")
    from unimds.plots.picture import Picture  # only here: it imports matplotlib

    return Picture


def tidy(ax: Axes) -> None:
    """Draw a light grid, and remove the top and right borders."""
    ax.grid(color="#E3E6EA", linewidth=0.6)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def as_line(ax: Axes) -> None:
    """Show a horizontal axis only, with room for slanted names above and below the points."""
    tidy(ax)
    ax.grid(visible=False, axis="y")
    ax.spines["left"].set_visible(False)
    ax.yaxis.set_visible(False)
    ax.set_ylim(-2.0, 2.0)
    low, high = ax.get_xlim()
    ax.set_xlim(low, high + 0.08 * (high - low))


def bare(ax: Axes) -> None:
    """Hide the axes, and use the same scale in both directions."""
    ax.set_aspect("equal")
    ax.set_axis_off()


def plain(text: Any) -> str:
    r"""Return a text that matplotlib shows verbatim: $ starts no formula, and _ hides no name.

    Examples
    --------
    >>> print(plain("US$ and A$"))
    US\$ and A\$
    """
    escaped = str(text).replace("$", r"\$")
    # a legend omits names that begin with _, so put a zero-width space before it
    return f"\u200b{escaped}" if escaped.startswith("_") else escaped


def check_length(values: Sequence[Any] | None, n: int, what: str) -> None:
    """Raise if there is not one value for each point."""
    if values is None:
        return
    if isinstance(values, str) or not hasattr(values, "__len__"):
        kind = type(values).__name__
        raise TypeError(f"{what} must be a sequence, one for each of the {n} points, not {kind}")
    if len(values) != n:
        raise ValueError(f"the map has {n} points, but there are {len(values)} {what}")


def area_of(n: int, size: float | None) -> float:
    """Return the area of each of n points, in typographic points squared."""
    return size if size is not None else float(np.clip(6000.0 / max(n, 1), 4.0, 42.0))


def draw_points(
    ax: Axes, points: Array, color: str | Sequence[Any] | None, size: float | None, new: Any = None
) -> list[Axes]:
    """Draw points in given colours, by numbers with a colour bar, or by categories with a legend.

    New points are outlined; without colours they have a colour of their own. Return the axes that
    were added beside the points: those of the colour bar.
    """
    area = area_of(len(points), size)
    look: dict[str, Any] = {"s": area, "edgecolors": "white", "linewidths": 0.4, "zorder": 2.5}
    if new is None:
        return _draw_coloured(ax, points, color, look)
    if color is None:
        color = ["new" if fresh else "map" for fresh in new]
        return _draw_coloured(ax, points, color, look)
    beside = _draw_coloured(ax, points, color, look)
    ring: dict[str, Any] = {**look, "s": 2.2 * area, "edgecolors": INK, "linewidths": 1.1}
    ax.scatter(*points[new].T, facecolors="none", label="new (outlined)", **ring)
    _legend(ax, None if ax.get_legend() is None else color)  # a colour bar has its own title
    return beside


def _draw_coloured(
    ax: Axes, points: Array, color: str | Sequence[Any] | None, look: dict[str, Any]
) -> list[Axes]:
    if color is None or isinstance(color, str):
        ax.scatter(*points.T, color=_one_colour(color, len(points)), **look)
        return []
    check_length(color, len(points), "colours")
    if (values := as_numbers(color)) is not None:
        x, y = points.T
        # points without a number are grey
        ramp = require("matplotlib", "plot").colormaps["viridis"].with_extremes(bad=QUIET)
        drawn = ax.scatter(x, y, c=values, cmap=ramp, plotnonfinite=True, **look)
        label = _title(color)
        if np.isnan(values).any():
            label = f"{label} ({MISSING}: grey)" if label else f"{MISSING}: grey"
        return [ax.figure.colorbar(drawn, ax=ax, shrink=0.7, pad=0.02, label=label).ax]
    if (hues := as_colours(color, QUIET)) is not None:
        ax.scatter(*points.T, color=hues, **look)
        return []
    _draw_categories(ax, points, color, look)
    return []


def _one_colour(color: str | None, n: int) -> str:
    if color is None:
        return FOUND
    if not require("matplotlib.colors", "plot").is_color_like(color):
        raise ValueError(
            f'color={color!r} is no colour; give a colour such as "red" for all points, or a '
            f"sequence with a value for each of the {n} points"
        )
    return color


def _draw_categories(ax: Axes, points: Array, color: Sequence[Any], look: dict[str, Any]) -> None:
    names, codes, rare = as_categories(color, MOST)
    for k, name in enumerate(names):
        hue, shape = HUES[k % len(HUES)], SHAPES[k % len(SHAPES)]
        here = points[codes == k]
        if len(here):  # of a Categorical, a category may have no point here
            ax.scatter(*here.T, color=hue, marker=shape, label=plain(name), **look)
    if rare:
        here = points[codes == len(names)]
        ax.scatter(*here.T, color=QUIET, marker=".", label=f"{rare} others", **look)
    if (codes < 0).any():
        below = {**look, "zorder": 2.4}
        ax.scatter(*points[codes < 0].T, color=QUIET, marker="o", label=MISSING, **below)
    _legend(ax, color)


def _legend(ax: Axes, color: str | Sequence[Any] | None) -> None:
    ax.legend(
        title=_title(color),
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        frameon=False,
        borderaxespad=0.3,
    )


def _title(color: str | Sequence[Any] | None) -> str | None:
    """Return the name of a column of a data frame."""
    name = getattr(color, "name", None)
    return None if name is None else plain(name)
