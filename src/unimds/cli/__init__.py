"""The command line ``unimds``. It needs typer and rich: ``pip install 'unimds[cli]'``."""

from __future__ import annotations

import gc
import os
import signal
import sys
from io import TextIOWrapper

from unimds._runtime.extras import require
from unimds.cli.interrupts import interrupts

# Imports create some hundred thousand objects that all stay. Searching them for garbage, during the
# run and again at its end, takes a quarter of the time of a short command.
COLLECT_AFTER = (100_000, 20, 20)


def main() -> None:
    """Run the command line."""
    gc.set_threshold(*COLLECT_AFTER)
    try:
        with interrupts.handled():
            _run()
    except KeyboardInterrupt:  # before a command could handle it
        sys.exit(128 + signal.SIGINT)
    finally:
        gc.freeze()  # the process ends, and its memory is freed at once


def _run() -> None:
    try:
        require("typer", "cli")
        require("rich", "cli")
    except ImportError as error:
        sys.exit(f"error: {error}")
    _open_streams()
    for stream in (sys.stdout, sys.stderr):  # a κ that cannot be printed must not end a run
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
    """Replace closed streams: input is empty, messages are lost, results give an error."""
    if sys.stdin is None:
        sys.stdin = open(os.devnull)  # noqa: SIM115
    if sys.stdout is None:
        sys.stdout = open(os.devnull)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
