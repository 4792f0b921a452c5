"""The figure of every picture that the library makes; the module needs matplotlib."""

from __future__ import annotations

from typing import Any, final

from matplotlib import rc_context
from matplotlib.figure import Figure

TEXT: dict[Any, Any] = {"svg.fonttype": "none", "pdf.fonttype": 42, "ps.fonttype": 42}
"""Text stays text, and fonts are embedded as fonts: matplotlib's defaults write outlines in SVG."""


@final
class Picture(Figure):
    """A figure whose SVG and PDF files hold real text, to select, search and edit.

    Examples
    --------
    >>> import io
    >>> picture = Picture()
    >>> _ = picture.text(0.5, 0.5, "Reykjavík")
    >>> file = io.StringIO()
    >>> picture.savefig(file, format="svg")
    >>> "Reykjavík</text>" in file.getvalue()
    True
    """

    def savefig(self, *args: Any, **kwargs: Any) -> None:
        """Save the picture; the parameters are those of matplotlib's ``savefig``."""
        # the setting counts when a file is written, not when a figure is made
        with rc_context(TEXT):
            super().savefig(*args, **kwargs)
