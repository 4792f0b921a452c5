"""``unimds choose``: which dimension, space, loss or level predicts held-out pairs."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unimds._runtime.words import counted
from unimds.cli.guide import check_level
from unimds.cli.messages import (
    INTERRUPTED,
    print_json,
    rows_named,
    say,
    usage,
)
from unimds.cli.options import meaning, sets
from unimds.cli.options import single as o
from unimds.cli.outputs import check_endings, check_extras, check_outputs, draw
from unimds.cli.progress import watched

if TYPE_CHECKING:
    from unimds.select import MDSSearchCV

RANGE = re.compile(r"(\d+)\s*(?:-|–|\.\.)\s*(\d+)$")
MOST = 100
"""The highest dimension that may be asked for."""


@sets.takes_sets
def choose(
    ctx: typer.Context,
    file: o.File,
    *,
    reading: sets.Reading,
    dimensions: Annotated[
        str,
        typer.Option(
            "--dimensions",
            "-k",
            metavar="LIST",
            help="Dimensions to try: 1-6, or 2,3,5.",
            rich_help_panel=o.MAP,
        ),
    ] = "1-6",
    spaces: Annotated[
        str,
        typer.Option(
            "--spaces",
            metavar="LIST",
            help="Spaces to try: euclidean, sphere, chordal_sphere, hyperbolic, simplex; their "
            "sizes are estimated.",
            rich_help_panel=o.MAP,
        ),
    ] = "euclidean",
    losses: Annotated[
        str,
        typer.Option(
            "--losses",
            metavar="LIST",
            help="Losses to try: squared, absolute, huber, squared_distance, power, power:1.2.",
            rich_help_panel=o.MAP,
        ),
    ] = "squared",
    levels: Annotated[
        str,
        typer.Option(
            "--levels",
            metavar="LIST",
            help="Levels to try: ratio, interval, power, spline, ordinal.",
            rich_help_panel=o.MAP,
        ),
    ] = "ratio",
    folds: Annotated[
        int,
        typer.Option(
            "--folds",
            metavar="N",
            min=2,
            help="Number of folds of the pairs, of which one is held out at a time.",
            rich_help_panel=o.RUN,
        ),
    ] = 5,
    scoring: Annotated[
        str,
        typer.Option(
            "--scoring",
            metavar="NAME",
            help="How errors of held-out pairs are measured: stress, absolute or median, which "
            "some wrong distances do not change.",
            rich_help_panel=o.RUN,
        ),
    ] = "stress",
    rule: Annotated[
        str,
        typer.Option(
            "--rule",
            metavar="NAME",
            help="What to choose: one_standard_error, the simplest that predicts as well as the "
            "best, or lowest, the best.",
            rich_help_panel=o.RUN,
        ),
    ] = "one_standard_error",
    seed: o.Seed = 0,
    jobs: o.Jobs = None,
    checkpoint: Annotated[
        str | None,
        typer.Option(
            "--checkpoint",
            metavar="C",
            help="Save the errors in this file, or resume from there.",
            rich_help_panel=o.RUN,
        ),
    ] = None,
    plot: Annotated[
        str | None,
        typer.Option(
            "--plot",
            metavar="P.png",
            help="Draw the errors by dimension: PNG, SVG or PDF.",
            rich_help_panel=o.OUTPUT,
        ),
    ] = None,
    force: o.Force = False,
    telling: sets.Telling,
) -> None:
    """Choose the dimension, the space, the loss or the level by held-out pairs.

    Every candidate makes maps without some of the pairs, and predicts these. The simplest candidate
    that predicts as well as the best is chosen, and the command that makes its map is shown. ^C
    shows the candidates that are done (exit code 130).
    """
    check_endings(plot=plot, checkpoint=checkpoint)
    meaning.check_jobs(jobs)
    meaning.check_name("--scoring", scoring, ("stress", "absolute", "median"))
    meaning.check_name("--rule", rule, ("one_standard_error", "lowest"))
    asked = dimensions, spaces, losses, levels
    with telling.errors("Interrupted before any candidate was scored.") as warned:
        check_outputs({"--plot": plot, "--checkpoint": checkpoint}, file, force)
        check_extras(plot, None)
        grid = _grid(*asked)
        table, metric = reading.checked(ctx, reading.table(file, telling.quiet), file)
        from unimds.distances.validate import points_named
        from unimds.estimators.mds import MDS
        from unimds.select.search import MDSSearchCV

        began = time.perf_counter()
        search = MDSSearchCV(
            MDS(**metric),
            grid,
            cv=folds,
            scoring=scoring,
            rule=rule,
            refit=False,
            n_jobs=jobs,
            random_state=seed,
            verbose=int(watched(telling.quiet)),
            checkpoint=checkpoint,
        )
        named = points_named(table.labels if table.precomputed else None)
        with named, rows_named(table.labels):
            search.fit(table.values, weights=table.weights)
        seconds = time.perf_counter() - began
        if plot is not None:
            draw(plot, search.plot().figure, force)
        command = _command(file, reading, meaning.is_default(ctx, "metric"), search)
        if telling.as_json:
            found = _found(search, grid)
            rest = {"command": command, "seconds": seconds, "warnings": warned}
            print_json({"file": file, "points": table.n, **found, **rest})
        else:
            _show(file, search, grid)
        if not telling.quiet:
            say(search.sentence_)
            say(f"{counted(table.n, 'point')}, {seconds:.1f} s. The map: {command}")
        telling.written([] if plot is None else [plot])
        if search.interrupted_:
            raise typer.Exit(INTERRUPTED)


def _grid(dimensions: str, spaces: str, losses: str, levels: str) -> dict[str, list[Any]]:
    """Return the lists of candidates that the options name."""
    from unimds.losses import as_loss
    from unimds.spaces import as_space

    grid: dict[str, list[Any]] = {
        "n_components": _dimensions(dimensions),
        "space": _names(spaces, "--spaces"),
        "loss": _names(losses, "--losses"),
        "level": _names(levels, "--levels"),
    }
    for option, name, known in (("--spaces", "space", as_space), ("--losses", "loss", as_loss)):
        with usage(option):
            for value in grid[name]:
                known(value)
    for level in grid["level"]:
        check_level(level, "--levels")
    return grid


def _names(text: str, option: str) -> list[str]:
    """Return names with commas between them, each once."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise typer.BadParameter("give at least one name", param_hint=option)
    return list(dict.fromkeys(names))


def _dimensions(text: str) -> list[int]:
    """Return the dimensions that a list such as ``1-3,6`` names.

    Examples
    --------
    >>> _dimensions("1-3,6")
    [1, 2, 3, 6]
    """
    found: list[int] = []
    for part in _names(text, "--dimensions"):
        span = RANGE.match(part)
        low, high = (int(span[1]), int(span[2])) if span else (part, part)
        if not str(low).isdecimal() or not 1 <= int(low) <= int(high) <= MOST:
            raise typer.BadParameter(
                f"give dimensions such as 1-6 or 2,3,5, not {part!r}", param_hint="--dimensions"
            )
        found += range(int(low), int(high) + 1)
    return sorted(dict.fromkeys(found))


TOLD = {"n_components": "dimensions", "space": "space", "loss": "loss", "level": "level"}


def _shown(grid: dict[str, list[Any]]) -> list[str]:
    """Return what to show of a candidate: its dimension, and all else that differs."""
    return [name for name in TOLD if name == "n_components" or len(grid[name]) > 1]


def _value(name: str, value: Any) -> Any:
    """Return a parameter as it was asked for: a space by its name."""
    from unimds.spaces import SPACES

    if name != "space" or isinstance(value, str):
        return value
    return next(key for key, kind in SPACES.items() if kind is type(value))


def _found(search: MDSSearchCV, grid: dict[str, list[Any]]) -> dict[str, Any]:
    """Return the outcome for JSON."""
    results = search.cv_results_
    rows = [
        {
            **{TOLD[name]: _value(name, value) for name, value in one.items()},
            "error": float(results["mean_error"][row]),
            "standard_error": float(results["standard_error"][row]),
            "excess": float(results["excess"][row]),
            "excess_standard_error": float(results["excess_standard_error"][row]),
        }
        for row, one in enumerate(results["params"])
    ]
    best, low = search.best_index_, search.lowest_index_
    return {
        "chosen": {TOLD[name]: rows[best][TOLD[name]] for name in grid},
        "lowest": {TOLD[name]: rows[low][TOLD[name]] for name in grid},
        "structure": search.structure_,
        "sentence": search.sentence_,
        "scoring": search.scoring,
        "rule": search.rule,
        "folds": search.n_splits_,
        "one_distance": search.null_error_,
        "interrupted": search.interrupted_,
        "candidates": rows,
    }


def _command(file: str, reading: sets.Reading, unasked: bool, search: MDSSearchCV) -> str:
    """Return the command that makes the map of the chosen candidate."""
    from shlex import quote

    one = {name: _value(name, value) for name, value in search.best_params_.items()}
    words = ["unimds", "embed", quote(file), "--dim", str(one["n_components"])]
    words += [] if unasked else ["--metric", reading.metric]
    words += [] if reading.standardise is None else ["--standardise", reading.standardise]
    if one["space"] != "euclidean":
        words += ["--space", one["space"], "--size", "auto"]
    words += ["--loss", one["loss"]] if one["loss"] != "squared" else []
    words += ["--level", one["level"]] if one["level"] != "ratio" else []
    return " ".join(words)


def _show(file: str, search: MDSSearchCV, grid: dict[str, list[Any]]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title=file, title_justify="left")
    shown, results = _shown(grid), search.cv_results_
    for name in shown:
        table.add_column(TOLD[name], justify="right" if name == "n_components" else "left")
    for name in ("error", "above the lowest", "standard error"):
        table.add_column(name, justify="right")
    table.add_column("")
    for row, one in enumerate(results["params"]):
        words = [str(_value(name, one[name])) for name in shown]
        numbers = (results[name][row] for name in ("mean_error", "excess", "excess_standard_error"))
        cells = ["–" if number != number else f"{number:.4f}" for number in numbers]
        mark = "chosen" if row == search.best_index_ else ""
        if row == search.lowest_index_:
            mark, cells[2] = (f"{mark}, lowest" if mark else "lowest"), ""
        table.add_row(*words, *cells, mark)
    blanks = [""] * (len(shown) - 1)
    table.add_row("–", *blanks, f"{search.null_error_:.4f}", "", "", "one distance for all pairs")
    Console().print(table)
