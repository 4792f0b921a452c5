"""The command line: ``unimds``. It stands on typer and rich, ``pip install 'unimds[cli]'``."""

from __future__ import annotations

import gc
import os
import sys
from io import TextIOWrapper

from unimds._runtime.extras import require

INTERRUPTED = 130
"""The exit code after ^C, as shells have it; 1 is a failed run and 2 bad usage."""


# Importing makes some hundred thousand objects that all stay. Looking through them for garbage, on
# the way and once more at the end, is a quarter of the time of a short command.
COLLECT_AFTER = (100_000, 20, 20)


def main() -> None:
    """Run the command line."""
    gc.set_threshold(*COLLECT_AFTER)
    try:
        _run()
    except KeyboardInterrupt:  # before a command could answer it
        sys.exit(INTERRUPTED)
    finally:
        gc.freeze()  # the process ends: its memory goes back at once


def _run() -> None:
    try:
        require("typer", "cli")
        require("rich", "cli")
    except ImportError as error:
        sys.exit(f"error: {error}")
    _open_streams()
    for stream in (sys.stdout, sys.stderr):  # a κ must not end a run where it cannot be printed
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    from unimds.cli.messages import give_up_output, in_words, say

    try:
        from unimds.cli.app import app

        app()
    except OSError as error:  # help or the version cannot be printed
        give_up_output()
        say(f"error: {in_words(error)}")
        sys.exit(1)


def _open_streams() -> None:
    """Replace streams that are closed: nothing is read, messages are lost, results are an error."""
    if sys.stdin is None:
        sys.stdin = open(os.devnull)  # noqa: SIM115
    if sys.stdout is None:
        sys.stdout = open(os.devnull)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
