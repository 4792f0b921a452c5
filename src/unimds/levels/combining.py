r"""Sums of a few functions with nonnegative factors: the compiled loops of lines and splines.

Disparities are :math:`r = \sum_j c_j f_j` with :math:`c_j \ge 0`. One pass over the entries adds up
the Gram matrix :math:`G` of the functions, their products :math:`b` with the targets and
:math:`s` with the slope of the bound. All else happens in as many dimensions as there are
functions: :math:`c(\lambda)` minimises :math:`c^T G c - 2 c^T (b + \lambda s)`, and
:math:`\lambda \ge 0` is the least for which :math:`s^T c(\lambda)` reaches the bound. This is
piecewise linear in :math:`\lambda`, so that Newton's steps end after a few.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from unimds.compiled.functions import looping
from unimds.levels.base import Bound

Array = NDArray[Any]

MOST = 200  # steps of the search for λ
MET = 1e-13  # share of the bound that counts as rounding
DEPENDENT = 1e-13  # squared length of what a function adds to others, as a share of its own
UPHILL = 1e-14  # slope that counts as none, as a share of the steepest


@final
class Basis:
    """Rising functions in blocks of entries.

    Function j of a block is the sum of the pieces from j on; every entry lies in a few pieces that
    follow each other.

    Parameters
    ----------
    pieces : ndarray of shape (entries, few)
        The values of the pieces that an entry lies in.
    at : ndarray of int
        The number of the first of them.
    edges : ndarray of int
        Where blocks begin and end.
    count : int
        Number of functions of a block.
    """

    def __init__(self, pieces: Array, at: Array, edges: Array, count: int):
        self.pieces, self.at, self.edges = np.ascontiguousarray(pieces), at, edges
        self.count = count

    @cached_property
    def columns(self) -> Array:
        """The functions of a single block, a column each."""
        dense, rows = np.zeros((len(self.at), self.count)), np.arange(len(self.at))
        for k in range(self.pieces.shape[1]):
            dense[rows, self.at + k] += self.pieces[:, k]
        return np.ascontiguousarray(dense[:, ::-1].cumsum(axis=1)[:, ::-1])

    def nearest(self, t: Array, w: Array, bound: Bound | None) -> Array | None:
        """Return the sums for which Σ w (r − t)² is least within a bound; None if there are none.

        Within rounding, that is: the last digits may be on either side of the bound.
        """
        blocks, m = len(self.edges) - 1, self.count
        G, b, s = np.zeros((blocks, m, m)), np.zeros((blocks, m)), np.zeros((blocks, m))
        c, used = np.zeros((blocks, m)), np.zeros((blocks, m), dtype=np.bool_)
        slope, least = (t[:0], 0.0) if bound is None else (bound.slope, bound.least)
        add_products(self.pieces, self.at, self.edges, t, w, slope, G, b, s)
        if not combine(G, b, s, least, c, used, np.zeros((m, m)), np.zeros((3, m))):
            return None
        r = np.empty_like(t)
        add_pieces(self.pieces, self.at, self.edges, c, r)
        return r


@looping
def add_products(pieces, at, edges, t, w, slope, G, b, s):  # type: ignore[no-untyped-def]
    """Add up the products of functions: with each other, with targets and with the bound's slope.

    Those of the pieces come first; a function is the sum of the pieces from its own on.
    """
    few, m = pieces.shape[1], b.shape[1]
    for block in range(edges.size - 1):
        for i in range(edges[block], edges[block + 1]):
            for p in range(few):
                here, value = at[i] + p, w[i] * pieces[i, p]
                b[block, here] += value * t[i]
                if slope.size:
                    s[block, here] += slope[i] * pieces[i, p]
                for q in range(few):
                    G[block, here, at[i] + q] += value * pieces[i, q]
        for j in range(m - 2, -1, -1):
            b[block, j] += b[block, j + 1]
            s[block, j] += s[block, j + 1]
            for k in range(m):
                G[block, j, k] += G[block, j + 1, k]
        for j in range(m):
            for k in range(m - 2, -1, -1):
                G[block, j, k] += G[block, j, k + 1]


@looping
def add_pieces(pieces, at, edges, c, r):  # type: ignore[no-untyped-def]
    """Fill in the sums of the functions; the factors `c` become those of the pieces."""
    for block in range(edges.size - 1):
        for j in range(1, c.shape[1]):
            c[block, j] += c[block, j - 1]
        for i in range(edges[block], edges[block + 1]):
            total = 0.0
            for p in range(pieces.shape[1]):
                total += c[block, at[i] + p] * pieces[i, p]
            r[i] = total


@looping
def combine(G, b, s, least, c, used, L, room):  # type: ignore[no-untyped-def]
    """Fill in the factors of all blocks; return whether they can reach the bound.

    `used` tells which are not zero, `L` and `room` are memory.
    """
    blocks, m = b.shape
    for block in range(blocks):  # functions of length one
        for j in range(m):
            room[0, j] = G[block, j, j] ** 0.5
        for j in range(m):
            length = room[0, j]
            b[block, j] = b[block, j] / length if length > 0.0 else 0.0
            s[block, j] = s[block, j] / length if length > 0.0 else 0.0
            c[block, j] = length
            for k in range(m):
                both = length * room[0, k]
                G[block, j, k] = G[block, j, k] / both if both > 0.0 else 0.0
    lengths = c.copy()
    lam, low, high, reached = 0.0, 0.0, -1.0, False
    for _ in range(MOST):
        h, rise = 0.0, 0.0
        for block in range(blocks):
            more, slope = combine_block(G, b, s, lam, block, c, used, L, room)
            h, rise = h + more, rise + slope
        off = least - h
        if (lam == 0.0 and off <= 0.0) or abs(off) <= MET * abs(least):
            reached = True
            break
        if off > 0.0:
            low = lam
        else:
            high = lam
        if high > 0.0 and high - low <= 1e-15 * high:
            reached = True
            break
        there = lam + off / rise if rise > 0.0 else -1.0
        if high > 0.0:
            lam = there if low < there < high else 0.5 * (low + high)
        elif there > low:
            lam = there
        else:
            lam = 2.0 * lam if lam > 0.0 else first_multiplier(b, s)
        if not lam < 1e300:
            break
    for block in range(blocks):
        for j in range(m):
            c[block, j] = c[block, j] / lengths[block, j] if lengths[block, j] > 0.0 else 0.0
    return reached


@looping
def first_multiplier(b, s):  # type: ignore[no-untyped-def]
    """Return a λ that is about as large as λ is where it matters."""
    most, steepest = 1e-12, 0.0
    for block in range(b.shape[0]):
        for j in range(b.shape[1]):
            most = max(most, abs(b[block, j]))
            steepest = max(steepest, s[block, j])
    return most / steepest if steepest > 0.0 else 1e300


@looping
def combine_block(G, b, s, lam, block, c, used, L, room):  # type: ignore[no-untyped-def]
    """Find the factors of a block at a λ: nonnegative least squares, by Lawson and Hanson.

    It begins with those that were used before. Return sᵀc, and how fast it rises with λ.
    """
    m, steepest = b.shape[1], 0.0
    for j in range(m):
        room[2, j] = b[block, j] + lam * s[block, j]
        steepest = max(steepest, abs(room[2, j]))
    if not solve(G, block, used, L, room) or some_vanish(used, block, room):
        for j in range(m):
            used[block, j] = False
            room[0, j] = 0.0
    for j in range(m):
        c[block, j] = room[0, j] if used[block, j] else 0.0
        room[1, j] = 0.0  # whether a function was tried in vain
    for _ in range(10 * m):
        best, found = UPHILL * steepest, -1
        for j in range(m):
            if used[block, j] or room[1, j] > 0.0 or G[block, j, j] == 0.0:
                continue
            uphill = room[2, j]
            for k in range(m):
                uphill -= G[block, j, k] * c[block, k]
            if uphill > best:
                best, found = uphill, j
        if found < 0:
            break
        used[block, found] = True
        if not solve(G, block, used, L, room) or room[0, found] <= 0.0:
            used[block, found], room[1, found] = False, 1.0
            continue
        while some_vanish(used, block, room):
            give_up_one(used, block, c, room)
            solve(G, block, used, L, room)
        for j in range(m):
            c[block, j] = room[0, j] if used[block, j] else 0.0
            room[1, j] = 0.0
    h, rise = 0.0, 0.0
    for j in range(m):
        room[2, j] = s[block, j]
        h += s[block, j] * c[block, j]
    solve(G, block, used, L, room)
    for j in range(m):
        rise += s[block, j] * room[0, j] if used[block, j] else 0.0
    return h, rise


@looping
def give_up_one(used, block, c, room):  # type: ignore[no-untyped-def]
    """Go towards the factors of row 0 of `room` until one of them is zero, and use it no more."""
    share, gone = 2.0, 0
    for j in range(used.shape[1]):
        if used[block, j] and room[0, j] <= 0.0:
            here = c[block, j] / (c[block, j] - room[0, j]) if c[block, j] > 0.0 else 0.0
            if here < share:
                share, gone = here, j
    for j in range(used.shape[1]):
        if used[block, j]:
            c[block, j] += share * (room[0, j] - c[block, j])
    used[block, gone], c[block, gone] = False, 0.0


@looping
def some_vanish(used, block, room):  # type: ignore[no-untyped-def]
    """Whether a factor that is used is not positive."""
    found = False
    for j in range(used.shape[1]):
        found = found or (used[block, j] and room[0, j] <= 0.0)
    return found


@looping
def solve(G, block, used, L, room):  # type: ignore[no-untyped-def]
    """Solve for the factors that are used, by Cholesky; return whether they are independent.

    The right side is row 2 of `room`, and the factors go to row 0.
    """
    m = used.shape[1]
    for j in range(m):
        if not used[block, j]:
            continue
        for k in range(j + 1):
            if not used[block, k]:
                continue
            total = G[block, j, k]
            for i in range(k):
                if used[block, i]:
                    total -= L[j, i] * L[k, i]
            if k < j:
                L[j, k] = total / L[k, k]
            elif total > DEPENDENT:
                L[j, j] = total**0.5
            else:
                return False
    substitute(block, used, L, room)
    return True


@looping
def substitute(block, used, L, room):  # type: ignore[no-untyped-def]
    """Solve L Lᵀ x = y; y is row 2 of `room`, and x goes to row 0."""
    m = used.shape[1]
    for j in range(m):
        if used[block, j]:
            total = room[2, j]
            for k in range(j):
                if used[block, k]:
                    total -= L[j, k] * room[0, k]
            room[0, j] = total / L[j, j]
    for j in range(m - 1, -1, -1):
        if used[block, j]:
            total = room[0, j]
            for k in range(j + 1, m):
                if used[block, k]:
                    total -= L[k, j] * room[0, k]
            room[0, j] = total / L[j, j]
