"""What a file holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.extras import require

Array = NDArray[np.floating[Any]]
Kind = Literal["distances", "points", "pairs", "graph"]

KINDS: tuple[Kind, ...] = ("distances", "points", "pairs", "graph")
"""What a table may be."""


@final
@dataclass(frozen=True, eq=False)
class Table:
    """A table of distances or of points, with what the file says about it.

    Attributes
    ----------
    values : ndarray of shape (n, n), or (n, m) for points
        Distances, NaN where missing; or the features of points. float32 where the file holds
        that, else float64.
    kind : {"distances", "points", "pairs", "graph"}
        What the file lists: all distances, points, some pairs, or edges. All but points are
        distances by now.
    format : str
        How it is written, one of `unimds.files.FORMATS`.
    layout : str
        How it is laid out: "square", "lower triangle", "upper triangle", "condensed", "rows",
        "list".
    labels : list of str, or None
        Names of the points.
    weights : ndarray of shape (n, n), or None
        Weights of the pairs; 0 for a pair that is not there.
    features : list of str, or None
        Names of the columns of the points.
    columns : mapping of str to list of str
        Columns of points that are no numbers, such as a class.

    Examples
    --------
    >>> table = Table(np.array([[0.0, 0.0], [3.0, 4.0]]), "points", "csv", "rows")
    >>> table.n, table.precomputed, table.distances().tolist()
    (2, False, [[0.0, 5.0], [5.0, 0.0]])
    """

    values: Array
    kind: Kind
    format: str
    layout: str
    labels: list[str] | None = None
    weights: Array | None = None
    features: list[str] | None = None
    columns: Mapping[str, list[str]] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """Number of points."""
        return len(self.values)

    @property
    def precomputed(self) -> bool:
        """Whether the values are distances."""
        return self.kind != "points"

    def distances(self, metric: str = "euclidean", **params: Any) -> Array:
        """Return the distances: those of the file, or those of the points by a metric.

        Parameters
        ----------
        metric : str, default="euclidean"
            As in `sklearn.metrics.pairwise_distances`; unused where the file holds distances.
        **params
            Further arguments of the metric.

        Returns
        -------
        ndarray of shape (n, n)
        """
        if self.precomputed:
            return self.values
        from sklearn.metrics import pairwise_distances  # a second to import: not to read a file

        found: Array = pairwise_distances(self.values, metric=metric, **params)
        return found

    def to_frame(self) -> Any:
        """Return a pandas data frame, its index the labels, which `unimds.MDS` takes as it is."""
        columns = self.labels if self.precomputed else self.features
        return require("pandas", "files").DataFrame(self.values, index=self.labels, columns=columns)
