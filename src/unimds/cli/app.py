"""The command ``unimds`` and its subcommands."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version
from typing import Annotated

import typer

from unimds.cli.commands.choose import choose
from unimds.cli.commands.compare import compare
from unimds.cli.commands.demo import demo
from unimds.cli.commands.dissimilarity import dissimilarity
from unimds.cli.commands.drift import drift
from unimds.cli.commands.embed import embed
from unimds.cli.commands.fit_properties import fit_properties
from unimds.cli.commands.individual import individual
from unimds.cli.commands.info import info
from unimds.cli.commands.place import place
from unimds.cli.commands.procrustes import procrustes
from unimds.cli.commands.project import project
from unimds.cli.commands.reproduce import reproduce
from unimds.cli.commands.stability import stability
from unimds.cli.commands.structure import structure
from unimds.cli.commands.studio import studio
from unimds.cli.commands.unfold import unfold
from unimds.cli.commands.warmup import warmup
from unimds.cli.commands.weighted_scores import weighted_scores
from unimds.cli.guide import Guide

app = typer.Typer(
    name="unimds",
    help="Multidimensional scaling: turn distances into maps, with any loss and in any space.",
    cls=Guide,
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


# The modules of commands import heavy packages only when a command runs: help appears at once.
COMMANDS: tuple[Callable[..., None], ...] = (
    *(
        embed,
        place,
        individual,
        unfold,
        choose,
        structure,
        stability,
        compare,
        dissimilarity,
        fit_properties,
        procrustes,
        drift,
        weighted_scores,
        project,
    ),
    *(studio, reproduce, demo, warmup, info),
)
NAMED = {structure: "test"}  # which is no name for a function: test runners would take it for one
for command in COMMANDS:
    app.command(NAMED.get(command))(command)
