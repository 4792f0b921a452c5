"""Frames of features: text, missing values, and columns in another order."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds.distances.inputs import column_names, in_columns, unreal_told

Array = NDArray[Any]


def check_no_text(X: Any) -> None:
    """Raise if a column of a frame holds text, or if there is none."""
    types = getattr(X, "dtypes", None)
    if types is None or not hasattr(types, "items") or not hasattr(X, "loc"):
        return
    if not len(types):
        raise ValueError("X has no columns, and features are columns of numbers")
    if not X.columns.is_unique:
        twice = X.columns[X.columns.duplicated()][0]
        raise ValueError(f"X has several columns called {twice!r}: rename or drop them")
    for at, (column, dtype) in enumerate(types.items()):
        kind = getattr(dtype, "kind", "O")
        if kind in "fiub":
            continue
        if getattr(dtype, "name", "") == "category":
            raise ValueError(
                f"X has a column of categories, {column!r}, and features are numbers: drop the "
                "column (df.drop), or, if its numbers count, make it numbers (.astype(float))"
            )
        if kind in "cmM":
            told = f"those of the column {column!r} are {dtype}; drop it (df.drop)"
            raise ValueError(unreal_told("X", told))
        try:
            X.iloc[:, at].astype(float)
        except (TypeError, ValueError):
            raise ValueError(
                f"X has a column of text, {column!r}, and features are numbers: drop the column "
                "(df.drop), or make it the index if it names the points (df.set_index)"
            ) from None


def in_order(X: Any, names: Array | None) -> Any:
    """Return a frame with the columns that a map was fitted to, in their order.

    Examples
    --------
    >>> import pandas as pd
    >>> list(in_order(pd.DataFrame([[1, 2]], columns=["b", "a"]), np.array(["a", "b"])))
    ['a', 'b']
    """
    own = column_names(X)
    if names is None or own is None or len(set(own)) < len(own) or set(own) != set(names):
        return X
    return in_columns(X, list(names))


@contextmanager
def missing_told(X: Any) -> Iterator[None]:
    """Say which value is missing: scikit-learn recommends estimators for other tasks."""
    try:
        yield
    except ValueError as error:
        if "contains NaN" not in str(error):
            raise
        raise ValueError(
            f"X contains NaN{_first_missing(X)}, and features must be complete. If an empty cell "
            "means that nothing was found there, use X.fillna(0); otherwise drop the row or the "
            "column, or use metric='nan_euclidean'. In a table of distances, with "
            "metric='precomputed', NaN is a missing pair"
        ) from None


def _first_missing(X: Any) -> str:
    """Say where the first missing value is, if the table tells."""
    try:
        gaps = X.isna() if hasattr(X, "isna") else np.isnan(np.asarray(X, dtype=float))
        holes = np.argwhere(np.asarray(gaps))
    except (TypeError, ValueError):
        return ""
    if not len(holes):
        return ""
    i, j = holes[0]
    if hasattr(X, "loc"):
        return f" (row {X.index[i]!r}, column {X.columns[j]!r})"
    return f" (X[{i}, {j}])"
