"""PlaceCenter's kernels: sweeps, new points, costs and momentum.

Configurations are coordinate-major, ``X[axis, point]``, so that every pass over the points runs
through contiguous memory and vectorises. Distances are rows ``D[row, layer, j]`` of the points from
``first`` on. A symmetric table has one layer; an asymmetric table has its transpose as a second
layer, and both directions of a pair pull. A missing distance is a NaN. ``W`` is None or has the
shape of ``D``. ``unit`` converts given distances to the unit of the loss and the space.

Some arguments choose code, not values. One of ``two``, ``three`` and ``many`` is 0 and the other
two are None: a row is one loop over points with two or three coordinates, or runs in groups.
``inner_iter`` is None for a single step that needs no check. Numba leaves out the code that depends
on a None, which saves most of the compile time.
"""

from __future__ import annotations

import numpy as np

from unimds.compiled.parts import kernel
from unimds.kernels.fused import (
    band_pull,
    coordinates,
    cost_in_turn,
    pair_pull,
    recenter,
    row_cost,
    weight_of,
)
from unimds.kernels.rows import WIDTH, group_end, load, move, packed, turn_of, workspace


@kernel
def place(
    p, points, two, three, many, row, band, turn, loss, space, inner_iter, eps, stretch, scratch, v,
    trial,
):  # fmt: skip
    """Move `p` to lower its cost against the points of its row: the paper's Place.

    If `inner_iter` is None, take a single step, which is known to descend. Otherwise halve each
    step until the cost of the row does not rise; if `stretch`, double a step that needs no halving
    as long as the cost falls. Return the cost of the row, or −1 if it was not needed, and whether
    the point has settled.
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
def grouped_points(X, many):
    """Return the points in groups, if the kernel uses groups."""
    if many is None:
        return np.empty((0, X.shape[0], WIDTH), X.dtype)
    return packed(X)


@kernel
def sweep(D, W, first, free, band, X, two, three, many, loss, space, unit, inner_iter, eps):
    """Place every free point of the given rows once, in place.

    Points ``band[0]`` to ``band[1]`` are placed one after another; points beyond the band move at
    the same time on other workers, and even so the total cost does not rise.
    """
    if many is None and inner_iter is None:
        sweep_by_two(D, W, first, free, band, X, two, three, loss, space, unit)
    else:
        sweep_by_one(
            D, W, first, free, band, X, two, three, many, loss, space, unit, inner_iter, eps
        )


@kernel
def sweep_by_two(D, W, first, free, band, X, two, three, loss, space, unit):
    """Sweep two rows per loop; see `unimds.kernels.fused`.

    Of all their pairs, only the pair of the two points depends on which of them moves first.
    """
    k, scale = coordinates(two), X.dtype.type(unit)
    p, q, u, v = np.empty(k, X.dtype), np.empty(k, X.dtype), np.empty(k), np.empty(k)
    for row in range(0, D.shape[0], 2):
        other = min(row + 1, D.shape[0] - 1)  # the last row may be alone
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
    """Sweep row by row."""
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
    """Place new points, the columns of `P`, against the fixed points `X`, one row of `D` each."""
    k, n = X.shape
    groups, scratch = grouped_points(X, many), workspace(k, 1, X.dtype)
    p, trial, v = np.empty(k, X.dtype), np.empty(k, X.dtype), np.empty(k)
    points, scale = (X, groups, n), X.dtype.type(unit)
    for i in range(P.shape[1]):
        p[:] = P[:, i]
        # turn 0 for all: the place of a new point must not depend on its row number
        cost[i], settled[i] = place(
            p, points, two, three, many, (D, W, i, -1, scale), (0, n), 0, loss, space, inner_iter,
            eps, True, scratch, v, trial,
        )  # fmt: skip
        P[:, i] = p


@kernel
def evaluate(D, W, first, X, two, three, many, exact, smooth, both, space, unit):
    """Return the cost of the given rows by the exact loss and, if `both`, by the smoothed loss.

    Every pair counts once; each direction of an asymmetric pair counts half.
    """
    k, scale, costs, smooth_costs = X.shape[0], X.dtype.type(unit), 0.0, 0.0
    p, q, row = np.empty(k, X.dtype), np.empty(k, X.dtype), 0
    groups, scratch = grouped_points(X, many), workspace(k, D.shape[1], X.dtype)
    while row < D.shape[0]:
        other = row  # two rows of a group, or its last row alone
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


@kernel
def pair_sums(D, W, first, X, loss, space, unit):
    """Return four sums over the pairs of the given rows, each pair once.

    Σ weight·|residual| and Σ weight give the mean error. Σ wρu and Σ wu² give the factor on the
    size of the space that minimises the majorizer.
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
    """Extrapolate the step from `previous` to `X` by `beta`: exp_x(−β log_x(previous))."""
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
