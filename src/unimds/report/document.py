"""The page of a report as an object: text to search, a file to save, a frame in a notebook."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from html import unescape
from typing import final

from unimds._runtime.frame import framed, packed
from unimds.files import endings
from unimds.files.atomic import atomic


@final
class Report(str):
    """A report on a map: one HTML page, which a notebook shows and `save` writes to a file.

    It is a string, the source of the page: ``"<p>" in page``, ``len(page)`` and
    ``file.write(page)`` work as with any other.

    Examples
    --------
    >>> from unimds import place_center
    >>> from unimds.report import report
    >>> page = report(place_center([[0.0, 2.0], [2.0, 0.0]], 1), title="Two points")
    >>> page
    <Report "Two points", ... MB of HTML: a notebook shows it, .save("map.html") writes it>
    >>> page.save("map.html")  # doctest: +SKIP
    """

    __slots__ = ()

    @property
    def html(self) -> str:
        """The source of the page, as a plain string."""
        return str(self)

    @property
    def heading(self) -> str:
        """The title of the page."""
        found = re.search("<title>(.*?)</title>", self, re.DOTALL)
        return "" if found is None else unescape(found[1])

    def __repr__(self) -> str:
        size = len(self.encode()) / 1e6
        return (
            f'<Report "{self.heading}", {size:.1f} MB of HTML: a notebook shows it, '
            '.save("map.html") writes it>'
        )

    def _repr_html_(self) -> str:
        """Return the page as an isolated frame."""
        size = "width: 100%; height: 46rem; max-height: 90vh; min-height: 30rem"
        return framed(packed(self), f"Report: {self.heading}", size)

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write the page to a file, completely or not at all.

        Parameters
        ----------
        path : str or PathLike
            The file, whose name ends in ".html" or ".htm".
        force : bool, default=False
            Whether to replace an existing file.

        Raises
        ------
        FileError
            If the name has another ending, if the file exists and `force` is false, or if it cannot
            be written.
        """
        write_page(path, lambda: self, force)


def write_page(path: str | os.PathLike[str], page: Callable[[], str], force: bool) -> None:
    """Write a page, which is made only if the file can be written."""
    endings.REPORT.check(path)
    with atomic(path, force=force) as partial:
        partial.write_text(page(), encoding="utf-8")
