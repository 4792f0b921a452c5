"""``unimds embed``: a table of distances, or of points, becomes a map."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unimds.cli import INTERRUPTED, cluster
from unimds.cli import options as o
from unimds.cli.messages import counted, entries_named, failures_told, print_json, say
from unimds.cli.outputs import check_outputs, check_picture_name, check_table_name, write_points

if TYPE_CHECKING:
    from unimds.files import Table
    from unimds.placecenter.result import Result

NO_MAP = "Interrupted before there was a map: nothing was written."


@dataclass(frozen=True)
class Targets:
    """The files that are asked for."""

    output: str
    out_format: str
    report: str | None
    plot: str | None
    model: str | None
    point_stress: bool
    force: bool

    def named(self) -> dict[str, str | None]:
        """Return the files by their options, in the order in which they are written."""
        return {
            "--output": self.output,
            "--model": self.model,
            "--report": self.report,
            "--plot": self.plot,
        }

    def check(self, source: str, checkpoint: str | None) -> None:
        """Raise what would go wrong with them after a long run."""
        from unimds._runtime.extras import require

        check_table_name(self.output, self.out_format)
        check_picture_name("--plot", self.plot)
        check_outputs({**self.named(), "--checkpoint": checkpoint}, source, self.force)
        if self.plot is not None:
            require("matplotlib", "plot")
        if self.report is not None:
            import_module("unimds.report")  # whatever that needs, it says so now


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
        str | None, typer.Option("--weights", help="Table of the weights of the pairs.")
    ] = None,
    n_init: Annotated[
        str, typer.Option("--n-init", help="Number of starts; auto races several kinds.")
    ] = "auto",
    seed: o.Seed = 0,
    max_iter: o.MaxIter = 2000,
    eps: o.Eps = 1e-7,
    jobs: Annotated[int | None, typer.Option("--jobs", "-j", help="Threads; -1 is all.")] = None,
    landmarks: Annotated[
        int | None,
        typer.Option("--landmarks", min=2, help="For very many points: fit so many, place others."),
    ] = None,
    format: o.Format = "auto",
    kind: o.Kind = "auto",
    encoding: o.Encoding = "auto",
    out_format: o.OutFormat = "auto",
    point_stress: Annotated[
        bool, typer.Option("--point-stress", help="Add a column: each point's share of the error.")
    ] = False,
    report: Annotated[
        str | None, typer.Option("--report", metavar="R.html", help="Write a report to look at.")
    ] = None,
    plot: Annotated[
        str | None, typer.Option("--plot", metavar="P.png", help="Draw the map: PNG, SVG or PDF.")
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", metavar="M", help="Save the model for `unimds place`.")
    ] = None,
    checkpoint: Annotated[
        str | None,
        typer.Option("--checkpoint", metavar="C", help="Keep the run in a file, or go on from it."),
    ] = None,
    checkpoint_every: Annotated[
        float, typer.Option("--checkpoint-every", min=0.0, help="Seconds between two writings.")
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

    ^C ends a long run with the best map so far, which is written all the same (exit code 130).
    """
    o.check_stdout(output, as_json)
    if jobs == 0:
        raise typer.BadParameter("--jobs 0: give a number of threads, or -1 for all")
    targets = Targets(output, out_format, report, plot, model, point_stress, force)
    wanted: dict[str, Any] = {
        "n_components": dim,
        "n_init": _starts(n_init),
        "max_iter": max_iter,
        "eps": eps,
        "n_jobs": jobs,
        "random_state": seed,
        "verbose": o.shows_progress(quiet),
    }
    if landmarks is not None:
        _check_landmarks(weights, checkpoint, point_stress, report)
    if dask is not None:
        cluster.check_options(landmarks=landmarks, point_stress=point_stress, report=report)
    with failures_told(NO_MAP, debug, quiet), _workers(dask, quiet):
        targets.check(file, checkpoint)
        wanted["loss"], wanted["space"] = o.parts(variant, loss, space, size)
        if dask is not None and cluster.is_store(file):
            table = cluster.open_store(file)
        else:
            table = o.read_table(file, format, kind, metric, encoding)
            o.check_complete(table, file, metric)
            o.tell_doubts(table, file, quiet, dask is not None)
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


def _workers(address: str | None, quiet: bool) -> AbstractContextManager[None]:
    return nullcontext() if address is None else cluster.connected(address, quiet)


def _check_landmarks(*others: Any) -> None:
    names = ("--weights", "--checkpoint", "--point-stress", "--report")
    for name, value in zip(names, others, strict=True):
        if value:
            raise typer.BadParameter(f"{name} does not go with --landmarks; leave one of them out")


def _starts(text: str) -> int | str:
    if text == "auto":
        return text
    if text.isdecimal() and int(text) > 0:
        return int(text)
    raise typer.BadParameter(f"--n-init must be auto or a number of starts, not {text!r}")


def _weights(file: str | None, table: Table) -> Any:
    """Return the weights: those of a file, in the order of the table's labels, or its own."""
    from unimds.files import read

    if file is None:
        return table.weights
    given = read(file, kind="distances")
    if given.labels is None or table.labels is None or given.labels == table.labels:
        return given.values
    at = {label: i for i, label in enumerate(given.labels)}
    missing = next((label for label in table.labels if label not in at), None)
    if missing is not None:
        raise ValueError(f"{file} has no weights for {missing!r}; give every point its row")
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
        raise ValueError(
            "FILE has weights, which do not go with --landmarks; leave one of them out"
        )
    return LandmarkMDS(**wanted, n_landmarks=count).fit(table.values)


def _result(mds: Any) -> Result:
    found: Result = mds.result_ if hasattr(mds, "result_") else mds.landmark_result_
    return found


def _write(targets: Targets, mds: Any, table: Table, metric: str) -> None:
    """Write all that was asked for, the map first: it is what took long."""
    D = getattr(mds, "dissimilarity_matrix_", None)
    more: dict[str, Any] = {}
    if targets.point_stress:
        from unimds.quality import point_stress

        given = table.distances(metric) if D is None else D
        more["stress"] = point_stress(given, mds.embedding_, space=mds.space_)
    write_points(targets.output, mds.embedding_, table, targets.out_format, targets.force, more)
    if targets.model is not None:
        _save(targets.model, mds, table, targets.force)
    if targets.report is not None:
        import_module("unimds.report").write_report(
            targets.report,
            mds,
            D=D,
            labels=table.labels,
            columns=table.columns,
            force=targets.force,
        )
    if targets.plot is not None:
        _draw(targets.plot, mds, table, targets.force)


def _save(path: str, mds: Any, table: Table, force: bool) -> None:
    from unimds.models import save

    names = table.labels if table.precomputed else table.features
    if names is not None and len(set(names)) < len(names):  # they cannot be matched by name
        names = None
    save(mds, path, labels=table.labels, features=names, force=force)


def _draw(path: str, mds: Any, table: Table, force: bool) -> None:
    from unimds.files import atomic

    plots = import_module("unimds.plots")
    axes = plots.plot_embedding(mds.embedding_, labels=table.labels, space=mds.space_)
    with atomic(path, force=force) as partial:
        axes.figure.savefig(partial)


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
        why = "" if o.shows_progress(quiet) else f" {result.message}"  # the bar has said it
        say(
            f"{counted(len(mds.embedding_))}: cost {mds.cost_:.6g}, stress {mds.stress_:.4g}, "
            f"{mds.n_iter_} {steps}, {seconds:.2f} s.{why}"
        )
        if written:
            say(f"Written: {', '.join(written.values())}")


def _end(result: Result, output: str, checkpoint: str | None) -> None:
    """Remove the checkpoint of a run that is over; after ^C say how to go on."""
    if result.outcome.name != "INTERRUPTED":
        if checkpoint is not None:
            Path(checkpoint).unlink(missing_ok=True)
        return
    where = "on standard output" if output == "-" else f"in {output}"
    going_on = "" if checkpoint is None else f" The same command goes on from {checkpoint}."
    say(f"Interrupted: the best map so far is {where}.{going_on}")
    raise typer.Exit(INTERRUPTED)
