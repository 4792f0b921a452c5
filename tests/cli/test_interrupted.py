"""`unimds embed`, interrupted: by ^C, killed, or by a reader who has had enough."""

import signal
import sys
import time

import numpy as np
import pytest

from tests.support.commands import CITIES, NEW, ONE_START, end, names, python, run, start
from tests.support.parts import slow
from unimds import MDS, Outcome
from unimds.cli import main
from unimds.cli.commands import embed as module
from unimds.files.archive import read_archive
from unimds.spaces import distances


@pytest.fixture
def long(tmp_path):
    """A table that takes for ever: the cost falls and falls."""
    X = np.random.default_rng(0).normal(size=(1500, 8))
    np.save(tmp_path / "d.npy", distances(X))
    precise = ("--loss", "absolute", "--eps", "0", "--max-iter", "1000000", "--n-init", "1")
    return ("embed", "d.npy", "-o", "map.npy", *precise)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot send SIGINT to a process")
def test_interrupted_it_writes_the_best_so_far_and_goes_on(long, tmp_path, monkeypatch):
    kept = ("--checkpoint", "run.ckpt", "--checkpoint-every", "0.1")
    process = start(*long, *kept, cwd=tmp_path)
    while not (tmp_path / "run.ckpt").exists() and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    said = end(process)
    assert (said.code, said.out) == (130, "")
    assert "Traceback" not in said.err
    assert said.err.count("nterrupted") == 1
    assert said.err.endswith(
        "Interrupted: the best map so far is in map.npy. "
        "The same command with --force resumes from run.ckpt.\n"
    )
    assert np.load(tmp_path / "map.npy").shape == (1500, 2)
    assert names(tmp_path) == ["d.npy", "map.npy", "run.ckpt"]

    monkeypatch.chdir(tmp_path)
    said = run(*long, *kept, "-f", "--seed", "7")
    assert said.code == 1
    assert "belongs to other data or other settings" in said.err


def test_on_a_terminal_too_an_interruption_is_told_once(cities, tmp_path, monkeypatch):
    def callback(*_):
        raise KeyboardInterrupt

    for room in ("commands.embed", "fitted"):
        monkeypatch.setattr(f"unimds.cli.{room}.watched", lambda quiet: not quiet)
    monkeypatch.setattr(
        "unimds.estimators.mds.MDS", lambda **params: MDS(**params, callback=callback)
    )
    said = run("embed", cities, "-o", tmp_path / "map.npy", "--n-init", "1")
    assert said.code == 130
    assert said.err.count("nterrupted") == 1
    assert said.err.endswith(f"Interrupted: the best map so far is in {tmp_path / 'map.npy'}.\n")


def test_a_run_that_goes_on_ends_like_one_that_was_not_interrupted(cities, tmp_path, monkeypatch):
    options = ("--variant", "rMDS", "--n-init", "1", "-q")
    assert run("embed", cities, "-o", tmp_path / "whole.npy", *options).code == 0
    count = 0

    def callback(*_):
        nonlocal count
        count += 1
        if count == 8:
            raise KeyboardInterrupt

    kept = ("--checkpoint", tmp_path / "c")
    with monkeypatch.context() as patch:
        patch.setattr(
            "unimds.estimators.mds.MDS", lambda **params: MDS(**params, callback=callback)
        )
        said = run("embed", cities, "-o", tmp_path / "map.npy", *options, *kept)
    assert said.code == 130
    assert (tmp_path / "c").exists()
    assert run("embed", cities, "-o", tmp_path / "map.npy", *options, *kept, "-f").code == 0
    assert np.array_equal(np.load(tmp_path / "map.npy"), np.load(tmp_path / "whole.npy"))
    assert not (tmp_path / "c").exists()  # the run is over


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_killed_it_leaves_a_whole_checkpoint_and_goes_on_to_the_same_map(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save(tmp_path / "d.npy", distances(np.random.default_rng(0).normal(size=(60, 8))))
    long = ("embed", "d.npy", "--n-init", "1", "--eps", "0", "--max-iter", "3000", "--quiet")
    kept = ("--checkpoint", "run.ckpt", "--checkpoint-every", "0")
    assert run(*long, "-o", "whole.npy").code == 0
    first = killed((*long, "-o", "map.npy", *kept), tmp_path, after=20)
    assert killed((*long, "-o", "map.npy", *kept), tmp_path, after=first + 1) > first
    assert run(*long, "-o", "map.npy", *kept[:2]).code == 0
    assert np.array_equal(np.load(tmp_path / "map.npy"), np.load(tmp_path / "whole.npy"))
    assert not (tmp_path / "run.ckpt").exists()


def killed(command, folder, after):
    """Kill a run hard after so many sweeps; return how many its checkpoint holds.

    The checkpoint is read all the time: at no moment may it be anything but whole.
    """
    path, sweeps = folder / "run.ckpt", 0
    begun = kept_sweeps(path)
    process = start(*command, cwd=folder)
    while sweeps < after:
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.01)
        sweeps = kept_sweeps(path)
        assert sweeps >= begun  # it goes on, and does not begin anew
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    # what was being written may be left, under a name that nobody looks for
    left = [name for name in names(folder) if ".partial" not in name]
    assert left == ["d.npy", "run.ckpt", "whole.npy"]
    return kept_sweeps(path)


def kept_sweeps(path):
    if not path.exists():
        return 0
    header, _ = read_archive(path, "checkpoint")
    return header["descents"]["0"]["sweeps"]


def test_interrupted_before_there_is_a_map(cities, tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "_fit", interrupted)
    said = run("embed", cities, "-o", tmp_path / "m.csv")
    assert (said.code, said.out) == (130, "")
    assert said.err == "\nInterrupted before there was a map: nothing was written.\n"
    assert names(tmp_path) == ["cities.csv"]
    assert Outcome.INTERRUPTED.name == "INTERRUPTED"  # what the command looks for


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no pipes of this kind")
def test_a_reader_who_has_had_enough_is_no_error(tmp_path):
    (tmp_path / "d.csv").write_text(CITIES)
    with start("embed", "d.csv", "--quiet", *ONE_START, cwd=tmp_path) as process:
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait() == 1


def test_interrupted_while_the_report_is_made_it_says_where_the_map_is(
    cities, tmp_path, monkeypatch
):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("unimds.report.write_report", interrupted)
    files = {name: tmp_path / name for name in ("map.csv", "r.html", "p.png")}
    options = ("-o", files["map.csv"], "--report", files["r.html"], "--plot", files["p.png"])
    said = run("embed", cities, *options, *ONE_START)
    assert said.code == 130
    assert f"the map is complete and in {files['map.csv']}" in said.err
    assert f"Not written: {files['r.html']}, {files['p.png']}." in said.err
    assert "nothing was written" not in said.err
    assert names(tmp_path) == sorted({*names(tmp_path), "map.csv"} - {"r.html", "p.png"})


# --- more than one ^C, and ^C while code is compiled ----------------------------------------------

posix = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows cannot send SIGINT to a process"
)


@posix
@pytest.mark.slow
@pytest.mark.parametrize("gap", [0.0, 0.02, 0.15])
def test_more_than_one_interruption_does_not_lose_the_map(long, tmp_path, gap):
    kept = ("--checkpoint", "run.ckpt", "--checkpoint-every", "0.1", "--report", "r.html")
    process = start(*long, *kept, cwd=tmp_path)
    while not (tmp_path / "run.ckpt").exists() and process.poll() is None:
        time.sleep(0.01)
    for _ in range(6):
        process.send_signal(signal.SIGINT)
        time.sleep(gap)
    said = end(process)
    assert said.code == 130
    assert "Traceback" not in said.err
    assert np.load(tmp_path / "map.npy").shape == (1500, 2)
    assert "Interrupted: the best map so far is in map.npy." in said.err
    assert "complete" not in said.err
    whole = (tmp_path / "r.html").exists()
    assert whole == ("Not written: r.html." not in said.err)
    assert not whole or "</html>" in (tmp_path / "r.html").read_text(encoding="utf-8")
    assert not [name for name in names(tmp_path) if ".partial" in name]


@pytest.mark.slow
@posix
@pytest.mark.parametrize("times", [1, slow(3)])
def test_interrupted_while_compiling_it_says_so(cities, tmp_path, times):
    cache = tmp_path / "cache"
    command = ("embed", cities, "-o", "m.csv", "--loss", "huber:0.3")
    process = start(*command, cwd=tmp_path, env={"NUMBA_CACHE_DIR": str(cache)})
    while not list(cache.glob("**/*.nbc")) and process.poll() is None:
        time.sleep(0.01)
    time.sleep(0.2)
    for _ in range(times):
        process.send_signal(signal.SIGINT)
        time.sleep(0.05)
    said = end(process)
    assert (said.code, said.out) == (130, "")
    assert said.err.endswith(
        "Interrupted while code was being compiled, before there was a map: nothing was written. "
        "The next run does not compile again what has been compiled.\n"
    )
    assert "Traceback" not in said.err
    assert not (tmp_path / "m.csv").exists()


SWALLOWED = """
import signal, sys, time, weakref
from unimds.cli.interrupts import interrupts

class Thing:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)

with interrupts.handled():
    try:
        Thing()
        for _ in range(500):  # the second signal of a process to itself ends no sleep
            time.sleep(0.01)
        print("lost")
    except KeyboardInterrupt:
        print("interrupted")
"""


@posix
def test_an_interruption_that_python_would_ignore_counts(tmp_path):
    """As in a callback from compiled code, or in a finaliser: Python only prints a traceback."""
    said = end(python("-c", SWALLOWED, cwd=tmp_path))
    assert (said.code, said.out, said.err) == (0, "interrupted\n", "")


FAILED = """
import signal
from unimds.cli.interrupts import interrupts

class Thing:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)

with interrupts.handled():
    try:
        with interrupts.recalled():
            Thing()
            raise RuntimeError("what should have been compiled is missing")
    except KeyboardInterrupt as error:
        print("interrupted:", error.__cause__)
"""


@posix
def test_an_error_after_a_forgotten_interruption_is_the_interruption(tmp_path):
    """As Numba's, if the interruption meets a callback of its compiler."""
    said = end(python("-c", FAILED, cwd=tmp_path))
    out = "interrupted: what should have been compiled is missing\n"
    assert (said.code, said.out, said.err) == (0, out, "")


HELD = """
import signal
from unimds.cli.interrupts import interrupts

with interrupts.handled():
    try:
        with interrupts.held():
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
            print("written")
        print("lost")
    except KeyboardInterrupt:
        signal.raise_signal(signal.SIGINT)
        print("interrupted")
    try:
        interrupts.heed()
    except KeyboardInterrupt:
        print("again")
"""


@posix
def test_an_interruption_waits_for_what_must_be_written(tmp_path):
    said = end(python("-c", HELD, cwd=tmp_path))
    assert (said.code, said.out) == (0, "written\ninterrupted\nagain\n")
    assert "Traceback" not in said.err


def test_interrupted_place_says_where_the_new_points_are(cities, tmp_path, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    model, new, out = (tmp_path / name for name in ("m.unimds", "new.csv", "o.csv"))
    options = ("--model", model, "-o", tmp_path / "m.csv", "-q", *ONE_START)
    assert run("embed", cities, *options).code == 0
    new.write_text(NEW)
    monkeypatch.setattr("unimds.report.placed.write_placed_report", interrupted)
    page = tmp_path / "r.html"
    said = run("place", model, new, "-o", out, "--report", page)
    assert said.code == 130
    assert f"Interrupted: the new points are in {out}. Not written: {page}." in said.err
    assert out.exists()
    assert not page.exists()
    monkeypatch.setattr(MDS, "transform", interrupted)
    said = run("place", model, new, "-o", tmp_path / "p.csv")
    assert (said.code, said.err) == (130, "\nInterrupted: nothing was written.\n")


@posix
def test_who_calls_the_command_line_can_be_interrupted_afterwards(monkeypatch):
    monkeypatch.setattr("sys.argv", ["unimds", "info"])
    with pytest.raises(SystemExit):
        main()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
