"""Pictures of maps, in every space."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unimds._runtime.arguments import advised
from unimds.distances.inputs import as_float, labels_of
from unimds.distances.joining import counts_rows, joined
from unimds.placecenter.result import map_of, names_of
from unimds.plots.axes import area_of, as_line, bare, check_length, new_axes, plain, tidy
from unimds.plots.edges import draw_edges, drawn_edges, in_disk, on_sphere
from unimds.plots.labels import write_labels, write_slanted
from unimds.plots.layers.base import Layer, Name, Scene, as_layers
from unimds.plots.painting import Hemispheres, Screen, Sheet, paint, trodden
from unimds.plots.points import colour_groups, draw_legend, draw_points
from unimds.plots.room import make_room
from unimds.plots.shapes import CORNERS, circle
from unimds.plots.themes import theme_of
from unimds.plots.views import flattened, view_of
from unimds.spaces import Space, as_space

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.floating[Any]]

NAMED = 150
"""Up to this many points have their names by default."""


@advised
def plot_embedding(
    X: Any,
    labels: Sequence[str | None] | bool | None = None,
    color: str | Sequence[Any] | None = None,
    ax: Axes | None = None,
    *,
    space: str | Space | None = None,
    edges: ArrayLike | None = None,
    size: float | None = None,
    title: str | None = None,
    new: ArrayLike | None = None,
    shape: Sequence[Any] | None = None,
    layers: Sequence[Layer] = (),
) -> Axes:
    """Draw a map: in the plane, on a sphere, in the Poincaré disk or in a triangle.

    For a map of more than two dimensions the picture shows the first two principal coordinates,
    and says so. The principal axes, the front hemisphere of a sphere and the centre of the disk
    depend on the points: to compare two maps, align them with `unimds.quality.align` and draw them
    in one call.

    Parameters
    ----------
    X : array-like of shape (n, n_coordinates), Result or fitted estimator
        The points.
    labels : sequence of n names, or False, default=None
        Names of the points; None or "" for a point without a name. A name that fits nowhere without
        covering another point, or lying nearer to it, is omitted. By default a map of up to 150
        points has the row labels of the data frame that it was fitted to; False writes no names.
    color : str or sequence of n values, default=None
        A colour for all points, such as "red"; or a value for each point: a colour, such as
        "#e41a1c", numbers, drawn with a colour bar, or categories, drawn with a legend and
        different shapes. Categories have the order of a pandas Categorical, or the alphabet's;
        points without a value are grey. Up to 14 different integers that repeat are categories;
        give floats to see them as numbers. A pandas Series is matched with the points by label, and
        its name is the title of the legend.
    ax : Axes, default=None
        Axes to draw on; a new figure by default.
    space : str or Space, default=None
        The space of the points; by default the space of the result, or Euclidean.
    edges : array-like of shape (m, 2), default=None
        Pairs of numbers of points to join by light lines, such as the `edges` of a graph that
        `unimds.files.read` has read.
    size : float, default=None
        Area of a point, as in matplotlib's ``scatter``.
    title : str, default=None
        Title of the picture, as it stands; ``ax.set_title("$R^2$")`` writes a formula.
    new : array-like of n booleans, default=None
        Points to tell apart, such as those that ``transform`` has placed on a finished map: their
        names come first, and they are outlined, or have their own colour if `color` is not given.
    shape : sequence of n values, default=None
        A category for each point, told by its shape; by default the shapes are those of the
        categories of `color`. A pandas Series is matched with the points by label.
    layers : sequence of Layer, default=()
        What to draw on the map, in this order: `Hulls`, `Ellipses`, `CentroidEllipses`, `Spiders`,
        `SpanningTree`, `Clusters`, `PropertyVectors`, `SpeciesScores`, `DriftVectors`,
        `UncertaintyRegions`, `Bubbles`.

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

    Groups in colours, each with its hull and a spider:

    >>> from unimds.plots import Hulls, Spiders
    >>> plot_embedding(mds, color=kind, layers=[Hulls(kind), Spiders(kind)])  # doctest: +SKIP
    """
    scene = scene_of(X, space)
    labels, color = matched_looks(X, scene.n, labels, color)
    shape = joined(shape, "shape", names_of(X), labels_of(labels), labels)
    mask = _as_mask(new, scene.n)
    look = Look(labels, color, size, title, edges, mask, shape=shape, layers=as_layers(layers))
    return draw_map(scene, look, ax)


def scene_of(X: Any, space: str | Space | None = None) -> Scene:
    """Return a map as layers see it, in as many dimensions as a page can show."""
    found, own = map_of(X, space)
    points = as_float(found, "X").astype(np.float64)
    names = names_of(X)
    return Scene(
        points,
        as_space(own),
        view_of(points, own),
        None if names is None else list(names),
        given_to(X),
    )


def given_to(X: Any) -> Any:
    """Return the dissimilarities that a map was fitted to, if it knows them."""
    return getattr(X, "dissimilarity_matrix_", None)


def draw_map(scene: Scene, look: Look, ax: Axes | None) -> Axes:
    """Draw a map; three dimensions become two."""
    scene = replace(scene, view=flattened(scene.view), groups=colour_groups(look.color))
    if scene.view.kind == "globe":
        return _draw_sphere(scene, look, ax)
    return _draw_view(scene, look, ax)


@dataclass(frozen=True)
class Look:
    """How the points of a picture are to look: the parameters of `plot_embedding`."""

    labels: Sequence[str | None] | None
    color: str | Sequence[Any] | None
    size: float | None
    title: str | None
    edges: ArrayLike | None
    new: NDArray[np.bool_] | None = None
    shape: Sequence[Any] | None = None
    layers: Sequence[Layer] = ()
    first: NDArray[np.bool_] | None = None
    """Points whose names come first, where there is no room for all; by default the new points."""
    away: Array | None = None
    """The direction in which the name of each point should stand."""
    legend: bool = True
    later: list[Callable[[], None]] | None = None
    """Where to leave the writing of names, if it has to wait for other pictures."""

    def written(self, ax: Axes, write: Callable[[], None]) -> Axes:
        """Write names now, or leave it for later; return the axes."""
        if self.later is None:
            write()
        else:
            self.later.append(write)
        return ax

    def write(
        self,
        ax: Axes,
        places: Array,
        outward: bool = False,
        more: Sequence[Name] = (),
        screen: Screen | None = None,
        lines: Array | None = None,
    ) -> None:
        """Write the names of layers, and then those of the points beside them."""
        own = [None] * len(places) if self.labels is None else list(self.labels)
        if not more and self.labels is None:
            return
        radius = 0.5 * float(np.sqrt(area_of(len(places), self.size)))
        # the outline of a new point is wider than the point
        gap = radius + 1.2 if self.new is None else 1.5 * radius + 1.5
        first = self.new if self.first is None else self.first
        away = np.zeros((len(places), 2)) if self.away is None else self.away
        if not more:
            how: dict[str, Any] = {"first": first, "away": away, "lines": lines}
            write_labels(ax, places, own, outward=outward, gap=gap, **how)
            return
        theme, wide = theme_of(ax), len(more)
        stand = np.array([np.zeros(2) if one.away is None else one.away[:2] for one in more])
        there = np.stack([one.place for one in more])
        turn = np.zeros(len(places)) if first is None else np.asarray(first, dtype=float)
        write_labels(
            ax,
            np.vstack([there if screen is None else screen.spots(there), places]),
            [*(one.text for one in more), *own],
            first=np.concatenate([np.full(wide, 2.0), turn]),
            away=np.vstack([stand, away]),
            gap=gap + 0.8,
            colors=[*(theme.hue(one.hue) for one in more), *[None] * len(places)],
            lines=lines,
        )


def _as_mask(new: ArrayLike | None, n: int) -> NDArray[np.bool_] | None:
    if new is None:
        return None
    mask = np.asarray(new)
    if mask.dtype != bool or mask.shape != (n,):
        raise ValueError(
            f"new must say True or False for each of the {n} points; its shape is {mask.shape} and "
            f"its type {mask.dtype}"
        )
    return mask


def matched_looks(
    X: Any, n: int, labels: Sequence[str | None] | bool | None, color: Any
) -> tuple[Sequence[str | None] | None, Any]:
    """Return names and colours in the order of the points."""
    own = names_of(X)
    given = None if isinstance(labels, bool) else joined(labels, "labels", own)
    color = joined(color, "color", own, labels_of(given), given)
    if labels is None and own is not None and n <= NAMED and not counts_rows(own.tolist()):
        given = [str(name) for name in own]
    return given, color


def plot_poincare(
    X: ArrayLike,
    labels: Sequence[str | None] | None = None,
    color: str | Sequence[Any] | None = None,
    ax: Axes | None = None,
    *,
    edges: ArrayLike | None = None,
    size: float | None = None,
    title: str | None = None,
) -> Axes:
    """Draw points of the hyperbolic plane H² in the Poincaré disk.

    The mean of the points moves to the centre. The lines are geodesics, and the edge is infinitely
    far away. `X` holds points of the hyperboloid, of shape (n, 3); the other parameters are those
    of `plot_embedding`.

    Examples
    --------
    >>> from unimds.spaces import from_poincare
    >>> plot_poincare(from_poincare([[0.0, 0.0], [0.5, 0.5]]))  # doctest: +SKIP
    """
    look = Look(labels, color, size, title, edges)
    return _draw_view(_three(X, "hyperbolic"), look, ax)


def plot_ternary(
    X: ArrayLike,
    labels: Sequence[str | None] | None = None,
    color: str | Sequence[Any] | None = None,
    ax: Axes | None = None,
    *,
    outcomes: Sequence[str] = ("1", "2", "3"),
    edges: ArrayLike | None = None,
    size: float | None = None,
    title: str | None = None,
) -> Axes:
    """Draw distributions of three outcomes in a triangle with a corner for each outcome.

    `X` holds points of the simplex, square roots of probabilities, of shape (n, 3); `outcomes`
    names the corners, and the other parameters are those of `plot_embedding`.

    Examples
    --------
    >>> plot_ternary(np.sqrt([[0.2, 0.3, 0.5]]), outcomes=["A", "B", "C"])  # doctest: +SKIP
    """
    if len(outcomes) != len(CORNERS):
        raise ValueError(f"outcomes={outcomes!r}: give three, one for each corner")
    scene = _three(X, "simplex")
    return _draw_view(scene, Look(labels, color, size, title, edges), ax, outcomes)


def _name_corners(ax: Axes, names: Sequence[str]) -> None:
    for (x, y), name, va in zip(CORNERS, names, ("top", "top", "bottom"), strict=True):
        ax.annotate(
            plain(name),
            (x, y),
            ha="center",
            va=va,
            xytext=(0, -5 if va == "top" else 5),
            textcoords="offset points",
        )


def _three(X: ArrayLike, space: str) -> Scene:
    if np.ndim(X) != 2 or np.shape(X)[1] != 3:
        raise ValueError(f"X must be rows of 3 coordinates; its shape is {np.shape(X)}")
    return scene_of(X, space)


def _draw_view(
    scene: Scene, look: Look, ax: Axes | None, corners: Sequence[str] | None = None
) -> Axes:
    view = scene.view
    check_length(look.labels, len(view.points), "labels")
    pairs = drawn_edges(look.edges, len(view.points))
    drawings = [layer.draw(scene) for layer in look.layers]
    ax = new_axes(*((8, 3) if view.kind == "line" else (7, 6))) if ax is None else ax
    theme = theme_of(ax)
    for line in view.grid:
        ax.plot(*line.T, color=theme.quiet, linewidth=0.5, zorder=1)
    for line in view.edge:
        ax.fill(*line.T, facecolor=theme.paper, edgecolor="none", zorder=0.5)
        ax.plot(*line.T, color=theme.note, linewidth=1.2, zorder=1.5)
    bent = view.kind == "disk"
    draw_edges(ax, in_disk(view.points, pairs) if bent else view.points[pairs])
    sections, names = paint(ax, Sheet(), drawings)
    drawn = draw_points(ax, view.points, look.color, look.size, look.new, look.shape, look.legend)
    if look.legend:
        draw_legend(ax, [*drawn.sections, *sections])
    if view.kind == "plane":
        ax.set_aspect("equal", adjustable="datalim")
        tidy(ax)
        write_note(ax, view.note)
    elif view.kind == "line":
        as_line(ax)
        write_note(ax, view.note)
    else:
        bare(ax)
    beneath = view.note if view.kind == "cap" else view.caution
    if beneath:
        where: dict[str, Any] = {"xycoords": "axes fraction", "ha": "center", "va": "top"}
        told = textwrap.fill(beneath, 70)
        ax.annotate(told, (0.5, 0.0), fontsize="small", color=theme.note, **where)
    if view.kind == "circle" and look.labels is not None:
        ax.margins(0.25, 0.1)  # names stand outside the circle
    if look.title:
        ax.set_title(plain(look.title))
    if corners is not None:
        _name_corners(ax, corners)
    make_room(ax, *drawn.bars)
    if look.labels is not None and view.kind == "line":
        write = partial(write_slanted, ax, view.points, look.labels, look.new)
    else:
        lines = trodden(Sheet(), drawings)
        write = partial(look.write, ax, view.points, view.kind == "circle", names, lines=lines)
    return look.written(ax, write)


def write_note(ax: Axes, note: str) -> None:
    """Write a note below the axes, in lines no wider than they are."""
    label = ax.set_xlabel(note, fontsize="small", color=theme_of(ax).note)
    wide = label.get_window_extent().width
    if wide > ax.bbox.width:
        label.set_text(textwrap.fill(note, int(len(note) * ax.bbox.width / wide)))


# --- the sphere -----------------------------------------------------------------------------------


def plot_sphere(
    X: ArrayLike,
    labels: Sequence[str | None] | None = None,
    color: str | Sequence[Any] | None = None,
    ax: Axes | None = None,
    *,
    edges: ArrayLike | None = None,
    size: float | None = None,
    title: str | None = None,
) -> Axes:
    """Draw points of the sphere S² on its two hemispheres, seen from outside.

    The left hemisphere is centred on the mean direction of the points; the right hemisphere is the
    far side, seen from behind. Points that all lie within 20° of their mean are drawn on that part
    of the sphere alone. `X` holds unit vectors, of shape (n, 3); the other parameters are
    those of `plot_embedding`. For maps of the Earth see `plot_globe`.

    Examples
    --------
    >>> plot_sphere([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])  # doctest: +SKIP
    """
    return draw_map(_three(X, "sphere"), Look(labels, color, size, title, edges), ax)


def _draw_sphere(scene: Scene, look: Look, ax: Axes | None) -> Axes:
    view = scene.view
    points = view.points
    check_length(look.labels, len(points), "labels")
    arcs = on_sphere(points, drawn_edges(look.edges, len(points)))
    drawings = [layer.draw(scene) for layer in look.layers]
    ax = new_axes(9, 4.6) if ax is None else ax
    theme, screen = theme_of(ax), Hemispheres(*view.facing)
    for side in (1.0, -1.0):
        rim = circle() + screen.middle(side)
        ax.fill(*rim.T, facecolor=theme.paper, edgecolor=theme.quiet, zorder=0.5)
        for line in view.grid:
            seen, ahead = screen.half(line, side)
            seen[~ahead] = np.nan
            ax.plot(*seen.T, color=theme.quiet, linewidth=0.4, zorder=1)
        parts, ahead = screen.half(arcs, side)
        draw_edges(ax, np.where(ahead[..., None], parts, np.nan))
    sections, names = paint(ax, screen, drawings)
    places = screen.spots(points)
    drawn = draw_points(ax, places, look.color, look.size, look.new, look.shape, look.legend)
    if look.legend:
        draw_legend(ax, [*drawn.sections, *sections])
    bare(ax)
    if look.title:
        ax.set_title(plain(look.title))
    make_room(ax, *drawn.bars)
    lines = trodden(screen, drawings)
    write = partial(look.write, ax, places, more=names, screen=screen, lines=lines)
    return look.written(ax, write)
