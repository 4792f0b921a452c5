"""Features whose table of distances is never built."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.support.memory import most_allocated, peak
from tests.support.parts import slow
from unimds import MDS, Hyperbolic, Sphere
from unimds.distances import table
from unimds.distances.metric import Metric
from unimds.distances.pairs import as_pairs
from unimds.distances.table import ComputedTable
from unimds.estimators import solver


def features(n=60, k=4, seed=0, dtype=np.float64):
    return np.random.default_rng(seed).uniform(0.1, 1.0, size=(n, k)).astype(dtype)


@pytest.fixture
def small_tiles(monkeypatch):
    """Compute seven rows at a time."""
    monkeypatch.setattr(table, "TILE", 7 * 60)


def both(X, **options):
    """Fit with and without a table in memory."""
    held = MDS(random_state=0, memory_limit=None, **options).fit(X)
    computed = MDS(random_state=0, memory_limit=0, **options).fit(X)
    assert held.dissimilarity_matrix_.shape == (len(X), len(X))
    assert computed.dissimilarity_matrix_ is None
    return held, computed


def assert_same(held, computed):
    assert_allclose(computed.cost_, held.cost_, rtol=1e-6)
    assert_allclose(computed.stress_, held.stress_, rtol=1e-6)
    scale = np.abs(held.embedding_).max()
    assert_allclose(computed.embedding_, held.embedding_, atol=1e-6 * scale)
    assert computed.embedding_.dtype == held.embedding_.dtype


@pytest.mark.usefixtures("small_tiles")
@pytest.mark.parametrize(
    ("metric", "loss", "n_init"),
    [
        ("euclidean", "squared", "auto"),
        ("cityblock", "squared", 1),
        ("cosine", "squared", 1),
        ("euclidean", "huber", 1),
        slow("cityblock", "huber", "auto"),
        slow("cosine", "huber", "auto"),
    ],
)
def test_the_map_is_that_of_the_table_in_memory(metric, loss, n_init):
    options = {"loss": loss, "n_init": n_init, "max_iter": 5000}
    assert_same(*both(features(), metric=metric, **options))


@pytest.mark.sample(2)
@pytest.mark.usefixtures("small_tiles")
@pytest.mark.parametrize(
    "options",
    [
        {"space": Sphere(radius="auto"), "n_init": 1},
        {"space": Hyperbolic(2.0), "n_init": 1},
        {"loss": "absolute", "n_init": 1},
        {"n_components": 3, "n_init": 1},
        slow({"n_components": 3, "loss": "huber"}),
        {"init": "random", "n_init": 2},
    ],
    ids=repr,
)
def test_it_is_so_for_other_problems(options):
    assert_same(*both(features(), **options))


@pytest.mark.usefixtures("small_tiles")
@pytest.mark.parametrize("metric", ["seuclidean", "mahalanobis", "chebyshev", "minkowski"])
def test_metrics_learn_from_all_of_the_data(metric):
    X = features()
    held, computed = both(X, metric=metric, n_init=1)
    assert_same(held, computed)
    assert_allclose(computed.transform(X[:3]), held.transform(X[:3]), atol=1e-5)


def test_new_points_are_placed_as_ever():
    held, computed = both(features(), n_init=1)
    new = features(5, seed=1)
    assert_allclose(computed.transform(new), held.transform(new), atol=1e-5)


@pytest.mark.usefixtures("small_tiles")
@pytest.mark.parametrize("metric", ["euclidean", "cityblock"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_computed_table_is_the_table(dtype, metric):
    X = features(dtype=dtype)
    X[5] = X[6]
    measure = Metric(metric, {})
    want = as_pairs(measure.between(X))
    got = as_pairs(ComputedTable(X, measure, dtype))
    atol = 1e-3 if dtype == np.float32 else 1e-7  # of equal rows, a root of rounding
    assert_allclose(got.table.whole()[0], want.table.D, atol=atol)
    assert got.dtype == dtype
    assert_allclose([got.typical, got.largest], [want.typical, want.largest], rtol=1e-6)
    assert [first for first, _, _ in got.table.tiles()] == list(range(0, 60, 7))
    rows, columns = np.array([9, 2, 30]), np.array([1, 2, 3, 59])
    there, back = (pairs.table.block(rows, columns)[0] for pairs in (got, want))
    assert_allclose(there, back, atol=atol)
    assert_array_equal(got.table.block(rows, rows)[0][:, 0].diagonal(), 0.0)
    index = np.array([50, 3, 17])
    assert_allclose(got.subset(index).table.D, want.subset(index).table.D, atol=atol)
    assert got.subset(index, np.float32).dtype == np.float32


def test_rows_that_are_all_alike():
    with pytest.warns(UserWarning, match="all distances are zero"):
        mds = MDS(metric="cityblock", memory_limit=0).fit(np.ones((5, 2)))
    assert mds.cost_ == 0.0


@pytest.mark.usefixtures("small_tiles")
@pytest.mark.parametrize(
    ("value", "error"),
    [
        (-1.0, r"D\[3, 59\] = -1 is negative: distances must be zero or more"),
        (np.inf, r"D\[3, 59\] = inf is infinite"),
        (np.nan, r"D\[3, 59\] = nan is missing: only a table in memory may"),
    ],
)
def test_what_is_no_distance_is_refused(value, error):
    X = np.arange(60.0)[:, None]

    def metric(x, y):
        return value if {x[0], y[0]} == {3.0, 59.0} else abs(x[0] - y[0])

    with pytest.raises(ValueError, match=error):
        MDS(metric=metric, memory_limit=0).fit(X)


@pytest.mark.usefixtures("small_tiles")
@pytest.mark.parametrize("places", [{(2.0, 50.0)}, {(40.0, 41.0)}])
def test_distances_that_differ_both_ways_are_refused(places):
    def metric(x, y):
        return 99.0 if (x[0], y[0]) in places else abs(x[0] - y[0])

    with pytest.raises(ValueError, match="the other way: only a table in memory can be asymmetric"):
        MDS(metric=metric, memory_limit=0).fit(np.arange(60.0)[:, None])


def test_similarities_are_refused():
    with pytest.raises(ValueError, match="is D a table of similarities"):
        MDS(metric=lambda x, y: float(x @ y), memory_limit=0).fit(features(9))


def test_weights_and_missing_features_need_the_table():
    X = features(8)
    assert MDS(memory_limit=0).fit(X, weights=np.ones((8, 8))).dissimilarity_matrix_ is not None
    X[2, 1] = np.nan
    mds = MDS(metric="nan_euclidean", memory_limit=0).fit(X)
    assert mds.dissimilarity_matrix_ is not None


# --- the limit -----------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [-1, "much", "4 GB", float("nan")])
def test_a_limit_that_is_none_is_refused(limit):
    with pytest.raises(ValueError, match="'memory_limit' parameter of MDS must be"):
        MDS(memory_limit=limit).fit(features(4))


def test_a_table_of_the_size_of_the_limit_is_built():
    X = features(10)
    assert MDS(memory_limit=800).fit(X).dissimilarity_matrix_ is not None
    assert MDS(memory_limit=799).fit(X).dissimilarity_matrix_ is None
    X = X.astype(np.float32)
    assert MDS(memory_limit=400).fit(X).dissimilarity_matrix_ is not None
    assert MDS(memory_limit=399).fit(X).dissimilarity_matrix_ is None


def test_auto_is_half_of_what_is_available(tmp_path, monkeypatch):
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemTotal:  900 kB\nMemFree:  1 kB\nMemAvailable:     2 kB\n")
    monkeypatch.setattr(solver, "MEMINFO", meminfo)
    assert solver.available_memory() == 2048
    assert solver.fits(1024, "auto")
    assert not solver.fits(1025, "auto")
    monkeypatch.setattr(solver, "MEMINFO", tmp_path / "none")
    monkeypatch.setattr(solver.os, "sysconf", {"SC_AVPHYS_PAGES": 3, "SC_PAGE_SIZE": 10}.get)
    assert solver.available_memory() == 30
    monkeypatch.delattr(solver.os, "sysconf")
    assert solver.available_memory() is None
    assert solver.fits(1e30, "auto")


def test_no_table_is_made_anywhere(monkeypatch):
    monkeypatch.setattr(table, "TILE", 2**16)
    X = features(2000, k=9, dtype=np.float32)

    def fit():
        with pytest.warns(UserWarning, match="sweeps"):
            MDS(memory_limit=0, max_iter=2, n_init=1).fit(X)

    assert most_allocated(fit) < 0.6 * 4 * 2000**2


@pytest.mark.slow
def test_the_process_needs_no_table_either():
    script = """
X = np.random.default_rng(0).normal(size=(6000, 5))
print(peak_of(lambda: MDS(memory_limit=0, max_iter=2, random_state=0).fit(X)) / (8 * 6000**2))
"""
    assert peak(script) < 0.4
