"""What the cells of a text mean, detected from the cells."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.words import counted
from unimds.files.errors import shown
from unimds.files.formats.grid import Grid
from unimds.files.formats.margins import check_no_title, drop_empty_columns, second_header
from unimds.files.formats.text import COMMA_NUMBER, known_words, mistake_in
from unimds.files.meaning.doubts import (
    check_not_long,
    check_not_nodes,
    check_not_stacked,
    labels_first,
    names_points,
    names_rows,
)
from unimds.files.meaning.lists import (
    ALL,
    Choice,
    Links,
    Roles,
    chosen_from,
    roles,
    roles_by_place,
    roles_by_words,
    roles_of_pairs,
    says_directed,
    table_of_links,
    warn_of_unused,
)
from unimds.files.meaning.matrices import assemble, condensed, open_square, triangle
from unimds.files.meaning.squares import looks_like_distances
from unimds.files.table import Table

Array = NDArray[np.floating[Any]]

LABELS = ("", "label", "labels", "name", "names", "id", "index")
"""Names of a column of labels, which may hold numbers."""
EDGE_ENDINGS = (".edges", ".edgelist")


def interpret(grid: Grid, kind: str, weight: str = "auto", choice: Choice = ALL) -> Table:
    """Make a table of the cells of a text.

    `weight` says what the numbers of edges are, `choice` which numbers of pairs count.
    """
    if kind == "auto" and grid.text.content.ending in EDGE_ENDINGS:
        kind = "graph"
    if kind in ("auto", "distances") and len(grid) > 1:
        check_not_stacked(grid)
        found = triangle(grid, kind) or open_square(grid, kind == "auto")
        if found is not None:
            return found
    level(grid)
    found = _vector(grid, kind)
    if found is not None:
        return found
    header = _header(grid, kind)
    if kind == "graph" and _is_adjacency(grid, header):
        return _from_rows(grid, header, kind, weight)
    list_roles = _roles(grid, header, kind, weight, choice)
    if list_roles is not None:
        return _from_list(grid, header, list_roles, kind == "auto")
    return _from_rows(grid, header, kind)


def _is_adjacency(grid: Grid, header: int) -> bool:
    """Whether rows are a matrix of edges, no list: three or more, and zero on the diagonal."""
    side = len(grid) - header
    if side < 3 or grid.widths[0] - side not in (0, 1):
        return False
    return not np.nan_to_num(np.diagonal(grid.block()[header:, -side:])).any()


def level(grid: Grid) -> None:
    """Bring all rows to one width, or say which row differs."""
    check_no_title(grid)
    drop_empty_columns(grid)
    width = max(grid.widths[1:], default=grid.widths[0])
    short = [i for i, w in enumerate(grid.widths) if w != width]
    if short == [0] and grid.widths[0] == width - 1 and _names_only(grid):
        grid.lead()  # as R writes it
    elif short:
        usual = int(np.bincount(grid.widths).argmax())
        odd = next(i for i, w in enumerate(grid.widths) if w != usual)
        raise grid.error(
            f"this row has {counted(grid.widths[odd], 'cell')}, but most rows have {usual}; is a "
            "delimiter or a quote missing?",
            odd,
        )


def _names_only(grid: Grid) -> bool:
    """Whether the first row holds words only, or the numbers that label the rows below."""
    if len(grid.words.get(0, {})) == grid.widths[0]:
        return True
    return grid.heads[0] == [grid.cell(i, 0) for i in range(1, len(grid))]


def _vector(grid: Grid, kind: str) -> Table | None:
    """Return the table of a condensed vector: numbers only, in one row or one column."""
    flat = not grid.words and 1 in (len(grid), grid.widths[0])
    if kind not in ("auto", "distances") or not flat:
        return None
    vector = np.frombuffer(grid.flat).copy()
    return condensed(grid.text.content, vector, grid.format, kind == "auto")


def _header(grid: Grid, kind: str) -> int:
    """Return the number of header rows, 0 or 1.

    A first row is a header if it names the columns of a list, if it has words above more than half
    of the columns of numbers, if it repeats the labels of the first column, if its numbers follow
    the name of a column of labels, or if it counts the columns as pandas does.
    """
    if len(grid) == 1:
        return 0
    first, values = grid.words.get(0, {}), grid.block()[0]
    if np.isnan(values).all() and roles(grid.heads[0], kind) is not None:
        return 1
    numeric = _numeric_columns(grid, 1)
    numeric[0] &= grid.heads[0][0].lower() not in LABELS
    named = sum(j in first for j in np.flatnonzero(numeric))
    before_numbers = 0 in first and _heads_labels(first[0])
    found = 2 * named > numeric.sum() or before_numbers or _labels_match(grid)
    return int(found or (not first and _counted(grid)))


def _heads_labels(name: str) -> bool:
    return name.lower() in LABELS or names_points(name)


def _counted(grid: Grid) -> bool:
    """Whether a first row of numbers names the columns: 0, 1, 2, …, or any numbers above words."""
    corner, *rest = grid.heads[0]
    below = range(1, len(grid))
    if corner == "":
        words = all(0 in grid.words.get(i, {}) for i in below)
        return words or rest == [str(j) for j in range(len(rest))]
    if grid.heads[0] != [str(j) for j in range(len(rest) + 1)] or not rest:
        return False
    if looks_like_distances(grid.block()):  # distances of points on a line
        return False
    # whole numbers above fractions, or above a square of distances
    fractions = all(any("." in cell for cell in grid.heads[i]) for i in below)
    return fractions or (len(rest) > 1 and looks_like_distances(grid.block()[1:]))


def _labels_match(grid: Grid) -> bool:
    """Whether the first row and column of a square hold the same labels, even if numbers."""
    diagonal = np.diagonal(grid.block())
    # without its diagonal, a symmetric square has equal numbers there, which are not labels
    if len(grid) != grid.widths[0] or not np.isnan(diagonal[0]) or np.isnan(diagonal).all():
        return False
    return grid.heads[0][1:] == [grid.cell(i, 0) for i in range(1, len(grid))]


def _numeric_columns(grid: Grid, header: int) -> NDArray[np.bool_]:
    """Which columns hold numbers; a few words among numbers are mistakes."""
    words = np.zeros(grid.widths[0], dtype=np.intp)
    for i, row in grid.words.items():
        if i >= header:
            words[list(row)] += 1
    known = np.count_nonzero(~np.isnan(grid.block()[header:]), axis=0)
    numeric = np.asarray(known >= words)
    # an empty first column is the place of labels, unless it belongs to a square
    numeric[0] &= bool(known[0] > 0 or len(grid) == len(numeric))
    return numeric


def _roles(grid: Grid, header: int, kind: str, weight: str, choice: Choice) -> Roles | None:
    if header and kind == "pairs":
        numeric = np.flatnonzero(_numeric_columns(grid, header)).tolist()
        return roles_of_pairs(grid.text.content, grid.heads[0], numeric, choice)
    if header or kind == "points":
        with chosen_from(grid.text.content):
            named = roles(grid.heads[0], kind, weight, choice)
        if named is not None or kind in ("points", "distances"):
            return named
    content, width = grid.text.content, grid.widths[0]
    if kind in ("pairs", "graph"):
        return roles_by_place(content, width, kind, weight)
    words = [grid.words.get(i, {}) for i in range(header, len(grid))]
    if kind != "auto" or width not in (2, 3, 4) or not all(0 in row and 1 in row for row in words):
        return None
    if not _numeric_columns(grid, header)[2:].all():
        return None
    first, second = ([row[j] for row in words] for j in (0, 1))
    if header:
        return roles_by_words(content, first, second, grid.heads[0][2:])
    if not _joined(first, second):
        return None
    if width == 3:
        check_not_long(content, first, second)
    return roles_by_place(content, width, "graph" if width == 2 else "pairs", weight)


def _joined(first: list[str], second: list[str]) -> bool:
    """Whether two columns of words without names are pairs: a label of the first repeats."""
    labels = set(first)
    return len(labels) < len(first) or len(first) == 1 or not labels.isdisjoint(second)


def _from_list(grid: Grid, header: int, columns: Roles, doubtful: bool) -> Table:
    rows = range(header, len(grid))
    for j in (columns.value, columns.weight):
        for i, words in grid.words.items():
            if i >= header and j in words:
                raise grid.no_number(i, j)
    for i in rows:
        for j in columns.ends:
            if not grid.cell(i, j):
                raise grid.error("a label is missing", i, j)
    if header:
        numbers = np.flatnonzero(_numeric_columns(grid, header)).tolist()
        unused = [grid.heads[0][j] for j in numbers if j not in columns.ends]
        warn_of_unused(grid.text.content, columns.measure, unused)
    block = grid.block()[header:]
    values = np.ones(len(block)) if columns.value is None else block[:, columns.value]
    first, second = ([grid.cell(i, j) for i in rows] for j in columns.ends)
    weights = None if columns.weight is None else block[:, columns.weight]
    types = [] if columns.direction is None else [grid.cell(i, columns.direction) for i in rows]
    directed = says_directed(types)
    lines = grid.lines[header:]
    links = Links(grid.text.content, (first, second), values, weights, lines, directed)
    return table_of_links(links, columns, grid.format, doubtful)


def _from_rows(grid: Grid, header: int, kind: str, weight: str = "auto") -> Table:
    """Make a table of points, or of distances, from rows of numbers and words."""
    numeric = _numeric_columns(grid, header)
    names = grid.heads[0] if header else [str(j + 1) for j in range(grid.widths[0])]
    rows = range(header, len(grid))
    marked = header and names[0].lower() in LABELS
    if marked or (len(rows) == len(numeric) - 1 and 0 in grid.words.get(len(grid) - 1, {})):
        numeric[0] = False
    if header and numeric.sum() > 1 and labels_first(names, grid.block()[header:, 0]):
        numeric[0] = False
    if header and kind == "auto":
        check_not_nodes(grid.text.content, names, bool(numeric[1:].any()))
    _check_words(grid, header, numeric)
    columns: dict[str, list[str]] = {}
    for j in map(int, np.flatnonzero(~numeric)):
        name = f"{names[j]} {j + 1}" if names[j] in columns else names[j]
        columns[name] = [grid.cell(i, j) for i in rows]
    called = [names[0]] if marked else []  # labels, even if some are the same
    unique = [name for name, texts in columns.items() if len(set(texts)) == len(texts)]
    if not unique and not numeric[0] and (len(columns) == 1 or numeric.sum() > 1):
        unique = [name for name in list(columns)[:1] if names_rows(name, columns[name])]
    labels = columns.pop((called or unique)[0]) if called or unique else None
    columns = {name: known_words(texts) for name, texts in columns.items()}
    block = grid.block()[header:]
    return assemble(
        grid.text.content,
        block if numeric.all() else block[:, numeric],
        format="lsmat" if _is_lsmat(grid, header, labels) else grid.format,
        kind=kind,
        labels=labels,
        names=[names[j] for j in np.flatnonzero(numeric)] if header else None,
        columns=columns,
        weight=weight,
    )


def _check_words(grid: Grid, header: int, numeric: NDArray[np.bool_]) -> None:
    """Raise if words stand where numbers should, and say what to write instead."""
    units = second_header(grid, np.flatnonzero(numeric).tolist()) if header else None
    if units is not None:
        raise units
    for i, words in grid.words.items():
        wrong = [j for j in words if i >= header and numeric[j]]
        if wrong:
            raise grid.no_number(i, wrong[0])
    texts: dict[int, dict[int, str]] = {}  # the words of each column, by row
    for i, words in grid.words.items():
        for j, word in words.items():
            if i > 0:
                texts.setdefault(j, {})[i] = word
    for j, column in texts.items():
        if not numeric[j] and all(map(COMMA_NUMBER.fullmatch, column.values())):
            row = next(iter(column))
            raise grid.error(mistake_in(column[row]), row, j)
    if texts and np.isnan(grid.block()[header:, numeric]).all():
        marks = {word for j, column in texts.items() if j for word in column.values()}
        _check_no_marks(grid, sorted(marks, reverse=True))


def _check_no_marks(grid: Grid, marks: list[str]) -> None:
    """Raise if the only words of a table mark what is present."""
    if {mark.lower() for mark in marks} in ({"true", "false"}, {"yes", "no"}, {"t", "f"}):
        remedy = f"{marks[0]} and 0 for {marks[-1]}"
    elif len(marks) == 1:
        remedy = f"{shown(marks[0])} and 0 for an empty cell"
    else:
        return
    raise grid.error(f"holds no numbers; write 1 for {remedy}")


def _is_lsmat(grid: Grid, header: int, labels: list[str] | None) -> bool:
    return bool(
        header and grid.format == "tsv" and not grid.heads[0][0] and labels == grid.heads[0][1:]
    )
