"""Placing very many points on the workers of a Dask cluster."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, final
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from unimds.cluster.sending import submit
from unimds.landmarks.place import Job, Scene

Array = NDArray[Any]

TOGETHER = 16
"""Chunks that a worker is sent at a time: what they share is sent once."""


@final
@dataclass(frozen=True)
class Workers:
    """The workers of a cluster place the points."""

    client: Any

    def work(
        self,
        scene: Scene,
        job: Callable[[slice], Job],
        out: Array,
        chunks: list[slice],
        after: Callable[[slice], None],
    ) -> None:
        """Fill the columns of `out` with what the jobs of the chunks return."""
        step = max(1, min(TOGETHER, len(chunks) // sum(self.client.nthreads().values())))
        under_way: deque[tuple[slice, Any]] = deque()

        def receive() -> None:
            rows, future = under_way.popleft()
            out[:, rows] = future.result()
            after(rows)

        try:
            for some in (chunks[i : i + step] for i in range(0, len(chunks), step)):
                part, jobs = _cut(scene, [job(rows) for rows in some])
                future = submit(self.client, _in_turn, part, jobs, key=f"unimds-chunks-{uuid4()}")
                under_way.append((slice(some[0].start, some[-1].stop), future))
                if len(under_way) > 2 * sum(self.client.nthreads().values()):
                    receive()
            while under_way:
                receive()
        except BaseException:
            self.client.cancel([future for _, future in under_way])
            raise


def _cut(scene: Scene, jobs: list[Job]) -> tuple[Scene, list[Job]]:
    """Return jobs with the part of the distances that they need, by their numbers in it."""
    points = np.arange(scene.table.n)
    index = np.unique(
        np.concatenate([points[at] for _, *both, _ in map(_split, jobs) for at in both])
    )
    local = [
        (function, *(np.searchsorted(index, points[at]) for at in both), *rest)
        for function, *both, rest in map(_split, jobs)
    ]
    return replace(scene, table=scene.table.on(index)), local


def _split(job: Job) -> tuple[Any, Any, Any, tuple[Any, ...]]:
    function, rows, columns, *rest = job
    return function, rows, columns, tuple(rest)


def _in_turn(scene: Scene, jobs: list[Job]) -> Array:
    """Do some jobs, on a worker."""
    return np.concatenate([function(scene, *given) for function, *given in jobs], axis=1)
