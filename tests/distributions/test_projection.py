"""Random projections from sphere to sphere as an estimator, and the measure of their distortion."""

import pickle
import tracemalloc

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy import stats
from scipy.spatial.distance import squareform
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline

from tests.support.by_hand import unit_vectors
from tests.support.sparse import SPARSE, failed_checks, forbid_dense, unchanged, untidy
from unimds import (
    HellingerMap,
    SphericalRandomProjection,
    angular_distortion,
    spherical_jl_min_dim,
)
from unimds.distributions import distortion
from unimds.distributions.projection import PROJECTIONS
from unimds.distributions.unit_rows import _chunks, angles, row_lengths, unit_rows


@pytest.fixture(scope="module")
def points():
    """Half of the entries are zero, so that a sparse table has something to leave out."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(30, 60)) * (rng.random((30, 60)) < 0.5)


@pytest.fixture(params=PROJECTIONS)
def jl(request):
    return SphericalRandomProjection(20, method=request.param, random_state=0)


# --- the estimator -------------------------------------------------------------------------------


@pytest.mark.parametrize("method", PROJECTIONS)
def test_scikit_learn_checks(method):
    """Only a check with rows of zeros fails, and for that reason: they have no direction."""
    failed = failed_checks(SphericalRandomProjection(2, method=method, random_state=0))
    assert set(failed) <= {"check_estimators_dtypes"}
    for said in failed.values():
        assert "is all zero and has no direction" in said


def test_rows_are_unit_vectors_of_the_projection(points, jl):
    image = jl.fit_transform(points)
    assert image.shape == (30, 20) == (30, jl.n_components_)
    np.testing.assert_allclose(np.linalg.norm(image, axis=1), 1.0, rtol=1e-14)
    basis = jl.components_.toarray() if sp.issparse(jl.components_) else jl.components_
    plain = points @ basis.T
    plain /= np.linalg.norm(plain, axis=1, keepdims=True)
    np.testing.assert_allclose(image, plain, atol=1e-14)
    assert angular_distortion(points, image).mean < 0.2


@pytest.mark.parametrize("kind", SPARSE)
def test_sparse_and_dense_input_agree(points, jl, kind):
    dense = jl.fit_transform(points)
    sparse = clone(jl).fit_transform(kind(points))
    assert isinstance(sparse, np.ndarray)
    np.testing.assert_allclose(sparse, dense, atol=1e-14)


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_matrix])
def test_sparse_input_is_never_made_dense(monkeypatch, points, jl, kind):
    table = kind(points)
    expected = clone(jl).fit(points).transform(points)
    forbid_dense(monkeypatch, 60)
    with pytest.raises(AssertionError, match="became dense"):
        table.todense()
    np.testing.assert_allclose(jl.fit(table).transform(table), expected, atol=1e-14)


@pytest.mark.parametrize("kind", SPARSE)
def test_a_callers_table_is_never_changed(points, jl, kind):
    """Entries in any order, and some in two parts, are added up in a copy."""
    image = clone(jl).fit_transform(points)
    table = untidy(points, kind)
    assert not table.has_sorted_indices
    with unchanged(table):
        np.testing.assert_allclose(jl.fit(table).transform(table), image, atol=1e-14)
    with unchanged(table):
        change = angular_distortion(table, image)
    assert change.largest == pytest.approx(angular_distortion(points, image).largest, rel=1e-12)


def test_a_dense_table_is_never_changed(points, jl):
    """Unit rows are made in place, but only of the projection."""
    table = points * 1e300
    before = table.copy()
    image = jl.fit_transform(table)
    jl.inverse_transform(image)
    angular_distortion(table, image)
    np.testing.assert_array_equal(table, before)
    np.testing.assert_array_equal(image, jl.transform(table))


def test_memory_follows_the_entries():
    """2,000 documents of 50,000 terms would take 800 MB as a dense table."""
    rng = np.random.default_rng(0)
    n, d, words = 2000, 50_000, 40
    places = (np.repeat(np.arange(n), words), rng.integers(d, size=n * words))
    table = sp.csr_array((np.ones(n * words), places), shape=(n, d))
    tracemalloc.start()
    image = SphericalRandomProjection(200, method="sparse", random_state=0).fit_transform(table)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert image.shape == (n, 200)
    assert peak < 8 * n * d / 20


def test_float32_stays_float32(points, jl):
    image = jl.fit_transform(points.astype(np.float32))
    assert image.dtype == jl.components_.dtype == np.float32
    np.testing.assert_allclose(image, clone(jl).fit_transform(points), atol=1e-5)
    table = sp.csr_array(points.astype(np.float32))
    assert jl.transform(table).dtype == np.float32
    assert jl.inverse_transform(image).dtype == np.float32
    assert jl.transform(points).dtype == np.float64


@pytest.mark.parametrize("length", [1e-200, 1e-161, 1e-158, 1e-3, 1e3, 1e200])
def test_the_length_of_a_row_does_not_matter(points, jl, length):
    """Not even where squares underflow, wholly or in part, or overflow."""
    expected = jl.fit_transform(points)
    for table in (points * length, sp.csr_array(points * length)):
        np.testing.assert_allclose(jl.transform(table), expected, rtol=0, atol=1e-14)
        np.testing.assert_allclose(np.linalg.norm(jl.transform(table), axis=1), 1.0, rtol=1e-14)
    assert angular_distortion(points * length, points).largest <= 1e-12


@pytest.mark.parametrize(("dtype", "length"), [(np.float64, 1.6e308), (np.float32, 3e38)])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, sp.csc_array])
def test_rows_whose_products_would_overflow(jl, dtype, length, kind):
    """They are brought to size before they are projected."""
    jl.fit(np.zeros((1, 60), dtype=dtype))
    basis = jl.components_.toarray() if sp.issparse(jl.components_) else jl.components_
    row = (basis[:1] > 0).astype(dtype)
    assert np.sum(basis[0], where=basis[0] > 0) > np.finfo(dtype).max / length
    image = jl.transform(kind(row * dtype(length)))
    tolerance = 1e-14 if dtype is np.float64 else 1e-5
    np.testing.assert_allclose(image, jl.transform(kind(row)), atol=tolerance)


def test_rows_too_short_to_divide_by(points):
    """One over a subnormal number is no number."""
    assert angular_distortion(points * 1e-310, points).largest <= 1e-9


@pytest.mark.parametrize("power", [-1000, -600, 600, 1020])
def test_powers_of_two_change_no_digit(points, jl, power):
    """Rows are brought to size by such powers, so that nothing is rounded."""
    jl.fit(points)
    once = np.ldexp(points, power)
    np.testing.assert_array_equal(jl.transform(once), jl.transform(points))
    some = np.where(np.arange(30)[:, None] % 3, points, once)  # other rows stay as they are
    np.testing.assert_array_equal(jl.transform(some), jl.transform(points))
    np.testing.assert_array_equal(
        jl.transform(sp.csr_array(once)), jl.transform(sp.csr_array(points))
    )


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, sp.csc_array])
def test_lengths_of_float32_rows_are_summed_in_double_precision(kind):
    """A sum of 400,000 squares in single precision would lose its last four digits."""
    rows = np.random.default_rng(0).uniform(0.5, 1.0, size=(2, 400_000)).astype(np.float32)
    expected = np.linalg.norm(rows.astype(float), axis=1)
    found = row_lengths(kind(rows))
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    unit = unit_rows(kind(rows), "rows")
    assert unit.dtype == np.float32
    np.testing.assert_allclose(row_lengths(unit), 1.0, rtol=1e-7)


def test_float32_rows_of_any_length(points):
    jl = SphericalRandomProjection(20, random_state=0).fit(points)
    table = points.astype(np.float32)
    for length in (1e-38, 1e-30, 1e-22, 1e-20, 1e30):
        np.testing.assert_allclose(
            jl.transform(table * np.float32(length)), jl.transform(table), atol=1e-5
        )


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, sp.csc_array])
def test_a_row_of_zeros_is_named(points, jl, kind):
    table = points.copy()
    table[[7, 9]] = 0.0
    jl.fit(kind(table))  # only the shape counts
    with pytest.raises(ValueError, match=r"^X: row 7 is all zero .* \(2 of 30 rows are empty\)"):
        jl.transform(kind(table))


def test_a_row_that_a_sparse_projection_loses():
    """One entry may meet zeros only; the row is not at fault, and the message says so."""
    jl = SphericalRandomProjection(2, method="sparse", random_state=0).fit(np.zeros((1, 400)))
    lost = np.flatnonzero(np.diff(jl.components_.tocsc().indptr) == 0)[0]
    with pytest.raises(
        ValueError,
        match=r'the projection of X: row 0 .* raise density, or use method="gaussian"',
    ):
        jl.transform(np.eye(400)[[lost]])
    denser = clone(jl).set_params(density=1.0).fit(np.zeros((1, 400)))
    assert denser.transform(np.eye(400)[[lost]]).shape == (1, 2)


@pytest.mark.parametrize("method", ["subspace", "gaussian"])
def test_a_row_that_another_projection_loses(method):
    """As good as impossible; then the message does not speak of sparse projections."""
    jl = SphericalRandomProjection(2, method=method, random_state=0).fit(np.zeros((1, 40)))
    jl.components_[:, 3] = 0.0
    with pytest.raises(ValueError, match=r"row 0 .* another random_state keeps it") as error:
        jl.transform(np.eye(40)[[3]])
    assert "sparse" not in str(error.value)


@pytest.mark.parametrize(("density", "share"), [("auto", 0.02), (0.3, 0.3), (1.0, 1.0)])
def test_the_density_of_a_sparse_projection(density, share):
    jl = SphericalRandomProjection(50, method="sparse", density=density, random_state=0)
    components = jl.fit(np.zeros((1, 2500))).components_
    dense = components.toarray() if sp.issparse(components) else components
    assert np.count_nonzero(dense) == pytest.approx(share * dense.size, rel=0.05)


def test_the_basis_of_a_subspace_is_orthonormal(points):
    jl = SphericalRandomProjection(20, random_state=0).fit(points)
    np.testing.assert_allclose(jl.components_ @ jl.components_.T, np.eye(20), atol=1e-14)


@pytest.mark.parametrize("direction", ["axis", "diagonal"])
def test_the_subspace_has_no_preferred_direction(direction):
    """The squared length of any unit vector's projection is Beta(m/2, (d − m)/2)."""
    d, m = 12, 5
    vector = np.eye(d)[3] if direction == "axis" else np.full(d, d**-0.5)
    shares = []
    for seed in range(500):
        basis = SphericalRandomProjection(m, random_state=seed).fit(vector[None]).components_
        shares.append(np.sum((basis @ vector) ** 2))
    assert stats.kstest(shares, stats.beta(m / 2, (d - m) / 2).cdf).pvalue > 0.01


@pytest.mark.parametrize("n_components", [60, 61, "auto"])
def test_as_many_dimensions_as_before_keep_all_angles(points, n_components):
    jl = SphericalRandomProjection(n_components, random_state=0)
    with pytest.warns(UserWarning, match="not fewer than the 60 .* only rotated; raise eps, set"):
        image = jl.fit_transform(points)
    assert image.shape == (30, 60) == (30, jl.n_components_)
    assert len(jl.get_feature_names_out()) == 60
    assert angular_distortion(points, image).largest <= 1e-13


@pytest.mark.parametrize("method", ["gaussian", "sparse"])
@pytest.mark.parametrize("n_components", [60, 61, "auto"])
def test_more_dimensions_than_before_earn_one_warning(points, method, n_components):
    """Ours, with what to do; scikit-learn's would be the second."""
    jl = SphericalRandomProjection(n_components, method=method, random_state=0)
    with pytest.warns(UserWarning, match="dimensions") as warned:
        image = jl.fit_transform(points)
    asked = spherical_jl_min_dim(30) if n_components == "auto" else n_components
    assert [str(w.message) for w in warned] == [
        f"{asked} dimensions are not fewer than the 60 dimensions of the points: the projection "
        "saves nothing; raise eps, set a smaller n_components, or skip the projection"
    ]
    assert warned[0].filename == __file__
    assert image.shape == (30, asked)


def test_auto_takes_what_the_rows_need():
    jl = SphericalRandomProjection(eps=0.3, delta=0.5, random_state=0).fit(np.zeros((10, 400)))
    assert jl.n_components_ == spherical_jl_min_dim(10, 0.3, 0.5) == len(jl.components_)


def test_inverse_transform_is_a_right_inverse(jl):
    """Points of the small sphere come back, and the points found are unit vectors."""
    jl.fit(np.zeros((1, 60)))
    image = unit_vectors(15, 20)
    origin = jl.inverse_transform(image)
    assert origin.shape == (15, 60)
    np.testing.assert_allclose(np.linalg.norm(origin, axis=1), 1.0, rtol=1e-13)
    np.testing.assert_allclose(jl.transform(origin), image, atol=1e-12)


def test_inverse_transform_keeps_angles_of_a_subspace():
    jl = SphericalRandomProjection(20, random_state=0).fit(np.zeros((1, 60)))
    image = unit_vectors(15, 20)
    assert angular_distortion(jl.inverse_transform(image), image).largest <= 1e-12


def test_inverse_transform_of_bad_input(jl):
    with pytest.raises(NotFittedError):
        jl.inverse_transform(unit_vectors(15, 20))
    jl.fit(np.zeros((1, 60)))
    with pytest.raises(ValueError, match="X has 19 columns, but the small sphere has 20"):
        jl.inverse_transform(unit_vectors(15, 19))
    with pytest.raises(ValueError, match="Input X contains NaN"):
        jl.inverse_transform(np.full((1, 20), np.nan))
    with pytest.raises(ValueError, match="X: row 1 is all zero"):
        jl.inverse_transform(np.eye(20)[:2] * [[1.0], [0.0]])
    assert jl.inverse_transform(np.eye(20, dtype=int).tolist()).shape == (20, 60)


def test_the_seed_decides(points, jl):
    one, same = jl.fit_transform(points), clone(jl).fit_transform(points)
    np.testing.assert_array_equal(one, same)
    other = clone(jl).set_params(random_state=1).fit_transform(points)
    assert np.abs(other - one).max() > 0.1


def test_clone_and_pickle(points, jl):
    assert clone(jl).get_params() == jl.get_params()
    jl.fit(points)
    again = pickle.loads(pickle.dumps(jl))
    np.testing.assert_allclose(again.transform(points), jl.transform(points), atol=1e-15)


def test_data_frames(points):
    frame = pd.DataFrame(points, index=[f"r{i}" for i in range(30)]).add_prefix("f")
    jl = SphericalRandomProjection(3, random_state=0).set_output(transform="pandas")
    out = jl.fit_transform(frame)
    names = [f"sphericalrandomprojection{i}" for i in range(3)]
    assert list(out.columns) == names == list(jl.get_feature_names_out())
    assert list(out.index) == list(frame.index)
    assert list(jl.feature_names_in_) == list(frame.columns)
    plain = SphericalRandomProjection(3, random_state=0).fit_transform(points)
    np.testing.assert_allclose(out, plain, atol=1e-15)


def test_in_a_pipeline():
    texts = ["sun and sea", "sea and wind", "cold wind", "sun", "snow and cold wind"]
    pipe = make_pipeline(CountVectorizer(), HellingerMap(), SphericalRandomProjection(3))
    image = pipe.fit_transform(texts)
    np.testing.assert_allclose(np.linalg.norm(image, axis=1), 1.0)
    np.testing.assert_allclose(pipe.transform(texts[2:3]), image[2:3], atol=1e-14)


@pytest.mark.parametrize(
    "bad",
    [
        {"n_components": 0},
        {"eps": 1.0},
        {"delta": 0.0},
        {"method": "fourier"},
        {"density": 0.0},
        {"density": 1.1},
        {"density": "some"},
    ],
)
def test_bad_parameters(points, bad):
    with pytest.raises(ValueError, match=f"The '{next(iter(bad))}' parameter"):
        SphericalRandomProjection(**bad).fit(points)


# --- distortion ----------------------------------------------------------------------------------


def exact_angles(X):
    """By the arc cosine, in extended precision where the platform has it."""
    X = np.asarray(X, dtype=np.longdouble)
    X = X / np.sqrt(np.sum(X * X, axis=1, keepdims=True))
    return np.arccos(np.clip(X @ X.T, -1, 1))[np.triu_indices(len(X), 1)].astype(float)


@pytest.fixture(scope="module")
def mapped():
    before = unit_vectors(60, 40)
    return before, SphericalRandomProjection(8, random_state=0).fit_transform(before)


def test_distortion_by_brute_force(mapped):
    before, after = mapped
    ratio = exact_angles(after) / exact_angles(before)
    error = np.abs(ratio - 1)
    change = angular_distortion(before, 3.0 * after)
    assert change.n_pairs == 60 * 59 // 2 == ratio.size
    assert change.largest == pytest.approx(error.max(), rel=1e-12)
    assert change.mean == pytest.approx(error.mean(), rel=1e-12)
    assert change.rms == pytest.approx(np.sqrt(np.mean(error**2)), rel=1e-12)
    assert change.lowest == pytest.approx(ratio.min(), rel=1e-12)
    assert change.highest == pytest.approx(ratio.max(), rel=1e-12)
    assert change.worst_pair == divmod(int(squareform(error).argmax()), 60)
    assert change.counts.sum() == ratio.size


def test_no_constant_does_better(mapped):
    change = angular_distortion(*mapped)
    ratio = exact_angles(mapped[1]) / exact_angles(mapped[0])
    errors = [np.abs(c * ratio - 1).max() for c in np.linspace(0.3, 3.0, 20_001)]
    assert np.abs(change.constant * ratio - 1).max() == pytest.approx(change.distortion, rel=1e-12)
    assert change.distortion <= min(errors) <= change.distortion + 1e-3
    assert change.distortion < change.largest  # c = 1 is not the best here


@pytest.mark.parametrize("share", [0.0, 0.01, 0.25, 0.5, 0.9, 0.999, 1.0])
def test_quantiles_to_half_a_percent(mapped, share):
    ratio = exact_angles(mapped[1]) / exact_angles(mapped[0])
    expected = np.quantile(ratio, share, method="inverted_cdf")
    assert angular_distortion(*mapped).quantile(share) == pytest.approx(expected, rel=0.005)


def test_quantiles_of_no_share(mapped):
    for share in (-0.1, 1.1, np.nan):
        with pytest.raises(ValueError, match="must lie between 0 and 1"):
            angular_distortion(*mapped).quantile(share)


@pytest.mark.parametrize("rows", [1, 7, 59])
def test_blocks_change_nothing(monkeypatch, mapped, rows):
    whole = angular_distortion(*mapped)
    monkeypatch.setattr(distortion, "BLOCK_BYTES", rows * 8 * 60)
    parts = angular_distortion(*mapped)
    for name in ("largest", "mean", "rms", "lowest", "highest", "constant", "distortion"):
        assert getattr(parts, name) == pytest.approx(getattr(whole, name), rel=1e-12)
    assert (parts.worst_pair, parts.n_pairs) == (whole.worst_pair, whole.n_pairs)
    np.testing.assert_array_equal(parts.counts, whole.counts)


@pytest.mark.parametrize("kind", SPARSE)
def test_distortion_of_sparse_tables(monkeypatch, points, kind):
    image = SphericalRandomProjection(20, random_state=0).fit_transform(points)
    dense, table = angular_distortion(points, image), kind(points)
    forbid_dense(monkeypatch, 60)
    sparse = angular_distortion(table, image)
    assert sparse.largest == pytest.approx(dense.largest, rel=1e-12)
    assert sparse.worst_pair == dense.worst_pair


def test_near_points_are_measured_accurately():
    """Angles of 1e-9 between three neighbours; the arc cosine would see none of them."""
    near = np.array([[1.0, 0.0, 0.0], [1.0, 1e-9, 0.0], [1.0, 0.0, 1e-9]])
    change = angular_distortion(near, near * [1.0, 2.0, 3.0])
    assert change.n_pairs == 3
    assert (change.lowest, change.highest) == pytest.approx((2.0, 3.0), rel=1e-7)
    assert change.worst_pair == (0, 2)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("gap", [1e-2, 1e-5, 1e-9, 0.0])
def test_antipodes_are_measured_accurately(gap, kind):
    """Half a chord of nearly 1 has an arc sine of eight digits only."""
    A, B = kind([[1.0, 0.0, 0.0]]), kind([[-np.cos(gap), np.sin(gap), 0.0]])
    assert np.pi - angles(A, B)[0, 0] == pytest.approx(gap, abs=1e-15)


@pytest.mark.parametrize("gap", [1e-4, 1e-7])
def test_distortion_of_antipodes(gap):
    """Two points almost opposite, which the map makes opposite: the ratio is π/(π − gap)."""
    change = angular_distortion(
        [[1.0, 0.0], [-np.cos(gap), np.sin(gap)]], [[1.0, 0.0], [-1.0, 0.0]]
    )
    assert change.highest - 1.0 == pytest.approx(gap / (np.pi - gap), abs=1e-15)


@pytest.mark.parametrize("sparse", [False, True])
def test_near_rows_are_compared_a_few_at_a_time(sparse):
    """As many as fit, by the entries that are stored: a wide sparse table does not need more."""
    n, d, entries = 300, 2**20 if sparse else 2**12, 4
    where = np.random.default_rng(0).random((n, n)) < 0.5
    table = np.ones((n, entries if sparse else d))
    if sparse:
        table = sp.csr_array(table)
        table.resize(n, d)
    parts = list(_chunks(where, table))
    together = np.zeros((n, n), dtype=int)
    for i, j in parts:
        together[i, j] += 1
    np.testing.assert_array_equal(together, where)
    stored = entries if sparse else d
    assert max(len(i) for i, _ in parts) * stored <= 2**22
    assert len(parts) == -(-where.sum() * stored // 2**22)


@pytest.mark.parametrize("factor", [1.0, 2.0, 3.0, 7.0])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_points_of_one_direction_are_left_out(points, factor, kind):
    """Dividing by the length rounds, and 1e-16 over 1e-16 says nothing."""
    image = SphericalRandomProjection(20, random_state=0).fit_transform(points)
    change = angular_distortion(
        kind(np.vstack([points, factor * points])), np.vstack([image, image])
    )
    assert change.n_pairs == 60 * 59 // 2 - 30
    assert change.largest == pytest.approx(angular_distortion(points, image).largest, rel=1e-9)


@pytest.mark.parametrize("n", [1, 2])
def test_equal_points_have_no_distortion(n):
    change = angular_distortion(np.ones((n, 3)), np.ones((n, 2)))
    assert (change.n_pairs, change.largest, change.distortion, change.constant) == (0, 0, 0, 1)
    assert change.quantile(0.5) == 1.0


def test_two_points():
    change = angular_distortion([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [1.0, 1.0]])
    assert change.largest == pytest.approx(0.5)
    assert (change.worst_pair, change.n_pairs, change.distortion) == ((0, 1), 1, 0.0)
    assert change.constant == pytest.approx(2.0)


def test_points_that_fall_together():
    change = angular_distortion(np.eye(3), np.ones((3, 2)))
    assert (change.largest, change.lowest, change.highest) == (1.0, 0.0, 0.0)
    assert (change.constant, change.distortion) == (1.0, 1.0)


def test_distortion_of_bad_input(points):
    with pytest.raises(
        ValueError, match="there are 30 original points and 29 projected points: pass"
    ):
        angular_distortion(points, points[:29])
    with pytest.raises(ValueError, match="the projected points: row 1 is all zero"):
        angular_distortion(points[:2], [[1.0, 0.0], [0.0, 0.0]])
    with pytest.raises(ValueError, match=r"Input \(the original points\) contains NaN"):
        angular_distortion([[np.nan, 1.0]], [[1.0, 1.0]])


def test_which_points_are_which_is_said_by_their_order(points):
    """Elsewhere X are the points before: names would only mislead."""
    with pytest.raises(TypeError, match="positional-only"):
        angular_distortion(X=points, Y=points)
