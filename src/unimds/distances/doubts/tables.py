"""What looks wrong about a table that was read without an error."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.watch import warn
from unimds.distances.doubts.shares import MEASURED, largest_share
from unimds.distances.metric import empty_rows
from unimds.files.errors import Argument, FileWarning
from unimds.files.meaning.doubts import counts_up, numbers_points
from unimds.files.meaning.totals import warn_of_marks, warn_of_totals
from unimds.files.table import Table

Choices = Sequence[tuple[str, Argument]]

MANY = 2000
"""Points above which a second look at all pairs would take too much memory."""
FEATURES, ZEROS = 3, 1.0 / 3.0
"""Columns, and share of zeros, from which whole numbers may be counts."""
LATITUDES = ("lat", "latitude", "breitengrad")
LONGITUDES = ("lon", "lng", "long", "longitude", "längengrad")
CONFIRM = ("to confirm", ("metric", "euclidean"))
"""What to choose if the usual metric is meant."""


def _doubt(file: str, told: str, choices: Choices = ()) -> None:
    warn(FileWarning(file, told, choices), FileWarning)


def warn_of_doubts(
    table: Table,
    file: str,
    metric: str = "euclidean",
    apart: bool = False,
    by_default: bool = False,
    dropped: Collection[str] = (),
) -> None:
    """Warn of suspicious tables.

    Parameters
    ----------
    table : Table
        What the file holds.
    file : str
        The file, as the user named it.
    metric : str, default="euclidean"
        How features will be compared.
    apart : bool, default=False
        Whether the table is on a cluster, where fewer checks are possible.
    by_default : bool, default=False
        Whether nobody chose the metric: another may suit the points better.
    dropped : collection of str, default=()
        Columns that are meant not to count.
    """
    label, count = Counter(table.labels or [""]).most_common(1)[0]
    if count > 1:
        _doubt(file, f"{count} points have the same label, {label!r}")
    if names_directions(table) and not apart:
        _warn_of_asymmetry(table, file)
    if not table.precomputed:
        _warn_of_features(table, file)
        warn_of_empty(table, file, metric)
        _warn_of_share(table, file, metric)
        warn_of_totals(file, table)
        warn_of_marks(file, table, dropped)
    if by_default and not table.precomputed:
        _hint_at_counts(table, file)
        _hint_at_globe(table, file)


def _warn_of_features(table: Table, file: str) -> None:
    """Warn of columns that count as features, and hardly are features."""
    for name, column in zip(table.features or [], table.values.T, strict=False):
        if numbers_points(name, column) or counts_up(column):
            told = f"the column {name!r} counts as a feature"
            _doubt(file, told, [("if it only numbers the points", ("drop", name))])


def _hint_at_counts(table: Table, file: str) -> None:
    """Say which metric may suit counts better than the Euclidean."""
    X = table.values
    zeros = float((X == 0.0).mean()) if X.size else 0.0
    if X.shape[1] >= FEATURES and zeros > ZEROS and _are_counts(X):
        told = f"the file holds whole numbers, {100.0 * zeros:.0f} % of them 0"
        what = "if they are counts, such as of species, to compare what two points have in common"
        _doubt(file, told, [(what, ("metric", "braycurtis")), CONFIRM])


def _are_counts(X: NDArray[Any]) -> bool:
    """Whether numbers are whole, not negative, and tell more than presence and absence."""
    return bool((X >= 0.0).all() and (np.floor(X) == X).all() and (X > 1.0).any())


def _hint_at_globe(table: Table, file: str) -> None:
    """Say how places on the globe are compared."""
    names = {name.strip().lower(): j for j, name in enumerate(table.features or [])}
    lat = next((names[name] for name in LATITUDES if name in names), None)
    lon = next((names[name] for name in LONGITUDES if name in names), None)
    if lat is not None and lon is not None and table.features is not None:
        one, other = table.features[lat], table.features[lon]
        told = f"the columns {one!r} and {other!r} are taken for places on a flat map"
        what = (
            "for distances on the globe, use the table that unimds.datasets.great_circle makes in "
            f"Python; or write the angles in radians, let only {one!r} and {other!r} count"
        )
        _doubt(file, told, [(what, ("metric", "haversine")), CONFIRM])


def warn_of_empty(table: Table, file: str, metric: Any, chosen: bool = True) -> None:
    """Warn of rows of zeros under a metric that puts them equally far from all other points.

    Another metric helps where it can still be `chosen`.
    """
    rows = [] if table.precomputed else empty_rows(metric, table.values)
    if not rows:
        return
    names = [repr(table.labels[i]) if table.labels else f"row {i + 1}" for i in rows]
    few = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    are, them = ("is", "it") if len(rows) == 1 else ("are", "them")
    _doubt(
        file,
        f"{few} {are} empty (all zeros); by {metric} an empty point is at the distance 1 from "
        f"every other point, which says nothing about its place: remove {them}"
        f"{', or choose another metric' if chosen else ''}",
    )


def _warn_of_share(table: Table, file: str, metric: str) -> None:
    """Warn if one feature alone makes the distances."""
    if metric not in MEASURED or table.n < 2 or table.values.shape[1] < 2:
        return
    measured = MEASURED[metric]
    at, share = largest_share(table.values, metric)
    if share <= measured.most:
        return
    name, rest = f"number {at + 1}", "; if it should not count, remove it"
    choices: list[tuple[str, Argument]] = []
    if table.features is not None:
        name, rest = repr(table.features[at]), ""
        choices.append(("if it should not count", ("drop", table.features[at])))
    if measured.scaled:
        choices.append(("to let all columns have the same spread", ("metric", "seuclidean")))
    told = f"the column {name} alone makes {100.0 * min(share, 0.9999):.4g} % {measured.what}{rest}"
    _doubt(file, told, choices)


def names_directions(table: Table) -> bool:
    """Whether `warn_of_doubts` names a pair whose directions differ."""
    return table.precomputed and table.n <= MANY


def _warn_of_asymmetry(table: Table, file: str) -> None:
    with np.errstate(invalid="ignore"):  # infinite distances get an error of their own
        gap = np.nan_to_num(np.abs(table.values - table.values.T), posinf=0.0)
    i, j = np.unravel_index(gap.argmax(), gap.shape)
    there, back = table.values[i, j], table.values[j, i]
    if gap[i, j] > 1e-6 * max(abs(there), abs(back)):
        names = table.labels or [str(k + 1) for k in range(table.n)]
        _doubt(
            file,
            f"the table is not symmetric: {there:g} from {names[i]} to {names[j]}, but {back:g} "
            "back; both directions count half",
        )
