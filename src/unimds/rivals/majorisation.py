"""SMACOF: stress majorisation by the Guttman transform (de Leeuw 1977).

SMACOF-Q adds the centre of a sphere as one more point (de Leeuw & Mair 2009).
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import cho_factor, cho_solve

from unimds._runtime.watch import Callback
from unimds.losses import Loss
from unimds.placecenter.result import Result
from unimds.rivals.base import Steps, as_chords, follow, merged, pose, seed, table
from unimds.spaces import ChordalSphere, Euclidean, Space, Sphere, distances
from unimds.spaces.vectors import normalised

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
        Distances; NaN for missing pairs.
    n_components : int, default=2
        Dimension of the map.
    loss : str or Loss, default="squared"
        Measures the cost in the result; SMACOF itself minimises the squared error.
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


def smacof_q(
    D: ArrayLike,
    n_components: int = 2,
    *,
    kappa: float = 1.0,
    loss: str | Loss = "squared",
    space: str | Space = "chordal_sphere",
    init: str | ArrayLike = "spherical",
    max_iter: int = 2000,
    eps: float = 1e-7,
    random_state: Any = None,
    callback: Callback | None = None,
    verbose: int = 0,
) -> Result:
    """SMACOF-Q: SMACOF with an additional point at distance one (radius) from all other points.

    The weight `kappa` of these distances keeps the points near the sphere around the additional
    point; after each step the points are projected to that sphere. The larger `kappa`, the shorter
    the steps.

    Parameters
    ----------
    D : array-like of shape (n, n)
        Distances without missing values: chordal for `ChordalSphere`; geodesic for `Sphere`, which
        are converted to chords.
    n_components : int, default=2
        Dimension of the sphere.
    kappa : float, default=1
        Weight of a distance to the centre; a distance between two points has weight 1.
    loss : str or Loss, default="squared"
        Measures the cost in the result; the method itself minimises the squared error of chords.
    space : str or Space, default="chordal_sphere"
        "sphere", "chordal_sphere", or an instance with its radius.
    init : "spherical", "random" or array-like of shape (n, n_components + 1), default="spherical"
        The seed.
    max_iter, eps, random_state, callback, verbose
        As in `unimds.place_center`; an iteration moves all points once.

    Returns
    -------
    Result

    Examples
    --------
    >>> import numpy as np
    >>> from unimds.rivals import smacof_q
    >>> chords = np.sqrt(2.0) * (1.0 - np.eye(3))  # of points at right angles
    >>> smacof_q(chords, 2).cost < 1e-9
    True
    """
    if not (isinstance(kappa, Real) and 0.0 < kappa < np.inf):
        raise ValueError(f"kappa={kappa!r} must be a positive number")
    problem = pose(D, n_components, loss, space, spaces=(Sphere, ChordalSphere))

    def steps() -> Steps:
        X = with_origin(seed(problem, init, random_state))
        chords = as_chords(table(problem), problem.frame.space)
        for Y, stress in guttman(*with_centre(chords, kappa), X, to_sphere):
            yield Y[1:], stress

    return follow(
        problem, steps(), max_iter=max_iter, eps=eps, callback=callback, verbose=verbose, patience=5
    )


def with_origin(X: Array) -> Array:
    """Return points with the origin as the first point."""
    return np.vstack([np.zeros(X.shape[1]), X])


def to_sphere(X: Array) -> Array:
    """Move the first point to the origin, and project the other points to the unit sphere."""
    return with_origin(normalised(X[1:] - X[0]))


def with_centre(chords: Array, kappa: float) -> tuple[Array, Array]:
    """Return distances and weights with the centre of the unit sphere as the first point."""
    n = len(chords)
    D, W = np.ones((n + 1, n + 1)), np.ones((n + 1, n + 1))
    D[1:, 1:] = chords
    W[0], W[:, 0] = kappa, kappa
    np.fill_diagonal(D, 0.0)
    np.fill_diagonal(W, 0.0)
    return D, W


def guttman(D: Array, W: Array, X: Array, project: Callable[[Array], Array] = lambda X: X) -> Steps:
    """Yield the seed and its Guttman transforms, each projected, with its stress."""
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
    if np.ptp(W[~np.eye(n, dtype=bool)]) == 0.0:  # equal weights: known in closed form
        return lambda Y: Y / (n * W[0, 1])
    laplacian = np.diag(W.sum(axis=1)) - W
    factor = cho_factor(laplacian + W.mean())  # the constant vector gets a positive eigenvalue
    return lambda Y: np.asarray(cho_solve(factor, Y))
