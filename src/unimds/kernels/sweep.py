"""PlaceCenter's kernels, compiled for each loss, space and precision.

Configurations are coordinate-major, ``X[axis, point]``, so that every pass over the points runs
through contiguous memory and vectorises. Distances come as rows ``D[row, layer, j]`` of the points
from ``first`` on: one layer for a symmetric table, and a second with the transpose for an
asymmetric one, where both directions of a pair pull. ``unit`` turns given distances into the unit
that losses and spaces work in. A missing distance is a NaN. ``W`` is None or has the shape of
``D``.

Some arguments choose code, not values. Of ``two``, ``three`` and ``many`` one is 0 and the others
are None: a row is worked off in one loop over points with so many coordinates, or in groups. And
``inner_iter`` is None for a single step that needs no check. Numba leaves out what hangs on a None,
which saves most of its time.
"""

from __future__ import annotations

import numpy as np

from unimds.compiled.parts import inlined, kernel
from unimds.kernels.fused import band_pull, fused_cost, pair_cost, pair_pull, weight_of
from unimds.kernels.rows import WIDTH, group_end, grouped_cost, grouped_pull, load, packed, turn_of


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
def step(p, turn, total, stiff, apart, space, v):
    """Make a step of the pulls that `v` and the sums hold."""
    space.project(p, v)
    if apart > 0.0:
        part_ways(p, turn, apart, space, v)
    shorten(total, stiff, space, v)


@inlined
def move(p, turn, total, stiff, apart, space, v):
    """Go that step."""
    # `step`, written out: at a call Numba counts references to arrays, by atomics, point by point
    space.project(p, v)
    if apart > 0.0:
        part_ways(p, turn, apart, space, v)
    shorten(total, stiff, space, v)
    space.exp(p, v)


@inlined
def shorten(total, stiff, space, v):
    """Divide v by Σ w, and by more where negative curvature bends the majorizer.

    There ½(dist − ρ)² has a Hessian of at most 1 + bend·(dist − ρ + the way gone), see
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
    """Add a pull away from points that coincide with `p`: any direction does, `turn` fixes one."""
    k = p.shape[0]
    away = np.zeros(k)
    for a in range(k):  # spread over the axes by the golden ratio, another way for each point
        away[a] = np.cos(2.399963229728653 * (turn + 1.0) * (a + 1.0))
    space.project(p, away)
    norm = 0.0
    for a in range(k):
        norm += space.sign(a) * away[a] * away[a]
    if norm > 0.0:
        for a in range(k):
            v[a] += apart / space.unit_length() * away[a] / np.sqrt(norm)


@kernel
def place(
    p, points, two, three, many, row, band, turn, loss, space, inner_iter, eps, stretch, scratch, v,
    trial,
):  # fmt: skip
    """Move `p` to lower its cost against the points of its row: the paper's Place.

    Where `inner_iter` is None a single step is known to descend. Otherwise the cost of the row is
    compared after every step, and the step shortened until it has not risen; where `stretch`, a
    step that needs no shortening is doubled as long as that pays. Returns the cost of the row, or
    −1 where it was not needed, and whether the point has settled.
    """
    if inner_iter is None:
        recenter(p, points, two, three, many, row, band, turn, loss, space, scratch, v)
        space.exp(p, v)
        return -1.0, False
    cost = row_cost(p, points, two, three, many, row, loss, space, scratch)
    start = np.empty_like(p)
    for _ in range(inner_iter):
        recenter(p, points, two, three, many, row, band, turn, loss, space, scratch, v)
        length, low, begun = 1.0, cost, cost
        start[:] = p
        while 1e-9 < length < 1e3:
            step = length * v  # exp may use its argument as scratch
            trial[:] = start
            space.exp(trial, step)
            new = row_cost(trial, points, two, three, many, row, loss, space, scratch)
            better = new < low or (length <= 1.0 and new <= low)
            if better:
                low = new
                p[:] = trial
            if (better and not (stretch and length >= 1.0)) or (length > 1.0 and not better):
                break
            length = 2.0 * length if better else 0.5 * length
        cost = low
        if begun - cost <= eps * cost:
            return cost, True
    return cost, False


@kernel
def workspace(k, layers, dtype):
    """Return scratch memory for one row: a group of numbers for each of its passes."""
    return np.empty((4 + layers, max(WIDTH, k)), dtype)


@kernel
def grouped_points(X, many):
    """Return the points in groups, where those are used."""
    if many is None:
        return np.empty((0, X.shape[0], WIDTH), X.dtype)
    return packed(X)


@kernel
def sweep(D, W, first, free, band, X, two, three, many, loss, space, unit, inner_iter, eps):
    """Place every free point of the given rows once, in place.

    Points from ``band[0]`` to ``band[1]`` are placed one after the other, all others at the same
    time elsewhere: then the cost of all does not rise either.
    """
    if many is None and inner_iter is None:
        sweep_by_two(D, W, first, free, band, X, two, three, loss, space, unit)
    else:
        sweep_by_one(
            D, W, first, free, band, X, two, three, many, loss, space, unit, inner_iter, eps
        )


@inlined
def coordinates(two):
    """Return the number of coordinates as a constant: loops over them are then unrolled."""
    if two is not None:
        return 2
    return 3


@kernel
def sweep_by_two(D, W, first, free, band, X, two, three, loss, space, unit):
    """Do that with two rows in one loop; see `unimds.kernels.fused`.

    All pairs but their own are the same whichever of the two points has moved.
    """
    k, scale = coordinates(two), X.dtype.type(unit)
    p, q, u, v = np.empty(k, X.dtype), np.empty(k, X.dtype), np.empty(k), np.empty(k)
    for row in range(0, D.shape[0], 2):
        other = min(row + 1, D.shape[0] - 1)  # the last one may be alone
        i, j = first + row, first + other
        for a in range(k):
            p[a], q[a] = X[a, i], X[a, j]
        gap = (i, j + 1)
        s, t = band_pull(p, q, X, two, three, band, D, W, row, other, gap, scale, loss, space, u, v)
        if free[i]:
            own = (0.0, 0.0, 0.0)
            if j > i:
                weight = weight_of(W, row, j)
                own = pair_pull(p, q, two, three, D[row, 0, j], weight, scale, loss, space, u)
            move(p, i, s[0] + own[0], s[1] + own[1], s[2] + own[2], space, u)
            for a in range(k):
                X[a, i] = p[a]
        if j > i and free[j]:
            weight = weight_of(W, other, i)
            own = pair_pull(q, p, two, three, D[other, 0, i], weight, scale, loss, space, v)
            move(q, j, t[0] + own[0], t[1] + own[1], t[2] + own[2], space, v)
            for a in range(k):
                X[a, j] = q[a]


@kernel
def sweep_by_one(D, W, first, free, band, X, two, three, many, loss, space, unit, inner_iter, eps):
    """Do that row by row."""
    k, n = X.shape
    groups, scratch = grouped_points(X, many), workspace(k, D.shape[1], X.dtype)
    p, trial, v = np.empty(k, X.dtype), np.empty(k, X.dtype), np.empty(k)
    points, scale = (X, groups, n), X.dtype.type(unit)
    for row in range(D.shape[0]):
        i = first + row
        if free[i]:
            p[:] = X[:, i]
            place(
                p, points, two, three, many, (D, W, row, i, scale), band, i, loss, space,
                inner_iter, eps, False, scratch, v, trial,
            )  # fmt: skip
            X[:, i] = p
            if many is not None:
                groups[i // WIDTH, :, i % WIDTH] = p


@kernel
def place_rows(D, W, X, P, two, three, many, loss, space, unit, inner_iter, eps, cost, settled):
    """Place new points, the columns of `P`, against the fixed points `X`, each by its own row."""
    k, n = X.shape
    groups, scratch = grouped_points(X, many), workspace(k, 1, X.dtype)
    p, trial, v = np.empty(k, X.dtype), np.empty(k, X.dtype), np.empty(k)
    points, scale = (X, groups, n), X.dtype.type(unit)
    for i in range(P.shape[1]):
        p[:] = P[:, i]
        # one turn for all: a row's place must not depend on its number
        cost[i], settled[i] = place(
            p, points, two, three, many, (D, W, i, -1, scale), (0, n), 0, loss, space, inner_iter,
            eps, True, scratch, v, trial,
        )  # fmt: skip
        P[:, i] = p


@kernel
def evaluate(D, W, first, X, two, three, many, exact, smooth, both, space, unit):
    """Return the costs of the given rows by the loss as given and, where `both`, as smoothed.

    Every pair counts once; the two directions of an asymmetric pair count half each.
    """
    k, scale, costs, smooth_costs = X.shape[0], X.dtype.type(unit), 0.0, 0.0
    p, q, row = np.empty(k, X.dtype), np.empty(k, X.dtype), 0
    groups, scratch = grouped_points(X, many), workspace(k, D.shape[1], X.dtype)
    while row < D.shape[0]:
        other = row  # two rows of a group, or the last one alone
        if many is None and row + 1 < D.shape[0] and (first + row + 1) % WIDTH > 0:
            other = row + 1
        i, j = first + row, first + other
        for a in range(k):
            p[a], q[a] = X[a, i], X[a, j]
        rows, points = (D, W, row, other, scale), (X, groups, i, j)
        costs += cost_in_turn(p, q, points, two, three, many, rows, exact, space, scratch)
        if both:
            smooth_costs += cost_in_turn(
                p, q, points, two, three, many, rows, smooth, space, scratch
            )
        row = other + 1
    return costs, smooth_costs if both else costs


@inlined
def cost_in_turn(p, q, points, two, three, many, rows, loss, space, scratch):
    """Return the cost of one row or two against the points that they are counted with."""
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


@kernel
def pair_sums(D, W, first, X, loss, space, unit):
    """Return four sums over the pairs of the given rows, each pair once.

    Σ weight·|residual| and Σ weight tell the mean error; Σ wρu and Σ wu² the factor on the size of
    the space that minimises the majorizer.
    """
    (k, n), layers = X.shape, D.shape[1]
    groups, scratch = packed(X), workspace(k, layers, X.dtype)
    u, slope, target = scratch[0], scratch[1], scratch[3 : 3 + layers]
    p, scale = np.empty(k, X.dtype), X.dtype.type(unit)
    residuals, weights, above, below = 0.0, 0.0, 0.0, 0.0
    for row in range(D.shape[0]):
        i = first + row
        p[:] = X[:, i]
        begin, gap = turn_of(i, n)
        for g in range(begin // WIDTH, len(groups)):
            start = g * WIDTH
            m = group_end(start, gap, n) - start
            if m == 0:
                continue
            load(D, row, scale, -1, start, m, target)
            space.measure(p, groups[g], u[:m], slope[:m])
            for layer in range(layers):
                for j in range(m):
                    d, r, weight = u[j], target[layer, j], 1.0
                    if W is not None:
                        weight = W[row, layer, start + j]
                    if r == r:
                        w = weight * loss.weight(d, r)
                        residuals += weight * abs(loss.residual(d, r))
                        weights += weight
                        above += w * loss.radius(d, r) * d
                        below += w * d * d
    return residuals, weights, above, below


@kernel
def extrapolate(X, previous, beta, free, space, out):
    """Walk from `previous` through `X` and `beta` times as far again: exp_x(−β log_x(previous))."""
    k, n = X.shape
    p, v, other = np.empty(k, X.dtype), np.empty(k, X.dtype), np.empty((k, 1), X.dtype)
    u, slope = np.empty(1, X.dtype), np.empty(1, X.dtype)
    for i in range(n):
        p[:] = X[:, i]
        if free[i]:
            other[:, 0] = previous[:, i]
            space.measure(p, other, u, slope)
            slope[0] *= -beta
            space.gather(p, other, slope, v)
            space.project(p, v)
            space.exp(p, v)
        out[:, i] = p
