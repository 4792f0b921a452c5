"""``unimds demo``: the map of the world from distances alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unimds.cli import options as o
from unimds.cli.messages import failures_told


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the picture goes.")] = Path(
        "unimds-demo.png"
    ),
    force: o.Force = False,
    debug: o.Debug = False,
) -> None:
    """Find the map of the world from distances between cities, one in ten of them wrong."""
    with failures_told("Interrupted: there is no picture.", debug):
        from unimds.demo import main, trouble_with

        problem = trouble_with(output, force)
        if problem is not None:
            raise typer.BadParameter(problem)
        raise typer.Exit(main(["--output", str(output), *(["--force"] if force else [])]))
