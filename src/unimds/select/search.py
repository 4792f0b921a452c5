"""The search as a scikit-learn estimator."""

from __future__ import annotations

import time
import warnings
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning, FitFailedWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from unimds._runtime.tasks import each
from unimds._runtime.watch import Progress, compiling_told, warn
from unimds.checkpoint import Checkpoint
from unimds.distances.inputs import labels_of, weights_by_label
from unimds.distances.objects.taking import metric_for
from unimds.distances.pairs import as_pairs
from unimds.distances.validate import points_named
from unimds.estimators.mds import MDS
from unimds.estimators.parameters import CONSTRAINTS, Count, StrOptions
from unimds.estimators.shown import ShownEstimator
from unimds.estimators.solver import workplace
from unimds.placecenter.result import Outcome as Ending
from unimds.select.fits import Data, Scored, scored
from unimds.select.folds import NEVER, pair_folds
from unimds.select.grid import OF_THE_RUN, candidate, candidates, made
from unimds.select.prediction import SCORINGS, Scoring, constants
from unimds.select.record import Record
from unimds.select.rule import RULES, chosen, excess_over, lowest, simplicity, standard_error
from unimds.select.words import Outcome

Array = NDArray[Any]

CUT = 0.1
"""The share of fits that may stop at max_iter without a word: a flat map on a sphere is slow."""
INTERRUPTED = "Interrupted: {done} of {all} candidates were scored, and the best of them is chosen."


class MDSSearchCV(ShownEstimator, MetaEstimatorMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Choose the dimension, the space, the loss or the level by held-out pairs.

    The known pairs are shared out to folds. Each candidate makes a map without the pairs of a fold,
    and predicts them; the simplest candidate that predicts as well as the best is chosen, and
    fitted to all pairs. :doc:`/selecting` explains it.

    Parameters
    ----------
    estimator : MDS, default=None
        What candidates have in common; by default ``MDS()``.
    param_grid : dict or list of dict, default=None
        Parameters of the estimator, and lists of values to try, as in
        `sklearn.model_selection.GridSearchCV`; by default ``{"n_components": [1, 2, 3, 4, 5, 6]}``.
        The name of a curved space, such as "sphere", stands for one whose size is to be found,
        ``Sphere(radius="auto")``.
    cv : int, default=5
        Number of folds.
    scoring : {"stress", "absolute", "median"} or callable, default="stress"
        How wrong predictions are: "stress" is the root of the squared errors relative to the
        squared dissimilarities, "absolute" the absolute errors relative to the dissimilarities, and
        "median" the median absolute error relative to the median dissimilarity, which some wrong
        distances do not change. A function gets given dissimilarities, predictions and weights,
        and returns an error: less is better.
    rule : {"one_standard_error", "lowest"}, default="one_standard_error"
        Choose the simplest candidate whose excess over the lowest error, fold by fold, is within
        its standard error; or the one with the lowest error. Fewer dimensions are simpler, then a
        flat space, then a less free level ("ratio" first), then the squared loss, then what comes
        first in the grid.
    refit : bool, default=True
        Whether to fit the chosen candidate to all pairs.
    n_jobs : int, default=None
        Number of threads, which share the fits. The outcome does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed of the folds and of the fits.
    verbose : int, default=0
        1 shows a progress bar on standard error.
    checkpoint : str, PathLike or Checkpoint, default=None
        A file to keep the errors in, written every half a minute, after ^C and at the end. If it
        exists, what it knows is not computed again; there may be more candidates than before.

    Attributes
    ----------
    best_params_ : dict
        The chosen candidate.
    best_estimator_ : MDS
        Its map of all pairs, if `refit`; `embedding_` and `transform` are those of this map.
    best_index_, lowest_index_ : int
        The row of the chosen candidate, and of the one with the lowest error.
    best_score_ : float
        Minus the mean error of the chosen candidate.
    cv_results_ : dict of arrays
        All candidates, ready for a data frame: the entries of GridSearchCV, with scores that are
        minus the errors, and more: ``mean_error``, ``standard_error``, ``excess`` over the lowest
        error and ``excess_standard_error``.
    null_error_ : float
        The error if one typical distance, the mean or the median, is predicted for all pairs.
    structure_ : bool
        Whether the lowest error is less than that by more than a standard error.
    sentence_ : str
        The outcome in words.
    n_splits_ : int
        Number of folds.
    folds_ : ndarray of int of shape (n, n)
        The fold of every pair; −1 for those that are never held out.
    interrupted_ : bool
        Whether ^C ended the search; there is no `best_estimator_` then.

    See Also
    --------
    MDS : The estimator that makes the maps.

    Examples
    --------
    Points in space, whose distances have errors:

    >>> import numpy as np
    >>> from unimds import MDS, MDSSearchCV
    >>> from unimds.spaces import distances
    >>> rng = np.random.default_rng(0)
    >>> D = distances(rng.normal(size=(30, 3))) * rng.uniform(0.8, 1.2, size=(30, 30))
    >>> D = (D + D.T) / 2
    >>> search = MDSSearchCV(MDS(metric="precomputed", n_init=1), random_state=0).fit(D)
    >>> search.best_params_
    {'n_components': 3}
    >>> search.embedding_.shape
    (30, 3)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [MDS, None],
        "param_grid": [dict, list, None],
        "cv": [Count(2)],
        "scoring": [StrOptions(set(SCORINGS)), callable],
        "rule": [StrOptions(set(RULES))],
        "refit": ["boolean"],
        **{name: CONSTRAINTS[name] for name in ("n_jobs", "random_state", "verbose", "checkpoint")},
    }

    def __init__(
        self,
        estimator: MDS | None = None,
        param_grid: Any = None,
        *,
        cv: int = 5,
        scoring: str | Scoring = "stress",
        rule: str = "one_standard_error",
        refit: bool = True,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        checkpoint: str | Checkpoint | None = None,
    ):
        self.estimator = estimator
        self.param_grid = param_grid
        self.cv = cv
        self.scoring = scoring
        self.rule = rule
        self.refit = refit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.checkpoint = checkpoint

    def fit(self, X: ArrayLike, y: object = None, *, weights: ArrayLike | None = None) -> Any:
        """Score all candidates, choose one, and fit it to all pairs.

        Parameters
        ----------
        X : array-like of shape (n, n_features), or (n, n) where the metric is "precomputed"
            Features, or distances with NaN where one is missing, as in ``MDS.fit``. Both directions
            of a pair are held out together. A dask array is fetched.
        y : ignored
            For compatibility.
        weights : array-like of shape (n, n), default=None
            Weight of each pair, in the maps and in the errors.

        Returns
        -------
        MDSSearchCV
            The estimator itself.
        """
        self._validate_params()
        base = MDS() if self.estimator is None else self.estimator
        grid = candidates(self.param_grid)
        all_mds = [made(base, one) for one in grid]
        X, weights = (workplace(part).local(part) for part in (X, weights))
        labels = labels_of(X, metric_for(X, base.metric) == "precomputed")
        weights = weights_by_label(weights, labels)
        record = Record(self.checkpoint)
        seed = record.seed(int(check_random_state(self.random_state).randint(2**31)))
        with points_named(labels):
            data = self._shared_out(base, X, weights, seed)
        self._warn_of_few(data, all_mds)
        names = [repr(sorted(one.items())) for one in grid]
        record.begin(names, data.folds.folds, _contents(data), self._settings(base))
        self.n_splits_, self.folds_ = data.folds.folds, _square(data)
        self.interrupted_ = self._scored(data, all_mds, record, seed)
        self._choose(grid, all_mds, record, self._null(data))
        if self.refit and not self.interrupted_:
            self._refit(base, X, weights, seed)
        return self

    def _shared_out(self, base: MDS, X: Any, weights: Any, seed: int) -> Data:
        """Return the table of distances with its folds."""
        own = made(base, {"n_jobs": None})
        table, _ = own._distances(X, workplace(X), weighted=True)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(own, name):
                setattr(self, name, getattr(own, name))
        pairs = as_pairs(table, weights=weights, dtype=base.dtype)
        D, W = pairs.table.whole()
        counts = ~np.isnan(D) if W is None else ~np.isnan(D) & (W > 0.0)
        known: Array = np.asarray(counts.any(axis=1))
        np.fill_diagonal(known, False)
        folds = pair_folds(known, self.cv, np.random.default_rng(seed))
        return Data(D[:, 0], None if W is None else W[:, 0], folds, pairs.layers == 2)

    def _warn_of_few(self, data: Data, all_mds: list[MDS]) -> None:
        left, most = data.folds.partners_left, max(mds.n_components for mds in all_mds)
        if left <= most:
            warn(
                f"in some folds a point keeps {left} of its pairs, and a place in {most} "
                f"dimensions needs {most + 1}: the errors of so many dimensions say little. Raise "
                "cv, or try fewer dimensions",
                UserWarning,
            )

    def _settings(self, base: MDS) -> str:
        """Return what errors depend on, but for the candidates, in words."""
        scoring = self.scoring
        if not isinstance(scoring, str):
            scoring = f"{scoring.__module__}.{getattr(scoring, '__qualname__', type(scoring))}"
        own = {name: value for name, value in base.get_params().items() if name not in OF_THE_RUN}
        return repr((scoring, own))

    def _scored(self, data: Data, all_mds: list[MDS], record: Record, seed: int) -> bool:
        """Score all candidates in all folds; return whether that was interrupted."""
        scoring = SCORINGS[self.scoring] if isinstance(self.scoring, str) else self.scoring
        # the same seeds for all candidates: they differ by what they are, not by their luck
        seeds = np.random.default_rng([seed, 1]).integers(2**31, size=data.folds.folds).tolist()
        tasks = record.missing()
        bar = Progress(self.verbose, f"{len(all_mds)} candidates", rounds=max(len(tasks), 1))
        ended: list[Scored] = []

        def work(task: tuple[int, int]) -> Scored:
            row, fold = task
            return scored(data, all_mds[row], fold, scoring, seeds[fold])

        interrupted = False
        try:
            # BLAS on one thread: on more it rounds in another way, and the tasks are threads
            with warnings.catch_warnings(), threadpool_limits(1), compiling_told(self.verbose):
                warnings.simplefilter("ignore")  # of a fold, which nobody has asked for
                for (row, fold), found in each(work, tasks, self.n_jobs, lambda one: one.cut):
                    record.note(row, fold, found.error, found.seconds)
                    ended.append(found)
                    bar.step(1.0)
        except KeyboardInterrupt:
            interrupted = True
        bar.done()
        record.write()
        self._warn_of_ends(ended, record, interrupted)
        return interrupted

    def _warn_of_ends(self, ended: list[Scored], record: Record, interrupted: bool) -> None:
        failures = [one.failure for one in ended if one.failure is not None]
        done = int((~np.isnan(record.errors).any(axis=1)).sum())
        if done == 0:
            if failures:
                raise failures[0]
            raise KeyboardInterrupt
        if interrupted:
            warn(INTERRUPTED.format(done=done, all=len(record.errors)), RuntimeWarning)
        elif failures:
            count = len(record.errors) - done
            warn(
                f"{count} of {len(record.errors)} candidates cannot be fitted and are left out; "
                f"the first error is: {failures[0]}",
                FitFailedWarning,
            )
        cut = sum(one.ending is Ending.MAX_ITER for one in ended)
        if cut > CUT * len(ended):
            warn(
                f"{cut} of {len(ended)} fits of folds stopped after max_iter sweeps, before their "
                "cost had settled; raise max_iter of the estimator",
                ConvergenceWarning,
            )

    def _null(self, data: Data) -> Array:
        """Return the errors of one distance for all pairs, in every fold."""
        scoring = SCORINGS[self.scoring] if isinstance(self.scoring, str) else self.scoring
        errors = np.empty((2, data.folds.folds))
        for fold in range(data.folds.folds):
            seen, unseen = data.samples(fold)
            for kind, constant in enumerate(constants(seen)):
                same = np.full(unseen.d.shape, constant)
                errors[kind, fold] = scoring(unseen.d, same, unseen.w)
        return np.asarray(errors[lowest(errors)])

    def _choose(
        self, grid: list[dict[str, Any]], all_mds: list[MDS], record: Record, null: Array
    ) -> None:
        """Choose a candidate, and tell all that is known of them."""
        errors, who = record.errors, [candidate(*both) for both in zip(all_mds, grid, strict=True)]
        order = [simplicity(one.n_components, one.space, one.level, one.loss) for one in who]
        self.null_error_ = float(null.mean())
        self.lowest_index_ = lowest(errors)
        self.best_index_ = chosen(errors, order, self.rule, self.null_error_)
        self.best_params_ = grid[self.best_index_]
        self.best_score_ = -float(errors[self.best_index_].mean())
        self.cv_results_ = results(grid, errors, record.seconds)
        gain = excess_over(null[None], errors[self.lowest_index_])
        self.structure_ = bool(gain.mean[0] > np.nan_to_num(gain.error[0]))
        done = np.flatnonzero(~np.isnan(errors).any(axis=1)).tolist()
        self.sentence_ = Outcome(
            [who[row] for row in done],
            errors[done].mean(axis=1).tolist(),
            done.index(self.best_index_),
            done.index(self.lowest_index_),
            self.null_error_,
            self.structure_,
            len(self.folds_),
        ).sentence()

    def _refit(self, base: MDS, X: Any, weights: Any, seed: int) -> None:
        best = made(base, self.best_params_)
        if best.random_state is None:
            best.set_params(random_state=seed)
        began = time.perf_counter()
        self.best_estimator_ = best.fit(X, weights=weights)
        self.refit_time_ = time.perf_counter() - began

    @property
    def embedding_(self) -> Array:
        """The points of the map of the chosen candidate."""
        return self._best().embedding_

    @property
    def labels_(self) -> Array | None:
        """The row labels of the input, if it had any."""
        return self._best().labels_

    def fit_transform(
        self, X: ArrayLike, y: object = None, *, weights: ArrayLike | None = None
    ) -> Any:
        """Choose a candidate and return the points of its map; the parameters are those of `fit`.

        Returns
        -------
        ndarray of shape (n, n_coordinates)
            The points of the map.
        """
        return self.fit(X, weights=weights).embedding_

    def transform(self, X: ArrayLike) -> Any:
        """Place new points on the map of the chosen candidate, as ``MDS.transform`` does.

        Parameters
        ----------
        X : array-like of shape (n_new, n_features), or (n_new, n)
            Features of the new points, or their distances to the points of the map.

        Returns
        -------
        ndarray of shape (n_new, n_coordinates)
            The new points.
        """
        return self._best().transform(X)

    def _best(self) -> MDS:
        check_is_fitted(self, "best_params_")
        if not hasattr(self, "best_estimator_"):
            why = "the search was interrupted" if self.interrupted_ else "refit=False"
            raise AttributeError(f"{why}: there is no map; fit MDS(**search.best_params_)")
        return self.best_estimator_

    def plot(self, ax: Any = None, *, title: str | None = None) -> Any:
        """Draw the errors of all candidates: see `unimds.plots.plot_choice`."""
        from unimds.plots.choice import plot_choice

        return plot_choice(self, ax, title=title)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        own = (MDS() if self.estimator is None else self.estimator).__sklearn_tags__()
        tags.input_tags, tags.transformer_tags = own.input_tags, own.transformer_tags
        return tags


def results(grid: list[dict[str, Any]], errors: Array, seconds: Array) -> dict[str, Any]:
    """Return all that is known of the candidates, in columns as scikit-learn's."""
    found: dict[str, Any] = {
        "mean_fit_time": seconds.mean(axis=1),
        "std_fit_time": seconds.std(axis=1),
    }
    for name in dict.fromkeys(name for one in grid for name in one):
        column = np.ma.masked_all(len(grid), dtype=object)  # type: ignore[no-untyped-call]
        for row, one in enumerate(grid):
            if name in one:
                column[row] = one[name]
        found[f"param_{name}"] = column
    found["params"] = grid
    for fold in range(errors.shape[1]):
        found[f"split{fold}_test_score"] = -errors[:, fold]
    means, excess = errors.mean(axis=1), excess_over(errors, errors[lowest(errors)])
    found |= {"mean_test_score": -means, "std_test_score": errors.std(axis=1)}
    ranks = np.lexsort((np.arange(len(means)), np.where(np.isnan(means), np.inf, means)))
    found["rank_test_score"] = np.argsort(ranks).astype(np.int32) + 1
    found |= {"mean_error": means, "standard_error": standard_error(errors)}
    return found | {"excess": excess.mean, "excess_standard_error": excess.error}


def _contents(data: Data) -> list[Array]:
    return [data.D, data.folds.fold, *([] if data.W is None else [data.W])]


def _square(data: Data) -> Array:
    """Return the fold of every pair as a square table."""
    folds, table = data.folds, np.full(data.D.shape, NEVER)
    table[folds.i, folds.j] = table[folds.j, folds.i] = folds.fold
    return table
