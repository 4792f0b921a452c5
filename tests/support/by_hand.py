"""The rivals and data for them, and what they minimise in formulas that are not the library's."""

import numpy as np
from scipy.optimize import minimize

from tests.support.tables import table
from unimds import ChordalSphere, Euclidean, Sphere
from unimds.rivals import (
    classical_mds,
    lbfgs,
    multiresolution,
    renormalised,
    robust_euclidean_embedding,
    sgd,
    smacof,
    smacof_q,
)
from unimds.spaces import distances

REE = robust_euclidean_embedding
METHODS = {
    "classical": (classical_mds, Euclidean(), {}),
    "smacof": (smacof, Euclidean(), {}),
    "lbfgs": (lbfgs, Euclidean(), {}),
    "CD+SVD": (REE, Euclidean(), {"max_iter": 200}),
    "CD+rand": (REE, Euclidean(), {"max_iter": 200, "init": "random", "random_state": 0}),
    "sdp": (REE, Euclidean(), {"method": "sdp"}),
    "smacof_q": (smacof_q, ChordalSphere(), {}),
    "geodesic smacof_q": (smacof_q, Sphere(), {}),
    "multiresolution": (multiresolution, Sphere(), {"coarsest": 4}),
    "renormalised": (renormalised, Sphere(), {}),
    "chordal renormalised": (renormalised, ChordalSphere(), {}),
    "sgd": (sgd, Euclidean(), {"random_state": 0}),
    "sgd on the sphere": (sgd, Sphere(), {"random_state": 0}),
}
COMPLETE = [which for which in METHODS if METHODS[which][0] not in (smacof, lbfgs, sgd)]
DETERMINED = [which for which in METHODS if "random_state" not in METHODS[which][2]]
GEODESIC = [which for which in METHODS if METHODS[which][1] == Sphere()]
WATCHED = ["smacof", "lbfgs", "CD+SVD", "smacof_q", "multiresolution", "sgd", "sgd on the sphere"]
ENDLESS = ["smacof", "lbfgs", "smacof_q", "multiresolution"]  # until they settle


def noisy(n, space, k=2, noise=0.3, seed=0):
    return table(np.random.default_rng(seed), n, space, noise=noise, k=k)[0]


def unit_vectors(n, k=3, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, k))
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def some_weights(n, seed=1):
    """Weights over two decades, not the same both ways."""
    return 10.0 ** np.random.default_rng(seed).uniform(-1.0, 1.0, size=(n, n))


def straight(X):
    """Distances by another formula than the library's."""
    return np.sqrt(np.sum((X[:, None] - X[None]) ** 2, axis=-1))


def angles(X):
    X = X / np.linalg.norm(X, axis=1, keepdims=True)
    return np.arccos(np.clip(X @ X.T, -1.0, 1.0)) * (1.0 - np.eye(len(X)))


def weighted_stress(D, W, X):
    """Σ w (u − d)² over both directions of each pair, halved; NaN where nothing is known."""
    off = ~np.eye(len(D), dtype=bool)
    return 0.5 * np.nansum((W * (straight(X) - D) ** 2)[off])


def smooth_stress(D, W):
    """The same as a function of flat coordinates that SciPy can take, with its gradient."""
    W, D = W * ~np.isnan(D) * (1.0 - np.eye(len(D))), np.nan_to_num(D)

    def value(flat):
        X = flat.reshape(len(D), -1)
        U = straight(X) + np.eye(len(D))
        pull = W * (1.0 - D / U)
        pull = pull + pull.T
        slope = pull.sum(axis=1)[:, None] * X - pull @ X
        return 0.5 * np.sum(W * (U - D) ** 2), slope.ravel()

    return value


def geodesic(D):
    """Σ (angle − d)² over the pairs, as a function of flat coordinates of any length."""
    return lambda flat: 0.5 * np.sum((angles(flat.reshape(len(D), -1)) - D) ** 2)


def by_scipy(value, X, jac=True):
    """The lowest that SciPy finds downhill from a configuration."""
    tight = {"maxiter": 5000, "maxfun": 10**6, "ftol": 1e-15, "gtol": 1e-10}
    return minimize(value, X.ravel(), jac=jac, method="L-BFGS-B", options=tight)


def data(which, n=14, **options):
    return noisy(n, METHODS[which][1], k=4, **options)


def exact(which, n=14):
    """Distances that the method can meet, and the points."""
    space = METHODS[which][1]
    X = 0.5 * np.random.default_rng(0).normal(size=(n, 2))
    if space != Euclidean():
        X = unit_vectors(n)
    return distances(X, space=space), X
