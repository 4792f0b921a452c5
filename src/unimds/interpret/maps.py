"""The points of a map with their labels, and tables of results in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unimds.distances.inputs import as_float
from unimds.distances.joining import counts_rows
from unimds.files.table import coordinate_names
from unimds.placecenter.result import map_of, names_of
from unimds.spaces.base import Space, as_space
from unimds.spaces.euclidean import Euclidean

Array = NDArray[Any]


class Flat(NamedTuple):
    """A map in Euclidean space: its points, and their labels if they have any."""

    points: Array
    labels: list[Any] | None


def flat_map(X: Any, space: str | Space | None, what: str) -> Flat:
    """Return a map in Euclidean space; raise for another, and say what needs straight lines."""
    points, own = map_of(X, space)
    here = as_space(own)
    if not isinstance(here, Euclidean):
        raise ValueError(
            f"{what} need straight lines, which {here} does not have: fit the map in Euclidean "
            "space, with a dimension more if it fits poorly; plot_embedding(mds, color=…) shows a "
            "variable on a map in any space"
        )
    return Flat(checked_points(points, "X"), labels_in(X))


def checked_points(points: Any, name: str) -> Array:
    """Return the points of a map as finite numbers."""
    found = as_float(points, name).astype(np.float64)
    if found.ndim != 2 or not found.size:
        raise ValueError(
            f"{name} must be a map, a row of coordinates for each point; its shape is {found.shape}"
        )
    if not np.isfinite(found).all():
        raise ValueError(f"{name}: row {np.argwhere(~np.isfinite(found))[0][0]} is not finite")
    return found


def labels_in(X: Any) -> list[Any] | None:
    """Return the labels of the points of a map; None if they are only numbered."""
    names = names_of(X)
    if names is None or counts_rows(list(names)):
        return None
    return list(names)


def axes_of(k: int) -> list[str]:
    """Return the names of the coordinates of a map, as files have them."""
    return coordinate_names(k)


def in_columns(rows: Iterable[Sequence[str]], left: Iterable[int] = (0,)) -> str:
    """Return rows of texts as a table; the columns that `left` names start at the left.

    Examples
    --------
    >>> print(in_columns([["name", "R²"], ["pH", "0.2"]]))
    name   R²
    pH    0.2
    """
    table = [list(row) for row in rows]
    wide = [max(len(row[j]) for row in table) for j in range(len(table[0]))]
    starts = set(left)
    return "\n".join(
        "  ".join(
            cell.ljust(w) if j in starts else cell.rjust(w)
            for j, (cell, w) in enumerate(zip(row, wide, strict=True))
        ).rstrip()
        for row in table
    )
