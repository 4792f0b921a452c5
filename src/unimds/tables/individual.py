"""Several tables of the same objects as an estimator: common maps, and weights of subjects."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from unimds._runtime.watch import Watch, warn
from unimds.distances.validate import points_named
from unimds.estimators.elsewhere import check_names
from unimds.estimators.parameters import (
    CONSTRAINTS,
    Count,
    StrOptions,
    documented,
    validated_fit,
)
from unimds.estimators.shown import MapEstimator
from unimds.estimators.solver import Solver
from unimds.levels import Level, Transformation, as_level
from unimds.losses import Loss, as_loss
from unimds.placecenter.descent.lowering import exact_cost, in_units, lowest_of
from unimds.placecenter.descent.plan import Plan
from unimds.placecenter.frame import Frame, own_smoothing
from unimds.placecenter.majorization.parabolas import values
from unimds.placecenter.result import Outcome
from unimds.placecenter.targets import Scaling
from unimds.spaces import Space
from unimds.spaces.base import as_space, distances
from unimds.spaces.euclidean import Euclidean
from unimds.starts.search import Search
from unimds.tables.beginning import LARGE, MODELS, begun, openings
from unimds.tables.consensus import Several, consensus, disparities_of, posed, sized_alike
from unimds.tables.reliability import is_robust, trusted
from unimds.tables.stack import Stack, as_stack
from unimds.tables.subjects import Data, Idioscal, Sizes, View
from unimds.tables.turning import principal, signed

Array = NDArray[Any]

FLAT_MODELS = ("indscal", "idioscal")


@final
@dataclass(frozen=True, eq=False)
class Fit:
    """What a fit has found, in the user's unit."""

    points: Array
    weights: Array | None
    space: Space
    loss: Loss
    scalings: tuple[Scaling, ...]
    history: Array
    levels: Array
    outcome: Outcome
    trust: Array


@documented
class IndividualDifferences(MapEstimator, BaseEstimator):  # type: ignore[misc]
    r"""One map of the same objects from several tables: of subjects, occasions or sources.

    Minimises the sum of the losses of all tables,
    :math:`\sum_s \sum_{i<j} w_{sij}\, loss(u_{sij}, d_{sij})`, where :math:`u_s` are the distances
    as subject :math:`s` sees them. With a robust loss, subjects count the less the worse they fit.

    Parameters
    ----------
    {n_components}
    model : {"indscal", "identity", "sizes", "idioscal"}, default="indscal"
        How subjects differ. "identity": they do not, and the map is a consensus. "sizes": each
        stretches the whole map by a factor. "indscal": each stretches its dimensions, which
        determines the axes of the map. "idioscal": each turns and stretches it. The first two are
        for all spaces, the others for Euclidean space. "sizes" needs the level "ratio" with
        ``conditional="table"``: a transformation of each subject's own fits any size.
    {loss}
    {space}
    {level}
    conditional : {"table", "row"}, default="table"
        Whether each table has a transformation of its own, or each row of each table. At the level
        "ratio" a table is taken as it is, and with "row" each of its rows has a unit of its own.
    reliability : {"auto", "own", "equal"}, default="auto"
        Whether subjects count alike, or each by its own: one that fits worse than the median counts
        as much less as its mean loss is larger, since its large weights would else bend the map.
        "auto" is "own" for robust losses, such as "absolute" and "huber", and "equal" for others;
        a consensus (``model="identity"``) always counts all alike.
    n_init : int or "auto", default="auto"
        Number of starts, of which the best is returned: the consensus map, in Euclidean space maps
        of single subjects, and random maps or, for "indscal", the consensus turned at random.
        "auto" is five, or two where tables are large.
    {others}

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_coordinates)
        The common map. With weights in Euclidean space, the mean of their squares over the subjects
        is one for every dimension, and dimensions are in the order of their size.
    weights_ : ndarray or None
        The weights of the subjects: of shape (subjects, n_components) for "indscal", (subjects,)
        for "sizes", else None. Sizes are relative to that of a curved space.
    reliability_ : ndarray of shape (subjects,)
        What each subject counts: 1, or less for those that fit badly.
    matrices_ : ndarray of shape (subjects, n_components, n_components), or None
        For "indscal" and "idioscal": what the common map is multiplied by, as in
        ``embedding_ @ matrices_[s]``. They are symmetric.
    maps_ : list of ndarray
        The map of every subject; in a curved space the common map, whose points have no size.
    cost_ : float
        Sum of the costs of the subjects, each times its reliability.
    costs_ : ndarray of shape (subjects,)
        The cost of each subject: the sum of the loss over its pairs.
    stress_ : float
        Kruskal's Stress-1 over all tables.
    stresses_ : ndarray of shape (subjects,)
        Stress-1 of each subject: a subject who answers at random has a large one.
    transformations_ : list of Transformation, or None
        Each subject's transformation of its dissimilarities; None at the level "ratio" with
        ``conditional="table"``.
    disparities_ : ndarray of shape (subjects, n, n), or None
        The transformed dissimilarities; None as above.
    history_ : ndarray of shape (steps + 1, 2)
        Seconds and cost of the best start.
    n_iter_ : int
        Number of its steps.
    outcome_ : Outcome
        Why it ended.
    loss_, space_ : Loss, Space
        Loss and space as used.
    labels_ : ndarray or None
        The names of the objects, where the tables were data frames.
    subjects_ : list of str
        The names of the subjects: the keys of a dict of tables, or numbers from 1.

    Examples
    --------
    Twelve subjects see the same map, each with weights of its own for its two dimensions:

    >>> import numpy as np
    >>> from unimds import IndividualDifferences
    >>> from unimds.spaces import distances
    >>> rng = np.random.default_rng(0)
    >>> X, C = rng.normal(size=(10, 2)), rng.uniform(0.4, 1.6, size=(12, 2))
    >>> tables = np.stack([distances(X * c) for c in C])
    >>> fit = IndividualDifferences(2, random_state=0).fit(tables)
    >>> bool(fit.stress_ < 1e-4), fit.weights_.shape
    (True, (12, 2))
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{
            name: CONSTRAINTS[name]
            for name in (
                *("n_components", "loss", "space", "level", "conditional", "max_iter", "eps"),
                *("smoothing", "accelerate", "n_jobs", "random_state", "callback", "verbose"),
            )
        },
        "model": [StrOptions({"identity", *MODELS})],
        "reliability": [StrOptions({"auto", "equal", "own"})],
        "n_init": [StrOptions({"auto"}), Count(1, 100_000)],
    }

    def __new__(cls, *args: Any, **named: Any) -> Any:
        """Refuse parameters that the estimator does not have, and say where to find them."""
        check_names(cls, named)
        return super().__new__(cls)

    def __init__(
        self,
        n_components: int = 2,
        *,
        model: str = "indscal",
        loss: str | Loss = "squared",
        space: str | Space = "euclidean",
        level: str | Level = "ratio",
        conditional: str = "table",
        reliability: str = "auto",
        n_init: int | str = "auto",
        max_iter: int = 2000,
        eps: float = 1e-7,
        smoothing: float | str = "auto",
        accelerate: bool = True,
        n_jobs: int | None = None,
        random_state: Any = None,
        callback: Any = None,
        verbose: int = 0,
    ):
        self.n_components = n_components
        self.model = model
        self.loss = loss
        self.space = space
        self.level = level
        self.conditional = conditional
        self.reliability = reliability
        self.n_init = n_init
        self.max_iter = max_iter
        self.eps = eps
        self.smoothing = smoothing
        self.accelerate = accelerate
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.callback = callback
        self.verbose = verbose

    def fit(self, X: Any, y: object = None, *, weights: Any = None) -> IndividualDifferences:
        """Find the common map, and the weights of the subjects.

        Parameters
        ----------
        X : array-like of shape (subjects, n, n), or a list or dict of square tables
            The distances of each subject, NaN where one is missing. Data frames are matched by
            label; a table may be asymmetric, and then both directions of a pair count half.
        y : ignored
            For compatibility.
        weights : array-like of the shape of `X`, or a list or dict, default=None
            Weight of each pair of each subject; 0 leaves it out.

        Returns
        -------
        IndividualDifferences
            The estimator itself.
        """
        self._fit(X, weights)
        return self

    def fit_transform(self, X: Any, y: object = None, *, weights: Any = None) -> Array:
        """Find the common map and return its points; the parameters are those of `fit`.

        Returns
        -------
        ndarray of shape (n, n_coordinates)
            The points of the common map.
        """
        self._fit(X, weights)
        return self.embedding_

    @validated_fit
    def _fit(self, X: Any, weights: Any) -> None:
        loss, space, level = as_loss(self.loss), as_space(self.space), as_level(self.level)
        by_row = self.conditional == "row"
        adapts = not level.is_given or by_row
        _check_model(self.model, space, self.reliability)
        if self.model == "sizes" and adapts:
            raise ValueError(_no_sizes(level))
        if not isinstance(self.smoothing, str) and self.smoothing > 0.0:
            loss = loss.smoothed(max(self.smoothing, own_smoothing(loss)))
        given = as_stack(X, weights)
        stack, factors = sized_alike(given, loss) if adapts else (given, np.ones(len(given)))
        watch = Watch(self.callback, self.verbose, self.eps)
        with watch.ticking(), points_named(given.labels):
            found = self._found(stack, loss, space, level, by_row, watch)
            said = "" if found.outcome is Outcome.INTERRUPTED else found.outcome.value
            watch.done(len(found.history) - 1, float(found.history[:, 1].min()), said)
        self._keep(given, stack, factors, found)
        if found.outcome is Outcome.MAX_ITER:
            advice = f"Raise max_iter={self.max_iter} or eps={self.eps:g}."
            warn(f"{found.outcome.value} {advice}", ConvergenceWarning)
        if found.outcome is Outcome.INTERRUPTED:
            warn(found.outcome.value, RuntimeWarning)

    def _found(
        self, stack: Stack, loss: Loss, space: Space, level: Level, by_row: bool, watch: Watch
    ) -> Fit:
        """Return the consensus, and from there the weights of the subjects."""
        rng = Solver(random_state=self.random_state)._generator()
        plan = Plan(self.max_iter, self.eps, self.smoothing, self.accelerate)
        sized = self.model == "sizes"
        problem = posed(stack, loss, space, self.n_components, level, by_row, sized)
        alone = self.model == "identity"
        told = watch if alone else watch.silent()
        told.times = float(len(stack))  # the cost of a consensus is the mean over the tables
        n_init = self.n_init if alone else "auto"
        search = Search(plan, told, "auto", n_init, self.n_jobs)
        result = consensus(problem, search, space, rng)
        scalings = () if result.scaling is None else result.scaling.parts  # type: ignore[attr-defined]
        if alone:
            times = np.array([1.0, told.times])
            history, levels = result.history * times, result.levels * times
            ended = result.outcome
            alike = np.ones(len(stack))
            how = result.space, result.loss, scalings
            return Fit(result.embedding, None, *how, history, levels, ended, alike)
        # in a space of a fixed size the sizes of the subjects are relative to it
        frame = replace(Frame.make(loss, result.space, problem.pairs.typical), resize=False)
        targets = problem.targets.parts if isinstance(problem.targets, Several) else []
        if not targets and problem.adapts:
            targets = disparities_of(stack, level, loss, self.n_components, by_row)
        data = Data.of(stack, frame, targets)
        r = tuple(
            part.numbers * t.growth(part.numbers) for part, t in zip(scalings, targets, strict=True)
        )
        return self._weighed(data, stack, frame.inner(result.embedding), r, plan, watch, rng)

    def _weighed(
        self,
        data: Data,
        stack: Stack,
        X: Array,
        r: tuple[Array, ...],
        plan: Plan,
        watch: Watch,
        rng: np.random.Generator,
    ) -> Fit:
        """Return the best of several descents from a consensus map."""
        model, frame = MODELS[self.model](), data.frame
        count = (2 if data.W.size > LARGE else 5) if self.n_init == "auto" else int(self.n_init)
        search = Search(plan, watch, n_jobs=self.n_jobs)
        total = float(data.W.sum())
        zero = exact_cost(frame.loss, frame.scale, total, adapts=bool(data.targets))
        with threadpool_limits(1):  # on more threads BLAS rounds in another way
            starts = [
                begun(data, model, start, r)
                for start in openings(data, model, stack, X, count, rng)
            ]
            low = lowest_of(starts, frame, plan, watch, search.each, zero, frame.cost_unit)
            trust = np.ones(len(data.W))
            if self._weighs_subjects(frame):
                low, trust = trusted(low, frame, plan.in_unit(frame), watch, zero)
        view = normalised(low.best).fitted(frame.loss)
        # disparities that fit have another unit: all costs in that of the best
        grown = view.cost(frame.loss) / low.cost if low.cost > 0.0 else 1.0
        history, levels = in_units(low, frame.cost_unit * grown, frame)
        points, loss, space = frame.outer_all(view.X, view.data.frame.space)
        own = zip(data.targets, view.r, strict=True)
        scalings = tuple(target.scaling(numbers) for target, numbers in own)
        return Fit(points, view.C, space, loss, scalings, history, levels, low.outcome, trust)

    def _weighs_subjects(self, frame: Frame) -> bool:
        """Return whether subjects count the less, the worse they fit."""
        if self.reliability == "auto":
            return is_robust(frame.loss, frame.scale)
        return self.reliability == "own"

    def _keep(self, given: Stack, stack: Stack, factors: Array, found: Fit) -> None:
        self.embedding_, self.loss_, self.space_ = found.points, found.loss, found.space
        self.history_, self.n_iter_ = found.history, len(found.history) - 1
        self.outcome_, self._levels = found.outcome, found.levels
        self.labels_, self.subjects_ = given.labels, given.subjects
        self.reliability_ = found.trust
        C = found.weights
        self.weights_ = None if C is None or C.ndim == 3 else C
        self.matrices_ = _matrices(C, self.model)
        self._n_features_out = self.embedding_.shape[1]
        self.transformations_, self.disparities_ = None, None
        if found.scalings:
            # each table was brought to one size before it was transformed
            self.transformations_ = [
                _in_own_unit(scaling.transformation, factor)
                for scaling, factor in zip(found.scalings, factors, strict=True)
            ]
            self.disparities_ = np.stack([scaling.disparities for scaling in found.scalings])
        self._judge(stack)

    def _judge(self, stack: Stack) -> None:
        """Compute cost and stress of every subject from its map."""
        costs, squares = [], []
        for s, table in enumerate(stack.tables):
            D, W = table.table.whole()
            D = D[:, 0] if self.disparities_ is None else self.disparities_[s]
            u = self._apart(s)
            w = np.ones_like(u) if W is None else W[:, 0].astype(np.float64)
            w = 0.5 * np.where(np.isnan(D), 0.0, w)
            np.fill_diagonal(w, 0.0)
            known = np.where(w > 0.0, D, np.nan)
            costs.append(float((w * values(self.loss_, u, known)).sum()))
            error = np.where(w > 0.0, u - np.nan_to_num(D), 0.0)
            squares.append([float((w * error**2).sum()), float((w * u**2).sum())])
        self.costs_, sums = np.array(costs), np.array(squares)
        self.cost_ = float(self.reliability_ @ self.costs_)
        self.stress_ = _root_of(*sums.sum(axis=0))
        self.stresses_ = np.array([_root_of(*row) for row in sums])

    def _apart(self, s: int) -> Array:
        """Return the distances between the objects as a subject sees them."""
        if self.model == "sizes" and not self.space_.scales_coordinates:
            assert self.weights_ is not None
            return np.asarray(self.weights_[s] * distances(self.embedding_, space=self.space_))
        return distances(self.maps_[s], space=self.space_)

    @property
    def maps_(self) -> list[Array]:
        """The map of every subject, in the coordinates of the space."""
        check_is_fitted(self, "embedding_")
        X = self.embedding_
        if self.matrices_ is not None:
            return [X @ C for C in self.matrices_]
        if self.weights_ is not None and self.space_.scales_coordinates:
            return [c * X for c in self.weights_]
        return [X] * len(self.subjects_)

    def plot_weights(self, ax: Any = None, **options: Any) -> Any:
        """Draw the weights of the subjects; see `unimds.plots.plot_subject_weights`."""
        from importlib import import_module

        # pictures stand above this room
        return import_module("unimds.plots").plot_subject_weights(self, ax, **options)


def _check_model(model: str, space: Space, reliability: str) -> None:
    if model in FLAT_MODELS and type(space) is not Euclidean:
        raise ValueError(
            f"model={model!r} weighs the dimensions of Euclidean space, and {space} has none; use "
            'model="identity" or "sizes", or space="euclidean"'
        )
    if model == "identity" and reliability == "own":
        raise ValueError(
            'reliability="own" is for models with weights of subjects, by which one subject pulls '
            'more than another, and model="identity" has none; use reliability="auto", or weights '
            "of your own: fit(X, weights=...)"
        )


def _no_sizes(level: Level) -> str:
    """Say why subjects have no sizes of their own where each has a unit of its own."""
    why = f"at the level {level}" if not level.is_given else 'with conditional="row"'
    return (
        f'model="sizes" finds nothing {why}: each subject has a transformation of its own, which '
        'fits any size; use level="ratio" with conditional="table" for the sizes, model="identity" '
        'for the map alone, or model="indscal" for weights of the dimensions'
    )


def _matrices(C: Array | None, model: str) -> Array | None:
    if C is None or model not in FLAT_MODELS:
        return None
    return C if C.ndim == 3 else np.stack([np.diag(row) for row in C])


def _root_of(above: float, below: float) -> float:
    if below == 0.0:
        return 0.0 if above == 0.0 else float("inf")
    return float(np.sqrt(above / below))


def _in_own_unit(transformation: Transformation, factor: float) -> Transformation:
    """Return a transformation of dissimilarities before they were multiplied by a factor."""
    rows = tuple(None if row is None else _in_own_unit(row, factor) for row in transformation.rows)
    return replace(transformation, given=transformation.given / factor, rows=rows)


def normalised(view: View) -> View:
    """Return the same distances by weights whose squares have the mean one, in a definite order.

    The axes of a map go by their size, and the largest coordinate of each is positive. A matrix
    becomes symmetric: each subject's map is then turned as little as possible.
    """
    X, C = view.X, view.C
    if isinstance(view.model, Sizes):
        if not view.data.frame.space.scales_coordinates:
            return view
        size = float(np.sqrt(np.mean(C**2))) or 1.0
        return replace(view, X=signed(principal(X * size)), C=C / size)
    X = X - X.mean(axis=1)[:, None]
    if isinstance(view.model, Idioscal):
        G = np.einsum("sba,sbc->sac", C, C)
        mean = _power(G.mean(axis=0), 0.5)
        back = _power(G.mean(axis=0), -0.5)
        _, vectors = np.linalg.eigh(mean @ (X @ X.T) @ mean)
        turn = vectors[:, ::-1]
        X = signed(turn.T @ mean @ X)
        signs = np.sign((turn.T @ mean @ view.X * X).sum(axis=1))
        turn = turn * np.where(signs < 0.0, -1.0, 1.0)
        inner = turn.T @ back @ G @ back @ turn
        return replace(view, X=X, C=np.stack([_power(one, 0.5) for one in inner]))
    sizes = np.sqrt(np.mean(C**2, axis=0))
    sizes = np.where(sizes > 0.0, sizes, 1.0)
    X, C = X * sizes[:, None], np.abs(C) / sizes
    order = np.argsort(-np.square(X).sum(axis=1), kind="stable")
    return replace(view, X=signed(X[order]), C=C[:, order])


def _power(M: Array, p: float) -> Array:
    """Return a power of a symmetric matrix that is not negative; of zero directions, zero."""
    values, vectors = np.linalg.eigh(M)
    least = 1e-14 * max(float(values.max(initial=0.0)), 1e-300)
    powers = np.where(values > least, np.maximum(values, least) ** p, 0.0)
    found: Array = (vectors * powers) @ vectors.T
    return found
