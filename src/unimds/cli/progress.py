"""The progress of a command: a bar on a terminal, or a line per task."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from unimds._runtime.watch import Bar, Watch
from unimds.cli.messages import say


def watched(quiet: bool) -> bool:
    """Return whether to show a bar: on a terminal, unless told to be quiet."""
    return sys.stderr.isatty() and not quiet


@contextmanager
def waiting(what: str, quiet: bool = False) -> Iterator[None]:
    """Show on a terminal for how long something has been going on; and say if code is compiled."""
    with Watch(None, int(watched(quiet)), 0.0).ticking(what):
        yield


@contextmanager
def counting(
    total: int, quiet: bool = False, lines: bool = False
) -> Iterator[Callable[[str], None]]:
    """Yield a function to call with the name of each task as it begins.

    On a terminal a bar shows the task. Elsewhere, with `lines`, every task gets a line.
    """
    bar, began, done = Bar(), time.monotonic(), 0

    def begin(task: str) -> None:
        nonlocal done
        left = time_left(time.monotonic() - began, done, total)
        text = f"{done + 1} of {total}: {task}{left}"
        if watched(quiet):
            bar.draw(done / total, text, now=True)
        elif lines and not quiet:
            say(text)
        done += 1

    try:
        yield begin
    finally:
        bar.clear()


def time_left(spent: float, done: int, total: int) -> str:
    """Return the remaining time for people, if every task takes equally long.

    Examples
    --------
    >>> time_left(60.0, 2, 10), time_left(2.0, 2, 10), time_left(0.0, 0, 10)
    ('; about 4 min left', '; about 8 s left', '')
    """
    if not done:
        return ""
    seconds = spent / done * (total - done)
    return f"; about {f'{seconds / 60:.0f} min' if seconds > 90 else f'{seconds:.0f} s'} left"
