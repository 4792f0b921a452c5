"""Distributions as points of a sphere: Hellinger's distance, its map, and embeddings of counts."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline
from test_projection import SPARSE, failed_checks, forbid_dense

from unimds import DistributionEmbedding, HellingerMap, Simplex, Sphere, hellinger_distances
from unimds.distributions import METHODS
from unimds.quality import recovery_error, total_cost
from unimds.seeds import into_orthant
from unimds.spaces import distances

EMPTY = "is empty and is no distribution"
# scikit-learn shifts data of these checks to a least entry of zero, or draws many zeros
EMPTY_ROWS = {
    "check_estimators_dtypes",
    "check_estimator_sparse_tag",
    "check_estimator_sparse_array",
    "check_estimator_sparse_matrix",
    "check_fit2d_1feature",
}


def by_the_formula(P, Q):
    """√(½ Σ (√p − √q)²), one pair after the other, in extended precision."""
    P, Q = (np.asarray(X, np.longdouble) for X in (P, Q))
    H = np.empty((len(P), len(Q)))
    for i, p in enumerate(P):
        for j, q in enumerate(Q):
            H[i, j] = np.sqrt(np.sum((np.sqrt(p / p.sum()) - np.sqrt(q / q.sum())) ** 2) / 2)
    return H


def counts(n=40, d=30, seed=0):
    """Counts with many zeros, but no empty row."""
    C = np.random.default_rng(seed).poisson(0.7, size=(n, d)).astype(float)
    C[:, 0] += 1.0
    return C


def spread(n, outcomes, terms=50, seed=0):
    """Distributions of few outcomes, and the same spread over many terms in fixed proportions."""
    rng = np.random.default_rng(seed)
    few = rng.dirichlet(np.ones(outcomes), size=n)
    home = np.arange(terms) % outcomes
    share = rng.uniform(0.2, 1.0, size=terms)
    share /= np.bincount(home, share)[home]
    return few, few[:, home] * share


# --- Hellinger's distance ------------------------------------------------------------------------


def test_hellinger_by_the_formula():
    P, Q = counts(12, seed=0), counts(7, seed=1)
    np.testing.assert_allclose(hellinger_distances(P, Q), by_the_formula(P, Q), atol=1e-14)
    H = hellinger_distances(P)
    np.testing.assert_allclose(H, by_the_formula(P, P), atol=1e-14)
    np.testing.assert_array_equal(np.diagonal(H), 0.0)
    np.testing.assert_allclose(hellinger_distances(P.astype(np.float32)), H, atol=1e-5)


def test_known_distances():
    P = [[1, 0, 0], [0, 1, 1], [0, 0, 4], [1, 1, 0]]
    H = hellinger_distances(P)
    assert H[0, 1] == H[0, 2] == 1.0  # nothing in common
    assert H[1, 2] == pytest.approx(np.sqrt(1 - np.sqrt(0.5)))
    assert H[1, 3] == pytest.approx(np.sqrt(0.5))


tables = arrays(
    np.float64,
    st.tuples(st.integers(3, 6), st.integers(1, 5)),
    elements=st.one_of(st.just(0.0), st.floats(1e-12, 1e12)),
).map(lambda P: P + (np.arange(P.shape[1]) == 0) * (P.sum(axis=1, keepdims=True) == 0))


@given(tables)
def test_hellinger_is_a_metric(P):
    H = hellinger_distances(P)
    np.testing.assert_allclose(H, H.T, rtol=1e-9, atol=1e-15)
    assert H.min() >= 0.0
    assert H.max() <= 1.0
    detour = (H[:, :, None] + H[None]).min(axis=1)
    assert np.all(detour + 1e-12 >= H)
    np.testing.assert_allclose(H, by_the_formula(P, P), rtol=1e-7, atol=1e-14)


@pytest.mark.parametrize("scale", [1e-310, 1e-300, 1e-160, 1e160, 1e307])
def test_only_proportions_count(scale):
    """Nor does it matter whether a sum of counts is still a number."""
    C = counts()
    expected = hellinger_distances(C / C.sum(axis=1, keepdims=True))
    np.testing.assert_allclose(hellinger_distances(C), expected, atol=1e-13)
    np.testing.assert_allclose(hellinger_distances(C.astype(int)), expected, atol=1e-13)
    np.testing.assert_allclose(hellinger_distances(C * scale), expected, atol=1e-12)
    mixed = C * np.where(np.arange(len(C)) % 2, scale, 1.0)[:, None]
    np.testing.assert_allclose(hellinger_distances(sp.csr_array(mixed)), expected, atol=1e-12)


@pytest.mark.parametrize("gap", [1e-3, 1e-6, 1e-9])
def test_near_distributions_are_told_apart(gap):
    """1 − Σ√(pq) would have lost all digits at 1e-9."""
    P, Q = [[0.5, 0.5, 0.0]], [[0.5 + gap, 0.5 - gap, 0.0]]
    expected = by_the_formula(P, Q)
    assert expected[0, 0] == pytest.approx(gap / np.sqrt(2), rel=0.01)
    for kind in (np.array, sp.csr_array):
        np.testing.assert_allclose(
            hellinger_distances(kind(P), kind(Q)), expected, rtol=1e-15 / gap
        )


@pytest.mark.parametrize("kind", SPARSE)
def test_sparse_tables_have_the_same_distances(monkeypatch, kind):
    P, Q = counts(12), counts(7, seed=1)
    expected = hellinger_distances(P, Q)
    sparse_P, sparse_Q = kind(P), kind(Q)
    forbid_dense(monkeypatch, 30)
    np.testing.assert_allclose(hellinger_distances(sparse_P, sparse_Q), expected, atol=1e-14)
    np.testing.assert_allclose(hellinger_distances(sparse_P, Q), expected, atol=1e-14)
    np.testing.assert_allclose(hellinger_distances(P, sparse_Q), expected, atol=1e-14)


def test_many_equal_rows():
    """In a table so wide that equal rows are compared a few at a time."""
    P = sp.csr_array(np.repeat(counts(3), 10, axis=0))
    P.resize(30, 2**20)
    H = hellinger_distances(P)
    same = np.equal.outer(np.arange(30) // 10, np.arange(30) // 10)
    assert H[same].max() == 0.0
    assert H[~same].min() > 0.1


@pytest.mark.parametrize("kind", [np.array, sp.csr_array])
def test_bad_distributions_are_named(kind):
    P = counts(5)
    negative, empty, unknown = P.copy(), P.copy(), P.copy()
    negative[3, 7], empty[2], unknown[1, 1] = -2.0, 0.0, np.nan
    with pytest.raises(ValueError, match=r"Negative values in data: P\[3, 7\] = -2"):
        hellinger_distances(kind(negative))
    with pytest.raises(ValueError, match=r"Q: row 2 is empty .* \(1 of 5\), or use smoothing"):
        hellinger_distances(P, kind(empty))
    with pytest.raises(ValueError, match="Input P contains NaN"):
        hellinger_distances(kind(unknown))
    with pytest.raises(ValueError, match="same outcomes, but have 30 and 29 columns"):
        hellinger_distances(P, kind(P[:, :29]))


# --- the map to the sphere -----------------------------------------------------------------------


@pytest.mark.parametrize("smoothing", [0.0, 0.5])
def test_scikit_learn_checks_of_the_map(smoothing):
    failed = failed_checks(HellingerMap(smoothing))
    assert set(failed) <= ({"check_estimators_dtypes"} if smoothing == 0.0 else set())
    for said in failed.values():
        assert EMPTY in said


@pytest.mark.parametrize("kind", [np.array, *SPARSE])
def test_there_and_back(kind):
    C = counts()
    P = C / C.sum(axis=1, keepdims=True)
    mapper = HellingerMap().fit(kind(C))
    roots = mapper.transform(kind(C))
    back = mapper.inverse_transform(kind(roots.toarray()) if sp.issparse(roots) else roots)
    for table, expected in ((roots, np.sqrt(P)), (back, P)):
        assert sp.issparse(table) == (kind is not np.array)
        dense = table.toarray() if sp.issparse(table) else table
        np.testing.assert_allclose(dense, expected, atol=1e-15)


@pytest.mark.parametrize("length", [1e-200, 1e-160, 3.0, 1e200])
def test_points_on_the_way_back_need_no_unit_length(length):
    C = counts()
    mapper = HellingerMap().fit(C)
    back = mapper.inverse_transform(-length * mapper.transform(C))
    np.testing.assert_allclose(back, C / C.sum(axis=1, keepdims=True), rtol=1e-12)


def test_smoothing_is_added_to_every_entry():
    roots = HellingerMap(0.5).fit_transform([[0, 0], [3, 0]])
    np.testing.assert_allclose(roots**2, [[0.5, 0.5], [3.5 / 4, 0.5 / 4]])
    with pytest.raises(ValueError, match=r"smoothing=0.5 .* use smoothing=0, or call toarray"):
        HellingerMap(0.5).fit_transform(sp.csr_array(counts()))


def test_the_map_keeps_dtype_sparsity_and_names(monkeypatch):
    C = counts()
    table = sp.csr_array(C.astype(np.float32))
    forbid_dense(monkeypatch, 30)
    roots = HellingerMap().fit_transform(table)
    assert (roots.dtype, roots.nnz) == (np.float32, np.count_nonzero(C))
    frame = pd.DataFrame(C[:, :3] + 1, columns=["sea", "sun", "wind"])
    out = HellingerMap().set_output(transform="pandas").fit_transform(frame)
    assert list(out.columns) == ["sea", "sun", "wind"]


def test_the_map_refuses_what_is_no_distribution():
    mapper = HellingerMap().fit(counts(5))
    with pytest.raises(ValueError, match=r"X\[0, 1\] = -1, but counts"):
        mapper.transform(np.eye(30) - np.eye(30, k=1))
    with pytest.raises(ValueError, match=f"X: row 1 {EMPTY}"):
        mapper.transform(np.diag(np.arange(30.0))[[1, 0]])
    with pytest.raises(ValueError, match="row 0"):
        mapper.inverse_transform(np.zeros((1, 30)))


# --- embeddings ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("space", "method"),
    [("sphere", method) for method in METHODS] + [("simplex", "mds"), ("simplex", "jl+mds")],
)
def test_scikit_learn_checks_of_the_embedding(space, method):
    """Checks fail for empty rows only, and "jl" has no sweeps to count."""
    # one dimension: two would hold the checks' data exactly, and nothing be left to do
    failed = failed_checks(DistributionEmbedding(1, space=space, method=method, random_state=0))
    if method == "jl":
        assert "has no attribute 'n_iter_'" in failed.pop("check_transformer_n_iter")
    assert set(failed) <= EMPTY_ROWS
    for said in failed.values():
        assert EMPTY in said


@pytest.mark.parametrize("method", ["mds", "jl+mds"])
def test_few_outcomes_spread_over_many_terms_are_found_again(method):
    few, many = spread(40, 4)
    embedding = DistributionEmbedding(3, space="simplex", method=method, eps=0.0, random_state=0)
    found = embedding.fit_transform(many)
    assert found.shape == (40, 4)
    assert found.min() >= 0.0
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    assert embedding.cost_ < 1e-12
    np.testing.assert_allclose(by_the_formula(found, found), by_the_formula(few, few), atol=1e-6)


def test_points_of_a_small_sphere_are_found_again():
    _, many = spread(40, 3)
    embedding = DistributionEmbedding(2, random_state=0)
    found = embedding.fit_transform(many)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1.0, rtol=0, atol=1e-12)
    assert embedding.cost_ < 1e-12
    roots = np.sqrt(many)
    np.testing.assert_allclose(found @ found.T, roots @ roots.T, atol=1e-6)


@pytest.mark.parametrize("space", ["sphere", "simplex"])
def test_what_the_cost_is(space):
    """Angles on the sphere, Hellinger's distances on the simplex."""
    C = counts()
    H = by_the_formula(C, C)
    embedding = DistributionEmbedding(2, space=space, loss="absolute", random_state=0).fit(C)
    if space == "sphere":
        D, points, where = np.arccos(np.clip(1 - H**2, -1, 1)), embedding.embedding_, Sphere()
    else:
        D, points, where = H, np.sqrt(embedding.embedding_), Simplex()
    cost = total_cost(D, points, loss="absolute", space=where)
    assert embedding.cost_ == pytest.approx(cost, rel=1e-6) == embedding.result_.cost
    assert embedding.n_iter_ == embedding.result_.n_iter > 1


def test_a_robust_loss_is_not_led_astray():
    """A few documents share no word with the others: they do not fit on the map."""
    _, many = spread(40, 3)
    odd = np.zeros((8, 58))
    odd[:, 50:] = np.eye(8)
    mixed = np.vstack([np.hstack([many, np.zeros((40, 8))]), odd])
    truth = DistributionEmbedding(2, random_state=0).fit_transform(many)
    error = {}
    for loss in ("squared", "absolute"):
        embedding = DistributionEmbedding(2, loss=loss, random_state=0).fit(mixed)
        error[loss] = recovery_error(embedding.embedding_[:40], truth, space="sphere")
    assert error["absolute"] < 0.3 * error["squared"]
    again = embedding.transform(mixed[:40])  # new rows are placed by the same loss
    np.testing.assert_allclose(again, embedding.embedding_[:40], atol=1e-3)


@pytest.mark.parametrize("space", ["sphere", "simplex"])
def test_scaling_improves_on_the_projection_it_starts_from(space):
    C = counts()
    jl = DistributionEmbedding(2, method="jl", random_state=0).fit_transform(C)
    refined = DistributionEmbedding(2, space=space, method="jl+mds", random_state=0).fit(C)
    H = hellinger_distances(C)
    if space == "sphere":
        D, seed, where = 2 * np.arcsin(H / np.sqrt(2)), jl, Sphere()
    else:
        D, seed, where = H, into_orthant(jl), Simplex()
    before = total_cost(D, seed, space=where)
    assert refined.cost_ < 0.9 * before
    assert refined.result_.history[0, 1] == pytest.approx(before, rel=1e-6)


def test_a_projection_is_no_distribution():
    with pytest.raises(ValueError, match='method="jl" leaves the simplex'):
        DistributionEmbedding(2, space="simplex", method="jl").fit(counts())


@pytest.mark.parametrize("kind", [np.array, sp.csr_array])
@pytest.mark.parametrize(
    ("space", "method"), [("sphere", "mds"), ("simplex", "mds"), ("sphere", "jl")]
)
def test_the_fitted_rows_are_placed_where_they_are(space, method, kind):
    C = counts()
    embedding = DistributionEmbedding(2, space=space, method=method, eps=1e-13, random_state=0)
    found = embedding.fit_transform(kind(C))
    assert found is embedding.embedding_
    again = embedding.transform(kind(C))
    np.testing.assert_allclose(again, found, atol=0.0 if method == "jl" else 1e-4)


@pytest.mark.parametrize("space", ["sphere", "simplex"])
def test_new_documents(space):
    """Left out of exact data and placed later, a row keeps its distances to the others."""
    few, many = spread(40, 3)
    embedding = DistributionEmbedding(2, space=space, random_state=0)
    found = embedding.fit_transform(many[:30])
    new = embedding.transform(7.0 * many[30:])
    where = Sphere() if space == "sphere" else Simplex()
    points = (new, found) if space == "sphere" else (np.sqrt(new), np.sqrt(found))
    H = by_the_formula(few[30:], few[:30])
    expected = 2 * np.arcsin(H / np.sqrt(2)) if space == "sphere" else H
    np.testing.assert_allclose(distances(*points, space=where), expected, atol=1e-4)
    with pytest.raises(ValueError, match="X has 49 features"):
        embedding.transform(many[:, :49])


def test_documents_end_to_end_stay_sparse(monkeypatch):
    rng = np.random.default_rng(0)
    words = np.array([f"word{i}" for i in range(300)])
    texts = [" ".join(rng.choice(words, size=40)) for _ in range(50)]
    pipe = make_pipeline(CountVectorizer(), DistributionEmbedding(20, method="jl", random_state=0))
    forbid_dense(monkeypatch, len(CountVectorizer().fit(texts).vocabulary_))
    image = pipe.fit_transform(texts)
    assert image.shape == (50, 21)
    np.testing.assert_array_equal(pipe.transform(texts[:5]), image[:5])
    assert list(pipe.get_feature_names_out()[:2]) == [f"distributionembedding{i}" for i in (0, 1)]
    with pytest.raises(ValueError, match=f"X: row 1 {EMPTY}"):
        pipe.transform([texts[0], "unheard of"])


@pytest.mark.parametrize("method", METHODS)
def test_float32_in_float32_out(method):
    _, many = spread(40, 3)
    embedding = DistributionEmbedding(2, method=method, random_state=0)
    single = embedding.fit_transform(many.astype(np.float32))
    assert single.dtype == embedding.transform(many.astype(np.float32)).dtype == np.float32
    double = clone(embedding).fit_transform(many)
    assert double.dtype == np.float64
    assert recovery_error(single, double, space="sphere") < 1e-3


@pytest.mark.parametrize("method", METHODS)
def test_the_seed_decides(method):
    C = counts()
    runs = [
        DistributionEmbedding(2, method=method, random_state=s).fit_transform(C) for s in (0, 0, 1)
    ]
    np.testing.assert_array_equal(runs[0], runs[1])
    assert not np.array_equal(runs[0], runs[2])


def test_clone_pickle_and_data_frames():
    frame = pd.DataFrame(counts(), index=[f"text {i}" for i in range(40)]).add_prefix("word")
    embedding = DistributionEmbedding(2, loss="huber", random_state=0)
    embedding.set_output(transform="pandas")
    assert clone(embedding).get_params() == embedding.get_params()
    out = embedding.fit_transform(frame)
    assert list(out.index) == list(frame.index)
    assert list(out.columns) == list(embedding.get_feature_names_out())
    again = pickle.loads(pickle.dumps(embedding))
    np.testing.assert_allclose(again.transform(frame), embedding.transform(frame), atol=1e-6)


def test_smoothing_makes_room_for_empty_rows():
    C = counts()
    C[4] = 0.0
    with pytest.raises(ValueError, match=f"X: row 4 {EMPTY}"):
        DistributionEmbedding(2).fit(C)
    found = DistributionEmbedding(2, smoothing=0.1, random_state=0).fit_transform(C)
    smoothed = DistributionEmbedding(2, random_state=0).fit_transform(C + 0.1)
    np.testing.assert_allclose(found, smoothed, atol=1e-12)
    jl = DistributionEmbedding(2, method="jl", smoothing=0.1, random_state=0).fit(C)
    np.testing.assert_array_equal(jl.transform(C), jl.embedding_)


def test_sweeps_are_limited():
    with pytest.warns(ConvergenceWarning):
        embedding = DistributionEmbedding(2, max_iter=3, random_state=0).fit(counts())
    assert embedding.n_iter_ == 3


def test_a_projection_has_no_cost_left_from_before():
    embedding = DistributionEmbedding(2, random_state=0).fit(counts())
    embedding.set_params(method="jl").fit(counts())
    assert embedding.result_ is None
    assert not hasattr(embedding, "cost_")
    assert not hasattr(embedding, "n_iter_")
