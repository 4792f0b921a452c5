"""The page of a report: one self-contained HTML file."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unimds._runtime.extras import require
from unimds.plots.columns import as_categories, as_numbers
from unimds.plots.edges import as_edges
from unimds.plots.fit import r2_told
from unimds.plots.views import MapView, view_of
from unimds.report.columns import named_columns
from unimds.report.fit import Goodness
from unimds.report.level import Scaled
from unimds.report.numbers import brief, with_gaps
from unimds.report.subject import Placed, Subject
from unimds.report.verdict import bad_points, estimated, misfits, verdict

Array = NDArray[Any]

SCRIPTS = ("looks.js", "layers.js", "pictures.js", "questions.js")
"""The scripts share one scope, in this order."""
CURVES = 400
"""Maximum number of points of the convergence curve."""
CATEGORIES = 24
"""Maximum number of categories of a column; if there are more, the rarest share the last."""
ORIGIN = "origin"
"""Name of the column that tells new points from those of the map."""
ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


WEIGHTS = {
    "length": "taken as lengths",
    "strength": "taken as strengths, whose inverses are the lengths",
    "none": "none: each edge has the length 1",
}
"""What a report says of the weights of edges."""


@dataclass(frozen=True)
class Edges:
    """The edges of a graph, and what their weights were taken for."""

    pairs: ArrayLike | None = None
    weights: str | None = None

    def __post_init__(self) -> None:
        if self.weights is not None and self.weights not in WEIGHTS:
            raise ValueError(
                f"edge_weights={self.weights!r} must be one of {', '.join(WEIGHTS)}, or None"
            )

    @property
    def told(self) -> str:
        """What the weights were taken for, in words; empty if nobody knows."""
        return "" if self.weights is None else WEIGHTS[self.weights]


def page_of(
    subject: Subject,
    fit: Goodness | None,
    columns: Any,
    title: str,
    edges: Edges | None = None,
    color: str | None = None,
    sections: Sequence[str] = (),
    layers: Sequence[Mapping[str, Any]] = (),
    first: Sequence[int] = (),
) -> str:
    """Return the page, with further sections above the settings, and layers on the map.

    Names of the points `first` come before those of others.
    """
    view = view_of(subject.points, subject.space)
    edges = Edges() if edges is None else edges
    links = as_edges(edges.pairs, subject.n)
    columns = opened_with(named_columns(columns, subject.n, *subject.keys), color)
    drawn = {"layers": list(layers), "first": list(first)}
    page = filled(
        _asset("page.html"),
        {
            "title": escape(str(title)),
            "style": _asset("page.css"),
            "plotly": require("plotly.offline", "report").get_plotlyjs(),
            "script": "\n".join(map(_asset, SCRIPTS)),
            "data": embedded(_data(subject, fit, view, columns) | _links(links) | drawn),
            "verdict": "\n".join(map(_paragraph, verdict(subject, fit))),
            "sections": "\n".join(sections),
            "settings": _rows(_settings(subject, fit) | _edges_told(links, edges.told)),
            "note": escape(view.note),
            "details": escape(_invitation(fit, columns)),
            "shepard_note": escape(_shepard_note(subject)),
            "history_title": "Convergence" + " of the landmarks" * (subject.landmarks is not None),
            "history_note": escape(_history_note(subject)),
        },
    )
    return page.encode("utf-8", "replace").decode()  # UTF-8 cannot encode half a surrogate pair


def opened_with(columns: dict[str, Any], color: str | None) -> dict[str, Any]:
    """Return the columns with the one first that the page opens with.

    Examples
    --------
    >>> opened_with({"a": [1], "b": [2]}, "b")
    {'b': [2], 'a': [1]}
    """
    if color is None:
        return columns
    if color not in columns:
        known = ", ".join(map(repr, columns)) or "none; give columns"
        raise ValueError(f"color={color!r} is not among the columns: {known}")
    return {color: columns[color], **columns}


def _paragraph(said: str) -> str:
    whole = escape(said).replace(" %", "&nbsp;%").replace(" = ", "&nbsp;=&nbsp;")
    return f"<p>{whole}</p>"  # no line begins with a sign


def _invitation(fit: Goodness | None, columns: Mapping[str, Any]) -> str:
    """Say what readers see of a selected point."""
    if fit is not None:
        sight = "to see its worst-fitting distances here"
    elif columns:
        sight = "to see its values here"
    else:
        sight = "to mark it on the map"
    return f"Click on a point, or find it by name, {sight}."


def _shepard_note(subject: Subject) -> str:
    if subject.scaled is None:
        line = "on the line, the map has the given distance"
    elif subject.scaled.by_row:
        line = "each line is the transformation of a row, from dissimilarities to disparities"
    else:
        line = "the line is the transformation, from dissimilarities to disparities"
    return f"Each dot is a pair of points; {line}."


def _history_note(subject: Subject) -> str:
    landmarks = subject.landmarks
    if landmarks is None:
        return "The cost after each sweep."
    return (
        f"The cost of the {landmarks.n:,} landmarks after each sweep of their fit. The cost of the "
        "whole map is among the settings."
    )


def filled(template: str, parts: Mapping[str, str]) -> str:
    """Replace each ``{{name}}`` of a template; inserted text is not replaced again.

    Examples
    --------
    >>> filled("<p>{{a}}</p>{{b}}", {"a": "{{b}}", "b": "!"})
    '<p>{{b}}</p>!'
    """
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], template)


def embedded(data: Any) -> str:
    r"""Return data as JSON that cannot end its script element.

    Examples
    --------
    >>> print(embedded(["</script>"]))
    ["\u003c/script\u003e"]
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return re.sub("[<>&\u2028\u2029]", lambda match: ESCAPES[match[0]], text)


def _asset(name: str) -> str:
    return (files("unimds.report") / "page" / name).read_text(encoding="utf-8")


# --- the data of the scripts ----------------------------------------------------------------------


def _data(
    subject: Subject, fit: Goodness | None, view: MapView, columns: Mapping[str, Any]
) -> dict[str, Any]:
    data = {
        "kind": view.kind,
        "points": [brief(axis, _digits(axis, view)) for axis in view.points.T],
        "edge": with_gaps(view.edge),
        "grid": with_gaps(view.grid),
        "labels": subject.labels,
        "columns": [_column(name, values) for name, values in columns.items()],
        "history": _history(subject),
    }
    if fit is not None:
        data |= _fit_data(fit if subject.errs else replace(fit, share=np.zeros(subject.n)))
        if subject.scaled is not None:
            data |= _scaled_data(fit, subject.scaled)
    return data if subject.placed is None else _without_shares(data, subject.placed)


def _without_shares(data: dict[str, Any], placed: Placed) -> dict[str, Any]:
    """Return the data of a report on new points: shares of the error would blame these alone."""
    first, worst = len(data["labels"]) - placed.count, misfits(placed)
    told = {"worst": [first + i for i in worst], "misfit": brief(placed.own[worst], 3)}
    names = [column["name"] for column in data["columns"]]
    told["fresh"] = placed.count
    told["origin"] = names.index(ORIGIN) if ORIGIN in names else -1
    return {**{name: part for name, part in data.items() if name != "share"}, **told}


def _edges_told(pairs: Array, weights: str) -> dict[str, str]:
    said = {"edges": f"{len(pairs):,}", "weights of the edges": weights}
    return {name: value for name, value in said.items() if value} if len(pairs) else {}


def _links(pairs: Array) -> dict[str, Any]:
    """Return the edges of a graph, if there are any."""
    return {"links": pairs.tolist()} if len(pairs) else {}


def _column(name: str, values: Any) -> dict[str, Any]:
    numbers = as_numbers(values)
    if numbers is not None:
        return {"name": name, "numbers": brief(numbers)}
    names, codes, rare = as_categories(values, CATEGORIES)
    return {
        "name": name,
        "names": [*names, f"{rare} others"] if rare else names,
        "codes": codes.tolist(),
    }


def _digits(axis: Array, view: MapView) -> int:
    """Return the digits that keep points distinct: more near the edge of a disk, or far from 0."""
    if view.kind == "disk":
        return 8
    width = np.ptp(axis)
    return 5 + int(np.clip(np.log10(np.abs(axis).max() / width), 0, 11)) if width > 0.0 else 5


def _history(subject: Subject) -> list[Any]:
    """Return sweeps, seconds and costs, if they tell something."""
    if subject.run is None or not subject.run.falls:
        return []
    history = subject.run.history
    rows = len(history)
    # more points at the beginning, where the cost falls fast
    at = np.unique(np.geomspace(1, rows, min(rows, CURVES)).round().astype(int) - 1)
    return [at.tolist(), *(brief(axis, 7) for axis in history[at].T)]


def _fit_data(fit: Goodness) -> dict[str, Any]:
    pairs = fit.sample
    shepard: dict[str, Any] = {
        "i": pairs.i.tolist(),
        "j": pairs.j.tolist(),
        "given": brief(pairs.given),
        "mapped": brief(pairs.mapped),
    }
    if pairs.counts is not None and pairs.edges is not None:
        shepard["counts"] = pairs.counts.T.astype(int).tolist()
        shepard["x"], shepard["y"] = (brief(0.5 * (e[1:] + e[:-1])) for e in pairs.edges)
    return {
        "share": brief(fit.share, 3),
        "partners": fit.partners.tolist(),
        "given": [brief(row, 4) for row in fit.given],
        "mapped": [brief(row, 4) for row in fit.mapped],
        "worst": bad_points(fit.share),
        "shepard": shepard,
    }


def _scaled_data(fit: Goodness, scaled: Scaled) -> dict[str, Any]:
    """Return disparities, and the curves of the transformation."""
    return {
        "disparity": [brief(row, 4) for row in fit.target],
        "scaled": {
            "disparity": brief(fit.sample.target),
            "curves": [[brief(axis) for axis in curve] for curve in scaled.curves],
            "steps": scaled.level.in_steps,
        },
    }


# --- settings -------------------------------------------------------------------------------------


def _settings(subject: Subject, fit: Goodness | None) -> dict[str, str]:
    said = {"points": f"{subject.n:,}", "space": str(subject.space), "loss": str(subject.loss)}
    if subject.scaled is not None:
        said["level of measurement"] = subject.scaled.told
    if subject.placed is not None:
        return {**said, **_settings_of_new(subject, subject.placed), **subject.settings}
    if subject.cost is not None:
        said["cost, the sum of losses"] = _stated(subject.cost, subject.cost_error)
    if subject.landmarks is not None:
        said[f"cost of the {subject.landmarks.n:,} landmarks"] = f"{subject.landmarks.cost:.6g}"
    if subject.stress is not None:
        said["Stress-1"] = _stated(subject.stress, subject.stress_error)
    if fit is not None and subject.scaled is not None and subject.stress is not None:
        shares = r2_told(subject.scaled.level, 1.0 - subject.stress**2, fit.linear)
        said |= dict(share.split(" = ") for share in shares)
    if fit is not None and fit.known < 1.0:
        said["distances given"] = f"{100.0 * fit.known:.1f} %"
    return {**said, **subject.settings}


def _settings_of_new(subject: Subject, placed: Placed) -> dict[str, str]:
    return {
        "points of the map": f"{subject.n - placed.count:,}",
        "cost of the map": f"{placed.cost:.6g}",
        "Stress-1 of the map": f"{placed.stress:.6g}",
        "new points": f"{placed.count:,}",
        "cost of the new points": f"{subject.cost:.6g}",
        "Stress-1 of the new points": f"{subject.stress:.6g}",
    }


def _stated(value: float, error: float) -> str:
    """Return a number, with its standard error if it is an estimate."""
    exact = f"{value:.6g}"
    return exact if error == 0.0 else f"{estimated(value, error)} (estimate ± standard error)"


def _rows(settings: Mapping[str, str]) -> str:
    return "\n".join(
        f'<tr><th scope="row">{escape(name)}</th><td>{escape(value)}</td></tr>'
        for name, value in settings.items()
    )
