"""``unimds embed``: turn a table of distances or points into a map."""

from __future__ import annotations

import re
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unimds.cli import cluster, layers
from unimds.cli.fitted import (
    MapFiles,
    cut_short,
    end,
    outcome_of,
    result_of,
    summary,
    tell,
    warn_if_degenerate,
    write,
)
from unimds.cli.guide import near, suggestion
from unimds.cli.inputs import column_of, metadata_in, rows_of, weights_of, with_metadata
from unimds.cli.messages import print_json, rows_named, say
from unimds.cli.options import meaning, sets
from unimds.cli.options import single as o
from unimds.cli.outputs import check_table
from unimds.cli.progress import watched

if TYPE_CHECKING:
    from unimds.files import Table


@sets.takes_sets
def embed(
    ctx: typer.Context,
    file: o.File,
    *,
    reading: sets.Reading,
    metadata: o.Metadata = None,
    weights: o.Weights = None,
    variant: o.Variant = None,
    parts: sets.Parts,
    conditional: o.Conditional = "table",
    dim: o.Dimension = 2,
    linear_in: Annotated[
        str | None,
        typer.Option(
            "--linear-in",
            metavar="FILE",
            help="The coordinates are linear in the variables of this file, matched by label.",
            rich_help_panel=o.MAP,
        ),
    ] = None,
    on: Annotated[
        str | None,
        typer.Option(
            "--on",
            metavar="SHAPE",
            help="All points lie on this shape: line or circle.",
            rich_help_panel=o.MAP,
        ),
    ] = None,
    regions: Annotated[
        str | None,
        typer.Option(
            "--regions",
            metavar="COLUMN",
            help="The groups of this column, of FILE or --metadata, lie in regions of their own.",
            rich_help_panel=o.MAP,
        ),
    ] = None,
    regions_as: Annotated[
        str,
        typer.Option(
            "--regions-as",
            metavar="KIND",
            help="How regions follow each other, in the order of the sorted groups: along the "
            "first axis, outwards in rings, or around the origin in sectors.",
            rich_help_panel=o.MAP,
        ),
    ] = "axis",
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
    jobs: o.Jobs = None,
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
    shepard: o.Shepard = None,
    color: o.Color = None,
    drawn: layers.Drawn,
    looks: sets.Looks,
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
    telling: sets.Telling,
) -> None:
    """Turn a table of distances, points or pairs into a map.

    ^C ends a long run and still writes the best map so far (exit code 130).
    """
    started = time.perf_counter()
    check_table(output, out_format, telling.as_json, "--plot", "--report", "--model")
    meaning.check_jobs(jobs)
    looks.check(plot, report, color, shepard)
    drawn.check(plot, report)
    how = (point_stress, force, looks, coordinates, shepard)
    targets = MapFiles(output, out_format, report, plot, model, *how)
    wanted: dict[str, Any] = {
        "n_components": dim,
        "n_init": meaning.starts_of(n_init, "auto", "thorough"),
        "max_iter": max_iter,
        "eps": eps,
        "n_jobs": jobs,
        "random_state": seed,
        "verbose": int(watched(telling.quiet)),
    }
    meaning.check_conditional(conditional)
    by_row = conditional == "row"
    if landmarks is not None:
        others = {"weights": weights, "point_stress": point_stress, "conditional": by_row}
        meaning.check_alone("--landmarks", **others, tree=drawn.tree, bubbles=drawn.bubbles)
    else:
        wanted["conditional"] = conditional
    _check_constraints(linear_in, on, regions, landmarks, dask, checkpoint)
    if dask is not None:
        alone: dict[str, Any] = {"report": report, "shepard": shepard, "tree": drawn.tree}
        meaning.check_alone("--dask", point_stress=point_stress, bubbles=drawn.bubbles, **alone)
        if by_row:
            raise typer.BadParameter(
                "--conditional row needs the whole table in one process; leave --dask out"
            )
    told = telling.errors(lambda: cut_short(targets, checkpoint))
    with told as warned, cluster.connected(dask, telling.quiet):
        targets.check(file, checkpoint)
        wanted |= parts.made(variant)
        meaning.check_coordinates(coordinates, wanted["space"], dim)
        if dask is not None and cluster.is_store(file):
            table = _stored(file, reading, metadata, color)
            wanted["metric"] = "precomputed" if table.precomputed else reading.metric
        else:
            table = reading.table(file, telling.quiet)
            if metadata is not None:
                table = with_metadata(table, metadata_in(metadata, reading.encoding), metadata)
            table, metric = reading.checked(ctx, table, file, dask is not None)
            wanted |= metric
        colors = None if color is None else (color, column_of(table, color, file))
        prepared = drawn.read(table, file)
        wanted["init"] = _init(init, table, wanted["space"], dim)
        wanted["checkpoint"] = _checkpoint(checkpoint, checkpoint_every)
        given = weights_of(weights, table)
        from unimds.distances.validate import points_named

        began = time.perf_counter()
        named = points_named(table.labels if table.precomputed else None)
        with named, rows_named(table.labels), _ends_told_here(table):
            if landmarks is not None:
                mds = _fit_landmarks(table, landmarks, wanted, dask is not None)
            else:
                _announce(table, dask is not None or telling.quiet)
                constraint = _constraint(table, file, linear_in, on, (regions, regions_as))
                mds = _fit(table, given, wanted, dask is not None, constraint)
        seconds = time.perf_counter() - began
        warn_if_degenerate(result_of(mds))
        targets.cut.append(outcome_of(mds).name == "INTERRUPTED")
        write(targets, mds, table, given, colors, prepared)
        if telling.as_json:
            ran = {"seconds": seconds, "total_seconds": time.perf_counter() - started}
            print_json({**summary(targets, mds, file), **ran, "warnings": warned})
        if not telling.quiet:
            tell(targets, mds, seconds, "sweeps" if dask is None else "rounds")
        end(outcome_of(mds), targets, checkpoint, max_iter, telling.quiet)


@contextmanager
def _ends_told_here(table: Table) -> Iterator[None]:
    """Hide the library's warnings of what the command itself says, once and with its names."""
    from unimds.distances.doubts.tables import names_directions
    from unimds.distances.metric import EmptyRowsWarning
    from unimds.estimators.solver import ASYMMETRIC
    from unimds.placecenter.degeneracy import DegenerateWarning
    from unimds.placecenter.result import Outcome

    directions = [ASYMMETRIC] if names_directions(table) else []
    with warnings.catch_warnings():
        for said in (Outcome.MAX_ITER.value, Outcome.INTERRUPTED.value, *directions):
            warnings.filterwarnings("ignore", re.escape(said))
        warnings.simplefilter("ignore", EmptyRowsWarning)
        warnings.simplefilter("ignore", DegenerateWarning)
        yield


def _stored(folder: str, reading: sets.Reading, metadata: str | None, color: str | None) -> Table:
    """Return the table in a folder, which the workers read themselves."""
    unread: dict[str, Any] = {"columns": reading.columns, "drop": reading.drop}
    unread |= {"metadata": metadata, "color": color}
    unread |= {"standardise": reading.standardise, "names": reading.names}
    meaning.check_alone("a folder, which the workers read themselves", **unread)
    return cluster.open_store(folder, reading.kind, reading.metric)


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


def _announce(table: Table, silent: bool) -> None:
    """Say before a long fit what it takes; on a terminal the library says it, and more."""
    from unimds.estimators.forecast import announced

    told = announced(table.n, table.values.dtype.itemsize)
    if told is not None and not silent and not watched(silent):
        say(f"{told} A map takes many passes over them; --landmarks 1000 is much quicker.")


def _check_constraints(
    linear_in: str | None,
    on: str | None,
    regions: str | None,
    landmarks: int | None,
    dask: str | None,
    checkpoint: str | None,
) -> None:
    """Raise for constraints that do not work together, or with other options."""
    given = {"--linear-in": linear_in, "--on": on, "--regions": regions}
    named = [option for option, value in given.items() if value is not None]
    if len(named) > 1:
        raise typer.BadParameter(f"{' and '.join(named)}: a map obeys one of them; leave one out")
    if named:
        others = {"landmarks": landmarks, "dask": dask, "checkpoint": checkpoint}
        meaning.check_alone(named[0], **others)
    if on not in (None, "line", "circle"):
        raise typer.BadParameter(f"use line or circle, not {on!r}", param_hint="--on")


def _constraint(
    table: Table,
    file: str,
    linear_in: str | None,
    on: str | None,
    regions: tuple[str | None, str],
) -> Any:
    """Return what the map must obey, if anything."""
    from unimds.constraints import LinearIn, OnCircle, OnLine, Regions

    column, kind = regions
    if linear_in is not None:
        from unimds.files import read

        given = read(linear_in, kind="points")
        rows = rows_of(table.labels, given, linear_in, "variables")
        return LinearIn(given.values[rows])
    if column is not None:
        return Regions(list(column_of(table, column, file)), kind)
    return None if on is None else OnLine() if on == "line" else OnCircle()


def _fit(
    table: Table, weights: Any, wanted: dict[str, Any], apart: bool, constraint: Any = None
) -> Any:
    from unimds.estimators.mds import MDS

    values = cluster.spread(table.values) if apart else table.values
    if apart and weights is not None:
        weights = cluster.spread(weights)
    return MDS(**wanted).fit(values, weights=weights, constraints=constraint)


def _fit_landmarks(table: Table, count: int, wanted: dict[str, Any], apart: bool) -> Any:
    from unimds.landmarks.estimator import LandmarkMDS

    if table.weights is not None:
        raise ValueError("FILE has weights, which do not work with --landmarks; leave one out")
    values = cluster.spread(table.values) if apart else table.values
    return LandmarkMDS(**wanted, n_landmarks=count).fit(values)
