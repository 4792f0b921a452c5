"""What a fit of many points will take, said before it begins: distances, memory and time.

Times are measured, on a few rows of the table, on the machine that will do the work.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from unimds._runtime.watch import Watch
from unimds.distances.table import TILE, ComputedTable
from unimds.placecenter.problem import Problem
from unimds.starts.seeds.initial import draw

MANY = 5 * 10**7
"""Distances from which a forecast is made: those of 10,000 points."""

SAMPLE, PATIENCE = 1000, 2.0  # points, and seconds, that a measurement may take
QUICKER = "LandmarkMDS (on the command line: --landmarks) is much quicker."


def announced(n: int, itemsize: int) -> str | None:
    """Return how many distances there are and what memory they take, where they are many.

    Examples
    --------
    >>> announced(50_000, 8), announced(100, 8)
    ('50,000 points have 1.25 billion distances, a table of 20 GB.', None)
    """
    return _counted(n, n**2 * itemsize) if _pairs(n) >= MANY else None


@contextmanager
def enough_memory(X: Any) -> Iterator[None]:
    """Say what the distances between points would take, and what to do, if memory runs out."""
    try:
        yield
    except MemoryError as error:
        n = len(X)
        raise MemoryError(
            f"the memory is not enough: {_counted(n, 8.0 * n**2)} {QUICKER} It needs no table; "
            "dtype='float32' halves the table, and a memory_limit in bytes computes its rows anew "
            "in every pass"
        ) from error


@contextmanager
def measuring(table: ComputedTable, verbose: int) -> Iterator[None]:
    """Say what computing all distances takes, and show for how long it has been going on."""
    watch = Watch(None, verbose, 0.0)
    if verbose and _pairs(table.n) >= MANY:
        size = table.n**2 * table.dtype.itemsize
        watch.say(
            f"{_counted(table.n, size)} Computing them takes about "
            f"{told_time(_row_seconds(table) * table.n)}. {QUICKER}"
        )
    with watch.ticking("computing distances"):
        yield


def before_the_check(D: Any, watch: Watch) -> None:
    """Say what it means that distances are not held, before they are all computed once."""
    if watch.verbose and isinstance(D, ComputedTable) and _pairs(D.n) >= MANY:
        watch.say(
            "They do not fit in the memory, so every pass over them computes them anew, and a map "
            "takes many passes."
        )


def before_the_search(problem: Problem, watch: Watch) -> None:
    """Say what a pass over all distances takes, where they are many and held."""
    pairs = problem.pairs
    if not watch.verbose or _pairs(pairs.n) < MANY or not problem.held:
        return
    size = pairs.n**2 * pairs.layers * pairs.dtype.itemsize
    watch.say(
        f"{_counted(pairs.n, size)} One pass over them takes about "
        f"{told_time(pass_seconds(problem))}, and a map takes many passes. {QUICKER}"
    )


def pass_seconds(problem: Problem) -> float:
    """Return how long computing the cost of a map takes, measured on some of the points."""
    n = problem.pairs.n
    some = problem.on(np.linspace(0, n - 1, min(n, SAMPLE)).astype(int))
    X, frame = draw(some, np.random.default_rng(0)), some.frame
    some.costs(X, frame.loss, frame.space)  # the first time it may be compiled
    once = _seconds(lambda: some.costs(X, frame.loss, frame.space))
    return once * (n / some.pairs.n) ** 2


def _row_seconds(table: ComputedTable) -> float:
    """Return how long computing a row of distances takes, as part of a tile where that is quick."""
    everyone, rows = np.arange(table.n), max(1, TILE // table.n)
    one = _seconds(lambda: table.block(everyone[:1], everyone))
    if one * rows > PATIENCE:  # a metric in plain Python
        return one
    return _seconds(lambda: table.block(everyone[:rows], everyone)) / rows


def _seconds(work: Callable[[], object]) -> float:
    """Return how long something takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _pairs(n: int) -> int:
    return n * (n - 1) // 2


def _counted(n: int, size: float) -> str:
    return f"{n:,} points have {told_count(_pairs(n))} distances, a table of {told_size(size)}."


def told_count(count: float) -> str:
    """Return a large number for people.

    Examples
    --------
    >>> told_count(4_999_950_000), told_count(49_995_000)
    ('5 billion', '50 million')
    """
    scale, name = (1e9, "billion") if count >= 1e9 else (1e6, "million")
    return f"{count / scale:.3g} {name}"


def told_size(size: float) -> str:
    """Return a number of bytes for people.

    Examples
    --------
    >>> told_size(8e10), told_size(4e8)
    ('80 GB', '400 MB')
    """
    return f"{size / 1e9:.3g} GB" if size >= 1e9 else f"{size / 1e6:.3g} MB"


def told_time(seconds: float) -> str:
    """Return a time for people.

    Examples
    --------
    >>> told_time(0.2), told_time(45.0), told_time(200.0), told_time(10_000.0)
    ('0.2 s', '45 s', '3 min', '2.8 h')
    """
    if seconds < 90.0:
        return f"{seconds:.2g} s"
    return f"{seconds / 60.0:.0f} min" if seconds < 5400.0 else f"{seconds / 3600.0:.1f} h"
