r"""How errors of distances move the points of a map, to first order.

A small error :math:`\varepsilon` in the distances moves the points of a least-squares map by
:math:`M G^\top W \varepsilon`, where a row of G is the change of a distance when its two points
move, and :math:`M = (G^\top W G)^+`. The pseudo-inverse leaves out what turns or shifts the whole
map, as Procrustes' alignment does. With errors of variance :math:`\sigma^2 / w` the covariance of
the points is :math:`\sigma^2 M`.

Leaving point i out takes all its distances away. With their residuals e, the other points move by
:math:`M G_i^\top (I - H_i)^+ e`, where H is the hat matrix and the pseudo-inverse leaves out what
the place of i alone decides. As e has the covariance :math:`\sigma^2 (I - H_i)`, the squares of the
moves add up, over all i, to

.. math:: \sigma^2 Q = \sigma^2 \sum_i M G_i^\top (I - H_i)^+ G_i M.

This is the plain sum, without the (m - 1) / m of a jackknife of means. Their mean is next to
nothing, as each pair counts twice in it and :math:`G^\top W e = 0` for all residuals together; so
the sum may be taken around it.

A pair of a point l and another one is left out once, with the other one; a pair of two others is
left out twice. So the spread of a point over the maps of a jackknife is a little too large:
:math:`Q_{ll}` is about :math:`(1 + k/n) M_{ll}`. Dividing by the ratio of both makes it an estimate
of the covariance.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unimds.spaces import ChordalSphere, Simplex, Space
from unimds.trust.tangent import Tangents, tangents_at

Array = NDArray[Any]

MANY = 150
"""Points above which the excess of a jackknife is less than two per cent, and not computed."""
NOTHING = 1e-9
"""Share of the largest singular value below which there is no direction."""


class Excess(NamedTuple):
    """What the spread of each point over a jackknife must be divided by, and its precision.

    Attributes
    ----------
    ratio : ndarray of shape (n,)
        The expected spread, divided by the covariance of the point.
    freedom : ndarray of shape (n,)
        Degrees of freedom of the spread in any direction, on average.
    """

    ratio: Array
    freedom: Array


def jackknife_excess(points: Array, space: Space, i: Array, j: Array, w: Array) -> Excess:
    """Return by how much a jackknife overstates the covariance of each point.

    Parameters
    ----------
    points : ndarray of shape (n, n_coordinates)
        The map.
    space : Space
        Where it lies.
    i, j, w : ndarray
        The points of each known pair, and its weight.

    Returns
    -------
    Excess
    """
    here = tangents_at(points, space)
    n, k = len(points), here.k
    if n > MANY:
        partners = np.bincount(i, minlength=n) + np.bincount(j, minlength=n)
        return Excess(np.full(n, 1.0 + k / n), partners * (k + 2.0) / (3.0 * k))
    G = gradients(here, space, i, j) * np.sqrt(w)[:, None]
    M = np.linalg.pinv(G.T @ G, rcond=NOTHING, hermitian=True)
    A = M @ G.T  # how the points move with the error of each pair
    spread = np.zeros((n, k, k))
    for out in range(n):
        own = np.flatnonzero((i == out) | (j == out))
        moves = A[:, own]
        inverse = np.linalg.pinv(np.eye(len(own)) - G[own] @ moves, rcond=NOTHING, hermitian=True)
        both = ((moves @ inverse).reshape(n, k, -1), moves.reshape(n, k, -1))
        square = np.einsum("lap,lbp->lab", *both)
        square[out] = 0.0
        spread += square
    ratio, freedom = np.empty(n), np.empty(n)
    for at in range(n):
        block = slice(at * k, (at + 1) * k)
        ratio[at] = np.trace(np.linalg.pinv(M[block, block]) @ spread[at]) / k
        freedom[at] = _freedom(A[block][:, (i == at) | (j == at)])
    return Excess(np.maximum(ratio, 1e-3), freedom)


def gradients(here: Tangents, space: Space, i: Array, j: Array) -> Array:
    """Return how the distance of each pair changes with the points: a row a pair, k columns each.

    Examples
    --------
    >>> from unimds.spaces import Euclidean
    >>> here = tangents_at(np.array([[0.0, 0.0], [3.0, 4.0]]), Euclidean())
    >>> gradients(here, Euclidean(), np.array([0]), np.array([1]))
    array([[-0.6, -0.8,  0.6,  0.8]])
    """
    n, k = len(here.points), here.k
    found = np.zeros((len(i), n, k))
    rows = np.arange(len(i))
    for first, second in ((i, j), (j, i)):
        for at in np.unique(first):
            mine = rows[first == at]
            away = -here.vectors(int(at), here.points[second[mine]])
            length = np.linalg.norm(away, axis=1, keepdims=True)
            slope = 1.0
            if isinstance(space, ChordalSphere | Simplex):  # a chord grows more slowly than its arc
                slope = np.cos(0.5 * length / here.space.unit)
            unit = np.where(length > 0.0, length, 1.0)
            found[mine, at] = slope * away / unit
    return found.reshape(len(i), n * k)


def _freedom(moves: Array) -> float:
    """Return the degrees of freedom of a covariance that is a sum of squares along `moves`.

    In a direction v the sum of (v·a)² e² has the relative variance 2 Σ (v·a)⁴ / (Σ (v·a)²)², which
    2 / ν has too. Over all directions, where Σ a aᵀ is the identity, (v·a)⁴ is 3 |a|⁴ / (k (k+2)).
    """
    k = len(moves)
    values, axes = np.linalg.eigh(moves @ moves.T)
    kept = values > NOTHING * max(float(values[-1]), 1e-300)
    white = (axes[:, kept] / np.sqrt(values[kept])).T @ moves
    fourth = float(np.sum(np.sum(white**2, axis=0) ** 2))
    return k * (k + 2.0) / (3.0 * fourth) if fourth > 0.0 else 1.0
