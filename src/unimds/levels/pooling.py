"""Isotonic regression: the rising numbers next to given ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds.compiled.functions import driver

Array = NDArray[Any]


@driver
def pool(t, w, r, weight, count):  # type: ignore[no-untyped-def]
    """Fill `r` with the rising numbers for which Σ w (r − t)² is least: pool adjacent violators.

    `weight` and `count` are memory for the weight and the size of every pool.
    """
    pools = 0
    for i in range(t.size):
        value, heavy, size = t[i], w[i], 1
        while pools > 0 and r[pools - 1] >= value:  # the pool before lies higher: one of both
            pools -= 1
            both = heavy + weight[pools]
            value += (r[pools] - value) * (weight[pools] / both)
            heavy, size = both, size + count[pools]
        r[pools], weight[pools], count[pools] = value, heavy, size
        pools += 1
    end = t.size
    for pool_number in range(pools - 1, -1, -1):  # from the end: nothing is overwritten too early
        value = r[pool_number]
        for i in range(end - count[pool_number], end):
            r[i] = value
        end -= count[pool_number]


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
