"""Places near the points of a map, as vectors: where spread is measured and regions are drawn.

In Euclidean space the vector of a place is its difference to the point. In a curved space it is the
logarithm: it points along the shortest path, and is as long as that. Its coordinates are those of
an orthonormal basis at the point, in the unit of the distances.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from unimds.spaces import ChordalSphere, Euclidean, Simplex, Space, Sphere

Array = NDArray[Any]

INDEPENDENT = 1e-9
"""The least length of what a further coordinate adds to a basis."""


@final
@dataclass(frozen=True, eq=False)
class Tangents:
    """The tangent spaces at the points of a map, each with an orthonormal basis.

    Attributes
    ----------
    points : ndarray of shape (n, n_coordinates)
        The points.
    space : Space
        Where they lie; distances along straight chords become those along the surface.
    bases : ndarray of shape (n, k, n_coordinates)
        The basis at each point.
    """

    points: Array
    space: Space
    bases: Array

    @property
    def k(self) -> int:
        """The dimension of the map."""
        return int(self.bases.shape[1])

    def vectors(self, i: int, places: Array) -> Array:
        """Return the coordinates of the vectors from point i to some places, a row each."""
        if isinstance(self.space, Euclidean):
            return np.asarray(places - self.points[i])
        found = np.full((len(places), self.k), np.nan)
        known = ~np.isnan(places).any(axis=1)
        ahead = _logarithms(self.points[i], places[known], self.space)
        found[known] = ahead @ (self._signs * self.bases[i]).T * self.space.unit
        return found

    def places(self, i: int, vectors: Array) -> Array:
        """Return the places that vectors at point i lead to, given by their coordinates."""
        if isinstance(self.space, Euclidean):
            return np.asarray(self.points[i] + vectors)
        ahead = vectors @ self.bases[i] / self.space.unit
        found = np.repeat(self.points[i][None], len(ahead), axis=0)
        space: Any = self.space  # compiled code, without types
        for place, vector in zip(found, ahead, strict=True):
            space.exp(place, vector.copy())
        return np.asarray(self.space.project_points(found))

    def all_vectors(self, maps: Array) -> Array:
        """Return the vectors from each point to its places on many maps, (maps, n, k)."""
        each = [self.vectors(i, maps[:, i]) for i in range(len(self.points))]
        return np.stack(each, axis=1)

    @property
    def _signs(self) -> Array:
        return _signs(self.space, self.points.shape[1])


def tangents_at(points: Array, space: Space) -> Tangents:
    """Return the tangent spaces at the points of a map.

    Examples
    --------
    >>> here = tangents_at(np.array([[1.0, 0.0, 0.0]]), Sphere(radius=2.0))
    >>> here.k, np.linalg.norm(here.vectors(0, np.array([[0.0, 1.0, 0.0]]))).round(6)
    (2, np.float64(3.141593))
    """
    points = np.asarray(points, dtype=np.float64)
    if isinstance(space, ChordalSphere | Simplex):
        space = Sphere(radius=space.unit)
    if isinstance(space, Euclidean):
        k = points.shape[1]
        return Tangents(points, space, np.broadcast_to(np.eye(k), (len(points), k, k)))
    return Tangents(points, space, np.stack([_basis(p, space) for p in points]))


def _signs(space: Any, width: int) -> Array:
    return np.array([float(space.sign(a)) for a in range(width)])


def _basis(p: Array, space: Any) -> Array:
    """Return an orthonormal basis of the tangent space at a point, in its inner product."""
    width = len(p)
    signs = _signs(space, width)
    found: list[Array] = []
    # the axes along which the point lies least first: their projections are the longest
    for a in np.argsort(np.abs(p), kind="stable"):
        v = np.zeros(width)
        v[a] = 1.0
        for _ in range(2):  # the second time mends what rounding has left
            space.project(p, v)
            for u in found:
                v -= (signs * u) @ v * u
        square = float((signs * v) @ v)
        if square > INDEPENDENT:
            found.append(v / np.sqrt(square))
        if len(found) == space_dimension(space, width):
            break
    return np.array(found)


def space_dimension(space: Space, width: int) -> int:
    """Return the dimension of a map by its number of coordinates."""
    return width - 1 if space.n_coordinates(width - 1) == width else width


def _logarithms(p: Array, places: Array, space: Any) -> Array:
    """Return the tangent vectors that lead from a point to some places, a row each."""
    if not len(places):
        return places
    dist, slope = np.empty(len(places)), np.empty(len(places))
    space.measure(p, np.ascontiguousarray(places.T), dist, slope)
    found = places - p
    for row in found:
        space.project(p, row)
    return np.asarray(found * slope[:, None])
