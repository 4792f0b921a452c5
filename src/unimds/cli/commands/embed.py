"""``unimds embed``: turn a table of distances or points into a map."""

from __future__ import annotations

import re
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unimds.cli import cluster
from unimds.cli import options as o
from unimds.cli.doubts import names_directions, warn_of_doubts
from unimds.cli.guide import near, suggestion
from unimds.cli.inputs import (
    check_complete,
    check_joined,
    column_of,
    metadata_in,
    read_table,
    rows_of,
    with_metadata,
)
from unimds.cli.interrupts import compiled_then, interrupts
from unimds.cli.messages import (
    INTERRUPTED,
    counted,
    errors_told,
    print_json,
    rows_named,
    say,
)
from unimds.cli.outputs import (
    check_endings,
    check_extras,
    check_looks,
    check_outputs,
    check_table,
    draw,
    write_points,
)
from unimds.cli.progress import watched

if TYPE_CHECKING:
    from unimds.files import Table
    from unimds.placecenter.result import Outcome, Result

NO_MAP = "Interrupted before there was a map: nothing was written."
COMPILING = (
    "Interrupted while code was being compiled, before there was a map: nothing was written. "
    "The next run does not compile again what has been compiled."
)


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
    title: str | None = None
    dpi: int | None = None
    no_names: bool = False
    done: list[str] = field(default_factory=list)  # those that have been written
    cut: list[bool] = field(default_factory=list)  # whether the run was interrupted, once it ended

    def named(self) -> dict[str, str | None]:
        """Return the files by their options, in the order in which they are written."""
        return {
            "--output": self.output,
            "--model": self.model,
            "--report": self.report,
            "--plot": self.plot,
        }

    def written(self) -> list[str]:
        """Return the files that are written."""
        return [name for name in self.named().values() if name is not None and name != "-"]

    def check(self, source: str, checkpoint: str | None) -> None:
        """Raise before a long run what would go wrong after it."""
        check_endings(self.plot, self.report, self.model, checkpoint)
        check_outputs({**self.named(), "--checkpoint": checkpoint}, source, self.force)
        check_extras(self.plot, self.report)


def embed(
    ctx: typer.Context,
    file: o.File,
    format: o.Format = "auto",
    kind: o.Kind = "auto",
    encoding: o.Encoding = "auto",
    weight: o.EdgeWeight = "auto",
    metric: o.MetricName = "euclidean",
    columns: o.Columns = None,
    drop: o.Drop = None,
    part: o.Part = "all",
    metadata: o.Metadata = None,
    weights: Annotated[
        str | None,
        typer.Option(
            "--weights", metavar="FILE", help="Weights of the pairs.", rich_help_panel=o.INPUT
        ),
    ] = None,
    variant: o.Variant = None,
    loss: o.LossName = None,
    space: o.SpaceName = None,
    size: o.Size = None,
    dim: o.Dimension = 2,
    init: Annotated[
        str,
        typer.Option(
            "--init",
            metavar="MAP.csv",
            help="Start from a map that was written before, matched by label; or a kind of start: "
            "auto, random, shaken, classical, spherical or hyperbolic.",
            rich_help_panel=o.RUN,
        ),
    ] = "auto",
    n_init: Annotated[
        str,
        typer.Option(
            "--n-init",
            metavar="N",
            help="Number of starts. auto looks for the lowest map of few points, and races several "
            "kinds of start; thorough looks longer.",
            rich_help_panel=o.RUN,
        ),
    ] = "auto",
    seed: o.Seed = 0,
    max_iter: o.MaxIter = 2000,
    eps: o.Eps = 1e-7,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            "-j",
            metavar="N",
            help="Number of threads; -1 uses all cores.",
            rich_help_panel=o.RUN,
        ),
    ] = None,
    landmarks: Annotated[
        int | None,
        typer.Option(
            "--landmarks",
            metavar="N",
            min=2,
            help="For very many points: fit this many, and place the rest.",
            rich_help_panel=o.RUN,
        ),
    ] = None,
    checkpoint: Annotated[
        str | None,
        typer.Option(
            "--checkpoint",
            metavar="C",
            help="Save the run in this file, or resume it from there.",
            rich_help_panel=o.RUN,
        ),
    ] = None,
    checkpoint_every: Annotated[
        float,
        typer.Option(
            "--checkpoint-every",
            metavar="SECONDS",
            min=0.0,
            help="Seconds between two checkpoints.",
            rich_help_panel=o.RUN,
        ),
    ] = 30.0,
    dask: Annotated[
        str | None,
        typer.Option(
            "--dask",
            metavar="ADDRESS",
            help="Use a Dask cluster: tcp://… or local.",
            rich_help_panel=o.RUN,
        ),
    ] = None,
    output: o.Output = "-",
    out_format: o.OutFormat = "auto",
    coordinates: o.CoordinatesName = "auto",
    point_stress: Annotated[
        bool,
        typer.Option(
            "--point-stress",
            help="Add a column: each point's share of the squared error.",
            rich_help_panel=o.OUTPUT,
        ),
    ] = False,
    report: o.Report = None,
    plot: o.Plot = None,
    color: o.Color = None,
    title: o.Title = None,
    dpi: o.Dpi = None,
    no_names: o.NoNames = False,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            metavar="M.unimds",
            help="Save the model for `unimds place`.",
            rich_help_panel=o.OUTPUT,
        ),
    ] = None,
    force: o.Force = False,
    as_json: o.AsJson = False,
    quiet: o.Quiet = False,
    debug: o.Debug = False,
) -> None:
    """Turn a table of distances, points or pairs into a map.

    ^C ends a long run and still writes the best map so far (exit code 130).
    """
    started = time.perf_counter()
    check_table(output, out_format, as_json, "--plot", "--report", "--model")
    if jobs == 0:
        raise typer.BadParameter("--jobs 0: give a number of threads, or -1 for all cores")
    check_looks(plot, report, color, title, dpi, no_names)
    how = (point_stress, force, coordinates, title, dpi, no_names)
    targets = Targets(output, out_format, report, plot, model, *how)
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
        o.check_alone("--landmarks", weights=weights, point_stress=point_stress)
    if dask is not None:
        o.check_alone("--dask", point_stress=point_stress, report=report)
    told = errors_told(lambda: _cut_short(targets, checkpoint), debug, quiet, as_json)
    with told as warned, cluster.connected(dask, quiet):
        targets.check(file, checkpoint)
        wanted["loss"], wanted["space"] = o.parts(variant, loss, space, size)
        o.check_coordinates(coordinates, wanted["space"], dim)
        if dask is not None and cluster.is_store(file):
            unread = {"columns": columns, "drop": drop, "metadata": metadata, "color": color}
            o.check_alone("a folder, which the workers read themselves", **unread)
            table = cluster.open_store(file, kind, metric)
        else:
            given_as = (format, kind, metric, encoding, weight, quiet)
            table = read_table(file, *given_as, columns, drop, part)
            if metadata is not None:
                table = with_metadata(table, metadata_in(metadata, encoding), metadata)
            check_complete(table, file, metric)
            check_joined(table, file)
            unasked = o.is_default(ctx, "metric")
            warn_of_doubts(table, file, metric, dask is not None, unasked, drop)
        colors = None if color is None else (color, column_of(table, color, file))
        wanted["metric"] = "precomputed" if table.precomputed else metric
        wanted["init"] = _init(init, table, wanted["space"], dim)
        wanted["checkpoint"] = _checkpoint(checkpoint, checkpoint_every)
        given = _weights(weights, table)
        from unimds.distances.validate import points_named

        began = time.perf_counter()
        named = points_named(table.labels if table.precomputed else None)
        with named, rows_named(table.labels), _ends_told_here(table):
            if landmarks is not None:
                mds = _fit_landmarks(table, landmarks, wanted, dask is not None)
            else:
                _announce(table, dask is not None or quiet)
                mds = _fit(table, given, wanted, dask is not None)
        seconds = time.perf_counter() - began
        targets.cut.append(_outcome(mds).name == "INTERRUPTED")
        _write(targets, mds, table, metric, given, colors)
        if as_json:
            ran = {"seconds": seconds, "total_seconds": time.perf_counter() - started}
            print_json({**_found(targets, mds, file), **ran, "warnings": warned})
        if not quiet:
            _tell(targets, mds, seconds, "sweeps" if dask is None else "rounds")
        _end(_outcome(mds), targets, checkpoint, max_iter, quiet)


@contextmanager
def _ends_told_here(table: Table) -> Iterator[None]:
    """Hide the library's warnings of what the command itself says, once and with its names."""
    from unimds.distances.metric import EmptyRowsWarning
    from unimds.estimators.solver import ASYMMETRIC
    from unimds.placecenter.result import Outcome

    directions = [ASYMMETRIC] if names_directions(table) else []
    with warnings.catch_warnings():
        for said in (Outcome.MAX_ITER.value, Outcome.INTERRUPTED.value, *directions):
            warnings.filterwarnings("ignore", re.escape(said))
        warnings.simplefilter("ignore", EmptyRowsWarning)
        yield


def _checkpoint(path: str | None, every: float) -> Any:
    from unimds.checkpoint import Checkpoint

    return None if path is None else Checkpoint(path, every)


def _init(given: str, table: Table, space: Any, dim: int) -> Any:
    """Return a kind of start, or the points of a map in a file, in the order of the table."""
    from unimds.estimators.parameters import init_names
    from unimds.files import read
    from unimds.spaces.coordinates import as_coordinates, from_coordinates

    known = init_names()
    if given in known:
        return given
    if given != "-" and not Path(given).exists():
        hint = suggestion(near(given, known)) or f"; the kinds of start are {', '.join(known)}"
        raise typer.BadParameter(
            f"there is no file and no kind of start {given!r}{hint}", param_hint="--init"
        )
    start = read(given, kind="points")
    width = space.n_coordinates(dim)
    names = as_coordinates("auto", space, dim).names(width)
    features = start.features or []
    points = from_coordinates(features, start.values, space, dim)
    if points is None and start.values.shape[1] == width and "x" not in features:
        points = start.values
    if points is None:
        raise ValueError(
            f"{given}: this map has the columns {', '.join(features)}, and a map of {dim} "
            f"dimensions in {space} starts from {', '.join(names)}; give a map of that kind"
        )
    points = points[rows_of(table.labels, start, given, "place")]
    if len(points) != table.n:
        raise ValueError(
            f"{given} has {len(points)} points and the input {table.n}; give every point a row, "
            "and labels to match them by"
        )
    return points


def _starts(text: str) -> int | str:
    if text in ("auto", "thorough"):
        return text
    if text.isdecimal() and int(text) > 0:
        return int(text)
    raise typer.BadParameter(f"--n-init must be auto, thorough or a number of starts, not {text!r}")


def _weights(file: str | None, table: Table) -> Any:
    """Return the weights: those of a file, in the order of the table's labels, or the table's."""
    from unimds.files import read

    if file is None:
        return table.weights
    given = read(file, kind="distances")
    rows = rows_of(table.labels, given, file, "weights")
    return given.values[rows][:, rows]


def _announce(table: Table, silent: bool) -> None:
    """Say before a long fit what it takes; on a terminal the library says it, and more."""
    from unimds.estimators.forecast import announced

    told = announced(table.n, table.values.dtype.itemsize)
    if told is not None and not silent and not watched(silent):
        say(f"{told} A map takes many passes over them; --landmarks 1000 is much quicker.")


def _fit(table: Table, weights: Any, wanted: dict[str, Any], apart: bool) -> Any:
    from unimds.estimators.mds import MDS

    values = cluster.spread(table.values) if apart else table.values
    if apart and weights is not None:
        weights = cluster.spread(weights)
    return MDS(**wanted).fit(values, weights=weights)


def _fit_landmarks(table: Table, count: int, wanted: dict[str, Any], apart: bool) -> Any:
    from unimds.landmarks.estimator import LandmarkMDS

    if table.weights is not None:
        raise ValueError("FILE has weights, which do not work with --landmarks; leave one out")
    values = cluster.spread(table.values) if apart else table.values
    return LandmarkMDS(**wanted, n_landmarks=count).fit(values)


def _result(mds: Any) -> Result:
    found: Result = mds.result_ if hasattr(mds, "result_") else mds.landmark_result_
    return found


def _n_starts(mds: Any) -> int:
    """Return how many starts the search for the map had; 0 if there was none, as for landmarks."""
    run = _result(mds)
    if run.starts is None or len(run.embedding) < len(mds.embedding_):
        return 0
    return len(run.starts)


def _outcome(mds: Any) -> Outcome:
    """Return why a run ended, whichever phase it ended in."""
    found: Outcome = getattr(mds, "outcome_", None) or _result(mds).outcome
    return found


def _write(
    targets: Targets,
    mds: Any,
    table: Table,
    metric: str,
    weights: Any,
    colors: tuple[str, Any] | None,
) -> None:
    """Write all files, the map and its model first: they took the longest, so ^C waits for them."""
    with interrupts.held():
        _write_map(targets, mds, table, metric)
    if targets.report is not None:
        from unimds.report import write_report

        write_report(
            mds,
            targets.report,
            D=table.values
            if hasattr(mds, "landmark_result_")
            else getattr(mds, "dissimilarity_matrix_", None),
            labels=table.labels,
            # the report colours by its first column
            columns={**({} if colors is None else dict([colors])), **table.columns},
            weights=weights,
            edges=table.edges,
            edge_weights=table.edge_weights,
            title=targets.title,
            force=targets.force,
        )
        targets.done.append(targets.report)
    if targets.plot is not None:
        from unimds.plots import plot_embedding
        from unimds.plots.columns import NamedColumn

        axes = plot_embedding(
            mds.embedding_,
            labels=False if targets.no_names else table.labels,
            color=None if colors is None else NamedColumn(*colors),
            space=mds.space_,
            edges=table.edges,
            title=targets.title,
        )
        draw(targets.plot, axes.figure, targets.force, targets.dpi)
        targets.done.append(targets.plot)


def _write_map(targets: Targets, mds: Any, table: Table, metric: str) -> None:
    more: dict[str, Any] = {}
    if targets.point_stress:
        from unimds.distances.metric import distances_of
        from unimds.quality import point_stress

        D = getattr(mds, "dissimilarity_matrix_", None)
        given = distances_of(table, metric) if D is None else D
        more["point_stress"] = point_stress(given, mds.embedding_, space=mds.space_)
    how = (targets.out_format, targets.force, more, mds.space_, targets.coordinates)
    write_points(targets.output, mds.embedding_, table, *how)
    targets.done.append(targets.output)
    if targets.model is not None:
        _save(targets.model, mds, table, targets.force)
        targets.done.append(targets.model)


def _cut_short(targets: Targets, checkpoint: str | None) -> str:
    """Return what there is after ^C, while the map was made or while the files were written."""
    if not targets.done:
        compiling = compiled_then(sys.exception())
        return (COMPILING if compiling else NO_MAP) + _resume(checkpoint, force=True)
    left = [name for name in targets.written() if name not in targets.done]
    missing = f" Not written: {', '.join(left)}." if left else ""
    if any(targets.cut):
        return _best(targets) + missing + _resume(checkpoint, targets.force)
    return f"Interrupted: the map is complete and {_place(targets)}.{missing}"


def _best(targets: Targets) -> str:
    return f"Interrupted: the best map so far is {_place(targets)}."


def _place(targets: Targets) -> str:
    return "on standard output" if targets.output == "-" else f"in {targets.output}"


def _save(path: str, mds: Any, table: Table, force: bool) -> None:
    from unimds.models import save

    names = table.labels if table.precomputed else table.features
    if names is not None and len(set(names)) < len(names):  # they cannot be matched by name
        names = None
    save(mds, path, labels=table.labels, features=names, force=force)


def _written(targets: Targets) -> dict[str, str]:
    return {
        option.removeprefix("--"): name
        for option, name in targets.named().items()
        if name is not None and name != "-"
    }


def _found(targets: Targets, mds: Any, file: str) -> dict[str, Any]:
    """Return what to print as JSON; what was not measured or counted is left out."""
    outcome, starts = _outcome(mds), _n_starts(mds)
    found: dict[str, Any] = {
        "file": file,
        "points": len(mds.embedding_),
        "loss": str(mds.loss_),
        "space": str(mds.space_),
        "cost": float(mds.cost_),
        "stress": float(mds.stress_),
    }
    if _is_estimated(mds):
        found |= {"cost_error": float(mds.cost_error_), "stress_error": float(mds.stress_error_)}
    found |= {
        "estimated": _is_estimated(mds),
        "converged": outcome.converged,
        "message": outcome.value,
        "n_iter": mds.n_iter_,
    }
    if starts:
        found |= {"starts": starts, "found": _result(mds).found}
    return {**found, "files": _written(targets)}


def _is_estimated(mds: Any) -> bool:
    """Whether cost and stress were estimated on a sample of the pairs."""
    return bool(getattr(mds, "cost_error_", 0.0))


def _tell(targets: Targets, mds: Any, seconds: float, steps: str) -> None:
    from unimds.estimators.parameters import size_found

    outcome, starts = _outcome(mds), _n_starts(mds)
    # the bar has said it, and `_end` says how to go on after ^C
    once = watched(False) or outcome.name == "INTERRUPTED"
    why = "" if once else f" {outcome.value}"
    course = f"{mds.n_iter_} {steps}"
    if starts > 1:  # the sweeps after a search say nothing about it
        course = f"found from {_result(mds).found} of {starts} starts"
    size = size_found(mds)
    fit = f"cost {mds.cost_:.6g}, stress {mds.stress_:.4g}"
    if _is_estimated(mds):
        fit = (
            f"cost {mds.cost_:.6g} ± {mds.cost_error_:.2g}, stress {mds.stress_:.4g} ± "
            f"{mds.stress_error_:.2g} (estimates with their standard errors)"
        )
    say(
        f"{counted(len(mds.embedding_))}: {fit}, "
        f"{f'{size} (estimated), ' if size else ''}{course}, {seconds:.2f} s.{why}"
    )
    if written := _written(targets):
        say(f"Written: {', '.join(written.values())}")


def _end(
    outcome: Outcome, targets: Targets, checkpoint: str | None, max_iter: int, quiet: bool
) -> None:
    """Remove the checkpoint of a finished run; after any other end say how to go on."""
    if outcome.name == "INTERRUPTED":
        say(_best(targets) + _resume(checkpoint, targets.force or not targets.written()))
        raise typer.Exit(INTERRUPTED)
    if outcome.name != "MAX_ITER":
        if checkpoint is not None:
            Path(checkpoint).unlink(missing_ok=True)
        return
    if not quiet:
        say(_further(targets, checkpoint, max_iter))


def _resume(checkpoint: str | None, force: bool) -> str:
    """Return how to resume an interrupted run, if its checkpoint has been written."""
    if checkpoint is None or not Path(checkpoint).exists():
        return ""
    return f" The same command{'' if force else ' with --force'} resumes from {checkpoint}."


def _further(targets: Targets, checkpoint: str | None, max_iter: int) -> str:
    """Return how to go on with a run that ended at its limit."""
    limit = f"--max-iter {2 * max_iter}"
    if checkpoint is not None and Path(checkpoint).exists():
        again = limit if targets.force or not targets.written() else f"{limit} --force"
        return f"To go on from {checkpoint}, give the same command with {again}."
    if targets.output != "-":
        return f"To go on from this map, give --init {targets.output} and another name for OUT."
    return f"To go further, give {limit}."
