"""Orders of points on a line; `unimds.starts.line` has the mathematics."""

from __future__ import annotations

from unimds.compiled.functions import driver


@driver
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


@driver
def insert(D, order, t):
    """Move one point after another to its best place in the order, until none can be moved.

    `t` are the sums of distances to the points before less those to the points after.
    """
    n, moved, passes = D.shape[0], True, 0
    while moved and passes < 100:  # ten are many; rounding must not keep it going
        moved, passes = False, passes + 1
        for i in range(n):
            place = 0
            while order[place] != i:
                place += 1
            best, to = 1e-12 * abs(t[i]) * abs(t[i]), place
            for way in (-1, 1):
                own, gain, at = t[i], 0.0, place + way
                while 0 <= at < n:
                    j = order[at]
                    step = 2.0 * way * D[i, j]
                    other = t[j] - step
                    gain += other * other - t[j] * t[j]
                    own += step
                    total = gain + own * own - t[i] * t[i]
                    if total > best:
                        best, to = total, at
                    at += way
            if to != place:
                moved = True
                way = 1 if to > place else -1
                for at in range(place, to, way):
                    j = order[at + way]
                    order[at] = j
                    t[i] += 2.0 * way * D[i, j]
                    t[j] -= 2.0 * way * D[i, j]
                order[to] = i
