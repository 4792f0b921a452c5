"""Text: bytes become rows of cells, whatever the encoding, comments, delimiter and quotes."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import NamedTuple

from unimds.files.errors import shown
from unimds.files.formats.content import Content

COMMENT = "#"
MISSING = frozenset({"", "-", "na", "n/a", "#n/a", "nan", "null", "none"})
"""Words for an unknown number, in lower case."""
UNKNOWN = frozenset({"NA", "N/A", "#N/A", "NaN", "nan", "NULL", "null"})
"""Words for an unknown word; "none" and "-" may be words."""

STARTS = frozenset("0123456789.+-−iInN#")
"""First characters of numbers and of the words for an unknown number."""
MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",  # before UTF-16: the mark of UTF-32 begins with that of UTF-16
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
SAMPLE, WIDE = 100, 1000  # lines, and characters of a line, that show the delimiter
DELIMITERS = "\t;, "  # in order of preference; a blank means any white space
DECLARED = re.compile(rb'("?sep=([!-~\t])"?)[ \t]*\r?\n', re.IGNORECASE)
QUOTED = re.compile(r'"[^"]*"')
COMMA_NUMBER = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")
POINT_NUMBER = re.compile(r"[+-]?\d*\.\d*([eE][+-]?\d+)?")
GROUPED = re.compile(r"[+-]?\d{1,3}([.,'’ ]\d{3})(\1|[.,'’ ]\d{3})*([.,]\d+)?")


@dataclass(frozen=True)
class Text:
    """The content of a text file, recoded as UTF-8.

    Attributes
    ----------
    content : Content
        The content.
    delimiter : str, or None
        What a first line such as ``sep=;``, which Excel writes, calls the delimiter. The line is
        then blank.
    """

    content: Content
    delimiter: str | None = None

    def lines(self) -> Iterator[str]:
        """Yield the lines with their endings, decoded again each time to save memory."""
        yield from io.TextIOWrapper(io.BytesIO(self.content.data), encoding="utf-8", newline="")

    def kept_lines(self) -> Iterator[tuple[int, str]]:
        """Yield the lines that are neither blank nor comments, with their numbers."""
        for number, line in enumerate(self.lines(), 1):
            if not _skipped(line):
                yield number, line


@dataclass(frozen=True)
class Dialect:
    """The delimiter and the decimal mark; a blank means any white space."""

    delimiter: str
    decimal: str = "."

    @property
    def format(self) -> str:
        """The name of the format."""
        return {"\t": "tsv", " ": "text"}.get(self.delimiter, "csv")


def as_text(content: Content, encoding: str) -> Text:
    """Decode the content of a file, or say which byte is wrong."""
    data = content.data
    if encoding == "auto":
        encoding = next((name for mark, name in MARKS.items() if data.startswith(mark)), "utf-8")
    try:
        decoded = data.decode(encoding)
        recoded = data if encoding == "utf-8" else decoded.encode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = data[error.start : error.start + 1].hex()
        raise content.error(
            f"the byte 0x{byte} is not {encoding}; save the file as UTF-8, or name its encoding: "
            "for Western European text",
            line,
            advice=("encoding", "latin-1"),
        ) from None
    except (LookupError, ValueError) as error:
        raise content.error(f"cannot be decoded as {encoding!r}: {error}") from None
    # no text contains these, whatever its language
    if any(chr(code) in decoded for code in range(9)):
        raise content.error(
            "this is neither text nor a known binary format; for UTF-16 without a byte order mark",
            advice=("encoding", "utf-16-le"),
        )
    declared = DECLARED.match(recoded)
    if declared is None:
        return Text(replace(content, data=recoded))
    delimiter = declared[2].decode()
    return Text(replace(content, data=recoded[declared.end(1) :]), delimiter)


def dialect_of(text: Text, allowed: str = DELIMITERS) -> Dialect:
    """Choose the delimiter that leaves only numbers, or else the most numbers."""
    lines = [QUOTED.sub("", _start(line)) for _, line in islice(text.kept_lines(), SAMPLE)]
    if text.delimiter is not None:
        return _tried(lines, text.delimiter).dialect
    found = [_tried(lines, mark) for mark in allowed]
    found = [tried for tried in found if tried.parts] or [_tried(lines, allowed[-1])]
    if any(tried.even and tried.dialect.delimiter != " " for tried in found):
        # words may contain blanks, and a word with a number would make two cells
        found = [tried for tried in found if tried.even or tried.dialect.delimiter != " "]
    return max(found, key=lambda tried: (tried.pure, tried.numbers, tried.parts)).dialect


def is_one_column(text: Text) -> bool:
    """Whether a CSV file has a single column, whose words may contain blanks."""
    data = text.content.data
    return text.content.ending == ".csv" and not any(mark in data for mark in b'\t;,"')


def _start(line: str) -> str:
    """Return the whole cells at the start of a line."""
    return line if len(line) <= WIDE else re.sub(r"[^\t;, ]*$", "", line[:WIDE])


class _Tried(NamedTuple):
    """A delimiter on trial: whether all cells are numbers, how many are, which lines it splits.

    It is even if all lines have as many cells, or the first line, which names the rest, one less.
    """

    dialect: Dialect
    pure: bool
    numbers: int
    parts: int
    even: bool


def _tried(lines: list[str], mark: str) -> _Tried:
    rows = [line.split(None if mark == " " else mark) for line in lines]
    cells = [cell.strip() for row in rows for cell in row]
    comma = any(COMMA_NUMBER.fullmatch(cell) for cell in cells)
    point = any(POINT_NUMBER.fullmatch(cell) for cell in cells)
    dialect = Dialect(mark, "," if comma and not point else ".")
    values = [number(cell, dialect.decimal) for cell in cells]
    known = sum(value is not None and value == value for value in values)
    first, *rest = [len(row) for row in rows] or [0]
    even = len(set(rest)) == 1 and rest[0] - first in (0, 1) and rest[0] > 1
    return _Tried(dialect, None not in values, known, sum(len(row) > 1 for row in rows), even)


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
            raise text.content.error(_explained(str(error)), feed.start) from None
        yield feed.start, cells


def number(cell: str, decimal: str = ".") -> float | None:
    """Return the number in a cell: NaN if it is missing, None if it is a word.

    Examples
    --------
    >>> number("1.5"), number("NA"), number("1_5"), number("1,5", ",")
    (1.5, nan, None, 1.5)
    """
    cell = cell.strip()
    if cell and cell[0] not in STARTS:  # the first letter gives most words away
        return None
    if cell.lower() in MISSING:
        return float("nan")
    if "_" in cell or (decimal == "," and "." in cell):
        return None
    try:
        return float(cell.replace(decimal, ".").replace("−", "-"))
    except ValueError:
        return None


def mistake_in(cell: str) -> str:
    """Return what is wrong with a cell that should hold a number, and the remedy.

    Examples
    --------
    >>> print(mistake_in("5,93"))
    '5,93' has a decimal comma; write 5.93, or separate the cells by semicolons
    >>> print(mistake_in("1.200.000"))
    '1.200.000' has a mark of thousands; write 1200000
    """
    cell = cell.strip()
    if COMMA_NUMBER.fullmatch(cell):
        remedy = f"write {cell.replace(',', '.')}, or separate the cells by semicolons"
        if GROUPED.fullmatch(cell):
            remedy += f"; if the comma marks thousands, write {cell.replace(',', '')}"
        return f"{shown(cell)} has a decimal comma; {remedy}"
    if GROUPED.fullmatch(cell):
        marks = re.findall(r"\D", cell.lstrip("+-"))
        whole, _, rest = cell.rpartition(marks[-1]) if len(set(marks)) > 1 else (cell, "", "")
        plain = re.sub(r"[.,'’ ]", "", whole) + (f"{marks[-1]}{rest}" if rest else "")
        return f"{shown(cell)} has a mark of thousands; write {plain}"
    remedy = "correct it, or leave the cell empty if the value is unknown"
    return f"{shown(cell)} is not a number; {remedy}"


def known_words(texts: list[str]) -> list[str]:
    """Return a column of words, empty where a word is unknown; distinct texts are all names.

    Examples
    --------
    >>> known_words(["yes", "NA", "yes"]), known_words(["DE", "NA", "ZA"])
    (['yes', '', 'yes'], ['DE', 'NA', 'ZA'])
    """
    if len(set(texts)) == len(texts):
        return texts
    return ["" if text in UNKNOWN else text for text in texts]


class _Feed:
    """Lines for the csv reader, without the comments and blank lines between rows."""

    def __init__(self, text: Text, white: bool):
        self.content = text.content
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
        self.content.check_growth(len(line), 8, "a line")
        if self.between:
            self.start, self.between = count, False
        return line.replace("\t", " ").rstrip() + "\n" if self.white else line


def _skipped(line: str) -> bool:
    line = line.strip()
    return not line or line.startswith(COMMENT)


def _explained(problem: str) -> str:
    if "field larger" in problem:
        most = csv.field_size_limit()
        return f"a cell has more than {most} characters: is a closing quote missing?"
    return f"the quotes do not match ({problem}); double every quote inside quotes"
