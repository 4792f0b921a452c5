"""Input tables: arrays, lists, data frames with labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unimds._runtime.watch import warn
from unimds.distances.objects.taking import (
    check_one_table,
    kind_of,
    labelled,
    native,
    native_numbers,
    rows_to_points,
    uncondensed,
)
from unimds.distances.validate import check_square, check_weights

Array = NDArray[Any]

TABLE: dict[str, Any] = {
    "dtype": [np.float64, np.float32],
    "ensure_all_finite": False,  # a NaN is missing, and our own error says where an infinity is
    "ensure_min_features": 0,
}


def labels_of(X: Any, square: bool = False) -> Array | None:
    """Return the labels of the rows of a table, or None where points go by their number.

    Of a `square` table without labels of its rows, those of its columns count.
    """
    kind = kind_of(X)
    index = getattr(X, "index", None) if kind is None else kind.labels(X, square)
    if index is None or callable(index):
        return None
    labels = np.empty(len(index), dtype=object)  # numpy would turn dates into numbers
    labels[:] = list(index)
    return labels


def as_table(X: Any, square: bool = True) -> Any:
    """Return a table of distances that scikit-learn can read; its errors would not help."""
    X = native(X, "D", square)
    if hasattr(X, "loc") and np.ndim(X) == 1:
        raise ValueError(
            "a pandas Series has one dimension, and a table has two: for one point give a frame "
            "with one row, such as D.loc[['label']] or series.to_frame().T; for condensed "
            "distances, as scipy's pdist gives them, series.to_numpy()"
        )
    frame = X if hasattr(X, "loc") else None
    if frame is not None:
        check_unique(frame.columns, "the columns of D")
        frame = X = in_row_order(frame, "D") if square else frame
    if frame is not None or column_names(X) is None:  # scikit-learn reads other frames by itself
        X = as_float(X, "D")
    check_one_table(np.shape(X), "D")
    if square:
        X = uncondensed(X, "D")  # texts and lists are numbers only now
        _check(X, "D")
    # scikit-learn keeps the names of columns that are texts, and refuses a mixture
    if frame is None or not all(isinstance(name, str) for name in frame.columns):
        return X
    return type(frame)(X, index=frame.index, columns=frame.columns)


def check_unique(labels: Any, what: str) -> None:
    """Raise if a label stands for several points; the message names it."""
    if not labels.is_unique:
        label = labels[labels.duplicated()][0]
        raise ValueError(
            f"{what} have labels that are not unique: {label!r} stands there twice, and matching "
            "needs different ones. Rename them; or, if the order is right, give D.to_numpy()"
        )


def rows_by_label(table: Any, labels: Array, name: str) -> Any:
    """Bring labelled rows, one a point, in the order of the points."""
    if isinstance(table, Mapping):
        return table
    table = labelled(table, name, square=False)
    if not hasattr(table, "loc") or not table.index.is_unique:
        return table
    if set(table.index) != set(labels.tolist()):
        return table
    return in_rows(table, labels.tolist())


def column_names(table: Any) -> list[Any] | None:
    """Return the names of the columns of a frame: of pandas, polars or Arrow."""
    if not (hasattr(table, "loc") or hasattr(table, "select")):
        return None
    found = getattr(table, "column_names", getattr(table, "columns", None))
    return None if found is None else list(found)


def in_columns(table: Any, names: list[Any]) -> Any:
    """Return a frame with its columns in this order."""
    if column_names(table) == names:
        return table
    if not hasattr(table, "loc"):
        return table.select(names)
    return table.iloc[:, _places(table.columns, names)]


def in_rows(table: Any, labels: list[Any]) -> Any:
    """Return a frame of pandas with its rows in this order."""
    if list(table.index) == labels:
        return table
    return table.iloc[_places(table.index, labels)]


def _places(names: Any, wanted: list[Any]) -> list[int]:
    """Return where names are; pandas would take True and False for a choice of rows."""
    at = {name: i for i, name in enumerate(names)}
    return [at[name] for name in wanted]


def columns_by_label(table: Any, names: Array | None) -> Any:
    """Bring the columns of labelled distances in the order of the points that they lead to.

    Columns that have none of the names go by their place. Some of the names are not enough: a
    point that is not there, or is new, is an error.
    """
    wanted = _wanted_columns(table, names)
    return table if wanted is None else in_columns(table, wanted)


def weights_by_column(weights: Any, distances: Any, names: Array | None) -> Any:
    """Bring weights in the order in which `columns_by_label` brings distances.

    Weights with labels of their own go by these. Others belong to the distances as given, and
    their columns go where those of the distances go.
    """
    weights = rows_to_points(weights, "weights")
    wanted = _wanted_columns(weights, names)
    if wanted is not None:
        return in_columns(weights, wanted)
    wanted, table = _wanted_columns(distances, names), as_float(weights, "weights")
    if wanted is None or table.shape != np.shape(distances):
        return table  # another shape is refused where weights are checked
    return table[:, _places(column_names(distances), wanted)]


def _wanted_columns(table: Any, names: Array | None) -> list[Any] | None:
    """Return the names of the points in their order, if the columns of a table have these names."""
    columns = column_names(table)
    if names is None or columns is None:
        return None
    known, given = set(names.tolist()), set(columns)
    if not known & given or len(known) < len(names):
        return None
    if known == given:
        return list(names.tolist())
    odd = next((label for label in columns if label not in known), None)
    if odd is not None:
        raise ValueError(
            f"the column {odd!r} is not a point of the map; drop it: only distances to points of "
            "the map count"
        )
    lacking = next(label for label in names.tolist() if label not in given)
    raise ValueError(
        f"there is no column for {lacking!r}, a point of the map; add it, with NaN where the "
        "distance is not known"
    )


def by_number(fixed: Mapping[Any, Any], labels: Array | None) -> dict[Any, Any]:
    """Replace labels of points by their numbers."""
    if labels is None:
        return dict(fixed)
    names = labels.tolist()
    number = {label: i for i, label in enumerate(names)}
    counted = go_by_place(names)
    found: dict[Any, Any] = {}
    for label, point in fixed.items():
        if names.count(label) > 1:
            raise ValueError(f"fixed: the label {label!r} stands for {names.count(label)} points")
        if label not in number and not (counted and _is_whole(label)):
            raise ValueError(f"fixed: {label!r} is not among the labels of the table")
        found[number.get(label, label)] = point
    return found


def go_by_place(names: list[Any]) -> bool:
    """Whether a number that is no label is the place of a point.

    Where labels are whole numbers that do more than count, other numbers name nothing.

    Examples
    --------
    >>> go_by_place(["a", "b"]), go_by_place([0, 1]), go_by_place([2001, 2002])
    (True, True, False)
    """
    return names == list(range(len(names))) or not any(map(_is_whole, names))


def _is_whole(label: Any) -> bool:
    return isinstance(label, int | np.integer)


def as_float(values: ArrayLike, name: str) -> Array:
    """Return an array of float64, or float32 where it is that already; nothing is copied if so."""
    values = native_numbers(values, name)
    frame: Any = values
    columns = getattr(frame, "dtypes", None)
    if columns is not None and hasattr(columns, "items"):
        for at, (column, dtype) in enumerate(columns.items()):
            kind = getattr(dtype, "kind", "O")
            if kind in "cmM":
                raise ValueError(unreal_told(name, f"those of the column {column!r} are {dtype}"))
            if not (kind in "fiub" or _numeric(frame.iloc[:, at])):
                raise ValueError(_text_told(frame.iloc[:, at], column, name))
    if hasattr(columns, "items") and hasattr(values, "to_numpy") and np.ndim(values) == 2:
        values = values.to_numpy(dtype=_frame_dtype(columns), na_value=np.nan)
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError(f"{name} must be a table: its rows differ in length") from None
    if array.dtype.kind in "cmM":
        raise ValueError(unreal_told(name, f"their type is {array.dtype}"))
    if array.dtype == object or array.dtype.kind not in "fiub":
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            raise ValueError(f"{name} must hold numbers only: {error}") from None
    return array if array.dtype in (np.float32, np.float64) else array.astype(np.float64)


def unreal_told(name: str, told: str) -> str:
    """Return that dates, durations and complex numbers are no real numbers."""
    return f"{name} must hold real numbers, but {told}"


def _frame_dtype(columns: Any) -> type:
    return np.float32 if all(dtype == np.float32 for dtype in columns) else np.float64


def as_square(D: Any, name: str) -> Array:
    """Return a square table of distances, its columns in the order of its rows."""
    table = as_float(in_row_order(native(D, name), name), name)
    _check(table, name)
    return table


def in_row_order(table: Any, name: str) -> Any:
    """Return a labelled square table in the order of its rows; say so where its columns differ."""
    found = columns_as_rows(table)
    if found is not table:
        warn(
            f"the rows and the columns of {name} are in different orders; they are matched by "
            "label, and the points of the map are in the order of the rows",
            UserWarning,
        )
    return found


def _check(table: Any, name: str) -> None:
    check_one_table(np.shape(table), name)
    check_square(np.shape(table), name)


def columns_as_rows(table: Any) -> Any:
    """Return a labelled square table with its columns in the order of its rows."""
    columns, index = getattr(table, "columns", None), getattr(table, "index", None)
    if columns is None or index is None or len(columns) != len(index):
        return table
    if list(columns) == list(index) or not set(columns) & set(index):
        return table
    odd = [label for label in index if label not in set(columns)]
    if odd:
        other = next((label for label in columns if label not in set(index)), None)
        told = f"{odd[0]!r} is a row, but not a column"
        if other is not None:
            told = f"row {odd[0]!r}, column {other!r}"
        raise ValueError(
            f"the rows and columns of the table have different labels: {told}; correct the labels"
            f"{_union_told(index, columns)}"
        )
    check_unique(columns, "the columns of the table")
    check_unique(index, "the rows of the table")
    return in_columns(table, list(index))


def _union_told(index: Any, columns: Any) -> str:
    """Return how to make a square of a table of pairs that are listed once."""
    shared = len(set(index) & set(columns))
    if shared < len(index) - 1:
        return ""
    return (
        ", or, for pairs that are listed once, give all points a row and a column: "
        "labels = D.index.union(D.columns), D.reindex(index=labels, columns=labels)"
    )


def weights_by_label(weights: Any, labels: Array | None) -> Any:
    """Return the weights of a fit in the order of its points, if both have labels."""
    given = labelled(weights, "weights")
    if labels is None or not hasattr(given, "loc"):
        return given
    return reordered(given, labels.tolist())


def reordered(weights: Any, labels: Any) -> Any:
    """Return labelled weights with their rows in the order of the distances."""
    check_same_labels(weights.index, labels)
    return in_rows(weights, list(labels))


def check_same_labels(given: Any, labels: Any) -> None:
    """Raise where the rows of weights have labels, but not those of the distances.

    Of labels that occur more than once nobody knows which row is which, unless all rows are in the
    same order.
    """
    given, labels = list(given), list(labels)
    unique = len(set(given)) == len(given) == len(labels)
    if not (unique and set(given) == set(labels)) and given != labels:
        raise ValueError(
            "weights: the labels are not those of the distances; give them the same, each once or "
            "in the same order, or, if the order is right, weights.to_numpy()"
        )


def _text_told(column: Any, label: Any, name: str) -> str:
    """Return what to do about a column with text: some words among numbers, or words only."""
    words = [entry for entry in column if not _is_number(entry)]
    if 2 * len(words) < len(column):
        word = words[0]
        return (
            f"{name} has the text {word!r} in the column {label!r}: only numbers are distances. If "
            f"it stands for a distance that is not known, write NaN: {name}.replace({word!r}, "
            "numpy.nan).astype(float)"
        )
    return (
        f"{name} has a column of text, {label!r}: only numbers are distances; make it the index "
        "(df.set_index) or drop it"
    )


def _is_number(entry: Any) -> bool:
    try:
        float(entry)
    except (TypeError, ValueError):
        return False
    return True


def _numeric(column: Any) -> bool:
    try:
        column.astype(float)
    except (TypeError, ValueError):
        return False
    return True


def as_weights(weights: ArrayLike, n: int) -> Array:
    """Check the weights of all pairs of `n` points."""
    given = labelled(weights, "weights")
    if np.ndim(given) == 1 and len(given) == n * (n - 1) // 2 != n:  # 3 might be one a point
        given = uncondensed(given, "weights")
    W = as_float(columns_as_rows(given), "weights")
    if W.shape != (n, n):
        raise ValueError(f"weights must have the shape of the distances, {(n, n)}; got {W.shape}")
    check_weights(W)
    return W
