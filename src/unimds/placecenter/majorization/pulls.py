"""The pulls on all points at once, for methods that move all points together.

Distances and sums over points are matrix products: in many dimensions they take most of the time,
and linear algebra computes them many times as fast as a loop over pairs. Every pair is computed
once, by the later of its points, since it pulls both of them with the same force.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds.compiled.parts import explained, kernel
from unimds.distances.tiles import Tile
from unimds.losses import Loss

Array = NDArray[Any]

ROWS = 128  # of a tile that are computed together: more would compute more pairs twice
CANCELLED = 1e-4  # of |x|² + |y|²: a smaller |x − y|² has lost too many digits in a product


def add_pulls(
    tile: Tile, X: Array, exact: Loss, smooth: Loss, unit: float, pulls: Array, weights: Array
) -> tuple[float, float]:
    """Add the pulls of the pairs of some rows, and their weights; return their two costs.

    Points are columns of `X`, in Euclidean space. In a row only pairs with earlier points count.
    """
    first, D, W = tile
    D, W = _read_only(D), None if W is None else _read_only(W)
    X = X - X.mean(axis=1, keepdims=True)  # fewer digits cancel
    both, costs, squares = smooth != exact, np.zeros(2), np.einsum("ai,ai->i", X, X)
    sums = np.zeros(X.shape[1])
    for low in range(0, len(D), ROWS):
        rows = slice(low, min(low + ROWS, len(D)))
        start, end = first + rows.start, first + rows.stop
        P, Q = X[:, start:end], X[:, :end]
        C = P.T @ Q
        turn_into_distances(P, Q, squares[start:end], squares[:end], C)
        pairs = (D[rows], None if W is None else W[rows], start, unit)
        with explained(exact, smooth):
            costs += turn_into_coefficients(*pairs, exact, smooth, both, C, weights, sums)
        pulls[:, start:end] += Q @ C.T
        pulls[:, :end] += P @ C
    pulls -= X * sums
    return float(costs[0]), float(costs[1])


def _read_only(table: Array) -> Array:
    """Return a view that cannot be written to: Numba would compile once more for what can."""
    view = table.view()
    view.flags.writeable = False
    return view


@kernel
def turn_into_distances(P, Q, p, q, C):  # type: ignore[no-untyped-def]
    """Turn products of points into their distances; where digits cancel, from the points."""
    for i in range(C.shape[0]):
        close = 0.0  # a double: the loop vectorises
        for j in range(C.shape[1]):
            scale = p[i] + q[j]
            square = scale - 2.0 * C[i, j]
            close += 1.0 if square <= CANCELLED * scale else 0.0
            C[i, j] = np.sqrt(max(square, 0.0))
        if close > 0.0:
            for j in range(C.shape[1]):
                if C[i, j] * C[i, j] <= 2.0 * CANCELLED * (p[i] + q[j]):
                    square = 0.0
                    for a in range(P.shape[0]):
                        square += (P[a, i] - Q[a, j]) * (P[a, i] - Q[a, j])
                    C[i, j] = np.sqrt(square)


@kernel
def turn_into_coefficients(D, W, first, unit, exact, smooth, both, C, weights, sums):  # type: ignore[no-untyped-def]
    """Turn distances into w (1 − ρ/u), zero for later points; return the two costs.

    Add w to the `weights` of both points, and the coefficient to their `sums`. All are means over
    the directions of a pair.
    """
    (n, m), layers = C.shape, D.shape[1]
    exact_cost, smooth_cost, share = 0.0, 0.0, 1.0 / layers
    row = np.empty(m)
    for i in range(n):
        own, weight_sum, row_sum = first + i, 0.0, 0.0
        for j in range(m):  # loops: assigning to a slice takes seconds to compile
            row[j] = 0.0
        for layer in range(layers):
            for j in range(own):
                u, r, given = C[i, j], D[i, layer, j] * unit, share
                if W is not None:
                    given *= W[i, layer, j]
                known = r == r
                w, value = given * smooth.weight(u, r), given * smooth.value(u, r)
                w, value = w if known else 0.0, value if known else 0.0
                pull = w * (1.0 - smooth.radius(u, r) / u)
                pull = pull if known and u > 0.0 else 0.0
                row[j] += pull
                sums[j] += pull
                row_sum += pull
                weights[j] += w
                weight_sum += w
                smooth_cost += value
            if both:
                for j in range(own):  # a loop of its own: in the other it would not vectorise
                    u, r, given = C[i, j], D[i, layer, j] * unit, share
                    if W is not None:
                        given *= W[i, layer, j]
                    value = given * exact.value(u, r)
                    exact_cost += value if r == r else 0.0
        weights[own] += weight_sum
        sums[own] += row_sum
        for j in range(m):
            C[i, j] = row[j]
    return exact_cost if both else smooth_cost, smooth_cost
