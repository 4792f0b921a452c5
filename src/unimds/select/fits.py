"""The fits of a search: every candidate without the pairs of every fold."""

from __future__ import annotations

import time
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from unimds.estimators.few_starts import few_starts
from unimds.estimators.mds import MDS
from unimds.estimators.parameters import resolve_variant
from unimds.placecenter.result import Outcome
from unimds.select.folds import Folds
from unimds.select.prediction import Sample, Scoring, predicted

Array = NDArray[Any]


@final
class Data(NamedTuple):
    """A table, its weights or None, and its folds; `both` if its two directions differ."""

    D: Array
    W: Array | None
    folds: Folds
    both: bool

    def without(self, fold: int) -> Array:
        """Return the table without the pairs of a fold."""
        return np.where(self.folds.held_out(fold), self.D.dtype.type(np.nan), self.D)

    def samples(self, fold: int) -> tuple[Sample, Sample]:
        """Return the pairs that are seen while a fold is held out, and the pairs of the fold."""
        known, out = ~np.isnan(self.D), self.folds.held_out(fold)
        np.fill_diagonal(known, False)
        if self.W is not None:
            known &= self.W > 0.0
        once = known if self.both else np.triu(known)
        return self._sample(once & ~out), self._sample(once & out)

    def _sample(self, some: Array) -> Sample:
        i, j = np.nonzero(some)
        w = np.ones(len(i)) if self.W is None else self.W[i, j].astype(np.float64)
        return Sample(i, j, self.D[i, j].astype(np.float64), w)


@final
class Scored(NamedTuple):
    """The error of a candidate in a fold, or why there is none."""

    error: float
    seconds: float
    ending: Outcome | None = None
    failure: ValueError | None = None

    @property
    def cut(self) -> bool:
        """Whether ^C has ended the fit: its map is not the one to judge."""
        return self.ending is Outcome.INTERRUPTED


def scored(data: Data, mds: MDS, fold: int, scoring: Scoring, seed: int) -> Scored:
    """Fit a candidate without the pairs of a fold, and see how it predicts them.

    A map of all pairs would be a quicker start than those of the fold's own table, but it has seen
    the pairs that are held out, and where there are many minima the fold stays near it.
    """
    began = time.perf_counter()
    loss, space = resolve_variant(mds.variant, mds.loss, mds.space)
    try:
        table = data.without(fold)
        solver = few_starts(mds, len(table), seed)
        result = solver.solve(table, mds.n_components, loss, space, data.W)
    except ValueError as failure:  # such as a loss that has no levels
        return Scored(np.nan, time.perf_counter() - began, failure=failure)
    seen, unseen = data.samples(fold)
    error = float(scoring(unseen.d, predicted(result, seen, unseen), unseen.w))
    return Scored(error, time.perf_counter() - began, result.outcome)
