"""Arguments: one order everywhere, and where to go with names that do not exist."""

from __future__ import annotations

import os
from collections.abc import Callable
from difflib import get_close_matches
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

from unimds._runtime.watch import warn

P = ParamSpec("P")
R = TypeVar("R")

COLUMNS = (
    "give columns={...}, a frame, or unimds.files.read_metadata(file).columns in the order of "
    "the points"
)
NAMED = {
    **dict.fromkeys(("metadata", "meta", "env", "attributes"), (COLUMNS, "columns")),
    **dict.fromkeys(
        ("colour", "c", "colors", "hue", "groups", "group", "color_by"), ("use color", "color")
    ),
    **dict.fromkeys(("names", "label", "text", "annotations"), ("use labels", "labels")),
    **dict.fromkeys(("links", "graph"), ("use edges", "edges")),
    **dict.fromkeys(("overwrite", "replace", "exist_ok"), ("use force=True", "force")),
    **dict.fromkeys(("distances", "dissimilarities"), ("give the table of distances as D", "D")),
    **dict.fromkeys(("X_new", "new_points", "placed"), ("use new", "new")),
    **dict.fromkeys(
        ("sep", "delimiter"), ("the delimiter is detected; format='tsv' or 'csv' says it", "format")
    ),
    **dict.fromkeys(("usecols", "features"), ("use columns", "columns")),
    **dict.fromkeys(("axes", "axis"), ("use ax", "ax")),
}
"""What to write instead of an argument, and the argument that a function must have for it."""


def advised(function: Callable[P, R]) -> Callable[P, R]:
    """Make a function say where to go with an argument that it does not have.

    Examples
    --------
    >>> @advised
    ... def draw(points, color=None):
    ...     pass
    >>> draw([], colour="red")
    Traceback (most recent call last):
        ...
    TypeError: draw has no parameter 'colour': use color
    """
    known = list(signature(function).parameters)

    @wraps(function)
    def checked(*args: P.args, **named: P.kwargs) -> R:
        for name in named:
            if name not in known:
                told, needed = NAMED.get(name, ("", ""))
                advice = told if told and needed in known else similar(name, known)
                raise TypeError(f"{function.__name__} has no parameter {name!r}: {advice}")
        return function(*args, **named)

    return checked


def similar(name: str, known: list[str]) -> str:
    """Return the name that may be meant, or all names.

    Examples
    --------
    >>> similar("colors", ["labels", "color"]), similar("x", ["labels", "color"])
    ('is color meant?', 'its parameters are labels, color')
    """
    found = get_close_matches(name, known, n=1)
    return f"is {found[0]} meant?" if found else f"its parameters are {', '.join(known)}"


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
