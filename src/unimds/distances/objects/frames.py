"""Frames without an index, as polars and Arrow have them, and the labelled arrays of xarray."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from unimds._runtime.extras import require
from unimds.distances.objects.kinds import Kind, has, is_of

NUMBERS = ("int", "uint", "float", "decimal", "double", "halffloat", "bool", "null")
"""How the types of columns of numbers begin, in lower case."""


@final
class Frame(Kind):
    """A frame of polars or Arrow. It has no index: a column of distinct texts names the points."""

    what = "a frame without an index"

    def matches(self, X: Any) -> bool:
        """Return whether this is a table of polars or Arrow."""
        return (is_of(X, "polars") or is_of(X, "pyarrow")) and has(X, "select", "schema", "shape")

    def labels(self, X: Any, square: bool) -> list[Any] | None:
        """Return the column of texts; or, of a square table, the names of its columns."""
        name = _column_of_labels(X)
        if name is not None:
            return _listed(X, name)
        names = _names(X)
        counted = all(name.removeprefix("column_").isdigit() for name in names)  # polars's own
        return names if square and len(names) == len(X) and not counted else None

    def columns(self, X: Any) -> list[Any]:
        """Return the names of all columns but that of the labels."""
        label = _column_of_labels(X)
        return [name for name in _names(X) if name != label]

    def distances(self, X: Any, name: str) -> Any:
        """Return the columns of numbers, in the order of the labels of a square table."""
        table = self.numbers(X, name)
        labels, columns = self.labels(X, False), _names(table)
        if labels is None or len(labels) != len(columns) or not set(labels) & set(columns):
            return table
        odd = next((label for label in labels if label not in set(columns)), None)
        if odd is not None:
            raise ValueError(
                f"the rows and columns of {name} have different labels: {odd!r} is a row, but not "
                "a column; correct the labels"
            )
        return table if labels == columns else table.select(labels)

    def numbers(self, X: Any, name: str) -> Any:
        """Return the frame without the column of labels."""
        label = _column_of_labels(X)
        odd = next((col for col in _names(X) if col != label and not _is_number(X, col)), None)
        if odd is not None:
            raise ValueError(
                f"{name} has a column that is not of numbers, {odd!r}: drop it ({name}.drop), or "
                "make it numbers. One column of distinct texts may name the points"
            )
        return X if label is None else X.select(self.columns(X))

    def in_pandas(self, X: Any) -> Any:
        """Return all columns but that of the labels, which are the index."""
        values = {name: _listed(X, name) for name in self.columns(X)}
        return require("pandas", "files").DataFrame(values, index=self.labels(X, False))


@final
class Column(Kind):
    """A column of polars or Arrow by itself."""

    what = "a column"

    def matches(self, X: Any) -> bool:
        """Return whether this is a list of values of polars or Arrow."""
        listed = has(X, "to_list") or has(X, "to_pylist")
        return listed and (is_of(X, "polars") or is_of(X, "pyarrow")) and not has(X, "select")

    def distances(self, X: Any, name: str) -> Any:
        """Return the numbers, which may be condensed distances."""
        return np.asarray(X)

    numbers = distances

    def in_pandas(self, X: Any) -> Any:
        """Return the values: a column has no labels, but may have a name."""
        values = X.to_pylist() if has(X, "to_pylist") else X.to_list()
        name = getattr(X, "name", None)
        return values if name is None else require("pandas", "files").Series(values, name=name)


@final
class Lazy(Kind):
    """A query of polars that has not been run."""

    what = "a LazyFrame of polars"

    def matches(self, X: Any) -> bool:
        """Return whether this is a query of polars."""
        return is_of(X, "polars") and has(X, "collect") and not has(X, "shape")

    def distances(self, X: Any, name: str) -> Any:
        """Refuse: a fit does not run queries."""
        raise TypeError(f"{name} is {self.what}, and a table is needed: give {name}.collect()")

    numbers = distances


@final
class XArray(Kind):
    """A DataArray of xarray: coordinates are labels."""

    what = "a DataArray of xarray"

    def matches(self, X: Any) -> bool:
        """Return whether this is an array with dimensions that have names."""
        return is_of(X, "xarray") and has(X, "dims", "coords", "ndim", "to_pandas")

    def labels(self, X: Any, square: bool) -> list[Any] | None:
        """Return the coordinates of the first dimension; of a square table, else of the second."""
        if X.ndim != 2:
            return None
        there = [dim for dim in (X.dims if square else X.dims[:1]) if dim in X.coords]
        return X.indexes[there[0]].tolist() if there else None

    def columns(self, X: Any) -> list[Any] | None:
        """Return the coordinates of the second dimension."""
        there = X.ndim == 2 and X.dims[1] in X.coords
        return X.indexes[X.dims[1]].tolist() if there else None

    def distances(self, X: Any, name: str) -> Any:
        """Return a frame if both dimensions have coordinates, so that columns can be matched."""
        if X.ndim == 2 and all(dim in X.coords for dim in X.dims):
            return X.to_pandas()
        return np.asarray(X.values)

    def numbers(self, X: Any, name: str) -> Any:
        """Return a frame if a dimension has coordinates."""
        if X.ndim == 2 and any(dim in X.coords for dim in X.dims):
            frame = X.to_pandas()
            return frame if X.dims[1] in X.coords else np.asarray(frame)
        return np.asarray(X.values)

    def in_pandas(self, X: Any) -> Any:
        """Return a Series of one dimension, and a frame of two."""
        return X.to_series() if X.ndim == 1 else X.to_pandas() if X.ndim == 2 else X.values


@final
class Dataset(Kind):
    """Several arrays of xarray."""

    what = "a Dataset of xarray, which holds several arrays"

    def matches(self, X: Any) -> bool:
        """Return whether this holds several arrays of xarray."""
        return is_of(X, "xarray") and has(X, "data_vars")

    def distances(self, X: Any, name: str) -> Any:
        """Refuse: nothing says which array is meant."""
        names = [repr(one) for one in list(X.data_vars)[:5]]
        example = names[0] if names else "'D'"
        raise TypeError(
            f"{name} is {self.what}, and a table is needed: give one of {', '.join(names)}, as in "
            f"ds[{example}]"
        )

    numbers = distances


def _names(X: Any) -> list[str]:
    names = list(X.column_names if hasattr(X, "column_names") else X.columns)
    if len(set(names)) < len(names):  # Arrow allows it
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"a table has several columns called {twice!r}: rename or drop them")
    return names


def _is_number(X: Any, name: str) -> bool:
    field = X.schema.field(name).type if hasattr(X.schema, "field") else X.schema[name]
    return str(field).lower().startswith(NUMBERS)


def _listed(X: Any, name: str) -> list[Any]:
    column = X[name]
    return list(column.to_pylist() if hasattr(column, "to_pylist") else column.to_list())


def _column_of_labels(X: Any) -> str | None:
    """Return the first column of distinct texts, as files are read."""
    for name in _names(X):
        if not _is_number(X, name):
            cells = _listed(X, name)
            if all(isinstance(cell, str) for cell in cells) and len(set(cells)) == len(cells):
                return name
    return None
