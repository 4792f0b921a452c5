"""Lengths of shortest paths along the edges of a graph."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating[Any]]
Places = NDArray[np.intp]


def shortest_paths(
    i: Places, j: Places, lengths: Array, n: int, directed: bool = False
) -> tuple[Array, Places]:
    """Return the lengths of shortest paths, NaN where no path leads, and the edges that count.

    Of several edges between the same two points the shortest counts. Edges go both ways unless
    they are `directed`.

    Examples
    --------
    >>> i, j = np.array([0, 1, 1]), np.array([1, 2, 2])
    >>> paths, kept = shortest_paths(i, j, np.array([2.0, 9.0, 1.0]), 3)
    >>> paths[0].tolist(), kept.tolist()
    ([0.0, 2.0, 3.0], [0, 2])
    """
    from scipy.sparse import csr_array  # slow to import, and only graphs need it
    from scipy.sparse.csgraph import shortest_path

    a, b = (i, j) if directed else (np.minimum(i, j), np.maximum(i, j))
    order = np.lexsort((lengths, b, a))  # the shortest of each pair comes first
    _, first = np.unique((a * n + b)[order], return_index=True)
    kept = order[first]
    graph = csr_array((lengths[kept], (a[kept], b[kept])), shape=(n, n))
    paths: Array = shortest_path(graph, directed=directed)
    paths[np.isinf(paths)] = np.nan
    return paths, kept
