"""Named columns, as Parquet and JSON hold them."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.extras import require
from unimds.files.layouts import LABELS
from unimds.files.lists import (
    Links,
    Roles,
    from_edges,
    from_pairs,
    roles,
    roles_by_place,
    roles_by_words,
)
from unimds.files.matrices import assemble
from unimds.files.source import Source, size
from unimds.files.table import Table

Array = NDArray[np.floating[Any]]
Column = Array | list[str]

BATCH = 1 << 14  # rows that are unpacked at a time, so that a bomb is noticed
INDEX = "__index_level_0__"  # what pandas calls an index without a name


def from_parquet(source: Source, kind: str) -> Table:
    """Make a table of a Parquet file."""
    parquet = require("pyarrow.parquet", "files")
    arrow = require("pyarrow", "files")
    with source.guarded("the Parquet file"):
        file = parquet.ParquetFile(io.BytesIO(source.data))
        _check_declared(source, file.metadata)
        batches, room = [], source.limit
        for batch in file.iter_batches(batch_size=BATCH, use_threads=False):
            room -= batch.nbytes
            if room < 0:
                raise source.error(
                    f"takes more than {size(source.limit)}, unpacked; raise max_bytes to read it"
                )
            batches.append(batch)
        table = arrow.Table.from_batches(batches, file.schema_arrow)
        table.validate(full=True)
        names = list(table.column_names)
        columns = [_arrow_column(source, arrow, table, j) for j in range(len(names))]
        index = [name for name in _pandas_index(table.schema) if name in names]
    return _from_columns(source, "parquet", names, columns, index, kind)


def _check_declared(source: Source, metadata: Any) -> None:
    """Refuse a file of more numbers than there is room for, before they are read."""
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    total = max(
        sum(group.total_byte_size for group in groups),
        metadata.num_rows * metadata.num_columns,
    )
    if total > source.limit:
        raise source.error(
            f"unpacked, it takes {size(total)}, and at most {size(source.limit)} are allowed; "
            "raise max_bytes to read it"
        )


def _pandas_index(schema: Any) -> list[str]:
    index = (schema.pandas_metadata or {}).get("index_columns", [])
    return [INDEX, *(name for name in index if isinstance(name, str))]


def _arrow_column(source: Source, arrow: Any, table: Any, j: int) -> Column:
    column, types = table.column(j), arrow.types
    if types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    kind = column.type
    if types.is_floating(kind) or types.is_integer(kind) or types.is_boolean(kind):
        single = kind == arrow.float32()
        values = np.array(column.to_numpy(zero_copy_only=False), dtype=np.float64)
        return values.astype(np.float32) if single else values
    if types.is_decimal(kind):
        return np.array(column.cast(arrow.float64()).to_numpy(), dtype=np.float64)
    if types.is_nested(kind) or types.is_binary(kind) or types.is_large_binary(kind):
        raise source.error(
            f"the column {table.column_names[j]!r} holds {kind}, and numbers or texts were expected"
        )
    return ["" if value is None else str(value) for value in column.to_pylist()]


def from_json(source: Source, kind: str) -> Table:
    """Make a table of JSON: a list of rows, each a list of numbers or an object."""
    source.check_growth(len(source.data), 8, "a JSON file")
    with source.guarded("the JSON file"):
        rows = json.loads(source.data)
        if not isinstance(rows, list) or not rows or not rows[0]:
            raise source.error("a list of rows was expected")
        objects = isinstance(rows[0], dict)
        names = list(rows[0]) if objects else [str(j + 1) for j in range(_length(source, rows, 0))]
        width = len(names)
        for i, row in enumerate(rows):
            if not isinstance(row, dict if objects else list) or _length(source, rows, i) != width:
                raise source.error(f"row {i + 1} is not like the first one")
        keys: Sequence[Any] = names if objects else range(width)
        columns = [_json_column(source, [row[key] for row in rows]) for key in keys]
    if objects:
        return _from_columns(source, "json", names, columns, [], kind)
    block = np.column_stack([_only_numbers(source, column) for column in columns])
    return assemble(source, block, format="json", kind=kind)


def _length(source: Source, rows: list[Any], i: int) -> int:
    if not isinstance(rows[i], dict | list):
        raise source.error(f"row {i + 1} is neither a list nor an object")
    return len(rows[i])


def _json_column(source: Source, cells: list[Any]) -> Column:
    if any(isinstance(cell, dict | list) for cell in cells):
        raise source.error("a cell holds a list or an object, and a number or text was expected")
    if any(isinstance(cell, str) for cell in cells):
        return ["" if cell is None else str(cell) for cell in cells]
    return np.array([np.nan if cell is None else float(cell) for cell in cells])


def _only_numbers(source: Source, column: Column) -> Array:
    if isinstance(column, list):
        raise source.error("a row of lists holds numbers only")
    return column


def _from_columns(
    source: Source,
    format: str,
    names: list[str],
    columns: list[Column],
    index: list[str],
    kind: str,
) -> Table:
    """Make a table of named columns: a list of pairs or edges, a square, or points."""
    found = roles(names, kind) or _roles(source, columns, kind)
    if found is not None:
        links = _links(source, columns, found)
        return (from_pairs if found.kind == "pairs" else from_edges)(links, format)
    labels_at = _labels_at(names, columns, index)
    labels = None if labels_at is None else as_texts(columns[labels_at])
    kept = [j for j in range(len(names)) if j != labels_at]
    numbers = [column for j in kept if isinstance(column := columns[j], np.ndarray)]
    block = np.column_stack(numbers) if numbers else np.empty((0, 0))
    texts = {names[j]: column for j in kept if isinstance(column := columns[j], list)}
    features = [names[j] for j in kept if isinstance(columns[j], np.ndarray)]
    return assemble(
        source, block, format=format, kind=kind, labels=labels, names=features, columns=texts
    )


def _roles(source: Source, columns: list[Column], kind: str) -> Roles | None:
    """Recognise a list by its first two columns, where they are words under names of their own."""
    first, second, *rest = columns if len(columns) > 1 else [*columns, *columns]
    words = isinstance(first, list) and isinstance(second, list)
    if kind in ("pairs", "graph"):
        if words:
            return roles_by_place(source, len(columns), kind)
        raise source.error(
            f"a list of {kind} has columns called 'source' and 'target', and 'distance' or 'length'"
        )
    if kind != "auto" or not words or any(isinstance(column, list) for column in rest):
        return None
    return roles_by_words(source, as_texts(first), as_texts(second), len(rest))


def _labels_at(names: list[str], columns: list[Column], index: list[str]) -> int | None:
    """Return the column of labels: the index, one with such a name, or the first unique texts."""
    if index:
        return names.index(index[-1])
    if names[0].lower() in LABELS:  # labels, even where some are the same
        return 0
    texts = {j: column for j, column in enumerate(columns) if isinstance(column, list)}
    return next((j for j, column in texts.items() if len(set(column)) == len(column)), None)


def _links(source: Source, columns: list[Column], found: Roles) -> Links:
    value, weight = (None if j is None else columns[j] for j in (found.value, found.weight))
    if isinstance(value, list) or isinstance(weight, list):
        raise source.error("the distances, lengths and weights of a list must be numbers")
    first, second = (as_texts(columns[j]) for j in found.ends)
    if "" in first or "" in second:
        raise source.error("a label is missing")
    return Links(source, (first, second), np.ones(len(first)) if value is None else value, weight)


def as_texts(column: Column) -> list[str]:
    """Return labels as texts: whole numbers without a fraction, nothing for missing ones."""
    if isinstance(column, list):
        return column
    return [_as_text(float(x)) for x in column]


def _as_text(x: float) -> str:
    return "" if x != x else f"{x:.0f}" if x.is_integer() else repr(x)
