"""One row of the table: the cost and the pull on its point, in any space.

A row is processed in groups of `WIDTH` points, which stay in the fastest cache from pass to pass.
Loops compute all cases and then choose, since a loop with branches does not vectorise. Arithmetic
is in the precision of the points; sums over groups are doubles. Points with two or three
coordinates may need no groups: see `unimds.kernels.fused`.
"""

from __future__ import annotations

import numpy as np

from unimds.compiled.parts import inlined, kernel

WIDTH = 512
"""Points in a group: a few rows of this length fit in 32 kB."""


@inlined
def majorizer(d, r, weight, loss, cut, bend, none, tiny):
    """Return w and ρ of a pair's majorizer, and w·bend·(d − ρ)₊; all zero if `r` is missing."""
    known = r == r
    w, rho = loss.weight(d, r) * weight, loss.radius(d, r)
    # a centre beyond the cut locus moves to it, and the slope stays the same
    steeper, far = w * (rho - d) / max(cut - d, tiny * cut), rho > cut
    w, rho = steeper if far else w, cut if far else rho
    w, rho = w if known else none, rho if known else none
    return w, rho, w * bend * max(d - rho, none) if bend > none else none


@kernel
def packed(X):
    """Copy the points into groups: ``groups[g, axis]`` holds contiguous coordinates."""
    k, n = X.shape
    groups = np.empty(((n + WIDTH - 1) // WIDTH, k, WIDTH), X.dtype)
    for a in range(k):
        for j in range(n):
            groups[j // WIDTH, a, j % WIDTH] = X[a, j]
    return groups


@kernel
def workspace(k, layers, dtype):
    """Allocate scratch memory for one row: one group of numbers for each pass."""
    return np.empty((4 + layers, max(WIDTH, k)), dtype)


@kernel
def load(D, i, unit, skip, start, count, target):
    """Copy `count` given distances of row `i`; mark `skip`, the point itself, as missing."""
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
def group_pull(u, slope, target, W, i, start, band, loss, space, coef):
    """Fill coef with w_j (1 − ρ_j/u_j) times the slope, for `gather`; return three sums.

    The sums are Σ w, Σ w·bend·(u − ρ)₊ and, over points that coincide with this one, Σ w·ρ. In the
    first two, points beyond `band` count twice; see `unimds.kernels.fused.band_pull`.
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
            times = one if band[0] <= start + j < band[1] else one + one
            total += times * w
            stiff += times * excess
            apart += none if away else parting
    return total, stiff, apart


@inlined
def turn_of(i, n):
    """Return the first point that point `i` of `n` is counted with, and a gap to leave out.

    Every pair is counted in one row, and all rows have the same amount of work: on a circle of
    groups, each group is counted with the half that precedes it; within its own group, point `i` is
    counted with the points before it.
    """
    group, groups = i // WIDTH, (n + WIDTH - 1) // WIDTH
    half = (groups - 1 + (1 if 2 * group >= groups else 0)) // 2  # the later of opposite groups
    after = groups - max(half - group, 0)
    return max(group - half, 0) * WIDTH, (i, min(after * WIDTH, n))


@inlined
def group_end(start, gap, n):
    """Return the end of the group that begins at `start`, without the gap."""
    if gap[0] <= start < gap[1]:
        return start
    return min(start + WIDTH, gap[0] if start < gap[0] else n)


@kernel
def grouped_cost(p, groups, begin, n, gap, D, W, i, skip, unit, loss, space, scratch):
    """Return the cost of a row at `p` against points `begin` to `n`, without the gap."""
    u, slope, target = scratch[0], scratch[1], scratch[3 : 3 + D.shape[1]]
    cost = 0.0
    for g in range(begin // WIDTH, (n + WIDTH - 1) // WIDTH):
        start = g * WIDTH
        m = group_end(start, gap, n) - start
        if m == 0:
            continue
        load(D, i, unit, skip, start, m, target)
        space.measure(p, groups[g], u[:m], slope[:m])
        cost += group_cost(u[:m], target, W, i, start, loss)
    return cost


@kernel
def grouped_pull(p, groups, n, band, D, W, i, skip, unit, loss, space, scratch, v):
    """Fill v with Σ_j w_j (1 − ρ_j/u_j) log_p(x_j) before projection; return three sums."""
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
        sums = group_pull(u[:m], slope, target, W, i, start, band, loss, space, coef)
        total, stiff, apart = total + sums[0], stiff + sums[1], apart + sums[2]
        space.gather(p, groups[g], coef[:m], part)
        for a in range(k):
            v[a] += part[a]
    return total, stiff, apart


@inlined
def step(p, turn, total, stiff, apart, space, v):
    """Turn the pull `v` and its sums into a step."""
    space.project(p, v)
    if apart > 0.0:
        part_ways(p, turn, apart, space, v)
    shorten(total, stiff, space, v)


@inlined
def move(p, turn, total, stiff, apart, space, v):
    """Take that step."""
    # `step` written out: for each call Numba counts references to arrays with slow atomics
    space.project(p, v)
    if apart > 0.0:
        part_ways(p, turn, apart, space, v)
    shorten(total, stiff, space, v)
    space.exp(p, v)


@inlined
def shorten(total, stiff, space, v):
    """Divide v by Σ w, and by more where negative curvature bends the majorizer.

    There ½(dist − ρ)² has a Hessian of at most 1 + bend·(dist − ρ + length of the step), see
    docs/mathematics.md; so this step descends as the unit step does in flat space.
    """
    k, square = v.shape[0], 0.0
    for a in range(k):
        square += space.sign(a) * v[a] * v[a]
    divisor = total + stiff
    if space.bend() > 0.0 and divisor > 0.0:
        way = space.unit_length() * np.sqrt(max(square, 0.0)) / divisor
        divisor += space.bend() * way * total
    for a in range(k):
        v[a] = v[a] / divisor if divisor > 0.0 else 0.0


@kernel
def part_ways(p, turn, apart, space, v):
    """Add a pull away from points that coincide with `p`, in a direction chosen by `turn`."""
    k = p.shape[0]
    away = np.zeros(k)
    for a in range(k):  # the golden angle gives each point another direction
        away[a] = np.cos(2.399963229728653 * (turn + 1.0) * (a + 1.0))
    space.project(p, away)
    norm = 0.0
    for a in range(k):
        norm += space.sign(a) * away[a] * away[a]
    if norm > 0.0:
        for a in range(k):
            v[a] += apart / space.unit_length() * away[a] / np.sqrt(norm)
