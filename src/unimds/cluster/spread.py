"""A table of distances spread over the workers of a Dask cluster.

Every worker holds a band of rows. In a round all points go out to all workers, each places the
points of its own rows one after the other, and these come back. Bands move at the same time, so a
pair of points of two bands counts twice in the sum that divides their pulls: then the cost of all
does not rise, see `unimds.kernels.fused.band_pull`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from unimds.cluster import work
from unimds.cluster.health import AdriftError, Need, answers, awaited, lost_again, present
from unimds.cluster.sending import submit
from unimds.distances.pairs import Pairs
from unimds.distances.table import Held, Rows, Table
from unimds.kernels.operations import Counting, Placing, Sweep
from unimds.placecenter.new_points import Extension

Array = NDArray[Any]

Reader = Callable[[int, int, str], "Band"]

TRIES = 4
"""Times that lost rows are read, as often as Dask tries a task."""

_numbers = count()


@final
@dataclass(frozen=True)
class Band:
    """Rows that one worker holds: from `begin` to `end`, in some tiles."""

    begin: int
    end: int
    worker: str
    tiles: list[Any]  # futures


@final
@dataclass(frozen=True)
class Spread:
    """Distances between n points on the workers of a cluster; what `Pairs` is in one memory.

    Attributes
    ----------
    client : distributed.Client
        Where the workers are.
    bands : list of Band
        The rows, in order.
    free : ndarray of bool of shape (n,)
        Points that may move.
    dtype : dtype
        Precision of the distances.
    typical, largest : float
        The median positive distance and the largest known one.
    missing : int
        Number of missing distances, both directions of a pair counted.
    weighted : bool
        Whether there are weights.
    total_weight, lightest_weight : float
        Of all known pairs, and what they would weigh if each had the least weight.
    need : Need
        Memory of the workers.
    read : callable
        Has a worker read rows: their begin, their end, and its address.
    """

    client: Any
    bands: list[Band]
    free: Array
    dtype: Any
    typical: float
    largest: float
    missing: int
    weighted: bool
    total_weight: float
    lightest_weight: float
    need: Need
    read: Reader

    @property
    def n(self) -> int:
        """Number of points."""
        return self.bands[-1].end

    layers = 1
    remote = True

    @property
    def complete_graph(self) -> bool:
        """Whether every pair is known, and counts."""
        return self.missing == 0

    @property
    def plain(self) -> bool:
        """Whether a seed can read the table as it is."""
        return self.missing == 0

    @property
    def table(self) -> RemoteTable:
        """The table, for those who read some of it."""
        return RemoteTable(self)

    # --- rounds ------------------------------------------------------------------------------

    def place(self, task: Placing, X: Array) -> None:
        """Move all points in place: of all bands at the same time where that is safe."""
        free = None if self.free.all() else self.free
        if isinstance(task, Sweep) and task.inner_iter is None:
            edges = [(band.begin, band.end) for band in self.bands]
            moved = self.run("place", work.moved, X, [(task, free, edge) for edge in edges])
            for band, points in zip(self.bands, moved, strict=True):
                X[:, band.begin : band.end] = points
            return
        # steps that look at the cost of a point need all others at rest
        for number, band in enumerate(self.bands):
            arguments = [(task, free, (0, self.n))]
            (points,) = self.run("place", work.moved, X, arguments, [number])
            X[:, band.begin : band.end] = points

    def total(self, task: Counting, X: Array) -> Array:
        """Return what a task counts over all pairs."""
        sums = self.run("count", work.counted, X, [(task,)] * len(self.bands))
        return np.asarray(np.sum(sums, axis=0))

    def run(
        self,
        name: str,
        function: Callable[..., Any],
        shared: Any,
        arguments: list[tuple[Any, ...]] | None = None,
        numbers: list[int] | None = None,
    ) -> list[Any]:
        """Call a function with the tiles of each band, what all share, and arguments of its own.

        `numbers` are those of the bands, where not all are meant. A worker that is lost is
        survived: its rows are read or computed again.
        """
        numbers = list(range(len(self.bands))) if numbers is None else numbers
        arguments = [()] * len(numbers) if arguments is None else arguments

        def send(again: bool) -> tuple[list[Any], set[str]]:
            if again:
                self._read_again()
            bands = [self.bands[number] for number in numbers]
            futures = self._send(name, function, shared, arguments, bands)
            return futures, {band.worker for band in bands}

        for attempt in range(TRIES):
            try:
                return answers(self.client, partial(send, attempt > 0), self.need)
            except AdriftError:
                continue
        limits = [told["memory_limit"] for told in present(self.client).values()]
        raise lost_again(self.bands[numbers[0]].worker, max(limits, default=0), self.need)

    def _send(
        self,
        name: str,
        function: Callable[..., Any],
        shared: Any,
        arguments: list[tuple[Any, ...]],
        bands: list[Band],
    ) -> list[Any]:
        """Submit a task for each of some bands: few, and named as the dashboard shows them."""
        call, parts = next(_numbers), (shared,) if shared is not None else ()
        sent = [submit(self.client, work.same, part, key=f"unimds-send-{call}") for part in parts]
        return [
            self.client.submit(
                function,
                band.tiles,
                *sent,
                *own,
                key=f"unimds-{name}-{call}-{band.begin}",
                workers=[band.worker],
                allow_other_workers=True,
                pure=False,
            )
            for band, own in zip(bands, arguments, strict=True)
        ]

    def _read_again(self) -> None:
        """Have the rows of lost workers read by those that are there, the least laden first."""
        workers, every = awaited(self.client), range(len(self.bands))
        lost = [i for i in every if self.bands[i].worker not in workers] or list(every)
        laden = Counter(self.bands[i].worker for i in every if i not in lost)
        for i in lost:
            band = self.bands[i]
            worker = min(workers, key=lambda name: laden[name] / workers[name]["nthreads"])
            laden[worker] += 1
            self.client.cancel(band.tiles)  # else the scheduler still knows where they should be
            self.bands[i] = self.read(band.begin, band.end, worker)

    # --- parts of the table ------------------------------------------------------------------

    def complete(self) -> Array:
        """Refuse: a seed of missing pairs needs the whole table in one place."""
        raise ValueError(
            'a spectral seed on a cluster needs all pairs, and some are missing: use init="auto"'
        )

    def cross(self, rows: Array, columns: Array) -> tuple[Array, Array | None]:
        """Return the distances and weights of some points to some others."""
        within = [np.flatnonzero((rows >= b.begin) & (rows < b.end)) for b in self.bands]
        asked = [number for number, at in enumerate(within) if at.size]
        own = [(rows[within[number]],) for number in asked]
        found = self.run("take", work.taken, columns, own, asked)
        D = np.empty((len(rows), len(columns)), dtype=self.dtype)
        W = np.empty((len(rows), len(columns))) if self.weighted else None
        for number, (distances, weights) in zip(asked, found, strict=True):
            at = within[number]
            D[at] = distances
            if W is not None:
                W[at] = weights
        return D, W

    def subset(self, index: Array, dtype: Any = None) -> Pairs:
        """Return the pairs among some of the points, in memory."""
        D, W = self.cross(index, index)
        D = D.astype(dtype or self.dtype, copy=False)[:, None]
        missing = int(np.isnan(D).sum())
        weights = None if W is None else W[:, None]
        return Pairs(Held(D), weights, self.free[index], self.typical, self.largest, missing)

    def extended(self, task: Extension) -> Array:
        """Return all points, placed against the map of a sample by the workers."""
        return np.concatenate(self.run("extend", work.extended, task), axis=1)

    def contents(self) -> Iterator[bytes]:
        """Yield what changes with the data."""
        yield from self.run("digest", work.digested, None)


@final
@dataclass(frozen=True)
class RemoteTable(Table):
    """The table of a `Spread`, for those who read some of it."""

    spread: Spread

    @property
    def shape(self) -> tuple[int, int, int]:
        """Rows, layers and columns."""
        return self.spread.n, 1, self.spread.n

    @property
    def dtype(self) -> Any:
        """Precision of the distances."""
        return self.spread.dtype

    def block(self, rows: Array, columns: Array, dtype: Any = None) -> Array:
        """Return the distances of some points to some others, of all layers, as an array."""
        D, _ = self.spread.cross(rows, columns)
        return D.astype(dtype or self.dtype, copy=False)[:, None]

    def tiles(self) -> Iterator[tuple[int, Array]]:
        """Yield all rows in turn, some at a time, over the network."""
        for band in self.spread.bands:
            for tile in band.tiles:
                first, D, _ = self.spread.client.gather(tile)
                yield first, D

    def times(self, rows: Rows, V: Array) -> Array:
        """Return the table, through the functions of `rows`, times `V`: the workers multiply."""
        held = Held(np.empty((0, 1, self.spread.n), dtype=self.dtype))
        there = Rows(held, rows.dtype, rows.functions)
        return np.concatenate(
            self.spread.run("times", work.multiplied, V, [(there,)] * len(self.spread.bands))
        )
