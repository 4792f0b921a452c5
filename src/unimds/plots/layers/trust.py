"""How far to trust each point, drawn on the map: uncertainty regions, and bubbles of stress."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unimds.plots.axes import title_of
from unimds.plots.layers.base import Dots, Drawing, Entry, Layer, Line, Scene, UnsuitableLayer
from unimds.plots.shapes import circle
from unimds.spaces import Euclidean
from unimds.trust import ConfidenceRegions, Stability
from unimds.trust.stability import LINE

Array = NDArray[Any]

BROAD = 7.0
"""The width of a region of one dimension, in typographic points."""
LARGEST = 900.0
"""The area of the largest bubble, in typographic points squared."""


@final
@dataclass(frozen=True, eq=False)
class UncertaintyRegions(Layer):
    """A confidence region around each point: where else it could be.

    A region is an ellipse in the plane, and bends along with the space on a sphere, in the Poincaré
    disk and in a triangle; on a line and on a circle it is an interval. Of a flat map of more than
    two dimensions, it is the shadow of the region.

    Parameters
    ----------
    stability : Stability
        What `unimds.trust.jackknife`, `bootstrap` or `perturbation` has found of this map.
    confidence : float, default=0.9
        How often a region should contain the true place.

    Examples
    --------
    >>> from unimds.plots import UncertaintyRegions, plot_embedding
    >>> plot_embedding(mds, layers=[UncertaintyRegions(stability)])  # doctest: +SKIP
    """

    stability: Stability
    confidence: float = 0.9

    @property
    def name(self) -> str:
        """What the report calls the layer."""
        return f"regions of {100.0 * self.confidence:g} %"

    def draw(self, scene: Scene) -> Drawing:
        """Return the outlines of the regions."""
        points, other = np.asarray(self.stability.points), np.asarray(scene.points)
        if points.shape != other.shape or not np.allclose(points, other, atol=1e-6 * np.ptp(other)):
            raise ValueError(
                "stability is that of another map; study the map that it is to be drawn on"
            )
        narrow = scene.view.kind in ("line", "circle")
        how: dict[str, Any] = {"width": BROAD} if narrow else {"width": 1.0, "filled": True}
        return Drawing([Line(path, "region", **how) for path in self._outlines(scene)])

    def _outlines(self, scene: Scene) -> list[Array]:
        regions = self.stability.regions(self.confidence)
        k = regions.tangents.k
        if isinstance(scene.space, Euclidean) and k > 2:
            return (
                _solid(regions, scene) if scene.view.kind == "space" else _shadows(regions, scene)
            )
        if k > 2:
            raise UnsuitableLayer(
                f"regions of {k} dimensions in {scene.space} cannot be drawn; stability.to_frame() "
                "has their radii, and a map of two dimensions has regions to draw"
            )
        return [scene.view.seen(_line(regions, i)) for i in range(scene.n)]


def _line(regions: ConfidenceRegions, i: int) -> Array:
    """Return the outline of a region, or a line along a region of one dimension."""
    if regions.tangents.k == 2:
        return regions.outline(i)
    ends = regions.tangents.vectors(i, regions.outline(i))
    return regions.tangents.places(i, np.linspace(ends[0], ends[1], LINE))


def _shadows(regions: ConfidenceRegions, scene: Scene) -> list[Array]:
    """Return what regions of many dimensions hide of the plane of the picture."""
    k = regions.tangents.k
    axes = scene.view.seen(np.eye(k)) - scene.view.seen(np.zeros((1, k)))
    lines = []
    for i, middle in enumerate(scene.view.points):
        values, own = np.linalg.eigh(axes.T @ regions.covariances[i] @ axes)
        half = np.sqrt(np.maximum(values, 0.0) * regions.bounds[i]) * own
        lines.append(np.asarray(middle + circle(LINE) @ half.T))
    return lines


def _solid(regions: ConfidenceRegions, scene: Scene) -> list[Array]:
    """Return three ellipses for each region of three dimensions, through its axes."""
    lines = []
    for i, point in enumerate(scene.view.points):
        values, axes = np.linalg.eigh(regions.covariances[i])
        half = np.sqrt(np.maximum(values, 0.0) * regions.bounds[i]) * axes
        for pair in ([0, 1], [0, 2], [1, 2]):
            lines.append(np.asarray(point + circle(LINE) @ half[:, pair].T))
    return lines


@final
@dataclass(frozen=True, eq=False)
class Bubbles(Layer):
    """A circle around each point whose area is a number, such as the stress of the point.

    Parameters
    ----------
    values : sequence of n numbers
        None is negative. A pandas Series is matched with the points by label, and its name is the
        title of the legend.
    title : str, default=None
        Title of the legend; by default the name of a Series.

    Examples
    --------
    >>> from unimds.plots import Bubbles, plot_embedding
    >>> from unimds.quality import point_stress
    >>> bubbles = Bubbles(point_stress(mds), "share of the error")  # doctest: +SKIP
    >>> plot_embedding(mds, layers=[bubbles])  # doctest: +SKIP
    """

    values: ArrayLike
    title: str | None = None

    @property
    def name(self) -> str:
        """What the report calls the layer."""
        return self._title or "bubbles"

    @property
    def _title(self) -> str | None:
        return self.title if self.title is not None else title_of(self.values)

    def draw(self, scene: Scene) -> Drawing:
        """Return a bubble for each number, and two of them for the legend."""
        values = np.asarray(scene.matched(self.values, "values"), dtype=float)
        largest = float(np.nanmax(values, initial=0.0))
        if (values < 0.0).any() or not np.isfinite(largest):
            raise ValueError("values of bubbles must be finite and not negative: they are areas")
        if largest == 0.0:
            return Drawing([])
        known = np.isfinite(values)
        areas = LARGEST * values[known] / largest
        bubbles = Dots(scene.view.points[known], "miss", areas=areas, hollow=True)
        entries = [
            Entry(f"{share:.2g}", _bubble(share / largest)) for share in (largest / 4.0, largest)
        ]
        return Drawing([bubbles], entries, self._title)


def _bubble(share: float) -> Dots:
    return Dots(np.zeros((1, 2)), "miss", areas=np.array([LARGEST * share]), hollow=True)
