"""The spherical Johnson–Lindenstrauss theorem as a figure: distortion against dimensions.

The paper proves it and shows no experiment. Here points of a high-dimensional sphere, half of them
close together, are projected to ever more coordinates, several times by each kind of projection.
"""

from __future__ import annotations

import csv
import io
import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from unimds._runtime.extras import require
from unimds.distributions.bounds import pair_failure
from unimds.distributions.distortion import angular_distortion
from unimds.distributions.projection import PROJECTIONS, SphericalRandomProjection
from unimds.experiments.draw import save
from unimds.experiments.runs import write_whole

NAME = "spherical-jl"
TITLE = "Spherical Johnson–Lindenstrauss: change of angles"
DIMENSIONS = (10, 20, 50, 100, 200, 400)
DELTA = 0.05
SUMMARY = ("median_largest", "worst", "mean", "promised", "within", "seconds")
LOOKS = {"subspace": ("#0072B2", "o"), "gaussian": ("#D55E00", "s"), "sparse": ("#009E73", "^")}


@dataclass(frozen=True)
class Draws:
    """Projections of one kind to one dimension.

    Attributes
    ----------
    method, dimension : str, int
        Which projection, to how many coordinates.
    largest : list of float
        The largest relative error of an angle, one for each draw.
    mean : float
        The mean relative error.
    bound : float
        The ε that the exact bound promises for all pairs at once, with probability 1 − δ.
    seconds : float
        Of one projection.
    """

    method: str
    dimension: int
    largest: list[float]
    mean: float
    bound: float
    seconds: float


def points(n: int, d: int, seed: int) -> NDArray[np.floating[Any]]:
    """Return directions in ℝ^d, half of them close together: small angles are the hard ones."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[n // 2 :] = X[0] + 0.05 * rng.normal(size=(n - n // 2, d))
    return X


def promised(n: int, dimension: int, delta: float = DELTA) -> float:
    """Return the ε that the exact bound promises for `n` points; 1 where it promises nothing."""
    pairs = n * (n - 1) // 2

    def excess(eps: float) -> float:
        return pairs * pair_failure(0.0, dimension, eps) - delta

    return float(brentq(excess, 1e-6, 1.0)) if excess(1.0) < 0.0 else 1.0


def draw(X: NDArray[Any], method: str, dimension: int, count: int) -> Draws:
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
    return Draws(
        method, dimension, largest, float(np.mean(means)), bound, float(np.median(seconds))
    )


def dimensions(n: int) -> tuple[int, ...]:
    """Return how many coordinates to project to, fewer where it should be quick."""
    return DIMENSIONS if n >= 300 else DIMENSIONS[:5]


def spherical_jl(
    folder: Path,
    n: int,
    seed: int,
    started: Callable[[str, str, str], Any],
    finished: Callable[[Any], Any],
) -> list[Draws]:
    """Make the figure; draws that are in the folder already are not repeated."""
    count, d = (20, 1000) if n >= 300 else (3, 300)
    X = points(n, d, seed)
    done = []
    for method in PROJECTIONS:
        for dimension in dimensions(n):
            started(TITLE, f"m={dimension}", method)
            path = folder / "runs" / NAME / f"m{dimension}-{method}.json"
            found = _kept(path)
            if found is None:
                found = draw(X, method, dimension, count)
                write_whole(path, json.dumps(asdict(found)))
            finished(found)
            done.append(found)
    _write_table(folder, done)
    _draw(folder, done)
    return done


def _kept(path: Path) -> Draws | None:
    try:
        return Draws(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def _write_table(folder: Path, done: list[Draws]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["method", "coordinates", *SUMMARY])
    for draws in done:
        writer.writerow([draws.method, draws.dimension, *map("{:.4g}".format, summary(draws))])
    write_whole(folder / f"{NAME}.csv", text.getvalue())


def summary(draws: Draws) -> tuple[float, float, float, float, float, float]:
    """Return what `SUMMARY` names."""
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


def _draw(folder: Path, done: list[Draws]) -> None:
    matplotlib = require("matplotlib", "plot")
    ticker = require("matplotlib.ticker", "plot")
    with matplotlib.rc_context({"svg.hashsalt": NAME, "font.size": 9}):
        page = require("matplotlib.figure", "plot").Figure(figsize=(6.4, 4.0), layout="constrained")
        ax = page.subplots()
        for method, (colour, marker) in LOOKS.items():
            rows = [draws for draws in done if draws.method == method]
            m = [draws.dimension for draws in rows]
            ax.fill_between(
                m,
                [min(draws.largest) for draws in rows],
                [max(draws.largest) for draws in rows],
                color=colour,
                alpha=0.15,
                linewidth=0,
            )
            middle = [np.median(draws.largest) for draws in rows]
            ax.plot(m, middle, color=colour, marker=marker, label=f"{method}, all pairs")
            average = [draws.mean for draws in rows]
            ax.plot(m, average, color=colour, marker=marker, linestyle=":", markersize=4)
        bound = [(d.dimension, d.bound) for d in rows if d.bound < 1.0]
        ax.plot(*zip(*bound, strict=True), color="#000000", linestyle="--", label="exact bound, ε")
        ax.plot([], [], color="#7F7F7F", linestyle=":", label="mean over pairs")
        ax.set(xscale="log", yscale="log", xlabel="coordinates", ylabel="relative error of angles")
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_formatter(ticker.FormatStrFormatter("%g"))
        ax.set_xticks(sorted({draws.dimension for draws in done}))
        ax.set_xticks([], minor=True)
        ax.set_title(TITLE, fontsize=11, fontweight="bold")
        ax.grid(color="#E3E6EA", linewidth=0.6)
        ax.legend(frameon=False)
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
        save(page, folder, NAME)
