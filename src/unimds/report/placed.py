"""A report on points that were placed on a finished map: how well each of them fits there."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds.distances.inputs import labels_of
from unimds.distances.joining import counts_rows
from unimds.distances.table import HeldTable
from unimds.placecenter.new_points import fair_targets
from unimds.placecenter.result import names_of, transformation_of
from unimds.report.columns import named_columns
from unimds.report.document import write_page
from unimds.report.fit import fit_of, losses
from unimds.report.html import ORIGIN, page_of
from unimds.report.level import scaled_of
from unimds.report.subject import Placed, Subject, settings_of
from unimds.spaces import distances

Array = NDArray[Any]

MANY = 4000
"""Points above which a table of all pairs would take too much memory."""


def write_placed_report(
    mds: Any,
    path: str | os.PathLike[str],
    new: Array,
    given: Array,
    *,
    to: Array,
    labels: Sequence[str],
    columns: Mapping[str, Any],
    title: str | None = None,
    force: bool = False,
) -> None:
    """Write a report on new points and the map that they were placed on.

    Parameters
    ----------
    mds : MDS or LandmarkMDS
        The map.
    path : str or PathLike
        The file.
    new : ndarray of shape (m, n_coordinates)
        The places of the new points.
    given : ndarray of shape (m, len(to))
        Their distances to some points of the map, which have decided where they are.
    to : ndarray of int
        The numbers of these points.
    labels : sequence of n + m names
        Names of the points of the map, then those of the new points.
    columns : mapping
        Columns to colour all points by.
    title : str, default=None
        Title of the page.
    force : bool, default=False
        Whether to replace an existing file.
    """

    def page() -> str:
        return _page(_subject(mds, new, given, to, list(labels)), columns, title)

    write_page(path, page, force)


def placed_report(
    mds: Any,
    given: Any,
    *,
    labels: Sequence[Any] | None = None,
    columns: Any = None,
    title: str | None = None,
    color: str | None = None,
) -> str:
    """Return a report on new points, which are placed first, and the map.

    Parameters
    ----------
    mds : MDS or LandmarkMDS
        The map.
    given : array-like
        Data of the new points, as `mds.transform` takes them.
    labels, columns, title, color
        As in `unimds.report.report`, for the points of the map and then for the new points.
    """
    if not hasattr(mds, "_new"):
        kind = type(mds).__name__
        raise TypeError(f"new points need the MDS or LandmarkMDS that places them, not {kind}")
    new = np.asarray(mds.transform(given))
    rows, to = distances_to_map(mds, given)
    n, m = len(mds.embedding_), len(new)
    names = _names(mds, given, n, m) if labels is None else list(labels)
    if len(names) != n + m:
        raise ValueError(
            f"the map has {n} points, and {m} are new, but there are {len(names)} labels; name the "
            "points of the map first, then the new points"
        )
    origin = {ORIGIN: ["map"] * n + ["new"] * m}
    shown = {**origin, **named_columns(columns, n + m, names)}
    subject = _subject(mds, new, rows, to, [str(name) for name in names])
    return _page(replace(subject, keys=(names,)), shown, title, color)


def distances_to_map(mds: Any, given: Any) -> tuple[Array, Array]:
    """Return the distances of new points to points of a map, and which points these are.

    They are the distances that decide where the new points are placed.
    """
    new = mds._new(given)
    rows = np.asarray(mds._given(new, slice(0, len(new.rows))), dtype=float)
    if rows.shape[1] == len(mds.embedding_):
        return rows, np.arange(rows.shape[1])
    # distances may be given to the landmarks alone
    few = mds.metric_ == "precomputed" and np.shape(given)[1] == len(mds.landmarks_)
    return rows, mds.landmarks_ if few else mds.references_


def _names(mds: Any, given: Any, n: int, m: int) -> list[Any]:
    """Return the names of all points; without names, numbers."""
    own, index = names_of(mds), labels_of(given)
    new = [] if index is None else index.tolist()
    if counts_rows(new):
        new = [f"new {i}" for i in range(m)]
    return [*(range(n) if own is None else own), *new]


def _page(subject: Subject, columns: Any, title: str | None, color: str | None = None) -> str:
    assert subject.placed is not None
    new = subject.placed.count
    old = subject.n - new
    title = title or f"A map of {old:,} point{'s' * (old != 1)} and {new:,} new"
    fit = None if subject.table is None else fit_of(subject)
    return page_of(subject, fit, columns, title, color=color)


def _subject(mds: Any, new: Array, given: Array, to: Array, labels: list[str]) -> Subject:
    mapped = distances(new, mds.embedding_[to], space=mds.space_)
    transformation = transformation_of(mds)
    target = given if transformation is None else fair_targets(transformation, given, mapped)
    known = ~np.isnan(target)
    there, here = target[known], mapped[known]
    stress = _stress(here, there)
    own = [_stress(mapped[i, known[i]], target[i, known[i]]) for i in range(len(new))]
    table, aims = (_table(len(mds.embedding_), part, to) for part in (given, target))
    scaled = scaled_of(mds, None)
    return Subject(
        points=np.vstack([mds.embedding_, new]).astype(float),
        space=mds.space_,
        loss=mds.loss_,
        labels=labels,
        table=table,
        cost=float(losses(mds.loss_, here, there).sum()),
        stress=stress,
        run=None,
        settings=settings_of(mds),
        scaled=None if scaled is None else replace(scaled, table=aims),
        placed=Placed(len(new), mds.cost_, mds.stress_, np.array(own)),
    )


def _table(n: int, given: Array, to: Array) -> HeldTable | None:
    """Return the distances between new points and the map; None if the table would be too large."""
    size = n + len(given)
    if size > MANY:
        return None
    D = np.full((size, size), np.nan)
    np.fill_diagonal(D, 0.0)
    D[n:, to], D[to, n:] = given, given.T
    return HeldTable(D[:, None, :])


def _stress(mapped: Array, given: Array) -> float:
    """Return the Stress-1 of some pairs."""
    largest = float(mapped.max(initial=0.0)) or 1.0
    size = float(np.sum((mapped / largest) ** 2))
    return float(np.sqrt(np.sum(((mapped - given) / largest) ** 2) / (size if size > 0.0 else 1.0)))
