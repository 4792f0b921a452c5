"""Quasi-Newton steps: what they promise, and how low they come in many dimensions."""

from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.parts import LOSSES, name, slow
from tests.support.tables import table
from unimds import Absolute, Euclidean, Loss, Outcome, Sphere, Squared, place_center
from unimds.distances.pairs import as_pairs
from unimds.files import FileError
from unimds.files.archive import read_archive, write_archive
from unimds.kernels.steps import AIM, COST, HERE, KEPT, MEMORY, SLOPE, STUCK, TRIAL, WENT
from unimds.placecenter.descent.annealing import annealing
from unimds.placecenter.descent.quasi_newton import Limits, QuasiNewton, annealed, annealed_each
from unimds.placecenter.problem import Problem
from unimds.quality import total_cost
from unimds.rivals import lbfgs
from unimds.spaces import distances
from unimds.spaces.vectors import normalised


def gaussian(n, d, seed=0):
    return distances(np.random.default_rng(seed).normal(size=(n, d)))


def begun(loss, k=4):
    """A problem, and a configuration with its cost."""
    rng = np.random.default_rng(3)
    D, _ = table(rng, 12, Euclidean(), noise=0.3, k=6)
    problem = Problem.posed(as_pairs(D), loss, Euclidean(), k)
    X = rng.normal(size=(k, 12))
    return problem, X, problem.costs(X, problem.frame.loss, problem.frame.space)[1]


@pytest.mark.parametrize("loss", [Squared(), Absolute()], ids=name)
def test_descents_give_up_only_if_they_would_not_come_below_the_bar(loss):
    limits = Limits(2000, 5, 1e-9, 0.0)
    saved = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        problem = Problem.posed(as_pairs(gaussian(14, 5, seed)), loss, Euclidean(), 2)
        X = rng.normal(size=(2, 14))
        losses = [loss.smoothed(s) for s in annealing(problem, X)] if loss.anneals else [loss]
        X = annealed(problem, X, losses, limits._replace(eps=1e-4)).X
        losses = losses[-8:]
        whole = annealed(problem, X, losses, limits)
        # sharpening lowers the cost of a pair too, by no more than the loss is now smooth
        smoothings = np.array([getattr(sharper, "smoothing", 0.0) for sharper in losses])
        falls = 1.0 + 1e-9 + smoothings / problem.mean_residual(X)
        reached = annealed(problem, X, losses, limits, bars=falls * whole.cost)
        assert reached.cost == whole.cost
        given_up = annealed(problem, X, losses, limits, bars=0.9 * falls * whole.cost)
        saved += whole.steps - given_up.steps
        assert given_up.steps <= whole.steps
    assert saved > 0


def few_and_many():
    """Yield each loss with numbers of coordinates: up to six one after the other, then by fours.

    Each number is compiled, and again for weights. test_descent.py has all losses in the plane.
    """
    for loss, dimensions in product(LOSSES, [(2, 3, 7), (5,)]):
        quick = name(loss) in ("Squared", "Absolute") and len(dimensions) > 1
        case = loss, dimensions
        yield case if quick else slow(*case)


def label(part):
    """Return what a case is called."""
    return name(part) if isinstance(part, Loss) else str(part)


@pytest.mark.sample(1)
@pytest.mark.parametrize(("loss", "dimensions"), list(few_and_many()), ids=label)
@given(data=st.data())
def test_cost_never_rises(loss, dimensions, data):
    """At no level, with weights, directions, missing pairs and points in one place."""
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    n, k = data.draw(st.integers(8, 12)), data.draw(st.sampled_from(dimensions))
    D, _ = table(rng, n, Euclidean(), noise=data.draw(st.sampled_from([0.0, 0.3, 2.0])), k=k)
    start = rng.normal(size=(n, k))
    weights = rng.uniform(0.1, 3.0, size=(n, n)) if data.draw(st.booleans()) else None
    if data.draw(st.booleans()):
        D *= rng.uniform(0.5, 1.5, size=(n, n))
    if data.draw(st.booleans()):
        D[1, 2] = D[2, 1] = np.nan
    if data.draw(st.booleans()):
        start[-1] = start[0]
    options = {"loss": loss, "init": start, "weights": weights}
    result = place_center(D, k, **options, callback=lambda i, cost, X: i == 60)
    level, cost = result.levels.T
    assert (np.diff(cost)[np.diff(level) == 0.0] <= 0.0).all()
    want = total_cost(D, result.embedding, loss=loss, weights=weights)
    assert result.cost == pytest.approx(want, rel=1e-9, abs=1e-12)


def descended(quasi, problem, X, steps, *, threads=1):
    """Take some steps, and return the costs."""
    costs = problem.costs(X, quasi.loss, problem.frame.space)[::-1]
    return quasi.descend([costs], np.inf, Limits(steps, 5, 0.0, 0.0, threads))


@pytest.mark.parametrize("k", [2, 4, 7])
def test_the_curvature_is_that_of_the_last_step(k):
    """The secant equation: the change of slope of the last step leads back over that step."""
    problem, X, _ = begun(Squared(), k)
    quasi = QuasiNewton(problem, problem.frame.loss, X)
    before = X
    for _ in range(MEMORY + 3):
        before = quasi.points()
        _, why, *_ = descended(quasi, problem, before, 1)
        assert why == WENT
    after = quasi.points()
    slopes = [-2.0 * problem.pulls(Y, problem.frame.loss)[0][:-1] for Y in (before, after)]
    quasi.memory[SLOPE] = (slopes[1] - slopes[0]).ravel()
    quasi._call(quasi.aim, MEMORY)
    way = quasi.memory[AIM].reshape(X.shape)
    np.testing.assert_allclose(way, before - after, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("k", [2, 7])
def test_a_step_that_tells_nothing_of_the_curvature_does_not_count(k):
    """It has taken the place of the oldest step, which is then forgotten."""
    problem, X, _ = begun(Squared(), k)
    quasi = QuasiNewton(problem, problem.frame.loss, X)
    for _ in range(MEMORY + 3):
        descended(quasi, problem, quasi.points(), 1)
    kept = quasi.numbers[KEPT]
    assert kept >= MEMORY
    way = 0.1 * np.random.default_rng(0).normal(size=X.size)
    quasi.memory[TRIAL] = quasi.memory[HERE] + way
    measured, _ = problem.pulls(quasi.points(), problem.frame.loss)
    measured[:-1] = -0.5 * (quasi.memory[SLOPE] - way).reshape(X.shape)  # it bends the wrong way
    quasi._call(quasi.take, quasi.numbers[COST], measured)
    assert quasi.numbers[KEPT] == kept
    aims = []
    for many in (MEMORY, MEMORY - 1):
        quasi._call(quasi.aim, many)
        aims.append(quasi.memory[AIM].copy())
    np.testing.assert_allclose(*aims, rtol=1e-12)


@pytest.mark.parametrize("k", [2, 7])
def test_without_a_past_a_step_places_all_points_together(k):
    problem, X, _ = begun(Squared(), k)
    quasi = QuasiNewton(problem, problem.frame.loss, X)
    descended(quasi, problem, X, 0)
    pulls, _ = problem.pulls(X, problem.frame.loss)
    quasi._call(quasi.aim, MEMORY)
    np.testing.assert_allclose(quasi.points(TRIAL), X + pulls[:-1] / pulls[-1])


@pytest.mark.parametrize("k", [2, 7])
def test_a_search_without_success_leaves_the_points_where_they_are(k):
    problem, X, _ = begun(Squared(), k)
    quasi = QuasiNewton(problem, problem.frame.loss, X)
    descended(quasi, problem, X, 0)
    quasi.numbers[COST] = -1e9  # no cost is that low
    new, why, _, best = descended(quasi, problem, X, 9)
    assert (new, why, best) == ([], STUCK, None)
    np.testing.assert_array_equal(quasi.points(), X)


@pytest.mark.parametrize(
    ("loss", "single"),
    [
        (loss, single)
        if (name(loss), single) in (("Squared", True), ("Absolute", False))
        else slow(loss, single)
        for loss, single in product(LOSSES, (False, True))
    ],
    ids=label,
)  # weights in space are compiled for each
def test_compiled_descents_take_the_steps_of_measured_ones(loss, single, monkeypatch):
    """One call of compiled code, or one for every trial: the same bits."""
    D = gaussian(30, 6).astype(np.float32 if single else float)
    weights = np.random.default_rng(1).uniform(0.5, 2.0, size=D.shape)
    options = {"loss": loss, "weights": weights + weights.T, "random_state": 0, "n_init": 2}
    compiled = place_center(D, 3, **options)
    monkeypatch.setattr(Problem, "descends_compiled", False)
    again = place_center(D, 3, **options)
    np.testing.assert_array_equal(compiled.embedding, again.embedding)
    np.testing.assert_array_equal(compiled.history[:, 1], again.history[:, 1])


SPHERES = [Sphere(1.0), Sphere(3.7)]


def on_sphere(space, n=30, seed=0):
    """Distances that no map on the sphere meets."""
    rng = np.random.default_rng(seed)
    D = distances(space.project_points(rng.normal(size=(n, 5))), space=space)
    noise = rng.uniform(0.6, 1.0, size=(n, n))
    return D * np.sqrt(noise * noise.T)


@pytest.mark.parametrize("space", SPHERES, ids=repr)
def test_pulls_on_a_sphere_are_the_slope_along_it(space):
    """Carried into the tangent plane and into the unit of distances, against differences."""
    problem = Problem.posed(as_pairs(on_sphere(space)), Squared(), space, 2)
    rng, loss = np.random.default_rng(1), problem.frame.loss
    X = np.ascontiguousarray(space.project_points(rng.normal(size=(30, 3))).T)
    quasi = QuasiNewton(problem, loss, X)
    descended(quasi, problem, X, 0)
    way = rng.normal(size=X.shape)
    way -= np.einsum("ai,ai->i", X, way) * X

    def cost(length):
        return problem.pulls(np.asarray(normalised((X + length * way).T).T, order="C"), loss)[1][0]

    slope = (cost(1e-6) - cost(-1e-6)) / 2e-6
    assert quasi.memory[SLOPE] @ way.ravel() == pytest.approx(slope, rel=1e-6)
    across = np.einsum("ai,ai->i", X, quasi.memory[SLOPE].reshape(X.shape))
    np.testing.assert_allclose(across, 0.0, atol=1e-12)


@pytest.mark.parametrize("space", SPHERES, ids=repr)
@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_on_spheres_the_cost_never_rises_and_points_stay_on_them(space, loss, monkeypatch):
    D = on_sphere(space)
    options = {"space": space, "loss": loss, "n_init": 1}
    result = place_center(D, 2, **options)
    level, cost = result.levels.T
    assert (np.diff(cost)[np.diff(level) == 0.0] <= 0.0).all()
    np.testing.assert_allclose(np.linalg.norm(result.embedding, axis=1), 1.0, rtol=1e-14)
    want = total_cost(D, result.embedding, loss=loss, space=space)
    assert result.cost == pytest.approx(want, rel=1e-9)
    swept = place_center(D, 2, **options, solver="sweeps")
    assert result.cost <= 1.01 * swept.cost
    monkeypatch.setattr(Problem, "descends_compiled", False)
    again = place_center(D, 2, **options)
    np.testing.assert_array_equal(again.embedding, result.embedding)


@pytest.mark.parametrize("space", SPHERES, ids=repr)
def test_exact_points_of_a_sphere_are_found_again(space):
    rng = np.random.default_rng(2)
    points = space.project_points(rng.normal(size=(25, 3)))
    D = distances(points, space=space)
    start = space.project_points(points + 0.1 * rng.normal(size=points.shape))
    found = place_center(D, 2, space=space, init=start, eps=1e-14)
    assert found.cost <= 1e-16 * (D**2).sum()


def test_antipodes_on_a_sphere_part():
    """Opposite points pull in no direction, and points in one place in none either."""
    start = np.array([[1.0, 0, 0], [-1.0, 0, 0], [0, 1.0, 0], [0, 1.0, 0], [0, 0, 1.0]])
    D = 1.2 * (1.0 - np.eye(5))
    result = place_center(D, 2, space=Sphere(1.0), init=start, n_init=1)
    assert result.cost < 0.5 * total_cost(D, start, space=Sphere(1.0))


@pytest.mark.sample(1)
@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_who_listens_changes_nothing(loss):
    D, seen = gaussian(40, 6), []
    silent = place_center(D, 2, loss=loss, random_state=0)
    told = place_center(
        D, 2, loss=loss, random_state=0, n_init="auto", callback=lambda *a: seen.append(a)
    )
    np.testing.assert_array_equal(silent.embedding, told.embedding)
    np.testing.assert_array_equal(silent.history[:, 1], told.history[:, 1])
    assert len(seen) >= told.n_iter
    assert (np.diff(silent.history[:, 0]) >= 0.0).all()


@pytest.mark.usefixtures("threads_of_blas")
def test_threads_change_nothing(monkeypatch):
    monkeypatch.setattr("unimds.placecenter.frame.SHARED_FROM", 50)
    D = gaussian(60, 6)
    maps = [place_center(D, 2, n_jobs=jobs, random_state=0).embedding for jobs in (1, 2, 3)]
    np.testing.assert_array_equal(maps[0], maps[1])
    np.testing.assert_array_equal(maps[0], maps[2])


def test_points_in_one_place_part():
    """They have no direction from each other: sweeps choose one."""
    D = gaussian(10, 4)
    result = place_center(D, 4, init=np.zeros((10, 4)), eps=1e-12)
    assert result.cost < 1e-6


def test_fixed_points_stay():
    D, where = gaussian(15, 7), np.random.default_rng(1).normal(size=(3, 3))
    fixed = dict(enumerate(where))
    result = place_center(D, 3, loss="absolute", fixed=fixed, random_state=0)
    np.testing.assert_array_equal(result.embedding[:3], where)
    level, cost = result.levels.T
    assert (np.diff(cost)[np.diff(level) == 0.0] <= 0.0).all()


@pytest.mark.parametrize(
    "paper",
    [
        {"solver": "sweeps"},
        {"accelerate": False},
        {"inner_iter": 2},
        {"smoothing": 0, "loss": "absolute"},
    ],
)
def test_the_forms_of_the_paper_only_sweep(paper, monkeypatch):
    monkeypatch.setattr("unimds.placecenter.descent.driver.QuasiNewton", None)
    assert place_center(gaussian(12, 8), 2, n_init=1, max_iter=5000, **paper).converged
    assert place_center(gaussian(12, 8), 1, n_init=1).converged


def test_exact_data_are_met_exactly():
    D = gaussian(30, 3)
    assert place_center(D, 3).outcome is Outcome.EXACT
    start = np.random.default_rng(0).normal(size=(30, 3))
    found = place_center(D, 3, loss="absolute", init=start, eps=1e-12)
    np.testing.assert_allclose(distances(found.embedding), D, atol=1e-6)


@pytest.mark.slow
def test_single_precision_ends_as_low():
    D = gaussian(60, 20).astype(np.float32)
    for loss in ("squared", "absolute"):
        single, double = (place_center(E, 7, loss=loss) for E in (D, D.astype(float)))
        assert single.cost == pytest.approx(double.cost, rel=5e-3)


@pytest.mark.parametrize("stop", [1, 2, 30, 150])
def test_a_run_goes_on_from_a_checkpoint_unchanged(stop, tmp_path):
    def interrupt(i, cost, X):
        if i == stop:
            raise KeyboardInterrupt

    D, one = gaussian(30, 20), {"loss": "absolute", "n_init": 1}
    options = {**one, "checkpoint": tmp_path / "run"}
    with pytest.warns(RuntimeWarning, match="Interrupted"):
        place_center(D, 3, **options, callback=interrupt)
    again, whole = place_center(D, 3, **options), place_center(D, 3, **one)
    assert again.n_iter == whole.n_iter
    np.testing.assert_array_equal(again.embedding, whole.embedding)


def test_a_checkpoint_with_another_memory_is_broken(tmp_path):
    """Compiled code would read beyond it."""

    def interrupt(i, cost, X):
        if i == 5:
            raise KeyboardInterrupt

    path, D = tmp_path / "run", gaussian(20, 9)
    options = {"checkpoint": path, "n_init": 1}
    with pytest.warns(RuntimeWarning, match="Interrupted"):
        place_center(D, 2, **options, callback=interrupt)
    header, arrays = read_archive(path, "checkpoint")
    arrays["0.quasi0"] = arrays["0.quasi0"][:9]
    write_archive(path, "checkpoint", header, arrays, force=True)
    with pytest.raises(FileError, match="the checkpoint is broken"):
        place_center(D, 2, **options)


def at_a_minimum():
    """A problem whose slope is zero where all its points are in one place, and that place."""
    problem = Problem.posed(as_pairs(3.0 * (1.0 - np.eye(4))), Squared(), Euclidean(), 2)
    return problem, np.full((2, 4), 5.0)


def test_a_descent_from_a_minimum_ends_there_with_its_cost():
    problem, X = at_a_minimum()
    loss, limits = problem.frame.loss, Limits(50, 5, 1e-9, 0.0)
    other = np.random.default_rng(0).normal(size=X.shape)
    found = annealed_each(problem, np.stack([other, X, other]), [loss, loss], limits)
    cost, _ = problem.costs(X, loss, problem.frame.space)
    assert [one.steps > 0 for one in found] == [True, False, True]
    assert found[1].cost == pytest.approx(cost, rel=1e-12)
    np.testing.assert_array_equal(found[1].X, X)
    assert found[0].cost == found[2].cost < cost


@pytest.mark.parametrize("compiled", [True, False])
def test_points_that_begin_in_a_minimum_are_the_best_so_far(compiled, monkeypatch):
    monkeypatch.setattr(Problem, "descends_compiled", compiled)
    problem, X = at_a_minimum()
    cost, _ = problem.costs(X, problem.frame.loss, problem.frame.space)
    limits, unknown = Limits(50, 5, 1e-9, 0.0), [(np.inf, np.inf)]
    for known in (np.inf, 0.5 * cost):
        quasi = QuasiNewton(problem, problem.frame.loss, X)
        new, why, _, best = quasi.descend(unknown, known, limits)
        assert (new, why) == ([], STUCK)
        assert quasi.lowest == pytest.approx(min(cost, known), rel=1e-12)
        if known < cost:
            assert best is None
        else:
            np.testing.assert_array_equal(best, X)


@pytest.mark.parametrize("k", [2, 7])
def test_points_stay_as_they_were_given_away(k):
    problem, X, _ = begun(Squared(), k)
    quasi = QuasiNewton(problem, problem.frame.loss, X)
    _, _, here, best = descended(quasi, problem, X, 3)
    kept = here.copy()
    descended(quasi, problem, here, 3)
    np.testing.assert_array_equal(here, kept)
    assert not any(np.shares_memory(points, quasi.memory) for points in (here, best))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dtype", "seed"),
    [
        slow("float32", 1),
        ("float64", 3),
        slow("float32", 3),
        slow("float32", 5),
        slow("float64", 1),
        slow("float64", 5),
    ],
)
def test_heavy_tails_in_many_dimensions_never_raise_the_cost(seed, dtype):
    """There the cost of a step and of a sweep are found in two ways, which round differently."""
    rng = np.random.default_rng(seed)
    D = distances(rng.normal(size=(205, 5)) * np.exp(3 * rng.normal(size=(205, 1))))
    options = {"loss": "absolute", "dtype": dtype, "init": "shaken", "random_state": 0}
    result = place_center(D, 7, **options, callback=lambda i, cost, X: i == 800)
    level, cost = result.levels.T
    assert (np.diff(cost)[np.diff(level) == 0.0] <= 0.0).all()


@dataclass(frozen=True)
class Rounded(Loss):
    smoothing: float = 0.0
    strength: float = 1.0
    degree = 1.0

    def value(self, u, r):
        return self.strength * np.sqrt((u - r) ** 2 + self.smoothing**2)

    def weight(self, u, r):
        return 0.5 * self.strength / np.sqrt((u - r) ** 2 + self.smoothing**2)


@dataclass(frozen=True)
class Kink(Loss):  # its smoothed form is of another class
    strength: float = 2.0
    degree = 1.0

    def value(self, u, r):
        return self.strength * abs(u - r)

    def weight(self, u, r):
        return 0.5 * self.strength / abs(u - r)

    def smoothed(self, level):
        return Rounded(level, self.strength) if level > 0.0 else self


def test_a_loss_whose_smoothed_form_is_of_another_class_is_swept():
    D = gaussian(15, 6)
    result = place_center(D, 2, loss=Kink(), smoothing=0.01, random_state=0, n_init=1)
    want = total_cost(D, result.embedding, loss=result.loss)
    assert result.cost == pytest.approx(want, rel=1e-9)
    problem = Problem.posed(as_pairs(D), Kink(), Euclidean(), 2)
    assert not problem.moves_together


@pytest.mark.parametrize("weight", [1e-200, 1e-120, 1e120])
def test_weights_of_any_size_end_as_low(weight):
    D = gaussian(15, 6)
    plain = place_center(D, 2, n_init=1)
    heavy = place_center(D, 2, n_init=1, weights=np.full(D.shape, weight))
    assert heavy.cost / weight == pytest.approx(plain.cost, rel=1e-3)


def test_levels_share_few_iterations():
    """Each level gets its part, so that the last of them is reached."""
    with pytest.warns(match="Raise max_iter=60"):
        result = place_center(gaussian(60, 40), 20, loss="absolute", max_iter=60)
    assert result.n_iter == 60
    assert len(np.unique(result.levels[:, 0])) > 12


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["squared", "absolute", slow("squared_distance")])
@pytest.mark.parametrize(("n", "k"), [(80, 20), slow(300, 20), slow(300, 50)])
def test_as_low_as_annealed_lbfgs_and_lower_than_sweeps(loss, n, k, monkeypatch):
    """Robust losses have many minima: which is met differs by some tenths of a per cent."""
    D = gaussian(n, 200)
    ours, rival = place_center(D, k, loss=loss), lbfgs(D, k, loss=loss)
    assert ours.cost <= (1.00001 if loss == "squared" else 1.01) * rival.cost
    monkeypatch.setattr(Problem, "moves_together", False)
    swept = place_center(D, k, loss=loss)
    assert ours.cost <= (1.00001 if loss == "squared" else 0.999) * swept.cost


def test_coincident_points_and_far_ones_have_exact_pulls():
    """Where products cancel, distances come from the points themselves."""
    problem, X, _ = begun(Absolute(0.1), 7)
    X[:, 1], X[:, 2] = X[:, 0], X[:, 0] + 1e-6
    near, (cost, _) = problem.pulls(X, problem.frame.loss)
    far, (same, _) = problem.pulls(X + 1e5, problem.frame.loss)
    np.testing.assert_allclose(far, near, rtol=1e-6, atol=1e-3)
    assert same == pytest.approx(cost, rel=1e-6)
    want = problem.costs(X, problem.frame.loss, problem.frame.space)[0]
    assert cost == pytest.approx(want, rel=1e-12)


@dataclass(frozen=True)
class Half(Euclidean):  # the half-space in which no coordinate is negative
    def exp(self, p, v):
        for a in range(p.shape[0]):
            p[a] = max(p[a] + v[a], 0.0)


@pytest.mark.filterwarnings("ignore:Stopped after max_iter")
@pytest.mark.parametrize("k", [slow(3), slow(4), 7])
def test_a_space_of_its_own_kind_is_swept(k):
    rng = np.random.default_rng(0)
    D, start = distances(rng.normal(size=(20, k))), abs(rng.normal(size=(20, k)))
    result = place_center(D, k, space=Half(), init=start, max_iter=20, n_init=1)
    assert result.embedding.min() >= 0.0


@pytest.mark.parametrize("space", [Euclidean(), Sphere(1.0)], ids=name)
@pytest.mark.parametrize("loss", [Squared(), Absolute(0.1)], ids=name)
def test_known_pulls_lead_the_same_way_as_pulls_that_are_measured(loss, space):
    rng = np.random.default_rng(0)
    D, _ = table(rng, 12, space, noise=0.3, k=2)
    problem = Problem.posed(as_pairs(D), loss, space, 2)
    own, at = problem.frame.loss, problem.frame.space
    X = problem.inner(problem.frame.outer_space(at).random(12, 2, 1.0, rng))
    pulls, (exact, smooth) = problem.measured(X, own, at)
    before, limits = pulls.copy(), Limits(15, 5, 0.0, 0.0)
    known, unknown = (
        QuasiNewton(problem, own, X, *told).descend([(smooth, exact)], exact, limits)
        for told in ([(smooth, pulls)], [])
    )
    assert len(known[0]) == 15
    np.testing.assert_array_equal(known[0], unknown[0])
    np.testing.assert_array_equal(known[2], unknown[2])
    np.testing.assert_array_equal(pulls, before)  # whoever measured them may need them again
