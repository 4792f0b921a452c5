"""The named spaces, and distances between points of any space."""

from __future__ import annotations

from dataclasses import astuple
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from unimds.compiled.functions import (
    Precision,
    beyond,
    carray,
    compiled_function,
    once,
    part_reader,
    with_names,
)
from unimds.compiled.parts import check_fields, explained, part_type
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


space_at: Any = None  # given to `measure` for each space


def measure(
    P, stride, i, j, X, n, k, r, s, w, z, start, stop, skip, own, unit, scratch, out, fields
):
    """Fill the table `r` with the distances of the points of P to the points of X."""
    space = space_at(fields)
    p, slope = carray(scratch, k), carray(beyond(scratch, k), n)
    for m in range(start, stop):
        for a in range(k):
            p[a] = P[a * stride + m]
        space.measure(p, carray(X, (k, n)), carray(beyond(r, m * n), n), slope)


@lru_cache(maxsize=256)
def _compiled(space: type[Space]) -> int:
    function = with_names(
        measure, f"measure_{part_type(space).digest}", {"space_at": part_reader(space, False, 0)}
    )
    return compiled_function(function, Precision(*[np.dtype(np.float64)] * 3))


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
        return measured(rows, columns, space)


def measured(X: Array, Y: Array, space: Space) -> Array:
    """Return the distances from the columns of `X` to the columns of `Y`, which are checked."""
    known = space.between(X, Y)
    if known is not None:
        return known
    check_fields(space)
    fields = np.array([*astuple(space), 0.0], dtype=np.float64)
    (k, n), count = Y.shape, X.shape[1]
    out, scratch = np.empty((count, n)), np.empty(k + n)
    memory = scratch.ctypes.data, 0, fields.ctypes.data
    who, others = (X.ctypes.data, count, 0, 0), (Y.ctypes.data, n, k)
    given, span = (out.ctypes.data, 0, 0, 0), (0, count, 0, 0)
    once(_compiled(type(space)), who, others, given, span, 1.0, memory)
    return out
