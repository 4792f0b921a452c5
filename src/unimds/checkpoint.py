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
        The file. Where it is there already the run goes on from it; one of other data or of other
        settings is an error.
    every : float, default=30
        Seconds between two writings. ^C writes once more.

    Examples
    --------
    >>> Checkpoint("run.ckpt", every=60)
    Checkpoint(path='run.ckpt', every=60)
    """

    path: str | os.PathLike[str]
    every: float = EVERY
