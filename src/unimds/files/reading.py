"""Reading a table in any format."""

from __future__ import annotations

import os

from unimds.files.formats.columns import read_json, read_parquet
from unimds.files.formats.content import Content, magic, read_content
from unimds.files.formats.graphml import read_graphml
from unimds.files.formats.grid import Grid, parse
from unimds.files.formats.phylip import from_phylip, is_phylip
from unimds.files.formats.quick import quick_parse
from unimds.files.formats.text import DELIMITERS, Text, as_text, dialect_of
from unimds.files.meaning.arrays import from_npy, from_npz
from unimds.files.meaning.columns import from_columns
from unimds.files.meaning.layouts import interpret
from unimds.files.meaning.lists import Links, from_edges
from unimds.files.meaning.metadata import metadata_of_cells, metadata_of_columns
from unimds.files.table import KINDS, Table

DELIMITED = {"csv": ",;", "tsv": "\t", "lsmat": "\t", "text": " "}
"""The text formats and their delimiters."""

FORMATS = (*DELIMITED, "phylip", "graphml", "json", "npy", "npz", "parquet")
"""The formats that can be read."""


def read(
    path: str | os.PathLike[str],
    *,
    format: str = "auto",
    kind: str = "auto",
    encoding: str = "auto",
    max_bytes: int | None = None,
) -> Table:
    r"""Read a table of distances, points or pairs, or a graph.

    The format is detected from the content. So is the kind of the table:

    - A square of numbers holds distances if its diagonal is zero or missing, or if its rows and
      columns have the same labels. So do a triangle, and a single row or column of n(n−1)/2 numbers
      (the condensed form of scipy).
    - Columns called source and target (or from and to, a and b, i and j) with a distance (dist,
      dissimilarity, value), and perhaps a weight, list pairs. So do two columns of labels with one
      or two columns of numbers, without a header. A pair that is not listed is missing; a pair that
      is listed in one direction holds in both.
    - Columns called source and target with a length or weight, or alone, list the edges of a graph.
      So do two columns of labels, and files whose name ends in .edges or .edgelist. The distances
      are the lengths of shortest paths.
    - Any other table holds points, one per row: columns of numbers are features, the first column
      of distinct texts holds the labels, and other columns of texts become `Table.columns`.

    Parameters
    ----------
    path : str or PathLike
        The file; "-" is standard input. A .gz file is unpacked.
    format : str, default="auto"
        One of `FORMATS`: "csv" (comma or semicolon), "tsv", "lsmat", "text" (white space),
        "phylip", "graphml", "json", "npy", "npz", "parquet".
    kind : {"auto", "distances", "points", "pairs", "graph"}, default="auto"
        What the table holds, if the rules above guess wrong.
    encoding : str, default="auto"
        Encoding of a text; by default UTF-8, or the encoding that a byte order mark names.
    max_bytes : int, default=None
        Largest number of bytes that the file, unpacked, or the table may take; by default a quarter
        of the memory, but not more than 8 GB.

    Returns
    -------
    Table

    Raises
    ------
    FileError
        If the file cannot be read; the message says where in the file, and what to do.
    ImportError
        If Parquet or GraphML needs a package that is not installed.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "towns.csv")
    >>> _ = path.write_text("from,to,dist\nUlm,Bonn,305\nUlm,Kiel,650\n")
    >>> table = read(path)
    >>> table.kind, table.labels
    ('pairs', ['Ulm', 'Bonn', 'Kiel'])
    >>> table.values.tolist()
    [[0.0, 305.0, 650.0], [305.0, 0.0, nan], [650.0, nan, 0.0]]
    >>> folder.cleanup()
    """
    _check_choice("format", format, ("auto", *FORMATS))
    _check_choice("kind", kind, ("auto", *KINDS))
    content, text, format = _opened(path, format, encoding, max_bytes)
    if text is None:
        return _from_bytes(content, format, kind)
    return _from_text(text, format, kind)


def read_metadata(
    path: str | os.PathLike[str],
    *,
    format: str = "auto",
    encoding: str = "auto",
    max_bytes: int | None = None,
) -> Table:
    r"""Read columns about points, words or numbers, for `Table.joined`.

    The file has a header and a row for each point; one of its columns holds the labels of the
    points. A file with words only is fine, and so are words among numbers: the column is then a
    column of words.

    Parameters
    ----------
    path, format, encoding, max_bytes
        As in `read`; the format has named columns: delimited text, JSON or Parquet.

    Returns
    -------
    Table
        The columns of numbers as `features`, and the columns of words, labels too, as `columns`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> towns, about = (pathlib.Path(folder.name, name) for name in ("towns.csv", "about.csv"))
    >>> _ = towns.write_text("from,to,dist\nUlm,Bonn,305\nUlm,Kiel,650\n")
    >>> _ = about.write_text("town,coast\nKiel,yes\nBonn,no\nUlm,no\n")
    >>> read(towns).joined(read_metadata(about)).columns
    {'coast': ['no', 'no', 'yes']}
    >>> folder.cleanup()
    """
    _check_choice("format", format, ("auto", *FORMATS))
    content, text, format = _opened(path, format, encoding, max_bytes)
    if text is not None and format != "phylip":
        return metadata_of_cells(_cells(text, format))
    if format in ("json", "parquet"):
        columns = (read_json if format == "json" else read_parquet)(content)
        if columns.names is not None:
            return metadata_of_columns(columns, format)
    raise content.error(
        "metadata are columns with names, one of them the labels of the points; save them as CSV"
    )


def _opened(
    path: str | os.PathLike[str], format: str, encoding: str, max_bytes: int | None
) -> tuple[Content, Text | None, str]:
    """Return the content of a file, its text where that is delimited or PHYLIP, and its format."""
    content = read_content(path, max_bytes)
    if format == "auto":
        format = magic(content.data) or "auto"
    if format not in ("auto", "phylip", *DELIMITED):
        return content, None, format
    text = as_text(content, encoding)
    format = _text_format(text) if format == "auto" else format
    # GraphML and JSON have rules of their own for encodings
    return content, None if format in ("graphml", "json") else text, format


def _check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ValueError(f"{name}={value!r} must be one of {', '.join(choices)}")


def _text_format(text: Text) -> str:
    """Detect the format of a text; "auto" if only its cells can tell."""
    first = next((line for _, line in text.kept_lines()), "").lstrip()
    if first.startswith("<"):
        return "graphml"
    if first.startswith(("[", "{")):
        return "json"
    return "phylip" if is_phylip(text) else "auto"


def _from_text(text: Text, format: str, kind: str) -> Table:
    if format == "phylip":
        _check_kind(text.content, "a PHYLIP matrix", kind, "distances")
        return from_phylip(text)
    return interpret(_cells(text, format), kind)


def _cells(text: Text, format: str) -> Grid:
    dialect = dialect_of(text, DELIMITED.get(format, DELIMITERS))
    return quick_parse(text, dialect) or parse(text, dialect)


def _from_bytes(content: Content, format: str, kind: str) -> Table:
    if format == "graphml":
        _check_kind(content, "GraphML", kind, "graph")
        nodes, ends, lengths = read_graphml(content)
        return from_edges(Links(content, ends, lengths), format, nodes)
    if format in ("npy", "npz"):
        return (from_npy if format == "npy" else from_npz)(content, kind)
    columns = (read_json if format == "json" else read_parquet)(content)
    return from_columns(content, format, columns, kind)


def _check_kind(content: Content, what: str, kind: str, only: str) -> None:
    if kind not in ("auto", only):
        raise content.error(f"{what} is always of the kind {only!r}, not {kind!r}")
