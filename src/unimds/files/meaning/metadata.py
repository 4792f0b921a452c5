"""Metadata: columns about points, words or numbers, which enter no distance."""

from __future__ import annotations

import numpy as np

from unimds.files.formats.columns import Columns
from unimds.files.formats.grid import Grid
from unimds.files.formats.text import known_words
from unimds.files.meaning.layouts import LABELS, level
from unimds.files.table import Column, Table, as_texts


def metadata_of_cells(grid: Grid) -> Table:
    """Make a table of all columns of a text, whose first row has their names."""
    level(grid)
    if len(grid) < 2:
        raise grid.error("metadata need a header, and a row for each point below it")
    columns = [_column(grid, j) for j in range(grid.widths[0])]
    return metadata_of_columns(Columns(grid.heads[0], columns, []), grid.format)


def metadata_of_columns(found: Columns, format: str) -> Table:
    """Make a table of named columns: numbers are its features, and words its columns."""
    names = unique_names(found.names or [])
    named = dict(zip(names, found.columns, strict=True))
    numbers = {name: column for name, column in named.items() if isinstance(column, np.ndarray)}
    words = {name: column for name, column in named.items() if isinstance(column, list)}
    n = len(found.columns[0])
    values = np.column_stack([np.empty((n, 0)), *numbers.values()])
    return Table(values, "points", format, "rows", features=list(numbers), columns=words)


def unique_names(names: list[str]) -> list[str]:
    """Return the names of columns, each with its number if another column has the same name."""
    return [
        f"{name or 'column'} {j + 1}" if not name or name in names[:j] else name
        for j, name in enumerate(names)
    ]


def _column(grid: Grid, j: int) -> Column:
    """Return a column: words if any cell is a word, else numbers."""
    rows = range(1, len(grid))
    numbers = np.array(grid.block()[1:, j])
    texts = [grid.cell(i, j) for i in rows]
    if j == 0 and (grid.heads[0][0].lower() in LABELS or _numbered(numbers, texts)):
        return texts
    return known_words(texts) if any(j in grid.words.get(i, {}) for i in rows) else numbers


def _numbered(numbers: np.ndarray, texts: list[str]) -> bool:
    """Whether whole numbers are names, such as 007, which are not what a number is written as."""
    whole = bool((numbers == np.floor(numbers)).all())  # never so where there is a NaN
    return whole and as_texts(numbers) != texts
