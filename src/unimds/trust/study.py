"""The table of a map, checked, and maps that are fitted to tables near it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar, final

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

from unimds._runtime.tasks import each
from unimds._runtime.watch import Progress, compiling_told, warn
from unimds.distances.inputs import labels_of, weights_by_label
from unimds.distances.objects.taking import metric_for
from unimds.distances.pairs import as_pairs
from unimds.distances.validate import points_named
from unimds.estimators.few_starts import QUIET, few_starts
from unimds.estimators.mds import MDS
from unimds.estimators.parameters import resolve_variant
from unimds.estimators.solver import Solver, workplace
from unimds.placecenter.result import Outcome, Result, targets_of
from unimds.quality import total_cost
from unimds.spaces import Space, distances

Array = NDArray[Any]
Task = TypeVar("Task")
Found = TypeVar("Found")

CLOSE = 1e-3
"""Relative difference in cost from which a map was made of other data than those given."""


@final
@dataclass(frozen=True, eq=False)
class StudiedTable:
    """A table that was checked: dissimilarities, NaN where missing, and weights or None.

    `both` says whether the two directions of a pair differ; `features` are those that the table was
    measured from, or None.
    """

    mds: MDS
    D: Array
    W: Array | None
    both: bool
    labels: list[Any] | None
    features: Array | None

    @property
    def n(self) -> int:
        """Number of points."""
        return len(self.D)

    @property
    def k(self) -> int:
        """Dimension of the map."""
        return int(self.mds.n_components)

    def known(self) -> Array:
        """Return which entries count, both ways, but for the diagonal."""
        found = ~np.isnan(self.D)
        np.fill_diagonal(found, False)
        return found if self.W is None else found & (self.W > 0.0)

    def once(self) -> tuple[Array, Array]:
        """Return the known entries: each pair once, or both directions if they differ."""
        found = self.known() if self.both else np.triu(self.known())
        i, j = np.nonzero(found)
        return i, j

    def weights_at(self, i: Array, j: Array) -> Array:
        """Return the weights of some entries."""
        return np.ones(len(i)) if self.W is None else self.W[i, j].astype(np.float64)

    def with_entries(self, i: Array, j: Array, values: Array) -> Array:
        """Return the table with other values; the other direction too, if both are the same."""
        found = self.D.astype(np.float64)
        found[i, j] = values
        if not self.both:
            found[j, i] = values
        return found

    def measured(self, features: Array) -> Array:
        """Return the distances between other features, by the metric of the estimator."""
        own = clone(self.mds).set_params(n_jobs=None, verbose=0)
        table, _ = own._distances(features, workplace(features), weighted=True)
        return _whole(as_pairs(table))[0]


def table_of(mds: MDS, X: Any, weights: Any) -> StudiedTable:
    """Return the table that an estimator is to be fitted to, or was fitted to if `X` is None."""
    check_estimator(mds)
    X, features = _data_of(mds) if X is None else (X, None)
    X, weights = (workplace(part).local(part) for part in (X, weights))
    labels = labels_of(X, metric_for(X, mds.metric) == "precomputed")
    if labels is None and X is getattr(mds, "dissimilarity_matrix_", None):
        labels = mds.labels_
    weights = weights_by_label(weights, labels)
    own = clone(mds).set_params(n_jobs=None)
    if X is getattr(mds, "dissimilarity_matrix_", None):
        own.set_params(metric="precomputed")
    with points_named(labels):
        if features is None:
            D, _ = own._distances(X, workplace(X), weighted=True)
            features = getattr(own, "_fit_X", None)
        else:
            D = X
        pairs = as_pairs(D, weights=weights, dtype=mds.dtype)
    D, W = _whole(pairs)
    names = None if labels is None else labels.tolist()
    return StudiedTable(mds, D, W, pairs.layers == 2, names, features)


def _whole(pairs: Any) -> tuple[Array, Array | None]:
    D, W = pairs.table.whole()
    return np.asarray(D[:, 0]), None if W is None else np.asarray(W[:, 0])


def check_estimator(mds: Any) -> None:
    """Raise if this is not `MDS`, and say what to give instead."""
    if isinstance(mds, MDS):
        return
    name = type(mds).__name__
    if name == "LandmarkMDS":
        raise TypeError(
            "LandmarkMDS holds too many points to fit again and again: give MDS a sample"
        )
    raise TypeError(f"{name} is no MDS estimator: give MDS(...), fitted or with the data as X")


def _data_of(mds: MDS) -> tuple[Any, Array | None]:
    """Return the distances that an estimator was fitted to, and the features if it had any."""
    if not hasattr(mds, "result_"):
        raise ValueError("mds is not fitted: give the data too, or call mds.fit first")
    constraint = getattr(mds, "_constraint", None)
    if constraint is not None:
        raise ValueError(
            f"the map obeys {constraint!r}, and maps of changed tables would not: fit mds without "
            "constraints, and study that map"
        )
    D = mds.dissimilarity_matrix_
    if D is None:
        raise ValueError(
            "mds does not hold the distances that it was fitted to (a model from a file never does)"
            ": give the data as X"
        )
    return D, getattr(mds, "_fit_X", None)


def loss_and_space(mds: MDS) -> tuple[Any, Space]:
    """Return the loss and the space that an estimator asks for."""
    return resolve_variant(mds.variant, mds.loss, mds.space)


def fit_anew(table: StudiedTable, D: Array, W: Array | None, seed: int) -> Result:
    """Return the map of another table, from a few starts of its own."""
    solver = few_starts(table.mds, len(D), seed)
    return solver.solve(D, table.k, *loss_and_space(table.mds), W)


# --- maps near a map ------------------------------------------------------------------------------


@final
@dataclass(frozen=True, eq=False)
class Study:
    """A table and its map, which is where fits to tables near it start from."""

    table: StudiedTable
    result: Result

    @property
    def points(self) -> Array:
        """The points of the map."""
        return np.asarray(self.result.embedding, dtype=np.float64)

    @property
    def space(self) -> Space:
        """The space of the map, with the size that was found."""
        return self.result.space

    @property
    def scales(self) -> bool:
        """Whether the unit of the map is free, as where dissimilarities are transformed."""
        return self.result.scaling is not None

    def targets(self) -> Array:
        """Return what the distances on the map are compared with."""
        return targets_of(self.table.D.astype(np.float64), self.result)

    def mapped(self) -> Array:
        """Return the distances on the map."""
        return distances(self.points, space=self.space)

    def refitted(self, D: Array, kept: Array | None = None) -> Result:
        """Return the map of a table near this one, from the places that points have now.

        `kept` are the points of the table, by default all.
        """
        start, weights = self.points, self.table.W
        if kept is not None:
            start = start[kept]
            weights = None if weights is None else weights[np.ix_(kept, kept)]
        solver = Solver.of(self.table.mds, init=start, n_init=1, random_state=0, **QUIET)
        return solver.solve(D, self.table.k, self.result.loss, self.space, weights)


def study_of(mds: MDS, X: Any, weights: Any) -> Study:
    """Return a table and its map: that of a fitted estimator, or a new one if data are given."""
    table = table_of(mds, X, weights)
    if table.n < 2:
        raise ValueError("a map of one point cannot change: 2 points are needed at least")
    if X is None:
        _check_own(mds, table)
        return Study(table, mds.result_)
    own = clone(mds).set_params(metric="precomputed", metric_params=None)
    with points_named(None if table.labels is None else np.asarray(table.labels, dtype=object)):
        result = own.fit(table.D, weights=table.W).result_
    if result.outcome is Outcome.INTERRUPTED:
        raise KeyboardInterrupt
    return Study(table, result)


def _check_own(mds: MDS, table: StudiedTable) -> None:
    """Raise if a map does not belong to a table: most often its weights were not given."""
    cost = total_cost(table.D, mds.result_, loss=mds.loss_, weights=table.W)
    largest = max(abs(cost), abs(mds.cost_))
    if abs(cost - mds.cost_) > CLOSE * largest and mds.result_.converged:
        raise ValueError(
            f"the cost of the map is {mds.cost_:.6g}, but {cost:.6g} with these data: if it was "
            "fitted with weights, give them too"
        )


# --- many fits ------------------------------------------------------------------------------------


def seed_of(random_state: Any) -> int:
    """Return a seed from what scikit-learn takes for one."""
    return int(check_random_state(random_state).randint(2**31))


def all_done(
    work: Callable[[Task], Found],
    tasks: Iterable[Task],
    what: str,
    n_jobs: int | None,
    verbose: int,
    ended: Callable[[Found], Outcome],
) -> tuple[list[tuple[Task, Found]], bool]:
    """Do all tasks, with a bar; return what was found, in order, and whether ^C came between."""
    tasks = list(tasks)
    bar = Progress(verbose, what, rounds=max(len(tasks), 1))
    found: dict[int, Found] = {}
    interrupted = False

    def number(at: int) -> Found:
        return work(tasks[at])

    try:
        # BLAS on one thread: on more it rounds in another way, and the tasks are threads
        with warnings.catch_warnings(), threadpool_limits(1), compiling_told(verbose):
            warnings.simplefilter("ignore")  # of one of many fits, which nobody has asked for
            for at, one in each(number, range(len(tasks)), n_jobs, lambda one: cut(ended(one))):
                if not cut(ended(one)):
                    found[at] = one
                bar.step(1.0)
    except KeyboardInterrupt:
        interrupted = True
    bar.done()
    return [(tasks[at], found[at]) for at in sorted(found)], interrupted


def cut(outcome: Outcome) -> bool:
    """Whether ^C ended a fit early."""
    return outcome is Outcome.INTERRUPTED


def warn_of_interruption(done: int, asked: int, what: str) -> None:
    """Warn that only some of the fits were made, and that these count."""
    warn(f"Interrupted: {done} of {asked} {what} were done, and these count.", RuntimeWarning)


def check_count(value: Any, name: str, least: int) -> int:
    """Return a whole number that is large enough."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ValueError(f"{name}={value!r} must be a whole number, {least} or more")
    return int(value)


def named(labels: list[Any] | None, i: int) -> str:
    """Return what a point is called."""
    return f"point {i}" if labels is None else str(labels[i])
