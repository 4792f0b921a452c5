"""Run the figures, going on with what is missing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from unimds._extras import require
from unimds.experiments.draw import draw_figure
from unimds.experiments.figures import FIGURES, Figure
from unimds.experiments.methods import Effort
from unimds.experiments.runs import Run, Store, measure
from unimds.experiments.tables import write_tables


@dataclass(frozen=True)
class Scale:
    """How large the experiments are: those of the paper, or small ones to try it out."""

    n: int = 300
    seed: int = 0
    effort: Effort = field(default_factory=Effort)

    @classmethod
    def quick(cls, seed: int = 0) -> Scale:
        """Return one at which everything runs in less than a minute."""
        return cls(60, seed, Effort(max_iter=2000, sweeps=100, cd_steps=100, sgd_passes=100))


def reproduce(
    folder: str | Path,
    names: Iterable[str] | None = None,
    scale: Scale | None = None,
    started: Callable[[str, str, str], Any] = lambda figure, setting, method: None,
    finished: Callable[[Run], Any] = lambda run: None,
) -> dict[str, list[Run]]:
    """Run figures and write their tables and pictures to a folder.

    Parameters
    ----------
    folder : str or Path
        Where everything goes. Runs that are there already are not repeated.
    names : iterable of str, default=None
        Figures to make, of `FIGURES`; all by default.
    scale : Scale, default=Scale()
        How large.
    started, finished : callable
        Told of every run before and after it, also of those that were there already.

    Returns
    -------
    dict
        The runs of each figure.
    """
    require("matplotlib", "plot")  # now, not after minutes of work
    scale = Scale() if scale is None else scale
    chosen = [_figure(name) for name in (FIGURES if names is None else names)]
    folder = Path(folder)
    store = Store(folder, asdict(scale))
    done: dict[str, list[Run]] = {}
    for figure in chosen:
        runs = []
        for setting in figure.settings(scale.n, scale.seed):
            for method in figure.methods:
                started(figure.title, setting.name, method.label)
                run = store.get(figure.name, setting, method)
                if run is None:
                    run = measure(figure.name, setting, method, scale.effort)
                    store.put(setting, method, run)
                finished(run)
                runs.append(run)
        write_tables(folder, figure.name, runs)
        draw_figure(folder, figure, runs)
        done[figure.name] = runs
    return done


def _figure(name: str) -> Figure:
    if name not in FIGURES:
        raise ValueError(f"there is no figure {name!r}; choose among {', '.join(FIGURES)}")
    return FIGURES[name]
