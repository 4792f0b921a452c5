r"""Spectral seeds: start configurations from eigenvectors, and the eigensolvers behind them.

Each seed is exact for exact data. Euclidean space: the double-centred :math:`-D^2/2` is a Gram
matrix. Sphere: :math:`\cos(D/R)` is one. Hyperbolic space: :math:`-\cosh(\sqrt{c} D)` is one for
Minkowski's product, and its positive eigenpairs are the spatial coordinates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, final

import numpy as np
from scipy.linalg import LinAlgError, eigh
from scipy.sparse.linalg import ArpackError, eigsh

from unimds.distances.tiles import BLOCK, RowSource, Tile
from unimds.spaces.vectors import Array, normalised, rotation

DENSE, HELD = 200, 1000
"""Largest n for which a full eigensolver is as fast as a partial one, and to hold a matrix."""

SPARE = 8
"""Extra vectors in a block: they speed up convergence and cost little."""

KEPT, LONGEST, PASSES = 2, 8, 40
"""Blocks kept at a restart, most blocks held, and most products made."""

ROUGH = 0.01
"""Tolerance that two products often reach."""


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


def chordal(D: Array | Rows, radius: float, longest: float, n_components: int) -> Array:
    """Return unit vectors from their chords on a sphere; chords longer than `longest` are cut."""

    def cosine(d: Array) -> Array:
        return 1.0 - 0.5 * np.square(np.minimum(d / radius, longest), dtype=np.float64)

    return spherical(as_rows(D).through(cosine), n_components)


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
    """Return the `k` largest eigenpairs; a large matrix is never built."""
    if rows.n <= DENSE or k > rows.n // 20:
        blocks = _centred(rows) if centred else rows
        return top_eigenpairs(np.concatenate([block for _, block in blocks]), k)

    held = rows.whole() if rows.n <= HELD else None

    def times(V: Array) -> Array:
        return rows.times(V) if held is None else held @ V.astype(held.dtype)

    def product(V: Array) -> Array:
        out = times(V - V.mean(axis=0) if centred else V)
        return out - out.mean(axis=0) if centred else out

    # the data have no more digits
    tol = max(rows.tol, 1e-6 if rows.table.dtype == np.float32 else 1e-10)
    return _in_order(*largest_eigenpairs(product, rows.n, k, tol), k)


def into_orthant(X: Array) -> Array:
    """Rotate unit vectors to make their coordinates nonnegative, as far as possible.

    Alternate between the nearest nonnegative vectors and the best rotation onto them. Start from
    several rotations, each of which takes the mean to the middle of the orthant.
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
        # of rotations that fit equally well the first, whatever the rounding
        if miss < (1.0 - 1e-9) * best_miss - 1e-16 * len(X):
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
    """Return the `k` largest eigenvalues in falling order, and their vectors with a fixed sign.

    If the matrix has fewer than `k` rows, zeros fill up the rest.
    """
    n = A.shape[0]
    m = min(k, n)
    if not A.any():
        values, vectors = np.zeros(m), np.eye(n, m)  # a partial solver fails on a zero matrix
    elif n <= DENSE or m > n // 4:
        values, vectors = _dense_eigenpairs(A, m)
    else:
        start = np.cos(np.arange(1.0, n + 1.0))  # fixed, for reproducible results
        try:
            values, vectors = eigsh(A, k=m, which="LA", v0=start)
        except ArpackError:  # also where the matrix has fewer eigenvalues than asked for
            values, vectors = np.zeros(0), np.zeros((n, 0))
        if len(values) < m:  # it can miss equal eigenvalues
            values, vectors = _dense_eigenpairs(A, m)
    return _in_order(values, vectors, k)


def _in_order(values: Array, vectors: Array, k: int) -> tuple[Array, Array]:
    """Sort eigenpairs by falling value, fix their signs and fill up to `k` with zeros."""
    order, m = np.argsort(values)[::-1], len(values)
    values, vectors = np.asarray(values[order]), np.asarray(vectors[:, order])
    strongest = vectors[np.argmax(np.abs(vectors), axis=0), np.arange(m)]
    vectors = vectors * np.where(strongest < 0.0, -1.0, 1.0)
    if m == k:
        return values, vectors
    return np.pad(values, (0, k - m)), np.pad(vectors, ((0, 0), (0, k - m)))


def _dense_eigenpairs(A: Array, m: int) -> tuple[Array, Array]:
    """Return the `m` largest eigenpairs by a solver that never misses one."""
    if m <= len(A) // 4:
        try:
            values, vectors = eigh(A, subset_by_index=(len(A) - m, len(A) - 1), driver="evx")
        except LinAlgError:
            values = np.zeros(0)
        if len(values) == m:  # it can miss equal eigenvalues
            return values, vectors
    values, vectors = eigh(A, driver="evd")
    return values[-m:], vectors[:, -m:]


def _fill_flat(
    X: Array, values: Array, grams: Callable[[], Iterable[tuple[Array, Array]]]
) -> Array:
    """Add a little noise on axes without variance, unless the data are flat themselves.

    A descent never leaves a hyperplane that holds all points, so a missing axis would stay missing
    even where leaving the plane lowers the cost. Data are flat if the points reproduce their Gram
    matrix. `grams` yields rows of the points' Gram matrix with the same rows of the data's.
    """
    largest = max(values.max(), 0.0)
    flat = values <= 1e-12 * largest
    if flat.any() and any(np.abs(own - B).max() > 1e-9 * largest for own, B in grams()):
        noise = np.random.default_rng(0).normal(size=(len(X), int(flat.sum())))
        X[:, flat] = 1e-3 * np.sqrt(largest / len(X)) * noise
    return X


def largest_eigenpairs(
    product: Callable[[Array], Array], n: int, k: int, tol: float
) -> tuple[Array, Array]:
    """Return the `k` largest eigenvalues and their vectors, by block Lanczos with restarts.

    Reading the matrix takes most of the time, so each product multiplies it by a whole block of
    vectors. The Rayleigh-Ritz method finds the vectors in the span of all products so far. It
    stops when the residuals are at most `tol` times the largest value, or after `PASSES` products:
    a matrix of pure noise may not converge.

    Parameters
    ----------
    product : callable
        Multiplies the matrix by the columns of an array.
    n, k : int
        Rows of the matrix, and eigenpairs to find.
    tol : float
        Largest residual, relative to the largest eigenvalue.

    Returns
    -------
    values, vectors : ndarray of shape (k,) and (n, k)
        Eigenvalues in rising order, and their vectors.
    """
    block = min(k + SPARE, n)
    # A fixed seed makes results reproducible. Noise carries no information, so the span begins
    # with its product; with a rough tolerance, with the product of that, which is often enough.
    start = product(np.random.default_rng(0).normal(size=(n, block)))
    Q = np.linalg.qr(product(start) if tol >= ROUGH else start)[0]
    A = product(Q)
    for _ in range(PASSES):
        H = Q.T @ A
        values, turn = np.linalg.eigh(0.5 * (H + H.T))
        top = turn[:, -block:]
        X = Q @ top
        rest = A @ top - X * values[-block:]
        wrong = np.linalg.norm(rest[:, -k:], axis=0).max()
        rounding = 1e-15 * np.abs(values).max()
        room = min(block, n - Q.shape[1])
        if wrong <= max(tol * values[-1], rounding) or room == 0:
            break
        if Q.shape[1] + block > LONGEST * block:
            keep = turn[:, -KEPT * block :]
            Q, A = Q @ keep, A @ keep
        new = _orthogonal(rest[:, -room:], Q)
        Q, A = np.hstack([Q, new]), np.hstack([A, product(new)])
    return values[-k:], X[:, -k:]


def _orthogonal(new: Array, Q: Array) -> Array:
    """Return an orthonormal basis of the span of `new`, at right angles to `Q`."""
    for _ in range(2):  # rounding errors of one pass would grow; "twice is enough"
        new = np.linalg.qr(new - Q @ (Q.T @ new))[0]
    return new


Function = Callable[[Array], Array]


@final
@dataclass(frozen=True)
class Rows:
    """A symmetric table seen a few rows at a time, each entry through some functions.

    Attributes
    ----------
    table : RowSource
        Distances of one layer; the distance of a point to itself is taken as zero.
    dtype : dtype
        Precision of what the first function is given.
    functions : tuple of callables
        Applied to a block of distances one after the other; each may write into its block.
    tol : float
        How exact a seed must be; by default as exact as the data.
    """

    table: RowSource
    dtype: Any
    functions: tuple[Function, ...] = ()
    tol: float = 0.0

    @property
    def n(self) -> int:
        """Number of points."""
        return self.table.n

    def through(self, function: Function) -> Rows:
        """Return the rows with another function applied to them."""
        return replace(self, functions=(*self.functions, function))

    def __iter__(self) -> Iterator[tuple[slice, Array]]:
        for tile in self.table.tiles():
            yield from _blocks(tile, self.dtype, self.functions)

    def times(self, V: Array) -> Array:
        """Return all rows times the columns of `V`, multiplied where the rows are."""
        product = partial(_product, dtype=self.dtype, functions=self.functions)
        return np.concatenate(self.table.each(product, V)).astype(V.dtype, copy=False)

    def whole(self) -> Array:
        """Return all rows as one array."""
        blocks = [block for _, block in self]
        return blocks[0] if len(blocks) == 1 else np.concatenate(blocks)


@final
class _Array:
    """A square array as a source of rows: one tile."""

    def __init__(self, D: Array):
        self.n, self.dtype, self.tile = len(D), D.dtype, (0, D[:, None, :], None)

    def tiles(self) -> Iterator[Tile]:
        yield self.tile

    def each(self, work: Callable[..., Any], *shared: Any) -> list[Any]:
        return [work(self.tile, *shared)]


def as_rows(D: Array | Rows) -> Rows:
    """Return the rows of a square array; `Rows` stay as they are."""
    return D if isinstance(D, Rows) else Rows(_Array(np.asarray(D)), np.float64)


def _blocks(
    tile: Tile, dtype: Any, functions: tuple[Function, ...]
) -> Iterator[tuple[slice, Array]]:
    first, D, _ = tile
    step = max(1, BLOCK // D.shape[2])
    for i in range(0, len(D), step):
        block = np.array(D[i : i + step, 0], dtype=dtype)
        own = np.arange(len(block))
        block[own, first + i + own] = 0.0
        for function in functions:
            block = function(block)
        yield slice(first + i, first + i + len(block)), block


def _product(tile: Tile, V: Array, dtype: Any, functions: tuple[Function, ...]) -> Array:
    """Return the rows of a tile times `V`, in the precision of the rows."""
    single = np.dtype(np.float32)
    factor = {V.dtype: V, single: V.astype(single)}
    return np.concatenate(
        [block @ factor[block.dtype] for _, block in _blocks(tile, dtype, functions)]
    )
