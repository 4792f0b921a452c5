"""Draw the pictures of docs/choosing.md, docs/selecting.md and docs/trust.md.

Those of choosing show what goes wrong with a loss or a space that does not fit.

Run it with ``make choosing``; it takes a minute.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from PIL import Image
from scipy.spatial.distance import squareform

from unimds import MDS, Hyperbolic, MDSSearchCV, Sphere
from unimds.datasets import EARTH_RADIUS, corrupt, great_circle, load_cities
from unimds.plots import plot_globe, plot_permutation_test, plot_stability
from unimds.plots.axes import FOUND, HUES, MISS, PAPER, QUIET, bare
from unimds.plots.labels import write_labels
from unimds.plots.views import view_of
from unimds.quality import align
from unimds.spaces import distances, from_poincare, to_poincare
from unimds.trust import bootstrap, permutation_test

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "examples"))

from colours import COLOURS, SIMILAR  # noqa: E402

Array = NDArray[np.floating[Any]]

IMAGES = ROOT / "docs" / "images"
NAMED = (
    "Anchorage",
    "Auckland",
    "Cairo",
    "Cape Town",
    "Honolulu",
    "Lima",
    "London",
    "Los Angeles",
    "Moscow",
    "Reykjavík",
    "Santiago",
    "Singapore",
    "Sydney",
    "Tokyo",
)


def fit(D: Array, **how: Any) -> MDS:
    """Return the map of a table of distances."""
    return MDS(metric="precomputed", random_state=0, **how).fit(D)


def save(figure: Figure, name: str) -> None:
    """Save a picture, small enough for a document."""
    buffer = io.BytesIO()
    figure.savefig(buffer, dpi=130)
    Image.open(buffer).convert("RGB").quantize(128).save(IMAGES / name, optimize=True)


def draw_loss() -> None:
    """Draw a grid that is found from distances of which one in ten is wrong."""
    side = 7
    truth = np.array([(x, y) for x in range(side) for y in range(side)], dtype=float)
    D, _ = corrupt(distances(truth), 0.1, rng=0)
    edges = np.argwhere(np.triu(np.isclose(distances(truth), 1.0)))
    figure = Figure(figsize=(9.0, 4.3), layout="constrained")
    for ax, loss in zip(figure.subplots(1, 2), ("squared", "absolute"), strict=True):
        points = align(fit(D, loss=loss).embedding_, truth)
        worst = np.linalg.norm(points - truth, axis=1).max()
        for i, j in edges:
            ax.plot(*points[[i, j]].T, color=QUIET, linewidth=1.2, zorder=1)
        ax.scatter(*points.T, color=FOUND, s=36, edgecolors="white", linewidths=0.5, zorder=2)
        ax.set(xlim=(-0.9, side - 0.1), ylim=(-0.9, side - 0.1))
        bare(ax)
        ax.set_title(
            f"{loss.capitalize()} loss: misplaced by up to {worst:.2g} steps"
            if worst > 1e-3
            else f"{loss.capitalize()} loss: every point is in its place",
            fontsize=12,
        )
        print(f"grid, {loss}: misplaced by up to {worst:.2g}")
    save(figure, "choosing-loss.png")


def tree(depth: int, children: str) -> tuple[list[str], Array]:
    """Return the nodes of a tree, each named by the way to it, and the steps between them."""
    nodes, level = [""], [""]
    for _ in range(depth):
        level = [node + child for node in level for child in children]
        nodes += level
    steps = np.array([[len(a) + len(b) - 2 * shared(a, b) for b in nodes] for a in nodes])
    return nodes, steps.astype(float)


def shared(a: str, b: str) -> int:
    """Return the length of the longest beginning that two names share."""
    pairs = zip(a, b, strict=False)
    return next((k for k, (x, y) in enumerate(pairs) if x != y), min(len(a), len(b)))


def draw_tree() -> None:
    """Draw a tree in the plane and in the hyperbolic plane."""
    nodes, D = tree(4, "ab")
    edges = np.argwhere(np.triu(D == 1.0))
    hues = {"": "#000000", "aa": HUES[0], "ab": HUES[5], "ba": HUES[4], "bb": HUES[1]}
    colors = [hues.get(node[:2], "#000000") for node in nodes]
    figure = Figure(figsize=(9.0, 4.9), layout="constrained")
    left, right = figure.subplots(1, 2)
    for ax, space in ((left, "euclidean"), (right, Hyperbolic())):
        mds = fit(D, space=space, max_iter=20_000)
        view = view_of(mds.embedding_, mds.space_)
        for line in view.edge:
            ax.fill(*line.T, facecolor=PAPER, edgecolor=QUIET, zorder=0)
        for i, j in edges:
            line = view.points[[i, j]] if ax is left else geodesic(*view.points[[i, j]])
            ax.plot(*line.T, color=colors[j], linewidth=1.4, alpha=0.7, zorder=1)
        ax.scatter(*view.points.T, c=colors, s=30, edgecolors="white", linewidths=0.4, zorder=2)
        bare(ax)
        reach = 1.05 * np.abs(view.points if ax is left else view.edge[0]).max()
        ax.set(xlim=(-reach, reach), ylim=(-reach, reach))
        name = "the plane" if ax is left else "the hyperbolic plane"
        ax.set_title(f"In {name}: stress {mds.stress_:.2f}", fontsize=12)
        print(f"tree in {name}: stress {mds.stress_:.3f}")
    save(figure, "choosing-tree.png")


def geodesic(a: Array, b: Array, points: int = 20) -> Array:
    """Return the shortest line between two points of the Poincaré disk."""
    x, y = from_poincare(np.array([a, b]))
    t = np.linspace(0.0, 1.0, points)[:, None]
    line = (1.0 - t) * x + t * y
    return to_poincare(line / np.sqrt(line[:, :1] ** 2 - (line[:, 1:] ** 2).sum(1, keepdims=True)))


def draw_sphere() -> None:
    """Draw cities in the plane, where the ends of the world are torn apart, and on the sphere."""
    cities = load_cities()
    km = great_circle(cities.latlon)
    names = [name if name in NAMED else None for name in cities.names]
    plane, sphere = fit(km), fit(km, space=Sphere(radius="auto"))
    figure = Figure(figsize=(10.0, 4.6))
    figure.text(0.25, 0.93, f"In the plane: stress {plane.stress_:.2f}", ha="center", fontsize=12)
    stress = f"{sphere.stress_:.2f}"
    figure.text(0.74, 0.93, f"On the sphere: stress {stress}", ha="center", fontsize=12)
    ax = figure.add_axes((0.01, 0.15, 0.46, 0.75))
    draw_plane(ax, plane.embedding_, km, cities.names, names)
    ax = figure.add_axes((0.5, 0.15, 0.49, 0.66), projection="mollweide")
    points = align(sphere.embedding_, cities.points, space="sphere")
    plot_globe(points, None, names, ax, center=11.0, legend=False)
    radius = f"found: a radius of {sphere.space_.unit:.0f} km, truly {EARTH_RADIUS:.0f} km"
    figure.text(0.74, 0.08, radius, ha="center", fontsize=10)
    print(f"cities: plane {plane.stress_:.3f}, sphere {sphere.stress_:.2g}")
    save(figure, "choosing-sphere.png")


def draw_plane(ax: Axes, points: Array, km: Array, cities: tuple[str, ...], names: list) -> None:
    """Draw the flat map, and the pairs that it tears apart most among the cities with names."""
    points = points - points.mean(axis=0)
    ax.scatter(*points.T, color=FOUND, s=26, edgecolors="white", linewidths=0.4, zorder=2.5)
    reach = 1.12 * np.abs(points).max(axis=0)
    ax.set(xlim=(-reach[0], reach[0]), ylim=(-reach[1], reach[1]))
    bare(ax)
    far = distances(points)
    for k, (a, b) in enumerate((("Auckland", "Santiago"), ("Cape Town", "Sydney"))):
        i, j = cities.index(a), cities.index(b)
        print(f"{a} to {b}: {km[i, j]:.0f} km, in the plane {far[i, j]:.0f} km")
        look = {"color": MISS, "linewidth": 1.6, "linestyle": ("-", "--")[k], "zorder": 2}
        text = f"{a} – {b}: {km[i, j]:,.0f} km, here {far[i, j]:,.0f} km"
        ax.plot(*points[[i, j]].T, **look, label=text)
    ax.legend(loc="upper center", fontsize=9, frameon=False, bbox_to_anchor=(0.5, 0.02))
    write_labels(ax, points, names)


def draw_colours() -> None:
    """Draw the errors of held-out pairs of Ekman's colours."""
    similar = np.array(SIMILAR.split(), dtype=float)
    grid = {"level": ["ratio", "interval", "ordinal"], "n_components": [1, 2, 3]}
    search = MDSSearchCV(MDS(metric="precomputed"), grid, cv=10, random_state=0, refit=False)
    search.fit(squareform(1.0 - similar / 100.0))
    print(f"colours: {search.best_params_}")
    save(search.plot().figure, "selecting-colours.png")


def draw_trust() -> None:
    """Draw how far to trust the map of Ekman's colours."""
    similar = np.array(SIMILAR.split(), dtype=float)
    mds = MDS(level="ordinal", metric="precomputed", random_state=0)
    mds.fit(squareform(1.0 - similar / 100.0))
    save(plot_permutation_test(permutation_test(mds, random_state=0)).figure, "trust-structure.png")
    names, hues = [str(length) for length in COLOURS], list(COLOURS.values())
    found = bootstrap(mds, random_state=0)
    print(f"trust: stability {found.stability:.3f}")
    save(plot_stability(found, names, hues).figure, "trust-colours.png")


if __name__ == "__main__":
    draw_colours()
    draw_trust()
    draw_loss()
    draw_tree()
    draw_sphere()
