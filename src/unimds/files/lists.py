"""Pairs and edges, one a line: tables of distances with missing pairs, and paths in graphs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds.files.errors import FileError, shown
from unimds.files.source import Source
from unimds.files.table import Table

Array = NDArray[np.floating[Any]]

CLEAR_ENDS = (("source", "target"), ("from", "to"), ("node1", "node2"), ("label1", "label2"))
ENDS = (*CLEAR_ENDS, ("a", "b"), ("i", "j"), ("u", "v"))
"""Names of the two columns of labels; the latter may be features of points just as well."""
DISTANCE = ("distance", "dist", "dissimilarity", "value", "d")
LENGTH = ("length", "weight", "cost")
WEIGHT = ("weight", "weights", "w")


@dataclass(frozen=True)
class Roles:
    """Which columns of a list are what.

    Attributes
    ----------
    kind : {"pairs", "graph"}
        What the list is of.
    ends : tuple of int
        The two labels.
    value, weight : int or None
        The distance or length, and the weight.
    """

    kind: str
    ends: tuple[int, int]
    value: int | None
    weight: int | None = None


def roles(names: Sequence[str], kind: str = "auto") -> Roles | None:
    """Recognise a list of pairs or of edges by the names of its columns.

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


def roles_by_place(source: Source, width: int, kind: str) -> Roles:
    """Return the columns of a list whose names say nothing: two labels, a number, a weight."""
    if width < (3 if kind == "pairs" else 2):
        raise source.error(f"a list of {kind} has two labels and a number a line")
    weight = 3 if kind == "pairs" and width > 3 else None
    return Roles(kind, (0, 1), 2 if width > 2 else None, weight)


def roles_by_words(
    source: Source, first: Sequence[str], second: Sequence[str], numbers: int
) -> Roles | None:
    """Recognise pairs under any names: two columns of the same words, and labels come again.

    Of two columns of numbers nobody knows whether the second is a weight.
    """
    labels = set(first)
    if len(labels) == len(first) or labels.isdisjoint(second) or numbers not in (1, 2):
        return None
    if numbers == 2:
        raise source.error(
            "the first two columns hold the same words: if these are pairs, with a distance and a "
            "weight, give kind='pairs'; if they are points, one a row, give kind='points'"
        )
    return Roles("pairs", (0, 1), 2)


@dataclass(frozen=True)
class Links:
    """Pairs of labels with a value each.

    Attributes
    ----------
    source : Source
        Where they come from.
    ends : tuple of two sequences of str
        The labels.
    values : ndarray
        Distances or lengths, NaN where missing.
    weights : ndarray, or None
        Weights of the pairs.
    lines : sequence of int, or None
        Their lines in a text.
    """

    source: Source
    ends: tuple[Sequence[str], Sequence[str]]
    values: Array
    weights: Array | None = None
    lines: Sequence[int] | None = None

    def indexed(self) -> tuple[list[str], NDArray[np.intp], NDArray[np.intp]]:
        """Return the labels in the order of appearance, and the numbers of the two ends."""
        order: dict[str, int] = {}
        both = [
            (order.setdefault(a, len(order)), order.setdefault(b, len(order)))
            for a, b in zip(*self.ends, strict=True)
        ]
        self.source.check_room(len(order))
        i, j = np.array(both, dtype=np.intp).reshape(-1, 2).T
        return list(order), i, j

    def place(self, row: int) -> str:
        """Return where a link is, for people."""
        return f"row {row + 1}" if self.lines is None else f"line {self.lines[row]}"

    def error(self, problem: str, row: int) -> FileError:
        """Return the error for a link."""
        if self.lines is None:
            return self.source.error(f"row {row + 1}: {problem}")
        return self.source.error(problem, self.lines[row])

    def name(self, row: int) -> str:
        """Return the two ends of a link, for people."""
        return f"{shown(self.ends[0][row])} and {shown(self.ends[1][row])}"


def from_pairs(links: Links, format: str) -> Table:
    """Make a table of listed distances; a pair that is not listed is missing."""
    labels, i, j = links.indexed()
    n, values = len(labels), links.values
    known = ~np.isnan(values)
    bad = known & ~(np.isfinite(values) & (values >= 0.0))
    _refuse(links, bad, "is no distance: it must be a number, zero or more")
    _refuse(links, (i == j) & known & (values != 0.0), "is the distance of a point to itself")
    _check_duplicates(links, i * n + j, known)
    D = np.full((n, n), np.nan)
    D[i[known], j[known]] = values[known]
    D = np.where(np.isnan(D), D.T, D)
    np.fill_diagonal(D, 0.0)
    W = None if links.weights is None else _weights(links, i, j, known, n)
    return Table(D, "pairs", format, "list", labels, W)


def from_edges(links: Links, format: str, nodes: Sequence[str] = ()) -> Table:
    """Make a table of the lengths of shortest paths; NaN where there is none.

    Edges go both ways; of two between the same points the shorter one counts. `nodes` are labels
    that come first, edges or not.
    """
    bad = ~(np.isfinite(links.values) & (links.values >= 0.0))
    _refuse(links, bad, "is no length of an edge: it must be a number, zero or more")
    links = Links(
        links.source,
        ([*nodes, *links.ends[0]], [*nodes, *links.ends[1]]),
        np.concatenate([np.zeros(len(nodes)), links.values]),
    )
    labels, i, j = links.indexed()
    n = len(labels)
    low, high = np.minimum(i, j), np.maximum(i, j)
    order = np.lexsort((links.values, high, low))  # the shortest of each pair comes first
    _, first = np.unique((low * n + high)[order], return_index=True)
    kept = order[first]
    from scipy.sparse import csr_array  # slow to import, and needed for graphs alone
    from scipy.sparse.csgraph import shortest_path

    graph = csr_array((links.values[kept], (low[kept], high[kept])), shape=(n, n))
    paths: Array = shortest_path(graph, directed=False)
    paths[np.isinf(paths)] = np.nan
    return Table(paths, "graph", format, "list", labels)


def _refuse(links: Links, bad: NDArray[np.bool_], problem: str) -> None:
    for row in np.flatnonzero(bad)[:1]:
        value = f"{links.values[row]:g} between {links.name(row)}"
        raise links.error(f"{value} {problem}; mend the line, or leave it out", int(row))


def _check_duplicates(links: Links, codes: NDArray[np.intp], known: NDArray[np.bool_]) -> None:
    """Refuse a pair that has two distances, or two weights."""
    rows = np.flatnonzero(known)
    rows = rows[np.argsort(codes[rows], kind="stable")]
    before, after = rows[:-1], rows[1:]
    differ = links.values[before] != links.values[after]
    if links.weights is not None:
        differ |= links.weights[before] != links.weights[after]
    for at in np.flatnonzero((codes[before] == codes[after]) & differ)[:1]:
        one, other = int(before[at]), int(after[at])
        raise links.error(
            f"the pair {links.name(other)} is here with {links.values[other]:g} and in "
            f"{links.place(one)} with {links.values[one]:g}; keep one of them",
            other,
        )


def _weights(
    links: Links, i: NDArray[np.intp], j: NDArray[np.intp], known: NDArray[np.bool_], n: int
) -> Array:
    assert links.weights is not None
    bad = known & ~(np.isfinite(links.weights) & (links.weights >= 0.0))
    for row in np.flatnonzero(bad)[:1]:
        raise links.error(
            f"the weight {links.weights[row]:g} of the pair {links.name(row)} must be a number, "
            "zero or more",
            int(row),
        )
    W = np.full((n, n), np.nan)
    W[i[known], j[known]] = links.weights[known]
    return np.nan_to_num(np.where(np.isnan(W), W.T, W))
