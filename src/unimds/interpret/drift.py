"""The asymmetry of a table, as an arrow on each point of its map."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.extras import require
from unimds.distances.inputs import as_square
from unimds.distances.joining import joined_table
from unimds.interpret.maps import axes_of, flat_map, in_columns
from unimds.placecenter.result import names_of, with_distances
from unimds.spaces.base import Space

Array = NDArray[Any]


@final
@dataclass(frozen=True, eq=False)
class Drift:
    """The asymmetry of a table on its map.

    Attributes
    ----------
    points : ndarray of shape (n, k)
        The map.
    vectors : ndarray of shape (n, k)
        The arrow of each point, in the unit of the table.
    skew : ndarray of shape (n, n)
        The skew-symmetric part of the table, ½(D − Dᵀ); NaN where one direction is missing.
    share : float
        Its share of the sum of squares of the table: 0 if the table is symmetric.
    labels : list or None
        The labels of the points.
    """

    points: Array
    vectors: Array
    skew: Array
    share: float
    labels: list[Any] | None

    @property
    def lengths(self) -> Array:
        """The length of each arrow."""
        return np.asarray(np.linalg.norm(self.vectors, axis=1))

    def __repr__(self) -> str:
        """Return the share of the asymmetry, and the longest arrows."""
        most = np.argsort(-self.lengths, kind="stable")[:5]
        names = range(len(self.points)) if self.labels is None else self.labels
        rows = [
            [str(names[i]), *(f"{x:.4g}" for x in self.vectors[i]), f"{self.lengths[i]:.4g}"]
            for i in most
        ]
        table = in_columns([["drift of", *axes_of(self.points.shape[1]), "length"], *rows])
        return f"{self.share:.1%} of the sum of squares is asymmetric.\n\n{table}"

    def to_frame(self) -> Any:
        """Return a data frame with the place, the arrow and its length for each point."""
        frame = require("pandas", "files").DataFrame(list(self.rows()))
        return frame if self.labels is None else frame.set_index("label")

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield what `to_frame` shows, row by row."""
        axes = axes_of(self.points.shape[1])
        for i, length in enumerate(self.lengths):
            label = {} if self.labels is None else {"label": self.labels[i]}
            place = dict(zip(axes, map(float, self.points[i]), strict=True))
            drift = {f"{a}_drift": float(v) for a, v in zip(axes, self.vectors[i], strict=True)}
            yield {**label, **place, **drift, "length": float(length)}


def drift_vectors(D: Any, X: Any = None, *, space: str | Space | None = None) -> Drift:
    r"""Return the asymmetry of a table of dissimilarities as arrows on its map.

    A map shows the symmetric part of a table. What is left, :math:`n_{ij} = (d_{ij} - d_{ji})/2`,
    draws each point towards those that it is nearer to than they are to it: the arrow of i is the
    mean over j of :math:`-n_{ij}` times the unit vector from i to j. Arrows that agree show where
    things move to: prices from hill to valley, answers towards a favourite, migration to a city.

    Parameters
    ----------
    D : array-like or DataFrame of shape (n, n), or fitted estimator
        Dissimilarities, from the points of the rows to those of the columns. Of similarities or
        flows make dissimilarities first, with `unimds.dissimilarity`. A pair known one way only
        does not count. An estimator alone has the table that it was fitted to.
    X : array-like or DataFrame of shape (n, k), Result or fitted estimator
        A map in Euclidean space.
    space : str or Space, default=None
        The space of the map; by default that of the result or estimator, or Euclidean.

    Returns
    -------
    Drift

    Notes
    -----
    smacof's ``driftVectors`` makes the arrows n times as long, for its normalised maps.

    References
    ----------
    I. Borg and P. Groenen, *Modern Multidimensional Scaling*, chapter 23.

    Examples
    --------
    From the first point to the second it is shorter than back:

    >>> drift_vectors([[0, 2], [4, 0]], [[0.0, 0.0], [3.0, 0.0]]).vectors
    array([[1., 0.],
           [1., 0.]])
    """
    D, X = with_distances(D, X)
    points, labels = flat_map(X, space, "drift vectors")
    given = as_square(joined_table(D, names_of(X)), "D").astype(np.float64)
    if len(given) != len(points):
        raise ValueError(f"the map has {len(points)} points, and the table {len(given)}")
    skew = 0.5 * (given - given.T)
    apart = points[None] - points[:, None]  # from i to j
    length = np.linalg.norm(apart, axis=2)
    known = ~np.isnan(skew) & (length > 0.0)
    pull = np.where(known, -skew, 0.0) / np.where(length > 0.0, length, 1.0)
    count = np.maximum(known.sum(axis=1), 1)
    vectors = np.einsum("ij,ija->ia", pull, apart) / count[:, None]
    return Drift(points, vectors, skew, _share(given, skew), labels)


def _share(given: Array, skew: Array) -> float:
    known = ~np.isnan(skew) & ~np.eye(len(given), dtype=bool)
    whole = float(np.sum(given[known] ** 2))
    return float(np.sum(skew[known] ** 2)) / whole if whole > 0.0 else 0.0
