"""``unimds demo``: find the map of the world from distances alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unimds.cli.messages import errors_told
from unimds.cli.options import single as o
from unimds.cli.outputs import check_ending


def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="P.png", help="File of the picture.")
    ] = Path("unimds-demo.png"),
    force: o.Force = False,
    debug: o.Debug = False,
) -> None:
    """Find the map of the world from distances between cities, one in ten of which is wrong."""
    from unimds.files.endings import PICTURE

    check_ending("--output", str(output), PICTURE)
    with errors_told("Interrupted: there is no picture.", debug):
        from unimds.demo import check_output, main

        check_output(output, force)
        raise typer.Exit(main(["--output", str(output), *(["--force"] if force else [])]))
