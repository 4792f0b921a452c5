"""Columns to colour points by, in every form that users have them in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from unimds.distances.joining import Labels, joined

UNNAMED = "value"
"""Name of a column that has none."""


def named_columns(columns: Any, n: int, *labels: Labels) -> dict[str, Any]:
    """Return columns of n values each, by their names, in the order of the points.

    Parameters
    ----------
    columns : mapping, DataFrame, Series, one-dimensional array-like or None
        Columns with names, or a single column; a Series may have a name.
    n : int
        Number of points.
    *labels : sequences of labels, or None
        The labels of the points, as `unimds.distances.joining.joined` takes them.

    Returns
    -------
    dict of str to sequences

    Raises
    ------
    TypeError, ValueError
        If the columns have another form, or not one value for each point.

    Examples
    --------
    >>> named_columns(np.array([1.5, 2.5]), 2)
    {'value': array([1.5, 2.5])}
    """
    if columns is None:
        return {}
    if isinstance(columns, Mapping):
        labels = labels or (None,)
        each = {str(name): values for name, values in columns.items()}
        return {
            name: _checked(name, joined(values, f"column {name!r}", *labels), n)
            for name, values in each.items()
        }
    columns = joined(columns, "columns", *(labels or (None,)))
    if hasattr(columns, "items") and np.ndim(columns) == 2:
        return {str(name): _checked(str(name), values, n) for name, values in columns.items()}
    if not _is_column(columns):
        raise TypeError(
            f"columns must be a mapping of names to {n} values each, a DataFrame, a Series or a "
            f"one-dimensional array, not {_kind(columns)}"
        )
    name = getattr(columns, "name", None)
    name = UNNAMED if name is None else str(name)
    return {name: _checked(name, columns, n)}


def _checked(name: str, values: Any, n: int) -> Any:
    if not _is_column(values):
        raise TypeError(f"column {name!r} must hold {n} values, not {_kind(values)}")
    if len(values) != n:
        raise ValueError(f"column {name!r} has {len(values)} values, but the map has {n} points")
    return values


def _is_column(values: Any) -> bool:
    if isinstance(values, str | bytes | Mapping | set | frozenset) or not hasattr(
        values, "__len__"
    ):
        return False
    return getattr(values, "ndim", 1) == 1


def _kind(values: Any) -> str:
    """Say what a value is, for a message."""
    shape = getattr(values, "shape", None)
    kind = type(values).__name__
    return kind if shape is None else f"{kind} of shape {shape}"
