"""Means, lines, hulls and ellipses on the ground that a map stands on: flat, or curved."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError

from unimds.plots.edges import on_hyperboloid, on_sphere
from unimds.plots.layers.base import Scene, UnsuitableLayer
from unimds.plots.shapes import circle
from unimds.spaces import Euclidean, Hyperbolic
from unimds.trust.tangent import tangents_at

Array = NDArray[Any]
Rows = Sequence[int] | NDArray[np.intp]

CURVED = ("globe", "cap", "disk", "triangle")
"""Views of two dimensions of a curved space."""
ROUNDS, STILL = 100, 1e-12
"""Steps towards a mean, and the share of the spread within which it stands still."""
NEEDED = 3
"""Points that an ellipse needs at least."""


class Ground(ABC):
    """The ground of a map. Places are in its own coordinates, and paths in those of the view."""

    places: Array
    dimensions: int = 2

    @abstractmethod
    def mean(self, rows: Rows) -> Array:
        """Return the mean of some points."""

    @abstractmethod
    def paths(self, starts: Array, ends: Array) -> list[Array]:
        """Return the shortest lines between places, as paths."""

    @abstractmethod
    def between(self, a: Array, b: Array, share: float) -> Array:
        """Return the place on the way from one to another."""

    @abstractmethod
    def hull(self, rows: Rows) -> list[Array]:
        """Return the outline of the smallest convex area that holds some points, as paths."""

    @abstractmethod
    def ellipse(self, rows: Rows, bound: float) -> list[Array]:
        """Return where v of vᵀ C⁻¹ v = `bound` lead from the mean, C being the covariance."""


def ground_of(scene: Scene, what: str) -> Ground:
    """Return the ground of a map; raise where there is no room for what is to be drawn there."""
    kind = scene.view.kind
    if kind in ("line", "circle"):
        raise UnsuitableLayer(
            f"a map of one dimension has no room for {what}: fit two dimensions, or colour the "
            "points by their groups"
        )
    if kind in CURVED:
        return Curved(scene)
    if isinstance(scene.space, Euclidean):
        return Straight(scene.view.points)
    return Shadow(scene, what)


# --- flat -----------------------------------------------------------------------------------------


@final
class Straight(Ground):
    """A plane, or three dimensions of a flat space."""

    def __init__(self, places: Array) -> None:
        self.places, self.dimensions = places, places.shape[1]

    def mean(self, rows: Rows) -> Array:
        """Return the mean."""
        return np.asarray(self.places[rows].mean(axis=0))

    def paths(self, starts: Array, ends: Array) -> list[Array]:
        """Return straight lines."""
        return list(np.stack([starts, ends], axis=1))

    def between(self, a: Array, b: Array, share: float) -> Array:
        """Return the place on a straight line."""
        return np.asarray((1.0 - share) * a + share * b)

    def hull(self, rows: Rows) -> list[Array]:
        """Return the convex hull; in three dimensions, the edges of its faces."""
        points = self.places[rows]
        if points.shape[1] == 2:
            return [points[np.append(at, at[:1])] for at in [hull_of(points)] if len(at) > 1]
        try:
            faces = ConvexHull(points).simplices
        except (QhullError, ValueError):  # flat in space, as three points are
            centred = points - points.mean(axis=0)
            at = hull_of(centred @ np.linalg.svd(centred, full_matrices=False)[2][:2].T)
            return [points[np.append(at, at[:1])]] if len(at) > 1 else []
        return [points[np.append(face, face[:1])] for face in faces]

    def ellipse(self, rows: Rows, bound: float) -> list[Array]:
        """Return the ellipse; in three dimensions, three of them through its axes."""
        points = self.places[rows]
        if len(points) < NEEDED:
            return []
        middle, half = points.mean(axis=0), half_axes(points, bound)
        pairs = [(0, 1)] if half.shape[1] == 2 else [(0, 1), (0, 2), (1, 2)]
        return [middle + circle() @ half[:, list(pair)].T for pair in pairs]


def hull_of(points: Array) -> NDArray[np.intp]:
    """Return the points at the corners of the convex hull, in their order around it.

    Of points on a line these are both ends.

    Examples
    --------
    >>> hull_of(np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 0.5], [1.0, 2.0]])).tolist()
    [0, 1, 3]
    >>> hull_of(np.array([[0.0, 0.0], [1.0, 1.0], [3.0, 3.0]])).tolist()
    [0, 2]
    """
    if len(points) > 2:
        try:
            corners = np.asarray(ConvexHull(points).vertices, dtype=np.intp)
            return np.roll(corners, -int(corners.argmin()))
        except QhullError:  # all on a line
            pass
    centred = points - points.mean(axis=0)
    along = centred @ np.linalg.svd(centred, full_matrices=False)[2][0]
    ends = np.unique([along.argmin(), along.argmax()])
    return np.asarray(ends, dtype=np.intp)


def half_axes(vectors: Array, bound: float) -> Array:
    """Return the half axes of the ellipse vᵀ C⁻¹ v = `bound`, as columns, C the covariance."""
    values, axes = np.linalg.eigh(np.cov(vectors.T))
    half = np.sqrt(np.maximum(values, 0.0) * bound) * axes
    return np.asarray(half[:, ::-1])


@final
class Shadow(Ground):
    """The shadow of a curved map of many dimensions: lines between points, and nothing else."""

    def __init__(self, scene: Scene, what: str) -> None:
        self.places = scene.view.points
        self._told = (
            f"{what} need a map of two dimensions in {scene.space}; this one has more: fit "
            "n_components=2, or colour the points by their groups"
        )

    def mean(self, rows: Rows) -> Array:
        """Raise: a mean of shadows is not the shadow of the mean."""
        raise UnsuitableLayer(self._told)

    def paths(self, starts: Array, ends: Array) -> list[Array]:
        """Return straight lines, as edges of graphs have them here."""
        return list(np.stack([starts, ends], axis=1))

    def between(self, a: Array, b: Array, share: float) -> Array:
        """Raise, as there is no such place."""
        raise UnsuitableLayer(self._told)

    def hull(self, rows: Rows) -> list[Array]:
        """Raise: the shadow of a hull is not the hull of the shadows."""
        raise UnsuitableLayer(self._told)

    def ellipse(self, rows: Rows, bound: float) -> list[Array]:
        """Raise, as for hulls."""
        raise UnsuitableLayer(self._told)


# --- curved ---------------------------------------------------------------------------------------


@final
class Curved(Ground):
    """A sphere, the hyperbolic plane or the simplex: lines are geodesics, and ellipses bend."""

    def __init__(self, scene: Scene) -> None:
        self.places = scene.space.project_points(np.asarray(scene.points, dtype=float))
        self._space, self._seen = scene.space, scene.view.seen
        self._lines = on_hyperboloid if isinstance(scene.space, Hyperbolic) else on_sphere

    def mean(self, rows: Rows) -> Array:
        """Return Fréchet's mean: the place with the least sum of squared distances."""
        points = self.places[rows]
        middle = points[0]
        for _ in range(ROUNDS):
            here = tangents_at(middle[None], self._space)
            vectors = here.vectors(0, points)
            step = vectors.mean(axis=0)
            middle = here.places(0, step[None])[0]
            if np.linalg.norm(step) <= STILL * np.linalg.norm(vectors):
                break
        return np.asarray(middle)

    def paths(self, starts: Array, ends: Array) -> list[Array]:
        """Return geodesics."""
        m = len(starts)
        ways = np.column_stack([np.arange(m), m + np.arange(m)])
        return [self._seen(line) for line in self._lines(np.vstack([starts, ends]), ways)]

    def between(self, a: Array, b: Array, share: float) -> Array:
        """Return the place on the geodesic."""
        here = tangents_at(a[None], self._space)
        return np.asarray(here.places(0, share * here.vectors(0, b[None]))[0])

    def hull(self, rows: Rows) -> list[Array]:
        """Return the hull, whose sides are geodesics."""
        points = self.places[rows]
        corners = hull_of(self._straightened(points))
        if len(corners) < 2:
            return []
        there = np.roll(corners, -1)
        return [np.vstack(self.paths(points[corners], points[there]))]

    def _straightened(self, points: Array) -> Array:
        """Return the points seen from the centre, where geodesics are straight lines."""
        if isinstance(self._space, Hyperbolic):  # Klein's model
            return np.asarray(points[:, 1:] / points[:, :1])
        front = points.mean(axis=0)
        ahead = points @ front / max(float(np.linalg.norm(front)), 1e-300)
        if (ahead <= 1e-9).any():
            raise UnsuitableLayer(
                "a group does not fit on half of the sphere, and has no hull there; ellipses and "
                "spiders show it"
            )
        basis = np.linalg.svd(front[None])[2][1:]
        return np.asarray(points @ basis.T / ahead[:, None])

    def ellipse(self, rows: Rows, bound: float) -> list[Array]:
        """Return the ellipse of the directions at the mean, along geodesics."""
        if len(rows) < NEEDED:
            return []
        here = tangents_at(self.mean(rows)[None], self._space)
        half = half_axes(here.vectors(0, self.places[rows]), bound)
        return [self._seen(here.places(0, circle() @ half.T))]
