"""``unimds individual``: one map from several tables of the same objects."""

from __future__ import annotations

import time
from pathlib import Path
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
    write_rows,
)
from unimds.cli.progress import watched

MODELS = ("indscal", "identity", "sizes", "idioscal")

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE FILE …",
        help="Distances between the same objects, a file for each subject, in any known format. "
        "The names of the files name the subjects.",
        show_default=False,
    ),
]


def individual(
    files: Files,
    format: o.Format = "auto",
    encoding: o.Encoding = "auto",
    model: Annotated[
        str,
        typer.Option(
            "--model",
            metavar="NAME",
            help="How subjects differ: indscal (a weight for each dimension), identity (not at "
            "all: a consensus), sizes (a factor each) or idioscal (a matrix each).",
            rich_help_panel=o.MAP,
        ),
    ] = "indscal",
    loss: o.LossName = None,
    space: o.SpaceName = None,
    size: o.Size = None,
    level: o.LevelName = "ratio",
    ties: o.Ties = None,
    strictness: o.Strictness = None,
    conditional: o.Conditional = "table",
    dim: o.Dimension = 2,
    n_init: Annotated[
        str,
        typer.Option(
            "--n-init", metavar="N", help="Number of starts, or auto.", rich_help_panel=o.RUN
        ),
    ] = "auto",
    seed: o.Seed = 0,
    max_iter: o.MaxIter = 2000,
    eps: o.Eps = 1e-7,
    output: o.Output = "-",
    out_format: o.OutFormat = "auto",
    subjects: Annotated[
        str | None,
        typer.Option(
            "--subjects",
            metavar="S.csv",
            help="Write a table of the subjects: their weights, and how well the map fits each.",
            rich_help_panel=o.OUTPUT,
        ),
    ] = None,
    report: o.Report = None,
    plot: o.Plot = None,
    weights_plot: Annotated[
        str | None,
        typer.Option(
            "--weights-plot",
            metavar="W.png",
            help="Draw the weights of the subjects: PNG, SVG or PDF.",
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
    """Make one map from several tables of the same objects, and find how subjects differ.

    Each table may be of a person, an occasion or a source. With --loss absolute a subject who
    answers at random does not spoil the map of the others.
    """
    check_table(output, out_format, as_json, "--plot", "--report")
    check_endings(plot=plot, report=report, shepard=weights_plot)
    check_looks(plot or weights_plot, report, None, title, dpi, no_names)
    _check(model, conditional, n_init, files, weights_plot)
    written = {"--output": output, "--subjects": subjects, "--report": report, "--plot": plot}
    written["--weights-plot"] = weights_plot
    with errors_told("Interrupted before there was a map.", debug, quiet, as_json) as warned:
        for file in files:
            check_outputs(written, file, force)
        check_extras(plot or weights_plot, report)
        parts = o.parts(None, loss, space, size)
        wanted = o.level_of(level, ties, strictness)
        tables, labels = _tables(files, format, encoding, quiet)
        from unimds.tables.individual import IndividualDifferences

        began = time.perf_counter()
        fit = IndividualDifferences(
            dim,
            model=model,
            loss=parts[0],
            space=parts[1],
            level=wanted,
            conditional=conditional,
            n_init="auto" if n_init == "auto" else int(n_init),
            max_iter=max_iter,
            eps=eps,
            random_state=seed,
            verbose=int(watched(quiet)),
        ).fit(tables)
        seconds = time.perf_counter() - began
        names = [str(i + 1) for i in range(len(fit.embedding_))] if labels is None else labels
        done = _write(fit, labels, output, out_format, force)
        done += write_rows(subjects, list(_rows(fit)), force)
        if plot is not None:
            from unimds.plots import plot_embedding

            axes = plot_embedding(
                fit.embedding_, False if no_names else names, space=fit.space_, title=title
            )
            draw(plot, axes.figure, force, dpi)
            done.append(plot)
        if weights_plot is not None:
            own = fit.plot_weights(labels=False if no_names else None, title=title)
            draw(weights_plot, own.figure, force, dpi)
            done.append(weights_plot)
        if report is not None:
            from unimds.report import write_report

            write_report(fit, report, labels=names, title=title, force=force)
            done.append(report)
        if as_json:
            found = {"subjects": list(_rows(fit)), "stress": fit.stress_, "cost": fit.cost_}
            ran = {"seconds": seconds, "outcome": fit.outcome_.value, "files": done}
            print_json({"objects": len(names), "model": model, **found, **ran, "warnings": warned})
        if not quiet:
            _tell(fit, seconds, done)
        if fit.outcome_.name == "INTERRUPTED":
            raise typer.Exit(INTERRUPTED)


def _check(
    model: str, conditional: str, n_init: str, files: list[str], weights_plot: str | None
) -> None:
    """Raise for options that do not suit."""
    if model not in MODELS:
        raise typer.BadParameter(
            f"use one of {', '.join(MODELS)}, not {model!r}", param_hint="--model"
        )
    o.check_conditional(conditional)
    if n_init != "auto" and not (n_init.isdecimal() and int(n_init) > 0):
        raise typer.BadParameter(f"--n-init must be auto or a number of starts, not {n_init!r}")
    if weights_plot is not None and model not in ("indscal", "sizes"):
        raise typer.BadParameter(
            f"--model {model} has no weights to draw; use indscal or sizes",
            param_hint="--weights-plot",
        )
    stems = [Path(file).stem for file in files]
    twice = next((stem for stem in stems if stems.count(stem) > 1), None)
    if twice is not None:
        raise typer.BadParameter(
            f"two files are called {twice!r}, and their names name the subjects; rename one"
        )


def _tables(
    files: list[str], format: str, encoding: str, quiet: bool
) -> tuple[dict[str, Any], list[str] | None]:
    """Return the tables of all subjects by name, in the order of the first one's labels."""
    from unimds.cli.inputs import rows_of

    found: dict[str, Any] = {}
    labels: list[str] | None = None
    for number, file in enumerate(files):
        table = read_table(file, format, "distances", "euclidean", encoding, "auto", quiet)
        labels = table.labels if number == 0 else labels
        rows = rows_of(labels, table, file, "distances")
        found[Path(file).stem] = table.values[rows][:, rows]
    return found, labels


def _rows(fit: Any) -> list[dict[str, Any]]:
    """Return a row for each subject."""
    count = len(fit.subjects_)
    weights = None if fit.weights_ is None else fit.weights_.reshape(count, -1)
    rows = []
    for s, name in enumerate(fit.subjects_):
        row = {"subject": name, "stress": float(fit.stresses_[s]), "cost": float(fit.costs_[s])}
        if weights is not None:
            row |= {f"weight_{a + 1}": float(w) for a, w in enumerate(weights[s])}
        rows.append(row)
    return rows


def _write(fit: Any, labels: list[str] | None, output: str, format: str, force: bool) -> list[str]:
    """Write the common map."""
    from unimds.files import write
    from unimds.spaces import in_coordinates

    names, values = in_coordinates(fit.embedding_, fit.space_, "auto")
    write(output, values, labels=labels, names=names, format=format, force=force)
    return [] if output == "-" else [output]


def _tell(fit: Any, seconds: float, done: list[str]) -> None:
    worst = int(fit.stresses_.argmax())
    say(
        f"{len(fit.subjects_)} tables of {len(fit.embedding_)} objects, {fit.model}: Stress-1 "
        f"{fit.stress_:.4f}; {fit.subjects_[worst]} fits worst, {fit.stresses_[worst]:.4f}. "
        f"{seconds:.1f} s."
    )
    if done:
        say(f"Written: {', '.join(done)}")
