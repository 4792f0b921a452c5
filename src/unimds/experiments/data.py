"""The paper's test data, and our decisions where the paper gives no details.

The paper uses 300 points of a 10-dimensional subspace of ℝ²⁰⁰. It adds Poisson noise to the points
in all dimensions, as large as 30 % of the variation in each; or it keeps the points exact and adds
Poisson noise to a share of their distances. Our decisions:

- The points are Gaussian in a uniformly random subspace.
- The variation in a dimension is the standard deviation there; noise is a Poisson variable of mean
  one, minus its mean, times 30 % of that deviation.
- A distance is perturbed by adding a Poisson variable whose mean is the mean distance, so that the
  error is as large as the distances themselves.
- In figures that vary k, the dimension of the map varies; the data stay 10-dimensional.
- The spherical data have one more dimension, and each point is divided by its length: apart from
  the noise, they are uniform on S¹⁰.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds.losses import Loss
from unimds.spaces import Space, distances
from unimds.spaces.vectors import normalised

Array = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Setting:
    """One panel of a figure: distances, and the dimension, loss and space of their map."""

    name: str
    D: Array
    n_components: int
    loss: Loss
    space: Space

    def small(self) -> Setting:
        """Return the same with fewer points; running it compiles all code of the full run."""
        # more than random starts are looked for on, and enough for single precision
        few = slice(0, 220)
        return Setting(self.name, self.D[few, few], self.n_components, self.loss, self.space)


def subspace(n: int, d: int, k: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Draw `n` points of a random `k`-dimensional subspace of ℝ^d: coordinates, and its basis.

    Examples
    --------
    >>> X, basis = subspace(5, 20, 2, np.random.default_rng(0))
    >>> X.shape, basis.shape
    ((5, 2), (20, 2))
    """
    basis = np.linalg.qr(rng.normal(size=(d, k)))[0]
    return rng.normal(size=(n, k)), basis


def noisy_points(n: int, d: int, k: int, noise: float, rng: np.random.Generator) -> Array:
    """Draw points near a `k`-dimensional subspace: Poisson noise in every dimension."""
    X, basis = subspace(n, d, k, rng)
    points = X @ basis.T
    return np.asarray(
        points + noise * points.std(axis=0) * (rng.poisson(1.0, size=points.shape) - 1.0)
    )


def perturb(D: Array, share: float, rng: np.random.Generator) -> Array:
    """Return distances of which a share got longer by Poisson noise of their own mean.

    The noise may be zero: of short distances a few of the share stay as they are.

    Examples
    --------
    >>> D = 5.0 - 5.0 * np.eye(10)
    >>> int((perturb(D, 0.2, np.random.default_rng(0)) > D).sum())
    18
    """
    D = D.copy()
    i, j = np.triu_indices(len(D), 1)
    wrong = rng.choice(i.size, int(share * i.size), replace=False)
    D[i[wrong], j[wrong]] += rng.poisson(D[i, j].mean(), wrong.size)
    D[j, i] = D[i, j]
    return D


def near_euclidean(n: int, seed: int, d: int = 200, k: int = 10, noise: float = 0.3) -> Array:
    """Return the distances of points near a subspace: the paper's Euclidean data."""
    return distances(noisy_points(n, d, k, noise, np.random.default_rng(seed)))


def non_euclidean(n: int, share: float, seed: int, d: int = 200, k: int = 10) -> Array:
    """Return the distances of points of a subspace, a share of them perturbed."""
    rng = np.random.default_rng(seed)
    X, _ = subspace(n, d, k, rng)
    return perturb(distances(X), share, rng)


def near_sphere(
    n: int, space: Space, seed: int, d: int = 200, k: int = 10, noise: float = 0.3
) -> Array:
    """Return the distances on a sphere of points near a subsphere of `k` dimensions."""
    points = noisy_points(n, d + 1, k + 1, noise, np.random.default_rng(seed))
    return distances(normalised(points), space=space)
