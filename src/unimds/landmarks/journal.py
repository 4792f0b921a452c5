"""The journal of a map of very many points: how far its checkpoint has come, phase by phase."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import asdict, replace
from hashlib import blake2b
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.watch import warn
from unimds.files.errors import FileError
from unimds.placecenter.result import Result
from unimds.spaces import Space
from unimds.starts.keep import BROKEN, OTHER, Kept, Store, as_store

Array = NDArray[Any]

SIZE, LANDMARKS = "size", "landmarks"  # the fits
PLACING, REFINING = "placing", "refining"


@final
class Journal:
    """Keeps the phases of one run in one file; without a checkpoint it keeps nothing.

    Each phase is a part of the file: the fits, which `unimds.starts.keep.Keeper` writes, the points
    that have been placed, and the sweeps of the refinement.

    Parameters
    ----------
    checkpoint : str, PathLike, Checkpoint or None
        The file.
    """

    def __init__(self, checkpoint: Any):
        self._store = None if checkpoint is None else as_store(checkpoint)
        self.closed = False
        found = None if self._store is None else self._store.read()
        self._resumes = found is not None
        self._header, self._arrays = found or ({}, {})
        self._parts: dict[str, Any] = self._header.setdefault("parts", {})
        if not isinstance(self._parts, dict):
            raise self._error(BROKEN)
        self._basis: list[float] = []
        self._written = time.monotonic()

    def seeds(self, drawn: list[int]) -> list[int]:
        """Return the seeds of the run in the file, or those that were drawn for a new run."""
        told = self._header.setdefault("seeds", drawn)
        if not isinstance(told, list) or [*map(type, told)] != [int] * len(drawn):
            raise self._error(OTHER)
        return told

    def begin(self, arrays: Iterable[Array], settings: object) -> None:
        """Raise if the file belongs to other data or other settings."""
        if self._store is None:
            return
        hashed = blake2b(digest_size=16)
        for array in arrays:
            hashed.update(np.ascontiguousarray(array).data)
        hashed.update(repr(settings).encode())
        if self._resumes and self._header.get("digest") != hashed.hexdigest():
            raise self._error(OTHER)
        self._header["digest"] = hashed.hexdigest()

    def fit(self, name: str) -> Part | None:
        """Return where a fit is kept, or None if it is not kept."""
        return None if self._store is None or self.closed else Part(self, self._store, name)

    def close(self) -> None:
        """Keep no more after ^C: what follows is not the run that will go on."""
        self.closed = True

    # --- the size of the space ---------------------------------------------------------------

    def sized(self, space: Space) -> Space | None:
        """Return the space at the size that the run in the file has found."""
        told = self._parts.get(SIZE, {}).get("found")
        if told is None:
            return None
        try:
            found: Space = replace(space, **told)
        except (TypeError, ValueError):
            raise self._error(BROKEN) from None
        return found

    def note_size(self, space: Space) -> None:
        """Note the space at the size that was found."""
        self._try_to_put(SIZE, {"found": asdict(space)}, {})

    # --- points ------------------------------------------------------------------------------

    def rest_on(self, result: Result) -> None:
        """Note the landmarks that points are placed against; points of others are forgotten."""
        self._basis = [float(result.n_iter), result.cost]
        for name in (PLACING, REFINING):
            if self._parts.get(name, {}).get("basis") != self._basis:
                self._forget(name)

    def placed(self, shape: tuple[int, int], dtype: np.dtype[Any]) -> tuple[Array, int]:
        """Return the points that have been placed, and how many: the first of them."""
        found = self._found(PLACING, shape, dtype)
        if found is None:
            return np.zeros(shape, dtype=dtype), 0
        told, arrays = found
        count = told.get("count")
        if not isinstance(count, int) or not 0 <= count <= shape[1]:
            raise self._error(BROKEN)
        return arrays["X"].copy(), count

    def note_placed(self, X: Array, count: int, *, now: bool = False) -> None:
        """Note that the first points have been placed."""
        self._note(PLACING, {"count": count}, {"X": X}, now)

    def best(self, shape: tuple[int, int], dtype: np.dtype[Any]) -> Array | None:
        """Return the best points so far, if the run in the file has placed all of them."""
        found = self._found(REFINING, shape, dtype)
        return None if found is None else found[1]["best"]

    def refined(self, X: Array) -> tuple[Array, Array, int]:
        """Return the points after the last sweep, the best so far, and the number of sweeps."""
        found = self._found(REFINING, X.shape, X.dtype)
        if found is None:
            return X, X, 0
        told, arrays = found
        sweeps = told.get("sweeps")
        if not isinstance(sweeps, int) or sweeps < 0:
            raise self._error(BROKEN)
        return arrays["X"], arrays["best"], sweeps

    def note_refined(self, X: Array, best: Array, sweeps: int, *, now: bool = False) -> None:
        """Note the points after a sweep, and the best so far."""
        self._note(REFINING, {"sweeps": sweeps}, {"X": X, "best": best}, now)

    def _note(self, name: str, told: dict[str, Any], arrays: dict[str, Array], now: bool) -> None:
        if self._store is None or self.closed:
            return
        if now or time.monotonic() - self._written >= self._store.every:
            self._forget(PLACING)  # points that are being refined have been placed
            self._try_to_put(name, {"basis": self._basis, **told}, arrays)

    def _found(self, name: str, shape: tuple[int, ...], dtype: Any) -> Kept | None:
        """Return what is kept of a phase: arrays of one shape."""
        kept = self.part(name)
        if kept is None:
            return None
        expected = {"X"} if name == PLACING else {"X", "best"}
        sound = all(array.shape == shape and array.dtype == dtype for array in kept[1].values())
        if kept[1].keys() != expected or not sound:
            raise self._error(BROKEN)
        return kept

    # --- the file ----------------------------------------------------------------------------

    def part(self, name: str) -> Kept | None:
        """Return what is kept of a phase."""
        if name not in self._parts:
            return None
        start = f"{name}."
        mine = {key: array for key, array in self._arrays.items() if key.startswith(start)}
        return self._parts[name], {key.removeprefix(start): a for key, a in mine.items()}

    def put(self, name: str, told: dict[str, Any], arrays: dict[str, Array]) -> None:
        """Keep a phase in place of what was kept of it, and write the file."""
        if self._store is None or self.closed:
            return
        self._forget(name)
        self._parts[name] = told
        self._arrays |= {f"{name}.{key}": array for key, array in arrays.items()}
        self._written = time.monotonic()
        own = {
            key: value for key, value in self._header.items() if key not in ("unimds", "version")
        }
        self._store.write(own, self._arrays)

    def _try_to_put(self, name: str, told: dict[str, Any], arrays: dict[str, Array]) -> None:
        try:
            self.put(name, told, arrays)
        except FileError as error:  # better a run without a checkpoint than no run
            warn(str(error), RuntimeWarning)

    def _forget(self, name: str) -> None:
        self._parts.pop(name, None)
        start = f"{name}."
        self._arrays = {k: array for k, array in self._arrays.items() if not k.startswith(start)}

    def _error(self, problem: str) -> FileError:
        assert self._store is not None
        return self._store.error(problem)


@final
class Part:
    """A fit is kept as a part of the journal of a longer run."""

    more_follows = True

    def __init__(self, journal: Journal, store: Store, name: str):
        self._journal, self._store, self._name = journal, store, name
        self.every = store.every

    def read(self) -> Kept | None:
        """Return what the journal has kept of the fit."""
        return self._journal.part(self._name)

    def write(self, header: dict[str, Any], arrays: dict[str, Array]) -> None:
        """Keep the fit, and write the file of the journal."""
        self._journal.put(self._name, header, arrays)

    def error(self, problem: str) -> FileError:
        """Return an error that names the file."""
        return self._store.error(problem)
