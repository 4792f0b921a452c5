"""The named spaces, and distances between points of any space."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from unimds.compiled.parts import explained
from unimds.spaces.base import Space
from unimds.spaces.euclidean import Euclidean
from unimds.spaces.hyperbolic import Hyperbolic
from unimds.spaces.simplex import Simplex
from unimds.spaces.sphere import ChordalSphere, Sphere
from unimds.spaces.vectors import Array

SPACES: dict[str, type[Space]] = {
    "euclidean": Euclidean,
    "sphere": Sphere,
    "chordal_sphere": ChordalSphere,
    "hyperbolic": Hyperbolic,
    "simplex": Simplex,
}
"""Spaces by name."""

SEEDS = sorted({name for space in SPACES.values() for name in space.seeds})
"""Names of spectral seeds."""


def as_space(space: str | Space) -> Space:
    """Return the space of this name; return a `Space` unchanged.

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


def distances(
    X: ArrayLike, Y: ArrayLike | None = None, *, space: str | Space = "euclidean"
) -> Array:
    """Return the distances from the rows of `X` to the rows of `Y` (default: to `X` itself).

    Parameters
    ----------
    X, Y : array-like of shape (n, n_coordinates)
        Points, in the coordinates of the space.
    space : str or Space, default="euclidean"
        The space that the points lie in.

    Returns
    -------
    ndarray of shape (n_X, n_Y)

    Examples
    --------
    >>> distances([[0.0, 0.0], [3.0, 4.0]])
    array([[0., 5.],
           [5., 0.]])
    """
    space = as_space(space)
    if space.is_auto:
        raise ValueError(f'{space}: only a fit can find a size of "auto"; give the one it found')
    rows = np.ascontiguousarray(np.asarray(X, dtype=float).T)
    columns = rows if Y is None else np.ascontiguousarray(np.asarray(Y, dtype=float).T)
    if rows.ndim != 2 or columns.ndim != 2 or rows.shape[0] != columns.shape[0]:
        raise ValueError("X and Y must be tables of points with the same number of coordinates")
    with explained(space):
        return space.between(rows, columns)
