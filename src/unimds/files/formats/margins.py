"""Margins of a table: empty rows and columns that spreadsheets save, and a title above the header.

Only cells without any text are empty. A column of NA is a column, with a name of its own.
"""

from __future__ import annotations

import numpy as np

from unimds.files.errors import FileError, shown
from unimds.files.formats.grid import Grid

DROP = "remove the line, or begin it with #"


def drop_empty_rows(grid: Grid) -> None:
    """Remove the rows without any text, unless they belong to the empty half of a square."""
    empty = [i for i, width in enumerate(grid.widths) if grid.empties[i] == width]
    if empty and len(empty) < len(grid) and not _half_empty(grid):
        gone = set(empty)
        grid.keep([i for i in range(len(grid)) if i not in gone])


def drop_empty_columns(grid: Grid) -> None:
    """Remove the columns without any text at the end of all rows."""
    filled = max(width - empty for width, empty in zip(grid.widths, grid.empties, strict=True))
    if 0 < filled < max(grid.widths) and not _half_empty(grid):
        grid.cut(filled)


def check_no_title(grid: Grid) -> None:
    """Raise if the first row is a title, a single word above a row of words."""
    if len(grid) < 3 or grid.widths[0] - grid.empties[0] != 1 or 0 not in grid.words.get(0, {}):
        return
    named = len(grid.words.get(1, {}))
    if named < 2 or (max(grid.widths) < 3 and grid.widths[0] > 1):  # or a column without a name
        return
    if 2 * named > grid.widths[1] - grid.empties[1]:
        raise grid.error(f"{shown(grid.cell(0, 0))} stands alone above the header; {DROP}", 0)


def second_header(grid: Grid, numeric: list[int]) -> FileError | None:
    """Return the error for words below the header in most columns of numbers, if there are any."""
    words = [j for j in numeric if j in grid.words.get(1, {})]
    if 2 * len(words) <= len(numeric) or len(grid) < 3:
        return None
    first = shown(grid.cell(1, words[0]))
    return grid.error(
        f"words such as {first} stand in {len(words)} of {len(numeric)} columns of numbers, as in "
        f"a second header, such as units; {DROP}",
        1,
    )


def _half_empty(grid: Grid) -> bool:
    """Whether this is a square of numbers with a half, and the diagonal, that are empty."""
    if len(grid) < 3 or len(set(grid.widths)) > 1:
        return False
    for header in (0, 1):
        for labels in (0, 1):
            side = len(grid) - header
            if grid.widths[0] - labels != side or side < 3 or _has_words(grid, header, labels):
                continue
            known = ~np.isnan(grid.block()[header:, labels:])
            if np.tril(known).any() != np.triu(known).any():
                return True
    return False


def _has_words(grid: Grid, header: int, labels: int) -> bool:
    return any(max(words) >= labels for i, words in grid.words.items() if i >= header)
