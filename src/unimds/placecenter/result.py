"""What a run returns, and the stress of its map."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from unimds._runtime.shown import ShownMap
from unimds.distances.coded import Coding
from unimds.distances.inputs import labels_of
from unimds.distances.pairs import Pairs, equal_weights
from unimds.distances.table import DistanceTable
from unimds.distances.tiles import BLOCK, Tile
from unimds.levels import Transformation
from unimds.losses import Loss, Squared
from unimds.placecenter.degeneracy import Degeneracy
from unimds.placecenter.minima import Starts
from unimds.placecenter.targets import Scaling
from unimds.spaces.base import Space
from unimds.spaces.euclidean import Euclidean

Array = NDArray[np.floating[Any]]

NEAR = 1e-9
"""Relative difference of dissimilarities that are the same."""


class Outcome(Enum):
    """Why a run ended, as a sentence."""

    CONVERGED = "Converged: the cost falls by less than eps per sweep."
    EXACT = "Converged: the map matches every distance up to rounding."
    PROVEN = "Converged: no map on a line costs less; all orders of the points were compared."
    STATIONARY = "Converged: no sweep lowers the cost any further."
    FINISHED = "Finished: the method has taken all of its steps."
    NOTHING_TO_DO = "Nothing to do: no point is free to move."
    MAX_ITER = "Stopped after max_iter sweeps, before the cost had settled."
    CALLBACK = "Stopped by the callback."
    INTERRUPTED = "Interrupted by the user; this is the best configuration so far."

    @property
    def converged(self) -> bool:
        """Whether the run ended by itself."""
        return self not in (self.MAX_ITER, self.CALLBACK, self.INTERRUPTED)


@final
@dataclass(frozen=True, eq=False)
class Result(ShownMap):
    """A map, what it costs and how it came about.

    Attributes
    ----------
    embedding : ndarray of shape (n, n_coordinates)
        The points, one a row, in the coordinates of `space`.
    cost : float
        The cost of `embedding`: the sum of the loss over all pairs, each counted once.
    history : ndarray of shape (n_iter + 1, 2)
        Seconds since the start and cost, for the seed and after every sweep.
    levels : ndarray of shape (n_iter + 1, 2)
        The smoothing and the smoothed cost that went with each row of `history`. At one level of
        smoothing the smoothed cost never rises.
    outcome : Outcome
        Why the run ended.
    loss, space : Loss, Space
        The loss and the space, with every ``"auto"`` replaced by what was found.
    n_iter : int
        Number of sweeps.
    stress : float or None
        Kruskal's Stress-1, weighted, whatever the loss; only rivals do not compute it.
    starts : Starts or None
        What many starts led to: their costs and the best maps; None where there was no such search.
    found : int
        How many of the starts led to the lowest map, up to a difference of 1e-6 in its cost.
    transformation : Transformation or None
        The function from given dissimilarities to disparities; None at the level "ratio".
    scaling : Scaling or None
        The transformation of the dissimilarities, and the disparities that the distances of the map
        are compared with; None at the level "ratio".
    degeneracy : Degeneracy or None
        Why the map is degenerate, if it is.

    Examples
    --------
    >>> from unimds import place_center
    >>> place_center([[0, 3, 4], [3, 0, 5], [4, 5, 0]])
    Result(3 points, 2 coordinates, cost=..., stress=..., n_iter=..., loss=Squared(),
           space=Euclidean(), message='Converged: the map matches every distance up to rounding.')
    """

    embedding: Array
    cost: float
    history: Array
    levels: Array
    outcome: Outcome
    loss: Loss
    space: Space
    stress: float | None = None
    starts: Starts | None = None
    scaling: Scaling | None = None
    transformation: Transformation | None = None
    degeneracy: Degeneracy | None = None

    @property
    def found(self) -> int:
        """How many of the starts led to the lowest map."""
        return 0 if self.starts is None else self.starts.found

    def __repr__(self) -> str:
        n, width = self.embedding.shape
        stress = "" if self.stress is None else f", stress={self.stress:.4g}"
        return (
            f"Result({n} points, {width} coordinates, cost={self.cost:.6g}{stress}, "
            f"n_iter={self.n_iter}, loss={self.loss},\n"
            f"       space={self.space}, message={self.message!r})"
        )

    def _repr_html_(self) -> str:
        """Return the map and what is to be said of it, for a notebook."""
        return self._card()

    @property
    def n_iter(self) -> int:
        """Number of sweeps."""
        return len(self.history) - 1

    @property
    def converged(self) -> bool:
        """Whether the run ended by itself."""
        return self.outcome.converged

    @property
    def message(self) -> str:
        """Why the run ended, as a sentence."""
        return self.outcome.value


def map_of(X: Any, space: str | Space | None = None) -> tuple[Any, str | Space]:
    """Return points and their space, from an array, a result or a fitted estimator.

    Examples
    --------
    >>> map_of([[0.0, 1.0]], "sphere")
    ([[0.0, 1.0]], 'sphere')
    """
    result = getattr(X, "result_", None) or X
    if hasattr(result, "embedding"):
        return result.embedding, space or result.space
    if hasattr(X, "embedding_"):
        own: str | Space = getattr(X, "space_", "euclidean")  # scikit-learn's maps do not say
        return X.embedding_, space or own
    if hasattr(X, "fit") and hasattr(X, "get_params"):  # an estimator
        check_is_fitted(X)
    return X, space or "euclidean"


def with_distances(D: Any, X: Any) -> tuple[Any, Any]:
    """Return distances and a map; an estimator alone has the distances that it was fitted to."""
    if X is not None:
        return D, X
    own = getattr(D, "dissimilarity_matrix_", None)
    if own is None:
        raise TypeError(
            f"{type(D).__name__} does not hold both distances and a map: give the distances, then "
            "the map, such as (D, mds)"
        )
    return own, D


def names_of(X: Any) -> Any:
    """Return the labels of the points of a map: of an estimator, or of a frame; else None."""
    return getattr(X, "labels_", None) if hasattr(X, "embedding_") else labels_of(X)


def transformation_of(X: Any) -> Transformation | None:
    """Return the transformation that belongs to a map, or None at the level "ratio"."""
    scaling = scaling_of(X)
    return getattr(X, "transformation_", None) if scaling is None else scaling.transformation


def scaling_of(X: Any) -> Scaling | None:
    """Return the disparities that a map was fitted to, or None."""
    return getattr(getattr(X, "result_", None) or X, "scaling", None)


def targets_of(D: Array, X: Any) -> Array:
    """Return what the distances of a map are compared with: `D`, or its disparities.

    The dissimilarities that the map was fitted to have the disparities of the fit, which may be
    given themselves; others go through its transformation.

    Examples
    --------
    >>> targets_of(np.array([[0.0, 2.0], [2.0, 0.0]]), [[0.0], [1.0]])
    array([[0., 2.],
           [2., 0.]])
    """
    scaling, transformation = scaling_of(X), transformation_of(X)
    if transformation is None:
        return D
    if scaling is not None:
        known = scaling.disparities
        if np.array_equal(D, known, equal_nan=True):
            return D
        if _is_own(D, X, scaling):
            return np.where(np.isnan(D), np.nan, known)
    if is_by_row(X):
        raise ValueError(
            'conditional="row" gives every row a transformation of its own, which other '
            "dissimilarities than those of the fit cannot go through"
        )
    found = transformation(D)
    np.fill_diagonal(found, 0.0)
    return found


def is_by_row(X: Any) -> bool:
    """Whether every row of the dissimilarities has a transformation of its own."""
    scaling = scaling_of(X)
    return getattr(X, "conditional", "table") == "row" or (
        scaling is not None and len(scaling.codes.blocks) > 1
    )


def _is_own(D: Array, X: Any, scaling: Scaling) -> bool:
    """Whether these are the dissimilarities that a map was fitted to."""
    own, codes = getattr(X, "dissimilarity_matrix_", None), scaling.codes
    if own is None and codes.bins:
        return _has_bins(D, codes)
    if own is None:  # a result knows them by its codes
        own = codes.table(codes.d).whole()[0][:, 0]
    known = ~(np.isnan(own) | np.isnan(D))
    largest = float(np.abs(own[known]).max(initial=0.0))
    return bool(np.all(np.abs(D[known] - own[known]) <= NEAR * largest))


def _has_bins(D: Array, codes: Coding) -> bool:
    """Whether the pairs of every bin have its mean, as other tables hardly can."""
    bin_of = codes.table(np.arange(codes.d.size, dtype=np.float64)).whole()[0][:, 0]
    np.fill_diagonal(bin_of, np.nan)
    known = ~np.isnan(bin_of)
    bins = bin_of[known].astype(np.intp)
    means = np.bincount(bins, D[known]) / np.bincount(bins)
    return bool(np.all(np.abs(means - codes.d) <= NEAR * codes.d.max(initial=0.0)))


def table_stress(
    table: DistanceTable, points: Array, space: Space, *, by_mapped: bool = True
) -> float:
    """Return the root of Σ w (u − d)² over Σ w u² or Σ w d², some rows at a time."""
    largest = max(float(np.fmax.reduce(D, axis=None, initial=0.0)) for _, D, _ in table.tiles())
    return _stress(table, largest, points, space, by_mapped, halved=False)


def in_size(result: Result, space: Space) -> Result:
    """Return a result with disparities in a space of the size that was asked for.

    The unit of disparities is free: they are told in the unit of the space.
    """
    if result.scaling is None or space.is_auto or result.space == space:
        return result
    factor = space.unit / result.space.unit
    assert result.loss.degree is not None  # checked when the problem was posed
    scaling = result.scaling.times(factor)
    grown = np.array([1.0, factor**result.loss.degree])
    levels = result.levels * grown
    if result.loss.anneals:  # the smoothing has a unit of its own
        softer = result.loss.smoothed(1.0)
        levels[:, 0] *= softer.scaled(factor).smoothing  # type: ignore[attr-defined]
    cost, starts = result.cost * float(grown[1]), result.starts
    return replace(
        result,
        cost=cost,
        history=result.history * grown,
        levels=levels,
        starts=None if starts is None else replace(starts.in_unit_of(cost), space=space),
        loss=result.loss.scaled(factor),
        space=space,
        scaling=scaling,
        transformation=scaling.transformation,
    )


def stress_1(pairs: Pairs, result: Result) -> float:
    """Return Kruskal's Stress-1 of a result."""
    if result.scaling is not None:
        pairs = pairs.through(result.scaling.table())
    plain = type(result.loss) is Squared and type(result.space) is Euclidean
    if plain and pairs.weighing == equal_weights(pairs.n):
        # the cost is one of its two sums, and Σ u² = n Σ |x − x̄|² is the other
        X = result.embedding - result.embedding.mean(axis=0)
        below = pairs.n * float(np.einsum("ia,ia->", X, X))
        if max(below, result.cost) < np.inf and below > 1e-200:  # squares with all their digits
            return float(np.sqrt(result.cost / below))
    halved = pairs.layers == 1  # of a symmetric table the later points of each row will do
    points, space = result.embedding, result.space
    return _stress(pairs.table, pairs.largest, points, space, by_mapped=True, halved=halved)


def _stress(
    table: DistanceTable,
    largest: float,
    points: Array,
    space: Space,
    by_mapped: bool,
    halved: bool,
) -> float:
    # divide by the largest first: squares of 1e±200 leave the range of floats
    X = np.ascontiguousarray(points.T, dtype=np.float64)
    reach = 2.0 * float(space.between(X[:, :1].copy(), X).max(initial=0.0))
    scale = max(largest, reach)
    if scale == 0.0:
        return 0.0
    scale = 2.0 ** np.clip(np.frexp(scale)[1], -1020, 1020)  # so that nothing is rounded
    count = partial(_squares, space, scale, by_mapped, halved)
    above, below = table.total(count, X)
    if below == 0.0:  # nothing to compare with: a perfect map, or an infinitely bad one
        return float("inf") if above > 0.0 else 0.0
    return float(np.sqrt(above / below))


def _squares(
    space: Space, scale: float, by_mapped: bool, halved: bool, tile: Tile, X: Array
) -> tuple[float, ...]:
    """Return Σ w (u − d)² and Σ w u² or Σ w d², all distances over `scale`, both ways counted."""
    first, D, W = tile
    found = np.zeros(2)
    step = max(1, BLOCK // X.shape[1])
    for i in range(0, len(D), step):
        d = D[i : i + step, 0]
        rows = slice(first + i, first + i + len(d))
        after = rows.start if halved else 0
        d = d[:, after:] * (1.0 / scale)  # a copy, and exact: the scale is a power of two
        each = np.arange(len(d))
        d[each, rows.start - after + each] = 0.0
        u = space.between(np.ascontiguousarray(X[:, rows]), np.ascontiguousarray(X[:, after:]))
        u *= 1.0 / scale
        w = None if W is None else W[i : i + len(d), 0, after:]
        sums = _sums(u, d, w, by_mapped)
        if halved:  # what lies beyond the square of these rows counts for the later rows too
            own = slice(len(d))
            square = None if w is None else w[:, own]
            sums = 2.0 * sums - _sums(u[:, own], d[:, own], square, by_mapped)
        found += sums
    return float(found[0]), float(found[1])


def _sums(u: Array, d: Array, w: Array | None, by_mapped: bool) -> Array:
    """Return Σ w (u − d)², and Σ w u² or Σ w d²; missing distances do not count."""
    error, size = u - d, u if by_mapped else d
    found = _weighted_squares(error, size, w)
    if not np.isnan(found[0]):
        return found
    known = ~np.isnan(d)
    w = known if w is None else np.where(known, w, 0.0)
    return _weighted_squares(np.where(known, error, 0.0), np.where(known, size, 0.0), w)


def _weighted_squares(error: Array, size: Array, w: Array | None) -> Array:
    # not by BLAS, whose threads stall where cores are shared
    pairs = ((part, part if w is None else w * part) for part in (error, size))
    return np.array([np.einsum("ij,ij->", *pair) for pair in pairs])
