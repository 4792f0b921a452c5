"""Lists of pairs, whose other distances are missing, and of edges, joined to shortest paths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.watch import warn
from unimds.files.errors import FileError, FileWarning, shown
from unimds.files.formats.content import Content
from unimds.files.meaning.paths import shortest_paths
from unimds.files.meaning.similarities import CORRELATIONS
from unimds.files.meaning.squares import warn_of_similarities
from unimds.files.table import EdgeWeights, Table

Array = NDArray[np.floating[Any]]

CLEAR_ENDS = (("source", "target"), ("from", "to"), ("node1", "node2"), ("label1", "label2"))
ENDS = (*CLEAR_ENDS, ("a", "b"), ("i", "j"), ("u", "v"))
"""Names of the two columns of labels; the last three may as well be features of points."""
DISTANCE = ("distance", "dist", "dissimilarity", "dissim", "value", "d")
LENGTHS = ("length", "distance", "dist", "dissimilarity", "dissim", "cost", "d")
"""Names of the length of an edge."""
UNCLEAR = ("weight", "value")
"""Names of what may be the length or the strength of an edge."""
WEIGHT = ("weight", "weights", "w")
SIMILARITY = ("similarity", "sim", "strength", "affinity", "correlation", "cor", "corr", "r")
"""Names of numbers that are the larger, the closer the points are."""
RATING = ("rating", "score", "judgment", "judgement", "response", "proximity")
"""Names of numbers that may as well be distances as similarities."""

SEARCHED = {
    "auto": (*LENGTHS, *SIMILARITY, *UNCLEAR),
    "length": (*LENGTHS, *UNCLEAR, *SIMILARITY),
    "strength": (*UNCLEAR, *SIMILARITY, *LENGTHS),
}
"""Names of the number of an edge in order, by what it is meant to be."""
DIRECTION = "type"
"""Name of Gephi's column that says of each edge whether it is directed."""
PAIRS = ("kind", "pairs")

MEASURES = ("auto", "length", "strength", "none")
"""What the weights of edges may be."""

At = TypeVar("At")


@dataclass(frozen=True)
class Choice:
    """Which columns of numbers count, as a reader has chosen them.

    Attributes
    ----------
    columns : sequence of str, or None
        Names of the columns that count; None for all.
    drop : sequence of str
        Names of columns that do not count.

    Examples
    --------
    >>> Choice(["km"]).among({2: "km", 3: "minutes"}), Choice(drop=["km"]).among({2: "km"})
    ({2: 'km'}, {})
    """

    columns: Sequence[str] | None = None
    drop: Sequence[str] = ()

    def among(self, names: Mapping[int, str]) -> dict[int, str]:
        """Return the columns that count, by their places."""
        known = {name: j for j, name in names.items()}
        for name in (*(self.columns or ()), *self.drop):
            if name not in known:
                told = ", ".join(map(shown, known)) or "missing"
                raise ValueError(f"there is no column {name!r}; the columns of numbers are {told}")
        kept = known if self.columns is None else self.columns
        return {known[name]: name for name in kept if name not in self.drop}

    def in_small(self) -> Choice:
        """Return the same choice in small letters, as columns of lists are known."""
        small = [
            [name.strip().lower() for name in some] for some in (self.columns or (), self.drop)
        ]
        return Choice(small[0] or None, small[1])

    def of_edges(self, names: Mapping[str, At]) -> dict[str, At]:
        """Return the attributes or columns of edges that may hold their lengths."""
        chosen = self.columns or ()
        for name in (*chosen, *self.drop):
            if name not in names:
                told = ", ".join(map(shown, names)) or "none"
                raise ValueError(f"edges have no {name!r}; what they have is {told}")
        if len(chosen) > 1:
            several = " and ".join(map(repr, chosen))
            raise ValueError(f"an edge has one length, and {several} are chosen; name one of them")
        return {name: names[name] for name in chosen or names if name not in self.drop}


ALL = Choice()


@contextmanager
def chosen_from(content: Content) -> Iterator[None]:
    """Name the file in the error of a choice that it does not have."""
    try:
        yield
    except FileError:
        raise
    except ValueError as error:
        raise content.error(str(error)) from None


@dataclass(frozen=True)
class Measure(Generic[At]):
    """What the numbers of the edges of a graph are.

    Attributes
    ----------
    meant : {"auto", "length", "strength", "none"}
        What they are; "auto" if nobody has said so, and there are none.
    at : str, int or None
        The attribute or column with the numbers; None if all edges have the length 1.
    assumed : str or None
        What a reader must know, since the name does not tell a length from a strength.
    """

    meant: str
    at: At | None
    assumed: str | None = None

    @property
    def taken(self) -> EdgeWeights:
        """What the numbers were taken for, as `Table.edge_weights` says it."""
        if self.at is None:
            return "none"
        return "strength" if self.meant == "strength" else "length"

    @classmethod
    def by_name(cls, names: Mapping[str, At], meant: str, choice: Choice = ALL) -> Measure[At]:
        """Find the numbers by the names of attributes or columns, or as a reader has chosen them.

        Examples
        --------
        >>> Measure.by_name({"color": 0, "weight": 1}, "auto").assumed
        "the 'weight' of an edge was taken as its length"
        >>> Measure.by_name({"color": 0, "similarity": 1}, "auto").assumed
        "the 'similarity' of an edge was taken as its strength, whose inverse is the length"
        >>> Measure.by_name({"length": 0, "weight": 1}, "strength").at
        1
        >>> Measure.by_name({"length": 0, "minutes": 1}, "length", Choice(["minutes"])).at
        1
        """
        names = choice.of_edges(names)
        if meant == "none":
            return cls(meant, None)
        searched = names if choice.columns else SEARCHED[meant]
        name = next((name for name in searched if name in names), None)
        if name is None:
            return cls(meant, None)
        if meant != "auto" or name in LENGTHS:
            return cls(meant, names[name])
        if name in SIMILARITY:
            told = f"the {name!r} of an edge was taken as its strength, whose inverse is the length"
            return cls("strength", names[name], told)
        return cls("length", names[name], f"the {name!r} of an edge was taken as its length")

    def lengths(self, links: Links) -> Links:
        """Return the edges with their lengths; an edge of strength 0 is none."""
        if self.at is None and self.meant in ("length", "strength"):
            raise links.content.error(
                f"the edges have no {self.meant}; call it 'weight', or, for edges of length 1",
                advice=("weight", "none"),
            )
        if self.assumed is not None:
            choices = [choice for choice in CHOICES if choice[1][1] != self.meant]
            choices.insert(1, (f"to confirm the {self.meant}", ("weight", self.meant)))
            warn(FileWarning(links.content.name, self.assumed, choices), FileWarning)
        what = "strength" if self.meant == "strength" else "length"
        _check(
            links,
            ~(np.isfinite(links.values) & (links.values >= 0.0)),
            f"is not the {what} of an edge: a {what} is a finite number, zero or more",
        )
        if what == "length":
            return links
        joined = np.flatnonzero(links.values > 0.0)
        return replace(links.chosen(joined), values=1.0 / links.values[joined])


CHOICES = (
    ("if a larger number means closer points", ("weight", "strength")),
    ("if a larger number means points farther apart", ("weight", "length")),
    ("to give every edge the length 1", ("weight", "none")),
)


@dataclass(frozen=True)
class Roles:
    """What each column of a list holds.

    Attributes
    ----------
    kind : {"pairs", "graph"}
        What the list holds.
    ends : tuple of int
        Columns of the two labels.
    value, weight : int or None
        Columns of the distance or of the number of an edge, and of the weight of a pair.
    measure : Measure or None
        What the numbers of edges are.
    rating : str or None
        The name of numbers that may as well be distances as similarities.
    direction : int or None
        Column that may say which edges are directed, as `says_directed` reads it.
    """

    kind: str
    ends: tuple[int, int]
    value: int | None
    weight: int | None = None
    measure: Measure[int] | None = None
    rating: str | None = None
    direction: int | None = None


def roles(
    names: Sequence[str], kind: str = "auto", weight: str = "auto", choice: Choice = ALL
) -> Roles | None:
    """Detect a list of pairs or edges by the names of its columns.

    `choice` says which columns of edges count.

    Examples
    --------
    >>> roles(["from", "to", "dist"]).kind, roles(["source", "target"]).kind
    ('pairs', 'graph')
    >>> roles(["name", "x", "y"]) is None
    True
    """
    at = _places(names)
    ends = next((pair for pair in ENDS if pair[0] in at and pair[1] in at), None)
    if ends is None or kind in ("points", "distances"):
        return None
    places = at[ends[0]], at[ends[1]]
    distance = next((at[name] for name in DISTANCE if name in at), None)
    if distance is not None and kind != "graph":
        weights = next((at[name] for name in WEIGHT if name in at), None)
        known = 3 + (weights is not None)
        if ends in CLEAR_ENDS or len(names) == known or kind == "pairs":
            return Roles("pairs", places, distance, weights)
    if kind == "pairs":
        return None
    if kind != "graph" and ends not in CLEAR_ENDS:
        return None
    free = {name: j for name, j in at.items() if j not in places}
    measure = Measure.by_name(free, weight, choice.in_small())
    if ends in CLEAR_ENDS or (kind == "graph" and measure.at is not None):
        return Roles("graph", places, measure.at, measure=measure, direction=at.get(DIRECTION))
    return None


def roles_of_pairs(
    content: Content, names: Sequence[str], numeric: Sequence[int], choice: Choice = ALL
) -> Roles:
    """Return the roles of the named columns of pairs: two labels, a distance, perhaps a weight.

    Only a column called weight is a weight; `numeric` are the places of the columns of numbers.
    """
    if len(names) < 3:
        raise content.error("a list of pairs needs two labels and a number per line")
    at = _places(names)
    ends = next(((at[a], at[b]) for a, b in ENDS if a in at and b in at), (0, 1))
    with chosen_from(content):
        left = choice.among({j: names[j] for j in numeric if j not in ends})
    plain = {name.strip().lower(): j for j, name in left.items()}
    weight = next((plain[name] for name in WEIGHT if name in plain), None)
    numbers = [j for j in left if j != weight]
    if not numbers and weight is not None:
        numbers, weight = [weight], None
    called = next((plain[name] for name in DISTANCE if name in plain), None)
    if called is not None:
        numbers = [called]
    if not numbers:
        raise content.error(
            "the pairs have no column of numbers; each pair needs a distance, in a column called "
            "'distance'"
        )
    if len(numbers) > 1:
        several = " and ".join(shown(names[j]) for j in numbers)
        raise content.error(
            f"each pair has several numbers, {several}, and one distance is needed; call a weight "
            f"'weight'. To take {shown(names[numbers[0]])} as the distance",
            advice=("columns", names[numbers[0]]),
        )
    return Roles("pairs", ends, numbers[0], weight)


def roles_by_place(content: Content, width: int, kind: str, weight: str = "auto") -> Roles:
    """Return the roles of columns without telling names: two labels, a number, a weight."""
    if width < (3 if kind == "pairs" else 2):
        raise content.error(f"a list of {kind} needs two labels and a number per line")
    if kind == "pairs":
        return _pairs_by_place(content, width)
    value = 2 if width > 2 and weight != "none" else None
    told = "the third column was taken as the length of the edges"
    if value is not None and weight == "auto":
        return Roles(kind, (0, 1), value, measure=Measure("length", value, told))
    return Roles(kind, (0, 1), value, measure=Measure(weight, value))


def _pairs_by_place(content: Content, width: int) -> Roles:
    if width > 4:
        raise content.error(
            f"the pairs have {width} columns without names, and two labels, a distance and perhaps "
            "a weight are needed; add a line with the names of the columns, such as 'source', "
            "'target' and 'distance'"
        )
    if width == 4:
        told = (
            "the third column was taken as the distance of a pair, and the fourth as its weight; "
            "if the fourth is no weight, remove it"
        )
        warn(FileWarning(content.name, told, []), FileWarning)
    return Roles("pairs", (0, 1), 2, 3 if width > 3 else None)


def says_directed(types: Sequence[str]) -> bool:
    """Whether a column of Gephi says that edges are directed.

    Examples
    --------
    >>> says_directed(["Directed", "Undirected"]), says_directed(["road", "directed"])
    (True, False)
    """
    said = {word.strip().lower() for word in types}
    return "directed" in said <= {"directed", "undirected", "mutual", ""}


def _places(names: Sequence[str]) -> dict[str, int]:
    """Return where each name is first, in small letters."""
    return {name.strip().lower(): j for j, name in reversed(list(enumerate(names)))}


def warn_of_unused(content: Content, measure: Measure[Any] | None, unused: Sequence[str]) -> None:
    """Warn if edges have the length 1 though they have numbers, and say how to use one of these."""
    if measure is None or measure.at is not None or measure.meant != "auto" or not unused:
        return
    are = "is" if len(unused) == 1 else "are"
    told = f"every edge has the length 1, and {' and '.join(map(shown, unused))} {are} not used"
    use = f"if {shown(unused[0])} says how long or how strong an edge is", ("columns", unused[0])
    warn(FileWarning(content.name, told, [use, CHOICES[-1]]), FileWarning)


def roles_by_words(
    content: Content, first: Sequence[str], second: Sequence[str], names: Sequence[str]
) -> Roles | None:
    """Detect pairs whatever the column names: two columns share words, and labels repeat.

    `names` are those of the columns of numbers. If there are two, the second may be a weight or
    not.
    """
    labels = set(first)
    if len(labels) == len(first) or labels.isdisjoint(second) or len(names) not in (1, 2):
        return None
    if len(names) == 2:
        raise content.error(
            "the first two columns share words: are the rows points (kind 'points'), or pairs with "
            "a distance and a weight? For pairs",
            advice=PAIRS,
        )
    name = names[0].strip().lower()
    if name in SIMILARITY:
        raise content.error(
            f"the rows are pairs with a {shown(names[0])}, and distances are needed: "
            f"{CORRELATIONS}, or the largest value minus s in place of a similarity s; if the "
            "numbers are distances",
            advice=PAIRS,
        )
    rating = names[0] if name.removesuffix("s") in RATING else None
    return Roles("pairs", (0, 1), 2, rating=rating)


def _warn_of_pairs(content: Content, D: Array, rating: str | None) -> None:
    """Warn if the numbers of pairs seem to be similarities, if nobody knows, or if they are few."""
    confirm = "to confirm the distance", PAIRS
    n = len(D)
    known = int(np.count_nonzero(~np.isnan(np.fmax(D, D.T)))) - n
    if n > 3 and known // 2 < 2 * n - 3:  # coordinates in the plane, but for shift and rotation
        told = (
            f"{known // 2} of {n * (n - 1) // 2} pairs are listed, too few for a map of {n} "
            "points: many maps fit them as well"
        )
        graph = "if the rows are the edges of a graph", ("kind", "graph")
        warn(FileWarning(content.name, told, [graph, confirm]), FileWarning)
    if not warn_of_similarities(content, D, confirm) and rating is not None:
        told = (
            f"the {shown(rating)} of a pair was taken as its distance; if a larger number means "
            "closer points, write the largest value minus the number in its place"
        )
        warn(FileWarning(content.name, told, [confirm]), FileWarning)


@dataclass(frozen=True)
class Links:
    """Pairs of labels with a value each.

    Attributes
    ----------
    content : Content
        The file that they come from.
    ends : tuple of two sequences of str
        The labels.
    values : ndarray
        Distances or lengths, NaN where missing.
    weights : ndarray, or None
        Weights of the pairs.
    lines : sequence of int, or None
        Their lines, if the file is a text.
    directed : bool
        Whether the file says that they go one way.
    """

    content: Content
    ends: tuple[Sequence[str], Sequence[str]]
    values: Array
    weights: Array | None = None
    lines: Sequence[int] | None = None
    directed: bool = False

    def indexed(self) -> tuple[list[str], NDArray[np.intp], NDArray[np.intp]]:
        """Return the labels in order of appearance, and the places of the two ends among them."""
        order: dict[str, int] = {}
        both = [
            (order.setdefault(a, len(order)), order.setdefault(b, len(order)))
            for a, b in zip(*self.ends, strict=True)
        ]
        self.content.check_room(len(order))
        i, j = np.array(both, dtype=np.intp).reshape(-1, 2).T
        return list(order), i, j

    def place(self, row: int) -> str:
        """Return where a link is, for people."""
        return f"row {row + 1}" if self.lines is None else f"line {self.lines[row]}"

    def error(self, problem: str, row: int) -> FileError:
        """Return the error for a link."""
        if self.lines is None:
            return self.content.error(f"row {row + 1}: {problem}")
        return self.content.error(problem, self.lines[row])

    def name(self, row: int) -> str:
        """Return the two ends of a link, for people."""
        return f"{shown(self.ends[0][row])} and {shown(self.ends[1][row])}"

    def chosen(self, rows: NDArray[np.intp]) -> Links:
        """Return some of the links."""
        first, second = ([end[row] for row in rows] for end in self.ends)
        lines = None if self.lines is None else [self.lines[row] for row in rows]
        return Links(self.content, (first, second), self.values[rows], lines=lines)


def table_of_links(links: Links, found: Roles, format: str, doubtful: bool) -> Table:
    """Make a table of pairs, or of edges; if `doubtful`, nobody has said that these are pairs."""
    if found.measure is None:
        table = from_pairs(links, format)
        if doubtful:
            _warn_of_pairs(links.content, table.values, found.rating)
        return table
    nodes = [label for both in zip(*links.ends, strict=True) for label in both]
    labels = list(dict.fromkeys(nodes))
    return from_edges(links, format, found.measure, labels, links.directed)


def from_pairs(links: Links, format: str) -> Table:
    """Make a table of the listed distances; the other pairs are missing."""
    labels, i, j = links.indexed()
    n, values = len(labels), links.values
    known = ~np.isnan(values)
    bad = known & ~(np.isfinite(values) & (values >= 0.0))
    _check(links, bad, "is not a distance: a distance is a finite number, zero or more")
    _check(links, (i == j) & known & (values != 0.0), "is the distance of a point to itself")
    _check_duplicates(links, i * n + j, known)
    D = np.full((n, n), np.nan)
    D[i[known], j[known]] = values[known]
    D = np.where(np.isnan(D), D.T, D)
    np.fill_diagonal(D, 0.0)
    W = None if links.weights is None else _weights(links, i, j, known, n)
    return Table(D, "pairs", format, "list", labels, W)


def from_edges(
    links: Links,
    format: str,
    measure: Measure[Any],
    nodes: Sequence[str] = (),
    directed: bool = False,
) -> Table:
    """Make a table of the lengths of shortest paths; NaN where no path leads.

    Edges go both ways; of two edges between the same points the shorter counts. `nodes` are labels
    that come first, even those without edges. A warning tells of directions that are lost; the
    file may say that its edges are `directed`.
    """
    links = measure.lengths(links)
    links = Links(
        links.content,
        ([*nodes, *links.ends[0]], [*nodes, *links.ends[1]]),
        np.concatenate([np.zeros(len(nodes)), links.values]),
    )
    labels, i, j = links.indexed()
    n = len(labels)
    _warn_of_directions(links, i * n + j, j * n + i, directed)
    paths, kept = shortest_paths(i, j, links.values, n)
    pairs = np.column_stack([np.minimum(i, j), np.maximum(i, j)])[kept]
    return Table(
        paths,
        "graph",
        format,
        "list",
        labels,
        edges=pairs[pairs[:, 0] != pairs[:, 1]],
        edge_weights=measure.taken,
    )


def _warn_of_directions(
    links: Links, there: NDArray[np.intp], back: NDArray[np.intp], directed: bool
) -> None:
    """Warn if edges have another length in the other direction, or go one way only."""
    shortest: dict[int, float] = {}
    for code, value in zip(there.tolist(), links.values.tolist(), strict=True):
        shortest[code] = min(value, shortest.get(code, np.inf))
    told = ""
    for row, (one, other) in enumerate(zip(there.tolist(), back.tolist(), strict=True)):
        if other in shortest and shortest[one] != shortest[other]:
            told = (
                f", and of the two edges between {links.name(row)}, of length {shortest[one]:g} "
                f"and {shortest[other]:g}, the shorter counts"
            )
            break
    if told or (directed and any(code not in shortest for code in back.tolist())):
        what = "the graph is directed, and its" if directed else "the"
        told = f"{what} edges were taken both ways{told}: the map shows no directions"
        warn(FileWarning(links.content.name, told, []), FileWarning)


def from_adjacency(
    content: Content, block: Array, labels: list[str] | None, format: str, weight: str
) -> Table:
    """Make a table of the lengths of shortest paths from a matrix of edges; 0 is no edge."""
    i, j = np.nonzero(np.nan_to_num(block))
    names = [str(k + 1) for k in range(len(block))] if labels is None else labels
    if len(set(names)) < len(names):
        raise content.error("the labels are not unique: give each node a label of its own")
    values = block[i, j]
    if weight == "none" or (weight == "auto" and set(values.tolist()) <= {1.0}):
        values, measure = np.ones(len(i)), Measure[int]("none", None)
    else:
        told = "the numbers of the matrix were taken as the lengths of edges"
        measure = Measure("length", 0, told) if weight == "auto" else Measure(weight, 0)
    links = Links(content, ([names[k] for k in i], [names[k] for k in j]), values)
    halves = [np.nan_to_num(half).any() for half in (np.tril(block, -1), np.triu(block, 1))]
    table = from_edges(links, format, measure, names, directed=all(halves))
    return replace(table, layout="square", labels=labels)


def _check(links: Links, bad: NDArray[np.bool_], problem: str) -> None:
    for row in np.flatnonzero(bad)[:1]:
        value = f"{links.values[row]:g} between {links.name(row)}"
        raise links.error(f"{value} {problem}; correct the line, or remove it", int(row))


def _check_duplicates(links: Links, codes: NDArray[np.intp], known: NDArray[np.bool_]) -> None:
    """Raise if a pair has two distances or two weights."""
    rows = np.flatnonzero(known)
    rows = rows[np.argsort(codes[rows], kind="stable")]
    before, after = rows[:-1], rows[1:]
    differ = links.values[before] != links.values[after]
    if links.weights is not None:
        differ |= links.weights[before] != links.weights[after]
    for at in np.flatnonzero((codes[before] == codes[after]) & differ)[:1]:
        one, other = int(before[at]), int(after[at])
        what, given = "distances", links.values
        if links.weights is not None and given[one] == given[other]:
            what, given = "weights", links.weights
        raise links.error(
            f"the pair {links.name(other)} has two {what}, {given[other]:g} here and "
            f"{given[one]:g} in {links.place(one)}; keep one of them, or their mean",
            other,
        )


def _weights(
    links: Links, i: NDArray[np.intp], j: NDArray[np.intp], known: NDArray[np.bool_], n: int
) -> Array:
    assert links.weights is not None
    bad = known & ~(np.isfinite(links.weights) & (links.weights >= 0.0))
    for row in np.flatnonzero(bad)[:1]:
        raise links.error(
            f"the weight {links.weights[row]:g} of the pair {links.name(row)} must be a finite "
            "number, zero or more",
            int(row),
        )
    W = np.full((n, n), np.nan)
    W[i[known], j[known]] = links.weights[known]
    return np.nan_to_num(np.where(np.isnan(W), W.T, W))
