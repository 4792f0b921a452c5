"""The points of a map: their colours and shapes, and the sections of the legend on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.extras import require
from unimds.plots.axes import MOST, SHAPES, area_of, check_length, plain, shortened, title_of
from unimds.plots.columns import as_categories, as_colours, as_numbers
from unimds.plots.themes import LIGHT, Theme, theme_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[Any]

MISSING = "no value"
"""What a legend calls points without a number or a category."""


class Section(NamedTuple):
    """A part of a legend: a title, and signs with their meanings."""

    title: str | None
    signs: list[Any]
    texts: list[str]


@dataclass(frozen=True)
class Drawn:
    """What stands beside points that were drawn: sections of a legend, and colour bars."""

    sections: list[Section] = field(default_factory=list)
    bars: list[Axes] = field(default_factory=list)


class Part(NamedTuple):
    """Some points that look alike: which, how, and what the legend calls them; None for nothing."""

    rows: NDArray[np.bool_]
    look: dict[str, Any]
    text: str | None = None


def colour_groups(color: Any) -> dict[str, int]:
    """Return the number of the colour of each category; none if the colours are something else.

    Examples
    --------
    >>> colour_groups(["b", "a", "b"]), colour_groups([0.5, 1.5])
    ({'a': 0, 'b': 1}, {})
    """
    if color is None or isinstance(color, str) or not hasattr(color, "__len__"):
        return {}
    if as_numbers(color) is not None:
        return {}
    if as_colours(color, "grey") is not None:
        return {}
    return {name: k for k, name in enumerate(as_categories(color, MOST)[0])}


def draw_points(
    ax: Axes,
    points: Array,
    color: str | Sequence[Any] | None,
    size: float | None,
    new: Any = None,
    shape: Sequence[Any] | None = None,
    bar: bool = True,
) -> Drawn:
    """Draw points in given colours, by numbers with a colour bar, or by categories with a legend.

    A further column may decide their shapes. New points are outlined; without colours they have a
    colour of their own. Without `bar` numbers have no colour bar.
    """
    area, theme = area_of(len(points), size), theme_of(ax)
    look: dict[str, Any] = {"s": area, "edgecolors": theme.page, "linewidths": 0.4, "zorder": 2.5}
    fresh = new is not None and color is None
    if fresh:
        color = ["new" if one else "map" for one in new]
    drawn = _draw_coloured(ax, points, color, look, shape, bar)
    if new is not None and not fresh:
        ring: dict[str, Any] = {**look, "s": 2.2 * area, "edgecolors": theme.ink, "linewidths": 1.1}
        told = "new (outlined)"
        sign = ax.scatter(*points[new].T, facecolors="none", label=told, **ring)
        drawn.sections.append(Section(None, [sign], [told]))
    return drawn


def _draw_coloured(
    ax: Axes,
    points: Array,
    color: str | Sequence[Any] | None,
    look: dict[str, Any],
    shape: Sequence[Any] | None,
    bar: bool,
) -> Drawn:
    n, theme = len(points), theme_of(ax)
    check_length(shape, n, "shapes")
    drawn, every = Drawn(), np.ones(n, dtype=bool)
    if color is None or isinstance(color, str):
        hue = theme.found if color is None else _one_colour(color, n)
        _draw_shapes(ax, points, [Part(every, {**look, "color": hue})], shape, drawn)
        return drawn
    check_length(color, n, "colours")
    if (values := as_numbers(color)) is not None:
        ramp = _ramp(theme).with_extremes(bad=theme.quiet)
        known = values[np.isfinite(values)]
        scale = require("matplotlib.colors", "plot").Normalize(known.min(), known.max())
        # points without a number are grey
        how = {**look, "c": values, "cmap": ramp, "norm": scale, "plotnonfinite": True}
        signs = _draw_shapes(ax, points, [Part(every, how)], shape, drawn)
        if bar:
            drawn.bars.append(_bar(ax, signs[0], title_of(color), bool(np.isnan(values).any())))
    elif (hues := as_colours(color, theme.quiet)) is not None:
        how = {**look, "c": np.array(hues, dtype=object)}
        _draw_shapes(ax, points, [Part(every, how)], shape, drawn)
    else:
        parts = list(_categories(color, look, theme, shape is None))
        signs = _draw_shapes(ax, points, parts, shape, drawn)
        texts = [part.text for part in parts if part.rows.any() and part.text is not None]
        drawn.sections.insert(0, Section(title_of(color), signs, texts))
    return drawn


def _ramp(theme: Theme) -> Any:
    """Return viridis, without its dark end on a dark page."""
    whole = require("matplotlib", "plot").colormaps["viridis"]
    if theme is LIGHT:
        return whole
    some = whole(np.linspace(0.3, 1.0, 256))
    return require("matplotlib.colors", "plot").ListedColormap(some)


def _bar(ax: Axes, signs: Any, label: str | None, missing: bool) -> Axes:
    if missing:
        label = f"{label} ({MISSING}: grey)" if label else f"{MISSING}: grey"
    bar = ax.figure.colorbar(signs, ax=ax, shrink=0.7, pad=0.02, label=label)
    bar.outline.set_edgecolor(theme_of(ax).quiet)
    beside: Axes = bar.ax
    return beside


def _one_colour(color: str, n: int) -> str:
    if not require("matplotlib.colors", "plot").is_color_like(color):
        raise ValueError(
            f'color={color!r} is no colour; give a colour such as "red" for all points, or a '
            f"sequence with a value for each of the {n} points"
        )
    return color


def _categories(
    color: Sequence[Any], look: dict[str, Any], theme: Any, shaped: bool
) -> Iterator[Part]:
    """Yield the points of each category; where no other column does, they decide the shape."""
    names, codes, rare = as_categories(color, MOST)
    for k, name in enumerate(names):
        marker = SHAPES[k % len(SHAPES)] if shaped else "o"
        yield Part(codes == k, {**look, "color": theme.hue(k), "marker": marker}, plain(name))
    if rare:
        told = f"{rare} others"
        yield Part(codes == len(names), {**look, "color": theme.quiet, "marker": "."}, told)
    below = {**look, "zorder": 2.4, "color": theme.quiet, "marker": "o"}
    yield Part(codes < 0, below, MISSING)


def _draw_shapes(
    ax: Axes, points: Array, parts: Sequence[Part], shape: Sequence[Any] | None, drawn: Drawn
) -> list[Any]:
    """Draw parts of the points, each in the shapes of another column; return a sign of each."""
    signs = []
    shapes = [Part(np.ones(len(points), dtype=bool), {})]
    if shape is not None:
        shapes = list(_shapes(shape))
        drawn.sections.append(_shape_section(ax, shape, shapes))
    for part in parts:
        here = [
            _scatter(ax, points, part.rows & own.rows, {**part.look, **own.look}, part.text)
            for own in shapes
            if (part.rows & own.rows).any()
        ]
        if here:
            plain_sign = shape is None or "norm" in part.look  # a colour bar explains what is drawn
            signs.append(here[0] if plain_sign else _sign(ax, {**part.look, "marker": "o"}))
    return signs


def _scatter(
    ax: Axes, points: Array, rows: NDArray[np.bool_], look: dict[str, Any], text: str | None
) -> Any:
    how = dict(look)
    if "c" in how:
        how["c"] = how["c"][rows] if how["c"].dtype != object else list(how["c"][rows])
    return ax.scatter(*points[rows].T, label=text, **how)


def _sign(ax: Axes, look: dict[str, Any]) -> Any:
    """Return a sign for the legend, which stands nowhere on the map."""
    return require("matplotlib.lines", "plot").Line2D(
        [],
        [],
        linestyle="none",
        marker=look["marker"],
        markersize=float(np.sqrt(look["s"])),
        color=look.get("color", theme_of(ax).note),
        markeredgecolor=look["edgecolors"],
        markeredgewidth=look["linewidths"],
    )


def _shapes(shape: Sequence[Any]) -> Iterator[Part]:
    names, codes, rare = as_categories(shape, len(SHAPES))
    for k, name in enumerate(names):
        yield Part(codes == k, {"marker": SHAPES[k % len(SHAPES)]}, plain(name))
    if rare:
        yield Part(codes == len(names), {"marker": "."}, f"{rare} others")
    yield Part(codes < 0, {"marker": "|"}, MISSING)


def _shape_section(ax: Axes, shape: Sequence[Any], shapes: Sequence[Part]) -> Section:
    theme = theme_of(ax)
    look = {"s": 36.0, "color": theme.note, "edgecolors": theme.page, "linewidths": 0.4}
    used = [part for part in shapes if part.rows.any()]
    signs = [_sign(ax, {**look, **part.look}) for part in used]
    return Section(title_of(shape), signs, [str(part.text) for part in used])


TYPE = 10.0
"""The size of type, about, in typographic points."""


def _size(sign: Any) -> float:
    return float(sign.get_markersize()) if hasattr(sign, "get_markersize") else 0.0


# --- the legend -----------------------------------------------------------------------------------


def _brief(section: Section) -> Section:
    title = None if section.title is None else shortened(section.title)
    return section._replace(title=title, texts=[shortened(text) for text in section.texts])


def draw_legend(ax: Axes, sections: Sequence[Section]) -> None:
    """Draw a legend at the right; several sections have their titles among the signs."""
    told = [_brief(section) for section in sections if section.texts]
    if not told:
        return
    how: dict[str, Any] = {"loc": "upper left", "frameon": False, "borderaxespad": 0.3}
    how["bbox_to_anchor"] = (1.0, 1.0)
    largest = max(_size(sign) for section in told for sign in section.signs)
    how["labelspacing"] = max(0.5, largest / TYPE - 0.8)  # bubbles must not touch each other
    titled = [section for section in told if section.title is not None]
    if len(told) == 1 or not titled:
        signs = [sign for section in told for sign in section.signs]
        texts = [text for section in told for text in section.texts]
        ax.legend(signs, texts, title=told[0].title, **how)
        return
    empty = require("matplotlib.lines", "plot").Line2D([], [], linestyle="none")
    signs, texts, titles = [], [], []
    for section in told:
        if section.title is not None:
            titles.append(len(texts))
        signs += [*([empty] if section.title is not None else []), *section.signs]
        texts += [*([section.title] if section.title is not None else []), *section.texts]
    legend = ax.legend(signs, texts, **how)
    for k in titles:
        legend.get_texts()[k].set_fontweight("bold")
