"""Quasi-Newton steps (L-BFGS): all points move together, by the curvature that past steps met.

Compiled once for all losses, spaces and precisions, see `unimds.compiled.functions`. The first
guess of the curvature is that of the majorizer: without a past, a step is a simultaneous placement
of all points. A step is taken only if it lowers the cost.

The memory P has a row of ``stride`` numbers for each of `HERE` to `SLOPE`, which are points or
directions; then rows for past steps, and as many for the changes of the slope over them. The
numbers ``out`` are `COST` to `BENT`; from there on, for each past step, its product with the change
of the slope, which is infinite where the step tells nothing: so it adds nothing to a step.
"""

from __future__ import annotations

from functools import cache
from math import inf, sqrt
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
from unimds.compiled.parts import Part, part_type

HERE, TRIAL, BEST, PLACED, AIM, SLOPE, PAST = range(7)
"""Rows of the memory; from `AIM` on they are tangent vectors."""

COST, FALL, LENGTH, TRIED, KEPT, SCALE, VERDICT, LOWEST, BENT = range(9)
"""Numbers: of the present points, of the search along a step, and of the past."""

MEMORY = 20  # past steps; measured: with 10 maps of 150 dimensions end higher, 30 take longer
FEW = 4  # coordinates up to which what is done with a point is compiled for their number
ENOUGH = 1e-4  # of the fall that the slope promises (Armijo)
TRIALS = 20
FLAT = 1e-10  # a cosine: below it, a step tells nothing of the curvature

WENT, SETTLED, EXACT, STUCK, HOPELESS = range(5)
"""Why `descend` ends: after all its steps, or earlier."""

ONTO, ACROSS = range(2)
"""What `carry` may do."""

BEGUN, TAKEN, SHORTER = range(3)
"""Verdicts on a trial: to be taken in any case, low enough, or to be shortened; or `STUCK`."""


@addressed
def take(P, stride, i, j, X, n, k, r, s, w, z, start, stop, mode, unit, scratch, out, fields):
    """Go to the trial, whose cost is `unit`, and learn the curvature of the way there.

    ``scratch`` are the pulls on its points and the sums of their weights; X tells which are free.
    In curved space (`mode` 1) the step and the slope have been carried to the trial.
    """
    curved, slot = mode > 0, int(out[KEPT]) % MEMORY
    step, change, bent, far = PAST + slot, PAST + MEMORY + slot, 0.0, 0.0
    steep = placed = 0.0
    for a in range(k):
        for m in range(n):
            at, weight = a * n + m, scratch[k * n + m]
            slope = -2.0 * scratch[at] * X[m]
            way = P[AIM * stride + at] if curved else P[TRIAL * stride + at] - P[at]
            bend = slope - P[SLOPE * stride + at]
            P[step * stride + at], P[change * stride + at] = way, bend
            share = 0.5 / weight if weight > 0.0 else 0.0
            bent, far = bent + way * bend, far + way * way
            steep, placed = steep + bend * bend, placed + bend * bend * share
            P[at], P[SLOPE * stride + at] = P[TRIAL * stride + at], slope
            P[PLACED * stride + at] = share
    if placed > 0.0 and bent > FLAT * sqrt(far) * sqrt(steep):
        out[BENT + slot], out[SCALE] = bent, bent / placed
        out[KEPT] += 1.0
    else:  # it may stand where a step was that still counts: it must not, with that one's product
        out[BENT + slot] = inf
    out[SCALE] = out[SCALE] if out[KEPT] > 0.0 else 1.0
    out[COST] = unit


@addressed
def aim(P, stride, i, j, X, n, k, r, s, w, z, start, stop, mode, unit, scratch, out, fields):
    """Set out a step: minus the slope times the inverse of the curvature, by L-BFGS's two loops.

    Where that does not lead down, the verdict is `STUCK`. ``scratch`` is memory to work in; `unit`
    is how many past steps count, at most.
    """
    kept, found, many = int(out[KEPT]), 0.0, int(unit)
    many = kept if kept < many else many
    for m in range(stride):
        P[AIM * stride + m] = -P[SLOPE * stride + m]
    for past in range(2 * many + 1):
        if past == many:
            for m in range(stride):
                P[AIM * stride + m] *= out[SCALE] * P[PLACED * stride + m]
            continue
        # back from the last step to the first, and then forth
        back = past < many
        slot = (kept - 1 - past if back else kept - 2 * many + past - 1) % MEMORY
        step, change = (PAST + slot) * stride, (PAST + MEMORY + slot) * stride
        along, onto, found = (step, change, 0.0) if back else (change, step, 0.0)
        for m in range(stride):
            found += P[along + m] * P[AIM * stride + m]
        share = found / out[BENT + slot]
        factor = -share if back else scratch[slot] - share
        scratch[slot] = share
        for m in range(stride):
            P[AIM * stride + m] += factor * P[onto + m]
    found = 0.0
    for m in range(stride):
        found += P[SLOPE * stride + m] * P[AIM * stride + m]
        P[TRIAL * stride + m] = P[m] + P[AIM * stride + m]
    out[FALL], out[LENGTH], out[TRIED] = found, 1.0, 0.0
    out[VERDICT] = SHORTER if found < 0.0 else STUCK


space_at: Any = None  # given to `carry` for each space
few = 0  # and its coordinates, if these are few


@addressed
def carry(P, stride, i, j, X, n, k, r, s, w, z, start, stop, mode, unit, scratch, out, fields):
    """Do what a step needs where space is curved; X is memory for two points.

    - `ONTO`: turn the step into tangent vectors, and let the trial be exp of it, at every point.
    - `ACROSS`: take the step and the slope along to the trial, by projection, and turn the pulls
      there into tangent vectors, in the unit of distances.

    The past stays as it was met, in the coordinates of the space around: to take it along would
    cost more than all pairs of a small table, and descents take about as many steps. The slope is a
    tangent vector, so that a step downhill stays one when it is turned into tangent vectors.
    """
    k = few if few > 0 else k  # a loop over a number that is known takes half the time
    space, p, v = space_at(fields), X, beyond(X, k)
    point, vector, onto = carray(p, k), carray(v, k), mode == ONTO
    square = space.unit_length() * space.unit_length()
    for m in range(n):
        for a in range(k):
            p[a] = P[(HERE if onto else TRIAL) * stride + a * n + m]
        for row in range(AIM, AIM + 1 if onto else PAST + 1):
            pulls = row == PAST
            rows, at = (scratch, m) if pulls else (P, row * stride + m)
            factor = square if pulls else out[LENGTH] if row == AIM and not onto else 1.0
            for a in range(k):
                v[a] = factor * rows[at + a * n]
            space.project(point, vector)
            for a in range(k):
                rows[at + a * n] = v[a]
        if onto:
            for a in range(k):
                v[a] *= out[LENGTH]
            space.exp(point, vector)
            for a in range(k):
                P[TRIAL * stride + a * n + m] = p[a]
        else:
            scratch[k * n + m] *= square


@addressed
def judge(P, stride, i, j, X, n, k, r, s, w, z, start, stop, mode, unit, scratch, out, fields):
    """Decide on a trial by its cost, which is `unit`; set out a shorter one if it is too high."""
    fall, length = out[FALL], out[LENGTH]
    if out[VERDICT] == BEGUN or unit <= out[COST] + ENOUGH * length * fall:
        out[VERDICT] = TAKEN
        return
    # to the minimum of the parabola through both costs, with the slope of the first
    least = -0.5 * fall * length / (unit - out[COST] - length * fall)
    least = least if least > 0.1 else 0.1  # also if the cost is not finite
    length *= least if least < 0.5 else 0.5
    out[LENGTH], out[TRIED] = length, out[TRIED] + 1.0
    out[VERDICT] = SHORTER if out[TRIED] < TRIALS else STUCK
    for m in range(stride):
        P[TRIAL * stride + m] = P[m] + length * P[AIM * stride + m]


@addressed
def keep(P, stride, i, j, X, n, k, r, s, w, z, start, stop, mode, unit, scratch, out, fields):
    """Keep the points as the best, with their cost `unit`, if there were no better ones."""
    if unit <= out[LOWEST]:
        out[LOWEST] = unit
        for m in range(stride):
            P[BEST * stride + m] = P[m]


DOUBLE = Precision(*3 * (np.dtype(np.float64),))


@cache
def step_functions() -> tuple[int, ...]:
    """Return the addresses of take, aim, judge and keep."""
    return tuple(compiled_function(function, DOUBLE) for function in (take, aim, judge, keep))


@cache
def carrier(space: type[Part], k: int) -> int:
    """Return the address of `carry`, compiled for a space, and for few coordinates each."""
    names = {"space_at": part_reader(space, False, 0), "few": k if k <= FEW else 0}
    function = with_names(carry, f"carry_{names['few']}_{part_type(space).digest}", names)
    return compiled_function(function, DOUBLE, short=True)
