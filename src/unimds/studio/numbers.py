"""Numbers as the page takes them; the server computes these itself, so little is imported here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from unimds.spaces import Space

Array = NDArray[Any]

DIGITS = 7
"""Significant digits of what is only looked at."""


def plain(values: Any, digits: int = DIGITS) -> Any:
    """Return numbers as lists that JSON can hold: rounded, and None where there is none.

    Examples
    --------
    >>> plain(np.array([1.0, np.nan, 1 / 3]))
    [1.0, None, 0.3333333]
    """
    if isinstance(values, np.ndarray) and values.ndim > 0:
        return [plain(part, digits) for part in values]
    number = float(values)
    return float(f"{number:.{digits}g}") if np.isfinite(number) else None


def partners(points: Array, tables: tuple[Array, Array], space: Space, row: int) -> dict[str, Any]:
    """Return all pairs of a point, by row of the map: given, compared with, and mapped."""
    from unimds.spaces import distances  # here: the server starts without it

    mapped = distances(points[row : row + 1], points, space=space)[0]
    given, target = (table[row] for table in tables)
    return {"given": plain(given), "target": plain(target), "mapped": plain(mapped)}
