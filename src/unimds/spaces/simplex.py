"""The simplex of probability distributions, with the Hellinger distance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import final

import numpy as np
from scipy.spatial.distance import cdist

from unimds.spaces.base import Space, check_size
from unimds.spaces.spectral import chordal, into_orthant
from unimds.spaces.vectors import check_unit_rows, normalised, rotation


@final
@dataclass(frozen=True)
class Simplex(Space):
    """Distributions over k+1 outcomes with the Hellinger distance ``√(½ Σ (√pₐ − √qₐ)²)``.

    The coordinates of a point are the square roots of its probabilities: nonnegative, of unit
    length. So ``embedding_ ** 2`` holds the distributions, and the distance is the chord divided by
    √2: at most 1.

    Parameters
    ----------
    size : float or "auto", default=1
        The largest distance, between distributions without a common outcome; "auto" estimates it.

    Examples
    --------
    >>> from unimds.spaces import distances
    >>> distances([[1.0, 0.0], [0.0, 1.0]], space=Simplex())[0, 1].round(12)
    np.float64(1.0)
    """

    size: float | str = 1.0

    coordinates = "square roots of distributions"
    seeds = ("spherical",)
    single_precision = True
    seed_reads_rows = True

    def __post_init__(self) -> None:
        check_size("Simplex", "size", self.size)

    def unit_length(self):
        return self.size / sqrt(2.0)

    def unit_step_descends(self):
        return True  # as on the chordal sphere; clipping minimises over its nonnegative part

    def dist(self, chord2):
        return self.size * sqrt(0.5 * chord2)

    def between(self, X, Y):
        return float(self.size) * sqrt(0.5) * cdist(X.T, Y.T)

    def exp(self, p, v):
        norm, largest = 0.0, 0
        for a in range(p.shape[0]):
            v[a] += p[a]
            if v[a] > v[largest]:
                largest = a
            norm += max(v[a], 0.0) ** 2
        norm = sqrt(norm)
        for a in range(p.shape[0]):
            if norm > 0.0:
                p[a] = max(v[a], 0.0) / norm
            else:  # no entry is positive: take the best corner
                p[a] = 1.0 if a == largest else 0.0

    @property
    def diameter(self):
        return float(self.size)

    @property
    def is_auto(self):
        return self.size == "auto"

    def sized(self, unit):
        return replace(self, size=float(unit) * sqrt(2.0))

    def scaled(self, factor):
        return replace(self, size=self.size * factor)

    def n_coordinates(self, n_components):
        return n_components + 1

    def random(self, n, n_components, spread, rng):
        return np.sqrt(rng.dirichlet(np.ones(n_components + 1), size=n))

    def seed(self, D, n_components):
        return into_orthant(chordal(D, self.unit, sqrt(2.0), n_components))

    def project_points(self, X):
        return normalised(np.maximum(X, 0.0))

    def check_points(self, X, name):
        check_unit_rows(X, name, self.coordinates)
        if (X < 0).any():
            i = int(np.flatnonzero((X < 0).any(axis=1))[0])
            raise ValueError(f"{name}: row {i} has a negative entry, but rows are √ probabilities")

    def isometry(self, A, B):
        # only permutations keep the simplex, but maps with equal distances differ by a rotation
        Q = rotation(A, B)
        return lambda X: X @ Q
