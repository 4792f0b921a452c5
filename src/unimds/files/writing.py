"""Writing a map or a table."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import sys
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import PurePath
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from unimds._runtime.arguments import advised
from unimds._runtime.extras import require
from unimds.files.atomic import write_atomic
from unimds.files.endings import TABLE, WRITABLE, ending_of
from unimds.files.errors import FileError
from unimds.files.meaning.arrays import COORDINATES
from unimds.files.table import Column, Table, coordinate_names


@advised
def write(
    path: str | os.PathLike[str],
    values: Table | ArrayLike,
    *,
    labels: Sequence[str] | None = None,
    columns: Mapping[str, Sequence[Any]] | None = None,
    names: Sequence[str] | None = None,
    format: str = "auto",
    force: bool = False,
) -> None:
    """Write a map, or a table that was read, completely or not at all.

    Numbers are written so that reading gives them back bit for bit.

    Parameters
    ----------
    path : str or PathLike
        The file; "-" is standard output.
    values : Table or array-like of shape (n, k)
        A table, or the points of a map, whose columns are called x, y, z, or x1, x2 and so on.
    labels : sequence of n str, default=None
        Names of the points, the first column; by default those of the table.
    columns : mapping of str to sequences of n values, default=None
        Further columns, such as the stress of every point. NPY files hold neither these nor labels.
    names : sequence of k str, default=None
        Names of the coordinates, such as ``unimds.spaces.in_coordinates`` returns; by default x, y
        and z, or x1, x2 and so on.
    format : str, default="auto"
        One of "csv", "tsv", "json", "npy", "npz", "parquet"; by default the ending of the name,
        and "csv" for standard output. A further ".gz" compresses the file.
    force : bool, default=False
        Whether to replace a file that exists.

    Raises
    ------
    FileError
        If the file exists and `force` is not given, or if it cannot be written.

    Examples
    --------
    >>> points = [[0.0, 0.5], [1.0, 0.25]]
    >>> write("-", points, labels=["Ulm", "Bonn"], columns={"stress": [0.1, 0.2]})
    label,x,y,stress
    Ulm,0.0,0.5,0.1
    Bonn,1.0,0.25,0.2
    """
    name = os.fspath(path)
    packed = PurePath(name).suffix.lower() == ".gz"
    format = output_format(name, format)
    content = _encoded(_table_of(values, names), labels, columns or {}, format)
    content = gzip.compress(content, mtime=0) if packed else content
    if name == "-":
        _print(content)
        return
    write_atomic(name, content, force=force)


def output_format(path: str | os.PathLike[str], format: str = "auto") -> str:
    """Return the format that a file would be written in, or raise a FileError.

    Examples
    --------
    >>> output_format("map.tsv.gz"), output_format("-")
    ('tsv', 'csv')
    """
    name = os.fspath(path)
    if format != "auto" and format not in WRITABLE:
        raise FileError(name, f"the format {format!r} is unknown; use one of {', '.join(WRITABLE)}")
    if name == "-":
        return "csv" if format == "auto" else format
    found = ending_of(name).removeprefix(".")
    if format == "auto":
        TABLE.check(name)
        return found
    # a table in a format that was asked for may also be called a text
    replace(TABLE, endings=(*TABLE.endings, ".txt"), strict=False).check(name)
    if found in WRITABLE and found != format:
        raise FileError(
            name, f"the name ends in .{found}, and the format is {format!r}; leave one of them out"
        )
    return format


def _table_of(values: Table | ArrayLike, names: Sequence[str] | None) -> Table:
    if isinstance(values, Table):
        if names is not None:
            raise ValueError("a table has names of its own; give names with an array")
        return values
    points = np.asarray(values)
    if points.ndim != 2 or points.dtype.kind not in "fiub" or points.size == 0:
        raise ValueError(
            f"a table of numbers is needed, one point per row; its shape is {points.shape}"
        )
    points = points if points.dtype == np.float32 else points.astype(np.float64)
    k = points.shape[1]
    if names is not None and len(names) != k:
        raise ValueError(f"names: {len(names)} names for {k} coordinates")
    features = coordinate_names(k) if names is None else [str(name) for name in names]
    return Table(points, "points", "", "rows", features=features)


def renamed(columns: Mapping[str, Any], taken: Collection[str]) -> dict[str, Any]:
    """Return columns under names that are not taken, so that a map can be written with them.

    Examples
    --------
    >>> renamed({"x": [1.5], "class": ["a"]}, ["label", "x", "y"])
    {'input_x': [1.5], 'class': ['a']}
    """
    known, found = {*taken, *columns}, {}
    for name, values in columns.items():
        free = name
        while free in found or (free in known and (free != name or name in taken)):
            free = f"input_{free}"
        found[free] = values
    return found


def _encoded(
    table: Table,
    labels: Sequence[str] | None,
    columns: Mapping[str, Sequence[Any]],
    format: str,
) -> bytes:
    names = table.labels if labels is None else [str(label) for label in labels]
    further: dict[str, Column] = {
        name: _column(values) for name, values in {**table.columns, **columns}.items()
    }
    for name, values in {"labels": names, **further}.items():
        if values is not None and len(values) != table.n:
            raise ValueError(f"{name}: {len(values)} values for {table.n} points")
    if format == "npy":
        return _npy(table)
    if format == "npz":
        return _npz(table, names, further)
    frame = _frame(table, names, further)
    writers = {"csv": _delimited, "tsv": _delimited, "json": _json, "parquet": _parquet}
    return writers[format](frame, format)


def _column(values: Sequence[Any] | Column) -> Column:
    array = np.asarray(values)
    return array if array.dtype.kind in "fiub" else [str(value) for value in values]


def _frame(
    table: Table, labels: list[str] | None, further: Mapping[str, Column]
) -> dict[str, Column]:
    """Return the columns of a file by their names, with the labels first."""
    width = table.values.shape[1]
    names = (labels if table.precomputed else table.features) or [str(j) for j in range(width)]
    first: dict[str, Column] = {}
    if labels is not None:
        # a map has a name above its labels; a square of distances has none
        first = {"" if table.precomputed else "label": list(labels)}
    elif table.precomputed:
        first = {"": [str(i) for i in range(table.n)]}
    numbers = dict(zip(names, table.values.T, strict=True))
    frame = {**first, **numbers, **further}
    if len(frame) != len(first) + width + len(further):
        twice = Counter([*first, *names, *further]).most_common(1)[0][0]
        raise ValueError(f"two columns have the same name, {twice!r}; rename one of them")
    return frame


def _delimited(frame: Mapping[str, Column], format: str) -> bytes:
    lists = [column for column in frame.values() if isinstance(column, list)]
    plain = all(map(_plain, chain(frame, *lists)))
    file = io.StringIO(newline="")
    writer = csv.writer(
        file,
        delimiter="\t" if format == "tsv" else ",",
        lineterminator="\n",
        quoting=csv.QUOTE_MINIMAL if plain else csv.QUOTE_NONNUMERIC,
    )
    writer.writerow(frame)
    columns = [column if isinstance(column, list) else column.tolist() for column in frame.values()]
    writer.writerows(zip(*columns, strict=True))
    return file.getvalue().encode("utf-8")


def _plain(text: str) -> bool:
    """Whether a text needs only the quotes that every csv writer sets."""
    return not text.startswith("#") and "\r" not in text


def _json(frame: Mapping[str, Column], _: str) -> bytes:
    columns = [
        column if isinstance(column, list) else [_or_null(x) for x in column.tolist()]
        for column in frame.values()
    ]
    rows = [dict(zip(frame, row, strict=True)) for row in zip(*columns, strict=True)]
    lines = ",\n".join(json.dumps(row, ensure_ascii=False, allow_nan=False) for row in rows)
    return f"[\n{lines}\n]\n".encode()


def _or_null(value: Any) -> Any:
    return None if value != value else value


def _npy(table: Table) -> bytes:
    file = io.BytesIO()
    np.save(file, table.values, allow_pickle=False)
    return file.getvalue()


def _npz(table: Table, labels: list[str] | None, further: Mapping[str, Column]) -> bytes:
    arrays = {"distances" if table.precomputed else "points": table.values}
    arrays |= {} if labels is None else {"labels": np.array(labels, dtype=np.str_)}
    arrays |= {} if table.weights is None else {"weights": table.weights}
    if not table.precomputed and table.features is not None:
        arrays[COORDINATES] = np.array(table.features, dtype=np.str_)
    if clash := arrays.keys() & further.keys():
        raise ValueError(f"in an NPZ file no further column may be called {clash.pop()!r}")
    file = io.BytesIO()
    np.savez(file, allow_pickle=False, **arrays, **{k: np.asarray(v) for k, v in further.items()})
    return file.getvalue()


def _parquet(frame: Mapping[str, Column], _: str) -> bytes:
    arrow = require("pyarrow", "files")
    file = io.BytesIO()
    require("pyarrow.parquet", "files").write_table(arrow.table(dict(frame)), file)
    return file.getvalue()


def _print(content: bytes) -> None:
    sys.stdout.flush()
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:
        sys.stdout.write(content.decode("utf-8"))
    else:
        buffer.write(content)
        buffer.flush()
