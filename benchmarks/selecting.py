"""Measure how often held-out pairs choose what the data were made from, and what that takes.

Run it with ``make bench-select``; it writes docs/select-measured.md. Data are distances of random
points, each multiplied by a random factor. Times are those of the processor, on one thread, as
ratios to a fit with the defaults in the same run.
"""

from __future__ import annotations

import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from unimds import MDS, Hyperbolic, MDSSearchCV, Sphere, place_center
from unimds.datasets import corrupt
from unimds.select.folds import pair_folds
from unimds.spaces import distances

PAGE = Path(__file__).parents[1] / "docs" / "select-measured.md"
SETS = 20
POINTS = 60  # of the tables whose dimension is to be found
OTHERS = 50  # of the tables whose space is
FEW = 40  # of the tables whose loss or level is
LEAKS = 8  # tables whose starts are compared
DIMENSIONS = [1, 2, 3, 4, 5, 6]

Rng = np.random.Generator
Table = np.ndarray


def noisy(D: Table, noise: float, rng: Rng) -> Table:
    """Multiply every distance by a random factor of mean one."""
    factors = np.triu(rng.normal(1.0, noise, D.shape), 1)
    return D * np.abs(factors + factors.T)


def flat(n: int, k: int, rng: Rng) -> Table:
    """Return the distances of points with normal coordinates."""
    return distances(rng.normal(size=(n, k)))


def on_sphere(n: int, rng: Rng) -> Table:
    """Return the angles between random directions."""
    points = rng.normal(size=(n, 3))
    return distances(points / np.linalg.norm(points, axis=1)[:, None], space=Sphere())


def in_disk(n: int, rng: Rng) -> Table:
    """Return the distances of points spread evenly in a hyperbolic disk of radius 3."""
    radius = np.arccosh(1.0 + rng.random(n) * (np.cosh(3.0) - 1.0))
    angle = rng.uniform(0.0, 2.0 * np.pi, n)
    points = [np.cosh(radius), np.sinh(radius) * np.cos(angle), np.sinh(radius) * np.sin(angle)]
    return distances(np.transpose(points), space=Hyperbolic())


def unstructured(n: int, rng: Rng) -> Table:
    """Return random numbers as distances."""
    D = np.triu(rng.uniform(0.0, 1.0, (n, n)), 1)
    return D + D.T


def searched(D: Table, seed: int, grid: Any = None, **how: Any) -> MDSSearchCV:
    """Search with the defaults."""
    how = {"random_state": seed, "refit": False, **how}
    return MDSSearchCV(MDS(metric="precomputed"), grid, **how).fit(D)


def row(*cells: object) -> str:
    """Return a row of a table."""
    return "| " + " | ".join(map(str, cells)) + " |"


def share(found: Iterable[bool]) -> str:
    """Return how many of some are true, in words."""
    some = list(found)
    return f"{sum(some)} of {len(some)}"


def dimensions() -> list[str]:
    """Return how often the dimension is found, by either rule."""
    lines = []
    for k in (1, 2, 3, 4):
        for noise in (0.1, 0.25):
            right, lowest = [], []
            for seed in range(SETS):
                rng = np.random.default_rng([1, k, int(100 * noise), seed])
                found = searched(noisy(flat(POINTS, k, rng), noise, rng), seed)
                right.append(found.best_params_["n_components"] == k)
                best = found.cv_results_["params"][found.lowest_index_]
                lowest.append(best["n_components"] == k)
            lines.append(row(k, noise, share(right), share(lowest)))
            print(lines[-1], flush=True)
    return lines


def spaces() -> list[str]:
    """Return how often space and dimension are found together."""
    grid = {"n_components": [1, 2, 3], "space": ["euclidean", "sphere", "hyperbolic"]}
    makers: dict[str, tuple[Callable[[int, Rng], Table], Any]] = {
        "the plane": (lambda n, rng: flat(n, 2, rng), "euclidean"),
        "a sphere of two dimensions": (on_sphere, Sphere("auto")),
        "the hyperbolic plane": (in_disk, Hyperbolic("auto")),
    }
    lines = []
    for name, (made, space) in makers.items():
        chosen: list[dict[str, Any]] = []
        for seed in range(SETS):
            rng = np.random.default_rng([2, seed])
            chosen.append(searched(noisy(made(OTHERS, rng), 0.1, rng), seed, grid).best_params_)
        same_space = [one["space"] == space for one in chosen]
        both = [ok and one["n_components"] == 2 for ok, one in zip(same_space, chosen, strict=True)]
        lines.append(row(name, share(same_space), share(both)))
        print(lines[-1], flush=True)
    return lines


def nothing() -> list[str]:
    """Return how often random numbers are said to have no structure."""
    lines = []
    for n in (20, POINTS):
        told = [
            not searched(unstructured(n, np.random.default_rng([3, seed])), seed).structure_
            for seed in range(SETS)
        ]
        lines.append(row(n, share(told)))
        print(lines[-1], flush=True)
    return lines


def kinds(grid: dict[str, Any], made: Callable[[Rng], Table], **how: Any) -> str:
    """Return how often each of some kinds is chosen, the most frequent first."""
    (name,) = grid
    count: Counter[str] = Counter()
    for seed in range(SETS):
        rng = np.random.default_rng([4, seed])
        count[str(searched(made(rng), seed, grid, **how).best_params_[name])] += 1
    return ", ".join(f"{kind} {times}" for kind, times in count.most_common())


def losses() -> list[str]:
    """Return which loss is chosen where some distances are wrong."""
    lines, grid = [], {"loss": ["squared", "huber", "absolute"]}
    for wrong in (0.0, 0.1, 0.3):

        def made(rng: Rng, wrong: float = wrong) -> Table:
            return corrupt(noisy(flat(FEW, 2, rng), 0.05, rng), wrong, rng)[0]

        cells = [kinds(grid, made, scoring=scoring) for scoring in ("stress", "median")]
        lines.append(row(f"{wrong:.0%}".replace("%", " %"), *cells))
        print(lines[-1], flush=True)
    return lines


CURVES: dict[str, Callable[[Table], Table]] = {
    "d": lambda d: d,
    "d + 3": lambda d: d + 3.0,
    "d²": lambda d: d * d,
    "√d": np.sqrt,
    "tanh(1.5 d − 3) + 1": lambda d: np.tanh(1.5 * d - 3.0) + 1.0,
}


def levels() -> list[str]:
    """Return which level is chosen where dissimilarities are a curve of distances."""
    lines, grid = [], {"level": ["ratio", "interval", "power", "spline", "ordinal"]}
    for name, curve in CURVES.items():

        def made(rng: Rng, curve: Callable[[Table], Table] = curve) -> Table:
            D = curve(noisy(flat(FEW, 2, rng), 0.1, rng))
            np.fill_diagonal(D, 0.0)
            return D

        lines.append(row(name, kinds(grid, made)))
        print(lines[-1], flush=True)
    return lines


# --- where folds start ----------------------------------------------------------------------------


def grown(X: Table, rng: Rng) -> Table:
    """Return a map with one more dimension, in which points are nearly where they were."""
    return np.column_stack([X, 0.1 * X.std() * rng.normal(size=len(X))])


def starts() -> list[str]:
    """Compare starts of folds: their errors beside those after a long search, and their time."""
    ways = ["its own long search", "all pairs' map", "one dimension less", "its seed", "shaken"]
    errors = {way: np.zeros((len(DIMENSIONS), 0)) for way in ways}
    seconds = dict.fromkeys(ways, 0.0)
    for number in range(LEAKS):
        rng = np.random.default_rng([5, number])
        D = noisy(flat(POINTS, 2 + number % 2, rng), (0.1, 0.25)[number // 2 % 2], rng)
        whole = [place_center(D, k, random_state=0).embedding for k in DIMENSIONS]
        folds = pair_folds(~np.eye(POINTS, dtype=bool), 5, rng)
        for fold in range(2):
            out = folds.held_out(fold)
            seen = np.where(out, np.nan, D)
            for way in ways:
                column, X = np.empty((len(DIMENSIONS), 1)), None
                for at, k in enumerate(DIMENSIONS):
                    how: dict[str, Any] = {
                        ways[0]: {},
                        ways[1]: {"init": whole[at]},
                        ways[2]: {} if X is None else {"init": grown(X, rng)},
                        ways[3]: {"n_init": 1},
                        ways[4]: {"init": "shaken", "n_init": 3, "eps": 1e-5},
                    }[way]
                    began = time.process_time()
                    X = place_center(seen, k, random_state=0, **how).embedding
                    seconds[way] += time.process_time() - began
                    column[at] = np.sqrt(((distances(X)[out] - D[out]) ** 2).mean())
                errors[way] = np.column_stack([errors[way], column])
    lines = []
    for way in ways[1:]:
        more = errors[way] / errors[ways[0]] - 1.0
        cells = [f"{100.0 * one:+.1f} %" for one in (*more.mean(axis=1), more.max())]
        lines.append(row(way, *cells, f"{seconds[way] / seconds[ways[0]]:.2f}"))
        print(lines[-1], flush=True)
    return lines


def times() -> list[str]:
    """Return what a search takes beside one fit with the defaults."""
    lines = []
    rng = np.random.default_rng(6)
    for n in (20, POINTS, 100, 200):
        D = noisy(flat(n, 3, rng), 0.1, rng)
        spent = []
        for _ in range(3):
            began = time.process_time()
            MDS(metric="precomputed", random_state=0).fit(D)
            one = time.process_time() - began
            began = time.process_time()
            searched(D, 0)
            spent.append((time.process_time() - began) / one)
        lines.append(row(n, f"{np.median(spent):.1f}"))
        print(lines[-1], flush=True)
    return lines


def page() -> list[str]:
    """Return the page of results."""
    dims = " | ".join(f"k = {k}" for k in DIMENSIONS)
    return [
        "# Choices by held-out pairs",
        "",
        f"Written by `make bench-select`; do not edit. {SETS} data sets for each row, five folds,",
        "the defaults of `MDSSearchCV`. Each distance is multiplied by a random factor of mean 1;",
        "*noise* is its standard deviation.",
        "",
        "## Dimension",
        "",
        f"{POINTS} points with normal coordinates; candidates have 1 to 6 dimensions. *Rule* is",
        "the simplest candidate within a paired standard error of the lowest error, *lowest* the",
        "one with that error.",
        "",
        "| true dimension | noise | right by the rule | right by the lowest |",
        "|---:|---:|---:|---:|",
        *dimensions(),
        "",
        "## Space",
        "",
        f"{OTHERS} points, noise 0.1; nine candidates: 1 to 3 dimensions of flat space, of a",
        "sphere and of hyperbolic space, whose sizes are to be found.",
        "",
        "| data from | right space | right space and dimension |",
        "|---|---:|---:|",
        *spaces(),
        "",
        "## No structure",
        "",
        "Random numbers between 0 and 1 as distances.",
        "",
        '| points | "no structure" |',
        "|---:|---:|",
        *nothing(),
        "",
        "## Loss",
        "",
        f"{FEW} points of the plane, noise 0.05, and a share of distances that are random numbers.",
        "How often each loss is chosen:",
        "",
        '| wrong distances | by scoring="stress" | by scoring="median" |',
        "|---:|---|---|",
        *losses(),
        "",
        "## Level",
        "",
        f"{FEW} points of the plane; the distances d with noise 0.1 are transformed. How often",
        "each level is chosen:",
        "",
        "| dissimilarity | chosen |",
        "|---|---|",
        *levels(),
        "",
        "## Where folds start",
        "",
        f"{POINTS} points of two or three dimensions, noise 0.1 or 0.25, {LEAKS} data sets. The",
        "error of held-out pairs beside that after a long search of the fold's own, and the time.",
        "*All pairs' map* has seen the pairs that are held out; *shaken* is what the search does.",
        "",
        f"| start | {dims} | worst fold | time |",
        "|---|" + "---:|" * (len(DIMENSIONS) + 2),
        *starts(),
        "",
        "## Time",
        "",
        "A search of six dimensions, 30 fits, beside one fit of the plane with the defaults.",
        "",
        "| points | time of the search, in fits |",
        "|---:|---:|",
        *times(),
    ]


def main() -> None:
    """Measure and write the page."""
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        searched(flat(20, 2, np.random.default_rng(0)), 0)  # compiles
        PAGE.write_text("\n".join(page()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
