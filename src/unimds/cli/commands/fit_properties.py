"""``unimds fit-properties``: fit outside variables to a map."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from unimds.cli.maps import read_map, variables_of
from unimds.cli.messages import print_json
from unimds.cli.options import sets
from unimds.cli.options import single as o


@sets.takes_sets
def fit_properties(
    map: o.MapFile,
    *,
    format: o.Format = "auto",
    encoding: o.Encoding = "auto",
    metadata: o.Metadata = None,
    columns: Annotated[
        list[str] | None,
        typer.Option(
            "--columns",
            metavar="NAME,NAME",
            help="Variables to fit; by default all columns of --metadata, or else of MAP.",
            rich_help_panel=o.INPUT,
        ),
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(
            "--drop", metavar="NAME,NAME", help="Variables to leave out.", rich_help_panel=o.INPUT
        ),
    ] = None,
    groups: Annotated[
        list[str] | None,
        typer.Option(
            "--groups",
            metavar="NAME,NAME",
            help="Variables whose numbers only name groups, such as plot numbers.",
            rich_help_panel=o.INPUT,
        ),
    ] = None,
    strata: Annotated[
        str | None,
        typer.Option(
            "--strata",
            metavar="COLUMN",
            help="Exchange values between points of the same stratum only.",
            rich_help_panel=o.RUN,
        ),
    ] = None,
    permutations: o.Permutations = 999,
    seed: o.Seed = 0,
    p_max: Annotated[
        float | None,
        typer.Option(
            "--p-max",
            metavar="P",
            min=0.0,
            max=1.0,
            help="Draw variables with a p-value up to this only.",
            rich_help_panel=o.OUTPUT,
        ),
    ] = None,
    files: sets.TableAndPicture,
    telling: sets.Telling,
) -> None:
    """Fit outside variables to a map: where numbers rise, and where groups lie.

    For each variable the table has R² and a p-value by permutations, as vegan's envfit.
    """
    files.check(telling.as_json)
    with telling.errors() as warned:
        files.check_files(map)
        found = read_map(map, None, format, encoding)
        known = variables_of(found, map, metadata, encoding, None, None)
        blocks = None if strata is None else known.get(strata)
        if strata is not None and blocks is None:
            raise typer.BadParameter(f"there is no column {strata!r}", param_hint="--strata")
        chosen = variables_of(found, map, metadata, encoding, columns, drop)
        from unimds.interpret import fit_properties as fitted
        from unimds.plots import plot_properties

        points = found.frame.to_numpy()
        properties = fitted(
            points,
            _grouped({name: chosen[name] for name in chosen if name != strata}, groups),
            n_permutations=permutations,
            strata=blocks,
            random_state=seed,
            space=found.space,
        )
        labels = files.looks.labels(found.labels)
        drawn: dict[str, Any] = {"p_max": p_max, "title": files.title}
        written = files.write(
            list(properties.rows()), lambda: plot_properties(points, properties, labels, **drawn)
        )
        if telling.as_json:
            print_json(
                {
                    "map": map,
                    "points": len(found.frame),
                    "permutations": permutations,
                    "properties": list(properties.rows()),
                    "files": written,
                    "warnings": warned,
                }
            )
        elif files.output is None:
            print(properties, flush=True)
        telling.written(written)


def _grouped(variables: dict[str, Any], groups: list[str] | None) -> dict[str, Any]:
    """Return the variables, with those of --groups as words."""
    from unimds.cli.inputs import chosen_names
    from unimds.files.table import as_texts

    named = chosen_names(groups) or []
    for name in named:
        if name not in variables:
            raise typer.BadParameter(f"there is no variable {name!r}", param_hint="--groups")
    return {
        name: as_texts(column) if name in named else column for name, column in variables.items()
    }
