"""Two maps of the same points: how well they agree, and whether chance would do as well."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.extras import require
from unimds._runtime.watch import warn
from unimds.interpret.maps import axes_of, checked_points, labels_in
from unimds.interpret.permutations import Shuffles, stratum_of_each
from unimds.placecenter.result import map_of
from unimds.quality import align
from unimds.spaces.base import Space, as_space, distances, pointwise
from unimds.spaces.euclidean import Euclidean

Array = NDArray[Any]


@final
@dataclass(frozen=True, eq=False)
class Procrustes:
    """How well two maps agree, after one is moved onto the other.

    Attributes
    ----------
    correlation : float
        1 if the maps are the same but for position and size, 0 if nothing is alike.
    m2 : float
        1 − correlation²; vegan calls it m12 squared.
    p_value : float
        Share of permutations of the points that agree as well; NaN without permutations.
    residuals : ndarray of shape (n,)
        The distance between the two places of each point, in the unit of the first map.
    points, moved : ndarray of shape (n, n_coordinates)
        The first map, and the second moved onto it.
    scale : float
        By what the second map was stretched.
    labels : list or None
        The labels of the points.
    space : Space
        Where the maps lie.
    n_permutations : int
        Number of permutations.
    """

    correlation: float
    m2: float
    p_value: float
    residuals: Array
    points: Array
    moved: Array
    scale: float
    labels: list[Any] | None
    space: Space
    n_permutations: int

    @property
    def rmse(self) -> float:
        """The root mean square of the residuals."""
        return float(np.sqrt(np.mean(self.residuals**2)))

    def __repr__(self) -> str:
        """Return the outcome in words."""
        digits = len(str(self.n_permutations))
        tested = ""
        if self.n_permutations:
            tested = f", p {self.p_value:.{digits}f} ({self.n_permutations} permutations)"
        worst = int(np.argmax(self.residuals))
        name = f"point {worst}" if self.labels is None else repr(self.labels[worst])
        return (
            f"{len(self.residuals)} points: correlation {self.correlation:.4f}, m² {self.m2:.4f}"
            f"{tested}.\nThe places of a point are {self.rmse:.4g} apart (root mean square), those "
            f"of {name} {self.residuals[worst]:.4g}."
        )

    def to_frame(self) -> Any:
        """Return a data frame with both places of each point, and its residual."""
        frame = require("pandas", "files").DataFrame(list(self.rows()))
        return frame if self.labels is None else frame.set_index("label")

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield what `to_frame` shows, row by row."""
        axes = axes_of(self.points.shape[1])
        for i, residual in enumerate(self.residuals):
            label = {} if self.labels is None else {"label": self.labels[i]}
            here = dict(zip(axes, map(float, self.points[i]), strict=True))
            there = {f"{a}_moved": float(v) for a, v in zip(axes, self.moved[i], strict=True)}
            yield {**label, **here, **there, "residual": float(residual)}


def procrustes_test(
    X: Any,
    other: Any,
    *,
    n_permutations: int = 999,
    strata: Sequence[Any] | None = None,
    scale: bool | None = None,
    random_state: Any = None,
    space: str | Space | None = None,
) -> Procrustes:
    r"""Compare two maps of the same points, and test whether chance would agree as well.

    The second map is turned, mirrored, shifted and, in Euclidean space, stretched until it is
    nearest to the first. In Euclidean space the statistic is that of vegan's ``protest``,
    :math:`m^2 = 1 - r^2`, where r is the sum of the singular values of :math:`A^\top B` for both
    maps brought to mean 0 and size 1.

    Without stretching, as in all other spaces, r is Lin's concordance,
    :math:`1 - \sum d(x_i, y_i)^2 / (V_X + V_Y)` and 0 at the least, where V is the sum of the
    squared distances between points of a map divided by n. For maps of the same size in Euclidean
    space, both are the same.

    Parameters
    ----------
    X, other : array-like or DataFrame of shape (n, n_coordinates), Result or fitted estimator
        The maps. Where both have labels, points are matched by label, and those of one map only
        are left out.
    n_permutations : int, default=999
        Number of permutations; 0 for no p-value.
    strata : sequence of n values, default=None
        Points of the first map are exchanged with others of the same stratum only.
    scale : bool, default=None
        Whether to stretch the second map; by default in Euclidean space only.
    random_state : int, Generator or None, default=None
        Seed of the permutations.
    space : str or Space, default=None
        The space of the maps; by default that of the first that knows its space, or Euclidean.

    Returns
    -------
    Procrustes

    References
    ----------
    P. R. Peres-Neto and D. A. Jackson, *How well do multivariate data sets match? The advantages of
    a Procrustean superimposition approach over the Mantel test*, Oecologia 129 (2001).

    Examples
    --------
    >>> X = [[0, 0], [1, 0], [2, 1], [3, 1], [4, 0], [5, 2]]
    >>> other = [[0, 0], [0, 2], [2, 4], [2, 6], [0, 8], [3, 10]]
    >>> procrustes_test(X, other, random_state=0)
    6 points: correlation 0.9972, m² 0.0057, p 0.002 (999 permutations).
    The places of a point are 0.1405 apart (root mean square), those of point 5 0.2368.
    """
    where = _common_space(X, other, space)
    is_flat = isinstance(where, Euclidean)
    scale = is_flat if scale is None else bool(scale)
    if scale and not is_flat:
        raise ValueError(f"{where} cannot be stretched; leave scale out, or give scale=False")
    A, B, labels, rows = _matched(X, other, where)
    if len(A) < 3:
        raise ValueError(f"the maps have {len(A)} points in common, and 3 are needed at least")
    codes = stratum_of_each(strata, len(map_of(X)[0]), labels_in(X))
    shuffles = Shuffles(n_permutations, random_state, None if codes is None else codes[rows])
    if scale:
        return _stretched(A, B, labels, shuffles)
    return _congruent(A, B, labels, shuffles, where)


def _stretched(A: Array, B: Array, labels: list[Any] | None, shuffles: Shuffles) -> Procrustes:
    (a, size), (b, other) = _standard(A, "X"), _standard(B, "other")

    def agreement(there: Array) -> Array:
        return np.asarray(np.linalg.svd(a.T @ b[there], compute_uv=False).sum(axis=-1))

    r = min(1.0, float(agreement(np.arange(len(A)))))
    p = shuffles.p_value(agreement, r, len(A))
    factor = r * size / other
    moved = align(factor * B, A)
    residuals = np.linalg.norm(A - moved, axis=1)
    how = labels, Euclidean(), shuffles.count
    return Procrustes(r, 1.0 - r**2, p, residuals, A, moved, factor, *how)


def _standard(X: Array, name: str) -> tuple[Array, float]:
    """Return points with mean 0 and size 1, and their size."""
    gap = X - X.mean(axis=0)
    size = float(np.linalg.norm(gap))
    if size <= 1e-12 * float(np.abs(X).max()):
        raise ValueError(f"{name}: all points are in one place, and nothing can be compared")
    return gap / size, size


def _congruent(
    A: Array, B: Array, labels: list[Any] | None, shuffles: Shuffles, space: Space
) -> Procrustes:
    spread = _spread(A, space) + _spread(B, space)
    if spread == 0.0:
        raise ValueError("all points of both maps are in one place, and nothing can be compared")

    def concordance(moved: Array) -> float:
        return 1.0 - float(np.sum(pointwise(A, moved, space) ** 2)) / spread

    def agreement(there: Array) -> Array:
        return np.array([concordance(align(B[each], A, space=space)) for each in there])

    moved = align(B, A, space=space)
    found = concordance(moved)
    p = shuffles.p_value(agreement, found, len(A))
    r = min(1.0, max(0.0, found))
    residuals = pointwise(A, moved, space)
    how = labels, space, shuffles.count
    return Procrustes(r, 1.0 - r**2, p, residuals, A, moved, 1.0, *how)


def _spread(X: Array, space: Space) -> float:
    """Return the squared distances between points, each pair once, divided by their number."""
    return float(np.sum(distances(X, space=space) ** 2)) / (2.0 * len(X))


def _common_space(X: Any, other: Any, space: str | Space | None) -> Space:
    (A, here), (B, there) = (map_of(each, space) for each in (X, other))
    one, two = as_space(here), as_space(there)
    if A is not X and B is not other and type(one) is not type(two):
        raise ValueError(
            f"the maps lie in different spaces, {one} and {two}; fit both in one space"
        )
    return two if A is X else one


def _matched(
    X: Any, other: Any, space: Space
) -> tuple[Array, Array, list[Any] | None, NDArray[np.intp]]:
    """Return both maps with the points that they have in common, and which of the first these are.

    Of maps in Euclidean space, the one of fewer dimensions lies in the space of the other.
    """
    A, B = checked_points(map_of(X)[0], "X"), checked_points(map_of(other)[0], "other")
    here, there = labels_in(X), labels_in(other)
    rows = np.arange(len(A))
    if here is not None and there is not None:
        rows, columns = _in_common(here, there)
        A, B = A[rows], B[columns]
    if len(A) != len(B):
        raise ValueError(
            f"the maps have {len(A)} and {len(B)} points: give maps of the same points, or frames "
            "whose index names the points, to compare those in common"
        )
    k = max(A.shape[1], B.shape[1])
    if isinstance(space, Euclidean):
        A, B = (np.pad(each, ((0, 0), (0, k - each.shape[1]))) for each in (A, B))
    space.check_points(A, "X")
    labels = here if here is not None else there
    return A, B, None if labels is None else [labels[i] for i in rows], rows


def _in_common(here: list[Any], there: list[Any]) -> tuple[NDArray[np.intp], list[int]]:
    """Return the rows of the labels that both maps have, in the order of the first."""
    names, others = [str(name) for name in here], [str(name) for name in there]
    for known in (names, others):
        if len(set(known)) < len(known):
            twice = next(name for name in known if known.count(name) > 1)
            raise ValueError(f"the label {twice!r} stands for several points; rename them")
    at = {name: i for i, name in enumerate(others)}
    rows = np.array([i for i, name in enumerate(names) if name in at], dtype=np.intp)
    if not rows.size:
        raise ValueError(
            f"the maps have no point in common: one has {names[0]!r}, the other {others[0]!r}; "
            "spell the labels alike"
        )
    left = len(names) + len(others) - 2 * len(rows)
    if left:
        are = "1 point is" if left == 1 else f"{left} points are"
        warn(f"{are} on one map only, and left out; {len(rows)} are compared", UserWarning)
    return rows, [at[names[i]] for i in rows]
