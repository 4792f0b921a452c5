"""Questions about a map: how well it fits, how certain it is, its files and its lines."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, final

import numpy as np

from unimds.studio.exports import KINDS
from unimds.studio.numbers import partners
from unimds.studio.recipe import Recipe, recipe
from unimds.studio.session.fitting import Fitting
from unimds.studio.session.tasks import Desk, Refused, Task
from unimds.studio.session.work import FEWEST, Shelved, Work
from unimds.studio.settings import CHOSEN_BY_PAIRS, space_of

Answer = asyncio.Future[Any]
Find = Callable[[], dict[str, Any]]
"""Finds something out; it may be called on another thread."""


@final
class Questions:
    """Asks the worker about maps, and keeps the answers.

    Parameters
    ----------
    desk : Desk
        What hands tasks to the worker.
    opened : callable
        Returns what the user has made of the file that is open, or raises.
    fitting : Fitting
        What moves the points: a question waits until they stand still.
    """

    def __init__(self, desk: Desk, opened: Callable[[], Work], fitting: Fitting):
        self._desk, self._opened, self._fitting = desk, opened, fitting

    # --- of the map that there is once nothing moves any more ---

    def _finished(self) -> Shelved:
        """Return the current map, if it is finished and is what the pages show."""
        work = self._opened()
        if self._fitting.moving:
            raise Refused("the map still moves: wait until it stands still, or stop it")
        if work.current is None:
            raise Refused("there is no map yet")
        if work.torn:
            raise Refused("the map is not finished: let it go on first")
        return work.shelf[work.current]

    def _ask(
        self,
        purpose: str,
        keep: Callable[[Work, int, Any], None],
        more: Callable[[Shelved], tuple[Any, ...]] = lambda _: (),
    ) -> Answer:
        """Have the worker told of the map, and of `more`; `keep` takes its answer."""
        self._opened()
        if not self._fitting.moving:
            self._finished()

        def task() -> Task:
            work, shelved = self._opened(), self._finished()
            number, step = shelved.made.number, shelved.made.step
            message = (purpose, number, step, *more(shelved))
            return Task(purpose, message, lambda _, found: keep(work, number, found))

        return self._desk.ask(task)

    def judge(self) -> Answer:
        """Ask how well the map fits, if that was stopped or lost."""
        return self._ask("judge", Work.judge)

    def study(self) -> Answer:
        """Ask where else the points of the map could be."""

        def keep(work: Work, number: int, found: dict[str, Any]) -> None:
            if number in work.shelf:
                work.shelf[number].stability = {"number": number, **found}

        return self._ask("stability", keep, lambda shelved: (shelved.view[1],))

    def export(self, kind: str, color: str | None = None) -> asyncio.Future[bytes]:
        """Return what will be a file of the map, in the colours of a column if one is named."""
        if kind not in KINDS:
            raise Refused("there is no such file")
        source = self._opened().source
        if color is not None and color not in source.table.columns:
            raise Refused("there is no such column")
        return self._ask("export", lambda *_: None, lambda _: (kind, source.name, color))

    def recipe(self) -> Recipe:
        """Return the lines that make the map."""
        found = self._finished()
        return recipe(self._opened().source, found.made, found.space)

    # --- of settings ---

    def choose(self, name: Any) -> Answer:
        """Score the choices of a setting by held-out pairs."""
        work = self._opened()
        if not isinstance(name, str) or name not in CHOSEN_BY_PAIRS:
            raise Refused("choose among dimensions, spaces, losses or levels")
        values = [choice.value for choice in CHOSEN_BY_PAIRS[name].choices]
        if name == "dim":
            count = work.n - len(work.left_out)
            values = [value for value in values if value <= max(count - 3, 1)]
        given = [space_of(value) for value in values] if name == "space" else values

        def task() -> Task:
            what, asked = "n_components" if name == "dim" else name, work.asked(name)

            def keep(_: Task, found: dict[str, Any]) -> None:
                work.choice = {"name": name, "values": values, "asked": asked, **found}

            return Task("choose", ("choose", work.step(), what, given), keep)

        return self._desk.ask(task)

    # --- what the server finds out itself ---

    def partners(self, i: Any) -> Find:
        """Return what finds all pairs of a point."""
        work = self._opened()
        work.number(i)
        shelved = None if work.current is None or work.torn else work.shelf[work.current]
        kept = [] if shelved is None else shelved.made.step.kept(work.n).tolist()
        number, tables = work.tables or (None, None)
        if shelved is None or tables is None or number != work.current or i not in kept:
            return lambda: {"i": i, "j": []}
        points, space = shelved.made.points, shelved.space

        def find() -> dict[str, Any]:
            return {"i": i, "j": kept, **partners(points, tables, space, kept.index(i))}

        return find

    def compare(self, one: Any, other: Any) -> Find:
        """Return what compares two maps."""
        work = self._opened()
        both = work.found(one), work.found(other)
        kepts = [shelved.made.step.kept(work.n) for shelved in both]
        common = np.intersect1d(kepts[0], kepts[1])
        if len(common) < FEWEST:
            raise Refused("the maps have fewer than three points in common")
        first, second = (
            shelved.made.points[np.isin(kept, common)].astype(np.float64)
            for shelved, kept in zip(both, kepts, strict=True)
        )
        spaces = both[0].space, both[1].space

        def find() -> dict[str, Any]:
            from unimds.studio.judged import compared

            return {"kept": common.tolist(), **compared(first, second, spaces)}

        return find
