"""Hellinger's distance between distributions, and the map of distributions to a sphere.

The square root of a distribution has unit length, so distributions form the positive part of a
sphere, and Hellinger's distance is the length of a chord divided by √2.
"""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted, validate_data

from unimds.distances.features import check_no_text
from unimds.distances.objects.taking import dense_or_sparse
from unimds.distributions.unit_rows import (
    balanced_rows,
    canonical,
    largest_entries,
    scaled_rows,
    squared_chords,
    unit_rows,
)
from unimds.estimators.parameters import Interval

Array = NDArray[np.floating[Any]]


def check_counts(P: Any, name: str) -> None:
    """Raise if an entry is negative."""
    if (P.data if issparse(P) else P).min(initial=0.0) >= 0.0:
        return
    rows, columns = (P < 0.0).nonzero()
    i, j = rows[0], columns[0]
    raise ValueError(
        f"Negative values in data: {name}[{i}, {j}] = {P[i, j]:g}, but counts and probabilities "
        "cannot be negative"
    )


def check_smoothing(smoothing: float, P: Any) -> None:
    """Raise if smoothing is not representable in the table, or would make it dense."""
    if smoothing > 0.0 and issparse(P):
        raise ValueError(
            f"smoothing={smoothing:g} makes every entry positive, so that a sparse table would "
            "become dense; use smoothing=0, or call toarray() first"
        )
    with np.errstate(over="ignore"):
        rounded = P.dtype.type(smoothing)
    if smoothing > 0.0 and not 0.0 < rounded < np.inf:
        raise ValueError(f"smoothing={smoothing:g} is not a number in {P.dtype}; use float64")


def root_rows(P: Any, name: str, smoothing: float | None = None) -> Any:
    """Return √(p / Σp) for every row: a point of the sphere. A sparse table stays sparse.

    `smoothing` is None if the caller has no such parameter.
    """
    check_counts(P, name)
    if smoothing is not None and smoothing > 0.0:
        check_smoothing(smoothing, P)
        P = P + np.asarray(smoothing, dtype=P.dtype)
    largest = largest_entries(P)
    empty = np.flatnonzero(largest == 0.0)
    if empty.size:
        smooth = (
            "" if smoothing is None or issparse(P) else ", or set smoothing, which makes it uniform"
        )
        raise ValueError(
            f"{name}: row {empty[0]} is empty, which is not a distribution "
            f"({empty.size} of {P.shape[0]} rows are empty); drop such rows first, for example by "
            f"{name}[np.ravel({name}.sum(axis=1)) > 0]{smooth}"
        )
    P = balanced_rows(P, largest)  # sums of values near 1e308 overflow
    total = np.asarray(P.sum(axis=1)).ravel()
    return np.sqrt(scaled_rows(P, 1.0 / total))


def check_same_outcomes(P: Any, Q: Any) -> None:
    """Raise if both tables have column names, and the names or their order differ."""
    names, others = _names(P), _names(Q)
    if names is None or others is None or names == others:
        return
    for one, other, mine, theirs in (("P", "Q", names, others), ("Q", "P", others, names)):
        known = set(theirs)
        only = [name for name in mine if name not in known]
        if only:
            raise ValueError(
                f"P and Q must have the same outcomes, but only {one} has the column {only[0]!r} "
                f"({len(only)} such columns); add it to {other} with zeros, or drop it from {one}"
            )
    if len(names) != len(others):  # a repeated name: the error on the number of columns follows
        return
    at = next(j for j, name in enumerate(names) if name != others[j])
    raise ValueError(
        f"column {at} is {names[at]!r} in P and {others[at]!r} in Q; reorder the columns of Q, for "
        "example by Q[list(P.columns)]"
    )


def _names(P: Any) -> list[Any] | None:
    """Return the column names of a data frame; None if the columns are only numbered."""
    columns = getattr(P, "columns", None)
    if columns is None:
        return None
    names = list(columns)
    return None if names == list(range(len(names))) else names


def hellinger_distances(P: Any, Q: Any = None) -> Any:
    r"""Return Hellinger's distances between distributions: :math:`\|\sqrt p-\sqrt q\|/\sqrt 2`.

    Parameters
    ----------
    P : array-like or sparse matrix of shape (n, d)
        Distributions or counts in rows; each row is divided by its sum.
    Q : array-like or sparse matrix of shape (m, d), default=None
        Other distributions over the same outcomes, in the same order (column names are compared);
        by default `P` itself.

    Returns
    -------
    ndarray of shape (n, m), or DataFrame
        From 0 for equal distributions to 1 for distributions without a common outcome. If `P` or
        `Q` is a pandas frame with unique row labels, the result is a frame with these labels.

    Examples
    --------
    >>> hellinger_distances([[1, 0], [0, 5], [2, 0]])
    array([[0., 1., 0.],
           [1., 0., 1.],
           [0., 1., 0.]])
    """
    check_same_outcomes(P, Q)
    A = root_rows(_counts(P, "P"), "P")
    B = A if Q is None else root_rows(_counts(Q, "Q"), "Q")
    if A.shape[1] != B.shape[1]:
        raise ValueError(
            f"P and Q must have the same outcomes, but have {A.shape[1]} and {B.shape[1]} columns"
        )
    H = np.sqrt(0.5 * squared_chords(A, B))
    if Q is None:
        np.fill_diagonal(H, 0.0)
    return _labelled(np.asarray(H), P, P if Q is None else Q)


def _labelled(H: Array, P: Any, Q: Any) -> Any:
    """Return distances as a frame with the labels of the rows of both tables, if they have any."""
    frames = [table for table in (P, Q) if hasattr(table, "loc")]
    # labels that repeat name no point, and a frame of them could not be matched with anything
    if not frames or not all(frame.index.is_unique for frame in frames):
        return H
    rows, columns = (table.index if hasattr(table, "loc") else None for table in (P, Q))
    return type(frames[0])(H, index=rows, columns=columns)


def _counts(P: Any, name: str) -> Any:
    return canonical(
        check_array(P, accept_sparse="csr", dtype=[np.float64, np.float32], input_name=name)
    )


class HellingerMap(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    r"""Map distributions or counts to the sphere, :math:`p \mapsto \sqrt{p}`, and back.

    Straight-line distances between the results are √2 times Hellinger's; angles are half the
    Fisher–Rao distances.

    Parameters
    ----------
    smoothing : float, default=0
        Added to every entry before a row is divided by its sum, for example for counts of rare
        events. An empty row, otherwise an error, becomes the uniform distribution. Sparse tables
        are rejected, since they would become dense.

    Examples
    --------
    >>> HellingerMap().fit_transform([[1, 3], [2, 2]]).round(3)
    array([[0.5  , 0.866],
           [0.707, 0.707]])
    """

    _parameter_constraints: dict[str, list[Any]] = {  # noqa: RUF012
        "smoothing": [Interval(Real, 0, None, closed="left")]
    }

    def __init__(self, smoothing: float = 0.0):
        self.smoothing = smoothing

    def fit(self, X: Any, y: Any = None) -> HellingerMap:
        """Check the table; there is nothing to learn.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Distributions or counts.
        y : ignored

        Returns
        -------
        self
        """
        self._validate_params()
        counts = checked(self, X, reset=True)
        check_counts(counts, "X")
        check_smoothing(self.smoothing, counts)
        return self

    def transform(self, X: Any) -> Any:
        """Return the square roots of the distributions: unit rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Distributions or counts.

        Returns
        -------
        ndarray or sparse array of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        return root_rows(checked(self, X, reset=False), "X", self.smoothing)

    def inverse_transform(self, X: Any) -> Any:
        """Return the distributions that belong to points of the sphere: the squared entries.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Points of the sphere; their length need not be one.

        Returns
        -------
        ndarray or sparse array of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        return unit_rows(checked(self, X, reset=False), "X") ** 2

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "n_features_in_")

    def __sklearn_tags__(self) -> Any:
        return tagged(super().__sklearn_tags__(), self.smoothing)


def checked(owner: Any, X: Any, *, reset: bool) -> Any:
    """Return the rows as scikit-learn validates them, dense or sparse."""
    kind = {"accept_sparse": "csr", "dtype": [np.float64, np.float32]}
    rows = dense_or_sparse(X)
    check_no_text(rows)
    return canonical(validate_data(owner, rows, **kind, reset=reset))


def tagged(tags: Any, smoothing: Any) -> Any:
    """Return scikit-learn's tags of an estimator of distributions."""
    tags.input_tags.sparse = smoothing == 0.0
    tags.input_tags.positive_only = True
    tags.transformer_tags.preserves_dtype = ["float64", "float32"]
    return tags
