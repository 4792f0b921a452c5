"""What a run tells: its clock, the callback, the progress bar, ^C, and warnings.

A run that takes long is never silent: on `Watch.ticking` a thread draws the bar anew every second.
"""

from __future__ import annotations

import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.lines import new_line, write

Callback = Callable[[int, float, NDArray[np.floating[Any]]], object]
"""Gets (iteration, cost, embedding) after every sweep; a true return value stops the run."""


INTERVAL = 0.1  # seconds between two drawings
TICK = 1.0  # seconds after which a bar is drawn anew though nothing has happened

_LINE = threading.RLock()  # one thread at a time tells something


@final
class Bar:
    """A line on standard error, or in the cell of a notebook, that is drawn over itself."""

    open: ClassVar[Bar | None] = None  # the bar on whose line the cursor stands

    def __init__(self) -> None:
        self._drawn, self._line = time.perf_counter(), new_line()

    def draw(self, share: float, text: str, *, now: bool = False) -> None:
        """Show which share is done, from 0 to 1, and a text; not too often unless `now`."""
        if not (now or self.age > INTERVAL):
            return
        with _LINE:
            self._line.show(share, text)
            self._drawn, Bar.open = time.perf_counter(), self

    @property
    def age(self) -> float:
        """Seconds since the bar was drawn."""
        return time.perf_counter() - self._drawn

    def clear(self) -> None:
        """Remove the line."""
        self._line.clear()
        Bar.open = None

    def close(self) -> None:
        """Leave the line as it is; what is told later stands below."""
        self._line.close()
        Bar.open = None

    def make_room(self) -> None:
        """Let a message be told now."""
        self._line.make_room()
        Bar.open = None


def tell(message: str) -> None:
    """Tell a message; a bar that stands there makes room for it."""
    with _LINE, suppress(OSError):
        if Bar.open is not None:
            Bar.open.make_room()
        write(message)


# --- compiling ------------------------------------------------------------------------------------

COMPILING = "Compiling for this loss and space (once) …"

_tellers: list[Callable[[], None]] = []


@contextmanager
def compiling_told(verbose: int) -> Iterator[None]:
    """Say once if anything is compiled meanwhile; of nested calls only the outermost does."""
    said = threading.Event()

    def say_once() -> None:
        if not said.is_set():
            said.set()
            tell(COMPILING)

    if not verbose or _tellers:
        yield
        return
    _tellers.append(say_once)
    try:
        yield
    finally:
        _tellers.remove(say_once)


def compiling() -> None:
    """Note that code was not found in the cache, and is compiled now."""
    for say_once in tuple(_tellers):
        say_once()


# --- a run ----------------------------------------------------------------------------------------


@final
class Watch:
    """Shared by all starts of one fit, on any number of threads.

    Parameters
    ----------
    callback : callable, optional
        See `Callback`.
    verbose : int
        1 shows a progress bar, on standard error or in the cell of a notebook.
    eps : float
        How slowly the cost falls when a run has converged: where the bar is full.
    """

    def __init__(self, callback: Callback | None, verbose: int, eps: float):
        self.began = time.perf_counter()
        self._halted: float | None = None
        self.callback, self.verbose, self.eps = callback, verbose, eps
        self.step = "sweep"  # what an iteration is called: on a cluster it is a round
        self.times = 1.0  # what the costs of sweeps are multiplied by, to be those of the fit
        self.interrupted = threading.Event()  # by ^C: all starts end after their sweep
        self.called_off = threading.Event()  # by the callback
        self._lock = threading.Lock()
        self._bar, self._cost, self._full = Bar(), np.inf, 0.0
        self._text, self._pass = "", ""

    def seconds(self) -> float:
        """Return the time since the fit began."""
        now = time.perf_counter() if self._halted is None else self._halted
        return now - self.began

    @contextmanager
    def halted(self) -> Iterator[None]:
        """Let the clock stand still meanwhile."""
        self._halted = time.perf_counter()
        try:
            yield
        finally:
            self.began += time.perf_counter() - self._halted
            self._halted = None

    @property
    def listens(self) -> bool:
        """Whether anyone is to be told of every sweep."""
        return self.callback is not None or self.verbose > 0

    @property
    def stopped(self) -> bool:
        """Whether the run should end now."""
        return self.interrupted.is_set() or self.called_off.is_set()

    def report(
        self, iteration: int, cost: float, embedding: Callable[[], NDArray[np.floating[Any]]]
    ) -> None:
        """Tell callback and progress bar of a sweep; `embedding` is made only if asked for."""
        cost *= self.times
        with self._lock:
            if self.callback is not None and self.callback(iteration, cost, embedding()):
                self.called_off.set()
            if self.verbose:
                self._advance(cost)
                self._show(iteration, cost)

    def say(self, message: str) -> None:
        """Tell what takes time before the first sweep."""
        _hear(None, message.strip(" …"))
        if self.verbose:
            with self._lock:
                tell(message)
                self._text = self._pass = ""

    def passing(self, share: float) -> None:
        """Note which share of a pass over all distances is done, where that takes long."""
        if self.verbose:
            with self._lock:
                self._pass = f"computing distances {100.0 * share:.0f} %  " if share < 1.0 else ""
                if self._bar.age > TICK:
                    self._draw(now=True)

    @contextmanager
    def ticking(self, what: str = "") -> Iterator[None]:
        """Draw the bar anew every second meanwhile, with what is done; and tell of compiling."""
        if not self.verbose:
            yield
            return
        self._text, over = f"{what}  " if what else "", threading.Event()

        def tick() -> None:
            while not over.wait(TICK):
                with self._lock:
                    if self._bar.age > TICK and not over.is_set():
                        self._draw(now=True)

        clock = threading.Thread(target=tick, daemon=True)
        clock.start()
        try:
            with compiling_told(self.verbose):
                yield
        finally:
            over.set()
            clock.join()
            self._bar.clear()

    def done(self, iteration: int, cost: float, message: str) -> None:
        """Close the progress bar with the reason why the run ended, or without one."""
        if self.verbose:
            self._full = 1.0
            self._show(iteration, cost, now=True)
            self._bar.close()
            if message:
                tell(message)

    def _advance(self, cost: float) -> None:
        """Fill the bar as the cost falls more slowly, down to `eps` of itself a sweep."""
        fall = (self._cost - cost) / abs(cost) if cost and np.isfinite(self._cost) else 1.0
        if 0.0 < fall < 1.0 and 0.0 < self.eps < 1.0:
            self._full = max(self._full, min(np.log(fall) / np.log(self.eps), 1.0))
        self._cost = cost

    def _show(self, iteration: int, cost: float, *, now: bool = False) -> None:
        self._text = f"{self.step} {iteration}  cost {cost:.6g}  "
        self._draw(now=now)

    def _draw(self, *, now: bool = False) -> None:
        text = f"{self._text}{self._pass}{self.seconds():.1f} s"
        self._bar.draw(self._full, text, now=now)

    def silent(self) -> Watch:
        """Return a watch that tells nobody: for the heats of a race, which only ^C may end."""
        quiet = Watch(None, 0, 0.0)
        quiet.began, quiet.interrupted = self.began, self.interrupted
        quiet.called_off = self.called_off
        return quiet


Listener = Callable[[float | None, str], None]

_listeners: list[Listener] = []


def _hear(share: float | None, what: str) -> None:
    for listener in tuple(_listeners):
        listener(share, what)


@contextmanager
def progress_heard(listener: Listener) -> Iterator[None]:
    """Have a listener told which share of the work is done, and what the work is.

    The share is None where nobody knows how much work there is, as in a search for the lowest map.
    The listener may raise KeyboardInterrupt, which ends the work as ^C does.

    Examples
    --------
    >>> with progress_heard(lambda share, what: print(share, what)):
    ...     Progress(0, "two maps", rounds=2).step(1.0)
    0.5 two maps
    """
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


@final
class Progress:
    """A bar for work whose amount is known; for one thread.

    Parameters
    ----------
    verbose : int
        1 shows the bar.
    what : str
        What is being done.
    rounds : int
        How often the work is done over.
    """

    def __init__(self, verbose: int, what: str, rounds: int = 1):
        self.verbose, self.what, self.rounds = verbose, what, max(rounds, 1)
        self.began, self._done, self._bar = time.perf_counter(), 0.0, Bar()

    def step(self, share: float) -> None:
        """Note that another share of a round is done."""
        self._done += share / self.rounds
        self._show()
        _hear(min(self._done, 1.0), self.what)

    def done(self) -> float:
        """Close the bar and return the seconds it took."""
        self._show(now=True)
        if self.verbose:
            self._bar.close()
        return time.perf_counter() - self.began

    def _show(self, *, now: bool = False) -> None:
        if self.verbose:
            done, seconds = min(self._done, 1.0), time.perf_counter() - self.began
            self._bar.draw(done, f"{self.what} {100.0 * done:.0f} %  {seconds:.1f} s", now=now)


_INSIDE = ("unimds", "sklearn", "joblib", "contextlib", "concurrent")


def warn(message: str | Warning, category: type[Warning]) -> None:
    """Warn at the first caller outside the library, not at a line of the library."""
    depth = 2  # 1 is this function
    frame = sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in _INSIDE:
        frame, depth = frame.f_back, depth + 1
    warnings.warn(message, category, stacklevel=depth)
