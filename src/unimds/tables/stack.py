"""Several tables of the same objects, checked: one for each subject, occasion or source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from unimds.distances.inputs import as_table, in_columns, labels_of, reordered
from unimds.distances.joining import in_order
from unimds.distances.objects.taking import dimensions, kind_of, labelled, native
from unimds.distances.pairs import Pairs, Weighing, as_pairs
from unimds.distances.table import HeldTable
from unimds.distances.validate import check_connected, points_named

Array = NDArray[Any]


@final
@dataclass(frozen=True, eq=False)
class Stack:
    """The tables of all subjects, about the same objects in the same order.

    Attributes
    ----------
    tables : list of Pairs
        Each subject's distances.
    labels : ndarray or None
        The names of the objects.
    subjects : list of str
        The names of the subjects.
    """

    tables: list[Pairs]
    labels: Array | None
    subjects: list[str]

    @property
    def n(self) -> int:
        """Number of objects."""
        return self.tables[0].n

    def __len__(self) -> int:
        return len(self.tables)

    def joined(self) -> Pairs:
        """Return all tables as layers of one: its cost is the mean of theirs."""
        layers = max(table.layers for table in self.tables)
        wholes = [_layered(table, layers) for table in self.tables]
        D = np.concatenate([D for D, _ in wholes], axis=1)
        weighted = any(table.table.W is not None for table in self.tables)
        W = np.concatenate([W for _, W in wholes], axis=1) if weighted else None
        return described(np.ascontiguousarray(D), W)

    @cached_property
    def typical(self) -> float:
        """The median of the tables' typical distances."""
        return float(np.median([table.typical for table in self.tables]))


WEIGHTS = "weights"
SINGLE = (
    "For a single table use MDS, or give [D]",
    "For the same weights in all tables repeat them: [W] * (the number of tables)",
)


def described(D: Array, W: Array | None) -> Pairs:
    """Return the pairs of a table with layers, and what is known of them."""
    n = len(D)
    known = ~np.isnan(D)
    known[np.arange(n), :, np.arange(n)] = False
    if W is not None:
        known &= W > 0.0
    each = np.ones_like(D) if W is None else W
    total = float(each[known].sum() / D.shape[1] / 2.0)
    least = float(each[known].min(initial=np.inf))
    light = least * np.count_nonzero(known) / D.shape[1] / 2.0 if known.any() else 0.0
    positive = D[known & (D > 0.0)]
    typical = float(np.median(positive)) if positive.size else 1.0
    seen = known.any(axis=1)
    missing = n * (n - 1) - int(seen.sum())
    weighing = Weighing(total, light, bool(known.sum() == n * (n - 1) * D.shape[1]))
    largest = float(D[known].max(initial=0.0))
    return Pairs(HeldTable(D, W), np.ones(n, dtype=bool), typical, largest, missing, weighing)


def _layered(pairs: Pairs, layers: int) -> tuple[Array, Array]:
    """Return distances and weights of a table, with as many layers as the others have."""
    D, W = pairs.table.whole()
    W = np.ones(D.shape) if W is None else W
    D, W = D.astype(np.float64, copy=False), W.astype(np.float64, copy=False)
    again = layers // D.shape[1]
    return np.concatenate([D] * again, axis=1), np.concatenate([W] * again, axis=1)


def as_stack(tables: Any, weights: Any = None) -> Stack:
    """Check the tables of all subjects, and bring their objects in the order of the first."""
    names, given = _listed(tables, "the stack of tables")
    if isinstance(tables, Mapping) and isinstance(weights, Mapping):
        weights = _by_subject(weights, list(tables))
    parts = [None] * len(given) if weights is None else _listed(weights, WEIGHTS)[1]
    if len(parts) != len(given):
        raise ValueError(
            f"there are {len(given)} tables and {len(parts)} tables of weights; give one for each, "
            "of the shape of its table"
        )
    labels, found = labels_of(given[0], square=True), []
    for number, (table, own) in enumerate(zip(given, parts, strict=True)):
        told = f"table {names[number]!r}" if isinstance(tables, Mapping) else f"table {number}"
        try:
            found.append(_checked(table, own, labels))
        except ValueError as error:
            raise ValueError(f"{told}: {error}") from error
        if found[-1].n > 1 and not found[-1].weighing.total > 0.0:
            raise ValueError(
                f"{told} has no known pair: all are missing (NaN) or have weight 0; leave it out"
            )
        if found[-1].n != found[0].n:
            raise ValueError(
                f"{told} has {found[-1].n} objects and the first {found[0].n}; all tables must be "
                "about the same objects: fill up the missing ones with NaN"
            )
    stack = Stack(found, labels, names)
    with points_named(labels):
        _check_joined(stack)
    return stack


def _by_subject(weights: Mapping[Any, Any], subjects: list[Any]) -> dict[Any, Any]:
    """Return the weights in the order of the tables of the same subjects."""
    odd = next(
        (name for name in (*subjects, *weights) if (name in weights) != (name in subjects)), None
    )
    if odd is not None:
        told = "no weights for" if odd in subjects else "weights for"
        raise ValueError(
            f"there are {told} the table {odd!r}; give weights by the names of the tables"
        )
    return {name: weights[name] for name in subjects}


def _listed(tables: Any, what: str) -> tuple[list[str], list[Any]]:
    """Return names and tables from a dict, a list, or an array with three axes."""
    if isinstance(tables, Iterator):
        tables = list(tables)
    if isinstance(tables, Mapping):
        names, given = [str(name) for name in tables], list(tables.values())
    else:
        if getattr(tables, "ndim", 0) != 3 and _is_one(tables):
            raise ValueError(
                f"{what} must be several square tables: a list or a dict of them, or an array of "
                f"the shape (subjects, objects, objects). {SINGLE[what == WEIGHTS]}"
            )
        given = list(tables)
        names = [str(number + 1) for number in range(len(given))]
    if not given:
        raise ValueError(f"{what}: give at least one table")
    return names, given


def _is_one(tables: Any) -> bool:
    """Whether this is one table, of any kind."""
    return hasattr(tables, "loc") or kind_of(tables) is not None or _is_flat(tables)


def _is_flat(tables: Any) -> bool:
    """Whether this is one table, or a list of numbers."""
    return not hasattr(tables, "__len__") or (len(tables) > 0 and dimensions(tables[0]) < 2)


def _checked(table: Any, weights: Any, labels: Array | None) -> Pairs:
    """Return the pairs of one table, with its objects in the order of the labels."""
    own, table = labels_of(table, square=True), native(table, "D")
    weights = labelled(weights, "weights")
    if labels is not None and own is not None:
        _check_same(own.tolist(), labels.tolist())
        if not hasattr(table, "loc"):
            table = in_order(table, own.tolist(), labels.tolist())
        table, weights = (_matched(part, labels.tolist()) for part in (table, weights))
    with points_named(labels):
        return as_pairs(as_table(table), weights=weights, connected=False)


def _check_same(own: list[Any], labels: list[Any]) -> None:
    """Raise if a table is about other objects than the first."""
    lacking = next((label for label in labels if label not in set(own)), None)
    odd = next((label for label in own if label not in set(labels)), None)
    if lacking is None and odd is None:
        return
    told = (
        f"there is no object {lacking!r}" if odd is None else f"{odd!r} is not in the first table"
    )
    raise ValueError(
        f"{told}; all tables must be about the same objects: correct the labels, or fill up the "
        "missing ones with NaN"
    )


def _matched(table: Any, labels: list[Any]) -> Any:
    """Return a labelled table with its rows, and columns of the same names, in this order."""
    if not hasattr(table, "loc"):
        return table
    table = reordered(table, labels)
    return in_columns(table, labels) if set(table.columns) == set(labels) else table


def _check_joined(stack: Stack) -> None:
    """Raise where the tables together leave some objects without a place."""
    known = np.zeros((stack.n, stack.n), dtype=bool)
    for table in stack.tables:
        D, W = table.table.whole()
        seen = ~np.isnan(D) if W is None else ~np.isnan(D) & (W > 0.0)
        known |= seen.any(axis=1)
    np.fill_diagonal(known, False)
    if stack.n > 1:
        check_connected(known, np.ones(stack.n, dtype=bool), "the stack of tables")
