"""Pictures of what a map means: outside variables, another map, the asymmetry of its table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.extras import require
from unimds.distances.inputs import labels_of
from unimds.distances.joining import joined
from unimds.interpret import Drift, Procrustes, Properties
from unimds.interpret.maps import Flat, flat_map
from unimds.plots.axes import MISS, area_of, check_length
from unimds.plots.columns import NamedColumn
from unimds.plots.embedding import NAMED, plot_embedding, write_note
from unimds.plots.labels import write_labels
from unimds.plots.views import principal_plane

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[Any]
Labels = Sequence[str | None] | bool | None

REACH = 0.9
"""The length of the arrow of a variable with R² = 1, as a share of the farthest point's."""
LONGEST = 0.2
"""The length of the longest drift vector in a picture, as a share of the width of the map."""


def plot_properties(
    X: Any,
    properties: Properties,
    labels: Labels = None,
    color: str | Sequence[Any] | None = None,
    ax: Axes | None = None,
    *,
    p_max: float | None = None,
    size: float | None = None,
    title: str | None = None,
) -> Axes:
    """Draw a map with the variables that were fitted to it.

    The arrow of a numeric variable starts at the mean of the points and points where the variable
    rises; its length is proportional to √R², so that a variable with R² = 1 nearly reaches the
    farthest point. A diamond is the centroid of a group. A map of more than two dimensions is shown
    in its first two principal coordinates, and so are the arrows.

    Parameters
    ----------
    X : array-like of shape (n, k), Result or fitted estimator
        The map.
    properties : Properties
        What `unimds.interpret.fit_properties` has found.
    labels, color, ax, size, title
        As in `plot_embedding`.
    p_max : float, default=None
        Leave out variables with a larger p-value.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from unimds.interpret import fit_properties
    >>> X = np.random.default_rng(0).normal(size=(20, 2))
    >>> found = fit_properties(X, {"east": X[:, 0]}, random_state=0)
    >>> plot_properties(X, found)  # doctest: +SKIP
    """
    flat = flat_map(X, None, "arrows")
    points, centre, axes, note = _plane(flat.points)
    ax = plot_embedding(points, False, _coloured(color, flat), ax, size=size, title=title)
    write_note(ax, note)
    middle, reach = points.mean(axis=0), _reach(points)
    vectors = [one for one in properties.vectors if _shown(one, p_max)]
    factors = [one for one in properties.factors if _shown(one, p_max)]
    arrows = np.array([one.arrow for one in vectors]).reshape(-1, len(axes)) @ axes
    tips = middle + REACH * reach * arrows
    for tip in tips:
        _arrow(ax, middle, tip)
    centres = [(one.centroids - centre) @ axes + middle for one in factors]
    for at in centres:
        ax.scatter(*at.T, marker="D", color=MISS, edgecolors="white", zorder=3.5)
    places = np.vstack([tips, *centres])
    names = [one.name for one in vectors]
    names += [f"{one.name} {level}" for one in factors for level in one.levels]
    _write(ax, Names(places, names, _padded(arrows, len(places))), points, labels, flat, size)
    return ax


def plot_drift(
    drift: Drift,
    labels: Labels = None,
    color: str | Sequence[Any] | None = None,
    ax: Axes | None = None,
    *,
    scale: float | None = None,
    size: float | None = None,
    title: str | None = None,
) -> Axes:
    """Draw a map with the drift of each point: the asymmetry of its table.

    Parameters
    ----------
    drift : Drift
        What `unimds.interpret.drift_vectors` has found.
    labels, color, ax, size, title
        As in `plot_embedding`.
    scale : float, default=None
        By what the arrows are stretched; by default the longest is a fifth of the map.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from unimds.interpret import drift_vectors
    >>> found = drift_vectors([[0, 2, 5], [4, 0, 4], [5, 3, 0]], [[0, 0], [3, 0], [3, 4]])
    >>> plot_drift(found)  # doctest: +SKIP
    """
    flat = Flat(drift.points, drift.labels)
    points, _, axes, note = _plane(drift.points)
    ax = plot_embedding(points, False, _coloured(color, flat), ax, size=size, title=title)
    longest = float(drift.lengths.max(initial=0.0))
    if scale is None:
        scale = LONGEST * 2.0 * _reach(points) / longest if longest > 0.0 else 1.0
    told = f"{drift.share:.1%} of the sum of squares of the table is asymmetric.".replace("%", " %")
    write_note(ax, f"{told} {note}".strip())
    vectors = drift.vectors @ axes
    tips = points + scale * vectors
    for start, tip in zip(points, tips, strict=True):
        _arrow(ax, start, tip)
    heads = Names(tips, [None] * len(tips))
    _write(ax, heads, points, labels, flat, size, away=-vectors)
    return ax


def plot_procrustes(
    test: Procrustes,
    labels: Labels = None,
    ax: Axes | None = None,
    *,
    names: tuple[str, str] = ("first", "second"),
    size: float | None = None,
    title: str | None = None,
) -> Axes:
    """Draw two maps on top of each other, with a line between the two places of each point.

    Parameters
    ----------
    test : Procrustes
        What `unimds.interpret.procrustes_test` has found, in any space.
    labels, ax, size, title
        As in `plot_embedding`.
    names : tuple of two str, default=("first", "second")
        What the legend calls the maps.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from unimds.interpret import procrustes_test
    >>> X = np.random.default_rng(0).normal(size=(20, 2))
    >>> plot_procrustes(procrustes_test(X, X + 0.1, random_state=0))  # doctest: +SKIP
    """
    n = len(test.points)
    own = _names(n, labels, Flat(test.points, test.labels)) or [None] * n
    column = NamedColumn("map", [names[0]] * n + [names[1]] * n, order=names)
    return plot_embedding(
        np.vstack([test.points, test.moved]),
        [*own, *[None] * n] if any(own) else False,
        column,
        ax,
        space=test.space,
        edges=np.column_stack([np.arange(n), n + np.arange(n)]),
        size=size,
        title=title,
    )


# --- parts of these pictures ----------------------------------------------------------------------


def _plane(points: Array) -> tuple[Array, Array, Array, str]:
    """Return points of the plane, the centre and the axes that lead there, and a note."""
    k = points.shape[1]
    if k == 1:
        raise ValueError(
            "a map of one dimension has no room for arrows; print the result, or fit two dimensions"
        )
    if k == 2:
        return points, points.mean(axis=0), np.eye(2), ""
    centre = points.mean(axis=0)
    axes, share = principal_plane(points - centre)
    note = f"The first two of {k} principal coordinates: {share:.0%} of the variance."
    return (points - centre) @ axes, centre, axes, note.replace("%", " %")


def _reach(points: Array) -> float:
    return float(np.linalg.norm(points - points.mean(axis=0), axis=1).max())


def _shown(one: Any, p_max: float | None) -> bool:
    return bool(one.r2 == one.r2) and (p_max is None or bool(one.p_value <= p_max))


def _arrow(ax: Axes, start: Array, tip: Array) -> None:
    arrow = require("matplotlib.patches", "plot").FancyArrowPatch(
        tuple(start),
        tuple(tip),
        arrowstyle="-|>",
        mutation_scale=11.0,
        shrinkA=0.0,
        shrinkB=0.0,
        linewidth=1.4,
        color=MISS,
        zorder=3.0,
    )
    ax.add_patch(arrow)


def _coloured(color: Any, flat: Flat) -> Any:
    return joined(color, "color", flat.labels)


def _names(n: int, labels: Labels, flat: Flat) -> list[str | None] | None:
    """Return the names of the points: those given, or their own if they are not too many."""
    if isinstance(labels, bool) or (labels is None and (flat.labels is None or n > NAMED)):
        return None
    if labels is None:
        return [str(name) for name in flat.labels or ()]
    given = joined(labels, "labels", flat.labels, labels_of(labels))
    check_length(given, n, "labels")
    return list(given)


def _padded(directions: Array, n: int) -> Array:
    return np.vstack([directions, np.zeros((n - len(directions), 2))])


class Names(NamedTuple):
    """Names of what was drawn on a map: places, texts, and directions in which texts stand."""

    places: Array
    texts: Sequence[str | None]
    away: Array | None = None


def _write(
    ax: Axes,
    drawn: Names,
    points: Array,
    labels: Labels,
    flat: Flat,
    size: float | None,
    away: Array | None = None,
) -> None:
    """Write the names of what was drawn, and then those of the points; no name covers another."""
    ax.update_datalim(drawn.places)  # matplotlib does not count arrows
    ax.autoscale_view()
    n, count = len(points), len(drawn.places)
    names = _names(n, labels, flat) or [None] * n
    sides = _padded(np.empty((0, 2)), count) if drawn.away is None else drawn.away
    write_labels(
        ax,
        np.vstack([drawn.places, points]),
        [*drawn.texts, *names],
        first=np.arange(count + n) < count,
        away=np.vstack([sides, np.zeros((n, 2)) if away is None else away]),
        gap=0.5 * float(np.sqrt(area_of(n, size))) + 2.0,
    )
    special = {tuple(place) for place in drawn.places}
    for text in ax.texts:
        if tuple(getattr(text, "xy", ())) in special:
            text.set_color(MISS)
