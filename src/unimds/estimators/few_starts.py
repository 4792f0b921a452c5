"""Fits that are made by the dozen: few starts, and no more digits than a comparison needs."""

from __future__ import annotations

from unimds.estimators.mds import MDS
from unimds.estimators.solver import Solver
from unimds.starts.hopping.small import EFFORTS

STARTS = 3
"""Starts of such a map: with these it ends about as low as after a long search."""
EPS = 1e-5
"""How slowly the cost may fall: what is compared is known to fewer digits than that."""
QUIET = {"n_jobs": None, "verbose": 0, "callback": None, "checkpoint": None}
"""One of many fits runs on one thread, and tells nobody."""


def few_starts(mds: MDS, n: int, seed: int) -> Solver:
    """Return the solver of a map that starts from its own table, a few times.

    Of few points `MDS` looks for the lowest map for long; some starts tell what is compared as
    well. Points that the estimator starts from belong to one table, and do not count here.
    """
    solver = Solver.of(mds, random_state=seed, eps=max(mds.eps, EPS), **QUIET)
    own = "auto" if not isinstance(mds.init, str) else mds.init
    if (own, mds.n_init) == ("auto", "auto") and n <= EFFORTS["auto"].few:
        return Solver.of(solver, init="shaken", n_init=STARTS)
    return Solver.of(solver, init=own)
