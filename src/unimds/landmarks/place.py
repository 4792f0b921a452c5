"""Placing very many points against landmarks, chunk by chunk.

A chunk reads the configuration as it was and writes its own points only, so that the result does
not depend on who places it: this thread, several, or the workers of a Dask cluster.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, Protocol, final

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.utils import gen_batches
from threadpoolctl import threadpool_limits

from unimds._runtime.watch import Progress
from unimds.distances.table import Index
from unimds.landmarks.disparities import Source
from unimds.landmarks.journal import Journal
from unimds.placecenter.descent.annealing import sharpened
from unimds.placecenter.frame import Frame
from unimds.placecenter.result import Result

Array = NDArray[Any]

ENTRIES = 2_000_000  # distances that a chunk holds
STEPS, SOFT_STEPS, SETTLED = 30, 5, 1e-6


@final
@dataclass(frozen=True)
class Scene:
    """The distances of very many points, with loss and space in a working unit.

    Attributes
    ----------
    table : Source
        The given distances.
    frame : Frame
        Loss and space.
    dtype : dtype
        Precision of the arithmetic.
    """

    table: Source
    frame: Frame
    dtype: np.dtype[Any]

    @classmethod
    def make(cls, table: Source, result: Result, typical: float) -> Scene:
        """Bring loss and space of a map to the unit of a typical distance."""
        loss, space = result.loss, result.space
        tame = loss.degree is not None and 1e-30 < typical < 1e30
        single = table.dtype == np.float32 and space.single_precision and tame
        dtype = np.dtype(np.float32 if single else np.float64)
        return cls(table, Frame.make(loss, space, typical), dtype)


def chunks_of(n: int, width: int) -> list[slice]:
    """Return chunks of `n` points that need `width` distances each."""
    return list(gen_batches(n, max(1, ENTRIES // width)))


def in_chunks(
    task: Callable[[slice], None], n: int, width: int, n_jobs: int | None, bar: Progress
) -> None:
    """Run a task for every chunk of `n` points that need `width` distances each."""
    chunks = chunks_of(n, width)
    each_chunk(task, chunks, n_jobs, lambda _: bar.step(1.0 / len(chunks)))


def each_chunk(
    task: Callable[[slice], None],
    chunks: list[slice],
    n_jobs: int | None,
    after: Callable[[slice], None],
) -> None:
    """Run a task for every chunk, on threads where asked for, and tell of each in its order."""
    threads = min(effective_n_jobs(n_jobs), len(chunks))
    with threadpool_limits(1):  # of BLAS, which would round otherwise on other numbers of threads
        if threads <= 1:
            for chunk in chunks:
                task(chunk)
                after(chunk)
            return
        with ThreadPoolExecutor(threads) as pool:
            try:
                for chunk, _ in zip(chunks, pool.map(task, chunks), strict=True):
                    after(chunk)
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise


Job = tuple[Any, ...]
"""A function and its arguments after the scene: rows, columns and others."""


class Crew(Protocol):
    """Who places the points of some chunks."""

    def work(
        self,
        scene: Scene,
        job: Callable[[slice], Job],
        out: Array,
        chunks: list[slice],
        after: Callable[[slice], None],
    ) -> None:
        """Fill the columns of `out` with what the jobs of the chunks return.

        The chunks follow one another. Where the points of one or several have been filled in,
        `after` is told of them, in order.
        """


@final
@dataclass(frozen=True)
class Threads:
    """Threads of this process place the points."""

    n_jobs: int | None

    def work(
        self,
        scene: Scene,
        job: Callable[[slice], Job],
        out: Array,
        chunks: list[slice],
        after: Callable[[slice], None],
    ) -> None:
        """Fill the columns of `out` with what the jobs of the chunks return."""

        def task(rows: slice) -> None:
            function, *given = job(rows)
            out[:, rows] = function(scene, *given)

        each_chunk(task, chunks, self.n_jobs, after)


def place_all(
    scene: Scene, landmarks: Array, fixed: Array, crew: Crew, bar: Progress, journal: Journal
) -> Array:
    """Place every point against the landmarks, whose configuration is `fixed`."""
    n = scene.table.n
    X, placed = journal.placed((len(fixed), n), scene.dtype)

    def after(rows: slice) -> None:
        nonlocal placed
        bar.step((rows.stop - placed) / n)
        placed = rows.stop
        journal.note_placed(X, placed)

    bar.step(placed / n)
    # the same chunks as in a run that was not interrupted: products of matrices round by shape
    chunks = [rows for rows in chunks_of(n, len(landmarks)) if rows.start >= placed]
    try:
        crew.work(scene, lambda rows: (_placed, rows, landmarks, fixed), X, chunks, after)
    except BaseException:
        journal.note_placed(X, placed, now=True)
        raise
    X[:, landmarks] = fixed
    return X


def _placed(scene: Scene, rows: Index, landmarks: Array, fixed: Array) -> Array:
    """Return some points, placed against the landmarks."""
    D = scene.table.between(rows, landmarks)
    P = np.ascontiguousarray(fixed[:, _nearest(D, rows, scene.table)])
    for number, loss in enumerate(sharpened(scene.frame)):
        steps = STEPS if number == 0 else SOFT_STEPS
        replace(scene.frame, loss=loss).place(D, None, fixed, P, steps, SETTLED)
    return P


def _nearest(D: Array, rows: Index, table: Source) -> Array:
    """Return the nearest landmark of every row."""
    nearest: Array = np.argmin(D, axis=1)  # a missing one, where there is any
    holes = np.flatnonzero(np.isnan(D[np.arange(len(D)), nearest]))
    if holes.size:
        some = D[holes]
        empty = np.flatnonzero(np.isnan(some).all(axis=1))
        if empty.size:
            number = table.number(np.arange(table.n)[rows][holes[empty[0]]])
            raise ValueError(
                f"point {number} has no known distance to any landmark; "
                "raise n_landmarks, or drop the point"
            )
        nearest[holes] = np.nanargmin(some, axis=1)
    return nearest
