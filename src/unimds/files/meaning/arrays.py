"""What arrays mean: a condensed vector, a square of distances, or points."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds.files.errors import stack_told
from unimds.files.formats.arrays import read_npy, read_npz
from unimds.files.formats.content import Content
from unimds.files.meaning.matrices import assemble, condensed
from unimds.files.meaning.squares import is_condensed
from unimds.files.table import Table

Array = NDArray[Any]

NAMES = {
    "distances": ("D", "distances", "dissimilarities"),
    "points": ("X", "points", "features", "embedding"),
    "labels": ("labels", "names"),
    "weights": ("weights", "W"),
}
"""What arrays in an NPZ file may be called."""
COORDINATES = "coordinates"
"""Texts of this name, which `unimds.files.write` writes, name the columns of points."""


def from_npy(content: Content, kind: str, weight: str = "auto") -> Table:
    """Make a table of one array; `weight` says what the numbers of an adjacency matrix are."""
    return table_of_array(content, read_npy(content), kind, "npy", weight=weight)


def from_npz(content: Content, kind: str, weight: str = "auto") -> Table:
    """Make a table of named arrays, or of the only array."""
    arrays = read_npz(content)
    found = {
        what: next((arrays.pop(name) for name in names if name in arrays), None)
        for what, names in NAMES.items()
    }
    values = found["points"] if found["distances"] is None else found["distances"]
    if values is not None and kind == "auto":
        kind = "points" if found["distances"] is None else "distances"
    elif values is None and len(arrays) == 1:
        values = next(iter(arrays.values()))
    if values is None:
        raise content.error(
            f"holds the arrays {', '.join(map(repr, arrays)) or '(none)'}; one array must be "
            "called 'distances' or 'points', or be the only one"
        )
    names = _texts(arrays[COORDINATES]) if _is_text(arrays.get(COORDINATES)) else None
    labels, weights = found["labels"], found["weights"]
    return table_of_array(content, values, kind, "npz", labels, weights, names, weight)


def _numbers(content: Content, array: Array) -> Array:
    if array.dtype.kind not in "fiub":
        raise content.error(f"holds values of type {array.dtype}, and numbers were expected")
    if array.dtype.kind == "f" and array.dtype.itemsize == 4:
        return array.astype(np.float32, copy=False)
    return array.astype(np.float64, copy=False)


def _is_text(array: Array | None) -> bool:
    return array is not None and array.dtype.kind in "US"


def _texts(array: Array) -> list[str]:
    labels = array.ravel().tolist()
    return [x.decode("utf-8", "replace") if isinstance(x, bytes) else str(x) for x in labels]


def table_of_array(
    content: Content,
    array: Array,
    kind: str,
    format: str,
    labels: Array | None = None,
    weights: Array | None = None,
    features: list[str] | None = None,
    weight: str = "auto",
) -> Table:
    """Make a table of an array, and of what belongs to it."""
    weights = None if weights is None else _numbers(content, weights)
    names = None if labels is None else _texts(labels)
    values, layout = _numbers(content, array), "square"
    if kind == "pairs" or (kind == "graph" and len(set(values.shape)) != 1):
        raise content.error(f"an array cannot list {kind}; save the list as text or as Parquet")
    if values.ndim == 2 and len(values) == 1 and kind != "points" and is_condensed(values.size):
        values = values[0]  # as MATLAB and R keep a vector
    if values.ndim == 1 and kind != "points":
        table = condensed(content, values, format, kind == "auto")
        values, layout, kind = table.values, table.layout, "distances"
    elif values.ndim == 1:
        values = values[:, None]
    if values.ndim == 3 and min(values.shape) > 1:
        raise content.error(
            f"{stack_told(values.shape, 'array')}; save one table in a file of its own"
        )
    if values.ndim != 2:
        raise content.error(f"holds an array of shape {values.shape}; a table has two dimensions")
    if names is not None and len(names) != len(values):
        raise content.error(f"holds {len(names)} labels for {len(values)} rows")
    if weights is not None and weights.shape != (len(values), len(values)):
        raise content.error(f"holds weights of shape {weights.shape} for {len(values)} points")
    if features is not None and (kind == "distances" or len(features) != values.shape[1]):
        features = None  # they are of something else
    return assemble(
        content,
        values,
        format=format,
        kind=kind,
        layout=layout,
        labels=names,
        names=features,
        weights=weights,
        weight=weight,
    )
