"""The commands of ``unimds``."""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated

import typer

from unimds.cli.reproduce import reproduce

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


app.command()(reproduce)
