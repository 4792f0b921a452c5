"""Where progress is told: on a line of standard error, or in the cell of a notebook."""

from __future__ import annotations

import shutil
import sys
from contextlib import suppress
from html import escape
from importlib import import_module
from typing import Any, Protocol, final

WIDTH = 24  # characters of the bar itself


class Line(Protocol):
    """A line that is drawn over itself."""

    def show(self, share: float, text: str) -> None:
        """Show which share is done, from 0 to 1, and a text."""

    def clear(self) -> None:
        """Remove the line."""

    def close(self) -> None:
        """Leave the line as it is; what is shown later stands below."""

    def make_room(self) -> None:
        """Let a message be told now."""


@final
class TerminalLine:
    """A line on standard error."""

    def __init__(self) -> None:
        self._length = 0

    def show(self, share: float, text: str) -> None:
        """Show which share is done, from 0 to 1, and a text."""
        line = f"{bar_of(share)} {text} "
        self._print(line[: shutil.get_terminal_size().columns - 1])

    def clear(self) -> None:
        """Remove the line."""
        if self._length:
            self._print("")
            self._print("")

    make_room = clear

    def close(self) -> None:
        """Leave the line as it is, and go to the next one."""
        self._length = 0
        with suppress(OSError):
            print(file=sys.stderr, flush=True)

    def _print(self, line: str) -> None:
        with suppress(OSError):  # nobody can be told, but the work continues
            print("\r" + line.ljust(self._length), end="", file=sys.stderr, flush=True)
        self._length = len(line)


@final
class CellLine:
    """An output of the cell that is running, which is updated in place.

    It needs nothing but IPython: no widgets, so that a saved or exported notebook shows it too.
    """

    def __init__(self) -> None:
        self._handle: Any = None

    def show(self, share: float, text: str) -> None:
        """Show which share is done, from 0 to 1, and a text."""
        bar = (
            f'<progress value="{min(share, 1.0):.3f}" max="1" '
            'style="width: 12em; vertical-align: middle"></progress>'
        )
        numbers = "font-variant-numeric: tabular-nums; white-space: pre-wrap"
        html = f'<div>{bar} <span style="{numbers}">{escape(text)}</span></div>'
        self._display({"text/plain": f"{bar_of(share)} {text}", "text/html": html})

    def clear(self) -> None:
        """Remove the line; the next one stands in its place."""
        if self._handle is not None:
            self._display({"text/plain": "", "text/html": ""})

    def close(self) -> None:
        """Leave the line as it is, and begin another output."""
        self._handle = None

    def make_room(self) -> None:
        """Do nothing: a message stands below the line."""

    def _display(self, shown: dict[str, str]) -> None:
        if self._handle is None:
            self._handle = _ipython().DisplayHandle()
            self._handle.display(shown, raw=True)
        else:
            self._handle.update(shown, raw=True)


def bar_of(share: float) -> str:
    """Return a bar of characters.

    Examples
    --------
    >>> bar_of(0.25)
    '██████··················'
    """
    full = int(WIDTH * min(share, 1.0) + 1e-9)
    return f"{'█' * full}{'·' * (WIDTH - full)}"


def _ipython() -> Any:
    """Return IPython's displays; it is imported only where it runs already."""
    return import_module("IPython.display")


def in_notebook() -> bool:
    """Whether this process computes for a notebook, whose cells can show more than text."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return getattr(shell, "kernel", None) is not None


def new_line() -> Line:
    """Return a line to show progress on, here."""
    return CellLine() if in_notebook() else TerminalLine()


def write(message: str) -> None:
    """Tell something: on standard error, or in a notebook as plain text, since no error it is."""
    if in_notebook():
        _ipython().display({"text/plain": message}, raw=True)
    else:
        print(message, file=sys.stderr, flush=True)
