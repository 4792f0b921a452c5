"""``unimds reproduce``: the paper's experiments, with one command."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from unimds.cli.messages import failures_told, say
from unimds.experiments import FIGURES, Run, Scale
from unimds.experiments import reproduce as run_experiments
from unimds.experiments.report import report
from unimds.experiments.runs import write_whole
from unimds.experiments.tables import rows


def _known(names: list[str] | None) -> list[str]:
    for name in names or []:
        if name not in FIGURES:
            raise typer.BadParameter(
                f"there is no figure {name!r}; choose among {', '.join(FIGURES)}"
            )
    return names or list(FIGURES)


def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FIGURE]...",
            help=f"Which figures: {', '.join(FIGURES)}. All by default.",
            callback=_known,
            show_default=False,
        ),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--folder",
            "-o",
            help="Where everything goes; 'reproduction' by default, 'reproduction-quick' if quick.",
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="60 points instead of 300: a try.")
    ] = False,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the data.")] = 0,
) -> None:
    """Run the paper's experiments; write figures (PNG, SVG) and tables (CSV).

    Interrupted and started again, it goes on with what is missing. When all figures are there, the
    report on the paper's claims is written too.
    """
    names = _known(names)
    scale = Scale.quick(seed) if quick else Scale(seed=seed)
    folder = folder or Path("reproduction-quick" if quick else "reproduction")
    screen = Console(stderr=True)
    with failures_told(f"Interrupted. The same command goes on from here; see {folder}."):
        total = sum(
            len(FIGURES[name].methods) for name in names for _ in FIGURES[name].settings(scale.n, 0)
        )
        with Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=screen,
            disable=not screen.is_terminal,
            transient=True,
        ) as progress:
            task = progress.add_task("", total=total)
            done = run_experiments(
                folder,
                names,
                scale,
                started=lambda *what: progress.update(task, description=" · ".join(what)),
                finished=lambda run: progress.advance(task),
            )
        for name, runs in done.items():
            _show(name, runs)
        if all((folder / f"{name}.csv").exists() for name in FIGURES):
            write_whole(folder / "claims.md", report(folder, folder))
            say(f"Figures, tables and the report claims.md are in {folder}")
        else:
            say(f"Figures and tables are in {folder}")


def _show(name: str, runs: list[Run]) -> None:
    table = Table(title=FIGURES[name].title, title_justify="left")
    for column in ("setting", "method"):
        table.add_column(column)
    for column in ("cost", "above unimds", "seconds", "sweeps"):
        table.add_column(column, justify="right")
    previous = ""
    for row in rows(runs):
        if previous and row.setting != previous:
            table.add_section()
        table.add_row(
            row.setting if row.setting != previous else "",
            row.method,
            f"{row.cost:.6g}",
            f"{row.above:+.2f} %",
            f"{row.seconds:.3g}",
            str(row.sweeps),
        )
        previous = row.setting
    Console().print(table)
