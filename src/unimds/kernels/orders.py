"""Orders of points on a line or a circle; `unimds.starts.seriation.curves` has the mathematics."""

from __future__ import annotations

from math import floor

from unimds.compiled.functions import looping, stage


@looping
def search_all(D, low_sums, high_sums, half, value, order):
    """Fill `order` with the best of all orders; `value` is memory for a number of every set.

    The sum of the distances of a point to a set is that to the set's first `half` points, from
    `low_sums`, and that to the others.
    """
    n = D.shape[0]
    everyone = (1 << n) - 1
    mask = (1 << half) - 1
    value[0] = 0.0
    for chosen in range(1, everyone + 1):
        low, high, most = chosen & mask, chosen >> half, -1.0
        for i in range(n):
            if chosen >> i & 1:
                before = low_sums[i, low] + high_sums[i, high]
                t = 2.0 * before - D[i, i]
                found = value[chosen ^ (1 << i)] + t * t
                most = found if found > most else most
        value[chosen] = most
    chosen = everyone
    for place in range(n - 1, -1, -1):
        low, high, last, most = chosen & mask, chosen >> half, 0, -1.0
        for i in range(n):
            if chosen >> i & 1:
                t = 2.0 * (low_sums[i, low] + high_sums[i, high]) - D[i, i]
                found = value[chosen ^ (1 << i)] + t * t
                if found > most:
                    most, last = found, i
        order[place] = last
        chosen ^= 1 << last


@stage
def settled(D, W, inverse, length, x, t):
    """Move all points to where their present order wants them, until that changes no order.

    Return the cost; `t` is memory.
    """
    n, cost, passes = x.size, 0.0, 0
    while True:
        square = within = 0.0
        for i in range(n):
            t[i] = 0.0
        for i in range(n):
            for j in range(i):
                gap = x[i] - x[j]
                turns = length * floor(gap / length + 0.5) if length > 0.0 else 0.0
                goal = turns + (D[i, j] if gap >= turns else -D[i, j])
                t[i] += W[i, j] * goal
                t[j] -= W[i, j] * goal
                square += W[i, j] * goal * goal
        for i in range(n):
            x[i] = 0.0
            for j in range(n):
                x[i] += inverse[i, j] * t[j]
            within += t[i] * x[i]
        before, cost, passes = cost, square - within, passes + 1
        if (passes > 1 and not cost < before - 1e-13 * abs(before)) or passes == 100:
            return cost


@looping
def insert(D, W, inverse, length, x, ring, at, trial, best, t):
    """Move one point after another to its best place in the order, until none can be moved.

    All points follow: the cost of an order is that of its lowest map. ``ring`` are the marks that a
    point may pass, as they lie along the curve: points, and on a circle their antipodes, whose
    numbers are larger by n. ``at`` is memory for where they lie; `trial`, `best` and `t` are memory
    for maps. Return the cost.
    """
    n, marks, passes, still, cost = x.size, ring.size, 0, 0, 0.0
    while still < n:
        if still == 0:  # at first, and after a move
            cost = settled(D, W, inverse, length, x, t)
        if passes == 100 * n:  # ten times n are many; rounding must not keep it going
            break
        i, passes, still = passes % n, passes + 1, still + 1
        start = arranged(x, ring, at, length, i)
        most = 1e-10 * cost
        for way in (1, -1):
            gain, place = 0.0, start
            for a in range(n):
                trial[a] = x[a]
            for _ in range(marks - 1):
                place += way
                if length > 0.0:
                    place %= marks
                elif place < 0 or place >= marks:
                    break
                mark = ring[place]
                j = mark if mark < n else mark - n
                if j == i:
                    continue
                gap = at[mark] - at[i]
                gap = gap + length if gap < 0.0 else gap
                apart = x[i] - x[j] + (gap if length > 0.0 else at[mark] - at[i])
                pull = way * W[i, j] * (2.0 * D[i, j] if mark < n else length - 2.0 * D[i, j])
                stiff = inverse[i, i] + inverse[j, j] - 2.0 * inverse[i, j]
                gain -= pull * (2.0 * (apart - trial[i] + trial[j]) - pull * stiff)
                for a in range(n):
                    trial[a] += pull * (inverse[i, a] - inverse[j, a])
                if gain > most:
                    most, still = gain, 0
                    for a in range(n):
                        best[a] = trial[a]
            if length > 0.0:  # once round the circle
                break
        if still == 0:
            for a in range(n):
                x[a] = best[a]
    return cost


@stage
def arranged(x, ring, at, length, i):
    """Bring the marks in order, which they nearly are; return the place of point `i`."""
    n, marks = x.size, ring.size
    for a in range(n):
        at[a] = x[a] - length * floor(x[a] / length) if length > 0.0 else x[a]
    for a in range(n, marks):
        half = at[a - n] + 0.5 * length
        at[a] = half - length if half >= length else half
    found = 0
    for place in range(1, marks):
        mark, to = ring[place], place
        while to > 0 and at[ring[to - 1]] > at[mark]:
            ring[to] = ring[to - 1]
            to -= 1
        ring[to] = mark
    for place in range(marks):
        found = place if ring[place] == i else found
    return found
