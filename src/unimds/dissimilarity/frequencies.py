"""Tables of frequencies as dissimilarities: confusions, co-occurrences and flows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from unimds.dissimilarity.tables import Array, Formula, Square, both_ways, formula
from unimds.distances.joining import joined

MAKE = "pandas.crosstab(df['from'], df['to']) makes one of a list"


def _frequencies(table: Any, name: str) -> Square:
    found = Square.of(table, name, MAKE)
    found.refuse(
        found.values < 0.0, "is negative, and frequencies are zero or more; use NaN for missing"
    )
    return found


def from_confusions(C: Any, method: str = "luce") -> Any:
    r"""Return dissimilarities of stimuli that were taken for each other.

    With :math:`p_{ij}`, how often i was answered by j, as a share of all answers to i:

    ================ =================================================== =====================
    method           formula                                             source
    ================ =================================================== =====================
    ``"luce"``       :math:`-\log\sqrt{p_{ij}p_{ji}/(p_{ii}p_{jj})}`     Luce's choice model:
                                                                         free of the bias for
                                                                         some answers
    ``"shepard"``    :math:`-\log\frac{p_{ij}+p_{ji}}{p_{ii}+p_{jj}}`    Shepard (1957)
    ``"complement"`` :math:`1-\frac12(p_{ij}+p_{ji})`                    for many empty cells
    ================ =================================================== =====================

    Parameters
    ----------
    C : array-like or DataFrame of shape (n, n)
        Counts or shares of answers: a row for each stimulus, a column for each answer, and the
        correct answers on the diagonal.
    method : str, default="luce"
        The formula.

    Returns
    -------
    ndarray or DataFrame of shape (n, n)
        Symmetric dissimilarities. Pairs that were never confused are missing (NaN), except by the
        complement.

    Examples
    --------
    >>> C = [[80, 20, 5], [20, 80, 10], [5, 10, 90]]
    >>> from_confusions(C).round(3)
    array([[0.   , 1.386, 2.831],
           [1.386, 0.   , 2.138],
           [2.831, 2.138, 0.   ]])
    """
    found = formula(CONFUSIONS, method)
    table = _frequencies(C, "C")
    total = np.nansum(table.values, axis=1)
    table.refuse_point(total == 0.0, "has no answers, and so no shares of them; drop it")
    p = table.values / total[:, None]
    own = np.diagonal(p)
    if method != "complement":
        told = f"was never recognised, by which method={method!r} divides; use 'complement'"
        table.refuse_point(~(own > 0.0), f"{told}, or drop it")
    with np.errstate(divide="ignore"):
        D = found(p, own)
    table.refuse(
        ~table.own & (D < -1e-12),
        f"is too large for method={method!r}: the two were taken for each other more often than "
        "they were recognised; use the method 'complement', or make one point of them",
    )
    remedy = "add a small number to all counts, such as 0.5, or use the method 'complement'"
    return table.filled(np.maximum(D, 0.0), remedy)


def _luce(p: Array, own: Array) -> Array:
    half = 0.5 * np.log(own)
    log = np.log(p)
    return half[:, None] + half - 0.5 * (log + log.T)


def _shepard(p: Array, own: Array) -> Array:
    return np.log(0.5 * (own[:, None] + own)) - np.log(both_ways(p))


CONFUSIONS: dict[str, Formula] = {
    "luce": _luce,
    "shepard": _shepard,
    "complement": lambda p, own: 1.0 - both_ways(p),
}
"""Formulas for confusions, by name."""


def from_cooccurrences(
    C: Any,
    method: str = "association",
    *,
    occurrences: ArrayLike | None = None,
    total: float | None = None,
) -> Any:
    r"""Return dissimilarities of things that occur together: words, keywords, species, goods.

    With :math:`c_{ij}`, how often i and j occur together, :math:`o_i`, how often i occurs, and N:

    ================= =================================== =====================================
    method            formula                             meaning
    ================= =================================== =====================================
    ``"association"`` :math:`1/(1+a)` with                *a* is the association strength: how
                      :math:`a=N c_{ij}/(o_i o_j)`        many times as often as by chance
    ``"jaccard"``     :math:`1-c_{ij}/(o_i+o_j-c_{ij})`   the share of both in either
    ``"dice"``        :math:`1-2c_{ij}/(o_i+o_j)`         Sørensen's
    ``"cosine"``      :math:`1-c_{ij}/\sqrt{o_i o_j}`     Salton's cosine, Ochiai's coefficient
    ``"pmi"``         :math:`1-\log a/\log(N/c_{ij})`     the normalised pointwise mutual
                                                          information: 0 always together, 1 as by
                                                          chance, 2 never
    ================= =================================== =====================================

    Parameters
    ----------
    C : array-like or DataFrame of shape (n, n)
        How often two things occur together.
    method : str, default="association"
        The formula.
    occurrences : array-like of shape (n,), default=None
        How often each thing occurs; by default the diagonal of the table. If this is empty,
        "association" and "pmi" take the sums of the rows.
    total : float, default=None
        N, such as the number of documents; by default the sum of the occurrences.

    Returns
    -------
    ndarray or DataFrame of shape (n, n)

    Examples
    --------
    Two words of three are in 4 texts each, and together in 2:

    >>> C = [[4, 2, 0], [2, 4, 1], [0, 1, 8]]
    >>> from_cooccurrences(C, "jaccard").round(3)
    array([[0.   , 0.667, 1.   ],
           [0.667, 0.   , 0.909],
           [1.   , 0.909, 0.   ]])
    """
    found = formula(COOCCURRENCES, method)
    table = _frequencies(C, "C")
    c, o = table.values, _occurrences(table, method, occurrences)
    table.refuse_point(~(o > 0.0), "never occurs; drop it")
    if method not in BY_CHANCE or occurrences is not None:
        table.refuse(
            ~table.own & (c > np.minimum(o[:, None], o) * (1.0 + 1e-12)),
            "is more than one of the two occurs; if the diagonal is not how often each occurs, "
            "give occurrences",
        )
    N = float(np.sum(o)) if total is None else float(total)
    if np.nanmax(np.where(table.own, 0.0, c), initial=0.0) > N:
        raise ValueError(f"total={N:g} is less than how often a pair occurs together")
    with np.errstate(divide="ignore", invalid="ignore"):
        return table.filled(found(c, o[:, None] * o, o[:, None] + o, N), "")


BY_CHANCE = ("association", "pmi")
"""Methods that compare with chance, for which the sums of the rows are occurrences too."""


def _occurrences(table: Square, method: str, given: ArrayLike | None) -> Array:
    n = len(table.values)
    if given is not None:
        o = np.asarray(joined(given, "occurrences", table.labels), dtype=np.float64)
        if o.shape != (n,):
            raise ValueError(
                f"occurrences must have a number for each of the {n} points; its shape is {o.shape}"
            )
        return o
    own: Array = np.nan_to_num(np.diagonal(table.values))
    if own.any():
        return own
    if method in BY_CHANCE:
        return np.asarray(np.nansum(table.values, axis=1))
    raise ValueError(
        f"C: method={method!r} needs how often each point occurs, and the diagonal is empty; write "
        "these numbers there, or give occurrences"
    )


def _npmi(c: Array, product: Array, _: Array, N: float) -> Array:
    """Return 1 − NPMI: 2 for a pair that never occurs together, 0 for one that always does."""
    log = np.log(c)
    D = 1.0 - (np.log(N) + log - np.log(product)) / (np.log(N) - log)
    return np.where(c == 0.0, 2.0, np.where(c == N, 0.0, D))


COOCCURRENCES: dict[str, Formula] = {
    "association": lambda c, product, both, N: 1.0 / (1.0 + N * c / product),
    "jaccard": lambda c, product, both, N: 1.0 - c / (both - c),
    "dice": lambda c, product, both, N: 1.0 - 2.0 * c / both,
    "cosine": lambda c, product, both, N: 1.0 - c / np.sqrt(product),
    "pmi": _npmi,
}
"""Formulas for co-occurrences, by name: of c, the products and sums of occurrences, and N."""


def from_flows(F: Any, method: str = "gravity") -> Any:
    r"""Return dissimilarities of places between which something flows: people, goods, calls.

    With the flow :math:`f_{ij}` from i to j, and sums over rows, columns and the whole table:

    ================ ============================================== ===========================
    method           formula                                        meaning
    ================ ============================================== ===========================
    ``"gravity"``    :math:`\sqrt{f_{i+}f_{+j}/(f_{++}f_{ij})}`     the distance at which masses
                                                                    attract each other so much
    ``"transition"`` :math:`1/\sqrt{f_{ij}}`                        the same for equal masses
    ================ ============================================== ===========================

    Parameters
    ----------
    F : array-like or DataFrame of shape (n, n)
        Flows from the points of the rows to those of the columns: trade, migration, transitions.
        The diagonal counts for the sums.
    method : str, default="gravity"
        The formula.

    Returns
    -------
    ndarray or DataFrame of shape (n, n)
        Dissimilarities, asymmetric if the flows are: `unimds.interpret.drift_vectors` shows these.
        Pairs without a flow are missing (NaN).

    Examples
    --------
    >>> from_flows([[0, 9, 1], [9, 0, 4], [1, 4, 0]], "transition").round(3)
    array([[0.   , 0.333, 1.   ],
           [0.333, 0.   , 0.5  ],
           [1.   , 0.5  , 0.   ]])
    """
    found = formula(FLOWS, method)
    table = _frequencies(F, "F")
    f = table.values
    out, into = np.nansum(f, axis=1), np.nansum(f, axis=0)
    table.refuse_point((out == 0.0) & (into == 0.0), "has no flow to or from any other; drop it")
    with np.errstate(divide="ignore", invalid="ignore"):
        D = np.where(f == 0.0, np.inf, found(f, out[:, None] * into, float(np.nansum(f))))
    return table.filled(D, "add a small number to all flows if they are to count as far")


FLOWS: dict[str, Formula] = {
    "gravity": lambda f, masses, whole: np.sqrt(masses / (whole * f)),
    "transition": lambda f, masses, whole: 1.0 / np.sqrt(f),
}
"""Formulas for flows, by name."""
