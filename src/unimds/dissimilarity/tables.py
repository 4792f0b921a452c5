"""Tables of similarities and counts, checked; and the dissimilarities made of them, labelled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.watch import warn
from unimds.distances.inputs import as_float, in_row_order, labels_of
from unimds.distances.objects.taking import labelled
from unimds.distances.validate import EntryError

Array = NDArray[Any]
Formula = Callable[..., Array]


@final
@dataclass(frozen=True)
class Square:
    """A square table with a row and a column for each point.

    Attributes
    ----------
    values : ndarray of shape (n, n)
        The numbers, NaN where one is missing.
    name : str
        What the table is called in messages.
    frame : type or None
        The class of the data frame that it came as.
    labels : list or None
        The labels of the points, if it came as a frame.
    """

    values: Array
    name: str
    frame: Any = None
    labels: list[Any] | None = None

    @classmethod
    def of(cls, table: Any, name: str, make: str) -> Square:
        """Check a table; `make` says how to get a square one."""
        given = in_row_order(labelled(table, name), name)
        values = as_float(given, name).astype(np.float64)
        if values.ndim != 2 or values.shape[0] != values.shape[1]:
            raise ValueError(
                f"{name} must be a square table, with a row and a column for each point; its shape "
                f"is {values.shape}. {make}"
            )
        labels = labels_of(given) if hasattr(given, "loc") else None
        found = cls(
            values,
            name,
            None if labels is None else type(given),
            None if labels is None else labels.tolist(),
        )
        found.refuse(np.isinf(values), "is infinite: use NaN for a number that is not known")
        return found

    @property
    def own(self) -> NDArray[np.bool_]:
        """Where the table compares a point with itself."""
        return np.eye(len(self.values), dtype=bool)

    def refuse(self, wrong: Array, problem: str) -> None:
        """Raise if an entry is wrong; the message names the first."""
        if not wrong.any():
            return
        i, j = np.argwhere(wrong)[0]
        raise ValueError(
            EntryError(self.name, i, j, f"= {self.values[i, j]:g} {problem}").told(self.labels)
        )

    def refuse_point(self, wrong: Array, problem: str) -> None:
        """Raise if something is wrong with a point; the message names the first."""
        if wrong.any():
            i = int(np.argmax(wrong))
            point = f"point {i}" if self.labels is None else repr(self.labels[i])
            raise ValueError(f"{self.name}: {point} {problem}")

    def filled(self, D: Array, remedy: str) -> Any:
        """Return dissimilarities with 0 on the diagonal, as a frame if the table was one.

        What is infinite is missing; the warning ends with the remedy.
        """
        D = np.where(self.own, 0.0, D)
        lost = np.isinf(D)
        if lost.any():
            pairs = int(np.count_nonzero(np.triu(lost | lost.T, 1)))
            are = "1 pair is" if pairs == 1 else f"{pairs} pairs are"
            warn(
                f"{self.name}: {are} infinitely far apart, and left out (NaN); {remedy}",
                UserWarning,
            )
            D[lost] = np.nan
        if self.frame is None:
            return D
        return self.frame(D, index=self.labels, columns=self.labels)


def formula(methods: Mapping[str, Formula], method: str) -> Formula:
    """Return the formula of this name."""
    if method not in methods:
        names = ", ".join(map(repr, methods))
        raise ValueError(f"method={method!r} is not known: use one of {names}")
    return methods[method]


def both_ways(values: Array) -> Array:
    """Return the mean of a table and its transpose, or the one number that is known."""
    both = 0.5 * (values + values.T)
    return np.where(np.isnan(values), values.T, np.where(np.isnan(values.T), values, both))
