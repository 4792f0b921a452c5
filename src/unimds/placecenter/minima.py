"""The minima that the starts of a small table led to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from unimds.spaces.base import Space
from unimds.spaces.euclidean import Euclidean
from unimds.spaces.hyperbolic import Hyperbolic
from unimds.spaces.sphere import ChordalSphere, Sphere

Array = NDArray[Any]

SAME = 1e-6
"""Costs of one map, found from two starts, differ by less than this, relative to the cost."""


TURNING = (Euclidean, Sphere, ChordalSphere, Hyperbolic)
"""Spaces that turn as a whole; not their subclasses, which may leave some of it out."""


class DifferentMap(NamedTuple):
    """One of the best maps, its cost, and how far it is from the best map (0 = the same)."""

    embedding: Array
    cost: float
    distance: float

    def __repr__(self) -> str:
        n = len(self.embedding)
        return f"DifferentMap({n} points, cost={self.cost:.6g}, distance={self.distance:.3g})"


@final
@dataclass(frozen=True, eq=False)
class Starts:
    """Results of many random starts: ``mds.starts_``.

    Parameters
    ----------
    costs : ndarray
        What the map costs that each start led to, in the order of the starts. A series of hops
        from one minimum to another that ends lower than it began counts as a start.
    embeddings : ndarray of shape (n_maps, n, n_coordinates)
        The best maps with different costs, the lowest first, turned onto the map of the result.
    embedding_costs : ndarray of shape (n_maps,)
        What these maps cost.
    space : Space
        The space of the maps; where its size is estimated, that of the lowest map.

    Attributes
    ----------
    found : int
        How many starts led to the lowest map, up to a difference of 1e-6 in its cost.

    Examples
    --------
    >>> from unimds import MDS
    >>> D = [[0, 1, 2, 2], [1, 0, 2, 1], [2, 2, 0, 1], [2, 1, 1, 0]]
    >>> mds = MDS(metric="precomputed", random_state=0).fit(D)
    >>> mds.starts_.found <= len(mds.starts_)
    True
    >>> [f"{different.cost:.3f}" for different in mds.starts_.different(2)]
    [...]
    """

    costs: Array
    embeddings: Array
    embedding_costs: Array
    space: Space

    def __len__(self) -> int:
        return len(self.costs)

    def __repr__(self) -> str:
        return (
            f"Starts({len(self)} starts, {self.found} led to the lowest map, "
            f"costs {self.costs.min():.6g} to {self.costs.max():.6g})"
        )

    @property
    def found(self) -> int:
        """How many starts led to the lowest map."""
        return alike(self.costs)

    def different(self, count: int = 3, *, apart: float = 0.1) -> list[DifferentMap]:
        r"""Return the best maps that are different from each other, the lowest first.

        The distance of two maps is the root mean square distance between their points, after the
        second has been turned, mirrored and moved onto the first (Procrustes), divided by the root
        mean square distance of the first map's points from its centre.

        Parameters
        ----------
        count : int, default=3
            How many maps to return at most.
        apart : float, default=0.1
            How far every map must be from those before it.

        Returns
        -------
        list of DifferentMap
            The embedding, the cost and the distance from the first map, of each.
        """
        if not isinstance(count, Integral) or count < 1:
            raise ValueError(f"count={count!r} must be a whole number, 1 or more")
        chosen: list[DifferentMap] = []
        for embedding, cost in zip(self.embeddings, self.embedding_costs, strict=True):
            turned = self._turned(embedding, chosen[0].embedding) if chosen else embedding
            far = [self._distance(self._turned(turned, one.embedding), one) for one in chosen]
            if min(far, default=np.inf) > apart:
                chosen.append(DifferentMap(turned, float(cost), far[0] if far else 0.0))
            if len(chosen) == count:
                break
        return chosen

    def onto(self, embedding: Array) -> Starts:
        """Return the same with all maps turned onto another one."""
        turned = [self._turned(one, embedding) for one in self.embeddings]
        return replace(self, embeddings=np.array(turned))

    def in_unit_of(self, cost: float) -> Starts:
        """Return the same with costs in the unit in which the lowest is `cost`."""
        lowest = float(np.min(self.costs))
        share = cost / lowest if lowest > 0.0 else 1.0
        costs, embedding_costs = self.costs * share, self.embedding_costs * share
        return replace(self, costs=costs, embedding_costs=embedding_costs)

    def _turned(self, embedding: Array, onto: Array) -> Array:
        return turned(self.space, embedding, onto)

    def _distance(self, turned: Array, one: DifferentMap) -> float:
        """Return the distance of a map that has been turned onto another."""
        size = np.sqrt(np.mean(np.sum((one.embedding - one.embedding.mean(axis=0)) ** 2, axis=1)))
        off = np.sqrt(np.mean(np.sum((turned - one.embedding) ** 2, axis=1)))
        return float(off / size) if size > 0.0 else 0.0


def turned(space: Space, embedding: Array, onto: Array) -> Array:
    """Turn rows of points onto others, where the space is known to turn as a whole.

    A map on the simplex stays, and so does one of a space that users have made.

    Examples
    --------
    >>> turned(Euclidean(), np.array([[0.0, 0.0], [0.0, 2.0]]), np.array([[-1.0, 0.0], [1.0, 0.0]]))
    array([[-1.,  0.],
           [ 1.,  0.]])
    """
    if type(space) not in TURNING:
        return embedding
    return np.asarray(space.isometry(embedding, onto)(embedding))


def alike(costs: Array) -> int:
    """Return how many costs belong to the lowest map.

    Examples
    --------
    >>> alike(np.array([3.0, 2.0000001, 2.0]))
    2
    """
    return int(np.count_nonzero(costs <= (1.0 + SAME) * np.min(costs)))
