"""A tree in the hyperbolic plane and in the Euclidean plane.

A tree soon runs out of room in the Euclidean plane: every node has two children, but the
circumference of a circle grows only in proportion to its radius. In the hyperbolic plane the
circumference grows exponentially, like the tree. The distance between two nodes is the number of
steps between them. Run the script with ``python examples/hierarchy.py [--out FOLDER]``; pictures
need ``pip install '.[plot]'``.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path

from unimds import MDS, Euclidean, Hyperbolic

CHILDREN, GENERATIONS = 2, 5
STEP = 0.8  # length of an edge at curvature 1; longer edges leave more room


def tree() -> tuple[np.ndarray, np.ndarray]:
    """Return the parent of every node except the root, node 0, and the generation of every node."""
    nodes = sum(CHILDREN**g for g in range(GENERATIONS + 1))
    parents = (np.arange(1, nodes) - 1) // CHILDREN
    generation = np.zeros(nodes, dtype=int)
    for child, parent in enumerate(parents, start=1):
        generation[child] = generation[parent] + 1
    return parents, generation


def steps(parents: np.ndarray) -> np.ndarray:
    """Return the number of edges between each pair of nodes."""
    children = np.arange(1, len(parents) + 1)
    edges = (np.ones(len(parents)), (parents, children))
    return shortest_path(csr_array(edges, shape=2 * (len(parents) + 1,)), directed=False)


def draw(folder: Path, maps: dict[str, MDS], parents: np.ndarray, generation: np.ndarray) -> None:
    import matplotlib.pyplot as plt

    from unimds.plots import plot_embedding

    figure, axes = plt.subplots(1, 2, figsize=(11, 5.6), layout="constrained")
    kinds = [f"generation {g}" for g in generation]
    for ax, (name, mds) in zip(axes, maps.items(), strict=True):
        title = f"{name}: Stress-1 {mds.stress_:.3f}"
        plot_embedding(mds, color=kinds, ax=ax, title=title, size=34)
        ax.set_axis_off()
        signs, meanings = ax.get_legend_handles_labels()
        ax.get_legend().remove()
        draw_edges(ax, parents, generation)
    meanings, signs = zip(*sorted(zip(meanings, signs, strict=True)), strict=True)
    figure.legend(signs, meanings, loc="outside lower center", ncols=6, frameon=False)
    picture = folder / "hierarchy.png"
    figure.savefig(picture, dpi=150)
    print(f"drawn: {picture}")


def draw_edges(ax, parents: np.ndarray, generation: np.ndarray) -> None:
    """Draw a line from each parent to its children."""
    places = np.empty((len(generation), 2))
    for signs in ax.collections:  # one per generation, with its nodes in order
        places[generation == int(signs.get_label().split()[1])] = signs.get_offsets()
    for child, parent in enumerate(parents, start=1):
        ax.plot(*places[[child, parent]].T, color="#8A929B", linewidth=0.8, zorder=2)


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="folder for the picture")
    folder = parser.parse_args(argv).out
    parents, generation = tree()
    D = STEP * steps(parents)
    print(f"a tree of {len(D)} nodes, {CHILDREN} children each, up to {D.max() / STEP:.0f} steps")
    maps = {"Euclidean plane": Euclidean(), "hyperbolic plane": Hyperbolic()}
    for name, space in maps.items():
        maps[name] = mds = MDS(space=space, metric="precomputed", random_state=0).fit(D)
        print(f"{name}: Stress-1 {mds.stress_:.3f}")
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        draw(folder, maps, parents, generation)


if __name__ == "__main__":
    main()
