"""Pictures of the experiments: cost against time, and the change of angles by projections."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unimds._runtime.extras import require
from unimds.files.atomic import atomic
from unimds.plots.axes import HUES, new_figure, plain, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from unimds.experiments.jl import Projections
    from unimds.experiments.runs import Run

BLUE, ORANGE, GREEN, PINK, RED, SKY, BLACK, GREY = HUES
LOOKS: dict[str, dict[str, Any]] = {
    "pc-unimds": {"color": BLUE, "linewidth": 2.4, "marker": "o"},
    "pc-paper": {"color": SKY, "linewidth": 2.0, "linestyle": (0, (5, 1)), "marker": "s"},
    "lbfgs": {"color": GREY, "linestyle": (0, (6, 1, 1, 1)), "marker": "P"},
    "smacof": {"color": RED, "linestyle": "-", "marker": "^"},
    "cd-svd": {"color": GREEN, "linestyle": (0, (3, 1, 1, 1)), "marker": "v"},
    "cd-rand": {"color": PINK, "linestyle": (0, (1, 1)), "marker": "<"},
    "sgd": {"color": ORANGE, "linestyle": (0, (4, 2)), "marker": "D"},
    "svd": {"color": BLACK, "linestyle": "none", "marker": "x"},
    "renormalised": {"color": BLACK, "linestyle": "none", "marker": "x"},
    "elad": {"color": GREEN, "linestyle": (0, (3, 1, 1, 1)), "marker": "v"},
    "smacof-q-1": {"color": "#F4B183", "linestyle": (0, (1, 1)), "marker": "^"},
    "smacof-q-10": {"color": "#E8915B", "linestyle": (0, (2, 1)), "marker": "^"},
    "smacof-q-100": {"color": RED, "linestyle": (0, (4, 1)), "marker": "^"},
    "smacof-q-1000": {"color": "#A94700", "linestyle": (0, (7, 1)), "marker": "^"},
    "smacof-q-10000": {"color": "#6E2E00", "linestyle": "-", "marker": "^"},
    # kinds of projections
    "subspace": {"color": BLUE, "marker": "o"},
    "gaussian": {"color": RED, "marker": "s"},
    "sparse": {"color": GREEN, "marker": "^"},
}
"""The look of each method, by its name; dashes and markers differ too, to be read in grey."""


def draw_runs(folder: Path, name: str, title: str, runs: Sequence[Run]) -> None:
    """Draw the runs of a figure as PNG and SVG."""
    with _style(name):
        _save(drawn(title, runs), folder, name)


def drawn(title: str, runs: Sequence[Run]) -> Any:
    """Return a picture of cost against time, one panel for each setting."""
    names = list(dict.fromkeys(run.setting for run in runs))
    columns = min(len(names), 2)
    lines = -(-len(names) // columns)
    size = (4.2 * columns + 1.9, 3.1 * lines + 0.5)
    page = new_figure(*size, layout="constrained")
    panels = page.subplots(lines, columns, squeeze=False).ravel()
    for ax, name in zip(panels, names, strict=False):
        _draw_panel(ax, name, [run for run in runs if run.setting == name])
    handles, labels = panels[0].get_legend_handles_labels()
    page.legend(handles, labels, loc="outside right center", frameon=False)
    page.suptitle(title, fontsize=11, fontweight="bold", x=0.01, ha="left")
    page.supxlabel("seconds")
    page.supylabel("cost")
    return page


def _draw_panel(ax: Axes, name: str, runs: Sequence[Run]) -> None:
    for run in runs:
        seconds, cost = np.array(run.curve).T
        look = {"linewidth": 1.4, "markersize": 5, **LOOKS[run.method]}
        # the marker shows the end: the time and cost of the returned map
        ax.plot(seconds, cost, **{**look, "marker": "none"})
        ax.plot(run.seconds, run.cost, **{**look, "linestyle": "none"})
        ax.plot([], [], label=run.label, **look)
    ticker = require("matplotlib.ticker", "plot")
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.xaxis.set_major_formatter(ticker.FormatStrFormatter("%g"))
    ax.yaxis.set_major_formatter(ticker.FormatStrFormatter("%g"))
    ax.yaxis.set_minor_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    ax.yaxis.set_minor_locator(ticker.LogLocator(subs=(2, 3, 5), numticks=4))
    _frame(ax, runs)
    ax.set_title(plain(name), fontsize=9)
    tidy(ax)


def _frame(ax: Axes, runs: Sequence[Run]) -> None:
    """Show the final costs, and the curves down from the seed that most methods share."""
    ends = [run.cost for run in runs]
    seeds = [run.curve[0][1] for run in runs if run.curve[0][1] > 0.0]
    high = max([*ends, *([float(np.median(seeds))] if seeds else [])])
    low = max(min(ends), 1e-12 * high)  # a cost of zero has no logarithm
    if high == 0.0:
        return
    margin = (high / low) ** 0.06
    ax.set_ylim(low / margin, high * margin)


def draw_projections(folder: Path, name: str, title: str, draws: Sequence[Projections]) -> None:
    """Draw how projections change angles, against the number of coordinates, as PNG and SVG."""
    with _style(name):
        page = new_figure(6.4, 4.0, layout="constrained")
        ax = page.subplots()
        for method in dict.fromkeys(d.method for d in draws):
            _draw_projection(ax, method, [d for d in draws if d.method == method])
        bound = {d.dimension: d.bound for d in draws if d.bound < 1.0}
        ax.plot([*bound], [*bound.values()], color=BLACK, linestyle="--", label="exact bound, ε")
        ax.plot([], [], color=GREY, linestyle=":", label="mean over pairs")
        ax.set(xscale="log", yscale="log", xlabel="coordinates", ylabel="relative error of angles")
        ticker = require("matplotlib.ticker", "plot")
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_formatter(ticker.FormatStrFormatter("%g"))
        ax.set_xticks(sorted({d.dimension for d in draws}))
        ax.set_xticks([], minor=True)
        ax.set_title(title, fontsize=11, fontweight="bold")
        tidy(ax)
        ax.legend(frameon=False)
        _save(page, folder, name)


def _draw_projection(ax: Axes, method: str, draws: Sequence[Projections]) -> None:
    look = LOOKS[method]
    m = [d.dimension for d in draws]
    low, high = [min(d.largest) for d in draws], [max(d.largest) for d in draws]
    ax.fill_between(m, low, high, color=look["color"], alpha=0.15, linewidth=0)
    ax.plot(m, [np.median(d.largest) for d in draws], label=f"{method}, all pairs", **look)
    ax.plot(m, [d.mean for d in draws], linestyle=":", markersize=4, **look)


def _style(name: str) -> Any:
    # ids in an SVG are derived from the name: the same data give the same file
    return require("matplotlib", "plot").rc_context({"svg.hashsalt": name, "font.size": 9})


def _save(page: Any, folder: Path, name: str) -> None:
    for ending, metadata in (("png", {"Software": None}), ("svg", {"Date": None})):
        with atomic(folder / f"{name}.{ending}", force=True) as partial:
            page.savefig(partial, dpi=150, metadata=metadata)
