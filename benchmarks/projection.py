"""Measure the spherical random projection: dimensions needed, failure rate, speed.

Writes docs/projection-measured.md. Run it with ``make bench-projection``; it takes minutes.
"""

from __future__ import annotations

import platform
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.random_projection import SparseRandomProjection
from threadpoolctl import threadpool_limits

from unimds import (
    HellingerMap,
    SphericalRandomProjection,
    angular_distortion,
    spherical_jl_min_dim,
)
from unimds.distributions.bounds import pair_failure
from unimds.distributions.projection import PROJECTIONS

OUT = Path(__file__).parents[1] / "docs" / "projection-measured.md"
EPS, DELTA = 0.25, 0.05
DRAWS = {"subspace": 200, "gaussian": 50, "sparse": 50}
SPEED = {method: {"method": method} for method in PROJECTIONS} | {
    "sparse, density 0.05": {"method": "sparse", "density": 0.05}
}
ROWS, PROMISE_DRAWS = 300, 20
DENSITIES = (("gaussian", "auto"), ("sparse", "auto"), ("sparse", 0.05))


def dimensions() -> list[str]:
    lines = [
        "## Number of coordinates",
        "",
        f"δ = {DELTA}. The proof of the theorem holds for ε up to 1/4.",
        "",
        "| n | ε | exact | theorem | theorem / exact |",
        "|---:|---:|---:|---:|---:|",
    ]
    for n in (100, 1000, 10_000, 1_000_000):
        for eps in (0.1, 0.2, 0.25):
            exact = spherical_jl_min_dim(n, eps, DELTA)
            theorem = spherical_jl_min_dim(n, eps, DELTA, bound="theorem")
            lines.append(f"| {n:,} | {eps} | {exact:,} | {theorem:,} | {theorem / exact:.0f} |")
    return lines


def worst_angle() -> list[str]:
    thetas = (0.0, 1e-3, 0.1, 0.4, 0.7, 1.0, 1.6, 2.4, 3.1)
    lines = [
        "",
        "## Failure by angle",
        "",
        f"Probability that the angle θ of a pair changes by more than ε = {EPS}, by quadrature; in",
        "brackets, the share in 100,000 simulated pairs. Small angles are the worst case:",
        "`spherical_jl_min_dim` uses the limit θ → 0.",
        "",
        "| m | " + " | ".join(f"θ={t:g}" if t else "θ → 0" for t in thetas) + " |",
        "|---:|" + "---:|" * len(thetas),
    ]
    rng = np.random.default_rng(0)
    for m in (10, 60, 200):
        cells = []
        for theta in thetas:
            cell = f"{pair_failure(theta, m, EPS):.4f}"
            cells.append(cell + (f" ({simulated(theta, m, rng):.4f})" if theta else ""))
        lines.append(f"| {m} | " + " | ".join(cells) + " |")
    return lines


def simulated(theta: float, m: int, rng: np.random.Generator, count: int = 100_000) -> float:
    """Return how often Gaussian projections of a pair at an angle fail."""
    failures = 0
    for _ in range(count // 10_000):
        u, w = rng.normal(size=(2, 10_000, m))
        v = np.cos(theta) * u + np.sin(theta) * w
        unit = [x / np.linalg.norm(x, axis=1, keepdims=True) for x in (u, v)]
        angle = 2.0 * np.arctan2(
            np.linalg.norm(unit[0] - unit[1], axis=1), np.linalg.norm(unit[0] + unit[1], axis=1)
        )
        failures += int(np.sum(np.abs(angle / theta - 1.0) > EPS))
    return failures / count


def draws() -> list[str]:
    n, d = 2000, 1000
    m = spherical_jl_min_dim(n, EPS, DELTA)
    lines = [
        "",
        "## All pairs at once",
        "",
        f"{n} points on S^{d - 1}, half of them close together, projected to {m} coordinates",
        f"(`auto` at ε = {EPS}, δ = {DELTA}) by seeded draws.",
        "",
        "| method | draws | all pairs within ε | largest error, median | largest error, worst |",
        "|---|---:|---:|---:|---:|",
    ]
    rng = np.random.default_rng(0)
    points = rng.normal(size=(n, d))
    points[n // 2 :] = points[0] + 0.05 * rng.normal(size=(n // 2, d))
    for method, count in DRAWS.items():
        worst = []
        for seed in range(count):
            jl = SphericalRandomProjection(eps=EPS, delta=DELTA, method=method, random_state=seed)
            worst.append(angular_distortion(points, jl.fit_transform(points)).largest)
        lines.append(
            f"| {method} | {count} | {np.mean(np.array(worst) <= EPS):.1%} | "
            f"{np.median(worst):.3f} | {max(worst):.3f} |"
        )
    return lines


def documents() -> sp.csr_array:
    """Return 20,000 documents of about 100 words out of 50,000, by Zipf's law."""
    rng = np.random.default_rng(0)
    n, d, words = 20_000, 50_000, 100
    terms = np.minimum(rng.zipf(1.2, size=n * words) - 1, d - 1)
    rows = np.repeat(np.arange(n), words)
    return sp.csr_array((np.ones(n * words), (rows, terms)), shape=(n, d))


def promise() -> list[str]:
    """Check whether `auto` gives enough dimensions for sparse documents with each projection."""
    counts = documents()[:ROWS]
    m = spherical_jl_min_dim(ROWS, EPS, DELTA)
    lines = [
        "",
        "## All pairs of sparse documents",
        "",
        f"The first {ROWS} of those documents, projected to {m} coordinates (`auto` at ε = {EPS},",
        f"δ = {DELTA}) by {PROMISE_DRAWS} seeded draws: as distributions (by `HellingerMap`) and",
        "as plain counts. Time is the median of `fit` plus `transform`, divided by that of",
        "Gaussian.",
        "",
        "| points | method | density | all pairs within ε | largest error, median | worst | time |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    for name, points in (("√ counts", HellingerMap().fit_transform(counts)), ("counts", counts)):
        gaussian = 0.0
        for method, density in DENSITIES:
            worst, seconds = [], []
            for seed in range(PROMISE_DRAWS):
                jl = SphericalRandomProjection(
                    eps=EPS, delta=DELTA, method=method, density=density, random_state=seed
                )
                began = time.perf_counter()
                image = jl.fit(points).transform(points)
                seconds.append(time.perf_counter() - began)
                worst.append(angular_distortion(points, image).largest)
            gaussian = gaussian or float(np.median(seconds))
            said = {"gaussian": "", "sparse": density}[method]
            said = f"{points.shape[1] ** -0.5:.4f} (auto)" if said == "auto" else said
            kept = int(np.sum(np.array(worst) <= EPS))
            lines.append(
                f"| {name} | {method} | {said} | {kept} of {PROMISE_DRAWS} | "
                f"{np.median(worst):.3f} | {max(worst):.3f} | {np.median(seconds) / gaussian:.2f} |"
            )
    return lines


def speed() -> list[str]:
    X = documents()
    lines = [
        "",
        "## Speed and memory on sparse documents",
        "",
        f"{X.shape[0]:,} documents × {X.shape[1]:,} terms, {X.nnz:,} entries, projected to 500",
        "coordinates on one thread. Times of `fit` and `transform` are divided by those of",
        "scikit-learn's SparseRandomProjection with a dense result; each is the fastest of five",
        "runs in turn. Memory is the peak of both calls together: the input takes",
        f"{nbytes(X) / 1e6:.0f} MB, the result {X.shape[0] * 500 * 8 / 1e6:.0f} MB.",
        "",
        "| method | fit | transform | both | memory |",
        "|---|---:|---:|---:|---:|",
    ]
    makers = {
        "scikit-learn, sparse": lambda: SparseRandomProjection(
            500, dense_output=True, random_state=0
        )
    } | {
        name: lambda options=options: SphericalRandomProjection(500, random_state=0, **options)
        for name, options in SPEED.items()
    }
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in makers}
    for _ in range(5):
        for name, make in makers.items():
            times[name].append(timed(make(), X))
    peer = np.array(times["scikit-learn, sparse"])
    for name in makers:
        fit, transform = np.array(times[name]).min(axis=0) / peer.min(axis=0)
        both = np.array(times[name]).sum(axis=1).min() / peer.sum(axis=1).min()
        lines.append(
            f"| {name} | {fit:.2f} | {transform:.2f} | {both:.2f} | {memory(name):.0f} MB |"
        )
    return lines


def nbytes(X: sp.csr_array) -> int:
    return X.data.nbytes + X.indices.nbytes + X.indptr.nbytes


def timed(model, X) -> tuple[float, float]:
    began = time.perf_counter()
    model.fit(X)
    middle = time.perf_counter()
    model.transform(X)
    return middle - began, time.perf_counter() - middle


def memory(name: str) -> float:
    """Return the megabytes that a fresh process needs on top of its input."""
    done = subprocess.run(
        [sys.executable, __file__, "--memory", name], check=True, capture_output=True, text=True
    )
    return float(done.stdout)


def memory_here(name: str) -> None:
    X = documents()
    maker = SparseRandomProjection if name.startswith("scikit") else SphericalRandomProjection
    options = {"dense_output": True} if name.startswith("scikit") else SPEED[name]
    tracemalloc.start()
    maker(500, random_state=0, **options).fit(X).transform(X)
    print(tracemalloc.get_traced_memory()[1] / 1e6)


def main() -> None:
    lines = [
        "# Random projection benchmarks",
        "",
        f"Written by `benchmarks/projection.py` (Python {platform.python_version()}, numpy "
        f"{np.__version__}); do not edit. [The theory](spherical-jl.md) explains the figures.",
        "",
    ]
    with threadpool_limits(1):  # otherwise it would measure threads that wait for each other
        for part in (dimensions, worst_angle, draws, speed, promise):
            lines += part()
            print(f"{part.__name__} done", flush=True)
    OUT.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"written: {OUT.name}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--memory"]:
        memory_here(sys.argv[2])
    else:
        main()
