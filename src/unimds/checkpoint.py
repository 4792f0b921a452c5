"""Checkpoints: a long run is kept in a file, and goes on from there to the same result."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import final

__all__ = ["Checkpoint"]

EVERY = 30.0


@final
@dataclass(frozen=True)
class Checkpoint:
    """A file that a run is kept in, and how often.

    Parameters
    ----------
    path : str or PathLike
        The file. If it exists, the run goes on from it. A checkpoint of other data or other
        settings is an error; only `max_iter`, `n_jobs` and what is shown may differ. The name may
        not have the ending of another kind of file, such as ".csv".
    every : float, default=30
        Seconds between two writings. ^C, and a run that ends at `max_iter`, write once more.

    Examples
    --------
    >>> Checkpoint("run.ckpt", every=60)
    Checkpoint(path='run.ckpt', every=60)
    """

    path: str | os.PathLike[str]
    every: float = EVERY
