"""Runs of methods: their results, each kept as JSON, and the tables of a figure as CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

from unimds.files.atomic import atomic

REFERENCE = "pc-unimds"
"""Tables compare the cost of every method with the cost of this method."""

Kept = TypeVar("Kept")


@dataclass(frozen=True)
class Run:
    """The result of one method in one setting.

    Attributes
    ----------
    figure, setting, method : str
        Names of the figure, the setting and the method.
    label : str
        Name of the method in the figure.
    cost : float
        The cost of the returned map, by `unimds.quality.total_cost` for all methods.
    seconds : float
        Total time, including the seed.
    sweeps : int
        Number of iterations.
    rises : int
        Number of iterations that raised the cost.
    message : str
        Why the method stopped.
    curve : list of (seconds, cost)
        Cost against time; long curves are thinned.
    """

    figure: str
    setting: str
    method: str
    label: str
    cost: float
    seconds: float
    sweeps: int
    rises: int
    message: str
    curve: list[tuple[float, float]]


# --- one by one -----------------------------------------------------------------------------------


class Store:
    """A folder of runs, one file for each.

    Parameters
    ----------
    folder : Path
        The folder; created if it does not exist.
    settings : dict
        What all runs of the folder have in common: runs with other settings are refused.
    """

    def __init__(self, folder: Path, settings: dict[str, Any]):
        self.folder = Path(folder)
        known = self.folder / "settings.json"
        if known.exists():
            before = json.loads(known.read_text(encoding="utf-8"))
            if before != settings:
                raise ValueError(
                    f"{self.folder} holds runs with the settings {before}, but these are "
                    f"{settings}; choose another folder, or remove {self.folder}"
                )
        else:
            write_text(known, json.dumps(settings, indent=2) + "\n")

    def path(self, figure: str, setting: str, method: str) -> Path:
        """Return the file of a run."""
        name = setting.replace("=", "").replace("%", "")
        return self.folder / "runs" / figure / f"{name}-{method}.json"

    def get(self, figure: str, setting: str, method: str) -> Run | None:
        """Return a run, or None if it is missing or cannot be read."""
        return read_kept(self.path(figure, setting, method), Run)

    def put(self, run: Run) -> None:
        """Keep a run."""
        keep(self.path(run.figure, run.setting, run.method), run)


def keep(path: Path, record: Any) -> None:
    """Write a dataclass as JSON."""
    write_text(path, json.dumps(asdict(record)))


def read_kept(path: Path, kind: Callable[..., Kept]) -> Kept | None:
    """Read a dataclass that `keep` wrote; None if the file is missing or cannot be read."""
    try:
        return kind(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def write_text(path: Path, text: str) -> None:
    """Write or replace a file atomically, and create its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic(path, force=True) as partial:
        partial.write_text(text, encoding="utf-8")


# --- tables ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """A row of a table; `above` is the cost above that of unimds, in per cent."""

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
        """`above` as text; zero has no minus sign."""
        return f"{round(self.above, 2) + 0.0:+.2f} %"


COLUMNS = [
    "above_pc_unimds_percent" if field.name == "above" else field.name for field in fields(Row)
]

Curves = dict[tuple[str, str], list[tuple[float, float]]]
"""(seconds, cost) by (setting, method)."""


def rows(runs: Iterable[Run]) -> list[Row]:
    """Return the table of a figure."""
    runs = list(runs)
    reference = {run.setting: run.cost for run in runs if run.method == REFERENCE}
    return [
        Row(
            run.setting,
            run.label,
            run.cost,
            100.0 * (run.cost / reference[run.setting] - 1.0),
            run.seconds,
            run.sweeps,
            run.rises,
            run.message,
        )
        for run in runs
    ]


def write_tables(folder: Path, figure: str, runs: list[Run]) -> None:
    """Write the table of a figure and its curves."""
    lines = [
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
        for row in rows(runs)
    ]
    curves = [[run.setting, run.label, s, c] for run in runs for s, c in run.curve]
    write_csv(folder / f"{figure}.csv", [COLUMNS, *lines])
    write_csv(folder / f"{figure}-curves.csv", [["setting", "method", "seconds", "cost"], *curves])


def write_csv(path: Path, lines: Iterable[Iterable[Any]]) -> None:
    """Write a table."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    write_text(path, text.getvalue())


def read_table(folder: Path, figure: str) -> list[Row]:
    """Read the table of a figure."""
    return [
        Row(a, b, float(c), float(d), float(e), int(f), int(g), h)
        for a, b, c, d, e, f, g, h in read_csv(folder / f"{figure}.csv")
    ]


def read_curves(folder: Path, figure: str) -> Curves:
    """Read the curves of a figure."""
    curves: Curves = {}
    for setting, method, seconds, cost in read_csv(folder / f"{figure}-curves.csv"):
        curves.setdefault((setting, method), []).append((float(seconds), float(cost)))
    return curves


def read_csv(path: Path) -> list[list[str]]:
    """Read a table without its header."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))[1:]
