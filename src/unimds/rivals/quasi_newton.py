"""L-BFGS on the cost itself: the quasi-Newton method of SciPy, with annealing."""

from __future__ import annotations

from numbers import Integral
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize
from threadpoolctl import threadpool_limits

from unimds._runtime.watch import Callback
from unimds.losses import Loss
from unimds.placecenter.descent.plan import Plan, Stage, stages
from unimds.placecenter.problem import Problem
from unimds.placecenter.result import Outcome, Result
from unimds.rivals.base import Take, drive, pose, seed
from unimds.spaces import Euclidean

Array = NDArray[Any]


def lbfgs(
    D: ArrayLike,
    n_components: int = 2,
    *,
    loss: str | Loss = "squared",
    weights: ArrayLike | None = None,
    init: str | ArrayLike = "classical",
    corrections: int = 20,
    slow: bool = False,
    max_iter: int = 2000,
    eps: float = 1e-7,
    random_state: Any = None,
    callback: Callback | None = None,
    verbose: int = 0,
) -> Result:
    """L-BFGS: SciPy's quasi-Newton method on the cost of all points together.

    Unlike the other methods here, it minimises the loss that it is given. A robust loss is annealed
    in two levels of smoothing per decade; every stage begins without a memory of the stage before
    it.

    Parameters
    ----------
    D : array-like of shape (n, n)
        Distances; NaN for missing pairs. Both directions of an asymmetric pair count half.
    n_components : int, default=2
        Dimension of the map.
    loss : str or Loss, default="squared"
        The loss to minimise.
    weights : array-like of shape (n, n), default=None
        Weight of each pair.
    init : "classical", "random" or array-like of shape (n, n_components), default="classical"
        The seed.
    corrections : int, default=20
        Number of past steps from which the curvature of the cost is estimated.
    slow : bool, default=False
        Whether to anneal through the levels of `unimds.place_center`, of which there are more in
        more than three dimensions. It takes longer and ends lower.
    max_iter, eps, random_state, callback, verbose
        As in `unimds.place_center`; an iteration moves all points once.

    Returns
    -------
    Result

    Examples
    --------
    >>> from unimds.rivals import lbfgs
    >>> round(lbfgs([[0, 3, 4], [3, 0, 5], [4, 5, 0]]).cost, 9)
    0.0
    """
    if not (isinstance(corrections, Integral) and corrections >= 1):
        raise ValueError(f"corrections={corrections!r} must be an integer of at least 1")
    problem = pose(D, n_components, loss, Euclidean(), weights, complete=False)

    def run(take: Take) -> Outcome | None:
        points = seed(problem, init, random_state)
        if take(points, None):
            return None
        X, plan, outcome = np.ascontiguousarray(points.T), Plan(max_iter, eps, slow=slow), None
        left = max_iter
        for stage in stages(problem, X, plan):
            descent = Descent(problem, stage, plan, take)
            X, outcome = descent.run(X, min(stage.sweeps, left), corrections)
            left -= len(descent.costs) - 1
            if descent.ended or left == 0:
                break
        return outcome

    return drive(problem, run, max_iter=max_iter, eps=eps, callback=callback, verbose=verbose)


@final
class Descent:
    """SciPy's descent at one stage of smoothing, watched at every iteration."""

    def __init__(self, problem: Problem, stage: Stage, plan: Plan, take: Take):
        self.problem, self.loss, self.plan, self.take = problem, stage.loss, plan, take
        self.costs: list[float] = []
        self.ended = False  # by the callback, or since every distance is met

    def run(self, X: Array, count: int, corrections: int) -> tuple[Array, Outcome]:
        """Return the points after `count` iterations at most, and why the descent ended."""
        shape = X.shape

        def value(flat: Array) -> tuple[float, Array]:
            pulls, (_, cost) = self.problem.pulls(flat.reshape(shape), self.loss)
            return cost, -2.0 * pulls[:-1].ravel()

        def seen(intermediate_result: Any) -> None:  # SciPy goes by the name of the argument
            self.costs.append(float(intermediate_result.fun))
            self.ended = self.take(intermediate_result.x.reshape(shape).T, None)
            if self.ended or self.plan.settled(self.costs):
                raise StopIteration

        self.costs.append(value(X.ravel())[0])
        # SciPy compares the fall of the cost with 1, whatever the unit; `settled` does not
        limits = {"maxcor": corrections, "maxiter": count, "maxfun": 20 * count + 100}
        options = {**limits, "ftol": 0.0, "gtol": 0.0}
        with threadpool_limits(1):  # as for `place_center`
            found = minimize(
                value, X.ravel(), jac=True, method="L-BFGS-B", callback=seen, options=options
            )
        if self.plan.settled(self.costs):
            outcome = Outcome.CONVERGED
        else:
            outcome = Outcome.MAX_ITER if len(self.costs) > count else Outcome.STATIONARY
        return found.x.reshape(shape), outcome
