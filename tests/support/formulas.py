"""The target spaces by the book: formulas that are not those of the library."""

import numpy as np

from unimds import ChordalSphere, Euclidean, Hyperbolic, Simplex, Sphere
from unimds.compiled.parts import kernel
from unimds.spaces import distances

ROUND = [Sphere(), ChordalSphere(), Simplex(), Hyperbolic()]
ALL = [Euclidean(), *ROUND]
SIZED = [
    Euclidean(),
    Sphere(),
    Sphere(radius=6371.0),
    ChordalSphere(),
    ChordalSphere(radius=0.01),
    Hyperbolic(),
    Hyperbolic(curvature=0.04),
    Simplex(),
    Simplex(size=30.0),
]


@kernel
def _log(space, p, x, v):
    u, slope = np.empty(1), np.empty(1)
    space.measure(p, x, u, slope)
    space.gather(p, x, slope, v)
    space.project(p, v)


@kernel
def _exp(space, p, v):
    space.exp(p, v)


@kernel
def _wander(space, p, X, share):
    """Walk a share of the way to each column of X in turn."""
    v = np.empty(p.size)
    for j in range(X.shape[1]):
        _log(space, p, X[:, j : j + 1].copy(), v)
        for a in range(v.size):
            v[a] *= share
        space.exp(p, v)


def log(space, p, x):
    v = np.empty(len(p))
    _log(space, np.array(p, dtype=float), np.array(x, dtype=float)[:, None].copy(), v)
    return v


def exp(space, p, v):
    p = np.array(p, dtype=float)
    _exp(space, p, np.array(v, dtype=float))
    return p


def dist(space, x, y):
    return distances([x], [y], space=space)[0, 0]


def minkowski(x, y):
    return x[..., 1:] @ y[..., 1:] - x[..., 0] * y[..., 0]


def points(space, n, k=2, seed=0, spread=None):
    rng = np.random.default_rng(seed)
    return space.random(n, k, space.unit if spread is None else spread, rng)


# --- independent formulas, in extended precision where the platform has it -----------------------


def exact_distance(space, x, y):
    x, y = np.asarray(x, np.longdouble), np.asarray(y, np.longdouble)
    if isinstance(space, Sphere):
        return space.radius * np.arccos(np.clip(x @ y, -1, 1))
    if isinstance(space, ChordalSphere):
        return space.radius * np.sqrt(np.maximum(2 - 2 * (x @ y), 0))
    if isinstance(space, Simplex):  # Hellinger's, from the probabilities and not their roots
        return space.size * np.sqrt(np.maximum(1 - np.sum(np.sqrt(x**2 * y**2)), 0))
    if isinstance(space, Hyperbolic):
        return np.arccosh(np.maximum(-minkowski(x, y), 1)) / np.sqrt(space.curvature)
    return np.sqrt(np.sum((x - y) ** 2))


def exact_log(space, p, x):
    p, x = np.asarray(p, np.longdouble), np.asarray(x, np.longdouble)
    if isinstance(space, Sphere):
        angle = np.arccos(p @ x)
        return angle / np.sin(angle) * (x - np.cos(angle) * p)
    if isinstance(space, Hyperbolic):
        length = np.arccosh(-minkowski(p, x))
        return length / np.sinh(length) * (x - np.cosh(length) * p)
    return x - p


def exact_exp(space, p, v):
    p, v = np.asarray(p, np.longdouble), np.asarray(v, np.longdouble)
    if isinstance(space, Sphere):
        angle = np.linalg.norm(v)
        return np.cos(angle) * p + np.sin(angle) / angle * v
    if isinstance(space, Hyperbolic):
        length = np.sqrt(minkowski(v, v))
        return np.cosh(length) * p + np.sinh(length) / length * v
    if isinstance(space, ChordalSphere):
        return (p + v) / np.linalg.norm(p + v)
    if isinstance(space, Simplex):
        q = np.maximum(p + v, 0)
        return q / np.linalg.norm(q)
    return p + v
