"""Measure the final costs of `n_init="auto"` on many tables, with ten random states each.

Run it with ``make bench-starts``; it writes docs/starts-measured.md. Every cost is compared with
the lowest cost that any run of any method found. s_gd2 runs with unit weights and also with ten
random states; the classical seed is deterministic.

The page also says how often the order of the points decides where small random problems end.
``python benchmarks/starts.py order`` measures that alone, and leaves the rest of the page.
"""

from __future__ import annotations

import importlib.util
import sys
import time
import warnings
from itertools import cycle, islice, product
from pathlib import Path

import numpy as np
from peers import s_gd2
from scipy.sparse.csgraph import minimum_spanning_tree, shortest_path
from sklearn import datasets
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from unimds import place_center, spaces
from unimds.experiments.data import near_euclidean
from unimds.quality import total_cost

PAGE = Path(__file__).parents[1] / "docs" / "starts-measured.md"
STATES = range(10)

ORDER = "## Order of the points"
PROBLEMS = 590
LOSSES = ("squared", "absolute", "huber")
SPACES = {
    "Euclidean, k = 1": ("euclidean", 1),
    "Euclidean, k = 2": ("euclidean", 2),
    "sphere": (spaces.Sphere("auto"), 2),
    "hyperbolic": (spaces.Hyperbolic("auto"), 2),
}
APART = (2.0, 20.0)  # percent


def points() -> dict[str, np.ndarray]:
    """Return tables of features."""
    rng = np.random.default_rng(0)
    normal = rng.normal
    angle = np.linspace(0.0, 6.0 * np.pi, 600)
    nested = normal(size=(6, 1, 1, 20)) * 8 + normal(size=(6, 6, 1, 20)) * 3
    return {
        "digits, 300": rng.permutation(datasets.load_digits().data)[:300],
        "digits, 1000": rng.permutation(datasets.load_digits().data)[:1000],
        "iris": datasets.load_iris().data,
        "wine, standardised": standard(datasets.load_wine().data),
        "breast cancer, standardised": standard(datasets.load_breast_cancer().data),
        "diabetes": datasets.load_diabetes().data,
        "10 blobs in 50-d, 1000": datasets.make_blobs(1000, 50, centers=10, random_state=0)[0],
        "10 blobs in 50-d, 2000": datasets.make_blobs(2000, 50, centers=10, random_state=0)[0],
        "5 blobs in 4-d, 400": datasets.make_blobs(400, 4, centers=5, random_state=1)[0],
        "30 blobs in 10-d, 900": datasets.make_blobs(900, 10, centers=30, random_state=2)[0],
        "clusters of clusters, 720": (nested + normal(size=(6, 6, 20, 20))).reshape(720, 20),
        "swiss roll, 1000": datasets.make_swiss_roll(1000, random_state=0)[0],
        "swiss roll, 2000": datasets.make_swiss_roll(2000, random_state=0)[0],
        "s-curve, 500": datasets.make_s_curve(500, random_state=0)[0],
        "helix, 600": np.column_stack([4 * np.cos(angle), 4 * np.sin(angle), angle]),
        "normal, 3-d, 800": normal(size=(800, 3)),
        "normal, 5-d, 600": normal(size=(600, 5)),
        "normal, 100-d, 500": normal(size=(500, 100)),
        "cube, 4-d, 700": rng.random((700, 4)),
        "surface of a ball, 600": spaces.Sphere().project_points(normal(size=(600, 3))),
    }


def standard(X: np.ndarray) -> np.ndarray:
    """Return columns with mean 0 and variance 1."""
    return (X - X.mean(axis=0)) / X.std(axis=0)


def tables() -> dict[str, np.ndarray]:
    """Return all data sets as float32 distances."""
    found = {name: spaces.distances(X) for name, X in points().items()}
    found["the paper's, 500"] = near_euclidean(500, seed=0)
    found["random numbers, 300"] = random_table(300)
    found["random tree, 400"] = tree(400)
    found["grid of streets, 20 × 20"] = grid(20)
    return {name: D.astype(np.float32) for name, D in found.items()}


def random_table(n: int) -> np.ndarray:
    """Return random distances, which fit no space."""
    upper = np.triu(np.random.default_rng(1).random((n, n)), 1)
    return upper + upper.T


def tree(n: int) -> np.ndarray:
    """Return path lengths in the minimum spanning tree of random lengths."""
    return shortest_path(minimum_spanning_tree(random_table(n)), directed=False)


def grid(side: int) -> np.ndarray:
    """Return path lengths on a square grid."""
    at = np.stack(np.meshgrid(np.arange(side), np.arange(side)), axis=-1).reshape(-1, 2)
    return np.abs(at[:, None] - at).sum(axis=2).astype(float)


def ours(D: np.ndarray, state: int) -> np.ndarray:
    """Embed with the defaults."""
    return place_center(D, 2, random_state=state).embedding


def classical(D: np.ndarray, state: int) -> np.ndarray:
    """Embed from the classical seed alone."""
    return place_center(D, 2, init="classical").embedding


def measured() -> dict[str, dict[str, tuple[np.ndarray, float]]]:
    """Return the costs of every method on every table, and the median of its seconds."""
    methods = {"unimds": ours, "classical seed": classical}
    if importlib.util.find_spec("s_gd2") is not None:
        methods["s_gd2"] = s_gd2
    found: dict[str, dict[str, tuple[np.ndarray, float]]] = {}
    for table, D in tables().items():
        found[table] = {}
        for name, method in methods.items():
            costs, seconds = [], []
            for state in STATES if name != "classical seed" else (0,):
                began = time.perf_counter()
                X = method(D, state)
                seconds.append(time.perf_counter() - began)
                costs.append(total_cost(D, X))
            found[table][name] = np.array(costs), float(np.median(seconds))
        lowest = min(costs.min() for costs, _ in found[table].values())
        print(table, {k: (round(100 * (c.max() / lowest - 1), 3), round(t, 3))
                      for k, (c, t) in found[table].items()}, flush=True)  # fmt: skip
    return found


def page(found: dict[str, dict[str, tuple[np.ndarray, float]]]) -> list[str]:
    """Return the page of results."""
    methods = list(next(iter(found.values())))
    lines = [
        "# Final costs by start",
        "",
        "Written by `make bench-starts`; do not edit. Final cost above the lowest cost that any",
        "run found, in percent; and the median time of a fit, on one thread of BLAS. Squared loss,",
        "k = 2, float32, ten random states.",
        "",
        "| data | " + " | ".join(f"{m}: median | worst | ms" for m in methods) + " |",
        "|---|" + "---:|---:|---:|" * len(methods),
    ]
    worst: dict[str, list[float]] = {method: [] for method in methods}
    for table, row in found.items():
        lowest = min(costs.min() for costs, _ in row.values())
        cells = []
        for method, (costs, seconds) in row.items():
            above = 100.0 * (costs / lowest - 1.0)
            worst[method].append(above.max())
            cells.append(f"{np.median(above):.2f} | {above.max():.2f} | {1e3 * seconds:.0f}")
        lines.append(f"| {table} | " + " | ".join(cells) + " |")
    means = " | ".join(f" | **{np.mean(above):.2f}** | " for above in worst.values())
    return [*lines, f"| **mean of the worst cases** | {means} |"]


def small_table(rng: np.random.Generator) -> np.ndarray:
    """Return distances of 4 to 12 points: random numbers, or points of a plane with noise."""
    n = int(rng.integers(4, 13))
    if rng.random() < 0.5:
        D = rng.random((n, n))
    else:
        points = spaces.distances(rng.normal(size=(n, 2)))
        D = points * np.exp(0.3 * rng.normal(size=(n, n)))
    upper = np.triu(D, 1)
    return upper + upper.T


def by_order() -> dict[tuple[str, str], np.ndarray]:
    """Return how far apart, in percent, the costs of problems and of their permutations are."""
    rng = np.random.default_rng(0)
    found: dict[tuple[str, str], list[float]] = {}
    for loss, name in islice(cycle(product(LOSSES, SPACES)), PROBLEMS):
        D, (space, k) = small_table(rng), SPACES[name]
        turn = rng.permutation(len(D))
        fits = (place_center(T, k, loss=loss, space=space, random_state=0, max_iter=20_000)
                for T in (D, D[np.ix_(turn, turn)]))  # fmt: skip
        low, high = sorted(fit.cost for fit in fits)
        exact = high <= 1e-9 * D.sum()  # both maps are exact up to rounding
        found.setdefault((name, loss), []).append(0.0 if exact else 100.0 * (high / low - 1.0))
    return {which: np.array(apart) for which, apart in found.items()}


def order_section(found: dict[tuple[str, str], np.ndarray]) -> list[str]:
    """Return the section on the order of the points."""
    few, many = APART
    lines = [
        ORDER,
        "",
        "Written by `python benchmarks/starts.py order`; do not edit.",
        f"{PROBLEMS} random problems of 4 to 12 points, half of them random numbers and half",
        "points of a plane with 30 % noise. Each is embedded with the defaults twice: as it is,",
        "and with its points in another order. Where the costs differ, the higher one is not the",
        "lowest that can be found.",
        "",
        f"| space | loss | problems | costs differ by > {few:g} % | by > {many:g} % | most, % |",
        "|---|---|---:|---:|---:|---:|",
    ]
    for (space, loss), apart in found.items():
        counts = " | ".join(str(int((apart > limit).sum())) for limit in APART)
        lines.append(f"| {space} | {loss} | {apart.size} | {counts} | {apart.max():.1f} |")
    every = np.concatenate(list(found.values()))
    counts = " | ".join(f"**{int((every > limit).sum())}**" for limit in APART)
    return [*lines, f"| **all** | | **{every.size}** | {counts} | **{every.max():.1f}** |"]


def main() -> None:
    """Measure and write the page, or only its section on the order of the points."""
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        if sys.argv[1:] == ["order"]:
            before = PAGE.read_text(encoding="utf-8").partition(f"\n{ORDER}")[0].splitlines()
        else:
            for dtype in (np.float32, np.float64):
                table = spaces.distances(np.random.default_rng(0).random((600, 5)))
                place_center(table.astype(dtype))
            before = page(measured())
        lines = [*before, "", *order_section(by_order())]
        PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
