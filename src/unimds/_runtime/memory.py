"""How much memory there is."""

from __future__ import annotations

import os
from pathlib import Path

MEMINFO = Path("/proc/meminfo")


def fits(size: float, limit: float | str | None) -> bool:
    """Return whether `size` bytes are within a limit: bytes, None for no limit, or "auto".

    "auto" is half of the memory that is available now, and no limit where that is not known.
    """
    if limit == "auto":
        free = available()
        limit = None if free is None else 0.5 * free
    return limit is None or size <= float(limit)


def available() -> int | None:
    """Return the bytes that programs can still have; None where the system does not tell."""
    if MEMINFO.exists():  # counts what is only cached as available, as it is
        for line in MEMINFO.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return 1024 * int(line.split()[1])
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None
