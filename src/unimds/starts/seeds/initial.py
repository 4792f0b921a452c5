"""The configuration that a descent begins from: spectral, random or given."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path

from unimds.distances.inputs import as_float
from unimds.distances.pairs import Pairs
from unimds.spaces.base import seed_names
from unimds.spaces.spectral import Rows

if TYPE_CHECKING:
    from unimds.placecenter.problem import Problem

Array = NDArray[Any]


def first_seed(
    problem: Problem, init: str | ArrayLike, rng: np.random.Generator, tol: float = 0.0
) -> Array:
    """Return the seed that `init` stands for, as a configuration; `tol` is how exact it must be."""
    space, k = problem.frame.space, problem.n_components
    if not isinstance(init, str):
        given = np.asarray(problem.inner(_given(init, problem)).T, dtype=np.float64)
        return configuration(untied(given, problem), problem)
    if init == "random":
        return draw(problem, rng)
    if init != "auto":
        if init not in seed_names():
            names = ", ".join(map(repr, ["auto", "random", "shaken", *seed_names()]))
            raise ValueError(f"init={init!r} is not known: use one of {names} or an array")
        if init not in space.seeds:
            raise ValueError(
                f'init={init!r} is not a seed for {type(space).__name__}; use "auto" for its own'
            )
    X = space.seed(_seed_table(problem, tol), k)
    return draw(problem, rng) if X is None else configuration(untied(X, problem), problem)


def draw(problem: Problem, rng: np.random.Generator) -> Array:
    """Return a random configuration."""
    frame, n = problem.frame, problem.pairs.n
    return configuration(frame.space.random(n, problem.n_components, frame.scale, rng), problem)


def configuration(points: Array, problem: Problem) -> Array:
    """Return rows of points, in the unit of the problem, as kernels take them."""
    return np.ascontiguousarray(points.T, dtype=problem.dtype)


def _seed_table(problem: Problem, tol: float) -> Array | Rows:
    """Return the distances of all pairs in the problem's unit, by rows where that will do."""
    pairs, unit = problem.pairs, problem.frame.unit
    plain = pairs.layers == 1 and pairs.weighing.complete
    if not (problem.frame.space.seed_reads_rows and plain):
        return completed(pairs) * unit
    dtype = np.float32 if tol and problem.single_suffices else problem.dtype
    rows = Rows(pairs.table, dtype, tol=tol)
    return rows.through(partial(np.multiply, unit)) if unit != 1.0 else rows


def completed(pairs: Pairs) -> Array:
    """Return an (n, n) symmetric table without gaps: missing pairs get their shortest path."""
    mean = _mean_table(pairs)
    missing = np.isnan(mean)
    np.fill_diagonal(missing, False)
    np.fill_diagonal(mean, 0.0)
    if missing.any():
        i, j = np.nonzero(~missing)
        # a sparse graph, since in a dense one a distance of zero would be no edge
        graph = csr_array((mean[i, j], (i, j)), shape=mean.shape)
        paths = shortest_path(graph, directed=False)
        far = 2.0 * pairs.largest if pairs.largest > 0.0 else 1.0
        mean[missing] = np.where(np.isfinite(paths), paths, far)[missing]
    return mean


def _mean_table(pairs: Pairs) -> Array:
    """Return the mean of both directions, NaN where neither is known."""
    D, W = pairs.table.whole()
    if pairs.layers == 1:
        mean = np.array(D[:, 0], dtype=np.float64)
        if W is not None:
            mean[W[:, 0] == 0.0] = np.nan
        return mean
    D = D if W is None else np.where(W == 0.0, np.nan, D)
    known = ~np.isnan(D)
    count = known.sum(axis=1)
    total = np.where(known, D, 0.0).sum(axis=1)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _given(init: ArrayLike, problem: Problem) -> Array:
    X = as_float(init, "init")
    shape = (problem.pairs.n, problem.n_coordinates)
    if X.shape != shape:
        raise ValueError(f"init must have the shape {shape}, one row per point; got {X.shape}")
    if not np.isfinite(X).all():
        raise ValueError(f"init: row {np.argwhere(~np.isfinite(X))[0][0]} is not finite")
    problem.frame.space.check_points(X, "init")
    return X


def untied(X: Array, problem: Problem) -> Array:
    """Part points of a seed that coincide though their distance is not zero.

    A pair in one place has no direction to part in, and for some losses no reason to.
    """
    rounded, space = X.round(12), problem.frame.space
    if len(np.unique(rounded[:, 0])) == len(X):  # as nearly always
        return space.project_points(X)
    _, group, count = np.unique(rounded, axis=0, return_inverse=True, return_counts=True)
    for tied in (np.flatnonzero(group.ravel() == g) for g in np.flatnonzero(count > 1)):
        D, _ = problem.pairs.table.block(tied, tied)
        if np.nanmax(D, initial=0.0) > 0.0:
            noise = np.random.default_rng(tied[0]).normal(size=(tied.size, X.shape[1]))
            X[tied] += 1e-4 * problem.frame.scale / space.unit * noise
    return space.project_points(X)
