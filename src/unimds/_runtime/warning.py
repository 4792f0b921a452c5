"""Warnings that point to the line that called the library, not into the library."""

from __future__ import annotations

import sys
import warnings

_INSIDE = ("unimds", "sklearn", "joblib", "contextlib", "concurrent")


def warn(message: str, category: type[Warning]) -> None:
    """Warn at the first caller outside the library."""
    depth = 2  # 1 is this function
    frame = sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in _INSIDE:
        frame, depth = frame.f_back, depth + 1
    warnings.warn(message, category, stacklevel=depth)
