"""PlaceCenter's drivers: sweeps, new points, sums over all pairs, shaking, for any loss and space.

A driver works with addresses and is compiled once; see `unimds.compiled.functions`. Configurations
are coordinate-major, ``X[axis, point]``, so that every loop over the points runs through contiguous
memory. Distances are rows ``D[row, layer, j]`` of the points from ``first`` on. A symmetric table
has one layer; an asymmetric table has its transpose as a second layer, and both directions of a
pair pull. A missing distance is a NaN.

``points`` are the address of n points, the length of a row of coordinates and the number of rows;
only the first ``real`` rows belong to the space, the others fill up. ``table`` are the addresses of
distances and weights, the bytes of a row of one layer in each, and the number of layers.
``memory`` are the addresses of scratch memory, of the sums (``out``) and of the fields of space and
loss.
"""

from __future__ import annotations

from math import inf

from unimds.compiled.functions import call, doubles, driver, stage
from unimds.kernels.moves import BLOCK
from unimds.kernels.steps import (
    ACROSS,
    BEGUN,
    BENT,
    BEST,
    COST,
    EXACT,
    HERE,
    HOPELESS,
    LENGTH,
    LOWEST,
    MEMORY,
    ONTO,
    SETTLED,
    SHORTER,
    STUCK,
    TRIAL,
    VERDICT,
    WENT,
)

CHUNK = 4096
"""Points in a call of a row: within it, sums are in the precision of the points."""

HOPE = 6.0
"""Times the fall of the last steps, or what is left of a descent: that is rarely more."""

AGAIN = 3e-6
"""Share of a cost: two descents by a smooth loss that end so close have met the same minimum."""

SLOWEST, BAR, KNOWN = range(3)
"""Rows of the marks of a descent by one loss after another, see `anneal`."""

LANES = 4
"""Numbers that are computed at once: what is left of a loop takes as long for each of them."""

GROUP = 512
"""Points that are counted together, see `turn_of`."""


@stage
def add_range(row, who, points, table, rows, begin, end, gap, unit, memory):
    """Add what a row function tells of the points from `begin` to `end`, without the gap.

    Callers write 0 * n for 0: a literal would be a type of its own, for which Numba compiles anew.
    """
    D, W, of_D, of_W, layers = table
    for layer in range(layers):
        one, two = rows[0] * layers + layer, rows[1] * layers + layer
        given = (D + one * of_D, D + two * of_D, W + one * of_W, W + two * of_W)
        start = begin
        while start < end:
            stop = start + CHUNK if start + CHUNK < end else end
            inside = start <= gap[0] < stop
            stop = gap[0] if inside else stop
            if stop > start:
                call(row, who, points, given, (start, stop, 0), unit, memory)
            start = gap[1] if inside else stop


@driver
def sweep(pull, move, points, n, real, table, first, count, free, band, unit, memory):
    """Place every free point of the given rows once, two rows at a time.

    Of all their pairs, only the pair of the two points depends on which of them moves first: the
    second point meets the first where it has gone.

    Points ``band[1]`` to ``band[2]`` are placed one after another; ``band[0]`` is 0. Points beyond
    the band move at the same time on other workers. Pairs with them count twice in Σ w, which
    shortens the step, and even so the total cost does not rise:
    ‖a − b + z‖² ≤ ½‖2a + z‖² + ½‖2b − z‖².
    """
    X, stride, k = points
    (scratch, sums, fields), out = memory, doubles(memory[1])
    width, nothing, nobody, axes = k + 3, (0, 0, 0, 0), (n, n), (real, 0, 0)
    second, aside = (scratch, sums + 8 * width, fields), (scratch, sums + 48 * width, fields)
    for row in range(0, count, 2):
        rows = (row, row + 1 if row + 1 < count else row)  # the last row may be alone
        i, j = first + row, first + rows[1]
        if not (free[i] or free[j]):
            continue
        who, both = (X, stride, i, j), (i, j + 1)
        for a in range(2 * width):
            out[a] = 0.0
        if band[1] > 0 or band[2] < n:
            add_range(pull, who, points, table, rows, band[0], band[1], both, unit, memory)
            add_range(pull, who, points, table, rows, band[2], n, both, unit, memory)
            for a in (k, k + 1, width + k, width + k + 1):
                out[a] *= 2.0
        add_range(pull, who, points, table, rows, band[1], band[2], both, unit, memory)
        if j > i:  # the pair of the two, for the first point
            for a in range(width):
                out[6 * width + a] = 0.0
            alone, own = (X, stride, i, i), (row, row)
            add_range(pull, alone, points, table, own, j, j + 1, nobody, unit, aside)
            for a in range(width):
                out[a] += out[6 * width + a]
        if free[i]:
            call(move, (X, stride, i, i), points, nothing, axes, 1.0, memory)
        if j > i and free[j]:
            alone, own = (X, stride, j, j), (rows[1], rows[1])
            add_range(pull, alone, points, table, own, i, i + 1, nobody, unit, memory)
            call(move, (X, stride, j, j), points, nothing, axes, 1.0, second)


@driver
def sweep_in_turn(
    functions, points, n, real, table, first, count, free, steps, eps, unit, tried, memory
):  # fmt: skip
    """Place every free point of the given rows once, one row at a time, with checked steps."""
    X, stride, _ = points
    for row in range(count):
        i = first + row
        if free[i]:
            point, how = (X, stride, i, i), (steps, eps, False)
            settle(functions, point, points, n, real, table, row, i, how, unit, tried, memory)


@driver
def place_rows(
    functions, new, points, n, real, table, costs, settled, steps, eps, unit, tried, memory
):  # fmt: skip
    """Place new points against the fixed ones, by one row of distances each."""
    for i in range(costs.size):
        # turn 0 for all: the place of a new point must not depend on its row number
        point, how = (new[0], new[1], i, 0), (steps, eps, True)
        costs[i], settled[i] = settle(
            functions, point, points, n, real, table, i, n, how, unit, tried, memory
        )


@driver
def place_once(pull, move, new, points, n, real, table, count, unit, memory):
    """Place new points by one step each, which is known to descend."""
    (P, stride, k), none, out = new, 0 * n, doubles(memory[1])
    for i in range(count):
        for a in range(k + 3):
            out[a] = 0.0
        add_range(pull, (P, stride, i, i), points, table, (i, i), none, n, (n, n), unit, memory)
        call(move, (P, stride, i, 0), points, (0, 0, 0, 0), (real, 0, 0), 1.0, memory)


@stage
def settle(functions, point, points, n, real, table, row, own, how, unit, tried, memory):
    """Move a point to lower its cost against the points of its row: the paper's Place.

    Halve each step until the cost of the row does not rise. ``how`` are the steps to take at most,
    the relative fall of the cost that counts as none, and whether a step that needs no halving is
    doubled as long as the cost falls. Return the cost of the row, and whether the point has
    settled. ``functions`` are the addresses of pull and cost of one row, of move and of go; `tried`
    is memory for three points: where the step began, the best and the one on trial.
    """
    (pull, cost, move, go), (steps, eps, stretch) = functions, how
    P, stride, i, turn = point
    k, rows, nobody, nothing = points[2], (row, row), (own, own + 1), (0, 0, 0, 0)
    out, room, at = doubles(memory[1]), (tried, 3, k), 4 * k + 12  # of the cost in `out`
    judge = (memory[0], memory[1] + 8 * at, memory[2])
    out[at], none = 0.0, 0 * n
    add_range(cost, point, points, table, rows, none, n, nobody, unit, judge)
    low, best = out[at], 0
    call(go, (P, stride, i, i), room, nothing, (real, best, 0), 0.0, memory)
    settled = False
    for _ in range(steps):
        origin, trial, begun, length = best, (best + 1) % 3, low, 1.0
        for a in range(k + 3):
            out[a] = 0.0
        add_range(pull, (tried, 3, best, best), points, table, rows, none, n, nobody, unit, memory)
        call(go, (tried, 3, best, 0), room, nothing, (real, trial, 0), 0.0, memory)
        call(move, (tried, 3, trial, turn), points, nothing, (real, 0, 0), 1.0, memory)
        while 1e-9 < length < 1e3:
            if length != 1.0:  # `move` made the first trial
                trial = 3 - origin - best if origin != best else (origin + 1) % 3
                call(go, (tried, 3, origin, 0), room, nothing, (real, trial, 0), length, memory)
            out[at] = 0.0
            who = (tried, 3, trial, trial)
            add_range(cost, who, points, table, rows, none, n, nobody, unit, judge)
            better = out[at] < low or (length <= 1.0 and out[at] <= low)
            if better:
                low, best = out[at], trial
            if (better and not (stretch and length >= 1.0)) or (length > 1.0 and not better):
                break
            length = 2.0 * length if better else 0.5 * length
        if begun - low <= eps * low:
            settled = True
            break
    call(go, (tried, 3, best, 0), (P, stride, k), nothing, (real, i, 0), 0.0, memory)
    return low, settled


@stage
def turn_of(i, n):
    """Return the first point that point `i` of `n` is counted with, and a gap to leave out.

    Every pair is counted in one row, and all rows have the same amount of work: on a circle of
    groups, each group is counted with the half that precedes it; within its own group, point `i` is
    counted with the points before it.
    """
    group, groups = i // GROUP, (n + GROUP - 1) // GROUP
    half = (groups - 1 + (1 if 2 * group >= groups else 0)) // 2  # the later of opposite groups
    begin = group - half if group > half else 0
    after = groups - (half - group) if half > group else groups
    return begin * GROUP, (i, after * GROUP if after * GROUP < n else n)


@driver
def total(row, width, points, n, table, first, count, unit, memory):
    """Leave in `out` the `width` sums of a row function over the given rows, each pair once."""
    (X, stride, _), nobody, out = points, (n, n), doubles(memory[1])
    side = (memory[0], memory[1] + 16 * width, memory[2])
    for a in range(4 * width):
        out[a] = 0.0
    at = 0 * n
    while at < count:
        # two rows of a group, or its last row alone
        pair = at + 1 < count and (first + at + 1) % GROUP > 0
        rows = (at, at + 1 if pair else at)
        i, j = first + at, first + rows[1]
        who, into = (X, stride, i, j), memory if pair else side
        begin, gap = turn_of(i, n)
        add_range(row, who, points, table, rows, begin, n, gap, unit, into)
        if pair:
            alone, own = (X, stride, j, j), (at + 1, at + 1)
            add_range(row, alone, points, table, own, i, j, nobody, unit, side)
        at += 2 if pair else 1
    for a in range(width):  # a row that was alone is in `side` twice
        out[a] = (out[a] + out[width + a] + out[2 * width + a]) / table[4]


@driver
def apart(row, points, n, first, count, size, fields, table):
    """Fill the rows of a table, of numbers of `size` bytes, with distances to earlier points.

    Rows are filled in twos: the table has an even number of them.
    """
    (X, stride, _), nothing = points, (0, 0, 0, 0)
    for at in range(0, count, 2):
        i, into = first + at, table + at * n * size
        j = i + 1 if i + 1 < n else i
        call(row, (X, stride, i, j), points, nothing, (0, i + 1, 0), 1.0, (into, into, fields))


@stage
def pulls_of_two(row, points, n, table, i, at, pair, unit, memory, slope):
    """Do what `add_pulls` does for point `i`, row `at` of the table, and the next of a `pair`."""
    (X, stride, k), nobody, none, out = points, (n, n), 0 * n, doubles(memory[1])
    width, j = k + 3, i + 1 if pair else i
    for a in range(2 * width):
        out[a] = 0.0
    end = j + -j % LANES  # a row leaves out points that are not earlier
    who, rows = (X, stride, i, j), (at, at + j - i)
    add_range(row, who, points, table, rows, none, end if end < n else n, nobody, unit, memory)
    for a in range(k + 1):
        slope[a * n + i] += out[a]
        slope[a * n + j] += out[width + a]
    return out[k + 1] + out[width + k + 1], out[k + 2] + out[width + k + 2]


@stage
def add_pulls(row, points, n, table, first, count, unit, memory, slope):
    """Add up the pulls on all points and their weights, of the pairs with earlier points.

    Those on the points of the given rows are added to `slope`; those on the earlier points to the
    scratch memory. Return the costs by the loss, and by the loss as given.
    """
    smooth, exact = 0.0, 0.0
    for at in range(0, count, 2):
        pair = at + 1 < count
        a, b = pulls_of_two(row, points, n, table, first + at, at, pair, unit, memory, slope)
        smooth, exact = smooth + a, exact + b
    return smooth, exact


@driver
def pulls(row, points, n, table, first, count, unit, memory, slope):
    """Do so alone; `slope` is an address."""
    return add_pulls(row, points, n, table, first, count, unit, memory, doubles(slope))


@stage
def descend(functions, points, n, table, unit, rooms, state, limits, costs):
    """Take steps until the cost no longer falls, `limits[0]` at most; return how many, and why.

    ``functions`` are the addresses of those of `unimds.kernels.steps`, of `spread` and `collect`,
    of the mutual row and of `carry`, which is 0 in flat space; ``rooms`` are the memory of each of
    them, as in other drivers, and ``state`` the address of P, its stride, and the addresses of what
    tells free points and of memory for two points. ``costs`` has two rows, by the loss and by the
    loss as given; the first of them are known. ``limits`` are the steps, how many costs are known,
    the window, and how many past steps count; and how slowly the cost may fall, what counts as
    zero, and a bar. A descent that would not come below it by a fall `HOPE` times that in the
    window gives up. Where no step leads down from the first points, these are the best.
    """
    (take, aim, judge, keep, spread, collect, row, carry), nothing = functions, (0, 0, 0, 0)
    (own, learnt, trial, pulled, others, carried), span = rooms, (0, 0, 0)
    (steps, known, window, past), (eps, zero, bar) = limits
    (P, stride, X, work), last, none = state, known - 1, 0 * n
    numbers, measured = doubles(own[1]), doubles(learnt[0])
    who, free, here = (P, stride, 0, 0), (X, n, points[2]), (points[0], n, 0, 0)
    room, curved, begun = (work, n, points[2]), 1 if carry else 0, inf
    while True:
        done, now, fresh = last + 1 - known, costs[0, last], numbers[VERDICT] == BEGUN
        if not fresh:
            if last >= window and costs[0, last - window] - now <= window * eps * abs(now):
                return done, SETTLED
            if costs[1, last] <= zero:
                return done, EXACT
            if last >= window and now - HOPE * (costs[0, last - window] - now) > bar:
                return done, HOPELESS
            if done == steps:
                return done, WENT
            call(aim, who, free, nothing, span, 1.0 * past, own)
        cost = exact = 0.0
        while numbers[VERDICT] == SHORTER or numbers[VERDICT] == BEGUN:
            if carry and not fresh:
                call(carry, who, room, nothing, (0, 0, ONTO), 1.0, carried)
            call(spread, here, points, nothing, span, 1.0, trial)
            for a in range(n * (points[2] + 1)):
                measured[a] = 0.0
            cost, exact = add_pulls(row, points, n, table, none, n, unit, others, measured)
            cost, exact = cost / table[4], exact / table[4]
            call(collect, here, points, nothing, span, 1.0 / table[4], pulled)
            call(judge, who, free, nothing, span, cost, own)
        if numbers[VERDICT] == STUCK:
            if done == 0:  # it began in a minimum
                call(keep, who, free, nothing, span, begun, own)
            return done, STUCK
        if carry:
            call(carry, who, room, nothing, (0, 0, ACROSS), 1.0, carried)
        call(take, who, free, nothing, (0, 0, curved), cost, learnt)
        if fresh:
            begun = exact
            continue
        last += 1
        costs[0, last], costs[1, last] = cost, exact
        call(keep, who, free, nothing, span, exact, own)


@driver
def anneal(functions, points, n, table, unit, rooms, state, limits, marks, costs, runs):
    """Descend from one configuration after another, each by one loss after another.

    ``limits`` are the steps, how many costs are known, the window, how many past steps count, and
    the bytes of the fields of a loss; what counts as zero; a cost: a descent that ends below it is
    the last one; the bytes from the table of a descent to that of the next; and whether it begins
    anew or goes on in ``state``.
    ``marks`` have a column for each loss: how slowly the cost may fall; where it must be by then,
    or the descent gives up; and the cost of a map that is known, where it gives up too.

    ``runs`` have a row for each configuration: its points, in whose place it leaves the best; the
    numbers of its first loss and of that after its last; the costs at the end by each loss; and the
    lowest cost by the loss as given, the steps, and why it ended. Return how many were run.
    """
    own, learnt, trial, pulled, others, carried = rooms
    (steps, known, window, past, width), (zero, goal), (apart, anew) = limits
    starts, spans, ends, told = runs
    numbers, P, stride = doubles(own[1]), doubles(state[0]), state[1]
    for run in range(len(spans)):
        taken, why, low = 0, WENT, inf
        given = (table[0] + run * apart, table[1], table[2], table[3], table[4])
        for a in range(stride if anew else 0):
            P[HERE * stride + a] = starts[run, a]
        for a in range(BENT + MEMORY if anew else 0):
            numbers[a] = 0.0
        for level in range(spans[run, 0], spans[run, 1]):
            if anew:  # a sharper loss bends nearly as the last one did, so past steps still tell
                numbers[LENGTH], numbers[LOWEST], numbers[VERDICT] = 0.0, low, BEGUN
                for a in range(stride):
                    P[TRIAL * stride + a] = P[HERE * stride + a]
                costs[0, 0], costs[1, 0] = inf, inf
            shift = level * width
            pulling = (others[0], others[1], others[2] + shift)
            carrying = (carried[0], carried[1], carried[2] + shift)
            here = (own, learnt, trial, pulled, pulling, carrying)
            until = (steps, known, window, past)
            done, why = descend(
                functions, points, n, given, unit, here, state,
                (until, (marks[SLOWEST, level], zero, marks[BAR, level])), costs,
            )  # fmt: skip
            taken, low = taken + done, numbers[LOWEST]
            now, there = numbers[COST], marks[KNOWN, level]
            ends[run, level] = now
            again = abs(now - there) <= AGAIN * there
            if why in (EXACT, HOPELESS) or now > marks[BAR, level] or again:
                break
        told[run, 0], told[run, 1], told[run, 2] = low, taken, why
        for a in range(stride if anew else 0):
            starts[run, a] = P[BEST * stride + a]
        if why == EXACT or ends[run, spans[run, 1] - 1] < goal:
            return run + 1
    return len(spans)


# --- subsampled sweeps ----------------------------------------------------------------------------

# They shake a map: each point meets only a few others. Each sweep has an even number of shifts; for
# a shift s, each point meets the point s places after it, on a circle. The order of the table must
# be random. So all pairs are equally likely: otherwise the map would be wrong for pairs that seldom
# meet. And points meet few others in common, so each has its own errors. The fewer points it meets,
# the farther a point strays from its place in a full sweep.


@driver
def shake_together(functions, flat, copies, points, table, sizes, shifts, unit, memory, room):
    """Sweep once for each entry of `sizes`: the number of points that each point meets.

    All points of a sweep move at once: loops run over the points. `copies` is memory for the points
    twice in a row, and `room` that of `memory` behind the pulls. The table is in the layout of
    `unimds.kernels.engine.by_shift`. ``functions`` are the addresses of meet, twice, take, lift and
    move.
    """
    meet, twice, take, lift, move = functions
    (X, n, k), (D, W, of_D, of_W, _) = points, table
    nothing, at, doubled, axes = (0, 0, 0, 0), 0, (copies, 2 * n, k), (k, 0, 0)
    for size in sizes:
        call(twice, (copies, 2 * n, 0, 0), points, nothing, (0, 0, 0), unit, memory)
        for first in range(0, n, BLOCK):
            end = first + BLOCK if first + BLOCK < n else n
            span = (first, end, 0)
            call(lift, nothing, points, nothing, (0, (k + 3) * BLOCK, 0), unit, memory)
            for m in range(0, size, 2):
                b, c = shifts[at + m], shifts[at + m + 1]
                one, two = b - 1, c - 1
                given = (D + one * of_D, D + two * of_D, W + one * of_W, W + two * of_W)
                call(meet, (X, n, b, c), doubled, given, span, unit, memory)
            if flat:
                call(take, (X, n, 0, 0), points, nothing, span, unit, memory)
            else:
                for i in range(first, end):
                    call(lift, (0, 0, i - first, 0), points, nothing, (0, 0, 0), unit, memory)
                    call(move, (X, n, i, i), points, nothing, axes, 1.0, room)
        at += size


@driver
def shake_in_turn(
    pull, move, gather, points, n, real, table, few, sample, sizes, shifts, unit, memory
):
    """Shake point by point, for tables and spaces that need it.

    `few` and `sample` are the memory for the points that a point meets and for its distances to
    them, as `points` and `table` are.
    """
    X, stride, k = points
    (D, W, of_D, of_W, layers), at, none, out = table, 0, 0 * n, doubles(memory[1])
    for size in sizes:
        chosen = 4 * k + 12  # where the shifts stand in `out`
        for m in range(size):
            out[chosen + m] = shifts[at + m]
        for i in range(n):
            for layer in range(layers):
                row = i * layers + layer
                r, s = D + row * of_D, sample[0] + layer * sample[2]
                w, z = W + row * of_W, sample[1] + layer * sample[3]
                span, here = (n, size, 1 if W else 0), memory[1] + 8 * chosen
                into = (memory[0], here, memory[2])
                call(gather, (few[0], few[1], i, i), points, (r, s, w, z), span, unit, into)
            for a in range(k + 3):
                out[a] = 0.0
            who = (X, stride, i, i)
            add_range(pull, who, few, sample, (0, 0), none, size, (size, size), unit, memory)
            call(move, who, points, (0, 0, 0, 0), (real, 0, 0), 1.0, memory)
        at += size
