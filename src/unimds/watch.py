"""Who watches a run: the clock, the callback, the progress bar and ^C."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
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
    max_iter : int
        The number of sweeps that the bar is long.
    """

    def __init__(self, callback: Callback | None, verbose: int, max_iter: int):
        self.began = time.perf_counter()
        self.callback, self.verbose, self.max_iter = callback, verbose, max_iter
        self.interrupted = threading.Event()  # by ^C: all starts end after their sweep
        self.called_off = threading.Event()  # by the callback
        self._lock = threading.Lock()
        self._shown = 0.0

    def seconds(self) -> float:
        """Return the time since the fit began."""
        return time.perf_counter() - self.began

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
            if self.verbose and self.seconds() - self._shown > 0.1:
                self._show(iteration, cost)

    def done(self, iteration: int, cost: float, message: str) -> None:
        """Close the progress bar with the reason why the run ended."""
        if self.verbose:
            self._show(iteration, cost)
            print(f"\n{message}", file=sys.stderr, flush=True)

    def _show(self, iteration: int, cost: float) -> None:
        self._shown = self.seconds()
        width = 24
        full = min(width, width * iteration // max(self.max_iter, 1))
        bar = "█" * full + "·" * (width - full)
        line = f"\r{bar} sweep {iteration}  cost {cost:.6g}  {self._shown:.1f} s "
        print(line, end="", file=sys.stderr, flush=True)


class Silent(Watch):
    """Watches nothing: for the heats of a race, which only ^C may end."""

    def __init__(self, watch: Watch):
        super().__init__(None, 0, 0)
        self.began, self.interrupted, self.called_off = (
            watch.began,
            watch.interrupted,
            watch.called_off,
        )
