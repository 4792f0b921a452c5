"""Points on a line or a circle, or in the regions of a partition: confirmatory scaling."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from unimds.constraints.base import Constraint, in_order, numbers_of, one_each
from unimds.constraints.circle import Cost, circular
from unimds.levels.pooling import rising

Array = NDArray[Any]

KINDS = ("axis", "rings", "sectors")


@final
class OnLine(Constraint):
    """Some points, or all, lie on a straight line, wherever that is.

    Parameters
    ----------
    points : sequence, default=None
        The points by number or label, or True and False for each point; by default all.

    Examples
    --------
    >>> from unimds import MDS
    >>> D = [[0, 3, 4, 6], [3, 0, 5, 4], [4, 5, 0, 5], [6, 4, 5, 0]]
    >>> mds = MDS(2, metric="precomputed", random_state=0).fit(D, constraints=OnLine([0, 1, 2]))
    >>> a, b, c = mds.embedding_[:3]
    >>> bool(abs(np.linalg.det([b - a, c - a])) < 1e-9)
    True
    """

    def __init__(self, points: Sequence[Any] | Array | None = None):
        self.points = points

    def __repr__(self) -> str:
        return f"OnLine({_counted(self.points)})"

    def checked(self, n: int, n_components: int, labels: Array | None) -> OnLine:
        """Return the constraint with the numbers of its points."""
        return OnLine(numbers_of(self.points, n, labels, "OnLine"))

    def nearest(self, Y: Array, m: Array) -> Array:
        """Return the points on the line of least weighted squares."""
        X, on = Y.copy(), np.asarray(self.points)
        middle = np.average(Y[on], axis=0, weights=m[on])
        away = Y[on] - middle
        _, vectors = np.linalg.eigh((m[on][:, None] * away).T @ away)
        along = vectors[:, -1]
        X[on] = middle + (away @ along)[:, None] * along
        return X


@final
class OnCircle(Constraint):
    """Some points, or all, lie on a circle about the origin; in three dimensions, on a sphere.

    Parameters
    ----------
    points : sequence, default=None
        The points by number or label, or True and False for each point; by default all.

    Examples
    --------
    >>> from unimds import MDS
    >>> from unimds.spaces import distances
    >>> D = distances(np.random.default_rng(0).normal(size=(9, 2)))
    >>> mds = MDS(2, metric="precomputed", random_state=0).fit(D, constraints=OnCircle())
    >>> bool(np.ptp(np.linalg.norm(mds.embedding_, axis=1)) < 1e-9)
    True
    """

    def __init__(self, points: Sequence[Any] | Array | None = None):
        self.points = points

    def __repr__(self) -> str:
        return f"OnCircle({_counted(self.points)})"

    def checked(self, n: int, n_components: int, labels: Array | None) -> OnCircle:
        """Return the constraint with the numbers of its points."""
        if n_components == 1:
            raise ValueError(
                "OnCircle needs a map of two dimensions or more; use n_components=2, or "
                "space='sphere' with n_components=1 for distances along the circle"
            )
        return OnCircle(numbers_of(self.points, n, labels, "OnCircle"))

    def nearest(self, Y: Array, m: Array) -> Array:
        """Return the points in their directions, at their mean distance from the origin."""
        X, on = Y.copy(), np.asarray(self.points)
        size, way = _polar(Y[on])
        X[on] = np.average(size, weights=m[on]) * way
        return X

    def openings(
        self, D: Array, W: Array, cost: Cost, X: Array, rng: np.random.Generator
    ) -> list[Array]:
        """Return maps on a circle in which no point gains by a jump, where all points lie on it."""
        whole = X.shape[1] == 2 and len(np.asarray(self.points)) == len(D)
        return circular(D, W, cost, X, rng) if whole else []


@final
class Regions(Constraint):
    """The groups of a partition lie in regions that follow each other.

    Parameters
    ----------
    groups : sequence of length n
        The group of each point; None or NaN leaves a point free. A pandas Series is matched by
        label, and so is a dict, which leaves points free that it does not name.
    kind : {"axis", "rings", "sectors"}, default="axis"
        How regions follow each other: along the first axis of the map, outwards in rings about the
        origin, or around the origin, in equal sectors of a plane.
    order : sequence, default=None
        The groups in their order; by default that of the categories of a pandas Categorical, and
        else they are sorted.

    Examples
    --------
    >>> from unimds import MDS
    >>> from unimds.spaces import distances
    >>> D = distances(np.random.default_rng(0).normal(size=(9, 2)))
    >>> groups = ["near"] * 4 + ["far"] * 5
    >>> rings = Regions(groups, "rings", order=["near", "far"])
    >>> mds = MDS(2, metric="precomputed", random_state=0).fit(D, constraints=rings)
    >>> out = np.linalg.norm(mds.embedding_, axis=1)
    >>> bool(out[:4].max() <= out[4:].min() + 1e-9)
    True
    """

    def __init__(self, groups: Any, kind: str = "axis", order: Sequence[Any] | None = None):
        self.groups, self.kind, self.order = groups, kind, order

    def __repr__(self) -> str:
        return f"Regions({self.kind!r})"

    def checked(self, n: int, n_components: int, labels: Array | None) -> Regions:
        """Return the constraint with the number of each point's region, -1 for free points."""
        if self.kind not in KINDS:
            raise ValueError(f"Regions(kind={self.kind!r}): use one of {', '.join(KINDS)}")
        if self.kind == "sectors" and n_components != 2:
            raise ValueError("Regions: sectors are for maps of two dimensions; use n_components=2")
        values = _groups(self.groups, n, labels)
        free = [value is None or value != value for value in values]
        known = [value for value, none in zip(values, free, strict=True) if not none]
        order = _usual(self.groups, known) if self.order is None else list(self.order)
        odd = next((value for value in known if value not in order), None)
        if odd is not None:
            raise ValueError(f"Regions: the group {odd!r} is not in the order {order}; add it")
        if len(order) < 2:
            raise ValueError("Regions: give at least two groups; one region is no constraint")
        number = [-1 if none else order.index(v) for v, none in zip(values, free, strict=True)]
        return Regions(np.array(number), self.kind, order)

    def nearest(self, Y: Array, m: Array) -> Array:
        """Return the nearest points in their regions, whose borders move as well."""
        X, group = Y.copy(), np.asarray(self.groups)
        on = np.flatnonzero(group >= 0)
        if self.kind == "axis":
            X[on, 0] = _in_order(Y[on, 0], m[on], group[on])
        elif self.kind == "rings":
            size, way = _polar(Y[on])
            X[on] = np.maximum(_in_order(size, m[on], group[on]), 0.0)[:, None] * way
        else:
            X[on] = _in_sectors(Y[on], group[on], len(self.order or ()))
        return X

    def begun(self, X: Array) -> Array:
        """Turn a map so that its first axis follows the groups best; then bring it to obey."""
        group = np.asarray(self.groups)
        X = X - X.mean(axis=0)
        on = group >= 0
        if self.kind == "axis":
            along = np.linalg.lstsq(X[on], group[on] - group[on].mean(), rcond=None)[0]
            if np.linalg.norm(along) > 0.0:
                Q, _ = np.linalg.qr(np.column_stack([along, np.eye(X.shape[1])]))
                Q[:, 0] *= np.sign(along @ Q[:, 0])
                X = X @ Q
        elif self.kind == "sectors":
            X = _turned_to(X, group, len(self.order or ()))
        return self.nearest(X, np.ones(len(X)))


def _groups(given: Any, n: int, labels: Array | None) -> list[Any]:
    """Return the group of each point, in their order."""
    if isinstance(given, Mapping):
        points = list(range(n)) if labels is None else labels.tolist()
        odd = next((name for name in given if name not in set(points)), None)
        if odd is not None:
            raise ValueError(f"Regions: {odd!r} is no point of the table; leave it out")
        return [given.get(point) for point in points]
    values = in_order(given, labels, "Regions")
    one_each(() if values is None else values, n, "Regions")
    if np.ndim(values) > 1:
        raise ValueError(
            f"Regions needs one group for each point, and got a table of the shape "
            f"{np.shape(values)}; give one of its columns"
        )
    return list(values)


def _usual(given: Any, known: list[Any]) -> list[Any]:
    """Return the groups that there are in the order of their categories, or sorted."""
    categories = getattr(getattr(given, "cat", given), "categories", None)
    if categories is None:
        return _sorted(known)
    there = set(known)
    return [group for group in categories if group in there]


def _sorted(groups: list[Any]) -> list[Any]:
    try:
        return sorted(set(groups))
    except TypeError:
        raise ValueError(
            "Regions: words and numbers among the groups cannot be sorted; give their order, "
            "Regions(groups, order=[...])"
        ) from None


def _counted(points: Any) -> str:
    return "all points" if points is None else f"{len(points)} points"


def _polar(Y: Array) -> tuple[Array, Array]:
    """Return distances from the origin and directions; a point there goes along the first axis."""
    size = np.linalg.norm(Y, axis=1)
    first = np.eye(1, Y.shape[1])
    way = np.where(size[:, None] > 0.0, Y / np.where(size > 0.0, size, 1.0)[:, None], first)
    return size, way


def _in_order(y: Array, m: Array, group: Array) -> Array:
    """Return the nearest numbers to `y` that rise from group to group, in any order within one.

    As with ties that may be parted, the answer keeps the order of `y` within a group.
    """
    order = np.lexsort((y, group))
    found = np.empty_like(y)
    found[order] = rising(y[order], m[order], np.array([0, y.size]))
    return found


def _in_sectors(Y: Array, group: Array, count: int) -> Array:
    """Return the nearest points in sectors of equal angles about the origin."""
    half = np.pi / count
    middle = 2.0 * half * group
    c, s = np.cos(middle), np.sin(middle)
    along, across = c * Y[:, 0] + s * Y[:, 1], c * Y[:, 1] - s * Y[:, 0]
    inside = np.abs(np.arctan2(across, along)) <= half
    side = np.where(across >= 0.0, 1.0, -1.0)
    # onto the border of the sector on this side, or to the origin if that lies behind
    reach = np.maximum(along * np.cos(half) + np.abs(across) * np.sin(half), 0.0)
    along = np.where(inside, along, reach * np.cos(half))
    across = np.where(inside, across, side * reach * np.sin(half))
    return np.column_stack([c * along - s * across, s * along + c * across])


def _turned_to(X: Array, group: Array, count: int) -> Array:
    """Turn and reflect a map so that the fewest points must move to their sectors."""
    on, best, low = group >= 0, X, np.inf
    for flip in (1.0, -1.0):
        for angle in np.linspace(0.0, 2.0 * np.pi, 36, endpoint=False):
            c, s = np.cos(angle), np.sin(angle)
            turned = (X * [1.0, flip]) @ np.array([[c, s], [-s, c]])
            off = float(np.square(_in_sectors(turned[on], group[on], count) - turned[on]).sum())
            if off < low:
                best, low = turned, off
    return best
