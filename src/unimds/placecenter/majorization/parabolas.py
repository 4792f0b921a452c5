"""A loss on whole arrays of distances: what it costs, and the parabolas that lie above it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds.compiled.parts import explained, kernel
from unimds.losses import Loss

Array = NDArray[Any]


def parabolas(loss: Loss, u: Array, r: Array) -> tuple[Array, Array]:
    """Return weight and centre of the parabola of every pair; zero where `r` is missing.

    Examples
    --------
    >>> from unimds.losses import Squared
    >>> parabolas(Squared(), np.array([2.0, 3.0]), np.array([1.0, np.nan]))
    (array([1., 0.]), array([1., 0.]))
    """
    w, rho = np.empty(np.shape(u)), np.empty(np.shape(u))
    with explained(loss):
        fill_parabolas(loss, _flat(u), _flat(r), w.reshape(-1), rho.reshape(-1))
    return w, rho


def values(loss: Loss, u: Array, r: Array) -> Array:
    """Return the cost of every pair; zero where `r` is missing.

    Examples
    --------
    >>> from unimds.losses import Squared
    >>> values(Squared(), np.array([2.0, 3.0]), np.array([0.0, np.nan]))
    array([4., 0.])
    """
    found = np.empty(np.shape(u))
    with explained(loss):
        fill_values(loss, _flat(u), _flat(r), found.reshape(-1))
    return found


def _flat(x: Array) -> Array:
    return np.ascontiguousarray(x, dtype=np.float64).reshape(-1)


@kernel
def fill_parabolas(loss, u, r, w, rho):  # type: ignore[no-untyped-def]
    """Fill in weight and centre of every pair."""
    for i in range(u.size):
        known = r[i] == r[i]
        given = r[i] if known else 0.0
        w[i] = loss.weight(u[i], given) if known else 0.0
        rho[i] = loss.radius(u[i], given) if known else 0.0


@kernel
def fill_values(loss, u, r, found):  # type: ignore[no-untyped-def]
    """Fill in the cost of every pair."""
    for i in range(u.size):
        found[i] = loss.value(u[i], r[i]) if r[i] == r[i] else 0.0
