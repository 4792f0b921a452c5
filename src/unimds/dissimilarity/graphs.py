"""Lengths of shortest paths in a graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from unimds._runtime.extras import require
from unimds.distances.inputs import as_float, in_row_order
from unimds.distances.objects.graphs import GRAPHS, Edges, paths
from unimds.distances.objects.squares import Sparse
from unimds.distances.objects.taking import kind_of, labelled


def from_graph(
    G: Any, weight: str | None = None, *, strength: bool = False, directed: bool | None = None
) -> Any:
    """Return the lengths of shortest paths between the nodes of a graph.

    Nothing says whether the number of an edge is a length or a strength, so you do. A fit takes a
    graph without numbers as it is, and counts edges.

    Parameters
    ----------
    G : graph of networkx or igraph, or square matrix
        The graph. In a matrix, also a sparse one, an entry is an edge: of a dense matrix if it is
        not 0 or NaN, of a sparse one if it is stored. The columns of a frame are matched with its
        rows by label. Of several edges between two nodes the shortest counts.
    weight : str, default=None
        The attribute of the edges that is their length or strength; any text for the numbers of a
        matrix, such as "weight". By default every edge has the length 1.
    strength : bool, default=False
        Whether a larger number is a closer tie: its inverse is the length, and 0 is no edge.
    directed : bool, default=None
        Whether paths follow the directions of the edges; the table is then asymmetric. By default
        a graph that says that it is directed is an error, and edges of a matrix go both ways.

    Returns
    -------
    DataFrame or ndarray of shape (n, n)
        The lengths, NaN where no path leads: a frame where the nodes have names (needs pandas).

    Examples
    --------
    >>> import networkx as nx
    >>> G = nx.Graph()
    >>> G.add_weighted_edges_from([("Ulm", "Bonn", 305), ("Bonn", "Kiel", 490)])
    >>> from_graph(G, weight="weight").loc["Ulm"].tolist()
    [0.0, 305.0, 795.0]
    >>> from_graph(G).loc["Ulm"].tolist()
    [0.0, 1.0, 2.0]

    A graph in parts has no path from one to another. Map one part:

    >>> G.add_edge("Oslo", "Bergen", weight=460)
    >>> largest = max(nx.connected_components(G), key=len)
    >>> from_graph(G.subgraph(largest), weight="weight").shape
    (3, 3)
    """
    if strength and weight is None:
        raise ValueError("strength=True needs the name of the strengths, such as weight='weight'")
    edges = _edges_of(G, weight)
    D = paths(edges, "G", directed, strength, weight or "weight")
    if edges.labels is None:
        return D
    frame = require("pandas", "files").DataFrame
    return frame(D, index=edges.labels, columns=edges.labels)


def _edges_of(graph: Any, weight: str | None) -> Edges:
    """Return the edges of a graph, or of a matrix with a number for each edge."""
    kind = next((kind for kind in GRAPHS if kind.matches(graph)), None)
    if kind is not None:
        return kind.edges(graph, weight)
    if isinstance(graph, list | tuple):
        graph = as_float(graph, "G")
    elif not isinstance(kind_of(graph), Sparse) and len(getattr(graph, "shape", ())) == 2:
        graph = labelled(graph, "G")
    if len(getattr(graph, "shape", ())) != 2 or graph.shape[0] != graph.shape[1]:
        raise TypeError(
            "a graph of networkx or igraph is needed, or a square matrix with a number for each "
            f"edge, not {type(graph).__name__}"
        )
    i, j, numbers = _entries(graph)
    labels = list(graph.index) if hasattr(graph, "loc") else None
    ends = i.astype(np.intp), j.astype(np.intp)
    return Edges(graph.shape[0], *ends, None if weight is None else numbers, False, labels)


def _entries(matrix: Any) -> tuple[Any, Any, Any]:
    """Return the entries of a matrix that are edges: their rows, their columns, their numbers."""
    if isinstance(kind_of(matrix), Sparse):  # what is stored is an edge, even of length 0
        listed = matrix.tocoo()
        return listed.row, listed.col, as_float(listed.data, "G")
    dense = as_float(in_row_order(matrix, "G"), "G")
    i, j = np.nonzero(np.nan_to_num(dense))
    return i, j, dense[i, j]
