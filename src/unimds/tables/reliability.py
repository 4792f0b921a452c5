r"""How far each subject is trusted: less, the worse the common map fits it.

A robust loss bounds what one pair can do, but not what one subject can do: weights of subjects are
levers, and a subject with large weights for its dimensions pulls on the map with all its pairs.
Where the errors of subject :math:`s` have a size :math:`b_s` of their own, the likelihood asks for
:math:`\sum_s (c_s / b_s + N_s \log b_s)` with the cost :math:`c_s` of its :math:`N_s` pairs, so
that :math:`b_s = c_s / N_s`, and the subject counts :math:`1 / b_s`. Subjects that fit better than
the median count alike: else one that fits exactly would be all that counts.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.watch import Watch
from unimds.losses import Loss
from unimds.placecenter.descent.lowering import EXACT, Lowered, lower, stages_of
from unimds.placecenter.descent.plan import Plan
from unimds.placecenter.frame import Frame
from unimds.placecenter.result import Outcome
from unimds.tables.subjects import View

Array = NDArray[Any]

ROUNDS, STILL = 10, 0.01  # of trust, and the change of it that counts as none
LARGER, DEARER = 10.0, 20.0  # an error that is larger by this costs at most so much more
STOPPED = (Outcome.CALLBACK, Outcome.INTERRUPTED)


def is_robust(loss: Loss, scale: float) -> bool:
    """Return whether large errors count little more than in proportion to their size.

    Examples
    --------
    >>> from unimds.losses import Absolute, Huber, Squared
    >>> [is_robust(loss, 1.0) for loss in (Absolute(), Huber(0.1), Squared())]
    [True, True, False]
    """
    small, large = (float(loss.value(scale * (1.0 + e), scale)) for e in (1.0, LARGER))
    return large <= DEARER * small


def reliabilities(view: View, loss: Loss) -> Array:
    """Return what each subject counts, 1 for those that fit like the median or better."""
    weigh = np.where(np.isnan(view.aims), 0.0, view.data.W).sum(axis=1)
    known = weigh > 0.0
    means = np.where(known, view.costs(loss) / np.where(known, weigh, 1.0), 0.0)
    scale = view.data.frame.scale
    least = float(loss.value(scale * (1.0 + EXACT), scale)) - float(loss.value(scale, scale))
    middle = max(float(np.median(means[known])) if known.any() else 0.0, least)
    return np.where(means > middle, middle / np.where(means > middle, means, 1.0), 1.0)


def trusted(
    low: Lowered[View], frame: Frame, plan: Plan, watch: Watch, zero: float
) -> tuple[Lowered[View], Array]:
    """Return a descent with the trust that suits it, and what each subject counts there.

    Trust and map take turns, until the trust stays as it is.
    """
    data, loss = low.best.data, frame.loss
    trust = np.ones(len(data.W))
    for _ in range(ROUNDS):
        new = reliabilities(replace(low.best, data=data), loss)
        if float(np.abs(new - trust).max(initial=0.0)) < STILL or low.outcome in STOPPED:
            break
        trust = new
        start = replace(low.best, data=replace(data, W=data.W * trust[:, None]))
        stages = stages_of(loss, start.residual(), frame.scale, plan.smoothing)
        low = lower(start, stages, loss, plan, watch, zero, cost_unit=frame.cost_unit)
    return low, trust
