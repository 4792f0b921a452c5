"""A start: the configuration that a descent begins from."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unimds.distances.pairs import as_float
from unimds.placecenter.problem import Problem
from unimds.spaces import SPACES

Array = NDArray[Any]

SEEDS = sorted({name for space in SPACES.values() for name in space.seeds})
"""Names of spectral seeds."""


def first_seed(
    problem: Problem, init: str | ArrayLike, rng: np.random.Generator, tol: float = 0.0
) -> Array:
    """Return the seed that `init` stands for, as a configuration; `tol` is how exact it must be."""
    space, k = problem.space, problem.n_components
    if not isinstance(init, str):
        given = np.asarray(problem.inner(_given(init, problem)).T, dtype=np.float64)
        return configuration(_untied(given, problem), problem)
    if init == "random":
        return draw(problem, rng)
    if init != "auto":
        if init not in SEEDS:
            names = ", ".join(map(repr, ["auto", "random", "shaken", *SEEDS]))
            raise ValueError(f"init={init!r} is not known: use one of {names} or an array")
        if init not in space.seeds:
            raise ValueError(
                f'init={init!r} is not a seed for {type(space).__name__}; use "auto" for its own'
            )
    X = space.seed(problem.distances(tol), k)
    return draw(problem, rng) if X is None else configuration(_untied(X, problem), problem)


def draw(problem: Problem, rng: np.random.Generator) -> Array:
    """Return a random configuration."""
    X = problem.space.random(problem.pairs.n, problem.n_components, problem.scale, rng)
    return configuration(X, problem)


def configuration(points: Array, problem: Problem) -> Array:
    """Return rows of points, in the unit of the problem, as kernels take them."""
    return np.ascontiguousarray(points.T, dtype=problem.dtype)


def _given(init: ArrayLike, problem: Problem) -> Array:
    X = as_float(init, "init")
    shape = (problem.pairs.n, problem.space.n_coordinates(problem.n_components))
    if X.shape != shape:
        raise ValueError(f"init must have the shape {shape}, one point a row; got {X.shape}")
    if not np.isfinite(X).all():
        raise ValueError(f"init: row {np.argwhere(~np.isfinite(X))[0][0]} is not finite")
    problem.space.check_points(X, "init")
    return X


def _untied(X: Array, problem: Problem) -> Array:
    """Part points of a seed that coincide though their distance is not zero.

    A pair in one place has no direction to part in, and for some losses no reason to.
    """
    rounded = X.round(12)
    if len(np.unique(rounded[:, 0])) == len(X):  # as nearly always
        return problem.space.project_points(X)
    _, group, count = np.unique(rounded, axis=0, return_inverse=True, return_counts=True)
    for tied in (np.flatnonzero(group.ravel() == g) for g in np.flatnonzero(count > 1)):
        if np.nanmax(problem.pairs.table.block(tied, tied), initial=0.0) > 0.0:
            noise = np.random.default_rng(tied[0]).normal(size=(tied.size, X.shape[1]))
            X[tied] += 1e-4 * problem.scale / problem.space.unit * noise
    return problem.space.project_points(X)
