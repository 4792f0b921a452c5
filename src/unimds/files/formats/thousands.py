"""Marks of thousands, which look like decimal marks: 1.477 beside 422."""

from __future__ import annotations

import re
from typing import NamedTuple

from unimds._runtime.watch import warn
from unimds.files.errors import FileWarning
from unimds.files.formats.text import Dialect, Text, number, records

GROUP = re.compile(r"[+-]?[1-9]\d{0,2}[.,]\d{3}")
START, ENOUGH = 1 << 18, 100_000  # bytes, and cells, that show what the numbers are like
SMALL = 1000.0  # numbers without a mark are smaller, where larger numbers have one


class _Cell(NamedTuple):
    line: int
    column: int
    text: str


def warn_of_thousands(text: Text, dialect: Dialect) -> None:
    """Warn if all numbers with a decimal mark have three decimals, among whole numbers below 1000.

    Nobody rounds to three decimals and drops the decimals of some numbers only.
    """
    cell = _first_group(text, dialect) if _may_have_groups(text, dialect) else None
    if cell is None:
        return
    digits = re.sub(r"\D", "", cell.text)
    told = (
        f"line {cell.line}, column {cell.column}: {cell.text!r} was read as a little more than "
        f"{cell.text[: -len('.000')]}, and all numbers with a {NAMES[dialect.decimal]} have three "
        "digits after it, beside whole numbers. If it marks thousands, save the table without such "
        f"marks: write {digits}"
    )
    warn(FileWarning(text.content.name, told, ()), FileWarning)


NAMES = {".": "point", ",": "comma"}


def _may_have_groups(text: Text, dialect: Dialect) -> bool:
    """Whether a search through the first bytes leaves the question open, which is rare."""
    mark, data = re.escape(dialect.decimal.encode()), text.content.data[:START]
    if not re.search(rb"[1-9]" + mark + rb"\d{3}(?!\d)", data):
        return False
    before = rb"(?<![\w" + mark + rb"])"
    if not re.search(before + rb"\d+(?![\w" + mark + rb"])", data):
        return False  # no whole number
    large = before + rb"(?:0?|\d{4,})" + mark + rb"\d"
    other = before + rb"\d+" + mark + rb"(?:\d{1,2}|\d{4,})(?![\d" + mark + rb"])"
    return not re.search(large + rb"|" + other, data)


def _first_group(text: Text, dialect: Dialect) -> _Cell | None:
    """Return the first cell with three decimals, if such cells and small whole numbers are all."""
    first: dict[int, _Cell] = {}
    plain: set[int] = set()
    seen = 0
    for line, cells in records(text, dialect):
        seen += len(cells)
        if seen > ENOUGH:
            break
        for j, raw in enumerate(cells):
            cell = raw.strip()
            value = number(cell, dialect.decimal)
            if value is None or value != value:
                continue
            if GROUP.fullmatch(cell):
                first.setdefault(j, _Cell(line, j + 1, cell))
            elif dialect.decimal in cell or abs(value) >= SMALL:
                return None
            elif value != 0.0:  # zeros are written without decimals by many
                plain.add(j)
    both = first.keys() & plain
    return min((first[j] for j in both), default=None)
