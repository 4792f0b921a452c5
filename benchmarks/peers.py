"""Fits compared with other packages, and with the paper's other methods."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
from clock import timed
from sklearn.datasets import load_digits, make_blobs, make_swiss_roll

from unimds import place_center, spaces
from unimds.experiments.data import near_euclidean, near_sphere
from unimds.placecenter.result import Result
from unimds.quality import total_cost
from unimds.rivals import (
    multiresolution,
    renormalised,
    robust_euclidean_embedding,
    smacof,
    smacof_q,
)

SIZES = (100, 300, 1000, 1500, 2000, 5000)
STATES = 5


# --- whole fits, compared with peers --------------------------------------------------------------


def tables(n: int) -> dict[str, np.ndarray]:
    """Return the data sets of one size, as distances in double precision."""
    rng = np.random.default_rng(0)
    found = {
        "10 blobs in 50-d": spaces.distances(make_blobs(n, 50, centers=10, random_state=0)[0]),
        "swiss roll": spaces.distances(make_swiss_roll(n, random_state=0)[0]),
    }
    digits = load_digits().data
    if n <= len(digits):
        found["digits"] = spaces.distances(rng.permutation(digits)[:n])
    if n <= 2000:
        found["the paper's"] = near_euclidean(n, seed=0)
    return found


def sklearn_mds(D: np.ndarray, **options: Any) -> np.ndarray:
    """Embed with scikit-learn's MDS, from the classical seed."""
    from sklearn.manifold import MDS

    mds = MDS(2, metric="precomputed", n_init=1, init="classical_mds", random_state=0, **options)
    return mds.fit_transform(D.astype(np.float64))


def s_gd2(D: np.ndarray, state: int = 0) -> np.ndarray:
    """Embed with s_gd2 and unit weights."""
    import s_gd2

    d = D[np.triu_indices(len(D), 1)].astype(np.float64)
    return s_gd2.mds_direct(len(D), d, np.ones_like(d), random_seed=state)


def pymde(D: np.ndarray, state: int = 0, loss: str = "Quadratic") -> np.ndarray:
    """Embed with PyMDE's losses on all pairs."""
    import pymde
    import torch

    torch.set_num_threads(1)  # as all other methods
    pymde.seed(state)
    edges = torch.combinations(torch.arange(len(D)), 2)
    d = torch.tensor(D[np.triu_indices(len(D), 1)].astype(np.float32))
    mde = pymde.MDE(len(D), 2, edges, getattr(pymde.losses, loss)(d))
    return mde.embed().numpy()


def pymde_absolute(D: np.ndarray, k: int, loss: str) -> SimpleNamespace:
    """Embed with PyMDE's absolute loss, as a rival."""
    X, spent = timed(lambda: pymde(D, loss="Absolute"))
    return SimpleNamespace(embedding=X, history=np.array([[spent, total_cost(D, X, loss=loss)]]))


PEERS = {
    "scikit-learn": ("sklearn", [sklearn_mds]),
    "s_gd2": ("s_gd2", [partial(s_gd2, state=state) for state in range(STATES)]),
    "PyMDE": ("pymde", [partial(pymde, state=state) for state in range(STATES)]),
}
"""The module that each peer needs, and its runs: a single run if nothing is random."""


def fits() -> list[dict[str, Any]]:
    """Return median and worst cost and median time, of all methods and tables."""
    rows, few = [], np.sqrt(np.arange(36.0).reshape(6, 6) + np.arange(36.0).reshape(6, 6).T)
    np.fill_diagonal(few, 0.0)
    for module, methods in PEERS.values():  # imported before any clock runs
        if importlib.util.find_spec(module) is not None:
            methods[0](few)
    for n in SIZES:
        for name, D in tables(n).items():
            ours = [
                timed(lambda s=s, D=D: place_center(D, 2, random_state=s)) for s in range(STATES)
            ]
            runs = [result for result, _ in ours]
            own = [(result.embedding, seconds) for result, seconds in ours]
            row = {"n": n, "data": name, "unimds": _summary(D, own)}
            for peer, (module, methods) in PEERS.items():
                large = n > 2000 and (peer == "PyMDE" or name != "swiss roll")
                if importlib.util.find_spec(module) is None or (large and peer != "s_gd2"):
                    continue
                few = methods[:1] if peer == "PyMDE" and n > 300 else methods
                summary = _summary(D, [timed(partial(method, D)) for method in few])
                row[peer] = (*summary, summary[-1] / time_to(summary[0], runs))
            rows.append(row)
            print(row, flush=True)
    return rows


def _summary(D: np.ndarray, runs: list[tuple[np.ndarray, float]]) -> tuple[float, float, float]:
    costs = [float(total_cost(D, X)) for X, _ in runs]
    return float(np.median(costs)), max(costs), float(np.median([spent for _, spent in runs]))


def time_to(cost: float, runs: list[Any]) -> float:
    """Return the median time until runs are within 0.1 % of a cost, races included."""
    low = [run.history[run.history[:, 1] <= 1.001 * cost, 0] for run in runs]
    return float(np.median([seconds[0] if seconds.size else np.inf for seconds in low]))


def fits_table(rows: list[dict[str, Any]]) -> list[str]:
    """Return the fits as a table: stress and time, divided by ours."""
    peers = [peer for peer in PEERS if any(peer in row for row in rows)]
    lines = [
        "## Whole fits",
        "",
        "k = 2, squared loss, float64 tables, one core, code compiled beforehand. Settings are the",
        "defaults, except unit weights for s_gd2 and a classical seed for scikit-learn. *Stress*",
        f"and *worst* are the peer's median and worst stress over {STATES} random states, divided",
        "by those of unimds. *Time* is the peer's time divided by that of our whole fit; *to its",
        "stress* divides it by the time our fit takes to come within 0.1 % of the peer's median.",
        "At n = 5,000 scikit-learn ran on one table and PyMDE on none; from n = 1,000 on PyMDE ran",
        "with one state.",
        "",
        "| n | data | unimds, s | "
        + " | ".join(f"{peer}: stress | worst | time | to its stress" for peer in peers)
        + " |",
        "|---:|---|---:|" + "---:|---:|---:|---:|" * len(peers),
    ]
    for row in rows:
        *ours, seconds = row["unimds"]
        cells = []
        for peer in peers:
            if peer in row:
                *costs, spent, sooner = row[peer]
                stress = " | ".join(f"{a / b:.4f}" for a, b in zip(costs, ours, strict=True))
                cells.append(f"{stress} | {spent / seconds:.1f}× | {sooner:.1f}×")
            else:
                cells.append("– | – | – | –")
        lines.append(
            f"| {row['n']:,} | {row['data']} | {seconds:.3f} | " + " | ".join(cells) + " |"
        )
    missing = [
        peer for peer, (module, _) in PEERS.items() if importlib.util.find_spec(module) is None
    ]
    if missing:
        lines += ["", f"Not installed and therefore not measured: {', '.join(missing)}."]
    return lines


# --- one shaken start, compared with s_gd2 --------------------------------------------------------


def shaken() -> tuple[list[str], dict[str, float]]:
    """Compare stress and time of a single shaken start with s_gd2, run by run in turn."""
    lines = [
        "",
        "## One shaken start",
        "",
        'A fit without a race, `place_center(D, init="shaken", eps=1e-4)` (1e-3 up to n = 300),',
        "compared with s_gd2. The two ran in turn with equally many random states; figures are",
        "medians. *Stress* and *time* are those of s_gd2 divided by ours.",
        "",
        "| n | data | unimds, ms | s_gd2: stress | time |",
        "|---:|---|---:|---:|---:|",
    ]
    figures = {}
    if importlib.util.find_spec("s_gd2") is None:
        return [*lines[:4], "s_gd2 is not installed and therefore not measured."], figures
    for n in SIZES:
        for name, D in tables(n).items():
            options = {"init": "shaken", "eps": 1e-3 if n <= 300 else 1e-4}
            place_center(D, 2, **options, random_state=0)
            runs = []
            for state in range(31 if n == 300 else STATES):
                result, ours = timed(partial(place_center, D, 2, **options, random_state=state))
                X, theirs = timed(partial(s_gd2, D, state))
                runs.append((total_cost(D, X), total_cost(D, result.embedding), theirs, ours))
            cost, own, theirs, ours = np.median(runs, axis=0)
            lines.append(
                f"| {n:,} | {name} | {1e3 * ours:.1f} | {cost / own:.4f} | {theirs / ours:.1f}× |"
            )
            print(lines[-1], flush=True)
            figures[f"s_gd2, n = {n}, {name}: one shaken start, time"] = theirs / ours
            figures[f"s_gd2, n = {n}, {name}: one shaken start, stress"] = cost / own
    return lines, figures


# --- the same seed, to the same stress ------------------------------------------------------------


def same_seed() -> tuple[list[str], dict[str, float]]:
    """Compare times to the same stress from the same seed with scikit-learn."""
    lines = [
        "",
        "## From the same seed, to the same stress",
        "",
        'Both methods start from the classical seed (`init="classical"`, one start) and descend to',
        "the same minimum. *To its stress* is scikit-learn's time divided by the time unimds takes",
        "to reach the stress at which scikit-learn stops: early with its defaults, later with",
        "`eps=1e-8`. *Its stress then* is that later stress divided by the final stress of unimds,",
        "and *whole fits* is the time of the later run divided by the time of our whole fit.",
        "",
        "| n | data | unimds, s | to its stress | with eps=1e-8 | its stress then | whole fits |",
        "|---:|---|---:|---:|---:|---:|---:|",
    ]
    figures = {}
    for n in (1000, 2000, 5000):
        for name, D in tables(n).items():
            if n == 5000 and name != "swiss roll":
                continue
            # the fastest of several runs: a moment of other load is long for a short run
            often = 2 if n == 1000 else 1
            ours, seconds = fastest(lambda D=D: place_center(D, 2, init="classical"), 6 * often)
            X, early = fastest(lambda D=D: sklearn_mds(D), often)
            Y, late = fastest(lambda D=D: sklearn_mds(D, eps=1e-8, max_iter=3000), often)
            stress, theirs = total_cost(D, X), total_cost(D, Y)
            ratios = early / until(ours, stress), late / until(ours, theirs)
            lines.append(
                f"| {n:,} | {name} | {seconds:.3f} | {ratios[0]:.0f}× | {ratios[1]:.0f}× | "
                f"{theirs / ours.cost:.6f} | {late / seconds:.0f}× |"
            )
            print(lines[-1], flush=True)
            figures[f"scikit-learn, n = {n}, {name}: to its stress"] = ratios[0]
            figures[f"scikit-learn, n = {n}, {name}: to its last stress"] = ratios[1]
    return lines, figures


def until(ours: Result, stress: float) -> float:
    """Return the time at which a fit reached a stress; NaN if it never did."""
    low = ours.history[ours.history[:, 1] <= stress, 0]
    return float(low[0]) if low.size else np.nan


def fastest(run: Callable[[], Any], times: int) -> tuple[Any, float]:
    """Return the result and the time of the fastest of several runs."""
    return min((timed(run) for _ in range(times)), key=lambda done: done[1])


def in_short(rows: list[dict[str, Any]], figures: dict[str, float]) -> list[str]:
    """Return the comparison by size, as ranges over all tables."""
    lines = [
        "Time and stress of other packages, divided by those of unimds. Ranges run over all tables",
        "of a size; stress is the median over all random states.",
        "",
        "| | " + " | ".join(f"n = {n:,}" for n in SIZES) + " |",
        "|---|" + "---:|" * len(SIZES),
    ]

    def add(title: str, cells: list[list[float]], form: str) -> None:
        ends = [[f"{end:{form}}" for end in (min(c), max(c))] if c else ["–"] for c in cells]
        lines.append(f"| {title} | " + " | ".join("–".join(dict.fromkeys(e)) for e in ends) + " |")

    same = [[x for key, x in figures.items() if f"n = {n}," in key and "to its last" in key]
            for n in SIZES]  # fmt: skip
    add("scikit-learn, from the same seed to the same stress", same, ".0f")
    for peer in (peer for peer in PEERS if any(peer in row for row in rows)):
        found = [[(row["unimds"], row[peer]) for row in rows if row["n"] == n and peer in row]
                 for n in SIZES]  # fmt: skip
        add(f"{peer}: whole fit", [[b[2] / a[2] for a, b in cell] for cell in found], ".1f")
        add(f"{peer}: to its stress", [[b[3] for _, b in cell] for cell in found], ".1f")
        add(f"{peer}: stress", [[b[0] / a[0] for a, b in cell] for cell in found], ".4f")
    for what, form in (("time", ".1f"), ("stress", ".4f")):
        alone = [(key, x) for key, x in figures.items() if key.endswith(f"shaken start, {what}")]
        cells = [[x for key, x in alone if f"n = {n}," in key] for n in SIZES]
        add(f"s_gd2, compared with one shaken start: {what}", cells, form)
    return [*lines, ""]


# --- robust and spherical fits, compared with rivals ----------------------------------------------


def rivals() -> list[str]:
    """Compare robust and geodesic fits with the paper's other methods."""
    lines = [
        "",
        "## Robust and spherical fits",
        "",
        "The paper's data, n = 300, k = 2. Costs are divided by our median cost over five random",
        "states, whose range is in brackets. Times are those until a method comes within 1 % of",
        "that median, divided by the time of unimds from one start, since the rivals also use one.",
        "",
        "| problem | method | cost | time to within 1 % |",
        "|---|---|---:|---:|",
    ]
    near, ball = near_euclidean(300, seed=0), near_sphere(300, spaces.Sphere(), seed=0)
    cases: dict[str, tuple[np.ndarray, dict[str, Any], dict[str, Callable[..., Any]]]] = {
        "absolute loss": (
            near,
            {"loss": "absolute"},
            {"SMACOF": smacof, "Cayton & Dasgupta": robust_euclidean_embedding},
        ),
        "geodesic sphere": (
            ball,
            {"loss": "squared", "space": "sphere"},
            {"SMACOF-Q": smacof_q, "Elad et al.": multiresolution, "Pless & Simon": renormalised},
        ),
    }
    if importlib.util.find_spec("pymde") is not None:
        cases["absolute loss"][2]["PyMDE"] = pymde_absolute
    for name, (D, options, others) in cases.items():
        place_center(D, 2, **options, random_state=0)
        runs = [place_center(D, 2, **options, random_state=state) for state in range(5)]
        ours = sorted(runs, key=lambda run: run.cost)[2]
        once = place_center(D, 2, **options, n_init=1)
        reached = once.history[once.history[:, 1] <= 1.01 * ours.cost, 0][0]
        ends = sorted(run.cost / ours.cost for run in runs)
        spread = f"{ends[0]:.4f}–{ends[-1]:.4f}"
        lines.append(f"| {name} | unimds | 1 ({spread}) | |")
        lines.append(f"| | unimds, one start | {once.cost / ours.cost:.4f} | 1 |")
        for rival, method in others.items():
            method(D, 2, **options)
            result = method(D, 2, **options)
            cost = total_cost(D, result.embedding, **options)
            near = result.history[result.history[:, 1] <= 1.01 * ours.cost, 0]
            told = f"{near[0] / reached:.1f}×" if near.size else "never"
            lines.append(f"| | {rival} | {cost / ours.cost:.4f} | {told} |")
    return lines
