"""What named columns mean: a list of pairs or edges, a square of distances, or points."""

from __future__ import annotations

import numpy as np

from unimds.files.formats.columns import Columns
from unimds.files.formats.content import Content
from unimds.files.meaning.doubts import labels_first, names_rows, whole
from unimds.files.meaning.layouts import LABELS
from unimds.files.meaning.lists import (
    ALL,
    Choice,
    Links,
    Roles,
    chosen_from,
    roles,
    roles_by_place,
    roles_by_words,
    roles_of_pairs,
    says_directed,
    table_of_links,
    warn_of_unused,
)
from unimds.files.meaning.matrices import assemble
from unimds.files.table import Column, Table, as_texts


def from_columns(
    content: Content, format: str, found: Columns, kind: str, weight: str, choice: Choice = ALL
) -> Table:
    """Make a table of columns; those without names are rows of numbers."""
    names, columns, index = found
    if names is None:
        block = np.column_stack(columns)
        return assemble(content, block, format=format, kind=kind, weight=weight)
    numeric = {j: names[j] for j, column in enumerate(columns) if isinstance(column, np.ndarray)}
    square = kind == "graph" and len(numeric) == len(columns[0]) and len(numeric) > 2
    list_roles = None
    if kind == "pairs":
        list_roles = roles_of_pairs(content, names, list(numeric), choice)
        _check_labels(content, kind, [columns[j] for j in list_roles.ends])
    elif not square:
        with chosen_from(content):
            list_roles = roles(names, kind, weight, choice)
        list_roles = list_roles or _roles(content, found, kind, weight)
    if list_roles is not None:
        unused = [name for j, name in numeric.items() if j not in list_roles.ends]
        warn_of_unused(content, list_roles.measure, unused)
        return table_of_links(
            _links(content, columns, list_roles), list_roles, format, kind == "auto"
        )
    columns = _with_names(names, columns)
    labels_at = _labels_at(names, columns, index)
    labels = None if labels_at is None else as_texts(columns[labels_at])
    kept = [j for j in range(len(names)) if j != labels_at]
    numbers = [column for j in kept if isinstance(column := columns[j], np.ndarray)]
    block = np.column_stack(numbers) if numbers else np.empty((0, 0))
    texts = {names[j]: column for j in kept if isinstance(column := columns[j], list)}
    features = [names[j] for j in kept if isinstance(columns[j], np.ndarray)]
    return assemble(
        content,
        block,
        format=format,
        kind=kind,
        labels=labels,
        names=features,
        columns=texts,
        weight=weight,
    )


def _roles(content: Content, found: Columns, kind: str, weight: str) -> Roles | None:
    """Detect a list whose column names say nothing, if its first two columns hold labels."""
    names, columns, _ = found
    first, second, *rest = columns if len(columns) > 1 else [*columns, *columns]
    words = isinstance(first, list) and isinstance(second, list)
    if kind == "graph":
        _check_labels(content, kind, [first, second])
        return roles_by_place(content, len(columns), kind, weight)
    if kind != "auto" or not words or any(isinstance(column, list) for column in rest):
        return None
    return roles_by_words(content, as_texts(first), as_texts(second), (names or [])[2:])


def _check_labels(content: Content, kind: str, ends: list[Column]) -> None:
    """Raise if the ends of pairs or edges are neither words nor whole numbers."""
    if not all(isinstance(column, list) or whole(column) for column in ends):
        raise content.error(
            f"a list of {kind} needs columns called 'source' and 'target', and 'distance' or "
            "'length'"
        )


def _with_names(names: list[str], columns: list[Column]) -> list[Column]:
    """Return the columns, the first as texts if it numbers the points."""
    first, *rest = columns
    if isinstance(first, list) or not any(isinstance(column, np.ndarray) for column in rest):
        return columns
    return [as_texts(first), *rest] if labels_first(names, first) else columns


def _labels_at(names: list[str], columns: list[Column], index: list[str]) -> int | None:
    """Return the column of labels: the index, one with such a name, or the first unique texts."""
    if index:
        return names.index(index[-1])
    if names[0].lower() in LABELS:  # even if some labels are the same
        return 0
    texts = {j: column for j, column in enumerate(columns) if isinstance(column, list)}
    unique = next((j for j, column in texts.items() if len(set(column)) == len(column)), None)
    if unique is None and 0 in texts and (len(texts) == 1 or len(columns) - len(texts) > 1):
        return 0 if names_rows(names[0], texts[0]) else None
    return unique


def _links(content: Content, columns: list[Column], found: Roles) -> Links:
    value, weight = (None if j is None else columns[j] for j in (found.value, found.weight))
    if isinstance(value, list) or isinstance(weight, list):
        raise content.error("the distances, lengths and weights of a list must be numbers")
    first, second = (as_texts(columns[j]) for j in found.ends)
    if "" in first or "" in second:
        raise content.error("a label is missing")
    types = [] if found.direction is None else as_texts(columns[found.direction])
    lengths = np.ones(len(first)) if value is None else value
    return Links(content, (first, second), lengths, weight, directed=says_directed(types))
