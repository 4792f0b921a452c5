"""The table that a command reads: checked, and suspicious tables reported."""

from __future__ import annotations

from collections import Counter
from shlex import quote as quoted
from typing import TYPE_CHECKING, Any

from unimds.cli.guide import check_metric, near, suggestion
from unimds.cli.messages import caution, counted, usage
from unimds.cli.progress import waiting

if TYPE_CHECKING:
    from unimds.files import Table

MOST = 0.99
"""Share of the squared distances from which one feature hides the rest."""
PROPORTIONS = ("braycurtis", "cosine")
"""Metrics that compare the proportions of rows, which rows of zeros do not have."""
MANY = 2000  # points above which a second look at the table would take too much memory


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
) -> Table:
    """Read the input of a command, and check that the options suit it."""
    from unimds.files import read

    how: dict[str, Any] = {"format": format, "kind": kind, "encoding": encoding, "weight": weight}
    how["part"] = part
    if kind == "pairs":
        how |= {"columns": _names(columns), "drop": _names(drop)}
    with usage(), waiting(f"reading {file}", quiet):
        table = read(file, **how)
    if kind != "pairs":
        try:
            table = table.chosen(_names(columns, table), _names(drop, table))
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


def _names(given: list[str] | None, table: Table | None = None) -> list[str] | None:
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


def check_complete(table: Table, file: str, metric: str = "euclidean") -> None:
    """Raise if a feature of a point is missing or infinite; only distances may be missing."""
    import numpy as np

    if table.precomputed or metric == "nan_euclidean":
        return
    wrong = np.argwhere(~np.isfinite(table.values))
    if len(wrong):
        i, j = wrong[0]
        point = repr(table.labels[i]) if table.labels else f"row {i + 1}"
        feature = repr(table.features[j]) if table.features else f"number {j + 1}"
        missing = np.isnan(table.values[i, j])
        raise ValueError(
            f"{file}: feature {feature} of {point} is {'missing' if missing else 'infinite'}; give "
            "a number, or remove the point or the feature"
        )


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
    return f"{counted(len(rows))} ({', '.join(names)}{', …' if len(rows) > 3 else ''})"


def warn_of_doubts(table: Table, file: str, metric: str = "euclidean", apart: bool = False) -> None:
    """Warn of suspicious tables; `apart`, on a cluster, fewer checks are possible."""
    if table.n == 1:
        caution(
            f"{file} holds a single point, read as {table.kind}; if it holds more, see "
            "--kind and --format"
        )
    label, count = Counter(table.labels or [""]).most_common(1)[0]
    if count > 1:
        caution(f"{file}: {count} points have the same label, {label!r}")
    if names_directions(table) and not apart:
        _warn_of_asymmetry(table, file)
    if not table.precomputed:
        _warn_of_features(table, file)
        warn_of_empty(table, file, metric)
    if not table.precomputed and metric in ("euclidean", "l2"):
        _warn_of_share(table, file)


def _warn_of_features(table: Table, file: str) -> None:
    """Warn of columns that count as features, and hardly are features."""
    from unimds.files.meaning.doubts import numbers_points

    for name, column in zip(table.features or [], table.values.T, strict=False):
        if numbers_points(name, column):
            caution(
                f"{file}: the column {name!r} counts as a feature; if it only numbers "
                f"the points, give --drop {quoted(name)}"
            )


def warn_of_empty(table: Table, file: str, metric: Any) -> None:
    """Warn of rows of zeros under a metric that puts them equally far from all other points."""
    if table.precomputed or metric not in PROPORTIONS or table.n == 0:
        return
    rows = [i for i, row in enumerate(table.values) if not row.any()]
    if not rows:
        return
    names = [repr(table.labels[i]) if table.labels else f"row {i + 1}" for i in rows]
    few = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    are = "is empty (all zeros)" if len(rows) == 1 else "are empty (all zeros)"
    caution(
        f"{file}: {few} {are}; by {metric} an empty point is at the distance 1 from every "
        "other point, which says nothing about its place: remove it, or choose another --metric"
    )


def _warn_of_share(table: Table, file: str) -> None:
    """Warn if one feature alone makes the distances."""
    from unimds.distances.metric import largest_share

    if table.n < 2 or table.values.shape[1] < 2:
        return
    at, share = largest_share(table.values)
    if share > MOST:
        name, drop = f"number {at + 1}", "remove it"
        if table.features is not None:
            name, drop = repr(table.features[at]), f"give --drop {quoted(table.features[at])}"
        caution(
            f"{file}: the column {name} alone makes {100.0 * min(share, 0.9999):.4g} % of "
            f"the squared distances; if it should not count, {drop}; to give all columns the same "
            "spread, --metric seuclidean"
        )


def names_directions(table: Table) -> bool:
    """Whether `warn_of_doubts` names a pair whose directions differ."""
    return table.precomputed and table.n <= MANY


def _warn_of_asymmetry(table: Table, file: str) -> None:
    import numpy as np

    with np.errstate(invalid="ignore"):  # infinite distances get an error of their own
        gap = np.nan_to_num(np.abs(table.values - table.values.T), posinf=0.0)
    i, j = np.unravel_index(gap.argmax(), gap.shape)
    there, back = table.values[i, j], table.values[j, i]
    if gap[i, j] > 1e-6 * max(abs(there), abs(back)):
        names = table.labels or [str(k + 1) for k in range(table.n)]
        caution(
            f"{file} is not symmetric: {there:g} from {names[i]} to {names[j]}, but "
            f"{back:g} back; both directions count half"
        )
