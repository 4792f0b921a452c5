"""Small tables: the lowest map, whatever the random state and the order of the points."""

import signal
from dataclasses import replace
from itertools import permutations
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import shortest_path

from tests.support.parts import name, slow
from tests.support.tables import table
from unimds import MDS, place_center
from unimds._runtime.watch import Watch
from unimds.distances.pairs import as_pairs
from unimds.losses import Absolute, Huber, Squared
from unimds.placecenter.descent.plan import Plan
from unimds.placecenter.descent.quasi_newton import annealed
from unimds.placecenter.minima import alike
from unimds.placecenter.problem import Problem
from unimds.placecenter.result import Outcome
from unimds.spaces import Euclidean, Simplex, Sphere, distances
from unimds.starts.hopping.base import Hopping, Minimum, Ways, hopped
from unimds.starts.hopping.small import (
    BARREN,
    EFFORTS,
    GENERATION,
    NEARBY,
    Crossings,
    Found,
    Hops,
    Quest,
)
from unimds.starts.hopping.ways import hopping
from unimds.starts.seriation.line import best_order, placed

AGAIN = EFFORTS["auto"].again


def random_table(n, seed, low=0.0):
    D = np.triu(np.random.default_rng(seed).uniform(low, 1.0, (n, n)), 1)
    return D + D.T


def error_of(D, x):
    """Return Σ_{i<j} (|x_i − x_j| − d_ij)²."""
    return 0.5 * np.sum((np.abs(x[:, None] - x) - D) ** 2)


def least_error(D):
    """Return the least squared error on a line, by trying all orders."""
    n, least = len(D), np.inf
    for order in permutations(range(n)):
        if order[0] < order[-1]:  # an order and its reverse are one map
            signs = np.sign(np.subtract.outer(np.argsort(order), np.argsort(order)))
            least = min(least, error_of(D, np.sum(signs * D, axis=1) / n))
    return least


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("seed", range(5))
def test_on_a_line_the_map_is_the_lowest_of_all_orders(n, seed):
    D = random_table(n, seed)
    result = place_center(D, 1, random_state=0)
    assert result.cost <= least_error(D) * (1.0 + 1e-12) + 1e-15


@pytest.mark.slow
@pytest.mark.parametrize("n", [7, 8, 9])
def test_dynamic_programming_equals_enumeration(n):
    for seed in range({7: 600, 8: 300, 9: 100}[n]):
        D = random_table(n, seed)
        x = placed(D, best_order(D))
        signs = np.array(list(permutations(range(n))))
        place = np.argsort(signs, axis=1)
        t = np.einsum("oij,ij->oi", np.sign(place[:, :, None] - place[:, None, :]), D)
        least = 0.5 * np.sum(D**2) - np.max(np.sum(t**2, axis=1)) / n
        assert error_of(D, x) == pytest.approx(least, rel=1e-9)


def test_the_outcome_says_that_a_map_on_a_line_is_proven():
    D = random_table(8, 1)
    assert place_center(D, 1).outcome is Outcome.PROVEN
    assert "all orders" in place_center(D, 1).message
    x = np.arange(8.0)
    assert place_center(np.abs(x[:, None] - x), 1).outcome is Outcome.EXACT
    weights = np.ones((8, 8))
    weights[0, 1] = weights[1, 0] = 2.0
    assert place_center(D, 1, weights=weights).outcome is not Outcome.PROVEN
    assert place_center(D, 1, loss="absolute").outcome is not Outcome.PROVEN
    assert place_center(random_table(21, 0), 1).outcome is not Outcome.PROVEN


def test_an_asymmetric_table_has_the_best_order_of_its_means():
    D = np.random.default_rng(3).uniform(size=(7, 7))
    np.fill_diagonal(D, 0.0)
    mean = 0.5 * (D + D.T)
    x = place_center(D, 1).embedding[:, 0]
    assert error_of(mean, x) == pytest.approx(least_error(mean), rel=1e-9)


def tables():
    rng = np.random.default_rng(7)
    yield random_table(10, 0, 0.2), {}
    yield distances(rng.normal(size=(18, 5))), {}
    yield np.round(distances(rng.normal(size=(15, 4))) * 2.0), {}  # many ties
    yield distances(rng.normal(size=(12, 6))), {"n_components": 3}
    yield random_table(12, 3, 0.5), {"space": "sphere"}
    yield random_table(24, 2), {"n_components": 1}
    yield random_table(14, 1, 0.3), {"n_components": 1, "loss": "absolute"}
    yield 3.0 * random_table(16, 1, 0.2), {"n_components": 1, "space": "sphere"}
    yield 3.0 * random_table(12, 2, 0.2), {"n_components": 1, "space": "sphere", "loss": "absolute"}
    yield distances(rng.normal(size=(14, 4))), {"loss": "absolute"}


@pytest.mark.sample(1)
@pytest.mark.parametrize("case", [slow(case) if case in (6, 8) else case for case in range(10)])
def test_random_states_and_orders_of_the_points_end_in_the_same_map(case):
    D, options = list(tables())[case]
    costs = [place_center(D, random_state=state, **options).cost for state in range(3)]
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(D))
        costs.append(place_center(D[np.ix_(order, order)], random_state=seed, **options).cost)
    assert max(costs) <= min(costs) * (1.0 + 1e-6)


def test_no_random_start_leads_lower():
    D = random_table(14, 5, 0.3)
    found = place_center(D, random_state=0).cost
    others = place_center(D, init="random", n_init=300, random_state=1).cost
    assert found <= others * (1.0 + 1e-6)


def test_a_result_tells_what_the_starts_cost():
    D = random_table(11, 2, 0.2)
    result = place_center(D, random_state=0)
    assert result.found >= AGAIN
    assert result.found == alike(result.starts.costs)
    assert result.starts.costs.min() == pytest.approx(result.cost, rel=1e-6)
    assert place_center(D, n_init=3).starts is None
    assert place_center(D, n_init=3).found == 0


@pytest.mark.usefixtures("threads_of_blas")
def test_the_starts_and_the_map_are_the_same_on_threads():
    D = random_table(16, 4)
    one, two = (place_center(D, random_state=0, n_jobs=jobs) for jobs in (1, 2))
    assert np.array_equal(one.embedding, two.embedding)
    assert np.array_equal(one.starts.costs, two.starts.costs)


def test_an_exact_table_needs_no_search():
    D = distances(np.random.default_rng(0).normal(size=(20, 2)))
    result = place_center(D, random_state=0)
    assert result.outcome is Outcome.EXACT
    assert len(result.starts) == 1


def test_missing_pairs_and_weights_take_part():
    rng = np.random.default_rng(1)
    D, W = random_table(12, 6, 0.3), rng.uniform(0.5, 2.0, (12, 12))
    D[2, 5] = D[5, 2] = np.nan
    W = W + W.T
    costs = [place_center(D, weights=W, random_state=state).cost for state in range(3)]
    assert max(costs) <= min(costs) * (1.0 + 1e-6)


def test_hops_go_on_where_tables_with_errors_are_met_exactly():
    """A triangle that no map meets, and two points that hang on it: with errors it may close."""
    D = np.full((5, 5), np.nan)
    np.fill_diagonal(D, 0.0)
    for i, j, d in ((0, 1, 1.0), (0, 2, 1.0), (1, 2, 2.1), (2, 3, 1.0), (3, 4, 1.0)):
        D[i, j] = D[j, i] = d
    cost = place_center(D, random_state=0).cost
    assert cost == pytest.approx(0.1**2 / 3.0, rel=1e-6)  # each side bears a third of what is short


def test_the_estimator_has_the_starts():
    mds = MDS(metric="precomputed", random_state=0).fit(random_table(9, 0, 0.3))
    assert mds.result_.found >= AGAIN


def test_the_best_different_maps_are_apart_and_turned_onto_the_first():
    result = place_center(random_table(15, 3, 0.3), random_state=0)
    starts = result.starts
    maps = starts.different(3, apart=0.1)
    assert len(maps) == 3
    assert [one.cost for one in maps] == sorted(one.cost for one in maps)
    assert maps[0].cost == pytest.approx(starts.costs.min(), rel=1e-9)
    assert maps[0].embedding == pytest.approx(result.embedding, abs=1e-4)
    first = maps[0].embedding - maps[0].embedding.mean(axis=0)
    size = np.sqrt(np.mean(np.sum(first**2, axis=1)))
    for one in maps[1:]:
        other = one.embedding - one.embedding.mean(axis=0)
        u, _, vt = np.linalg.svd(other.T @ first)
        off = np.sqrt(np.mean(np.sum((other @ (u @ vt) - first) ** 2, axis=1)))
        assert off / size == pytest.approx(one.distance, rel=1e-6)
        assert one.distance > 0.1


def test_a_mirrored_map_is_not_a_different_one():
    result = place_center(random_table(10, 4, 0.3), random_state=0)
    mirrored = result.starts.embeddings[:1] * [-1.0, 1.0]
    both = np.concatenate([result.starts.embeddings[:1], mirrored])
    twice = replace(result.starts, embeddings=both, embedding_costs=np.ones(2))
    assert len(twice.different()) == 1


def test_thorough_starts_are_more_and_never_end_higher():
    D = random_table(9, 8, 0.3)
    usual, thorough = (place_center(D, n_init=n, random_state=0) for n in ("auto", "thorough"))
    assert thorough.cost <= usual.cost * (1.0 + 1e-9)
    assert thorough.found >= EFFORTS["thorough"].again > usual.found // 2
    assert len(thorough.starts) > len(usual.starts)


def test_thorough_starts_can_be_interrupted(monkeypatch):
    D, calls = random_table(60, 1), []

    def stop(minima):
        calls.append(minima)
        if len(calls) == 3:
            signal.raise_signal(signal.SIGINT)

    add = Found.add

    def noted(self, minima, **options):
        add(self, minima, **options)
        stop(minima)

    monkeypatch.setattr(Found, "add", noted)
    with pytest.warns(RuntimeWarning, match="Interrupted"):
        result = place_center(D, n_init="thorough", random_state=0)
    assert result.outcome is Outcome.INTERRUPTED
    assert np.isfinite(result.cost)


def test_before_the_first_start_an_interruption_ends_all(monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Quest, "_from", interrupted)
    with pytest.raises(KeyboardInterrupt):
        place_center(random_table(8, 1), random_state=0)


def test_thorough_races_several_times_where_points_are_many():
    X = np.random.default_rng(0).normal(size=(310, 3))
    usual, thorough = (MDS(n_init=n, random_state=0).fit(X) for n in ("auto", "thorough"))
    assert thorough.cost_ <= usual.cost_ * (1.0 + 1e-9)
    assert thorough.starts_ is None


@pytest.mark.parametrize("options", [{}, {"space": "sphere"}, {"n_components": 1}], ids=str)
def test_random_states_do_not_turn_the_map(options):
    D = random_table(12, 9, 0.4)
    one, two = (place_center(D, random_state=state, **options).embedding for state in (0, 1))
    assert one == pytest.approx(two, abs=1e-4)


def test_maps_on_the_simplex_stay_there():
    result = place_center(0.8 * random_table(9, 2, 0.4), space="simplex", random_state=0)
    assert result.embedding.min() >= 0.0
    assert result.starts.embeddings.min() >= 0.0


@pytest.mark.parametrize(("k", "seed"), [(4, 2), (5, 0)])
def test_more_dimensions_are_searched_too(k, seed):
    """From the seed alone, the map of a graph with equal distances ends above the lowest."""
    links = np.triu(np.random.default_rng(seed).random((34, 34)) < 0.12, 1)
    links[np.arange(33), np.arange(1, 34)] = True
    D = shortest_path(links, directed=False, unweighted=True)
    ends = [place_center(D, k, random_state=state) for state in range(2)]
    assert ends[0].starts is not None
    assert ends[0].cost == pytest.approx(ends[1].cost, rel=1e-6)
    assert ends[0].cost < 0.999 * place_center(D, k, n_init=1).cost


class Stairs(Ways):
    """Starts that end at ever higher costs, and hops in vain, which tell where they began."""

    batch, together = 4, 16

    def __init__(self):
        self.costs, self.begun, self.tired = iter(range(1, 1000)), [], []
        self.problem = SimpleNamespace(exact_cost=0.0)

    def fresh(self, lowest, rng):
        return Minimum(np.zeros((1, 5)), float(next(self.costs)), 1.0)

    def end(self, X):
        raise AssertionError("no seed is given")

    def hop(self, there, rng, tired):
        self.begun.append(there.cost)
        self.tired.append(tired)
        return there._replace(work=1.0)


def quest(kind, ways, work):
    """Return a look for the lowest map with so much work."""
    watch = SimpleNamespace(seconds=lambda: 0.0, stopped=False)
    search = SimpleNamespace(
        init="random", watch=watch, each=lambda task, starts: [task(one) for one in starts]
    )
    return kind(ways, EFFORTS["auto"]._replace(work=work), search, np.random.default_rng(0))


def test_hops_begin_by_turns_from_the_lowest_map_and_from_the_best_of_the_last_starts():
    ways = Stairs()
    quest(Hops, ways, 27.0).look(None)  # four batches, each with three hops in vain
    assert ways.begun == [1, 1, 1, 5, 5, 5, 1, 1, 1, 13, 13, 13][: len(ways.begun)]
    assert len(ways.begun) > 9
    first, second = ways.tired[:2]
    assert first == 0.0
    assert 0.0 < second < 1.0


class Lowering(Hopping):
    """Each hop lowers the cost by a little, and tells where it began."""

    def __init__(self, problem):
        self.problem, self.begun = problem, []

    def hop(self, there, rng, tired):
        self.begun.append(there.cost)
        return there._replace(cost=0.99 * there.cost, work=1.0)


def test_at_last_hops_nearby_leave_from_the_lowest_map():
    ways = Stairs()
    nearby = Lowering(ways.problem)
    ways.nearby = lambda: nearby
    looking = quest(Hops, ways, 100.0)
    looking.look(None)
    found, hops = looking.found, len(nearby.begun)
    assert nearby.begun == pytest.approx([0.99**i for i in range(hops)])
    assert found.lowest == pytest.approx(0.99**hops)
    assert found.work == pytest.approx(100.0, abs=25.0)  # the last series of other hops is long
    assert hops == pytest.approx(NEARBY * found.work, abs=1.5)
    assert min(found.costs) == 1.0  # they are no starts
    assert found.times == 1


def test_hops_nearby_leave_from_maps_that_are_nearly_as_low():
    ways = Stairs()
    nearby = Lowering(ways.problem)
    nearby.hop = lambda there, rng, tired: nearby.begun.append(there.cost) or there
    ways.nearby = lambda: nearby
    looking = quest(Hops, ways, 27.0)
    maps = [1.0 + 1.5e-5, 1.0 + 1e-3, 1.0]
    looking.found.add([Minimum(np.zeros((1, 5)), cost, 100.0) for cost in maps])
    looking.look(None)
    assert sorted(set(nearby.begun)) == [1.0, 1.0 + 1.5e-5]
    assert nearby.begun == sorted(nearby.begun)


def test_what_an_interrupted_series_of_hops_has_reached_is_kept():
    ways = Stairs()
    looking, lowering = quest(Hops, ways, 100.0), Lowering(ways.problem)
    hop, lowering.polished = lowering.hop, lambda low: low._replace(cost=low.cost - 0.5)

    def interrupted(*args):
        if len(lowering.begun) == 3:
            raise KeyboardInterrupt
        return hop(*args)

    lowering.hop = interrupted
    here = Minimum(np.zeros((1, 5)), 1.0, 1.0)
    with pytest.raises(KeyboardInterrupt):
        looking.hop_on(lowering, here, 10.0, looking.effort)
    looking.give_up()
    assert looking.found.best.cost == pytest.approx(0.99**3 - 0.5)  # to the last digit
    assert looking.found.costs == []


class Breeding(Stairs):
    """Each crossing lowers a map that costs no more than 1 by a tenth, until it costs a half."""

    def __init__(self):
        super().__init__()
        self.generations = []

    def hop(self, there, rng):
        return there._replace(work=1.0)

    def crossed(self, maps, rng):
        self.generations.append([one.cost for one in maps])
        low = min(maps, key=lambda one: one.cost)
        if not 0.5 < low.cost <= 1.0:
            return maps, 1.0
        lower = low._replace(cost=max(0.9 * low.cost, 0.5))
        return [lower if one is low else one for one in maps], 1.0


def test_maps_of_a_generation_are_crossed_and_the_next_begins_anew():
    ways, many = Breeding(), GENERATION // 5  # maps, of five points each
    crossing = quest(Crossings, ways, 10.0 * many)
    crossing.look(None)
    found, (first, *others) = crossing.found, ways.generations
    assert first == list(range(1, many + 1))
    anew = [one for one in others if 1.0 not in one and min(one) > many]
    assert anew  # the second generation has none of the first
    times = next(i for i, one in enumerate(ways.generations) if min(one) > many)
    assert times == 7 + np.ceil(BARREN * many / ways.together)  # seven lead lower
    # all maps that crossings have led to count as starts, but those that are no lower
    falls = [0.9**i for i in range(1, 7)] + [0.5]
    assert sorted(cost for cost in found.costs if cost < 1.0)[::-1] == pytest.approx(falls)
    assert found.times == 1
    assert found.work == pytest.approx(10.0 * many, abs=2 * ways.batch)


def absolute(n, seed, space, noise=0.3):
    """Return the problem of a map by the absolute loss, from a table with errors."""
    rng = np.random.default_rng(seed)
    D, _ = table(rng, n, space, noise=noise, k=3)
    problem = Problem.posed(as_pairs(D), Absolute(), space, 2)
    return problem.on(np.arange(n)), rng


@pytest.mark.parametrize("space", [Euclidean(), Sphere()], ids=name)
def test_hops_lead_to_maps_that_are_lower_or_given_up(space):
    problem, rng = absolute(24, 1, space, noise=1.0)
    ways = hopping(problem, Plan(), Watch(None, 0, 1e-7).silent(), rng)
    starts = [ways.fresh(np.inf, rng) for _ in range(8)]
    first = max(starts, key=lambda start: start.cost)
    here, given_up, lower = ways.roughly(first), [], 0
    for hop in range(20):
        there = ways.hop(here, rng, hop / 20)
        if there.cost < here.cost:
            # the costs of its own map, by ever sharper losses, of which the last tells hops apart
            smooth = [problem.costs(there.X, loss, problem.frame.space)[1] for loss in sharp(ways)]
            assert there.cost == there.costs[-1] == pytest.approx(smooth[-1], rel=1e-6)
            assert (there.costs <= np.array(smooth) * (1.0 + 1e-9)).all()
            here, lower = there, lower + 1
        else:
            given_up.append(there.work / ways.together)
    assert lower > 0
    end = ways.polished(here)
    cost, _ = problem.costs(end.X, problem.frame.loss, problem.frame.space)
    assert end.cost == pytest.approx(cost, rel=1e-9)
    assert end.cost < first.cost
    assert end.cost < here.cost  # the loss as given is sharper
    assert np.mean(given_up) < 0.5 * first.work  # they did not descend to the end


def sharp(ways):
    """Return the losses by which hops are judged."""
    return ways.levels.losses


@pytest.mark.parametrize("space", [Euclidean(), Sphere()], ids=name)
def test_a_hop_back_to_the_same_map_is_given_up(space):
    """Its cost by a smooth loss gives it away, long before the end."""
    problem, rng = absolute(14, 3, space)
    ways = hopping(problem, Plan(), Watch(None, 0, 1e-7).silent(), rng)
    here = ways.roughly(ways.end(ways.fresh(np.inf, rng).X))
    marks = {"slowest": ways.levels.slowest, "known": here.costs}
    losses, near = ways.levels.losses, here.X + 1e-3 * rng.standard_normal(here.X.shape)
    near = np.ascontiguousarray(problem.frame.space.project_points(near.T).T)
    whole = annealed(problem, near, losses, ways.last, slowest=ways.levels.slowest)
    back = annealed(problem, near, losses, ways.last, **marks)
    assert whole.ends[-1] == pytest.approx(here.cost, rel=1e-5)
    assert np.isnan(back.ends[-1])
    assert back.steps < whole.steps


@given(size=st.floats(0.01, 100.0), seed=st.integers(0, 9))
def test_errors_of_a_table_have_the_size_that_was_asked_for(size, seed):
    problem, rng = absolute(30, seed, Euclidean())
    D, _ = problem.pairs.table.whole()
    wrong, other = problem.with_errors(np.array([size, 2.0 * size]), rng)
    assert not np.array_equal(wrong, other)
    errors = np.minimum(np.abs(wrong - D), np.abs(wrong + D))  # those below zero are turned up
    assert errors.std() < 1.2 * size
    assert np.sqrt(np.mean((wrong - D) ** 2)) > 0.25 * size
    assert (wrong >= 0.0).all()


@given(share=st.floats(1e-3, 0.9), loss=st.sampled_from([Squared(), Absolute(), Huber(0.5)]))
def test_error_of_is_the_inverse_of_the_cost_of_errors(share, loss):
    pairs = as_pairs(7.0 * (1.0 - np.eye(5)))
    problem = Problem.posed(pairs, loss, Euclidean(), 2)
    found = problem.error_of(problem.cost_of_errors(share))
    assert found == pytest.approx(share * pairs.typical, abs=1e-3 * pairs.typical)


def test_minima_that_are_one_until_the_loss_is_sharp_are_told_apart():
    """Of some minima, one nearby is lower by less than hops of other kinds can tell."""
    gains = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        D = distances(rng.normal(size=(24, 6)))
        problem = Problem.posed(as_pairs(D), Absolute(), Euclidean(), 2)
        ways = hopping(problem, Plan(), Watch(None, 0, 1e-7).silent(), rng)
        here = ways.end(ways.fresh(np.inf, rng).X)
        there = hopped(ways.nearby(), here, rng, 100)
        errors = np.abs(distances(there.X.T) - D * problem.frame.unit)
        assert there.cost == pytest.approx(0.5 * errors.sum(), rel=1e-12)
        gains.append(1.0 - there.cost / here.cost)
    assert any(1e-6 < gain < 1e-4 for gain in gains)


def test_a_smooth_loss_has_no_other_minima_nearby():
    pairs = as_pairs(random_table(8, 0))
    problem = Problem.posed(pairs, Squared(), Euclidean(), 2)
    watch = Watch(None, 0, 1e-7).silent()
    assert hopping(problem, Plan(), watch, np.random.default_rng(0)).nearby() is None


@pytest.mark.parametrize("loss", ["absolute", "huber", "squared"])
def test_starts_cost_what_their_maps_cost(loss):
    D = distances(np.random.default_rng(1).normal(size=(12, 5)))
    result = place_center(D, loss=loss, random_state=0)
    i, j = np.triu_indices(12, 1)
    for X, cost in zip(result.starts.embeddings, result.starts.embedding_costs, strict=True):
        value = result.loss.value
        errors = [value(u, r) for u, r in zip(distances(X)[i, j], D[i, j], strict=True)]
        assert sum(errors) == pytest.approx(cost, rel=1e-7)
    assert result.starts.costs.min() >= result.cost * (1.0 - 1e-7)


@pytest.mark.parametrize("space", [Sphere(radius="auto"), Simplex("auto")], ids=name)
def test_starts_have_the_size_of_the_space_that_they_found(space):
    D = random_table(9, 1, 0.3)
    result = place_center(D, space=space, random_state=0)
    starts = result.starts
    U = distances(starts.embeddings[0], space=starts.space)
    assert 0.5 * np.sum((U - D) ** 2) == pytest.approx(starts.embedding_costs[0], rel=1e-9)
    assert result.cost <= starts.costs.min() * (1.0 + 1e-9)
