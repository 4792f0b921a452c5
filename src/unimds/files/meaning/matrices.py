"""Squares, triangles and condensed vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds.files.formats.content import Content
from unimds.files.formats.grid import Grid
from unimds.files.meaning.doubts import POINTS, Rows, warn_of_repeats
from unimds.files.meaning.lists import from_adjacency
from unimds.files.meaning.similarities import made_by
from unimds.files.meaning.squares import (
    DISTANCES,
    different_labels,
    holds_similarities,
    looks_like_distances,
    symmetric,
    warn_of_similarities,
    warn_of_square,
)
from unimds.files.table import Table, are_coordinates

Array = NDArray[np.floating[Any]]


def assemble(
    content: Content,
    block: Array,
    *,
    format: str,
    kind: str = "auto",
    layout: str = "square",
    labels: list[str] | None = None,
    names: list[str] | None = None,
    columns: Mapping[str, list[str]] | None = None,
    weights: Array | None = None,
    weight: str = "auto",
) -> Table:
    """Make a table of a block of numbers: distances if it is a square of them, else points.

    Of the kind "graph" it is an adjacency matrix, and `weight` says what its numbers are.
    """
    if block.size == 0 or np.isnan(block).all():
        raise content.error("holds no numbers; a table of distances or of points was expected")
    block = np.ascontiguousarray(block)
    rows = labels
    if rows is None and columns:  # repeated names are names too
        rows = next(iter(columns.values()))
    if kind in ("auto", "distances") and rows is not None and names is not None:
        block, rows, names = _completed(block, rows, names)
        labels = None if labels is None else rows
    if kind == "graph":
        _check_square(content, block)
        return from_adjacency(content, block, rows or names, format, weight)
    doubtful = kind == "auto"
    if kind == "auto":
        kind = "distances" if _holds_distances(content, block, rows, names) else "points"
        if kind == "points":
            Rows(content, block, labels, names, columns or {}).check()
            if labels is None:
                warn_of_repeats(content, columns or {}, names, block)
    if kind == "points":
        if weights is not None:
            raise content.error("holds points and weights, but only pairs have weights")
        return Table(block, "points", format, "rows", labels, None, names, columns or {})
    _check_square(content, block)
    if rows is not None and names is not None and rows != names:
        block = _reordered(content, block, rows, names)
    block = mirrored(block)
    if doubtful:
        warn_of_square(content, block)
    own = np.arange(len(block))
    block[own, own] = np.nan_to_num(block[own, own], posinf=np.inf)
    return Table(block, "distances", format, layout, rows or names, weights)


def _check_square(content: Content, block: Array) -> None:
    if block.shape[0] != block.shape[1]:
        raise content.error(
            f"a table of distances is square, and this one has {block.shape[0]} rows and "
            f"{block.shape[1]} columns of numbers; for points, one per row",
            advice=POINTS,
        )


def _holds_distances(
    content: Content, block: Array, labels: list[str] | None, names: list[str] | None
) -> bool:
    if block.shape[0] != block.shape[1]:
        _check_not_cut(content, block, labels, names)
        return False
    if are_coordinates(names):
        return False
    if labels is None or names is None or not set(labels) & set(names):
        return looks_like_distances(block) or holds_similarities(block)
    odd = different_labels(labels, names)
    if odd is None:
        return True
    # features may have the name of a point, but hardly of most points
    if looks_like_distances(block) or 2 * len(set(labels) & set(names)) > len(labels):
        raise content.error(
            f"the rows and columns have different labels: {odd}; correct the labels, or, for "
            "points, one per row",
            advice=POINTS,
        )
    return False


def _check_not_cut(
    content: Content, block: Array, labels: list[str] | None, names: list[str] | None
) -> None:
    """Raise if a square lacks its last rows: it would be taken for points."""
    rows, columns = block.shape
    if rows > columns:
        return
    if labels is not None and names is not None:
        cut = labels == names[:rows] and rows > 1
    else:
        square = block[:, :rows]
        positive = (square > 0.0).sum() == rows * (rows - 1)  # counts of things are often zero
        cut = rows > 2 and positive and not np.diagonal(square).any() and symmetric(square)
    if cut:
        raise content.error(
            f"this looks like a square of {columns} points that lacks its last rows: only {rows} "
            "are there; for points, one per row",
            advice=POINTS,
        )


def _completed(
    block: Array, labels: list[str], names: list[str]
) -> tuple[Array, list[str], list[str]]:
    """Add the row and column that a triangle without its diagonal lacks, as R prints it."""
    n = len(block)
    if n < 2 or block.shape != (n, n):
        return block, labels, names
    missing, square = np.isnan(block), np.full((n + 1, n + 1), np.nan)
    if labels[:-1] == names[1:] and missing[np.triu_indices(n, 1)].all():
        square[1:, :-1], every = block, [names[0], *labels]
    elif labels[1:] == names[:-1] and missing[np.tril_indices(n, -1)].all():
        square[:-1, 1:], every = block, [*labels, names[-1]]
    else:
        return block, labels, names
    return square, every, every


def _reordered(content: Content, block: Array, labels: list[str], names: list[str]) -> Array:
    """Put the columns in the order of the rows; columns with other labels go by their place."""
    odd = different_labels(labels, names)
    if odd is not None:
        if any(a != b and a in names for a, b in zip(labels, names, strict=True)):
            raise content.error(
                f"the rows and columns are in different orders, and their labels differ: {odd}; "
                "correct the labels"
            )
        return block
    if len(set(labels)) != len(labels):
        raise content.error("the labels are not unique: the columns cannot be matched to the rows")
    at = {name: j for j, name in enumerate(names)}
    return np.ascontiguousarray(block[:, [at[label] for label in labels]])


def mirrored(block: Array) -> Array:
    """Fill one half from the other if all of it is missing."""
    missing = np.isnan(block)
    if not missing.any():
        return block
    half = len(block) * (len(block) - 1) // 2
    lower, upper = (np.count_nonzero(part(missing, k)) for part, k in ((np.tril, -1), (np.triu, 1)))
    return np.where(missing, block.T, block) if (lower == half) != (upper == half) else block


def condensed(content: Content, vector: Array, format: str, doubtful: bool) -> Table:
    """Make a square table of the distances of a condensed vector, in scipy's order.

    If `doubtful`, nobody has said that these are distances.
    """
    m = len(vector)
    n = (1 + isqrt(1 + 8 * m)) // 2
    if n * (n - 1) // 2 != m or m == 0:
        raise content.error(
            f"{m} numbers are not a condensed table of distances, which has n(n−1)/2 numbers, such "
            f"as {n * (n - 1) // 2} or {n * (n + 1) // 2}; for points with one feature each",
            advice=POINTS,
        )
    if m == 1 and vector[0] == 0.0:
        return Table(vector.reshape(1, 1), "distances", format, "square")
    content.check_room(n, "points")
    from scipy.spatial.distance import squareform  # slow to import, and rarely needed

    square: Array = squareform(vector, checks=False)
    if doubtful:
        warn_of_similarities(content, square, DISTANCES)
    return Table(square, "distances", format, "condensed")


def triangle(grid: Grid, kind: str = "auto") -> Table | None:
    """Return the table of a triangle, with or without labels and diagonal; None for other grids."""
    corner = _corner(grid)
    return None if corner is None else _from_triangle(grid, corner, kind == "auto")


def triangle_of_likeness(grid: Grid) -> Table | None:
    """Return the square of a triangle of similarities, as points; None for other grids.

    Its ends are the diagonal if they are the same number, the largest: that of a point and itself.
    """
    corner = _corner(grid)
    if corner is None:
        return None
    rows, ends = _rows_of_triangle(grid, corner)
    own = _same_largest(rows, ends)
    block = _filled(grid, corner, rows, own is not None)
    np.fill_diagonal(block, np.nan if own is None else own)
    labels = _triangle_labels(grid, corner, len(block))
    layout = "lower triangle" if corner.lower else "upper triangle"
    return Table(block, "points", grid.format, layout, labels, features=labels)


@dataclass(frozen=True)
class Corner:
    """Where a triangle begins: after so many header rows, with labels or not, at which corner."""

    header: int
    labelled: bool
    lower: bool


def _corner(grid: Grid) -> Corner | None:
    """Return where the triangle begins, if the rows become longer, or shorter, by one cell each."""
    for header in (0, 1):
        widths = grid.widths[header:]
        steps = {after - before for before, after in pairwise(widths)}
        if len(steps) == 1 and steps <= {-1, 1}:
            labelled = _labelled(grid, header)
            if min(widths) == 1 + labelled or (min(widths) == 1 and labelled):
                return Corner(header, labelled, steps.pop() > 0)
    return None


def _labelled(grid: Grid, header: int) -> bool:
    """Whether the rows of a triangle start with labels: words, or the numbers of a header."""
    if all(0 in grid.words.get(i, {}) for i in range(header, len(grid))):
        return True
    labels = [grid.cell(i, 0) for i in range(header, len(grid))]
    return header == 1 and grid.heads[0] in (labels, [grid.heads[0][0], *labels[:-1]])


def open_square(grid: Grid, doubtful: bool) -> Table | None:
    """Return the table of a square whose rows leave out the diagonal, as R prints it; or None."""
    n = len(grid) - 1
    if n < 3 or set(grid.widths) != {n}:
        return None
    labels = [grid.cell(i, 0) for i in range(1, len(grid))]
    if grid.heads[0] != labels:
        return None
    rows = grid.block()[1:, 1:]
    block = np.zeros((n, n))
    block[~np.eye(n, dtype=bool)] = rows.ravel()
    if np.isnan(block).any() or not symmetric(block):
        return None
    if doubtful:
        warn_of_square(grid.text.content, block)
    return Table(block, "distances", grid.format, "square", labels)


def _from_triangle(grid: Grid, corner: Corner, doubtful: bool) -> Table:
    rows, ends = _rows_of_triangle(grid, corner)
    diagonal = all(row.size for row in rows) and bool(np.all(np.nan_to_num(ends) == 0.0))
    if doubtful and not diagonal:
        _check_no_similarities(grid, rows, ends)
    block = _filled(grid, corner, rows, diagonal)
    if doubtful:
        warn_of_square(grid.text.content, block)
    np.fill_diagonal(block, 0.0)
    labels = _triangle_labels(grid, corner, len(block))
    layout = "lower triangle" if corner.lower else "upper triangle"
    return Table(block, "distances", grid.format, layout, labels)


def _rows_of_triangle(grid: Grid, corner: Corner) -> tuple[list[Array], list[float]]:
    """Return the numbers of each row, and those at the long side; raise if one is a word."""
    start, labelled = corner.header, int(corner.labelled)
    for i in range(start, len(grid)):
        wrong = [j for j in grid.words.get(i, {}) if j >= labelled]
        if wrong:
            raise grid.no_number(i, wrong[0])
    rows = [row[labelled:] for row in grid.rows(range(start, len(grid)))]
    return rows, [row[-1 if corner.lower else 0] for row in rows if row.size]


def _filled(grid: Grid, corner: Corner, rows: list[Array], diagonal: bool) -> Array:
    """Return the square of a triangle: both halves, and a diagonal of 0, or NaN if it has none."""
    if not diagonal and all(row.size for row in rows):  # the row without numbers is omitted
        rows = [rows[0][:0], *rows] if corner.lower else [*rows, rows[0][:0]]
    n = len(rows)
    grid.text.content.check_room(n, "points")
    block = np.zeros((n, n)) if diagonal else np.diag(np.full(n, np.nan))
    for i, row in enumerate(rows):
        row = row if not diagonal else row[:-1] if corner.lower else row[1:]
        columns = slice(0, i) if corner.lower else slice(i + 1, n)
        block[i, columns] = block[columns, i] = row
    return block


def _same_largest(rows: Sequence[Array], ends: Sequence[float]) -> float | None:
    """Return the end of every row of a triangle, if it is the same number, and the largest."""
    numbers = np.concatenate(rows)
    same = len(ends) == len(rows) > 2 and set(ends) == {np.fmax.reduce(numbers)}
    return ends[0] if same and np.fmin.reduce(numbers) < ends[0] else None


def _check_no_similarities(grid: Grid, rows: Sequence[Array], ends: Sequence[float]) -> None:
    """Raise if a triangle has a diagonal that is the same largest number in every row."""
    own = _same_largest(rows, ends)
    if own is not None:
        made = made_by("correlations" if own == 1.0 else "similarities")
        raise grid.text.content.error(
            f"the diagonal holds the largest number, {own:g}, as it does for similarities, and "
            f"distances are needed: write {own:g} − s in place of each similarity s{made}; for "
            "distances without their diagonal",
            advice=("kind", "distances"),
        )


def _triangle_labels(grid: Grid, corner: Corner, n: int) -> list[str] | None:
    header, labelled, lower = corner.header, corner.labelled, corner.lower
    if labelled:
        labels: Sequence[str] = [grid.cell(i, 0) for i in range(header, len(grid))]
        if header and len(labels) == n - 1:  # the header has the label that lacks
            names = [name for name in grid.heads[0] if name]
            labels = list(dict.fromkeys([*names, *labels] if lower else [*labels, *names]))
    elif header:
        labels = grid.heads[0]
    else:
        return None
    if len(labels) == n + 1 and labels[0] == "":
        labels = labels[1:]
    if len(labels) != n:
        which, place = ("first", "a first line") if lower else ("last", "a last line")
        told = (
            f"a triangle for {n} points has {len(labels)} labels; write a line for every point, "
            "even for a point without distances"
        )
        if labelled and len(labels) == n - 1:
            told = f"the {which} point of a triangle has no label; add {place} with it alone"
        raise grid.error(told)
    return list(labels)
