"""Euclidean space: the line, the plane and ℝ^k."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from unimds.spaces.base import Space
from unimds.spaces.spectral import classical
from unimds.spaces.vectors import rotation


@dataclass(frozen=True)
class Euclidean(Space):
    """Euclidean space ℝ^k with the distance ‖x − y‖; the target of fMDS, rMDS and r²MDS.

    Examples
    --------
    >>> Euclidean().dist(25.0)
    np.float64(5.0)
    """

    single_precision = True
    scales_coordinates = True
    seed_reads_rows = True

    def unit_step_descends(self):
        return True

    def flat(self):
        return True

    def exp(self, p, v):
        for a in range(p.shape[0]):
            p[a] += v[a]

    def scaled(self, factor):
        return self

    def between(self, X, Y):
        return cdist(X.T, Y.T)

    def random(self, n, n_components, spread, rng):
        # two points are √(2k)·σ apart, in the mean square
        return rng.normal(scale=spread / np.sqrt(2.0 * n_components), size=(n, n_components))

    seeds = ("classical", "classical_mds")  # the second is scikit-learn's name

    def seed(self, D, n_components):
        return classical(D, n_components)

    def isometry(self, A, B):
        a, b = A.mean(axis=0), B.mean(axis=0)
        Q = rotation(A - a, B - b)
        return lambda X: (X - a) @ Q + b
