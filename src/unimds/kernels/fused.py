"""Rows in one fused loop, for points with two or three coordinates.

The space computes a pair from a few invariants (`Space.pair`), so distance, majorizer and pull stay
in registers and nothing is stored. Sums over chunks are doubles. All else is as in
`unimds.kernels.rows`.
"""

from __future__ import annotations

from unimds.compiled.parts import inlined
from unimds.kernels.rows import grouped_cost, grouped_pull, majorizer, step, turn_of

CHUNK = 4096
"""Points in a chunk; within it, sums are in the precision of the points."""


@inlined
def coordinates(two):
    """Return the number of coordinates as a constant, so that loops over them are unrolled."""
    if two is not None:
        return 2
    return 3


@inlined
def invariants_2(p0, p1, x0, x1, space):
    """Return `Space.pair` of two points with two coordinates, and the square of x − p."""
    s0, s1 = space.sign(0), space.sign(1)
    d0, d1, f0, f1 = x0 - p0, x1 - p1, x0 + p0, x1 + p1
    near, far = s0 * d0 * d0 + s1 * d1 * d1, s0 * f0 * f0 + s1 * f1 * f1
    gap = d0 * d0 + d1 * d1
    dist, slope, lean = space.pair(near, far, s0 * p0 * x0 + s1 * p1 * x1, gap)
    return dist, slope, lean, gap


@inlined
def invariants_3(p0, p1, p2, x0, x1, x2, space):
    """Return the same for three coordinates."""
    s0, s1, s2 = space.sign(0), space.sign(1), space.sign(2)
    d0, d1, d2, f0, f1, f2 = x0 - p0, x1 - p1, x2 - p2, x0 + p0, x1 + p1, x2 + p2
    near = s0 * d0 * d0 + s1 * d1 * d1 + s2 * d2 * d2
    far = s0 * f0 * f0 + s1 * f1 * f1 + s2 * f2 * f2
    inner, gap = s0 * p0 * x0 + s1 * p1 * x1 + s2 * p2 * x2, d0 * d0 + d1 * d1 + d2 * d2
    dist, slope, lean = space.pair(near, far, inner, gap)
    return dist, slope, lean, gap


@inlined
def value_2(p0, p1, x0, x1, r, given, loss, space):
    """Return the cost of a pair with two coordinates."""
    d, _, _, _ = invariants_2(p0, p1, x0, x1, space)
    return given * loss.value(d, r) if r == r else type(p0)(0)


@inlined
def value_3(p0, p1, p2, x0, x1, x2, r, given, loss, space):
    """Return the cost of a pair with three coordinates."""
    d, _, _, _ = invariants_3(p0, p1, p2, x0, x1, x2, space)
    return given * loss.value(d, r) if r == r else type(p0)(0)


@inlined
def drawn_2(p0, p1, x0, x1, r, given, loss, space):
    """Return the pull of x on p, w, the excess over ρ and the parting, for two coordinates."""
    number = type(p0)
    none, cut, bend = number(0), number(space.cut_locus()), number(space.bend())
    d, slope, lean, gap = invariants_2(p0, p1, x0, x1, space)
    w, rho, excess = majorizer(d, r, given, loss, cut, bend, none, number(1e-9))
    pull, parting, away = w * (slope - rho * lean), w * rho, gap > none
    pull = pull if away else none
    return pull * (x0 - p0), pull * (x1 - p1), w, excess, none if away else parting


@inlined
def drawn_3(p0, p1, p2, x0, x1, x2, r, given, loss, space):
    """Return the same for three coordinates."""
    number = type(p0)
    none, cut, bend = number(0), number(space.cut_locus()), number(space.bend())
    d, slope, lean, gap = invariants_3(p0, p1, p2, x0, x1, x2, space)
    w, rho, excess = majorizer(d, r, given, loss, cut, bend, none, number(1e-9))
    pull, parting, away = w * (slope - rho * lean), w * rho, gap > none
    pull = pull if away else none
    apart = none if away else parting
    return pull * (x0 - p0), pull * (x1 - p1), pull * (x2 - p2), w, excess, apart


# Loops over a chunk, for one row or for two: two rows share each load of a point, which takes most
# of the time if there are many points. The second row is `other`, with its point `q`; without a
# second row, all its arguments are None.


@inlined
def cost_2(p, q, X, D, W, row, other, start, stop, unit, loss, space):
    """Return the cost of a chunk, for points with two coordinates."""
    number = p.dtype.type
    X0, X1, r = X[0, start:stop], X[1, start:stop], D[row, 0, start:stop]
    p0, p1, total, given = p[0], p[1], number(0), number(1)
    if q is not None:
        q0, q1, s = q[0], q[1], D[other, 0, start:stop]
    if W is not None:
        weight = W[row, 0, start:stop]
        if q is not None:
            weight_s = W[other, 0, start:stop]
    for j in range(stop - start):
        x0, x1 = X0[j], X1[j]
        if W is not None:
            given = number(weight[j])
        total += value_2(p0, p1, x0, x1, number(r[j]) * unit, given, loss, space)
        if q is not None:
            if W is not None:
                given = number(weight_s[j])
            total += value_2(q0, q1, x0, x1, number(s[j]) * unit, given, loss, space)
    return total


@inlined
def cost_3(p, q, X, D, W, row, other, start, stop, unit, loss, space):
    """Return the cost of a chunk, for points with three coordinates."""
    number = p.dtype.type
    X0, X1, X2, r = X[0, start:stop], X[1, start:stop], X[2, start:stop], D[row, 0, start:stop]
    p0, p1, p2, total, given = p[0], p[1], p[2], number(0), number(1)
    if q is not None:
        q0, q1, q2, s = q[0], q[1], q[2], D[other, 0, start:stop]
    if W is not None:
        weight = W[row, 0, start:stop]
        if q is not None:
            weight_s = W[other, 0, start:stop]
    for j in range(stop - start):
        x0, x1, x2 = X0[j], X1[j], X2[j]
        if W is not None:
            given = number(weight[j])
        total += value_3(p0, p1, p2, x0, x1, x2, number(r[j]) * unit, given, loss, space)
        if q is not None:
            if W is not None:
                given = number(weight_s[j])
            total += value_3(q0, q1, q2, x0, x1, x2, number(s[j]) * unit, given, loss, space)
    return total


@inlined
def pull_2(p, q, X, D, W, row, other, start, stop, unit, loss, space, u, v):
    """Add the pulls of a chunk on `p` to u and on `q` to v, for two coordinates.

    Return three sums for each row.
    """
    number = p.dtype.type
    X0, X1, r = X[0, start:stop], X[1, start:stop], D[row, 0, start:stop]
    p0, p1, none, given = p[0], p[1], number(0), number(1)
    u0, u1, u2, u3, u4 = none, none, none, none, none
    v0, v1, v2, v3, v4 = none, none, none, none, none
    if q is not None:
        q0, q1, s = q[0], q[1], D[other, 0, start:stop]
    if W is not None:
        weight = W[row, 0, start:stop]
        if q is not None:
            weight_s = W[other, 0, start:stop]
    for j in range(stop - start):
        x0, x1 = X0[j], X1[j]
        if W is not None:
            given = number(weight[j])
        a = drawn_2(p0, p1, x0, x1, number(r[j]) * unit, given, loss, space)
        u0, u1, u2, u3, u4 = u0 + a[0], u1 + a[1], u2 + a[2], u3 + a[3], u4 + a[4]
        if q is not None:
            if W is not None:
                given = number(weight_s[j])
            b = drawn_2(q0, q1, x0, x1, number(s[j]) * unit, given, loss, space)
            v0, v1, v2, v3, v4 = v0 + b[0], v1 + b[1], v2 + b[2], v3 + b[3], v4 + b[4]
    u[0], u[1] = u[0] + u0, u[1] + u1
    if q is not None:
        v[0], v[1] = v[0] + v0, v[1] + v1
    return u2, u3, u4, v2, v3, v4


@inlined
def pull_3(p, q, X, D, W, row, other, start, stop, unit, loss, space, u, v):
    """Add the pulls of a chunk on `p` to u and on `q` to v, for three coordinates."""
    number = p.dtype.type
    X0, X1, X2, r = X[0, start:stop], X[1, start:stop], X[2, start:stop], D[row, 0, start:stop]
    p0, p1, p2, none, given = p[0], p[1], p[2], number(0), number(1)
    u0, u1, u2, u3, u4, u5 = none, none, none, none, none, none
    v0, v1, v2, v3, v4, v5 = none, none, none, none, none, none
    if q is not None:
        q0, q1, q2, s = q[0], q[1], q[2], D[other, 0, start:stop]
    if W is not None:
        weight = W[row, 0, start:stop]
        if q is not None:
            weight_s = W[other, 0, start:stop]
    for j in range(stop - start):
        x0, x1, x2 = X0[j], X1[j], X2[j]
        if W is not None:
            given = number(weight[j])
        a = drawn_3(p0, p1, p2, x0, x1, x2, number(r[j]) * unit, given, loss, space)
        u0, u1, u2, u3, u4, u5 = u0 + a[0], u1 + a[1], u2 + a[2], u3 + a[3], u4 + a[4], u5 + a[5]
        if q is not None:
            if W is not None:
                given = number(weight_s[j])
            b = drawn_3(q0, q1, q2, x0, x1, x2, number(s[j]) * unit, given, loss, space)
            v0, v1, v2 = v0 + b[0], v1 + b[1], v2 + b[2]
            v3, v4, v5 = v3 + b[3], v4 + b[4], v5 + b[5]
    u[0], u[1], u[2] = u[0] + u0, u[1] + u1, u[2] + u2
    if q is not None:
        v[0], v[1], v[2] = v[0] + v0, v[1] + v1, v[2] + v2
    return u3, u4, u5, v3, v4, v5


@inlined
def chunk_end(start, gap, n):
    """Return the end of the chunk that begins at `start`: the gap, or CHUNK points later."""
    stop = min(start + CHUNK, n)
    return gap if start <= gap < stop else stop


@inlined
def chunk_pull(p, q, X, two, three, start, stop, D, W, row, other, unit, loss, space, u, v):
    """Add pulls to u, and to v for a second row; return three sums for each row."""
    none = p.dtype.type(0)
    sums = none, none, none, none, none, none
    if two is not None:
        sums = pull_2(p, q, X, D, W, row, other, start, stop, unit, loss, space, u, v)
    if three is not None:
        sums = pull_3(p, q, X, D, W, row, other, start, stop, unit, loss, space, u, v)
    return sums


@inlined
def fused_cost(p, q, X, two, three, begin, n, D, W, row, other, gap, unit, loss, space):
    """Return the cost of one row or two against points `begin` to `n`, without the gap."""
    cost, start = 0.0, begin
    while start < n:
        stop = chunk_end(start, gap[0], n)
        if two is not None:
            cost += cost_2(p, q, X, D, W, row, other, start, stop, unit, loss, space)
        if three is not None:
            cost += cost_3(p, q, X, D, W, row, other, start, stop, unit, loss, space)
        start = gap[1] if stop == gap[0] else stop
    return cost


@inlined
def fused_pull(p, q, X, two, three, begin, n, D, W, row, other, gap, unit, loss, space, u, v):
    """Add pulls to u, and to v for a second row; return three sums for each row."""
    u_total, u_stiff, u_apart, v_total, v_stiff, v_apart = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    start = begin
    while start < n:
        stop = chunk_end(start, gap[0], n)
        sums = chunk_pull(
            p, q, X, two, three, start, stop, D, W, row, other, unit, loss, space, u, v
        )  # fmt: skip
        u_total, u_stiff, u_apart = u_total + sums[0], u_stiff + sums[1], u_apart + sums[2]
        v_total, v_stiff, v_apart = v_total + sums[3], v_stiff + sums[4], v_apart + sums[5]
        start = gap[1] if stop == gap[0] else stop
    return (u_total, u_stiff, u_apart), (v_total, v_stiff, v_apart)


@inlined
def band_pull(p, q, X, two, three, band, D, W, row, other, gap, unit, loss, space, u, v):
    """Fill u, and v for a second row, with the pulls of all points; return three sums for each.

    Points beyond `band` move at the same time on other workers. Pairs with them count twice in the
    sums, which shortens the step: ‖a − b + z‖² ≤ ½‖2a + z‖² + ½‖2b − z‖².
    """
    for a in range(u.shape[0]):
        u[a] = 0.0
        if q is not None:
            v[a] = 0.0
    s0, s1, s2, t0, t1, t2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for part in range(3):
        start = 0 if part == 0 else band[part - 1]
        stop = X.shape[1] if part == 2 else band[part]
        times = 1.0 if part == 1 else 2.0
        a, b = fused_pull(
            p, q, X, two, three, start, stop, D, W, row, other, gap, unit, loss, space, u, v
        )  # fmt: skip
        s0, s1, s2 = s0 + times * a[0], s1 + times * a[1], s2 + a[2]
        t0, t1, t2 = t0 + times * b[0], t1 + times * b[1], t2 + b[2]
    return (s0, s1, s2), (t0, t1, t2)


@inlined
def weight_of(W, row, j):
    """Return the weight of a pair."""
    if W is None:
        return 1.0
    return W[row, 0, j]


@inlined
def pair_cost(p, x, two, three, r, weight, unit, loss, space):
    """Return the cost of one pair."""
    given, target, cost = p.dtype.type(weight), p.dtype.type(r) * unit, p.dtype.type(0)
    if two is not None:
        cost = value_2(p[0], p[1], x[0], x[1], target, given, loss, space)
    if three is not None:
        cost = value_3(p[0], p[1], p[2], x[0], x[1], x[2], target, given, loss, space)
    return cost


@inlined
def pair_pull(p, x, two, three, r, weight, unit, loss, space, v):
    """Add the pull of one point to v and return its three sums."""
    given, target, none = p.dtype.type(weight), p.dtype.type(r) * unit, p.dtype.type(0)
    sums = none, none, none
    if two is not None:
        a = drawn_2(p[0], p[1], x[0], x[1], target, given, loss, space)
        v[0], v[1] = v[0] + a[0], v[1] + a[1]
        sums = a[2], a[3], a[4]
    if three is not None:
        b = drawn_3(p[0], p[1], p[2], x[0], x[1], x[2], target, given, loss, space)
        v[0], v[1], v[2] = v[0] + b[0], v[1] + b[1], v[2] + b[2]
        sums = b[3], b[4], b[5]
    return sums


# One row in either form: in one loop, or in groups if `many` is not None.


@inlined
def row_cost(p, points, two, three, many, row, loss, space, scratch):
    """Return Σ_j loss(u_j, r_j) over the known pairs of a row: the paper's C_i."""
    X, groups, end = points
    D, W, i, skip, unit = row
    if many is None:
        gap = (skip, skip + 1)
        return fused_cost(p, None, X, two, three, 0, end, D, W, i, None, gap, unit, loss, space)
    return grouped_cost(p, groups, 0, end, (end, end), D, W, i, skip, unit, loss, space, scratch)


@inlined
def recenter(p, points, two, three, many, row, band, turn, loss, space, scratch, v):
    """Fill v with Σ_j w_j (1 − ρ_j/u_j) log_p(x_j) / Σ_j w_j: the paper's Recenter."""
    X, groups, end = points
    D, W, i, skip, unit = row
    if many is None:
        gap = (skip, skip + 1)
        sums, _ = band_pull(
            p, None, X, two, three, band, D, W, i, None, gap, unit, loss, space, v, None
        )  # fmt: skip
    else:
        sums = grouped_pull(p, groups, end, band, D, W, i, skip, unit, loss, space, scratch, v)
    step(p, turn, sums[0], sums[1], sums[2], space, v)


@inlined
def cost_in_turn(p, q, points, two, three, many, rows, loss, space, scratch):
    """Return the cost of one row or two against the points they are counted with."""
    X, groups, i, j = points
    D, W, row, other, unit = rows
    n = X.shape[1]
    begin, gap = turn_of(i, n)
    if many is not None:
        return grouped_cost(p, groups, begin, n, gap, D, W, row, -1, unit, loss, space, scratch)
    weight = weight_of(W, other, i)
    cost = fused_cost(p, q, X, two, three, begin, n, D, W, row, other, gap, unit, loss, space)
    if i == j:
        return 0.5 * cost  # the same row twice
    return cost + pair_cost(q, p, two, three, D[other, 0, i], weight, unit, loss, space)
