"""Tables of runs, as CSV: what `claims` reads, and what a person can open."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from unimds.experiments.methods import OURS
from unimds.experiments.runs import Run, write_whole

COLUMNS = (
    "setting",
    "method",
    "cost",
    "above_pc_unimds_percent",
    "seconds",
    "sweeps",
    "rises",
    "message",
)


@dataclass(frozen=True)
class Row:
    """A line of a table; `above` is the cost above that of unimds, in percent of it."""

    setting: str
    method: str
    cost: float
    above: float
    seconds: float
    sweeps: int
    rises: int
    message: str

    @property
    def lead(self) -> str:
        """`above` as it is shown; a nothing has no sign."""
        return f"{round(self.above, 2) + 0.0:+.2f} %"


Curves = dict[tuple[str, str], list[tuple[float, float]]]
"""(seconds, cost) by (setting, method)."""


def rows(runs: Iterable[Run]) -> list[Row]:
    """Return the table of a figure."""
    runs = list(runs)
    ours = {run.setting: run.cost for run in runs if run.method == OURS.name}
    return [
        Row(
            run.setting,
            run.label,
            run.cost,
            100.0 * (run.cost / ours[run.setting] - 1.0),
            run.seconds,
            run.sweeps,
            run.rises,
            run.message,
        )
        for run in runs
    ]


def write_tables(folder: Path, figure: str, runs: list[Run]) -> None:
    """Write the table of a figure and its curves."""
    table, curves = io.StringIO(), io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows(runs):
        writer.writerow(
            [
                row.setting,
                row.method,
                f"{row.cost:.10g}",
                f"{row.above:.4f}",
                f"{row.seconds:.4g}",
                row.sweeps,
                row.rises,
                row.message,
            ]
        )
    writer = csv.writer(curves, lineterminator="\n")
    writer.writerow(["setting", "method", "seconds", "cost"])
    for run in runs:
        writer.writerows([run.setting, run.label, s, c] for s, c in run.curve)
    write_whole(folder / f"{figure}.csv", table.getvalue())
    write_whole(folder / f"{figure}-curves.csv", curves.getvalue())


def read_table(folder: Path, figure: str) -> list[Row]:
    """Read the table of a figure."""
    with (Path(folder) / f"{figure}.csv").open(encoding="utf-8", newline="") as file:
        return [
            Row(a, b, float(c), float(d), float(e), int(f), int(g), h)
            for a, b, c, d, e, f, g, h in list(csv.reader(file))[1:]
        ]


def read_curves(folder: Path, figure: str) -> Curves:
    """Read the curves of a figure."""
    curves: Curves = {}
    with (Path(folder) / f"{figure}-curves.csv").open(encoding="utf-8", newline="") as file:
        for setting, method, seconds, cost in list(csv.reader(file))[1:]:
            curves.setdefault((setting, method), []).append((float(seconds), float(cost)))
    return curves
