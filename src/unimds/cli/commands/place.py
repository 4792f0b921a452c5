"""``unimds place``: place new points on the map of a saved model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unimds._runtime.extras import require
from unimds._runtime.watch import warn
from unimds.cli import options as o
from unimds.cli.inputs import check_complete, read_table, warn_of_empty
from unimds.cli.messages import counted, errors_told, print_json, say, usage
from unimds.cli.outputs import (
    check_endings,
    check_extras,
    check_outputs,
    check_table,
    draw,
    write_points,
)
from unimds.cli.progress import waiting

if TYPE_CHECKING:
    from unimds.files import Table

MANY = 4000  # points above which a table of all distances would take too much memory
CROWD = 60  # points above which names would hide each other


def place(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="A model that `unimds embed --model` has saved.")
    ],
    new: Annotated[
        str,
        typer.Argument(
            metavar="NEW",
            help="New points, one per row: features, or distances to the points of the map.",
        ),
    ],
    format: o.Format = "auto",
    encoding: o.Encoding = "auto",
    output: o.Output = "-",
    out_format: o.OutFormat = "auto",
    coordinates: o.CoordinatesName = "auto",
    report: o.Report = None,
    plot: o.Plot = None,
    force: o.Force = False,
    as_json: o.AsJson = False,
    quiet: o.Quiet = False,
    debug: o.Debug = False,
) -> None:
    """Place new points on the map of a saved model.

    Columns are matched by their names, in any order: the features, or the points of the map.
    """
    check_table(output, out_format, as_json)
    check_endings(plot=plot, report=report)
    files = {"--output": output, "--report": report, "--plot": plot}
    with errors_told("Interrupted: nothing was written.", debug, quiet, as_json):
        check_outputs(files, new, force)
        check_extras(plot, report)
        from unimds.models import load

        mds: Any = load(model)
        o.check_coordinates(coordinates, mds.space_, mds.n_components)
        table = read_table(new, format, "points", "euclidean", encoding, quiet=quiet)
        if mds.metric != "precomputed":
            check_complete(table, new, mds.metric)
        table = _with_numbers(mds, table, new, format, encoding)
        given, table = _matched(mds, table, new)
        warn_of_empty(table, new, mds.metric, quiet)
        with waiting("placing points", quiet):
            points = mds.transform(given)
        how = (out_format, force, None, mds.space_, coordinates)
        write_points(output, points, table, *how)
        if plot is not None or report is not None:
            _show(Both(mds, points, table, given), plot, report, force)
        written = {option[2:]: name for option, name in files.items() if name not in (None, "-")}
        if as_json:
            print_json({"model": model, "points": len(points), "files": written})
        if written and not quiet:
            say(f"{counted(len(points))} placed. Written: {', '.join(map(str, written.values()))}")


@dataclass(frozen=True)
class Both:
    """The points of a map and new points, with what is known of their distances.

    Attributes
    ----------
    mds : MDS or LandmarkMDS
        The map.
    new : ndarray
        The places of the new points.
    table : Table
        The file of the new points.
    given : array or DataFrame
        Their features, or their distances to the map.
    """

    mds: Any
    new: Any
    table: Table
    given: Any

    @property
    def origin(self) -> list[str]:
        """For each point whether it is a point of the map or new."""
        return ["map"] * len(self.mds.embedding_) + ["new"] * len(self.new)

    @property
    def labels(self) -> list[str]:
        """The names of all points; without names, numbers from 1."""
        old, new = self.mds.labels_, self.table.labels
        count = range(1, 1 + max(len(self.mds.embedding_), len(self.new)))
        first = [str(i) for i in count[: len(self.mds.embedding_)]] if old is None else old
        return [*map(str, first), *(new or (f"new {i}" for i in count[: len(self.new)]))]

    def shown(self) -> list[str | None]:
        """Return the names to draw: on a crowded map those of the new points only."""
        n, names = len(self.mds.embedding_), self.labels
        return [*(names[:n] if len(names) <= CROWD else [None] * n), *names[n:]]

    def points(self) -> Any:
        """Return the places of all points, those of the map first."""
        import numpy as np

        return np.vstack([self.mds.embedding_, self.new])

    def distances(self) -> Any:
        """Return the distances that are known, NaN for others; None if there are too many."""
        import numpy as np

        n, m = len(self.mds.embedding_), len(self.new)
        if n + m > MANY:
            return None
        rows = np.asarray(self.given, dtype=float)
        if hasattr(self.mds, "_fit_X"):
            return self.mds._metric.between(np.vstack([self.mds._fit_X, rows]))
        if self.mds.metric != "precomputed":  # a model of landmarks knows their features only
            rows = self.mds._metric.between(rows, self.mds._features)
        D = np.full((n + m, n + m), np.nan)
        np.fill_diagonal(D, 0.0)
        to = np.arange(n) if rows.shape[1] == n else self.mds.landmarks_
        D[n:, to], D[to, n:] = rows, rows.T
        return D


def _show(both: Both, plot: str | None, report: str | None, force: bool) -> None:
    """Draw the map with the new points, and write a report on both."""
    mds, points = both.mds, both.points()
    if report is not None:
        from unimds.quality import total_cost
        from unimds.report import write_report

        D = both.distances()
        run = mds.landmark_result_ if hasattr(mds, "landmark_result_") else mds.result_
        cost = mds.cost_
        if D is not None:
            cost = total_cost(D, points, loss=mds.loss_, space=mds.space_)
        write_report(
            replace(run, embedding=points, cost=cost, stress=None),
            report,
            D,
            labels=both.labels,
            columns={"origin": both.origin},
            title=f"A map of {counted(len(mds.embedding_))} and {len(both.new)} new",
            force=force,
        )
    if plot is not None:
        from unimds.plots import plot_embedding

        axes = plot_embedding(points, both.shown(), both.origin, space=mds.space_)
        draw(plot, axes.figure, force)


def _with_numbers(mds: Any, table: Table, new: str, format: str, encoding: str) -> Table:
    """Return the table with a feature of the model that was read as labels, since it is whole."""
    import numpy as np

    from unimds.files import read_metadata

    names = list(getattr(mds, "feature_names_in_", ()))
    lacking = [name for name in names if name not in (table.features or names)]
    if mds.metric == "precomputed" or not lacking or new == "-" or table.format in ("npy", "npz"):
        return table
    every = read_metadata(new, format=format, encoding=encoding)
    known = every.features or []
    found = [name for name in lacking if name in known]
    values = np.column_stack([table.values, every.values[:, [known.index(n) for n in found]]])
    return replace(table, values=values, features=[*(table.features or []), *found])


def _matched(mds: Any, table: Table, new: str) -> tuple[Any, Table]:
    """Return a frame with the columns in the order of the model, and the table without others.

    A column that the model does not know does not count: it is kept beside the new points.
    """
    names = getattr(mds, "feature_names_in_", None)
    if names is None:
        return table.values, table
    frame = require("pandas", "files").DataFrame
    if table.features is None:
        fits = table.values.shape[1] == len(names)
        return (frame(table.values, columns=list(names)) if fits else table.values), table
    known = set(table.features)
    wanted = list(names)
    marks = getattr(mds, "landmarks_", None)
    if mds.metric == "precomputed" and marks is not None and not known.issuperset(wanted):
        wanted = [names[i] for i in marks]  # distances to the landmarks suffice
    missing = next((name for name in wanted if name not in known), None)
    if missing is not None:
        what = "distances to" if mds.metric == "precomputed" else "feature"
        raise ValueError(
            f"{new} lacks the {what} {missing!r}, which the model needs; add a column of that name"
        )
    with usage():
        chosen = table.chosen(wanted)
    unseen = [name for name in table.features if name not in set(names)]
    if unseen:
        few = ", ".join(map(repr, unseen[:3])) + (", …" if len(unseen) > 3 else "")
        warn(
            f"{new}: columns that the model does not know do not count, and are copied to the "
            f"output: {few}",
            UserWarning,
        )
    kept = {name: chosen.columns[name] for name in [*table.columns, *unseen]}
    return frame(chosen.values, columns=wanted), replace(chosen, columns=kept)
