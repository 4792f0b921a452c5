"""Where a fit of subject weights begins: common maps, with axes that suit the subjects."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds.spaces.base import Space
from unimds.spaces.euclidean import Euclidean
from unimds.starts.seeds.initial import completed
from unimds.tables.stack import Stack
from unimds.tables.subjects import Data, Idioscal, Indscal, Model, Sizes, View

Array = NDArray[Any]

MODELS: dict[str, type[Model]] = {"sizes": Sizes, "indscal": Indscal, "idioscal": Idioscal}
SWEEPS, STILL = 60, 1e-12  # of joint diagonalisation
FIRST = 5  # steps of the weights alone before the map moves
LARGE = 400_000  # distances of all subjects from which fewer starts are tried


def first_weights(model: Model, subjects: int, k: int) -> Array:
    """Return weights with which all subjects see the common map as it is."""
    if isinstance(model, Idioscal):
        return np.tile(np.eye(k), (subjects, 1, 1))
    return np.ones((subjects, k) if isinstance(model, Indscal) else subjects)


def begun(data: Data, model: Model, X: Array, r: tuple[Array, ...]) -> View:
    """Return a common map with the weights that suit it, by a rounded loss."""
    C = first_weights(model, len(data.W), len(X))
    view, soft = View(data, model, X, C, r), data.frame.loss.smoothed(data.frame.scale)
    for _ in range(FIRST):
        view = View(data, model, X, model.weighed(view, soft), r)
    return view


def openings(
    data: Data, model: Model, stack: Stack, X: Array, count: int, rng: np.random.Generator
) -> list[Array]:
    """Return configurations to begin with, the consensus `X` first.

    In Euclidean space every other one of the rest is the map of a single subject. Then come random
    maps; for `Indscal`, whose axes mean something, the consensus turned at random.
    """
    k, flat = len(X), type(data.frame.space) is Euclidean
    weighed = isinstance(model, Indscal)
    products = _products(data, stack) if weighed else None  # say which axes suit the subjects
    found = [X if products is None else _aligned(X, products)]
    order = rng.permutation(len(stack))
    for number in range(count - 1):
        if flat and number % 2 == 0 and number // 2 < len(stack):
            own = _own_map(stack, int(order[number // 2]), data, k)
            found.append(own if products is None else _aligned(own, products))
        elif weighed:
            found.append(random_rotation(k, rng) @ X)
        else:
            found.append(_random(data.frame.space, data, k, rng))
    return found


def _random(space: Space, data: Data, k: int, rng: np.random.Generator) -> Array:
    dimension = k - (space.n_coordinates(1) - 1)
    points = space.random(data.n, dimension, data.frame.scale, rng)
    return np.ascontiguousarray(points.T)


def random_rotation(k: int, rng: np.random.Generator) -> Array:
    """Return a random rotation."""
    Q, R = np.linalg.qr(rng.normal(size=(k, k)))
    found: Array = Q * np.sign(np.diagonal(R))
    return found


def _own_map(stack: Stack, s: int, data: Data, k: int) -> Array:
    """Return the classical map of one subject's table."""
    flat: Space = Euclidean()
    X = flat.seed(completed(stack.tables[s]) * data.frame.unit, k)
    assert X is not None  # flat space always has a seed
    return np.ascontiguousarray(X.T)


def _products(data: Data, stack: Stack) -> Array:
    """Return the scalar products of each subject's table, of one size."""
    n, found = stack.n, []
    for table in stack.tables:
        square = np.square(completed(table) * data.frame.unit)
        centred = square - square.mean(axis=0) - square.mean(axis=1)[:, None] + square.mean()
        size = float(np.linalg.norm(centred)) or 1.0
        found.append(-0.5 * n * centred / size)
    return np.stack(found)


def _aligned(X: Array, products: Array) -> Array:
    """Turn a map so that the subjects' products are nearly diagonal in its axes.

    With B = X' H X for each subject, the common rotation makes the H as diagonal as they can be.
    """
    X = X - X.mean(axis=1)[:, None]
    inverse = np.linalg.pinv(X)
    return np.asarray(jointly_diagonal(inverse.T @ products @ inverse).T @ X)


def jointly_diagonal(H: Array) -> Array:
    """Return the rotation Q for which all Qᵀ H Q are as diagonal as possible, by Jacobi's turns.

    Examples
    --------
    >>> Q, _ = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))
    >>> H = np.stack([Q @ np.diag(d) @ Q.T for d in ([1.0, 2.0, 3.0], [3.0, 1.0, 5.0])])
    >>> found = jointly_diagonal(H)
    >>> turned = found.T @ H @ found
    >>> bool(np.abs(turned - turned * np.eye(3)).max() < 1e-10)
    True
    """
    k, H = H.shape[1], H.copy()
    Q = np.eye(k)
    for _ in range(SWEEPS):
        most = 0.0
        for p in range(k):
            for q in range(p + 1, k):
                apart, off = H[:, p, p] - H[:, q, q], 2.0 * H[:, p, q]
                on = float(apart @ apart - off @ off)
                both = 2.0 * float(apart @ off)
                angle = 0.25 * np.arctan2(both, on)
                most = max(most, abs(angle))
                c, s = np.cos(angle), np.sin(angle)
                turn = np.eye(k)
                turn[[p, q, p, q], [p, q, q, p]] = c, c, -s, s
                H, Q = turn.T @ H @ turn, Q @ turn
        if most < STILL:
            break
    return Q
