"""``unimds compare``: run several methods on one table."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from unimds.cli.messages import INTERRUPTED, print_json, rows_named, say
from unimds.cli.options import meaning, sets
from unimds.cli.options import single as o
from unimds.cli.outputs import check_endings, check_outputs, draw
from unimds.cli.progress import counting

if TYPE_CHECKING:
    from unimds.experiments.data import Setting
    from unimds.experiments.methods import Effort, Method
    from unimds.experiments.runs import Run

ROUNDING = 1e-10  # a stress below this is zero


class Comparison(NamedTuple):
    """The outcome of a method: a run, or the reason why the method does not apply."""

    method: Method
    space: Any
    run: Run | None = None
    stress: float = float("nan")
    failure: ValueError | None = None

    @property
    def message(self) -> str:
        """Why the run ended, or why there is none."""
        return self.run.message if self.run else " ".join(str(self.failure).split())


@sets.takes_sets
def compare(
    ctx: typer.Context,
    file: o.File,
    *,
    reading: sets.Reading,
    variant: o.Variant = None,
    loss: o.LossName = None,
    space: o.SpaceName = None,
    size: o.Size = None,
    dim: o.Dimension = 2,
    max_iter: o.MaxIter = 2000,
    eps: o.Eps = 1e-7,
    plot: Annotated[
        str | None,
        typer.Option(
            "--plot", metavar="P.png", help="Draw cost against time.", rich_help_panel=o.OUTPUT
        ),
    ] = None,
    force: o.Force = False,
    telling: sets.Telling,
) -> None:
    """Compare the methods that suit the loss and the space on one table.

    All methods are judged by the cost of the chosen loss, whatever they minimise themselves. ^C
    shows the methods that have finished (exit code 130).
    """
    check_endings(plot=plot)
    with telling.errors("Interrupted before any method had finished.") as warned:
        check_outputs({"--plot": plot}, file, force)
        parts = meaning.parts(variant, loss, space, size)
        table, metric = reading.checked(ctx, reading.table(file, telling.quiet), file)
        from unimds.distances.metric import distances_of
        from unimds.experiments.data import Setting
        from unimds.experiments.methods import Effort

        effort = Effort(max_iter=max_iter, eps=eps)
        with rows_named(table.labels):
            D = distances_of(table, reading.metric, metric["metric_params"])
        setting = Setting(file, D, dim, *parts)
        rows, ended = _rows(setting, effort, telling.quiet)
        if not rows:
            raise KeyboardInterrupt
        if rows[0].failure is not None and all(row.failure for row in rows):
            from unimds.distances.validate import points_named

            with points_named(table.labels if table.precomputed else None):
                raise rows[0].failure
        if plot is not None:
            from unimds.experiments.draw import drawn

            title = f"{parts[0]} in {parts[1]}: cost against time"
            draw(plot, drawn(title, [row.run for row in rows if row.run]), force)
        if telling.as_json:
            methods = [_told(row) for row in rows]
            print_json({"file": file, "methods": methods, "warnings": warned})
        else:
            _show(file, rows, telling.quiet)
        if not ended:
            say("Interrupted: the remaining methods are not shown.")
            raise typer.Exit(INTERRUPTED)


def suitable(space: Any) -> list[Method]:
    """Return the methods that map to a space, PlaceCenter first."""
    from unimds.experiments import methods as m
    from unimds.spaces import ChordalSphere, Euclidean, Sphere

    if isinstance(space, Euclidean):
        return [m.OURS, m.PAPER, m.LBFGS, m.SMACOF, m.CD_SVD, m.SGD, m.SVD]
    if isinstance(space, Sphere | ChordalSphere):
        own = [m.ELAD] if isinstance(space, Sphere) else []
        return [m.OURS, m.PAPER, m.SMACOF_Q[2], *own, m.SGD, m.RENORMALISED]
    return [m.OURS, m.PAPER, m.SGD]


def _rows(setting: Setting, effort: Effort, quiet: bool) -> tuple[list[Comparison], bool]:
    """Return the outcome of each method, and whether all have finished."""
    rows: list[Comparison] = []
    methods = suitable(setting.space)
    try:
        with counting(len(methods), quiet) as begin:
            for method in methods:
                begin(method.label)
                rows.append(_measured(setting, method, effort))
                setting = replace(setting, space=rows[0].space)  # of the size that it found
    except KeyboardInterrupt:
        return rows, False
    return rows, True


def _measured(setting: Setting, method: Method, effort: Effort) -> Comparison:
    import warnings

    from threadpoolctl import threadpool_limits

    from unimds.experiments.methods import BRIEFLY, judged
    from unimds.quality import stress_1

    small = replace(setting.small(), n_components=setting.n_components)
    # one core for all methods: PlaceCenter uses one
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")  # of a method that has not converged: its message says so
        try:
            method.run(small, BRIEFLY)  # compiles
            result = method.run(setting, effort)
        except ValueError as error:
            return Comparison(method, setting.space, failure=error)
    if result.outcome.name == "INTERRUPTED":
        raise KeyboardInterrupt
    run = judged("compare", replace(setting, space=result.space), method, result)
    stress = stress_1(setting.D, result.embedding, space=result.space)
    return Comparison(method, result.space, run, stress)


def _told(row: Comparison) -> dict[str, Any]:
    run = row.run
    return {
        "method": row.method.name,
        "label": row.method.label,
        "message": row.message,
        "cost": run and run.cost,
        "stress": row.stress,
        "seconds": run and run.seconds,
        "n_iter": run and run.sweeps,
    }


def _show(file: str, rows: list[Comparison], quiet: bool) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title=file, title_justify="left")
    table.add_column("method")
    for name in ("cost", "above the best", "stress", "seconds", "sweeps"):
        table.add_column(name, justify="right")
    lowest = min((row.run.cost for row in rows if row.run), default=0.0)
    exact = any(row.stress < ROUNDING for row in rows)  # then ratios say nothing
    for row in rows:
        if row.run is None:
            table.add_row(row.method.label, "–", "–", "–", "–", "–")
            if not quiet:
                say(f"{row.method.label}: {row.message}")
            continue
        run = row.run
        above = f"{100.0 * (run.cost / lowest - 1.0):+.2f} %" if lowest > 0.0 and not exact else ""
        numbers = (f"{run.cost:.6g}", above, f"{row.stress:.4g}", f"{run.seconds:.3g}")
        table.add_row(row.method.label, *numbers, str(run.sweeps))
    Console().print(table)
