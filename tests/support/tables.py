"""Tables of distances, and two ways to embed one."""

import numpy as np
import pandas as pd

from unimds import MDS, place_center
from unimds.experiments.data import perturb, subspace
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


def table(rng, n, space, noise=0.0, k=2):
    """Distances between random points of a space, each off by a random factor."""
    points = space.random(n, k, 1.5 * space.unit, rng)
    D = distances(points, space=space)
    if noise > 0.0:
        D *= np.exp(noise * rng.normal(size=(n, n)))
        # what the space can hold: all of a sphere, a handful of radii of curvature
        D = np.minimum(D, min(0.999 * space.diameter, 8.0 * space.unit))
    D = np.triu(D, 1)
    return D + D.T, points


def paper_data(share, seed=0, n=300, d=200, k=10):
    """Points of a k-dimensional subspace; a share of their distances gets Poisson noise."""
    rng = np.random.default_rng(seed)
    points, _ = subspace(n, d, k, rng)
    return perturb(distances(points), share, rng), points
