"""What a Dask cluster is given: odd tables and stores are read, or refused in words that help."""

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster

from tests.support.chunks import chunked, points, table
from unimds import MDS, LandmarkMDS, place_center
from unimds.cluster import ClusterError, health, read_rows
from unimds.files.errors import FileError

pytestmark = pytest.mark.usefixtures("patience")


@pytest.fixture(scope="module")
def client():
    """Give two workers that are threads of this process: faster to start, and to ask."""
    with Client(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0"
    ) as client:
        yield client


def broken(change):
    D = table(40)
    change(D)
    return chunked(D, 20)


def negative(D):
    D[3, 5] = D[5, 3] = -1.0


def one_way(D):
    D[3, 5] *= 2.0


def half_of_it(D):
    D[np.triu_indices_from(D)] = 0.0


def one_way_only(D):
    D[3, 5] = np.nan


def similarities(D):
    D[np.diag_indices_from(D)] = 9.0


def groups(D):
    D[:15, 15:] = D[15:, :15] = np.nan


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (negative, r"D\[3, 5\] = -1 is negative"),
        (one_way, r"row 3 of D is not column 3.*Use D = \(D \+ D\.T\) / 2, .* one memory"),
        (half_of_it, r"D is triangular.*fill the other half \(D \+ D\.T\)"),
        (one_way_only, r"row 3 of D is known in one direction only: use D = da\.where"),
        (similarities, r"D\[0, 0\] = 9, but the distance of a point to itself is 0"),
        (groups, "15 points hang together with the first, 25 do not"),
    ],
)
def test_a_bad_table_is_told(client, change, message):
    with pytest.raises(ValueError, match=message):
        place_center(broken(change))


@pytest.mark.parametrize("name", ["D = da.where(da.isnan(D), D.T, D)", "D = (D + D.T) / 2"])
def test_the_remedies_are_code_that_helps(client, name):
    D = table(40)
    (one_way if "+" in name else one_way_only)(D)
    scope = {"da": da, "D": chunked(D, 20)}
    exec(name, scope)
    with pytest.warns(UserWarning, match="chunks a row"):
        assert place_center(scope["D"], random_state=0).converged


def test_weights_that_differ_both_ways_are_told(client):
    W = np.ones((40, 40))
    W[3, 5] = 2.0
    with pytest.raises(ValueError, match=r"row 3 of weights.*use W = \(W \+ W\.T\) / 2"):
        place_center(chunked(table(40), 20), weights=chunked(W, 20))


def test_a_table_that_is_not_square_is_told(client):
    with pytest.raises(ValueError, match="square"):
        place_center(da.zeros((4, 5)))


# --- stores ---------------------------------------------------------------------------------------


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", ["zarr", "parquet", "npy"])
def test_workers_read_stores_themselves(client, tmp_path, kind):
    D = table(90)
    store = tmp_path / f"table.{kind}"
    if kind == "zarr":
        chunked(D, 30).to_zarr(str(store))
    elif kind == "parquet":
        store.mkdir()
        frame = pd.DataFrame(D, columns=[f"c{i}" for i in range(len(D))])
        for i in range(3):
            frame.iloc[30 * i : 30 * i + 30].to_parquet(store / f"part{i}.parquet")
    else:
        store.mkdir()
        for i in range(3):
            np.save(store / f"rows-{i}.npy", D[30 * i : 30 * i + 30])
    there = read_rows(store)
    np.testing.assert_array_equal(there.compute(), D)
    assert place_center(there, random_state=0).converged


def test_a_folder_without_a_table_is_told(tmp_path):
    with pytest.raises(ValueError, match="no table for a cluster"):
        read_rows(tmp_path)


# --- odd, but all right ---------------------------------------------------------------------------


@pytest.mark.slow
def test_numbers_of_any_type_and_chunks_of_any_size_will_do(client):
    D, everyone = table(40), da.ones(40, chunks=15, dtype=bool)
    frame = pd.DataFrame(D, columns=[f"c{i}" for i in range(40)])
    empty = dd.concat([dd.from_pandas(part, npartitions=1) for part in (frame[:0], frame)])
    want = place_center(chunked(D, 20), random_state=0).cost
    for given in (chunked(D)[everyone], chunked(D.astype(np.longdouble)), empty):
        assert place_center(given, random_state=0).cost == pytest.approx(want)
    rounded = place_center(chunked(D.astype(np.float16)), random_state=0)
    assert rounded.cost == pytest.approx(want, rel=1e-2)
    assert place_center(chunked((9 * D).astype(np.int8)), random_state=0).converged


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_points(client, n):
    assert MDS(metric="precomputed").fit_transform(chunked(table(n))).shape == (n, 2)
    assert MDS().fit_transform(chunked(points(n, 4))).shape == (n, 2)


@pytest.mark.slow
def test_weights_of_measured_points_count(client):
    X, W = points(40, 4), np.where(np.arange(40) < 9, 9.0, 1.0)
    W = W * W[:, None]
    there = MDS(random_state=0).fit(chunked(X, 20), weights=da.from_array(W, chunks=(7, 40)))
    here = MDS(init=there.embedding_).fit(X, weights=W)
    assert there.cost_ == pytest.approx(here.cost_, rel=1e-4)
    assert there.cost_ > 2.0 * MDS(random_state=0).fit(chunked(X, 20)).cost_


def test_what_only_rounding_makes_asymmetric_will_do(client):
    D = table(40)
    D *= 1.0 + 1e-9 * np.random.default_rng(0).normal(size=D.shape)
    assert place_center(chunked(D, 20), random_state=0).converged


# --- refused --------------------------------------------------------------------------------------


def test_tables_that_are_none_are_told(client):
    frame = dd.from_pandas(pd.DataFrame({"a": ["x", "y"], "b": [1.0, 2.0]}), npartitions=1)
    with pytest.raises(ValueError, match="column of text, 'a'"):
        MDS(metric="precomputed").fit(frame)
    with pytest.raises(ValueError, match="square table"):
        MDS(metric="precomputed").fit(da.zeros(5))
    with pytest.raises(ValueError, match="D has no known pair"):
        place_center(chunked(np.where(np.eye(5) > 0.0, 0.0, np.nan)))


def test_a_closed_client_is_told(client):
    other = Client(client.cluster)
    other.close()
    with other.as_current(), pytest.raises(ClusterError, match="client is closed: open another"):
        place_center(chunked(table(8)))


def test_a_cluster_without_workers_is_told(monkeypatch):
    monkeypatch.setattr(health, "STUCK", 0.1)
    with (
        LocalCluster(n_workers=0, processes=False, dashboard_address=":0") as cluster,
        Client(cluster),
    ):
        with pytest.raises(ClusterError, match="no workers: start some"):
            place_center(chunked(table(8)))
        with pytest.raises(ClusterError, match="no workers: start some"):
            LandmarkMDS(n_landmarks=9).fit(chunked(points(20)))


# --- broken stores --------------------------------------------------------------------------------


def test_numbers_in_names_are_counted(tmp_path):
    D = table(60)
    for i in range(12):
        np.save(tmp_path / f"rows-{i}.npy", D[5 * i : 5 * i + 5])
    np.testing.assert_array_equal(read_rows(tmp_path).compute(), D)


@pytest.mark.parametrize(
    ("block", "message"),
    [
        (table(8)[:, :3], r"b\.npy: its shape is \(8, 3\).*as a\.npy, \(8, 8\)"),
        (table(8)[0], r"b\.npy: its shape is \(8,\)"),
        (table(8).astype(np.float32), r"b\.npy: it holds float32, but a\.npy float64"),
        (table(8).astype(object), r"b\.npy: cannot be read as an array of numbers"),
    ],
)
def test_a_block_that_does_not_fit_is_told(tmp_path, block, message):
    np.save(tmp_path / "a.npy", table(8))
    np.save(tmp_path / "b.npy", block)
    with pytest.raises(FileError, match=message):
        read_rows(tmp_path)


def test_a_block_that_is_gone_is_told_as_such(client, tmp_path):
    np.save(tmp_path / "a.npy", table(8)[:4])
    np.save(tmp_path / "b.npy", table(8)[4:])
    there = read_rows(tmp_path)
    (tmp_path / "b.npy").unlink()
    with pytest.raises(FileNotFoundError, match=r"b\.npy"):
        place_center(there)


@pytest.mark.parametrize("kind", ["zarr", "parquet"])
def test_a_store_that_is_broken_is_told(tmp_path, kind):
    store = tmp_path / f"table.{kind}"
    if kind == "zarr":
        store.mkdir()
    else:
        store.write_bytes(b"x")
    with pytest.raises(FileError, match=f"table.{kind}: cannot be read as"):
        read_rows(store)


def test_weights_on_a_cluster_do_not_change_how_a_frame_is_read(client):
    D, names = table(12), [f"p{i}" for i in range(12)]
    frame = pd.DataFrame(D, index=names, columns=names)[names[::-1]]
    weights = da.from_array(np.ones_like(D), chunks=(6, 12))
    mds = MDS(metric="precomputed", random_state=0)
    with pytest.warns(UserWarning, match="the points of the map are in the order of the rows"):
        mds.fit(frame, weights=weights, fixed={"p0": [0.0, 0.0]})
    assert mds.labels_.tolist() == names
    np.testing.assert_array_equal(mds.embedding_[0], 0.0)
