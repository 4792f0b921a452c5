"""How often the order of the points decides: the measurement, and the page that it writes."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def bench(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import starts

    yield starts
    sys.modules.pop("starts")


@pytest.mark.slow  # a benchmark in small
def test_costs_of_permuted_problems_are_compared(bench, monkeypatch):
    monkeypatch.setattr(bench, "PROBLEMS", 4)
    monkeypatch.setattr(bench, "LOSSES", ("squared",))
    found = bench.by_order()
    assert [name for name, _ in found] == list(bench.SPACES)
    assert all(apart.shape == (1,) and apart[0] >= 0.0 for apart in found.values())


def test_differences_are_counted(bench):
    found = {("line", "squared"): np.array([0.0, 1.0, 3.0]), ("plane", "huber"): np.array([30.0])}
    *_, line, plane, every = bench.order_section(found)
    assert line == "| line | squared | 3 | 1 | 0 | 3.0 |"
    assert plane == "| plane | huber | 1 | 1 | 1 | 30.0 |"
    assert every == "| **all** | | **4** | **2** | **1** | **30.0** |"


def test_the_page_has_the_measurement(bench):
    section = bench.PAGE.read_text(encoding="utf-8").partition(bench.ORDER)[2]
    rows = re.findall(r"^\| (?:[^*|]+\| ){2}(\d+) \| (\d+) \| (\d+) \|", section, re.MULTILINE)
    (every,) = re.findall(r"\*\*all\*\* \| \| \*\*(\d+)\*\* \| \*\*(\d+)\*\* \| \*\*(\d+)", section)
    assert len(rows) == len(bench.LOSSES) * len(bench.SPACES)
    assert np.array(rows, dtype=int).sum(axis=0).tolist() == [int(number) for number in every]
    assert int(every[0]) == bench.PROBLEMS
