"""Maps that a command reads: a model, or the table of a map that was written before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from unimds.cli.inputs import chosen_names, metadata_in
from unimds.cli.messages import usage

if TYPE_CHECKING:
    from unimds.files import Table
    from unimds.spaces import Space

NO_VARIABLES = ("point_stress",)
"""Columns that `unimds embed` adds to a map, which say nothing about the points themselves."""


class Map(NamedTuple):
    """A map with its space, and the further columns of its file."""

    frame: Any
    space: Space
    labels: list[str] | None
    columns: Mapping[str, Any]


def read_map(file: str, space: str | None, format: str = "auto", encoding: str = "auto") -> Map:
    """Read a map: a model, which knows its space, or a table of coordinates.

    Without --space, the names of the coordinates say which space it is; x, y and z are Euclidean.
    """
    from unimds.files.endings import ending_of

    if ending_of(file) == ".unimds":
        return _of_model(file, space)
    from unimds.files import read
    from unimds.files.table import LATLON, POINCARE
    from unimds.spaces import as_space

    table = read(file, format=format, encoding=encoding, kind="points")
    names = table.features or []
    guess = "euclidean"
    if set(LATLON) <= set(names):
        guess = "sphere"
    elif "t" in names or any(name.startswith(POINCARE) for name in names):
        guess = "hyperbolic"
    with usage("--space"):
        here = as_space(guess if space is None else space)
    points, used = _points(file, table, here)
    others = [name for name in names if name not in used and name not in NO_VARIABLES]
    columns = {name: table.values[:, names.index(name)] for name in others}
    return Map(_frame(points, table.labels), here, table.labels, {**columns, **table.columns})


def _points(file: str, table: Table, space: Space) -> tuple[Any, list[str]]:
    """Return the points of a map of as many dimensions as the file has, and their columns."""
    from unimds.spaces.coordinates import COORDINATES, from_coordinates

    names = table.features or []
    for k in range(len(names), 0, -1):
        points = from_coordinates(names, table.values, space, k)
        if points is not None:
            ways = (way.names(space.n_coordinates(k)) for way in COORDINATES.values())
            return points, next(list(way) for way in ways if set(way) <= set(names))
    if not names:
        return table.values, []
    raise ValueError(
        f"{file} has the columns {', '.join(names)}, and no coordinates of a map in {space}; give "
        "a map as unimds embed writes it, or a model"
    )


def _of_model(file: str, space: str | None) -> Map:
    import typer

    from unimds.models import load

    if space is not None:
        raise typer.BadParameter(f"{file} is a model, which knows its space", param_hint="--space")
    mds: Any = load(file)
    labels = None if mds.labels_ is None else [str(label) for label in mds.labels_]
    return Map(_frame(mds.embedding_, labels), mds.space_, labels, {})


def _frame(points: Any, labels: list[str] | None) -> Any:
    from unimds._runtime.extras import require

    return require("pandas", "files").DataFrame(points, index=labels)


def variables_of(
    found: Map,
    file: str,
    metadata: str | None,
    encoding: str,
    columns: list[str] | None,
    drop: list[str] | None,
) -> dict[str, Any]:
    """Return the variables of the points: of --metadata, or else the further columns of the map."""
    known = dict(found.columns)
    if metadata is not None:
        known = _joined(found, metadata, encoding)
    chosen, dropped = chosen_names(columns), chosen_names(drop)
    where = metadata or file
    for name in (*(chosen or ()), *(dropped or ())):
        if name not in known:
            raise ValueError(f"{where} has no column {name!r}; its columns are {', '.join(known)}")
    kept = [name for name in chosen or known if name not in (dropped or ())]
    if not kept:
        raise ValueError(f"{where} has no variable to fit to the map; give --metadata FILE")
    return {name: known[name] for name in kept}


def _joined(found: Map, metadata: str, encoding: str) -> dict[str, Any]:
    import numpy as np

    from unimds.files import Table

    bare = Table(np.zeros((len(found.frame), 1)), "points", "csv", "rows", found.labels)
    try:
        return dict(bare.joined(metadata_in(metadata, encoding)).columns)
    except ValueError as error:
        raise ValueError(f"--metadata {metadata}: {error}") from None
