r"""The level of powers: the exponent is searched by its derivatives, the factor is known.

For an exponent a, with :math:`p = d^a`, all that counts are the sums :math:`A = \sum w\,p\,t`,
:math:`B = \sum w\,p^2` and :math:`S = \sum \sigma\,p`, where σ is the slope of the bound. A factor
b costs :math:`b^2 B - 2 b A` (and what does not depend on it), so that the best one is A/B, or
least/S where the bound asks for more. The cost of the best factor is a function of the exponent
alone; Newton's steps find its minimum. Its basin is looked for on a grid of exponents, each twice
the one before: there powers are squares of powers.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import exp, inf, log
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from unimds.compiled.functions import looping
from unimds.levels.base import Bound, within
from unimds.levels.blocks import InBlocks

Array = NDArray[Any]

EXPONENTS = (0.05, 20.0)
BETWEEN = 2  # grids of doubling exponents
DOUBLINGS = 8
CELLS = 256  # of the logarithms of more entries, for the grid
STEPS = 40  # of the search
ROUNDS = 1  # of exponents and factors, where blocks share a bound


@final
class Logs:
    """The logarithms of dissimilarities in blocks, and cells of them where there are very many.

    Parameters
    ----------
    d : ndarray
        Dissimilarities, rising within blocks.
    edges : ndarray of int
        Where blocks begin and end.
    """

    def __init__(self, d: Array, edges: Array):
        largest = np.repeat(d[edges[1:] - 1], np.diff(edges))
        with np.errstate(divide="ignore", invalid="ignore"):
            self.logs = np.where(largest > 0.0, np.log(d / largest), 0.0)
        self.edges = edges
        cells = [self._cells(self.logs[begin:end]) for begin, end in pairwise(edges)]
        sizes = np.array([centres.size for centres, _ in cells])
        self.cell_edges = np.append(0, np.cumsum(sizes))
        self.centres = np.concatenate([centres for centres, _ in cells])
        self.cell = np.concatenate(
            [at + begin for (_, at), begin in zip(cells, self.cell_edges, strict=False)]
        )

    @staticmethod
    def _cells(logs: Array) -> tuple[Array, Array]:
        """Return the middles of cells of one block, and the cell of each entry."""
        if logs.size <= CELLS:
            return logs, np.arange(logs.size)
        low = float(logs[np.isfinite(logs)][0])
        at = ((logs - low) * (CELLS - 1) / (-low or 1.0)).clip(0).astype(np.int64)
        counts = np.bincount(at, minlength=CELLS)
        middles = np.bincount(at, np.maximum(logs, low), minlength=CELLS) / np.maximum(counts, 1)
        return middles, at

    def powers(
        self, t: Array, w: Array, bound: Bound | None, now: Array | None
    ) -> tuple[Array, Array]:
        """Return the exponents and factors for which Σ w (r − t)² is least within a bound."""
        blocks = len(self.edges) - 1
        found = np.full(blocks, np.nan), np.zeros(blocks)
        if now is not None:
            exponents_of(self.logs, self.edges, now, found[0])
        slope, least = (np.zeros_like(t), 0.0) if bound is None else bound
        entries = self.logs, t, w, slope
        grid = self.centres, self.cell, self.cell_edges, np.zeros((4, self.centres.size))
        rooms = np.zeros((3, 3)), np.zeros((blocks, 3))
        search(entries, self.edges, grid, float(least), *found, *rooms)
        return found

    def disparities(self, exponents: Array, factors: Array) -> Array:
        """Return the powers of the dissimilarities."""
        r = np.empty_like(self.logs)
        raise_to(self.logs, self.edges, exponents, factors, r)
        return r


@final
@dataclass(frozen=True)
class PowerLaw(InBlocks):
    r"""Disparities are a power of the dissimilarities, :math:`b\,d^a` with a from 0.05 to 20.

    The powers form no convex cone: a step looks for a better exponent, and is taken only where it
    lowers the cost.

    Examples
    --------
    >>> import numpy as np
    >>> from unimds import MDS
    >>> from unimds.spaces import distances
    >>> D = distances(np.random.default_rng(0).normal(size=(15, 2))) ** 3
    >>> mds = MDS(2, level="power", metric="precomputed", random_state=0).fit(D)
    >>> bool(mds.stress_ < 1e-3)
    True
    """

    is_convex = False

    def prepare_blocks(self, d: Array, first: Array, edges: Array) -> Logs:
        return Logs(d, edges)

    def project(self, known: Logs, t: Array, w: Array) -> Array:
        return known.disparities(*known.powers(t, w, None, None))

    def nearer(self, known: Logs, t: Array, w: Array, now: Array) -> Array:
        return known.disparities(*known.powers(t, w, None, now))

    def nearest(self, known: Logs, t: Array, w: Array, bound: Bound, now: Array) -> Array:
        found = within(known.disparities(*known.powers(t, w, bound, now)), bound)
        better = w @ (found - t) ** 2 < w @ (now - t) ** 2
        return found if better and bound.slope @ found >= (1.0 - 1e-12) * bound.least else now


# --- compiled loops -------------------------------------------------------------------------------


@looping
def raise_to(logs, edges, exponents, factors, r):  # type: ignore[no-untyped-def]
    """Fill in the disparities of all blocks."""
    for block in range(edges.size - 1):
        for i in range(edges[block], edges[block + 1]):
            r[i] = factors[block] * exp(exponents[block] * logs[i])


@looping
def exponents_of(logs, edges, r, exponents):  # type: ignore[no-untyped-def]
    """Fill in the exponents of disparities that are powers, from two entries of each block."""
    for block in range(edges.size - 1):
        last = edges[block + 1] - 1
        for i in range(edges[block], last):
            if r[i] > 1e-200 * r[last] and -inf < logs[i] < 0.0:
                found = log(r[i] / r[last]) / logs[i]
                exponents[block] = min(max(found, EXPONENTS[0]), EXPONENTS[1])
                break


@looping
def search(entries, edges, grid, least, exponents, factors, sums, known):  # type: ignore[no-untyped-def]
    """Fill in the best exponents and factors; exponents that are no numbers are not known yet.

    `entries` are logarithms, targets, weights and slopes, `grid` are the cells and memory for their
    sums. The last two are memory, for the sums of one block and of all.
    """
    blocks = edges.size - 1
    if blocks == 1:  # its factor follows from its exponent, with the bound as well
        better_exponent(entries, edges, grid, 0, 0.0, least, exponents, sums)
        add_up(entries, edges[0], edges[1], exponents[0], sums)
        factors[0] = factor(sums[0, 0], sums[0, 1], sums[0, 2], least)
        return
    lam, lowest, best = 0.0, inf, exponents.copy()
    for turn in range(ROUNDS + 1):
        for block in range(blocks):
            if turn > 0 or not exponents[block] > 0.0:
                better_exponent(entries, edges, grid, block, lam, 0.0, exponents, sums)
            add_up(entries, edges[block], edges[block + 1], exponents[block], sums)
            for k in range(3):
                known[block, k] = sums[0, k]
        lam, cost = multiplier(known, least), 0.0
        for block in range(blocks):
            b = best_factor(known, block, lam)
            cost += b * b * known[block, 1] - 2.0 * b * known[block, 0]
        if cost < lowest:
            lowest = cost
            for block in range(blocks):
                best[block], factors[block] = exponents[block], best_factor(known, block, lam)
        if least == 0.0 and turn == 1:
            break  # blocks that share no bound know nothing of each other
    for block in range(blocks):
        exponents[block] = best[block]


@looping
def best_factor(known, block, lam):  # type: ignore[no-untyped-def]
    """Return the best factor of a block at a λ."""
    above = known[block, 0] + lam * known[block, 2]
    return above / known[block, 1] if above > 0.0 and known[block, 1] > 0.0 else 0.0


@looping
def multiplier(known, least):  # type: ignore[no-untyped-def]
    """Return the least λ ≥ 0 for which the factors of all blocks reach the bound.

    What they reach is a convex function of λ, made of straight pieces: Newton's steps end.
    """
    lam = 0.0
    for _ in range(100):
        reached, rise, steepest = 0.0, 0.0, 0.0
        for block in range(known.shape[0]):
            A, B, S = known[block, 0], known[block, 1], known[block, 2]
            if B > 0.0:
                steepest += S * S / B
                if A + lam * S > 0.0:
                    reached += S * (A + lam * S) / B
                    rise += S * S / B
        off = least - reached
        if (lam == 0.0 and off <= 0.0) or abs(off) <= 1e-14 * least or steepest == 0.0:
            break
        lam += off / (rise if rise > 0.0 else steepest)
        lam = max(lam, 0.0)
    return lam


@looping
def better_exponent(entries, edges, grid, block, lam, least, exponents, sums):  # type: ignore[no-untyped-def]
    """Find a better exponent of a block at a λ: on the grid, or near the present one."""
    present, begin, end = exponents[block], edges[block], edges[block + 1]
    coarse = on_grid(entries, begin, end, grid, block, lam, least)
    low, high = coarse / 2.0 ** (1.0 / BETWEEN), coarse * 2.0 ** (1.0 / BETWEEN)
    begun = coarse
    if present > 0.0:
        add_up(entries, begin, end, coarse, sums)
        new = judged(sums, lam, least)[0]
        add_up(entries, begin, end, present, sums)
        if judged(sums, lam, least)[0] <= new:
            begun = present
            if not low < present < high:
                low, high = EXPONENTS
    low, high = max(low, EXPONENTS[0]), min(high, EXPONENTS[1])
    a, best, lowest = min(max(begun, low), high), begun, inf
    for _ in range(STEPS):
        add_up(entries, begin, end, a, sums)
        cost, first, second = judged(sums, lam, least)
        if cost < lowest:
            best, lowest = a, cost
        if first > 0.0:
            high = a
        else:
            low = a
        there = a - first / second if second > 0.0 else -1.0
        if not low < there < high:
            there = (low * high) ** 0.5
        if first == 0.0 or abs(there - a) <= 1e-10 * a:
            break
        a = there
    exponents[block] = best


@looping
def on_grid(entries, begin, end, grid, block, lam, least):  # type: ignore[no-untyped-def]
    """Return the best exponent of a grid, by sums over the cells of a block."""
    (_, t, w, slope), (centres, cell, cell_edges, cells) = entries, grid
    first, last = cell_edges[block], cell_edges[block + 1]
    for c in range(first, last):
        cells[0, c] = cells[1, c] = cells[2, c] = 0.0
    for i in range(begin, end):
        c = cell[i]
        cells[0, c] += w[i]
        cells[1, c] += w[i] * t[i]
        cells[2, c] += slope[i]
    best, lowest = 1.0, inf
    for part in range(BETWEEN):
        a = EXPONENTS[0] * 2.0 ** (part / BETWEEN)
        for c in range(first, last):
            cells[3, c] = exp(a * centres[c])
        for _ in range(DOUBLINGS + 1):
            A, B, S = 0.0, 0.0, 0.0
            for c in range(first, last):
                p = cells[3, c]
                A += p * cells[1, c]
                S += p * cells[2, c]
                p *= p
                B += p * cells[0, c]
                cells[3, c] = p
            A += lam * S
            b = factor(A, B, S, least)
            cost = b * b * B - 2.0 * b * A
            if cost < lowest and a <= EXPONENTS[1]:
                best, lowest = a, cost
            a *= 2.0
    return best


@looping
def add_up(entries, begin, end, a, sums):  # type: ignore[no-untyped-def]
    """Fill in A, B and S of an exponent, and their derivatives, a row each."""
    logs, t, w, slope = entries
    A, B, S, A1, B1, S1, A2, B2, S2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(begin, end):
        x = logs[i]
        p = exp(a * x)
        if p > 0.0:  # the logarithm of zero is no number
            both, square, along = w[i] * p * t[i], w[i] * p * p, slope[i] * p
            A, B, S = A + both, B + square, S + along
            both, square, along = both * x, square * 2.0 * x, along * x
            A1, B1, S1 = A1 + both, B1 + square, S1 + along
            A2, B2, S2 = A2 + both * x, B2 + square * 2.0 * x, S2 + along * x
    sums[0, 0], sums[0, 1], sums[0, 2] = A, B, S
    sums[1, 0], sums[1, 1], sums[1, 2] = A1, B1, S1
    sums[2, 0], sums[2, 1], sums[2, 2] = A2, B2, S2


@looping
def factor(A, B, S, least):  # type: ignore[no-untyped-def]
    """Return the best factor within a bound."""
    b = A / B if A > 0.0 and B > 0.0 else 0.0
    return least / S if b * S < least and S > 0.0 else b


@looping
def judged(sums, lam, least):  # type: ignore[no-untyped-def]
    """Return what the best factor costs at an exponent, and its two derivatives."""
    B, B1, B2, S, S1, S2 = sums[0, 1], sums[1, 1], sums[2, 1], sums[0, 2], sums[1, 2], sums[2, 2]
    A, A1, A2 = sums[0, 0] + lam * S, sums[1, 0] + lam * S1, sums[2, 0] + lam * S2
    if B <= 0.0:
        return 0.0, 0.0, 0.0
    b = max(A / B, 0.0)
    b1, b2 = (A1 - b * B1) / B if b > 0.0 else 0.0, 0.0
    if b * S < least and S > 0.0:  # the bound tells the factor
        b = least / S
        b1, b2 = -b * S1 / S, b * (2.0 * S1 * S1 / (S * S) - S2 / S)
    uphill = 2.0 * (b * B - A)
    first = b * b * B1 - 2.0 * b * A1 + b1 * uphill
    second = 2.0 * b1 * b1 * B + b2 * uphill + 4.0 * b1 * (b * B1 - A1) + b * b * B2 - 2.0 * b * A2
    return b * b * B - 2.0 * b * A, first, second
