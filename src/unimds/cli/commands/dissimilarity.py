"""``unimds dissimilarity``: make dissimilarities of similarities, correlations or counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from unimds._runtime.words import counted
from unimds.cli.guide import near, suggestion
from unimds.cli.inputs import check_complete, read_table
from unimds.cli.messages import print_json, say, usage
from unimds.cli.options import sets
from unimds.cli.options import single as o
from unimds.cli.outputs import check_outputs, check_table

if TYPE_CHECKING:
    from unimds.files import Table

SOURCES = ("correlations", "similarities", "confusions", "cooccurrences", "flows", "counts")
"""Kinds of data, each with its function."""


@sets.takes_sets
def dissimilarity(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="A square table or a triangle, or counts with a row for each point; - is standard "
            "input.",
            show_default=False,
        ),
    ],
    *,
    source: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="DATA",
            help="What FILE holds: correlations, similarities, confusions, cooccurrences, flows or "
            "counts.",
            rich_help_panel=o.INPUT,
        ),
    ],
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            metavar="NAME",
            help="The formula; a wrong name lists those of the kind of data.",
            rich_help_panel=o.INPUT,
        ),
    ] = None,
    format: o.Format = "auto",
    encoding: o.Encoding = "auto",
    columns: o.Columns = None,
    drop: o.Drop = None,
    output: o.Output = "-",
    out_format: o.OutFormat = "auto",
    force: o.Force = False,
    telling: sets.Telling,
) -> None:
    """Make a table of dissimilarities for unimds embed of other kinds of data.

    A pair that is infinitely far apart, such as one that was never confused, is left empty.
    """
    if source not in SOURCES:
        told = suggestion(near(source, SOURCES)) or f"; use one of {', '.join(SOURCES)}"
        raise typer.BadParameter(f"there is no kind of data {source!r}{told}", param_hint="--from")
    check_table(output, out_format, telling.as_json)
    with telling.errors() as warned:
        check_outputs({"--output": output}, file, force)
        how = (format, "points", "euclidean", encoding)
        chosen: dict[str, Any] = {"columns": columns, "drop": drop, "likeness": source != "counts"}
        table = read_table(file, *how, quiet=telling.quiet, **chosen)
        D = _made(table, file, source, method)
        from unimds.files import Table as Written
        from unimds.files import write

        named = table.labels if source == "counts" else table.labels or table.features
        labels = None if named is None else [str(label) for label in D.index]
        square = Written(D.to_numpy(), "distances", "csv", "square", labels)
        write(output, square, format=out_format, force=force)
        missing = int(D.isna().to_numpy().sum()) // 2
        if telling.as_json:
            found = {"file": file, "from": source, "points": len(D), "missing": missing}
            print_json({**found, "files": {"output": output}, "warnings": warned})
        elif not telling.quiet and output != "-":
            say(f"{counted(len(D), 'point')}. Written: {output}")


def _made(table: Table, file: str, source: str, method: str | None) -> Any:
    """Return the dissimilarities as a frame."""
    import unimds.dissimilarity as room
    from unimds.dissimilarity.tables import formula

    if method is not None:
        with usage("--method"):
            formula(room.METHODS[source], method)
    if source == "counts":
        check_complete(table, file)
    frame = table.to_frame() if source == "counts" else _square(table, file)
    make = getattr(room, f"from_{source}")
    try:
        return make(frame) if method is None else make(frame, method)
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None


def _square(table: Table, file: str) -> Any:
    """Return a square table whose rows have the names of its columns, if only these have names."""
    frame = table.to_frame()
    n, m = frame.shape
    if n != m:
        raise ValueError(
            f"{file} has {n} rows and {m} columns of numbers, and a square table is needed, with a "
            "row and a column for each point"
        )
    if table.labels is None:
        return frame.set_axis(frame.columns, axis=0)
    return frame if table.features is not None else frame.set_axis(frame.index, axis=1)
