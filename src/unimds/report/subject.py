"""The subject of a report: a map, its given distances, and the names of its points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unimds.distances.inputs import as_float, columns_as_rows, labels_of
from unimds.distances.joining import Labels, joined, joined_table
from unimds.distances.metric import empty_rows
from unimds.distances.objects.taking import kind_of, native, native_numbers
from unimds.distances.table import ComputedTable, HeldTable, LocalTable
from unimds.estimators.parameters import size_found
from unimds.losses import Loss, Squared
from unimds.placecenter.result import Outcome, Result, names_of
from unimds.plots.fit import FLAT
from unimds.report.level import Scaled, scaled_of
from unimds.spaces import Space

Array = NDArray[Any]

PERFECT = 1e-6
"""A smaller Stress-1 is rounding."""


@dataclass(frozen=True)
class Run:
    """The run that made a map: a fit of all points, or of the landmarks only.

    Attributes
    ----------
    n : int
        Number of points that were fitted.
    cost, outcome, history, found
        As in `Result`; they belong to these points.
    starts : int
        Number of starts of the search, 0 if there was none.
    """

    n: int
    cost: float
    outcome: Outcome
    history: Array
    starts: int
    found: int

    @property
    def falls(self) -> bool:
        """Whether the course of the cost tells something: after a search it is flat."""
        cost = self.history[:, 1]
        return len(cost) > 2 and bool(cost[0] - cost[-1] > FLAT * abs(cost[0]))


@dataclass(frozen=True)
class Placed:
    """New points, the last of all, on a map that stayed as it was.

    Attributes
    ----------
    count : int
        Number of new points.
    cost, stress : float
        Cost and Stress-1 of the map itself.
    own : ndarray of shape (count,)
        Stress-1 of the distances between each new point and the map.
    """

    count: int
    cost: float
    stress: float
    own: Array


@dataclass(frozen=True)
class Subject:
    """A map and everything known about it; unknown attributes are None.

    Attributes
    ----------
    cost, stress : float or None
        Cost and Stress-1 of the whole map.
    cost_error, stress_error : float
        Their standard errors, if they are estimates; 0 if they are exact.
    run : Run or None
        The run that made the map.
    phases : dict of seconds
        How long each step of a fit by landmarks took; empty for all other maps.
    interrupted : bool
        Whether a fit by landmarks was interrupted, in whichever step.
    size : str
        The size of the space, if the fit has estimated it; or empty.
    placed : Placed or None
        New points on the map, if the report is on them: then `cost` and `stress` are theirs.
    empty : tuple of int
        Rows of zeros, which the metric puts equally far from all other points.
    keys : tuple of sequences of labels, or None
        Labels to match columns by, as `unimds.distances.joining.joined` takes them.
    scaled : Scaled or None
        What a map at a level of measurement is compared with; None at the level "ratio".
    instead : str
        What judges the map where no table of its pairs is known; empty if nothing does.
    """

    points: Array
    space: Space
    loss: Loss
    labels: list[str]
    table: LocalTable | None
    cost: float | None
    stress: float | None
    run: Run | None
    settings: dict[str, str]
    cost_error: float = 0.0
    stress_error: float = 0.0
    phases: dict[str, float] = field(default_factory=dict)
    interrupted: bool = False
    size: str = ""
    placed: Placed | None = None
    keys: tuple[Labels, ...] = (None,)
    empty: tuple[int, ...] = ()
    scaled: Scaled | None = None
    instead: str = ""

    @property
    def n(self) -> int:
        """Number of points."""
        return len(self.points)

    @property
    def compared(self) -> LocalTable | None:
        """What the distances of the map are compared with: given distances, or disparities."""
        return self.table if self.scaled is None else self.scaled.table

    @property
    def errs(self) -> bool:
        """Whether the map has errors at all, apart from rounding."""
        return self.stress is None or self.stress >= PERFECT

    @property
    def landmarks(self) -> Run | None:
        """The fit of the landmarks, if the other points were placed against them."""
        return self.run if self.run is not None and self.run.n < self.n else None


def subject_of(
    mds: Any, D: ArrayLike | None, labels: Sequence[Any] | None, *, pairs: bool = True
) -> Subject:
    """Collect the content of a report from a fitted estimator or a result.

    Without `pairs` nothing is collected that takes time or memory for every pair of points.
    """
    result = mds if isinstance(mds, Result) else _result(mds)
    points = mds.embedding_ if result is None else result.embedding
    fitted = result or getattr(mds, "landmark_result_", None)
    own = _first(names_of(mds), labels_of(D, square=True))
    D = None if D is None else _native(mds, joined_table(D, names_of(mds)))
    labels = joined(labels, "labels", own)
    table = _table(mds, D, len(points)) if pairs else None
    return Subject(
        points=np.asarray(points, dtype=float),
        space=mds.space_ if result is None else result.space,
        loss=getattr(fitted, "loss", None) or Squared(),
        labels=_labels(_first(labels, own), len(points)),
        table=table,
        cost=getattr(result, "cost", getattr(mds, "cost_", None)),
        stress=_stress(mds, D),
        run=None if fitted is None else _run(fitted),
        settings=settings_of(mds),
        cost_error=getattr(mds, "cost_error_", 0.0),
        stress_error=getattr(mds, "stress_error_", 0.0),
        phases=getattr(mds, "seconds_", {}),
        interrupted=getattr(mds, "outcome_", None) is Outcome.INTERRUPTED,
        size=size_found(mds),
        keys=(own, labels_of(labels), labels),
        empty=tuple(empty_rows(getattr(mds, "metric", None), getattr(mds, "_fit_X", np.empty(0)))),
        scaled=scaled_of(mds, table),
    )


def _stress(mds: Any, D: Any) -> float | None:
    """Return the known Stress-1; that of a result is computed again from given distances."""
    if isinstance(mds, Result):
        return mds.stress if D is None else None
    return getattr(mds, "stress_", None)


def _run(fitted: Result) -> Run:
    starts = 0 if fitted.starts is None else len(fitted.starts)
    known = fitted.cost, fitted.outcome, fitted.history, starts, fitted.found
    return Run(len(fitted.embedding), *known)


def _result(mds: Any) -> Result | None:
    if not hasattr(mds, "embedding_") or not hasattr(mds, "space_"):
        raise TypeError(f"a report needs a Result or a fitted estimator, not {type(mds).__name__}")
    result = getattr(mds, "result_", None)
    return result if isinstance(result, Result) else None


def _first(*found: Any) -> Any:
    return next((labels for labels in found if labels is not None), None)


def _labels(labels: Sequence[Any] | None, n: int) -> list[str]:
    if labels is None:
        return [str(i) for i in range(n)]
    names = ["" if label is None else str(label) for label in labels]
    if len(names) != n:
        raise ValueError(f"the map has {n} points, but there are {len(names)} labels")
    return names


# --- distances ------------------------------------------------------------------------------------


def _table(mds: Any, D: Any, n: int) -> LocalTable | None:
    """Return the given distances, in memory or computed from features."""
    if D is None:
        return _own_table(mds)
    metric = getattr(mds, "_metric", None)
    given = as_float(columns_as_rows(D) if np.shape(D) == (n, n) else D, "D")
    if metric is not None and given.shape == (n, mds.n_features_in_) and not _is_table(given):
        return ComputedTable(given, metric, np.float64)
    if given.shape != (n, n):
        raise ValueError(
            f"D must be the distances of the {n} points, but its shape is {given.shape}. Features "
            "need the estimator that was fitted to them, which knows the metric"
        )
    return HeldTable(given[:, None, :])


def _native(mds: Any, D: Any) -> Any:
    """Return features or distances as an array or a frame: features, if the map was made of any."""
    kind = kind_of(D)
    if hasattr(mds, "_metric") and not (kind is not None and kind.holds_distances(D)):
        return native_numbers(D, "D")
    return native(D, "D")


def _own_table(mds: Any) -> LocalTable | None:
    held = getattr(mds, "dissimilarity_matrix_", None)
    if held is not None:
        return HeldTable(np.asarray(held)[:, None, :])
    if hasattr(mds, "_fit_X"):  # because of `memory_limit` the table is not in memory
        return ComputedTable(mds._fit_X, mds._metric, np.float64)
    return None


def _is_table(given: Array) -> bool:
    return given.shape[0] == given.shape[1] and not np.diagonal(given).any()


# --- settings -------------------------------------------------------------------------------------

UNSAID = {"loss", "space", "level", "conditional", "callback", "verbose", "n_jobs", "memory_limit"}
"""Parameters that a report omits: shown elsewhere, or without influence on the map."""


def settings_of(mds: Any) -> dict[str, str]:
    """Return the metric of an estimator, and its parameters that differ from their defaults."""
    if not hasattr(mds, "get_params"):
        return {}
    usual = type(mds)().get_params(deep=False)
    used = {"metric": mds.metric_} if hasattr(mds, "metric_") else {}
    chosen = {
        name: value if isinstance(value, str | int | float) else _brief(value)
        for name, value in {**mds.get_params(deep=False), **used}.items()
        # the metric decides what a distance means, also where it is the usual one
        if name not in UNSAID and (name == "metric" or not _same(value, usual[name]))
    }
    return {"method": type(mds).__name__, **{name: str(value) for name, value in chosen.items()}}


def _same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and bool(np.all(a == b))


def _brief(value: Any) -> str:
    shape = np.shape(value)
    return f"an array of shape {shape}" if len(shape) else repr(value)
