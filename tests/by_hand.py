"""Data for the rivals, and what they minimise in formulas that are not the library's."""

import numpy as np
from common import table
from scipy.optimize import minimize
from threadpoolctl import threadpool_limits


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
    with threadpool_limits(1):  # threads on vectors as short as these wait for each other
        return minimize(value, X.ravel(), jac=jac, method="L-BFGS-B", options=tight)
