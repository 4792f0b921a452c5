"""PlaceCenter: pick a point, move it to where its distances fit better, repeat.

The paper's algorithm, on one screen, is `descend`: every sweep places each point in turn
(`unimds.kernels.sweep.place`) and sweeps go on until the cost no longer falls. Two additions can
be switched off. *Momentum* carries the movement of a sweep on; where that would raise the cost, the
sweep is repeated without it. *Annealing* rounds the kink of a robust loss and sharpens it level by
level: otherwise points stick to the first few pairs that they satisfy exactly.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from math import sqrt
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from unimds._runtime.progress import Callback, Watch
from unimds._runtime.warning import warn
from unimds.checkpoint import Checkpoint, Keeper, digest
from unimds.compiled.parts import explained
from unimds.distances.pairs import Pairs, as_float, as_pairs
from unimds.distances.table import Apart, is_dask
from unimds.estimators.parameters import check_parameters
from unimds.losses import Loss, as_loss
from unimds.placecenter.fixed import Anchors, as_anchors
from unimds.placecenter.problem import Problem, check_room
from unimds.placecenter.record import Motion, Record, Slot, State
from unimds.placecenter.result import Outcome, Result
from unimds.placecenter.schedule import Level, Plan, levels
from unimds.quality import counted_stress
from unimds.spaces import Space, as_space
from unimds.starts.best import lowest
from unimds.starts.race import Search

Array = NDArray[Any]


def descend(
    problem: Problem, X: Array, plan: Plan, watch: Watch, slot: Slot | None = None
) -> Result:
    """Sweep over all points until the cost no longer falls, from the configuration `X`."""
    record = Record(problem, X, watch, slot)
    if not problem.pairs.free.any() and not problem.resize:
        return record.result(Outcome.NOTHING_TO_DO)
    outcome = Outcome.MAX_ITER
    try:
        for number, level in enumerate(levels(problem, X, plan)):
            if record.passed(number):
                continue
            outcome = _descend_at(level, record, plan, record.enter(number, level))
            if outcome not in (Outcome.CONVERGED, Outcome.STATIONARY, Outcome.MAX_ITER):
                break
    except KeyboardInterrupt:
        watch.interrupted.set()
        outcome = Outcome.INTERRUPTED
    return record.result(outcome)


def _descend_at(level: Level, record: Record, plan: Plan, motion: Motion) -> Outcome:
    """Sweep at one level of smoothing. Its cost never rises."""
    problem, watch = record.problem, record.watch
    for _ in range(min(level.sweeps - motion.sweeps, plan.max_iter - record.sweeps)):
        state = motion.state
        if plan.settled(motion.costs):
            return Outcome.CONVERGED
        if state.cost <= problem.exact_cost:
            return Outcome.EXACT
        inertia = motion.inertia
        grown = 0.5 * (1.0 + sqrt(1.0 + 4.0 * inertia * inertia))  # Nesterov's sequence
        beta = (inertia - 1.0) / grown if plan.accelerate else 0.0
        new = _swept(problem, *_beyond(problem, state, motion.previous, beta), level, plan)
        if beta > 0.0 and not new.smooth <= state.smooth:
            grown = 1.0  # restart: the same sweep without momentum
            new = _swept(problem, state.X.copy(), state.space, level, plan)
        if not new.smooth <= state.smooth:
            return Outcome.STATIONARY  # only rounding is left
        motion = motion.moved(new, grown)
        record.note(new, level)
        record.keep(motion)
        if watch.stopped:
            return Outcome.CALLBACK if watch.called_off.is_set() else Outcome.INTERRUPTED
    return Outcome.CONVERGED if plan.settled(motion.costs) else Outcome.MAX_ITER


def _beyond(problem: Problem, state: State, previous: State, beta: float) -> tuple[Array, Space]:
    """Carry on the movement since the previous state: of the points, and of the space's size."""
    if beta == 0.0:
        return state.X.copy(), state.space
    X = problem.extrapolate(state.X, previous.X, beta, state.space)
    if not problem.resize:
        return X, state.space
    growth = state.space.unit / previous.space.unit
    return X, state.space.sized(state.space.unit * growth**beta)


def _swept(problem: Problem, X: Array, space: Space, level: Level, plan: Plan) -> State:
    """Place every point of `X` once, then adjust the size of the space where that is free."""
    problem.sweep(X, level.loss, space, plan.inner_iter, plan.eps)
    if problem.resize:
        space = problem.resized(X, level.loss, space)
    return State(X, space, *problem.costs(X, level.judge, space))


def place_center(
    D: ArrayLike,
    n_components: int = 2,
    *,
    loss: str | Loss = "squared",
    space: str | Space = "euclidean",
    weights: ArrayLike | None = None,
    fixed: Any = None,
    init: str | ArrayLike = "auto",
    n_init: int | str = "auto",
    max_iter: int = 2000,
    eps: float = 1e-7,
    smoothing: float | str = "auto",
    accelerate: bool = True,
    inner_iter: int = 1,
    dtype: str | None = None,
    n_jobs: int | None = None,
    random_state: Any = None,
    callback: Callback | None = None,
    verbose: int = 0,
    checkpoint: str | os.PathLike[str] | Checkpoint | None = None,
) -> Result:
    r"""Embed a table of distances: minimise Σ loss(dist(x_i, x_j), d_ij) over points of a space.

    Parameters
    ----------
    D : array-like of shape (n, n)
        Distances; NaN where one is missing. An asymmetric table is used as such: both directions
        of a pair count half. It may be in a file, as `numpy.memmap`; or, if it is symmetric, on a
        cluster, as a dask array.
    n_components : int, default=2
        Dimension of the map. On a sphere S^k, in hyperbolic space H^k and on the simplex a point
        has k+1 coordinates.
    loss : str or Loss, default="squared"
        "squared", "absolute", "huber", "squared_distance" or a `Loss` such as ``Power(1.5)``.
    space : str or Space, default="euclidean"
        "euclidean", "sphere", "chordal_sphere", "hyperbolic", "simplex" or a `Space` such as
        ``Sphere(radius="auto")``.
    weights : array-like of shape (n, n), default=None
        Weight of each pair in the cost; 0 leaves it out.
    fixed : dict or array-like of shape (n, n_coordinates), default=None
        Points that stay where they are: ``{index: coordinates}``, or one row a point with NaN for
        those that may move.
    init : str or array-like of shape (n, n_coordinates), default="auto"
        The seed: "classical", "spherical" or "hyperbolic" (the spectral seed of the space),
        "random", or the points themselves. "auto" is the spectral seed where the space has one.
        "shaken" is that seed, roughly, shaken on a sample: a single start that most often ends
        nearly as low as a race, and the quickest way to a good map of few points (``eps=1e-3``).
    n_init : int or "auto", default="auto"
        Number of starts, of which the best is returned; all but the first are random, and a seed
        that is given by name or as points is the only one, but all may be shaken. "auto" races
        several kinds of start briefly against the first, where that can find a lower minimum (maps
        of up to three dimensions, ``init="auto"`` or "random"), and finishes the best; below 1,000
        points the first as well, and a callback sees one after the other.
    max_iter : int, default=2000
        Maximum number of sweeps of one start.
    eps : float, default=1e-7
        A run has converged when the cost falls by less than this, relative to itself, a sweep.
    smoothing : float or "auto", default="auto"
        Rounds the kink of a robust loss; "auto" lowers it level by level until nothing of it is
        left. A positive number makes the loss that smooth, and cost and result belong to it; 0 is
        the paper's algorithm.
    accelerate : bool, default=True
        Use momentum. The cost never rises with it either.
    inner_iter : int, default=1
        Steps of one placement at most; the paper repeats until the point settles.
    dtype : "float32", "float64" or None, default=None
        Precision to round the distances to; None takes them as they are. "float32" makes a copy
        of half the size of a float64 table, and sweeps over it take about half the time.
    n_jobs : int, default=None
        Threads for several starts. The result does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed of the random starts.
    callback : callable, default=None
        Called as ``callback(iteration, cost, embedding)`` after every sweep; a true return value
        ends the run.
    verbose : int, default=0
        1 shows a progress bar on standard error.
    checkpoint : str, PathLike or Checkpoint, default=None
        A file to keep the run in, every half a minute and after ^C. Where it is there already the
        run goes on from it, to the same result. `unimds.checkpoint.Checkpoint` says how often.

    Returns
    -------
    Result
        The embedding, its cost, the history and why the run ended.

    Notes
    -----
    With :math:`u_j = dist(x_i, x_j)`, one placement is

    .. math:: x_i \leftarrow \exp_{x_i}\left(
        \frac{\sum_j w_j (1 - \rho_j / u_j) \log_{x_i}(x_j)}{\sum_j w_j} \right)

    where w and ρ come from the loss's majorizer. ``smoothing=0, accelerate=False,
    inner_iter=100, n_init=1`` runs the paper's pseudo-code as printed.

    Examples
    --------
    >>> from unimds import place_center
    >>> result = place_center([[0, 3, 4], [3, 0, 5], [4, 5, 0]])
    >>> result.embedding.shape, round(result.cost, 6), result.converged
    ((3, 2), 0.0, True)
    """
    check_parameters(
        "place_center",
        n_components=n_components,
        loss=loss,
        space=space,
        init=init,
        n_init=n_init,
        max_iter=max_iter,
        eps=eps,
        smoothing=smoothing,
        accelerate=accelerate,
        inner_iter=inner_iter,
        dtype=dtype,
        n_jobs=n_jobs,
        random_state=random_state,
        callback=callback,
        verbose=verbose,
        checkpoint=checkpoint,
    )
    plan = Plan(max_iter, eps, smoothing, accelerate, inner_iter)
    loss, space = as_loss(loss), as_space(space)
    if not isinstance(smoothing, str) and smoothing > 0.0 and loss.anneals:
        loss = loss.smoothed(max(smoothing, getattr(loss, "smoothing", 0.0)))
    watch = Watch(callback, verbose, eps)
    shape = D.shape if hasattr(D, "shape") else as_float(D, "D").shape
    n = (*shape, 0)[0]
    anchors = as_anchors(fixed, n, n_components, space)
    free = None if anchors is None else anchors.free
    settings = (loss, space, n_components, plan, n_init)
    with explained(loss, space), _pairs(D, weights, free, dtype, watch) as pairs:
        check_room(pairs, n_components, space)
        problem = Problem.make(pairs, loss, space, n_components)
        keeper = _keeper(checkpoint, pairs, anchors, init, random_state, watch, settings)
        search = Search(descend, plan, watch, init, n_init, n_jobs)
        result = lowest(search, problem, _generator(random_state), anchors, keeper)
        if pairs.remote:
            stress = counted_stress(pairs.total, pairs.largest, result.embedding, result.space)
            result = replace(result, stress=stress)
    watch.done(result.n_iter, result.cost, result.message)
    if result.outcome is Outcome.MAX_ITER:
        warn(f"{result.message} Raise max_iter={max_iter} or eps={eps:g}.", ConvergenceWarning)
    if result.outcome is Outcome.INTERRUPTED:
        warn(result.message, RuntimeWarning)
    return result


def _generator(random_state: Any) -> np.random.Generator:
    """Return a generator; what is random in scikit-learn's way is the seed of one."""
    if isinstance(random_state, Integral):
        return np.random.default_rng(int(random_state))
    return np.random.default_rng(check_random_state(random_state).randint(2**31))


@contextmanager
def _pairs(
    D: Any, weights: Any, free: Array | None, dtype: str | None, watch: Watch
) -> Iterator[Pairs]:
    """Give the pairs of a table, in this memory or on a cluster."""
    if not (is_dask(D) or is_dask(weights) or isinstance(D, Apart)):
        yield as_pairs(D, weights=weights, free=free, dtype=dtype)
        return
    sources = import_module("unimds.cluster.sources")  # only here: Dask is an extra
    watch.step = "round"
    with sources.any_client(watch) as client:
        yield sources.spread_out(D, client, weights, free, dtype, watch)


def _keeper(
    checkpoint: str | os.PathLike[str] | Checkpoint | None,
    pairs: Pairs,
    anchors: Anchors | None,
    init: str | ArrayLike,
    random_state: Any,
    watch: Watch,
    settings: tuple[Any, ...],
) -> Keeper | None:
    """Return what keeps the run; its digest covers all that the result depends on."""
    if checkpoint is None:
        return None
    if not isinstance(checkpoint, Checkpoint):
        checkpoint = Checkpoint(checkpoint)
    seed = random_state if isinstance(random_state, int | None) else "drawn"
    arrays = [] if anchors is None else [anchors.points]
    if isinstance(init, str):
        settings = (*settings, init)
    else:
        arrays.append(as_float(init, "init"))
    return Keeper(checkpoint, digest(pairs, arrays, (*settings, seed)), watch)
