"""Submitting tasks with large arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from unimds._runtime.extras import require

WARNING = "distributed.admin.large-graph-warning-threshold"


def submit(client: Any, function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Submit a task; its arguments are part of it, so it can be done again where it is lost.

    Dask would warn of more than 10 MB, and advise to scatter them; but what is scattered is lost
    with the worker that holds it.
    """
    with require("dask.config", "dask").set({WARNING: "1 TB"}):
        return client.submit(function, *arguments, **options)
