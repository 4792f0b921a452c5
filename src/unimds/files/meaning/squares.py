"""What a square of numbers holds: distances, similarities, or an adjacency matrix."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.watch import warn
from unimds.files.errors import Argument, FileWarning, shown
from unimds.files.formats.content import Content
from unimds.files.meaning.similarities import ASKED, MANY, leads_the_rows, seem_similar

Array = NDArray[np.floating[Any]]

LARGEST = 5000  # points above which a look at all pairs would take too much memory


def looks_like_distances(block: Array) -> bool:
    """Whether a block of numbers is a square of distances, not points.

    A square holds distances if its diagonal is zero, if its diagonal and one half are missing, or
    if it is symmetric with three rows or more. A symmetric square with another diagonal holds
    similarities, which deserve an error rather than a map of the rows.

    Examples
    --------
    >>> looks_like_distances(np.array([[0.0, 2.0], [3.0, 0.0]]))
    True
    >>> looks_like_distances(np.array([[1.0, 2.0], [3.0, 4.0]]))
    False
    """
    if block.shape[0] != block.shape[1] or block.dtype.kind != "f":
        return False
    diagonal = np.diagonal(block)
    if ((diagonal == 0.0) | np.isnan(diagonal)).all():
        if (diagonal == 0.0).any():
            return True
        known = ~np.isnan(block)
        return bool(np.triu(known).any() != np.tril(known).any() or symmetric(block))
    return len(block) > 2 and symmetric(block)


def is_condensed(count: int) -> bool:
    """Whether so many numbers may be the distances of three or more points, each once.

    Examples
    --------
    >>> [count for count in range(12) if is_condensed(count)]
    [3, 6, 10]
    """
    n = (1 + isqrt(1 + 8 * count)) // 2
    return n > 2 and n * (n - 1) // 2 == count


def symmetric(block: Array) -> bool:
    """Whether a square is the same in both directions, but for rounding."""
    return bool(np.allclose(block, block.T, rtol=1e-8, equal_nan=True))


def is_table_of_distances(block: Array) -> bool:
    """Whether a square can hardly be anything but distances: symmetric, or half of it missing.

    Examples
    --------
    >>> is_table_of_distances(np.array([[0.0, 2.0], [2.0, 0.0]]))
    True
    >>> is_table_of_distances(np.array([[0.0, 2.0], [3.0, 0.0]]))
    False
    """
    if np.nan_to_num(np.diagonal(block)).any() or not np.fmax.reduce(block, axis=None) > 0.0:
        return False
    known = ~np.isnan(block)
    half = np.triu(known, 1).any() != np.tril(known, -1).any()
    return bool((block[known] >= 0.0).all()) and (bool(half) or symmetric(block))


def is_table_of_pairs(block: Array) -> bool:
    """Whether a square can hardly be anything but distances or similarities of its points.

    Similarities have the largest number of each row on the diagonal. Numbers that are all the same,
    but for the diagonal, are rather ones and zeros that mark classes.

    Examples
    --------
    >>> is_table_of_pairs(np.array([[7.0, 2.0, 4.0], [2.0, 7.0, 5.0], [4.0, 5.0, 7.0]]))
    True
    >>> is_table_of_pairs(np.eye(3))
    False
    """
    if is_table_of_distances(block):
        return True
    own, others = np.diagonal(block), block.copy()
    np.fill_diagonal(others, np.nan)
    if len(block) < 3 or np.isnan(others).all() or np.isnan(own).any():
        return False
    if np.nanmin(others) == np.nanmax(others):
        return False
    leads = bool((own >= np.fmax.reduce(others, axis=1, initial=-np.inf)).all())
    return (leads and (symmetric(block) or _triangular(block))) or holds_similarities(block)


def _triangular(block: Array) -> bool:
    """Whether one half of a square is missing, and nothing of the other half is."""
    missing = np.isnan(block)
    lower = missing[np.tril_indices(len(block), -1)]
    upper = missing[np.triu_indices(len(block), 1)]
    return bool((lower.all() and not upper.any()) or (upper.all() and not lower.any()))


def holds_similarities(block: Array) -> bool:
    """Whether each number on the diagonal of a square is the largest of its row.

    In few rows that may happen by chance.

    Examples
    --------
    >>> holds_similarities(np.eye(5) + np.linspace(0.0, 0.9, 25).reshape(5, 5))
    True
    """
    if len(block) < 5 or np.isnan(block).any():
        return False
    return leads_the_rows(block)


def warn_of_square(content: Content, block: Array) -> None:
    """Warn if a square was taken for distances, and may hold edges or similarities.

    The diagonal is still as the file has it.
    """
    edges = edges_in(block)
    if edges is not None:
        warn(FileWarning(content.name, edges, [EDGES, POINTS, DISTANCES]), FileWarning)
    else:
        warn_of_similarities(content, block, DISTANCES)


def warn_of_similarities(content: Content, block: Array, confirm: tuple[str, Argument]) -> bool:
    """Warn if distances seem to be similarities, and return whether they do.

    `confirm` is how to confirm that they are distances. A diagonal with numbers is an error that
    says more.
    """
    if np.nan_to_num(np.diagonal(block)).any() or not seem_similar(block):
        return False
    warn(FileWarning(content.name, ASKED, [confirm]), FileWarning)
    return True


class AdjacencyWarning(UserWarning):
    """A fit took numbers as distances, and they seem to be the edges of a graph.

    Examples
    --------
    Where they are distances all the same:

    >>> import warnings
    >>> from unimds.files import AdjacencyWarning
    >>> warnings.simplefilter("ignore", AdjacencyWarning)  # doctest: +SKIP
    """


PATHS = (
    "if this is the adjacency matrix of a graph, map the lengths of its shortest paths: D = "
    "unimds.dissimilarity.from_graph(A, weight='weight') if its numbers are lengths, with "
    "strength=True if they are strengths, and without weight to count edges"
)
EDGES = ("if it is the adjacency matrix of a graph", ("kind", "graph"))
POINTS = ("if each row is a point with its features", ("kind", "points"))
DISTANCES = ("to confirm distances", ("kind", "distances"))


def edges_in(block: Array) -> str | None:
    """Return what was assumed of a square that is 0 between points with different distances."""
    if len(block) > LARGEST:
        return None
    zero = block == 0.0
    np.fill_diagonal(zero, False)
    if not zero.any():  # as in most tables
        return None
    known = ~np.isnan(block)
    np.fill_diagonal(known, False)
    mostly = 2 * zero.sum() > known.sum()
    if not mostly and not bool((zero | (block == 1.0))[known].all()):
        return None
    if np.triu(block, 1).any() != np.tril(block, -1).any():  # half a table, an error of its own
        return None
    for i, j in np.argwhere(zero)[:MANY]:
        apart = known[i] & known[j] & (block[i] != block[j])
        if apart.any():
            return (
                f"{zero.sum()} of {known.sum()} numbers between different points are 0, and were "
                "taken as distances, which put these points in one place; write NA for a distance "
                "that is not known"
            )
    return None


def different_labels(rows: Sequence[str], columns: Sequence[str]) -> str | None:
    """Return which labels of the rows and columns of a square differ; None if none does.

    Examples
    --------
    >>> different_labels(["Ulm", "Bristol"], ["Bristal", "Ulm"])
    "row 'Bristol', column 'Bristal'"
    >>> different_labels(["Ulm", "Bonn"], ["Ulm", "Ulm"])
    "'Bonn' is a row, but not a column"
    """
    known_rows, known_columns = set(rows), set(columns)
    odd_rows = [label for label in rows if label not in known_columns]
    odd_columns = [label for label in columns if label not in known_rows]
    if odd_rows and odd_columns:
        near = get_close_matches(odd_rows[0], odd_columns, 1) or odd_columns
        return f"row {shown(odd_rows[0])}, column {shown(near[0])}"
    if odd_rows:
        return f"{shown(odd_rows[0])} is a row, but not a column"
    return f"{shown(odd_columns[0])} is a column, but not a row" if odd_columns else None
