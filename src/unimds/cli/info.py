"""``unimds info``: versions, cores, the cache of compiled code, extras."""

from __future__ import annotations

import os
import platform
import re
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Any

from unimds.cli import options as o
from unimds.cli.messages import failures_told, print_json

REQUIREMENT = re.compile(
    r"^(?P<name>[\w.-]+)(?P<self>\[)?[^;]*(;\s*extra\s*==\s*['\"](?P<extra>\w+))?"
)
NOT_SHOWN = ("dev",)


def info(as_json: o.AsJson = False, debug: o.Debug = False) -> None:
    """Show versions, cores, the cache folder and which extras are installed."""
    with failures_told("Interrupted.", debug):
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
    """Return what there is to know; nothing heavy is imported for it."""
    needs = [match for text in requires("unimds") or [] if (match := REQUIREMENT.match(text))]
    extras: dict[str, list[str]] = {}
    for need in needs:
        if need["extra"] and need["extra"] not in NOT_SHOWN and not need["self"]:
            extras.setdefault(need["extra"], []).append(need["name"])
    return {
        "unimds": version("unimds"),
        "python": platform.python_version(),
        "system": platform.platform(),
        "cores": len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count(),
        "cache": cache_folder(),
        "packages": {need["name"]: _version(need["name"]) for need in needs if not need["extra"]},
        "extras": {
            extra: "installed" if all(map(_installed, names)) else "not installed"
            for extra, names in extras.items()
        },
    }


def cache_folder() -> str:
    """Return where compiled code is kept: beside the sources, unless numba is told otherwise."""
    own = Path(__file__).resolve().parents[1] / "__pycache__"
    return os.environ.get("NUMBA_CACHE_DIR") or str(own)


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"


def _installed(name: str) -> bool:
    return _version(name) != "missing"
