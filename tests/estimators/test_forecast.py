"""Before a long fit: how many distances, what they take, and what is quicker."""

import re
import time

import numpy as np
import pytest

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
    assert re.match(r"400 points have .* Computing them takes about \S+ s\.\n", said)
    assert re.search(rf"They do not fit in the memory, .* many passes\. {QUICKER}", said)


def test_few_points_and_quiet_fits_need_no_forecast(fit, capsys, monkeypatch):
    MDS(**fit).fit(X)
    assert "quicker" not in capsys.readouterr().err
    monkeypatch.setattr(forecast, "MANY", 1)
    MDS(**(fit | {"verbose": 0})).fit(X)
    assert capsys.readouterr().err == ""


def test_the_time_of_computing_distances_is_measured():
    def slow(x, y):
        time.sleep(0.001)
        return float(abs(x - y).sum())

    table = ComputedTable(X[:80], Metric(slow, {}), np.float64)
    expected = forecast._row_seconds(table) * table.n
    began = time.perf_counter()
    table.whole()
    assert 0.3 < (time.perf_counter() - began) / expected < 3.0


def test_the_time_of_a_pass_grows_with_the_square_of_the_points():
    points = np.random.default_rng(0).normal(size=(4000, 2))
    problem = Problem.posed(as_pairs(distances(points)), Squared(), Euclidean(), 2)
    expected = forecast.pass_seconds(problem)
    start = np.ascontiguousarray(points.T)
    problem.costs(start, problem.frame.loss, problem.frame.space)
    took = []
    for _ in range(3):
        began = time.perf_counter()
        problem.costs(start, problem.frame.loss, problem.frame.space)
        took.append(time.perf_counter() - began)
    assert 0.1 < min(took) / expected < 10.0  # other work of the machine may slow either
