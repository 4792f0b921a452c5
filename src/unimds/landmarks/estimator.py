"""MDS of very many points: landmarks are fitted, all others are placed against them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array, check_random_state
from sklearn.utils.validation import check_is_fitted

from unimds._runtime.watch import Progress, compiling_told
from unimds.compiled.parts import explained
from unimds.distances.inputs import TABLE, as_float, as_table, columns_by_label
from unimds.distances.metric import Metric, warn_of_distances
from unimds.distances.objects.taking import rows_to_points
from unimds.distances.table import ComputedTable, HeldTable, LocalTable
from unimds.estimators.parameters import (
    CONSTRAINTS,
    DATA_CONSTRAINTS,
    ROUNDS,
    Count,
    StrOptions,
    documented,
    resolve_variant,
    validated_fit,
)
from unimds.estimators.solver import New, Solver, TableEstimator, Workplace, workplace
from unimds.landmarks.choose import choose
from unimds.landmarks.cost import PairSample
from unimds.landmarks.disparities import through
from unimds.landmarks.journal import LANDMARKS as LANDMARKS_FIT
from unimds.landmarks.journal import SIZE, Journal
from unimds.landmarks.place import Crew, Scene, Threads, chunks_of, in_chunks, place_all
from unimds.landmarks.refine import Refiner
from unimds.levels import Level, as_level
from unimds.losses import Loss
from unimds.placecenter.result import Outcome, Result
from unimds.spaces import Space

Array = NDArray[Any]

LANDMARKS = 1000
REFERENCES = 2000  # random points of a refined map that new points are placed against
SETTINGS = (
    "n_components",
    "landmarks",
    "refine",
    "sample_size",
    "n_init",
    "eps",
    "smoothing",
    "solver",
    "accelerate",
    "inner_iter",
)
"""Parameters that the map depends on, beside loss, space, seed and data."""


@documented
class LandmarkMDS(TableEstimator):
    r"""Multidimensional scaling of very many points, with any loss, into any space.

    Some points, the landmarks, are fitted as `MDS` does; every other point is placed against them;
    then all points are placed against random samples of each other, several times over. Time and
    memory grow like n: no table of all distances is made. What is minimised is
    :math:`\sum_{i<j} loss(dist(x_i, x_j), d_{ij})`, the cost of `MDS`.

    Parameters
    ----------
    {n_components}
    n_landmarks : int or "auto", default="auto"
        Number of landmarks; "auto" is 1,000, or 20 for each dimension of the map if that is more.
        Data of no more points than that are fitted in full.
    landmarks : {"farthest", "random"}, default="farthest"
        How they are chosen: each the farthest from those before it, among ten random candidates
        a landmark; or at random. The farthest are not typical: the size of a space that is to be
        found comes from as many random points, fitted first.
    refine : int, default=20
        Sweeps in which every point, landmarks too, is placed against random others; 0 leaves
        points where the landmarks have put them.
    sample_size : int, default=500
        Number of random others.
    {loss}
    {space}
    {level} The level is fitted on the
        landmarks, and its transformation is applied to all distances.
    {variant}
    {metric}
    {metric_params}
    init : str or array-like of shape (n, n_coordinates), default="auto"
        Seed of the landmarks, as in `place_center`; of an array their rows are used.
    {others}
        All but `n_jobs`, `random_state`, `verbose` and `checkpoint` concern the fit of the
        landmarks only. The checkpoint keeps all phases, and a table of distances is known by the
        distances to the landmarks.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_coordinates)
        The points of the map.
    landmarks_ : ndarray of int
        Which points are landmarks.
    landmark_result_ : Result
        Their fit, before they were refined with all others.
    references_ : ndarray of int
        Which points of the map new points are placed against: some thousand random ones, or the
        landmarks of a map that was not refined.
    cost_, cost_error_ : float
        Sum of the loss over all pairs, estimated from half a million of them, and the standard
        error of that; exact, with an error of 0, where all points were fitted in full.
    stress_, stress_error_ : float
        Kruskal's Stress-1 of the map, and its standard error; at levels other than "ratio" those
        of the disparities.
    loss_, space_ : Loss, Space
        Loss and space as used, every "auto" replaced by what the landmarks say.
    transformation_ : Transformation or None
        The function from given dissimilarities to disparities, found on the landmarks; None at the
        level "ratio".
    n_iter_ : int
        Number of sweeps over the landmarks.
    outcome_ : Outcome
        Why the fit ended: as the landmarks' fit, unless ^C has cut a later phase short.
    seconds_ : dict
        How long each phase took.
    labels_ : ndarray of shape (n,), or None
        The row labels, where the input was a data frame or scikit-bio's DistanceMatrix: the points
        are in the order of the rows.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    ^C ends the fit of the landmarks, or the refinement, with the best found so far and a warning;
    while points are being placed there is no map yet, and it is a KeyboardInterrupt. With a
    checkpoint the next fit goes on from there: from the last step of the landmarks' fit, the last
    points that were placed, or the last sweep of the refinement.

    Examples
    --------
    >>> import numpy as np
    >>> from unimds import LandmarkMDS
    >>> X = np.random.default_rng(0).normal(size=(3000, 2))
    >>> mds = LandmarkMDS(2, n_landmarks=100, random_state=0).fit(X)
    >>> mds.embedding_.shape, bool(mds.stress_ < 1e-3)
    ((3000, 2), True)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CONSTRAINTS,
        "n_landmarks": [StrOptions({"auto"}), Count(2)],
        "landmarks": [StrOptions({"farthest", "random"})],
        "refine": [Count(0, ROUNDS)],
        "sample_size": [Count(2)],
        **DATA_CONSTRAINTS,
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_landmarks: int | str = "auto",
        landmarks: str = "farthest",
        refine: int = 20,
        sample_size: int = 500,
        loss: str | Loss = "squared",
        space: str | Space = "euclidean",
        level: str | Level = "ratio",
        variant: str | None = None,
        metric: Any = "euclidean",
        metric_params: dict[str, Any] | None = None,
        init: Any = "auto",
        n_init: int | str = "auto",
        max_iter: int = 2000,
        eps: float = 1e-7,
        smoothing: float | str = "auto",
        solver: str = "auto",
        accelerate: bool = True,
        inner_iter: int = 1,
        n_jobs: int | None = None,
        random_state: Any = None,
        callback: Any = None,
        verbose: int = 0,
        checkpoint: Any = None,
    ):
        self.n_components = n_components
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.refine = refine
        self.sample_size = sample_size
        self.loss = loss
        self.space = space
        self.level = level
        self.variant = variant
        self.metric = metric
        self.metric_params = metric_params
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.eps = eps
        self.smoothing = smoothing
        self.solver = solver
        self.accelerate = accelerate
        self.inner_iter = inner_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.callback = callback
        self.verbose = verbose
        self.checkpoint = checkpoint

    @validated_fit
    def fit(self, X: ArrayLike, y: object = None) -> LandmarkMDS:
        """Find the map.

        Parameters
        ----------
        X : array-like of shape (n, n_features), or (n, n) where metric="precomputed"
            Features, or a symmetric table of distances with NaN where one is missing. An array of
            float32 or float64, also one that is mapped from a file, is not copied; of a table
            only what is needed is read, and checked. A dask array or table of features is
            brought to this memory, and the workers of its cluster place the points.
        y : ignored
            For compatibility.

        Returns
        -------
        LandmarkMDS
            The estimator itself.
        """
        with self._all_or_nothing(), compiling_told(self.verbose):
            self._fit_anew(X)
        return self

    def fit_transform(self, X: ArrayLike, y: object = None) -> Any:
        """Find the map and return its points; the parameters are those of `fit`.

        Returns
        -------
        ndarray of shape (n, n_coordinates)
            The points of the map.
        """
        points = self.fit(X).embedding_
        return self._with_labels(points, X, self.metric_ == "precomputed")

    def _fit_anew(self, X: Any) -> None:
        at = workplace(X)
        self.labels_ = at.labels(X, self._asked(X) == "precomputed")
        self.seconds_: dict[str, float] = {}
        crew = self._crew(at)
        table, count = self._table(X, at), self.n_landmarks
        if isinstance(count, str):
            count = max(LANDMARKS, 20 * self.n_components)
        if table.n <= count:
            self._fit_all(table)
        else:
            self._fit_landmarks(table, count, crew)
        self._n_features_out = self.embedding_.shape[1]

    def _crew(self, at: Workplace) -> Crew:
        """Return who places points: threads, or the workers of a cluster."""
        client = at.client()
        if client is None:
            return Threads(self.n_jobs)
        from unimds.landmarks.workers import Workers  # only here: Dask is an extra

        return Workers(client)

    def _table(self, X: Any, at: Workplace) -> LocalTable:
        """Return where distances come from."""
        if self._asked(X) == "precomputed":
            D = at.square(X, self)
            if not isinstance(D, np.ndarray):
                raise ValueError(
                    "LandmarkMDS takes a dask array of features, not of distances: give the "
                    "features and their metric, or use MDS, whose workers hold the whole table"
                )
            self._forget_features()
            return HeldTable(D[:, None])
        features = self._checked(X)
        warn_of_distances(features)
        self._metric = Metric(self.metric, self.metric_params or {}).learnt(features)
        return ComputedTable(features, self._metric, features.dtype)

    def _fit_all(self, table: LocalTable) -> None:
        """Fit few points as `MDS` does: the cost is exact."""
        index = np.arange(table.n)
        D = table.square(index)
        result = self._place_center(D, index, table.n, self.random_state, self.checkpoint)
        self.cost_, self.cost_error_ = result.cost, 0.0
        self.stress_, self.stress_error_ = result.stress, 0.0
        self.outcome_ = result.outcome
        embedding = result.embedding.astype(table.dtype, copy=False)
        self._keep(table, index, result, index, result.embedding, embedding)

    def _fit_landmarks(self, table: LocalTable, count: int, crew: Crew) -> None:
        journal = Journal(self.checkpoint)
        chooser, *seeds = journal.seeds(self._seeds())
        rng = np.random.default_rng(chooser)
        with self._phase("choosing landmarks") as bar:
            typical = choose(table, count, "random", rng, Progress(0, "")) if self._sizes else None
            index = choose(table, count, self.landmarks, rng, bar)
            D = table.square(index)
        if self.checkpoint is not None:
            journal.begin(self._data(table, index, D), self._told(count))
        size = None if typical is None else self._size(table, typical, seeds[0], journal)
        with self._phase("fitting landmarks", quiet=True):
            kept = journal.fit(LANDMARKS_FIT)
            result = self._place_center(D, index, table.n, seeds[-1], kept, size)
        if result.outcome is Outcome.INTERRUPTED:
            journal.close()
        journal.rest_on(result)
        source = through(table, result.transformation)
        apart = D if result.transformation is None else result.transformation(D)
        apart = apart[apart > 0.0]
        scene = Scene.make(source, result, float(np.median(apart)) if apart.size else 1.0)
        frame = scene.frame
        with explained(frame.loss, frame.space):
            X = self._placed(scene, index, result, rng, crew, journal)
        self.outcome_ = Outcome.INTERRUPTED if journal.closed else result.outcome
        embedding = frame.outer(X).astype(table.dtype, copy=False)
        known = index if self.refine == 0 else _references(table.n, len(index), chooser)
        self._keep(table, index, result, known, frame.outer(X[:, known]), embedding)

    @property
    def _sizes(self) -> bool:
        """Whether the size of the space comes from random points: the farthest are not typical."""
        _, space = resolve_variant(self.variant, self.loss, self.space)
        return space.is_auto and self.landmarks != "random"

    def _seeds(self) -> list[int]:
        """Draw a seed for the choice of points, and for each fit."""
        state = check_random_state(self.random_state)
        chooser = int(state.randint(np.iinfo(np.int32).max))
        return [chooser, *(int(state.randint(2**31)) for _ in range(1 + self._sizes))]

    def _data(self, table: LocalTable, index: Array, D: Array) -> Iterator[Array]:
        """Yield the data that the map depends on; of distances, all those to the landmarks."""
        yield D
        if not isinstance(self.init, str):
            yield as_float(self.init, "init")
        if isinstance(table, ComputedTable):
            yield table.features
        else:
            yield from (table.between(rows, index) for rows in chunks_of(table.n, len(index)))

    def _told(self, count: int) -> tuple[Any, ...]:
        """Return the settings that the map depends on."""
        parts: tuple[Any, ...] = resolve_variant(self.variant, self.loss, self.space)
        seed = self.random_state if isinstance(self.random_state, int | None) else "drawn"
        init = self.init if isinstance(self.init, str) else "given"
        level = as_level(self.level)
        parts = parts if level.is_given else (*parts, level)
        return (*parts, count, seed, init, *(getattr(self, name) for name in SETTINGS))

    def _size(self, table: LocalTable, index: Array, seed: int, journal: Journal) -> Space:
        """Return the space at the size that random points say."""
        _, space = resolve_variant(self.variant, self.loss, self.space)
        with self._phase("finding the size", quiet=True):
            found = journal.sized(space)
            if found is None:
                D, kept = table.square(index), journal.fit(SIZE)
                result = self._place_center(D, index, table.n, seed, kept)
                if result.outcome is Outcome.INTERRUPTED:
                    journal.close()
                found = result.space
                journal.note_size(found)
        return found

    def _placed(
        self,
        scene: Scene,
        index: Array,
        result: Result,
        rng: np.random.Generator,
        crew: Crew,
        journal: Journal,
    ) -> Array:
        """Place and refine all points; estimate what they cost."""
        frame, fixed = scene.frame, scene.frame.inner(result.embedding, scene.dtype)
        with self._phase("placing points") as bar:
            try:
                X = journal.best((len(fixed), scene.table.n), scene.dtype)
                if X is None:
                    X = place_all(scene, index, fixed, crew, bar, journal)
            except KeyboardInterrupt:
                raise KeyboardInterrupt(
                    "interrupted while points were being placed: there is no map yet"
                ) from None
        with self._phase(
            "sampling pairs", rounds=2
        ) as bar:  # one sample to choose by, another to judge
            judge, final = (PairSample(scene.table, rng, frame.unit, bar) for _ in range(2))
        if self.refine and not journal.closed:
            with self._phase("refining", rounds=self.refine) as bar:
                refiner = Refiner(scene, self.sample_size, judge, int(rng.integers(2**32)))
                X = refiner.run(X, self.refine, crew, bar, journal)
        found = final.estimate(X, frame.loss, frame.space)
        self.cost_, self.cost_error_ = (frame.cost_unit * x for x in (found.cost, found.error))
        self.stress_, self.stress_error_ = found.stress, found.stress_error
        return X

    def _place_center(
        self,
        D: Array,
        index: Array,
        n: int,
        random_state: Any,
        checkpoint: Any,
        size: Space | None = None,
    ) -> Result:
        """Fit some of the n points; `size` is the space, where its size is known."""
        loss, space = resolve_variant(self.variant, self.loss, self.space)
        init = self.init
        if not isinstance(init, str):
            init = as_float(init, "init")
            if len(init) != n:
                raise ValueError(
                    f"init must have a row for each of the {n} points; got {len(init)}"
                )
            init = init[index]
        solver = Solver.of(self, init=init, random_state=random_state, checkpoint=checkpoint)
        return solver.solve(D, self.n_components, loss, size or space)

    @contextmanager
    def _phase(self, what: str, *, rounds: int = 1, quiet: bool = False) -> Iterator[Progress]:
        """Show a bar for a phase of the fit, and note how long it took."""
        bar = Progress(0 if quiet else self.verbose, what, rounds)
        yield bar
        self.seconds_[what] = bar.done()

    def _keep(
        self,
        table: LocalTable,
        index: Array,
        result: Result,
        known: Array,
        points: Array,
        embedding: Array,
    ) -> None:
        self.landmarks_, self.landmark_result_ = index, result
        self.loss_, self.space_, self.n_iter_ = result.loss, result.space, result.n_iter
        self.transformation_ = result.transformation
        self.references_, self._points = known, points  # in double precision
        self._features = table.features[known] if isinstance(table, ComputedTable) else None
        self.embedding_ = embedding

    def transform(self, X: ArrayLike) -> Any:
        """Place new points against points of the map, each by itself; the map does not move.

        The fixed points are `references_`: landmarks lie far out, and new points that are placed
        against them alone gather in the middle of a refined map.

        Parameters
        ----------
        X : array-like of shape (n_new, n_features)
            Features of the new points; or, where metric="precomputed", their distances to the
            points of the map, of shape (n_new, n), or, less exactly, to the landmarks only, of
            shape (n_new, n_landmarks), in the order of `landmarks_`; columns with the labels of
            the points may come in any order.

        Returns
        -------
        ndarray of shape (n_new, n_coordinates)
            The new points.
        """
        check_is_fitted(self)
        new = self._new(X)
        placed = np.empty((len(new.rows), new.points.shape[1]), dtype=self.embedding_.dtype)

        def task(some: slice) -> None:
            placed[some] = self._place(new, some)

        bar = Progress(self.verbose, "placing points")
        in_chunks(task, len(new.rows), len(new.points), self.n_jobs, bar)
        bar.done()
        self._judge(new, X)
        return self._with_labels(placed, X)

    def _new(self, X: Any) -> New:
        if self.metric_ != "precomputed":
            return New(self._checked(X, reset=False), self._points, self._features)
        X = rows_to_points(workplace(X).local(X), "X")
        index, names = self.landmarks_, self._point_names()
        width = np.shape(X)[1] if np.ndim(X) == 2 else 0
        if width == len(index) != self.n_features_in_:  # distances to the landmarks suffice
            X = columns_by_label(X, None if names is None else names[index])
            rows = np.asarray(check_array(as_table(X, square=False), **TABLE))
            return New(rows, self.embedding_[index].astype(np.float64), None)
        return New(self._rows_to_map(X)[:, self.references_], self._points, None)


def _references(n: int, landmarks: int, seed: int) -> Array:
    """Return random points of a map, in order; as a sample they stand for all of it."""
    count = min(n, max(REFERENCES, landmarks))
    return np.sort(np.random.default_rng([seed, count]).choice(n, count, replace=False))
