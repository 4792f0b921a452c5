"""Other coordinates: latitude and longitude for S², the Poincaré disk for hyperbolic space."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from unimds.spaces.hyperbolic import Hyperbolic
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


def _rows(values: ArrayLike, width: int | None, name: str) -> Array:
    rows = np.asarray(values, dtype=float)
    if rows.ndim != 2 or (width is not None and rows.shape[1] != width):
        need = "a table of rows" if width is None else f"rows of {width} numbers"
        raise ValueError(f"{name} must be {need}; its shape is {rows.shape}")
    if not np.isfinite(rows).all():
        raise ValueError(f"{name} has a value that is not finite")
    return rows
