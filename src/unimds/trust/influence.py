"""The pairs that decide: those without which the map would be another."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unimds.estimators.mds import MDS
from unimds.losses import Loss
from unimds.placecenter.result import Outcome
from unimds.spaces.base import pointwise
from unimds.trust.stability import DecidingPair, aligned
from unimds.trust.study import Study, all_done, check_count, study_of, warn_of_interruption

Array = NDArray[Any]

CANDIDATES = 3
"""Pairs that are left out for each that is told."""


def deciding_pairs(
    mds: MDS,
    X: ArrayLike | None = None,
    *,
    top: int = 10,
    n_candidates: int | None = None,
    weights: ArrayLike | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> list[DecidingPair]:
    """Return the pairs without which the map would move most.

    The pull of a pair is its weight times the slope of the loss. The pairs that pull most are left
    out one at a time, each time a map is made from where the points are, and pairs are ordered by
    how far the points have moved.

    Parameters
    ----------
    mds : MDS
        What maps are made. If it is fitted, `X` may be left out, and its map is the one to judge.
    X : array-like, default=None
        Features, or distances with NaN where one is missing, as ``mds.fit`` takes them; by default
        what `mds` was fitted to.
    top : int, default=10
        Number of pairs to return.
    n_candidates : int, default=None
        Number of pairs to leave out; by default three times as many. With all pairs none is missed.
    weights : array-like of shape (n, n), default=None
        Weight of each pair, if the map has weights.
    n_jobs : int, default=None
        Number of threads, which share the fits.
    verbose : int, default=0
        1 shows a progress bar on standard error.

    Returns
    -------
    list of DecidingPair
        The pair that decides most comes first.

    Examples
    --------
    A distance that is wrong:

    >>> import numpy as np
    >>> from unimds import MDS
    >>> from unimds.spaces import distances
    >>> from unimds.trust import deciding_pairs
    >>> D = distances(np.random.default_rng(0).normal(size=(12, 2)))
    >>> D[2, 7] = D[7, 2] = 3.0 * D[2, 7]
    >>> first = deciding_pairs(MDS(metric="precomputed", random_state=0), D, top=1)[0]
    >>> first.i, first.j
    (2, 7)
    """
    count = check_count(top, "top", 1)
    study = study_of(mds, X, weights)
    return deciding(study, count, n_candidates, n_jobs, verbose)


def deciding(
    study: Study, top: int, n_candidates: int | None, n_jobs: int | None, verbose: int
) -> list[DecidingPair]:
    """Return the pairs of a study that decide."""
    table = study.table
    known = table.known()
    i, j = np.nonzero(np.triu(known | known.T))
    targets, mapped = study.targets(), study.mapped()
    pull = np.zeros(len(i))
    for first, second in ((i, j), (j, i)) if table.both else ((i, j),):
        w = table.weights_at(first, second)
        slope = slopes(study.result.loss, mapped[first, second], targets[first, second])
        pull += np.nan_to_num(w * slope) / (2.0 if table.both else 1.0)
    gap = np.abs(np.nan_to_num(targets[i, j] - mapped[i, j]))
    most = CANDIDATES * top if n_candidates is None else n_candidates
    tried = np.lexsort((-gap, -np.abs(pull)))[: check_count(most, "n_candidates", top)]

    def one(at: int) -> Moved:
        D = table.D.astype(np.float64)
        D[i[at], j[at]] = D[j[at], i[at]] = np.nan
        try:
            result = study.refitted(D)
        except ValueError:  # the only pair that joins two groups
            return Moved(np.full(table.n, np.inf), Outcome.NOTHING_TO_DO)
        Y = aligned(np.asarray(result.embedding), study.points, study.space, study.scales)
        return Moved(pointwise(Y, study.points, study.space), result.outcome)

    what = f"{len(tried)} pairs left out"
    done, cut = all_done(one, tried.tolist(), what, n_jobs, verbose, lambda moved: moved.outcome)
    if not done:
        raise KeyboardInterrupt
    if cut:
        warn_of_interruption(len(done), len(tried), "pairs")
    found = [
        DecidingPair(
            int(i[at]),
            int(j[at]),
            float(targets[i[at], j[at]]),
            float(mapped[i[at], j[at]]),
            float(pull[at]),
            float(np.sqrt(np.mean(moved.far**2))),
            int(np.argmax(moved.far)),
        )
        for at, moved in done
    ]
    return sorted(found, key=lambda pair: -pair.move)[:top]


class Moved(NamedTuple):
    """How far each point moves, and why the fit ended."""

    far: Array
    outcome: Outcome


def slopes(loss: Loss, mapped: Array, given: Array) -> Array:
    """Return the slope of a loss at the distance of each pair: twice w (u − ρ) of its parabola.

    Examples
    --------
    >>> from unimds.losses import Squared
    >>> slopes(Squared(), np.array([3.0]), np.array([1.0]))
    array([4.])
    """

    def slope(u: float, r: float) -> float:
        away = u - float(loss.radius(u, r))
        return 2.0 * float(loss.weight(u, r)) * away if away != 0.0 else 0.0

    pairs = zip(mapped.tolist(), given.tolist(), strict=True)
    return np.array([slope(u, r) if r == r else np.nan for u, r in pairs])
