"""Runs of methods, and the folder that keeps them."""

from __future__ import annotations

import json
import warnings
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from unimds.experiments.methods import Effort, Method, Setting
from unimds.placecenter.result import Outcome, Result
from unimds.quality import total_cost

BRIEFLY = Effort(max_iter=2, sweeps=2, cd_steps=2, sgd_passes=2)  # long enough to compile
CURVE_POINTS = 300  # enough for any line


@dataclass(frozen=True)
class Run:
    """What one method made of one setting.

    Attributes
    ----------
    figure, setting, method, label : str
        Where it belongs.
    cost : float
        The cost of the map it returned, by `unimds.quality.total_cost`, as for all methods.
    seconds : float
        Time to the end, its seed included.
    sweeps : int
        Number of iterations.
    rises : int
        In how many iterations the cost rose.
    message : str
        Why it ended.
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


def measure(figure: str, setting: Setting, method: Method, effort: Effort) -> Run:
    """Run a method, compiled beforehand, on one core."""
    # one core for all: PlaceCenter uses one, and linear algebra on more stalls where others work
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")  # a method that is not done in time: `message` tells
        for task, pains in ((setting.small(), BRIEFLY), (setting, effort)):
            result = method.run(task, pains)
            if result.outcome is Outcome.INTERRUPTED:  # its best so far is no run to keep
                raise KeyboardInterrupt
    return judged(figure, setting, method, result)


def judged(figure: str, setting: Setting, method: Method, result: Result) -> Run:
    """Return what a method made of a setting, its cost measured as for all methods."""
    cost = total_cost(setting.D, result.embedding, loss=setting.loss, space=setting.space)
    seconds, costs = result.history.T
    return Run(
        figure=figure,
        setting=setting.name,
        method=method.name,
        label=method.label,
        cost=cost,
        seconds=float(seconds[-1]),
        sweeps=result.n_iter,
        rises=int(np.count_nonzero(np.diff(costs) > 1e-12 * costs[:-1])),
        message=result.message,
        curve=thinned(result),
    )


def thinned(result: Result) -> list[tuple[float, float]]:
    """Return cost against time at equal steps of the logarithm of the iteration."""
    last = len(result.history) - 1
    index = np.unique(np.geomspace(1, last + 1, CURVE_POINTS).round().astype(int) - 1)
    return [(float(f"{s:.4g}"), float(f"{c:.8g}")) for s, c in result.history[index]]


class Store:
    """A folder of runs, each a file that is written whole or not at all.

    Parameters
    ----------
    folder : Path
        Where the runs are; made if it is not there.
    settings : dict
        What all runs of a folder have in common: runs at another size do not mix with them.
    """

    def __init__(self, folder: Path, settings: dict[str, Any]):
        self.folder = Path(folder)
        known = self.folder / "settings.json"
        if known.exists():
            before = json.loads(known.read_text(encoding="utf-8"))
            if before != settings:
                raise ValueError(
                    f"{self.folder} holds runs with the settings {before}, and these are "
                    f"{settings}; choose another folder, or remove that one"
                )
        else:
            write_whole(known, json.dumps(settings, indent=2) + "\n")

    def path(self, figure: str, setting: Setting, method: Method) -> Path:
        """Return where a run is kept."""
        name = setting.name.replace("=", "").replace("%", "")
        return self.folder / "runs" / figure / f"{name}-{method.name}.json"

    def get(self, figure: str, setting: Setting, method: Method) -> Run | None:
        """Return a run, or None where it is missing or cannot be read."""
        path = self.path(figure, setting, method)
        try:
            return Run(**json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    def put(self, setting: Setting, method: Method, run: Run) -> None:
        """Keep a run."""
        write_whole(self.path(run.figure, setting, method), json.dumps(asdict(run)))


def write_whole(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)
