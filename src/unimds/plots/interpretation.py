"""Pictures of what a map means: outside variables, another map, the asymmetry of its table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unimds.distances.inputs import labels_of
from unimds.distances.joining import joined
from unimds.interpret import Drift, Procrustes, Properties
from unimds.interpret.maps import Flat, flat_map
from unimds.plots.axes import check_length
from unimds.plots.columns import NamedColumn
from unimds.plots.embedding import NAMED, Look, draw_map, plot_embedding, scene_of, write_note
from unimds.plots.layers import DriftVectors, Layer, PropertyVectors
from unimds.plots.layers.meaning import check_flat
from unimds.plots.views import flattened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[Any]
Labels = Sequence[str | None] | bool | None


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
    layers = [PropertyVectors(properties, p_max)]
    return _draw(flat, labels, color, ax, size, title, layers)


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
    told = f"{drift.share:.1%} of the sum of squares of the table is asymmetric.".replace("%", " %")
    layers = [DriftVectors(drift, scale)]
    ax = _draw(flat, labels, color, ax, size, title, layers, away=-drift.vectors)
    write_note(ax, f"{told} {ax.get_xlabel()}".strip())
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
    if len(names) != 2:
        raise ValueError(f"names={names!r}: give two, one for each map")
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


def _draw(
    flat: Flat,
    labels: Labels,
    color: Any,
    ax: Axes | None,
    size: float | None,
    title: str | None,
    layers: Sequence[Layer],
    away: Array | None = None,
) -> Axes:
    """Draw a map in Euclidean space with layers; names stand `away`, a vector for each point."""
    names = _names(len(flat.points), labels, flat)
    scene = scene_of(flat.points)
    check_flat(scene.space, flat.points.shape[1], "arrows")
    seen = flattened(scene.view).seen
    stand = None if away is None else seen(away) - seen(np.zeros_like(away))
    hues = joined(color, "color", flat.labels)
    look = Look(names, hues, size, title, None, layers=layers, away=stand)
    return draw_map(scene, look, ax)


def _names(n: int, labels: Labels, flat: Flat) -> list[str | None] | None:
    """Return the names of the points: those given, or their own if they are not too many."""
    if isinstance(labels, bool) or (labels is None and (flat.labels is None or n > NAMED)):
        return None
    if labels is None:
        return [str(name) for name in flat.labels or ()]
    given = joined(labels, "labels", flat.labels, labels_of(labels))
    check_length(given, n, "labels")
    return list(given)
