"""Light and dark pages, and the sizes of figures in journals.

A picture takes its colours from the page that it is drawn on: light ink on a dark page. So
`publication`, matplotlib's style sheets and a figure with a colour of its own all work.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

from unimds._runtime.extras import require

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@final
@dataclass(frozen=True)
class Theme:
    """The colours of a picture.

    Attributes
    ----------
    page, paper : str
        The page, and the inside of a disk, a triangle or a globe.
    ink, note, quiet, grid, edge : str
        From strong to light: text, notes, boundaries, grids; edges of graphs.
    found, miss, region : str
        Points without a colour, what is drawn on top of them, regions of points.
    hues : tuple of str
        Groups: the palette of Okabe and Ito, safe for colour-blind readers.
    """

    page: str
    paper: str
    ink: str
    note: str
    quiet: str
    grid: str
    edge: str
    found: str
    miss: str
    region: str
    hues: tuple[str, ...]

    def hue(self, which: int | str) -> str:
        """Return the colour of a group by its number, or of a part of the picture by its name."""
        return str(getattr(self, which)) if isinstance(which, str) else self.hues[which % 8]


LIGHT = Theme(
    page="#FFFFFF",
    paper="#F5F8FB",
    ink="#1B2430",
    note="#566272",
    quiet="#BFC5CC",
    grid="#E3E6EA",
    edge="#7C8794",
    found="#0072B2",
    miss="#D55E00",
    region="#4B5968",
    hues=(
        *("#0072B2", "#E69F00", "#009E73", "#CC79A7"),
        *("#D55E00", "#56B4E9", "#000000", "#8C8C8C"),
    ),
)
# Black and dark blue would not be seen: white and yellow, the eighth of the palette, replace them.
DARK = Theme(
    page="#12171D",
    paper="#1B222B",
    ink="#E8EDF3",
    note="#A3AFBD",
    quiet="#4A5663",
    grid="#2A333D",
    edge="#8493A3",
    found="#56B4E9",
    miss="#FF9A52",
    region="#C9D3DE",
    hues=(
        *("#56B4E9", "#E69F00", "#00B98A", "#E49AC3"),
        *("#F0703A", "#F0E442", "#FFFFFF", "#9AA4AE"),
    ),
)


def theme_of(ax: Axes) -> Theme:
    """Return the theme of the page that axes are on: dark if the page is."""
    colour = require("matplotlib.colors", "plot").to_rgba
    r, g, b, opaque = colour(ax.figure.get_facecolor())
    if opaque == 0.0:  # of a transparent page, the ink tells
        r, g, b = (
            1.0 - part for part in colour(require("matplotlib", "plot").rcParams["text.color"])[:3]
        )
    return DARK if 0.299 * r + 0.587 * g + 0.114 * b < 0.5 else LIGHT


# --- figures of a paper ---------------------------------------------------------------------------

MM = 1.0 / 25.4
WIDTHS = {"one column": 89.0, "two columns": 183.0}
"""Widths of figures in millimetres, as Nature and many others want them."""
USUAL = 7.0
"""The width of a picture on a screen, in inches."""

_width: ContextVar[float | None] = ContextVar("width of figures in inches", default=None)


def page_size(width: float, height: float) -> tuple[float, float]:
    """Return the size of a figure: as asked for, or as wide as a column of a paper."""
    wanted = _width.get()
    return (width, height) if wanted is None else (wanted, height * wanted / width)


def point_scale() -> float:
    """Return by what the area of points is multiplied: they are smaller on a narrow figure."""
    wanted = _width.get()
    return 1.0 if wanted is None else min(1.0, max(0.4, wanted / USUAL))


@contextmanager
def publication(columns: str = "one column", *, dark: bool = False) -> Iterator[dict[str, Any]]:
    """Draw pictures as papers print them: as wide as a column, with small type and real text.

    All that is drawn inside the ``with`` block has the width of one column (89 mm) or of two
    (183 mm), sans-serif type of 7 points, thin lines, and text that stays text in SVG and PDF.

    Parameters
    ----------
    columns : {"one column", "two columns"}, default="one column"
        The width.
    dark : bool, default=False
        Whether the page is dark, for slides.

    Yields
    ------
    dict
        The settings of matplotlib that hold in the block.

    Examples
    --------
    >>> with publication("one column") as settings:  # doctest: +SKIP
    ...     plot_embedding(mds).figure.savefig("figure-1.pdf")
    """
    if columns not in WIDTHS:
        raise ValueError(f"columns={columns!r} must be one of {', '.join(map(repr, WIDTHS))}")
    matplotlib = require("matplotlib", "plot")
    width = WIDTHS[columns] * MM
    settings = _settings(width, DARK if dark else LIGHT)
    before = _width.set(width)
    try:
        with matplotlib.rc_context(settings):
            yield settings
    finally:
        _width.reset(before)


@contextmanager
def dark_page(dark: bool = True) -> Iterator[None]:
    """Draw pictures on a dark page, of the usual size; or as usual."""
    matplotlib = require("matplotlib", "plot")
    with matplotlib.rc_context(_colours(DARK) if dark else {}):
        yield


def _colours(theme: Theme) -> dict[str, Any]:
    inks = ("text.color", "axes.labelcolor", "axes.titlecolor", "xtick.color", "ytick.color")
    pages = ("figure.facecolor", "axes.facecolor", "savefig.facecolor", "legend.facecolor")
    inked, paged = dict.fromkeys(inks, theme.ink), dict.fromkeys(pages, theme.page)
    return {"axes.edgecolor": theme.note, **inked, **paged}


def _settings(width: float, theme: Theme) -> dict[str, Any]:
    # what is not said here stays as the user has it
    lines = ("axes.linewidth", "xtick.major.width", "ytick.major.width", "patch.linewidth")
    return {
        "figure.figsize": (width, 0.8 * width),
        "font.family": "sans-serif",
        "font.sans-serif": ["Arial", "Helvetica", "Liberation Sans", "DejaVu Sans"],
        "font.size": 7.0,
        "axes.titlesize": 8.0,
        "axes.labelsize": 7.0,
        "legend.fontsize": 7.0,
        "legend.title_fontsize": 7.0,
        "xtick.labelsize": 6.0,
        "ytick.labelsize": 6.0,
        "xtick.major.size": 2.5,
        "ytick.major.size": 2.5,
        "lines.linewidth": 1.0,
        "savefig.dpi": 600,
        "svg.fonttype": "none",
        "pdf.fonttype": 42,
        "ps.fonttype": 42,
        **dict.fromkeys(lines, 0.6),
        **_colours(theme),
    }
