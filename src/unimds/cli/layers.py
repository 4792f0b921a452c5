"""Options of what is drawn on a map: shapes, hulls, ellipses, spiders, a tree, and the page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unimds.cli.inputs import column_of
from unimds.cli.options import single as o

if TYPE_CHECKING:
    from unimds.files import Table

PAGES = {"one": "one column", "two": "two columns"}


def _column(option: str, help: str) -> Any:
    return typer.Option(option, metavar="COLUMN", help=help, rich_help_panel=o.OUTPUT)


Shape = Annotated[
    str | None, _column("--shape", "Column that the shapes of the points tell, in the picture.")
]
Hulls = Annotated[
    str | None,
    _column("--hulls", "Draw the convex hull of each group of this column, in picture and report."),
]
Ellipses = Annotated[
    str | None, _column("--ellipses", "Draw an ellipse that holds 95 % of each group.")
]
Spiders = Annotated[
    str | None, _column("--spiders", "Draw a line from the mean of each group to its points.")
]
Tree = Annotated[
    bool,
    typer.Option(
        "--tree", help="Draw the minimum spanning tree of the table.", rich_help_panel=o.OUTPUT
    ),
]
Bubbles = Annotated[
    bool,
    typer.Option(
        "--bubbles",
        help="Draw a bubble around each point: its share of the squared error.",
        rich_help_panel=o.OUTPUT,
    ),
]
PageColumns = Annotated[
    str | None,
    typer.Option(
        "--page-columns",
        metavar="N",
        help="Draw the picture for a paper, as wide as one column (89 mm) or two (183 mm).",
        rich_help_panel=o.OUTPUT,
    ),
]
Dark = Annotated[
    bool, typer.Option("--dark", help="Draw the picture on a dark page.", rich_help_panel=o.OUTPUT)
]


@dataclass(frozen=True)
class Drawn:
    """What is drawn on a map, by the names of columns; and on which page."""

    shape: Shape = None
    hulls: Hulls = None
    ellipses: Ellipses = None
    spiders: Spiders = None
    tree: Tree = False
    bubbles: Bubbles = False
    page_columns: PageColumns = None
    dark: Dark = False

    def check(self, plot: str | None, report: str | None) -> None:
        """Raise if there is no picture or report to draw on."""
        if self.page_columns is not None and self.page_columns not in PAGES:
            raise typer.BadParameter(
                f"use one or two, not {self.page_columns!r}", param_hint="--page-columns"
            )
        both: dict[str, Any] = {
            "--hulls": self.hulls,
            "--ellipses": self.ellipses,
            "--spiders": self.spiders,
        }
        both |= {"--tree": self.tree, "--bubbles": self.bubbles}
        alone = {"--shape": self.shape, "--page-columns": self.page_columns, "--dark": self.dark}
        for option, value in (both | alone).items():
            if not value or plot is not None or (option in both and report is not None):
                continue
            other = " or --report R.html" if option in both else ""
            raise typer.BadParameter(
                f"there is nothing to draw on; add --plot P.png{other}", param_hint=option
            )

    def read(self, table: Table, file: str) -> Prepared:
        """Return the columns that are drawn; raise if the table has none of that name."""
        names = {self.shape, self.hulls, self.ellipses, self.spiders} - {None}
        known = {str(name): column_of(table, str(name), file) for name in names}
        return Prepared(self, known)


@dataclass(frozen=True)
class Prepared:
    """What is drawn on a map, with the values of its columns."""

    drawn: Drawn
    known: dict[str, Any]

    def column(self, name: str | None) -> Any:
        """Return a column with its name."""
        from unimds.plots.columns import NamedColumn

        return None if name is None else NamedColumn(name, self.known[name])

    def layers(self, mds: Any) -> list[Any]:
        """Return the layers of a finished map."""
        from unimds import plots
        from unimds.quality import point_stress

        drawn = self.drawn
        kinds: tuple[Any, ...] = (plots.Hulls, plots.Ellipses, plots.Spiders)
        names = (drawn.hulls, drawn.ellipses, drawn.spiders)
        groups = zip(kinds, names, strict=True)
        found: list[Any] = [kind(self.column(name)) for kind, name in groups if name is not None]
        if drawn.tree:
            found.append(plots.SpanningTree(getattr(mds, "dissimilarity_matrix_", None)))
        if drawn.bubbles:
            found.append(plots.Bubbles(point_stress(mds), "share of the error"))
        return found

    @contextmanager
    def page(self) -> Iterator[None]:
        """Draw for a paper, or on a dark page, if that was asked for."""
        from unimds.plots import publication
        from unimds.plots.themes import dark_page

        if self.drawn.page_columns is not None:
            with publication(PAGES[self.drawn.page_columns], dark=self.drawn.dark):
                yield
        else:
            with dark_page(self.drawn.dark):
                yield
