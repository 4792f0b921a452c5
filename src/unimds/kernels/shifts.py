"""Absolute errors on a line or a circle: shifts of points and of groups of them.

`unimds.starts.seriation.curves` has the mathematics. A circle has its circumference as `length`, a
line 0. Distances are at most half of it.
"""

from __future__ import annotations

from math import floor, inf

from unimds.compiled.functions import looping

# shares of the kicks that move two points; the others mirror a stretch
EXCHANGED, ANYWHERE = 0.4, 0.2
# over n²: what shifts of groups gain of the cost, at most; on tables of 8 to 55 points they gain a
# quarter of that in the mean, and of 1,200 hops that led lower 97 % were within it
HOPE = 2.0
ROUNDS = 1.0  # times what the last round over all points gained: the others hardly gain more
MET = 0.05  # of a typical distance: points of two maps that are so near lie in the same place
SAME = 1e-6  # two maps whose costs differ by less are one
GAIN = 1e-11  # of the cost: a smaller gain may be rounding
TIGHT = 1e-10  # of a typical distance: so exactly are distances met that a shift has led to
LEVEL = 1e-9  # a slope that may be rounding


@looping
def hop_on(D, W, length, x, scale, draws, trial, orders, events, groups, flows):
    """Hop from the map `x` as often as ``draws`` has rows, each time from the lowest map so far.

    A hop exchanges two points, puts both anywhere or mirrors a stretch, and settles; it is given up
    where shifts of groups cannot lead lower any more. `x` becomes the lowest map; ``trial`` is
    memory for another one. Return how much work it was.
    """
    work, cost = 0, total(D, W, length, x)
    for hop in range(draws.shape[0]):
        for i in range(x.size):
            trial[i] = x[i]
        kick(trial, length, draws[hop])
        bar = cost * (1.0 + HOPE / x.size**2)
        work += settle(D, W, length, trial, scale, bar, orders, events, groups, flows)
        found = total(D, W, length, trial)
        if found < cost:
            cost = found
            for i in range(x.size):
                x[i] = trial[i]
    return work


@looping
def cross_on(D, W, length, maps, scale, costs, draws, trial, orders, events, groups, flows):
    """Cross maps with each other as often as ``draws`` has rows.

    Every time, the lowest of ``maps`` or any of them takes some points from another one, and
    settles. The new map takes its place if it is lower, and not one of those that are there.
    ``costs`` is memory for a number of each map. Return how much work it was.
    """
    work, many, n = 0, maps.shape[0], maps.shape[1]
    for m in range(many):
        costs[m] = total(D, W, length, maps[m])
    for draw in draws:
        one, other = int(draw[1] * many), int(draw[2] * (many - 1))
        for m in range(many if draw[0] < 0.5 else 0):
            one = m if costs[m] < costs[one] else one
        other = other if other < one else other + 1
        cross(maps[one], maps[other], length, MET * scale, draw, trial)
        bar = costs[one] * (1.0 + HOPE / n**2)
        work += settle(D, W, length, trial, scale, bar, orders, events, groups, flows)
        found, new = total(D, W, length, trial), True
        for m in range(many):
            new = new and abs(found - costs[m]) > SAME * found
        if new and found < costs[one]:
            costs[one] = found
            for i in range(n):
                maps[one, i] = trial[i]
    return work


@looping
def cross(x, y, length, near, draw, trial):
    """Let ``trial`` be the map `x` with some points, less than half of them, where `y` has them.

    First `y` is turned: of all ways that bring one of its points to where it is in `x`, this one
    brings the most others near to where they are there.
    """
    n, most, way, turn = x.size, 0, 1.0, 0.0
    for sign in (1.0, -1.0):
        for i in range(n):
            on, met = x[i] - sign * y[i], 0
            for j in range(n):
                met += 1 if error(sign * y[j] + on - x[j], 0.0, length) < near else 0
            if met > most:
                most, way, turn = met, sign, on
    for i in range(n):
        trial[i] = way * y[i] + turn if draw[4 + i] < 0.5 * draw[3] else x[i]


@looping
def kick(x, length, draw):
    """Exchange two points, put both anywhere, or mirror a stretch, as five numbers up to 1 decide.

    Of maps that no shift can better, many differ by a stretch of points the other way round.
    """
    n, low, high = x.size, 0.0, length
    i, j = int(draw[1] * n), int(draw[2] * (n - 1))
    j = j if j < i else j + 1
    if draw[0] < EXCHANGED:
        x[i], x[j] = x[j], x[i]
        return
    if length == 0.0:
        low = high = x[0]
        for a in range(n):
            low, high = min(low, x[a]), max(high, x[a])
    if draw[0] < EXCHANGED + ANYWHERE:
        x[i], x[j] = low + (high - low) * draw[3], low + (high - low) * draw[4]
        return
    begin, stretch = x[i], 0.5 * (high - low) * draw[3]
    for a in range(n):
        along = x[a] - begin
        along = along + length if along < 0.0 else along
        if 0.0 <= along < stretch:
            x[a] = begin + stretch - along
            x[a] -= length if x[a] >= length > 0.0 else 0.0


@looping
def settle(D, W, length, x, scale, bar, orders, events, groups, flows):
    """Shift points to their best places, and groups of them downhill, until no shift gains.

    Give up where points have found their best places and the cost is above `bar`: to shift groups
    takes longer, and gains little.

    ``orders`` is memory for how the events of each point lie along the curve, all numbers from 0
    on at first, and ``events`` for these events; ``groups`` and ``flows`` for five numbers and one
    of each point. Return how much work it was.
    """
    work, moved, cost = 0, True, total(D, W, length, x)
    while moved:
        cost, done = shift_points(D, W, length, x, cost, scale, bar, orders, events, groups)
        work += done
        if cost > bar:
            break
        cost, done, moved = shift_groups(D, W, length, x, cost, scale, groups, flows)
        work += done
    return work


@looping
def total(D, W, length, x):
    """Return the cost."""
    cost = 0.0
    for i in range(x.size):
        for j in range(i):
            cost += W[i, j] * error(x[i] - x[j], D[i, j], length)
    return cost


@looping
def error(gap, d, length):
    """Return the absolute error of a pair."""
    apart = gap - length * floor(gap / length + 0.5) if length > 0.0 else gap
    return abs(abs(apart) - d)


@looping
def shift_points(D, W, length, x, cost, scale, bar, orders, events, groups):
    """Move one point after another, until none can gain; return the cost, and the work done.

    Give up where what a round gains shows that the cost will not come below `bar`.
    """
    n, still, i, work, before = x.size, 0, 0, 0, inf
    while still < n:
        if i == 0:
            if cost - ROUNDS * (before - cost) > bar:
                break
            before = cost
        gain, place = best_place(D, W, length, x, i, orders[i], events)
        work, still = work + 3 * n + 65, still + 1
        if gain > GAIN * (cost + scale):
            many = set_apart(groups, i)
            gain = shifted(D, W, length, x, groups, 1, many, place - x[i])
            if gain > GAIN * (cost + scale):
                cost, still = cost - gain, 0
        i = (i + 1) % n
    return cost, work


@looping
def set_apart(groups, i):
    """Fill two groups: point `i`, and all others; return how many these are."""
    many, groups[0, 0] = 0, i
    for j in range(groups.shape[1]):
        if j != i:
            groups[1, many] = j
            many += 1
    return many


@looping
def shift_groups(D, W, length, x, cost, scale, groups, flows):
    """Shift groups that hold together by exactly met distances, until none can gain.

    Return the cost, the work done, and whether any group was shifted.
    """
    n, work, moved, c, tight = x.size, 0, False, 0, TIGHT * scale
    while c < n:
        grow(D, W, length, x, tight, groups, flows)
        work, gained = work + 2 * n * n, False
        while c < n and not gained:
            i = groups[2, n - 1 - c]
            parent, c = groups[3, i], c + 1
            held = W[i, parent] if parent >= 0 else 0.0
            if abs(flows[i]) <= held + LEVEL:
                continue
            few, many = split(groups, n - c)
            way = -1.0 if flows[i] > 0.0 else 1.0
            shift, done = downhill(D, W, length, x, groups, few, many, way, tight)
            work += done
            gain = shifted(D, W, length, x, groups, few, many, shift)
            if gain > GAIN * (cost + scale):
                cost, moved, gained, c = cost - gain, True, True, 0
    return cost, work, moved


@looping
def downhill(D, W, length, x, groups, few, many, way, tight):
    """Return the shift of the first group to the first minimum, and the work done.

    The shift has the sign of `way`. The best of all shifts would need all events in order, of which
    large groups have thousands.
    """
    past, work = 0.0, 0
    while True:
        slope, on = next_event(D, W, length, x, groups, few, many, way, past, tight)
        work += 2 * few * many
        if slope >= -LEVEL or past + on == past or (length > 0.0 and past + on >= length):
            return way * past, work
        past += on


@looping
def next_event(D, W, length, x, groups, few, many, way, past, tight):
    r"""Return the slope of the cost after a shift of the first group, and how far it holds.

    With a gap g that grows, :math:`||g| - d|` falls up to g = -d, rises up to 0, falls up to d, and
    rises up to half the circumference. An event within `tight` has been passed.
    """
    slope, nearest, half = 0.0, inf, 0.5 * length
    for a in range(few):
        i = groups[0, a]
        for b in range(many):
            j = groups[1, b]
            d, rises, gap = D[i, j], True, way * (x[i] - x[j]) + past
            gap -= length * floor(gap / length + 0.5) if length > 0.0 else 0.0
            if gap < -d - tight:
                rises, on = False, -d - gap
            elif gap < -tight:
                on = -gap
            elif gap < d - tight:
                rises, on = False, d - gap
            elif length == 0.0:
                on = inf
            elif gap < half - tight:
                on = half - gap
            elif d < half - tight:
                rises, on = False, length - d - gap
            else:
                on = length - gap
            slope += W[i, j] if rises else -W[i, j]
            nearest = min(nearest, on)
    return slope, nearest


@looping
def shifted(D, W, length, x, groups, few, many, shift):
    """Shift the first group against the second; return what that gains, as measured.

    Rounding may promise a gain where there is none: points would be shifted to and fro for ever.
    A shift that gains nothing is taken back.
    """
    gain = 0.0
    for a in range(few):
        i = groups[0, a]
        for b in range(many):
            j = groups[1, b]
            gap, d = x[i] - x[j], D[i, j]
            gain += W[i, j] * (error(gap, d, length) - error(gap + shift, d, length))
    if gain > 0.0:
        for a in range(few):
            x[groups[0, a]] += shift
    return gain


@looping
def best_place(D, W, length, x, i, order, events):
    """Return what the best place of point `i` gains, and where it is.

    The cost is linear between events, where a pair's distance begins to grow or to shrink, or to be
    too large or too small. `order` is how events lie along the curve, the last time and then this
    time.
    """
    at, change, slope, half, head = events[0], events[1], 0.0, 0.5 * length, x[i]
    kinds, count = 4 if length > 0.0 else 3, 0
    for j in range(x.size):
        if j == i:
            continue
        w, d, ahead = W[i, j], D[i, j], x[j]
        if length > 0.0:  # from a place at 0, on to `length`
            ahead -= length * floor(ahead / length)
            far = ahead + half if ahead < half else ahead - half
            low, high = ahead - d, ahead + d
            low = low + length if low < 0.0 else low
            high = high - length if high >= length else high
            at[count], at[count + 1], at[count + 2], at[count + 3] = low, high, ahead, far
            change[count + 3] = -2.0 * w
        else:
            slope -= w
            at[count], at[count + 1], at[count + 2] = ahead - d, ahead + d, ahead
        change[count], change[count + 1], change[count + 2] = 2.0 * w, 2.0 * w, -2.0 * w
        count += kinds
    arrange(order, at, count)
    if length > 0.0:
        slope = slope_before(order, at, change, count, length)
    head -= length * floor(head / length) if length > 0.0 else 0.0
    cost, low, there, place, now = 0.0, 0.0, at[order[0]], at[order[0]], 0.0
    passed = head < there
    now = slope * (head - there)
    for e in range(count):
        event = order[e]
        if not passed and at[event] > head:
            now, passed = cost + slope * (head - there), True
        cost += slope * (at[event] - there)
        there = at[event]
        slope += change[event]
        if cost < low:
            low, place = cost, there
    now = now if passed else cost + slope * (head - there)
    return now - low, place


@looping
def slope_before(order, at, change, count, length):
    """Return the slope of the cost before the first event of a circle.

    A whole round ends with the cost that it began with: that tells the slope even where events
    coincide, of which comparisons of their places would tell the wrong one.
    """
    risen = 0.0
    for e in range(count):
        risen += change[order[e]] * (length - (at[order[e]] - at[order[0]]))
    return -risen / length


@looping
def arrange(order, at, count):
    """Bring events in order, by Shell's method, or one by one where they nearly are."""
    gap, falls = 1, 0
    for place in range(1, count):
        falls += 1 if at[order[place]] < at[order[place - 1]] else 0
    while gap < count // 3 and falls > count // 8:
        gap = 3 * gap + 1
    while gap > 0:
        for place in range(gap, count):
            event, to = order[place], place
            where = at[event]
            while to >= gap and at[order[to - gap]] > where:
                order[to] = order[to - gap]
                to -= gap
            order[to] = event
        gap //= 3


@looping
def grow(D, W, length, x, tight, groups, flows):
    """Grow trees of exactly met distances, and find what a shift of their branches gains.

    The third and fourth row of ``groups`` are the points in the order in which they are reached,
    and their parents, or -1. ``flows`` are by how much the cost changes with a shift of each
    point's branch, but for the distance to its parent.
    """
    n, reached, done = x.size, 0, 0
    for i in range(n):
        groups[3, i], flows[i] = -2, 0.0
        for j in range(i):
            apart = x[i] - x[j]
            apart -= length * floor(apart / length + 0.5) if length > 0.0 else 0.0
            off = abs(apart) - D[i, j]
            if abs(off) > tight:
                slope = W[i, j] if (apart > 0.0) == (off > 0.0) else -W[i, j]
                flows[i] += slope
                flows[j] -= slope
    for root in range(n):
        if groups[3, root] == -2:
            groups[2, reached], groups[3, root] = root, -1
            reached += 1
        while done < reached:
            i, done = groups[2, done], done + 1
            for j in range(n):
                met = groups[3, j] == -2 and W[i, j] > 0.0
                if met and error(x[i] - x[j], D[i, j], length) <= tight:
                    groups[2, reached], groups[3, j] = j, i
                    reached += 1
    for c in range(n - 1, -1, -1):
        i = groups[2, c]
        if groups[3, i] >= 0:
            flows[groups[3, i]] += flows[i]


@looping
def split(groups, c):
    """Fill two groups: the branch of the point that was reached as number `c`, and all others.

    Return how many points each has.
    """
    n, few, many = groups.shape[1], 0, 0
    for b in range(n):
        j = groups[2, b]
        parent = groups[3, j]
        inside = b == c or (b > c and parent >= 0 and groups[4, parent] > 0)
        groups[4, j] = 1 if inside else 0
        groups[0 if inside else 1, few if inside else many] = j
        few, many = few + (1 if inside else 0), many + (0 if inside else 1)
    return few, many
