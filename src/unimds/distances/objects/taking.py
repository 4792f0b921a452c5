"""The one place where an object of another package becomes a table that NumPy or pandas knows."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from unimds._runtime.extras import require
from unimds.distances.objects.frames import Column, Dataset, Frame, Lazy, XArray
from unimds.distances.objects.graphs import GRAPHS
from unimds.distances.objects.kinds import DEFAULT, Kind
from unimds.distances.objects.squares import (
    Cells,
    DistanceMatrix,
    FileTable,
    Listed,
    Sparse,
    Tree,
    spread,
)
from unimds.files.errors import stack_told
from unimds.files.meaning.squares import is_condensed

KINDS: tuple[Kind, ...] = (
    *GRAPHS,
    DistanceMatrix(),
    Tree(),
    FileTable(),
    Lazy(),
    Frame(),
    Column(),
    XArray(),
    Dataset(),
    Cells(),
    Sparse(),
    Listed(),
)
"""The objects that are known."""


def kind_of(X: Any) -> Kind | None:
    """Return what kind of object this is; None for arrays, lists, pandas and all others."""
    if X is None or isinstance(X, np.ndarray | list | tuple | str):
        return None
    return next((kind for kind in KINDS if kind.matches(X)), None)


def metric_for(X: Any, metric: Any) -> Any:
    """Return the metric of a fit: "precomputed" for an object that can only hold distances.

    Such an object needs no metric, and "euclidean", which is the default, is not used. Any other
    metric contradicts it.
    """
    kind = kind_of(X)
    if kind is None or not kind.holds_distances(X):
        return metric
    if not isinstance(metric, str) or metric not in ("precomputed", DEFAULT):
        raise ValueError(
            f"X is {kind.what}, which holds distances, and metric={metric!r} measures features: "
            "leave metric out, or write metric='precomputed'"
        )
    return "precomputed"


def native(X: Any, name: str, square: bool = True) -> Any:
    """Return a table of distances that NumPy or pandas knows; raise where it is none.

    If it must be `square`, a condensed vector, as SciPy's pdist returns it, becomes a square.
    """
    _check_no_name(X, name)
    kind = kind_of(X)
    X = X if kind is None else kind.distances(X, name)
    if isinstance(X, np.ndarray) and X.ndim == 2:
        return X
    check_one_table(_shape(X), name)
    return uncondensed(X, name) if square else X


def native_numbers(X: Any, name: str, absent: float = 0.0) -> Any:
    """Return numbers that NumPy or pandas knows, as they stand; raise where they are none.

    What is masked is missing, and `absent` is what a sparse matrix does not store.
    """
    if isinstance(X, np.ma.MaskedArray):
        real = X.dtype.kind in "fiub"  # what else there is, is refused where numbers are read
        return np.ma.filled(X.astype(np.float64 if real else object), np.nan)
    kind = kind_of(X)
    if isinstance(kind, Sparse):
        return spread(X, absent)
    return X if kind is None else kind.numbers(X, name)


def labelled(X: Any, name: str, square: bool = True, absent: float = 0.0) -> Any:
    """Return numbers as they stand: with the labels of their rows, in a frame of pandas.

    An object without labels stays an array. The rows of a `square` table may be labelled by its
    columns, and its columns by its rows. `absent` is what a sparse matrix does not store.
    """
    kind, table = kind_of(X), native_numbers(X, name, absent)
    labels = None if kind is None else kind.labels(X, square)
    if kind is None or labels is None:
        return table
    return _frame(table, labels, _columns(kind, X, table, square))


def rows_to_points(X: Any, name: str) -> Any:
    """Return distances to the points of a map, in a frame if the columns name these points."""
    kind, table = kind_of(X), native(X, name, square=False)
    if kind is None or hasattr(table, "columns") or np.ndim(table) != 2:
        return table
    names = _columns(kind, X, table, square=True)
    return table if names is None else _frame(table, None, names)


def in_pandas(values: Any) -> Any:
    """Return values for points, words too, with their labels, in a frame or a Series of pandas.

    What is masked is None. What has no labels stays what it is.
    """
    if isinstance(values, np.ma.MaskedArray):
        found = values.data.astype(object)
        found[np.ma.getmaskarray(values)] = None
        return found
    kind = kind_of(values)
    return values if kind is None else kind.in_pandas(values)


def _columns(kind: Kind, X: Any, table: Any, square: bool) -> list[Any] | None:
    """Return the names of the columns of a table; of a square one, else the labels of its rows."""
    rows, wide = np.shape(table)
    names = kind.columns(X)
    return kind.labels(X, True) if names is None and square and rows == wide else names


def _frame(table: Any, labels: list[Any] | None, names: list[Any] | None) -> Any:
    pandas = require("pandas", "files")
    # labels that are tuples are labels, not levels
    both = (
        None if one is None else pandas.Index(one, tupleize_cols=False) for one in (labels, names)
    )
    return pandas.DataFrame(np.asarray(table), *both)


def dense_or_sparse(X: Any) -> Any:
    """Return features that scikit-learn can read, a sparse matrix as it is."""
    return X if isinstance(kind_of(X), Sparse) else native_numbers(X, "X")


def native_features(X: Any) -> Any:
    """Return features that scikit-learn can read; raise where they are none."""
    _check_no_name(X, "X")
    X = native_numbers(X, "X")
    shape = _shape(X)
    if len(shape) == 3 and shape[0] > 1:
        count = shape[0]
        raise ValueError(
            f"X has three dimensions, {' × '.join(map(str, shape))}, and a table of features has "
            f"two, one row a point: for {count} points write numpy.reshape(X, ({count}, -1)); of "
            f"{count} tables of distances give the mean, numpy.nanmean(X, axis=0), with "
            "metric='precomputed', or map each table by itself"
        )
    return X


def _check_no_name(X: Any, name: str) -> None:
    """Refuse the name of a file, and say how to read it."""
    if isinstance(X, str | os.PathLike):
        file = os.fspath(X)
        raise TypeError(
            f"{name} is a name, {file!r}, and a table is needed: if it is that of a file, read it, "
            f"with unimds.files.read({file!r})"
        )


def uncondensed(X: Any, name: str) -> Any:
    """Return the square of a condensed vector; anything else as it is."""
    shape = _shape(X)
    if not isinstance(X, np.ndarray | list | tuple) or len(shape) != 1 or shape[0] < 2:
        return X
    if not is_condensed(shape[0]):
        raise ValueError(
            f"{name} must be a square table of distances, but has one dimension and {shape[0]} "
            "numbers; a condensed vector, as scipy's pdist gives it, has n(n−1)/2 of them for n "
            "points"
        )
    from scipy.spatial.distance import squareform  # slow to import, and rarely needed

    if isinstance(X, np.ma.MaskedArray):
        X = np.ma.filled(X.astype(np.float64), np.nan)
    vector = np.asarray(X)
    return squareform(vector, checks=False) if vector.dtype.kind in "fiub" else X


def dimensions(X: Any) -> int:
    """Return how many dimensions data have; an object that holds distances is a table."""
    kind = kind_of(X)
    return 2 if kind is not None and kind.holds_distances(X) else np.ndim(X)


def check_one_table(shape: tuple[int, ...], name: str) -> None:
    """Refuse a stack of tables, and say how to make one table of it."""
    if len(shape) == 3 and min(shape) > 1:
        raise ValueError(f"{name} {stack_told(shape, name)}")


def _shape(X: Any) -> tuple[int, ...]:
    """Return the shape of an array, or of nested lists as their first entries have it."""
    if isinstance(X, list | tuple):
        return (len(X), *(_shape(X[0]) if X else ()))
    shape = getattr(X, "shape", ())
    return shape if isinstance(shape, tuple) else ()
