"""Isotonic regression: the rising numbers next to given ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds.compiled.functions import driver

Array = NDArray[Any]


@driver
def pool(t, w, r, weight, begin):  # type: ignore[no-untyped-def]
    """Fill `r` with the rising numbers for which Σ w (r − t)² is least: pool adjacent violators.

    `weight` and `begin` are memory for the weight of every pool and for where it begins; `r` holds
    the sums Σ w t of pools meanwhile. The last pool is no part of them, so that most of the time
    nothing is read again that was written just before: three times as fast.
    """
    if t.size == 0:
        return
    pools, total, heavy, first = 0, w[0] * t[0], w[0], 0
    for i in range(1, t.size):
        add, more = w[i] * t[i], w[i]
        if add * heavy > total * more:  # it lies higher than the last pool: a new one
            r[pools], weight[pools], begin[pools] = total, heavy, first
            pools, total, heavy, first = pools + 1, add, more, i
            continue
        total, heavy = total + add, heavy + more
        while pools > 0 and r[pools - 1] * heavy >= total * weight[pools - 1]:
            pools -= 1  # the pool before lies higher: one of both
            total, heavy, first = total + r[pools], heavy + weight[pools], begin[pools]
    end = t.size
    while end > 0:  # from the end: nothing is overwritten too early
        value = total / heavy
        for i in range(first, end):
            r[i] = value
        end, pools = first, pools - 1
        if end > 0:
            total, heavy, first = r[pools], weight[pools], begin[pools]


def rising(t: Array, w: Array) -> Array:
    """Return the rising numbers for which Σ w (r − t)² is least.

    Examples
    --------
    >>> rising(np.array([1.0, 3.0, 2.0]), np.ones(3))
    array([1. , 2.5, 2.5])
    """
    t, w = (np.ascontiguousarray(part, dtype=np.float64) for part in (t, w))
    r = np.empty_like(t)
    pool(t, w, r, np.empty_like(t), np.empty(t.size, dtype=np.int64))
    return r
