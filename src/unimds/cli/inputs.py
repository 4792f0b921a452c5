"""The table that a command reads, checked."""

from __future__ import annotations

from dataclasses import replace
from shlex import quote as quoted
from typing import TYPE_CHECKING, Any

from unimds._runtime.words import counted
from unimds.cli.guide import check_metric, near, suggestion
from unimds.cli.messages import usage
from unimds.cli.progress import waiting

if TYPE_CHECKING:
    from unimds.files import Table


def read_table(
    file: str,
    format: str,
    kind: str,
    metric: str,
    encoding: str = "auto",
    weight: str = "auto",
    quiet: bool = False,
    columns: list[str] | None = None,
    drop: list[str] | None = None,
    part: str = "all",
    likeness: bool = False,
) -> Table:
    """Read the input of a command, and check that the options suit it.

    If the command asks for `likeness`, a triangle holds similarities.
    """
    from unimds.files.reading import by_choice, read_unjudged

    how: dict[str, Any] = {"format": format, "kind": kind, "encoding": encoding, "weight": weight}
    how |= {
        "part": part,
        "likeness": likeness,
        "columns": chosen_names(columns),
        "drop": chosen_names(drop),
    }
    with usage(), waiting(f"reading {file}", quiet):
        table = read_unjudged(file, **how)
    if not by_choice(table, kind):
        try:
            table = table.chosen(chosen_names(columns, table), chosen_names(drop, table))
        except ValueError as error:
            raise ValueError(f"{file}: {error}") from None
    check_suits(table, file, metric)
    return table


def check_suits(table: Table, file: str, metric: str) -> None:
    """Raise if there is no such metric, or if a file holds distances, to which none applies."""
    if not table.precomputed:
        check_metric(metric)
    elif metric not in ("euclidean", "precomputed"):
        raise ValueError(
            f"{file} holds distances, to which --metric {metric} does not apply; leave it out, or "
            "give --kind points if the file holds points"
        )


def metadata_in(file: str, encoding: str = "auto") -> Table:
    """Read a file of metadata."""
    from unimds.files import read_metadata

    return read_metadata(file, encoding=encoding)


def with_metadata(table: Table, more: Table, metadata: str) -> Table:
    """Return the table with the columns of its metadata."""
    try:
        return table.joined(more)
    except ValueError as error:
        raise ValueError(f"--metadata {metadata}: {error}") from None


def named_by(table: Table, names: str | None, file: str) -> Table:
    """Return the table with the names of its points from a column."""
    try:
        return table if names is None else table.named(names)
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None


def chosen_names(given: list[str] | None, table: Table | None = None) -> list[str] | None:
    """Return names of columns, given one by one or with commas between them."""
    if not given:
        return None
    known = set() if table is None else {*(table.features or ()), *table.columns}
    parts = (
        [text] if text in known else [part.strip() for part in text.split(",")] for text in given
    )
    return [name for some in parts for name in some if name]


def column_of(table: Table, name: str, file: str) -> Any:
    """Return the values of a column of a table, to colour points by."""
    from unimds.files.table import as_column

    if name in table.columns:
        return table.columns[name]
    features = table.features or []
    if not table.precomputed and name in features:
        return as_column(table.values[:, features.index(name)])
    known = [*table.columns, *([] if table.precomputed else features)]
    told = suggestion(near(name, known)) or (
        f"; its columns are {', '.join(known)}" if known else "; give columns with --metadata"
    )
    raise ValueError(f"{file} has no column {name!r} to colour by{told}")


def rows_of(labels: list[str] | None, table: Table, file: str, what: str) -> Any:
    """Return the rows of a table for the points of an input, matched by label if they have any."""
    if labels is None or table.labels is None or labels == table.labels:
        return slice(None)
    at = {label: i for i, label in enumerate(table.labels)}
    missing = next((label for label in labels if label not in at), None)
    if missing is not None:
        raise ValueError(f"{file} has no {what} for {missing!r}; give every point a row")
    return [at[label] for label in labels]


def weights_of(file: str | None, table: Table) -> Any:
    """Return the weights: those of a file, in the order of the table's labels, or the table's."""
    from unimds.files import read

    if file is None:
        return table.weights
    given = read(file, kind="distances")
    rows = rows_of(table.labels, given, file, "weights")
    return given.values[rows][:, rows]


def as_measured(table: Table, params: dict[str, Any] | None) -> Table:
    """Return the table with the numbers whose distances are measured."""
    if params is None:
        return table
    from unimds.distances.standard import STANDARDISE, largest_of, standardised

    how = params[STANDARDISE], largest_of(table.values, params[STANDARDISE])
    return replace(table, values=standardised(table.values, *how))


def check_complete(
    table: Table, file: str, metric: str = "euclidean", remedy: str | None = None
) -> None:
    """Raise if a feature of a point is missing or infinite; only distances may be missing.

    `remedy` is what to do with a column without any number; by default the command has --drop.
    """
    import numpy as np

    if table.precomputed or metric == "nan_euclidean":
        return
    unknown = ~np.isfinite(table.values)
    if not unknown.any():
        if metric == "hellinger":
            _check_proportions(table, file)
        return
    if (empty := np.flatnonzero(np.isnan(table.values).all(axis=0))).size:
        drop = quoted(table.features[empty[0]]) if table.features else None
        told = remedy or ("remove it" if drop is None else f"give --drop {drop}")
        raise ValueError(f"{file}: the column {_feature(table, empty[0])} holds no numbers; {told}")
    i, j = np.argwhere(unknown)[0]
    wrong, zero = "infinite", ""
    if np.isnan(table.values[i, j]):
        wrong, zero = "missing", " (0 if a blank means 0)"
    raise ValueError(
        f"{file}: feature {_feature(table, j)} of {_point(table, i)} is {wrong}; give a "
        f"number{zero}, or remove the point or the feature"
    )


def _check_proportions(table: Table, file: str) -> None:
    """Raise if a row has no proportions: it is empty, or holds a negative number."""
    for i, row in enumerate(table.values):
        if row.min() < 0.0:
            feature = _feature(table, int(row.argmin()))
            raise ValueError(
                f"{file}: feature {feature} of {_point(table, i)} is negative, and has no "
                "proportions for the metric hellinger; correct it"
            )
        if not row.any():
            raise ValueError(
                f"{file}: {_point(table, i)} is empty (all zeros), and has no proportions for the "
                "metric hellinger; remove it"
            )


def _point(table: Table, i: int) -> str:
    return repr(table.labels[i]) if table.labels else f"row {i + 1}"


def _feature(table: Table, j: int) -> str:
    return repr(table.features[j]) if table.features else f"number {j + 1}"


def check_joined(table: Table, file: str) -> None:
    """Raise if a graph, or a list of pairs, falls into parts: their places are not determined."""
    import numpy as np

    from unimds.files.meaning.parts import parts_of

    part = parts_of(table)
    sizes = np.bincount(part)
    count = len(sizes)
    if count <= 1:
        return
    told = [_part_told(table, part, k) for k in np.argsort(-sizes, kind="stable")[:PARTS]]
    more = f", and {count - PARTS} more" if count > PARTS else ""
    what, between = PARTED[table.kind]
    raise ValueError(
        f"{file}: {what} {count} parts with no {between} between them: {'; '.join(told)}{more}. "
        f"Where the parts lie relative to each other is not determined: add {between}s between "
        "them, or make a map of each part alone: --part largest keeps the largest"
    )


PARTS = 4
"""Parts that a message describes."""
PARTED = {
    "graph": ("the graph has", "edge"),
    "pairs": ("the pairs fall into", "pair"),
    "distances": ("the known distances fall into", "distance"),
}


def _part_told(table: Table, part: Any, k: int) -> str:
    rows = (part == k).nonzero()[0]
    names = [table.labels[i] if table.labels else f"point {i + 1}" for i in rows[:3]]
    return f"{counted(len(rows), 'point')} ({', '.join(names)}{', …' if len(rows) > 3 else ''})"
