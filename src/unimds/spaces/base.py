r"""The contract of a target space: distances, and steps from point to point; spaces by name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import astuple, dataclass
from functools import lru_cache
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from unimds._runtime.watch import warn
from unimds.compiled.functions import (
    Precision,
    addressed,
    beyond,
    carray,
    compiled_function,
    once,
    part_reader,
    with_names,
)
from unimds.compiled.parts import Call, Part, SpaceType, check_fields, explained, part_type
from unimds.spaces.vectors import Array

_POINT, _POINTS, _ROW = np.ones(2), np.ones((2, 3)), np.ones(3)

TINY = float(np.finfo(float).tiny)
"""The least number that has all its digits."""

FLAT = 1e-140  # of the size of a space: squares of shorter distances leave the range of numbers


@dataclass(frozen=True)
class Space(Part, ABC):
    r"""Base class of all target spaces; write a subclass as a frozen dataclass with float fields.

    A space is written in coordinates. For a point ``p`` and the other points, the columns of ``X``,
    compiled code calls three methods: `measure` computes the distances, `gather` and `project`
    compute the weighted sum of logarithms :math:`\sum_j c_j \log_p(x_j)`, and `exp` moves ``p``
    along it.

    If the distance :math:`u` depends only on the squared chord :math:`q = \|x - p\|^2`, write
    ``dist(q)``, ``slope(u, q)`` (the factor that turns the projection of :math:`x - p` on the
    tangent plane into :math:`\log_p(x)`) and `project`. Otherwise override `measure` and `gather`.
    Every space must have `exp` and `random`; all other methods are optional.

    `unimds.checks.check_space` tests a space; ``docs/extending.md`` has an example.
    """

    _kind = SpaceType
    _compiled: ClassVar[dict[str, Call]] = {
        "unit_length": Call(),
        "cut_locus": Call(),
        "bend": Call(),
        "flat": Call(),
        "sign": Call(0),
        "dist": Call(1.0),
        "slope": Call(1.0, 1.0),
        "pair": Call(1.0, 1.0, 1.0, 1.0, returns=3),
        "measure": Call(_POINT, _POINTS, _ROW, _ROW, returns=0),
        "gather": Call(_POINT, _POINTS, _ROW, _POINT, returns=0),
        "project": Call(_POINT, _POINT, returns=0),
        "exp": Call(_POINT, _POINT, returns=0),
    }

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Let a subclass that changes the formulas inherit no shortcut: `flat` or `between`."""
        super().__init_subclass__(**kwargs)
        if vars(cls).keys() & {"exp", "project"} and "flat" not in vars(cls):
            cls.flat = Space.flat
        if vars(cls).keys() & {"measure", "pair", "dist"} and "between" not in vars(cls):
            cls.between = Space.between

    coordinates: ClassVar[str] = "coordinates"
    """What a row of an embedding holds, for error messages."""

    single_precision: ClassVar[bool] = False
    """Whether float32 coordinates are precise enough for float32 distances."""

    scales_coordinates: ClassVar[bool] = False
    """Whether coordinates are lengths, so that another unit of length changes them."""

    seed_reads_rows: ClassVar[bool] = False
    """Whether `seed` also takes `unimds.spaces.spectral.Rows`, which need not be in memory."""

    # --- compiled ---------------------------------------------------------------------------

    def unit_length(self):
        """Distance that a tangent vector of length one covers: the radius, if there is one."""
        return 1.0

    def cut_locus(self):
        """Distance at which all geodesics from a point meet again; no point is farther away.

        If a pair's target distance is longer, the pair is drawn to the cut locus instead.
        """
        return np.inf

    def bend(self):
        """Return √κ, where the curvature is at least −κ; steps are shortened to descend."""
        return 0.0

    def flat(self):
        """Whether ``exp(p, v)`` is p + v, and every vector is tangent."""
        return False

    def sign(self, axis):
        """Sign of an axis in the inner product (−1 for the time axis of Minkowski's)."""
        return 1.0

    def dist(self, chord2):
        """Distance of two points from the square of their chord."""
        return np.sqrt(chord2)

    def slope(self, dist, chord2):
        """Length of the logarithm divided by the length of the chord's tangential part."""
        return 1.0

    def measure(self, p, X, dist, slope):
        """Fill `dist` with the distances from `p` to the first columns of `X`; fill `slope` too."""
        for j in range(dist.shape[0]):
            near = far = inner = gap = 0.0 * p[0]
            for a in range(p.shape[0]):
                d, f, sign = X[a, j] - p[a], X[a, j] + p[a], self.sign(a)
                near += sign * d * d
                far += sign * f * f
                inner += sign * p[a] * X[a, j]
                gap += d * d
            dist[j], slope[j], _ = self.pair(near, far, inner, gap)

    def pair(self, near, far, inner, gap):
        """Return the distance of two points, its `slope`, and slope divided by distance.

        `near` and `far` are the squares of x − p and x + p, and `inner` is the product of x and p,
        all in the inner product of the space (see `sign`); `gap` is the plain square of x − p.
        """
        dist = self.dist(near)
        slope = self.slope(dist, near)
        return dist, slope, slope / dist if near > 0.0 else 0.0

    def gather(self, p, X, coef, v):
        """Fill `v` with Σ coef_j (x_j − p): the sum of logarithms before `project`."""
        for a in range(p.shape[0]):
            v[a] = 0.0
            for j in range(coef.shape[0]):
                v[a] += coef[j] * (X[a, j] - p[a])

    def project(self, p, v):
        """Project `v` on the tangent plane at `p`, in place."""

    @abstractmethod
    def exp(self, p, v):
        """Move `p` along the tangent vector `v`, in place, and keep it on the space."""

    # --- plain Python; configurations have one point a row ----------------------------------

    def unit_step_descends(self) -> bool:
        """Whether ½dist² has a Hessian of at most 1, as with nonnegative curvature.

        If False, each placement is checked and shortened until the cost does not rise.
        """
        return False

    def fuses(self) -> bool:
        """Whether kernels may use `pair` in place of `measure` and `gather`, which is faster."""
        cls = type(self)
        return cls.measure is Space.measure and cls.gather is Space.gather

    @property
    def unit(self) -> float:
        """The size of the space: `unit_length` as a number."""
        return float(self.unit_length())

    @property
    def diameter(self) -> float:
        """The largest distance in the space."""
        return float("inf")

    @property
    def is_auto(self) -> bool:
        """Whether the size of the space is to be estimated."""
        return False

    def sized(self, unit: float) -> Space:
        """Return the space with another `unit`; coordinates keep their meaning."""
        raise TypeError(f"{type(self).__name__} has no size to estimate")

    def scaled(self, factor: float) -> Space | None:
        """Return the space in a unit of length that makes distances `factor` times as large.

        None if the space does not support this: then the data keep their own unit.
        """
        return None

    def n_coordinates(self, n_components: int) -> int:
        """Return the number of coordinates of a point."""
        return n_components

    @abstractmethod
    def random(self, n: int, n_components: int, spread: float, rng: np.random.Generator) -> Array:
        """Draw points about `spread` apart, or over the whole space if it is smaller."""

    seeds: ClassVar[tuple[str, ...]] = ()
    """Names of the spectral seed of the space, as `init` takes them."""

    def seed(self, D: Any, n_components: int) -> Array | None:
        """Return points with distances near `D`, from eigenvectors; None if there is no method."""
        return None

    def flatter(self, typical: float) -> Space | None:
        """Return a flatter space for finding starts, if this space is too curved for that."""
        return None

    def from_flatter(self, X: Array, flatter: Space) -> Array:
        """Map points of the flatter space to points of this space."""
        return X

    def centred(self, X: Array) -> Array:
        """Move the points to where coordinates are small, if large ones lose digits."""
        return X

    def between(self, X: Array, Y: Array) -> Array:
        """Return the distances of the columns of `X` to those of `Y`, contiguous doubles both."""
        with explained(self):
            return measured(self, X, Y)

    def sizes(self, typical: float) -> tuple[float, float]:
        """Return the smallest and largest `unit` to try, given the typical distance."""
        return 0.4 * typical, 20.0 * typical

    def check_distances(self, largest: float) -> None:
        """Warn or raise if the space cannot hold the largest given distance."""
        if largest > self.diameter * (1.0 + 1e-6):
            warn(
                f"the largest distance, {largest:g}, is longer than the largest one of {self}, "
                f'{self.diameter:g}; a size of "auto" fits the space to the data',
                UserWarning,
            )

    def project_points(self, X: Array) -> Array:
        """Return the nearest points of the space to rows that rounding has moved off it."""
        return X

    def check_points(self, X: Array, name: str) -> None:
        """Raise ValueError if a row of `X` is not a point of the space."""

    def isometry(self, A: Array, B: Array) -> Any:
        """Return a function on points: the isometry that brings rows of `A` nearest to `B`."""
        raise TypeError(
            f"{type(self).__name__} does not say how to align two maps: give it isometry(A, B)"
        )

    def _concrete(self) -> Space:
        return self.sized(1.0) if self.is_auto else self


def check_size(owner: str, field: str, value: object) -> None:
    """Raise if the size of a space is neither a positive number nor "auto"."""
    if value == "auto":
        return
    if not isinstance(value, Real) or not 0.0 < value < np.inf:
        hint = ""
        if field == "curvature" and isinstance(value, Real) and -np.inf < value < 0.0:
            hint = f"; give its size, {-value:g}: hyperbolic space is always curved negatively"
        raise ValueError(f'{owner}({field}={value!r}): {field} must be positive or "auto"{hint}')
    if value < TINY:
        raise ValueError(
            f"{owner}({field}={value!r}): smaller numbers than {TINY:.2g} have lost digits; use "
            f"another unit of length, or a larger {field}"
        )


def check_auto(space: Space, typical: float) -> None:
    """Raise if no number can say the size that suits a typical distance."""
    for unit in space.sizes(typical):
        try:
            space.sized(unit)
        except ValueError as error:
            raise ValueError(
                f'{space}: distances of about {typical:g} leave the range of an "auto" size; '
                "use another unit of length"
            ) from error


def check_curved(space: Space, largest: float) -> None:
    """Raise if a space with a size is so large that coordinates cannot tell points apart."""
    sized = type(space).unit_length is not Space.unit_length
    if sized and 0.0 < largest < FLAT * space.unit:
        raise ValueError(
            f"{space} is flat to the last digit for distances up to {largest:g}; use "
            'Euclidean(), or a size of "auto"'
        )


# --- distances by a space's compiled `measure` ----------------------------------------------------

space_at: Any = None  # given to `measure` for each space


@addressed
def measure(P, stride, i, j, X, n, k, r, s, w, z, start, stop, mode, unit, scratch, out, fields):
    """Fill the table `r` with the distances of the points of P to the points of X."""
    space = space_at(fields)
    p, slope = carray(scratch, k), carray(beyond(scratch, k), n)
    for m in range(start, stop):
        for a in range(k):
            p[a] = P[a * stride + m]
        space.measure(p, carray(X, (k, n)), carray(beyond(r, m * n), n), slope)


@lru_cache(maxsize=256)
def _compiled(space: type[Part]) -> int:
    name, double = f"measure_{part_type(space).digest}", np.dtype(np.float64)
    function = with_names(measure, name, {"space_at": part_reader(space, False, 0)})
    return compiled_function(function, Precision(double, double, double))


def measured(space: Any, X: Array, Y: Array) -> Array:
    """Return the distances of the columns of `X` to the columns of `Y`, all contiguous doubles."""
    check_fields(space)
    fields = np.array([*astuple(space), 0.0], dtype=np.float64)
    (k, n), count = Y.shape, X.shape[1]
    out, scratch = np.empty((count, n)), np.empty(k + n)
    memory = scratch.ctypes.data, 0, fields.ctypes.data
    who, others = (X.ctypes.data, count, 0, 0), (Y.ctypes.data, n, k)
    given, span = (out.ctypes.data, 0, 0, 0), (0, count, 0)
    once(_compiled(type(space)), who, others, given, span, 1.0, memory)
    return out


# --- spaces by name -------------------------------------------------------------------------------

SPACES: dict[str, type[Space]] = {}
"""Spaces by name; the package fills it."""


def seed_names() -> list[str]:
    """Return the names of all spectral seeds."""
    return sorted({name for space in SPACES.values() for name in space.seeds})


ONE = "is a map of one dimension (n_components=1, or --dim 1)"
ALIASES = {
    "circle": f"a circle {ONE} with space='sphere'",
    "line": f"a line {ONE} with space='euclidean'",
    **dict.fromkeys(("plane", "flat", "euclid"), "use space='euclidean'"),
    **dict.fromkeys(("globe", "spherical", "earth", "geodesic"), "use space='sphere'"),
    **dict.fromkeys(("poincare", "poincaré", "disk", "lorentz"), "use space='hyperbolic'"),
    **dict.fromkeys(("chordal", "chord"), "use space='chordal_sphere'"),
}
"""What to use instead of a name that no space has."""


def check_alias(space: object) -> None:
    """Raise if a name is that of no space, but says which space is meant."""
    if isinstance(space, str) and space.lower() in ALIASES:
        raise ValueError(f"space={space!r} is not known: {ALIASES[space.lower()]}")


def as_space(space: str | Space) -> Space:
    """Return the space of this name; return a `Space` unchanged.

    Examples
    --------
    >>> as_space("sphere")
    Sphere(radius=1.0)
    """
    if isinstance(space, Space):
        return space
    if isinstance(space, str) and space in SPACES:
        return SPACES[space]()
    check_alias(space)
    names = ", ".join(map(repr, SPACES))
    raise ValueError(f"space={space!r} is not known: use one of {names} or a Space")


def distances(
    X: ArrayLike, Y: ArrayLike | None = None, *, space: str | Space = "euclidean"
) -> Array:
    """Return the distances from the rows of `X` to the rows of `Y` (default: to `X` itself).

    Parameters
    ----------
    X, Y : array-like of shape (n, n_coordinates)
        Points, in the coordinates of the space.
    space : str or Space, default="euclidean"
        The space that the points lie in.

    Returns
    -------
    ndarray of shape (n_X, n_Y)

    Examples
    --------
    >>> distances([[0.0, 0.0], [3.0, 4.0]])
    array([[0., 5.],
           [5., 0.]])
    """
    space = as_space(space)
    if space.is_auto:
        raise ValueError(f'{space}: only a fit can find a size of "auto"; give the one it found')
    rows = np.ascontiguousarray(np.asarray(X, dtype=float).T)
    columns = rows if Y is None else np.ascontiguousarray(np.asarray(Y, dtype=float).T)
    if rows.ndim != 2 or columns.ndim != 2 or rows.shape[0] != columns.shape[0]:
        raise ValueError("X and Y must be tables of points with the same number of coordinates")
    return space.between(rows, columns)


def pointwise(X: Array, Y: Array, space: Space) -> Array:
    """Return the distance of each row of `X` to the same row of `Y`, some rows at a time.

    Examples
    --------
    >>> from unimds.spaces import Euclidean
    >>> pointwise(np.eye(2), np.array([[4.0, 4.0], [0.0, 1.0]]), Euclidean())
    array([5., 0.])
    """
    rows = [slice(at, at + FEW) for at in range(0, len(X), FEW)]
    return np.concatenate(
        [np.empty(0), *(distances(X[at], Y[at], space=space).diagonal() for at in rows)]
    )


FEW = 32
"""Points of which all distances are measured where only those to one other each are needed."""
