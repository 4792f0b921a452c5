"""A real Dask cluster of worker processes: the same maps as in one memory, whatever happens."""

import json
import os
import pickle
import re
import signal
import sys
from contextlib import contextmanager
from functools import cache

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster

from tests.support.chunks import N, chunked, points, table
from tests.support.commands import run
from tests.support.parts import slow
from unimds import MDS, LandmarkMDS, Ordinal, place_center, spaces
from unimds.cluster import ClusterError
from unimds.cluster.sending import submit
from unimds.cluster.work import taken
from unimds.files.archive import read_archive
from unimds.landmarks import place as bulk
from unimds.landmarks import workers
from unimds.quality import align, recovery_error
from unimds.rivals import classical_mds

pytestmark = pytest.mark.usefixtures("patience")


@contextmanager
def two_workers():
    """Give two worker processes of one thread each."""
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def client():
    with two_workers() as client:
        yield client


@pytest.mark.parametrize("rows", [[4, 3], [0, 5], []])
def test_rows_are_taken_also_from_tiles_that_have_none_of_them(rows):
    D = np.arange(36.0).reshape(6, 1, 6)
    columns, rows = np.array([0, 5]), np.array(rows, dtype=int)
    got, weights = taken([(0, D[:3], None), (3, D[3:], None)], columns, rows)
    np.testing.assert_array_equal(got, D[rows, 0][:, columns])
    assert weights is None


def seed_of(D):
    return classical_mds(D).embedding


CASES = [
    {"loss": "squared", "space": "euclidean"},
    slow({"loss": "absolute", "space": "euclidean"}),
    {"loss": "squared", "space": "sphere"},
]


@pytest.mark.sample(1)
@pytest.mark.filterwarnings("ignore:.*max_iter:sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_cost_is_that_of_one_memory(client, case):
    D = table() / 4.0
    init = place_center(D, **case, n_init=1, max_iter=5).embedding
    here = place_center(D, **case, init=init)
    there = place_center(chunked(D), **case, init=init, eps=1e-5)
    assert there.cost == pytest.approx(here.cost, rel=1e-3)
    assert there.converged


def test_the_cost_never_rises_between_rounds(client):
    result = place_center(chunked(table()), random_state=0)
    assert result.n_iter > 3
    assert (np.diff(result.levels[:, 1]) <= 0.0).all()


@pytest.mark.slow
def test_exact_recovery_from_corrupted_distances(client):
    X, rng = points(60, seed=1), np.random.default_rng(2)
    D = spaces.distances(X)
    wrong = np.triu(rng.random(D.shape) < 0.1, 1)
    D = np.where(wrong | wrong.T, np.maximum(D, D.T) * 3.0, D)
    result = place_center(chunked(D, 30), loss="absolute", random_state=0, eps=1e-4)
    assert recovery_error(X, result.embedding) < 1e-4


def test_missing_pairs_and_weights(client):
    X, rng = points(seed=3), np.random.default_rng(4)
    D = spaces.distances(X)
    hole = np.triu(rng.random(D.shape) < 0.2, 1)
    D[hole | hole.T] = np.nan
    W = rng.random(D.shape)
    W = W + W.T
    result = place_center(chunked(D), weights=chunked(W), random_state=0, eps=1e-10)
    assert recovery_error(X, result.embedding) < 1e-3


def test_the_estimator_has_the_same_attributes(client):
    D = table()
    mds = MDS(metric="precomputed", random_state=0).fit(chunked(D))
    assert mds.embedding_.shape == (N, 2)
    assert mds.stress_ == pytest.approx(
        MDS(metric="precomputed", init=mds.embedding_).fit(D).stress_, rel=1e-3
    )
    assert mds.transform(D[:3]).shape == (3, 2)


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", ["array", "table"])
def test_features_are_measured_by_the_workers(client, kind):
    X = points(k=4)
    given = da.from_array(X, chunks=(50, 4))
    if kind == "table":
        given = dd.from_pandas(pd.DataFrame(X, columns=list("abcd")), npartitions=3)
    there = MDS(random_state=0).fit(given)
    here = MDS(init=there.embedding_).fit(X)
    assert there.cost_ == pytest.approx(here.cost_, rel=1e-3)
    assert there.dissimilarity_matrix_ is None
    assert there.transform(given).shape == (N, 2)


LANDMARK_CASES = [{}, {"level": "ordinal"}, slow({"loss": "absolute"})]


@pytest.mark.parametrize("case", LANDMARK_CASES, ids=str)
def test_landmarks_are_those_of_one_memory(client, monkeypatch, case):
    monkeypatch.setattr(bulk, "ENTRIES", 20_000)  # several chunks, sent in several tasks
    monkeypatch.setattr(workers, "TOGETHER", 2)
    X = points(700, 4)
    mds = LandmarkMDS(n_landmarks=80, refine=2, n_init=1, random_state=0, **case)
    here = mds.fit_transform(X)
    calls, submitted = [], client.submit
    monkeypatch.setattr(client, "submit", lambda *a, **b: calls.append(a) or submitted(*a, **b))
    there = mds.fit_transform(da.from_array(X, chunks=(200, 4)))
    assert len(calls) > 3
    np.testing.assert_allclose(there, here, rtol=1e-9, atol=1e-9)
    assert mds.transform(da.from_array(X[:50], chunks=20)).shape == (50, 2)


def test_landmarks_go_on_here_from_where_the_workers_were(client, monkeypatch, tmp_path):
    monkeypatch.setattr(bulk, "ENTRIES", 2_000)  # 28 chunks
    monkeypatch.setattr(workers, "TOGETHER", 2)
    X, path = points(700, 4), tmp_path / "run.ckpt"
    options = {"n_landmarks": 80, "refine": 2, "n_init": 1, "random_state": 0}
    kept = LandmarkMDS(**options, checkpoint=path)
    count = 0

    def submit(*given, own=workers.submit, **options):
        nonlocal count
        count += 1
        if count == 12:
            raise KeyboardInterrupt
        return own(*given, **options)

    with monkeypatch.context() as patch:
        patch.setattr(workers, "submit", submit)
        patch.setattr(client, "nthreads", lambda: {"one": 1})  # so that they answer in between
        spread = da.from_array(X, chunks=(200, 4))
        with pytest.raises(KeyboardInterrupt):
            kept.fit(spread)
    header, _ = read_archive(path, "checkpoint")
    assert set(header["parts"]) == {"landmarks", "placing"}
    assert 0 < header["parts"]["placing"]["count"] < 700
    whole = LandmarkMDS(**options).fit(X)
    np.testing.assert_allclose(kept.fit(X).embedding_, whole.embedding_, rtol=1e-9, atol=1e-9)


def test_landmarks_of_distances_on_a_cluster_are_refused(client):
    with pytest.raises(ValueError, match=r"a dask array of features, not of distances.*use MDS"):
        LandmarkMDS(metric="precomputed").fit(chunked(table(20)))


# --- levels of measurement -----------------------------------------------------------------------


@cache
def curved(n=240):
    """Return dissimilarities that are a curve of noisy distances."""
    noise = np.exp(0.1 * np.random.default_rng(1).normal(size=(n, n)))
    return spaces.distances(points(n)) ** 1.7 * np.sqrt(noise * noise.T)


@cache
def one_process(level, loss):
    return place_center(curved(), level=level, loss=loss, n_init=1, random_state=0)


LEVEL_CASES = [
    ("ordinal", "squared"),
    slow("spline", "squared"),
    slow("ordinal", "absolute"),
    slow(Ordinal("secondary"), "squared"),
    slow(Ordinal(strictness=0.2), "squared"),
    slow("interval", "absolute"),
    slow("power", "squared"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("level", "loss"), LEVEL_CASES)
def test_a_map_at_a_level_is_that_of_one_process_by_bins(client, level, loss):
    here = one_process(level, loss)
    start = here.embedding + 0.1 * points(240, seed=2)  # near, so that both end in one minimum
    there = place_center(chunked(curved()), level=level, loss=loss, init=start)
    assert there.converged
    assert there.stress == pytest.approx(here.stress, rel=1e-3)
    assert there.cost == pytest.approx(here.cost, rel=1e-3)
    apart = align(there.embedding, here.embedding) - here.embedding
    assert np.linalg.norm(apart) < 5e-3 * np.linalg.norm(here.embedding)
    known, f = here.transformation.given, there.transformation
    assert f.given.size == known.size  # the same bins
    assert np.allclose(f.given, known, rtol=1e-12)
    assert np.allclose(f(known), here.transformation(known), atol=0.02 * f.disparities[-1])
    smoothing, cost = there.levels.T
    assert (np.diff(cost)[np.diff(smoothing) == 0.0] <= 1e-9 * cost[0]).all()


@pytest.mark.slow
def test_levels_with_weights_and_missing_pairs(client):
    D, rng = curved().copy(), np.random.default_rng(3)
    D[3, 5] = D[5, 3] = D[7, 100] = D[100, 7] = np.nan
    W = rng.random(D.shape) + 0.1
    W = W + W.T
    W[2, 9] = W[9, 2] = 0.0
    start = one_process("ordinal", "squared").embedding
    options = {"level": "ordinal", "init": start}
    here = place_center(D, weights=W, **options)
    there = place_center(chunked(D), weights=chunked(W), **options)
    assert there.stress == pytest.approx(here.stress, rel=1e-3)
    assert np.allclose(there.transformation.given, here.transformation.given, rtol=1e-12)


@pytest.mark.slow
def test_a_fit_at_a_level_keeps_its_transformation_and_not_the_codes_of_all_pairs(client):
    D = curved()
    mds = MDS(level="spline", metric="precomputed", n_init=1, random_state=0).fit(chunked(D))
    assert mds.stress_ == pytest.approx(one_process("spline", "squared").stress, rel=0.05)
    assert mds.disparities_ is None
    assert mds.result_.scaling is None
    again = pickle.loads(pickle.dumps(mds))
    assert np.array_equal(again.transformation_(D[0]), mds.transformation_(D[0]))
    new = mds.transform(D[:3])
    assert np.allclose(new, mds.embedding_[:3], atol=0.3)


TIED = np.triu(np.random.default_rng(0).integers(1, 6, (60, 60)), 1).astype(float)


@pytest.mark.parametrize(
    ("D", "options", "words"),
    [
        (curved(), {"level": "ordinal", "conditional": "row"}, r'conditional="table"; or fit'),
        (curved(), {"level": Ordinal("tertiary")}, r'ties="secondary"\); or fit .* D\.compute'),
        (TIED + TIED.T, {"level": "ordinal"}, r'so many ties.* Use Ordinal\(ties="secondary"'),
    ],
)
def test_what_bins_cannot_tell_is_refused_with_a_remedy(client, D, options, words):
    with pytest.raises(ValueError, match=words):
        place_center(chunked(D), **options)


@pytest.mark.slow
def test_a_table_of_few_numbers_is_fitted_with_secondary_ties(client):
    found = place_center(chunked(TIED + TIED.T, 30), level=Ordinal("secondary"), random_state=0)
    assert found.transformation.given.tolist() == [1.0, 2.0, 3.0, 4.0, 5.0]


@pytest.mark.slow
def test_a_fit_at_a_level_goes_on_from_its_checkpoint(client, tmp_path):
    options = {"level": "ordinal", "init": one_process("spline", "squared").embedding}
    path = tmp_path / "run.ckpt"
    cut = place_center(chunked(curved()), checkpoint=path, callback=lambda i, *_: i == 4, **options)
    assert cut.n_iter == 4
    ended = place_center(chunked(curved()), checkpoint=path, **options)
    whole = place_center(chunked(curved()), **options)
    assert ended.n_iter == whole.n_iter > 4
    assert np.allclose(ended.embedding, whole.embedding, atol=1e-9)


def test_points_of_many_megabytes_go_out_without_a_warning(client):
    assert submit(client, len, np.zeros(1_500_000)).result() == 1_500_000


def test_progress_is_told_in_rounds(client, capsys):
    place_center(chunked(table(60), 20), random_state=0, verbose=1)
    err = capsys.readouterr().err
    assert re.search(r"\r\S+ round \d+  cost \d\S*  \d+\.\d s", err)
    assert not re.search(r"sweep \d", err)


def test_chunks_of_any_shape_will_do_with_a_message(client):
    D = table()
    with pytest.warns(UserWarning, match=r"3 chunks a row.*rechunk"):
        result = place_center(da.from_array(D, chunks=(60, 60)), random_state=0)
    assert result.converged


def test_a_spectral_seed_is_computed_over_the_bands(client):
    X = points(600, seed=5)
    D = spaces.distances(X)
    result = place_center(chunked(D, 200), init="classical")
    assert result.n_iter == 0
    assert recovery_error(X, result.embedding) < 1e-8


@pytest.mark.parametrize(
    ("every", "level"), [(False, "ratio"), slow(True, "ratio"), slow(False, "spline")]
)
def test_a_killed_worker_is_survived_and_so_is_a_kill_of_all(client, every, level):
    errors = np.random.default_rng(1).normal(size=(N, N))
    # new workers may share the rows in another way, and go another way: all lead to one minimum
    D = table(k=2) * np.exp(0.05 * (errors + errors.T))
    init = seed_of(D)
    killed = []

    def kill(iteration, cost, embedding):
        if iteration == 3 and not killed:
            pids = client.run(os.getpid).values()
            killed.extend(pids if every else list(pids)[:1])
            for pid in killed:
                os.kill(pid, signal.SIGKILL)

    options = {"init": init, "eps": 1e-9 if every else 1e-3, "level": level}
    quiet = place_center(chunked(D), **options)
    disturbed = place_center(chunked(D), **options, callback=kill)
    assert killed
    assert not set(killed) & set(client.run(os.getpid).values())
    assert disturbed.cost == pytest.approx(quiet.cost, rel=1e-6)


@pytest.mark.slow
def test_a_lost_cluster_is_told_and_another_one_goes_on_from_its_checkpoint(client, tmp_path):
    D, path, seen = table(100), tmp_path / "run.ckpt", []
    options = {"init": seed_of(D), "eps": 1e-8}  # other workers go other ways to the minimum
    whole = place_center(chunked(D), **options)
    with (
        LocalCluster(
            n_workers=1, threads_per_worker=3, processes=False, dashboard_address=":0"
        ) as lost,
        Client(lost) as other,
    ):

        def pull_the_plug(iteration, cost, embedding):
            seen.append(cost)
            if iteration == 5:
                other.close()

        with pytest.raises(ClusterError, match="checkpoint"), other.as_current():
            place_center(chunked(D), **options, callback=pull_the_plug, checkpoint=path)
    assert path.exists()
    with client.as_current():
        resumed = place_center(chunked(D), **options, checkpoint=path)
    np.testing.assert_array_equal(resumed.history[1:6, 1], seen)
    assert resumed.cost == pytest.approx(whole.cost, rel=1e-6)


def peak():
    """Return the most memory that this process has had, in bytes."""
    with open("/proc/self/status") as status:
        line = next(line for line in status if line.startswith("VmHWM"))
    return 1024 * int(line.split()[1])


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_workers_need_little_more_than_their_rows(client):
    n = 10_000
    D = da.map_blocks(
        lambda rows: np.abs(rows[:, :1] - np.arange(n, dtype=np.float32)),
        da.arange(n, chunks=500, dtype=np.float32)[:, None],
        chunks=((500,) * (n // 500), (n,)),
        dtype=np.float32,
        meta=np.empty((0, 0), np.float32),
    )
    small = chunked(table()).astype(np.float32)
    place_center(small, random_state=0)  # compiled
    # workers of its own: those of the other tests have needed more, and may not start again in time
    with client.as_current(), two_workers() as own:
        place_center(small, random_state=0)  # imported
        idle = own.run(peak)
        place_center(D, random_state=0)
        most = own.run(peak)
    share = n * n * 4 / 2
    assert all(most[worker] - idle[worker] < 1.5 * share for worker in idle)


# --- the command line -----------------------------------------------------------------------------


@pytest.mark.slow
def test_without_a_client_threads_will_do():
    result = place_center(chunked(table(60), 20), random_state=0)
    assert result.converged


def test_the_command_line_reads_a_store_on_a_cluster(client, tmp_path):
    store, out = tmp_path / "rows", tmp_path / "map.csv"
    store.mkdir()
    D = spaces.distances(points(40))
    np.save(store / "all.npy", D)
    said = run("embed", store, "-o", out, "--dask", client.scheduler.address)
    assert said.code == 0
    assert re.search(r"40 points: cost .*, \d+ rounds, \d", said.err)
    X = pd.read_csv(out).select_dtypes("number").to_numpy()
    assert recovery_error(points(40), X[:, -2:]) < 1e-3


@pytest.fixture
def features(tmp_path):
    """Return a folder with the features of 60 points, and the points."""
    store = tmp_path / "rows"
    store.mkdir()
    X = np.random.default_rng(0).normal(size=(60, 5))
    for i, rows in enumerate(np.split(X, 3)):
        np.save(store / f"rows-{i}.npy", rows)
    return store, X


@pytest.mark.slow
@pytest.mark.parametrize("how", [["--kind", "points"], ["--metric", "cosine"], []])
def test_the_command_line_measures_the_features_of_a_store(client, tmp_path, features, how):
    store, X = features
    out = tmp_path / "map.csv"
    said = run("embed", store, "-o", out, "--dask", client.scheduler.address, "--json", *how)
    assert said.code == 0, said.err
    metric = "cosine" if "cosine" in how else "euclidean"
    here = MDS(metric=metric, random_state=0).fit(X)
    assert json.loads(said.out)["stress"] == pytest.approx(here.stress_, rel=0.05)


def test_the_command_line_places_the_points_of_a_store_by_landmarks(client, tmp_path, features):
    store, X = features
    out = tmp_path / "map.csv"
    where = ("--dask", client.scheduler.address, "--landmarks", "20")
    said = run("embed", store, "-o", out, "--json", *where)
    assert said.code == 0, said.err
    here = LandmarkMDS(n_landmarks=20, random_state=0).fit(X)
    np.testing.assert_allclose(pd.read_csv(out).to_numpy()[:, -2:], here.embedding_, atol=1e-6)


def test_a_store_of_distances_has_no_metric(client, tmp_path):
    store = tmp_path / "rows"
    store.mkdir()
    np.save(store / "all.npy", table(20))
    said = run("embed", store, "--dask", client.scheduler.address, "--metric", "cosine")
    assert said.code == 1
    assert "holds distances, to which --metric cosine does not apply" in said.err
    said = run("embed", store, "--dask", client.scheduler.address, "--drop", "x")
    assert said.code == 2
    assert "--drop does not work with a folder" in said.err


def test_the_command_line_does_not_promise_what_a_cluster_cannot_do(client, tmp_path):
    D = table(8)
    D[3, 5] *= 2.0
    np.save(tmp_path / "d.npy", D)
    said = run("embed", tmp_path / "d.npy", "--dask", client.scheduler.address)
    assert said.code == 1
    assert "both directions count half" not in said.err
    assert "a table on a cluster must be symmetric" in said.err


@pytest.mark.slow  # Dask asks for ten seconds before it gives up
def test_a_scheduler_that_does_not_answer_is_told(tmp_path):
    np.save(tmp_path / "d.npy", table(8))
    said = run("embed", tmp_path / "d.npy", "--dask", "tcp://127.0.0.1:9")
    assert said.code == 1
    assert "no Dask scheduler answers at tcp://127.0.0.1:9" in said.err


def test_options_that_need_the_distances_here_are_refused(tmp_path):
    np.save(tmp_path / "d.npy", table(8))
    said = run("embed", tmp_path / "d.npy", "--dask", "local", "--report", "r.html")
    assert said.code == 2
    assert "--report does not work with --dask" in said.err
