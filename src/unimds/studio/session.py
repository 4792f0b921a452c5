"""A session: what the user has done, kept in the process of the server.

The worker may end at any time. The table, the settings, every finished map with the steps that led
to it, and the last frame of a running fit are here, so nothing is lost with it.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, final

import numpy as np
from numpy.typing import NDArray

from unimds.studio.exports import KINDS
from unimds.studio.recipe import Recipe, Source, recipe
from unimds.studio.settings import SETTINGS, Settings, space_of
from unimds.studio.steps import Made, Step

Array = NDArray[Any]
Tell = Callable[[dict[str, Any], bytes], None]

PATIENCE = 3.0
"""Seconds that a task has to end by itself once it is to stop."""
CHAIN = 25
"""Steps that a recipe repeats; a map after more begins with numbers."""
SHELF = 12
"""Maps that can be compared."""
SHAPE = ("kind", "edge", "grid", "note")
"""What a frame says of its view, if that has changed."""
FEWEST = 3
"""Points that a map needs."""
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

    `purpose` is "read", "fit", "preview", "judge", "choose", "stability" or "export"; `answer` is
    for whoever waits.
    """

    purpose: str
    message: tuple[Any, ...]
    answer: asyncio.Future[Any]
    step: Step | None = None
    before: Made | None = None
    number: int = 0
    about: dict[str, Any] = field(default_factory=dict)
    job: int = 0
    stopping: bool = False
    unwanted: bool = False  # whether its map is no longer of interest
    progress: dict[str, Any] = field(default_factory=dict)


def _refuse(answer: asyncio.Future[Any], words: str) -> None:
    if not answer.done():
        answer.set_exception(Refused(words))
        answer.exception()  # nobody may be waiting


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)


Maker = Callable[[], Task]


@final
class Session:
    """What the user has done. All methods are called on the thread of the event loop.

    Parameters
    ----------
    worker : callable
        Makes the worker, from what is to hear its messages.
    tell : callable
        Takes what the pages are told: a header and bytes.
    """

    def __init__(self, worker: Callable[[Callable[..., None]], Workman], tell: Tell):
        self._loop = asyncio.get_running_loop()
        self._tell = tell
        self.source: Source | None = None
        self.told: dict[str, Any] = {}  # what is recognised in the file, and what is odd
        self.version = 0  # of the file
        self.forget()
        self._task: Task | None = None
        self._next: Maker | None = None
        self._awaited: Task | None = None  # what is next, if somebody waits for it
        self._asked: list[tuple[Maker, asyncio.Future[Any]]] = []
        self._jobs = self._numbers = 0
        self.ready, self._tries, self._closed, self._given_up = False, 0, False, False
        self._doomed = False  # whether the worker was killed, and its end is not heard yet
        self.message = {"kind": "", "text": ""}
        self.worker = worker(self._hear)

    def forget(self) -> None:
        """Begin anew, as for another file."""
        self.settings = Settings()
        self.left_out: set[int] = set()
        self.missing: set[tuple[int, int]] = set()
        self.fixed: dict[int, tuple[float, ...]] = {}
        self.maps: dict[int, Made] = {}
        self.spaces: dict[int, Any] = {}
        self.views: dict[int, tuple[dict[str, Any], bytes]] = {}
        self.judged: dict[int, dict[str, Any]] = {}
        self.tables: dict[int, Any] = {}  # of the last map only
        self.current: int | None = None
        self.places: Array | None = None  # of all points of the file, the last ones known
        self.torn = False  # whether the places are newer than the current map
        self.anew = False  # whether the settings ask for a start of their own, not for these places
        self.frame: tuple[dict[str, Any], bytes] | None = None  # the last one since the last map
        self.dragging: bool | None = None  # None: no; False: the point has been let go
        self._seen: tuple[int, list[float]] | None = None  # where a point is dragged to
        self.choice: dict[str, Any] | None = None
        self.stability: dict[int, dict[str, Any]] = {}

    # --- what the pages are told ---

    def state(self) -> dict[str, Any]:
        """Return all that a page needs to know at once."""
        source, task = self.source, self._task
        file = None
        if source is not None:
            more: dict[str, Any] = {"n": source.table.n, "version": self.version}
            more |= {"kind": source.table.kind}
            more |= {"precomputed": source.table.precomputed, "how": dict(source.how)}
            file = {"name": source.name, **more, **self.told}
        running = None
        if task is not None and task.purpose != "export":
            running = {"purpose": task.purpose, "stopping": task.stopping, **task.progress}
        return {
            "type": "state",
            "ready": self.ready,
            "file": file,
            "settings": self.settings.told(),
            "fixed": sorted(self.fixed),
            "left_out": sorted(self.left_out),
            "missing": sorted(self.missing),
            "running": running,
            "torn": self.torn,
            "current": self.current,
            "finished": None if self.torn or self._moving else self.current,
            "maps": [self._map_told(made) for made in self.maps.values()],
            "message": self.message,
            "choice": self.choice,
            "stability": self.current if self.current in self.stability else None,
        }

    def _map_told(self, made: Made) -> dict[str, Any]:
        n = 0 if self.source is None else self.source.table.n
        return {
            "number": made.number,
            "settings": made.step.settings.told(),
            "points": len(made.points),
            "changes": len(made.step.missing) + len(made.step.left_out) + len(made.step.fixed),
            "steps": len(made.chain),
            "all": len(made.points) == n,
            "judged": made.number in self.judged,
            **made.facts,
        }

    def _announce(self) -> None:
        self._tell(self.state(), b"")

    def _say(self, kind: str, text: str) -> None:
        self.message = {"kind": kind, "text": text}

    def view(self, number: int) -> tuple[dict[str, Any], bytes]:
        """Return how a map is drawn."""
        if number not in self.views:
            raise Refused("there is no such map")
        about, shown = self.views[number]
        kept = self.maps[number].step.kept(self._table.n)
        return {**about, "kept": kept.tolist(), "number": number}, shown

    # --- the worker ---

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
            self._announce()
        elif name == "died":
            self._worker_died(*rest)
        elif self._task is not None and rest[0] == self._task.job:
            if not self._task.unwanted:
                getattr(self, f"_on_{name}")(self._task, *rest[1:])
            elif name in ("done", "failed"):
                self._task = None
                self._proceed()

    def close(self) -> None:
        """End the worker; nothing is heard of it any more."""
        self._closed = True
        self.worker.close()

    def _worker_died(self, pid: int, code: int) -> None:
        """Start another worker, which has the table; what was running can go on."""
        if pid != self.worker.pid:
            return
        task, self._task = self._task, None
        if not self._doomed and (task is None or not self.ready):  # it would end again
            self._tries += 1
        self.ready = self._doomed = False
        if self._tries > TRIES:
            self._give_up(task)
            return
        self.worker.start()
        if self.source is not None:
            self.worker.send("hold", 0, self.source.table)
        if task is not None:
            self._lost(task, code)
        self._proceed()

    def _give_up(self, task: Task | None) -> None:
        """Leave nobody waiting for a worker that does not start."""
        self._given_up = True
        self._say("error", GIVEN_UP)
        if task is not None:
            _refuse(task.answer, GIVEN_UP)
        self._overtake(GIVEN_UP)
        self._refuse_all(GIVEN_UP)
        self._announce()

    def _lost(self, task: Task, code: int) -> None:
        """Say what there is, now that the worker has ended within a task."""
        sweep = task.progress.get("sweep")
        wanted = task.purpose == "fit" and not task.unwanted
        if wanted and task.number not in self.maps:
            self.torn = self.torn or sweep is not None
        if task.stopping:
            self._say("info", "Stopped.")
        else:
            where = "" if sweep is None else f" at sweep {sweep}"
            kept = "the last maps are kept"
            if self.torn and sweep is not None:
                kept = "the map of that sweep is kept, and you can go on from it"
            self._say("crash", CRASHED.format(where=where, kept=kept))
        self._abandon(task)
        _refuse(task.answer, self.message["text"])

    # --- tasks ---

    def _make(self, maker: Maker, awaited: Task | None = None) -> None:
        """Have a task made and done at once, in place of what is running or was to come."""
        self._check_worker()
        self._overtake(OVERTAKEN)
        self._next, self._awaited = maker, awaited
        if self._task is None:
            self._proceed()
        else:
            self._stop()

    def _ask(self, maker: Maker) -> asyncio.Future[Any]:
        """Have a question answered after what is running: it is about the map there is then."""
        self._check_worker()
        answer = self._loop.create_future()
        self._asked.append((maker, answer))
        if self._task is None:
            self._proceed()
        return answer

    def _check_worker(self) -> None:
        if self._given_up:
            raise Refused(GIVEN_UP)

    def _overtake(self, words: str) -> None:
        """Forget what was to come; whoever waits for it is told why."""
        if self._awaited is not None:
            _refuse(self._awaited.answer, words)
        self._next = self._awaited = None

    def _proceed(self) -> None:
        task = self._upcoming() if self._task is None and not self._doomed else None
        if task is not None:
            self._jobs += 1
            self._task, task.job = task, self._jobs
            name, *rest = task.message
            self.worker.send(name, task.job, *rest)
        self._announce()

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
                _refuse(answer, str(refusal))
            else:
                task.answer = answer
                return task
        return None

    def _stop(self) -> None:
        task = self._task
        if task is None or task.stopping:
            return
        task.stopping = True
        self.worker.send("stop", task.job)

        def insist() -> None:
            if self._task is task:
                self._doomed = True
                self.worker.kill()

        self._loop.call_later(PATIENCE, insist)

    def _new_task(self, purpose: str, *message: Any, **more: Any) -> Task:
        return Task(purpose, message, self._loop.create_future(), **more)

    def _on_progress(self, task: Task, share: float, what: str) -> None:
        task.progress = {"share": share, "what": what}
        self._announce()

    def _on_failed(self, task: Task, words: str) -> None:
        self._task, self._tries = None, 0
        self._say("error" if words else "info", words or "Stopped.")
        _refuse(task.answer, words or "stopped")
        self._abandon(task)
        self._proceed()

    def _abandon(self, task: Task) -> None:
        """Forget what was dragged in a task that came to nothing, and show what there is."""
        if task.unwanted:
            return
        if task.purpose == "preview":
            self.dragging = self._seen = None
        if task.purpose in ("fit", "preview"):
            self._tell_again()

    def _on_done(self, task: Task, found: Any) -> None:
        self._task, self._tries = None, 0
        getattr(self, f"_after_{task.purpose}")(task, found)
        if not task.answer.done():
            task.answer.set_result(found)
        self._proceed()

    # --- the file ---

    def open(self, name: str, data: bytes, how: dict[str, str]) -> asyncio.Future[Any]:
        """Read a file; its name is one that `security.safe_name` has made."""
        task = self._new_task("read", "read", name, data, how)
        task.about = {"name": name, "data": data, "how": how}
        self._make(lambda: task, task)
        return task.answer

    def again(self, how: dict[str, str]) -> asyncio.Future[Any]:
        """Read the file again, as something else."""
        source = self._opened
        return self.open(source.name, source.data, how)

    def _after_read(self, task: Task, found: dict[str, Any]) -> None:
        about = task.about["name"], task.about["data"], found["table"], found["names"]
        self.source = Source(*about, task.about["how"], found["joined"])
        self.told = {"recognised": found["recognised"], "doubts": found["doubts"]}
        self.version += 1
        self._refuse_all("another file was opened")
        wanted = self.settings if self.version == 1 else Settings()
        self.forget()
        self.settings = wanted
        self._say("", "")
        self._next = self._next or self._cold

    @property
    def _opened(self) -> Source:
        if self.source is None:
            raise Refused("open a file first")
        return self.source

    @property
    def _table(self) -> Any:
        return self._opened.table

    def _number(self, i: Any) -> int:
        """Return the number of a point of the file."""
        if type(i) is not int or not 0 <= i < self._table.n:
            raise Refused("there is no such point")
        return i

    # --- maps ---

    def change(self, wanted: dict[str, Any]) -> None:
        """Choose other settings; the map follows."""
        settings = self.settings.changed(wanted)
        if self.source is None:
            self.settings = settings
            self._announce()
            return
        anew = not settings.shares_places(self.settings)
        anew |= (settings.start, settings.seed) != (self.settings.start, self.settings.seed)
        if anew:
            self._begin_anew()
        self.settings = settings
        self._make(self._warm)

    def fit(self) -> None:
        """Begin anew, from the start that the settings name."""
        self._opened  # noqa: B018
        self._begin_anew()
        self._make(self._warm)

    def _begin_anew(self) -> None:
        """Have the next fit start as the settings say, whatever else is changed until then."""
        self.fixed.clear()
        self.anew = True

    def go_on(self) -> None:
        """Go on from the places that the points have."""
        self._opened  # noqa: B018
        self._make(self._warm)

    def stop(self) -> None:
        """Stop what is running."""
        self._overtake("stopped")
        self._refuse_all("stopped")
        self._stop()
        self._announce()

    def _refuse_all(self, words: str) -> None:
        for _, answer in self._asked:
            _refuse(answer, words)
        self._asked.clear()

    def _step(self, start: Array | None) -> Step:
        left_out, missing = tuple(sorted(self.left_out)), tuple(sorted(self.missing))
        return Step(self.settings, left_out, missing, dict(self.fixed), start)

    def _fit_task(self, step: Step, before: Made | None) -> Task:
        self._numbers += 1
        message = ("fit", self._numbers, step)
        self._say("", "")
        return self._new_task("fit", *message, step=step, before=before, number=self._numbers)

    def _cold(self) -> Task:
        self.places, self.torn, self.anew = None, False, False
        return self._fit_task(self._step(None), None)

    def _warm(self) -> Task:
        """Start where the points are: on the current map, or at places newer than it."""
        if self.places is None or self.anew:
            return self._cold()
        step = self._step(None)
        kept = step.kept(self._table.n)
        made = None if self.current is None or self.torn else self.maps[self.current]
        start = None if made is None else made.rows(kept, self._table.n)
        if start is None or (made is not None and len(made.chain) >= CHAIN):
            made, start = None, self.places[kept]
        return self._fit_task(self._step(start), made)

    def _on_frame(self, task: Task, about: dict[str, Any], points: Array, shown: bytes) -> None:
        task.progress = {"sweep": about["sweep"], "cost": about["cost"]}
        self._take_places(task.step, points)
        self._tell_frame(task, about, shown)

    def _tell_frame(self, task: Task, about: dict[str, Any], shown: bytes) -> None:
        """Tell the pages where the points are; a page that comes later is told as much."""
        assert task.step is not None
        left_out = list(task.step.left_out)
        told = {"type": "frame", "job": task.job, **about, "left_out": left_out}
        before = {} if self.frame is None else self.frame[0]
        shape = {name: before[name] for name in SHAPE if name in before}
        self.frame = {**shape, **told}, shown
        self._tell(told, shown)

    def _tell_again(self) -> None:
        """Tell the pages where the points really are, after something has failed."""
        if self.torn and self.frame is not None:
            self._tell(*self.frame)
        else:
            self.frame = None
            if self.current is not None:
                self._tell_view(self.current)

    def pictures(self) -> list[tuple[dict[str, Any], bytes]]:
        """Return what a page that comes now is to show: the last map, and what has moved since."""
        found = []
        if self.current is not None:
            about, shown = self.view(self.current)
            found.append(({"type": "view", **about}, shown))
        return found if self.frame is None else [*found, self.frame]

    def _take_places(self, step: Step | None, points: Array) -> None:
        """Keep the places of the points: a crash loses nothing but the last frame."""
        assert step is not None
        if self.places is None or self.places.shape[1:] != points.shape[1:]:
            self.places = np.full((self._table.n, points.shape[1]), np.nan, dtype=points.dtype)
            gaps = np.linalg.norm(points - points.mean(axis=0), axis=1)
            self.places[:] = points[gaps.argmin()]  # a mean need not lie in a curved space
        self.places[step.kept(self._table.n)] = points
        for i, place in self.fixed.items():
            self.places[i] = place

    def _on_made(self, task: Task, found: dict[str, Any]) -> None:
        """Keep a finished map."""
        assert task.step is not None
        step = task.step
        if found["calls"] is not None:  # it was stopped
            step = replace(step, limit=found["calls"])
        made = Made(task.number, step, task.before, found["points"], found["facts"])
        self._take_places(step, made.points)
        self.maps[made.number], self.spaces[made.number] = made, found["space"]
        self.views[made.number] = found["about"], found["shown"]
        self.current, self.torn, self.frame = made.number, False, None
        for number in list(self.maps)[:-SHELF]:
            for shelf in (self.maps, self.spaces, self.views, self.judged, self.stability):
                shelf.pop(number, None)
        self._tell_view(made.number)
        self._announce()

    def _tell_view(self, number: int) -> None:
        about, shown = self.view(number)
        self._tell({"type": "view", **about}, shown)

    def _after_fit(self, task: Task, found: dict[str, Any]) -> None:
        self.tables = {task.number: found.pop("tables")}
        self.judged[task.number] = found

    def _after_judge(self, task: Task, found: dict[str, Any]) -> None:
        if task.number in self.maps:
            self._after_fit(task, found)

    def show(self, number: Any) -> None:
        """Go back to an earlier map, its settings and its changes."""
        if type(number) is not int or number not in self.maps:
            raise Refused("there is no such map")
        if self._task is not None and self._task.purpose in ("fit", "preview"):
            self._task.unwanted = True
            self._stop()
        self._overtake(OVERTAKEN)
        made = self.maps[number]
        step = made.step
        self.settings, self.current, self.torn = step.settings, number, False
        self.left_out, self.missing = set(step.left_out), set(step.missing)
        self.fixed, self.anew, self.frame = dict(step.fixed), False, None
        self.places = None
        self._take_places(step, made.points)
        self._tell_view(number)
        self._announce()

    # --- points and pairs ---

    def drop_point(self, i: Any) -> None:
        """Leave a point out."""
        i = self._number(i)
        if self._table.n - len(self.left_out | {i}) < FEWEST:
            raise Refused(f"a map needs {FEWEST} points")
        self.left_out.add(i)
        self.fixed.pop(i, None)
        self._make(self._warm)

    def restore_point(self, i: Any) -> None:
        """Take a point back, at the place where it was."""
        self.left_out.discard(self._number(i))
        self._make(self._warm)

    def drop_pair(self, i: Any, j: Any) -> None:
        """Leave the distance of a pair out."""
        pair = self._pair(i, j)
        self.missing.add(pair)
        self._make(self._warm)

    def restore_pair(self, i: Any, j: Any) -> None:
        """Have the distance of a pair count again."""
        self.missing.discard(self._pair(i, j))
        self._make(self._warm)

    def _pair(self, i: Any, j: Any) -> tuple[int, int]:
        low, high = sorted((self._number(i), self._number(j)))
        if low == high:
            raise Refused("a pair has two points")
        return low, high

    def free(self, i: Any) -> None:
        """Let a fixed point move."""
        self.fixed.pop(self._number(i), None)
        self._make(self._warm)

    def move(self, i: Any, seen: Any, last: Any) -> None:
        """Fix a point where it is dragged to, in the view; the map follows."""
        i = self._number(i)
        if self.places is None or i in self.left_out:
            raise Refused("there is no map to move a point of")
        if type(seen) is not list or not all(_is_number(at) for at in seen):
            raise Refused("a place is a list of numbers")
        self._seen = i, seen
        self.dragging = last is not True
        if self._task is None or self._task.purpose != "preview":
            self._make(self._preview)

    def _preview(self) -> Task:
        """Take a few sweeps from where the points are, and from where one is dragged to."""
        if self.places is None or self.anew:
            return self._cold()
        step = self._step(self.places[self._step(None).kept(self._table.n)])
        seen, self._seen = self._seen, None
        return self._new_task("preview", "follow", step, seen, step=step)

    def _after_preview(self, task: Task, found: dict[str, Any]) -> None:
        assert task.step is not None
        self.fixed |= found["fixed"]
        self.torn = True
        self._take_places(task.step, found["points"])
        self._tell_frame(task, {"sweep": 0, **found["about"], "preview": True}, found["shown"])
        if self._awaited is not None:  # another file is wanted
            return
        if self._seen is not None:
            self._next = self._preview
        elif self.dragging is False:  # let go: this place is fitted to the end
            self.dragging, self._next = None, self._warm
        elif self._next is None and not found["about"]["settled"]:
            self._next = self._preview

    # --- questions ---

    def choose(self, name: Any) -> asyncio.Future[Any]:
        """Score the choices of a setting by held-out pairs."""
        setting = next((one for one in SETTINGS[:4] if one.name == name), None)
        if setting is None:
            raise Refused("choose among dimensions, spaces, losses or levels")
        values = [choice.value for choice in setting.choices]
        if name == "dim":
            count = self._table.n - len(self.left_out)
            values = [value for value in values if value <= max(count - 3, 1)]
        given = [space_of(value) for value in values] if name == "space" else values

        def task() -> Task:
            asked = ("choose", self._step(None), "n_components" if name == "dim" else name, given)
            return self._new_task("choose", *asked, about={"name": name, "values": values})

        return self._ask(task)

    def _after_choose(self, task: Task, found: dict[str, Any]) -> None:
        self.choice = {**task.about, **found}

    def study(self) -> asyncio.Future[Any]:
        """Ask where else the points of the map could be."""
        return self._ask_of_map("stability")

    def judge(self) -> asyncio.Future[Any]:
        """Ask how well the map fits, if that was stopped or lost."""
        return self._ask_of_map("judge")

    def _ask_of_map(self, purpose: str, *more: Any) -> asyncio.Future[Any]:
        """Ask something of the map that there is once nothing moves any more."""
        self._check_coming()

        def task() -> Task:
            made = self._finished
            asked = (purpose, made.number, made.step, *more)
            return self._new_task(purpose, *asked, number=made.number)

        return self._ask(task)

    def _after_stability(self, task: Task, found: dict[str, Any]) -> None:
        if task.number in self.maps:
            self.stability[task.number] = {"number": task.number, **found}

    def partners(self, i: Any) -> Callable[[], dict[str, Any]]:
        """Return what finds all pairs of a point; it may be called on another thread."""
        self._number(i)
        made = None if self.current is None or self.torn else self.maps[self.current]
        kept = [] if made is None else made.step.kept(self._table.n).tolist()
        tables = None if made is None else self.tables.get(made.number)
        if made is None or tables is None or i not in kept:
            return lambda: {"i": i, "j": []}
        points, space = made.points, self.spaces[made.number]

        def find() -> dict[str, Any]:
            from unimds.studio.judged import partners

            return {"i": i, "j": kept, **partners(points, tables, space, kept.index(i))}

        return find

    def compare(self, one: Any, other: Any) -> Callable[[], dict[str, Any]]:
        """Return what compares two maps; it may be called on another thread."""
        if one not in self.maps or other not in self.maps:
            raise Refused("there is no such map")
        first, second = self.maps[one], self.maps[other]
        kepts = [made.step.kept(self._table.n) for made in (first, second)]
        both = np.intersect1d(kepts[0], kepts[1])
        points = [
            made.points[np.isin(kept, both)].astype(np.float64)
            for made, kept in zip((first, second), kepts, strict=True)
        ]
        spaces = (self.spaces[one], self.spaces[other])
        if len(both) < FEWEST:
            raise Refused("the maps have fewer than three points in common")

        def find() -> dict[str, Any]:
            from unimds.studio.judged import compared

            return {"kept": both.tolist(), **compared(points[0], points[1], spaces)}

        return find

    # --- files of a map ---

    @property
    def _moving(self) -> bool:
        """Whether another map is on its way."""
        task = self._task
        fits = task is not None and task.purpose in ("read", "fit", "preview")
        if fits and task is not None and (task.unwanted or task.number in self.maps):
            fits = False
        return fits or self._next is not None

    def _check_coming(self) -> None:
        """Raise if there is no map, and none is on its way."""
        self._opened  # noqa: B018
        if not self._moving:
            self._finished  # noqa: B018

    @property
    def _finished(self) -> Made:
        """The current map, if it is finished and is what the page shows."""
        self._opened  # noqa: B018
        if self._moving:
            raise Refused("the map still moves: wait until it stands still, or stop it")
        if self.current is None:
            raise Refused("there is no map yet")
        if self.torn:
            raise Refused("the map is not finished: let it go on first")
        return self.maps[self.current]

    def export(self, kind: str) -> asyncio.Future[bytes]:
        """Return what will be a file of the current map."""
        if kind not in KINDS:
            raise Refused("there is no such file")
        return self._ask_of_map("export", kind, self._opened.name)

    def _after_export(self, task: Task, found: bytes) -> None:
        """Leave the file to whoever waits for it."""

    def recipe(self) -> Recipe:
        """Return the lines that make the current map."""
        made = self._finished
        return recipe(self._opened, made, self.spaces[made.number])
