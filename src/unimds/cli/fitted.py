"""What `unimds embed` does with a map: it writes files, and says what it has found."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from unimds._runtime.watch import warn
from unimds._runtime.words import counted
from unimds.cli.interrupts import compiled_then, interrupts
from unimds.cli.messages import INTERRUPTED, say
from unimds.cli.outputs import check_endings, check_extras, check_outputs, draw, write_points
from unimds.cli.progress import watched

if TYPE_CHECKING:
    from unimds.cli.layers import Prepared
    from unimds.cli.options.sets import Looks
    from unimds.files import Table
    from unimds.placecenter.result import Outcome, Result

ROWS = 200
"""Dissimilarities of which the JSON object tells the disparity, at most."""
DRAWN = 2000
"""Points whose pairs a Shepard diagram shows, at most."""
NO_MAP = "Interrupted before there was a map: nothing was written."
COMPILING = (
    "Interrupted while code was being compiled, before there was a map: nothing was written. "
    "The next run does not compile again what has been compiled."
)


@dataclass(frozen=True)
class MapFiles:
    """The files to write."""

    output: str
    out_format: str
    report: str | None
    plot: str | None
    model: str | None
    point_stress: bool
    force: bool
    looks: Looks
    coordinates: str = "auto"
    shepard: str | None = None
    done: list[str] = field(default_factory=list)  # those that have been written
    cut: list[bool] = field(default_factory=list)  # whether the run was interrupted, once it ended

    def named(self) -> dict[str, str | None]:
        """Return the files by their options, in the order in which they are written."""
        return {
            "--output": self.output,
            "--model": self.model,
            "--report": self.report,
            "--plot": self.plot,
            "--shepard": self.shepard,
        }

    def written(self) -> list[str]:
        """Return the files that are written."""
        return [name for name in self.named().values() if name is not None and name != "-"]

    def check(self, source: str, checkpoint: str | None) -> None:
        """Raise before a long run what would go wrong after it."""
        check_endings(self.plot, self.report, self.model, checkpoint, self.shepard)
        check_outputs({**self.named(), "--checkpoint": checkpoint}, source, self.force)
        check_extras(self.plot or self.shepard, self.report)


REMEDIES = {
    "": "--strictness 0.1, --ties secondary, --level interval or --level spline",
    "few": "more points, fewer dimensions (--dim), --level interval or --level spline",
    "two": "finer dissimilarities, such as the lengths of paths, or --level ratio",
    "tertiary": "--ties primary or --ties secondary",
}
"""What helps against a map that says nothing."""


def warn_if_degenerate(result: Result) -> None:
    """Warn of a degenerate map, and name the options that help."""
    if result.degeneracy is not None:
        degeneracy, remedies = result.degeneracy, ""
        if degeneracy.levels > 1:  # a table of equal numbers has no remedy
            remedies = f" {degeneracy.remedies} {REMEDIES[degeneracy.reason]}"
        warn(f"{degeneracy.finding}{remedies}", UserWarning)


def result_of(mds: Any) -> Result:
    """Return the result of a fit: of landmarks, that of the landmarks."""
    found: Result = mds.result_ if hasattr(mds, "result_") else mds.landmark_result_
    return found


def _n_starts(mds: Any) -> int:
    """Return how many starts the search for the map had; 0 if there was none, as for landmarks."""
    run = result_of(mds)
    if run.starts is None or len(run.embedding) < len(mds.embedding_):
        return 0
    return len(run.starts)


def outcome_of(mds: Any) -> Outcome:
    """Return why a run ended, whichever phase it ended in."""
    found: Outcome = getattr(mds, "outcome_", None) or result_of(mds).outcome
    return found


def write(
    targets: MapFiles,
    mds: Any,
    table: Table,
    weights: Any,
    colors: tuple[str, Any] | None,
    drawn: Prepared,
) -> None:
    """Write all files, the map and its model first: they took the longest, so ^C waits for them."""
    with interrupts.held():
        _write_map(targets, mds, table)
    if targets.report is not None:
        from unimds.report import write_report

        write_report(
            mds,
            targets.report,
            D=table.values
            if hasattr(mds, "landmark_result_")
            else getattr(mds, "dissimilarity_matrix_", None),
            labels=table.labels,
            # the report colours by its first column
            columns={**({} if colors is None else dict([colors])), **table.columns},
            weights=weights,
            edges=table.edges,
            edge_weights=table.edge_weights,
            title=targets.looks.title,
            layers=drawn.layers(mds),
            force=targets.force,
        )
        targets.done.append(targets.report)
    if targets.plot is not None:
        from unimds.plots import plot_embedding
        from unimds.plots.columns import NamedColumn

        with drawn.page():
            axes = plot_embedding(
                mds.embedding_,
                labels=targets.looks.labels(table.labels),
                color=None if colors is None else NamedColumn(*colors),
                space=mds.space_,
                edges=table.edges,
                title=targets.looks.title,
                shape=drawn.column(drawn.drawn.shape),
                layers=drawn.layers(mds),
            )
            draw(targets.plot, axes.figure, targets.force, targets.looks.dpi)
        targets.done.append(targets.plot)
    if targets.shepard is not None:
        draw(targets.shepard, _shepard(mds, table).figure, targets.force, targets.looks.dpi)
        targets.done.append(targets.shepard)


def _shepard(mds: Any, table: Table) -> Any:
    """Draw the Shepard diagram; of very many points, that of some of them."""
    import numpy as np

    from unimds.plots import plot_shepard

    if len(mds.embedding_) <= DRAWN:
        return plot_shepard(_given(mds, table), mds)
    some = np.linspace(0, len(mds.embedding_) - 1, DRAWN).astype(int)
    values = table.values[some]
    D = values[:, some] if table.precomputed else mds._metric.between(values)
    title = f"{DRAWN:,} of {len(mds.embedding_):,} points"
    if mds.transformation_ is not None:
        D, title = mds.transformation_(D), f"{title}, disparities"
    return plot_shepard(D, mds.embedding_[some], space=mds.space_, title=title)


def _given(mds: Any, table: Table) -> Any:
    """Return the distances that a map was fitted to."""
    D = getattr(mds, "dissimilarity_matrix_", None)
    if D is not None:
        return D
    return table.values if table.precomputed else mds._metric.between(table.values)


def _write_map(targets: MapFiles, mds: Any, table: Table) -> None:
    more: dict[str, Any] = {}
    if targets.point_stress:
        from unimds.quality import point_stress

        given = _given(mds, table) if mds.disparities_ is None else mds.disparities_
        more["point_stress"] = point_stress(given, mds.embedding_, space=mds.space_)
    how = (targets.out_format, targets.force, more, mds.space_, targets.coordinates)
    write_points(targets.output, mds.embedding_, table, *how, mds.embedding_)
    targets.done.append(targets.output)
    if targets.model is not None:
        _save(targets.model, mds, table, targets.force)
        targets.done.append(targets.model)


def cut_short(targets: MapFiles, checkpoint: str | None) -> str:
    """Return what there is after ^C, while the map was made or while the files were written."""
    if not targets.done:
        compiling = compiled_then(sys.exception())
        return (COMPILING if compiling else NO_MAP) + _resume(checkpoint, force=True)
    left = [name for name in targets.written() if name not in targets.done]
    missing = f" Not written: {', '.join(left)}." if left else ""
    if any(targets.cut):
        return _best(targets) + missing + _resume(checkpoint, targets.force)
    return f"Interrupted: the map is complete and {_place(targets)}.{missing}"


def _best(targets: MapFiles) -> str:
    return f"Interrupted: the best map so far is {_place(targets)}."


def _place(targets: MapFiles) -> str:
    return "on standard output" if targets.output == "-" else f"in {targets.output}"


def _save(path: str, mds: Any, table: Table, force: bool) -> None:
    from unimds.models import save

    names = table.labels if table.precomputed else table.features
    if names is not None and len(set(names)) < len(names):  # they cannot be matched by name
        names = None
    save(mds, path, labels=table.labels, features=names, force=force)


def _written(targets: MapFiles) -> dict[str, str]:
    return {
        option.removeprefix("--"): name
        for option, name in targets.named().items()
        if name is not None and name != "-"
    }


def summary(targets: MapFiles, mds: Any, file: str) -> dict[str, Any]:
    """Return what to print as JSON; what was not measured or counted is left out."""
    outcome, starts = outcome_of(mds), _n_starts(mds)
    found: dict[str, Any] = {
        "file": file,
        "points": len(mds.embedding_),
        "loss": str(mds.loss_),
        "space": str(mds.space_),
        **_levelled(mds),
        "cost": float(mds.cost_),
        "stress": float(mds.stress_),
    }
    if _is_estimated(mds):
        found |= {"cost_error": float(mds.cost_error_), "stress_error": float(mds.stress_error_)}
    found |= {
        "estimated": _is_estimated(mds),
        "converged": outcome.converged,
        "message": outcome.value,
        "n_iter": mds.n_iter_,
    }
    if starts:
        found |= {"starts": starts, "found": result_of(mds).found}
    return {**found, "files": _written(targets)}


def _levelled(mds: Any) -> dict[str, Any]:
    """Return the level of measurement and what it has made of the dissimilarities."""
    from unimds.levels import as_level

    told: dict[str, Any] = {"level": str(as_level(mds.level))}
    if mds.transformation_ is None:
        return told
    if getattr(mds, "conditional", "table") == "row":  # each has a transformation of its own
        return {**told, "conditional": "row"}
    steps = mds.transformation_.corners()
    last = len(steps.given) - 1
    shown = range(last + 1) if last < ROWS else [i * last // (ROWS - 1) for i in range(ROWS)]
    given, disparities = (array[shown].tolist() for array in (steps.given, steps.disparities))
    return {**told, "transformation": {"given": given, "disparities": disparities}}


def _is_estimated(mds: Any) -> bool:
    """Whether cost and stress were estimated on a sample of the pairs."""
    return bool(getattr(mds, "cost_error_", 0.0))


def tell(targets: MapFiles, mds: Any, seconds: float, steps: str) -> None:
    """Say how good the map is, and what was written."""
    from unimds.estimators.parameters import size_found

    outcome, starts = outcome_of(mds), _n_starts(mds)
    # the bar has said it, and `_end` says how to go on after ^C
    once = watched(False) or outcome.name == "INTERRUPTED"
    why = "" if once else f" {outcome.value}"
    course = f"{mds.n_iter_} {steps}"
    if starts > 1:  # the sweeps after a search say nothing about it
        course = f"found from {result_of(mds).found} of {starts} starts"
    size = size_found(mds)
    fit = f"cost {mds.cost_:.6g}, stress {mds.stress_:.4g}"
    if _is_estimated(mds):
        fit = (
            f"cost {mds.cost_:.6g} ± {mds.cost_error_:.2g}, stress {mds.stress_:.4g} ± "
            f"{mds.stress_error_:.2g} (estimates with their standard errors)"
        )
    if mds.transformation_ is not None:
        fit += " of the disparities"
    say(
        f"{counted(len(mds.embedding_), 'point')}: {fit}, "
        f"{f'{size} (estimated), ' if size else ''}{course}, {seconds:.2f} s.{why}"
    )
    if written := _written(targets):
        say(f"Written: {', '.join(written.values())}")


def end(
    outcome: Outcome, targets: MapFiles, checkpoint: str | None, max_iter: int, quiet: bool
) -> None:
    """Remove the checkpoint of a finished run; after any other end say how to go on."""
    if outcome.name == "INTERRUPTED":
        say(_best(targets) + _resume(checkpoint, targets.force or not targets.written()))
        raise typer.Exit(INTERRUPTED)
    if outcome.name != "MAX_ITER":
        if checkpoint is not None:
            Path(checkpoint).unlink(missing_ok=True)
        return
    if not quiet:
        say(_further(targets, checkpoint, max_iter))


def _resume(checkpoint: str | None, force: bool) -> str:
    """Return how to resume an interrupted run, if its checkpoint has been written."""
    if checkpoint is None or not Path(checkpoint).exists():
        return ""
    return f" The same command{'' if force else ' with --force'} resumes from {checkpoint}."


def _further(targets: MapFiles, checkpoint: str | None, max_iter: int) -> str:
    """Return how to go on with a run that ended at its limit."""
    limit = f"--max-iter {2 * max_iter}"
    if checkpoint is not None and Path(checkpoint).exists():
        again = limit if targets.force or not targets.written() else f"{limit} --force"
        return f"To go on from {checkpoint}, give the same command with {again}."
    if targets.output != "-":
        return f"To go on from this map, give --init {targets.output} and another name for OUT."
    return f"To go further, give {limit}."
