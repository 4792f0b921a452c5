"""Lines that show the shape of a space: meridians, geodesics, the grid of a triangle."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unimds.spaces import from_latlon, to_latlon

Array = NDArray[np.floating[Any]]

CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
"""Corners of the triangle of distributions: one for each of three outcomes."""


def graticule(step: int = 30) -> list[Array]:
    """Return meridians and parallels of the unit sphere, `step` degrees apart.

    Examples
    --------
    >>> len(graticule(30))  # 12 meridians, 5 parallels
    17
    """
    fine = np.arange(-180.0, 181.0, 3.0)
    along = np.linspace(-90.0, 90.0, 61)
    meridians = [_latlon(along, east) for east in range(-180, 180, step)]
    return meridians + [_latlon(north, fine) for north in range(step - 90, 90, step)]


def facing(points: Array) -> tuple[Array, Array, Array]:
    """Return the directions to the reader, who looks at the mean of points of the unit sphere.

    The others are those to the right and up; north is up if possible.
    """
    front = points.mean(axis=0)
    length = float(np.linalg.norm(front))
    front = front / length if length > 1e-6 else np.array([1.0, 0.0, 0.0])
    north = np.array([0.0, 0.0, 1.0]) if abs(front[2]) < 0.99 else np.array([0.0, 1.0, 0.0])
    right = np.cross(north, front)
    right /= np.linalg.norm(right)
    return front, right, np.cross(front, right)


def in_cap(points: Array, front: Array, right: Array, above: Array) -> Array:
    """Return points of the unit sphere on a flat map around `front`, in radians.

    Angles from `front` and directions there are true (the azimuthal equidistant projection).
    """
    across = np.column_stack([points @ right, points @ above])
    sine = np.linalg.norm(across, axis=1, keepdims=True)
    angle = np.arctan2(sine, (points @ front)[:, None])
    return np.asarray(across * np.where(sine > 0.0, angle / np.where(sine > 0.0, sine, 1.0), 1.0))


def graticule_near(front: Array, reach: float) -> tuple[list[Array], float]:
    """Return meridians and parallels within `reach` degrees of a point, and how far apart they are.

    The parallels are so many degrees apart; meridians have about the same distance there.

    Examples
    --------
    >>> lines, step = graticule_near(np.array([1.0, 0.0, 0.0]), 10.0)
    >>> len(lines), step
    (10, 5.0)
    """
    north, east = to_latlon(front[None])[0]
    step = _round(0.4 * reach)
    low, high = north - reach, north + reach
    half = 180.0
    if max(-low, high) < 90.0:  # no pole is in sight
        half = float(np.degrees(np.arcsin(np.sin(np.radians(reach)) / np.cos(np.radians(north)))))
    apart = 30.0 if half == 180.0 else _round(0.4 * half)
    along = np.linspace(max(low, -90.0), min(high, 90.0), LINE)
    around = np.linspace(east - half, east + half, LINE)
    meridians = [_latlon(along, at) for at in _multiples(apart, east - half, east + half)]
    parallels = [_latlon(at, around) for at in _multiples(step, along[0], along[-1])]
    return meridians + parallels, step


LINE = 181
"""Points of a line."""


def _round(wanted: float) -> float:
    """Return a round number that is about as large: 1, 2 or 5 times a power of ten."""
    power = 10.0 ** np.floor(np.log10(wanted))
    return float(power * min((1.0, 2.0, 5.0, 10.0), key=lambda digit: abs(digit - wanted / power)))


def _multiples(step: float, low: float, high: float) -> list[float]:
    return [step * k for k in range(int(np.ceil(low / step)), int(np.floor(high / step)) + 1)]


def circle(steps: int = 181) -> Array:
    """Return the unit circle, closed."""
    angle = np.linspace(0.0, 2.0 * np.pi, steps)
    return np.column_stack([np.cos(angle), np.sin(angle)])


def geodesic_grid(reach: float = 3.0, step: float = 0.5) -> list[Array]:
    """Return geodesics of the Poincaré disk that cross an axis at right angles, `step` apart.

    Each geodesic is an arc of a circle that meets the edge of the disk at right angles. Along the
    axis, neighbouring geodesics have equal hyperbolic distances.

    Examples
    --------
    >>> len(geodesic_grid(2.0, 1.0))  # five across each axis
    10
    """
    t = np.linspace(-7.0, 7.0, 121)
    lines: list[Array] = []
    for s in np.arange(-reach, reach + 0.5 * step, step):
        upright = np.column_stack([np.cosh(t) * np.cosh(s), np.cosh(t) * np.sinh(s), np.sinh(t)])
        line = upright[:, 1:] / (1.0 + upright[:, :1])
        lines += [line, line[:, ::-1]]
    return lines


def in_triangle(P: ArrayLike) -> Array:
    """Return the places of distributions of three outcomes in an equilateral triangle.

    Examples
    --------
    >>> in_triangle([[1.0, 0.0, 0.0], [0.0, 0.5, 0.5]]).round(3)
    array([[0.   , 0.   ],
           [0.75 , 0.433]])
    """
    return np.asarray(np.asarray(P, dtype=float) @ CORNERS)


def triangle_grid(parts: int = 5) -> list[Array]:
    """Return the lines on which one probability is a multiple of 1 / `parts`."""
    lines: list[Array] = []
    for axis in range(3):
        for share in np.arange(1, parts) / parts:
            ends = np.full((2, 3), share)
            ends[0, axis - 1], ends[0, axis - 2] = 1.0 - share, 0.0
            ends[1, axis - 1], ends[1, axis - 2] = 0.0, 1.0 - share
            lines.append(in_triangle(ends))
    return lines


def _latlon(north: Any, east: Any) -> Array:
    return from_latlon(np.column_stack(np.broadcast_arrays(north, east)))
