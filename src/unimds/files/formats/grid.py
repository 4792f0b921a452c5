"""The cells of a text as numbers and words."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds.files.errors import FileError
from unimds.files.formats.content import size
from unimds.files.formats.text import Dialect, Text, mistake_in, number, records

Array = NDArray[np.floating[Any]]

KEPT = 8  # cells of a row whose text is kept, since a label may look like a number
ROW = 512  # bytes of a row in addition to its numbers, about


@dataclass
class Grid:
    """Rows of cells: numbers in one flat array, words apart, since most cells are numbers.

    Attributes
    ----------
    text : Text
        The text that the cells come from.
    format : str
        How the text is written.
    lines, widths : list of int
        First line and number of cells of every row.
    flat : array of float
        All cells in order, NaN for missing cells and words.
    words : dict
        The words of each row that has any, by column.
    heads : list
        The texts of the first cells of every row, and of all cells of the first row.
    empties : list of int
        How many cells at the end of every row hold no text.
    """

    text: Text
    format: str
    lines: list[int] = field(default_factory=list)
    widths: list[int] = field(default_factory=list)
    flat: array[float] = field(default_factory=lambda: array("d"))
    words: dict[int, dict[int, str]] = field(default_factory=dict)
    heads: list[list[str]] = field(default_factory=list)
    empties: list[int] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.lines)

    def cell(self, i: int, j: int) -> str:
        """Return the text of a cell."""
        if j < len(self.heads[i]):
            return self.heads[i][j]
        if j in self.words.get(i, {}):
            return self.words[i][j]
        value = self.rows([i])[0][j]
        return "" if np.isnan(value) else repr(float(value))

    def rows(self, index: Sequence[int] | None = None) -> list[Array]:
        """Return the numbers of some rows, or of all."""
        flat, ends = np.frombuffer(self.flat), np.cumsum(self.widths)
        index = range(len(self)) if index is None else index
        return [flat[ends[i] - self.widths[i] : ends[i]] for i in index]

    def block(self) -> Array:
        """Return the numbers as a table without copying; all rows must have the same width."""
        return np.frombuffer(self.flat).reshape(len(self), self.widths[0])

    def append(self, line: int, cells: Sequence[str], decimal: str) -> None:
        """Add a row."""
        i = len(self)
        values = _floats(cells)
        if values is None:
            values, words = _floats_and_words(cells, decimal)
            if words:
                self.words[i] = words
        self.lines.append(line)
        self.widths.append(len(cells))
        self.flat.extend(values)
        self.heads.append([cell.strip() for cell in (cells[:KEPT] if i else cells)])
        self.empties.append(_empty_at_end(cells))

    def keep(self, rows: Sequence[int]) -> None:
        """Keep these rows only."""
        self.flat = array("d", np.concatenate(self.rows(rows)).tobytes())
        self.words = {at: self.words[i] for at, i in enumerate(rows) if i in self.words}
        self.lines = [self.lines[i] for i in rows]
        self.widths = [self.widths[i] for i in rows]
        self.heads = [self.heads[i] for i in rows]
        self.empties = [self.empties[i] for i in rows]

    def cut(self, width: int) -> None:
        """Remove the cells at the end of each row that has more than `width` of them."""
        self.flat = array("d", np.concatenate([row[:width] for row in self.rows()]).tobytes())
        more = [max(0, before - width) for before in self.widths]
        self.empties = [max(0, a - b) for a, b in zip(self.empties, more, strict=True)]
        self.widths = [min(before, width) for before in self.widths]
        self.heads = [head[:width] for head in self.heads]

    def lead(self) -> None:
        """Put an empty cell before the first row, a header without a cell above the labels."""
        self.flat.insert(0, float("nan"))
        self.widths[0] += 1
        self.heads[0].insert(0, "")
        self.words[0] = {j + 1: word for j, word in self.words.get(0, {}).items()}

    def no_number(self, i: int, j: int) -> FileError:
        """Return the error for a word in place of a number."""
        return self.error(mistake_in(self.cell(i, j)), i, j)

    def error(self, problem: str, i: int | None = None, j: int | None = None) -> FileError:
        """Return the error for a row or a cell."""
        line = None if i is None else self.lines[i]
        return self.text.content.error(problem, line, None if j is None else j + 1)


def _empty_at_end(cells: Sequence[str]) -> int:
    count = 0
    for cell in reversed(cells):
        if cell and not cell.isspace():
            break
        count += 1
    return count


def _floats(cells: Sequence[str]) -> list[float] | None:
    """Return the numbers of a row, fast, or None if the row holds anything else."""
    try:
        return list(map(float, cells)) if "_" not in "".join(cells) else None
    except ValueError:
        return None


def _floats_and_words(cells: Sequence[str], decimal: str) -> tuple[list[float], dict[int, str]]:
    label = number(cells[0], decimal)
    rest = _floats(cells[1:])  # most rows with words are a label and numbers
    found = [label, *(rest or (number(cell, decimal) for cell in cells[1:]))]
    words = {j: cells[j].strip() for j, value in enumerate(found) if value is None}
    return [float("nan") if value is None else value for value in found], words


def parse(text: Text, dialect: Dialect) -> Grid:
    """Read the cells of a text."""
    grid = Grid(text, dialect.format)
    for line, cells in records(text, dialect):
        grid.append(line, cells, dialect.decimal)
        if len(grid) * ROW + len(grid.flat) * 8 > text.content.limit:
            raise grid.error(
                f"from here on the table takes more than {size(text.content.limit)}; take a sample "
                "of the rows, or raise max_bytes in Python",
                len(grid) - 1,
            )
    if not len(grid):
        raise text.content.error("the file holds only comments and blank lines")
    return grid
