"""Exchanges of two points of a map, the most promising first.

Where distances are far from those of any map, minima differ by which point lies where. The places
stay nearly the same, so that errors in these places tell beforehand which exchanges may lead to a
lower minimum. On spheres with 14 to 17 points, of the most promising hundredth of all exchanges one
in five does, of the worse half next to none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from unimds.placecenter.problem import Problem

Array = NDArray[Any]


@final
class Exchanges:
    """The exchanges that have not been tried yet, of one map at a time."""

    def __init__(self, problem: Problem):
        self.problem, self.known = problem, np.empty(0)
        self.left: Iterator[Array] = iter(())

    def next(self, X: Array) -> Array | None:
        """Return a map with the next two points exchanged, or None if all have been."""
        if self.known is not X:
            self.known, self.left = X, iter(promising(self.problem, X))
        two = next(self.left, None)
        if two is None:
            return None
        X = X.copy()
        X[:, two] = X[:, two[::-1]]
        return X


def promising(problem: Problem, X: Array) -> Array:
    """Return all pairs of points, those first whose exchange raises absolute errors the least."""
    D, W = problem.pairs.table.whole()
    known, at = ~np.isnan(D), np.ascontiguousarray(X, dtype=np.float64)
    D = np.where(known, D, 0.0) * problem.frame.unit
    W = known * (1.0 if W is None else W)
    U, rises = problem.frame.space.between(at, at), np.zeros((len(D), len(D)))
    for layer in range(D.shape[1]):
        rises += _rises(D[:, layer], W[:, layer], U)
    first, second = np.triu_indices(len(U), 1)
    order = np.argsort((rises + rises.T)[first, second], kind="stable")
    return np.stack([first, second], axis=1)[order]


def _rises(D: Array, W: Array, U: Array) -> Array:
    """Return by how much the errors of each point rise in each place of another, which makes room.

    The distance of the two is the same after they are exchanged, and does not count.
    """
    W = W - np.diag(W.diagonal())
    errors = W * np.abs(D - U)
    there: Array = np.array([np.abs(d - U) @ w for d, w in zip(D, W, strict=True)])
    there -= W * D + errors.sum(axis=1)[:, None] - errors
    return there
