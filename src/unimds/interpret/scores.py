"""Places of species on a map of sites."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds.distances.inputs import as_float
from unimds.distances.joining import joined
from unimds.interpret.maps import axes_of, flat_map
from unimds.spaces.base import Space

Array = NDArray[Any]


def weighted_scores(
    X: Any, counts: Any, *, expand: bool = False, space: str | Space | None = None
) -> Any:
    """Return the place of each species on a map of sites: the mean of its sites, by its counts.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n, k), Result or fitted estimator
        A map in Euclidean space.
    counts : array-like or DataFrame of shape (n, d)
        How much of each species is at each site; rows are matched with the points by label.
    expand : bool, default=False
        Whether to stretch the places along each coordinate, so that species vary as much as sites,
        as vegan's ``metaMDS`` draws them. Means of sites always lie nearer to the middle.
    space : str or Space, default=None
        The space of the map; by default that of the result or estimator, or Euclidean.

    Returns
    -------
    ndarray or DataFrame of shape (d, k)
        NaN for a species that was never found.

    Examples
    --------
    >>> weighted_scores([[0.0, 0.0], [4.0, 0.0], [0.0, 8.0]], [[3, 0], [1, 0], [0, 2]])
    array([[1., 0.],
           [0., 8.]])
    """
    points, labels = flat_map(X, space, "means of points")
    rows = joined(counts, "counts", labels)
    w = as_float(rows, "counts").astype(np.float64)
    if w.ndim != 2 or len(w) != len(points):
        raise ValueError(
            f"counts must have a row for each of the {len(points)} points; its shape is {w.shape}"
        )
    if not np.isfinite(w).all() or (w < 0.0).any():
        i, j = np.argwhere(~(np.isfinite(w) & (w >= 0.0)))[0]
        raise ValueError(
            f"counts[{i}, {j}] = {w[i, j]:g}, but counts are finite and not negative; write 0 if "
            "nothing was found"
        )
    total = w.sum(axis=0)
    places = np.full((w.shape[1], points.shape[1]), np.nan)
    places[total > 0.0] = (w.T @ points)[total > 0.0] / total[total > 0.0, None]
    if expand:
        places = _expanded(places, total, points, w.sum(axis=1))
    columns = getattr(rows, "columns", None)
    if columns is None:
        return places
    return type(rows)(places, index=columns, columns=axes_of(points.shape[1]))


def _expanded(places: Array, total: Array, points: Array, sites: Array) -> Array:
    """Return places with the weighted variance of the sites along each coordinate."""
    found = total > 0.0
    centre, own = _moments(places[found], total[found])
    _, wanted = _moments(points, sites)
    stretch = np.sqrt(np.divide(wanted, own, np.ones_like(own), where=own > 0.0))
    return np.asarray((places - centre) * stretch + centre)


def _moments(points: Array, w: Array) -> tuple[Array, Array]:
    centre = (w @ points) / w.sum()
    return centre, (w @ (points - centre) ** 2) / w.sum()
