"""The kernel that shakes a map, compiled for each loss, space and precision.

Its arguments are those of `unimds.kernels`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from unimds._part import inlined, kernel
from unimds._prefetch import prefetch
from unimds.invariants import chunk_pull
from unimds.kernels import coordinates, part_ways, recenter, shorten, workspace
from unimds.rows import WIDTH

AHEAD = 8
"""Points whose distances are asked for before they are needed."""


@kernel
def shake(D, W, X, two, three, many, loss, space, unit, sizes, starts):
    """Sweep once for every entry of `sizes`, placing each point against so many others only.

    Those are neighbours in the order of the table, which must be random; ``starts``, from 0 to 1,
    says which. The fewer, the farther a point strays from where all would have it. Two points in
    turn have the same others, and their rows one loop.
    """
    if many is None:
        shake_by_two(D, W, X, two, three, loss, space, unit, sizes, starts)
    else:
        shake_by_one(D, W, X, many, loss, space, unit, sizes, starts)


@inlined
def others(share, i, j, size, n):
    """Return where `size` neighbours begin, without `i` and `j`, at a share of all such places."""
    before, after = max(i - size + 1, 0), max(n - size - j, 0)
    begin = int(share * (before + after))
    return begin if begin < before else begin - before + j + 1


@kernel
def shake_by_two(D, W, X, two, three, loss, space, unit, sizes, starts):
    """Do that with two rows in one loop."""
    k, n, scale = coordinates(two), X.shape[1], X.dtype.type(unit)
    p, q, u, v = np.empty(k, X.dtype), np.empty(k, X.dtype), np.empty(k), np.empty(k)
    for t in range(sizes.shape[0]):
        size = sizes[t]
        for i in range(0, n, 2):
            j, far = min(i + 1, n - 1), i + AHEAD
            begin = others(starts[t, i // 2], i, j, size, n)
            if far < n - 1:  # rows are far from each other in memory
                later = others(starts[t, far // 2], far, far + 1, size, n)
                prefetch(D[far, 0], later)
                prefetch(D[far + 1, 0], later)
            for a in range(k):
                p[a], q[a] = X[a, i], X[a, j]
            for a in range(k):
                u[a], v[a] = 0.0, 0.0
            s = chunk_pull(
                p, q, X, two, three, begin, begin + size, D, W, i, j, scale, loss, space, u, v
            )  # fmt: skip
            # `move`, written out: Numba counts references at a call, which takes longer than this
            space.project(p, u)
            space.project(q, v)
            if s[2] > 0.0:
                part_ways(p, i, s[2], space, u)
            if s[5] > 0.0:
                part_ways(q, j, s[5], space, v)
            shorten(s[0], s[1], space, u)
            shorten(s[3], s[4], space, v)
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
            begin = others(starts[t, i // 2], i & -2, min(i | 1, n - 1), size, n)
            end = begin + size
            p[:] = X[:, i]
            few[0, :, :size] = X[:, begin:end]
            target[0, :, :size] = D[i, :, begin:end]
            if W is not None:
                weight[0, :, :size] = W[i, :, begin:end]
            points, given = (X, few, size), (target, weight, 0, -1, scale)
            recenter(p, points, None, None, many, given, (0, size), i, loss, space, scratch, v)
            space.exp(p, v)
            X[:, i] = p
