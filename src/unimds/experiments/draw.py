"""Draw a figure of the paper: cost against clock time, one panel for each setting."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unimds._runtime.extras import require
from unimds.experiments import methods as m
from unimds.experiments.figures import Figure
from unimds.experiments.runs import Run
from unimds.plots.axes import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLACK, ORANGE, SKY, GREEN, BLUE, RED, PINK, GREY = (
    "#000000",
    "#E69F00",
    "#56B4E9",
    "#009E73",
    "#0072B2",
    "#D55E00",
    "#CC79A7",
    "#7F7F7F",
)  # Okabe and Ito's palette; dashes and markers differ too, so that it can be read in grey
LOOKS: dict[str, dict[str, Any]] = {
    m.OURS.name: {"color": BLUE, "linewidth": 2.4, "marker": "o"},
    m.PAPER.name: {"color": SKY, "linewidth": 2.0, "linestyle": (0, (5, 1)), "marker": "s"},
    m.SMACOF.name: {"color": RED, "linestyle": "-", "marker": "^"},
    m.CD_SVD.name: {"color": GREEN, "linestyle": (0, (3, 1, 1, 1)), "marker": "v"},
    m.CD_RAND.name: {"color": PINK, "linestyle": (0, (1, 1)), "marker": "<"},
    m.SGD.name: {"color": ORANGE, "linestyle": (0, (4, 2)), "marker": "D"},
    m.SVD.name: {"color": BLACK, "linestyle": "none", "marker": "x"},
    m.RENORMALISED.name: {"color": BLACK, "linestyle": "none", "marker": "x"},
    m.ELAD.name: {"color": GREEN, "linestyle": (0, (3, 1, 1, 1)), "marker": "v"},
}
KAPPA_SHADES = ("#F4B183", "#E8915B", RED, "#A94700", "#6E2E00")
KAPPA_DASHES = ((0, (1, 1)), (0, (2, 1)), (0, (4, 1)), (0, (7, 1)), "-")
for method, shade, dash in zip(m.SMACOF_Q, KAPPA_SHADES, KAPPA_DASHES, strict=True):
    LOOKS[method.name] = {"color": shade, "linestyle": dash, "marker": "^"}


def draw_figure(folder: Path, figure: Figure, runs: Sequence[Run]) -> None:
    """Draw a figure as PNG and SVG."""
    # ids by name, not by chance: the same data give the same file
    with require("matplotlib", "plot").rc_context({"svg.hashsalt": figure.name, "font.size": 9}):
        save(drawn(figure.title, runs), folder, figure.name)


def drawn(title: str, runs: Sequence[Run]) -> Any:
    """Return a picture of cost against time, one panel for each setting."""
    names = list(dict.fromkeys(run.setting for run in runs))
    columns = min(len(names), 2)
    lines = -(-len(names) // columns)
    size = (4.2 * columns + 1.9, 3.1 * lines + 0.5)
    page = require("matplotlib.figure", "plot").Figure(figsize=size, layout="constrained")
    panels = page.subplots(lines, columns, squeeze=False).ravel()
    for ax, name in zip(panels, names, strict=False):
        _draw_panel(ax, name, [run for run in runs if run.setting == name])
    handles, labels = panels[0].get_legend_handles_labels()
    page.legend(handles, labels, loc="outside right center", frameon=False)
    page.suptitle(title, fontsize=11, fontweight="bold", x=0.01, ha="left")
    page.supxlabel("seconds")
    page.supylabel("cost")
    return page


def save(page: Any, folder: Path, name: str) -> None:
    """Save a picture as PNG and SVG, each whole or not at all."""
    for ending in ("png", "svg"):
        metadata = {"Date": None} if ending == "svg" else {"Software": None}
        partial = folder / f".{name}.partial.{ending}"
        page.savefig(partial, dpi=150, metadata=metadata)
        partial.replace(folder / f"{name}.{ending}")


def _draw_panel(ax: Axes, name: str, runs: Sequence[Run]) -> None:
    for run in runs:
        seconds, cost = np.array(run.curve).T
        look = {"linewidth": 1.4, "markersize": 5, **LOOKS[run.method]}
        # the marker is where the method ended: at the map it returned
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
    ax.grid(color="#E3E6EA", linewidth=0.6)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def _frame(ax: Axes, runs: Sequence[Run]) -> None:
    """Show where the methods end, and the way there from the seed that most of them share."""
    ends = [run.cost for run in runs]
    seeds = [run.curve[0][1] for run in runs if run.curve[0][1] > 0.0]
    high = max([*ends, *([float(np.median(seeds))] if seeds else [])])
    low = max(min(ends), 1e-12 * high)  # a cost of zero has no logarithm
    if high == 0.0:
        return
    margin = (high / low) ** 0.06
    ax.set_ylim(low / margin, high * margin)
