"""Drivers over pairs that are known by a code: a number in a short list, which may change.

Nothing is looked up for more than two rows at a time, so that a pass takes no memory, and what it
reads stays in the cache. Codes are a square array. Of a symmetric table only the pairs with earlier
points count; where it is not symmetric (`both`), a pair has a code for each direction.
"""

from __future__ import annotations

from unimds.compiled.functions import call, doubles, looping
from unimds.kernels.drivers import pulls_of_two


@looping
def add_up(U, at, codes, W, first, origin, both, total):
    """Add the weighted distances of a point to earlier ones, row `at` of U, to those of a code.

    `origin` is the point of the first row of codes and weights.
    """
    own = first + at
    row = own - origin
    if W.size:
        for j in range(own):
            total[codes[row, j]] += W[row, j] * U[at, j]
    else:
        for j in range(own):
            total[codes[row, j]] += U[at, j]
    if both:
        for j in range(own):
            total[codes[j, own]] += (W[j, own] if W.size else 1.0) * U[at, j]


@looping
def add_up_rows(U, codes, W, first, origin, both, total):
    """Do so with all rows of U: the distances of the points from `first` on."""
    for at in range(U.shape[0]):
        add_up(U, at, codes, W, first, origin, both, total)


@looping
def add_up_all(row, points, n, codes, W, both, fields, into, U, total):
    """Do so with all points of a map; U, at the address `into`, is memory for two rows."""
    (X, stride, _), nothing = points, (0, 0, 0, 0)
    for i in range(0, n, 2):
        j = i + 1 if i + 1 < n else i
        call(row, (X, stride, i, j), points, nothing, (0, i + 1, 0), 1.0, (into, into, fields))
        add_up(U, 0, codes, W, i, 0, both, total)
        if j > i:
            add_up(U, 1, codes, W, i, 0, both, total)


@looping
def pulls(row, points, n, table, codes, numbers, D, first, count, unit, memory, slope):
    """Do what `unimds.kernels.drivers.pulls` does; D, at the first address of `table`, is memory.

    It has two rows, of one layer or two.
    """
    into, W, of_D, of_W, layers = table
    smooth, exact = 0.0, 0.0
    for at in range(0, count, 2):
        pair = at + 1 < count
        i = first + at
        for row_number in range(2 if pair else 1):
            own = i + row_number
            for j in range(own):
                D[row_number, 0, j] = numbers[codes[own, j]]
            if layers == 2:
                for j in range(own):
                    D[row_number, 1, j] = numbers[codes[j, own]]
        two = (into, W + at * layers * of_W, of_D, of_W, layers)
        a, b = pulls_of_two(row, points, n, two, i, 0 * n, pair, unit, memory, doubles(slope))
        smooth, exact = smooth + a, exact + b
    return smooth, exact
