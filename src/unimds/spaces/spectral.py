r"""Seeds: where the descent begins.

Each spectral seed is exact for exact data. Euclidean space: the double-centred :math:`-D^2/2` is a
Gram matrix. Sphere: :math:`\cos(D/R)` is one. Hyperbolic space: :math:`-\cosh(\sqrt{c} D)` is one
for Minkowski's product, and its positive eigenpairs are the spatial coordinates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse.linalg import ArpackNoConvergence, eigsh

from unimds.distances.table import Rows, as_rows
from unimds.spaces.base import normalised, rotation
from unimds.spaces.krylov import largest_eigenpairs

Array = NDArray[np.floating[Any]]

DENSE, HELD = 200, 1000
"""Points up to which a full eigensolver is as fast as a partial one, and a matrix may be built."""


def classical(D: Array | Rows, n_components: int) -> Array:
    """Return the classical MDS (Torgerson) of a table of distances.

    Examples
    --------
    >>> X = classical(np.array([[0.0, 3.0], [3.0, 0.0]]), 1)
    >>> abs(X[0, 0] - X[1, 0]).round(12)
    np.float64(3.0)
    """
    rows = as_rows(D).through(_half_square)
    values, vectors = _leading(rows, n_components, centred=True)
    X = vectors * np.sqrt(np.maximum(values, 0.0))
    return _fill_flat(X, values, lambda: ((X[at] @ X.T, B) for at, B in _centred(rows)))


def classical_gram(D: Array) -> Array:
    """Return the inner products of points around their mean, from their distances."""
    return np.concatenate([B for _, B in _centred(as_rows(D).through(_half_square))])


def spherical(cosines: Rows, n_components: int) -> Array:
    """Return unit vectors in ℝ^(n_components+1) from their cosines."""
    values, vectors = _leading(cosines, n_components + 1)
    X = vectors * np.sqrt(np.maximum(values, 0.0))
    return normalised(_fill_flat(X, values, lambda: ((X[at] @ X.T, B) for at, B in cosines)))


def hyperbolic(D: Array | Rows, n_components: int) -> Array:
    """Return points of the hyperboloid from their distances at curvature −1."""
    rows = as_rows(D).through(_lorentz)
    values, vectors = _leading(rows, n_components)
    X = vectors * np.sqrt(np.maximum(values, 0.0))

    def time() -> Array:
        return np.asarray(np.sqrt(1.0 + np.einsum("ij,ij->i", X, X)))

    t = time()
    X = _fill_flat(X, values, lambda: ((X[at] @ X.T - np.outer(t[at], t), B) for at, B in rows))
    return np.column_stack([time(), X])


def _half_square(d: Array) -> Array:
    return np.multiply(np.square(d, out=d), -0.5, out=d)


def _lorentz(d: Array) -> Array:
    # beyond 40, t² has no digits left to tell points apart
    return -np.cosh(np.minimum(d, 40.0), dtype=np.float64)


def _centred(rows: Rows) -> Iterator[tuple[slice, Array]]:
    """Yield the rows of a symmetric matrix less the means of its rows and columns."""
    means = np.concatenate([block.mean(axis=1) for _, block in rows])
    for at, block in rows:
        yield at, block - means[at, None] - (means - means.mean())


def _leading(rows: Rows, k: int, centred: bool = False) -> tuple[Array, Array]:
    """Return what `top_eigenpairs` does of a matrix that is not built where it is large."""
    if rows.n <= DENSE or k > rows.n // 20:
        blocks = _centred(rows) if centred else rows
        return top_eigenpairs(np.concatenate([block for _, block in blocks]), k)

    held = rows.whole() if rows.n <= HELD else None

    def times(V: Array) -> Array:
        return rows.times(V) if held is None else held @ V.astype(held.dtype)

    def product(V: Array) -> Array:
        out = times(V - V.mean(axis=0) if centred else V)
        return out - out.mean(axis=0) if centred else out

    # no more digits than the data have
    tol = max(rows.tol, 1e-6 if rows.table.dtype == np.float32 else 1e-10)
    return _in_order(*largest_eigenpairs(product, rows.n, k, tol), k)


def into_orthant(X: Array) -> Array:
    """Rotate unit vectors so that their coordinates are nonnegative, as far as that goes.

    Alternates the nearest nonnegative vectors and the nearest rotation to them, from several
    rotations that all turn the mean to the middle of the orthant.
    """
    k = X.shape[1]
    starts, turns = (20, 300) if k <= 6 else (3, 100)  # a turn costs k³
    rng = np.random.default_rng(0)
    middle = np.full(k, 1.0 / np.sqrt(k))
    best: Array = X
    best_miss = np.inf
    for _ in range(starts):
        Q: Array = _frame(X.mean(axis=0), rng) @ _frame(middle, rng).T
        for _ in range(turns):
            Y = X @ Q
            miss = float(np.sum(np.minimum(Y, 0.0) ** 2))
            if miss <= 1e-24 * len(X):
                break
            Q = np.asarray(rotation(X, normalised(np.maximum(Y, 0.0))))
        if miss < best_miss:
            best, best_miss = Y, miss
        if best_miss <= 1e-20 * len(X):
            break
    return normalised(np.maximum(best, 0.0))


def _frame(first: Array, rng: np.random.Generator) -> Array:
    """Return an orthogonal matrix whose first column has the direction `first`."""
    A = rng.normal(size=(first.size, first.size))
    A[:, 0] = first if np.linalg.norm(first) > 0.0 else A[:, 0]
    Q, R = np.linalg.qr(A)
    return np.asarray(Q * np.sign(np.diagonal(R)))


def top_eigenpairs(A: Array, k: int) -> tuple[Array, Array]:
    """Return the `k` largest eigenvalues, falling, and their vectors with a fixed sign.

    Fewer than `k` rows are padded with zeros: points need no more dimensions than there are.
    """
    n = A.shape[0]
    m = min(k, n)
    values: Array
    vectors: Array
    if not A.any():
        values, vectors = np.zeros(m), np.eye(n, m)  # a partial solver has nothing to start with
    elif n <= DENSE or m > n // 4:
        values, vectors = _all_eigenpairs(A, m)
    else:
        start = np.cos(np.arange(1.0, n + 1.0))  # fixed: the same data give the same bits
        try:
            values, vectors = eigsh(A, k=m, which="LA", v0=start)
        except ArpackNoConvergence:
            values, vectors = np.zeros(0), np.zeros((n, 0))
        if len(values) < m:  # as on equal eigenvalues
            values, vectors = _all_eigenpairs(A, m)
    return _in_order(values, vectors, k)


def _in_order(values: Array, vectors: Array, k: int) -> tuple[Array, Array]:
    """Return eigenpairs by falling value, with a fixed sign, and zeros up to `k` of them."""
    order, m = np.argsort(values)[::-1], len(values)
    values, vectors = np.asarray(values[order]), np.asarray(vectors[:, order])
    strongest = vectors[np.argmax(np.abs(vectors), axis=0), np.arange(m)]
    vectors = vectors * np.where(strongest < 0.0, -1.0, 1.0)
    if m == k:
        return values, vectors
    return np.pad(values, (0, k - m)), np.pad(vectors, ((0, 0), (0, k - m)))


def _all_eigenpairs(A: Array, m: int) -> tuple[Array, Array]:
    # LAPACK's solvers for a subset come short where eigenvalues are equal: take all, keep the top
    values, vectors = eigh(A, driver="evd")
    return values[-m:], vectors[:, -m:]


def _fill_flat(
    X: Array, values: Array, grams: Callable[[], Iterable[tuple[Array, Array]]]
) -> Array:
    """Give axes without variance a little of it, unless the data are flat themselves.

    A descent never leaves a hyperplane that all points lie in, so a missing axis would stay
    missing even where leaving the plane lowers the cost. Data that are flat themselves are known
    by their Gram matrix: the points miss nothing of it. `grams` yields rows of the points' own
    and of that of the data.
    """
    largest = max(values.max(), 0.0)
    flat = values <= 1e-12 * largest
    if flat.any() and any(np.abs(own - B).max() > 1e-9 * largest for own, B in grams()):
        noise = np.random.default_rng(0).normal(size=(len(X), int(flat.sum())))
        X[:, flat] = 1e-3 * np.sqrt(largest / len(X)) * noise
    return X
