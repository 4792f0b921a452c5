"""PHYLIP distance matrices: the number of points, then a line per point, its name first."""

from __future__ import annotations

from itertools import islice

import numpy as np

from unimds.files.errors import FileError, shown
from unimds.files.formats.text import Text, number
from unimds.files.table import Table

STRICT = 10  # characters of a name in the strict format, blanks included
Record = tuple[int, str, list[str]]


def is_phylip(text: Text) -> bool:
    """Whether a text starts with a count, followed by names or full rows."""
    lines = [line.split() for _, line in islice(text.kept_lines(), 3)]
    if len(lines) < 2 or len(lines[0]) != 1 or not _counts(lines[0][0]):
        return False
    if number(lines[1][0]) is None:
        return "," not in lines[1][0] and ";" not in lines[1][0]
    return all(len(line) == int(lines[0][0]) + 1 > 2 for line in lines[1:])


def from_phylip(text: Text) -> Table:
    """Make a table of a PHYLIP matrix, square or lower triangular."""
    text.content.check_growth(len(text.content.data), 8, "a PHYLIP file")
    lines = list(text.kept_lines())
    if not lines or not _counts(lines[0][1].strip()):
        raise text.content.error(
            "a PHYLIP matrix starts with a line that holds the number of points", 1
        )
    n = int(lines[0][1].strip())
    text.content.check_room(n, "points")
    loose = [(line, words[0], words[1:]) for line, row in lines[1:] if (words := row.split())]
    strict = [(line, row[:STRICT].strip(), row[STRICT:].split()) for line, row in lines[1:]]
    for records in (_joined(loose), loose, strict):
        layout = _layout(records, n)
        if layout and not any(number(cell) is None for _, _, row in records for cell in row):
            return _table(records, n, layout)
    raise _mistake(text, loose, n)


def _counts(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) < 10 and int(word) > 0


def _joined(records: list[Record]) -> list[Record]:
    """Join each line of numbers to the line before: it continues that row."""
    joined: list[Record] = []
    for line, name, cells in records:
        if joined and number(name) is not None:
            joined[-1][2].extend([name, *cells])
        else:
            joined.append((line, name, list(cells)))
    return joined


def _layout(records: list[Record], n: int) -> str | None:
    widths = [len(cells) for _, _, cells in records]
    if widths == [n] * n:
        return "square"
    if widths in (list(range(n)), list(range(1, n + 1))):
        return "lower triangle"
    return None


def _table(records: list[Record], n: int, layout: str) -> Table:
    D = np.zeros((n, n))
    for i, (_, _, cells) in enumerate(records):
        row = [float("nan") if (x := number(cell)) is None else x for cell in cells]
        if layout == "square":
            D[i] = row
        else:
            D[i, :i] = D[:i, i] = row[:i]
            D[i, i] = row[i] if len(row) > i else 0.0
    return Table(D, "distances", "phylip", layout, [name for _, name, _ in records])


def _mistake(text: Text, records: list[Record], n: int) -> FileError:
    """Return the error for the line that does not fit."""
    for line, _, cells in records:
        for j, cell in enumerate(cells):
            if number(cell) is None:
                return text.content.error(
                    f"{shown(cell)} is not a number; a name that contains blanks must take exactly "
                    f"{STRICT} characters",
                    line,
                    j + 2,
                )
    if len(records) != n:
        line = records[-1][0] if records else 1
        return text.content.error(
            f"the first line says {n} points, but {len(records)} lines follow", line
        )
    square = len(records[0][2]) >= min(n, 2)
    for i, (line, name, cells) in enumerate(records):
        wanted = n if square else i + len(records[0][2])
        if len(cells) != wanted:
            return text.content.error(
                f"{shown(name)} has {len(cells)} distances, but {wanted} are needed", line
            )
    return text.content.error("this is not a PHYLIP matrix, square or lower triangular")
