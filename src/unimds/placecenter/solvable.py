"""Problems that have no answer, or none in numbers: errors with a remedy."""

from __future__ import annotations

from unimds._runtime.watch import warn
from unimds.distances.pairs import Pairs
from unimds.placecenter.frame import Frame, own_smoothing

LEAST_COST = 1e-250  # of a fair error at all pairs: below it, costs of good maps have no digits
MOST_SMOOTHING = 1e8  # of the largest error that matters: beyond it, no digit of the cost tells


def check_room(pairs: Pairs, n_components: int) -> None:
    """Raise where the points cannot fill the dimensions."""
    n = pairs.n
    # up to three points get their answer in any dimension: loops over small groups rely on it
    if n_components >= n > 3:
        raise ValueError(
            f"a map of {n_components} dimensions needs more than {n_components} points, and there "
            f"are {n}; {n} points always fit in {n - 1} dimensions: use {n - 1} or fewer"
        )
    if pairs.largest == 0.0 and n > 1:
        put = "all points are put in one place"
        if not pairs.free.all():  # fixed points may lie apart
            put = "points that may move are drawn to each other and to the fixed ones"
        warn(f"all distances are zero: {put}", UserWarning)


def check_not_too_smooth(frame: Frame) -> None:
    """Raise where a loss is so smooth that every map costs the same."""
    smoothing, scale = own_smoothing(frame.loss), frame.scale
    if not (frame.loss.anneals and smoothing > 0.0):
        return
    error = abs(float(frame.loss.residual(2.0 * scale, scale)))
    if smoothing > MOST_SMOOTHING * error > 0.0:
        given = frame.smoothing_in(1.0 / frame.unit, smoothing)
        raise ValueError(
            f"smoothing={given:g} is {smoothing / error:.0e} times the error of a distance that is "
            "twice as long as given: all maps would cost the same; use a smaller smoothing"
        )


def check_digits(frame: Frame, total: float, error: float) -> None:
    """Raise where costs are so small that they are no more than rounding.

    `total` is the sum of the weights, and `error` the cost of a typical distance that is wrong by a
    tenth.
    """
    if not (total > 0.0 and error > 0.0) or total * error > LEAST_COST:
        return
    if total < error:
        raise ValueError(
            f"the weights add up to {total:g}, too little for the cost to be computed accurately; "
            "multiply all weights by one large number: the best map stays the same"
        )
    raise ValueError(
        f"{frame.loss.scaled(1.0 / frame.unit)} costs {error * frame.cost_unit:g} where a typical "
        "distance is wrong by a tenth, too little for the cost to be computed accurately; use a "
        "loss with larger values"
    )
