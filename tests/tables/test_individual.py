"""Several tables of the same objects: the formulas, descent, recovery and the manners of fit."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from tests.support.parts import examples, slow
from unimds import MDS, Absolute, Huber, IndividualDifferences, Power, Squared, SquaredDistance
from unimds.levels import as_level
from unimds.placecenter.frame import Frame
from unimds.placecenter.majorization.apart import Apart
from unimds.spaces import Euclidean, Hyperbolic, Sphere, distances
from unimds.tables.beginning import (
    MODELS,
    _aligned,
    begun,
    first_weights,
    openings,
    random_rotation,
)
from unimds.tables.consensus import disparities_of
from unimds.tables.individual import normalised
from unimds.tables.stack import as_stack
from unimds.tables.subjects import Data, View

LOSSES = [Squared(), Absolute(0.05), Power(1.3, 0.05), Huber(0.2), SquaredDistance(0.05)]


def subjects(seed=0, n=12, count=12, k=2, noise=0.0):
    """Return a map, the weights of subjects, and their tables."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, k))
    X -= X.mean(axis=0)
    C = rng.uniform(0.3, 1.7, size=(count, k))
    C /= np.sqrt((C**2).mean(axis=0))
    tables = np.stack([distances(X * c) for c in C])
    blur = 1.0 + noise * rng.normal(size=tables.shape)
    return X, C, tables * np.abs(0.5 * (blur + blur.swapaxes(1, 2)))


def off(found, true):
    """Return how far a map is from the true one, whose axes may be stretched and exchanged."""
    errors = []
    for order in permutations(range(true.shape[1])):
        own = found[:, order]
        own = own * ((own * true).sum(axis=0) / (own * own).sum(axis=0))
        errors.append(np.linalg.norm(own - true) / np.linalg.norm(true))
    return min(errors)


def view_of(rng, name, loss, space=None, level=None, k=2, n=7, count=3):
    """Return random unknowns of a model, with weights and missing pairs."""
    space = Euclidean() if space is None else space
    tables = rng.uniform(0.2, 2.0, size=(count, n, n))
    tables = 0.5 * (tables + tables.swapaxes(1, 2))
    tables[:, np.arange(n), np.arange(n)] = 0.0
    tables[0, 0, 1] = tables[0, 1, 0] = np.nan
    W = rng.uniform(0.0, 2.0, size=tables.shape)
    stack = as_stack(tables, 0.5 * (W + W.swapaxes(1, 2)))
    frame = Frame.make(loss, space, stack.typical)
    targets = [] if level is None else disparities_of(stack, level, loss, k, False)
    data, model = Data.of(stack, frame, targets), MODELS[name]()
    X = np.ascontiguousarray(space.random(n, k, 1.0, rng).T)
    C = first_weights(model, count, k)
    C = C * rng.uniform(0.3, 1.5, size=C.shape) + 0.2 * (C.ndim == 3) * rng.normal(size=C.shape)
    return View(data, model, X, C, tuple(target.first for target in targets))


@examples(40)
@given(st.integers(0, 10**6), st.sampled_from(sorted(MODELS)), st.sampled_from(LOSSES))
def test_no_step_raises_the_cost(seed, name, loss):
    rng = np.random.default_rng(seed)
    curved = name == "sizes" and seed % 3
    space = [Euclidean(), Sphere(), Hyperbolic()][seed % 3] if curved else Euclidean()
    view = view_of(rng, name, loss, space)
    loss = view.data.frame.loss
    for _ in range(6):
        moved = View(view.data, view.model, view.model.moved(view, loss), view.C)
        assert moved.cost(loss) <= view.cost(loss) * (1.0 + 1e-9)
        view = View(view.data, view.model, moved.X, view.model.weighed(moved, loss))
        assert view.cost(loss) <= moved.cost(loss) * (1.0 + 1e-9)


@examples(20)
@given(
    st.integers(0, 10**6),
    st.sampled_from(sorted(MODELS)),
    st.sampled_from(LOSSES),
    st.sampled_from(["interval", "ordinal"]),
)
def test_no_step_of_disparities_raises_the_cost(seed, name, loss, level):
    view = view_of(np.random.default_rng(seed), name, loss, level=as_level(level))
    never_rises(view)
    # from a map that fits, there is little to gain that could hide a rise
    never_rises(fitting_view(seed, name, loss, as_level(level)))


def never_rises(view):
    loss = view.data.frame.loss
    for _ in range(5):
        new = view.stepped(loss)
        assert new.cost(loss) <= view.cost(loss) * (1.0 + 1e-8)
        view = new


def fitting_view(seed, name, loss, level):
    """Return unknowns of a model at the map from which tables with a little noise were made."""
    X, _, tables = subjects(seed, n=9, count=4, noise=0.1)
    stack = as_stack(tables, None)
    frame = Frame.make(loss, Euclidean(), stack.typical)
    targets = disparities_of(stack, level, loss, 2, False)
    r = tuple(target.first for target in targets)
    return begun(Data.of(stack, frame, targets), MODELS[name](), frame.inner(X), r)


def test_the_order_of_numbers_in_memory_changes_nothing():
    # compiled code reads arrays row by row
    space, stack = Euclidean(), as_stack(subjects(0, n=7, count=1)[2], None)
    codes = disparities_of(stack, as_level("ordinal"), Squared(), 2, False)[0].codes
    X, before = np.random.default_rng(0).normal(size=(2, 2, 7))
    across, earlier = np.asfortranarray(X), np.asfortranarray(before)
    frame, free = Frame.make(Squared(), space, 1.0), np.ones(7, dtype=bool)
    np.testing.assert_array_equal(
        frame.extrapolate(across, earlier, 0.5, free), frame.extrapolate(X, before, 0.5, free)
    )
    for loss in (Squared(), Huber(0.2)):
        found, same = (Apart(space, Y).parabolas(codes, loss, 1.0, codes.d) for Y in (across, X))
        np.testing.assert_array_equal(found, same)


def test_sizes_of_subjects_descend_from_the_consensus():
    _, _, tables = subjects(3, n=12, count=5, noise=0.2)
    fit = IndividualDifferences(2, model="sizes", random_state=0, n_init=1)
    fit.fit(tables)
    assert fit.n_iter_ > 3
    assert fit.outcome_.name == "CONVERGED"
    assert (np.diff(fit.history_[:, 1]) <= 1e-9 * fit.history_[0, 1]).all()


@pytest.mark.parametrize("loss", [Squared(), Absolute(0.05)], ids=["squared", "absolute"])
@pytest.mark.parametrize("name", sorted(MODELS))
def test_the_formulas_minimise_the_majorizer(name, loss):
    # at the present point the parabolas touch the loss, so a numerical minimum of the sum of
    # w ‖C z − (ρ/u) C₀ z₀‖², over the map and over the weights, must be what the formulas return
    view = view_of(np.random.default_rng(3), name, loss)
    data, model = view.data, view.model
    w, rho = view.parabolas(data.frame.loss)
    ratio = rho / view.u

    def seen(X, C):
        Z = X[:, data.i] - X[:, data.j]
        if name == "sizes":
            return C[:, None, None] * Z
        return C[:, :, None] * Z if name == "indscal" else C @ Z

    aim = ratio[:, None] * seen(view.X, view.C)

    def above(X, C):
        return float((w[:, None] * (seen(X, C) - aim) ** 2).sum())

    shape = view.X.shape
    best = minimize(lambda x: above(x.reshape(shape), view.C), view.X.ravel(), method="BFGS")
    own = above(model.moved(view, data.frame.loss), view.C)
    assert own == pytest.approx(best.fun, rel=1e-6, abs=1e-9)
    shape = view.C.shape
    if name == "sizes":  # its parabola is that of u itself, not of ‖z‖
        plain = view.u / view.C[:, None]
        found = minimize(lambda c: (w * (c[:, None] * plain - rho) ** 2).sum(), view.C).x
        np.testing.assert_allclose(model.weighed(view, data.frame.loss), found, rtol=1e-4)
        return
    best = minimize(lambda c: above(view.X, c.reshape(shape)), view.C.ravel(), method="BFGS")
    own = above(view.X, model.weighed(view, data.frame.loss))
    assert own == pytest.approx(best.fun, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("name", ["indscal", "idioscal", "sizes"])
def test_no_optimiser_of_scipy_finds_a_lower_map_nearby(name):
    _, _, tables = subjects(1, n=7, count=4, noise=0.15)
    fit = IndividualDifferences(2, model=name, random_state=0, eps=1e-12).fit(tables)
    view_cost = fit.cost_
    X = fit.embedding_
    C = fit.weights_ if fit.weights_ is not None else fit.matrices_
    i, j = np.triu_indices(7, 1)

    def cost(x):
        points, own = x[: X.size].reshape(X.shape), x[X.size :].reshape(C.shape)
        Z = points[i] - points[j]
        seen = {
            "indscal": lambda c: Z * c,
            "sizes": lambda c: Z * c,
            "idioscal": lambda c: Z @ c,
        }[name]
        return sum(
            float(((np.linalg.norm(seen(c), axis=1) - table[i, j]) ** 2).sum())
            for c, table in zip(own, tables, strict=True)
        )

    start = np.concatenate([X.ravel(), C.ravel()])
    assert cost(start) == pytest.approx(view_cost, rel=1e-9)
    assert minimize(cost, start, method="L-BFGS-B").fun >= view_cost * (1.0 - 1e-4)


def test_indscal_recovers_dimensions_and_weights_of_twelve_subjects():
    X, C, tables = subjects()
    fit = IndividualDifferences(2, random_state=0).fit(tables)
    assert off(fit.embedding_, X) < 1e-6
    order = np.argsort(-(X**2).sum(axis=0))
    np.testing.assert_allclose(fit.weights_, C[:, order], rtol=1e-5)
    np.testing.assert_allclose((fit.weights_**2).mean(axis=0), 1.0)


@examples(30)
@given(st.integers(0, 10**6), st.integers(2, 4))
def test_a_consensus_is_turned_to_the_axes_of_the_subjects(seed, k):
    rng = np.random.default_rng(seed)
    X, C, _ = subjects(seed, k=k)
    X = X @ (np.eye(k) + 0.5 * rng.normal(size=(k, k)))  # whose axes are correlated
    products = np.stack([X @ np.diag(c**2) @ X.T for c in C])
    turned = random_rotation(k, rng) @ X.T
    found = _aligned(turned, products)
    np.testing.assert_allclose(distances(found.T), distances(X), atol=1e-9)
    alike = np.abs(np.corrcoef(found, X.T)[:k, k:])
    assert alike.max(axis=1).min() > 1.0 - 1e-9


@pytest.mark.parametrize("name", sorted(MODELS))
def test_starts_differ_in_what_subjects_see(name):
    X, _, tables = subjects(1, n=8, count=4, noise=0.1)
    stack = as_stack(tables, None)
    data = Data.of(stack, Frame.make(Squared(), Euclidean(), stack.typical), [])
    rng = np.random.default_rng(0)
    maps = openings(data, MODELS[name](), stack, np.ascontiguousarray(X.T), 5, rng)
    assert len(maps) == 5
    for one, other in combinations(maps, 2):
        if name == "indscal":  # turning it makes a difference
            assert not np.allclose(one, other, atol=0.01)
        else:
            assert not np.allclose(distances(one.T), distances(other.T), atol=0.01)


@pytest.mark.slow
def test_three_of_twelve_subjects_at_random_do_not_spoil_the_absolute_map():
    X, _, tables = subjects(2, n=15, noise=0.02)
    rng = np.random.default_rng(0)
    for s in range(3):
        square = rng.uniform(0.0, tables.max(), size=(15, 15))
        tables[s] = np.triu(square, 1) + np.triu(square, 1).T
    robust = IndividualDifferences(2, loss="absolute", random_state=0).fit(tables)
    squared = IndividualDifferences(2, random_state=0).fit(tables)
    assert off(robust.embedding_, X) < 0.02
    assert off(squared.embedding_, X) > 0.1
    assert robust.stresses_[:3].min() > 5 * robust.stresses_[3:].max()


def with_random_answers(seed, whose):
    """Return a map, and tables of twelve subjects of whom three answer at random.

    Their answers reach to the largest of their own, or of all.
    """
    X, _, tables = subjects(seed, n=15, noise=0.02)
    rng, largest = np.random.default_rng(100 + seed), tables.max()
    for s in range(3):
        most = tables[s].max() if whose == "own" else largest
        square = np.triu(rng.uniform(0.0, most, size=(15, 15)), 1)
        tables[s] = square + square.T
    return X, tables


@pytest.mark.slow
@pytest.mark.parametrize("whose", ["own", "all"])
@pytest.mark.parametrize("seed", [1, 13])
def test_random_answers_of_any_range_do_not_bend_the_absolute_map(seed, whose):
    X, tables = with_random_answers(seed, whose)
    fit = IndividualDifferences(2, loss="absolute", random_state=0, n_init=2).fit(tables)
    assert off(fit.embedding_, X) < 0.01
    assert fit.reliability_[:3].max() < 0.1 < fit.reliability_[3:].min()
    assert fit.cost_ == pytest.approx(float(fit.reliability_ @ fit.costs_))


@pytest.mark.slow
def test_subjects_count_alike_where_that_is_asked_for():
    X, tables = with_random_answers(1, "all")
    how = {"random_state": 0, "n_init": 1, "eps": 1e-5}
    fit = IndividualDifferences(2, loss="absolute", reliability="equal", **how).fit(tables)
    assert (fit.reliability_ == 1.0).all()
    assert off(fit.embedding_, X) > 0.02
    assert (IndividualDifferences(2, **how).fit(tables).reliability_ == 1.0).all()


def test_reliability_is_that_of_the_likelihood():
    _, _, tables = subjects(4, n=9, count=5, noise=0.1)
    tables[0] = tables[0].T + np.triu(tables[1], 1) + np.triu(tables[1], 1).T
    fit = IndividualDifferences(2, loss="absolute", random_state=0, n_init=1).fit(tables)
    middle = np.median(fit.costs_)
    np.testing.assert_allclose(fit.reliability_, np.minimum(1.0, middle / fit.costs_), atol=0.02)


def test_exact_subjects_leave_nothing_undefined():
    X, _, tables = subjects(5, n=8, count=4)
    with np.errstate(all="raise", under="ignore"):
        fit = IndividualDifferences(2, loss="absolute", random_state=0, n_init=2).fit(tables)
    assert np.isfinite(fit.reliability_).all()
    assert off(fit.embedding_, X) < 1e-4


@pytest.mark.sample(1)
@pytest.mark.parametrize("loss", ["squared", "absolute"])
@pytest.mark.parametrize("level", ["ratio", "ordinal"])
def test_identity_of_one_subject_is_plain_mds(loss, level):
    _, _, tables = subjects(4, n=10, count=1, noise=0.1)
    fit = IndividualDifferences(2, model="identity", loss=loss, level=level, random_state=0)
    fit.fit(tables)
    mds = MDS(2, loss=loss, level=level, metric="precomputed", random_state=0).fit(tables[0])
    # the optimum of ranks is flat: eps ends both within 1e-5 of each other
    assert fit.cost_ == pytest.approx(mds.cost_, rel=1e-3 if level == "ordinal" else 1e-6)
    assert fit.stress_ == pytest.approx(mds.stress_, rel=1e-2 if level == "ordinal" else 1e-5)


def test_identity_with_the_squared_loss_is_the_map_of_the_mean_table():
    _, _, tables = subjects(5, n=9, count=5, noise=0.2)
    fit = IndividualDifferences(2, model="identity", random_state=0).fit(tables)
    mds = MDS(2, metric="precomputed", random_state=0).fit(tables.mean(axis=0))
    np.testing.assert_allclose(distances(fit.embedding_), distances(mds.embedding_), atol=1e-3)


@pytest.mark.sample(3)
@pytest.mark.parametrize("space", ["sphere", "hyperbolic", "chordal_sphere", "simplex"])
@pytest.mark.parametrize("model", ["identity", "sizes"])
def test_consensus_and_sizes_in_every_space(space, model):
    from unimds.spaces import as_space

    where = as_space(space)
    X = where.random(9, 2, 1.0, np.random.default_rng(0))
    sizes = np.array([0.8, 1.0, 1.1, 0.9])
    D = distances(X, space=where)
    tables = np.stack([c * D if model == "sizes" else D for c in sizes])
    fit = IndividualDifferences(2, model=model, space=space, random_state=0).fit(tables)
    assert fit.stress_ < 1e-3
    if model == "sizes":
        np.testing.assert_allclose(fit.weights_, sizes, rtol=5e-3)


@pytest.mark.sample(1)
@pytest.mark.parametrize("level", ["interval", "ordinal", "spline", "power"])
@pytest.mark.parametrize("conditional", ["table", slow("row")])
def test_levels_for_each_subject(level, conditional):
    X, _, tables = subjects(6, n=12, count=4)
    bent = np.stack(
        [(scale * table) ** 1.5 for scale, table in zip([1, 5, 9, 2], tables, strict=True)]
    )
    # ranks of exact distances: the cost approaches zero slowly
    fit = IndividualDifferences(
        2, level=level, conditional=conditional, n_init=2, random_state=0, eps=1e-5, max_iter=4000
    )
    with np.errstate(all="raise", under="ignore"):
        fit.fit(bent)
    assert fit.stress_ < (0.05 if level != "interval" else 0.12)
    assert len(fit.transformations_) == 4
    assert fit.disparities_.shape == bent.shape
    if conditional == "table":
        own = fit.transformations_[1]
        assert own.given[-1] == pytest.approx(bent[1].max())
        assert off(fit.embedding_, X) < 0.25


def test_weights_of_zero_and_missing_pairs_are_the_same():
    _, _, tables = subjects(7, n=8, count=3, noise=0.1)
    W = np.ones_like(tables)
    W[0, 1, 2] = W[0, 2, 1] = 0.0
    gap = tables.copy()
    gap[0, 1, 2] = gap[0, 2, 1] = np.nan
    a = IndividualDifferences(2, random_state=0).fit(tables, weights=W)
    b = IndividualDifferences(2, random_state=0).fit(gap)
    assert a.cost_ == pytest.approx(b.cost_, rel=1e-6)


def test_frames_are_matched_by_label_and_subjects_have_names():
    _, _, tables = subjects(8, n=6, count=2)
    names = list("abcdef")
    first = pd.DataFrame(tables[0], index=names, columns=names)
    second = pd.DataFrame(tables[1], index=names, columns=names)
    mixed = second.loc[names[::-1], names[::-1]]
    fit = IndividualDifferences(2, random_state=0).fit({"Ann": first, "Bob": mixed})
    plain = IndividualDifferences(2, random_state=0).fit(tables)
    assert fit.subjects_ == ["Ann", "Bob"]
    assert list(fit.labels_) == names
    np.testing.assert_allclose(fit.embedding_, plain.embedding_, atol=1e-8)


def test_maps_and_costs_belong_together():
    _, _, tables = subjects(9, noise=0.1)
    for model in ("indscal", "idioscal", "sizes", "identity"):
        fit = IndividualDifferences(2, model=model, random_state=0, n_init=1).fit(tables)
        errors = [distances(own) - table for own, table in zip(fit.maps_, tables, strict=True)]
        np.testing.assert_allclose(fit.costs_, [0.5 * (e**2).sum() for e in errors], rtol=1e-8)
        assert fit.history_[:, 1].min() == pytest.approx(fit.cost_, rel=1e-8)


@pytest.mark.sample(1)
@pytest.mark.parametrize("loss", ["squared", "absolute"])
@pytest.mark.parametrize("model", ["identity", "indscal", "idioscal"])
def test_histories_at_levels_end_at_the_cost(model, loss):
    _, _, tables = subjects(9, n=9, count=4, noise=0.3)
    fit = IndividualDifferences(
        2, model=model, loss=loss, level="ordinal", random_state=0, n_init=1, eps=1e-5
    ).fit(tables)
    assert fit.history_[:, 1].min() == pytest.approx(fit.cost_, rel=1e-8)


def test_sizes_are_those_of_the_tables_and_refused_where_any_size_fits():
    _, _, tables = subjects(3, n=8, count=3)
    tables = tables * np.array([1.0, 10.0, 100.0])[:, None, None]
    fit = IndividualDifferences(2, model="sizes", random_state=0).fit(tables)
    assert fit.weights_[2] > 50 * fit.weights_[0]
    for options in ({"level": "interval"}, {"level": "ordinal"}, {"conditional": "row"}):
        with pytest.raises(ValueError, match=r"fits any size; use level=\"ratio\""):
            IndividualDifferences(2, model="sizes", **options).fit(tables)


def test_sizes_are_relative_to_the_size_of_a_space():
    space = Sphere(1.0)
    X = space.random(8, 2, 1.0, np.random.default_rng(0))
    sizes = np.array([2.0, 3.0, 5.0])
    tables = sizes[:, None, None] * distances(X, space=space)
    fit = IndividualDifferences(2, model="sizes", space=space, random_state=0).fit(tables)
    np.testing.assert_allclose(fit.weights_, sizes, rtol=1e-2)
    assert all(own is fit.embedding_ for own in fit.maps_)


def test_normalising_changes_no_distance():
    for name in MODELS:
        view = view_of(np.random.default_rng(1), name, Squared(), k=3)
        np.testing.assert_allclose(normalised(view).u, view.u, rtol=1e-9)


@pytest.mark.parametrize(
    ("tables", "options", "told"),
    [
        (np.zeros((3, 3)), {}, "several square tables"),
        ([], {}, "at least one table"),
        ([np.zeros((3, 3)), np.zeros((4, 4))], {}, "4 objects and the first 3"),
        ([np.array([[0, -1], [-1, 0]])], {}, "table 0"),
        ({"Ann": np.array([[0, np.inf], [1, 0]])}, {}, "table 'Ann'"),
        (np.ones((2, 4, 4)) - np.eye(4), {"space": "sphere"}, "weighs the dimensions"),
        (np.ones((2, 4, 4)) - np.eye(4), {"model": "indscl"}, "model"),
        (np.ones((2, 4, 4)) - np.eye(4), {"model": "identity", "reliability": "own"}, "pulls more"),
        ([np.array([[0, 1], [1, 0]]), np.full((2, 2), np.nan)], {}, "table 1 has no known pair"),
        (np.ones((2, 4, 4)) - np.eye(4), {"n_components": 4, "model": "sizes"}, "than 4 points"),
        ([[[0, 1, np.nan], [1, 0, np.nan], [np.nan, np.nan, 0]]], {}, "nothing between"),
    ],
)  # fmt: skip
def test_what_is_refused_says_why(tables, options, told):
    with pytest.raises(ValueError, match=told):
        IndividualDifferences(**{"n_components": 1, **options}).fit(tables)


def test_the_callback_ends_a_run():
    _, _, tables = subjects(10, noise=0.3)
    seen = []

    def stop(iteration, cost, embedding):
        seen.append((iteration, embedding.shape))
        return len(seen) == 3

    fit = IndividualDifferences(2, callback=stop, random_state=0, n_init=1).fit(tables)
    assert fit.outcome_.name == "CALLBACK"
    assert seen[0] == (1, (12, 2))


@pytest.mark.parametrize("model", ["identity", "sizes", "indscal", "idioscal"])
def test_the_callback_hears_the_cost_in_the_unit_of_the_tables(model):
    _, _, tables = subjects(10, n=8, count=4, noise=0.3)
    seen = []

    def hear(iteration, cost, embedding):
        seen.append(cost)

    fit = IndividualDifferences(2, model=model, callback=hear, random_state=0)
    fit.fit(100.0 * tables)
    assert min(seen) == pytest.approx(fit.cost_, rel=1e-6)


def test_a_misspelt_parameter_is_explained():
    with pytest.raises(TypeError, match="n_components"):
        IndividualDifferences(n_component=3)


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("model", "level"),
    [
        *[(model, "ratio") for model in ("identity", "sizes", "indscal", "idioscal")],
        *[(model, "interval") for model in ("identity", "indscal", "idioscal")],
    ],
)
def test_the_unit_of_the_tables_is_that_of_the_map(model, level):
    _, _, tables = subjects(11, n=8, count=3, noise=0.1)
    options = {"model": model, "level": level, "random_state": 0, "n_init": 1, "eps": 1e-5}
    one = IndividualDifferences(2, **options).fit(tables)
    two = IndividualDifferences(2, **options).fit(tables * 2.0**40)
    np.testing.assert_allclose(two.embedding_, one.embedding_ * 2.0**40, rtol=1e-6)
    assert two.stress_ == pytest.approx(one.stress_)


def test_a_fit_that_fails_leaves_the_last_one_and_others_can_be_copied():
    import pickle

    from sklearn.base import clone

    _, _, tables = subjects(12, n=7, count=3)
    fit = IndividualDifferences(2, random_state=0).fit(tables)
    before = fit.embedding_
    with pytest.raises(ValueError, match="table 0"):
        fit.fit(-tables)
    assert fit.embedding_ is before
    again = pickle.loads(pickle.dumps(fit))
    np.testing.assert_array_equal(again.embedding_, clone(fit).fit(tables).embedding_)


def test_an_interrupted_run_keeps_what_it_has():
    _, _, tables = subjects(13, noise=0.3)

    def stop(iteration, cost, embedding):
        raise KeyboardInterrupt

    with pytest.warns(RuntimeWarning, match="Interrupted"):
        fit = IndividualDifferences(2, callback=stop, random_state=0, n_init=3).fit(tables)
    assert np.isfinite(fit.embedding_).all()


# --- what people give by mistake ------------------------------------------------------------------


def frames():
    tables = np.random.default_rng(3).normal(size=(3, 6, 2))
    names = list("abcdef")
    return [pd.DataFrame(distances(X), names, names) for X in tables]


def test_a_subject_with_other_objects_is_told_which():
    tables = frames()
    tables[1] = tables[1].rename(index={"a": "z"}, columns={"a": "z"})
    with pytest.raises(ValueError, match="table 1: 'z' is not in the first table"):
        IndividualDifferences().fit(tables)
    with pytest.raises(ValueError, match="table 1: there is no object 'f'"):
        IndividualDifferences().fit([frames()[0], frames()[1].iloc[:5, :5]])


def test_a_single_table_of_weights_is_told_to_be_repeated():
    with pytest.raises(ValueError, match=r"weights must be several .* repeat them: \[W\]"):
        IndividualDifferences().fit(frames(), weights=np.ones((6, 6)))


def test_tables_may_come_one_by_one_and_nothing_is_no_table():
    fit = IndividualDifferences(n_init=1, random_state=0)
    wanted = fit.fit(frames()).stress_
    assert fit.fit(table for table in frames()).stress_ == wanted
    with pytest.raises(ValueError, match="must be several square tables"):
        fit.fit(None)
