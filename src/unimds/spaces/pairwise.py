"""Distances between points of a space, as a table."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unimds.compiled.parts import explained, kernel
from unimds.spaces.base import Space
from unimds.spaces.names import as_space


@kernel
def _fill(X, Y, space, out):
    slope = np.empty(Y.shape[1])
    for i in range(X.shape[1]):
        space.measure(X[:, i].copy(), Y, out[i], slope)


def distances(
    X: ArrayLike, Y: ArrayLike | None = None, *, space: str | Space = "euclidean"
) -> NDArray[np.floating[Any]]:
    """Return the distances of the rows of `X` to those of `Y` (default: to each other).

    Parameters
    ----------
    X, Y : array-like of shape (n, n_coordinates)
        Points, in the coordinates of the space.
    space : str or Space, default="euclidean"
        The space whose distance is measured.

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
    out = np.empty((rows.shape[1], columns.shape[1]))
    with explained(space):
        _fill(rows, columns, space, out)
    return out
