"""Available memory."""

from __future__ import annotations

import os
from pathlib import Path

MEMINFO = Path("/proc/meminfo")


def fits(size: float, limit: float | str | None) -> bool:
    """Return whether `size` bytes are within a limit: bytes, None for no limit, or "auto".

    "auto" is half of the memory available now, or no limit if the system does not tell.
    """
    if limit == "auto":
        free = available()
        limit = None if free is None else 0.5 * free
    return limit is None or size <= float(limit)


def available() -> int | None:
    """Return the bytes available to programs, or None if the system does not tell."""
    if MEMINFO.exists():  # counts the page cache as available
        for line in MEMINFO.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return 1024 * int(line.split()[1])
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None
