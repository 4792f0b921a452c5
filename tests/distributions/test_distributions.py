"""Distributions as points of a sphere: Hellinger's distance, its map, and embeddings of counts."""

import pickle
import re

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags

from tests.support.parts import slow
from tests.support.sparse import SPARSE, failed_checks, forbid_dense, unchanged, untidy
from unimds import DistributionEmbedding, HellingerMap, Simplex, Sphere, hellinger_distances
from unimds.distributions.embedding import TECHNIQUES
from unimds.quality import recovery_error, stress_1, total_cost
from unimds.spaces import distances
from unimds.spaces.spectral import into_orthant

EMPTY = "is empty, which is not a distribution"
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


def few_counts(n=8):
    """So few rows that the search for the lowest map, which these tests are not about, is short."""
    return counts(n)


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
    with pytest.raises(
        ValueError,
        match=r"Q: row 2 is empty.* \(1 of 5 rows are empty\); drop such rows first, .* by Q\[",
    ) as error:
        hellinger_distances(P, kind(empty))
    assert "smoothing" not in str(error.value)  # which this function does not have
    with pytest.raises(ValueError, match="Input P contains NaN"):
        hellinger_distances(kind(unknown))
    with pytest.raises(ValueError, match="same outcomes, but have 30 and 29 columns"):
        hellinger_distances(P, kind(P[:, :29]))


@pytest.mark.parametrize("kind", [np.array, pd.DataFrame, *SPARSE])
def test_the_remedy_for_empty_rows_works(kind):
    """It is run as the message has it, for any kind of table."""
    C = counts(6)
    C[[1, 4]] = 0.0
    X = kind(C)
    with pytest.raises(ValueError, match=r"2 of 6 rows are empty") as error:
        HellingerMap().fit_transform(X)
    remedy = re.search(r"for example by (.*\) > 0\])", str(error.value))[1]
    kept = HellingerMap().fit_transform(eval(remedy, {"X": X, "np": np}))
    expected = HellingerMap().fit_transform(C[[0, 2, 3, 5]])
    np.testing.assert_array_equal(kept.toarray() if sp.issparse(kept) else kept, expected)
    assert ("set smoothing" in str(error.value)) == (kind in (np.array, pd.DataFrame))


def test_columns_in_another_order_are_noticed():
    P = pd.DataFrame([[1, 2, 3], [3, 0, 1]], columns=["sea", "sun", "wind"])
    Q = P[["sea", "wind", "sun"]]
    with pytest.raises(
        ValueError, match=r"column 1 is 'sun' in P and 'wind' in Q; .* Q\[list\(P.columns\)\]"
    ):
        hellinger_distances(P, Q)
    np.testing.assert_array_equal(
        hellinger_distances(P, Q[list(P.columns)]), hellinger_distances(P, P.to_numpy())
    )


@pytest.mark.parametrize(("one", "other"), [("P", "Q"), ("Q", "P")])
def test_columns_of_one_table_only_are_noticed(one, other):
    tables = {
        one: pd.DataFrame([[1, 2, 3, 4]], columns=["sea", "snow", "wind", "ice"]),
        other: pd.DataFrame([[1, 2]], columns=["sea", "wind"]),
    }
    message = rf"only {one} has the column 'snow' \(2 such columns\); add it to {other} with zeros"
    with pytest.raises(ValueError, match=message):
        hellinger_distances(tables["P"], tables["Q"])


def test_columns_without_names_are_not_compared():
    """Numbered columns, arrays and lists go by their order."""
    named = pd.DataFrame([[1, 2, 3]], columns=["sea", "sun", "wind"])
    for other in (pd.DataFrame([[2, 0, 1]]), np.array([[2, 0, 1]]), [[2, 0, 1]]):
        expected = by_the_formula([[1, 2, 3]], [[2, 0, 1]])
        np.testing.assert_allclose(hellinger_distances(named, other), expected)
    numbered = pd.DataFrame([[1, 2, 3]], columns=[2, 0, 1])
    with pytest.raises(ValueError, match=r"column 0 is 2 in P and 1 in Q"):
        hellinger_distances(numbered, numbered[[1, 0, 2]])
    with pytest.raises(ValueError, match=r"unique column names|have 3 and 4 columns"):
        hellinger_distances(named, named[["sea", "sun", "wind", "sun"]])


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csr_matrix])
def test_a_callers_table_is_never_changed(kind):
    """Entries in any order and in two parts: √ of their sum, not the sum of their roots."""
    C = few_counts()
    table = untidy(C, kind)
    roots = np.sqrt(C / C.sum(axis=1, keepdims=True))
    with unchanged(table):
        np.testing.assert_allclose(hellinger_distances(table), by_the_formula(C, C), atol=1e-14)
    with unchanged(table):
        found = HellingerMap().fit(table).transform(table)
    np.testing.assert_allclose(found.toarray(), roots, atol=1e-15)
    points = untidy(roots, kind)
    with unchanged(points):
        back = HellingerMap().fit(table).inverse_transform(points)
    np.testing.assert_allclose(back.toarray(), roots**2, atol=1e-15)
    for method in ("jl", "mds"):
        embedding = DistributionEmbedding(2, method=method, random_state=0)
        with unchanged(table):
            found = embedding.fit_transform(table)
            embedding.transform(table)
        np.testing.assert_allclose(found, clone(embedding).fit_transform(C), atol=1e-5)


def test_parts_of_an_entry_may_be_negative():
    """Only their sum is a count."""
    table = sp.csr_array(([3.0, -1.0, 2.0], [0, 0, 1], [0, 3]), shape=(1, 2))
    np.testing.assert_allclose(HellingerMap().fit_transform(table).toarray() ** 2, [[0.5, 0.5]])


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


@pytest.mark.parametrize(
    "estimator", [HellingerMap(0.5), DistributionEmbedding(2, smoothing=0.5, random_state=0)]
)
def test_smoothing_refuses_sparse_tables(estimator):
    """At once, not only by `transform`; and the tag says so."""
    table = sp.csr_array(counts())
    message = r"smoothing=0.5 .* use smoothing=0, or call toarray"
    with pytest.raises(ValueError, match=message):
        clone(estimator).fit(table)
    estimator = clone(estimator).fit(few_counts())
    with pytest.raises(ValueError, match=message):
        estimator.transform(table)
    assert not get_tags(estimator).input_tags.sparse
    assert get_tags(clone(estimator).set_params(smoothing=0.0)).input_tags.sparse


@pytest.mark.parametrize("smoothing", [1e-60, 1e60])
def test_smoothing_must_be_a_number_of_the_tables_kind(smoothing):
    """Otherwise it would be 0 or infinity in float32."""
    C = counts()
    mapper = HellingerMap(smoothing)
    with pytest.raises(
        ValueError, match=r"smoothing=1e.60 is not a number in float32; use float64"
    ):
        mapper.fit(C.astype(np.float32))
    expected = np.sqrt((C + smoothing) / (C + smoothing).sum(axis=1, keepdims=True))
    np.testing.assert_allclose(mapper.fit_transform(C), expected, rtol=1e-12)


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
    with pytest.raises(ValueError, match="X has 29 features, but HellingerMap is expecting 30"):
        mapper.inverse_transform(np.ones((1, 29)))
    with pytest.raises(ValueError, match="Input X contains NaN"):
        mapper.inverse_transform(np.full((1, 30), np.nan))
    with pytest.raises(NotFittedError):
        HellingerMap().inverse_transform(np.ones((1, 30)))


# --- embeddings ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("space", "method"),
    [
        ("sphere", "jl"),
        slow("sphere", "mds"),  # one dimension is compiled for nothing else
        slow("sphere", "jl+mds"),
        slow("simplex", "mds"),
        slow("simplex", "jl+mds"),
    ],
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


@pytest.mark.slow
def test_scikit_learn_checks_without_empty_rows():
    """Smoothing fills them, and all checks pass."""
    embedding = DistributionEmbedding(1, smoothing=0.5, random_state=0)
    assert not failed_checks(embedding)


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


@pytest.mark.parametrize(
    ("space", "loss"), [("sphere", "absolute"), ("simplex", "squared"), slow("simplex", "absolute")]
)
def test_what_the_cost_is(space, loss):
    """Angles on the sphere, Hellinger's distances on the simplex."""
    C = few_counts()
    H = by_the_formula(C, C)
    embedding = DistributionEmbedding(2, space=space, loss=loss, random_state=0).fit(C)
    if space == "sphere":
        D, points, where = np.arccos(np.clip(1 - H**2, -1, 1)), embedding.embedding_, Sphere()
    else:
        D, points, where = H, np.sqrt(embedding.embedding_), Simplex()
    cost = total_cost(D, points, loss=loss, space=where)
    assert embedding.cost_ == pytest.approx(cost, rel=1e-6) == embedding.result_.cost
    assert embedding.n_iter_ == embedding.result_.n_iter > 1
    assert embedding.stress_ == pytest.approx(stress_1(D, points, space=where), rel=1e-6)
    assert embedding.stress_ > 0.01
    assert embedding.space_ == where


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


@pytest.mark.sample(2)
@pytest.mark.parametrize("kind", [np.array, sp.csr_array])
@pytest.mark.parametrize(
    ("space", "method"), [("sphere", "mds"), ("simplex", "mds"), ("sphere", "jl")]
)
def test_the_fitted_rows_are_placed_where_they_are(space, method, kind):
    C = few_counts()
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


@pytest.mark.parametrize("method", ["jl", slow("mds"), slow("jl+mds")])
def test_float32_in_float32_out(method):
    _, many = spread(40, 3)
    embedding = DistributionEmbedding(2, method=method, random_state=0)
    single = embedding.fit_transform(many.astype(np.float32))
    assert single.dtype == embedding.transform(many.astype(np.float32)).dtype == np.float32
    double = clone(embedding).fit_transform(many)
    assert double.dtype == np.float64
    assert recovery_error(single, double, space="sphere") < 1e-3


@pytest.mark.parametrize("method", TECHNIQUES)
def test_the_seed_decides(method):
    C = few_counts()
    runs = [
        DistributionEmbedding(2, method=method, random_state=s).fit_transform(C) for s in (0, 0, 1)
    ]
    np.testing.assert_array_equal(runs[0], runs[1])
    if method != "mds":  # its spectral seed is not random, and may well be the best start
        assert not np.array_equal(runs[0], runs[2])


def test_clone_pickle_and_data_frames():
    frame = pd.DataFrame(few_counts(), index=[f"text {i}" for i in range(8)]).add_prefix("word")
    embedding = DistributionEmbedding(2, loss="absolute", random_state=0)
    embedding.set_output(transform="pandas")
    assert clone(embedding).get_params() == embedding.get_params()
    out = embedding.fit_transform(frame)
    assert list(out.index) == list(frame.index)
    assert list(out.columns) == list(embedding.get_feature_names_out())
    again = pickle.loads(pickle.dumps(embedding))
    np.testing.assert_allclose(again.transform(frame), embedding.transform(frame), atol=1e-6)


def test_smoothing_makes_room_for_empty_rows():
    C = few_counts()
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
    embedding = DistributionEmbedding(2, random_state=0).fit(few_counts())
    embedding.set_params(method="jl").fit(few_counts())
    assert embedding.result_ is None
    for name in ("cost_", "n_iter_", "stress_", "loss_", "history_", "starts_", "_points"):
        assert not hasattr(embedding, name)
    assert (embedding.space_, embedding.dissimilarity_matrix_) == (Sphere(), None)
    embedding.set_params(method="mds").fit(few_counts())
    assert not hasattr(embedding, "_projection")


@pytest.mark.parametrize("space", ["sphere", "simplex"])
def test_the_map_does_not_move_with_what_is_returned(space):
    """A person may turn or scale the coordinates; new rows are placed on the map as it was."""
    C = few_counts()
    embedding = DistributionEmbedding(2, space=space, random_state=0)
    found = embedding.fit_transform(C)
    before = embedding.transform(C[:5])
    found *= -7.0
    np.testing.assert_array_equal(embedding.transform(C[:5]), before)
