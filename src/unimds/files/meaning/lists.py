"""Lists of pairs, whose other distances are missing, and of edges, joined to shortest paths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds.files.errors import FileError, shown
from unimds.files.formats.content import Content
from unimds.files.table import Table

Array = NDArray[np.floating[Any]]

CLEAR_ENDS = (("source", "target"), ("from", "to"), ("node1", "node2"), ("label1", "label2"))
ENDS = (*CLEAR_ENDS, ("a", "b"), ("i", "j"), ("u", "v"))
"""Names of the two columns of labels; the last three may as well be features of points."""
DISTANCE = ("distance", "dist", "dissimilarity", "value", "d")
LENGTH = ("length", "weight", "cost")
WEIGHT = ("weight", "weights", "w")


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
        Columns of the distance or length, and of the weight.
    """

    kind: str
    ends: tuple[int, int]
    value: int | None
    weight: int | None = None


def roles(names: Sequence[str], kind: str = "auto") -> Roles | None:
    """Detect a list of pairs or edges by the names of its columns.

    Examples
    --------
    >>> roles(["from", "to", "dist"]).kind, roles(["source", "target"]).kind
    ('pairs', 'graph')
    >>> roles(["name", "x", "y"]) is None
    True
    """
    at = {name.strip().lower(): j for j, name in reversed(list(enumerate(names)))}
    ends = next((pair for pair in ENDS if pair[0] in at and pair[1] in at), None)
    if ends is None or kind in ("points", "distances"):
        return None
    places = at[ends[0]], at[ends[1]]
    distance = next((at[name] for name in DISTANCE if name in at), None)
    length = next((at[name] for name in LENGTH if name in at), None)
    if distance is not None and kind != "graph":
        weight = next((at[name] for name in WEIGHT if name in at), None)
        known = 3 + (weight is not None)
        if ends in CLEAR_ENDS or len(names) == known or kind == "pairs":
            return Roles("pairs", places, distance, weight)
    if kind == "pairs":
        return None
    value = length if length is not None else distance
    if ends in CLEAR_ENDS or (kind == "graph" and value is not None):
        return Roles("graph", places, value)
    return None


def roles_by_place(content: Content, width: int, kind: str) -> Roles:
    """Return the roles of columns without telling names: two labels, a number, a weight."""
    if width < (3 if kind == "pairs" else 2):
        raise content.error(f"a list of {kind} needs two labels and a number per line")
    weight = 3 if kind == "pairs" and width > 3 else None
    return Roles(kind, (0, 1), 2 if width > 2 else None, weight)


def roles_by_words(
    content: Content, first: Sequence[str], second: Sequence[str], numbers: int
) -> Roles | None:
    """Detect pairs whatever the column names: two columns share words, and labels repeat.

    With two columns of numbers, the second may be a weight or not.
    """
    labels = set(first)
    if len(labels) == len(first) or labels.isdisjoint(second) or numbers not in (1, 2):
        return None
    if numbers == 2:
        raise content.error(
            "the first two columns share words: are the rows points (kind 'points'), or pairs with "
            "a distance and a weight? For pairs",
            advice=("kind", "pairs"),
        )
    return Roles("pairs", (0, 1), 2)


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
    """

    content: Content
    ends: tuple[Sequence[str], Sequence[str]]
    values: Array
    weights: Array | None = None
    lines: Sequence[int] | None = None

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


def table_of_links(links: Links, kind: str, format: str) -> Table:
    """Make a table of pairs, or of edges."""
    return (from_pairs if kind == "pairs" else from_edges)(links, format)


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


def from_edges(links: Links, format: str, nodes: Sequence[str] = ()) -> Table:
    """Make a table of the lengths of shortest paths; NaN where no path leads.

    Edges go both ways; of two edges between the same points the shorter counts. `nodes` are labels
    that come first, even those without edges.
    """
    bad = ~(np.isfinite(links.values) & (links.values >= 0.0))
    _check(links, bad, "is not the length of an edge: a length is a finite number, zero or more")
    links = Links(
        links.content,
        ([*nodes, *links.ends[0]], [*nodes, *links.ends[1]]),
        np.concatenate([np.zeros(len(nodes)), links.values]),
    )
    labels, i, j = links.indexed()
    n = len(labels)
    low, high = np.minimum(i, j), np.maximum(i, j)
    order = np.lexsort((links.values, high, low))  # the shortest of each pair comes first
    _, first = np.unique((low * n + high)[order], return_index=True)
    kept = order[first]
    from scipy.sparse import csr_array  # slow to import, and only graphs need it
    from scipy.sparse.csgraph import shortest_path

    graph = csr_array((links.values[kept], (low[kept], high[kept])), shape=(n, n))
    paths: Array = shortest_path(graph, directed=False)
    paths[np.isinf(paths)] = np.nan
    return Table(paths, "graph", format, "list", labels)


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
            f"{given[one]:g} in {links.place(one)}; keep one of them",
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
