"""How well a map fits, point by point and pair by pair; large maps are sampled."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import gen_batches

from unimds.compiled.parts import explained, kernel
from unimds.distances.inputs import as_weights
from unimds.distances.table import HeldTable
from unimds.losses import Loss
from unimds.report.subject import Subject
from unimds.spaces import distances

Array = NDArray[Any]

FULL = 3000
"""Up to this many points, each point is compared with all points."""
OTHERS = 1000
"""In larger maps, each point is compared with this many other points."""
PARTNERS = 5
SAMPLE = 5000
"""Maximum number of pairs in a Shepard diagram; of more pairs the density is counted too."""
SQUARE = 700
"""The density counts the distances between this many rows and columns."""
BINS = 60
EXACT = 1e-4
"""A distance with a smaller relative error counts as exact."""
MET = 0.05
"""A distance with a smaller relative error counts as met."""


@dataclass(frozen=True)
class Fit:
    """Quality of a map, point by point and pair by pair.

    Attributes
    ----------
    share : ndarray of shape (n,)
        Point stress: the share of each point in the squared error, as `unimds.quality.point_stress`
        returns it.
    partners, given, mapped : ndarray of shape (n, PARTNERS)
        Partners of each point with the largest loss, −1 if there are no more, and the distances.
    sample : ShepardSample
        Pairs for the Shepard diagram.
    off : float
        Median relative error of the distances.
    met : float
        Share of distances with a relative error of less than `MET`.
    flat : float
        Stress-1 if all distances on the map were equal.
    known : float
        Share of given distances.
    """

    share: Array
    partners: Array
    given: Array
    mapped: Array
    sample: ShepardSample
    off: float
    met: float
    flat: float
    known: float


@dataclass(frozen=True)
class ShepardSample:
    """Pairs of a Shepard diagram; for many pairs also their density and the edges of its cells."""

    i: Array
    j: Array
    given: Array
    mapped: Array
    counts: Array | None
    edges: tuple[Array, Array] | None


def fit_of(subject: Subject, weights: ArrayLike | None = None, seed: int = 0) -> Fit:
    """Compare given and mapped distances."""
    rng = np.random.default_rng(seed)
    W = None if weights is None else as_weights(weights, subject.n)
    with explained(subject.loss, subject.space):
        share, partners, given, mapped = _points(subject, W, rng)
        i, j, there, known = _known_pairs(subject, rng)
        here = _mapped(subject, i, j)
    longer = np.maximum(there, here)
    miss = np.abs(here - there)[longer > 0.0] / longer[longer > 0.0]
    return Fit(
        share=share,
        partners=partners,
        given=given,
        mapped=mapped,
        sample=_shepard(i, j, there, here, rng),
        off=float(np.median(miss)) if miss.size else 0.0,
        met=float(np.mean(miss < MET)) if miss.size else 1.0,
        flat=_flat(there, np.ones(len(i)) if W is None else W[i, j] + W[j, i]),
        known=known,
    )


def _flat(given: Array, weights: Array) -> float:
    """Return the least Stress-1 of a map on which all distances are equal."""
    total, largest = float(weights.sum()), float(given.max(initial=0.0))
    if total == 0.0 or largest == 0.0:
        return 0.0
    first, second = (float(weights @ (given / largest) ** k) / total for k in (1, 2))
    return float(np.sqrt(max(0.0, 1.0 - first**2 / second)))


# --- point by point -------------------------------------------------------------------------------


def _points(subject: Subject, W: Array | None, rng: np.random.Generator) -> tuple[Array, ...]:
    """Return the share of each point in the squared error, its worst partners, and distances."""
    n = subject.n
    others = np.arange(n) if n <= FULL else np.sort(rng.choice(n, OTHERS, replace=False))
    answers = [
        _worst(subject, np.arange(n)[rows], others, W)
        for rows in gen_batches(n, max(1, 2**20 // max(1, len(others))))
    ]
    error, partners, given, mapped = (np.concatenate(part) for part in zip(*answers, strict=True))
    largest = float(error.max(initial=0.0))
    square = (error / (largest if largest > 0.0 else 1.0)) ** 2
    total = float(square.sum())
    return square / (total if total > 0.0 else 1.0), partners, given, mapped


def _worst(subject: Subject, rows: Array, others: Array, W: Array | None) -> tuple[Array, ...]:
    """Return the root of the squared error of some points, their worst partners, and distances."""
    mapped = distances(subject.points[rows], subject.points[others], space=subject.space)
    told, worst = np.full(mapped.shape, np.nan), np.full(mapped.shape, -1.0)
    error = np.zeros(len(rows))
    for given, w in _directions(subject, rows, others, W):
        w = np.where(np.isnan(given) | (rows[:, None] == others), 0.0, w)
        d = np.nan_to_num(given)
        error = np.hypot(error, _norms(np.sqrt(w) * (mapped - d)))
        loss = w * losses(subject.loss, mapped, d)
        # a distance that is exact up to rounding is never among the worst
        loss[np.abs(mapped - d) <= EXACT * np.maximum(mapped, d)] = 0.0
        told = np.where(loss > worst, d, told)
        worst = np.maximum(loss, worst)
    count = min(PARTNERS, len(others))
    at = np.argsort(-worst, axis=1, kind="stable")[:, :count]
    which = np.where(np.take_along_axis(worst, at, axis=1) > 0.0, others[at], -1)
    return error, which, np.take_along_axis(told, at, 1), np.take_along_axis(mapped, at, 1)


def _norms(rows: Array) -> Array:
    """Return the length of each row; squares of 1e±200 would leave the range of floats."""
    largest = np.abs(rows).max(axis=1, initial=0.0)
    unit = np.where(largest > 0.0, largest, 1.0)
    return np.asarray(unit * np.sqrt(np.sum((rows / unit[:, None]) ** 2, axis=1)))


def _directions(
    subject: Subject, rows: Array, others: Array, W: Array | None
) -> Iterator[tuple[Array, Any]]:
    """Yield distances and weights in both directions, which differ in an asymmetric table."""
    table = subject.table
    assert table is not None
    there, _ = table.block(rows, others, np.float64)
    yield there[:, 0], 1.0 if W is None else W[np.ix_(rows, others)]
    if isinstance(table, HeldTable):
        back, _ = table.block(others, rows, np.float64)
        yield back[:, 0].T, 1.0 if W is None else W[np.ix_(others, rows)].T


@kernel
def _fill(loss: Any, mapped: Any, given: Any, out: Any) -> None:
    for i in range(out.size):
        out[i] = loss.value(mapped[i], given[i])


def losses(loss: Loss, mapped: Array, given: Array) -> Array:
    """Return the loss of each pair of distances.

    Examples
    --------
    >>> from unimds import Squared
    >>> losses(Squared(), np.array([[3.0, 4.0]]), np.array([[1.0, 1.0]]))
    array([[4., 9.]])
    """
    out = np.empty(mapped.size)
    _fill(loss, np.ascontiguousarray(mapped).ravel(), np.ascontiguousarray(given).ravel(), out)
    return out.reshape(mapped.shape)


# --- pair by pair ---------------------------------------------------------------------------------


def _shepard(
    i: Array, j: Array, given: Array, mapped: Array, rng: np.random.Generator
) -> ShepardSample:
    """Return the pairs to show; of many pairs a sample, and their density."""
    if len(i) <= SAMPLE:
        return ShepardSample(i, j, given, mapped, None, None)
    counts, x, y = np.histogram2d(given, mapped, bins=BINS)
    shown = np.sort(rng.choice(len(i), SAMPLE, replace=False))
    return ShepardSample(i[shown], j[shown], given[shown], mapped[shown], counts, (x, y))


def _known_pairs(subject: Subject, rng: np.random.Generator) -> tuple[Array, Array, Array, float]:
    """Return pairs with a given distance, and the share of such pairs."""
    i, j, given = _some_pairs(subject, rng)
    known = ~np.isnan(given)
    return i[known], j[known], given[known], float(known.mean()) if known.size else 1.0


def _some_pairs(subject: Subject, rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """Return each pair once; of many points, the pairs of some rows and columns."""
    n, table = subject.n, subject.table
    assert table is not None
    if n > SQUARE:
        rows, columns = (np.sort(rng.choice(n, SQUARE, replace=False)) for _ in range(2))
        apart = rows[:, None] != columns
    else:
        rows = columns = np.arange(n)
        apart = np.triu(np.ones((n, n), dtype=bool), 1)
    given = table.block(rows, columns, np.float64)[0][:, 0]
    if n <= SQUARE:  # a table may be asymmetric, or given in one direction only
        back = np.where(np.isnan(given.T), given, given.T)
        given = np.where(np.isnan(given), back, 0.5 * (given + back))
    a, b = np.nonzero(apart)
    return rows[a], columns[b], given[a, b]


def _mapped(subject: Subject, i: Array, j: Array) -> Array:
    """Return the distances of pairs on the map, without the table of all pairs."""
    rows, at_i = np.unique(i, return_inverse=True)
    columns, at_j = np.unique(j, return_inverse=True)
    if not len(rows):
        return np.empty(0)
    D = distances(subject.points[rows], subject.points[columns], space=subject.space)
    return np.asarray(D[at_i, at_j])
