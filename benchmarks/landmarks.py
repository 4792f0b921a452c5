"""Measure maps of very many points and write docs/landmarks-measured.md.

Run it with ``make bench-landmarks``; it takes minutes. `make bench` measures how long they take:
growth in seconds of the processor, on one thread, so that other processes matter little.
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
    """Return float32 points around some centres, made some at a time."""
    rng = np.random.default_rng(0)
    centre = 3.0 * rng.standard_normal((centres, d), dtype=np.float32)
    X = centre[rng.integers(centres, size=n)]
    for rows in np.array_split(X, max(n // 100_000, 1)):
        rows += rng.standard_normal(rows.shape, dtype=np.float32)
    return X


def growth() -> list[str]:
    """Fit more and more points."""
    lines = [
        "### Growth",
        "",
        "15 blobs in 50 dimensions, float32, one thread, the default settings: seconds of the",
        "processor.",
        "",
        "| n | seconds | of which placing | refining | Stress-1 |",
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
        f"The time grows like n^{slope:.2f} over all, and like n^{last:.2f} from the last but one "
        "size to the last.",
        "",
    ]


def fit_many(n: int) -> dict[str, Any]:
    """Fit very many points; return seconds, stress and the peak of memory of this process."""
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
    """Fit a million points in a process of their own."""
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
        f"- {found['seconds']:.0f} s: {phases};",
        f"- {found['peak']:.2f} GB of memory at most, all of Python and the data included;",
        f"- Stress-1 {stress:.4f} ± {stress_error:.4f}, cost {cost:.4g} ± {cost_error:.1g}.",
        "",
    ]


def beside_full_fits() -> list[str]:
    """Compare with full fits, where those can still be done."""
    lines = [
        "### Beside the full fit",
        "",
        f"{FULL:,} points: cost over that of the full fit, with 1,000 landmarks (the default) "
        "that are",
        "farthest or random, not refined and refined. 0 % is as good; the full fit (to",
        "eps=1e-5) too ends in a local minimum, and may be the worse one.",
        "",
        "| data | loss | space | farthest | and refined | random | and refined |"
        " seconds, full | refined |",
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
    """Measure how good such maps are and write the page; `make bench` measures how fast."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    load = os.getloadavg()[0]
    busy = f"other processes were busy (load {load:.1f}), so that seconds are rough"
    with threadpool_limits(1):
        lines = beside_full_fits()
    text = "\n".join(
        [
            "# Maps of very many points, measured",
            "",
            f"Written by `make bench-landmarks` (Python {platform.python_version()}, "
            f"{platform.machine()}, {os.cpu_count()} cores); do not edit. When it",
            f"began, {busy if load > 0.5 else 'the machine was idle'}.",
            "",
            "How long they take is in [performance.md](performance.md).",
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
