"""Numbers of a page: as few digits as the eye needs, since a page should be small."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def brief(values: Iterable[float], digits: int = 5) -> list[float | None]:
    """Return numbers with a few significant digits, and None for non-finite numbers.

    Examples
    --------
    >>> brief([3.14159265, float("nan")])
    [3.1416, None]
    """
    return [
        float(f"{value:.{digits}g}") if np.isfinite(value) else None
        for value in np.asarray(values, dtype=float).tolist()
    ]


def with_gaps(lines: Sequence[Array]) -> list[list[float | None]]:
    """Return all lines as one line with gaps, which plotly draws as one trace."""
    if not lines:
        return []
    gap = np.full((1, lines[0].shape[1]), np.nan)
    joined = np.vstack([part for line in lines for part in (line, gap)])
    return [brief(axis, 4) for axis in joined.T]
