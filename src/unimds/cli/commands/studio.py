"""``unimds studio``: a local page that shows maps as they converge."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from unimds.cli.messages import errors_told, say
from unimds.cli.options import single as o


def studio(
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="[FILE]",
            help="Distances, points, pairs or a graph, in any known format; by default none.",
            show_default=False,
        ),
    ] = None,
    port: Annotated[
        int,
        typer.Option(
            "--port",
            metavar="N",
            min=0,
            max=65535,
            help="Where to listen on this machine; 0 is any free port.",
            rich_help_panel=o.RUN,
        ),
    ] = 0,
    no_browser: Annotated[
        bool,
        typer.Option(
            "--no-browser",
            help="Print the address, and open no browser. Use it where others work on the same "
            "machine: they can see the command line of a browser, and so the address.",
            rich_help_panel=o.RUN,
        ),
    ] = False,
    debug: o.Debug = False,
) -> None:
    """Open a page in the browser: drop a file, watch its map converge, change and compare it.

    The page is served on this machine only, without network, until ^C. Its address has a token:
    whoever has the address can use the page.
    """
    with errors_told("The studio is closed.", debug):
        from unimds._runtime.extras import require
        from unimds.studio.security import LARGEST_FILE

        require("starlette", "studio")
        require("uvicorn", "studio")
        first = None if file is None else (Path(file).name, _content(file, LARGEST_FILE))
        from unimds.studio.server import serve

        def opened(address: str) -> None:
            say(f"The studio is at {address}\n^C closes it.")
            if not no_browser:
                webbrowser.open(address)

        serve(first, port, opened)
        say("The studio is closed.")


def _content(file: str, most: int) -> bytes:
    """Return what is in a file, or raise if it is not there or too large."""
    path = Path(file)
    if not path.is_file():
        raise ValueError(f"there is no file {file}")
    if path.stat().st_size > most:
        raise ValueError(f"{file} has {path.stat().st_size:,} bytes, and the studio takes {most:,}")
    return path.read_bytes()
