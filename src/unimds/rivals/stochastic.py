"""Stochastic gradient descent on stress, one pair at a time (Zheng, Pawar & Goodman 2018)."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from unimds._runtime.watch import Callback
from unimds.compiled.parts import kernel
from unimds.losses import Loss
from unimds.placecenter.result import Result
from unimds.rivals.base import Steps, follow, merged, pose, seed
from unimds.spaces import Space

Array = NDArray[Any]


@kernel
def pass_over(D, W, order, X, space, eta):  # type: ignore[no-untyped-def]
    """Bring every pair closer to its distance; each point moves at most half of the way."""
    k = X.shape[0]
    p, v, u, coef = np.empty(k), np.empty(k), np.empty(1), np.empty(1)
    before, after = np.empty((k, 1)), np.empty((k, 1))
    for number in order:
        # the pair of this number in the lower triangle, row by row
        i = int(0.5 + np.sqrt(0.25 + 2.0 * number))
        j = number - i * (i - 1) // 2
        rate = 0.5 * min(W[i, j] * eta, 1.0)
        if rate == 0.0:
            continue
        for a in range(k):  # loops: assigning to a slice takes seconds to compile
            before[a, 0], after[a, 0] = X[a, i], X[a, j]
        for mover, partner in ((i, after), (j, before)):
            for a in range(k):
                p[a] = X[a, mover]
            space.measure(p, partner, u, coef)
            if u[0] > 0.0:
                coef[0] *= rate * (1.0 - D[i, j] / u[0])
                space.gather(p, partner, coef, v)
                space.project(p, v)
                space.exp(p, v)
                for a in range(k):
                    X[a, mover] = p[a]


def sgd(
    D: ArrayLike,
    n_components: int = 2,
    *,
    loss: str | Loss = "squared",
    space: str | Space = "euclidean",
    weights: ArrayLike | None = None,
    init: str | ArrayLike = "random",
    max_iter: int = 100,
    last_step: float = 0.01,
    random_state: Any = None,
    callback: Callback | None = None,
    verbose: int = 0,
) -> Result:
    r"""SGD: take pairs in random order and bring each closer to its distance, by shrinking steps.

    A pair at distance u moves by :math:`\min(w\eta, 1)(u - d)`, half of it at each end. The step η
    decreases geometrically, from :math:`1/\min w`, which meets every distance at once, to
    `last_step` times :math:`1/\max w` in the last pass.

    Parameters
    ----------
    D : array-like of shape (n, n)
        Distances; NaN for missing pairs.
    n_components : int, default=2
        Dimension of the map.
    loss : str or Loss, default="squared"
        Measures the cost in the result; the method minimises the squared error.
    space : str or Space, default="euclidean"
        The space of the map; "sphere" gives SGD on the geodesic stress.
    weights : array-like of shape (n, n), default=None
        Weight of each pair. Graph drawing uses :math:`d^{-2}`.
    init : str or array-like of shape (n, n_coordinates), default="random"
        The seed, as in `unimds.place_center`.
    max_iter : int, default=100
        Number of passes over all pairs, which sets the schedule of steps.
    last_step : float, default=0.01
        Size of the last step. The authors' 0.1 is enough for drawing, but its cost is a few per
        cent above the minimum; much smaller steps do not reach the minimum in time.
    random_state, callback, verbose
        As in `unimds.place_center`.

    Returns
    -------
    Result

    Examples
    --------
    >>> from unimds.rivals import sgd
    >>> sgd([[0, 3, 4], [3, 0, 5], [4, 5, 0]], random_state=0).cost < 1e-3
    True
    """
    if not (isinstance(last_step, Real) and 0.0 < last_step <= 1.0):
        raise ValueError(f"last_step={last_step!r} must be above 0 and at most 1")
    problem = pose(D, n_components, loss, space, weights, complete=False)
    random = check_random_state(random_state)

    def steps() -> Steps:
        X = seed(problem, init, random)
        table, W = merged(problem)
        rng = np.random.default_rng(random.randint(2**31 - 1))
        heavy, light = W.max(), W[W > 0.0].min() if W.any() else 1.0
        Y = np.ascontiguousarray(X.T)
        order = np.arange(len(W) * (len(W) - 1) // 2)
        yield X, None
        for eta in np.geomspace(1.0 / light, last_step / max(heavy, light), max_iter):
            rng.shuffle(order)
            pass_over(table, W, order, Y, problem.frame.space, eta)
            yield Y.T, None

    return follow(problem, steps(), max_iter=max_iter, callback=callback, verbose=verbose)
