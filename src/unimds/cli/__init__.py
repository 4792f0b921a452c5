"""The command line: ``unimds``. It stands on typer and rich, ``pip install 'unimds[cli]'``."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper

from unimds._extras import require

INTERRUPTED = 130
"""The exit code after ^C, as shells have it; 1 is a failed run and 2 bad usage."""


def main() -> None:
    """Run the command line."""
    try:
        _run()
    except KeyboardInterrupt:  # before a command could answer it
        sys.exit(INTERRUPTED)


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
