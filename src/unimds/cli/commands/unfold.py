"""``unimds unfold``: a joint map of the rows and the columns of a table."""

from __future__ import annotations

import time
from typing import Annotated, Any

import typer

from unimds.cli.inputs import read_table
from unimds.cli.messages import INTERRUPTED, print_json, say
from unimds.cli.options import meaning, sets
from unimds.cli.options import single as o
from unimds.cli.outputs import (
    check_endings,
    check_extras,
    check_outputs,
    check_table,
    draw,
)
from unimds.cli.progress import watched


@sets.takes_sets
def unfold(
    file: o.PointsFile,
    *,
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
    parts: sets.Parts,
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
    n_init: o.Starts = "auto",
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
    looks: sets.Looks,
    force: o.Force = False,
    telling: sets.Telling,
) -> None:
    """Make a joint map of the rows and the columns of a table: persons near what they like.

    The table holds distances of rows to columns, ranks or ratings; empty cells are missing. For
    ranks and ratings use --level ordinal.
    """
    check_table(output, out_format, telling.as_json, "--plot", "--report", "--model")
    check_endings(plot=plot, report=report, model=model)
    looks.check(plot, report)
    meaning.check_conditional(conditional)
    if larger not in ("farther", "nearer"):
        raise typer.BadParameter(f"use farther or nearer, not {larger!r}", param_hint="--larger")
    starts = meaning.starts_of(n_init, "auto")
    files = {"--output": output, "--report": report, "--plot": plot, "--model": model}
    with telling.errors("Interrupted before there was a map.") as warned:
        check_outputs(files, file, force)
        check_extras(plot, report)
        made = parts.made()
        how = (format, "points", "euclidean", encoding)
        table = read_table(file, *how, quiet=telling.quiet, columns=columns, drop=drop)
        from unimds._runtime.extras import require
        from unimds.tables.unfolding import Unfolding

        frame = require("pandas", "files").DataFrame(
            table.values, index=table.labels, columns=table.features
        )
        began = time.perf_counter()
        fit = Unfolding(
            dim,
            **made,
            conditional=conditional,
            larger=larger,
            penalty_weight=penalty,
            n_init=starts,
            max_iter=max_iter,
            eps=eps,
            random_state=seed,
            verbose=int(watched(telling.quiet)),
        ).fit(frame)
        seconds = time.perf_counter() - began
        done = _write(fit, output, out_format, force)
        if plot is not None:
            from unimds.plots import plot_joint

            axes = plot_joint(fit, labels=looks.labels(), title=looks.title)
            draw(plot, axes.figure, force, looks.dpi)
            done.append(plot)
        if report is not None:
            from unimds.report import write_report

            write_report(fit, report, title=looks.title, force=force)
            done.append(report)
        if model is not None:
            from unimds.models import save

            save(fit, model, force=force)
            done.append(model)
        if telling.as_json:
            found = {"stress": fit.stress_, "cost": fit.cost_, "variation": fit.variation_}
            ran = {"seconds": seconds, "outcome": fit.outcome_.value, "files": done}
            shape = {"rows": len(fit.row_embedding_), "columns": len(fit.column_embedding_)}
            print_json({"file": file, **shape, **found, **ran, "warnings": warned})
        if not telling.quiet:
            _tell(fit, seconds)
        telling.written(done)
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


def _tell(fit: Any, seconds: float) -> None:
    n, m = len(fit.row_embedding_), len(fit.column_embedding_)
    told = f"{n} rows and {m} columns: Stress-1 {fit.stress_:.4f}"
    if fit.variation_ is not None:
        told += f", variation of the disparities {fit.variation_:.2f}"
    say(f"{told}. {seconds:.1f} s.")
