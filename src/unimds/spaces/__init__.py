"""Target spaces, in which the map lies: distance, logarithm and exponential of each.

This package may import `unimds.compiled`, `unimds._runtime`, `unimds.files.table` and
`unimds.distances.table`. Spaces do not import each other. See `Space` for how to write your own.
"""

from __future__ import annotations

from unimds.spaces.base import SPACES, Space, as_space, distances
from unimds.spaces.coordinates import (
    from_latlon,
    from_poincare,
    in_coordinates,
    to_latlon,
    to_poincare,
)
from unimds.spaces.euclidean import Euclidean
from unimds.spaces.hyperbolic import Hyperbolic
from unimds.spaces.simplex import Simplex
from unimds.spaces.sphere import ChordalSphere, Sphere

SPACES |= {
    "euclidean": Euclidean,
    "sphere": Sphere,
    "chordal_sphere": ChordalSphere,
    "hyperbolic": Hyperbolic,
    "simplex": Simplex,
}

__all__ = [
    "SPACES",
    "ChordalSphere",
    "Euclidean",
    "Hyperbolic",
    "Simplex",
    "Space",
    "Sphere",
    "as_space",
    "distances",
    "from_latlon",
    "from_poincare",
    "in_coordinates",
    "to_latlon",
    "to_poincare",
]
