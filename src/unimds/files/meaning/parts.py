"""Parts of a graph, or of a list of pairs, with no known distance between them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.watch import warn
from unimds.files.errors import FileWarning, shown
from unimds.files.formats.content import Content
from unimds.files.table import Table

PARTS = ("all", "largest")
"""Which parts of a table are kept."""
NAMED = 3
"""Points that a message names."""


def parts_of(table: Table) -> NDArray[np.intp]:
    """Return for each point the number of its part; points have one part if all are joined.

    Examples
    --------
    >>> values = np.array([[0.0, 1.0, np.nan], [1.0, 0.0, np.nan], [np.nan, np.nan, 0.0]])
    >>> parts_of(Table(values, "graph", "csv", "list")).tolist()
    [0, 0, 1]
    """
    if not table.precomputed or not np.isnan(table.values).any():
        return np.zeros(table.n, dtype=np.intp)
    from scipy.sparse import csr_array  # slow to import, and rarely needed
    from scipy.sparse.csgraph import connected_components

    _, part = connected_components(csr_array(~np.isnan(table.values)), directed=False)
    return np.asarray(part, dtype=np.intp)


def largest_part(content: Content, table: Table) -> Table:
    """Return the points of the largest part, the first of equals, and say what is left out."""
    part = parts_of(table)
    inside = part == np.bincount(part).argmax()
    if inside.all():
        return table
    away = np.flatnonzero(~inside)
    names = [shown(table.labels[i]) if table.labels else f"point {i + 1}" for i in away[:NAMED]]
    told = (
        f"kept the largest part, {inside.sum()} of {table.n} points, and left out {len(away)}: "
        f"{', '.join(names)}{', …' if len(away) > NAMED else ''}"
    )
    warn(FileWarning(content.name, told, []), FileWarning)
    return only(table, np.flatnonzero(inside))


def only(table: Table, rows: NDArray[np.intp]) -> Table:
    """Return some of the points of a table, with what is known of them.

    Examples
    --------
    >>> points = Table(np.eye(3), "points", "csv", "rows", labels=["a", "b", "c"])
    >>> only(points, np.array([0, 2])).labels
    ['a', 'c']
    """
    at = np.full(table.n, -1, dtype=np.intp)
    at[rows] = np.arange(len(rows))
    edges = None if table.edges is None else at[table.edges]
    return replace(
        table,
        values=table.values[np.ix_(rows, rows) if table.precomputed else rows],
        labels=None if table.labels is None else [table.labels[i] for i in rows],
        weights=None if table.weights is None else table.weights[np.ix_(rows, rows)],
        columns={
            name: [column[i] for i in rows] if isinstance(column, list) else column[rows]
            for name, column in table.columns.items()
        },
        edges=None if edges is None else edges[(edges >= 0).all(axis=1)],
    )
