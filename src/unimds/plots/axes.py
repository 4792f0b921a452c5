"""Shared parts of all pictures: axes, colours, points and legends."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.extras import require
from unimds.plots.themes import LIGHT, page_size, point_scale, theme_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from unimds.plots.picture import Picture

Array = NDArray[np.floating[Any]]

# Those of a light page; `theme_of` tells the colours of the page that something is drawn on.
HUES, FOUND, MISS = LIGHT.hues, LIGHT.found, LIGHT.miss
QUIET, PAPER, INK = LIGHT.quiet, LIGHT.paper, LIGHT.ink
SHAPES = ("o", "D", "s", "P", "X", "^", "v")
MOST = 14
"""Maximum number of categories in a picture; if there are more, the rarest share the last."""


def new_figure(width: float, height: float, **how: Any) -> Picture:
    """Return a new figure, without pyplot, which may open a window."""
    return _picture()(figsize=page_size(width, height), **how)


def new_axes(width: float, height: float, **how: Any) -> Axes:
    """Return the axes of a new figure, which pyplot can show."""
    ax: Axes = new_page(width, height).add_subplot(**how)
    return ax


def new_page(width: float, height: float) -> Picture:
    """Return a new figure without axes, which pyplot can show."""
    pyplot = require("matplotlib.pyplot", "plot")
    size = page_size(width, height)
    figure: Picture = pyplot.figure(figsize=size, layout="constrained", FigureClass=_picture())
    return figure


def _picture() -> type[Picture]:
    require("matplotlib", "plot")
    from unimds.plots.picture import Picture  # only here: it imports matplotlib

    return Picture


def tidy(ax: Axes) -> None:
    """Draw a light grid, and remove the top and right borders."""
    ax.grid(color=theme_of(ax).grid, linewidth=0.6)
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


LONGEST = 40
"""Letters of a name in a legend: a longer one would take the room of the map."""


def shortened(text: str, most: int = LONGEST) -> str:
    """Return a text of at most so many letters, without its middle if it is longer.

    Examples
    --------
    >>> shortened("Calluna vulgaris, in flower", 16)
    'Calluna v…flower'
    """
    end = 2 * most // 5
    return text if len(text) <= most else f"{text[: most - 1 - end]}…{text[-end:]}"


def check_length(values: Sequence[Any] | None, n: int, what: str) -> None:
    """Raise if there is not one value for each point."""
    if values is None:
        return
    if isinstance(values, str | set | frozenset) or not hasattr(values, "__len__"):
        kind = type(values).__name__
        raise TypeError(f"{what} must be a sequence, one for each of the {n} points, not {kind}")
    if getattr(values, "ndim", 1) != 1:
        shape: Any = getattr(values, "shape", ())
        raise ValueError(
            f"{what} must be one column, with a value for each of the {n} points, but have the "
            f"shape {shape}; give one column, as in frame['name']"
        )
    if len(values) != n:
        raise ValueError(f"the map has {n} points, but there are {len(values)} {what}")


def area_of(n: int, size: float | None) -> float:
    """Return the area of each of n points, in typographic points squared."""
    if size is not None:
        if not isinstance(size, Real) or not 0.0 <= float(size) < np.inf:
            raise ValueError(f"size must be a number of zero or more, not {size!r}")
        return float(size)
    return point_scale() * float(np.clip(6000.0 / max(n, 1), 4.0, 42.0))


def title_of(column: Any) -> str | None:
    """Return the name of a column of a data frame."""
    name = getattr(column, "name", None)
    return None if name is None else plain(name)
