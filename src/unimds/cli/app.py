"""The commands of ``unimds``."""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated

import typer

from unimds.cli.compare import compare
from unimds.cli.demo import demo
from unimds.cli.embed import embed
from unimds.cli.info import info
from unimds.cli.place import place
from unimds.cli.project import project
from unimds.cli.reproduce import reproduce
from unimds.cli.warmup import warmup

app = typer.Typer(
    name="unimds",
    help="Multidimensional scaling: many losses, many spaces, one engine.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"unimds {version('unimds')}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Take the options that come before a command."""


# The modules of commands import what is heavy only when they run: help comes at once.
for command in (embed, place, compare, project, reproduce, demo, warmup, info):
    app.command()(command)
