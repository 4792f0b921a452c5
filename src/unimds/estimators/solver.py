"""One run of PlaceCenter, from what a person gives to a result: what all estimators share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, fields, replace
from numbers import Integral
from pathlib import Path
from typing import Any, NamedTuple, Protocol, final

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state, gen_batches
from sklearn.utils.validation import check_is_fitted, validate_data

from unimds._runtime.extras import require
from unimds._runtime.watch import Watch, warn
from unimds.checkpoint import Checkpoint
from unimds.constraints.base import Constraint
from unimds.constraints.obeying import lowest_obeying
from unimds.distances.features import check_no_text, in_order, missing_told
from unimds.distances.inputs import TABLE, as_float, as_table, columns_by_label, labels_of
from unimds.distances.metric import Metric, warn_of_empty_rows
from unimds.distances.objects.squares import DistanceMatrix
from unimds.distances.objects.taking import (
    kind_of,
    metric_for,
    native,
    native_features,
    rows_to_points,
)
from unimds.distances.pairs import Pairs, as_pairs, warn_of_kind
from unimds.distances.table import ComputedTable
from unimds.estimators.elsewhere import check_names
from unimds.estimators.forecast import before_the_check, before_the_search
from unimds.estimators.newcomers import Rows, some_of, spread_of, warn_of_short, warn_of_strangers
from unimds.estimators.parameters import wants_pandas
from unimds.estimators.shown import MapEstimator
from unimds.levels import Transformation, as_level
from unimds.losses import Loss, as_loss
from unimds.placecenter.degeneracy import DegenerateWarning, degeneracy_of
from unimds.placecenter.descent.plan import Plan
from unimds.placecenter.fixed import Anchors, as_anchors
from unimds.placecenter.frame import own_smoothing
from unimds.placecenter.new_points import (
    names_in,
    place_checked,
    placed_squares,
    reach,
    warn_of_few_known,
)
from unimds.placecenter.problem import Problem
from unimds.placecenter.result import Outcome, Result, in_size, stress_1
from unimds.spaces.base import Space, as_space, distances
from unimds.starts.keep import Keeper, as_store, run_digests
from unimds.starts.race import Starts, lowest, starts_in_memory
from unimds.starts.search import Search

Array = NDArray[Any]

STATM = Path("/proc/self/statm")
MEMINFO = Path("/proc/meminfo")
ENTRIES = 2_000_000  # distances of new points that are held together
BEYOND = 0.1  # share of new dissimilarities beyond those of the fit that goes without saying


class Workplace(Protocol):
    """Where data are, and are worked on: this process, or a Dask cluster."""

    @property
    def find(self) -> Starts:
        """What finds the configurations to descend from."""

    @property
    def holds_table(self) -> bool:
        """Whether this process holds the table, and so the disparities of all pairs."""

    def labels(self, X: Any, square: bool = False) -> Array | None:
        """Return the labels of the rows, or None where points go by their number.

        Of a `square` table without labels of its rows, those of its columns count.
        """

    def local(self, X: Any) -> Any:
        """Return a table in the memory of this process."""

    def client(self) -> Any:
        """Return the client of the cluster, or None where threads of this process work."""

    def square(self, X: Any, estimator: Any) -> Any:
        """Return a square table of distances, checked as scikit-learn's estimators do."""

    def measured(self, table: ComputedTable, features: Array, limit: float | str | None) -> Any:
        """Return the distances between features: all of them, if the memory limit allows it."""

    def pairs(
        self, D: Any, weights: Any, free: Array | None, dtype: str | None, watch: Watch
    ) -> AbstractContextManager[Pairs]:
        """Check the distances, and hold them for the time of a run."""


@final
class ThisProcess:
    """Data are arrays and frames in the memory of this process."""

    find: Starts = staticmethod(starts_in_memory)
    holds_table = True

    labels = staticmethod(labels_of)

    def local(self, X: Any) -> Any:
        return X

    def client(self) -> None:
        """Return None: there is no cluster."""

    def square(self, X: Any, estimator: Any) -> Any:
        table = validate_data(estimator, as_table(X), **TABLE)
        if isinstance(kind_of(X), DistanceMatrix):
            estimator.feature_names_in_ = labels_of(X)
        return table

    def measured(self, table: ComputedTable, features: Array, limit: float | str | None) -> Any:
        size = table.n**2 * features.itemsize
        return table.metric.between(features) if fits(size, limit) else table

    def pairs(
        self, D: Any, weights: Any, free: Array | None, dtype: str | None, watch: Watch
    ) -> AbstractContextManager[Pairs]:
        pairs = as_pairs(D, weights=weights, free=free, dtype=dtype)
        warn_of_kind(pairs.table)
        return nullcontext(pairs)


ASYMMETRIC = (
    "D is not symmetric: the two directions of a pair differ, and both count half. If this is a "
    "mistake, correct the table"
)


def fits(size: float, limit: float | str | None) -> bool:
    """Return whether `size` bytes are within a limit: bytes, None for no limit, or "auto".

    "auto" is half of the memory available now, or no limit if the system does not tell.
    """
    if limit == "auto":
        free = available_memory()
        limit = None if free is None else 0.5 * free
    return limit is None or size <= float(limit)


def available_memory() -> int | None:
    """Return the bytes available to this program, or None if the system does not tell."""
    known = [free for free in (_free_memory(), _free_addresses()) if free is not None]
    return min(known, default=None)


def _free_addresses() -> int | None:
    """Return what a limit such as that of ``ulimit -v`` leaves, or None if there is no limit."""
    try:
        import resource
    except ImportError:  # on Windows
        return None
    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    if most == resource.RLIM_INFINITY or not STATM.exists():
        return None
    return max(0, most - int(STATM.read_text().split()[0]) * resource.getpagesize())


def _free_memory() -> int | None:
    if MEMINFO.exists():  # counts the page cache as available
        for line in MEMINFO.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return 1024 * int(line.split()[1])
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def workplace(*data: Any) -> Workplace:
    """Return where data are; Dask need not be installed."""
    if any(type(part).__module__.partition(".")[0] in ("dask", "dask_expr") for part in data):
        from unimds.cluster.workplace import Cluster

        return Cluster()
    return ThisProcess()


class New(NamedTuple):
    """New points, and the points of a map that they are placed against.

    The rows are features, or, where the fixed points have none, distances to these.
    """

    rows: Array
    points: Array
    features: Array | None


class TableEstimator(
    MapEstimator,
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    """Base of estimators that take distances, or features and a metric."""

    metric: Any
    metric_: Any
    n_components: int
    loss_: Loss
    space_: Space
    labels_: Array | None
    transformation_: Transformation | None = None
    _metric: Metric

    def __new__(cls, *args: Any, **named: Any) -> Any:
        """Refuse parameters that the estimator does not have, and say where to find them."""
        check_names(cls, named)
        return super().__new__(cls)

    def _new(self, X: Any) -> New:
        """Return new points, checked, and the points of the map to place them against."""
        raise NotImplementedError

    def _asked(self, X: Any) -> Any:
        """Return the metric of a fit, and keep it: an object may say that it holds distances."""
        self.metric_ = metric_for(X, self.metric)
        return self.metric_

    def _forget_features(self) -> None:
        """Forget the features of an earlier fit, which this map was not made from."""
        for name in ("_fit_X", "_metric"):
            self.__dict__.pop(name, None)

    def _rows_to_map(self, X: Any) -> Array:
        """Return distances of new points to all points of the map, in the order of these."""
        given = columns_by_label(rows_to_points(X, "X"), self._point_names())
        table = as_table(given, square=False)
        if self.labels_ is not None and not hasattr(self, "feature_names_in_"):
            table = np.asarray(table)  # scikit-learn does not know the names, which were matched
        return np.asarray(validate_data(self, table, reset=False, **TABLE))

    def _with_labels(self, points: Array, X: Any, square: bool = False) -> Any:
        """Return points, with their labels where a frame is wanted and X is of another package.

        scikit-learn keeps the index of a frame of pandas, and of nothing else.
        """
        if kind_of(X) is None or not wants_pandas(self):
            return points
        labels = labels_of(X, square)
        return points if labels is None else require("pandas", "files").DataFrame(points, labels)

    def _point_names(self) -> Array | None:
        """Return the names of the points that distances lead to, if they have any."""
        names: Array | None = getattr(self, "feature_names_in_", self.labels_)
        return names

    def _judge(self, new: New, X: Any) -> None:
        """Warn of new points, which have been placed, that the map can hardly have a place for."""
        names = names_in(X)
        if new.features is None:
            warn_of_few_known(new.rows, None, self.n_components, names)
        self._warn_of_strangers(new, names)

    def _warn_of_strangers(self, new: New, names: list[Any] | None) -> None:
        """Warn of new points far outside the map, by dissimilarities as they were given."""
        count = len(new.points)
        some, own = some_of(len(new.rows), max(1, ENTRIES // count)), some_of(count)
        apart, old = self._given(new, some), new.features
        if old is None:
            if self.transformation_ is not None:
                apart = self.transformation_(apart)
            between = distances(new.points[own], new.points, space=self.space_)
            warn_of_short(apart, new.points, self.space_, some, names)
        else:
            between = self._metric.between(old[own], old)
        spread = spread_of(between, own)
        if spread is not None:
            both = None if old is None else Rows(new.rows[some], old, self._metric.between)
            warn_of_strangers(apart, spread, some, names, both)

    def _given(self, new: New, some: slice | Array) -> Array:
        """Return the given distances of some new points to those that stay fixed."""
        rows = new.rows[some]
        return rows if new.features is None else self._metric.between(rows, new.features)

    def _apart(self, new: New, some: slice) -> Array:
        """Return what the distances of some new points are compared with."""
        apart = self._given(new, some)
        return apart if self.transformation_ is None else self._transformed(apart)

    def _transformed(self, apart: Array) -> Array:
        """Return the disparities of the dissimilarities of new points."""
        transformation = self.transformation_
        assert transformation is not None
        if getattr(self, "conditional", "table") == "row":
            raise ValueError(
                'conditional="row" gives every row a transformation of its own, and new points '
                'have none; fit with conditional="table", or give the new points to fit'
            )
        share = transformation.beyond(apart)
        if share > BEYOND:
            low, high = transformation.given[0], transformation.given[-1]
            warn(
                f"{share:.1%} of the new dissimilarities lie beyond those of the fit, {low:g} to "
                f"{high:g}: nothing is known there, and they count as the nearest of these",
                UserWarning,
            )
        return transformation(apart)

    def _place(self, new: New, some: slice) -> Array:
        """Place some new points."""
        D = self._apart(new, some)
        return place_checked(D, new.points, self.loss_, self.space_, first=some.start)

    def score(self, X: Any, y: object = None) -> float:
        """Return how well new points fit on the map: minus the Stress-1 of where they are placed.

        `transform` places the points, and their distances to the points of the map (of
        `LandmarkMDS`: to its `references_`) are compared with the given ones, whatever the loss.
        0 is a perfect fit, and greater is better, as `sklearn.model_selection.GridSearchCV`
        expects.

        Parameters
        ----------
        X : array-like of shape (n_new, n_features), or (n_new, n) where metric="precomputed"
            New points, as `transform` takes them. With metric="precomputed" give GridSearchCV the
            square table of all distances as an array (``frame.to_numpy()``): it cuts out the rows
            and columns of each fold by itself.
        y : ignored
            For compatibility.

        Returns
        -------
        float
            Minus the Stress-1.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.model_selection import GridSearchCV
        >>> from unimds import MDS
        >>> X = np.random.default_rng(0).normal(size=(40, 3))
        >>> search = GridSearchCV(MDS(n_init=1, random_state=0), {"n_components": [1, 2, 3]})
        >>> search.fit(X).best_params_
        {'n_components': 3}
        """
        check_is_fitted(self)
        return -self._stress_of(X)

    def _stress_of(self, X: Any, placed: Array | None = None) -> float:
        """Return the Stress-1 of new points, which are placed first unless they are `placed`."""
        new, total = self._new(X), np.zeros(2)
        unit = reach(new.points, self.space_) or 1.0
        for some in gen_batches(len(new.rows), max(1, ENTRIES // len(new.points))):
            there = self._place(new, some) if placed is None else placed[some]
            where = there, new.points, self.space_, unit, self.transformation_
            total += placed_squares(self._given(new, some), *where)
        above, below = total
        if below == 0.0:
            return 0.0 if above == 0.0 else float("inf")
        return float(np.sqrt(above / below))

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """Leave an earlier fit as it was if this fit fails."""
        before = dict(self.__dict__)
        try:
            yield
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def _checked(self, X: Any, **options: Any) -> Array:
        """Return features in memory, checked as scikit-learn's estimators do."""
        finite = "allow-nan" if self.metric == "nan_euclidean" else True
        local = native_features(workplace(X).local(X))
        check_no_text(local)
        if not options.get("reset", True):
            local = in_order(local, getattr(self, "feature_names_in_", None))
        kind = {"dtype": TABLE["dtype"], "ensure_all_finite": finite}
        with missing_told(local):
            features = np.asarray(validate_data(self, local, **kind, **options))
        warn_of_empty_rows(self.metric, features)
        return features

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.metric == "precomputed"
        tags.input_tags.allow_nan = self.metric in ("precomputed", "nan_euclidean")
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


@final
@dataclass(frozen=True)
class Solver:
    """The parameters of a run; `unimds.estimators.parameters` says what they mean."""

    level: Any = "ratio"
    conditional: str = "table"
    init: Any = "auto"
    n_init: int | str = "auto"
    max_iter: int = 2000
    eps: float = 1e-7
    smoothing: float | str = "auto"
    solver: str = "auto"
    accelerate: bool = True
    inner_iter: int = 1
    dtype: str | None = None
    n_jobs: int | None = None
    random_state: Any = None
    callback: Any = None
    verbose: int = 0
    checkpoint: Any = None

    @classmethod
    def of(cls, estimator: Any, **changes: Any) -> Solver:
        """Return the solver that an estimator's parameters ask for."""
        names = [field.name for field in fields(cls) if hasattr(estimator, field.name)]
        return cls(**{name: getattr(estimator, name) for name in names} | changes)

    def solve(
        self,
        D: Any,
        n_components: int,
        loss: str | Loss,
        space: str | Space,
        weights: Any = None,
        fixed: Any = None,
        at: Workplace | None = None,
        constraint: Constraint | None = None,
    ) -> Result:
        """Find the map of a table of distances, which obeys a constraint if there is one."""
        D, at = native(D, "D"), at or workplace(D, weights)
        if constraint is not None:
            self._check_constraint(D, fixed, at)
        loss, space = as_loss(loss), as_space(space)
        how = self.accelerate, self.inner_iter, self.solver
        plan = Plan(self.max_iter, self.eps, self.smoothing, *how)
        if not isinstance(self.smoothing, str) and self.smoothing > 0.0:
            loss = loss.smoothed(max(self.smoothing, own_smoothing(loss)))
        watch = Watch(self.callback, self.verbose, self.eps)
        anchors = free = None
        if fixed is not None:
            shape = D.shape if hasattr(D, "shape") else as_float(D, "D").shape
            anchors = as_anchors(fixed, (*shape, 0)[0], n_components, space)
            free = None if anchors is None else anchors.free
        if isinstance(D, ComputedTable):
            D.told = watch.passing
        before_the_check(D, watch)
        with watch.ticking(), at.pairs(D, weights, free, self.dtype, watch) as pairs:
            if pairs.layers == 2 and self.conditional != "row":  # rows of their own differ
                warn(ASYMMETRIC, UserWarning)
            problem = self._posed(pairs, loss, space, n_components, anchors)
            before_the_search(problem, watch)
            level = () if not problem.adapts else (as_level(self.level), self.conditional)
            settings = (loss, space, n_components, plan, *level)
            keeper = self._keeper(pairs, anchors, watch, settings)
            search = Search(plan, watch, self.init, self.n_init, self.n_jobs)
            if constraint is None:
                result = lowest(search, problem, self._generator(), anchors, keeper, at.find)
            else:
                result = lowest_obeying(search, problem, constraint, self._generator())
            result = in_size(result, space)
            result = replace(result, stress=stress_1(pairs, result))
            result = self._told(result)
            if not at.holds_table:  # the codes of all pairs end with the run; the function stays
                result = replace(result, scaling=None)
            message = result.outcome.value
            # of ^C the warning tells, once
            said = "" if result.outcome is Outcome.INTERRUPTED else message
            watch.done(result.n_iter, result.cost, said)
        if result.outcome is Outcome.MAX_ITER:
            advice = f"Raise max_iter={self.max_iter} or eps={self.eps:g}."
            kept = self.checkpoint
            path = kept.path if isinstance(kept, Checkpoint) else kept
            if isinstance(path, str | os.PathLike):
                advice += f" With a larger max_iter the run goes on from {os.fspath(path)}."
            warn(f"{message} {advice}", ConvergenceWarning)
        if result.outcome is Outcome.INTERRUPTED:
            warn(message, RuntimeWarning)
        return result

    def _check_constraint(self, D: Any, fixed: Any, at: Workplace) -> None:
        """Raise for what a constraint cannot be combined with."""
        held = at.holds_table and not isinstance(D, ComputedTable)
        for given, what in (
            (fixed is not None, "fixed points: give one of the two"),
            (self.checkpoint is not None, "a checkpoint: leave it out"),
            (not held, "a table that is not held: use memory_limit=None, in one process"),
        ):
            if given:
                raise ValueError(f"constraints do not work with {what}")

    def _told(self, result: Result) -> Result:
        """Return a result with a word on whether it is degenerate; warn if it is."""
        if result.scaling is None or result.stress is None:
            return result
        degeneracy = degeneracy_of(result.embedding, result.space, result.scaling, result.stress)
        if degeneracy is not None:
            warn(str(degeneracy), DegenerateWarning)
        return replace(result, degeneracy=degeneracy)

    @property
    def _takes_distances(self) -> bool:
        """Whether the given dissimilarities are distances, and nothing is transformed."""
        return as_level(self.level).is_given and self.conditional == "table"

    def _posed(
        self, pairs: Pairs, loss: Loss, space: Space, n_components: int, anchors: Anchors | None
    ) -> Problem:
        """Return the problem, at the level of measurement."""
        if self._takes_distances or pairs.n == 1:  # a single point has nothing to transform
            return Problem.posed(pairs, loss, space, n_components)
        level, by_row = as_level(self.level), self.conditional == "row"
        return Problem.scaled(pairs, loss, space, n_components, level, by_row, anchors)

    def _generator(self) -> np.random.Generator:
        """Return a generator; scikit-learn's kinds of random state are the seed of one."""
        if isinstance(self.random_state, Integral):
            return np.random.default_rng(int(self.random_state))
        return np.random.default_rng(check_random_state(self.random_state).randint(2**31))

    def _keeper(
        self, pairs: Pairs, anchors: Anchors | None, watch: Watch, settings: tuple[Any, ...]
    ) -> Keeper | None:
        """Return what keeps the run; its digest covers all that the result depends on."""
        if self.checkpoint is None:
            return None
        store = as_store(self.checkpoint)
        seed = self.random_state if isinstance(self.random_state, int | None) else "drawn"
        arrays = [] if anchors is None else [anchors.points]
        settings = (*settings, self.n_init)
        if self.solver != "auto":
            settings = (*settings, self.solver)
        if isinstance(self.init, str):
            settings = (*settings, self.init)
        else:
            arrays.append(as_float(self.init, "init"))
        known = repr((*settings, seed))
        limited = known.replace(" Plan(", f" Plan(max_iter={self.max_iter}, ", 1)  # version 0.2
        return Keeper(store, run_digests(pairs, arrays, known, limited), watch)
