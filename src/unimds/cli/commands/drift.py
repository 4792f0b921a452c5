"""``unimds drift``: show the asymmetry of a table on its map."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from unimds.cli import options as o
from unimds.cli.inputs import read_table, rows_of
from unimds.cli.maps import read_map
from unimds.cli.messages import errors_told, print_json, say
from unimds.cli.outputs import (
    check_endings,
    check_extras,
    check_looks,
    check_outputs,
    check_table,
    draw,
    write_rows,
)


def drift(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="A table of dissimilarities that differ by direction, rows to columns.",
            show_default=False,
        ),
    ],
    map: o.MapFile,
    format: o.Format = "auto",
    encoding: o.Encoding = "auto",
    output: o.TableOut = None,
    plot: o.Plot = None,
    title: o.Title = None,
    dpi: o.Dpi = None,
    no_names: o.NoNames = False,
    force: o.Force = False,
    as_json: o.AsJson = False,
    quiet: o.Quiet = False,
    debug: o.Debug = False,
) -> None:
    """Show the asymmetry of a table as an arrow on each point of its map.

    The arrow of a point leads to those that it is nearer to than they are to it.
    """
    check_endings(plot=plot)
    if output is not None:
        check_table(output, "auto", as_json, "--plot")
    check_looks(plot, None, title=title, dpi=dpi, no_names=no_names)
    with errors_told("Interrupted: nothing was written.", debug, quiet, as_json) as warned:
        check_outputs({"--output": output, "--plot": plot}, file, force)
        check_extras(plot, None)
        table = read_table(file, format, "distances", "euclidean", encoding, quiet=quiet)
        found = read_map(map, None, "auto", encoding)
        rows = rows_of(found.labels, table, file, "row")
        from unimds.interpret import drift_vectors

        result = drift_vectors(table.values[rows][:, rows], found.frame, space=found.space)
        written = write_rows(output, list(result.rows()), force)
        if plot is not None:
            from unimds.plots import plot_drift

            labels: Any = False if no_names else None
            draw(plot, plot_drift(result, labels, title=title).figure, force, dpi)
            written.append(plot)
        if as_json:
            drifts = list(result.rows())
            told = {"file": file, "map": map, "points": len(drifts), "share": result.share}
            print_json({**told, "drift": drifts, "files": written, "warnings": warned})
        elif output is None:
            print(result, flush=True)
        if written and not quiet:
            say(f"Written: {', '.join(written)}")
