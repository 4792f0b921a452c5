"""``unimds place``: place new points on the map of a saved model."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from unimds._runtime.extras import require
from unimds.cli import options as o
from unimds.cli.inputs import check_complete, read_table
from unimds.cli.messages import counted, errors_told, print_json, say
from unimds.cli.outputs import check_outputs, check_table, write_points


def place(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="A model that `unimds embed --model` has saved.")
    ],
    new: Annotated[
        str,
        typer.Argument(
            metavar="NEW",
            help="New points, one per row: features, or distances to the points of the map.",
        ),
    ],
    output: o.Output = "-",
    format: o.Format = "auto",
    encoding: o.Encoding = "auto",
    out_format: o.OutFormat = "auto",
    coordinates: o.CoordinatesName = "auto",
    as_json: o.AsJson = False,
    force: o.Force = False,
    quiet: o.Quiet = False,
    debug: o.Debug = False,
) -> None:
    """Place new points on the map of a saved model.

    Columns are matched by their names, in any order: the features, or the points of the map.
    """
    check_table(output, out_format, as_json)
    with errors_told("Interrupted: nothing was written.", debug, quiet):
        check_outputs({"--output": output}, new, force)
        from unimds.models import load

        mds: Any = load(model)
        o.check_coordinates(coordinates, mds.space_, mds.n_components)
        table = read_table(new, format, "points", "euclidean", encoding)
        if mds.metric != "precomputed":
            check_complete(table, new, mds.metric)
        points = mds.transform(_matched(mds, table, new))
        how = (out_format, force, None, mds.space_, coordinates)
        write_points(output, points, table, *how)
        if as_json:
            print_json({"model": model, "points": len(points), "files": {"output": output}})
        if output != "-" and not quiet:
            say(f"{counted(len(points))} placed. Written: {output}")


def _matched(mds: Any, table: Any, new: str) -> Any:
    """Return a frame with the columns in the order of the model."""
    frame = require("pandas", "files").DataFrame
    names = getattr(mds, "feature_names_in_", None)
    if names is None:
        return table.values
    if table.features is None:
        fits = table.values.shape[1] == len(names)
        return frame(table.values, columns=list(names)) if fits else table.values
    known = set(table.features)
    wanted = list(names)
    marks = getattr(mds, "landmarks_", None)
    if mds.metric == "precomputed" and marks is not None and not known.issuperset(wanted):
        wanted = [names[i] for i in marks]  # distances to the landmarks suffice
    missing = next((name for name in wanted if name not in known), None)
    if missing is not None:
        what = "distances to" if mds.metric == "precomputed" else "feature"
        raise ValueError(
            f"{new} lacks the {what} {missing!r}, which the model needs; add a column of that name"
        )
    index = {name: j for j, name in enumerate(table.features)}
    return frame(table.values[:, [index[name] for name in wanted]], columns=wanted)
