"""The size of a space that is to be found: the radius of a sphere, the curvature of a plane."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from unimds._runtime.watch import Watch
from unimds.placecenter.descent import Plan, descend
from unimds.spaces.base import Space
from unimds.starts.initial import completed, configuration, draw
from unimds.starts.tree import tree_size

if TYPE_CHECKING:
    from unimds.placecenter.problem import Problem

Array = NDArray[Any]

SIZE_SAMPLE, SIZE_SWEEPS = 150, 10


def estimate_size(problem: Problem, watch: Watch) -> Space:
    """Return the space at the size whose seed fits best, after a few sweeps on a sample."""
    pairs, space = problem.pairs, problem.frame.space
    sample = pairs.table.sample(SIZE_SAMPLE, pairs.weighing.complete, np.random.default_rng(0))
    small = problem if sample is None else problem.on(sample)
    D = completed(small.pairs) * small.frame.unit
    apart = D[D > 0.0]
    if not apart.size:
        return space.sized(1.0)
    typical = float(np.median(apart))  # not the largest, which may be corrupted
    plan = Plan(max_iter=SIZE_SWEEPS, smoothing=0.2 * typical)

    def cost_at(log_unit: float) -> float:
        trial = small.within(space.sized(np.exp(log_unit)))
        seed = trial.frame.space.seed(D, problem.n_components)
        X = draw(trial, np.random.default_rng(0)) if seed is None else configuration(seed, trial)
        return float(descend(trial, X, plan, watch.silent()).cost)

    # Beyond the upper end any space is as good as flat.
    low, high = space.sizes(typical)
    grid = np.linspace(np.log(low), np.log(high), 16)
    at = int(np.argmin([cost_at(x) for x in grid]))
    around = (grid[max(at - 1, 0)], grid[min(at + 1, len(grid) - 1)])
    found = minimize_scalar(cost_at, bounds=around, method="bounded", options={"xatol": 1e-5})
    unit = float(np.exp(found.x))
    tree = tree_size(small.within(space.sized(unit)), low)
    return space.sized(unit if tree is None else tree.unit)
