"""The methods that the figures compare, PlaceCenter in two forms and its rivals, and their runs."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from unimds.estimators.place_center import place_center
from unimds.experiments.data import Setting
from unimds.experiments.runs import REFERENCE, Run
from unimds.placecenter.result import Outcome, Result
from unimds.quality import total_cost
from unimds.rivals.classical import classical_mds
from unimds.rivals.coarse_to_fine import multiresolution
from unimds.rivals.majorisation import smacof, smacof_q
from unimds.rivals.normalisation import renormalised
from unimds.rivals.quasi_newton import lbfgs
from unimds.rivals.robust import robust_euclidean_embedding
from unimds.rivals.stochastic import sgd

CURVE_POINTS = 300  # enough for any line


@dataclass(frozen=True)
class Effort:
    """How long methods may run; they stop earlier when they converge."""

    max_iter: int = 20_000
    eps: float = 1e-9
    sweeps: int = 500  # of the paper's form, in which a sweep repeats every placement
    cd_steps: int = 400
    sgd_passes: int = 300


BRIEFLY = Effort(max_iter=2, sweeps=2, cd_steps=2, sgd_passes=2)  # long enough to compile


@dataclass(frozen=True)
class Method:
    """A method, with its name in files and its label in figures."""

    name: str
    label: str
    run: Callable[[Setting, Effort], Result]


def _problem(setting: Setting) -> dict[str, Any]:
    names = ("D", "n_components", "loss", "space")
    return {name: getattr(setting, name) for name in names}


def _unimds(s: Setting, effort: Effort) -> Result:
    return place_center(**_problem(s), max_iter=effort.max_iter, eps=effort.eps, random_state=0)


def _paper(s: Setting, effort: Effort) -> Result:
    # the pseudo-code as printed: every placement is repeated until the point no longer moves
    return place_center(
        **_problem(s),
        smoothing=0,
        accelerate=False,
        inner_iter=100,
        n_init=1,
        max_iter=effort.sweeps,
        eps=effort.eps,
    )


def _svd(s: Setting, effort: Effort) -> Result:
    return classical_mds(s.D, s.n_components, loss=s.loss)


def _smacof(s: Setting, effort: Effort) -> Result:
    return smacof(s.D, s.n_components, loss=s.loss, max_iter=effort.max_iter, eps=effort.eps)


def _lbfgs(s: Setting, effort: Effort) -> Result:
    return lbfgs(s.D, s.n_components, loss=s.loss, max_iter=effort.max_iter, eps=effort.eps)


def _cd(init: str) -> Callable[[Setting, Effort], Result]:
    def run(s: Setting, effort: Effort) -> Result:
        return robust_euclidean_embedding(
            s.D, s.n_components, loss=s.loss, init=init, max_iter=effort.cd_steps, random_state=0
        )

    return run


def _sgd(s: Setting, effort: Effort) -> Result:
    # measured: in two and three dimensions it ends lower from a random seed, in more dimensions
    # from the seed of the other methods
    return sgd(
        **_problem(s),
        init="random" if s.n_components <= 3 else "auto",
        max_iter=effort.sgd_passes,
        random_state=0,
    )


def _smacof_q(kappa: float) -> Method:
    def run(s: Setting, effort: Effort) -> Result:
        return smacof_q(**_problem(s), kappa=kappa, max_iter=effort.max_iter, eps=effort.eps)

    return Method(f"smacof-q-{kappa:g}", f"SMACOF-Q, κ={kappa:g}", run)


def _elad(s: Setting, effort: Effort) -> Result:
    return multiresolution(**_problem(s), max_iter=effort.max_iter, eps=effort.eps)


def _renormalised(s: Setting, effort: Effort) -> Result:
    return renormalised(**_problem(s))


OURS = Method(REFERENCE, "PC, unimds", _unimds)
PAPER = Method("pc-paper", "PC, paper", _paper)
SVD = Method("svd", "SVD (cMDS)", _svd)
SMACOF = Method("smacof", "SMACOF", _smacof)
LBFGS = Method("lbfgs", "L-BFGS", _lbfgs)
CD_SVD = Method("cd-svd", "CD+SVD", _cd("svd"))
CD_RAND = Method("cd-rand", "CD+rand", _cd("random"))
SGD = Method("sgd", "SGD", _sgd)
ELAD = Method("elad", "Elad et al.", _elad)
RENORMALISED = Method("renormalised", "Pless & Simon", _renormalised)
SMACOF_Q = tuple(_smacof_q(kappa) for kappa in (1.0, 10.0, 100.0, 1000.0, 10_000.0))

METHODS = {
    method.name: method
    for method in (
        *(OURS, PAPER, LBFGS, SVD, SMACOF, CD_SVD, CD_RAND, SGD, ELAD, RENORMALISED),
        *SMACOF_Q,
    )
}


def measure(figure: str, setting: Setting, method: Method, effort: Effort) -> Run:
    """Run a method, compiled beforehand, on one core."""
    # one core for all: PlaceCenter uses one, and linear algebra on more stalls on a busy machine
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")  # the run's message tells whether the method converged
        for task, pains in ((setting.small(), BRIEFLY), (setting, effort)):
            result = method.run(task, pains)
            if result.outcome is Outcome.INTERRUPTED:  # an interrupted run is not kept
                raise KeyboardInterrupt
    return judged(figure, setting, method, result)


def judged(figure: str, setting: Setting, method: Method, result: Result) -> Run:
    """Return the run of a method, with the cost measured by one function for all methods."""
    cost = total_cost(setting.D, result.embedding, loss=setting.loss, space=setting.space)
    seconds, costs = result.history.T
    return Run(
        figure=figure,
        setting=setting.name,
        method=method.name,
        label=method.label,
        cost=cost,
        seconds=float(seconds[-1]),
        sweeps=result.n_iter,
        rises=int(np.count_nonzero(np.diff(costs) > 1e-12 * costs[:-1])),
        message=result.message,
        curve=thinned(result),
    )


def thinned(result: Result) -> list[tuple[float, float]]:
    """Return cost against time at iterations that are evenly spaced on a logarithmic scale."""
    last = len(result.history) - 1
    index = np.unique(np.geomspace(1, last + 1, CURVE_POINTS).round().astype(int) - 1)
    return [(float(f"{s:.4g}"), float(f"{c:.8g}")) for s, c in result.history[index]]
