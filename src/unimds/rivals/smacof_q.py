"""SMACOF-Q: SMACOF with the centre of a sphere as one more point (de Leeuw & Mair 2009)."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unimds._runtime.progress import Callback
from unimds.losses import Loss
from unimds.placecenter.result import Result
from unimds.rivals.base import Steps, follow, pose, seed, table
from unimds.rivals.renormalised import as_chords
from unimds.rivals.smacof import guttman
from unimds.spaces import ChordalSphere, Space, Sphere
from unimds.spaces.vectors import normalised

Array = NDArray[Any]


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
    r"""SMACOF-Q: SMACOF with one more point, at distance one (radius) from all others.

    The weight `kappa` of these distances holds the points near the sphere around that point; after
    each step they are pushed to the sphere from its centre. The larger `kappa`, the shorter the
    steps.

    Parameters
    ----------
    D : array-like of shape (n, n)
        Distances, none missing: chordal for `ChordalSphere`; geodesic ones for `Sphere`, which are
        turned into the chords that belong to them.
    n_components : int, default=2
        Dimension of the sphere.
    kappa : float, default=1
        Weight of a distance to the centre; a distance between two points has weight 1.
    loss : str or Loss, default="squared"
        What the cost in the result is measured by; the method itself minimises the squared error
        of chords.
    space : str or Space, default="chordal_sphere"
        "sphere", "chordal_sphere", or one of them with its radius.
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
    """Return points with the origin as the first of them."""
    return np.vstack([np.zeros(X.shape[1]), X])


def to_sphere(X: Array) -> Array:
    """Return points pushed to the unit sphere from the first of them, which goes to the origin."""
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
