"""Columns that colour points: numbers, or categories."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

HEX = re.compile(r"#([0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})")
"""A colour in hexadecimal digits."""
CLASSES = 14
"""Integers with up to this many different values, some of them repeated, are classes."""


class NamedColumn(list[Any]):
    """The values of a column with its name, which is the title of its legend.

    Examples
    --------
    >>> NamedColumn("river", ["Rhine", "Danube"]).name
    'river'
    """

    def __init__(self, name: str, values: Iterable[Any]) -> None:
        super().__init__(values)
        self.name = name


def as_numbers(values: Sequence[Any]) -> Array | None:
    """Return a column as numbers, NaN for missing values; None if it holds categories.

    A few integers that repeat, such as the numbers of clusters, are categories, too.

    Examples
    --------
    >>> as_numbers([1, 2.5, None])
    array([1. , 2.5, nan])
    >>> as_numbers([0, 1, 1, 0]) is None
    True
    """
    known = [value for value in values if not _missing(value)]
    if getattr(getattr(values, "dtype", None), "name", "") == "category":  # as pandas calls it
        return None
    if not known or not all(_is_number(value) for value in known) or _are_classes(known):
        return None
    return np.array([np.nan if _missing(value) else float(value) for value in values])


def as_colours(values: Sequence[Any], missing: str) -> list[str] | None:
    """Return a column of colours, such as "#e41a1c" or "red"; None if it holds anything else.

    Examples
    --------
    >>> as_colours(["#e41a1c", "Red", ""], "grey"), as_colours(["red", "round"], "grey")
    (['#e41a1c', 'red', 'grey'], None)
    """
    from matplotlib.colors import CSS4_COLORS

    texts = ["" if _missing(value) else str(value).strip().lower() for value in values]
    known = {text for text in texts if text}
    if not known or not all(HEX.fullmatch(text) or text in CSS4_COLORS for text in known):
        return None
    return [text or missing for text in texts]


def as_categories(values: Sequence[Any], most: int) -> tuple[list[str], Array, int]:
    """Return the most frequent categories, the category of each value, and how many more there are.

    Up to `most` categories are returned. If there are more, the rarest share the last number.
    Integers come in their own order, all other categories by their frequency.

    Examples
    --------
    >>> as_categories(["b", "a", "b", None, "c", "c"], 3)
    (['b', 'c'], array([0, 2, 0, 2, 1, 1]), 2)
    >>> as_categories([10, 9, 10], 3)
    (['9', '10'], array([1, 0, 1]), 0)
    """
    texts = ["" if _missing(value) else str(value) for value in values]
    found, counts = np.unique(np.array(texts, dtype=object), return_counts=True)
    names = [str(found[i]) for i in np.argsort(-counts, kind="stable")]
    rare = len(names) - most + 1 if len(names) > most else 0
    names = names[: len(names) - rare]
    if all(_is_integer(value) for value in values if not _missing(value)):
        names.sort(key=lambda name: (name == "", int(name or 0)))
    code = {name: i for i, name in enumerate(names)}
    return names, np.array([code.get(text, len(names)) for text in texts]), rare


def _is_integer(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return _is_integer(value) or isinstance(value, float | np.floating)


def _are_classes(known: Sequence[Any]) -> bool:
    if not all(_is_integer(value) for value in known):
        return False
    return len(set(known)) <= min(CLASSES, len(known) - 1)


def _missing(value: Any) -> bool:
    # NaN and pandas' NaT are not equal to themselves; pandas' NA is neither equal nor unequal
    if value is None or type(value).__name__ == "NAType":
        return True
    return isinstance(value, float | np.floating | np.datetime64) and bool(value != value)
