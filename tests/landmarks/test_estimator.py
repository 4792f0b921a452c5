"""Maps of very many points: landmarks, placements, refinement, and what is said of the cost."""

import pickle
import tracemalloc
from dataclasses import dataclass
from math import log1p

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import make_blobs, make_swiss_roll
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.support.parts import slow
from unimds import (
    MDS,
    Absolute,
    Euclidean,
    Hyperbolic,
    LandmarkMDS,
    Loss,
    Sphere,
    Squared,
)
from unimds._runtime.watch import Progress
from unimds.datasets import corrupt
from unimds.distances.metric import Metric
from unimds.distances.table import ComputedTable, HeldTable
from unimds.landmarks import cost, estimator, place
from unimds.landmarks.choose import choose
from unimds.landmarks.cost import PairSample
from unimds.placecenter.frame import Frame
from unimds.quality import recovery_error, stress_1, total_cost
from unimds.spaces import distances

SILENT = Progress(0, "")
EUCLIDEAN = Metric("euclidean", {})


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr(place, "ENTRIES", 5000)


def blobs(n=1500, d=8):
    return make_blobs(n, d, centers=6, random_state=0)[0]


def roll(n=1500):
    return make_swiss_roll(n, noise=0.5, random_state=0)[0]


@pytest.fixture(scope="module")
def plane():
    """Points of the plane, turned into five dimensions: a map can be perfect."""
    rng = np.random.default_rng(0)
    points = rng.normal(size=(600, 2))
    return points, points @ np.linalg.qr(rng.normal(size=(5, 2)))[0].T


def landmark_mds(**params):
    return LandmarkMDS(**{"n_landmarks": 60, "n_init": 1, "random_state": 0, **params})


# --- the map ----------------------------------------------------------------------------------


@pytest.mark.parametrize("landmarks", ["farthest", "random"])
@pytest.mark.parametrize("refine", [0, 5])
def test_exact_data_are_met(plane, landmarks, refine):
    points, X = plane
    mds = landmark_mds(landmarks=landmarks, refine=refine).fit(X)
    assert recovery_error(mds.embedding_, points) < 1e-3
    assert mds.stress_ < 1e-3


@pytest.mark.sample(1)
@pytest.mark.parametrize("loss", ["squared", slow("absolute")])
@pytest.mark.parametrize("data", [blobs, roll])
def test_refinement_comes_nearer_to_the_full_fit(data, loss):
    X = data()
    D = EUCLIDEAN.between(X)
    full = MDS(loss=loss, metric="precomputed", eps=1e-5, random_state=0).fit(D).cost_
    rough, fine = (
        total_cost(
            D,
            landmark_mds(n_landmarks=200, loss=loss, refine=refine).fit(X).embedding_,
            loss=loss,
        )
        for refine in (0, 20)
    )
    assert fine < rough
    assert fine < 1.03 * full


def test_refinement_mends_what_landmarks_at_the_rim_have_done():
    """In ten dimensions the farthest points lie at the rim, and do not stand for the others."""
    X = np.random.default_rng(0).normal(size=(1500, 10))
    D = EUCLIDEAN.between(X)
    rough, fine, random = (
        total_cost(D, landmark_mds(n_landmarks=100, **how).fit_transform(X))
        for how in ({"refine": 0}, {}, {"refine": 0, "landmarks": "random"})
    )
    assert rough > 1.2 * random
    assert fine < random


@pytest.mark.slow
@pytest.mark.parametrize("space", [Sphere("auto"), Hyperbolic(0.01)])
@pytest.mark.parametrize("loss", ["squared", "absolute", "squared_distance", "huber"])
def test_refinement_on_other_spaces(space, loss):
    X = blobs(1500, 8)
    D = EUCLIDEAN.between(X)
    runs = [landmark_mds(loss=loss, space=space, refine=refine).fit(X) for refine in (0, 20)]
    rough, fine = (total_cost(D, m.embedding_, loss=m.loss_, space=m.space_) for m in runs)
    assert fine < rough


@pytest.mark.slow
def test_a_loss_and_a_space_of_ones_own():
    @dataclass(frozen=True)
    class Cauchy(Loss):
        def value(self, u, r):
            return log1p((u - r) ** 2)

        def weight(self, u, r):
            return 1.0 / (1.0 + (u - r) ** 2)

    @dataclass(frozen=True)
    class Shy(Euclidean):
        def unit_step_descends(self):
            return False

    X = blobs(800)
    D = EUCLIDEAN.between(X)
    runs = [landmark_mds(loss=Cauchy(), space=Shy(), refine=r).fit(X) for r in (0, 10)]
    rough, fine = (total_cost(D, m.embedding_, loss=Cauchy(), space=Shy()) for m in runs)
    assert fine < rough


def test_noisy_refinement_is_not_taken(plane):
    """Two others tell nothing: points would fly about."""
    D = EUCLIDEAN.between(plane[1])
    D += 0.3 * np.abs(np.subtract.outer(plane[0][:, 0], plane[0][:, 0]))  # does not fit the plane
    rough, fine = (
        total_cost(
            D,
            landmark_mds(
                n_landmarks=300, refine=refine, sample_size=2, metric="precomputed"
            ).fit_transform(D),
        )
        for refine in (0, 2)
    )
    assert fine <= rough


@pytest.mark.slow
def test_corrupted_distances(plane):
    points, X = plane
    D, _ = corrupt(distances(X), 0.1, rng=0)
    mds = landmark_mds(loss="absolute", metric="precomputed", n_landmarks=100).fit(D)
    assert recovery_error(mds.embedding_, points) < 1e-2
    plain = landmark_mds(metric="precomputed", n_landmarks=100).fit(D)
    assert recovery_error(plain.embedding_, points) > 2e-2


def test_few_points_are_fitted_in_full():
    X = blobs(60)
    mds, full = landmark_mds(n_init="auto").fit(X), MDS(random_state=0).fit(X)
    np.testing.assert_allclose(mds.embedding_, full.embedding_, atol=1e-6)
    assert mds.cost_ == pytest.approx(full.cost_)
    assert mds.stress_ == pytest.approx(full.stress_)
    assert mds.cost_error_ == mds.stress_error_ == 0.0
    np.testing.assert_array_equal(mds.landmarks_, np.arange(60))


def test_attributes():
    X = blobs(400)
    mds = landmark_mds(refine=3).fit(X)
    assert mds.embedding_.shape == (400, 2)
    assert len(set(mds.landmarks_.tolist())) == 60
    assert mds.landmark_result_.embedding.shape == (60, 2)
    assert mds.n_iter_ == mds.landmark_result_.n_iter >= 1
    assert mds.n_features_in_ == 8
    assert (mds.loss_, mds.space_) == (mds.landmark_result_.loss, mds.landmark_result_.space)
    assert set(mds.seconds_) >= {"choosing landmarks", "placing points", "refining"}


@pytest.mark.slow
def test_the_size_of_a_sphere_is_found():
    points = Sphere(5.0).random(400, 2, 7.0, np.random.default_rng(0))
    D = distances(points, space=Sphere(5.0))
    mds = landmark_mds(space=Sphere("auto"), metric="precomputed", refine=2).fit(D)
    assert mds.space_.radius == pytest.approx(5.0, rel=1e-3)
    assert mds.stress_ < 1e-2


@pytest.mark.parametrize("factor", [1e-40, 1e40])
def test_the_unit_of_length_does_not_matter(plane, factor):
    one, other = (landmark_mds(refine=2).fit(X) for X in (plane[1], plane[1] * factor))
    np.testing.assert_allclose(other.embedding_ / factor, one.embedding_, atol=1e-4)
    assert other.stress_ == pytest.approx(one.stress_, abs=1e-5)


@pytest.mark.usefixtures("threads_of_blas")
@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_same_seed_same_bits_on_any_threads(small_chunks, metric):
    X = blobs(400)
    X = X if metric == "euclidean" else distances(X)
    mds = landmark_mds(metric=metric, refine=3, sample_size=50)
    runs = [clone(mds).set_params(n_jobs=n_jobs).fit(X) for n_jobs in (1, 2, 3)]
    for run in runs[1:]:
        np.testing.assert_array_equal(run.embedding_, runs[0].embedding_)
        assert run.cost_ == runs[0].cost_


def test_placements_do_not_depend_on_the_chunks(monkeypatch):
    D = distances(blobs(400))
    whole = landmark_mds(metric="precomputed", refine=0).fit_transform(D)
    monkeypatch.setattr(place, "ENTRIES", 1000)
    np.testing.assert_array_equal(
        landmark_mds(metric="precomputed", refine=0).fit_transform(D), whole
    )


def test_unrefined_landmarks_are_where_their_fit_put_them():
    mds = landmark_mds(refine=0).fit(blobs(300))
    np.testing.assert_allclose(
        mds.embedding_[mds.landmarks_], mds.landmark_result_.embedding, rtol=1e-12
    )


def test_a_share_of_the_way():
    frame = Frame.make(Squared(), Euclidean(), 1.0)
    P, Q = np.zeros((2, 1)), np.array([[4.0], [8.0]])
    way = frame.extrapolate(Q, P, 0.25 - 1.0, np.ones(1, dtype=bool))
    np.testing.assert_allclose(way, [[1.0], [2.0]])


def test_the_seed_of_the_landmarks_may_be_given(plane):
    points, X = plane
    mds = landmark_mds(init=points, refine=0).fit(X)
    np.testing.assert_allclose(mds.embedding_, points, atol=1e-3)
    with pytest.raises(ValueError, match="init must have a row for each of the 600 points"):
        landmark_mds(init=points[:60]).fit(X)


# --- the landmarks ------------------------------------------------------------------------------


def test_farthest_landmarks_are_spread_out():
    X = blobs(800)
    gaps = {}
    for how in ("farthest", "random"):
        table = ComputedTable(X, EUCLIDEAN, X.dtype)
        found = choose(table, 20, how, np.random.default_rng(0), SILENT)
        apart = distances(X[found])
        gaps[how] = apart[~np.eye(20, dtype=bool)].min()
    assert gaps["farthest"] > 2.0 * gaps["random"]


def test_every_far_point_is_a_landmark():
    X = np.zeros((50, 2))
    X[[3, 17, 40]] = [[9.0, 0.0], [0.0, 9.0], [-9.0, -9.0]]
    table = ComputedTable(X, EUCLIDEAN, X.dtype)
    found = choose(table, 5, "farthest", np.random.default_rng(0), SILENT)
    assert {3, 17, 40} <= set(found.tolist())
    assert len(set(found.tolist())) == 5  # the others coincide, and are none twice


# --- the cost ------------------------------------------------------------------------------------


@pytest.mark.parametrize("holes", [False, True])
def test_estimates_are_right_within_their_errors(holes):
    """Over many samples: unbiased, with errors of the size that is said."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5))  # few, so that it matters that a point is no pair with itself
    D = EUCLIDEAN.between(X)
    if holes:
        i, j = rng.integers(60, size=(2, 400))
        D[i, j] = D[j, i] = np.nan
        np.fill_diagonal(D, 0.0)
    Y = X[:, :2]
    cost, stress = total_cost(D, Y), stress_1(D, Y)
    found = [
        PairSample(HeldTable(D[:, None]), np.random.default_rng(seed), 1.0, SILENT).estimate(
            np.ascontiguousarray(Y.T), Squared(), Euclidean()
        )
        for seed in range(60)
    ]
    for z in (
        np.array([(one.cost - cost) / one.error for one in found]),
        np.array([(one.stress - stress) / one.stress_error for one in found]),
    ):
        assert np.count_nonzero(np.abs(z) <= 3.0) >= 59
        assert abs(z.mean()) <= 3.0 / 60**0.5
        assert 0.75 <= z.std() <= 1.3


@pytest.mark.parametrize("blocks", [1, 200], ids=["block by block", "at once"])
def test_no_pair_of_few_points_is_measured_again_for_each_place_in_the_sample(monkeypatch, blocks):
    """A sample may have many more pairs than there are; its distances are those of the table."""
    monkeypatch.setattr(cost, "BLOCKS", blocks)
    X, measured = np.random.default_rng(0).normal(size=(20, 3)), 0

    def cityblock(x, y):
        nonlocal measured
        measured += 1
        return np.abs(x - y).sum()

    table = ComputedTable(X, Metric(cityblock, {}), np.float64)
    sample = PairSample(table, np.random.default_rng(0), 2.0, SILENT)
    assert measured <= 20**2
    rows, columns = sample.rows[:, :, None], sample.columns[:, None, :]
    want = np.where(rows == columns, np.nan, 2.0 * np.abs(X[rows] - X[columns]).sum(axis=-1))
    np.testing.assert_allclose(sample.D, want)


@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_cost_and_stress_of_a_fit(loss):
    X = blobs(500)
    D = EUCLIDEAN.between(X)
    mds = landmark_mds(loss=loss, refine=3).fit(X)
    assert 0.0 < mds.cost_error_ < 0.1 * mds.cost_
    assert abs(mds.cost_ - total_cost(D, mds.embedding_, loss=loss)) <= 4.0 * mds.cost_error_
    assert abs(mds.stress_ - stress_1(D, mds.embedding_)) <= 4.0 * mds.stress_error_


# --- new points ----------------------------------------------------------------------------------


def test_new_points(plane, small_chunks):
    points, X = plane
    mds = landmark_mds().fit(X[:500])
    both = np.vstack([mds.embedding_, mds.transform(X[500:])])
    assert recovery_error(both, points) < 1e-3


@pytest.mark.sample(1)
@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_new_points_lie_where_the_map_has_their_like(metric):
    """Landmarks lie far out: placed against them, points that do not fit gather in the middle."""
    X = np.random.default_rng(0).normal(size=(900, 10))
    table = X if metric == "euclidean" else distances(X)
    mds = landmark_mds(n_landmarks=60, refine=10, metric=metric).fit(table)
    placed = mds.transform(table)
    spread, spread_placed = (np.sqrt((map_**2).sum() / 900) for map_ in (mds.embedding_, placed))
    assert spread_placed == pytest.approx(spread, rel=0.1)
    assert np.median(np.linalg.norm(placed - mds.embedding_, axis=1)) < 0.2 * spread
    far = mds.transform(distances(X, X[mds.landmarks_]) if metric == "precomputed" else X)
    assert np.array_equal(far, placed) == (metric == "euclidean")


def test_references_are_random_points_and_landmarks_where_nothing_was_refined(monkeypatch):
    monkeypatch.setattr(estimator, "REFERENCES", 100)
    X = np.random.default_rng(0).normal(size=(400, 6))
    mds, again = (landmark_mds(n_landmarks=40, refine=3).fit(X) for _ in range(2))
    assert len(np.unique(mds.references_)) == 100
    assert not np.isin(mds.landmarks_, mds.references_).all()
    np.testing.assert_array_equal(mds.references_, again.references_)
    unrefined = landmark_mds(n_landmarks=40, refine=0).fit(X)
    np.testing.assert_array_equal(unrefined.references_, unrefined.landmarks_)


def test_new_distances(plane):
    D = distances(plane[0])
    mds = landmark_mds(metric="precomputed").fit(D[:500, :500])
    rows = mds.transform(D[500:, :500])
    few = mds.transform(D[500:, :500][:, mds.landmarks_])
    np.testing.assert_allclose(few, rows, atol=1e-9)  # an exact map: all distances agree
    assert recovery_error(np.vstack([mds.embedding_, rows]), plane[0]) < 1e-3
    with pytest.raises(ValueError, match="features"):
        mds.transform(D[500:, :77])


def test_bad_new_rows_are_named(plane, small_chunks):
    D = distances(plane[0])
    mds = landmark_mds(metric="precomputed").fit(D[:300, :300])
    rows = D[300:, :300].copy()
    rows[250] = np.nan
    with pytest.raises(ValueError, match="row 250"):
        mds.transform(rows)


# --- input ---------------------------------------------------------------------------------------


def mapped(path, values):
    out = np.memmap(path, dtype=values.dtype, mode="w+", shape=values.shape)
    out[:] = values
    return np.memmap(path, dtype=values.dtype, mode="r", shape=values.shape)


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_files_are_not_copied(tmp_path, small_chunks, metric):
    X = blobs(9000, 200) if metric == "euclidean" else distances(blobs(1500))
    file = mapped(tmp_path / "X", X.astype(np.float32))
    plain = landmark_mds(metric=metric, refine=2, sample_size=50).fit(np.array(file))
    tracemalloc.start()
    mds = landmark_mds(metric=metric, refine=2, sample_size=50).fit(file)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 0.75 * file.nbytes
    np.testing.assert_array_equal(mds.embedding_, plain.embedding_)
    assert mds.embedding_.dtype == np.float32


def test_features_and_their_distances_give_the_same_map():
    X = blobs(300)
    D = Metric("cityblock", {}).between(X)
    one = landmark_mds(metric="cityblock", refine=3).fit(X)
    other = landmark_mds(metric="precomputed", refine=3).fit(D)
    np.testing.assert_allclose(one.embedding_, other.embedding_, atol=1e-5)
    assert one.cost_ == pytest.approx(other.cost_)


def test_missing_distances(plane):
    points, _ = plane
    D = distances(points)
    i, j = np.random.default_rng(1).integers(600, size=(2, 50_000))
    D[i, j] = D[j, i] = np.nan
    mds = landmark_mds(metric="precomputed", landmarks="random").fit(D)
    assert recovery_error(mds.embedding_, points) < 1e-2


@pytest.mark.parametrize("bad", [-1.0, np.inf])
def test_bad_distances_are_named(plane, bad):
    D = distances(plane[0])
    D[:, 123] = bad
    with pytest.raises(ValueError, match=r"D\[\d+, 123\] = (-1 is neg|inf is inf)"):
        landmark_mds(metric="precomputed").fit(D)


def test_bad_metrics_are_named(plane):
    with pytest.raises(ValueError, match=r"X\[\d+\] and X\[\d+\] by metric=.* = -1 is negative"):
        landmark_mds(metric=lambda a, b: -1.0, landmarks="random").fit(plane[1])


def test_bad_tables_are_refused(plane):
    D = distances(plane[0])
    lost = D.copy()
    lost[7] = lost[:, 7] = np.nan
    for wrong, message in (
        (D[:500], "square"),
        (np.triu(D), "symmetric"),
        (D.max() - D, "similarities"),
        (lost, "point 7 has no known distance to any landmark"),
    ):
        with pytest.raises(ValueError, match=message):
            landmark_mds(metric="precomputed").fit(wrong)


@pytest.mark.parametrize(
    "params", [{"n_landmarks": 1}, {"landmarks": "best"}, {"refine": -1}, {"sample_size": 0}]
)
def test_bad_parameters_are_named(params):
    with pytest.raises(ValueError, match=next(iter(params))):
        LandmarkMDS(**params).fit(blobs(100))


# --- manners -------------------------------------------------------------------------------------


@pytest.mark.sample(30)
@parametrize_with_checks(
    [
        LandmarkMDS(n_init=1, random_state=0),
        LandmarkMDS(n_landmarks=12, n_init=1, refine=2, random_state=0),
    ],
    expected_failed_checks=lambda estimator: (
        {
            "check_transformer_general": "refined points are not where one placement puts them",
            "check_transformer_data_not_an_array": "the same",
        }
        if estimator.n_landmarks == 12
        else {}
    ),
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks([LandmarkMDS(random_state=0)], expected_failed_checks=lambda estimator: {})
def test_scikit_learn_checks_of_the_default(estimator, check):
    check(estimator)


def test_clone_and_pickle():
    mds = landmark_mds(loss=Absolute(), refine=1)
    assert clone(mds).get_params() == mds.get_params()
    X = blobs(200)
    again = pickle.loads(pickle.dumps(mds.fit(X)))
    np.testing.assert_array_equal(again.embedding_, mds.embedding_)
    np.testing.assert_allclose(again.transform(X[:9]), mds.transform(X[:9]), atol=1e-6)


def test_data_frames_keep_their_labels():
    frame = pd.DataFrame(blobs(200, 3), index=[f"p{i}" for i in range(200)], columns=list("abc"))
    mds = landmark_mds(refine=1).set_output(transform="pandas")
    out = mds.fit_transform(frame)
    assert list(out.columns) == ["landmarkmds0", "landmarkmds1"]
    assert list(out.index) == list(frame.index) == list(mds.labels_)
    assert list(mds.feature_names_in_) == list("abc")
    assert list(mds.transform(frame.iloc[:3]).index) == ["p0", "p1", "p2"]


def test_in_a_pipeline():
    pipe = make_pipeline(StandardScaler(), landmark_mds(refine=1))
    assert pipe.fit_transform(blobs(200)).shape == (200, 2)


# --- who watches ---------------------------------------------------------------------------------


def test_progress_bars_on_standard_error(capsys):
    landmark_mds(verbose=1, refine=2).fit(blobs(200))
    shown = capsys.readouterr()
    assert not shown.out
    for phase in ("choosing landmarks", "Converged", "placing points", "refining"):
        assert phase in shown.err
    assert "refining 100 %" in shown.err


def interrupt(monkeypatch, on_call):
    """Press ^C in some placement of a chunk."""
    place, calls = Frame.place, []

    def pressed(self, *args):
        calls.append(args)
        if len(calls) == on_call:
            raise KeyboardInterrupt
        return place(self, *args)

    monkeypatch.setattr(Frame, "place", pressed)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_interrupted_while_placing(monkeypatch, small_chunks, n_jobs):
    mds = landmark_mds(refine=0, n_jobs=n_jobs).fit(blobs(300))
    before = mds.embedding_
    interrupt(monkeypatch, 3)
    with pytest.raises(KeyboardInterrupt):
        mds.fit(roll(300))
    assert mds.embedding_ is before


def test_interrupted_while_refining(monkeypatch):
    X = blobs(400)
    rough = landmark_mds(refine=0).fit(X)
    interrupt(monkeypatch, 6)
    with pytest.warns(RuntimeWarning, match="Interrupted"):
        mds = landmark_mds(refine=50).fit(X)
    assert np.isfinite(mds.embedding_).all()
    D = EUCLIDEAN.between(X)
    assert total_cost(D, mds.embedding_) <= total_cost(D, rough.embedding_)
