"""PlaceCenter's inner loops, compiled for each loss and space.

Configurations are coordinate-major, ``X[axis, point]``, so that every pass over the points runs
through contiguous memory and vectorises. Distances are ``D[i, layer, j]``: one layer for a
symmetric table, and a second with the transpose for an asymmetric one, where both directions of a
pair pull. ``unit`` turns given distances into the unit that losses and spaces work in. A missing
distance is a NaN. ``W`` is None or has the shape of ``D``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from unimds._part import kernel


@kernel
def load(D, i, unit, skip, target):
    """Copy the given distances of point `i`; `skip` (itself) becomes missing."""
    for layer in range(target.shape[0]):
        row, out = D[i, layer], target[layer]
        for j in range(out.shape[0]):
            out[j] = row[j] * unit
        if 0 <= skip < out.shape[0]:
            out[skip] = np.nan


@kernel
def row_cost(u, target, W, i, loss):
    """Return Σ_j loss(u_j, r_j) over the known pairs of point `i`: the paper's C_i."""
    total = 0.0
    for layer in range(target.shape[0]):
        r = target[layer]
        for j in range(u.shape[0]):
            value = loss.value(u[j], r[j])
            if W is not None:
                value *= W[i, layer, j]
            total += value if r[j] == r[j] else 0.0
    return total / target.shape[0]


@kernel
def recenter(p, X, u, slope, target, W, i, turn, loss, space, coef, v):
    """Fill v with Σ_j w_j (1 − ρ_j/u_j) log_p(x_j) / Σ_j w_j: the paper's Recenter."""
    total, apart, cut = 0.0, 0.0, space.cut_locus()
    for j in range(u.shape[0]):
        coef[j] = 0.0
    for layer in range(target.shape[0]):
        r = target[layer]
        for j in range(u.shape[0]):
            known = r[j] == r[j]
            w, rho = loss.weight(u[j], r[j]), loss.radius(u[j], r[j])
            if W is not None:
                w *= W[i, layer, j]
            if rho > cut:  # the same slope from the farthest centre there is
                w *= (rho - u[j]) / max(cut - u[j], 1e-9 * cut)
                rho = cut
            away = u[j] > 0.0
            coef[j] += w * slope[j] * (1.0 - rho / u[j]) if known and away else 0.0
            apart += w * rho if known and not away else 0.0
            total += w if known else 0.0
    space.gather(p, X, coef, v)
    space.project(p, v)
    if apart > 0.0:
        part_ways(p, turn, apart, space, v)
    for a in range(v.shape[0]):
        v[a] = v[a] / total if total > 0.0 else 0.0


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
def place(p, X, target, W, i, turn, loss, space, inner_iter, eps, stretch, scratch):
    """Move `p` to lower its cost against all points of `X`: the paper's Place.

    One step needs no check where unit steps descend. Otherwise, and between inner iterations,
    the cost of the row is compared and the step shortened until it has not risen; where
    `stretch`, a step that needs no shortening is doubled as long as that pays. Returns the cost of
    the row, or −1 where it was not needed, and whether the point has settled.
    """
    n, k = target.shape[1], p.shape[0]
    u, slope, coef = scratch[0, :n], scratch[1, :n], scratch[2, :n]
    v, trial = np.empty(k, p.dtype), np.empty(k, p.dtype)
    checked = inner_iter > 1 or not space.unit_step_descends()
    space.measure(p, X, u, slope)
    cost = row_cost(u, target, W, i, loss) if checked else -1.0
    for _ in range(inner_iter):
        recenter(p, X, u, slope, target, W, i, turn, loss, space, coef, v)
        if not checked:
            space.exp(p, v)
            break
        new = walk(p, v, 1.0, trial, X, target, W, i, loss, space, u, slope)
        length = 1.0
        while not new <= cost and length > 1e-9:
            length *= 0.5
            new = walk(p, v, length, trial, X, target, W, i, loss, space, u, slope)
        if not new <= cost:
            return cost, True
        if stretch and length == 1.0:
            farther = walk(p, v, 2.0, trial, X, target, W, i, loss, space, u, slope)
            while farther < new and length < 1e3:
                length, new = 2.0 * length, farther
                farther = walk(p, v, 2.0 * length, trial, X, target, W, i, loss, space, u, slope)
            new = walk(p, v, length, trial, X, target, W, i, loss, space, u, slope)
        p[:] = trial
        gain, cost = cost - new, new
        if gain <= eps * cost:
            return cost, True
    return cost, False


@kernel
def walk(p, v, length, trial, X, target, W, i, loss, space, u, slope):
    """Walk from `p` along `length` times `v` to `trial`; return the cost of the row there."""
    step = length * v  # exp may use its argument as scratch
    trial[:] = p
    space.exp(trial, step)
    space.measure(trial, X, u, slope)
    return row_cost(u, target, W, i, loss)


@kernel
def sweep(D, W, free, X, loss, space, unit, inner_iter, eps):
    """Place every free point once, in place."""
    k, n = X.shape
    target = np.empty((D.shape[1], n), X.dtype)
    scratch = np.empty((3, n), X.dtype)
    p = np.empty(k, X.dtype)
    for i in range(n):
        if free[i]:
            load(D, i, unit, i, target)
            p[:] = X[:, i]
            place(p, X, target, W, i, i, loss, space, inner_iter, eps, False, scratch)
            X[:, i] = p


@kernel
def sampled_sweep(D, W, free, X, loss, space, unit, size, order, offset):
    """Place every free point once against a few others: `size` of them in `order` from `offset`.

    The fewer, the farther a point strays from where all others would have it.
    """
    k, n = X.shape
    layers = D.shape[1]
    around = np.empty(n + size, np.intp)  # the order goes on at its beginning
    around[:n] = order
    around[n:] = order[:size]
    at = np.empty(n, np.intp)
    shuffled = np.empty((k, n + size), X.dtype)
    for t in range(n + size):
        at[around[t]] = t % n
        shuffled[:, t] = X[:, around[t]]
    others, target = np.empty((k, size), X.dtype), np.empty((layers, size), X.dtype)
    weight: Any = np.empty((1, layers, size), X.dtype) if W is not None else W
    scratch, p = np.empty((3, size), X.dtype), np.empty(k, X.dtype)
    for i in range(n):
        if not free[i]:
            continue
        start = offset[i]
        for a in range(k):
            others[a] = shuffled[a, start : start + size]
        for layer in range(layers):
            for t in range(size):
                j = around[start + t]
                target[layer, t] = D[i, layer, j] * unit if j != i else np.nan
                if W is not None:
                    weight[0, layer, t] = W[i, layer, j]
        p[:] = X[:, i]
        place(p, others, target, weight, 0, i, loss, space, 1, 0.0, False, scratch)
        X[:, i] = p
        shuffled[:, at[i]] = p
        if at[i] < size:
            shuffled[:, n + at[i]] = p


@kernel
def place_rows(D, W, X, P, loss, space, unit, inner_iter, eps, cost, settled):
    """Place new points, the columns of `P`, against the fixed points `X`, each by its own row."""
    k, n = X.shape
    target = np.empty((1, n), X.dtype)
    scratch = np.empty((3, n), X.dtype)
    p = np.empty(k, X.dtype)
    for i in range(P.shape[1]):
        load(D, i, unit, -1, target)
        p[:] = P[:, i]
        # one turn for all: a row's place must not depend on its number
        cost[i], settled[i] = place(
            p, X, target, W, i, 0, loss, space, inner_iter, eps, True, scratch
        )
        P[:, i] = p


@kernel
def evaluate(D, W, X, exact, smooth, space, unit):
    """Return the costs by the loss as given and as smoothed, Σ weight·|residual| and Σ weight.

    Every pair counts once; the two directions of an asymmetric pair count half each.
    """
    k, n = X.shape
    layers = D.shape[1]
    target = np.empty((layers, n), X.dtype)
    u, slope, p = np.empty(n, X.dtype), np.empty(n, X.dtype), np.empty(k, X.dtype)
    costs, smooth_costs, residuals, weights = 0.0, 0.0, 0.0, 0.0
    for i in range(n):
        m = i  # the points before i: each pair once
        load(D, i, unit, -1, target[:, :m])
        p[:] = X[:, i]
        space.measure(p, X, u[:m], slope[:m])
        for layer in range(layers):
            r = target[layer]
            for j in range(m):
                known = r[j] == r[j]
                w = 1.0
                if W is not None:
                    w = W[i, layer, j]
                costs += w * exact.value(u[j], r[j]) if known else 0.0
                smooth_costs += w * smooth.value(u[j], r[j]) if known else 0.0
                residuals += w * abs(exact.residual(u[j], r[j])) if known else 0.0
                weights += w if known else 0.0
    return costs / layers, smooth_costs / layers, residuals / layers, weights / layers


@kernel
def best_size(D, W, X, loss, space, unit):
    """Return the factor on the size of the space that minimises the majorizer: Σ wρu / Σ wu²."""
    k, n = X.shape
    target = np.empty((D.shape[1], n), X.dtype)
    u, slope, p = np.empty(n, X.dtype), np.empty(n, X.dtype), np.empty(k, X.dtype)
    above, below = 0.0, 0.0
    for i in range(n):
        m = i
        load(D, i, unit, -1, target[:, :m])
        p[:] = X[:, i]
        space.measure(p, X, u[:m], slope[:m])
        for layer in range(D.shape[1]):
            r = target[layer]
            for j in range(m):
                known = r[j] == r[j]
                w = loss.weight(u[j], r[j])
                if W is not None:
                    w *= W[i, layer, j]
                above += w * loss.radius(u[j], r[j]) * u[j] if known else 0.0
                below += w * u[j] * u[j] if known else 0.0
    return above / below if above > 0.0 and below > 0.0 else 1.0


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


@kernel
def survey(D):
    """Return where the first bad entries are (−1: nowhere), the maximum and the asymmetry of D."""
    n = D.shape[0]
    negative, infinite = -1, -1
    largest, apart, one_sided = 0.0, 0.0, False
    for i in range(n):
        for j in range(n):
            d = D[i, j]
            if d < 0.0 and negative < 0 and i != j:
                negative = i * n + j
            if np.isinf(d) and infinite < 0:
                infinite = i * n + j
            if d > largest:
                largest = d
    block = 64  # both D[i, j] and D[j, i] stay in the cache
    for i0 in range(0, n, block):
        for j0 in range(0, i0 + block, block):
            for i in range(i0, min(i0 + block, n)):
                for j in range(j0, min(j0 + block, i)):
                    gap = abs(D[i, j] - D[j, i])
                    if gap > apart:
                        apart = gap
                    if np.isnan(D[i, j]) != np.isnan(D[j, i]):
                        one_sided = True
    return negative, infinite, largest, apart, one_sided
