r"""What a level of measurement is: a family of transformations, and the projection onto it.

A level says which *disparities* :math:`\hat d` may stand for the given dissimilarities :math:`d`:
any rising function of them, a straight line, a spline. The disparities of a family form a closed
convex cone :math:`K`. For fixed points the loss of every pair has a parabola in its disparity, so
the best disparities are a weighted least-squares regression, :math:`\min_{r \in K} \sum w (r-t)^2`:
the method `Level.project`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from numpy.typing import NDArray
from scipy.optimize import brentq

Array = NDArray[Any]

BOTH = 60  # doublings of a multiplier before it is taken for infinite
MET = 1e-13  # share of a bound that counts as rounding


class Bound(NamedTuple):
    """A lower bound Σ slope · r ≥ least, which keeps disparities from shrinking to nothing."""

    slope: Array
    least: float


@dataclass(frozen=True)
class Level(ABC):
    r"""Base class of all levels; write a subclass as a frozen dataclass.

    Only `project` is required. Dissimilarities come in rising order. Where `keeps_ties`, there is
    one entry for each different dissimilarity; otherwise one for each pair, and equal ones follow
    each other.

    `unimds.checks.check_level` tests a level; ``docs/extending.md`` has more examples.

    Examples
    --------
    Disparities that are a multiple of the square root:

    >>> from dataclasses import dataclass
    >>> import numpy as np
    >>> from unimds import Level, MDS
    >>> @dataclass(frozen=True)
    ... class SquareRoot(Level):
    ...     def project(self, known, t, w):
    ...         root = np.sqrt(known)
    ...         return root * max((w * root * t).sum() / (w * root * root).sum(), 0.0)
    >>> D = [[0.0, 1.0, 4.0], [1.0, 0.0, 1.0], [4.0, 1.0, 0.0]]
    >>> mds = MDS(1, level=SquareRoot(), metric="precomputed").fit(D)
    >>> round(mds.stress_, 6)
    0.0
    """

    is_cone: ClassVar[bool] = True
    """Whether a multiple of disparities belongs to the family too."""

    is_convex: ClassVar[bool] = True
    """Whether a mean of disparities of the family belongs to it too; if not, override `nearest`."""

    bins: ClassVar[bool] = True
    """Whether neighbouring dissimilarities may share an entry where there are very many."""

    in_steps: ClassVar[bool] = False
    """Whether the transformation is known at the given dissimilarities only, and drawn in steps."""

    @property
    def keeps_ties(self) -> bool:
        """Whether equal dissimilarities always get equal disparities."""
        return True

    @property
    def is_given(self) -> bool:
        """Whether the disparities are the given dissimilarities, and nothing is transformed."""
        return False

    def first(self, d: Array, counts: Array, n_components: int) -> Array:
        """Return the disparities to begin with, in any unit; `counts` are the pairs of each."""
        return d

    def prepare(self, d: Array, first: Array) -> Any:
        """Return what `project` needs to know of the dissimilarities; `first` has the unit."""
        return d

    @abstractmethod
    def project(self, known: Any, t: Array, w: Array) -> Array:
        """Return the disparities r of the family for which Σ w (r − t)² is least.

        `known` is what `prepare` has returned: by default the dissimilarities.
        """

    def nearer(self, known: Any, t: Array, w: Array, now: Array) -> Array:
        """Return what `project` does; a search may begin at the present disparities `now`.

        Then it must not end farther from `t` than multiples of these are.
        """
        return self.project(known, t, w)

    def nearest(self, known: Any, t: Array, w: Array, bound: Bound, now: Array) -> Array:
        """Return the disparities for which Σ w (r − t)² is least within a bound.

        They are the projection of t + λ·slope/w, where λ ≥ 0 is as small as the bound allows. In a
        family that is no cone, disparities that grow cannot be brought back to their size: there λ
        may be negative, and the bound is met. `now` are present disparities, which are within it.
        """
        toward = bound.slope / w
        found = self.project(known, t, w)

        def excess(multiplier: float) -> float:
            nonlocal found
            found = self.project(known, t + multiplier * toward, w)
            beyond = float(bound.slope @ found) - bound.least
            return beyond if abs(beyond) > MET * abs(bound.least) else 0.0

        beyond = float(bound.slope @ found) - bound.least
        if beyond == 0.0 or (self.is_cone and beyond > 0.0):
            return found
        # disparities that cannot be shrunk must not grow either: they meet the bound
        sign = 1.0 if beyond < 0.0 else -1.0
        # a projection moves by no more than what is projected, and so at least as far as this
        near, far = 0.0, -beyond / max(float(bound.slope @ toward), 1e-300)
        before, reached = beyond, excess(far)
        for _ in range(BOTH):
            if sign * reached >= 0.0:
                break
            rise = (reached - before) / (far - near)
            ahead = far - 1.2 * reached / rise if rise > 0.0 else far
            near, before, far = far, reached, sign * max(abs(ahead), 2.0 * abs(far))
            reached = excess(far)
        else:
            return now
        if reached != 0.0:
            brentq(excess, near, far, xtol=1e-300, rtol=1e-12, disp=False)
        return within(found, bound)


def within(r: Array, bound: Bound) -> Array:
    """Return disparities that rounding has put a little outside a bound, back within it."""
    reached = float(bound.slope @ r)
    return r * (bound.least / reached) if 0.0 < reached < bound.least else r
