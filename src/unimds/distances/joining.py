"""Values for the points of a map, matched with the points by label."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from unimds._runtime.watch import warn
from unimds.distances.inputs import columns_as_rows, labels_of
from unimds.distances.objects.taking import in_pandas, kind_of

Labels = Iterable[Any] | None


def joined(values: Any, what: str, own: Labels, *given: Labels) -> Any:
    """Return values in the order of the points, if they have labels of their own.

    A Series or a frame is matched by its index, if this holds the labels of all points; it may have
    more rows. So is a frame of polars or Arrow by its column of labels, an array of xarray by its
    coordinates, and a dict by its keys. What is masked is None. A list or an array has no labels,
    nor has an index that only counts 0, 1, 2 and so on: these are in the order of the points
    already. If the points have no labels, an index of names is not silently ignored: a warning says
    that the order decides.

    Parameters
    ----------
    values : Series, DataFrame, mapping of labels to values, sequence or None
        The values.
    what : str
        What they are called in messages.
    own : sequence of labels, or None
        The labels of the points of the map.
    *given : sequences of labels, or None
        More labels of the points, given by hand; the first labels that match count.

    Returns
    -------
    The values, or a part of the Series or frame.

    Raises
    ------
    ValueError
        If rows are missing, or if a label has several rows.

    Examples
    --------
    >>> import pandas as pd
    >>> joined(pd.Series([10, 20, 30], ["a", "b", "c"]), "color", ["c", "a"]).tolist()
    [30, 10]
    """
    values = in_pandas(values)
    rows = labels_of(values) if hasattr(values, "iloc") else None
    if rows is None:
        return values
    index = rows.tolist()
    # rows that are only counted have no names, which somebody could have given to the points
    labels = (own,) if counts_rows(index) else (own, *given)
    known = [list(names) for names in labels if names is not None]
    if any(index == names for names in known):
        return values
    for names in known:
        if set(names) <= set(index):
            return values.iloc[_rows(names, index, what)]
    if counts_rows(index) or all(map(counts_rows, known)):
        _warn_of_order(index, what)
        return values
    for names in known:  # a saved model has its labels as text
        texts = list(map(str, names))
        if set(texts) <= set(map(str, index)):
            return values.iloc[_rows(texts, list(map(str, index)), what)]
    _check_foreign(values, index, next((n for n in known if set(n) & set(index)), known[0]), what)
    return values


def joined_table(D: Any, labels: Labels, what: str = "D") -> Any:
    """Return a table of pairs with its rows and columns in the order of the points."""
    if labels is None:  # a table is the input of a map, in the order of its points
        return D
    kind = kind_of(D)
    own = None if kind is None else kind.labels(D, True)
    if kind is not None and own is not None:
        return in_order(columns_as_rows(kind.distances(D, what)), own, list(labels))
    rows = joined(D, what, labels)
    if rows is D or not hasattr(D, "columns"):
        return D
    found = labels_of(rows)
    names = [] if found is None else found.tolist()
    return rows[names] if set(names) <= set(D.columns) and D.columns.is_unique else rows


def rows_as(labels: Labels, own: Labels, what: str) -> Any:
    """Return the rows of a map in the order of another one: by label, if both have labels.

    Parameters
    ----------
    labels : sequence of labels, or None
        The labels of the points that decide the order.
    own : sequence of labels, or None
        Those of the map.
    what : str
        What the map is called in messages.

    Returns
    -------
    What to index the rows by.

    Examples
    --------
    >>> rows_as(["a", "b", "c"], ["c", "a", "b"], "map 2"), rows_as(["a", "b"], None, "map 2")
    ([1, 2, 0], slice(None, None, None))
    """
    if labels is None or own is None:
        return slice(None)
    wanted, names = list(labels), list(own)
    if wanted == names or counts_rows(wanted) or counts_rows(names):
        return slice(None)
    wanted, names = list(map(str, wanted)), list(map(str, names))  # a saved model has texts
    if not set(wanted) <= set(names):
        _check_foreign(names, names, wanted, what)
        return slice(None)
    return _rows(wanted, names, what)


def in_order(D: Any, own: list[Any], labels: list[Any]) -> Any:
    """Return a square table in the order of the labels, if these are its own."""
    if own == labels or set(own) != set(labels) or len(set(own)) < len(own):
        return D
    at = [own.index(label) for label in labels]
    return np.asarray(D)[np.ix_(at, at)]


def counts_rows(labels: Sequence[Any]) -> bool:
    """Whether labels are the numbers 0, 1, 2 and so on, which pandas gives to rows without names.

    Examples
    --------
    >>> counts_rows([0, 1, 2]), counts_rows(["a", "b"]), counts_rows([1, 0])
    (True, False, False)
    """
    return all(isinstance(label, int) and label == i for i, label in enumerate(labels))


def _rows(names: list[Any], index: list[Any], what: str) -> list[int]:
    row = {label: i for i, label in enumerate(index)}
    if len(row) < len(index):
        count = Counter(index)
        twice = next((name for name in names if count[name] > 1), None)
        if twice is not None:
            raise ValueError(
                f"{what} has {count[twice]} rows for {twice!r}; a point of the map needs one row"
            )
    return [row[name] for name in names]


def _warn_of_order(index: list[Any], what: str) -> None:
    """Warn of names that no label of the map can be matched with; numbers may be rows of a part."""
    if all(isinstance(label, int | np.integer) for label in index):
        return
    warn(
        f"{what} has labels, such as {index[0]!r}, and the map has none: the values are taken in "
        "the order of the points. Fit the map to a data frame with these labels, or give labels=; "
        f"if the order is right, give {what} as an array (.to_numpy())",
        UserWarning,
    )


def _check_foreign(values: Any, index: list[Any], names: list[Any], what: str) -> None:
    """Raise, or warn, if labels are not those of the map."""
    known = set(index)
    missing = [name for name in names if name not in known]
    if len(missing) == len(names) == len(values):
        warn(
            f"the labels of {what}, such as {index[0]!r}, are not those of the map, such as "
            f"{names[0]!r}; the rows are taken in the order of the points. Give {what} the labels "
            "of the map to match them by label",
            UserWarning,
        )
        return
    more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
    raise ValueError(
        f"{what} has no row for {missing[0]!r}{more} of the {len(names)} points of the map; add "
        f"{'the rows' if more else 'a row'}, or give values without labels in the order of the "
        "points"
    )
