"""Workers of a Dask cluster that run out of memory: told, and what was found is kept."""

import os
import signal
import sys
from types import SimpleNamespace

import dask
import dask.array as da
import numpy as np
import pytest
from distributed import Client, LocalCluster

from unimds import place_center, spaces
from unimds.cluster import ClusterError, health

pytestmark = pytest.mark.usefixtures("patience")

N, LIMIT = 60, 600_000_000

ballast = []


def fill(share):
    """Take so much of the memory of a worker, for good."""
    ballast.append(np.ones(int(share * LIMIT) // 8))


def distances():
    return spaces.distances(np.random.default_rng(0).normal(size=(N, 5)))


def table(flag=None):
    """Return a table of which every row takes much memory while there is the file `flag`."""

    def rows(block, D):
        if flag is not None and os.path.exists(flag):
            fill(1.0)
            signal.pause()  # until the nanny ends the worker
        return D[block[:, 0]]

    index = da.arange(N, chunks=30)[:, None]
    return da.map_blocks(rows, index, distances(), chunks=((30, 30), (N,)), dtype=float)


def one_worker():
    return LocalCluster(
        n_workers=1, threads_per_worker=1, memory_limit=LIMIT, dashboard_address=":0"
    )


def test_rows_that_do_not_fit_are_refused_before_they_are_read():
    need = health.Need({"tcp://a": 400, "tcp://b": 960}, single=False)
    limits = {"tcp://a": {"memory_limit": 0}, "tcp://b": {"memory_limit": 1000}}

    class Told:
        scheduler = SimpleNamespace(identity=None)

        def sync(self, *question, **how):
            return {"workers": limits}

    with pytest.raises(
        ClusterError, match=r"b may use 0.98 kiB.*0.94 kiB.*more workers.*float32.*land"
    ):
        health.check_memory(Told(), need)
    limits["tcp://b"]["memory_limit"] = 2000
    health.check_memory(Told(), need)
    limits["tcp://b"]["memory_limit"] = 0  # unlimited
    health.check_memory(Told(), need)


@pytest.mark.filterwarnings("ignore:.*max_iter:sklearn.exceptions.ConvergenceWarning")
class TestAWorkerWithoutMemory:
    @pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL, nor signal.pause")
    @pytest.mark.slow
    def test_that_dies_again_and_again_ends_the_run_which_goes_on_elsewhere(self, tmp_path):
        flag, path = tmp_path / "flag", tmp_path / "run.ckpt"
        plain = {"init": distances()[:, :2], "max_iter": 12}
        with one_worker() as cluster, Client(cluster) as client:
            whole = place_center(table(str(flag)), **plain)

            def strike(iteration, cost, embedding):
                if iteration == 4 and not flag.exists():
                    flag.touch()
                    os.kill(*client.run(os.getpid).values(), signal.SIGKILL)

            with pytest.raises(ClusterError, match=r"(?s)last one was tcp.*572.*MiB.*more workers"):
                place_center(table(str(flag)), **plain, checkpoint=path, callback=strike)
            flag.unlink()
        with Client(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0"):
            resumed = place_center(table(str(flag)), **plain, checkpoint=path)
        np.testing.assert_array_equal(resumed.history[:5, 1], whole.history[:5, 1])
        assert resumed.cost == pytest.approx(whole.cost, rel=1e-6)

    @pytest.mark.slow
    def test_that_is_paused_for_good_ends_the_run(self, tmp_path, monkeypatch):
        monkeypatch.setattr(health, "STUCK", 4.0)
        path, seen = tmp_path / "run.ckpt", []
        kept = {f"distributed.worker.memory.{name}": False for name in ("terminate", "spill")}
        with dask.config.set(kept), one_worker() as cluster, Client(cluster) as client:

            def strike(iteration, cost, embedding):
                seen.append(iteration)
                if iteration == 4:
                    client.run(fill, 0.8)

            with pytest.raises(ClusterError, match=r"paused for 4 s.*572.*MiB.*more workers"):
                place_center(table(), init=distances()[:, :2], checkpoint=path, callback=strike)
        assert 4 <= seen[-1] < 10
        assert path.exists()
