"""Measure levels of measurement and write docs/levels-measured.md.

Run it with ``make bench-levels``; it takes half an hour, most of it scikit-learn's random starts,
which ``--seeded`` leaves out. ``python benchmarks/levels.py tables ranks`` measures some parts
only, and leaves the rest of the page. ``--small`` tries the script on small tables, and prints
instead of writing.

The parts: `peers`, nonmetric maps beside scikit-learn's; `growth`, time beside the fit of the same
table as it is; `memory`, likewise; `tables`, the Stress-1 that others have published; `ranks`,
points recovered from ranks, some of them wrong. Every Stress-1 but the published ones is computed
by one function, from the map alone.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import sklearn
from clock import worked
from scipy.optimize import isotonic_regression
from sklearn.datasets import load_digits, make_blobs, make_swiss_roll
from sklearn.exceptions import ConvergenceWarning
from sklearn.manifold import MDS as Peer
from tables import published
from threadpoolctl import threadpool_limits

from unimds import MDS, place_center
from unimds.datasets import corrupt
from unimds.quality import recovery_error
from unimds.spaces import distances

PAGE = Path(__file__).parents[1] / "docs" / "levels-measured.md"
LEVELS = ("ordinal", "interval", "spline", "power")
PUBLISHED = (
    ("ekman-14-colours", 0.023, "the figure that textbooks quote; no edition was at hand to check"),
    (
        "dune-20-meadows",
        0.1183186,
        "`metaMDS(dune)` on vegan's reference page: the best of 20 random starts",
    ),
    (
        "voting-15-congressmen",
        0.09879,
        "`isoMDS(voting)` of MASS, as printed by public scripts: the classical start alone",
    ),
    (
        "eurodist-21-cities",
        0.07506,
        "`isoMDS(eurodist)` of MASS, as printed by public test logs: the classical start alone",
    ),
)


def stress_1(D: np.ndarray, X: np.ndarray) -> float:
    """Return Kruskal's Stress-1 of a map: isotonic regression, ties in the order of the map."""
    some = np.triu_indices(len(D), 1)
    d, u = D[some], distances(X)[some]
    u = u[np.lexsort((u, d))]
    return float(np.sqrt(np.sum((u - isotonic_regression(u).x) ** 2) / np.sum(u * u)))


def digits(n: int) -> np.ndarray:
    """Return distances between images of digits."""
    return distances(np.random.default_rng(0).permutation(load_digits().data)[:n])


# --- beside scikit-learn --------------------------------------------------------------------------

WAYS = {
    "classical seed": {"init": "classical_mds", "n_init": 1},
    "classical seed, 3,000 iterations": {"init": "classical_mds", "n_init": 1, "max_iter": 3000},
    "four random starts": {"init": "random", "n_init": 4},
}


def scikit(D: np.ndarray, **options: object) -> np.ndarray:
    """Embed with scikit-learn's nonmetric MDS."""
    peer = Peer(2, metric_mds=False, metric="precomputed", random_state=0, **options)
    return peer.fit_transform(D)


def peers(small: bool, seeded: bool = False) -> list[str]:
    """Return times and stress beside scikit-learn."""
    lines = [
        f"Digits, nonmetric maps in the plane; scikit-learn {sklearn.__version__} with its own",
        "defaults but for what the row says. Fits took turns in one process on one thread; times",
        "are the processor's. The ratio is its time over ours.",
        "",
        "| n | scikit-learn from | Stress-1 | unimds | its seconds | ours | ratio |",
        "|---:|---|---:|---:|---:|---:|---:|",
    ]
    for few in (60, 300):  # compile before the clock runs: exact regression, and bins
        place_center(digits(few), level="ordinal", random_state=0)
    for n in (60,) if small else (500, 1000):
        D = digits(n)
        for name, options in WAYS.items():
            if seeded and options["init"] == "random":
                continue
            if small:
                options = {**options, "max_iter": 50}
            ours, spent = worked(lambda D=D: place_center(D, level="ordinal", random_state=0))
            theirs, took = worked(lambda D=D, options=options: scikit(D, **options))
            stresses = f"{stress_1(D, theirs):.5f} | {stress_1(D, ours.embedding):.5f}"
            times = f"{took:.1f} | {spent:.2f} | {took / spent:.0f}"
            lines.append(f"| {n:,} | {name} | {stresses} | {times} |")
            print(lines[-1], flush=True)
    return lines


# --- time and memory ------------------------------------------------------------------------------

CLOUDS: dict[str, Callable[[int], np.ndarray]] = {
    "digits": lambda n: np.random.default_rng(0).permutation(load_digits().data)[:n],
    "blobs": lambda n: make_blobs(n, 10, centers=8, random_state=0)[0],
    "swiss roll": lambda n: make_swiss_roll(n, random_state=0)[0],
}


def growth(small: bool) -> list[str]:
    """Return the time of levels beside the fit of the distances as they are."""
    lines = [
        "`MDS(level=…).fit(X)` with default settings on one thread: the processor's time over that",
        "of `MDS().fit(X)`, the median of three random states, of 5,000 points of one.",
        "",
        f"| n | data | ratio, s | {' | '.join(LEVELS)} |",
        "|---:|---|" + "---:|" * (1 + len(LEVELS)),
    ]
    for n in (60, 300) if small else (300, 1000, 2000, 5000):
        for name, points in CLOUDS.items():
            X = points(n)
            if len(X) < n:
                continue
            spent = {level: [] for level in ("ratio", *LEVELS)}
            for level in spent:  # compile before the clock runs
                MDS(level=level, max_iter=5, eps=1.0).fit(X)
            for state in range(1 if small or n > 2000 else 3):
                for level, times in spent.items():
                    fit = MDS(level=level, random_state=state).fit
                    times.append(worked(partial(fit, X))[1])
            plain = np.array(spent["ratio"])
            ratios = (f"{np.median(spent[level] / plain):.1f}" for level in LEVELS)
            lines.append(f"| {n:,} | {name} | {np.median(plain):.2f} | {' | '.join(ratios)} |")
            print(lines[-1], flush=True)
    return lines


CHILD = """
import sys, tracemalloc
import numpy as np
n, level, dtype, how = int(sys.argv[1]), *sys.argv[2:]
from unimds import place_center
from unimds.spaces import distances
X = np.random.default_rng(0).normal(size=(n, 5))
place_center(distances(X[:1100]).astype(dtype), level=level, random_state=0)  # loads all code
D = distances(X).astype(dtype)
def told(name):  # of this process alone: getrusage counts the parent's before exec
    status = open("/proc/self/status").read()
    return 1024 * int(status.split(name)[1].split()[0])
if how == "arrays":
    tracemalloc.start()
else:
    open("/proc/self/clear_refs", "w").write("5")  # forget the peak so far
before = told("VmRSS:")
place_center(D, level=level, random_state=0)
peak = tracemalloc.get_traced_memory()[1] if how == "arrays" else told("VmHWM:") - before
print(peak / (8 * n * n))
"""


def extra_memory(n: int, *options: str) -> float:
    """Return how much memory a fit needs beside its table, in tables of doubles."""
    command = [sys.executable, "-c", CHILD, str(n), *options]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def memory(small: bool) -> list[str]:
    """Return the memory of an ordinal fit beside that of the fit of distances."""
    lines = [
        "The most memory that a fit of `n` points with default settings needs beside its table, in",
        "tables of doubles (8 n² bytes). Two bytes a pair are 0.25 of them. Arrays are what NumPy",
        "has allocated; the process is what the system counts, which may use again what was freed.",
        "",
        "| n | table | arrays: ratio | ordinal | more | process: ratio | ordinal |",
        "|---:|---|---:|---:|---:|---:|---:|",
    ]
    for n in (300,) if small else (1500, 3000, 5000):
        for dtype in ("float64", "float32"):
            found = [
                extra_memory(n, level, dtype, how)
                for how in ("arrays", "process")
                for level in ("ratio", "ordinal")
            ]
            cells = [*found[:2], found[1] - found[0], *found[2:]]
            lines.append(f"| {n:,} | {dtype} | {' | '.join(f'{cell:.2f}' for cell in cells)} |")
            print(lines[-1], flush=True)
    return lines


# --- published stress -----------------------------------------------------------------------------


def tables(small: bool) -> list[str]:
    """Return the stress of published tables beside what others found."""
    lines = [
        "Ordinal maps in the plane with default settings, primary ties.",
        "",
        "| table | published | unimds | source of the published stress |",
        "|---|---:|---:|---|",
    ]
    found = {table.name: table.D for table in published()}
    for name, stress, source in PUBLISHED[: 1 if small else None]:
        X = place_center(found[name], level="ordinal", random_state=0).embedding
        lines.append(f"| {name} | {stress:g} | {stress_1(found[name], X):.5f} | {source} |")
        print(lines[-1], flush=True)
    return lines


# --- wrong ranks ----------------------------------------------------------------------------------


def recovered(loss: str, share: float, seed: int, n: int) -> float:
    """Return how far a map is from the points whose ranks it was made of."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=(n, 2))
    truth -= truth.mean(axis=0)
    D = distances(truth)
    ranks = np.unique(D, return_inverse=True)[1].reshape(D.shape).astype(float)
    ranks, _ = corrupt(ranks, share, rng=rng)
    X = place_center(ranks, level="ordinal", loss=loss, n_init=1, random_state=0).embedding
    X = X - X.mean(axis=0)
    return recovery_error(X * np.sqrt(np.sum(truth**2) / np.sum(X**2)), truth)


def ranks(small: bool) -> list[str]:
    """Return how well points are recovered from ranks, some of them wrong."""
    n, count = (15, 3) if small else (40, 20)
    losses = ("squared", "huber", "absolute")
    lines = [
        f"{n} normally distributed points of the plane, of which only the ranks of their distances",
        "are known; a share of the ranks is replaced by random ones. `recovery_error` after",
        f"scaling, one start each: the median of {count} data sets, and the worst.",
        "",
        "| wrong ranks | " + " | ".join(f"{loss}: median | worst" for loss in losses) + " |",
        "|---:|" + "---:|---:|" * len(losses),
    ]
    for share in (0.0, 0.1, 0.3):
        cells = []
        for loss in losses:
            errors = [recovered(loss, share, seed, n) for seed in range(count)]
            cells.append(f"{np.median(errors):.4f} | {np.max(errors):.4f}")
        lines.append(f"| {share:.0%} | " + " | ".join(cells) + " |")
        print(lines[-1], flush=True)
    return lines


# --- the page -------------------------------------------------------------------------------------

PARTS: dict[str, tuple[str, Callable[[bool], list[str]]]] = {
    "peers": ("Beside scikit-learn", peers),
    "growth": ("Time", growth),
    "memory": ("Memory", memory),
    "tables": ("Published stress", tables),
    "ranks": ("Wrong ranks", ranks),
}


def head() -> str:
    """Return the beginning of the page."""
    return (
        "# Levels of measurement, measured\n\n"
        f"Written by `make bench-levels` (Python {platform.python_version()}, "
        f"{platform.machine()}, {os.cpu_count()} cores); do not edit.\n"
        "Every Stress-1 but the published ones is computed by one function, from the map alone:\n"
        "exact isotonic regression of its distances, with primary ties.\n"
    )


def sections() -> dict[str, str]:
    """Return the sections of the page as it is, by their titles."""
    if not PAGE.exists():
        return {}
    _, *found = PAGE.read_text(encoding="utf-8").split("\n## ")
    return {part.partition("\n")[0]: part.partition("\n\n")[2].rstrip("\n") for part in found}


def main() -> None:
    """Measure all parts, or some, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="all by default")
    parser.add_argument("--small", action="store_true", help="try the script, write nothing")
    parser.add_argument("--seeded", action="store_true", help="no random starts of scikit-learn")
    options = parser.parse_args()
    PARTS["peers"] = PARTS["peers"][0], partial(peers, seeded=options.seeded)
    found = sections()
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for part in options.parts or PARTS:
            title, measure = PARTS[part]
            found[title] = "\n".join(measure(options.small))
    order = [title for title, _ in PARTS.values() if title in found]
    text = "\n".join([head(), *(f"## {title}\n\n{found[title]}\n" for title in order)])
    if options.small:
        print(text)
    else:
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
