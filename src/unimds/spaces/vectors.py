"""Rows of vectors: unit length and rotations, in NumPy alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating[Any]]


def normalised(X: Array) -> Array:
    """Divide each row of `X` by its length; a zero row becomes the first axis."""
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    first = np.eye(1, X.shape[1])
    return np.where(norms > 0.0, X / np.where(norms > 0.0, norms, 1.0), first)


def check_unit_rows(X: Array, name: str, what: str) -> None:
    """Raise if a row of `X` does not have length one, to the precision of its dtype."""
    norms = np.sqrt(np.einsum("ij,ij->i", X, X, dtype=np.float64))
    tolerance = 1e-4 if X.dtype == np.float32 else 1e-6
    wrong = np.flatnonzero(~(np.abs(norms - 1.0) <= tolerance))
    if wrong.size:
        i = wrong[0]
        raise ValueError(
            f"{name}: row {i} has length {norms[i]:.6g}, but {what} have unit length; "
            f"divide each row by its length ({wrong.size} of {len(X)} rows are off)"
        )


def rotation(A: Array, B: Array) -> Array:
    """Return the orthogonal matrix Q that minimises ‖A Q − B‖ (reflections allowed)."""
    U, _, Vt = np.linalg.svd(A.T @ B)
    return np.asarray(U @ Vt)
