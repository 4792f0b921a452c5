"""Columns that colour points: numbers, or categories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def as_numbers(values: Sequence[Any]) -> Array | None:
    """Return a column as numbers, NaN for missing values; None if it holds anything else.

    Examples
    --------
    >>> as_numbers([1, 2.5, None])
    array([1. , 2.5, nan])
    """
    known = [value for value in values if not _missing(value)]
    number = int | float | np.integer | np.floating
    if not known or not all(isinstance(v, number) and not isinstance(v, bool) for v in known):
        return None
    return np.array([np.nan if _missing(value) else float(value) for value in values])


def as_categories(values: Sequence[Any], most: int) -> tuple[list[str], Array, int]:
    """Return the most frequent categories, the category of each value, and how many more there are.

    Up to `most` categories are returned. If there are more, the rarest share the last number.

    Examples
    --------
    >>> as_categories(["b", "a", "b", None, "c", "c"], 3)
    (['b', 'c'], array([0, 2, 0, 2, 1, 1]), 2)
    """
    texts = ["" if _missing(value) else str(value) for value in values]
    found, counts = np.unique(np.array(texts, dtype=object), return_counts=True)
    names = [str(found[i]) for i in np.argsort(-counts, kind="stable")]
    rare = len(names) - most + 1 if len(names) > most else 0
    names = names[: len(names) - rare]
    code = {name: i for i, name in enumerate(names)}
    return names, np.array([code.get(text, len(names)) for text in texts]), rare


def _missing(value: Any) -> bool:
    # NaN and pandas' NaT are not equal to themselves; pandas' NA is neither equal nor unequal
    if value is None or type(value).__name__ == "NAType":
        return True
    return isinstance(value, float | np.floating | np.datetime64) and bool(value != value)
