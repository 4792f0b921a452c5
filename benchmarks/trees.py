"""Measure how well hyperbolic maps hold trees, with and without the start from a tree.

Run it with ``make bench-trees``; it writes docs/trees-measured.md. Every tree is mapped three
times: without its tree start, as older versions did; from its tree start alone; and with the
defaults. Trees have 31 to 500 nodes, and edges of one length or of random lengths.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from unimds import Hyperbolic, place_center
from unimds.distances.pairs import as_pairs
from unimds.losses import Squared
from unimds.placecenter.problem import Problem
from unimds.placecenter.result import Result
from unimds.spaces import distances
from unimds.starts import race
from unimds.starts.seeds import size
from unimds.starts.seeds.tree import tree_start

PAGE = Path(__file__).parents[1] / "docs" / "trees-measured.md"
SIZES = {31: 2, 63: 2, 121: 1, 250: 1, 500: 1}  # nodes, and random trees of each kind
ACROSS = (6.0, 12.0, 20.0)  # largest distances, in units of length
LARGE, ONCE = 250, (12.0,)  # nodes from which there is one curvature, as they take long
ABOVE = 1e-6  # share of a cost that only rounding makes


class Fit(NamedTuple):
    """One map: its Stress-1, its cost, whether it settled, and how long it took."""

    stress: float
    cost: float
    settled: bool
    seconds: float


def trees() -> Iterator[tuple[str, int, np.ndarray]]:
    """Yield the kind, the number of nodes and the path lengths of every tree."""
    rng = np.random.default_rng(0)
    for n, count in SIZES.items():
        for name, children in (("binary", 2), ("ternary", 3)):
            yield name, n, paths([(i - 1) // children for i in range(1, n)])
        for name, low, high in (("random", 1.0, 1.0), ("random, random lengths", 0.2, 1.8)):
            for _ in range(count):
                parents = [int(rng.integers(i)) for i in range(1, n)]
                yield name, n, paths(parents, rng.uniform(low, high, n - 1))


def paths(parents: list[int], lengths: np.ndarray | float = 1.0) -> np.ndarray:
    """Return path lengths between all nodes, given the parents of all nodes but the first."""
    n = len(parents) + 1
    edges = np.broadcast_to(lengths, n - 1), (np.arange(1, n), parents)
    return shortest_path(csr_array(edges, shape=(n, n)), directed=False)


@contextmanager
def without_trees() -> Iterator[None]:
    """Leave the start from a tree out, as if no tree fitted any table."""
    kept = race.tree_start, size.tree_size
    race.tree_start = size.tree_size = lambda problem, known: None
    try:
        yield
    finally:
        race.tree_start, size.tree_size = kept


def fitted(D: np.ndarray, **how: object) -> Fit:
    """Fit a map and judge it."""
    began = time.perf_counter()
    result: Result = place_center(D, 2, random_state=0, **how)
    seconds = time.perf_counter() - began
    u = distances(result.embedding, space=result.space)
    stress = float(np.sqrt(((u - D) ** 2).sum() / (u**2).sum()))
    return Fit(stress, result.cost, result.converged, seconds)


def tree_alone(D: np.ndarray, space: Hyperbolic) -> Fit:
    """Fit a map from the start of its tree and from no other."""
    problem = Problem.posed(as_pairs(D), Squared(), space, 2)
    start = tree_start(problem, [])
    assert start is not None
    return fitted(D, space=space, init=problem.frame.outer(start))


def measured() -> dict[tuple[str, str], list[tuple[Fit, Fit | None, Fit]]]:
    """Return the fits of every tree by its kind and by the curvature."""
    found: dict[tuple[str, str], list[tuple[Fit, Fit | None, Fit]]] = {}
    for kind, n, D in trees():
        for across in (*(ACROSS if n < LARGE else ONCE), None):
            curvature = "auto" if across is None else (across / D.max()) ** 2
            space, alone = Hyperbolic(curvature), None
            with without_trees():
                before = fitted(D, space=space)
            if across is not None:
                alone = tree_alone(D, space)
            after = fitted(D, space=space)
            name = '"auto"' if across is None else f"{across:g} across"
            found.setdefault((kind, name), []).append((before, alone, after))
            print(kind, n, name, *(f and f"{f.stress:.4f} {f.seconds:.1f} s"
                                   for f in (before, alone, after)), flush=True)  # fmt: skip
    return found


def page(found: dict[tuple[str, str], list[tuple[Fit, Fit | None, Fit]]]) -> list[str]:
    """Return the page of results."""
    low, high = min(SIZES), max(SIZES)
    lines = [
        "# Trees in the hyperbolic plane",
        "",
        f"Written by `make bench-trees`; do not edit. Trees of {low} to {high} nodes, squared",
        "loss, k = 2: binary and ternary ones, and random ones, in which every new node gets any",
        "of the nodes before it as its parent. The curvature is such that the longest path is 6,",
        '12 or 20 units of length (radii of curvature), or "auto". *Before* is without the [start',
        "from a tree](engine.md#starts-in-hyperbolic-space), *after* is with it: the defaults.",
        "Medians over all trees of a row.",
        "",
        "| tree | curvature | trees | Stress-1 before | after | settled before | after | s before"
        " | after |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for (kind, name), fits in found.items():
        before, after = [a for a, _, _ in fits], [c for _, _, c in fits]
        cells = [kind, name, len(fits)]
        cells += [f"{np.median([f.stress for f in some]):.4f}" for some in (before, after)]
        cells += [sum(f.settled for f in some) for some in (before, after)]
        cells += [f"{np.median([f.seconds for f in some]):.2f}" for some in (before, after)]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    every = [fit for fits in found.values() for fit in fits]
    higher = sum(after.cost > before.cost * (1 + ABOVE) for before, _, after in every)
    pairs = [(alone, after) for _, alone, after in every if alone is not None]
    above = sum(after.cost > alone.cost * (1 + ABOVE) for alone, after in pairs)
    return [
        *lines,
        "",
        f"Of {len(every)} fits, {higher} end higher than before. Of the {len(pairs)} at a given",
        f"curvature, {above} end higher than the descent from the tree start alone.",
    ]


def main() -> None:
    """Measure and write the page."""
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for space in (Hyperbolic(), Hyperbolic("auto")):  # compile
            place_center(paths([0, 0, 1, 1, 2, 2]), 2, space=space)
        PAGE.write_text("\n".join(page(measured())) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
