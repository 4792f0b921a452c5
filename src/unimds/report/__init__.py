"""A report on a map: one HTML file to open offline, rotate the map and inspect any point.

The room may import `plots`, `trust`, `interpret`, `quality` and below. plotly is an extra,
``pip install 'unimds[report]'``, and is imported only when a report is made.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from numpy.typing import ArrayLike

from unimds._runtime.arguments import advised, model_and_path
from unimds.distances.inputs import as_weights
from unimds.distances.joining import joined_table
from unimds.distances.table import HeldTable, LocalTable
from unimds.interpret import Drift, Procrustes, Properties
from unimds.placecenter.result import table_stress
from unimds.plots.layers import DriftVectors, Layer, PropertyVectors, UncertaintyRegions
from unimds.quality import stress_1
from unimds.report.choice import choice_section, chosen_map
from unimds.report.document import Report, write_page
from unimds.report.fit import fit_of
from unimds.report.html import Edges, page_of
from unimds.report.layers import layers_of
from unimds.report.placed import placed_report
from unimds.report.sections import of_drift, of_procrustes, of_properties
from unimds.report.subject import Subject, subject_of
from unimds.report.tables import Told, told, told_subject
from unimds.report.trust import CONFIDENCE, of_deciding, of_stability, of_structure
from unimds.trust import DecidingPair, PermutationTest, Stability

__all__ = ["Report", "report", "write_report"]


@advised
def report(
    mds: Any,
    D: ArrayLike | None = None,
    *,
    labels: Sequence[Any] | None = None,
    columns: Any = None,
    weights: ArrayLike | None = None,
    edges: ArrayLike | None = None,
    edge_weights: str | None = None,
    title: str | None = None,
    color: str | None = None,
    new: Any = None,
    properties: Properties | None = None,
    structure: PermutationTest | None = None,
    stability: Stability | None = None,
    deciding: Sequence[DecidingPair] | None = None,
    procrustes: Procrustes | None = None,
    drift: Drift | None = None,
    layers: Sequence[Layer] = (),
) -> Report:
    """Return a report on a map, as one HTML page.

    The page shows the map (a rotating globe for S², the Poincaré disk for H², a triangle for
    distributions of three outcomes), lists the worst-fitting distances of each point, finds points
    by name, colours them, and says in plain words how good the map is. It is one self-contained
    file and works offline. A notebook shows it in an isolated frame if it ends a cell, and
    ``report(mds).save("map.html")`` writes it to a file.

    Parameters
    ----------
    mds : fitted estimator or Result
        The map: a fitted estimator, or a result of `place_center`. Of a search, the map that it has
        chosen, with a section on how it was chosen.
    D : array-like, default=None
        The data of the map: distances of shape (n, n), NaN for missing pairs, or the features
        given to the estimator. By default the data that the estimator kept. Without data the
        report cannot judge any pair.
    labels : sequence of n names, default=None
        Names of the points; by default the row labels of a data frame, or numbers.
    columns : mapping of names to n values each, DataFrame, Series or array, default=None
        Columns to colour the points by, or a single one: numbers, or categories. Up to 14 different
        integers that repeat are categories; give floats to see them as numbers. A DataFrame or
        Series is matched with the points by label.
    weights : array-like of shape (n, n), default=None
        Weights of the pairs, if the map was made with weights.
    edges : array-like of shape (m, 2), default=None
        Pairs of numbers of points to join by light lines, such as the `edges` of a graph that
        `unimds.files.read` has read.
    edge_weights : {"length", "strength", "none"}, default=None
        What the weights of the edges were taken for, such as the `edge_weights` of the table that
        `unimds.files.read` has read; the settings say it.
    title : str, default=None
        Title of the page.
    color : str, default=None
        Name of the column that the points are coloured by when the page opens; by default the
        first column.
    new : array-like, default=None
        Data of new points, as ``transform`` of MDS and LandmarkMDS takes them. The report is
        then on these points: it shows them on the finished map, and says how well each fits there.
        `labels` and `columns` have a value for each point of the map and then for each new point,
        and the column "origin" tells them apart.
    properties : Properties, default=None
        Outside variables that `unimds.interpret.fit_properties` has fitted to the map; they have a
        section of their own.
    structure : PermutationTest, default=None
        What `unimds.trust.permutation_test` has found; it has a section of its own.
    stability : Stability, default=None
        What `unimds.trust.jackknife`, `bootstrap` or `perturbation` has found of this map: the map
        shows the regions of its points, and a section lists the least certain.
    deciding : list of DecidingPair, default=None
        What `unimds.trust.deciding_pairs` has found; it has a section of its own.
    procrustes : Procrustes, default=None
        How well another map agrees with this one, by `unimds.interpret.procrustes_test`.
    drift : Drift, default=None
        The asymmetry of the table, by `unimds.interpret.drift_vectors`.
    layers : sequence of Layer, default=()
        What to draw on the map, as `unimds.plots.plot_embedding` does: hulls, ellipses, trees. Each
        layer has a box to switch it on and off. Regions of `stability`, arrows of `properties` and
        of `drift` are layers too, and need not be given again.

    Returns
    -------
    Report
        The page: a string that a notebook shows, and that can be saved.

    Examples
    --------
    >>> from unimds import MDS
    >>> from unimds.report import report
    >>> mds = MDS(random_state=0).fit([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]])
    >>> page = report(mds, labels=["one", "two", "three"], title="Three points")
    >>> "<title>Three points</title>" in page
    True

    A new point on the finished map:

    >>> page = report(mds, new=[[1.0, 0.5, 0.5]], labels=["one", "two", "three", "four"])
    >>> "A map of 3 points and 1 new" in page
    True
    """
    choice, mds = choice_section(mds), chosen_map(mds)
    studies = (properties, structure, stability, deciding, procrustes, drift, layers or None)
    several = told(mds)
    if several is not None:
        _refuse_of_several(new, D, weights, edges, *studies)
        return Report(_of_several(several, labels, columns, title, color))
    if new is not None:
        if any(given is not None for given in (D, weights, edges, *studies)):
            raise ValueError(
                "a report on new points judges their distances to the map, and takes no D, "
                "weights, edges or properties, and nothing on how far to trust it; give new alone, "
                "or write two reports"
            )
        about: dict[str, Any] = {"columns": columns, "title": title, "color": color}
        return Report(placed_report(mds, new, labels=labels, **about))
    subject = subject_of(mds, D, labels)
    weights = joined_table(weights, subject.keys[0], "weights")
    if subject.stress is None and subject.table is not None:
        subject = replace(subject, stress=_stress(mds, subject, subject.table, weights))
    fit = None if subject.compared is None else fit_of(subject, weights)
    title = title or f"A map of {subject.n:,} points"
    further = [choice] if choice else []
    if properties is not None:
        further.append(of_properties(properties))
    if procrustes is not None:
        further.append(of_procrustes(procrustes))
    if drift is not None:
        further.append(of_drift(drift))
    if structure is not None:
        further.append(of_structure(structure))
    if stability is not None:
        further.append(of_stability(stability, subject.labels))
    if deciding:
        further.append(of_deciding(deciding, subject.labels))
    links = Edges(edges, edge_weights)
    own: list[Layer] = [] if stability is None else [UncertaintyRegions(stability, CONFIDENCE)]
    own += [] if properties is None else [PropertyVectors(properties)]
    own += [] if drift is None else [DriftVectors(drift)]
    drawn = layers_of(subject, layers, own)
    return Report(page_of(subject, fit, columns, title, links, color, further, drawn))


def _refuse_of_several(new: Any, *others: Any) -> None:
    """Raise where a report on several tables, or on rows and columns, would ignore something."""
    if new is not None:
        raise ValueError("a report on new points is for MDS and LandmarkMDS; leave new out")
    if any(given is not None for given in others):
        raise ValueError(
            "a report on several tables, or on rows and columns, judges the tables that were "
            "fitted, and takes labels, columns, title and color alone; leave the rest out"
        )


def _of_several(
    several: Told, labels: Any, columns: Any, title: str | None, color: str | None
) -> str:
    """Return the page of several tables, or of rows and columns."""
    subject = told_subject(several, labels)
    shown = several.columns if columns is None else columns
    title = title or several.title
    links, sections = Edges(None, None), [several.section]
    return page_of(subject, None, shown, title, links, color, sections, first=several.first)


def _stress(mds: Any, subject: Subject, table: LocalTable, weights: Any) -> float:
    """Return the Stress-1 of given distances, or of their disparities."""
    if subject.scaled is not None:
        return stress_1(table.whole()[0][:, 0], mds, weights=weights)
    if weights is not None:
        table = HeldTable(table.whole()[0], as_weights(weights, subject.n)[:, None])
    return table_stress(table, subject.points, subject.space)


@advised
def write_report(
    mds: Any,
    path: str | os.PathLike[str],
    D: ArrayLike | None = None,
    *,
    labels: Sequence[Any] | None = None,
    columns: Any = None,
    weights: ArrayLike | None = None,
    edges: ArrayLike | None = None,
    edge_weights: str | None = None,
    title: str | None = None,
    color: str | None = None,
    new: Any = None,
    properties: Properties | None = None,
    structure: PermutationTest | None = None,
    stability: Stability | None = None,
    deciding: Sequence[DecidingPair] | None = None,
    procrustes: Procrustes | None = None,
    drift: Drift | None = None,
    layers: Sequence[Layer] = (),
    force: bool = False,
) -> None:
    """Write a report on a map to a file, atomically, as ``report(…).save(path)`` does.

    Parameters
    ----------
    mds : MDS, LandmarkMDS or Result
        The map, as in `report`.
    path : str or PathLike
        The file, whose name ends in ".html" or ".htm".
    D, labels, columns, weights, edges, edge_weights, title, color, new, properties
        As in `report`.
    structure, stability, deciding, procrustes, drift, layers
        As in `report`.
    force : bool, default=False
        Whether to replace an existing file.

    Raises
    ------
    FileError
        If the name has another ending, if the file exists and `force` is false, or if it cannot
        be written.

    Notes
    -----
    The order before 0.3, the path first and then the map, is deprecated: 0.5 will remove it.

    Examples
    --------
    >>> from unimds import place_center
    >>> result = place_center([[0.0, 2.0], [2.0, 0.0]], 1)
    >>> write_report(result, "map.html", [[0.0, 2.0], [2.0, 0.0]])  # doctest: +SKIP
    """
    mds, path = model_and_path(mds, path, "write_report")
    about: dict[str, Any] = {"labels": labels, "columns": columns, "title": title}
    drawn: dict[str, Any] = {"edges": edges, "edge_weights": edge_weights, "color": color}
    more: dict[str, Any] = {"new": new, "properties": properties, "structure": structure}
    more |= {"stability": stability, "deciding": deciding}
    more |= {"procrustes": procrustes, "drift": drift, "layers": layers}
    write_page(path, lambda: report(mds, D, weights=weights, **more, **drawn, **about), force)
