"""Variables from outside, fitted to a map: directions of numbers, centroids of groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unimds._runtime.extras import require
from unimds.distances.joining import joined
from unimds.interpret.maps import axes_of, flat_map, in_columns
from unimds.interpret.permutations import Shuffles, stratum_of_each
from unimds.spaces.base import Space

Array = NDArray[Any]


@final
@dataclass(frozen=True, eq=False)
class VectorProperty:
    """A numeric variable on a map: the direction in which it rises most.

    Attributes
    ----------
    name : str
        The variable.
    direction : ndarray of shape (k,)
        Unit vector; the projections of the points on it correlate most with the variable.
    r2 : float
        R² of the variable by the coordinates of the map: the square of that correlation. NaN if
        the variable is constant.
    p_value : float
        Share of permutations with as high an R²; NaN without permutations.
    slope : float
        By how much the variable rises along the direction, per unit of the map.
    n : int
        Number of points at which the variable is known.
    """

    name: str
    direction: Array
    r2: float
    p_value: float
    slope: float
    n: int

    @property
    def arrow(self) -> Array:
        """The direction with the length √R², as vegan draws it."""
        return np.asarray(self.direction * np.sqrt(self.r2))


@final
@dataclass(frozen=True, eq=False)
class FactorProperty:
    """A variable of groups on a map: the centroid of each group.

    Attributes
    ----------
    name : str
        The variable.
    levels : tuple of str
        The groups.
    centroids : ndarray of shape (n_levels, k)
        The mean of the points of each group.
    sizes : ndarray of int
        Number of points in each group.
    r2 : float
        Share of the squared distances from the centre that lies between groups. NaN if there is
        one group only.
    p_value : float
        Share of permutations with as high an R²; NaN without permutations.
    n : int
        Number of points at which the variable is known.
    """

    name: str
    levels: tuple[str, ...]
    centroids: Array
    sizes: Array
    r2: float
    p_value: float
    n: int


@final
@dataclass(frozen=True, eq=False)
class Properties:
    """Variables fitted to a map; printing them shows a table.

    Attributes
    ----------
    vectors : tuple of VectorProperty
        The numeric variables, in the order given.
    factors : tuple of FactorProperty
        The variables of groups, in the order given.
    n_permutations : int
        Number of permutations of each test.
    """

    vectors: tuple[VectorProperty, ...]
    factors: tuple[FactorProperty, ...]
    n_permutations: int

    def __getitem__(self, name: str) -> VectorProperty | FactorProperty:
        """Return the variable of this name."""
        every: tuple[VectorProperty | FactorProperty, ...] = (*self.vectors, *self.factors)
        for one in every:
            if one.name == name:
                return one
        known = ", ".join(repr(one.name) for one in every)
        raise KeyError(f"there is no variable {name!r}; there are {known}")

    def __repr__(self) -> str:
        """Return tables of directions, of fits and of centroids."""
        parts = []
        if self.vectors:
            axes = axes_of(len(self.vectors[0].direction))
            head = ["direction of", *axes, "R²", "p"]
            rows = [
                [one.name, *_told(one.direction), *_fit_told(one, self.n_permutations)]
                for one in self.vectors
            ]
            parts.append(in_columns([head, *rows]))
        if self.factors:
            head = ["groups of", "R²", "p"]
            rows = [[one.name, *_fit_told(one, self.n_permutations)] for one in self.factors]
            parts.append(in_columns([head, *rows]))
            axes = axes_of(self.factors[0].centroids.shape[1])
            means = [
                [f"{one.name} {level}", *_told(centre), str(size)]
                for one in self.factors
                for level, centre, size in zip(one.levels, one.centroids, one.sizes, strict=True)
            ]
            parts.append(in_columns([["centroid of", *axes, "points"], *means]))
        return "\n\n".join(parts)

    def to_frame(self) -> Any:
        """Return a data frame with a row for each variable, and one for each centroid.

        Its columns are the variable, the level of a group, the direction or centroid, R², the
        p-value and the number of points.
        """
        return require("pandas", "files").DataFrame(list(self.rows()))

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield what `to_frame` shows, row by row."""
        for one in self.vectors:
            yield _row(one.name, "", one.direction, one.r2, one.p_value, one.n)
        for group in self.factors:
            for level, centre, size in zip(group.levels, group.centroids, group.sizes, strict=True):
                yield _row(group.name, level, centre, group.r2, group.p_value, int(size))


def _row(name: str, level: str, place: Array, r2: float, p: float, n: int) -> dict[str, Any]:
    where = dict(zip(axes_of(len(place)), map(float, place), strict=True))
    return {"variable": name, "level": level, **where, "r2": r2, "p_value": p, "points": n}


def _told(numbers: Array) -> list[str]:
    return [f"{number:.3f}" for number in numbers]


def _fit_told(one: VectorProperty | FactorProperty, count: int) -> list[str]:
    return [f"{one.r2:.4f}", "–" if count == 0 else f"{one.p_value:.{len(str(count))}f}"]


def fit_properties(
    X: Any,
    variables: Any,
    *,
    n_permutations: int = 999,
    strata: Sequence[Any] | None = None,
    weights: ArrayLike | None = None,
    random_state: Any = None,
    space: str | Space | None = None,
) -> Properties:
    """Fit outside variables to a map: vectors of numbers, and centroids of groups.

    For a numeric variable, this is the plane that predicts it from the coordinates of the points:
    the direction is where the plane rises, R² how well it predicts. For a variable of groups, R²
    is the share of the squared distances from the centre that lies between groups. The p-value is
    the share of random exchanges of the values between points that fit as well. Neither depends on
    how the map is turned, shifted or scaled. It is what vegan's envfit does.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n, k), Result or fitted estimator
        A map in Euclidean space.
    variables : DataFrame, Series, mapping of names to n values, or array-like
        The variables. Numbers are directions; words, booleans and pandas' Categoricals are groups.
        Frames and Series are matched with the points by label. A point where a variable is missing
        does not count for this variable.
    n_permutations : int, default=999
        Number of permutations; 0 for no p-values.
    strata : sequence of n values, default=None
        Values are exchanged between points of the same stratum only, such as a block.
    weights : array-like of shape (n,), default=None
        Weights of the points, such as the totals of sites.
    random_state : int, Generator or None, default=None
        Seed of the permutations.
    space : str or Space, default=None
        The space of the map; by default that of the result or estimator, or Euclidean.

    Returns
    -------
    Properties

    Notes
    -----
    A variable that bends across the map, such as one that is highest in the middle, has a low R²
    for all that. Many variables give some small p-values by chance.

    References
    ----------
    J. Oksanen et al., vegan: Community Ecology Package, ``envfit``. I. Borg and P. Groenen, *Modern
    Multidimensional Scaling*, chapter 4: external variables.

    Examples
    --------
    >>> X = [[0, 0], [1, 0], [2, 1], [3, 1], [4, 0], [5, 1]]
    >>> about = {"height": [10, 21, 30, 42, 50, 61], "side": ["a", "a", "a", "b", "b", "b"]}
    >>> fit_properties(X, about, n_permutations=99, random_state=0)
    direction of      x      y      R²     p
    height        0.998  0.062  0.9985  0.01
    <BLANKLINE>
    groups of      R²     p
    side       0.7193  0.12
    <BLANKLINE>
    centroid of      x      y  points
    side a       1.000  0.333       3
    side b       4.000  0.667       3
    """
    points, labels = flat_map(X, space, "directions and centroids")
    n = len(points)
    w = _weights(weights, n, labels)
    shuffles = Shuffles(n_permutations, random_state, stratum_of_each(strata, n, labels))
    vectors: list[VectorProperty] = []
    factors: list[FactorProperty] = []
    for name, column in _columns(variables, labels):
        if len(column) != n:
            raise ValueError(f"the map has {n} points, but {name!r} has {len(column)} values")
        numbers = _numbers(column)
        if numbers is not None:
            rows = np.flatnonzero(~np.isnan(numbers) & (w > 0.0))
            _check_enough(name, rows, points.shape[1])
            vectors.append(_vector(name, points[rows], numbers[rows], w[rows], shuffles, rows))
        else:
            levels, codes = _levels(column)
            rows = np.flatnonzero((codes >= 0) & (w > 0.0))
            _check_enough(name, rows, points.shape[1])
            group = levels, codes[rows]
            factors.append(_factor(name, *group, points[rows], w[rows], shuffles, rows))
    return Properties(tuple(vectors), tuple(factors), shuffles.count)


def _vector(
    name: str, points: Array, y: Array, w: Array, shuffles: Shuffles, rows: Array
) -> VectorProperty:
    root = np.sqrt(w)
    centred = points - (w @ points) / w.sum()
    basis, sizes, turn = np.linalg.svd(root[:, None] * centred, full_matrices=False)
    kept = sizes > 1e-12 * sizes.max(initial=0.0)
    basis = root[:, None] * basis[:, kept]  # its columns are orthogonal to the constant
    gap = y - (w @ y) / w.sum()
    unit = float(np.abs(gap).max())  # squares of large numbers leave the range of floats
    is_constant = unit <= 1e-12 * float(np.abs(y).max())
    gap = gap / (1.0 if is_constant else unit)

    def explained(values: Array) -> Array:
        total = (values**2) @ w - (values @ w) ** 2 / w.sum()
        return np.asarray(np.sum((values @ basis) ** 2, axis=-1) / total)

    if is_constant or not kept.any():
        nowhere = np.full(points.shape[1], np.nan)
        return VectorProperty(name, nowhere, np.nan, np.nan, 0.0, len(rows))
    r2 = min(1.0, float(explained(gap)))
    plane = turn[kept].T @ ((gap @ basis) / sizes[kept])
    steepest = float(np.linalg.norm(plane))
    direction = plane / (steepest or 1.0)
    p = shuffles.p_value(lambda there: explained(gap[there]), r2, len(rows), rows)
    return VectorProperty(name, direction, r2, p, steepest * unit, len(rows))


def _factor(
    name: str,
    levels: Sequence[str],
    codes: Array,
    points: Array,
    w: Array,
    shuffles: Shuffles,
    rows: Array,
) -> FactorProperty:
    used, codes = np.unique(codes, return_inverse=True)
    count = len(used)
    centre = (w @ points) / w.sum()
    weighted = w[:, None] * (points - centre)
    total = float(np.sum(weighted * (points - centre)))

    def sums(code: Array, values: Array) -> Array:
        """Return the sums of values over the levels, for several permutations of the codes."""
        at = code + count * np.arange(len(code))[:, None]
        spread = np.broadcast_to(values, code.shape)
        found = np.bincount(at.ravel(), spread.ravel(), count * len(code))
        return np.asarray(found.reshape(len(code), count))

    def explained(there: Array) -> Array:
        code = codes[there]
        size = sums(code, w)
        between = sum(sums(code, column) ** 2 / size for column in weighted.T)
        return np.asarray(np.sum(between, axis=1) / total)

    here = np.arange(len(codes))[None]
    r2 = float(explained(here)[0]) if count > 1 and total > 0.0 else float("nan")
    size = sums(codes[here], w)[0]
    means = np.column_stack([sums(codes[here], column)[0] / size for column in weighted.T])
    p = shuffles.p_value(explained, r2, len(rows), rows)
    names = tuple(levels[i] for i in used)
    return FactorProperty(name, names, means + centre, np.bincount(codes), r2, p, len(rows))


# --- what was given -------------------------------------------------------------------------------


def _columns(variables: Any, labels: list[Any] | None) -> Iterator[tuple[str, Any]]:
    """Yield the variables with their names, in the order of the points."""
    if isinstance(variables, Mapping):
        for name, column in variables.items():
            yield str(name), joined(column, str(name), labels)
        return
    variables = joined(variables, "variables", labels)
    if hasattr(variables, "columns") and hasattr(variables, "iloc"):
        for j, name in enumerate(variables.columns):
            yield str(name), variables.iloc[:, j]
    elif np.ndim(variables) == 2:
        for j, column in enumerate(np.asarray(variables).T):
            yield f"variable {j + 1}", column
    else:
        yield str(getattr(variables, "name", None) or "variable"), variables


def _numbers(column: Any) -> Array | None:
    """Return a numeric variable, NaN where it is missing; None for groups."""
    kind = getattr(getattr(column, "dtype", None), "kind", "O")
    if getattr(getattr(column, "dtype", None), "name", "") == "category" or kind == "b":
        return None
    if kind in "iuf":  # pandas has missing values of its own
        given = column.to_numpy(float, na_value=np.nan) if hasattr(column, "iloc") else column
        return _finite(np.asarray(given, dtype=np.float64))
    known = [value for value in column if not _is_missing(value)]
    if not known or not all(_is_number(value) for value in known):
        return None
    return _finite(np.array([np.nan if _is_missing(v) else float(v) for v in column]))


def _finite(numbers: Array) -> Array:
    if np.isinf(numbers).any():
        raise ValueError("variables: a number is infinite; use NaN for one that is not known")
    return numbers


def _is_number(value: Any) -> bool:
    real = isinstance(value, int | float | np.integer | np.floating)
    return real and not isinstance(value, bool | np.bool_)


def _is_missing(value: Any) -> bool:
    # NaN and pandas' NaT are not equal to themselves; pandas' NA is neither equal nor unequal
    if value is None or type(value).__name__ in ("NAType", "NaTType") or value == "":
        return True
    return isinstance(value, float | np.floating) and bool(value != value)


def _levels(column: Any) -> tuple[list[str], Array]:
    """Return the groups of a variable, and the number of each point's group; −1 if missing."""
    texts = ["" if _is_missing(value) else str(value) for value in column]
    own = getattr(getattr(column, "dtype", None), "categories", None)  # of pandas, in its order
    names = sorted(set(texts) - {""}) if own is None else [str(name) for name in own]
    code = {name: i for i, name in enumerate(names)} | {"": -1}
    return names, np.array([code[text] for text in texts], dtype=np.intp)


def _check_enough(name: str, rows: Array, k: int) -> None:
    if len(rows) < k + 2:
        raise ValueError(
            f"{name!r} is known at {len(rows)} points, and {k + 2} are needed for a map of {k} "
            "dimensions: any values of fewer would fit; leave the variable out"
        )


def _weights(weights: ArrayLike | None, n: int, labels: list[Any] | None) -> Array:
    if weights is None:
        return np.ones(n)
    w = np.asarray(joined(weights, "weights", labels), dtype=np.float64)
    if w.shape != (n,) or not np.isfinite(w).all() or (w < 0.0).any() or not w.any():
        raise ValueError(
            f"weights must have a number of zero or more for each of the {n} points, and one above "
            "zero; use 0 for a point that should not count"
        )
    return np.asarray(w / w.max())
