"""Fixed points, or anchors: points whose place is given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from unimds.distances.inputs import as_float
from unimds.spaces.base import Space, distances

Array = NDArray[Any]


@final
@dataclass(frozen=True, eq=False)
class Anchors:
    """Which points may move, and where the fixed ones stay (rows of NaN for points that move)."""

    free: Array
    points: Array

    def hold(self, embedding: Array, space: Space) -> Array:
        """Turn a seed so that it meets the anchors, then put these exactly where they belong."""
        held = ~self.free
        try:
            embedding = space.isometry(embedding[held], self.points[held])(embedding)
        except TypeError:  # a space that does not know its isometries must move the rest by sweeps
            if held.sum() > 1:
                raise
        return np.where(held[:, None], self.points, space.project_points(embedding))

    def apart(self, space: Space) -> tuple[Array, Array] | None:
        """Return the numbers of the anchors and the distances between them, if there are some."""
        number = np.flatnonzero(~self.free)
        apart = distances(self.points[number], space=space)
        return (number, apart) if apart.any() else None


def as_anchors(fixed: Any, n: int, n_components: int, space: Space) -> Anchors | None:
    """Check anchors given as ``{index: coordinates}`` or as rows with NaN for free points."""
    if fixed is None:
        return None
    width = space.n_coordinates(n_components)
    points = (
        _from_mapping(fixed, n, width)
        if isinstance(fixed, Mapping)
        else np.array(as_float(fixed, "fixed"), dtype=np.float64)
    )
    if points.shape != (n, width):
        raise ValueError(
            f"fixed must have one row of {width} coordinates for each of the {n} points, with NaN "
            f"for those that may move; its shape is {points.shape}"
        )
    missing = np.isnan(points)
    torn = np.flatnonzero(missing.any(axis=1) & ~missing.all(axis=1))
    if torn.size:
        raise ValueError(f"fixed: row {torn[0]} is only partly known; give all coordinates or none")
    free = missing.all(axis=1)
    if np.isinf(points).any():
        raise ValueError(f"fixed: row {np.argwhere(np.isinf(points))[0][0]} is infinite")
    for i in np.flatnonzero(~free):
        try:
            space.check_points(points[i : i + 1], "fixed")
        except ValueError as error:  # it knows of one row only
            raise ValueError(str(error).replace("row 0", f"row {i}")) from None
    return None if free.all() else Anchors(free, points)


def _from_mapping(fixed: Mapping[Any, Any], n: int, width: int) -> Array:
    points = np.full((n, width), np.nan)
    for index, point in fixed.items():
        number = isinstance(index, int | np.integer) and not isinstance(index, bool)
        if not number or not -n <= index < n:
            raise ValueError(f"fixed: {index!r} is not the number of a point (0 to {n - 1})")
        if not np.isnan(points[index]).all():
            raise ValueError(f"fixed: point {index % n} is given twice")
        row = as_float(point, f"fixed[{index}]")
        if row.shape != (width,):
            raise ValueError(
                f"fixed[{index}] must have {width} coordinates; its shape is {row.shape}"
            )
        points[index] = row
    return points
