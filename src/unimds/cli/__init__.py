"""The command line: ``unimds``. It stands on typer and rich, ``pip install 'unimds[cli]'``."""

from __future__ import annotations

import sys
from io import TextIOWrapper

from unimds._extras import require


def main() -> None:
    """Run the command line."""
    try:
        require("typer", "cli")
        require("rich", "cli")
    except ImportError as error:
        sys.exit(f"error: {error}")
    for stream in (sys.stdout, sys.stderr):  # a κ must not end a run where it cannot be printed
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    from unimds.cli.messages import INTERRUPTED

    try:
        from unimds.cli.app import app

        app()
    except KeyboardInterrupt:  # before a command could answer it
        sys.exit(INTERRUPTED)
