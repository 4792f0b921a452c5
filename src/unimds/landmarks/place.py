"""Placing very many points: against landmarks, and then against samples of each other.

Both run over chunks of points, on threads where asked for, or on the workers of a Dask cluster; a
chunk reads the configuration as it was and writes its own points only, so that the result does not
depend on who does it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, final
from uuid import uuid4

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.utils import gen_batches
from threadpoolctl import threadpool_limits

from unimds._runtime.progress import Progress
from unimds._runtime.warning import warn
from unimds.compiled.parts import in_precision
from unimds.distances.sources import Source
from unimds.kernels import sweep as kernels
from unimds.landmarks.cost import PairSample
from unimds.losses import Loss
from unimds.placecenter.problem import ROUNDING, form, in_unit, working_unit
from unimds.placecenter.result import Outcome, Result
from unimds.spaces import Space

Array = NDArray[Any]

ENTRIES = 2_000_000  # distances that a chunk holds
STEPS, SOFT_STEPS, SETTLED = 30, 5, 1e-6
LEVELS = (1.0, 0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-5, 1e-6)  # smoothings, of a typical distance
SOFTNESS = 0.1  # smoothing while refining, of the median residual


@dataclass(frozen=True)
class Frame:
    """Distances, loss and space in a unit in which distances are about one; see `Problem`.

    Attributes
    ----------
    source : Source
        The given distances, in their own unit.
    loss, space : Loss, Space
        In the frame's unit.
    unit : float
        What a given distance is multiplied by.
    scale : float
        A typical distance in the frame's unit.
    dtype : dtype
        Precision of the arithmetic.
    """

    source: Source
    loss: Loss
    space: Space
    unit: float
    scale: float
    dtype: np.dtype[Any]

    @classmethod
    def make(cls, source: Source, result: Result, typical: float) -> Frame:
        """Bring loss and space of a map to the unit of a typical distance."""
        loss, space = result.loss, result.space
        unit = working_unit(loss, space, typical)
        tame = loss.degree is not None and 1e-30 < typical < 1e30
        single = source.dtype == np.float32 and space.single_precision and tame
        dtype = np.dtype(np.float32 if single else np.float64)
        return cls(source, loss.scaled(unit), in_unit(space, unit), unit, typical * unit, dtype)

    @property
    def factor(self) -> float:
        """What coordinates in the user's unit are multiplied by."""
        return self.unit if self.space.scales_coordinates else 1.0

    def inner(self, embedding: Array) -> Array:
        """Return a configuration ``X[axis, point]`` from rows in the user's unit."""
        points = self.space.project_points(embedding.astype(np.float64) * self.factor)
        return np.ascontiguousarray(points.T, dtype=self.dtype)

    def outer(self, X: Array, dtype: Any) -> Array:
        """Return rows in the user's unit."""
        points: Array = X.T.astype(np.float64)
        if X.dtype == np.float32:
            points = self.space.project_points(points)
        return np.ascontiguousarray(points / self.factor, dtype=dtype)

    def outer_cost(self, cost: float) -> float:
        """Return a cost in the user's unit."""
        with np.errstate(over="ignore"):  # squares of 1e155 are not numbers any more
            return float(cost * np.float64(1.0 / self.unit) ** (self.loss.degree or 0.0))

    def place(
        self, D: Array, X: Array, P: Array, loss: Loss, steps: int | None, eps: float
    ) -> None:
        """Move the columns of `P` to where their rows of distances to `X` fit better."""
        cost, settled = np.empty(len(D)), np.empty(len(D), dtype=bool)
        parts = (in_precision(part, self.dtype) for part in (loss, self.space))
        code = form(self.space, len(X))
        kernels.place_rows(
            D[:, None, :], None, X, P, *code, *parts, self.unit, steps, eps, cost, settled
        )

    def between(self, P: Array, Q: Array, share: float) -> Array:
        """Return the points on the way from `P` to `Q`, at some share of it."""
        out, free = np.empty_like(P), np.ones(P.shape[1], dtype=bool)
        space = in_precision(self.space, self.dtype)
        kernels.extrapolate(Q, P, share - 1.0, free, space, out)
        return out


def in_chunks(
    task: Callable[[slice], None], n: int, width: int, n_jobs: int | None, bar: Progress
) -> None:
    """Run a task for every chunk of `n` points that need `width` distances each."""
    chunks = list(gen_batches(n, max(1, ENTRIES // width)))
    threads = min(effective_n_jobs(n_jobs), len(chunks))
    with threadpool_limits(1):  # of BLAS, which would round otherwise on other numbers of threads
        if threads <= 1:
            for chunk in chunks:
                task(chunk)
                bar.step(1.0 / len(chunks))
            return
        with ThreadPoolExecutor(threads) as pool:
            try:
                for _ in pool.map(task, chunks):
                    bar.step(1.0 / len(chunks))
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise


Job = tuple[Any, ...]
"""A function of a frame, rows and columns of its source, and more; and these, but the frame."""

TOGETHER = 16
"""Chunks that a worker of a cluster is sent at a time: what they share is sent once."""


@final
@dataclass(frozen=True)
class Crew:
    """Who does the work: threads of this process, or the workers of a Dask cluster."""

    n_jobs: int | None
    client: Any = None

    def work(
        self, frame: Frame, job: Callable[[slice], Job], out: Array, width: int, bar: Progress
    ) -> None:
        """Fill the columns of `out` with what the jobs of all chunks of points return."""
        n = frame.source.n
        if self.client is not None:
            self._send(frame, job, out, list(gen_batches(n, max(1, ENTRIES // width))), bar)
            return

        def task(rows: slice) -> None:
            function, *given = job(rows)
            out[:, rows] = function(frame, *given)

        in_chunks(task, n, width, self.n_jobs, bar)

    def _send(
        self,
        frame: Frame,
        job: Callable[[slice], Job],
        out: Array,
        chunks: list[slice],
        bar: Progress,
    ) -> None:
        submit = import_module("unimds.cluster.sending").submit  # only here: Dask is an extra
        step = max(1, min(TOGETHER, len(chunks) // sum(self.client.nthreads().values())))
        under_way: deque[tuple[slice, Any]] = deque()

        def receive() -> None:
            rows, future = under_way.popleft()
            out[:, rows] = future.result()
            bar.step((rows.stop - rows.start) / frame.source.n)

        try:
            for some in (chunks[i : i + step] for i in range(0, len(chunks), step)):
                part, jobs = _cut(frame, [job(rows) for rows in some])
                future = submit(self.client, _in_turn, part, jobs, key=f"unimds-chunks-{uuid4()}")
                under_way.append((slice(some[0].start, some[-1].stop), future))
                if len(under_way) > 2 * sum(self.client.nthreads().values()):
                    receive()
            while under_way:
                receive()
        except BaseException:
            self.client.cancel([future for _, future in under_way])
            raise


def _cut(frame: Frame, jobs: list[Job]) -> tuple[Frame, list[Job]]:
    """Return jobs with the part of the distances that they need, by their numbers in it."""
    points = np.arange(frame.source.n)
    index = np.unique(
        np.concatenate([points[at] for _, *both, _ in map(_split, jobs) for at in both])
    )
    local = [
        (function, *(np.searchsorted(index, points[at]) for at in both), *rest)
        for function, *both, rest in map(_split, jobs)
    ]
    return replace(frame, source=frame.source.on(index)), local


def _split(job: Job) -> tuple[Any, Any, Any, tuple[Any, ...]]:
    function, rows, columns, *rest = job
    return function, rows, columns, tuple(rest)


def _in_turn(frame: Frame, jobs: list[Job]) -> Array:
    """Do some jobs, on a worker."""
    return np.concatenate([function(frame, *given) for function, *given in jobs], axis=1)


def place_all(frame: Frame, landmarks: Array, fixed: Array, crew: Crew, bar: Progress) -> Array:
    """Place every point against the landmarks, whose configuration is `fixed`."""
    X = np.empty((len(fixed), frame.source.n), dtype=frame.dtype)
    crew.work(frame, lambda rows: (_placed, rows, landmarks, fixed), X, len(landmarks), bar)
    X[:, landmarks] = fixed
    return X


def _placed(frame: Frame, rows: Array | slice, landmarks: Array, fixed: Array) -> Array:
    """Return some points, placed against the landmarks."""
    D = frame.source.between(rows, landmarks)
    P = np.ascontiguousarray(fixed[:, _nearest(D, rows, frame.source)])
    for loss, steps in _schedule(frame):
        frame.place(D, fixed, P, loss, steps, SETTLED)
    return P


def _schedule(frame: Frame) -> list[tuple[Loss, int]]:
    """Return losses to place by in turn, a robust one ever sharper, and steps by each at most."""
    loss = frame.loss
    if not loss.anneals:
        return [(loss, STEPS)]
    own = getattr(loss, "smoothing", 0.0)
    return [
        (loss.smoothed(max(own, level * frame.scale)), SOFT_STEPS if level < 1.0 else STEPS)
        for level in LEVELS
    ]


def _nearest(D: Array, rows: Array | slice, source: Source) -> Array:
    """Return the nearest landmark of every row."""
    nearest: Array = np.argmin(D, axis=1)  # a missing one, where there is any
    holes = np.flatnonzero(np.isnan(D[np.arange(len(D)), nearest]))
    if holes.size:
        some = D[holes]
        empty = np.flatnonzero(np.isnan(some).all(axis=1))
        if empty.size:
            number = source.number(np.arange(source.n)[rows][holes[empty[0]]])
            raise ValueError(
                f"point {number} has no known distance to any landmark; "
                "raise n_landmarks, or drop the point"
            )
        nearest[holes] = np.nanargmin(some, axis=1)
    return nearest


class Refiner:
    """Places all points against random samples of each other, sweep by sweep.

    A point placed against m others misses its place by a random error of the order of
    (its typical residual)/√m. So it goes only a share of the way, which falls from 1 to nothing in
    equal steps: the last sweeps average.
    """

    def __init__(self, frame: Frame, size: int, judge: PairSample, seed: int):
        self.frame, self.judge, self.seed = frame, judge, seed
        self.size = min(size, frame.source.n)

    def run(self, X: Array, sweeps: int, crew: Crew, bar: Progress) -> Array:
        """Return the configuration of lowest estimated cost: after some sweep, or `X` itself."""
        frame, judge = self.frame, self.judge
        best = now = judge.estimate(X, frame.loss, frame.space)
        kept = X
        try:
            for sweep in range(sweeps):
                loss, share = self._softened(now.residual), 1.0 - sweep / sweeps
                X = self._swept(X, loss, share, sweep, crew, bar)
                now = judge.estimate(X, frame.loss, frame.space)
                if now.cost < best.cost:
                    kept, best = X, now
        except KeyboardInterrupt:
            warn(Outcome.INTERRUPTED.value, RuntimeWarning)
        return kept

    def _softened(self, residual: float) -> Loss:
        """Return the loss with its kink rounded: pairs that are met exactly must not rule."""
        loss, least = self.frame.loss, ROUNDING * self.frame.scale
        if not loss.anneals:
            return loss
        return loss.smoothed(max(getattr(loss, "smoothing", 0.0), SOFTNESS * residual, least))

    def _swept(
        self, X: Array, loss: Loss, share: float, sweep: int, crew: Crew, bar: Progress
    ) -> Array:
        n, new = self.frame.source.n, np.empty_like(X)

        def job(rows: slice) -> Job:
            rng = np.random.default_rng([self.seed, sweep, rows.start])  # the same for any crew
            others = np.sort(rng.choice(n, self.size, replace=False, shuffle=False))
            near, old = (np.ascontiguousarray(X[:, at]) for at in (others, rows))
            return _refined, rows, others, near, old, loss, share

        crew.work(self.frame, job, new, self.size, bar)
        return new


def _refined(
    frame: Frame,
    rows: Array | slice,
    others: Array,
    near: Array,
    old: Array,
    loss: Loss,
    share: float,
) -> Array:
    """Return some points, `old`, a share of the way to where the `others`, at `near`, have them."""
    moved, D = old.copy(), frame.source.between(rows, others)
    steps = None if frame.space.unit_step_descends() else 1
    frame.place(D, near, moved, loss, steps, 0.0)
    return frame.between(old, moved, share)
