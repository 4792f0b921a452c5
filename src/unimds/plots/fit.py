"""Pictures of how well a map fits: its distances, its points, and the course of its cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from unimds._runtime.arguments import advised
from unimds._runtime.extras import require
from unimds.distances.joining import joined
from unimds.levels import Level, Ordinal, described
from unimds.placecenter.result import Outcome, names_of, transformation_of, with_distances
from unimds.plots.axes import SHAPES, check_length, new_axes, plain, shortened, tidy
from unimds.plots.room import arranges_bars, box_of, make_room
from unimds.plots.themes import theme_of
from unimds.plots.transformation import curves_of, draw_curves
from unimds.quality import linear_r2, monotone_r2, point_stress, shepard
from unimds.spaces import Space

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FEW = 2000
"""Up to this many pairs each pair is a dot; more pairs are drawn as a density."""
MUCH = 2.0
"""A point with more than this many equal shares of the squared error stands out."""
FLAT = 1e-3
"""A cost that falls by a smaller share makes a flat curve, as after a search."""
DASHES: tuple[Any, ...] = ("-", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)), (0, (7, 2)))


@advised
def plot_shepard(
    D: Any,
    X: Any = None,
    ax: Axes | None = None,
    *,
    space: str | Space | None = None,
    title: str | None = None,
) -> Axes:
    """Draw a Shepard diagram: distances on the map against given distances.

    On the line, the map has the given distance. At a level other than "ratio", the line is the
    transformation that the map has found, in steps or as a curve, and the legend tells both R²
    (`unimds.quality.monotone_r2` and `unimds.quality.linear_r2`). Many pairs are drawn as a
    density, on a logarithmic scale. The strip at the right shows the distribution of residuals,
    mapped minus given distance or disparity.

    Parameters
    ----------
    D : array-like of shape (n, n), or fitted estimator
        Given distances; NaN for missing pairs. An estimator alone is drawn with the distances that
        it was fitted to.
    X : array-like of shape (n, n_coordinates), Result or fitted estimator
        The points of the map.
    ax : Axes, default=None
        Axes to draw on; a new figure by default.
    space : str or Space, default=None
        The space of the points; by default the space of the result, or Euclidean.
    title : str, default=None
        Title of the picture.

    Returns
    -------
    Axes

    Examples
    --------
    >>> plot_shepard([[0.0, 4.0], [4.0, 0.0]], [[0.0], [5.0]])  # doctest: +SKIP
    """
    pairs = shepard(D, X, space=space)
    given, mapped, _, _ = pairs
    ax = new_axes(7, 5) if ax is None else ax
    cells = None
    if len(given) > FEW:
        cells = ax.hexbin(given, mapped, gridsize=60, bins="log", cmap="cividis_r", mincnt=1)
        cells.set_edgecolor("face")
    else:
        ax.scatter(given, mapped, s=14, color=theme_of(ax).found, alpha=0.6, linewidths=0)
    found = transformation_of(D if X is None else X)
    what = "distance" if found is None else "dissimilarity"
    ax.set(xlabel=f"given {what}", ylabel="distance on the map", title=plain(title or ""))
    tidy(ax)
    if found is None:
        top = float(max(given.max(initial=0.0), mapped.max(initial=0.0), 1e-300))
        ax.plot([0.0, top], [0.0, top], color=theme_of(ax).ink, linewidth=1.0)
    else:
        shares = (r2(D, X, space=space) for r2 in (monotone_r2, linear_r2))
        said = plain("\n".join([described(found.level), *r2_told(found.level, *shares)]))
        draw_curves(ax, curves_of(D if X is None else X), found.level, said)
        ax.legend(frameon=False, loc="lower right", fontsize="small")  # no rising curve is there
    _draw_residuals(ax, mapped - pairs.disparities)
    make_room(ax, *([] if cells is None else [_draw_count(ax, cells)]))
    return ax


def r2_told(level: Level, monotone: float, linear: float) -> list[str]:
    """Return what both R² are, in the words of vegan.

    Examples
    --------
    >>> r2_told(Ordinal(), 0.98487, 0.9224)
    ['non-metric fit, R² = 0.985', 'linear fit, R² = 0.922']
    """
    fit = "non-metric fit" if isinstance(level, Ordinal) else "fit (1 − S²)"
    shares = {fit: monotone, "linear fit": linear}
    return [f"{name}, R² = {share_told(share)}" for name, share in shares.items()]


def share_told(share: float) -> str:
    """Return a share of nearly one with digits enough to see that it is not one.

    Examples
    --------
    >>> share_told(0.98487), share_told(0.9999123), share_told(1.0)
    ('0.985', '0.99991', '1')
    """
    if not 0.9995 <= share < 1.0:
        return f"{share:.3g}"
    digits = int(np.ceil(-np.log10(max(1.0 - share, 1e-6))))
    return f"{share:.{digits}f}".rstrip("0").rstrip(".")


def _draw_count(ax: Axes, cells: Any) -> Axes:
    """Draw the colour bar of the density at the left, beside the numbers of the axis."""
    pad = 0.01
    if not arranges_bars(ax):  # matplotlib would draw it over the numbers
        left, _, right, _ = box_of(ax.bbox)
        pad += 1.3 * (left - box_of(ax.get_tightbbox())[0]) / (right - left)  # and some air
    how: dict[str, Any] = {"label": "pairs", "shrink": 0.7, "location": "left"}
    bar: Axes = ax.figure.colorbar(cells, ax=ax, pad=pad, **how).ax
    return bar


def _draw_residuals(ax: Axes, gap: Any) -> None:
    """Draw the distribution of the residuals in a separate strip."""
    strip = ax.inset_axes((1.03, 0.0, 0.2, 1.0))
    strip.hist(gap, bins=min(60, 10 + len(gap) // 20), orientation="horizontal", color="#8FA3B5")
    strip.axhline(0.0, color=theme_of(ax).ink, linewidth=1.0)
    strip.set_xticks([])
    strip.yaxis.tick_right()
    strip.set_title("residuals", fontsize="small")
    for side in ("top", "left", "bottom"):
        strip.spines[side].set_visible(False)


@advised
def plot_point_stress(
    D: Any,
    X: Any = None,
    labels: Sequence[Any] | None = None,
    ax: Axes | None = None,
    *,
    space: str | Space | None = None,
    weights: ArrayLike | None = None,
    top: int = 20,
    title: str | None = None,
) -> Axes:
    """Draw the point stress of the points that fit worst: their shares of the squared error.

    The line marks equal shares; bars of more than twice an equal share stand out.

    Parameters
    ----------
    D, X, ax, space, title
        As in `plot_shepard`.
    labels : sequence of n names, default=None
        Names of the points; by default the row labels of the data frame that the map was fitted to,
        or numbers.
    weights : array-like of shape (n, n), default=None
        Weights of the pairs.
    top : int, default=20
        Number of points to show, the worst first.

    Returns
    -------
    Axes

    Examples
    --------
    >>> plot_point_stress([[0.0, 4.0], [4.0, 0.0]], [[0.0], [5.0]])  # doctest: +SKIP
    """
    D, X = with_distances(D, X)
    share = 100.0 * point_stress(D, X, space=space, weights=weights)
    own = names_of(X)
    labels = own if labels is None else joined(labels, "labels", own)
    check_length(labels, len(share), "labels")
    labels = None if labels is None else list(labels)
    worst = np.argsort(-share, kind="stable")[:top]
    ax = new_axes(6, 1.2 + 0.25 * len(worst)) if ax is None else ax
    equal = 100.0 / max(len(share), 1)
    rows = np.arange(len(worst))
    theme = theme_of(ax)
    hues = [theme.miss if s > MUCH * equal else theme.found for s in share[worst]]
    ax.barh(rows, share[worst], color=hues)
    names = [str(i) if labels is None else plain(shortened(str(labels[i]), 30)) for i in worst]
    ax.set_yticks(rows, labels=names)
    ax.invert_yaxis()
    ax.axvline(equal, color=theme_of(ax).ink, linewidth=1.0)
    where: dict[str, Any] = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points"}
    side, shift = ("left", 4) if equal < 0.5 * ax.get_xlim()[1] else ("right", -4)
    ax.annotate("equal shares", (equal, 0), xytext=(shift, 4), ha=side, fontsize="small", **where)
    ax.set(xlabel="point stress, per cent", title=plain(title or ""))
    tidy(ax)
    ax.grid(visible=False, axis="y")
    make_room(ax)
    return ax


def plot_convergence(results: Any, ax: Axes | None = None, *, title: str | None = None) -> Axes:
    """Draw the cost of one or many runs against time.

    Parameters
    ----------
    results : Result, fitted estimator, or mapping of names to these
        The runs.
    ax : Axes, default=None
        Axes to draw on; a new figure by default.
    title : str, default=None
        Title of the picture.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from unimds import place_center
    >>> result = place_center([[0.0, 2.0], [2.0, 0.0]], 1)
    >>> plot_convergence({"ours": result})  # doctest: +SKIP
    """
    runs = results if isinstance(results, Mapping) else {"": results}
    ax = new_axes(7, 4.2) if ax is None else ax
    curves = [_history(run) for run in runs.values()]
    for k, (name, (seconds, cost)) in enumerate(zip(runs, curves, strict=True)):
        look = {"color": theme_of(ax).hue(k), "linestyle": DASHES[k % len(DASHES)]}
        ax.plot(seconds, cost, linewidth=1.8, **look)
        # the marker shows the end of the run
        ax.plot(seconds[-1:], cost[-1:], marker=SHAPES[k % len(SHAPES)], **look, label=plain(name))
    costs = np.concatenate([cost for _, cost in curves])
    if costs.min() > 0.0 and costs.max() > 3.0 * costs.min():
        ax.set_yscale("log")
        _plain_numbers(ax)
    else:
        ax.ticklabel_format(axis="y", useOffset=False)
    if costs.max() - costs.min() < FLAT * abs(costs.max()):  # else rounding would fill the picture
        ax.set_ylim(0.99 * costs.min(), 1.01 * costs.max())
    ax.set_xlim(left=0.0)
    ax.set(xlabel="seconds", ylabel="cost", title=plain(title or ""))
    tidy(ax)
    if any(runs):
        ax.legend(frameon=False)
    make_room(ax)
    return ax


def plot_starts(mds: Any, ax: Axes | None = None, *, title: str | None = None) -> Axes:
    """Draw where the starts of a small table ended: the cost of each, from the lowest up.

    A long step at the left says that many starts led to the lowest map; many steps say that the
    table has many minima.

    Parameters
    ----------
    mds : fitted estimator, Result or Starts
        The run.
    ax : Axes, default=None
        Axes to draw on; a new figure by default.
    title : str, default=None
        Title of the picture.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from unimds import place_center
    >>> result = place_center([[0, 1, 2, 2], [1, 0, 2, 1], [2, 2, 0, 1], [2, 1, 1, 0]])
    >>> plot_starts(result)  # doctest: +SKIP
    """
    starts = _starts(mds)
    ax = new_axes(7, 4.2) if ax is None else ax
    costs = np.sort(starts.costs)
    lowest = np.arange(1, costs.size + 1) <= starts.found
    for which, hue, shape, name in (
        (lowest, 0, SHAPES[0], f"the lowest map: {starts.found} of {len(starts)} starts"),
        (~lowest, 1, SHAPES[1], "other maps"),
    ):
        if which.any():
            number = np.flatnonzero(which) + 1
            ax.plot(
                number, costs[which], shape, color=theme_of(ax).hue(hue), markersize=4, label=name
            )
    ax.set(xlabel="starts, from the lowest cost up", ylabel="cost", title=plain(title or ""))
    tidy(ax)
    ax.legend(frameon=False, loc="upper left")
    make_room(ax)
    return ax


def _starts(run: Any) -> Any:
    found = run
    for name in ("starts_", "starts"):
        found = getattr(found, name, found)
    if not hasattr(found, "costs"):
        raise TypeError(f"{type(run).__name__} has no starts to draw: {_without_starts(run)}")
    return found


def _without_starts(run: Any) -> str:
    """Return why a run has no starts."""
    if getattr(getattr(run, "result_", run), "outcome", None) is Outcome.PROVEN:
        return "all orders of the points on the line were compared, and no map costs less"
    if not isinstance(getattr(run, "n_init", "auto"), str):
        return (
            f'n_init={run.n_init} keeps the best of its starts only; give n_init="auto" or '
            '"thorough"'
        )
    return (
        'only tables of few points are embedded from many starts, with n_init="auto" or '
        '"thorough"; a number of starts keeps the best of them only'
    )


def _history(run: Any) -> tuple[Any, Any]:
    history = getattr(run, "history", getattr(run, "history_", None))
    if history is None:
        raise TypeError(f"{type(run).__name__} has no history of its cost")
    return np.asarray(history)[:, 0], np.asarray(history)[:, 1]


def _plain_numbers(ax: Axes) -> None:
    ticker = require("matplotlib.ticker", "plot")
    low, high = ax.get_ylim()
    ax.yaxis.set_major_formatter(ticker.FormatStrFormatter("%g"))
    # within one power of ten there would be hardly any number otherwise
    minor = ticker.FormatStrFormatter("%g") if high < 30.0 * low else ticker.NullFormatter()
    ax.yaxis.set_minor_locator(ticker.LogLocator(subs=(2, 3, 5), numticks=12))
    ax.yaxis.set_minor_formatter(minor)
