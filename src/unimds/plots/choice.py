"""The picture of a choice: how wrong every candidate predicts the pairs that it has not seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from unimds.plots.axes import SHAPES, new_axes, plain, tidy
from unimds.plots.room import make_room
from unimds.plots.themes import theme_of
from unimds.spaces import SPACES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

APART = 0.06
"""How far lines stand apart, so that their error bars do not hide each other."""


def plot_choice(search: Any, ax: Axes | None = None, *, title: str | None = None) -> Axes:
    """Draw a scree diagram of held-out pairs: the error of every candidate, by its dimension.

    A bar is the standard error of the difference to the lowest error, fold by fold. The ring is the
    chosen candidate, and the dashed line the error of one distance for all pairs. Spaces, losses
    and levels have lines of their own.

    Parameters
    ----------
    search : fitted MDSSearchCV
        The search.
    ax : Axes, default=None
        Axes to draw on; a new figure by default.
    title : str, default=None
        Title of the picture.

    Returns
    -------
    Axes

    Examples
    --------
    >>> plot_choice(search)  # doctest: +SKIP
    """
    if not hasattr(search, "cv_results_") or not hasattr(search, "null_error_"):
        raise TypeError(f"{type(search).__name__} has nothing to draw: give a fitted MDSSearchCV")
    ax = new_axes(7, 4.6) if ax is None else ax
    found = search.cv_results_
    lines, x = _lines(found["params"])
    places = np.empty(len(x))
    for number, (name, rows) in enumerate(lines.items()):
        places[rows] = x[rows] + APART * (number - 0.5 * (len(lines) - 1))
        ax.errorbar(
            places[rows],
            found["mean_error"][rows],
            yerr=np.nan_to_num(found["excess_standard_error"][rows]),
            color=theme_of(ax).hue(number),
            marker=SHAPES[number % len(SHAPES)],
            markersize=6,
            capsize=3,
            label=plain(name),
        )
    best = search.best_index_
    height = found["mean_error"][best]
    ink = theme_of(ax).ink
    ring: dict[str, Any] = {"markersize": 15, "markerfacecolor": "none", "markeredgecolor": ink}
    ax.plot(places[best], height, "o", markeredgewidth=1.6, label="chosen", **ring)
    ax.axhline(search.null_error_, color=ink, linestyle="--", linewidth=1.2, label="one distance")
    _label(ax, found["params"], x)
    ax.set(ylabel="error of held-out pairs", title=plain(title or ""))
    ax.set_ylim(bottom=0.0)
    tidy(ax)
    ax.legend(frameon=False)
    make_room(ax)
    return ax


def _lines(params: list[dict[str, Any]]) -> tuple[dict[str, list[int]], Any]:
    """Return the rows of every line, by its name, and where on the axis each candidate stands."""
    several = len({one.get("n_components") for one in params}) > 1
    if not several:
        return {"candidates": list(range(len(params)))}, np.arange(float(len(params)))
    x = np.array([one.get("n_components", np.nan) for one in params], dtype=float)
    lines: dict[str, list[int]] = {}
    for row in np.argsort(x, kind="stable").tolist():
        lines.setdefault(_named(params[row]) or "maps", []).append(row)
    return lines, x


def _named(one: dict[str, Any]) -> str:
    """Return what a candidate is, without its dimension."""
    return ", ".join(_short(value) for name, value in one.items() if name != "n_components")


def _short(value: Any) -> str:
    """Return a value, and of a space whose size was to be found the name alone."""
    names = (name for name, kind in SPACES.items() if type(value) is kind and value.is_auto)
    return next(names, str(value))


def _label(ax: Axes, params: list[dict[str, Any]], x: Any) -> None:
    """Label the axis with dimensions, or, where there is one, with what candidates are."""
    if len({one.get("n_components") for one in params}) > 1:
        ax.set_xlabel("dimensions")
        ax.set_xticks(np.unique(x[~np.isnan(x)]))
        return
    ax.set_xticks(x, [plain(_named(one)) for one in params], rotation=20, ha="right")
    for line in ax.containers:
        line[0].set_linestyle("none")
