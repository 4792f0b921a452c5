"""Maps of every kind that can be drawn, with names and columns, for the tests of pictures."""

from __future__ import annotations

import numpy as np

from unimds import Absolute, Hyperbolic, Outcome, Result, Simplex, Space, Sphere, Squared
from unimds.spaces import Euclidean, distances

KINDS: dict[str, tuple[Space, int]] = {
    "plane": (Euclidean(), 2),
    "space": (Euclidean(), 3),
    "globe": (Sphere(2.0), 2),
    "disk": (Hyperbolic(), 2),
    "triangle": (Simplex(), 2),
    "many": (Euclidean(), 6),
}
"""A space and a dimension for each kind of picture."""


def a_map(kind: str, n: int = 40, noise: float = 0.05) -> tuple[Result, np.ndarray]:
    """Return a map and distances that it meets but for some noise; no fit, which would compile."""
    space, k = KINDS[kind]
    rng = np.random.default_rng(0)
    X = space.random(n, k, 1.5 * space.unit, rng)
    D = distances(X, space=space) * np.exp(noise * rng.normal(size=(n, n)))
    D = np.triu(D, 1) + np.triu(D, 1).T
    history = np.column_stack([np.linspace(0.1, 2.0, 20), 100.0 / np.arange(1, 21)])
    loss = Absolute() if kind == "globe" else Squared()
    return Result(X, 5.0, history, history, Outcome.CONVERGED, loss, space), D
