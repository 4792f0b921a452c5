"""Similarities and correlations as dissimilarities."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import rankdata

from unimds.dissimilarity.tables import Array, Formula, Square, formula
from unimds.distances.validate import rounding

CLOSE = rounding(np.float64)
"""By how much rounding may carry a correlation beyond 1."""


def from_correlations(R: Any, method: str = "chord") -> Any:
    r"""Return dissimilarities of correlated variables.

    ============== ====================== =====================================================
    method         formula                meaning
    ============== ====================== =====================================================
    ``"chord"``    :math:`\sqrt{2(1-r)}`  the distance of variables with mean 0 and length 1
    ``"root"``     :math:`\sqrt{1-r}`     the same in another unit; smacof's ``"corr"``
    ``"linear"``   :math:`1-r`            the usual; its root has the properties of a distance
    ``"angle"``    :math:`\arccos r`      the angle between the variables, for maps on a sphere
    ``"absolute"`` :math:`1-|r|`          where the sign says nothing: −1 is as near as 1
    ``"sine"``     :math:`\sqrt{1-r^2}`   the same, with the properties of a distance
    ============== ====================== =====================================================

    Parameters
    ----------
    R : array-like or DataFrame of shape (n, n)
        Correlations of any kind, NaN where missing. Their diagonal does not count.
    method : str, default="chord"
        The formula.

    Returns
    -------
    ndarray or DataFrame of shape (n, n)

    Examples
    --------
    >>> from_correlations([[1.0, 0.5], [0.5, 1.0]])
    array([[0., 1.],
           [1., 0.]])
    >>> from_correlations([[1.0, -1.0], [-1.0, 1.0]], "absolute")[0, 1]
    np.float64(0.0)
    """
    found = formula(CORRELATIONS, method)
    make = "Of data with a column for each variable, df.corr() or numpy.corrcoef(X.T) makes one"
    table = Square.of(R, "R", make)
    table.refuse(
        np.abs(table.values) > 1.0 + CLOSE,
        "is no correlation, which lies between −1 and 1. Divide covariances by the standard "
        "deviations of both variables, and per cent by 100; for other similarities use "
        "from_similarities",
    )
    return table.filled(found(np.clip(table.values, -1.0, 1.0)), "")


CORRELATIONS: dict[str, Formula] = {
    "chord": lambda r: np.sqrt(2.0 * (1.0 - r)),
    "root": lambda r: np.sqrt(1.0 - r),
    "linear": lambda r: 1.0 - r,
    "angle": np.arccos,
    "absolute": lambda r: 1.0 - np.abs(r),
    "sine": lambda r: np.sqrt((1.0 - r) * (1.0 + r)),
}
"""Formulas for correlations, by name."""


def from_similarities(S: Any, method: str = "reverse", *, largest: float | None = None) -> Any:
    r"""Return dissimilarities of numbers that grow with likeness.

    With :math:`m` the largest similarity:

    ================= ============================== ==========================================
    method            formula                        for
    ================= ============================== ==========================================
    ``"reverse"``     :math:`m-s`                    ratings, and whatever has no other formula
    ``"reciprocal"``  :math:`1/s`                    strengths, such as how often two meet
    ``"exponential"`` :math:`-\log(s/m)`             likeness that falls with the distance as
                                                     :math:`e^{-d}`: Shepard's law
    ``"gaussian"``    :math:`\sqrt{-\log(s/m)}`      likeness that falls as :math:`e^{-d^2}`
    ``"ranks"``       the rank of :math:`s`          the most alike pair has rank 1, ties their
                                                     mean rank
    ================= ============================== ==========================================

    At the level "ordinal" a fit uses the order alone, and "reverse", "reciprocal" and "ranks" lead
    to the same map.

    Parameters
    ----------
    S : array-like or DataFrame of shape (n, n)
        Similarities, NaN where missing.
    method : str, default="reverse"
        The formula.
    largest : float, default=None
        The similarity of a point to itself, such as the end of a scale; by default the largest
        number in the table, diagonal included.

    Returns
    -------
    ndarray or DataFrame of shape (n, n)

    Examples
    --------
    Ratings of likeness from 1 to 7:

    >>> from_similarities([[7, 5, 1], [5, 7, 2], [1, 2, 7]])
    array([[0., 2., 6.],
           [2., 0., 5.],
           [6., 5., 0.]])
    """
    found = formula(SIMILARITIES, method)
    table = Square.of(S, "S", "unimds.files.read makes one of a list of pairs")
    values = table.values
    top = float(np.nanmax(values, initial=-np.inf)) if largest is None else float(largest)
    table.refuse(
        ~table.own & (values > top),
        f"is above largest={top:g}, the similarity of a point to itself; give a larger one",
    )
    if method not in ("reverse", "ranks"):
        table.refuse(
            values < 0.0,
            f"is negative, and method={method!r} needs similarities of zero or more; use "
            "the method 'reverse', or from_correlations for correlations",
        )
    if method in ("exponential", "gaussian") and not top > 0.0:
        raise ValueError(
            f"S: method={method!r} needs a similarity above zero; the largest is {top:g}"
        )
    with np.errstate(divide="ignore"):
        D = found(np.where(table.own, np.nan, values), top)
    return table.filled(D, "add a small number to all similarities, or use the method 'reverse'")


def _ranks(s: Array, _: float) -> Array:
    """Return the ranks of the pairs, each counted once if both directions agree."""
    same = np.array_equal(s, s.T, equal_nan=True)
    ranked = np.triu(~np.isnan(s)) if same else ~np.isnan(s)
    D = np.full_like(s, np.nan)
    D[ranked] = rankdata(-s[ranked])
    return np.fmax(D, D.T) if same else D


SIMILARITIES: dict[str, Formula] = {
    "reverse": lambda s, top: top - s,
    "reciprocal": lambda s, top: 1.0 / s,
    "exponential": lambda s, top: np.log(top) - np.log(s),
    "gaussian": lambda s, top: np.sqrt(np.log(top) - np.log(s)),
    "ranks": _ranks,
}
"""Formulas for similarities, by name."""
