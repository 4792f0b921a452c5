"""What the commands say of suspicious tables."""

from __future__ import annotations

from collections import Counter
from shlex import quote as quoted
from typing import TYPE_CHECKING, Any

from unimds.cli.inputs import chosen_names
from unimds.cli.messages import caution

if TYPE_CHECKING:
    from unimds.files import Table

MANY = 2000  # points above which a second look at the table would take too much memory


def warn_of_doubts(
    table: Table,
    file: str,
    metric: str = "euclidean",
    apart: bool = False,
    by_default: bool = False,
    drop: list[str] | None = None,
) -> None:
    """Warn of suspicious tables.

    `apart`, on a cluster, fewer checks are possible. A metric that is used `by_default` may suit
    the points less well than another. The columns to `drop` are meant not to count.
    """
    from unimds.files.meaning.totals import warn_of_marks, warn_of_totals

    if table.n == 1:
        caution(
            f"{file} holds a single point, read as {table.kind}; if it holds more, see "
            "--kind and --format"
        )
    label, count = Counter(table.labels or [""]).most_common(1)[0]
    if count > 1:
        caution(f"{file}: {count} points have the same label, {label!r}")
    if names_directions(table) and not apart:
        _warn_of_asymmetry(table, file)
    if not table.precomputed:
        _warn_of_features(table, file)
        warn_of_empty(table, file, metric)
        _warn_of_share(table, file, metric)
        warn_of_totals(file, table)
        warn_of_marks(file, table, chosen_names(drop, table) or ())
    if by_default and not table.precomputed:
        _hint_at_metrics(table, file)


def _warn_of_features(table: Table, file: str) -> None:
    """Warn of columns that count as features, and hardly are features."""
    from unimds.files.meaning.doubts import counts_up, numbers_points

    for name, column in zip(table.features or [], table.values.T, strict=False):
        if numbers_points(name, column) or counts_up(column):
            caution(
                f"{file}: the column {name!r} counts as a feature; if it only numbers "
                f"the points, give --drop {quoted(name)}"
            )


def _hint_at_metrics(table: Table, file: str) -> None:
    """Say which metric may suit the points better than the Euclidean."""
    X = table.values
    zeros = float((X == 0.0).mean()) if X.size else 0.0
    if X.shape[1] >= FEATURES and zeros > ZEROS and _are_counts(X):
        caution(
            f"{file} holds whole numbers, {100.0 * zeros:.0f} % of them 0; if they are "
            "counts, such as of species, --metric braycurtis compares what two points have in "
            "common; to confirm, --metric euclidean"
        )
    names = {name.strip().lower(): j for j, name in enumerate(table.features or [])}
    lat = next((names[name] for name in LATITUDES if name in names), None)
    lon = next((names[name] for name in LONGITUDES if name in names), None)
    if lat is not None and lon is not None and table.features is not None:
        one, other = table.features[lat], table.features[lon]
        caution(
            f"{file}: the columns {one!r} and {other!r} are taken for places on a flat "
            "map; for distances on the globe, embed the table that unimds.datasets.great_circle "
            f"makes in Python, or write the angles in radians and give --columns {one},{other} "
            "--metric haversine; to confirm, --metric euclidean"
        )


FEATURES, ZEROS = 3, 1.0 / 3.0
"""Columns, and share of zeros, from which whole numbers may be counts."""
LATITUDES = ("lat", "latitude", "breitengrad")
LONGITUDES = ("lon", "lng", "long", "longitude", "längengrad")


def _are_counts(X: Any) -> bool:
    """Whether numbers are whole, not negative, and tell more than presence and absence."""
    import numpy as np

    return bool((X >= 0.0).all() and (np.floor(X) == X).all() and (X > 1.0).any())


def warn_of_empty(
    table: Table, file: str, metric: Any, choice: str = ", or choose another --metric"
) -> None:
    """Warn of rows of zeros under a metric that puts them equally far from all other points.

    `choice` is what a command may do in place of removing them.
    """
    from unimds.distances.metric import empty_rows

    rows = [] if table.precomputed else empty_rows(metric, table.values)
    if not rows:
        return
    names = [repr(table.labels[i]) if table.labels else f"row {i + 1}" for i in rows]
    few = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    are = "is empty (all zeros)" if len(rows) == 1 else "are empty (all zeros)"
    caution(
        f"{file}: {few} {are}; by {metric} an empty point is at the distance 1 from every "
        f"other point, which says nothing about its place: remove "
        f"{'it' if len(rows) == 1 else 'them'}{choice}"
    )


def _warn_of_share(table: Table, file: str, metric: str) -> None:
    """Warn if one feature alone makes the distances."""
    from unimds.distances.shares import MEASURED, largest_share

    if metric not in MEASURED or table.n < 2 or table.values.shape[1] < 2:
        return
    measured = MEASURED[metric]
    at, share = largest_share(table.values, metric)
    if share > measured.most:
        name, drop = f"number {at + 1}", "remove it"
        if table.features is not None:
            name, drop = repr(table.features[at]), f"give --drop {quoted(table.features[at])}"
        scale = "; to give all columns the same spread, --metric seuclidean"
        caution(
            f"{file}: the column {name} alone makes {100.0 * min(share, 0.9999):.4g} % "
            f"{measured.what}; if it should not count, {drop}{scale if measured.scaled else ''}"
        )


def names_directions(table: Table) -> bool:
    """Whether `warn_of_doubts` names a pair whose directions differ."""
    return table.precomputed and table.n <= MANY


def _warn_of_asymmetry(table: Table, file: str) -> None:
    import numpy as np

    with np.errstate(invalid="ignore"):  # infinite distances get an error of their own
        gap = np.nan_to_num(np.abs(table.values - table.values.T), posinf=0.0)
    i, j = np.unravel_index(gap.argmax(), gap.shape)
    there, back = table.values[i, j], table.values[j, i]
    if gap[i, j] > 1e-6 * max(abs(there), abs(back)):
        names = table.labels or [str(k + 1) for k in range(table.n)]
        caution(
            f"{file} is not symmetric: {there:g} from {names[i]} to {names[j]}, but "
            f"{back:g} back; both directions count half"
        )
