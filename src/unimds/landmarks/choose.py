"""Which points are landmarks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.watch import Progress
from unimds.distances.table import LocalTable

Array = NDArray[Any]

CANDIDATES = 10  # for each landmark: a pass over all points for each would take too long


def choose(
    table: LocalTable, count: int, how: str, rng: np.random.Generator, bar: Progress
) -> Array:
    """Return the numbers of `count` landmarks, in order.

    The farthest are looked for among random candidates only; the first candidate is a landmark.
    """
    if how == "random":
        return np.sort(rng.choice(table.n, count, replace=False))
    candidates = rng.choice(table.n, min(table.n, CANDIDATES * count), replace=False)
    some = table.on(candidates)
    everyone, chosen = slice(0, some.n), [0]
    gap = np.full(some.n, np.nan)  # distance to the nearest landmark, where it is known
    for _ in range(count - 1):
        gap = np.fmin(gap, some.between(everyone, np.array(chosen[-1:]))[:, 0])
        gap[chosen] = -1.0
        chosen.append(int(np.argmax(np.nan_to_num(gap, nan=-0.5))))
        bar.step(1.0 / (count - 1))
    return np.sort(candidates[chosen])
