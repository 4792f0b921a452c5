"""A first look at a table of distances: one pass that tells all that checks ask for."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from unimds._part import kernel

OUTER, INNER = 1024, 64
"""Sides of the blocks in which D[i, j] meets D[j, i]: pages of a file, lines of a cache."""


class Survey(NamedTuple):
    """What is known of a table after one pass.

    Attributes
    ----------
    negative, infinite : int
        Place of the first bad entry, row by row; −1 where there is none.
    missing : int
        Number of NaN off the diagonal.
    largest : float
        The largest finite entry.
    apart : float
        The largest difference of D[i, j] and D[j, i].
    one_sided : bool
        Whether some D[i, j] is missing where D[j, i] is not.
    upper, lower : bool
        Whether there is anything but zeros above and below the diagonal.
    """

    negative: int
    infinite: int
    missing: int
    largest: float
    apart: float
    one_sided: bool
    upper: bool
    lower: bool


def survey(D: np.ndarray) -> Survey:
    """Return what checks ask of a square table; it is read in order, and nothing is copied."""
    return Survey(*_survey(D))


@kernel
def _survey(D):
    n = D.shape[0]
    negative, infinite, missing = -1, -1, 0
    largest, apart, one_sided = 0.0, 0.0, False
    above, below = 0, 0
    for i in range(n):
        row = D[i]
        low, high, unknown, left, right = 0.0, 0.0, 0, 0, 0
        for j in range(n):
            d = row[j]
            low = min(low, d) if j != i else low
            high = max(high, d)
            unknown += 1 if d != d and j != i else 0
            left += 1 if d != 0.0 and j < i else 0
            right += 1 if d != 0.0 and j > i else 0
        missing, above, below = missing + unknown, above + right, below + left
        if low < 0.0 and negative < 0:
            for j in range(n):
                if row[j] < 0.0 and j != i and negative < 0:
                    negative = i * n + j
        if (np.isinf(high) or np.isinf(low)) and infinite < 0:
            for j in range(n):
                if np.isinf(row[j]) and infinite < 0:
                    infinite = i * n + j
        largest = max(largest, high)
    for i0 in range(0, n, OUTER):
        for j0 in range(0, i0 + OUTER, OUTER):
            for i1 in range(i0, min(i0 + OUTER, n), INNER):
                for j1 in range(j0, min(j0 + OUTER, i1 + INNER), INNER):
                    for i in range(i1, min(i1 + INNER, n)):
                        for j in range(j1, min(j1 + INNER, i)):
                            gap = abs(D[i, j] - D[j, i])
                            if gap > apart:
                                apart = gap
                            if missing > 0 and np.isnan(D[i, j]) != np.isnan(D[j, i]):
                                one_sided = True
    return negative, infinite, missing, largest, apart, one_sided, above > 0, below > 0
