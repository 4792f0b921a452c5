"""Reading a table, in whichever format it comes."""

from __future__ import annotations

import os

from unimds.files.arrays import from_npy, from_npz
from unimds.files.frames import from_json, from_parquet
from unimds.files.graphml import from_graphml
from unimds.files.grid import parse
from unimds.files.layouts import interpret
from unimds.files.phylip import from_phylip, is_phylip
from unimds.files.quick import quick_parse
from unimds.files.source import Source, load, magic
from unimds.files.table import KINDS, Table
from unimds.files.text import DELIMITERS, Text, as_text, dialect_of

DELIMITED = {"csv": ",;", "tsv": "\t", "lsmat": "\t", "text": " "}
"""The text formats, and what may part their cells."""

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
    r"""Read a table of distances, of points, of pairs, or a graph.

    The format is recognised by the content. So is what the table means, as follows.

    - A square of numbers whose diagonal is zero or missing holds distances; so does one whose rows
      and columns have the same labels, a triangle, and a single row or column of n(n−1)/2 numbers
      (the condensed form of scipy).
    - Columns called source and target (or from and to, a and b, i and j) with a distance (dist,
      dissimilarity, value), and perhaps a weight, list pairs; so do two columns of labels and one
      or two of numbers without a header. A pair that is not listed is missing; one that is listed
      in one direction holds in both.
    - Columns called source and target with a length or weight, or with nothing else, list the
      edges of a graph; so do two columns of labels, and files that end in .edges or .edgelist. Its
      distances are the lengths of shortest paths.
    - Everything else holds points, one a row: columns of numbers are features, the first column of
      texts that are all different holds the labels, other texts are kept as `Table.columns`.

    Parameters
    ----------
    path : str or PathLike
        The file; "-" is standard input. A .gz file is unpacked.
    format : str, default="auto"
        One of `FORMATS`: "csv" (comma or semicolon), "tsv", "lsmat", "text" (white space),
        "phylip", "graphml", "json", "npy", "npz", "parquet".
    kind : {"auto", "distances", "points", "pairs", "graph"}, default="auto"
        What the table means, where the rules above guess wrong.
    encoding : str, default="auto"
        Encoding of a text; UTF-8 by default, or what a mark at the beginning says.
    max_bytes : int, default=None
        Most bytes that the file, unpacked, or the table may take; by default a quarter of the
        memory, but not more than 8 GB.

    Returns
    -------
    Table

    Raises
    ------
    FileError
        Where the file cannot be read; it says where in the file, and what to do.
    ImportError
        Where Parquet or GraphML needs a package that is not installed.

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
    source = load(path, max_bytes)
    if format == "auto":
        format = magic(source.data) or "auto"
    if format not in ("auto", "phylip", *DELIMITED):
        return _from_bytes(source, format, kind)
    text = as_text(source, encoding)
    format = _text_format(text) if format == "auto" else format
    if format in ("graphml", "json"):  # they have rules of their own for encodings
        return _from_bytes(source, format, kind)
    return _from_text(text, format, kind)


def _check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ValueError(f"{name}={value!r} must be one of {', '.join(choices)}")


def _text_format(text: Text) -> str:
    """Recognise the format of a text; "auto" where its cells have to tell."""
    first = next((line for _, line in text.content()), "").lstrip()
    if first.startswith("<"):
        return "graphml"
    if first.startswith(("[", "{")):
        return "json"
    return "phylip" if is_phylip(text) else "auto"


def _from_text(text: Text, format: str, kind: str) -> Table:
    if format == "phylip":
        _check_fits(text.source, "a PHYLIP matrix", kind, "distances")
        return from_phylip(text)
    dialect = dialect_of(text, DELIMITED.get(format, DELIMITERS))
    return interpret(quick_parse(text, dialect) or parse(text, dialect), kind)


def _from_bytes(source: Source, format: str, kind: str) -> Table:
    if format == "graphml":
        _check_fits(source, "GraphML", kind, "graph")
        return from_graphml(source)
    readers = {"json": from_json, "npy": from_npy, "npz": from_npz, "parquet": from_parquet}
    return readers[format](source, kind)


def _check_fits(source: Source, what: str, kind: str, only: str) -> None:
    if kind not in ("auto", only):
        raise source.error(f"{what} is always of the kind {only!r}, but kind={kind!r} was given")
