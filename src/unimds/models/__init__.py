"""Models: a fitted map in a file, to place new points on later.

A file holds plain numbers and a header in JSON, never code: reading it executes nothing.
"""

from unimds.models.saving import load, save

__all__ = ["load", "save"]
