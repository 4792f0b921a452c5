"""What all rivals share: what they return, what they refuse, and how they are watched."""

import sys
from dataclasses import replace
from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

from tests.support.by_hand import (
    COMPLETE,
    DETERMINED,
    ENDLESS,
    GEODESIC,
    METHODS,
    REE,
    WATCHED,
    data,
    exact,
)
from tests.support.parts import LOSSES, slow
from unimds import ChordalSphere, Euclidean, Hyperbolic, Outcome, Result, Simplex, Sphere
from unimds.placecenter.problem import Problem
from unimds.quality import total_cost
from unimds.rivals import multiresolution, sgd, smacof, smacof_q
from unimds.rivals.base import as_chords, follow, pose
from unimds.spaces import distances

every = pytest.mark.parametrize("which", METHODS)


def run(which, D, k=2, space=None, **options):
    method, own, defaults = METHODS[which]
    if own != Euclidean():
        options["space"] = own if space is None else space
    return method(D, k, **{**defaults, **options})


# --- what is returned ----------------------------------------------------------------------------


@pytest.mark.sample(6)
@every
@pytest.mark.parametrize("loss", [*LOSSES[:2], *map(slow, LOSSES[2:]), "huber"], ids=str)
def test_cost_is_that_of_the_map(which, loss):
    D = data(which)
    result = run(which, D, loss=loss)
    space = METHODS[which][1]
    want = total_cost(D, result.embedding, loss=loss, space=space)
    assert result.cost == pytest.approx(want, rel=1e-9)
    assert total_cost(D, result.embedding, loss=result.loss, space=result.space) == pytest.approx(
        want, rel=1e-9
    )
    assert result.space == space


@every
def test_record_of_a_run(which):
    result = run(which, data(which), loss="absolute")
    assert isinstance(result, Result)
    assert result.history.shape == result.levels.shape == (result.n_iter + 1, 2)
    seconds, cost = result.history.T
    assert seconds[0] > 0.0
    assert (np.diff(seconds) >= 0.0).all()
    assert result.cost == cost.min()  # not the last: the loss need not be what is minimised
    assert result.converged
    settles = which.split()[-1] in ENDLESS
    assert result.outcome is (Outcome.CONVERGED if settles else Outcome.FINISHED)
    assert result.message == result.outcome.value
    steps = {REE: 200, sgd: 100}.get(METHODS[which][0], 0)
    if not settles:
        assert result.n_iter == (0 if which == "sdp" else steps)


def test_best_by_the_loss_is_not_the_last():
    """From the truth, with one wrong distance, the squared error leads away."""
    D, truth = exact("smacof")
    D[0, 1] = D[1, 0] = D[0, 1] + 3.0
    result = smacof(D, loss="absolute", init=truth)
    assert result.cost == pytest.approx(3.0)
    assert result.history[-1, 1] > 4.0
    np.testing.assert_allclose(result.embedding, truth, atol=1e-12)


@pytest.mark.sample(9)
@every
@pytest.mark.parametrize("factor", [2.0**332, 2.0**-332], ids=["huge", "tiny"])
def test_unit_of_length_changes_nothing(which, factor):
    D, space = data(which), METHODS[which][1]
    one = run(which, D)
    if space == Euclidean():
        other = run(which, D * factor)
        np.testing.assert_array_equal(other.embedding, factor * one.embedding)
    else:
        other = run(which, D * factor, space=replace(space, radius=factor))
        np.testing.assert_array_equal(other.embedding, one.embedding)
    np.testing.assert_array_equal(other.history[:, 1], factor**2 * one.history[:, 1])


@every
@pytest.mark.parametrize("factor", [1e100, 1e-100])
def test_any_unit_of_length_will_do(which, factor):
    """Not a power of two, so numbers are rounded; exact data, so that nothing hangs on that."""
    (D, _), space = exact(which), METHODS[which][1]
    scaled = space if space == Euclidean() else replace(space, radius=factor)
    start = {"init": "classical"} if which == "sgd" else {}
    result = run(which, D * factor, space=scaled, **start)
    miss = distances(result.embedding, space=scaled) / factor - D
    assert np.abs(miss).max() < 0.05


@pytest.mark.parametrize("which", DETERMINED)
def test_order_of_points_changes_nothing(which):
    D, space = data(which), METHODS[which][1]
    order = np.random.default_rng(0).permutation(len(D))
    one, other = run(which, D), run(which, D[np.ix_(order, order)])
    U, V = (distances(result.embedding, space=space) for result in (one, other))
    np.testing.assert_allclose(V, U[np.ix_(order, order)], atol=2e-3)
    assert other.cost == pytest.approx(one.cost, rel=1e-4)


@pytest.mark.sample(5)
@every
def test_input_is_left_alone_and_may_be_of_any_kind(which):
    D = data(which)
    before, want = D.copy(), run(which, D).embedding
    np.testing.assert_array_equal(D, before)
    labels = [f"p{i}" for i in range(len(D))]
    frame = pd.DataFrame(D, index=labels, columns=labels)
    np.testing.assert_array_equal(run(which, frame).embedding, want)
    with pytest.warns(UserWarning, match="the points of the map are in the order of the rows"):
        np.testing.assert_array_equal(run(which, frame[labels[::-1]]).embedding, want)
    np.testing.assert_array_equal(run(which, D.tolist()).embedding, want)
    single = D.astype(np.float32)
    result = run(which, single)
    assert result.embedding.dtype == np.float64
    assert result.cost == pytest.approx(run(which, single.astype(float)).cost, rel=1e-6)


@pytest.mark.parametrize("which", ["smacof", "lbfgs", "smacof_q", "sgd", "sgd on the sphere"])
def test_seed_may_be_given(which):
    D, X = exact(which)
    before = X.copy()
    result = run(which, 0.9 * D, init=X)
    np.testing.assert_array_equal(X, before)
    want = total_cost(0.9 * D, X, space=METHODS[which][1])
    assert result.history[0, 1] == pytest.approx(want, rel=1e-9)


# --- small and degenerate data -------------------------------------------------------------------


@every
@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_points(which, n):
    D, _ = exact(which, n)
    result = run(which, D)
    space = METHODS[which][1]
    assert result.embedding.shape == (n, space.n_coordinates(2))
    np.testing.assert_allclose(distances(result.embedding, space=space), D, atol=2e-3)


@every
def test_all_distances_zero(which):
    with pytest.warns(UserWarning, match="all distances are zero") as caught:
        result = run(which, np.zeros((5, 5)))
    assert caught[0].filename == __file__
    assert np.isfinite(result.embedding).all()
    assert np.ptp(result.embedding, axis=0).max() < 1e-4


@every
def test_identical_points(which):
    D, _ = exact(which)
    twice = np.repeat(np.repeat(D, 2, axis=0), 2, axis=1)
    result = run(which, twice)
    mapped = distances(result.embedding, space=METHODS[which][1])
    assert np.diagonal(mapped, 1)[::2].max() < 0.05
    if METHODS[which][0] is not sgd:  # a random start may settle elsewhere
        np.testing.assert_allclose(mapped, twice, atol=0.05)


def test_distances_longer_than_the_sphere():
    """Straight ones: the largest there is does instead."""
    D = data("chordal renormalised")
    D[0, 1] = D[1, 0] = 7.0
    with pytest.warns(UserWarning, match="the largest distance, 7, is longer") as caught:
        result = run("chordal renormalised", D)
    assert caught[0].filename == __file__
    D[0, 1] = D[1, 0] = 2.0
    np.testing.assert_array_equal(result.embedding, run("chordal renormalised", D).embedding)
    np.testing.assert_allclose(
        as_chords(np.array([3.0, 99.0]), Sphere(3.0)), [2 * np.sin(0.5), 2.0]
    )


# --- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize("which", COMPLETE)
def test_missing_distances_where_all_are_needed(which):
    D = data(which)
    D[2, 5] = D[5, 2] = np.nan
    with pytest.raises(ValueError, match=r"missing distances.*use place_center or smacof"):
        run(which, D)
    D[2, 5] = 1.0  # one direction is enough
    assert np.isfinite(run(which, D).cost)


@pytest.mark.parametrize("which", GEODESIC)
def test_angles_that_no_sphere_has(which):
    with pytest.raises(ValueError, match=r"the largest distance is 7, .*π·radius"):
        run(which, np.where(np.eye(14) > 0.0, 0.0, 7.0))


@every
def test_bad_tables(which):
    D = data(which)
    for bad, words in ((-D, "negative"), (D[:, :5], "square"), (D + 1.0, "to itself")):
        with pytest.raises(ValueError, match=words):
            run(which, bad)
    with pytest.raises(ValueError, match=r"a map of 14 dimensions .*use 13 or fewer"):
        run(which, D, k=14)


@every
@pytest.mark.parametrize(("option", "value"), [("n_components", 0), ("loss", "cubic")])
def test_bad_parameters_of_all(which, option, value):
    with pytest.raises(ValueError, match=f"'{option}' parameter"):
        METHODS[which][0](data(which), **{option: value})


@pytest.mark.parametrize("which", WATCHED)
@pytest.mark.parametrize(
    ("option", "value"), [("max_iter", 0), ("max_iter", 2.5), ("callback", 3), ("verbose", -1)]
)
def test_bad_parameters_of_the_watched(which, option, value):
    with pytest.raises(ValueError, match=f"'{option}' parameter"):
        run(which, data(which), **{option: value})


@pytest.mark.parametrize(
    ("which", "options", "words"),
    [
        ("CD+SVD", {"method": "newton"}, r'method=\'newton\'.*"subgradient" or "sdp"'),
        ("CD+SVD", {"init": "classical"}, r'init=\'classical\'.*"svd" or "random"'),
        ("CD+SVD", {"init": np.zeros(2)}, r'init=.*"svd" or "random"'),
        ("CD+SVD", {"step": 0.0}, "step=0.0 must be a positive number"),
        ("CD+SVD", {"step": np.inf}, "step=inf"),
        ("CD+SVD", {"step": "long"}, "step='long'"),
        ("smacof_q", {"kappa": 0}, "kappa=0 must be a positive number"),
        ("smacof_q", {"kappa": np.nan}, "kappa=nan"),
        ("smacof_q", {"kappa": np.inf}, "kappa=inf"),
        ("smacof_q", {"kappa": "1"}, "kappa='1'"),
        ("lbfgs", {"corrections": 0}, "corrections=0 must be an integer of at least 1"),
        ("lbfgs", {"corrections": 2.5}, r"corrections=2\.5"),
        ("lbfgs", {"init": "spherical"}, "not a seed for Euclidean"),
        ("multiresolution", {"coarsest": 1}, "coarsest=1 must be an integer of at least 2"),
        ("multiresolution", {"coarsest": 4.0}, r"coarsest=4\.0"),
        ("sgd", {"last_step": 0.0}, "last_step=0.0 must be above 0 and at most 1"),
        ("sgd", {"last_step": 1.5}, "last_step=1.5"),
        ("sgd", {"last_step": None}, "last_step=None"),
        ("smacof", {"init": "spherical"}, "not a seed for Euclidean"),
        ("smacof", {"init": "nowhere"}, "'init' parameter"),
        ("smacof", {"init": np.zeros((13, 2))}, r"init must have the shape \(14, 2\)"),
        ("smacof", {"random_state": "dice"}, "random_state"),
        ("smacof", {"eps": -1.0}, "'eps' parameter"),
        ("smacof_q", {"init": "classical"}, "not a seed for ChordalSphere"),
        ("smacof_q", {"init": np.ones((14, 3))}, "unit length"),
        ("sgd", {"init": np.full((14, 2), np.nan)}, "not finite"),
        ("smacof", {"weights": -np.ones((14, 14))}, "not negative"),
        ("sgd", {"weights": np.ones((3, 3))}, "weights must have the shape"),
        ("smacof_q", {"space": "euclidean"}, r"Euclidean.*Sphere or ChordalSphere; use place_ce"),
        ("renormalised", {"space": Hyperbolic()}, r"Hyperbolic.*Sphere or ChordalSphere"),
        ("multiresolution", {"space": "chordal_sphere"}, "ChordalSphere.*only to Sphere; use"),
        ("multiresolution", {"space": Simplex()}, "Simplex.*only to Sphere"),
        ("multiresolution", {"space": "torus"}, "'space' parameter"),
        ("multiresolution", {"space": Sphere("auto")}, "needs the size of the space"),
        ("renormalised", {"space": ChordalSphere("auto")}, "use place_center"),
        ("smacof_q", {"space": Sphere("auto")}, "needs the size of the space"),
        ("sgd on the sphere", {"space": Sphere("auto")}, "needs the size of the space"),
    ],
)
def test_bad_parameters_of_one(which, options, words):
    with pytest.raises(ValueError, match=words):
        run(which, data(which), **options)


def test_numbers_of_numpy_are_numbers():
    D = data("smacof_q")
    assert multiresolution(D, coarsest=np.int64(4)).cost == multiresolution(D, coarsest=4).cost
    assert smacof_q(D, kappa=np.float32(2)).cost == smacof_q(D, kappa=2).cost


def test_semidefinite_program_without_cvxpy(monkeypatch):
    monkeypatch.setitem(sys.modules, "cvxpy", None)
    with pytest.raises(ImportError, match=r"needs cvxpy: pip install 'unimds\[sdp\]'"):
        run("sdp", data("sdp"))
    assert np.isfinite(run("CD+SVD", data("sdp")).cost)


def test_semidefinite_program_that_cvxpy_does_not_solve(monkeypatch):
    monkeypatch.setattr("cvxpy.Problem.solve", lambda self: None)
    with pytest.raises(RuntimeError, match="did not solve"):
        run("sdp", data("sdp"))


# --- how it is watched ---------------------------------------------------------------------------


@pytest.mark.parametrize("which", WATCHED)
def test_callback_sees_every_step_and_may_stop(which):
    D, seen = data(which), []
    result = run(which, D, callback=lambda i, cost, X: seen.append((i, cost, X)) or i == 4)
    assert result.outcome is Outcome.CALLBACK
    assert not result.converged
    assert [i for i, _, _ in seen] == [1, 2, 3, 4]
    np.testing.assert_array_equal([cost for _, cost, _ in seen], result.history[1:, 1])
    loss = "squared_distance" if which == "CD+SVD" else "squared"
    for _, cost, X in seen:
        want = total_cost(D, X, loss=loss, space=METHODS[which][1])
        assert cost == pytest.approx(want, rel=1e-9)


@pytest.mark.parametrize("which", WATCHED)
def test_interrupt_returns_the_best_so_far(which):
    def interrupt(i, cost, X):
        if i == 3:
            raise KeyboardInterrupt

    D = data(which)
    with pytest.warns(RuntimeWarning, match="Interrupted") as caught:
        result = run(which, D, loss="absolute", callback=interrupt)
    assert caught[0].filename == __file__
    assert result.outcome is Outcome.INTERRUPTED
    assert not result.converged
    assert result.n_iter == 3
    want = total_cost(D, result.embedding, loss="absolute", space=METHODS[which][1])
    assert result.cost == result.history[:, 1].min() == pytest.approx(want, rel=1e-9)


def test_interrupt_before_the_seed_is_the_callers(monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(import_module("unimds.rivals.majorisation"), "seed", interrupt)
    with pytest.raises(KeyboardInterrupt):
        smacof(data("smacof"))


def test_errors_of_a_callback_are_the_callers():
    with pytest.raises(ZeroDivisionError):
        smacof(data("smacof"), callback=lambda i, cost, X: 1 / 0)


@pytest.mark.parametrize("which", ENDLESS)
def test_too_few_steps_are_a_warning(which):
    with pytest.warns(ConvergenceWarning, match="Raise max_iter=3 or eps=1e-09") as caught:
        result = run(which, data(which), max_iter=3, eps=1e-9)
    assert caught[0].filename == __file__
    assert result.outcome is Outcome.MAX_ITER
    assert not result.converged
    assert result.n_iter == 3


@pytest.mark.parametrize(
    ("which", "patience"), [("smacof", 1), ("lbfgs", 5), ("smacof_q", 5), ("multiresolution", 5)]
)
def test_a_run_ends_when_its_cost_has_settled(which, patience):
    cost = run(which, data(which), eps=1e-4).history[:, 1]
    fall = (cost[:-patience] - cost[patience:]) / cost[patience:]
    assert len(fall) > 1
    assert (fall[:-1] > patience * 1e-4).all()
    assert fall[-1] <= patience * 1e-4


def test_a_rise_is_forgiven_while_patience_lasts():
    problem, X = pose(data("smacof"), 2, "squared", Euclidean()), np.zeros((14, 2))
    steps = ((X, aim) for aim in [10.0, 9.0, 12.0, 8.0, 8.0, 8.0, 0.0])
    result = follow(problem, steps, max_iter=100, patience=2)
    assert result.outcome is Outcome.CONVERGED
    assert result.n_iter == 5


def test_met_distances_end_a_run():
    result = smacof([[0, 3, 4], [3, 0, 5], [4, 5, 0]])
    assert result.outcome is Outcome.EXACT
    assert result.n_iter == 1


@pytest.mark.parametrize("which", WATCHED)
def test_progress_on_standard_error(which, capsys):
    result = run(which, data(which), verbose=1)
    out, err = capsys.readouterr()
    assert out == ""
    assert f"sweep {result.n_iter} " in err
    assert result.message in err
    run(which, data(which))
    assert capsys.readouterr() == ("", "")


def test_the_clock_stands_still_while_the_cost_is_measured(monkeypatch):
    """A method that does not look at the cost is not to be charged for it."""
    clock, costs = [0.0], Problem.costs

    def slow(self, *args):
        clock[0] += 1000.0
        return costs(self, *args)

    monkeypatch.setattr("unimds._runtime.watch.time.perf_counter", lambda: clock[0])
    monkeypatch.setattr(Problem, "costs", slow)
    result = sgd(data("sgd"), random_state=0)
    assert result.n_iter == 100
    assert np.ptp(result.history[:, 0]) == 0.0
