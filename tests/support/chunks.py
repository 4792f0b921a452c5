"""Tables in chunks, for tests on a Dask cluster."""

import dask.array as da
import numpy as np

from unimds import spaces

N = 150


def points(n=N, k=2, seed=0):
    return np.random.default_rng(seed).normal(size=(n, k))


def table(n=N, k=5):
    return spaces.distances(points(n, k))


def chunked(D, rows=50):
    return da.from_array(D, chunks=(rows, -1))
