"""Choosing a map: dimension, space, loss and level by how well held-out pairs are predicted.

May import: `plots`, `estimators` and what is below them.
"""

from unimds.select.search import MDSSearchCV

__all__ = ["MDSSearchCV"]
