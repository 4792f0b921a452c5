"""Pictures of how far to trust a map: regions of its points, and the stress of permuted tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from unimds.plots.axes import new_axes, plain, tidy
from unimds.plots.embedding import Look, draw_map, matched_looks, scene_of
from unimds.plots.layers import UncertaintyRegions
from unimds.plots.room import make_room
from unimds.plots.themes import theme_of
from unimds.trust import PermutationTest, Stability, StressNorms

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
    labels = found.labels if labels is None else labels
    names, hues = matched_looks(found.points, len(found.points), labels, color)
    layers = [UncertaintyRegions(found, confidence)]
    look = Look(names, hues, size, title, None, layers=layers)
    return draw_map(scene_of(found.points, found.space), look, ax)


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
    theme = theme_of(ax)
    what = "Stress-1" if test.statistic == "stress_1" else "relative cost"
    told = f"{test.n_permutations} permuted tables"
    bins = max(5, min(40, test.n_permutations // 5))
    ax.hist(test.permuted, bins=bins, color="#8FA3B5", edgecolor=theme.page, label=told)
    if norms is not None and test.statistic == "stress_1":
        low, high = norms.mean - norms.deviation, norms.mean + norms.deviation
        ax.axvspan(
            low, high, color=theme.quiet, alpha=0.5, zorder=0.5, label="random numbers, mean ± sd"
        )
    ax.axvline(
        test.observed, color=theme.miss, linewidth=2.0, label=f"the data, p = {test.p_value:.2g}"
    )
    ax.set(xlabel=what, ylabel="tables", title=plain(title or ""))
    tidy(ax)
    ax.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)
    make_room(ax)
    return ax
