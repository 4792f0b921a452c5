"""Points that are linear combinations of given variables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unimds.constraints.base import Constraint, in_order, one_each
from unimds.distances.inputs import as_float

Array = NDArray[Any]


@final
class LinearIn(Constraint):
    r"""Coordinates are linear in given variables: X = Z C.

    What a map shows can then be told by the variables: each has an arrow, a row of C.

    Parameters
    ----------
    Z : array-like of shape (n, variables)
        The variables, a row for each point; the rows of a data frame are matched by label. They
        are centred, since shifting a map changes no distance.

    Examples
    --------
    >>> from unimds import MDS
    >>> from unimds.spaces import distances
    >>> Z = np.random.default_rng(0).normal(size=(12, 3))
    >>> D = distances(Z[:, :2] @ [[2.0, 0.0], [0.0, 1.0]])
    >>> mds = MDS(2, metric="precomputed", random_state=0).fit(D, constraints=LinearIn(Z))
    >>> C = LinearIn(Z).coefficients(mds.embedding_)
    >>> bool(mds.stress_ < 1e-6), bool(np.abs(C[2]).max() < 1e-3)
    (True, True)
    """

    def __init__(self, Z: ArrayLike):
        self.Z = Z

    def __repr__(self) -> str:
        return f"LinearIn({np.shape(self.Z)[-1]} variables)"

    def checked(self, n: int, n_components: int, labels: Array | None) -> LinearIn:
        """Return the constraint with its rows in the order of the points."""
        given: Any = in_order(self.Z, labels, "LinearIn")
        # a table in another order lies otherwise in memory, and its sums would be rounded otherwise
        Z = np.array(_variables(given), order="C")
        one_each(Z, n, "LinearIn")
        if not np.isfinite(Z).all():
            i, j = np.argwhere(~np.isfinite(Z))[0]
            row = i if labels is None else repr(labels[i])
            variable = repr(list(given.columns)[j]) if hasattr(given, "columns") else j
            what = "not a number" if np.isnan(Z[i, j]) else "infinite"
            raise ValueError(
                f"LinearIn: row {row} of the variable {variable} is {what}; fill it in, or "
                "leave the variable out"
            )
        # the unit of a variable changes no map, and squares of large numbers would overflow
        Z = Z / np.maximum(np.abs(Z).max(axis=0), np.finfo(np.float64).tiny)
        Z = Z - Z.mean(axis=0)
        rank = int(np.linalg.matrix_rank(Z))
        if rank < n_components:
            raise ValueError(
                f"LinearIn has {rank} variables that differ from each other, and a map of "
                f"{n_components} dimensions needs at least {n_components}; add variables, or use "
                f"n_components={max(rank, 1)}"
            )
        return LinearIn(Z)

    def nearest(self, Y: Array, m: Array) -> Array:
        """Return the weighted regression of a map on the variables."""
        Z, root = np.asarray(self.Z), np.sqrt(m)[:, None]
        found: Array = Z @ np.linalg.lstsq(root * Z, root * (Y - Y.mean(axis=0)), rcond=None)[0]
        return found

    def solved(self, V: Array, right: Array) -> Array:
        """Return Z (Zᵀ V Z)⁺ Zᵀ right."""
        Z = np.asarray(self.Z)
        inner = Z.T @ V @ Z
        found: Array = Z @ (np.linalg.pinv(inner, hermitian=True, rcond=1e-13) @ (Z.T @ right))
        return found

    def coefficients(self, X: ArrayLike) -> Array:
        """Return C for a map X = Z C, a row for each variable.

        Parameters
        ----------
        X : array-like of shape (n, k)
            The map, such as ``mds.embedding_``.

        Returns
        -------
        ndarray of shape (variables, k)
        """
        Z, points = _variables(self.Z), np.asarray(X, dtype=np.float64)
        one_each(points, len(Z), "the map X")
        middle = points - points.mean(axis=0)
        found: Array = np.linalg.lstsq(Z - Z.mean(axis=0), middle, rcond=None)[0]
        return found


def _variables(given: Any) -> Array:
    """Return variables in columns; raise for one that is text, and name it."""
    try:
        Z = np.array(as_float(given, "LinearIn"), dtype=np.float64)
    except ValueError:
        for name, column in _named(given):
            if not _is_numeric(column):
                raise ValueError(
                    f"LinearIn: the variable {name!r} holds text, and variables are numbers; leave "
                    "it out, or give a variable of 0 and 1 for each of its groups, as "
                    "pandas.get_dummies does"
                ) from None
        raise
    return Z[:, None] if Z.ndim == 1 else Z


def _named(given: Any) -> Iterable[tuple[Any, Any]]:
    """Return the columns of a table with their names, or their numbers."""
    if hasattr(given, "columns"):
        return [(name, given[name]) for name in given.columns]
    table = np.asarray(given, dtype=object)
    return enumerate(table.T if table.ndim == 2 else [table])


def _is_numeric(column: Any) -> bool:
    try:
        np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError):
        return False
    return True
