"""Measure the design decisions of the engine and write docs/engine-measured.md.

Run it with ``make bench-engine``. It compares costs; seconds depend on the machine, and only their
ratios are meaningful. ``python benchmarks/engine.py many_dimensions`` measures that part again.
"""

from __future__ import annotations

import platform
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from operator import itemgetter
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits, make_blobs, make_swiss_roll
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from unimds import Sphere, place_center
from unimds.experiments.data import near_euclidean, perturb, subspace
from unimds.placecenter.problem import Problem
from unimds.quality import recovery_error, total_cost
from unimds.rivals import lbfgs
from unimds.spaces import distances

OUT = Path(__file__).parents[1] / "docs" / "engine-measured.md"
PAPER = {"smoothing": 0, "accelerate": False, "n_init": 1}
SWEPT = {"init": "classical", "solver": "sweeps"}
ROBUST_AND_NOT = ("absolute", "squared", "squared_distance")


def corrupted(share: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The paper's data: n=300 in a 10-dimensional subspace, a share of D with Poisson noise."""
    rng = np.random.default_rng(seed)
    points, _ = subspace(300, 200, 10, rng)
    return perturb(distances(points), share, rng), points


def run(D: np.ndarray, k: int, method=place_center, **options):
    """Return the result and the seconds of the processor, which other work disturbs little."""
    began = time.process_time()
    result = method(D, k, **options)
    return result, time.process_time() - began


def recovery() -> list[str]:
    lines = [
        "## Annealing of robust losses",
        "",
        "Cost divided by the cost of the true points, and relative error of the points found;",
        "medians of 5 seeds. The paper's form uses a fixed loss, no momentum and 2000 sweeps.",
        "",
        "| loss | corrupted | paper's form | momentum only | annealed (default) | squared loss |",
        "|---|---|---|---|---|---|",
    ]
    for loss in ("absolute", "squared_distance"):
        for share in (0.02, 0.1, 0.3, 0.9):
            cells: dict[str, list[tuple[float, float]]] = {}
            for seed in range(5):
                D, points = corrupted(share, seed)
                truth = total_cost(D, points, loss=loss)
                for form, options in {
                    "paper": PAPER,
                    "momentum": {**PAPER, "accelerate": True},
                    "annealed": {"n_init": 1},
                }.items():
                    result, _ = run(D, 10, loss=loss, **options)
                    error = recovery_error(result.embedding, points)
                    cells.setdefault(form, []).append((result.cost / truth, error))
                squared, _ = run(D, 10, n_init=1)
                cost = total_cost(D, squared.embedding, loss=loss)
                error = recovery_error(squared.embedding, points)
                cells.setdefault("squared", []).append((cost / truth, error))
            shown = [np.median(cell, axis=0) for cell in cells.values()]
            row = " | ".join(f"{ratio:.4f} · {error:.0e}" for ratio, error in shown)
            lines.append(f"| {loss} | {share:.0%} | {row} |")
    return lines


def sphere() -> list[str]:
    rng = np.random.default_rng(0)
    points = Sphere().random(150, 2, 3.0, rng)
    D = distances(points, space=Sphere())
    i, j = np.triu_indices(150, 1)
    wrong = rng.choice(i.size, i.size // 10, replace=False)
    D[i[wrong], j[wrong]] = rng.uniform(0.0, np.pi, size=wrong.size)
    D[j, i] = D[i, j]
    lines = [
        "",
        "The same for 150 points on S², with 10 % of the distances replaced by random ones:",
        "",
        "| loss | radius | error of the points | radius found |",
        "|---|---|---|---|",
    ]
    for loss in ("absolute", "huber", "squared"):
        for radius in (1.0, "auto"):
            result, _ = run(D, 2, loss=loss, space=Sphere(radius), random_state=0)
            error = recovery_error(result.embedding, points, space="sphere")
            lines.append(f"| {loss} | {radius} | {error:.1e} | {result.space.radius:.6f} |")
    return lines


def tables() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    digits = load_digits().data
    return {
        "the paper's, n=300": near_euclidean(300, seed=0),
        "digits, n=500": distances(rng.permutation(digits)[:500]),
        "digits, n=1000": distances(rng.permutation(digits)[:1000]),
        "10 blobs in 50-d, n=1000": distances(make_blobs(1000, 50, centers=10, random_state=0)[0]),
        "swiss roll, n=1000": distances(make_swiss_roll(1000, random_state=0)[0]),
    }


def momentum() -> list[str]:
    lines = [
        "",
        "## Momentum",
        "",
        "Number of sweeps until the cost is within 1e-3 and 1e-4 of the lower final cost of the",
        "two runs; squared loss, k=2, classical seed, at most 2000 sweeps.",
        "",
        "| data | plain, 1e-3 | plain, 1e-4 | momentum, 1e-3 | momentum, 1e-4 |",
        "|---|---|---|---|---|",
    ]
    for name, D in tables().items():
        runs = [
            run(D, 2, **SWEPT, accelerate=fast, eps=1e-10, max_iter=2000)[0]
            for fast in (False, True)
        ]
        best = min(result.cost for result in runs)
        counts = []
        for result in runs:
            for tolerance in (1e-3, 1e-4):
                reached = np.flatnonzero(result.history[:, 1] <= best * (1.0 + tolerance))
                counts.append(str(reached[0]) if reached.size else "never")
        lines.append(f"| {name} | {' | '.join(counts)} |")
    return lines


def steps() -> list[str]:
    lines = [
        "",
        "## Quasi-Newton steps against sweeps",
        "",
        'From the classical seed: the number of sweeps with momentum (`solver="sweeps"`) and of',
        "quasi-Newton steps, and the time and the cost of sweeps divided by those of steps.",
        "",
        "| data | loss | k | sweeps | steps | time | cost |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    for (name, D), loss, k in product(tables().items(), ("squared", "absolute"), (1, 2, 3)):
        options = {"loss": loss, "init": "classical"}
        swept = min((run(D, k, solver="sweeps", **options) for _ in range(3)), key=itemgetter(1))
        with stepping():
            stepped = min((run(D, k, **options) for _ in range(3)), key=itemgetter(1))
        (one, slow), (two, quick) = swept, stepped
        lines.append(
            f"| {name} | {loss} | {k} | {one.n_iter} | {two.n_iter} | {slow / quick:.1f}× | "
            f"{one.cost / two.cost:.4f} |"
        )
    return lines


@contextmanager
def stepping() -> Iterator[None]:
    """Let maps on a line take steps as well, which they do not by themselves."""
    usual = Problem.moves_together
    Problem.moves_together = True
    try:
        yield
    finally:
        Problem.moves_together = usual


def many_dimensions() -> list[str]:
    lines = [
        "",
        "## Many dimensions",
        "",
        "The default fit against annealed L-BFGS (`unimds.rivals.lbfgs`), both with their default",
        "limits, n=300: the cost and the time of the default fit divided by those of L-BFGS, and",
        "of L-BFGS through the same, slow levels of smoothing (`slow=True`).",
        "",
        "| data | loss | k | steps | L-BFGS | cost | time | slow L-BFGS | cost | time |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    gaussian = distances(np.random.default_rng(0).normal(size=(300, 200)))
    data = {"the paper's": near_euclidean(300, seed=0), "Gaussian, 200 dimensions": gaussian}
    for (name, D), loss, k in product(data.items(), ROBUST_AND_NOT, (20, 50, 150)):
        with threadpool_limits(1):  # on more threads linear algebra stalls on a busy machine
            ours, seconds = run(D, k, loss=loss)
            rivals = [run(D, k, lbfgs, loss=loss, slow=slow) for slow in (False, True)]
        beside = [
            f"{rival.n_iter} | {ours.cost / rival.cost:.4f} | {seconds / longer:.2f}×"
            for rival, longer in rivals
        ]
        lines.append(f"| {name} | {loss} | {k} | {ours.n_iter} | {' | '.join(beside)} |")
    return lines


def race() -> list[str]:
    lines = [
        "",
        "## Races between starts",
        "",
        "Cost divided by the lowest cost seen; k=2, squared loss, 5 seeds for `auto`. Its time is",
        "a multiple of the time of the run from the classical seed.",
        "",
        "| data | classical seed | auto, median | auto, worst | time of auto |",
        "|---|---|---|---|---|",
    ]
    for name, D in tables().items():
        classical, seconds = run(D, 2, init="classical")
        autos = [run(D, 2, random_state=seed) for seed in range(5)]
        costs = np.array([result.cost for result, _ in autos])
        best = min(classical.cost, costs.min())
        slower = np.median([s for _, s in autos]) / seconds
        lines.append(
            f"| {name} | {classical.cost / best:.4f} | {np.median(costs) / best:.4f} | "
            f"{costs.max() / best:.4f} | {slower:.1f}× |"
        )
    return lines


PARTS = {part.__name__: part for part in (recovery, sphere, momentum, steps, many_dimensions, race)}


def again(names: list[str]) -> None:
    """Measure some parts again, and replace them on the page."""
    text = OUT.read_text(encoding="utf-8")
    for name in names:
        fresh = "\n".join(PARTS[name]()).strip() + "\n"
        title = fresh.partition("\n")[0]
        if title not in text:  # new: before the last part
            head, mark, tail = text.rpartition("\n## ")
            text = f"{head}\n{fresh}{mark}{tail}"
            continue
        head, _, tail = text.partition(title)
        rest = tail.partition("\n## ")[1:]
        text = head + fresh + "".join(rest)
        print(fresh)
    OUT.write_text(text, encoding="utf-8")


def main() -> None:
    warnings.simplefilter("ignore", ConvergenceWarning)  # the paper's form often does not settle
    for loss in ROBUST_AND_NOT:  # compile before any clock runs
        place_center(distances(np.eye(5)), 2, loss=loss)
        place_center(near_euclidean(30, seed=0), 20, loss=loss, max_iter=3)
    if sys.argv[1:]:
        again(sys.argv[1:])
        return
    lines = [
        "# Engine benchmarks",
        "",
        f"Written by `benchmarks/engine.py` (Python {platform.python_version()}, "
        f"numpy {np.__version__}); do not edit. [The engine](engine.md) draws the conclusions.",
        "",
    ]
    for part in PARTS.values():
        lines += part()
        print("\n".join(lines[-12:]))
    OUT.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
