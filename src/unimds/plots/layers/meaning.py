"""What a map means, drawn on it: property vectors, centroids, species, drift."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unimds.distances.inputs import as_float
from unimds.interpret import Drift, Properties
from unimds.plots.layers.base import Arrow, Dots, Drawing, Layer, Mark, Name, Scene, UnsuitableLayer
from unimds.spaces import Euclidean, Space

Array = NDArray[Any]

REACH = 0.9
"""The length of the arrow of a variable with R² = 1, as a share of the farthest point's."""
LONGEST = 0.4
"""The length of the longest drift vector in a picture, as a share of the farthest point's."""


def check_flat(space: Space, k: int, what: str) -> None:
    """Raise if a map has no straight lines, or no room for arrows."""
    if not isinstance(space, Euclidean):
        raise UnsuitableLayer(
            f"{what} need straight lines, which {space} does not have: fit the map in Euclidean "
            "space, with a dimension more if it fits poorly"
        )
    if k == 1:
        raise UnsuitableLayer(
            f"a map of one dimension has no room for {what}; print the result, or fit two "
            "dimensions"
        )


def _directions(scene: Scene, vectors: Array) -> Array:
    """Return directions of the space as they are drawn."""
    origin = np.zeros((1, scene.points.shape[1]))
    return np.asarray(scene.view.seen(vectors) - scene.view.seen(origin))


@final
@dataclass(frozen=True, eq=False)
class PropertyVectors(Layer):
    """Variables that were fitted to the map: an arrow for numbers, a diamond for each group.

    The arrow of a numeric variable starts at the mean of the points and points where the variable
    rises; its length is proportional to √R², so that a variable with R² = 1 nearly reaches the
    farthest point. A diamond is the centroid of a group.

    Parameters
    ----------
    properties : Properties
        What `unimds.interpret.fit_properties` has found.
    p_max : float, default=None
        Leave out variables with a larger p-value.

    Examples
    --------
    >>> from unimds.plots import PropertyVectors, plot_embedding
    >>> plot_embedding(mds, layers=[PropertyVectors(found, p_max=0.05)])  # doctest: +SKIP
    """

    properties: Properties
    p_max: float | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.properties, Properties):
            kind = type(self.properties).__name__
            raise TypeError(
                f"properties must be what fit_properties(mds, variables) returns, not {kind}"
            )

    @property
    def name(self) -> str:
        """What the report calls the layer."""
        return "variables"

    def draw(self, scene: Scene) -> Drawing:
        """Return arrows and diamonds with their names."""
        check_flat(scene.space, scene.points.shape[1], "arrows")
        self._check_width(scene.points.shape[1])
        middle, far = scene.middle, REACH * scene.reach
        marks: list[Mark] = []
        for one in filter(self._shown, self.properties.vectors):
            way = _directions(scene, one.arrow[None])[0]
            tip = middle + far * way
            marks += [Arrow(middle, tip), Name(tip, one.name, away=way)]
        for group in filter(self._shown, self.properties.factors):
            places = scene.view.seen(group.centroids)
            marks.append(Dots(places, "miss", sign="D"))
            names = zip(places, group.levels, strict=True)
            marks += [Name(place, f"{group.name} {level}") for place, level in names]
        return Drawing(marks)

    def _check_width(self, k: int) -> None:
        widths = [one.direction.size for one in self.properties.vectors]
        widths += [group.centroids.shape[1] for group in self.properties.factors]
        if any(width != k for width in widths):
            raise ValueError(
                f"the map has {k} dimensions, but the variables were fitted to one of {widths[0]}; "
                "fit them to this map"
            )

    def _shown(self, one: Any) -> bool:
        return bool(one.r2 == one.r2) and (self.p_max is None or bool(one.p_value <= self.p_max))


@final
@dataclass(frozen=True, eq=False)
class SpeciesScores(Layer):
    """Species on a map of sites: a cross at the mean of the sites of each, with its name.

    Parameters
    ----------
    scores : array-like or DataFrame of shape (d, k)
        What `unimds.interpret.weighted_scores` returns; the index of a frame has the names.
    names : sequence of d names, default=None
        Names of the species, where `scores` has none. Names that do not fit are omitted.

    Examples
    --------
    >>> from unimds.interpret import weighted_scores
    >>> from unimds.plots import SpeciesScores, plot_embedding
    >>> species = weighted_scores(mds, counts)  # doctest: +SKIP
    >>> plot_embedding(mds, layers=[SpeciesScores(species)])  # doctest: +SKIP
    """

    scores: ArrayLike
    names: Sequence[str] | None = None

    @property
    def name(self) -> str:
        """What the report calls the layer."""
        return "species"

    def draw(self, scene: Scene) -> Drawing:
        """Return crosses with their names; species that were never found have none."""
        check_flat(scene.space, 2, "means of points")
        scores = as_float(self.scores, "scores").astype(np.float64)
        k = scene.points.shape[1]
        if scores.ndim != 2 or scores.shape[1] != k:
            raise ValueError(
                f"scores must have {k} coordinates, as the map; their shape is {scores.shape}"
            )
        index = getattr(self.scores, "index", None)
        names = self.names if self.names is not None else index
        known = np.flatnonzero(np.isfinite(scores).all(axis=1))
        places = scene.view.seen(scores[known])
        marks: list[Mark] = [Dots(places, "miss", sign="+")]
        if names is not None:
            own = list(names)
            if len(own) != len(scores):
                raise ValueError(f"there are {len(scores)} scores, but {len(own)} names")
            marks += [Name(at, str(own[i])) for i, at in zip(known, places, strict=True)]
        return Drawing(marks)


@final
@dataclass(frozen=True, eq=False)
class DriftVectors(Layer):
    """The asymmetry of a table: an arrow at each point, to where its rows are shorter.

    Parameters
    ----------
    drift : Drift
        What `unimds.interpret.drift_vectors` has found.
    scale : float, default=None
        By what the arrows are stretched; by default the longest is a fifth of the map.

    Examples
    --------
    >>> from unimds.plots import DriftVectors, plot_embedding
    >>> plot_embedding(mds, layers=[DriftVectors(drift)])  # doctest: +SKIP
    """

    drift: Drift
    scale: float | None = None

    @property
    def name(self) -> str:
        """What the report calls the layer."""
        return "drift"

    def draw(self, scene: Scene) -> Drawing:
        """Return an arrow for each point."""
        check_flat(scene.space, scene.points.shape[1], "arrows")
        if len(self.drift.vectors) != scene.n:
            raise ValueError(
                f"the map has {scene.n} points, but the drift is that of {len(self.drift.vectors)}"
            )
        longest = float(self.drift.lengths.max(initial=0.0))
        scale = self.scale
        if scale is None:
            scale = LONGEST * scene.reach / longest if longest > 0.0 else 1.0
        starts = scene.view.points
        tips = starts + scale * _directions(scene, self.drift.vectors)
        return Drawing([Arrow(*ends) for ends in zip(starts, tips, strict=True)])
