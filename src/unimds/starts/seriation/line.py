r"""Orders on a line: the lowest one of few points, proven.

On a line, the lowest map of an order has its points at :math:`t_i / n`, where :math:`t_i` is the
sum of the distances to all points before point i less the sum of those to all points after it, and
its squared error is :math:`\sum_{i<j} d_{ij}^2 - \frac{1}{n} \sum_i t_i^2`. So the lowest map has
the order of the largest :math:`\sum t_i^2`. What a point adds depends on the set of points before
it, not on their order: dynamic programming over all sets finds the best order (Defays 1978; Hubert
& Arabie 1986).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds.kernels.orders import search_all

Array = NDArray[Any]

PROVEN = 20
"""Points up to which the best order of all is found, in a tenth of a second."""


def best_order(D: Array) -> Array:
    """Return the order of the lowest map on a line, of a symmetric table of at most 20 points.

    Examples
    --------
    >>> x = np.array([3.0, 0.0, 7.0, 1.0])
    >>> order = best_order(np.abs(x[:, None] - x))
    >>> x[order if order[0] == 1 else order[::-1]]
    array([0., 1., 3., 7.])
    """
    n = len(D)
    half = n // 2
    given = np.array(D, dtype=np.float64)
    np.fill_diagonal(given, 0.0)
    low_sums, high_sums = _subset_sums(given[:, :half]), _subset_sums(given[:, half:])
    np.fill_diagonal(given, given.sum(axis=1))  # where the loop finds the sum of a row
    order = np.empty(n, dtype=np.intp)
    search_all(given, low_sums, high_sums, half, np.empty(1 << n), order)
    return order


def _subset_sums(D: Array) -> Array:
    """Return for each row the sums over all sets of columns; bits of its number tell the set."""
    sums = np.zeros((len(D), 1))
    for column in D.T:
        sums = np.hstack([sums, sums + column[:, None]])
    return np.ascontiguousarray(sums)


def _sums(D: Array, order: Array) -> Array:
    """Return for each point the distances to those before it less those to the points after it."""
    place = np.argsort(order)
    signs = np.sign(place[:, None] - place)
    return np.asarray(np.sum(signs * D, axis=1))


def placed(D: Array, order: Array) -> Array:
    """Return the lowest map of an order: coordinates on a line, around zero.

    Examples
    --------
    >>> placed(np.array([[0.0, 2.0], [2.0, 0.0]]), np.array([1, 0]))
    array([ 1., -1.])
    """
    return _sums(D, order) / len(D)
