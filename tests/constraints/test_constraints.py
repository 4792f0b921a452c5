"""Maps that must obey: they do, they descend, and without a constraint they are plain maps."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from tests.support.parts import examples, slow
from unimds import MDS, Absolute, Huber, Power, Squared, SquaredDistance
from unimds.constraints import LinearIn, OnCircle, OnLine, Regions
from unimds.constraints.circle import circular
from unimds.constraints.obeying import Obeying
from unimds.distances.pairs import as_pairs
from unimds.levels import as_level
from unimds.placecenter.problem import Problem
from unimds.spaces import Euclidean, distances

LOSSES = [Squared(), Absolute(0.05), Power(1.3, 0.05), Huber(0.2), SquaredDistance(0.05)]
GROUPS = [0, 1, 2, None, 0, 1, 2, 2, 0, 1]


def table(seed=0, n=10, noise=0.2):
    rng = np.random.default_rng(seed)
    D = distances(rng.normal(size=(n, 2))) * rng.uniform(1.0 - noise, 1.0 + noise, size=(n, n))
    return 0.5 * (D + D.T)


def constraints(n=10):
    Z = np.random.default_rng(1).normal(size=(n, 3))
    return {
        "linear": LinearIn(Z),
        "line": OnLine([0, 2, 4, 6]),
        "circle": OnCircle([1, 3, 5, 7, 9]),
        "axis": Regions(GROUPS, "axis"),
        "rings": Regions(GROUPS, "rings"),
        "sectors": Regions(GROUPS, "sectors"),
    }


def obeys(name, X):
    """Return by how much a map misses its constraint."""
    groups = np.array([-1 if g is None else g for g in GROUPS])
    if name == "linear":
        Z = np.asarray(constraints()["linear"].Z)
        left = X - X.mean(axis=0)
        Z = Z - Z.mean(axis=0)
        return np.abs(Z @ np.linalg.lstsq(Z, left, rcond=None)[0] - left).max()
    if name == "line":
        away = X[[0, 2, 4, 6]] - X[[0, 2, 4, 6]].mean(axis=0)
        return np.linalg.svd(away)[1][1]
    if name == "circle":
        return np.ptp(np.linalg.norm(X[[1, 3, 5, 7, 9]], axis=1))
    if name == "sectors":
        angle = np.angle(np.exp(1j * (np.arctan2(X[:, 1], X[:, 0]) - 2 * np.pi * groups / 3)))
        inside = (groups >= 0) & (np.linalg.norm(X, axis=1) > 1e-9)  # the origin is in every sector
        return max(np.abs(angle[inside]).max() - np.pi / 3, 0.0)
    order = X[:, 0] if name == "axis" else np.linalg.norm(X, axis=1)
    return max(order[groups == g].max() - order[groups == g + 1].min() for g in (0, 1))


@examples(60)
@given(
    st.integers(0, 10**6),
    st.sampled_from(sorted(constraints())),
    st.sampled_from(LOSSES),
    st.sampled_from([None, "ordinal", "interval"]),
)
def test_no_step_raises_the_cost_and_every_step_obeys(seed, name, loss, level):
    rng = np.random.default_rng(seed)
    D, W = table(seed), rng.uniform(0.1, 2.0, size=(10, 10))
    D[0, 1] = D[1, 0] = np.nan
    pairs = as_pairs(D, weights=W + W.T)
    problem = Problem.posed(pairs, loss, Euclidean(), 2)
    if level is not None:
        problem = Problem.scaled(pairs, loss, Euclidean(), 2, as_level(level))
    constraint = constraints()[name].checked(10, 2, None)
    X = constraint.begun(rng.normal(size=(10, 2)))
    state = Obeying(problem, constraint, np.ascontiguousarray(X.T), problem.targets.first)
    loss = problem.frame.loss
    for _ in range(6):
        V, B = state.laplacians(loss)
        assert state.cautious(V, B @ state.X.T).cost(loss) <= state.cost(loss) * (1.0 + 1e-8)
        new = state.stepped(loss)
        assert new.cost(loss) <= state.cost(loss) * (1.0 + 1e-8)
        assert obeys(name, new.X.T) < 1e-8
        state = new


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", sorted(constraints()))
@pytest.mark.parametrize("loss", ["squared", slow("absolute")])
def test_maps_obey_and_cost_more_than_free_ones(name, loss):
    D = table()
    free = MDS(2, loss=loss, metric="precomputed", random_state=0).fit(D)
    mds = MDS(2, loss=loss, metric="precomputed", random_state=0, eps=1e-5)
    mds.fit(D, constraints=constraints()[name])
    assert obeys(name, mds.embedding_) < 1e-8
    assert free.cost_ <= mds.cost_ * (1.0 + 1e-9)
    assert mds.stress_ < 0.8
    assert mds.stress_ == pytest.approx(
        np.sqrt(
            ((distances(mds.embedding_) - D) ** 2).sum() / (distances(mds.embedding_) ** 2).sum()
        )
    )


@pytest.mark.sample(3)
@pytest.mark.parametrize("loss", ["squared", "absolute", "huber"])
@pytest.mark.parametrize("level", ["ratio", "interval"])
def test_linear_in_the_unit_matrix_is_plain_mds(loss, level):
    D = table(2)
    free = MDS(2, loss=loss, level=level, metric="precomputed", random_state=0).fit(D)
    mds = MDS(2, loss=loss, level=level, metric="precomputed", random_state=0)
    mds.fit(D, constraints=LinearIn(np.eye(10)))
    # disparities approach their end slowly: eps ends both within 1e-3 of each other
    assert mds.cost_ == pytest.approx(free.cost_, rel=1e-5 if level == "ratio" else 1e-3)


@pytest.mark.parametrize("loss", [Squared(), Absolute(0.1)], ids=["squared", "absolute"])
def test_the_coefficients_are_those_that_scipy_finds(loss):
    rng = np.random.default_rng(3)
    Z, D = rng.normal(size=(10, 3)), table(3)
    mds = MDS(2, loss=loss, metric="precomputed", random_state=0, eps=1e-12, smoothing=0.1)
    mds.fit(D, constraints=LinearIn(Z))
    i, j = np.triu_indices(10, 1)

    def cost(c):
        X = Z @ c.reshape(3, 2)
        u = np.linalg.norm(X[i] - X[j], axis=1)
        return sum(float(mds.loss_.value(a, b)) for a, b in zip(u, D[i, j], strict=True))

    own = LinearIn(Z).coefficients(mds.embedding_)
    assert cost(own.ravel()) == pytest.approx(mds.cost_, rel=1e-9)
    starts = [own.ravel(), *rng.normal(size=(20, 6))]
    best = min(minimize(cost, start, method="BFGS").fun for start in starts)
    assert mds.cost_ == pytest.approx(best, rel=1e-5)


def test_the_step_of_the_coefficients_minimises_the_majorizer():
    rng = np.random.default_rng(4)
    pairs = as_pairs(table(4))
    problem = Problem.posed(pairs, Absolute(0.1), Euclidean(), 2)
    constraint = LinearIn(rng.normal(size=(10, 3))).checked(10, 2, None)
    X = constraint.begun(rng.normal(size=(10, 2)))
    state = Obeying(problem, constraint, np.ascontiguousarray(X.T), problem.targets.first)
    V, B = state.laplacians(problem.frame.loss)
    Z = np.asarray(constraint.Z)

    def above(c):
        Y = Z @ c.reshape(3, 2)
        return float(np.trace(Y.T @ V @ Y) - 2.0 * np.trace(Y.T @ B @ X))

    found = minimize(above, np.zeros(6), method="BFGS", tol=1e-10)
    np.testing.assert_allclose(
        state.stepped(problem.frame.loss).X.T, Z @ found.x.reshape(3, 2), atol=1e-4
    )


@pytest.mark.parametrize("name", ["line", "circle", "axis", "rings", "sectors"])
def test_nearest_is_nearest(name):
    # no other allowed map, reached from many sides, lies nearer
    rng = np.random.default_rng(5)
    constraint = constraints()[name].checked(10, 2, None)
    Y, m = rng.normal(size=(10, 2)), rng.uniform(0.2, 2.0, size=10)
    X = constraint.nearest(Y, m)
    off = float((m[:, None] * (X - Y) ** 2).sum())
    assert obeys(name, X) < 1e-9
    np.testing.assert_allclose(constraint.nearest(X, m), X, atol=1e-9)
    for factor in (0.999, 1.001):  # multiples are allowed too
        assert float((m[:, None] * (factor * X - Y) ** 2).sum()) >= off - 1e-5 * off
    for _ in range(300):
        other = constraint.nearest(X + 0.3 * rng.normal(size=(10, 2)), m)
        assert float((m[:, None] * (other - Y) ** 2).sum()) >= off - 1e-9


def test_a_circle_is_recovered():
    angle = np.sort(np.random.default_rng(6).uniform(0, 2 * np.pi, 15))
    D = distances(3.0 * np.column_stack([np.cos(angle), np.sin(angle)]))
    mds = MDS(2, metric="precomputed", random_state=0).fit(D, constraints=OnCircle())
    assert mds.stress_ < 1e-4
    np.testing.assert_allclose(np.linalg.norm(mds.embedding_, axis=1), 3.0, rtol=1e-3)


def test_labels_match_variables_and_groups():
    names = list("abcdefghij")
    D = pd.DataFrame(table(7), index=names, columns=names)
    Z = pd.DataFrame(np.random.default_rng(1).normal(size=(10, 2)), index=names)
    a = MDS(2, metric="precomputed", random_state=0).fit(D, constraints=LinearIn(Z))
    b = MDS(2, metric="precomputed", random_state=0).fit(D, constraints=LinearIn(Z[::-1]))
    np.testing.assert_allclose(a.embedding_, b.embedding_, atol=1e-8)
    groups = pd.Series([0] * 5 + [1] * 5, index=names)
    c = MDS(2, metric="precomputed", random_state=0).fit(D, constraints=Regions(groups[::-1]))
    assert c.embedding_[:5, 0].max() <= c.embedding_[5:, 0].min() + 1e-9
    d = MDS(2, metric="precomputed", random_state=0).fit(D, constraints=OnLine(["a", "c", "e"]))
    assert (
        np.linalg.svd(d.embedding_[[0, 2, 4]] - d.embedding_[[0, 2, 4]].mean(axis=0))[1][1] < 1e-9
    )


@pytest.mark.parametrize(
    ("constraint", "options", "told"),
    [
        (LinearIn(np.ones((9, 2))), {}, "9 rows and the table 10"),
        (LinearIn(np.ones((10, 2))), {}, "needs at least 2"),
        (LinearIn(np.full((10, 2), np.nan)), {}, "is not a number"),
        (OnLine([11]), {}, "no point of the table"),
        (OnLine([1, 1]), {}, "named twice"),
        (OnCircle(), {"n_components": 1}, "two dimensions or more"),
        (Regions([0] * 10), {}, "at least two groups"),
        (Regions(GROUPS, "rows"), {}, "use one of axis"),
        (Regions(GROUPS, order=[0, 1]), {}, "not in the order"),
        (Regions(GROUPS, "sectors"), {"n_components": 3}, "two dimensions"),
        (OnLine(), {"space": "sphere"}, "Euclidean space"),
        (OnLine(), {"checkpoint": "x.ckpt"}, "checkpoint"),
    ],
)
def test_what_is_refused_says_why(constraint, options, told):
    D = table() / 4.0
    with pytest.raises(ValueError, match=told):
        MDS(**{"metric": "precomputed", **options}).fit(D, constraints=constraint)


def test_something_else_is_no_constraint():
    with pytest.raises(TypeError, match=r"LinearIn\(Z\)"):
        MDS(metric="precomputed").fit(table(), constraints="circle")
    with pytest.raises(ValueError, match="fixed points"):
        MDS(metric="precomputed").fit(table(), constraints=OnLine(), fixed={0: [0.0, 0.0]})


# --- what people give by mistake ------------------------------------------------------------------

NAMES = list("abcdefghij")


def named_table():
    return pd.DataFrame(table(), NAMES, NAMES)


def fitted(constraint, D=None):
    D = named_table() if D is None else D
    return MDS(2, metric="precomputed", random_state=0).fit(D, constraints=constraint)


@pytest.mark.parametrize(
    ("index", "said"),
    [
        (["A", *NAMES[1:]], "no row for the point 'a', but one for 'A'"),
        ([*NAMES[1:], "z"], "no row for the point 'a', but one for 'z'"),
        ([name.upper() for name in NAMES], "no row for the point 'a'"),
        (["a", "a", *NAMES[1:]], "2 rows for 'a'"),
        ([*NAMES, "z"], "a row for 'z', which is no point"),
    ],
)
def test_rows_with_other_names_are_never_taken_by_their_place(index, said):
    Z = np.random.default_rng(2).normal(size=(len(index), 2))
    with pytest.raises(ValueError, match=f"LinearIn has .*{said}"):
        fitted(LinearIn(pd.DataFrame(Z, index)))
    with pytest.raises(ValueError, match=f"Regions has .*{said}"):
        fitted(Regions(pd.Series(["x", "y"] * 5 + ["x"] * (len(index) - 10), index)))


def test_rows_that_are_only_counted_go_by_their_place():
    Z = np.random.default_rng(2).normal(size=(10, 2))
    plain, counted = fitted(LinearIn(Z)), fitted(LinearIn(pd.DataFrame(Z)))
    np.testing.assert_allclose(plain.embedding_, counted.embedding_, atol=1e-9)


def test_groups_in_a_dict_go_by_name_and_leave_others_free():
    groups = {name: group for name, group in zip(NAMES, GROUPS, strict=True) if group is not None}
    backwards = dict(reversed(groups.items()))
    np.testing.assert_array_equal(
        fitted(Regions(GROUPS)).embedding_, fitted(Regions(backwards)).embedding_
    )
    with pytest.raises(ValueError, match="'z' is no point of the table"):
        fitted(Regions({**groups, "z": 1}))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("unit", [1e200, 1e-200])
def test_the_unit_of_variables_changes_no_map(unit):
    Z = np.random.default_rng(2).normal(size=(10, 2))
    assert fitted(LinearIn(Z * unit)).stress_ == pytest.approx(fitted(LinearIn(Z)).stress_)


@pytest.mark.parametrize(
    ("constraint", "said"),
    [
        (OnCircle([]), "no point is named"),
        (OnLine("tea"), "'tea' is no point"),
        (LinearIn(None), "needs a row for each of the 10 points"),
        (Regions(None), "one row for each point"),
        (Regions(["x", 1] * 5), "give their order"),
        (Regions(np.zeros((10, 1))), "one group for each point"),
    ],
)
def test_what_is_no_constraint_is_told_in_plain_words(constraint, said):
    with pytest.raises(ValueError, match=said):
        fitted(constraint)


def test_a_gap_among_variables_is_named():
    Z = pd.DataFrame(np.random.default_rng(2).normal(size=(10, 2)), NAMES, ["sweet", "strong"])
    Z.loc["c", "strong"] = np.nan
    with pytest.raises(ValueError, match="row 'c' of the variable 'strong' is not a number"):
        fitted(LinearIn(Z))


def test_coefficients_of_another_map_are_refused():
    with pytest.raises(ValueError, match="5 rows and the table 10 points"):
        LinearIn(np.ones((10, 2))).coefficients(np.ones((5, 2)))


def test_the_callback_hears_the_cost_in_the_unit_of_the_table():
    seen = []

    def hear(iteration, cost, embedding):
        seen.append(cost)

    mds = MDS(2, metric="precomputed", callback=hear, random_state=0)
    mds.fit(100.0 * table(), constraints=OnCircle())
    assert min(seen) == pytest.approx(mds.cost_, rel=1e-6)


# --- words, masks and categories ------------------------------------------------------------------


@pytest.mark.parametrize("as_series", [False, True])
def test_the_order_of_categories_is_the_order_of_regions(as_series):
    names = np.array(["low", "high", "mid"])[np.arange(10) % 3]
    groups = pd.Categorical(names, categories=["low", "mid", "high", "never"], ordered=True)
    some = pd.Series(groups) if as_series else groups
    order = Regions(some).checked(10, 2, None).order
    assert order == ["low", "mid", "high"]  # and there is no region for those that are not there
    assert Regions(some, order=["mid", "high", "low"]).checked(10, 2, None).order[0] == "mid"


@pytest.mark.parametrize("labels", [None, np.arange(5), np.array(list("abcde"))])
@pytest.mark.parametrize("kind", [OnLine, OnCircle])
def test_points_may_be_marked_by_true_and_false(kind, labels):
    mask = [True, False, True, False, True]
    for marked in (mask, np.array(mask), pd.Series(mask)):
        assert kind(marked).checked(5, 2, labels).points.tolist() == [0, 2, 4]
    with pytest.raises(ValueError, match=f"{kind.__name__} has 2 rows and the table 5 points"):
        kind([True, False]).checked(5, 2, labels)
    with pytest.raises(ValueError, match="no point is named"):
        kind([False] * 5).checked(5, 2, labels)


def test_marks_are_matched_by_label():
    marked = pd.Series([True, True, False, False], list("dcba"))
    found = OnLine(marked).checked(4, 2, np.array(list("abcd"))).points
    assert found.tolist() == [2, 3]


@pytest.mark.parametrize("as_frame", [True, False])
def test_a_variable_of_text_is_named(as_frame):
    Z = pd.DataFrame({"a": np.arange(5.0), "town": list("vwxyz")})
    some, name = (Z, "'town'") if as_frame else (Z.to_numpy(), "1")
    told = f"the variable {name} holds text.*get_dummies"
    with pytest.raises(ValueError, match=told):
        LinearIn(some).checked(5, 2, None)
    with pytest.raises(ValueError, match=told):
        LinearIn(some).coefficients(np.zeros((5, 2)))


def on_a_circle(name):
    """Return a small table whose order on a circle is hard to find."""
    rng = np.random.default_rng(1)
    nine, fifteen = distances(rng.normal(size=(9, 2))), distances(rng.normal(size=(15, 3)))
    return {"nine": nine, "fifteen": fifteen}[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["nine", "fifteen"])
def test_the_lowest_map_on_a_circle_does_not_depend_on_the_seed(name):
    D = on_a_circle(name)
    costs = [
        MDS(2, metric="precomputed", random_state=seed).fit(D, constraints=OnCircle()).cost_
        for seed in range(4)
    ]
    assert max(costs) <= min(costs) * (1.0 + 1e-4)


@pytest.mark.slow
@given(st.integers(0, 2**16), st.integers(4, 9))
@settings(max_examples=10, deadline=None)
def test_no_jump_of_a_single_point_lowers_a_start_on_a_circle(seed, n):
    rng = np.random.default_rng(seed)
    D, W = distances(rng.normal(size=(n, 3))), np.ones((n, n)) - np.eye(n)
    for X in circular(D, W, lambda u, r: (u - r) ** 2, rng.normal(size=(n, 2)), rng):
        size = np.linalg.norm(X, axis=1)
        assert np.ptp(size) < 1e-9 * size.max()
        cost = np.square(distances(X) - D).sum()
        for i, angle in np.ndindex(n, 12):
            moved, way = X.copy(), 2.0 * np.pi * angle / 12
            moved[i] = size[0] * np.array([np.cos(way), np.sin(way)])
            assert np.square(distances(moved) - D).sum() >= cost * (1.0 - 1e-3)
