"""MDS as a scikit-learn estimator: a thin adapter around PlaceCenter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from unimds.constraints.base import Constraint, as_constraint
from unimds.distances.inputs import (
    by_number,
    rows_by_label,
    weights_by_label,
)
from unimds.distances.metric import Metric, warn_of_distances
from unimds.distances.table import ComputedTable
from unimds.distances.validate import points_named
from unimds.estimators.forecast import enough_memory, measuring
from unimds.estimators.parameters import (
    AMOUNT,
    CONSTRAINTS,
    DATA_CONSTRAINTS,
    StrOptions,
    check_parameters,
    documented,
    resolve_variant,
    validated_fit,
)
from unimds.estimators.solver import New, Solver, TableEstimator, Workplace, workplace
from unimds.levels import Level
from unimds.losses import Loss
from unimds.placecenter.result import Result
from unimds.spaces import Space

Array = NDArray[Any]


@documented
class MDS(TableEstimator):
    r"""Multidimensional scaling with any loss, into any space.

    Finds points whose distances match the given ones: minimises
    :math:`\sum_{i<j} w_{ij}\, loss(dist(x_i, x_j), d_{ij})` by PlaceCenter.

    Parameters
    ----------
    {n_components}
    {loss}
    {space}
    {level}
    {conditional}
    {variant}
    {metric}
    {metric_params}
    memory_limit : float, "auto" or None, default="auto"
        Bytes that a table of the distances between features may have; "auto" is half of the
        memory that is available, and None is no limit. A larger table is never built: its rows
        are computed whenever they are needed, twice in every sweep, so prefer landmarks for very
        many points. A table with weights, or of ``metric="nan_euclidean"``, is always built.
    {others}

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_coordinates)
        The points of the map.
    cost_ : float
        Sum of the loss over all pairs.
    stress_ : float
        Kruskal's Stress-1 of the map, weighted, whatever the loss: 0 is a perfect fit. At levels
        other than "ratio" it is that of the disparities.
    history_ : ndarray of shape (sweeps + 1, 2)
        Seconds and cost, for the seed and after every sweep.
    n_iter_ : int
        Number of sweeps.
    loss_, space_ : Loss, Space
        Loss and space as used, every "auto" replaced by what was found.
    transformation_ : Transformation or None
        The function from given dissimilarities to disparities, which can be called and plotted;
        None at the level "ratio".
    disparities_ : ndarray of shape (n, n), or None
        The disparities that the distances of the map are compared with; None at the level "ratio".
    degeneracy_ : Degeneracy or None
        Why the map is degenerate, if it is: ``print(mds.degeneracy_)`` names the remedies.
    starts_ : Starts or None
        What many starts led to, where the table has few points: ``mds.starts_.costs``,
        ``mds.starts_.found`` and ``mds.starts_.different()``, the best maps that differ. None for
        many points; where `n_init` is a number, which keeps the best of its starts only; and on
        a line of few points, where all orders are compared.
    result_ : Result
        All of it, and why the run ended.
    dissimilarity_matrix_ : ndarray of shape (n, n), or None
        The distances that were embedded; None where `memory_limit` kept them from being held.
    labels_ : ndarray of shape (n,), or None
        The labels of the points, where the input has any, such as the index of a data frame or the
        nodes of a graph: the points are in the order of the rows.
    metric_ : str or callable
        The metric as used: "precomputed" where `X` could only hold distances, such as a graph.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Examples
    --------
    >>> from unimds import MDS
    >>> X = MDS(random_state=0).fit_transform([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]])
    >>> X.shape
    (3, 2)

    A robust map from a table of distances, one of which is wrong:

    >>> import numpy as np
    >>> from unimds.spaces import distances
    >>> points = np.random.default_rng(0).normal(size=(20, 2))
    >>> D = distances(points)
    >>> D[3, 5] = D[5, 3] = 100.0
    >>> mds = MDS(2, loss="absolute", metric="precomputed", random_state=0).fit(D)
    >>> bool(abs(mds.cost_ - (100.0 - distances(points)[3, 5])) < 1e-3)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CONSTRAINTS,
        **DATA_CONSTRAINTS,
        "memory_limit": [StrOptions({"auto"}), AMOUNT, None],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        loss: str | Loss = "squared",
        space: str | Space = "euclidean",
        level: str | Level = "ratio",
        conditional: str = "table",
        variant: str | None = None,
        metric: Any = "euclidean",
        metric_params: dict[str, Any] | None = None,
        memory_limit: float | str | None = "auto",
        init: Any = "auto",
        n_init: int | str = "auto",
        max_iter: int = 2000,
        eps: float = 1e-7,
        smoothing: float | str = "auto",
        solver: str = "auto",
        accelerate: bool = True,
        inner_iter: int = 1,
        dtype: str | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        callback: Any = None,
        verbose: int = 0,
        checkpoint: Any = None,
    ):
        self.n_components = n_components
        self.loss = loss
        self.space = space
        self.level = level
        self.conditional = conditional
        self.variant = variant
        self.metric = metric
        self.metric_params = metric_params
        self.memory_limit = memory_limit
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.eps = eps
        self.smoothing = smoothing
        self.solver = solver
        self.accelerate = accelerate
        self.inner_iter = inner_iter
        self.dtype = dtype
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.callback = callback
        self.verbose = verbose
        self.checkpoint = checkpoint

    def fit(
        self,
        X: ArrayLike,
        y: object = None,
        *,
        weights: ArrayLike | None = None,
        fixed: Any = None,
        init: ArrayLike | None = None,
        constraints: Constraint | None = None,
    ) -> MDS:
        """Find the map.

        Parameters
        ----------
        X : array-like of shape (n, n_features), or (n, n) where metric="precomputed"
            Features, or distances with NaN where one is missing, in a square or condensed as by
            SciPy's pdist. An asymmetric table is used as such: both directions of a pair count
            half, and a warning says so. The columns of a data frame of distances are matched with
            its rows by label, and the map has the order of the rows. Graphs, scikit-bio's
            DistanceMatrix and other objects are taken too, see :doc:`/objects`; those that can
            only hold distances need no metric. A dask array or table is fitted on its cluster, see
            :doc:`/scale`.
        y : ignored
            For compatibility; weights go by their name.
        weights : array-like of shape (n, n), default=None
            Weight of each pair in the cost; 0 leaves it out.
        fixed : dict or array-like of shape (n, n_coordinates), default=None
            Points that stay where they are: ``{index or label: coordinates}``, or one row a
            point with NaN for those that may move.
        init : array-like of shape (n, n_coordinates), default=None
            A seed that takes precedence over the parameter `init`.
        constraints : Constraint, default=None
            What the map must obey, such as `unimds.constraints.LinearIn`: its points depend on
            given variables, lie on a line or a circle, or in regions. In Euclidean space; new
            points that `transform` places need not obey.

        Returns
        -------
        MDS
            The estimator itself.
        """
        self._fit(X, weights, fixed, init, constraints)
        return self

    def fit_transform(
        self,
        X: ArrayLike,
        y: object = None,
        *,
        weights: ArrayLike | None = None,
        fixed: Any = None,
        init: ArrayLike | None = None,
        constraints: Constraint | None = None,
    ) -> Any:
        """Find the map and return its points; the parameters are those of `fit`.

        Returns
        -------
        ndarray of shape (n, n_coordinates)
            The points of the map.
        """
        self._fit(X, weights, fixed, init, constraints)
        return self._with_labels(self.embedding_, X, self.metric_ == "precomputed")

    @validated_fit
    def _fit(self, X: Any, weights: Any, fixed: Any, init: Any, constraints: Any) -> None:
        with self._all_or_nothing(), enough_memory(X):
            self._fit_anew(X, weights, fixed, init, constraints)

    def _fit_anew(self, X: Any, weights: Any, fixed: Any, init: Any, constraints: Any) -> None:
        loss, space = resolve_variant(self.variant, self.loss, self.space)
        at = workplace(X)
        self.labels_ = at.labels(X, self._asked(X) == "precomputed")
        D, dtype = self._distances(X, at, weights is not None)
        weights = weights_by_label(weights, self.labels_)
        if self.labels_ is not None:
            fixed = rows_by_label(fixed, self.labels_, "fixed")
            init = rows_by_label(init, self.labels_, "init")
        if isinstance(fixed, Mapping):
            fixed = by_number(fixed, self.labels_)
        if init is not None:
            check_parameters("MDS", init=init)
        solver = Solver.of(self) if init is None else Solver.of(self, init=init)
        there = workplace(X, weights)
        if constraints is not None:
            constraints = as_constraint(constraints, len(D), self.n_components, self.labels_)
        data = loss, space, weights, fixed, there
        with points_named(self.labels_):
            result = solver.solve(D, self.n_components, *data, constraint=constraints)
        self._keep(result, D, dtype)
        self._constraint = constraints  # so that studies of the map know that it is not free

    def _keep(self, result: Result, D: Any, dtype: np.dtype[Any]) -> None:
        self.result_, self.starts_ = result, result.starts
        self.embedding_ = result.embedding.astype(dtype, copy=False)
        self.cost_, self.stress_ = result.cost, result.stress
        self.history_ = result.history
        self.n_iter_ = result.n_iter
        self.loss_, self.space_ = result.loss, result.space
        self.transformation_, self.degeneracy_ = result.transformation, result.degeneracy
        self.dissimilarity_matrix_ = None if isinstance(D, ComputedTable) else D
        self._n_features_out = self.embedding_.shape[1]

    @property
    def disparities_(self) -> Array | None:
        """The transformed dissimilarities, NaN where missing; None at the level "ratio"."""
        check_is_fitted(self)
        return None if self.result_.scaling is None else self.result_.scaling.disparities

    def _distances(self, X: Any, at: Workplace, weighted: bool) -> tuple[Any, np.dtype[Any]]:
        """Return the distances to embed and the precision of the answer."""
        if self._asked(X) == "precomputed":
            table = at.square(X, self)
            self._forget_features()
            return table, np.dtype(np.float32 if table.dtype == np.float32 else np.float64)
        features = self._checked(X)
        warn_of_distances(features)
        self._fit_X = features.copy()  # later changes of X must not move new points
        self._metric = Metric(self.metric, self.metric_params or {}).learnt(features)
        table = ComputedTable(self._fit_X, self._metric, self.dtype or features.dtype)
        # weights and missing features need the whole table
        whole = weighted or self.metric == "nan_euclidean"
        limit = None if whole else self.memory_limit
        with measuring(table, self.verbose):
            return at.measured(table, features, limit), features.dtype

    def transform(self, X: ArrayLike) -> Any:
        """Place new points on the map, each by itself; the map does not move.

        Parameters
        ----------
        X : array-like of shape (n_new, n_features), or (n_new, n) where metric="precomputed"
            Features of the new points, or their distances to the points of the map (NaN where
            one is missing). The columns of a data frame must be those given to `fit`: features in
            the same order, points in any order.

        Returns
        -------
        ndarray of shape (n_new, n_coordinates)
            The new points.
        """
        check_is_fitted(self)
        new = self._new(X)
        placed = self._place(new, slice(0, len(new.rows)))
        self._judge(new, X)
        return self._with_labels(placed.astype(self.embedding_.dtype, copy=False), X)

    def _new(self, X: Any) -> New:
        points = self.result_.embedding
        if self.metric_ != "precomputed":
            return New(self._checked(X, reset=False), points, self._fit_X)
        return New(self._rows_to_map(workplace(X).local(X)), points, None)
