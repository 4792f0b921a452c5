"""Target spaces: where the map is drawn.

Each space is a compiled value with ``dist``, ``log`` (through ``slope``, ``gather`` and
``project``) and ``exp``; see `Space` for how to write another.
"""

from __future__ import annotations

from unimds.spaces.base import Space
from unimds.spaces.coordinates import from_latlon, from_poincare, to_latlon, to_poincare
from unimds.spaces.euclidean import Euclidean
from unimds.spaces.hyperbolic import Hyperbolic
from unimds.spaces.names import SPACES, as_space
from unimds.spaces.pairwise import distances
from unimds.spaces.simplex import Simplex
from unimds.spaces.sphere import ChordalSphere, Sphere

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
    "to_latlon",
    "to_poincare",
]
