"""The worker: a process of its own that reads files and fits maps, and may be killed at any time.

All that matters is kept by the session in the process of the server, see `unimds.studio.session`.
Messages are tuples. To the worker go ``(name of a task, job, …)`` and ``("stop", job)``; from it
come ``("ready",)``, ``("frame", job, …)``, ``("progress", job, …)``, ``("judged", job, …)`` and at
last ``("done", job, …)`` or ``("failed", job, words)``.
"""

from __future__ import annotations

import multiprocessing
import os
import queue
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections import OrderedDict, deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from unimds.studio.steps import Step

Array = NDArray[Any]

FIRST, RATE = 60, 30.0
"""Frames that are always sent, so that a short fit can be watched; and frames a second after."""
PREVIEW = 12
"""Sweeps while a point is dragged."""
CACHED = 4
"""Maps that the worker remembers."""
JACKKNIFE, MAPS = 100, 40
"""Points up to which each is left out in turn; maps of resampled tables, of more points."""
MOST = 5000
"""Points that the studio takes."""
FOLDS = 5
EXACT = 15
"""Digits of what is more than looked at."""

Heard = Callable[[tuple[Any, ...]], None]


# --- in the process of the server -----------------------------------------------------------------


@final
class Worker:
    """The worker as the server sees it; `heard` is called on a thread of its own."""

    def __init__(self, heard: Heard):
        self._heard, self._context = heard, multiprocessing.get_context("spawn")
        # of this process: one that is killed could not remove it
        self._folder = tempfile.TemporaryDirectory(prefix="unimds-studio-")
        self.start()

    def start(self) -> None:
        """Start a process, in place of one that has ended."""
        here, there = self._context.Pipe()
        # a daemon: it must not outlive the server
        about = (there, self._folder.name)
        self._process = self._context.Process(target=work, args=about, daemon=True)
        self._process.start()
        there.close()
        self._sent: queue.SimpleQueue[Any] = queue.SimpleQueue()
        for task, more in ((self._listen, self._process), (self._speak, self._sent)):
            threading.Thread(target=task, args=(here, more), daemon=True).start()

    @property
    def pid(self) -> int:
        """The number of the process."""
        return int(self._process.pid or 0)

    def send(self, *message: Any) -> None:
        """Send a message; one to a process that has just ended is lost, and its end is heard."""
        self._sent.put(message)

    def kill(self) -> None:
        """End the process at once; "died" will be heard."""
        self._process.kill()

    def close(self) -> None:
        """End the process, and leave nothing behind."""
        self._process.kill()
        self._process.join()
        self._folder.cleanup()

    def _listen(self, pipe: Any, process: Any) -> None:
        sent = self._sent
        try:
            while True:
                self._heard(pipe.recv())
        except (EOFError, OSError):  # it has ended
            pass
        except Exception:  # what it tells cannot be read, for want of memory say
            process.kill()
        process.join()
        sent.put(None)
        pipe.close()
        self._heard(("died", process.pid, process.exitcode))

    def _speak(self, pipe: Any, sent: queue.SimpleQueue[Any]) -> None:
        """Send what waits: a table is large, and a worker that starts does not listen yet."""
        with suppress(OSError):
            while (message := sent.get()) is not None:
                pipe.send(message)


# --- in the process of the worker -----------------------------------------------------------------


def work(pipe: Any, folder: str) -> None:
    """Do tasks until the server is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # ^C in a terminal is meant for the server
    sys.stdin = open(os.devnull)  # noqa: SIM115
    os.chdir(folder)  # messages about a file then show its bare name
    tempfile.tempdir = folder  # what a killed worker leaves there goes with the folder
    bench = Bench(pipe)
    with suppress(EOFError, OSError):
        bench.warm_up()
        while True:
            bench.do(bench.waiting.popleft() if bench.waiting else pipe.recv())


@final
class Bench:
    """What the worker has before it: a table, and the maps it has made last."""

    def __init__(self, pipe: Any):
        self.pipe = pipe
        self.waiting: deque[tuple[Any, ...]] = deque()
        self.table: Any = None
        self._maps: OrderedDict[int, Any] = OrderedDict()

    def warm_up(self) -> None:
        """Import, and load compiled code, before anyone waits for it."""
        from unimds.estimators.mds import MDS

        self.pipe.send(("ready",))
        if not self.pipe.poll():
            MDS(n_init=1, random_state=0).fit(np.eye(5), init=np.eye(5)[:, :2])
        if not self.pipe.poll():
            import_module("unimds.studio.judged")

    def do(self, message: tuple[Any, ...]) -> None:
        """Do a task; what goes wrong is told."""
        name, job, *rest = message
        if name == "stop":  # of a task that had ended before
            return
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                self._caught = caught
                found = getattr(self, f"_{name}")(job, *rest)
            self.pipe.send(("done", job, found))
        except KeyboardInterrupt:
            self.pipe.send(("failed", job, ""))
        except Exception as error:
            from unimds.studio.tables import error_in_words

            self.pipe.send(("failed", job, error_in_words(error)))

    def stopped(self, job: int) -> bool:
        """Whether this job is to end; other messages wait for their turn."""
        while self.pipe.poll():
            message = self.pipe.recv()
            if message == ("stop", job):
                return True
            self.waiting.append(message)
        return False

    def _warned(self, words: Callable[[Warning | str], str] = str) -> list[str]:
        """Return what has been warned of, each once."""
        kinds = (UserWarning, RuntimeWarning)
        said = [words(one.message) for one in self._caught if issubclass(one.category, kinds)]
        return list(dict.fromkeys(said))

    # --- the table ---

    def _read(self, job: int, name: str, data: bytes, how: dict[str, Any]) -> dict[str, Any]:
        """Read a file; its name has been checked by the server."""
        from unimds.files import read
        from unimds.files.meaning.parts import parts_of
        from unimds.studio.tables import doubt, in_words, named, recognised

        path = Path(name)
        path.write_bytes(data)
        try:
            table = read(path, **how)
        finally:
            path.unlink()
        if table.n > MOST:
            raise ValueError(
                f"{name} has {table.n:,} points, and the studio takes {MOST:,}; "
                "`unimds embed --landmarks 1000` makes maps of very many points"
            )
        if table.n < 3:
            raise ValueError(f"{name} has {table.n} points, and a map needs three")
        self._hold(job, table)
        parts = int(np.max(parts_of(table), initial=0)) + 1
        more = doubt(table, name, parts)
        odd = [*self._warned(lambda warning: in_words(warning, table)), *more]
        told = {"recognised": recognised(table), "doubts": odd, "joined": parts == 1}
        return {"table": table, "names": named(table), **told}

    def _hold(self, job: int, table: Any) -> None:
        """Take a table that was read before."""
        self.table = table
        self._maps.clear()

    # --- maps ---

    def _fit(self, job: int, number: int, step: Step) -> dict[str, Any]:
        from unimds._runtime.watch import progress_heard
        from unimds.studio.judged import frame_of, seen
        from unimds.studio.steps import fitted

        began = time.perf_counter()
        frames = Frames(self, job, step)
        with progress_heard(frames.searching):
            mds = fitted(self.table, step, frames)
        if frames.cut:  # the best of the starts so far: no recipe would lead there again
            raise KeyboardInterrupt
        view = seen(mds.embedding_, mds.space_, frames.view)
        found = {
            "points": mds.embedding_,
            "space": mds.space_,
            "about": frame_of(view),
            "shown": _drawn(view),
            "calls": frames.calls if frames.stopped else None,
        }
        self._remember(number, mds)
        seconds = time.perf_counter() - began
        self.pipe.send(("made", job, {**found, "facts": self._facts(mds, seconds)}))
        return self._judge(job, number, step)

    def _judge(self, job: int, number: int, step: Step) -> dict[str, Any]:
        """Find out how well a map fits."""
        from unimds.studio.judged import judged
        from unimds.studio.tables import named

        names, kept = named(self.table), step.kept(self.table.n)
        labels = [names[i] for i in kept]
        return judged(self._map(number, step), kept, labels, step.data(self.table)[1])

    def _follow(
        self, job: int, step: Step, moved: tuple[int, list[float]] | None
    ) -> dict[str, Any]:
        """Take a few sweeps, with a point where it is dragged to in the view."""
        from unimds.plots.views import place_of
        from unimds.studio.judged import frame_of, seen
        from unimds.studio.numbers import plain
        from unimds.studio.steps import fitted

        fixed: dict[int, tuple[float, ...]] = {}
        if moved is not None and step.start is not None:
            i, shown = moved
            place = place_of(shown, step.start, step.settings.place)
            fixed[i] = tuple(float(part) for part in place)
            start = step.start.copy()
            start[step.kept(self.table.n) == i] = place
            step = replace(step, start=start, fixed={**step.fixed, **fixed})
        mds = fitted(self.table, step, max_iter=PREVIEW)
        view = seen(mds.embedding_, mds.space_)
        about = {**frame_of(view), "settled": mds.n_iter_ < PREVIEW}
        about["cost"] = plain(mds.cost_, EXACT)
        return {"points": mds.embedding_, "fixed": fixed, "about": about, "shown": _drawn(view)}

    def _facts(self, mds: Any, seconds: float) -> dict[str, Any]:
        from unimds.estimators.parameters import size_found
        from unimds.studio.numbers import plain

        return {
            "stress": plain(mds.stress_, EXACT),
            "cost": plain(mds.cost_, EXACT),
            "sweeps": int(mds.n_iter_),
            "outcome": mds.result_.outcome.value,
            "converged": bool(mds.result_.converged),
            "size": size_found(mds),
            "seconds": seconds,
            "warnings": [told for told in self._warned() if told != mds.result_.outcome.value],
        }

    def _remember(self, number: int, mds: Any) -> None:
        self._maps[number] = mds
        while len(self._maps) > CACHED:
            self._maps.popitem(last=False)

    def _map(self, number: int, step: Step) -> Any:
        """Return the estimator of a map; one that is forgotten is made again, to the bit."""
        from unimds.studio.steps import fitted

        if number not in self._maps:
            self._remember(number, fitted(self.table, step))
        return self._maps[number]

    # --- questions ---

    def _told(self, job: int) -> Callable[[float | None, str], None]:
        """Return what tells the server of progress, and ends the task if that is asked for."""

        def tell(share: float | None, what: str) -> None:
            if share is not None:  # else it is about one map of many
                self.pipe.send(("progress", job, share, what))
            if self.stopped(job):
                raise KeyboardInterrupt

        return tell

    def _choose(self, job: int, step: Step, name: str, values: list[Any]) -> dict[str, Any]:
        """Score candidates by held-out pairs."""
        from unimds._runtime.watch import progress_heard
        from unimds.estimators.mds import MDS
        from unimds.select import MDSSearchCV
        from unimds.studio.numbers import plain

        X, weights = step.data(self.table)
        given = {**step.settings.arguments(self.table.precomputed), "init": "auto", "n_init": 1}
        grid = {name: values}
        seed = step.settings.seed
        search = MDSSearchCV(MDS(**given), grid, cv=FOLDS, refit=False, random_state=seed)
        with progress_heard(self._told(job)), step.named(self.table):
            search.fit(X, weights=weights)
        found = search.cv_results_
        return {
            "errors": plain(found["mean_error"]),  # NaN where it cannot be fitted
            "standard_errors": plain(found["standard_error"]),
            "best": int(search.best_index_),
            "sentence": search.sentence_,
            "warnings": self._warned(),
        }

    def _stability(self, job: int, number: int, step: Step, shown: bytes) -> dict[str, Any]:
        """Study where else the points of a map could be; the page has it `shown`."""
        from unimds._runtime.watch import progress_heard
        from unimds.plots.embedding import scene_of
        from unimds.plots.layers import UncertaintyRegions
        from unimds.plots.layers.base import Line
        from unimds.studio.judged import signs
        from unimds.studio.numbers import plain
        from unimds.trust import bootstrap, jackknife

        mds, weights = self._map(number, step), step.data(self.table)[1]
        with progress_heard(self._told(job)):
            if len(mds.embedding_) <= JACKKNIFE:
                found = jackknife(mds, weights=weights)
            else:
                seed = step.settings.seed
                found = bootstrap(mds, n_maps=MAPS, weights=weights, random_state=seed)
        scene = scene_of(mds)
        turn = signs(scene.view, np.frombuffer(shown, "<f4").reshape(scene.view.points.shape))
        try:
            marks = UncertaintyRegions(found).draw(scene).marks
            lines = [plain(turn * mark.path, 4) for mark in marks if isinstance(mark, Line)]
        except ValueError:  # a layer that does not suit: of three dimensions on a sphere, say
            lines = []
        return {
            "kept": step.kept(self.table.n).tolist(),
            "method": found.method,
            "maps": len(found.maps),
            "stability": plain(found.stability),
            "errors": plain(found.errors),
            "radii": plain(found.regions().radii),
            "regions": lines,
            "warnings": self._warned(),
        }

    def _export(
        self, job: int, number: int, step: Step, kind: str, title: str, color: str | None
    ) -> bytes:
        """Make a file of a map."""
        from unimds.studio.exports import made

        return made(self._map(number, step), self.table, step, kind, title, color)


@final
class Frames:
    """Sends what a fit looks like, not too often, and stops it if that is asked for."""

    def __init__(self, bench: Bench, job: int, step: Step):
        self._bench, self._job, self._space = bench, job, step.settings.place
        self.calls, self.stopped, self._sent = 0, False, 0.0
        self.cut = False  # whether it was stopped in the search for a start
        self.view: Any = None

    def searching(self, share: float | None, what: str) -> None:
        """Tell what is done before the first sweep; end it if that is asked for."""
        self._bench.pipe.send(("progress", self._job, share, what))
        if self._bench.stopped(self._job):
            self.cut = True
            raise KeyboardInterrupt

    def __call__(self, iteration: int, cost: float, embedding: Array) -> bool:
        """Take a sweep; return whether to stop."""
        self.calls += 1
        now = time.perf_counter()
        if self.calls <= FIRST or now - self._sent >= 1.0 / RATE:
            self._sent = now
            self._send(iteration, cost, embedding)
        self.stopped = self._bench.stopped(self._job)
        return self.stopped

    def _send(self, iteration: int, cost: float, embedding: Array) -> None:
        from unimds.studio.judged import frame_of, seen
        from unimds.studio.numbers import plain

        before = self.view
        self.view = seen(embedding, self._space, before)
        about = {"sweep": iteration, "calls": self.calls, "cost": plain(cost, EXACT)}
        if before is None or before.kind != self.view.kind:
            about |= frame_of(self.view)
        embedding = np.array(embedding)
        self._bench.pipe.send(("frame", self._job, about, embedding, _drawn(self.view)))


def _drawn(view: Any) -> bytes:
    """Return the points of a view as the page takes them."""
    return bytes(view.points.astype("<f4").tobytes())
