"""Tiles: some rows of a table at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol

from numpy.typing import NDArray

Tile = tuple[int, NDArray[Any], NDArray[Any] | None]
"""Some rows: the number of the first, distances ``D[row, layer, column]`` and weights.

A tuple, not a class: Dask knows how much memory a tuple of arrays takes.
"""

BLOCK = 2**16
"""Entries of a table that are worked on together: they stay in a processor's cache."""


class RowSource(Protocol):
    """What a spectral seed asks of a table of distances."""

    n: int
    dtype: Any

    def tiles(self) -> Iterator[Tile]:
        """Yield all rows in order, some at a time."""

    def each(self, work: Callable[..., Any], *shared: Any) -> list[Any]:
        """Return ``work(tile, *shared)`` for every tile in order, computed where the tile is."""
