"""Random permutations, free or within strata, and the p-values they give."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from unimds.distances.joining import joined

Array = NDArray[Any]

MOST = 500_000
"""Numbers of permutations in memory at a time."""
ROUNDING = 1e-12
"""A statistic that falls short by less is as large: permutations that change nothing."""


@final
class Shuffles:
    """The permutations of a test: the same for every variable, whatever others are tested.

    Parameters
    ----------
    count : int
        Number of permutations.
    random_state : int, Generator or None
        Seed.
    strata : ndarray of n codes, or None
        Points are exchanged with others of the same code only.
    """

    def __init__(self, count: int, random_state: Any, strata: Array | None = None) -> None:
        if not isinstance(count, int | np.integer) or count < 0:
            raise ValueError(f"n_permutations={count!r} must be a whole number, 0 or more")
        self.count: int = int(count)
        self.strata: Array | None = strata
        self._seed: int = int(np.random.default_rng(random_state).integers(2**62))

    def of(self, n: int, rows: Array | None = None) -> Iterator[Array]:
        """Yield permutations of n points, some at a time: of those in `rows` if not of all."""
        rng = np.random.default_rng(self._seed)
        codes = np.zeros(n) if self.strata is None else self.strata.astype(float)
        codes = codes if rows is None or self.strata is None else codes[rows]
        home = np.argsort(codes, kind="stable")
        left = self.count
        while left > 0:
            m = min(left, max(1, MOST // max(n, 1)))
            there = np.empty((m, n), dtype=np.intp)
            there[:, home] = np.argsort(codes + rng.random((m, n)), axis=1)
            yield there
            left -= m

    def p_value(
        self, statistic: Callable[[Array], Array], found: float, n: int, rows: Array | None = None
    ) -> float:
        """Return the share of permutations whose statistic is as large, with the data as one."""
        if self.count == 0 or np.isnan(found):
            return float("nan")
        least = found - ROUNDING
        as_large = sum(np.count_nonzero(statistic(each) >= least) for each in self.of(n, rows))
        return (1.0 + float(as_large)) / (1.0 + self.count)


def stratum_of_each(strata: Sequence[Any] | None, n: int, labels: list[Any] | None) -> Array | None:
    """Return the number of each point's stratum, in the order of the points."""
    if strata is None:
        return None
    names = [str(name) for name in joined(strata, "strata", labels)]
    if len(names) != n:
        raise ValueError(f"the map has {n} points, but strata has {len(names)} values")
    return np.asarray(np.unique(names, return_inverse=True)[1])
