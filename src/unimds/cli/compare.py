"""``unimds compare``: several methods on one table."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from unimds.cli import INTERRUPTED
from unimds.cli import options as o
from unimds.cli.messages import entries_named, failures_told, print_json, say
from unimds.cli.outputs import check_outputs, check_picture_name
from unimds.cli.progress import bar

if TYPE_CHECKING:
    from unimds.experiments.data import Setting
    from unimds.experiments.methods import Effort, Method
    from unimds.experiments.runs import Run

SMALL = 160  # points of a run that only compiles
ROUNDING = 1e-10  # a stress that is none


class Row(NamedTuple):
    """What a method made of the table; `run` is None where it cannot be used, as `why` says."""

    method: Method
    run: Run | None
    space: Any
    stress: float
    why: str


def compare(
    file: o.File,
    variant: o.Variant = None,
    loss: o.LossName = None,
    space: o.SpaceName = None,
    size: o.Size = None,
    dim: o.Dimension = 2,
    metric: o.MetricName = "euclidean",
    max_iter: o.MaxIter = 2000,
    eps: o.Eps = 1e-7,
    format: o.Format = "auto",
    kind: o.Kind = "auto",
    encoding: o.Encoding = "auto",
    plot: Annotated[
        str | None, typer.Option("--plot", metavar="P.png", help="Draw cost against time.")
    ] = None,
    as_json: o.AsJson = False,
    force: o.Force = False,
    quiet: o.Quiet = False,
    debug: o.Debug = False,
) -> None:
    """Run all methods that suit the loss and the space on one table.

    The cost is that of the chosen loss, for all methods, whatever each of them minimises. ^C shows
    the methods that had ended (exit code 130).
    """
    check_picture_name("--plot", plot)
    with failures_told("Interrupted before any method had ended.", debug, quiet):
        check_outputs({"--plot": plot}, file, force)
        parts = o.parts(variant, loss, space, size)
        table = o.read_table(file, format, kind, metric, encoding)
        o.check_complete(table, file, metric)
        o.tell_doubts(table, file, quiet)
        from unimds.experiments.data import Setting
        from unimds.experiments.methods import Effort

        effort = Effort(max_iter=max_iter, eps=eps)
        setting = Setting(file, table.distances(metric), dim, *parts)
        rows, ended = _rows(setting, effort, quiet)
        if not rows:
            raise KeyboardInterrupt
        if all(row.run is None for row in rows):
            with entries_named(table.labels if table.precomputed else None):
                raise ValueError(rows[0].why)
        if as_json:
            print_json({"file": file, "methods": [_told(row) for row in rows]})
        else:
            _show(file, rows, quiet)
        if plot is not None:
            _draw(plot, [row.run for row in rows if row.run], parts, force)
        if not ended:
            say("Interrupted: the other methods are not shown.")
            raise typer.Exit(INTERRUPTED)


def suitable(space: Any) -> list[Method]:
    """Return the methods that map to a space, ours first."""
    from unimds.experiments import methods as m
    from unimds.spaces import ChordalSphere, Euclidean, Sphere

    if isinstance(space, Euclidean):
        return [m.OURS, m.PAPER, m.SMACOF, m.CD_SVD, m.SGD, m.SVD]
    if isinstance(space, Sphere | ChordalSphere):
        own = [m.ELAD] if isinstance(space, Sphere) else []
        return [m.OURS, m.PAPER, m.SMACOF_Q[2], *own, m.SGD, m.RENORMALISED]
    return [m.OURS, m.PAPER, m.SGD]


def _rows(setting: Setting, effort: Effort, quiet: bool) -> tuple[list[Row], bool]:
    """Return what each method made of the setting, and whether all have ended."""
    rows: list[Row] = []
    methods = suitable(setting.space)
    try:
        with bar(len(methods), quiet) as step:
            for method in methods:
                step(method.label)
                rows.append(_measured(setting, method, effort))
                setting = replace(setting, space=rows[0].space)  # others need the size it found
    except KeyboardInterrupt:
        return rows, False
    return rows, True


def _measured(setting: Setting, method: Method, effort: Effort) -> Row:
    import warnings

    from threadpoolctl import threadpool_limits

    from unimds.experiments.methods import BRIEFLY, judged
    from unimds.quality import stress_1

    few = slice(0, SMALL)
    small = replace(setting, D=setting.D[few, few])
    # one core for all methods: ours uses one
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")  # of a method that is not done: its message tells
        try:
            method.run(small, BRIEFLY)  # compiles
            result = method.run(setting, effort)
        except ValueError as error:
            return Row(method, None, setting.space, float("nan"), " ".join(str(error).split()))
    if result.outcome.name == "INTERRUPTED":
        raise KeyboardInterrupt
    run = judged("compare", replace(setting, space=result.space), method, result)
    stress = stress_1(setting.D, result.embedding, space=result.space)
    return Row(method, run, result.space, stress, run.message)


def _told(row: Row) -> dict[str, Any]:
    told = {"method": row.method.name, "label": row.method.label, "message": row.why}
    if row.run is None:
        return {**told, "cost": None, "stress": None, "seconds": None, "n_iter": None}
    run = row.run
    numbers = {"cost": run.cost, "stress": row.stress, "seconds": run.seconds}
    return {**told, **numbers, "n_iter": run.sweeps}


def _show(file: str, rows: list[Row], quiet: bool) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title=file, title_justify="left")
    table.add_column("method")
    for name in ("cost", "above the best", "stress", "seconds", "sweeps"):
        table.add_column(name, justify="right")
    lowest = min((row.run.cost for row in rows if row.run), default=0.0)
    exact = any(row.stress < ROUNDING for row in rows)  # then shares of the best say nothing
    for row in rows:
        if row.run is None:
            table.add_row(row.method.label, "–", "–", "–", "–", "–")
            if not quiet:
                say(f"{row.method.label}: {row.why}")
            continue
        run = row.run
        above = f"{100.0 * (run.cost / lowest - 1.0):+.2f} %" if lowest > 0.0 and not exact else ""
        numbers = (f"{run.cost:.6g}", above, f"{row.stress:.4g}", f"{run.seconds:.3g}")
        table.add_row(row.method.label, *numbers, str(run.sweeps))
    Console().print(table)


def _draw(path: str, runs: list[Run], parts: tuple[Any, Any], force: bool) -> None:
    from unimds.experiments.draw import drawn
    from unimds.files import atomic

    page = drawn(f"{parts[0]} in {parts[1]}: cost against time", runs)
    with atomic(path, force=force) as partial:
        page.savefig(partial, dpi=150)
