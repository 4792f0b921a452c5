"""The race: which start to descend from.

The minimum that a map of low dimension ends in depends on its seed. So ``n_init="auto"`` looks for
a good one on a sample of the points (all of them, if they are few). The *spectral* seed is exact
for exact data. It is also *shaken*: its points are placed against a few others at a time, many
times over and against more and more, as in simulated annealing, which finds a better arrangement of
points without clusters. *Random* starts are shaken in the same way, on fewer points still where
there are many; they may find another arrangement of clusters. The best random start meets the
spectral ones, and after a few sweeps the winner is known; all other points are placed against its
map. Where points lie in clusters, `unimds.starts.clusters` finds their arrangement in less time
than shaking does. Where descents are quick, the winner descends, and points that lie in the wrong
place leave it, see `unimds.starts.elsewhere`. Tables of up to a hundred points have a search of
their own, `unimds.starts.hopping.small`, and most tables of some hundred points too,
`unimds.starts.middle`.

In a space of strong negative curvature points hardly pass each other, as shortest paths pass near
the centre: there starts are looked for at less curvature, and then bent. A table that a tree fits
has one more start there, see `unimds.starts.seeds.tree`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from unimds.placecenter.descent.driver import descend, descend_both_ways, lowered
from unimds.placecenter.descent.plan import Plan
from unimds.placecenter.fixed import Anchors
from unimds.placecenter.frame import Frame
from unimds.placecenter.new_points import place_against
from unimds.placecenter.problem import SINGLE_FROM, Problem
from unimds.placecenter.result import Outcome, Result
from unimds.starts.clusters import arranged
from unimds.starts.hopping.small import EFFORTS, Chosen, on_line, small_table
from unimds.starts.keep import Keeper
from unimds.starts.middle import MIDDLE, is_middle, is_quick, lowest_map, most_starts, settled
from unimds.starts.search import Search
from unimds.starts.seeds.initial import draw, first_seed
from unimds.starts.seeds.size import estimate_size
from unimds.starts.seeds.tree import JOINED, tree_start
from unimds.starts.shaking import SHAKE_SWEEPS, Shaker, rounded

Array = NDArray[Any]

RACE_SAMPLE, LARGE = 2500, 3000  # points that starts are looked for on; memory counts from here
SINGLE_EPS = 1e-7  # the cost may fall as slowly as this before rounding blurs it
SMALL_SAMPLE, RANDOM_STARTS = 150, 6
UNCLUSTERED_STARTS = 4  # of points that are known to lie in no clusters
SEED_TOL = 0.01  # enough where a map cannot be exact
ALONE_TOL = 0.1  # of a start that has no race to win
HEAT_SWEEPS, FLAT_SWEEPS, EXTEND_STEPS = 3, 30, 3
TRIAL_STEPS, NEAR = 12, 0.001  # of the seed, and how near it must come to go on


def race_pays(search: Search, problem: Problem) -> bool:
    """Return whether a race may find a lower minimum than a single start."""
    if _kind(search) not in ("auto", "random"):
        return False
    fewest = 2 if on_line(problem) else 4  # for less there is one arrangement, and no shaking
    # of many points, the seed mostly leads to the lowest map in more dimensions
    few = _is_small(search, problem) and problem.anneals_compiled
    if (problem.n_components > 3 and not few) or problem.pairs.n < fewest:
        return False
    # without all pairs a sample of the points might not hang together
    of_all = problem.pairs.n <= SMALL_SAMPLE or is_middle(problem, search.plan)
    return of_all or problem.pairs.weighing.complete


def race(search: Search, problem: Problem, rng: np.random.Generator) -> list[Array]:
    """Return what to finish: the best of several kinds of start after some sweeps of each.

    Of a small table the seed itself is finished in any case: racing is then never worse than not
    racing.
    """
    n, init, quiet = problem.pairs.n, search.init, search.watch.silent()
    sample = np.sort(rng.permutation(n)[: _sample_size(n)])
    whole = problem if sample.size == n else problem.on(sample)
    seed = first_seed(whole, init, rng, SEED_TOL)
    if init != "random" and whole.is_near(seed):
        seed = first_seed(whole, init, rng)
        if whole.is_exact(seed):
            return [extended(problem, sample, seed)]
    del whole  # there need not be two tables at a time
    small = problem.on(sample, single=n >= SINGLE_FROM)
    first = seed.astype(small.dtype)
    smoothing, loss = rounded(small, first)
    seeds = rng.integers(2**32, size=1 + _random_starts(search, problem))
    if is_middle(problem, search.plan):
        rough, adapts = _roughly(search), problem.adapts
        return [extended(problem, sample, lowest_map(search, small, rough, first, rng, adapts))]
    flat = small.flatter()
    mixed = rng.permutation(sample.size)
    chosen = np.sort(mixed[:SMALL_SAMPLE])
    few = flat if sample.size <= SMALL_SAMPLE else flat.on(chosen)
    all_shaker, few_shaker = Shaker(flat, rng), Shaker(few, rng)
    heat = replace(search.plan, max_iter=HEAT_SWEEPS, smoothing=smoothing)

    def find(kind: int) -> Array:
        own = np.random.default_rng(seeds[kind])
        if kind > 0:
            return few_shaker.shaken(loss, draw(few, own), SHAKE_SWEEPS, own, quiet)
        start = first if flat is small else first_seed(flat, init, own)
        return all_shaker.shaken(loss, start, SHAKE_SWEEPS, own, quiet)

    def winner(among: Problem, starts: list[Array]) -> Array:
        runs = search.each(lambda X: lowered(among, X, heat, quiet)[0], starts)
        return min(runs, key=lambda run: run.now.smooth).best.X

    starts = arranged(search, small, rng) if is_quick(small, search.plan) else []
    if not starts:
        known, *random = search.each(find, range(len(seeds)))
        starts = [known, extended(flat, chosen, winner(few, random))]
    grown: list[Array] = []
    if flat is not small:
        starts = search.each(lambda X: _bent(search, flat, small, X, smoothing), starts)
        if init != "random":
            grown = _grown(small, np.sort(mixed[:JOINED]), [first, winner(small, starts)])
    settles = _settles(problem, small)
    among = starts if settles else [first, *starts, *grown]
    if is_quick(problem, search.plan) and not problem.adapts:
        finished = [settled(small, _roughly(search), winner(small, among), search.watch)]
    elif n < MIDDLE and not settles:
        # a tree has settled already: to finish it takes little, and tells if it is lower
        finished = [first, winner(small, starts), *grown]
    else:
        finished = [winner(small, among)]
    if settles:
        finished = [_lower(search, small, X, first) for X in finished]
    return [extended(problem, sample, X) for X in finished]


def _random_starts(search: Search, problem: Problem) -> int:
    """Return how many random starts there are, unless points lie in clusters."""
    return UNCLUSTERED_STARTS if is_quick(problem, search.plan) else RANDOM_STARTS


def shaken_start(search: Search, problem: Problem, rng: np.random.Generator) -> Array:
    """Return one start without a race: the seed of a sample, shaken, with all others placed."""
    n = problem.pairs.n
    if n < 4:
        return first_seed(problem, "auto", rng)
    sample = _sample(problem, rng)
    small = problem.on(sample, single=n >= SINGLE_FROM)
    flat = small.flatter()
    seed = first_seed(flat, "auto", rng, ALONE_TOL)
    smoothing, loss = rounded(flat, seed)
    sweeps = SHAKE_SWEEPS if n >= SINGLE_FROM else SHAKE_SWEEPS // 2
    X = Shaker(flat, rng).shaken(loss, seed, sweeps, rng, search.watch.silent())
    if flat is not small:
        X = _bent(search, flat, small, X, smoothing)
    return extended(problem, sample, _settled(search, problem, small, X))


def _settles(problem: Problem, small: Problem) -> bool:
    """Whether to descend in single precision as far as it reaches, in a third of the time.

    A robust loss is sharpened to more digits than single precision has.
    """
    return small.dtype != problem.dtype and not small.frame.loss.anneals


def _roughly(search: Search) -> Plan:
    """Return the plan of a descent in single precision."""
    return replace(search.plan, eps=max(search.plan.eps, SINGLE_EPS))


def _lower(search: Search, small: Problem, low: Array, seed: Array) -> Array:
    """Return where a start settles, or where the seed does if that is lower.

    A seed that some steps do not bring near is given up.
    """
    plan, quiet = _roughly(search), search.watch.silent()
    settled, _ = lowered(small, low, plan, quiet)
    other, _ = lowered(small, seed, replace(plan, max_iter=TRIAL_STEPS), quiet)
    if other.now.smooth <= (1.0 + NEAR) * settled.now.smooth:
        other, _ = lowered(small, other.now.X, plan, quiet)
    return min(settled, other, key=lambda run: run.now.smooth).best.X


def _settled(search: Search, problem: Problem, small: Problem, X: Array) -> Array:
    """Return where `X` settles in single precision, if that saves time."""
    if not _settles(problem, small):
        return X
    return lowered(small, X, _roughly(search), search.watch.silent())[0].best.X


def _bent(search: Search, flat: Problem, small: Problem, X: Array, smoothing: float) -> Array:
    """Bring a start from a space of less curvature, once it has settled there."""
    heat = replace(search.plan, max_iter=FLAT_SWEEPS, smoothing=smoothing)
    settled = descend(flat, X, heat, search.watch.silent())
    bent = small.frame.space.from_flatter(settled.embedding, flat.frame.space)
    return small.inner(bent)


def _grown(small: Problem, few: Array, known: list[Array]) -> list[Array]:
    """Return the start from the tree of a few points, if it fits better than the known maps."""
    found = tree_start(small.on(few), [X[:, few] for X in known])
    return [] if found is None else [extended(small, few, found)]


def _sample(problem: Problem, rng: np.random.Generator) -> Array:
    """Return the points that take part: where pairs are missing, a sample might fall apart."""
    n, complete = problem.pairs.n, problem.pairs.weighing.complete
    return np.sort(rng.permutation(n)[: _sample_size(n) if complete else n])


def _sample_size(n: int) -> int:
    """Return how many points take part: of large tables so few that two copies are a quarter."""
    return min(n if n < LARGE else int(0.35 * n), RACE_SAMPLE)


def extended(problem: Problem, sample: Array, fixed: Array) -> Array:
    """Place all other points against the map of a sample, one column a point."""
    X = np.empty((len(fixed), problem.pairs.n), dtype=problem.dtype)
    X[:, sample] = fixed
    if sample.size < problem.pairs.n:
        rest = np.setdiff1d(np.arange(problem.pairs.n), sample)
        frame = replace(problem.frame, loss=problem.frame.loss.smoothed(problem.frame.scale))
        place = partial(_placed, frame, fixed.astype(problem.dtype))
        X[:, rest] = problem.pairs.table.against(rest, sample, place)
    return X


def _placed(frame: Frame, fixed: Array, D: Array, W: Array | None) -> Array:
    """Return the places of some rows; where nothing is known, any place."""
    P = np.tile(fixed[:, :1], (1, len(D)))
    told = ~np.isnan(D).all(axis=1)
    if told.any():
        weights, steps = None if W is None else W[told], EXTEND_STEPS
        P[:, told] = place_against(frame, D[told], weights, fixed, starts=1, steps=steps).points
    return P


Starts = Callable[[Search, Problem, Anchors | None, np.random.Generator], Chosen]
"""Finds the configurations to descend from."""


def _kind(search: Search) -> str:
    return search.init if isinstance(search.init, str) else "given"


def _is_small(search: Search, problem: Problem) -> bool:
    """Whether a table has so few points that the lowest map can be looked for."""
    few = EFFORTS[str(search.n_init)].few
    return problem.pairs.n <= few and problem.flatter() is problem


def _races(search: Search, problem: Problem, anchors: Anchors | None) -> bool:
    return search.n_init in EFFORTS and anchors is None and race_pays(search, problem)


def starts_in_memory(
    search: Search, problem: Problem, anchors: Anchors | None, random: np.random.Generator
) -> Chosen:
    """Return the configurations to descend from, found by looking at any of the pairs."""
    init = _kind(search)
    if _races(search, problem, anchors):
        own, races = search.in_unit(problem.frame), EFFORTS[str(search.n_init)].races
        if _is_small(search, problem):
            return small_table(own, problem, random)
        middle, n = is_middle(problem, search.plan), problem.pairs.n
        each = most_starts(n, problem.adapts) if middle else 2 + _random_starts(search, problem)
        count = races * each
        search.watch.say(f"Choosing among {count} starts …")
        raced = partial(race, own, problem, random)
        return Chosen(_until_stopped(search, problem, random, [raced] * races))
    count = EFFORTS[str(search.n_init)].races if search.n_init in EFFORTS else int(search.n_init)
    if init == "shaken":
        shaken = partial(shaken_start, search.in_unit(problem.frame), problem)
        all_shaken = partial(search.each, shaken, random.spawn(count))
        starts = _until_stopped(search, problem, random, [all_shaken])
    else:
        starts = [first_seed(problem, search.init, random)]
        if init in ("auto", "random"):
            starts += [draw(problem, random) for _ in range(count - 1)]
        if init == "auto" and anchors is None and _has_two_ways(search, problem):
            starts.append(starts[0])
    return Chosen([held(problem, X, anchors) for X in starts])


def _until_stopped(
    search: Search,
    problem: Problem,
    random: np.random.Generator,
    finds: Iterable[Callable[[], list[Array]]],
) -> list[Array]:
    """Return the starts that are found, one search after another, before ^C; else the seed."""
    found: list[Array] = []
    try:
        for find in finds:
            if search.watch.stopped:
                break
            found += find()
    except KeyboardInterrupt:
        search.watch.interrupted.set()
    if found:
        return found
    sample, init = _sample(problem, random), "random" if search.init == "random" else "auto"
    return [extended(problem, sample, first_seed(problem.on(sample), init, random))]


def _has_two_ways(search: Search, problem: Problem) -> bool:
    """Whether the seed may lead to two maps, by smaller and by larger steps of smoothing."""
    plan = search.in_unit(problem.frame).plan
    return search.n_init in EFFORTS and problem.pairs.n < MIDDLE and plan.anneals_far(problem)


def _is_fork(starts: list[Array]) -> bool:
    """Whether two ways lead down from one start, which then stands there twice."""
    return len(starts) == 2 and np.array_equal(starts[0], starts[1])


def held(problem: Problem, X: Array, anchors: Anchors | None) -> Array:
    """Return a start turned to meet the fixed points, if there are any."""
    if anchors is None:
        return X
    return problem.inner(anchors.hold(problem.frame.outer(X), problem.frame.space))


def lowest(
    search: Search,
    problem: Problem,
    random: np.random.Generator,
    anchors: Anchors | None = None,
    keeper: Keeper | None = None,
    find: Starts = starts_in_memory,
) -> Result:
    """Descend from one or several starts and return the best result."""
    watch = search.watch
    begun = None if keeper is None else keeper.begun(problem)
    if begun is None:
        if problem.frame.resize:
            watch.say("Estimating the size of the space …")
            # at the size of a tree, starts other than the tree's own end high
            grows = _races(search, problem, anchors) and _kind(search) == "auto"
            problem = estimate_size(problem, watch, trees=grows and find is starts_in_memory)
        chosen = find(search, problem, anchors, random)
        problem = chosen.sized(problem)
        if keeper is not None and not watch.interrupted.is_set():  # else they are not the best
            keeper.begin(problem, chosen)
    else:
        watch.say("Going on from the checkpoint …")
        problem, chosen = begun
    try:
        runs = _descents(search, problem, chosen.starts, keeper)
    except Exception:  # as where a cluster is lost: what there is must not be lost with it
        if keeper is not None:
            keeper.write()
        raise
    best = min(runs, key=lambda run: run.cost)  # the first of equals: the same on any threads
    best = chosen.told(best)
    if watch.interrupted.is_set():
        best = replace(best, outcome=Outcome.INTERRUPTED)
    if keeper is not None:
        keeper.end(best.outcome)
    return best


def _descents(
    search: Search, problem: Problem, starts: list[Array], keeper: Keeper | None
) -> list[Result]:
    """Descend from every start."""
    plan, watch = search.in_unit(problem.frame).plan, search.watch
    # one descent has all threads to itself; several have one each
    plan = replace(plan, threads=effective_n_jobs(search.n_jobs) if len(starts) == 1 else 1)
    slots = [None if keeper is None else keeper.slot(number) for number in range(len(starts))]

    def descended(number: int) -> Result:
        return descend(problem, starts[number], plan, watch, slots[number])

    # BLAS on one thread: on more it rounds in another way, and waits for others on a busy machine;
    # in few dimensions there are no products of matrices
    with threadpool_limits(1) if problem.n_components > 3 else nullcontext():
        if _is_fork(starts):
            return [descend_both_ways(problem, starts[0], plan, watch, slots, search.each)]
        return search.each(descended, range(len(starts)))
