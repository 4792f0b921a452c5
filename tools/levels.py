"""Draw the pictures of docs/levels.md: what ranks, ratings and curves need, and what goes wrong.

Run it with ``make levels``; it takes half a minute.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from choosing import fit, save
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.stats import rankdata

from unimds import MDS, DegenerateWarning, Ordinal
from unimds.plots.axes import FOUND, MISS, QUIET, bare
from unimds.plots.labels import write_labels
from unimds.quality import align
from unimds.spaces import distances

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "examples")]
from colours import COLOURS  # noqa: E402
from tables import FOLDER, read  # noqa: E402

Array = NDArray[np.floating[Any]]

SIDE = 6  # points along an edge of the grid


def similar(points: Array, truth: Array) -> Array:
    """Return points, shrunk or grown, rotated and shifted to lie where the true ones do."""
    size, true = (np.linalg.norm(X - X.mean(axis=0)) for X in (points, truth))
    return align(points * (true / size), truth)


def draw_curve() -> None:
    """Draw a grid from exponentials of its distances: as they are, and by their order alone."""
    truth = np.array([(x, y) for x in range(SIDE) for y in range(SIDE)], dtype=float)
    near = distances(truth)
    edges = np.argwhere(np.triu(np.isclose(near, 1.0)))
    D = np.expm1(0.7 * near)
    figure = Figure(figsize=(9.0, 4.4), layout="constrained")
    titles = {"ratio": "As distances", "ordinal": "By their order alone"}
    for ax, level in zip(figure.subplots(1, 2), titles, strict=True):
        mds = fit(D, level=level)
        points = similar(mds.embedding_, truth)
        for i, j in edges:
            ax.plot(*points[[i, j]].T, color=QUIET, linewidth=1.2, zorder=1)
        ax.scatter(*points.T, color=FOUND, s=36, edgecolors="white", linewidths=0.5, zorder=2)
        ax.set(xlim=(-2.4, SIDE + 1.4), ylim=(-2.4, SIDE + 1.4))
        bare(ax)
        ax.set_title(f"{titles[level]}: stress {mds.stress_:.2f}", fontsize=12)
        worst = np.linalg.norm(points - truth, axis=1).max()
        print(f"grid, {level}: stress {mds.stress_:.3f}, misplaced by up to {worst:.2f}")
    save(figure, "levels-curve.png")


def draw_colours() -> None:
    """Draw the colour circle as distances and by ranks, each with its Shepard diagram."""
    D = read(FOLDER / "ekman-14-colours.txt").D
    figure = Figure(figsize=(9.0, 8.0), layout="constrained")
    below: Array | None = None
    maps = []
    titles = {"ratio": "As distances", "ordinal": "By their order alone"}
    for column, level in zip(figure.subplots(2, 2).T, titles, strict=True):
        mds = fit(D, level=level)
        points = mds.embedding_ if below is None else similar(mds.embedding_, below)
        below = points
        ax = column[0]
        ax.plot(*points.T, color=QUIET, linewidth=1.0, zorder=1)
        ax.scatter(*points.T, s=110, c=list(COLOURS.values()), edgecolors="white", zorder=3)
        bare(ax)
        ax.margins(0.12)
        ax.set_title(f"{titles[level]}: stress {mds.stress_:.3f}", fontsize=12)
        shepard(column[1], D, mds)
        maps.append((ax, points, [str(nm) for nm in COLOURS]))
        print(f"colours, {level}: stress {mds.stress_:.4f}")
    label(figure, maps)
    save(figure, "levels-colours.png")


def shepard(ax: Axes, D: Array, mds: MDS) -> None:
    """Draw distances on the map against what was given, and what they are compared with."""
    above = np.triu_indices(len(D), 1)
    ax.scatter(D[above], distances(mds.embedding_)[above], s=14, color=FOUND, alpha=0.7, zorder=2)
    if mds.transformation_ is None:
        ax.plot([0.0, 1.0], [0.0, 1.0], color=MISS, linewidth=1.6, zorder=3)
    else:
        mds.transformation_.plot(ax, color=MISS, linewidth=1.6, zorder=3)
    ax.set(xlabel="given dissimilarity", ylabel="distance on the map", xlim=(0.0, 1.05))
    ax.set_ylim(bottom=0.0)


def draw_degenerate() -> None:
    """Draw a degenerate map of ranks, and the map of the same ranks with some strictness."""
    D = read(FOLDER / "harman-8-measurements.txt").D
    figure = Figure(figsize=(9.0, 8.0), layout="constrained")
    levels = {"Ranks alone": Ordinal(), "With strictness 0.3": Ordinal(strictness=0.3)}
    top, maps = 1.05 * D.max(), []
    below: Array | None = None
    for column, (name, level) in zip(figure.subplots(2, 2).T, levels.items(), strict=True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DegenerateWarning)
            mds = fit(D, level=level)
        points = mds.embedding_ if below is None else similar(mds.embedding_, below)
        below = points
        ax = column[0]
        ax.scatter(*points.T, s=40, color=FOUND, edgecolors="white", zorder=3)
        bare(ax)
        ax.margins(0.2)
        maps.append((ax, *bunched(points)))
        ax.set_title(f"{name}: stress {mds.stress_:.3f}", fontsize=12)
        shepard(column[1], D, mds)
        column[1].set(xlim=(0.0, top), ylim=(-0.05, 1.6))
        print(f"measurements, {name}: stress {mds.stress_:.4f}, {mds.degeneracy_}")
    label(figure, maps)
    save(figure, "levels-degenerate.png")


def label(figure: Figure, maps: list[tuple[Axes, Array, list[str]]]) -> None:
    """Write names beside the points of all maps, when their places are final."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for ax, places, names in maps:
        write_labels(ax, places, names)


def bunched(points: Array) -> tuple[Array, list[str]]:
    """Return the places where points lie, and one name for each, such as "1, 3, 4"."""
    near = distances(points) < 1e-2 * distances(points).max()
    first = near.argmax(axis=1)
    places = np.unique(first)
    names = [", ".join(str(i + 1) for i in np.flatnonzero(first == place)) for place in places]
    return points[places], names


def draw_ranks() -> None:
    """Draw points with an outlier from ranks: taken for distances, and as ranks."""
    rng = np.random.default_rng(4)
    clusters = np.repeat([[0.0, 0.0], [3.0, 0.0], [1.5, 6.0]], 8, axis=0)
    truth = clusters + rng.normal(scale=0.4, size=clusters.shape)
    above = np.triu_indices(len(truth), 1)
    ranks = np.zeros_like(distances(truth))
    ranks[above] = rankdata(distances(truth)[above])
    ranks += ranks.T
    figure = Figure(figsize=(9.0, 3.8), layout="constrained")
    maps = {
        "The true points": truth,
        "Ranks as distances": fit(ranks).embedding_,
        "Ranks as ranks": fit(ranks, level="ordinal").embedding_,
    }
    for ax, (name, points) in zip(figure.subplots(1, 3), maps.items(), strict=True):
        points = similar(points, truth)
        ax.scatter(*points.T, s=30, color=FOUND, edgecolors="white", linewidths=0.5)
        ax.set(xlim=(-2.5, 5.5), ylim=(-2.5, 7.5))
        bare(ax)
        ax.set_title(name, fontsize=12)
        error = np.linalg.norm(points - truth) / np.linalg.norm(truth - truth.mean(axis=0))
        print(f"ranks, {name}: error {error:.3f}")
    save(figure, "levels-ranks.png")


if __name__ == "__main__":
    draw_curve()
    draw_colours()
    draw_degenerate()
    draw_ranks()
