"""One pass over a table of distances that answers all questions of the checks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from unimds.compiled.parts import kernel

OUTER, INNER = 1024, 32
"""Sides of the blocks in which D[i, j] meets D[j, i]: pages of a file, lines of a cache."""


class Scan(NamedTuple):
    """What is known of a table after one pass.

    Attributes
    ----------
    negative, infinite : int
        Place of the first bad entry, row by row; −1 where there is none.
    missing : int
        Number of NaN off the diagonal.
    largest : float
        The largest entry.
    uneven, asymmetric : bool
        Whether some D[i, j] and D[j, i] differ at all, and by more than rounding.
    one_sided : bool
        Whether some D[i, j] is missing where D[j, i] is not.
    upper, lower : bool
        Whether there is anything but zeros above and below the diagonal.
    """

    negative: int
    infinite: int
    missing: int
    largest: float
    uneven: bool
    asymmetric: bool
    one_sided: bool
    upper: bool
    lower: bool


def scan(D: np.ndarray, rounding: float) -> Scan:
    """Return what checks ask of a square table; it is read in order, and nothing is copied.

    Entries that differ by less than `rounding` times the largest are the same.
    """
    # Loops over floats that may be NaN do not vectorise, those over integers do; and but for
    # their sign, floats are in the order of their bits, with infinity and then NaN at the end.
    kind = np.uint32 if D.dtype == np.float32 else np.uint64
    infinity = np.array(np.inf, dtype=D.dtype).view(kind)[()]
    rows, turned = _in_order(D)
    bits = rows.view(kind)
    odd, missing, top, upper, lower = _values(bits, infinity, kind(np.iinfo(kind).max >> 1))
    upper, lower = (lower, upper) if turned else (upper, lower)
    negative, infinite = _odd_places(D) if odd else (-1, -1)
    largest = float(np.array(top, dtype=kind).view(D.dtype))
    uneven, asymmetric, one_sided = _halves(rows, D.dtype.type(rounding * largest), missing > 0)
    return Scan(negative, infinite, missing, largest, uneven, asymmetric, one_sided, upper, lower)


def _in_order(D: np.ndarray) -> tuple[np.ndarray, bool]:
    """Return the table, or its transpose where columns are together in memory, and which it is.

    Frames of pandas are such. Numba compiles anew for each layout, and for what can be written to.
    """
    turned = D.flags.f_contiguous and not D.flags.c_contiguous
    rows = D.T if turned else D.view()
    rows.flags.writeable = False
    return rows, turned


@kernel
def _values(bits, infinity, magnitude):
    n, odd, missing, top = bits.shape[0], 0, 0, bits.dtype.type(0)
    upper, lower = False, False
    for i in range(n):
        row = bits[i]
        left, right = _stretch(row[:i], infinity, magnitude), _stretch(row[i:], infinity, magnitude)
        # the second stretch begins with the point itself
        own = row[i] & magnitude
        odd += left[0] + right[0]
        missing += left[1] + right[1] - (1 if own > infinity else 0)
        top = max(top, left[2], right[2])
        lower, upper = lower or left[3] > 0, upper or right[3] > (1 if own != 0 else 0)
    return odd, missing, top, upper, lower


@kernel
def _stretch(bits, infinity, magnitude):
    """Count what is negative or infinite, and what is missing; find the largest; count nonzeros."""
    zero = bits.dtype.type(0)
    odd, missing, top, filled = 0, 0, zero, 0
    for j in range(bits.shape[0]):
        size = bits[j] & magnitude
        unknown = size > infinity
        known = zero if unknown else size
        odd += 1 if known == infinity or (known != 0 and bits[j] != size) else 0
        missing += 1 if unknown else 0
        top = known if known > top else top
        filled += 1 if size != 0 else 0
    return odd, missing, top, filled


@kernel
def _odd_places(D):
    n, negative, infinite = D.shape[0], -1, -1
    for i in range(n):
        for j in range(n):
            if D[i, j] < 0.0 and j != i and negative < 0:
                negative = i * n + j
            if np.isinf(D[i, j]) and infinite < 0:
                infinite = i * n + j
    return negative, infinite


@kernel
def _halves(D, rounding, gaps):
    """Compare what is below the diagonal with what is above, block by block."""
    n, differ, far, one_sided = D.shape[0], 0, 0, 0
    turned = np.empty((INNER, INNER), D.dtype)
    for i0 in range(0, n, OUTER):
        for j0 in range(0, i0 + OUTER, OUTER):
            for i1 in range(i0, min(i0 + OUTER, n), INNER):
                for j1 in range(j0, min(j0 + OUTER, i1 + INNER), INNER):
                    i2, j2 = min(i1 + INNER, n), min(j1 + INNER, n)
                    _turn(D[j1:j2, i1:i2], turned)
                    for i in range(i1, i2):
                        below, above = D[i, j1 : min(j2, i)], turned[i - i1]
                        counts = _differences(below, above, rounding, gaps)
                        differ, far = differ + counts[0], far + counts[1]
                        one_sided += counts[2]
    return differ > 0, far > 0, one_sided > 0


@kernel
def _turn(block, turned):
    for j in range(block.shape[0]):
        row, column = block[j], turned[:, j]
        for i in range(block.shape[1]):
            column[i] = row[i]


@kernel
def _differences(below, above, rounding, gaps):
    differ, far, one_sided = 0, 0, 0
    for j in range(below.shape[0]):
        gap = abs(below[j] - above[j])
        differ += 1 if gap > 0.0 else 0
        far += 1 if gap > rounding else 0
    if gaps:
        for j in range(below.shape[0]):
            one_sided += 1 if (below[j] == below[j]) != (above[j] == above[j]) else 0
    return differ, far, one_sided
