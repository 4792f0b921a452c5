"""The record of a search: the errors so far, in memory and in the file of a checkpoint."""

from __future__ import annotations

import time
from hashlib import blake2b
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.watch import warn
from unimds.files.errors import FileError
from unimds.starts.keep import BROKEN, OTHER, as_store

Array = NDArray[Any]

KEPT = ("errors", "seconds")


@final
class Record:
    """Errors and seconds of every candidate in every fold; NaN where there is none yet.

    With a checkpoint they are kept in a file, by what a candidate is: a search of more candidates
    goes on from it.

    Parameters
    ----------
    checkpoint : str, PathLike, Checkpoint or None
        The file.
    """

    def __init__(self, checkpoint: Any):
        self._store = None if checkpoint is None else as_store(checkpoint)
        found = None if self._store is None else self._store.read()
        self._header, self._arrays = ({}, {}) if found is None else found
        self._resumes, self._written = found is not None, time.monotonic()
        self.errors = self.seconds = np.empty((0, 0))

    def seed(self, drawn: int) -> int:
        """Return the seed of the search in the file, or the one that was drawn for a new one."""
        told = self._header.get("seed", drawn)
        if not isinstance(told, int):
            raise self._error(OTHER)
        self._seed = told
        return told

    def begin(self, names: list[str], folds: int, data: list[Array], settings: str) -> None:
        """Note the candidates; raise if the file belongs to other data or other settings."""
        self._names = names
        self.errors = np.full((len(names), folds), np.nan)
        self.seconds = self.errors.copy()
        hashed = blake2b(digest_size=16)
        for array in data:
            hashed.update(np.ascontiguousarray(array).data)
        hashed.update(settings.encode())
        self._digest = hashed.hexdigest()
        if self._resumes:
            self._resume(folds)

    def _resume(self, folds: int) -> None:
        if self._header.get("digest") != self._digest:
            raise self._error(OTHER)
        kept = self._header.get("names")
        if not isinstance(kept, list):
            raise self._error(BROKEN)
        parts = [self._arrays[name] for name in KEPT if name in self._arrays]
        if [part.shape for part in parts] != [(len(kept), folds)] * len(KEPT):
            raise self._error(BROKEN)
        for mine, theirs in zip((self.errors, self.seconds), parts, strict=True):
            for row, name in enumerate(self._names):
                if name in kept:
                    mine[row] = theirs[kept.index(name)]

    def missing(self) -> list[tuple[int, int]]:
        """Return the candidates and folds to be done."""
        return [(int(row), int(fold)) for row, fold in np.argwhere(np.isnan(self.errors))]

    def note(self, row: int, fold: int, error: float, seconds: float) -> None:
        """Note the error of a candidate in a fold."""
        self.errors[row, fold], self.seconds[row, fold] = error, seconds
        if self._store is not None and time.monotonic() - self._written >= self._store.every:
            self.write()

    def write(self) -> None:
        """Write the file, if there is one; warn if it cannot be written."""
        if self._store is None:
            return
        self._written = time.monotonic()
        header = {"seed": self._seed, "digest": self._digest, "names": self._all_names()}
        try:
            self._store.write(header, {name: self._all(name) for name in KEPT})
        except FileError as error:  # better a search without a checkpoint than no search
            warn(str(error), RuntimeWarning)

    def _others(self) -> list[int]:
        """Return the rows of the file that are no candidates of this search."""
        kept = self._header.get("names", [])
        return [row for row, name in enumerate(kept) if name not in self._names]

    def _all_names(self) -> list[str]:
        return [*self._names, *(self._header["names"][row] for row in self._others())]

    def _all(self, name: str) -> Array:
        own, others = getattr(self, name), self._others()
        return np.concatenate([own, self._arrays[name][others]]) if others else own

    def _error(self, problem: str) -> FileError:
        assert self._store is not None
        return self._store.error(problem)
