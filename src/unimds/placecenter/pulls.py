"""The pulls on all points at once, for methods that move all points together.

Distances and sums over points are matrix products: in many dimensions they take nearly all of the
time, and linear algebra computes them many times as fast as loops over pairs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds.compiled.parts import kernel
from unimds.distances.tiles import Tile
from unimds.losses import Loss

Array = NDArray[Any]

CANCELLED = 1e-6  # of |x|² + |y|²: a smaller |x − y|² has lost too many digits in a product


def rows_pull(tile: Tile, X: Array, loss: Loss, unit: float) -> tuple[Array, Array, float]:
    """Return the pull on the points of some rows, the sums of their weights, and their cost.

    Points are columns of `X`, in Euclidean space. Every pair of the rows counts half.
    """
    first, D, W = tile
    P = X[:, first : first + len(D)]
    U, total = distances_to(P, X), np.empty(len(D))
    cost = turn_to_coefficients(U, D, W, first, unit, loss, total)
    return X @ U.T - P * U.sum(axis=1), total, cost


def distances_to(P: Array, X: Array) -> Array:
    """Return the distances of the columns of `P` to those of `X`; short ones by differences."""
    p, x = np.einsum("ai,ai->i", P, P), np.einsum("ai,ai->i", X, X)
    U: Array = P.T @ X
    squared_distances(P, X, p, x, U)
    return np.asarray(np.sqrt(U, out=U))


@kernel
def squared_distances(P, X, p, x, U):  # type: ignore[no-untyped-def]
    """Turn products into squared distances; where digits cancel, compute them anew."""
    for i in range(U.shape[0]):
        close = 0
        for j in range(U.shape[1]):
            scale = p[i] + x[j]
            square = scale - 2.0 * U[i, j]
            U[i, j] = square
            close += square <= CANCELLED * scale
        if close == 0:
            continue
        for j in range(U.shape[1]):
            if U[i, j] <= CANCELLED * (p[i] + x[j]):
                U[i, j] = 0.0
                for a in range(X.shape[0]):
                    U[i, j] += (P[a, i] - X[a, j]) * (P[a, i] - X[a, j])


@kernel
def turn_to_coefficients(U, D, W, first, unit, loss, total):  # type: ignore[no-untyped-def]
    """Turn distances into w (1 − ρ/u), fill in Σ w of each row, and return half of the cost.

    Both are means over the directions of a pair.
    """
    layers, cost = D.shape[1], 0.0
    share = 1.0 / layers
    for i in range(U.shape[0]):
        sums = 0.0
        for j in range(U.shape[1]):
            u, coefficient = U[i, j], 0.0
            for layer in range(layers):
                r, weight = D[i, layer, j] * unit, share
                if W is not None:
                    weight *= W[i, layer, j]
                known = r == r and j != first + i
                w, rho, value = loss.weight(u, r), loss.radius(u, r), loss.value(u, r)
                weight = weight if known else 0.0
                w, value = w * weight if known else 0.0, value * weight if known else 0.0
                coefficient += w * (1.0 - rho / u) if u > 0.0 and known else 0.0
                sums += w
                cost += value
            U[i, j] = coefficient
        total[i] = sums
    return 0.5 * cost
