"""Measure speed and memory against the peers and against the machine; write docs/performance.md.

Run it with ``make bench``. All runs that are compared take turns in one process on one core, and
only ratios are meaningful. Peers run with their own best settings: scikit-learn's MDS from the
classical seed, s_gd2 with unit weights and its own schedule. PyMDE needs torch, which is heavy, so
it is measured only if it is installed. The page is written after every part, and after every table
of the first: a run that breaks off loses nothing. ``python benchmarks/performance.py growth`` does
one part again.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import warnings
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import landmarks
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from clock import best_of, timed
from matplotlib.ticker import NullFormatter
from peers import SIZES, fits, fits_table, in_short, rivals, same_seed, shaken
from sklearn.datasets import make_swiss_roll
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from unimds import losses, place_center, spaces
from unimds.kernels.engine import engine_for

DOCS = Path(__file__).parents[1] / "docs"
LOSSES = [losses.Squared(), losses.Absolute(0.1), losses.Power(1.5, 0.1), losses.Huber(0.3),
          losses.SquaredDistance(0.1)]  # fmt: skip
SPACES = [spaces.Euclidean(), spaces.Sphere(5.0), spaces.ChordalSphere(5.0),
          spaces.Hyperbolic(0.1), spaces.Simplex(9.0)]  # fmt: skip


# --- kernels --------------------------------------------------------------------------------------


def sweep_seconds(
    D: np.ndarray, loss: losses.Loss, space: spaces.Space, k: int = 2, W=None
) -> float:
    """Return the seconds of one sweep."""
    rng = np.random.default_rng(0)
    points = space.project_points(space.random(len(D), k, 1.0, rng))
    X = np.ascontiguousarray(points.T, dtype=D.dtype)
    free, band, table = np.ones(len(D), bool), (0, len(D)), D[:, None, :]
    weights = None if W is None else W[:, None, :]
    engine = engine_for(loss, space, X, table, weights)
    return best_of(lambda: engine.sweep(table, weights, 0, X, free, band, 1.0))


def sweeps() -> tuple[list[str], dict[str, float]]:
    """Return the table of sweeps, and its figures."""
    lines = [
        "",
        "## One sweep",
        "",
        "Nanoseconds per pair at n = 2,000; in brackets, as a multiple of the squared loss in",
        "Euclidean space at the same precision. In a fit, hyperbolic coordinates are always",
        "float64.",
        "",
        "| loss | space | float64 | float32 |",
        "|---|---|---:|---:|",
    ]
    n, rng, figures = 2000, np.random.default_rng(0), {}
    D = spaces.distances(rng.normal(size=(n, 5)))
    cases = [(LOSSES[0], s) for s in SPACES] + [(loss, SPACES[0]) for loss in LOSSES[1:]]
    base = {}
    for loss, space in cases:
        cells = []
        for dtype in (np.float64, np.float32):
            spent = sweep_seconds(D.astype(dtype), loss, space) / n**2 * 1e9
            base.setdefault(dtype, spent)
            cells.append(f"{spent:.2f} ({spent / base[dtype]:.1f})")
            if dtype == np.float64:
                figures[f"{type(loss).__name__}, {type(space).__name__}"] = spent / base[dtype]
        names = f"{type(loss).__name__} | {type(space).__name__}"
        lines.append(f"| {names} | " + " | ".join(cells) + " |")
    single = D.astype(np.float32)
    plain = sweep_seconds(single, LOSSES[0], SPACES[0])
    weighted = sweep_seconds(single, LOSSES[0], SPACES[0], W=np.ones_like(single))
    holes = np.where(rng.random(D.shape) < 0.1, np.nan, single).astype(np.float32)
    missing = sweep_seconds(holes, LOSSES[0], SPACES[0])
    figures["weights"], figures["missing values"] = weighted / plain, missing / plain
    large = np.abs(rng.normal(size=(10_000, 10_000)).astype(np.float32))
    figures["sweep over reading D, n = 10,000, float32"] = sweep_seconds(
        large, LOSSES[0], SPACES[0]
    ) / best_of(lambda: large.sum())
    lines += [
        "",
        f"A sweep with weights takes {figures['weights']:.2f} times as long as a sweep without,",
        f"and a sweep with a tenth of the pairs missing {figures['missing values']:.2f} times. A",
        "sweep at n = 10,000 (float32, k = 2) takes",
        f"{figures['sweep over reading D, n = 10,000, float32']:.2f} times as long as reading the",
        "table once from memory (`D.sum()`).",
    ]
    return lines, figures


def growth() -> list[str]:
    """Return how the time of a fit grows with n, and that of a sweep with k."""
    n_sizes, seconds = (1000, 2000, 4000, 8000), []
    for n in n_sizes:
        D = spaces.distances(make_swiss_roll(n, random_state=0)[0]).astype(np.float32)
        options = {"init": "classical", "max_iter": 60, "eps": 0.0}
        seconds.append(best_of(lambda D=D: place_center(D, 2, **options), 2))  # noqa: B023
    exponent = np.polyfit(np.log(n_sizes), np.log(seconds), 1)[0]
    steps = ", ".join(f"{b / a:.2f}" for a, b in pairwise(seconds))
    D = spaces.distances(np.random.default_rng(0).normal(size=(1000, 60))).astype(np.float32)
    ks = (1, 2, 3, 5, 10, 20)
    per_k = [sweep_seconds(D, LOSSES[0], SPACES[0], k) for k in ks]
    cells = ", ".join(f"{k}: {t / per_k[1]:.1f}" for k, t in zip(ks, per_k, strict=True))
    return [
        "",
        "## Growth",
        "",
        f"The time for the seed and sixty sweeps on a swiss roll grows like n^{exponent:.2f} from",
        f"1,000 to 8,000 points; each doubling of n multiplies it by {steps}. Tables of up to",
        "about 2,000 points fit in the processor's caches; larger tables are read from memory.",
        f"Time of a sweep at n = 1,000 for each k, relative to k = 2: {cells}.",
    ]


# --- threads --------------------------------------------------------------------------------------


def threads() -> list[str]:
    """Return the time on two threads over that on one, with free and with busy cores."""
    D = spaces.distances(make_swiss_roll(1000, random_state=0)[0]).astype(np.float32)

    def ratio() -> float:
        serial, two = (
            best_of(lambda jobs=jobs: place_center(D, 2, n_init=6, init="random", n_jobs=jobs), 3)
            for jobs in (1, 2)
        )
        return two / serial

    def shared() -> float:
        large = spaces.distances(make_swiss_roll(10_000, random_state=0)[0]).astype(np.float32)
        serial, two = (
            best_of(lambda jobs=jobs: place_center(large, 2, random_state=0, n_jobs=jobs), 1)
            for jobs in (1, 2)
        )
        return two / serial

    free, large = ratio(), shared()
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    try:
        occupied = ratio()
    finally:
        for process in busy:
            process.kill()
            process.wait()
    return [
        "",
        "## Threads",
        "",
        "Threads (`n_jobs`) run whole starts, or the chunks of a map with landmarks, in parallel;",
        "from 5,000 points on they share the steps of a single start. Six random starts at",
        f"n = 1,000 on two threads take {free:.2f} times as long as on one thread, and",
        f"{occupied:.2f} times as long while two other processes keep both cores busy. A whole fit",
        f"of 10,000 points on two threads takes {large:.2f} times as long as on one.",
    ]


# --- memory and start-up, in fresh processes ------------------------------------------------------

CHILD = """
import sys, time
began = time.perf_counter()
import numpy as np
n = int(sys.argv[1])
rng = np.random.default_rng(0)
D = np.empty((n, n), np.float32)
X = rng.normal(size=(n, 3)).astype(np.float32)
for i in range(n):
    D[i] = np.sqrt(((X - X[i]) ** 2).sum(axis=1))
from unimds import place_center
place_center(D[:50, :50].copy(), 2, random_state=0)
def peak():  # of this process alone: getrusage counts the parent's before exec
    status = open("/proc/self/status").read()
    return 1024 * int(status.split("VmHWM:")[1].split()[0])
before = peak()
began = time.perf_counter()
result = place_center(D, 2, random_state=0)
spent = time.perf_counter() - began
after = peak()
print((after - before) / D.nbytes, after / D.nbytes, spent, result.n_iter, result.converged)
"""


def child(code: str, *arguments: str, **environment: str) -> str:
    """Run code in a fresh process and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def memory() -> list[str]:
    """Return the peak memory of a fit, relative to the size of its table."""
    n = int(os.environ.get("BENCH_MEMORY_N", "20000"))
    extra, peak, seconds, sweeps, converged = child(CHILD, str(n)).split()
    return [
        "",
        "## Memory",
        "",
        f"n = {n:,}, a float32 table of {4e-9 * n * n:.2f} GB. A fit ({sweeps} sweeps after the",
        f"race, converged: {converged}) takes {float(seconds):.0f} s. In addition to the table it",
        f"needs {float(extra):.2f} times its size; the peak of the process is {float(peak):.2f}",
        "times the table.",
    ]


FIRST = """
import numpy as np
from unimds import place_center
X = np.random.default_rng(0).random((9, 3))
place_center(np.sqrt(((X[:, None] - X) ** 2).sum(axis=2)), 2)
"""


def beginnings() -> list[str]:
    """Return the time of imports, and of a first fit with and without cached code."""
    cache = Path(os.environ.get("TMPDIR", "/tmp")) / f"unimds-bench-{os.getpid()}"
    bare = best_of(lambda: child("import sklearn.manifold"), 2)
    imported = best_of(lambda: child("import unimds"), 2)
    _, ever = timed(lambda: child(FIRST, NUMBA_CACHE_DIR=str(cache)))
    warm = best_of(lambda: child(FIRST, NUMBA_CACHE_DIR=str(cache)), 2)
    return [
        "",
        "## Start-up time",
        "",
        f"A process that only imports scikit-learn's manifold module takes {bare:.1f} s, and a",
        f"process that only imports unimds {imported:.1f} s. A process that fits nine points takes",
        f"{warm:.1f} s with cached code, and {ever:.0f} s the first time, when the code is",
        "compiled.",
    ]


# --- the page -------------------------------------------------------------------------------------


STYLE = {
    "unimds": ("#0072B2", "o"),
    "scikit-learn": ("#D55E00", "s"),
    "s_gd2": ("#009E73", "^"),
    "PyMDE": ("#CC79A7", "D"),
}


def plot(rows: list[dict[str, Any]]) -> None:
    """Draw time against stress above the lowest, one panel per size."""
    figure, axes = plt.subplots(
        1, len(SIZES), figsize=(2.7 * len(SIZES), 3.6), sharey=True, layout="constrained"
    )
    for ax, n in zip(axes, SIZES, strict=True):
        for row in (row for row in rows if row["n"] == n):
            lowest = min(row[name][0] for name in STYLE if name in row)
            for name, (colour, marker) in STYLE.items():
                if name in row:
                    cost, _, seconds, *_ = row[name]
                    ax.scatter(seconds, 100 * (cost / lowest - 1), c=colour, marker=marker)
        ax.set(xscale="log", title=f"n = {n:,}", xlabel="seconds")
        ax.set_yscale("symlog", linthresh=0.1)
        ax.xaxis.set_minor_formatter(NullFormatter())
        ax.set_xlim(right=1.5 * ax.get_xlim()[1])
        ax.grid(color="#E5E8EB")
        ax.set_axisbelow(True)
    axes[0].set_ylabel("stress above the lowest, %")
    handles = [
        plt.Line2D([], [], color=colour, marker=marker, ls="", label=name)
        for name, (colour, marker) in STYLE.items()
        if any(name in row for row in rows)
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=4, frameon=False)
    figure.savefig(DOCS / "images" / "performance.png", dpi=130)


def very_many() -> list[str]:
    """Return time and memory of maps of very many points."""
    return ["", "## Very many points", "", *landmarks.a_million(), *landmarks.growth()]


PARTS: dict[str, Callable[[], Any]] = {
    "fits": fits,
    "shaken": shaken,
    "same-seed": same_seed,
    "rivals": rivals,
    "sweeps": sweeps,
    "growth": growth,
    "threads": threads,
    "memory": memory,
    "very-many": very_many,
    "beginnings": beginnings,
}


def main(parts: list[str]) -> None:
    """Measure parts one after another, each written to the page as soon as it is known."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    raw = json.loads((DOCS / "performance.json").read_text())
    raw["state"] = _state()
    with threadpool_limits(1):
        for dtype in (np.float32, np.float64):  # compile before any clock runs
            D = spaces.distances(np.random.default_rng(0).normal(size=(200, 5))).astype(dtype)
            place_center(D, 2)
            place_center(D, 2, init="classical")
        for part in parts:
            if part == "fits":
                for row in fits():
                    key = row["n"], row["data"]
                    known = {(old["n"], old["data"]): old for old in raw["fits"]}
                    raw["fits"] = list({**known, key: row}.values())
                    _write(["", *fits_table(raw["fits"])], raw)
                plot(raw["fits"])
                continue
            lines = PARTS[part]()
            if isinstance(lines, tuple):
                lines, figures = lines
                raw["figures"] |= figures
            _write(lines, raw)
            print("\n".join(lines), flush=True)


def _state() -> str:
    load = os.getloadavg()[0]
    busy = f"other processes were running (load {load:.1f}), so times are rough"
    return busy if load > 0.5 else "the machine was idle"


def _write(lines: list[str], raw: dict[str, Any]) -> None:
    """Replace one section of the page, and what follows from the raw figures."""
    page = DOCS / "performance.md"
    _, *sections = page.read_text(encoding="utf-8").split("\n## ")
    title, fresh = lines[1].removeprefix("## "), "\n".join(lines)[4:] + "\n"
    sections = [fresh if old.startswith(title) else old for old in sections]
    page.write_text("\n## ".join([_head(raw), *sections]), encoding="utf-8")
    (DOCS / "performance.json").write_text(json.dumps(raw, indent=1) + "\n")


def _head(raw: dict[str, Any]) -> str:
    lines = [
        "# Performance",
        "",
        f"Written by `make bench` (Python {platform.python_version()}, numpy {np.__version__}, "
        f"{platform.machine()}, {os.cpu_count()} cores); do not edit. Runs that are",
        "compared took turns in one process on one core; only ratios are meaningful. When it "
        f"started, {raw['state']}.",
        "",
        "![Seconds against stress above the lowest, for each size.](images/performance.png)",
        "",
        *in_short(raw["fits"], raw["figures"]),
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main(sys.argv[1:] or list(PARTS))
