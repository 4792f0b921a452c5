"""PHYLIP's distance matrices: a count, then a line for every point, its name first."""

from __future__ import annotations

from itertools import islice

import numpy as np

from unimds.files.errors import FileError, shown
from unimds.files.table import Table
from unimds.files.text import Text, number

STRICT = 10  # characters of a name in the strict format, blanks included
Record = tuple[int, str, list[str]]


def is_phylip(text: Text) -> bool:
    """Whether a text starts with a count and goes on with as many names or rows."""
    lines = [line.split() for _, line in islice(text.content(), 3)]
    if len(lines) < 2 or len(lines[0]) != 1 or not _counts(lines[0][0]):
        return False
    if number(lines[1][0]) is None:
        return "," not in lines[1][0] and ";" not in lines[1][0]
    return all(len(line) == int(lines[0][0]) + 1 > 2 for line in lines[1:])


def from_phylip(text: Text) -> Table:
    """Make a table of a PHYLIP matrix: square or lower triangular, with short or long names."""
    text.source.check_growth(len(text.source.data), 8, "a PHYLIP file")
    content = list(text.content())
    if not content or not _counts(content[0][1].strip()):
        raise text.error("a PHYLIP matrix starts with a line with the number of points", 1)
    n = int(content[0][1].strip())
    text.source.check_room(n, "points")
    loose = [(line, words[0], words[1:]) for line, row in content[1:] if (words := row.split())]
    strict = [(line, row[:STRICT].strip(), row[STRICT:].split()) for line, row in content[1:]]
    for records in (_joined(loose), loose, strict):
        layout = _layout(records, n)
        if layout and not any(number(cell) is None for _, _, row in records for cell in row):
            return _table(records, n, layout)
    raise _mistake(text, loose, n)


def _counts(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) < 10 and int(word) > 0


def _joined(records: list[Record]) -> list[Record]:
    """Join lines of numbers only to the line before, whose row they go on with."""
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
    """Find the line that does not fit."""
    for line, _, cells in records:
        for j, cell in enumerate(cells):
            if number(cell) is None:
                return text.error(
                    f"{shown(cell)} is not a number; a name with blanks in it takes exactly "
                    f"{STRICT} characters",
                    line,
                    j + 2,
                )
    if len(records) != n:
        line = records[-1][0] if records else 1
        return text.error(f"the first line says {n} points, but {len(records)} lines follow", line)
    square = len(records[0][2]) >= min(n, 2)
    for i, (line, name, cells) in enumerate(records):
        wanted = n if square else i + len(records[0][2])
        if len(cells) != wanted:
            return text.error(
                f"{shown(name)} has {len(cells)} distances, but {wanted} are needed", line
            )
    return text.error("this is no PHYLIP matrix, square or lower triangular")
