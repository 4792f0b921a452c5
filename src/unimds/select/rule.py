"""Which candidate to choose: the simplest of those that predict as well as the best.

The errors of two candidates rise and fall together from fold to fold, as some pairs are harder to
predict than others. So candidates are compared fold by fold, and the standard error is that of
their *difference*: a paired comparison.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unimds.levels import Interval, MonotoneSpline, PowerLaw, as_level
from unimds.losses import Squared
from unimds.spaces.base import Space
from unimds.spaces.euclidean import Euclidean

Array = NDArray[Any]

TIE = 1e-3
"""A difference of this share of the error of one distance for all is no difference."""

RULES = ("one_standard_error", "lowest")
"""How to choose: the simplest within a standard error of the best, or the best."""


class Excess(NamedTuple):
    """How much more wrong than the best each candidate is, and the standard error of that."""

    mean: Array
    error: Array


def standard_error(errors: Array) -> Array:
    """Return the standard error of the mean of every row; NaN for a single column."""
    folds = errors.shape[1]
    if folds < 2:
        return np.full(len(errors), np.nan)
    return np.asarray(errors.std(axis=1, ddof=1) / np.sqrt(folds))


def excess_over(errors: Array, best: Array) -> Excess:
    """Compare candidates, a row each, with the errors of the best one in the same folds.

    Examples
    --------
    >>> errors = np.array([[1.0, 2.0, 3.0], [1.5, 2.5, 3.5]])
    >>> excess = excess_over(errors, errors[0])
    >>> excess.mean, excess.error
    (array([0. , 0.5]), array([0., 0.]))
    """
    more = errors - best
    return Excess(more.mean(axis=1), standard_error(more))


def lowest(errors: Array) -> int:
    """Return the candidate with the lowest mean error; those with NaN do not count."""
    means = errors.mean(axis=1)
    return int(np.argmin(np.where(np.isnan(means), np.inf, means)))


def chosen(errors: Array, order: list[Any], rule: str, null: float) -> int:
    """Return the candidate that a rule chooses.

    Parameters
    ----------
    errors : ndarray of shape (candidates, folds)
        How wrong each is in each fold; NaN for those that do not count.
    order : list
        What candidates are sorted by, the simplest first.
    rule : str
        One of `RULES`.
    null : float
        The error of one distance for all pairs.

    Returns
    -------
    int
        Its row.

    Examples
    --------
    A second dimension helps in every fold; what a third one gains is less than its standard error:

    >>> errors = np.array([[0.4, 0.5, 0.6], [0.1, 0.2, 0.3], [0.12, 0.18, 0.285]])
    >>> [chosen(errors, [1, 2, 3], rule, 1.0) for rule in RULES]
    [1, 2]
    """
    best = lowest(errors)
    if rule == "lowest":
        return best
    excess = excess_over(errors, errors[best])
    within = np.flatnonzero(excess.mean <= np.nan_to_num(excess.error) + TIE * null)
    return int(min([best, *within], key=lambda row: (order[row], row)))


def simplicity(n_components: int, space: Space, level: Any, loss: Any) -> tuple[int, ...]:
    """Return what to sort candidates by: fewest dimensions, flat before curved, and so on.

    Examples
    --------
    >>> from unimds import Absolute, Sphere
    >>> robust = simplicity(2, Euclidean(), "ratio", Absolute())
    >>> curved = simplicity(2, Sphere("auto"), "ordinal", Squared())
    >>> robust < curved < simplicity(3, Euclidean(), "ratio", Squared())
    True
    """
    curved = int(type(space) is not Euclidean)
    return n_components, curved, _freedom(level), int(type(loss) is not Squared)


def _freedom(level: Any) -> int:
    """Return how free the function of a level is."""
    level = as_level(level)
    known = (Interval, PowerLaw, MonotoneSpline)
    own = [rank for rank, kind in enumerate(known, 1) if type(level) is kind]
    return 0 if level.is_given else own[0] if own else 1 + len(known)
