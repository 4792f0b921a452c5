"""Jackknife, bootstrap and noise: the right tables are fitted, and regions hold the truth."""

import numpy as np
import pandas as pd
import pytest

from unimds import MDS, Euclidean, Hyperbolic, Sphere
from unimds.constraints import OnCircle
from unimds.quality import align
from unimds.spaces import distances
from unimds.trust import (
    bootstrap,
    deciding_pairs,
    jackknife,
    permutation_test,
    perturbation,
    resampling,
)
from unimds.trust.geometry import gradients, jackknife_excess
from unimds.trust.study import Study
from unimds.trust.tangent import tangents_at

QUICK = MDS(metric="precomputed", n_init=1, random_state=0)


def true_and_table(n=14, noise=0.1, seed=0, space="euclidean"):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2 if space == "euclidean" else 3))
    if space != "euclidean":
        X /= np.linalg.norm(X, axis=1)[:, None]
    e = np.triu(noise * rng.normal(size=(n, n)), 1)
    D = np.abs(np.triu(distances(X, space=space), 1) + e)
    return X, np.minimum(D + D.T, np.pi) if space != "euclidean" else D + D.T


def table(*args, **how):
    return true_and_table(*args, **how)[1]


D = table()


# --- jackknife ------------------------------------------------------------------------------------


def test_each_map_of_a_jackknife_is_that_of_the_points_that_are_left():
    mds = MDS(metric="precomputed", random_state=0).fit(D)
    found = jackknife(mds)
    assert found.maps.shape == (14, 14, 2)
    for out in (0, 5):
        assert np.isnan(found.maps[out, out]).all()
        kept = np.arange(14) != out
        own = MDS(metric="precomputed", random_state=1).fit(D[np.ix_(kept, kept)]).embedding_
        X = found.points[kept]
        np.testing.assert_allclose(found.maps[out][kept], align(own, X), atol=2e-3)


def test_weights_count_in_the_maps_without_a_point():
    W = np.random.default_rng(0).choice([0.1, 10.0], D.shape)
    W = np.triu(W, 1) + np.triu(W, 1).T
    mds = MDS(metric="precomputed", n_init=1, random_state=0).fit(D, weights=W)
    found = jackknife(mds, weights=W)
    kept = np.arange(14) != 3
    X = found.points[kept]
    less = MDS(metric="precomputed", init=X, random_state=0)
    less.fit(D[np.ix_(kept, kept)], weights=W[np.ix_(kept, kept)])
    np.testing.assert_allclose(found.maps[3][kept], align(less, X), atol=1e-3)


def test_the_spread_of_a_jackknife_is_a_covariance():
    """The sum of the squares of deviations, with the factors of the notes."""
    found = jackknife(QUICK, D)
    i, j = np.triu_indices(14, 1)
    excess = jackknife_excess(found.points, found.space, i, j, np.ones(len(i)))
    for point in range(14):
        places = np.delete(found.maps[:, point], point, axis=0)
        gap = places - places.mean(axis=0)
        spread = gap.T @ gap / excess.ratio[point]
        np.testing.assert_allclose(found.covariances[point], spread, rtol=1e-9)
    np.testing.assert_array_equal(found.freedom, excess.freedom)


def least_squares(X):
    """Return the covariance of each point of the plane for errors of variance 1, to first order."""
    i, j = np.triu_indices(len(X), 1)
    G = gradients(tangents_at(X, Euclidean()), Euclidean(), i, j)
    M = np.linalg.pinv(G.T @ G, rcond=1e-9)
    return np.array([M[at : at + 2, at : at + 2] for at in range(0, len(M), 2)])


def share(covariances, expected):
    """Return how large covariances are beside the expected ones, on average."""
    return np.trace(np.linalg.solve(expected, covariances), axis1=1, axis2=2).mean() / 2.0


def fitted(T, start):
    return MDS(metric="precomputed", init=start, eps=1e-9, random_state=0).fit(T)


@pytest.mark.sample(1)
@pytest.mark.parametrize("n", [8, 12])
def test_the_covariance_of_a_jackknife_is_that_of_least_squares(n):
    """σ² times the inverse of GᵀG, on average over all errors.

    A covariance of small errors is a quadratic form of them; its mean is the sum over tables with
    an error in one pair alone. So nothing is left to chance.
    """
    X, size = true_and_table(n, seed=3)[0], 0.01
    total = np.zeros((n, 2, 2))
    for i, j in zip(*np.triu_indices(n, 1), strict=True):
        T = distances(X)
        T[i, j] = T[j, i] = T[i, j] + size
        total += jackknife(fitted(T, X)).covariances
    assert share(total, size**2 * least_squares(X)) == pytest.approx(1.0, abs=0.04)


@pytest.mark.sample(1)
def test_the_covariance_of_a_bootstrap_is_that_of_least_squares():
    """s² times the inverse of GᵀG, where s² is the variance of errors that residuals tell."""
    n, shares = 12, []
    X, _ = true_and_table(n, seed=3)
    for seed in range(12):
        noise = np.triu(0.05 * np.random.default_rng(seed).normal(size=(n, n)), 1)
        mds = fitted(np.abs(distances(X) + noise + noise.T), X)
        e = (mds.dissimilarity_matrix_ - distances(mds.embedding_))[np.triu_indices(n, 1)]
        expected = e @ e / (len(e) - 2 * n + 3) * least_squares(mds.embedding_)
        found = bootstrap(mds, n_maps=30, random_state=seed)
        shares.append(share(found.covariances, expected))
    assert np.mean(shares) == pytest.approx(1.0, abs=0.06)


def test_points_that_hold_a_table_together_are_not_left_out():
    T = np.full((9, 9), np.nan)
    T[:5, :5], T[4:, 4:] = D[:5, :5], D[4:9, 4:9]
    with pytest.warns(UserWarning, match=r"1 of 9 points are not left out \(point 4\)"):
        found = jackknife(MDS(1, metric="precomputed", n_init=1, random_state=0), T)
    assert found.maps.shape[0] == 8
    assert found.skipped == 1


# --- bootstrap ------------------------------------------------------------------------------------


def test_subjects_are_drawn_with_replacement(monkeypatch):
    rng = np.random.default_rng(0)
    stack = np.stack([table(seed=0, noise=0.3) for _ in range(6)]) * rng.uniform(
        0.8, 1.2, (6, 1, 1)
    )
    seen = []
    original = Study.refitted

    def refitted(self, table, *rest):
        seen.append(table)
        return original(self, table, *rest)

    monkeypatch.setattr(Study, "refitted", refitted)
    found = bootstrap(QUICK, stack, n_maps=5, random_state=0)
    assert found.method == "Bootstrap of 6 subjects"
    for one in seen:
        # tables are multiples of one: the mean of a draw is a multiple too
        ratio = one[0, 1:] / stack[0][0, 1:]
        np.testing.assert_allclose(ratio, ratio[0])
    assert len({round(one[0, 1], 9) for one in seen}) > 1
    assert found.freedom[0] == pytest.approx(1.0 / (1.0 / 4.0 + 1.0 / 5.0))
    for point in range(14):  # the mean of S varies by S / (S − 1) of what draws do
        spread = 6.0 / 5.0 * np.cov(found.maps[:, point].T)
        np.testing.assert_allclose(found.covariances[point], spread, rtol=1e-9)


def test_subjects_may_be_frames_and_have_gaps_and_a_consensus_of_their_own():
    names = [f"p{i}" for i in range(14)]
    frames = [pd.DataFrame(table(seed=0, noise=0.05 * s), names, names) for s in range(1, 6)]
    frames[2] = frames[2].loc[names[::-1], names[::-1]]  # another order
    frames[1].iloc[2, 3] = frames[1].iloc[3, 2] = np.nan
    found = bootstrap(QUICK, frames, n_maps=8, random_state=0)
    assert found.labels == names
    asked = []

    def median(stack):
        asked.append(stack.shape)
        return np.nanmedian(stack, axis=0)

    other = bootstrap(QUICK, frames, n_maps=8, consensus=median, random_state=0)
    assert set(asked) == {(5, 14, 14)}
    assert not np.array_equal(found.points, other.points)


def test_features_are_drawn_where_there_are_features():
    X = np.random.default_rng(0).normal(size=(15, 8))
    found = bootstrap(MDS(n_init=1, random_state=0), X, n_maps=10, random_state=0)
    assert found.method == "Bootstrap of 8 features"
    fitted = MDS(n_init=1, random_state=0).fit(X)
    again = bootstrap(fitted, n_maps=10, random_state=0)
    np.testing.assert_allclose(found.maps, again.maps, atol=1e-6)
    residuals = bootstrap(fitted, over="residuals", n_maps=5, random_state=0)
    assert residuals.method == "Bootstrap of residuals"


def test_the_same_seed_has_the_same_maps_on_any_number_of_threads():
    one, other = (bootstrap(QUICK, D, n_maps=8, random_state=3, n_jobs=jobs) for jobs in (None, 2))
    np.testing.assert_array_equal(one.maps, other.maps)
    assert not np.array_equal(one.maps, bootstrap(QUICK, D, n_maps=8, random_state=4).maps)


# --- all kinds of maps ----------------------------------------------------------------------------


STUDIES = [
    lambda mds, *args, **how: jackknife(mds, *args, **how),
    lambda mds, *args, **how: bootstrap(mds, *args, n_maps=6, random_state=0, **how),
    lambda mds, *args, **how: perturbation(mds, *args, n_maps=6, random_state=0, **how),
]


@pytest.mark.sample(2)
@pytest.mark.parametrize("study", STUDIES, ids=["jackknife", "bootstrap", "perturbation"])
@pytest.mark.parametrize(
    "how",
    [
        {"loss": "absolute"},
        {"loss": "huber"},
        {"loss": "squared_distance"},
        {"level": "ordinal"},
        {"level": "interval"},
        {"level": "spline"},
        {"space": "sphere"},
        {"space": Sphere("auto")},
        {"space": Hyperbolic(0.5)},
        {"space": "simplex"},
        {"space": "chordal_sphere", "loss": "absolute"},
        {"n_components": 1},
        {"n_components": 3},
    ],
    ids=str,
)
def test_losses_levels_spaces_and_dimensions(study, how):
    T = table(10) / 4.0
    found = study(MDS(**{"metric": "precomputed", "n_init": 1, "random_state": 0, **how}), T)
    assert 0.5 < found.stability <= 1.0
    assert np.isfinite(found.errors).all()
    regions = found.regions()
    assert np.isfinite(regions.radii).all()
    assert regions.contains(found.points).all()


@pytest.mark.parametrize("study", STUDIES, ids=["jackknife", "bootstrap", "perturbation"])
def test_missing_pairs_and_weights(study):
    T, W = D.copy(), np.ones_like(D)
    T[1, 2] = T[2, 1] = np.nan
    wrong = T.copy()
    wrong[3, 4] = wrong[4, 3] = 50.0
    W[3, 4] = W[4, 3] = 0.0
    gone = T.copy()
    gone[3, 4] = gone[4, 3] = np.nan
    one, other = study(QUICK, wrong, weights=W), study(QUICK, gone)
    np.testing.assert_allclose(one.errors, other.errors, rtol=0.02)


@pytest.mark.parametrize("study", STUDIES, ids=["jackknife", "bootstrap", "perturbation"])
def test_asymmetric_tables(study):
    T = D * np.random.default_rng(0).uniform(0.9, 1.1, D.shape)
    assert study(QUICK, T).stability > 0.9


def test_maps_that_match_every_distance_do_not_move():
    X = np.random.default_rng(0).normal(size=(8, 2))
    mds = MDS(random_state=0).fit(X)
    for found in (jackknife(mds), bootstrap(mds, over="residuals", n_maps=5)):
        assert found.stability == pytest.approx(1.0, abs=1e-6)
        assert found.errors.max() < 1e-3
    assert perturbation(mds, noise=0.0, n_maps=4).errors.max() < 1e-3


def test_noise_moves_the_map_in_proportion():
    mds = MDS(metric="precomputed", random_state=0).fit(D)
    little, much = (perturbation(mds, noise=s, n_maps=30, random_state=0) for s in (0.01, 0.03))
    assert much.errors.mean() / little.errors.mean() == pytest.approx(3.0, rel=0.1)
    assert much.method == "Noise of 3 %"


# --- what cannot be done --------------------------------------------------------------------------


def test_what_cannot_be_done_is_an_error_that_says_why():
    X = np.random.default_rng(0).normal(size=(10, 2))
    with pytest.raises(ValueError, match="4 points in 2 dimensions says nothing without one"):
        jackknife(QUICK, D[:4, :4])
    with pytest.raises(ValueError, match="over='points' is not known: use one of auto, subjects"):
        bootstrap(QUICK, D, over="points")
    with pytest.raises(ValueError, match="n_maps=2 must be a whole number, 3 or more"):
        bootstrap(QUICK, D, n_maps=2)
    with pytest.raises(ValueError, match='over="subjects" needs the tables of several subjects'):
        bootstrap(QUICK, D, over="subjects")
    with pytest.raises(ValueError, match='needs one table, and X has 3: use "subjects"'):
        bootstrap(QUICK, np.stack([D] * 3), over="residuals")
    with pytest.raises(ValueError, match="2 subjects are too few to draw from; 3 are needed"):
        bootstrap(QUICK, np.stack([D] * 2))
    with pytest.raises(ValueError, match=r"table 2 has other points than the first, \(5, 5\) and"):
        bootstrap(QUICK, [D, D, D[:5, :5]])
    frames = [pd.DataFrame(D), pd.DataFrame(D), pd.DataFrame(D, range(1, 15), range(1, 15))]
    with pytest.raises(ValueError, match="table 2 has other points than the first"):
        bootstrap(QUICK, frames)
    with pytest.raises(ValueError, match=r"have the shape \(subjects, n, n\), not \(3, 14, 2\)"):
        bootstrap(QUICK, np.zeros((3, 14, 2)))
    with pytest.raises(ValueError, match=r'give MDS\(metric="precomputed"\)'):
        bootstrap(MDS(), np.stack([D] * 3))
    with pytest.raises(ValueError, match='over="features" needs features'):
        bootstrap(QUICK, D, over="features")
    with pytest.raises(ValueError, match="2 features are too few to draw from"):
        bootstrap(MDS(), X, over="features")
    with pytest.raises(ValueError, match="noise=-1 must be a number, 0 or more"):
        perturbation(QUICK, D, noise=-1)


def test_weights_that_were_forgotten_are_noticed():
    W = np.random.default_rng(0).uniform(0.1, 2.0, D.shape)
    W = W + W.T
    mds = MDS(metric="precomputed", n_init=1, random_state=0).fit(D, weights=W)
    with pytest.raises(ValueError, match="if it was fitted with weights, give them too"):
        jackknife(mds)
    assert jackknife(mds, weights=W).stability > 0.9


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_interrupted_studies_keep_what_is_done(monkeypatch, n_jobs):
    original, count = Study.refitted, []

    def refitted(self, *args):
        count.append(args)
        if len(count) == 6:
            raise KeyboardInterrupt
        return original(self, *args)

    monkeypatch.setattr(Study, "refitted", refitted)
    with pytest.warns(RuntimeWarning, match=r"Interrupted: \d+ of 20 fits were done"):
        found = bootstrap(QUICK, D, n_maps=20, random_state=0, n_jobs=n_jobs)
    assert found.interrupted
    assert 3 <= len(found.maps) < 20


def test_a_study_that_is_interrupted_at_once_has_nothing_to_tell(monkeypatch):
    def refitted(self, *args):
        raise KeyboardInterrupt

    monkeypatch.setattr(Study, "refitted", refitted)
    with pytest.raises(KeyboardInterrupt):
        jackknife(QUICK, D)


def test_drawn_tables_that_fall_apart_are_left_out_and_told():
    """Only one of the subjects knows how two groups are joined."""
    stack = np.full((3, 12, 12), np.nan)
    T = table(12)
    for subject in stack:
        subject[:6, :6], subject[6:, 6:] = T[:6, :6], T[6:, 6:]
    stack[0] = T
    with pytest.warns(UserWarning, match=r"\d+ of 20 tables have no map and are left out"):
        found = bootstrap(QUICK, stack, n_maps=20, random_state=0)
    assert found.skipped + len(found.maps) == 20
    assert found.skipped > 0


# --- regions hold the truth -----------------------------------------------------------------------


def held(study, sims, space="euclidean", first=0, **how):
    """Return how often regions of 90 % contain the true places."""
    inside = []
    for seed in range(first, first + sims):
        X, T = true_and_table(16, 0.1, seed, space)
        mds = MDS(metric="precomputed", space=space, n_init=1, random_state=0).fit(T)
        inside.append(study(mds, **how).regions(0.9).contains(align(X, mds)))
    return np.mean(inside)


@pytest.mark.sample(1)
@pytest.mark.parametrize("space", ["euclidean", "sphere"])
def test_regions_of_ninety_per_cent_hold_about_ninety_per_cent(space):
    """A quick look: 12 tables of 16 points; the slow tests and the benchmark look longer."""
    assert 0.8 < held(jackknife, 12, space) < 0.97
    assert 0.8 < held(bootstrap, 12, space, n_maps=40, random_state=0) < 0.97


@pytest.mark.slow
@pytest.mark.parametrize("space", ["euclidean", "sphere"])
def test_regions_hold_what_they_promise_over_two_hundred_tables(space):
    assert 0.85 < held(jackknife, 200, space, 1000) < 0.95
    assert 0.85 < held(bootstrap, 200, space, 1000, random_state=0) < 0.95


def test_regions_that_were_too_small_would_be_noticed(monkeypatch):
    """Without degrees of freedom and with residuals as they are, fewer places are held."""
    errors_of = resampling.errors_of

    def naive(study):
        found = errors_of(study)
        return found._replace(pool=0.5 * found.pool)

    monkeypatch.setattr(resampling, "errors_of", naive)
    assert held(bootstrap, 6, n_maps=40, random_state=0) < 0.75


# --- what people give by mistake ------------------------------------------------------------------


def subjects(count=3):
    rng = np.random.default_rng(4)
    names = list("abcdefg")
    tables = [distances(rng.normal(size=(7, 2))) for _ in range(count)]
    return {f"s{i}": pd.DataFrame(table, names, names) for i, table in enumerate(tables)}


def drawn(tables, **options):
    mds = MDS(metric="precomputed", n_init=1, random_state=0)
    return bootstrap(mds, tables, n_maps=5, random_state=0, **options)


def test_subjects_may_be_a_dict_in_any_order_with_or_without_labels():
    tables = subjects()
    wanted = drawn(list(tables.values())).maps
    tables["s2"] = tables["s2"].iloc[::-1, ::-1]
    np.testing.assert_array_equal(drawn(tables).maps, wanted)
    only_rows = [table.set_axis(range(7), axis=1) for table in subjects().values()]
    np.testing.assert_array_equal(drawn(only_rows).maps, wanted)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda D: -0.1 * D, r"table 's2': D\['a', 'b'\] = .* is negative"),
        (lambda D: D.replace(D.iloc[0, 1], np.inf), r"table 's2': D\['a', 'b'\] = inf"),
        (lambda D: D + np.eye(7), r"table 's2': D\['a', 'a'\] = 1"),
        (lambda D: D.astype(object).mask(D.iloc[0, 1] == D, "x"), "table 's2': D has the text 'x'"),
        (lambda D: D.rename(index={"a": "z"}, columns={"a": "z"}), "'s2' .*, 'z' and not 'a'"),
        (lambda D: D.rename(index={"a": "b"}, columns={"a": "b"}), "'s2': .* the same label"),
        (lambda D: D * np.nan, "table 's2': .* no known pair"),
    ],
)
def test_the_table_of_a_subject_that_holds_no_distances_is_named(change, said):
    tables = subjects()
    tables["s2"] = change(tables["s2"])
    with pytest.raises(ValueError, match=said):
        drawn(tables)


def test_no_tables_and_no_function_are_told():
    with pytest.raises(ValueError, match="X has no table"):
        drawn([])
    with pytest.raises(TypeError, match="consensus='median' must be a function"):
        drawn(subjects(), consensus="median")


@pytest.mark.parametrize("study", [permutation_test, jackknife, bootstrap, perturbation])
def test_a_map_that_obeys_is_not_studied_as_if_it_were_free(study):
    D = distances(np.random.default_rng(0).normal(size=(8, 2)))
    mds = MDS(metric="precomputed", n_init=1).fit(D, constraints=OnCircle())
    with pytest.raises(ValueError, match=r"the map obeys OnCircle\(8 points\)"):
        study(mds)
    study(mds.fit(D))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("study", [bootstrap, perturbation, deciding_pairs])
def test_one_point_cannot_be_studied(study):
    with pytest.raises(ValueError, match="a map of one point cannot change"):
        study(MDS(metric="precomputed").fit([[0.0]]))
