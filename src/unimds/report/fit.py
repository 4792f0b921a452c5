"""How well a map fits, point by point and pair by pair; large maps are sampled."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import gen_batches

from unimds.compiled.parts import explained, kernel
from unimds.distances.inputs import as_weights
from unimds.distances.table import HeldTable
from unimds.losses import Loss
from unimds.quality import squared_correlation
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
class Goodness:
    """Quality of a map, point by point and pair by pair.

    Attributes
    ----------
    share : ndarray of shape (n,)
        Point stress: the share of each point in the squared error, as `unimds.quality.point_stress`
        returns it.
    partners, given, target, mapped : ndarray of shape (n, PARTNERS)
        Partners of each point with the largest loss, −1 if there are no more, and the distances:
        given, compared with (the same, or disparities) and on the map.
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
    linear : float
        Squared correlation of the distances on the map and what they are compared with.
    """

    share: Array
    partners: Array
    given: Array
    target: Array
    mapped: Array
    sample: ShepardSample
    off: float
    met: float
    flat: float
    known: float
    linear: float


@dataclass(frozen=True)
class ShepardSample:
    """Pairs of a Shepard diagram; for many pairs also their density and the edges of its cells."""

    LISTS: ClassVar = ("i", "j", "given", "target", "mapped")

    i: Array
    j: Array
    given: Array
    target: Array
    mapped: Array
    counts: Array | None = None
    edges: tuple[Array, Array] | None = None


def fit_of(subject: Subject, weights: ArrayLike | None = None, seed: int = 0) -> Goodness:
    """Compare given and mapped distances."""
    rng = np.random.default_rng(seed)
    W = None if weights is None else as_weights(weights, subject.n)
    with explained(subject.loss, subject.space):
        share, partners, given, target, mapped = _points(subject, W, rng)
        i, j, there, aim, known = _known_pairs(subject, rng)
        weigh = np.ones(len(i)) if W is None else W[i, j] + W[j, i]
        counts = weigh > 0.0  # a pair of weight 0 is as good as missing
        i, j, there, aim, weigh = (part[counts] for part in (i, j, there, aim, weigh))
        here = _mapped(subject, i, j)
    longer = np.maximum(aim, here)
    miss = np.abs(here - aim)[longer > 0.0] / longer[longer > 0.0]
    return Goodness(
        share=share,
        partners=partners,
        given=given,
        target=target,
        mapped=mapped,
        sample=_shepard(ShepardSample(i, j, there, aim, here), rng),
        off=float(np.median(miss)) if miss.size else 0.0,
        met=float(np.mean(miss < MET)) if miss.size else 1.0,
        flat=_flat(there, weigh),
        known=known,
        linear=squared_correlation(here, aim, weigh),
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
    error, *worst = (np.concatenate(part) for part in zip(*answers, strict=True))
    largest = float(error.max(initial=0.0))
    square = (error / (largest if largest > 0.0 else 1.0)) ** 2
    total = float(square.sum())
    return square / (total if total > 0.0 else 1.0), *worst


def _worst(subject: Subject, rows: Array, others: Array, W: Array | None) -> tuple[Array, ...]:
    """Return the root of the squared error of some points, their worst partners, and distances."""
    mapped = distances(subject.points[rows], subject.points[others], space=subject.space)
    told, aimed = np.full(mapped.shape, np.nan), np.full(mapped.shape, np.nan)
    worst, error = np.full(mapped.shape, -1.0), np.zeros(len(rows))
    for given, target, w in _directions(subject, rows, others, W):
        w = np.where(np.isnan(target) | (rows[:, None] == others), 0.0, w)
        d = np.nan_to_num(target)
        error = np.hypot(error, _norms(np.sqrt(w) * (mapped - d)))
        loss = w * losses(subject.loss, mapped, d)
        # a distance that is exact up to rounding is never among the worst
        loss[np.abs(mapped - d) <= EXACT * np.maximum(mapped, d)] = 0.0
        told, aimed = np.where(loss > worst, given, told), np.where(loss > worst, d, aimed)
        worst = np.maximum(loss, worst)
    count = min(PARTNERS, len(others))
    at = np.argsort(-worst, axis=1, kind="stable")[:, :count]
    which = np.where(np.take_along_axis(worst, at, axis=1) > 0.0, others[at], -1)
    return error, which, *(np.take_along_axis(part, at, 1) for part in (told, aimed, mapped))


def _norms(rows: Array) -> Array:
    """Return the length of each row; squares of 1e±200 would leave the range of floats."""
    largest = np.abs(rows).max(axis=1, initial=0.0)
    unit = np.where(largest > 0.0, largest, 1.0)
    return np.asarray(unit * np.sqrt(np.sum((rows / unit[:, None]) ** 2, axis=1)))


def _directions(
    subject: Subject, rows: Array, others: Array, W: Array | None
) -> Iterator[tuple[Array, Array, Any]]:
    """Yield given distances, what is compared with, and weights, in both directions.

    In an asymmetric table the directions differ.
    """
    there = _blocks(subject, rows, others)
    yield *there, 1.0 if W is None else W[np.ix_(rows, others)]
    if isinstance(subject.compared, HeldTable):
        back = _blocks(subject, others, rows)
        yield back[0].T, back[1].T, 1.0 if W is None else W[np.ix_(others, rows)].T


def _blocks(subject: Subject, rows: Array, columns: Array) -> tuple[Array, Array]:
    """Return given distances and what the distances on the map are compared with."""
    table, compared = subject.table, subject.compared
    assert table is not None
    assert compared is not None
    given = table.block(rows, columns, np.float64)[0][:, 0]
    return given, given if compared is table else compared.block(rows, columns, np.float64)[0][:, 0]


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


def _shepard(all_pairs: ShepardSample, rng: np.random.Generator) -> ShepardSample:
    """Return the pairs to show; of many pairs a sample, and their density."""
    count = len(all_pairs.i)
    if count <= SAMPLE:
        return all_pairs
    counts, x, y = np.histogram2d(all_pairs.given, all_pairs.mapped, bins=BINS)
    shown = np.sort(rng.choice(count, SAMPLE, replace=False))
    pairs = {name: getattr(all_pairs, name)[shown] for name in ShepardSample.LISTS}
    return ShepardSample(**pairs, counts=counts, edges=(x, y))


def _known_pairs(
    subject: Subject, rng: np.random.Generator
) -> tuple[Array, Array, Array, Array, float]:
    """Return pairs with a given distance, and the share of such pairs."""
    *pairs, target = _some_pairs(subject, rng)
    known = ~np.isnan(target)
    i, j, given = (part[known] for part in pairs)
    return i, j, given, target[known], float(known.mean()) if known.size else 1.0


def _some_pairs(subject: Subject, rng: np.random.Generator) -> tuple[Array, Array, Array, Array]:
    """Return each pair once; of many points, the pairs of some rows and columns."""
    n = subject.n
    if n > SQUARE:
        rows, columns = (np.sort(rng.choice(n, SQUARE, replace=False)) for _ in range(2))
        apart = rows[:, None] != columns
    else:
        rows = columns = np.arange(n)
        apart = np.triu(np.ones((n, n), dtype=bool), 1)
    given, target = _blocks(subject, rows, columns)
    if n <= SQUARE:  # a table may be asymmetric, or given in one direction only
        given, target = _of_both_directions(given), _of_both_directions(target)
    a, b = np.nonzero(apart)
    return rows[a], columns[b], given[a, b], target[a, b]


def _of_both_directions(table: Array) -> Array:
    back = np.where(np.isnan(table.T), table, table.T)
    return np.where(np.isnan(table), back, 0.5 * (table + back))


def _mapped(subject: Subject, i: Array, j: Array) -> Array:
    """Return the distances of pairs on the map, without the table of all pairs."""
    rows, at_i = np.unique(i, return_inverse=True)
    columns, at_j = np.unique(j, return_inverse=True)
    if not len(rows):
        return np.empty(0)
    D = distances(subject.points[rows], subject.points[columns], space=subject.space)
    return np.asarray(D[at_i, at_j])
