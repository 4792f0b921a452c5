"""Disparities that adapt: the cost never rises, they keep their size, and results add up."""

from dataclasses import dataclass
from itertools import product
from math import exp

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression

from tests.support.parts import LOSSES, SPACES, name, slow
from tests.support.tables import table
from unimds import (
    MDS,
    Absolute,
    Euclidean,
    Huber,
    Interval,
    Loss,
    MonotoneSpline,
    Ordinal,
    Outcome,
    PowerLaw,
    Sphere,
    Squared,
    place_center,
)
from unimds.distances.pairs import as_pairs
from unimds.levels import as_level
from unimds.placecenter.descent.driver import _swept
from unimds.placecenter.descent.plan import Plan, Stage
from unimds.placecenter.problem import Problem
from unimds.spaces import distances
from unimds.starts.seeds.initial import draw

LEVELS = [
    Ordinal(),
    Ordinal("secondary"),
    Ordinal("tertiary"),
    Ordinal(strictness=0.2),
    Interval(),
    MonotoneSpline(),
    MonotoneSpline(1, 0),
    PowerLaw(),
]
QUICK = [
    (Ordinal(), Squared(), Euclidean()),
    (Ordinal("secondary"), Absolute(), Sphere()),
    (Ordinal("tertiary"), Absolute(), Euclidean()),
    (Ordinal(strictness=0.2), Squared(), Sphere()),
    (Interval(), Absolute(), Euclidean()),
    (MonotoneSpline(), Huber(0.3), Euclidean()),
    (PowerLaw(), Squared(), Euclidean()),
]
EVERY = [
    *(pytest.param(*parts, True, id="-".join(map(repr, parts))) for parts in QUICK),
    *(
        slow(*parts, False, id="-".join([repr(parts[0]), *map(name, parts[1:])]))
        for parts in product(LEVELS, LOSSES, SPACES)
    ),
]
ROUNDING = 1e-9


def posed(rng, level, loss, space, plain=False):
    """Return a random problem: with ties, gaps, weights, two directions, or a level for each row.

    A `plain` one has equal weights and one direction, which other tests have compiled.
    """
    n = int(rng.integers(5, 12))
    D = rng.integers(1, 9, (n, n)).astype(float) if rng.random() < 0.5 else rng.random((n, n)) + 0.1
    one_way, W = plain or rng.random() < 0.7, None
    if one_way:
        D = np.triu(D, 1) + np.triu(D, 1).T
    if not plain and rng.random() < 0.5:
        W = rng.random((n, n)) + 0.1
        W = W + W.T
        W[0, 1] = W[1, 0] = 0.0
    if rng.random() < 0.4:
        gaps = np.triu(rng.random((n, n)) < 0.1, 1)
        D[gaps | gaps.T] = np.nan
    np.fill_diagonal(D, 0.0)
    by_row = not plain and rng.random() < 0.2
    pairs = as_pairs(D, weights=W, connected=False)
    return Problem.scaled(pairs, loss, space, 2, level, by_row)


def softened(problem, rng):
    """Return the loss of a problem at a random level of smoothing."""
    scale = problem.frame.scale
    return problem.frame.loss.smoothed(scale * 10.0 ** rng.uniform(-4.0, -1.0))


def cost(problem, X, loss, r):
    return problem.aimed(r).costs(X, loss, problem.frame.space)[1]


@pytest.mark.parametrize(("level", "loss", "space", "plain"), EVERY)
@settings(max_examples=10)
@given(seed=st.integers(0, 2**32 - 1))
def test_disparities_never_raise_the_cost_nor_lose_their_size(level, loss, space, plain, seed):
    rng = np.random.default_rng(seed)
    problem = posed(rng, level, loss, space, plain)
    targets, r, soft = problem.targets, problem.targets.first, softened(problem, rng)
    X = draw(problem, rng)
    for _ in range(8):
        found = problem.adapted(X, soft, problem.frame.space, r)
        assert np.isfinite(found).all()
        before, after = (cost(problem, X, soft, some) for some in (r, found))
        assert after <= before * (1.0 + ROUNDING)
        assert targets._measure(found) >= targets._measure(r) * (1.0 - ROUNDING)
        again = targets.family.project(targets.known, found, targets.codes.weights)
        assert np.allclose(again, found, rtol=0, atol=1e-6 * np.abs(found).max())
        r = found
        if rng.random() < 0.3:
            X = draw(problem, rng)


@pytest.mark.parametrize(("level", "loss", "space", "plain"), EVERY)
@settings(max_examples=10)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_plain_sweep_does_not_raise_the_cost(level, loss, space, plain, seed):
    rng = np.random.default_rng(seed)
    problem = posed(rng, level, loss, space, plain)
    soft = softened(problem, rng)
    X, here, r = draw(problem, rng), problem.frame.space, problem.targets.first
    now = cost(problem, X, soft, r)
    for _ in range(8):
        state = _swept(problem, X.copy(), here, r, Stage(0.0, soft, soft, 1), Plan())
        assert state.smooth <= now * (1.0 + ROUNDING)
        X, here, r, now = state.X, state.space, state.targets, state.smooth


# --- what a fit tells of itself ------------------------------------------------------------------


def noisy(rng, n=14, space=None, noise=0.2):
    """Return dissimilarities that are a curve of noisy distances."""
    D, _ = table(rng, n, space or Euclidean(), noise)
    return D**1.7


FITS = [
    (Ordinal(), Squared(), Euclidean(), {}),
    (Ordinal("secondary"), Absolute(), Sphere(), {}),
    (MonotoneSpline(), Absolute(), Euclidean(), {}),
    (Interval(), Huber(), Euclidean(), {}),
    slow(Ordinal(), Squared(), Euclidean(), {"weights": True}),
    slow(Ordinal(), Absolute(), Euclidean(), {"weights": True, "gaps": True}),
    slow(Ordinal("tertiary"), Squared(), Euclidean(), {"one_way": False}),
    slow(Ordinal(), Squared(), Euclidean(), {"conditional": "row"}),
    slow(Ordinal(), Squared(), Euclidean(), {"conditional": "row", "weights": True, "gaps": True}),
    slow(PowerLaw(), Absolute(), Euclidean(), {"one_way": False, "weights": True}),
    *(slow(Ordinal(), loss, space, {}) for loss, space in product(LOSSES, SPACES)),
]


def test_the_stress_is_that_of_isotonic_regression():
    """Kruskal's own definition: the regression on the distances of the map, with no unit held."""
    D = noisy(np.random.default_rng(0), 20)
    fit = MDS(level="ordinal", metric="precomputed", n_init=1, eps=1e-12).fit(D)
    some = np.triu_indices(20, 1)
    order = np.argsort(D[some])
    u = distances(fit.embedding_)[some][order]
    stress = np.sqrt(np.sum((u - isotonic_regression(u).x) ** 2) / np.sum(u**2))
    assert stress > 0.05
    assert fit.stress_ == pytest.approx(stress, rel=1e-6)


@pytest.mark.filterwarnings("ignore:Stopped after max_iter")  # what it tells holds all the same
@pytest.mark.parametrize(("level", "loss", "space", "kind"), FITS)
def test_cost_and_stress_are_those_of_the_map_and_its_disparities(level, loss, space, kind):
    rng, kind = np.random.default_rng(4), dict(kind)
    D = np.round(noisy(rng, space=space), 1)  # with ties
    W = np.ones_like(D)
    if kind.pop("weights", False):
        W = rng.random(D.shape) + 0.1
        W = W + W.T
    if kind.pop("gaps", False):
        D[2, 5] = D[5, 2] = D[0, 1] = D[1, 0] = np.nan
        W[3, 4] = W[4, 3] = 0.0
    if not kind.pop("one_way", True):
        D = D * np.exp(0.1 * rng.normal(size=D.shape))
        np.fill_diagonal(D, 0.0)
    weights = None if (W == 1.0).all() else W
    fit = MDS(loss=loss, space=space, level=level, metric="precomputed", n_init=1, **kind)
    fit.set_params(random_state=0, max_iter=300).fit(D, weights=weights)

    known = ~np.isnan(D) & (W > 0.0) & ~np.eye(len(D), dtype=bool)
    u, r = distances(fit.embedding_, space=fit.space_), fit.disparities_
    assert np.array_equal(~np.isnan(r) & ~np.eye(len(D), dtype=bool), known)
    each = [w * fit.loss_.value(a, b) for a, b, w in zip(u[known], r[known], W[known], strict=True)]
    assert fit.cost_ == pytest.approx(0.5 * sum(each), rel=1e-9, abs=1e-12 * np.nanmax(D) ** 2)
    stress = np.sqrt((W * (u - r) ** 2)[known].sum() / (W * u**2)[known].sum())
    assert fit.stress_ == pytest.approx(stress, rel=1e-9, abs=1e-12)

    if "conditional" not in kind:  # one function for the whole table, at least in the mean of ties
        weighed = np.bincount(np.unique(D[known], return_inverse=True)[1], (W * r)[known])
        heavy = np.bincount(np.unique(D[known], return_inverse=True)[1], W[known])
        assert np.allclose(fit.transformation_(np.unique(D[known])), weighed / heavy, rtol=1e-9)
        order = np.argsort(D[known], kind="stable")
        if level == Ordinal():
            d, r = D[known][order], r[known][order]
            for value in np.unique(d)[1:]:
                assert r[d < value].max() <= r[d == value].min() * (1.0 + 1e-9)


def ranks(D):
    """Return the ranks of the entries among all different ones, and zero for the diagonal."""
    return np.unique(D, return_inverse=True)[1].reshape(D.shape).astype(float)


# the absolute loss ends at kinks, where rounding decides which of several good ways is taken
@pytest.mark.sample(2)
@pytest.mark.parametrize(("loss", "apart"), [("squared", 1e-6), ("absolute", 1e-2)])
@pytest.mark.parametrize("ties", ["primary", "secondary"])
def test_an_ordinal_map_depends_on_the_order_alone(loss, apart, ties):
    D = noisy(np.random.default_rng(0), 20)
    options = {"loss": loss, "level": Ordinal(ties), "n_init": 1, "random_state": 0}
    maps = []
    for T in (D, np.sqrt(D), np.expm1(2.0 * D), ranks(D)):
        X = place_center(T, **options).embedding
        maps.append(X / np.sqrt(np.mean(X**2)))
    for X in maps[1:]:
        assert np.allclose(X, maps[0], atol=apart)


def test_an_ordinal_map_on_a_sphere_depends_on_the_order_alone():
    D = noisy(np.random.default_rng(0), 12, Sphere())
    maps = [
        place_center(T, space="sphere", level="ordinal", n_init=1, random_state=0).embedding
        for T in (D, D**3)
    ]
    assert np.allclose(*maps, atol=1e-6)


def test_pairs_of_weight_zero_are_as_good_as_missing():
    D = noisy(np.random.default_rng(1))
    W, gaps = np.ones_like(D), D.copy()
    for i, j in ((0, 1), (4, 9), (2, 3)):
        W[i, j] = W[j, i] = 0.0
        gaps[i, j] = gaps[j, i] = np.nan
    options = {"level": "ordinal", "n_init": 1, "random_state": 0}
    left_out = place_center(D, weights=W, **options)
    missing = place_center(gaps, **options)
    again = place_center(gaps, weights=np.ones_like(D), **options)
    assert left_out.cost == pytest.approx(again.cost, rel=1e-9)
    assert missing.cost == pytest.approx(again.cost, rel=1e-6)
    assert np.allclose(left_out.embedding, again.embedding, atol=1e-9)
    assert np.isnan(left_out.scaling.disparities[4, 9])


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_fixed_points_stay(loss, count):
    rng = np.random.default_rng(2)
    points = rng.normal(size=(14, 2))
    D = distances(points) ** 2
    fixed = {i: points[i] for i in range(count)}
    found = place_center(
        D, loss=loss, level="ordinal", fixed=fixed, n_init=1, random_state=0, max_iter=5000
    )
    assert np.array_equal(found.embedding[:count], points[:count])
    assert found.stress < 0.01
    if count == 3:  # their distances tell the unit
        assert np.allclose(found.embedding, points, atol=0.15)


@pytest.mark.parametrize("loss", ["squared", "absolute"])
@pytest.mark.parametrize("level", ["interval", "ordinal"])
def test_a_noisy_map_does_not_collapse_between_fixed_points(level, loss):
    D = noisy(np.random.default_rng(4))
    options = {"loss": loss, "level": level, "n_init": 1, "random_state": 0}
    free = place_center(D, **options)
    fixed = {i: free.embedding[i] for i in (0, 3, 7)}
    found = place_center(D, fixed=fixed, init=free.embedding, **options)
    assert np.array_equal(found.embedding[3], free.embedding[3])
    assert found.stress < 1.05 * free.stress
    # three pairs that are wrong themselves tell the unit
    assert found.embedding.std() == pytest.approx(free.embedding.std(), rel=0.25)
    if loss == "squared":  # others are smoothed at first
        assert (np.diff(found.history[:, 1]) <= 1e-12 * found.history[0, 1]).all()


@pytest.mark.parametrize("space", ["euclidean", "sphere"])
@pytest.mark.parametrize("level", ["interval", "ordinal", "spline"])
def test_a_map_does_not_collapse_where_no_distance_between_fixed_points_is_known(level, space):
    D = noisy(np.random.default_rng(4))
    D[0, 3] = D[3, 0] = np.nan
    options = {"space": space, "level": level, "n_init": 1, "random_state": 0}
    free = place_center(D, **options)
    fixed = {i: free.embedding[i] for i in (0, 3)}
    found = place_center(D, fixed=fixed, **options)
    for i, point in fixed.items():  # a point of a sphere is brought to its length at last
        assert np.allclose(found.embedding[i], point, rtol=0.0, atol=1e-15)
    assert found.stress < 1.1 * free.stress
    assert found.embedding.std() == pytest.approx(free.embedding.std(), rel=0.1)


def test_a_callback_sees_every_step_and_can_stop_the_fit():
    seen = []

    def callback(sweep, cost, embedding):
        seen.append((sweep, cost, embedding.copy()))
        return sweep == 7

    D = noisy(np.random.default_rng(3))
    found = place_center(D, level="ordinal", n_init=1, random_state=0, callback=callback)
    assert found.outcome is Outcome.CALLBACK
    assert [sweep for sweep, _, _ in seen] == list(range(1, 8))
    told = np.array([cost for _, cost, _ in seen])
    # the history is in the unit that fits the map best, which is found at last
    history = found.history[1:, 1]
    assert np.allclose(told / told[-1], history / history[-1], rtol=1e-12)
    assert found.cost == history[-1] <= told[-1]


def test_a_table_in_single_precision_gives_the_same_map():
    D = noisy(np.random.default_rng(5)).astype(np.float32)
    options = {"level": Ordinal("secondary"), "n_init": 1, "random_state": 0}
    single, double = (place_center(T, **options) for T in (D, D.astype(float)))
    assert single.stress == pytest.approx(double.stress, rel=1e-4)
    assert np.allclose(single.embedding, double.embedding, atol=1e-2 * D.max())


def test_a_table_on_disk_gives_the_same_map(tmp_path):
    D = noisy(np.random.default_rng(6))
    np.save(tmp_path / "D.npy", D)
    mapped = np.load(tmp_path / "D.npy", mmap_mode="r")
    here, there = (place_center(T, level="ordinal", n_init=1, random_state=0) for T in (D, mapped))
    assert np.array_equal(here.embedding, there.embedding)
    assert np.array_equal(np.load(tmp_path / "D.npy"), D)


@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_a_fit_goes_on_from_a_checkpoint_to_the_very_same_result(tmp_path, loss):
    D = noisy(np.random.default_rng(7))
    options = {"level": "ordinal", "loss": loss, "n_init": 1, "random_state": 0}
    whole = place_center(D, **options)

    def stop(sweep, *_):
        return sweep == 12

    path = tmp_path / "run.ckpt"
    cut = place_center(D, checkpoint=path, callback=stop, **options)
    assert cut.outcome is Outcome.CALLBACK
    ended = place_center(D, checkpoint=path, **options)
    assert ended.n_iter == whole.n_iter
    assert np.array_equal(ended.embedding, whole.embedding)
    assert ended.cost == whole.cost
    assert np.array_equal(ended.scaling.numbers, whole.scaling.numbers)


def test_levels_by_name_and_by_object_are_the_same():
    D = noisy(np.random.default_rng(8))
    options = {"n_init": 1, "random_state": 0}
    by_name = place_center(D, level="interval", **options)
    assert np.array_equal(by_name.embedding, place_center(D, level=Interval(), **options).embedding)
    assert by_name.transformation.level == as_level("interval")


def test_at_the_level_of_ratios_nothing_is_transformed():
    fit = MDS(metric="precomputed", n_init=1).fit(noisy(np.random.default_rng(9)))
    assert fit.transformation_ is None
    assert fit.disparities_ is None
    assert fit.result_.scaling is None


@dataclass(frozen=True)
class Welsch(Loss):  # without a degree
    def value(self, u, r):
        return 1.0 - exp(-((u - r) ** 2))

    def weight(self, u, r):
        return exp(-((u - r) ** 2))


def test_a_loss_without_a_degree_has_no_unit_on_a_sphere_of_fixed_size():
    D, began = noisy(np.random.default_rng(10)), []

    def note(*_):
        began.append(True)

    with pytest.raises(ValueError, match=r'Welsch\(\) has no degree.* use a size of "auto"'):
        place_center(D, loss=Welsch(), space="sphere", level="ordinal", callback=note)
    assert not began  # told before the fit, not after it


def test_errors_without_weight_leave_their_disparities():
    """Far from what is given, the loss is flat: its weight is exp(−1e4) = 0."""
    rng = np.random.default_rng(11)
    D = 100.0 * noisy(rng)
    problem = Problem.scaled(as_pairs(D), Welsch(), Euclidean(), 2, Ordinal())
    X, r = 100.0 * draw(problem, rng), problem.targets.first
    found = problem.adapted(X, Welsch(), problem.frame.space, r)
    assert np.isfinite(found).all()
    assert cost(problem, X, Welsch(), found) <= cost(problem, X, Welsch(), r) * (1.0 + ROUNDING)


def test_a_size_that_was_asked_for_scales_all_that_is_told():
    D = noisy(np.random.default_rng(5))
    small, large = (
        place_center(D, space=Sphere(r), level="interval", loss="absolute", random_state=0)
        for r in (1.0, 10.0)
    )
    assert large.cost == pytest.approx(10.0 * small.cost, rel=1e-6)
    assert np.allclose(large.levels, 10.0 * small.levels, rtol=1e-6)
    assert large.starts.costs.min() == pytest.approx(large.cost, rel=1e-6)
    assert large.starts.space == Sphere(10.0)
