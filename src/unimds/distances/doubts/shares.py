"""How much a single feature counts: its share in what a metric measures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

SAMPLE = 100  # rows whose pairs are looked at


@final
class Measured(NamedTuple):
    """What a metric adds up over the features.

    Attributes
    ----------
    what : str
        What is added up, in words.
    most : float
        Share from which one feature hides the rest.
    amounts : callable
        Returns the amount of each feature, and the sum.
    scaled : bool
        Whether features of the same spread would count alike.
    """

    what: str
    most: float
    amounts: Callable[[Array], tuple[Array, float]]
    scaled: bool = False


def largest_share(features: Array, metric: Any = "euclidean") -> tuple[int, float]:
    """Return the feature with the largest share in what a metric measures, and the share.

    Examples
    --------
    >>> X = np.array([[7.1, 1950.0], [6.9, 2000.0], [7.3, 2020.0]])
    >>> j, share = largest_share(X)
    >>> j, f"{share:.2%}"
    (1, '100.00%')
    >>> j, share = largest_share(np.array([[30, 40, 2024], [0, 50, 2024]]), "braycurtis")
    >>> j, f"{share:.2%}"
    (2, '97.12%')
    """
    amounts, total = MEASURED[metric].amounts(np.asarray(features, dtype=np.float64))
    at = int(amounts.argmax())
    return at, float(amounts[at] / total) if total > 0.0 else 0.0


def _summed(amounts: Array) -> tuple[Array, float]:
    return amounts, float(amounts.sum())


def _variances(X: Array) -> tuple[Array, float]:
    return _summed(np.nanvar(X, axis=0))


def _differences(X: Array) -> tuple[Array, float]:
    X = np.sort(X, axis=0)
    rank = 2.0 * np.arange(len(X)) + 1.0 - len(X)  # how often an entry counts plus, less minus
    return _summed(rank @ X)


def _sizes(X: Array) -> tuple[Array, float]:
    return _summed(np.abs(X).sum(axis=0))


def _squares(X: Array) -> tuple[Array, float]:
    return _summed(np.square(X).sum(axis=0))


def _centred_squares(X: Array) -> tuple[Array, float]:
    """Return by how much the centred rows would be shorter without each feature."""
    m = X.shape[1]
    S, Q = X.sum(axis=1, keepdims=True), np.square(X).sum(axis=1, keepdims=True)
    every = Q - S**2 / m
    rest = Q - X**2 - (S - X) ** 2 / max(1, m - 1)
    return (every - rest).sum(axis=0), float(every.sum())


def _ratios(X: Array) -> tuple[Array, float]:
    """Return Canberra's ratios, over the pairs of some of the rows."""
    X = X[np.linspace(0, len(X) - 1, min(len(X), SAMPLE)).astype(int)]
    sizes = np.abs(X)
    total = np.zeros(X.shape[1])
    for i in range(1, len(X)):
        below = sizes[i] + sizes[:i]
        total += np.divide(np.abs(X[i] - X[:i]), below, np.zeros_like(below), where=below > 0).sum(
            0
        )
    return _summed(total)


MOST = 0.99
SQUARED = Measured("of the squared distances", MOST, _variances, True)
SUMMED = Measured("of the distances", MOST, _differences, True)
# a sum over all species is harmless in itself: one species may be as frequent as nine others
BRAY = Measured("of the sums that Bray–Curtis divides by", 0.9, _sizes)

MEASURED = {
    **dict.fromkeys(("euclidean", "l2", "sqeuclidean"), SQUARED),
    **dict.fromkeys(("manhattan", "cityblock", "l1"), SUMMED),
    "braycurtis": BRAY,
    "canberra": Measured("of the distances", MOST, _ratios),
    "cosine": Measured("of the squared lengths of the rows", MOST, _squares),
    "correlation": Measured("of the squared lengths of the centred rows", MOST, _centred_squares),
}
"""What metrics add up, by their names; no other metric adds up its features."""
