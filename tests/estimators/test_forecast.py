"""Before a long fit: how many distances, what they take, and what is quicker."""

import re
import subprocess
import sys

import numpy as np
import pytest

from tests.support.commands import run
from unimds import MDS
from unimds.distances.metric import Metric
from unimds.distances.pairs import as_pairs
from unimds.distances.table import ComputedTable
from unimds.estimators import forecast
from unimds.losses import Squared
from unimds.placecenter.problem import Problem
from unimds.spaces import Euclidean, distances

X = np.random.default_rng(0).normal(size=(400, 5))
QUICKER = r"LandmarkMDS \(on the command line: --landmarks\) is much quicker\."


@pytest.fixture
def many(monkeypatch):
    """Let 400 points be many: 10,000 would take a minute."""
    monkeypatch.setattr(forecast, "MANY", 400 * 399 // 2)


@pytest.fixture
def fit():
    return {"verbose": 1, "random_state": 0, "init": "classical"}


def test_a_fit_that_holds_its_distances_says_what_a_pass_takes(many, fit, capsys):
    MDS(**fit).fit(X)
    said = capsys.readouterr().err
    count = "400 points have 0.0798 million distances, a table of 1.28 MB."
    assert said.startswith(f"{count} Computing them takes about ")
    assert re.search(rf"{re.escape(count)} One pass over them takes about \S+ s, and", said)
    assert re.search(QUICKER, said)
    assert "do not fit" not in said


def test_a_fit_that_computes_its_distances_anew_says_so(many, fit, capsys):
    MDS(memory_limit=1000, **fit).fit(X)
    said = capsys.readouterr().err
    assert re.match(rf"400 points have .* Computing them takes about \S+ s\. {QUICKER}\n", said)
    assert re.search(r"They do not fit in the memory, .* many passes\.\n", said)


def test_the_command_line_says_what_is_quicker_before_it_measures(many, tmp_path):
    np.save(tmp_path / "x.npy", X)
    how = (
        "embed",
        tmp_path / "x.npy",
        "-o",
        tmp_path / "map.csv",
        "--force",
        "--init",
        "classical",
    )
    said = run(*how)
    first, *_ = said.err.splitlines()
    assert first == (
        "400 points have 0.0798 million distances, a table of 1.28 MB. A map takes many passes "
        "over them; --landmarks 1000 is much quicker."
    )
    assert run(*how, "--quiet").err == ""
    assert "quicker" not in run(*how, "--landmarks", "50").err


LITTLE = """
import resource
import numpy as np
from unimds import MDS
from unimds.estimators.solver import available_memory

X = np.random.default_rng(0).normal(size=(12_000, 2))
MDS(max_iter=1).fit(X[:20])
with open("/proc/self/statm") as sizes:
    used = int(sizes.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 300_000_000, resource.RLIM_INFINITY))
assert 0 < available_memory() <= 300_000_000
MDS(memory_limit=None).fit(X)
"""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits memory as Linux does")
def test_too_little_memory_is_said_in_a_sentence_with_what_to_do():
    ended = subprocess.run([sys.executable, "-c", LITTLE], capture_output=True, text=True)
    told = ended.stderr.strip().splitlines()[-1]
    assert told.startswith("MemoryError: the memory is not enough: 12,000 points have 72 million")
    assert re.search(rf"a table of 1.15 GB. {QUICKER}", told)


def test_few_points_and_quiet_fits_need_no_forecast(fit, capsys, monkeypatch):
    MDS(**fit).fit(X)
    assert "quicker" not in capsys.readouterr().err
    monkeypatch.setattr(forecast, "MANY", 1)
    MDS(**(fit | {"verbose": 0})).fit(X)
    assert capsys.readouterr().err == ""


class Clock:
    """A clock that only work moves on, whatever else the machine does."""

    now = 0.0

    def perf_counter(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(forecast, "time", clock)
    return clock


def test_the_time_of_computing_distances_is_measured(clock):
    def slow(x, y):
        clock.now += 0.001
        return float(abs(x - y).sum())

    table = ComputedTable(X[:80], Metric(slow, {}), np.float64)
    expected = forecast._row_seconds(table) * table.n
    began = clock.now
    table.whole()
    assert 0.3 < (clock.now - began) / expected < 3.0


def test_the_time_of_a_pass_grows_with_the_square_of_the_points(clock, monkeypatch):
    points = np.random.default_rng(0).normal(size=(4000, 2))
    problem = Problem.posed(as_pairs(distances(points)), Squared(), Euclidean(), 2)
    costs = Problem.costs

    def counted(self, *arguments):
        clock.now += 1e-9 * self.pairs.n**2
        return costs(self, *arguments)

    monkeypatch.setattr(Problem, "costs", counted)
    assert forecast.pass_seconds(problem) == pytest.approx(1e-9 * 4000**2)
