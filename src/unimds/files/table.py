"""The table that a file holds."""

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
"""What a table may hold."""

COORDINATES = ("x", "y", "z")


@final
@dataclass(frozen=True, eq=False)
class Table:
    """A table of distances or of points, with everything else that the file says.

    Attributes
    ----------
    values : ndarray of shape (n, n), or (n, m) for points
        Distances, NaN where missing; or the features of points. float32 if the file holds float32,
        else float64.
    kind : {"distances", "points", "pairs", "graph"}
        What the file lists: all distances, points, some pairs, or edges. Pairs and edges have
        become distances in `values`.
    format : str
        How the file is written, one of `unimds.files.FORMATS`.
    layout : str
        How the file is laid out: "square", "lower triangle", "upper triangle", "condensed",
        "rows", "list".
    labels : list of str, or None
        Names of the points.
    weights : ndarray of shape (n, n), or None
        Weights of the pairs; 0 for a pair that is not listed.
    features : list of str, or None
        Names of the columns of the points.
    columns : mapping of str to list of str
        Columns of points that are not numbers, such as a class.

    Examples
    --------
    >>> table = Table(np.array([[0.0, 0.0], [3.0, 4.0]]), "points", "csv", "rows")
    >>> table.n, table.precomputed
    (2, False)
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

    def to_frame(self) -> Any:
        """Return a pandas data frame with the labels as its index, which `unimds.MDS` accepts."""
        columns = self.labels if self.precomputed else self.features
        return require("pandas", "files").DataFrame(self.values, index=self.labels, columns=columns)


def coordinate_names(k: int) -> list[str]:
    """Return the names of the coordinates of a map.

    Examples
    --------
    >>> coordinate_names(2), coordinate_names(4)
    (['x', 'y'], ['x1', 'x2', 'x3', 'x4'])
    """
    return list(COORDINATES[:k]) if k <= len(COORDINATES) else [f"x{i + 1}" for i in range(k)]
