"""Measure how far to trust what `unimds.trust` says: p-values, power, regions and time.

Run it with ``make bench-trust``; it writes docs/trust-measured.md. Times are those of the
processor, on one thread, as ratios to a fit with the defaults in the same run.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import kstest
from threadpoolctl import threadpool_limits

from unimds import MDS, Hyperbolic, Sphere
from unimds.quality import align
from unimds.spaces import Euclidean, Space, distances
from unimds.trust import bootstrap, jackknife, permutation_test
from unimds.trust.stability import aligned

PAGE = Path(__file__).parents[1] / "docs" / "trust-measured.md"
TABLES = 200  # whose regions are looked at
CHANCE = 600  # tables without structure
FEWER = 50  # tables of other maps
WEAK = 40  # tables for each power
PERMUTATIONS = 19  # of tables without structure
MORE = 39  # of tables with some
FEW = 12  # points of the tables whose structure is tested

Rng = np.random.Generator
Table = np.ndarray


def row(*cells: object) -> str:
    """Return a row of a table, and show it."""
    line = "| " + " | ".join(map(str, cells)) + " |"
    print(line, flush=True)
    return line


def both_ways(upper: Table) -> Table:
    """Return a symmetric table from what is above its diagonal."""
    upper = np.triu(upper, 1)
    return upper + upper.T


# --- is there structure ---------------------------------------------------------------------------


KINDS: dict[str, dict[str, Any]] = {
    "ratio": {"n_init": 1, "init": "classical"},
    "ordinal": {"n_init": 1, "init": "classical", "level": "ordinal"},
    "ratio, absolute errors": {"n_init": 1, "init": "classical", "loss": "absolute"},
}


def p_value(D: Table, kind: str, seed: int, count: int) -> float:
    """Return the p-value of a table."""
    mds = MDS(metric="precomputed", eps=1e-4, **KINDS[kind])
    return permutation_test(mds, D, n_permutations=count, random_state=seed).p_value


def chance() -> list[str]:
    """Return how p-values are distributed where there is no structure."""
    lines = []
    for kind in KINDS:
        p = []
        for seed in range(CHANCE):
            rng = np.random.default_rng([2026, seed])
            D = both_ways(rng.uniform(size=(FEW, FEW)))
            p.append(p_value(D, kind, seed, PERMUTATIONS))
        # p has steps: spread evenly within them it is uniform
        steps = np.random.default_rng(0).uniform(0.0, 1.0 / (PERMUTATIONS + 1), CHANCE)
        test = kstest(np.array(p) - steps, "uniform")
        shares = [f"{np.mean(np.array(p) <= level):.3f}" for level in (0.05, 0.1, 0.5)]
        lines.append(row(kind, *shares, f"{test.statistic:.3f}", f"{test.pvalue:.2f}"))
    return lines


def power() -> list[str]:
    """Return how often structure is found under noise."""
    lines = []
    for noise in (0.5, 1.0, 1.5, 2.0):
        cells = []
        for kind in KINDS:
            found = []
            for seed in range(WEAK):
                rng = np.random.default_rng([12, seed])
                d = distances(rng.normal(size=(FEW, 2)))
                D = both_ways(np.abs(d + noise * rng.normal(size=d.shape)))
                found.append(p_value(D, kind, seed, MORE) <= 0.05)
            cells.append(f"{np.mean(found):.2f}")
        lines.append(row(noise, *cells))
    return lines


# --- regions --------------------------------------------------------------------------------------


def additive(d: Table, noise: float, rng: Rng) -> Table:
    """Return distances with errors of one size."""
    return np.abs(both_ways(d + noise * rng.normal(size=d.shape)))


def proportional(d: Table, noise: float, rng: Rng) -> Table:
    """Return distances with errors that are shares of them."""
    return np.abs(both_ways(d * (1.0 + noise * rng.normal(size=d.shape))))


Errors = Callable[[Table, float, Rng], Table]
ERRORS: dict[str, Errors] = {"of one size": additive, "shares": proportional}


def points(space: Space, n: int, rng: Rng) -> Table:
    """Return random points of two dimensions."""
    if isinstance(space, Sphere):
        X = rng.normal(size=(n, 3))
        return X / np.linalg.norm(X, axis=1)[:, None]
    if isinstance(space, Hyperbolic):
        return space.random(n, 2, 2.0, rng)
    return rng.normal(size=(n, 2))


CASES: list[tuple[str, Space, int, float, str]] = [
    ("plane", Euclidean(), 20, 0.1, "of one size"),
    ("plane", Euclidean(), 20, 0.2, "shares"),
    ("plane", Euclidean(), 10, 0.1, "of one size"),
    ("plane", Euclidean(), 40, 0.3, "of one size"),
    ("sphere", Sphere(), 20, 0.1, "of one size"),
    ("sphere", Sphere(), 20, 0.1, "shares"),
    ("hyperbolic plane", Hyperbolic(), 20, 0.1, "of one size"),
]


def held(space: Space, n: int, noise: float, errors: Errors, seed: int) -> list[float]:
    """Return the share of true places that regions contain: of a jackknife and of a bootstrap."""
    rng = np.random.default_rng([13, seed])
    true = points(space, n, rng)
    D = np.minimum(errors(distances(true, space=space), noise, rng), space.diameter)
    mds = MDS(metric="precomputed", space=space, n_init=1, random_state=0).fit(D)
    there = align(true, mds)
    studies = (jackknife(mds), bootstrap(mds, random_state=seed))
    return [float(study.regions(0.9).contains(there).mean()) for study in studies]


def coverage() -> list[str]:
    """Return how often regions of 90 % contain the true place."""
    lines = []
    for name, space, n, noise, kind in CASES:
        share = np.array([held(space, n, noise, ERRORS[kind], seed) for seed in range(TABLES)])
        error = share.std(axis=0, ddof=1) / np.sqrt(TABLES)
        cells = [
            f"{100 * m:.1f} ± {100 * e:.1f} %" for m, e in zip(share.mean(0), error, strict=True)
        ]
        lines.append(row(name, n, f"{noise} {kind}", *cells))
    return lines


OTHERS: dict[str, dict[str, Any]] = {
    "level interval": {"level": "interval"},
    "level ordinal": {"level": "ordinal"},
    "absolute errors": {"loss": "absolute"},
}


def others() -> list[str]:
    """Return how often regions of other maps of the plane contain the true place."""
    lines = []
    for name, how in OTHERS.items():
        share = []
        for seed in range(FEWER):
            rng = np.random.default_rng([15, seed])
            true = rng.normal(size=(20, 2))
            D = additive(distances(true), 0.1, rng)
            mds = MDS(metric="precomputed", n_init=1, random_state=0, **how).fit(D)
            # the size of a map at a level says nothing
            free = mds.transformation_ is not None
            there = aligned(true, mds.embedding_, Euclidean(), scales=free)
            studies = (jackknife(mds), bootstrap(mds, n_maps=50, random_state=seed))
            share.append([study.regions(0.9).contains(there).mean() for study in studies])
        error = np.std(share, axis=0, ddof=1) / np.sqrt(FEWER)
        pairs = zip(np.mean(share, axis=0), error, strict=True)
        lines.append(row(name, *(f"{100 * m:.1f} ± {100 * e:.1f} %" for m, e in pairs)))
    return lines


# --- time -----------------------------------------------------------------------------------------


def times() -> list[str]:
    """Return what studies take beside one fit with the defaults."""
    lines = []
    rng = np.random.default_rng(14)
    for n in (20, 50, 100, 200):
        D = additive(distances(rng.normal(size=(n, 2))), 0.1, rng)
        mds = MDS(metric="precomputed", random_state=0)
        spent: list[list[float]] = []
        for _ in range(3):
            began = time.process_time()
            mds.fit(D)
            one = time.process_time() - began
            took = []
            for study in (jackknife, bootstrap):
                began = time.process_time()
                study(mds)
                took.append((time.process_time() - began) / one)
            spent.append(took)
        lines.append(row(n, n, *(f"{t:.1f}" for t in np.median(spent, axis=0))))
    return lines


def page() -> list[str]:
    """Return the page of results."""
    heads = " | ".join(KINDS)
    return [
        "# How far to trust a map",
        "",
        "Written by `make bench-trust`; do not edit. All seeds differ from those of the tests.",
        "",
        "## p-values without structure",
        "",
        f"{CHANCE} tables of random numbers, {FEW} points, maps of the plane, {PERMUTATIONS}",
        "permutations. The shares of p-values up to 0.05, 0.1 and 0.5 should be these; the last",
        "two columns are the Kolmogorov–Smirnov test of a uniform distribution.",
        "",
        "| maps | p ≤ 0.05 | p ≤ 0.1 | p ≤ 0.5 | distance | its p-value |",
        "|---|---:|---:|---:|---:|---:|",
        *chance(),
        "",
        "## Power",
        "",
        f"{FEW} points of the plane with normal coordinates; errors with this standard deviation",
        f"are added to distances of mean 1.8 and deviation 0.9. The share of {WEAK} tables in",
        f"which p ≤ 0.05, with {MORE} permutations.",
        "",
        f"| errors | {heads} |",
        "|---:|" + "---:|" * len(KINDS),
        *power(),
        "",
        "## Regions",
        "",
        "How often regions of 90 % contain the true place, after the true points are aligned with",
        f"the map: the mean over all points of {TABLES} tables, with its standard error. The",
        "bootstrap draws residuals, 100 times.",
        "",
        "| space | points | errors | jackknife | bootstrap |",
        "|---|---:|---|---:|---:|",
        *coverage(),
        "",
        f"Other maps of 20 points of the plane, errors of one size, 0.1; {FEWER} tables, 50 maps",
        "of the bootstrap:",
        "",
        "| map | jackknife | bootstrap |",
        "|---|---:|---:|",
        *others(),
        "",
        "## Time",
        "",
        "All fits of a jackknife, and 100 of a bootstrap, beside one fit with the defaults.",
        "",
        "| points | fits of the jackknife | jackknife, in fits | bootstrap, in fits |",
        "|---:|---:|---:|---:|",
        *times(),
    ]


def main() -> None:
    """Measure and write the page."""
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        PAGE.write_text("\n".join(page()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
