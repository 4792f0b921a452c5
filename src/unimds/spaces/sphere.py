"""Spheres S^k, with geodesic or chordal distance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import final

import numpy as np
from scipy.spatial.distance import cdist

from unimds.compiled.elementary import arc, turn
from unimds.spaces.base import Space, check_size
from unimds.spaces.spectral import as_rows, chordal, spherical
from unimds.spaces.vectors import check_unit_rows, normalised, rotation


@dataclass(frozen=True)
class RoundSpace(Space):
    """What both spheres share: points are unit vectors, and the radius may be estimated."""

    radius: float | str = 1.0

    coordinates = "points of a sphere"
    single_precision = True
    seed_reads_rows = True
    seeds = ("spherical",)

    def __post_init__(self) -> None:
        check_size(type(self).__name__, "radius", self.radius)

    def unit_length(self):
        return self.radius

    def unit_step_descends(self):
        # geodesic: positive curvature bends ½dist² less than the plane; chordal: see its exp
        return True

    @property
    def is_auto(self):
        return self.radius == "auto"

    def sized(self, unit):
        return replace(self, radius=float(unit))

    def scaled(self, factor):
        return replace(self, radius=self.radius * factor)

    def n_coordinates(self, n_components):
        return n_components + 1

    def random(self, n, n_components, spread, rng):
        X, angle = rng.normal(size=(n, n_components + 1)), spread / self.unit
        if angle < 1.0:  # a cap, not the whole sphere
            X[:, 1:] *= angle / np.sqrt(2.0 * n_components)
            X[:, 0] = 1.0
        return normalised(X)

    def project_points(self, X):
        return normalised(X)

    def check_points(self, X, name):
        check_unit_rows(X, name, self.coordinates)

    def isometry(self, A, B):
        Q = rotation(A, B)
        return lambda X: X @ Q


@dataclass(frozen=True)
class Sphere(RoundSpace):
    """The sphere S^k with geodesic distance: the target of g-1-sMDS and g-2-sMDS.

    For any radius, points are unit vectors in ℝ^(k+1); distances are ``radius·angle``.

    Parameters
    ----------
    radius : float or "auto", default=1
        Radius in the unit of the given distances; "auto" estimates it.

    Examples
    --------
    >>> from unimds.spaces import distances
    >>> distances([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], space=Sphere(radius=2.0))[0, 1].round(12)
    np.float64(3.14159265359)
    """

    def pair(self, near, far, inner, gap):
        # The sine of the angle is |x−p|·|x+p| / 2, and `arc` of the smaller of both squares tells
        # the angle to p or to its antipode: to the last digits, where acos and asin lose half of
        # them. Only the sine takes a square root, and only its inverse a division.
        chords = sqrt(near * far)
        short = 0.5 * chords * arc(min(near, far))
        dist = self.radius * (short if near <= far else 3.141592653589793 - short)
        # An antipode lies in every direction, so its pulls cancel. Below 1e-9 rounding destroys
        # the direction.
        lean = (2.0 / self.radius) / chords if chords > 0.0 and far > 1e-18 else 0.0
        return dist, lean * dist, lean

    def between(self, X, Y):
        return 2.0 * self.unit * np.arctan2(cdist(X.T, Y.T), cdist(X.T, -Y.T))

    def cut_locus(self):
        return np.pi * self.radius

    def project(self, p, v):
        along = 0.0
        for a in range(p.shape[0]):
            along += p[a] * v[a]
        for a in range(p.shape[0]):
            v[a] -= along * p[a]

    def exp(self, p, v):
        square = 0.0
        for a in range(p.shape[0]):
            square += v[a] * v[a]
        if square > 0.0:
            c, s = turn(square)
            norm = 0.0
            for a in range(p.shape[0]):
                p[a] = c * p[a] + s * v[a]
                norm += p[a] * p[a]
            norm = sqrt(norm)
            for a in range(p.shape[0]):
                p[a] /= norm

    @property
    def diameter(self):
        return np.pi * self.radius

    def seed(self, D, n_components):
        def cosine(d):  # by the half angle: short distances keep their digits, also in float32
            half = np.sin(0.5 * np.minimum(d / self.unit, np.pi))
            return 1.0 - 2.0 * np.square(half, dtype=np.float64)

        return spherical(as_rows(D).through(cosine), n_components)

    def check_distances(self, largest):
        if largest > self.diameter * (1.0 + 1e-6):
            raise ValueError(
                f"the largest distance is {largest:g}, but on a sphere of radius {self.radius:g} "
                f"no two points are more than π·radius = {self.diameter:g} apart; use "
                'Sphere(radius="auto") to estimate the radius, or give the one that belongs to '
                "the unit of the distances"
            )


@final
@dataclass(frozen=True)
class ChordalSphere(RoundSpace):
    """The sphere S^k with chordal (straight-line) distance: c-1-sMDS and c-2-sMDS.

    For any radius, points are unit vectors in ℝ^(k+1); distances are ``radius·‖x − y‖``.

    Parameters
    ----------
    radius : float or "auto", default=1
        Radius in the unit of the given distances; "auto" estimates it.

    Examples
    --------
    >>> from unimds.spaces import distances
    >>> distances([[1.0, 0.0], [-1.0, 0.0]], space=ChordalSphere(radius=3.0))[0, 1]
    np.float64(6.0)
    """

    def dist(self, chord2):
        return self.radius * sqrt(chord2)

    def between(self, X, Y):
        return self.unit * cdist(X.T, Y.T)

    def exp(self, p, v):
        # on the sphere Σ w‖x − x̂‖² is linear in x, so normalising minimises it exactly
        norm = 0.0
        for a in range(p.shape[0]):
            norm += (p[a] + v[a]) ** 2
        norm = sqrt(norm)
        if norm > 0.0:
            for a in range(p.shape[0]):
                p[a] = (p[a] + v[a]) / norm

    @property
    def diameter(self):
        return 2.0 * self.radius

    def seed(self, D, n_components):
        return chordal(D, self.unit, 2.0, n_components)
