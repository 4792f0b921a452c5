"""Moves of one point: the step that its pull asks for, taking it, and momentum.

Functions behind one C signature, see `unimds.compiled.functions`. They depend on the space alone:
``space_at`` makes it from its fields. Behind the sums of two points, `out` has room for another
vector.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import cos, sqrt
from typing import Any

import numpy as np

from unimds.compiled.functions import (
    Precision,
    beyond,
    carray,
    compiled_function,
    part_reader,
    with_names,
)
from unimds.compiled.parts import Part, inlined, part_type
from unimds.kernels.rows import BLOCK

SIDE = 64
"""Rows of a table that fit in the cache."""

space_at: Any = None  # given to each function by `move`


@inlined
def to_step(p, v, away, turn, k, real, total, stiff, apart, space):
    """Turn a pull into the paper's Recenter: Σ_j w_j (1 − ρ_j/u_j) log_p(x_j) / Σ_j w_j.

    Points that coincide part in a direction that depends on `turn`; only the first `real`
    coordinates are not there to fill up.
    """
    space.project(p, v)
    if apart > 0.0:
        norm = 0.0
        for a in range(k):  # the golden angle gives each point another direction
            angle = 2.399963229728653 * (turn + 1.0) * (a + 1.0)
            away[a] = cos(angle) if a < real else 0.0
        space.project(p, away)
        for a in range(k):
            norm += space.sign(a) * away[a] * away[a]
        if norm > 0.0:
            for a in range(k):
                v[a] += apart / space.unit_length() * away[a] / sqrt(norm)
    # In negative curvature ½(dist − ρ)² has a Hessian of at most 1 + bend·(dist − ρ + the step's
    # length), see docs/mathematics.md: a step that is shorter by it descends as in flat space.
    divisor = total + stiff
    if space.bend() > 0.0 and divisor > 0.0:
        square = 0.0
        for a in range(k):
            square += space.sign(a) * v[a] * v[a]
        way = space.unit_length() * sqrt(max(square, 0.0)) / divisor
        divisor += space.bend() * way * total
    for a in range(k):
        v[a] = v[a] / divisor if divisor > 0.0 else 0.0


def step(P, stride, i, j, X, n, k, r, s, w, z, start, stop, skip, own, unit, scratch, out, fields):
    """Turn the pull on point `i` of P, and its sums, into a step; all are in `out`.

    `start` is the number of coordinates that are not there to fill up.
    """
    space = space_at(fields)
    p, v, away = carray(scratch, k), carray(out, k), carray(beyond(out, 2 * k + 6), k)
    for a in range(k):
        p[a] = P[a * stride + i]
    to_step(p, v, away, j, k, start, out[k], out[k + 1], out[k + 2], space)


def go(P, stride, i, j, X, n, k, r, s, w, z, start, stop, skip, own, unit, scratch, out, fields):
    """Let point `j` of X be point `i` of P, moved by `unit` (0 copies it) times the step."""
    space = space_at(fields)
    p, v = carray(scratch, k), carray(beyond(out, 2 * k + 6), k)
    for a in range(k):
        p[a] = P[a * stride + i]
        v[a] = unit * out[a]  # not `out` itself: exp may use its argument as scratch
    if unit != 0.0:
        space.exp(p, v)
    for a in range(k):
        X[a * n + j] = p[a]


def place(P, stride, i, j, X, n, k, r, s, w, z, start, stop, skip, own, unit, scratch, out, fields):
    """Take the step that the pull on point `i` of P asks for, at once; see `step`."""
    space = space_at(fields)
    p, v, away = carray(scratch, k), carray(out, k), carray(beyond(out, 2 * k + 6), k)
    for a in range(k):
        p[a] = P[a * stride + i]
    to_step(p, v, away, j, k, start, out[k], out[k + 1], out[k + 2], space)
    space.exp(p, v)
    for a in range(k):
        P[a * stride + i] = p[a]


def carry_on(
    P, stride, i, j, X, n, k, r, s, w, z, start, stop, skip, own, unit, scratch, out, fields
):
    """Move points of P on by `unit` times their way from X: exp_p(−β log_p(x))."""
    space = space_at(fields)
    p, v = carray(scratch, k), carray(beyond(scratch, k), k)
    for m in range(start, stop):
        near = far = inner = gap = 0.0 * P[m]
        for a in range(k):
            p[a] = P[a * stride + m]
            v[a] = X[a * n + m] - p[a]
            sign, other = space.sign(a), X[a * n + m] + p[a]
            near += sign * v[a] * v[a]
            far += sign * other * other
            inner += sign * p[a] * X[a * n + m]
            gap += v[a] * v[a]
        _, slope, _ = space.pair(near, far, inner, gap)
        for a in range(k):
            v[a] *= -unit * slope
        space.project(p, v)
        space.exp(p, v)
        for a in range(k):
            P[a * stride + m] = p[a]


def carry_on_measured(
    P, stride, i, j, X, n, k, r, s, w, z, start, stop, skip, own, unit, scratch, out, fields
):
    """Do the same in a space that measures and gathers by itself."""
    space = space_at(fields)
    p, x = carray(scratch, k), carray(beyond(scratch, k), (k, 1))
    dist, slope = carray(beyond(scratch, 2 * k), 1), carray(beyond(scratch, 2 * k + 1), 1)
    v = carray(beyond(scratch, 2 * k + 2), k)
    for m in range(start, stop):
        for a in range(k):
            p[a] = P[a * stride + m]
            x[a, 0] = X[a * n + m]
        space.measure(p, x, dist, slope)
        slope[0] *= -unit
        space.gather(p, x, slope, v)
        space.project(p, v)
        space.exp(p, v)
        for a in range(k):
            P[a * stride + m] = p[a]


def twice(P, stride, i, j, X, n, k, r, s, w, z, start, stop, skip, own, unit, scratch, out, fields):
    """Copy the points of X to P, twice in a row."""
    for a in range(k):
        for m in range(n):
            P[a * stride + m] = X[a * n + m]
            P[a * stride + n + m] = X[a * n + m]


def take(P, stride, i, j, X, n, k, r, s, w, z, start, stop, skip, own, unit, scratch, out, fields):
    """Move points of P in flat space, where a step is a sum, by the pulls in `scratch`.

    Nothing moves, and ``out[0]`` is positive, if points coincide and must part.
    """
    count, out[0] = stop - start, 0.0
    for m in range(count):
        out[0] += scratch[(k + 2) * BLOCK + m]
    for a in range(k if out[0] == 0.0 else 0):
        for m in range(count):
            here, total = P[a * stride + start + m], scratch[k * BLOCK + m]
            moved = here + scratch[a * BLOCK + m] / total
            P[a * stride + start + m] = moved if total > 0.0 else here


def lift(P, stride, i, j, X, n, k, r, s, w, z, start, stop, skip, own, unit, scratch, out, fields):
    """Copy the pull on point `i` of a block from `scratch` to `out`; clear `stop` numbers."""
    for a in range(k + 3):
        out[a] = scratch[a * BLOCK + i]
    for m in range(stop):
        scratch[m] = 0.0


def gather(
    P, stride, i, j, X, n, k, r, s, w, z, start, stop, skip, own, unit, scratch, out, fields
):
    """Copy from X, of `start` points, those that are `out` places after point `i`; and rows."""
    for m in range(stop):
        at = i + int(out[m])
        at = at - start if at >= start else at
        for a in range(k):
            P[a * stride + m] = X[a * n + at]
        s[m] = r[at]
        if skip:  # there are weights
            z[m] = w[at]


def turn(P, stride, i, j, X, n, k, r, s, w, z, start, stop, skip, own, unit, scratch, out, fields):
    """Fill `s` with the symmetric table `r` by shifts, see `unimds.kernels.engine.by_shift`."""
    for first in range(0, n, SIDE):  # few rows at a time stay in the cache
        end = first + SIDE if first + SIDE < n else n
        for m in range(1, n):
            around = n - m if n - m < end else end
            around = first if around < first else around
            for a in range(first, around):
                s[(m - 1) * n + a] = r[a * n + a + m]
            for a in range(around, end):
                s[(m - 1) * n + a] = r[a * n + a + m - n]


@lru_cache(maxsize=256)
def move(function: Callable, space: type[Part], precision: Precision) -> int:
    """Return the address of one of these functions, compiled for a space."""
    if function is not gather:  # the only move that reads a table
        precision = Precision(*[precision.points] * 3)
    name = f"{function.__name__}_{part_type(space).digest}"
    names = {"space_at": part_reader(space, precision.points == np.float32, 0)}
    return compiled_function(with_names(function, name, names), precision)
