"""One row of the table against one point: the innermost loops, compiled for each loss and space.

Where points have two or three coordinates, and the space knows a pair by a few invariants
(`Space.pair`), all happens in one loop: distance, majorizer and pull, in registers, with nothing
stored. In any other case a row is worked off in groups of `WIDTH` points, which stay in the fastest
cache from pass to pass. Loops compute everything and then choose, since a loop with branches would
not vectorise. Arithmetic is in the precision of the points, and sums are doubles from chunk to
chunk.
"""

from __future__ import annotations

import numpy as np

from unimds._part import inlined, kernel

WIDTH = 512
"""Points in a group: a few rows of so many numbers fit in 32 kB."""

CHUNK = 4096
"""Points whose pulls are added up in the precision of the points."""


@inlined
def majorizer(d, r, weight, loss, cut, bend, none, tiny):
    """Return w and ρ of a pair's majorizer, and w·bend·(d − ρ)₊; unknown pairs have no weight."""
    known = r == r
    w, rho = loss.weight(d, r) * weight, loss.radius(d, r)
    # a centre beyond the cut locus: the same slope from the farthest there is
    steeper, far = w * (rho - d) / max(cut - d, tiny * cut), rho > cut
    w, rho = steeper if far else w, cut if far else rho
    w, rho = w if known else none, rho if known else none
    return w, rho, w * bend * max(d - rho, none) if bend > none else none


# --- any space: groups ----------------------------------------------------------------------------


@kernel
def packed(X):
    """Return the points in groups: ``groups[g, axis]`` are contiguous coordinates."""
    k, n = X.shape
    groups = np.empty(((n + WIDTH - 1) // WIDTH, k, WIDTH), X.dtype)
    for a in range(k):
        for j in range(n):
            groups[j // WIDTH, a, j % WIDTH] = X[a, j]
    return groups


@kernel
def load(D, i, unit, skip, start, count, target):
    """Copy `count` given distances of row `i`; that to `skip` (the point itself) is missing."""
    for layer in range(target.shape[0]):
        row, out = D[i, layer, start : start + count], target[layer]
        for j in range(count):
            out[j] = row[j] * unit
        if start <= skip < start + count:
            out[skip - start] = np.nan


@kernel
def group_cost(u, target, W, i, start, loss):
    """Return Σ_j loss(u_j, r_j) over the known pairs of a group."""
    none, total = u.dtype.type(0), u.dtype.type(0)
    n = u.shape[0]
    for layer in range(target.shape[0]):
        r = target[layer]
        if W is not None:
            weight = W[i, layer, start : start + n]
        for j in range(n):
            value = loss.value(u[j], r[j])
            if W is not None:
                value *= u.dtype.type(weight[j])
            total += value if r[j] == r[j] else none
    return total / target.shape[0]


@kernel
def group_pull(u, slope, target, W, i, start, loss, space, coef):
    """Fill coef with w_j (1 − ρ_j/u_j), as `gather` wants them; return three sums.

    They are Σ w, Σ w·bend·(excess over ρ) and, over points in the very same place, Σ w·ρ.
    """
    number, n = u.dtype.type, u.shape[0]
    none, one, tiny = number(0), number(1), number(1e-9)
    cut, bend = number(space.cut_locus()), number(space.bend())
    total, stiff, apart = none, none, none
    for j in range(n):
        coef[j] = none
    for layer in range(target.shape[0]):
        r = target[layer]
        if W is not None:
            weight = W[i, layer, start : start + n]
        for j in range(n):
            given = one
            if W is not None:
                given = number(weight[j])
            d, factor = u[j], slope[j]
            w, rho, excess = majorizer(d, r[j], given, loss, cut, bend, none, tiny)
            pull, parting, away = w * factor * (one - rho / d), w * rho, d > none
            coef[j] += pull if away else none
            total += w
            stiff += excess
            apart += none if away else parting
    return total, stiff, apart


@kernel
def grouped_cost(p, groups, n, D, W, i, skip, unit, loss, space, scratch):
    """Return the cost of a row at `p` against the first `n` points."""
    u, slope, target = scratch[0], scratch[1], scratch[3 : 3 + D.shape[1]]
    cost = 0.0
    for g in range((n + WIDTH - 1) // WIDTH):
        start = g * WIDTH
        m = min(WIDTH, n - start)
        load(D, i, unit, skip, start, m, target)
        space.measure(p, groups[g], u[:m], slope[:m])
        cost += group_cost(u[:m], target, W, i, start, loss)
    return cost


@kernel
def grouped_pull(p, groups, n, D, W, i, skip, unit, loss, space, scratch, v):
    """Fill v with Σ_j w_j (1 − ρ_j/u_j) log_p(x_j), to be projected; return three sums."""
    layers, k = D.shape[1], p.shape[0]
    u, slope, coef, target = scratch[0], scratch[1], scratch[2], scratch[3 : 3 + layers]
    part = scratch[3 + layers, :k]
    total, stiff, apart = 0.0, 0.0, 0.0
    for a in range(k):
        v[a] = 0.0
    for g in range((n + WIDTH - 1) // WIDTH):
        start = g * WIDTH
        m = min(WIDTH, n - start)
        load(D, i, unit, skip, start, m, target)
        space.measure(p, groups[g], u[:m], slope[:m])
        sums = group_pull(u[:m], slope, target, W, i, start, loss, space, coef)
        total, stiff, apart = total + sums[0], stiff + sums[1], apart + sums[2]
        space.gather(p, groups[g], coef[:m], part)
        for a in range(k):
            v[a] += part[a]
    return total, stiff, apart


# --- two or three coordinates: one loop -----------------------------------------------------------


@inlined
def invariants_2(p0, p1, x0, x1, space):
    """Return what `Space.pair` says of two points with two coordinates, and whether they differ."""
    s0, s1 = space.sign(0), space.sign(1)
    d0, d1, f0, f1 = x0 - p0, x1 - p1, x0 + p0, x1 + p1
    near, far = s0 * d0 * d0 + s1 * d1 * d1, s0 * f0 * f0 + s1 * f1 * f1
    gap = d0 * d0 + d1 * d1
    dist, slope, lean = space.pair(near, far, s0 * p0 * x0 + s1 * p1 * x1, gap)
    return dist, slope, lean, gap


@inlined
def invariants_3(p0, p1, p2, x0, x1, x2, space):
    """Return the same of two points with three coordinates."""
    s0, s1, s2 = space.sign(0), space.sign(1), space.sign(2)
    d0, d1, d2, f0, f1, f2 = x0 - p0, x1 - p1, x2 - p2, x0 + p0, x1 + p1, x2 + p2
    near = s0 * d0 * d0 + s1 * d1 * d1 + s2 * d2 * d2
    far = s0 * f0 * f0 + s1 * f1 * f1 + s2 * f2 * f2
    inner, gap = s0 * p0 * x0 + s1 * p1 * x1 + s2 * p2 * x2, d0 * d0 + d1 * d1 + d2 * d2
    dist, slope, lean = space.pair(near, far, inner, gap)
    return dist, slope, lean, gap


@inlined
def cost_2(p, X, row, W, i, start, unit, loss, space):
    """Return the cost of a chunk of a row, for points with two coordinates."""
    n, number = row.shape[0], p.dtype.type
    X0, X1 = X[0, start : start + n], X[1, start : start + n]
    p0, p1, none, total = p[0], p[1], number(0), number(0)
    if W is not None:
        weight = W[i, 0, start : start + n]
    for j in range(n):
        r = number(row[j]) * unit
        d, _, _, _ = invariants_2(p0, p1, X0[j], X1[j], space)
        value = loss.value(d, r)
        if W is not None:
            value *= number(weight[j])
        total += value if r == r else none
    return total


@inlined
def cost_3(p, X, row, W, i, start, unit, loss, space):
    """Return the cost of a chunk of a row, for points with three coordinates."""
    n, number = row.shape[0], p.dtype.type
    X0, X1, X2 = X[0, start : start + n], X[1, start : start + n], X[2, start : start + n]
    p0, p1, p2, none, total = p[0], p[1], p[2], number(0), number(0)
    if W is not None:
        weight = W[i, 0, start : start + n]
    for j in range(n):
        r = number(row[j]) * unit
        d, _, _, _ = invariants_3(p0, p1, p2, X0[j], X1[j], X2[j], space)
        value = loss.value(d, r)
        if W is not None:
            value *= number(weight[j])
        total += value if r == r else none
    return total


@inlined
def pull_2(p, X, row, W, i, start, unit, loss, space, v):
    """Add the pulls of a chunk of a row to v, for points with two coordinates."""
    n, number = row.shape[0], p.dtype.type
    X0, X1 = X[0, start : start + n], X[1, start : start + n]
    p0, p1, none, one, tiny = p[0], p[1], number(0), number(1), number(1e-9)
    cut, bend = number(space.cut_locus()), number(space.bend())
    v0, v1 = none, none
    total, stiff, apart = none, none, none
    if W is not None:
        weight = W[i, 0, start : start + n]
    for j in range(n):
        given = one
        if W is not None:
            given = number(weight[j])
        x0, x1, r = X0[j], X1[j], number(row[j]) * unit
        d, slope, lean, gap = invariants_2(p0, p1, x0, x1, space)
        w, rho, excess = majorizer(d, r, given, loss, cut, bend, none, tiny)
        pull, parting, away = w * (slope - rho * lean), w * rho, gap > none
        pull = pull if away else none
        v0 += pull * (x0 - p0)
        v1 += pull * (x1 - p1)
        total += w
        stiff += excess
        apart += none if away else parting
    v[0] += v0
    v[1] += v1
    return total, stiff, apart


@inlined
def pull_3(p, X, row, W, i, start, unit, loss, space, v):
    """Add the pulls of a chunk of a row to v, for points with three coordinates."""
    n, number = row.shape[0], p.dtype.type
    X0, X1, X2 = X[0, start : start + n], X[1, start : start + n], X[2, start : start + n]
    p0, p1, p2, none, one, tiny = p[0], p[1], p[2], number(0), number(1), number(1e-9)
    cut, bend = number(space.cut_locus()), number(space.bend())
    v0, v1, v2 = none, none, none
    total, stiff, apart = none, none, none
    if W is not None:
        weight = W[i, 0, start : start + n]
    for j in range(n):
        given = one
        if W is not None:
            given = number(weight[j])
        x0, x1, x2, r = X0[j], X1[j], X2[j], number(row[j]) * unit
        d, slope, lean, gap = invariants_3(p0, p1, p2, x0, x1, x2, space)
        w, rho, excess = majorizer(d, r, given, loss, cut, bend, none, tiny)
        pull, parting, away = w * (slope - rho * lean), w * rho, gap > none
        pull = pull if away else none
        v0 += pull * (x0 - p0)
        v1 += pull * (x1 - p1)
        v2 += pull * (x2 - p2)
        total += w
        stiff += excess
        apart += none if away else parting
    v[0] += v0
    v[1] += v1
    v[2] += v2
    return total, stiff, apart


@inlined
def chunk_end(start, skip, n):
    """Return where a chunk that begins at `start` ends: at the point itself, or after CHUNK."""
    stop = min(start + CHUNK, n)
    return skip if start <= skip < stop else stop


@inlined
def fused_cost(p, X, third, begin, n, D, W, i, skip, unit, loss, space):
    """Return the cost of a row at `p` against the points from `begin` to `n`."""
    cost, start = 0.0, begin
    while start < n:
        stop = chunk_end(start, skip, n)
        row = D[i, 0, start:stop]
        if third is None:
            cost += cost_2(p, X, row, W, i, start, unit, loss, space)
        else:
            cost += cost_3(p, X, row, W, i, start, unit, loss, space)
        start = stop + 1 if stop == skip else stop
    return cost


@inlined
def fused_pull(p, X, third, begin, n, D, W, i, skip, unit, loss, space, v):
    """Fill v and return three sums as `grouped_pull` does."""
    total, stiff, apart, start = 0.0, 0.0, 0.0, begin
    for a in range(v.shape[0]):
        v[a] = 0.0
    while start < n:
        stop = chunk_end(start, skip, n)
        row = D[i, 0, start:stop]
        if third is None:
            sums = pull_2(p, X, row, W, i, start, unit, loss, space, v)
        else:
            sums = pull_3(p, X, row, W, i, start, unit, loss, space, v)
        total, stiff, apart = total + sums[0], stiff + sums[1], apart + sums[2]
        start = stop + 1 if stop == skip else stop
    return total, stiff, apart
