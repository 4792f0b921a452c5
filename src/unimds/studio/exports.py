"""Files of a map: its points, a picture, a report, a model."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unimds.files import Table, write
from unimds.files.meaning.parts import only
from unimds.files.writing import renamed
from unimds.studio.steps import Step

if TYPE_CHECKING:
    from unimds.estimators.mds import MDS

Make = Callable[["MDS", Table, str, str | None], bytes]
"""Makes a file of a map, of its table, a title, and the column to colour by."""

DPI = 150


def part_of(table: Table, step: Step) -> Table:
    """Return what was fitted of a table: the points on the map, and the pairs that count."""
    X, weights = step.data(table)
    left = only(table, step.kept(table.n)) if step.left_out else table
    return replace(left, values=X, weights=weights)


def map_file(mds: MDS, table: Table, title: str, color: str | None) -> bytes:
    """Return the points as CSV, as `unimds embed` writes them."""
    from unimds.spaces import in_coordinates

    names, values = in_coordinates(mds.embedding_, mds.space_)
    columns = renamed(table.columns, ["label", *names])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "map.csv")
        write(path, values, labels=table.labels, columns=columns, names=names)
        return path.read_bytes()


def _picture(format: str) -> Make:
    def draw(mds: MDS, table: Table, title: str, color: str | None) -> bytes:
        from unimds._runtime.extras import require

        require("matplotlib", "plot").use("Agg")
        from unimds.plots import plot_embedding
        from unimds.plots.columns import NamedColumn

        about: dict[str, Any] = {"labels": table.labels, "space": mds.space_, "edges": table.edges}
        if color is not None:
            about["color"] = NamedColumn(color, table.columns[color])
        axes = plot_embedding(mds.embedding_, **about, title=title)
        found = io.BytesIO()
        figure: Any = axes.figure
        figure.savefig(found, format=format, dpi=DPI)
        require("matplotlib.pyplot", "plot").close(figure)
        return found.getvalue()

    return draw


def report_file(mds: MDS, table: Table, title: str, color: str | None) -> bytes:
    """Return the report."""
    from unimds.report import report

    about: dict[str, Any] = {"labels": table.labels, "columns": table.columns}
    about |= {"edges": table.edges, "edge_weights": table.edge_weights}
    return report(mds, weights=table.weights, title=title, color=color, **about).encode()


def model_file(mds: MDS, table: Table, title: str, color: str | None) -> bytes:
    """Return the model, for `unimds place`."""
    from unimds.models import save

    names = table.labels if table.precomputed else table.features
    if names is not None and len(set(names)) < len(names):  # they cannot be matched by name
        names = None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "map.unimds")
        save(mds, path, labels=table.labels, features=names)
        return path.read_bytes()


KINDS: dict[str, tuple[str, str, Make]] = {
    "map": ("map.csv", "text/csv; charset=utf-8", map_file),
    "png": ("map.png", "image/png", _picture("png")),
    "svg": ("map.svg", "image/svg+xml", _picture("svg")),
    "report": ("report.html", "text/html; charset=utf-8", report_file),
    "model": ("map.unimds", "application/octet-stream", model_file),
}
"""The files by kind: how each ends after the name of the table, its type, and what makes it."""


def made(
    mds: MDS, table: Table, step: Step, kind: str, title: str, color: str | None = None
) -> bytes:
    """Return a file of a map, whose points have the colours of a column if one is named."""
    _, _, make = KINDS[kind]
    return make(mds, part_of(table, step), title, color)
