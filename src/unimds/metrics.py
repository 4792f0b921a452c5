"""Distances between rows of features."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import pairwise_distances

Array = NDArray[Any]


def cross(A: Array, B: Array | None, metric: Any, params: dict[str, Any] | None = None) -> Array:
    """Return the distances of the rows of `A` to those of `B` (None: to each other).

    Examples
    --------
    >>> cross(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0], [0.0, 2.0]]), "euclidean")
    array([[5., 2.]])
    """
    if metric in ("euclidean", "l2"):
        # scikit-learn's formula cancels where features are far from zero, as dates are
        centre = (A if B is None else B).mean(axis=0, dtype=np.float64).astype(A.dtype)
        A, B = A - centre, None if B is None else B - centre
    D = pairwise_distances(A, B, metric=metric, **(params or {}))
    return np.asarray(D, dtype=A.dtype)
