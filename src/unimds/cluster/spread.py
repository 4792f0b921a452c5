"""A table of distances spread over the workers of a Dask cluster.

Every worker holds a band of rows. In a round all points go out to all workers, each places the
points of its own rows one after the other, and these come back. Bands move at the same time, so a
pair of points of two bands counts twice in the sum that divides their pulls: then the cost of all
does not rise, see `unimds.kernels.drivers.sweep`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from unimds.cluster import work
from unimds.cluster.health import (
    AdriftError,
    Need,
    answers,
    awaited,
    check_memory,
    lost_again,
    present,
)
from unimds.cluster.sending import submit
from unimds.distances.coded import Coding, Cutting, bins_of, cells_for, described
from unimds.distances.pairs import Pairs
from unimds.distances.table import Count, DistanceTable, Mover, RowWork, Work
from unimds.distances.tiles import Tile

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
class SpreadTable(DistanceTable):
    """A symmetric table on the workers of a cluster.

    Parameters
    ----------
    client : distributed.Client
        Where the workers are.
    bands : list of Band
        The rows, in order.
    dtype : dtype
        Precision of the distances.
    weighted : bool
        Whether there are weights.
    need : Need
        Memory of the workers.
    read : callable
        Has a worker read rows: their begin, their end, and its address.
    numbers : ndarray, optional
        Where the rows hold codes, the distance of every code: it goes out with each task.
    """

    layers = 1

    def __init__(
        self,
        client: Any,
        bands: list[Band],
        dtype: Any,
        weighted: bool,
        need: Need,
        read: Reader,
        numbers: Array | None = None,
    ):
        self.client, self.bands, self.n = client, bands, bands[-1].end
        self.dtype, self.weighted, self.need, self.read = dtype, weighted, need, read
        self.numbers = numbers

    def of(self, bands: list[Band], dtype: Any, read: Reader) -> SpreadTable:
        """Return a table of other entries of the same pairs."""
        return SpreadTable(self.client, bands, dtype, self.weighted, self.need, read)

    def through(self, numbers: Array) -> SpreadTable:
        """Return the table whose distances are the numbers of the codes that this one holds."""
        known = self.weighted, self.need, self.read, numbers
        # one list of bands: rows that were read again are so for all
        return SpreadTable(self.client, self.bands, numbers.dtype, *known)

    def binned(self, pairs: Any, bins: int, even: bool) -> SpreadCodes:
        return spread_codes(self, pairs, bins, even)

    # --- rounds ------------------------------------------------------------------------------

    def move(self, mover: Mover, X: Array, free: Array) -> None:
        edges = [(band.begin, band.end) for band in self.bands]
        self._move(mover, X, free, edges, list(range(len(self.bands))))

    def move_in_turn(self, mover: Mover, X: Array, free: Array) -> None:
        """Move the points in place, band after band: each sees where the bands before have gone."""
        for number in range(len(self.bands)):
            self._move(mover, X, free, [(0, self.n)], [number])

    def _move(
        self,
        mover: Mover,
        X: Array,
        free: Array,
        edges: list[tuple[int, int]],
        numbers: list[int],
    ) -> None:
        some = None if free.all() else free
        arguments = [(mover, some, edge) for edge in edges]
        moved = self.run("place", work.moved, X, arguments, numbers)
        for number, points in zip(numbers, moved, strict=True):
            X[:, self.bands[number].begin : self.bands[number].end] = points

    def total(self, count: Count, X: Array) -> Array:
        sums = self.run("count", work.counted, X, [(count,)] * len(self.bands))
        return np.asarray(np.sum(sums, axis=0))

    def each(self, task: Callable[..., Work], *shared: Any) -> list[Work]:
        found = self.run("work", work.each, shared, [(task,)] * len(self.bands))
        return [result for results in found for result in results]

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
        if self.numbers is not None:
            function, shared = partial(work.through, function), (self.numbers, shared)
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

    def block(self, rows: Array, columns: Array, dtype: Any = None) -> tuple[Array, Array | None]:
        """Return distances and weights of some points to some others, over the network."""
        D = np.empty((len(rows), 1, len(columns)), dtype=dtype or self.dtype)
        W = np.empty((len(rows), 1, len(columns))) if self.weighted else None
        for at, (distances, weights) in self._of_rows("take", work.taken, rows, columns):
            D[at, 0] = distances
            if W is not None:
                W[at, 0] = weights
        return D, W

    def against(self, rows: Array, columns: Array, task: RowWork) -> Array:
        parts = self._of_rows("extend", work.against, rows, columns, task)
        out = np.empty((len(parts[0][1]), len(rows)), dtype=parts[0][1].dtype)
        for at, points in parts:
            out[:, at] = points
        return out

    def _of_rows(
        self, name: str, function: Callable[..., Any], rows: Array, columns: Array, *more: Any
    ) -> list[tuple[Array, Any]]:
        """Return which of `rows` each band holds, and what a function returns for them."""
        within = [np.flatnonzero((rows >= b.begin) & (rows < b.end)) for b in self.bands]
        asked = [number for number, at in enumerate(within) if at.size]
        own = [(rows[within[number]], *more) for number in asked]
        found = self.run(name, function, columns, own, asked)
        return list(zip([within[number] for number in asked], found, strict=True))

    def whole(self) -> tuple[Array, Array | None]:
        """Refuse: a seed of missing pairs needs the whole table in one place."""
        raise ValueError(
            'a spectral seed on a cluster needs all pairs, and some are missing: use init="auto"'
        )

    def tiles(self) -> Iterator[Tile]:
        """Yield all rows in order, some at a time, over the network."""
        for band in self.bands:
            for tile in band.tiles:
                yield self.client.gather(tile)

    def contents(self) -> Iterator[bytes]:
        yield from self.run("digest", work.digested, None)

    def sample(self, size: int, complete: bool, rng: np.random.Generator) -> Array:
        """Return random points: the whole table never comes here."""
        return np.sort(rng.permutation(self.n)[:size])


# --- levels of measurement ------------------------------------------------------------------------

# The transformation is fitted to bins of dissimilarities. A first pass over the table counts the
# pairs of very many cells of the range, from which the client makes the bins; then each worker
# keeps the bin of every pair, two bytes each. A round sends the disparities of the bins out with
# the points, and brings sums over bins back: the client projects them, as in one process.


@final
@dataclass(frozen=True, eq=False)
class SpreadCodes(Coding):
    """The entries of a table on the workers of a cluster.

    Attributes
    ----------
    held : SpreadTable
        The codes, in place of distances.
    """

    held: SpreadTable

    def table(self, r: Array) -> SpreadTable:
        """Return the table through a transformation, a number for every code."""
        return self.held.through(self.numbers(r))

    def coded(self, r: Array) -> SpreadTable:
        """Return the same table: it is looked up where the rows are."""
        return self.table(r)

    def added_up(self, count: Callable[[Tile, Array], Array], X: Array) -> Array:
        """Return sums over all tiles of codes."""
        return self.held.total(count, X)


def spread_codes(table: SpreadTable, pairs: Pairs, bins: int, even: bool) -> SpreadCodes:
    """Return codes that stand for bins, made where the rows are."""
    need = dict(table.need.bytes)
    for band in table.bands:  # two bytes more for every pair
        need[band.worker] = need.get(band.worker, 0) + 2 * (band.end - band.begin) * pairs.n
    check_memory(table.client, Need(need, table.need.single))

    def sample(size: int) -> Array:
        return np.concatenate(table.run("sample", work.sampled, (pairs.n, size)))

    cells = cells_for(sample, pairs, bins, even)
    counts = np.sum(table.run("cells", work.cells, cells), axis=0)
    cutting = Cutting(cells, *bins_of(counts, bins, even))
    told = np.sum(table.run("bins", work.told, cutting), axis=0)
    shared = submit(table.client, work.same, cutting, pure=False)

    def coded(band: Band) -> Band:
        where = {"workers": [band.worker], "allow_other_workers": True, "pure": False}
        tiles = [table.client.submit(work.coded, tile, shared, **where) for tile in band.tiles]
        return replace(band, tiles=tiles)

    def read(begin: int, end: int, worker: str) -> Band:
        return coded(table.read(begin, end, worker))

    held = table.of(list(map(coded, table.bands)), np.dtype(np.uint16), read)
    return SpreadCodes(**described(told, pairs), held=held)
