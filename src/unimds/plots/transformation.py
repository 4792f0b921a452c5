"""Pictures of the transformation that a map at a level of measurement has found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unimds.levels import Level, Transformation, described
from unimds.placecenter.result import scaling_of, transformation_of
from unimds.plots.axes import new_axes, plain, tidy
from unimds.plots.room import make_room
from unimds.plots.themes import theme_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[Any]
Curve = tuple[Array, Array]
"""Dissimilarities, and their disparities, both rising."""

THIN = 400
"""Points of a smooth curve, at most."""
FEW = 60
"""Up to this many different dissimilarities, each is marked."""


def plot_transformation(mds: Any, ax: Axes | None = None, *, title: str | None = None) -> Axes:
    """Draw the transformation of a map: disparities against given dissimilarities.

    Steps are an ordinal transformation, whose flat parts are dissimilarities that the map cannot
    tell apart. The dashed line is proportional to the dissimilarities, as at the level "ratio".
    With ``conditional="row"`` there is a line for each row.

    Parameters
    ----------
    mds : fitted estimator, Result or Transformation
        The map, fitted at a level other than "ratio".
    ax : Axes, default=None
        Axes to draw on; a new figure by default.
    title : str, default=None
        Title of the picture.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from unimds import MDS
    >>> D = [[0, 1, 5, 9], [1, 0, 2, 6], [5, 2, 0, 3], [9, 6, 3, 0]]
    >>> mds = MDS(1, level="interval", metric="precomputed", random_state=0).fit(D)
    >>> plot_transformation(mds)  # doctest: +SKIP
    """
    found = mds if isinstance(mds, Transformation) else transformation_of(mds)
    if found is None:
        raise TypeError(
            f"{type(mds).__name__} has no transformation to draw: only maps at a level other than "
            '"ratio" have one, such as MDS(level="ordinal")'
        )
    ax = new_axes(7, 5) if ax is None else ax
    curves = [(found.given, found.disparities)] if mds is found else curves_of(mds)
    d, r = (np.concatenate(parts) for parts in zip(*curves, strict=True))
    square = float(d @ d)
    top = np.array([0.0, float(d.max(initial=0.0))])
    even = top * (float(d @ r) / square if square > 0.0 else 0.0)
    ax.plot(
        top, even, color=theme_of(ax).quiet, linestyle="--", linewidth=1.2, label="proportional"
    )
    draw_curves(ax, curves, found.level, label=plain(described(found.level)))
    if len(curves) == 1 and np.unique(d).size <= FEW:
        ax.plot(d, r, "o", color=theme_of(ax).found, markersize=4)
    ax.set(xlabel="given dissimilarity", ylabel="disparity", title=plain(title or ""))
    tidy(ax)
    ax.legend(frameon=False, loc="lower right")
    make_room(ax)
    return ax


def curves_of(X: Any) -> list[Curve]:
    """Return the transformation of a map as curves: one, or one for each row."""
    scaling, found = scaling_of(X), transformation_of(X)
    if scaling is None:  # a model that was read from a file knows the transformation alone
        return [] if found is None else [(found.given, found.disparities)]
    codes = scaling.codes
    return [_rising(codes.d[rows], scaling.numbers[rows]) for rows in codes.blocks]


def _rising(d: Array, r: Array) -> Curve:
    order = np.lexsort((r, d))  # ties that may differ are drawn as a vertical line
    return d[order], r[order]


def thinned(curve: Curve, in_steps: bool) -> Curve:
    """Return as many points of a curve as its picture needs.

    Examples
    --------
    >>> d, r = np.arange(6.0), np.array([1.0, 1.0, 1.0, 2.0, 2.0, 2.0])
    >>> thinned((d, r), in_steps=True)[0]
    array([0., 2., 3., 5.])
    """
    d, r = curve
    if in_steps:  # the ends of each step
        rise = np.diff(r) > 1e-9 * float(np.abs(r).max(initial=0.0))
        kept = np.append(True, rise) | np.append(rise, True)
    else:
        kept = np.zeros(d.size, dtype=bool)
        kept[np.linspace(0, d.size - 1, min(d.size, THIN)).round().astype(int)] = True
    return d[kept], r[kept]


def draw_curves(ax: Axes, curves: list[Curve], level: Level, label: str) -> None:
    """Draw the curves of a transformation: in steps if only the order is known."""
    many = len(curves) > 1
    style: dict[str, Any] = {"linewidth": 0.8 if many else 2.0, "alpha": 0.5 if many else 1.0}
    for k, curve in enumerate(curves):
        line = Transformation(level, *thinned(curve, level.in_steps))
        line.plot(ax, **style, color=theme_of(ax).miss, label=label if k == 0 else None)
