"""Similarities: how a table of numbers shows that it holds them, and how they become distances."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

MANY = 40
"""Points that tell distances from similarities."""
FEWEST = 6
"""Points among which it is no chance that large numbers go with like rows."""
HUBS = 5
"""One point of so many may be near all the rest, as the hub of a star is."""

REMEDY = "write the largest value minus s in place of each similarity s"
"""How most similarities become distances."""
CORRELATIONS = "write 1 − r in place of each correlation r"
AS_DISTANCES = (
    "Make distances of similarities first: 1 − r of a correlation r, the largest value minus s of "
    "any other similarity s; unimds.dissimilarity, or unimds dissimilarity in a shell, does it"
)
"""How to make distances, for whoever asks for similarities."""
CONFUSIONS = (
    "for confusions c make similarities s[i, j] = (c[i, j] + c[j, i]) / (c[i, i] + c[j, j]), and "
    "write 1 − s, with 0 on the diagonal"
)
"""How counts become distances whose diagonal differs from point to point."""

ASKED = (
    "the numbers were taken as distances, but points with a large number between them are alike: "
    f"are these similarities? Then {REMEDY}"
)
"""What to say about numbers that seem to be similarities."""


def made_by(source: str) -> str:
    """Return which function, and which command, make distances of similarities.

    Examples
    --------
    >>> made_by("flows")
    ' (unimds.dissimilarity.from_flows, or unimds dissimilarity --from flows, does it)'
    """
    return (
        f" (unimds.dissimilarity.from_{source}, or unimds dissimilarity --from {source}, does it)"
    )


class SimilarityWarning(UserWarning):
    """A fit took numbers as distances, and they seem to be similarities.

    Examples
    --------
    Where they are distances all the same:

    >>> import warnings
    >>> from unimds.files import SimilarityWarning
    >>> warnings.simplefilter("ignore", SimilarityWarning)  # doctest: +SKIP
    """


def seem_similar(S: Array) -> bool:
    """Whether the numbers between points seem to be similarities; the diagonal does not matter.

    Points that are close have much the same distances to the rest: the larger a number is, the more
    the two rows differ. Among similarities it is the other way round. It must be so without the
    points that are near all the rest too: a hub differs from its leaves, which are alike.

    Examples
    --------
    >>> places = np.arange(8.0)
    >>> far = np.abs(np.subtract.outer(places, places))
    >>> seem_similar(far), seem_similar(8.0 - far)
    (False, True)
    """
    n = len(S)
    if n < FEWEST:
        return False
    at = np.unique(np.linspace(0, n - 1, min(n, MANY)).astype(np.intp))
    S = np.array(S[at] if len(at) == n else S[np.ix_(at, at)], dtype=np.float64)
    if not np.isfinite(S[~np.isnan(S)]).all():
        return False  # an error of its own
    np.fill_diagonal(S, np.nan)
    S = np.where(np.isnan(S), S.T, S)
    S = 0.5 * (S + S.T)
    limit = -max(0.5, 2.0 / np.sqrt(len(S)))
    if not _agreement(S) < limit:
        return False
    known = ~np.isnan(S)
    mean = np.nan_to_num(S).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    rest = np.argsort(mean, kind="stable")[-(-len(S) // HUBS) :]
    return bool(_agreement(S[np.ix_(rest, rest)]) < limit)


def _agreement(S: Array) -> float:
    """Return the correlation of the numbers with the differences of the rows; 0 if there is none.

    Ranks stand for the numbers: counts are often few large numbers among many small ones. The
    numbers of two points to each other are not compared.
    """
    i, j = np.nonzero(np.triu(~np.isnan(S), 1))
    Z, M, ranks = np.zeros_like(S), np.zeros_like(S), _ranks(S[i, j])
    Z[i, j] = Z[j, i] = ranks
    M[i, j] = M[j, i] = 1.0
    common, squares = (M @ M)[i, j], (Z * Z) @ M
    apart = (squares + squares.T - 2.0 * (Z @ Z))[i, j]
    both = common > 0.0
    ranks, differences = ranks[both], np.sqrt(np.maximum(apart[both] / common[both], 0.0))
    if ranks.size < 10 or min(np.ptp(ranks), np.ptp(differences)) <= 1e-9 * ranks.max():
        return 0.0
    ranks, differences = ranks - ranks.mean(), differences - differences.mean()
    return float(ranks @ differences / np.sqrt((ranks @ ranks) * (differences @ differences)))


def _ranks(numbers: Array) -> Array:
    """Return the ranks of numbers, from 1 on; equal numbers have the same, their mean."""
    _, place, count = np.unique(numbers, return_inverse=True, return_counts=True)
    ranks: Array = (np.cumsum(count) - 0.5 * (count - 1))[place]
    return ranks


def are_correlations(S: Array) -> bool:
    """Whether a square holds correlations: 1 on its diagonal, and none beyond −1 and 1.

    Examples
    --------
    >>> are_correlations(np.array([[1.0, -0.5], [-0.5, 1.0]])), are_correlations(np.eye(2) * 2.0)
    (True, False)
    """
    own = np.diagonal(S)
    inside = not np.nanmax(np.abs(S), initial=0.0) > 1.0 + 1e-9
    return bool(len(S) > 1 and inside and (np.abs(own - 1.0) <= 1e-9).all())


def leads_the_rows(S: Array) -> bool:
    """Whether each number on the diagonal of a square is the largest of its row.

    Examples
    --------
    >>> leads_the_rows(np.eye(5) + np.linspace(0.0, 0.9, 25).reshape(5, 5))
    True
    """
    others = np.array(S, dtype=np.float64)
    np.fill_diagonal(others, -np.inf)
    return bool((np.diagonal(S) > np.fmax.reduce(others, axis=1)).all())


def diagonal_told(S: Array, name: str) -> str:
    """Return what a square with numbers on its diagonal may hold, and how to make distances.

    Examples
    --------
    >>> diagonal_told(np.array([[1.0, 4.0], [4.0, 1.0]]), "D")
    'does the scale begin at 1? Then subtract 1 from every number'
    """
    own = np.diagonal(S)
    others = S[~np.eye(len(S), dtype=bool)]
    others = others[~np.isnan(others)]
    same = bool((own == own[0]).all())
    if same and others.size and 0.0 < own[0] <= others.min() and own[0] < others.max():
        return f"does the scale begin at {own[0]:g}? Then subtract {own[0]:g} from every number"
    asked = f"is {name} a table of similarities? Then"
    if are_correlations(S):
        return f"{asked} {CORRELATIONS}, or √(2 − 2r){made_by('correlations')}"
    if same and others.size and own[0] >= others.max():
        return (
            f"{asked} write {own[0]:g} − s in place of each similarity s{made_by('similarities')}"
        )
    if leads_the_rows(S):
        return (
            f"is {name} a table of confusions or other counts? Then {CONFUSIONS}"
            f"{made_by('confusions')}"
        )
    if len(S) > 2 and leads_the_rows(-S):
        return (
            "it is the smallest number of its row, as in confusions taken from the largest: write "
            f"0 on the diagonal, numpy.fill_diagonal({name}, 0)"
        )
    return unequal_told(name)


def unequal_told(name: str) -> str:
    """Return what a table with numbers on its diagonal may hold, if nothing else is known of it."""
    return (
        f"is {name} a table of similarities? Then {CORRELATIONS}, and the largest value minus s in "
        "place of any other similarity s. Otherwise write 0 on the diagonal"
    )


def negative_told(S: Array, value: float) -> str | None:
    """Return what negative numbers in a square may mean; None if they say nothing.

    Examples
    --------
    >>> negative_told(np.array([[0.0, -99.0], [-99.0, 0.0]]), -99.0)
    'if -99 stands for a number that is missing, write NaN in its place'
    """
    if are_correlations(S):
        return f"are these correlations? Then {CORRELATIONS}, or √(2 − 2r){made_by('correlations')}"
    if value == np.floor(value) and (S[S < 0.0] == value).all():
        return f"if {value:g} stands for a number that is missing, write NaN in its place"
    return None
