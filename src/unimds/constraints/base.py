r"""What a constraint is: a set of maps, and the map of the set that is nearest to another.

The loss of every pair has a parabola above it, so that the cost lies below
:math:`\mathrm{tr}\, X^T V X - 2\, \mathrm{tr}\, X^T B X_0` plus a constant, with the Laplacians
:math:`V` of the weights and :math:`B` of the weights times :math:`\rho / u`. And
:math:`V \preceq 2\, \mathrm{diag}(V)`, so that the cost also lies below the sum of
:math:`m_i \lVert x_i - y_i \rVert^2` with :math:`m = 2\, \mathrm{diag}(V)` and
:math:`Y = X_0 - m^{-1} (V - B) X_0`. The nearest map of the set to :math:`Y` therefore never costs
more than :math:`X_0`, if that is in the set.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence, Sized
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds.constraints.circle import Cost
from unimds.distances.inputs import go_by_place, in_rows
from unimds.distances.objects.taking import in_pandas

Array = NDArray[Any]

MASKS = ({bool}, {np.bool_})
"""The types of the entries of a mask."""


class Constraint(ABC):
    """Base class of constraints: which maps are allowed.

    A subclass has `nearest`; `checked` and `solved` are optional. With a map, the set must contain
    every multiple of it.
    """

    def checked(self, n: int, n_components: int, labels: Array | None) -> Constraint:
        """Return the constraint for `n` points in their order, or raise if it cannot be theirs."""
        return self

    @abstractmethod
    def nearest(self, Y: Array, m: Array) -> Array:
        """Return the rows X of an allowed map for which Σ m ‖x − y‖² is least."""

    def solved(self, V: Array, right: Array) -> Array | None:
        """Return the allowed map where tr XᵀVX − 2 tr Xᵀ right is least, if there is a formula."""
        return None

    def begun(self, X: Array) -> Array:
        """Return an allowed map to begin with, near a map that need not obey."""
        return self.nearest(X, np.ones(len(X)))

    def openings(
        self, D: Array, W: Array, cost: Cost, X: Array, rng: np.random.Generator
    ) -> list[Array]:
        """Return more maps to begin with, where descent alone would not leave the order of one.

        `D` and `W` are distances and weights of the pairs, `X` is the free map, and `cost` is the
        loss.
        """
        return []


def as_constraint(given: Any, n: int, n_components: int, labels: Array | None) -> Constraint:
    """Return a constraint for the points of a table, or raise if it is none."""
    if isinstance(given, Constraint):
        return given.checked(n, n_components, labels)
    raise TypeError(
        f"constraints={given!r} is no constraint; give one of unimds.constraints: LinearIn(Z), "
        "OnLine(), OnCircle() or Regions(groups)"
    )


def numbers_of(points: Any, n: int, labels: Array | None, name: str) -> Array:
    """Return the numbers of points that were named by number, label or mask; all if None."""
    if points is None:
        return np.arange(n)
    if _is_mask(points):
        marked = in_order(points, labels, name)
        one_each(marked, n, name)
        points = np.flatnonzero(np.asarray(marked, dtype=bool)).tolist()
        labels = None  # these are numbers, whatever the labels are
    points = [points] if isinstance(points, str) else list(points)  # a word is not its letters
    if not points:
        raise ValueError(f"{name}: no point is named; name some, or leave them out to mean all")
    names = [] if labels is None else labels.tolist()
    known = {label: i for i, label in enumerate(names)}
    places = range(-n, n) if go_by_place(names) else ()
    found = []
    for point in points:
        at = known.get(point)
        if at is None and isinstance(point, int | np.integer) and not isinstance(point, bool):
            at = int(point) if point in places else None
        if at is None:
            raise ValueError(
                f"{name}: {point!r} is no point of the table; name points by their number, from 0 "
                f"to {n - 1}, or by their label"
            )
        found.append(int(at) % n)
    if len(set(found)) < len(found):
        raise ValueError(f"{name}: a point is named twice; name each point once")
    return np.array(found, dtype=np.intp)


def _is_mask(points: Any) -> bool:
    """Whether points are marked, True or False for each, and not named."""
    some = isinstance(points, Sized) and not isinstance(points, str)
    return some and {type(entry) for entry in points} in MASKS


def in_order(values: Any, labels: Array | None, name: str) -> Any:
    """Return labelled rows in the order of the points; raise where their labels are others.

    Rows that are merely counted, 0, 1 and so on, go by their place.
    """
    values = values if isinstance(values, Mapping) else in_pandas(values)
    if labels is None or not hasattr(values, "loc"):
        return values
    own, points = list(values.index), labels.tolist()
    if own == list(range(len(own))):
        return values
    lacking = next((label for label in points if label not in set(own)), None)
    odd = next((label for label in own if label not in set(points)), None)
    if lacking is not None:
        near = "" if odd is None else f", but one for {odd!r}, which is no point"
        raise ValueError(
            f"{name} has no row for the point {lacking!r}{near}; give one row for each point, "
            "with the labels of the table"
        )
    if odd is not None:
        raise ValueError(f"{name} has a row for {odd!r}, which is no point of the table; drop it")
    if len(set(own)) < len(own):
        twice = next(label for label in own if own.count(label) > 1)
        raise ValueError(f"{name} has {own.count(twice)} rows for {twice!r}; give each point one")
    return in_rows(values, points)


def one_each(values: Sequence[Any] | Array, n: int, name: str) -> None:
    """Raise if there is not one value for each point."""
    if np.ndim(values) == 0:
        raise ValueError(f"{name} needs a row for each of the {n} points, and has none")
    if len(values) != n:
        raise ValueError(
            f"{name} has {len(values)} rows and the table {n} points; give one row for each point"
        )
