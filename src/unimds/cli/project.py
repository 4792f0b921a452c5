"""``unimds project``: fewer dimensions for points on a sphere."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from unimds.cli import options as o
from unimds.cli.messages import counted, failures_told, print_json, say
from unimds.cli.outputs import check_outputs, check_table_name, write_points

METHODS = ("subspace", "gaussian", "sparse")


def project(
    file: o.File,
    output: o.Output = "-",
    dim: Annotated[
        int | None,
        typer.Option("--dim", "-k", min=1, help="Coordinates of the result; by default enough."),
    ] = None,
    eps: Annotated[float, typer.Option("--eps", help="Largest relative error of an angle.")] = 0.1,
    delta: Annotated[
        float, typer.Option("--delta", help="Probability that some angle is off by more.")
    ] = 0.05,
    method: Annotated[
        str, typer.Option("--method", help=f"One of {', '.join(METHODS)}.")
    ] = "subspace",
    seed: o.Seed = 0,
    format: o.Format = "auto",
    encoding: o.Encoding = "auto",
    out_format: o.OutFormat = "auto",
    as_json: o.AsJson = False,
    force: o.Force = False,
    quiet: o.Quiet = False,
    debug: o.Debug = False,
) -> None:
    """Project points of a sphere to a smaller one; all angles hardly change.

    Rows of FILE are points; only their directions count. Without --dim there are as many
    coordinates as --eps and --delta need.
    """
    o.check_stdout(output, as_json)
    for option, value in (("--eps", eps), ("--delta", delta)):
        if not 0.0 < value < 1.0:
            raise typer.BadParameter(f"{option} {value} must be above 0 and below 1")
    if method not in METHODS:
        raise typer.BadParameter(f"--method {method}: it must be one of {', '.join(METHODS)}")
    with failures_told("Interrupted: nothing was written.", debug, quiet):
        check_table_name(output, out_format)
        check_outputs({"--output": output}, file, force)
        table = o.read_table(file, format, "points", "euclidean", encoding)
        o.check_complete(table, file)
        points = _projected(table.values, "auto" if dim is None else dim, eps, delta, method, seed)
        write_points(output, points, table, out_format, force)
        before, after = table.values.shape[1], points.shape[1]
        if as_json:
            print_json({"file": file, "points": table.n, "from": before, "to": after})
        if not quiet:
            say(f"{counted(table.n)}: from {before} coordinates to {after}.")


def _projected(
    values: Any, dim: int | str, eps: float, delta: float, method: str, seed: int
) -> Any:
    from unimds.distributions.projection import SphericalRandomProjection

    projection = SphericalRandomProjection(
        dim, eps=eps, delta=delta, method=method, random_state=seed
    )
    return projection.fit_transform(values)
