"""Moves of one point: the step that its pull asks for, and momentum; copies of points.

Functions behind one C signature, see `unimds.compiled.functions`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import cos, sqrt
from typing import Any

import numpy as np

from unimds.compiled.functions import (
    Precision,
    addressed,
    beyond,
    carray,
    compiled_function,
    part_reader,
    with_names,
)
from unimds.compiled.parts import Part, inlined, part_type

BLOCK = 256
"""Points in a block: a few rows of this length fit in the fastest cache."""

GOLDEN_ANGLE = 2.399963229728653
"""Gives each point another direction."""

SIDE, ACROSS = 16, 128
"""Rows of a table that fit in the cache."""

space_at: Any = None  # given to `move` and `carry_on` for each space, as is `toward`
toward: Any = None


@addressed
def move(P, stride, i, j, X, n, k, r, s, w, z, start, stop, mode, unit, scratch, out, fields):
    """Move point `i` of P by the step that the pull in `out` asks for: the paper's Recenter.

    The step, Σ_j w_j (1 − ρ_j/u_j) log_p(x_j) / Σ_j w_j, takes the place of the pull. Behind the
    pull stand Σ w, the stiffness and the parting. Points that coincide part in a direction that
    depends on `j`. Only the first `start` coordinates belong to the space; the others fill up rows.
    """
    space, axes, total, apart = space_at(fields), start, out[k], out[k + 2]
    p, away = scratch, beyond(out, 2 * k + 6)
    point, step, other = carray(p, axes), carray(out, axes), carray(away, axes)
    for a in range(axes):
        p[a] = P[a * stride + i]
    space.project(point, step)
    if apart > 0.0:
        norm = 0.0
        for a in range(axes):
            away[a] = cos(GOLDEN_ANGLE * (j + 1.0) * (a + 1.0))
        space.project(point, other)
        for a in range(axes):
            norm += space.sign(a) * away[a] * away[a]
        share = apart / space.unit_length() / sqrt(norm) if norm > 0.0 else 0.0
        for a in range(axes):
            out[a] += share * away[a]
    # In negative curvature ½(dist − ρ)² has a Hessian of at most 1 + bend·(dist − ρ + the step's
    # length), see docs/mathematics.md: a step that is shorter by it descends as well.
    divisor = total + out[k + 1]
    if space.bend() > 0.0 and divisor > 0.0:
        square = 0.0
        for a in range(axes):
            square += space.sign(a) * out[a] * out[a]
        way = space.unit_length() * sqrt(square if square > 0.0 else 0.0) / divisor
        divisor += space.bend() * way * total
    for a in range(axes):
        out[a] = out[a] / divisor if divisor > 0.0 else 0.0
        away[a] = out[a]  # which `exp` may change
    space.exp(point, other)
    for a in range(axes):
        P[a * stride + i] = p[a]


@addressed
def go(P, stride, i, j, X, n, k, r, s, w, z, start, stop, mode, unit, scratch, out, fields):
    """Let point `stop` of X be point `i` of P, moved by `unit` times the step in `out`."""
    space, axes, p, v = space_at(fields), start, scratch, beyond(out, 2 * k + 6)
    for a in range(axes):
        p[a] = P[a * stride + i]
        v[a] = out[a] * unit
    if unit != 0.0:
        space.exp(carray(p, axes), carray(v, axes))
    for a in range(axes):
        X[a * n + stop] = p[a]


@addressed
def carry_on(P, stride, i, j, X, n, k, r, s, w, z, start, stop, mode, unit, scratch, out, fields):
    """Momentum: move the points of P on by `unit` times their way from X, exp_p(−β log_p(x))."""
    space, p, v = space_at(fields), carray(scratch, k), carray(out, k)
    for m in range(n):
        for a in range(k):
            scratch[a] = P[a * stride + m]
        toward(p, X, n, m, v, space)
        for a in range(k):
            out[a] *= -unit
        space.project(p, v)
        space.exp(p, v)
        for a in range(k):
            P[a * stride + m] = scratch[a]


@inlined
def toward_chord(p, X, n, i, v, space):
    """Fill v with the logarithm, before projection, of point `i` of X, by `Space.pair`."""
    near = far = inner = gap = 0.0 * p[0]
    for a in range(p.shape[0]):
        x, y, sign = X[a * n + i], p[a], space.sign(a)
        d, f = x - y, x + y
        v[a] = d
        near += sign * d * d
        far += sign * f * f
        inner += sign * x * y
        gap += d * d
    _, slope, _ = space.pair(near, far, inner, gap)
    for a in range(p.shape[0]):
        v[a] *= slope


@inlined
def toward_measured(p, X, n, i, v, space):
    """Do the same in a space that measures and gathers by itself."""
    dist, slope = np.empty(1, p.dtype), np.empty(1, p.dtype)
    x = np.empty((p.shape[0], 1), p.dtype)
    for a in range(p.shape[0]):
        x[a, 0] = X[a * n + i]
    space.measure(p, x, dist, slope)
    space.gather(p, x, slope, v)


@lru_cache(maxsize=256)
def in_space(function: Callable, space: type[Part], measured: bool, dtype: Any) -> int:
    """Return the address of `move` or `carry_on`, compiled for a space."""
    names = {
        "space_at": part_reader(space, dtype == np.float32, 0),
        "toward": toward_measured if measured else toward_chord,
    }
    kind = "measured" if measured else "chord"
    name = f"{function.__name__}_{kind}_{part_type(space).digest}"
    precision = Precision(dtype, dtype, dtype)
    return compiled_function(with_names(function, name, names), precision, short=True)


# --- what depends on no space ---------------------------------------------------------------------


@addressed
def twice(P, stride, i, j, X, n, k, r, s, w, z, start, stop, mode, unit, scratch, out, fields):
    """Copy the points of X to P, twice in a row."""
    for a in range(k):
        for m in range(n):
            P[a * stride + m] = X[a * n + m]
            P[a * stride + n + m] = X[a * n + m]


@addressed
def take(P, stride, i, j, X, n, k, r, s, w, z, start, stop, mode, unit, scratch, out, fields):
    """Move points of P in flat space, where a step is a sum, by the pulls in `scratch`.

    Points that coincide part as in `move`.
    """
    count = stop - start
    for m in range(count):
        if scratch[(k + 2) * BLOCK + m] > 0.0:
            norm, turn = 0.0, GOLDEN_ANGLE * (start + m + 1.0)
            for a in range(k):
                norm += cos(turn * (a + 1.0)) * cos(turn * (a + 1.0))
            for a in range(k):
                away = scratch[(k + 2) * BLOCK + m] / sqrt(norm) * cos(turn * (a + 1.0))
                scratch[a * BLOCK + m] += away
    for a in range(k):
        for m in range(count):
            here, total = P[a * stride + start + m], scratch[k * BLOCK + m]
            moved = here + scratch[a * BLOCK + m] / total
            P[a * stride + start + m] = moved if total > 0.0 else here


@addressed
def lift(P, stride, i, j, X, n, k, r, s, w, z, start, stop, mode, unit, scratch, out, fields):
    """Copy the pull on point `i` of a block from `scratch` to `out`; clear `stop` numbers."""
    for a in range(k + 3):
        out[a] = scratch[a * BLOCK + i]
    for m in range(stop):
        scratch[m] = 0.0


@addressed
def gather(P, stride, i, j, X, n, k, r, s, w, z, start, stop, mode, unit, scratch, out, fields):
    """Copy from X, of `start` points, those that are `out` places after point `i`; and rows."""
    for m in range(stop):
        at = i + int(out[m])
        at = at - start if at >= start else at
        for a in range(k):
            P[a * stride + m] = X[a * n + at]
        s[m] = r[at]
        if mode:  # there are weights
            z[m] = w[at]


@addressed
def spread(P, stride, i, j, X, n, k, r, s, w, z, start, stop, mode, unit, scratch, out, fields):
    """Let the points of P be those of `out`, which are rounded as P is."""
    for a in range(k):
        for m in range(n):
            P[a * stride + m] = out[a * n + m]
            out[a * n + m] = P[a * stride + m]


@addressed
def collect(P, stride, i, j, X, n, k, r, s, w, z, start, stop, mode, unit, scratch, out, fields):
    """Add what `scratch` holds of every point to `out`, `unit` times; clear it."""
    for m in range((k + 1) * n):
        out[m] = (out[m] + scratch[m]) * unit
        scratch[m] = 0.0


@addressed
def turn(P, stride, i, j, X, n, k, r, s, w, z, start, stop, mode, unit, scratch, out, fields):
    """Fill `s` with the table `r` by shifts, see `unimds.kernels.engine.by_shift`.

    The order of the points is in `out`, twice in a row, so that no shift leads beyond the end.
    """
    for first in range(0, n, SIDE):  # a small rectangle at a time stays in the cache
        end = first + SIDE if first + SIDE < n else n
        for nearest in range(0, n - 1, ACROSS):
            farthest = nearest + ACROSS if nearest + ACROSS < n - 1 else n - 1
            for a in range(first, end):
                row = int(out[a]) * n
                for m in range(nearest, farthest):
                    s[m * n + a] = r[row + int(out[a + 1 + m])]


@lru_cache(maxsize=64)
def plain(function: Callable, precision: Precision) -> int:
    """Return the address of one of these functions."""
    return compiled_function(function, precision)
