"""The steps that lead to a map: each is a call of `MDS` that anyone can repeat to the bit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from unimds.files import Table
from unimds.studio.settings import Settings

if TYPE_CHECKING:
    from unimds.estimators.mds import MDS

Array = NDArray[Any]
Callback = Callable[[int, float, Array], object]


@final
@dataclass(frozen=True, eq=False)
class Step:
    """One fit. Points are called by their number in the file.

    Attributes
    ----------
    settings : Settings
        What was chosen.
    left_out : tuple of int
        Points that are not on the map.
    missing : tuple of pairs
        Pairs whose distance does not count.
    fixed : mapping of int to coordinates
        Points that stay where they are.
    start : ndarray or None
        A row for each point that is left; None starts as the settings say.
    limit : int or None
        After how many sweeps the fit was stopped.
    """

    settings: Settings
    left_out: tuple[int, ...] = ()
    missing: tuple[tuple[int, int], ...] = ()
    fixed: Mapping[int, tuple[float, ...]] = field(default_factory=dict)
    start: Array | None = None
    limit: int | None = None

    def kept(self, n: int) -> Array:
        """Return the numbers of the points on the map, of n in the file."""
        return np.delete(np.arange(n), list(self.left_out))

    def data(self, table: Table) -> tuple[Array, Array | None]:
        """Return the distances or features to fit, and weights or None."""
        kept = self.kept(table.n)
        X, weights = table.values, table.weights
        if self.missing and table.precomputed:
            X = _marked(X, self.missing, np.nan)
        elif self.missing:
            weights = _marked(np.ones((table.n, table.n)), self.missing, 0.0)
        if self.left_out:
            X = X[np.ix_(kept, kept)] if table.precomputed else X[kept]
            weights = None if weights is None else weights[np.ix_(kept, kept)]
        return X, weights

    def anchors(self, n: int) -> dict[int, tuple[float, ...]] | None:
        """Return the fixed points by their row on the map; None if there are none."""
        row = {int(i): at for at, i in enumerate(self.kept(n))}
        found = {row[i]: place for i, place in self.fixed.items() if i in row}
        return found or None

    def arguments(self, table: Table) -> dict[str, Any]:
        """Return the arguments of `MDS`."""
        return self.settings.arguments(table.precomputed, warm=self.start is not None)

    def named(self, table: Table) -> AbstractContextManager[None]:
        """Have errors name the points as the page does."""
        from unimds.distances.validate import points_named
        from unimds.studio.tables import named

        names = named(table)
        return points_named([names[i] for i in self.kept(table.n)])


def _marked(table: Array, pairs: tuple[tuple[int, int], ...], mark: float) -> Array:
    """Return a table with a mark at some pairs, in both directions."""
    marked = table.copy()
    for i, j in pairs:
        marked[i, j] = marked[j, i] = mark
    return marked


def fitted(table: Table, step: Step, callback: Callback | None = None, **more: Any) -> MDS:
    """Take a step: the same bits for the same step, whoever listens."""
    from unimds.estimators.mds import MDS  # here: the server starts without it

    X, weights = step.data(table)
    if step.limit is not None and callback is None:
        callback = stopper(step.limit)
    mds = MDS(**step.arguments(table), callback=callback, **more)
    with step.named(table):
        mds.fit(X, weights=weights, fixed=step.anchors(table.n), init=step.start)
    mds.callback = None  # studies of the map copy it: their fits must not be stopped with it
    return mds


def stopper(limit: int) -> Callback:
    """Return a callback that stops a fit after so many sweeps, of all starts together.

    Examples
    --------
    >>> stop = stopper(2)
    >>> stop(1, 0.5, np.zeros((1, 2))), stop(1, 0.5, np.zeros((1, 2)))
    (False, True)
    """
    seen = 0

    def stop(iteration: int, cost: float, embedding: Array) -> bool:
        nonlocal seen
        seen += 1
        return seen >= limit

    return stop


@final
@dataclass(frozen=True, eq=False)
class Made:
    """A map, and the step that made it.

    Attributes
    ----------
    number : int
        What the map is called by.
    step : Step
        The last step.
    before : Made or None
        The map whose points the step started from; None if it started from the file, or from
        numbers of its own.
    points : ndarray of shape (n, n_coordinates)
        The map.
    facts : dict
        What is told of it: stress, cost, sweeps, and why the fit ended.
    """

    number: int
    step: Step
    before: Made | None
    points: Array
    facts: dict[str, Any]

    @cached_property
    def chain(self) -> list[Made]:
        """All maps that led to this one, the first of them first, and this one."""
        return [*([] if self.before is None else self.before.chain), self]

    def rows(self, kept: Array, n: int) -> Array | None:
        """Return the places of some points, or None if one of them is not on the map."""
        own = self.step.kept(n)
        return self.points[np.isin(own, kept)] if np.isin(kept, own).all() else None
