"""The points of a map, on whatever space they lie."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unimds.plots.axes import (
    PAPER,
    QUIET,
    bare,
    check_length,
    draw_points,
    new_axes,
    plain,
    tidy,
)
from unimds.plots.names import write_names
from unimds.plots.shapes import CORNERS, circle, graticule
from unimds.plots.views import View, view_of
from unimds.spaces import Space

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.floating[Any]]


def plot_embedding(
    X: Any,
    labels: Sequence[str | None] | None = None,
    color: Sequence[Any] | None = None,
    ax: Axes | None = None,
    *,
    space: str | Space | None = None,
    size: float | None = None,
    title: str | None = None,
) -> Axes:
    """Draw a map: in the plane, on a sphere, in the Poincaré disk or in a triangle.

    Of a map of more than two dimensions the first two principal coordinates are drawn, and the
    picture says so. These, the half of a sphere in front and the middle of the disk depend on the
    points: to show two maps in one picture draw them at once, after `unimds.quality.align`.

    Parameters
    ----------
    X : array-like of shape (n, n_coordinates), Result or fitted estimator
        The points.
    labels : sequence of n names, default=None
        Names of the points; None or "" for those that need none. A name for which there is no
        room is left out.
    color : sequence of n values, default=None
        Numbers, drawn with a colour bar, or categories, drawn with a legend; shapes differ too.
    ax : Axes, default=None
        Where to draw; a new figure by default.
    space : str or Space, default=None
        The space of the points: that of the result, or Euclidean.
    size : float, default=None
        Area of a point, as in matplotlib's ``scatter``.
    title : str, default=None
        Title of the picture.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from unimds.datasets import load_cities
    >>> cities = load_cities()
    >>> plot_embedding(cities.points, cities.names, space="sphere")  # doctest: +SKIP

    Two maps of the same points, in one picture:

    >>> from unimds.quality import align
    >>> one = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 4.0]])
    >>> other = np.array([[5.0, 5.0], [5.1, 8.0], [1.0, 5.0]])  # turned and shifted
    >>> both = np.vstack([one, align(other, one)])
    >>> plot_embedding(both, color=["one"] * 3 + ["other"] * 3)  # doctest: +SKIP
    """
    view = view_of(*points_of(X, space))
    if view.kind == "globe":
        return plot_sphere(view.points, labels, color, ax, size=size, title=title)
    if view.kind == "space":
        flat = view.points - view.points.mean(axis=0)
        axes = np.linalg.svd(flat, full_matrices=False)[2]
        note = "The first two of 3 principal coordinates."
        view = View("plane", flat @ axes[:2].T, note=note)
    return _draw_view(view, labels, color, ax, size, title)


def points_of(X: Any, space: str | Space | None) -> tuple[ArrayLike, str | Space]:
    """Return points and their space, of an array, a result or an estimator."""
    result = getattr(X, "result_", None) or X
    if hasattr(result, "embedding"):
        return result.embedding, space or result.space
    if hasattr(X, "embedding_"):
        return X.embedding_, space or X.space_
    return X, space or "euclidean"


def plot_poincare(
    X: ArrayLike,
    labels: Sequence[str | None] | None = None,
    color: Sequence[Any] | None = None,
    ax: Axes | None = None,
    *,
    size: float | None = None,
    title: str | None = None,
) -> Axes:
    """Draw points of the hyperbolic plane H² in the Poincaré disk.

    The mean of the points is moved to the middle. The lines are geodesics, the edge is infinitely
    far away. `X` are points of the hyperboloid, of shape (n, 3); the other parameters are those of
    `plot_embedding`.

    Examples
    --------
    >>> from unimds.spaces import from_poincare
    >>> plot_poincare(from_poincare([[0.0, 0.0], [0.5, 0.5]]))  # doctest: +SKIP
    """
    return _draw_view(_three(X, "hyperbolic"), labels, color, ax, size, title)


def plot_ternary(
    X: ArrayLike,
    labels: Sequence[str | None] | None = None,
    color: Sequence[Any] | None = None,
    ax: Axes | None = None,
    *,
    outcomes: Sequence[str] = ("1", "2", "3"),
    size: float | None = None,
    title: str | None = None,
) -> Axes:
    """Draw distributions of three outcomes in a triangle, a corner for each outcome.

    `X` are points of the simplex, square roots of probabilities, of shape (n, 3); `outcomes` are
    the names of the corners, and the other parameters are those of `plot_embedding`.

    Examples
    --------
    >>> plot_ternary(np.sqrt([[0.2, 0.3, 0.5]]), outcomes=["A", "B", "C"])  # doctest: +SKIP
    """
    ax = _draw_view(_three(X, "simplex"), labels, color, ax, size, title)
    for (x, y), name, va in zip(CORNERS, outcomes, ("top", "top", "bottom"), strict=True):
        ax.annotate(
            plain(name),
            (x, y),
            ha="center",
            va=va,
            xytext=(0, -5 if va == "top" else 5),
            textcoords="offset points",
        )
    return ax


def _three(X: ArrayLike, space: str) -> View:
    if np.ndim(X) != 2 or np.shape(X)[1] != 3:
        raise ValueError(f"X must be rows of 3 coordinates; its shape is {np.shape(X)}")
    return view_of(X, space)


def _draw_view(
    view: View,
    labels: Sequence[str | None] | None,
    color: Sequence[Any] | None,
    ax: Axes | None,
    size: float | None,
    title: str | None,
) -> Axes:
    check_length(labels, len(view.points), "labels")
    ax = new_axes(7, 6) if ax is None else ax
    for line in view.grid:
        ax.plot(*line.T, color=QUIET, linewidth=0.5, zorder=1)
    for line in view.edge:
        ax.fill(*line.T, facecolor=PAPER, edgecolor="none", zorder=0.5)
        ax.plot(*line.T, color="#566272", linewidth=1.2, zorder=1.5)
    draw_points(ax, view.points, color, size)
    if view.kind == "plane":
        ax.set_aspect("equal", adjustable="datalim")
        tidy(ax)
        ax.set_xlabel(view.note, fontsize="small", color="#566272")
    else:
        bare(ax)
    if title:
        ax.set_title(title)
    if labels is not None:
        write_names(ax, view.points, labels, avoid=view.points)
    return ax


# --- the sphere -----------------------------------------------------------------------------------


def plot_sphere(
    X: ArrayLike,
    labels: Sequence[str | None] | None = None,
    color: Sequence[Any] | None = None,
    ax: Axes | None = None,
    *,
    size: float | None = None,
    title: str | None = None,
) -> Axes:
    """Draw points of the sphere S² on both of its hemispheres, as seen from outside.

    The left one is that in which most of the points are; the right one is the other side, seen
    from behind. `X` are unit vectors of shape (n, 3); the other parameters are those of
    `plot_embedding`. For maps of the Earth see `plot_globe`.

    Examples
    --------
    >>> plot_sphere([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])  # doctest: +SKIP
    """
    points = _three(X, "sphere").points
    check_length(labels, len(points), "labels")
    ax = new_axes(9, 4.6) if ax is None else ax
    front, right, above = _seen(points)
    for side in (1.0, -1.0):
        middle = np.array([-1.05 * side, 0.0])
        ax.fill(*(circle() + middle).T, facecolor=PAPER, edgecolor=QUIET, zorder=0.5)
        for line in graticule():
            seen = np.column_stack([side * (line @ right), line @ above]) + middle
            seen[side * (line @ front) < 0.0] = np.nan
            ax.plot(*seen.T, color=QUIET, linewidth=0.4, zorder=1)
    sides = np.where(points @ front >= 0.0, 1.0, -1.0)
    places = np.column_stack([sides * (points @ right - 1.05), points @ above])
    draw_points(ax, places, color, size)
    bare(ax)
    if title:
        ax.set_title(title)
    if labels is not None:
        write_names(ax, places, labels, avoid=places)
    return ax


def _seen(points: Array) -> tuple[Array, Array, Array]:
    """Return the way to the reader, to the right and up; north is up where that can be."""
    front = points.mean(axis=0)
    length = float(np.linalg.norm(front))
    front = front / length if length > 1e-6 else np.array([1.0, 0.0, 0.0])
    north = np.array([0.0, 0.0, 1.0]) if abs(front[2]) < 0.99 else np.array([0.0, 1.0, 0.0])
    right = np.cross(north, front)
    right /= np.linalg.norm(right)
    return front, right, np.cross(front, right)
