"""Maps of tables that could have been given instead: without a point, resampled, or with noise.

Each map starts from the places that the points have, so that a hundred of them take about as long
as one search for the lowest map of a small table.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from unimds._runtime.watch import warn
from unimds.distances.inputs import as_square, labels_of
from unimds.distances.objects.taking import dimensions, kind_of, metric_for
from unimds.distances.pairs import as_pairs
from unimds.distances.validate import points_named
from unimds.estimators.mds import MDS
from unimds.files.table import Table
from unimds.placecenter.result import Outcome, Result
from unimds.trust.geometry import jackknife_excess
from unimds.trust.residuals import errors_of
from unimds.trust.stability import Stability, aligned
from unimds.trust.study import (
    Study,
    all_done,
    check_count,
    named,
    seed_of,
    study_of,
    warn_of_interruption,
)
from unimds.trust.tangent import tangents_at

Array = NDArray[Any]
Consensus = Callable[[Array], Array]
"""Makes one table of a stack of tables, of shape (subjects, n, n)."""

OVER = ("auto", "subjects", "features", "residuals")
FEWEST = 3
"""Subjects, features or maps from which their differences say something."""


def jackknife(
    mds: MDS,
    X: ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Stability:
    r"""Leave each point out in turn, and see how far the others move.

    Parameters
    ----------
    mds : MDS
        What maps are made. If it is fitted, `X` may be left out, and its map is the one to judge.
    X : array-like, default=None
        Features, or distances with NaN where one is missing, as ``mds.fit`` takes them; by default
        what `mds` was fitted to.
    weights : array-like of shape (n, n), default=None
        Weight of each pair, if the map has weights.
    n_jobs : int, default=None
        Number of threads, which share the fits. The outcome does not depend on it.
    verbose : int, default=0
        1 shows a progress bar on standard error.

    Returns
    -------
    Stability

    Notes
    -----
    The maps without a point are aligned with the map by the points that are left; the covariance of
    a point is the sum of the squares of its deviations from the mean, Σ v vᵀ, divided by what this
    sum overstates: pairs of two other points are left out twice. The chapter :doc:`/trust` derives
    the ratio, about 1 + k/n.

    The indices are those of smacof's ``jackmds``, but for the point that was left out, which counts
    in no sum here.

    References
    ----------
    J. de Leeuw and J. Meulman, *A special jackknife for multidimensional scaling*, Journal of
    Classification 3 (1986).

    Examples
    --------
    >>> import numpy as np
    >>> from unimds import MDS
    >>> from unimds.trust import jackknife
    >>> rng = np.random.default_rng(0)
    >>> found = jackknife(MDS(n_init=1, random_state=0), rng.normal(size=(15, 2)))
    >>> round(found.stability, 3), found.maps.shape
    (1.0, (15, 15, 2))
    """
    study = study_of(mds, X, weights)
    table, n = study.table, study.table.n
    if n < table.k + 3:
        raise ValueError(
            f"a map of {n} points in {table.k} dimensions says nothing without one of them: "
            f"{table.k + 3} points are needed at least"
        )
    joints = _joints(table.known())
    if len(joints):
        names = ", ".join(named(table.labels, i) for i in joints[:3])
        warn(
            f"{len(joints)} of {n} points are not left out ({names}"
            f"{', …' if len(joints) > 3 else ''}): without one of them the known pairs would fall "
            "apart, or leave a point without a place",
            UserWarning,
        )

    def one(out: int) -> Refit:
        kept = np.flatnonzero(np.arange(n) != out)
        result = study.refitted(table.D[np.ix_(kept, kept)], kept)
        return Refit(result, kept)

    left = [i for i in range(n) if i not in set(joints.tolist())]
    maps, skipped, interrupted = _maps(study, one, left, "points left out", n_jobs, verbose)
    here = tangents_at(study.points, study.space)
    i, j = table.once()
    excess = jackknife_excess(study.points, study.space, i, j, table.weights_at(i, j))
    vectors = here.all_vectors(maps)
    moves = np.nan_to_num(vectors - np.nanmean(vectors, axis=0))
    count = (~np.isnan(vectors[..., 0])).sum(axis=0)
    # points that are not left out, and fits that failed, are as if they had moved like the others
    factor = (n - 1.0) / np.maximum(count, 1.0) / excess.ratio
    covariances = factor[:, None, None] * np.einsum("mia,mib->iab", moves, moves)
    outcome = (excess.freedom, table.labels, skipped + len(joints), interrupted)
    return Stability("Jackknife", study.points, study.space, maps, covariances, *outcome)


def _joints(known: Array) -> Array:
    """Return the points without which the known pairs fall apart, or leave a point alone."""
    both = known | known.T
    if both.sum() == len(both) * (len(both) - 1):
        return np.empty(0, dtype=np.intp)
    found = []
    for out in range(len(both)):
        kept = np.arange(len(both)) != out
        if connected_components(csr_array(both[np.ix_(kept, kept)]), directed=False)[0] > 1:
            found.append(out)
    return np.array(found, dtype=np.intp)


def bootstrap(
    mds: MDS,
    X: Any = None,
    *,
    over: str = "auto",
    weights: ArrayLike | None = None,
    n_maps: int = 100,
    consensus: Consensus | None = None,
    n_jobs: int | None = None,
    random_state: Any = None,
    verbose: int = 0,
) -> Stability:
    r"""Draw data again and again, and see how far the points move.

    Parameters
    ----------
    mds : MDS
        What maps are made. If it is fitted, `X` may be left out, and its map is the one to judge.
    X : array-like, default=None
        Features, or distances, as ``mds.fit`` takes them; or the distances of several subjects, of
        shape (subjects, n, n), or a list or dict of tables. By default what `mds` was fitted to.
    over : {"auto", "subjects", "features", "residuals"}, default="auto"
        What is drawn with replacement: subjects, the columns of features, or the residuals of the
        map, which are added to its distances. "auto" draws subjects where there are several tables,
        features where there are features, and residuals elsewhere.
    weights : array-like of shape (n, n), default=None
        Weight of each pair, if the map has weights.
    n_maps : int, default=100
        Number of maps.
    consensus : callable, default=None
        Makes one table of the tables of several subjects; by default their mean, without those that
        are missing. Any function from an array of shape (subjects, n, n) to one of shape (n, n).
    n_jobs : int, default=None
        Number of threads, which share the fits. The outcome does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed of what is drawn.
    verbose : int, default=0
        1 shows a progress bar on standard error.

    Returns
    -------
    Stability

    Notes
    -----
    Residuals are drawn on the scale where they are alike, and made as large as errors: see
    :doc:`/trust`. Over subjects or features the covariance is that of the maps times S / (S − 1)
    for S of them, as their mean varies by so much more than the draws do. smacof's ``bootmds``
    draws subjects.

    References
    ----------
    W. G. Jacoby and D. A. Armstrong, *Bootstrap confidence regions for multidimensional scaling
    solutions*, American Journal of Political Science 58 (2014).

    Examples
    --------
    >>> import numpy as np
    >>> from unimds import MDS
    >>> from unimds.spaces import distances
    >>> from unimds.trust import bootstrap
    >>> rng = np.random.default_rng(0)
    >>> D = distances(rng.normal(size=(15, 2))) * rng.uniform(0.9, 1.1, size=(15, 15))
    >>> mds = MDS(metric="precomputed", random_state=0).fit((D + D.T) / 2)
    >>> found = bootstrap(mds, n_maps=20, random_state=0)
    >>> found.maps.shape, found.stability > 0.99
    ((20, 15, 2), True)
    """
    count = check_count(n_maps, "n_maps", FEWEST)
    if over not in OVER:
        raise ValueError(f"over={over!r} is not known: use one of {', '.join(OVER)}")
    stack = _stack_of(X)
    if stack is not None and over in ("auto", "subjects"):
        draws: Draws = _subjects(mds, X, stack, consensus, weights)
    elif stack is not None:
        raise ValueError(f'over={over!r} needs one table, and X has {len(stack)}: use "subjects"')
    elif over == "subjects":
        raise ValueError('over="subjects" needs the tables of several subjects, (subjects, n, n)')
    else:
        draws = _features_or_residuals(mds, X, weights, over)
    study, seed = draws.study, seed_of(random_state)

    def one(number: int) -> Refit:
        return Refit(study.refitted(draws.table(np.random.default_rng([seed, number]))))

    found = _maps(study, one, range(count), draws.what, n_jobs, verbose)
    return _spread(study, f"Bootstrap of {draws.what}", found, draws.inflation, draws.freedom)


class Draws(NamedTuple):
    """What a bootstrap draws: tables from random numbers, and how precise that is.

    `inflation` is what the covariance of the maps is multiplied by, `freedom` its degrees of
    freedom beside those of the number of maps.
    """

    study: Study
    what: str
    table: Callable[[np.random.Generator], Array]
    inflation: float
    freedom: float


def _stack_of(X: Any) -> Array | None:
    """Return the tables of several subjects as an array; None if there are not several."""
    if X is None or hasattr(X, "loc") or (kind_of(X) and not isinstance(X, Mapping)):
        return None
    if isinstance(X, list | tuple) and not X:
        raise ValueError(f"X has no table: give those of {FEWEST} subjects or more, or one table")
    shape: tuple[int, ...] = getattr(X, "shape", ())
    if len(shape) == 3 and shape[1] != shape[2]:
        raise ValueError(f"tables of subjects have the shape (subjects, n, n), not {shape}")
    given = X if isinstance(X, Mapping) else dict(enumerate(X)) if np.iterable(X) else {}
    if not given or any(dimensions(table) != 2 for table in given.values()):
        return None
    if len(given) < FEWEST:
        raise ValueError(f"{len(given)} subjects are too few to draw from; {FEWEST} are needed")
    return np.array(list(_in_one_order(given)), dtype=np.float64)


def _in_one_order(tables: Mapping[Any, Any]) -> Iterator[Array]:
    """Yield the tables of several subjects, checked, with the same points in the same order."""
    labels, n = None, None
    for name, table in tables.items():
        own = labels_of(table, square=True)
        try:
            D = checked_table(table, own)
        except ValueError as error:
            raise ValueError(f"table {name!r}: {error}") from error
        labels, n = own if labels is None else labels, len(D) if n is None else n
        if own is not None and labels is not None:
            lacking = next((label for label in labels if label not in set(own)), None)
            odd = next((label for label in own if label not in set(labels)), None)
        else:
            lacking = odd = None
        if len(D) != n or lacking is not None or odd is not None:
            told = f"{(len(D), len(D))} and {(n, n)}"
            if len(D) == n:
                told = f"{odd!r} and not {lacking!r}"
            raise ValueError(
                f"table {name!r} has other points than the first, {told}; give tables of the same "
                "points, with NaN for what is missing"
            )
        if own is not None and labels is not None:
            at = [own.tolist().index(label) for label in labels]
            D = D[np.ix_(at, at)]
        yield D


def checked_table(table: Any, labels: Array | None) -> Array:
    """Return the table of one subject; raise if it does not hold distances."""
    if labels is not None and len(set(labels)) < len(labels):
        raise ValueError("some points have the same label; give each a label of its own")
    with warnings.catch_warnings(), points_named(labels):
        warnings.simplefilter("ignore")  # the mean of all tables tells of asymmetry, once
        D = as_square(table, "D")
        as_pairs(D, connected=False)
    if len(D) > 1 and np.isnan(D[~np.eye(len(D), dtype=bool)]).all():
        raise ValueError("there is no known pair: all are missing (NaN); leave the table out")
    return D


def mean_table(stack: Array) -> Array:
    """Return the mean of the tables of several subjects; NaN where none of them is known.

    Examples
    --------
    >>> mean_table(np.array([[[0.0, 2.0], [2.0, 0.0]], [[0.0, np.nan], [4.0, 0.0]]]))
    array([[0., 2.],
           [3., 0.]])
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a pair that nobody knows
        return np.asarray(np.nanmean(stack, axis=0))


def _subjects(mds: MDS, X: Any, stack: Array, consensus: Consensus | None, weights: Any) -> Draws:
    make = mean_table if consensus is None else consensus
    if not callable(make):
        raise TypeError(
            f"consensus={consensus!r} must be a function that makes one table of a stack of them, "
            "such as lambda stack: numpy.nanmedian(stack, axis=0)"
        )
    whole: Any = make(stack)
    first: Any = next(iter(X.values() if isinstance(X, Mapping) else X))
    if metric_for(first, mds.metric) != "precomputed":
        raise ValueError('X has tables of distances: give MDS(metric="precomputed")')
    labels = labels_of(first, square=True)
    if labels is not None:
        whole = Table(np.asarray(whole), "distances", "array", "square", labels.tolist())
    study, subjects = study_of(mds, whole, weights), len(stack)

    def table(rng: np.random.Generator) -> Array:
        return make(stack[rng.integers(subjects, size=subjects)])

    inflation = subjects / (subjects - 1.0)
    return Draws(study, f"{subjects} subjects", table, inflation, subjects - 1.0)


def _features_or_residuals(mds: MDS, X: Any, weights: Any, over: str) -> Draws:
    study = study_of(mds, X, weights)
    features = study.table.features
    if over == "features" and features is None:
        raise ValueError('over="features" needs features; these are distances: use "residuals"')
    columns = 0 if features is None else features.shape[1]
    if over == "features" and columns < FEWEST:
        raise ValueError(f"{columns} features are too few to draw from; {FEWEST} are needed")
    if features is not None and columns >= FEWEST and over in ("auto", "features"):
        if study.table.W is not None:
            raise ValueError('weights are for these distances: use over="residuals"')

        def measured(rng: np.random.Generator) -> Array:
            return study.table.measured(features[:, rng.integers(columns, size=columns)])

        inflation = columns / (columns - 1.0)
        return Draws(study, f"{columns} features", measured, inflation, columns - 1.0)
    errors = errors_of(study)

    def simulated(rng: np.random.Generator) -> Array:
        drawn = np.minimum(errors.drawn(rng), study.space.diameter)
        return study.table.with_entries(errors.i, errors.j, drawn)

    return Draws(study, "residuals", simulated, 1.0, errors.freedom)


def perturbation(
    mds: MDS,
    X: ArrayLike | None = None,
    *,
    noise: float = 0.05,
    weights: ArrayLike | None = None,
    n_maps: int = 100,
    n_jobs: int | None = None,
    random_state: Any = None,
    verbose: int = 0,
) -> Stability:
    """Multiply each dissimilarity by a random factor, and see how far the points move.

    It asks what errors of a known size would do to the map, such as those of an instrument. The
    regions hold a share of the places that points have with such errors; they are no confidence
    regions unless the errors of the data have this size.

    Parameters
    ----------
    mds : MDS
        What maps are made. If it is fitted, `X` may be left out, and its map is the one to judge.
    X : array-like, default=None
        Features, or distances with NaN where one is missing, as ``mds.fit`` takes them; by default
        what `mds` was fitted to.
    noise : float, default=0.05
        Standard deviation of the factors around 1.
    weights : array-like of shape (n, n), default=None
        Weight of each pair, if the map has weights.
    n_maps : int, default=100
        Number of maps.
    n_jobs : int, default=None
        Number of threads, which share the fits. The outcome does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed of the factors.
    verbose : int, default=0
        1 shows a progress bar on standard error.

    Returns
    -------
    Stability

    Examples
    --------
    >>> from unimds import MDS
    >>> from unimds.trust import perturbation
    >>> D = [[0, 3, 4, 5], [3, 0, 5, 4], [4, 5, 0, 3], [5, 4, 3, 0]]
    >>> found = perturbation(MDS(metric="precomputed"), D, noise=0.01, n_maps=10, random_state=0)
    >>> bool(found.errors.max() < 0.2)
    True
    """
    count = check_count(n_maps, "n_maps", FEWEST)
    if not isinstance(noise, int | float) or not 0.0 <= noise < np.inf:
        raise ValueError(f"noise={noise!r} must be a number, 0 or more")
    study, seed = study_of(mds, X, weights), seed_of(random_state)
    table = study.table
    i, j = table.once()
    most = np.inf if study.scales else study.space.diameter

    def one(number: int) -> Refit:
        rng = np.random.default_rng([seed, number])
        factor = np.abs(1.0 + noise * rng.normal(size=len(i)))
        values = np.minimum(table.D[i, j] * factor, most)
        return Refit(study.refitted(table.with_entries(i, j, values)))

    found = _maps(study, one, range(count), "tables with noise", n_jobs, verbose)
    return _spread(study, f"Noise of {100.0 * noise:g} %", found, 1.0, np.inf)


# --- what these studies share ---------------------------------------------------------------------


class Refit(NamedTuple):
    """A map of a changed table, or None if it has none; and the points that it has."""

    result: Result | None
    kept: Array | None = None

    @property
    def outcome(self) -> Outcome:
        """Why the fit ended."""
        return Outcome.NOTHING_TO_DO if self.result is None else self.result.outcome


Maps = tuple[Array, int, bool]
"""Aligned maps, how many tables had none, and whether ^C ended the study."""


def _maps(
    study: Study,
    one: Callable[[int], Refit],
    numbers: Iterable[int],
    what: str,
    n_jobs: int | None,
    verbose: int,
) -> Maps:
    """Return the maps of changed tables, aligned with the map."""

    def tried(number: int) -> Refit:
        try:
            return one(number)
        except ValueError as failure:  # a drawn table may fall apart where pairs are missing
            failures.append(failure)
            return Refit(None)

    failures: list[ValueError] = []
    numbers = list(numbers)
    told = f"{len(numbers)} {what}"
    done, interrupted = all_done(tried, numbers, told, n_jobs, verbose, lambda fit: fit.outcome)
    found = [fit for _, fit in done if fit.result is not None]
    if len(found) < FEWEST:
        if failures:
            raise failures[0]
        raise KeyboardInterrupt
    if interrupted:
        warn_of_interruption(len(found), len(numbers), "fits")
    if failures:
        warn(
            f"{len(failures)} of {len(numbers)} tables have no map and are left out; the first "
            f"error is: {failures[0]}",
            UserWarning,
        )
    return np.stack([_placed(study, fit) for fit in found]), len(failures), interrupted


def _placed(study: Study, fit: Refit) -> Array:
    """Return a map in the place of the map, NaN for points that it does not have."""
    assert fit.result is not None
    kept = np.arange(study.table.n) if fit.kept is None else fit.kept
    X, Y = study.points, np.asarray(fit.result.embedding, dtype=np.float64)
    found = np.full(X.shape, np.nan)
    found[kept] = aligned(Y, X[kept], study.space, study.scales)
    return found


def _spread(study: Study, method: str, found: Maps, inflation: float, freedom: float) -> Stability:
    """Return the outcome with the covariance of the maps, around their mean."""
    maps, skipped, interrupted = found
    vectors = tangents_at(study.points, study.space).all_vectors(maps)
    gap = vectors - vectors.mean(axis=0)
    covariances = inflation * np.einsum("mia,mib->iab", gap, gap) / (len(maps) - 1.0)
    # relative variances add up, and 2 / ν is that of a variance
    both = 1.0 / (1.0 / (len(maps) - 1.0) + 1.0 / freedom)
    outcome = np.full(study.table.n, both), study.table.labels, skipped, interrupted
    return Stability(method, study.points, study.space, maps, covariances, *outcome)
