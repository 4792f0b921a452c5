"""The files that a command is to write: checked before the work, written after it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from unimds.files import Table

PICTURES = (".png", ".svg", ".pdf")


def check_outputs(files: Mapping[str, str | None], source: str, force: bool) -> None:
    """Raise where a file cannot be written, before anything is computed.

    Parameters
    ----------
    files : mapping
        The file for each option, None where it is not given.
    source : str
        The input, which is never written over.
    force : bool
        Whether files that exist may be replaced; a checkpoint always may.
    """
    from unimds.files.atomic import check_writable

    named = {option: name for option, name in files.items() if name is not None}
    named = {option: name for option, name in named.items() if (option, name) != ("--output", "-")}
    places: dict[str, str] = {}
    for option, name in named.items():
        place = os.path.realpath(name)
        if name == "-":
            raise typer.BadParameter(f"{option} needs the name of a file, not -")
        if source != "-" and place == os.path.realpath(source):
            raise typer.BadParameter(f"{option} {name} is the input itself; choose another name")
        if place in places:
            raise typer.BadParameter(f"{option} and {places[place]} name the same file, {name}")
        places[place] = option
    for option, name in named.items():
        check_writable(name, force=force or option == "--checkpoint")


def check_table_name(output: str, format: str = "auto") -> None:
    """Raise where the name of a table does not say which format it is to have."""
    from unimds.files.errors import FileError
    from unimds.files.writing import output_format

    if os.path.isdir(output):  # which is what is wrong, and not its ending
        return
    try:
        output_format(output, format)
    except FileError as error:
        raise typer.BadParameter(str(error)) from None


def check_picture_name(option: str, name: str | None) -> None:
    """Raise where the name of a picture does not say which format it is to have."""
    if name is not None and not name.lower().endswith(PICTURES):
        raise typer.BadParameter(f"{option} {name} must end in {', '.join(PICTURES)}")


def write_points(
    output: str,
    points: Any,
    table: Table,
    format: str,
    force: bool,
    more: Mapping[str, Any] | None = None,
) -> None:
    """Write the points that were made of a table, with its labels and columns, and some more."""
    from unimds.files import write

    columns = {**table.columns, **(more or {})}
    write(output, points, labels=table.labels, columns=columns, format=format, force=force)
