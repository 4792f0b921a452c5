"""What a square of numbers holds: distances, similarities, or an adjacency matrix."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds.files.errors import shown

Array = NDArray[np.floating[Any]]


def looks_like_distances(block: Array) -> bool:
    """Whether a block of numbers is a square of distances, not points.

    A square holds distances if its diagonal is zero, if its diagonal and one half are missing, or
    if it is symmetric with three rows or more. A symmetric square with another diagonal holds
    similarities, which deserve an error rather than a map of the rows.

    Examples
    --------
    >>> looks_like_distances(np.array([[0.0, 2.0], [3.0, 0.0]]))
    True
    >>> looks_like_distances(np.array([[1.0, 2.0], [3.0, 4.0]]))
    False
    """
    if block.shape[0] != block.shape[1] or block.dtype.kind != "f":
        return False
    diagonal = np.diagonal(block)
    if ((diagonal == 0.0) | np.isnan(diagonal)).all():
        if (diagonal == 0.0).any():
            return True
        known = ~np.isnan(block)
        return bool(np.triu(known).any() != np.tril(known).any() or symmetric(block))
    return len(block) > 2 and symmetric(block)


def symmetric(block: Array) -> bool:
    """Whether a square is the same in both directions, but for rounding."""
    return bool(np.allclose(block, block.T, rtol=1e-8, equal_nan=True))


def is_table_of_distances(block: Array) -> bool:
    """Whether a square can hardly be anything but distances: symmetric, or half of it missing.

    Examples
    --------
    >>> is_table_of_distances(np.array([[0.0, 2.0], [2.0, 0.0]]))
    True
    >>> is_table_of_distances(np.array([[0.0, 2.0], [3.0, 0.0]]))
    False
    """
    if np.nan_to_num(np.diagonal(block)).any() or not np.fmax.reduce(block, axis=None) > 0.0:
        return False
    known = ~np.isnan(block)
    half = np.triu(known, 1).any() != np.tril(known, -1).any()
    return bool((block[known] >= 0.0).all()) and (bool(half) or symmetric(block))


def different_labels(rows: Sequence[str], columns: Sequence[str]) -> str | None:
    """Return which labels of the rows and columns of a square differ; None if none does.

    Examples
    --------
    >>> different_labels(["Ulm", "Bristol"], ["Bristal", "Ulm"])
    "row 'Bristol', column 'Bristal'"
    >>> different_labels(["Ulm", "Bonn"], ["Ulm", "Ulm"])
    "'Bonn' is a row, but not a column"
    """
    known_rows, known_columns = set(rows), set(columns)
    odd_rows = [label for label in rows if label not in known_columns]
    odd_columns = [label for label in columns if label not in known_rows]
    if odd_rows and odd_columns:
        near = get_close_matches(odd_rows[0], odd_columns, 1) or odd_columns
        return f"row {shown(odd_rows[0])}, column {shown(near[0])}"
    if odd_rows:
        return f"{shown(odd_rows[0])} is a row, but not a column"
    return f"{shown(odd_columns[0])} is a column, but not a row" if odd_columns else None
