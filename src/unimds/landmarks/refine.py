"""Refining the map of very many points: each is placed against random samples of the others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.watch import Progress, warn
from unimds.distances.table import Index
from unimds.landmarks.cost import PairSample
from unimds.landmarks.journal import Journal
from unimds.landmarks.place import Crew, Job, Scene, chunks_of
from unimds.losses import Loss
from unimds.placecenter.descent.annealing import ROUNDING, rounded
from unimds.placecenter.result import Outcome

Array = NDArray[Any]

SOFTNESS = 0.1  # smoothing while refining, of the median residual


@final
class Refiner:
    """Places all points against random samples of each other, sweep by sweep.

    A point placed against m others misses its place by a random error of the order of
    (its typical residual)/√m. So it goes only a share of the way, which falls from 1 to nothing in
    equal steps: the last sweeps average.
    """

    def __init__(self, scene: Scene, size: int, judge: PairSample, seed: int):
        self.scene, self.judge, self.seed = scene, judge, seed
        self.size = min(size, scene.table.n)

    def run(self, X: Array, sweeps: int, crew: Crew, bar: Progress, journal: Journal) -> Array:
        """Return the configuration of lowest estimated cost: after some sweep, or `X` itself."""
        frame, judge = self.scene.frame, self.judge
        X, kept, first = journal.refined(X)
        bar.step(first)
        now = judge.estimate(X, frame.loss, frame.space)
        best = judge.estimate(kept, frame.loss, frame.space)
        try:
            for sweep in range(first, sweeps):
                share = 1.0 - sweep / sweeps
                # pairs that are met exactly must not rule
                loss = rounded(frame, max(SOFTNESS * now.residual, ROUNDING * frame.scale))
                X = self._swept(X, loss, share, sweep, crew, bar)
                now = judge.estimate(X, frame.loss, frame.space)
                if now.cost < best.cost:
                    kept, best = X, now
                first = sweep + 1
                journal.note_refined(X, kept, first)
        except KeyboardInterrupt:
            journal.note_refined(X, kept, first, now=True)
            journal.close()
            warn(Outcome.INTERRUPTED.value, RuntimeWarning)
        return kept

    def _swept(
        self, X: Array, loss: Loss, share: float, sweep: int, crew: Crew, bar: Progress
    ) -> Array:
        n, new = self.scene.table.n, np.empty_like(X)

        def job(rows: slice) -> Job:
            rng = np.random.default_rng([self.seed, sweep, rows.start])  # the same for any crew
            others = np.sort(rng.choice(n, self.size, replace=False, shuffle=False))
            near, old = (np.ascontiguousarray(X[:, at]) for at in (others, rows))
            return _refined, rows, others, near, old, loss, share

        def after(rows: slice) -> None:
            bar.step((rows.stop - rows.start) / n)

        crew.work(self.scene, job, new, chunks_of(n, self.size), after)
        return new


def _refined(
    scene: Scene, rows: Index, others: Array, near: Array, old: Array, loss: Loss, share: float
) -> Array:
    """Return some points, `old`, a share of the way to where the `others`, at `near`, have them."""
    moved, D = old.copy(), scene.table.between(rows, others)
    frame = replace(scene.frame, loss=loss)
    frame.place(D, None, near, moved, None if frame.space.unit_step_descends() else 1, 0.0)
    return frame.extrapolate(moved, old, share - 1.0, np.ones(old.shape[1], dtype=bool))
