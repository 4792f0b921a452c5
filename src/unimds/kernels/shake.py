"""Subsampled sweeps, which shake a map: each point meets only a few other points.

Arguments are as in `unimds.kernels.sweep`.
"""

from __future__ import annotations

import numpy as np

from unimds.compiled.parts import inlined, kernel
from unimds.kernels.fused import coordinates, drawn_2, drawn_3, recenter
from unimds.kernels.rows import WIDTH, part_ways, shorten, workspace

BLOCK, SIDE = 512, 64
"""Points whose pulls fit in the cache, and rows of a table that do."""


@kernel
def shake(D, W, X, two, three, many, loss, space, unit, sizes, draws):
    """Sweep once for each entry of `sizes`, an even number of points that each point meets.

    Each sweep draws that many shifts; for a shift s, each point meets the point s places after it,
    on a circle. The order of the table must be random. So all pairs are equally likely: otherwise
    the map would be wrong for pairs that seldom meet. And points meet few others in common, so
    each has its own errors. The smaller the size, the farther a point strays from its place in a
    full sweep. ``draws``, as many as the sum of `sizes`, lie between 0 and 1. If `many` is None,
    the table is in the layout of `by_shift`.
    """
    if many is None:
        shake_together(D, W, X, two, three, loss, space, unit, sizes, draws)
    else:
        shake_in_turn(D, W, X, many, loss, space, unit, sizes, draws)


@inlined
def shift(m, size, draw, n):
    """Return shift `m` of `size` shifts, each from its own stretch of the circle."""
    return 1 + min(int((m + draw) / size * (n - 1)), n - 2)


@kernel
def by_shift(D):
    """Return the symmetric table with D[i, (i + s) mod n] in row s − 1 and column i."""
    n, given = D.shape[0], D.reshape(-1)
    out = np.empty((n - 1, 1, n), D.dtype)
    for first in range(0, n, SIDE):  # few rows at a time stay in the cache
        end = min(first + SIDE, n)
        for s in range(1, n):
            row, around = out[s - 1, 0], max(min(end, n - s), first)
            for i in range(first, around):
                row[i] = given[i * n + i + s]
            for i in range(around, end):
                row[i] = given[i * n + i + s - n]
    return out


@kernel
def shake_together(D, W, X, two, three, loss, space, unit, sizes, draws):
    """Shake all points of a sweep at once: loops run over the points."""
    k, n, scale = coordinates(two), X.shape[1], X.dtype.type(unit)
    p, v, twice = np.empty(k, X.dtype), np.empty(k), np.empty((k, 2 * n), X.dtype)
    pulls, at = np.empty((k + 3, BLOCK), X.dtype), 0
    for t in range(sizes.shape[0]):
        for a in range(k):  # the points twice in a row, so that no shift leads beyond the end
            for i in range(n):
                twice[a, i] = X[a, i]
                twice[a, n + i] = X[a, i]
        for first in range(0, n, BLOCK):
            end = min(first + BLOCK, n)
            clear(pulls, end - first)
            for m in range(0, sizes[t], 2):
                b = shift(m, sizes[t], draws[at + m], n)
                c = shift(m + 1, sizes[t], draws[at + m + 1], n)
                if two is not None:
                    add_pulls_2(D, W, twice, first, end, b, c, scale, loss, space, pulls)
                if three is not None:
                    add_pulls_3(D, W, twice, first, end, b, c, scale, loss, space, pulls)
            if space.flat() and not some_coincide(pulls[k + 2], end - first):
                go_together(X, first, end, pulls)
                continue
            for i in range(first, end):
                j = i - first
                for a in range(k):
                    p[a], v[a] = X[a, i], pulls[a, j]
                # `move` written out: for each call Numba counts references, which is slow
                space.project(p, v)
                if pulls[k + 2, j] > 0.0:
                    part_ways(p, i, pulls[k + 2, j], space, v)
                shorten(pulls[k, j], pulls[k + 1, j], space, v)
                space.exp(p, v)
                for a in range(k):
                    X[a, i] = p[a]
        at += sizes[t]


@inlined
def clear(pulls, count):
    """Set the sums of pulls, weights, excesses and partings to zero."""
    for a in range(pulls.shape[0]):
        for i in range(count):
            pulls[a, i] = 0.0


@inlined
def some_coincide(partings, count):
    """Return whether any point coincides with another and must part from it."""
    total = partings.dtype.type(0)
    for i in range(count):
        total += partings[i]
    return total > 0.0


@inlined
def go_together(X, first, end, pulls):
    """Move a block of points in flat space, where a step is a sum."""
    k, none = X.shape[0], X.dtype.type(0)
    for a in range(k):
        x, pull, total = X[a, first:end], pulls[a], pulls[k]
        for i in range(end - first):
            x[i] += pull[i] / total[i] if total[i] > none else none


@inlined
def weighted(W, s, first, end):
    """Return the weights of a shift, or None if there are no weights."""
    if W is None:
        return None
    return W[s - 1, 0, first:end]


@inlined
def weight_at(weights, i, one):
    """Return the weight of a pair."""
    if weights is None:
        return one
    return type(one)(weights[i])


@inlined
def add_pulls_2(D, W, X, first, end, b, c, unit, loss, space, pulls):
    """Add the pulls of two shifts, for two coordinates."""
    number, r, s = X.dtype.type, D[b - 1, 0, first:end], D[c - 1, 0, first:end]
    p, q, one = X[0, first:end], X[1, first:end], number(1)
    x, y = X[0, first + b : end + b], X[1, first + b : end + b]
    z, w = X[0, first + c : end + c], X[1, first + c : end + c]
    f, g = weighted(W, b, first, end), weighted(W, c, first, end)
    for i in range(end - first):
        d, e = number(r[i]) * unit, number(s[i]) * unit
        u = drawn_2(p[i], q[i], x[i], y[i], d, weight_at(f, i, one), loss, space)
        v = drawn_2(p[i], q[i], z[i], w[i], e, weight_at(g, i, one), loss, space)
        pulls[0, i] += u[0] + v[0]
        pulls[1, i] += u[1] + v[1]
        pulls[2, i] += u[2] + v[2]
        pulls[3, i] += u[3] + v[3]
        pulls[4, i] += u[4] + v[4]


@inlined
def add_pulls_3(D, W, X, first, end, b, c, unit, loss, space, pulls):
    """Add the pulls of two shifts, for three coordinates."""
    number, r, s = X.dtype.type, D[b - 1, 0, first:end], D[c - 1, 0, first:end]
    p, q, o, one = X[0, first:end], X[1, first:end], X[2, first:end], number(1)
    x0, x1, x2 = X[0, first + b : end + b], X[1, first + b : end + b], X[2, first + b : end + b]
    y0, y1, y2 = X[0, first + c : end + c], X[1, first + c : end + c], X[2, first + c : end + c]
    f, g = weighted(W, b, first, end), weighted(W, c, first, end)
    for i in range(end - first):
        d, e = number(r[i]) * unit, number(s[i]) * unit
        h = weight_at(f, i, one)
        u = drawn_3(p[i], q[i], o[i], x0[i], x1[i], x2[i], d, h, loss, space)
        h = weight_at(g, i, one)
        v = drawn_3(p[i], q[i], o[i], y0[i], y1[i], y2[i], e, h, loss, space)
        pulls[0, i] += u[0] + v[0]
        pulls[1, i] += u[1] + v[1]
        pulls[2, i] += u[2] + v[2]
        pulls[3, i] += u[3] + v[3]
        pulls[4, i] += u[4] + v[4]
        pulls[5, i] += u[5] + v[5]


@inlined
def room_for(W, dtype):
    """Allocate memory for the weights of a group, or return None if there are no weights."""
    if W is None:
        return None
    return np.empty((1, W.shape[1], WIDTH), dtype)


@kernel
def shake_in_turn(D, W, X, many, loss, space, unit, sizes, draws):
    """Shake point by point."""
    k, n = X.shape
    few, target = np.empty((1, k, WIDTH), X.dtype), np.empty((1, D.shape[1], WIDTH), D.dtype)
    weight, scratch = room_for(W, X.dtype), workspace(k, D.shape[1], X.dtype)
    p, v, shifts = np.empty(k, X.dtype), np.empty(k), np.empty(WIDTH, np.intp)
    scale, at = X.dtype.type(unit), 0
    for t in range(sizes.shape[0]):
        size = sizes[t]
        for m in range(size):
            shifts[m] = shift(m, size, draws[at + m], n)
        for i in range(n):
            for m in range(size):
                j = i + shifts[m] if i + shifts[m] < n else i + shifts[m] - n
                for a in range(k):
                    few[0, a, m] = X[a, j]
                for layer in range(D.shape[1]):
                    target[0, layer, m] = D[i, layer, j]
                    if W is not None:
                        weight[0, layer, m] = W[i, layer, j]
            p[:] = X[:, i]
            points, given = (X, few, size), (target, weight, 0, -1, scale)
            recenter(p, points, None, None, many, given, (0, size), i, loss, space, scratch, v)
            space.exp(p, v)
            X[:, i] = p
        at += size
