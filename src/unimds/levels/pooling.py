"""Isotonic regression: the rising numbers next to given ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds.compiled.functions import looping

Array = NDArray[Any]


@looping
def pool(t, w, start, stop, r, weight, begin):  # type: ignore[no-untyped-def]
    """Fill `r` with the rising numbers for which Σ w (r − t)² is least: pool adjacent violators.

    It does so from `start` to `stop`. `weight` and `begin` are memory for the weight of every pool
    and for where it begins; `r` holds the sums Σ w t of pools meanwhile. The last pool is not among
    them, so that most of the time nothing is read again that was written just before: three times
    as fast.
    """
    if stop <= start:
        return
    pools, total, heavy, first = start, w[start] * t[start], w[start], start
    for i in range(start + 1, stop):
        add, more = w[i] * t[i], w[i]
        if add * heavy > total * more:  # it lies higher than the last pool: a new one
            r[pools], weight[pools], begin[pools] = total, heavy, first
            pools, total, heavy, first = pools + 1, add, more, i
            continue
        total, heavy = total + add, heavy + more
        while pools > start and r[pools - 1] * heavy >= total * weight[pools - 1]:
            pools -= 1  # the pool before lies higher: one of both
            total, heavy, first = total + r[pools], heavy + weight[pools], begin[pools]
    end = stop
    while end > start:  # from the end: nothing is overwritten too early
        value = total / heavy
        for i in range(first, end):
            r[i] = value
        end, pools = first, pools - 1
        if end > start:
            total, heavy, first = r[pools], weight[pools], begin[pools]


@looping
def pool_blocks(t, w, edges, r, weight, begin):  # type: ignore[no-untyped-def]
    """Do so with blocks of entries, each by itself."""
    for block in range(edges.size - 1):
        pool(t, w, edges[block], edges[block + 1], r, weight, begin)


def rising(t: Array, w: Array, edges: Array | None = None) -> Array:
    """Return the rising numbers for which Σ w (r − t)² is least, for each block by itself.

    Examples
    --------
    >>> rising(np.array([1.0, 3.0, 2.0]), np.ones(3))
    array([1. , 2.5, 2.5])
    >>> rising(np.array([1.0, 3.0, 2.0]), np.ones(3), np.array([0, 2, 3]))
    array([1., 3., 2.])
    """
    t, w = (np.ascontiguousarray(part, dtype=np.float64) for part in (t, w))
    r, edges = np.empty_like(t), np.array([0, t.size]) if edges is None else edges
    pool_blocks(t, w, edges, r, np.empty_like(t), np.empty(t.size, dtype=np.int64))
    return r
