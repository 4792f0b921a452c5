"""Callback, progress bar, interruption and the reasons why a run ends."""

import os
import re
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from tests.support.tables import table
from unimds import MDS, Euclidean, Outcome, place_center
from unimds._runtime.watch import COMPILING, Bar, Watch, compiling, compiling_told, tell
from unimds.distances.metric import Metric
from unimds.distances.table import ComputedTable
from unimds.quality import total_cost


@pytest.fixture(scope="module")
def noisy():
    return table(np.random.default_rng(0), 40, Euclidean(), noise=0.5, k=6)[0]


def test_callback_sees_every_sweep(noisy):
    seen = []
    result = place_center(
        noisy, 2, n_init=1, callback=lambda i, cost, X: seen.append((i, cost, X.copy())) and None
    )
    assert [i for i, _, _ in seen] == list(range(1, result.n_iter + 1))
    np.testing.assert_array_equal([cost for _, cost, _ in seen], result.history[1:, 1])
    for _, cost, X in seen[:3]:
        assert cost == pytest.approx(total_cost(noisy, X))


def test_callback_may_stop_the_run(noisy):
    result = place_center(noisy, 2, n_init=1, callback=lambda i, cost, X: i == 4)
    assert result.n_iter == 4
    assert result.outcome is Outcome.CALLBACK
    assert not result.converged
    assert "callback" in result.message


def test_callback_errors_are_the_callers(noisy):
    def broken(i, cost, X):
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        place_center(noisy, 2, callback=broken)


def test_max_iter_is_a_warning(noisy):
    with pytest.warns(ConvergenceWarning, match="max_iter=3"):
        result = place_center(noisy, 2, n_init=1, max_iter=3)
    assert result.n_iter == 3
    assert result.outcome is Outcome.MAX_ITER
    assert np.isfinite(result.embedding).all()


def test_progress_bar_on_standard_error(noisy, capsys):
    MDS(metric="precomputed", random_state=0, verbose=1).fit(noisy)
    out, err = capsys.readouterr()
    assert out == ""
    assert "sweep" in err
    assert "Converged" in err


def test_quiet_by_default(noisy, capsys):
    MDS(metric="precomputed", random_state=0).fit(noisy)
    assert capsys.readouterr() == ("", "")


def test_work_that_takes_long_shows_its_seconds(capsys, monkeypatch):
    monkeypatch.setattr("unimds._runtime.watch.TICK", 0.1)
    watch = Watch(None, 1, 0.0)
    with watch.ticking("reading d.csv"):
        time.sleep(1.0)
    drawn = capsys.readouterr().err.split("\r")
    told = [re.search(r"reading d\.csv  (\S+) s", text) for text in drawn if "d.csv" in text]
    seconds = [float(found[1]) for found in told]
    assert len(seconds) > 1
    assert seconds == sorted(seconds)
    assert drawn[-1] == ""  # nothing is left of the line


def test_work_that_takes_long_is_silent_unless_asked(capsys, monkeypatch):
    monkeypatch.setattr("unimds._runtime.watch.TICK", 0.1)
    with Watch(None, 0, 0.0).ticking("reading d.csv"):
        time.sleep(0.5)
    assert capsys.readouterr() == ("", "")


def test_a_message_does_not_end_up_within_a_bar(capsys):
    bar = Bar()
    bar.draw(0.5, "halfway", now=True)
    tell("Stop.")
    bar.draw(0.5, "halfway", now=True)
    bar.close()
    *_, blank, message, _ = capsys.readouterr().err.split("\r")
    assert blank.strip() == ""
    assert message == "Stop.\n"


def test_compiling_is_told_once_and_only_to_who_asks(capsys):
    with compiling_told(0):
        compiling()
    assert capsys.readouterr().err == ""
    with compiling_told(1):
        assert capsys.readouterr().err == ""  # nothing is compiled yet
        with compiling_told(1):
            compiling()
        compiling()
    compiling()
    assert capsys.readouterr().err == f"{COMPILING}\n"


def test_the_share_of_the_distances_that_are_computed_is_shown(capsys, monkeypatch):
    """A metric in plain Python: a pass over 30 points takes seconds, and is no silent one."""
    X = np.random.default_rng(0).normal(size=(30, 3))
    monkeypatch.setattr("unimds.distances.table.TILE", 60)  # two rows at a time

    def slow(x, y):
        time.sleep(0.002)
        return float(np.linalg.norm(x - y))

    table = ComputedTable(X, Metric(slow, {}), np.float64)
    watch, shares = Watch(None, 1, 0.0), []
    table.told = lambda share: (shares.append(share), watch.passing(share))
    with watch.ticking("checking"):
        for _ in table.tiles():
            pass
    assert shares == sorted(shares)
    assert (len(shares), shares[-1]) == (15, 1.0)
    assert "checking  computing distances " in capsys.readouterr().err


sends_interrupts = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows cannot send SIGINT to a process"
)


@sends_interrupts
@pytest.mark.parametrize(("n_init", "n_jobs"), [(1, None), (4, 2)])
def test_interrupt_returns_the_best_so_far(noisy, n_init, n_jobs):
    """A real SIGINT, sent while the sweeps run."""

    sent = []

    def interrupt(i, cost, X):
        if i == 5 and not sent:
            sent.append(i)
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.05)  # the main thread takes the signal before the next sweep ends

    assert threading.current_thread() is threading.main_thread()
    with pytest.warns(RuntimeWarning, match="Interrupted"):
        result = place_center(
            noisy,
            2,
            n_init=n_init,
            n_jobs=n_jobs,
            random_state=0,
            eps=0.0,
            max_iter=100_000,
            callback=interrupt,
        )
    assert result.outcome is Outcome.INTERRUPTED
    assert result.cost == pytest.approx(total_cost(noisy, result.embedding))
    assert result.n_iter < 100_000


@pytest.mark.slow
@sends_interrupts
def test_control_c_in_a_script(tmp_path):
    """As a person does it: the process gets ^C, reports, and ends by itself."""
    script = tmp_path / "long.py"
    script.write_text(
        "import numpy as np, sys\n"
        "from unimds import place_center\n"
        "rng = np.random.default_rng(0)\n"
        "D = rng.uniform(size=(300, 300)); D = np.triu(D, 1); D = D + D.T\n"
        "def tell(i, cost, X):\n"
        "    if i == 3: print('running', flush=True)\n"
        "r = place_center(D, 2, n_init=1, eps=0.0, max_iter=10**9, callback=tell,\n"
        "                 accelerate=False)\n"
        "print(r.outcome.name, r.n_iter, np.isfinite(r.embedding).all())\n"
    )
    # no buffer: `communicate` does not give what `readline` has read ahead of its line
    process = subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
    )
    assert process.stdout.readline().strip() == b"running"
    process.send_signal(signal.SIGINT)
    out, err = (said.decode() for said in process.communicate(timeout=60))
    assert process.returncode == 0, err
    # a run that has reached rounding level by then has converged
    assert out.split()[0] in ("INTERRUPTED", "STATIONARY")
    assert out.split()[2] == "True"
    if out.startswith("INTERRUPTED"):
        assert "best configuration so far" in err
