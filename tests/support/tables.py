"""A small table of distances, and two ways to embed it."""

import numpy as np
import pandas as pd

from unimds import (
    MDS,
    place_center,
)
from unimds.spaces import distances

N = 6
POINTS = np.random.default_rng(0).uniform(0.0, 0.6, size=(N, 2))
D = distances(POINTS)  # at most 0.85: fits every space
LABELS = list("abcdef")
FRAME = pd.DataFrame(D, index=LABELS, columns=LABELS)


def by_function(table, **options):
    return place_center(table, **{"random_state": 0, **options})


def by_estimator(table, **options):
    data = {name: options.pop(name) for name in ("weights", "fixed") if name in options}
    return MDS(metric="precomputed", **{"random_state": 0, **options}).fit(table, **data).result_


def changed(i, j, value, table=D):
    table = table.copy()
    table[i, j] = value
    return table
