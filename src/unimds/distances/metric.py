"""Distances between rows of features."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.watch import warn

if TYPE_CHECKING:
    from unimds.files.table import Table

Array = NDArray[Any]


@final
@dataclass(frozen=True)
class Metric:
    """A distance of rows, as in `sklearn.metrics.pairwise_distances`.

    Attributes
    ----------
    name : str or callable
        The metric.
    params : dict
        Its further arguments.
    """

    name: Any
    params: dict[str, Any]

    def learnt(self, features: Array) -> Metric:
        """Return the metric with the arguments that it takes from all of the data, if any."""
        if self.name == "seuclidean" and "V" not in self.params:
            return replace(self, params={**self.params, "V": np.var(features, axis=0, ddof=1)})
        if self.name == "mahalanobis" and not {"V", "VI"} & set(self.params):
            inverse = np.linalg.inv(np.cov(features.T)).T
            return replace(self, params={**self.params, "VI": inverse})
        return self

    def between(self, A: Array, B: Array | None = None) -> Array:
        """Return the distances of the rows of `A` to those of `B`, or among each other."""
        from sklearn.metrics import pairwise_distances  # not cheap, and not for given distances

        if self.name in ("euclidean", "l2"):
            # scikit-learn's formula cancels where features are far from zero, as dates are
            centre = (A if B is None else B).mean(axis=0, dtype=np.float64).astype(A.dtype)
            A, B = A - centre, None if B is None else B - centre
        D = pairwise_distances(A, B, metric=self.name, **self.params)
        return np.asarray(D, dtype=A.dtype)


def distances_of(table: Table, metric: str) -> Array:
    """Return the distances of a file: those it holds, or those between its points by a metric."""
    if table.precomputed:
        return table.values
    return Metric(metric, {}).learnt(table.values).between(table.values)


def warn_of_distances(features: Array) -> None:
    """Warn where what is given as features looks like a table of distances."""
    n, m = features.shape
    if n == m > 1 and not np.diagonal(features).any() and np.array_equal(features, features.T):
        warn(
            "X looks like a table of distances (square, symmetric, zero diagonal), but is used as "
            "features; use metric='precomputed' if it is one",
            UserWarning,
        )
