"""Tables whose entries are numbers of a short list: the same table through any transformation.

A table of dissimilarities becomes a table of *codes*, the ranks of its entries among all different
ones. A transformation of the dissimilarities is then a list of numbers, one for each code.
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from unimds.distances.pairs import Pairs
from unimds.distances.table import HeldTable

Array = NDArray[Any]


@final
class Codes:
    """The entries of a table, by their rank.

    Attributes
    ----------
    d : ndarray
        The dissimilarity of every code; rising within a block.
    counts, weights : ndarray
        How many pairs have the code, and what they weigh.
    blocks : list of slice
        The codes that one transformation is for: all, or those of one row.
    """

    def __init__(self, pairs: Pairs, ties: bool, by_row: bool = False):
        D, W = pairs.table.whole()
        self.W, self.dtype, self.layers = W, D.dtype, pairs.layers
        if by_row and self.layers == 1:  # row and column of a pair no longer agree
            D = np.concatenate([D, D], axis=1)
            self.W, self.layers = None if W is None else np.concatenate([W, W], axis=1), 2
        n = len(D)
        values = D[:, 0].astype(np.float64)
        weigh = np.ones((n, n)) if W is None else W[:, 0].astype(np.float64)
        known = ~np.isnan(values) & (weigh > 0.0)
        known &= ~np.eye(n, dtype=bool) if self.layers == 2 else np.tri(n, k=-1, dtype=bool)
        i, j = np.nonzero(known)
        d, weights = values[i, j], weigh[i, j]
        rows = i if by_row else np.zeros_like(i)
        code, order, first = _ranked(rows, d, ties)
        count = first.size
        self.d, self.counts = d[order[first]], np.bincount(code, minlength=count).astype(float)
        self.weights = np.bincount(code, weights, minlength=count)
        row_of = rows[order[first]]
        edges = np.flatnonzero(np.diff(row_of, prepend=-1, append=-2))
        self.blocks = [slice(int(a), int(b)) for a, b in pairwise(edges)]
        self.unknown, self.own = count, count + 1
        table = np.full((n, n), self.unknown, dtype=np.int32)
        table[i, j] = code
        if self.layers == 1:
            table[j, i] = code
        np.fill_diagonal(table, self.own)
        self.of_pairs = table

    @cached_property
    def _all(self) -> Array:
        """The codes of all layers."""
        one = self.of_pairs
        return np.stack([one, one.T], axis=1) if self.layers == 2 else one[:, None, :]

    def table(self, r: Array) -> HeldTable:
        """Return the table through a transformation, a number for every code."""
        numbers = np.append(r, [np.nan, 0.0]).astype(self.dtype)
        return HeldTable(np.take(numbers, self._all, mode="clip"), self.W)

    @cached_property
    def weights_of_pairs(self) -> Array:
        """The weights of pairs, or nothing where all weigh one."""
        return np.empty((0, 0)) if self.W is None else np.ascontiguousarray(self.W[:, 0])


def _ranked(rows: Array, d: Array, ties: bool) -> tuple[Array, Array, Array]:
    """Return the rank of every entry among those of its row and before, and how they are ordered.

    With `ties`, equal entries of a row have one rank. The last array tells where ranks begin.
    """
    order = np.lexsort((d, rows)) if rows.any() else np.argsort(d, kind="stable")
    new = np.ones(d.size, dtype=bool)
    if ties:
        new[1:] = (np.diff(d[order]) > 0.0) | (np.diff(rows[order]) > 0)
    code = np.empty(d.size, dtype=np.intp)
    code[order] = np.cumsum(new) - 1
    return code, order, np.flatnonzero(new)
