"""Tables as estimators are given them: data frames with labels, Dask's collections, lists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds.distances.pairs import aligned, as_float
from unimds.distances.table import is_dask

Array = NDArray[Any]

TABLE: dict[str, Any] = {
    "dtype": [np.float64, np.float32],
    "ensure_all_finite": False,  # a NaN is missing, and our own error says where an infinity is
    "ensure_min_features": 0,
}


def here(X: Any) -> Any:
    """Return one of Dask's collections as what it stands for, in memory."""
    return X.compute() if is_dask(X) else X


def labels_of(X: Any) -> Array | None:
    """Return the labels of the rows of a frame, or None where points go by their number."""
    if is_dask(X):
        return None  # on a cluster points go by their number
    index = getattr(X, "index", None)
    if index is None or callable(index):
        return None
    labels = np.empty(len(index), dtype=object)  # numpy would turn dates into numbers
    labels[:] = list(index)
    return labels


def as_table(X: Any, square: bool = True) -> Any:
    """Return a table of distances that scikit-learn can read; its errors would not help."""
    if isinstance(X, list | tuple | np.ma.MaskedArray):
        X = as_float(X, "D")
    if square and np.ndim(X) == 1 and len(X) > 1:
        raise ValueError(
            "D must be a square table of distances, but has one dimension; if they are condensed, "
            "as scipy's pdist gives them, use scipy.spatial.distance.squareform"
        )
    if hasattr(X, "loc"):  # a pandas frame
        if not X.columns.is_unique:
            raise ValueError(
                "the columns of the table of distances have labels that are not unique"
            )
        X = aligned(X) if square else X
        return type(X)(as_float(X, "D"), index=X.index, columns=X.columns)
    return X


def rows_by_label(table: Any, labels: Array) -> Any:
    """Bring labelled rows, one a point, in the order of the points."""
    if not hasattr(table, "loc") or set(table.index) != set(labels.tolist()):
        return table
    return table.loc[labels.tolist()]


def by_number(fixed: Mapping[Any, Any], labels: Array | None) -> dict[Any, Any]:
    """Replace labels of points by their numbers."""
    if labels is None:
        return dict(fixed)
    names = labels.tolist()
    number = {label: i for i, label in enumerate(names)}
    found: dict[Any, Any] = {}
    for label, point in fixed.items():
        if names.count(label) > 1:
            raise ValueError(f"fixed: the label {label!r} stands for {names.count(label)} points")
        if label not in number and not isinstance(label, int | np.integer):
            raise ValueError(f"fixed: {label!r} is not among the labels of the table")
        found[number.get(label, label)] = point
    return found
