"""Shared code of the rivals: checks of the input, one driver for all methods, common tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from unimds._runtime.watch import Callback, Watch, warn
from unimds.compiled.parts import explained
from unimds.distances.pairs import as_pairs
from unimds.estimators.parameters import check_parameters
from unimds.losses import Loss, as_loss
from unimds.placecenter.descent.plan import Stage
from unimds.placecenter.descent.record import Record, State
from unimds.placecenter.problem import Problem
from unimds.placecenter.result import Outcome, Result
from unimds.spaces.base import Space, as_space
from unimds.spaces.sphere import ChordalSphere
from unimds.starts.seeds.initial import completed, first_seed

Array = NDArray[Any]

Steps = Iterator[tuple[Array, float | None]]
"""The seed, then the points after every iteration, in rows and in the problem's unit, each with the
value of the cost that the method minimises (None if the method does not compute it)."""

Take = Callable[[Array, float | None], bool]
"""Takes one of the `Steps`; returns whether the method must end."""


def pose(
    D: ArrayLike,
    n_components: int,
    loss: str | Loss,
    space: str | Space,
    weights: ArrayLike | None = None,
    *,
    complete: bool = True,
    spaces: tuple[type[Space], ...] = (Space,),
) -> Problem:
    """Check the input of a method and return the problem to solve.

    Parameters
    ----------
    D, n_components, loss, space, weights
        As in `unimds.place_center`.
    complete : bool
        Whether the method needs every distance.
    spaces : tuple of types
        The spaces that the method supports.
    """
    check_parameters("rivals", n_components=n_components, loss=loss, space=space)
    loss, space = as_loss(loss), as_space(space)
    if not isinstance(space, spaces):
        known = " or ".join(kind.__name__ for kind in spaces)
        raise ValueError(f"this method does not map to {space}, only to {known}; use place_center")
    if space.is_auto:
        raise ValueError(f"{space}: this method needs the size of the space; use place_center")
    pairs = as_pairs(D, weights=weights)
    if complete and not pairs.weighing.complete:
        raise ValueError(
            "D has missing distances, but this method needs all of them; use place_center or smacof"
        )
    return Problem.posed(pairs, loss, space, n_components)


def follow(
    problem: Problem,
    steps: Steps,
    *,
    max_iter: int,
    eps: float = 0.0,
    callback: Callback | None = None,
    verbose: int = 0,
    patience: int = 1,
) -> Result:
    """Run a method step by step and return the best map it found.

    The loss of the problem decides which map is best; the method may minimise another cost.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    steps : iterator
        See `Steps`. It computes the seed itself, so that the clock includes the seed.
    max_iter : int
        Maximum number of iterations of a method that does not stop by itself.
    eps, patience : float, int
        The method has converged when the lowest cost so far has fallen by less than a fraction
        `eps` per iteration over the last `patience` iterations.
    callback, verbose
        As in `unimds.place_center`.
    """

    def run(take: Take) -> None:
        any(take(points, aim) for points, aim in steps)

    return drive(
        problem,
        run,
        max_iter=max_iter,
        eps=eps,
        callback=callback,
        verbose=verbose,
        patience=patience,
    )


def drive(
    problem: Problem,
    run: Callable[[Take], Outcome | None],
    *,
    max_iter: int,
    eps: float = 0.0,
    callback: Callback | None = None,
    verbose: int = 0,
    patience: int = 1,
) -> Result:
    """Run a method whose loop is not ours; return the best map it found.

    Parameters
    ----------
    problem, max_iter, eps, callback, verbose, patience
        As in `follow`.
    run : callable
        The method: calls ``take(points, aim)`` with what `Steps` holds, until the end or until
        that returns True. It may return the reason why it ended itself.
    """
    check_parameters("rivals", max_iter=max_iter, eps=eps, callback=callback, verbose=verbose)
    watch = Watch(callback, verbose, eps)
    loss, space = problem.frame.loss, problem.frame.space
    stage = Stage(0.0, loss, loss, max_iter)
    records: list[Record] = []  # one, as soon as there is a seed
    lowest: list[float] = []
    outcome: Outcome | None = None

    def take(points: Array, aim: float | None) -> bool:
        nonlocal outcome
        X = np.array(points.T, order="C")
        if not records:
            with watch.halted():  # the clock does not charge a method for our cost
                records.append(Record(problem, X, watch))
        else:
            with watch.halted():
                cost, _ = problem.costs(X, loss, space)
            records[0].note(State(X, space, cost, cost), stage)
        if aim is not None:
            lowest.append(min([aim, *lowest[-1:]]))
        sweeps = records[0].sweeps
        if watch.stopped:
            outcome = Outcome.CALLBACK
        elif sweeps and records[0].now.cost <= problem.exact_cost:
            outcome = Outcome.EXACT
        elif _settled(lowest, eps, patience):
            outcome = Outcome.CONVERGED
        elif aim is not None and sweeps == max_iter:
            outcome = Outcome.MAX_ITER
        return outcome is not None

    try:
        with explained(loss, space):
            own = run(take)
        outcome = outcome or own or Outcome.FINISHED
    except KeyboardInterrupt:
        if not records:
            raise
        outcome = Outcome.INTERRUPTED
        warn(outcome.value, RuntimeWarning)
    result = records[0].result(outcome)
    watch.done(result.n_iter, result.cost, result.message)
    if outcome is Outcome.MAX_ITER:
        warn(f"{result.message} Raise max_iter={max_iter} or eps={eps:g}.", ConvergenceWarning)
    return result


def _settled(lowest: list[float], eps: float, patience: int) -> bool:
    if len(lowest) <= patience:
        return False
    fall = lowest[-1 - patience] - lowest[-1]
    return fall <= patience * eps * abs(lowest[-1])


def seed(problem: Problem, init: str | ArrayLike, random_state: Any) -> Array:
    """Return the seed that `init` names: points in rows, in the problem's unit."""
    check_parameters("rivals", init=init, random_state=random_state)
    rng = np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))
    return first_seed(problem, init, rng).T


def table(problem: Problem) -> Array:
    """Return the distances in the problem's unit, averaged over both directions of a pair."""
    return completed(problem.pairs) * problem.frame.unit


def merged(problem: Problem) -> tuple[Array, Array]:
    """Return one distance and one weight for each pair; missing pairs have weight 0.

    For the squared loss both directions of a pair are equivalent to their weighted mean.
    """
    D, W = problem.pairs.table.whole()
    parts = np.where(np.isnan(D), 0.0, 1.0 if W is None else W)
    total = parts.sum(axis=1)
    np.fill_diagonal(total, 0.0)
    pull = (parts * np.nan_to_num(D)).sum(axis=1)
    mean = np.divide(pull, total, out=np.zeros_like(total), where=total > 0.0)
    return mean * problem.frame.unit, total / D.shape[1]


def as_chords(D: Array, sphere: Space) -> Array:
    """Return distances on a sphere as chords of the unit sphere."""
    unit = D / sphere.unit
    if isinstance(sphere, ChordalSphere):
        return np.minimum(unit, 2.0)
    return np.asarray(2.0 * np.sin(0.5 * np.minimum(unit, np.pi)))
