"""Graphs: networkx, igraph and matrices of edges become lengths of shortest paths."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from unimds.distances.objects.kinds import Paths, has, is_of
from unimds.files.meaning.lists import SEARCHED
from unimds.files.meaning.paths import shortest_paths

Array = NDArray[Any]

FUNCTION = "unimds.dissimilarity.from_graph"


class Edges(NamedTuple):
    """The edges of a graph.

    Attributes
    ----------
    n : int
        The number of nodes.
    i, j : ndarray of int
        The numbers of their two ends.
    numbers : ndarray or None
        One number for each edge; None if none was asked for.
    directed : bool
        Whether they go one way.
    labels : list or None
        The names of the nodes, if they have any.
    """

    n: int
    i: NDArray[np.intp]
    j: NDArray[np.intp]
    numbers: Array | None
    directed: bool
    labels: list[Any] | None

    def named(self, edge: int) -> str:
        """Return the two ends of an edge, for people."""
        ends = (int(self.i[edge]), int(self.j[edge]))
        a, b = ends if self.labels is None else (self.labels[end] for end in ends)
        return f"({a!r}, {b!r})"


class Graph(Paths):
    """A graph: its distances are the numbers of edges on shortest paths."""

    @abstractmethod
    def attributes(self, X: Any) -> dict[str, Iterable[Any]]:
        """Return the attributes that edges have, and their values."""

    @abstractmethod
    def edges(self, X: Any, weight: str | None) -> Edges:
        """Return the edges with the numbers of an attribute."""

    def distances(self, X: Any, name: str) -> Array:
        """Count edges, unless edges have numbers, which may be lengths or strengths."""
        for attribute, values in self.attributes(X).items():
            if attribute in SEARCHED["auto"] and not all(map(_is_one, values)):
                raise ValueError(_weights_told(name, self.what, attribute))
        return paths(self.edges(X, None), name, None)


@final
class NetworkX(Graph):
    """A graph of networkx."""

    what = "a networkx graph"

    def matches(self, X: Any) -> bool:
        """Return whether this has the nodes and edges of networkx."""
        return is_of(X, "networkx") and has(X, "nodes", "edges", "is_directed")

    def labels(self, X: Any, square: bool) -> list[Any]:
        """Return the nodes."""
        return list(X)

    def attributes(self, X: Any) -> dict[str, Iterable[Any]]:
        """Return the attributes of the edges."""
        found: dict[str, list[Any]] = {}
        for _, _, data in X.edges(data=True):
            for name, value in data.items():
                found.setdefault(name, []).append(value)
        return dict(found)

    def edges(self, X: Any, weight: str | None) -> Edges:
        """Return the edges in the order in which networkx lists them."""
        nodes = list(X)
        at = {node: i for i, node in enumerate(nodes)}
        listed = list(X.edges(data=True))
        i, j = _ends([(at[a], at[b]) for a, b, _ in listed])
        bare = Edges(len(nodes), i, j, None, X.is_directed(), nodes)
        if weight is None:
            return bare
        return bare._replace(numbers=_numbers(bare, weight, [d.get(weight) for *_, d in listed]))


@final
class IGraph(Graph):
    """A graph of igraph."""

    what = "an igraph graph"

    def matches(self, X: Any) -> bool:
        """Return whether this has the vertices and edges of igraph."""
        return is_of(X, "igraph") and has(X, "vs", "es", "get_edgelist")

    def labels(self, X: Any, square: bool) -> list[Any] | None:
        """Return the attribute "name" of the vertices, if they have it."""
        return list(X.vs["name"]) if "name" in X.vs.attributes() else None

    def attributes(self, X: Any) -> dict[str, Iterable[Any]]:
        """Return the attributes of the edges."""
        return {name: X.es[name] for name in X.es.attributes()}

    def edges(self, X: Any, weight: str | None) -> Edges:
        """Return the edges in the order of their numbers."""
        i, j = _ends(X.get_edgelist())
        bare = Edges(len(X.vs), i, j, None, X.is_directed(), self.labels(X, True))
        if weight is None:
            return bare
        known = X.es[weight] if weight in X.es.attributes() else [None] * len(i)
        return bare._replace(numbers=_numbers(bare, weight, known))


GRAPHS = (NetworkX(), IGraph())


def paths(
    edges: Edges, name: str, directed: bool | None, strength: bool = False, what: str = "number"
) -> Array:
    """Return the lengths of shortest paths, NaN where no path leads.

    Parameters
    ----------
    edges : Edges
        The edges; without numbers each has the length 1.
    name : str
        What the graph is called in messages.
    directed : bool or None
        Whether edges go one way; None refuses edges that do.
    strength : bool, default=False
        Whether the numbers are strengths, whose inverses are lengths.
    what : str, default="number"
        What the numbers are called in messages.
    """
    if edges.n == 0:
        raise ValueError(f"{name}: the graph has no nodes")
    if edges.directed and directed is None:
        raise ValueError(
            f"{name} is a directed graph, and the way back may be longer: write D = "
            f"{FUNCTION}(G, directed=False) to ignore directions, or with directed=True to keep "
            "them, and give D with metric='precomputed'"
        )
    lengths = np.ones(len(edges.i)) if edges.numbers is None else edges.numbers
    _check_lengths(edges, lengths, name, what)
    i, j = edges.i, edges.j
    if strength:
        joined = lengths > 0.0  # a strength of 0 is no edge
        i, j, lengths = i[joined], j[joined], 1.0 / lengths[joined]
    other = i != j  # a loop leads nowhere
    found, _ = shortest_paths(i[other], j[other], lengths[other], edges.n, bool(directed))
    return found


def _check_lengths(edges: Edges, lengths: Array, name: str, what: str) -> None:
    for wrong, problem in (
        (np.isnan(lengths), f"has no {what}: set it for all edges, or leave weight out"),
        (np.isinf(lengths), f"has an infinite {what}: remove the edge"),
        (lengths < 0.0, f"has a negative {what}, and lengths and strengths are zero or more"),
    ):
        if wrong.any():
            edge = int(np.argmax(wrong))
            raise ValueError(f"{name}: the edge {edges.named(edge)} {problem}")


def _ends(pairs: list[tuple[int, int]]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    both = np.array(pairs, dtype=np.intp).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def _numbers(edges: Edges, weight: str, values: Iterable[Any]) -> Array:
    """Return one attribute of all edges as numbers, NaN where an edge has none."""
    found = np.full(len(edges.i), np.nan)
    for edge, value in enumerate(values):
        try:
            found[edge] = np.nan if value is None else float(value)
        except (TypeError, ValueError, OverflowError):
            raise ValueError(
                f"the edge {edges.named(edge)} has the {weight} {value!r}, which is not a number"
            ) from None
    if len(found) and np.isnan(found).all():
        raise ValueError(f"no edge has the attribute {weight!r}; name one that edges have")
    return found


def _is_one(value: Any) -> bool:
    return np.ndim(value) == 0 and bool(value == 1)


def _weights_told(name: str, what: str, attribute: str) -> str:
    return (
        f"{name} is {what} whose edges have a {attribute!r}, and nothing says whether it is a "
        f"length or a strength: write D = {FUNCTION}(G, weight={attribute!r}) if a larger number "
        "is a longer edge, with strength=True if it is a closer tie, or without weight to count "
        "edges, and give D with metric='precomputed'"
    )
