"""Arguments that come in one order everywhere."""

from __future__ import annotations

import os
from typing import Any

from unimds._runtime.watch import warn


def model_and_path(model: Any, path: Any, caller: str) -> tuple[Any, Any]:
    """Return a model and a path in this order; the other one is deprecated.

    Examples
    --------
    >>> model_and_path("a model", "map.html", "write_report")
    ('a model', 'map.html')
    """
    if isinstance(path, str | os.PathLike) or not isinstance(model, str | os.PathLike):
        return model, path
    warn(
        f"{caller}(path, model) will be removed in unimds 0.5: write {caller}(model, path), the "
        "model first",
        DeprecationWarning,
    )
    return path, model
