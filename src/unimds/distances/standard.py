"""Standardising counts before their distances are measured, new rows as the rows of the map."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

STANDARDISE, MAXIMA = "standardise", "maxima"
"""Arguments of a metric: the steps, and the largest number of each feature that they have seen."""
STEPS = ("sqrt", "wisconsin")
"""Square roots; features divided by their maxima, and then rows by their totals."""


def steps_of(names: Any) -> list[str]:
    """Return the steps that are named, with commas between them.

    Examples
    --------
    >>> steps_of("sqrt,wisconsin")
    ['sqrt', 'wisconsin']
    >>> steps_of("log")
    Traceback (most recent call last):
        ...
    ValueError: standardise='log' is not known: use 'sqrt', 'wisconsin' or 'sqrt,wisconsin'
    """
    found = [name.strip() for name in names.split(",")] if isinstance(names, str) else [names]
    if any(step not in STEPS for step in found) or found != sorted(set(found), key=STEPS.index):
        raise ValueError(
            f"standardise={names!r} is not known: use 'sqrt', 'wisconsin' or 'sqrt,wisconsin'"
        )
    return found


def largest_of(X: Array, names: Any) -> Array:
    """Return the largest number of each feature, after square roots if these are a step."""
    if (X < 0.0).any():
        i, j = np.argwhere(X < 0.0)[0]
        raise ValueError(
            f"standardise={names!r} is for counts, and X[{i}, {j}] = {X[i, j]:g} is negative; "
            "correct it, or leave standardise out"
        )
    return np.asarray((np.sqrt(X) if "sqrt" in steps_of(names) else X).max(axis=0))


def standardised(X: Array, names: Any, maxima: Array) -> Array:
    """Return rows of counts, standardised by the maxima of the rows of the map.

    A feature that the map has never seen has no maximum, and does not count; an empty row stays
    empty.

    Examples
    --------
    >>> counts = np.array([[4.0, 0.0], [2.0, 1.0]])
    >>> standardised(counts, "wisconsin", counts.max(axis=0)).round(3)
    array([[1.   , 0.   ],
           [0.333, 0.667]])
    """
    steps = steps_of(names)
    X = np.sqrt(np.fmax(X, 0.0)) if "sqrt" in steps else X
    if "wisconsin" not in steps:
        return X
    seen = np.asarray(maxima, dtype=X.dtype)
    shares = np.divide(X, seen, out=np.zeros_like(X), where=seen > 0.0)
    totals = shares.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(shares, totals, out=np.zeros_like(shares), where=totals > 0.0))
