"""``unimds reproduce``: run the paper's experiments."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from unimds.cli.messages import errors_told, say
from unimds.cli.options import single as o
from unimds.cli.progress import counting


def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FIGURE]...",
            help="Figures to make: rmds-convergence, rmds-k, rmds-noise, fmds-k, fmds-noise, "
            "r2mds-k, g1smds, c2smds or spherical-jl. All by default.",
            show_default=False,
        ),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--folder",
            "-o",
            metavar="FOLDER",
            help="Output folder; by default 'reproduction', or 'reproduction-quick' with --quick.",
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Use 60 points instead of 300, to try it out.")
    ] = False,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Seed of the data.")] = 0,
    debug: o.Debug = False,
) -> None:
    """Run the paper's experiments; write figures (PNG, SVG) and tables (CSV).

    After an interruption, the same command resumes with the missing runs. Once all figures exist,
    the report on the paper's claims is written as well.
    """
    where = folder or Path("reproduction-quick" if quick else "reproduction")
    with errors_told(f"Interrupted. The same command resumes from here; see {where}.", debug):
        _reproduce(names, where, quick, seed)


def _reproduce(names: list[str] | None, folder: Path, quick: bool, seed: int) -> None:
    from unimds.experiments import NAMES, Scale
    from unimds.experiments import reproduce as run_experiments
    from unimds.experiments.report import report
    from unimds.experiments.runs import write_text

    for name in names or ():
        if name not in NAMES:
            choices = ", ".join(NAMES)
            raise typer.BadParameter(f"there is no figure {name!r}; choose among {choices}")
    names = names or list(NAMES)
    scale = Scale.quick(seed) if quick else Scale(seed=seed)
    with counting(sum(_count(name, scale) for name in names)) as begin:
        done = run_experiments(folder, names, scale, started=lambda *what: begin(" · ".join(what)))
    for name, runs in done.items():
        _show(name, runs)
    if all((folder / f"{name}.csv").exists() for name in NAMES):
        write_text(folder / "claims.md", report(folder, folder))
        say(f"Figures, tables and the report claims.md are in {folder}")
    else:
        say(f"Figures and tables are in {folder}")


def _count(name: str, scale: Any) -> int:
    from unimds.distributions.projection import PROJECTIONS
    from unimds.experiments import FIGURES, jl

    if name == jl.NAME:
        return len(PROJECTIONS) * len(jl.dimensions(scale.n))
    figure = FIGURES[name]
    return len(figure.methods) * sum(1 for _ in figure.settings(scale.n, scale.seed))


def _show(name: str, runs: list[Any]) -> None:
    from unimds.experiments import FIGURES, jl
    from unimds.experiments.runs import rows

    if name == jl.NAME:
        columns = ("method", "coordinates", "largest error", "worst draw", "mean", "promised ε")
        lines = [
            [r.method, str(r.dimension), *(f"{value:.3f}" for value in jl.summary(r)[:4])]
            for r in runs
        ]
        _print(jl.TITLE, columns, lines)
        return
    columns = ("setting", "method", "cost", "above unimds", "seconds", "sweeps")
    lines = [
        [
            row.setting,
            row.method,
            f"{row.cost:.6g}",
            row.lead,
            f"{row.seconds:.3g}",
            str(row.sweeps),
        ]
        for row in rows(runs)
    ]
    _print(FIGURES[name].title, columns, lines)


def _print(title: str, columns: tuple[str, ...], lines: list[list[str]]) -> None:
    """Print a table, without the repetitions in its first column."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    for column in columns:
        words = column in ("setting", "method")
        table.add_column(column, justify="left" if words else "right")
    previous = ""
    for first, *others in lines:
        if previous and first != previous:
            table.add_section()
        table.add_row(first if first != previous else "", *others)
        previous = first
    Console().print(table)
