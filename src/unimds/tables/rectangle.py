r"""Tables of rows against columns: unknown points of both kinds, never a square of all of them.

Given the columns, every row is a new point of its own, and the other way round: compiled code
places rows against columns, then columns against rows. Nothing larger than the table is held.

At levels other than "ratio" the cheapest map would be degenerate: all columns at the same distance
from every row. So what is lowered is PREFSCAL's penalised stress (Busing, Groenen & Heiser 2005),

.. math:: P = \sigma^{\lambda / 2} \, \Bigl( \mathrm{mean}_b \bigl(1 + \omega / CV_b^2\bigr)
    \Bigr)^{1/2}, \qquad \sigma = \sum \mathrm{loss}(u, r) / \sum \lvert r \rvert^q ,

where :math:`CV_b` is the coefficient of variation of the disparities that share a transformation.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from unimds.distances.coded import ranks
from unimds.levels import Level, Transformation
from unimds.levels.by_row import ByRow
from unimds.losses import Loss
from unimds.placecenter.frame import Frame
from unimds.placecenter.majorization.parabolas import parabolas, values
from unimds.spaces.base import Space

Array = NDArray[Any]

HALVINGS = 8  # of a step of the disparities, before they stay
LIGHTEST = 1e-12  # weight of a parabola, as a share of the largest


@final
@dataclass(frozen=True, eq=False)
class Entries:
    """The different dissimilarities of a table, or of each of its rows, in rising order.

    Attributes
    ----------
    code : ndarray of int of shape (rows, columns)
        The entry of each pair; that beyond all others is for missing pairs.
    d, omega : ndarray
        The dissimilarity of every entry, and the weight of its pairs.
    edges : ndarray of int
        Where the entries of each transformation begin and end.
    of_rows : ndarray of int
        The row of each block of entries; a single -1 where there is one for the whole table.
    family : Level
        Which transformations are allowed.
    first : ndarray
        The disparities to begin with.
    known : object
        What the family needs to know of the dissimilarities.
    """

    code: Array
    d: Array
    omega: Array
    edges: Array
    of_rows: Array
    family: Level
    first: Array
    known: Any

    @classmethod
    def of(cls, D: Array, W: Array | None, level: Level, by_row: bool, k: int) -> Entries:
        """Return the entries of a table at a level of measurement."""
        weigh = np.ones(D.shape) if W is None else W
        i, j = np.nonzero(~np.isnan(D) & (weigh > 0.0))
        rows = i if by_row else np.zeros_like(i)
        code, order, first = ranks(rows, D[i, j], level.keeps_ties)
        table = np.full(D.shape, first.size, dtype=np.intp)
        table[i, j] = code
        d, which = D[i, j][order[first]], rows[order[first]]
        edges = np.flatnonzero(np.diff(which, prepend=-1, append=-2))
        counts = np.bincount(code, minlength=first.size).astype(float)
        omega = np.bincount(code, weigh[i, j], minlength=first.size)
        blocks = [slice(int(a), int(b)) for a, b in pairwise(edges)]
        family = level if len(blocks) == 1 else ByRow(level, blocks)
        begun = family.first(d, counts, k).astype(np.float64)
        begun *= _size(omega, d) / (_size(omega, begun) or 1.0)
        of_rows = which[edges[:-1]] if by_row else np.array([-1])
        return cls(table, d, omega, edges, of_rows, family, begun, family.prepare(d, begun))

    def table(self, r: Array) -> Array:
        """Return the disparities of all pairs, NaN where missing."""
        found: Array = np.append(r, np.nan)[self.code]
        return found

    def added(self, pairs: Array) -> Array:
        """Return the sum of a number of every pair over each entry."""
        return np.bincount(self.code.ravel(), pairs.ravel(), self.d.size + 1)[: self.d.size]

    @cached_property
    def telling(self) -> Array:
        """Which blocks have different dissimilarities, so that their disparities may vary."""
        return np.array([self.d[b - 1] > self.d[a] for a, b in pairwise(self.edges)])

    def variation(self, r: Array, weight: float) -> tuple[float, Array]:
        """Return the mean of 1 + weight / CV² over the blocks, and its slope."""
        if weight == 0.0:  # also where disparities are constant
            return 1.0, np.zeros_like(r)
        start = self.edges[:-1]
        sizes = np.diff(self.edges)
        heavy = np.add.reduceat(self.omega, start)
        mean = np.add.reduceat(self.omega * r, start) / heavy
        away = r - np.repeat(mean, sizes)
        var = np.add.reduceat(self.omega * away**2, start) / heavy
        blocks = self.telling & (mean > 0.0)
        if not blocks.any():
            return 1.0, np.zeros_like(r)
        if (var[blocks] <= 0.0).any():
            return np.inf, np.zeros_like(r)
        safe = np.where(blocks, var, 1.0)
        value = float(np.mean(1.0 + weight * mean[blocks] ** 2 / var[blocks]))
        own = np.where(blocks, weight * 2.0 * mean / safe / heavy, 0.0)
        spread = np.where(blocks, weight * 2.0 * mean**2 / safe**2 / heavy, 0.0)
        slope = self.omega * (np.repeat(own, sizes) - np.repeat(spread, sizes) * away)
        return value, slope / np.count_nonzero(blocks)

    def transformations(self, r: Array, level: Level) -> list[Transformation | None]:
        """Return the function of every row, or the one of the table."""
        found: list[Transformation | None] = [None] * (
            len(self.code) if self.of_rows[0] >= 0 else 1
        )
        for row, (a, b) in zip(self.of_rows, pairwise(self.edges), strict=True):
            d, group = np.unique(self.d[a:b], return_inverse=True)
            omega = self.omega[a:b]
            means = np.bincount(group, omega * r[a:b]) / np.bincount(group, omega)
            found[max(int(row), 0)] = Transformation(level, d, np.maximum.accumulate(means))
        return found


def _size(omega: Array, r: Array) -> float:
    return float(np.sqrt(omega @ np.square(r)))


@final
@dataclass(frozen=True, eq=False)
class Rectangle:
    """What rows and columns are to match.

    Attributes
    ----------
    D, W : ndarray of shape (rows, columns)
        Dissimilarities, NaN where missing, in the user's unit; and weights, or None.
    frame : Frame
        Loss, space and unit.
    entries : Entries or None
        The entries of the table where it is transformed.
    penalty : tuple of two floats
        The power λ and the weight ω of the penalty.
    power : float
        The power q by which the size of disparities is measured.
    still : bool
        Whether the columns stay where they are.
    """

    D: Array
    W: Array | None
    frame: Frame
    entries: Entries | None
    penalty: tuple[float, float]
    power: float
    still: bool = False

    @property
    def cost_unit(self) -> float:
        """What a cost is multiplied by, to be one in the user's unit; penalised stress has none."""
        return self.frame.cost_unit if self.entries is None else 1.0

    @cached_property
    def turned(self) -> tuple[Array, Array | None]:
        """The table of columns against rows."""
        W = None if self.W is None else np.ascontiguousarray(self.W.T)
        return np.ascontiguousarray(self.D.T), W

    def placed(self, D: Array, W: Array | None, among: Array, points: Array, loss: Loss) -> Array:
        """Return points after a step, by their distances to others, that never raises the cost."""
        frame, points = replace(self.frame, loss=loss), points.copy()
        steps = None if frame.space.unit_step_descends() else 1
        frame.place(D, W, among, points, steps, 0.0)
        return points


@final
@dataclass(frozen=True, eq=False)
class Joint:
    """Rows, columns and disparities: what is lowered. Points are columns of arrays."""

    data: Rectangle
    rows: Array
    columns: Array
    r: Array | None = None

    @cached_property
    def u(self) -> Array:
        """The distances of all rows to all columns, in the frame's unit."""
        rows, columns = (np.ascontiguousarray(X) for X in (self.rows, self.columns))
        return np.asarray(self.data.frame.space.between(rows, columns))

    @cached_property
    def given(self) -> Array:
        """What they are compared with, in the user's unit."""
        entries = self.data.entries
        return self.data.D if entries is None or self.r is None else entries.table(self.r)

    def losses(self, loss: Loss, r: Array | None = None) -> float:
        """Return the sum of the losses, in the frame's unit."""
        entries = self.data.entries
        given = self.given if r is None or entries is None else entries.table(r)
        found = values(loss, self.u, given * self.data.frame.unit)
        return float(
            found.sum() if self.data.W is None else np.einsum("ij,ij->", self.data.W, found)
        )

    def cost(self, loss: Loss) -> float:
        """Return the cost: the sum of the losses, or the penalised stress."""
        return self.losses(loss) if self.r is None else self._penalised(loss, self.r)

    def _penalised(self, loss: Loss, r: Array) -> float:
        (power, weight), entries = self.data.penalty, self.data.entries
        assert entries is not None
        varied, _ = entries.variation(r, weight)
        share = self.losses(loss, r) / (self._size(r) or 1.0)
        return float(share ** (0.5 * power) * np.sqrt(varied)) if np.isfinite(varied) else np.inf

    def _size(self, r: Array) -> float:
        entries = self.data.entries
        assert entries is not None
        return float(entries.omega @ (np.abs(r) * self.data.frame.unit) ** self.data.power)

    def residual(self) -> float:
        """Return the mean error, in the unit of the loss's smoothing."""
        loss, scale = self.data.frame.loss, self.data.frame.scale
        error = float(np.nanmean(np.abs(self.u - self.given * self.data.frame.unit)))
        return abs(float(loss.residual(scale + error, scale)))

    def points(self) -> Array:
        """Return rows and columns in the user's unit."""
        return self.data.frame.outer(np.concatenate([self.rows, self.columns], axis=1))

    def stepped(self, loss: Loss) -> Joint:
        """Place rows, then columns; then adapt the disparities."""
        data = self.data
        D = np.ascontiguousarray(self.given)
        now = replace(self, rows=data.placed(D, data.W, self.columns, self.rows, loss))
        if not data.still:
            back, W = data.turned if self.r is None else (np.ascontiguousarray(D.T), data.turned[1])
            now = replace(now, columns=data.placed(back, W, now.rows, self.columns, loss))
        return now if self.r is None else now.adapted(loss)

    def beyond(self, previous: Joint, beta: float) -> Joint:
        """Return rows and columns carried on; disparities stay."""
        frame = self.data.frame

        def carried(X: Array, before: Array) -> Array:
            return frame.extrapolate(X, before, beta, np.ones(X.shape[1], dtype=bool))

        rows = carried(self.rows, previous.rows)
        columns = self.columns if self.data.still else carried(self.columns, previous.columns)
        return replace(self, rows=rows, columns=columns)

    def adapted(self, loss: Loss) -> Joint:
        """Return disparities of a lower penalised stress at the size of the data, or all as it is.

        The parabolas of the losses and the slope of the penalty lead to a regression. The step
        there is halved until it lowers the penalised stress.
        """
        data, r = self.data, self.r
        entries = data.entries
        assert entries is not None
        assert r is not None
        w, t = self._aims(loss, r)
        low = self._penalised(loss, r)
        there = entries.family.nearer(entries.known, t, w, r)
        share = 1.0
        for _ in range(HALVINGS if entries.family.is_convex else 1):
            # a loss may have a length of its own, so that the size of the trial counts
            trial = self._brought(self._scaled(loss, r + share * (there - r)))
            if trial.cost(loss) < low:
                return trial
            share *= 0.5
        return self

    def _aims(self, loss: Loss, r: Array) -> tuple[Array, Array]:
        """Return weights and centres of the regression of the disparities, in the user's unit."""
        data, entries = self.data, self.data.entries
        assert entries is not None
        unit, (power, weight) = data.frame.unit, data.penalty
        w, rho = parabolas(loss, self.given * unit, np.where(np.isnan(self.given), np.nan, self.u))
        w = w if data.W is None else w * data.W
        below, above = entries.added(w), entries.added(w * rho)
        least = LIGHTEST * (float(below.max(initial=0.0)) or 1.0)
        more = np.maximum(least - below, 0.0)
        w, t = below + more, (above + more * r * unit) / (below + more)
        varied, slope = entries.variation(r, weight)
        if np.isfinite(varied) and power > 0.0:
            # d log P = λ/2 dσ/σ + 1/2 dμ/μ, with dσ = 2 w (r − t) / M in the frame's unit
            t = t - self.losses(loss) * slope / unit / (2.0 * power * varied * w)
        return w, t / unit

    def _scaled(self, loss: Loss, r: Array) -> Array:
        """Return disparities in the unit in which their share of the losses is least.

        For the squared loss Σ (u − b r)² / Σ (b r)² is least at b = Σ u² / Σ u r.
        """
        entries, unit = self.data.entries, self.data.frame.unit
        assert entries is not None
        w = np.where(np.isnan(self.given), 0.0, 1.0 if self.data.W is None else self.data.W)
        table = np.nan_to_num(entries.table(r)) * unit
        above, below = float((w * self.u**2).sum()), float((w * self.u * table).sum())
        if not (above > 0.0 and below > 0.0):
            return r
        grown = r * (above / below)
        if loss.is_parabola:
            return grown
        return min((r, grown), key=lambda own: self.losses(loss, own) / (self._size(own) or 1.0))

    def _brought(self, r: Array) -> Joint:
        """Return points and disparities at the size of the data, where points can be scaled."""
        data, entries = self.data, self.data.entries
        assert entries is not None
        if data.still or not data.frame.space.scales_coordinates:
            return replace(self, r=r)
        factor = _size(entries.omega, entries.d) / (_size(entries.omega, r) or 1.0)
        return replace(self, rows=self.rows * factor, columns=self.columns * factor, r=r * factor)


# --- where to begin -------------------------------------------------------------------------------


def metric_seed(D: Array, k: int) -> tuple[Array, Array] | None:
    """Return rows and columns by Schönemann's solution, which is exact where the distances are.

    Doubly centred squared distances are −2 R Yᵀ up to a linear map T. Their means over the columns,
    ‖r‖² − 2 r·ȳ + …, are linear in T Tᵀ and in a shift.

    Examples
    --------
    >>> from unimds.spaces import distances
    >>> rng = np.random.default_rng(0)
    >>> R, Y = rng.normal(size=(9, 2)), rng.normal(size=(6, 2))
    >>> rows, columns = metric_seed(distances(R, Y), 2)
    >>> bool(np.abs(distances(rows, columns) - distances(R, Y)).max() < 1e-9)
    True
    """
    square = _filled(np.square(D))
    centred = square - square.mean(axis=0) - square.mean(axis=1)[:, None] + square.mean()
    U, s, Vt = np.linalg.svd(-0.5 * centred, full_matrices=False)
    if s.size < k or not s[0] > 0.0:
        return None
    root = np.sqrt(s[:k])
    A, B = U[:, :k] * root, Vt[:k].T * root
    i, j = np.triu_indices(k)
    twice = np.where(i == j, 1.0, 2.0)
    left = np.column_stack([A[:, i] * A[:, j] * twice, 2.0 * A, np.ones(len(A))])
    right = square.mean(axis=1)
    found = np.linalg.lstsq(left, right, rcond=None)[0]
    M = np.zeros((k, k))
    M[i, j] = M[j, i] = found[: i.size]
    values, vectors = np.linalg.eigh(M)
    least = 1e-3 * float(np.abs(values).max(initial=0.0))
    if not least > 0.0:
        return None
    values = np.maximum(values, least)
    T = vectors * np.sqrt(values)
    inverse = (vectors / np.sqrt(values)).T
    shift = inverse @ found[i.size : i.size + k]
    return A @ T + shift, B @ inverse.T


def factor_seed(D: Array, k: int) -> tuple[Array, Array]:
    """Return rows and columns by the leading factors of the doubly centred squares."""
    square = _filled(np.square(D))
    centred = square - square.mean(axis=0) - square.mean(axis=1)[:, None] + square.mean()
    U, s, Vt = np.linalg.svd(-0.5 * centred, full_matrices=False)
    k = min(k, s.size)
    root = np.sqrt(s[:k])
    return U[:, :k] * root, Vt[:k].T * root


def _filled(square: Array) -> Array:
    """Return a table whose missing entries are the sums of row and column means."""
    if not np.isnan(square).any():
        return square
    mean = np.nanmean(square)
    rows, columns = np.nanmean(square, axis=1) - mean, np.nanmean(square, axis=0) - mean
    guess = np.maximum(mean + rows[:, None] + columns, 0.0)
    return np.where(np.isnan(square), guess, square)


def random_seed(
    space: Space, shape: tuple[int, int], k: int, spread: float, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Return random rows and columns."""
    X = space.random(sum(shape), k, spread, rng)
    return X[: shape[0]], X[shape[0] :]
