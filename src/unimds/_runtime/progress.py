"""Who watches a run: the clock, the callback, the progress bar and ^C."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

Callback = Callable[[int, float, NDArray[np.floating[Any]]], object]
"""Gets (iteration, cost, embedding) after every sweep; a true return value stops the run."""


class Watch:
    """Shared by all starts of one fit, on any number of threads.

    Parameters
    ----------
    callback : callable, optional
        See `Callback`.
    verbose : int
        1 shows a progress bar on standard error.
    eps : float
        How slowly the cost falls when a run has converged: where the bar is full.
    """

    def __init__(self, callback: Callback | None, verbose: int, eps: float):
        self.began = time.perf_counter()
        self._halted: float | None = None
        self.callback, self.verbose, self.eps = callback, verbose, eps
        self.step = "sweep"  # what an iteration is called: on a cluster it is a round
        self.interrupted = threading.Event()  # by ^C: all starts end after their sweep
        self.called_off = threading.Event()  # by the callback
        self._lock = threading.Lock()
        self._shown, self._cost, self._full = 0.0, np.inf, 0.0

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
    def stopped(self) -> bool:
        """Whether the run should end now."""
        return self.interrupted.is_set() or self.called_off.is_set()

    def report(
        self, iteration: int, cost: float, embedding: Callable[[], NDArray[np.floating[Any]]]
    ) -> None:
        """Tell callback and progress bar of a sweep; `embedding` is made only if asked for."""
        with self._lock:
            if self.callback is not None and self.callback(iteration, cost, embedding()):
                self.called_off.set()
            if self.verbose:
                self._advance(cost)
                if self.seconds() - self._shown > 0.1:
                    self._show(iteration, cost)

    def say(self, message: str) -> None:
        """Tell what takes time before the first sweep."""
        if self.verbose:
            print(message, file=sys.stderr, flush=True)

    def done(self, iteration: int, cost: float, message: str) -> None:
        """Close the progress bar with the reason why the run ended."""
        if self.verbose:
            self._full = 1.0
            self._show(iteration, cost)
            print(f"\n{message}", file=sys.stderr, flush=True)

    def _advance(self, cost: float) -> None:
        """Fill the bar as the cost falls more slowly, down to `eps` of itself a sweep."""
        fall = (self._cost - cost) / abs(cost) if cost and np.isfinite(self._cost) else 1.0
        if 0.0 < fall < 1.0 and 0.0 < self.eps < 1.0:
            self._full = max(self._full, min(np.log(fall) / np.log(self.eps), 1.0))
        self._cost = cost

    def _show(self, iteration: int, cost: float) -> None:
        self._shown = self.seconds()
        width = 24
        full = int(width * self._full)
        bar = "█" * full + "·" * (width - full)
        line = f"\r{bar} {self.step} {iteration}  cost {cost:.6g}  {self._shown:.1f} s "
        print(line, end="", file=sys.stderr, flush=True)


class Silent(Watch):
    """Watches nothing: for the heats of a race, which only ^C may end."""

    def __init__(self, watch: Watch):
        super().__init__(None, 0, 0.0)
        self.began, self.interrupted, self.called_off = (
            watch.began,
            watch.interrupted,
            watch.called_off,
        )


class Progress:
    """A bar on standard error for work whose amount is known; for one thread.

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
        self.began = time.perf_counter()
        self._done, self._shown = 0.0, 0.0

    def step(self, share: float) -> None:
        """Note that another share of a round is done."""
        self._done += share / self.rounds
        if self.verbose and self._seconds() - self._shown > 0.1:
            self._show()

    def done(self) -> float:
        """Close the bar and return the seconds it took."""
        if self.verbose:
            self._show()
            print(file=sys.stderr, flush=True)
        return self._seconds()

    def _seconds(self) -> float:
        return time.perf_counter() - self.began

    def _show(self) -> None:
        self._shown = self._seconds()
        width, done = 24, min(self._done, 1.0)
        full = int(width * done + 1e-9)
        bar = "█" * full + "·" * (width - full)
        line = f"\r{bar} {self.what} {100.0 * done:.0f} %  {self._shown:.1f} s "
        print(line, end="", file=sys.stderr, flush=True)
