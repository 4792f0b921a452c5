"""Columns that colour the points of a report: numbers or categories."""

from __future__ import annotations

from typing import Any

import numpy as np

MOST = 24
"""Maximum number of categories; the rarest share the last."""


def column(name: str, values: Any, n: int) -> dict[str, Any]:
    """Return a column in the form of the page's data.

    Numbers stay numbers, with None for missing values; all other columns are categories, the most
    frequent first.

    Examples
    --------
    >>> column("size", [1, 2.5, None], 3)
    {'name': 'size', 'numbers': [1.0, 2.5, None]}
    >>> column("kind", ["b", "a", "b"], 3)
    {'name': 'kind', 'names': ['b', 'a'], 'codes': [0, 1, 0]}
    """
    items = list(values)
    if len(items) != n:
        raise ValueError(f"column {name!r} has {len(items)} values, but the map has {n} points")
    numbers = _numbers(items)
    if numbers is not None:
        return {"name": name, "numbers": numbers}
    texts = ["" if _missing(item) else str(item) for item in items]
    names, counts = np.unique(np.array(texts, dtype=object), return_counts=True)
    order = [str(names[i]) for i in np.argsort(-counts, kind="stable")]
    if len(order) > MOST:
        order = [*order[: MOST - 1], f"{len(order) - MOST + 1} others"]
    code = {text: i for i, text in enumerate(order)}
    return {"name": name, "names": order, "codes": [code.get(t, len(order) - 1) for t in texts]}


def _numbers(items: list[Any]) -> list[float | None] | None:
    """Return the items as numbers; None if an item is not a number, or all are missing."""
    known = [item for item in items if not _missing(item)]
    plain = all(
        isinstance(item, int | float | np.integer | np.floating) and not isinstance(item, bool)
        for item in known
    )
    if not plain or not known:
        return None
    return [
        None if _missing(item) or not np.isfinite(item) else float(f"{float(item):.5g}")
        for item in items
    ]


def _missing(item: Any) -> bool:
    # NaN and pandas' NaT are not equal to themselves; pandas' NA is neither equal nor unequal
    if item is None or type(item).__name__ == "NAType":
        return True
    return isinstance(item, float | np.floating | np.datetime64) and bool(item != item)
