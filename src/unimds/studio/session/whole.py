"""The session as the server sees it: a file, what may be done with it, and what pages are told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, final

from unimds.studio.recipe import Source
from unimds.studio.session.fitting import Fitting, Tell
from unimds.studio.session.questions import Questions
from unimds.studio.session.tasks import Desk, Refused, Task, Workman
from unimds.studio.session.work import Work
from unimds.studio.settings import Settings

NOTHING: dict[str, Any] = {
    **dict.fromkeys(("file", "current", "choice", "stability")),
    **{name: [] for name in ("fixed", "left_out", "missing", "maps")},
    "torn": False,
}
"""What pages are told before there is a file."""


@final
class Session:
    """What the user has done. All methods are called on the thread of the event loop.

    Parameters
    ----------
    worker : callable
        Makes the worker, from what is to hear its messages.
    tell : callable
        Takes what the pages are told: a header and bytes.

    Attributes
    ----------
    work : Work or None
        What the user has made of the file that is open.
    questions : Questions
        What may be asked about maps.
    """

    def __init__(self, worker: Callable[[Callable[..., None]], Workman], tell: Tell):
        self._tell = tell
        self.work: Work | None = None
        self._wanted = Settings()  # before the first file
        self._about: dict[str, Any] = {}  # what is recognised in the file, and what is odd
        self._version = 0  # of the file
        self._refused: tuple[str, bytes] | None = None  # a file that could not be read
        self.desk = Desk(worker, self._announce, self._kept)
        self._fitting = Fitting(self.desk, self.opened, tell, self._announce)
        self.questions = Questions(self.desk, self.opened, self._fitting)

    def opened(self) -> Work:
        """Return what the user has made of the file that is open."""
        if self.work is None:
            raise Refused("open a file first")
        return self.work

    def close(self) -> None:
        """End the worker."""
        self.desk.close()

    # --- what the pages are told ---

    def state(self) -> dict[str, Any]:
        """Return all that a page needs to know at once."""
        desk, work = self.desk, self.work
        told = {**NOTHING, "settings": self._wanted.told()} if work is None else work.told()
        if work is not None:
            told["file"] |= {"version": self._version, **self._about}
        task, running = desk.task, None
        if task is not None and task.purpose != "export":
            running = {"purpose": task.purpose, "stopping": task.stopping, **task.progress}
        still = work is not None and not work.torn and not self._fitting.moving
        return {
            "type": "state",
            **told,
            "ready": desk.ready,
            "running": running,
            "finished": told["current"] if still else None,
            "message": desk.message,
            "refused": None if self._refused is None else self._refused[0],
        }

    def _announce(self) -> None:
        self._tell(self.state(), b"")

    def _kept(self, task: Task) -> str:
        """Return what there is after a crash, in words."""
        if self.work is not None and self.work.torn and task.progress.get("sweep") is not None:
            return "the map of that sweep is kept, and you can go on from it"
        return "the last maps are kept"

    # --- the file ---

    def open(self, name: str, data: bytes, how: dict[str, str]) -> asyncio.Future[Any]:
        """Read a file; its name is one that `security.safe_name` has made."""

        def done(_: Task, found: dict[str, Any]) -> None:
            source = Source(name, data, found["table"], found["names"], how, found["joined"])
            self._begin(source, {part: found[part] for part in ("recognised", "doubts")})

        def lost(_: Task) -> None:
            self._refused = name, data

        return self.desk.put_awaited(Task("read", ("read", name, data, how), done, lost=lost))

    def again(self, how: dict[str, str], refused: bool) -> asyncio.Future[Any]:
        """Read the file again as something else, or one that was `refused`."""
        if refused and self._refused is None:
            raise Refused("there is no such file")
        if refused and self._refused is not None:
            return self.open(*self._refused, how)
        source = self.opened().source
        return self.open(source.name, source.data, how)

    def forget(self) -> None:
        """Forget a file that could not be read, and what was said of it."""
        self._refused = None
        self.desk.say()
        self._announce()

    def _begin(self, source: Source, about: dict[str, Any]) -> None:
        """Begin with a file that was read."""
        self.desk.refuse_questions("another file was opened")
        self.desk.table = source.table
        self.work = Work(source, self._wanted)
        self._wanted, self._about, self._refused = Settings(), about, None
        self._version += 1
        self.desk.say()
        if not self.desk.has_next:
            self.desk.follow(self._fitting.next_fit)

    # --- what may be done with it ---

    def change(self, wanted: dict[str, Any]) -> None:
        """Choose other settings; the map follows."""
        work = self.work
        if work is None:
            self._wanted = self._wanted.changed(wanted)
            self._announce()
            return
        settings = work.settings.changed(wanted)
        if not settings.starts_like(work.settings):
            work.begin_anew()
        work.settings = settings
        self._fitting.go_on()

    def fit(self) -> None:
        """Begin anew, from the start that the settings name."""
        self.opened().begin_anew()
        self._fitting.go_on()

    def go_on(self) -> None:
        """Go on from the places that the points have."""
        self._fitting.go_on()

    def stop(self) -> None:
        """Stop what is running."""
        self.desk.stop()

    def show(self, number: Any) -> None:
        """Go back to an earlier map, its settings and its changes."""
        work = self.opened()
        work.found(number)
        self.desk.discard("fit", "preview")
        work.go_back(number)
        self._tell(*work.view(number))
        self._announce()

    def drop_point(self, i: Any) -> None:
        """Leave a point out."""
        self.opened().leave_out(i)
        self._fitting.go_on()

    def restore_point(self, i: Any) -> None:
        """Take a point back, at the place where it was."""
        work = self.opened()
        work.left_out.discard(work.number(i))
        self._fitting.go_on()

    def drop_pair(self, i: Any, j: Any) -> None:
        """Leave the distance of a pair out."""
        work = self.opened()
        work.missing.add(work.pair(i, j))
        self._fitting.go_on()

    def restore_pair(self, i: Any, j: Any) -> None:
        """Have the distance of a pair count again."""
        work = self.opened()
        work.missing.discard(work.pair(i, j))
        self._fitting.go_on()

    def free(self, i: Any) -> None:
        """Let a fixed point move."""
        work = self.opened()
        work.fixed.pop(work.number(i), None)
        self._fitting.go_on()

    def move(self, i: Any, seen: Any, last: Any) -> None:
        """Fix a point where it is dragged to, in the view; the map follows."""
        self._fitting.move(i, seen, last)
