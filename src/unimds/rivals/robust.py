"""Robust Euclidean Embedding (Cayton & Dasgupta 2006): the absolute error of squared distances.

Over Euclidean distance matrices of any rank the problem is convex: minimise
Σ |b_ii + b_jj − 2 b_ij − d_ij²| over positive semidefinite B, the inner products of the points. The
top k eigenvectors of B then give the map in k dimensions.
"""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh
from sklearn.utils import check_random_state

from unimds._runtime.extras import require
from unimds._runtime.watch import Callback
from unimds.losses import Loss
from unimds.placecenter.result import Result
from unimds.rivals.base import Steps, follow, pose, seed, table
from unimds.spaces import Euclidean
from unimds.spaces import spectral as seeds

Array = NDArray[Any]

LAST_STEP = 1e-4  # relative to the first step


def robust_euclidean_embedding(
    D: ArrayLike,
    n_components: int = 2,
    *,
    loss: str | Loss = "squared_distance",
    method: str = "subgradient",
    init: str = "svd",
    step: float = 0.3,
    max_iter: int = 400,
    random_state: Any = None,
    callback: Callback | None = None,
    verbose: int = 0,
) -> Result:
    r"""CD: Cayton & Dasgupta's embedding, projected to k dimensions after every step.

    A step follows the negative subgradient of
    :math:`\sum |b_{ii} + b_{jj} - 2 b_{ij} - d_{ij}^2|`, then moves to the nearest positive
    semidefinite matrix. The step length decreases geometrically, to 1/10,000 of the first in the
    last iteration: for either seed that came closer to the optimum than :math:`1/\sqrt t`.

    Parameters
    ----------
    D : array-like of shape (n, n)
        Distances without missing values.
    n_components : int, default=2
        Dimension of the map.
    loss : str or Loss, default="squared_distance"
        Measures the cost in the result; the method minimises "squared_distance", in any number of
        dimensions.
    method : "subgradient" or "sdp", default="subgradient"
        "sdp" solves the convex problem as a semidefinite program, for a few dozen points at most;
        it needs cvxpy, ``pip install 'unimds[sdp]'``.
    init : "svd" or "random", default="svd"
        The seed of the subgradient method: classical MDS in k dimensions (CD+SVD), or a random
        projection to k dimensions (CD+rand).
    step : float, default=0.3
        Length of the first step, relative to the size of the matrix of inner products.
    max_iter : int, default=400
        Number of steps, which sets their lengths. Each step takes two eigendecompositions.
    random_state, callback, verbose
        As in `unimds.place_center`.

    Returns
    -------
    Result

    Examples
    --------
    >>> from unimds.rivals import robust_euclidean_embedding
    >>> round(robust_euclidean_embedding([[0, 3, 4], [3, 0, 5], [4, 5, 0]]).cost, 9)
    0.0
    """
    if not (isinstance(method, str) and method in ("subgradient", "sdp")):
        raise ValueError(f'method={method!r} is not known: use "subgradient" or "sdp"')
    if not (isinstance(init, str) and init in ("svd", "random")):
        raise ValueError(f'init={init!r} is not known: use "svd" or "random"')
    if not (isinstance(step, Real) and 0.0 < step < np.inf):
        raise ValueError(f"step={step!r} must be a positive number")
    problem = pose(D, n_components, loss, Euclidean())

    def steps() -> Steps:
        squares = table(problem) ** 2
        if method == "sdp":
            B = solve_sdp(squares)
            yield to_points(B, n_components), None
            return
        if init == "svd":
            X = seed(problem, "classical", 0)
        else:
            X = random_projection(squares, n_components, random_state)
        for B in subgradient(squares, X @ X.T, step, max_iter):
            yield to_points(B, n_components), None

    return follow(problem, steps(), max_iter=max_iter, callback=callback, verbose=verbose)


def subgradient(squares: Array, B: Array, step: float, n_steps: int) -> Iterator[Array]:
    """Yield Gram matrices: after each subgradient step, the nearest semidefinite matrix."""
    yield B
    first = step * float(np.linalg.norm(seeds.classical_gram(np.sqrt(squares))))
    for length in np.geomspace(first, LAST_STEP * first, n_steps) if first > 0.0 else ():
        signs = np.sign(squared_distances(B) - squares)
        slope = np.diag(signs.sum(axis=1)) - signs  # the Laplacian of the signs
        norm = np.linalg.norm(slope)
        if norm == 0.0:
            return
        B = nearest_psd(B - length / norm * slope)
        yield B


def squared_distances(B: Array) -> Array:
    """Return the squared distances between points with the Gram matrix `B`."""
    diagonal = np.diagonal(B)
    return np.asarray(diagonal[:, None] + diagonal[None] - 2.0 * B)


def nearest_psd(B: Array) -> Array:
    """Return the positive semidefinite matrix nearest to a symmetric matrix."""
    values, vectors = eigh(0.5 * (B + B.T), driver="evd")
    keep = values > 0.0
    return np.asarray((vectors[:, keep] * values[keep]) @ vectors[:, keep].T)


def to_points(B: Array, k: int) -> Array:
    """Return points in k dimensions from the top eigenvectors of their Gram matrix."""
    values, vectors = seeds.top_eigenpairs(B, k)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))


def random_projection(squares: Array, k: int, random_state: Any) -> Array:
    """Return points that nearly have the given distances, projected to k random directions."""
    full = to_points(seeds.classical_gram(np.sqrt(squares)), len(squares))
    rng = check_random_state(random_state)
    return np.asarray(full @ rng.normal(scale=k**-0.5, size=(len(squares), k)))


def solve_sdp(squares: Array) -> Array:
    """Return the Gram matrix that minimises the absolute error of squared distances."""
    cp = require("cvxpy", "sdp")
    n = len(squares)
    B = cp.Variable((n, n), PSD=True)
    rows = cp.reshape(cp.diag(B), (n, 1), order="C") @ np.ones((1, n))
    problem = cp.Problem(cp.Minimize(0.5 * cp.sum(cp.abs(rows + rows.T - 2 * B - squares))))
    problem.solve()
    if B.value is None:
        raise RuntimeError(f"cvxpy did not solve the semidefinite program: {problem.status}")
    return nearest_psd(np.asarray(B.value))
