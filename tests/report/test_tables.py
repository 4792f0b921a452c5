"""Reports on several tables, and on rows and columns."""

import numpy as np
import pandas as pd
import pytest

from unimds import IndividualDifferences, Unfolding
from unimds.report import report
from unimds.spaces import distances

pytest.importorskip("plotly")


def test_a_report_tells_the_subjects():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(8, 2))
    tables = {name: distances(X * rng.uniform(0.5, 1.5, 2)) for name in ("Ann & Co", "Bob")}
    fit = IndividualDifferences(2, random_state=0).fit(tables)
    page = report(fit, title="Two")
    assert 'id="subjects"' in page
    assert "Ann &amp; Co" in page
    assert f"{fit.weights_[0, 0]:.3f}" in page
    assert "A map of 8 objects from 2 tables" in report(fit)
    assert "pass them as D" not in page
    assert "<td>IndividualDifferences</td>" in page
    with pytest.raises(ValueError, match="leave new out"):
        report(fit, new=[[1.0]])
    with pytest.raises(ValueError, match="leave the rest out"):
        report(fit, tables["Bob"])


def test_a_report_says_that_a_map_is_exact_instead_of_naming_the_worst():
    rng = np.random.default_rng(1)
    given = np.linalg.norm(rng.normal(size=(12, 1, 2)) - rng.normal(size=(6, 2)), axis=2)
    page = report(Unfolding(2, random_state=0).fit(given))
    assert "The map fits every row exactly." in page
    assert "that fits worst" not in page


def test_a_report_tells_rows_and_columns():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.uniform(0.2, 2.0, size=(12, 4)), columns=["tea", "milk", "ale", "rum"])
    fit = Unfolding(2, level="ordinal", random_state=0, n_init=2, eps=1e-3).fit(frame)
    page = report(fit)
    assert 'id="rows-and-columns"' in page
    assert "tea" in page
    assert f"{fit.variation_:.2f}: near 0" in page
