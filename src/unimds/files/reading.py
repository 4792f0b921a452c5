"""Reading a table in any format."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from typing import Any

from unimds._runtime.arguments import advised
from unimds.files.endings import FOREIGN
from unimds.files.errors import FileError
from unimds.files.formats.arrays import OFFICE
from unimds.files.formats.columns import Columns, columns_of_json, load_json, read_parquet
from unimds.files.formats.content import Content, magic, read_content
from unimds.files.formats.foreign import check_not_foreign
from unimds.files.formats.graphs.edgelist import is_edgelist, read_edgelist
from unimds.files.formats.graphs.gexf import read_gexf
from unimds.files.formats.graphs.gml import is_gml, read_gml
from unimds.files.formats.graphs.graphml import read_graphml
from unimds.files.formats.graphs.node_link import graph_of_json
from unimds.files.formats.graphs.xml import ROOTS, xml_format
from unimds.files.formats.grid import Grid, parse
from unimds.files.formats.margins import drop_empty_rows
from unimds.files.formats.phylip import from_phylip, is_phylip
from unimds.files.formats.printed import joined_blocks
from unimds.files.formats.quick import quick_parse
from unimds.files.formats.statistics.r import is_r
from unimds.files.formats.statistics.tables import is_stata, read_spss, read_stata
from unimds.files.formats.text import DELIMITERS, Dialect, Text, as_text, dialect_of, is_one_column
from unimds.files.formats.thousands import warn_of_thousands
from unimds.files.formats.vectors import is_word2vec, without_counts
from unimds.files.meaning.arrays import from_npy, from_npz
from unimds.files.meaning.columns import from_columns
from unimds.files.meaning.graphs import from_graph
from unimds.files.meaning.layouts import interpret
from unimds.files.meaning.lists import MEASURES, Choice
from unimds.files.meaning.matrices import triangle_of_likeness
from unimds.files.meaning.metadata import metadata_of_cells, metadata_of_columns
from unimds.files.meaning.parts import PARTS, largest_part
from unimds.files.meaning.r import columns_of_r, from_r
from unimds.files.meaning.similarities import AS_DISTANCES
from unimds.files.meaning.totals import warn_of_marks, warn_of_totals
from unimds.files.table import KINDS, Table

DELIMITED = {"csv": ",;", "tsv": "\t", "lsmat": "\t", "text": " "}
"""The text formats and their delimiters."""

TABLES: dict[str, Callable[[Content], Columns]] = {
    "parquet": read_parquet,
    "spss": read_spss,
    "stata": read_stata,
}
"""The binary formats that hold named columns."""

GRAPHS = ("edgelist", *ROOTS, "gml")
FORMATS = (*DELIMITED, "phylip", *GRAPHS, "json", "npy", "npz", *TABLES, "r")
"""The formats that can be read."""

SPREADSHEETS = tuple(ending for ending, what in FOREIGN.items() if what == "a spreadsheet")
"""Endings of spreadsheets, of which only texts can be read."""

OTHER_GRAPHS = {
    "DOT": re.compile(r"(strict\s+)?(di)?graph\b[^\[,;\t]*\{", re.IGNORECASE),
    "Pajek's format": re.compile(r"\*(network|vertices|arcs|edges)\b", re.IGNORECASE),
}
"""How graphs in formats that are not read begin."""
ADJACENCIES = re.compile(rb"#[^\n]*\n# GMT \w+ \w+ +\d+ [\d:]+ \d+\r?\n")
"""What networkx writes above a list of the neighbours of each node."""


@advised
def read(
    path: str | os.PathLike[str],
    *,
    format: str = "auto",
    kind: str = "auto",
    encoding: str = "auto",
    weight: str = "auto",
    columns: str | Sequence[str] | None = None,
    drop: str | Sequence[str] | None = None,
    names: str | None = None,
    part: str = "all",
    max_bytes: int | None = None,
) -> Table:
    r"""Read a table of distances, points or pairs, or a graph.

    The format is detected from the content. So is the kind of the table:

    - A square of numbers holds distances if its diagonal is zero or missing, or if its rows and
      columns have the same labels. So do a triangle, and a single row or column of n(n−1)/2 numbers
      (the condensed form of scipy).
    - Columns called source and target (or from and to, a and b, i and j) with a distance (dist,
      dissimilarity, value), and perhaps a weight, list pairs. So do two columns of labels with one
      or two columns of numbers, without a header; with a header, only a column called weight is
      one. A pair that is not listed is missing; a pair that
      is listed in one direction holds in both.
    - Columns called source and target with a length or weight, or alone, list the edges of a graph.
      So do two columns of labels, files whose name ends in .edges or .edgelist, GraphML, GEXF, GML,
      and JSON with nodes and links. The distances are the lengths of shortest paths; attributes of
      nodes become `Table.columns`.
    - Any other table holds points, one per row: columns of numbers are features, the first column
      of distinct texts, or of whole numbers that number sites, samples or subjects, holds the
      labels, and other columns of texts become `Table.columns`.

    A table that may be something else, such as a long list, several tables one below another or an
    adjacency matrix, is an error, or gives a `FileWarning` that says what was assumed; stating the
    kind settles it.

    Parameters
    ----------
    path : str or PathLike
        The file; "-" is standard input. A .gz file is unpacked.
    format : str, default="auto"
        One of `FORMATS`: "csv" (comma or semicolon), "tsv", "lsmat", "text" (white space),
        "phylip", "edgelist" (with attributes, as networkx writes it), "graphml", "gexf", "gml",
        "json", "npy", "npz", "parquet", "spss" (.sav and .zsav), "stata" (.dta), "r" (.rds, .rda
        and .RData).
    kind : {"auto", "distances", "points", "pairs", "graph"}, default="auto"
        What the table holds, if the rules above guess wrong. A square of the kind "graph" is an
        adjacency matrix.
    encoding : str, default="auto"
        Encoding of a text; by default UTF-8, or the encoding that a byte order mark names.
    weight : {"auto", "length", "strength", "none"}, default="auto"
        What the weight of an edge is: its length, a strength, whose inverse is the length, or
        nothing, so that each edge has the length 1. By default a weight is taken as a length, a
        similarity as a strength, and a warning says so.
    columns, drop : str or sequence of str, default=None
        Names of the columns of numbers that count, and that do not: the features of points, as in
        `Table.chosen`, of the kind "pairs" the distance and the weight, or the column or attribute
        of edges that is their length or strength.
    names : str, default=None
        Column, or attribute of nodes, that names the points, as in `Table.named`; by default the
        labels that are detected.
    part : {"all", "largest"}, default="all"
        Which points to keep if a graph, or a list of pairs, falls into parts without a known
        distance between them: all, or those of the largest part; a warning says what is left out.
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
        If Parquet, or a file of R, SPSS or Stata, needs a package that is not installed.

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
    how: dict[str, Any] = {"format": format, "kind": kind, "encoding": encoding, "part": part}
    columns, drop = ([given] if isinstance(given, str) else given for given in (columns, drop))
    chosen: dict[str, Any] = {"columns": columns, "drop": drop}
    table = read_unjudged(path, weight=weight, max_bytes=max_bytes, **how, **chosen)
    name = os.fspath(path)
    if not by_choice(table, kind):
        table = _chosen(name, table, columns, drop)
    table = _named(name, table, names)
    warn_of_totals(name, table)
    warn_of_marks(name, table, drop or ())
    return table


def read_unjudged(
    path: str | os.PathLike[str],
    *,
    format: str = "auto",
    kind: str = "auto",
    encoding: str = "auto",
    weight: str = "auto",
    columns: Sequence[str] | None = None,
    drop: Sequence[str] | None = None,
    part: str = "all",
    max_bytes: int | None = None,
    likeness: bool = False,
) -> Table:
    """Read a table as `read` does, and leave to the caller which features of points count.

    If the caller asks for `likeness`, a triangle is half of a square of similarities.
    """
    _check_choice("format", format, ("auto", *FORMATS))
    if kind in ("similarity", "similarities"):
        raise ValueError(f"kind={kind!r}: a map is made of distances. {AS_DISTANCES}")
    _check_choice("kind", kind, ("auto", *KINDS))
    _check_choice("weight", weight, MEASURES)
    _check_choice("part", part, PARTS)
    content, text, format = _opened(path, format, encoding, max_bytes)
    choice = Choice(columns, drop or ())
    if text is None:
        table = _from_bytes(content, format, kind, weight, choice)
    else:
        table = _from_text(text, format, kind, weight, choice, likeness)
    if weight != "auto" and table.kind != "graph":
        raise content.error(
            f"only edges have lengths or strengths, and the file holds {table.kind}; if it lists "
            "the edges of a graph",
            advice=("kind", "graph"),
        )
    return largest_part(content, table) if part == "largest" else table


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
        one = format == "auto" and is_one_column(text)
        return metadata_of_cells(_cells(text, "csv" if one else format))
    if format == "json" or format in TABLES or format == "r":
        columns = columns_of_r(content) if format == "r" else _columns(content, format)
        if columns is not None and columns.names is not None:
            return metadata_of_columns(columns, format)
    raise content.error(
        "metadata are columns with names, one of them the labels of the points; save them as CSV"
    )


def _opened(
    path: str | os.PathLike[str], format: str, encoding: str, max_bytes: int | None
) -> tuple[Content, Text | None, str]:
    """Return the content of a file, its text where that is delimited or PHYLIP, and its format."""
    content = read_content(path, max_bytes)
    if content.ending in SPREADSHEETS and (magic(content.data) or b"\0" in content.data):
        raise content.error(OFFICE)
    if format == "auto":
        format = magic(content.data) or _named_format(content)
    if format == "auto":
        check_not_foreign(content)
    if format not in ("auto", "phylip", "edgelist", "gml", "xml", *DELIMITED):
        return content, None, format
    if format != "xml":
        text = as_text(content, encoding)
        format = _text_format(text) if format == "auto" else format
    if format == "xml":
        return content, None, xml_format(content)
    elif format in ("auto", "text") and is_word2vec(text):
        text = without_counts(text)
    # JSON has rules of its own for encodings
    return content, None if format == "json" else text, format


def _named_format(content: Content) -> str:
    """Return the format that only the ending of a name can tell."""
    return "r" if is_r(content) else "stata" if is_stata(content) else "auto"


def _check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ValueError(f"{name}={value!r} must be one of {', '.join(choices)}")


def _text_format(text: Text) -> str:
    """Detect the format of a text; "auto" if only its cells can tell."""
    first = next((line for _, line in text.kept_lines()), "").lstrip()
    if first.startswith("<"):
        return "xml"
    if first.startswith(("[", "{")):
        return "json"
    if is_gml(text):
        return "gml"
    _check_known(text, first)
    if is_edgelist(text):
        return "edgelist"
    return "phylip" if is_phylip(text) else "auto"


def by_choice(table: Table, kind: str) -> bool:
    """Whether the columns of a table were chosen while it was read: the numbers of its links."""
    return kind == "pairs" or (table.kind == "graph" and table.layout == "list")


def _chosen(
    name: str, table: Table, columns: Sequence[str] | None, drop: Sequence[str] | None
) -> Table:
    try:
        return table.chosen(columns, drop)
    except ValueError as error:
        raise FileError(name, str(error)) from None


def _named(name: str, table: Table, names: str | None) -> Table:
    try:
        return table if names is None else table.named(names)
    except ValueError as error:
        raise FileError(name, str(error)) from None


def _check_known(text: Text, first: str) -> None:
    """Raise if a text begins in a format that is not read, and say what to save instead."""
    for name, opening in OTHER_GRAPHS.items():
        if opening.match(first):
            raise text.content.error(
                f"this is a graph in {name}, which unimds does not read; save it as GraphML or GML"
            )
    if ADJACENCIES.match(text.content.data) or text.content.ending == ".adjlist":
        raise text.content.error(
            "this is a list of the neighbours of each node, which unimds does not read; save the "
            "edges with networkx.write_edgelist, or the graph as GraphML"
        )
    if first.startswith("(") and text.content.data.rstrip().endswith(b";"):
        raise text.content.error(
            "this is a tree in the Newick format, and distances are needed: save the distances "
            "between its leaves as a table, such as those of cophenetic(tree) in R's ape, or of "
            "tree.cophenet() in scikit-bio"
        )


def _from_text(
    text: Text, format: str, kind: str, weight: str, choice: Choice, likeness: bool
) -> Table:
    if format == "phylip":
        _check_kind(text.content, "a PHYLIP matrix", kind, "distances")
        return from_phylip(text)
    if format == "gml":
        _check_kind(text.content, "GML", kind, "graph")
        return from_graph(text.content, read_gml(text), format, weight, choice)
    if format == "edgelist":
        _check_kind(text.content, "a list of edges with attributes", kind, "graph")
        return from_graph(text.content, read_edgelist(text), format, weight, choice)
    cells = _cells(text, format)
    table = triangle_of_likeness(cells) if likeness else None
    if table is None:
        table = interpret(cells, kind, weight, choice)
    if table.kind != "graph":
        warn_of_thousands(text, _dialect(text, format))
    return table


def _dialect(text: Text, format: str) -> Dialect:
    return dialect_of(text, DELIMITED.get(format, DELIMITERS))


def _cells(text: Text, format: str) -> Grid:
    grid = joined_blocks(text) if format in ("auto", "text") else None
    if grid is None:
        dialect = _dialect(text, format)
        grid = quick_parse(text, dialect) or parse(text, dialect)
    drop_empty_rows(grid)
    return grid


def _from_bytes(content: Content, format: str, kind: str, weight: str, choice: Choice) -> Table:
    if format in ROOTS:
        _check_kind(content, ROOTS[format], kind, "graph")
        graph = (read_graphml if format == "graphml" else read_gexf)(content)
        return from_graph(content, graph, format, weight, choice)
    if format in ("npy", "npz"):
        return (from_npy if format == "npy" else from_npz)(content, kind, weight)
    if format == "r":
        return from_r(content, kind, weight, choice)
    if format == "json" and isinstance(found := load_json(content), dict):
        _check_kind(content, "a JSON object", kind, "graph")
        return from_graph(content, graph_of_json(content, found), format, weight, choice)
    return from_columns(content, format, _columns(content, format), kind, weight, choice)


def _columns(content: Content, format: str) -> Columns:
    if format in TABLES:
        return TABLES[format](content)
    return columns_of_json(content, load_json(content))


def _check_kind(content: Content, what: str, kind: str, only: str) -> None:
    if kind not in ("auto", only):
        raise content.error(f"{what} is always of the kind {only!r}, not {kind!r}")
