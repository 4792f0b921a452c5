"""The size of a space that is to be found: the radius of a sphere, the curvature of a plane."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from unimds._runtime.watch import Watch
from unimds.placecenter.descent.driver import descend
from unimds.placecenter.descent.plan import Plan
from unimds.placecenter.result import Result
from unimds.starts.seeds.initial import completed, configuration, draw
from unimds.starts.seeds.tree import tree_size

if TYPE_CHECKING:
    from unimds.placecenter.problem import Problem

Array = NDArray[Any]

SIZE_SAMPLE, SIZE_SWEEPS = 150, 10


def estimate_size(problem: Problem, watch: Watch, trees: bool) -> Problem:
    """Return the problem at the size whose seed fits best, after a few sweeps on a sample.

    Where a tree fits better, its size is taken, if starts from `trees` follow. An exact tree fits
    the better, the stronger the curvature, without end: then the size stays where coordinates
    still have digits.
    """
    pairs, space = problem.pairs, problem.frame.space
    sample = pairs.table.sample(SIZE_SAMPLE, pairs.weighing.complete, np.random.default_rng(0))
    small = problem if sample is None else problem.on(sample)
    D = completed(small.pairs) * small.frame.unit
    apart = D[D > 0.0]
    if not apart.size:
        return problem.within(space.sized(1.0), resize=True)
    typical = float(np.median(apart))  # not the largest, which may be corrupted
    plan = Plan(max_iter=SIZE_SWEEPS, smoothing=0.2 * typical)

    def at(unit: float) -> Problem:
        return small.within(space.sized(unit))

    def run(trial: Problem, X: Array) -> Result:
        return descend(trial, X, plan, watch.silent())

    def found_at(unit: float) -> Result:
        trial = at(unit)
        seed = trial.frame.space.seed(D, problem.n_components)
        X = draw(trial, np.random.default_rng(0)) if seed is None else configuration(seed, trial)
        return run(trial, X)

    def cost_at(log_unit: float) -> float:
        return float(found_at(np.exp(log_unit)).cost)

    # Beyond the upper end any space is as good as flat.
    low, high = space.sizes(typical)
    grid = np.linspace(np.log(low), np.log(high), 16)
    best = int(np.argmin([cost_at(x) for x in grid]))
    around = (grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)])
    found = minimize_scalar(cost_at, bounds=around, method="bounded", options={"xatol": 1e-5})
    unit = float(np.exp(found.x))
    known = found_at(unit).embedding if trees else None
    tree = None if known is None else tree_size(at(unit), [at(unit).inner(known)])
    if tree is not None and run(at(tree.unit), tree.X).cost < found.fun:
        return problem.within(space.sized(tree.unit), resize=tree.free)
    return problem.within(space.sized(unit), resize=True)
