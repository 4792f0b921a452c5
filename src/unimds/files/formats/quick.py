"""A fast reader for large plain tables: each line a label or a number, then numbers.

pyarrow reads numbers several times as fast as Python, exactly to the last bit. Every other text is
left to `unimds.files.formats.grid.parse`, which handles all cases and explains errors.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds.files.formats.grid import KEPT, ROW, Grid
from unimds.files.formats.text import MISSING, Dialect, Text, number

Array = NDArray[np.floating[Any]]

LARGE = 1 << 19  # bytes from which importing pyarrow pays off
PECULIAR = (b'"', b"#", b"(", b"\r")  # quotes, comments, nan(…) and old line endings
EMPTY = sorted({form(word) for word in MISSING for form in (str.lower, str.upper, str.title)})


def quick_parse(text: Text, dialect: Dialect) -> Grid | None:
    """Read the cells of a large plain text, or return None for any other text."""
    data = text.content.data
    if len(data) < LARGE or dialect.delimiter == " " or dialect.decimal != ".":
        return None
    if find_spec("pyarrow") is None:
        return None
    data = data.replace(b"\r\n", b"\n") if b"\r" in data else data
    if any(sign in data for sign in PECULIAR):
        return None
    lines = {i: line for i, line in enumerate(data.split(b"\n"), 1) if not line.isspace() and line}
    return _grid(text, dialect, lines)


def _grid(text: Text, dialect: Dialect, lines: dict[int, bytes]) -> Grid | None:
    mark, limit = dialect.delimiter.encode(), text.content.limit
    header, *rows = lines.values()
    width = rows[0].count(mark) + 1 if rows else 0
    if width < 2 or any(row.count(mark) != width - 1 for row in rows):
        return None
    if len(lines) * (ROW + 8 * width) > limit or 8 * max(map(len, rows)) > limit:
        return None
    values = _numbers(b"\n".join(row.partition(mark)[2] for row in rows), mark)
    if values is None or values.size != len(rows) * (width - 1):
        return None
    grid, numbers = Grid(text, dialect.format), iter(lines)
    grid.append(next(numbers), header.decode().split(dialect.delimiter), dialect.decimal)
    block = np.empty((len(rows), width))
    block[:, 1:] = values.reshape(len(rows), width - 1)
    for i, row in enumerate(rows):
        head = [cell.decode().strip() for cell in row.split(mark, KEPT)[:KEPT]]
        first = number(head[0], dialect.decimal)
        if first is None:
            grid.words[i + 1] = {0: head[0]}
        block[i, 0] = np.nan if first is None else first
        grid.heads.append(head)
        filled = len(row.rstrip(mark + b" \t"))
        grid.empties.append(row[filled:].count(mark) + (filled == 0))
    grid.lines.extend(numbers)
    grid.widths.extend([width] * len(rows))
    grid.flat.frombytes(block.tobytes())
    return grid


def _numbers(cells: bytes, mark: bytes) -> Array | None:
    """Return all numbers, NaN where missing; None if a cell is a word."""
    import pyarrow
    from pyarrow import csv

    data = (
        cells.replace(mark, b"\n") + b"\n"
    )  # a table of a single column, without overhead for more
    try:
        table = csv.read_csv(
            pyarrow.BufferReader(data),
            csv.ReadOptions(column_names=["x"], use_threads=False, block_size=len(data) + 1),
            csv.ParseOptions(quote_char=False, ignore_empty_lines=False),
            csv.ConvertOptions(column_types={"x": pyarrow.float64()}, null_values=EMPTY),
        )
    except pyarrow.ArrowException:
        return None
    return np.concatenate([_array(chunk) for chunk in table.column(0).chunks])


def _array(chunk: Any) -> Array:
    """Return a pyarrow column, NaN for nulls; its `to_numpy` would import pandas."""
    known, data = chunk.buffers()
    values = np.frombuffer(data)[chunk.offset : chunk.offset + len(chunk)]
    if not chunk.null_count:
        return values
    bits = np.unpackbits(np.frombuffer(known, np.uint8), bitorder="little")
    return np.where(bits[chunk.offset : chunk.offset + len(chunk)], values, np.nan)
