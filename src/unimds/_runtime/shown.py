"""What a map shows of itself: a picture, and a card in a notebook.

Pictures, words and pages stand far above the maps: they are imported when something is shown.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


class Shown:
    """Base of what shows a map in a notebook."""

    def _card(self) -> str:
        """Return the map and what is to be said of it, as HTML; empty if there is no map yet."""
        card: str = import_module("unimds.notebook").card(self)
        return card


class ShownMap(Shown):
    """Base of maps, which draw themselves too."""

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw the map, in the manner that suits its space.

        Parameters
        ----------
        ax : Axes, default=None
            Axes to draw on; a new figure by default.
        **options
            Those of `unimds.plots.plot_embedding`, such as `labels` and `color`.

        Returns
        -------
        Axes
        """
        self._check_found()
        return import_module("unimds.plots").plot_embedding(self, ax=ax, **options)

    def _check_found(self) -> None:
        """Raise if there is no map yet."""
