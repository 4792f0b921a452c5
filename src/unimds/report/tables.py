"""Sections on several tables and on rows and columns: what each subject, row or column is like."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from html import escape
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.words import counted
from unimds.levels import as_level, described
from unimds.placecenter.result import Result
from unimds.report.sections import section, table
from unimds.report.subject import PERFECT, Subject, settings_of, subject_of

Array = NDArray[Any]

SHOWN = 200
"""Rows of a table that a page shows at most."""


class Told(NamedTuple):
    """A map of several tables, or of rows and columns, as a page tells it."""

    result: Result
    labels: list[str]
    columns: dict[str, list[str]]
    section: str
    title: str
    instead: str
    settings: dict[str, str]
    first: range
    """Points whose names come first."""


def told(fit: Any) -> Told | None:
    """Return what a page tells of such a map, or None if this is another one."""
    if hasattr(fit, "subjects_"):
        names = _names(fit.labels_, len(fit.embedding_))
        title = f"A map of {len(names):,} objects from {len(fit.subjects_):,} tables"
        return _told(fit, names, {}, of_subjects(fit), title, "subject", range(0))
    if hasattr(fit, "column_embedding_"):
        rows, columns = fit.row_embedding_, fit.column_embedding_
        names = [*_names(fit.labels_, len(rows)), *_names(fit.column_labels_, len(columns))]
        kinds = {"point": ["row"] * len(rows) + ["column"] * len(columns)}
        title = f"A map of {len(rows):,} rows and {len(columns):,} columns"
        last = range(len(rows), len(names))
        return _told(fit, names, kinds, of_columns(fit), title, "column", last)
    return None


def told_subject(several: Told, labels: Any = None) -> Subject:
    """Return the subject of a report on several tables, or on rows and columns."""
    subject = subject_of(several.result, None, several.labels if labels is None else labels)
    return replace(subject, instead=several.instead, settings=several.settings)


def _told(
    fit: Any,
    names: list[str],
    kinds: dict[str, list[str]],
    section: str,
    title: str,
    each: str,
    first: range,
) -> Told:
    instead = f"A table below says how well each {each} fits."
    settings = settings_of(fit)
    level = as_level(fit.level)
    if not level.is_given:
        settings["level of measurement"] = described(level)
    return Told(_result(fit), names, kinds, section, title, instead, settings, first)


def _names(labels: Any, n: int) -> list[str]:
    return [str(name) for name in (range(n) if labels is None else labels)]


def _result(fit: Any) -> Result:
    return Result(
        embedding=np.ascontiguousarray(fit.embedding_),
        cost=fit.cost_,
        history=fit.history_,
        levels=fit._levels,
        outcome=fit.outcome_,
        loss=fit.loss_,
        space=fit.space_,
        stress=fit.stress_,
    )


def of_subjects(fit: Any) -> str:
    """Return the section on subjects: their weights, and how well the map fits each."""
    weights, count = fit.weights_, len(fit.subjects_)
    head = ["subject", "Stress-1"]
    cells = [[f"{stress:.4f}"] for stress in fit.stresses_]
    if weights is not None:
        square = weights.reshape(count, -1)
        head += (
            ["size"] if weights.ndim == 1 else [f"weight {a + 1}" for a in range(square.shape[1])]
        )
        cells = [[*own, *(f"{w:.3f}" for w in row)] for own, row in zip(cells, square, strict=True)]
    said = (
        f"{counted(count, 'table')} of the same objects share{'s' * (count == 1)} this map. "
        f"The median Stress-1 of a table is {np.median(fit.stresses_):.3f}. "
        f"{_worst('subject', fit.subjects_, fit.stresses_)}"
    )
    meaning = {
        "identity": "The map is a consensus: all subjects are taken to see the same distances.",
        "sizes": "A subject sees the distances of the map multiplied by its size.",
        "indscal": "A subject sees each dimension of the map stretched by its weight; the mean of "
        "the squared weights is 1.",
        "idioscal": "A subject sees the map turned and stretched by a matrix of its own.",
    }[fit.model]
    rows = [[name, *own] for name, own in zip(fit.subjects_, cells, strict=True)]
    return section(
        "subjects",
        "How the subjects differ",
        f"<p>{escape(said)}</p>",
        table(head, rows[:SHOWN]),
        *_cut(len(rows)),
        f'<p class="quiet">{escape(meaning)}</p>',
    )


def of_columns(fit: Any) -> str:
    """Return the section on rows and columns: how well each fits."""
    columns = _names(fit.column_labels_, len(fit.column_embedding_))
    rows = _names(fit.labels_, len(fit.row_embedding_))
    said = (
        f"{len(rows)} rows and {len(columns)} columns share this map; only distances between a row "
        f"and a column were given. {_worst('row', rows, fit.row_stress_)}"
    )
    if fit.variation_ is not None:
        said += (
            f" The coefficient of variation of the disparities is {fit.variation_:.2f}: near 0 a "
            "map is degenerate."
        )
    cells = [[name, f"{s:.4f}"] for name, s in zip(columns, fit.column_stress_, strict=True)]
    return section(
        "rows-and-columns",
        "Rows and columns",
        f"<p>{escape(said)}</p>",
        table(["column", "Stress-1"], cells[:SHOWN]),
        *_cut(len(cells)),
    )


def _worst(what: str, names: Sequence[str], stresses: Array) -> str:
    """Say which fits worst, unless all fit up to rounding."""
    worst = int(np.argmax(stresses))
    if stresses[worst] < PERFECT:
        return f"The map fits every {what} exactly."
    return (
        f"The {what} that fits worst is {names[worst]}, with a Stress-1 of {stresses[worst]:.3g}."
    )


def _cut(count: int) -> list[str]:
    """Return a line on the rows that a table leaves out."""
    return [f'<p class="quiet">The first {SHOWN} of {count}.</p>'] if count > SHOWN else []
