"""Measure several tables, unfolding and constraints on data whose answer is known.

Run it with ``make bench-several``; it writes docs/tables-measured.md.
"""

from __future__ import annotations

import time
import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from unimds import MDS, IndividualDifferences, Unfolding
from unimds.constraints import LinearIn
from unimds.spaces import distances

PAGE = Path(__file__).parents[1] / "docs" / "tables-measured.md"
SETS = 5
MANY = 24
LOSSES = ("squared", "huber", "absolute")

Array = np.ndarray


def subjects(seed: int, n: int = 15, count: int = 12, noise: float = 0.0) -> tuple[Array, ...]:
    """Return a map, the weights of subjects, and their tables."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    X -= X.mean(axis=0)
    C = rng.uniform(0.3, 1.7, size=(count, 2))
    C /= np.sqrt((C**2).mean(axis=0))
    blur = 1.0 + noise * rng.normal(size=(count, n, n))
    tables = np.stack([distances(X * c) for c in C])
    return X, C, tables * np.abs(0.5 * (blur + blur.swapaxes(1, 2)))


def off_axes(found: Array, true: Array) -> float:
    """Return how far a map is from the true one, whose axes may be stretched and exchanged."""
    errors = []
    for order in permutations(range(true.shape[1])):
        own = found[:, order]
        own = own * ((own * true).sum(axis=0) / (own * own).sum(axis=0))
        errors.append(float(np.linalg.norm(own - true) / np.linalg.norm(true)))
    return min(errors)


def off(found: Array, true: Array) -> float:
    """Return how far points are from the true ones, after the best turn and stretch."""
    A, B = found - found.mean(axis=0), true - true.mean(axis=0)
    U, s, Vt = np.linalg.svd(A.T @ B)
    moved = s.sum() / (A**2).sum() * A @ U @ Vt
    return float(np.linalg.norm(moved - B) / np.linalg.norm(B))


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """Return what work returns, and the seconds of the processor that it took."""
    began = time.process_time()
    found = work()
    return found, time.process_time() - began


def recovery() -> Iterator[str]:
    """Yield how well INDSCAL recovers dimensions and weights."""
    errors, weights = [], []
    for seed in range(SETS):
        X, C, tables = subjects(seed)
        fit = IndividualDifferences(2, random_state=0).fit(tables)
        errors.append(off_axes(fit.embedding_, X))
        order = np.argsort(-(X**2).sum(axis=0))
        weights.append(float(np.abs(fit.weights_ - C[:, order]).max()))
    yield "## INDSCAL from twelve subjects"
    yield ""
    yield (
        f"15 objects, 12 subjects with weights from 0.3 to 1.7, without noise, {SETS} data sets: "
        f"the map is off by at most {max(errors):.0e} of its size, the weights by "
        f"{max(weights):.0e}."
    )


def with_random_answers(seed: int, whose: str) -> tuple[Array, Array]:
    """Return a map, and tables of twelve subjects of whom three answer at random.

    Their answers reach to the largest of their own table, or of all tables.
    """
    X, _, tables = subjects(seed, noise=0.02)
    rng, largest = np.random.default_rng(100 + seed), float(tables.max())
    for s in range(3):
        most = float(tables[s].max()) if whose == "own" else largest
        square = np.triu(rng.uniform(0.0, most, size=tables[s].shape), 1)
        tables[s] = square + square.T
    return X, tables


def unreliable() -> Iterator[str]:
    """Yield what three subjects at random do to the map."""
    yield "## Three of twelve subjects answer at random"
    yield ""
    yield (
        "The same with 2 % noise, and for three subjects random numbers, up to their own largest "
        f"answer or up to the largest of all subjects; {MANY} data sets each. How far the map of "
        "the group is off, after stretching its axes. In the last column all subjects count alike "
        '(`reliability="equal"`).'
    )
    yield ""
    fits: list[dict[str, Any]] = [{"loss": loss} for loss in LOSSES]
    fits.append({"loss": "absolute", "reliability": "equal"})
    for whose, told in (("own", "their own largest"), ("all", "the largest of all")):
        errors = []
        for seed in range(MANY):
            X, tables = with_random_answers(seed, whose)
            maps = [IndividualDifferences(2, random_state=0, **how).fit(tables) for how in fits]
            errors.append([off_axes(fit.embedding_, X) for fit in maps])
        columns = np.array(errors).T
        yield f"| random numbers up to {told} | " + " | ".join(LOSSES) + " | absolute, alike |"
        yield "|---|" + "---|" * len(fits)
        yield "| median | " + " | ".join(f"{np.median(c):.3f}" for c in columns) + " |"
        yield "| worst | " + " | ".join(f"{c.max():.3f}" for c in columns) + " |"
        within = [f"{np.count_nonzero(c <= 0.02)} of {MANY}" for c in columns]
        yield "| off by at most 2 % | " + " | ".join(within) + " |"
        yield ""
    yield (
        "Counted alike, subjects with large weights pull on the map with all their pairs; that "
        "bends it also where the cost is lowest."
    )


def plain() -> Iterator[str]:
    """Yield how special cases agree with plain MDS."""
    _, _, tables = subjects(0, count=1, noise=0.1)
    yield "## Special cases"
    yield ""
    yield "| case | cost | cost of plain MDS |"
    yield "|---|---|---|"
    for loss in LOSSES:
        mds = MDS(2, loss=loss, metric="precomputed", random_state=0).fit(tables[0])
        one = IndividualDifferences(2, model="identity", loss=loss, random_state=0).fit(tables)
        free = MDS(2, loss=loss, metric="precomputed", random_state=0)
        free.fit(tables[0], constraints=LinearIn(np.eye(15)))
        yield f"| consensus of one subject, {loss} | {one.cost_:.8g} | {mds.cost_:.8g} |"
        yield f"| linear in the unit matrix, {loss} | {free.cost_:.8g} | {mds.cost_:.8g} |"
    rng = np.random.default_rng(5)
    D = distances(rng.normal(size=(12, 2)), rng.normal(size=(9, 2)))
    D *= rng.uniform(0.9, 1.1, size=D.shape)
    square = np.full((21, 21), np.nan)
    np.fill_diagonal(square, 0.0)
    square[:12, 12:], square[12:, :12] = D, D.T
    mds = MDS(2, metric="precomputed", random_state=0, n_init="thorough").fit(square)
    fit = Unfolding(2, random_state=0, n_init=30).fit(D)
    yield f"| unfolding against a square with missing blocks | {fit.cost_:.8g} | {mds.cost_:.8g} |"


def preferences() -> Iterator[str]:
    """Yield how well unfolding recovers rows and columns."""
    rng = np.random.default_rng(0)
    rows, columns = rng.normal(size=(100, 2)), rng.normal(size=(20, 2))
    fit, seconds = timed(lambda: Unfolding(2, random_state=0).fit(distances(rows, columns)))
    both = off(fit.embedding_, np.vstack([rows, columns]))
    yield "## Unfolding"
    yield ""
    yield (
        f"*Distances* of 100 rows to 20 columns: rows and columns are off by {both:.0e} of their "
        f"size ({seconds:.1f} s of one core)."
    )
    yield ""
    yield (
        "*Ranks* of 12 columns by 40 rows, each row with a transformation of its own. How far the "
        "columns are off, in how many sets by at most 0.16, and the coefficient of variation of "
        "the disparities (near 0 the map is degenerate), with the penalty and without it:"
    )
    yield ""
    yield "| data | sets | columns off, median | worst | at most 0.16 | least variation |"
    yield "|---|---|---|---|---|---|"
    for kind in ("normal", "uniform"):
        for weight, count in ((1.0, MANY), (0.0, SETS)):
            errors, varied = [], []
            for seed in range(count):
                columns, ranks = ranked(kind, seed)
                fit = Unfolding(2, level="ordinal", penalty_weight=weight, random_state=0)
                fit.fit(ranks)
                errors.append(off(fit.column_embedding_, columns))
                varied.append(fit.variation_)
            within = sum(error <= 0.16 for error in errors)
            told = kind if weight else f"{kind}, no penalty"
            numbers = f"{np.median(errors):.3f} | {max(errors):.3f} | {within} | {min(varied):.2f}"
            yield f"| {told} | {count} | {numbers} |"


def ranked(kind: str, seed: int) -> tuple[Array, Array]:
    """Return twelve columns, and their ranks by forty rows."""
    rng = np.random.default_rng(seed)
    draw = rng.normal if kind == "normal" else lambda size: rng.uniform(-1, 1, size)
    rows, columns = draw(size=(40, 2)), draw(size=(12, 2))
    return columns, distances(rows, columns).argsort(axis=1).argsort(axis=1) + 1.0


def memory() -> Iterator[str]:
    """Yield what memory unfolding takes."""
    yield "## Memory of unfolding"
    yield ""
    yield "Twenty columns; the largest amount of memory that NumPy held at a time."
    yield ""
    yield "| rows | table | largest | a square of all points |"
    yield "|---|---|---|---|"
    rng = np.random.default_rng(0)
    columns = rng.normal(size=(20, 2))
    for count in (1000, 2000, 4000, 8000):
        D = distances(rng.normal(size=(count, 2)), columns) * rng.uniform(0.9, 1.1, (count, 20))
        fit = Unfolding(2, random_state=0, n_init=2, max_iter=20)
        tracemalloc.start()
        fit.fit(D)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        square = 8 * (count + 20) ** 2
        sizes = " | ".join(f"{size / 1e6:.1f} MB" for size in (D.nbytes, peak, square))
        yield f"| {count} | {sizes} |"


def speed() -> Iterator[str]:
    """Yield how long fits take, as multiples of a plain map."""
    yield "## Time"
    yield ""
    yield (
        "Seconds of one core with two starts, over those of `MDS` with two starts on one of the "
        "tables; 5 % noise."
    )
    yield ""
    yield "| subjects | objects | indscal | idioscal | consensus, absolute |"
    yield "|---|---|---|---|---|"
    for count, n in ((12, 20), (30, 50), (50, 100)):
        _, _, tables = subjects(0, n, count, noise=0.05)
        _, once = timed(lambda t=tables: MDS(2, metric="precomputed", n_init=2).fit(t[0]))
        cells = []
        for options in (
            {"model": "indscal", "n_init": 2},
            {"model": "idioscal", "n_init": 2},
            {"model": "identity", "loss": "absolute", "n_init": 2},
        ):
            fit = IndividualDifferences(2, random_state=0, **options)
            _, seconds = timed(lambda t=tables, fit=fit: fit.fit(t))
            cells.append(f"{seconds:.1f} s ({seconds / once:.0f})")
        yield f"| {count} | {n} | " + " | ".join(cells) + " |"


def page() -> Iterator[str]:
    """Yield the lines of the page."""
    yield "# Several tables, unfolding and constraints, measured"
    yield ""
    yield (
        "Written by `make bench-several`, on data whose answer is known; [the chapter](tables.md) "
        "says what is computed. An error of 0.02 is 2 % of the size of the map."
    )
    for part in (recovery, unreliable, plain, preferences, memory, speed):
        yield ""
        yield from part()


def main() -> None:
    """Measure and write the page."""
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _, _, tables = subjects(0, 6, 2)
        for loss in LOSSES:  # compiles
            IndividualDifferences(2, loss=loss, n_init=1).fit(tables)
            IndividualDifferences(2, model="identity", loss=loss, n_init=2).fit(tables)
        IndividualDifferences(2, model="idioscal", n_init=1).fit(tables)
        MDS(2, metric="precomputed", n_init=2).fit(tables[0])
        Unfolding(2, n_init=1).fit(tables[0])
        PAGE.write_text("\n".join(page()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
