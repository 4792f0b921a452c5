"""The search for the lowest map: from which starts, on how many threads, and for how long."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TypeVar, final

from joblib import effective_n_jobs
from numpy.typing import ArrayLike

from unimds._runtime.watch import Watch
from unimds.placecenter.descent.plan import Plan
from unimds.placecenter.frame import Frame

Start = TypeVar("Start")
Run = TypeVar("Run")


@final
@dataclass(frozen=True)
class Search:
    """How the lowest minimum is looked for; `unimds.place_center` says what the fields mean."""

    plan: Plan
    watch: Watch
    init: str | ArrayLike = "auto"
    n_init: int | str = "auto"
    n_jobs: int | None = None

    def in_unit(self, frame: Frame) -> Search:
        """Return the search with a fixed smoothing in the unit of a frame."""
        return replace(self, plan=self.plan.in_unit(frame))

    def each(self, task: Callable[[Start], Run], starts: Iterable[Start]) -> list[Run]:
        """Run a task for every start, on threads where asked for; in the order of the starts.

        After ^C there is a result for every start, too; on one thread, if any has ended before.
        """
        starts = list(starts)
        threads = min(effective_n_jobs(self.n_jobs), len(starts))
        if threads <= 1:
            return self._in_turn(task, starts)
        with ThreadPoolExecutor(threads) as pool:
            futures: list[Future[Run]] = []
            try:
                futures.extend(pool.submit(task, X) for X in starts)
                return [future.result() for future in futures]
            except KeyboardInterrupt:  # every start ends after its sweep, with its best so far
                self.watch.interrupted.set()
                futures.extend(pool.submit(task, X) for X in starts[len(futures) :])
                return [future.result() for future in futures]
            except BaseException:  # an error of one start ends the others too
                self.watch.interrupted.set()
                pool.shutdown(cancel_futures=True)
                raise

    def _in_turn(self, task: Callable[[Start], Run], starts: list[Start]) -> list[Run]:
        runs: list[Run] = []
        try:
            runs.extend(task(X) for X in starts)
        except KeyboardInterrupt:  # those that have ended are not lost, and the others end soon
            if not runs:
                raise
            self.watch.interrupted.set()
            runs.extend(task(X) for X in starts[len(runs) :])
        return runs
