"""``unimds embed``: turn a table of distances or points into a map."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unimds.cli import cluster
from unimds.cli import options as o
from unimds.cli.inputs import check_complete, read_table, warn_of_doubts
from unimds.cli.messages import INTERRUPTED, counted, entries_named, errors_told, print_json, say
from unimds.cli.outputs import check_endings, check_outputs, check_table, draw, write_points
from unimds.cli.progress import watched

if TYPE_CHECKING:
    from unimds.files import Table
    from unimds.placecenter.result import Result

NO_MAP = "Interrupted before there was a map: nothing was written."


@dataclass(frozen=True)
class Targets:
    """The files to write."""

    output: str
    out_format: str
    report: str | None
    plot: str | None
    model: str | None
    point_stress: bool
    force: bool
    coordinates: str = "auto"

    def named(self) -> dict[str, str | None]:
        """Return the files by their options, in the order in which they are written."""
        return {
            "--output": self.output,
            "--model": self.model,
            "--report": self.report,
            "--plot": self.plot,
        }

    def check(self, source: str, checkpoint: str | None) -> None:
        """Raise before a long run what would go wrong after it."""
        from unimds._runtime.extras import require

        check_endings(self.plot, self.report, self.model, checkpoint)
        check_outputs({**self.named(), "--checkpoint": checkpoint}, source, self.force)
        if self.plot is not None:
            require("matplotlib", "plot")
        if self.report is not None:
            require("plotly", "report")


def embed(
    file: o.File,
    output: o.Output = "-",
    variant: o.Variant = None,
    loss: o.LossName = None,
    space: o.SpaceName = None,
    size: o.Size = None,
    dim: o.Dimension = 2,
    metric: o.MetricName = "euclidean",
    weights: Annotated[
        str | None, typer.Option("--weights", metavar="FILE", help="Weights of the pairs.")
    ] = None,
    n_init: Annotated[
        str, typer.Option("--n-init", help="Number of starts; auto races several kinds of start.")
    ] = "auto",
    seed: o.Seed = 0,
    max_iter: o.MaxIter = 2000,
    eps: o.Eps = 1e-7,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", help="Number of threads; -1 uses all cores.")
    ] = None,
    landmarks: Annotated[
        int | None,
        typer.Option(
            "--landmarks",
            min=2,
            help="For very many points: fit this many, and place the rest.",
        ),
    ] = None,
    format: o.Format = "auto",
    kind: o.Kind = "auto",
    encoding: o.Encoding = "auto",
    weight: o.EdgeWeight = "auto",
    out_format: o.OutFormat = "auto",
    coordinates: o.CoordinatesName = "auto",
    point_stress: Annotated[
        bool, typer.Option("--point-stress", help="Add a column: each point's share of the error.")
    ] = False,
    report: Annotated[
        str | None, typer.Option("--report", metavar="R.html", help="Write an HTML report.")
    ] = None,
    plot: Annotated[
        str | None, typer.Option("--plot", metavar="P.png", help="Draw the map: PNG, SVG or PDF.")
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", metavar="M", help="Save the model for `unimds place`.")
    ] = None,
    checkpoint: Annotated[
        str | None,
        typer.Option(
            "--checkpoint", metavar="C", help="Save the run in this file, or resume it from there."
        ),
    ] = None,
    checkpoint_every: Annotated[
        float, typer.Option("--checkpoint-every", min=0.0, help="Seconds between two checkpoints.")
    ] = 30.0,
    dask: Annotated[
        str | None,
        typer.Option("--dask", metavar="ADDRESS", help="Use a Dask cluster: tcp://… or local."),
    ] = None,
    as_json: o.AsJson = False,
    force: o.Force = False,
    quiet: o.Quiet = False,
    debug: o.Debug = False,
) -> None:
    """Turn a table of distances, points or pairs into a map.

    ^C ends a long run and still writes the best map so far (exit code 130).
    """
    check_table(output, out_format, as_json)
    if jobs == 0:
        raise typer.BadParameter("--jobs 0: give a number of threads, or -1 for all cores")
    targets = Targets(output, out_format, report, plot, model, point_stress, force, coordinates)
    wanted: dict[str, Any] = {
        "n_components": dim,
        "n_init": _starts(n_init),
        "max_iter": max_iter,
        "eps": eps,
        "n_jobs": jobs,
        "random_state": seed,
        "verbose": int(watched(quiet)),
    }
    if landmarks is not None:
        others = {"weights": weights, "checkpoint": checkpoint}
        o.check_alone("--landmarks", **others, point_stress=point_stress, report=report)
    if dask is not None:
        o.check_alone("--dask", landmarks=landmarks, point_stress=point_stress, report=report)
    with errors_told(NO_MAP, debug, quiet), cluster.connected(dask, quiet):
        targets.check(file, checkpoint)
        wanted["loss"], wanted["space"] = o.parts(variant, loss, space, size)
        o.check_coordinates(coordinates, wanted["space"], dim)
        if dask is not None and cluster.is_store(file):
            table = cluster.open_store(file)
        else:
            table = read_table(file, format, kind, metric, encoding, weight)
            check_complete(table, file, metric)
            warn_of_doubts(table, file, quiet, dask is not None)
        wanted["metric"] = "precomputed" if table.precomputed else metric
        began = time.perf_counter()
        with entries_named(table.labels if table.precomputed else None):
            if landmarks is not None:
                mds = _fit_landmarks(table, landmarks, wanted)
            else:
                kept = (checkpoint, checkpoint_every)
                mds = _fit(table, _weights(weights, table), wanted, *kept, dask is not None)
        seconds = time.perf_counter() - began
        _write(targets, mds, table, metric)
        _tell(targets, mds, file, seconds, as_json, quiet, "sweeps" if dask is None else "rounds")
        _end(_result(mds), targets.output, checkpoint)


def _starts(text: str) -> int | str:
    if text == "auto":
        return text
    if text.isdecimal() and int(text) > 0:
        return int(text)
    raise typer.BadParameter(f"--n-init must be auto or a number of starts, not {text!r}")


def _weights(file: str | None, table: Table) -> Any:
    """Return the weights: those of a file, in the order of the table's labels, or the table's."""
    from unimds.files import read

    if file is None:
        return table.weights
    given = read(file, kind="distances")
    if given.labels is None or table.labels is None or given.labels == table.labels:
        return given.values
    at = {label: i for i, label in enumerate(given.labels)}
    missing = next((label for label in table.labels if label not in at), None)
    if missing is not None:
        raise ValueError(f"{file} has no weights for {missing!r}; give every point a row")
    index = [at[label] for label in table.labels]
    return given.values[index][:, index]


def _fit(
    table: Table,
    weights: Any,
    wanted: dict[str, Any],
    checkpoint: str | None,
    every: float,
    apart: bool,
) -> Any:
    from unimds.checkpoint import Checkpoint
    from unimds.estimators.mds import MDS

    kept = None if checkpoint is None else Checkpoint(checkpoint, every)
    values = cluster.spread(table.values) if apart else table.values
    if apart and weights is not None:
        weights = cluster.spread(weights)
    return MDS(**wanted, checkpoint=kept).fit(values, weights=weights)


def _fit_landmarks(table: Table, count: int, wanted: dict[str, Any]) -> Any:
    from unimds.landmarks.estimator import LandmarkMDS

    if table.weights is not None:
        raise ValueError("FILE has weights, which do not work with --landmarks; leave one out")
    return LandmarkMDS(**wanted, n_landmarks=count).fit(table.values)


def _result(mds: Any) -> Result:
    found: Result = mds.result_ if hasattr(mds, "result_") else mds.landmark_result_
    return found


def _write(targets: Targets, mds: Any, table: Table, metric: str) -> None:
    """Write all files, the map first: it took the longest."""
    D = getattr(mds, "dissimilarity_matrix_", None)
    more: dict[str, Any] = {}
    if targets.point_stress:
        from unimds.distances.metric import distances_of
        from unimds.quality import point_stress

        given = distances_of(table, metric) if D is None else D
        more["stress"] = point_stress(given, mds.embedding_, space=mds.space_)
    how = (targets.out_format, targets.force, more, mds.space_, targets.coordinates)
    write_points(targets.output, mds.embedding_, table, *how)
    if targets.model is not None:
        _save(targets.model, mds, table, targets.force)
    if targets.report is not None:
        from unimds.report import write_report

        columns, force = table.columns, targets.force
        write_report(mds, targets.report, D=D, labels=table.labels, columns=columns, force=force)
    if targets.plot is not None:
        from unimds.plots import plot_embedding

        axes = plot_embedding(
            mds.embedding_, labels=table.labels, space=mds.space_, edges=table.edges
        )
        draw(targets.plot, axes.figure, targets.force)


def _save(path: str, mds: Any, table: Table, force: bool) -> None:
    from unimds.models import save

    names = table.labels if table.precomputed else table.features
    if names is not None and len(set(names)) < len(names):  # they cannot be matched by name
        names = None
    save(mds, path, labels=table.labels, features=names, force=force)


def _tell(
    targets: Targets,
    mds: Any,
    file: str,
    seconds: float,
    as_json: bool,
    quiet: bool,
    steps: str,
) -> None:
    result = _result(mds)
    written = {
        option.removeprefix("--"): name
        for option, name in targets.named().items()
        if name is not None and name != "-"
    }
    if as_json:
        found = {
            "file": file,
            "points": len(mds.embedding_),
            "loss": str(mds.loss_),
            "space": str(mds.space_),
            "cost": float(mds.cost_),
            "stress": float(mds.stress_),
            "converged": result.converged,
            "message": result.message,
            "n_iter": mds.n_iter_,
            "seconds": seconds,
            "files": written,
        }
        print_json(found)
    if not quiet:
        why = "" if watched(quiet) else f" {result.message}"  # the bar has said it
        say(
            f"{counted(len(mds.embedding_))}: cost {mds.cost_:.6g}, stress {mds.stress_:.4g}, "
            f"{mds.n_iter_} {steps}, {seconds:.2f} s.{why}"
        )
        if written:
            say(f"Written: {', '.join(written.values())}")


def _end(result: Result, output: str, checkpoint: str | None) -> None:
    """Remove the checkpoint of a finished run; after ^C say how to resume."""
    if result.outcome.name != "INTERRUPTED":
        if checkpoint is not None:
            Path(checkpoint).unlink(missing_ok=True)
        return
    where = "on standard output" if output == "-" else f"in {output}"
    resume = "" if checkpoint is None else f" The same command resumes from {checkpoint}."
    say(f"Interrupted: the best map so far is {where}.{resume}")
    raise typer.Exit(INTERRUPTED)
