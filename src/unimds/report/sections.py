"""Sections of a report that it has only if something was computed: a title, words and tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

import numpy as np

from unimds.interpret import Drift, FactorProperty, Procrustes, Properties, VectorProperty
from unimds.interpret.maps import axes_of

SHOWN = 10
"""Points that a table shows, at most."""


def section(name: str, title: str, *parts: str) -> str:
    """Return a section of the page; `name` is its identifier, and parts are HTML."""
    inside = "\n".join(parts)
    return (
        f'<section aria-labelledby="{name}-title" id="{name}">\n'
        f'<h2 id="{name}-title">{escape(title)}</h2>\n{inside}\n</section>'
    )


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table, whose rows begin with their names.

    Examples
    --------
    >>> print(table(["variable", "R²"], [["pH <7", "0.2"]]))
    <table><thead><tr><th scope="col">variable</th><th scope="col">R²</th></tr></thead>
    <tbody><tr><th scope="row">pH &lt;7</th><td>0.2</td></tr></tbody></table>
    """
    top = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
    lines = "\n".join(
        f'<tr><th scope="row">{escape(first)}</th>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in rest)
        + "</tr>"
        for first, *rest in rows
    )
    return f"<table><thead><tr>{top}</tr></thead>\n<tbody>{lines}</tbody></table>"


def of_properties(found: Properties) -> str:
    """Return the section on outside variables that were fitted to the map."""
    every: list[VectorProperty | FactorProperty] = [*found.vectors, *found.factors]
    known = [one for one in every if one.r2 == one.r2]
    parts = []
    if known:
        best = max(known, key=lambda one: one.r2)
        chance = f", p = {best.p_value:.3g}" if found.n_permutations else ""
        said = f"The map explains {best.name} best: R² = {best.r2:.2f}{chance}."
        parts.append(f"<p>{escape(said)}</p>")
    if found.vectors:
        axes = axes_of(len(found.vectors[0].direction))
        rows = [[one.name, *_numbers(one.direction), *_fit(one)] for one in found.vectors]
        parts.append(table(["direction of", *axes, "R²", "p"], rows))
    if found.factors:
        axes = axes_of(found.factors[0].centroids.shape[1])
        rows = [
            [f"{one.name} {level}", *_numbers(centre), str(size), *_fit(one)]
            for one in found.factors
            for level, centre, size in zip(one.levels, one.centroids, one.sizes, strict=True)
        ]
        parts.append(table(["centroid of", *axes, "points", "R²", "p"], rows))
    said = (
        "A number rises in its direction, and R² is the share of it that the coordinates explain; "
        "for groups, the share of squared distances that lies between them."
    )
    if found.n_permutations:
        said += f" The p-values are by {found.n_permutations:,} permutations."
    parts.append(f'<p class="quiet">{escape(said)}</p>')
    return section("properties", "What the directions mean", *parts)


def of_procrustes(found: Procrustes) -> str:
    """Return the section on how well another map agrees with this one."""
    said = f"The two maps agree with a correlation of {found.correlation:.3f}"
    if found.n_permutations:
        said += f"; p = {found.p_value:.3g} by {found.n_permutations:,} permutations"
    most = np.argsort(-found.residuals, kind="stable")[:SHOWN]
    rows = [[_name(found.labels, i), f"{found.residuals[i]:.4g}"] for i in most]
    quiet = (
        "The other map was moved, turned and stretched onto this one. The table lists the points "
        f"whose two places are farthest apart; the root mean square is {found.rmse:.4g}."
    )
    parts = [f"<p>{escape(said)}.</p>", table(["point", "apart"], rows)]
    return section("procrustes", "Another map", *parts, f'<p class="quiet">{escape(quiet)}</p>')


def of_drift(found: Drift) -> str:
    """Return the section on the asymmetry of the table."""
    said = f"{found.share:.1%} of the table's sum of squares is asymmetric."
    most = np.argsort(-found.lengths, kind="stable")[:SHOWN]
    axes = axes_of(found.vectors.shape[1])
    rows = [
        [_name(found.labels, i), *_numbers(found.vectors[i]), f"{found.lengths[i]:.3f}"]
        for i in most
    ]
    quiet = "The arrow of a point sums up how its two directions differ; the longest come first."
    parts = [f"<p>{escape(said)}</p>", table(["drift of", *axes, "length"], rows)]
    return section("drift", "Asymmetry", *parts, f'<p class="quiet">{escape(quiet)}</p>')


def _name(labels: Sequence[object] | None, i: int) -> str:
    return str(i if labels is None else labels[i])


def _numbers(values: Iterable[float]) -> list[str]:
    return [f"{value:.3f}" for value in values]


def _fit(one: VectorProperty | FactorProperty) -> list[str]:
    return [f"{one.r2:.3f}", "–" if one.p_value != one.p_value else f"{one.p_value:.3g}"]
