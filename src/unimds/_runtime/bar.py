"""A progress bar on standard error."""

from __future__ import annotations

import shutil
import sys
import time
from contextlib import suppress

WIDTH = 24  # characters of the bar itself
INTERVAL = 0.1  # seconds between two drawings


class Bar:
    """A line on standard error, drawn over itself."""

    def __init__(self) -> None:
        self._drawn, self._length = time.perf_counter(), 0

    def draw(self, share: float, text: str, *, now: bool = False) -> None:
        """Show which share is done, from 0 to 1, and a text; not too often unless `now`."""
        if now or time.perf_counter() - self._drawn > INTERVAL:
            full = int(WIDTH * min(share, 1.0) + 1e-9)
            line = f"{'█' * full}{'·' * (WIDTH - full)} {text} "
            self._print(line[: shutil.get_terminal_size().columns - 1])
            self._drawn = time.perf_counter()

    def clear(self) -> None:
        """Remove the line."""
        if self._length:
            self._print("")
            self._print("")

    def _print(self, line: str) -> None:
        with suppress(OSError):  # nobody can be told, but the work continues
            print("\r" + line.ljust(self._length), end="", file=sys.stderr, flush=True)
        self._length = len(line)
