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
QUIET, PAPER = "#BFC5CC", "#F5F8FB"
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
    """Show a horizontal axis only, with room above it for slanted names."""
    tidy(ax)
    ax.grid(visible=False, axis="y")
    ax.spines["left"].set_visible(False)
    ax.yaxis.set_visible(False)
    ax.set_ylim(-0.6, 2.4)
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


def draw_points(
    ax: Axes, points: Array, color: str | Sequence[Any] | None, size: float | None
) -> list[Axes]:
    """Draw points in given colours, by numbers with a colour bar, or by categories with a legend.

    Return the axes that were added beside the points: those of the colour bar.
    """
    area = size if size is not None else float(np.clip(6000.0 / max(len(points), 1), 4.0, 42.0))
    look: dict[str, Any] = {"s": area, "edgecolors": "white", "linewidths": 0.4, "zorder": 2.5}
    if color is None or isinstance(color, str):
        ax.scatter(*points.T, color=_one_colour(color, len(points)), **look)
        return []
    check_length(color, len(points), "colours")
    if (values := as_numbers(color)) is not None:
        x, y = points.T
        # points without a number are grey
        ramp = require("matplotlib", "plot").colormaps["viridis"].with_extremes(bad=QUIET)
        drawn = ax.scatter(x, y, c=values, cmap=ramp, plotnonfinite=True, **look)
        return [ax.figure.colorbar(drawn, ax=ax, shrink=0.7, pad=0.02, label=_title(color)).ax]
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
        ax.scatter(*here.T, color=hue, marker=shape, label=plain(name) or "(none)", **look)
    if rare:
        here = points[codes == len(names)]
        ax.scatter(*here.T, color=QUIET, marker=".", label=f"{rare} others", **look)
    ax.legend(
        title=_title(color),
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        frameon=False,
        borderaxespad=0.3,
    )


def _title(color: Sequence[Any]) -> str | None:
    """Return the name of a column of a data frame."""
    name = getattr(color, "name", None)
    return None if name is None else plain(name)
