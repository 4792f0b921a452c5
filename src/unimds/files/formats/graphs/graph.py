"""A graph, as its file lists it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

Attributes = dict[str, Any]


@dataclass(frozen=True)
class Graph:
    """Nodes and edges with their attributes.

    Attributes
    ----------
    nodes : dict
        Attributes of each node by its id, in the order of the file. A value is a str, int, float or
        bool.
    edges : list of tuple
        The ids of the two ends of each edge, and its attributes.
    directed : bool
        Whether the file says that its edges go one way.

    Examples
    --------
    >>> graph = Graph()
    >>> graph.join("Ulm", "Bonn", {"length": 305})
    >>> list(graph.nodes), graph.edges
    (['Ulm', 'Bonn'], [('Ulm', 'Bonn', {'length': 305})])
    """

    nodes: dict[Hashable, Attributes] = field(default_factory=dict)
    edges: list[tuple[Hashable, Hashable, Attributes]] = field(default_factory=list)
    directed: bool = False

    def join(self, a: Hashable, b: Hashable, attributes: Attributes) -> None:
        """Add an edge, and its ends if the file does not list them as nodes."""
        self.nodes.setdefault(a, {})
        self.nodes.setdefault(b, {})
        self.edges.append((a, b, attributes))


def typed(text: str, kind: str) -> Any:
    """Return a value that a file declares as a number, or else the text.

    Examples
    --------
    >>> typed("2.5", "double"), typed("7", "long"), typed("7", "string"), typed("True", "boolean")
    (2.5, 7.0, '7', 'true')
    """
    if kind.lower() in ("bool", "boolean"):  # networkx writes False, and others false
        return text.lower()
    if kind.lower() not in ("int", "integer", "long", "short", "byte", "float", "double"):
        return text
    try:
        return float(text)
    except ValueError:
        return text
