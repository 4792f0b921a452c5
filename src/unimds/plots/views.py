"""Views of a space: a plane, a disk, a triangle, a globe or a part of it, or three dimensions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unimds.plots.shapes import (
    CORNERS,
    circle,
    facing,
    geodesic_grid,
    graticule,
    graticule_near,
    in_cap,
    in_triangle,
    triangle_grid,
)
from unimds.spaces import (
    ChordalSphere,
    Euclidean,
    Hyperbolic,
    Simplex,
    Space,
    Sphere,
    as_space,
    from_poincare,
    to_poincare,
)
from unimds.spaces.hyperbolic import boost, recentred

Array = NDArray[np.floating[Any]]


def _unchanged(places: Array) -> Array:
    return places


def _shares(places: Array) -> Array:
    """Return the probabilities at places of the simplex."""
    simplex: Space = Simplex()
    return np.asarray(simplex.project_points(places) ** 2)


@dataclass(frozen=True)
class MapView:
    """Points as they are drawn, with the lines around and behind them.

    Attributes
    ----------
    kind : str
        "line", "circle", "plane", "space", "globe", "cap" (a part of a globe), "disk" or
        "triangle".
    points : ndarray of shape (n, 2) or (n, 3)
        Positions of the points in the picture.
    edge, grid : list of ndarray
        Lines: the boundary of the space, and a grid that shows its shape.
    note : str
        What readers must know to understand the picture; may be empty.
    caution : str
        What the picture hides, and how to see it; a part of the note.
    seen : callable
        Returns where places of the space are in the picture, such as those of a line.
    facing : tuple of three ndarrays
        Of a globe, the directions to the reader, to the right and up; empty otherwise.
    """

    kind: str
    points: Array
    edge: list[Array] = field(default_factory=list)
    grid: list[Array] = field(default_factory=list)
    note: str = ""
    caution: str = ""
    seen: Callable[[Array], Array] = _unchanged
    facing: tuple[Array, ...] = ()


def view_of(X: ArrayLike, space: str | Space = "euclidean") -> MapView:
    """Return the view of points in a space.

    Parameters
    ----------
    X : array-like of shape (n, n_coordinates)
        Points, in the coordinates of the space.
    space : str or Space, default="euclidean"
        The space.

    Returns
    -------
    MapView

    Examples
    --------
    >>> view_of([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], "sphere").kind
    'globe'
    >>> view_of(np.eye(5)).note
    'The first two of 5 principal coordinates: 50 % of the variance.'
    """
    space = as_space(space)
    points = np.asarray(X, dtype=float)
    if points.ndim != 2 or points.shape[1] == 0 or not np.isfinite(points).all():
        raise ValueError(f"X must be a table of finite coordinates; its shape is {points.shape}")
    points = space.project_points(points)
    k = points.shape[1]
    if isinstance(space, Hyperbolic) and k > 1:
        return _hyperbolic(points, space)
    if isinstance(space, Sphere | ChordalSphere) and k in (2, 3):
        return _sphere(points)
    if isinstance(space, Simplex) and k in (2, 3):
        return _simplex(points)
    if isinstance(space, Simplex):
        return _projected(points**2, _shares)
    return _projected(points)


def flattened(view: MapView) -> MapView:
    """Return a view of two dimensions: of three, that of the first two principal coordinates."""
    if view.kind != "space":
        return view
    centre = view.points.mean(axis=0)
    axes, _ = principal_plane(view.points - centre)

    def seen(line: Array) -> Array:
        return np.asarray((view.seen(line) - centre) @ axes)

    note = "The first two of 3 principal coordinates."
    return MapView("plane", (view.points - centre) @ axes, note=note, seen=seen)


def place_of(seen: ArrayLike, X: ArrayLike, space: str | Space = "euclidean") -> Array:
    """Return the point of a space that the view of a map shows somewhere: the inverse of `view_of`.

    Parameters
    ----------
    seen : array-like of shape (2,) or (3,)
        A position in the view; it need not lie exactly on a circle or a globe.
    X : array-like of shape (n, n_coordinates)
        The map, which decides what is at the centre of the view.
    space : str or Space, default="euclidean"
        Its space.

    Returns
    -------
    ndarray of shape (n_coordinates,)

    Raises
    ------
    ValueError
        If the view does not show all coordinates, or nothing of the space is at this position.

    Examples
    --------
    >>> place_of([0.0, 0.0, 2.0], np.eye(3), "sphere")
    array([0., 0., 1.])
    """
    space, at = as_space(space), np.asarray(seen, dtype=float)
    points = np.asarray(X, dtype=float)
    view = view_of(points, space)
    if at.shape != view.points.shape[1:] or not np.isfinite(at).all():
        raise ValueError("a position in a view has as many finite numbers as the view shows")
    if isinstance(space, Euclidean) and points.shape[1] <= 3:
        return at[: points.shape[1]]
    if isinstance(space, Hyperbolic) and points.shape[1] <= 4:
        if at @ at >= EDGE**2:
            at = at * (EDGE / np.linalg.norm(at))
        exact = space.project_points(points)
        back = np.linalg.inv(boost(exact))
        there = from_poincare(at[None]) @ back
        return np.asarray(space.project_points(there)[0])
    if view.kind == "cap":
        front, right, above = facing(space.project_points(points))
        angle = np.radians(ROOM * angle_of(space.project_points(points))) * np.linalg.norm(at)
        across = (at[0] * right + at[1] * above) / (np.linalg.norm(at) or 1.0)
        return np.asarray(np.cos(angle) * front + np.sin(angle) * across)
    if isinstance(space, Simplex) and view.kind in ("line", "triangle"):
        return _distribution(at, view.kind)
    if view.kind in ("circle", "globe") and at.any():
        return np.asarray(at / np.linalg.norm(at))
    raise ValueError("the view does not show all coordinates of the map, so no place is meant")


def _distribution(at: Array, kind: str) -> Array:
    """Return the point of the simplex at a place of the line or the triangle, or nearest inside."""
    shares = np.array([1.0 - at[0], at[0]])
    if kind == "triangle":
        corners = np.column_stack([CORNERS, np.ones(3)])
        shares = np.append(at, 1.0) @ np.linalg.inv(corners)
    shares = np.maximum(shares, 0.0)
    return np.asarray(np.sqrt(shares / shares.sum()))


EDGE = 0.9999
"""How far from the centre of the Poincaré disk a place may be meant: the edge is no place."""


def _hyperbolic(points: Array, space: Hyperbolic) -> MapView:
    """Show the Poincaré model, moved so that the mean of the points is at the centre."""
    # spaces are compiled code, without types
    moved = recentred(points, points)
    ball = to_poincare(moved)

    def seen(line: Array) -> Array:
        return to_poincare(recentred(line, points))

    middle = "The mean of the points is at the centre; the edge is infinitely far away."
    if ball.shape[1] == 2:
        told = _crowding(moved, space)
        note = f"The Poincaré disk. {middle} {told}".rstrip()
        return MapView("disk", ball, [circle()], geodesic_grid(), note, told, seen)
    if ball.shape[1] == 3:
        return MapView("space", ball, [], graticule(), f"The Poincaré ball. {middle}", seen=seen)
    return _projected(ball, seen, of="the Poincaré ball")


RIM, WIDE = 0.97, 8.0
"""Radius in the disk beyond which points touch each other, and width of a map that a disk shows."""


def _crowding(points: Array, space: Hyperbolic) -> str:
    """Say that most points lie at the rim of the disk, and which curvature would show them."""
    far = np.arccosh(np.fmax(points[:, 0], 1.0))
    if 2.0 * float(np.mean(np.tanh(0.5 * far) > RIM)) <= 1.0 or isinstance(space.curvature, str):
        return ""
    weaker = space.curvature * (0.5 * WIDE / float(far.max())) ** 2
    return (
        "Most points lie at the rim of the disk, which draws them close together. To see them, fit "
        f"with a weaker curvature, about {weaker:.1g}."
    )


def _sphere(points: Array) -> MapView:
    if points.shape[1] == 2:
        return MapView("circle", points, [circle()])
    if len(points) > 1 and LEAST < (angle := angle_of(points)) <= SMALL:
        return _cap(points, angle)
    return MapView("globe", points, [], graticule(), facing=facing(points))


SMALL, FLAT = 20.0, 10.0
"""Degrees from the mean within which a part of a sphere is drawn alone, and is nearly flat."""
LEAST = 1e-6
"""Degrees within which all points are in one place."""
ROOM = 1.15
"""How much farther than the farthest point the picture of a part of a sphere reaches."""


def angle_of(points: Array) -> float:
    """Return how many degrees the farthest point is from the mean."""
    front = facing(points)[0]
    chord = float(np.linalg.norm(points - front, axis=1).max())
    return float(np.degrees(2.0 * np.arcsin(min(1.0, 0.5 * chord))))


def _cap(points: Array, angle: float) -> MapView:
    """Show a small part of the sphere alone, from above its middle, as large as the picture."""
    look = facing(points)
    reach = ROOM * angle
    lines, step = graticule_near(look[0], reach)
    flat = [in_cap(line, *look) / np.radians(reach) for line in lines]
    inside = [np.where(np.sum(at**2, axis=1, keepdims=True) <= 1.0, at, np.nan) for at in flat]
    grid = [line for line in inside if not np.isnan(line).all()]
    told = (
        f"A part of the sphere: all points lie within {angle:.2g}° of their mean, and the "
        f"parallels are {step:g}° apart."
    )
    if angle <= FLAT:
        told += " So small a part is nearly flat: a map in the plane would show the same."

    def seen(line: Array) -> Array:
        return np.asarray(in_cap(line, *look) / np.radians(reach))

    return MapView("cap", seen(points), [circle()], grid, told, seen=seen)


def _simplex(points: Array) -> MapView:
    if points.shape[1] == 2:

        def second(line: Array) -> Array:
            return _upright(line[:, 1:] ** 2)

        return MapView(
            "line", second(points), note="Probability of the second outcome.", seen=second
        )

    def seen(line: Array) -> Array:
        return in_triangle(_shares(line))

    return MapView("triangle", seen(points), [CORNERS[[0, 1, 2, 0]]], triangle_grid(), seen=seen)


def _projected(
    points: Array, coordinates: Callable[[Array], Array] = _unchanged, of: str = ""
) -> MapView:
    """Show up to three coordinates unchanged, and of more the first two principal coordinates.

    `coordinates` returns those of places of the space.
    """
    k = points.shape[1]
    if k <= 1:
        note = "The map has one dimension."
        return MapView("line", _upright(points), note=note, seen=_upright)
    if k <= 3:
        return MapView("plane" if k == 2 else "space", points, seen=coordinates)
    centre = points.mean(axis=0)
    axes, share = principal_plane(points - centre)
    where = f" in {of}" if of else ""
    note = f"The first two of {k} principal coordinates{where}: {share:.0%} of the variance."

    def seen(line: Array) -> Array:
        return np.asarray((coordinates(line) - centre) @ axes)

    return MapView("plane", (points - centre) @ axes, note=note.replace("%", " %"), seen=seen)


def principal_plane(centred: Array) -> tuple[Array, float]:
    """Return the first two principal axes of points as columns, and their share of the variance."""
    _, size, axes = np.linalg.svd(centred, full_matrices=False)
    whole = float(np.sum(size**2))
    return axes[:2].T, float(np.sum(size[:2] ** 2)) / whole if whole > 0.0 else 1.0


def _upright(line: Array) -> Array:
    """Return points of a line in the plane."""
    return np.column_stack([line, np.zeros(len(line))])
