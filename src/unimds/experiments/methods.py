"""The methods that the figures compare: PlaceCenter in two forms, and its rivals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds import rivals
from unimds.estimators.place_center import place_center
from unimds.losses import Loss
from unimds.placecenter.result import Result
from unimds.spaces import Space


@dataclass(frozen=True)
class Setting:
    """One panel of a figure: distances, and what to make of them."""

    name: str
    D: NDArray[np.floating[Any]]
    n_components: int
    loss: Loss
    space: Space

    def small(self) -> Setting:
        """Return the same with fewer points: a run of it compiles all that the true one needs."""
        few = slice(0, 160)  # more than the race takes as a sample, so that it does place the rest
        return Setting(self.name, self.D[few, few], 2, self.loss, self.space)


@dataclass(frozen=True)
class Effort:
    """How long methods may try. Iterations end before that where nothing more is gained."""

    max_iter: int = 20_000
    eps: float = 1e-9
    sweeps: int = 500  # of the paper's form, in which a sweep repeats every placement
    cd_steps: int = 400
    sgd_passes: int = 300


@dataclass(frozen=True)
class Method:
    """A method under its name in a file, with the one in a figure."""

    name: str
    label: str
    run: Callable[[Setting, Effort], Result]


def _problem(setting: Setting) -> dict[str, Any]:
    return {"loss": setting.loss, "space": setting.space}


def _unimds(s: Setting, effort: Effort) -> Result:
    return place_center(
        s.D,
        s.n_components,
        **_problem(s),
        max_iter=effort.max_iter,
        eps=effort.eps,
        random_state=0,
    )


def _paper(s: Setting, effort: Effort) -> Result:
    # the pseudo-code as printed: every placement is repeated until the point stays
    return place_center(
        s.D,
        s.n_components,
        **_problem(s),
        smoothing=0,
        accelerate=False,
        inner_iter=100,
        n_init=1,
        max_iter=effort.sweeps,
        eps=effort.eps,
    )


def _svd(s: Setting, effort: Effort) -> Result:
    return rivals.classical_mds(s.D, s.n_components, loss=s.loss)


def _smacof(s: Setting, effort: Effort) -> Result:
    return rivals.smacof(s.D, s.n_components, loss=s.loss, max_iter=effort.max_iter, eps=effort.eps)


def _cd(init: str) -> Callable[[Setting, Effort], Result]:
    def run(s: Setting, effort: Effort) -> Result:
        return rivals.robust_euclidean_embedding(
            s.D, s.n_components, loss=s.loss, init=init, max_iter=effort.cd_steps, random_state=0
        )

    return run


def _sgd(s: Setting, effort: Effort) -> Result:
    # measured: in the plane and in space it ends lower from a random seed, elsewhere from that of
    # the other methods
    return rivals.sgd(
        s.D,
        s.n_components,
        **_problem(s),
        init="random" if s.n_components <= 3 else "auto",
        max_iter=effort.sgd_passes,
        random_state=0,
    )


def _smacof_q(kappa: float) -> Method:
    def run(s: Setting, effort: Effort) -> Result:
        return rivals.smacof_q(
            s.D,
            s.n_components,
            kappa=kappa,
            **_problem(s),
            max_iter=effort.max_iter,
            eps=effort.eps,
        )

    return Method(f"smacof-q-{kappa:g}", f"SMACOF-Q, κ={kappa:g}", run)


def _elad(s: Setting, effort: Effort) -> Result:
    return rivals.multiresolution(
        s.D, s.n_components, **_problem(s), max_iter=effort.max_iter, eps=effort.eps
    )


def _renormalised(s: Setting, effort: Effort) -> Result:
    return rivals.renormalised(s.D, s.n_components, **_problem(s))


OURS = Method("pc-unimds", "PC, unimds", _unimds)
PAPER = Method("pc-paper", "PC, paper", _paper)
SVD = Method("svd", "SVD (cMDS)", _svd)
SMACOF = Method("smacof", "SMACOF", _smacof)
CD_SVD = Method("cd-svd", "CD+SVD", _cd("svd"))
CD_RAND = Method("cd-rand", "CD+rand", _cd("random"))
SGD = Method("sgd", "SGD", _sgd)
ELAD = Method("elad", "Elad et al.", _elad)
RENORMALISED = Method("renormalised", "Pless & Simon", _renormalised)
KAPPAS = (1.0, 10.0, 100.0, 1000.0, 10_000.0)
SMACOF_Q = tuple(_smacof_q(kappa) for kappa in KAPPAS)
