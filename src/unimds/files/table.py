"""The table that a file holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.extras import require
from unimds._runtime.watch import warn
from unimds.files.errors import shown

Array = NDArray[np.floating[Any]]
Column = NDArray[Any] | list[str]
"""A column of numbers, NaN where missing, or of texts, empty where missing."""
Kind = Literal["distances", "points", "pairs", "graph"]
EdgeWeights = Literal["length", "strength", "none"]

KINDS: tuple[Kind, ...] = ("distances", "points", "pairs", "graph")
"""What a table may hold."""

COORDINATES = ("x", "y", "z")
EXACT = 2.0**53
"""Whole numbers below this are exact."""


@final
@dataclass(frozen=True, eq=False)
class Table:
    """A table of distances or of points, with everything else that the file says.

    Attributes
    ----------
    values : ndarray of shape (n, n), or (n, m) for points
        Distances, NaN where missing; or the features of points. float32 if the file holds float32,
        else float64.
    kind : {"distances", "points", "pairs", "graph"}
        What the file lists: all distances, points, some pairs, or edges. Pairs and edges have
        become distances in `values`.
    format : str
        How the file is written, one of `unimds.files.FORMATS`.
    layout : str
        How the file is laid out: "square", "lower triangle", "upper triangle", "condensed",
        "rows", "list".
    labels : list of str, or None
        Names of the points.
    weights : ndarray of shape (n, n), or None
        Weights of the pairs; 0 for a pair that is not listed.
    features : list of str, or None
        Names of the columns of the points.
    columns : mapping of str to list of str or ndarray
        Columns that do not enter the distances, to colour by and to write beside the map: words,
        such as a class, attributes of the nodes of a graph, and numbers that `joined` or `chosen`
        put there. Whole numbers, which may be classes, are integers.
    edges : ndarray of int of shape (m, 2), or None
        The edges of a graph: the numbers of the two points that each joins.
    edge_weights : {"length", "strength", "none"}, or None
        What the numbers of the edges of a graph were taken for; "none" if each has the length 1.

    Examples
    --------
    >>> table = Table(np.array([[0.0, 0.0], [3.0, 4.0]]), "points", "csv", "rows")
    >>> table.n, table.precomputed
    (2, False)
    """

    values: Array
    kind: Kind
    format: str
    layout: str
    labels: list[str] | None = None
    weights: Array | None = None
    features: list[str] | None = None
    columns: Mapping[str, Column] = field(default_factory=dict)
    edges: NDArray[np.intp] | None = None
    edge_weights: EdgeWeights | None = None

    @property
    def n(self) -> int:
        """Number of points."""
        return len(self.values)

    @property
    def precomputed(self) -> bool:
        """Whether the values are distances."""
        return self.kind != "points"

    def chosen(
        self, columns: Sequence[str] | None = None, drop: Sequence[str] | None = None
    ) -> Table:
        """Return points whose distances depend on some of the features only.

        Features that are not chosen become `columns`: they no longer count, and are kept.

        Parameters
        ----------
        columns : sequence of str, default=None
            Names of the features that count, in this order; by default all.
        drop : sequence of str, default=None
            Names of features that do not count. Columns of words never count, and may be named.

        Returns
        -------
        Table

        Examples
        --------
        >>> values = np.array([[1.6, 55.0, 1990.0], [1.8, 80.0, 1985.0]])
        >>> people = Table(values, "points", "csv", "rows", features=["height", "weight", "born"])
        >>> table = people.chosen(drop=["born"])
        >>> table.features, table.columns["born"].tolist()
        (['height', 'weight'], [1990, 1985])
        """
        if columns is None and drop is None:
            return self
        if self.precomputed:
            pairs = "; state the kind 'pairs' to choose" if self.kind == "pairs" else ""
            raise ValueError(
                f"the file holds {_HELD[self.kind]}, and columns can be chosen only where it holds "
                f"points, one per row, or pairs{pairs}"
            )
        at = _places(self.features)
        wanted = (
            list(at) if columns is None else [_known(name, at, self.columns) for name in columns]
        )
        unwanted = set(drop or ()) - self.columns.keys()
        for name in unwanted:
            _known(name, at, {})
        if columns is not None and (both := next((n for n in wanted if n in unwanted), None)):
            raise ValueError(
                f"the column {both!r} is both chosen and dropped; leave out one of them"
            )
        kept = [name for name in dict.fromkeys(wanted) if name not in unwanted]
        if not kept:
            raise ValueError("no column of numbers is left; distances need at least one")
        rest = {name: as_column(self.values[:, j]) for name, j in at.items() if name not in kept}
        values = np.ascontiguousarray(self.values[:, [at[name] for name in kept]])
        return replace(self, values=values, features=kept, columns={**self.columns, **rest})

    def joined(self, metadata: Table) -> Table:
        """Return the table with the columns of another table, matched by label.

        The other table is a file of points (``read(path, kind="points")``), or what
        `unimds.files.read_metadata` returns. Its labels, or else its first column that holds them,
        are matched with the labels of this table. Its rows may come in any order, and rows for
        other labels are ignored. A label without a row is left empty, with a warning.

        Parameters
        ----------
        metadata : Table
            A table with a row for each label of this table, or for some of them.

        Returns
        -------
        Table
            The same values, with more `columns`.

        Examples
        --------
        >>> towns = Table(np.zeros((2, 2)), "distances", "csv", "square", ["Ulm", "Bonn"])
        >>> about = {"town": ["Bonn", "Ulm"], "coast": ["no", "no"], "river": ["Rhine", "Danube"]}
        >>> metadata = Table(np.empty((2, 0)), "points", "csv", "rows", columns=about)
        >>> towns.joined(metadata).columns
        {'coast': ['no', 'no'], 'river': ['Danube', 'Rhine']}
        """
        if self.labels is None:
            remedy = "add a column called 'label' to the table"
            if self.format in ("npy", "npz"):
                name = "D" if self.precomputed else "X"
                remedy = (
                    "save the array and its labels as one .npz file, "
                    f"numpy.savez(path, {name}=array, labels=labels)"
                )
            raise ValueError(
                f"the points have no labels, so no metadata can be matched with them; {remedy}"
            )
        if metadata.precomputed:
            raise ValueError(
                f"the file of metadata holds {_HELD[metadata.kind]}; metadata are columns with "
                "names, and a row for each label"
            )
        key, keys = _key(metadata, set(self.labels))
        rows = _rows_of(self.labels, keys)
        found = {name: column for name, column in _further(metadata).items() if name != key}
        known = {*self.columns, *(self.features or ())}
        clash = next((name for name in found if name in known), None)
        if clash is not None:
            raise ValueError(
                f"the table and its metadata both have a column {clash!r}; rename one of them"
            )
        more = {name: _taken(column, rows) for name, column in found.items()}
        return replace(self, columns={**self.columns, **more})

    def named(self, column: str) -> Table:
        """Return the table with the names of its points from a column.

        The column no longer counts as a feature, and the labels before become a column, "label".

        Parameters
        ----------
        column : str
            Name of the column, of words or numbers.

        Returns
        -------
        Table

        Examples
        --------
        >>> plots = Table(np.ones((2, 1)), "points", "csv", "rows", ["1", "2"], features=["oak"])
        >>> table = replace(plots, columns={"site": ["wood", "fen"]}).named("site")
        >>> table.labels, table.columns
        (['wood', 'fen'], {'label': ['1', '2']})
        """
        known = [*self.columns, *([] if self.precomputed else self.features or [])]
        if column not in known:
            told = f"; the columns are {', '.join(known)}" if known else ""
            raise ValueError(f"there is no column {column!r} to name the points by{told}")
        table = self if column in self.columns else self.chosen(drop=[column])
        columns = dict(table.columns)
        labels = as_texts(columns.pop(column))
        if self.labels is not None:
            columns = {"label": self.labels, **columns}
        return replace(table, labels=labels, columns=columns)

    def to_frame(self) -> Any:
        """Return a pandas data frame with the labels as its index, which `unimds.MDS` accepts."""
        columns = self.labels if self.precomputed else self.features
        return require("pandas", "files").DataFrame(self.values, index=self.labels, columns=columns)


_HELD = {
    "distances": "distances",
    "pairs": "pairs",
    "graph": "a graph",
}


def _places(features: list[str] | None) -> dict[str, int]:
    """Return the place of each feature by its name, or raise if names do not tell them apart."""
    if features is None:
        raise ValueError("the columns have no names to choose by; add a header to the file")
    name, count = Counter(features).most_common(1)[0]
    if count > 1:
        raise ValueError(f"{count} columns are called {name!r}; rename them to choose among them")
    return {name: j for j, name in enumerate(features)}


def _known(name: str, features: Mapping[str, int], columns: Mapping[str, Column]) -> str:
    """Return the name of a feature, or raise and say which names there are."""
    if name in features:
        return name
    if name in columns:
        raise ValueError(
            f"the column {name!r} holds words, and distances need numbers; choose among "
            f"{_listed(features)}"
        )
    near = get_close_matches(name, features, 1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise ValueError(
        f"there is no column {name!r}{hint}; the columns of numbers are {_listed(features)}"
    )


def _listed(names: Sequence[str] | Mapping[str, Any], most: int = 8) -> str:
    told = [shown(name) for name in list(names)[:most]]
    return ", ".join(told) + (f" and {len(names) - most} more" if len(names) > most else "")


def _further(metadata: Table) -> dict[str, Column]:
    """Return all columns of metadata by their names."""
    width = metadata.values.shape[1]
    names = metadata.features or [f"column {j + 1}" for j in range(width)]
    numbers = {name: metadata.values[:, j] for j, name in enumerate(names)}
    return {**metadata.columns, **numbers}


def _key(metadata: Table, wanted: set[str]) -> tuple[str | None, list[str]]:
    """Return the column of metadata that holds the wanted labels best: its name, and its texts.

    The labels of the metadata have no name. A column of words may hold the labels too, if they
    repeat or if another column was taken for the labels; so may whole numbers.
    """
    candidates: list[tuple[str | None, list[str]]] = []
    if metadata.labels is not None:
        candidates.append((None, metadata.labels))
    candidates += [(name, as_texts(column)) for name, column in _further(metadata).items()]
    if not candidates:
        raise ValueError("the metadata have no column of labels; add a column called 'label'")
    return max(candidates, key=lambda named: len(wanted & set(named[1])))


def _rows_of(labels: list[str], keys: list[str]) -> list[int | None]:
    """Return the row of metadata for each label, None if there is none; raise if there are two."""
    at: dict[str, list[int]] = {}
    for i, key in enumerate(keys):
        at.setdefault(key, []).append(i)
    distinct = list(dict.fromkeys(labels))
    missing = [label for label in distinct if label not in at]
    if len(missing) == len(distinct):
        raise ValueError(
            f"none of the labels, such as {shown(missing[0])}, is in the metadata, whose rows are "
            f"called {_listed(list(at), 3)}; spell the labels alike, or add a column of labels"
        )
    for label in labels:
        if len(at.get(label, ())) > 1:
            one, other = at[label][:2]
            raise ValueError(
                f"the metadata have {len(at[label])} rows for {shown(label)}, rows {one + 1} and "
                f"{other + 1} below the header; keep one of them"
            )
    if missing:
        more = f" and {len(missing) - 1} more of the {len(distinct)} labels"
        which = ", which is" if len(missing) == 1 else f"{more}, which are"
        warn(f"the metadata have no row for {shown(missing[0])}{which} left empty", UserWarning)
    return [at[label][0] if label in at else None for label in labels]


def _taken(column: Column, rows: list[int | None]) -> Column:
    """Return some rows of a column; what has no row is missing."""
    if isinstance(column, list):
        return ["" if i is None else column[i] for i in rows]
    lost = [i is None for i in rows]
    return as_column(np.where(lost, np.nan, column[[i or 0 for i in rows]]))


def as_column(numbers: NDArray[Any]) -> NDArray[Any]:
    """Return a column of numbers, as integers if all are whole and none is missing.

    Examples
    --------
    >>> as_column(np.array([5.0, 3.0])), as_column(np.array([5.0, np.nan]))
    (array([5, 3]), array([ 5., nan]))
    """
    whole = np.isfinite(numbers) & (np.abs(numbers) < EXACT) & (numbers == np.floor(numbers))
    return numbers.astype(np.int64) if whole.all() else numbers.copy()


def as_texts(column: Column) -> list[str]:
    """Return labels as texts: whole numbers without a fraction, missing labels empty."""
    if isinstance(column, list):
        return column
    return [_as_text(float(x)) for x in column]


def _as_text(x: float) -> str:
    return "" if x != x else f"{x:.0f}" if x.is_integer() else repr(x)


def coordinate_names(k: int, before: str = "") -> list[str]:
    """Return the names of the coordinates of a map; `before` begins each name.

    Examples
    --------
    >>> coordinate_names(2), coordinate_names(4), coordinate_names(2, "poincare_")
    (['x', 'y'], ['x1', 'x2', 'x3', 'x4'], ['poincare_x', 'poincare_y'])
    """
    names = COORDINATES[:k] if k <= len(COORDINATES) else [f"x{i + 1}" for i in range(k)]
    return [f"{before}{name}" for name in names]


POINCARE = "poincare_"
LATLON = ["latitude", "longitude"]


def hyperboloid_names(k: int) -> list[str]:
    """Return the names of the k coordinates of a map on the hyperboloid, time first.

    Examples
    --------
    >>> hyperboloid_names(3)
    ['t', 'x', 'y']
    """
    return ["t", *coordinate_names(k - 1)]


def are_coordinates(names: Sequence[str] | None) -> bool:
    """Whether columns have the names of the coordinates of a map.

    Examples
    --------
    >>> are_coordinates(["t", "x", "y"]), are_coordinates(["Ulm", "Bonn"])
    (True, False)
    """
    if names is None:
        return False
    k = len(names)
    known = (coordinate_names(k), hyperboloid_names(k), coordinate_names(k, POINCARE), LATLON)
    return list(names) in known
