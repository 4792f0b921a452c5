"""What several tests share."""

import numpy as np
import pytest

from unimds import (
    Absolute,
    ChordalSphere,
    Euclidean,
    Huber,
    Hyperbolic,
    Power,
    Simplex,
    Sphere,
    Squared,
    SquaredDistance,
)
from unimds.experiments.data import perturb, subspace
from unimds.spaces import distances

LOSSES = [Squared(), Absolute(), Power(1.5), Huber(0.3), SquaredDistance()]
SPACES = [Euclidean(), Sphere(), ChordalSphere(), Hyperbolic(), Simplex()]


def slow(*values, **options):
    """Return a case of a parametrised test that is a slow one: mostly for what it compiles."""
    return pytest.param(*values, marks=pytest.mark.slow, **options)


def name(part):
    return type(part).__name__


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
