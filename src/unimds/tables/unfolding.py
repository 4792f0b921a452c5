"""Unfolding: a map of rows and columns from a table of preferences, ratings or distances."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from unimds._runtime.watch import Watch, warn
from unimds.distances.inputs import (
    as_float,
    column_names,
    columns_by_label,
    labels_of,
)
from unimds.distances.objects.taking import labelled
from unimds.distances.validate import no_distance
from unimds.estimators.elsewhere import check_names
from unimds.estimators.parameters import (
    AMOUNT,
    CONSTRAINTS,
    Count,
    Interval,
    StrOptions,
    documented,
    validated_fit,
)
from unimds.estimators.shown import MapEstimator
from unimds.estimators.solver import Solver
from unimds.levels import Level, as_level
from unimds.levels.ordinal import Ordinal
from unimds.losses import Loss, as_loss
from unimds.placecenter.descent.lowering import (
    Lowered,
    exact_cost,
    in_units,
    lower,
    lowest_of,
    stages_of,
)
from unimds.placecenter.descent.plan import Plan
from unimds.placecenter.frame import Frame, own_smoothing
from unimds.placecenter.majorization.parabolas import values
from unimds.placecenter.new_points import place_checked, weights_like
from unimds.placecenter.result import Outcome
from unimds.placecenter.targets import check_symmetric, power_of
from unimds.spaces import Space
from unimds.spaces.base import as_space, distances
from unimds.spaces.euclidean import Euclidean
from unimds.starts.search import Search
from unimds.tables.rectangle import (
    Entries,
    Joint,
    Rectangle,
    factor_seed,
    metric_seed,
    random_seed,
)
from unimds.tables.turning import principal, signed

Array = NDArray[Any]

RANKED = 1e-7  # share of the losses that counts as none where disparities approach without an end
EVEN, EVEN_STEPS = 0.2, 400  # share of an even rise that parts ranks, and steps with it
STARTS, FEW_STARTS, LARGE = 10, 4, 100_000  # pairs from which fewer starts are tried
PLACING = 1000  # steps of a new row from the most similar one
LARGEST = 1e140  # numbers whose squares, and sums of them, stay numbers
NEW_STARTS, NEW_STEPS = 4, 300  # of a new row that has a transformation of its own


@documented
class Unfolding(MapEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    r"""A joint map of the rows and the columns of a table: persons near what they like.

    Finds points :math:`x_i` for the rows and :math:`y_j` for the columns, and minimises
    :math:`\sum_{ij} w_{ij}\, loss(dist(x_i, y_j), d_{ij})`.

    Parameters
    ----------
    {n_components}
    {loss}
    {space}
    {level}
    conditional : {"row", "table"}, default="row"
        For levels other than "ratio": whether each row has a transformation of its own, as where
        every person ranked or rated by itself, or all rows share one.
    larger : {"farther", "nearer"}, default="farther"
        What a large number means: a long distance, such as a late rank; or a short one, such as a
        good rating, for which a level other than "ratio" is needed.
    penalty_power : float, default=0.5
        The power λ of the stress in PREFSCAL's penalised stress, which keeps the map from becoming
        degenerate at levels other than "ratio"; above 0, and smaller is a stronger penalty.
    penalty_weight : float, default=1
        The weight ω of the penalty; 0 switches it off.
    n_init : int or "auto", default="auto"
        Number of starts, of which the best is returned. "auto" tries ten, or four where the table
        is large, and finishes the best two.
    eps : float, default=1e-6
        Stop when a step lowers the cost, or the penalised stress, by less than this fraction.
    {others}

    Attributes
    ----------
    row_embedding_, column_embedding_ : ndarray of shape (rows, k) and (columns, k)
        The points of the rows and of the columns.
    embedding_ : ndarray of shape (rows + columns, k)
        Both, rows first.
    cost_ : float
        Sum of the loss over all known pairs.
    stress_ : float
        Kruskal's Stress-1.
    row_stress_, column_stress_ : ndarray
        Stress-1 of each row and of each column.
    penalised_stress_ : float or None
        What was minimised at levels other than "ratio"; else None.
    variation_ : float or None
        The coefficient of variation CV of the disparities: of the table, or over its rows
        ``mean(CV**-2) ** -0.5``, in which small ones count most. Near 0 the map is degenerate.
    transformations_ : list of Transformation, or None
        The transformation of each row (None for a row without a known pair), or the one of the
        table; None at the level "ratio".
    disparities_ : ndarray of shape (rows, columns), or None
        The transformed dissimilarities.
    history_, n_iter_, outcome_ : ndarray, int, Outcome
        Seconds and cost of the best start, the number of its steps, and why it ended.
    loss_, space_ : Loss, Space
        Loss and space as used.
    labels_, column_labels_ : ndarray or None
        The names of rows and columns, where the table was a data frame.

    Examples
    --------
    >>> import numpy as np
    >>> from unimds import Unfolding
    >>> from unimds.spaces import distances
    >>> rng = np.random.default_rng(0)
    >>> persons, things = rng.normal(size=(30, 2)), rng.normal(size=(8, 2))
    >>> fit = Unfolding(2, random_state=0).fit(distances(persons, things))
    >>> bool(fit.stress_ < 1e-6), fit.row_embedding_.shape, fit.column_embedding_.shape
    (True, (30, 2), (8, 2))
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{
            name: CONSTRAINTS[name]
            for name in (
                *("n_components", "loss", "space", "level", "conditional", "max_iter", "eps"),
                *("smoothing", "accelerate", "n_jobs", "random_state", "callback", "verbose"),
            )
        },
        "larger": [StrOptions({"farther", "nearer"})],
        "penalty_power": [Interval(Real, 0, None, closed="neither")],
        "penalty_weight": [AMOUNT],
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
        loss: str | Loss = "squared",
        space: str | Space = "euclidean",
        level: str | Level = "ratio",
        conditional: str = "row",
        larger: str = "farther",
        penalty_power: float = 0.5,
        penalty_weight: float = 1.0,
        n_init: int | str = "auto",
        max_iter: int = 2000,
        eps: float = 1e-6,
        smoothing: float | str = "auto",
        accelerate: bool = True,
        n_jobs: int | None = None,
        random_state: Any = None,
        callback: Any = None,
        verbose: int = 0,
    ):
        self.n_components = n_components
        self.loss = loss
        self.space = space
        self.level = level
        self.conditional = conditional
        self.larger = larger
        self.penalty_power = penalty_power
        self.penalty_weight = penalty_weight
        self.n_init = n_init
        self.max_iter = max_iter
        self.eps = eps
        self.smoothing = smoothing
        self.accelerate = accelerate
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.callback = callback
        self.verbose = verbose

    def fit(self, X: Any, y: object = None, *, weights: Any = None) -> Unfolding:
        """Find the map of rows and columns.

        Parameters
        ----------
        X : array-like of shape (rows, columns)
            Dissimilarities of rows to columns, ranks or ratings; NaN where one is missing.
        y : ignored
            For compatibility.
        weights : array-like of shape (rows, columns), default=None
            Weight of each pair; 0 leaves it out.

        Returns
        -------
        Unfolding
            The estimator itself.
        """
        self._fit(X, weights)
        return self

    def fit_transform(self, X: Any, y: object = None, *, weights: Any = None) -> Array:
        """Find the map and return the points of the rows; the parameters are those of `fit`.

        Returns
        -------
        ndarray of shape (rows, k)
            The points of the rows.
        """
        self._fit(X, weights)
        return self.row_embedding_

    @validated_fit
    def _fit(self, X: Any, weights: Any) -> None:
        loss, space, level = as_loss(self.loss), as_space(self.space), as_level(self.level)
        if not isinstance(self.smoothing, str) and self.smoothing > 0.0:
            loss = loss.smoothed(max(self.smoothing, own_smoothing(loss)))
        labels, X = labels_of(X), labelled(X, "X", square=False, absent=np.nan)
        columns = column_names(X)
        given, W = _checked(X, weights)
        D = self._dissimilarities(given, level)
        _check_known(D, W, self.n_components, X)
        if np.isnan(D).any():
            _check_joined(~np.isnan(D))
        if np.nanmin(D) == np.nanmax(D):
            warn(
                f"all numbers of X are {np.nanmin(given):g}: rows and columns cannot be told "
                "apart, and the map says nothing",
                UserWarning,
            )
        watch = Watch(self.callback, self.verbose, self.eps)
        with watch.ticking():
            low, data = self._lowest(D, W, loss, space, level, watch)
            said = "" if low.outcome is Outcome.INTERRUPTED else low.outcome.value
            watch.done(len(low.history) - 1, low.cost * data.cost_unit, said)
        self.labels_ = labels
        self.column_labels_ = None if columns is None else np.array(columns, dtype=object)
        self.n_features_in_ = D.shape[1]
        self._range = float(np.nanmin(given)), float(np.nanmax(given))
        self._keep(low, data, level)
        self._tell(low.outcome)

    def _tell(self, outcome: Outcome) -> None:
        if outcome is Outcome.MAX_ITER:
            advice = f"Raise max_iter={self.max_iter} or eps={self.eps:g}."
            warn(f"{outcome.value} {advice}", ConvergenceWarning)
        if outcome is Outcome.INTERRUPTED:
            warn(outcome.value, RuntimeWarning)

    def _dissimilarities(self, X: Array, level: Level) -> Array:
        """Return numbers that grow with the distance."""
        if self.larger == "farther":
            return X
        if level.is_given:
            raise ValueError(
                'larger="nearer" tells only the order of the distances, and level="ratio" needs '
                'the distances themselves; use level="ordinal" or "interval"'
            )
        return float(np.nanmin(X) + np.nanmax(X)) - X

    def _lowest(
        self, D: Array, W: Array | None, loss: Loss, space: Space, level: Level, watch: Watch
    ) -> tuple[Lowered[Joint], Rectangle]:
        """Return the best of several descents."""
        plan = Plan(self.max_iter, self.eps, self.smoothing, self.accelerate)
        rng = Solver(random_state=self.random_state)._generator()
        data = self._posed(D, W, loss, space, level)
        frame = data.frame
        starts = self._starts(data, rng)
        search = Search(plan, watch, n_jobs=self.n_jobs)
        total = float((~np.isnan(D)).sum() if W is None else W[~np.isnan(D)].sum())
        zero = exact_cost(frame.loss, frame.scale, total, adapts=False)
        if data.entries is not None:
            varied, _ = data.entries.variation(data.entries.first, data.penalty[1])
            zero = float(RANKED ** (0.5 * data.penalty[0]) * np.sqrt(varied))
        low = lowest_of(starts, frame, plan, watch, search.each, zero, data.cost_unit)
        # where nothing but the order counts, many maps can agree with the data exactly
        free = low.outcome is Outcome.EXACT and self.penalty_weight > 0.0
        if free and isinstance(level, Ordinal) and level.strictness == 0.0:
            even = self._posed(D, W, loss, space, replace(level, strictness=EVEN))
            low = inside(low, even, plan.in_unit(frame), watch, zero)
        return low, data

    def _posed(
        self, D: Array, W: Array | None, loss: Loss, space: Space, level: Level
    ) -> Rectangle:
        """Return what rows and columns are to match."""
        positive = D[D > 0.0]
        typical = float(np.median(positive)) if positive.size else 1.0
        by_row, entries = self.conditional == "row", None
        if not level.is_given:
            check_symmetric(loss, typical, level)
            entries = Entries.of(D, W, level, by_row, self.n_components)
            first = entries.first[entries.first > 0.0]
            typical = float(np.median(first)) if first.size else typical
        elif not space.is_auto:
            space.check_distances(float(np.nanmax(D)))
        if space.is_auto:
            raise ValueError(
                f"{space}: unfolding does not estimate the size of a space; give a number, such as "
                f"{type(space).__name__}({typical:.2g})"
            )
        frame = Frame.make(loss, space, typical)
        power = power_of(loss.resolved(typical), typical)
        penalty = float(self.penalty_power), float(self.penalty_weight)
        return Rectangle(D, W, frame, entries, penalty, power)

    def _starts(self, data: Rectangle, rng: np.random.Generator) -> list[Joint]:
        """Return rows and columns to begin with."""
        frame, k, entries = data.frame, self.n_components, data.entries
        r = None if entries is None else entries.first
        table = (data.D if entries is None else entries.table(entries.first)) * frame.unit
        auto = FEW_STARTS if data.D.size > LARGE else STARTS
        count = auto if self.n_init == "auto" else int(self.n_init)
        found: list[tuple[Array, Array]] = []
        if type(frame.space) is Euclidean:
            known = [metric_seed(table, k), factor_seed(table, k)]
            found = [pair for pair in known if pair is not None and pair[0].shape[1] == k][:count]
        while len(found) < count:
            found.append(random_seed(frame.space, data.D.shape, k, frame.scale, rng))
        inner = [[np.ascontiguousarray(X.T) for X in pair] for pair in found]
        starts = [Joint(data, rows, columns, r) for rows, columns in inner]
        if entries is not None and type(frame.space) is not Euclidean:  # disparities suit the space
            return [replace(one, r=one._scaled(frame.loss, entries.first)) for one in starts]
        return starts

    def _keep(self, low: Lowered[Joint], data: Rectangle, level: Level) -> None:
        frame, best = data.frame, low.best
        self.history_, self._levels = in_units(low, data.cost_unit, frame)
        self.n_iter_, self.outcome_ = len(self.history_) - 1, low.outcome
        n = best.rows.shape[1]
        points = best.points()
        if frame.space.scales_coordinates:
            points = signed(principal(points.T)).T
        self.row_embedding_, self.column_embedding_ = points[:n], points[n:]
        self._n_features_out = points.shape[1]
        _, self.loss_, self.space_ = frame.outer_all(best.rows, frame.space)
        self.transformations_ = self.disparities_ = None
        self.penalised_stress_ = self.variation_ = None
        if data.entries is not None and best.r is not None:
            self.penalised_stress_ = low.cost
            r = _fitted(best)
            self.transformations_ = data.entries.transformations(r, level)
            self.disparities_ = data.entries.table(r)
            mean, _ = data.entries.variation(best.r, 1.0)
            self.variation_ = float(1.0 / np.sqrt(mean - 1.0)) if mean > 1.0 else 0.0
        self._judge(data)

    def _judge(self, data: Rectangle) -> None:
        """Compute cost and stress from the map."""
        u = distances(self.row_embedding_, self.column_embedding_, space=self.space_)
        D = data.D if self.disparities_ is None else self.disparities_
        w = np.where(np.isnan(D), 0.0, 1.0 if data.W is None else data.W)
        self.cost_ = float((w * values(self.loss_, u, D)).sum())
        above, below = w * np.square(u - np.nan_to_num(D)), w * np.square(u)
        self.stress_ = float(_ratio(above.sum(), below.sum()))
        self.row_stress_ = _ratio(above.sum(axis=1), below.sum(axis=1))
        self.column_stress_ = _ratio(above.sum(axis=0), below.sum(axis=0))

    @property
    def embedding_(self) -> Array:
        """The points of rows and columns, rows first."""
        check_is_fitted(self, "row_embedding_")
        return np.vstack([self.row_embedding_, self.column_embedding_])

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw the joint map of rows and columns.

        Parameters
        ----------
        ax : Axes, default=None
            Axes to draw on; a new figure by default.
        **options
            Those of `unimds.plots.plot_joint`, such as `labels`.

        Returns
        -------
        Axes
        """
        check_is_fitted(self, "row_embedding_")
        return import_module("unimds.plots").plot_joint(self, ax, **options)

    def transform(self, X: Any, *, weights: Any = None) -> Array:
        """Place new rows on the map, each by itself; the columns do not move.

        Parameters
        ----------
        X : array-like of shape (n_new, columns)
            Their dissimilarities to the columns, or ranks or ratings, as `fit` takes them. The
            columns of a data frame may be in any order.
        weights : array-like of shape (n_new, columns), default=None
            Weights of these. A data frame is matched by its own labels; an array belongs to the
            columns of `X` as given.

        Returns
        -------
        ndarray of shape (n_new, k)
            The new points.
        """
        check_is_fitted(self, "row_embedding_")
        X, names = labelled(X, "X", square=False, absent=np.nan), self.column_labels_
        if weights is not None:
            weights = labelled(weights, "weights", square=False)
            weights = weights_like(X, weights, names, labels_of(X))
        given, W = _checked(columns_by_label(X, names), weights)
        if given.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {given.shape[1]} columns and the map has {self.n_features_in_}; give every "
                "new row a number, or NaN, for each column of the map"
            )
        level = as_level(self.level)
        D = given if self.larger == "farther" else sum(self._range) - given
        if self.transformations_ is None:
            return self._placed_metric(D, W)
        if self.conditional == "table":
            function = self.transformations_[0]
            assert function is not None
            return self._placed_metric(function(D), W)
        _check_known(D, W, 0, X)
        weigh = [None] * len(D) if W is None else [row[None] for row in W]
        rng = np.random.default_rng(0)
        placed = [
            self._placed(row[None], own, level, rng) for row, own in zip(D, weigh, strict=True)
        ]
        return np.vstack(placed)

    def _placed_metric(self, D: Array, W: Array | None) -> Array:
        """Return the places of new rows, from the nearest columns or from the most similar row."""
        columns, space = self.column_embedding_, self.space_
        placed = place_checked(D, columns, self.loss_, space, W)
        apart = distances(self.row_embedding_, columns, space=space)
        weigh = np.ones_like(D) if W is None else W
        alike = [
            int(np.argmin((w * values(self.loss_, apart, np.broadcast_to(d, apart.shape))).sum(1)))
            for d, w in zip(D, weigh, strict=True)
        ]
        typical = float(np.median(apart[apart > 0.0])) if apart.any() else 1.0
        frame = Frame.make(self.loss_, space, typical)
        soft = max(1e-6 * frame.scale, own_smoothing(frame.loss))  # no infinite weights
        X, P = frame.inner(columns), frame.inner(self.row_embedding_[alike])
        replace(frame, loss=frame.loss.smoothed(soft)).place(D, W, X, P, PLACING, 1e-10)
        other = frame.outer(P)

        def costs(points: Array) -> Array:
            u = distances(points, columns, space=space)
            return np.asarray((weigh * values(self.loss_, u, D)).sum(axis=1))

        return np.where((costs(other) < costs(placed))[:, None], other, placed)

    def _placed(self, D: Array, W: Array | None, level: Level, rng: np.random.Generator) -> Array:
        """Return the place of one new row, with a transformation of its own."""
        data = replace(self._posed(D, W, self.loss_, self.space_, level), still=True)
        typical = float(np.median(distances(self.column_embedding_, space=self.space_)))
        frame = Frame.make(self.loss_, self.space_, typical or 1.0)
        data = replace(data, frame=frame)
        columns = frame.inner(self.column_embedding_)
        best = np.argsort(np.where(np.isnan(D[0]), np.inf, D[0]), kind="stable")[:NEW_STARTS]
        near = self.row_embedding_[rng.permutation(len(self.row_embedding_))[:NEW_STARTS]]
        plan, runs = Plan(NEW_STEPS, self.eps), []
        assert data.entries is not None
        for place in [*self.column_embedding_[best], *near]:
            rows = frame.inner(place[None])
            start = Joint(data, rows, columns, data.entries.first)
            start = replace(start, r=start._scaled(frame.loss, data.entries.first))
            losses = stages_of(frame.loss, start.residual(), frame.scale, "auto")
            runs.append(lower(start, losses, frame.loss, plan, Watch(None, 0, 0.0)))
        return frame.outer(min(runs, key=lambda run: run.cost).best.rows)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def inside(
    low: Lowered[Joint], even: Rectangle, plan: Plan, watch: Watch, zero: float
) -> Lowered[Joint]:
    """Return a map amid those that agree with all ranks, where a descent has met the first one.

    The first map that agrees lies at the edge of all that do, where some ranks are nearly equal.
    Disparities that must rise evenly, `even`, part these; from there the descent goes on as it was.
    """
    data, best = low.best.data, low.best
    assert even.entries is not None
    loss, first = data.frame.loss, even.entries.first
    start = Joint(even, best.rows, best.columns, first)
    start = replace(start, r=start._scaled(loss, first))
    stages = stages_of(loss, start.residual(), data.frame.scale, plan.smoothing)
    brief = replace(plan, max_iter=EVEN_STEPS)
    moved = lower(start, stages, loss, brief, watch.silent()).best
    back = replace(moved, data=data)
    stages = stages_of(loss, back.residual(), data.frame.scale, plan.smoothing)
    found = lower(back, stages, loss, plan, watch, zero, cost_unit=data.cost_unit)
    return found if found.outcome is Outcome.EXACT else low


def _fitted(best: Joint) -> Array:
    """Return the disparities in the unit in which they fit the distances best."""
    entries, unit = best.data.entries, best.data.frame.unit
    assert entries is not None
    assert best.r is not None
    w = np.where(np.isnan(best.given), 0.0, 1.0 if best.data.W is None else best.data.W)
    r = np.nan_to_num(best.given)
    above, below = float((w * best.u * r).sum()) / unit, float((w * r * r).sum())
    return best.r * (above / below) if above > 0.0 and below > 0.0 else best.r


def _ratio(above: Any, below: Any) -> Any:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.sqrt(np.where(above > 0.0, above / below, 0.0))


def _checked(X: Any, weights: Any) -> tuple[Array, Array | None]:
    """Return a rectangular table and its weights as numbers, or say what is wrong with them."""
    table = np.array(as_float(X, "X"), dtype=np.float64)
    if table.ndim != 2 or 0 in table.shape:
        raise ValueError(
            f"X must be a table with a row for each person and a column for each thing; its shape "
            f"is {table.shape}"
        )
    _check_numbers(table, X)
    if weights is None:
        return table, None
    weights = labelled(weights, "weights", square=False)
    if hasattr(weights, "loc") and hasattr(X, "loc"):
        weights = weights.reindex(index=X.index, columns=X.columns)
    W = np.array(as_float(weights, "weights"), dtype=np.float64)
    if W.shape != table.shape or not (np.isfinite(W) & (W >= 0.0)).all():
        raise ValueError(
            f"weights must be finite, not negative and of the shape of X, {table.shape}"
        )
    table[W == 0.0] = np.nan
    return table, W


def _check_numbers(table: Array, X: Any) -> None:
    """Raise where a number is no distance, rank or rating that can be used; name its place."""
    wrong = np.argwhere(np.isinf(table) | (table < 0.0))
    if wrong.size:
        i, j = wrong[0]
        where, value = f"X[{_called(X, i, 0)}, {_called(X, j, 1)}]", table[i, j]
        if np.isinf(value):
            raise ValueError(f"{where} {no_distance(value)}")
        least = float(table.min(initial=0.0, where=~np.isnan(table)))
        raise ValueError(
            f"{where} {no_distance(value)}; of ratings around 0 only the order counts: add "
            f"{-least:g} to every number"
        )
    largest = float(table.max(initial=0.0, where=~np.isnan(table)))
    if largest > 0.0 and not 1.0 / LARGEST < largest < LARGEST:
        raise ValueError(
            f"X holds numbers up to {largest:g}: their squares leave the range of numbers; use "
            "another unit"
        )


def _called(X: Any, number: Any, axis: int) -> str:
    """Return what a row or a column is called, or its number."""
    names = getattr(X, ("index", "columns")[axis], None)
    return str(number) if names is None or callable(names) else repr(list(names)[number])


def _check_joined(known: Array) -> None:
    """Raise where rows and columns fall into parts that no number joins."""
    rows, columns = np.nonzero(known)
    n, side = len(known), sum(known.shape)
    joint = csr_array((np.ones(rows.size), (rows, columns + n)), shape=(side, side))
    count = int(connected_components(joint, directed=False)[0])
    if count > 1:
        raise ValueError(
            f"the known numbers of X fall into {count} parts, with rows and columns of their own, "
            "and nothing tells how these lie to each other; fill in numbers that join them, or "
            "make a map of each"
        )


def _check_known(D: Array, W: Array | None, k: int, X: Any = None) -> None:
    """Raise where rows or columns have no known number, or the table is too small for the map."""
    known = ~np.isnan(D)
    for axis, name in ((1, "row"), (0, "column")) if k else ((1, "row"),):
        empty = np.flatnonzero(~known.any(axis=axis))
        if empty.size:
            called = _called(X, empty[0], 0 if name == "row" else 1)
            why = "" if W is None else ", or none with a weight above 0"
            raise ValueError(
                f"{name} {called} of X has no known number{why}: leave it out, or give it at least "
                "one"
            )
    if k and min(D.shape) <= k:
        raise ValueError(
            f"a map of {k} dimensions needs more than {k} rows and columns, and the table has the "
            f"shape {D.shape}; use {max(min(D.shape) - 1, 1)} or fewer"
        )
