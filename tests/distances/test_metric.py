"""Metrics: what cannot measure the features is refused with a remedy, and gaps are reported."""

import warnings

import numpy as np
import pytest

from unimds import MDS, LandmarkMDS
from unimds.distances.inputs import as_square
from unimds.distances.metric import METRICS, EmptyRowsWarning, Metric, RowsWarning, unknown_metric
from unimds.distributions import hellinger_distances
from unimds.models import load, save

X = np.random.default_rng(0).random((12, 4))


@pytest.mark.parametrize(
    ("metric", "features", "message"),
    [
        ("bray", X, "metric='bray' is unknown; did you mean 'braycurtis'"),
        ("Bray-Curtis", X, "did you mean 'braycurtis'"),
        ("chebishev", X, "did you mean 'chebyshev'"),
        (
            "hellinger",
            X - 0.5,
            r"metric='hellinger' compares proportions, and X\[0, .\] = -0.\d+ is n",
        ),
        ("hellinger", X * (np.arange(12) != 3)[:, None], r"proportions, and X\[3\] is empty; drop"),
        ("qwertz", X, "use one of euclidean, .*a function of two rows"),
        ("haversine", X, "needs two features, latitude and longitude in radians, and X has 4"),
        ("haversine", 60.0 * X[:, :2] + 2.0, "outside −π/2…π/2; for degrees, use np.radians"),
        ("mahalanobis", X[:, [0, 1, 0]], "features of X has rank 2: X has features that others"),
        ("mahalanobis", X[:3], "has rank 2: X has only 3 rows"),
        ("mahalanobis", X * [1, 1, 0, 1], r"X\[:, 2\] is constant; drop"),
        ("mahalanobis", X[:1], "needs at least 2 rows"),
        ("seuclidean", X * [1, 1, 0, 1], r"features that vary, and X\[:, 2\] is constant"),
    ],
)
@pytest.mark.parametrize("estimator", [MDS, LandmarkMDS])
def test_metrics_that_cannot_measure(estimator, metric, features, message):
    with pytest.raises(ValueError, match=message):
        estimator(metric=metric).fit(np.vstack([features]))


def test_arguments_that_do_not_suit():
    with pytest.raises(ValueError, match=r"metric='minkowski' and metric_params=\{'q': 3\} cannot"):
        MDS(metric="minkowski", metric_params={"q": 3}).fit(X)
    VI = np.linalg.pinv(np.cov(X[:, [0, 1, 0]].T))
    MDS(metric="mahalanobis", metric_params={"VI": VI}).fit(X[:, [0, 1, 0]])


@pytest.mark.parametrize("name", [name for name in METRICS if name != "precomputed"])
def test_known_metrics_measure(name):
    features = X[:, :2] if name == "haversine" else X
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of scikit-learn, on numbers that it takes as booleans
        D = Metric(name, {}).learnt(features).between(features)
    assert np.isfinite(D).all()


def test_hellinger_is_the_distance_of_the_roots_of_proportions(tmp_path):
    counts = np.random.default_rng(1).poisson(3.0, (20, 6)).astype(float)
    counts[:, 0] += 1.0
    roots = np.sqrt(counts / counts.sum(axis=1, keepdims=True))
    D = Metric("hellinger", {}).learnt(counts).between(counts)
    assert np.allclose(D, hellinger_distances(counts))
    assert np.allclose(np.sqrt(2.0) * D, np.linalg.norm(roots[:, None] - roots, axis=2))
    mds = MDS(metric="hellinger", random_state=0).fit(counts)
    assert np.isclose(mds.stress_, MDS(metric="precomputed", random_state=0).fit(D).stress_)
    new = counts[:3] + 1.0
    placed = mds.transform(new)
    save(mds, tmp_path / "m.unimds")
    assert np.array_equal(load(tmp_path / "m.unimds").transform(new), placed)
    with pytest.raises(ValueError, match=r"X\[1\] is empty"):
        mds.transform(new * [[1.0], [0.0], [1.0]])


def test_mahalanobis_of_one_feature():
    D = Metric("mahalanobis", {}).learnt(X[:, :1]).between(X[:, :1])
    assert np.allclose(D, np.abs(X[:, :1] - X[:, 0]) / X[:, 0].std(ddof=1))


def test_every_remedy_names_metrics_that_exist():
    assert "'correlation'" in unknown_metric("Pearson")
    assert unknown_metric("man") == "metric='man' is unknown; did you mean 'manhattan'?"


@pytest.mark.parametrize("estimator", [MDS, LandmarkMDS])
def test_two_empty_rows_have_no_distance_by_bray_and_curtis(estimator):
    counts = X.copy()
    counts[2] = counts[5] = counts[7] = 0.0
    told = "metric='braycurtis' has no value between two rows of zeros (X[2] and X[5], and 1 "
    with pytest.warns(RowsWarning) as record:
        mds = estimator(metric="braycurtis", random_state=0).fit(counts)
    assert [one.category for one in record] == [EmptyRowsWarning, RowsWarning]
    assert str(record[1].message).startswith(told)
    assert np.isfinite(mds.embedding_).all()
    counts[[5, 7]] = 1.0
    with pytest.warns(EmptyRowsWarning) as record:  # one empty row has distances
        estimator(metric="braycurtis", random_state=0).fit(counts)
    assert [one.category for one in record] == [EmptyRowsWarning]


@pytest.mark.parametrize("estimator", [MDS, LandmarkMDS])
def test_negative_numbers_under_bray_and_curtis_are_told(estimator):
    counts = X.copy()
    counts[4, 1] = -0.5
    told = r"'braycurtis' is meant for counts, and some rows hold negative numbers \(X\[4\]\)"
    with pytest.warns(UserWarning, match=told):
        estimator(metric="braycurtis", random_state=0).fit(counts)


def test_a_constant_row_has_no_correlation():
    features = X.copy()
    features[3] = 2.0
    with (
        pytest.warns(UserWarning, match=r"no value for rows of equal numbers \(X\[3\]\)"),
        pytest.raises(ValueError, match="2 groups"),
    ):
        MDS(metric="correlation").fit(features)


def test_gaps_of_a_function_are_told():
    def ratio(a, b):
        total = a.sum() + b.sum()
        return np.abs(a - b).sum() / total if total else np.nan

    counts = X.copy()
    counts[2] = counts[5] = 0.0
    with pytest.warns(UserWarning, match=r"between two rows of zeros \(X\[2\] and X\[5\]\)"):
        MDS(metric=ratio, random_state=0).fit(counts)


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        (
            (12, 20, 20),
            r"12 tables of 20 × 20, .*nanmean\(D, axis=0\).* D\[0\], D\[1\] and so on",
        ),
        ((20, 20, 12), r"12 tables of 20 × 20, .*numpy.nanmean\(D, axis=2\).* D\[:, :, 0\]"),
    ],
)
def test_a_stack_of_tables_is_refused(shape, message):
    stack = np.zeros(shape)
    with pytest.raises(ValueError, match=message):
        MDS(metric="precomputed").fit(stack)
    with pytest.raises(ValueError, match=message):
        as_square(stack, "D")
