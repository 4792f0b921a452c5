"""Small multiples: several maps of the same points, turned onto the first, side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unimds.distances.inputs import as_float, labels_of
from unimds.distances.joining import joined, rows_as
from unimds.interpret import procrustes_test
from unimds.placecenter.result import map_of, names_of
from unimds.plots.axes import new_page
from unimds.plots.embedding import Look, draw_map, given_to, matched_looks, scene_of
from unimds.plots.layers.base import Layer, as_layers
from unimds.spaces import Euclidean, Space, as_space

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[Any]

ACROSS = 3
"""Maps in a row, at most."""


def plot_maps(
    maps: Mapping[str, Any] | Sequence[Any],
    labels: Sequence[str | None] | bool | None = None,
    color: str | Sequence[Any] | None = None,
    *,
    shape: Sequence[Any] | None = None,
    layers: Sequence[Layer] = (),
    edges: ArrayLike | None = None,
    space: str | Space | None = None,
    size: float | None = None,
    columns: int | None = None,
) -> Array:
    """Draw several maps of the same points side by side, each turned onto the first (Procrustes).

    In Euclidean space the maps are also stretched to the size of the first. All pictures have the
    same scale, and share one legend.

    Parameters
    ----------
    maps : mapping of titles to maps, or sequence of maps
        Arrays, results or fitted estimators, of the same points. Points that have labels are
        matched by them; others are in the same order.
    labels, color, shape, layers, edges, size
        As in `plot_embedding`, for every map.
    space : str or Space, default=None
        The space of the maps; by default that of the first, or Euclidean.
    columns : int, default=None
        Maps in a row; by default up to three.

    Returns
    -------
    ndarray of Axes
        One for each map; ``axes[0].figure`` is the figure.

    Examples
    --------
    >>> from unimds.plots import plot_maps
    >>> plot_maps({"metric": one, "ordinal": other}, color=kind)  # doctest: +SKIP
    """
    named = dict(maps) if isinstance(maps, Mapping) else {f"{i + 1}": m for i, m in enumerate(maps)}
    titled = list(named) if isinstance(maps, Mapping) else [None] * len(named)
    if not named:
        raise ValueError("there is no map to draw")
    first = next(iter(named.values()))
    points, here = map_of(first, space)
    where = as_space(here)
    turned = [as_float(points, "X").astype(np.float64)]
    turned += [_onto(first, other, name, where) for name, other in list(named.items())[1:]]
    scenes = [
        replace(scene_of(each, where), labels=_labels(first), given=given_to(own))
        for each, own in zip(turned, named.values(), strict=True)
    ]
    names, hues = matched_looks(first, scenes[0].n, labels, color)
    shape = joined(shape, "shape", names_of(first), labels_of(names), names)
    writing: list[Callable[[], None]] = []  # names need the final scale
    look = Look(
        names, hues, size, None, edges, layers=as_layers(layers), shape=shape, later=writing
    )
    across = min(len(scenes), ACROSS) if columns is None else max(1, min(columns, len(scenes)))
    axes = _axes(len(scenes), across, scenes[0].view.kind)
    for k, (ax, scene, title) in enumerate(zip(axes, scenes, titled, strict=True)):
        own = replace(look, title=title, legend=k == across - 1)
        # the globe of every map is seen from the same side
        view = replace(scene.view, facing=scenes[0].view.facing or scene.view.facing)
        draw_map(replace(scene, view=view), own, ax)
    _share_scale(axes)
    for write in writing:
        write()
    return axes


def _labels(X: Any) -> list[Any] | None:
    names = names_of(X)
    return None if names is None else list(names)


def _onto(first: Any, other: Any, name: str, space: Space) -> Array:
    """Return a map turned onto the first one."""
    found = ((map_of(first)[0], "X"), (map_of(other)[0], f"map {name!r}"))
    here, there = (as_float(*each).astype(np.float64) for each in found)
    if len(here) != len(there):
        raise ValueError(
            f"map {name!r} has {len(there)} points, and the first {len(here)}; draw maps of the "
            "same points"
        )
    there = there[rows_as(_labels(first), _labels(other), f"map {name!r}")]
    scale = isinstance(space, Euclidean)
    test = procrustes_test(here, there, n_permutations=0, scale=scale, space=space)
    return np.asarray(test.moved)


def _axes(count: int, across: int, kind: str) -> Array:
    """Return axes in a grid, on a page as wide as the maps need."""
    rows = ceil(count / across)
    wide, high = (6.4, 3.4) if kind == "globe" else (4.0, 3.8)
    grid = np.atleast_1d(new_page(wide * across, high * rows).subplots(rows, across)).ravel()
    for spare in grid[count:]:
        spare.set_axis_off()
    return np.asarray(grid[:count])


def _share_scale(axes: Array) -> None:
    """Give all pictures the same limits: those of the widest."""
    x, y = (np.array([ax.get_xlim() if a == 0 else ax.get_ylim() for ax in axes]) for a in (0, 1))
    for ax in axes:
        hold_scale(ax, (x.min(), y.min()), (x.max(), y.max()))


def hold_scale(ax: Axes, low: ArrayLike, high: ArrayLike) -> None:
    """Let a picture show this box and nothing else, in true proportions if it had them."""
    if ax.get_aspect() != "auto":
        ax.set_aspect("equal", adjustable="box")
    (left, bottom), (right, top) = np.asarray(low), np.asarray(high)
    ax.set(xlim=(left, right), ylim=(bottom, top))
