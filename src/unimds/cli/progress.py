"""How far a command is: a progress bar on standard error where that is a terminal."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from unimds.cli.messages import say


@contextmanager
def bar(total: int, quiet: bool = False, lines: bool = False) -> Iterator[Callable[[str], None]]:
    """Show how many of the tasks are done; what it yields is told of each as it begins.

    With `lines` each task is told in a line of its own where there is no terminal.
    """
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    screen = Console(stderr=True)
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(),
        console=screen,
        disable=quiet or not screen.is_terminal,
        transient=True,
    ) as progress:
        task = progress.add_task("", total=total)
        began, done = time.monotonic(), 0

        def step(description: str) -> None:
            nonlocal done
            progress.update(task, description=description, completed=done)
            if lines and not quiet and not screen.is_terminal:
                left = time_left(time.monotonic() - began, done, total)
                say(f"{done + 1} of {total}: {description}{left}")
            done += 1

        yield step


def time_left(spent: float, done: int, total: int) -> str:
    """Return how long the rest will take if it goes on as it went, for people.

    Examples
    --------
    >>> time_left(60.0, 2, 10), time_left(2.0, 2, 10), time_left(0.0, 0, 10)
    ('; about 4 min left', '; about 8 s left', '')
    """
    if not done:
        return ""
    seconds = spent / done * (total - done)
    return f"; about {f'{seconds / 60:.0f} min' if seconds > 90 else f'{seconds:.0f} s'} left"
