"""What a run returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from unimds.losses import Loss
from unimds.spaces.base import Space

Array = NDArray[np.floating[Any]]


class Outcome(Enum):
    """Why a run ended, as a sentence."""

    CONVERGED = "Converged: the cost falls by less than eps a sweep."
    EXACT = "Converged: every distance is met up to rounding."
    STATIONARY = "Converged: no sweep lowers the cost any further."
    FINISHED = "Finished: the method has taken all of its steps."
    NOTHING_TO_DO = "Nothing to do: no point is free to move."
    MAX_ITER = "Stopped after max_iter sweeps, before the cost had settled."
    CALLBACK = "Stopped by the callback."
    INTERRUPTED = "Interrupted by the user; this is the best configuration so far."

    @property
    def converged(self) -> bool:
        """Whether the run ended by itself."""
        return self not in (self.MAX_ITER, self.CALLBACK, self.INTERRUPTED)


@final
@dataclass(frozen=True)
class Result:
    """A map, what it costs and how it came about.

    Attributes
    ----------
    embedding : ndarray of shape (n, n_coordinates)
        The points, one a row, in the coordinates of `space`.
    cost : float
        The cost of `embedding`: the sum of the loss over all pairs, each counted once.
    history : ndarray of shape (n_iter + 1, 2)
        Seconds since the start and cost, for the seed and after every sweep.
    levels : ndarray of shape (n_iter + 1, 2)
        The smoothing and the smoothed cost that went with each row of `history`. At one level of
        smoothing the smoothed cost never rises.
    outcome : Outcome
        Why the run ended.
    loss, space : Loss, Space
        The loss and the space, with every ``"auto"`` replaced by what was found.
    n_iter : int
        Number of sweeps.
    stress : float or None
        Stress-1, where it was computed with the map: on a cluster, which holds the distances only
        as long as it works.
    """

    embedding: Array
    cost: float
    history: Array = field(repr=False)
    levels: Array = field(repr=False)
    outcome: Outcome
    loss: Loss
    space: Space
    stress: float | None = None

    @property
    def n_iter(self) -> int:
        """Number of sweeps."""
        return len(self.history) - 1

    @property
    def converged(self) -> bool:
        """Whether the run ended by itself."""
        return self.outcome.converged

    @property
    def message(self) -> str:
        """Why the run ended, as a sentence."""
        return self.outcome.value
