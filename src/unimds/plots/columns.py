"""Columns that colour points: numbers, or categories."""

from __future__ import annotations

import re
from collections import Counter
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

    def __init__(self, name: str, values: Iterable[Any], order: Sequence[str] = ()) -> None:
        super().__init__(values)
        self.name = name
        self.order = order  # categories that come first, in their order


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
    known = [value for value in values if not is_missing(value)]
    if getattr(getattr(values, "dtype", None), "name", "") == "category":  # as pandas calls it
        return None
    if not known or not all(_is_number(value) for value in known) or _are_classes(known):
        return None
    return np.array([np.nan if is_missing(value) else float(value) for value in values])


def as_colours(values: Sequence[Any], missing: str) -> list[str] | None:
    """Return a column of colours, such as "#e41a1c" or "red"; None if it holds anything else.

    Examples
    --------
    >>> as_colours(["#e41a1c", "Red", ""], "grey"), as_colours(["red", "round"], "grey")
    (['#e41a1c', 'red', 'grey'], None)
    """
    from matplotlib.colors import CSS4_COLORS

    texts = ["" if is_missing(value) else str(value).strip().lower() for value in values]
    known = {text for text in texts if text}
    if not known or not all(HEX.fullmatch(text) or text in CSS4_COLORS for text in known):
        return None
    return [text or missing for text in texts]


def as_categories(values: Sequence[Any], most: int) -> tuple[list[str], Array, int]:
    """Return categories in their order, the category of each value, and how many more there are.

    The order does not depend on how often a category occurs, so that pictures of parts of a study
    agree: it is that of a pandas Categorical, or of a `NamedColumn` that says one, and otherwise
    alphabetical, with numbers by their size. Up to `most` categories are returned; if there are
    more, the rarest share the last number. A missing value has the number −1.

    Examples
    --------
    >>> as_categories(["b", "a", "b", None, "c", "c"], 3)
    (['a', 'b', 'c'], array([ 1,  0,  1, -1,  2,  2]), 0)
    >>> as_categories(["b", "a", "b", None, "c", "c"], 2)
    (['b'], array([ 0,  1,  0, -1,  1,  1]), 2)
    >>> as_categories(["plot 10", "plot 9"], 3)[0]
    ['plot 9', 'plot 10']
    """
    texts = ["" if is_missing(value) else str(value) for value in values]
    count = Counter(filter(None, texts))
    first = [str(name) for name in _own_order(values)]
    later = sorted((name for name in count if name not in set(first)), key=_natural)
    names = [*first, *later]
    if len(names) > most:  # categories that do not occur need no number then
        names = [name for name in names if count[name]]
    rare = len(names) - most + 1 if len(names) > most else 0
    often = {name for name, _ in count.most_common(len(names) - rare)}
    names = [name for name in names if name in often] if rare else names
    code = {name: i for i, name in enumerate(names)} | {"": -1}
    return names, np.array([code.get(text, len(names)) for text in texts]), rare


def _own_order(values: Any) -> Sequence[Any]:
    """Return the categories in the order that a column says itself, if it says one."""
    if isinstance(values, NamedColumn):
        return values.order
    categories = getattr(getattr(values, "dtype", None), "categories", None)  # of pandas
    return () if categories is None else list(categories)


def _natural(name: str) -> tuple[Any, ...]:
    """Return a key that sorts texts by letters, and the numbers in them by their size.

    Examples
    --------
    >>> sorted(["B2", "a10", "-1", "a9", "2"], key=_natural)
    ['-1', '2', 'a9', 'a10', 'B2']
    """
    try:
        return (0, float(name), name)
    except ValueError:
        parts = re.split(r"([0-9]+)", name.casefold())
        # every second part is a number: texts and numbers are never compared
        return (1, [int(part) if k % 2 else part for k, part in enumerate(parts)], name)


def _is_integer(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return _is_integer(value) or isinstance(value, float | np.floating)


def _are_classes(known: Sequence[Any]) -> bool:
    if not all(_is_integer(value) for value in known):
        return False
    return len(set(known)) <= min(CLASSES, len(known) - 1)


def is_missing(value: Any) -> bool:
    """Return whether a value says that there is none."""
    # NaN is not equal to itself; pandas' NA and NaT are no floats
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating | np.datetime64) and bool(value != value)
