"""Edges of a graph, drawn lightly below its points along the shortest lines of the space."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unimds._runtime.extras import require
from unimds._runtime.watch import warn
from unimds.plots.themes import theme_of
from unimds.spaces import from_poincare

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.floating[Any]]

MANY, MOST = 2000, 30_000
"""Edges above which they are thin, and are not drawn."""
STEPS = 25
"""Points of a curved line."""
RIM = 1e-12  # rounding puts very distant points on the edge of the disk


def as_edges(edges: ArrayLike | None, n: int) -> NDArray[np.intp]:
    """Return pairs of numbers of points, or raise if they are anything else.

    Examples
    --------
    >>> as_edges([(0, 2), (1, 2)], 3)
    array([[0, 2],
           [1, 2]])
    >>> as_edges([(0, 3)], 3)
    Traceback (most recent call last):
        ...
    ValueError: edges: (0, 3) joins a point that is not there; the 3 points go by the numbers 0…2
    """
    found = np.empty((0, 2), dtype=np.intp) if edges is None else np.asarray(edges)
    if found.size == 0:
        return np.empty((0, 2), dtype=np.intp)
    if found.ndim != 2 or found.shape[1] != 2 or found.dtype.kind not in "iu":
        raise ValueError(
            "edges must be pairs of numbers of points, such as [(0, 1), (0, 2)] or the edges of a "
            f"table; this is an array of shape {found.shape} and type {found.dtype}"
        )
    wrong = np.flatnonzero(((found < 0) | (found >= n)).any(axis=1))
    if wrong.size:
        a, b = found[wrong[0]].tolist()
        raise ValueError(
            f"edges: ({a}, {b}) joins a point that is not there; the {n} points go by the numbers "
            f"0…{n - 1}"
        )
    return found.astype(np.intp)


def drawn_edges(edges: ArrayLike | None, n: int) -> NDArray[np.intp]:
    """Return the edges to draw: none of so many that they would hide the points, with a warning."""
    found = as_edges(edges, n)
    if len(found) <= MOST:
        return found
    warn(
        f"{len(found):,} edges would hide the points, and are not drawn in the picture; up to "
        f"{MOST:,} are: choose some, such as those of a spanning tree",
        UserWarning,
    )
    return found[:0]


def draw_edges(ax: Axes, lines: Array) -> None:
    """Draw lines of shape (m, steps, 2): the more there are, the lighter and thinner."""
    m = len(lines)
    if m == 0:
        return
    collection = require("matplotlib.collections", "plot").LineCollection
    # many lines lie one over another: what they cover together grows with their number
    alpha, width = min(0.7, float(np.sqrt(200.0 / m)), MANY / (5.0 * m)), 0.8 if m < MANY else 0.4
    hue = theme_of(ax).edge
    ax.add_collection(
        collection(list(lines), colors=hue, alpha=alpha, linewidths=width, zorder=2.0)
    )


def in_disk(points: Array, edges: NDArray[np.intp]) -> Array:
    """Return geodesics between points of the Poincaré disk: arcs of circles.

    Examples
    --------
    >>> line = in_disk(np.array([[0.5, 0.0], [0.0, 0.5]]), np.array([[0, 1]]))[0]
    >>> bool((np.linalg.norm(line, axis=1) <= 0.5 + 1e-12).all())  # it bends to the centre
    True
    """
    reach = np.fmax(np.linalg.norm(points, axis=1, keepdims=True), 1.0 - RIM)
    lifted = on_hyperboloid(from_poincare(points * ((1.0 - RIM) / reach)), edges)
    return np.asarray(lifted[..., 1:] / (1.0 + lifted[..., :1]))


def on_hyperboloid(points: Array, edges: NDArray[np.intp]) -> Array:
    """Return geodesics between points of the hyperboloid, of shape (m, steps, 3)."""
    a, b = np.moveaxis(points[edges], 1, 0)
    cosh = np.fmax(a[:, 0] * b[:, 0] - (a[:, 1:] * b[:, 1:]).sum(axis=1), 1.0)
    return _between(a, b, np.arccosh(cosh), np.sinh)


def on_sphere(points: Array, edges: NDArray[np.intp]) -> Array:
    """Return arcs of great circles between unit vectors, of shape (m, steps, 3)."""
    a, b = np.moveaxis(points[edges], 1, 0)
    angle = np.arccos(np.clip((a * b).sum(axis=1), -1.0, 1.0))
    lines = _between(a, b, angle, np.sin)
    return np.asarray(lines / np.fmax(np.linalg.norm(lines, axis=-1, keepdims=True), 1e-300))


def _between(a: Array, b: Array, length: Array, sine: np.ufunc) -> Array:
    """Return points at equal steps along geodesics; of very short ones, along their chords."""
    t = np.linspace(0.0, 1.0, STEPS)
    s, there = length[:, None], sine(length)[:, None]
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        first, second = sine((1.0 - t) * s) / there, sine(t * s) / there
    plain = (there < 1e-9) | ~np.isfinite(first + second)
    first, second = np.where(plain, 1.0 - t, first), np.where(plain, t, second)
    return np.asarray(first[..., None] * a[:, None] + second[..., None] * b[:, None])
