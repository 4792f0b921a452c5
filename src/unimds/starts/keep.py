"""The keeper of a run: it writes a checkpoint, and reads the run that goes on from one."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterable
from dataclasses import asdict, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Protocol, final

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.watch import Watch, warn
from unimds.checkpoint import Checkpoint
from unimds.distances.pairs import Pairs
from unimds.files.archive import read_archive, write_archive
from unimds.files.endings import CHECKPOINT
from unimds.files.errors import FileError
from unimds.placecenter.descent.quasi_newton import empty_memory
from unimds.placecenter.descent.record import Motion, Snapshot, State
from unimds.placecenter.minima import Starts
from unimds.placecenter.result import Outcome
from unimds.starts.hopping.small import Chosen

if TYPE_CHECKING:
    from unimds.placecenter.problem import Problem

Array = NDArray[Any]

KIND = "checkpoint"
MINIMA = ("costs", "embeddings", "embedding_costs")  # of what is known of the starts
OTHER = (
    "this checkpoint belongs to other data or other settings; name another file, or remove it to "
    "start over"
)
BROKEN = "the checkpoint is broken; remove it to start over"
Kept = tuple[dict[str, Any], dict[str, Array]]
"""What is kept: a header, and arrays by their names."""


class Store(Protocol):
    """Where a run is kept: in a file of its own, or in the file of a longer run.

    Attributes
    ----------
    every : float
        Seconds between two writings.
    more_follows : bool
        Whether a longer run goes on when this run has ended: then its end is kept too.
    """

    every: float
    more_follows: bool

    def read(self) -> Kept | None:
        """Return what is kept, or None if there is nothing yet."""

    def write(self, header: dict[str, Any], arrays: dict[str, Array]) -> None:
        """Keep a run, whole or not at all, in place of what was kept."""

    def error(self, problem: str) -> FileError:
        """Return an error that names the file."""


@final
class CheckpointFile:
    """A run is kept in a file of its own."""

    more_follows = False

    def __init__(self, checkpoint: Checkpoint):
        CHECKPOINT.check(checkpoint.path)
        self.path, self.every = checkpoint.path, checkpoint.every

    def read(self) -> Kept | None:
        """Return what the file holds, if it exists."""
        return read_archive(self.path, KIND) if os.path.exists(self.path) else None

    def write(self, header: dict[str, Any], arrays: dict[str, Array]) -> None:
        """Write the file, whole or not at all."""
        write_archive(self.path, KIND, header, arrays, force=True)

    def error(self, problem: str) -> FileError:
        """Return an error that names the file."""
        return FileError(os.fspath(self.path), problem)


def as_store(checkpoint: Any) -> Store:
    """Return the store that a parameter `checkpoint` means: a name, a `Checkpoint` or a store."""
    if isinstance(checkpoint, str | os.PathLike):
        checkpoint = Checkpoint(checkpoint)
    found: Store = CheckpointFile(checkpoint) if isinstance(checkpoint, Checkpoint) else checkpoint
    return found


def run_digests(pairs: Pairs, arrays: Iterable[Any], *settings: str) -> list[str]:
    """Return numbers that change with the data and the settings of a run.

    There is one for each way to write the settings.
    """
    data = blake2b(digest_size=16)
    for part in pairs.table.contents():
        data.update(part)
    for array in (pairs.free, *arrays):
        data.update(np.ascontiguousarray(array).data)
    digests = []
    for text in settings:
        both = data.copy()
        both.update(text.encode())
        digests.append(both.hexdigest())
    return digests


@final
class Keeper:
    """Keeps the descents of one run, on any number of threads.

    Parameters
    ----------
    store : Store
        Where.
    digests : list of str
        What the run is known by; after the first, how older versions have known it.
    watch : Watch
        The clock of the run.
    """

    def __init__(self, store: Store, digests: list[str], watch: Watch):
        self.store, self.digests = store, digests
        self.watch = watch
        self.chosen: Chosen | None = None
        self.problem: Problem
        self._slots: dict[int, KeptDescent] = {}
        self._lock = threading.Lock()
        self._written = time.monotonic()
        self._file = store.read()
        if self._file is not None and self._file[0].get("digest") not in digests:
            raise store.error(OTHER)

    def begun(self, problem: Problem) -> tuple[Problem, Chosen] | None:
        """Return the problem and the starts of the run in the file, if there is one."""
        if self._file is None:
            return None
        try:
            self.chosen = self._resume(problem, *self._file)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            raise self.store.error(BROKEN) from None
        return self.problem, self.chosen

    def _resume(self, problem: Problem, header: dict[str, Any], arrays: dict[str, Array]) -> Chosen:
        shape = (problem.n_coordinates, problem.pairs.n)
        space = replace(problem.frame.space, **header["space"])
        resize = header.get("resize", problem.frame.resize)  # older files know no size that stays
        self.problem = problem.within(space, resize=bool(resize))
        starts = [arrays[f"start{i}"] for i in range(header["starts"])]
        if not starts:
            raise ValueError
        for name, array in arrays.items():
            points = name.startswith("start") or name.endswith(("state", "previous", "best"))
            if points and (array.shape != shape or array.dtype.kind != "f"):
                raise ValueError
        for number, told in header["descents"].items():
            self._slots[int(number)] = KeptDescent(
                self, _restored(self.problem, number, told, arrays)
            )
        self.watch.began -= header["seconds"]
        # older files know neither other maps nor proofs
        minima = _minima_restored(self.problem, header.get("minima"), arrays)
        return Chosen(starts, minima, header.get("proven", False) is True)

    def begin(self, problem: Problem, chosen: Chosen) -> None:
        """Note what the descents begin from."""
        self.problem, self.chosen = problem, chosen

    def slot(self, number: int) -> KeptDescent:
        """Return where the descent from a start is kept."""
        with self._lock:
            return self._slots.setdefault(number, KeptDescent(self))

    def tick(self) -> None:
        """Write the file if it is time to."""
        if time.monotonic() - self._written >= self.store.every:
            self.write()

    def end(self, outcome: Outcome) -> None:
        """Write the file if the run can go on, or must be known to those who come after it."""
        if not outcome.converged or self.store.more_follows:
            self.write()

    def write(self) -> None:
        """Write the file, whole or not at all; warn if it cannot be written."""
        try:
            self._write()
        except FileError as error:  # better a run without a checkpoint than no run
            warn(str(error), RuntimeWarning)

    def _write(self) -> None:
        if self.chosen is None:
            return
        starts, minima, proven, _ = self.chosen  # the problem has the size
        with self._lock:
            self._written = time.monotonic()
            arrays = {f"start{i}": X for i, X in enumerate(starts)}
            if minima is not None:
                arrays |= {f"minima.{name}": getattr(minima, name) for name in MINIMA}
            descents = {}
            for number, slot in self._slots.items():
                if slot.latest is not None:
                    descents[str(number)] = _told(slot.latest)
                    arrays |= _arrays(number, slot.latest)
            header = {
                "digest": self.digests[0],
                "space": asdict(self.problem.frame.space),
                "resize": self.problem.frame.resize,
                "starts": len(starts),
                "minima": None if minima is None else {"space": asdict(minima.space)},
                "proven": proven,
                "seconds": self.watch.seconds(),
                "descents": descents,
            }
            self.store.write(header, arrays)


@final
class KeptDescent:
    """The latest snapshot of one descent."""

    def __init__(self, keeper: Keeper, begun: Snapshot | None = None):
        self.keeper, self.begun, self.latest = keeper, begun, begun

    def keep(self, snapshot: Snapshot) -> None:
        """Take a snapshot."""
        self.latest = snapshot
        self.keeper.tick()


def _minima_restored(
    problem: Problem, told: dict[str, Any] | None, arrays: dict[str, Array]
) -> Starts | None:
    if told is None:
        return None
    costs, maps, map_costs = (arrays[f"minima.{name}"] for name in MINIMA)
    shape = (len(map_costs), problem.pairs.n, problem.n_coordinates)
    if not (costs.ndim == map_costs.ndim == 1 and costs.size) or maps.shape != shape:
        raise ValueError
    if any(array.dtype.kind != "f" for array in (costs, maps, map_costs)):
        raise ValueError
    return Starts(costs, maps, map_costs, replace(problem.frame.space, **told["space"]))


def _states(snapshot: Snapshot) -> dict[str, State]:
    motion = snapshot.motion
    return {"state": motion.state, "previous": motion.previous, "best": snapshot.best}


def _told(snapshot: Snapshot) -> dict[str, Any]:
    motion = snapshot.motion
    told: dict[str, Any] = {
        name: {"space": asdict(state.space), "cost": state.cost, "smooth": state.smooth}
        for name, state in _states(snapshot).items()
    }
    quasi = len(motion.quasi)
    motion_told = [motion.stage, motion.inertia, motion.costs, motion.sweeps, quasi]
    return {**told, "motion": motion_told, "sweeps": snapshot.sweeps}


def _arrays(number: int, snapshot: Snapshot) -> dict[str, Array]:
    end = snapshot.sweeps + 1
    return {
        **{f"{number}.{name}": state.X for name, state in _states(snapshot).items()},
        **{f"{number}.{name}-r": state.targets for name, state in _states(snapshot).items()},
        **{f"{number}.quasi{i}": part for i, part in enumerate(snapshot.motion.quasi)},
        f"{number}.history": np.array(snapshot.history[:end]),
        f"{number}.levels": np.array(snapshot.levels[:end]),
    }


def _restored(
    problem: Problem, number: str, told: dict[str, Any], arrays: dict[str, Array]
) -> Snapshot:
    def state(name: str) -> State:
        part = told[name]
        space = replace(problem.frame.space, **part["space"])
        X, first = arrays[f"{number}.{name}"], problem.targets.first
        targets = arrays.get(f"{number}.{name}-r", first)  # older files know no levels
        if targets.shape != first.shape:
            raise ValueError
        costs = float(part["cost"]), float(part["smooth"])
        return State(X, space, *costs, targets=targets)

    level, inertia, costs, sweeps, *parts = told["motion"]  # older files know no quasi-Newton
    quasi = tuple(arrays[f"{number}.quasi{i}"] for i in range(sum(parts)))
    memory = empty_memory(problem.n_coordinates * problem.pairs.n)
    if quasi and [(a.shape, a.dtype) for a in quasi] != [(a.shape, a.dtype) for a in memory]:
        raise ValueError  # compiled code would read beyond them
    states = (state("state"), state("previous"))
    last = tuple(float(cost) for cost in costs)
    motion = Motion(int(level), *states, float(inertia), last, int(sweeps), quasi)
    history, levels = (
        [(float(a), float(b)) for a, b in arrays[f"{number}.{name}"]]
        for name in ("history", "levels")
    )
    if not len(history) == len(levels) == told["sweeps"] + 1:
        raise ValueError
    return Snapshot(motion, state("best"), history, levels, told["sweeps"])
