"""``unimds individual``: one map from several tables of the same objects."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from unimds._runtime.words import counted
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


@sets.takes_sets
def individual(
    files: Files,
    *,
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
    parts: sets.Parts,
    conditional: o.Conditional = "table",
    dim: o.Dimension = 2,
    n_init: o.Starts = "auto",
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
    looks: sets.Looks,
    force: o.Force = False,
    telling: sets.Telling,
) -> None:
    """Make one map from several tables of the same objects, and find how subjects differ.

    Each table may be of a person, an occasion or a source. With --loss absolute a subject who
    answers at random does not spoil the map of the others.
    """
    check_table(output, out_format, telling.as_json, "--plot", "--report")
    check_endings(plot=plot, report=report, shepard=weights_plot)
    looks.check(plot or weights_plot, report)
    _check(model, files, weights_plot)
    meaning.check_conditional(conditional)
    starts = meaning.starts_of(n_init, "auto")
    written = {"--output": output, "--subjects": subjects, "--report": report, "--plot": plot}
    written["--weights-plot"] = weights_plot
    with telling.errors("Interrupted before there was a map.") as warned:
        for file in files:
            check_outputs(written, file, force)
        check_extras(plot or weights_plot, report)
        made = parts.made()
        tables, labels = _tables(files, format, encoding, telling.quiet)
        from unimds.tables.individual import IndividualDifferences

        began = time.perf_counter()
        fit = IndividualDifferences(
            dim,
            model=model,
            **made,
            conditional=conditional,
            n_init=starts,
            max_iter=max_iter,
            eps=eps,
            random_state=seed,
            verbose=int(watched(telling.quiet)),
        ).fit(tables)
        seconds = time.perf_counter() - began
        names = [str(i + 1) for i in range(len(fit.embedding_))] if labels is None else labels
        done = _write(fit, labels, output, out_format, force)
        done += write_rows(subjects, list(_rows(fit)), force)
        if plot is not None:
            from unimds.plots import plot_embedding

            how: dict[str, Any] = {"space": fit.space_, "title": looks.title}
            axes = plot_embedding(fit.embedding_, looks.labels(names), **how)
            draw(plot, axes.figure, force, looks.dpi)
            done.append(plot)
        if weights_plot is not None:
            own = fit.plot_weights(labels=looks.labels(), title=looks.title)
            draw(weights_plot, own.figure, force, looks.dpi)
            done.append(weights_plot)
        if report is not None:
            from unimds.report import write_report

            write_report(fit, report, labels=names, title=looks.title, force=force)
            done.append(report)
        if telling.as_json:
            found = {"subjects": list(_rows(fit)), "stress": fit.stress_, "cost": fit.cost_}
            ran = {"seconds": seconds, "outcome": fit.outcome_.value, "files": done}
            print_json({"objects": len(names), "model": model, **found, **ran, "warnings": warned})
        if not telling.quiet:
            _tell(fit, seconds)
        telling.written(done)
        if fit.outcome_.name == "INTERRUPTED":
            raise typer.Exit(INTERRUPTED)


def _check(model: str, files: list[str], weights_plot: str | None) -> None:
    """Raise for options that do not suit."""
    meaning.check_name("--model", model, MODELS)
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


def _tell(fit: Any, seconds: float) -> None:
    tables, worst = counted(len(fit.subjects_), "table"), int(fit.stresses_.argmax())
    say(
        f"{tables} of {len(fit.embedding_)} objects, {fit.model}: Stress-1 {fit.stress_:.4f}; "
        f"{fit.subjects_[worst]} fits worst, {fit.stresses_[worst]:.4f}. {seconds:.1f} s."
    )
