"""Counts of species, words or goods at sites: standardisation, and dissimilarities of the sites."""

from __future__ import annotations

from typing import Any

import numpy as np

from unimds.dissimilarity.tables import Array, Formula, formula
from unimds.distances.inputs import as_float, labels_of
from unimds.distances.metric import Metric
from unimds.distances.objects.taking import labelled
from unimds.distances.standard import standardised


def wisconsin(counts: Any) -> Any:
    """Return counts by Wisconsin double standardisation: shares of maxima, then of totals.

    Each column is divided by its maximum, and then each row by its total, so that all species and
    all sites count alike. A column of zeros stays zero.

    Parameters
    ----------
    counts : array-like or DataFrame of shape (n, d)
        Counts, a row for each site.

    Returns
    -------
    ndarray or DataFrame of shape (n, d)

    Examples
    --------
    >>> wisconsin([[10, 1], [5, 2]]).round(3)
    array([[0.667, 0.333],
           [0.333, 0.667]])
    """
    counts = labelled(counts, "counts", square=False)
    X = _checked(counts, "counts")
    shares = standardised(X, "wisconsin", X.max(axis=0))
    if not hasattr(counts, "loc"):
        return shares
    return type(counts)(shares, index=counts.index, columns=counts.columns)


def from_counts(X: Any, method: str = "braycurtis") -> Any:
    r"""Return dissimilarities of sites by the counts that they hold.

    With counts :math:`x_{ij}`, and sums over rows, columns and the whole table:

    ================ =========================================================================
    method           formula
    ================ =========================================================================
    ``"braycurtis"`` :math:`\sum_k|x_{ik}-x_{jk}|/\sum_k(x_{ik}+x_{jk})`
    ``"jaccard"``    Jaccard's, of amounts (Ružička's): :math:`2b/(1+b)` of Bray–Curtis b
    ``"hellinger"``  Hellinger's, of shares: 0 to 1, as in `unimds.hellinger_distances`
    ``"chord"``      Euclidean, of rows of length 1
    ``"chisquared"`` Euclidean, of :math:`x_{ik}/x_{i+}\cdot\sqrt{x_{++}/x_{+k}}`
    ================ =========================================================================

    `unimds.MDS` measures many distances of rows by itself (``metric="braycurtis"``); take this
    function for the others, or to have the table.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n, d)
        Counts, or other amounts, a row for each site.
    method : str, default="braycurtis"
        The formula.

    Returns
    -------
    ndarray or DataFrame of shape (n, n)

    Examples
    --------
    Counts of three species at three sites, standardised:

    >>> X = [[10, 1, 0], [5, 2, 0], [0, 1, 7]]
    >>> from_counts(wisconsin(X)).round(3)
    array([[0.   , 0.333, 0.667],
           [0.333, 0.   , 0.667],
           [0.667, 0.667, 0.   ]])
    """
    found, X = formula(COUNTS, method), labelled(X, "X", square=False)
    D = found(_checked(X, "X"))
    np.fill_diagonal(D, 0.0)
    labels = labels_of(X) if hasattr(X, "loc") else None
    return D if labels is None else type(X)(D, index=X.index, columns=X.index)


def _checked(counts: Any, name: str) -> Array:
    """Return counts without negative, missing or infinite numbers, and without empty rows."""
    X = as_float(counts, name).astype(np.float64)
    if X.ndim != 2:
        raise ValueError(f"{name} must be a table, a row for each site; its shape is {X.shape}")
    rows = labels_of(counts) if hasattr(counts, "loc") else None
    for wrong, problem in (
        (np.isnan(X), "is missing; write 0 if nothing was found, or drop the row or the column"),
        (np.isinf(X), "is infinite; correct it"),
        (X < 0.0, "is negative, and counts are zero or more; correct it"),
    ):
        if wrong.any():
            i, j = np.argwhere(wrong)[0]
            where = (int(i), int(j)) if rows is None else (rows[i], counts.columns[j])
            raise ValueError(f"{name}[{where[0]!r}, {where[1]!r}] = {X[i, j]:g} {problem}")
    empty = np.flatnonzero(~X.any(axis=1))
    if empty.size:
        row = f"row {empty[0]}" if rows is None else f"row {rows[empty[0]]!r}"
        told = "" if empty.size == 1 else f" ({empty.size} of {len(X)} rows are empty)"
        raise ValueError(
            f"{name}: {row} is empty, and nothing is known of what it is like{told}; drop it, such "
            f"as by {name}[{name}.sum(axis=1) > 0]"
        )
    return X


def _measured(metric: str, X: Array) -> Array:
    return Metric(metric, {}).between(X)


def _ruzicka(X: Array) -> Array:
    b = _measured("braycurtis", X)
    return np.asarray(2.0 * b / (1.0 + b))


def _chord(X: Array) -> Array:
    return _measured("euclidean", X / np.linalg.norm(X, axis=1, keepdims=True))


def _chi_squared(X: Array) -> Array:
    X = X[:, X.any(axis=0)]
    shares = X / X.sum(axis=1, keepdims=True)
    return _measured("euclidean", shares * np.sqrt(X.sum() / X.sum(axis=0)))


COUNTS: dict[str, Formula] = {
    "braycurtis": lambda X: _measured("braycurtis", X),
    "jaccard": _ruzicka,
    "hellinger": lambda X: _measured("hellinger", X),
    "chord": _chord,
    "chisquared": _chi_squared,
}
"""Formulas for counts, by name."""
