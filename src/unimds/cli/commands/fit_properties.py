"""``unimds fit-properties``: fit outside variables to a map."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from unimds.cli import options as o
from unimds.cli.maps import read_map, variables_of
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


def fit_properties(
    map: o.MapFile,
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
    output: o.TableOut = None,
    plot: o.Plot = None,
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
    title: o.Title = None,
    dpi: o.Dpi = None,
    no_names: o.NoNames = False,
    force: o.Force = False,
    as_json: o.AsJson = False,
    quiet: o.Quiet = False,
    debug: o.Debug = False,
) -> None:
    """Fit outside variables to a map: where numbers rise, and where groups lie.

    For each variable the table has R² and a p-value by permutations, as vegan's envfit.
    """
    check_endings(plot=plot)
    if output is not None:
        check_table(output, "auto", as_json, "--plot")
    check_looks(plot, None, title=title, dpi=dpi, no_names=no_names)
    with errors_told("Interrupted: nothing was written.", debug, quiet, as_json) as warned:
        check_outputs({"--output": output, "--plot": plot}, map, force)
        check_extras(plot, None)
        found = read_map(map, None, format, encoding)
        known = variables_of(found, map, metadata, encoding, None, None)
        blocks = None if strata is None else known.get(strata)
        if strata is not None and blocks is None:
            raise typer.BadParameter(f"there is no column {strata!r}", param_hint="--strata")
        chosen = variables_of(found, map, metadata, encoding, columns, drop)
        from unimds.interpret import fit_properties as fitted

        properties = fitted(
            found.frame.to_numpy(),
            _grouped({name: chosen[name] for name in chosen if name != strata}, groups),
            n_permutations=permutations,
            strata=blocks,
            random_state=seed,
            space=found.space,
        )
        written = write_rows(output, list(properties.rows()), force)
        if plot is not None:
            from unimds.plots import plot_properties

            labels: Any = False if no_names else found.labels
            axes = plot_properties(
                found.frame.to_numpy(), properties, labels, p_max=p_max, title=title
            )
            draw(plot, axes.figure, force, dpi)
            written.append(plot)
        if as_json:
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
        elif output is None:
            print(properties, flush=True)
        if written and not quiet:
            say(f"Written: {', '.join(written)}")


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
