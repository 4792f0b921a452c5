"""Starts: which seeds to descend from, and which descent to return.

The minimum that a map of low dimension ends in depends on its seed. So ``n_init="auto"`` looks for
a good one on a sample of the points (all of them, if they are few) in random order. The *spectral*
seed is exact for exact data. It is also *shaken*: its points are placed against a few others at a
time, many times over and against more and more, as simulated annealing does, which finds a better
arrangement of points without clusters. And *random* starts are shaken in the same way, on fewer
points still where there are many; they may find another arrangement of clusters. The best of these
meets the others, and after a few sweeps the best of all is known; all other points are placed
against its map.
In a space of strong negative curvature points hardly pass each other, as all ways lead by the
middle: there starts are looked for at less curvature, and then bent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from operator import itemgetter
from typing import Any, Protocol, TypeVar

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize_scalar

from unimds.anchors import Anchors
from unimds.checkpoint import Keeper, Slot
from unimds.losses import Loss
from unimds.pairs import as_float
from unimds.placing import Extension
from unimds.plan import Plan, annealing
from unimds.problem import Problem
from unimds.result import Outcome, Result
from unimds.spaces import SPACES, Space
from unimds.watch import Silent, Watch

Array = NDArray[Any]
Start = TypeVar("Start")
Run = TypeVar("Run")


class Descend(Protocol):
    """Sweeps from a configuration until the cost no longer falls."""

    def __call__(
        self, problem: Problem, X: Array, plan: Plan, watch: Watch, slot: Slot | None = None
    ) -> Result:
        """Return the result."""


SEEDS = sorted({name for space in SPACES.values() for name in space.seeds})
"""Names of spectral seeds."""

RACE_SAMPLE, LARGE = 2500, 3000  # points that starts are looked for on; memory counts from here
SINGLE_FROM, ALL_BELOW = 500, 1000
SMALL_SAMPLE, RANDOM_STARTS = 150, 3
SHAKE_SIZES = 8.0 * np.geomspace(1, 3, 700).round()  # a vector register holds eight
RANDOM_SIZES = 8.0 * np.geomspace(1, 3, 500).round()
HEAT_SWEEPS, FLAT_SWEEPS, EXTEND_STEPS, SIZE_SAMPLE, SIZE_SWEEPS = 6, 30, 6, 150, 10


def run_starts(
    descend: Descend,
    problem: Problem,
    plan: Plan,
    watch: Watch,
    init: str | ArrayLike,
    n_init: int | str,
    anchors: Anchors | None,
    rng: np.random.RandomState,
    n_jobs: int | None,
    keeper: Keeper | None = None,
) -> Result:
    """Descend from one or several seeds and return the best result."""
    begun = None if keeper is None else keeper.begun(problem)
    if begun is None:
        random = np.random.default_rng(rng.randint(np.iinfo(np.int32).max))
        if problem.resize:
            watch.say("Estimating the size of the space …")
            problem = replace(problem, space=estimate_size(descend, problem, watch))
        starts = _starts(descend, problem, plan, watch, init, n_init, anchors, random, n_jobs)
        if keeper is not None and not watch.interrupted.is_set():  # else they are not the best
            keeper.begin(problem, starts)
    else:
        watch.say("Going on from the checkpoint …")
        problem, starts = begun
    plan = _in_unit(plan, problem)

    def finish(number: int) -> Result:
        slot = None if keeper is None else keeper.slot(number)
        try:
            return descend(problem, starts[number], plan, watch, slot)
        except Exception:  # as where a cluster is lost: what there is must not be lost with it
            if keeper is not None:
                keeper.write()
            raise

    runs = _on_threads(finish, range(len(starts)), watch, n_jobs)
    best = min(runs, key=lambda run: run.cost)  # the first of equals: the same on any threads
    if watch.interrupted.is_set():
        best = replace(best, outcome=Outcome.INTERRUPTED)
        if keeper is not None:
            keeper.write()
    return best


def _starts(
    descend: Descend,
    problem: Problem,
    plan: Plan,
    watch: Watch,
    init: str | ArrayLike,
    n_init: int | str,
    anchors: Anchors | None,
    random: np.random.Generator,
    n_jobs: int | None,
) -> list[Array]:
    """Return what to descend from."""
    if problem.pairs.remote and isinstance(init, str) and init == "auto":
        first = _from_sample(descend, problem, plan, watch, n_init, random, n_jobs)
        return [first if anchors is None else _held(problem, first, anchors)]
    if n_init == "auto" and _race_pays(problem, init, anchors):
        watch.say(f"Choosing among {2 + RANDOM_STARTS} starts …")
        return _race(descend, problem, _in_unit(plan, problem), watch, init, random, n_jobs)
    first = first_seed(problem, init, random)
    starts = [first if anchors is None else _held(problem, first, anchors)]
    if n_init != "auto":
        again = isinstance(init, str) and init in ("auto", "random")
        others = [draw(problem, random) for _ in range(int(n_init) - 1)] if again else []
        starts += [_held(problem, X, anchors) if anchors else X for X in others]
    return starts


def _from_sample(
    descend: Descend,
    problem: Problem,
    plan: Plan,
    watch: Watch,
    n_init: int | str,
    rng: np.random.Generator,
    n_jobs: int | None,
) -> Array:
    """Return the map of a sample of the points, with all others placed where their rows are."""
    sample = np.sort(rng.permutation(problem.pairs.n)[:RACE_SAMPLE])
    watch.say(f"Mapping {len(sample):,} of the points …")
    small = replace(problem.on(sample), resize=False)
    state = np.random.RandomState(rng.integers(2**31))
    run = run_starts(descend, small, plan, Silent(watch), "auto", n_init, None, state, n_jobs)
    return _extended(problem, sample, small.inner(run.embedding))


def _in_unit(plan: Plan, problem: Problem) -> Plan:
    """Return the plan with a fixed smoothing in the unit of the problem."""
    if plan.smoothing == "auto" or not problem.loss.anneals:
        return plan
    loss = problem.loss.smoothed(float(plan.smoothing)).scaled(problem.unit)
    return replace(plan, smoothing=float(loss.smoothing))  # type: ignore[attr-defined]


def first_seed(problem: Problem, init: str | ArrayLike, rng: np.random.Generator) -> Array:
    """Return the seed that `init` stands for, as a configuration."""
    space, k = problem.space, problem.n_components
    if not isinstance(init, str):
        given = np.asarray(problem.inner(_given(init, problem)).T, dtype=np.float64)
        return _configuration(_untied(given, problem), problem)
    if init == "random":
        return draw(problem, rng)
    if init != "auto":
        if init not in SEEDS:
            names = ", ".join(map(repr, ["auto", "random", *SEEDS]))
            raise ValueError(f"init={init!r} is not known: use one of {names} or an array")
        if init not in space.seeds:
            raise ValueError(
                f'init={init!r} is not a seed for {type(space).__name__}; use "auto" for its own'
            )
    X = space.seed(problem.distances(), k)
    return draw(problem, rng) if X is None else _configuration(_untied(X, problem), problem)


def draw(problem: Problem, rng: np.random.Generator) -> Array:
    """Return a random configuration."""
    X = problem.space.random(problem.pairs.n, problem.n_components, problem.scale, rng)
    return _configuration(X, problem)


def _configuration(points: Array, problem: Problem) -> Array:
    return np.ascontiguousarray(points.T, dtype=problem.dtype)


def _given(init: ArrayLike, problem: Problem) -> Array:
    X = as_float(init, "init")
    shape = (problem.pairs.n, problem.space.n_coordinates(problem.n_components))
    if X.shape != shape:
        raise ValueError(f"init must have the shape {shape}, one point a row; got {X.shape}")
    if not np.isfinite(X).all():
        raise ValueError(f"init: row {np.argwhere(~np.isfinite(X))[0][0]} is not finite")
    problem.space.check_points(X, "init")
    return X


def _untied(X: Array, problem: Problem) -> Array:
    """Part points of a seed that coincide though their distance is not zero.

    A pair in one place has no direction to part in, and for some losses no reason to.
    """
    _, group, count = np.unique(X.round(12), axis=0, return_inverse=True, return_counts=True)
    for tied in (np.flatnonzero(group.ravel() == g) for g in np.flatnonzero(count > 1)):
        if np.nanmax(problem.pairs.table.block(tied, tied), initial=0.0) > 0.0:
            noise = np.random.default_rng(tied[0]).normal(size=(tied.size, X.shape[1]))
            X[tied] += 1e-4 * problem.scale / problem.space.unit * noise
    return problem.space.project_points(X)


def _held(problem: Problem, X: Array, anchors: Anchors) -> Array:
    return problem.inner(anchors.hold(problem.outer(X), problem.space))


# --- the race -----------------------------------------------------------------------------------


def _race_pays(problem: Problem, init: Any, anchors: Anchors | None) -> bool:
    if not (isinstance(init, str) and init in ("auto", "random")) or anchors is not None:
        return False
    if problem.n_components > 3 or problem.pairs.n < 4:
        return False
    # without all pairs a sample of the points might not hang together
    return problem.pairs.n <= SMALL_SAMPLE or problem.pairs.complete_graph


def _race(
    descend: Descend,
    problem: Problem,
    plan: Plan,
    watch: Watch,
    init: Any,
    rng: np.random.Generator,
    n_jobs: int | None,
) -> list[Array]:
    """Return what to finish: the best of several kinds of start after some sweeps of each.

    Of a small table the seed itself is finished in any case: racing is then never worse than not
    racing, and starts that are rough from shaking are not compared with one that is not.
    """
    n, quiet = problem.pairs.n, Silent(watch)
    sample = rng.permutation(n)[: _race_size(n)]  # in random order, as shaking needs
    small = problem.on(sample)
    # of all points in their own order: where eigenvalues are equal, seeds depend on it
    whole = sample.size == n
    seed = first_seed(problem, init, rng)[:, sample] if whole else first_seed(small, init, rng)
    seed = np.ascontiguousarray(seed)  # columns come in another order of memory: other kernels
    cost, _ = small.costs(seed, small.loss, small.space)
    if cost <= small.exact_cost:
        return [_extended(problem, sample, seed)]
    if n >= SINGLE_FROM and small.pairs.dtype != np.float32:
        # twice as fast, and only the arrangement counts; few points are not worth compiling it for
        del small  # there need not be two tables at a time
        small = problem.on(sample, single=True)
    first = seed.astype(small.dtype)
    smoothing = annealing(small, first)[0] if small.loss.anneals else 0.0
    loss = small.loss.smoothed(smoothing) if small.loss.anneals else small.loss
    seeds = rng.integers(2**32, size=1 + RANDOM_STARTS)
    flat = small.flatter()
    few = flat if n < ALL_BELOW else flat.on(np.arange(SMALL_SAMPLE))

    def find(kind: int) -> Array:
        own = np.random.default_rng(seeds[kind])
        if kind > 0:
            return shaken(few, loss, draw(few, own), RANDOM_SIZES, own, quiet)
        start = first if flat is small else first_seed(flat, init, own)
        return shaken(flat, loss, start, SHAKE_SIZES, own, quiet)

    def curved(X: Array) -> Array:
        settled = descend(flat, X, plan.heat(FLAT_SWEEPS, smoothing), quiet)
        return small.inner(small.space.from_flatter(settled.embedding, flat.space))

    def heated(among: Problem, starts: list[Array]) -> list[Array]:
        heat = plan.heat(HEAT_SWEEPS, smoothing)
        runs = _on_threads(lambda X: descend(among, X, heat, quiet), starts, watch, n_jobs)
        heats = [(float(run.levels[-1, 1]), among.inner(run.embedding)) for run in runs]
        return [X for _, X in sorted(heats, key=itemgetter(0))]

    known, *random = _on_threads(find, range(len(seeds)), watch, n_jobs)
    best = _extended(flat, np.arange(few.pairs.n), heated(few, random)[0])
    starts = [X if flat is small else curved(X) for X in (known, best)]
    if n < ALL_BELOW:
        return [_extended(problem, sample, X) for X in (seed, heated(small, starts)[0])]
    return [_extended(problem, sample, heated(small, [first, *starts])[0])]


def _race_size(n: int) -> int:
    """Return how many points take part: of large tables few enough for a fifth of the memory."""
    return min(n if n < LARGE else int(0.45 * n), RACE_SAMPLE)


def shaken(
    problem: Problem,
    loss: Loss,
    X: Array,
    sizes: Array,
    rng: np.random.Generator,
    watch: Watch,
) -> Array:
    """Return a configuration near `X`, but not in the first minimum on the way down.

    Every point is placed against a few others, by `sizes` from sweep to sweep; the more, the less
    a point strays. The order of the points must be random.
    """
    first, X, n = X, X.copy(), problem.pairs.n
    for part in np.array_split(np.minimum(sizes.round().astype(int), n), max(len(sizes) // 50, 1)):
        problem.shake(X, loss, part, rng.random((len(part), (n + 1) // 2), dtype=np.float32))
        if watch.stopped:
            break
    # where curvature is strong, points may be thrown farther than numbers reach
    return X if np.isfinite(problem.costs(X, loss, problem.space)[1]) else first


def _extended(problem: Problem, sample: Array, fixed: Array) -> Array:
    """Place all other points against the map of a sample."""
    loss = problem.loss.smoothed(problem.scale) if problem.loss.anneals else problem.loss
    fixed, space, scale = fixed.astype(problem.dtype), problem.space, problem.scale
    return problem.pairs.extended(
        Extension(sample, fixed, loss, space, problem.unit, scale, EXTEND_STEPS)
    )


def _on_threads(
    task: Callable[[Start], Run], starts: Iterable[Start], watch: Watch, n_jobs: int | None
) -> list[Run]:
    """Run a task for every start, on threads where asked for; in the order of the starts."""
    starts = list(starts)
    threads = min(effective_n_jobs(n_jobs), len(starts))
    if threads <= 1:
        return [task(X) for X in starts]
    with ThreadPoolExecutor(threads) as pool:
        futures: list[Future[Run]] = []
        try:
            futures.extend(pool.submit(task, X) for X in starts)
            return [future.result() for future in futures]
        except KeyboardInterrupt:  # every start ends after its sweep, with its best so far
            watch.interrupted.set()
            return [future.result() for future in futures] or [task(starts[0])]
        except BaseException:  # an error of one start ends the others too
            watch.interrupted.set()
            pool.shutdown(cancel_futures=True)
            raise


# --- the size of a space -------------------------------------------------------------------------


def estimate_size(descend: Descend, problem: Problem, watch: Watch) -> Space:
    """Return the space at the size whose seed fits best, after a few sweeps on a sample."""
    n = problem.pairs.n
    rng = np.random.default_rng(0)
    sample = np.sort(rng.permutation(n)[:SIZE_SAMPLE])
    # without all pairs a sample might not hang together; but no table of a cluster comes here
    whole = not problem.pairs.remote and (sample.size == n or not problem.pairs.complete_graph)
    small = problem if whole else problem.on(sample)
    D = small.pairs.complete() * small.unit
    apart = D[D > 0.0]
    if not apart.size:
        return problem.space.sized(1.0)
    typical = float(np.median(apart))  # not the largest, which may be corrupted
    plan = Plan(max_iter=SIZE_SWEEPS, smoothing=0.2 * typical)

    def cost_at(log_unit: float) -> float:
        trial = replace(small, space=small.space.sized(np.exp(log_unit)), resize=False)
        seed = trial.space.seed(D, problem.n_components)
        X = draw(trial, np.random.default_rng(0)) if seed is None else _configuration(seed, trial)
        return float(descend(trial, X, plan, Silent(watch)).cost)

    # Beyond the upper end any space is as good as flat.
    low, high = problem.space.sizes(typical)
    grid = np.linspace(np.log(low), np.log(high), 16)
    at = int(np.argmin([cost_at(x) for x in grid]))
    around = (grid[max(at - 1, 0)], grid[min(at + 1, len(grid) - 1)])
    found = minimize_scalar(cost_at, bounds=around, method="bounded", options={"xatol": 1e-5})
    return problem.space.sized(float(np.exp(found.x)))
