"""``unimds drift``: show the asymmetry of a table on its map."""

from __future__ import annotations

from typing import Annotated

import typer

from unimds.cli.inputs import read_table, rows_of
from unimds.cli.maps import read_map
from unimds.cli.messages import print_json
from unimds.cli.options import sets
from unimds.cli.options import single as o


@sets.takes_sets
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
    *,
    format: o.Format = "auto",
    encoding: o.Encoding = "auto",
    files: sets.TableAndPicture,
    telling: sets.Telling,
) -> None:
    """Show the asymmetry of a table as an arrow on each point of its map.

    The arrow of a point leads to those that it is nearer to than they are to it.
    """
    files.check(telling.as_json)
    with telling.errors() as warned:
        files.check_files(file)
        table = read_table(file, format, "distances", "euclidean", encoding, quiet=telling.quiet)
        found = read_map(map, None, "auto", encoding)
        rows = rows_of(found.labels, table, file, "row")
        from unimds.interpret import drift_vectors
        from unimds.plots import plot_drift

        result = drift_vectors(table.values[rows][:, rows], found.frame, space=found.space)
        drifts = list(result.rows())
        labels = files.looks.labels()
        written = files.write(drifts, lambda: plot_drift(result, labels, title=files.title))
        if telling.as_json:
            told = {"file": file, "map": map, "points": len(drifts), "share": result.share}
            print_json({**told, "drift": drifts, "files": written, "warnings": warned})
        elif files.output is None:
            print(result, flush=True)
        telling.written(written)
