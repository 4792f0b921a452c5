"""``unimds procrustes``: compare two maps of the same points."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from unimds.cli import options as o
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


def procrustes(
    map: o.MapFile,
    other: Annotated[
        str,
        typer.Argument(
            metavar="OTHER",
            help="Another map of these points, or of some of them; they are matched by label.",
            show_default=False,
        ),
    ],
    format: o.Format = "auto",
    encoding: o.Encoding = "auto",
    space: o.SpaceName = None,
    no_scale: Annotated[
        bool,
        typer.Option(
            "--no-scale",
            help="Do not stretch OTHER: maps of different sizes differ.",
            rich_help_panel=o.RUN,
        ),
    ] = False,
    permutations: o.Permutations = 999,
    seed: o.Seed = 0,
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
    """Compare two maps of the same points: turn one onto the other, and test the agreement.

    OUT has both places of each point, and the distance between them. The p-value is by
    permutations, as vegan's protest.
    """
    check_endings(plot=plot)
    if output is not None:
        check_table(output, "auto", as_json, "--plot")
    check_looks(plot, None, title=title, dpi=dpi, no_names=no_names)
    with errors_told("Interrupted: nothing was written.", debug, quiet, as_json) as warned:
        check_outputs({"--output": output, "--plot": plot}, map, force)
        check_extras(plot, None)
        one, two = (read_map(file, space, format, encoding) for file in (map, other))
        if type(one.space) is not type(two.space):
            raise ValueError(
                f"{map} lies in {one.space} and {other} in {two.space}; make both maps in one space"
            )
        from unimds.interpret import procrustes_test

        test = procrustes_test(
            one.frame,
            two.frame,
            n_permutations=permutations,
            scale=False if no_scale else None,
            random_state=seed,
            space=one.space,
        )
        written = write_rows(output, list(test.rows()), force)
        if plot is not None:
            from unimds.plots import plot_procrustes

            labels: Any = False if no_names else None
            axes = plot_procrustes(test, labels, names=(map, other), title=title)
            draw(plot, axes.figure, force, dpi)
            written.append(plot)
        if as_json:
            print_json(
                {
                    "maps": [map, other],
                    "points": len(test.residuals),
                    "correlation": test.correlation,
                    "m2": test.m2,
                    "p_value": test.p_value,
                    "permutations": permutations,
                    "scale": test.scale,
                    "rmse": test.rmse,
                    "files": written,
                    "warnings": warned,
                }
            )
        else:
            print(test, flush=True)
        if written and not quiet:
            say(f"Written: {', '.join(written)}")
