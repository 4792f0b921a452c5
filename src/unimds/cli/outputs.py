"""The files that a command writes: checked before the work, written after it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from unimds.cli.messages import in_words

if TYPE_CHECKING:
    from unimds.files import Table
    from unimds.files.endings import FileKind
    from unimds.spaces import Space


DPI = 150
"""Dots per inch of a picture, if none are given."""


def check_outputs(files: Mapping[str, str | None], source: str, force: bool) -> None:
    """Raise if a file cannot be written, before anything is computed.

    Parameters
    ----------
    files : mapping
        The file for each option, None if it is not given.
    source : str
        The input, which is never replaced.
    force : bool
        Whether existing files may be replaced; a checkpoint always may.
    """
    from unimds.files import check_writable

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


def check_table(output: str, format: str, as_json: bool, *options: str) -> None:
    """Raise if the name of a table has no known ending, or if JSON would be printed with it.

    The message names the one of the `options` that writes a file with this ending.
    """
    from unimds.files import endings as e
    from unimds.files.writing import output_format

    if as_json and output == "-":
        raise typer.BadParameter("--json uses standard output: name a file with -o")
    if os.path.isdir(output):  # that is what is wrong, not the ending
        return
    ending = e.ending_of(output)
    kinds = {"--plot": e.PICTURE, "--report": e.REPORT, "--model": e.MODEL}
    for option in options:
        if ending in kinds[option].endings and ending not in e.TABLE.endings:
            raise typer.BadParameter(
                f"{output}: {ending} is the ending of {kinds[option].name}, which {option} writes; "
                f"give {option} {output}, and -o for the table",
                param_hint="--output",
            )
    with _names_checked():
        output_format(output, format)


def check_endings(
    plot: str | None = None,
    report: str | None = None,
    model: str | None = None,
    checkpoint: str | None = None,
    shepard: str | None = None,
) -> None:
    """Raise if the ending of a name says that the file is of another kind."""
    from unimds.files import endings as e

    check_ending("--plot", plot, e.PICTURE)
    check_ending("--shepard", shepard, e.PICTURE)
    check_ending("--report", report, e.REPORT)
    check_ending("--model", model, e.MODEL)
    check_ending("--checkpoint", checkpoint, e.CHECKPOINT)


def check_extras(plot: str | None, report: str | None) -> None:
    """Raise, before a long run, if a package that draws is not installed."""
    from unimds._runtime.extras import require

    if plot is not None:
        require("matplotlib", "plot")
    if report is not None:
        require("plotly", "report")


def check_looks(
    plot: str | None,
    report: str | None,
    color: str | None = None,
    title: str | None = None,
    dpi: int | None = None,
    no_names: bool = False,
    shepard: str | None = None,
) -> None:
    """Raise if there is no picture or report that an option is for."""
    if plot is None and report is None:
        for option, value, what in (("--color", color, "colour"), ("--title", title, "entitle")):
            if value is not None:
                raise typer.BadParameter(
                    f"there is nothing to {what}; add --plot P.png or --report R.html",
                    param_hint=option,
                )
    pictures = (("--dpi", dpi is not None and shepard is None), ("--no-names", no_names))
    for option, given in pictures:
        if given and plot is None:
            raise typer.BadParameter("there is no picture; add --plot P.png", param_hint=option)


def check_ending(option: str, name: str | None, kind: FileKind) -> None:
    """Raise if the ending of a name does not suit the kind of file that an option writes."""
    if name is None or name == "-" or os.path.isdir(name):  # which is what is wrong then
        return
    with _names_checked(option):
        kind.check(name)


@contextmanager
def _names_checked(option: str | None = None) -> Iterator[None]:
    """Report a name that does not suit the file as wrong usage."""
    from unimds.files import FileError

    try:
        yield
    except FileError as error:
        raise typer.BadParameter(in_words(error), param_hint=option) from None


def write_points(
    output: str,
    points: Any,
    table: Table,
    format: str,
    force: bool,
    more: Mapping[str, Any] | None = None,
    space: str | Space = "euclidean",
    coordinates: str = "auto",
    around: Any = None,
) -> None:
    """Write the points made from a table, with its labels and columns, and more columns.

    Poincaré coordinates have the mean of the points `around` at the centre, as pictures have it.
    """
    from unimds.files import write
    from unimds.files.writing import renamed
    from unimds.spaces import in_coordinates

    names, values = in_coordinates(points, space, coordinates, around=around)
    more = more or {}
    columns = {**renamed(table.columns, ["label", *names, *more]), **more}
    write(
        output,
        values,
        labels=table.labels,
        columns=columns,
        names=names,
        format=format,
        force=force,
    )


def write_rows(output: str | None, rows: Sequence[Mapping[str, Any]], force: bool) -> list[str]:
    """Write rows of a result, the first entry as their label if it is a text; return the files."""
    if output is None:
        return []
    import numpy as np

    from unimds.files import write

    names = list(rows[0])
    columns: dict[str, list[Any]] = {name: [row[name] for row in rows] for name in names}
    words = [name for name in names if isinstance(rows[0][name], str)]
    labels = columns.pop(names[0]) if names[0] in words else None
    further = {name: columns.pop(name) for name in words if name in columns}
    values = np.column_stack(list(columns.values())).astype(float)
    write(output, values, labels=labels, columns=further, names=list(columns), force=force)
    return [] if output == "-" else [output]


def draw(path: str, figure: Any, force: bool, dpi: int | None = None) -> None:
    """Write a picture, completely or not at all."""
    from unimds.files import atomic

    with atomic(path, force=force) as partial:
        figure.savefig(partial, dpi=DPI if dpi is None else dpi)
