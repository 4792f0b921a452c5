"""The kernel that shakes a map, compiled for each loss, space and precision.

Its arguments are those of `unimds.kernels`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from unimds._part import kernel
from unimds._prefetch import prefetch
from unimds.invariants import chunk_pull
from unimds.kernels import coordinates, part_ways, recenter, shorten, workspace
from unimds.rows import WIDTH

AHEAD = 8
"""Points whose distances are asked for before they are needed."""


@kernel
def shake(D, W, X, two, three, many, loss, space, unit, sizes, starts):
    """Sweep once for every entry of `sizes`, placing each point against so many others only.

    Those are neighbours in the order of the table, which must be random, and the first is the
    last one's neighbour; ``starts``, from 0 to 1, says where they begin. All pairs must be as
    likely: points would arrange themselves so that those which seldom meet are wrong. Hence the
    point itself may be among its neighbours, and its distance must be NaN, as in
    `unimds.pairs.Pairs.subset`. The fewer others, the farther a point strays from where all would
    have it. Two points in turn have the same ones, and their rows one loop.
    """
    if many is None:
        shake_by_two(D, W, X, two, three, loss, space, unit, sizes, starts)
    else:
        shake_by_one(D, W, X, many, loss, space, unit, sizes, starts)


@kernel
def shake_by_two(D, W, X, two, three, loss, space, unit, sizes, starts):
    """Do that with two rows in one loop."""
    k, n, scale = coordinates(two), X.shape[1], X.dtype.type(unit)
    p, q, u, v = np.empty(k, X.dtype), np.empty(k, X.dtype), np.empty(k), np.empty(k)
    for t in range(sizes.shape[0]):
        size = sizes[t]
        for i in range(0, n, 2):
            j, far = min(i + 1, n - 1), i + AHEAD
            begin, left = int(starts[t, i // 2] * n), size
            if far < n - 1:  # rows are far from each other in memory
                later = int(starts[t, far // 2] * n)
                prefetch(D[far, 0], later)
                prefetch(D[far + 1, 0], later)
            for a in range(k):
                p[a], q[a] = X[a, i], X[a, j]
            for a in range(k):
                u[a], v[a] = 0.0, 0.0
            s0, s1, s2, t0, t1, t2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            while left > 0:
                end = min(begin + left, n)
                s = chunk_pull(
                    p, q, X, two, three, begin, end, D, W, i, j, scale, loss, space, u, v
                )  # fmt: skip
                s0, s1, s2 = s0 + s[0], s1 + s[1], s2 + s[2]
                t0, t1, t2 = t0 + s[3], t1 + s[4], t2 + s[5]
                left, begin = left - (end - begin), 0
            # `move`, written out: Numba counts references at a call, which takes longer than this
            space.project(p, u)
            space.project(q, v)
            if s2 > 0.0:
                part_ways(p, i, s2, space, u)
            if t2 > 0.0:
                part_ways(q, j, t2, space, v)
            shorten(s0, s1, space, u)
            shorten(t0, t1, space, v)
            space.exp(p, u)
            space.exp(q, v)
            for a in range(k):
                X[a, i], X[a, j] = p[a], q[a]


@kernel
def shake_by_one(D, W, X, many, loss, space, unit, sizes, starts):
    """Do that row by row."""
    k, n = X.shape
    few, target = np.empty((1, k, WIDTH), X.dtype), np.empty((1, D.shape[1], WIDTH), D.dtype)
    weight: Any = np.empty((1, D.shape[1], WIDTH), X.dtype) if W is not None else W
    scratch = workspace(k, D.shape[1], X.dtype)
    p, v = np.empty(k, X.dtype), np.empty(k)
    scale = X.dtype.type(unit)
    for t in range(sizes.shape[0]):
        size = sizes[t]
        for i in range(n):
            begin, at = int(starts[t, i // 2] * n), 0
            while at < size:
                to = min(size, at + n - begin)
                end = begin + to - at
                few[0, :, at:to] = X[:, begin:end]
                target[0, :, at:to] = D[i, :, begin:end]
                if W is not None:
                    weight[0, :, at:to] = W[i, :, begin:end]
                at, begin = to, 0
            p[:] = X[:, i]
            points, given = (X, few, size), (target, weight, 0, -1, scale)
            recenter(p, points, None, None, many, given, (0, size), i, loss, space, scratch, v)
            space.exp(p, v)
            X[:, i] = p
