"""Measure the quality of maps of very many points and write docs/landmarks-measured.md.

Run it with ``make bench-landmarks``; it takes minutes. ``make bench`` measures their time and
memory by `a_million` and `growth`; the latter counts processor seconds on one thread, so other
processes matter little.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import make_swiss_roll
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from unimds import Hyperbolic, LandmarkMDS, Sphere, place_center
from unimds.distances.metric import Metric
from unimds.quality import total_cost

OUT = Path(__file__).parents[1] / "docs" / "landmarks-measured.md"
SIZES = tuple(20_000 * 2**i for i in range(5))
MANY = 1_000_000
FULL = 5000


def blobs(n: int, d: int = 50, centres: int = 15) -> np.ndarray:
    """Return float32 points around some centres, drawn in batches."""
    rng = np.random.default_rng(0)
    centre = 3.0 * rng.standard_normal((centres, d), dtype=np.float32)
    X = centre[rng.integers(centres, size=n)]
    for rows in np.array_split(X, max(n // 100_000, 1)):
        rows += rng.standard_normal(rows.shape, dtype=np.float32)
    return X


def growth() -> list[str]:
    """Fit more and more points and return the table of times."""
    lines = [
        "### Time against the number of points",
        "",
        "15 blobs in 50 dimensions, float32, one thread, default settings; processor seconds.",
        "",
        "| n | total, s | placing, s | refining, s | Stress-1 |",
        "|---|---|---|---|---|",
    ]
    LandmarkMDS(random_state=0).fit(blobs(3000))  # compile before the clock runs
    spent = []
    for n in SIZES:
        X = blobs(n)
        began = time.process_time()
        mds = LandmarkMDS(random_state=0, n_jobs=1).fit(X)
        spent.append(time.process_time() - began)
        share = {phase: s / sum(mds.seconds_.values()) for phase, s in mds.seconds_.items()}
        lines.append(
            f"| {n:,} | {spent[-1]:.1f} | {spent[-1] * share['placing points']:.1f} | "
            f"{spent[-1] * share['refining']:.1f} | {mds.stress_:.4f} ± {mds.stress_error_:.4f} |"
        )
    slope = np.polyfit(np.log(SIZES), np.log(spent), 1)[0]
    last = np.log(spent[-1] / spent[-2]) / np.log(SIZES[-1] / SIZES[-2])
    return [
        *lines,
        "",
        f"Time grows like n^{slope:.2f} over all sizes, and like n^{last:.2f} in the last step.",
        "",
    ]


def fit_many(n: int) -> dict[str, Any]:
    """Fit very many points; return time, stress, cost and peak memory of this process."""
    LandmarkMDS(random_state=0, n_jobs=2).fit(blobs(3000))
    X = blobs(n)
    began = time.perf_counter()
    mds = LandmarkMDS(random_state=0, n_jobs=2).fit(X)
    status = Path("/proc/self/status").read_text()
    peak = next(int(line.split()[1]) for line in status.splitlines() if "VmHWM" in line)
    return {
        "seconds": time.perf_counter() - began,
        "phases": mds.seconds_,
        "stress": [mds.stress_, mds.stress_error_],
        "cost": [mds.cost_, mds.cost_error_],
        "peak": peak * 1024 / 1e9,
    }


def a_million() -> list[str]:
    """Fit a million points in a fresh process."""
    command = [sys.executable, __file__, "--many", str(MANY)]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    found = json.loads(run.stdout.splitlines()[-1])
    phases = ", ".join(f"{phase} {s:.1f} s" for phase, s in found["phases"].items())
    (stress, stress_error), (cost, cost_error) = found["stress"], found["cost"]
    return [
        "### A million points",
        "",
        f"{MANY:,} points in 50 dimensions, float32 (0.2 GB), two threads:",
        "",
        f"- Time: {found['seconds']:.0f} s ({phases}).",
        f"- Peak memory: {found['peak']:.2f} GB, including Python and the data.",
        f"- Stress-1: {stress:.4f} ± {stress_error:.4f}; cost: {cost:.4g} ± {cost_error:.1g}.",
        "",
    ]


def beside_full_fits() -> list[str]:
    """Compare with full fits, at a size where those are still possible."""
    lines = [
        "## Cost compared with full fits",
        "",
        f"Cost of maps of {FULL:,} points above the cost of the full fit, with 1,000 landmarks",
        "(the default), farthest or random, before and after refinement. The full fit (to",
        "eps=1e-5) also ends in a local minimum, which may be the worse one; the difference is",
        "then negative.",
        "",
        "| data | loss | space | farthest | farthest, refined | random | random, refined |"
        " full fit, s | refined map, s |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    data = {
        "15 blobs in 50-d": blobs(FULL),
        "swiss roll": make_swiss_roll(FULL, noise=0.5, random_state=0)[0].astype(np.float32),
    }
    for name, X in data.items():
        D = Metric("euclidean", {}).between(X)
        typical = float(np.median(D))
        spaces = ("euclidean", Sphere("auto"), Hyperbolic(1.0 / typical**2))
        for space in spaces if "blobs" in name else spaces[:1]:
            for loss in ("squared", "absolute"):
                lines.append(f"| {name} | {loss} | {_compared(X, D, loss, space)} |")
                print(lines[-1], flush=True)
    return [*lines, ""]


def _compared(X: np.ndarray, D: np.ndarray, loss: str, space: Any) -> str:
    began = time.perf_counter()
    full = place_center(D, 2, loss=loss, space=space, eps=1e-5, random_state=0).cost
    seconds = time.perf_counter() - began
    cells = []
    for landmarks in ("farthest", "random"):
        for refine in (0, 20):
            mds = LandmarkMDS(
                2, loss=loss, space=space, landmarks=landmarks, refine=refine, random_state=0
            ).fit(X)
            cost = total_cost(D, mds.embedding_, loss=mds.loss_, space=mds.space_)
            cells.append(f"{100.0 * (cost / full - 1.0):+.2f} %")
            own = sum(mds.seconds_.values())
    name = space if isinstance(space, str) else type(space).__name__.lower()
    return f"{name} | {' | '.join(cells)} | {seconds:.0f} | {own:.0f}"


def main() -> None:
    """Measure the quality of such maps and write the page; `make bench` measures their speed."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    load = os.getloadavg()[0]
    busy = f"other processes were running (load {load:.1f}), so times are rough"
    with threadpool_limits(1):
        lines = beside_full_fits()
    text = "\n".join(
        [
            "# Landmark benchmarks",
            "",
            f"Written by `make bench-landmarks` (Python {platform.python_version()}, "
            f"{platform.machine()}, {os.cpu_count()} cores); do not edit.",
            f"When it started, {busy if load > 0.5 else 'the machine was idle'}.",
            "",
            "See [performance.md](performance.md#very-many-points) for larger maps.",
            "",
            *lines,
        ]
    )
    OUT.write_text(text.rstrip() + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--many"]:
        print(json.dumps(fit_many(int(sys.argv[2]))))
    else:
        main()
