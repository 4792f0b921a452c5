"""The largest eigenvalues of a symmetric matrix that is known by its products with vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating[Any]]

SPARE = 8
"""Vectors in a block beyond those asked for: they speed up the rest, and cost little."""

KEPT, LONGEST, PASSES = 2, 8, 40
"""Blocks kept at a restart, blocks at most, and products at most."""

ROUGH = 0.01
"""A tolerance that two products often meet."""


def largest_eigenpairs(
    product: Callable[[Array], Array], n: int, k: int, tol: float
) -> tuple[Array, Array]:
    """Return the `k` largest eigenvalues and their vectors, by block Lanczos with restarts.

    A product with a block of vectors reads the matrix once, which is what costs, so a whole block
    is worth its while. Vectors are found by the method of Rayleigh and Ritz in the span of all
    products so far, until they are wrong by no more than `tol`, relative to the largest value;
    what has not settled after `PASSES` products, as where a matrix is but noise, is returned as
    it is.

    Parameters
    ----------
    product : callable
        Returns the matrix times the columns of an array.
    n, k : int
        Rows of the matrix, and pairs to find.
    tol : float
        When to stop.

    Returns
    -------
    values, vectors : ndarray of shape (k,) and (n, k)
        Values rise.
    """
    block = min(k + SPARE, n)
    # Fixed: the same data give the same bits. Noise itself says nothing, so the span begins with
    # a product; and with that product's, where this may be all that is needed.
    start = product(np.random.default_rng(0).normal(size=(n, block)))
    Q = np.linalg.qr(product(start) if tol >= ROUGH else start)[0]
    A = product(Q)
    for _ in range(PASSES):
        values, turn = np.linalg.eigh(_symmetric(Q.T @ A))
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


def _symmetric(A: Array) -> Array:
    return 0.5 * (A + A.T)


def _orthogonal(new: Array, Q: Array) -> Array:
    """Return an orthonormal basis of the span of `new`, at right angles to `Q`."""
    for _ in range(2):  # once leaves rounding, which grows; "twice is enough"
        new = np.linalg.qr(new - Q @ (Q.T @ new))[0]
    return new
