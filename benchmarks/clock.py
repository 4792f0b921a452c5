"""How long things take."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


def best_of(task: Callable[[], Any], times: int = 5) -> float:
    """Return the shortest of several times, in seconds; the first call may compile."""
    task()
    spent = []
    for _ in range(times):
        began = time.perf_counter()
        task()
        spent.append(time.perf_counter() - began)
    return min(spent)


def timed(task: Callable[[], Any]) -> tuple[Any, float]:
    """Return what a task returns, and how long it took."""
    began = time.perf_counter()
    result = task()
    return result, time.perf_counter() - began


def worked(task: Callable[[], Any]) -> tuple[Any, float]:
    """Return what a task returns, and the processor's time that it took, on a busy machine too."""
    began = time.process_time()
    result = task()
    return result, time.process_time() - began
