"""Subsampled sweeps, which shake a map: each point meets only a few other points.

Each sweep draws an even number of shifts; for a shift s, each point meets the point s places after
it, on a circle. The order of the table must be random. So all pairs are equally likely: otherwise
the map would be wrong for pairs that seldom meet. And points meet few others in common, so each has
its own errors. The fewer points it meets, the farther a point strays from its place in a full
sweep.

Arguments are as in `unimds.kernels.sweep`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds.compiled.functions import Precision, call, compiled_function, driver, once
from unimds.compiled.parts import Part
from unimds.kernels.rows import BLOCK, INVARIANTS, PULL, pair_sum, written_function
from unimds.kernels.sweep import add_range

Array = NDArray[Any]

SIDE = 64
"""Rows of a table that fit in the cache."""


def shifts_of(sizes: Array, draws: Array, n: int) -> Array:
    """Return shifts for every sweep, each from its own stretch of the circle of `n` points.

    `sizes` are the numbers of points that a point meets in a sweep; ``draws``, as many as their
    sum, lie between 0 and 1.
    """
    size = np.repeat(sizes, sizes)
    number = np.arange(size.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return 1 + np.minimum((number + draws) / size * (n - 1), n - 2).astype(np.intp)


def turn(P, stride, i, j, X, n, k, r, s, w, z, start, stop, skip, own, unit, scratch, out, fields):
    """Fill `s` with the symmetric table `r` by shifts, see `by_shift`."""
    for first in range(0, n, SIDE):  # few rows at a time stay in the cache
        end = first + SIDE if first + SIDE < n else n
        for m in range(1, n):
            around = n - m if n - m < end else end
            around = first if around < first else around
            for a in range(first, around):
                s[(m - 1) * n + a] = r[a * n + a + m]
            for a in range(around, end):
                s[(m - 1) * n + a] = r[a * n + a + m - n]


def by_shift(D: Array) -> Array:
    """Return the symmetric table with D[i, (i + s) mod n] in row s − 1 and column i."""
    n, D = len(D), np.ascontiguousarray(D)
    out = np.empty((n - 1, 1, n), D.dtype)
    given, nothing = (D.ctypes.data, out.ctypes.data, 0, 0), (0, 0, 0, 0)
    once(_turn(D.dtype), nothing, (0, n, 0), given, nothing, 1.0, (0, 0, 0))
    return out


@lru_cache(maxsize=2)
def _turn(dtype: Any) -> int:
    return compiled_function(turn, Precision(dtype, dtype, dtype))


# --- all points of a sweep at once ----------------------------------------------------------------


def meeting(k: int, weighted: bool) -> Iterator[str]:
    """Yield the lines of a function that adds up, in `scratch`, the pulls of two shifts, i and j.

    The points of X stand there twice in a row, so that no shift leads beyond the end.
    """
    axes = range(k)
    yield "loss, space, unit = loss_at(fields), space_at(fields), real(unit)"
    for a in axes:
        yield f"e{a} = space.sign({a})"
    yield "for m in range(stop - start):"
    yield "    at = start + m"
    for a in axes:
        yield f"    p{a} = X[{a} * n + at]"
    for by, r, w, t in (("i", "r", "w", "t"), ("j", "s", "z", "o")):
        for a in axes:
            yield f"    x{a} = X[{a} * n + at + {by}]"
            yield f"    d{a} = x{a} - p{a}"
            yield f"    {t}d{a} = d{a}"
        invariants = ", ".join(pair_sum(term, axes, "p") for term in INVARIANTS.values())
        yield f"    u, slope, lean, away = met({invariants}, space)"
        weight = f"real({w}[at])" if weighted else "real(1.0)"
        yield f"    given, weight = real({r}[at]) * unit, {weight}"
        yield f"    {t} = of_pair(u, slope, lean, away, given, weight, loss, space)"
    for a in axes:
        yield f"    scratch[{a} * size + m] += t[0] * td{a} + o[0] * od{a}"
    for s in range(PULL.sums):
        yield f"    scratch[{k + s} * size + m] += t[{s + 1}] + o[{s + 1}]"


@lru_cache(maxsize=256)
def meet(parts: tuple[type[Part], type[Part]], k: int, weighted: bool, precision: Precision) -> int:
    """Return the address of a compiled `meeting`."""
    name, lines = f"meet_{k}_{'w' if weighted else ''}", meeting(k, weighted)
    function = written_function(lines, __file__, name, PULL, parts, precision.points)
    return compiled_function(function, precision)


@driver
def shake_together(meet, twice, take, copies, points, table, sizes, shifts, unit, memory):
    """Sweep once for each entry of `sizes`: the number of points that each point meets.

    All points of a sweep move at once: loops run over the points. `copies` is memory for the points
    twice in a row. The table is in the layout of `by_shift`.
    """
    X, n, k = points
    D, W, of_D, of_W, _ = table
    nothing, at, doubled = (0, 0, 0, 0), 0, (copies, 2 * n, k)
    for size in sizes:
        call(twice, (copies, 2 * n, 0, 0), points, nothing, nothing, unit, memory)
        for first in range(0, n, BLOCK):
            span = (first, first + BLOCK if first + BLOCK < n else n, -1, -1)
            for m in range(0, size, 2):
                b, c = shifts[at + m], shifts[at + m + 1]
                one, two = b - 1, c - 1
                given = (D + one * of_D, D + two * of_D, W + one * of_W, W + two * of_W)
                call(meet, (X, n, b, c), doubled, given, span, unit, memory)
            call(take, (X, n, 0, 0), points, nothing, span, unit, memory)
        at += size


# --- point by point -------------------------------------------------------------------------------


@driver
def shake_in_turn(
    pull, place, gather, points, n, real, table, few, sample, sizes, shifts, unit, memory, out
):
    """Shake point by point, for tables and spaces that need it.

    `few` and `sample` are the memory for the points that a point meets and for its distances to
    them, as `points` and `table` are.
    """
    X, stride, k = points
    (D, W, of_D, of_W, layers), at = table, 0
    for size in sizes:
        chosen = 3 * k + 6  # where the shifts stand in `out`
        for m in range(size):
            out[chosen + m] = shifts[at + m]
        for i in range(n):
            for layer in range(layers):
                row = i * layers + layer
                r, s = D + row * of_D, sample[0] + layer * sample[2]
                w, z = W + row * of_W, sample[1] + layer * sample[3]
                span, here = (n, size, 1 if W else 0, 0), memory[1] + 8 * chosen
                into = (memory[0], here, memory[2])
                call(gather, (few[0], few[1], i, i), points, (r, s, w, z), span, unit, into)
            for a in range(k + 3):
                out[a] = 0.0
            who = (X, stride, i, i)
            add_range(pull, who, few, sample, (0, 0), 0, size, (size, size), unit, memory)
            call(place, who, points, (0, 0, 0, 0), (real, 0, 0, 0), unit, memory)
        at += size
