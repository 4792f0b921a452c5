"""What an object of R means: a ``dist`` is distances, a matrix either, a data frame columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from unimds.files.errors import shown
from unimds.files.formats.columns import Columns
from unimds.files.formats.content import Content
from unimds.files.formats.statistics.frames import columns_of_frame
from unimds.files.formats.statistics.r import Dist, as_numbers, read_r
from unimds.files.meaning.arrays import table_of_array
from unimds.files.meaning.columns import from_columns
from unimds.files.meaning.lists import ALL, Choice
from unimds.files.meaning.matrices import assemble, condensed
from unimds.files.table import Table

SAVE = "in R, save one of them: saveRDS(D, 'D.rds')"


def from_r(content: Content, kind: str, weight: str, choice: Choice = ALL) -> Table:
    """Make a table of the only object of a file of R that is one."""
    found = _only_table(content)
    if isinstance(found, Dist):
        return _from_dist(content, found, kind)
    if hasattr(found, "iloc"):
        return from_columns(content, "r", columns_of_frame(found), kind, weight, choice)
    if hasattr(found, "dims"):
        rows, names = (_names(found, dim) for dim in found.dims)
        block = _floats(content, found.values)
        return assemble(
            content, block, format="r", kind=kind, labels=rows, names=names, weight=weight
        )
    return table_of_array(content, _floats(content, found), kind, "r", weight=weight)


def columns_of_r(content: Content) -> Columns | None:
    """Return the columns of a data frame; None if the file holds something else."""
    found = _only_table(content)
    return columns_of_frame(found) if hasattr(found, "iloc") else None


def _only_table(content: Content) -> Any:
    objects = read_r(content)
    tables = {name: one for name, one in objects.items() if _is_table(one)}
    tables = tables or {name: one for name, one in objects.items() if _is_vector(one)}
    if len(tables) == 1:
        return next(iter(tables.values()))
    if tables:
        told = ", ".join(map(shown, list(tables)[:5]))
        raise content.error(f"holds {len(tables)} tables, {told}; {SAVE}")
    known = [f"{shown(name)} " * bool(name) + f"({_kind(one)})" for name, one in objects.items()]
    raise content.error(
        f"holds no dist, matrix or data frame, but {', '.join(known[:5]) or 'nothing'}; in R, save "
        "one: saveRDS(D, 'D.rds')"
    )


def _is_table(found: Any) -> bool:
    if isinstance(found, Dist) or hasattr(found, "iloc"):
        return True
    return (isinstance(found, np.ndarray) or hasattr(found, "dims")) and np.ndim(found) == 2


def _is_vector(found: Any) -> bool:
    """Whether this may be the condensed distances of several points."""
    return isinstance(found, np.ndarray) and found.ndim == 1 and found.dtype.kind in "fi"


def _kind(found: Any) -> str:
    return "a list" if isinstance(found, dict | list) else type(found).__name__


def _names(array: Any, dim: Any) -> list[str] | None:
    return [str(name) for name in array.coords[dim].values] if dim in array.coords else None


def _floats(content: Content, values: Any) -> Any:
    numbers = as_numbers(values)
    if numbers.dtype.kind not in "fiub":
        raise content.error("holds words, and numbers were expected; save numbers, or a data frame")
    return numbers.astype(np.float64)


def _from_dist(content: Content, found: Dist, kind: str) -> Table:
    if kind not in ("auto", "distances"):
        raise content.error(f"a dist of R is always of the kind 'distances', not {kind!r}")
    n, count = found.size, len(found.values)
    if n < 1 or count != n * (n - 1) // 2 or (found.labels and len(found.labels) != n):
        raise content.error(f"a dist of {n} points cannot have {count} distances; save it anew")
    if n == 1:
        return Table(np.zeros((1, 1)), "distances", "r", "condensed", found.labels)
    table = condensed(content, _floats(content, found.values), "r", doubtful=False)
    return Table(table.values, "distances", "r", "condensed", found.labels)
