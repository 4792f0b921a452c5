"""``unimds weighted-scores``: place species on a map of sites."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from unimds.cli.inputs import check_complete, read_table, rows_of
from unimds.cli.maps import read_map
from unimds.cli.messages import print_json
from unimds.cli.options import sets
from unimds.cli.options import single as o

if TYPE_CHECKING:
    from unimds.cli.maps import Map


@sets.takes_sets
def weighted_scores(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="Counts, with a row for each site and a column for each species.",
            show_default=False,
        ),
    ],
    map: o.MapFile,
    *,
    format: o.Format = "auto",
    encoding: o.Encoding = "auto",
    columns: Annotated[
        list[str] | None,
        typer.Option(
            "--columns",
            metavar="NAME,NAME",
            help="Species to place; by default all columns with numbers.",
            rich_help_panel=o.INPUT,
        ),
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(
            "--drop", metavar="NAME,NAME", help="Species to leave out.", rich_help_panel=o.INPUT
        ),
    ] = None,
    expand: Annotated[
        bool,
        typer.Option(
            "--expand",
            help="Stretch the places along each coordinate, so that species vary as much as sites.",
            rich_help_panel=o.RUN,
        ),
    ] = False,
    files: sets.TableAndPicture,
    telling: sets.Telling,
) -> None:
    """Place species on a map of sites: each at the mean of its sites, weighted by its counts.

    Sites are matched by label. A species that was never found has no place. It is vegan's wascores.
    """
    files.check(telling.as_json)
    with telling.errors() as warned:
        files.check_files(file)
        how = (format, "points", "euclidean", encoding)
        table = read_table(file, *how, quiet=telling.quiet, columns=columns, drop=drop)
        check_complete(table, file)
        found = read_map(map, None, "auto", encoding)
        counts = table.values[rows_of(found.labels, table, file, "row")]
        from unimds.interpret import weighted_scores as scored
        from unimds.interpret.maps import axes_of

        places = scored(found.frame.to_numpy(), counts, expand=expand, space=found.space)
        names = table.features or [f"species {j + 1}" for j in range(len(places))]
        axes = axes_of(places.shape[1])
        rows = [
            {"species": name, **dict(zip(axes, place, strict=True))}
            for name, place in zip(names, places.tolist(), strict=True)
        ]
        written = files.write(rows, lambda: _drawn(found, names, places, files.looks))
        if telling.as_json:
            told = {"file": file, "map": map, "points": len(found.frame)}
            print_json({**told, "species": rows, "files": written, "warnings": warned})
        elif files.output is None:
            _show(rows)
        telling.written(written)


def _drawn(found: Map, names: list[str], places: Any, looks: sets.Looks) -> Any:
    """Draw the map with the species that were found."""
    import numpy as np

    from unimds.plots import plot_embedding
    from unimds.plots.columns import NamedColumn

    there = np.flatnonzero(np.isfinite(places).all(axis=1))
    sites: list[Any] = [None] * len(found.frame) if found.labels is None else found.labels
    kinds = ["site"] * len(sites) + ["species"] * len(there)
    return plot_embedding(
        np.vstack([found.frame.to_numpy(), places[there]]),
        looks.labels([*sites, *(names[j] for j in there)]),
        NamedColumn("point", kinds, order=("site", "species")),
        title=looks.title,
    )


def _show(rows: list[dict[str, Any]]) -> None:
    from unimds.interpret.maps import in_columns

    cells = (
        [name, *(f"{x:.4g}" for x in place)] for name, *place in (row.values() for row in rows)
    )
    print(in_columns([list(rows[0]), *cells]), flush=True)
