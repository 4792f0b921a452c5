"""Where the distances of very many points come from: some at a time, never all of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds.distances.metric import Metric

Array = NDArray[Any]


class Source(ABC):
    """Distances between n points, computed or read when they are asked for.

    Attributes
    ----------
    n : int
        Number of points.
    dtype : dtype
        Precision of the distances.
    """

    n: int
    dtype: np.dtype[Any]

    def between(self, rows: Array | slice, columns: Array) -> Array:
        """Return the distances of some points to some others; NaN where one is missing.

        A point has no distance to itself: that is missing too. What is read is checked, and
        nothing else is.
        """
        D = self._read(rows, columns)
        low, high = np.fmin.reduce(D, axis=None), np.fmax.reduce(D, axis=None)
        if low < 0.0 or high == np.inf:
            self._refuse(D, rows, columns)
        if isinstance(rows, slice):
            own = np.flatnonzero((columns >= rows.start) & (columns < rows.stop))
            D[columns[own] - rows.start, own] = np.nan
        else:
            D[rows[:, None] == columns] = np.nan
        return D

    def square(self, index: Array) -> Array:
        """Return the table of distances between some points, with its diagonal of zeros."""
        D = self.between(index, index)
        np.fill_diagonal(D, 0.0)
        return D

    def _refuse(self, D: Array, rows: Array | slice, columns: Array) -> None:
        i, j = np.argwhere((D < 0.0) | np.isinf(D))[0]
        entry = self._entry(np.arange(self.n)[rows][i], columns[j])
        what, remedy = (
            ("negative", "distances must be zero or more")
            if D[i, j] < 0.0
            else ("infinite", "use NaN for a pair whose distance is not known")
        )
        raise ValueError(f"{entry} = {D[i, j]:g} is {what}: {remedy}")

    @abstractmethod
    def number(self, point: int) -> int:
        """Return the number of a point among those that were given."""

    @abstractmethod
    def _entry(self, row: int, column: int) -> str:
        """Return what the distance of two points is called in an error."""

    @abstractmethod
    def on(self, index: Array) -> Source:
        """Return the distances between some of the points."""

    @abstractmethod
    def _read(self, rows: Array | slice, columns: Array) -> Array:
        """Return a new array of distances, row by row in memory."""


class Features(Source):
    """Distances by a metric between rows of features, which may be a file that is mapped."""

    def __init__(self, X: Array, metric: Metric, numbers: Array | None = None):
        self.n, self.dtype = len(X), X.dtype
        self.X, self.metric, self.numbers = X, metric, numbers

    def on(self, index: Array) -> Features:
        """Return the distances between some of the points; their features are copied."""
        return Features(self.X[index], self.metric, index)

    def number(self, point: int) -> int:
        """Return the number of a point among those that were given."""
        return point if self.numbers is None else int(self.numbers[point])

    def _entry(self, row: int, column: int) -> str:
        row, column = self.number(row), self.number(column)
        return f"the distance of X[{row}] and X[{column}] by metric={self.metric.name!r}"

    def _read(self, rows: Array | slice, columns: Array) -> Array:
        D = self.metric.between(self.X[rows], self.X[columns])
        return np.require(D, requirements=["C", "W"])


class Table(Source):
    """A symmetric table of distances, which may be a file that is mapped.

    Of the points `rows` the entries ``D[columns, rows]`` are read: a run of points is then a run of
    memory.
    """

    def __init__(self, D: Array, index: Array | None = None):
        self.D, self.index = D, index
        self.n, self.dtype = len(D if index is None else index), D.dtype

    def on(self, index: Array) -> Table:
        """Return the distances between some of the points; nothing is copied."""
        return Table(self.D, index)

    def number(self, point: int) -> int:
        """Return the number of a point among those that were given."""
        return point if self.index is None else int(self.index[point])

    def _entry(self, row: int, column: int) -> str:
        return f"D[{self.number(column)}, {self.number(row)}]"

    def square(self, index: Array) -> Array:
        """Return the table between some points; raise where it is not symmetric, or no distance."""
        self._check_symmetric(index)
        return super().square(index)

    def _check_symmetric(self, index: Array) -> None:
        D = self._read(index, index)
        allowed = (1e-5 if self.dtype == np.float32 else 1e-8) * np.fmax.reduce(D, axis=None)
        own = np.flatnonzero(np.abs(np.diagonal(D)) > allowed)
        if own.size:
            i = index[own[0]]
            raise ValueError(
                f"D[{i}, {i}] = {self.D[i, i]:g}, but the distance of a point to itself is 0; "
                "is D a table of similarities?"
            )
        odd = np.argwhere(np.abs(D - D.T) > allowed)
        if odd.size:
            i, j = index[odd[0]]
            raise ValueError(
                f"D[{i}, {j}] = {self.D[i, j]:g}, but D[{j}, {i}] = {self.D[j, i]:g}: landmarks "
                "need a symmetric table; use MDS, which takes both directions, or (D + D.T) / 2"
            )

    def _read(self, rows: Array | slice, columns: Array) -> Array:
        if self.index is not None:
            rows, columns = self.index[rows], self.index[columns]
        if isinstance(rows, slice):
            return np.array(self.D[columns, rows].T, order="C")
        return np.array(self.D[np.ix_(columns, rows)].T, order="C")
