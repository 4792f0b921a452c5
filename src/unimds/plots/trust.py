"""Pictures of how far to trust a map: regions of its points, and the stress of permuted tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unimds.plots.axes import MISS, QUIET, new_axes, tidy
from unimds.plots.embedding import Look, draw_map, matched_looks
from unimds.plots.room import make_room
from unimds.plots.shapes import facing, in_cap, in_triangle
from unimds.plots.views import ROOM, angle_of, principal_plane, view_of
from unimds.spaces import Euclidean, to_poincare
from unimds.spaces.hyperbolic import recentred
from unimds.trust import ConfidenceRegions, PermutationTest, Stability, StressNorms
from unimds.trust.stability import LINE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[Any]
Labels = Sequence[str | None] | bool | None


def plot_stability(
    found: Stability,
    labels: Labels = None,
    color: str | Sequence[Any] | None = None,
    ax: Axes | None = None,
    *,
    confidence: float = 0.9,
    size: float | None = None,
    title: str | None = None,
) -> Axes:
    """Draw a map with a confidence region around each point.

    A region is an ellipse in the plane, and bends along with the space on a sphere, in the Poincaré
    disk and in a triangle; on a line and on a circle it is an interval. Of a flat map of more than
    two dimensions the picture shows the first two principal coordinates, and the shadow of each
    region there.

    Parameters
    ----------
    found : Stability
        What `unimds.trust.jackknife`, `bootstrap` or `perturbation` has found.
    labels, color, ax, size
        As in `plot_embedding`.
    confidence : float, default=0.9
        How often a region should contain the true place.
    title : str, default=None
        Title of the picture; by default what was done.

    Returns
    -------
    Axes

    Examples
    --------
    >>> plot_stability(found)  # doctest: +SKIP
    """
    if title is None:
        title = f"{found.method}: regions of {100.0 * confidence:g} %"
    view = view_of(found.points, found.space)
    labels = found.labels if labels is None else labels
    names, hues = matched_looks(found.points, len(found.points), labels, color)
    lines = region_lines(found, confidence, flat=True)
    return draw_map(view, Look(names, hues, size, title, None, regions=lines), ax)


def region_lines(found: Stability, confidence: float = 0.9, flat: bool = False) -> list[Array]:
    """Return the outlines of the regions of all points, in the coordinates of the view of a map.

    Where `flat`, a map of three dimensions is seen in its first two principal coordinates; else
    each region has three outlines there, along its axes.
    """
    regions = found.regions(confidence)
    k = regions.tangents.k
    if isinstance(found.space, Euclidean) and k > 2:
        return _solid(regions) if k == 3 and not flat else _shadows(regions)
    if k > 2:
        raise ValueError(
            f"regions of {k} dimensions in {found.space} cannot be drawn; stability.to_frame() has "
            "their radii, and a map of two dimensions has regions to draw"
        )
    return [_seen(_line(regions, i), found) for i in range(len(found.points))]


def _line(regions: ConfidenceRegions, i: int) -> Array:
    """Return the outline of a region, or a line along a region of one dimension."""
    if regions.tangents.k == 2:
        return regions.outline(i)
    ends = regions.tangents.vectors(i, regions.outline(i))
    return regions.tangents.places(i, np.linspace(ends[0], ends[1], LINE))


def _seen(line: Array, found: Stability) -> Array:
    """Return a line of the space as the view of the map shows it."""
    points = found.space.project_points(np.asarray(found.points, dtype=float))
    kind = view_of(points, found.space).kind
    if kind == "disk":
        return to_poincare(recentred(line, points))  # type: ignore[no-untyped-call]
    if kind == "cap":
        return np.asarray(in_cap(line, *facing(points)) / np.radians(ROOM * angle_of(points)))
    if kind == "triangle":
        return in_triangle(found.space.project_points(line) ** 2)
    if kind == "line":
        at = line[:, :1] if isinstance(found.space, Euclidean) else line[:, 1:] ** 2
        return np.column_stack([at, np.zeros(len(at))])
    return line


def _shadows(regions: ConfidenceRegions) -> list[Array]:
    """Return what regions of many dimensions hide of the plane of the first principal axes."""
    points = regions.tangents.points
    centred = points - points.mean(axis=0)
    axes, _ = principal_plane(centred)
    lines = []
    for i, middle in enumerate(centred @ axes):
        covariance = axes.T @ regions.covariances[i] @ axes
        lines.append(middle + _ellipse(covariance, regions.bounds[i]))
    return lines


def _solid(regions: ConfidenceRegions) -> list[Array]:
    """Return three ellipses for each region of three dimensions, through its axes."""
    lines = []
    for i, point in enumerate(regions.tangents.points):
        values, axes = np.linalg.eigh(regions.covariances[i])
        half = np.sqrt(np.maximum(values, 0.0) * regions.bounds[i]) * axes
        for first, second in ((0, 1), (0, 2), (1, 2)):
            lines.append(point + _circle() @ half[:, [first, second]].T)
    return lines


def _ellipse(covariance: Array, bound: float) -> Array:
    values, axes = np.linalg.eigh(covariance)
    half = np.sqrt(np.maximum(values, 0.0) * bound) * axes
    return np.asarray(_circle() @ half.T)


def _circle() -> Array:
    angle = np.linspace(0.0, 2.0 * np.pi, LINE)
    return np.column_stack([np.cos(angle), np.sin(angle)])


def plot_permutation_test(
    test: PermutationTest,
    norms: StressNorms | None = None,
    ax: Axes | None = None,
    *,
    title: str | None = None,
) -> Axes:
    """Draw the stress of permuted tables as a histogram, and that of the data as a line.

    Parameters
    ----------
    test : PermutationTest
        What `unimds.trust.permutation_test` has found.
    norms : StressNorms, default=None
        What `unimds.trust.random_stress_norms` has found, to draw their mean and deviation too.
    ax : Axes, default=None
        Axes to draw on; a new figure by default.
    title : str, default=None
        Title of the picture.

    Returns
    -------
    Axes

    Examples
    --------
    >>> plot_permutation_test(test)  # doctest: +SKIP
    """
    ax = new_axes(7, 4.2) if ax is None else ax
    what = "Stress-1" if test.statistic == "stress_1" else "relative cost"
    told = f"{test.n_permutations} permuted tables"
    bins = max(5, min(40, test.n_permutations // 5))
    ax.hist(test.permuted, bins=bins, color="#8FA3B5", edgecolor="white", label=told)
    if norms is not None and test.statistic == "stress_1":
        low, high = norms.mean - norms.deviation, norms.mean + norms.deviation
        ax.axvspan(low, high, color=QUIET, alpha=0.5, zorder=0.5, label="random numbers, mean ± sd")
    ax.axvline(test.observed, color=MISS, linewidth=2.0, label=f"the data, p = {test.p_value:.2g}")
    ax.set(xlabel=what, ylabel="tables", title=title or "")
    tidy(ax)
    ax.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)
    make_room(ax)
    return ax
