"""Rows against columns: descent, recovery, the penalty, new rows and the manners of fit."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.optimize import approx_fprime, minimize

from tests.support.parts import examples, slow
from unimds import MDS, Absolute, Huber, Power, Squared, SquaredDistance, Unfolding
from unimds._runtime.watch import Watch
from unimds.levels import as_level
from unimds.placecenter.frame import Frame
from unimds.placecenter.targets import power_of
from unimds.spaces import Euclidean, Hyperbolic, Sphere, distances
from unimds.tables.rectangle import Entries, Joint, Rectangle, metric_seed

LOSSES = [Squared(), Absolute(0.05), Power(1.3, 0.05), Huber(0.2), SquaredDistance(0.05)]


def off(found, true):
    """Return how far points are from the true ones, after the best turn and stretch."""
    A, B = found - found.mean(axis=0), true - true.mean(axis=0)
    U, s, Vt = np.linalg.svd(A.T @ B)
    return np.linalg.norm(s.sum() / (A**2).sum() * A @ U @ Vt - B) / np.linalg.norm(B)


def people(seed, n=40, m=12, k=2):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, k)), rng.normal(size=(m, k))


def ranks_of(rows, columns):
    return distances(rows, columns).argsort(axis=1).argsort(axis=1) + 1.0


def joint_of(rng, loss, space=None, level=None, by_row=True, weight=1.0):
    space = Euclidean() if space is None else space
    D, W = rng.uniform(0.2, 2.0, size=(7, 5)), rng.uniform(0.1, 2.0, size=(7, 5))
    D[0, 1] = np.nan
    entries = None if level is None else Entries.of(D, W, as_level(level), by_row, 2)
    frame = Frame.make(loss, space, 1.0)
    data = Rectangle(D, W, frame, entries, (0.5, weight), power_of(loss, 1.0))
    X = np.ascontiguousarray(space.random(12, 2, 1.0, rng).T)
    r = None if entries is None else entries.first
    return Joint(data, X[:, :7].copy(), X[:, 7:].copy(), r)


@examples(60)
@given(
    st.integers(0, 10**6),
    st.sampled_from(LOSSES),
    st.sampled_from([Euclidean(), Sphere(), Hyperbolic()]),
    st.sampled_from([None, "ordinal", "interval", "spline", "power"]),
    st.booleans(),
)
# losses with a length of their own: a map that fits nearly must not change its size for nothing
@example(1, Huber(0.2), Euclidean(), "spline", False)
@example(2, Huber(0.05), Euclidean(), "power", True)
def test_no_step_raises_the_cost(seed, loss, space, level, by_row):
    joint = joint_of(np.random.default_rng(seed), loss, space, level, by_row)
    loss = joint.data.frame.loss
    for _ in range(25):
        new = joint.stepped(loss)
        assert new.cost(loss) <= joint.cost(loss) * (1.0 + 1e-9)
        joint = new


def test_small_coefficients_count_most_in_the_variation():
    ranks = ranks_of(*people(3, 20, 8))
    fit = Unfolding(2, level="ordinal", random_state=0, eps=1e-4).fit(ranks)
    r = fit.disparities_
    each = r.std(axis=1) / r.mean(axis=1)
    assert fit.variation_ == pytest.approx(np.mean(each**-2.0) ** -0.5)
    assert fit.variation_ < 0.999 * each.mean()


@pytest.mark.parametrize("by_row", [True, False])
def test_a_weight_of_zero_switches_the_penalty_off(by_row):
    joint = joint_of(np.random.default_rng(1), Squared(), level="ordinal", by_row=by_row)
    constant = np.ones_like(joint.r)
    assert joint.data.entries.variation(constant, 1.0)[0] == np.inf
    value, slope = joint.data.entries.variation(constant, 0.0)
    assert value == 1.0
    assert not slope.any()


@pytest.mark.parametrize("by_row", [True, False])
def test_the_slope_of_the_penalty_is_its_derivative(by_row):
    joint = joint_of(np.random.default_rng(1), Squared(), level="ordinal", by_row=by_row)
    entries = joint.data.entries
    r = entries.first * np.random.default_rng(2).uniform(0.9, 1.1, size=entries.first.size)
    numeric = approx_fprime(r, lambda x: entries.variation(x, 0.7)[0], 1e-7)
    np.testing.assert_allclose(entries.variation(r, 0.7)[1], numeric, rtol=1e-4, atol=1e-6)
    blocks = np.split(r, entries.edges[1:-1])
    omega = np.split(entries.omega, entries.edges[1:-1])
    means = [np.average(b, weights=w) for b, w in zip(blocks, omega, strict=True)]
    spread = [
        np.average((b - m) ** 2, weights=w) for b, w, m in zip(blocks, omega, means, strict=True)
    ]
    penalty = np.mean([1.0 + 0.7 * m**2 / v for m, v in zip(means, spread, strict=True)])
    assert entries.variation(r, 0.7)[0] == pytest.approx(penalty)


def test_no_optimiser_of_scipy_finds_a_lower_metric_map_nearby():
    rows, columns = people(3, 9, 5)
    rng = np.random.default_rng(0)
    D = distances(rows, columns) * rng.uniform(0.8, 1.2, size=(9, 5))
    fit = Unfolding(2, random_state=0, eps=1e-12).fit(D)

    def cost(x):
        points = x.reshape(-1, 2)
        return float(((distances(points[:9], points[9:]) - D) ** 2).sum())

    assert cost(fit.embedding_.ravel()) == pytest.approx(fit.cost_)
    found = minimize(cost, fit.embedding_.ravel(), method="L-BFGS-B")
    assert found.fun >= fit.cost_ * (1.0 - 1e-4)


@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_a_hundred_by_twenty_preferences_are_recovered_exactly(loss):
    rows, columns = people(0, 100, 20)
    D = distances(rows, columns)
    D[3, 4] = np.nan
    fit = Unfolding(2, loss=loss, random_state=0).fit(D)
    assert off(fit.embedding_, np.vstack([rows, columns])) < 1e-4


def test_wrong_answers_do_not_move_the_absolute_map():
    rows, columns = people(1, 60, 15)
    D = distances(rows, columns)
    rng = np.random.default_rng(0)
    wrong = rng.random(D.shape) < 0.1
    D[wrong] = rng.uniform(0.0, D.max(), wrong.sum())
    robust = Unfolding(2, loss="absolute", random_state=0).fit(D)
    squared = Unfolding(2, random_state=0).fit(D)
    assert off(robust.column_embedding_, columns) < 1e-3
    assert off(squared.column_embedding_, columns) > 0.02


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", range(5))
def test_ranks_of_forty_persons_give_the_columns_without_collapse(seed):
    rows, columns = people(seed)
    fit = Unfolding(2, level="ordinal", random_state=0).fit(ranks_of(rows, columns))
    assert off(fit.column_embedding_, columns) < 0.16
    assert fit.variation_ > 0.3


def test_without_the_penalty_ranks_collapse():
    rows, columns = people(0)
    fit = Unfolding(2, level="ordinal", penalty_weight=0.0, random_state=0)
    fit.fit(ranks_of(rows, columns))
    assert fit.variation_ < 0.05
    assert off(fit.column_embedding_, columns) > 0.3


def test_it_is_plain_mds_of_a_square_with_missing_blocks():
    rows, columns = people(5, 12, 9)
    D = distances(rows, columns) * np.random.default_rng(1).uniform(0.9, 1.1, size=(12, 9))
    square = np.full((21, 21), np.nan)
    np.fill_diagonal(square, 0.0)
    square[:12, 12:], square[12:, :12] = D, D.T
    mds = MDS(2, metric="precomputed", random_state=0, n_init="thorough").fit(square)
    fit = Unfolding(2, random_state=0, n_init=30).fit(D)
    assert fit.cost_ == pytest.approx(mds.cost_, rel=1e-4)


def test_a_complete_square_of_true_distances_puts_rows_on_columns():
    points, _ = people(6, 10, 3)
    fit = Unfolding(2, random_state=0).fit(distances(points))
    np.testing.assert_allclose(fit.row_embedding_, fit.column_embedding_, atol=1e-6)
    np.testing.assert_allclose(distances(fit.row_embedding_), distances(points), atol=1e-6)


@pytest.mark.parametrize("space", [Sphere(), slow(Hyperbolic())], ids=["sphere", "hyperbolic"])
def test_other_spaces(space):
    rng = np.random.default_rng(2)
    X = space.random(30, 2, 0.7, rng)
    D = distances(X[:20], X[20:], space=space)
    fit = Unfolding(2, space=space, random_state=0).fit(D)
    assert fit.stress_ < 1e-3
    blurred = D * rng.uniform(0.8, 1.2, size=D.shape)
    ranked = Unfolding(2, space=space, level="ordinal", random_state=0, eps=1e-5).fit(blurred)
    assert ranked.stress_ < 0.2
    assert ranked.variation_ > 0.2


def test_memory_grows_with_the_table_not_with_its_square():
    rows, columns = people(0, 3000, 20)
    D = distances(rows, columns)
    fit = Unfolding(2, random_state=0, n_init=2, max_iter=20)
    fit.fit(D[:100])  # compiles
    tracemalloc.start()
    fit.fit(D)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 30 * D.nbytes < 0.25 * 8 * 3020**2


@pytest.mark.slow
def test_a_map_of_ranks_lies_amid_those_that_agree_with_them():
    """A uniform set whose first map that agrees, at the edge of all that do, is off by 0.164."""
    rng = np.random.default_rng(2)
    rows, columns = rng.uniform(-1, 1, (40, 2)), rng.uniform(-1, 1, (12, 2))
    fit = Unfolding(2, level="ordinal", random_state=0).fit(ranks_of(rows, columns))
    assert fit.outcome_.name == "EXACT"
    assert off(fit.column_embedding_, columns) < 0.12
    assert fit.history_[:, 1].min() == pytest.approx(fit.penalised_stress_)


@pytest.mark.parametrize("level", ["ratio", "ordinal", "interval"])
@pytest.mark.parametrize("conditional", [slow("row"), "table"])
def test_new_rows_are_placed_where_they_were(level, conditional):
    rows, columns = people(7, 60, 12)
    D = distances(rows, columns)
    fit = Unfolding(2, level=level, conditional=conditional, random_state=0, eps=1e-5).fit(D)
    again = fit.transform(D[:6])
    size = np.linalg.norm(fit.row_embedding_ - fit.row_embedding_.mean(axis=0), axis=1).mean()
    away = np.linalg.norm(again - fit.row_embedding_[:6], axis=1)
    assert np.median(away) < (1e-4 if level == "ratio" else 0.25) * size


@pytest.mark.slow
def test_ratings_are_dissimilarities_turned_round():
    rows, columns = people(8, 30, 8)
    ranks = ranks_of(rows, columns)
    a = Unfolding(2, level="ordinal", random_state=0).fit(ranks)
    b = Unfolding(2, level="ordinal", larger="nearer", random_state=0).fit(9.0 - ranks)
    np.testing.assert_allclose(a.column_embedding_, b.column_embedding_, atol=1e-8)
    np.testing.assert_allclose(a.transform(ranks[:2]), b.transform(9.0 - ranks[:2]), atol=1e-6)
    with pytest.raises(ValueError, match="level="):
        Unfolding(2, larger="nearer").fit(ranks)


def test_frames_and_their_labels():
    rows, columns = people(9, 8, 5)
    frame = pd.DataFrame(distances(rows, columns), index=list("abcdefgh"), columns=list("vwxyz"))
    fit = Unfolding(2, random_state=0).fit(frame)
    assert list(fit.labels_) == list("abcdefgh")
    assert list(fit.column_labels_) == list("vwxyz")
    mixed = frame.iloc[:2, ::-1]
    np.testing.assert_allclose(fit.transform(mixed), fit.row_embedding_[:2], atol=1e-6)
    wrong, W = mixed.copy(), np.ones((2, 5))
    wrong.iloc[:, 0], W[:, 0] = 50.0, 0.0
    np.testing.assert_allclose(fit.transform(wrong, weights=W), fit.row_embedding_[:2], atol=1e-6)
    labelled = pd.DataFrame(W, index=mixed.index, columns=mixed.columns)[list("vwxyz")]
    placed = fit.transform(wrong, weights=labelled)
    np.testing.assert_allclose(placed, fit.row_embedding_[:2], atol=1e-6)
    W[1] = [1.0, 0.0, 1.0, 1.0, 0.0]
    upside_down = pd.DataFrame(W, index=mixed.index, columns=mixed.columns).iloc[::-1]
    placed = fit.transform(wrong, weights=upside_down)
    np.testing.assert_array_equal(placed, fit.transform(wrong, weights=W))
    with pytest.raises(ValueError, match="weights: the labels are not those"):
        fit.transform(wrong, weights=labelled.rename(index={"b": "c"}))


@pytest.mark.parametrize(
    ("X", "options", "told"),
    [
        ([1.0, 2.0], {}, "a row for each person"),
        ([[1.0, -2.0], [1.0, 1.0]], {}, r"X\[0, 1\]"),
        ([[1.0, np.nan], [1.0, np.nan]], {}, "column 1 of X has no known"),
        ([[1.0, 2.0], [2.0, 1.0]], {"n_components": 2}, "more than 2 rows and columns"),
        ([[1.0, 2.0], [2.0, 1.0]], {"space": Sphere("auto"), "n_components": 1}, "size of a space"),
        ([[1.0, 2.0], [2.0, 1.0]], {"larger": "more"}, "larger"),
        ([[1.0, 2.0], [2.0, 1.0]], {"level": "ordinal", "penalty_power": 0.0}, "penalty_power"),
    ],
)  # fmt: skip
def test_what_is_refused_says_why(X, options, told):
    with pytest.raises(ValueError, match=told):
        Unfolding(**{"n_components": 1, **options}).fit(X)


def test_new_rows_need_the_columns_of_the_map():
    rows, columns = people(0, 9, 5)
    fit = Unfolding(2, random_state=0).fit(distances(rows, columns))
    with pytest.raises(ValueError, match="4 columns and the map has 5"):
        fit.transform(np.ones((1, 4)))


def test_the_seed_of_missing_entries_is_finite():
    rows, columns = people(0, 9, 5)
    D = distances(rows, columns)
    D[0, 0] = np.nan
    assert np.isfinite(metric_seed(D, 2)[0]).all()


@pytest.mark.parametrize("level", ["ratio", "ordinal"])
def test_the_unit_of_the_table_is_that_of_the_map(level):
    rows, columns = people(2, 12, 6)
    D = distances(rows, columns) * np.random.default_rng(0).uniform(0.8, 1.2, size=(12, 6))
    options = {"level": level, "random_state": 0, "n_init": 2, "eps": 1e-4}
    one, two = Unfolding(2, **options).fit(D), Unfolding(2, **options).fit(D * 2.0**40)
    np.testing.assert_allclose(two.embedding_, one.embedding_ * 2.0**40, rtol=1e-6)


def test_an_interrupted_run_keeps_what_it_has():
    def stop(iteration, cost, embedding):
        raise KeyboardInterrupt

    D = np.random.default_rng(0).uniform(0.2, 2.0, size=(12, 6))
    with pytest.warns(RuntimeWarning, match="Interrupted"):
        fit = Unfolding(2, callback=stop, random_state=0, n_init=3).fit(D)
    assert np.isfinite(fit.embedding_).all()


# --- what people give by mistake ------------------------------------------------------------------


def ratings():
    rng = np.random.default_rng(3)
    names = [f"person {i}" for i in range(8)]
    return pd.DataFrame(rng.integers(1, 6, size=(8, 5)).astype(float), names, list("abcde"))


def spoilt(row, column, value):
    X = ratings()
    X.loc[row, column] = value
    return X


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("X", "said"),
    [
        (spoilt("person 2", "b", -2.0), r"X\['person 2', 'b'\] = -2 .*: add 2 to every number"),
        (spoilt("person 2", "b", np.inf), r"X\['person 2', 'b'\] = inf is infinite"),
        (spoilt("person 2", slice(None), np.nan), "row 'person 2' of X has no known number"),
        (spoilt(slice(None), "b", np.nan), "column 'b' of X has no known number"),
        (ratings() * 1e200, r"numbers up to 5e\+200: .* use another unit"),
        (ratings() * 1e-200, "numbers up to 5e-200: .* use another unit"),
    ],
)
def test_numbers_that_cannot_be_used_are_named(X, said):
    for level in ("ratio", "ordinal"):
        with pytest.raises(ValueError, match=said):
            Unfolding(level=level).fit(X)


def test_parts_that_nothing_joins_are_an_error():
    X = ratings().to_numpy().copy()
    X[:4, 3:] = X[4:, :3] = np.nan
    with pytest.raises(ValueError, match="fall into 2 parts"):
        Unfolding(1).fit(X)
    X[0, 4] = 2.0
    Unfolding(1, n_init=1, random_state=0).fit(X)


@pytest.mark.parametrize("level", ["ratio", "ordinal"])
def test_a_table_of_one_number_is_told_to_say_nothing(level):
    with pytest.warns(UserWarning, match="all numbers of X are 3: .* the map says nothing"):
        Unfolding(level=level, n_init=1, random_state=0).fit(np.full((6, 5), 3.0))


def test_a_row_without_weight_is_told():
    W = np.ones((8, 5))
    W[2] = 0.0
    with pytest.raises(ValueError, match=r"row 'person 2' of X .* weight above 0"):
        Unfolding().fit(ratings(), weights=W)


@pytest.mark.parametrize("level", ["ratio", "ordinal"])
def test_callback_and_progress_hear_the_cost_in_the_unit_of_the_table(level, monkeypatch):
    D = 100.0 * np.random.default_rng(0).uniform(0.2, 2.0, size=(9, 6))
    seen, last = [], []

    def hear(iteration, cost, embedding):
        seen.append(cost)

    monkeypatch.setattr(Watch, "done", lambda self, steps, cost, said: last.append(cost))
    fit = Unfolding(2, level=level, callback=hear, random_state=0, n_init=2, eps=1e-4).fit(D)
    cost = fit.cost_ if level == "ratio" else fit.penalised_stress_
    assert min(seen) == pytest.approx(cost, rel=1e-6)
    assert last == [pytest.approx(cost, rel=1e-6)]
