"""Fits, and the few sweeps with which a map follows a point that is dragged."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, final

from unimds.studio.session.tasks import Desk, Refused, Task
from unimds.studio.session.work import Array, Shelved, Work
from unimds.studio.steps import Made, Step

Tell = Callable[[dict[str, Any], bytes], None]
"""Takes what the pages are told: a header and bytes."""

SHAPE = ("kind", "edge", "grid", "note")
"""What a frame says of its view, if that has changed."""
MOVING = ("read", "fit", "preview")
"""What is running when another map is on its way."""


def _is_number(value: Any) -> bool:
    # compared, not converted: a whole number of very many digits is no float
    return type(value) in (int, float) and abs(value) <= sys.float_info.max


@final
class Fitting:
    """Makes the tasks that move the points, and keeps what they find.

    Parameters
    ----------
    desk : Desk
        What hands tasks to the worker.
    opened : callable
        Returns what the user has made of the file that is open, or raises.
    tell : callable
        Takes what the pages are told.
    changed : callable
        Called when a map is finished.
    """

    def __init__(
        self, desk: Desk, opened: Callable[[], Work], tell: Tell, changed: Callable[[], None]
    ):
        self._desk, self._opened, self._tell, self._changed = desk, opened, tell, changed
        self._numbers = 0
        self._pulled: tuple[int, list[float]] | None = None  # where a point is dragged to
        self._dragging: bool | None = None  # None: no; False: the point has been let go

    @property
    def moving(self) -> bool:
        """Whether another map is on its way."""
        task = self._desk.task
        runs = task is not None and task.purpose in MOVING
        if task is not None and (task.unwanted or task.settled):
            runs = False
        return runs or self._desk.has_next

    # --- fits ---

    def go_on(self) -> None:
        """Have a fit that starts where the points are, or as the settings say."""
        self._opened()
        self._desk.put(self.next_fit)

    def next_fit(self) -> Task:
        """Return a fit of what is chosen and changed now."""
        work = self._opened()
        step, before = work.warm()
        self._numbers += 1
        self._desk.say()
        number = self._numbers

        def made(task: Task, found: dict[str, Any]) -> None:
            task.settled = True
            self._keep(work, Made(number, step, before, found["points"], found["facts"]), found)

        return Task(
            "fit",
            ("fit", number, step),
            lambda task, found: work.judge(number, found),
            {"frame": partial(self._show_frame, work, step), "made": made},
            lost=partial(self._come_to_nothing, work),
        )

    def _show_frame(
        self, work: Work, step: Step, task: Task, about: dict[str, Any], points: Array, shown: bytes
    ) -> None:
        task.progress = {"sweep": about["sweep"], "cost": about["cost"]}
        work.take_places(step, points)
        self._tell_frame(work, step, {"job": task.job, **about}, shown)

    def _tell_frame(self, work: Work, step: Step, about: dict[str, Any], shown: bytes) -> None:
        """Tell the pages where the points are; a page that comes later is told as much."""
        told = {"type": "frame", **about, "left_out": list(step.left_out)}
        before = {} if work.frame is None else work.frame[0]
        shape = {name: before[name] for name in SHAPE if name in before}
        work.frame = {**shape, **told}, shown
        self._tell(told, shown)

    def _keep(self, work: Work, made: Made, found: dict[str, Any]) -> None:
        """Keep a finished map, and show it."""
        if found["calls"] is not None:  # it was stopped
            made = replace(made, step=replace(made.step, limit=found["calls"]))
        work.keep(Shelved(made, found["space"], (found["about"], found["shown"])))
        self._tell(*work.view(made.number))
        self._changed()

    def _come_to_nothing(self, work: Work, task: Task) -> None:
        """Keep the last sweep of a fit, forget what was dragged, and show what there is."""
        if task.purpose == "preview":
            self._dragging = self._pulled = None
        elif not task.settled and task.progress.get("sweep") is not None:
            work.torn = True
        if work.torn and work.frame is not None:
            self._tell(*work.frame)
            return
        work.frame = None
        if work.current is not None:
            self._tell(*work.view(work.current))

    # --- dragging ---

    def move(self, i: Any, seen: Any, last: Any) -> None:
        """Fix a point where it is dragged to, in the view; the map follows."""
        work = self._opened()
        i = work.number(i)
        if work.places is None or i in work.left_out:
            raise Refused("there is no map to move a point of")
        if type(seen) is not list or not all(_is_number(at) for at in seen):
            raise Refused("a place is a list of numbers")
        self._pulled = i, seen
        self._dragging = last is not True
        if self._desk.task is None or self._desk.task.purpose != "preview":
            self._desk.put(self._preview)

    def _preview(self) -> Task:
        """Return a few sweeps from where the points are, and from where one is dragged to."""
        work = self._opened()
        if work.places is None or work.anew:
            return self.next_fit()
        step = work.step(work.places[work.step().kept(work.n)])
        pulled, self._pulled = self._pulled, None
        return Task(
            "preview",
            ("follow", step, pulled),
            partial(self._follow, work, step),
            lost=partial(self._come_to_nothing, work),
        )

    def _follow(self, work: Work, step: Step, task: Task, found: dict[str, Any]) -> None:
        """Show where the points have gone, and let them go on until they settle."""
        work.fixed |= found["fixed"]
        work.torn = True
        work.take_places(step, found["points"])
        about = {"job": task.job, "sweep": 0, **found["about"], "preview": True}
        self._tell_frame(work, step, about, found["shown"])
        if self._pulled is not None:
            self._desk.follow(self._preview)
        elif self._dragging is False:  # let go: this place is fitted to the end
            self._dragging = None
            self._desk.follow(self.next_fit)
        elif not self._desk.has_next and not found["about"]["settled"]:
            self._desk.follow(self._preview)
