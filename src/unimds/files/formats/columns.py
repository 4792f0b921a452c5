"""Named columns, as Parquet and JSON hold them."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from unimds._runtime.extras import require
from unimds.files.formats.content import Content
from unimds.files.table import Column

BATCH = 1 << 14  # rows that are unpacked at a time, so that a bomb is noticed
INDEX = "__index_level_0__"  # what pandas calls an index without a name


class Columns(NamedTuple):
    """Columns of numbers, NaN where missing, or of texts, empty where missing."""

    names: list[str] | None  # None if the columns have no names
    columns: list[Column]
    index_names: list[str]  # columns that pandas saved as the index


def read_parquet(content: Content) -> Columns:
    """Return the columns of a Parquet file."""
    parquet = require("pyarrow.parquet", "files")
    arrow = require("pyarrow", "files")
    with content.guarded("the Parquet file"):
        file = parquet.ParquetFile(io.BytesIO(content.data))
        _check_declared(content, file.metadata)
        batches, unpacked = [], 0
        for batch in file.iter_batches(batch_size=BATCH, use_threads=False):
            unpacked += batch.nbytes
            content.check_unpacked(unpacked)
            batches.append(batch)
        table = arrow.Table.from_batches(batches, file.schema_arrow)
        table.validate(full=True)
        names = list(table.column_names)
        columns = [_arrow_column(content, arrow, table, j) for j in range(len(names))]
        return Columns(names, columns, [n for n in _pandas_index(table.schema) if n in names])


def _check_declared(content: Content, metadata: Any) -> None:
    """Raise before reading if the file declares more numbers than fit."""
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    declared = sum(group.total_byte_size for group in groups)
    content.check_unpacked(max(declared, metadata.num_rows * metadata.num_columns))


def _pandas_index(schema: Any) -> list[str]:
    index = (schema.pandas_metadata or {}).get("index_columns", [])
    return [INDEX, *(name for name in index if isinstance(name, str))]


def _arrow_column(content: Content, arrow: Any, table: Any, j: int) -> Column:
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
        raise content.error(
            f"the column {table.column_names[j]!r} holds {kind}, and numbers or texts were expected"
        )
    return ["" if value is None else str(value) for value in column.to_pylist()]


def load_json(content: Content) -> Any:
    """Return what a JSON file holds."""
    content.check_growth(len(content.data), 8, "a JSON file")
    with content.guarded("the JSON file"):
        return json.loads(content.data)


def columns_of_json(content: Content, rows: Any) -> Columns:
    """Return the columns of a list of rows, each a list of numbers or an object."""
    with content.guarded("the JSON file"):
        if not isinstance(rows, list) or not rows or not rows[0]:
            raise content.error("a list of rows was expected")
        width = _length(content, rows, 0)
        names = list(rows[0]) if isinstance(rows[0], dict) else None
        for i, row in enumerate(rows):
            if not isinstance(row, list if names is None else dict) or len(row) != width:
                _length(content, rows, i)
                raise content.error(f"row {i + 1} differs from the first row")
        keys: Sequence[Any] = range(width) if names is None else names
        columns = [_json_column(content, [row[key] for row in rows]) for key in keys]
    if names is None and any(isinstance(column, list) for column in columns):
        raise content.error("a row that is a list may hold numbers only")
    return Columns(names, columns, [])


def _length(content: Content, rows: list[Any], i: int) -> int:
    if not isinstance(rows[i], dict | list):
        raise content.error(f"row {i + 1} is neither a list nor an object")
    return len(rows[i])


def _json_column(content: Content, cells: list[Any]) -> Column:
    if any(isinstance(cell, dict | list) for cell in cells):
        raise content.error("a cell holds a list or an object, and a number or text was expected")
    if any(isinstance(cell, str) for cell in cells):
        return ["" if cell is None else str(cell) for cell in cells]
    return np.array([np.nan if cell is None else float(cell) for cell in cells])
