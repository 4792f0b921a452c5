"""Hyperbolic space H^k, which holds trees well: its volume grows exponentially."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import cosh, sinh, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist

from unimds.compiled.elementary import arsinh
from unimds.spaces.base import Space, check_size
from unimds.spaces.spectral import as_rows, hyperbolic
from unimds.spaces.vectors import Array, rotation

FEW = 2**17
"""Pairs up to which numpy measures: compiling takes longer, though compiled code is faster."""


@dataclass(frozen=True)
class Hyperbolic(Space):
    """Hyperbolic space, of constant negative curvature, as a hyperboloid.

    For any curvature, points are rows (t, x₁, …, x_k) with t² − ‖x‖² = 1 and t > 0; distances are
    ``arcosh(t·t' − ⟨x, x'⟩) / √curvature``.

    Parameters
    ----------
    curvature : float or "auto", default=1
        Strength of the negative curvature, per squared unit of the given distances; "auto"
        estimates it.

    Examples
    --------
    >>> from math import cosh, sinh
    >>> from unimds.spaces import distances
    >>> X = [[1.0, 0.0], [cosh(3.0), sinh(3.0)]]
    >>> distances(X, space=Hyperbolic())[0, 1].round(12)
    np.float64(3.0)
    """

    curvature: float | str = 1.0

    coordinates = "points of a hyperboloid"
    seeds = ("hyperbolic",)
    seed_reads_rows = True

    def __post_init__(self) -> None:
        check_size("Hyperbolic", "curvature", self.curvature)

    def unit_length(self):
        return 1.0 / sqrt(self.curvature)

    def unit_step_descends(self):
        return True  # shortened by `bend`

    def bend(self):
        return sqrt(self.curvature)

    def sign(self, axis):
        return -1.0 if axis == 0 else 1.0

    def pair(self, near, far, inner, gap):
        # Compute the squared chord of near points from differences and of far points from
        # Minkowski's product: each loses digits as its terms outgrow it.
        chord2 = max(near if gap <= -2.0 * inner else -2.0 * (inner + 1.0), 0.0)
        # Half of it is cosh − 1, and tells short distances, where cosh loses all digits. Beyond
        # 1e18 sinh equals cosh, and the square may overflow.
        root, short = sqrt(self.curvature), min(chord2, 1e18)
        sinh = max(sqrt(short * (1.0 + 0.25 * short)), 0.5 * chord2)
        dist = arsinh(sinh, chord2) * (1.0 / root)
        lean = root / sinh if sinh > 0.0 else 0.0
        return dist, lean * dist if sinh > 0.0 else 1.0, lean

    def between(self, X: Array, Y: Array) -> Array:
        if X.shape[1] * Y.shape[1] > FEW:
            return super().between(X, Y)
        (t, x), (s, y) = (X[:1], X[1:]), (Y[:1], Y[1:])  # as in `pair`
        ahead, aside = (t.T - s) ** 2, cdist(x.T, y.T, "sqeuclidean")
        inner = x.T @ y - t.T @ s
        chord2 = np.where(aside + ahead <= -2.0 * inner, aside - ahead, -2.0 * (inner + 1.0))
        half = np.maximum(0.5 * chord2, 0.0)
        return self.unit * np.log1p(half + np.sqrt(half) * np.sqrt(half + 2.0))

    def project(self, p, v):
        along = -p[0] * v[0]
        for a in range(1, p.shape[0]):
            along += p[a] * v[a]
        for a in range(p.shape[0]):
            v[a] += along * p[a]

    def exp(self, p, v):
        square = -v[0] * v[0]
        for a in range(1, p.shape[0]):
            square += v[a] * v[a]
        length = sqrt(max(square, 0.0))
        if length > 0.0:
            c, s = cosh(length), sinh(length) / length
            square = 1.0
            for a in range(1, p.shape[0]):
                p[a] = c * p[a] + s * v[a]
                square += p[a] * p[a]
            p[0] = sqrt(square)

    @property
    def is_auto(self):
        return self.curvature == "auto"

    def sized(self, unit):
        return replace(self, curvature=1.0 / float(unit) / float(unit))

    def scaled(self, factor):
        return replace(self, curvature=self.curvature / factor / factor)

    def n_coordinates(self, n_components):
        return n_components + 1

    def random(self, n, n_components, spread, rng):
        scale = min(spread / self.unit, 5.0) / np.sqrt(2.0 * n_components)
        return exp_origin(rng.normal(scale=scale, size=(n, n_components)))

    def seed(self, D, n_components):
        return hyperbolic(as_rows(D).through(lambda d: d / self.unit), n_components)

    def flatter(self, typical):
        unit = 2.0 * typical
        return self.sized(unit) if unit > self.unit else None

    def from_flatter(self, X, flatter):
        # points keep their directions and distances from the mean
        return exp_origin(log_origin(self.centred(X)) * (flatter.unit / self.unit))

    def centred(self, X):
        return self.project_points(X @ boost(X))

    def sizes(self, typical):
        return 0.08 * typical, 20.0 * typical

    def check_distances(self, largest):
        if largest > 40.0 * self.unit:
            raise ValueError(
                f"the largest distance is {largest:g}, {largest / self.unit:.0f} times the radius "
                "of curvature: coordinates cannot hold more than 40; use "
                'Hyperbolic(curvature="auto"), or a curvature that fits the unit of the distances'
            )

    def project_points(self, X: Array) -> Array:
        X = np.array(X)
        X[:, 0] = np.sqrt(1.0 + np.einsum("ij,ij->i", X[:, 1:], X[:, 1:]))
        return X

    def check_points(self, X, name):
        t2, x2 = X[:, 0].astype(float) ** 2, np.einsum("ij,ij->i", X[:, 1:], X[:, 1:], dtype=float)
        tolerance = 1e-4 if X.dtype == np.float32 else 1e-6
        wrong = np.flatnonzero(~((np.abs(t2 - x2 - 1.0) <= tolerance * t2) & (X[:, 0] > 0)))
        if wrong.size:
            i = wrong[0]
            raise ValueError(
                f"{name}: row {i} has t² − ‖x‖² = {t2[i] - x2[i]:.6g} and t = {X[i, 0]:.6g}, but "
                "points of the hyperboloid have t² − ‖x‖² = 1 and t > 0; use from_poincare to "
                "convert points of the disk"
            )

    def isometry(self, A, B):
        # boost each mean to the origin, then rotate: exact for congruent configurations
        boost_a, boost_b = boost(A), boost(B)
        Q = rotation(log_origin(A @ boost_a), log_origin(B @ boost_b))
        turn = np.eye(A.shape[1])
        turn[1:, 1:] = Q
        J = np.diag([-1.0] + [1.0] * Q.shape[0])
        back = J @ boost_b @ J  # a boost is symmetric; its Minkowski transpose is its inverse
        return lambda X: X @ boost_a @ turn @ back


def boost(X: Array) -> Array:
    """Return the Lorentz boost that takes the mean of the rows of `X` to the origin."""
    mean = X.mean(axis=0)
    mean = mean / np.sqrt(mean[0] ** 2 - mean[1:] @ mean[1:])
    t, x = mean[0], mean[1:]
    L = np.eye(mean.size)
    L[0, 0], L[0, 1:], L[1:, 0] = t, -x, -x
    L[1:, 1:] += np.outer(x, x) / (1.0 + t)
    return L


def recentred(X: ArrayLike, around: ArrayLike) -> Array:
    """Return the rows of `X`, moved so that the mean of the rows of `around` is at the origin.

    Pictures and Poincaré coordinates have it at the centre of the disk.
    """
    exact = np.asarray(X, dtype=float)
    return Hyperbolic().project_points(exact @ boost(np.asarray(around, dtype=float)))


def exp_origin(v):
    """Return the points that geodesics from the origin reach along the rows of `v`."""
    length = np.linalg.norm(v, axis=1, keepdims=True)
    ratio = np.where(length > 0.0, np.sinh(length) / np.where(length > 0.0, length, 1.0), 1.0)
    return np.hstack([np.sqrt(1.0 + (ratio * length) ** 2), ratio * v])


def log_origin(X):
    """Return the logarithms of the rows of `X` at the origin: the inverse of `exp_origin`."""
    sine = np.linalg.norm(X[:, 1:], axis=1, keepdims=True)
    return np.where(sine > 0.0, np.arcsinh(sine) / np.where(sine > 0.0, sine, 1.0), 1.0) * X[:, 1:]
