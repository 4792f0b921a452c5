"""Coordinates of points: those of their space, latitude and longitude, or the Poincaré ball."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, final

import numpy as np
from numpy.typing import ArrayLike

from unimds.files.table import LATLON, POINCARE, coordinate_names, hyperboloid_names
from unimds.spaces.base import Space, as_space
from unimds.spaces.hyperbolic import Hyperbolic, recentred
from unimds.spaces.sphere import ChordalSphere, Sphere
from unimds.spaces.vectors import Array, check_unit_rows


def from_latlon(latlon: ArrayLike) -> Array:
    """Return unit vectors for rows (latitude, longitude) in degrees.

    Examples
    --------
    >>> from_latlon([[0.0, 90.0]]).round(12) + 0.0
    array([[0., 1., 0.]])
    """
    degrees = _rows(latlon, 2, "latlon")
    if (np.abs(degrees[:, 0]) > 90.0).any():
        i = int(np.argmax(np.abs(degrees[:, 0])))
        raise ValueError(
            f"latlon: row {i} has latitude {degrees[i, 0]:g}, outside −90…90; "
            "the columns are latitude, then longitude, in degrees"
        )
    lat, lon = np.radians(degrees).T
    return np.column_stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)])


def to_latlon(X: ArrayLike) -> Array:
    """Return rows (latitude, longitude) in degrees for unit vectors.

    Examples
    --------
    >>> to_latlon([[0.0, 1.0, 0.0]])
    array([[ 0., 90.]])
    """
    points = _rows(X, 3, "X")
    check_unit_rows(points, "X", "points of S²")
    # atan2, not asin, is exact at the poles too
    lat = np.arctan2(points[:, 2], np.hypot(points[:, 0], points[:, 1]))
    lon = np.arctan2(points[:, 1], points[:, 0])
    return np.degrees(np.column_stack([lat, lon]))


def to_poincare(X: ArrayLike) -> Array:
    """Return the points of the Poincaré ball for points of the hyperboloid.

    Examples
    --------
    >>> to_poincare([[1.25, 0.75, 0.0]]).round(12)
    array([[0.33333333, 0.        ]])
    """
    points = _rows(X, None, "X")
    Hyperbolic().check_points(points, "X")
    return np.asarray(points[:, 1:] / (1.0 + points[:, :1]))


def from_poincare(Y: ArrayLike) -> Array:
    """Return the points of the hyperboloid for points of the Poincaré ball.

    Examples
    --------
    >>> from_poincare([[1 / 3, 0.0]]).round(12)
    array([[1.25, 0.75, 0.  ]])
    """
    ball = _rows(Y, None, "Y")
    square = np.einsum("ij,ij->i", ball, ball)
    if (square >= 1.0).any():
        i = int(np.argmax(square))
        raise ValueError(
            f"Y: row {i} has length {np.sqrt(square[i]):.6g}, not inside the unit ball"
        )
    return np.column_stack([1.0 + square, 2.0 * ball]) / (1.0 - square)[:, None]


# --- coordinates by name --------------------------------------------------------------------------


class Coordinates(ABC):
    """A way to write the points of a map as numbers with names."""

    need: ClassVar[str]
    """The maps that can be written so."""

    @abstractmethod
    def suits(self, space: Space, n_components: int) -> bool:
        """Whether maps of a space can be written so."""

    @abstractmethod
    def names(self, k: int) -> list[str]:
        """Return the names of the numbers, for points that the space gives k coordinates."""

    @abstractmethod
    def of(self, points: Array) -> Array:
        """Return the numbers of points that are given in the coordinates of their space."""

    @abstractmethod
    def back(self, values: Array) -> Array:
        """Return points, in the coordinates of their space, from their numbers."""


@final
class Cartesian(Coordinates):
    """x, y, z: the coordinates of every space but the hyperbolic."""

    need = "a map outside hyperbolic space"

    def suits(self, space: Space, n_components: int) -> bool:
        """Whether the space has such coordinates."""
        return not isinstance(space, Hyperbolic)

    def names(self, k: int) -> list[str]:
        """Return x, y, z, or x1, x2 and so on."""
        return coordinate_names(k)

    def of(self, points: Array) -> Array:
        """Return the points as they are."""
        return points

    def back(self, values: Array) -> Array:
        """Return the points as they are."""
        return values


@final
class Hyperboloid(Coordinates):
    """t, x, y: points of the hyperboloid t² − x² − y² = 1, the coordinates of hyperbolic space."""

    need = "a map in hyperbolic space"

    def suits(self, space: Space, n_components: int) -> bool:
        """Whether the space is hyperbolic."""
        return isinstance(space, Hyperbolic)

    def names(self, k: int) -> list[str]:
        """Return t, x, y."""
        return hyperboloid_names(k)

    def of(self, points: Array) -> Array:
        """Return the points as they are."""
        return points

    def back(self, values: Array) -> Array:
        """Return the points as they are."""
        return values


@final
class PoincareBall(Coordinates):
    """Points of the unit disk or ball, whose edge is infinitely far away."""

    need = "a map in hyperbolic space"

    def suits(self, space: Space, n_components: int) -> bool:
        """Whether the space is hyperbolic."""
        return isinstance(space, Hyperbolic)

    def names(self, k: int) -> list[str]:
        """Return poincare_x, poincare_y."""
        return coordinate_names(k - 1, POINCARE)

    def of(self, points: Array) -> Array:
        """Return the points of the ball."""
        # single precision would not pass the check of double precision
        exact: Array = Hyperbolic().project_points(np.asarray(points, dtype=float))
        return to_poincare(exact)

    def back(self, values: Array) -> Array:
        """Return the points of the hyperboloid."""
        return from_poincare(values)


@final
class LatLon(Coordinates):
    """Latitude and longitude in degrees."""

    need = "a map of two dimensions on a sphere"

    def suits(self, space: Space, n_components: int) -> bool:
        """Whether the space is S²."""
        return isinstance(space, Sphere | ChordalSphere) and n_components == 2

    def names(self, k: int) -> list[str]:
        """Return latitude, longitude."""
        return list(LATLON)

    def of(self, points: Array) -> Array:
        """Return latitude and longitude."""
        exact: Array = Sphere().project_points(np.asarray(points, dtype=float))
        return to_latlon(exact)

    def back(self, values: Array) -> Array:
        """Return unit vectors."""
        return from_latlon(values)


COORDINATES: dict[str, Coordinates] = {
    "cartesian": Cartesian(),
    "hyperboloid": Hyperboloid(),
    "poincare": PoincareBall(),
    "latlon": LatLon(),
}
"""The coordinates by their names."""


def as_coordinates(name: str, space: str | Space, n_components: int) -> Coordinates:
    """Return coordinates for maps of a space by their name, or raise if they do not suit them.

    Parameters
    ----------
    name : {"auto", "cartesian", "hyperboloid", "poincare", "latlon"}
        The name; "auto" has the coordinates of the space.
    space : str or Space
        The space of the map.
    n_components : int
        Its dimension.

    Returns
    -------
    Coordinates

    Examples
    --------
    >>> as_coordinates("auto", "hyperbolic", 2).names(3)
    ['t', 'x', 'y']
    >>> as_coordinates("latlon", "euclidean", 2)
    Traceback (most recent call last):
        ...
    ValueError: 'latlon' needs a map of two dimensions on a sphere, and this map has 2 dimensions \
in Euclidean(); use auto or cartesian
    """
    space = as_space(space)
    if name not in ("auto", *COORDINATES):
        raise ValueError(f"{name!r} is unknown; use one of {', '.join(('auto', *COORDINATES))}")
    suitable = [key for key, one in COORDINATES.items() if one.suits(space, n_components)]
    if name == "auto":
        return COORDINATES[suitable[0]]
    if name not in suitable:
        raise ValueError(
            f"{name!r} needs {COORDINATES[name].need}, and this map has {n_components} "
            f"dimension{'s' if n_components > 1 else ''} in {space}; use auto or "
            f"{' or '.join(suitable)}"
        )
    return COORDINATES[name]


def in_coordinates(
    X: ArrayLike,
    space: str | Space,
    coordinates: str = "auto",
    *,
    around: ArrayLike | None = None,
) -> tuple[list[str], Array]:
    """Return points in other coordinates, and the names of these, to write or to tabulate.

    Parameters
    ----------
    X : array-like of shape (n, n_coordinates)
        Points, in the coordinates of their space.
    space : str or Space
        The space.
    coordinates : {"auto", "cartesian", "hyperboloid", "poincare", "latlon"}, default="auto"
        What to return: the coordinates of the space itself ("auto": t, x, y on the hyperboloid, and
        x, y, z in every other space), points of the Poincaré ball, or latitude and longitude in
        degrees.
    around : array-like of shape (m, n_coordinates), default=None
        Points whose mean is to be at the centre of the Poincaré ball, as pictures have it; for new
        points, those of their map.

    Returns
    -------
    names : list of str
        Names of the numbers.
    values : ndarray
        The points.

    Examples
    --------
    >>> names, values = in_coordinates([[1.25, 0.75, 0.0]], "hyperbolic", "poincare")
    >>> names, values.round(12)
    (['poincare_x', 'poincare_y'], array([[0.33333333, 0.        ]]))
    """
    space = as_space(space)
    points = np.asarray(X)
    if points.ndim != 2:
        raise ValueError(f"X must be a table of rows; its shape is {points.shape}")
    k = points.shape[1]
    found = as_coordinates(coordinates, space, dimension_of(space, k))
    space.check_points(points, "X")
    if around is not None and isinstance(found, PoincareBall):
        points = recentred(points, around)
    return found.names(k), found.of(points)


def from_coordinates(
    names: Sequence[str], values: Array, space: Space, n_components: int
) -> Array | None:
    """Return points from columns of numbers, whichever coordinates the columns are called by.

    Parameters
    ----------
    names : sequence of str
        Names of the columns; there may be other columns among them.
    values : ndarray of shape (n, len(names))
        The columns.
    space : Space
        The space of the map.
    n_components : int
        Its dimension.

    Returns
    -------
    ndarray of shape (n, n_coordinates), or None
        The points; None if the coordinates of such a map are not among the columns.

    Examples
    --------
    >>> from_coordinates(LATLON, np.array([[0.0, 0.0]]), Sphere(), 2)
    array([[1., 0., 0.]])
    """
    at = {name: j for j, name in enumerate(names)}
    for way in COORDINATES.values():
        wanted = way.names(space.n_coordinates(n_components))
        if way.suits(space, n_components) and set(wanted) <= set(at):
            return way.back(values[:, [at[name] for name in wanted]])
    return None


def dimension_of(space: Space, k: int) -> int:
    """Return the dimension of a map whose points have k coordinates."""
    return next((n for n in range(1, k + 1) if space.n_coordinates(n) == k), k)


def _rows(values: ArrayLike, width: int | None, name: str) -> Array:
    rows = np.asarray(values, dtype=float)
    if rows.ndim != 2 or (width is not None and rows.shape[1] != width):
        need = "a table of rows" if width is None else f"rows of {width} numbers"
        raise ValueError(f"{name} must be {need}; its shape is {rows.shape}")
    if not np.isfinite(rows).all():
        raise ValueError(f"{name} has a value that is not finite")
    return rows
