"""Tables whose rows are points of a sphere, dense or sparse: lengths, chords and angles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse
from sklearn.utils.extmath import row_norms, safe_sparse_dot

Array = NDArray[np.floating[Any]]

NEAR = 1e-3
"""For smaller squared chords, cancellation in 2 − 2⟨a, b⟩ loses significant digits."""


def canonical(X: Any) -> Any:
    """Return a sparse table with sorted entries and no duplicates; the argument never changes.

    scipy would sort and sum the entries in place as soon as an operation needs it.
    """
    if issparse(X) and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def check_no_zero_rows(lengths: Array, name: str, remedy: str) -> None:
    """Raise if a row is zero and so has no direction."""
    empty = np.flatnonzero(lengths == 0.0)
    if empty.size:
        raise ValueError(
            f"{name}: row {empty[0]} is all zero and has no direction; {remedy} "
            f"({empty.size} of {len(lengths)} rows are empty)"
        )


def unit_rows(X: Any, name: str, remedy: str = "remove such rows", *, copy: bool = True) -> Any:
    """Return the rows divided by their length; sparsity and dtype stay the same.

    Without `copy` a dense table is overwritten.
    """
    largest = largest_entries(X)
    check_no_zero_rows(largest, name, remedy)
    X = balanced_rows(X, largest)
    lengths = row_lengths(X)
    return scaled_rows(X, 1.0 / lengths, copy=copy)


def largest_entries(X: Any) -> Array:
    """Return the largest absolute entry of every row."""
    largest = abs(X).max(axis=1)
    return np.asarray(largest.toarray().ravel() if issparse(largest) else largest)


def balanced_rows(X: Any, largest: Array) -> Any:
    """Return rows whose squares and sums do not overflow, multiplied by powers of two if needed."""
    bits = np.finfo(X.dtype).maxexp
    _, exponent = np.frexp(largest)
    if (np.abs(exponent) < bits // 4).all():
        return X
    return scaled_rows(X, np.ldexp(1.0, np.clip(-exponent, -bits, bits - 1)))


def row_lengths(X: Any) -> Array:
    """Return the lengths of rows, summed in double precision."""
    if not issparse(X):
        return np.asarray(np.sqrt(np.einsum("ij,ij->i", X, X, dtype=np.float64)))
    squares = csr_array(X).astype(np.float64, copy=True)
    squares.data *= squares.data
    return np.asarray(np.sqrt(squares.sum(axis=1))).ravel()


def scaled_rows(X: Any, factors: Array, *, copy: bool = True) -> Any:
    """Return a table of the same dtype, with each row multiplied by its factor."""
    factors = factors.astype(X.dtype, copy=False)
    if not issparse(X):
        return np.multiply(X, factors[:, None], out=None if copy else X)
    rows = csr_array(X)
    counts = np.diff(rows.indptr)
    return csr_array(
        (rows.data * np.repeat(factors, counts), rows.indices, rows.indptr), shape=rows.shape
    )


def squared_chords(A: Any, B: Any) -> Array:
    """Return ‖a − b‖² for unit rows of two tables, accurate for close points too.

    A matrix product gives all chords; small chords are computed again from the differences.
    """
    square = np.asarray(safe_sparse_dot(A, B.T, dense_output=True), dtype=np.float64)
    square *= -2.0
    square += 2.0
    np.maximum(square, 0.0, out=square)
    for i, j in _chunks(square < NEAR, A):
        square[i, j] = row_norms((A[i] - B[j]).astype(np.float64, copy=False), squared=True)
    return square


def _chunks(where: NDArray[np.bool_], A: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the selected pairs of rows in chunks: all pairs might not fit in memory."""
    rows, columns = np.nonzero(where)
    entries = A.nnz / max(A.shape[0], 1) if issparse(A) else A.shape[1]
    step = int(max(1, 2**22 // max(entries, 1)))
    for start in range(0, rows.size, step):
        yield rows[start : start + step], columns[start : start + step]


def angles(A: Any, B: Any) -> Array:
    """Return the angles between unit rows of two tables, accurate near 0 and near π too."""
    square = squared_chords(A, B)
    angle = 2.0 * np.arcsin(np.minimum(0.5 * np.sqrt(square), 1.0))
    for i, j in _chunks(square > 4.0 - NEAR, A):
        gap = row_norms((A[i] + B[j]).astype(np.float64, copy=False))
        angle[i, j] = np.pi - 2.0 * np.arcsin(0.5 * gap)
    return np.asarray(angle)
