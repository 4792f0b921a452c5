"""The spaces that have a name."""

from __future__ import annotations

from unimds.spaces.base import Space
from unimds.spaces.euclidean import Euclidean
from unimds.spaces.hyperbolic import Hyperbolic
from unimds.spaces.simplex import Simplex
from unimds.spaces.sphere import ChordalSphere, Sphere

SPACES: dict[str, type[Space]] = {
    "euclidean": Euclidean,
    "sphere": Sphere,
    "chordal_sphere": ChordalSphere,
    "hyperbolic": Hyperbolic,
    "simplex": Simplex,
}
"""The spaces that have a name."""


def as_space(space: str | Space) -> Space:
    """Return the space that a name stands for, or the space itself.

    Examples
    --------
    >>> as_space("sphere")
    Sphere(radius=1.0)
    """
    if isinstance(space, Space):
        return space
    if isinstance(space, str) and space in SPACES:
        return SPACES[space]()
    names = ", ".join(map(repr, SPACES))
    raise ValueError(f"space={space!r} is not known: use one of {names} or a Space")
