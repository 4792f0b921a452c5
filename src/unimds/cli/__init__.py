"""The command line: ``unimds``. It stands on typer and rich, ``pip install 'unimds[cli]'``."""

from __future__ import annotations

import sys

from unimds._extras import require


def main() -> None:
    """Run the command line."""
    try:
        require("typer", "cli")
        require("rich", "cli")
    except ImportError as error:
        sys.exit(f"error: {error}")
    from unimds.cli.app import app

    app()
