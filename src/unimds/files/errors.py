"""The one error of reading and writing."""

from __future__ import annotations


class FileError(ValueError):
    """A file that cannot be read or written: which one, where in it, and what to do.

    Parameters
    ----------
    name : str
        The file, as the user named it.
    problem : str
        What is wrong, and the remedy.
    line, column : int, default=None
        Where in a text; both count from 1, and a column is a cell of the table.

    Examples
    --------
    >>> print(FileError("cities.csv", "'abc' is not a number", line=7, column=3))
    cities.csv, line 7, column 3: 'abc' is not a number
    """

    def __init__(self, name: str, problem: str, line: int | None = None, column: int | None = None):
        super().__init__(name, problem, line, column)
        self.name = name
        self.problem = problem
        self.line = line
        self.column = column

    def __str__(self) -> str:
        where = [self.name]
        where += [] if self.line is None else [f"line {self.line}"]
        where += [] if self.column is None else [f"column {self.column}"]
        return f"{', '.join(where)}: {self.problem}"


def shown(text: str, length: int = 40) -> str:
    """Return a text between quotes, shortened, and safe to print."""
    return repr(text if len(text) <= length else text[: length - 1] + "…")
