"""Orientation of a map, where turning it changes nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def principal(X: Array) -> Array:
    """Turn a map to its principal axes; points are columns.

    Examples
    --------
    >>> principal(np.array([[1.0, -1.0], [1.0, -1.0]])).round(3)[1]
    array([0., 0.])
    """
    X = X - X.mean(axis=1)[:, None]
    _, vectors = np.linalg.eigh(X @ X.T)
    return np.asarray(vectors[:, ::-1].T @ X)


def signed(X: Array) -> Array:
    """Let the largest coordinate of each axis be positive; points are columns.

    Examples
    --------
    >>> signed(np.array([[1.0, -2.0]]))
    array([[-1.,  2.]])
    """
    far = X[np.arange(len(X)), np.abs(X).argmax(axis=1)]
    return np.ascontiguousarray(X * np.where(far < 0.0, -1.0, 1.0)[:, None])
