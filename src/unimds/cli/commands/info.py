"""``unimds info``: show versions, cores, the cache of compiled code and the extras."""

from __future__ import annotations

import os
import platform
import re
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Any

from unimds._runtime.extras import PACKAGES
from unimds.cli.messages import errors_told, print_json
from unimds.cli.options import single as o


def info(as_json: o.AsJson = False, debug: o.Debug = False) -> None:
    """Show versions, cores, the folder of compiled code and the installed extras."""
    with errors_told("Interrupted.", debug, as_json=as_json):
        found = gathered()
        if as_json:
            print_json(found)
            return
        for title, value in found.items():
            text = (
                ", ".join(f"{name} {told}" for name, told in value.items())
                if isinstance(value, dict)
                else str(value)
            )
            print(f"{title:<12}{text}")


def gathered() -> dict[str, Any]:
    """Return everything to show, without importing heavy packages."""
    needs = [text for text in requires("unimds") or [] if ";" not in text]  # not those of extras
    return {
        "unimds": version("unimds"),
        "python": platform.python_version(),
        "system": platform.platform(),
        "cores": len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count(),
        "cache": cache_folder(),
        "packages": {name: _version(name) for name in map(_name, needs)},
        "extras": {extra: _told(names) for extra, names in PACKAGES.items()},
    }


def cache_folder() -> str:
    """Return the folder of compiled code: NUMBA_CACHE_DIR, or the one beside the sources.

    If neither can be written, Numba uses the user's cache folder.
    """
    own = Path(__file__).resolve().parents[1] / "__pycache__"
    for folder in filter(None, (os.environ.get("NUMBA_CACHE_DIR"), str(own))):
        if _writable(folder):
            return folder
    from numba.misc import appdirs  # slow to import, and rarely needed

    untyped: Any = appdirs
    user = str(untyped.user_cache_dir("numba", appauthor=False))
    return user if _writable(user) else "none: no folder can be written, so every run compiles"


def _writable(folder: str) -> bool:
    """Whether files can be created in a folder, even if the folder must be created first."""
    path = Path(folder).absolute()
    there = next(parent for parent in (path, *path.parents) if parent.exists())
    return there.is_dir() and os.access(there, os.W_OK)


def _name(requirement: str) -> str:
    return re.split(r"[^\w.-]", requirement, maxsplit=1)[0]


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"


def _told(names: tuple[str, ...]) -> str:
    missing = [name for name in names if _version(name) == "missing"]
    if not missing:
        return "installed"
    return "not installed" if len(missing) == len(names) else f"lacks {' and '.join(missing)}"
