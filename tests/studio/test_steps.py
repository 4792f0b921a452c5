"""Steps: what a fit of the studio is, and what it leaves behind."""

from __future__ import annotations

import numpy as np
from sklearn.base import clone

from unimds.files import Table
from unimds.spaces import distances
from unimds.studio.settings import Settings
from unimds.studio.steps import Step, fitted


def table_of(n: int) -> Table:
    D = distances(np.random.default_rng(0).normal(size=(n, 5)))
    return Table(D, "distances", "csv", "square")


def test_a_copy_of_a_stopped_map_is_not_stopped() -> None:
    table = table_of(20)
    mds = fitted(table, Step(Settings().changed({"start": "random"}), limit=2))
    assert mds.n_iter_ == 2
    assert clone(mds).fit(table.values).n_iter_ > 2
