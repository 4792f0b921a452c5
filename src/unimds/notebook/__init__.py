"""What a map shows of itself in a notebook: a small live map, and its quality in words.

The room may import `report`, `plots` and below. It needs neither plotly nor matplotlib.
"""

from unimds.notebook.card import card

__all__ = ["card"]
