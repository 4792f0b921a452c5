"""Tasks: the worker does one at a time, may be stopped, and may end before it is done."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, final

PATIENCE = 3.0
"""Seconds that a task has to end by itself once it is to stop."""
TRIES = 3
"""Workers that may end before they are ready."""
CRASHED = "The worker ended unexpectedly{where}. Nothing is lost: {kept}."
GIVEN_UP = "The worker does not start. Close the studio and start it again."
OVERTAKEN = "something else was asked for meanwhile"


class Refused(ValueError):
    """What cannot be done now, or at all, in words for the user."""


class Workman(Protocol):
    """What a session needs of a worker."""

    @property
    def pid(self) -> int:
        """The number of the process."""

    def start(self) -> None:
        """Start a process, in place of one that has ended."""

    def send(self, *message: Any) -> None:
        """Send a message."""

    def kill(self) -> None:
        """End the process at once."""

    def close(self) -> None:
        """End the process for good."""


@final
@dataclass(eq=False)
class Task:
    """Something that the worker does.

    Attributes
    ----------
    purpose : str
        What it is for: "read", "fit", "preview", "judge", "choose", "stability" or "export".
    message : tuple
        What the worker is told.
    done : callable
        Takes what the worker has found.
    heard : mapping of str to callable
        What takes the messages of the worker until then, by their names.
    lost : callable, default=None
        Called if the task comes to nothing: it fails, is stopped, or the worker ends.
    answer : Future, default=None
        For whoever waits.
    """

    purpose: str
    message: tuple[Any, ...]
    done: Callable[[Task, Any], None]
    heard: Mapping[str, Callable[..., None]] = field(default_factory=dict)
    lost: Callable[[Task], None] | None = None
    answer: asyncio.Future[Any] | None = None
    job: int = 0
    stopping: bool = False
    unwanted: bool = False  # whether what it finds is no longer of interest
    settled: bool = False  # whether the map of a fit is there, and is only judged
    progress: dict[str, Any] = field(default_factory=dict)

    def come_to_nothing(self) -> None:
        """Clean up after a task that was not done, unless nobody wants it any more."""
        if self.lost is not None and not self.unwanted:
            self.lost(self)

    def refuse(self, words: str) -> None:
        """Tell whoever waits that there will be no answer."""
        if self.answer is not None:
            refuse(self.answer, words)


def refuse(answer: asyncio.Future[Any], words: str) -> None:
    """Tell whoever waits for an answer that there will be none."""
    if not answer.done():
        answer.set_exception(Refused(words))
        answer.exception()  # nobody may be waiting


Maker = Callable[[], Task]
"""Makes a task when its turn has come, of what there is then."""


@final
class Desk:
    """Hands tasks to the worker. All methods are called on the thread of the event loop.

    Parameters
    ----------
    worker : callable
        Makes the worker, from what is to hear its messages.
    changed : callable
        Called whenever something has changed.
    kept : callable
        Returns what there still is after the worker has ended within a task, in words.
    """

    def __init__(
        self,
        worker: Callable[[Callable[..., None]], Workman],
        changed: Callable[[], None],
        kept: Callable[[Task], str],
    ):
        self._loop, self._changed, self._kept = asyncio.get_running_loop(), changed, kept
        self.task: Task | None = None
        self.table: Any = None  # what a new worker is given first
        self.message = {"kind": "", "text": ""}  # what the user is told
        self.ready = False
        self._next: Maker | None = None
        self._awaited: Task | None = None  # what is next, if somebody waits for it
        self._asked: list[tuple[Maker, asyncio.Future[Any]]] = []
        self._jobs = self._tries = 0
        self._closed = self._given_up = False
        self._doomed = False  # whether the worker was killed, and its end is not heard yet
        self.worker = worker(self._hear)

    def say(self, kind: str = "", text: str = "") -> None:
        """Have something told to the user; `kind` is "", "info", "error" or "crash"."""
        self.message = {"kind": kind, "text": text}

    def close(self) -> None:
        """End the worker; nothing is heard of it any more."""
        self._closed = True
        self.worker.close()

    # --- what is to be done ---

    def put(self, maker: Maker) -> None:
        """Have a task made and done at once, in place of what is running or was to come."""
        self._check_worker()
        self.overtake(OVERTAKEN)
        self._next = maker
        self._hasten()

    def put_awaited(self, task: Task) -> asyncio.Future[Any]:
        """Have a task done at once, for somebody who waits."""
        self._check_worker()
        self.overtake(OVERTAKEN)
        task.answer = answer = self._loop.create_future()
        self._next, self._awaited = lambda: task, task
        self._hasten()
        return answer

    def ask(self, maker: Maker) -> asyncio.Future[Any]:
        """Have a question answered after what is running: it is about what there is then."""
        self._check_worker()
        answer = self._loop.create_future()
        self._asked.append((maker, answer))
        if self.task is None:
            self.proceed()
        return answer

    def follow(self, maker: Maker) -> None:
        """Have a task come next, unless another file is to come."""
        if self._awaited is None:
            self._next = maker

    @property
    def has_next(self) -> bool:
        """Whether something is to be done next, apart from questions."""
        return self._next is not None

    def stop(self) -> None:
        """Stop what is running, and forget what was to come."""
        self.overtake("stopped")
        self.refuse_questions("stopped")
        self._stop()
        self._changed()

    def discard(self, *purposes: str) -> None:
        """End a task of some purpose, whose result nobody wants, and forget what was to come."""
        if self.task is not None and self.task.purpose in purposes:
            self.task.unwanted = True
            self._stop()
        self.overtake(OVERTAKEN)

    def overtake(self, words: str) -> None:
        """Forget what was to come; whoever waits for it is told why."""
        if self._awaited is not None:
            self._awaited.refuse(words)
        self._next = self._awaited = None

    def refuse_questions(self, words: str) -> None:
        """Forget the questions; whoever waits is told why."""
        for _, answer in self._asked:
            refuse(answer, words)
        self._asked.clear()

    def _check_worker(self) -> None:
        if self._given_up:
            raise Refused(GIVEN_UP)

    def _hasten(self) -> None:
        if self.task is None:
            self.proceed()
        else:
            self._stop()

    def _stop(self) -> None:
        task = self.task
        if task is None or task.stopping:
            return
        task.stopping = True
        self.worker.send("stop", task.job)

        def insist() -> None:
            if self.task is task:
                self._doomed = True
                self.worker.kill()

        self._loop.call_later(PATIENCE, insist)

    def proceed(self) -> None:
        """Begin with the next task, if nothing is running."""
        task = self._upcoming() if self.task is None and not self._doomed else None
        if task is not None:
            self._jobs += 1
            self.task, task.job = task, self._jobs
            name, *rest = task.message
            self.worker.send(name, task.job, *rest)
        self._changed()

    def _upcoming(self) -> Task | None:
        """Return the next task; questions that can no longer be asked are refused."""
        if self._next is not None:
            maker, self._next, self._awaited = self._next, None, None
            return maker()
        while self._asked:
            maker, answer = self._asked.pop(0)
            try:
                task = maker()
            except Refused as refusal:
                refuse(answer, str(refusal))
            else:
                task.answer = answer
                return task
        return None

    # --- what the worker tells ---

    def _hear(self, message: tuple[Any, ...]) -> None:
        """Take a message on the thread that listens to the worker."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self.heard, message)

    def heard(self, message: tuple[Any, ...]) -> None:
        """Take a message of the worker."""
        name, *rest = message
        if self._closed:
            return
        if name == "ready":
            self.ready = True
            self._changed()
        elif name == "died":
            self._died(*rest)
        elif self.task is not None and rest[0] == self.task.job:
            self._told(self.task, name, *rest[1:])

    def _told(self, task: Task, name: str, *rest: Any) -> None:
        """Take what the worker tells of its task."""
        if name in ("done", "failed"):
            self.task, self._tries = None, 0
            if not task.unwanted:
                (self._done if name == "done" else self._failed)(task, *rest)
            self.proceed()
        elif task.unwanted:
            return
        elif name == "progress":
            task.progress = dict(zip(("share", "what"), rest, strict=True))
            self._changed()
        else:
            task.heard[name](task, *rest)

    def _done(self, task: Task, found: Any) -> None:
        task.done(task, found)
        if task.answer is not None and not task.answer.done():
            task.answer.set_result(found)

    def _failed(self, task: Task, words: str) -> None:
        self.say("error" if words else "info", words or "Stopped.")
        task.refuse(words or "stopped")
        task.come_to_nothing()

    def _died(self, pid: int, code: int) -> None:
        """Start another worker, which has the table; what was running can go on."""
        if pid != self.worker.pid:
            return
        task, self.task = self.task, None
        if not self._doomed and (task is None or not self.ready):  # it would end again
            self._tries += 1
        self.ready = self._doomed = False
        if self._tries > TRIES:
            self._give_up(task)
            return
        self.worker.start()
        if self.table is not None:
            self.worker.send("hold", 0, self.table)
        if task is not None:
            self._lose(task)
        self.proceed()

    def _give_up(self, task: Task | None) -> None:
        """Leave nobody waiting for a worker that does not start."""
        self._given_up = True
        self.say("error", GIVEN_UP)
        if task is not None:
            task.refuse(GIVEN_UP)
        self.overtake(GIVEN_UP)
        self.refuse_questions(GIVEN_UP)
        self._changed()

    def _lose(self, task: Task) -> None:
        """Say what there is, now that the worker has ended within a task."""
        task.come_to_nothing()
        if task.stopping:
            self.say("info", "Stopped.")
        else:
            sweep = task.progress.get("sweep")
            where = "" if sweep is None else f" at sweep {sweep}"
            self.say("crash", CRASHED.format(where=where, kept=self._kept(task)))
        task.refuse(self.message["text"])
