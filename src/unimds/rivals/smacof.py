"""SMACOF: stress majorisation by the Guttman transform (de Leeuw 1977)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import cho_factor, cho_solve

from unimds._runtime.progress import Callback
from unimds.losses import Loss
from unimds.placecenter.result import Result
from unimds.rivals.base import Steps, follow, merged, pose, seed
from unimds.spaces import Euclidean, distances

Array = NDArray[Any]


def smacof(
    D: ArrayLike,
    n_components: int = 2,
    *,
    loss: str | Loss = "squared",
    weights: ArrayLike | None = None,
    init: str | ArrayLike = "classical",
    max_iter: int = 2000,
    eps: float = 1e-7,
    random_state: Any = None,
    callback: Callback | None = None,
    verbose: int = 0,
) -> Result:
    r"""SMACOF: minimise the squared error of distances by the Guttman transform.

    :math:`X \leftarrow V^+ B(X) X` with :math:`b_{ij} = -w_{ij} d_{ij} / \|x_i - x_j\|` and V the
    Laplacian of the weights. All points move at once; the squared error never rises.

    Parameters
    ----------
    D : array-like of shape (n, n)
        Distances; NaN where one is missing.
    n_components : int, default=2
        Dimension of the map.
    loss : str or Loss, default="squared"
        What the cost in the result is measured by; SMACOF itself minimises the squared error.
    weights : array-like of shape (n, n), default=None
        Weight of each pair.
    init : "classical", "random" or array-like of shape (n, n_components), default="classical"
        The seed.
    max_iter, eps, random_state, callback, verbose
        As in `unimds.place_center`; an iteration moves all points once.

    Returns
    -------
    Result

    Examples
    --------
    >>> from unimds.rivals import smacof
    >>> round(smacof([[0, 3, 4], [3, 0, 5], [4, 5, 0]]).cost, 9)
    0.0
    """
    problem = pose(D, n_components, loss, Euclidean(), weights, complete=False)

    def steps() -> Steps:
        yield from guttman(*merged(problem), seed(problem, init, random_state))

    return follow(problem, steps(), max_iter=max_iter, eps=eps, callback=callback, verbose=verbose)


def guttman(D: Array, W: Array, X: Array, project: Callable[[Array], Array] = lambda X: X) -> Steps:
    """Yield the seed and its Guttman transforms, each projected, with their stress."""
    solve = solver(W)
    while True:
        U = distances(X)
        yield X, float(0.5 * np.sum(W * (U - D) ** 2))
        B = -W * np.divide(D, U, out=np.zeros_like(U), where=U > 0.0)
        np.fill_diagonal(B, -B.sum(axis=1))
        X = project(solve(B @ X))


def solver(W: Array) -> Callable[[Array], Array]:
    """Return the product with the pseudo-inverse of the Laplacian of the weights."""
    n = len(W)
    if n == 1:
        return np.zeros_like
    if np.ptp(W[~np.eye(n, dtype=bool)]) == 0.0:  # of equal weights it is known
        return lambda Y: Y / (n * W[0, 1])
    laplacian = np.diag(W.sum(axis=1)) - W
    factor = cho_factor(laplacian + W.mean())  # the constant vector gets an eigenvalue too
    return lambda Y: np.asarray(cho_solve(factor, Y))
