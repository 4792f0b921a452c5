"""``unimds project``: reduce the dimension of points on a sphere."""

from __future__ import annotations

from typing import Annotated

import typer

from unimds._runtime.words import counted
from unimds.cli.inputs import check_complete, read_table
from unimds.cli.messages import print_json, say, usage
from unimds.cli.options import sets
from unimds.cli.options import single as o
from unimds.cli.outputs import check_outputs, check_table, write_points


@sets.takes_sets
def project(
    file: o.PointsFile,
    *,
    format: o.Format = "auto",
    encoding: o.Encoding = "auto",
    columns: o.Columns = None,
    drop: o.Drop = None,
    dim: Annotated[
        int | None,
        typer.Option(
            "--dim",
            "-k",
            metavar="K",
            min=1,
            help="Number of coordinates; by default enough for --eps.",
            rich_help_panel=o.MAP,
        ),
    ] = None,
    eps: Annotated[
        float,
        typer.Option(
            "--eps",
            metavar="FRACTION",
            help="Largest relative error of an angle.",
            rich_help_panel=o.MAP,
        ),
    ] = 0.1,
    delta: Annotated[
        float,
        typer.Option(
            "--delta",
            metavar="PROBABILITY",
            help="Probability that the error of some angle is larger.",
            rich_help_panel=o.MAP,
        ),
    ] = 0.05,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            metavar="NAME",
            help="Kind of projection: subspace, gaussian or sparse.",
            rich_help_panel=o.MAP,
        ),
    ] = "subspace",
    seed: o.Seed = 0,
    output: o.Output = "-",
    out_format: o.OutFormat = "auto",
    force: o.Force = False,
    telling: sets.Telling,
) -> None:
    """Project points on a sphere to a smaller sphere, with little change to their angles.

    The rows of FILE are points; only their directions count. Without --dim, there are as many
    coordinates as --eps and --delta need.
    """
    check_table(output, out_format, telling.as_json)
    with telling.errors() as warned:
        from unimds.distributions.projection import SphericalRandomProjection

        projection = SphericalRandomProjection(
            "auto" if dim is None else dim, eps=eps, delta=delta, method=method, random_state=seed
        )
        with usage():
            projection._validate_params()
        check_outputs({"--output": output}, file, force)
        how = (format, "points", "euclidean", encoding)
        table = read_table(file, *how, quiet=telling.quiet, columns=columns, drop=drop)
        check_complete(table, file)
        points = projection.fit_transform(table.values)
        write_points(output, points, table, out_format, force)
        before, after = table.values.shape[1], points.shape[1]
        if telling.as_json:
            found = {"file": file, "points": table.n, "from": before, "to": after}
            print_json({**found, "warnings": warned})
        if not telling.quiet:
            say(f"{counted(table.n, 'point')}: from {before} coordinates to {after}.")
