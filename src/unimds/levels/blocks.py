"""Levels that fit many blocks of entries at once, as rows that have a transformation each."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds.levels.base import Level

Array = NDArray[Any]


@dataclass(frozen=True)
class InBlocks(Level):
    """A level whose `project` and `nearest` take any number of blocks of entries.

    Every block has a transformation of its own; all share one bound.
    """

    def prepare(self, d: Array, first: Array) -> Any:
        return self.prepare_blocks(d, first, np.array([0, d.size]))

    @abstractmethod
    def prepare_blocks(self, d: Array, first: Array, edges: Array) -> Any:
        """Return what `project` needs to know; blocks begin and end at the `edges`."""
