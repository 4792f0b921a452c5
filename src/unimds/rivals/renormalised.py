"""Classical MDS, normalised to the sphere (Pless & Simon 2002)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import least_squares

from unimds.losses import Loss
from unimds.placecenter.result import Result
from unimds.rivals.base import Steps, follow, pose, table
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
    """Pless & Simon: classical MDS in one dimension more, then each point pushed to the sphere.

    Classical MDS puts the mean at the origin, which is the centre of the sphere only if the points
    surround it evenly. So three centres are tried, and the one with the least error of chords is
    taken: the mean, that of the sphere that fits best, and that of the unit sphere that does.

    Parameters
    ----------
    D : array-like of shape (n, n)
        Distances, none missing: geodesic for `Sphere`, chordal for `ChordalSphere`.
    n_components : int, default=2
        Dimension of the sphere.
    loss : str or Loss, default="squared"
        What the cost in the result is measured by.
    space : str or Space, default="sphere"
        "sphere", "chordal_sphere", or one of them with its radius.

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


def as_chords(D: Array, sphere: Space) -> Array:
    """Return distances on a sphere as straight lines through the unit ball."""
    unit = D / sphere.unit
    if isinstance(sphere, ChordalSphere):
        return np.minimum(unit, 2.0)
    return np.asarray(2.0 * np.sin(0.5 * np.minimum(unit, np.pi)))


def centres(X: Array) -> list[Array]:
    """Return where the centre of the sphere may be: each choice suits other data."""
    return [X.mean(axis=0), sphere_centre(X), unit_sphere_centre(X)]


def sphere_centre(X: Array) -> Array:
    """Return the centre of the sphere that fits best: |x|² = 2⟨c, x⟩ + const by least squares.

    For points all around it, also where lost dimensions have made the sphere smaller.
    """
    A = np.column_stack([2.0 * X, np.ones(len(X))])
    solution, *_ = np.linalg.lstsq(A, np.einsum("ij,ij->i", X, X), rcond=None)
    return np.asarray(solution[:-1])


def unit_sphere_centre(X: Array) -> Array:
    """Return the centre c of the unit sphere that fits best: Σ (‖x − c‖² − 1)² is least.

    Points of a cap, or a few points, hardly leave a plane; the centre lies on one side of it or on
    the other, so both are tried.
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
