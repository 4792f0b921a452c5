"""The fits of a search: every candidate without the pairs of every fold."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, NamedTuple, final

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray

from unimds.estimators.mds import MDS
from unimds.estimators.parameters import resolve_variant
from unimds.estimators.solver import Solver
from unimds.placecenter.result import Outcome
from unimds.select.folds import Folds
from unimds.select.prediction import Sample, Scoring, predicted
from unimds.starts.small import EFFORTS

Array = NDArray[Any]
Task = tuple[int, int]
"""A candidate and a fold."""

STARTS = 3
"""Starts of a fold's map: with these it ends about as low as after a long search."""
EPS = 1e-5
"""How slowly the cost of a fold's map may fall: its error is known to fewer digits than that."""


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


def scored(data: Data, mds: MDS, fold: int, scoring: Scoring, seed: int) -> Scored:
    """Fit a candidate without the pairs of a fold, and see how it predicts them."""
    began = time.perf_counter()
    loss, space = resolve_variant(mds.variant, mds.loss, mds.space)
    try:
        table = data.without(fold)
        solver = fold_solver(mds, len(table), seed)
        result = solver.solve(table, mds.n_components, loss, space, data.W)
    except ValueError as failure:  # such as a loss that has no levels
        return Scored(np.nan, time.perf_counter() - began, failure=failure)
    seen, unseen = data.samples(fold)
    error = float(scoring(unseen.d, predicted(result, seen, unseen), unseen.w))
    return Scored(error, time.perf_counter() - began, result.outcome)


def fold_solver(mds: MDS, n: int, seed: int) -> Solver:
    """Return the solver of a fold, which starts from the pairs that the fold has seen.

    A map of all pairs would be a quicker start, but it has seen the pairs that are held out, and
    where there are many minima the fold stays near it. Of few points a fit looks for the lowest map
    for long; some starts tell the error of a fold as well.
    """
    quiet = {"n_jobs": None, "verbose": 0, "callback": None, "checkpoint": None}
    solver = Solver.of(mds, random_state=seed, eps=max(mds.eps, EPS), **quiet)
    own = "auto" if not isinstance(mds.init, str) else mds.init
    if (own, mds.n_init) == ("auto", "auto") and n <= EFFORTS["auto"].few:
        return Solver.of(solver, init="shaken", n_init=STARTS)
    return Solver.of(solver, init=own)


def each(
    work: Callable[[Task], Scored], tasks: Iterable[Task], n_jobs: int | None
) -> Iterator[tuple[Task, Scored]]:
    """Do some tasks, on threads where asked for; yield each when it is done.

    After ^C those that have begun are yielded too.
    """
    tasks = list(tasks)
    threads = min(effective_n_jobs(n_jobs), len(tasks))
    if threads <= 1:
        for task in tasks:
            found = work(task)
            if found.ending is Outcome.INTERRUPTED:  # the map is not the one to judge
                raise KeyboardInterrupt
            yield task, found
        return
    with ThreadPoolExecutor(threads) as pool:
        waiting: dict[Future[Scored], Task] = {pool.submit(work, task): task for task in tasks}
        try:
            while waiting:
                done, _ = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    yield waiting.pop(future), future.result()
        except KeyboardInterrupt:  # what has begun is done
            begun = [future for future in waiting if not future.cancel()]
            yield from ((waiting[each], each.result()) for each in begun if not each.exception())
            raise
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
