"""A progress bar on standard error: on a terminal, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def bar(total: int, quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """Show how many of the tasks are done; what it yields is told of each as it begins."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    screen = Console(stderr=True)
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=screen,
        disable=quiet or not screen.is_terminal,
        transient=True,
    ) as progress:
        task = progress.add_task("", total=total)
        begun = 0

        def step(description: str) -> None:
            nonlocal begun
            progress.update(task, description=description, completed=begun)
            begun += 1

        yield step
