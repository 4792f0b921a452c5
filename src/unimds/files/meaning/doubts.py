"""Rows that would be read as points, and hardly are points: lists and stacks of tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from operator import eq
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.watch import warn
from unimds.files.errors import FileError, FileWarning, shown
from unimds.files.formats.content import Content
from unimds.files.formats.grid import Grid
from unimds.files.meaning.lists import CLEAR_ENDS, LENGTHS, PAIRS
from unimds.files.meaning.squares import is_table_of_pairs
from unimds.files.table import are_coordinates

Array = NDArray[np.floating[Any]]

POINTS = ("kind", "points")

NODES = ["id", "label"]
"""First columns of the nodes of a graph, as Gephi saves them."""
OF_NODES = frozenset(
    (
        *("timeset", "interval", "degree", "in-degree", "out-degree", "indegree", "outdegree"),
        *("weighted degree", "weighted indegree", "weighted outdegree", "modularity_class"),
        *("modularity class", "pageranks", "pagerank", "eccentricity", "eigencentrality"),
        *("closnesscentrality", "closenesscentrality", "harmonicclosnesscentrality"),
        *("betweenesscentrality", "betweennesscentrality", "hub", "authority", "clustering"),
        *("triangles", "componentnumber", "strongcompnum"),
    )
)
"""What Gephi computes for nodes, as it calls the columns."""

THINGS = frozenset(
    (
        *("animal", "case", "individual", "item", "judge", "node", "object", "observation"),
        *("observer", "participant", "patient", "person", "plot", "point", "quadrat", "rater"),
        *("record", "releve", "relevé", "respondent", "sample", "site", "specimen", "station"),
        *("stimulus", "subject", "transect", "vertex"),
        *("aufnahme", "parcelle", "parzelle", "probe", "probefläche", "standort"),
    )
)
"""What points may be: a column that is called so holds their names, even if these are numbers."""
NUMBERS = frozenset(
    (
        *("code", "id", "key", "no", "nr", "num", "number", "row"),
        *("fläche", "laufnummer", "lfd", "nummer", "numéro", "zeile"),
    )
)
"""Names of columns that number the rows."""
MARKS = frozenset(("code", "id", "no", "nr"))
"""Last words of such names."""
OCCASIONS = frozenset(
    (
        "block",
        "day",
        "month",
        "rep",
        "replicate",
        "season",
        "session",
        "trial",
        "visit",
        "week",
        "year",
    )
)
"""Names of numbers that tell when, or how often, something was measured."""

JUDGES = frozenset(
    ("judge", "observer", "participant", "person", "rater", "respondent", "sorter", "subject")
)
"""Names of columns with the persons who sort items."""
PILES = frozenset(("bin", "category", "cluster", "group", "heap", "pile", "sort"))
"""Names of numbers that say in which pile an item is."""

TWINS = (
    *(("1", "2", "3"), ("a", "b", "c"), ("i", "j", "k")),
    *(("left", "right", "centre"), ("first", "second", "third")),
)
"""What names of the two ends of pairs end in, or begin with; with a third they are no ends."""

R_INDEX = "X"
"""What R calls a column of numbers of rows that has lost its name."""
COUNTED = 5
"""Rows that hold consecutive numbers by chance."""

FEW = 10
"""Rows below a header that look like edges by chance."""


def names_points(name: str) -> bool:
    """Whether a column has the name of a column that names or numbers points.

    Examples
    --------
    >>> names = "Site", "Plot No.", "sampleID", "siteid", "oak", "NO2", "number of trees"
    >>> [name for name in names if names_points(name)]
    ['Site', 'Plot No.', 'sampleID', 'siteid']
    >>> names_points("Plot number"), names_points("leaf number")
    (True, False)
    """
    words = re.findall(r"[^\W_]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", name).lower())
    if len(words) != 1:
        numbered = not THINGS.isdisjoint(words) and not NUMBERS.isdisjoint(words)
        return bool(words) and (words[-1] in MARKS or words[0] == "id" or numbered)
    return words[0] in NUMBERS or re.sub(r"(id|no|nr)$", "", words[0]) in THINGS


def numbers_points(name: str, column: Array) -> bool:
    """Whether a column of numbers names or numbers points, and is no feature of them.

    Numbers below a name that may as well be a feature must count upwards.

    Examples
    --------
    >>> numbers_points("site", np.array([3.0, 1.0, 2.0])), numbers_points("oak", np.arange(3.0))
    (True, False)
    >>> numbers_points("NO", np.array([3.0, 1.0, 2.0])), numbers_points("No.", np.arange(3.0))
    (False, True)
    """
    if name == R_INDEX:
        return counts_up(column) and column[0] == 1.0
    if not names_points(name) or not whole(column):
        return False
    return name.strip(" .").lower() not in NUMBERS or bool((np.diff(column) > 0.0).all())


def counts_up(column: Array) -> bool:
    """Whether a column of numbers counts the rows, from any number on; few rows may by chance.

    Examples
    --------
    >>> counts_up(np.arange(101.0, 136.0)), counts_up(np.array([1.0, 3.0, 2.0, 4.0, 5.0]))
    (True, False)
    """
    return len(column) >= COUNTED and whole(column) and bool((np.diff(column) == 1.0).all())


def labels_first(names: Sequence[str], column: Array) -> bool:
    """Whether a first column of numbers, below these names, holds the labels of the points."""
    return numbers_points(names[0], column) and not (names[0] == R_INDEX and "Y" in names)


def warn_of_repeats(
    content: Content,
    columns: Mapping[str, Sequence[str]],
    names: Sequence[str] | None,
    values: Array,
) -> None:
    """Warn if the names of points repeat, so that they are no labels."""
    name = next((name for name in columns if names_points(name)), None)
    if name is None or names is None:
        return
    texts = columns[name]
    rows = [i for i, text in enumerate(texts) if text == texts[0]][:2]
    if len(rows) < 2:
        return
    told = [f"{i + 1}" for i in range(2)]
    for j, other in enumerate(names):
        if other.strip().lower() in OCCASIONS and values[rows[0], j] != values[rows[1], j]:
            told = [f"{values[i, j]:g}" for i in rows]
    one, two = (shown(f"{texts[0]} {end}") for end in told)
    warn(
        FileWarning(
            content.name,
            f"the column {shown(name)} holds {len(set(texts))} names for {len(texts)} rows, so the "
            f"points have no labels; for labels, give each row a name of its own, such as {one} "
            f"and {two}",
            (),
        ),
        FileWarning,
    )


def names_rows(name: str, texts: Sequence[str]) -> bool:
    """Whether a column of words names the rows, though a few names repeat.

    Examples
    --------
    >>> sites = ["A", "B", "A", "C"]
    >>> names_rows("site", sites), names_rows("class", sites)
    (True, False)
    """
    distinct = len(set(texts))
    nearly = len(texts) >= FEW and 10 * distinct >= 9 * len(texts)
    return nearly or (names_points(name) and 2 * distinct > len(texts))


@final
@dataclass(frozen=True)
class Rows:
    """Rows of numbers and words that would be read as points.

    Attributes
    ----------
    content : Content
        The file.
    values : ndarray
        The columns of numbers.
    labels : list of str, or None
        Names of the rows.
    names : list of str, or None
        Names of the columns of numbers; None without a header.
    columns : mapping
        The columns of words.
    """

    content: Content
    values: Array
    labels: list[str] | None
    names: list[str] | None
    columns: Mapping[str, list[str]]

    def check(self) -> None:
        """Raise if the rows are a long list, or a stack of tables; warn if they may be edges."""
        side = self._side_of_stack()
        if side:
            raise _stacked(self.content, len(self.values) // side, side)
        self._check_not_pairs()
        self._check_not_long()
        self._check_not_edges()

    def _check_not_pairs(self) -> None:
        """Raise if two columns hold the ends of pairs, whatever else the rows hold."""
        for pair, ends in self._candidates():
            if not _are_ends(*ends):
                continue
            keys = self._keys()
            others = [name for name in keys if name not in pair]
            known = {*pair, *keys, *filter(names_points, self.names or [])}
            numbers = [name for name in self.names or [] if name not in known]
            repeat = len(set(zip(*ends, strict=True))) < len(self.values)
            if self._are_pairs_by_place(pair) and numbers and not repeat:
                raise _pairs_or_points(self.content, numbers[0])
            raise _pairs_in(self.content, pair, numbers, others, repeat)

    def _candidates(self) -> Iterator[tuple[tuple[str, str], list[list[str]]]]:
        """Yield two columns of words, or of codes with the names of two ends, and their entries."""
        for one, other in combinations(self.columns, 2):
            yield (one, other), [self.columns[one], self.columns[other]]
        names = [] if are_coordinates(self.names) else self.names or []
        for one, other in _twins(names):
            at = names.index(one), names.index(other)
            if all(whole(self.values[:, j]) for j in at):
                yield (one, other), [[f"{x:g}" for x in self.values[:, j]] for j in at]

    def _are_pairs_by_place(self, pair: Sequence[str]) -> bool:
        """Whether the rows are two ends and a number, as lists of pairs have them."""
        named = self.names is not None and self.names[:2] == list(pair) and len(self.names) == 3
        return named and not self.columns and not self.labels

    def _check_not_long(self) -> None:
        """Raise if each row holds one number for two or more labels, all of which repeat."""
        if self.names is None or not (self.labels is None or _counted(self.labels)):
            return
        keys = self._keys()
        numbers = [name for name in self.names if name not in keys]
        words = [name for name in keys if name in self.columns]
        heads = [*filter(names_points, keys), *words]
        if len(keys) < 2 or not numbers or not heads:
            return
        for pair in combinations(keys, 2):
            sure = len(numbers) == 1 or all(map(names_points, pair))
            if sure and _share(keys[pair[0]], keys[pair[1]]):
                others = [key for key in keys if key not in pair]
                raise _pairs_in(self.content, pair, numbers, others, repeat=bool(others))
        if len(numbers) != 1:
            return
        first = heads[0]
        last = ([name for name in words if name != first] or [n for n in keys if n != first])[-1]
        if numbers[0].strip().lower().removesuffix("s") in PILES:
            raise _sorted_in(self.content, (first, last), numbers[0])
        raise self.content.error(
            f"this looks like a long list: each row holds one number, {shown(numbers[0])}, for "
            f"{' and '.join(map(shown, keys))}, which repeat. Make a table with a row for each "
            f"{shown(first)} and a column for each {shown(last)}, such as with pandas.pivot_table "
            "or R's xtabs; for points, one per row",
            advice=POINTS,
        )

    def _keys(self) -> dict[str, list[str]]:
        """Return the columns that name what a row is about, if their entries repeat."""
        named = {
            name: [f"{x:g}" for x in self.values[:, j]]
            for j, name in enumerate(self.names or [])
            if (names_points(name) or name.strip().lower() in OCCASIONS)
            and whole(self.values[:, j])
        }
        every = {**named, **self.columns}
        return {name: key for name, key in every.items() if 1 < len(set(key)) < len(key)}

    def _check_not_edges(self) -> None:
        """Raise, or warn, if each row starts with the numbers of two nodes that it may join."""
        width = self.values.shape[1]
        if self.columns or self.labels or width not in (2, 3) or are_coordinates(self.names):
            return
        if not _are_edges(self.values[:, :2]):
            return
        value = (self.names or [""])[-1]
        if width == 3 and value.strip().lower() in LENGTHS:
            raise _pairs_or_points(self.content, value)
        if self.names is not None and len(self.values) < FEW:
            return
        told = f"the rows were taken for points with {width} features each"
        choices = [("if each row is an edge between two nodes", ("kind", "graph"))]
        if width == 3:
            choices.append(("if each row is a pair of points with its distance", PAIRS))
        choices.append(("to confirm points", POINTS))
        warn(FileWarning(self.content.name, told, choices), FileWarning)

    def _side_of_stack(self) -> int:
        """Return how many points have several tables, one below another; 0 if rows are no stack."""
        rows, width = self.values.shape
        for side in (width, width - 1, width - 2):  # after columns that number the tables
            if side > 2 and rows > side and rows % side == 0:
                tables = self.values[:, width - side :].reshape(-1, side, side)
                if self._names_repeat(side) or all(map(is_table_of_pairs, tables)):
                    return int(side)
        return 0

    def _names_repeat(self, side: int) -> bool:
        """Whether a column names the rows as the columns are named, from each table to the next."""
        if self.names is None:
            return False
        wanted = self.names[-side:] * (len(self.values) // side)
        return any(texts == wanted for texts in (self.labels, *self.columns.values()))


def check_not_nodes(content: Content, names: Sequence[str], has_numbers: bool) -> None:
    """Raise, or warn, if columns are those of the nodes of a graph, as Gephi saves them."""
    small = [name.strip().lower() for name in names]
    if small[:2] != NODES:
        return
    edges = "read the table of its edges, and add the columns of this file as metadata"
    if not has_numbers or not OF_NODES.isdisjoint(small):
        raise content.error(
            "this looks like the table of the nodes of a graph, as Gephi saves it, and its numbers "
            f"are no features: {edges}. To read points, one per row",
            advice=POINTS,
        )
    if list(names[:2]) == ["Id", "Label"]:  # as Gephi writes them
        told = (
            "the rows were taken for points with features; if they are the nodes of a graph, as "
            f"Gephi saves them, {edges}"
        )
        warn(FileWarning(content.name, told, [("to confirm points", POINTS)]), FileWarning)


def whole(column: Array) -> bool:
    """Whether a column holds whole numbers only, zero or more, and none is missing."""
    return bool((np.isfinite(column) & (column >= 0.0) & (column == np.floor(column))).all())


def _are_edges(ends: Array) -> bool:
    """Whether rows of two whole numbers may be edges: they differ, and join nearly all numbers."""
    if len(ends) < 3 or not whole(ends.ravel()):
        return False
    loops = int((ends[:, 0] == ends[:, 1]).sum())
    if 100 * loops > len(ends) or len(np.unique(ends, axis=0)) < len(ends):
        return False
    from scipy.sparse import csr_array  # slow to import, and rarely needed
    from scipy.sparse.csgraph import connected_components

    nodes, at = np.unique(ends, return_inverse=True)
    i, j = at.reshape(-1, 2).T
    graph = csr_array((np.ones(len(i)), (i, j)), shape=(nodes.size, nodes.size))
    _, part = connected_components(graph, directed=False)
    return bool(10 * np.bincount(part).max() >= 9 * nodes.size)


def _counted(labels: Sequence[str]) -> bool:
    """Whether labels only count the rows, as those of R and pandas do."""
    return any(list(labels) == [str(i) for i in range(k, len(labels) + k)] for k in (0, 1))


def _share(first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether two columns hold the same labels, or nearly so."""
    one, other = set(first), set(second)
    return 2 * len(one & other) >= min(len(one), len(other))


def _twins(names: Sequence[str]) -> list[tuple[str, str]]:
    """Return the columns that are called as the two ends of pairs are, and no third column is.

    Examples
    --------
    >>> _twins(["stim1", "stim2", "rating"]), _twins(["left item", "right item"])
    ([('stim1', 'stim2')], [('left item', 'right item')])
    >>> _twins(["q1", "q2", "q3"]), _twins(["pulse", "age"])
    ([], [])
    """
    known = {name.strip().lower(): name for name in reversed(names)}
    found = [(known[a], known[b]) for a, b in CLEAR_ENDS if a in known and b in known]
    for plain, name in known.items():
        for a, b, c in TWINS:
            triples = [(plain.removesuffix(a) + b, plain.removesuffix(a) + c)]
            if not plain.endswith(a):
                triples = [(b + plain.removeprefix(a), c + plain.removeprefix(a))]
            if plain.endswith(a) or plain.startswith(a):
                found += [(name, known[x]) for x, y in triples if x in known and y not in known]
    return found


def _are_ends(first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether two columns hold the ends of pairs, and most pairs of their labels.

    Examples
    --------
    >>> _are_ends("aab", "bcc"), _are_ends(["yes", "no", "yes"], ["no", "yes", "yes"])
    (True, False)
    """
    if 100 * sum(map(eq, first, second)) > len(first):
        return False
    labels = {*first, *second}
    if len(labels) < 3 or not _share(first, second):
        return False
    pairs = {(min(both), max(both)) for both in zip(first, second, strict=True)}
    return 4 * len(pairs) >= len(labels) * (len(labels) - 1)


def _pairs_or_points(content: Content, number: str) -> FileError:
    """Return the error for rows of two numbers that name points and a number."""
    return content.error(
        "this looks like a list of pairs, two numbers that name points and a number called "
        f"{shown(number)}: are the rows points (kind 'points'), or pairs with a distance? For "
        "pairs",
        advice=PAIRS,
    )


def _and(names: Sequence[str]) -> str:
    return " and ".join(map(shown, names))


def _pairs_in(
    content: Content,
    pair: Sequence[str],
    numbers: Sequence[str],
    others: Sequence[str],
    repeat: bool = True,
) -> FileError:
    """Return the error for a list of pairs with more labels, or numbers, than a pair has."""
    told, one = _and(others), ""
    if others and repeat:
        one = (
            f", and several lists, told apart by {told}. Each pair needs one number: take its mean "
            f"over {told}, or one of the lists"
        )
    elif repeat:
        one = ", and pairs repeat. Each pair needs one number: take its mean"
    few = ", ".join([*map(shown, numbers[:3]), *(["…"] if len(numbers) > 3 else [])])
    many = "" if len(numbers) < 2 else "keep the number that is the distance, and "
    called = "call" if many else "Call"
    told = (
        f"this looks like a list of pairs, {_and(pair)}, with the number{'s' if many else ''} "
        f"{few}{one}. {many.capitalize()}{called} the columns 'source', 'target' and 'distance'"
    )
    if others or repeat:
        return content.error(f"{told}; for points, one per row", advice=POINTS)
    return content.error(f"{told}; or, if the pairs come first", advice=PAIRS)


def _sorted_in(content: Content, keys: tuple[str, str], pile: str) -> FileError:
    """Return the error for a list that tells in which pile each subject has put each item."""
    judge = next((key for key in keys if key.strip().lower().removesuffix("s") in JUDGES), keys[0])
    item = keys[keys[0] == judge]
    return content.error(
        f"this looks like a sorting: each row holds the {shown(pile)} of one {shown(judge)} and "
        f"one {shown(item)}, and the numbers of piles are names. Make a table with a row for each "
        f"{shown(item)} and a column for each {shown(judge)}, such as with pandas.pivot, and "
        "choose the metric 'hamming': the share of columns in which two rows differ; for points, "
        "one per row",
        advice=POINTS,
    )


def check_not_long(content: Content, first: Sequence[str], second: Sequence[str]) -> None:
    """Raise if two columns of labels without names, with one number, are hardly ends of pairs."""
    one, other = set(first), set(second)
    repeat = len(one) < len(first) and len(other) < len(second)
    if repeat and min(len(one), len(other)) > 1 and one.isdisjoint(other):
        raise content.error(
            "this looks like a long list: each row holds one number for two labels, which repeat, "
            "and no label is in both columns. Make a table with a row for each label of the first "
            "column, and a column for each label of the second; for pairs with a distance each",
            advice=PAIRS,
        )


def check_not_stacked(grid: Grid) -> None:
    """Raise if a text holds tables of one size, one below another, with or without titles."""
    filled = _filled(grid)
    for starts in (_after_gaps(grid, filled), _after_ends(grid)):
        tables = [range(a, b) for a, b in pairwise([*starts, len(grid)]) if filled[a:b].any()]
        if len(tables) < 2 or len(set(map(len, tables))) > 1:
            continue
        side = _side(grid, tables[0])
        if side and all(_side(grid, table) == side for table in tables):
            lines = grid.lines[tables[0][0]], grid.lines[tables[1][0]]
            raise _stacked(grid.text.content, len(tables), side, lines)


def _stacked(
    content: Content, count: int, side: int, lines: tuple[int, int] | None = None
) -> FileError:
    where = "" if lines is None else f" (from lines {lines[0]} and {lines[1]} on)"
    return content.error(
        f"this looks like {count} tables of {side} × {side}, one below another{where}, and one "
        "table is needed: save each table, or their mean, in a file of its own; for points, one "
        "per row",
        advice=POINTS,
    )


def _filled(grid: Grid) -> NDArray[np.bool_]:
    """Which rows hold a number; the rest are titles, headers or empty."""
    starts = np.concatenate([[0], np.cumsum(grid.widths)[:-1]])
    known = ~np.isnan(np.frombuffer(grid.flat))
    return np.asarray(np.logical_or.reduceat(known, starts))


def _after_gaps(grid: Grid, filled: NDArray[np.bool_]) -> list[int]:
    """Return where tables may start: after a blank line, or a row without numbers."""
    gaps = (np.diff(grid.lines) > 1) | np.diff(filled)
    return [0, *(np.flatnonzero(gaps) + 1).tolist()]


def _after_ends(grid: Grid) -> list[int]:
    """Return where triangles may start: where a row is shorter than the row before, or longer."""
    steps = np.diff(grid.widths)
    ends = min(steps < 0, steps > 0, key=np.count_nonzero)
    return [0, *(np.flatnonzero(ends) + 1).tolist()]


def _side(grid: Grid, rows: range) -> int:
    """Return how many points have the table in these rows; 0 if they are no table of distances."""
    widths = np.array([grid.widths[i] for i in rows])
    labelled = all(0 in grid.words.get(i, {}) for i in rows)
    steps = set(np.diff(widths).tolist())
    if len(rows) > 1 and steps in ({1}, {-1}):
        numbers = [row[int(labelled) :] for row in grid.rows(rows)]
        ends = [row[-1 if steps == {1} else 0] for row in numbers if row.size]
        return max(map(len, numbers)) + bool(np.nan_to_num(ends).any())  # without its diagonal
    if len(rows) == widths[0] and not grid.cell(rows[0], 0):  # a header of numbers
        labelled = True
    side = int(widths[0]) - labelled
    if steps - {0} or side < 2 or len(rows) not in (side, side + 1):
        return 0
    block = np.array([row[-side:] for row in grid.rows(rows[-side:])])  # a row before has numbers
    return side if is_table_of_pairs(block) else 0
