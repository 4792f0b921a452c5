"""Classical MDS, then normalisation to the sphere (Pless & Simon 2002)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import least_squares

from unimds.losses import Loss
from unimds.placecenter.result import Result
from unimds.rivals.base import Steps, as_chords, follow, pose, table
from unimds.spaces import ChordalSphere, Space, Sphere, distances
from unimds.spaces import spectral as seeds
from unimds.spaces.vectors import normalised

Array = NDArray[Any]


def renormalised(
    D: ArrayLike,
    n_components: int = 2,
    *,
    loss: str | Loss = "squared",
    space: str | Space = "sphere",
) -> Result:
    """Pless & Simon: classical MDS in one more dimension, then project each point to the sphere.

    Classical MDS puts the mean at the origin, which is the centre of the sphere only if the points
    surround it evenly. So the method tries three centres and keeps the one with the smallest error
    of chords: the mean, the centre of the best-fitting sphere, and that of the best-fitting unit
    sphere.

    Parameters
    ----------
    D : array-like of shape (n, n)
        Distances without missing values: geodesic for `Sphere`, chordal for `ChordalSphere`.
    n_components : int, default=2
        Dimension of the sphere.
    loss : str or Loss, default="squared"
        Measures the cost in the result.
    space : str or Space, default="sphere"
        "sphere", "chordal_sphere", or an instance with its radius.

    Returns
    -------
    Result

    Examples
    --------
    >>> from unimds.datasets import great_circle, load_cities
    >>> from unimds.rivals import renormalised
    >>> angles = great_circle(load_cities().latlon, radius=1.0)
    >>> renormalised(angles).cost < 1e-9
    True
    """
    problem = pose(D, n_components, loss, space, spaces=(Sphere, ChordalSphere))

    def steps() -> Steps:
        chords = as_chords(table(problem), problem.frame.space)
        X = seeds.classical(chords, n_components + 1)
        pushed = [normalised(X - centre) for centre in centres(X)]
        yield min(pushed, key=lambda Y: float(np.sum((distances(Y) - chords) ** 2))), None

    return follow(problem, steps(), max_iter=1)


def centres(X: Array) -> list[Array]:
    """Return candidates for the centre of the sphere; each suits different data."""
    return [X.mean(axis=0), sphere_centre(X), unit_sphere_centre(X)]


def sphere_centre(X: Array) -> Array:
    """Return the centre of the best-fitting sphere: |x|² = 2⟨c, x⟩ + const by least squares.

    It suits points all around the sphere, even if lost dimensions have shrunk the sphere.
    """
    A = np.column_stack([2.0 * X, np.ones(len(X))])
    solution, *_ = np.linalg.lstsq(A, np.einsum("ij,ij->i", X, X), rcond=None)
    return np.asarray(solution[:-1])


def unit_sphere_centre(X: Array) -> Array:
    """Return the centre c of the best-fitting unit sphere: it minimises Σ (‖x − c‖² − 1)².

    Points of a cap, or a few points, lie close to a plane; the centre may be on either side of it,
    so the search starts from both.
    """
    mean = X.mean(axis=0)
    Y = X - mean
    flattest = np.linalg.eigh(Y.T @ Y)[1][:, 0]
    height = np.sqrt(max(1.0 - float(np.mean(np.sum(Y * Y, axis=1))), 0.0))
    fits = [
        least_squares(
            lambda c: np.sum((X - c) ** 2, axis=1) - 1.0,
            mean + side * height * flattest,
            jac=lambda c: -2.0 * (X - c),
            xtol=1e-15,
            ftol=1e-15,
            gtol=1e-15,
        )
        for side in (1.0, -1.0)
    ]
    return np.asarray(min(fits, key=lambda fit: fit.cost).x)
