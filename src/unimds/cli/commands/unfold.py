"""``unimds unfold``: a joint map of the rows and the columns of a table."""

from __future__ import annotations

import time
from typing import Annotated, Any

import typer

from unimds.cli import options as o
from unimds.cli.inputs import read_table
from unimds.cli.messages import INTERRUPTED, errors_told, print_json, say
from unimds.cli.outputs import (
    check_endings,
    check_extras,
    check_looks,
    check_outputs,
    check_table,
    draw,
)
from unimds.cli.progress import watched


def unfold(
    file: o.PointsFile,
    format: o.Format = "auto",
    encoding: o.Encoding = "auto",
    columns: Annotated[
        list[str] | None,
        typer.Option(
            "--columns",
            metavar="NAME,NAME",
            help="Columns to place; by default all with numbers.",
            rich_help_panel=o.INPUT,
        ),
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(
            "--drop", metavar="NAME,NAME", help="Columns to leave out.", rich_help_panel=o.INPUT
        ),
    ] = None,
    larger: Annotated[
        str,
        typer.Option(
            "--larger",
            metavar="MEANING",
            help="What a large number means: farther, such as a late rank, or nearer, such as a "
            "good rating.",
            rich_help_panel=o.INPUT,
        ),
    ] = "farther",
    loss: o.LossName = None,
    space: o.SpaceName = None,
    size: o.Size = None,
    level: o.LevelName = "ratio",
    ties: o.Ties = None,
    strictness: o.Strictness = None,
    conditional: o.Conditional = "row",
    penalty: Annotated[
        float,
        typer.Option(
            "--penalty",
            metavar="WEIGHT",
            min=0.0,
            help="Weight of the penalty on degenerate maps, for levels other than ratio.",
            rich_help_panel=o.MAP,
        ),
    ] = 1.0,
    dim: o.Dimension = 2,
    n_init: Annotated[
        str,
        typer.Option(
            "--n-init", metavar="N", help="Number of starts, or auto.", rich_help_panel=o.RUN
        ),
    ] = "auto",
    seed: o.Seed = 0,
    max_iter: o.MaxIter = 2000,
    eps: o.Eps = 1e-6,
    output: o.Output = "-",
    out_format: o.OutFormat = "auto",
    report: o.Report = None,
    plot: o.Plot = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            metavar="M.unimds",
            help="Save the model; unimds.models.load reads it in Python.",
            rich_help_panel=o.OUTPUT,
        ),
    ] = None,
    title: o.Title = None,
    dpi: o.Dpi = None,
    no_names: o.NoNames = False,
    force: o.Force = False,
    as_json: o.AsJson = False,
    quiet: o.Quiet = False,
    debug: o.Debug = False,
) -> None:
    """Make a joint map of the rows and the columns of a table: persons near what they like.

    The table holds distances of rows to columns, ranks or ratings; empty cells are missing. For
    ranks and ratings use --level ordinal.
    """
    check_table(output, out_format, as_json, "--plot", "--report", "--model")
    check_endings(plot=plot, report=report, model=model)
    check_looks(plot, report, None, title, dpi, no_names)
    o.check_conditional(conditional)
    if larger not in ("farther", "nearer"):
        raise typer.BadParameter(f"use farther or nearer, not {larger!r}", param_hint="--larger")
    if n_init != "auto" and not (n_init.isdecimal() and int(n_init) > 0):
        raise typer.BadParameter(f"--n-init must be auto or a number of starts, not {n_init!r}")
    files = {"--output": output, "--report": report, "--plot": plot, "--model": model}
    with errors_told("Interrupted before there was a map.", debug, quiet, as_json) as warned:
        check_outputs(files, file, force)
        check_extras(plot, report)
        own_loss, own_space = o.parts(None, loss, space, size)
        wanted = o.level_of(level, ties, strictness)
        table = read_table(
            file, format, "points", "euclidean", encoding, "auto", quiet, columns, drop
        )
        from unimds._runtime.extras import require
        from unimds.tables.unfolding import Unfolding

        frame = require("pandas", "files").DataFrame(
            table.values, index=table.labels, columns=table.features
        )
        began = time.perf_counter()
        fit = Unfolding(
            dim,
            loss=own_loss,
            space=own_space,
            level=wanted,
            conditional=conditional,
            larger=larger,
            penalty_weight=penalty,
            n_init="auto" if n_init == "auto" else int(n_init),
            max_iter=max_iter,
            eps=eps,
            random_state=seed,
            verbose=int(watched(quiet)),
        ).fit(frame)
        seconds = time.perf_counter() - began
        done = _write(fit, output, out_format, force)
        if plot is not None:
            from unimds.plots import plot_joint

            axes = plot_joint(fit, labels=False if no_names else None, title=title)
            draw(plot, axes.figure, force, dpi)
            done.append(plot)
        if report is not None:
            from unimds.report import write_report

            write_report(fit, report, title=title, force=force)
            done.append(report)
        if model is not None:
            from unimds.models import save

            save(fit, model, force=force)
            done.append(model)
        if as_json:
            found = {"stress": fit.stress_, "cost": fit.cost_, "variation": fit.variation_}
            ran = {"seconds": seconds, "outcome": fit.outcome_.value, "files": done}
            shape = {"rows": len(fit.row_embedding_), "columns": len(fit.column_embedding_)}
            print_json({"file": file, **shape, **found, **ran, "warnings": warned})
        if not quiet:
            _tell(fit, seconds, done)
        if fit.outcome_.name == "INTERRUPTED":
            raise typer.Exit(INTERRUPTED)


def _write(fit: Any, output: str, format: str, force: bool) -> list[str]:
    """Write rows and columns, with a column that tells which is which."""
    from unimds.files import write
    from unimds.spaces import in_coordinates

    n, m = len(fit.row_embedding_), len(fit.column_embedding_)
    names, values = in_coordinates(fit.embedding_, fit.space_, "auto")
    labels = [str(name) for name in (*fit.labels_, *fit.column_labels_)]
    kinds = {"point": ["row"] * n + ["column"] * m}
    write(output, values, labels=labels, columns=kinds, names=names, format=format, force=force)
    return [] if output == "-" else [output]


def _tell(fit: Any, seconds: float, done: list[str]) -> None:
    n, m = len(fit.row_embedding_), len(fit.column_embedding_)
    told = f"{n} rows and {m} columns: Stress-1 {fit.stress_:.4f}"
    if fit.variation_ is not None:
        told += f", variation of the disparities {fit.variation_:.2f}"
    say(f"{told}. {seconds:.1f} s.")
    if done:
        say(f"Written: {', '.join(done)}")
