"""Run the experiments of the figures; runs that exist already are not repeated."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from unimds._runtime.extras import require
from unimds.experiments import jl
from unimds.experiments.draw import draw_projections, draw_runs
from unimds.experiments.figures import FIGURES, Figure
from unimds.experiments.methods import METHODS, Effort, measure
from unimds.experiments.runs import Run, Store, write_tables


@dataclass(frozen=True)
class Scale:
    """Size of the experiments: that of the paper, or a small one for a trial."""

    n: int = 300
    seed: int = 0
    effort: Effort = field(default_factory=Effort)

    @classmethod
    def quick(cls, seed: int = 0) -> Scale:
        """Return a size at which everything runs in less than a minute."""
        return cls(60, seed, Effort(max_iter=2000, sweeps=100, cd_steps=100, sgd_passes=100))


NAMES = (*FIGURES, jl.NAME)
"""Names of all figures: those of the paper, and the figure of its theorem."""

Started = Callable[[str, str, str], Any]
Finished = Callable[[Any], Any]


def reproduce(
    folder: str | Path,
    names: Iterable[str] | None = None,
    scale: Scale | None = None,
    started: Started = lambda figure, setting, method: None,
    finished: Finished = lambda run: None,
) -> dict[str, list[Any]]:
    """Run figures and write their tables and pictures to a folder.

    Parameters
    ----------
    folder : str or Path
        Folder of the results. Runs that exist already are not repeated.
    names : iterable of str, default=None
        Figures to make, of `NAMES`; all by default.
    scale : Scale, default=Scale()
        Size of the experiments.
    started, finished : callable
        Called before and after every run, including runs that existed already.

    Returns
    -------
    dict
        The runs of each figure: `Run`, or `jl.Projections` for the figure of the theorem.
    """
    require("matplotlib", "plot")  # fail now, not after minutes of work
    scale = Scale() if scale is None else scale
    chosen = list(NAMES if names is None else names)
    for name in chosen:
        if name not in NAMES:
            raise ValueError(f"there is no figure {name!r}; choose among {', '.join(NAMES)}")
    store = Store(Path(folder), asdict(scale))
    done: dict[str, list[Any]] = {}
    for name in chosen:
        if name == jl.NAME:
            done[name] = jl.spherical_jl(store.folder, scale.n, scale.seed, started, finished)
            draw_projections(store.folder, name, jl.TITLE, done[name])
        else:
            done[name] = _compare(store, FIGURES[name], scale, started, finished)
    return done


def _compare(
    store: Store, figure: Figure, scale: Scale, started: Started, finished: Finished
) -> list[Run]:
    """Run all methods in all settings of a figure."""
    runs = []
    for setting in figure.settings(scale.n, scale.seed):
        for method in (METHODS[name] for name in figure.methods):
            started(figure.title, setting.name, method.label)
            run = store.get(figure.name, setting.name, method.name)
            if run is None:
                run = measure(figure.name, setting, method, scale.effort)
                store.put(run)
            finished(run)
            runs.append(run)
    write_tables(store.folder, figure.name, runs)
    draw_runs(store.folder, figure.name, figure.title, runs)
    return runs
