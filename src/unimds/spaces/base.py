r"""What a target space is: distances, and how to walk from point to point."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.warning import warn
from unimds.compiled.parts import Part, SpaceType

Points = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Space(Part, ABC):
    r"""Base of all target spaces; subclass it as a frozen dataclass with float fields.

    A space is written in coordinates. Compiled code asks it three things of a point ``p`` and all
    other points, the columns of ``X``: `measure` their distances, `gather` the weighted sum
    :math:`\sum_j c_j \log_p(x_j)` and walk along it with `exp`. A space whose distance depends on
    the chord :math:`q = \|x - p\|^2` alone need only say ``dist(q)``, ``slope(u, q)`` (the
    factor by which :math:`x - p` becomes :math:`\log_p(x)` once projected on the tangent plane),
    ``project`` and ``exp``; any other overrides `measure` and `gather`.

    `unimds.checks.check_space` tells whether all is right; ``docs/extending.md`` has an example.
    """

    _kind = SpaceType
    _compiled = (
        "sign",
        "unit_length",
        "unit_step_descends",
        "cut_locus",
        "bend",
        "flat",
        "fuses",
        "pair",
        "measure",
        "gather",
        "project",
        "exp",
    )

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Take back that a space is flat where it moves points in a way of its own."""
        super().__init_subclass__(**kwargs)
        if vars(cls).keys() & {"exp", "project"} and "flat" not in vars(cls):
            cls.flat = Space.flat

    coordinates: ClassVar[str] = "coordinates"
    """What one row of an embedding is, for error messages."""

    single_precision: ClassVar[bool] = False
    """Whether float32 coordinates are good enough for float32 distances."""

    seed_reads_rows: ClassVar[bool] = False
    """Whether `seed` also takes `unimds.distances.table.Rows`, which need not be in memory."""

    # --- compiled ---------------------------------------------------------------------------

    def unit_length(self):
        """Distance covered by a tangent vector of length one: a radius, where there is one."""
        return 1.0

    def unit_step_descends(self) -> bool:
        """Whether ½dist² has a Hessian of at most 1, as where curvature is nonnegative.

        Where it is not known, every placement is checked and shortened until its cost has not
        risen.
        """
        return False

    def cut_locus(self):
        """Distance at which all geodesics from a point meet again; no point is farther away.

        A pair that should be still farther apart is drawn to there.
        """
        return np.inf

    def bend(self):
        """Root of the strength of negative curvature, √κ where curvature is at least −κ.

        Steps are shortened by it just so much that they descend.
        """
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
        """Length of the logarithm over the length of the chord's tangential part."""
        return 1.0

    def measure(self, p, X, dist, slope):
        """Fill `dist` with the distances of `p` to the first columns of `X`, and `slope` too."""
        n = dist.shape[0]
        for j in range(n):
            dist[j] = 0.0
        for a in range(X.shape[0]):
            pa, Xa, sign = p[a], X[a], self.sign(a)
            for j in range(n):
                t = Xa[j] - pa
                dist[j] += sign * t * t
        for j in range(n):
            chord2 = dist[j]
            dist[j] = self.dist(chord2)
            slope[j] = self.slope(dist[j], chord2)

    def fuses(self) -> bool:
        """Whether `pair` and chords say all that `measure` and `gather` do, only faster."""
        return False

    def pair(self, near, far, inner, gap):
        """Return the distance of two points, its `slope`, and that divided by the distance.

        `near` and `far` are the squares of x − p and x + p, and `inner` is the product of x and p,
        all by the space's own inner product (see `sign`); `gap` is the plain square of x − p.
        """
        dist = self.dist(near)
        slope = self.slope(dist, near)
        return dist, slope, slope / dist if near > 0.0 else 0.0

    def gather(self, p, X, coef, v):
        """Fill `v` with Σ coef_j (x_j − p): the sum of logarithms once projected."""
        n = coef.shape[0]
        for a in range(X.shape[0]):
            pa, Xa, total = p[a], X[a], 0.0
            for j in range(n):
                total += coef[j] * (Xa[j] - pa)
            v[a] = total

    def project(self, p, v):
        """Project `v` on the tangent plane at `p`, in place."""

    @abstractmethod
    def exp(self, p, v):
        """Move `p` along the tangent vector `v`, in place, and keep it on the space."""

    # --- in Python: whole configurations, one point a row -----------------------------------

    @property
    def unit(self) -> float:
        """The size of the space: `unit_length` as a number."""
        return float(self.unit_length())

    @property
    def diameter(self) -> float:
        """The largest distance there is on the space."""
        return float("inf")

    @property
    def is_auto(self) -> bool:
        """Whether the size of the space is to be estimated."""
        return False

    def sized(self, unit: float) -> Space:
        """Return the space with another `unit`; coordinates keep their meaning."""
        raise TypeError(f"{type(self).__name__} has no size to estimate")

    def scaled(self, factor: float) -> Space | None:
        """Return the space in a unit of length in which distances are `factor` times as large.

        None where the space does not know how: then the data are used in their own unit.
        """
        return None

    @property
    def scales_coordinates(self) -> bool:
        """Whether coordinates are lengths, so that another unit of length changes them."""
        return False

    def n_coordinates(self, n_components: int) -> int:
        """Return the number of coordinates of a point."""
        return n_components

    @abstractmethod
    def random(self, n: int, n_components: int, spread: float, rng: np.random.Generator) -> Points:
        """Draw points whose distances are of the order of `spread`, where the space is large."""

    seeds: ClassVar[tuple[str, ...]] = ()
    """Names of the spectral seed of the space, as `init` takes them."""

    def seed(self, D: Any, n_components: int) -> Points | None:
        """Return points whose distances are near `D`, by eigenvectors; None if there is no way."""
        return None

    def flatter(self, typical: float) -> Space | None:
        """Return a space to look for starts in, where this one is too curved for that."""
        return None

    def from_flatter(self, X: Points, flatter: Space) -> Points:
        """Return points of that space as points of this one."""
        return X

    def centred(self, X: Points) -> Points:
        """Return the points where numbers are small, if those that wander off lose their digits."""
        return X

    def sizes(self, typical: float) -> tuple[float, float]:
        """Return the units between which to look for the size, for distances of this order."""
        return 0.4 * typical, 20.0 * typical

    def check_distances(self, largest: float) -> None:
        """Warn or raise where the space cannot hold the largest given distance."""
        if largest > self.diameter * (1.0 + 1e-6):
            warn(
                f"the largest distance, {largest:g}, is longer than the largest one of {self}, "
                f'{self.diameter:g}; a size of "auto" fits the space to the data',
                UserWarning,
            )

    def project_points(self, X: Points) -> Points:
        """Return the points of the space nearest to rows that have left it by rounding."""
        return X

    def check_points(self, X: Points, name: str) -> None:
        """Raise ValueError where a row of `X` is not a point of the space."""

    def isometry(self, A: Points, B: Points) -> Any:
        """Return a function on points: the isometry that brings rows of `A` nearest to `B`."""
        raise TypeError(
            f"{type(self).__name__} does not say how to align two maps: give it isometry(A, B)"
        )

    def _concrete(self) -> Space:
        return self.sized(1.0) if self.is_auto else self

    def _signatures(self) -> list[tuple[str, tuple[Any, ...]]]:
        p, X, row = np.ones(2), np.ones((2, 3)), np.ones(3)
        return [
            ("unit_length", ()),
            ("unit_step_descends", ()),
            ("cut_locus", ()),
            ("flat", ()),
            ("sign", (0,)),
            ("dist", (1.0,)),
            ("slope", (1.0, 1.0)),
            ("measure", (p, X, row, row)),
            ("gather", (p, X, row, p)),
            ("project", (p, p)),
            ("exp", (p, p)),
        ]


def rotation(A: Points, B: Points) -> Points:
    """Return the orthogonal matrix Q that minimises ‖A Q − B‖ (reflections allowed)."""
    U, _, Vt = np.linalg.svd(A.T @ B)
    return np.asarray(U @ Vt)


def check_unit_rows(X: Points, name: str, what: str) -> None:
    """Raise where a row of `X` has not length one (to the precision of its dtype)."""
    norms = np.sqrt(np.einsum("ij,ij->i", X, X, dtype=np.float64))
    tolerance = 1e-4 if X.dtype == np.float32 else 1e-6
    wrong = np.flatnonzero(~(np.abs(norms - 1.0) <= tolerance))
    if wrong.size:
        i = wrong[0]
        raise ValueError(
            f"{name}: row {i} has length {norms[i]:.6g}, but {what} have unit length; "
            f"divide each row by its length ({wrong.size} of {len(X)} rows are off)"
        )


def normalised(X: Points) -> Points:
    """Return the rows of `X` divided by their length; a zero row becomes the first axis."""
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    first = np.eye(1, X.shape[1])
    return np.where(norms > 0.0, X / np.where(norms > 0.0, norms, 1.0), first)
