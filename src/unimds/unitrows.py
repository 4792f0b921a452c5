"""Tables whose rows are points of a sphere, dense or sparse: lengths, chords and angles."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse
from sklearn.utils.extmath import row_norms, safe_sparse_dot

Array = NDArray[np.floating[Any]]

NEAR = 1e-3
"""Below this squared chord, what is left of 2 − 2⟨a, b⟩ has lost digits that count."""


def check_no_zero_rows(lengths: Array, name: str, remedy: str) -> None:
    """Raise where a row has no length, hence no direction."""
    empty = np.flatnonzero(~(lengths > 0.0))
    if empty.size:
        raise ValueError(
            f"{name}: row {empty[0]} is all zero and has no direction; {remedy} "
            f"({empty.size} of {len(lengths)} rows are empty)"
        )


def unit_rows(X: Any, name: str, remedy: str = "remove such rows") -> Any:
    """Return the rows divided by their length; a sparse table stays sparse, float32 float32."""
    lengths = np.asarray(row_norms(X))
    info = np.finfo(X.dtype)
    safe = np.sqrt(info.tiny / info.eps)  # below it squares underflow, or lose digits
    if not ((lengths > safe) & np.isfinite(lengths)).all():
        largest = largest_entries(X)
        check_no_zero_rows(largest, name, remedy)
        X = scaled_rows(X, 1.0 / np.maximum(largest, info.tiny))
        lengths = np.asarray(row_norms(X))
    return scaled_rows(X, 1.0 / lengths)


def largest_entries(X: Any) -> Array:
    """Return the size of the largest entry of every row."""
    largest = abs(X).max(axis=1)
    return np.asarray(largest.toarray().ravel() if issparse(largest) else largest)


def scaled_rows(X: Any, factors: Array) -> Any:
    """Return a table with each row multiplied by its factor, of the same dtype."""
    factors = factors.astype(X.dtype, copy=False)
    if not issparse(X):
        return X * factors[:, None]
    rows = csr_array(X)
    counts = np.diff(rows.indptr)
    return csr_array(
        (rows.data * np.repeat(factors, counts), rows.indices, rows.indptr), shape=rows.shape
    )


def squared_chords(A: Any, B: Any) -> Array:
    """Return ‖a − b‖² for unit rows of two tables, accurate also for neighbours.

    One product of matrices; where its result is small, the difference itself is squared.
    """
    square = np.asarray(safe_sparse_dot(A, B.T, dense_output=True), dtype=np.float64)
    square *= -2.0
    square += 2.0
    np.maximum(square, 0.0, out=square)
    rows, columns = np.nonzero(square < NEAR)
    step = max(1, 2**22 // A.shape[1])  # all at once might not fit in memory
    for start in range(0, rows.size, step):
        i, j = rows[start : start + step], columns[start : start + step]
        square[i, j] = row_norms((A[i] - B[j]).astype(np.float64, copy=False), squared=True)
    return square


def angles(A: Any, B: Any) -> Array:
    """Return the angles between unit rows of two tables."""
    half = np.sqrt(squared_chords(A, B)) * 0.5
    return np.asarray(2.0 * np.arcsin(np.minimum(half, 1.0)))
