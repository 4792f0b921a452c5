"""The spherical Johnson–Lindenstrauss theorem as a figure: distortion against dimensions.

The paper proves the theorem but shows no experiment. Here points of a high-dimensional sphere, half
of them close together, are projected to more and more coordinates, several times by each kind of
projection.
"""

from __future__ import annotations

import csv
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from unimds.distributions.bounds import pair_failure
from unimds.distributions.distortion import angular_distortion
from unimds.distributions.projection import PROJECTIONS, SphericalRandomProjection
from unimds.experiments.runs import keep, read_kept, write_csv

NAME = "spherical-jl"
TITLE = "Spherical Johnson–Lindenstrauss: change of angles"
COORDINATES = (10, 20, 50, 100, 200, 400)
DELTA = 0.05
SUMMARY = ("median_largest", "worst", "mean", "promised", "within", "seconds")


@dataclass(frozen=True)
class Projections:
    """Projections of one kind to one dimension.

    Attributes
    ----------
    method, dimension : str, int
        Kind of the projection, and its number of coordinates.
    largest : list of float
        The largest relative error of an angle, one for each draw.
    mean : float
        The mean relative error.
    bound : float
        The ε that the exact bound promises for all pairs at once, with probability 1 − δ.
    seconds : float
        Median time of one projection.
    """

    method: str
    dimension: int
    largest: list[float]
    mean: float
    bound: float
    seconds: float


def points(n: int, d: int, seed: int) -> NDArray[np.floating[Any]]:
    """Return directions in ℝ^d, half of them close together, as small angles are hard."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[n // 2 :] = X[0] + 0.05 * rng.normal(size=(n - n // 2, d))
    return X


def promised(n: int, dimension: int, delta: float = DELTA) -> float:
    """Return the ε that the exact bound promises for `n` points; 1 if it promises nothing."""
    pairs = n * (n - 1) // 2

    def excess(eps: float) -> float:
        return pairs * pair_failure(0.0, dimension, eps) - delta

    return float(brentq(excess, 1e-6, 1.0)) if excess(1.0) < 0.0 else 1.0


def project(X: NDArray[Any], method: str, dimension: int, count: int) -> Projections:
    """Project several times and compare angles."""
    largest, means, seconds = [], [], []
    for seed in range(count):
        began = time.perf_counter()
        Y = SphericalRandomProjection(dimension, method=method, random_state=seed).fit_transform(X)
        seconds.append(time.perf_counter() - began)
        change = angular_distortion(X, Y)
        largest.append(change.largest)
        means.append(change.mean)
    bound = promised(len(X), dimension)
    return Projections(
        method, dimension, largest, float(np.mean(means)), bound, float(np.median(seconds))
    )


def dimensions(n: int) -> tuple[int, ...]:
    """Return the numbers of coordinates to project to; the small experiment has fewer."""
    return COORDINATES if n >= 300 else COORDINATES[:5]


def spherical_jl(
    folder: Path,
    n: int,
    seed: int,
    started: Callable[[str, str, str], Any],
    finished: Callable[[Any], Any],
) -> list[Projections]:
    """Make the draws of the figure and their table; draws already in the folder are kept."""
    count, d = (20, 1000) if n >= 300 else (3, 300)
    X = points(n, d, seed)
    done = []
    for method in PROJECTIONS:
        for dimension in dimensions(n):
            started(TITLE, f"m={dimension}", method)
            path = folder / "runs" / NAME / f"m{dimension}-{method}.json"
            found = read_kept(path, Projections)
            if found is None:
                found = project(X, method, dimension, count)
                keep(path, found)
            finished(found)
            done.append(found)
    lines = [[d.method, d.dimension, *map("{:.4g}".format, summary(d))] for d in done]
    write_csv(folder / f"{NAME}.csv", [["method", "coordinates", *SUMMARY], *lines])
    return done


def summary(draws: Projections) -> tuple[float, float, float, float, float, float]:
    """Return the numbers that `SUMMARY` names."""
    largest = np.array(draws.largest)
    within = float(np.mean(largest <= draws.bound))
    return (
        float(np.median(largest)),
        float(largest.max()),
        draws.mean,
        draws.bound,
        within,
        draws.seconds,
    )


def read_draws(folder: Path) -> list[dict[str, str]]:
    """Read the table of the figure."""
    with (Path(folder) / f"{NAME}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
