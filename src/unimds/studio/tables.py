"""What the page shows of a table: what it was taken for, and what is odd."""

from __future__ import annotations

from typing import Any

import numpy as np

from unimds.distances.doubts.tables import CONFIRM, warn_of_doubts
from unimds.files import Table
from unimds.files.errors import FileError, FileWarning, as_option
from unimds.studio.reading import done
from unimds.studio.settings import SETTINGS


def recognised(table: Table) -> list[str]:
    """Return what a file was taken for, in short sentences."""
    kinds = {"distances": "Distances between points", "points": "Points, one per row"}
    kinds |= {"pairs": "A list of pairs", "graph": "A graph; distances are its shortest paths"}
    said = [f"{kinds[table.kind]}, read as {table.format}.", f"{table.n:,} points."]
    if table.precomputed:
        known = ~np.isnan(table.values)
        np.fill_diagonal(known, False)
        pairs, some = table.n * (table.n - 1) // 2, int(np.triu(known | known.T).sum())
        said.append(
            f"All {pairs:,} pairs are known."
            if some == pairs
            else f"{some:,} of {pairs:,} pairs are known; the others are left free."
        )
    elif table.features is not None:
        few = ", ".join(table.features[:6]) + (" …" if len(table.features) > 6 else "")
        said.append(f"{len(table.features)} columns of numbers: {few}.")
    if table.labels is None:
        said.append("The points have no names, and are numbered from 1.")
    if table.columns:
        said.append(f"Columns to colour by: {', '.join(list(table.columns)[:6])}.")
    return said


def doubt(table: Table, name: str, parts: int) -> list[str]:
    """Warn of what is odd about a table; return what only the page has to say.

    Parameters
    ----------
    table : Table
        What the file holds.
    name : str
        The name of the file.
    parts : int
        How many parts there are with no known distance between them.
    """
    found = []
    if table.precomputed or np.isfinite(table.values).all():
        warn_of_doubts(table, name, by_default=True)
    else:
        found.append("Some features are missing, and distances need all of them.")
    if parts > 1:
        found.append(
            f"The points fall into {parts} parts with no known distance between them: where the "
            "parts lie relative to each other means nothing."
        )
    return found


def in_words(warning: Warning | str, table: Table) -> str:
    """Return a warning as a sentence, with what can be done about it on the page.

    Examples
    --------
    >>> table = Table(np.ones((3, 2)), "points", "csv", "rows", features=["plot", "oak"])
    >>> choices = [("if it only numbers the points", ("drop", "plot")), CONFIRM]
    >>> in_words(FileWarning("a.csv", "the column 'plot' counts as a feature", choices), table)
    "The column 'plot' counts as a feature; if it only numbers the points, remove it from the file."
    """
    if not isinstance(warning, FileWarning):
        return str(warning)
    told = [warning.assumption]
    for meaning, argument in warning.choices:
        deed = _deed(*argument, table)
        if deed:
            told.append(f"{meaning}, {deed}")
    words = "; ".join(told)
    return words[:1].upper() + words[1:] + ("" if words.endswith(".") else ".")


def error_in_words(error: Exception) -> str:
    """Return why a file cannot be read, with what can be done about it on the page.

    Examples
    --------
    >>> error_in_words(FileError("a.csv", "unclear. For points", advice=("kind", "points")))
    'a.csv: unclear. For points, read it as “points, one per row”'
    """
    if not isinstance(error, FileError) or error.advice is None:
        return " ".join(str(error).split()) or type(error).__name__
    bare = FileError(error.name, error.problem, error.line, error.column)
    return " ".join(f"{bare}, {_read_otherwise(*error.advice)}".split())


def _deed(name: str, value: Any, table: Table) -> str:
    """Return what a user of the page does in place of giving an argument; empty if nothing."""
    if name == "drop":  # what counts already does not is no choice here
        return "remove it from the file" if value in (table.features or ()) else ""
    if (name, value) == CONFIRM[1]:
        return ""
    known = {setting.name: setting for setting in SETTINGS}
    titles = {choice.value: choice.title for choice in known[name].choices} if name in known else {}
    if value in titles:
        return f"choose the {name} “{titles[value]}”"
    return _read_otherwise(name, value)


def _read_otherwise(name: str, value: Any) -> str:
    """Return how to read a file with an argument: on the page if it can, or else in a shell."""
    return done(name, value) or f"use `unimds embed {as_option(name, value)}`"


def named(table: Table) -> list[str]:
    """Return the names of all points: their labels, or numbers from 1."""
    labels = table.labels or [""] * table.n
    return [label or str(i + 1) for i, label in enumerate(labels)]
