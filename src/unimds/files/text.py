"""From bytes to the cells of a text: encoding, comments, delimiter, quotes."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import NamedTuple

from unimds.files.errors import FileError
from unimds.files.source import Source

COMMENT = "#"
MISSING = frozenset({"", "-", "na", "n/a", "#n/a", "nan", "null", "none"})
"""What stands for a number that is not known, in small letters."""

STARTS = frozenset("0123456789.+-−iInN#")
"""The first characters of numbers, and of what stands for a missing one."""
MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",  # before UTF-16, whose mark it begins with
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
SAMPLE, WIDE = 100, 1000  # lines, and characters of each, that tell how a text is written
DELIMITERS = "\t;, "  # the first of equals is taken; a blank is any white space
QUOTED = re.compile(r'"[^"]*"')
COMMA_NUMBER = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")
POINT_NUMBER = re.compile(r"[+-]?\d*\.\d*([eE][+-]?\d+)?")


@dataclass(frozen=True)
class Text:
    """A source that is text, in UTF-8 by now."""

    source: Source

    def lines(self) -> Iterator[str]:
        """Yield the lines, each with its own ending; decoded anew, as they are too many to keep."""
        yield from io.TextIOWrapper(io.BytesIO(self.source.data), encoding="utf-8", newline="")

    def content(self) -> Iterator[tuple[int, str]]:
        """Yield the lines that are neither blank nor comments, with their numbers."""
        for number, line in enumerate(self.lines(), 1):
            if not _skipped(line):
                yield number, line

    def error(self, problem: str, line: int | None = None, column: int | None = None) -> FileError:
        """Return the error that names this file."""
        return self.source.error(problem, line, column)


@dataclass(frozen=True)
class Dialect:
    """What parts the cells, and the numbers; a blank stands for any white space."""

    delimiter: str
    decimal: str = "."

    @property
    def format(self) -> str:
        """The name of the format."""
        return {"\t": "tsv", " ": "text"}.get(self.delimiter, "csv")


def as_text(source: Source, encoding: str) -> Text:
    """Decode a source, or say which of its bytes is no text."""
    data = source.data
    if encoding == "auto":
        encoding = next((name for mark, name in MARKS.items() if data.startswith(mark)), "utf-8")
    try:
        decoded = data.decode(encoding)
        recoded = data if encoding == "utf-8" else decoded.encode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = data[error.start : error.start + 1].hex()
        raise source.error(
            f"the byte 0x{byte} is no {encoding}; save the file as UTF-8, or say how it is "
            "written, such as encoding='latin-1'",
            line,
        ) from None
    except (LookupError, ValueError) as error:
        raise source.error(f"cannot be decoded as {encoding!r}: {error}") from None
    # never part of a text, whatever its language
    if any(chr(code) in decoded for code in range(9)):
        raise source.error(
            "this is no text and no binary format that is known here; a text in UTF-16 without "
            "a mark needs encoding='utf-16-le'"
        )
    return Text(replace(source, data=recoded))


def dialect_of(text: Text, allowed: str = DELIMITERS) -> Dialect:
    """Find what parts the cells: what leaves nothing but numbers, else what gives most of them."""
    lines = [QUOTED.sub("", _start(line)) for _, line in islice(text.content(), SAMPLE)]
    found = [_tried(lines, mark) for mark in allowed]
    found = [tried for tried in found if tried.parts] or [_tried(lines, allowed[-1])]
    return max(found, key=lambda tried: (tried.pure, tried.numbers, tried.parts)).dialect


def _start(line: str) -> str:
    """Return the whole cells at the start of a line."""
    return line if len(line) <= WIDE else re.sub(r"[^\t;, ]*$", "", line[:WIDE])


class _Tried(NamedTuple):
    """What comes of a delimiter: whether all cells are numbers, how many, how often it parts."""

    dialect: Dialect
    pure: bool
    numbers: int
    parts: int


def _tried(lines: list[str], mark: str) -> _Tried:
    rows = [line.split(None if mark == " " else mark) for line in lines]
    cells = [cell.strip() for row in rows for cell in row]
    comma = any(COMMA_NUMBER.fullmatch(cell) for cell in cells)
    point = any(POINT_NUMBER.fullmatch(cell) for cell in cells)
    dialect = Dialect(mark, "," if comma and not point else ".")
    values = [number(cell, dialect.decimal) for cell in cells]
    known = sum(value is not None and value == value for value in values)
    return _Tried(dialect, None not in values, known, sum(len(row) > 1 for row in rows))


def records(text: Text, dialect: Dialect) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of cells, each with the number of its first line."""
    feed = _Feed(text, dialect.delimiter == " ")
    reader = csv.reader(feed, delimiter=dialect.delimiter, skipinitialspace=True, strict=True)
    while True:
        feed.between = True
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise text.error(_explained(str(error)), feed.start) from None
        yield feed.start, cells


def number(cell: str, decimal: str = ".") -> float | None:
    """Return the number in a cell, NaN where it is missing, None where it is a word.

    Examples
    --------
    >>> number("1.5"), number("NA"), number("1_5"), number("1,5", ",")
    (1.5, nan, None, 1.5)
    """
    cell = cell.strip()
    if cell and cell[0] not in STARTS:  # most words are told from numbers by their first letter
        return None
    if cell.lower() in MISSING:
        return float("nan")
    if "_" in cell or (decimal == "," and "." in cell):
        return None
    try:
        return float(cell.replace(decimal, ".").replace("−", "-"))
    except ValueError:
        return None


class _Feed:
    """Lines for the reader; comments and blank lines between rows, not within one, are left out."""

    def __init__(self, text: Text, white: bool):
        self.source = text.source
        self.lines = enumerate(text.lines(), 1)
        self.white = white
        self.between = True
        self.start = 1

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        count, line = next(self.lines)
        while self.between and _skipped(line):
            count, line = next(self.lines)
        self.source.check_growth(len(line), 8, "a line")
        if self.between:
            self.start, self.between = count, False
        return line.replace("\t", " ").rstrip() + "\n" if self.white else line


def _skipped(line: str) -> bool:
    line = line.strip()
    return not line or line.startswith(COMMENT)


def _explained(problem: str) -> str:
    if "field larger" in problem:
        most = csv.field_size_limit()
        return f"a cell of more than {most} characters: is a quote not closed?"
    return f"the quotes are not in order ({problem}): a quote within quotes is written twice"
