"""Totals among points and features, and marks of presence that count as words."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.watch import warn
from unimds.files.errors import FileWarning, shown
from unimds.files.table import Column, Table

Array = NDArray[np.floating[Any]]

TOTAL = 3
"""Rows and columns from which a sum of others is no chance."""
SAMPLE = 100
"""Rows that rule out most columns, so that a large table is not added up."""
ROUNDING = 1e-12
MARKS = frozenset("x+*✓✔•")
"""Signs of what is present, beside empty cells."""
TRUTHS = ({"true", "false"}, {"t", "f"})
"""Words of what is present and absent."""
NAMED = 3
"""Columns that a warning names."""


def warn_of_totals(name: str, table: Table) -> None:
    """Warn of a column, and of a row, that are the sums of the others.

    Parameters
    ----------
    name : str
        The file, as the user named it.
    table : Table
        What it holds.
    """
    if table.precomputed:
        return
    column, row = total_column(table.values), total_row(table.values)
    if column is not None:
        features = table.features
        called = f"number {column + 1}" if features is None else shown(features[column])
        told = (
            f"the column {called} is the sum of the other columns, and counts as much as they do "
            "together"
        )
        if features is None:
            warn(FileWarning(name, f"{told}; if it should not count, remove it", []), FileWarning)
        else:
            choice = "if it should not count", ("drop", features[column])
            warn(FileWarning(name, told, [choice]), FileWarning)
    if row is not None:
        called = f"number {row + 1}" if table.labels is None else shown(table.labels[row])
        told = f"the row {called} is the sum of the other rows; remove it if it is no point"
        warn(FileWarning(name, told, []), FileWarning)


def warn_of_marks(name: str, table: Table, dropped: Collection[str] = ()) -> None:
    """Warn of columns that mark what is present, and count as words beside columns of numbers.

    Parameters
    ----------
    name : str
        The file, as the user named it.
    table : Table
        What it holds.
    dropped : collection of str, default=()
        Columns that are meant not to count.
    """
    if table.precomputed:
        return
    found = [
        column
        for column, values in table.columns.items()
        if column not in dropped and marks_presence(values)
    ]
    if not found:
        return
    one = len(found) == 1
    rest = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
    told = (
        f"the column{'' if one else 's'} {', '.join(map(shown, found[:NAMED]))}{rest} "
        f"{'marks' if one else 'mark'} what is present, and {'does' if one else 'do'} not count: "
        "only numbers are features; if the marks should count, write 1 and 0 in their place"
    )
    choice = f"to keep {'it' if one else 'them'} as words", ("drop", found[0] if one else found)
    warn(FileWarning(name, told, [choice]), FileWarning)


def marks_presence(column: Column) -> bool:
    """Whether a column says what is present: by a mark in some of the cells, or as true and false.

    Examples
    --------
    >>> marks_presence(["x", "", "X"]), marks_presence(["TRUE", "FALSE"])
    (True, True)
    >>> marks_presence(["x", "x"]), marks_presence(["yes", "no"]), marks_presence(["x", "y", ""])
    (False, False, False)
    """
    if not isinstance(column, list):
        return False
    words = {word.strip().lower() for word in column}
    known = words - {""}
    return known in TRUTHS or ("" in words and len(known) == 1 and known <= MARKS)


def total_column(features: Array) -> int | None:
    """Return the column that is the sum of all other columns; None if there is none.

    Examples
    --------
    >>> total_column(np.array([[1, 2, 3], [4, 0, 4], [2, 2, 4]]))
    2
    """
    n, m = features.shape
    if n < TOTAL or m < TOTAL or (n > SAMPLE and not _sums(features[:SAMPLE]).any()):
        return None
    equal = _sums(features) & (features != 0.0).any(axis=0)
    return int(equal.argmax()) if equal.sum() == 1 else None


def total_row(features: Array) -> int | None:
    """Return the row that is the sum of all other rows; None if there is none.

    Examples
    --------
    >>> total_row(np.array([[1, 2, 3], [4, 0, 4], [5, 2, 7]]))
    2
    """
    return total_column(features.T)


def _sums(features: Array) -> NDArray[np.bool_]:
    """Return for each column whether it is the sum of all others."""
    with np.errstate(all="ignore"):  # infinite features get an error of their own
        double, sums = 2.0 * features, features.sum(axis=1, keepdims=True)
        scale = np.abs(features).sum(axis=1, keepdims=True)
        error = np.abs(double - sums)
        # an infinite error is no rounding, however large the numbers are
        return np.asarray(((error <= ROUNDING * scale) & (error < np.inf)).all(axis=0))
