"""A report on points that were placed on a finished map: how well each of them fits there."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds.distances.table import HeldTable
from unimds.files.atomic import atomic
from unimds.report.fit import fit_of, losses
from unimds.report.html import page_of
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
    subject = _subject(mds, new, given, to, list(labels))
    old = len(mds.embedding_)
    title = title or f"A map of {old:,} point{'s' * (old != 1)} and {len(new):,} new"
    fit = None if subject.table is None else fit_of(subject)
    with atomic(path, force=force) as partial:
        partial.write_text(page_of(subject, fit, columns, title), encoding="utf-8")


def _subject(mds: Any, new: Array, given: Array, to: Array, labels: list[str]) -> Subject:
    mapped = distances(new, mds.embedding_[to], space=mds.space_)
    known = ~np.isnan(given)
    there, here = given[known], mapped[known]
    stress = _stress(here, there)
    own = [_stress(mapped[i, known[i]], given[i, known[i]]) for i in range(len(new))]
    return Subject(
        points=np.vstack([mds.embedding_, new]).astype(float),
        space=mds.space_,
        loss=mds.loss_,
        labels=labels,
        table=_table(len(mds.embedding_), given, to),
        cost=float(losses(mds.loss_, here, there).sum()),
        stress=stress,
        run=None,
        settings=settings_of(mds),
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
