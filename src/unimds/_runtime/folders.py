"""Folders of the user's computer."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def cache_folder() -> Path:
    """Return the folder for what can be computed again: UNIMDS_CACHE, or that of the system.

    Examples
    --------
    >>> cache_folder().name
    '...'
    """
    own = os.environ.get("UNIMDS_CACHE")
    if own:
        return Path(own)
    home = Path.home()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "unimds"
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "unimds"
    return Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache") / "unimds"
