"""The error for files that cannot be read or written, and the warning for what was assumed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from shlex import quote
from typing import Any

Place = int | None
Argument = tuple[str, Any]
Advice = Argument | None
Written = Callable[[str, Any], str]


class FileError(ValueError):
    """A file that cannot be read or written: which file, where in it, and what to do.

    Parameters
    ----------
    name : str
        The file, as the user named it.
    problem : str
        What is wrong, and how to correct it.
    line, column : int, default=None
        Where in a text; both count from 1, and a column is a cell of the table.
    advice : tuple of str and object, default=None
        Name and value of an argument that would help, such as ("kind", "points").

    Examples
    --------
    >>> print(FileError("cities.csv", "'abc' is not a number", line=7, column=3))
    cities.csv, line 7, column 3: 'abc' is not a number
    >>> print(FileError("map.csv", "the file exists; to replace it", advice=("force", True)))
    map.csv: the file exists; to replace it, give force=True
    """

    def __init__(
        self,
        name: str,
        problem: str,
        line: Place = None,
        column: Place = None,
        advice: Advice = None,
    ):
        super().__init__(name, problem, line, column, advice)
        self.name, self.problem, self.advice = name, problem, advice
        self.line, self.column = line, column

    def __str__(self) -> str:
        return self.told("{}={!r}".format)

    def told(self, argument: Written) -> str:
        """Return the message; `argument` writes the name and value of the argument to give."""
        where = [self.name]
        where += [] if self.line is None else [f"line {self.line}"]
        where += [] if self.column is None else [f"column {self.column}"]
        advice = "" if self.advice is None else f", give {argument(*self.advice)}"
        return f"{', '.join(where)}: {self.problem}{advice}"


class FileWarning(UserWarning):
    """What was assumed about a file that leaves it open, and how to choose.

    Parameters
    ----------
    name : str
        The file, as the user named it.
    assumption : str
        What was assumed.
    choices : sequence of tuple of str and argument
        What may be meant instead, and the argument, name and value, that says so.

    Examples
    --------
    >>> print(FileWarning("a.gml", "took blue for green", [("if it is red", ("color", "red"))]))
    a.gml: took blue for green; if it is red, give color='red'
    """

    def __init__(self, name: str, assumption: str, choices: Sequence[tuple[str, Argument]]):
        super().__init__(name, assumption, choices)
        self.name, self.assumption, self.choices = name, assumption, choices

    def __str__(self) -> str:
        return self.told("{}={!r}".format)

    def told(self, argument: Written) -> str:
        """Return the message; `argument` writes the name and value of an argument."""
        choices = [f"{meaning}, give {argument(*choice)}" for meaning, choice in self.choices]
        return f"{self.name}: {'; '.join([self.assumption, *choices])}"


def as_option(name: str, value: Any) -> str:
    """Return an argument as an option of the command line; several names have commas between them.

    Examples
    --------
    >>> as_option("drop", ["oak", "elm"]), as_option("force", True)
    ('--drop oak,elm', '--force')
    """
    if isinstance(value, list):
        value = ",".join(map(str, value))
    return f"--{name}" if value is True else f"--{name} {quote(str(value))}"


def shown(text: str, length: int = 40) -> str:
    """Return a text in quotes, shortened and safe to print."""
    return repr(text if len(text) <= length else text[: length - 1] + "…")


def stack_told(shape: tuple[int, ...], name: str) -> str:
    """Return what to do with a stack of tables, where one table is needed.

    Examples
    --------
    >>> print(stack_told((12, 20, 20), "D"))
    is a stack of 12 tables of 20 × 20, and one table is needed: take their mean, \
numpy.nanmean(D, axis=0), or make a map of each, D[0], D[1] and so on
    """
    if shape[1] != shape[2] and shape[0] == shape[1]:  # the last axis counts the tables
        count, side, axis, one = shape[2], shape[:2], 2, f"{name}[:, :, 0]"
        other = f"{name}[:, :, 1]"
    else:
        count, side, axis, one = shape[0], shape[1:], 0, f"{name}[0]"
        other = f"{name}[1]"
    return (
        f"is a stack of {count} tables of {side[0]} × {side[1]}, and one table is needed: take "
        f"their mean, numpy.nanmean({name}, axis={axis}), or make a map of each, {one}, {other} "
        "and so on"
    )
