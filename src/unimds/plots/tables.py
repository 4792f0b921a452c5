"""Pictures of several tables and of rows against columns: weights of subjects, joint maps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unimds.distances.joining import counts_rows
from unimds.plots.axes import area_of, new_axes, plain, tidy
from unimds.plots.columns import NamedColumn
from unimds.plots.embedding import NAMED, Look, draw_map, scene_of
from unimds.plots.labels import write_labels
from unimds.plots.room import make_room
from unimds.plots.themes import theme_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[Any]


BAD = 0.1
"""Stress-1 up to which no subject fits badly."""


def plot_subject_weights(
    fit: Any,
    ax: Axes | None = None,
    *,
    dimensions: tuple[int, int] = (0, 1),
    labels: bool | None = None,
    title: str | None = None,
) -> Axes:
    """Draw the weights of subjects: how much each makes of two dimensions of the common map.

    A subject far out stretches the map, one near an axis sees little but that dimension. The grey
    line is where both dimensions count alike. A subject whose table fits badly (a Stress-1 of more
    than twice the median, and than 0.1) has a hollow point. Of a single weight for each subject,
    bars are drawn.

    Parameters
    ----------
    fit : fitted IndividualDifferences
        With weights: ``model="indscal"`` or "sizes".
    ax : Axes, default=None
        Axes to draw on; a new figure by default.
    dimensions : tuple of two int, default=(0, 1)
        The dimensions to draw, counted from 0.
    labels : bool, default=None
        Whether to write the names of the subjects; by default if there are not too many.
    title : str, default=None
        Title of the picture.

    Returns
    -------
    Axes

    Examples
    --------
    >>> plot_subject_weights(fit)  # doctest: +SKIP
    """
    weights = getattr(fit, "weights_", None)
    if weights is None:
        raise TypeError(
            f"{type(fit).__name__} has no weights of subjects to draw: give a fitted "
            'IndividualDifferences with model="indscal" or "sizes"'
        )
    names = [plain(name) for name in fit.subjects_]
    odd = fit.stresses_ > max(2.0 * float(np.median(fit.stresses_)), BAD)
    if weights.ndim == 1 or weights.shape[1] == 1:
        return _bars(ax, weights.reshape(len(names)), names, odd, title)
    ax = new_axes(5.6, 5.6) if ax is None else ax
    a, b = dimensions
    points = weights[:, [a, b]]
    reach, theme = 1.12 * float(points.max()), theme_of(ax)
    ax.plot([0.0, reach], [0.0, reach], color=theme.quiet, linewidth=1.0, zorder=0.5)
    for point in points:
        ax.plot([0.0, point[0]], [0.0, point[1]], color=theme.found, linewidth=0.8, alpha=0.35)
    _dots(ax, points, odd)
    ax.set(xlim=(0.0, reach), ylim=(0.0, reach), title=plain(title or ""))
    ax.set(xlabel=f"weight of dimension {a + 1}", ylabel=f"weight of dimension {b + 1}")
    ax.set_aspect("equal")
    tidy(ax)
    if labels or (labels is None and len(names) <= NAMED):
        away = points / np.maximum(np.linalg.norm(points, axis=1), 1e-300)[:, None]
        write_labels(ax, points, names, away=away, gap=5.0)
    if odd.any():
        ax.legend(frameon=False, loc="lower right")
    make_room(ax)
    return ax


def _dots(ax: Axes, points: Array, odd: Array) -> None:
    """Draw subjects, those with a bad fit hollow."""
    size, theme = area_of(len(points), None), theme_of(ax)
    good, bad = points[~odd], points[odd]
    ax.scatter(good[:, 0], good[:, 1], s=size, color=theme.found, edgecolors=theme.page, zorder=3)
    if odd.any():
        style: dict[str, Any] = {"facecolors": theme.page, "edgecolors": theme.ink}
        style["linewidths"] = 1.4
        ax.scatter(bad[:, 0], bad[:, 1], s=size, label="fits badly", zorder=3, **style)


def _bars(ax: Axes | None, sizes: Array, names: list[str], odd: Array, title: str | None) -> Axes:
    ax = new_axes(max(4.0, 0.35 * len(names) + 2.0), 4.0) if ax is None else ax
    theme = theme_of(ax)
    colors = [theme.page if one else theme.found for one in odd]
    rims = [theme.ink if one else theme.found for one in odd]
    ax.bar(np.arange(len(names)), sizes, color=colors, edgecolor=rims)
    ax.set_xticks(np.arange(len(names)), names, rotation=45 if len(names) > 8 else 0, ha="center")
    ax.axhline(1.0, color=theme.quiet, linewidth=1.0, zorder=0.5)
    ax.set(ylabel="weight", title=plain(title or ""))
    tidy(ax)
    make_room(ax)
    return ax


def plot_joint(
    fit: Any,
    ax: Axes | None = None,
    *,
    labels: bool | Sequence[str | None] | None = None,
    size: float | None = None,
    title: str | None = None,
) -> Axes:
    """Draw a joint map of rows and columns: each row stands near the columns that suit it.

    Parameters
    ----------
    fit : fitted Unfolding
        The map, in any space.
    ax, size, title
        As in `plot_embedding`.
    labels : bool or sequence of str, default=None
        Names of the rows, and then of the columns; by default the columns are named, and so are the
        rows if there are not too many. True names all, False none. Names of columns come first
        where there is no room for all.

    Returns
    -------
    Axes

    Examples
    --------
    >>> plot_joint(fit)  # doctest: +SKIP
    """
    if not hasattr(fit, "column_embedding_"):
        raise TypeError(f"{type(fit).__name__} has no columns to draw: give a fitted Unfolding")
    n, m = len(fit.row_embedding_), len(fit.column_embedding_)
    names: list[str | None] | None = None
    if labels is not False:
        names = list(labels) if isinstance(labels, Sequence) else joint_names(fit, bool(labels))
    column = NamedColumn("point", ["rows"] * n + ["columns"] * m, order=("rows", "columns"))
    # where there is no room for all names, a column says more than a row
    look = Look(names, column, size, title, None, first=np.arange(n + m) >= n)
    return draw_map(scene_of(fit.embedding_, fit.space_), look, ax)


def joint_names(fit: Any, every: bool = False) -> list[str | None]:
    """Return the names of rows and columns; of many rows none unless `every` is wanted."""
    n, m = len(fit.row_embedding_), len(fit.column_embedding_)
    rows: list[str | None] = [None] * n
    named = fit.labels_ is not None and not counts_rows(fit.labels_.tolist())
    if every or (named and n + m <= NAMED):
        rows = [str(name) for name in (range(n) if fit.labels_ is None else fit.labels_)]
    own = range(m) if fit.column_labels_ is None else fit.column_labels_
    return [*rows, *(str(name) for name in own)]
